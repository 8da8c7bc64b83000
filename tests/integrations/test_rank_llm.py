"""RankLLM's hook, on a module that starts trec_eval as RankLLM's does; ``make hosts`` has its own.

``tests/against/peers/java_calls.py`` compares the real one with Java's trec_eval.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import cranfield as cf
import pytest
from cranfield import trec_eval
from cranfield.integrations import HostError
from cranfield.integrations import rank_llm as hook


def started(host: Any, script: str, *arguments: str) -> tuple[bytes, bytes]:
    """What a process prints, started as the host does it."""
    process = host.subprocess.Popen(
        ["java", "-jar", script, *arguments],
        stdout=host.subprocess.PIPE,
        stderr=host.subprocess.PIPE,
        shell=False,
    )
    printed: tuple[bytes, bytes] = process.communicate()
    return printed


@pytest.fixture
def host(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The three modules that the hook looks for."""
    modules = [ModuleType(hook.MODULE.rsplit(".", n)[0]) for n in (2, 1, 0)]
    for module in modules:
        monkeypatch.setitem(sys.modules, module.__name__, module)
    found: Any = modules[-1]
    found.subprocess = subprocess
    found.download_evaluation_script = "the host's own".format
    return found


def test_trec_eval_runs_in_this_process(host: Any, tmp_path: Path) -> None:
    (tmp_path / "qrels").write_text("1 0 a 1\n")
    (tmp_path / "run").write_text("1 Q0 b 1 2 t\n1 Q0 a 2 1 t\n")
    arguments = ["-m", "map", str(tmp_path / "qrels"), str(tmp_path / "run")]
    with cf.install_as("rank_llm"):
        script = host.download_evaluation_script("trec_eval")
        assert started(host, script, *arguments) == (trec_eval.run(arguments).out, b"")
        out, err = started(host, script, "-m", "no", *arguments[2:])
        assert out == b""
        assert b"no" in err
    assert host.subprocess is subprocess
    assert host.download_evaluation_script("trec_eval") == "the host's own"


def test_other_programs_and_scripts_are_the_hosts(host: Any) -> None:
    with hook.patch():
        words = [sys.executable, "-c", "print(1)"]
        process = host.subprocess.Popen(words, stdout=host.subprocess.PIPE)
        assert process.communicate()[0].split() == [b"1"]
        assert host.download_evaluation_script("other") == "the host's own"


def test_without_pyserini(host: Any) -> None:
    host.download_evaluation_script = None
    with hook.patch():
        assert host.download_evaluation_script("trec_eval") == hook.PROGRAM
    assert host.download_evaluation_script is None


def test_a_host_that_starts_nothing_is_refused(host: Any) -> None:
    del host.subprocess
    with pytest.raises(HostError, match="to start trec_eval, found no subprocess in it"):
        hook.patch()


def test_a_host_that_is_not_there_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "rank_llm", None)
    with pytest.raises(HostError, match="expected rank_llm to be installed"):
        hook.patch()
