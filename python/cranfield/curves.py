"""Precision-recall and ROC curves, of a topic or of a whole run, as arrays.

>>> import cranfield as cf
>>> qrels, run = {"1": {"a": 1, "c": 1}}, {"1": {"a": 3, "b": 2, "c": 1}}
>>> curve = cf.curves.precision_recall(qrels, run, "1")
>>> curve.recall, curve.precision.round(2), curve.interpolated.round(2)
(array([0.5, 0.5, 1. ]), array([1.  , 0.5 , 0.67]), array([1.  , 1.  , 0.67]))

All counts are integers until the last division, so levels of recall and
of false positives are compared exactly.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cranfield._base.errors import failure, label_failure
from cranfield._base.options import SCORING, checked, keywords, of_judgments
from cranfield._base.text import counted, number, printable
from cranfield._core import SpanQrels
from cranfield._io.inputs import as_judgments, as_run, loaded, reading_of
from cranfield._measures.parse import with_rel
from cranfield._scoring.evaluator import Evaluator
from cranfield._table.result import Result

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, Unpack

    from matplotlib.axes import Axes

    from cranfield._base.option_types import ScoringOptions
    from cranfield._io.inputs import QrelsLike, RunsLike


__all__ = ["ROC", "PrecisionRecall", "precision_recall", "roc"]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class PrecisionRecall(Result):
    """A precision-recall curve. Arrays are float64 and read-only."""

    run: str
    """The name of the run."""
    topic: str | None
    """The topic; ``None`` for the mean over topics."""
    recall: NDArray[np.float64]
    """Of a topic the recall at ranks 1 to n, of a run the levels: shape (n,)."""
    interpolated: NDArray[np.float64]
    """The highest precision wherever recall is at least that: shape (n,)."""
    precision: NDArray[np.float64] | None
    """Of a topic the precision at ranks 1 to n: shape (n,). A run has none."""
    ap: float
    """The average precision; of a run the mean over topics."""

    @checked
    def plot(self, ax: Axes | None = None, *, legend: bool = True, **style: Any) -> Axes:
        """Draws the curve; of a topic also the precision at every rank, thinly.

        The interpolated precision of a topic is drawn from recall 0 on.

        Parameters
        ----------
        ax
            The axes to draw into; not given: new ones. Several curves in the
            same axes have different colors; from the eleventh on they are gray.
        legend
            Whether the legend is made, which names the first ten curves with
            their AP.
        **style
            For ``Axes.plot`` of matplotlib.

        Returns
        -------
        Axes

        Raises
        ------
        Error
            Kind "option" for what are not axes.
        ImportError
            Without matplotlib.

        """
        from cranfield._plot.charts import CurveAxes

        axes = CurveAxes(ax, "recall", "precision")
        name, summary = _label(self), f"AP {number(self.ap)}"
        if self.precision is None:
            axes.curve(self.recall, self.interpolated, name, summary, style)
        else:
            # The highest precision at recall 0 or more is that at the first rank or more.
            levels = np.concatenate((np.zeros_like(self.recall[:1]), self.recall))
            best = np.concatenate((self.interpolated[:1], self.interpolated))
            line = axes.curve(levels, best, name, summary, {"drawstyle": "steps-pre"} | style)
            axes.thin(self.recall, self.precision, line)
        return axes.finished(legend=legend, corner="best")

    def __repr__(self) -> str:
        return f"<PrecisionRecall: {_label(self)}, {counted(len(self.recall), 'point')}>"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ROC(Result):
    """A receiver operating characteristic. Arrays are float64 and read-only."""

    run: str
    """The name of the run."""
    topic: str | None
    """The topic; ``None`` for the mean over topics."""
    false_positive_rate: NDArray[np.float64]
    """The share retrieved of what is not relevant, rising: shape (n,)."""
    true_positive_rate: NDArray[np.float64]
    """The share retrieved of what is relevant, which is recall: shape (n,)."""
    auc: float
    """The area under the curve; of a run the mean of the topics' areas."""

    @checked
    def plot(self, ax: Axes | None = None, *, legend: bool = True, **style: Any) -> Axes:
        """Draws the curve, and the diagonal: the curve of random order.

        All as for ``PrecisionRecall.plot``; the legend has the AUC.
        """
        from cranfield._plot.charts import CurveAxes

        axes = CurveAxes(ax, "false positive rate", "true positive rate")
        x, y = self.false_positive_rate, self.true_positive_rate
        axes.curve(x, y, _label(self), f"AUC {number(self.auc)}", style)
        axes.diagonal()
        return axes.finished(legend=legend, corner="lower right")

    def __repr__(self) -> str:
        points = counted(len(self.true_positive_rate), "point")
        return f"<ROC: {_label(self)}, {points}, AUC {self.auc:.4f}>"


@checked
def precision_recall(
    qrels: QrelsLike,
    run: RunsLike,
    topic: str | int | None = None,
    *,
    rel: float = 1,
    points: int = 11,
    condensed: bool = False,
    **options: Unpack[ScoringOptions],
) -> PrecisionRecall:
    """The precision-recall curve of a topic, or the mean one of a run.

    Of a topic: recall, precision and interpolated precision at every rank of
    its list. Of a run: the mean over topics of the interpolated precision at
    equally spaced levels of recall, which is the mean of ``IPrec``. Manning,
    Raghavan and Schütze (2008), Introduction to Information Retrieval,
    equation 8.7 and figures 8.2 and 8.3.

    Parameters
    ----------
    qrels
        As for ``evaluate``.
    run
        As for ``evaluate``, one run.
    topic
        A topic of the qrels; not given: the mean over all.
    rel
        The lowest grade that is relevant.
    points
        How many levels of recall from 0 to 1 the curve of a run has: at
        least 2.
    condensed
        Whether documents without a judgment are taken out first.
    **options
        missing, undefined, order, scores, duplicates, negative, depth,
        lenient, run_layout and limits, as for ``evaluate``. A topic without a relevant
        document has zeros, or NaN under undefined="skip", which the mean
        leaves out; so has a topic that is left out under missing="skip".

    Returns
    -------
    PrecisionRecall

    Raises
    ------
    Error
        As ``evaluate``; kind "option" for more or less than one run and for
        too few points, "label" for a topic that the qrels do not have.

    Notes
    -----
    Under judgments of spans the curve is that of characters: precision is read
    at the ends of chunks, as in INEX, and AP is ``char-AP``.

    """
    steps = _steps(points)
    judged = as_judgments(qrels, **of_judgments(options))
    if isinstance(judged, SpanQrels):
        if condensed:
            raise failure("option", "condensed lists are of documents, and these are of chunks")
        return _over_characters(judged, run, topic, rel, steps, options)
    qrels = judged
    name, found = _found("precision_recall", "AP", qrels, run, topic, rel, condensed, options)
    if topic is not None:
        (one,) = found
        above = one.above()
        recall, best = above / max(one.relevant, 1), one.interpolated(above)
        precision = above / np.arange(1, one.retrieved + 1)
        recall, best, precision = (_settled(array, one) for array in (recall, best, precision))
        return PrecisionRecall(name, str(topic), recall, best, precision, one.value)
    kept = [one for one in found if not math.isnan(one.value)]
    curves = [one.interpolated(one.needed(steps)) for one in kept]
    return PrecisionRecall(name, None, _grid(steps), _mean(curves, points), None, _mean_value(kept))


@checked
def roc(
    qrels: QrelsLike,
    run: RunsLike,
    topic: str | int | None = None,
    *,
    rel: float = 1,
    points: int = 101,
    condensed: bool = False,
    **options: Unpack[ScoringOptions],
) -> ROC:
    """The ROC curve of a topic, or the mean one of a run.

    Of a topic: from (0, 0) over every rank of its list to (1, 1). Documents
    that were not retrieved are one tied block, so the last part is a straight
    line, and the area is ``AUC``. Of a run: the mean over topics of the true
    positive rate at equally spaced false positive rates, linear in between
    and the upper end where the curve is vertical. Manning, Raghavan and
    Schütze (2008), section 8.4; Fawcett (2006), An introduction to ROC
    analysis, Pattern Recognition Letters, algorithm 3.

    Parameters
    ----------
    qrels
        As for ``evaluate``, with docs_in_collection. All documents of the
        collection that are not judged relevant count as not relevant.
    run, topic, rel
        As for ``precision_recall``.
    points
        How many false positive rates from 0 to 1 the curve of a run has: at
        least 2.
    condensed, **options
        As for ``precision_recall``. A topic without a relevant document has
        a true positive rate and an area of 0.

    Returns
    -------
    ROC

    Raises
    ------
    Error
        As ``precision_recall``; kind "needs" for qrels without
        docs_in_collection, "option" if it is less than a topic shows.

    """
    steps = _steps(points)
    name, found = _found("roc", "AUC", qrels, run, topic, rel, condensed, options)
    if topic is not None:
        (one,) = found
        x, y = one.corners()
        false, true = x / max(one.others, 1), y / max(one.relevant, 1)
        return ROC(name, str(topic), _settled(false, one), _settled(true, one), one.value)
    kept = [one for one in found if not math.isnan(one.value)]
    curves = [one.vertical(steps) for one in kept]
    return ROC(name, None, _grid(steps), _mean(curves, points), _mean_value(kept))


def _over_characters(
    gold: SpanQrels,
    run: RunsLike,
    topic: str | int | None,
    rel: float,
    steps: int,
    options: ScoringOptions,
) -> PrecisionRecall:
    """The curve of a run of chunks, where every character is a document."""
    given = keywords("precision_recall", options, SCORING)
    ap = with_rel("char-AP", rel)
    source = as_run(run, reading_of(gold, options))
    chunks: Any = source.data
    if topic is None:
        levels = [f"{with_rel('char-IPrec', rel)}@{step / steps!r}" for step in range(steps + 1)]
        means = Evaluator(gold, [ap, *levels], **given).evaluate(chunks).mean()[0]
        points = _read_only(means[1:])
        return PrecisionRecall(source.name, None, _grid(steps), points, None, float(means[0]))
    name = str(topic)
    if name not in gold:
        raise label_failure("topic", name, gold.topics)
    places = range(1, len(chunks.to_dict().get(name, ())) + 1)
    cut = [f"{with_rel(family, rel)}@{k}" for family in ("char-R", "char-SetP") for k in places]
    scores = Evaluator(gold, [ap, *cut], **given).evaluate(chunks)
    value, *values = scores.values[0, scores.topics.index(name)]
    recall, precision = np.array(values).reshape(2, -1)
    best = np.maximum.accumulate(precision[::-1])[::-1]
    best = best[np.searchsorted(recall, recall)]
    recall, best, precision = map(_read_only, (recall, best, precision))
    return PrecisionRecall(source.name, name, recall, best, precision, float(value))


@dataclass(frozen=True, slots=True)
class _List:
    """Where the relevant documents of a topic are."""

    retrieved: int
    relevant: int
    """The relevant documents, in the list or not."""
    others: int
    """The documents of the collection that are not relevant; 0 if unknown."""
    ranks: NDArray[np.int64]
    value: float
    """Its AP or AUC; NaN if a policy leaves it out."""

    def above(self) -> NDArray[np.int64]:
        """How many relevant documents there are down to each rank: (retrieved,)."""
        return np.searchsorted(self.ranks, np.arange(1, self.retrieved + 1), side="right")

    def needed(self, steps: int) -> NDArray[np.int64]:
        """How many relevant documents each level of recall needs: (steps + 1,)."""
        return np.array([-(-step * self.relevant // steps) for step in range(steps + 1)])

    def interpolated(self, needed: NDArray[np.int64]) -> NDArray[np.float64]:
        """The highest precision at the ranks with at least that many relevant documents.

        If none is needed, the first is used; if more are needed than were
        retrieved, it is 0.
        """
        precision = np.arange(1, len(self.ranks) + 1) / self.ranks
        best = np.append(np.maximum.accumulate(precision[::-1])[::-1], 0.0)
        found: NDArray[np.float64] = best[np.clip(needed, 1, len(best)) - 1]
        return found

    def corners(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Documents that are not relevant, and that are, from nothing to all."""
        above = self.above()
        false = np.arange(1, self.retrieved + 1) - above
        return (
            np.concatenate(([0], false, [self.others])),
            np.concatenate(([0], above, [self.relevant])),
        )

    def vertical(self, steps: int) -> NDArray[np.float64]:
        """The true positive rate at equally spaced false positive rates."""
        false, true = (array.tolist() for array in self.corners())
        limits = [step * self.others // steps for step in range(steps + 1)]
        places = np.searchsorted(false, limits, side="right") - 1
        values = []
        for step, place in enumerate(places.tolist()):
            value = float(true[place])
            beyond = step * self.others - false[place] * steps
            if beyond:
                width = (false[place + 1] - false[place]) * steps
                value += (true[place + 1] - true[place]) * (beyond / width)
            values.append(value / max(self.relevant, 1))
        return np.array(values)


def _found(
    function: str,
    family: str,
    qrels: QrelsLike,
    runs: RunsLike,
    topic: str | int | None,
    rel: float,
    condensed: bool,
    options: ScoringOptions,
) -> tuple[str, list[_List]]:
    """The name of the run, and the list of the topic or of each topic."""
    measure = with_rel(family, rel)
    keywords(function, options, SCORING)
    evaluator = Evaluator(qrels, measure.prime if condensed else measure, **options)
    judged = evaluator.qrels
    if topic is not None:
        if str(topic) not in judged.topics:
            raise label_failure("topic", str(topic), judged.topics)
        evaluator._only([str(topic)])
    source = as_run(runs, options)
    run = loaded(source, options)
    core = evaluator._core
    # The policies act on the measure: what they leave out is NaN.
    scores = core.evaluate([run])
    evaluator._notify(scores)
    values = scores.values()[0, :, 0].tolist()
    size = judged.docs_in_collection or 0
    entries = zip(judged.topics, core.relevant_ranks(run), values, strict=True)
    return source.name, [
        _List(retrieved, relevant, max(size - relevant, 0), ranks.astype("int64"), value)
        for name, (retrieved, relevant, ranks), value in entries
        if topic is None or name == str(topic)
    ]


def _steps(points: int) -> int:
    """How many steps lie between so many points."""
    if points < 2:
        raise failure("option", f"expected at least 2 points, found {points!r}")
    return points - 1


def _grid(steps: int) -> NDArray[np.float64]:
    """Levels from 0 to 1."""
    return _read_only(np.arange(steps + 1) / steps)


def _mean(curves: list[NDArray[np.float64]], points: int) -> NDArray[np.float64]:
    """The mean of curves; of none it is NaN."""
    return _read_only(np.mean(curves, axis=0) if curves else np.full(points, np.nan))


def _mean_value(lists: Sequence[_List]) -> float:
    """The mean of their APs or AUCs; of none it is NaN."""
    return sum(one.value for one in lists) / len(lists) if lists else math.nan


def _settled(values: NDArray[np.float64], one: _List) -> NDArray[np.float64]:
    """The values of a topic, or NaN if a policy leaves it out."""
    return _read_only(np.full_like(values, np.nan) if math.isnan(one.value) else values)


def _read_only(values: NDArray[np.float64]) -> NDArray[np.float64]:
    values.flags.writeable = False
    return values


def _label(curve: PrecisionRecall | ROC) -> str:
    """What a curve is called."""
    return printable(curve.run if curve.topic is None else f"{curve.run}, {curve.topic}")
