"""Two sets of judgments on the same runs: a person's and a model's, or those of two people."""

from __future__ import annotations

import math
from dataclasses import fields

from cranfield._analysis.judges.documents import defined, documents
from cranfield._analysis.judges.result import Judges
from cranfield._analysis.judges.runs import RESAMPLES, favours, fidelity, group_favours, order
from cranfield._base.errors import failure, received_by, tell
from cranfield._base.options import SCORING, checked, keywords, of_judgments, probability, whole
from cranfield._base.text import counted
from cranfield._core import DEFAULT_COMPARED, Qrels
from cranfield._io.accepted import as_qrels
from cranfield._scoring.evaluator import Evaluator
from cranfield._stats.correlation import pearson
from cranfield._stats.predictions import ppi_mean
from cranfield._stats.registry import checked_test, too_few_for_tau
from cranfield._table.data_table import COUNT, MEAN, SHARE, TEXT, DataTable
from cranfield._table.result import with_kinds

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any, Unpack

    from cranfield._analysis.judges.documents import DocumentAgreement, Marginals, defined
    from cranfield._base.option_types import ScoringOptions
    from cranfield._io.accepted import QrelsLike, RunsLike
    from cranfield._measures.parse import MeasuresLike
    from cranfield._scores.scores import Scores


UNJUDGED = "Judged@10"
"""The measure whose rest is the share of unjudged documents."""


@checked
def compare(
    gold: QrelsLike,
    other: QrelsLike,
    runs: RunsLike,
    measures: MeasuresLike = None,
    *,
    groups: Mapping[str, str] | None = None,
    top: int = 10,
    marginals: Marginals = "separate",
    test: str = "t",
    correction: str | None = None,
    alpha: float = 0.05,
    level: float = 0.95,
    resamples: int = RESAMPLES,
    seed: int = 0,
    **options: Unpack[ScoringOptions],
) -> Judges:
    """Compares two sets of judgments on the same runs, to say whether one can stand in.

    >>> gold = {str(t): {"a": 1, "b": t % 2, "c": 0} for t in range(6)}
    >>> other = {str(t): {"a": 1, "b": 1, "c": 0} for t in range(6)}
    >>> good = {topic: {"a": 3.0, "b": 2.0, "c": 1.0} for topic in gold}
    >>> poor = {topic: {"c": 3.0, "b": 2.0, "a": 1.0} for topic in gold}
    >>> compare(gold, other, {"good": good, "poor": poor}, "AP").orders["AP", "tau"]
    1.0

    Parameters
    ----------
    gold, other
        Judgments, as for ``cranfield.evaluate``: those that are trusted, and those that are
        asked about.
    runs, measures
        As for ``cranfield.evaluate``; by default the measures of ``cranfield.compare``. The runs
        are read twice, so they cannot be open files.
    groups
        {run: group}: does the second judge favour the runs of a group?
    top
        How many of the best runs under gold to look at more closely.
    marginals
        What kappas take for chance, as for ``cranfield.stats.cohen_kappa``.
    test, correction, alpha
        As for ``cranfield.compare``, of all pairs of runs.
    level, resamples, seed
        Of the intervals, and of the resampled topics behind that of tau.
    options
        Those of ``cranfield.evaluate``, but for ``ties``.

    Returns
    -------
    Judges
        ``agreement``, ``orders``, ``conclusions``, ``favours`` and more, each a table; ``write``
        makes a page of them. Everything is on the topics that both judged; if the second judge
        has two more, ``predicted`` estimates the means over all of its topics.

    Raises
    ------
    Error
        Kind "label" for judgments without a topic in common and for a run without a group;
        "undefined" for fewer than two runs; and as ``cranfield.evaluate``.

    """
    probability("level", level)
    whole(top, "top", least=2)
    corrected = checked_test(test, correction, alpha)
    given = keywords("compare", options, SCORING)
    first, second = (as_qrels(one, **of_judgments(given)) for one in (gold, other))
    shared = [topic for topic in first.topics if topic in set(second.topics)]
    if not shared:
        raise failure("label", "the two sets of judgments have no topic in common")
    lines = _not_compared(first, second, shared)
    # Each judge reads the runs anew.
    given_runs: Any = runs
    each: Any = list(given_runs) if hasattr(runs, "__next__") else runs
    wanted = DEFAULT_COMPARED if measures is None else measures
    scored = []
    with received_by(lambda lines: None):
        for judged in (first, second):
            scored.append(Evaluator(judged, wanted, **given).evaluate(each))
        unjudged = _unjudged(first, each, shared, given)
    one, two = (scores.sel(topic=shared) for scores in scored)
    if few := too_few_for_tau(len(one.runs)):
        lines.append(few)
    if lines:
        tell(lines)
    agreed = documents(first, second, marginals=marginals)
    options_of_order: dict[str, Any] = {
        "top": top,
        "level": level,
        "resamples": resamples,
        "seed": seed,
    }
    orders = [order(one, two, measure=name, **options_of_order) for name in one.measures]
    tested = [
        fidelity(one, two, measure=name, test=test, correction=correction, alpha=alpha, seed=seed)
        for name, measure in zip(one.measures, one.core.measures, strict=True)
        if measure.aggregate not in ("geometric", "pooled") and len(shared) > 1
    ]
    main = one.measures[0]
    favoured = favours(one, two, measure=main, unjudged=unjudged)
    return Judges(
        agreed,
        _summary(agreed),
        _table(orders, leave=("level",)),
        _table(tested, leave=("test", "correction", "alpha")),
        favoured,
        _correlation(favoured),
        None
        if groups is None
        else group_favours(one, two, dict(groups), measure=main, level=level),
        predicted(scored, shared, main, level),
        one,
        two,
        {
            "measures": list(one.measures),
            "top": top,
            "marginals": marginals,
            "test": test,
            "correction": corrected,
            "alpha": alpha,
            "level": level,
            "resamples": resamples,
            "seed": seed,
        },
    )


def _not_compared(first: Qrels, second: Qrels, shared: Sequence[str]) -> list[str]:
    """Sentences that say where not all topics are compared."""
    lines = []
    for judged, which in ((first, "gold"), (second, "the second judge")):
        number = len(judged.topics) - len(shared)
        if number:
            lines.append(f"not compared: {counted(number, 'topic')} that only {which} judged")
    return lines


def _unjudged(
    gold: Qrels, runs: RunsLike, shared: Sequence[str], options: Mapping[str, Any]
) -> dict[str, float]:
    """The share of the first ten documents of each run that gold did not judge."""
    scores = Evaluator(gold, UNJUDGED, **options).evaluate(runs).sel(topic=list(shared))
    means = scores.mean()[:, 0].tolist()
    return {run: 1 - mean for run, mean in zip(scores.runs, means, strict=True)}


def _correlation(favoured: DataTable) -> float:
    """Of favour and of the share of unjudged documents."""
    rows = favoured.to_dict().values()
    pairs = [(row["favour"], row["unjudged"]) for row in rows if row["unjudged"] is not None]
    if len(pairs) < 2:
        return math.nan
    columns = [list(column) for column in zip(*pairs, strict=True)]
    return defined(lambda: pearson(*columns))


def _summary(agreed: DocumentAgreement) -> DataTable:
    """Each coefficient over all documents, and its mean over topics."""
    names = [name for name in agreed.all if name != "documents"]
    columns: dict[str, list[Any]] = {
        "coefficient": names,
        "all documents": [agreed.all[name] for name in names],
        "mean over topics": [agreed.means[name] for name in names],
    }
    return DataTable(with_kinds(columns))


def _table(rows: Sequence[Any], leave: Sequence[str]) -> DataTable:
    """Dataclasses as a table, their measure first."""
    if not rows:
        return DataTable({"measure": (TEXT, [])})
    names = [one.name for one in fields(rows[0]) if one.name not in leave]
    columns = {name.replace("_", " "): [getattr(row, name) for row in rows] for name in names}
    return DataTable(with_kinds(columns))


def predicted(
    scored: Sequence[Scores], shared: Sequence[str], measure: str, level: float
) -> DataTable | None:
    """The mean of each run over all topics of the second judge, from both."""
    import numpy as np

    gold, other = scored
    inside = set(shared)
    rest = [topic for topic in other.topics if topic not in inside]
    if len(rest) < 2 or len(shared) < 2:
        return None
    rows = []
    for run in gold.sel(measure=measure).best_first():
        name = gold.runs[run]
        y, f, u = (
            one.sel(run=name, topic=topics, measure=measure).values[0, :, 0]
            for one, topics in ((gold, shared), (other, shared), (other, rest))
        )
        # Undefined values cannot be paired.
        known = ~(np.isnan(y) | np.isnan(f))
        y, f, u = y[known], f[known], u[~np.isnan(u)]
        if len(y) > 1 and len(u) > 1:
            rows.append((name, ppi_mean(y, f, u, level=level)))
    return DataTable(
        {
            "run": (TEXT, [name for name, _ in rows]),
            "mean": (SHARE, [one.estimate for _, one in rows]),
            "low": (SHARE, [one.low for _, one in rows]),
            "high": (SHARE, [one.high for _, one in rows]),
            "gold low": (SHARE, [one.gold_low for _, one in rows]),
            "gold high": (SHARE, [one.gold_high for _, one in rows]),
            "lam": (SHARE, [lam for lam in (one.lam for _, one in rows) if isinstance(lam, float)]),
            "gold topics": (COUNT, [one.n for _, one in rows]),
            "effective topics": (
                MEAN,
                [one.effective_n if math.isfinite(one.effective_n) else None for _, one in rows],
            ),
        }
    )
