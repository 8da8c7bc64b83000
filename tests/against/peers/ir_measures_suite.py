"""ir_measures' own provider tests, unchanged, with cranfield in the provider's place.

    python tests/against/peers/ir_measures_suite.py [FOLDER]

Takes the source distribution of the installed version from the package index
with pip, and runs its tests of the providers whose measures cranfield claims. A
few of them need files that are not distributed: where ``FOLDER`` is a checkout of
that version, all of them run.
Each of its providers is replaced by one that scores what cranfield claims and leaves
the rest to the original. Ends with 1 if a test fails that ``EXCEPTIONS`` does not list.
"""

from __future__ import annotations

import subprocess
import sys
import tarfile
import tempfile
import unittest
from pathlib import Path
from typing import Any

import ir_measures
from cranfield.integrations import ir_measures as hook

MODULES = (
    "test_pytrec_eval",
    "test_judged",
    "test_gdeval",
    "test_cwl_eval",
    "test_aggregate",
    "test_measures",
    "test_runtime",
    "test_util",
    "test_compat",
    "test_accuracy",
)

EXCEPTIONS = {
    "unittest.loader._FailedTest.test_pytrec_eval": "its tests/base.py is not distributed",
    "test_cwl_eval.TestCwlEval.test_measures": "its cwl.qrels is not distributed",
    "test_compat.TestCompat.test_measures": "its compat.qrels is not distributed",
    "test_measures.TestMeasures.test_measures": "its provider of ranx fails on pandas 3",
}
"""Tests that fail, and why; they fail without cranfield, too."""


class Claimed(ir_measures.Provider):
    """Another provider, but what cranfield claims is scored by cranfield."""

    def __init__(self, other: Any) -> None:
        super().__init__()
        self.other = other
        self.NAME = other.NAME
        self.SUPPORTED_MEASURES = other.SUPPORTED_MEASURES
        self.claimed = 0

    def supports(self, measure: Any) -> bool:
        return bool(self.other.supports(measure))

    def initialize(self) -> None:
        self.other.initialize()

    def _evaluator(self, measures: Any, qrels: Any) -> Any:
        wanted = list(measures)
        # A test asks gdeval for an nDCG that gdeval does not claim.
        if all(self.supports(m) and hook.provider.supports(m) for m in wanted):
            self.claimed += len(wanted)
            return hook.provider.evaluator(wanted, qrels)
        return self.other.evaluator(wanted, qrels)


def sources(folder: Path) -> Path:
    """The tests of the installed version."""
    version = f"ir-measures=={ir_measures.__version__}"
    pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-binary", ":all:"]
    subprocess.run([*pip, "-d", folder, version], check=True)
    (archive,) = folder.glob("*.tar.gz")
    with tarfile.open(archive) as files:
        files.extractall(folder, filter="data")
    (tests,) = folder.glob("*/tests")
    return tests


def loaded(folder: Path, checkout: Path | None) -> unittest.TestSuite:
    """The tests, of a checkout or fetched into a folder."""
    if checkout is None:
        sys.path.insert(0, str(sources(folder)))
        return unittest.defaultTestLoader.loadTestsFromNames(MODULES)
    if not (checkout / "tests" / "base.py").exists():
        raise SystemExit(f"expected a checkout of ir_measures, found no tests in {checkout}")
    sys.path.insert(0, str(checkout))
    return unittest.defaultTestLoader.loadTestsFromNames([f"tests.{name}" for name in MODULES])


def main(checkout: Path | None) -> int:
    """Runs the tests; the exit code."""
    stands = {}
    for name in ("pytrec_eval", "judged", "gdeval", "cwl_eval", "msmarco"):
        stands[name] = Claimed(getattr(ir_measures, name))
        setattr(ir_measures, name, stands[name])
        ir_measures.providers.registry[name] = stands[name]
    with tempfile.TemporaryDirectory() as name, hook.register():
        suite = loaded(Path(name), checkout)
        result = unittest.TextTestRunner(verbosity=1).run(suite)
    failed = [test.id().removeprefix("tests.") for test, _ in [*result.failures, *result.errors]]
    surprises = [test for test in failed if test not in EXCEPTIONS]
    for test in failed:
        print(f"{test}: {EXCEPTIONS.get(test, 'NOT LISTED')}")
    claimed = {name: stand.claimed for name, stand in stands.items()}
    print(f"{result.testsRun} tests, {len(failed)} failed; scored by cranfield: {claimed}")
    return 1 if surprises or not sum(claimed.values()) else 0


if __name__ == "__main__":
    if len(sys.argv) > 2:
        raise SystemExit(f"usage: {sys.argv[0]} [FOLDER]")
    sys.exit(main(Path(sys.argv[1]).resolve() if len(sys.argv) == 2 else None))
