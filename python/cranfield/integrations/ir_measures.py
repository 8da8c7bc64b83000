"""cranfield as a provider of ir_measures.

In use::

    from cranfield.integrations import ir_measures as hook
    hook.register()
    ir_measures.calc_aggregate([nDCG @ 10, AP], qrels, run)

``register`` puts the provider first in ``ir_measures``' default pipeline, so
that every call of ``ir_measures``, and every program that evaluates through it,
gets its values from here, and no number changes: measures keep the order of
equal scores, the precision of scores and the decimals of the program that
``ir_measures`` took them from. ``docs/howto/hosts/ir_measures.md`` lists them, and
where a value can differ. Measures that cranfield does not compute stay where
they were.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache, partial
from numbers import Real
from subprocess import CalledProcessError
from typing import Literal, NamedTuple, TypeAlias

import ir_measures as host
import numpy as np
from ir_measures import measures as known
from ir_measures.providers import Evaluator, Provider
from ir_measures.providers import registry as providers
from ir_measures.providers.base import NOT_PROVIDED, Any, Choices, ParamSpec
from ir_measures.util import QrelsConverter, RunConverter
from numpy.typing import NDArray

import cranfield as cf
from cranfield._base.option_types import Missing, Negative, Order
from cranfield._io import columns
from cranfield._scoring.evaluator import Hosted
from cranfield._scoring.ranked import in_given_order
from cranfield.integrations import Patch, _fingerprints
from cranfield.integrations import _ir_measures_names as naming
from cranfield.integrations._dicts import nested_once

_Dict: TypeAlias = dict[str, dict[str, float]]
_Needs: TypeAlias = tuple["Rule", Missing, tuple[tuple[int, float], ...] | None]
_Values: TypeAlias = tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.bool_]]


class Rule(NamedTuple):
    """How the program that ir_measures takes a measure from reads a run."""

    order: Order
    scores: Literal["f64", "f32"]
    negative: Negative


TREC_EVAL = Rule("docno_desc", "f32", "unjudged")
GDEVAL = Rule("docno_desc", "f64", "unjudged")
ASCENDING = Rule("docno_asc", "f64", "nonrelevant")
"""RR@k and Judged, which are Python in ir_measures."""
GIVEN = Rule("input", "f64", "unjudged")
"""RBP from cwl_eval: equal scores stay as they come."""


class _Below(ParamSpec):
    """A parameter that is given and below a bound."""

    def __init__(self, bound: float) -> None:
        self.bound = bound

    def validate(self, value: object) -> bool:
        return isinstance(value, (int, float)) and value < self.bound


RBP_BOUND = 0.97
"""cwl_eval divides by the weight of 1,000 ranks, which below this p is 1 to 13 digits."""


class CranfieldProvider(Provider):
    """The measures of ir_measures that cranfield computes, by the rules of ir_measures."""

    NAME = "cranfield"
    SUPPORTED_MEASURES = [  # noqa: RUF012 - the host's own form
        known._P(cutoff=Any(required=True), rel=Any(), judged_only=Any()),
        known._R(cutoff=Any(required=True), rel=Any(), judged_only=Any()),
        known._RR(cutoff=Any(), rel=Any(), judged_only=Any()),
        known._Rprec(rel=Any(), judged_only=Any()),
        known._AP(cutoff=Any(), rel=Any(), judged_only=Any()),
        known._nDCG(cutoff=Any(), dcg=Choices("log2"), gains=Any(), judged_only=Any()),
        known._nDCG(
            cutoff=Any(),
            dcg=Choices("exp-log2"),
            gains=Choices(NOT_PROVIDED),
            judged_only=Choices(False),
        ),
        known._ERR(cutoff=Any(required=True)),
        known._RBP(cutoff=Any(), p=_Below(RBP_BOUND), rel=Any(required=True)),
        known._Bpref(rel=Any()),
        known._infAP(rel=Any()),
        known._Success(cutoff=Any(required=True), rel=Any(), judged_only=Any()),
        known._SetP(rel=Any(), relative=Any(), judged_only=Any()),
        known._SetR(rel=Any()),
        known._SetF(rel=Any(), beta=Any(), judged_only=Any()),
        known._SetAP(rel=Any(), judged_only=Any()),
        known._Judged(cutoff=Any()),
        known._NumQ(),
        known._NumRel(rel=Any()),
        known._NumRet(rel=Any()),
    ]

    def supports(self, measure: host.Measure) -> bool:
        """Whether cranfield computes it as ir_measures does, or it is one of ``define``."""
        if isinstance(measure, naming.Named):
            measure.validate_params()
            return True
        return bool(super().supports(measure))

    def _evaluator(self, measures: Iterable[host.Measure], qrels: object) -> Evaluator:
        return CranfieldEvaluator(measures, qrels)


class CranfieldEvaluator(Evaluator):
    """Judgments and measures of ir_measures, compiled once to score runs many times.

    May be used from several threads at a time.
    """

    def __init__(self, measures: Iterable[host.Measure], qrels: object) -> None:
        """Compiles; raises what the measures and judgments of cranfield raise.

        A level of relevance below 1 is a ``TypeError``, as in pytrec_eval.
        """
        wanted = list(dict.fromkeys(measures))
        judgments, unjudged = _judgments(qrels)
        self._topics = [*judgments.topics, *unjudged]
        super().__init__(wanted, set(self._topics))
        self._columns = wanted
        self._groups = _groups(wanted, judgments)
        self._of_numpy = [
            place for group in self._groups if group.rule == GIVEN for place in group.places
        ]

    def calc_aggregate(self, run: object) -> dict[host.Measure, float]:
        """Each measure's sum or mean over the topics of the judgments.

        A topic that the run lacks counts as the measure's default, as it does
        in ir_measures; to a measure of cranfield it is an empty list. GMAP and
        gm_bpref are geometric means, micro_P and its like the proportion of all
        topics together, as in cranfield.
        """
        return self._aggregated(*self._values(run))

    def iter_calc(self, run: object) -> Iterator[host.Metric]:
        """The value of every topic of the judgments and every measure."""
        values, _, there = self._values(run)
        yield from self._metrics(values, there)

    def calc(self, run: object) -> host.CalcResults:
        """Both of these."""
        values, pooled, there = self._values(run)
        return host.CalcResults(
            self._aggregated(values, pooled, there), list(self._metrics(values, there))
        )

    def _metrics(
        self, values: NDArray[np.float64], there: NDArray[np.bool_]
    ) -> Iterator[host.Metric]:
        width = len(self._columns)
        topics = (topic for topic in self._topics for _ in range(width))
        plain: list[float] = values.ravel().tolist()
        for place in self._of_numpy:
            # The host has numpy's numbers of a topic that was scored, and its default otherwise.
            plain[place::width] = [
                value if here else 0.0
                for value, here in zip(values[:, place], there.tolist(), strict=True)
            ]
        return map(
            host.Metric._make, zip(topics, self._columns * len(self._topics), plain, strict=True)
        )

    def _aggregated(
        self, values: NDArray[np.float64], pooled: NDArray[np.float64], there: NDArray[np.bool_]
    ) -> dict[host.Measure, float]:
        sums = values.sum(axis=0).tolist()
        count = len(self._topics)
        found: dict[host.Measure, float] = {}
        for place, (measure, total) in enumerate(zip(self._columns, sums, strict=True)):
            if isinstance(measure, naming.Named) and measure.pooled():
                found[measure] = float(pooled[place])
                continue
            aggregator = measure.aggregator()
            if isinstance(aggregator, known.SumAgg):
                found[measure] = total
            elif isinstance(aggregator, known.MeanAgg):
                found[measure] = total / count if count else aggregator.default
            else:
                for value in values[:, place].tolist():
                    aggregator.add(value)
                found[measure] = aggregator.result()
        for place in self._of_numpy if there.any() else ():
            found[self._columns[place]] = np.float64(found[self._columns[place]])
        return found

    def _values(self, run: object) -> _Values:
        """The values, shape (topics, measures), in the order of both.

        And what each measure's own aggregate of them is, shape (measures,), for those
        that take all topics together; and, where it matters, which topics the run has.
        """
        scored, as_seen, as_given = _scored(run, once=len(self._groups) == 1)
        with _types_as_hosts(as_seen):
            try:
                return self._scored(scored, as_seen)
            except cf.Error as error:
                if error.kind != "duplicate":
                    raise
            found = self._scored(as_seen(), as_seen)
        self._with_repeats(found[0], as_given())
        return found

    def _with_repeats(self, values: NDArray[np.float64], given: object) -> None:
        """Takes the values of programs that count each line of a repeated document from the host.

        All others see the last line only.
        """
        rows = {topic: place for place, topic in enumerate(self._topics)}
        for group in self._groups:
            program = providers.get({GDEVAL: "gdeval", GIVEN: "cwl_eval"}.get(group.rule, ""))
            if program is None or not program.is_available():
                continue
            places = {self._columns[place]: place for place in group.places}
            own = [m for m in places if not isinstance(m, naming.Named) and program.supports(m)]
            judged = {
                topic: {document: int(grade) for document, grade in grades.items()}
                for topic, grades in group.judgments.to_dict().items()
            }
            try:
                metrics = list(program.evaluator(own, judged).iter_calc(given)) if own else []
            except CalledProcessError:
                # gdeval takes topics that are numbers only.
                continue
            for metric in metrics:
                values[rows[metric.query_id], places[metric.measure]] = metric.value

    def _scored(self, run: cf.Run | str | _Dict, as_seen: Callable[[], _Dict]) -> _Values:
        values = np.zeros((len(self._topics), len(self._columns)))
        pooled = np.full(len(self._columns), np.nan)
        there = np.zeros(len(self._topics), np.bool_)
        for group in self._groups:
            part, pooled[group.places], found = group.values(run, as_seen)
            values[: len(part), group.places] = part
            if group.rule == GIVEN:
                there[: len(part)] = found
        return values, pooled, there


class _Member(NamedTuple):
    """A measure of a group: its place among all, what it is here, the decimals it is given with."""

    place: int
    measure: cf.Measure
    decimals: int | None


class _Group:
    """The measures that read a run by the same rule, from the same judgments."""

    def __init__(
        self, rule: Rule, judgments: cf.Qrels, missing: Missing, members: Sequence[_Member]
    ) -> None:
        self.rule = rule
        self.judgments = judgments
        self.places = [member.place for member in members]
        self._members = members
        self._scorer = Hosted(
            judgments,
            [member.measure for member in members],
            missing=missing,
            order="docno_desc" if rule == GIVEN else rule.order,
            scores=rule.scores,
            negative=rule.negative,
        )
        places = {measure: place for place, measure in enumerate(self._scorer.measures)}
        self._columns = [places[member.measure] for member in members]

    def values(self, run: cf.Run | str | _Dict, as_seen: Callable[[], _Dict]) -> _Values:
        """Of every topic of the judgments and every measure of the group, and the summary.

        And which of the topics have a value.
        """
        scores = self._scorer.evaluate(run)
        if self.rule == GIVEN and next(iter(scores.notes.values())).ties:
            scores = self._scorer.evaluate(in_given_order(as_seen()))
        values: NDArray[np.float64] = scores.values[0][:, self._columns]
        for column, (_, measure, decimals) in enumerate(self._members):
            if decimals is not None:
                self._in_last_bits(values, column, scores.topics, as_seen)
                values[:, column] = [round(value, decimals) for value in values[:, column].tolist()]
            if measure == _NUM_Q:
                values[:, column] = ~np.isnan(values[:, column])
        summary: NDArray[np.float64] = scores.summary()[0, self._columns]
        there = ~np.isnan(values[:, 0])
        return np.nan_to_num(values, copy=False, nan=0.0), summary, there

    def _in_last_bits(
        self,
        values: NDArray[np.float64],
        column: int,
        topics: Sequence[str],
        as_seen: Callable[[], _Dict],
    ) -> None:
        """ERR as gdeval adds it up, where that decides how the fifth decimal is rounded."""
        measure = self._members[column].measure
        if measure.family != "ERR":
            return
        parts = values[:, column] * 1e5 % 1
        halves = np.flatnonzero(np.abs(parts - 0.5) < 1e-6)
        if not len(halves):
            return
        run, judged = as_seen(), self.judgments.to_dict()
        cutoff = int(str(measure).rpartition("@")[2])
        for place in halves.tolist():
            topic = topics[place]
            values[place, column] = _as_gdeval(run[topic], judged[topic], cutoff)


def _as_gdeval(scored: dict[str, float], judged: Mapping[str, float], cutoff: int) -> float:
    """ERR by the definition, with the operations in the order in which gdeval has them."""
    first = heapq.nlargest(cutoff, scored.items(), key=lambda item: (item[1], item[0]))
    value, reading = 0.0, 1.0
    for rank, (document, _) in enumerate(first, 1):
        satisfied = (2 ** max(judged.get(document, 0), 0) - 1) / 16
        value += satisfied * reading / rank
        reading *= 1 - satisfied
    return value


_NUM_Q = cf.Measure("num_nonrel_judged_ret")
"""Scored in the place of NumQ: whether it is there says whether the topic is."""


def _groups(measures: list[host.Measure], judgments: cf.Qrels) -> list[_Group]:
    """The measures by what they need."""
    members: dict[_Needs, list[_Member]] = {}
    for place, measure in enumerate(measures):
        rule, own, decimals = _translated(measure)
        gains = _gains(measure)
        # A topic that the run lacks: 0 in ir_measures, an empty list to a measure of cranfield.
        missing: Missing = "zero" if isinstance(measure, naming.Named) else "skip"
        needs = rule, missing, None if gains is None else tuple(sorted(gains.items()))
        members.setdefault(needs, []).append(_Member(place, own, decimals))
    return [
        _Group(rule, judgments if gains is None else _regraded(judgments, gains), missing, own)
        for (rule, missing, gains), own in members.items()
    ]


def _gains(measure: host.Measure) -> dict[int, float] | None:
    if measure.NAME != "nDCG" or isinstance(measure, naming.Named):
        return None
    gains = measure["gains"]
    return None if gains is NOT_PROVIDED else gains


def _regraded(judgments: cf.Qrels, given: Iterable[tuple[int, float]]) -> cf.Qrels:
    """The judgments with gains for grades, where there is one."""
    gains = dict(given)
    return cf.Qrels(
        {
            topic: {doc: gains.get(grade, grade) for doc, grade in judged.items()}  # type: ignore[call-overload]
            for topic, judged in judgments.to_dict().items()
        }
    )


_TRANSLATED = ("gains", "relative", "beta")
"""Parameters of the host that cranfield does not have, or has in another sense."""


def _translated(measure: host.Measure) -> tuple[Rule, cf.Measure, int | None]:
    """How a measure is read, what it is here, and the decimals that it is given with."""
    if isinstance(measure, naming.Named):
        return GDEVAL, measure.in_cranfield(), None
    if measure.params.get("rel", 1) < 1:
        raise TypeError(f"expected rel of at least 1, found {measure}")
    name = measure.NAME
    cutoff = measure["cutoff"] if "cutoff" in measure.SUPPORTED_PARAMS else NOT_PROVIDED
    is_cut = cutoff is not NOT_PROVIDED
    plain = type(measure)(**{p: v for p, v in measure.params.items() if p not in _TRANSLATED})
    text = str(plain)
    rule, decimals = TREC_EVAL, None
    if name == "SetP" and measure["relative"]:
        text = text.replace(name, "SetRcap")
    elif name == "NumQ":
        text = str(_NUM_Q)
    own = cf.Measure(text)
    if name == "SetF":
        # trec_eval's parameter is the square of the beta of F.
        own = own(beta=math.sqrt(measure["beta"]))
    elif name == "RBP":
        rule = GIVEN
    elif name == "ERR":
        rule, decimals, own = GDEVAL, 5, own(max_rel=4)
    elif name == "nDCG" and measure["dcg"] == "exp-log2":
        rule, decimals = GDEVAL, 5 if is_cut else None
    elif name == "Judged" or (name == "RR" and is_cut and not measure["judged_only"]):
        rule = ASCENDING
    return rule, own, decimals


def _judgments(qrels: object) -> tuple[cf.Qrels, list[str]]:
    """Judgments of any form that ir_measures takes, and the topics that have none."""
    form, problem = "namedtuple_iter", None
    converter = QrelsConverter(qrels)
    # Of two judgments of a document the last counts, which only rows and dicts can say.
    try:
        if isinstance(qrels, naming.TrecFile):
            return cf.read_qrels(qrels.unread()), []
        form, problem = converter.predict_type()
        if form == "pd_dataframe":
            table = converter.qrels[["query_id", "doc_id", "relevance"]]
            with _types_as_hosts(converter.as_dict_of_dict):
                return columns.qrels_from_table(table, None), []
    except cf.Error as error:
        if error.kind != "conflict":
            raise
    if form == "UNKNOWN":
        raise ValueError(f"unknown qrels format: {problem}")
    if form == "namedtuple_iter":
        judged = naming.nested(list(converter.qrels), "relevance")
    else:
        judged = nested_once(converter.as_dict_of_dict(), "grade")
    there = {topic: grades for topic, grades in judged.items() if grades}
    with _types_as_hosts(lambda: there):
        return cf.Qrels(there), [topic for topic in judged if topic not in there]


def _scored(
    run: object, *, once: bool
) -> tuple[cf.Run | str | _Dict, Callable[[], _Dict], Callable[[], object]]:
    """A run of any form that ir_measures takes, or the path of a file that is read once.

    And what gives it as ir_measures sees it, of two lines with a document the last, and what
    gives all of its lines.
    """
    converter = RunConverter(run)
    if isinstance(run, naming.TrecFile):
        path = run.unread()
        lines = cache(lambda: list(converter.as_namedtuple_iter()))
        last = cache(lambda: naming.nested(lines(), "score"))
        return path if once else cf.read_run(path), last, lines
    form, problem = converter.predict_type()
    if form == "UNKNOWN":
        raise ValueError(f"unknown run format: {problem}")
    if form == "pd_dataframe":
        table = converter.run[["query_id", "doc_id", "score"]]
        with _types_as_hosts(converter.as_dict_of_dict):
            read = columns.run_from_table(table, "run")
            return read, converter.as_dict_of_dict, lambda: converter.run
    if form == "namedtuple_iter":
        rows = run if isinstance(run, list) else list(converter.run)
        plain = cf.Run.from_named_tuples(rows, topic="query_id", document="doc_id", score="score")
        as_seen = partial(naming.nested, rows, "score")
        return as_seen() if plain is None else plain, as_seen, lambda: rows
    held = nested_once(converter.run, "score")
    return held, lambda: held, lambda: held


@contextmanager
def _types_as_hosts(table: Callable[[], dict[str, dict[str, Any]]]) -> Iterator[None]:
    """Raises ``TypeError``, as the hosts do, where an id or a number is of a wrong type.

    ``table`` gives what was read; it is called only when something was wrong.
    """
    try:
        yield
    except cf.Error as error:
        values = (value for inner in table().values() for value in inner.values())
        wrong = error.kind == "number" and not all(isinstance(value, Real) for value in values)
        if wrong or error.kind == "type":
            raise TypeError(str(error)) from error
        raise


def define(measure: str | cf.Measure) -> host.Measure:
    """A measure of cranfield as one of ir_measures.

    It goes wherever a measure of ir_measures goes, whether or not the hook is
    registered: ``ir_measures.calc`` finds its provider once ``register`` was
    called; ``provider.calc([define("Q@10")], qrels, run)`` needs nothing.

    Raises ``cranfield.Error`` for a text that names no measure, and ``TypeError``
    for what is neither text nor a measure.
    """
    return naming.defined(measure)


provider: CranfieldProvider = CranfieldProvider()
"""The provider itself, to be called like any other of ir_measures."""


def register() -> Patch:
    """Makes cranfield the first provider of ir_measures; the result undoes that.

    * ``ir_measures.calc``, ``calc_aggregate``, ``iter_calc`` and ``evaluator``
      take their values from cranfield, measure by measure where it has them.
    * A provider that a user has inserted before those of ir_measures stays before this one.
    * ``parse_measure`` knows the names of cranfield's measures that ir_measures
      lacks: ``Q(beta=1)@10``, ``nRBP``, ``aAP(judged_only=True)@10``.
    * ``read_trec_run`` and ``read_trec_qrels`` of a path give what yields the
      same rows, and is read without making them where only cranfield scores it.

    An ir_measures that was not checked keeps its own providers, and a
    ``CranfieldWarning`` says so. Raises ``HostError`` if it has none of these.
    """
    patch = Patch()
    if _fingerprints.variant("ir_measures") is None:
        return patch
    pipeline = host.DefaultPipeline
    pipeline.providers.insert(_place(pipeline.providers), provider)
    patch.on_restore(lambda: pipeline.providers.remove(provider))
    if provider.NAME not in providers:
        providers[provider.NAME] = provider
        patch.on_restore(lambda: providers.pop(provider.NAME))
    of_pipeline = pipeline._evaluator

    def evaluator(measures: Iterable[host.Measure], qrels: object) -> Evaluator:
        wanted = list(measures)
        named = (p for p in pipeline.providers if p is provider or any(map(p.supports, wanted)))
        first = next(named)
        if first is provider and all(map(provider.supports, wanted)):
            return provider._evaluator(wanted, qrels)
        return of_pipeline(wanted, qrels)

    patch.replace(pipeline, "_evaluator", evaluator)
    naming.register_names(patch)
    naming.register_readers(patch)
    return patch


def _place(there: list[Provider]) -> int:
    """Before the first provider of ir_measures: those that a user put before these stay there."""
    own = (place for place, p in enumerate(there) if type(p).__module__.startswith("ir_measures."))
    return next(own, 0)
