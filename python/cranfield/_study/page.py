"""The page of a study: all results in one self-contained file, in the design of reports."""

from __future__ import annotations

import math

from cranfield._base.text import counted
from cranfield._core import Measure, __version__
from cranfield._pages.page import Section, html, packed, section
from cranfield._study import charts
from cranfield._study.results import Figure, coinciding, readable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import Any

    from cranfield._study.definition import Study
    from cranfield._study.results import Cell, Found, Table

LONGEST = 200
"""How many rows of a table the page shows; the download has all."""


def page(
    study: Study,
    name: str,
    record: Mapping[str, Any],
    found: Mapping[str, Found],
    files: Mapping[str, str],
    *,
    drawn: bool,
    warning: str = "",
) -> str:
    """The page as HTML; ``files`` are the downloads by name."""
    says = [one.says for one in found.values() if one.says]
    if warning:
        says.append(f"Note: {warning}.")
    sections = [_conclusion(says, study.paper)]
    for one in found.values():
        sections += shown([*one.figures, *one.tables])
    methods = section(
        "study-methods",
        "What to know, and how this was made",
        differs=study.differs,
        command=record["command"],
        options=[("cranfield", __version__), ("study", name), *_options(record)],
        drawn=drawn,
    )
    runs = record["runs_given"]
    facts = [*([counted(runs, "run")] if runs else []), counted(record["topics"], "topic")]
    facts += _chosen(record)
    scripts = ["charts.js", "study.js"]
    return html(study.title, facts, [*sections, methods], scripts=scripts, data=packed(files))


def together(
    title: str,
    kind: str,
    says: Mapping[str, Sequence[str]],
    pages: Mapping[str, str],
    figures: Sequence[Figure],
    tables: Sequence[Table],
    files: Mapping[str, str],
    warnings: Mapping[str, str],
) -> str:
    """The page of what a study found on several collections, or groups of topics.

    ``kind`` is what the parts are called, ``says`` is what it found on each, in sentences;
    ``pages`` are the addresses of their pages.
    """
    sentences = [f"{name}: {found[0]}" for name, found in says.items() if found]
    sentences += [f"{name}: {warning}" for name, warning in warnings.items()]
    folders = f"The study of each {kind} is in a folder beside this one:"
    sections = [_conclusion(sentences, folders, pages), *shown(tables), *shown(figures)]
    facts = [counted(len(says), kind), *says]
    scripts = ["charts.js", "study.js"]
    return html(title, facts, sections, scripts=scripts, data=packed(files))


def shown(items: Iterable[Table | Figure]) -> Iterator[Section]:
    """The sections of tables and figures; a table may have the name of a figure."""
    items = list(items)
    figures = {item.name for item in items if isinstance(item, Figure)}
    for item in items:
        if isinstance(item, Figure):
            yield _figure(item)
        else:
            found = _table(item)
            yield found.named(f"{item.name}-table") if item.name in figures else found


def _conclusion(
    sentences: Sequence[str], paper: str, pages: Mapping[str, str] | None = None
) -> Section:
    found = section(
        "study-conclusion", "Conclusion", sentences=sentences, paper=paper, pages=pages or {}
    )
    return found.named("conclusion")


def _options(record: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """The options of the study, as they were in effect."""
    for option, value in record["options"].items():
        text = value
        if isinstance(value, (list, tuple)):
            text = " ".join(f"{v:g}" if isinstance(v, (int, float)) else str(v) for v in value)
        if text not in (None, ""):
            yield option.replace("_", " "), f"{text}"


def _chosen(record: Mapping[str, Any]) -> Iterator[str]:
    """Which of the runs are compared, and what counts as relevant."""
    choice = record["choice"]
    if choice["drop_worst"] is not None:
        worst = "worst" if Measure(choice["by"]).better else "lowest"
        yield f"without the {worst} {choice['drop_worst']:g} of the runs by {choice['by']}"
    if choice["top"] is not None:
        if Measure(choice["by"]).better is None:
            yield f"only the {choice['top']} runs with the highest {choice['by']}"
        else:
            yield f"only the {choice['top']} best runs by {choice['by']}"
    rel, graded = record["rel"], record["options"].get("graded")
    if graded is not None:
        lowest = 1.0 if rel is None else rel
        what = "graded" if graded else "folded to relevant or not"
        yield f"judgments {what}, relevant from grade {lowest:g}"
    elif rel is not None:
        yield f"relevant from grade {rel:g}"


def _table(table: Table) -> Section:
    texts = table.shown()
    numeric = [
        any(isinstance(row[place], (int, float)) for row in table.rows)
        and not any(isinstance(row[place], str) for row in table.rows)
        for place in range(len(table.columns))
    ]
    marked = dict.fromkeys(map(tuple, table.bold), "best")
    marked |= dict.fromkeys(map(tuple, table.italic), "slanted")
    rows = [
        [
            {
                "text": text,
                "number": numeric[column],
                "value": _exact(cell),
                "kind": marked.get((row, column), ""),
            }
            for column, (cell, text) in enumerate(zip(cells, shown_cells, strict=True))
        ]
        for row, (cells, shown_cells) in enumerate(zip(table.rows, texts, strict=True))
    ]
    columns = zip(table.columns, numeric, strict=True)
    return section(
        "study-table",
        table.title,
        title=table.title,
        note=table.note,
        columns=[{"name": name, "number": number} for name, number in columns],
        rows=rows[:LONGEST],
        more=max(len(rows) - LONGEST, 0),
        files=[f"tables/{table.name}.csv", f"tables/{table.name}.tex"],
    ).named(table.name)


def _exact(cell: Cell) -> str:
    """Every digit, for sorting; nothing for what is undefined."""
    if isinstance(cell, str) or cell is None or math.isnan(cell):
        return ""
    return repr(cell)


def _figure(figure: Figure) -> Section:
    panels = readable(figure)
    return section(
        "study-figure",
        figure.title,
        name=figure.name,
        note=figure.note,
        entries=charts.legend(figure, panels),
        columns=panels.columns,
        charts=[
            {
                "title": panel.title,
                "text": ", ".join(panel.text.splitlines()),
                "drawn": drawn,
            }
            for panel, drawn in zip(panels.panels, charts.drawn(figure, panels), strict=True)
        ],
        captions=[*coinciding(figure), *_levels(figure)],
        files=[f"data/{figure.name}.csv"],
    ).named(figure.name)


def _unless_said(level: float, label: str) -> str:
    """A value in parentheses, unless the label has it."""
    text = f"{level:.3g}"
    return "" if text in label.split() else f" ({text})"


def _levels(figure: Figure) -> list[str]:
    """What the dashed lines across panels are."""
    found = {
        f"Dashed: {panel.level_label}{_unless_said(panel.level, panel.level_label)}."
        for panel in figure.panels
        if panel.level is not None
    }
    return sorted(found)
