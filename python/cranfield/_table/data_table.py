"""A table of columns by name, of which each has a kind: text, counts, means, shares, p-values."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

from cranfield._base.errors import label_failure, optional
from cranfield._base.options import checked, finder, wrong
from cranfield._base.text import (
    DIGITS,
    UNDEFINED,
    csv_field,
    csv_line,
    numbers,
    pvalue,
    topic_places,
)
from cranfield._core import number_texts
from cranfield._table import tables, writers
from cranfield._table.tables import Texts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TypeAlias

    import pandas as pd
    import polars as pl
    import pyarrow as pa

    from cranfield._table.tables import Column

Value: TypeAlias = "str | int | float | bool | None"
Data: TypeAlias = "tuple[str, Sequence[Value]]"
"""The kind of a column and its values."""

TEXT, COUNT, SUM, MEAN, SHARE, PVALUE, FLAG = "text", "count", "sum", "mean", "share", "p", "flag"
"""The kinds of columns; a sum is a float that is shown as a count where it is whole."""

NUMBER = "number"
"""The kind of a column of counts and floats, of which small ones are shown with an exponent."""

LABEL = "label"
"""The kind of a column in frames only: the places of labels, and the labels."""

_DECIMALS = {COUNT: 0, MEAN: 1, SUM: 4, SHARE: 4}

_FLAGS: dict[object, str] = {True: "yes", False: "no"}
"""What is printed for flags."""


class DataTable:
    """Numbers under the names of columns, a row for each label; immutable.

    Counts are ``int`` and all else ``float``; what is undefined is ``None``,
    null in Arrow and polars and NaN in pandas.
    """

    __slots__ = ("_columns", "_key")

    def __init__(self, columns: Mapping[str, Data]) -> None:
        held = list(columns.items()) if isinstance(columns, Mapping) else []
        if not held or not all(
            isinstance(data, tuple) and len(data) == 2 and isinstance(data[1], Iterable)
            for _, data in held
        ):
            raise wrong("columns", "{name: (kind, values)}", columns)
        self._columns = {name: (kind, tuple(values)) for name, (kind, values) in held}
        self._key = held[0][0]

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
        return {
            label: dict(zip(self.columns[1:], row[1:], strict=True))
            for label, row in zip(self.labels, self._rows(), strict=True)
        }

    @checked
    def only(self, labels: Sequence[str]) -> DataTable:
        """The rows of some labels, in their order; for internal use only."""
        find, rows = finder(self._key, self.labels), dict[str, list[int]]()
        for place, label in enumerate(self.labels):
            rows.setdefault(label, []).append(place)
        chosen = [place for label in labels for place in rows[self.labels[find(label)]]]
        return DataTable(
            {n: (k, [v[place] for place in chosen]) for n, (k, v) in self._columns.items()}
        )

    @checked
    def rounded(self, digits: int | None) -> DataTable:
        """The table with fewer decimals, or as it is; for internal use only."""
        if digits is None:
            return self

        def short(value: Value) -> Value:
            return round(value, digits) if isinstance(value, float) else value

        return DataTable({n: (k, list(map(short, v))) for n, (k, v) in self._columns.items()})

    def to_columns(self) -> dict[str, list[Any]]:
        """The columns as {name: values}."""
        return {name: list(values) for name, (_, values) in self._columns.items()}

    def to_csv(self) -> str:
        """Lines of CSV with every digit; nothing for what is undefined."""
        return separated(self, ",")

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
        return writers.written([self.shown(digits=digits)], "markdown")

    @checked
    def to_latex(
        self, *, digits: int | None = None, caption: str | None = None, label: str = ""
    ) -> str:
        """The table in LaTeX (booktabs); with a caption it floats."""
        setting = tables.Setting(caption=caption, label=label)
        return writers.written([self.shown(digits=digits)], "latex", setting)

    @checked
    def to_html(self, *, digits: int | None = None, short: bool = False) -> str:
        """The table as plain HTML; ``short``: without the middle of many rows."""
        limit = tables.HTML_LIMIT if short else None
        return writers.written([self.shown(limit=limit, digits=digits)], "html")

    def to_arrow(self) -> pa.Table:
        """An Arrow table: text, int64 and float64; raises ``ImportError`` without pyarrow."""
        return arrow_table(self._columns)

    def to_polars(self) -> pl.DataFrame:
        """The same as a polars frame; raises ``ImportError`` without polars."""
        return polars_frame(self._columns)

    def to_pandas(self) -> pd.DataFrame:
        """The same as a pandas frame; raises ``ImportError`` without pandas.

        A column of counts in which one is undefined is float64.
        """
        return pandas_frame(self._columns)

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """The table as an Arrow stream; raises ``ImportError`` without pyarrow."""
        stream: object = self.to_arrow().__arrow_c_stream__(requested_schema)
        return stream

    def __repr__(self) -> str:
        return "\n".join(tables.aligned(self.shown(limit=tables.TEXT_LIMIT)))

    def _repr_html_(self) -> str:
        return writers.notebook(self.to_html(short=True))

    @checked
    def shown(
        self,
        names: Sequence[str] | None = None,
        headers: Mapping[str, str] | None = None,
        *,
        limit: int | None = None,
        digits: int | None = None,
    ) -> Texts:
        """The table as printed: some of its columns, also under other headers.

        Texts to the left, numbers to the right of them; topics are in natural order. For
        internal use only.
        """
        tables.check_digits(digits)
        find, known = finder("column", self.columns), list(self._columns.items())
        chosen = dict(known[find(name)] for name in names or self._columns)
        is_topics = self._key == "topic"
        order = topic_places(self.labels) if is_topics else range(len(self))
        keys: list[Column] = []
        columns: list[Column] = []
        numbers: list[list[Any]] = []
        for name, (kind, values) in chosen.items():
            ordered = [values[place] for place in order]
            column = (headers or {}).get(name, name), _texts_of(kind, ordered, digits), False
            if kind in (TEXT, FLAG):
                keys.append(column)
            else:
                columns.append(column)
                numbers.append(ordered)
        labels = list(zip(*[texts for _, texts, _ in keys], strict=True)) or [()] * len(self)
        found = Texts.of([name for name, _, _ in keys], labels, columns)
        found.labels, found.limit = 1, limit
        found.values = dict(enumerate(numbers, len(keys)))
        return found

    def in_order(self, digits: int | None = None) -> Texts:
        """The same with columns and rows as they are; those of texts that come first are keys.

        For internal use only.
        """
        kinds = [kind for kind, _ in self._columns.values()]
        left = next((place for place, kind in enumerate(kinds) if kind != TEXT), len(kinds))
        found = Texts(self.columns[:left], self.columns[left:])
        columns = [_texts_of(kind, values, digits) for kind, values in self._columns.values()]
        found.cells = list(zip(*columns, strict=True))
        for place, (kind, values) in enumerate(self._columns.values()):
            if kind != TEXT and any(value is not None for value in values):
                found.values[place] = values
        return found


def _sized(value: float | None, digits: int) -> str:
    """A number as printed: a count, a float with decimals, or one with an exponent."""
    if not isinstance(value, float):
        return UNDEFINED if value is None else str(value)
    return f"{value:.1e}" if 0 < abs(value) < 10**-digits / 2 else f"{value:.{digits}f}"


def _texts_of(kind: str, values: Sequence[Any], digits: int | None) -> list[str]:
    """The values of a column as printed."""
    if kind in (TEXT, FLAG):
        return [UNDEFINED if value is None else _FLAGS.get(value, str(value)) for value in values]
    if kind == NUMBER:
        return [_sized(value, DIGITS if digits is None else digits) for value in values]
    known = [math.nan if value is None else float(value) for value in values]
    if kind == PVALUE:
        return list(map(pvalue, known))
    digits = _DECIMALS[kind] if digits is None or kind == COUNT else digits
    return numbers(known, count=kind == SUM, digits=digits)


def _fields(kind: str, values: Sequence[Any], delimiter: str) -> Sequence[str]:
    """The values of a column as CSV has them: every digit, nothing for what is undefined."""
    if kind in (TEXT, COUNT, FLAG, NUMBER):
        words = _FLAGS if kind == FLAG else {}
        texts = ("" if value is None else words.get(value, str(value)) for value in values)
        return [csv_field(text, delimiter) for text in texts]
    known = [math.nan if value is None else value for value in values]
    return number_texts(known, range(len(known)) if kind == SUM else (), "")


def separated(table: DataTable, delimiter: str) -> str:
    """A table as lines of fields with every digit; nothing for what is undefined."""
    fields = [_fields(kind, values, delimiter) for kind, values in table._columns.values()]
    lines = map(delimiter.join, zip(*fields, strict=True))
    return csv_line(table.columns, delimiter) + "".join([f"{line}\n" for line in lines])


def in_bytes(table: DataTable, form: str, metadata: Mapping[str, str] | None = None) -> bytes:
    """A table as CSV, TSV or Parquet, in which undefined numbers are NaN."""
    if form != "parquet":
        return writers.encoded(separated(table, writers.DELIMITERS[form]))
    arrow = optional("pyarrow", "parquet", extra="arrow")
    writer = optional("pyarrow.parquet", "parquet", extra="arrow")
    sink = arrow.BufferOutputStream()
    content = arrow_table(table._columns, keep_nan=True).replace_schema_metadata(metadata)
    writer.write_table(content, sink)
    data: bytes = sink.getvalue().to_pybytes()
    return data


def arrow_table(columns: Mapping[str, tuple[str, Any]], *, keep_nan: bool = False) -> pa.Table:
    """Columns as an Arrow table; NaN is null unless it is kept."""
    arrow = optional("pyarrow", "to_arrow", extra="arrow")
    types = {TEXT: arrow.string(), COUNT: arrow.int64(), FLAG: arrow.bool_()}

    def array(kind: str, values: Any) -> Any:
        if kind == LABEL:
            places, labels = values
            names = arrow.array(labels, arrow.string())
            return arrow.DictionaryArray.from_arrays(places, names)
        return arrow.array(values, types.get(kind, arrow.float64()), from_pandas=not keep_nan)

    table: pa.Table = arrow.table({name: array(*data) for name, data in columns.items()})
    return table


def polars_frame(columns: Mapping[str, tuple[str, Any]]) -> pl.DataFrame:
    """Columns as a polars frame; NaN is null."""
    polars = optional("polars", "to_polars")
    types = {TEXT: polars.String, COUNT: polars.Int64, FLAG: polars.Boolean}

    def series(kind: str, values: Any) -> Any:
        if kind == LABEL:
            places, labels = values
            return polars.Series(labels, dtype=polars.Categorical).gather(places)
        found = polars.Series(values, dtype=types.get(kind, polars.Float64))
        return found if kind in types else found.fill_nan(None)

    frame: pl.DataFrame = polars.DataFrame({name: series(*data) for name, data in columns.items()})
    return frame


def pandas_frame(columns: Mapping[str, tuple[str, Any]]) -> pd.DataFrame:
    """Columns as a pandas frame."""
    pandas = optional("pandas", "to_pandas")

    def dtype(kind: str, values: Sequence[Value]) -> str:
        if kind == TEXT:
            return "object"
        if kind == FLAG:
            return "boolean" if None in values else "bool"
        return "float64" if kind != COUNT or None in values else "int64"

    def series(kind: str, values: Any) -> Any:
        if kind == LABEL:
            places, labels = values
            return pandas.Categorical.from_codes(places, list(labels))
        return pandas.Series(values, dtype=dtype(kind, values))

    frame: pd.DataFrame = pandas.DataFrame({name: series(*data) for name, data in columns.items()})
    return frame


def stacked(key: str, parts: Mapping[str, DataTable]) -> DataTable:
    """The rows of several tables, with the name of each in a column ``key`` before them.

    The columns are those of the last; a table that lacks one has nothing there.
    """
    last = list(parts.values())[-1]
    columns: dict[str, Data] = {
        key: (TEXT, [name for name, part in parts.items() for _ in range(len(part))])
    }
    for name, (kind, _) in last._columns.items():
        values: list[Value] = []
        for part in parts.values():
            values += part._columns.get(name, (kind, [None] * len(part)))[1]
        columns[name] = kind, values
    return DataTable(columns)


def after(name: str, kind: str, value: Value, table: DataTable) -> DataTable:
    """A table after a column with one value."""
    return DataTable({name: (kind, [value] * len(table)), **table._columns})


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
