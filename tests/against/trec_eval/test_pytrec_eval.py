"""trec_eval's command against pytrec_eval, to the last bit of every value."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
import pytrec_eval
from cranfield import trec_eval

from tests import effort

Judgments = dict[str, dict[str, int]]
Lists = dict[str, dict[str, float]]
#: Enough decimals to tell any two doubles apart that are not tiny.
DIGITS = 40
CASES = effort.seeds(1_000, 250)


def drawn(rng: random.Random) -> tuple[Judgments, Lists]:
    documents = [f"d{i:03}" for i in range(rng.choice((5, 30, 200)))]
    judgments: Judgments = {}
    lists: Lists = {}
    for topic in ("1", "10", "2", "3"):
        judged = rng.sample(documents, rng.randint(1, len(documents)))
        grades = rng.choice(((0, 1), (0, 1, 2, 3), (-1, 0, 1), (0,)))
        judgments[topic] = {document: rng.choice(grades) for document in judged}
        # A topic of which everything is negative crashes pytrec_eval.
        judgments[topic][judged[0]] = rng.choice((0, 1))
        retrieved = rng.sample(documents, rng.randint(1, len(documents)))
        scores = rng.choice((3, 50, 10**6))
        lists[topic] = {document: rng.randrange(scores) / 7 for document in retrieved}
        if rng.random() < 0.1:
            del lists[topic]
    lists.setdefault("1", {"d000": 1.0})
    return judgments, lists


def compare(folder: Path, judgments: Judgments, lists: Lists, level: int, judged: bool) -> int:
    """Compares every value of every topic; returns how many there were."""
    rows = (f"{t} 0 {d} {g}\n" for t, grades in judgments.items() for d, g in grades.items())
    (folder / "q").write_text("".join(rows))
    lines = (f"{t} Q0 {d} 1 {s!r} t\n" for t, scores in lists.items() for d, s in scores.items())
    (folder / "r").write_text("".join(lines))
    flags = ["-l", str(level), *(["-J"] if judged else [])]
    arguments = ["--digits", str(DIGITS), "-n", "-q", "-m", "all_trec", *flags]
    answer = trec_eval.run([*arguments, folder / "q", folder / "r"])
    assert answer.code == 0, answer.err
    evaluator = pytrec_eval.RelevanceEvaluator(
        judgments, {"all_trec"}, relevance_level=level, judged_docs_only_flag=judged
    )
    theirs = evaluator.evaluate(lists)
    compared = 0
    for line in answer.out.decode().splitlines():
        name, topic, shown = line.split("\t")
        name = name.strip()
        if name != "relstring_10" and name != "relstring":
            ours, expected = float(shown), theirs[topic][name]
            assert ours == expected or (ours != ours and expected != expected), (name, topic)
            compared += 1
    return compared


def test_random_collections(tmp_path: Path) -> None:
    for seed in CASES:
        rng = random.Random(seed)
        judgments, lists = drawn(rng)
        level, judged = rng.choice((1, 1, 2)), rng.random() < 0.2
        assert compare(tmp_path, judgments, lists, level, judged) >= 91


@pytest.mark.parametrize("run", ["input.AntHoc1.gz", "input.1.gz"])
def test_real_runs(data: Path, tmp_path: Path, run: str) -> None:
    import gzip

    folder = data / "trec8-adhoc"
    with gzip.open(folder / "trec8.qrels.gz", "rt", encoding="utf-8") as lines:
        judgments = pytrec_eval.parse_qrel(lines)
    with gzip.open(folder / "runs" / run, "rt", encoding="utf-8") as lines:
        lists = pytrec_eval.parse_run(lines)
    assert compare(tmp_path, judgments, lists, 1, False) > 4_000
