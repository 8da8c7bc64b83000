"""Any sequence of calls on judgments, runs and scores keeps what they say of each other.

``CRANFIELD_STEPS`` says how many sequences are tried, of some thirty calls each.
"""

from __future__ import annotations

import os
import pickle
from contextlib import suppress
from typing import Any

import cranfield as cf
import numpy as np
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

SEQUENCES = int(os.environ.get("CRANFIELD_STEPS", "40"))
IDS = st.sampled_from(["a", "b", "c", "d", "é", "=1+1", "\x1b[1m", "1"])
TOPICS = st.sampled_from(["1", "2", "x\u202e"])
JUDGED = st.dictionaries(
    TOPICS, st.dictionaries(IDS, st.integers(-1, 3), min_size=1), min_size=1, max_size=3
)
LISTED = st.dictionaries(
    TOPICS, st.dictionaries(IDS, st.floats(-1e6, 1e6), min_size=1), min_size=1, max_size=3
)
MEASURES = st.sampled_from(["AP", "nDCG@2", "P@1 RR", "bpref", "num_ret"])


class Calls(RuleBasedStateMachine):
    """Objects, and beside them the plain dicts that they were made of."""

    def __init__(self) -> None:
        super().__init__()
        self.runs: dict[str, dict[str, dict[str, float]]] = {}
        self.scores: list[cf.Scores] = []

    @initialize(judged=JUDGED, measures=MEASURES)
    def begin(self, judged: dict[str, dict[str, int]], measures: str) -> None:
        self.judged = judged
        self.qrels = cf.Qrels(judged)
        # A run without a topic of the judgments is an error of its own.
        self.evaluator = cf.Evaluator(self.qrels, measures, missing="skip")

    @rule(name=st.sampled_from("uvw"), listed=LISTED)
    def add(self, name: str, listed: dict[str, dict[str, float]]) -> None:
        self.runs[name] = listed

    @rule()
    def evaluate(self) -> None:
        if self.runs:
            runs = [cf.Run(listed, name=name) for name, listed in self.runs.items()]
            found = self.evaluator.evaluate(runs)
            alone = self.evaluator.evaluate(self.runs)
            np.testing.assert_array_equal(found.values, alone.values)
            self.scores = [*self.scores[-3:], found]

    @rule(pick=st.randoms(use_true_random=False))
    def select(self, pick: Any) -> None:
        if self.scores:
            scores = pick.choice(self.scores)
            run = pick.choice(list(scores.runs))
            part = scores.sel(run=[run])
            place = list(scores.runs).index(run)
            np.testing.assert_array_equal(part.values[0], scores.values[place])

    @rule()
    def pickled(self) -> None:
        self.qrels = pickle.loads(pickle.dumps(self.qrels))
        self.evaluator = pickle.loads(pickle.dumps(self.evaluator))
        self.scores = pickle.loads(pickle.dumps(self.scores))

    @rule(judged=JUDGED)
    def refused(self, judged: dict[str, dict[str, int]]) -> None:
        wrongs: tuple[Any, ...] = ({"1": {"a": float("nan")}}, {"1": 3}, {1.5: {}})
        for wrong in wrongs:
            with suppress(cf.Error):
                self.evaluator.evaluate({"x": wrong})

    @invariant()
    def judgments_are_what_they_were(self) -> None:
        if hasattr(self, "qrels"):
            assert self.qrels.to_dict() == self.judged

    @invariant()
    def scores_are_finite_or_missing(self) -> None:
        for scores in self.scores:
            assert scores.values.shape == (
                len(scores.runs),
                len(scores.topics),
                len(scores.measures),
            )
            assert not np.isinf(scores.values).any()


Calls.TestCase.settings = settings(
    max_examples=SEQUENCES,
    stateful_step_count=30,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
TestCalls = Calls.TestCase
