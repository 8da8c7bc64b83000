"""What papers print about the 129 runs of TREC-8, to the last digit."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import cranfield as cf
import numpy as np
import pytest
from cranfield import collection, meta

from tests.analysis.meta.small import tau

NDCG = 'nDCG(dcg="jk")'
RBP = "RBP(residual=0.1)"


class Trec8(NamedTuple):
    """The judgments of TREC-8 ad hoc and its runs, read once."""

    qrels: cf.Qrels
    ranked: list[cf.Ranked]

    def pooled(self, depth: int) -> cf.Qrels:
        return collection.pool_to_depth(self.qrels, self.ranked, depth)

    def evaluate(self, measures: list[str], pool: int | None = None) -> cf.Scores:
        qrels = self.qrels if pool is None else self.pooled(pool)
        return cf.evaluate(qrels, self.ranked, measures)


@pytest.fixture(scope="module")
def trec8(data: Path) -> Trec8:
    qrels = cf.read_qrels(data / "trec8-adhoc" / "trec8.qrels.gz")
    runs = sorted((data / "trec8-adhoc" / "runs").iterdir())
    assert len(runs) == 129
    return Trec8(qrels, collection.rank(qrels, runs, keep_unjudged=True))


def upper(matrix: list[list[float]]) -> list[list[str]]:
    """The cells right of the diagonal with two decimals."""
    size = len(matrix)
    return [[f"{matrix[i][j]:.2f}" for j in range(i + 1, size)] for i in range(size - 1)]


def printed(table: str) -> list[list[str]]:
    return [line.split() for line in table.strip().splitlines()]


def test_webber_table_1_discriminative_power(trec8: Trec8) -> None:
    """Two pairs of runs are the same list, and one more has the same P@10."""
    measures = ["P@10", "RBP(p=0.8)", "RBP(p=0.95)", "AP@1000", f"{NDCG}@1000"]
    found = meta.discriminative_power(trec8.evaluate(measures))
    power = [f"{share:.3f}" for share in found.power_of_different]
    assert power == ["0.645", "0.657", "0.691", "0.725", "0.718"]
    assert [f"{share:.3f}" for share in found.power] == power
    assert found.identical.sum(axis=1).tolist() == [3, 2, 2, 2, 2]
    assert [[found.runs[i] for i in pair] for pair in found.pairs[found.identical[3]]] == [
        ["input.Mer8Adtd1", "input.Mer8Adtd2"],
        ["input.isa25t", "input.isa50t"],
    ]


TABLE_2 = """
0.88 0.90 0.94 0.93 0.74 0.69 0.83 0.83 0.80
0.90 0.86 0.86 0.71 0.68 0.83 0.82 0.77
0.90 0.90 0.73 0.70 0.86 0.85 0.79
0.98 0.71 0.66 0.80 0.81 0.78
0.72 0.67 0.81 0.81 0.79
0.88 0.81 0.85 0.90
0.79 0.84 0.82
0.91 0.88
0.91
"""


def test_webber_table_2_shallow_and_deep_measures(trec8: Trec8) -> None:
    """P, R, AP, nDCG and RBP at depth 10 on a pool of depth 10, then at 1,000.

    The column RBP .8 is that of the full judgments.
    """
    shallow = ["P@10", "R@10", "AP@10", f"{NDCG}@10"]
    deep = ["RBP(p=0.8)@1000", "P@1000", "R@1000", "AP@1000", f"{NDCG}@1000", f"{RBP}@1000"]
    means = np.hstack([trec8.evaluate(shallow, pool=10).mean(), trec8.evaluate(deep).mean()])
    matrix = cf.stats.correlation_matrix(means, tolerance=1e-9).values
    assert upper(matrix.tolist()) == printed(TABLE_2)
    across, above = matrix[:5, 5:], np.triu_indices(5, 1)
    parts = [matrix[:5, :5][above], matrix[5:, 5:][above], across, np.diag(across)]
    assert [f"{part.mean():.3f}" for part in parts] == ["0.905", "0.860", "0.767", "0.773"]


TABLE_3 = """
0.89 0.88 0.73 0.72 0.67 0.74 0.74 0.73
0.96 0.73 0.75 0.70 0.73 0.76 0.74
0.72 0.74 0.69 0.72 0.75 0.73
0.88 0.84 0.86 0.86 0.81
0.88 0.79 0.88 0.83
0.75 0.81 0.85
0.87 0.82
0.88
"""


def test_webber_table_3_orders_of_pairs_by_p_value(trec8: Trec8) -> None:
    rows, taus = [], []
    for pool, depth in ((10, 10), (10, 100), (100, 100)):
        measures = [f"aAP@{depth}", f"{NDCG}@{depth}", f"{RBP}@{depth}"]
        found = meta.discriminative_power(trec8.evaluate(measures, pool))
        rows.append(found.pvalues)
        taus.append(meta.correlation(found).values)
    pvalues = np.concatenate(rows).T
    matrix = cf.stats.correlation_matrix(pvalues, tolerance=1e-9).values
    assert upper(matrix.tolist()) == printed(TABLE_3)
    for block, within in enumerate(taus):
        place = slice(3 * block, 3 * block + 3)
        np.testing.assert_array_equal(within, matrix[place, place])


def test_webber_figure_2_depths_of_pool_and_evaluation(trec8: Trec8) -> None:
    deep, extended, shallow = (
        trec8.evaluate([f"{NDCG}@{depth}"], pool).mean()[:, 0]
        for pool, depth in ((100, 100), (10, 100), (10, 10))
    )
    pairs = [(deep, extended), (shallow, extended), (shallow, deep)]
    assert [f"{tau(x, y):.3f}" for x, y in pairs] == ["0.939", "0.874", "0.857"]


def test_webber_figure_4_power_by_depths(trec8: Trec8) -> None:
    depths = [5, 10, 20, 100]
    swept = meta.sweep(trec8.ranked, trec8.qrels, depths, depths, ["R", "aAP", NDCG])
    at = depths.index
    recall, ndcg = swept.power("R"), swept.power(NDCG)
    precision = swept.power("aAP", standardized=True)
    assert [f"{precision[at(d), at(d)]:.3f}" for d in (100, 10)] == ["0.716", "0.660"]
    assert [f"{recall[at(d), at(d)]:.3f}" for d in (100, 10)] == ["0.676", "0.603"]
    assert [f"{ndcg[at(d), at(20)]:.3f}" for d in (20, 5)] == ["0.669", "0.675"]
    # Three of these need identical pairs to be left out; of all pairs they would be:
    scores = [swept.at("R", 100, 100), swept.at(NDCG, 20, 20)]
    scores.append(meta.standardize(swept.at("aAP", 10, 10)))
    every = [f"{meta.discriminative_power(each).power[0]:.3f}" for each in scores]
    assert every == ["0.675", "0.668", "0.659"]


@pytest.mark.parametrize(
    ("measure", "share"), [('DCG(dcg="jk")@1000', "82%"), ("RBP(p=0.9977)@1000", "77%")]
)
def test_webber_figure_1_weight_beyond_rank_100(measure: str, share: str) -> None:
    weights = meta.rank_weights(measure, 1000)
    assert f"{weights[100:].sum() / weights.sum():.0%}" == share


def test_webber_figure_1_weight_of_rbp_95_beyond_rank_100() -> None:
    """Their "half a percent" is .95^100 = .00592."""
    weights = meta.rank_weights("RBP(p=0.95)@1000", 1000)
    assert weights[100:].sum() / weights.sum() == pytest.approx(0.95**100, rel=1e-12)
    assert f"{weights[100:].sum() / weights.sum():.1%}" == "0.6%"


def test_standardised_scores_do_not_see_the_scale_of_a_topic(trec8: Trec8) -> None:
    """So what differs by a factor for each topic, such as R or min(k, R), is the same."""
    pairs = [("aAP@100", "AP@100"), ("R@100", "P@100"), (f"{NDCG}@100", 'DCG(dcg="jk")@100')]
    scores = trec8.evaluate([measure for pair in pairs for measure in pair], pool=100)
    standard = meta.standardize(scores)
    found = meta.discriminative_power(standard)
    for i in range(0, 6, 2):
        values = standard.values
        np.testing.assert_allclose(values[:, :, i], values[:, :, i + 1], rtol=0, atol=1e-10)
        assert found.power[i] == found.power[i + 1]
    raw = meta.discriminative_power(scores).power
    assert all(raw[i] != raw[i + 1] for i in range(0, 6, 2))


def test_iir_figure_8_3(data: Path, trec8: Trec8) -> None:
    """The figure's system has MAP .2553; its 11 points fall from left to right."""
    scores = cf.evaluate(trec8.qrels, trec8.ranked, "AP")
    (name,) = [
        run
        for run, (mean,) in zip(scores.runs, scores.mean(), strict=True)
        if f"{mean:.4f}" == "0.2553"
    ]
    assert name == "input.Sab8A1"
    (path,) = (data / "trec8-adhoc" / "runs").glob(f"{name}*")
    curve = cf.curves.precision_recall(trec8.qrels, path)
    levels = [f"IPrec@{level / 10}" for level in range(11)]
    expected = cf.evaluate(trec8.qrels, path, levels).mean()[0]
    np.testing.assert_allclose(curve.interpolated, expected, rtol=1e-12)
    np.testing.assert_allclose(curve.recall, np.arange(11) / 10, atol=1e-15)
    assert (np.diff(curve.interpolated) < 0).all()


def test_yilmaz_and_aslam_incomplete_judgments(trec8: Trec8) -> None:
    """ "Even as small as 1%, inferred AP has an RMS error less than or equal to 0.05"."""
    measures = ["bpref_10", "AP'", "subAP", "infAP"]
    rates = [0.01, 0.05, 0.3]
    options: dict[str, Any] = {"method": "random", "samples": 2, "truth": "AP"}
    found = meta.incompleteness(trec8.qrels, trec8.ranked, measures, rates, power=False, **options)
    rms, taus, rho = (found.mean(name) for name in ("rms", "tau", "rho"))
    assert (found.samples["rms"][0, :, 3] <= 0.05).all()
    # "indAP has a better tau and rho than bpref, and a lower RMS error"; subAP a lower
    # one than indAP, infAP "much less ... compared to all the rest".
    assert (np.diff(rms, axis=1) < 0).all()
    assert (taus[:, 0] < taus[:, 1]).all()
    assert (rho[:, 0] < rho[:, 1:].min(axis=1)).all()
    assert (taus[:, 3] > taus[:, 1] - 0.005).all()


def test_yilmaz_and_aslam_imperfect_judgments(trec8: Trec8) -> None:
    """ "For all level of imperfectness ... a correlation greater than 0.9"."""
    measures = ["AP", "bpref_10", "AP'", "subAP", "infAP"]
    found = meta.imperfection(
        trec8.qrels, trec8.ranked, measures, [0.5, 0.8], samples=3, truth="AP"
    )
    assert (found.mean("tau") > 0.9).all()
    means = found.mean("tau")
    # "The proposed measures are more correlated ... than bpref".
    assert (means[:, 2:].min(axis=1) > means[:, 1]).all()
