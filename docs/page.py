"""``docs/measures.html``: the reference of measures as one self-contained page.

The template with its style and script is ``page.html``; this module fills in
its placeholders ``<!--{name}-->``. Its properties and the rules of its elements are
those of reports.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from html import escape
from pathlib import Path

from cranfield._cli.names import other_names, studies
from cranfield._measures.pages import divided
from cranfield._table.writers import static
from registry import (
    DIFFERS,
    HEADINGS,
    NOTATION,
    TOOLS,
    Family,
    Parameter,
    also_in,
    better,
    forms,
    groups,
    key,
    names,
    parameters,
    title,
    tool_of,
)

TEMPLATE = Path(__file__).with_name("page.html")
HOLE = re.compile(r"<!--\{(\w+)\}-->")


def page(registry: list[Family], notice: str) -> str:
    """The whole page."""
    known = names(registry)
    parts = {
        "notice": f"<!-- {notice} -->",
        "style": static("base.css").rstrip(),
        "families": "\n".join(families(registry)),
        "measures": "\n".join(measures(registry, known)),
        "others": "\n".join(others()),
        "notation": escape(NOTATION),
        "tools": "\n".join(tools()),
        "number": str(len(registry)),
    }
    return HOLE.sub(lambda hole: parts[hole[1]], TEMPLATE.read_text(encoding="utf-8"))


def anchor(text: str) -> str:
    """Text as the id of a group or a tool; families are their own ids."""
    return re.sub(r"\W+", "-", text.lower())


def code(text: str) -> str:
    """Text in code font."""
    return f"<code>{escape(text)}</code>"


def codes(texts: Iterable[str]) -> str:
    """Several texts in code font."""
    return ", ".join(map(code, texts))


def families(registry: list[Family]) -> Iterator[str]:
    """The table by family: a body for each group."""
    for group, members in groups(registry).items():
        yield f'<tbody data-group="{anchor(group)}">'
        yield f'<tr class="group"><th colspan="4" scope="rowgroup">{escape(title(group))}</th></tr>'
        for family in members:
            name = escape(family["name"])
            also = ", ".join(tool_mark(tool, agrees) for tool, agrees in also_in(family))
            yield (
                f'<tr data-row="{name}"><th scope="row"><a href="#{name}">{name}</a></th>'
                f'<td class="written">{codes(forms(family))}</td>'
                f"<td>{escape(family['summary'])}</td>"
                f'<td class="also">{also}</td></tr>'
            )
        yield "</tbody>"


def tool_mark(tool: str, agrees: bool) -> str:
    """A tool in the table by family."""
    if agrees:
        return tool
    return f'<span class="differs">{tool}&nbsp;{DIFFERS}</span>'


def measures(registry: list[Family], known: frozenset[str]) -> Iterator[str]:
    """The sections of all measures under the headings of their groups."""
    for group, members in groups(registry).items():
        name = anchor(group)
        yield f'<section class="group" id="{name}" data-group="{name}">'
        yield f"<h2>{escape(title(group))}</h2>"
        for family in members:
            yield from section(family, known)
        yield "</section>"


def section(family: Family, known: frozenset[str]) -> Iterator[str]:
    """The section of a family."""
    name = escape(family["name"])
    tools = " ".join(sorted({tool_of(peer["tool"]).name.lower() for peer in family["peers"]}))
    yield f'<article class="measure" id="{name}" data-tools="{tools}"'
    yield f'data-search="{escape(haystack(family))}">'
    here = f'<a class="here" href="#{name}" aria-label="Link to {name}">#</a>'
    yield f'<h3 tabindex="-1">{name} {here}</h3>'
    yield f'<p class="written">{codes(forms(family))}</p>'
    yield f'<p class="summary">{escape(family["summary"])}</p>'
    yield f'<pre class="formula">{escape(family["formula"])}</pre>'
    yield f"<p>{escape(family['prose'])}</p>"
    yield from facts(family, known)
    if parameters(family):
        yield from parameter_table(parameters(family))
    if family["peers"]:
        yield from peer_table(family, known)
    yield from examples(family)
    yield "</article>"


def haystack(family: Family) -> str:
    """The text that is searched: a line for each name, then one line with the rest."""
    spellings = [peer["spelling"] for peer in family["peers"]]
    lines = ["", family["name"], *family["aliases"], *spellings]
    rest = "; ".join(family[field] for field in ("group", "summary", "citation"))
    return "\n".join((*lines, f" {rest}")).lower()


def others() -> Iterator[str]:
    """What a search finds besides measures: studies, terms and names of other tools."""
    for one in (*studies(), *other_names()):
        text = " ".join((one.name, *one.names, one.summary, *one.see)).lower()
        see = f" See {codes(one.see)}." if one.see else ""
        yield (
            f'<li data-search="{escape(text)}" hidden>{code(one.name)} '
            f"{escape(one.summary)}{see}</li>"
        )


CUTOFFS = {
    "none": "none: the whole list",
    "optional": "@k, or the whole list",
    "required": "@k",
    "recall": "@t, a recall level from 0 to 1",
}
AGGREGATES = {
    "mean": "mean",
    "sum": "sum",
    "geometric": "geometric mean, each value at least 0.00001",
    "pooled": "the share of all topics together",
}


def facts(family: Family, known: frozenset[str]) -> Iterator[str]:
    """The short facts about a family."""
    listed = []
    for term, aliases in zip(
        ("Also written", "Also called"), divided(family["aliases"]), strict=True
    ):
        if aliases:
            listed.append(
                (term, codes(aliases) if term == "Also written" else escape(", ".join(aliases)))
            )
    if "call" in family:
        listed.append(("Form", "a Python function"))
    else:
        listed += of_a_list(family)
    listed.append(("Range", escape(family["range"])))
    listed.append(("Source", escape(family["citation"])))
    own = "|".join(sorted({key(n, known) for n in (family["name"], *family["aliases"])}))
    yield f'<dl class="facts" data-keys="{escape(own)}">'
    for term, text in listed:
        yield f"<div><dt>{term}</dt><dd>{text}</dd></div>"
    yield "</dl>"


def of_a_list(family: Family) -> Iterator[tuple[str, str]]:
    """The facts about a measure of one list."""
    yield "Cutoff", escape(CUTOFFS[family["cutoff"]])
    if family["budget"]:
        yield (
            "Budget",
            code("@chars=") + " " + code("@tokens=") + " " + code("@cost=") + " " + code("@calls="),
        )
    yield "Condensed list", code(f"{family['least']}'") if family["prime"] else "not defined"
    if family["rel"]:
        yield "Relevant is", f"a grade of at least {code('rel')}"
    elif family["gain"]:
        yield "Relevant is", f"a {code('gain')} above 0"
    yield "Over topics", AGGREGATES[family["aggregate"]]
    yield "Better", better(family)


def table(kind: str, heading: str, header: Iterable[str], rows: Iterable[str]) -> Iterator[str]:
    """A table under a heading."""
    yield f"<h4>{heading}</h4>"
    yield f'<table class="{kind}"><thead><tr>'
    yield "".join(f'<th scope="col">{cell}</th>' for cell in header)
    yield "</tr></thead><tbody>"
    yield from rows
    yield "</tbody></table>"


def parameter_table(listed: list[Parameter]) -> Iterator[str]:
    """The parameters with their values and defaults."""
    rows = (
        f'<tr><th scope="row">{code(p.name)}</th><td>{escape(p.text)}</td>'
        f"<td>{escape(p.values)}</td><td>{default(p)}</td></tr>"
        for p in listed
    )
    header = ("Parameter", "Meaning", "Values", "Default")
    return table("parameters", "Parameters", header, rows)


def default(parameter: Parameter) -> str:
    """A default, as code unless it is a phrase."""
    words = " " in parameter.default
    return escape(parameter.default) if words or not parameter.default else code(parameter.default)


def peer_table(family: Family, known: frozenset[str]) -> Iterator[str]:
    """The other tools that compute it, and how their values differ."""
    rows = (
        f'<tr data-key="{escape(key(p["spelling"], known))}">'
        f'<th scope="row"><a href="#tool-{tool_of(p["tool"]).name}">{escape(p["tool"])}</a></th>'
        f"<td>{code(p['spelling'])}</td><td>{difference(p)}</td></tr>"
        for p in family["peers"]
    )
    header = ("Tool", "Spelling", "Its value")
    return table("peers", "Other tools that compute it", header, rows)


def difference(peer: dict[str, str]) -> str:
    """How another tool's value differs; the equivalent spelling here is set as code."""
    text, here = peer["difference"], peer.get("here")
    if not text:
        return '<span class="same">the same</span>'
    said = escape(text)
    if here:
        said = f"{escape(text.removesuffix(f'{here} here'))}{code(here)} here"
    return f'<span class="differs">{said}</span>'


def examples(family: Family) -> Iterator[str]:
    """The examples worked by hand, each with a drawing of the list."""
    many = len(family["examples"]) > 1
    yield f"<h4>{'Worked examples' if many else 'Worked example'}</h4>"
    for e in family["examples"]:
        if "call" in family:
            yield f'<pre class="formula">{escape(e["measure"])}</pre>'
            yield f'<p class="working">{e["value"]:.6g}: {escape(e["working"])}</p>'
            continue
        grades = dict(pair.split(";")[0].split("=") for pair in e["judgments"].split())
        retrieved = e["list"].split()
        yield '<figure class="example">'
        yield f"<figcaption>{code(e['measure'])} = <b>{e['value']:.6g}</b></figcaption>"
        yield '<ol class="list">'
        for document in retrieved:
            yield f"<li>{drawn(document, grades.get(document))}</li>"
        yield "</ol>"
        missing = [document for document in grades if document not in retrieved]
        if missing:
            boxes = "".join(drawn(document, grades[document]) for document in missing)
            yield f'<p class="missing">judged, not retrieved: {boxes}</p>'
        if ";" in e["judgments"]:
            yield f'<p class="missing">judgments: {code(e["judgments"])}</p>'
        yield f'<p class="working">{escape(e["working"])}</p>'
        yield "</figure>"


def drawn(document: str, grade: str | None) -> str:
    """A document with its grade."""
    if grade is None:
        kind, shown, said = "unjudged", "?", "not judged"
    elif float(grade) < 0:
        kind, shown, said = "unjudged", grade, "pooled, not judged"
    elif float(grade) == 0:
        kind, shown, said = "other", grade, "judged not relevant"
    else:
        kind, shown, said = "relevant", grade, f"relevant, grade {grade}"
    return (
        f'<span class="document {kind}" title="{escape(document)}: {said}">'
        f"{escape(document)}<sub>{escape(shown)}</sub></span>"
    )


def tools() -> Iterator[str]:
    """The table of tools; on a narrow screen its cells carry the headings."""
    yield "<thead><tr>"
    yield "".join(f'<th scope="col">{heading}</th>' for heading in HEADINGS)
    yield "</tr></thead><tbody>"
    for tool in TOOLS:
        cells = "".join(
            f'<td data-label="{heading}">{flags(text)}</td>'
            for heading, text in zip(HEADINGS[1:], tool[1:], strict=True)
        )
        yield f'<tr id="tool-{tool.name}"><th scope="row">{tool.name}</th>{cells}</tr>'
    yield "</tbody>"


def flags(text: str) -> str:
    """Text with command-line flags set as code, so that no line breaks after a dash."""
    return re.sub(r"(?<![\w-])-\w\b", lambda flag: code(flag[0]), escape(text))
