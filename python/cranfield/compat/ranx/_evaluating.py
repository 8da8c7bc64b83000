"""``evaluate`` of ranx, and its names of metrics."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

import cranfield as cf
from cranfield._base.option_types import ScoringOptions
from cranfield._core import spellings
from cranfield._scoring.evaluator import Evaluator, Hosted
from cranfield._scoring.ranked import in_given_order
from cranfield.compat.ranx._tables import Qrels, Run, label, ours, plain

Values = NDArray[np.float64]


class Metric(NamedTuple):
    """A metric of ranx in terms of cranfield's measures."""

    level: int
    """The lowest grade that counts; those below are as if they were 0."""
    measures: tuple[cf.Measure, ...]
    combine: Callable[..., Values]
    """The metric, from a column of each measure."""


RULES: dict[str, ScoringOptions] = {
    "trec_eval": {"order": "docno_desc", "negative": "unjudged"},
    "ranx": {"order": "input", "negative": "nonrelevant"},
}

_SPELLED = {theirs: ours for ours, theirs in spellings("ranx") if not theirs.startswith("rbp")}
"""ranx's names, with a cutoff of 10 or on the whole list, and the measures."""

CUT = {
    name.removesuffix("@10"): measure.removesuffix("@10")
    for name, measure in _SPELLED.items()
    if name.endswith("@10") and name != "f1@10"
}
"""The metrics that are a measure at a cutoff."""
CUT |= {f"{name}_burges": f'{CUT[name]}(dcg="exp-log2")' for name in ("dcg", "ndcg")}

WHOLE = {name: measure for name, measure in _SPELLED.items() if "@" not in name}
"""Each metric on the whole list."""
WHOLE |= {name: CUT[name] for name in CUT if name not in WHOLE}
WHOLE["hit_rate"] = f"{CUT['hit_rate']}@{2**32 - 1}"

VARIABLE = "CRANFIELD_RANX_RULES"
"""The environment variable with the rules of calls that name none."""

_chosen = [os.environ.get(VARIABLE) or "trec_eval"]


def set_rules(rules: str) -> None:
    """Chooses the rules of all calls that name none: "trec_eval" or "ranx".

    At the start they are those of the variable ``CRANFIELD_RANX_RULES``, or "trec_eval".
    Raises ``ValueError`` for others.
    """
    _chosen[:] = [_known_rules(rules)]


def _known_rules(rules: str) -> str:
    if rules not in RULES:
        raise ValueError(f"expected rules {' or '.join(RULES)}, found {rules!r}")
    return rules


_NAME = re.compile(r"(?P<name>[a-z1_-]+?)(?:@(?P<k>\d+))?(?:-l(?P<level>\d+))?")
_RBP = re.compile(r"rbp[.@](?P<p>\d+)(?:-l(?P<level>\d+))?")


def evaluate(
    qrels: Any,
    run: Any,
    metrics: str | Sequence[str],
    return_mean: bool = True,
    return_std: bool = False,
    threads: int = 0,
    save_results_in_run: bool = True,
    make_comparable: bool = False,
    *,
    rules: str | None = None,
) -> Any:
    """Scores a run as ``ranx.evaluate`` does.

    Parameters
    ----------
    qrels, run
        ``Qrels`` and ``Run``; dicts {topic: {document: value}}; or, for each
        topic in turn, an array of shape (documents, 2) with number and value,
        the run's in order of rank.
    metrics
        One name or several: ``ndcg@10``, ``map``, ``rbp.95``, ``recall@10-l2``.
    return_mean
        Means over topics; otherwise arrays, float64, shape (topics,), by topic
        for ``Qrels`` and in the order of a dict of judgments.
    return_std
        With means: {"mean": ..., "std": ...}, of the population.
    threads
        How many to use, 0 for all; scores do not depend on it.
    save_results_in_run
        Whether a ``Run`` gets ``scores``, ``mean_scores`` and ``std_scores``.
    make_comparable
        Whether topics of one side only are allowed: those that the run lacks
        count 0, those without judgments are left out.
    rules
        "trec_eval": equal scores by falling document id, and bpref passes over
        negative grades. "ranx": equal scores in the order in which they were put
        in, and a negative grade is judged not relevant. Those of ``set_rules`` if not
        given.

    Returns
    -------
    float, dict or array
        A bare value for one metric, {metric: value} for several.

    Raises
    ------
    AssertionError
        If the topics differ and ``make_comparable`` is not set, a metric is no
        text, or a cutoff is negative, as in ranx.
    ValueError
        For a metric or rules that do not exist.
    AttributeError
        For a topic of a dict that is not a dict, as in ranx.
    TypeError
        For anything else that is not judgments or no run, and with ``make_comparable``
        for topics of which some are text and some numbers.

    """
    names = metric_names(metrics)
    rules = _known_rules(_chosen[0] if rules is None else rules)
    # The scores of a run of ranx are saved in what both have.
    qrels, run = ours(qrels), ours(run)
    judged = _judged(qrels)
    scored = _scored(run)
    if make_comparable:
        _check_kinds(judged, scored)
    else:
        _check_topics(judged, scored)
    for table, value in ((judged, "grade"), (scored, "score")):
        if isinstance(table, dict):
            _check_nested(table, value)
    topics = sorted(judged.keys()) if isinstance(judged, Qrels) else list(judged)
    labels = list(map(label, topics))
    held = judged._compiled() if isinstance(judged, Qrels) else cf.Qrels(plain(judged))
    parsed = {name: parse(name, top=max(1.0, *held.grades, 1.0)) for name in names}
    found: dict[str, Values] = {}
    for level in sorted({metric.level for metric in parsed.values()}):
        wanted = [name for name, metric in parsed.items() if metric.level == level]
        measures = tuple(dict.fromkeys(m for name in wanted for m in parsed[name].measures))
        evaluator = _evaluator(judged, held, level, measures, threads, rules)
        scores = evaluator.evaluate(_as_run(scored, rules))
        values = scores.values[0]
        if list(scores.topics) != labels:
            places = {topic: place for place, topic in enumerate(scores.topics)}
            values = values[[places[label] for label in labels]]
        for name in wanted:
            columns = (values[:, measures.index(m)] for m in parsed[name].measures)
            found[name] = parsed[name].combine(*columns)
    ordered = {name: found[name] for name in names}
    if isinstance(run, Run) and save_results_in_run:
        _save(run, topics, ordered, deviation=return_mean and return_std)
    answer: dict[str, Any] = dict(ordered)
    if return_mean:
        for name, column in ordered.items():
            mean = np.mean(column)
            answer[name] = {"mean": mean, "std": np.std(column)} if return_std else mean
    return answer[names[0]] if len(names) == 1 else answer


def metric_names(metrics: str | Sequence[str]) -> list[str]:
    """One name or several as a list; raises what ranx raises for anything else."""
    try:
        names = [metrics] if isinstance(metrics, str) else list(metrics)
    except TypeError:
        raise TypeError(f"expected a metric or a list of them, found {metrics!r}") from None
    assert all(isinstance(name, str) for name in names), f"expected metrics as text, found {names}"
    return names


def parse(name: str, top: float) -> Metric:
    """What a metric's name means where the highest grade is ``top``.

    Raises ``ValueError`` for a name that ranx does not have.
    """
    if rbp := _RBP.fullmatch(name):
        p = float(f"0.{rbp['p']}")
        level = _level(name, rbp["level"])
        # Its gain is the grade itself.
        graded = cf.Measure("RBP")(p=p, max_rel=top)
        return Metric(level, (graded,), lambda values: values * top)
    if re.match(r"rbp(?![a-z_])", name):
        raise ValueError(f"expected the persistence of rbp as in rbp.95, found {name}")
    parts = _NAME.fullmatch(name)
    assert not re.search(r"@-\d", name), f"expected a cutoff of at least 0, found {name}"
    if parts is None or parts["name"] not in WHOLE:
        raise ValueError(f"expected a metric such as {', '.join(WHOLE)} or rbp.95, found {name}")
    base, k = parts["name"], int(parts["k"] or 0)
    level = _level(name, parts["level"])
    if k == 0 or base in ("r-precision", "bpref"):
        return Metric(level, (cf.Measure(WHOLE[base]),), _first)
    if base == "hits":
        return Metric(level, (cf.Measure(f"P@{k}"),), lambda precision: np.rint(precision * k))
    if base == "f1":
        return Metric(level, (cf.Measure(f"P@{k}"), cf.Measure(f"R@{k}")), _f1)
    return Metric(level, (cf.Measure(CUT[base]) @ k,), _first)


def _level(name: str, text: str | None) -> int:
    level = int(text or 1)
    if level < 1:
        raise ValueError(f"expected a relevance level of at least 1, found {name}")
    return level


def _first(values: Values) -> Values:
    return values


def _f1(precision: Values, recall: Values) -> Values:
    total = precision + recall
    return np.divide(2 * precision * recall, total, out=np.zeros_like(total), where=total > 0)


def _judged(qrels: Any) -> Qrels | dict[str, dict[str, Any]]:
    if isinstance(qrels, Run):
        raise TypeError("expected judgments, found a Run")
    if isinstance(qrels, (Qrels, dict)):
        return qrels
    return {topic: dict(rows) for topic, rows in _numbered(qrels, "judgments")}


def _scored(run: Any) -> Run | dict[str, dict[str, Any]]:
    if isinstance(run, Qrels):
        raise TypeError("expected a run, found Qrels")
    if isinstance(run, (Run, dict)):
        return run
    return {
        topic: {document: -float(rank) for rank, (document, _) in enumerate(rows)}
        for topic, rows in _numbered(run, "a run")
    }


def _numbered(arrays: Any, what: str) -> list[tuple[str, list[tuple[str, float]]]]:
    """Arrays of (number, value) as topics 0, 1, ... with documents called by their numbers."""
    found = []
    try:
        for place, array in enumerate(arrays):
            table = np.asarray(array, dtype=np.float64).reshape(-1, 2)
            rows = [(repr(number), value) for number, value in table.tolist()]
            found.append((f"{place:09}", rows))
    except (TypeError, ValueError) as error:
        raise TypeError(
            f"expected {what} as Qrels or Run, dicts or arrays of (number, value), "
            f"found {type(arrays).__name__}"
        ) from error
    return found


def _check_nested(table: dict[str, dict[str, Any]], value: str) -> None:
    """Raises what ranx raises for a topic without a dict and for text as its first value."""
    for topic, inner in table.items():
        if not isinstance(inner, dict):
            raise AttributeError(
                f"expected {{document: {value}}} for topic {topic!r}, found {type(inner).__name__}"
            )
        first = next(iter(inner.values()), None)
        if isinstance(first, str):
            raise ValueError(f"expected a number as {value} in topic {topic!r}, found {first!r}")
        if isinstance(first, dict):
            raise TypeError(
                f"expected a {value} for document {next(iter(inner))!r} of topic {topic!r}, "
                "found an object of type dict"
            )


def _check_kinds(judged: Any, scored: Any) -> None:
    """Raises ``TypeError`` for topics of two types, such as 1 and "1", which are never the same."""
    text = {isinstance(topic, str) for table in (judged, scored) for topic in table}
    if len(text) > 1:
        raise TypeError("expected topics of one type in judgments and run, found text and numbers")


def _check_topics(judged: Any, scored: Any) -> None:
    judged_topics, run_topics = set(judged.keys()), set(scored.keys())
    if judged_topics == run_topics:
        return
    example = min(judged_topics ^ run_topics, key=lambda topic: (not isinstance(topic, str), topic))
    side = "the run" if example in judged_topics else "the judgments"
    raise AssertionError(
        f"Qrels and Run query ids do not match: {side} lacks {example!r}. Pass "
        "make_comparable=True to add empty results for queries missing from the run and "
        "remove those not appearing in qrels."
    )


def _evaluator(
    judged: Qrels | dict[str, dict[str, Any]],
    held: cf.Qrels,
    level: int,
    measures: tuple[cf.Measure, ...],
    threads: int,
    rules: str,
) -> Evaluator:
    """Compiled once for a ``Qrels``, until it changes."""
    evaluators = judged._evaluators if isinstance(judged, Qrels) else {}
    key = (level, measures, threads, rules)
    if key not in evaluators:
        evaluators[key] = Hosted(
            _from_level(held, level),
            measures,
            negative=RULES[rules]["negative"],
            threads=threads or None,
        )
    return evaluators[key]


def _from_level(judged: cf.Qrels, level: int) -> cf.Qrels:
    """The judgments with grades below a level as if they were 0."""
    if level == 1:
        return judged
    return cf.Qrels(
        {
            topic: {d: min(grade, 0.0) if grade < level else grade for d, grade in grades.items()}
            for topic, grades in judged.to_dict().items()
        }
    )


def _as_run(scored: Run | dict[str, dict[str, Any]], rules: str) -> Any:
    """The run as cranfield takes it."""
    if RULES[rules]["order"] == "input":
        return in_given_order(plain(scored._held() if isinstance(scored, Run) else scored))
    if isinstance(scored, Run):
        return scored._native if scored._native is not None else {"run": plain(scored._held())}
    return {"run": plain(scored)}


def _save(run: Run, topics: list[str], found: dict[str, Values], *, deviation: bool) -> None:
    """Leaves the scores in the run, as numpy's numbers, as in ranx."""
    for name, column in found.items():
        mean: Any = np.mean(column)
        run.mean_scores[name] = mean
        if deviation:
            spread: Any = np.std(column)
            run.std_scores[name] = spread
        run.scores[name].update(zip(topics, column, strict=True))
