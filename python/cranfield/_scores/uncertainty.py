"""Intervals of means and tiers, in columns after the values of runs."""

from __future__ import annotations

import math

from cranfield._base.text import UNDEFINED, number, rounded
from cranfield._core import Error
from cranfield._stats.registry import CORRECTIONS, TESTS
from cranfield._table.tables import ExtraCells, ExtraColumns

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from cranfield._base.scores_like import ScoresKind
    from cranfield._stats.intervals import Interval
    from cranfield._stats.tiers import Tiers


class Uncertainty:
    """Intervals of means and tiers of runs, as far as they are asked for."""

    def __init__(
        self,
        scores: ScoresKind,
        *,
        ci: Mapping[str, Any] | None = None,
        tiers: Mapping[str, Any] | None = None,
        part: bool = False,
    ) -> None:
        """Takes the options of ``Scores.interval`` and ``Scores.tiers``; None for neither.

        Of a ``part`` of the topics there may be too few for a test: then it
        has no tiers.
        """
        self._scores = scores
        self.interval: Interval | None = None if ci is None else scores.interval(**ci)
        self._tiered = tiers is not None
        self.tiers: dict[int, Tiers] = {}
        """The tiers in each measure that has some."""
        for place in range(len(scores.measures)):
            if tiers is not None and self._is_mean(place):
                try:
                    self.tiers[place] = scores.tiers(scores.measures[place], **tiers)
                except Error as error:
                    if not part or error.kind != "undefined":
                        raise

    def columns(self) -> list[ExtraColumns]:
        """The columns after measures."""
        found = []
        for place, name in enumerate(self._scores.measures):
            if self.interval is not None and self._is_mean(place):
                header = f"{100 * self.interval.level:.10g} % ci"
                found.append(ExtraColumns(place, header, (f"{name} ci low", f"{name} ci high")))
            if self._tiered and self._is_mean(place):
                found.append(ExtraColumns(place, "tier", (f"{name} tier",)))
                ranks = f"{name} rank low", f"{name} rank high"
                found.append(ExtraColumns(place, "ranks", ranks))
        return found

    def extra_cells(self, run: int, digits: int | None = None) -> list[ExtraCells]:
        """The cells of a run's row in these columns."""
        found = []
        for place in range(len(self._scores.measures)):
            if self.interval is not None and self._is_mean(place):
                ends = float(self.interval.low[run, place]), float(self.interval.high[run, place])
                text = interval_text(*ends, digits=digits)
                found.append(ExtraCells(text, tuple(rounded(ends, digits))))
            if self._tiered and place not in self.tiers and self._is_mean(place):
                found += [
                    ExtraCells(UNDEFINED, ("",)),
                    ExtraCells(UNDEFINED, ("", "")),
                ]
            elif place in self.tiers:
                letters, low, high = self._of_tier(place, run)
                found.append(ExtraCells(letters, (letters,)))
                found.append(ExtraCells(rank_text(low, high), (low, high)))
        return found

    def superscripts(self, run: int, order: Sequence[int]) -> list[str]:
        """For each measure the numbers of the runs that a run beats, as rows are in order."""
        names = self._scores.runs
        places = {names[other]: place for place, other in enumerate(order, 1)}
        if not self._tiered:
            return []
        found = []
        for measure in range(len(self._scores.measures)):
            beaten: Sequence[str] = ()
            if measure in self.tiers:
                tiers = self.tiers[measure]
                beaten = tiers.beaten[tiers.runs.index(names[run])]
            found.append(ranges(sorted(places[name] for name in beaten)))
        return found

    def of(self, run: int, measure: int, digits: int | None = None) -> dict[str, Any]:
        """What JSON has for a run and a measure besides its value."""
        found: dict[str, Any] = {}
        if self.interval is not None:
            both = [float(end[run, measure]) for end in (self.interval.low, self.interval.high)]
            ends = dict(zip(("low", "high"), rounded(both, digits), strict=True))
            found["ci"] = {name: None if math.isnan(end) else end for name, end in ends.items()}
        if measure in self.tiers:
            letters, low, high = self._of_tier(measure, run)
            tiers = self.tiers[measure]
            beaten = tiers.beaten[tiers.runs.index(self._scores.runs[run])]
            found |= {"tier": letters, "ranks": [low, high], "beats": list(beaten)}
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

    def _zeros(self) -> Iterator[str]:
        """What to know of runs that have 0 in every topic."""
        for tiers in self.tiers.values():
            yield from tiers.zeros

    def sentences(self, *, superscripts: bool = False) -> list[str]:
        """What a reader of the table has to know, with numbers above values if they are there."""
        found = [f"{line}." for line in dict.fromkeys(self._zeros())]
        if self.interval is not None:
            kind = "Student's t" if self.interval.method == "t" else self.interval.method
            found.append(
                f"ci: {100 * self.interval.level:.10g} % intervals of the mean over topics "
                f"({kind}), each run by itself; for differences between runs use compare."
            )
        for tiers in list(self.tiers.values())[:1]:
            corrected = "" if tiers.correction == "none" else f", {CORRECTIONS[tiers.correction]}"
            found.append(
                f"tier: runs that share no letter differ significantly ({TESTS[tiers.test].title}"
                f"{corrected}, alpha {tiers.alpha:g}). ranks: where a run ranks in "
                f"{100 * tiers.level:.10g} % of {tiers.resamples:,} resamples of topics."
            )
            if superscripts:
                found.append(
                    "Above a value: the runs, by number, that it is significantly better than."
                )
        return found

    def _is_mean(self, measure: int) -> bool:
        """Whether a measure is a mean over topics."""
        return self._scores.core.measures[measure].aggregate == "mean"

    def _of_tier(self, measure: int, run: int) -> tuple[str, int, int]:
        """The letters of a run in a measure, and the range of its rank."""
        tiers = self.tiers[measure]
        place = tiers.runs.index(self._scores.runs[run])
        return tiers.letters[place], int(tiers.rank_low[place]), int(tiers.rank_high[place])


def interval_text(low: float, high: float, *, digits: int | None = None) -> str:
    """An interval as people read it."""
    if math.isnan(low):
        return UNDEFINED
    return f"[{number(low, digits=digits)}, {number(high, digits=digits)}]"


def rank_text(low: int, high: int) -> str:
    """The range of a rank as people read it."""
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
