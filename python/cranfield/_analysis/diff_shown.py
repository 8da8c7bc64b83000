"""Shows a difference between two runs as aligned text and as HTML."""

from __future__ import annotations

import math
from collections.abc import Sequence

from cranfield._base import fitting
from cranfield._base.scores_like import TIE
from cranfield._base.text import UNDEFINED, counted, escaped, number, printable, topic_key
from cranfield._scores.groups import ALL
from cranfield._table import tables
from cranfield._table.tables import Texts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from cranfield._analysis.diff_result import Diff
    from cranfield._analysis.diff_topic import DocumentDiff, TopicDiff

DETAILS = 3
"""How many topics are shown with document detail by default."""

LENGTH = 10
"""How many documents of each list are shown."""

MATTER = 5
"""How many unjudged documents of a topic are shown."""

_TEXT = 60
"""How many characters of a text are shown."""


def chosen(diff: Diff, details: int, topics: Sequence[str] = ()) -> list[TopicDiff]:
    """The topics shown with document detail: those named, or the largest differences."""
    if topics:
        return [diff[topic] for topic in topics]
    defined = [topic for topic in diff.topics if not math.isnan(topic.difference)]
    ordered = sorted(defined, key=lambda topic: topic_key(topic.topic))
    return sorted(ordered, key=lambda topic: -abs(topic.difference))[:details]


def text(
    diff: Diff,
    *,
    details: int = DETAILS,
    topics: Sequence[str] = (),
    length: int = LENGTH,
    limit: int | None = None,
    digits: int | None = None,
    width: int | None = None,
) -> str:
    """The whole difference as aligned text, with at most ``limit`` rows of topics.

    ``width`` is that of a terminal.
    """
    of_all = of_topics(diff, digits)
    of_all.limit = limit
    blocks = [
        [fitting.sentence(printable(line), width) for line in sentences(diff, digits)],
        tables.aligned(of_all, width=width),
    ]
    if diff.groups:
        blocks.append(tables.aligned(of_groups(diff, digits), width=width))
    for topic in chosen(diff, details, topics):
        lists = of_lists(topic, length, digits)
        head = fitting.sentence(printable(headline(diff, topic, digits)), width)
        blocks.append([head, *tables.aligned(lists, width=width)])
        unjudged = of_unjudged(topic, digits)
        if unjudged.cells:
            blocks.append(tables.aligned(unjudged, width=width))
    return "\n\n".join(map("\n".join, blocks))


def sentences(diff: Diff, digits: int | None = None) -> list[str]:
    """The sentences about all topics together."""
    gain, loss = _signed(diff.gain, digits), _signed(diff.loss, digits)
    second = diff.runs[1]
    unit = "sum" if diff._counts else "mean"
    return [
        f"{diff.measure}, {unit} over {counted(len(diff._defined), 'topic')}: "
        f"{_difference(diff, diff, digits)}.",
        f"{second} is higher in {counted(len(diff.higher), 'topic')} ({gain}), "
        f"lower in {len(diff.lower)} ({loss}), the same in {same(diff)}.",
        _of_bounds(diff),
        of_adding(diff),
    ]


def same(diff: Diff) -> int:
    """In how many topics both runs have the same value."""
    known = sum(not math.isnan(topic.difference) for topic in diff.topics)
    return known - len(diff.higher) - len(diff.lower)


def of_adding(diff: Diff) -> str:
    """A sentence on what documents add."""
    if diff.sums:
        return "What documents add sums to the value of their list."
    return (
        "What a document adds is by how much the value falls when it is taken out of its "
        "list; these effects do not sum to the value."
    )


def _of_bounds(diff: Diff) -> str:
    """A sentence on the bounds of the difference."""
    if diff.bounds is None:
        return f"No bounds of the difference: {diff.bounds_reason}."
    return f"Bounds [lowest, highest] of the difference are {how_close(diff)}."


def how_close(diff: Diff) -> str:
    """What the bounds of the difference are."""
    if diff.bounds == "exact":
        return "exact: some way to judge what is unjudged reaches them"
    return "outer: no way to judge what is unjudged leads beyond them"


def _difference(diff: Diff, found: Diff | TopicDiff, digits: int | None) -> str:
    """Both values and their difference, of all topics or of one."""
    first, second = diff.runs
    a, b = (number(value, digits=digits) for value in (found.a, found.b))
    return (
        f"{first} {a}, {second} {b}, difference {_signed(found.difference, digits)}"
        f"{_interval(found.low, found.high, digits)}"
    )


def of_topics(diff: Diff, digits: int | None = None) -> Texts:
    """The topics by difference, with their shares of the total."""
    first, second = diff.runs
    keys = ["topic"] if not diff.queries else ["topic", "query"]
    bounds = ["lowest", "highest"] if diff.bounds else []
    table = Texts(keys, [first, second, "difference", "share", *bounds])
    for topic in diff.topics:
        labels = (topic.topic, _short(topic.query))[: len(keys)]
        ends = (_signed(topic.low, digits), _signed(topic.high, digits)) if bounds else ()
        a, b = (number(value, digits=digits) for value in (topic.a, topic.b))
        values = a, b, _signed(topic.difference, digits), _percent(topic.share)
        table.cells.append((*labels, *values, *ends))
    return table


def of_groups(diff: Diff, digits: int | None = None) -> Texts:
    """The groups of topics as given, and all topics."""
    first, second = diff.runs
    bounds = ["lowest", "highest"] if diff.bounds else []
    columns = [first, second, "difference", "95 % ci", "share", "higher", "lower", *bounds]
    table = Texts(["group", "topics"], columns)
    for name, group in {**diff.groups, ALL: diff}.items():
        whole = None if all(topic.share is None for topic in diff.topics) else 1.0
        share = whole if name == ALL else diff.share(name)
        ends = group.interval()
        table.cells.append(
            (
                name,
                str(len(group.topics)),
                *(number(value, digits=digits) for value in (group.a, group.b)),
                _signed(group.difference, digits),
                _interval(float(ends.low), float(ends.high), digits).strip() or UNDEFINED,
                _percent(share),
                str(len(group.higher)),
                str(len(group.lower)),
                *((_signed(group.low, digits), _signed(group.high, digits)) if bounds else ()),
            )
        )
    return table


def _percent(share: float | None) -> str:
    return UNDEFINED if share is None else f"{100 * share:.1f} %"


def headline(diff: Diff, topic: TopicDiff, digits: int | None = None) -> str:
    """The line above a topic's lists."""
    query = f" ({_short(topic.query)})" if topic.query else ""
    return f"Topic {topic.topic}{query}: {_difference(diff, topic, digits)}"


def of_lists(topic: TopicDiff, length: int, digits: int | None = None) -> Texts:
    """Both lists side by side, down to rank ``length``."""
    first, second = topic._diff.runs
    keys = ["rank", first, "grade ", "moves ", second, "grade", "moves"]
    table = Texts(keys, ["adds ", "adds"])
    table.labels = 1
    of_a, of_b = topic.lists
    longest = max(len(of_a), len(of_b))
    for place in range(min(length, longest)):
        a, b = (found[place] if place < len(found) else None for found in (of_a, of_b))
        left = _cells(a, None if a is None else a.rank_b, "went")
        right = _cells(b, None if b is None else b.rank_a, "came")
        adds = (
            "" if a is None else _adds(a.brings_a, digits),
            "" if b is None else _adds(b.brings_b, digits),
        )
        table.cells.append((str(place + 1), *left, *right, *adds))
    table.more = max(longest - length, 0)
    return table


def _cells(document: DocumentDiff | None, other: int | None, alone: str) -> tuple[str, str, str]:
    """A document, its grade, and its move relative to the other list."""
    if document is None:
        return "", "", ""
    name = document.document
    if document.text:
        name = f"{name} {_short(document.text)}"
    rank = document.rank_a if alone == "went" else document.rank_b
    if other is None:
        moves = alone
    elif other == rank:
        moves = "="
    else:
        moves = f"to {other}" if alone == "went" else f"from {other}"
    return name, grade(document), moves


def of_unjudged(topic: TopicDiff, digits: int | None = None) -> Texts:
    """The unjudged documents that matter most."""
    first, second = topic._diff.runs
    columns = [f"rank in {first}", f"rank in {second}", "if best", "if worst"]
    table = Texts(["unjudged, matters most"], columns)
    matter = [found for found in topic.unjudged if found.matters > TIE]
    for found in matter[:MATTER]:
        name = f"{found.document} {_short(found.text)}" if found.text else found.document
        ranks = (str(rank or UNDEFINED) for rank in (found.rank_a, found.rank_b))
        ends = _signed(found.if_best, digits), _signed(found.if_worst, digits)
        table.cells.append((name, *ranks, *ends))
    table.more = max(len(matter) - MATTER, 0)
    return table


def grade(document: DocumentDiff) -> str:
    """The grade of a document, or that it has none."""
    return "unjudged" if document.grade is None else f"{document.grade:g}"


def _signed(value: float, digits: int | None) -> str:
    return number(value, sign="+", digits=digits)


def _adds(value: float, digits: int | None) -> str:
    return number(value, digits=digits) if value else "0"


def _interval(low: float, high: float, digits: int | None) -> str:
    return "" if math.isnan(low) else f" [{_signed(low, digits)}, {_signed(high, digits)}]"


def _short(text: str | None) -> str:
    """The beginning of a text."""
    if text is None:
        return ""
    return text if len(text) <= _TEXT else f"{text[: _TEXT - 3].rstrip()}..."


def body(diff: Diff, *, limit: int | None = None) -> str:
    """The sentences and the topics as HTML without a head; every text is escaped."""
    lines = "<br>".join(map(escaped, sentences(diff)))
    of_all = of_topics(diff)
    of_all.limit = limit
    groups = f"\n{tables.html(of_groups(diff))}" if diff.groups else ""
    return f"<p>{lines}</p>\n{tables.html(of_all)}{groups}"
