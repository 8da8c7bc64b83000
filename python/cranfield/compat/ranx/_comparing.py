"""``compare`` of ranx: runs beside each other with a test of every pair."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, MutableMapping

import numpy as np

from cranfield import _core
from cranfield.compat.ranx._evaluating import evaluate, metric_names
from cranfield.compat.ranx._original import ours
from cranfield.compat.ranx._report import Report
from cranfield.compat.ranx._tables import Run

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from numpy.typing import NDArray

    PValues = NDArray[np.float64]


class Comparisons(MutableMapping[Iterable[str], "dict[str, Any]"]):
    """{pair of names: {metric: {"p_value", "significant"}}}, in either order of the pair."""

    def __init__(self) -> None:
        self._map: dict[frozenset[str], dict[str, Any]] = {}

    def __getitem__(self, pair: Iterable[str]) -> dict[str, Any]:
        return self._map[frozenset(pair)]

    def __setitem__(self, pair: Iterable[str], value: dict[str, Any]) -> None:
        self._map[frozenset(pair)] = value

    def __delitem__(self, pair: Iterable[str]) -> None:
        del self._map[frozenset(pair)]

    def __iter__(self) -> Iterator[Iterable[str]]:
        return iter(self._map)

    def __len__(self) -> int:
        return len(self._map)


def compare(
    qrels: Any,
    runs: Sequence[Run],
    metrics: str | Sequence[str],
    stat_test: str = "student",
    n_permutations: int = 1000,
    max_p: float = 0.01,
    random_seed: int = 42,
    threads: int = 0,
    rounding_digits: int = 3,
    show_percentages: bool = False,
    make_comparable: bool = False,
    *,
    rules: str | None = None,
) -> Report:
    """Scores several runs and tests every pair, as ``ranx.compare`` does.

    Parameters
    ----------
    qrels, metrics, threads, make_comparable, rules
        As for ``evaluate``.
    runs
        ``Run`` each; one without a name is called run_1, run_2, ... by its place.
    stat_test
        "student": the paired t test, two-sided. "fisher": the randomisation test
        of the difference of means with ``n_permutations`` draws of signs. "tukey":
        Tukey's HSD after a one-way analysis of variance, which, as in ranx,
        overlooks that the runs share their topics.
    n_permutations, random_seed
        Of "fisher". The draws are cranfield's own: the p-value of ranx differs by
        as much as that of another seed.
    max_p
        Up to which p-value a difference is significant.
    rounding_digits, show_percentages
        How the report shows scores.

    Raises
    ------
    NotImplementedError
        For a test that ranx does not have, as in ranx.
    ValueError
        For two runs of one name, or fewer than two topics.

    """
    if stat_test not in ("student", "fisher", "tukey"):
        raise NotImplementedError(f"expected student, fisher or tukey, found {stat_test!r}")
    names = metric_names(metrics)
    qrels, runs = ours(qrels), [ours(run) for run in runs]
    strange = next((run for run in runs if not isinstance(run, Run)), None)
    if strange is not None:
        raise AttributeError(f"expected a list of Run, found {type(strange).__name__} in it")
    models = [f"run_{place}" if run.name is None else run.name for place, run in enumerate(runs, 1)]
    if len(set(models)) < len(models):
        raise ValueError(f"expected a name of its own for each run, found {', '.join(models)}")
    found: dict[str, dict[str, Any]] = {}
    for model, run in zip(models, runs, strict=True):
        values = evaluate(
            qrels,
            run,
            names,
            return_mean=False,
            threads=threads,
            make_comparable=make_comparable,
            rules=rules,
        )
        found[model] = {names[0]: values} if len(names) == 1 else values
    comparisons = Comparisons()
    places = [(a, b) for a in range(len(models)) for b in range(a + 1, len(models))]
    for name in names:
        table = np.ascontiguousarray([found[model][name] for model in models])
        pairs = np.array(places, dtype=np.int64).reshape(-1, 2)
        pvalues = _pvalues(stat_test, table, pairs, n_permutations, random_seed, threads)
        for (a, b), p in zip(places, pvalues, strict=True):
            pair = comparisons.setdefault((models[a], models[b]), {})
            pair[name] = {"p_value": p, "significant": p <= max_p}
    return Report(
        model_names=models,
        results={m: {n: float(np.mean(found[m][n])) for n in names} for m in models},
        comparisons=comparisons,
        metrics=names,
        max_p=max_p,
        win_tie_loss=_win_tie_loss(models, names, found),
        rounding_digits=rounding_digits,
        show_percentages=show_percentages,
        stat_test=stat_test,
    )


def _pvalues(
    test: str, table: PValues, pairs: NDArray[np.int64], draws: int, seed: int, threads: int
) -> PValues:
    """Of each pair of rows; NaN where the rows are equal and the test is Student's."""
    if not len(pairs):
        return np.empty(0)
    if test == "tukey":
        return _tukey(table, pairs)
    if test == "fisher":
        _, pvalues, _ = _core.paired_randomization(
            table, pairs, resamples=draws, seed=seed, plus_one=False, threads=threads or None
        )
        return pvalues
    if table.shape[1] < 2:
        raise ValueError(f"expected at least 2 topics for a t test, found {table.shape[1]}")
    (_, pvalues, _), _ = _core.paired_t(table, pairs)
    equal = (table[pairs[:, 0]] == table[pairs[:, 1]]).all(axis=1)
    return np.where(equal, np.nan, pvalues)


def _tukey(table: PValues, pairs: NDArray[np.int64]) -> PValues:
    """Tukey's HSD for groups of one size: the range over the variance within groups."""
    groups, topics = table.shape
    if topics < 2:
        raise ValueError(f"expected at least 2 topics for Tukey's HSD, found {topics}")
    error = np.sqrt(table.var(axis=1, ddof=1).mean() / topics)
    means = table.mean(axis=1)
    distances = np.abs(means[pairs[:, 0]] - means[pairs[:, 1]])
    freedom = float(groups * (topics - 1))
    return np.array([_core.range_sf(d / error, groups, freedom) for d in distances.tolist()])


def _win_tie_loss(
    models: list[str], metrics: list[str], found: dict[str, dict[str, Any]]
) -> dict[tuple[str, str], dict[str, dict[str, int]]]:
    counts: dict[tuple[str, str], dict[str, dict[str, int]]] = defaultdict(dict)
    for a in models:
        for b in models:
            if a != b:
                for m in metrics:
                    difference = found[a][m] - found[b][m]
                    counts[a, b][m] = {
                        "W": int((difference > 0).sum()),
                        "T": int((difference == 0).sum()),
                        "L": int((difference < 0).sum()),
                    }
    return dict(counts)
