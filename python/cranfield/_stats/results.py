"""What tests of pairs return: arrays over pairs, with labels."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Self

from cranfield import _core
from cranfield._base.errors import failure
from cranfield._base.options import an_array, checked
from cranfield._base.text import counted
from cranfield._stats.intervals import RESAMPLES, Interval, correct, interval
from cranfield._stats.score_matrix import ScoreMatrix
from cranfield._table.data_table import COUNT, PVALUE, SHARE, TEXT, DataTable
from cranfield._table.result import Result

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False)
class PairedTest(Result):
    """A test of pairs of runs; immutable. Arrays have one entry per pair."""

    test: str
    """The test's name."""
    pairs: NDArray[np.int64]
    """Indices into ``runs``: int64, shape (pairs, 2)."""
    difference: Floats
    """Mean score of the first run minus that of the second: float64, shape (pairs,)."""
    statistic: Floats
    """The test statistic: float64, shape (pairs,)."""
    pvalue: Floats
    """P-values, corrected if ``correction`` says so: float64, shape (pairs,)."""
    n: NDArray[np.int64]
    """The number of topics used: int64, shape (pairs,)."""
    alternative: str
    """"two-sided", "less" or "greater"."""
    correction: str | None = None
    """How the p-values were corrected for the number of pairs."""
    resamples: int | None = None
    """The number of replicates behind the p-values; None if they are not from replicates."""
    seed: int = 0
    """The seed of the replicates."""
    _table: ScoreMatrix = field(kw_only=True)
    _threads: int | None = field(kw_only=True, default=None)
    _parity: int = field(kw_only=True, default=0)
    """What the statistic becomes when a pair is reversed: itself (1), its
    negative (-1), something else (0)."""

    def __post_init__(self) -> None:
        for array in (self.pairs, self.difference, self.statistic, self.pvalue, self.n):
            an_array(array, "a column").flags.writeable = False

    @property
    def runs(self) -> tuple[str, ...]:
        """The names of the runs, which ``pairs`` indexes."""
        return self._table.runs

    @property
    def measure(self) -> str | None:
        """The measure; None if the scores were given as an array."""
        return self._table.measure

    @checked
    def corrected(self, method: str = "holm") -> Self:
        """The same with p-values corrected for the number of pairs.

        ``method`` as for ``correct``. Raises ``Error`` (kind "option") if they
        are corrected already.
        """
        if self.correction is not None:
            raise failure("option", f"the p-values are corrected already: {self.correction}")
        return replace(self, pvalue=correct(self.pvalue, method), correction=method)

    @checked
    def significant(self, alpha: float = 0.05) -> NDArray[np.bool_]:
        """Where the p-value is below alpha: bool, shape (pairs,)."""
        return self.pvalue < alpha

    @checked
    def discriminative_power(self, alpha: float = 0.05) -> float:
        """The share of pairs whose p-value is below alpha."""
        return float(self.significant(alpha).mean())

    @checked
    def confidence_interval(
        self,
        level: float = 0.95,
        method: str = "t",
        *,
        resamples: int = RESAMPLES,
        seed: int | None = None,
    ) -> Interval:
        """Intervals of the mean differences, each at the level by itself.

        ``method`` is "t" (Student), or "percentile" or "bca" (Efron 1987) from
        ``resamples`` samples of topics, the same for all pairs; ``seed`` is the
        test's unless given. The interval of a one-sided test is one-sided.
        Raises ``Error`` for another method or a level that is not between 0
        and 1 (kind "option"), and for a pair with one topic ("undefined").
        """
        if (self._topics() < 2).any():
            raise failure("undefined", "an interval needs at least 2 topics")
        return interval(
            self._table,
            self.pairs,
            level=level,
            method=method,
            resamples=resamples,
            seed=self.seed if seed is None else seed,
            threads=self._threads,
            alternative=self.alternative,
        )

    @checked
    def effect_size(self, kind: str = "dz") -> Floats:
        """The mean differences in units of a standard deviation: float64, (pairs,).

        ``kind`` says which one: "dz" that of the pair's differences; "residual"
        that of the residuals of a two-way analysis of variance of all runs
        (Sakai 2014), over topics that all runs have; "pooled" the root mean
        square of the two runs' (Cohen's d); "glass" the second run's, as the
        baseline is. 0/0 is NaN and any other x/0 infinite. Raises ``Error``
        for another kind (kind "option"), and where there are fewer than two
        topics ("undefined").
        """
        import numpy as np

        deviation: Any
        if (self._topics() < 2).any():
            raise failure("undefined", "an effect size needs at least 2 topics")
        if kind == "dz":
            deviation = _core.paired_moments(self._table.values, self.pairs)[2]
        elif kind == "residual":
            whole = self._table.complete(2, "an analysis of variance").values
            deviation = np.sqrt(_core.residual_variance(whole))
        elif kind in ("pooled", "glass"):
            first, second = (self._deviations(side) for side in (0, 1))
            deviation = second if kind == "glass" else np.sqrt((first**2 + second**2) / 2)
        else:
            known = '"dz", "residual", "pooled" or "glass"'
            raise failure("option", f"expected {known} as kind, found {kind!r}")
        identical = _core.paired_moments(self._table.values, self.pairs)[3]
        difference = np.where(identical, 0.0, self.difference)
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(difference / deviation, dtype=np.float64)

    @checked
    def matrix(self, field: str = "pvalue") -> Floats:
        """A field as float64, shape (runs, runs), NaN where there is no pair.

        Fields are "pvalue", "statistic", "difference" and "n". The cell (i, j)
        is for run i against run j. If it cannot be derived from the reversed pair,
        as with a one-sided p-value, it is NaN.
        """
        import numpy as np

        parities = {
            "pvalue": int(self.alternative == "two-sided"),
            "statistic": self._parity,
            "difference": -1,
            "n": 1,
        }
        if field not in parities:
            known = ", ".join(f'"{name}"' for name in parities)
            raise failure("option", f"expected one of {known} as field, found {field!r}")
        several = len(self.runs)
        cells = np.full((several, several), np.nan)
        first, second = self.pairs.T
        values = getattr(self, field)
        cells[first, second] = values
        if parities[field]:
            cells[second, first] = parities[field] * values
        return cells

    def to_dict(self) -> dict[str, list[Any]]:
        """The columns run, other, n, difference, statistic and pvalue as lists."""
        return self.columns()

    def table(self) -> DataTable:
        """A row for each pair."""
        first, second = ([self.runs[place] for place in side] for side in self.pairs.T)
        return DataTable(
            {
                "run": (TEXT, first),
                "other": (TEXT, second),
                "n": (COUNT, self.n.tolist()),
                "difference": (SHARE, self.difference.tolist()),
                "statistic": (SHARE, self.statistic.tolist()),
                "pvalue": (PVALUE, self.pvalue.tolist()),
            }
        )

    def _topics(self) -> NDArray[np.int64]:
        """The number of topics that both runs of a pair have, whatever the test uses."""
        return _core.paired_moments(self._table.values, self.pairs)[0]

    def _deviations(self, side: int) -> Floats:
        """The deviation of one run of each pair over the topics of the pair."""
        import numpy as np

        first, second = (self._table.values[self.pairs[:, k]] for k in (side, 1 - side))
        both = np.where(np.isnan(second), np.nan, first)
        deviation: Floats = np.nanstd(both, axis=1, ddof=1)
        # Rounding errors alone are not a deviation.
        size = np.nanmax(np.abs(both), axis=1)
        spread = np.nanmax(both, axis=1) - np.nanmin(both, axis=1)
        return np.where(spread <= 1e-12 * size, 0.0, deviation)

    def __len__(self) -> int:
        """How many pairs."""
        return len(self.pairs)

    def headline(self) -> str:
        """The test, and how it was done."""
        parts = [f"{self.test}: {counted(len(self), 'pair')}"]
        if self.measure is not None:
            parts.append(self.measure)
        if self.alternative != "two-sided":
            parts.append(f'alternative "{self.alternative}"')
        if self.resamples is not None:
            parts.append(f"{self.resamples} resamples, seed {self.seed}")
        if self.correction is not None:
            parts.append(f"p-values corrected ({self.correction})")
        return f"<{', '.join(parts)}>"


@dataclass(frozen=True, eq=False, repr=False)
class BootstrapTest(PairedTest):
    """Sakai's paired bootstrap test: the p-values are achieved significance levels."""

    @checked
    def required_differences(self, alpha: float = 0.05) -> Floats:
        """Each pair's mean difference at the threshold of significance: (pairs,).

        The absolute mean of the replicate whose absolute t is at rank
        alpha * resamples from the largest. NaN for identical runs.
        """
        if not 0 < alpha <= 1:
            raise failure("option", f"expected an alpha from 0 to 1, found {alpha!r}")
        return _core.required_differences(
            self._table.values,
            self.pairs,
            level=alpha,
            resamples=self.resamples or 1,
            seed=self.seed,
            threads=self._threads,
        )

    @checked
    def required_difference(self, alpha: float = 0.05) -> float:
        """Sakai's estimate of the difference needed for significance.

        The largest of ``required_differences`` over all pairs (Sakai 2006);
        NaN if all runs are identical.
        """
        import numpy as np

        each = self.required_differences(alpha)
        each = each[~np.isnan(each)]
        return float(each.max()) if len(each) else float("nan")


@dataclass(frozen=True, eq=False, repr=False)
class TukeyTest(PairedTest):
    """Tukey's HSD; its p-values hold for all pairs of all runs at once."""

    method: str = "parametric"
    """"parametric" or "randomized"."""

    @checked
    def required_difference(self, alpha: float = 0.05, which: str = "smallest") -> float:
        """The difference in means needed for significance.

        Parametric: the critical one, q * sqrt(V_E / n). Randomized: the
        ``which`` ("smallest" or "largest") of the observed differences that
        are significant; NaN if none is.
        """
        import numpy as np

        if which not in ("smallest", "largest"):
            raise failure("option", f'expected "smallest" or "largest" as which, found {which!r}')
        if self.method == "parametric":
            return self._critical(alpha)
        found = np.abs(self.difference[self.significant(alpha)])
        if not len(found):
            return float("nan")
        return float(found.min() if which == "smallest" else found.max())

    @checked
    def confidence_interval(
        self,
        level: float = 0.95,
        method: str | None = None,
        *,
        resamples: int = RESAMPLES,
        seed: int | None = None,
    ) -> Interval:
        """Intervals of the mean differences.

        ``method="tukey"``, the default of the parametric test and only valid for it,
        gives simultaneous intervals, which all hold at once with the confidence
        ``level``. Otherwise as for any other test.
        """
        if method is None:
            method = "tukey" if self.method == "parametric" else "t"
        if method != "tukey":
            return super().confidence_interval(level, method, resamples=resamples, seed=seed)
        if self.method != "parametric":
            raise failure("option", 'method="tukey" is for the parametric test')
        if not 0 < level < 1:
            raise failure("option", f"expected a level between 0 and 1, found {level!r}")
        reach = self._critical(1 - level)
        return Interval(self.difference - reach, self.difference + reach, level, method)

    def _critical(self, alpha: float) -> float:
        systems, topics = self._table.values.shape
        freedom = (systems - 1) * (topics - 1)
        error: float = (_core.residual_variance(self._table.values) / topics) ** 0.5
        return _core.range_isf(alpha, systems, freedom) * error
