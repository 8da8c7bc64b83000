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
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

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
    label, lines, lists = material.label, material.lines, material.lists
    if engine is None:
        job = engines.own_job(work, "f64")
        own = _side("cranfield", __version__, *rounds_of(job.call, rounds), job.share)
        return Result(kind, label, lines, lists, known, asked, own, None)
    if kind not in engine.kinds:
        kinds = " ".join(engine.kinds)
        raise failure("needs", f"{engine.name} takes no {kind}; it takes: {kinds}")
    known = engine.known(work.measures)
    if not known:
        raise failure("needs", f"{engine.name} has none of the measures {' '.join(work.measures)}")
    work = Work(material, kind, known, work.threads)
    mine = (engines.own_process if engine.process else engines.own_job)(work, engine.scores)
    own, other = _race(mine, engine.job(work), engine, rounds)
    return Result(kind, label, lines, lists, known, asked, own, other)


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


def rounds_of(call: Callable[[], Any], rounds: int) -> tuple[list[tuple[float, float]], int, float]:
    """CPU and wall seconds of a call in each round; calls a round; CPU seconds of the first."""
    first, _, _ = timed(call)
    iterations = _iterations(call, first)
    return [timed(call, iterations)[:2] for _ in range(rounds)], iterations, first


def _race(mine: Job, his: Job, engine: Engine, rounds: int) -> tuple[Side, Side]:
    first_mine, _, found = timed(mine.call)
    first_his, _, expected = timed(his.call)
    compare(mine.values(found), his.values(expected), engine)
    del found, expected
    jobs = (mine, his)
    iterations = [
        _iterations(mine.call, first_mine),
        _iterations(his.call, first_his, engine.compiles),
    ]
    times: list[list[tuple[float, float]]] = [[], []]
    for _ in range(rounds):
        for side, job in enumerate(jobs):
            times[side].append(timed(job.call, iterations[side])[:2])
    return (
        _side("cranfield", __version__, times[0], iterations[0], first_mine, mine.share),
        _side(engine.name, engine.version, times[1], iterations[1], first_his, his.share),
    )


def _side(
    engine: str,
    version: str,
    times: list[tuple[float, float]],
    iterations: int,
    first: float,
    share: float,
) -> Side:
    cpu, wall = zip(*times, strict=True)
    return Side(
        engine,
        version,
        tuple(seconds / share for seconds in cpu),
        tuple(seconds / share for seconds in wall),
        iterations,
        first / share,
    )


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
        total += load(source, lenient=False, limits=None).lines
    return total


def throughput(work: Callable[[], object], lines: int, rounds: int = ROUNDS) -> Throughput:
    """Measures calls that together take long enough, after one call to warm up."""
    times, _, _ = rounds_of(work, rounds)
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
