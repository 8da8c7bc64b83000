"""The C/W/L user models against cwl_eval: what it prints for its own data, and its classes."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import cranfield as cf
import pytest

from tests import ROOT, effort, graded

NUMBERS = ("EU", "ETU", "EC", "ETC", "ED")
"""The columns that it prints; five residuals follow."""

PRINTED = {
    "NDCG-k@10": "SDCG(max_rel=1)@10",
    "NDCG-k@5": "SDCG(max_rel=1)@5",
    "INST-T=2.0": "INST(T=2,max_rel=1)",
    "INST-T=1.0": "INST(T=1,max_rel=1)",
    "INSQ-T=2.0": "INSQ(T=2,max_rel=1)",
    "INSQ-T=1.0": "INSQ(T=1,max_rel=1)",
    "BPM-Static-T=1.0-K=1000": "BPM(T=1,K=1000,max_rel=1)",
    "BPM-Static-T=1.2-K=10": "BPM(T=1.2,K=10,max_rel=1)",
    "BPM-Dynamic-T=1.2-K=10-hb=1.0-hc=1.0": "BPM(T=1.2,K=10,hb=1,max_rel=1)",
    "U-L@50": "U(L=50,max_rel=1)",
    "U-L@10": "U(L=10,max_rel=1)",
    "TBG-H@22.0": "TBG(halflife=22,max_rel=1)",
    "IFT-C1-T=2.0-b1=0.9-R1=10.0": "IFT(T=2,max_rel=1)",
    "IFT-C2-A=0.2-b2=0.9-R2=10.0": "IFT(A=0.2,max_rel=1)",
    "IFT-C1-C2-T=2.0-b1=0.9-R1=10.0-A=0.2-b2=0.9-R2=10.0": "IFT(T=2,A=0.2,max_rel=1)",
    "NERR-EQ8@k=10": "NERR8(max_rel=1)@10",
    "NERR-EQ9@k=10": "NERR9(max_rel=1)@10",
    "NERR-EQ10@phi=0.8": "NERR10(p=0.8,max_rel=1)",
    "NERR-EQ11@T=2.0": "NERR11(T=2,max_rel=1)",
    # A user who never stops before rank k, who goes on with one probability, and who
    # stops at the first document that gains: P, RBP and RR with all five numbers.
    "P@1": "TBG(halflife=1e300,max_rel=1)@1",
    "P@5": "TBG(halflife=1e300,max_rel=1)@5",
    "P@10": "TBG(halflife=1e300,max_rel=1)@10",
    "P@20": "TBG(halflife=1e300,max_rel=1)@20",
    "RBP@0.5": "NPV(rate=1,max_rel=1)",
    "RBP@0.9": f"NPV(rate={1 / 9!r},max_rel=1)",
    "RR": "BPM(T=1e-9,K=1e300,max_rel=1)",
}
"""Its names in the recorded output, and cranfield's; AP is another measure there (D23)."""

CASES = effort.seeds(120, 40)


def with_parameters(measure: str, more: str) -> str:
    """A measure with more parameters before the closing bracket."""
    return measure.replace(")", f",{more})")


def all_numbers(measure: str) -> list[str]:
    """The ten numbers of a user model, in the order of its columns."""
    return [
        with_parameters(measure, f'out="{out}",unjudged="{unjudged}"')
        for unjudged in ("worst", "residual")
        for out in NUMBERS
    ]


@pytest.mark.parametrize("output", ["nocost.out", "cost.out"])
def test_recorded_output(data: Path, output: str) -> None:
    folder = data / "oracles" / "cwl_eval"
    kinds = dict(line.split() for line in (folder / "cost_file").read_text().splitlines() if line)
    rankings: dict[str, list[str]] = {}
    qrels: dict[str, dict[str, float]] = {}
    costs: dict[str, dict[str, float]] = {}
    for line in (folder / "result_file").read_text().splitlines():
        topic, kind, document, *_ = line.split()
        rankings.setdefault(topic, []).append(document)
        # Unjudged documents have a cost too.
        qrels.setdefault(topic, {})[document] = -1
        costs.setdefault(topic, {})
        if kind in kinds:
            costs[topic][document] = float(kinds[kind])
    for line in (folder / "gain_file").read_text().splitlines():
        topic, _, document, gain = line.split()
        if topic in qrels:
            qrels[topic][document] = float(gain)
    run = cf.Run.from_rankings(rankings)
    judgments = cf.Qrels(qrels)
    if output == "cost.out":
        judgments = judgments.with_column("cost", costs)
    found = cf.evaluate(judgments, run, [m for ours in PRINTED.values() for m in all_numbers(ours)])
    values = found.to_dict()["run"]
    compared = 0
    for line in (folder / output).read_text().splitlines()[1:]:
        topic, name, *texts = line.split("\t")
        if name.strip() == "AP":
            continue
        for measure, text in zip(all_numbers(PRINTED[name.strip()]), texts, strict=True):
            value = values[topic][str(cf.Measure(measure))]
            assert abs(value - float(text)) <= 0.5e-4 + 1e-12, (topic, name, measure, value, text)
            compared += 1
    assert compared == 3 * 26 * 10


def models(measures: Any) -> list[tuple[str, Any]]:
    """Its classes of a package, and our spelling of each."""
    return [
        ("INST(T=1,{0})", measures.INSTCWLMetric(1.0)),
        ("INST(T=2.5,{0})", measures.INSTCWLMetric(2.5)),
        ("INSQ(T=3,{0})", measures.INSQCWLMetric(3.0)),
        ("BPM(T=1.5,K=7,{0})", measures.BPMCWLMetric(1.5, 7)),
        # No sum of gains is T by definition: cwl_eval would let rounding decide (D40).
        ("BPM(T=1.4567,K=7,hb=0.7312,{0})", measures.BPMDCWLMetric(1.4567, 7, hb=0.7312, hc=0.3)),
        ("IFT(T=2,b1=0.5,R1=3,{0})", measures.IFTGoalCWLMetric(2.0, 0.5, 3)),
        ("IFT(A=0.4,b2=0.7,R2=5,{0})", measures.IFTRateCWLMetric(0.4, 0.7, 5)),
        ("IFT(T=2,A=0.2,{0})", measures.IFTGoalRateCWLMetric(2.0, 0.9, 10, 0.2, 0.9, 10)),
        ("SDCG({0})@7", measures.NDCGCWLMetric(7)),
        ("NERR8({0})@7", measures.NERReq8CWLMetric(7)),
        ("NERR9({0})@7", measures.NERReq9CWLMetric(7)),
        ("NERR10(p=0.7,{0})", measures.NERReq10CWLMetric(0.7)),
        ("NERR11(T=2,{0})", measures.NERReq11CWLMetric(2.0)),
        ("TBG(halflife=22,{0})", measures.TBGCWLMetric(22)),
        ("U(L=30,{0})", measures.UMeasureCWLMetric(30)),
    ]


def compare(
    cwl: Any,
    judged: dict[str, int],
    ranking: list[str],
    top: int,
    costs: dict[str, float] | None = None,
) -> int:
    """Our ten numbers of each model for one list, and its; how many were compared."""
    gains = [max(judged[d], 0) / top if judged.get(d, -1) >= 0 else float("nan") for d in ranking]
    paid = [(costs or {}).get(d, float("nan")) for d in ranking]
    compared = 0
    chosen = models(cwl)
    spelled = [all_numbers(name.format(f"max_rel={top}")) for name, _ in chosen]
    run = cf.Run.from_rankings({"1": ranking})
    qrels = cf.Qrels({"1": judged})
    if costs:
        qrels = qrels.with_column("cost", {"1": costs})
    found = cf.evaluate(qrels, run, [m for ten in spelled for m in ten]).to_dict()["run"]
    for ten, (name, metric) in zip(spelled, chosen, strict=True):
        metric.residuals = True
        metric.measure(cwl.Ranking("1", gains, paid))
        theirs = [
            *metric.get_scores(),
            metric.residual_expected_utility,
            metric.residual_expected_total_utility,
            metric.residual_expected_cost,
            metric.residual_expected_total_cost,
            metric.residual_expected_items,
        ]
        for measure, value in zip(ten, theirs, strict=True):
            ours = found["1"][str(cf.Measure(measure))]
            assert ours == pytest.approx(value, rel=1e-9, abs=1e-9), (name, measure, judged)
            compared += 1
    return compared


@pytest.fixture(scope="module")
def vectors() -> dict[str, Any]:
    path = ROOT / "rust" / "core" / "tests" / "data" / "vectors.json"
    return {record["name"]: record for record in json.loads(path.read_text())}


@pytest.fixture(scope="module")
def cwl() -> Any:
    return pytest.importorskip("cwl.ruler.cwl_ruler")


def test_random_lists(cwl: Any) -> None:
    compared = 0
    for case in CASES:
        rng = random.Random(case)
        qrels, run = graded.random_collection(rng, ["1"], negative=False, missing=False)
        ranking = graded.ranking(run["1"])
        compared += compare(cwl, qrels["1"], ranking, 3)
    assert compared == len(CASES) * 150


def test_random_lists_with_costs(cwl: Any) -> None:
    compared = 0
    for case in CASES:
        rng = random.Random(f"costs{case}")
        qrels, run = graded.random_collection(rng, ["1"], negative=True, missing=False)
        costs = {d: rng.randint(1, 40) / 4 for d in qrels["1"] if rng.random() < 0.9}
        compared += compare(cwl, qrels["1"], graded.ranking(run["1"]), 3, costs)
    assert compared == len(CASES) * 150


def test_real_lists_with_costs(cwl: Any, data: Path) -> None:
    compared = 0
    for _, qrels, run in graded.real(data / "cranfield", 1):
        for topic in sorted(qrels)[:12]:
            rng = random.Random(topic)
            costs = {d: float(rng.randint(1, 90)) for d in qrels[topic]}
            compared += compare(cwl, qrels[topic], graded.ranking(run[topic]), 4, costs)
    assert compared == 12 * 150


def test_real_lists(cwl: Any, data: Path) -> None:
    compared = 0
    for _, qrels, run in graded.real(data / "cast2021", 1):
        for topic in sorted(qrels)[:12]:
            compared += compare(cwl, qrels[topic], graded.ranking(run[topic]), 4)
    assert compared == 12 * 150


def test_too_many_ranks_are_refused() -> None:
    with pytest.raises(cf.Error, match="no more than 1000000 ranks"):
        cf.evaluate({"1": {"a": 1}}, {"1": {"a": 1.0}}, "INST(T=1)@2000000")


def test_a_foraging_user_needs_a_goal_or_a_rate() -> None:
    with pytest.raises(cf.Error, match=r"IFT needs a goal, a rate or both, as in IFT\(T=2\)"):
        cf.evaluate({"1": {"a": 1}}, {"1": {"a": 1.0}}, "IFT")


def test_a_cost_is_above_0() -> None:
    with pytest.raises(cf.Error, match="expected a number above 0 as cost, found 0"):
        cf.Qrels({"1": {"a": 1}}).with_column("cost", {"1": {"a": 0}})


def test_the_original_form_of_tbg(vectors: dict[str, Any]) -> None:
    """The worked example of Smucker and Clarke's constants, words as the cost."""
    record = vectors["tbg"]
    documents = record["params"]["docs(rel,words)"]
    names = [f"d{i}" for i in range(len(documents))]
    qrels = cf.Qrels(
        {"1": {d: int(kind == "r") for d, (kind, _) in zip(names, documents, strict=True)}}
    )
    lengths = {d: words for d, (_, words) in zip(names, documents, strict=True)}
    qrels = qrels.with_column("cost", {"1": lengths})
    run = cf.Run.from_rankings({"1": names})
    value = cf.evaluate(qrels, run, 'TBG(form="original")').values.item()
    assert value == pytest.approx(record["expected"]["TBG"], rel=1e-12)


@pytest.mark.parametrize("given", ['out="ED"', 'unjudged="best"'])
def test_an_original_form_has_one_number(given: str) -> None:
    for name in ("TBG", "U"):
        measure = f'{name}(form="original",{given})'
        with pytest.raises(cf.Error, match="one number in its original form"):
            cf.evaluate({"1": {"a": 1}}, {"1": {"a": 1.0}}, measure)


def test_a_sum_that_is_the_goal_up_to_rounding_has_reached_it() -> None:
    """D40: eight documents of a tenth are eight tenths, though doubles add up to less."""
    gains = {f"d{i}": 1 for i in range(12)}
    run = cf.Run.from_rankings({"1": list(gains)})
    assert sum([0.1] * 8) < 0.8
    found = cf.evaluate({"1": gains}, run, 'BPM(T=0.8,K=100,max_rel=10,out="ED")')
    assert found.values.item() == 8


def test_inst_wants_half_a_document_at_least() -> None:
    """Below, the probability to go on would be (2T - 1)^2 / (2T)^2, which passes 1 at a quarter."""
    with pytest.raises(cf.Error, match=r"needs a T of at least 0\.5"):
        cf.evaluate({"1": {"a": 1}}, {"1": {"a": 1.0}}, "INST(T=0.2)")
    run = cf.Run.from_rankings({"1": ["a", "b"]})
    found = cf.evaluate({"1": {"a": 1, "b": 1}}, run, 'INST(T=0.5,out="ED")')
    assert found.values.item() == 1


def test_expected_search_length_goes_on_in_the_collection() -> None:
    """Cooper's j + i s / (r + 1): 2 above, then 7 others, 1 of 2 relevant wanted."""
    qrels = cf.Qrels({"1": {"a": 1, "b": 1}}, docs_in_collection=11)
    found = cf.evaluate(qrels, {"1": {"x": 2.0, "y": 1.0}}, "ESL")
    assert found.values.item() == 2 + 7 * 1 / 3
