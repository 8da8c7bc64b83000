"""``python/cranfield/option_types.py`` and the guide's table, from the core's options."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeAlias

from cranfield._core import evaluating_options

BEGIN = "<!-- Generated from the evaluating options by docs/generate.py: -->"
END = "<!-- end of the evaluating options -->"

_Chosen: TypeAlias = Callable[[dict[str, Any]], bool]

_CLASSES: tuple[tuple[str, str, tuple[str, ...], _Chosen], ...] = (
    (
        "OrderOptions",
        "Options about how runs are read and ordered, and how the work is done.",
        ("reading", "ranking", "work"),
        lambda option: option["name"] != "depth",
    ),
    (
        "RankingOptions",
        "These, and how deep lists are looked at.",
        ("ranking",),
        lambda option: option["name"] == "depth",
    ),
    (
        "ScoringOptions",
        "These, and what becomes a score; one order of equal scores is looked at.",
        ("scoring",),
        lambda option: option["name"] != "ties",
    ),
    (
        "EvaluatingOptions",
        "All options of evaluating.",
        ("scoring",),
        lambda option: option["name"] == "ties",
    ),
)


def _alias(name: str) -> str:
    return "".join(word.title() for word in name.split("_"))


def _type(option: dict[str, Any]) -> str:
    """The type of a value; ``None`` where that differs from naming the default."""
    if option["takes"] == "flag":
        return "bool"
    own = _alias(option["name"]) if option["takes"] == "word" else "int"
    return f"{own} | None" if option["otherwise"] else own


def option_types(notice: str) -> str:
    """The module of the options' types."""
    options = evaluating_options()
    lines = [
        '"""The types of the evaluating options, for type checkers and editors.',
        "",
        notice,
        '"""',
        "",
        "from __future__ import annotations",
        "",
        "from typing import TYPE_CHECKING, Literal, TypeAlias, TypedDict",
        "",
        "if TYPE_CHECKING:",
        "    from cranfield._core import Limits",
        "    from cranfield.inputs.progress import ProgressLike",
        "",
    ]
    for option in options:
        if option["takes"] == "word":
            words = ", ".join(f'"{word}"' for word in option["words"])
            name = _alias(option["name"])
            lines += [f"{name}: TypeAlias = Literal[{words}]", f'"""{_sentence(option)}"""', ""]
    base = "TypedDict"
    for name, summary, stages, chosen in _CLASSES:
        lines += ["", f"class {name}({base}, total=False):", f'    """{summary}"""', ""]
        if base == "TypedDict":
            lines += ["    limits: Limits | None", "    progress: ProgressLike"]
        found = (o for o in options if o["stage"] in stages and chosen(o))
        lines += [f"    {option['name']}: {_type(option)}" for option in found]
        lines.append("")
        base = name
    return "\n".join(lines).rstrip() + "\n"


def _sentence(option: dict[str, Any]) -> str:
    return f"The values of ``{option['name']}``."


def _rows() -> Iterator[Iterable[str]]:
    for option in evaluating_options():
        values = " ".join(f"`{word}`" for word in option["words"])
        otherwise = option["otherwise"]
        if option["takes"] == "count":
            values = f"a number, or {otherwise}"
        elif option["takes"] == "flag":
            values = f"{otherwise}, on"
        elif option["name"] == "run_layout":
            values = f"{otherwise}, or {values}"
        flag = f"--{option['name'].replace('_', '-')}"
        yield f"`{option['name']}`", f"`{flag}`", values, option["trec_eval"]


def guide(text: str) -> str:
    """The guide with a fresh table of options."""
    before, rest = text.split(f"{BEGIN}\n", 1)
    _, after = rest.split(f"{END}\n", 1)
    rows = [("keyword", "flag", "values", "`trec_eval`"), ("---",) * 4, *_rows()]
    rows += [
        ("`limits`", "`--max-ratio` `--max-line`", "see [limits](#limits)", ""),
        ("`progress`", "`--no-progress` `--quiet`", "see [progress](#progress)", ""),
    ]
    table = "".join(f"| {' | '.join(row)} |\n".replace("|  |", "| |") for row in rows)
    table = table.replace("| --- | --- | --- | --- |", "|---|---|---|---|")
    return f"{before}{BEGIN}\n\n{table}\n{END}\n{after}"
