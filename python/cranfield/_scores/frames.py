"""Scores as tables of other libraries, each imported when first used.

What is undefined is null in Arrow and polars and NaN in pandas, as is their
custom. The parts are those of ``results.tables``.
"""

from __future__ import annotations

from cranfield._base.errors import optional
from cranfield._table.tables import VALUE, columns

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    import numpy as np
    import pandas as pd
    import polars as pl
    import pyarrow as pa
    from numpy.typing import NDArray

    from cranfield._base.scores_like import ScoresKind
    from cranfield._table.tables import Parts


def metadata(scores: ScoresKind) -> dict[str, str]:
    """The metadata of an Arrow schema: what scores were made with, and directions."""
    import json

    content = {
        "fingerprint": scores.fingerprint,
        "better": scores.better,
        "measures": list(scores.measures),
    }
    return {"cranfield": json.dumps(content, ensure_ascii=False)}


def to_arrow(parts: Parts, *, wide: bool, summary: bool = False) -> pa.Table:
    """An Arrow table with dictionary-encoded labels."""
    arrow = optional("pyarrow", "to_arrow", extra="arrow")
    scores = parts[VALUE]
    if wide or summary:
        content = {
            name: arrow.DictionaryArray.from_arrays(codes, arrow.array(names, arrow.string()))
            for name, (codes, names) in _labels(scores, wide=wide, summary=summary).items()
        }
        for name, values in _values(parts, wide=wide, summary=summary).items():
            content[name] = arrow.array(values, from_pandas=True)
        table: pa.Table = arrow.table(content)
        return table.replace_schema_metadata(metadata(scores))
    table = arrow.table(scores)
    for part, values in _further(parts).items():
        table = table.append_column(part, arrow.array(values, from_pandas=True))
    return table


def to_polars(parts: Parts, *, wide: bool, summary: bool = False) -> pl.DataFrame:
    """A polars frame with categorical labels."""
    polars = optional("polars", "to_polars")
    scores = parts[VALUE]
    if wide or summary:
        labels = {
            name: polars.Series([names[code] for code in codes], dtype=polars.Categorical)
            for name, (codes, names) in _labels(scores, wide=wide, summary=summary).items()
        }
        frame: pl.DataFrame = polars.DataFrame(labels)
        values = _values(parts, wide=wide, summary=summary)
    else:
        frame = polars.DataFrame(scores)
        values = _further(parts)
    return frame.with_columns(
        [polars.Series(name, column).fill_nan(None) for name, column in values.items()]
    )


def to_pandas(parts: Parts, *, wide: bool, summary: bool = False) -> pd.DataFrame:
    """A pandas frame with categorical labels."""
    pandas = optional("pandas", "to_pandas")
    labels = {
        name: pandas.Categorical.from_codes(codes, list(names))
        for name, (codes, names) in _labels(parts[VALUE], wide=wide, summary=summary).items()
    }
    frame: pd.DataFrame = pandas.DataFrame(labels | _values(parts, wide=wide, summary=summary))
    return frame


def _labels(
    scores: ScoresKind, *, wide: bool, summary: bool
) -> dict[str, tuple[NDArray[np.int32], Sequence[str]]]:
    """For each axis with a column the places of the labels of the rows, and the labels."""
    import numpy as np

    axes = {"run": scores.runs}
    if not summary:
        axes["topic"] = scores.topics
    if not wide:
        axes["measure"] = scores.measures
    places = np.indices([len(names) for names in axes.values()], dtype=np.int32)
    return {name: (places[i].reshape(-1), axes[name]) for i, name in enumerate(axes)}


def _values(parts: Parts, *, wide: bool, summary: bool) -> dict[str, Any]:
    """The columns of values: float64, one value a row."""
    found = {part: scores.summary() if summary else scores.values for part, scores in parts.items()}
    measures = parts[VALUE].measures
    if not wide:
        return {part: values.reshape(-1) for part, values in found.items()}
    flat = [values.reshape(-1, len(measures)) for values in found.values()]
    each = (part[:, i].copy() for i in range(len(measures)) for part in flat)
    return dict(zip(columns(measures, list(parts)), each, strict=True))


def _further(parts: Parts) -> dict[str, Any]:
    """The columns of a long table after that of the values."""
    return {part: s.values.reshape(-1) for part, s in parts.items() if part != VALUE}
