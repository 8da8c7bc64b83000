"""Graded collections for the tests against other evaluators: random ones and real ones."""

from __future__ import annotations

import gzip
import random
from collections.abc import Iterable, Iterator
from pathlib import Path

Judgments = dict[str, dict[str, int]]
Scored = dict[str, dict[str, float]]

REAL = {
    "cast2021": ("trec-cast-qrels-docs.2021.qrel", "*.run.gz"),
    "cranfield": ("qrels.graded.txt", "*.run.gz"),
}


def random_collection(
    rng: random.Random, topics: Iterable[str], *, negative: bool, missing: bool
) -> tuple[Judgments, Scored]:
    """Short lists without ties, with unjudged documents, in no order.

    Grades are 0 to 3 or 0 and 1, with -1 among them if ``negative``; every topic
    has a document of grade 0 or more. Topics are in both, unless ``missing``.
    """
    qrels: Judgments = {}
    run: Scored = {}
    for topic in topics:
        documents = [f"d{i}" for i in range(rng.randint(1, 14))]
        grades = rng.choice(((0, 1), (0, 0, 1, 2, 3), (0, 0, 0, 1, 2), (1, 2, 3), (0,)))
        if negative and rng.random() < 0.5:
            grades = (-1, *grades)
        judged = {d: rng.choice(grades) for d in documents if rng.random() < rng.choice((0.4, 0.9))}
        if max(judged.values(), default=-1) < 0:
            judged["judged"] = 0
        retrieved = [d for d in documents if rng.random() < 0.8] or ["unjudged"]
        ranks = rng.sample(range(len(retrieved)), len(retrieved))
        if not missing or rng.random() < 0.95:
            qrels[topic] = judged
        if not missing or rng.random() < 0.95:
            run[topic] = {d: -rank / 2 for d, rank in zip(retrieved, ranks, strict=True)}
    return qrels, run


def ranking(scored: dict[str, float]) -> list[str]:
    """The list in the order of ``docno_desc``."""
    return sorted(scored, key=lambda d: (scored[d], d.encode()), reverse=True)


def untied(run: Scored) -> Scored:
    """The same lists with another score at every rank."""
    return {
        topic: {d: -float(rank) for rank, d in enumerate(ranking(scored))}
        for topic, scored in run.items()
    }


def real(folder: Path, runs: int | None = None) -> Iterator[tuple[str, Judgments, Scored]]:
    """A real collection: the name of each run (or of so many), the judgments, the run.

    Only topics that are in both.
    """
    qrels_name, pattern = REAL[folder.name]
    qrels: Judgments = {}
    for line in (folder / qrels_name).read_text(encoding="utf-8").splitlines():
        topic, _, document, grade = line.split()
        qrels.setdefault(topic, {})[document] = int(grade)
    paths = sorted((folder / "runs").glob(pattern))
    assert paths, f"no runs in {folder}"
    for path in paths[:: 1 if runs is None else -(-len(paths) // runs)]:
        run: Scored = {}
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            for line in lines:
                topic, _, document, _, score, _ = line.split()
                if topic in qrels:
                    run.setdefault(topic, {})[document] = float(score)
        yield path.name, {topic: qrels[topic] for topic in run}, run
