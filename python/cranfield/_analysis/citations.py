"""Citations: how far the documents that an answer cites support its sentences."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias, overload

from cranfield._analysis import answer_records as records
from cranfield._base.errors import failure, shown
from cranfield._base.options import checked, several
from cranfield._io import small_files
from cranfield._io.small_files import Line, PathsLike
from cranfield._scores.scores import Scores

Sentences: TypeAlias = Iterable[list[str] | list[int] | tuple[str | int, ...]]


UNJUDGED = -1
"""The number of a citation that was not judged."""

WORDS = {2: "full", 1: "partial", 0: "none", UNJUDGED: "unjudged"}
"""The words for support by its number."""

NUMBERS: dict[Any, int] = {
    **{number: number for number in WORDS},
    **{str(number): number for number in WORDS},
    **{word: number for number, word in WORDS.items()},
    "FS": 2,
    "PS": 1,
    "NS": 0,
    "no": 0,
    None: UNJUDGED,
}
"""The numbers of support by what is written for it."""


def number_of(support: object, key: str, place: Line | None = None) -> int:
    """The number of what is written for support; raises ``Error`` (kind "option")."""
    known: object = support
    if isinstance(support, str) and support not in NUMBERS:
        known = support.strip().lower().replace("_", " ").removesuffix(" support")
    try:
        if not isinstance(support, bool):
            return NUMBERS[known]
    except (KeyError, TypeError):
        pass
    words = ", ".join([*WORDS.values(), *map(str, WORDS)])
    message = f"{key}: expected one of {words}; found {shown(support)}"
    raise (failure if place is None else place.error)("option", message)


WEIGHTED = {2: 1.0, 1: 0.5, 0: 0.0}
"""How much full, partial and no support count."""

SENTENCES = ("sentences", "answer", "responses", "response")
"""The keys of the sentences of an answer."""


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
        of_files=lambda path: _of_files(path, judgments),
        of_one=_given,
        values=_values,
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
        for place, run, topic, judged in _of_files(path, judgments, "run")
    )


def _of_files(
    path: PathsLike, judgments: PathsLike | None, unnamed: str | None = None
) -> Iterator[tuple[Line, str, str, list[list[int]]]]:
    """The support of the citations of the sentences of answers, as numbers."""
    if judgments is None:
        return records.read(path, _of_record, unnamed)
    return _joined(records.answers(path, unnamed), judgments)


def _of_record(record: dict[str, Any], _: str, place: Line) -> list[list[int]]:
    name, sentences = records.listed(record, SENTENCES, place)
    found = []
    for number, sentence in enumerate(sentences):
        key = f"{name}[{number}].citations"
        cited = records.entry(sentence, "citations", f"{name}[{number}]", place)
        if not isinstance(cited, list):
            raise place.wrong(key, "a list", cited)
        found.append([_support(citation, f"{key}[{k}]", place) for k, citation in enumerate(cited)])
    return found


def _support(citation: Any, key: str, place: Line) -> int:
    """The number of the support of a citation, which is an object or the support alone."""
    is_object = isinstance(citation, dict)
    support = records.entry(citation, "support", key, place) if is_object else citation
    return number_of(support, f"{key}.support", place)


def _given(sentences: Any) -> list[list[int]]:
    """The support of citations as numbers."""

    def of_sentence(cited: Any, name: str) -> list[int]:
        return several(cited, name, lambda support, _: number_of(support, "support"))

    return several(sentences, "sentences", of_sentence)


def _values(sentences: Sequence[Sequence[int]]) -> tuple[float, ...]:
    """The eight values."""
    first = [cited[0] for cited in sentences if cited]
    first_judged = [WEIGHTED[support] for support in first if support != UNJUDGED]
    first_counted = len(sentences) - first.count(UNJUDGED)
    hard = first_judged.count(WEIGHTED[2])
    cited_by = [[WEIGHTED[one] for one in cited if one != UNJUDGED] for cited in sentences if cited]
    judged = [weights for weights in cited_by if weights]
    all_counted = len(sentences) - cited_by.count([])
    means = 0.0
    for weights in judged:
        means += sum(weights) / len(weights)
    pooled = [weight for weights in judged for weight in weights]
    return (
        records.ratio(sum(first_judged), len(first_judged)),
        records.ratio(sum(first_judged), first_counted),
        records.ratio(hard, len(first_judged)),
        records.ratio(hard, first_counted),
        records.ratio(means, len(judged)),
        records.ratio(means, all_counted),
        records.ratio(sum(pooled), len(pooled)),
        records.ratio(sum(map(max, judged)), all_counted),
    )


COMPLETED = "completed"
"""The status of a judgment that counts."""

LABELS = ("FS", "PS", "NS")
"""The labels of judgments: full, partial and no support."""


def _joined(
    found: Iterable[records.Answer], judgments: PathsLike
) -> Iterator[tuple[Line, str, str, list[list[int]]]]:
    """The support of the citations of answers, from judgments of single citations.

    The answers are in memory, a number for each citation; the judgments are read one by one.
    """
    held: dict[tuple[str, str], tuple[Line, list[list[int]]]] = {}
    for place, run, topic, record in found:
        if (run, topic) in held:
            raise records.second(run, topic, place)
        held[run, topic] = place, _sentences(record, place)
    seen: set[tuple[str, str, int, int]] = set()
    for file in small_files.paths(judgments):
        for place, record in small_files.objects(file):
            _judge(held, seen, record, place)
    for (run, topic), (place, sentences) in held.items():
        yield place, run, topic, sentences


def _sentences(record: dict[str, Any], place: Line) -> list[list[int]]:
    """For each sentence of an answer an unjudged citation for each that it has."""
    name, sentences = records.listed(record, SENTENCES, place)
    references = record.get("references")
    if references is not None and not isinstance(references, list):
        raise place.wrong("references", "a list", references)
    found = []
    for number, sentence in enumerate(sentences):
        cited = sentence.get("citations", [])
        key = f"{name}[{number}].citations"
        if not isinstance(cited, (list, dict)):
            raise place.wrong(key, "a list", cited)
        for k, citation in enumerate(cited):
            is_place = isinstance(citation, int) and not isinstance(citation, bool)
            if is_place and not 0 <= citation < len(references or ()):
                message = f"{key}[{k}]: there are {len(references or ())} references"
                raise place.error("label", f"{message}, found the place {citation}")
            if not is_place and not isinstance(citation, (str, dict)):
                expected = "a place in the references or a document"
                raise place.wrong(f"{key}[{k}]", expected, citation)
        found.append([UNJUDGED] * len(cited))
    return found


def _judge(
    held: dict[tuple[str, str], tuple[Line, list[list[int]]]],
    seen: set[tuple[str, str, int, int]],
    record: dict[str, Any],
    place: Line,
) -> None:
    """Enters a judgment."""
    run = records.label(record, records.RUN, place)
    if run is None:
        raise place.missing([f"metadata.{key}" for key in records.RUN], record)
    topic = records.topic_of(record, place)
    if (run, topic) not in held:
        message = f"a judgment of run {shown(run)} on topic {shown(topic)}"
        raise place.error("label", f"{message}, of which there is no answer")
    sentences = held[run, topic][1]
    sentence = _index("sentence", record, sentences, place)
    citation = _index("citation", record, sentences[sentence], place)
    cell = (run, topic, sentence, citation)
    if cell in seen:
        message = f"a second judgment of citation {citation} of sentence {sentence}"
        raise place.error("duplicate", f"{message} of run {shown(run)} on topic {shown(topic)}")
    seen.add(cell)
    support = record.get("support_label")
    if record.get("status", COMPLETED) != COMPLETED or support is None:
        return
    if support not in LABELS:
        raise place.unknown("support_label", LABELS, support)
    sentences[sentence][citation] = number_of(support, "support_label", place)


def _index(what: str, record: dict[str, Any], known: Sequence[Any], place: Line) -> int:
    """The place of what a judgment is about, a sentence or a citation, among those there are."""
    key = f"{what}_index"
    metadata = record.get("metadata")
    number = metadata.get(key) if isinstance(metadata, dict) else None
    if not isinstance(number, int) or isinstance(number, bool):
        raise place.wrong(f"metadata.{key}", "a whole number", number)
    if not 0 <= number < len(known):
        message = f"metadata.{key}: there are {len(known)} {what}s, found the place {number}"
        raise place.error("label", message)
    return number
