"""A matrix of a coefficient for all pairs of measures."""

from __future__ import annotations

from cranfield import _core
from cranfield.errors import failure, optional
from cranfield.options import checked
from cranfield.results import tables
from cranfield.results.direction import sign
from cranfield.results.kind import is_scores
from cranfield.results.labels import finder, two
from cranfield.results.style import notebook
from cranfield.stats.correlation import _numbers

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any, Literal

    import numpy as np
    import pandas as pd
    import polars as pl
    import pyarrow as pa
    from numpy.typing import ArrayLike, NDArray

    from cranfield.results.scores import Scores


class CorrelationMatrix:
    """A coefficient for all pairs of measures; made by ``correlation_matrix``."""

    __slots__ = ("labels", "method", "values")

    def __init__(self, labels: tuple[str, ...], values: NDArray[np.float64], method: str) -> None:
        self.labels = labels
        """The names of the rows, which are those of the columns."""
        self.values = values
        """The coefficients: float64, read-only, shape (labels, labels)."""
        self.method = method
        """Which coefficient."""

    __iter__ = None

    def __getitem__(self, key: tuple[str, str]) -> float:
        """The coefficient of a row and a column, by their labels.

        Raises ``LabelError`` for a label that is not there.
        """
        row, column = map(finder("measure", self.labels), two(key, "two labels"))
        return float(self.values[row, column])

    def to_dict(self) -> dict[str, dict[str, float]]:
        """The matrix as {row: {column: coefficient}}."""
        rows = zip(self.labels, self.values.tolist(), strict=True)
        return {label: dict(zip(self.labels, row, strict=True)) for label, row in rows}

    def to_arrow(self) -> pa.Table:
        """An Arrow table: the text column "measure" and a float64 column for each label.

        What is undefined is null.
        """
        arrow = optional("pyarrow", "to_arrow", extra="arrow")
        columns = {"measure": arrow.array(self.labels, arrow.string())}
        for label, column in self._columns():
            columns[label] = arrow.array(column, from_pandas=True)
        table: pa.Table = arrow.table(columns)
        return table

    def to_polars(self) -> pl.DataFrame:
        """A polars frame, as ``to_arrow``."""
        polars = optional("polars", "to_polars")
        columns = [polars.Series("measure", self.labels, dtype=polars.String)]
        for label, column in self._columns():
            columns.append(polars.Series(label, column).fill_nan(None))
        frame: pl.DataFrame = polars.DataFrame(columns)
        return frame

    def to_pandas(self) -> pd.DataFrame:
        """A pandas frame whose index and columns are the labels."""
        pandas = optional("pandas", "to_pandas")
        frame: pd.DataFrame = pandas.DataFrame(
            self.values.copy(), index=list(self.labels), columns=list(self.labels)
        )
        return frame

    def _columns(self) -> Iterable[tuple[str, NDArray[np.float64]]]:
        return zip(self.labels, (column.copy() for column in self.values.T), strict=True)

    def _table(self) -> tables.Table:
        table = tables.Table(("measure",), self.labels, ())
        for label, row in zip(self.labels, self.values.tolist(), strict=True):
            table.add((label,), row)
        return table

    def __repr__(self) -> str:
        head = f"<CorrelationMatrix: {self.method}; {tables.counted(len(self.labels), 'measure')}>"
        return "\n".join([head, *tables.aligned(self._table())])

    def _repr_html_(self) -> str:
        return notebook(tables.html(self._table()))


@checked
def correlation_matrix(
    scores: Scores | ArrayLike,
    *,
    method: Literal[
        "kendall", "tau_ap", "spearman", "pearson", "rms_error", "max_drop"
    ] = "kendall",
    labels: Iterable[str] | None = None,
    variant: Literal["b", "a"] = "b",
    ties: Literal["average", "a", "b"] = "average",
    tolerance: float = 1e-12,
) -> CorrelationMatrix:
    """How similarly measures rank the same systems: a coefficient for each pair.

    For ``Scores`` it uses the runs' summaries (means; sums of counts; the
    geometric mean of GMAP), and the measures are the labels. Otherwise it
    uses real numbers of shape (items, measures): an array, or a data frame
    whose columns are the labels. ``labels`` renames them. Runs of ``Scores``
    are ranked from the best to the worst, so a measure that is better when it
    is lower agrees with one that is better when it is higher; numbers are taken
    as better when they are higher. For "rms_error", which is about values,
    no sign is flipped.

    ``method`` is one of the functions of ``cranfield.stats``; ``variant`` is
    that of "kendall", ``ties`` that of "tau_ap". For "tau_ap" the row is the
    estimate and the column the truth, for "max_drop" the row is before and
    the column after. ``tolerance`` is as for ``kendall``, but 1e-12 by
    default, since means that should be equal differ in their last bits.

    A coefficient that is undefined is NaN: a measure that gives all runs the
    same score correlates with nothing, itself included.

    Raises ``Error`` of kind "undefined" for fewer than two items, "number"
    for NaN and infinities, "type" for what is not a table of numbers, "label"
    for labels that are too few, too many or not distinct, "option" for an
    invalid option.
    """
    if is_scores(scores):
        columns = scores.summary()
        names = scores.measures
        _all_defined(scores, columns)
        if method != "rms_error":
            columns = columns * [sign(measure) for measure in scores.core.measures]
    else:
        columns = _numbers(scores, dimensions=2)
        frame_names: Any = getattr(scores, "columns", range(columns.shape[1]))
        names = tuple(map(str, frame_names))
    if labels is not None:
        names = tuple(map(str, labels))
    if len(names) != columns.shape[1] or len(set(names)) != len(names):
        message = f"{columns.shape[1]} distinct labels are needed, one for each column"
        raise failure("label", message)
    values = _core.correlation_matrix(
        columns, method=method, variant=variant, ties=ties, tolerance=tolerance
    )
    values.flags.writeable = False
    return CorrelationMatrix(names, values, method)


def _all_defined(scores: Scores, columns: NDArray[np.float64]) -> None:
    """Raises for a run without a value in a measure."""
    import numpy as np

    missing = np.argwhere(np.isnan(columns))
    if len(missing):
        run, measure = missing[0]
        message = f"{scores.runs[run]} has no {scores.measures[measure]} on any topic"
        raise failure("number", message)
