"""``Evaluator.arrow``: the scores of ``evaluate``, row by row, whatever the batch has."""

from __future__ import annotations

import pickle
from typing import Any

import cranfield as cf
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

QRELS = {"1": {"a": 2, "b": 0, "z": 1}, "2": {"c": 1}, "3": {"d": 1}}
RUNS = {
    "x": {"1": {"a": 1.0, "b": 2.0}, "2": {"c": 1.0, "e": 3.0}, "9": {"a": 1.0}},
    "y": {"2": {"e": 1.0, "c": 2.0}},
}
MEASURES = "nDCG AP RR"


def rows(runs: Any = RUNS) -> Any:
    found = [(n, t, d, s) for n, r in runs.items() for t, l_ in r.items() for d, s in l_.items()]
    columns = zip(("run", "qid", "docno", "score"), zip(*found, strict=True), strict=True)
    return pa.table({name: list(values) for name, values in columns})


def expected() -> list[dict[str, Any]]:
    scores = cf.evaluate(QRELS, RUNS, MEASURES)
    return [
        {"run": name, "topic": topic, **dict(zip(MEASURES.split(), values, strict=True))}
        for name, run in RUNS.items()
        for topic, values in zip(
            scores.topics, scores.values[scores.runs.index(name)].tolist(), strict=True
        )
        if topic in run
    ]


@pytest.mark.parametrize("options", [{}, {"missing": "error"}, {"missing": "skip"}])
def test_scores_of_a_table(options: Any) -> None:
    evaluator = cf.Evaluator(QRELS, MEASURES, **options)
    found = evaluator.arrow(rows())
    assert isinstance(found, pa.Table)
    assert found.to_pylist() == expected()
    # The ideal list is that of the judgments: z, which no run has, counts.
    assert found["nDCG"].to_pylist()[0] < 1


def test_other_tables() -> None:
    evaluator = cf.Evaluator(QRELS, MEASURES)
    for table in (rows().to_pandas(), pl.from_arrow(rows()), pickle.loads(pickle.dumps(rows()))):
        assert evaluator.arrow(table).to_pylist() == expected()
    assert pickle.loads(pickle.dumps(evaluator)).arrow(rows()).to_pylist() == expected()
    (batch,) = rows().combine_chunks().to_batches()
    found = evaluator.arrow(batch)
    assert isinstance(found, pa.RecordBatch)
    assert found.to_pylist() == expected()


def test_groups_make_the_same_rows() -> None:
    evaluator = cf.Evaluator(QRELS, MEASURES)
    frame: pd.DataFrame = rows().to_pandas()
    parts = [evaluator.arrow(part) for _, part in frame.groupby(["run", "qid"], sort=False)]
    assert pa.concat_tables(parts).to_pylist() == expected()


def test_empty_batches_have_the_schema() -> None:
    evaluator = cf.Evaluator(QRELS, MEASURES)
    for empty in (rows().slice(0, 0), rows({"x": {"9": {"a": 1.0}}})):
        found = evaluator.arrow(empty)
        assert found.schema == evaluator.arrow(rows()).schema
        assert found.num_rows == 0


def test_without_a_column_of_runs() -> None:
    found = cf.Evaluator(QRELS, "AP").arrow(rows().drop_columns("run").slice(0, 2))
    assert found.to_pylist() == [{"run": "run", "topic": "1", "AP": 0.25}]


def test_errors() -> None:
    evaluator = cf.Evaluator(QRELS, "AP")
    with pytest.raises(cf.Error, match="expected an Arrow table"):
        evaluator.arrow([1, 2])
    with pytest.raises(cf.Error, match="columns for topic, doc and score"):
        evaluator.arrow(rows().drop_columns("score"))
