"""pyserini's stand-in for trec_eval: numbers by hand, and trec_eval's own of a run cut by hand."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from cranfield import trec_eval
from cranfield.compat import pyserini as face
from cranfield.integrations import pyserini

QRELS = "1 0 a 1\n1 0 b 0\n2 0 c 1\n"
RUN = (
    "1 Q0 x 1 9 t\n1 Q0 a 2 8 t\n1 Q0 b 3 7 t\n"
    "2 Q0 y 1 5 t\n2 Q0 z 2 4 t\n2 Q0 c 3 3 t\n2 Q0 w 4 2 t\n"
)


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    (tmp_path / "qrels").write_text(QRELS)
    (tmp_path / "run").write_text(RUN)
    return [str(tmp_path / "qrels"), str(tmp_path / "run")]


def test_without_anything_of_its_own_it_is_trec_eval(files: list[str]) -> None:
    found = pyserini.trec_eval(["-q", "-c", "-m", "map", *files])
    assert found.encode() == trec_eval.run(["-q", "-c", "-m", "map", *files]).out


def test_the_share_of_judged_lines(files: list[str]) -> None:
    # 2: x a | y z has 1 of 4; 10: a b | c has 3 of 7.
    found = pyserini.trec_eval(["-m", "map", "-m", "judged.2,10", *files])
    assert found.splitlines()[1:] == [
        "judged_2              \tall\t0.2500",
        "judged_10             \tall\t0.4286",
    ]


def test_unjudged_lines_are_removed(files: list[str], tmp_path: Path) -> None:
    judged = [line for line in RUN.splitlines() if line.split()[2] in "abc"]
    (tmp_path / "cut").write_text("\n".join(judged) + "\n")
    arguments = ["-q", "-m", "recip_rank", "-m", "map"]
    found = pyserini.trec_eval(
        [*arguments, "-m", "judged.2", files[0], files[1], "-remove-unjudged"]
    )
    own = trec_eval.run([*arguments, files[0], str(tmp_path / "cut")]).out.decode()
    assert found == own + "judged_2              \tall\t1.0000\n"
    assert "recip_rank            \tall\t1.0000" in own


def test_a_run_of_ms_marco(files: list[str], tmp_path: Path) -> None:
    (tmp_path / "marco").write_text("1\tx\t1\n1\ta\t2\n2\tc\t1\n")
    found = pyserini.trec_eval(["-m", "recip_rank", files[0], str(tmp_path / "marco")])
    assert found.splitlines() == [
        "msmarco run detected. Converting to trec...",
        "recip_rank            \tall\t0.7500",
    ]


def test_names_of_judgments(
    files: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYSERINI_CACHE", str(tmp_path))
    (tmp_path / "topics-and-qrels").mkdir()
    (tmp_path / "topics-and-qrels" / "qrels.mine.txt").write_text(QRELS)
    ours = pyserini.trec_eval(["-m", "map", "mine", files[1]])
    assert ours == pyserini.trec_eval(["-m", "map", *files])
    with pytest.raises(FileNotFoundError, match=r"found neither other nor .*qrels\.other\.txt"):
        pyserini.trec_eval(["-m", "map", "other", files[1]])


def test_the_command(files: list[str]) -> None:
    def call(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "cranfield.integrations.pyserini", *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    done = call("-m", "map", *files)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == pyserini.trec_eval(["-m", "map", *files])
    wrong = call("-m", "judged.x", *files)
    assert wrong.returncode == 2
    assert wrong.stderr == "expected whole numbers from 1 behind judged., found judged.x\n"
    assert call("-m", "map", files[0], "nowhere").returncode == 2


def called(files: list[str], *words: str, **options: Any) -> float | dict[str, float]:
    """pyserini's function by the face."""
    return face.trec_eval(["trec_eval", *words, *files], **options)


def test_the_face_prints_and_returns_the_last_value(
    files: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    # The relevant document is at rank 2 of topic 1 and at rank 3 of topic 2.
    assert called(files, "-m", "recip_rank", "-m", "map") == 0.4167
    text = "map                   \tall\t0.4167\nrecip_rank            \tall\t0.4167\n"
    assert capsys.readouterr().out == text
    words = ["-q", "-m", "map"]
    assert called(files, *words, query_id="2") == 0.3333
    per_topic = {"1": 0.5, "2": 0.3333, "all": 0.4167}
    assert called(files, *words, return_per_query_results=True) == per_topic
    capsys.readouterr()
    assert called(files, "-m", "judged.2") == 0.25
    assert capsys.readouterr().out == "judged_2              \tall\t0.2500\n"


def test_the_face_fails_as_pyserini_does(
    files: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(AssertionError, match='expected "-q"'):
        called(files, "-m", "map", query_id="1")
    with pytest.raises(KeyError, match="3"):
        called(files, "-q", "-m", "map", query_id="3")
    with pytest.raises(IndexError):
        called(files, "-m", "no")
    assert "no" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        called([files[0], "nowhere"], "-m", "map")
    assert capsys.readouterr().out == "The run file nowhere does not exist!\n"


def test_the_face_downloads_as_the_host(files: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(FileNotFoundError, match="found neither robust"):
        called(["robust", files[1]], "-m", "map")
    search: Any = ModuleType("pyserini.search")
    search.get_qrels_file = {"robust": files[0]}.__getitem__
    monkeypatch.setitem(sys.modules, "pyserini", ModuleType("pyserini"))
    monkeypatch.setitem(sys.modules, "pyserini.search", search)
    arguments = ["trec_eval", "-m", "map", "robust", files[1]]
    assert face.trec_eval(arguments) == 0.4167
    assert arguments[-2] == files[0]


def test_the_face_is_imported_below_the_package(tmp_path: Path, files: list[str]) -> None:
    package = tmp_path / "pyserini" / "eval"
    package.mkdir(parents=True)
    for folder in (package.parent, package):
        (folder / "__init__.py").write_text("")
    (package / "trec_eval.py").write_text("whose = 'the package'\n")

    def run(*words: str) -> str:
        done = subprocess.run(
            [sys.executable, *words], capture_output=True, text=True, check=False, cwd=tmp_path
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    run(
        "-c",
        """
import sys, cranfield as cf
first, second = cf.install_as("pyserini"), cf.install_as("pyserini")
first.undo()
import pyserini.eval.trec_eval as found
import pyserini.eval
assert found is pyserini.eval.trec_eval is second.module
second.undo()
assert not hasattr(pyserini.eval, "trec_eval")
from pyserini.eval import trec_eval as own
assert own.whose == "the package"
try:
    cf.install_as("pyserini")
except RuntimeError as error:
    assert "pyserini.eval.trec_eval has already been imported" in str(error)
with cf.install_as("pyserini", force=True):
    from pyserini.eval.trec_eval import trec_eval
    assert trec_eval.__module__ == "cranfield.compat.pyserini"
assert sys.modules["pyserini.eval.trec_eval"] is own is pyserini.eval.trec_eval
""",
    )
    start = (
        "import runpy, sys, cranfield as cf; cf.install_as('pyserini')\n"
        f"sys.argv = ['', '-m', 'map', *{files!r}]\n"
        "runpy._run_module_as_main('pyserini.eval.trec_eval')"
    )
    assert run("-c", start) == pyserini.trec_eval(["-m", "map", *files])
