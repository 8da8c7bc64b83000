"""The tables of a comparison as people read them, and the sentences below them."""

from __future__ import annotations

import math

from cranfield._base import fitting
from cranfield._base.text import UNDEFINED, escaped, number, printable, pvalue
from cranfield._table import latex, tables, writers
from cranfield._table.style import notebook
from cranfield._table.tables import BEST_SIGN, marked

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import TypeAlias

    from cranfield._stats.differences import Compared, Difference

    Columns: TypeAlias = dict[str, Callable[[Difference], str]]
    """The columns, each with the function from a row to its cell."""


def parts(
    found: Compared, *, limit: int | None = None, bounds: bool = False, digits: int | None = None
) -> Iterator[tables.Texts]:
    """A table for each measure.

    ``bounds`` shows whether differences lie in them also where all do.
    """
    for measure in found.measures:
        rows = found.ordered(measure)
        table = _table(found, rows, bounds=_shows_bounds(rows, asked=bounds), digits=digits)
        table.limit = limit
        yield table


def sentences(found: Compared, *, bounds: bool = False) -> list[str]:
    """What stands under the tables."""
    corrected = "corrected " if found.corrected else ""
    legend = [f"*: {corrected}p below {found.options['alpha']:g}.", _wins(found)]
    if _shows_bounds(found.rows, asked=bounds):
        legend.append("In bounds: could full judging undo the difference? No, or perhaps.")
    choice = [found.choice] if found.choice else []
    return [" ".join(legend), *map("{}.".format, found.zeros), *choice, found.methods]


def text(
    found: Compared,
    *,
    limit: int | None = None,
    bounds: bool = False,
    digits: int | None = None,
    signed: bool = False,
    width: int | None = None,
) -> str:
    """Tables and sentences as aligned text; ``signed``: the best means have a sign.

    ``width`` is that of a terminal.
    """
    own = list(parts(found, limit=limit, bounds=bounds, digits=digits))
    blocks = [tables.aligned(table, marked=signed, width=width) for table in own]
    below = sentences(found, bounds=bounds)
    if signed and any(table.marks() for table in own):
        below[0] = f"{BEST_SIGN}: the best mean. {below[0]}"
    blocks += [[fitting.sentence(printable(line), width)] for line in below]
    return "\n\n".join(map("\n".join, blocks))


def html(
    found: Compared,
    *,
    limit: int | None = None,
    bounds: bool = False,
    digits: int | None = None,
) -> str:
    """Tables and sentences as HTML."""
    own = parts(found, limit=limit, bounds=bounds, digits=digits)
    below = (f"<p>{escaped(line)}</p>" for line in sentences(found, bounds=bounds))
    return "\n".join([*(tables.html(table, marked=True) for table in own), *below])


def of_notebook(found: Compared) -> str:
    """The same for notebooks."""
    return notebook(html(found, limit=tables.HTML_LIMIT))


def markdown(
    found: Compared, *, bounds: bool = False, digits: int | None = None, heading: str = ""
) -> str:
    """Tables and sentences in Markdown, under a heading if there is one."""
    own = parts(found, bounds=bounds, digits=digits)
    blocks = [writers.tabular(table, "markdown").decode() for table in own]
    below = map(writers.markdown_cell, sentences(found, bounds=bounds))
    head = [f"## {writers.markdown_cell(heading)}\n"] if heading else []
    return "\n".join([*head, *blocks, *(f"{line}\n" for line in below)])


def in_latex(
    found: Compared,
    *,
    bounds: bool = False,
    digits: int | None = None,
    heading: str = "",
    caption: str | None = None,
    label: str = "tab:compare",
) -> str:
    """A table that floats for each measure; its label ends with the measure.

    A caption that is not given has the sentences, after the heading.
    """
    found_parts = list(parts(found, bounds=bounds, digits=digits))
    written = []
    for measure, table in zip(found.measures, found_parts, strict=True):
        below = [caption] if caption is not None else sentences(found, bounds=bounds)
        if caption is None:
            best = "The best mean is bold"
            if len(table.marks()) > 1:
                best += ", the second best underlined"
            below = [
                *([f"{heading}."] if heading else []),
                *([f"{best}."] * bool(table.marks())),
                *below,
            ]
        written.append(latex.table(table, below, f"{label}-{latex.slug(measure)}"))
    return "\n".join(written)


def _wins(found: Compared) -> str:
    """What wins and losses are in each measure."""
    directions: dict[str | None, list[str]] = {"higher": [], "lower": [], None: []}
    for measure in found.measures:
        directions[found.better[measure]].append(measure)
    words = {"higher": "higher, the same, lower", "lower": "lower, the same, higher"}
    if not directions["lower"]:
        return f"W/T/L: topics on which the run scores {words['higher']}."
    rising = [*directions["higher"], *directions[None]]
    of_rising = f" in {', '.join(rising)}; {words['lower']}" if rising else ""
    first = words["higher" if rising else "lower"]
    falling = f" in {', '.join(directions['lower'])}, where less is better"
    return f"W/T/L: topics on which the run scores {first}{of_rising}{falling}."


def _shows_bounds(rows: Sequence[Difference], *, asked: bool) -> bool:
    """Whether to say if differences lie in their bounds: where one does not, or if asked."""
    found = {row.within_bounds for row in rows}
    return False in found or (asked and True in found)


def _table(
    found: Compared, rows: Sequence[Difference], *, bounds: bool, digits: int | None
) -> tables.Texts:
    """The comparisons in one measure.

    A baseline has a line of its own, unless its mean is one for each pair
    because the topics are.
    """
    first, baseline = rows[0], found.baseline is not None
    shared = baseline and len({row.topics for row in rows}) == 1
    shared = shared and len({(row.other_mean, row.other_judged) for row in rows}) == 1
    columns = _columns(found, rows, paired=not shared, bounds=bounds, digits=digits)
    table = tables.Texts([first.measure, *([] if baseline else ["against"])], list(columns))
    if shared:
        mean = _decimal(first.other_mean, digits)
        judged = _decimal(first.other_judged, digits)
        own = {"mean": mean, str(first.judged_measure): judged}
        table.cells.append((first.other, *(own.get(name, "") for name in columns)))
    for row in rows:
        labels = (row.run,) if baseline else (row.run, row.other)
        table.cells.append((*labels, *(cell(row) for cell in columns.values())))
    _mark(table, found, rows, shared=shared, digits=digits)
    return table


def _mark(
    table: tables.Texts,
    found: Compared,
    rows: Sequence[Difference],
    *,
    shared: bool,
    digits: int | None,
) -> None:
    """Marks the best means, if each run has one and not one for each pair."""
    means: dict[str, float] = {}
    for row in rows:
        for run, mean in ((row.run, row.mean), (row.other, row.other_mean)):
            if means.setdefault(run, mean) != mean:
                return
    values = list(means.values())
    texts = [_decimal(value, digits) for value in values]
    places = marked(values, texts, found.better[rows[0].measure])
    marks = {list(means)[place]: mark for place, mark in places.items()}
    columns = {name: place for place, name in enumerate(table.header) if name in ("mean", "other")}
    of_rows = [(row.run, row.other) for row in rows]
    if shared:
        of_rows.insert(0, (rows[0].other, ""))
    for line, (run, other) in enumerate(of_rows):
        table.marked[line, columns["mean"]] = marks.get(run, 0)
        if "other" in columns:
            table.marked[line, columns["other"]] = marks.get(other, 0)
    table.marked = {cell: mark for cell, mark in table.marked.items() if mark}


def _columns(
    found: Compared,
    rows: Sequence[Difference],
    *,
    paired: bool,
    bounds: bool,
    digits: int | None,
) -> Columns:
    """The columns of the rows of a measure."""
    options = found.options
    columns: Columns = {}

    def decimal(value: float | None) -> str:
        return _decimal(value, digits)

    if len({row.topics for row in found.rows}) > 1:
        columns["topics"] = lambda row: str(row.topics)
    columns["mean"] = lambda row: decimal(row.mean)
    if paired:
        columns["other"] = lambda row: decimal(row.other_mean)
    columns["diff"] = lambda row: decimal(row.difference)
    ends = [decimal(end) for row in rows for end in (row.interval_low, row.interval_high)]
    wide = max(map(len, ends))
    columns[f"{100 * options['level']:.10g} % interval"] = lambda row: (
        f"[{decimal(row.interval_low):>{wide}}, {decimal(row.interval_high):>{wide}}]"
    )
    effect = options["effect"]
    columns["dz" if effect == "dz" else f"d({effect})"] = lambda row: _decimal(row.effect_size, 2)

    def starred(row: Difference) -> str:
        return pvalue(row.p_corrected) + ("*" if row.significant else " ")

    if found.corrected:
        columns["p"] = lambda row: pvalue(row.p)
        columns[f"p({options['correction']}) "] = starred
    else:
        columns["p "] = starred
    columns["W/T/L"] = lambda row: f"{row.wins}/{row.ties}/{row.losses}"

    def judged(row: Difference) -> str:
        other = f" {decimal(row.other_judged)}" if paired else ""
        return f"{decimal(row.judged)}{other}"

    if rows[0].judged_measure is not None:
        columns[rows[0].judged_measure] = judged
    if bounds:
        words = {None: UNDEFINED, True: "perhaps", False: "no"}
        columns["in bounds"] = lambda row: words[row.within_bounds]
    return columns


def _decimal(value: float | None, digits: int | None) -> str:
    return number(math.nan if value is None else value, digits=digits)
