"""Which conventions explain what another implementation computes.

The cases are in ``audit_cases.toml``, what other tools are known to do in
``_measures/implementations.toml``. The core evaluates the conventions
(``rust/core/src/deviations.rs``).
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeAlias

from cranfield._base.errors import failure, label_failure, shown
from cranfield._base.options import checked, one_of, wrong
from cranfield._base.text import UNDEFINED, counted
from cranfield._core import __version__, conventions, deviating, explanations
from cranfield._measures.pages import implementations
from cranfield._table.data_table import FLAG, SHARE, TEXT, DataTable
from cranfield._table.result import Result
from cranfield._table.tables import Part, Texts

Answer: TypeAlias = float | str | None
"""A number; None for a topic that is left out; a text that says why it was refused."""

MEASURES = tuple(conventions())
"""The measures that can be audited."""


@cache
def cases() -> list[dict[str, Any]]:
    """The cases, in their order."""
    import tomllib

    with open(os.path.join(os.path.dirname(__file__), "audit_cases.toml"), "rb") as file:
        found: list[dict[str, Any]] = tomllib.load(file)["case"]
    return found


def _topic(case: Mapping[str, Any]) -> Any:
    scores = case.get("scores")
    return (
        case.get("retrieved"),
        None if scores is None else list(map(float, scores)),
        {doc: float(grade) for doc, grade in case["judgments"].items()},
        case.get("repeated", []),
        case["k"],
    )


def _choice(measure: str, **values: str) -> list[int]:
    return [names.index(values.get(name, names[0])) for name, names in conventions()[measure]]


@dataclass(frozen=True, repr=False)
class Audit(Result):
    """What conventions explain the answers of an implementation; made by ``audit``."""

    measure: str
    """The measure that explains most of them."""
    cases: tuple[str, ...]
    """The cases that were answered."""
    answers: tuple[Answer, ...]
    """A number each, None where the topic was left out, a text where it was refused."""
    standard: tuple[float | None, ...]
    """The values of this package."""
    explained: tuple[bool, ...]
    """Whether the conventions give the answer; a refusal is explained."""
    conventions: tuple[dict[str, str], ...]
    """The deviations that explain the most answers, several if they cannot be told apart."""

    @property
    def known(self) -> tuple[str, ...]:
        """The tools that are known to do the same, those with most of the deviations first."""
        found: dict[str, int] = {}
        for own in self.conventions:
            for entry in implementations():
                does = entry.get("conventions", {})
                if self.measure in entry["measures"] and does and does.items() <= own.items():
                    found[f"{entry['tool']} {entry['version']}".strip()] = len(does)
        return tuple(sorted(found, key=lambda name: -found[name]))

    def table(self) -> DataTable:
        """A row for each case: the answer, the standard value, whether it is explained."""
        numbers = [a if isinstance(a, float) and math.isfinite(a) else None for a in self.answers]
        why = {case["id"]: case["why"] for case in cases()}
        said = [a if isinstance(a, str) else "left out" * (a is None) for a in self.answers]
        return DataTable(
            {
                "case": (TEXT, list(self.cases)),
                "why": (TEXT, [why[name] for name in self.cases]),
                "answer": (SHARE, numbers),
                "standard": (SHARE, list(self.standard)),
                "explained": (FLAG, list(self.explained)),
                "note": (TEXT, said),
            }
        )

    def headline(self) -> str:
        """How many answers are explained."""
        return f"<Audit: {self.measure}, {sum(self.explained)} of {len(self.cases)} explained>"

    def sentences(self) -> list[str]:
        """What was found: the conventions, who shares them, and what is not explained."""
        refused = sum(isinstance(answer, str) for answer in self.answers)
        parts = f" ({refused} refused)" if refused else ""
        number = f"{sum(self.explained)} of {counted(len(self.cases), 'case')}{parts}"
        said = [
            " and ".join(f"{name}={value}" for name, value in own.items())
            for own in self.conventions
        ]
        how = f"with {' or '.join(said[:4])}" if said != [""] else "as cranfield computes it"
        found = [f"{number} are explained by {self.measure} {how}."]
        if len(said) > 4:
            found.append(f"{len(said) - 4} further combinations explain as many.")
        if self.known:
            found.append(f"Known from: {', '.join(self.known)}.")
        every = {case["id"]: case for case in cases()}
        for name, answer, standard, explained in self._rows():
            if not explained:
                case = every[name]
                given = f"k={case['k']}, retrieved {case.get('retrieved')}"
                found.append(
                    f"Not explained: {name} ({given}, judgments {case['judgments']}): "
                    f"{_printed(answer)}, the standard is {_printed(standard)}."
                )
        return found

    def _rows(self) -> Iterable[tuple[str, Answer, float | None, bool]]:
        return zip(self.cases, self.answers, self.standard, self.explained, strict=True)

    def _shown(self, form: str, digits: int | None) -> list[Part]:
        texts = Texts(("case",), ("answer", "standard", "explained"))
        for name, answer, standard, explained in self._rows():
            word = "yes" if explained else "no"
            said = "refused" if isinstance(answer, str) else _printed(answer, digits)
            texts.cells.append((name, said, _printed(standard, digits), word))
        return [texts, *self.sentences()]


def _printed(value: Answer, digits: int | None = None) -> str:
    if value is None:
        return UNDEFINED
    return value if isinstance(value, str) else f"{value:.{4 if digits is None else digits}f}"


@checked
def audit(answers: Any, measure: str | None = None) -> Audit:
    """Names the conventions of another implementation of nDCG, AP, RR, P or R.

    >>> def precision(retrieved, relevant, k):
    ...     return sum(relevant.get(d, 0) > 0 for d in retrieved[:k]) / min(k, len(retrieved) or 1)
    >>> audit(precision, "P").conventions[0]["divisor"]
    'min(k,list)'

    Parameters
    ----------
    answers
        A function, which is called as ``f(retrieved: list[str], relevant: dict[str, float],
        k: int) -> float`` with the 25 cases, or what was answered, {case: value}: a number,
        None for a topic that is left out, or text for input that was refused.
    measure
        "nDCG", "AP", "RR", "P" or "R", at the cutoff of each case. Default: the one that
        explains the most answers.

    Returns
    -------
    Audit
        Which answers are explained, and by which conventions. The fewest deviations from the
        standard that explain the most answers are named.

    Raises
    ------
    Error
        Kind "option" for another measure; "label" for an unknown case; "number" for an
        answer that is no number; "empty" for no answers, and for a function that raises for
        every case.

    """
    if measure is not None:
        one_of("measure", measure, MEASURES)
    given = _called(answers) if callable(answers) else _checked(answers)
    chosen = [case for case in cases() if case["id"] in given]
    topics = [_topic(case) for case in chosen]
    replies = [given[case["id"]] for case in chosen]
    coded = [(isinstance(a, str), a if isinstance(a, float) else None) for a in replies]
    by_name = {
        name: explanations(name, topics, coded)
        for name in (MEASURES if measure is None else (measure,))
    }

    def fit(name: str) -> tuple[int, int]:
        choice, explained = by_name[name][0]
        return sum(explained), -sum(map(bool, choice))

    name = max(by_name, key=fit)
    found, dimensions = by_name[name], conventions()[name]
    named = tuple(
        {d: values[place] for (d, values), place in zip(dimensions, choice, strict=True) if place}
        for choice, _ in found
    )
    (standard,) = deviating(name, topics, [_choice(name)])
    ids = tuple(case["id"] for case in chosen)
    return Audit(name, ids, tuple(replies), tuple(standard), tuple(found[0][1]), named)


def _called(function: Callable[..., Any]) -> dict[str, Answer]:
    """The answers of a function; what it raises is a refusal."""
    found: dict[str, Answer] = {}
    for case in cases():
        judgments = {doc: float(grade) for doc, grade in case["judgments"].items()}
        try:
            value = function(list(case.get("retrieved") or ()), judgments, case["k"])
        except Exception as error:
            found[case["id"]] = f"{type(error).__name__}: {error}"
        else:
            found[case["id"]] = _number(value, case["id"])
    reasons = {text for text in found.values() if isinstance(text, str)}
    if all(isinstance(answer, str) for answer in found.values()):
        message = "expected a function of (retrieved, relevant, k) that returns a number"
        raise failure("empty", f"{message}, found one that always raises {min(reasons)}")
    return found


def _checked(answers: Any) -> dict[str, Answer]:
    if not isinstance(answers, Mapping):
        raise wrong("answers", "a function, or a mapping of the cases", answers)
    known = [case["id"] for case in cases()]
    for name in answers:
        if not isinstance(name, str) or name not in known:
            raise label_failure("case", name, known)
    if not answers:
        raise failure("empty", "expected the answers to the cases, found none")
    return {
        name: value if isinstance(value, str) else _number(value, name)
        for name, value in answers.items()
    }


def _number(value: Any, case: str) -> float | None:
    """An answer as a number; NaN is a topic that is left out, as None is."""
    if value is None:
        return None
    try:
        if isinstance(value, (str, bytes)):
            raise TypeError
        found = float(value)
    except Exception:
        message = f"expected a number as the answer to the case {case}, found {shown(value)}"
        raise failure("number", message) from None
    return None if math.isnan(found) else found


def _fraction(value: float | None) -> str | None:
    """The fraction that a value is, if it is one with a small denominator and no whole number."""
    from fractions import Fraction

    if value is None or not math.isfinite(value) or value.is_integer():
        return None
    near = Fraction(value).limit_denominator(5000)
    return str(near) if abs(float(near) - value) < 1e-15 else None


def vectors() -> dict[str, Any]:
    """The cases with the values under each convention: what ``vectors.json`` has."""
    expected: dict[str, Any] = {}
    fractions: dict[str, Any] = {}
    topics = [_topic(case) for case in cases()]
    for measure, dimensions in conventions().items():
        deviations = [{}, *({d: v} for d, values in dimensions for v in values[1:])]
        names = ["".join(f"{d}={v}" for d, v in one.items()) or "standard" for one in deviations]
        rows = deviating(measure, topics, [_choice(measure, **one) for one in deviations])
        expected[measure], fractions[measure] = {}, {}
        for case, column in zip(cases(), zip(*rows, strict=True), strict=True):
            values = dict(zip(names, column, strict=True))
            expected[measure][case["id"]] = {
                name: value if value is None or math.isfinite(value) else "error"
                for name, value in values.items()
            }
            exact = {name: text for name, value in values.items() if (text := _fraction(value))}
            if exact:
                fractions[measure][case["id"]] = exact
    return {
        "schema_version": 1,
        "cranfield": __version__,
        "cases": [
            {
                **{key: case[key] for key in ("id", "why", "k")},
                "topics": [
                    {
                        "topic": "1",
                        **{key: case.get(key) for key in ("retrieved", "scores", "judgments")},
                        "judgments_repeated": case.get("repeated", []),
                    }
                ],
            }
            for case in cases()
        ],
        "conventions": {name: dict(found) for name, found in conventions().items()},
        "expected": expected,
        "fractions": fractions,
    }
