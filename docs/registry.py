"""The contents that both forms of the measures reference share: families and other tools."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, NamedTuple

Family = dict[str, Any]
"""A family of measures as ``cranfield._core.families`` gives it."""

NOTATION = (
    "In formulas R is the number of documents judged relevant, N the number judged not relevant, "
    "n the length of the ranking, c(r) the number of relevant documents among the first r and g(r) "
    "the gain at rank r."
)


class Tool(NamedTuple):
    """A tool, with the facts that hold for all of its measures."""

    name: str
    version: str
    what: str
    ties: str
    topics: str
    grades: str


HEADINGS = ("Tool", "Version", "What it is", "Equal scores", "Topics", "Grades")
"""The fields of a tool in words."""

TOOLS = (
    Tool(
        "trec_eval",
        "8.1, 9.0.8, 10.0",
        "NIST's program in C; an entry names a version if others lack the measure",
        "the document id that comes last in byte order ranks first, as here; scores are single "
        "precision up to the tag v9.0.8 of 2020",
        "those in both run and judgments; with -c all of the judgments, as here",
        "whole numbers; a negative one is pooled and not judged, as here",
    ),
    Tool(
        "pytrec_eval",
        "0.5.11 (pytrec-eval-terrier)",
        "trec_eval 9.0.8 as a Python module; listed only where it differs from trec_eval",
        "as trec_eval, in single precision",
        "those in both run and judgments",
        "as trec_eval",
    ),
    Tool(
        "ir_measures",
        "0.4.3",
        "one interface to several programs, mostly to pytrec_eval",
        "those of the program that it runs",
        "all of the judgments; a missing one counts 0, as here",
        "those of the program that it runs",
    ),
    Tool(
        "ranx",
        "0.3.21",
        "Python with numba",
        "documents with equal scores stay in the order of the run",
        "run and judgments must have the same; make_comparable=True fills in 0",
        "a negative one has no gain; bpref counts it as judged not relevant",
    ),
    Tool(
        "NTCIREVAL",
        "190111",
        "Sakai's programs in C and shell",
        "rankings keep their order; scores are not read",
        "one at a time; one without a relevant document is refused",
        "levels with gains given on the command line; there are no negative ones",
    ),
    Tool(
        "pyNTCIREVAL",
        "0.0.3",
        "a part of NTCIREVAL in Python",
        "rankings keep their order; scores are not read",
        "one at a time; it fails if nothing relevant was retrieved",
        "as NTCIREVAL",
    ),
    Tool(
        "MATTERS",
        "of 2020",
        "the University of Padua's package in MATLAB",
        "as trec_eval, when it reads a file",
        "those of the judgments, all of which the run must have; NaN without a relevant document",
        "ordered degrees, the lowest of which is not relevant",
    ),
    Tool(
        "gdeval",
        "1.3",
        "the web track's script in Perl; prints five decimals",
        "the document id that comes last ranks first, as here",
        "those with a relevant document; ids must be numbers",
        "whole numbers up to 4; a negative one is 0",
    ),
    Tool(
        "cwl_eval",
        "1.0.12",
        "the C/W/L family of user models, in Python",
        "rankings keep their order, and are padded or cut to 1000 ranks",
        "those of the run",
        "gains between 0 and 1",
    ),
    Tool(
        "rbp_eval",
        "1.0.0",
        "rank-biased precision with its residual, and dcg_eval",
        "RBP averages the weights of documents with equal scores",
        "those in both run and judgments",
        "whole ones are taken as binary unless -f, -F or -m is given; negative ones are refused",
    ),
    Tool(
        "BEIR",
        "2.2.0",
        "pytrec_eval for nDCG, MAP, recall and P, own code for the rest; means have five decimals",
        "as pytrec_eval; in its own measures the order of the run",
        "those of the run; its own measures divide by those of the judgments",
        "as pytrec_eval",
    ),
    Tool(
        "MTEB",
        "2.26.24",
        "pytrec_eval for most measures, own code for a few; most means have five decimals",
        "as pytrec_eval; in its own measures doubles, the last document id first",
        "those of the run; each must be in the judgments",
        "as pytrec_eval",
    ),
    Tool(
        "sklearn",
        "1.9.1",
        "functions of arrays: they see only the documents that they are given",
        "averaged in ndcg_score and dcg_score",
        "a row of the arrays is a topic",
        "negative ones are refused by ndcg_score",
    ),
    Tool(
        "sample_eval",
        "of 10 October 2011",
        "the script in Perl for stratified samples of a pool",
        "the document id that comes last ranks first, as here",
        "those in both run and judgments",
        "-1 is pooled and not judged",
    ),
    Tool(
        "statAP_MQ_eval",
        "3 and 4",
        "the script in Perl for judgments with inclusion probabilities",
        "in no fixed order",
        "those in both run and judgments",
        "whole numbers; 0 is judged not relevant",
    ),
    Tool(
        "inst_eval",
        "of 2015",
        "INST and its residual, in Python",
        "rankings keep their order",
        "those of the run",
        "grades are divided by the highest of all judgments",
    ),
    Tool(
        "compatibility",
        "of 2021",
        "Clarke's program for compatibility, in Python",
        "the document id that comes first ranks first",
        "those in both run and judgments that have a relevant document",
        "any numbers; those above 0 are preferences",
    ),
    Tool(
        "ndeval",
        "4.5",
        "the web track's program in C for diversity",
        "the rank column; with -traditional the document id that comes last ranks first, as here",
        "those in both run and judgments; one without a relevant document counts 0",
        "those above 1 are 1; negative ones are an error",
    ),
    Tool(
        "RBU.java",
        "of 2018",
        "the program of the authors of RBU, compared by reading its source, not by running it",
        "in the order of the file",
        "all of the judgments; a missing one counts 0, as here",
        "any numbers; the highest of an intent is that of the topic",
    ),
    Tool(
        "pref_eval",
        "of 2023",
        "preferences between runs, in Python",
        "in the order of the file",
        "those of both runs and judgments",
        "those above 0 are relevant",
    ),
    Tool(
        "nuggetizer",
        "of 2024",
        "makes, assigns and counts nuggets, in Python",
        "it reads answers, not rankings",
        "each line of its files",
        "vital or okay; support, partial_support or not_support",
    ),
    Tool(
        "RAGDoll",
        "castorini, of 2026",
        "support, rubrics and battles of TREC's RAG track, in Python",
        "it reads answers, not rankings",
        "each line of its files",
        "support 2, 1, 0 and -1; verdicts on criteria",
    ),
    Tool(
        "Auto-ARGUE",
        "hltcoe, of 2025",
        "judges and scores reports, in Python",
        "it reads reports, not rankings",
        "each report",
        "vital or okay nuggets",
    ),
    Tool(
        "arena-rank",
        "0.1.1",
        "Bradley-Terry ratings of battles, in Python with JAX",
        "it reads battles, not rankings",
        "all battles together",
        "a winner or a tie",
    ),
    Tool(
        "fair-trec",
        "trec2021-fair-public",
        "the metrics of TREC's fair ranking track, in Python",
        "rankings keep their order",
        "one at a time",
        "groups of documents, or membership proportions",
    ),
    Tool(
        "ir_metrics",
        "of 2016",
        "measures of sessions and of effort, in Python",
        "rankings keep their order",
        "one session at a time",
        "whole numbers",
    ),
)
"""The tools that a measure's ``peers`` may name, by the first word."""

DIFFERS = "≠"
"""Marks a tool none of whose entries agrees."""


def tool_of(name: str) -> Tool:
    """The tool of a peer; ``trec_eval 10`` is one version of ``trec_eval``."""
    first = name.split()[0]
    for tool in TOOLS:
        if tool.name == first:
            return tool
    raise LookupError(f"docs/registry.py does not describe {name}")


def groups(registry: Iterable[Family]) -> dict[str, list[Family]]:
    """The families under their headings, both in the order of the registry."""
    found: dict[str, list[Family]] = {}
    for family in registry:
        found.setdefault(family["group"], []).append(family)
    return found


def title(group: str) -> str:
    """A group's name as a heading."""
    return group[0].upper() + group[1:]


def forms(family: Family) -> list[str]:
    """The spellings of a name: plain, with its cutoff, or both; with arguments that it needs."""
    name: str = family["name"]
    if "call" in family:
        return [family["call"]]
    if name.endswith("-"):
        return [f"{name}X"] if name == "EC-" else [f"{name}X", f"{name[:-1]}#-X"]
    least = family["least"]
    cutoffs = {
        "none": [least],
        "optional": [least, f"{least}@k"],
        "required": [f"{least}@k"],
        "recall": [f"{least}@t"],
    }
    return cutoffs[family["cutoff"]]


class Parameter(NamedTuple):
    """A parameter in words."""

    name: str
    text: str
    values: str
    default: str


def parameters(family: Family) -> list[Parameter]:
    """The family's own parameters, and those that many families share."""
    own = [Parameter(p["name"], p["text"], p["values"], p["default"]) for p in family["parameters"]]
    if family["rel"]:
        own.append(Parameter("rel", "the lowest grade that counts as relevant", "a number", "1"))
    if family["gain"]:
        values = '{grade: gain, ...} or "binary"'
        own.append(Parameter("gain", "the gain of each grade", values, "the grade"))
    return own


def better(family: Family) -> str:
    """Which values of a family are better, by default."""
    if family["name"].endswith("-"):
        return "as the measure behind it"
    return family["better"] or "neither higher nor lower"


def also_in(family: Family) -> list[tuple[str, bool]]:
    """The tools that compute a family, each with whether one of its entries agrees with ours.

    A version of a tool is named only if its other versions lack the family.
    """
    agree: dict[str, bool] = {}
    named = {peer["tool"] for peer in family["peers"]}
    for peer in family["peers"]:
        tool = peer["tool"]
        if tool == tool_of(tool).name or tool_of(tool).name not in named:
            agree[tool] = agree.get(tool, False) or not peer["difference"]
    return list(agree.items())


def names(registry: Iterable[Family]) -> frozenset[str]:
    """All names and aliases, in small letters."""
    return frozenset(name.lower() for f in registry for name in (f["name"], *f["aliases"]))


def key(spelling: str, known: frozenset[str]) -> str:
    """A spelling without its variable parts: case, arguments, prime, cutoff.

    ``docs/page.html`` has the same function for the text of the search box.
    """
    if spelling.lower().strip() in known:
        return spelling.lower().strip()
    text = re.sub(r"\(.*?\)", "", spelling.lower().strip())
    text = re.split(r"[ ,']", text)[0]
    return text if text in known else re.sub(r"(?:_at_|[@._])(?:k|t|\d+(?:\.\d+)?)$", "", text)
