"""Kills, full disks, folders that may not be written, and closed streams.

``CRANFIELD_KILLS`` says how many kills each kind of output gets. Writes fail by a small
library that is loaded before the system's, compiled here if there is a compiler.
"""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import cranfield as cf
import pytest

from tests import effort

KILLS = int(os.environ.get("CRANFIELD_KILLS", "2"))
CRANFIELD = [sys.executable, "-m", "cranfield"]

SHIM = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
/* The write with this number to a regular file fails, and all after it. */
static long left = -1;
static int code;
static int fails(int fd) {
    struct stat about;
    if (fstat(fd, &about) || !S_ISREG(about.st_mode)) return 0;
    if (left < 0) {
        left = atol(getenv("FAIL_AT"));
        code = atoi(getenv("FAIL_WITH"));
    }
    if (left > 0) { left--; return 0; }
    errno = code;
    return 1;
}
ssize_t write(int fd, const void *data, size_t size) {
    static ssize_t (*real)(int, const void *, size_t);
    if (!real) real = dlsym(RTLD_NEXT, "write");
    return fails(fd) ? -1 : real(fd, data, size);
}
int fsync(int fd) {
    static int (*real)(int);
    if (!real) real = dlsym(RTLD_NEXT, "fsync");
    return fails(fd) ? -1 : real(fd);
}
"""

OUTPUTS = {
    "convert": "convert run out/made.run",
    "convert gz": "convert run out/made.run.gz",
    "convert xz": "convert run out/made.run.xz",
    "pool": "pool run --depth 1000 -o out/made.pool",
    "eval json": "eval qrels run --per-topic -o out/made.json",
    "eval csv": "eval qrels run --per-topic -o out/made.csv",
    "report": "report qrels run other -m AP -o out/made.html",
}
STUDY = "study significance qrels run other third -o out/study --quiet"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("faults")
    chance = random.Random(7)
    documents = [f"d{d}" for d in range(500)]
    with (folder / "qrels").open("w") as out:
        for topic in range(40):
            out.writelines(f"{topic} 0 {d} {chance.randrange(3)}\n" for d in documents[::3])
    for name in ("run", "other", "third"):
        with (folder / name).open("w") as out:
            for topic in range(40):
                chance.shuffle(documents)
                lines = enumerate(documents)
                out.writelines(f"{topic} Q0 {d} {r} {-r} {name}\n" for r, d in lines)
    return folder


@pytest.fixture
def place(folder: Path) -> Path:
    shutil.rmtree(folder / "out", ignore_errors=True)
    (folder / "out").mkdir()
    return folder / "out"


def called(folder: Path, command: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*CRANFIELD, *command.split()],
        cwd=folder,
        env={**os.environ, **environment},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )


def content(place: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(place)): path.read_bytes()
        for path in sorted(place.rglob("*"))
        if path.is_file()
    }


@pytest.mark.parametrize("name", OUTPUTS)
def test_a_kill_leaves_the_earlier_file_or_the_new_one(
    name: str, folder: Path, place: Path
) -> None:
    """And for a moment of a replacement a hidden one, which is gone after the next call."""
    command = OUTPUTS[name]
    start = time.monotonic()
    done = called(folder, command)
    lasts = time.monotonic() - start
    assert done.returncode == 0, done.stderr
    whole = content(place)
    assert len(whole) == 1
    # What the folder may have: the earlier file, or the new one.
    earlier = dict.fromkeys(whole, b"earlier")
    chance = random.Random(name)
    for _ in range(KILLS):
        (place / next(iter(whole))).write_bytes(b"earlier")
        with subprocess.Popen(
            [*CRANFIELD, *command.split()],
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        ) as started:
            time.sleep(chance.uniform(0.3, 1.0) * lasts)
            started.send_signal(signal.SIGKILL)
        left = content(place)
        hidden = {name for name in left if name.startswith(".cranfield-")}
        assert {name: left[name] for name in left.keys() - hidden} in (earlier, whole)
        if hidden:
            assert called(folder, command).returncode == 0
            assert content(place) == whole


def test_a_killed_study_goes_on_to_the_same_bytes(folder: Path, place: Path) -> None:
    start = time.monotonic()
    assert called(folder, STUDY).returncode == 0
    lasts = time.monotonic() - start
    whole = content(place)
    shutil.rmtree(place / "study")
    chance = random.Random(3)
    for _ in range(KILLS):
        with subprocess.Popen(
            [*CRANFIELD, *STUDY.split()],
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        ) as started:
            time.sleep(chance.uniform(0.2, 0.9) * lasts)
            started.send_signal(signal.SIGKILL)
    done = called(folder, STUDY)
    assert done.returncode == 0, done.stderr
    assert content(place) == whole


@pytest.fixture(scope="module")
def shim(tmp_path_factory: pytest.TempPathFactory) -> str:
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("there is no C compiler")
    folder = tmp_path_factory.mktemp("shim")
    (folder / "shim.c").write_text(SHIM)
    built = [compiler, "-shared", "-fPIC", "-o", "shim.so", "shim.c", "-ldl"]
    subprocess.run(built, cwd=folder, check=True)
    return str(folder / "shim.so")


ENOSPC, EIO = "28", "5"


@pytest.mark.parametrize(
    ("name", "code"),
    [
        (name, code)
        for place, name in enumerate(OUTPUTS)
        for code in ((ENOSPC, EIO) if effort.FULL else (ENOSPC, EIO)[place % 2 :][:1])
    ],
)
def test_each_write_that_fails_is_a_sentence(
    name: str, code: str, folder: Path, place: Path, shim: str
) -> None:
    done = None
    for at in (0, 1, 3):
        (place / "made").unlink(missing_ok=True)
        done = called(
            folder, OUTPUTS[name], LD_PRELOAD=shim, FAIL_AT=str(at), FAIL_WITH=code,
            PYTHONDONTWRITEBYTECODE="1",
        )  # fmt: skip
        if done.returncode == 0:
            # There were fewer writes than this.
            break
        assert done.returncode == 2
        assert done.stderr.count("\n") <= 3
        assert os.strerror(int(code)) in done.stderr
        assert "Traceback" not in done.stderr
        assert content(place) == {}
    assert at > 0 or done is None or done.returncode == 2


PRINTED = (
    *("eval qrels run", "eval qrels run --format json --per-topic", "pool run", "convert run -"),
    *("describe qrels run", "measures", "compare qrels run other", "diff qrels run other -m AP"),
)


@pytest.mark.parametrize("command", PRINTED)
def test_a_full_device_and_a_closed_stream_are_sentences(command: str, folder: Path) -> None:
    for redirected in (">/dev/full", ">&-"):
        line = f"{' '.join(CRANFIELD)} {command} {redirected}"
        done = subprocess.run(
            ["/bin/sh", "-c", line], cwd=folder, capture_output=True, text=True, check=False
        )
        assert done.returncode == 2, (redirected, done.stderr)
        assert "Traceback" not in done.stderr
        assert "cannot write" in done.stderr


@pytest.mark.parametrize("name", OUTPUTS)
def test_a_folder_that_may_not_be_written_is_a_sentence(name: str, folder: Path) -> None:
    """A folder of the system in which nobody can make a file."""
    if not os.path.isdir("/proc/self"):
        pytest.skip("there is no /proc")
    command = OUTPUTS[name].replace("out/made", "/proc/made")
    done = called(folder, command)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    assert done.stderr.startswith("cranfield: error: ") or "cranfield: error: " in done.stderr


def test_what_was_unpacked_is_limited_for_a_source_and_a_call(tmp_path: Path) -> None:
    import gzip

    text = "".join(f"1 Q0 d{i} {i} {-i} x\n" for i in range(2000))
    for name in ("a", "b", "c"):
        (tmp_path / name).write_bytes(gzip.compress(text.encode()))
    paths = [str(tmp_path / name) for name in ("a", "b", "c")]
    judged = {"1": {"d1": 1}}
    size = len(text)
    with pytest.raises(cf.Error, match=f"beyond the limit `decompressed_bytes` of {size - 1}") as e:
        cf.evaluate(judged, paths, "AP", limits=cf.Limits(decompressed_bytes=size - 1))
    assert e.value.kind == "limit"
    with pytest.raises(cf.Error, match="of all runs expands beyond the limit `decompressed_call"):
        cf.evaluate(judged, paths, "AP", limits=cf.Limits(decompressed_call_bytes=2 * size))
    limits = cf.Limits(decompressed_bytes=size, decompressed_call_bytes=3 * size)
    assert cf.evaluate(judged, paths, "AP", limits=limits).values.shape == (3, 1, 1)
    with pytest.raises(cf.Error, match="decompressed_bytes"):
        cf.read_run(paths[0], limits=cf.Limits(decompressed_bytes=size - 1))
