"""Rubrics: criteria that weigh something, for or against an answer, each with a verdict."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, TypeAlias, overload

from cranfield._analysis import answer_records as records
from cranfield._base.errors import failure
from cranfield._base.options import checked, number, several

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from cranfield._io.small_files import Line, PathsLike
    from cranfield._scores.scores import Scores

    Criteria: TypeAlias = Iterable[tuple[float, str] | tuple[float, str, str]]
    Judged: TypeAlias = tuple[float, float, bool]
    """Weight, how far a criterion is satisfied, and whether it is mandatory."""

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
class RubricScore(records.Shown):
    """How far an answer satisfies its rubric."""

    score: float
    """The weights of what is satisfied, half of them where partially, over all weights above 0.

    NaN if no weight is above 0.
    """
    binary: float
    """The same, where what is partially satisfied counts nothing."""
    n_mandatory_fail: int
    """How many mandatory criteria are not fully satisfied."""


COLUMNS = [
    records.column("score"),
    records.column("binary"),
    records.column("n_mandatory_fail", "lower"),
]
"""The columns of scores."""


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

    def judged(own: Any) -> list[Judged]:
        return several(own, "criteria", lambda one, _: _given(one, labels))

    if records.is_paths(criteria):
        found = (
            (place, run, topic, _of_record(record, place, labels)[0])
            for place, run, topic, record in records.answers(criteria)
        )
        return records.scores_of(found, _values, COLUMNS, missing, labels)
    if hasattr(criteria, "items"):
        answered = records.of_mapping(criteria, "criteria", judged)
        return records.scores_of(answered, _values, COLUMNS, missing, labels)
    score, binary, failed = _values(judged(criteria))
    labels.tell()
    return RubricScore(score, binary, int(failed))


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
    found = records.by_run(
        (place, run, topic, _of_record(record, place, labels)[1])
        for place, run, topic, record in records.answers(path, "run")
    )
    labels.tell()
    return found


def _verdict(found: Any) -> Any:
    """A verdict as RAGDoll compares it: "Partially satisfied" is ``partially_satisfied``."""
    return found.strip().lower().replace(" ", "_") if isinstance(found, str) else found


def _given(criterion: Any, labels: records.Labels) -> Judged:
    """What a criterion stands for."""
    parts = tuple(criterion) if isinstance(criterion, (tuple, list)) else ()
    if len(parts) not in (2, 3):
        message = f"expected (weight, verdict) for a criterion, found {criterion!r}"
        raise failure("type", message)
    tier = parts[2] if len(parts) == 3 else ""
    weight = number(parts[0], "weight")
    return weight, VERDICTS[labels.of(_verdict(parts[1]), "verdict")], tier == MANDATORY


def _of_record(
    record: dict[str, Any], place: Line, labels: records.Labels
) -> tuple[list[Judged], list[tuple[float, str, str]]]:
    """What the criteria of an object stand for, and their words."""
    found, words = [], []
    name, criteria = records.listed(record, ("criteria", "rubrics"), place)
    for place_in_list, criterion in enumerate(criteria):
        key = f"{name}[{place_in_list}]"
        for wanted in ("weight", "verdict"):
            if wanted not in criterion:
                raise place.error("fields", f"{key}: expected the key {wanted}")
        weight = criterion["weight"]
        is_number = isinstance(weight, (int, float)) and not isinstance(weight, bool)
        if not is_number or not math.isfinite(weight):
            message = f"{key}.weight: expected a finite number, found {weight!r}"
            raise place.error("number", message)
        tier = criterion.get("tier")
        if tier is not None and not isinstance(tier, str):
            raise place.wrong(f"{key}.tier", "text", tier)
        verdict = labels.of(_verdict(criterion["verdict"]), f"{key}.verdict", place)
        found.append((float(weight), VERDICTS[verdict], tier == MANDATORY))
        words.append((float(weight), verdict, tier or ""))
    return found, words


def _values(criteria: Iterable[Judged]) -> Sequence[float]:
    total = strict = positive = 0.0
    failed = 0
    for weight, held, mandatory in criteria:
        total += weight * held
        strict += weight * (held == 1.0)
        positive += weight if weight > 0 else 0.0
        failed += mandatory and held < 1.0
    if not positive:
        return math.nan, math.nan, failed
    return total / positive, strict / positive, failed
