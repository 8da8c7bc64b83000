"""How measures change with the judgments: with the depth of pools, and with what is missing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from cranfield import _core, collection
from cranfield._analysis.meta_scores import (
    Floats,
    discriminative_power,
    require_complete,
    signs,
    standardize,
)
from cranfield._analysis.meta_topics import Curve
from cranfield._base.errors import failure
from cranfield._base.options import checked, seed_of, wrong
from cranfield._core import Measure, Qrels, Ranked
from cranfield._scores.scores import Scores
from cranfield._scoring.evaluator import evaluate
from cranfield._scoring.ranked import rescored, scored


@checked
def rank_weights(measure: str | Measure, k: int) -> Floats:
    """What a relevant document is worth at each rank: float64, shape (k,).

    The value of the measure for a list whose only relevant document is
    at that rank. For measures that add up over ranks (P, CG, DCG, RBP) these
    are the weights of their sum (Webber, Moffat and Zobel 2010, Figure 1).
    """
    ranks = range(1, k + 1)
    documents = {f"{rank:09}": float(-rank) for rank in ranks}
    # One topic for each rank, with the document at that rank as its only relevant one.
    qrels = Qrels({f"{rank:09}": {f"{rank:09}": 1} for rank in ranks})
    ranked = evaluate(qrels, dict.fromkeys(documents, documents), [measure])
    return ranked.values[0, :, 0].copy()


@dataclass(frozen=True, slots=True, eq=False)
class Sweep:
    """Scores of runs under every pool depth and evaluation depth."""

    pool_depths: tuple[int, ...]
    evaluation_depths: tuple[int, ...]
    measures: tuple[str, ...]
    scores: dict[int, Scores]
    """By pool depth: every measure at every evaluation depth."""

    @checked
    def at(self, measure: str, pool: int, evaluation: int) -> Scores:
        """The scores of one measure at one depth of pool and of evaluation.

        Raises ``Error`` (kind "label") for a depth that was not swept.
        """
        if pool not in self.scores:
            message = f"expected one of the pool depths {self.pool_depths}, found {pool}"
            raise failure("label", message)
        return self.scores[pool].sel(measure=at_depth(measure, evaluation))

    @checked
    def power(self, measure: str, *, standardized: bool = False, alpha: float = 0.05) -> Floats:
        """Discriminative power by the t test: float64, (pool depths, evaluation depths).

        The share is of the pairs that differ in some topic, as Webber, Moffat
        and Zobel count them.
        """
        table = np.empty((len(self.pool_depths), len(self.evaluation_depths)))
        for i, pool in enumerate(self.pool_depths):
            for j, depth in enumerate(self.evaluation_depths):
                scores = self.at(measure, pool, depth)
                if standardized:
                    scores = standardize(scores)
                found = discriminative_power(scores, "t", alpha)
                table[i, j] = found.power_of_different[0]
        return table


@checked
def at_depth(measure: str, depth: int) -> str:
    """The spelling of a measure with a cutoff."""
    return str(Measure(measure) @ depth)


@checked
def sweep(
    runs: Any,
    qrels: Any,
    pool_depths: Sequence[int],
    evaluation_depths: Sequence[int],
    measures: Sequence[str],
    **options: Any,
) -> Sweep:
    """How deep to pool and how deep to evaluate.

    For each pool depth, only judgments of documents that some run ranks within
    that depth count; with these, every measure is evaluated at every depth.
    The runs are read once.

    Parameters
    ----------
    runs
        As for ``cranfield.evaluate``, or what ``collection.rank`` returned
        for these judgments.
    qrels
        The judgments.
    pool_depths, evaluation_depths
        Depths from 1.
    measures
        Measures that take a cutoff, without it: "nDCG", "RBP(residual=0.1)".
    options
        As for ``collection.rank``.

    """
    if isinstance(runs, Qrels):
        raise failure("type", "expected runs, then judgments; found judgments first")
    if not isinstance(qrels, Qrels):
        raise wrong("qrels", "Qrels", qrels)
    wanted = [at_depth(measure, depth) for measure in measures for depth in evaluation_depths]
    ranked = ranked_runs(qrels, runs, {"measures": wanted, **options})
    threads = options.get("threads")
    scored(qrels, ranked, wanted, threads=threads)
    scores = {
        depth: rescored(
            collection.pool_to_depth(qrels, ranked, depth), ranked, wanted, threads=threads
        )
        for depth in pool_depths
    }
    return Sweep(tuple(pool_depths), tuple(evaluation_depths), tuple(measures), scores)


def ranked_runs(qrels: Qrels, runs: Any, options: dict[str, Any]) -> list[Ranked]:
    """Ranks the runs with judgments unless already ranked; options are then rejected."""
    several = isinstance(runs, (list, tuple))
    if several and runs and all(isinstance(run, Ranked) for run in runs):
        given = sorted(set(options) - {"keep_unjudged", "measures", "threads", "progress"})
        if given:
            message = f"{given[0]} was settled when the runs were ranked; give it to rank"
            raise failure("option", message)
        return list(runs)
    return collection.rank(qrels, runs, **options)


@checked
def incompleteness(
    qrels: Qrels,
    runs: Any,
    measures: str | Sequence[str | Measure],
    rates: Iterable[float],
    *,
    method: str = "stratified",
    samples: int = 10,
    seed: int = 0,
    truth: str | Measure | None = None,
    power: bool = True,
    test: str = "t",
    alpha: float = 0.05,
    rel: float | None = None,
    progress: Callable[[int, int], object] | None = None,
    **options: Any,
) -> Curve:
    """What happens to measures when judgments go missing.

    Judgments are reduced to each rate several times, and the runs, read
    once, are scored under what is left. Documents that lose their judgment
    stay in the pool, with grade -1, since infAP, subAP and the other
    estimates from samples count them.

    Parameters
    ----------
    qrels, runs
        The judgments; and runs as for ``cranfield.evaluate``, or what
        ``collection.rank`` returned for these judgments.
    measures
        As for ``cranfield.evaluate``.
    rates
        Shares of the judgments to keep.
    method
        "stratified" (Buckley and Voorhees 2004; Sakai 2007) or "random"
        (Yilmaz and Aslam 2006), as for ``collection.reduce``.
    samples, seed
        How often judgments are drawn, and the seed of the random draws.
    truth
        The measure, under full judgments, that all measures are compared with,
        as in Yilmaz and Aslam's figures. If not given, each measure is compared
        with itself, as in Sakai's.
    power, test, alpha
        Whether discriminative power is computed, by what test and at what
        significance level, as for ``discriminative_power``.
    rel
        The lowest relevant grade of the reduction and of measures that do
        not name one; 1 if not given.
    progress
        Called with the number of samples done and the total.
    options
        As for ``collection.rank``.

    Returns
    -------
    Curve
        "mean": the mean over runs of their summaries; "tau" (Kendall's tau-b),
        "rho" (Pearson's correlation) and "rms" (root mean square of the
        differences) of the runs' summaries against the truth; "power". For
        "tau" and "rho", values are ordered from worst to best.

    """
    lowest = 1 if rel is None else rel

    def reduced(ranked: list[Ranked], rate: float, seed: int) -> tuple[Qrels, list[Ranked]]:
        fewer = collection.reduce(qrels, rate, method, seed=seed, rel=lowest, unsampled="pooled")
        return fewer, ranked

    tested = {"test": test, "alpha": alpha} if power else None
    how = samples, seed, truth, tested, rel, progress, options
    return _vary(reduced, qrels, runs, measures, rates, *how)


@checked
def imperfection(
    qrels: Qrels,
    runs: Any,
    measures: str | Sequence[str | Measure],
    rates: Iterable[float],
    *,
    samples: int = 10,
    seed: int = 0,
    truth: str | Measure | None = None,
    power: bool = False,
    test: str = "t",
    alpha: float = 0.05,
    rel: float | None = None,
    progress: Callable[[int, int], object] | None = None,
    **options: Any,
) -> Curve:
    """What happens to measures when documents vanish from the collection.

    Each run keeps a random proportion of its documents and the judgments stay the
    same: they are imperfect (Yilmaz and Aslam 2006, section 3). Parameters and result as for
    ``incompleteness``.
    """

    def sampled(ranked: list[Ranked], rate: float, seed: int) -> tuple[Qrels, list[Ranked]]:
        threads = options.get("threads")
        return qrels, collection.sample_collection(ranked, rate, seed, threads=threads)

    tested = {"test": test, "alpha": alpha} if power else None
    how = samples, seed, truth, tested, rel, progress, options
    return _vary(sampled, qrels, runs, measures, rates, *how)


def _vary(
    change: Callable[[list[Ranked], float, int], tuple[Qrels, list[Ranked]]],
    qrels: Qrels,
    runs: Any,
    measures: str | Sequence[str | Measure],
    rates: Iterable[float],
    samples: int,
    seed: int,
    truth: str | Measure | None,
    power: dict[str, Any] | None,
    rel: float | None,
    progress: Callable[[int, int], object] | None,
    options: dict[str, Any],
) -> Curve:
    """Measures under judgments or lists that a function changes by a rate and a seed."""
    ranked = ranked_runs(qrels, runs, {"keep_unjudged": True, **options})
    rates, threads = list(rates), options.get("threads")
    scoring: dict[str, Any] = {"threads": threads, "rel": rel}
    full = scored(qrels, ranked, measures, **scoring)
    require_complete(full, runs=2, topics=1)
    expected, orientation = full.summary(), np.ones(len(full.measures))
    if truth is not None:
        true = rescored(qrels, ranked, [truth], **scoring)
        expected = np.repeat(true.summary(), len(full.measures), axis=1)
        # -1 where one of the two is better when higher and the other when lower.
        orientation = signs(full.better.values()) * signs(true.better.values())
    names = ["mean", "tau", "rho", "rms", *([] if power is None else ["power"])]
    shape = len(rates), samples, len(full.measures)
    found = {name: np.empty(shape) for name in names}
    for i, rate in enumerate(rates):
        for sample in range(samples):
            changed = change(ranked, rate, seed_of(seed, sample))
            scores = rescored(*changed, measures, **scoring)
            means = scores.summary()
            cell = i, sample
            found["mean"][cell] = means.mean(axis=0)
            agreed = _core.against_truth(means, expected, orientation)
            for name, values in zip(("tau", "rho", "rms"), agreed, strict=True):
                found[name][cell] = values
            if power is not None:
                tested = discriminative_power(scores, **power, seed=seed, threads=threads)
                found["power"][cell] = tested.power
            if progress is not None:
                progress(i * samples + sample + 1, len(rates) * samples)
    return Curve(full.measures, np.array(rates, dtype=np.float64), found)
