"""Batches: their scores are those of ``evaluate``, and kills leave no trace in the data set."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import cranfield as cf
import numpy as np
import pyarrow.parquet
import pytest
from cranfield import batch
from cranfield._cli import main

QRELS = {str(t): {f"d{d}": d % 3 for d in range(0, 60, 2)} for t in range(1, 6)}
MEASURES = ["nDCG@10", "AP", "GMAP", "num_ret"]
SMALL = 4000
"""Bytes of a shard of two runs or so."""

KILLS = int(os.environ.get("CRANFIELD_KILLS", "3"))


def write_runs(folder: Path, runs: int = 9) -> Path:
    folder.mkdir()
    rng = random.Random(4)
    for place in range(runs):
        run = {t: {f"d{d}": rng.random() for d in rng.sample(range(60), 20)} for t in QRELS}
        cf.Run(run, name=f"r{place}").write(str(folder / f"r{place}.run"))
    return folder


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    return write_runs(tmp_path / "runs")


def content(output: Path) -> dict[str, bytes]:
    """Every file of a data set, hidden ones too."""
    files = (path for path in output.rglob("*") if path.is_file())
    return {str(path.relative_to(output)): path.read_bytes() for path in files}


def test_the_scores_are_those_of_evaluate(tmp_path: Path, runs: Path) -> None:
    made = batch.evaluate(QRELS, runs, MEASURES, output=tmp_path / "out", shard_bytes=SMALL)
    expected = cf.evaluate(QRELS, runs, MEASURES)
    assert made.runs == expected.runs
    assert made.shards > 3
    assert not made.bad
    topics = made.topics()
    assert topics.column_names == ["run", "topic", *MEASURES]
    assert topics["run"].to_pylist() == [run for run in expected.runs for _ in QRELS]
    assert topics["topic"].to_pylist() == [*expected.topics] * len(expected.runs)
    for place, measure in enumerate(MEASURES):
        found = topics[measure].to_numpy()
        assert found.tobytes() == expected.values[:, :, place].ravel().tobytes()
        assert made.means()[measure].to_numpy().tobytes() == expected.summary()[:, place].tobytes()
    # As a reader without this package sees it.
    parts = pyarrow.parquet.read_table(tmp_path / "out" / "topics")
    assert parts.equals(topics)
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text())
    assert manifest["complete"]
    assert manifest["runs"] == list(expected.runs)


def test_what_is_done_is_not_done_again(tmp_path: Path, runs: Path) -> None:
    first = batch.evaluate(QRELS, runs, MEASURES, output=tmp_path / "out", shard_bytes=SMALL)
    before = content(tmp_path / "out")
    times = {path: path.stat().st_mtime_ns for path in (tmp_path / "out").rglob("part-*")}
    (tmp_path / "out" / "done" / "part-00001.json").unlink()
    (tmp_path / "out" / "topics" / ".cranfield-7-8.new").write_bytes(b"half")
    again = batch.evaluate(QRELS, runs, MEASURES, output=tmp_path / "out", shard_bytes=SMALL)
    assert again.kept == first.shards - 1
    assert content(tmp_path / "out") == before
    for path, written in times.items():
        assert (path.stat().st_mtime_ns == written) == ("part-00001" not in path.name)


CHANGES: dict[str, tuple[str, Callable[[Path, dict[str, Any]], object]]] = {
    "a run": ("run r4 .* has changed", lambda runs, _: rewrite(runs / "r4.run")),
    "a run less": ("run r4 no longer exists", lambda runs, _: (runs / "r4.run").unlink()),
    "a run more": (
        "run r9 is new",
        lambda runs, _: (runs / "r9.run").write_text("1 Q0 d1 1 1 x\n"),
    ),
    "measures": ("measures have changed", lambda _, call: call.update(measures=["AP"])),
    "options": ("options have changed", lambda _, call: call.update(depth=3)),
    "judgments": (
        "judgments have changed",
        lambda _, call: call.update(qrels={**QRELS, "1": {"d0": 2}}),
    ),
}


def rewrite(path: Path) -> None:
    """Another run of the same size."""
    path.write_text(path.read_text().replace(" 0.1", " 0.9", 1))


@pytest.mark.parametrize("change", CHANGES)
def test_changes_are_refused_unless_told(tmp_path: Path, runs: Path, change: str) -> None:
    output = tmp_path / "out"
    call: dict[str, Any] = {"qrels": QRELS, "measures": MEASURES, "shard_bytes": SMALL}
    batch.evaluate(**call, runs=runs, output=output)
    before = content(output)
    message, apply = CHANGES[change]
    apply(runs, call)
    with pytest.raises(cf.Error, match=f"made with other inputs: {message}") as raised:
        batch.evaluate(**call, runs=runs, output=output)
    assert raised.value.kind == "option"
    assert content(output) == before
    batch.evaluate(**call, runs=runs, output=output, rescore=True)
    batch.evaluate(**call, runs=runs, output=tmp_path / "new")
    assert content(output) == content(tmp_path / "new")


def test_a_file_that_was_only_touched_has_not_changed(tmp_path: Path, runs: Path) -> None:
    batch.evaluate(QRELS, runs, MEASURES, output=tmp_path / "out")
    os.utime(runs / "r1.run", ns=(1, 1))
    assert batch.evaluate(QRELS, runs, MEASURES, output=tmp_path / "out").kept == 1


def test_bad_runs_are_listed(tmp_path: Path, runs: Path) -> None:
    (runs / "r3.run").write_text("1 Q0 d1 1 x tag\n")
    (runs / "r5.run").write_text("")
    made = batch.evaluate(QRELS, runs, MEASURES, output=tmp_path / "out", shard_bytes=SMALL)
    assert [(bad.run, bad.kind) for bad in made.bad] == [("r3", "number"), ("r5", "empty")]
    assert "r3.run:1:" in made.bad[0].message
    left = list(cf.evaluate(QRELS, write_runs(tmp_path / "whole"), "AP").runs)
    assert list(made.runs) == [run for run in left if run not in ("r3", "r5")]
    assert made.means()["run"].to_pylist() == list(made.runs)
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text())
    assert [bad["run"] for bad in manifest["bad"]] == ["r3", "r5"]
    with pytest.raises(cf.Error, match=r"r3.run:1:"):
        batch.evaluate(
            QRELS, runs, MEASURES, output=tmp_path / "strict", shard_bytes=SMALL, strict=True
        )
    # Mended, the batch goes on.
    (runs / "r3.run").write_text("1 Q0 d1 1 1 tag\n")
    made = batch.evaluate(
        QRELS, runs, MEASURES, output=tmp_path / "out", shard_bytes=SMALL, rescore=True
    )
    assert [bad.run for bad in made.bad] == ["r5"]


def test_what_could_not_be_read_is_tried_again(tmp_path: Path, runs: Path) -> None:
    output = tmp_path / "out"
    batch.evaluate(QRELS, runs, MEASURES, output=output, shard_bytes=1)
    before = content(output)
    # As a broken connection leaves it: the run is as it was, and could not be read.
    path = output / "done" / "part-00004.json"
    for kind, kept in (("number", 9), ("io", 8)):
        record = json.loads(before["done/part-00004.json"])
        file, text = record["runs"][0]["files"][0][0], "cannot read this object"
        error = {"run": "r4", "file": file, "kind": kind, "message": text, "command_line": text}
        record["errors"] = [error]
        record["runs"][0]["scored"] = False
        path.write_text(json.dumps(record))
        again = batch.evaluate(QRELS, runs, MEASURES, output=output, shard_bytes=1)
        assert again.kept == kept
        assert len(again.bad) == (kind == "number")
    assert content(output) == before


def test_other_folders_are_left_alone(tmp_path: Path, runs: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.tex").write_text("x")
    with pytest.raises(cf.Error, match=r"expected an empty folder .* found thesis.tex"):
        batch.evaluate(QRELS, runs, MEASURES, output=tmp_path / "mine")
    assert content(tmp_path / "mine") == {"thesis.tex": b"x"}
    with pytest.raises(cf.Error, match="found a file"):
        batch.evaluate(QRELS, runs, MEASURES, output=tmp_path / "mine" / "thesis.tex")
    with pytest.raises(cf.Error, match="a batch reads files"):
        batch.evaluate(QRELS, {"a": {"1": {"d1": 1.0}}}, MEASURES, output=tmp_path / "out")


def test_an_executor_has_the_same_bytes(tmp_path: Path, runs: Path) -> None:
    batch.evaluate(QRELS, runs, MEASURES, output=tmp_path / "here", shard_bytes=SMALL)
    with ProcessPoolExecutor(2) as pool:
        there = tmp_path / "there"
        batch.evaluate(QRELS, runs, MEASURES, output=there, shard_bytes=SMALL, engine=pool)
    assert content(tmp_path / "here") == content(tmp_path / "there")


def test_progress_counts_runs(tmp_path: Path, runs: Path) -> None:
    seen: list[tuple[int, int]] = []
    batch.evaluate(
        QRELS,
        runs,
        MEASURES,
        output=tmp_path / "out",
        shard_bytes=SMALL,
        progress=lambda done, total: seen.append((done, total)),
    )
    assert seen[-1] == (9, 9)
    assert sorted(seen) == seen


def test_kills_leave_no_trace(tmp_path: Path) -> None:
    """A batch that is killed at any moment, and then again, is in the end as if it had not been."""
    runs = write_runs(tmp_path / "runs", 120)
    qrels = tmp_path / "qrels.txt"
    cf.Qrels(QRELS).write(str(qrels))
    command = [sys.executable, "-m", "cranfield", "batch", str(qrels), str(runs), "-m", "AP P@5"]
    command += ["--shard-bytes", "1", "--quiet", "-o"]
    begun = time.monotonic()
    run_to_its_end([*command, str(tmp_path / "whole")])
    longest = time.monotonic() - begun
    expected = content(tmp_path / "whole")
    assert len(expected) == 3 * 120 + 1
    rng = random.Random(11)
    output, killed, stopped = tmp_path / "out", 0, 0
    while killed < KILLS:
        status, said = killed_after([*command, str(output)], longest * rng.uniform(0.3, 1.0))
        if status == -signal.SIGKILL:
            killed += 1
            stopped += len(list(output.rglob("done/*.json"))) not in (0, 120)
        else:
            assert status == 0, said
            same(output, expected)
            for path in sorted(output.rglob("*"), reverse=True):
                path.unlink() if path.is_file() else path.rmdir()
        for path in output.rglob("done/*.json"):
            assert (output / "topics" / f"{path.stem}.parquet").exists()
    run_to_its_end([*command, str(output)])
    same(output, expected)
    assert stopped or KILLS < 20
    print(f"{killed} kills, {stopped} of them between the first shard and the last")


def test_an_interrupted_batch_says_how_to_go_on(tmp_path: Path) -> None:
    runs = write_runs(tmp_path / "runs", 60)
    qrels, output = tmp_path / "qrels.txt", tmp_path / "out"
    cf.Qrels(QRELS).write(str(qrels))
    command = [sys.executable, "-m", "cranfield", "batch", str(qrels), str(runs), "-m", "AP"]
    command += ["--shard-bytes", "1", "--no-progress", "-o", str(output)]
    # Shells let background jobs ignore the signal.
    with subprocess.Popen(
        command,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    ) as process:
        while not list(output.rglob("done/*.json")) and process.poll() is None:
            time.sleep(0.005)
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=60)
    if process.returncode == 0:
        pytest.skip("the batch was done before the signal came")
    assert process.returncode == 130
    assert said == (
        f"cranfield: interrupted; {output} keeps what is scored: the same command scores the rest\n"
    )
    run_to_its_end(command)
    assert len(list(output.rglob("done/*.json"))) == 60


def killed_after(command: list[str], seconds: float) -> tuple[int, str]:
    """Runs a batch, for so long at most: its exit status, and what it said."""
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    try:
        _, said = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        _, said = process.communicate()
    return process.returncode, said


def run_to_its_end(command: list[str]) -> None:
    """Runs a batch; one that the system kills, as when memory runs out, goes on."""
    for _ in range(5):
        done = subprocess.run(command, check=False, capture_output=True, text=True)
        if done.returncode != -signal.SIGKILL:
            break
    assert done.returncode == 0, f"exit status {done.returncode}: {done.stderr}"


def same(output: Path, expected: dict[str, bytes]) -> None:
    """The files of a data set are those that are expected, byte for byte."""
    found = content(output)
    assert sorted(found) == sorted(expected)
    assert not [name for name, data in expected.items() if found[name] != data]


def test_the_command(tmp_path: Path, runs: Path, capsys: Any) -> None:
    qrels, output = tmp_path / "qrels.txt", tmp_path / "out"
    cf.Qrels(QRELS).write(str(qrels))
    words = ["batch", str(qrels), str(runs), "-m", "AP P@5", "-o", str(output)]
    assert main(words) == 0
    assert f"{output}: 9 runs in 1 shard\n" in capsys.readouterr().err
    (runs / "r3.run").write_text("1 Q0 d1 1 x tag\n")
    assert main(words) == 2
    assert "run r3" in (text := capsys.readouterr().err)
    assert "--rescore" in text
    assert main([*words, "--rescore"]) == 2
    assert "bad run r3: " in (text := capsys.readouterr().err)
    assert "8 runs in 1 shard, 1 bad run" in text
    means = pyarrow.parquet.read_table(output / "means")
    assert np.isfinite(means["AP"].to_numpy()).all()
    assert main([*words, "--address", "auto"]) == 2
    assert "--address goes with --engine ray" in capsys.readouterr().err
    assert main(["batch", str(qrels), "-", "-m", "AP", "-o", str(output)]) == 2


def test_chunks_under_judgments_of_spans(tmp_path: Path) -> None:
    gold = cf.SpanQrels({"1": [("A", 0, 10)], "2": [("B", 5, 9)]})
    (tmp_path / "runs").mkdir()
    for name, end in (("small", 6), ("large", 90)):
        rows = f"1\tA\t0\t{end}\n2\tB\t0\t{end}\n"
        (tmp_path / "runs" / f"{name}.tsv").write_text(f"topic\tdoc\tstart\tend\n{rows}")
    (tmp_path / "runs" / "wrong.tsv").write_text("topic\tdoc\tstart\tend\n1\tA\t5\t5\n")
    runs, output = tmp_path / "runs", tmp_path / "out"
    made = batch.evaluate(gold, runs, "char-R@1 char-IoU@1", output=output, shard_bytes=1)
    assert made.runs == ("large", "small")
    assert [bad.kind for bad in made.bad] == ["span"]
    assert made.means()["char-R@1"].to_pylist() == [1.0, (0.6 + 0.25) / 2]
    assert batch.evaluate(gold, runs, "char-R@1 char-IoU@1", output=output, shard_bytes=1).kept == 3
    path = tmp_path / "gold.tsv"
    path.write_text("topic\tdoc\tstart\tend\n1\tA\t0\t10\n2\tB\t5\t9\n")
    command = ["batch", str(path), str(runs), "--layout", "spans", "--output"]
    assert main([*command, str(tmp_path / "other")]) == 2
    assert main([*command, str(tmp_path / "third"), "--layout", "kilt"]) == 2
    assert not (tmp_path / "third").exists()
