"""Runs in parts: the folders that Spark, Beam and hive write, against the same run in one file."""

from __future__ import annotations

import gzip
from pathlib import Path

import cranfield as cf
import pyarrow as pa
import pyarrow.parquet
import pytest

RUN = {str(t): {f"d{d}": (t * d) % 17 / 7 for d in range(30)} for t in range(1, 9)}
QRELS = {t: {"d1": 1, "d7": 2, "d12": 0} for t in RUN}
MEASURES = "nDCG AP bpref"


def split(run: dict[str, dict[str, float]], parts: int) -> list[dict[str, dict[str, float]]]:
    topics = list(run)
    return [{t: run[t] for t in topics[part::parts]} for part in range(parts)]


def written(folder: Path, packed: bool = False) -> Path:
    folder.mkdir(parents=True)
    for place, part in enumerate(split(RUN, 3)):
        path = folder / f"part-{place:05}"
        cf.Run(part).write(str(path))
        if packed:
            (folder / f"part-{place:05}.gz").write_bytes(gzip.compress(path.read_bytes()))
            path.unlink()
    (folder / "_SUCCESS").touch()
    (folder / ".part-00000.crc").touch()
    return folder


@pytest.mark.parametrize("packed", [False, True])
def test_a_folder_of_parts_is_one_run(tmp_path: Path, packed: bool) -> None:
    folder = written(tmp_path / "runs" / "bm25", packed)
    expected = cf.evaluate(QRELS, RUN, MEASURES)
    for given in (folder, tmp_path / "runs", str(tmp_path / "runs" / "*")):
        found = cf.evaluate(QRELS, given, MEASURES)
        assert found.runs == ("bm25",)
        assert found.values.tobytes() == expected.values.tobytes()
    assert cf.read_run(folder).to_dict() == cf.Run(RUN).to_dict()
    assert cf.collection.pool(folder, 5).to_dict() == cf.collection.pool(RUN, 5).to_dict()


def test_what_spark_writes_beside_folders_of_runs_is_no_run(tmp_path: Path) -> None:
    for name in ("bm25", "dense"):
        written(tmp_path / "all" / f"run={name}")
    for name in ("_SUCCESS", "._SUCCESS.crc", "_metadata", "_common_metadata"):
        (tmp_path / "all" / name).touch()
    assert cf.evaluate(QRELS, tmp_path / "all", MEASURES).runs == ("bm25", "dense")


def test_a_topic_in_two_parts_is_an_error(tmp_path: Path) -> None:
    folder = written(tmp_path / "bm25")
    cf.Run({"1": {"x": 1.0}}).write(str(folder / "part-00003"))
    with pytest.raises(
        cf.Error, match=r"each topic in one part .* found topic `1` in two"
    ) as raised:
        cf.evaluate(QRELS, folder, MEASURES)
    assert raised.value.kind == "topics"


def test_a_damaged_part_is_named(tmp_path: Path) -> None:
    folder = written(tmp_path / "bm25")
    (folder / "part-00001").write_text("1 Q0 d1 1 x tag\n")
    with pytest.raises(cf.Error) as raised:
        cf.evaluate(QRELS, folder, MEASURES)
    assert raised.value.file == str(folder / "part-00001")
    assert raised.value.line == 1


def test_hive_folders_name_runs(tmp_path: Path) -> None:
    runs = {"bm25": RUN, "a b": {t: {"d7": 1.0} for t in RUN}}
    for name, run in runs.items():
        folder = tmp_path / f"run={name.replace(' ', '%20')}"
        folder.mkdir()
        for place, part in enumerate(split(run, 2)):
            rows = [(t, d, s) for t, hits in part.items() for d, s in hits.items()]
            columns = dict(zip(("qid", "docno", "score"), zip(*rows, strict=True), strict=True))
            pyarrow.parquet.write_table(pa.table(columns), folder / f"{place}.parquet")
    found = cf.evaluate(QRELS, tmp_path, MEASURES)
    assert sorted(found.runs) == ["a b", "bm25"]
    expected = cf.evaluate(QRELS, {name: runs[name] for name in found.runs}, MEASURES)
    assert found.values.tobytes() == expected.values.tobytes()
    assert cf.evaluate(QRELS, tmp_path / "run=bm25", MEASURES).runs == ("bm25",)
