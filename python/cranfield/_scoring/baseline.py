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
    from collections.abc import Callable, Mapping, Sequence
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
    """Whether it is a share of the baseline's value."""
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
        """The value now less the baseline's."""
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
    passed_over = _Missing(allow_missing, report)
    pairs = _pairs(scores, baseline, passed_over, report)
    _same_topics(scores, baseline, passed_over)
    kept = [limit for limit in limits if _measured(limit, scores, baseline, passed_over)]
    if not pairs or not kept:
        what = "measure" if pairs else "run"
        sides = f"{scores.path} and {baseline.path}"
        raise failure("undefined", f"there is no {what} that both {sides} have")
    groups: dict[str, tuple[Summarized, Summarized]] = {}
    if topic_groups is not None:
        groups = _in_groups(scores, baseline, topic_groups, kept)
    groups[ALL] = scores, baseline
    found = [
        _change(name, limit, before, after, *sides, group)
        for group, sides in groups.items()
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


def _in_groups(
    scores: Summarized, baseline: Summarized, topic_groups: GroupsLike, limits: Sequence[Limit]
) -> dict[str, tuple[Summarized, Summarized]]:
    """Both sides in each group of topics."""
    for side in (scores, baseline):
        if side.scores is None:
            message = "expected the scores of topics, since there are groups of them"
            raise failure("empty", f"{message}: cranfield eval --per-topic", file=side.path)
    for limit in limits:
        if as_measure(limit.measure).aggregate == "pooled":
            message = "is a weighted mean, which files of scores do not have for groups of topics"
            raise failure("option", f"{limit.measure} {message}")
    known = in_topic_order((scores.topics or frozenset()) & (baseline.topics or frozenset()))
    return {
        group: (scores.among(topics), baseline.among(topics))
        for group, topics in members_beside_all(topic_groups, known).items()
    }


class _Missing:
    """What only one side has: an error, or reported."""

    def __init__(self, allowed: bool, report: Callable[[str], None]) -> None:
        self.allowed, self.report = allowed, report

    def found(self, what: str, labels: Sequence[str], lacks: str, has: str) -> None:
        if not labels:
            return
        shown = ", ".join(labels[:5]) + (", ..." if len(labels) > 5 else "")
        text = f"{counted(len(labels), what)} of {has} missing in {lacks}: {shown}"
        if not self.allowed:
            raise failure("label", f"{text}; --allow-missing passes over what one side lacks")
        self.report(f"{text} (passed over)")


def _pairs(
    scores: Summarized, baseline: Summarized, missing: _Missing, report: Callable[[str], None]
) -> list[tuple[str, str, str]]:
    """The name of each comparison, the run of the baseline and the run now."""
    if len(scores.summaries) == len(baseline.summaries) == 1:
        (now,), (then,) = scores.summaries, baseline.summaries
        if now != then:
            report(f"the one run {now} is compared with the one run {then} of {baseline.path}")
        return [(now, then, now)]
    gone = [run for run in baseline.summaries if run not in scores.summaries]
    new = [run for run in scores.summaries if run not in baseline.summaries]
    missing.found("run", gone, scores.path, baseline.path)
    missing.found("run", new, baseline.path, scores.path)
    return [(run, run, run) for run in scores.summaries if run in baseline.summaries]


def _same_topics(scores: Summarized, baseline: Summarized, missing: _Missing) -> None:
    """Means over different topics say nothing about a change."""
    if scores.topics is None or baseline.topics is None:
        return
    missing.found("topic", sorted(baseline.topics - scores.topics), scores.path, baseline.path)
    missing.found("topic", sorted(scores.topics - baseline.topics), baseline.path, scores.path)


def _measured(limit: Limit, scores: Summarized, baseline: Summarized, missing: _Missing) -> bool:
    """Whether both sides have a measure."""
    complete = True
    for side in (scores, baseline):
        try:
            measure_place(side.measures, limit.measure)
        except Error as error:
            if not missing.allowed:
                raise failure("label", str(error), file=side.path) from None
            missing.report(f"{side.path} has no {limit.measure} (passed over)")
            complete = False
    return complete


def _change(
    name: str,
    limit: Limit,
    before: str,
    after: str,
    scores: Summarized,
    baseline: Summarized,
    group: str,
) -> Change:
    then = baseline.summary(before, limit.measure)
    now = scores.summary(after, limit.measure)
    pvalue, topics = _test(
        baseline.by_topic(before, limit.measure), scores.by_topic(after, limit.measure)
    )
    breach = limit.passed(then, now)
    return Change(name, limit.measure, then, now, limit, breach, pvalue, topics, group)


def _test(before: Mapping[str, float], after: Mapping[str, float]) -> tuple[float | None, int]:
    """The p-value of the paired t test over the topics that both have, and their number."""
    topics = [topic for topic in before if topic in after]
    if len(topics) < 2:
        return None, len(topics)
    from cranfield import stats

    found = stats.t_test([[side[topic] for topic in topics] for side in (after, before)])
    return float(found.pvalue[0]), len(topics)
