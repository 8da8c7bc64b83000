"""Whether scores became worse than a baseline by more than a limit.

Both sides are files of scores, in any format that ``read_scores`` knows. A ``Limit`` is how far a
measure may move; each run that both sides have is held to every limit.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass

from cranfield._base.errors import failure
from cranfield._base.scores_like import ALL
from cranfield._base.text import counted, in_topic_order, rounded
from cranfield._core import Error
from cranfield._measures.parse import as_measure, measure_place
from cranfield._scores.groups import members_beside_all
from cranfield._stats.registry import of_zeros

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from cranfield._scores.files import Summarized
    from cranfield._scores.groups import GroupsLike

ROUNDING = 1e-12
"""A change that passes a limit by no more than this, relatively, does not pass it."""


@dataclass(frozen=True)
class Limit:
    """How far a measure may move for the worse."""

    measure: str
    """In canonical spelling."""
    amount: float
    """At least 0; in percent if ``relative``."""
    relative: bool
    """Whether it is a proportion of the baseline's value."""
    rise: bool
    """Whether it limits a rise, not a drop."""

    @classmethod
    def parse(cls, text: str, *, rise: bool) -> Limit:
        """The limit that a text such as ``nDCG@10=0.005`` or ``AP=1%`` names.

        What is better neither when it is higher nor when it is lower may be
        held in both directions. Raises ``Error``: kind "option" for a text that
        names none, and for a rise of what is better when it is higher, or the
        other way round; "measure" or "parameter" for what is not a measure.
        """
        name, equals, number = text.rpartition("=")
        amount = _amount(number)
        if not equals or not name or amount is None:
            message = f"expected a measure and a limit such as nDCG@10=0.005 or AP=1%, found {text}"
            raise failure("option", message)
        measure = as_measure(name)
        if measure.better == ("higher" if rise else "lower"):
            other = "drop" if rise else "rise"
            message = f"{measure} is better when it is {measure.better}: use --max-{other} {text}"
            raise failure("option", message)
        return cls(str(measure), amount, number.endswith("%"), rise)

    def allowed(self, baseline: float) -> float:
        """How far a baseline's value may move, in units of the measure."""
        return abs(baseline) * self.amount / 100 if self.relative else self.amount

    def passed(self, baseline: float, now: float) -> bool:
        """Whether a value moved too far; one that became undefined did."""
        if math.isnan(baseline):
            return False
        if math.isnan(now):
            return True
        moved = now - baseline if self.rise else baseline - now
        room = ROUNDING * max(abs(baseline), abs(now))
        return moved > self.allowed(baseline) + room

    def __str__(self) -> str:
        sign = "+" if self.rise else "-"
        return f"{sign}{self.amount:g}{'%' if self.relative else ''}"


def _amount(text: str) -> float | None:
    """A number of at least 0, or a share in percent."""
    try:
        amount = float(text.removesuffix("%"))
    except ValueError:
        return None
    return amount if math.isfinite(amount) and amount >= 0 else None


@dataclass(frozen=True)
class Change:
    """A run in a measure, then and now."""

    run: str
    measure: str
    baseline: float
    """NaN where it was undefined."""
    now: float
    limit: Limit
    breach: bool
    pvalue: float | None
    """Of Student's paired t test, two-sided; None without scores of topics."""
    topics: int
    """How many topics that test saw."""
    group: str = ALL
    """The group of topics."""

    @property
    def change(self) -> float:
        """The value now minus the baseline's."""
        return self.now - self.baseline

    def to_dict(self, digits: int | None = None) -> dict[str, Any]:
        """As JSON has it: None for what is undefined; values with so many decimals, or all."""
        values = {"baseline": self.baseline, "now": self.now, "change": self.change}
        short = dict(zip(values, rounded(list(values.values()), digits), strict=True))
        row = asdict(self) | short | {"limit": str(self.limit)}
        return {
            name: None if isinstance(value, float) and math.isnan(value) else value
            for name, value in row.items()
        }


def changes(
    scores: Summarized,
    baseline: Summarized,
    limits: Sequence[Limit],
    *,
    topic_groups: GroupsLike | None = None,
    allow_missing: bool = False,
    report: Callable[[str], None] = lambda text: None,
) -> list[Change]:
    """How each run changed in each measure that has a limit.

    One run on either side are a pair whatever they are called; otherwise runs
    are found by their names. Runs, measures and topics that only one side has
    are an error, or with ``allow_missing`` passed over and reported. With groups of topics
    each limit holds in each group, too; those of all topics come last.

    Raises ``Error``: kind "label" for what only one side has and for groups that name an
    unknown topic, "undefined" if nothing is left to compare, "empty" for groups without
    the scores of topics, "option" for groups and a measure that is a weighted mean.
    """
    sides = _Sides(scores, baseline, allow_missing, report)
    pairs = sides.pairs()
    sides.compare_topics()
    kept = [limit for limit in limits if sides.have(limit)]
    if not pairs or not kept:
        what = "measure" if pairs else "run"
        message = f"there is no {what} that both {scores.path} and {baseline.path} have"
        raise failure("undefined", message)
    groups = {} if topic_groups is None else sides.in_groups(topic_groups, kept)
    found = [
        _change(name, limit, (baseline_of, before), (now_of, after), group)
        for group, (now_of, baseline_of) in {**groups, ALL: (scores, baseline)}.items()
        for name, before, after in pairs
        for limit in kept
    ]
    for side in ("now", "baseline"):
        means: dict[str, list[float]] = {}
        for one in found:
            if one.group == ALL and not one.limit.rise:
                means.setdefault(f"{one.run} {side}", []).append(getattr(one, side))
        for line in of_zeros(means):
            report(line)
    return found


@dataclass(frozen=True)
class _Sides:
    """The scores now and those of the baseline."""

    scores: Summarized
    baseline: Summarized
    allow_missing: bool
    report: Callable[[str], None]

    def _missing(self, what: str, labels: Sequence[str], lacks: Summarized) -> None:
        """Raises ``Error`` for what only the other side has, or reports it."""
        if not labels:
            return
        has = self.scores if lacks is self.baseline else self.baseline
        shown = ", ".join(labels[:5]) + (", ..." if len(labels) > 5 else "")
        text = f"{counted(len(labels), what)} of {has.path} missing in {lacks.path}: {shown}"
        if not self.allow_missing:
            raise failure("label", f"{text}; --allow-missing skips what only one side has")
        self.report(f"{text} (skipped)")

    def pairs(self) -> list[tuple[str, str, str]]:
        """The name of each comparison, the run of the baseline and the run now."""
        now, then = self.scores.summaries, self.baseline.summaries
        if len(now) == len(then) == 1:
            (one,), (other,) = now, then
            if one != other:
                text = f"comparing {one} with {other}, the only run"
                self.report(f"{text} of {self.baseline.path}")
            return [(one, other, one)]
        self._missing("run", [run for run in then if run not in now], self.scores)
        self._missing("run", [run for run in now if run not in then], self.baseline)
        return [(run, run, run) for run in now if run in then]

    def compare_topics(self) -> None:
        """Looks for topics of one side: means over different ones say nothing about a change."""
        now, then = self.scores.topics, self.baseline.topics
        if now is not None and then is not None:
            self._missing("topic", sorted(then - now), self.scores)
            self._missing("topic", sorted(now - then), self.baseline)

    def have(self, limit: Limit) -> bool:
        """Whether both sides have the measure of a limit."""
        complete = True
        for side in (self.scores, self.baseline):
            try:
                measure_place(side.measures, limit.measure)
            except Error as error:
                if not self.allow_missing:
                    raise failure("label", str(error), file=side.path) from None
                self.report(f"{side.path} has no {limit.measure} (skipped)")
                complete = False
        return complete

    def in_groups(
        self, topic_groups: GroupsLike, limits: Sequence[Limit]
    ) -> dict[str, tuple[Summarized, Summarized]]:
        """Both sides in each group of topics."""
        for side in (self.scores, self.baseline):
            if side.scores is None:
                message = "expected the scores of topics, since there are groups of them"
                raise failure("empty", f"{message}: cranfield eval --per-topic", file=side.path)
        for limit in limits:
            if as_measure(limit.measure).aggregate == "pooled":
                message = "is a weighted mean, which files of scores do not have for groups"
                raise failure("option", f"{limit.measure} {message} of topics")
        known = (self.scores.topics or frozenset()) & (self.baseline.topics or frozenset())
        groups = members_beside_all(topic_groups, in_topic_order(known))
        return {
            group: (self.scores.among(topics), self.baseline.among(topics))
            for group, topics in groups.items()
        }


def _change(
    name: str,
    limit: Limit,
    before: tuple[Summarized, str],
    after: tuple[Summarized, str],
    group: str,
) -> Change:
    """How a run changed, with the p-value of the paired t test over topics that both have."""
    then, now = (side.summary(run, limit.measure) for side, run in (before, after))
    old, new = (side.by_topic(run, limit.measure) for side, run in (before, after))
    topics = [topic for topic in old if topic in new]
    pvalue = None
    if len(topics) > 1:
        from cranfield import stats

        tested = stats.t_test([[side[topic] for topic in topics] for side in (new, old)])
        pvalue = float(tested.pvalue[0])
    breach = limit.passed(then, now)
    return Change(name, limit.measure, then, now, limit, breach, pvalue, len(topics), group)
