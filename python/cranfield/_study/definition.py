"""The named studies: their definitions with parts and options, and the outcome of a run."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, TypeAlias

from cranfield._base.errors import failure, label_failure
from cranfield._stats.registry import TESTS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from cranfield._study.inputs import Inputs
    from cranfield._study.results import Found

    Compute: TypeAlias = Callable[[Inputs, "Options", "Report"], Found]

Report: TypeAlias = Callable[[int, int], None]
Options: TypeAlias = Mapping[str, Any]

BESIDE_GAINS = (
    "Binary measures, such as AP and P, take every grade from --rel, or 1, as relevant; graded "
    "ones, such as nDCG and Q, count grades as gains."
)
"""What to know where a table has measures of both kinds."""


class Noted(Mapping[str, Any]):
    """Options, of which it is noted which ones were looked at."""

    def __init__(self, options: Options) -> None:
        self._options = options
        self.seen: set[str] = set()

    def __getitem__(self, name: str) -> Any:
        self.seen.add(name)
        return self._options[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._options)

    def __len__(self) -> int:
        return len(self._options)


@dataclass(frozen=True, slots=True)
class Study:
    """A named study."""

    title: str
    paper: str
    differs: tuple[str, ...]
    """Differences from the paper, for the page."""
    parts: Mapping[str, Compute]
    """What is computed, or kept from an earlier call, as a whole."""
    options: Options = field(default_factory=dict)
    """The options that it takes, with their defaults."""
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


STUDIES = {
    "depth": "how deep to pool and how deep to evaluate (Webber, Moffat and Zobel 2010)",
    "incompleteness": "what missing judgments do to measures (Sakai 2007; Yilmaz and Aslam 2006)",
    "imperfection": "what happens when documents are removed (Yilmaz and Aslam 2006, Figure 8)",
    "significance": "which runs differ: all pairs, corrected, with effect sizes",
    "leave-one-out": "whether the pool is fair to a system that did not take part (Zobel 1998)",
    "curves": "precision-recall and ROC curves (Manning, Raghavan and Schütze, chapter 8)",
    "graded": "what graded judgments add to binary ones (De Beer and Moens 2006, Figure 1)",
    "agreement": "whether judges agree, with runs or without (Manning et al., section 8.5)",
}
"""The studies, with the question that each asks."""

_FILES = {"imperfection": "incompleteness"}
"""The file of a study, where it is not called as the study is."""


def test_title(options: Options) -> str:
    """The test of pairs of runs, as sentences call it."""
    return TESTS[options["test"]].title


def known(name: str) -> Study:
    """A study by its name; raises ``Error`` (kind "label") for none."""
    if name not in STUDIES:
        raise label_failure("study", name, tuple(STUDIES))
    plain = name.replace("-", "_")
    module = import_module(f"cranfield._study.{_FILES.get(plain, plain)}")
    study: Study = getattr(module, plain.upper())
    return study


def resolve_options(name: str, options: Options) -> dict[str, Any]:
    """All options of a study, with defaults for those not given.

    Raises ``Error`` (kind "option") for one that the study does not take.
    """
    study = known(name)
    for option in options:
        if option not in study.options:
            takes = ", ".join(study.options) or "none"
            message = f"the study {name!r} takes no option {option!r}; it takes: {takes}"
            flag, *flags = (f"--{own.replace('_', '-')}" for own in (option, *study.options))
            takes = " ".join(flags) or "none"
            flags_message = f"the study {name} takes no {flag}; it takes: {takes}"
            raise failure("option", message, command_line=flags_message)
    asked = {**study.options, **options}
    if asked.get("measures") is not None:
        # As text, since the options are recorded in the folder.
        asked["measures"] = [str(measure) for measure in asked["measures"]]
    return asked
