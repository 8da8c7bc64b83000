"""Runs studies and writes their folders: of one collection, or of several beside each other."""

from __future__ import annotations

import io
import math
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, replace
from functools import partial
from itertools import islice
from typing import Any, Literal

from cranfield._base.errors import failure, notified_once, optional, received_by, tell
from cranfield._base.options import checked, one_of, path, wrong
from cranfield._base.progress import Line, delay_of
from cranfield._base.scores_like import ALL
from cranfield._base.text import counted
from cranfield._core import __version__
from cranfield._io.inputs import QrelsLike, RunsLike
from cranfield._scores.groups import GroupsLike, members_beside_all
from cranfield._scoring.collections import Collections, named_part
from cranfield._stats.registry import TUKEY, too_few_for_tau
from cranfield._study import drawing
from cranfield._study.definition import Noted, Outcome, known, resolve_options
from cranfield._study.folder import PAGE, RECORD, Folder, digest, distinct_slugs, file_digest, slug
from cranfield._study.inputs import Choice, Given, Inputs, Task
from cranfield._study.results import Figure, Found, Table, by_name

FORMAT = 6
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
    figures: Literal["svg", "pdf"] = "svg",
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
    figures
        "pdf" writes each figure as PDF beside the SVG that pages need.
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
    folder = path(folder, "folder") if folder else folder
    one_of("figures", figures, drawing.FORMS)
    study, asked = known(name), resolve_options(name, options)
    given = Given(
        qrels,
        runs,
        choice or Choice(),
        name=name,
        options=asked,
        threads=threads,
        progress=progress,
        reading=reading,
        rel=rel,
        command=command,
        figures=figures,
        measures=study.ranked_for(asked),
        least=study.runs,
    )
    outcome = _run(given, folder, topic_groups)
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
    return each(name, parts, folder, COLLECTIONS, more.get("figures", "svg"))


@notified_once
def _run(given: Given, folder: str, topic_groups: GroupsLike | None) -> Outcome:
    """The study, which reports only what its first part found."""
    if topic_groups is None:
        return _in_folder(given, folder)
    return _by_group(given, folder, topic_groups)


def _by_group(given: Given, folder: str, topic_groups: GroupsLike) -> Outcome:
    """The study of each group of topics, of all topics, and what compares them."""
    inputs = Inputs(given)
    members = members_beside_all(topic_groups, inputs.topics, inputs.qrels.topics)
    choice = given.choice
    chosen = {run.name for run in inputs.ranked} if choice.chooses else None
    whole = replace(given, qrels=inputs.judged, runs=None if given.runs is None else inputs.runs)
    alone = replace(whole, choice=replace(choice, topics=None), chosen=chosen)

    def part(group: str, topics: Sequence[str], own: str) -> Outcome:
        judged = inputs.judged.restrict_to_topics(topics)
        # The run lacks judgments outside of the group, and all topics have the same notes.
        with received_by(lambda lines: None), named_part("group", group):
            return _in_folder(replace(alone, qrels=judged), own)

    calls = {group: partial(part, group, topics) for group, topics in members.items()}
    parts = {**calls, ALL: partial(_in_folder, whole)}
    return each(given.name, parts, folder, GROUPS, given.figures)


def _in_folder(given: Given, folder: str) -> Outcome:
    """One study in one folder."""
    name, asked, study = given.name, given.options, known(given.name)
    if asked.get("test") == "tukey":
        tell([TUKEY])
    # Checked before anything is read.
    place = Folder(folder, name, given.figures)
    shown = _Progress(given.progress, len(study.parts))
    inputs = Inputs(given, shown.reading)
    shown.runs = inputs.given
    if (topics := len(inputs.qrels.topics)) < study.topics:
        message = (
            f"the study {name} compares runs over topics and needs {study.topics}, found "
            f"{counted(topics, 'topic')}; to see two runs in one topic, use cranfield"
        )
        raise failure("option", f"{message}.diff", command_line=f"{message} diff")
    from cranfield._study import page

    key = digest([FORMAT, __version__, name, inputs.key])
    # Read before anything is written: files may not be there.
    digests = {option: _option_digest(option, value) for option, value in asked.items()}
    record = _record(given, inputs)
    place.begin(record)
    place.remove(PAGE)
    found: dict[str, Found] = {}
    kept = []
    with closing(shown):
        for part, compute in study.parts.items():
            shown.begin(part)
            options = Noted(asked)
            before = place.part(part, key, digests)
            if before is not None:
                kept.append(part)
            found[part] = before or compute(Task(name, inputs, options, shown.within))
            place.write_results(found[part], fresh=before is None)
            if before is None:
                used = {option: digests[option] for option in sorted(options.seen)}
                place.keep(part, {"key": key, "options": used}, found[part])
    warning = too_few_for_tau(inputs.compared) if study.taus else ""
    written = {**place.texts, RECORD: place.record()}
    drawn = drawing.available()
    shown_page = page.page(study, name, record, found, written, drawn=drawn, warning=warning)
    place.finish(shown_page)
    computed = tuple(part for part in found if part not in kept)
    return Outcome(place.page, computed, tuple(kept), drawn, found, warning)


def _record(given: Given, inputs: Inputs) -> dict[str, Any]:
    """What ``study.json`` says of a study that begins."""
    reading = given.reading or {}
    return {
        "study": given.name,
        "cranfield": __version__,
        "command": given.command,
        "complete": False,
        "options": given.options,
        "choice": asdict(given.choice),
        "reading": {name: value for name, value in reading.items() if name != "limits"},
        "rel": given.rel,
        "topics": len(inputs.qrels),
        "runs_given": inputs.given,
        "parts": list(known(given.name).parts),
    }


FILES = ("groups", "second")
"""The options that name files, whose content matters."""


def _option_digest(name: str, value: Any) -> str:
    """A digest of the value of an option; of one that names files, of their content."""
    if name in FILES and value:
        value = [file_digest(path) for path in ([value] if isinstance(value, str) else value)]
    return digest(value)


READING = 0.1
"""The proportion of a part that reading the runs is taken to be; more than that is not known."""


class _Progress(Line):
    """A progress line on standard error: the current part, how far it is, and the time left."""

    def __init__(self, progress: bool | None, parts: int) -> None:
        delay = delay_of(progress)
        # Nowhere to be seen is never.
        super().__init__(sys.stderr or io.StringIO(), delay=math.inf if delay is None else delay)
        self._parts = parts
        self._parts_begun = 0
        self._part = ""
        self.runs = 0
        """How many runs there are to read."""

    def reading(self, runs: int, _: int) -> None:
        """Reports how many runs are read: this line shows it, not another one."""
        read = min(runs / max(self.runs, 1), 1.0)
        self._show(READING * read, f", {counted(runs, 'run')} read")

    def begin(self, part: str) -> None:
        """Reports the part that begins."""
        self._parts_begun += 1
        self._part = part
        self.within(0, 1)

    def within(self, done: int, total: int) -> None:
        """Reports how far the part is."""
        self._show(done / max(total, 1), "")

    def _show(self, share: float, more: str) -> None:
        done = max(self._parts_begun - 1, 0)
        parts = f"{done}/{self._parts} parts"
        self.draw(parts, (done + share) / self._parts, f" {self._part}{more}")


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
    name: str, parts: Mapping[str, Callable[[str], Outcome]], folder: str, kind: Kind, figures: str
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
    place = Folder(os.path.join(folder, TOGETHER), title, figures)
    done = {part: parts[part](os.path.join(folder, own)) for part, own in folders.items()}
    tables, drawn = (
        {part: _named(outcome, which) for part, outcome in done.items()}
        for which in ("tables", "figures")
    )
    found = Found(list(tables_of_all(tables, kind)), list(figures_of_all(drawn)))
    place.begin({"study": title, kind.plural: folders, "complete": False})
    place.write_results(found, fresh=True)
    says = []
    for part, outcome in done.items():
        sentences = (one.says for one in outcome.found.values() if one.says)
        says += [f"{part}: {first}" for first in islice(sentences, 1)]
    warnings = {part: outcome.warning for part, outcome in done.items() if outcome.warning}
    says += [f"{part}: Note: {warning}." for part, warning in warnings.items()]
    pages = {part: f"../{own}/{PAGE}" for part, own in folders.items()}
    title = known(name).title
    place.finish(page.page_of_all(title, kind.name, pages, found, says, place.texts))

    def sections(which: str) -> tuple[str, ...]:
        return tuple(f"{part}: {one}" for part, o in done.items() for one in getattr(o, which))

    warning = next(iter(warnings.values()), "")
    available = drawing.available()
    return Outcome(place.page, sections("computed"), sections("kept"), available, warning=warning)


def _named(outcome: Outcome, kind: str) -> dict[str, Any]:
    """All "tables" or "figures" of a study by name."""
    return {one.name: one for found in outcome.found.values() for one in getattr(found, kind)}


def figures_of_all(found: Mapping[str, Mapping[str, Figure]]) -> Iterator[Figure]:
    """The figures that all have: a row for each panel, a column for each part."""
    for own in _in_all(found):
        if len({len(one.panels) for one in own.values()}) > 1:
            continue
        panels = [
            replace(panel, title=f"{part}: {panel.title}" if panel.title else part)
            for row in zip(*(one.panels for one in own.values()), strict=True)
            for part, panel in zip(own, row, strict=True)
        ]
        # Points against a diagonal, and runs by name, have axes of their own.
        alike = not any(panel.diagonal or panel.names for panel in panels)
        yield replace(next(iter(own.values())), panels=panels, columns=len(own), alike=alike)


def _in_all(found: Mapping[str, Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    """What all parts have under the same name, by part."""
    first, *others = found.values()
    for name in first:
        if all(name in other for other in others):
            yield {part: own[name] for part, own in found.items()}


def tables_of_all(found: Mapping[str, Mapping[str, Table]], kind: Kind) -> Iterator[Table]:
    """The tables of all parts, one above the other and side by side.

    The first has the rows of all, the part before each. The others have a
    column for each part: one for each column of numbers, with the rows that all have. Rows
    are keyed by the fewest leading columns that are unique.
    """
    for own in _in_all(found):
        first, *others = own.values()
        yield _stacked(own, kind)
        if len(first.data) and all(one.columns == first.columns for one in others):
            yield from _side_by_side(own, kind)


def _stacked(own: Mapping[str, Table], kind: Kind) -> Table:
    """The rows of all parts, with the columns of any, such as those of grades."""
    columns = list(dict.fromkeys(column for one in own.values() for column in one.columns))
    first = next(iter(own.values()))
    rows: list[list[Any]] = []
    marks: dict[str, list[list[int]]] = {mark: [] for mark in MARKS}
    for name, one in own.items():
        places = [1 + columns.index(column) for column in one.columns]
        for mark, found in marks.items():
            found += ([len(rows) + row, places[column]] for row, column in getattr(one, mark))
        cells = (dict(zip(one.columns, row, strict=True)) for row in one.rows)
        rows += ([name, *map(of_row.get, columns)] for of_row in cells)
    return _like(first, first.name, first.title, by_name([kind.name, *columns], rows), marks)


def _like(
    table: Table, name: str, title: str, columns: Mapping[str, Any], marks: Mapping[str, Any]
) -> Table:
    """Columns with the note and the decimals of a table."""
    return Table.of(name, title, columns, table.note, decimals=table.decimals, **marks)


def _side_by_side(own: Mapping[str, Table], kind: Kind) -> Iterator[Table]:
    """A table for each column of numbers; of measures, with the mean of each of its columns."""
    first, *_ = parts = list(own.values())
    width = len(first.columns)
    keys = next((n for n in range(1, width) if all(_unique(one, n) for one in parts)), width)
    places = [{tuple(row[:keys]): place for place, row in enumerate(one.rows)} for one in parts]
    shared = [key for key in places[0] if all(key in of for of in places)]
    by_part = list(zip((one.rows for one in parts), places, parts, strict=True))
    names = [*first.columns[:keys], *own, *([MEAN] if kind.averaged else [])]
    for column in range(keys, width if shared else 0):
        cells = [[rows[of[key]][column] for rows, of, _ in by_part] for key in shared]
        if any(isinstance(value, str) for values in cells for value in values):
            continue
        means = [[_mean(values)] if kind.averaged else [] for values in cells]
        rows = [[*key, *of, *mean] for key, of, mean in zip(shared, cells, means, strict=True)]
        if first.columns[:keys] == ["measure"] and len(rows) > 1:
            _, *columns = zip(*rows, strict=True)
            rows.append([MEAN, *map(_mean, columns)])
        marks = {
            mark: [
                [row, keys + part]
                for part, (_, of, one) in enumerate(by_part)
                for row, key in enumerate(shared)
                if [of[key], column] in getattr(one, mark)
            ]
            for mark in MARKS
        }
        title = first.columns[column]
        name = f"{first.name}-{slug(title)}"
        yield _like(first, name, f"{first.title}: {title}", by_name(names, rows), marks)


def _unique(table: Table, keys: int) -> bool:
    """Whether the leading columns tell all rows apart."""
    return len({tuple(row[:keys]) for row in table.rows}) == len(table.data)


def _mean(values: Sequence[Any]) -> float | None:
    """The mean of numbers; nothing if one is undefined."""
    return None if None in values else sum(values) / len(values)
