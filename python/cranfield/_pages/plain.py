"""A page of tables alone: what the commands write as HTML, in the design of reports."""

from __future__ import annotations

import re

from markupsafe import Markup

from cranfield._base.text import escaped
from cranfield._pages.page import page
from cranfield._pages.templating import Section, rendered
from cranfield._table.style import static

ROOM = re.compile(r' style="width: ([0-9]+)ch"')
"""How much room stands above the values of a column."""


def html(title: str, heading: str, body: str) -> str:
    """The page; ``body`` is HTML with tables, in which everything from data is escaped."""
    # Names from data have no tags: those are escaped.
    before, *tables = body.split("<table>")
    body = before
    for number, table in enumerate(tables, 1):
        label = f"{escaped(heading)}, table {number}"
        body += f'<div class="scroll" tabindex="0" role="region" aria-label="{label}">\n<table>'
        body += table.replace("</table>", "</table>\n</div>")
    # The policy of pages allows no style in attributes.
    rooms = sorted(set(map(int, ROOM.findall(body))))
    body = ROOM.sub(r' class="room\1"', body)
    rules = "".join(f".cranfield .room{room} {{ width: {room}ch; }}\n" for room in rooms)
    section = rendered("plain.html", body=Markup(body))
    style = static("scores.css") + rules
    return page(title, (), [Section("tables", heading, section)], style=style, scripts=None)
