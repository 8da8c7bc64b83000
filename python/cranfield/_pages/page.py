"""Whole pages: templates to sections, and sections in the base template with its style, its
script and its policy. Everything from data is escaped by the templates and nowhere else.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from cranfield._base.text import counted, escaped, printable, pvalue
from cranfield._core import __version__
from cranfield._pages.table import exact, linked, minus, named, number_text, percent, signed, tau
from cranfield._stats.registry import CORRECTIONS, TESTS
from cranfield._table.writers import static

SCRIPTS = ("tables.js", "exports.js")
"""The scripts of every page."""

SHEETS = ("base.css", "page.css")
"""The style sheets of every page."""

ROOM = re.compile(r' style="width: ([0-9]+)ch"')
"""How much room stands above the values of a column."""


def html(
    title: str,
    facts: Sequence[str],
    sections: Sequence[Section],
    *,
    scripts: Sequence[str] | None = (),
    style: str = "",
    data: str | None = None,
) -> str:
    """The page: one file that needs nothing else.

    ``scripts`` are those besides ``SCRIPTS``; None: the page has none at all.
    """
    style = "".join(map(static, SHEETS)) + style
    script = "" if scripts is None else "\n".join(map(static, (*SCRIPTS, *scripts)))
    allowed = f"style-src {_hash(style)}{f'; script-src {_hash(script)}' if script else ''}"
    policy = f"default-src 'none'; {allowed}; img-src data:; base-uri 'none'; form-action 'none'"
    return str(
        rendered(
            "base.html",
            title=title,
            facts=facts,
            sections=sections,
            policy=policy,
            style=Markup(style),
            script=Markup(script),
            data=data,
            version=__version__,
        )
    )


def packed(content: Any) -> str:
    """What the script of a page works with: JSON, deflated, in base64."""
    return deflated(json.dumps(content, separators=(",", ":"), allow_nan=False).encode())


def deflated(content: bytes) -> str:
    """Bytes as a page holds them: deflated, in base64."""
    return base64.b64encode(zlib.compress(content, 9)).decode()


@cache
def _hash(text: str) -> str:
    """What the policy calls a style or a script: the hash of its text."""
    digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
    return f"'sha256-{digest}'"


def of_tables(title: str, heading: str, body: str) -> str:
    """The page; ``body`` is HTML with tables, in which everything from data is escaped."""
    # Names from data have no tags: those are escaped.
    before, *tables = body.split("<table>")
    body = before
    for place, table in enumerate(tables, 1):
        label = f"{escaped(heading)}, table {place}"
        body += f'<div class="scroll" tabindex="0" role="region" aria-label="{label}">\n<table>'
        body += table.replace("</table>", "</table>\n</div>")
    # The policy of pages allows no style in attributes.
    rooms = sorted(set(map(int, ROOM.findall(body))))
    body = ROOM.sub(r' class="room\1"', body)
    rules = "".join(f".cranfield .room{room} {{ width: {room}ch; }}\n" for room in rooms)
    section = rendered("plain.html", body=Markup(body))
    style = static("scores.css") + rules
    return html(title, (), [Section("tables", heading, section)], style=style, scripts=None)


@dataclass(frozen=True)
class Section:
    """A part of a page: its anchor, its heading and what stands under it."""

    id: str
    title: str
    body: Markup

    def named(self, anchor: str) -> Section:
        """The same under another anchor."""
        return Section(anchor, self.title, self.body)


def section(template: str, heading: str, /, **context: Any) -> Section:
    """The section that the template of this name makes."""
    return Section(template, heading, rendered(f"{template}.html", **context))


def rendered(template: str, /, **context: Any) -> Markup:
    """A template with its holes filled."""
    return Markup(environment().get_template(template).render(**context))


@cache
def environment() -> Environment:
    """The templates of this package, with the filters that they use."""
    found = Environment(
        loader=PackageLoader("cranfield._pages"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=False,
    )
    found.filters.update(
        shown=printable,
        minus=minus,
        n=number_text,
        signed=signed,
        percent=percent,
        p=pvalue,
        exact=exact,
        counted=counted,
        tau=tau,
        named=named,
        linked=linked,
        test=lambda name: TESTS[name].title,
        method=CORRECTIONS.__getitem__,
    )
    return found
