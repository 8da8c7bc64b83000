"""How tables look as HTML: in notebooks, and on every page that the commands write."""

from __future__ import annotations

import os
from functools import cache

_STATIC = os.path.join(os.path.dirname(__file__), "static")


@cache
def static(name: str) -> str:
    """A style sheet or script of the folder ``static``."""
    with open(os.path.join(_STATIC, name), encoding="utf-8") as file:
        return file.read()


def notebook(body: str) -> str:
    """HTML as a notebook shows it beside its own.

    Tables look as on a page. Their properties come from the colour around them, since a
    notebook may be dark where the system is light.
    """
    # Wide tables scroll by themselves, not the notebook with them.
    style = f"<style>\n{static('notebook.css')}{static('scores.css')}</style>"
    return f'<div class="cranfield" style="overflow-x: auto">\n{style}\n{body}\n</div>'
