"""What chunks could reach, and descriptions of spans: values by hand, and a slow twin.

The twin writes documents out as sets of characters. ``against/test_passages.py`` compares omega
with the code that defined it.
"""

from __future__ import annotations

import json
import random
from pathlib import Path
from statistics import fmean, median
from typing import Any

import cranfield as cf
import pytest

from tests.commands import called

GOLD: dict[str, list[Any]] = {
    "q1": [("A", 10, 30), ("A", 60, 70, 2), ("B", 0, 10, 1, "g"), ("B", 50, 60, 1, "g")],
    "q2": [("C", 0, 5)],
    "q3": [("C", 0, 5, 0)],
}
CHUNKS = {"a1": ("A", 0, 20), "a2": ("A", 20, 80), "b1": ("B", 0, 15), "c1": ("C", 3, 40)}


def test_a_table_by_hand() -> None:
    found = cf.splitter(cf.SpanQrels(GOLD), CHUNKS)
    assert found.topics == ("q1", "q2")
    assert found.pieces == (3, 1)
    assert found.touching == (3, 1)
    # q1: of 50 characters 40 are in the 95 that are read; q2: 2 of 5 in 37.
    assert found.omega == (40 / 105, 2 / 40)
    assert found.whole == (2 / 3, 0.0)
    assert found.covered == (0.8, 0.4)
    lengths = found.chunks, found.shortest, found.median_length, found.mean_length, found.longest
    assert lengths == (4, 15, 28.5, 33.0, 60)
    assert found.repeated == 0
    assert "4 chunks of 15 to 60 characters, 33.0 on average: omega 0.2155" in found.headline()
    assert found.summary().to_dict()["all"]["touching"] == 2
    assert found.columns()["topic"] == ["q1", "q2"]


def test_one_chunk_of_everything_and_the_evidence_itself() -> None:
    gold = cf.SpanQrels({"q": [("A", 500, 520)]})
    whole = cf.splitter(gold, {"all": ("A", 0, 1000)})
    assert (whole.omega, whole.whole, whole.covered) == ((0.02,), (1.0,), (1.0,))
    exact = cf.splitter(gold, {"it": ("A", 500, 520)})
    assert (exact.omega, exact.whole, exact.covered) == ((1.0,), (1.0,), (1.0,))
    torn = cf.splitter(gold, {"a": ("A", 500, 510), "b": ("A", 510, 520), "c": ("A", 490, 500)})
    assert (torn.omega, torn.whole, torn.covered, torn.touching) == ((1.0,), (0.0,), (1.0,), (2,))
    none = cf.splitter(gold, {"b": ("B", 500, 520)})
    assert (none.omega, none.whole, none.covered, none.touching) == ((0.0,), (0.0,), (0.0,), (0,))


def _twin(spans: list[Any], chunks: dict[str, Any], rel: float) -> tuple[float, ...]:
    """Pieces, touching, omega, whole and covered of a topic."""
    kept = [(*span[:3], span[4] if len(span) > 4 else n) for n, span in enumerate(spans)
            if span[3] >= rel]  # fmt: skip
    texts = {name: {(d, at) for at in range(s, e)} for name, (d, s, e) in chunks.items()}
    evidence = {(d, at) for d, s, e, _ in kept for at in range(s, e)}
    touching = {name: text for name, text in texts.items() if text & evidence}
    read = set().union(*touching.values())
    pieces: dict[Any, bool] = {}
    for d, s, e, piece in kept:
        own = {(d, at) for at in range(s, e)}
        held = any(own <= text for text in texts.values())
        pieces[piece] = pieces.get(piece, False) or held
    both = evidence & read
    omega = len(both) / len(evidence | read)
    return (
        *(len(pieces), len(touching), omega),
        *(sum(pieces.values()) / len(pieces), len(both) / len(evidence)),
    )


def test_random_tables_equal_the_twin() -> None:
    chance = random.Random(46)
    for case in range(150):
        gold: dict[str, list[Any]] = {}
        for topic in range(3):
            spans: dict[Any, Any] = {}
            for _ in range(chance.randint(1, 6)):
                start = chance.randrange(80)
                place = chance.choice("ABC"), start, start + chance.randint(1, 30)
                group = (chance.choice("xy"),) if chance.random() < 0.4 else ()
                spans[place + group] = (*place, float(chance.randint(0, 2)), *group)
            gold[str(topic)] = list(spans.values())
        chunks = {}
        for name in range(chance.randint(1, 20)):
            start = chance.randrange(90)
            # Documents of the judgments and others, chunks that overlap, and repeated ones.
            size = chance.choice((1, 5, 20, 90))
            chunks[str(name)] = chance.choice("ABD"), start, start + size
        rel = chance.choice((1.0, 2.0))
        kept = {t: s for t, s in gold.items() if any(span[3] >= rel for span in s)}
        if not kept:
            continue
        found = cf.splitter(cf.SpanQrels(gold), chunks, rel=rel)
        assert found.topics == tuple(kept)
        names = ("pieces", "touching", "omega", "whole", "covered")
        rows = zip(*(getattr(found, name) for name in names), strict=True)
        assert list(rows) == [_twin(s, chunks, rel) for s in kept.values()], case
        lengths = [end - start for _, start, end in chunks.values()]
        assert found.median_length == median(lengths)
        assert found.mean_length == fmean(lengths)
        distinct = {(d, at) for d, s, e in chunks.values() for at in range(s, e)}
        assert found.repeated == (sum(lengths) - len(distinct)) / sum(lengths)


def test_names_orders_and_files_change_nothing(tmp_path: Path) -> None:
    gold = cf.SpanQrels(GOLD)
    expected = cf.splitter(gold, CHUNKS).columns()
    assert cf.splitter(gold, dict(reversed(CHUNKS.items()))).columns() == expected
    path = tmp_path / "chunks.csv"
    rows = "".join(f"{k},{d},{s},{e - s}\n" for k, (d, s, e) in CHUNKS.items())
    path.write_text(f"chunk_id,source,start_index,length\n{rows}")
    assert cf.splitter(gold, path).columns() == expected
    shifted = {t: [(f"x{d}", s + 7, e + 7, *m) for d, s, e, *m in v] for t, v in GOLD.items()}
    moved = {k: (f"x{d}", s + 7, e + 7) for k, (d, s, e) in CHUNKS.items()}
    assert cf.splitter(cf.SpanQrels(shifted), moved).columns() == expected


@pytest.mark.parametrize(
    ("chunks", "kind", "part"),
    [
        ({}, "needs", "found none"),
        ({"a": ("A", 5, 5)}, "span", "holds no character"),
        ({"a": ("A", -1, 5)}, "number", "add_start_index=True"),
        ({"a": ("A", None, 5)}, "number", "None"),
        ({"a": 5}, "type", "(doc, start, end"),
        (5, "type", "chunks"),
        ("missing.tsv", "missing", ""),
    ],
)
def test_wrong_chunks(chunks: Any, kind: str, part: str) -> None:
    with pytest.raises(cf.Error) as caught:
        cf.splitter(cf.SpanQrels(GOLD), chunks)
    assert caught.value.kind == kind, caught.value
    assert part in str(caught.value)


def test_wrong_judgments(tmp_path: Path) -> None:
    with pytest.raises(cf.Error, match="found no grade of at least 3"):
        cf.splitter(cf.SpanQrels(GOLD), CHUNKS, rel=3)
    with pytest.raises(cf.Error, match="expected SpanQrels as gold, found"):
        cf.splitter({"q": {"A": 1}}, CHUNKS)  # type: ignore[arg-type]
    lines = cf.SpanQrels({"q": [("A", 1, 2)]}, offsets="lines")
    with pytest.raises(cf.Error, match="count codepoints, those of the judgments lines"):
        cf.splitter(lines, CHUNKS)
    path = tmp_path / "chunks.tsv"
    path.write_text("chunk\tdoc\tstart\tend\na\tA\t0\t5\na\tA\t5\t9\n")
    with pytest.raises(cf.Error, match="is given twice") as caught:
        cf.splitter(cf.SpanQrels(GOLD), path)
    assert caught.value.line == 3


def test_judgments_and_runs_are_described() -> None:
    gold = cf.SpanQrels(GOLD)
    lists = {"q1": [("A", 0, 20), ("A", 20, 80), ("A", 20, 80)], "q9": [("A", 0, 1)]}
    found = cf.describe(gold, {"small": cf.SpanRun(lists)}, topic_groups={"q1": "first"})
    rows = found.topics.to_dict()
    assert rows["q1"] == {
        "spans": 4,
        "documents": 2,
        "characters": 50,
        "R": 3,
        "N": 0,
        "grade 0": 0,
        "grade 1": 2,
        "grade 2": 1,
    }
    assert rows["q3"]["R"] == 0
    assert found.topics_without_relevant == ("q3",)
    run = found.runs.to_dict()["small"]
    assert run["topics"] == 1
    assert (run["missing"], run["extra"], run["chunks"], run["repeats"]) == (2, 1, 3, 1)
    assert (run["shortest"], run["median"], run["longest"], run["longest list"]) == (20, 60, 60, 3)
    assert (run["pieces read"], run["characters read"]) == (2 / 3, 0.6)
    assert found.groups["first"].runs.to_dict()["small"]["missing"] == 0
    assert "no evidence: in 1 topic: q3" in repr(found)
    bare = cf.describe(gold, rel=2)
    assert bare.topics.to_dict()["q1"]["R"] == 1
    assert "R > N" not in repr(bare)
    with pytest.raises(cf.Error, match="duplicates is about documents"):
        cf.describe(gold, lists, duplicates="best")


def test_the_command(tmp_path: Path) -> None:
    gold, chunks, run = (str(tmp_path / name) for name in ("gold.tsv", "chunks.tsv", "run.tsv"))
    rows = [(t, *span, *(1, "")[len(span) - 3 :]) for t, spans in GOLD.items() for span in spans]
    lines = [["topic", "doc", "start", "end", "grade", "group"], *(map(str, row) for row in rows)]
    Path(gold).write_text("".join("\t".join(line) + "\n" for line in lines))
    places = "".join(f"{k}\t{d}\t{s}\t{e}\n" for k, (d, s, e) in CHUNKS.items())
    Path(chunks).write_text(f"chunk\tdoc\tstart\tend\n{places}")
    Path(run).write_text("q1 Q0 a2 1 2.0 t\nq1 Q0 c1 2 1.0 t\n")
    spans = ("--layout", "spans")
    found = called("describe", gold, *spans, "--chunks", chunks)
    assert found.returncode == 0, found.stderr
    assert found.stdout.splitlines()[-1].split()[:3] == ["all", "4", "15"]
    found = called("describe", gold, *spans, "--chunks", chunks, "--format", "csv", "--per-topic")
    expected = cf.splitter(cf.read_span_qrels(gold), chunks)
    assert found.stdout == expected.to_csv()
    found = called("describe", gold, run, *spans, "--chunks", chunks, "--format", "json")
    content = json.loads(found.stdout)
    assert content["chunks"]["all"]["whole"] == fmean(expected.whole)
    assert content["runs"][0]["chunks"] == 2
    found = called("describe", gold, "--chunks", chunks)
    assert found.returncode == 2
    assert "--chunks goes with --layout spans" in found.stderr
    found = called("diff", gold, run, run, *spans, "-m", "AP")
    assert "--layout spans is for eval, compare" in found.stderr
