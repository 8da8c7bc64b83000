"""Rubrics: criteria that weigh something, for or against an answer, each with a verdict."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeAlias, overload

from cranfield._analysis import answer_records as records
from cranfield._base.errors import failure
from cranfield._base.options import checked, number, several
from cranfield._io.small_files import Line, PathsLike
from cranfield._scores.scores import Scores

Criteria: TypeAlias = Iterable[tuple[float, str] | tuple[float, str, str]]
Judged: TypeAlias = tuple[float, str, str]
"""The weight of a criterion, its verdict and its tier."""

VERDICTS = {
    "satisfied": 1.0,
    "partially_satisfied": 0.5,
    "not_satisfied": 0.0,
    "failed": 0.0,
}
"""How far an answer satisfies a criterion."""

LOWEST = "not_satisfied"
"""What an unknown verdict counts as, if it is not an error."""

MANDATORY = "mandatory"
"""The tier of criteria that an answer has to satisfy."""


@dataclass(frozen=True, slots=True, repr=False)
class RubricScore(records.Values):
    """How far an answer satisfies its rubric."""

    score: float
    """The weights of what is satisfied, half of them where partially, over all weights above 0.

    NaN if no weight is above 0.
    """
    binary: float
    """The same, where what is partially satisfied counts nothing."""
    n_mandatory_fail: int = field(metadata=records.LOWER)
    """How many mandatory criteria are not fully satisfied."""


@overload
def rubric_score(
    criteria: Criteria, *, missing: str = ..., unknown_labels: str = ...
) -> RubricScore: ...
@overload
def rubric_score(
    criteria: PathsLike | Mapping[str, Mapping[str, Criteria]],
    *,
    missing: str = ...,
    unknown_labels: str = ...,
) -> Scores: ...
@checked
def rubric_score(
    criteria: Any, *, missing: str = records.MISSING[0], unknown_labels: str = records.ERROR
) -> Any:
    """How far answers satisfy their rubrics.

    >>> rubric_score([(4, "satisfied"), (2, "partially_satisfied"), (3, "not_satisfied"),
    ...               (-3, "satisfied"), (-1, "not_satisfied")])
    RubricScore(score=0.222, binary=0.111, n_mandatory_fail=0)

    Parameters
    ----------
    criteria
        Of one answer, for each criterion its weight, which may be below 0, and ``"satisfied"``,
        ``"partially_satisfied"``, ``"not_satisfied"`` or ``"failed"``; a third entry
        ``"mandatory"`` makes it mandatory. Or files as ``read_rubrics`` reads them, or {run:
        {topic: criteria}}.
    missing
        As for ``nugget_recall``.
    unknown_labels
        What a verdict is that is none of these words: an "error", or "not_satisfied", as RAGDoll
        counts it. A ``CranfieldWarning`` then says how many there were.

    Returns
    -------
    RubricScore or Scores
        Of one answer its values; of several scores with a measure for each.

    Raises
    ------
    Error
        Kind "option" for another word, "number" for a weight that is no finite number; of files
        as ``read_rubrics``.

    Notes
    -----
    As RAGDoll computes them for TREC's RAG track, where they are called ``ternary_score`` and
    ``binary_score``. A failed verdict counts as not satisfied.

    """
    labels = records.Labels(VERDICTS, LOWEST, unknown_labels)
    return records.scored(
        criteria,
        "criteria",
        RubricScore,
        of_files=lambda path: records.read(path, partial(_of_record, labels)),
        of_one=lambda own: several(own, "criteria", lambda one, _: _given(one, labels)),
        values=_values,
        missing=missing,
        labels=labels,
    )


def read_rubrics(
    path: PathsLike, *, unknown_labels: str = records.ERROR
) -> dict[str, dict[str, list[tuple[float, str, str]]]]:
    """Reads the verdicts on the criteria of answers from files of JSON lines, as RAGDoll has them.

    A line is an object with a topic (``qid`` and the like), ``criteria`` or ``rubrics`` (each
    with ``weight``, ``verdict`` and, where there are some, ``tier``) and, if it names the run,
    ``run_id``.

    Parameters
    ----------
    path
        As for ``read_nuggets``.
    unknown_labels
        As for ``rubric_score``.

    Returns
    -------
    dict
        Run (``"run"`` where a line names none) to topic to what ``rubric_score`` takes.

    Raises
    ------
    Error
        As ``read_nuggets``, and for a weight that is no finite number (kind "number").

    """
    labels = records.Labels(VERDICTS, LOWEST, unknown_labels)
    return records.by_run(records.read(path, partial(_of_record, labels), "run"), labels)


def _verdict(found: Any) -> Any:
    """A verdict as RAGDoll compares it: "Partially satisfied" is ``partially_satisfied``."""
    return found.strip().lower().replace(" ", "_") if isinstance(found, str) else found


def _given(criterion: Any, labels: records.Labels) -> Judged:
    """A criterion as its caller has it."""
    parts = tuple(criterion) if isinstance(criterion, (tuple, list)) else ()
    if len(parts) not in (2, 3):
        message = f"expected (weight, verdict) for a criterion, found {criterion!r}"
        raise failure("type", message)
    tier = parts[2] if len(parts) == 3 else ""
    return number(parts[0], "weight"), labels.of(_verdict(parts[1]), "verdict"), tier


def _of_record(labels: records.Labels, record: dict[str, Any], _: str, place: Line) -> list[Judged]:
    """The criteria of an object."""
    found = []
    name, criteria = records.listed(record, ("criteria", "rubrics"), place)
    for place_in_list, criterion in enumerate(criteria):
        key = f"{name}[{place_in_list}]"
        weight, verdict = (
            records.entry(criterion, name, key, place) for name in ("weight", "verdict")
        )
        is_number = isinstance(weight, (int, float)) and not isinstance(weight, bool)
        if not is_number or not math.isfinite(weight):
            message = f"{key}.weight: expected a finite number, found {weight!r}"
            raise place.error("number", message)
        tier = criterion.get("tier")
        if tier is not None and not isinstance(tier, str):
            raise place.wrong(f"{key}.tier", "text", tier)
        label = labels.of(_verdict(verdict), f"{key}.verdict", place)
        found.append((float(weight), label, tier or ""))
    return found


def _values(criteria: Iterable[Judged]) -> Sequence[float]:
    total = strict = positive = 0.0
    failed = 0
    for weight, verdict, tier in criteria:
        held = VERDICTS[verdict]
        total += weight * held
        strict += weight * (held == 1.0)
        positive += weight if weight > 0 else 0.0
        failed += tier == MANDATORY and held < 1.0
    if not positive:
        return math.nan, math.nan, failed
    return total / positive, strict / positive, failed
