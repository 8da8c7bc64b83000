"""Answers that a system wrote: which nuggets they hold, and whether their citations support them.

>>> import cranfield as cf
>>> nuggets = [("vital", "support"), ("vital", "partial_support"), ("okay", "not_support")]
>>> cf.answers.nugget_recall(nuggets)
NuggetRecall(strict_vital=0.5, strict_all=0.333, vital=0.75, all=0.5, strict_weighted=0.4, \
weighted=0.6)

A nugget is a fact that a good answer holds; an assessor, or a model, has said how important it is
and how far the answer supports it.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, fields

from cranfield.errors import failure, shown
from cranfield.inputs.sources import text_lines
from cranfield.options import checked, several

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

__all__ = [
    "CitationSupport",
    "NuggetRecall",
    "citation_support",
    "nugget_recall",
    "read_citations",
    "read_nuggets",
]

IMPORTANCE = {"vital": 1.0, "okay": 0.5}
"""How much a nugget weighs in the weighted means."""

ASSIGNMENT = {"support": 1.0, "partial_support": 0.5, "not_support": 0.0}
"""How much of a nugget an answer holds."""

SUPPORT = {"full": 1.0, "partial": 0.5, "none": 0.0}
"""How far a cited document supports a sentence."""


class _Shown:
    """Prints its numbers with three digits."""

    def __repr__(self) -> str:
        numbers = ((f.name, getattr(self, f.name)) for f in fields(self))  # type: ignore[arg-type]
        shown = ", ".join(f"{name}={value:.3g}" for name, value in numbers)
        return f"{type(self).__name__}({shown})"


@dataclass(frozen=True, slots=True, repr=False)
class NuggetRecall(_Shown):
    """The shares of an answer's nuggets that it holds, from 0 to 1."""

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


@dataclass(frozen=True, slots=True, repr=False)
class CitationSupport(_Shown):
    """How far the citations of an answer support its sentences, from 0 to 1."""

    precision: float
    """The mean support of what is cited; 0 where nothing is."""
    recall: float
    """The mean over sentences of the best support; one without a citation has 0."""


def nugget_recall(nuggets: Iterable[tuple[str, str]]) -> NuggetRecall:
    """How many of its nuggets an answer holds.

    Parameters
    ----------
    nuggets
        A pair for each nugget: ``"vital"`` or ``"okay"``, and ``"support"``,
        ``"partial_support"`` or ``"not_support"``.

    Raises
    ------
    Error
        For another word (kind "option").

    Notes
    -----
    The measures of TREC's RAG track of 2024 (Pradeep et al., 2025, The great
    nugget recall, SIGIR) and of its program nuggetizer, which calls them
    ``strict_vital_score`` and so on. A mean over no nuggets is 0.

    """
    judged = [
        (_number(IMPORTANCE, importance, "importance"), _number(ASSIGNMENT, held, "assignment"))
        for importance, held in nuggets
    ]
    vital = [(1.0, held) for weight, held in judged if weight == 1.0]
    every = [(1.0, held) for _, held in judged]
    return NuggetRecall(
        strict_vital=_mean(_strict(vital)),
        strict_all=_mean(_strict(every)),
        vital=_mean(vital),
        all=_mean(every),
        strict_weighted=_mean(_strict(judged)),
        weighted=_mean(judged),
    )


def read_nuggets(path: str | os.PathLike[str]) -> dict[str, dict[str, list[tuple[str, str]]]]:
    """Reads the nuggets of answers from a file of JSON lines, as nuggetizer writes them.

    A line is an object with ``qid``, ``nuggets`` (each with ``importance`` and
    ``assignment``) and, if it names the run, ``run_id``.

    Parameters
    ----------
    path
        Where the file is.

    Returns
    -------
    dict
        Run (``"run"`` where a line names none) to topic to the pairs that
        ``nugget_recall`` takes.

    Raises
    ------
    Error
        With file and line: what is no such object (kind "fields"), another
        word ("option"), a second answer to a topic in a run ("duplicate"), no
        such file ("missing").

    """
    answers: dict[str, dict[str, list[tuple[str, str]]]] = {}
    for place, line in _lines(path):
        run, topic, nuggets = _answer(line, place)
        for importance, held in nuggets:
            _number(IMPORTANCE, importance, "importance", place)
            _number(ASSIGNMENT, held, "assignment", place)
        _add(answers, run, topic, nuggets, place)
    return answers


def read_citations(path: str | os.PathLike[str]) -> dict[str, dict[str, list[list[str]]]]:
    """Reads how far citations support answers from a file of JSON lines.

    A line is an object with ``qid``, ``answer`` and, if it names the run,
    ``run_id``. The answer is a list of sentences, each an object with
    ``citations``: for each document that it cites the word, or an object with
    it as ``support``. Words are those of ``citation_support``; "full support",
    "partial_support" and "no support" are read as these.

    Parameters
    ----------
    path
        Where the file is.

    Returns
    -------
    dict
        Run (``"run"`` where a line names none) to topic to the sentences that
        ``citation_support`` takes.

    Raises
    ------
    Error
        As ``read_nuggets`` does.

    """
    answers: dict[str, dict[str, list[list[str]]]] = {}
    for place, line in _lines(path):
        try:
            record: Any = json.loads(line)
            sentences = [_cited(sentence["citations"]) for sentence in record["answer"]]
            run, topic = str(record.get("run_id", "run")), str(record["qid"])
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            message = (
                "expected an object with qid and answer, a list of sentences with citations, "
                f"found {line.strip()[:60]!r}"
            )
            raise failure("fields", message, file=place) from error
        for cited in sentences:
            for word in cited:
                _number(SUPPORT, word, "support", place)
        _add(answers, run, topic, sentences, place)
    return answers


@checked
def citation_support(
    sentences: Iterable[Sequence[str]], *, first_only: bool = False
) -> CitationSupport:
    """How far the citations of an answer support its sentences.

    Parameters
    ----------
    sentences
        For each sentence ``"full"``, ``"partial"`` or ``"none"`` for each
        document that it cites, in order.
    first_only
        Use only the first citation of each sentence: TREC's RAG track of
        2024 judged no other.

    Raises
    ------
    Error
        For another word (kind "option").

    Notes
    -----
    Thakur et al. (2025), Support evaluation for the TREC 2024 RAG track,
    SIGIR: full support counts 1, partial support one half.

    """
    words = several(sentences, "sentences", lambda cited, name: several(cited, name, _word))
    judged = [[_number(SUPPORT, word, "support") for word in cited] for cited in words]
    if first_only:
        judged = [cited[:1] for cited in judged]
    return CitationSupport(
        precision=_mean([(1.0, value) for cited in judged for value in cited]),
        recall=_mean([(1.0, max(cited, default=0.0)) for cited in judged]),
    )


def _strict(judged: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """The same where partial support counts nothing."""
    return [(weight, float(held == 1.0)) for weight, held in judged]


def _mean(weighted: list[tuple[float, float]]) -> float:
    total = sum(weight for weight, _ in weighted)
    return sum(weight * value for weight, value in weighted) / total if total else 0.0


def _word(word: Any, _: str) -> Any:
    """A word of a sentence, unchecked."""
    return word


def _number(known: dict[str, float], word: object, what: str, place: str | None = None) -> float:
    if isinstance(word, str) and word in known:
        return known[word]
    message = f"expected one of {', '.join(known)} as {what}, found {shown(word)}"
    raise failure("option", message, file=place)


def _answer(line: str, place: str) -> tuple[str, str, list[tuple[str, str]]]:
    """Run, topic and nuggets of a line."""
    try:
        record: Any = json.loads(line)
        nuggets = [(nugget["importance"], nugget["assignment"]) for nugget in record["nuggets"]]
        return str(record.get("run_id", "run")), str(record["qid"]), nuggets
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        message = (
            "expected an object with qid and nuggets, each with importance and assignment, "
            f"found {line.strip()[:60]!r}"
        )
        raise failure("fields", message, file=place) from error


def _cited(citations: list[Any]) -> list[str]:
    """The support of each citation of a sentence."""
    words = [c["support"] if isinstance(c, dict) else c for c in citations]
    return [_plain(word) for word in words]


def _plain(word: Any) -> Any:
    """A word of support in the form that is counted."""
    if not isinstance(word, str):
        return word
    short = word.lower().replace("_", " ").removesuffix(" support")
    return "none" if short == "no" else short


def _lines(path: str | os.PathLike[str]) -> list[tuple[str, str]]:
    """The lines of a file that hold something, each with its place."""
    name = os.fspath(path)
    lines = enumerate(text_lines(name), 1)
    return [(f"{name}:{number}", line) for number, line in lines if line.strip()]


def _add(answers: dict[str, dict[str, Any]], run: str, topic: str, answer: Any, place: str) -> None:
    """Keeps the answer of a run to a topic, of which there is one."""
    topics = answers.setdefault(run, {})
    if topic in topics:
        message = f"expected one answer of a run to a topic, found a second to {topic!r}"
        raise failure("duplicate", message, file=place)
    topics[topic] = answer
