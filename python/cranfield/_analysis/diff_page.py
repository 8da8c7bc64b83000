"""The page of two runs: topics by difference, each down to both lists."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from markupsafe import Markup

from cranfield._analysis.diff_result import Diff, chosen, how_close, of_adding, of_groups, same
from cranfield._analysis.diff_topic import MATTER, DocumentDiff, TopicDiff, moves
from cranfield._base.scores_like import turn
from cranfield._base.text import UNDEFINED, counted
from cranfield._pages import page as pages
from cranfield._pages import svg, table
from cranfield._pages.page import Section
from cranfield._pages.table import signed

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
    marks = []
    for topic in diff.topics:
        known_ends = not math.isnan(topic.low)
        band = svg.whisker(scale, topic.low, topic.high, "bounds") if known_ends else ""
        marks.append(svg.difference(scale, topic.difference, turned * topic.difference, band))
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
            table=_topics(diff, opened, table.drawn(_ends(scale), marks)),
        ),
        *([_groups_section(diff)] if diff.groups else []),
        pages.section(
            "lists", "Lists", diff=diff, topics=[_topic_lists(topic, length) for topic in down]
        ),
    ]
    title = f"{diff.measure}: {first} and {second}"
    facts = [counted(len(diff.topics), "topic"), "differences are the second run minus the first"]
    return pages.html(title, facts, sections)


def _ends(scale: svg.Scale) -> Markup:
    """What is at both ends of a scale, and in its middle."""
    return table.ends(signed(-scale.high), signed(scale.high), "0")


def _topics(diff: Diff, opened: set[str], drawn: table.Column) -> Markup:
    """The topics, of which some are ``opened`` below."""
    topics = diff.topics
    names = (
        table.linked(topic.topic, "topic") if topic.topic in opened else table.named(topic.topic)
        for topic in topics
    )
    columns = [table.column("Topic", map(table.heading, names), "", "up")]
    if diff.queries:
        columns.append(table.queries(topic.query for topic in topics))
    columns += [
        table.numbers(table.named(diff.runs[0]), [topic.a for topic in topics]),
        table.numbers(table.named(diff.runs[1]), [topic.b for topic in topics]),
        table.numbers("Difference", [topic.difference for topic in topics], text=signed),
        drawn,
        table.numbers("Share of total", [topic.share for topic in topics], text=_share),
    ]
    if diff.bounds:
        columns += [
            table.numbers("Lowest", [topic.low for topic in topics], "up", text=signed),
            table.numbers("Highest", [topic.high for topic in topics], text=signed),
        ]
    return table.sortable(columns, "topics")


def _share(share: float | None) -> str:
    """A topic's part of the difference, as printed."""
    return UNDEFINED if share is None else f"{100 * share:.1f}\N{NO-BREAK SPACE}%"


def _groups_section(diff: Diff) -> Section:
    """The groups of topics, and all topics."""
    texts = of_groups(diff)
    columns = [table.names("Group", (row[0] for row in texts.cells), first="")]
    titles = ["Topics", *map(table.named, diff.runs)]
    titles += [name[0].upper() + name[1:] for name in texts.columns[len(titles) - 1 :]]
    for place, title in enumerate(titles, 1):
        cells = (table.cell(table.minus(row[place]), "value") for row in texts.cells)
        columns.append(table.column(title, cells, "value"))
    shown = table.table(columns, ' data-name="groups"')
    return pages.section("pair-groups", "Groups of topics", table=shown)


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
