"""Scores as tables of other libraries, each imported when it is asked for.

What is undefined is null in Arrow and polars and NaN in pandas, as is their
custom.
"""

from __future__ import annotations

from cranfield.errors import optional

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    import numpy as np
    import pandas as pd
    import polars as pl
    import pyarrow as pa
    from numpy.typing import NDArray

    from cranfield.scores import Scores


def to_arrow(scores: Scores, *, wide: bool) -> pa.Table:
    """An Arrow table with dictionary-encoded labels."""
    arrow = optional("pyarrow", "to_arrow", extra="arrow")
    content: Any = scores
    if wide:
        pairs = zip(_codes(scores), (scores.runs, scores.topics), strict=True)
        run, topic = (
            arrow.DictionaryArray.from_arrays(codes, arrow.array(names, arrow.string()))
            for codes, names in pairs
        )
        content = {"run": run, "topic": topic}
        for name, values in _columns(scores).items():
            content[name] = arrow.array(values, from_pandas=True)
    table: pa.Table = arrow.table(content)
    return table


def to_polars(scores: Scores, *, wide: bool) -> pl.DataFrame:
    """A polars frame with categorical labels."""
    polars = optional("polars", "to_polars")
    content: Any = scores
    if wide:
        runs = [run for run in scores.runs for _ in scores.topics]
        topics = scores.topics * len(scores.runs)
        content = {
            "run": polars.Series(runs, dtype=polars.Categorical),
            "topic": polars.Series(topics, dtype=polars.Categorical),
        }
        for name, values in _columns(scores).items():
            content[name] = polars.Series(values).fill_nan(None)
    frame: pl.DataFrame = polars.DataFrame(content)
    return frame


def to_pandas(scores: Scores, *, wide: bool) -> pd.DataFrame:
    """A pandas frame with categorical labels."""
    pandas = optional("pandas", "to_pandas")
    categorical = pandas.Categorical.from_codes
    runs, topics = _codes(scores)
    if wide:
        values = _columns(scores)
    else:
        import numpy as np

        measures = np.arange(len(scores.measures), dtype=np.int32)
        measures = np.tile(measures, len(runs))
        runs = np.repeat(runs, len(scores.measures))
        topics = np.repeat(topics, len(scores.measures))
        values = {
            "measure": categorical(measures, list(scores.measures)),
            "value": scores.values.reshape(-1),
        }
    labels = {
        "run": categorical(runs, list(scores.runs)),
        "topic": categorical(topics, list(scores.topics)),
    }
    frame: pd.DataFrame = pandas.DataFrame(labels | values)
    return frame


def _codes(scores: Scores) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """The places of the run and the topic of each row: int32, (runs*topics,)."""
    import numpy as np

    runs = np.arange(len(scores.runs), dtype=np.int32)
    topics = np.arange(len(scores.topics), dtype=np.int32)
    return np.repeat(runs, len(topics)), np.tile(topics, len(runs))


def _columns(scores: Scores) -> dict[str, Any]:
    """A column for each measure: float64, (runs*topics,)."""
    flat = scores.values.reshape(-1, len(scores.measures))
    return {name: flat[:, i].copy() for i, name in enumerate(scores.measures)}
