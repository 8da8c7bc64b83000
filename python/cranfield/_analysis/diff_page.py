"""The page of two runs: topics by difference, each down to both lists."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from cranfield._analysis.diff_result import Diff, chosen, how_close, of_adding, of_groups, same
from cranfield._analysis.diff_topic import MATTER, DocumentDiff, TopicDiff, moves
from cranfield._base.scores_like import turn
from cranfield._base.text import counted
from cranfield._pages import page as pages
from cranfield._pages import svg
from cranfield._pages.page import Section

ON_PAGES = {"came": "new", "went": "gone", "stayed": "=", "rose": "↑ ", "fell": "↓ "}
"""What a page says of the changes of documents."""


def page(diff: Diff, *, details: int, topics: Sequence[str], length: int) -> str:
    """The page of two runs, one HTML file: topics by difference, each down to both lists.

    ``topics`` are shown down to documents, or ``details`` of the largest differences; all
    if that is below 0.
    """
    first, second = diff.runs
    down = chosen(diff, len(diff.topics) if details < 0 else details, topics)
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
        pages.section(
            "difference",
            "Difference",
            diff=diff,
            same=same(diff),
            close=how_close(diff),
            adding=of_adding(diff),
        ),
        pages.section(
            "pair-topics",
            "Topics",
            diff=diff,
            columns=svg.column_chart([topic.difference for topic in known]),
            most=max((abs(topic.difference) for topic in known), default=0.0),
            widest=scale.high,
            rows=rows,
        ),
        *([_groups_section(diff)] if diff.groups else []),
        pages.section(
            "lists", "Lists", diff=diff, topics=[_topic_lists(topic, length) for topic in down]
        ),
    ]
    title = f"{diff.measure}: {first} and {second}"
    facts = [counted(len(diff.topics), "topic"), "differences are the second run minus the first"]
    return pages.html(title, facts, sections)


def _groups_section(diff: Diff) -> Section:
    """The groups of topics, and all topics."""
    table = of_groups(diff)
    columns = [name[0].upper() + name[1:] for name in table.columns[2:]]
    return pages.section(
        "pair-groups", "Groups of topics", diff=diff, columns=columns, rows=table.cells
    )


def _topic_lists(topic: TopicDiff, length: int) -> dict[str, Any]:
    """A topic with the beginning of both lists, and what matters most of the unjudged."""
    of_a, of_b = topic.lists
    return {
        "topic": topic,
        "lists": [
            [_row(one, one.rank_a, one.brings_a, second=False) for one in of_a[:length]],
            [_row(one, one.rank_b, one.brings_b, second=True) for one in of_b[:length]],
        ],
        "more": max(max(map(len, topic.lists)) - length, 0),
        "unjudged": topic.mattering[:MATTER],
    }


def _row(
    document: DocumentDiff, rank: int | None, brings: float, *, second: bool
) -> dict[str, Any]:
    """A document of a list, with where it is in the other one."""
    return {
        "document": document,
        "rank": rank,
        "moves": moves(document, ON_PAGES, second=second),
        "adds": brings or None,
    }
