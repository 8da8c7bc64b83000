"""What happens to measures when judgments or documents go missing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from cranfield import collection, stats
from cranfield._analysis.meta.depth import ranked_runs
from cranfield._analysis.meta.means import require_complete, signs, tau
from cranfield._analysis.meta.power import discriminative_power
from cranfield._analysis.meta.stability import Curve
from cranfield._base.options import checked, seed_of
from cranfield._scoring.evaluator import rescored, scored

if TYPE_CHECKING:
    from typing import Any

    from cranfield._core import Measure, Qrels, Ranked


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
    ranked = ranked_runs(qrels, runs, {"keep_unjudged": True, **options})

    def reduced(rate: float, sample: int) -> tuple[Qrels, list[Ranked]]:
        return collection.reduce(
            qrels,
            rate,
            method,
            seed=seed_of(seed, sample),
            rel=1 if rel is None else rel,
            unsampled="pooled",
        ), ranked

    return _vary(
        qrels,
        ranked,
        measures,
        rates,
        reduced,
        samples,
        truth,
        _tested(test, alpha, seed, options) if power else None,
        rel,
        progress,
        options,
    )


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

    Each run keeps a random share of its documents and the judgments stay the
    same: they are imperfect (Yilmaz and Aslam 2006, section 3). Parameters and result as for
    ``incompleteness``.
    """
    ranked = ranked_runs(qrels, runs, {"keep_unjudged": True, **options})

    def sampled(rate: float, sample: int) -> tuple[Qrels, list[Ranked]]:
        smaller = collection.sample_collection(
            ranked, rate, seed_of(seed, sample), threads=options.get("threads")
        )
        return qrels, smaller

    return _vary(
        qrels,
        ranked,
        measures,
        rates,
        sampled,
        samples,
        truth,
        _tested(test, alpha, seed, options) if power else None,
        rel,
        progress,
        options,
    )


def _tested(test: str, alpha: float, seed: int, options: dict[str, Any]) -> dict[str, Any]:
    """The arguments of ``discriminative_power``."""
    return {"test": test, "alpha": alpha, "seed": seed, "threads": options.get("threads")}


def _vary(
    qrels: Qrels,
    ranked: list[Ranked],
    measures: str | Sequence[str | Measure],
    rates: Iterable[float],
    change: Callable[[float, int], tuple[Qrels, list[Ranked]]],
    samples: int,
    truth: str | Measure | None,
    power: dict[str, Any] | None,
    rel: float | None,
    progress: Callable[[int, int], object] | None,
    options: dict[str, Any],
) -> Curve:
    rates = list(rates)
    scoring: dict[str, Any] = {"threads": options.get("threads"), "rel": rel}
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
            scores = rescored(*change(rate, sample), measures, **scoring)
            means = scores.summary()
            cell = i, sample
            found["mean"][cell] = means.mean(axis=0)
            for m in range(shape[2]):
                x, y = means[:, m], expected[:, m]
                constant = np.ptp(x) == 0 or np.ptp(y) == 0
                found["tau"][(*cell, m)] = np.nan if constant else tau(x, orientation[m] * y)
                rho = np.nan if constant else stats.pearson(x, orientation[m] * y).statistic
                found["rho"][(*cell, m)] = rho
                found["rms"][(*cell, m)] = np.sqrt(np.mean((x - y) ** 2))
            if power is not None:
                found["power"][cell] = discriminative_power(scores, **power).power
            if progress is not None:
                progress(i * samples + sample + 1, len(rates) * samples)
    return Curve(full.measures, np.array(rates, dtype=np.float64), found)
