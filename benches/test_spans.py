"""A million chunks against ten thousand spans, in one thread: reading, and five measures."""

from __future__ import annotations

import random
import time
from pathlib import Path

import cranfield as cf

TOPICS = 1000
CHUNKS = 1000
SPANS = 10
READ_LIMIT = 0.30
"""Seconds to read the run."""
SCORE_LIMIT = 0.20
"""Seconds to sweep the lists and to score them."""
MEASURES = "char-R@chars=4000 char-SetP@10 char-IoU@10 char-nDCG@chars=4000 span-R@10"


def _best(call: object, rounds: int = 5) -> float:
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        call()  # type: ignore[operator]
        times.append(time.perf_counter() - start)
    return min(times)


def test_a_million_chunks(tmp_path: Path) -> None:
    chance = random.Random(46)
    gold: dict[str, list[tuple[str, int, int]]] = {}
    path = tmp_path / "chunks.tsv"
    first: list[tuple[str, int, int]] = []
    with path.open("w") as file:
        file.write("topic\tdoc\tstart\tend\tscore\n")
        for topic in range(TOPICS):
            starts = random.Random(topic).sample(range(200), SPANS)
            gold[str(topic)] = [(f"d{s % 50}", 40 * s, 40 * s + 150) for s in starts]
            for rank in range(CHUNKS):
                doc, start = f"d{chance.randrange(400)}", 100 * chance.randrange(80)
                file.write(f"{topic}\t{doc}\t{start}\t{start + 500}\t{1000 - rank}\n")
                if topic == 0 and rank < 10:
                    first.append((doc, start, start + 500))
    qrels = cf.SpanQrels(gold)
    run = cf.SpanRun.read(str(path))
    evaluator = cf.Evaluator(qrels, MEASURES, threads=1, progress=False)
    scores = evaluator.evaluate(run)
    evidence = {(d, i) for d, start, end in gold["0"] for i in range(start, end)}
    read = {(d, i) for d, start, end in first for i in range(start, end)}
    found = dict(zip(scores.measures, scores.values[0, scores.topics.index("0")], strict=True))
    assert found["char-SetP@10"] == len(evidence & read) / 5000
    assert found["char-IoU@10"] == len(evidence & read) / len(evidence | read)
    reading = _best(lambda: cf.SpanRun.read(str(path)))
    scoring = _best(lambda: evaluator.evaluate(run))
    print(f"read {reading:.3f} s, scored {scoring:.3f} s")
    assert reading < READ_LIMIT
    assert scoring < SCORE_LIMIT
