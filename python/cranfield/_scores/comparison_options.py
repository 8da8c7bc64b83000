"""How differences between runs are tested: the options, their values and their defaults."""

from __future__ import annotations

from dataclasses import dataclass

from cranfield._base.errors import failure
from cranfield._base.text import listed
from cranfield._stats.registry import TESTS, between, checked_test, one_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

ALTERNATIVES = ("two-sided", "greater", "less")
"""How the run may score, against the other: differently, higher, lower."""

EFFECTS = ("dz", "residual", "pooled", "glass")
"""The effect sizes: by which standard deviation the difference is divided."""


@dataclass(frozen=True)
class HowToTest:
    """The options of ``compare`` about tests; a test holds all signatures to these fields."""

    test: str = "t"
    correction: str | None = None
    alpha: float = 0.05
    alternative: str = "two-sided"
    level: float = 0.95
    effect: str = "dz"
    resamples: int | None = None
    seed: int | None = None

    def checked(self) -> dict[str, Any]:
        """All options with the values that hold.

        Raises ``Error`` (kind "option") for what is not valid.
        """
        correction = checked_test(self.test, self.correction, self.alpha)
        one_of("alternative", self.alternative, ALTERNATIVES)
        test = TESTS[self.test]
        if self.alternative != "two-sided" and not test.one_sided:
            message = f"the {test.title} is two-sided, found"
            raise failure(
                "option",
                f"{message} {self.alternative!r}",
                command_line=f"{message} --alternative {self.alternative}",
            )
        one_of("effect", self.effect, EFFECTS)
        between("level", self.level)
        resamples, seed = self.resamples, self.seed
        for name, given in (("resamples", resamples), ("seed", seed)):
            if given is not None and test.resamples is None:
                drawing = [other.name for other in TESTS.values() if other.resamples is not None]
                message = f"{name} is only for {listed(drawing)}, not for {self.test}"
                raise failure("option", message, command_line=f"--{message}")
        if test.resamples is not None:
            resamples = test.resamples if resamples is None else resamples
            seed = 0 if seed is None else seed
        return {
            "baseline": None,
            "test": self.test,
            "alternative": self.alternative,
            "correction": correction,
            "alpha": float(self.alpha),
            "level": float(self.level),
            "effect": self.effect,
            "resamples": resamples,
            "seed": seed,
        }
