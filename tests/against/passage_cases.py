"""Random evidence and chunks: what the programs of Chroma and TREC Genomics were recorded on.

A case is the evidence (document, start, end, aspects) and a list of chunks (document, start, end)
of one topic. Chroma's questions are about one document. Its code takes a chunk that begins where
a reference ends for one that holds some of it, and counts characters of two references twice in
divisors: its cases have neither.
"""

from __future__ import annotations

import json
import random
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias

RECORDED = Path(__file__).parent / "recorded" / "passages.json"

Evidence: TypeAlias = list[tuple[str, int, int, list[str]]]
Chunks: TypeAlias = list[tuple[str, int, int]]


def genomics(case: int) -> tuple[Evidence, Chunks]:
    """Passages with aspects in four documents, chunks that may come again."""
    chance = random.Random(f"genomics {case}")
    evidence: dict[tuple[str, int, int], list[str]] = {}
    for _ in range(chance.randint(1, 5)):
        start = chance.randrange(60)
        place = str(chance.randrange(4)), start, start + chance.randint(1, 30)
        evidence[place] = sorted({f"a{chance.randrange(4)}" for _ in range(2)})
    chunks = []
    for _ in range(chance.randint(0, 8)):
        start = chance.randrange(70)
        chunks.append((str(chance.randrange(5)), start, start + chance.randint(1, 40)))
    return [(*place, aspects) for place, aspects in evidence.items()], chunks


def chroma(case: int) -> tuple[Evidence, Chunks, int]:
    """References of one document, all chunks of an index, the first of which were retrieved."""
    chance = random.Random(f"chroma {case}")
    evidence: Evidence = []
    for _ in range(chance.randint(1, 4)):
        start = 2 * chance.randrange(50)
        end = start + 2 * chance.randint(1, 20)
        if all(end < first or last < start for _, first, last, _ in evidence):
            evidence.append(("A", start, end, []))
    chunks: Chunks = []
    while len(chunks) < 12:
        start = 2 * chance.randrange(60)
        ends = start, start + 2 * chance.randint(1, 30)
        touched = {end for _, *of in evidence for end in of[:2]} & set(ends)
        document = chance.choice("AAAB")
        if not touched and (document, *ends) not in chunks:
            chunks.append((document, *ends))
    return evidence, chunks, chance.randint(1, 8)


@cache
def recorded(name: str) -> list[Any]:
    """The results of a program, case by case."""
    found: dict[str, list[Any]] = json.loads(RECORDED.read_text(encoding="utf-8"))
    assert len(found[name]) >= 300
    return found[name]
