"""``cranfield measures``: what there is, and what a measure is."""

from __future__ import annotations

from cranfield._core import Error, families, forms, parse_measures
from cranfield.cli import output
from cranfield.cli.arguments import Parser
from cranfield.inputs.sources import readable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Iterator
    from typing import Any

WIDTH = 79


def parser() -> Parser:
    """The arguments of the command."""
    parser = Parser(
        "cranfield measures",
        "Lists the measures, or explains one: definition, parameters, example, other tools.",
        "examples:\n  cranfield measures\n  cranfield measures nDCG",
    )
    parser.add_argument(
        "name",
        metavar="NAME",
        nargs="?",
        type=readable,
        help="a measure, in any accepted spelling",
    )
    parser.add_argument("--format", choices=("text", "json"), default="text")
    return parser


def run(args: Namespace) -> int:
    """Carries the command out."""
    registry = [*families(), *forms()]
    chosen = registry if args.name is None else _chosen(registry, args.name)
    if args.format == "json":
        import json

        content = {"schema_version": 1, "measures": chosen}
        text = json.dumps(content, ensure_ascii=False, indent=1)
    elif args.name is None or len(chosen) > 1:
        text = "\n".join(_listing(chosen))
    else:
        text = "\n".join(_explained(chosen[0]))
    output.write(output.STDOUT, f"{text}\n".encode())
    return 0


def _chosen(registry: list[dict[str, Any]], name: str) -> list[dict[str, Any]]:
    """The families that a name or a measure's full text belongs to."""
    lower = name.lower()
    for family in registry:
        if lower in (known.lower() for known in (family["name"], *family["aliases"])):
            return [family]
    try:
        wanted = {measure.family for measure in parse_measures(name)}
    except Error as error:
        # Refused: its page says what the name means elsewhere.
        wanted = {
            family["name"]
            for family in registry
            for peer in family["peers"]
            if _without_numbers(peer["spelling"]) == _without_numbers(name)
        }
        if error.kind != "measure" or not wanted:
            raise
    return [family for family in registry if family["name"] in wanted]


def _without_numbers(spelling: str) -> str:
    """A spelling of any tool in lower case, without the numbers at its end."""
    import re

    return re.sub(r"[@._][-\d.,]+$", "", spelling.lower())


def _spelling(family: dict[str, Any]) -> str:
    """The name with its cutoff: ``P@k``, ``AP[@k]``."""
    cutoffs = {"none": "", "optional": "[@k]", "required": "@k", "recall": "@level"}
    return f"{family['name']}{cutoffs[family['cutoff']]}"


def _listing(registry: list[dict[str, Any]]) -> Iterator[str]:
    """A line for each family under the name of its group."""
    groups: dict[str, list[dict[str, Any]]] = {}
    for family in registry:
        groups.setdefault(family["group"], []).append(family)
    width = max(len(_spelling(family)) for family in registry)
    for place, (group, members) in enumerate(groups.items()):
        if place:
            yield ""
        yield group
        for family in members:
            yield f"  {_spelling(family):<{width}}  {family['summary']}"


def _explained(family: dict[str, Any]) -> Iterator[str]:
    """Everything that the registry knows about a family."""
    yield f"{_spelling(family)}: {family['summary']}"
    if family["aliases"]:
        yield from _wrapped(f"Also accepted: {', '.join(family['aliases'])}", "  ")
    for paragraph in family["prose"].strip().split("\n\n"):
        yield ""
        yield from _wrapped(paragraph)
    yield from ("", "Formula")
    yield from _wrapped(family["formula"], "  ")
    if family["parameters"]:
        yield from ("", "Parameters")
        for parameter in family["parameters"]:
            default = f"={parameter['default']}" if parameter["default"] else ""
            yield f"  {parameter['name']}{default}  ({parameter['values']})"
            yield from _wrapped(parameter["text"], "      ")
    yield from ("", "Forms")
    yield from _forms(family)
    yield from ("", "Citation")
    yield from _wrapped(family["citation"], "  ")
    if family["peers"]:
        yield from ("", "Also in (with the same value, by default)")
        yield from _peers(family)
    yield from ("", "Examples")
    for example in family["examples"]:
        yield f"  {example['measure']} = {example['value']:.10g}"
        for part in ("judgments", "list", "working"):
            yield f"    {part:<9}  {example[part]}"


def _forms(family: dict[str, Any]) -> Iterator[str]:
    yield f"  cutoff: {family['cutoff']}"
    yield f"  condensed list ('): {'yes' if family['prime'] else 'no'}"
    if family["rel"]:
        yield "  takes rel (default 1)"
    if family["gain"]:
        yield "  takes gain (default: the grade)"
    yield f"  over topics: {family['aggregate']}"
    yield f"  range: {family['range']}"
    if family["name"].endswith("-"):
        yield "  better: as the measure behind it"
    else:
        yield f"  better: {family['better'] or 'neither higher nor lower'}"


def _peers(family: dict[str, Any]) -> Iterator[str]:
    """What other tools call it, and how their values differ."""
    width = max(len(peer["tool"]) for peer in family["peers"])
    for peer in family["peers"]:
        yield f"  {peer['tool']:<{width}}  {peer['spelling']}"
        if peer["difference"]:
            yield from _wrapped(peer["difference"], "      ")


def _wrapped(text: str, indent: str = "") -> list[str]:
    from textwrap import wrap

    return wrap(" ".join(text.split()), WIDTH, initial_indent=indent, subsequent_indent=indent)
