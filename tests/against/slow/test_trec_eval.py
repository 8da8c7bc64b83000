"""The slow trec_eval gives the answers that were recorded from the real programs."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.against.slow import trec_eval as slow_trec_eval
from tests.against.slow.trec_eval_registry import Version
from tests.against.trec_eval import cases as trec_eval_cases

#: (folder of edge/, tag): why the recorded answer is not the program's meaning.
EXCEPTIONS = {
    (folder, tag): why
    for folder, why in {
        "allnegfirst": "the first topic has only negative grades: it fails without a message",
        "cli21": "-D prints a trace of its own working",
    }.items()
    for tag in ("v10", "v9d", "v9f")
}

TAGS: dict[str, Version] = {"v10": "10", "v9d": "9.0.8", "v9f": "9"}


@functools.cache
def _files(folder: Path) -> Mapping[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


def lines_of(path: Path) -> list[list[str]]:
    lines = path.read_text().splitlines()
    return [line.split("\t") for line in lines if not line.startswith("#")]


@pytest.mark.parametrize(("folder", "version"), [("", "10"), ("v9.0.8", "9")])
def test_upstream_answers(data: Path, folder: str, version: Version) -> None:
    place = data / "trec_eval" / folder
    rows = lines_of(place / "cases.tsv")
    assert len(rows) == {"": 15, "v9.0.8": 11}[folder]
    files = {f"../{name}": text for name, text in _files(data / "trec_eval").items()}
    files |= _files(place)
    for expected, arguments in rows:
        answer = slow_trec_eval.run(arguments.split(), files, version)
        assert (answer.code, answer.out) == (0, files[expected]), arguments


def test_cases_are_a_function_of_the_seed_and_mostly_valid() -> None:
    cases = [trec_eval_cases.case(seed) for seed in range(1000)]
    assert cases == [trec_eval_cases.case(seed) for seed in range(1000)]
    codes = [slow_trec_eval.run(case.arguments, case.files, case.version).code for case in cases]
    assert codes.count(0) > 750
    assert {0, 1, 2, 4, 7} <= set(codes)


def test_edge_answers(data: Path) -> None:
    place = data / "trec_eval" / "edge"
    rows = [row for row in lines_of(place / "cases.tsv") if row[0] != "folder"]
    assert len(rows) == 520
    wrong = []
    for folder, tag, code, arguments in rows:
        files = _files(place / folder)
        answer = slow_trec_eval.run(arguments.split(), files, TAGS[tag])
        same = (answer.code, answer.out) == (int(code), files[f"{tag}.out"])
        if same is ((folder, tag) in EXCEPTIONS):
            wrong.append((folder, tag, arguments, answer.code, code))
    assert not wrong
