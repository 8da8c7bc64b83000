"""Which definition gives a printed number: the search, its order, and what a match is worth."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache

from cranfield._base.errors import failure, label_failure
from cranfield._base.options import checked, several, text, whole
from cranfield._base.progress import Progress
from cranfield._base.text import counted, number
from cranfield._core import Error, Measure, conventions, deviating, families
from cranfield._io.inputs import as_qrels, as_runs, loaded
from cranfield._measures.pages import implementations
from cranfield._scoring.evaluator import Hosted
from cranfield._table.data_table import COUNT, SHARE, TEXT, DataTable
from cranfield._table.result import Result
from cranfield._table.tables import Signed, Texts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from cranfield._base.progress import ProgressLike
    from cranfield._core import Qrels
    from cranfield._io.inputs import QrelsLike, RunsLike
    from cranfield._io.sources import Source
    from cranfield._table.tables import Part

COMMON = {
    "AP": 1,
    "P": 1,
    "nDCG": 1,
    "R": 2,
    "RR": 2,
    "Rprec": 2,
    "bpref": 2,
    "Success": 3,
    "infAP": 3,
    "Q": 3,
    "ERR": 3,
    "RBP": 3,
    "GMAP": 3,
    "aAP": 3,
    "DCG": 3,
    "SetF": 3,
}
"""The bits of common families; others have five."""

SLOW = ("MP", "subAP", "subAP_expected")
"""Families that take longer than all others together."""

USUAL = (1, 3, 5, 10, 20, 50, 100, 1000)
RARE = tuple(k for k in (*range(2, 31), *range(40, 501, 10)) if k not in USUAL)

FORMS: dict[str, tuple[tuple[str, int], ...]] = {
    "nDCG": (('dcg="exp-log2"', 1), ('gain="binary"', 2), ('dcg="jk"', 3)),
    "DCG": (('dcg="exp-log2"', 1), ('gain="binary"', 2), ('dcg="jk"', 3)),
    "RBP": (("p=0.5", 1), ("p=0.9", 1), ("p=0.95", 1)),
}
"""Other arguments of families, with their bits."""

OPTIONS: tuple[tuple[dict[str, Any], int, str], ...] = (
    ({}, 0, ""),
    ({"scores": "f32"}, 1, "scores in single precision"),
    ({"missing": "skip"}, 2, "over the topics of the run"),
    ({"missing": "skip", "scores": "f32"}, 3, "over the topics of the run, single precision"),
    ({"undefined": "skip"}, 2, "without topics where it is undefined"),
    ({"undefined": "one"}, 4, "undefined counts as 1"),
    ({"order": "docno_asc"}, 3, "equal scores by id upwards"),
    ({"order": "input"}, 3, "in the order of the file"),
    ({"order": "rank"}, 3, "by the rank column"),
    ({"depth": 1000}, 3, "the first 1000 documents only"),
    ({"depth": 100}, 4, "the first 100 documents only"),
    ({"depth": 10}, 5, "the first 10 documents only"),
    ({"ties": "average"}, 4, "mean over the orders of equal scores"),
)
"""The sets of options that are tried, with their bits."""

DEVIATION = 3
"""The bits of what other tools compute differently."""

SUMMARIES = (("", 0), ("geometric mean", 4), ("median", 5))


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


def _is_share(measure: Measure) -> bool:
    return _range(measure) == "[0, 1]" and measure.better == "higher"


@cache
def _ranges() -> dict[str, str]:
    return {family["name"]: family["range"] for family in families()}


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
    if claim.label is None or claim.label.family not in ("P", "Success") or claim.topic:
        if always:
            return [f"{claim.text}: only means of P@k and Success@k are tested for being possible."]
        return []
    found = re.search(r"@(\d+)$", str(claim.label))
    k = int(found[1]) if found and claim.label.family == "P" else 1
    steps = claim.value * k * topics
    reach = (claim.half + 1e-12) * k * topics
    if abs(steps - round(steps)) <= reach:
        if always:
            return [f"{claim.text} can be a mean over {topics} topics."]
        return []
    step = 1 / (k * topics)
    others = [
        str(c)
        for c in (1, 3, 5, 10, 15, 20, 30, 50, 100)
        if c != k
        and claim.label.family == "P"
        and abs(claim.value * c * topics - round(claim.value * c * topics))
        <= (claim.half + 1e-12) * c * topics
        < 0.5
    ]
    could = f"; of P at {', '.join(others)} it can" if others else ""
    message = f"{claim.text} cannot be a mean of {claim.label} over {topics} topics at all"
    return [f"{message} (multiples of {step:.6g}){could}."]


class _Search:
    """The definitions that are left, over the runs that were looked at."""

    def __init__(self, qrels: Qrels, claims: Sequence[Claim]) -> None:
        import numpy as np

        self._qrels = qrels
        self._claims = claims
        self._labels = list(dict.fromkeys(claim.label for claim in claims))
        self._measures = _measures(qrels, self._labels)
        names = [name for name, _ in self._measures]
        self._evaluators: list[tuple[int, Hosted]] = []
        for place, (options, _, _) in enumerate(OPTIONS):
            chosen = _tied(qrels, names) if "ties" in options else names
            if options.get("undefined") == "one":
                chosen = [name for name in names if _is_share(Measure(name))]
            if chosen:
                made = Hosted(qrels, chosen, **options, progress=False)
                self._evaluators.append((place, made))
        self._variants: list[tuple[int, int, int]] = []
        at = {name: i for i, name in enumerate(names)}
        for place, made in self._evaluators:
            own = [at[str(measure)] for measure in made.measures]
            several = range(1 if OPTIONS[place][0] else len(SUMMARIES))
            self._variants += [(place, i, summary) for summary in several for i in own]
        self._left = {label: np.ones(len(self._variants), dtype=bool) for label in self._labels}
        self._rounded = {label: left.copy() for label, left in self._left.items()}
        self._off = {label: np.zeros(len(self._variants)) for label in self._labels}
        self._density = dict.fromkeys(self._labels, 0.0)
        self._same: list[int] = [0] * len(self._variants)
        self._first: Any = None
        self._values: Any = None
        self._signatures: dict[int, Any] = {}
        self._sources: list[tuple[Source, Sequence[Claim]]] = []

    def look(self, source: Source, claims: Sequence[Claim]) -> None:
        """Keeps the definitions that give the numbers of a run."""
        import numpy as np

        run: Any = loaded(source, {})
        self._sources.append((source, claims))

        summaries, columns = [], []
        topics: tuple[str, ...] = ()
        for place, made in self._evaluators:
            try:
                scores = made.evaluate(run)
            except Error as error:
                if OPTIONS[place][0].get("order") != "rank":
                    raise error
                # The run has no ranks: what nothing gives.
                values = np.full((len(topics), len(made.measures)), -2.0)
                summaries.append(values[0])
                columns.append(values)
                continue
            values = scores.values[0]
            topics = scores.topics
            self._signatures.setdefault(place, scores.signature)
            summaries.append(scores.summary()[0])
            columns.append(values)
            if not OPTIONS[place][0]:
                known = np.nan_to_num(values)
                summaries.append(np.exp(np.log(np.maximum(known, 1e-5)).mean(axis=0)))
                summaries.append(np.median(known, axis=0))
                columns += [values, values]
        means = np.nan_to_num(np.concatenate(summaries), nan=-1.0)
        whole = np.nan_to_num(np.concatenate(columns, axis=1), nan=-1.0)
        rounded = np.ascontiguousarray(np.round(np.vstack([whole, means]), 11).T + 0.0)
        self._same = [
            hash((old, row.tobytes())) for old, row in zip(self._same, rounded, strict=True)
        ]
        if self._first is None:
            self._first, self._values, self._topics = means, whole, topics
        for claim in claims:
            found = means if claim.topic is None else whole[self._place(claim.topic, topics)]
            off = np.abs(found - claim.value)
            fits = off <= claim.half + 1e-12
            cut = (found - claim.value > -1e-12) & (found - claim.value < 2 * claim.half - 1e-12)
            self._left[claim.label] &= fits | cut
            self._rounded[claim.label] &= fits
            self._off[claim.label] += off
            wide = max(100 * claim.half, 0.01)
            near = len(np.unique(np.round(found[off <= wide], 11)))
            own = max(near * claim.half / wide, 1e-12)
            distinct = max(len(set(self._same)), 1)
            before = self._density[claim.label]
            self._density[claim.label] = own if not before else before * own / distinct

    @staticmethod
    def _place(topic: str, topics: Sequence[str]) -> int:
        if topic not in topics:
            raise label_failure("topic", topic, topics)
        return topics.index(topic)

    def variant(self, place: int, label: Measure | None) -> Variant:
        """A definition with its distance from a label."""
        option, measure, summary = self._variants[place]
        name, plain = self._measures[measure]
        options, bits, words = OPTIONS[option]
        differs = [words] if words else []
        if label is None:
            bits += plain
        else:
            own, said = _distance(Measure(name), label)
            bits += own
            differs = [*said, *differs]
        how, more = SUMMARIES[summary]
        if how:
            differs.append(how)
        if self._left[label][place] and not self._rounded[label][place]:
            bits += 1
            differs.append("cut off, not rounded")
        text = ", ".join(f"{key}={value}" for key, value in options.items())
        return Variant(
            f"{how} of {name}" if how else name, text, bits + more, tuple(differs), options
        )

    def result(self) -> Identification:
        """What is left."""
        import numpy as np

        matches: dict[str, tuple[Match, ...]] = {}
        nearest: dict[str, tuple[Match, ...]] = {}
        labelled, deciding, granularity = {}, {}, []
        shared = set.intersection(
            *({self._variants[i][0] for i in np.flatnonzero(left)} for left in self._left.values())
        )
        for label in self._labels:
            left = np.flatnonzero(self._left[label])
            if shared:
                left = np.array([i for i in left if self._variants[i][0] in shared], dtype=int)
            found = self._grouped(left, label)
            key = str(label or "")
            if label is not None and (not found or found[0].simplest.bits >= DEVIATION):
                found = sorted([*found, *self._deviations(label)], key=_order)
            if label is not None:
                for place, (option, measure, summary) in enumerate(self._variants):
                    is_plain = not OPTIONS[option][0] and not summary
                    if is_plain and Measure(self._measures[measure][0]) == label:
                        labelled[key] = float(self._first[place])
            matches[key] = tuple(found)
            if not found:
                order = np.argsort(self._off[label], kind="stable")[:200]
                nearest[key] = tuple(self._grouped(order, label, by_distance=True)[:3])
            elif len(found) > 1 and (text := self._tells_apart(found, label)):
                deciding[key] = text
        for claim in self._claims:
            granularity += _granularity(claim, len(self._qrels))
        distinct = len(set(self._same))
        chance = {str(label or ""): self._density[label] for label in self._labels}
        sizes = len(self._variants), distinct
        return Identification(
            tuple(self._claims),
            matches,
            nearest,
            *sizes,
            chance,
            labelled,
            deciding,
            tuple(dict.fromkeys(granularity)),
        )

    def _grouped(
        self, places: Any, label: Measure | None, *, by_distance: bool = False
    ) -> list[Match]:
        groups: dict[int, list[int]] = {}
        for place in map(int, places):
            groups.setdefault(self._same[place], []).append(place)
        found = []
        for members in groups.values():
            place = min(members, key=lambda place: _simplest(self.variant(place, label)))
            best, value = self.variant(place, label), float(self._first[place])
            option, measure, summary = self._variants[place]
            signature = ""
            if not summary and (signed := self._signatures[option]) is not None:
                digits = len(self._claims[0].text.partition(".")[2].removesuffix("%"))
                signature = str(signed.only(self._measures[measure][0], f"{value:.{digits}f}"))
            found.append(Match(best, value, len(members) - 1, signature))
        return found if by_distance else sorted(found, key=_order)

    def _deviations(self, label: Measure) -> list[Match]:
        """The single deviations of other tools from the label that give its numbers."""
        cut, condensed, arguments = _parts(label)
        dimensions = conventions().get(label.family)
        if dimensions is None or condensed or arguments:
            return []
        every = [
            (place, value, names)
            for place, (name, names) in enumerate(dimensions)
            for value in range(1, len(names))
            # The mean over the orders of equal scores is among the definitions already; here all
            # orders would be scored.
            if (name, names[value]) != ("ties", "average")
        ]
        choices = [[0] * len(dimensions) for _ in every]
        for choice, (place, value, _) in zip(choices, every, strict=True):
            choice[place] = value
        left = [True] * len(every)
        first: list[float] | None = None
        judged = self._qrels.to_dict()
        for source, claims in self._sources:
            run = loaded(source, {}).to_dict()  # type: ignore[union-attr]
            names, topics = list(judged), []
            for topic in names:
                ranked = sorted(run.get(topic, {}).items(), key=lambda one: one[::-1], reverse=True)
                ids, scores = [one[0] for one in ranked], [one[1] for one in ranked]
                k = int(cut) if cut else max(len(ids), 1)
                given = (ids, scores) if topic in run else (None, None)
                topics.append((*given, judged[topic], [], k))
            rows = deviating(label.family, topics, choices)
            for claim in claims:
                if claim.label != label:
                    continue
                for place, row in enumerate(rows):
                    known = [value for value in row if value is not None]
                    mean = sum(known) / max(len(known), 1)
                    own = mean if claim.topic is None else row[names.index(claim.topic)]
                    fits = own is not None and abs(own - claim.value) <= claim.half + 1e-12
                    left[place] = left[place] and fits
                if first is None:
                    first = [sum(v or 0.0 for v in row) / max(len(row), 1) for row in rows]
        found = []
        for kept, (place, value, values), mean in zip(left, every, first or (), strict=True):
            if kept:
                name = dimensions[place][0]
                does = {name: values[value]}
                tools = [
                    f"{entry['tool']} {entry['version']}".strip()
                    for entry in implementations()
                    if entry.get("conventions") == does and label.family in entry["measures"]
                ]
                differs = f"{name} {values[value]} instead of {values[0]}"
                said = (differs, *([f"as in {', '.join(tools)}"] if tools else []))
                what = Variant(str(label), f"{name}={values[value]}", DEVIATION, said, does)
                found.append(Match(what, mean, 0))
        return found

    def _tells_apart(self, found: Sequence[Match], label: Measure | None) -> str:
        """The topic on which the simplest definitions differ most."""
        import numpy as np

        texts = {str(one.simplest): one for one in found[:5]}
        places: dict[str, int] = {}
        for place in np.flatnonzero(self._left[label]):
            text = str(self.variant(int(place), label))
            if text in texts:
                places.setdefault(text, int(place))
        values = self._values[:, list(places.values())]
        if values.shape[1] < 2:
            return ""
        spread = values.max(axis=1) - values.min(axis=1)
        topic = int(np.argmax(spread))
        if spread[topic] <= 1e-9:
            return ""
        said = [f"{v:.4f} ({name})" for name, v in zip(places, values[topic].tolist(), strict=True)]
        return f"The value of topic {self._topics[topic]} would tell: {', '.join(said[:4])}."


def _order(match: Match) -> tuple[int, int, str]:
    return _simplest(match.simplest)


def _simplest(variant: Variant) -> tuple[int, int, str]:
    return variant.bits, len(str(variant)), str(variant)


def _tied(qrels: Qrels, names: Sequence[str]) -> list[str]:
    """The measures whose mean over the orders of equal scores is known, common ones only."""
    chosen = [n for n in names if re.fullmatch(r"(P|R|nDCG|Success)@\d+|AP|RR|nDCG|Rprec", n)]
    while chosen:
        try:
            Hosted(qrels, chosen, ties="average", progress=False)
        except Error:
            chosen = [n for n in chosen if n not in ("Rprec", "AP", "RR")] if "AP" in chosen else []
        else:
            return chosen
    return []


def _measures(qrels: Qrels, labels: Sequence[Measure | None]) -> list[tuple[str, int]]:
    """The measures that are tried, each with its bits without a label."""
    grades = [grade for grade in qrels.grades if grade > 0]
    found: dict[str, int] = {}
    for family in families():
        name = family["name"]
        if name in SLOW:
            continue
        bits = COMMON.get(name, 5)
        forms = [("", 0), *FORMS.get(name, ())]
        if family["rel"] and name in COMMON:
            forms += [(f"rel={grade:g}", 2) for grade in grades if grade != 1]
        if name == "ERR":
            forms = [
                (f"max_rel={grade:g}", 0)
                for grade in sorted({1.0, 3.0, 4.0, *grades})
                if grade >= max(grades, default=1)
            ]
        cuts = _cuts(family["cutoff"], name)
        for arguments, own in forms:
            for cut, more in cuts:
                for prime, extra in (("", 0), ("'", 3)) if family["prime"] else (("", 0),):
                    if prime and (more > 2 or own or name not in COMMON):
                        continue
                    if own and more > 2 and name != "P":
                        continue
                    least = family["least"] if not arguments else f"{name}({arguments})"
                    found[f"{least}{prime}{cut}"] = bits + own + more + extra
    for label in labels:
        if label is not None:
            found.setdefault(str(label), 5)
    allowed: dict[str, bool] = {}
    usable: dict[str, int] = {}
    for name, bits in found.items():
        try:
            measure = Measure(name)
            key = re.sub(r"@.*", "", name) + ("@" if "@" in name else "")
            if key not in allowed:
                allowed[key] = False
                Hosted(qrels, [measure], progress=False)
                allowed[key] = True
            if allowed[key]:
                usable.setdefault(str(measure), bits)
        except Error:
            if labels and name in {str(label) for label in labels}:
                raise
    return list(usable.items())


def _cuts(kind: str, name: str) -> list[tuple[str, int]]:
    if kind == "recall":
        return [("@0.5", 2)]
    usual = [(f"@{k}", 2) for k in (USUAL if name in COMMON else (10, 100))]
    rare = [(f"@{k}", 5) for k in RARE] if name in ("P", "R", "AP", "nDCG") else []
    return {"none": [("", 0)], "required": [*usual, *rare]}.get(kind, [("", 0), *usual, *rare])


def _distance(own: Measure, label: Measure) -> tuple[int, list[str]]:
    """How far a measure is from a label in bits, and what differs."""
    mine, other = _parts(own), _parts(label)
    bits, said = 0, []
    if own.family != label.family:
        bits += 5 + COMMON.get(own.family, 5)
        said.append(f"{own.family} instead of {label.family}")
    if mine[0] != other[0]:
        bits += 4
        said.append(f"{_cut(mine[0])} instead of {_cut(other[0])}")
    if mine[1] != other[1]:
        bits += 3
        said.append("condensed list" if mine[1] else "full list")
    if mine[2] != other[2]:
        bits += 2
        said.append(f"with {mine[2] or 'default arguments'}")
    return bits, said


def _cut(text: str) -> str:
    return f"cutoff {text}" if text else "no cutoff"


def _parts(measure: Measure) -> tuple[str, bool, str]:
    """The cutoff, whether the list is condensed, and the arguments of a measure."""
    text = str(measure)
    found = re.search(r"@([\d.]+)$", text)
    arguments = re.search(r"\((.*)\)", text)
    stem = re.sub(r"\(.*\)", "", text)
    return found[1] if found else "", "'" in stem, arguments[1] if arguments else ""
