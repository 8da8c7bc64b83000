"""A small collection, and scores as records, for tests of results."""

import numpy as np

QRELS: dict[str, dict[str, float]] = {
    "1": {"a": 1, "b": 0},
    "2": {"a": 1, "c": 0},
    "10": {"b": 1, "a": 0},
}
RUNS = {
    "old": {"1": {"b": 2, "a": 1}, "2": {"c": 2, "a": 1}, "10": {"b": 1}},
    "new": {"1": {"a": 1}, "2": {"a": 1}, "10": {"a": 2, "b": 1}},
}

RECORDS = [
    ("r1", "1", "map", 0.5),
    ("r1", "2", "map", 0.25),
    ("r1", "10", "map", 0.0),
    ("r2", "1", "map", 1.0),
    ("r2", "10", "map", 0.5),
    ("r1", "1", "cost", 3.0),
]


def equal(a: np.ndarray, b: np.ndarray) -> bool:
    return np.array_equal(a, b, equal_nan=True)
