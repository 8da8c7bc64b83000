"""Intents that have a weight and no document: they count in the sum, with the value 0."""

from __future__ import annotations

import json
import os
import pickle
from fractions import Fraction
from pathlib import Path
from typing import Any

import cranfield as cf
import pytest

from tests.against.recorders import ntcireval as record_ntcireval
from tests.against.recorders import ntcireval_forms as record
from tests.against.recorders.ntcireval_forms import Diverse
from tests.against.test_ntcireval_forms import compare_diverse
from tests.commands import unsigned

WEIGHTS = {"1": 0.5333, "2": 0.2667, "3": 0.1333, "4": 0.0667}
"""Topic 0002 of the example of NTCIREVAL: no document was judged relevant to 1 or 2."""

JUDGED = {"3": {f"x{i}": 1 for i in range(3)}, "4": {f"y{i}": 1 for i in range(7)}}
LIST = ["n0", "y0", *(f"n{i}" for i in range(1, 9))]
PRINTED = {
    'IA-ERR(stop="ntcir")@10': 0.0167,
    'IA-nERR(stop="ntcir")@10': 0.0241,
    "IA-nDCG@10": 0.0116,
}
"""What README.diversity of NTCIREVAL shows for it."""


def scored(qrels: cf.Qrels, measures: str, ranking: list[str] = LIST) -> dict[str, float]:
    run = cf.Run.from_rankings({"0002": ranking})
    return cf.evaluate(qrels, run, measures).to_dict()["run"]["0002"]


def test_the_printed_example_of_ntcireval() -> None:
    qrels = cf.Qrels.from_intents({"0002": JUDGED}, weights={"0002": WEIGHTS})
    assert qrels.intents("0002") == {
        "3": 0.1333,
        "4": 0.0667,
        "1": 0.5333,
        "2": 0.2667,
    }
    for measure, value in scored(qrels, " ".join(PRINTED)).items():
        assert round(value, 4) == PRINTED[measure], measure


def test_the_printed_example_from_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from cranfield._cli import main

    lines = [f"0002 {i} {d} L{g}\n" for i, judged in JUDGED.items() for d, g in judged.items()]
    (tmp_path / "qrels").write_text("0002 0 n0 L0\n" + "".join(lines))
    likely = "".join(f"0002 {i} {w} {'nav' if i in '12' else 'inf'}\n" for i, w in WEIGHTS.items())
    (tmp_path / "likely").write_text(likely)
    run = "".join(f"0002 Q0 {d} {r} {-r} t\n" for r, d in enumerate(LIST, 1))
    (tmp_path / "run").write_text(run)
    files = [str(tmp_path / name) for name in ("qrels", "run")]
    words = ["--layout", "intents", "--intents", str(tmp_path / "likely"), "-m", " ".join(PRINTED)]
    assert main(["eval", *files, *words]) == 0
    assert unsigned(capsys.readouterr().out).split()[-3:] == ["0.0167", "0.0241", "0.0116"]
    # The navigational intents are those without a document.
    weights, navigational = cf.read_intents(tmp_path / "likely")
    qrels = cf.read_qrels(tmp_path / "qrels", layout="intents").with_weights(weights)
    qrels = qrels.with_navigational(navigational)
    assert scored(qrels, "P+Q@10")["P+Q@10"] == pytest.approx(0.0667 / 7 / 2, rel=1e-12)


ALL = "IA-nDCG@5 IA-AP IA#-RR@3 P+Q@5 P+Q#@5 D-nDCG@5 D-Q@5 D-CG@5 D#-Q@3 DIN-CG@5 DIN-Q@5 RBU@5"


def test_a_weight_of_a_quarter_is_a_quarter_of_the_sum() -> None:
    """Intents without judgments, without a relevant document, and with weights set later."""
    judged = {"x": {"a": 1, "b": 2}, "y": {"c": 1}}
    weights = {"x": 0.5, "y": 0.25, "z": 0.25}
    empty = {**judged, "z": {}}
    poor = {**judged, "z": {"d": 0}}
    ranking = ["d", "a", "c", "b"]
    ways = [
        cf.Qrels.from_intents({"0002": judged}, weights={"0002": weights}),
        cf.Qrels.from_intents({"0002": judged}).with_weights({"0002": weights}),
        cf.Qrels.from_intents({"0002": empty}, weights={"0002": weights}),
        cf.Qrels.from_intents({"0002": {**judged, "w": {"d": 0}}}).with_weights(
            {"0002": weights | {"w": 0}}
        ),
        cf.Qrels.from_intents({"0002": poor}, weights={"0002": weights}),
    ]
    found = [scored(qrels, ALL, ranking) for qrels in ways]
    ways.append(pickle.loads(pickle.dumps(ways[0])))
    found.append(scored(ways[-1], ALL, ranking))
    # x: b is at rank 4, a at rank 2; y: c is at rank 3.
    assert found[0]["IA-AP"] == 0.5 * (1 / 2 + 2 / 4) / 2 + 0.25 / 3
    assert found[0]["D-CG@5"] == 0.5 * 3 + 0.25
    for other in found[1:]:
        assert other == pytest.approx(found[0], rel=1e-15)
    halved = cf.Qrels.from_intents({"0002": judged}, weights={"0002": {"x": 2, "y": 1}})
    dropped = scored(halved, ALL, ranking)
    for measure in ("IA-nDCG@5", "IA-AP", "P+Q@5", "D-CG@5", "DIN-CG@5"):
        assert found[0][measure] == pytest.approx(0.75 * dropped[measure], rel=1e-15)
    # What does not look at the scale of gains is as it was.
    assert found[0]["D-nDCG@5"] == pytest.approx(dropped["D-nDCG@5"], rel=1e-15)


def test_an_intent_that_is_named_without_a_document_weighs_as_all() -> None:
    judged = {"x": {"a": 1}, "y": {}}
    qrels = cf.Qrels.from_intents({"0002": judged})
    assert qrels.intents("0002") == {"x": 1, "y": 1}
    assert scored(qrels, "IA-AP", ["a"]) == {"IA-AP": 0.5}
    # One that the weights leave out has none, since no document was judged under it.
    assert qrels.with_weights({"0002": {"x": 3}}).intents("0002") == {"x": 3, "y": 0}


def test_other_weights_replace_those_of_intents_without_documents() -> None:
    qrels = cf.Qrels.from_intents({"0002": {"x": {"a": 1}}}, weights={"0002": {"x": 1, "y": 3}})
    assert scored(qrels, "IA-AP", ["a"]) == {"IA-AP": 0.25}
    again = qrels.with_weights({"0002": {"x": 1}})
    assert scored(again, "IA-AP", ["a"]) == {"IA-AP": 1}


def test_a_topic_without_any_intent_among_topics_with_intents() -> None:
    """Its documents serve nothing: it is undefined, and counts 0."""
    qrels = cf.Qrels.from_intents(
        {"1": {"x": {"a": 1}}, "2": {"0": {"b": 0}}},
        weights={"1": {"x": 1}, "2": {"0": 0, "y": 0.5, "z": 0.5}},
    )
    run = cf.Run.from_rankings({"1": ["a"], "2": ["b"]})
    assert cf.evaluate(qrels, run, "IA-AP P+Q D-AP").mean().tolist() == [[0.5, 0.5, 0.5]]
    skipped = cf.evaluate(qrels, run, "IA-AP P+Q D-AP", undefined="skip")
    assert skipped.mean().tolist() == [[1, 1, 1]]


def test_judgments_that_are_not_by_intent_get_none_by_weights() -> None:
    with pytest.raises(cf.Error, match="needs grades under each intent"):
        cf.evaluate(
            cf.Qrels({"1": {"a": 1}}).with_weights({"1": {"x": 1}}), {"1": {"a": 1}}, "IA-AP"
        )


def test_what_ndeval_leaves_out_stays_left_out() -> None:
    """Measures of ndeval and StRecall look at intents with a relevant document only."""
    judged = {"0002": {"x": {"a": 1, "b": 1}, "y": {"c": 1}}}
    measures = "ERR_IA@5 nERR_IA@5 alpha_DCG@5 alpha_nDCG@5 NRBP nNRBP P_IA@5 AP_IA StRecall@5"
    few = cf.Qrels.from_intents(judged, weights={"0002": {"x": 2, "y": 1}})
    more = few.with_weights({"0002": {"x": 2, "y": 1, "z": 5}})
    ranking = ["d", "a", "c", "b"]
    assert scored(few, measures, ranking) == scored(more, measures, ranking)


def test_many_intents_without_documents_cost_little() -> None:
    weights = {"x": 1.0} | {f"none{i}": 1.0 for i in range(200_000)}
    qrels = cf.Qrels.from_intents({"0002": {"x": {"a": 1}}}, weights={"0002": weights})
    found = scored(qrels, "IA-AP P+Q D-CG@1 DIN-CG@1 alpha_nDCG@5 StRecall@1", ["a"])
    assert found["IA-AP"] == pytest.approx(1 / 200_001, rel=1e-12)


# against NTCIREVAL


def exact(topic: Diverse) -> dict[str, Fraction]:
    """IA-AP and P+Q@3 in fractions, from their definitions."""
    sums = {"IA-AP": Fraction(0), "P+Q@3": Fraction(0)}
    for probability, navigational, grades in zip(
        topic.probabilities, topic.navigational, topic.judged, strict=True
    ):
        gains = [grades.get(d, 0) for d in topic.ranking]
        ideal = sorted(grades.values(), reverse=True)
        relevant = sum(gain > 0 for gain in ideal)
        if not relevant:
            continue
        share = Fraction(probability)
        precisions = [
            Fraction(sum(g > 0 for g in gains[: r + 1]), r + 1)
            for r, gain in enumerate(gains)
            if gain
        ]
        sums["IA-AP"] += share * sum(precisions, Fraction(0)) / relevant
        blended = [
            Fraction(
                sum(g > 0 for g in gains[: r + 1]) + sum(gains[: r + 1]),
                r + 1 + sum(ideal[: r + 1]),
            )
            for r in range(min(3, len(gains)))
        ]
        if navigational:
            first = [r for r, gain in enumerate(gains[:3]) if gain == max(gains[:3]) > 0]
            pairs = [b for r, b in enumerate(blended) if gains[r] and first and r <= first[0]]
            value = sum(pairs, Fraction(0)) / len(pairs) if pairs else Fraction(0)
        else:
            pairs = [b for r, b in enumerate(blended) if gains[r]]
            value = sum(pairs, Fraction(0)) / min(3, relevant)
        sums["P+Q@3"] += share * value
    return sums


def test_recorded_topics() -> None:
    content: dict[str, Any] = json.loads(record.RECORDED.read_text())
    topics = [Diverse(*topic) for topic, _ in content["sparse"]]
    rows = [values for _, values in content["sparse"]]
    assert any(not grades for topic in topics for grades in topic.judged)
    assert compare_diverse(topics, rows, record_ntcireval.DECIMALS) > 4000


def test_a_thousand_topics_in_fractions() -> None:
    topics = record.diverse(23, 1000, sparse=True)
    lacking = sum(not any(grades.values()) for topic in topics for grades in topic.judged)
    assert lacking > 500
    for topic in topics:
        intents = {str(n): grades for n, grades in enumerate(topic.judged, 1) if grades}
        weights = {str(n): p for n, p in enumerate(topic.probabilities, 1)}
        kinds = [str(n) for n, nav in enumerate(topic.navigational, 1) if nav]
        qrels = cf.Qrels.from_intents(
            {"0002": intents}, weights={"0002": weights}, navigational={"0002": kinds}
        )
        found = scored(qrels, "IA-AP P+Q@3", topic.ranking)
        for measure, value in exact(topic).items():
            assert found[measure] == pytest.approx(float(value), abs=1e-14), (measure, topic)


def test_a_thousand_live_topics() -> None:
    folder = os.environ.get("NTCIREVAL")
    if not folder:
        pytest.skip("NTCIREVAL does not name the folder of the built program")
    program = record_ntcireval.program(Path(folder))
    topics = record.diverse(29, 1000, sparse=True)
    rows = record.printed_diverse(program, topics)
    assert compare_diverse(topics, rows, record_ntcireval.decimals(program)) > 100_000
