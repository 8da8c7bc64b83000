"""ranx's own tests of metrics, ``evaluate`` and ``compare``, unchanged, on cranfield.compat.ranx.

Usage: ``python tests/against/peers/ranx_suite.py FOLDER``, where ``FOLDER`` is a checkout of
ranx with its ``tests/unit/ranx``. Neither the wheels nor the source distribution on PyPI carry
the tests, so they are not fetched here. They make arrays with numba, which has to be installed.

ranx's inner functions, ``ranx.metrics.ndcg(qrels, run, k)``, are here ``evaluate`` of that
metric, topic by topic. Ends with 1 if a test fails that ``EXCEPTIONS`` does not list, or
passes although it does.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from cranfield.compat import ranx

FILES = (
    "metrics_test.py",
    "metrics/bpref_test.py",
    "metrics/f1_test.py",
    "metrics/rank_biased_precision_test.py",
    "metrics/zero_division_error_test.py",
    "meta/evaluate_test.py",
    "data_structures/report_test.py",
)

EXCEPTIONS: dict[str, str] = {}
"""Tests that fail, and why."""

METRICS = {
    "hits": "hits",
    "hit_rate": "hit_rate",
    "precision": "precision",
    "recall": "recall",
    "f1": "f1",
    "r_precision": "r-precision",
    "reciprocal_rank": "mrr",
    "average_precision": "map",
    "dcg": "dcg",
    "dcg_burges": "dcg_burges",
    "ndcg": "ndcg",
    "ndcg_burges": "ndcg_burges",
    "bpref": "bpref",
}
"""ranx's inner functions and the names of their metrics."""


def metric(name: str) -> Any:
    """An inner function of ranx."""

    def values(qrels: Any, run: Any, k: int = 0, rel_lvl: int = 1) -> Any:
        cut = f"@{k}" if k else ""
        level = f"-l{rel_lvl}" if rel_lvl != 1 else ""
        return ranx.evaluate(qrels, run, f"{name}{cut}{level}", return_mean=False)

    return values


def rank_biased_precision(qrels: Any, run: Any, p: float, rel_lvl: int = 1) -> Any:
    """The inner function of ranx, whose parameter is not a cutoff."""
    level = f"-l{rel_lvl}" if rel_lvl != 1 else ""
    return ranx.evaluate(qrels, run, f"rbp{str(p).removeprefix('0')}{level}", return_mean=False)


def stand_ins() -> dict[str, ModuleType]:
    """The modules that the tests import."""
    functions = {inner: metric(name) for inner, name in METRICS.items()}
    functions["rank_biased_precision"] = rank_biased_precision
    metrics = ModuleType("ranx.metrics")
    vars(metrics).update(functions)
    package = ModuleType("ranx")
    vars(package).update({name: getattr(ranx, name) for name in ranx.__all__}, metrics=metrics)
    modules = {"ranx": package, "ranx.metrics": metrics}
    for name, function in functions.items():
        modules[f"ranx.metrics.{name}"] = ModuleType(f"ranx.metrics.{name}")
        setattr(modules[f"ranx.metrics.{name}"], name, function)
    return modules


class Outcome:
    """The outcome of each test."""

    def __init__(self) -> None:
        self.passed: list[str] = []
        self.failed: list[str] = []

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Called by pytest for each step of a test."""
        if report.failed:
            self.failed.append(report.nodeid)
        elif report.passed and report.when == "call":
            self.passed.append(report.nodeid)


def main(folder: Path) -> int:
    """Runs the tests; the exit code."""
    tests = folder / "tests" / "unit" / "ranx"
    files = [tests / name for name in FILES]
    lacking = [str(file) for file in files if not file.exists()]
    if lacking:
        raise SystemExit(f"expected ranx's tests, found no {lacking[0]}")
    sys.modules.update(stand_ins())
    # What it makes for numba is what its inner functions take; here that is the object itself.
    for table in (ranx.Qrels, ranx.Run):
        table.to_typed_list = lambda self: self  # type: ignore[union-attr]
    os.chdir(folder)
    outcome = Outcome()
    options = ["-q", "-o", "addopts=", "-p", "no:cacheprovider", "--import-mode=importlib"]
    status = pytest.main([*options, f"--rootdir={folder}", *map(str, files)], plugins=[outcome])
    names = {test.split("::", 1)[1] for test in outcome.failed}
    for test in sorted(names | set(EXCEPTIONS)):
        why = EXCEPTIONS.get(test, "NOT LISTED") if test in names else "PASSES, BUT IS LISTED"
        print(f"{test}: {why}")
    print(f"{len(outcome.passed)} tests passed, {len(names)} failed")
    ended = status in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED)
    return 0 if ended and outcome.passed and names == set(EXCEPTIONS) else 1


if __name__ == "__main__":
    if len(sys.argv) != 2:
        raise SystemExit(f"usage: {sys.argv[0]} FOLDER")
    sys.exit(main(Path(sys.argv[1]).resolve()))
