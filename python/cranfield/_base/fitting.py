"""Tables and sentences that fit into the width of a terminal.

A table that is too wide goes on below itself: each part has the labels of the rows again
and as many columns as fit. So no cell is broken and none is left out. Texts are shortened
in their middle only where they would leave no room for a column.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

GAP = "  "
"""What stands between columns."""

SHORTEST = 9
"""Texts are not made shorter than this."""

ELLIPSIS = "…"


def parts(
    rows: Sequence[Sequence[str]],
    left: int,
    width: int | None = None,
    *,
    labels: int | None = None,
    belongs: Sequence[bool] = (),
) -> list[list[str]]:
    """The lines of rows of cells, part by part.

    ``left`` is how many columns are texts, aligned to the left; the first ``labels`` of
    them, or all, stand in every part. ``width`` is how many characters a line may have.
    ``belongs`` says of each column whether it is about the nearest one before it that does
    not: such columns stay together, or that one stands before them in the next part again.
    """
    labels = left if labels is None else labels
    if width is not None:
        rows = _shortened(rows, left, labels, width)
    widths = _widths(rows)
    return [
        [
            GAP.join(
                row[i].ljust(widths[i]) if i < left else row[i].rjust(widths[i]) for i in chosen
            ).rstrip()
            for row in rows
        ]
        for chosen in _chosen(widths, labels, width, belongs or [False] * len(widths))
    ]


def lines(rows: Sequence[Sequence[str]], left: int, width: int | None = None) -> list[str]:
    """The same, with an empty line between parts."""
    found: list[str] = []
    for part in parts(rows, left, width):
        found += ["", *part] if found else part
    return found


def sentence(text: str, width: int | None = None, indent: str = "") -> str:
    """A sentence in lines that are broken between words; ``indent`` begins all but the first."""
    if width is None or len(text) <= width:
        return text
    from textwrap import wrap

    broken = wrap(
        text,
        max(width, len(indent) + SHORTEST),
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return "\n".join(broken)


def _widths(rows: Sequence[Sequence[str]]) -> list[int]:
    return [max(map(len, column)) for column in zip(*rows, strict=True)]


def _chosen(
    widths: Sequence[int], labels: int, width: int | None, belongs: Sequence[bool]
) -> list[list[int]]:
    """The columns of each part."""
    repeated = list(range(labels))

    def fits(columns: Sequence[int]) -> bool:
        taken = sum(widths[place] for place in columns) + len(GAP) * (len(columns) - 1)
        return width is None or taken <= width

    groups: list[list[int]] = []
    for place in range(labels, len(widths)):
        if belongs[place] and groups:
            groups[-1].append(place)
        else:
            groups.append([place])
    found = [repeated]
    for group in groups:
        if fits([*found[-1], *group]):
            found[-1] = [*found[-1], *group]
            continue
        if len(found[-1]) > labels:
            found.append(repeated)
        for place in group:
            if len(found[-1]) > labels and not fits([*found[-1], place]):
                head = [*repeated, group[0]]
                found.append(head if fits([*head, place]) else repeated)
            found[-1] = [*found[-1], place]
    return found


def _shortened(
    rows: Sequence[Sequence[str]], left: int, labels: int, width: int
) -> Sequence[Sequence[str]]:
    """The rows with texts that leave room for columns, if the rows are too wide.

    A column stays as it is where two of its texts would look the same.
    """
    limits = _widths(rows)
    if sum(limits) + len(GAP) * (len(limits) - 1) <= width:
        return rows
    beside = max([width // 3, *limits[left:]]) if len(limits) > labels else 0
    room = width - beside - len(GAP) * (labels if beside else labels - 1)
    while sum(limits[:labels]) > room and max(limits[:labels], default=0) > SHORTEST:
        limits[limits.index(max(limits[:labels]))] -= 1
    rest = width - sum(limits[:labels]) - len(GAP) * labels
    limits[labels:left] = [min(limit, max(rest, SHORTEST)) for limit in limits[labels:left]]
    columns = [list(column) for column in zip(*rows, strict=True)]
    for place, limit in enumerate(limits[:left]):
        short = [_short(cell, limit) for cell in columns[place]]
        if len(set(short)) == len(set(columns[place])):
            columns[place] = short
    return list(zip(*columns, strict=True))


def _short(text: str, limit: int) -> str:
    """A text without its middle: what names differ in is most often at an end."""
    if len(text) <= limit:
        return text
    end = (limit - 1) // 2
    return f"{text[: limit - 1 - end]}{ELLIPSIS}{text[len(text) - end :]}"
