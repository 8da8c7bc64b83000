"""The page of a report: its sections in their order, and what its script works with."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from cranfield._analysis.diff import DocumentDiff, TopicDiff
from cranfield._base.text import counted, printable
from cranfield._pages import page
from cranfield._report import list_sections, method_sections, run_sections, topic_sections
from cranfield._report.list_sections import Unjudged
from cranfield._report.results import Results

LENGTH = 20
"""How many documents of each list the page holds."""

TOPICS = 200
"""Of how many topics it holds lists: those in which a pair differs most."""

MATTER = 3
"""How many unjudged documents of a topic and a pair it holds."""

_TEXT = 120
"""How many characters of a text it holds."""


def html(results: Results, title: str, command: str = "") -> str:
    """The whole file."""
    scores = results.scores
    open_places = list_sections.unjudged(results)
    parts = {
        "verdict": ("Verdict", run_sections.verdict(results)),
        "leaderboard": ("Leaderboard", run_sections.leaderboard(results)),
        "differences": ("Differences", run_sections.differences(results)),
        "topics": ("Topics", topic_sections.topics(results)),
        "depth": ("Effectiveness by depth", list_sections.depth(results)),
        "distribution": ("Distribution over topics", run_sections.distribution(results)),
        "coverage": ("Judgment coverage", list_sections.coverage(results, open_places)),
        "agreement": ("Pairs of runs, agreement of measures", run_sections.agreement(results)),
        "definitions": ("Definitions", method_sections.definitions(results)),
        "methods": ("Methods", method_sections.methods(results, command)),
    }
    sections = [
        page.section(name, heading, results=results, **holes)
        for name, (heading, holes) in parts.items()
    ]
    facts = [
        counted(len(scores.runs), "run"),
        counted(len(scores.topics), "topic"),
        counted(len(scores.measures), "measure"),
        *([] if results.baseline is None else [f"baseline {scores.runs[results.baseline]}"]),
    ]
    embedded = _data(results, open_places)
    return page.html(title, facts, sections, scripts=["charts.js", "topics.js"], data=embedded)


def _data(results: Results, open_places: list[Unjudged]) -> str:
    """The data as the page holds it: JSON and, after a space, the scores, both deflated, in base64.

    The scores are little-endian doubles, measure by measure, run by run, topic by topic: beside
    others of the same measure they deflate best.
    """
    scores = results.scores.values.transpose(2, 0, 1).astype("<f8").tobytes()
    return f"{page.packed(content(results, open_places))} {page.deflated(scores)}"


def content(results: Results, open_places: list[Unjudged]) -> dict[str, Any]:
    """The data as JSON has it, all but the scores."""
    scores = results.scores
    return {
        "runs": list(map(printable, scores.runs)),
        "topics": list(map(printable, scores.topics)),
        "measures": list(map(printable, scores.measures)),
        "order": results.order,
        "reference": results.reference,
        "competitors": results.competitors,
        "queries": [_short(results.queries.get(topic)) for topic in scores.topics]
        if results.queries
        else [],
        "lists": _lists(results),
        "unjudged": [
            [printable(one.topic), printable(one.document), one.matters, one.rank, one.lists]
            for one in open_places
        ],
    }


def _lists(results: Results) -> dict[str, Any]:
    """Both lists of topics, by the place of the topic."""
    if results.lists is not None and results.lists.is_of_spans:
        return _lists_of_chunks(results)
    pairs = results.pairs_of_lists
    if not pairs:
        return {}
    places = {topic: place for place, topic in enumerate(results.scores.topics)}
    largest: dict[str, float] = {}
    for pair in pairs:
        for topic in pair.topics:
            size = 0.0 if math.isnan(topic.difference) else abs(topic.difference)
            largest[topic.topic] = max(largest.get(topic.topic, 0.0), size)
    kept = sorted(largest, key=lambda topic: -largest[topic])[:TOPICS]
    by_topic = [{topic.topic: topic for topic in pair.topics} for pair in pairs]
    return {
        str(places[topic]): _topic([found[topic] for found in by_topic])
        for topic in sorted(kept, key=places.__getitem__)
    }


def _lists_of_chunks(results: Results) -> dict[str, Any]:
    """Lists of chunks of the topics in which the compared runs differ most."""
    runs = [results.reference, *results.competitors]
    changes = np.abs([results.signed(run) for run in runs[1:]] or [results.hardness])
    largest = np.nan_to_num(changes).max(axis=0)
    kept = sorted(np.argsort(-largest, kind="stable")[:TOPICS].tolist())
    topics = {place: results.scores.topics[place] for place in kept}
    found: dict[str, Any] = results.lists.shown(topics, runs, LENGTH, results.documents)  # type: ignore[union-attr]
    return found


def _topic(found: list[TopicDiff]) -> dict[str, Any]:
    """A topic in the lists of the reference and of its competitors.

    d: documents; g: their grades, null where unjudged; t: texts, if there are any. For each
    run r: ranks of the documents, 0 where it has not got them; b: what its first documents
    bring. For each pair p: lowest, highest, share; u: what is unjudged and matters most.
    """
    listed = [(found[0], 0), *((one, 1) for one in found)]
    lists = [one.first(LENGTH)[run] for one, run in listed]
    known: dict[str, DocumentDiff] = {}
    for documents in lists:
        for document in documents:
            known.setdefault(document.document, document)
    open_places = [one.unjudged[:MATTER] for one in found]
    content: dict[str, Any] = {
        "d": list(map(printable, known)),
        "g": [_number(document.grade) for document in known.values()],
        "r": [[one.rank(document, run) or 0 for document in known] for one, run in listed],
        "b": [
            [_brings(document, run) for document in documents]
            for run, documents in enumerate(lists)
        ],
        "p": [[_number(one.low), _number(one.high), _number(one.share)] for one in found],
        "u": [
            [
                [printable(u.document), _number(u.if_best), _number(u.if_worst)]
                for u in several
                if u.matters > 0
            ]
            for several in open_places
        ],
    }
    if any(document.text for document in known.values()):
        content["t"] = [_short(document.text) for document in known.values()]
    return content


def _brings(document: DocumentDiff, run: int) -> float | None:
    return _number(document.brings_b if run else document.brings_a)


def _number(value: float | None) -> float | None:
    """A number of four digits; a whole one is short."""
    if value is None or math.isnan(value):
        return None
    return int(value) if value.is_integer() else float(f"{value:.4g}")


def _short(text: str | None) -> str:
    """The beginning of a text."""
    if text is None:
        return ""
    text = printable(text)
    return text if len(text) <= _TEXT else f"{text[: _TEXT - 1].rstrip()}…"
