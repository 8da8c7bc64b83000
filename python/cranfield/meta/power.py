"""Which pairs of runs a measure tells apart."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from cranfield import stats
from cranfield.errors import failure
from cranfield.meta.means import complete, signs
from cranfield.options import checked
from cranfield.results.labels import measure_place

if TYPE_CHECKING:
    from typing import Any

    from numpy.typing import NDArray

    from cranfield._core import Measure
    from cranfield.meta.means import Bools, Floats
    from cranfield.results.scores import Scores


@dataclass(frozen=True, slots=True, eq=False)
class MeasurePower:
    """Which pairs of runs one measure finds significantly different."""

    power: float
    """The share of all pairs that differ significantly."""
    power_of_different: float
    """The same share of the pairs that are not identical."""
    p_values: Floats
    """float64, shape (runs, runs), 1 on the diagonal."""
    significant: Bools
    """bool, shape (runs, runs)."""
    curve: Floats
    """The achieved significance levels from the highest: float64, (pairs,)."""
    required_difference: float
    """The least difference of means after which a pair is significant."""


@dataclass(frozen=True, slots=True, eq=False)
class DiscriminativePower:
    """Which pairs of runs each measure finds significantly different."""

    runs: tuple[str, ...]
    measures: tuple[str, ...]
    test: str
    alpha: float
    pairs: NDArray[np.int64]
    """Positions of the two runs: int, shape (pairs, 2)."""
    pvalues: Floats
    """float64, shape (measures, pairs)."""
    differences: Floats
    """Of the means, first less second: float64, shape (measures, pairs)."""
    identical: Bools
    """Pairs whose scores do not differ in any topic: shape (measures, pairs)."""
    required: Floats
    """The difference that was enough for significance: float64, (measures,)."""
    better: tuple[str | None, ...]
    """Which values of each measure are better, "higher" or "lower"; None where neither is."""

    @property
    def significant(self) -> Bools:
        """Whether a pair differs significantly: bool, shape (measures, pairs)."""
        return self.pvalues < self.alpha

    @property
    def power(self) -> Floats:
        """The share of all pairs that differ significantly: float64, (measures,)."""
        shares: Floats = self.significant.mean(axis=1)
        return shares

    @property
    def power_of_different(self) -> Floats:
        """The same share of the pairs that are not identical: float64, (measures,).

        Some groups submit the same lists twice; such a pair cannot differ.
        """
        different = (~self.identical).sum(axis=1)
        return np.where(different, self.significant.sum(axis=1) / np.maximum(different, 1), 0.0)

    @property
    def required_difference(self) -> Floats:
        """The least difference of means after which a pair is significant.

        For "bootstrap" as Sakai (2006) estimates it; for the other tests the
        smallest difference that was found significant, and NaN without one:
        float64, shape (measures,).
        """
        return self.required

    def __getitem__(self, measure: str | Measure) -> MeasurePower:
        """What one measure found, in any accepted spelling.

        Raises ``LabelError`` for a measure that is not there.
        """
        place = self._place(measure)
        pvalues = self.p_values(measure)
        return MeasurePower(
            float(self.power[place]),
            float(self.power_of_different[place]),
            pvalues,
            pvalues < self.alpha,
            self.curve(measure),
            float(self.required[place]),
        )

    @checked
    def p_values(self, measure: str | Measure) -> Floats:
        """The p-values of a measure: float64, shape (runs, runs), 1 on the diagonal."""
        square = np.ones((len(self.runs), len(self.runs)))
        one, two = self.pairs.T
        square[one, two] = square[two, one] = self.pvalues[self._place(measure)]
        return square

    @checked
    def curve(self, measure: str | Measure) -> Floats:
        """The achieved significance levels from the highest: float64, (pairs,).

        Sakai's figures draw these, pairs sorted by ASL, for each measure.
        """
        return np.sort(self.pvalues[self._place(measure)])[::-1]

    def to_dict(self) -> dict[str, dict[str, float]]:
        """{measure: {"power": ..., "required_difference": ...}}."""
        rows = zip(self.measures, self.power, self.power_of_different, self.required, strict=True)
        return {
            measure: {
                "power": float(power),
                "power_of_different": float(different),
                "required_difference": float(required),
            }
            for measure, power, different, required in rows
        }

    def _place(self, measure: str | Measure) -> int:
        return measure_place(self.measures, measure)

    def __repr__(self) -> str:
        lines = [
            f"<DiscriminativePower: {len(self.runs)} runs, {len(self.pairs)} pairs, "
            f"{self.test} test, alpha {self.alpha}>"
        ]
        width = max(map(len, self.measures), default=0)
        lines += [
            f"  {m:<{width}}  {p:.4f}" for m, p in zip(self.measures, self.power, strict=True)
        ]
        return "\n".join(lines)


@checked
def discriminative_power(
    scores: Scores,
    test: str = "t",
    alpha: float = 0.05,
    *,
    resamples: int | None = None,
    seed: int = 0,
    threads: int | None = None,
) -> DiscriminativePower:
    """The share of pairs of runs whose difference is significant, by measure.

    Parameters
    ----------
    scores
        At least two runs and two topics, nothing left out.
    test
        "t": the paired, two-sided t test (Webber, Moffat and Zobel 2010);
        "bootstrap": the paired bootstrap test (Sakai 2006), ASL < alpha;
        "randomization": random signs of the differences; "tukey": the
        randomised Tukey HSD, which corrects for the number of pairs.
    alpha
        The level of significance; no correction for many tests but by
        "tukey".
    resamples, seed, threads
        For the tests that draw: how often, from where, with how many threads.

    Raises
    ------
    Error
        Kind "option" for an unknown test or too few runs or topics,
        "undefined" for scores with NaN.

    """
    if not 0 < alpha < 1:
        raise failure("option", f"expected an alpha above 0 and below 1, found {alpha}")
    if test not in _TESTS:
        known = ", ".join(f'"{name}"' for name in _TESTS)
        raise failure("option", f"expected one of {known} as test, found {test!r}")
    values = complete(scores, runs=2, topics=2)
    one, two = np.triu_indices(len(scores.runs), 1)
    pvalues, differences, identical, required = [], [], [], []
    for column in range(len(scores.measures)):
        matrix = np.ascontiguousarray(values[:, :, column])
        found = _TESTS[test](matrix, resamples, seed, threads)
        pvalues.append(np.asarray(found.pvalue))
        difference = np.asarray(found.difference)
        differences.append(difference)
        identical.append((matrix[one] == matrix[two]).all(axis=1))
        if test == "bootstrap":
            required.append(float(found.required_difference(alpha)))
        else:
            enough = np.abs(difference[pvalues[-1] < alpha])
            required.append(float(enough.min()) if len(enough) else float("nan"))
    return DiscriminativePower(
        scores.runs,
        scores.measures,
        test,
        alpha,
        np.stack([one, two], axis=1).astype(np.int64),
        np.array(pvalues),
        np.array(differences),
        np.array(identical),
        np.array(required),
        tuple(scores.better.values()),
    )


def _given(**options: Any) -> dict[str, Any]:
    return {name: value for name, value in options.items() if value is not None}


_TESTS: dict[str, Callable[[Floats, int | None, int, int | None], Any]] = {
    "t": lambda matrix, *_: stats.t_test(matrix),
    "bootstrap": lambda matrix, resamples, seed, threads: stats.bootstrap_test(
        matrix, seed=seed, **_given(resamples=resamples, threads=threads)
    ),
    "randomization": lambda matrix, resamples, seed, threads: stats.randomization_test(
        matrix, seed=seed, **_given(resamples=resamples, threads=threads)
    ),
    "tukey": lambda matrix, resamples, seed, threads: stats.tukey_hsd(
        matrix, method="randomized", seed=seed, **_given(resamples=resamples, threads=threads)
    ),
}


def overlap(found: DiscriminativePower) -> Floats:
    """How far measures agree on which pairs differ: float64, (measures, measures).

    The Jaccard index of the sets of significant pairs, those with the same run
    as the better one: in both divided by in either; 1 if both sets are empty.
    """
    better = np.sign(found.differences) * signs(found.better)[:, None]
    signed = np.where(found.significant, better, 0)
    both = np.array([[((a == b) & (a != 0)).sum() for b in signed] for a in signed])
    sizes = (signed != 0).sum(axis=1)
    either = sizes[:, None] + sizes[None, :] - both
    return np.where(either, both / np.maximum(either, 1), 1.0)
