"""Buckets on the loopback, in moto's server, which speaks S3; the oracle is the same folder."""

from __future__ import annotations

import os
import random
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import cranfield as cf
import pytest
from cranfield import batch

moto = pytest.importorskip("moto.server")
obstore = pytest.importorskip("obstore")

from tests.batch.test_running import (  # noqa: E402
    MEASURES,
    QRELS,
    SMALL,
    content,
    killed_after,
    run_to_its_end,
    write_runs,
)

KILLS = int(os.environ.get("CRANFIELD_KILLS", "3"))


@pytest.fixture
def bucket(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    from cranfield._io import addresses
    from obstore.store import S3Store

    server = moto.ThreadedMotoServer(ip_address="127.0.0.1", port=0)
    server.start()
    host, port = server.get_host_and_port()
    endpoint = f"http://{host}:{port}"
    environment = {
        "AWS_ENDPOINT_URL": endpoint,
        "AWS_ACCESS_KEY_ID": "key-that-nobody-may-see",
        "AWS_SECRET_ACCESS_KEY": "secret-that-nobody-may-see",
        "AWS_REGION": "us-east-1",
        "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_ALLOW_HTTP": "true",
    }
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    addresses._store.cache_clear()
    import urllib.request

    request = urllib.request.Request(f"{endpoint}/runs", method="PUT")
    urllib.request.urlopen(request).close()
    yield S3Store("runs", client_options={"allow_http": True})
    addresses._store.cache_clear()
    server.stop()


def uploaded(store: Any, folder: Path, prefix: str) -> None:
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            obstore.put(store, f"{prefix}/{path.relative_to(folder)}", path.read_bytes())


def test_objects_folders_and_patterns(tmp_path: Path, bucket: Any) -> None:
    runs = write_runs(tmp_path / "runs")
    uploaded(bucket, runs, "trec 8")
    expected = cf.evaluate(QRELS, runs, MEASURES)
    for address in ("s3://runs/trec 8", "s3://runs/trec 8/", "s3://runs/**/r?.run"):
        found = cf.evaluate(QRELS, address, MEASURES)
        assert found.runs == expected.runs
        assert found.values.tobytes() == expected.values.tobytes()
    one = cf.evaluate(QRELS, "s3://runs/trec 8/r3.run", MEASURES)
    assert one.values.tobytes() == expected.values[3:4].tobytes()
    for address in ("s3://runs/none", "s3://runs/none/", "s3://runs/*.gz"):
        with pytest.raises(cf.Error) as raised:
            cf.evaluate(QRELS, address, MEASURES)
        assert raised.value.kind == "missing"
        assert raised.value.file == address
    with pytest.raises(cf.Error) as raised:
        cf.evaluate(QRELS, "s3://absent/a.run", MEASURES)
    assert "may see" not in str(raised.value).replace("-", " ")


def test_parts_and_hive_folders(tmp_path: Path, bucket: Any) -> None:
    run = {t: {f"d{d}": d / 7 for d in range(9)} for t in QRELS}
    for place, topic in enumerate(run):
        path = tmp_path / "part"
        cf.Run({topic: run[topic]}).write(str(path))
        for folder in ("all/bm25", "hive/run=dense"):
            obstore.put(bucket, f"{folder}/part-{place:05}", path.read_bytes())
    obstore.put(bucket, "all/bm25/_SUCCESS", b"")
    expected = cf.evaluate(QRELS, run, MEASURES).values.tobytes()
    for address, name in (
        ("s3://runs/all", "bm25"),
        ("s3://runs/all/bm25/", "bm25"),
        ("s3://runs/hive", "dense"),
    ):
        found = cf.evaluate(QRELS, address, MEASURES)
        assert found.runs == (name,)
        assert found.values.tobytes() == expected


def test_a_batch_to_a_bucket_equals_one_to_a_folder(tmp_path: Path, bucket: Any) -> None:
    runs = write_runs(tmp_path / "runs")
    uploaded(bucket, runs, "in")
    here = tmp_path / "out"
    batch.evaluate(QRELS, runs, MEASURES, output=here, shard_bytes=SMALL)
    made = batch.evaluate(
        QRELS, "s3://runs/in", MEASURES, output="s3://runs/out", shard_bytes=SMALL
    )
    assert not made.bad
    for name, data in content(here).items():
        if name.endswith(".parquet"):
            assert bytes(obstore.get(bucket, f"out/{name}").bytes()) == data, name
    again = batch.evaluate(
        QRELS, "s3://runs/in", MEASURES, output="s3://runs/out", shard_bytes=SMALL
    )
    assert again.kept == made.shards
    obstore.put(bucket, "in/r2.run", (runs / "r3.run").read_bytes())
    with pytest.raises(cf.Error, match=r"run r2 .* has changed"):
        batch.evaluate(QRELS, "s3://runs/in", MEASURES, output="s3://runs/out", shard_bytes=SMALL)


def test_kills_in_the_middle_of_uploads(tmp_path: Path, bucket: Any) -> None:
    runs = write_runs(tmp_path / "runs", 60)
    qrels = tmp_path / "qrels.txt"
    cf.Qrels(QRELS).write(str(qrels))
    command = [sys.executable, "-m", "cranfield", "batch", str(qrels), str(runs), "-m", "AP P@5"]
    command += ["--shard-bytes", "1", "--quiet", "-o"]
    run_to_its_end([*command, str(tmp_path / "whole")])
    expected = content(tmp_path / "whole")
    begun = time.monotonic()
    run_to_its_end([*command, "s3://runs/whole"])
    longest = time.monotonic() - begun
    rng = random.Random(3)
    killed, stopped, number = 0, 0, 0
    while killed < KILLS:
        status, said = killed_after(
            [*command, f"s3://runs/out{number}"], longest * rng.uniform(0.3, 1.0)
        )
        if status == -signal.SIGKILL:
            killed += 1
            stopped += len(names(bucket, f"out{number}/done/")) not in (0, 60)
        else:
            assert status == 0, said
            same_objects(bucket, f"out{number}", expected)
            number += 1
    run_to_its_end([*command, f"s3://runs/out{number}"])
    same_objects(bucket, f"out{number}", expected)
    print(f"{killed} kills, {stopped} of them between the first shard and the last")


def names(store: Any, prefix: str) -> list[str]:
    """The objects of a folder."""
    return [str(meta["path"]) for chunk in obstore.list(store, prefix) for meta in chunk]


def same_objects(store: Any, folder: str, expected: dict[str, bytes]) -> None:
    """The objects of a data set are the files that are expected, byte for byte."""
    found = {name.removeprefix(f"{folder}/") for name in names(store, folder)}
    assert sorted(found) == sorted(expected)
    for name, data in expected.items():
        assert bytes(obstore.get(store, f"{folder}/{name}").bytes()) == data, name
