"""Equal scores: averages over all orders, bounds over them, and what is refused.

Brute force over all orders is in ``rust/core/tests/ties.rs``.
"""

from __future__ import annotations

import itertools
import math
import random
import subprocess
import sys
from pathlib import Path
from typing import Any, Literal

import cranfield as cf
import numpy as np
import pytest
from cranfield._core import families

QRELS = {"1": {"a": 1, "b": 0, "c": 2, "d": 0}}
RUN = {"1": {"a": 1.0, "b": 1.0, "c": 1.0, "x": 1.0, "d": 0.5}}


def collection(chance: random.Random) -> tuple[dict[str, int], dict[str, float]]:
    """Judgments of one topic, and a run with few different scores."""
    documents = [f"d{i:03}" for i in range(chance.randint(1, 60))]
    judged = {d: chance.choice((0, 0, 1, 2, 3)) for d in documents if chance.random() < 0.6}
    judged["missing"] = 2
    return judged, {d: float(chance.randint(1, 6)) for d in documents}


def groups(scores: dict[str, float]) -> list[list[str]]:
    """The documents of each score, the highest first."""
    by_score = sorted(scores, key=lambda d: -scores[d])
    return [list(group) for _, group in itertools.groupby(by_score, key=scores.__getitem__)]


def averaged(judged: dict[str, int], scores: dict[str, float], weights: list[float]) -> float:
    """The gains of each group times the mean weight of its ranks.

    As sklearn's ``dcg_score(ignore_ties=False)`` and ``rbp_eval`` work it out.
    """
    total, rank = 0.0, 0
    for group in groups(scores):
        weight = sum(weights[rank : rank + len(group)]) / len(group)
        total += weight * sum(judged.get(d, 0) for d in group)
        rank += len(group)
    return total


def test_dcg_and_rbp_share_the_weights_of_equal_scores() -> None:
    chance = random.Random(2008)
    for _ in range(200):
        judged, scores = collection(chance)
        measures = "DCG@10 nDCG@10 RBP(p=0.8,max_rel=3)@10"
        found = cf.evaluate({"1": judged}, {"1": scores}, measures, ties="average").values[0, 0]
        to_ten = [i < 10 for i in range(100)]
        discounts = [on / math.log2(i + 2) for i, on in enumerate(to_ten)]
        ideal = sum(g * w for g, w in zip(sorted(judged.values())[::-1], discounts, strict=False))
        dcg = averaged(judged, scores, discounts)
        rbp = averaged(judged, scores, [on * 0.2 * 0.8**i / 3 for i, on in enumerate(to_ten)])
        assert found == pytest.approx([dcg, dcg / ideal, rbp], rel=1e-12, abs=1e-12)


def test_precision_at_relevant_documents() -> None:
    """Average precision of one group: McSherry and Najork's closed form."""
    for relevant, size in ((1, 7), (3, 7), (40, 300)):
        judged = {f"d{i}": 1 for i in range(relevant)}
        scores = {f"d{i}": 0.0 for i in range(size)}
        places = range(1, size + 1)
        above = [1 + (i - 1) * (relevant - 1) / (size - 1) for i in places]
        expected = sum(n / i for n, i in zip(above, places, strict=True)) / size
        found = cf.evaluate({"1": judged}, {"1": scores}, "AP", ties="average").values.item()
        assert found == pytest.approx(expected, rel=1e-12)


def test_a_user_who_stops_in_a_large_group() -> None:
    """One document of two hundred satisfies: its rank is any of them."""
    scores = {f"d{i}": 0.0 for i in range(200)}
    measures = "RR ERR(max_rel=1) P@50 bpref infAP"
    found = cf.evaluate({"1": {"d7": 1}}, {"1": scores}, measures, ties="average").values[0, 0]
    reciprocal = sum(1 / i for i in range(1, 201)) / 200
    assert found == pytest.approx([reciprocal, reciprocal / 2, 0.005, 1, reciprocal], rel=1e-12)


def test_without_equal_scores_nothing_changes() -> None:
    chance = random.Random(11)
    judged, scores = collection(chance)
    apart = {d: score + 1e-6 * i for i, (d, score) in enumerate(scores.items())}
    measures = "AP nDCG@10 RR bpref ERR(max_rel=3) Q RBP(p=0.8)"
    plain = cf.evaluate({"1": judged}, {"1": apart}, measures)
    mean = cf.evaluate({"1": judged}, {"1": apart}, measures, ties="average")
    bounds = cf.tie_bounds({"1": judged}, {"1": apart}, measures)
    for other in (mean, bounds.value, bounds.low, bounds.high):
        assert np.array_equal(plain.values, other.values)


def test_averages_do_not_depend_on_the_order_and_lie_within_the_bounds(tmp_path: Path) -> None:
    chance = random.Random(12)
    measures = "AP nDCG@10 RR@5 bpref ERR(max_rel=3)@10 Q GAP' RBP(p=0.8) Judged@10 P@5"
    for _ in range(30):
        judged, scores = collection(chance)
        qrels = cf.Qrels({"1": judged})
        path = tmp_path / "run.txt"
        lines = [f"1 Q0 {d} 1 {score} tag\n" for d, score in scores.items()]
        chance.shuffle(lines)
        path.write_text("".join(lines))
        shapes: dict[str, Any] = {
            "dict": {"1": scores},
            "run": cf.Run({"1": scores}),
            "file": path,
            "ranked": cf.collection.rank(qrels, path),
        }
        means = []
        for shape in shapes.values():
            for order in ("docno_desc", "docno_asc"):
                ev = cf.Evaluator(qrels, measures, ties="average", order=order)
                means.append(ev.evaluate(shape).values)
        for mean in means[1:]:
            assert mean == pytest.approx(means[0], rel=1e-12, abs=1e-12)
        bounds = cf.tie_bounds({"1": judged}, path, measures)
        assert np.all(bounds.low.values <= means[0] + 1e-12)
        assert np.all(means[0] <= bounds.high.values + 1e-12)
        assert np.all(bounds.low.values <= bounds.value.values)
        assert np.all(bounds.value.values <= bounds.high.values)


def test_a_depth_and_unknown_answers_are_refused() -> None:
    with pytest.raises(
        cf.Error, match=r'IPrec@0.5 is known for ties="average".*AP.*nDCG'
    ) as caught:
        cf.evaluate(QRELS, RUN, "AP IPrec@0.5", ties="average")
    assert caught.value.kind == "option"
    for measure in ("PPlus", "IAP"):
        with pytest.raises(cf.Error, match="no exact value"):
            cf.evaluate(QRELS, RUN, measure, ties="average")
    with pytest.raises(cf.Error, match=r'infAP is known for ties="bounds"'):
        cf.tie_bounds(QRELS, RUN, "infAP")
    with pytest.raises(cf.Error, match="goes without depth"):
        cf.evaluate(QRELS, RUN, "AP", ties="average", depth=3)
    with pytest.raises(cf.Error, match='"order", "average", "bounds" as ties'):
        cf.Evaluator(QRELS, "AP", ties="mean")  # type: ignore[arg-type]
    with pytest.raises(cf.Error, match="call tie_bounds"):
        cf.Evaluator(QRELS, "AP", ties="bounds").evaluate(RUN)
    with pytest.raises(cf.Error, match="call tie_bounds"):
        cf.evaluate(QRELS, RUN, "AP", ties="bounds")  # type: ignore[arg-type]
    with pytest.raises(cf.Error, match="goes without depth"):
        cf.tie_bounds(QRELS, RUN, "AP", depth=3)


def test_every_evaluator_has_tie_bounds() -> None:
    asked: tuple[Literal["order", "average", "bounds"], ...] = ("order", "average", "bounds")
    bounds = [cf.Evaluator(QRELS, "AP", ties=ties).tie_bounds(RUN) for ties in asked]
    bounds.append(cf.tie_bounds(QRELS, RUN, "AP"))
    for one in bounds:
        for part in ("value", "low", "high"):
            assert np.array_equal(getattr(one, part).values, getattr(bounds[0], part).values)


def test_most_families_have_an_answer() -> None:
    with pytest.raises(cf.Error) as caught:
        cf.Evaluator(QRELS, "IAP", ties="average")
    known = str(caught.value).rsplit("for ", 1)[1].split()
    assert set(known) <= {family["name"] for family in families()}
    assert {"P", "R", "AP", "RBP", "DCG", "nDCG", "bpref", "infAP", "ERR", "Q", "rpref_N"} <= set(
        known
    )


def test_the_command(tmp_path: Path) -> None:
    (tmp_path / "qrels").write_text("1 0 a 1\n1 0 b 0\n1 0 c 0\n")
    (tmp_path / "run").write_text("1 Q0 b 1 1 t\n1 Q0 a 2 1 t\n1 Q0 c 3 1 t\n")

    def printed(*options: str) -> str:
        command = [sys.executable, "-m", "cranfield", "eval", "qrels", "run", "-m", "RR", *options]
        done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False)
        return done.stdout + done.stderr

    assert "0.6111" in printed("--ties", "average", "--quiet")
    bounds = printed("--ties", "bounds", "--quiet")
    assert "0.3333" in bounds
    assert "1.0000" in bounds
    assert "leave out --ties" in printed("--ties", "average", "--bounds")


@pytest.mark.parametrize("ties", ["average", "bounds"])
@pytest.mark.parametrize("measure", ["EC-AP", "D-nDCG", "D#-nDCG@5", "DIN-nDCG", "IA-AP"])
def test_it_is_the_prefix_that_has_no_exact_way(measure: str, ties: Any) -> None:
    """AP and nDCG have one, so a list of families would mislead."""
    prefix = measure.partition("-")[0].rstrip("#")
    wanted = rf'no exact value of {measure} is known for ties="{ties}": what {prefix}- is computed'
    with pytest.raises(cf.Error, match=wanted):
        cf.Evaluator({"1": {"a": 1}}, measure, ties=ties)
