"""Whether a run is no worse than another by more than a margin: pass, fail, or not known.

The differences of topics are a sample. Pass says that the true mean loss is below the margin,
fail that it is above, each with an error of at most alpha (Schuirmann 1987 for two margins);
anything else is not known. ``judged`` is for several comparisons at once: each has to pass by
itself, without a correction (the intersection-union test, Berger 1982), and one fails after
Holm's correction over all of them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from cranfield import _core
from cranfield._base.errors import failure
from cranfield._base.options import checked, number, one_of, probability, whole
from cranfield._base.scores_like import turn
from cranfield._core import Measure, families
from cranfield._stats.power import POWER
from cranfield._stats.registry import MARGIN_TESTS, margin_test

TYPE_CHECKING = False
if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from cranfield._base.scores_like import Directed

PASS, FAIL, OPEN = "pass", "fail", "not known"

FEW = 10
"""Where fewer topics changed, only tests that hold for any distribution keep their level."""

RESAMPLES = 9_999
"""How often the tests that draw do so; with what was observed a whole number for usual alphas."""


@dataclass(frozen=True)
class HowToJudge:
    """How comparisons with a margin are tested."""

    test: str = "t"
    alpha: float = 0.05
    looks: int = 1
    """How often new topics are looked at; each look has its share of alpha."""
    equal: bool = False
    """Whether a gain may not be above the margin either."""
    power: float = POWER
    seed: int = 0

    @property
    def error(self) -> float:
        """The error of each one-sided test."""
        return self.alpha / self.looks

    def checked(self) -> HowToJudge:
        """The same; raises ``Error`` (kind "option") for what is not valid."""
        margin_test(self.test)
        probability(self.alpha, "alpha")
        probability(self.power, "power")
        whole(self.looks, "looks", 1)
        if self.alpha >= 0.5 or self.power <= self.error:
            message = f"expected alpha below .5 and power, found {self.alpha:g}"
            raise failure("option", message)
        return self


@dataclass(frozen=True)
class Paired:
    """The scores of two runs on the same topics, and the margin."""

    now: Sequence[float]
    baseline: Sequence[float]
    better: str
    """"higher" or "lower"."""
    amount: float
    """The margin, or the share of the baseline's mean that it is."""
    relative: bool = False
    span: float | None = 1.0
    """The width of the measure's range, which begins at 0; None if it has no ends."""


@dataclass(frozen=True)
class Verdict:
    """What is known of a mean difference and a margin."""

    verdict: str
    """"pass", "fail" or "not known"."""
    note: str
    """What is to be known beside; may be empty."""
    margin: float
    """In units of the measure, at least 0."""
    low: float
    """The lower end of the interval of the change, each end with error alpha / looks. With a
    relative margin that of now - (1 - share) x baseline, moved to the change."""
    high: float
    """The upper end."""
    p_pass: float
    """Of "the loss is at least the margin"."""
    p_fail: float
    """Of "the loss is at most the margin", not corrected."""
    mde: float
    """The smallest difference that these topics show by the two-sided t test, at this power."""
    least_margin: float
    """The smallest margin that these topics would pass at this power if nothing changed."""
    topics_needed: int | None
    """How many topics would pass at this power if nothing changed; None if it is not open, and
    where no number would."""
    topics: int
    topics_changed: int
    test: str
    looks: int


@checked
def verdict(
    now: Sequence[float],
    baseline: Sequence[float],
    margin: float,
    *,
    better: str = "higher",
    relative: bool = False,
    equal: bool = False,
    test: str = "t",
    alpha: float = 0.05,
    looks: int = 1,
    power: float = POWER,
    span: float | None = 1.0,
    seed: int = 0,
) -> Verdict:
    """Whether a run is no worse than a baseline by more than a margin.

    >>> same = [0.2, 0.5, 0.4, 0.7, 0.1, 0.6]
    >>> verdict(same, same, 0.01).verdict
    'pass'
    >>> verdict([0.1, 0.6, 0.4, 0.6, 0.2, 0.6], same, 0.01).verdict
    'not known'

    Parameters
    ----------
    now, baseline
        Scores of the same topics in the same order; at least two.
    margin
        The loss that may pass: a number of at least 0 in units of the measure; if ``relative``
        a share of the baseline's mean, such as .02.
    better
        Which values are better: "higher" or "lower".
    relative
        Whether the margin is a share. Then the test is of now - (1 - margin) x baseline, since
        the baseline's mean is an estimate as well.
    equal
        Whether a gain may not be above the margin either: two one-sided tests. Not ``relative``.
    test
        "t" (Student's), "studentized" (bootstrap of t), "randomization" (flipped signs; all
        patterns for up to 16 topics), or "bounded" (Gaffke's bound, which holds for few changed
        topics, too, and needs many).
    alpha
        The error of a pass and of a fail, below .5.
    looks
        How often topics are added and looked at; each look has ``alpha / looks``.
    power
        The chance of a pass for ``least_margin`` and ``topics_needed``.
    span
        The width of the measure's range, from 0; None if it has no upper end.
    seed
        The seed of the tests that draw.

    Raises
    ------
    Error
        Kind "option" for what is not valid, such as a margin as wide as the range; "undefined"
        for fewer than two topics; "number" for scores that are not finite.

    """
    first, second = ([number(x, "a score") for x in side] for side in (now, baseline))
    if len(first) != len(second):
        message = f"expected as many scores on both sides, found {len(first)} and {len(second)}"
        raise failure("option", message)
    one_of("better", better, ("higher", "lower"))
    check_margin(margin, "the measure", relative=relative, span=span)
    if len(first) < 2:
        raise failure("undefined", f"a margin needs at least 2 topics, found {len(first)}")
    how = HowToJudge(test, alpha, looks, equal, power, seed).checked()
    return judged([Paired(first, second, better, margin, relative, span)], how)[0]


def check_margin(amount: float, what: str, *, relative: bool, span: float | None) -> None:
    """Raises ``Error`` (kind "option") for what is no margin of a measure."""
    if not (math.isfinite(amount) and amount >= 0):
        raise failure("option", f"expected a margin of at least 0, found {amount}")
    if relative and amount >= 1:
        message = f"expected a relative margin below 100%, found {amount:.6g} times the baseline"
        raise failure("option", message)
    if not relative and span is not None and amount >= span:
        message = f"{what} is between 0 and {span:g}: any loss is within a margin of {amount:g}"
        raise failure("option", f"{message}; a share of the baseline is a relative margin")


def untestable(measure: Directed) -> str:
    """Why runs cannot be compared in a measure with a margin; empty if they can."""
    kinds = {"geometric": "a geometric mean", "pooled": "a weighted mean", "sum": "a count"}
    if kind := kinds.get(measure.aggregate):
        return f"is {kind}, not a mean over topics"
    return "" if measure.better else "does not say which values are better"


def span_of(measure: Any) -> float | None:
    """The width of a measure's range if it is from 0 to 1."""
    if isinstance(measure, Measure):
        known = {family["name"]: family["range"] for family in families()}
        return 1.0 if known.get(measure.family) == "[0, 1]" else None
    return 1.0 if "unit" in getattr(measure, "properties", ()) else None


def judged(rows: Sequence[Paired], how: HowToJudge) -> list[Verdict]:
    """The verdicts of comparisons, which fail after Holm's correction over all of them.

    A row of fewer than two topics is not known. Raises ``Error`` (kind "option") for the test
    "bounded" and a measure without bounds, and for a relative margin in both directions.
    """
    import numpy as np

    def scores(values: Sequence[float]) -> NDArray[np.float64]:
        return np.ascontiguousarray(values, dtype=np.float64)

    for row in rows:
        if how.test == "bounded" and row.span is None:
            message = "the bounded test is for measures with a lowest and a highest value"
            raise failure("option", message)
        if how.equal and row.relative:
            message = "equality is tested with an absolute margin, found a relative one"
            raise failure("option", message)
        if row.relative and sum(row.baseline) < 0:
            raise failure("option", "a relative margin is for values of at least 0")
    given = [
        (scores(row.now), scores(row.baseline), turn(row.better), row.amount, row.relative, span)
        for row, span in ((row, row.span or 1.0) for row in rows)
    ]
    asked: dict[str, Any] = {
        "test": how.test,
        "alpha": how.error,
        "resamples": RESAMPLES,
        "seed": how.seed,
    }
    found: list[Any] = _core.margin_verdicts(given, **asked, equal=how.equal, power=how.power)
    return [
        Verdict(word, _note(word, row, how, *numbers), *[*numbers, how.test, how.looks])
        for row, (word, *numbers) in zip(rows, found, strict=True)
    ]


def _note(word: str, row: Paired, how: HowToJudge, *numbers: Any) -> str:
    """What is to be known beside a verdict."""
    _, low, high, *_, topics, changed = numbers
    if topics < 2:
        return f"{topics} of at least 2 topics"
    low, high = sorted((turn(row.better) * low, turn(row.better) * high))
    notes = []
    if word == PASS and changed:
        notes += ["better"] if low > 0 else ["worse, within the margin"] if high < 0 else []
    share = 1 - how.error ** (1 / topics)
    if not changed:
        seen = f"fewer than 1 topic in {int(1 / share)}"
        notes.append(f"no topic changed: a change that hits {seen} would not show")
    elif changed < FEW and how.test != "bounded":
        notes.append(
            f"only {changed} of {topics} topics changed, so {MARGIN_TESTS[how.test]} is too sure: "
            f"a loss in a share of {share:.2g} of all topics (3/n) stays unseen {how.error:.2g} of "
            'the time; the test "bounded" allows for that'
        )
    return "; ".join(notes)
