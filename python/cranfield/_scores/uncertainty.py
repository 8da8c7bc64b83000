"""Intervals of means and tiers, in columns beside the values of runs."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from cranfield._base.text import UNDEFINED, number, rounded
from cranfield._core import Error, Measure, OpaqueMeasure
from cranfield._scores.sections import Beside
from cranfield._stats.intervals import Interval
from cranfield._stats.registry import CORRECTIONS, TESTS
from cranfield._table.data_table import SHARE, SUM, TEXT, defined

TYPE_CHECKING = False
if TYPE_CHECKING:
    from cranfield._stats.tiers import Tiers


class Uncertainty:
    """Intervals of means and tiers of runs, as far as they are asked for."""

    def __init__(
        self,
        scores: Any,
        measures: Sequence[Measure | OpaqueMeasure],
        ci: Mapping[str, Any] | None,
        tiers: Mapping[str, Any] | None,
        *,
        part: bool,
    ) -> None:
        """Takes scores of one collection or of several, and the options of their ``interval`` and
        ``tiers``; None for neither.

        Of a ``part`` of the topics there may be too few for a test: then it
        has no tiers.
        """
        self.runs: tuple[str, ...] = scores.runs
        self._names: tuple[str, ...] = scores.measures
        self._means = [measure.aggregate == "mean" for measure in measures]
        """Of each measure whether it is a mean over topics."""
        self.interval: Interval | None = None if ci is None else scores.interval(**ci)
        self.is_tiered = tiers is not None
        self.tiers: dict[int, Tiers] = {}
        """The tiers in each measure that has some."""
        for place, name in enumerate(self._names):
            if tiers is not None and self._means[place]:
                try:
                    self.tiers[place] = scores.tiers(name, **tiers)
                except Error as error:
                    if not part or error.kind != "undefined":
                        raise

    def beside(
        self, measure: int, rows: Sequence[int | None], digits: int | None, name: str | None = None
    ) -> list[Beside]:
        """The columns beside a measure, or beside those of several that have a ``name``.

        ``rows`` has the place of the run that each row sums up.
        """
        if name is None and not self._means[measure]:
            return []
        found = []
        shown = name or self._names[measure]
        if self.interval is not None:
            low, high = (
                end[:, measure].tolist() for end in (self.interval.low, self.interval.high)
            )
            kinds = {f"{shown} ci low": SHARE, f"{shown} ci high": SHARE}
            ends = list(zip(low, high, strict=True))
            text = partial(interval_text, digits=digits)
            found.append(Beside(f"{100 * self.interval.level:.10g}% CI", kinds, rows, ends, text))
        if self.is_tiered:
            known = [self.of_run(measure, run) for run in self.runs]
            letters = [one and (one[0],) for one in known]
            ranks = [one and one[1] for one in known]
            kinds = {f"{shown} rank low": SUM, f"{shown} rank high": SUM}
            found.append(Beside("tier", {f"{shown} tier": TEXT}, rows, letters, str))
            found.append(Beside("ranks", kinds, rows, ranks, rank_text))
        return found

    def of_run(self, measure: int, run: str) -> tuple[str, tuple[int, int], Sequence[str]] | None:
        """The letters, the range of ranks and the beaten runs of a run that has tiers."""
        tiers = self.tiers.get(measure)
        if tiers is None or run not in tiers.runs:
            return None
        place = tiers.runs.index(run)
        ranks = int(tiers.rank_low[place]), int(tiers.rank_high[place])
        return tiers.letters[place], ranks, tiers.beaten[place]

    def raised(
        self, measure: int, rows: Sequence[int | None], order: Sequence[int]
    ) -> dict[int, str]:
        """For each row the numbers of the runs that its run beats, as runs are in order."""
        places = {self.runs[other]: place for place, other in enumerate(order, 1)}
        found = {}
        for row, run in enumerate(rows):
            known = None if run is None else self.of_run(measure, self.runs[run])
            if known is not None:
                found[row] = ranges(sorted(places[name] for name in known[2]))
        return found

    def of(self, run: int, measure: int, digits: int | None = None) -> dict[str, Any]:
        """What JSON has for a run and a measure besides its value."""
        found: dict[str, Any] = {}
        if self.interval is not None:
            both = [float(end[run, measure]) for end in (self.interval.low, self.interval.high)]
            ends = map(defined, rounded(both, digits))
            found["ci"] = dict(zip(("low", "high"), ends, strict=True))
        known = self.of_run(measure, self.runs[run])
        if known is not None:
            letters, ranks, beaten = known
            found |= {"tier": letters, "ranks": list(ranks), "beats": list(beaten)}
        return found

    def methods(self) -> dict[str, Any]:
        """How intervals and tiers were made, as JSON has it."""
        found: dict[str, Any] = {}
        if self.interval is not None:
            found["ci"] = {"method": self.interval.method, "level": self.interval.level}
        for tiers in self.tiers.values():
            names = ("test", "correction", "alpha", "level", "resamples", "seed")
            found["tiers"] = {name: getattr(tiers, name) for name in names}
        return found

    def sentences(self, *, superscripts: bool = False) -> list[str]:
        """What a reader of the table has to know, with numbers above values if they are there."""
        zeros = dict.fromkeys(line for tiers in self.tiers.values() for line in tiers.zeros)
        found = [f"{line}." for line in zeros] if self._tells_zeros else []
        if self.interval is not None:
            found.append(self._about_interval(f"{100 * self.interval.level:.10g}%"))
        for tiers in list(self.tiers.values())[:1]:
            found.append(
                f"{self._about_tiers(tiers)}, alpha {tiers.alpha:g}). ranks: where a run ranks in "
                f"{100 * tiers.level:.10g}% of {tiers.resamples:,} resamples of topics."
            )
            if superscripts:
                found.append(
                    "Above a value: the runs, by number, that it is significantly better than."
                )
        return found

    _tells_zeros = True

    def _about_interval(self, level: str) -> str:
        """What the intervals are."""
        method = self.interval.method if self.interval is not None else ""
        kind = "Student's t" if method == "t" else method
        return (
            f"ci: {level} intervals of the mean over topics ({kind}), for single runs; use compare "
            "for differences between runs."
        )

    def _about_tiers(self, tiers: Tiers) -> str:
        """What the tiers are, to the test and the correction."""
        corrected = "" if tiers.correction == "none" else f", {CORRECTIONS[tiers.correction]}"
        title = TESTS[tiers.test].title
        return f"tier: runs that share no letter differ significantly ({title}{corrected}"


class MeanUncertainty(Uncertainty):
    """Intervals and tiers of means over collections."""

    _tells_zeros = False

    def _about_interval(self, level: str) -> str:
        """What the intervals are."""
        kind = {
            "t": "Student's t, Satterthwaite's degrees of freedom",
            "percentile": "percentiles of a bootstrap",
            "bca": "BCa of a bootstrap",
        }[self.interval.method if self.interval is not None else "t"]
        return (
            f"ci: {level} intervals of the mean over collections ({kind}), topics being the "
            "sample within each."
        )

    def _about_tiers(self, tiers: Tiers) -> str:
        """What the tiers are, to the test and the correction."""
        return (
            "tier: runs that share no letter differ significantly in their mean over collections "
            f"(paired t test, topics being the sample within each, {CORRECTIONS[tiers.correction]}"
        )


def interval_text(low: float, high: float, *, digits: int | None = None) -> str:
    """An interval as printed."""
    if math.isnan(low):
        return UNDEFINED
    return f"[{number(low, digits=digits)}, {number(high, digits=digits)}]"


def rank_text(low: int, high: int) -> str:
    """The range of a rank as printed."""
    return f"{low}-{high}" if low < high else f"{low}"


def ranges(numbers: Sequence[int]) -> str:
    """Ascending numbers as text: 2, 3, 4 and 7 are ``2-4,7``."""
    found: list[list[int]] = []
    for one in numbers:
        if found and found[-1][1] == one - 1:
            found[-1][1] = one
        else:
            found.append([one, one])
    return ",".join(f"{a}" if a == b else f"{a}-{b}" if b > a + 1 else f"{a},{b}" for a, b in found)
