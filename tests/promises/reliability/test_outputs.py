"""Where output goes: what is there is kept, whatever the path that leads to it.

The oracle is the shell's: a file to which an output is redirected has what was written, one
after the other, and `stat` says the same of a file before and after.
"""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import TypeVar

import cranfield as cf
import pytest
from cranfield import _core

from tests import effort

T = TypeVar("T")

CRANFIELD = f"{sys.executable} -m cranfield"

COMMANDS = {
    "eval": "eval qrels run",
    "eval json": "eval qrels run --format json",
    "compare": "compare qrels run other --baseline run",
    "diff": "diff qrels run other -m AP",
    "describe": "describe qrels run",
    "pool": "pool run other",
    "battles": "battles fought.jsonl",
    "answers": "answers nuggets.jsonl --kind nuggets",
    "judges": "judges qrels qrels run other",
    "report": "report qrels run other",
}
"""Commands that take ``-o``."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path
    (folder / "qrels").write_text("1 0 a 1\n1 0 b 0\n2 0 a 1\n2 0 c 1\n")
    (folder / "run").write_text("1 Q0 a 1 2 x\n1 Q0 b 2 1 x\n2 Q0 c 1 3 x\n")
    (folder / "other").write_text("1 Q0 b 1 2 x\n1 Q0 a 2 1 x\n2 Q0 a 1 3 x\n")
    fight = '{"model_a": "x", "model_b": "y", "winner": "model_%s"}\n'
    (folder / "fought.jsonl").write_text("".join(fight % side for side in "aab"))
    nugget = '{"text": "t", "importance": "vital", "assignment": "support"}'
    (folder / "nuggets.jsonl").write_text(f'{{"qid": "1", "run_id": "r", "nuggets": [{nugget}]}}\n')
    return folder


def shell(folder: Path, line: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(["bash", "-c", line], cwd=folder, capture_output=True, check=False)


def expected(folder: Path, command: str) -> bytes:
    """What is written to a new file."""
    suffix = ".html" if command.startswith("report") else ""
    done = shell(folder, f"{CRANFIELD} {command} --quiet -o new{suffix}")
    assert done.returncode == 0, done.stderr.decode()
    found = folder / f"new{suffix}"
    data = found.read_bytes()
    found.unlink()
    return data


def in_turn(name: str, items: Sequence[T], part: int) -> list[T]:
    """A part of the items, which the commands take in turn."""
    start = part * list(COMMANDS).index(name)
    return [items[(start + place) % len(items)] for place in range(part)]


@pytest.mark.parametrize("name", COMMANDS)
def test_what_is_redirected_keeps_what_was_there(name: str, folder: Path) -> None:
    command = f"{CRANFIELD} {COMMANDS[name]} --quiet"
    data = expected(folder, COMMANDS[name])
    if name == "report":
        # The report says how it was called.
        command, data = f"{command} --title same", b""
    lines = (
        f"echo before > out; {command} -o /dev/stdout >> out; echo after >> out",
        f"(echo before; {command} -o /dev/stdout; echo after) > out",
        f"exec 7> out; echo before >&7; {command} -o /dev/fd/7; exec 7>&-; echo after >> out",
        f"ln -sf /dev/stdout link; (echo before; {command} -o link; echo after) > out",
        f"ln -sfn /dev/fd dir; (echo before; {command} -o dir/1; echo after) > out",
        f"(echo before; {command} -o /dev/../dev/stdout; echo after) > out",
    )
    for line in lines if effort.FULL or name == "eval" else in_turn(name, lines, 2):
        done = shell(folder, line)
        assert done.returncode == 0, done.stderr.decode()
        found = (folder / "out").read_bytes()
        assert found.startswith(b"before\n"), line
        assert found.endswith(b"after\n"), line
        if data:
            assert found == b"before\n" + data + b"after\n", line
        assert (folder / "out").stat().st_nlink == 1
    assert shell(folder, f"{command} -o /dev/stdout | cat > out").returncode == 0
    assert not data or (folder / "out").read_bytes() == data


@pytest.mark.parametrize("name", COMMANDS)
def test_a_file_keeps_its_mode_and_its_owner(name: str, folder: Path) -> None:
    path = folder / ("out.html" if name == "report" else "out")
    modes = (0o600, 0o640, 0o666)
    for mode in modes if effort.FULL or name == "eval" else in_turn(name, modes, 1):
        path.write_text("what was there")
        path.chmod(mode)
        if os.geteuid() == 0:
            os.chown(path, 12345, 54321)
        before = path.stat()
        done = shell(folder, f"{CRANFIELD} {COMMANDS[name]} -o {path.name}")
        assert done.returncode == 0, done.stderr.decode()
        after = path.stat()
        assert stat.S_IMODE(after.st_mode) == mode
        assert (after.st_uid, after.st_gid) == (before.st_uid, before.st_gid)
        assert after.st_size > 20


@pytest.mark.parametrize("name", COMMANDS)
def test_what_may_not_be_written_is_left_alone(name: str, folder: Path) -> None:
    """As a user whom permissions stop."""
    without = ""
    if os.geteuid() == 0:
        without = "setpriv --bounding-set=-dac_override,-dac_read_search --inh-caps=-all "
        if shell(folder, f"{without} true").returncode != 0:
            pytest.skip("nothing is write-protected for this user")
    path = folder / ("out.html" if name == "report" else "out")
    path.write_text("what was there")
    path.chmod(0o444)
    done = shell(folder, f"{without}{CRANFIELD} {COMMANDS[name]} -o {path.name}")
    assert done.returncode == 2
    assert b"cannot write this file: Permission denied" in done.stderr
    assert path.read_text() == "what was there"
    assert stat.S_IMODE(path.stat().st_mode) == 0o444
    assert not [found for found in os.listdir(folder) if found.startswith(".cranfield")]


def test_links_are_followed_and_stay(folder: Path) -> None:
    (folder / "deep").mkdir()
    (folder / "deep" / "middle").symlink_to("target")
    (folder / "link").symlink_to("deep/middle")
    (folder / "circle").symlink_to("circle")
    for text in (b"new", b"again"):
        _core.write_file(str(folder / "link"), text)
        assert (folder / "deep" / "target").read_bytes() == text
        assert (folder / "link").is_symlink()
    with pytest.raises(cf.Error) as caught:
        _core.write_file(str(folder / "circle"), b"")
    assert caught.value.kind == "io"


def test_folders_and_what_is_missing_are_errors(folder: Path) -> None:
    report = cf.report(folder / "qrels", [folder / "run", folder / "other"], "AP")
    kinds = {"": "missing", ".": "directory", "none/out.html": "missing", "run/x": "missing"}
    for name, kind in kinds.items():
        with pytest.raises(cf.Error) as caught:
            report.write(os.path.join(folder, name) if name else "")
        assert caught.value.kind == kind, name


def test_a_pipe_gets_all_and_stays_a_pipe(folder: Path) -> None:
    os.mkfifo(folder / "pipe")
    data = expected(folder, COMMANDS["eval json"])
    found: list[bytes] = []
    reader = threading.Thread(target=lambda: found.append((folder / "pipe").read_bytes()))
    reader.start()
    done = shell(folder, f"{CRANFIELD} {COMMANDS['eval json']} -o pipe")
    reader.join(30)
    assert done.returncode == 0, done.stderr.decode()
    assert found == [data]
    assert stat.S_ISFIFO((folder / "pipe").stat().st_mode)


def test_one_file_for_two_outputs_is_refused(folder: Path) -> None:
    (folder / "out").write_text("what was there")
    (folder / "link").symlink_to("out")
    for other in ("out", "./out", "link"):
        done = shell(folder, f"{CRANFIELD} {COMMANDS['answers']} -o out --report {other}")
        assert done.returncode == 2
        assert b"named for two outputs" in done.stderr
        assert (folder / "out").read_text() == "what was there"
    assert shell(folder, f"{CRANFIELD} {COMMANDS['answers']} -o /dev/null --report /dev/null")


STATUS = {
    **dict.fromkeys(COMMANDS.values(), 0),
    "check good.json --baseline good.json --max-drop AP=0.1": 0,
    "check bad.json --baseline good.json --max-drop AP=0.1": 1,
    "check none --baseline good.json --max-drop AP=0.1": 2,
    "convert run made.run": 0,
    "convert run -": 0,
    "convert none -": 2,
    "eval qrels none": 2,
    "trec_eval qrels run": 0,
    "trec_eval qrels none": 2,
    "study significance qrels run other -o made": 0,
    "batch qrels run -m AP --output made": 0,
    "frobnicate": 2,
    "": 2,
}
"""The exit status of commands, which say something to standard error."""


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no device that is full")
@pytest.mark.parametrize("command", STATUS)
def test_standard_error_changes_neither_status_nor_output(command: str, folder: Path) -> None:
    if command.startswith("check"):
        for name, run in (("good.json", "run"), ("bad.json", "other")):
            shell(folder, f"{CRANFIELD} eval qrels {run} -m AP -o {name}")
    told = []
    failing = ("/dev/full", "&-")
    some = failing if effort.FULL else failing[list(STATUS).index(command) % 2 :][:1]
    for to in ("errors", *some):
        done = shell(folder, f"GITHUB_ACTIONS=true {CRANFIELD} {command} 2>{to}")
        assert done.returncode == STATUS[command], (to, (folder / "errors").read_text())
        told.append(done.stdout)
        shutil.rmtree(folder / "made", ignore_errors=True)
    assert len(set(told)) == 1


def test_a_bar_that_cannot_be_drawn_changes_nothing(folder: Path) -> None:
    code = (
        "import cranfield as cf; "
        "print(cf.evaluate('qrels', ['run', 'other'], 'AP', progress=True).mean().tolist())"
    )
    told = {
        shell(folder, f'{sys.executable} -c "{code}" 2>{to}').stdout for to in ("bar", "/dev/full")
    }
    assert len(told) == 1
    assert told != {b""}
