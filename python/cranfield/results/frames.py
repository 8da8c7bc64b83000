"""Scores as tables of other libraries, each imported when first used.

What is undefined is null in Arrow and polars and NaN in pandas, as is their
custom. The parts are those of ``results.tables``.
"""

from __future__ import annotations

from cranfield.errors import optional
from cranfield.results.tables import VALUE, columns

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    import numpy as np
    import pandas as pd
    import polars as pl
    import pyarrow as pa
    from numpy.typing import NDArray

    from cranfield.results.scores import Scores
    from cranfield.results.tables import Parts


def metadata(scores: Scores) -> dict[str, str]:
    """The metadata of an Arrow schema: what scores were made with, and directions."""
    import json

    content = {
        "fingerprint": scores.fingerprint,
        "better": scores.better,
        "measures": list(scores.measures),
    }
    return {"cranfield": json.dumps(content, ensure_ascii=False)}


def to_arrow(parts: Parts, *, wide: bool) -> pa.Table:
    """An Arrow table with dictionary-encoded labels."""
    arrow = optional("pyarrow", "to_arrow", extra="arrow")
    scores = parts[VALUE]
    if wide:
        pairs = zip(_codes(scores), (scores.runs, scores.topics), strict=True)
        run, topic = (
            arrow.DictionaryArray.from_arrays(codes, arrow.array(names, arrow.string()))
            for codes, names in pairs
        )
        content = {"run": run, "topic": topic}
        for name, values in _wide(parts).items():
            content[name] = arrow.array(values, from_pandas=True)
        table: pa.Table = arrow.table(content)
        return table.replace_schema_metadata(metadata(scores))
    table = arrow.table(scores)
    for part, values in _further(parts).items():
        table = table.append_column(part, arrow.array(values, from_pandas=True))
    return table


def to_polars(parts: Parts, *, wide: bool) -> pl.DataFrame:
    """A polars frame with categorical labels."""
    polars = optional("polars", "to_polars")
    scores = parts[VALUE]
    if wide:
        runs = [run for run in scores.runs for _ in scores.topics]
        topics = scores.topics * len(scores.runs)
        frame: pl.DataFrame = polars.DataFrame(
            {
                "run": polars.Series(runs, dtype=polars.Categorical),
                "topic": polars.Series(topics, dtype=polars.Categorical),
            }
        )
        further = _wide(parts)
    else:
        frame = polars.DataFrame(scores)
        further = _further(parts)
    return frame.with_columns(
        [polars.Series(name, values).fill_nan(None) for name, values in further.items()]
    )


def to_pandas(parts: Parts, *, wide: bool) -> pd.DataFrame:
    """A pandas frame with categorical labels."""
    pandas = optional("pandas", "to_pandas")
    categorical = pandas.Categorical.from_codes
    scores = parts[VALUE]
    runs, topics = _codes(scores)
    if wide:
        values = _wide(parts)
    else:
        import numpy as np

        measures = np.arange(len(scores.measures), dtype=np.int32)
        measures = np.tile(measures, len(runs))
        runs = np.repeat(runs, len(scores.measures))
        topics = np.repeat(topics, len(scores.measures))
        values = {
            "measure": categorical(measures, list(scores.measures)),
            VALUE: scores.values.reshape(-1),
            **_further(parts),
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


def _wide(parts: Parts) -> dict[str, Any]:
    """The columns of values of a wide table: float64, (runs*topics,)."""
    measures = parts[VALUE].measures
    flat = [scores.values.reshape(-1, len(measures)) for scores in parts.values()]
    values = (part[:, i].copy() for i in range(len(measures)) for part in flat)
    return dict(zip(columns(measures, list(parts)), values, strict=True))


def _further(parts: Parts) -> dict[str, Any]:
    """The columns of a long table after that of the values."""
    return {part: s.values.reshape(-1) for part, s in parts.items() if part != VALUE}
