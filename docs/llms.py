"""``docs/llms.txt``: an index of the pages for language models (https://llmstxt.org)."""

from __future__ import annotations

import re
from pathlib import Path

SUMMARY = (
    "Python package and command-line tool that scores ranked retrieval runs against relevance "
    "judgments, with significance tests, reports, and drop-in replacements for trec_eval, "
    "pytrec_eval, ir_measures, ranx, BEIR, and MTEB."
)

SECTIONS = ("tutorial", "howto", "howto/hosts", "explanation", "reference")


def llms(docs: Path) -> str:
    """The index: each page by its heading, with its first sentence."""
    lines = ["# cranfield", "", f"> {SUMMARY}", "", "- [Install](install.html)"]
    for section in SECTIONS:
        lines += ["", f"## {section}", ""]
        for path in sorted((docs / section).glob("*.md")):
            if path.stem != "index":
                heading, sentence = _described(path.read_text("utf-8"))
                lines.append(f"- [{heading}]({section}/{path.stem}.html): {sentence}")
    return "\n".join(lines) + "\n"


def _described(text: str) -> tuple[str, str]:
    """The heading of a page and the first sentence below it."""
    text = re.sub(r"^```.*?^```$|^<!--.*?-->$", "", text, flags=re.M | re.S)
    heading, *rest = text.strip().split("\n\n")
    plain = (part for part in rest if part.strip() and part.strip()[0] not in "#|:*-`!")
    first = " ".join(next(plain, "").split())
    first = re.sub(r"\[([^\]]*)\]\([^)]*\)|<[^>]*>", r"\1", first)
    return heading.removeprefix("# ").split("\n")[0], re.split(r"(?<=[.:]) ", first)[0].rstrip(":")
