"""Replacing a package, as its hosts see it: each in an interpreter of its own."""

from __future__ import annotations

import os
import re
import site
import subprocess
import sys
import venv
from collections.abc import Iterator
from pathlib import Path

import cranfield as cf
import pytest


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
    assert "has been imported already" in str(error) and "force=True" in str(error)
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
    page = Path(__file__).parents[2] / "docs" / "howto" / "hosts" / "pytrec_eval.md"
    text = page.read_text(encoding="utf-8")
    blocks = re.findall(r"^```(\w*)\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    codes = [code for language, code in blocks if language == "python"]
    shown = [output.strip() for language, output in blocks if not language]
    before, after, installed = map(run, codes)
    assert before == after == shown[0]
    assert installed == shown[1]


# Processes, in an environment of their own.

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


class Environment:
    """Another environment of Python, with this one's packages."""

    def __init__(self, folder: Path) -> None:
        venv.create(folder / "env", symlinks=True)
        self.folder = folder
        self.python = folder / "env" / "bin" / "python"
        (self.site,) = (folder / "env" / "lib").glob("*/site-packages")
        packages = [Path(cf.__file__).parents[1], *map(Path, site.getsitepackages())]
        (self.site / "cranfield.pth").write_text("".join(f"{path}\n" for path in packages))

    def call(self, *arguments: str, **variables: str) -> str:
        """Standard output and error of Python."""
        done = subprocess.run(
            [str(self.python), *arguments],
            env={**os.environ, **variables},
            cwd=self.folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout
        return done.stdout.strip()

    def program(self, code: str, **variables: str) -> str:
        """What a file of code prints, which workers import, too."""
        (self.folder / "program.py").write_text(code)
        return self.call("program.py", **variables)


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Environment:
    return Environment(tmp_path_factory.mktemp("environment"))


@pytest.fixture
def enabled(environment: Environment) -> Iterator[Environment]:
    said = environment.call("-m", "cranfield", "install-as", "--enable")
    assert said == (
        f"cranfield: wrote {environment.site}/cranfield_install_as.pth; "
        "new processes look at CRANFIELD_INSTALL_AS"
    )
    yield environment
    environment.call("-m", "cranfield", "install-as", "--disable")
    assert not (environment.site / "cranfield_install_as.pth").exists()


WORKERS = {
    "spawn": "ProcessPoolExecutor(2, multiprocessing.get_context('spawn'))",
    "forkserver": "ProcessPoolExecutor(2, multiprocessing.get_context('forkserver'))",
    "fork": "ProcessPoolExecutor(2, multiprocessing.get_context('fork'))",
    "threads": "ThreadPoolExecutor(2)",
}
POOL = """
import multiprocessing, os
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
INSTALL = "import cranfield; cranfield.install_as('pytrec_eval', workers={workers})"


def pool(workers: str, before: str = "pass") -> str:
    return POOL.format(scores=SCORES, pool=WORKERS[workers], before=before)


@pytest.mark.parametrize("workers", WORKERS)
def test_the_variable_reaches_every_process(enabled: Environment, workers: str) -> None:
    said = enabled.program(pool(workers), CRANFIELD_INSTALL_AS="pytrec_eval")
    assert said == f"{OURS} {OURS}"
    assert enabled.program(pool(workers)) == "pytrec_eval pytrec_eval"


@pytest.mark.parametrize("workers", WORKERS)
def test_one_call_reaches_every_worker(enabled: Environment, workers: str) -> None:
    said = enabled.program(pool(workers, INSTALL.format(workers=True)))
    assert said == f"{OURS} {OURS}"


@pytest.mark.parametrize("workers", ["fork", "threads"])
def test_without_the_variable_one_call_reaches_forks_and_threads(
    environment: Environment, workers: str
) -> None:
    said = environment.program(pool(workers, INSTALL.format(workers=False)))
    assert said == f"{OURS} {OURS}"


def test_workers_need_the_hook(environment: Environment) -> None:
    code = f"""
try:
    {INSTALL.format(workers=True)}
except RuntimeError as error:
    print(error)
"""
    assert "call `cranfield install-as --enable` once" in environment.program(code)


def test_what_workers_are_told_is_taken_back(enabled: Environment) -> None:
    said = enabled.program(
        """
import os, cranfield as cf
key = "CRANFIELD_INSTALL_AS"
with cf.install_as("pytrec_eval", workers=True):
    print(os.environ[key])
print(os.environ.get(key))
os.environ[key] = "ranx"
with cf.install_as("pytrec_eval", workers=True), cf.install_as("pytrec_eval", workers=True):
    print(os.environ[key])
print(os.environ[key])
"""
    )
    assert said.split() == ["pytrec_eval", "None", "ranx,pytrec_eval", "ranx"]


def test_without_the_variable_a_process_imports_nothing(enabled: Environment) -> None:
    code = "import sys; print([name for name in sys.modules if 'cranfield' in name])"
    assert enabled.call("-c", code) == "[]"
    assert enabled.call("-c", code, CRANFIELD_INSTALL_AS="") == "[]"


def test_hosts_and_all(enabled: Environment) -> None:
    code = """
import ir_measures, sys
from ir_measures import AP
print(ir_measures.DefaultPipeline.providers[0].NAME, "cranfield.compat.ranx" in sys.modules)
print(ir_measures.calc_aggregate([AP], {"1": {"a": 1}}, {"1": {"a": 1.0}}))
import pytrec_eval, importlib
print(pytrec_eval.parse_run.__module__, importlib.reload(ir_measures).__name__)
"""
    said = enabled.program(code, CRANFIELD_INSTALL_AS="all")
    assert said.splitlines() == [
        "cranfield False",
        "{AP: 1.0}",
        "cranfield._hosts.parsing ir_measures",
    ]


def test_the_status_says_what_happens(enabled: Environment) -> None:
    status = enabled.call(
        *("-m", "cranfield", "install-as", "--status"), CRANFIELD_INSTALL_AS="beir, pytrec_eval,x"
    )
    assert status.splitlines()[:1] == [
        "cranfield: CRANFIELD_INSTALL_AS: expected pytrec_eval, ranx, pyserini, beir, ir_measures, "
        "mteb, rank_llm, sentence_transformers or all, found 'x'"
    ]
    assert status.splitlines()[1:] == [
        f"enabled in {enabled.site}/cranfield_install_as.pth",
        "CRANFIELD_INSTALL_AS=beir, pytrec_eval,x",
        "beir: the hook cranfield.integrations.beir is put into it",
        "pytrec_eval: cranfield.compat.pytrec_eval stands in for it",
        "x: not known; expected pytrec_eval, ranx, pyserini, beir, ir_measures, "
        "mteb, rank_llm, sentence_transformers or all",
    ]


def test_the_status_where_nothing_happens(environment: Environment) -> None:
    assert environment.call("-m", "cranfield", "install-as").splitlines() == [
        "not enabled: `cranfield install-as --enable` makes new processes look at "
        "CRANFIELD_INSTALL_AS",
        "CRANFIELD_INSTALL_AS is not set",
    ]


def test_a_process_starts_where_cranfield_was_removed(enabled: Environment) -> None:
    found = enabled.site / "cranfield.pth"
    text = found.read_text()
    found.unlink()
    try:
        said = enabled.call("-c", "print('started')", CRANFIELD_INSTALL_AS="pytrec_eval")
    finally:
        found.write_text(text)
    # In a virtual environment Python reads such a file twice.
    assert list(dict.fromkeys(said.splitlines())) == [
        "cranfield: CRANFIELD_INSTALL_AS has no effect: No module named 'cranfield'",
        "started",
    ]
