"""Writes the files generated from the registry of measures, and the README's table of speed.

With ``--check`` nothing is written, and the exit status is 1 if one of them
is out of date.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

from cranfield._core import families
from cranfield._core import forms as other_forms
from functions import FUNCTIONS
from page import page
from reference import (
    DIFFERS,
    HEADINGS,
    NOTATION,
    TOOLS,
    Family,
    also_in,
    better,
    forms,
    groups,
    parameters,
    title,
)
from speed import readme

ROOT = Path(__file__).resolve().parent.parent
NOTICE = "Generated from the registry by docs/generate.py; change the measure's file instead."


def row(*cells: str) -> str:
    """A row of a table."""
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"


def table(*header: str) -> list[str]:
    """The first two rows of a table."""
    return [row(*header), "|---" * len(header) + "|"]


def code(text: str) -> str:
    """Text in code font."""
    return f"`{text}`"


def codes(texts: list[str]) -> str:
    """Several texts in code font."""
    return ", ".join(map(code, texts))


def tools(family: Family) -> str:
    """The tools that compute a family, with a mark if all of a tool's values differ."""
    return ", ".join(tool if agrees else f"{tool} {DIFFERS}" for tool, agrees in also_in(family))


def takes(family: Family) -> list[str]:
    """The lines of the reference about arguments."""
    lines = [
        f"- `{p.name}`: {p.text}; {p.values}" + (f"; default {code(p.default)}" * bool(p.default))
        for p in parameters(family)
    ]
    if "call" in family:
        return [f"- a Python function; range {family['range']}"]
    prime = "`'` condenses the list to its judged documents" if family["prime"] else "no `'`"
    return [
        *lines,
        f"- {prime}; summary over topics: {family['aggregate']}; range {family['range']}; "
        f"better {better(family)}",
    ]


def section(family: Family) -> Iterator[str]:
    """The section of a family."""
    yield from (f"### {family['name']}", "")
    yield from (f"{codes(forms(family))}: {family['summary']}", "")
    yield from (family["prose"], "", "```text", family["formula"], "```", "", *takes(family))
    if family["aliases"]:
        yield f"- also written {codes(family['aliases'])}"
    yield from (f"- source: {family['citation']}", "")
    if family["peers"]:
        yield from ("Other tools that compute it:", "")
        yield from table("tool", "spelling", "difference")
        for p in family["peers"]:
            yield row(p["tool"], code(p["spelling"]), p["difference"])
        yield ""
    given = [] if "call" in family else ["judgments", "list"]
    yield from table("measure", *given, "value")
    for e in family["examples"]:
        value = f"{e['value']:.6g}: {e['working']}"
        yield row(code(e["measure"]), *(e[field] for field in given), value)
    yield ""


def anchored(registry: list[Family]) -> dict[str, str]:
    """The anchor of each family's heading; names that differ by case alone are numbered."""
    anchors: dict[str, str] = {}
    for members in groups(registry).values():
        for name in (family["name"] for family in members):
            before = sum(other.lower() == name.lower() for other in anchors)
            anchors[name] = re.sub(r"[^\w-]", "", name.lower()) + f"-{before}" * bool(before)
    return anchors


def reference(registry: list[Family]) -> str:
    """``docs/measures.md``."""
    anchors = anchored(registry)
    lines = [
        "# Measures",
        "",
        f"<!-- {NOTICE} -->",
        "",
        "Every measure with its definition, its source, what other tools call it and an example",
        "worked by hand. A test checks each example, and each measure is checked against a slow",
        "twin written from its definition. [measures.html](measures.html) is the same as one page",
        "with a search box: open it in a browser.",
        "",
        "The last column names the [tools](#tools) that compute a measure. After a tool",
        f"{DIFFERS} says that by default its value differs from ours; the section of the measure",
        "says how.",
        "",
        *table("measure", "written", "what it is", "also in"),
    ]
    for group, members in groups(registry).items():
        lines.append(row(f"**{title(group)}**", "", "", ""))
        for f in members:
            name = f"[{f['name']}](#{anchors[f['name']]})"
            lines.append(row(name, codes(forms(f)), f["summary"], tools(f)))
    lines += [
        "",
        "A measure is written `name(parameter=value,...)'@cutoff`. Names match without regard to",
        "case; `'` (or `.prime`, easier in a shell) is the condensed list; `@k` is a cutoff.",
        "A prefix of a name says what it is computed over instead of documents: see",
        "[forms](#forms). Measures that look [beyond one list](#beyond-one-list), at another run,",
        "at answers, groups or sessions, are Python functions.",
        NOTATION,
        "",
    ]
    for group, members in groups(registry).items():
        lines += [f"## {title(group)}", ""]
        for family in members:
            lines += section(family)
    lines += [
        "## Tools",
        "",
        "This table has the rules that a tool applies to all of its measures.",
        "",
        *table(*map(str.lower, HEADINGS)),
        *(row(*tool) for tool in TOOLS),
        "",
    ]
    return "\n".join(lines)


def identifier(family: Family) -> str:
    """A family's name as Python can write it."""
    name: str = family["name"]
    return name.replace("+", "_")


def module(registry: list[Family]) -> str:
    """``python/cranfield/measures.py``."""
    lines = [
        '"""Every family of measures as a value: ``nDCG @ 10``, ``Q(beta=1).prime``.',
        "",
        NOTICE,
        '"""',
        "",
        "from cranfield._core import Measure",
        "",
        "__all__ = [",
        *[f'    "{name}",' for name in sorted(map(identifier, registry))],
        "]",
    ]
    for family in registry:
        name = family["name"]
        lines += ["", f'{identifier(family)} = Measure("{name}")', f'"""{family["summary"]}', ""]
        lines += [f"{family['formula']}", "", f"Source: {family['citation']}", '"""']
    return "\n".join(lines) + "\n"


def main() -> int:
    """Writes or checks the files."""
    registry = families()
    described = [*registry, *other_forms(), *FUNCTIONS]
    files = {
        ROOT / "docs" / "measures.md": reference(described),
        ROOT / "docs" / "measures.html": page(described, NOTICE),
        ROOT / "python" / "cranfield" / "measures.py": module(registry),
        ROOT / "README.md": readme(),
    }
    stale = [
        path
        for path, content in files.items()
        if not path.exists() or path.read_text(encoding="utf-8") != content
    ]
    if "--check" in sys.argv[1:]:
        for path in stale:
            print(f"{path.relative_to(ROOT)} is out of date: run `make docs`", file=sys.stderr)
        return 1 if stale else 0
    for path in stale:
        path.write_text(files[path], encoding="utf-8")
        print(f"wrote {path.relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
