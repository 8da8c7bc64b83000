"""The engine "ray", on Ray with two workers; the oracle is the batch of one process."""

from __future__ import annotations

import os
import random
import resource
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import cranfield as cf
import pytest
from cranfield import batch

ray = pytest.importorskip("ray")

from tests.batch.test_running import MEASURES, QRELS, SMALL, content, write_runs  # noqa: E402

KILLS = int(os.environ.get("CRANFIELD_KILLS", "3"))


def workers() -> list[int]:
    """The processes that Ray started for this one and that work on a task of ours."""
    found, parents = [], {}
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            title = (entry / "cmdline").read_bytes()
            fields = (entry / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        parents[int(entry.name)] = int(fields[1])
        if title.startswith(b"ray::_score"):
            found.append(int(entry.name))

    def is_ours(process: int) -> bool:
        while process > 1 and process != os.getpid():
            process = parents.get(process, 0)
        return process == os.getpid()

    return list(filter(is_ours, found))


def reads(process: int, folder: Path) -> str | None:
    """The file of a folder that a process has open."""
    try:
        links = [os.readlink(link) for link in Path(f"/proc/{process}/fd").iterdir()]
    except OSError:
        return None
    return next((link for link in links if link.startswith(f"{folder}/")), None)


@pytest.mark.parametrize("number", [1, 2])
def test_the_bytes_are_those_of_one_process(tmp_path: Path, number: int) -> None:
    runs = write_runs(tmp_path / "runs", 20)
    (runs / "r3.run").write_text("1 Q0 d1 1 x tag\n")
    here = batch.evaluate(QRELS, runs, MEASURES, output=tmp_path / "here", shard_bytes=SMALL)
    there = batch.evaluate(
        QRELS,
        runs,
        MEASURES,
        output=tmp_path / "there",
        shard_bytes=SMALL,
        engine="ray",
        workers=number,
    )
    assert content(tmp_path / "here") == content(tmp_path / "there")
    assert here.bad == there.bad
    assert not ray.is_initialized()
    again = batch.evaluate(
        QRELS, runs, MEASURES, output=tmp_path / "there", shard_bytes=SMALL, engine="ray"
    )
    assert again.kept == again.shards


def test_strict_raises_the_error_of_the_run(tmp_path: Path) -> None:
    runs = write_runs(tmp_path / "runs")
    (runs / "r3.run").write_text("1 Q0 d1 1 x tag\n")
    with pytest.raises(cf.Error, match=r"r3.run:1: ?") as raised:
        batch.evaluate(
            QRELS, runs, "AP", output=tmp_path / "out", engine="ray", workers=1, strict=True
        )
    assert raised.value.kind == "number"
    with pytest.raises(cf.Error, match="cannot reach Ray at"):
        batch.evaluate(
            QRELS, runs, "AP", output=tmp_path / "o", engine="ray", address="127.0.0.1:1"
        )


def slow_runs(folder: Path, number: int) -> Path:
    """Runs that take a while each: many lines of topics that nobody judged."""
    write_runs(folder, number)
    extra = "".join(f"x{t} Q0 d{d} {d} {1 / d} t\n" for t in range(150) for d in range(1, 1000))
    for path in folder.iterdir():
        path.write_text(path.read_text() + extra)
    return folder


def test_killed_workers_lose_nothing(tmp_path: Path) -> None:
    runs = slow_runs(tmp_path / "runs", 12 + 2 * KILLS)
    batch.evaluate(QRELS, runs, MEASURES, output=tmp_path / "here", shard_bytes=1)
    killed: dict[str, int] = {}
    over = threading.Event()

    def kill() -> None:
        rng = random.Random(5)
        while not over.is_set() and sum(killed.values()) < KILLS:
            time.sleep(rng.uniform(0.005, 0.05))
            for process in workers():
                run = reads(process, runs)
                # A run that loses its worker four times counts as one that ends its worker.
                if run is not None and killed.get(run, 0) < 2:
                    os.kill(process, signal.SIGKILL)
                    killed[run] = killed.get(run, 0) + 1
                    break

    killer = threading.Thread(target=kill)
    killer.start()
    made = batch.evaluate(
        QRELS, runs, MEASURES, output=tmp_path / "out", shard_bytes=1, engine="ray", workers=2
    )
    over.set()
    killer.join()
    assert killed
    assert not made.bad
    assert content(tmp_path / "out") == content(tmp_path / "here")
    print(f"{sum(killed.values())} workers killed")


def test_a_lost_node_loses_nothing(tmp_path: Path) -> None:
    from ray.cluster_utils import Cluster

    runs = slow_runs(tmp_path / "runs", 16)
    batch.evaluate(QRELS, runs, MEASURES, output=tmp_path / "here", shard_bytes=1)
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1})
    node = cluster.add_node(num_cpus=1)

    def lose() -> None:
        while len(list((tmp_path / "out").glob("done/*"))) < 3:
            time.sleep(0.02)
        cluster.remove_node(node, allow_graceful=False)

    try:
        ray.init(address=cluster.address, log_to_driver=False)
        losing = threading.Thread(target=lose)
        losing.start()
        made = batch.evaluate(
            QRELS, runs, MEASURES, output=tmp_path / "out", shard_bytes=1, engine="ray"
        )
        losing.join()
        assert not node.live_processes()
    finally:
        ray.shutdown()
        cluster.shutdown()
    assert not made.bad
    assert content(tmp_path / "out") == content(tmp_path / "here")


def test_a_poison_file_loses_only_itself(tmp_path: Path) -> None:
    """Whoever opens it is killed, as by the system when memory runs out."""
    runs = write_runs(tmp_path / "runs", 6)
    poison = slow_runs(tmp_path / "more", 1) / "r0.run"
    poison.write_text(poison.read_text() * 1)
    poison.rename(poison := runs / "r2a.run")
    over = threading.Event()

    def kill() -> None:
        while not over.is_set():
            for entry in Path("/proc").iterdir():
                if not entry.name.isdigit() or int(entry.name) == os.getpid():
                    continue
                try:
                    links = {os.readlink(link) for link in (entry / "fd").iterdir()}
                except OSError:
                    continue
                if str(poison) in links:
                    os.kill(int(entry.name), signal.SIGKILL)
            time.sleep(0.001)

    # Many lines, so that it is open long enough to be seen.
    text = poison.read_text()
    poison.write_text(text + text.replace("x", "y") + text.replace("x", "z"))
    killer = threading.Thread(target=kill)
    killer.start()
    try:
        made = batch.evaluate(
            QRELS, runs, MEASURES, output=tmp_path / "out", engine="ray", workers=2
        )
    finally:
        over.set()
        killer.join()
    assert [(bad.run, bad.kind) for bad in made.bad] == [("r2a", "crash")]
    assert made.runs == tuple(f"r{place}" for place in range(6))
    poison.unlink()
    expected = batch.evaluate(QRELS, runs, MEASURES, output=tmp_path / "here")
    assert made.topics().equals(expected.topics())


DRIVER = """
import sys
from cranfield import batch
batch.evaluate(sys.argv[1], sys.argv[2], ["AP"], output=sys.argv[3], shard_bytes=1,
               engine="ray", workers=2)
"""


def test_a_killed_driver_goes_on(tmp_path: Path) -> None:
    runs = slow_runs(tmp_path / "runs", 8)
    qrels = tmp_path / "qrels.txt"
    cf.Qrels(QRELS).write(str(qrels))
    batch.evaluate(str(qrels), runs, ["AP"], output=tmp_path / "here", shard_bytes=1)
    command = [sys.executable, "-c", DRIVER, str(qrels), str(runs), str(tmp_path / "out")]
    process = subprocess.Popen(command)
    deadline = time.monotonic() + 120
    while not list((tmp_path / "out").glob("done/*")) and time.monotonic() < deadline:
        time.sleep(0.02)
    process.send_signal(signal.SIGKILL)
    process.wait()
    subprocess.run(command, check=True)
    assert content(tmp_path / "out") == content(tmp_path / "here")


def test_the_driver_holds_no_scores(tmp_path: Path) -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    runs = write_runs(tmp_path / "runs", 200)
    batch.evaluate(
        QRELS, runs, MEASURES, output=tmp_path / "out", shard_bytes=1, engine="ray", workers=2
    )
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert (after - before) / 1024 < 200
