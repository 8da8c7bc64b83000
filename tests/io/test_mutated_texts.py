"""Mutated files of every kind that Python takes apart: read, or refused with an error.

What a file was packed with is mutated as well as what it holds. ``CRANFIELD_MUTATED`` says how
many files of each kind there are.
"""

from __future__ import annotations

import bz2
import gzip
import json
import lzma
import os
import random
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import cranfield as cf
import pytest
from cranfield._bench import report as bench_report
from cranfield._cli import main
from cranfield._scores.files import read_summarized

from tests import effort
from tests.io import malformed_cases as cases
from tests.io.test_mutations import mutated

FILES = int(os.environ.get("CRANFIELD_MUTATED", effort.cases(40, 15)))
SECONDS = 20.0
"""No file of a few kilobytes may take longer, on a machine with other work."""

JUDGED = {"1": {"a": 1, "b": 0}, "2": {"a": 1}}
FIRST = {"1": {"a": 2.0, "b": 1.0}, "2": {"b": 2.0, "a": 1.0}}
SECOND = {"1": {"b": 2.0, "a": 1.0}, "2": {"a": 2.0, "b": 1.0}}
SCORES = cf.evaluate(JUDGED, {"x": FIRST, "y": SECOND}, "AP nDCG")


def written(form: str, *, per_topic: bool = True) -> bytes:
    """What ``cranfield eval`` writes."""
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        cf.Qrels(JUDGED).write(f"{folder}/q")
        cf.Run(FIRST).write(f"{folder}/x")
        cf.Run(SECOND).write(f"{folder}/y")
        words = ["eval", f"{folder}/q", f"{folder}/x", f"{folder}/y", "--quiet", "-m", "AP nDCG"]
        words += ["--per-topic"] * per_topic
        assert main([*words, "--format", form, "-o", f"{folder}/out"]) == 0
        return Path(f"{folder}/out").read_bytes()


def texts(path: Path) -> object:
    return cf.diff(JUDGED, FIRST, SECOND, "AP", queries=path, documents=path)


def lines(*objects: Any) -> bytes:
    return "".join(json.dumps(one) + "\n" for one in objects).encode()


NUGGETS = {
    "qid": "1",
    "run_id": "r",
    "nuggets": [{"text": "t", "importance": "vital", "assignment": "support"}],
}
CITED = {
    "qid": "1",
    "run_id": "r",
    "references": ["a", "b"],
    "sentences": [{"text": "s", "citations": [{"support": 2}, {"support": "partial"}]}],
}
GRADED = {"qid": "1", "criteria": [{"weight": 2.5, "verdict": "satisfied", "tier": "x"}]}
FOUGHT = {"model_a": "x", "model_b": "y", "winner": "model_a", "topic": "1"}
TIMES = {
    "benchmarks": [
        {
            "group": "g",
            "stats": {"median": 1.5},
            "extra_info": {"engine": "cranfield", "lines": 5, "ratio": 2.0},
        }
    ]
}
TOML = b'[one]\nqrels = "q.txt"\nruns = ["a.run", "b.run"]\n[two]\nqrels = "q"\nruns = "*"\n'

KINDS: dict[str, tuple[bytes, str, Callable[[Path], object]]] = {
    "texts tsv": (b"1\twhat is it\na\tan answer\nb\tnone\n", "t.tsv", texts),
    "texts jsonl": (
        lines({"_id": "1", "text": "what"}, {"docno": "a", "title": "x", "body": "y"}),
        "t.jsonl",
        texts,
    ),
    "baseline json": (written("json"), "s.json", lambda p: read_summarized(str(p))),
    "baseline jsonl": (written("jsonl"), "s.jsonl", lambda p: read_summarized(str(p))),
    "baseline csv": (written("csv"), "s.csv", lambda p: read_summarized(str(p))),
    "baseline means": (written("tsv", per_topic=False), "s", lambda p: read_summarized(str(p))),
    "scores json": (written("json"), "s.json", cf.read_scores),
    "scores jsonl": (written("jsonl"), "s.jsonl", cf.read_scores),
    "scores csv": (written("csv"), "s.csv", cf.read_scores),
    "scores dict": (lines(SCORES.to_dict()), "s", cf.read_scores),
    "scores lines": (b"r t1 AP 0.5\nr t2 AP 0.75\nr all AP 0.625\n", "s", cf.read_scores),
    "collections": (TOML, "c.toml", cf.Collections.read),
    "groups": (b"topic\tgroup\n1\tx\n2\ty\n", "g", SCORES.by_group),
    "intents": (b"1 i 0.5 nav\n1 j 0.5\n", "i", cf.read_intents),
    "classes": (b"1 a L2 3\n1 b L1 4\n", "c", cf.read_classes),
    "costs": (b"1 a 3.5\n1 b 4\n", "c", cf.read_costs),
    "nuggets": (lines(NUGGETS, {**NUGGETS, "qid": 2}), "n", cf.answers.nugget_recall),
    "citations": (lines(CITED), "n", cf.answers.citation_support),
    "rubrics": (lines(GRADED), "n", cf.answers.rubric_score),
    "argue": (b"run_id\trequest_id\tmetric\tvalue\nr\t1\tx\t.5\n", "n", cf.answers.argue),
    "battles": (lines(FOUGHT, {**FOUGHT, "winner": "tie"}), "b", cf.battles.read),
    "battles csv": (b"model_a,model_b,winner\nx,y,model_b\n", "b", cf.battles.read),
    "1click nuggets": (b"1 N1 3 20\n1 N2 1 5\n", "o", cf.oneclick.read_nuggets),
    "1click outputs": (b"1 syslen= 500\n1 N1 100\n", "o", cf.oneclick.read_outputs),
    "bench": (lines(TIMES), "b", lambda p: bench_report.read(str(p))),
    "run csv": (b"topic,doc,score\n1,a,2\n1,b,1\n2,a,3\n", "r", cf.read_run),
    "run jsonl": (
        lines({"topic": "1", "hits": [{"doc": "a", "score": 2}, {"doc": "b", "score": 1}]}),
        "r",
        cf.read_run,
    ),
    "run json": (lines({"1": {"a": 2, "b": 1.5}, "2": {"a": 3}}), "r", cf.read_run),
    "judgments csv": (b"topic,doc,grade\n1,a,2\n1,b,1\n2,a,0\n", "q", cf.read_qrels),
}

ODD = (
    *("[" * 99 + "]" * 99, "[" * 5000, '{"a":' * 5000, "9" * 400, "9" * 6000, "-" + "1" * 5000),
    *("null", "true", "[]", "{}", '""', '"\\ud800"', "NaN", "1e999", "-Infinity", "0.5", "7"),
    *("[[]]", '{"a": {"a": {}}}', '[1, "a", null]', '"' + "x" * 200_000 + '"'),
)
"""What a value is replaced with."""

VALUE = r'"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?|\[[^\[\]]*\]|\{[^{}]*\}'


def changed(data: bytes, rng: random.Random) -> bytes:
    """A value replaced by an odd one, or bytes changed anywhere."""
    import re

    found = list(re.finditer(VALUE.encode(), data))
    if not found or rng.random() < 0.5:
        return mutated(data, rng)
    place = rng.choice(found)
    return data[: place.start()] + rng.choice(ODD).encode() + data[place.end() :]


PACKERS: dict[str, Callable[[bytes], bytes]] = {
    "": lambda data: data,
    ".gz": lambda data: gzip.compress(data, mtime=0),
    ".bz2": bz2.compress,
    ".xz": lzma.compress,
    ".zst": lambda data: cases.zstd(cases.raw(data)),
}


def packed(data: bytes, name: str, rng: random.Random) -> tuple[bytes, str]:
    """What a file holds, packed or not, and changed within or without."""
    suffix = rng.choice(list(PACKERS))
    if rng.random() < 0.5 and suffix:
        return mutated(PACKERS[suffix](data), rng), name + suffix
    return PACKERS[suffix](changed(data, rng)), name + suffix


def of(path: Path, read: Callable[[Path], object], what: bytes) -> str | None:
    """The kind of the error, which names the file; None for what was read."""
    start = time.process_time()
    try:
        read(path)
    except cf.Error as caught:
        error: cf.Error | None = caught
    except BaseException as other:
        pytest.fail(f"{type(other).__name__}: {other} for {what[:2000]!r} in {path.name}")
    else:
        error = None
    assert time.process_time() - start < SECONDS, what[:2000]
    if error is None:
        return None
    placed = str(path) in (error.file or "") or error.kind in ("label", "duplicate", "topics")
    assert error.message and placed, (error, what[:2000])  # noqa: PT018
    return str(error.kind)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", KINDS)
def test_mutated_files_are_read_or_refused(name: str, tmp_path: Path) -> None:
    data, file, read = KINDS[name]
    assert of_whole(tmp_path / file, data, read)
    rng = random.Random(f"{name} {effort.SEED}")
    kinds: dict[str | None, int] = {}
    for _ in range(FILES):
        content, called = packed(data, file, rng)
        path = tmp_path / called
        path.write_bytes(content)
        kind = of(path, read, content)
        kinds[kind] = kinds.get(kind, 0) + 1
    print(name, kinds)
    assert len(kinds) > 1


def of_whole(path: Path, data: bytes, read: Callable[[Path], object]) -> bool:
    """Whether the file is read as it is, packed in any way."""
    for suffix, pack in PACKERS.items():
        packed = path.with_name(path.name + suffix)
        packed.write_bytes(pack(data))
        assert of(packed, read, data) is None, suffix
    return True


@cache
def many_lines(suffix: str) -> bytes:
    return PACKERS[suffix](b"1 2 3\n" * effort.cases(1 << 20, 1 << 17) + b"1 2 4\n")


@cache
def one_line(suffix: str) -> bytes:
    return PACKERS[suffix](b"1" * (effort.cases(100, 32) << 20))


BOMBED = (".bz2", ".xz", ".gz")


@pytest.mark.parametrize(
    ("name", "suffix"),
    [
        (name, suffix)
        for place, name in enumerate(KINDS)
        for suffix in (BOMBED if effort.FULL else BOMBED[place % 3 :][:1])
    ],
)
def test_a_bomb_is_refused(name: str, suffix: str, tmp_path: Path) -> None:
    """Of 32 MB or more in a few kilobytes; none is held as a whole."""
    _, file, read = KINDS[name]
    path = tmp_path / (file + suffix)
    path.write_bytes(many_lines(suffix))
    with pytest.raises(cf.Error):
        read(path)
    if suffix == ".gz":
        return
    path.write_bytes(one_line(suffix))
    with pytest.raises(cf.Error, match=r"beyond the limit|line is longer") as caught:
        read(path)
    assert caught.value.kind == "limit"
    assert str(path) in (caught.value.file or "")
