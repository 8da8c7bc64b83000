"""A row of a comparison, and what the lower rooms know of a comparison."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

from cranfield._core import Measure


@dataclass(frozen=True)
class Difference:
    """A run against another in one measure; all over the topics of the test."""

    measure: str
    """The measure in canonical spelling."""
    run: str
    """The run."""
    other: str
    """The run that it is compared with: the baseline if there is one."""
    topics: int
    """How many topics took part."""
    mean: float
    """The run's mean score."""
    other_mean: float
    """That of the other."""
    difference: float
    """The first less the second."""
    interval_low: float
    """The lower end of the confidence interval of the difference."""
    interval_high: float
    """The upper end. A one-sided test's interval is infinite at one end."""
    effect_size: float | None
    """The difference in standard deviations; None where that is 0/0."""
    p: float
    """The p-value of this comparison by itself; Tukey's holds for all pairs at once."""
    p_corrected: float
    """The p-value corrected for the number of comparisons in the measure."""
    significant: bool
    """Whether that is below alpha."""
    wins: int
    """Topics on which the run is better than the other; higher, where neither is better."""
    ties: int
    """Topics on which both score the same, to 1e-9."""
    losses: int
    """Topics on which the run is worse; lower, where neither is better."""
    judged_measure: str | None
    """``Judged`` at the measure's cutoff; None where the lists were not available."""
    judged: float | None
    """Its mean for the run; None if it is undefined."""
    other_judged: float | None
    """Its mean for the other."""
    lowest: float | None
    """The lowest mean that the run could have after full judging; None without bounds."""
    highest: float | None
    """The highest."""
    other_lowest: float | None
    """The lowest mean of the other."""
    other_highest: float | None
    """The highest."""
    difference_lowest: float | None
    """The lowest difference after full judging of both runs; None without bounds.

    Documents that both retrieved move both, so that this is more than the run at its lowest
    against the other at its highest.
    """
    difference_highest: float | None
    """The highest."""
    within_bounds: bool | None
    """Whether the difference lies within what the missing judgments could do.

    False: however they turn out, the better run stays the better. True: it is not
    excluded that the difference vanishes or turns around. None without bounds.
    """
    mde: float | None = None
    """The minimum detectable effect: the smallest true difference that a t test over so many
    topics finds significant with the power asked for, uncorrected. None for one topic."""
    verdict: str | None = None
    """Whether the run is no worse than the other by more than the margin: "pass", "fail" (after
    Holm's correction over all comparisons) or "not known"; None without a margin."""
    p_pass: float | None = None
    """Of "it loses the margin or more"."""
    p_fail: float | None = None
    """Of "it loses less", not corrected."""
    topics_needed: int | None = None
    """How many topics would pass with the power asked for if nothing changed; None if the verdict
    is not open."""


class Compared(Protocol):
    """What plots read of a ``Comparison``."""

    @property
    def rows(self) -> tuple[Difference, ...]: ...
    @property
    def measures(self) -> tuple[str, ...]: ...
    @property
    def baseline(self) -> str | None: ...
    @property
    def options(self) -> dict[str, Any]: ...
    @property
    def better(self) -> dict[str, str | None]: ...
    def sort(self, by: str | Measure = "mean") -> Compared: ...
