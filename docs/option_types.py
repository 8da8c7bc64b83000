"""What is made from the core's options: their types, ``evaluate``, their table."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeAlias

from cranfield._cli.parser import flag_of
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
    if option["takes"] == "columns":
        return "Mapping[str, str] | None"
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
        "    from collections.abc import Mapping",
        "",
        "    from cranfield._base.progress import ProgressLike",
        "    from cranfield._core import Limits",
        "",
    ]
    for option in options:
        if option["takes"] == "word":
            words = ", ".join(f'"{word}"' for word in option["words"])
            name = _alias(option["name"])
            alias = _fitted(f"{name}: TypeAlias = Literal[{words}]", "")
            lines += [*alias, f'"""{_sentence(option)}"""', ""]
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


def _fitted(line: str, indent: str) -> list[str]:
    """A line as the formatter breaks it if it is too long: within its brackets."""
    if len(line) <= 100:
        return [line]
    head, rest = line.split("[", 1)
    words, tail = rest.rsplit("]", 1)
    broken = [f"{head}[", f"{indent}    {words}", f"{indent}]{tail}"]
    if " | None" in tail:
        broken[2:] = [f"{indent}]", f"{indent}{tail.strip()}"]
    return broken


def _sentence(option: dict[str, Any]) -> str:
    return f"The values of ``{option['name']}``."


_OF_CALLS = (
    ("limits", "Limits | None", "Limits on decompression and on the length of lines."),
    (
        "progress",
        "ProgressLike",
        "``None`` shows a bar on a terminal for work over a second, ``True`` always, ``False`` "
        "never. A function is called about ten times a second and at the end with the runs "
        "finished and the bytes read.",
    ),
    (
        "lengths",
        "Mapping[Any, float] | None",
        '{document: length} for measures such as "R@tokens=4000" or "R@chars=4000": the tokens or '
        "characters of every retrieved document, judged or not, unless the runs have them in a "
        'column ("tokens", "chars").',
    ),
)
"""Options of every function that reads and works: name, type, and what they are about."""


def _parameter(option: dict[str, Any]) -> str:
    """An option as ``evaluate`` takes it: another return type is not among its values."""
    name, words = option["name"], [word for word in option["words"] if word != "bounds"]
    kind = {"count": "int", "flag": "bool", "columns": "Mapping[str, str]"}.get(option["takes"])
    if kind is None:
        kind = f"Literal[{', '.join(map(_quoted, words))}]"
    if option["takes"] == "flag":
        return f"{name}: {kind} = False"
    if option["otherwise"]:
        return f"{name}: {kind} | None = None"
    return f"{name}: {kind} = {_quoted(words[0])}"


def _quoted(word: str) -> str:
    return f'"{word}"'


def _between(text: str, before: str, after: str, lines: Iterable[str]) -> str:
    """The text with other lines between the first ``before`` and the next ``after``."""
    head, rest = text.split(before, 1)
    _, tail = rest.split(after, 1)
    return "".join([head, before, *(f"{line}\n" for line in lines), after, tail])


def evaluator(text: str) -> str:
    """``python/cranfield/_scoring/evaluator.py`` with the options of ``evaluate`` made again."""
    options = evaluating_options()
    signature = [
        line for option in options for line in _fitted(f"    {_parameter(option)},", "    ")
    ]
    signature += [f"    {name}: {kind} = None," for name, kind, _ in _OF_CALLS]
    names = [option["name"] for option in options] + [name for name, _, _ in _OF_CALLS]
    about = [option["about"] for option in options] + [about for _, _, about in _OF_CALLS]
    described: list[str] = []
    for name, words in zip(names, about, strict=True):
        described += [f"    {name}", *textwrap.wrap(words, 80, **_INDENT)]
    text = _between(text, "    # Generated options:\n", ") -> Scores:\n", signature)
    return _between(text, "        Judged@10.\n", "\n    Returns\n", described)


_INDENT: dict[str, Any] = {
    "initial_indent": " " * 8,
    "subsequent_indent": " " * 8,
    "break_on_hyphens": False,
}


def _rows() -> Iterator[Iterable[str]]:
    for option in evaluating_options():
        values = " ".join(f"`{word}`" for word in option["words"])
        otherwise = option["otherwise"]
        if option["takes"] == "columns":
            values = f"{otherwise}, or `KIND=COLUMN,...`"
        elif option["takes"] == "count":
            values = f"a number, or {otherwise}"
        elif option["takes"] == "flag":
            values = f"{otherwise}, on"
        elif option["name"] == "run_layout":
            values = f"{otherwise}, or {values}"
        flag = flag_of(option["name"])
        yield f"`{option['name']}`", f"`{flag}`", values, option["trec_eval"]


def options_page(text: str) -> str:
    """The page of options with a fresh table."""
    before, rest = text.split(f"{BEGIN}\n", 1)
    _, after = rest.split(f"{END}\n", 1)
    rows = [("keyword", "flag", "values", "`trec_eval`"), ("---",) * 4, *_rows()]
    rows += [
        ("`limits`", "`--max-ratio` `--max-unpacked` `--max-line`", "see [limits](#limits)", ""),
        ("`progress`", "`--no-progress` `--quiet`", "see [progress](#progress)", ""),
        ("`lengths`", "`--lengths`", "see [budgets](../howto/budgets.md)", ""),
    ]
    table = "".join(f"| {' | '.join(row)} |\n".replace("|  |", "| |") for row in rows)
    table = table.replace("| --- | --- | --- | --- |", "|---|---|---|---|")
    return f"{before}{BEGIN}\n\n{table}\n{END}\n{after}"
