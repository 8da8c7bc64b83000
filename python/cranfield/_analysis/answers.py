"""Answers that were judged: their nuggets, their citations, and the criteria of a rubric.

Nuggets are the facts that a good answer holds. Of citations it is judged how far the documents that
an answer cites support its sentences. Criteria weigh something, for or against an answer, each with
a verdict.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias, overload

from cranfield import _core
from cranfield._analysis import answer_records as records
from cranfield._base.errors import failure
from cranfield._base.options import checked, number, one_of, several
from cranfield._io import small_files
from cranfield._io.small_files import Line, OneValue, PathsLike
from cranfield._scores.scores import Scores

Nuggets: TypeAlias = Iterable[tuple[str, str]]
Bank: TypeAlias = dict[str, dict[str, str]]
"""The importance of nuggets by topic and text."""

IMPORTANCE = {"vital": 1.0, "okay": 0.5, "failed": 0.0}
"""How much a nugget weighs in the weighted means."""

ASSIGNMENT = {"support": 1.0, "partial_support": 0.5, "not_support": 0.0, "failed": 0.0}
"""How much of a nugget an answer holds."""


LOWEST = {"nuggets": "not_support", "rubrics": "not_satisfied"}
"""What an unknown label counts as, if it is not an error."""


@dataclass(frozen=True, slots=True, repr=False)
class NuggetRecall(records.Values):
    """The proportions of an answer's nuggets that it holds, from 0 to 1."""

    strict_vital: float
    """Of the vital nuggets those with full support; 0 where there is none."""
    strict_all: float
    """Of all nuggets those with full support."""
    vital: float
    """As ``strict_vital``, where partial support counts one half."""
    all: float
    """As ``strict_all``, where partial support counts one half."""
    strict_weighted: float
    """As ``strict_all``, where an okay nugget weighs half as much as a vital one."""
    weighted: float
    """As ``all``, where an okay nugget weighs half as much as a vital one."""


@overload
def nugget_recall(
    nuggets: Nuggets, *, bank: None = None, missing: str = ..., unknown_labels: str = ...
) -> NuggetRecall: ...
@overload
def nugget_recall(
    nuggets: PathsLike | Mapping[str, Mapping[str, Nuggets]],
    *,
    bank: PathsLike | None = None,
    missing: str = ...,
    unknown_labels: str = ...,
) -> Scores: ...
@checked
def nugget_recall(
    nuggets: Any,
    *,
    bank: Any = None,
    missing: str = records.MISSING[0],
    unknown_labels: str = records.ERROR,
) -> Any:
    """How many of their nuggets answers hold.

    Parameters
    ----------
    nuggets
        Of one answer a pair for each nugget: ``"vital"`` or ``"okay"``, and ``"support"``,
        ``"partial_support"`` or ``"not_support"``; either may be ``"failed"``. Or files as
        ``read_nuggets`` reads them, or {run: {topic: pairs}}.
    bank
        A file of nuggets with their importance, for files of assignments that lack it: they are
        joined by topic and text.
    missing
        Of files, what a topic is that others have and a run has not: "skip" leaves it out of
        the run's means, as nuggetizer does, "zero" scores 0, "error" refuses it.
    unknown_labels
        What an assignment is that is none of these words, such as what a model wrote instead: an
        "error", or "not_support", as nuggetizer counts it. A ``CranfieldWarning`` then says how
        many there were.

    Returns
    -------
    NuggetRecall or Scores
        Of one answer its six values; of several scores with a measure for each.

    Raises
    ------
    Error
        Kind "option" for another word; of files as ``read_nuggets``.

    Notes
    -----
    The measures of TREC's RAG track of 2024 (Pradeep et al., 2025, The great
    nugget recall, SIGIR) and of its program nuggetizer, which calls them
    ``strict_vital_score`` and so on. The scores that the track published count unknown
    assignments as no support: ``unknown_labels="not_support"``. A mean over no nuggets is
    0. A failed assignment counts as no support. A nugget whose importance failed counts in
    ``all``, as in nuggetizer, and weighs nothing in the weighted means.

    """
    if bank is not None and not records.is_paths(nuggets):
        raise failure("option", "bank= goes with files of assignments")
    labels = records.Labels(ASSIGNMENT, LOWEST["nuggets"], unknown_labels)
    return records.scored(
        nuggets,
        "nuggets",
        NuggetRecall,
        of_files=lambda path: records.read(path, _nugget_reader(bank, labels)),
        of_one=lambda own: _given_nuggets(own, labels),
        values=_nugget_values,
        missing=missing,
        labels=labels,
    )


def read_nuggets(
    path: PathsLike, *, bank: PathsLike | None = None, unknown_labels: str = records.ERROR
) -> dict[str, dict[str, list[tuple[str, str]]]]:
    """Reads the nuggets of answers from files of JSON lines, as nuggetizer writes them.

    A line is an object with a topic (``qid``, ``topic_id``, ``narrative_id``, ``query_id``),
    ``nuggets`` (each with ``importance`` and ``assignment``) and, if it names the run, ``run_id``.

    Parameters
    ----------
    path
        A file, a pattern, a folder, an address, ``-``, or a list of these; compressed (.gz, .zst,
        .bz2, .xz) or not.
    bank
        As for ``nugget_recall``.
    unknown_labels
        As for ``nugget_recall``.

    Returns
    -------
    dict
        Run (``"run"`` where a line names none) to topic to the pairs that
        ``nugget_recall`` takes.

    Raises
    ------
    Error
        With file, line and key: what is no such object (kind "fields"), another
        word ("option"), a second answer to a topic in a run ("duplicate"), an assignment that
        the bank lacks, or the other way round ("label"), no such file ("missing").

    """
    labels = records.Labels(ASSIGNMENT, LOWEST["nuggets"], unknown_labels)
    return records.by_run(records.read(path, _nugget_reader(bank, labels), "run"), labels)


def _given_nuggets(nuggets: Any, labels: records.Labels) -> list[tuple[str, str]]:
    """The nuggets of one answer."""

    def checked_one(nugget: Any, _: str) -> tuple[str, str]:
        entries = tuple(nugget) if isinstance(nugget, (tuple, list)) else ()
        if len(entries) != 2:
            message = f"expected (importance, assignment) for a nugget, found {nugget!r}"
            raise failure("type", message)
        one_of("importance", entries[0], IMPORTANCE)
        return entries[0], labels.core.of(entries[1], "assignment")

    return several(nuggets, "nuggets", checked_one)


def _nugget_reader(
    path: PathsLike | None, labels: records.Labels
) -> Callable[[dict[str, Any], str, Line], list[tuple[str, str]]]:
    """What reads the nuggets of an object; a bank has their importance if it is given."""
    bank = None if path is None else _bank(path)

    def of_record(record: dict[str, Any], topic: str, place: Line) -> list[tuple[str, str]]:
        return _core.assigned_nuggets(record, topic, place, [*IMPORTANCE], labels.core, bank)

    return of_record


def _nugget_values(nuggets: Iterable[tuple[str, str]]) -> Sequence[float]:
    """The six values."""
    return _core.nugget_recall(
        [(IMPORTANCE[what], ASSIGNMENT[held], what == "vital") for what, held in nuggets]
    )


def _bank(path: PathsLike) -> Bank:
    """What a file knows of nuggets, by topic and text."""
    bank: Bank = {}
    known = OneValue()
    for file in small_files.paths(path):
        for place, record in small_files.objects(file):
            topic, nuggets = _core.nuggets_of_bank(record, place, [*IMPORTANCE])
            bank.setdefault(topic, {}).update(nuggets)
            for text, importance in nuggets:
                what = f"importance of the nugget {text[:60]!r}"
                known.add((topic, text), importance, place, what)
    return bank


Sentences: TypeAlias = Iterable[list[str] | list[int] | tuple[str | int, ...]]


WORDS = {2: "full", 1: "partial", 0: "none", -1: "unjudged"}
"""The words for support by its number."""


@dataclass(frozen=True, slots=True, repr=False)
class CitationSupport(records.Values):
    """How far the citations of an answer support its sentences, from 0 to 1."""

    weighted_precision_first: float
    """The mean support of the first citations of sentences that were judged."""
    weighted_recall_first: float
    """The same over all sentences, where one without citations has 0; those whose first citation
    was not judged are left out."""
    hard_precision: float
    """As ``weighted_precision_first``, where partial support counts nothing."""
    hard_recall: float
    """As ``weighted_recall_first``, where partial support counts nothing."""
    weighted_precision_all: float
    """The mean over sentences with judged citations of the mean support of these."""
    weighted_recall_all: float
    """The same over all sentences, where one without citations has 0; those of whose citations
    none was judged are left out."""
    pooled_precision: float
    """The mean support of all judged citations, of whatever sentence."""
    best_recall: float
    """As ``weighted_recall_all``, with the best support of a sentence in place of the mean."""


@overload
def citation_support(
    sentences: Sentences, *, judgments: None = None, missing: str = ...
) -> CitationSupport: ...
@overload
def citation_support(
    sentences: PathsLike | Mapping[str, Mapping[str, Sentences]],
    *,
    judgments: PathsLike | None = None,
    missing: str = ...,
) -> Scores: ...
@checked
def citation_support(
    sentences: Any, *, judgments: Any = None, missing: str = records.MISSING[0]
) -> Any:
    """How far the citations of answers support their sentences.

    >>> citation_support([["full"], ["partial"], []])
    CitationSupport(weighted_precision_first=0.75, weighted_recall_first=0.5, \
hard_precision=0.5, hard_recall=0.333, weighted_precision_all=0.75, weighted_recall_all=0.5, \
pooled_precision=0.75, best_recall=0.5)

    Parameters
    ----------
    sentences
        Of one answer, for each sentence the support of each document that it cites, in order:
        ``"full"``, ``"partial"``, ``"none"`` or ``"unjudged"``; or 2, 1, 0 and -1. Or files as
        ``read_citations`` reads them, or {run: {topic: sentences}}.
    judgments
        Files of judgments for files of answers that have none: they are joined by run, topic,
        and the numbers of sentence and citation, as ``read_citations`` says.
    missing
        As for ``nugget_recall``.

    Returns
    -------
    CitationSupport or Scores
        Of one answer its values; of several scores with a measure for each.

    Raises
    ------
    Error
        Kind "option" for another word; of files as ``read_citations``.

    Notes
    -----
    The first six are those of TREC's RAG track: Thakur et al. (2025), Support evaluation for the
    TREC 2024 RAG track, SIGIR; and of RAGDoll, which calls the first two
    ``weighted_precision_first_citation`` and ``weighted_recall_first_citation``. Full support
    counts 1, partial support one half. A mean over nothing is 0. In 2024 only first citations
    were judged.

    """
    if judgments is not None and not records.is_paths(sentences):
        raise failure("option", "judgments= goes with files of answers")
    return records.scored(
        sentences,
        "sentences",
        CitationSupport,
        of_files=lambda path: _cited_in(path, judgments),
        of_one=_given_sentences,
        values=_core.citation_support,
        missing=missing,
    )


def read_citations(
    path: PathsLike, *, judgments: PathsLike | None = None
) -> dict[str, dict[str, list[list[str]]]]:
    """Reads how far citations support answers from files of JSON lines.

    A line is an object with a topic (``qid``, ``topic_id``, ``narrative_id``, ``query_id``), a
    list of ``sentences`` (or ``answer``, ``responses``) and, if it names the run, ``run_id``
    (``runtag``, ``run``). A sentence is an object with ``citations``: for each an object with
    ``support``, or that alone. Support is 2, 1, 0 and -1, as numbers or text; FS, PS, NS; or
    "full", "partial", "none" and "unjudged", with or without "support".

    With ``judgments``, lines are answers as runs are submitted, with ``references`` and sentences
    with ``citations`` (places in the references, documents, or {document: score}). The judgments
    are objects with ``support_label`` (FS, PS, NS), ``status`` and ``metadata``: ``run_id``,
    ``topic_id``, ``sentence_index`` and ``citation_index``, from 0. A citation without a
    judgment, or with one that is not ``completed``, is unjudged.

    Parameters
    ----------
    path, judgments
        Files as for ``read_nuggets``.

    Returns
    -------
    dict
        Run (``"run"`` where a line names none) to topic to the sentences that
        ``citation_support`` takes.

    Raises
    ------
    Error
        As ``read_nuggets``; "label" for a judgment of an answer, a sentence or a citation that is
        not there; "duplicate" for a second judgment of a citation.

    """
    return records.by_run(
        (place, run, topic, [[WORDS[support] for support in cited] for cited in judged])
        for place, run, topic, judged in _cited_in(path, judgments, "run")
    )


def _cited_in(
    path: PathsLike, judgments: PathsLike | None, unnamed: str | None = None
) -> Iterator[tuple[Line, str, str, list[list[int]]]]:
    """The support of the citations of the sentences of answers, as numbers."""
    if judgments is None:
        found = records.answers(path, unnamed)
        return ((p, run, topic, _core.supported_sentences(r, p)) for p, run, topic, r in found)
    return _judged_one_by_one(records.answers(path, unnamed), judgments)


def _given_sentences(sentences: Any) -> list[list[int]]:
    """The support of citations as numbers."""

    def of_sentence(cited: Any, name: str) -> list[int]:
        return several(cited, name, lambda support, _: _core.support_number(support, "support"))

    return several(sentences, "sentences", of_sentence)


def _judged_one_by_one(
    found: Iterable[records.Answer], judgments: PathsLike
) -> Iterator[tuple[Line, str, str, list[list[int]]]]:
    """The support of the citations of answers, from judgments of single citations.

    The answers are in memory, a number for each citation; the judgments are read one by one.
    """
    held: dict[tuple[str, str], tuple[Line, list[list[int]]]] = {}
    for place, run, topic, record in found:
        if (run, topic) in held:
            raise records.second(run, topic, place)
        held[run, topic] = place, _core.cited_sentences(record, place)
    seen: set[tuple[str, str, int, int]] = set()
    for file in small_files.paths(judgments):
        for place, record in small_files.objects(file):
            _core.judge_citation(held, seen, record, place)
    for (run, topic), (place, sentences) in held.items():
        yield place, run, topic, sentences


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
    labels = _verdicts(unknown_labels)
    return records.scored(
        criteria,
        "criteria",
        RubricScore,
        of_files=lambda path: records.read(path, _criteria_reader(labels)),
        of_one=lambda own: several(own, "criteria", lambda one, _: _given_criterion(one, labels)),
        values=_rubric_values,
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
    labels = _verdicts(unknown_labels)
    return records.by_run(records.read(path, _criteria_reader(labels), "run"), labels)


def _given_criterion(criterion: Any, labels: records.Labels) -> Judged:
    """A criterion as its caller has it."""
    parts = tuple(criterion) if isinstance(criterion, (tuple, list)) else ()
    if len(parts) not in (2, 3):
        message = f"expected (weight, verdict) for a criterion, found {criterion!r}"
        raise failure("type", message)
    tier = parts[2] if len(parts) == 3 else ""
    return number(parts[0], "weight"), labels.core.of(parts[1], "verdict"), tier


def _verdicts(unknown: str) -> records.Labels:
    """The verdicts, of which "Partially satisfied" is one, too."""
    return records.Labels(VERDICTS, LOWEST["rubrics"], unknown, spaced=True)


def _criteria_reader(
    labels: records.Labels,
) -> Callable[[dict[str, Any], str, Line], list[Judged]]:
    """What reads the criteria of an object."""
    return lambda record, _, place: _core.judged_criteria(record, place, labels.core)


def _rubric_values(criteria: Iterable[Judged]) -> Sequence[float]:
    return _core.rubric_score(
        [(weight, VERDICTS[verdict], tier == MANDATORY) for weight, verdict, tier in criteria]
    )
