"""Estimates from samples of a pool: files, columns, and the programs of their authors.

The oracles are what ``sample_eval.pl`` (10 October 2011) and ``statAP_MQ_eval`` (version 3) print
for the synthetic collection of ``CRANFIELD_DATA``, to their printed digits.
"""

from __future__ import annotations

import random
from collections import defaultdict
from pathlib import Path

import cranfield as cf
import pytest

RUNS = ("alpha", "bravo", "charlie", "delta", "foxtrot")


def printed_by_sample_eval(path: Path) -> dict[str, dict[str, float]]:
    """Topic to measure to value."""
    found: dict[str, dict[str, float]] = defaultdict(dict)
    for line in path.read_text().splitlines():
        measure, topic, value = line.split()
        found[topic][measure] = float(value)
    return found


@pytest.mark.parametrize("run", [*RUNS, "echo"])
def test_sample_eval_prints_the_same(run: str, data: Path) -> None:
    folder = data / "oracles"
    ours = {"infAP": "xinfAP@1000", "infNDCG": "infNDCG@1000"}
    ours |= {f"iP{k}": f"infP@{k}" for k in (10, 50, 1000)}
    scores = cf.evaluate(
        folder / "sample_eval" / "strata.qrels",
        folder / "synthetic" / f"{run}.run",
        list(ours.values()),
    )
    compared = 0
    for topic, printed in printed_by_sample_eval(folder / "sample_eval" / f"{run}.out").items():
        if topic == "all":
            continue
        for theirs, measure in ours.items():
            value = scores.sel(topic=topic, measure=measure).values.item()
            assert f"{value:.4f}" == f"{printed[theirs]:.4f}", (topic, measure)
            compared += 1
    assert compared >= 5 * 11


@pytest.mark.parametrize("run", RUNS)
def test_stat_ap_prints_the_same(run: str, data: Path) -> None:
    folder = data / "oracles"
    scores = cf.evaluate(
        folder / "statap" / "prels",
        folder / "synthetic" / f"{run}.run",
        ["statAP", "statRprec"],
        undefined="skip",
    )
    compared = 0
    text = (folder / "statap" / f"{run}.v3.out").read_text()
    for block in text.split("topic=")[1:]:
        topic = block.split()[0]
        for theirs, measure in (("AP=", "statAP"), ("R-prec=", "statRprec")):
            printed = block.split(f"\t{theirs}" if theirs == "AP=" else theirs)[1].split()[0]
            value = scores.sel(topic=topic, measure=measure).values.item()
            if printed.startswith("NA"):
                assert value != value
            else:
                assert f"{value:.6f}" == printed, (topic, measure)
                compared += 1
    assert compared > 14


@pytest.mark.parametrize("name", ["qrels-sample-abstracts.2018", "qrels-sample-ct.2018"])
def test_real_strata(name: str, data: Path) -> None:
    """Estimates by the definitions in plain loops, for a list of the pool in random order."""
    qrels = cf.read_qrels(data / "trec-pm-sampled" / f"{name}.txt")
    rng = random.Random(7)
    run = {}
    for topic in qrels.topics:
        pool = [*qrels[topic], *(f"other{i}" for i in range(50))]
        rng.shuffle(pool)
        run[topic] = pool[:1000]
    measures = ["xinfAP", "infNDCG", "infP@10", "statAP", "statP@10"]
    scores = cf.evaluate(qrels, cf.Run.from_rankings(run), measures)
    for topic in qrels.topics:
        expected = by_hand(qrels[topic], qrels.column("stratum", topic), run[topic])
        assert scores.sel(topic=topic).values.ravel() == pytest.approx(expected, abs=1e-12)


def by_hand(
    grades: dict[str, float], stratum: dict[str, float], ranking: list[str]
) -> tuple[float, ...]:
    """xinfAP, infNDCG, infP@10, statAP, statP@10."""
    import math

    names = sorted(set(stratum.values()))
    pooled = {s: sum(x == s for x in stratum.values()) for s in names}
    judged = {s: sum(stratum[d] == s and g >= 0 for d, g in grades.items()) for s in names}
    weight = {d: pooled[stratum[d]] / judged[stratum[d]] for d, g in grades.items() if g >= 0}
    total = sum(weight[d] for d, g in grades.items() if g >= 1)

    def relevant(above: list[str], s: float) -> float:
        own = [d for d in above if stratum.get(d) == s]
        known = sum(grades[d] >= 0 for d in own)
        found = sum(grades[d] >= 1 for d in own)
        return len(own) * (found + 1e-5) / (known + 3e-5)

    xinfap = statap = seen = 0.0
    for rank, d in enumerate(ranking, 1):
        if grades.get(d, 0) >= 1:
            above = ranking[: rank - 1]
            xinfap += weight[d] * (1 + sum(relevant(above, s) for s in names)) / rank
            statap += weight[d] * (1 + seen) / rank
            seen += weight[d]
    dcg = 0.0
    for s in names:
        own = [(r, d) for r, d in enumerate(ranking, 1) if stratum.get(d) == s]
        known = sum(grades[d] >= 0 for _, d in own)
        gain = sum(max(grades[d], 0) / math.log2(r + 1) for r, d in own)
        dcg += len(own) * gain / known if known else 0
    ideal: list[float] = []
    for grade in sorted({g for g in grades.values() if g > 0}, reverse=True):
        counts = (
            (sum(stratum[d] == s and g == grade for d, g in grades.items()), s) for s in names
        )
        estimate = sum(n * pooled[s] / judged[s] for n, s in counts if n)
        ideal += [grade] * math.floor(estimate + 0.5)
    best = sum(g / math.log2(r + 1) for r, g in enumerate(ideal, 1))
    top = ranking[:10]
    return (
        xinfap / total if total else 0.0,
        dcg / best if best else 0.0,
        sum(relevant(top, s) for s in names) / 10,
        statap / total if total else 0.0,
        sum(weight[d] for d in top if grades.get(d, 0) >= 1) / 10,
    )


def test_a_column_is_added_to_judgments() -> None:
    judgments = {"1": {"a": 1, "b": 0, "c": 1}}
    qrels = cf.Qrels(judgments).with_column("inclusion", {"1": {"a": 0.5, "b": 1, "c": 0.25}})
    assert qrels.columns == ("inclusion",)
    assert qrels.column("inclusion", "1") == {"a": 0.5, "b": 1.0, "c": 0.25}
    run = cf.Run.from_rankings({"1": ["x", "a", "b", "c"]})
    assert cf.evaluate(qrels, run, "statAP statP@4").values.ravel().tolist() == [4 / 6, 1.5]
    again = qrels.with_column("inclusion", {"1": {"a": 1, "b": 1, "c": 1}})
    assert again.columns == ("inclusion",)
    assert cf.evaluate(again, run, "statAP").values.item() == cf.evaluate(qrels, run, "AP").values


@pytest.mark.parametrize(
    ("values", "kind", "sentence"),
    [
        (
            {"1": {"a": 0.5}},
            "needs",
            "expected a number as inclusion for each judgment, found none",
        ),
        ({"1": {"a": 0.5, "b": 0}}, "number", "above 0 and up to 1 as inclusion, found 0"),
        ({"1": {"a": 0.5, "b": 2}}, "number", "above 0 and up to 1 as inclusion, found 2"),
        ({"1": {"a": "x", "b": 1}}, "number", "expected a finite number as inclusion"),
        ({"1": 5}, "type", "expected a topic's column as {document: number}"),
    ],
)
def test_a_column_that_does_not_fit(values: object, kind: str, sentence: str) -> None:
    with pytest.raises(cf.Error) as error:
        cf.Qrels({"1": {"a": 1, "b": 0}}).with_column("inclusion", values)  # type: ignore[arg-type]
    assert error.value.kind == kind
    assert sentence in str(error.value)


def test_judgments_without_a_sample_are_refused() -> None:
    for measure in ("xinfAP", "infNDCG@10", "statDCG@5"):
        with pytest.raises(cf.Error, match=f"{measure} needs the stratum") as error:
            cf.evaluate({"1": {"a": 1}}, {"1": {"a": 1.0}}, measure)
        assert error.value.kind == "needs"
