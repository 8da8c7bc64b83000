"""How many lines of runs a piece of code scores in a second, as a test holds it."""

from __future__ import annotations

import statistics
from dataclasses import dataclass

from cranfield._base.errors import failure
from cranfield._bench import race
from cranfield._core import Ranked, Run
from cranfield._io.accepted import as_runs
from cranfield._io.parts import Parts
from cranfield._io.tables import Table
from cranfield._scoring.evaluator import Evaluator

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


@dataclass(frozen=True)
class Throughput:
    """What was measured."""

    lines: int
    """Lines of runs, or entries of dicts, that a call scores."""
    cpu: tuple[float, ...]
    """CPU seconds of a call, for each round."""
    wall: tuple[float, ...]
    """Wall seconds of a call, for each round."""

    @property
    def lines_per_s(self) -> float:
        """Lines in a second of CPU: the median of the rounds."""
        return self.lines / statistics.median(self.cpu)

    def __str__(self) -> str:
        seconds = statistics.median(self.cpu)
        return (
            f"{self.lines_per_s:,.0f} lines a second of CPU ({self.lines:,} lines in "
            f"{seconds * 1e3:.2f} ms, median of {len(self.cpu)})"
        )


def lines_of(runs: Any) -> int:
    """The lines of everything that ``evaluate`` takes as runs.

    Raises ``Error``: kind "type" for open files, which are read only once, and
    for what was read before, and whatever reading a file raises.
    """
    total = 0
    for source in as_runs(runs):
        if isinstance(source.data, Run):
            total += source.data.lines
        elif isinstance(source.data, str):
            total += Run.read(source.data, name=source.name).lines
        elif isinstance(source.data, (Table, Parts)):
            total += source.data.run().lines
        else:
            what = "a run that was ranked" if isinstance(source.data, Ranked) else "an open file"
            raise failure("type", f"cannot count the lines of {what}: give them as lines=")
    return total


def measure(work: Callable[[], object], lines: int, rounds: int = race.ROUNDS) -> Throughput:
    """Measures calls that together take long enough, after one call to warm up."""
    times, _, _ = race.rounds_of(work, rounds)
    cpu, wall = zip(*times, strict=True)
    return Throughput(lines, cpu, wall)


class Gate:
    """Measures, reports, and fails below a limit; the fixture ``cranfield_throughput``."""

    def __init__(self, report: Callable[[str], object], fail: Callable[[str], object]) -> None:
        self._report, self._fail = report, fail

    def __call__(
        self,
        work: Evaluator | Callable[[Any], object],
        runs: Any,
        *,
        min_lines_per_s: float | None = None,
        rounds: int = race.ROUNDS,
        lines: int | None = None,
    ) -> Throughput:
        """Scores runs again and again.

        Parameters
        ----------
        work
            An ``Evaluator``, or a function that is called with the runs.
        runs
            What it scores: anything that ``cranfield.evaluate`` takes as runs,
            but for open files.
        min_lines_per_s
            How many lines it has to score in a second of CPU; None only reports.
        rounds
            How often it is measured; the median counts.
        lines
            How many lines the runs have; counted if not given.

        """
        count = lines_of(runs) if lines is None else lines
        call = work.evaluate if isinstance(work, Evaluator) else work
        found = measure(lambda: call(runs), count, rounds)
        self._report(str(found))
        if min_lines_per_s is not None and found.lines_per_s < min_lines_per_s:
            self._fail(f"{found}: at least {min_lines_per_s:,.0f} are asked for")
        return found
