"""``cranfield measures``: what there is, and what a measure is.

Lists the measures, or explains one: definition, parameters, example, other tools. Also finds
statistics, studies and terms, by any name that papers or other tools give them.

examples:
  cranfield measures
  cranfield measures nDCG
  cranfield measures 'mean average precision'
  cranfield measures kappa
  cranfield measures Sakai
"""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator
from typing import Any

from cranfield._base.text import readable, wrapped
from cranfield._cli import options, output
from cranfield._cli.names import Found
from cranfield._cli.parser import Parser
from cranfield._measures.pages import WIDTH, page


def parser() -> Parser:
    """The arguments of the command."""
    return options.command(
        "measures",
        __doc__,
        options.option("name NAME", nargs="?", type=readable),
        options.changed("--format", choices=("text", "json"), default="text"),
    )


def run(args: Namespace) -> int:
    """Carries the command out."""
    from cranfield._cli import names

    said, found = ("", [*names.measures()]) if args.name is None else names.search(args.name)
    if args.format == "json":
        import json

        content: dict[str, Any] = {"schema_version": 1}
        content["measures"] = [one.family for one in found if one.family]
        if args.name is not None:
            others = (one._asdict() for one in found if not one.family)
            content["others"] = [{key: one[key] for key in OF_OTHERS} for one in others]
        text = json.dumps(content, ensure_ascii=False, indent=1)
    elif args.name is None or len(found) > 1:
        text = "\n".join(_listing(found))
    else:
        width = min(output.width() or WIDTH, WIDTH)
        text = page(found[0].family, width) if found[0].family else names.page(found[0], width)
    output.write(
        output.STDOUT, f"{said}\n\n{text}\n" if said and args.format == "text" else f"{text}\n"
    )
    return 0


OF_OTHERS = ("name", "group", "summary", "names", "see")
"""What JSON has of what is found and is no measure."""


def _listing(found: list[Found]) -> Iterator[str]:
    """A line for each thing under the name of its group."""
    groups: dict[str, list[Found]] = {}
    for one in found:
        groups.setdefault(one.group, []).append(one)
    width, room = max(len(one.name) for one in found), output.width()
    for place, (group, members) in enumerate(groups.items()):
        if place:
            yield ""
        yield group
        for one in members:
            text = f"  {one.name:<{width}}  {one.summary}"
            yield wrapped(text, room, " " * (width + 4))
