"""Short lists in dicts, five measures: cranfield and its pytrec_eval face beside pytrec_eval.

As in training loops: one topic, fifty, thousands. The face's results are compared to
the last bit, ours within rounding, before any time is. Times are processor time of one
thread, the medians of rounds in which the sides take turns; short calls are repeated.
"""

from __future__ import annotations

from functools import partial

import cranfield as cf
import numpy as np
import pytest
import pytrec_eval as host
from cranfield._bench.shapes import MadeUp, Shape
from cranfield.compat import pytrec_eval as face
from test_dicts import touch
from turns import medians

MEASURES = {
    "ndcg_cut.10": "nDCG@10",
    "map": "AP",
    "recip_rank": "RR",
    "P.10": "P@10",
    "recall.100": "R@100",
}

WANTED = {
    "1x10x200": (1.0, 0.5),
    "50x10x200": (8.0, 4.0),
    "10000x10": (10.0, 4.0),
    "1000x100x200": (30.0, 12.0),
}
"""How many times as long as cranfield, and as its face, pytrec_eval shall take."""

SHORTFALL = 0.4
"""The part of it that it has to take at least: see BIAS.md for where the time goes."""


@pytest.mark.parametrize("shape", WANTED)
def test_short_lists(shape: str) -> None:
    material = MadeUp(Shape.parse(shape))
    qrels = material.qrels
    (run,) = material.runs.values()
    theirs, faced = (side.RelevanceEvaluator(qrels, set(MEASURES)) for side in (host, face))
    ours = cf.Evaluator(qrels, list(MEASURES.values()), threads=1)
    expected = theirs.evaluate(run)
    assert faced.evaluate(run) == expected
    found = ours.evaluate(run)
    for name, measure in MEASURES.items():
        values = [expected[topic][name.replace(".", "_")] for topic in found.topics]
        np.testing.assert_allclose(found["run", measure], values, rtol=1e-12, atol=1e-14)
    calls = [partial(side.evaluate, run) for side in (ours, faced, theirs)]
    us, its_face, them, least = medians(*calls, partial(touch, run))
    print(
        f"\n{shape}: cranfield {us * 1e6:.1f} us, its face {its_face * 1e6:.1f}, pytrec_eval "
        f"{them * 1e6:.1f}: {them / us:.1f} and {them / its_face:.1f} times, where join of "
        f"the keys and sum of the values take {least * 1e6:.1f}"
    )
    assert them / us >= SHORTFALL * WANTED[shape][0]
    assert them / its_face >= SHORTFALL * WANTED[shape][1]
