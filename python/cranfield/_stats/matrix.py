"""A matrix of a coefficient for all pairs of measures."""

from __future__ import annotations

from cranfield import _core
from cranfield._base.errors import failure, optional
from cranfield._base.options import checked, finder, two
from cranfield._base.scores_like import is_scores, sign
from cranfield._base.text import counted
from cranfield._stats.correlation import _numbers
from cranfield._table.data_table import SHARE, TEXT, DataTable, defined
from cranfield._table.result import Result

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any, Literal

    import numpy as np
    import pandas as pd
    from numpy.typing import ArrayLike, NDArray

    from cranfield._base.scores_like import ScoresKind


class CorrelationMatrix(Result):
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

    def to_pandas(self) -> pd.DataFrame:
        """A pandas frame whose index and columns are the labels."""
        pandas = optional("pandas", "to_pandas")
        frame: pd.DataFrame = pandas.DataFrame(
            self.values.copy(), index=list(self.labels), columns=list(self.labels)
        )
        return frame

    def table(self) -> DataTable:
        """A row and a column for each label."""
        columns = zip(self.labels, self.values.T.tolist(), strict=True)
        values = {label: (SHARE, list(map(defined, column))) for label, column in columns}
        return DataTable({"measure": (TEXT, self.labels), **values})

    def headline(self) -> str:
        """The coefficient, and of how many measures."""
        return f"<CorrelationMatrix: {self.method}; {counted(len(self.labels), 'measure')}>"


@checked
def correlation_matrix(
    scores: ScoresKind | ArrayLike,
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


def _all_defined(scores: ScoresKind, columns: NDArray[np.float64]) -> None:
    """Raises for a run without a value in a measure."""
    import numpy as np

    missing = np.argwhere(np.isnan(columns))
    if len(missing):
        run, measure = missing[0]
        message = f"{scores.runs[run]} has no {scores.measures[measure]} on any topic"
        raise failure("number", message)
