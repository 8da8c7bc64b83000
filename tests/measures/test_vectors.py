"""Every value of ``vectors.json``: compared to 1e-12, or left out with its reason.

Rankings with judgments, most of the file, are compared in ``rust/core/tests/twins.rs``, which
asserts how many. This compares the other records, names the tests that compare the rest, and
asserts that no value is forgotten.
"""

from __future__ import annotations

import json
import math
from fractions import Fraction
from typing import Any

import cranfield as cf
import numpy as np
import pytest
from cranfield import collection, meta
from cranfield._analysis import preference

from tests import ROOT

VECTORS = ROOT / "rust" / "core" / "tests" / "data" / "vectors.json"
RECORDS: dict[str, dict[str, Any]] = {r["name"]: r for r in json.loads(VECTORS.read_text())}

IN_TWINS = 1946
"""How many values ``twins.rs`` compares."""

ELSEWHERE = {
    "iir_table_8_2_kappa": "stats/test_agreement.py",
    "iir_8_10_kappa": "stats/test_agreement.py",
    "weighted_kappa": "stats/test_agreement.py",
    "pyndeval_readme": "measures/test_diversity.py",
    "holm": "stats/test_intervals.py",
    "nuggets": "analysis/answers/test_nuggets.py",
    "nauc": "test_abstention.py",
    "support_trec_rag": "analysis/answers/test_citations.py",
    "expected_exposure": "test_fairness.py",
}
"""Records whose every value another module compares."""

LEFT_OUT = {
    "bootstrap_asl_given_samples": "resamples that are given; ours are drawn",
    "randomised_tukey_hsd": "permutations that are given; ours are drawn",
}
"""Records of which only some values can be compared, and why.

None is one of the numbered disagreements: no value differs.
"""


def number(value: str | float) -> float:
    return float(Fraction(value)) if isinstance(value, str) else float(value)


def single(qrels: Any, ranking: list[str], measure: str) -> float:
    run = cf.Run.from_rankings({"1": ranking})
    return float(cf.evaluate(qrels, run, measure).values.item())


def judged_not_relevant(record: dict[str, Any]) -> dict[str, float]:
    """N, as the documents judged less those judged relevant."""
    qrels = {"1": record["judgments"]}
    ranking = record["ranking"]
    judged = single(qrels, ranking, "num_rel(rel=0)")
    return {"num_nonrel": judged - single(qrels, ranking, "num_rel")}


def bounds_of_ap(judgments: dict[str, int], ranking: list[str], documents: int) -> dict[str, float]:
    """How AP could change with the ranks of documents below the end of the list; R is known."""
    qrels = cf.Qrels({"1": judgments}, docs_in_collection=documents)
    run = cf.Run.from_rankings({"1": ranking})
    found = cf.bounds(qrels, run, "AP", mode="fixed_R")
    low, high = float(found.low.values.item()), float(found.high.values.item())
    return {"AP_smallest": low, "AP_largest": high}


def iir_8_9(record: dict[str, Any]) -> dict[str, float]:
    found = bounds_of_ap(record["judgments"], record["ranking"], 10_000)
    # What the list says if the rest of the collection has no relevant document above.
    complete = single({"1": record["judgments"]}, record["ranking"], "AP")
    apart = max(found["AP_largest"] - complete, complete - found["AP_smallest"])
    return found | {"AP_assuming_complete": complete, "AP_error_max": apart}


def ap_bounds_general(_: dict[str, Any]) -> dict[str, float]:
    return bounds_of_ap({"r": 1, "n": 0, "x": 1}, ["r", "n"], 5)


def d_sharp_ndcg(record: dict[str, Any]) -> dict[str, float]:
    levels = record["params"]["levels"]
    intents: dict[str, dict[str, int]] = {"1": {}, "2": {}}
    for document, grades in levels.items():
        for intent, grade in grades.items():
            intents[intent][document] = grade
    weights = {"1": {i: number(w) for i, w in record["params"]["P(i|q)"].items()}}
    qrels = cf.Qrels.from_intents({"1": intents}, weights=weights)
    ranking = record["params"]["ranking"]
    found = {
        name: single(qrels, ranking, name.replace("_log2p1", ""))
        for name in record["expected"]
        if "@" in name
    }
    return found | {f"global_gain_{d}": single(qrels, [d], "D-CG") for d in levels}


def rbu(record: dict[str, Any]) -> dict[str, float]:
    params = record["params"]
    intents: dict[str, dict[str, int]] = {}
    for rank, levels in enumerate(params["levels_by_rank"], 1):
        for intent, level in levels.items():
            intents.setdefault(intent, {})[f"d{rank}"] = level
    weights = {i: number(w) for i, w in params["aspect_weights"].items()}
    qrels = cf.Qrels.from_intents({"1": intents}, weights={"1": weights})
    ranking = [f"d{rank}" for rank in range(1, len(params["levels_by_rank"]) + 1)]
    constants = f"p={number(params['p'])},e={number(params['e'])}"
    return {
        "RBU_paper": single(qrels, ranking, f"RBU({constants})"),
        "RBU_code": single(qrels, ranking, f'RBU({constants},discount="p^(r-1)")'),
    }


def kendall_ties(record: dict[str, Any]) -> dict[str, float]:
    x, y = record["params"]["x"], record["params"]["y"]
    return {f"tau_{v}": cf.stats.kendall(x, y, variant=v).statistic for v in ("a", "b")}


def standardise(record: dict[str, Any]) -> dict[str, float]:
    """Three runs whose RR on a topic are those scores, up to a factor that z does not see."""
    scores = [number(s) for s in record["params"]["scores_on_topic"]]
    runs = {
        f"run{i}": cf.Run.from_rankings({"1": [f"d{place}" for place in range(5 * (i + 1))]})
        for i in range(3)
    }
    # num_ret is 5, 10, 15: 25 times the scores.
    found = cf.evaluate({"1": {"x": 1}}, runs, "num_ret")
    assert found.values.ravel() == pytest.approx([25 * s for s in scores])
    return {
        "mean": float(found.values.mean()) / 25,
        "z_population_sd(first)": float(meta.standardize(found, ddof=0).values[0, 0, 0]),
        "z_sample_sd(first)": float(meta.standardize(found, ddof=1).values[0, 0, 0]),
    }


def t_squared(record: dict[str, Any]) -> dict[str, float]:
    differences = [[number(d), 0.0] for d in record["params"]["differences"]]
    table = [list(row) for row in zip(*differences, strict=True)]
    found = cf.stats.bootstrap_test(np.array(table))
    return {"t_squared": float(found.statistic.item()) ** 2}


def rbp_p_from_residual(record: dict[str, Any]) -> dict[str, float]:
    """The p that is chosen is the ratio of what two ranks are worth."""
    given = record["params"]["residual"]
    found = {}
    for k in (10, 100, 1000):
        measure = f"RBP(residual={given})@{k}"
        first, second = (single({"1": {"r": 1}}, list(r), measure) for r in ("r", "xr"))
        found[f"p_k{k}"] = second / first
    return found


def rpp_small(record: dict[str, Any]) -> dict[str, float]:
    relevant = ["a", "b", "c"]
    runs = {}
    for name in "xy":
        list_ = [f"{name}{rank}" for rank in range(1, 6)]
        for document, place in zip(relevant, record["params"][f"{name}_positions"], strict=True):
            if place is not None:
                list_[place - 1] = document
        runs[name] = cf.Run.from_rankings({"1": list_})
    qrels = {"1": dict.fromkeys(relevant, 1)}
    names = {
        "RPP": "rpp_uniform(x over y)",
        "lexirecall": "lexirecall(x over y)",
        "lexiprecision": "lexiprecision(x over y)",
    }
    return {
        name: float(preference.preferences(qrels, runs, kind).values[0, 1, 0])
        for kind, name in names.items()
    }


def pooling(record: dict[str, Any]) -> dict[str, float]:
    runs = [cf.Run.from_rankings({"1": r}, name=n) for n, r in record["params"]["runs"].items()]
    pool = collection.pool(runs, record["params"]["depth"])
    return {"pool_size": len(pool.to_dict()["1"])}


def tbg(record: dict[str, Any]) -> dict[str, float]:
    """The time at a rank is what the gain of a document there has lost by half-lives."""
    kinds, words = zip(*record["params"]["docs(rel,words)"], strict=True)
    names = [f"d{i}" for i in range(len(kinds))]
    lengths = {"cost": {"1": dict(zip(names, words, strict=True))}}
    grades = {d: int(kind == "r") for d, kind in zip(names, kinds, strict=True)}

    def value(ranking: list[str], of: dict[str, int]) -> float:
        qrels = cf.Qrels({"1": of}).with_column("cost", lengths["cost"])
        return single(qrels, ranking, 'TBG(form="original")')

    gain = value(names[:1], grades)
    third = (value(names, grades) - value(names[:2], grades)) / gain
    # A relevant document second, after the same first one.
    second = (value(names[:2], grades | {"d1": 1}) - gain) / gain
    time = {1: 1.0, 2: second, 3: third}
    found = {f"T({rank})": -224 * math.log2(share) + 0.0 for rank, share in time.items()}
    return found | {"TBG": value(names, grades)}


def kept(record: dict[str, Any]) -> dict[str, float]:
    """The sample of one seed has exactly these documents; a list of one shows which."""
    wanted = set(record["params"]["kept_nonpool"])
    outside = [d for d in record["ranking"] if d not in record["judgments"]]
    qrels = {"1": {**record["judgments"], "r": 1}}
    for seed in range(1000):
        measure = f"subAP(p=0.5,seed={seed})"
        # A document above the only relevant one retrieved halves it if it is kept.
        keeps = {d for d in outside if single({"1": {"r": 1}}, [d, "r"], measure) == 0.5}
        if keeps == wanted:
            assert single(qrels, ["r"], measure) > 0
            return {"subAP": single({"1": record["judgments"]}, record["ranking"], measure)}
    raise AssertionError("no seed keeps these")


def without_the_pooled(record: dict[str, Any]) -> dict[str, float]:
    """D31: infAP of judgments without the pool's unjudged documents, as under trec_eval -J."""
    judged = {d: grade for d, grade in record["params"]["judgments"].items() if grade >= 0}
    left = single({"1": judged}, record["params"]["ranking"], "infAP")
    return {"wrong_value_if_-1_left_out": left}


FOUND = {
    "infAP_d100_must_count_pool_unjudged": without_the_pooled,
    "iir_8_9": iir_8_9,
    "ap_bounds_general": ap_bounds_general,
    "d_sharp_ndcg": d_sharp_ndcg,
    "rbu": rbu,
    "kendall_ties": kendall_ties,
    "standardise": standardise,
    "bootstrap_asl_given_samples": t_squared,
    "rbp_p_from_residual": rbp_p_from_residual,
    "rpp_small": rpp_small,
    "pooling": pooling,
    "tbg": tbg,
    "subAP_keep_none": kept,
    "subAP_keep_u1_u3": kept,
}


@pytest.mark.parametrize("name", FOUND)
def test_a_record(name: str) -> None:
    record = RECORDS[name]
    for key, found in FOUND[name](record).items():
        expected = number(record["expected"][key])
        assert found == pytest.approx(expected, rel=1e-12, abs=1e-12), key


def test_documents_judged_not_relevant() -> None:
    counted = [r for r in RECORDS.values() if "num_nonrel" in r["expected"]]
    for record in counted:
        found = judged_not_relevant(record)["num_nonrel"]
        assert found == number(record["expected"]["num_nonrel"]), record["name"]
    assert len(counted) == 30


def test_no_value_is_forgotten() -> None:
    """Of 2,084 values all but 20 are compared: 1.0%."""
    values = sum(len(record["expected"]) for record in RECORDS.values())
    elsewhere = sum(len(RECORDS[name]["expected"]) for name in ELSEWHERE)
    here = sum(len(FOUND[name](RECORDS[name])) for name in FOUND) + 30
    left_out = sum(
        len(RECORDS[name]["expected"]) - (len(FOUND[name](RECORDS[name])) if name in FOUND else 0)
        for name in LEFT_OUT
    )
    assert (values, elsewhere, here, left_out) == (2084, 53, 65, 20)
    assert IN_TWINS + elsewhere + here + left_out == values
    assert left_out < 0.02 * values


def test_the_modules_named_are_there() -> None:
    for name, module in ELSEWHERE.items():
        text = (ROOT / "tests" / module).read_text()
        assert "vectors" in text.lower(), (name, module)
        assert f'"{name}"' in text, (name, module)
