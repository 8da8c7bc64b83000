"""Runs trec_eval 8.1 on lists that tell its forms of bpref apart, and records what it prints.

    TREC_EVAL_8=... python -m tests.against.recorders.trec_eval_8

It names a program built as the Makefile of the tag v8.1 of github.com/usnistgov/trec_eval
builds it. Topics have few relevant documents and up to ten times as many that are not, some of
them pooled without a judgment: then bounds such as 5R, 10R and 25 + R differ.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import tempfile
from pathlib import Path

RECORDED = Path(__file__).resolve().parents[1] / "recorded" / "trec_eval_8.json"
GRADES = {"r": 1, "n": 0, "p": -1}
"""Relevant, judged not relevant, pooled; `.` is a document that the judgments do not have."""

MADE_BY_HAND = [("n" * 8 + "r", "n" * 12), ("n" * 30 + "r", ""), ("n" * 6 + "r" + "n" * 60, "p")]
"""Of one relevant document: below 8 of 20 judged not relevant, below all 30, below 6 of 66."""


def topics(seed: int = 81, number: int = 21) -> list[tuple[str, str]]:
    """Lists, best first, and what the judgments have beyond them."""
    draws = random.Random(seed)
    found = [*MADE_BY_HAND]
    for place in range(number):
        relevant = 1 + place // 2
        others = relevant * draws.choice((1, 3, 6, 8, 12))
        pooled = draws.choice((0, 3, others))
        judged = ["r"] * relevant + ["n"] * others + ["p"] * pooled
        draws.shuffle(judged)
        cut = draws.randint(len(judged) // 2, len(judged))
        unjudged = ["."] * draws.choice((0, 5))
        ranking = judged[:cut] + unjudged
        draws.shuffle(ranking)
        found.append(("".join(ranking), "".join(judged[cut:])))
    return found


def main() -> None:
    """Records the values of every topic, but for those at a cutoff, by the program's names."""
    qrels, run = [], []
    for number, (ranking, missed) in enumerate(topics(), 1):
        for place, mark in enumerate(ranking + missed):
            if mark in GRADES:
                qrels.append(f"{number} 0 d{place:03} {GRADES[mark]}\n")
            if place < len(ranking):
                run.append(f"{number} Q0 d{place:03} {place + 1} {1000 - place} t\n")
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "qrels").write_text("".join(qrels))
        Path(folder, "run").write_text("".join(run))
        command = [os.environ["TREC_EVAL_8"], "-q", "-a", "qrels", "run"]
        printed = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    values: dict[str, dict[str, str]] = {}
    for line in printed.stdout.splitlines():
        name, topic, value = line.split()
        if topic != "all" and ("bpref" in name or not name[-1].isdigit()):
            values.setdefault(topic, {})[name] = value
    recorded = [
        {"list": ranking, "missed": missed, "values": values[str(number)]}
        for number, (ranking, missed) in enumerate(topics(), 1)
    ]
    lines = ",\n".join(json.dumps(topic, separators=(",", ":")) for topic in recorded)
    RECORDED.write_text(f"[\n{lines}\n]\n")


if __name__ == "__main__":
    main()
