"""Replacing a package, as its hosts see it: each in an interpreter of its own."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import cranfield as cf
import pytest

from tests import ROOT


def run(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_a_host_imports_cranfield() -> None:
    code = """
import cranfield as cf
cf.install_as("pytrec_eval")
import ir_measures, sys
from ir_measures import AP, P, RR, nDCG
qrels = {"q1": {"d1": 1, "d2": 0}}
run = {"q1": {"d1": 0.4, "d2": 0.7}}
means = ir_measures.pytrec_eval.calc_aggregate([AP, nDCG @ 10, P @ 5, RR], qrels, run)
assert "pytrec_eval_ext" not in sys.modules
print(*(f"{m}={v!r}" for m, v in sorted(means.items(), key=str)))
"""
    ours = run(code)
    theirs = run(code.replace('cf.install_as("pytrec_eval")', "").replace("assert", "0 and"))
    assert ours == theirs == "AP=0.5 P@5=0.2 RR=0.5 nDCG@10=0.6309297535714575"


def test_it_is_undone() -> None:
    run("""
import sys, cranfield as cf
with cf.install_as("pytrec_eval") as module:
    import pytrec_eval
    assert pytrec_eval is module
assert "pytrec_eval" not in sys.modules
import pytrec_eval
assert pytrec_eval.__file__ != module.__file__
installed = cf.install_as("pytrec_eval", force=True)
assert sys.modules["pytrec_eval"] is module
installed.undo()
assert sys.modules["pytrec_eval"] is pytrec_eval
installed.undo()
assert sys.modules["pytrec_eval"] is pytrec_eval
""")


def test_each_use_counts() -> None:
    run("""
import sys, cranfield as cf
with cf.install_as("pytrec_eval") as module:
    with cf.install_as("pytrec_eval"):
        pass
    import pytrec_eval
    assert pytrec_eval is module and sys.modules["pytrec_eval"] is module
    first = cf.install_as("pytrec_eval")
    first.undo(); first.undo()
    assert sys.modules["pytrec_eval"] is module
assert "pytrec_eval" not in sys.modules
""")


def test_something_else_takes_the_name_in_between() -> None:
    run("""
import sys, cranfield as cf
first = cf.install_as("pytrec_eval")
del sys.modules["pytrec_eval"]
import pytrec_eval
assert "compat" not in pytrec_eval.__file__
first.undo()
assert sys.modules["pytrec_eval"] is pytrec_eval
first = cf.install_as("pytrec_eval", force=True)
sys.modules["pytrec_eval"] = other = type(sys)("pytrec_eval")
second = cf.install_as("pytrec_eval", force=True)
first.undo()
assert sys.modules["pytrec_eval"] is second.module
second.undo()
assert sys.modules["pytrec_eval"] is other
""")


def test_it_comes_too_late_after_the_package_was_imported() -> None:
    run("""
import pytrec_eval, cranfield as cf
try:
    cf.install_as("pytrec_eval")
except RuntimeError as error:
    assert "has already been imported" in str(error) and "force=True" in str(error)
else:
    raise SystemExit("not refused")
""")


@pytest.mark.parametrize("name", ["trec", "", "cranfield"])
def test_other_names_are_refused(name: str) -> None:
    with pytest.raises(ValueError, match=r"^expected 'pytrec_eval'"):
        cf.install_as(name)


def test_it_needs_no_other_package() -> None:
    run("""
import sys, cranfield as cf
cf.install_as("pytrec_eval")
import pytrec_eval
evaluator = pytrec_eval.RelevanceEvaluator({"1": {"a": 1}}, {"official"})
assert evaluator.evaluate({"1": {"a": 1}})["1"]["map"] == 1
tops = {name.partition(".")[0] for name in sys.modules}
assert "numpy" not in tops and "pytrec_eval_ext" not in tops
""")


def test_the_page_runs_as_written() -> None:
    page = ROOT / "docs" / "howto" / "hosts" / "pytrec_eval.md"
    text = page.read_text(encoding="utf-8")
    blocks = re.findall(r"^```(\w*)\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    codes = [code for language, code in blocks if language == "python"]
    shown = [output.strip() for language, output in blocks if not language]
    before, after, installed = map(run, codes)
    assert before == after == shown[0]
    assert installed == shown[1]


# Processes that begin anew.

SCORES = """
def scores(topic):
    import pytrec_eval
    evaluator = pytrec_eval.RelevanceEvaluator({topic: {"a": 1}}, {"recip_rank"})
    found = evaluator.evaluate({topic: {"b": 1.0, "a": 0.5}})
    assert found == {topic: {"recip_rank": 0.5}}
    return pytrec_eval.RelevanceEvaluator.__module__
"""
"""Says which pytrec_eval a process has."""

OURS = "cranfield.compat.pytrec_eval"

WORKERS = {
    "spawn": "ProcessPoolExecutor(2, multiprocessing.get_context('spawn'){options})",
    "forkserver": "ProcessPoolExecutor(2, multiprocessing.get_context('forkserver'){options})",
    "fork": "ProcessPoolExecutor(2, multiprocessing.get_context('fork'))",
    "threads": "ThreadPoolExecutor(2)",
}
POOL = """
import multiprocessing
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
{scores}
def main():
    {before}
    with {pool} as pool:
        found = set(pool.map(scores, ["1", "2", "3", "4"]))
    print(*found, scores("5"))
if __name__ == "__main__":
    main()
"""
INSTALL = "import cranfield as cf; cf.install_as('pytrec_eval')"
IN_WORKERS = ", cf.install_as, ('pytrec_eval',)"


def program(folder: Path, code: str) -> str:
    """What a file of code prints, which workers import, too."""
    (folder / "program.py").write_text(code)
    done = subprocess.run(
        [sys.executable, "program.py"],
        env={**os.environ, "PYTHONPATH": str(folder)},
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.mark.parametrize("workers", WORKERS)
def test_a_call_in_each_worker(tmp_path: Path, workers: str) -> None:
    pool = WORKERS[workers].format(options=IN_WORKERS)
    code = POOL.format(scores=SCORES, pool=pool, before=INSTALL)
    assert program(tmp_path, code) == f"{OURS} {OURS}"


@pytest.mark.parametrize("workers", WORKERS)
def test_a_sitecustomize_reaches_every_process(tmp_path: Path, workers: str) -> None:
    pool = WORKERS[workers].format(options="")
    code = POOL.format(scores=SCORES, pool=pool, before="pass")
    assert program(tmp_path, code) == "pytrec_eval pytrec_eval"
    (tmp_path / "sitecustomize.py").write_text(INSTALL)
    assert program(tmp_path, code) == f"{OURS} {OURS}"


def test_a_hook_waits_for_its_host() -> None:
    code = """
import sys, cranfield as cf
cf.install_as("ir_measures")
assert "ir_measures" not in sys.modules
import ir_measures
from ir_measures import AP
print(ir_measures.DefaultPipeline.providers[0].NAME)
print(ir_measures.calc_aggregate([AP], {"1": {"a": 1}}, {"1": {"a": 1.0}}))
import importlib
print(importlib.reload(ir_measures).__name__)
"""
    assert run(code).splitlines() == ["cranfield", "{AP: 1.0}", "ir_measures"]
