"""The recipes of the documentation, each in its own engine; the oracle is ``evaluate``."""

from __future__ import annotations

import importlib.util
import os
import sys
from pathlib import Path
from typing import Any

import cranfield as cf
import pytest

from tests import ROOT

pa = pytest.importorskip("pyarrow")

FOLDER = ROOT / "examples" / "recipes"
QRELS = {str(t): {f"d{d}": d % 3 for d in range(0, 40, 2)} for t in range(1, 6)}
RUNS = {
    name: {t: {f"d{d}": (d * factor + int(t)) % 17 / 3 for d in range(20)} for t in QRELS}
    for name, factor in (("bm25", 3), ("dense", 5))
}
MEASURES = ["nDCG@10", "AP"]


def recipe(name: str) -> Any:
    found = importlib.util.spec_from_file_location(name, FOLDER / f"{name}.py")
    assert found is not None
    assert found.loader is not None
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    return module


def rows() -> Any:
    found = [
        (n, t, d, s) for n, run in RUNS.items() for t, hits in run.items() for d, s in hits.items()
    ]
    columns = zip(("run", "qid", "docno", "score"), zip(*found, strict=True), strict=True)
    return pa.table({name: list(values) for name, values in columns})


def expected() -> list[tuple[Any, ...]]:
    scores = cf.evaluate(QRELS, RUNS, MEASURES)
    return sorted(
        (run, topic, *scores.values[place, number].tolist())
        for place, run in enumerate(scores.runs)
        for number, topic in enumerate(scores.topics)
    )


def in_order(frame: Any) -> list[tuple[Any, ...]]:
    return sorted(map(tuple, frame[["run", "topic", *MEASURES]].values.tolist()))


def test_polars() -> None:
    polars = pytest.importorskip("polars")
    found = recipe("polars_query").scores(polars.from_arrow(rows()).lazy(), QRELS)
    assert sorted(found.collect().rows()) == expected()
    assert found.filter(polars.col("run") == "dense").collect().height == len(QRELS)


def test_duckdb(tmp_path: Path) -> None:
    pytest.importorskip("duckdb")
    import pyarrow.parquet

    pyarrow.parquet.write_table(rows(), tmp_path / "runs.parquet")
    run, value = recipe("duckdb_query").best(str(tmp_path / "runs.parquet"), QRELS)
    means = cf.evaluate(QRELS, RUNS, ["AP"]).mean()[:, 0]
    assert run == list(RUNS)[int(means.argmax())]
    assert value == pytest.approx(means.max(), rel=1e-12)


def test_dask() -> None:
    frames = pytest.importorskip("dask.dataframe")
    found = recipe("dask_frame").scores(
        frames.from_pandas(rows().to_pandas(), npartitions=3), QRELS
    )
    assert in_order(found.compute()) == expected()


def test_spark() -> None:
    sql = pytest.importorskip("pyspark.sql")
    os.environ["PYSPARK_PYTHON"] = sys.executable
    session = (
        sql.SparkSession.builder.master("local[2]")
        .config("spark.ui.enabled", "false")
        .config("spark.sql.shuffle.partitions", "3")
        .getOrCreate()
    )
    try:
        frame = session.createDataFrame(list(map(tuple, rows().to_pandas().values.tolist())))
        frame = frame.toDF("run", "qid", "docno", "score")
        assert in_order(recipe("spark_frame").scores(frame, QRELS).toPandas()) == expected()
    finally:
        session.stop()


def test_ray_data() -> None:
    ray = pytest.importorskip("ray")
    data = pytest.importorskip("ray.data")
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, address="local")
    try:
        found = recipe("ray_data").scores(data.from_arrow(rows()), QRELS)
        assert in_order(found.to_pandas()) == expected()
    finally:
        ray.shutdown()
