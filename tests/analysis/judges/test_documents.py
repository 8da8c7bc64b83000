"""Agreement on documents: scikit-learn (recorded), krippendorff, arithmetic."""

from __future__ import annotations

import math

import cranfield as cf
import krippendorff
import pytest
from cranfield import judges

from tests.against import answer_cases
from tests.against.recorded_answers import recorded

A = [0, 0, 1, 1, 2, 2, 0, 2]
B = [0, 1, 1, 2, 2, 2, 0, 1]


def judged(grades: list[int], topic: str = "1") -> dict[str, dict[str, int]]:
    return {topic: {f"d{place}": grade for place, grade in enumerate(grades)}}


def test_the_worked_example() -> None:
    found = judges.documents(judged(A), judged(B))
    expected = {
        "documents": 8,
        "kappa": 0.4419,
        "linear kappa": 0.5862,
        "quadratic kappa": 0.7273,
        "kappa >= 1": 0.7143,
        "kappa >= 2": 0.4667,
        "alpha": 0.7350,
        "jaccard >= 1": 0.8333,
        "over": 0.25,
        "under": 0.125,
    }
    for name, value in expected.items():
        assert found.all[name] == pytest.approx(value, abs=5e-5), name
    # 3 less 2 grades over 8 documents... the sum of B less that of A.
    assert found.all["leniency"] == (sum(B) - sum(A)) / 8
    assert found.grades == (0.0, 1.0, 2.0)
    assert found.matrix.tolist() == [[2, 1, 0], [0, 1, 1], [0, 1, 2]]
    assert found.topics["1", "quadratic kappa"] == found.all["quadratic kappa"]
    assert found.means["alpha"] == found.all["alpha"]


def test_scikit_learn_and_krippendorff_compute_the_same() -> None:
    names = ("kappa", "linear kappa", "quadratic kappa", "kappa >= 1", "jaccard >= 1")
    compared = 0
    for case, theirs in enumerate(recorded("grades")):
        first, second = answer_cases.grades(case)
        found = judges.documents(judged(first), judged(second)).all
        for name, value in zip(names, theirs, strict=True):
            ours = found.get(name, math.nan)
            if value is None or math.isnan(ours):
                # Kappa of two judges of whom one gave a single label is 0 here, and there.
                assert value is None or value == 0 or name not in found, (case, name)
            else:
                assert ours == pytest.approx(value, abs=1e-12), (case, name)
                compared += 1
        if len({*first, *second}) > 1 and case < 100:
            theirs_alpha = krippendorff.alpha(
                reliability_data=[first, second], level_of_measurement="ordinal"
            )
            assert found["alpha"] == pytest.approx(theirs_alpha, abs=1e-12), case
    assert compared > 800


def test_the_union_of_documents_counts() -> None:
    gold = {"1": {"a": 1, "b": 0}, "2": {"a": 1, "p": -1}, "3": {"x": 1}}
    other = {"1": {"a": 1, "c": 2}, "2": {"a": 0, "p": -1}, "4": {"x": 1}}
    found = judges.documents(gold, other)
    # Topic 1: a 1/1, b 0/0, c 0/2; topic 2: a 1/0, and p was judged by neither.
    assert found.topics.labels == ("1", "2")
    assert [found.topics[topic, "documents"] for topic in "12"] == [3, 1]
    assert found.all["over"] == 1 / 4
    assert found.all["under"] == 1 / 4
    assert found.all["jaccard >= 1"] == 1 / 3
    assert found.matrix.sum() == 4


def test_what_is_undefined() -> None:
    found = judges.documents({"1": {"a": 0, "b": 0}}, {"1": {"a": 0, "b": 0}})
    for name in ("kappa", "linear kappa", "quadratic kappa", "alpha"):
        assert math.isnan(found.all[name])
    constant = judges.documents({"1": {"a": 1, "b": 1}}, {"1": {"a": 1, "b": 1}})
    assert math.isnan(constant.all["kappa >= 1"])
    assert constant.all["jaccard >= 1"] == 1
    with pytest.raises(cf.Error, match="no topic in common") as caught:
        judges.documents({"1": {"a": 1}}, {"2": {"a": 1}})
    assert caught.value.kind == "label"


def test_grades_have_the_distance_of_their_values() -> None:
    """As scikit-learn has it where the grades between are labels, too."""
    pairs = judges.documents(judged([0, 3, 3, 1]), judged([0, 3, 1, 0]))
    counts = [[1, 0, 0, 0], [1, 0, 0, 0], [0, 0, 0, 0], [0, 1, 0, 1]]
    expected = cf.stats.cohen_kappa(counts, weights="linear").statistic
    assert pairs.all["linear kappa"] == pytest.approx(expected, abs=1e-14)


def test_kappas_with_other_marginals() -> None:
    """Of four documents two judges agree on three: uniform (3/4 - 1/2) / (1/2) = 1/2.

    Pooled: the judges called 2 + 1 of 8 relevant, so chance agrees in (3/8)^2 + (5/8)^2 = 34/64.
    """
    one, two = {"1": {"a": 1, "b": 1, "c": 0, "d": 0}}, {"1": {"a": 1, "b": 0, "c": 0, "d": 0}}
    uniform = cf.judges.documents(one, two, marginals="uniform")
    assert uniform.all["kappa >= 1"] == uniform.all["kappa"] == 1 / 2
    pooled = cf.judges.documents(one, two, marginals="pooled").all["kappa >= 1"]
    assert pooled == pytest.approx((3 / 4 - 34 / 64) / (1 - 34 / 64), abs=1e-15)
    same = cf.judges.documents({"1": {"a": 1}}, {"1": {"a": 1}}, marginals="uniform")
    assert same.all["kappa >= 1"] == 1
    assert math.isnan(cf.judges.documents({"1": {"a": 1}}, {"1": {"a": 1}}).all["kappa >= 1"])
