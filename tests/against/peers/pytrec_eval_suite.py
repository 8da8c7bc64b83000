"""pytrec_eval's own tests, unchanged, on cranfield.compat.pytrec_eval.

Usage: ``python tests/against/peers/pytrec_eval_suite.py FOLDER``, where ``FOLDER`` is a checkout of
pytrec_eval with its ``tests/pytrec_eval_tests.py`` and, for the tests on files, the test
files of trec_eval in ``trec_eval/test``. Neither the wheels nor the source distribution on
PyPI carry the tests, so they are not fetched here. There are no exceptions: all pass.
"""

from __future__ import annotations

import sys
import unittest
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import cranfield as cf


def suite(folder: Path) -> unittest.TestSuite:
    """Their tests, with those on files that their main program would add."""
    path = folder / "tests" / "pytrec_eval_tests.py"
    spec = spec_from_file_location("pytrec_eval_tests", path)
    if spec is None or spec.loader is None or not path.exists():
        raise SystemExit(f"expected pytrec_eval's tests, found no {path}")
    theirs = module_from_spec(spec)
    with cf.install_as("pytrec_eval"):
        spec.loader.exec_module(theirs)
    if Path(theirs.TREC_EVAL_TEST_DIR).is_dir():
        for number, (run, qrels, expected, options) in enumerate(
            theirs.TRADITIONAL_TREC_EVAL_TEST_CASES
        ):
            test = theirs.generate_traditional_test(run, qrels, expected, **options)
            setattr(theirs.PyTrecEvalIntegrationTest, f"test_files_{number}", test)
    else:
        print(f"no {theirs.TREC_EVAL_TEST_DIR}: without the tests on files", file=sys.stderr)
    return unittest.defaultTestLoader.loadTestsFromModule(theirs)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        raise SystemExit(f"usage: {sys.argv[0]} FOLDER")
    outcome = unittest.TextTestRunner(verbosity=2).run(suite(Path(sys.argv[1])))
    raise SystemExit(not (outcome.wasSuccessful() and outcome.testsRun))
