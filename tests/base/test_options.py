"""Options of a wrong type: an ``Error`` that names the option, in every public function.

What is tried is made from the signatures, so a new option is tried by itself. A function
needs arguments that work, in ``CALLS``; ``test_arguments.py`` fails for one that has none,
and tries every argument of all.
"""

from __future__ import annotations

import enum
import inspect
from collections.abc import Callable, Iterator
from typing import Any

import cranfield as cf
import numpy as np
import pytest
from cranfield import (
    abstention,
    answers,
    battles,
    collection,
    curves,
    fairness,
    judges,
    meta,
    oneclick,
    sessions,
    stats,
)
from cranfield._base import option_types

JUDGED = {str(t): {"a": 1, "b": 0, "c": 2} for t in range(1, 6)}
SCORED = {
    name: {str(t): {"a": (t * k) % 7 + 0.5, "b": (t + k) % 5 + 0.25, "d": 1.0} for t in range(1, 6)}
    for k, name in enumerate(("x", "y", "z"), 1)
}
QRELS = cf.Qrels(JUDGED, docs_in_collection=100)
RUN = cf.Run(SCORED["x"], name="x")
SCORES = cf.evaluate(QRELS, SCORED, "AP")
RANKED = collection.rank(QRELS, SCORED, keep_unjudged=True)
TESTED = stats.t_test(SCORES)
BOOTSTRAPPED = stats.bootstrap_test(SCORES, resamples=50)
TUKEY = stats.tukey_hsd(SCORES)
EVALUATOR = cf.Evaluator(QRELS, "AP")
BOUNDS = cf.bounds(QRELS, SCORED, "AP")
COMPARED = SCORES.compare()
COMPARED = cf.compare(QRELS, SCORED, "AP", bounds=False)
DESCRIBED = cf.describe(QRELS, SCORED)
SWEEP = meta.sweep(SCORED, QRELS, [1, 2], [1, 2], ["P"])
ARRAYS = (["1"], np.array([[1, 2]]), np.array([[2.0, 1.0]]))
REPORT = answers.ReportCounts(**dict.fromkeys(answers.ReportCounts.__dataclass_fields__, 1))
COLUMNS = (["1", "1"], ["a", "b"], [2.0, 1.0])


class Colour(enum.Enum):
    RED = 1


class Odd:
    def __repr__(self) -> str:
        raise ValueError("it cannot be printed")


Call = tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any]]


def call(function: Callable[..., Any], *arguments: Any, **options: Any) -> Call:
    return function, arguments, options


CALLS: list[Call] = [
    call(cf.evaluate, QRELS, SCORED, "AP"),
    call(cf.Evaluator, QRELS, "AP"),
    call(EVALUATOR.bounds, SCORED),
    call(cf.bounds, QRELS, SCORED, "AP"),
    call(cf.tie_bounds, QRELS, SCORED, "AP"),
    call(cf.compare, QRELS, SCORED, "AP"),
    call(cf.diff, QRELS, SCORED["x"], SCORED["y"], "AP"),
    call(cf.report, QRELS, SCORED, "AP"),
    call(cf.measure, "own", better="higher"),
    call(cf.describe, QRELS, SCORED),
    call(cf.preferences, QRELS, SCORED),
    call(cf.read_runs, [RUN]),
    call(cf.Limits),
    call(cf.Qrels, JUDGED),
    call(cf.Qrels.from_arrays, *COLUMNS),
    call(cf.Qrels.from_rows, *COLUMNS),
    call(cf.Qrels.from_intents, {"1": {"x": {"a": 1}}}),
    call(cf.Qrels.from_arrays, ["1"], *COLUMNS[1:], offsets=[0, 2]),
    call(cf.Run.from_arrays, ["1"], *COLUMNS[1:], offsets=[0, 2]),
    call(cf.Run, SCORED["x"]),
    call(cf.Run.from_arrays, *COLUMNS),
    call(cf.Run.from_rows, *COLUMNS),
    call(cf.Run.from_rankings, {"1": ["a"]}),
    call(cf.Run.from_topk, *ARRAYS),
    call(cf.Run.from_hits, {"1": [{"_id": "a", "_score": 1.0}]}),
    call(SCORES.sel),
    call(BOUNDS.sel),
    call(SCORES.std),
    call(SCORES.top, 2),
    call(SCORES.to_markdown),
    call(SCORES.to_latex),
    call(BOUNDS.top, 2),
    call(BOUNDS.to_markdown),
    call(BOUNDS.to_latex),
    call(COMPARED.to_markdown),
    call(COMPARED.to_latex),
    call(DESCRIBED.to_markdown),
    call(DESCRIBED.to_latex),
    call(SCORES.to_arrow),
    call(SCORES.to_pandas),
    call(SCORES.to_polars),
    call(SCORES.plot.topics, "x"),
    call(SCORES.plot.differences, "x", "y"),
    call(SCORES.plot.heatmap),
    call(SCORES.plot.forest),
    call(COMPARED.plot.forest),
    call(collection.rank, QRELS, SCORED),
    call(collection.pool, SCORED),
    call(collection.reduce, QRELS, 0.5),
    call(collection.decide, QRELS, RUN, {topic: {"u": 1.0} for topic in RUN}, "P@2"),
    call(collection.pool_to_depth, QRELS, RANKED, 2),
    call(collection.sample_collection, RANKED, 0.5),
    call(collection.leave_out, QRELS, RANKED, ["p", "q", "q"]),
    call(curves.precision_recall, QRELS, RUN),
    call(curves.roc, QRELS, RUN),
    call(stats.t_test, SCORES),
    call(stats.wilcoxon, SCORES),
    call(stats.sign_test, SCORES),
    call(stats.randomization_test, SCORES),
    call(stats.bootstrap_test, SCORES, resamples=50),
    call(stats.tukey_hsd, SCORES),
    call(stats.mean_interval, SCORES),
    call(stats.rank_interval, SCORES, resamples=50),
    call(stats.borda, [[1.0, 2.0], [2.0, 1.0]]),
    call(stats.correct, [0.01, 0.04]),
    call(stats.kendall, [1, 2, 3], [1, 3, 2]),
    call(stats.tau_ap, [1, 2, 3], [1, 3, 2]),
    call(stats.spearman, [1, 2, 3], [1, 3, 2]),
    call(stats.max_drop, [1, 2, 3], [1, 3, 2]),
    call(stats.rbo, ["a", "b"], ["b", "a"]),
    call(stats.correlation_matrix, [[1.0, 2.0], [2.0, 1.0], [3.0, 4.0]]),
    call(stats.cohen_kappa, [1, 2, 1], [1, 2, 2]),
    call(stats.mean_kappa, {"p": [1, 2, 1], "q": [1, 2, 2]}),
    call(stats.label_counts, [[1, 2, 1], [1, 2, 2]]),
    call(stats.krippendorff_alpha, [[1, 2, 1], [1, 2, 2]]),
    call(TESTED.confidence_interval),
    call(TESTED.corrected),
    call(TESTED.significant),
    call(TESTED.discriminative_power),
    call(TESTED.effect_size),
    call(TESTED.matrix),
    call(BOOTSTRAPPED.required_difference),
    call(BOOTSTRAPPED.required_differences),
    call(TUKEY.required_difference),
    call(TUKEY.confidence_interval),
    call(stats.pearson([1, 2, 3, 4.5], [1, 3, 2, 4]).confidence_interval),
    call(stats.cohen_kappa([1, 2, 1], [1, 2, 2]).confidence_interval),
    call(meta.discriminative_power, SCORES),
    call(meta.standardize, SCORES),
    call(meta.correlation, cf.evaluate(QRELS, SCORED, "AP P@2")),
    call(meta.predictivity, cf.evaluate(QRELS, SCORED, "AP P@2")),
    call(meta.swap_rate, SCORES),
    call(meta.topic_set_size, SCORES, [2, 3]),
    call(meta.incompleteness, QRELS, SCORED, "AP", [0.5], samples=2),
    call(meta.imperfection, QRELS, SCORED, "AP", [0.5], samples=2),
    call(meta.g_study(SCORES).relative),
    call(meta.g_study(SCORES).absolute),
    call(SWEEP.power, "P"),
    call(sessions.sdcg, [[1.0, 0.0], [1.0]]),
    call(sessions.nsdcg, [[1.0, 0.0], [1.0]], [1.0, 1.0]),
    call(fairness.awrf, ["a"], {"a": {"g": 1.0}}, {"g": 1.0}),
    call(answers.citation_support, [["full"]]),
    call(answers.nugget_recall, [("vital", "support")]),
    call(answers.rubric_score, [(1.0, "satisfied")]),
    call(answers.argue, {"r": {"1": REPORT}}),
    call(answers.argue_totals, {"r": {"1": REPORT}}),
    call(battles.bradley_terry, [("a", "b", None)] * 9, resamples=3),
    call(judges.order, SCORES, SCORES),
    call(judges.fidelity, SCORES, SCORES),
    call(judges.favours, SCORES, SCORES),
    call(judges.group_favours, SCORES, SCORES, {"x": "p", "y": "q", "z": "q"}),
    call(judges.compare, QRELS, QRELS, SCORED, "AP", resamples=3),
    call(stats.ppi_mean, [0.1, 0.2], [0.1, 0.3], [0.1, 0.2]),
    call(stats.ppi_difference, [[0.1, 0.2]] * 2, [[0.1, 0.3]] * 2, [[0.1, 0.2]] * 2),
    call(stats.copeland, [[1.0, 2.0], [2.0, 1.0]]),
    call(stats.condorcet_winner, [[1.0, 2.0], [2.0, 1.0]]),
    call(oneclick.score, {"n": (1.0, 5)}, (10, {"n": 3}), L=100),
    call(abstention.nauc, [0.1, 0.2, 0.9], [0.2, 0.3, 0.8]),
]

WRONG: dict[str, Any] = {
    "huge": 10**5000,
    "-huge": -(10**400),
    "object": object(),
    "unprintable": Odd(),
    "enum": Colour.RED,
    "bytes": b"abc",
    "text": "no such thing",
    "empty": "",
    "half a character": "\udcff",
    "nan": float("nan"),
    "infinite": float("inf"),
    "fraction": 1.5,
    "negative": -3,
    "ragged": [[1, 2], [3]],
    "list": ["a", 1],
    "dict": {"a": 1},
    "array": np.array([1, 2, 3]),
    "complex": 1 + 2j,
    "numpy nan": np.float64("nan"),
    "numpy text": np.str_("no such thing"),
    "numpy bool": np.True_,
    "true": True,
    "function": len,
    "class": int,
    "none": None,
}
"""None of these is right everywhere; where one is, the function takes it."""

NEVER = ("object", "unprintable", "enum", "complex", "class")
"""Values that no option takes."""

CALLED = ("progress", "document", "query")
"""Options that are functions of the user's, whose exceptions are the user's."""

ELSE = ("label", "measure", "parameter", "io", "missing")
"""Kinds of errors that quote what was given where the option is named in other words."""

FREE = {
    # Anything true turns progress on; anything with a hash is a label.
    "progress",
    "labels",
}


def options_of(function: Callable[..., Any]) -> Iterator[str]:
    """The options of a function: what has a default, or has to be named."""
    for parameter in inspect.signature(function).parameters.values():
        if parameter.kind is parameter.VAR_KEYWORD and "Unpack" in str(parameter.annotation):
            # Named in the order of the core's table.
            kind = str(parameter.annotation).removeprefix("Unpack[").removesuffix("]")
            yield from getattr(option_types, kind).__annotations__
        if parameter.kind in (parameter.VAR_KEYWORD, parameter.VAR_POSITIONAL):
            continue
        if parameter.default is not parameter.empty or parameter.kind is parameter.KEYWORD_ONLY:
            yield parameter.name


def name_of(function: Any) -> str:
    return f"{getattr(function, '__module__', '')}.{function.__qualname__}".removeprefix(
        "cranfield."
    )


CASES = [
    pytest.param(function, arguments, options, option, id=f"{name_of(function)}-{option}")
    for function, arguments, options in CALLS
    for option in options_of(function)
    if option not in ("ax", "measures", "runs", "b")
    and (option != "offsets" or "offsets" in options)
]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("function", "arguments", "options", "option"), CASES)
def test_a_wrong_option_is_named(
    function: Callable[..., Any], arguments: tuple[Any, ...], options: dict[str, Any], option: str
) -> None:
    trouble = []
    for what, value in WRONG.items():
        if callable(value) and option in CALLED:
            continue
        named = inspect.signature(function).parameters.get(option)
        if value is None and (named is None or named.default is None):
            continue
        try:
            function(*arguments, **{**options, option: value})
        except cf.Error as error:
            if option.rstrip("s") not in str(error) and error.kind not in ELSE:
                trouble.append(f"{what}: does not name it: {error}")
        except Exception as error:
            trouble.append(f"{what}: {type(error).__name__}: {str(error)[:200]}")
        else:
            if what in NEVER and option not in FREE:
                trouble.append(f"{what}: is taken")
    assert not trouble, "\n".join(trouble)
