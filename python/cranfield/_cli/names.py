"""What people look for: measures, functions, studies, commands and terms by any of their names."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from importlib import import_module
from typing import Any, NamedTuple

import cranfield
from cranfield._base.errors import nearest
from cranfield._base.text import catalogue
from cranfield._core import Error, parse_measures, refusals
from cranfield._measures.pages import registry, spelling


class Found(NamedTuple):
    """One thing that a search can find."""

    name: str
    """How it is written."""
    group: str
    """The heading that it is listed under."""
    summary: str
    """One sentence."""
    names: tuple[str, ...] = ()
    """What it is called besides."""
    text: str = ""
    """What else is searched: sources, and all that is said of a function."""
    see: tuple[str, ...] = ()
    """What to take, of a term."""
    family: dict[str, Any] | None = None
    """The entry in the registry, of a measure."""


def everything() -> list[Found]:
    """All that a search can find, measures first."""
    return [*measures(), *_functions(), *studies(), *_commands(), *_terms()]


def measures() -> Iterator[Found]:
    """The measures, in the order of the reference."""
    for family in registry():
        names = (family["name"], *family["aliases"])
        tools = " ".join(f"{peer['tool']} {peer['spelling']}" for peer in family["peers"])
        text = f"{family['citation']} {tools}"
        group, summary = family["group"], family["summary"]
        yield Found(spelling(family), group, summary, names, text, family=family)


def _functions() -> Iterator[Found]:
    """The public functions of the package that are not measures."""
    measures = {family["name"] for family in registry()}
    seen: set[int] = set()
    for module in ("", *cranfield._MODULES):
        owner = import_module(f"cranfield.{module}".rstrip("."))
        for name in getattr(owner, "__all__", ()):
            function = getattr(owner, name)
            if name in measures or isinstance(function, (type, cranfield.Measure)):
                continue
            text = function.__doc__ or ""
            if not callable(function) or id(function) in seen or not text:
                continue
            seen.add(id(function))
            summary = " ".join(text.strip().partition("\n\n")[0].split())
            called = f"cf.{module}.{name}".replace("..", ".")
            yield Found(called, "functions", summary, (name,), text)


def studies() -> Iterator[Found]:
    """The named studies."""
    from cranfield.study import STUDIES

    return _entries("cranfield study ", "studies", STUDIES.items())


def _commands() -> Iterator[Found]:
    from cranfield._cli import COMMANDS

    return _entries("cranfield ", "commands", COMMANDS.items())


def other_names() -> Iterator[Found]:
    """Terms, and names of other tools that are refused or have no counterpart."""
    yield from _terms()
    yield from _entries("", "other names", refusals())


def _entries(before: str, group: str, texts: Iterable[tuple[str, str]]) -> Iterator[Found]:
    """A thing for each name with a text that becomes a sentence."""
    for name, text in texts:
        yield Found(f"{before}{name}", group, f"{text[0].upper()}{text[1:]}.", (name,))


def _terms() -> Iterator[Found]:
    for entry in catalogue(__file__, "names.toml")["name"]:
        names, see = (entry["name"], *entry["aliases"]), tuple(entry["see"])
        yield Found(entry["name"], "other names", entry["summary"], names, see=see)


def page(found: Found, width: int) -> str:
    """What is known of something that is no measure: all of a function, what to take of a term."""
    import inspect
    from textwrap import wrap

    lines = wrap(f"{found.name}: {found.summary}", width, break_on_hyphens=False)
    if found.text:
        lines += ["", *inspect.cleandoc(found.text).partition("\n\n")[2].splitlines()]
    if len(found.names) > 1:
        called = f"Also called: {', '.join(found.names[1:])}"
        lines += wrap(called, width, initial_indent="  ", subsequent_indent="  ")
    if found.see:
        known = {one.names[0] if one.family else one.name: one for one in everything()}
        lines += ["", "See"]
        for name in found.see:
            text = f"{name}: {known[name].summary}"
            lines += wrap(text, width, initial_indent="  ", subsequent_indent="      ")
    return "\n".join(lines)


def search(query: str) -> tuple[str, list[Found]]:
    """What a query finds, and a sentence about it where the name means another thing elsewhere.

    Raises ``Error`` (kind "measure") if it finds nothing.
    """
    ours, query = [*measures()], re.sub(r"\[?@[knKN]\]?$", "", query)
    if found := [one for one in ours if query in one.names]:
        return "", found
    said = ""
    try:
        wanted = {measure.family for measure in parse_measures(query)}
        return "", [one for one in ours if one.family and one.family["name"] in wanted]
    except Error as error:
        failed, said = error, _refusal(query, str(error))
        if error.kind != "measure" and not said:
            raise
    every = everything()
    found = _elsewhere(query, said, ours)
    if not said:
        found = found or _called(query, every) or _mentioned(query, every)
    if not found:
        raise _unknown(failed, query, every)
    return said, found


def _refusal(query: str, message: str) -> str:
    """What is said of a name that means another thing elsewhere; of hit ratio as of hit_ratio."""
    if " is refused: " in message or " elsewhere is " in message:
        return message.partition("\n")[0]
    if len(words := query.split()) < 2:
        return ""
    try:
        parse_measures("_".join(words))
    except Error as error:
        return str(error) if " is refused: " in str(error) else ""
    return ""


def _called(query: str, every: Sequence[Found]) -> list[Found]:
    """Whatever has the query as a name, as it is or without a cutoff, and words that many add."""
    for asked in dict.fromkeys((_plain(query), *_shorter(query))):
        joined = asked.replace(" ", "")
        if found := [one for one in every if joined in map(_joined, one.names)]:
            return found
    return []


def _joined(name: str) -> str:
    return _plain(name).replace(" ", "")


def _elsewhere(query: str, said: str, ours: Sequence[Found]) -> list[Found]:
    """The measures of other tools with this spelling, and those that a refusal proposes."""
    asked, proposed = _without_numbers(query), set(re.findall(r"[\w+]+", said))
    found = []
    for one in ours:
        family = one.family or {}
        spelled = (_without_numbers(peer["spelling"]) for peer in family["peers"])
        if family["name"] in proposed or asked in spelled:
            found.append(one)
    return found


def _mentioned(query: str, every: Sequence[Found]) -> list[Found]:
    """What has all words of the query in its names, or else in its summary and its sources."""
    words = [re.escape(word) for word in _plain(query).split()]
    if not any(len(word) > 2 for word in words):
        return []

    def has(text: str) -> bool:
        plain = _plain(text)
        return all(re.search(rf"\b{word}", plain) for word in words)

    named = [one for one in every if has(" ".join((one.name, *one.names)))]
    named = named or [one for one in every if has(f"{one.summary} {one.text}")]
    return sorted(named, key=lambda one: not _plain(one.summary).startswith(_plain(query)))


def _unknown(error: Error, query: str, every: Sequence[Found]) -> Error:
    """The error for a name that leads nowhere, with the nearest names."""
    from cranfield._base.errors import failure, short

    if error.kind != "measure" or not re.search(r"\s", query.strip()):
        return error
    known = {name.lower(): name for one in every for name in one.names}
    near = [known[name] for name in nearest(query.lower(), known, 3)]
    hint = f"did you mean {' or '.join(near)}?" if near else "`cranfield measures` lists all"
    return failure("measure", f"nothing is called {short(query)}; {hint}")


_SPELLED = (
    ("['\u2019](s\\b)?", ""),
    (r"\bavep\b|\baverage precision\b", "ap"),
    (r"[^\w+#%&@.]+|_+", " "),
    (r"\bcumulated\b", "cumulative"),
    (r"([a-z]{3})is(ed?|ation|ing)\b", r"\1iz\2"),
)
"""What is spelled in two ways, and the one that is compared."""

_ADDED = r"\b(retrieval|document|score|metric|evaluator|measure|mean|the|of|based|non ?llm)\b"
"""Words that tools add to names."""


@cache
def _plain(text: str) -> str:
    """Text as it is compared: lower case, without accents and signs between words."""
    from unicodedata import combining, normalize

    text = "".join(sign for sign in normalize("NFKD", text) if not combining(sign)).lower()
    for pattern, spelled in _SPELLED:
        text = re.sub(pattern, spelled, text)
    return text.strip()


def _shorter(query: str) -> Iterator[str]:
    """The query without its cutoff, then without words that tools add, at last in single words."""
    camel = re.sub(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", " ", query)
    for text in (query, camel):
        short = re.sub(
            r"[@. ]+(\d+|[kn])$|( at)? (\d+|[kn]|five|ten|twenty)$", "", _plain(text)
        ).strip()
        yield short
        yield " ".join(re.sub(_ADDED, " ", short).split())


def _without_numbers(text: str) -> str:
    """A spelling of any tool in lower case, without the numbers at its end."""
    return re.sub(r"[@._][-\d.,]+$", "", text.lower())
