"""What compares the same study of several collections, or groups of topics."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from cranfield._base.errors import failure
from cranfield._study import drawing
from cranfield._study.definition import Outcome, known
from cranfield._study.folder import PAGE, Folder, distinct_slugs, slug
from cranfield._study.results import Cell, Figure, Found, Table

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
    tables = list(together({part: _tables(outcome) for part, outcome in done.items()}, kind))
    figures = list(side_by_side({part: _figures(outcome) for part, outcome in done.items()}))
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
    shown = page.together(study.title, kind.name, says, pages, figures, tables, texts, warnings)
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


def side_by_side(found: Mapping[str, Mapping[str, Figure]]) -> Iterator[Figure]:
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


def together(found: Mapping[str, Mapping[str, Table]], kind: Kind) -> Iterator[Table]:
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
