"""``cranfield measures``: what there is, and what a measure is."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator

from cranfield._base.text import readable, wrapped
from cranfield._cli import output
from cranfield._cli.options import changed, command
from cranfield._cli.parser import Parser, option
from cranfield._measures import pages as measure_page
from cranfield._measures.pages import spelling

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def parser() -> Parser:
    """The arguments of the command."""
    return command(
        "measures",
        "Lists the measures, or explains one: definition, parameters, example, other tools.",
        "examples:\n  cranfield measures\n  cranfield measures nDCG\n  cranfield measures nugget",
        option(
            "name",
            "NAME",
            "a measure, in any accepted spelling, or a word to search for",
            nargs="?",
            type=readable,
        ),
        changed("--format", "text (default) or JSON", choices=("text", "json"), default="text"),
    )


def run(args: Namespace) -> int:
    """Carries the command out."""
    everything = measure_page.registry()
    chosen = everything if args.name is None else measure_page.chosen(args.name)
    if args.format == "json":
        import json

        content = {"schema_version": 1, "measures": chosen}
        text = json.dumps(content, ensure_ascii=False, indent=1)
    elif args.name is None or len(chosen) > 1:
        text = "\n".join(_listing(chosen))
    else:
        room = output.width() or measure_page.WIDTH
        text = measure_page.page(chosen[0], min(room, measure_page.WIDTH))
    output.write(output.STDOUT, f"{text}\n")
    return 0


def _listing(registry: list[dict[str, Any]]) -> Iterator[str]:
    """A line for each family under the name of its group."""
    groups: dict[str, list[dict[str, Any]]] = {}
    for family in registry:
        groups.setdefault(family["group"], []).append(family)
    width, room = max(len(spelling(family)) for family in registry), output.width()
    for place, (group, members) in enumerate(groups.items()):
        if place:
            yield ""
        yield group
        for family in members:
            text = f"  {spelling(family):<{width}}  {family['summary']}"
            yield wrapped(text, room, " " * (width + 4))
