"""Makes the files that follow from the registry of measures.

``python docs/generate.py`` writes them; with ``--check`` nothing is written,
and the exit status is 1 if one of them is not what would be written.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from cranfield._core import families

ROOT = Path(__file__).resolve().parent.parent
NOTICE = "Generated from the registry by docs/generate.py; change the measure's file instead."


def spelling(family: dict[str, Any]) -> str:
    """The name with its cutoff, as one writes it."""
    cutoff = {"none": "", "optional": "`, `{0}@k", "required": "@k", "recall": "@t"}
    name: str = family["name"]
    return "`" + (name + cutoff[family["cutoff"]].format(name)) + "`"


def takes(family: dict[str, Any]) -> list[str]:
    """The lines of the reference about arguments."""
    lines = [
        f"- `{p['name']}`: {p['text']}; {p['values']}"
        + (f"; default `{p['default']}`" if p["default"] else "")
        for p in family["parameters"]
    ]
    if family["rel"]:
        lines.append("- `rel`: the lowest grade that counts as relevant; default `1`")
    if family["gain"]:
        lines.append('- `gain`: `{grade: gain, ...}` or `"binary"`; default: the grade is the gain')
    prime = "`'` condenses the list to its judged documents" if family["prime"] else "no `'`"
    return [
        *lines,
        f"- {prime}; summary over topics: {family['aggregate']}; range {family['range']}",
    ]


def reference(registry: list[dict[str, Any]]) -> str:
    """``docs/measures.md``."""
    lines = [
        "# Measures",
        "",
        f"<!-- {NOTICE} -->",
        "",
        "Every measure with its definition, its source and an example worked by hand; a test",
        "checks each example, and each measure is checked against a slow twin written from its",
        "definition. In formulas R is the number of documents judged relevant, N the number judged",
        "not relevant, n the length of the list, c(r) the number of relevant documents among the",
        "first r and g(r) the gain at rank r.",
        "",
        "A measure is written `name(parameter=value,...)'@cutoff`. Names match without regard to",
        "case; `'` (or `.prime`, easier in a shell) is the condensed list; `@k` is a cutoff.",
        "",
    ]
    group = ""
    for family in registry:
        if family["group"] != group:
            group = family["group"]
            lines += [f"## {group[0].upper()}{group[1:]}", ""]
        lines += [f"### {family['name']}", "", f"{spelling(family)}: {family['summary']}", ""]
        lines += [family["prose"], "", "```text", family["formula"], "```", "", *takes(family)]
        if family["aliases"]:
            lines.append(f"- also written {', '.join(f'`{a}`' for a in family['aliases'])}")
        lines += [
            f"- source: {family['citation']}",
            "",
            "| measure | judgments | list | value |",
            "|---|---|---|---|",
        ]
        for e in family["examples"]:
            measure = e["measure"].replace("|", "\\|")
            value = f"{e['value']:.6g}"
            lines.append(
                f"| `{measure}` | {e['judgments']} | {e['list']} | {value}: {e['working']} |"
            )
        lines.append("")
    return "\n".join(lines)


def module(registry: list[dict[str, Any]]) -> str:
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
        *[f'    "{name}",' for name in sorted(family["name"] for family in registry)],
        "]",
    ]
    for family in registry:
        name = family["name"]
        lines += ["", f'{name} = Measure("{name}")', f'"""{family["summary"]}', ""]
        lines += [f"{family['formula']}", "", f"Source: {family['citation']}", '"""']
    return "\n".join(lines) + "\n"


def main() -> int:
    """Writes or checks the files."""
    registry = families()
    files = {
        ROOT / "docs" / "measures.md": reference(registry),
        ROOT / "python" / "cranfield" / "measures.py": module(registry),
    }
    stale = [
        path
        for path, content in files.items()
        if not path.exists() or path.read_text(encoding="utf-8") != content
    ]
    if "--check" in sys.argv[1:]:
        for path in stale:
            print(f"{path.relative_to(ROOT)} is not fresh: run `make docs`", file=sys.stderr)
        return 1 if stale else 0
    for path in stale:
        path.write_text(files[path], encoding="utf-8")
        print(f"wrote {path.relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
