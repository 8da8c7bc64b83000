"""What can be wrong with a command line beside its files."""

from __future__ import annotations

from cranfield._cli import messages

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from cranfield._core import Error


class UsageError(Exception):
    """Arguments that do not fit together."""


class UnusableRunsError(Exception):
    """Several runs were given, and some cannot be used; ``errors`` says why of each."""

    def __init__(self, errors: Sequence[Error], runs: int) -> None:
        super().__init__("\n".join(map(str, errors)))
        self.errors = errors
        self.runs = runs

    def report(self) -> None:
        """Writes one line for each run, and that the others were not written."""
        for error in self.errors:
            messages.fail(error)
        what = f"{len(self.errors)} of {self.runs} runs cannot be used"
        others = "" if len(self.errors) == self.runs else "; --keep-going leaves them out"
        messages.say(f"{what}, so nothing was written{others}")
