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
from typing import Any, NamedTuple, Unpack

import numpy as np
from numpy.typing import NDArray

from cranfield._base.errors import failure, label_failure
from cranfield._base.option_types import ScoringOptions
from cranfield._base.options import SCORING, checked, keywords, of_judgments
from cranfield._base.text import counted, number, printable
from cranfield._core import SpanQrels
from cranfield._io.inputs import QrelsLike, RunsLike, as_judgments, as_run, loaded, reading_of
from cranfield._measures.parse import with_rel
from cranfield._scoring.evaluator import Evaluator
from cranfield._table.result import Result

TYPE_CHECKING = False
if TYPE_CHECKING:
    from matplotlib.axes import Axes


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
        How many levels of recall from 0 to 1 the curve of a run has: from
        2 to 1,000,000.
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
    chosen = _Chosen("precision_recall", "AP", topic, rel, _steps(points), condensed)
    judged = as_judgments(qrels, **of_judgments(options))
    if isinstance(judged, SpanQrels):
        if condensed:
            raise failure("option", "condensed lists are of documents, and these are of chunks")
        return _over_characters(judged, run, chosen, options)
    name, (recall, best, *precision), value = _drawn(chosen, judged, run, options)
    topic = None if topic is None else str(topic)
    return PrecisionRecall(name, topic, recall, best, precision[0] if precision else None, value)


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
        How many false positive rates from 0 to 1 the curve of a run has: from
        2 to 1,000,000.
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
    chosen = _Chosen("roc", "AUC", topic, rel, _steps(points), condensed)
    name, (false, true), area = _drawn(chosen, qrels, run, options)
    return ROC(name, None if topic is None else str(topic), false, true, area)


class _Chosen(NamedTuple):
    """What is drawn: the function that was called, the measure whose value goes with the curve."""

    function: str
    family: str
    topic: str | int | None
    rel: float
    steps: int
    condensed: bool


def _over_characters(
    gold: SpanQrels, run: RunsLike, chosen: _Chosen, options: ScoringOptions
) -> PrecisionRecall:
    """The curve of a run of chunks, where every character is a document."""
    given = keywords("precision_recall", options, SCORING)
    rel, steps = chosen.rel, chosen.steps
    ap = with_rel("char-AP", rel)
    source = as_run(run, reading_of(gold, options))
    chunks: Any = source.data
    if chosen.topic is None:
        levels = [f"{with_rel('char-IPrec', rel)}@{step / steps!r}" for step in range(steps + 1)]
        means = Evaluator(gold, [ap, *levels], **given).evaluate(chunks).mean()[0]
        grid, points = _read_only(np.arange(steps + 1) / steps), _read_only(means[1:])
        return PrecisionRecall(source.name, None, grid, points, None, float(means[0]))
    name = str(chosen.topic)
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


def _drawn(
    chosen: _Chosen, qrels: QrelsLike, runs: RunsLike, options: ScoringOptions
) -> tuple[str, list[NDArray[np.float64]], float]:
    """The name of the run, the arrays of the curve, and the value of the measure.

    The policies act on the measure: what they leave out is NaN.
    """
    measure = with_rel(chosen.family, chosen.rel)
    keywords(chosen.function, options, SCORING)
    evaluator = Evaluator(qrels, measure.prime if chosen.condensed else measure, **options)
    topics, steps = evaluator.qrels.topics, None
    if chosen.topic is None:
        steps = chosen.steps
    elif str(chosen.topic) in topics:
        evaluator._only([str(chosen.topic)])
    else:
        raise label_failure("topic", str(chosen.topic), topics)
    source = as_run(runs, options)
    run, core = loaded(source, options), evaluator._core
    scores = core.evaluate([run])
    evaluator._notify(scores)
    values = scores.values()[0, :, 0].tolist()
    places = [place for place, value in enumerate(values) if not math.isnan(value)]
    if chosen.topic is not None:
        places = [topics.index(str(chosen.topic))]
    arrays = core.curve(run, places, roc=chosen.family == "AUC", steps=steps)
    mean = sum(values[place] for place in places) / len(places) if places else math.nan
    for array in arrays:
        if chosen.topic is not None and math.isnan(mean):
            array.fill(math.nan)
        _read_only(array)
    return source.name, arrays, mean


def _steps(points: int) -> int:
    """How many steps lie between so many points."""
    if not 2 <= points <= _MOST_POINTS:
        raise failure("option", f"expected from 2 to {_MOST_POINTS} points, found {points!r}")
    return points - 1


_MOST_POINTS = 1_000_000
"""More would not be seen, and take memory and time for nothing."""


def _read_only(values: NDArray[np.float64]) -> NDArray[np.float64]:
    values.flags.writeable = False
    return values


def _label(curve: PrecisionRecall | ROC) -> str:
    """What a curve is called."""
    return printable(curve.run if curve.topic is None else f"{curve.run}, {curve.topic}")
