"""Missing judgments: what was pooled stays pooled, and estimates have what they count.

Yilmaz and Aslam (2006), section 2.5: infAP needs to know which documents were in the pool. The
oracle is ``collection.reduce`` with ``unsampled`` given, scored by hand.
"""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import cranfield as cf
import numpy as np
import pytest
from cranfield import collection, meta, study

from tests import ROOT
from tests.commands import called

EXAMPLE = ROOT / "examples" / "debtags"
QRELS = str(EXAMPLE / "qrels.txt")
RUNS = [
    str(EXAMPLE / "runs" / f"{name}.run.gz")
    for name in ("bm25-k1.2-b.75", "coordination", "dense-minilm")
]


def example() -> tuple[cf.Qrels, dict[str, dict[str, dict[str, float]]]]:
    """Pools of 100 documents, and five runs that find documents outside them as well."""
    chance = random.Random(5)
    pool = [f"d{i}" for i in range(100)]
    everything = [*pool, *(f"outside{i}" for i in range(60))]
    qrels = {str(t): {d: int(chance.random() < 0.3) for d in pool} for t in range(12)}
    runs = {
        f"r{skill}": {
            topic: {
                d: chance.random() + 0.2 * skill * judged.get(d, 0)
                for d in chance.sample(everything, 80)
            }
            for topic, judged in qrels.items()
        }
        for skill in range(5)
    }
    return cf.Qrels(qrels), runs


@pytest.mark.parametrize("method", ["stratified", "random"])
def test_what_loses_its_judgment_stays_in_the_pool(method: str) -> None:
    qrels, runs = example()
    measures = "infAP subAP AP AP' bpref nDCG@10"
    curve = meta.incompleteness(qrels, runs, measures, [0.2], method=method, samples=2, power=False)
    ranked = collection.rank(qrels, runs, keep_unjudged=True)
    for sample in range(2):
        seed = meta.seed_of(0, sample)
        pooled = collection.reduce(qrels, 0.2, method, seed=seed, unsampled="pooled")
        expected = cf.evaluate(pooled, ranked, measures).mean().mean(axis=0)
        assert np.allclose(curve.samples["mean"][0, sample], expected, rtol=1e-12)
        dropped = collection.reduce(qrels, 0.2, method, seed=seed, unsampled="drop")
        values = cf.evaluate(dropped, ranked, measures).values
        # Without the pool the estimates are AP; all else does not see the difference.
        assert np.allclose(values[:, :, 0], values[:, :, 2], atol=1e-5)
        assert values[:, :, 1].tobytes() == values[:, :, 2].tobytes()
        kept = cf.evaluate(pooled, ranked, measures).values[:, :, 2:]
        assert kept.tobytes() == values[:, :, 2:].tobytes()
        assert abs(expected[0] - expected[2]) > 0.05


def test_inferred_ap_keeps_the_order_of_the_runs_of_trec_8(data: Path) -> None:
    qrels = cf.read_qrels(data / "trec8-adhoc" / "trec8.qrels.gz")
    ranked = collection.rank(qrels, data / "trec8-adhoc" / "runs", keep_unjudged=True)
    curve = meta.incompleteness(
        qrels, ranked, "infAP AP AP' subAP", [0.1], samples=1, truth="AP", power=False
    )
    assert curve.mean("tau")[0].round(3).tolist() == [0.847, 0.575, 0.856, 0.864]


def test_probabilities_of_inclusion_are_those_of_both_draws() -> None:
    qrels, runs = example()
    certain = qrels.with_column(
        "inclusion", {t: dict.fromkeys(qrels[t], 1.0) for t in qrels.topics}
    )
    ranked = collection.rank(certain, runs)
    full = cf.evaluate(certain, ranked, "statAP AP").values
    assert np.allclose(full[:, :, 0], full[:, :, 1])
    for method in ("stratified", "random"):
        drawn = [
            collection.reduce(certain, 0.2, method, minimum=1, seed=seed) for seed in range(40)
        ]
        column, grades = drawn[0].column("inclusion", "0"), drawn[0]["0"]
        judged = {document for document, grade in grades.items() if grade >= 0}
        if method == "random":
            assert {column[d] for d in judged} == {0.2}
        else:
            relevant = sum(grade > 0 for grade in qrels["0"].values())
            shares = {1: int(relevant * 0.2) / relevant}
            shares[0] = int((100 - relevant) * 0.2) / (100 - relevant)
            assert {column[d] for d in judged if grades[d]} == {shares[1]}
            assert {column[d] for d in judged if not grades[d]} == {shares[0]}
        # An estimate of AP, not a fifth of it; a ratio of estimates is low in small samples.
        means = np.mean([cf.evaluate(one, ranked, "statAP").values for one in drawn])
        assert means == pytest.approx(full[:, :, 1].mean(), rel=0.15)


def test_strata_count_what_was_not_drawn() -> None:
    qrels, runs = example()
    halves = {t: {d: float(i % 2) for i, d in enumerate(qrels[t])} for t in qrels.topics}
    strata = qrels.with_column("stratum", halves)
    ranked = collection.rank(strata, runs)
    full = cf.evaluate(strata, ranked, "xinfAP AP").mean()
    assert np.allclose(full[:, 0], full[:, 1], atol=1e-4)
    for method in ("random", "stratified"):
        curve = meta.incompleteness(
            strata, runs, "xinfAP AP", [0.3], method=method, samples=20, power=False
        )
        assert curve.mean("mean")[0, 0] == pytest.approx(full[:, 1].mean(), rel=0.15)
        assert curve.mean("mean")[0, 1] < 0.6 * full[:, 1].mean()


def test_runs_are_ranked_for_what_will_be_measured() -> None:
    qrels, runs = example()
    ranked = collection.rank(qrels, runs, measures="subAP AP")
    expected = cf.evaluate(qrels, runs, "subAP(p=0.5) Hole@5 P@5").values
    found = cf.evaluate(qrels, ranked, "subAP(p=0.5) Hole@5 P@5").values
    assert found.tobytes() == expected.tobytes()
    shallow = collection.rank(qrels, runs, measures="Hole@5")
    found = cf.evaluate(qrels, shallow, "Hole@5").values
    assert found.tobytes() == expected[:, :, 1:2].tobytes()
    with pytest.raises(cf.Error, match=r"documents outside the judgments.*keep_unjudged=True"):
        cf.evaluate(qrels, shallow, "subAP")
    with pytest.raises(cf.Error, match=r"documents outside the judgments.*keep_unjudged=True"):
        cf.evaluate(qrels, collection.rank(qrels, runs), "Hole@5")
    swept = meta.sweep(runs, qrels, [10, 100], [5], ["Hole", "P"])
    assert swept.at("Hole", 100, 5).values.tobytes() == expected[:, :, 1:2].tobytes()


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("incompleteness", ["--measures", "subAP infAP AP Hole@10", "--samples", "1"]),
        ("significance", ["--measures", "subAP Hole@10"]),
        ("leave-one-out", ["--measures", "subAP"]),
        ("agreement", ["--measures", "subAP", "--second", QRELS]),
        ("significance", ["--by", "subAP", "--top", "2"]),
        ("imperfection", ["--by", "subAP", "--drop-worst", "0.3", "--samples", "1"]),
    ],
)
def test_every_study_takes_measures_of_documents_outside_the_judgments(
    tmp_path: Path, name: str, options: list[str]
) -> None:
    if name in ("incompleteness", "imperfection"):
        options = [*options, "--rates", "0.5"]
    done = called("study", name, QRELS, *RUNS, *options, "-o", str(tmp_path / "out"), "--quiet")
    assert (done.returncode, done.stderr) == (0, "")


def test_the_study_keeps_the_pool_as_well(tmp_path: Path) -> None:
    options: dict[str, Any] = {
        "measures": ("infAP", "AP"),
        "rates": (0.2,),
        "samples": 2,
        "sample_rates": (0.3,),
    }
    study.run("incompleteness", QRELS, RUNS, str(tmp_path), **options)
    found = json.loads((tmp_path / "parts" / "sakai-figures.json").read_text())["found"]
    rows = zip(*found["tables"][0]["columns"].values(), strict=True)
    means = {row[0]: row[-1] for row in rows if row[1] == "mean"}
    drawn = [
        collection.reduce(QRELS, 0.2, seed=meta.seed_of(0, sample), unsampled="drop")
        for sample in range(2)
    ]
    assert means["AP"] == pytest.approx(
        np.mean([cf.evaluate(one, RUNS, "AP").mean() for one in drawn])
    )
    assert means["infAP"] > 1.2 * means["AP"]
