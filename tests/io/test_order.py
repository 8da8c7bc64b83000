"""Documents of equal score: which comes first, in every form of input."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import cranfield as cf
import numpy as np
import polars as pl
import pytest

LISTED = ["b", "d", "c", "a"]
"""All with one score, in an order that is neither up nor down."""

ORDERS = {
    "docno_desc": ["d", "c", "b", "a"],
    "docno_asc": ["a", "b", "c", "d"],
    "input": LISTED,
}


def written(folder: Path) -> str:
    (folder / "run").write_text("".join(f"1 Q0 {document} 0 1 x\n" for document in LISTED))
    return str(folder / "run")


FORMS: dict[str, Callable[[Path], Any]] = {
    "dict": lambda _: {"1": dict.fromkeys(LISTED, 1.0)},
    "integers": lambda _: {"1": dict.fromkeys(LISTED, 1)},
    "file": written,
    "stream": lambda folder: open(written(folder), "rb"),  # noqa: SIM115
    "run": lambda folder: cf.read_run(written(folder)),
    "arrays": lambda _: cf.Run.from_arrays(["1"] * 4, LISTED, np.ones(4)),
    "frame": lambda _: pl.DataFrame({"topic": ["1"] * 4, "doc": LISTED, "score": [1.0] * 4}),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("order", ORDERS)
def test_equal_scores_are_ordered_as_asked(form: str, order: Any, tmp_path: Path) -> None:
    ranks = {}
    for document in LISTED:
        run = FORMS[form](tmp_path)
        found = cf.evaluate({"1": {document: 1}}, run, "RR", order=order)
        ranks[document] = round(1 / found.values[0, 0, 0])
        if form == "stream":
            run.close()
    assert sorted(ranks, key=lambda document: ranks[document]) == ORDERS[order]
    assert sorted(ranks.values()) == [1, 2, 3, 4]


@pytest.mark.parametrize("order", ["docno_desc", "docno_asc"])
def test_integers_are_ordered_as_their_decimal_text(order: Any) -> None:
    documents = np.array([9, 10, 2, 30])
    run = cf.Run.from_arrays(np.ones(4, dtype=np.int64), documents, np.ones(4))
    ranks = {
        text: round(1 / cf.evaluate({"1": {text: 1}}, run, "RR", order=order).values[0, 0, 0])
        for text in map(str, documents.tolist())
    }
    expected = sorted(ranks, reverse=order == "docno_desc")
    assert sorted(ranks, key=lambda text: ranks[text]) == expected
