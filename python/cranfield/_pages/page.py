"""A whole page: sections in the base template, with its style, its script and its policy."""

from __future__ import annotations

import base64
import hashlib
import json
import zlib
from functools import cache

from markupsafe import Markup

from cranfield._core import __version__
from cranfield._pages import templating
from cranfield._table.style import static

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from cranfield._pages.templating import Section

SCRIPTS = ("tables.js", "exports.js")
"""The scripts of every page."""

SHEETS = ("base.css", "page.css")
"""The style sheets of every page."""


def page(
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
    policy = "; ".join(
        [
            "default-src 'none'",
            f"style-src {_hash(style)}",
            *([f"script-src {_hash(script)}"] if script else []),
            "img-src data:",
            "base-uri 'none'",
            "form-action 'none'",
        ]
    )
    return str(
        templating.rendered(
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
