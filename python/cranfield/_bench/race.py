"""Both sides in turn: the values are compared first, then the time is measured.

CPU time is that of this process and, where a side is a program, of its
processes. The garbage collector is off while a call is measured: with large
dicts in memory it would take most of some engines' time.
"""

from __future__ import annotations

import gc
import math
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from cranfield._base.errors import failure
from cranfield._bench import engines
from cranfield._bench.engines import MEAN, Engine, Job, Values, Work
from cranfield._core import Ranked, Run, __version__
from cranfield._io.files import Parts, Table
from cranfield._io.inputs import as_runs, load
from cranfield._scoring.evaluator import Evaluator

ROUNDS = 7
SHORT = 0.02
"""Seconds that a round lasts at least: shorter calls are repeated."""
MOST = 50
"""How often a call is repeated in a round at most."""
PRINTED = 5.1e-5
"""trec_eval prints four decimals."""


@dataclass(frozen=True)
class Side:
    """An evaluator's times, in seconds."""

    engine: str
    version: str
    cpu: tuple[float, ...]
    """CPU seconds of a call, for each round."""
    wall: tuple[float, ...]
    iterations: int
    """Calls a round; times are those of one."""
    first: float
    """CPU seconds of the very first call, with what it compiles or loads."""

    @property
    def median(self) -> float:
        """The median CPU time of a call."""
        return statistics.median(self.cpu)


@dataclass(frozen=True)
class Result:
    """One piece of work by one or two sides."""

    kind: str
    label: str
    """What was scored."""
    lines: int
    lists: int
    """Topics of all runs together."""
    measures: tuple[str, ...]
    asked: str
    """How the measures were asked for, such as ``common``."""
    own: Side
    other: Side | None

    @property
    def ratio(self) -> float | None:
        """How many times as long the other side takes: medians of CPU time."""
        return None if self.other is None else self.other.median / self.own.median

    @property
    def lines_per_second(self) -> float:
        """Lines of runs that cranfield scores in a second of CPU."""
        return self.lines / self.own.median


def measure(work: Work, engine: Engine | None, *, asked: str, rounds: int = ROUNDS) -> Result:
    """Does the work with cranfield, and in turn with another engine if there is one.

    Measures that the other engine lacks are left out on both sides. Raises
    ``Error``: kind "conflict" if the values of the two sides differ, "needs" for
    work that the engine cannot do.
    """
    material, kind, known = work.material, work.kind, work.measures
    about = kind, material.label, material.lines, material.lists
    if engine is None:
        job = engines.own_job(work, "f64")
        own = _side("cranfield", __version__, job, *rounds_of([job.call], rounds))
        return Result(*about, known, asked, own, None)
    if kind not in engine.kinds:
        kinds = " ".join(engine.kinds)
        raise failure("needs", f"{engine.name} takes no {kind}; it takes: {kinds}")
    known = engine.known(work.measures)
    if not known:
        raise failure("needs", f"{engine.name} has none of the measures {' '.join(work.measures)}")
    work = Work(material, kind, known, work.threads)
    mine = (engines.own_process if engine.process else engines.own_job)(work, engine.scores)
    his = engine.job(work)

    def check(found: Any, expected: Any) -> None:
        compare(mine.values(found), his.values(expected), engine)

    times = rounds_of([mine.call, his.call], rounds, check, compiles=engine.compiles)
    own = _side("cranfield", __version__, mine, times[0])
    return Result(*about, known, asked, own, _side(engine.name, engine.version, his, times[1]))


def clock() -> tuple[float, float]:
    """CPU seconds of this process and of its ended children, and wall seconds."""
    return time.process_time() + _children(), time.perf_counter()


def _children() -> float:
    try:
        import resource
    except ImportError:
        return 0.0
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def timed(call: Callable[[], Any], iterations: int = 1) -> tuple[float, float, Any]:
    """CPU and wall seconds of a call, on the mean, and what the last one returned."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        cpu, wall = clock()
        for _ in range(iterations):
            result = call()
        cpu_end, wall_end = clock()
    finally:
        if collecting:
            gc.enable()
    return (cpu_end - cpu) / iterations, (wall_end - wall) / iterations, result


def _iterations(call: Callable[[], Any], first: float, compiles: bool = False) -> int:
    """How many calls make a round that is not too short.

    The first call shows this only for work that is long and compiles nothing.
    """
    if first > 1 and not compiles:
        return 1
    seconds, _, _ = timed(call)
    return max(1, min(MOST, math.ceil(SHORT / max(seconds, 1e-9))))


class Times(NamedTuple):
    """What was measured of a call."""

    cpu: tuple[float, ...]
    """CPU seconds of a call, for each round."""
    wall: tuple[float, ...]
    iterations: int
    """Calls a round; times are those of one."""
    first: float
    """CPU seconds of the very first call."""


def rounds_of(
    calls: Sequence[Callable[[], Any]],
    rounds: int,
    check: Callable[..., object] = lambda *_: None,
    *,
    compiles: bool = False,
) -> list[Times]:
    """The times of calls that are measured in turn, after ``check`` of what they returned first.

    ``compiles``: all but the first of them compile when they are called first.
    """
    found = [timed(call) for call in calls]
    check(*(returned for _, _, returned in found))
    firsts = [cpu for cpu, _, _ in found]
    del found
    iterations = [_iterations(calls[0], firsts[0])]
    iterations += [_iterations(*own, compiles) for own in zip(calls[1:], firsts[1:], strict=True)]
    measured: list[list[tuple[float, float]]] = [[] for _ in calls]
    for _ in range(rounds):
        for own, call, number in zip(measured, calls, iterations, strict=True):
            own.append(timed(call, number)[:2])
    seconds = [tuple(zip(*own, strict=True)) for own in measured]
    return [
        Times(cpu, wall, number, first)
        for (cpu, wall), number, first in zip(seconds, iterations, firsts, strict=True)
    ]


def _side(engine: str, version: str, job: Job, times: Times) -> Side:
    cpu, wall = (tuple(s / job.share for s in own) for own in (times.cpu, times.wall))
    return Side(engine, version, cpu, wall, times.iterations, times.first / job.share)


def compare(own: Values, other: Values, engine: Engine) -> None:
    """Raises ``Error`` (kind "conflict") where the values of two sides differ."""
    compared = 0
    for run, topics in other.items():
        for topic, row in topics.items():
            for name, value in row.items():
                found = own[run][topic][name]
                compared += 1
                near = math.isclose(
                    found,
                    value,
                    rel_tol=engine.tolerance,
                    abs_tol=PRINTED if engine.process else engine.tolerance,
                )
                if not near:
                    place = f"run {run}" + (f", topic {topic}" if topic != MEAN else "")
                    raise failure(
                        "conflict",
                        f"{place}: {name} is {found:.6g} here and {value:.6g} in {engine.name}: "
                        "times are compared only if the values are the same",
                    )
    if not compared:
        raise failure("conflict", f"{engine.name} scored nothing that could be compared")


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
            f"{self.lines_per_s:,.0f} lines per CPU second ({self.lines:,} lines in "
            f"{seconds * 1e3:.2f} ms, median of {len(self.cpu)})"
        )


def lines_of(runs: Any) -> int:
    """The lines of everything that ``evaluate`` takes as runs.

    Raises ``Error``: kind "type" for open files, which are read only once, and
    for what was read before, and whatever reading a file raises.
    """
    total = 0
    for source in as_runs(runs):
        if not isinstance(source.data, (Run, str, Table, Parts)):
            what = "a run that was ranked" if isinstance(source.data, Ranked) else "an open file"
            raise failure("type", f"cannot count the lines of {what}: give them as lines=")
        total += load(source, {}).lines
    return total


def throughput(work: Callable[[], object], lines: int, rounds: int = ROUNDS) -> Throughput:
    """Measures calls that together take long enough, after one call to warm up."""
    (times,) = rounds_of([work], rounds)
    return Throughput(lines, times.cpu, times.wall)


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
        rounds: int = ROUNDS,
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
        found = throughput(lambda: call(runs), count, rounds)
        self._report(str(found))
        if min_lines_per_s is not None and found.lines_per_s < min_lines_per_s:
            self._fail(f"{found}: at least {min_lines_per_s:,.0f} are asked for")
        return found
