"""Which definition gives a printed number: the search, its order, and what a match is worth."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from cranfield import _core
from cranfield._base.errors import failure, label_failure
from cranfield._base.options import checked, finder, several, text, whole
from cranfield._base.progress import Progress, ProgressLike
from cranfield._base.text import counted, number
from cranfield._core import Error, Measure, Qrels, tried_options
from cranfield._io.inputs import QrelsLike, RunsLike, as_qrels, as_runs, loaded
from cranfield._io.sources import Source
from cranfield._measures.pages import implementations
from cranfield._scoring.evaluator import Hosted
from cranfield._table.data_table import COUNT, SHARE, TEXT, DataTable
from cranfield._table.result import Result
from cranfield._table.tables import Part, Signed, Texts

DEVIATION = 3
"""The bits of what other tools compute differently."""


@dataclass(frozen=True)
class Claim:
    """A printed number."""

    text: str
    value: float
    half: float
    """Half a unit of its last digit."""
    label: Measure | None = None
    run: str | None = None
    topic: str | None = None
    percent: bool = False


@dataclass(frozen=True)
class Variant:
    """A definition: a measure, options, how topics are summed up and numbers printed."""

    measure: str
    options: str
    bits: int
    """How far it is from what the label says, or how uncommon it is."""
    differs: tuple[str, ...] = ()
    settings: Mapping[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        return " ".join([self.measure, *(f"({self.options})" * bool(self.options),)]).strip()


@dataclass(frozen=True)
class Match:
    """Definitions that give the numbers, all with the same value in every topic."""

    simplest: Variant
    value: float
    """The value of the first number."""
    same: int
    """How many other definitions cannot be told apart here."""
    signature: str = ""
    """What repeats the value; empty for what this package does not compute."""


@dataclass(frozen=True, repr=False)
class Identification(Result):
    """The definitions that give printed numbers; made by ``identify``."""

    claims: tuple[Claim, ...]
    matches: dict[str, tuple[Match, ...]]
    """For each label ("" without one) the definitions that fit, the simplest first."""
    nearest: dict[str, tuple[Match, ...]]
    """Where none fits, the nearest."""
    tried: int
    """How many definitions were tried."""
    distinct: int
    """How many of them differ here."""
    chance: dict[str, float]
    """How many definitions would give the numbers of a label by accident."""
    labelled: dict[str, float]
    """The value that the label itself has."""
    deciding: dict[str, str]
    """A further number that would tell the definitions of a label apart."""
    granularity: tuple[str, ...]
    """Which numbers cannot be means at all."""

    @property
    def identified(self) -> bool:
        """Whether each label has one definition, or one that is much simpler than the others."""
        return all(_is_clear(found, self.chance[label]) for label, found in self.matches.items())

    def table(self) -> DataTable:
        """A row for each definition that fits."""
        rows = [(label, one) for label, found in self.matches.items() for one in found]
        return DataTable(
            {
                "label": (TEXT, [label for label, _ in rows]),
                "measure": (TEXT, [one.simplest.measure for _, one in rows]),
                "options": (TEXT, [one.simplest.options for _, one in rows]),
                "value": (SHARE, [one.value for _, one in rows]),
                "bits": (COUNT, [one.simplest.bits for _, one in rows]),
                "differs": (TEXT, ["; ".join(one.simplest.differs) for _, one in rows]),
                "same": (COUNT, [one.same for _, one in rows]),
            }
        )

    def headline(self) -> str:
        """How many definitions were tried."""
        return f"<Identification: {counted(self.tried, 'definition')}, {self.distinct} distinct>"

    def _shown(self, form: str, digits: int | None) -> list[Part]:
        parts: list[Part] = []
        for label, found in self.matches.items():
            own = [claim for claim in self.claims if str(claim.label or "") == label]
            parts.append(self._verdict(label, own, found))
            shown = found[:10] or self.nearest.get(label, ())
            if shown:
                texts = Texts(("definition",), ("value", "bits", "differs", "same here"))
                for one in shown:
                    value = number(one.value, digits=6 if digits is None else digits)
                    differs = "; ".join(one.simplest.differs) or "nothing"
                    cells = str(one.simplest), value, str(one.simplest.bits), differs
                    texts.cells.append((*cells, str(one.same)))
                texts.more = max(0, len(found) - 10)
                parts.append(texts)
            if found and found[0].signature and form != "repr":
                parts.append(Signed([found[0].signature]))
            if label in self.deciding:
                parts.append(self.deciding[label])
        return [*parts, *self.granularity]

    def _verdict(self, label: str, own: Sequence[Claim], found: Sequence[Match]) -> str:
        printed = ", ".join(claim.text for claim in own[:4]) + ", ..." * (len(own) > 4)
        said = ""
        if label in self.labelled and not (found and found[0].simplest.bits == 0):
            said = f"Not {label}: that is {number(self.labelled[label])}. "
        tried = f"{self.tried:,} ({self.distinct:,} distinct here)"
        if not found:
            return f"{said}None of {tried} definitions gives {printed}; the nearest:"
        chance = f"{self.chance[label]:.2g} would by accident"
        if _is_clear(found, self.chance[label]):
            what = "One definition" if len(found) == 1 else "The simplest definition"
            return f"{said}Identified: {what} of {tried} gives {printed}; {chance}."
        verb = "definition fits" if len(found) == 1 else "definitions fit"
        return f"{said}{len(found)} {verb} {printed} of {tried}; {chance}."


def _is_clear(found: Sequence[Match], chance: float) -> bool:
    if not found:
        return False
    alone = len(found) == 1 and chance < 0.05
    return (
        alone
        or (len(found) == 1 and found[0].simplest.bits == 0)
        or (len(found) > 1 and found[1].simplest.bits - found[0].simplest.bits >= 4)
    )


def claim_of(text: str, runs: Sequence[str] = ()) -> Claim:
    """The number that a text such as ``P@10=0.3067`` or ``run:AP=16.5%`` claims."""
    left, equals, printed = text.strip().rpartition("=")
    if not re.fullmatch(r"[-+]?(\d+\.?\d*|\.\d+)%?", printed):
        raise failure("number", f"expected a number such as P@10=0.3067, found {text!r}")
    run, label = None, None
    if equals:
        name = left
        for known in runs:
            if left.startswith(f"{known}:"):
                run, name = known, left[len(known) + 1 :]
        if run is None and ":" in left and "{" not in left:
            run, _, name = left.partition(":")
        label = Measure(name) if name else None
    digits = len(printed.removesuffix("%").partition(".")[2])
    is_count = label is not None and label.aggregate == "sum"
    if not digits and not is_count:
        message = "expected digits after the point, which say how exactly it is known"
        raise failure("number", f"{message}, found {text!r}")
    value, half = float(printed.removesuffix("%")), 0.5 * 10.0**-digits
    unit = label is not None and _range(label) == "[0, 1]"
    if value < 0 and (label is None or unit):
        raise failure("number", f"{label or 'a measure'} is not below 0, found {text!r}")
    percent = printed.endswith("%") or (unit and value > 1)
    if percent and value > 100:
        raise failure("number", f"{label or 'a measure'} is at most 100%, found {text!r}")
    if percent:
        value, half = value / 100, half / 100
    return Claim(text.strip(), value, half, label, run, None, percent)


@cache
def _ranges() -> dict[str, str]:
    return {family["name"]: family["range"] for family in _core.families()}


def _range(measure: Measure) -> str:
    return _ranges()[measure.family]


@checked
def identify(
    qrels: QrelsLike | None,
    runs: RunsLike | None,
    numbers: Any,
    *,
    per_topic: Any = None,
    topics: int | None = None,
    progress: ProgressLike = None,
) -> Identification:
    """Names the definitions that give printed numbers.

    Parameters
    ----------
    qrels, runs
        As for ``cranfield.evaluate``; None if there are only numbers and ``topics``: then they
        are only tested for being possible.
    numbers
        Texts such as "P@10=0.3067", "run:AP=16.5%" or "0.3067", with as many digits as were
        printed; several at a time in a list. A number above 1 of a measure that has none is
        a percentage.
    per_topic
        Scores of topics that were printed, as ``cranfield.read_scores`` reads them: their
        measures are the labels.
    topics
        Over how many topics a mean was taken, where there are no judgments.
    progress
        As for ``cranfield.evaluate``.

    Returns
    -------
    Identification
        The definitions that fit, the simplest first: with a label the one that differs
        least from it.

    Raises
    ------
    Error
        Kind "number" for a text without a number, without digits after the point, or outside
        the range of the measure; "measure" for an unknown label; "label" for an unknown run
        or topic; all else as ``cranfield.evaluate``.

    """
    texts = [numbers] if isinstance(numbers, str) else several(numbers, "numbers", text)
    if topics is not None:
        whole(topics, "topics", least=1)
    if qrels is None or runs is None:
        claims = [claim_of(one) for one in texts]
        if topics is None:
            raise failure("option", "expected judgments and a run, or the number of topics")
        said = tuple(line for claim in claims for line in _granularity(claim, topics, always=True))
        return Identification(tuple(claims), {}, {}, 0, 0, {}, {}, {}, said)
    sources = [source.rereadable() for source in as_runs(runs, {})]
    names = [source.name for source in sources]
    if not names:
        raise failure("empty", "expected a run, found none")
    claims = [claim_of(one, names) for one in texts]
    if per_topic is not None:
        claims += _of_topics(per_topic, names)
    if not claims:
        raise failure("empty", "expected a number, found none")
    for claim in claims:
        if claim.run is not None and claim.run not in names:
            raise label_failure("run", claim.run, names)
        if claim.run is None and len(names) > 1:
            message = f"there are {len(names)} runs: write RUN:{claim.text}"
            raise failure("option", message)
    search = _Search(as_qrels(qrels), claims)
    with Progress(progress, sources) as report:
        for done, source in enumerate(sources):
            own = [claim for claim in claims if claim.run in (None, source.name)]
            if own:
                search.look(source, own)
            if report.call is not None:
                report.call(done + 1, sum(s.size() for s in sources[: done + 1]))
    return search.result()


def _of_topics(per_topic: Any, names: Sequence[str]) -> list[Claim]:
    """The numbers of a file of scores by topic; decimals are as many as all of a measure have."""
    from cranfield._scores.files import read_scores
    from cranfield._scores.scores import Scores

    scores = per_topic if isinstance(per_topic, Scores) else read_scores(per_topic)
    found = []
    for place, name in enumerate(scores.measures):
        values = scores.values[:, :, place]
        known = [v for v in values.ravel().tolist() if not math.isnan(v)]
        digits = max((len(repr(round(v, 8)).partition(".")[2]) for v in known), default=4)
        label = _label(name)
        for row, run in enumerate(scores.runs):
            for column, topic in enumerate(scores.topics):
                value = float(values[row, column])
                if not math.isnan(value):
                    own = run if run in names else (None if len(names) == 1 else run)
                    text = f"{topic}: {name}={value:.{digits}f}"
                    half = 0.5 * 10.0**-digits
                    found.append(Claim(text, value, half, label, own, topic))
    return found


def _label(name: str) -> Measure | None:
    try:
        return Measure(name)
    except Error:
        return None


def _granularity(claim: Claim, topics: int, *, always: bool = False) -> list[str]:
    """Whether a number can be a mean over topics: precision has few values."""
    label = None if claim.topic else claim.label
    said = _core.granularity(claim.text, label, claim.value, claim.half, topics, always=always)
    return [] if said is None else [said]


class _Search:
    """The definitions that are left, over the runs that were looked at."""

    def __init__(self, qrels: Qrels, claims: Sequence[Claim]) -> None:
        self._qrels, self._claims = qrels, claims
        self._labels = list(dict.fromkeys(claim.label for claim in claims))
        self._core = _core.DefinitionSearch(qrels, self._labels)
        self._signatures: dict[int, Any] = {}
        self._sources: list[tuple[Source, Sequence[Claim]]] = []

    def look(self, source: Source, claims: Sequence[Claim]) -> None:
        """Keeps the definitions that give the numbers of a run."""
        self._sources.append((source, claims))
        find = finder("topic", self._qrels.topics)
        numbers = [
            (
                self._labels.index(c.label),
                c.value,
                c.half,
                None if c.topic is None else find(c.topic),
            )
            for c in claims
        ]
        self._core.look(loaded(source, {}), numbers)

    def result(self) -> Identification:
        """What is left."""
        matches: dict[str, tuple[Match, ...]] = {}
        nearest: dict[str, tuple[Match, ...]] = {}
        labelled, deciding = {}, {}
        for place, label in enumerate(self._labels):
            key, found = str(label or ""), list(map(self._match, self._core.fitting(place)))
            if label is not None and (not found or found[0].simplest.bits >= DEVIATION):
                found = sorted([*found, *self._deviations(label)], key=_order)
            if (value := self._core.labelled(place)) is not None:
                labelled[key] = value
            matches[key] = tuple(found)
            if not found:
                nearest[key] = tuple(map(self._match, self._core.nearest(place)[:3]))
            elif text := self._tells_apart(found, place):
                deciding[key] = text
        topics = len(self._qrels)
        granularity = [line for claim in self._claims for line in _granularity(claim, topics)]
        return Identification(
            *(tuple(self._claims), matches, nearest, len(self._core), self._core.distinct),
            {str(label or ""): self._core.chance(i) for i, label in enumerate(self._labels)},
            *(labelled, deciding, tuple(dict.fromkeys(granularity))),
        )

    def _match(self, found: Any) -> Match:
        """A definition of the core, with what repeats its value."""
        _, value, name, options, bits, differs, others, tried, is_mean = found
        signature = ""
        if is_mean:
            digits = len(self._claims[0].text.partition(".")[2].removesuffix("%"))
            signature = str(self._signed(tried).only(name, f"{value:.{digits}f}"))
        variant = Variant(name, options, bits, tuple(differs), tried_options()[tried])
        return Match(variant, value, others, signature)

    def _signed(self, tried: int) -> Any:
        """The signature of all measures under some options."""
        if tried not in self._signatures:
            made = Hosted(self._qrels, "P@1", **tried_options()[tried], progress=False)
            found: Any = made.evaluate(loaded(self._sources[0][0], {}))
            self._signatures[tried] = found.signature
        return self._signatures[tried]

    def _deviations(self, label: Measure) -> list[Match]:
        """The single deviations of other tools from the label that give its numbers."""
        judged = list(self._qrels.to_dict().items())
        found: list[Any] = []
        fits: list[bool] | None = None
        names = [topic for topic, _ in judged]
        for source, claims in self._sources:
            run = loaded(source, {}).to_dict()  # type: ignore[union-attr]
            rows = _core.single_deviations(label, judged, run)
            own = [claim for claim in claims if claim.label == label]
            given = [all(_gives(row[3], claim, names) for claim in own) for row in rows]
            found = found or rows
            fits = given if fits is None else list(map(min, fits, given))
        matches = []
        for fit, (name, does, standard, values) in zip(fits or (), found, strict=True):
            if fit:
                tools = ", ".join(
                    f"{entry['tool']} {entry['version']}".strip()
                    for entry in implementations()
                    if entry.get("conventions") == {name: does}
                    and label.family in entry["measures"]
                )
                said = [f"{name} {does} instead of {standard}", *([f"as in {tools}"] * bool(tools))]
                what = (str(label), f"{name}={does}", DEVIATION, tuple(said), {name: does})
                mean = sum(value or 0.0 for value in values) / max(len(values), 1)
                matches.append(Match(Variant(*what), mean, 0))
        return matches

    def _tells_apart(self, found: Sequence[Match], label: int) -> str:
        """The topic on which the simplest definitions differ most."""
        telling = self._core.telling(label, [str(one.simplest) for one in found[:5]])
        if telling is None:
            return ""
        topic, values = telling
        said = ", ".join(f"{value:.4f} ({name})" for name, value in values[:4])
        return f"The value of topic {self._qrels.topics[topic]} would tell: {said}."


def _gives(values: Sequence[float | None], claim: Claim, topics: Sequence[str]) -> bool:
    """Whether values of topics give a printed number."""
    known = [value for value in values if value is not None]
    mean = sum(known) / max(len(known), 1)
    own = mean if claim.topic is None else values[topics.index(claim.topic)]
    return own is not None and abs(own - claim.value) <= claim.half + 1e-12


def _order(match: Match) -> tuple[int, int, str]:
    text = str(match.simplest)
    return match.simplest.bits, len(text), text
