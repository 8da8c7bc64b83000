"""The definition of a study, with its sections and options, and the outcome of a run."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from cranfield._study.content import Found
from cranfield._study.material import Material

Report: TypeAlias = Callable[[int, int], None]
Options: TypeAlias = Mapping[str, Any]
Compute: TypeAlias = Callable[[Material, Options, Report], Found]


BESIDE_GAINS = (
    "Binary measures, such as AP and P, take every grade from --rel, or 1, as relevant; graded "
    "ones, such as nDCG and Q, count grades as gains."
)
"""What to know where a table has measures of both kinds."""


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a study that is computed, or skipped, as a whole."""

    name: str
    compute: Compute
    uses: tuple[str, ...] = ()
    """The options that its results depend on."""


@dataclass(frozen=True, slots=True)
class Study:
    """A named study."""

    title: str
    paper: str
    differs: tuple[str, ...]
    """Differences from the paper, for the page."""
    sections: tuple[Section, ...]
    options: Options = field(default_factory=dict)
    """The options that it takes, with their defaults."""
    keep_unjudged: bool = False
    """Whether it needs unjudged documents whatever the measures."""
    runs: int = 2
    """The least number of runs that it needs."""
    topics: int = 1
    """The least number of topics that it needs."""
    ranked_for: Callable[[Options], Sequence[str]] = lambda options: options.get("measures") or ()
    """The measures that lists are kept for, from the options."""
    taus: bool = False
    """Whether it compares orders of the runs."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of a run of a study."""

    page: str
    computed: tuple[str, ...]
    kept: tuple[str, ...]
    """The parts that were finished before."""
    drawn: bool
    """Whether matplotlib was installed, so that figures were drawn."""
    found: Mapping[str, Found] = field(default_factory=dict)
    """What each part found."""
    warning: str = ""
    """What to say of all of it, such as that there are few runs."""
