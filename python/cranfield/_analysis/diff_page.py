"""The page of two runs: topics by difference, each down to both lists."""

from __future__ import annotations

import math

from cranfield._analysis import diff_result as shown
from cranfield._analysis.diff_topic import MATTER
from cranfield._base.errors import optional
from cranfield._base.scores_like import TIE, turn
from cranfield._base.text import counted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from cranfield._analysis.diff import Diff, DocumentDiff, TopicDiff
    from cranfield._pages.page import Section


def html(diff: Diff, *, details: int, topics: Sequence[str], length: int) -> str:
    """The whole file.

    ``topics`` are shown down to documents, or ``details`` of the largest differences; all
    if that is below 0.
    """
    optional("jinja2", "a page of two runs", extra="report")
    from cranfield._pages import page as pages
    from cranfield._pages import svg
    from cranfield._pages.page import section

    first, second = diff.runs
    down = shown.chosen(diff, len(diff.topics) if details < 0 else details, topics)
    turned = turn(diff.scores.better[diff.measure])
    known = [topic for topic in diff.topics if not math.isnan(topic.difference)]
    ends = [end for topic in known for end in (topic.difference, topic.low, topic.high)]
    scale = svg.symmetric(ends)
    opened = {topic.topic for topic in down}
    rows = []
    for topic in diff.topics:
        known_ends = not math.isnan(topic.low)
        band = svg.whisker(scale, topic.low, topic.high, "bounds") if known_ends else ""
        mark = svg.difference(scale, topic.difference, turned * topic.difference, band)
        rows.append({"topic": topic, "mark": mark, "opens": topic.topic in opened})
    sections = [
        section(
            "difference",
            "Difference",
            diff=diff,
            same=shown.same(diff),
            close=shown.how_close(diff),
            adding=shown.of_adding(diff),
        ),
        section(
            "pair-topics",
            "Topics",
            diff=diff,
            columns=svg.column_chart([topic.difference for topic in known]),
            most=max((abs(topic.difference) for topic in known), default=0.0),
            widest=scale.high,
            rows=rows,
        ),
        *([_groups(diff)] if diff.groups else []),
        section("lists", "Lists", diff=diff, topics=[_topic(topic, length) for topic in down]),
    ]
    title = f"{diff.measure}: {first} and {second}"
    facts = [counted(len(diff.topics), "topic"), "differences are those of the second run"]
    return pages.html(title, facts, sections)


def _groups(diff: Diff) -> Section:
    """The groups of topics, and all topics."""
    from cranfield._pages.page import section

    table = shown.of_groups(diff)
    columns = [name[0].upper() + name[1:] for name in table.columns[2:]]
    return section("pair-groups", "Groups of topics", diff=diff, columns=columns, rows=table.cells)


def _topic(topic: TopicDiff, length: int) -> dict[str, Any]:
    """A topic with the beginning of both lists, and what matters most of the unjudged."""
    matter = [found for found in topic.unjudged if found.matters > TIE]
    return {
        "topic": topic,
        "lists": [
            list(_rows(documents[:length], second=bool(place)))
            for place, documents in enumerate(topic.lists)
        ],
        "more": max(max(map(len, topic.lists)) - length, 0),
        "unjudged": matter[:MATTER],
    }


def _rows(documents: Sequence[DocumentDiff], *, second: bool) -> Iterator[dict[str, Any]]:
    """The documents of a list, each with where it is in the other one."""
    for document in documents:
        here, there = document.rank_a, document.rank_b
        if second:
            here, there = there, here
        brings = document.brings_b if second else document.brings_a
        yield {
            "document": document,
            "rank": here,
            "moves": moves(document, second=second),
            "adds": brings or None,
        }


def moves(document: DocumentDiff, *, second: bool) -> str:
    """Where a document of a list is in the other one."""
    other = document.rank_a if second else document.rank_b
    if other is None:
        return "new" if second else "gone"
    if document.change == "stayed":
        return "="
    arrow = "↑" if document.change == "rose" else "↓"
    return f"{arrow} {'from' if second else 'to'} {other}"
