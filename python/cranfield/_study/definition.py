"""The named studies: what ``studies.toml`` says of each, its parts, and the outcome of a run."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from typing import Any, TypeAlias

from cranfield._base.errors import failure, label_failure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from cranfield._study.results import Found

Compute: TypeAlias = "Callable[[Any], Found]"
"""From a ``Task`` of ``inputs``, which imports this file."""

Report: TypeAlias = Callable[[int, int], None]
Options: TypeAlias = Mapping[str, Any]

BESIDE_GAINS = (
    "Binary measures, such as AP and P, take every grade from --rel, or 1, as relevant; graded "
    "ones, such as nDCG and Q, count grades as gains."
)
"""What to know where a table has measures of both kinds."""


@cache
def described() -> dict[str, dict[str, Any]]:
    """What ``studies.toml`` says of each study."""
    with open(os.path.join(os.path.dirname(__file__), "studies.toml"), "rb") as file:
        return tomllib.load(file)


STUDIES: dict[str, str] = {name: own["question"] for name, own in described().items()}
"""The studies, with the question that each asks."""


class Noted(dict[str, Any]):
    """Options, of which it is noted which ones were looked at."""

    def __init__(self, options: Options) -> None:
        super().__init__(options)
        self.seen: set[str] = set()

    def __getitem__(self, name: str) -> Any:
        self.seen.add(name)
        return super().__getitem__(name)


def _asked(options: Options) -> Sequence[str]:
    return options.get("measures") or ()


class Study:
    """A named study."""

    def __init__(
        self,
        name: str,
        parts: Mapping[str, Compute],
        ranked_for: Callable[[Options], Sequence[str]] = _asked,
    ) -> None:
        own = described()[name]
        self.parts = parts
        """What is computed, or kept from an earlier call, as a whole."""
        self.ranked_for = ranked_for
        """The measures that lists are kept for, from the options."""
        self.title: str = own["title"]
        self.paper: str = own["paper"]
        self.differs: list[str] = [BESIDE_GAINS] * own.get("beside_gains", True) + own["notes"]
        """Differences from the paper, for the page."""
        options = own["options"].items()
        self.options: Options = {key: None if of == "" else of for key, of in options}
        """The options that it takes, with their defaults."""
        self.runs: int = own.get("runs", 2)
        """The least number of runs that it needs."""
        self.topics: int = own.get("topics", 1)
        """The least number of topics that it needs."""
        self.taus: bool = own.get("taus", False)
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


def known(name: str) -> Study:
    """A study by its name; raises ``Error`` (kind "label") for none."""
    if name not in STUDIES:
        raise label_failure("study", name, tuple(STUDIES))
    plain = name.replace("-", "_")
    module = import_module(f"cranfield._study.{described()[name].get('module', plain)}")
    study: Study = getattr(module, plain.upper())
    return study


def resolve_options(name: str, options: Options) -> dict[str, Any]:
    """All options of a study, with defaults for those not given.

    Raises ``Error`` (kind "option") for one that the study does not take.
    """
    study = known(name)
    for option in options:
        if option not in study.options:
            takes = ", ".join(study.options)
            message = f"the study {name!r} takes no option {option!r}; it takes: {takes}"
            flag, *flags = (f"--{own.replace('_', '-')}" for own in (option, *study.options))
            flags_message = f"the study {name} takes no {flag}; it takes: {' '.join(flags)}"
            raise failure("option", message, command_line=flags_message)
    asked = {**study.options, **options}
    if asked.get("measures") is not None:
        # As text, since the options are recorded in the folder.
        asked["measures"] = [str(measure) for measure in asked["measures"]]
    return asked
