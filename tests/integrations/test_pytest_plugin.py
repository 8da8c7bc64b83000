"""The fixture for throughput, in sessions of pytest as a user runs them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import cranfield as cf
import pytest
from cranfield._bench import race

from tests import ROOT

FILE = """
import cranfield as cf

QRELS = {"q": {"a": 1}}
RUN = {"q": {"a": 2.0, "b": 1.0}}

def test_evaluator(cranfield_throughput):
    found = cranfield_throughput(cf.Evaluator(QRELS, "AP"), RUN, min_lines_per_s=1, rounds=2)
    assert found.lines == 2
    assert found.lines_per_s > 1
    assert len(found.cpu) == len(found.wall) == 2

def test_callable(cranfield_throughput):
    def work(runs):
        assert runs is RUN
        return sum(range(1000))

    assert cranfield_throughput(work, RUN, rounds=1, lines=7).lines == 7

def test_too_slow(cranfield_throughput):
    cranfield_throughput(cf.Evaluator(QRELS, "AP"), RUN, min_lines_per_s=1e15, rounds=1)
"""


def session(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_fixture_measures_reports_and_fails(tmp_path: Path) -> None:
    (tmp_path / "test_speed.py").write_text(FILE)
    done = session(tmp_path, "--junitxml", "report.xml")
    assert done.returncode == 1, done.stdout
    assert "1 failed, 2 passed" in done.stdout
    assert "at least 1,000,000,000,000,000 are asked for" in done.stdout
    told = [line for line in done.stdout.splitlines() if line.startswith("test_speed.py::")]
    assert len(told) == 3
    assert "test_speed.py::test_callable: " in done.stdout
    assert "lines per CPU second (2 lines in " in done.stdout
    properties = ElementTree.parse(tmp_path / "report.xml").iter("property")
    assert [element.get("name") for element in properties] == ["cranfield_throughput"] * 3


def test_the_example_of_the_page_runs(tmp_path: Path) -> None:
    text = (ROOT / "docs" / "howto" / "ci.md").read_text(encoding="utf-8")
    own = next(block for block in text.split("```python\n") if "cranfield_throughput" in block)
    (tmp_path / "test_page.py").write_text(own.partition("```")[0])
    (tmp_path / "qrels.txt").write_text("q 0 a 1\n")
    (tmp_path / "bm25.run").write_text("".join(f"q Q0 d{i} 1 {-i} t\n" for i in range(5000)))
    done = session(tmp_path)
    assert done.returncode == 0, done.stdout
    assert "1 passed" in done.stdout
    assert "(5,000 lines in " in done.stdout


def test_the_plugin_imports_nothing_until_it_is_used(tmp_path: Path) -> None:
    (tmp_path / "test_nothing.py").write_text(
        "import sys\n\ndef test_nothing():\n"
        "    assert 'pytest_cranfield' in sys.modules\n"
        "    names = {name.split('.')[0] for name in sys.modules}\n"
        "    assert not names & {'cranfield', 'numpy', 'pandas', 'pyarrow'}\n"
    )
    done = session(tmp_path, "-p", "no:randomly")
    assert done.returncode == 0, done.stdout
    assert "throughput" not in done.stdout


ODD = """
import pytest

class Fails:
    def __eq__(self, other):
        raise RuntimeError("compared")

    __len__ = __iter__ = __eq__
    __hash__ = None

ODD = [1, None, "ab", b"ab", (), ("a",), ("a", 1, 2), [Fails(), Fails()], (["a"], "b")]

@pytest.mark.parametrize("held", [*ODD, Fails(), ("cranfield_throughput", None), {1, 2}, {"a": 1}])
def test_odd(request, held):
    request.node.user_properties.append(held)

@pytest.mark.parametrize("held", [None, (1,), "ab"])
def test_no_list(request, held):
    request.node.user_properties = held
"""


@pytest.mark.parametrize("workers", [(), ("-n", "2")])
def test_what_others_hold_in_their_properties_is_theirs(
    tmp_path: Path, workers: tuple[str, ...]
) -> None:
    if workers:
        pytest.importorskip("xdist")
        # What xdist itself cannot send to its workers' parent is left out.
        text = ODD.replace("*ODD, Fails(), ", '1, "ab", [1], ').replace(', {1, 2}, {"a": 1}', "")
        text = text.partition('@pytest.mark.parametrize("held", [None')[0]
    else:
        text = ODD
    (tmp_path / "test_odd.py").write_text(text)
    done = session(tmp_path, *workers)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "throughput" not in done.stdout
    assert done.stderr == ""


def test_lines_are_counted(tmp_path: Path) -> None:
    lists = {"q": {"a": 2.0, "b": 1.0}, "r": {"a": 1.0}}
    for name in ("x", "y"):
        cf.Run(lists).write(str(tmp_path / f"{name}.run"))
    assert race.lines_of(lists) == 3
    assert race.lines_of({"x": lists, "y": lists}) == 6
    assert race.lines_of(cf.Run(lists)) == 3
    assert race.lines_of(str(tmp_path / "*.run")) == 6
    with (tmp_path / "x.run").open() as file, pytest.raises(cf.Error, match="an open file"):
        race.lines_of(file)
