"""A table of columns by name, of which each has a kind: text, counts, means, shares, p-values."""

from __future__ import annotations

import math
from collections.abc import Mapping

from cranfield._base.errors import label_failure, optional
from cranfield._base.options import checked, finder, several, wrong
from cranfield._base.text import UNDEFINED, csv_line, number, pvalue, topic_places
from cranfield._table import latex, tables, writers
from cranfield._table.style import notebook

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any, TypeAlias

    import pandas as pd
    import polars as pl
    import pyarrow as pa

    Value: TypeAlias = str | int | float | bool | None
    Column: TypeAlias = tuple[str, Sequence[Value]]
    """The kind of a column and its values."""

TEXT, COUNT, MEAN, SHARE, PVALUE, FLAG = "text", "count", "mean", "share", "p", "flag"
"""The kinds of columns."""

_DECIMALS = {COUNT: 0, MEAN: 1, SHARE: 4}

_FLAGS: dict[object, str] = {True: "yes", False: "no"}
"""What people read for flags."""


class DataTable:
    """Numbers under the names of columns, a row for each label; immutable.

    Counts are ``int`` and all else ``float``; what is undefined is ``None``,
    null in Arrow and polars and NaN in pandas.
    """

    __slots__ = ("_columns", "_key")

    def __init__(self, columns: Mapping[str, Column]) -> None:
        held = list(columns.items()) if isinstance(columns, Mapping) else []
        if not held or not all(
            isinstance(column, tuple) and len(column) == 2 for _, column in held
        ):
            raise wrong("columns", "{name: (kind, values)}", columns)
        self._columns = {
            name: (kind, tuple(several(values, name, lambda value, _: value)))
            for name, (kind, values) in held
        }
        self._key = next(iter(self._columns))

    @property
    def labels(self) -> tuple[str, ...]:
        """The first column, whose texts name the rows."""
        return tuple(map(str, self._columns[self._key][1]))

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns, that of the labels first."""
        return tuple(self._columns)

    def __len__(self) -> int:
        return len(self._columns[self._key][1])

    __iter__ = None

    def __getitem__(self, key: tuple[str, str]) -> Any:
        """The value of a row and a column.

        Raises ``LabelError`` for one that is not there, ``TypeError`` for any
        other kind of key.
        """
        if not isinstance(key, tuple) or len(key) != 2:
            raise TypeError(f"[{self._key}, column] takes a label and the name of a column")
        label, name = map(str, key)
        if label not in self.labels:
            raise label_failure(self._key, label, self.labels)
        if name not in self._columns:
            raise label_failure("column", name, self.columns)
        return self._columns[name][1][self.labels.index(label)]

    def to_dict(self) -> dict[str, dict[str, Any]]:
        """The table as {label: {column: value}}."""
        names = self.columns[1:]
        rows = zip(*(self._columns[name][1] for name in names), strict=True)
        return {
            label: dict(zip(names, row, strict=True))
            for label, row in zip(self.labels, rows, strict=True)
        }

    @checked
    def only(self, labels: Sequence[str]) -> DataTable:
        """The rows of some labels, in their order; for internal use only."""
        find = finder(self._key, self.labels)
        chosen = [find(label) for label in labels]
        return DataTable(
            {n: (k, [v[place] for place in chosen]) for n, (k, v) in self._columns.items()}
        )

    @checked
    def rounded(self, digits: int | None) -> DataTable:
        """The table with fewer decimals, or as it is; for internal use only."""

        def short(value: Value) -> Value:
            return round(value, digits) if isinstance(value, float) else value

        columns = {name: (k, list(map(short, v))) for name, (k, v) in self._columns.items()}
        return self if digits is None else DataTable(columns)

    def to_columns(self) -> dict[str, list[Any]]:
        """The columns as {name: values}."""
        return {name: list(values) for name, (_, values) in self._columns.items()}

    def to_csv(self) -> str:
        """Lines of CSV with every digit; nothing for what is undefined."""
        rows = ([defined(value) for value in row] for row in self._rows())
        return "".join(map(csv_line, (self.columns, *rows)))

    def to_json(self) -> str:
        """A JSON array with an object for each row; null for what is undefined or infinite."""
        import json

        rows = ([finite(value) for value in row] for row in self._rows())
        objects = [dict(zip(self.columns, row, strict=True)) for row in rows]
        return json.dumps(objects, ensure_ascii=False, allow_nan=False)

    def _rows(self) -> Iterable[tuple[Value, ...]]:
        return zip(*(values for _, values in self._columns.values()), strict=True)

    @checked
    def to_markdown(self, *, digits: int | None = None) -> str:
        """The table in Markdown."""
        return writers.tabular(self.shown(digits=digits), "markdown").decode()

    @checked
    def to_latex(
        self, *, digits: int | None = None, caption: str | None = None, label: str = ""
    ) -> str:
        """The table in LaTeX (booktabs); with a caption it floats."""
        sentences = () if caption is None else (caption,)
        return latex.table(self.shown(digits=digits), sentences, label)

    @checked
    def to_html(self, *, digits: int | None = None, short: bool = False) -> str:
        """The table as plain HTML; ``short``: without the middle of many rows."""
        limit = tables.HTML_LIMIT if short else None
        return tables.html(self.shown(digits=digits, limit=limit))

    def to_arrow(self) -> pa.Table:
        """An Arrow table: text, int64 and float64; raises ``ImportError`` without pyarrow."""
        arrow = optional("pyarrow", "to_arrow", extra="arrow")
        types = {TEXT: arrow.string(), COUNT: arrow.int64(), FLAG: arrow.bool_()}
        content = {
            name: arrow.array(values, types.get(kind, arrow.float64()))
            for name, (kind, values) in self._columns.items()
        }
        table: pa.Table = arrow.table(content)
        return table

    def to_polars(self) -> pl.DataFrame:
        """The same as a polars frame; raises ``ImportError`` without polars."""
        polars = optional("polars", "to_polars")
        types = {TEXT: polars.String, COUNT: polars.Int64, FLAG: polars.Boolean}
        content = {
            name: polars.Series(values, dtype=types.get(kind, polars.Float64))
            for name, (kind, values) in self._columns.items()
        }
        frame: pl.DataFrame = polars.DataFrame(content)
        return frame

    def to_pandas(self) -> pd.DataFrame:
        """The same as a pandas frame; raises ``ImportError`` without pandas.

        A column of counts in which one is undefined is float64.
        """
        pandas = optional("pandas", "to_pandas")

        def dtype(kind: str, values: Sequence[Value]) -> str:
            if kind == TEXT:
                return "object"
            if kind == FLAG:
                return "boolean" if None in values else "bool"
            return "float64" if kind != COUNT or None in values else "int64"

        content = {
            name: pandas.Series(values, dtype=dtype(kind, values))
            for name, (kind, values) in self._columns.items()
        }
        frame: pd.DataFrame = pandas.DataFrame(content)
        return frame

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """The table as an Arrow stream; raises ``ImportError`` without pyarrow."""
        stream: object = self.to_arrow().__arrow_c_stream__(requested_schema)
        return stream

    def __repr__(self) -> str:
        return "\n".join(tables.aligned(self.shown(limit=tables.TEXT_LIMIT)))

    def _repr_html_(self) -> str:
        return notebook(tables.html(self.shown(limit=tables.HTML_LIMIT)))

    @checked
    def shown(
        self,
        names: Sequence[str] | None = None,
        headers: Mapping[str, str] | None = None,
        *,
        limit: int | None = None,
        undefined: str = UNDEFINED,
        digits: int | None = None,
    ) -> tables.Table:
        """The table as people see it: some of its columns under other headers.

        Topics are in natural order. For internal use only.
        """
        tables.check_digits(digits)
        headers = headers or {}
        find, columns = finder("column", self.columns), list(self._columns.items())
        chosen = dict(columns[find(name)] for name in (names or self._columns))
        keys = [name for name, (kind, _) in chosen.items() if kind in (TEXT, FLAG)]
        numbers = {name: column for name, column in chosen.items() if name not in keys}
        header = [headers.get(name, name) for name in numbers]
        kinds = [kind for kind, _ in numbers.values()]
        table = _Shown([headers.get(key, key) for key in keys], header, kinds, digits)
        table.labels = 1
        table.limit = limit
        for row in topic_places(self.labels) if self._key == "topic" else range(len(self)):
            texts = (chosen[key][1][row] for key in keys)
            labels = (undefined if text is None else _FLAGS.get(text, str(text)) for text in texts)
            values = (values[row] for _, values in numbers.values())
            cells = [math.nan if value is None else float(value) for value in values]
            table.add(tuple(labels), cells, summary=False)
        return table


class _Shown(tables.Table):
    """A table whose columns have decimals of their own, if none are asked for."""

    __slots__ = ("_kinds",)

    def __init__(
        self, keys: Sequence[str], columns: Sequence[str], kinds: Sequence[str], digits: int | None
    ) -> None:
        counts = {place for place, kind in enumerate(kinds) if kind == COUNT}
        super().__init__(keys, columns, counts, digits=digits)
        self._kinds = kinds

    def number(self, column: int, value: float) -> str:
        """A value as people read it."""
        kind = self._kinds[column]
        if kind == PVALUE:
            return pvalue(value)
        digits = _DECIMALS[kind] if self.digits is None or kind == COUNT else self.digits
        return number(value, digits=digits)


def stacked(key: str, parts: Mapping[str, DataTable]) -> DataTable:
    """The rows of several tables, with the name of each in a column ``key`` before them.

    The columns are those of the last; a table that lacks one has nothing there.
    """
    last = list(parts.values())[-1]
    columns: dict[str, Column] = {
        key: (TEXT, [name for name, part in parts.items() for _ in range(len(part))])
    }
    for name, (kind, _) in last._columns.items():
        values: list[Value] = []
        for part in parts.values():
            values += part._columns.get(name, (kind, [None] * len(part)))[1]
        columns[name] = kind, values
    return DataTable(columns)


def joined(table: DataTable, other: DataTable, names: Mapping[str, str]) -> DataTable:
    """A table with some columns of another one, under the names that are given if any."""
    added = {new or name: other._columns[name] for name, new in names.items()}
    return DataTable({**table._columns, **added})


def defined(value: Value) -> Any:
    """A value, or None for NaN."""
    return None if isinstance(value, float) and math.isnan(value) else value


def finite(value: Value) -> Any:
    """A value, or None for a number that JSON does not have."""
    return None if isinstance(value, float) and not math.isfinite(value) else value
