"""What every result does: its machine-readable columns, and its printed tables, in every form."""

from __future__ import annotations

from cranfield._base.options import checked
from cranfield._base.text import DIGITS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    import pandas as pd
    import polars as pl
    import pyarrow as pa

    from cranfield._table.data_table import Data, DataTable
    from cranfield._table.tables import Part, Setting


class Result:
    """The base of results: all forms follow from two methods.

    ``table`` has the machine-readable columns. ``_shown`` returns what is printed: tables and
    sentences, which ``cranfield._table.writers`` writes in each form.
    """

    __slots__ = ()

    _is_headed = True
    """Whether notebooks show the headline."""

    def table(self) -> DataTable:
        """The result as a table: a row for each thing that it is about.

        Of a dataclass these are its fields: those with a value for each of several things, or
        else one row of all numbers and texts.
        """
        from dataclasses import fields

        from cranfield._table.data_table import TEXT, DataTable

        names = [field.name for field in fields(self) if field.name[0] != "_"]  # type: ignore[arg-type]
        values = {name: getattr(self, name) for name in names}
        several = {name: list(column) for name, column in values.items() if _is_column(column)}
        if not several:
            single = {n: [v] for n, v in values.items() if isinstance(v, (str, int, float))}
            return DataTable({"result": (TEXT, [type(self).__name__]), **with_kinds(single)})
        rows = len(next(iter(several.values())))
        return DataTable(
            with_kinds({n: column for n, column in several.items() if len(column) == rows})
        )

    def headline(self) -> str:
        """What stands above the table."""
        return f"<{type(self).__name__}>"

    def footnotes(self) -> list[str]:
        """Sentences below the table."""
        return []

    def columns(self) -> dict[str, list[Any]]:
        """The columns of the table as {name: values}; what is undefined is None."""
        return self.table().to_columns()

    def to_arrow(self) -> pa.Table:
        """An Arrow table; raises ``ImportError`` without pyarrow."""
        return self.table().to_arrow()

    def to_polars(self) -> pl.DataFrame:
        """A polars frame; raises ``ImportError`` without polars."""
        return self.table().to_polars()

    def to_pandas(self) -> pd.DataFrame:
        """A pandas frame; raises ``ImportError`` without pandas."""
        return self.table().to_pandas()

    def to_csv(self) -> str:
        """Lines of CSV with every digit; nothing for what is undefined."""
        return self.table().to_csv()

    def to_json(self) -> str:
        """A JSON array with an object for each row; null for what is undefined or infinite."""
        return self.table().to_json()

    @checked
    def to_markdown(self, *, digits: int = DIGITS) -> str:
        """The table in Markdown."""
        return for_people(self, "markdown", digits)

    @checked
    def to_latex(self, *, digits: int = DIGITS, caption: str | None = None, label: str = "") -> str:
        """The table in LaTeX (booktabs); with a caption it floats."""
        from cranfield._table.tables import Setting

        return for_people(self, "latex", digits, Setting(caption=caption, label=label))

    @checked
    def to_html(self, *, digits: int = DIGITS) -> str:
        """The table as plain HTML."""
        return for_people(self, "html", digits)

    def _shown(self, form: str, digits: int | None) -> list[Part]:
        """What is printed in a format, "repr" for that of an object.

        Other options of ``to_markdown`` and its like are those that a result takes here.
        """
        return [self.table().shown(digits=digits)]

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """The table as an Arrow stream; raises ``ImportError`` without pyarrow."""
        return self.table().__arrow_c_stream__(requested_schema)

    def _limited(self, form: str, limit: int) -> list[Part]:
        """What is printed, without the middle of many rows."""
        from cranfield._table.tables import Texts

        parts = self._shown(form, None)
        for part in parts:
            if isinstance(part, Texts):
                part.limit = limit
        return parts

    def _head(self, parts: Sequence[Part]) -> str:
        """The line above parts."""
        return self.headline()

    def __repr__(self) -> str:
        from cranfield._table.tables import TEXT_LIMIT, Setting
        from cranfield._table.writers import as_text

        parts = self._limited("repr", TEXT_LIMIT)
        text = as_text(parts, Setting(signed=True)).removesuffix("\n")
        return "\n".join([self._head(parts), text, *self.footnotes()])

    def _repr_html_(self) -> str:
        from cranfield._table.tables import HTML_LIMIT, Setting
        from cranfield._table.writers import as_html, notebook

        head = [self.headline()] if self._is_headed else []
        below = [f"{line}." for line in self.footnotes()]
        return notebook(as_html([*head, *self._limited("html", HTML_LIMIT), *below], Setting()))


def for_people(
    found: Result, form: str, digits: int | None, setting: Setting | None = None, **options: Any
) -> str:
    """What is printed of a result in a format; ``options`` as its ``_shown`` takes them."""
    from cranfield._table import writers
    from cranfield._table.tables import check_digits

    check_digits(digits)
    return writers.written(found._shown(form, digits, **options), form, setting)


_SINGULAR = {"runs": "run", "topics": "topic", "measures": "measure"}
"""What one label of an axis is called."""


def _is_column(value: object) -> bool:
    """Whether a field has a value for each of several things."""
    if isinstance(value, tuple):
        return all(isinstance(item, (str, int, float)) or item is None for item in value)
    return getattr(value, "ndim", None) == 1


def with_kinds(columns: dict[str, list[Any]]) -> dict[str, Data]:
    """Columns with the kind that their values have."""
    from cranfield._table.data_table import COUNT, PVALUE, SHARE, TEXT, defined

    def described() -> Iterator[tuple[str, Data]]:
        for name, values in columns.items():
            plain = [value.item() if hasattr(value, "item") else value for value in values]
            if all(isinstance(value, float) for value in plain):
                kind = PVALUE if name in ("p", "pvalue") else SHARE
                yield name, (kind, list(map(defined, plain)))
            elif all(isinstance(value, int) and not isinstance(value, bool) for value in plain):
                yield name, (COUNT, plain)
            else:
                texts = [None if value is None else str(value) for value in plain]
                yield _SINGULAR.get(name, name), (TEXT, texts)

    return dict(described())
