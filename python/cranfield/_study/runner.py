"""Runs studies and writes their folders: of one collection, or of several beside each other."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from cranfield._base.errors import failure, notified_once, optional, received_by, tell
from cranfield._base.options import checked, path, wrong
from cranfield._base.progress import Line, delay_of
from cranfield._base.scores_like import ALL
from cranfield._base.text import counted
from cranfield._core import __version__
from cranfield._scores.groups import members_beside_all
from cranfield._scoring.collections import Collections, named_part
from cranfield._stats.registry import TUKEY, too_few_for_tau
from cranfield._study import drawing
from cranfield._study.definition import Options, Outcome, known, resolve_options
from cranfield._study.folder import PAGE, RECORD, Folder, digest, distinct_slugs, file_digest, slug
from cranfield._study.inputs import Choice, Inputs
from cranfield._study.results import Cell, Figure, Found, Table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from cranfield._io.inputs import QrelsLike, RunsLike
    from cranfield._scores.groups import GroupsLike


FORMAT = 4
"""Increased when parts written by earlier versions have to be computed again."""


@checked
def run(
    name: str,
    qrels: QrelsLike,
    runs: RunsLike | None,
    folder: str,
    *,
    choice: Choice | None = None,
    threads: int | None = None,
    progress: bool | None = None,
    reading: Mapping[str, Any] | None = None,
    rel: float | None = None,
    command: str | None = None,
    topic_groups: GroupsLike | None = None,
    **options: Any,
) -> Outcome:
    """Runs a study and writes its folder.

    Parameters
    ----------
    name
        One of ``STUDIES``.
    qrels, runs
        As for ``cranfield.evaluate``; ``runs`` may be None for "agreement", which is then
        about the judges alone.
    folder
        Where to write: a new or empty folder, or that of an earlier call,
        whose finished parts are kept if nothing has changed. Only files that
        its ``study.json`` names are replaced or removed.
    choice
        Which runs and topics to use; all if not given.
    threads, progress
        As for ``cranfield.evaluate``.
    reading
        Options of ``collection.rank``: order, scores, duplicates, depth.
    rel
        The lowest relevant grade of measures that do not name one; 1 if not
        given.
    command
        The command line to show at the end of the page.
    topic_groups
        Groups of topics, as for ``Scores.by_group``: the study of each group and of
        all topics, each in a subfolder, and in ``together`` the tables with a column
        for each group, as for several collections. Which runs are chosen depends
        on all topics, and so does what measures know of the collection: the highest
        grade and the number of documents.
    **options
        The study's own options: measures, rates, samples, seed, ...

    Raises
    ------
    Error
        As ``cranfield.evaluate``; kind "label" for an unknown study,
        also for groups that name an unknown topic; "option" for an option that it
        does not take, "directory" for a folder
        of another study or with anything in it that is not from a study; nothing
        in it is changed.
    ImportError
        Without Jinja2: ``pip install 'cranfield[report]'``.

    """
    optional("jinja2", "the page of a study", extra="report")
    if choice is not None and not isinstance(choice, Choice):
        raise wrong("choice", "a Choice", choice)
    choice = choice or Choice()
    folder = path(folder, "folder") if folder else folder
    more = {
        **options,
        "threads": threads,
        "progress": progress,
        "reading": reading,
        "rel": rel,
        "command": command,
    }
    outcome = _run(name, qrels, runs, folder, choice, topic_groups, **more)
    if outcome.warning:
        tell([outcome.warning])
    return outcome


def run_collections(name: str, collections: Collections, folder: str, **more: Any) -> Outcome:
    """Runs a study on each collection, in a subfolder of its own; see ``each``.

    ``more`` are the options of ``study.run``. Raises the same errors as it does.
    """
    optional("jinja2", "the page of a study", extra="report")

    def part(collection: str) -> Callable[[str], Outcome]:
        qrels, runs = collections[collection]
        return lambda own: run(name, qrels, runs, own, **more)

    parts = {collection: part(collection) for collection in collections.names}
    return each(name, parts, folder, COLLECTIONS)


@notified_once
def _run(
    name: str,
    qrels: QrelsLike,
    runs: RunsLike | None,
    folder: str,
    choice: Choice,
    topic_groups: GroupsLike | None,
    **more: Any,
) -> Outcome:
    """The study, which reports only what its first part found."""
    if topic_groups is None:
        return _in_folder(name, qrels, runs, folder, choice, **more)
    return _by_group(name, qrels, runs, folder, choice, topic_groups, **more)


def _by_group(
    name: str,
    qrels: QrelsLike,
    runs: RunsLike | None,
    folder: str,
    choice: Choice,
    topic_groups: GroupsLike,
    **more: Any,
) -> Outcome:
    """The study of each group of topics, of all topics, and what compares them."""
    inputs = Inputs(
        qrels,
        runs,
        choice,
        least=known(name).runs,
        threads=more["threads"],
        progress=False,
        reading=more["reading"],
        rel=more["rel"],
        graded=more.get("graded", known(name).options.get("graded")),
    )
    members = members_beside_all(topic_groups, inputs.topics, inputs.qrels.topics)
    chosen = {run.name for run in inputs.ranked} if choice.chooses else None
    given = None if runs is None else inputs.runs

    def part(group: str, topics: Sequence[str], own: str) -> Outcome:
        judged = inputs.judged.restrict_to_topics(topics)
        # The run lacks judgments outside of the group, and all topics have the same notes.
        with received_by(lambda lines: None), named_part("group", group):
            own_choice = replace(choice, topics=None)
            return _in_folder(name, judged, given, own, own_choice, chosen=chosen, **more)

    def whole(own: str) -> Outcome:
        return _in_folder(name, inputs.judged, given, own, choice, **more)

    calls = {group: partial(part, group, topics) for group, topics in members.items()}
    return each(name, {**calls, ALL: whole}, folder, GROUPS)


def _in_folder(
    name: str,
    qrels: QrelsLike,
    runs: RunsLike | None,
    folder: str,
    choice: Choice,
    *,
    threads: int | None,
    progress: bool | None,
    reading: Mapping[str, Any] | None,
    rel: float | None,
    command: str | None,
    chosen: Collection[str] | None = None,
    **options: Any,
) -> Outcome:
    """One study in one folder; ``chosen`` are runs that were chosen before."""
    study = known(name)
    asked = resolve_options(name, options)
    if options.get("test") == "tukey":
        tell([TUKEY])
    # Checked before anything is read.
    place = Folder(folder, name)
    shown = _Progress(progress, len(study.sections))
    inputs = Inputs(
        qrels,
        runs,
        choice,
        measures=study.ranked_for(asked),
        keep_unjudged=study.keep_unjudged,
        least=study.runs,
        threads=threads,
        progress=shown.nested,
        reading=reading,
        rel=rel,
        graded=asked.get("graded"),
        pool_runs=asked.get("pool_runs"),
        docs_in_collection=asked.get("docs_in_collection"),
        chosen=chosen,
    )
    shown.runs = inputs.given
    if (topics := len(inputs.qrels.topics)) < study.topics:
        message = (
            f"the study {name} compares runs over topics and needs {study.topics}, found "
            f"{counted(topics, 'topic')}; to see two runs in one topic, use cranfield"
        )
        raise failure("option", f"{message}.diff", command_line=f"{message} diff")
    from cranfield._study import page

    drawn = drawing.available()
    made_with = FORMAT, __version__, name, inputs.key
    keys = {
        part.name: digest([*made_with, {use: _cache_key(asked, use) for use in part.uses}])
        for part in study.sections
    }
    record = {
        "study": name,
        "cranfield": __version__,
        "command": command,
        "complete": False,
        "options": asked,
        "choice": {key: getattr(choice, key) for key in choice.__slots__},
        "reading": {key: value for key, value in (reading or {}).items() if key != "limits"},
        "rel": rel,
        "topics": len(inputs.qrels),
        "runs_given": inputs.given,
        "parts": keys,
    }
    place.begin(record)
    place.remove(PAGE)
    found: dict[str, Found] = {}
    texts: dict[str, str] = {}
    computed, kept, files = [], [], []
    with closing(shown):
        for part in study.sections:
            shown.begin(part.name)
            before = place.part(part.name, keys[part.name])
            if before is None:
                found[part.name] = part.compute(inputs, asked, shown.within)
                computed.append(part.name)
            else:
                found[part.name] = before
                kept.append(part.name)
            texts |= place.write_results(found[part.name])
            files += place.draw(found[part.name], fresh=before is None) if drawn else []
            if before is None:
                place.keep(part.name, keys[part.name], found[part.name])
            files.append(f"parts/{part.name}.json")
    warning = too_few_for_tau(inputs.compared) if study.taus else ""
    written = {**texts, RECORD: place.record()}
    place.write(PAGE, page.page(study, name, record, found, written, drawn=drawn, warning=warning))
    place.finish([*texts, *files, PAGE])
    outcome = str(place.path / PAGE), tuple(computed), tuple(kept), drawn, found
    return Outcome(*outcome, warning=warning)


FILES = ("groups", "second", "pool_runs")
"""The options that may name files, whose content matters."""


def _cache_key(asked: Options, name: str) -> object:
    """The value of an option; for one that names a file, the digest of its content."""
    value = asked[name]
    if name not in FILES or not value or (name == "pool_runs" and not isinstance(value, str)):
        return value
    return [file_digest(path) for path in ([value] if isinstance(value, str) else value)]


READING = 0.1
"""The share of a part that reading the runs is taken to be; more than that is not known."""


class _Progress:
    """A progress line on standard error: the current part, how far it is, and the time left."""

    def __init__(self, progress: bool | None, parts: int) -> None:
        delay = delay_of(progress)
        self._line: Line | None = None
        if delay is not None and sys.stderr is not None:
            self._line = Line(sys.stderr, delay=delay)
        self._parts = parts
        self._done = -1
        self._part = ""
        self._share = 0.0
        self.runs = 0
        """How many runs there are to read."""

    def close(self) -> None:
        """Clears the line."""
        if self._line is not None:
            self._line.close()

    @property
    def nested(self) -> bool | Callable[[int, int], None]:
        """What reading reports to: this line, not another one."""
        return False if self._line is None else self._reading

    def _reading(self, runs: int, _: int) -> None:
        read = READING * min(runs / max(self.runs, 1), 1.0)
        self._share = (max(self._done, 0) + read) / self._parts
        self._draw(f", {counted(runs, 'run')} read")

    def begin(self, part: str) -> None:
        """Reports the part that begins."""
        self._done += 1
        self._part = part
        self.within(0, 1)

    def within(self, done: int, total: int) -> None:
        """Reports how far the part is."""
        self._share = (max(self._done, 0) + done / max(total, 1)) / self._parts
        self._draw("")

    def _draw(self, more: str) -> None:
        if self._line is not None:
            parts = f"{max(self._done, 0)}/{self._parts} parts"
            self._line.draw(parts, self._share, f" {self._part}{more}")


MEAN = "mean"

MARKS = ("bold", "italic")
"""What tables say of cells by their places."""

TOGETHER = "together"
"""The folder of what compares all parts."""


@dataclass(frozen=True)
class Kind:
    """What the parts are."""

    name: str
    """As a column is called."""
    plural: str
    averaged: bool
    """Whether tables have the mean over the parts."""


COLLECTIONS = Kind("collection", "collections", averaged=True)
GROUPS = Kind("group", "groups of topics", averaged=False)


def each(
    name: str, parts: Mapping[str, Callable[[str], Outcome]], folder: str, kind: Kind
) -> Outcome:
    """Carries out each part in a subfolder of its own, whose path it gets.

    The folder ``together`` beside them has the ``tables`` of all parts one above the
    other, each column of numbers of them with a column for each part and, of collections,
    their mean; the figures with a panel for each part; and the page that shows them.
    """
    from cranfield._study import page

    if not folder:
        raise failure("missing", "the folder's name is empty")
    folders = distinct_slugs(parts, [TOGETHER])
    title = f"{name}: {', '.join(folders)}"
    place = Folder(os.path.join(folder, TOGETHER), title)
    done = {part: parts[part](os.path.join(folder, own)) for part, own in folders.items()}
    tables = list(tables_of_all({part: _tables(outcome) for part, outcome in done.items()}, kind))
    figures = list(figures_of_all({part: _figures(outcome) for part, outcome in done.items()}))
    drawn = drawing.available()
    place.begin({"study": title, kind.plural: folders, "complete": False})
    found = Found(tables, figures)
    texts = place.write_results(found)
    files = place.draw(found, fresh=True) if drawn else []
    says = {
        part: [one.says for one in outcome.found.values() if one.says]
        for part, outcome in done.items()
    }
    warnings = {
        part: f"Note: {outcome.warning}." for part, outcome in done.items() if outcome.warning
    }
    pages = {part: f"../{own}/{PAGE}" for part, own in folders.items()}
    study = known(name)
    shown = page.page_of_all(study.title, kind.name, says, pages, figures, tables, texts, warnings)
    place.write(PAGE, shown)
    place.finish([*texts, *files, PAGE])
    outcomes = list(done.items())
    return Outcome(
        str(place.path / PAGE),
        tuple(f"{part}: {section}" for part, o in outcomes for section in o.computed),
        tuple(f"{part}: {section}" for part, o in outcomes for section in o.kept),
        drawn,
        warning=next((outcome.warning for outcome in done.values() if outcome.warning), ""),
    )


def _figures(outcome: Outcome) -> dict[str, Figure]:
    return {figure.name: figure for found in outcome.found.values() for figure in found.figures}


def figures_of_all(found: Mapping[str, Mapping[str, Figure]]) -> Iterator[Figure]:
    """The figures that all have: a row for each panel, a column for each part."""
    first = next(iter(found.values()))
    for name, figure in first.items():
        own = {collection: of[name] for collection, of in found.items() if name in of}
        if len(own) < len(found) or len({len(one.panels) for one in own.values()}) > 1:
            continue
        panels = [
            replace(panel, title=f"{collection}: {panel.title}" if panel.title else collection)
            for place in range(len(figure.panels))
            for collection, panel in ((c, one.panels[place]) for c, one in own.items())
        ]
        # Points against a diagonal, and runs by name, have axes of their own.
        alike = not any(panel.diagonal or panel.names for panel in panels)
        yield replace(figure, panels=panels, columns=len(own), alike=alike)


def _tables(outcome: Outcome) -> dict[str, Table]:
    return {table.name: table for found in outcome.found.values() for table in found.tables}


def tables_of_all(found: Mapping[str, Mapping[str, Table]], kind: Kind) -> Iterator[Table]:
    """The tables of all parts, one above the other and side by side.

    The first has the rows of all, the part before each. The others have a
    column for each part: one for each column of numbers, with the rows that all have. Rows
    are keyed by the fewest leading columns that are unique.
    """
    first = next(iter(found.values()))
    for name, table in first.items():
        own = {collection: of[name] for collection, of in found.items() if name in of}
        if len(own) < len(found):
            continue
        yield _stacked(table, own, kind)
        same = {c: t for c, t in own.items() if t.columns == table.columns}
        if len(same) < len(found):
            continue
        keys = next((n for n in range(1, len(table.columns)) if _unique(same.values(), n)), None)
        if keys is None or not table.rows:
            continue
        rows = [{tuple(row[:keys]): row for row in t.rows} for t in same.values()]
        shared = [key for key in rows[0] if all(key in of for of in rows)]
        for column in range(keys, len(table.columns)):
            cells = [(key, [of[key][column] for of in rows]) for key in shared]
            if shared and all(_numeric(values) for _, values in cells):
                one = _one(table, keys, column, list(found), cells, averaged=kind.averaged)
                _mark(one, list(same.values()), keys, column, shared)
                yield one


def _stacked(table: Table, own: Mapping[str, Table], kind: Kind) -> Table:
    """The rows of all collections, with the columns of any, such as those of grades."""
    columns = list(dict.fromkeys(column for one in own.values() for column in one.columns))
    stacked = replace(table, columns=[kind.name, *columns], rows=[], bold=[], italic=[])
    for name, one in own.items():
        for mark in MARKS:
            getattr(stacked, mark).extend(
                [len(stacked.rows) + row, 1 + columns.index(one.columns[column])]
                for row, column in getattr(one, mark)
            )
        for row in one.rows:
            cells = dict(zip(one.columns, row, strict=True))
            stacked.rows.append([name, *(cells.get(column) for column in columns)])
    return stacked


def _one(
    table: Table,
    keys: int,
    column: int,
    parts: Sequence[str],
    cells: Sequence[tuple[tuple[Cell, ...], list[Cell]]],
    *,
    averaged: bool,
) -> Table:
    """A column of a table for each part; of measures, with the mean of each column."""
    title = table.columns[column]
    rows: list[list[Cell]] = [
        [*key, *values, *([_mean(values)] if averaged else [])] for key, values in cells
    ]
    if table.columns[:keys] == ["measure"] and len(rows) > 1:
        columns = list(zip(*(row[1:] for row in rows), strict=True))
        rows.append([MEAN, *map(_mean, columns)])
    return Table(
        f"{table.name}-{slug(title)}",
        f"{table.title}: {title}",
        [*table.columns[:keys], *parts, *([MEAN] if averaged else [])],
        rows,
        table.note,
        table.decimals,
    )


def _mark(
    one: Table,
    parts: Sequence[Table],
    keys: int,
    column: int,
    shared: Sequence[tuple[Cell, ...]],
) -> None:
    """Marks the cells of a column of each part that are marked there."""
    for mark in MARKS:
        for place, part in enumerate(parts, keys):
            rows = (part.rows[row] for row, at in getattr(part, mark) if at == column)
            marked = {tuple(row[:keys]) for row in rows}
            getattr(one, mark).extend([r, place] for r, key in enumerate(shared) if key in marked)


def _unique(same: Iterable[Table], keys: int) -> bool:
    return all(len({tuple(row[:keys]) for row in t.rows}) == len(t.rows) for t in same)


def _numeric(values: Sequence[Cell]) -> bool:
    return all(value is None or isinstance(value, (int, float)) for value in values)


def _mean(values: Sequence[Cell]) -> float | None:
    numbers = [value for value in values if isinstance(value, (int, float))]
    return sum(numbers) / len(numbers) if len(numbers) == len(values) else None
