"""The significance tests: what each is called, what it takes, and how it is run.

Everything that offers a test reads it here, so that a name means one test everywhere.
"""

from __future__ import annotations

import math
from types import SimpleNamespace

from cranfield._base.errors import failure
from cranfield._base.options import one_of, probability

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from cranfield._base.scores_like import Directed
    from cranfield._core import Notes
    from cranfield._stats.paired import PairedTest


class Test(SimpleNamespace):
    """A test of the differences between pairs of runs."""

    name: str
    title: str
    """What it is called in a sentence."""
    function: str
    """The function of ``cranfield.stats``."""
    resamples: int | None = None
    """How many resamples it draws by default, with a seed; None if it draws nothing."""
    one_sided = False
    """Whether it takes an alternative."""
    whole = False
    """Whether it uses the topics that all runs have, not those of each pair."""
    joint = False
    """Whether its p-values hold for all pairs at once, and take no correction."""
    options: Mapping[str, Any] = {}
    """What the function is called with besides."""

    def __init__(self, name: str, title: str, function: str, **what: Any) -> None:
        super().__init__(name=name, title=title, function=function, **what)

    def __call__(
        self,
        scores: Any,
        *,
        alternative: str = "two-sided",
        resamples: int | None = None,
        seed: int | None = None,
        threads: int | None = None,
        **options: Any,
    ) -> PairedTest:
        """The test of scores, with those of the arguments that it takes."""
        from cranfield._stats import paired

        given = {**self.options, **options}
        if self.one_sided:
            given["alternative"] = alternative
        if self.resamples is not None:
            given["resamples"] = self.resamples if resamples is None else resamples
            given.update(seed=0 if seed is None else seed, threads=threads)
        found: PairedTest = getattr(paired, self.function)(scores, **given)
        return found


TESTS = {
    test.name: test
    for test in (
        Test("t", "paired t test", "t_test", one_sided=True),
        Test("wilcoxon", "Wilcoxon signed-rank test", "wilcoxon", one_sided=True),
        Test("sign", "sign test", "sign_test", one_sided=True),
        Test(
            *("randomization", "paired randomization test", "randomization_test"),
            resamples=10_000,
            one_sided=True,
            whole=True,
        ),
        Test("bootstrap", "paired bootstrap test", "bootstrap_test", resamples=1000, whole=True),
        Test("tukey", "Tukey HSD test", "tukey_hsd", whole=True, joint=True),
        Test(
            *("tukey_randomized", "randomized Tukey HSD test", "tukey_hsd"),
            resamples=10_000,
            whole=True,
            joint=True,
            options={"method": "randomized"},
        ),
    )
}
"""The tests by name, the default first."""

MARGIN_TESTS = {
    "t": "t",
    "studentized": "the studentized bootstrap",
    "randomization": "flipping signs",
    "bounded": "Gaffke's bound",
}
"""The tests of a mean against a margin, as they are called in a sentence; the default first."""


def margin_test(name: object) -> str:
    """A test of a mean against a margin; raises ``Error`` (kind "option") for any other."""
    if name in ("percentile", "bootstrap"):
        message = f"the {name} bootstrap passes losses of the margin too often: .063 to .074 of "
        advice = "the time for 25 topics at alpha .05; take t or studentized"
        raise failure("option", message + advice)
    if name in TESTS and name not in MARGIN_TESTS:
        message = f"the {TESTS[str(name)].title} is not about one mean and a margin; there are: "
        raise failure("option", message + ", ".join(MARGIN_TESTS))
    one_of("test", name, MARGIN_TESTS)
    return str(name)


CORRECTIONS = {
    "holm": "Holm's method",
    "bh": "Benjamini and Hochberg's method",
    "bonferroni": "Bonferroni's method",
    "max-t": "the step-down maximum of t under flipped signs",
    "none": "no method",
}
"""The corrections for the number of comparisons, as one writes them; the default first."""

CORRECTED = {"holm": "Holm", "bonferroni": "Bonferroni", "bh": "Benjamini-Hochberg"}
"""What columns of corrected p-values are called."""


def test_of(name: object) -> Test:
    """The test of a name; raises ``Error`` (kind "option") for any other."""
    one_of("test", name, TESTS)
    return TESTS[str(name)]


TUKEY = (
    "tukey is the parametric test now, as everywhere; tukey_randomized is the one that studies and "
    "discriminative power called tukey before"
)
"""What is told for one release where the name meant the other test."""


def checked_test(test: str, correction: str | None, alpha: float) -> str:
    """The correction, after checks of test, correction and alpha.

    Raises ``Error`` (kind "option") for what is not valid.
    """
    joint = test_of(test).joint
    if joint and correction not in (None, "none"):
        message = "Tukey's p-values hold for all pairs at once and take no"
        raise failure(
            "option",
            f"{message} correction, found {correction!r}",
            command_line=f"{message} --correction, found {correction}",
        )
    one_of("correction", correction, (*CORRECTIONS, None))
    if correction == "max-t" and test != "randomization":
        message = f"max-t flips signs as the randomization test does, found {test}"
        raise failure("option", message, command_line=f"{message}: --test randomization")
    probability(alpha, "alpha")
    if correction is None:
        return "none" if joint else next(iter(CORRECTIONS))
    return correction


def check_means(measures: Iterable[Directed]) -> None:
    """Raises ``Error`` (kind "option") for measures that cannot be tested."""
    for measure in measures:
        if measure.aggregate in ("geometric", "pooled"):
            kind = "geometric" if measure.aggregate == "geometric" else "weighted"
            message = f"{measure} is a {kind} mean, and tests are about arithmetic ones"
            raise failure("option", message)


ENOUGH = 5
"""Fewer runs than this have so few orders that two of them are often equal by chance: once in 24
times of four runs, once in 120 of five."""


def too_few_for_tau(runs: int) -> str:
    """A sentence where Kendall's tau is over few runs; empty where they are enough, or one."""
    if not 2 <= runs < ENOUGH:
        return ""
    return (
        f"tau is over {runs} runs, which are too few: two rankings of them agree by chance once "
        f"in {math.factorial(runs)} times"
    )


def of_zeros(
    means: Mapping[str, Iterable[float]], notes: Mapping[str, Notes] | None = None
) -> list[str]:
    """A line for each run whose means are all 0, where no value is below 0.

    Without a relevant document, or without any, a test has a small p-value all the same.
    """
    found = []
    for run, values in means.items():
        known = [value for value in values if not math.isnan(value)]
        if known and not any(known):
            note = (notes or {}).get(run)
            why = "it retrieved nothing" if note and not note.lines else "nothing relevant found"
            found.append(f"{run}: 0 on every topic, {why}: p-values only reflect that")
    return found
