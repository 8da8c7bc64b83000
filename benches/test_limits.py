"""Time limits: input that is long or deep, many topics, all runs of TREC-8.

Each limit is several times what the work takes, since it is there to find time that
grows with the square of the input. What the work results in is asserted in ``tests/``,
whose functions are called here.
"""

from __future__ import annotations

import gzip
from pathlib import Path

import cranfield as cf
import pytest
from turns import Work, seconds

from tests.against.trec_eval import test_command
from tests.io import test_mutations
from tests.measures import test_names
from tests.study import test_study


def held(what: str, limit: float, work: Work, rounds: int = 1) -> None:
    """The work takes less CPU time than the limit, in seconds, in the best of the rounds."""
    took = min(seconds(work) for _ in range(rounds))
    print(f"\n{what}: {took:.3f} s of CPU, at most {limit:g}")
    assert took < limit


def test_long_names_of_measures() -> None:
    text = test_names.LONG
    held("a long name", 0.1, lambda: test_names.test_a_name_of_100_000_letters_is_refused(text))


def test_long_labels_and_options(tmp_path: Path) -> None:
    held("long labels", 0.2, lambda: test_names.test_long_labels_and_options_are_refused(tmp_path))


def test_long_and_deep_measures() -> None:
    held("deep measures", 0.2, test_mutations.test_long_and_deep_measures_are_read_or_refused)


def test_trec_eval_of_50_000_topics(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """trec_eval itself takes 4.9 s."""
    monkeypatch.chdir(tmp_path)
    held("50,000 topics", 0.5, lambda: test_command.test_many_topics(tmp_path))


def test_bounds_of_the_runs_of_trec_8(data: Path, tmp_path: Path) -> None:
    qrels = cf.read_qrels(data / "trec8-adhoc" / "trec8.qrels.gz")
    for packed in (data / "trec8-adhoc" / "runs").iterdir():
        (tmp_path / packed.stem).write_bytes(gzip.decompress(packed.read_bytes()))
    held("bounds of 129 runs", 1.5, lambda: cf.bounds(qrels, tmp_path, "AP", threads=1), rounds=3)


def test_the_study_of_depth(data: Path, tmp_path: Path) -> None:
    held("the study of depth", 30, lambda: test_study.test_depth_of_trec8(data, tmp_path))
