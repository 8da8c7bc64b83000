"""How deep to pool, how deep to evaluate, and what a rank weighs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from cranfield import collection
from cranfield._analysis.meta.power import discriminative_power
from cranfield._analysis.meta.standard import standardize
from cranfield._base.errors import failure
from cranfield._base.options import checked, wrong
from cranfield._core import Measure, Qrels, Ranked
from cranfield._scoring.api import evaluate
from cranfield._scoring.evaluator import rescored, scored

if TYPE_CHECKING:
    from typing import Any

    from cranfield._analysis.meta.means import Floats
    from cranfield._scores.scores import Scores


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
