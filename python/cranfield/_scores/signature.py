"""The signature: one line that says what a number was computed with, and from which it is repeated.

``AP|qrels:0ec855473948954e|topics:50|missing:zero|...|version:cranfield-0.1.0 = 0.2399``
"""

from __future__ import annotations

import math
from collections.abc import Mapping

from cranfield._base.errors import failure
from cranfield._base.options import EVALUATING, all_in_effect, checked, several, text, wrong
from cranfield._base.scores_like import ScoresKind
from cranfield._base.text import number
from cranfield._core import Error, Measure, __version__
from cranfield._io.columns import as_columns

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from cranfield._core import Qrels, SpanQrels

OPTIONS = tuple(name for name, option in EVALUATING.items() if option["separates"])
"""The evaluating options that can change a score."""

_FIRST = (
    *("collection", "group", "qrels", "topics", "t"),
    *("missing", "undefined", "order", "scores", "ties", "duplicates", "negative", "depth"),
    *(name for name in OPTIONS if name not in ("missing", "undefined", "order", "scores", "ties")),
)
_KEYS = (*dict.fromkeys((*_FIRST, "run_layout", "columns")),)
"""The order of the keys; those of tests and unknown ones follow, and last the version."""

_SHORT = {"qrels": "q", "topics": "n", "version": "v"}
_LONG = {short: key for key, short in _SHORT.items()}
_VERSION = f"cranfield-{__version__}"


class Origin:
    """The judgments and the options of an evaluator; hashed when first asked for."""

    __slots__ = ("_qrels", "_text", "options")

    def __init__(self, qrels: Qrels | SpanQrels, options: Mapping[str, Any]) -> None:
        self._qrels = qrels
        self.options = options
        self._text: str | None = None

    def __str__(self) -> str:
        if self._text is None:
            given = {name: self.options.get(name) for name in OPTIONS}
            values = _IN_EFFECT | {name: v for name, v in given.items() if v is not None}
            parts = [f"qrels={self._qrels.fingerprint}"]
            # Scores of earlier versions have no such part as own=keep.
            parts += [f"{name}={value}" for name, value in values.items() if value != "keep"]
            self._text = " ".join(parts)
        return self._text

    def has_topics(self, topics: tuple[str, ...]) -> bool:
        """Whether these are all topics of the judgments."""
        return topics == self._qrels.topics


class Signature:
    """What a number was computed with: measures, judgments, topics, options, version.

    ``str`` is the line, ``names|key:value|... = value``. Two signatures are equal if they say
    the same. Immutable.

    Parameters
    ----------
    measures
        The measures in canonical spelling.
    parts
        The rest by key. ``qrels`` is the fingerprint of the judgments, ``topics`` how many
        topics were averaged, ``t`` a hash of their sorted ids where they are not all topics of
        the judgments; then the options in effect, those of a test, and ``version``.
    value
        The number that was printed with it, as text; None if there is none.

    """

    __slots__ = ("measures", "parts", "value")

    @checked
    def __init__(self, measures: Any, parts: Any, value: str | None = None) -> None:
        if isinstance(measures, str) or not isinstance(parts, Mapping):
            raise wrong("measures and parts", "names and a mapping", (measures, parts))
        parts = {text(key, "key"): text(part, "part") for key, part in parts.items()}
        self._fill(several(measures, "measures", text), parts, value)

    def _fill(
        self, measures: Iterable[str], parts: Mapping[str, str], value: str | None
    ) -> Signature:
        """Itself, with the parts in their order."""
        self.measures = tuple(measures)
        known = {key: parts[key] for key in _KEYS if key in parts}
        last = {"version": parts["version"]} if "version" in parts else {}
        others = {key: text for key, text in parts.items() if key not in {**known, **last}}
        self.parts: dict[str, str] = {**known, **others, **last}
        self.value = value
        return self

    @staticmethod
    @checked
    def parse(line: str) -> Signature:
        """The signature that a line holds, in its long or its short form.

        Options that a short form leaves out have their defaults. Unknown keys are kept.
        Raises ``Error``: kind "option" for a line that is no signature, or names a key twice.
        """
        import re

        head, *pairs = line.strip().split("|")
        parts: dict[str, str] = {}
        value = None
        for place, pair in enumerate(pairs):
            key, colon, content = pair.partition(":")
            if place == len(pairs) - 1:
                content, equals, value = content.partition(" = ")
                value = value.strip() if equals else None
            key = _LONG.get(key, key)
            if not colon or not key or not content or re.search(r"\s", key + content):
                raise _no_signature(line, f"{pair!r} is not KEY:VALUE")
            if key in parts:
                raise _no_signature(line, f"the key {key!r} comes twice")
            parts[key] = _decoded(content)
        if not head.strip() or "qrels" not in parts:
            raise _no_signature(line, "it names no measure" if pairs else "it has no |qrels:...")
        if value is not None and not re.fullmatch(r"-?\d+(\.\d+)?([eE][-+]?\d+)?%?", value):
            raise _no_signature(line, f"{value!r} is no number")
        if re.fullmatch(r"cf\S+", parts.get("version", "")):
            parts["version"] = "cranfield-" + parts["version"].removeprefix("cf")
            parts = {**_DEFAULTS, **parts}
        names = re.findall(r"(?:\([^)]*\)|[^\s(])+", head)
        return Signature(map(_canonical, map(_decoded, names)), parts, value)

    @property
    def short(self) -> str:
        """The short form: eight digits of the judgments, and no options at their defaults."""
        parts = {}
        for key, part in self.parts.items():
            if part == _DEFAULTS.get(key):
                continue
            if key == "qrels":
                part = part[:8]
            elif key == "version":
                part = part.replace("cranfield-", "cf", 1)
            parts[_SHORT.get(key, key)] = part
        return self._line(parts)

    @property
    def options(self) -> dict[str, Any]:
        """The evaluating options, as ``evaluate`` takes them."""
        found: dict[str, Any] = {}
        for name, option in EVALUATING.items():
            part = self.parts.get(name)
            if part is None or part == _DEFAULTS.get(name):
                continue
            try:
                if option["takes"] == "count":
                    found[name] = int(part)
                elif option["takes"] == "columns":
                    found[name] = dict(pair.split("=", 1) for pair in part.split(","))
                else:
                    flags = {"yes": True, "no": False}
                    found[name] = flags[part] if option["takes"] == "flag" else part
            except (ValueError, KeyError):
                raise failure("option", f"{name}:{part} in a signature is no value of it") from None
        return found

    def differences(self, scores: ScoresKind) -> list[str]:
        """Why scores do not repeat this signature, a sentence for each reason; none if they do.

        Their judgments, topics and options are compared, and the number where there is one.
        Those of another version of the package are.
        """
        if not isinstance(scores, ScoresKind):
            raise wrong("scores", "Scores", scores)
        own = scores.signature
        if own is None:
            return ["it is not known what the scores were made with"]
        found = []
        for key in ("qrels", "topics", "t", *OPTIONS):
            wanted, its = self.parts.get(key), own.parts.get(key)
            if key == "qrels" and wanted and its:
                its = its[: len(wanted)]
            if key == "t" and wanted and its is None:
                its = topics_hash(scores.topics)
            if wanted != its:
                found.append(f"{key} {its or 'of all'} instead of {wanted or 'of all'}")
        if self.value is None or found:
            return found
        share, percent = self.value.removesuffix("%"), self.value.endswith("%")
        digits = len(share.partition(".")[2])
        for run, row in zip(scores.runs, scores.core.summary(), strict=True):
            value = dict(zip(scores.measures, row, strict=True)).get(self.measures[0], math.nan)
            text = number(value * 100 if percent else value, digits=digits)
            if text != share:
                found.append(f"{run}: {self.measures[0]} is {text} instead of {share}")
        return found

    @checked
    def only(self, measure: str, value: str | None = None) -> Signature:
        """The same of one measure, with a number."""
        return Signature((measure,), self.parts, value)

    def __str__(self) -> str:
        return self._line(self.parts)

    def _line(self, parts: Mapping[str, str]) -> str:
        pairs = [f"{key}:{_encoded(text)}" for key, text in parts.items()]
        value = "" if self.value is None else f" = {self.value}"
        names = (",".join(map(str.lstrip, name.split(","))) for name in self.measures)
        return "|".join([" ".join(map(_encoded, names)), *pairs]) + value

    def __repr__(self) -> str:
        return f"<Signature: {self}>"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Signature) and str(self) == str(other)

    def __hash__(self) -> int:
        return hash(str(self))


def signature_of(scores: ScoresKind, origin: Origin | str | None) -> Signature | None:
    """The signature of scores; None where it is not known what they were made with."""
    if origin is None:
        return None
    fingerprint = dict(part.split("=", 1) for part in str(origin).split(" "))
    qrels = fingerprint.pop("qrels", None)
    if qrels is None:
        return None
    topics = scores.core.topics
    parts = {"qrels": qrels, "topics": str(len(topics))}
    given: Mapping[str, Any] = origin.options if isinstance(origin, Origin) else {}
    if not isinstance(origin, Origin) or not origin.has_topics(topics):
        parts["t"] = topics_hash(topics)
    words = {"None": "all", "True": "yes", "False": "no"}
    options = _DEFAULTS | {name: words.get(text, text) for name, text in fingerprint.items()}
    if (layout := given.get("run_layout")) is not None:
        options["run_layout"] = layout
    if given.get("columns") is not None and (columns := as_columns(given["columns"])):
        options["columns"] = _text(columns)
    measures = map(str, scores.core.measures)
    return _signature(measures, {**parts, **options, "version": _VERSION})


def _signature(
    measures: Iterable[str], parts: Mapping[str, str], value: str | None = None
) -> Signature:
    """A signature of what is known to be valid."""
    return object.__new__(Signature)._fill(measures, parts, value)


def with_test(signature: Signature, options: Mapping[str, Any]) -> Signature:
    """A signature with the options of a test."""
    given = {name: value for name, value in options.items() if name != "baseline"}
    test = {name: _text(value) for name, value in given.items() if value is not None}
    return _signature(signature.measures, {**signature.parts, **test}, signature.value)


def topics_hash(topics: Iterable[str]) -> str:
    """The first eight hexadecimal digits of SHA-256 of the topics, in byte order, one a line."""
    from hashlib import sha256

    lines = sorted(topic.encode("utf-8", "surrogateescape") + b"\n" for topic in topics)
    return sha256(b"".join(lines)).hexdigest()[:8]


def lines_of(
    several: Mapping[str, Signature | None],
    key: str = "group",
    value: str | None = None,
    *,
    short: bool = False,
) -> list[str]:
    """The lines below a table: the signature of each part that has one, the whole without a name.

    ``value`` is the one number of a table that has no other.
    """
    found = []
    for name, signature in several.items():
        if signature is not None:
            parts = {**signature.parts, **({key: name} if name else {})}
            whole = _signature(signature.measures, parts, value)
            found.append(whole.short if short else str(whole))
    return found


def _canonical(name: str) -> str:
    """A measure as the package spells it; another tool's or a function's stays as it is."""
    try:
        return str(Measure(name))
    except Error:
        return name


def _text(value: Any) -> str:
    """The value of an option as the signature has it."""
    if value is None:
        return "all"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if hasattr(value, "items"):
        return ",".join(f"{kind}={column}" for kind, column in value.items())
    return str(value)


_IN_EFFECT = all_in_effect(OPTIONS, {})
"""The options by their defaults."""

_DEFAULTS = {name: _text(value) for name, value in _IN_EFFECT.items()}
"""The same as text."""


def _encoded(text: str) -> str:
    if text.isprintable() and not {" ", "|", "%"}.intersection(text):
        return text
    return "".join(
        "".join(f"%{byte:02X}" for byte in c.encode("utf-8", "surrogateescape"))
        if c in "|%" or c.isspace()
        else c
        for c in text
    )


def _decoded(text: str) -> str:
    import re

    def plain(found: re.Match[str]) -> str:
        return bytes.fromhex(found[0].replace("%", "")).decode("utf-8", "surrogateescape")

    return re.sub(r"(?:%[0-9A-F]{2})+", plain, text)


def _no_signature(text: str, why: str) -> Error:
    expected = "expected a signature, such as AP|qrels:0ec8...|topics:50|version:..."
    return failure("option", f"{expected}, found {text[:80]!r}: {why}")
