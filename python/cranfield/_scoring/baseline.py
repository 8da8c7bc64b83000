"""Whether scores became worse than a baseline by more than a limit.

Both sides are files of scores, in any format that ``read_scores`` knows. A ``Limit`` is how far a
measure may move; each run that both sides have is held to every limit. A ``Margin`` is how much
it may truly lose, of which the topics are a sample.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Container, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from cranfield._base.errors import failure
from cranfield._base.scores_like import ALL
from cranfield._base.text import counted, in_topic_order, rounded
from cranfield._core import Error
from cranfield._measures.parse import as_measure, measure_place
from cranfield._scores.files import Summarized
from cranfield._scores.groups import GroupsLike, members_beside_all
from cranfield._scores.joining import differing
from cranfield._stats import verdicts
from cranfield._stats.registry import of_zeros
from cranfield._stats.verdicts import HowToJudge, Paired, check_margin, judged, span_of, untestable

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
class Margin:
    """How much a measure may truly lose."""

    measure: str
    """In canonical spelling; empty for every measure that can be tested."""
    amount: float
    """At least 0, in units of the measure, or below 1 a share of the baseline if ``relative``."""
    relative: bool
    better: str = ""
    """"higher" or "lower"."""
    span: float | None = None
    """The width of the measure's range, from 0; None if it has no upper end."""

    @classmethod
    def parse(cls, text: str, *, relative: bool) -> Margin:
        """The margin that a text such as ``0.01`` or ``nDCG@10=0.01`` names, or ``AP=2%``.

        Raises ``Error``: kind "option" for a text that names none, one of the other unit, and
        a measure that is not a mean over topics or has no better direction.
        """
        name, equals, number = text.rpartition("=")
        amount, percent = _amount(number), number.endswith("%")
        example = "2% or AP=2%" if relative else "0.01 or nDCG@10=0.01"
        if amount is None or (equals and not name) or percent != relative:
            other = "--margin" if relative else "--relative-margin"
            message = f"expected a margin of at least 0 such as {example}, found {text}"
            if amount is not None and percent != relative:
                message += f"; {other} takes {'percentages' if percent else 'units of the measure'}"
            raise failure("option", message)
        margin = cls("", amount / 100 if relative else amount, relative)
        return margin.of(as_measure(name)) if name else margin

    def of(self, measure: Any) -> Margin:
        """The margin of a measure; raises as ``parse``."""
        if wrong := untestable(measure):
            raise failure("option", f"{measure} {wrong}, so a margin cannot be tested")
        span = span_of(measure)
        check_margin(self.amount, str(measure), relative=self.relative, span=span)
        return Margin(str(measure), self.amount, self.relative, measure.better, span)

    @property
    def rise(self) -> bool:
        """Whether it is a rise that is for the worse."""
        return self.better == "lower"

    def __str__(self) -> str:
        amount = f"{100 * self.amount:.6g}%" if self.relative else f"{self.amount:g}"
        return f"{'+' if self.rise else '-'}{amount}"


@dataclass(frozen=True)
class Change:
    """A run in a measure, then and now."""

    run: str
    measure: str
    baseline: float
    """NaN where it was undefined."""
    now: float
    limit: Limit | Margin
    breach: bool
    pvalue: float | None
    """Of Student's paired t test, two-sided; None without scores of topics."""
    topics: int
    """How many topics that test saw."""
    group: str = ALL
    """The group of topics."""
    verdict: verdicts.Verdict | None = None
    """Of a margin."""
    paired: Paired | None = None
    """The scores to judge, until they are."""

    @property
    def change(self) -> float:
        """The value now minus the baseline's."""
        return self.now - self.baseline

    def to_dict(self, digits: int | None = None) -> dict[str, Any]:
        """As JSON has it: None for what is undefined; values with so many decimals, or all."""
        values = {"baseline": self.baseline, "now": self.now, "change": self.change}
        short = dict(zip(values, rounded(list(values.values()), digits), strict=True))
        row = asdict(self) | short | {"limit": str(self.limit)}
        row.update(row.pop("verdict") or {})
        del row["paired"]
        return {
            name: None if isinstance(value, float) and not math.isfinite(value) else value
            for name, value in row.items()
        }


def changes(
    scores: Summarized,
    baseline: Summarized,
    limits: Sequence[Limit | Margin],
    *,
    topic_groups: GroupsLike | None = None,
    allow_missing: bool = False,
    allow_other_judgments: bool = False,
    how: HowToJudge | None = None,
    report: Callable[[str], None] = lambda text: None,
) -> list[Change]:
    """How each run changed in each measure that has a limit, or a margin that is judged as ``how``.

    One run on either side are a pair whatever they are called; otherwise runs
    are found by their names. Runs, measures and topics that only one side has
    are an error, or with ``allow_missing`` passed over and reported; so are scores that were made
    with other judgments or options, unless ``allow_other_judgments``. With groups of topics
    each limit holds in each group, too; those of all topics come last.

    Raises ``Error``: kind "label" for what only one side has and for groups that name an
    unknown topic, "undefined" if nothing is left to compare, "empty" for groups, margins or a part
    of the topics without the scores of topics, "option" for other judgments or options, and for
    groups and a measure that is a weighted mean.
    """
    sides = _Sides(scores, baseline, allow_missing, report)
    pairs = sides.pairs()
    sides = sides.of_shared_topics(limits)
    sides.compare_origins(allowed=allow_other_judgments)
    scores, baseline = sides.scores, sides.baseline
    if how is not None:
        limits = sides.expanded(limits)
    kept = [limit for limit in limits if sides.have(limit)]
    if not pairs or not kept:
        what = "measure" if pairs else "run"
        message = f"there is no {what} that both {scores.path} and {baseline.path} have"
        raise failure("undefined", message)
    groups = {} if topic_groups is None else sides.in_groups(topic_groups, kept)
    found = [
        _change(name, limit, (baseline_of, before), (now_of, after), group, sides)
        for group, (now_of, baseline_of) in {**groups, ALL: (scores, baseline)}.items()
        for name, before, after in pairs
        for limit in kept
    ]
    if how is not None:
        found = _judged(found, how)
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

    def missing(self, what: str, labels: Sequence[str], lacks: Summarized, where: str = "") -> None:
        """Raises ``Error`` for what only the other side has, or reports it."""
        if not labels:
            return
        has = self.scores if lacks is self.baseline else self.baseline
        shown = ", ".join(labels[:5]) + (", ..." if len(labels) > 5 else "")
        sides = f"{has.path} missing in {lacks.path}"
        text = f"{counted(len(labels), what)} of {sides}{where}: {shown}"
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
        self.missing("run", [run for run in then if run not in now], self.scores)
        self.missing("run", [run for run in now if run not in then], self.baseline)
        return [(run, run, run) for run in now if run in then]

    def of_shared_topics(self, limits: Sequence[Limit | Margin]) -> _Sides:
        """Both sides on the topics that both have: means over different ones say nothing."""
        now, then = self.scores.topics, self.baseline.topics
        if now is None or then is None or now == then:
            return self
        self.missing("topic", sorted(then - now), self.scores)
        self.missing("topic", sorted(now - then), self.baseline)
        shared = in_topic_order(now & then)
        if not shared:
            message = f"{self.scores.path} and {self.baseline.path} have no topic in common"
            raise failure("undefined", message)
        self.need_topics(limits, "only a part of the topics is compared")
        return replace(self, scores=self.scores.among(shared), baseline=self.baseline.among(shared))

    def compare_origins(self, *, allowed: bool) -> None:
        """Looks for judgments and options that differ, as far as the files say what they were."""
        now, then = self.scores.fingerprint, self.baseline.fingerprint
        if now is None or then is None or now == then:
            return
        text = f"{self.scores.path} and {self.baseline.path} were made with "
        text += differing(now, then)[0]
        if not allowed:
            advice = "evaluate both alike, or --allow-other-judgments compares them all the same"
            raise failure("option", f"{text}; {advice}")
        self.report(text)

    def need_topics(self, limits: Sequence[Limit | Margin], why: str) -> None:
        """Raises ``Error`` where the scores of topics are not there, or do not make up a mean."""
        for side in (self.scores, self.baseline):
            if side.scores is None:
                message = f"expected the scores of topics, since {why}: cranfield eval --per-topic"
                raise failure("empty", message, file=side.path)
        for limit in limits:
            if limit.measure and as_measure(limit.measure).aggregate == "pooled":
                message = "is a weighted mean, which files of scores do not have for groups"
                raise failure("option", f"{limit.measure} {message} of topics")

    def expanded(self, limits: Sequence[Limit | Margin]) -> list[Limit | Margin]:
        """The margins by measure: one without a measure is for all that can be tested."""
        self.need_topics(limits, "a margin is tested over topics")
        named = {limit.measure: limit for limit in limits if limit.measure}
        for margin in limits:
            if not margin.measure:
                assert isinstance(margin, Margin)
                named |= self._of_all(margin, named)
        if not named:
            message = "is no measure that can be tested: a mean over topics with a better direction"
            raise failure("undefined", f"in {self.scores.path} there {message}")
        return list(named.values())

    def _of_all(self, margin: Margin, named: Container[str]) -> dict[str, Limit | Margin]:
        """The margin for each measure of the files that has none of its own."""
        assert self.scores.scores is not None
        measures = [m for m in self.scores.scores.core.measures if str(m) not in named]
        left_out = [
            f"{measure} {untestable(measure)}" for measure in measures if untestable(measure)
        ]
        if left_out:
            self.report(f"not tested: {'; '.join(left_out)}")
        return {str(m): margin.of(m) for m in measures if not untestable(m)}

    def have(self, limit: Limit | Margin) -> bool:
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
        self, topic_groups: GroupsLike, limits: Sequence[Limit | Margin]
    ) -> dict[str, tuple[Summarized, Summarized]]:
        """Both sides in each group of topics."""
        self.need_topics(limits, "there are groups of them")
        known = (self.scores.topics or frozenset()) & (self.baseline.topics or frozenset())
        groups = members_beside_all(topic_groups, in_topic_order(known))
        return {
            group: (self.scores.among(topics), self.baseline.among(topics))
            for group, topics in groups.items()
        }


def _change(
    name: str,
    limit: Limit | Margin,
    before: tuple[Summarized, str],
    after: tuple[Summarized, str],
    group: str,
    sides: _Sides,
) -> Change:
    """How a run changed, with the p-value of the paired t test over topics that both have."""
    then, now = (side.summary(run, limit.measure) for side, run in (before, after))
    old, new = (side.by_topic(run, limit.measure) for side, run in (before, after))
    topics = [topic for topic in old if topic in new]
    values = [[side[topic] for topic in topics] for side in (new, old)]
    pvalue = None
    if len(topics) > 1:
        from cranfield import stats

        pvalue = float(stats.t_test(values).pvalue[0])
    if isinstance(limit, Limit):
        breach = limit.passed(then, now)
        return Change(name, limit.measure, then, now, limit, breach, pvalue, len(topics), group)
    for has, lacks, (side, _) in ((old, new, after), (new, old, before)):
        alone = in_topic_order(has.keys() - lacks.keys())
        sides.missing("topic", alone, side, f" for {name} in {limit.measure}")
    if group == ALL and len(topics) < 2:
        message = f"a margin needs at least 2 topics, found {len(topics)} that both sides have"
        raise failure("undefined", f"{message} in {limit.measure}", file=after[0].path)
    now, then = (sum(side) / len(side) if side else math.nan for side in values)
    paired = Paired(values[0], values[1], limit.better, limit.amount, limit.relative, limit.span)
    return Change(
        *(name, limit.measure, then, now, limit, False, pvalue, len(topics), group), paired=paired
    )


def _judged(found: Sequence[Change], how: HowToJudge) -> list[Change]:
    """The changes with their verdicts, which fail after a correction for all of them."""
    rows = [change.paired for change in found if change.paired is not None]
    return [
        replace(change, breach=one.verdict == verdicts.FAIL, verdict=one, paired=None)
        for change, one in zip(found, judged(rows, how), strict=True)
    ]


def overall(found: Sequence[Change], *, groups: bool) -> str:
    """The verdict over comparisons with margins: "pass", "fail" or "not known".

    One that failed is enough to fail. To pass, each over all topics has to, and with ``groups``
    each in a group of topics, too.
    """
    words = {change.verdict.verdict for change in found if change.verdict is not None}
    open_ones = [change for change in required(found, groups=groups) if not passed(change)]
    if verdicts.FAIL in words:
        return verdicts.FAIL
    return verdicts.OPEN if open_ones or not words else verdicts.PASS


def required(found: Sequence[Change], *, groups: bool) -> list[Change]:
    """The comparisons that have to pass."""
    return [change for change in found if groups or change.group == ALL]


def passed(change: Change) -> bool:
    """Whether a comparison with a margin passed."""
    return change.verdict is not None and change.verdict.verdict == verdicts.PASS
