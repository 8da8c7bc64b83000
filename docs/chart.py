"""The README's bar chart of speed, from the record in ``benches/record/speed.json``.

GitHub shows it as a picture, which takes neither styles nor scripts from the page, so there
is one for each color scheme.
"""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from typing import Any, NamedTuple

from speed import rows

SCHEMES = {
    "light": {"ink": "#1f2328", "soft": "#59636e", "ours": "#0072b2", "theirs": "#a8b1bb"},
    "dark": {"ink": "#f0f6fc", "soft": "#9198a1", "ours": "#56b4e9", "theirs": "#59636e"},
}

WIDTH, LEFT, RIGHT, BAR, GAP, HEAD = 760, 120, 60, 20, 8, 34


class Panel(NamedTuple):
    """Bars for one piece of work."""

    title: str
    key: tuple[str, str, str, bool]
    others: tuple[str, ...]


PANELS = (
    Panel(
        "129 runs of TREC-8 from files, 76 measures, whole processes",
        ("files", "TREC-8 (129 runs)", "all", True),
        ("trec_eval -O3", "trec_eval"),
    ),
    Panel(
        "One run of 50 topics x 1,000 documents from files, eight measures, in Python",
        ("files", "50x1000", "common", False),
        ("pytrec_eval", "ir_measures", "ranx"),
    ),
)


def bars(found: dict[Any, dict[str, dict[str, Any]]], panel: Panel) -> list[tuple[str, float, str]]:
    """Each evaluator with its CPU time relative to cranfield's in the same comparison."""
    line = found[panel.key]
    ratios = [(name, float(line[name]["ratio"])) for name in panel.others]
    return [("cranfield", 1.0, "1x"), *((name, ratio, f"{ratio:.0f}x") for name, ratio in ratios)]


def described(record: dict[str, Any]) -> str:
    """The chart in words, for those who cannot see it."""
    found = rows(record)
    parts = []
    for panel in PANELS:
        ratios = ", ".join(f"{name} {label}" for name, _, label in bars(found, panel))
        parts.append(f"{panel.title}: {ratios}.")
    return "CPU time of one thread, relative to cranfield. " + " ".join(parts)


def chart(record: dict[str, Any], scheme: str) -> str:
    """The chart as SVG."""
    colors, found = SCHEMES[scheme], rows(record)
    lines: list[str] = []
    top = 0
    for panel in PANELS:
        shown = bars(found, panel)
        lines += drawn(panel.title, shown, top, colors)
        top += HEAD + len(shown) * (BAR + GAP) + 10
    size = f'viewBox="0 0 {WIDTH} {top}" width="{WIDTH}" height="{top}"'
    font = 'font-family="system-ui, -apple-system, Segoe UI, Helvetica, Arial, sans-serif"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size} {font} font-size="13" role="img">'
    title = f"<title>{escape(described(record))}</title>"
    return "\n".join([head, title, *lines, "</svg>", ""])


def drawn(
    title: str, shown: list[tuple[str, float, str]], top: int, colors: dict[str, str]
) -> Iterator[str]:
    """The lines of a panel."""
    yield (
        f'<text x="{LEFT}" y="{top + 20}" fill="{colors["ink"]}" font-weight="600">'
        f"{escape(title)}</text>"
    )
    longest = max(ratio for _, ratio, _ in shown)
    for number, (name, ratio, label) in enumerate(shown):
        y = top + HEAD + number * (BAR + GAP)
        width = max(2.0, (WIDTH - LEFT - RIGHT) * ratio / longest)
        ours = name == "cranfield"
        weight = ' font-weight="600"' if ours else ""
        middle = y + BAR / 2 + 4.5
        yield (
            f'<text x="{LEFT - 8}" y="{middle:g}" text-anchor="end" fill="{colors["ink"]}"'
            f"{weight}>{escape(name)}</text>"
        )
        fill = colors["ours" if ours else "theirs"]
        yield f'<rect x="{LEFT}" y="{y}" width="{width:.1f}" height="{BAR}" rx="2" fill="{fill}"/>'
        yield (
            f'<text x="{LEFT + width + 8:.1f}" y="{middle:g}" fill="{colors["soft"]}"'
            f"{weight}>{escape(label)}</text>"
        )
