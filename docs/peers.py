"""``docs/reference/peers.md``: where values differ from other tools, and how that was verified."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from registry import TOOLS, Family, Tool, tool_of

VERIFIED = {
    "trec_eval": "`cranfield trec_eval` prints the same bytes for the files of trec_eval's own "
    "tests and 514 "
    "of 520 edge cases, each for versions 9.0.8 of 2020, 9.0.8 of 2023, and 10.0. The other six "
    "are cases "
    "where trec_eval crashes or prints traces of its work. Of 30,000 random collections the "
    "29,631 that "
    "trec_eval can score have equal output.",
    "pytrec_eval": "Random collections with ties and negative grades and every measure that it "
    "has, "
    'with `scores="f32"`: the same to the last bit. Its own tests pass when run on '
    "[cranfield's replacement](../howto/hosts/pytrec_eval.md).",
    "ir_measures": "Its own tests pass with [cranfield's hook](../howto/hosts/ir_measures.md). "
    "What fails "
    "there also fails without cranfield.",
    "ranx": "Its tests of metrics, `evaluate`, `compare`, and reports (49) pass on "
    "[cranfield's replacement](../howto/hosts/ranx.md).",
    "NTCIREVAL": "1,008,085 values of 28 runs on CAsT 2021 and Cranfield, to ten decimals: none "
    "differs. "
    "Also 28,000 values of its command `1click`.",
    "pyNTCIREVAL": "The tests call it on small and random cases.",
    "MATTERS": "73,258 values of CRP and Twist on 1,040 random rankings, 106 of them excepted by "
    "the "
    "differences below, and 28,200 values of Markov precision; its code was run in Octave.",
    "gdeval": "21,390 values on CAsT 2021, Cranfield, and TREC-8, to the printed digits: none "
    "differs.",
    "cwl_eval": "The tests call it on random rankings, measure by measure.",
    "BEIR": "Fifty calls with and without [cranfield's hook](../howto/hosts/beir.md), with ties "
    "and "
    "wrong input among them: the same to the last bit "
    "([all hosts](../howto/hosts/programs.md)).",
    "MTEB": "As BEIR, with [its hook](../howto/hosts/mteb.md): the same to the last bit.",
    "sklearn": "The tests compare with recorded and computed values of its functions.",
    "sample_eval": "22,188 values on runs of three collections and strata of TREC Precision "
    "Medicine 2017 "
    "and 2018: none differs.",
    "statAP_MQ_eval": "154,476 values of versions 3 and 4; none differs except those of the "
    "differences "
    "below and of topics without a relevant document.",
    "compatibility": "7,130 values of 25 runs: none differs.",
    "ndeval": "21,420 values of 15 runs with three settings: none differs.",
    "RBU.java": "Compared by reading its source.",
    "nuggetizer": "2,000 random cases, to 1e-15.",
    "arena-rank": "2,000 random cases, to 2e-3 rating points, where its optimizer stops.",
}
"""How values of a tool were compared; without an entry, with what it printed for small cases."""

BY_EXAMPLE = "Compared with what it prints for small cases."

BEGIN = "<!-- Generated from the measures' files and docs/peers.py by docs/generate.py: -->"
END = "<!-- end of the tools -->"


def _entries(registry: list[Family], tool: Tool) -> Iterator[tuple[str, str, str, str]]:
    """The measure here, the tool's name, our spelling and the difference, for each peer."""
    for family in registry:
        for peer in family["peers"]:
            if tool_of(peer["tool"]) is tool:
                version = peer["tool"].removeprefix(tool.name).strip()
                spelling = f"`{peer['spelling']}`" + (f" ({version})" if version else "")
                here = peer["here"] or family["name"]
                difference = peer["difference"].removesuffix(f"is {here} here").rstrip(": ")
                yield family["name"], spelling, here, difference


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def _section(registry: list[Family], tool: Tool) -> Iterator[str]:
    entries = list(_entries(registry, tool))
    if not entries:
        return
    yield f"## {tool.name}"
    yield ""
    yield f"Version {tool.version}: {tool.what}."
    yield ""
    yield f"* Ties: {tool.ties}."
    yield f"* Topics: {tool.topics}."
    yield f"* Grades: {tool.grades}."
    yield f"* Verified: {VERIFIED.get(tool.name, BY_EXAMPLE)}"
    yield ""
    other = [entry for entry in entries if entry[3] or entry[2] != entry[0]]
    same = [spelling for _, spelling, here, difference in entries if not difference and here]
    if other:
        yield "| its measure | here | difference |"
        yield "|---|---|---|"
        for _, spelling, here, difference in other:
            yield f"| {_cell(spelling)} | `{_cell(here)}` | {_cell(difference) or 'another name'} |"
        yield ""
    agreeing = [text for text, count in Counter(same).items() if count]
    if agreeing:
        yield f"Equal: {', '.join(agreeing)}."
        yield ""


def peers_page(text: str, registry: list[Family]) -> str:
    """The page with its sections about tools made again."""
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    assert begin, f"the page lacks the line {BEGIN}"
    assert end, f"the page lacks the line {END}"
    lines = [line for tool in TOOLS for line in _section(registry, tool)]
    return "\n".join([f"{before}{begin}", "", *lines, f"{end}{after}"])
