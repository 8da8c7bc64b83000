"""Common base of scores, bounds and groups of scores: their tables in every form."""

from __future__ import annotations

from cranfield._base.options import checked
from cranfield._base.scores_like import VALUE
from cranfield._base.text import DIGITS
from cranfield._table.result import Result, for_people

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    import pandas as pd
    import polars as pl
    import pyarrow as pa

    from cranfield._base.scores_like import ScoresKind
    from cranfield._scores.formats import Block
    from cranfield._table.data_table import DataTable
    from cranfield._table.tables import Part


class Summaries(Result):
    """The base of results whose table has the summaries of runs, of which the best are marked."""

    __slots__ = ()

    _is_headed = False

    def headline(self) -> str:
        """How many labels the axes have, and what the cells are."""
        return self._head([])

    def _head(self, parts: Sequence[Part]) -> str:
        from cranfield._table.tables import BEST_SIGN, Texts

        is_marked = any(isinstance(part, Texts) and part.marked for part in parts)
        sign = f", {BEST_SIGN} best" if is_marked else ""
        return f"<{type(self).__name__}: {self._about()}{sign}:>"

    def _about(self) -> str:
        """How many labels the axes have, and what the cells are."""
        raise NotImplementedError


class ScoreTables(Summaries):
    """The base of results that are scores of one collection."""

    __slots__ = ()

    _label = "tab:scores"
    """The label of the table in LaTeX."""

    def _blocks(self, **asked: Any) -> list[Block]:
        """The scores as tables have them; ``asked`` are the options ``ci`` and ``tiers``."""
        raise NotImplementedError

    def _shown(
        self,
        form: str,
        digits: int | None,
        *,
        per_topic: bool = False,
        ci: bool = False,
        tiers: bool = False,
    ) -> list[Part]:
        from cranfield._scores import formats

        blocks = self._blocks(ci={} if ci else None, tiers={} if tiers else None)
        return formats.shown(blocks, form, per_topic=per_topic, digits=digits)

    @checked
    def to_markdown(
        self,
        *,
        per_topic: bool = False,
        ci: bool = False,
        tiers: bool = False,
        digits: int = DIGITS,
    ) -> str:
        """The table of summaries in Markdown, as ``cranfield eval`` writes it.

        The best value of each measure is bold and, of three or more, the second
        best in italics.

        Parameters
        ----------
        per_topic
            A row for each topic, too.
        ci
            With the 95% interval of each mean, as ``interval`` has it.
        tiers
            With the tiers of each measure, and above each value the runs that
            are significantly worse. A group that has too few topics for a test has none.
        digits
            How many decimals.

        Raises
        ------
        Error
            Kind "option" for digits below 0 or above 17; with tiers as
            ``tiers``.

        """
        return for_people(self, "markdown", digits, per_topic=per_topic, ci=ci, tiers=tiers)

    @checked
    def to_latex(
        self,
        *,
        per_topic: bool = False,
        ci: bool = False,
        tiers: bool = False,
        digits: int = DIGITS,
        caption: str | None = None,
        label: str | None = None,
    ) -> str:
        """The same as a table in LaTeX that floats; it needs the package booktabs.

        ``caption`` is text, in which special characters are escaped; not
        given, it says what the table shows. ``label`` is ``tab:scores`` if it is not
        given, that of groups ``tab:groups``. The second best is underlined.
        """
        from cranfield._table.tables import Setting

        setting = Setting(caption=caption, label=self._label if label is None else label)
        return for_people(self, "latex", digits, setting, per_topic=per_topic, ci=ci, tiers=tiers)

    @checked
    def to_html(
        self,
        *,
        per_topic: bool = False,
        ci: bool = False,
        tiers: bool = False,
        digits: int = DIGITS,
    ) -> str:
        """The same as plain HTML."""
        return for_people(self, "html", digits, per_topic=per_topic, ci=ci, tiers=tiers)


class ScoreResult(ScoreTables):
    """The base of scores and bounds: the machine-readable forms of their parts."""

    __slots__ = ()

    _cells: str
    """What the cells of the table are."""

    def _parts(self) -> Mapping[str, ScoresKind]:
        """The scores by name, "value" first."""
        raise NotImplementedError

    @checked
    def to_arrow(self, *, wide: bool = False, summary: bool = False) -> pa.Table:
        """An Arrow table.

        Long: run, topic, measure (dictionary-encoded text), value (float64); of bounds
        also low and high. ``wide``: run, topic and a column of float64 for each measure; of
        bounds three: "AP", "AP low", "AP high". ``summary``: without topics, what
        ``summary`` returns. What is undefined is null. Raises ``ImportError`` without pyarrow.
        """
        from cranfield._scores.formats import arrow_table

        return arrow_table(self._parts(), wide=wide, summary=summary)

    @checked
    def to_polars(self, *, wide: bool = False, summary: bool = False) -> pl.DataFrame:
        """The same as a polars frame; raises ``ImportError`` without polars."""
        from cranfield._scores.formats import frame
        from cranfield._table.data_table import polars_frame

        return polars_frame(frame(self._parts(), wide=wide, summary=summary))

    @checked
    def to_pandas(
        self, *, wide: bool = False, summary: bool = False, index: bool = False
    ) -> pd.DataFrame:
        """The same as a pandas frame, with NaN for what is undefined.

        ``index``: run, topic and measure are the index, by these names, instead of columns:
        ``to_pandas(wide=True, summary=True, index=True).loc["bm25", "AP"]`` is a number.
        Raises ``ImportError`` without pandas.
        """
        from cranfield._scores.formats import frame
        from cranfield._table.data_table import LABEL, pandas_frame

        columns = frame(self._parts(), wide=wide, summary=summary)
        labels = [name for name, (kind, _) in columns.items() if kind == LABEL]
        found = pandas_frame(columns)
        return found.set_index(labels) if index else found

    def table(self) -> DataTable:
        """The summaries: a row for each run, a column for each measure; of bounds three."""
        from cranfield._scores.formats import summary_table

        return summary_table(self._parts())

    @checked
    def to_csv(self, *, per_topic: bool = False) -> str:
        """Lines of CSV with every digit, as ``cranfield eval --format csv`` writes them."""
        return self._written("csv", per_topic)

    @checked
    def to_json(self, *, per_topic: bool = False) -> str:
        """One JSON object, as ``cranfield eval --format json`` writes it."""
        return self._written("json", per_topic)

    def _written(self, form: str, per_topic: bool) -> str:
        from cranfield._scores.formats import written

        data = written(self._blocks(), form, per_topic=per_topic)
        return data.decode("utf-8", "surrogateescape")

    def _blocks(self, **asked: Any) -> list[Block]:
        from cranfield._scores.formats import block_of

        return [block_of(self._parts(), **asked)]

    def _about(self) -> str:
        from cranfield._scores.formats import shape

        return f"{shape(self._parts()[VALUE])}; {self._cells}"
