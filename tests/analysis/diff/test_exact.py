"""Recall against an exact search, by enumeration of every valid exact answer."""

from __future__ import annotations

import itertools
import json
import math
import random
from pathlib import Path
from typing import Any

import cranfield as cf
import numpy as np
import pytest
from cranfield import _cli as cli


def enumerated(
    found: list[int], exact: list[tuple[int, float]], k: int, epsilon: float
) -> dict[str, float]:
    """What each rule gives, from its definition."""
    ordered = sorted(exact, key=lambda pair: -pair[1])
    size = min(k, len(ordered))
    last = ordered[size - 1][1]
    better = {d for d, s in exact if s > last + epsilon}
    tied = {d for d, s in exact if abs(s - last) <= epsilon}
    first = set(found[:k])
    answers = [
        better | set(some) for some in itertools.combinations(sorted(tied), size - len(better))
    ]
    shares = [len(first & answer) / size for answer in answers]
    return {
        "best": max(shares),
        "average": math.fsum(shares) / len(shares),
        "set": len(first & {d for d, _ in exact[:size]}) / size,
        "threshold": min(size, len(first & (better | tied))) / size,
    }


@pytest.mark.parametrize("rule", ["best", "average", "set", "threshold"])
@pytest.mark.parametrize("texts", [False, True])
def test_recall_is_that_of_every_valid_answer(rule: str, texts: bool) -> None:
    drawn = random.Random(7)
    for _ in range(150):
        columns, k, epsilon = drawn.randint(3, 7), drawn.randint(1, 3), drawn.choice([1e-6, 0.5])
        pool = list(range(12))
        exact_ids = drawn.sample(pool, columns)
        scores = sorted((drawn.randint(0, 4) * 0.5 for _ in exact_ids), reverse=True)
        found = drawn.sample(pool, columns)
        expected = enumerated(found, list(zip(exact_ids, scores, strict=True)), k, epsilon)
        ids: Any = np.array([found])
        exact: Any = np.array([exact_ids])
        if texts:
            ids, exact = ids.astype(str), np.array([[f"{i}" for i in exact_ids]], dtype="U9")
        how: dict[str, Any] = {"k": [k], "rule": rule, "epsilon": epsilon}
        value = cf.exact_recall(ids, exact, [scores], **how).values
        assert value.shape == (1, 1)
        assert value[0, 0] == pytest.approx(expected[rule], abs=1e-12)
        # Distances are scores with the other sign.
        distances = [[-score for score in scores]]
        again = cf.exact_recall(ids, exact, distances, distances=True, **how)
        assert again.values[0, 0] == value[0, 0]


def test_ties_and_copies_by_hand() -> None:
    # Exact a=3, b=2, c=2; found b, c: a was missed.
    exact, scores = [[1, 2, 3]], [[3.0, 2.0, 2.0]]
    of = {rule: cf.exact_recall([[2, 3]], exact, scores, k=2, rule=rule) for rule in RULES}
    assert {rule: found.values[0, 0] for rule, found in of.items()} == {
        "best": 0.5,
        "average": 0.5,
        "set": 0.5,
        "threshold": 1.0,
    }
    assert of["best"].within_tie.tolist() == [[True]]
    assert "end within a tie at 2" in repr(of["best"])
    # Ten copies of the nearest are one document.
    with pytest.raises(cf.Error, match="twice: query 0, column 1"):
        cf.exact_recall([[1, 1]], exact, scores, k=2)
    assert cf.exact_recall([[1, 1]], exact, scores, k=2, duplicates="first").values[0, 0] == 0.5
    with pytest.raises(cf.Error, match="exact list"):
        cf.exact_recall([[1, 2]], [[1, 1]], [[1.0, 0.5]], k=2)
    # -1 is no result, twice or not.
    assert cf.exact_recall([[-1, -1, 1]], exact, scores, k=3).values[0, 0] == pytest.approx(1 / 3)
    short = cf.exact_recall([[1, 2, 9]], [[1, 2, -1]], [[2.0, 1.0, math.nan]], k=3)
    assert short.values[0, 0] == 1
    # A document that the exact list lacks, with a score of its own that ties.
    own: dict[str, Any] = {"scores": [[3.0, 2.0]]}
    assert cf.exact_recall([[1, 9]], exact, scores, k=2).values[0, 0] == 0.5
    assert cf.exact_recall([[1, 9]], exact, scores, k=2, **own).values[0, 0] == 1
    relative = cf.exact_recall([[1, 3]], exact, [[300.0, 200.0, 199.0]], k=2, relative_epsilon=0.01)
    assert relative.values[0, 0] == 1


RULES = ("best", "average", "set", "threshold")


def test_summaries() -> None:
    drawn = np.random.default_rng(5)
    exact = np.array([drawn.permutation(40)[:20] for _ in range(50)])
    found = np.array([drawn.permutation(40)[:20] for _ in range(50)])
    scores = -np.sort(drawn.random((50, 20)), axis=1)
    recall = cf.exact_recall(found, exact, scores, k=(5, 20))
    expected = [
        [len(set(f[:k]) & set(e[:k])) / k for k in (5, 20)]
        for f, e in zip(found.tolist(), exact.tolist(), strict=True)
    ]
    assert recall.values.tolist() == expected
    assert recall.mean().tolist() == pytest.approx(np.mean(expected, axis=0).tolist())
    fifths = np.percentile(expected, 5, axis=0).tolist()
    assert recall.percentile().tolist() == pytest.approx(fifths)
    lowest = recall.lowest(20, 1)[0]
    assert lowest[1] == min(row[1] for row in expected)
    assert recall.table().columns == ("query", "recall@5", "recall@20")
    assert recall.to_dict()["rule"] == "best"
    assert len(recall.columns()["query"]) == 50


@pytest.mark.parametrize(
    ("arguments", "how", "words"),
    [
        (([[1]], [[1]], [[1.0]]), {"k": 2}, "at least k=2 columns in ids"),
        (([[1]], [[1], [2]], [[1.0], [1.0]]), {"k": 1}, "same queries"),
        (([[1, 2]], [[1, 2]], [[1.0]]), {"k": 1}, "of the shape of the ids"),
        (([[1, 2]], [[1, 2]], [[0.1, 0.2]]), {"k": 1}, "are they distances"),
        (([[1, 2]], [[1, 2]], [[0.2, 0.1]]), {"k": 1, "distances": True}, "no distances"),
        (([[1, 2]], [["a", "b"]], [[2.0, 1.0]]), {"k": 1}, "of one type"),
        (([[1.5]], [[1]], [[1.0]]), {"k": 1}, "integers or texts"),
        (([[1]], [[1]], [[math.nan]]), {"k": 1}, "found NaN for query 0, column 0"),
        (([[1]], [[1]]), {"k": 1}, "needs exact_scores"),
        (([[1]], [[1]], [[1.0]]), {"k": 1, "rule": "first"}, "expected one of best"),
        (([[1]], [[1]], [[1.0]]), {"k": 1, "epsilon": -1}, "epsilon of at least 0"),
        (([[1]], [[1]], [["x"]]), {"k": 1}, "real numbers"),
    ],
)
def test_bad_input(arguments: Any, how: dict[str, Any], words: str) -> None:
    with pytest.raises(cf.Error, match=words):
        cf.exact_recall(*arguments, **how)


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    exact, found = tmp_path / "exact.run", tmp_path / "found.run"
    exact.write_text(
        "1 Q0 a 1 3 t\n1 Q0 b 2 2 t\n1 Q0 c 3 2 t\n2 Q0 x 1 2 t\n2 Q0 y 2 1 t\n2 Q0 z 3 .5 t\n"
    )
    found.write_text("1 Q0 a 1 9 t\n1 Q0 c 2 8 t\n2 Q0 y 1 2 t\n2 Q0 w 2 1 t\n")
    words = ["diff", "--exact", str(exact), str(found), "-k", "1", "-k", "2"]
    assert cli.main([*words, "--format", "json"]) == 0
    content = json.loads(capsys.readouterr().out)
    assert content["mean"] == {"recall@1": 0.5, "recall@2": 0.75}
    assert content["within_tie"] == {"recall@1": 0, "recall@2": 1}
    assert cli.main([*words, "--rule", "set", "--epsilon", "0"]) == 0
    text = capsys.readouterr().out
    assert "rule set, epsilon 0" in text
    assert cli.main([*words, "--distances"]) == 2
    assert "--distances" in capsys.readouterr().err
    found.write_text(found.read_text() + "3 Q0 q 1 1 t\n")
    assert cli.main(words) == 2
    assert "--missing skip" in capsys.readouterr().err
    assert cli.main([*words, "--missing", "skip", "--format", "csv"]) == 0
    assert capsys.readouterr().out.splitlines()[0] == "query,recall@1,recall@2"
    assert cli.main(["diff", str(exact), str(found), "--rule", "set", "-m", "P@1"]) == 2
    assert "--rule goes with --exact" in capsys.readouterr().err
