"""What a measure is, on a page: that of ``cranfield measures NAME``, and of ``help(measure)``."""

from __future__ import annotations

from functools import cache

from cranfield._core import families, forms

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from cranfield._core import Measure

WIDTH = 79


class Page:
    """The docstring of a class of measures, and of each of these the page of its family."""

    def __init__(self, of_class: str | None) -> None:
        self._of_class = of_class

    def __get__(self, measure: Measure | None, owner: type) -> str | None:
        """The text for the class, or for one measure."""
        if measure is None:
            return self._of_class
        found = next(family for family in families() if family["name"] == measure.family)
        return page(found)


def registry() -> list[dict[str, Any]]:
    """Everything that has a page."""
    return [*families(), *forms(), *functions()]


def page(family: dict[str, Any], width: int = WIDTH) -> str:
    """The page of a family; sentences take up to ``width`` columns."""
    return "\n".join(_explained(family, width))


def functions() -> list[dict[str, Any]]:
    """The measures that are Python functions: of answers, battles, several lists."""
    common = {"group": "beyond one list", "rel": False, "gain": False, "parameters": []}
    return [{**common, "peers": [], **one} for one in _entries("functions.toml", "function")]


@cache
def implementations() -> list[dict[str, Any]]:
    """What other implementations are known to compute: the entries of the catalogue."""
    return _entries("implementations.toml", "entry")


def _entries(name: str, key: str) -> list[dict[str, Any]]:
    """The entries of a catalogue beside this file."""
    import os
    import tomllib

    with open(os.path.join(os.path.dirname(__file__), name), "rb") as file:
        found: list[dict[str, Any]] = tomllib.load(file)[key]
    return found


def spelling(family: dict[str, Any]) -> str:
    """How it is written: ``P@k``, ``AP[@k]``, ``ERR(max_rel=3)[@k]``; a function by its name."""
    if "call" in family:
        name: str = family["name"]
        return name
    cutoffs = {"none": "", "optional": "[@k]", "required": "@k", "recall": "@level"}
    return f"{family['least']}{cutoffs[family['cutoff']]}"


def divided(aliases: list[str]) -> tuple[list[str], list[str]]:
    """The names that texts of measures take, and those with spaces, which searches find."""
    said = [alias for alias in aliases if " " in alias]
    return [alias for alias in aliases if alias not in said], said


def _explained(family: dict[str, Any], width: int) -> Iterator[str]:
    """Everything that the registry knows about a family."""
    yield from _wrapped(f"{spelling(family)}: {family['summary']}", width)
    for kind, aliases in zip(("accepted", "called"), divided(family["aliases"]), strict=True):
        if aliases:
            yield from _wrapped(f"Also {kind}: {', '.join(aliases)}", width, "  ")
    for paragraph in family["prose"].strip().split("\n\n"):
        yield ""
        yield from _wrapped(paragraph, width)
    yield from ("", "Formula")
    yield from _wrapped(family["formula"], width, "  ")
    if family["parameters"]:
        yield from ("", "Parameters")
        for parameter in family["parameters"]:
            default = f"={parameter['default']}" if parameter["default"] else ""
            yield f"  {parameter['name']}{default}  ({parameter['values']})"
            yield from _wrapped(parameter["text"], width, "      ")
    if "call" in family:
        yield from ("", "In Python", f"  {family['call']}", f"  range: {family['range']}")
    else:
        yield from ("", "Forms")
        yield from _forms(family)
    yield from ("", "Citation")
    yield from _wrapped(family["citation"], width, "  ")
    if family["peers"]:
        yield from ("", "Also in (with the same value, by default)")
        yield from _peers(family, width)
    yield from _elsewhere(family["name"], width)
    yield from ("", "Examples")
    for example in family["examples"]:
        yield f"  {example['measure']} = {example['value']:.10g}"
        for part in ("judgments", "list", "working"):
            if part in example:
                yield f"    {part:<9}  {example[part]}"


def _forms(family: dict[str, Any]) -> Iterator[str]:
    yield f"  cutoff: {family['cutoff']}"
    if family["budget"]:
        yield "  budget as cutoff: @chars= @tokens= @cost= @calls="
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


def _peers(family: dict[str, Any], room: int) -> Iterator[str]:
    """What other tools call it, and how their values differ."""
    width = max(len(peer["tool"]) for peer in family["peers"])
    for peer in family["peers"]:
        yield f"  {peer['tool']:<{width}}  {peer['spelling']}"
        if peer["difference"]:
            yield from _wrapped(peer["difference"], room, "      ")


def _elsewhere(name: str, width: int) -> Iterator[str]:
    """What other implementations compute under the name of a measure."""
    entries = [entry for entry in implementations() if name in entry["measures"]]
    if entries:
        yield from ("", "What other implementations compute")
    for entry in entries:
        yield f"  {entry['tool']} {entry['version']}".rstrip()
        yield from _wrapped(entry["deviation"], width, "      ")


def _wrapped(text: str, width: int, indent: str = "") -> list[str]:
    from textwrap import wrap

    return wrap(
        " ".join(text.split()),
        width,
        initial_indent=indent,
        subsequent_indent=indent,
        break_long_words=False,
    )
