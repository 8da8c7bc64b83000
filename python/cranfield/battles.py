"""Battles: which of two answers a judge preferred, and what follows for the runs.

>>> import cranfield as cf
>>> battles = [("x", "y", "x")] * 5 + [("x", "y", "y")] * 3 + [("x", "y", None)] * 2
>>> cf.battles.preference_rates(battles)["x", "y"]
0.6
>>> cf.battles.bradley_terry(battles).runs
('x', 'y')

A battle is ``(a, b, winner)``: two runs and the one that was preferred, None for a tie.
"""

from __future__ import annotations

import csv
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias, overload

from cranfield import _core
from cranfield._base.errors import failure, short, tell
from cranfield._base.options import checked, finder, is_iterable, one_of, two, whole
from cranfield._base.text import counted
from cranfield._io.files import RemoteObject
from cranfield._io.small_files import Line, PathsLike, decoded, lines, paths
from cranfield._io.sources import name_of
from cranfield._table.data_table import COUNT, TEXT, DataTable
from cranfield._table.data_table import MEAN as ONE_DECIMAL
from cranfield._table.result import Result

TYPE_CHECKING = False
if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Battles: TypeAlias = Iterable[Sequence[str | None]]
Battle: TypeAlias = tuple[str, str, str | None]
OfTopic: TypeAlias = tuple[str, str, str | None, str]

__all__ = [
    "BradleyTerry",
    "PreferenceRates",
    "RatingDifference",
    "bradley_terry",
    "preference_rates",
    "read",
]


@dataclass(frozen=True, eq=False, repr=False)
class PreferenceRates(Result):
    """How often each run was preferred; arrays have an entry per run, best first."""

    runs: tuple[str, ...]
    """The runs, the most preferred first."""
    rate: NDArray[np.float64]
    """(wins + ties / 2) / battles: float64, shape (runs,)."""
    wins: NDArray[np.int64]
    """Battles that the run won: int64, shape (runs,)."""
    ties: NDArray[np.int64]
    """Battles that nobody won."""
    losses: NDArray[np.int64]
    """Battles that the other run won."""
    pairs: NDArray[np.float64]
    """The rate of the run of a row against that of a column: float64, shape (runs, runs).

    NaN for two that did not meet.
    """
    battles: NDArray[np.int64]
    """How often two met: int64, shape (runs, runs)."""

    __iter__ = None

    def __getitem__(self, key: str | tuple[str, str]) -> float:
        """The rate of a run, or of the first run of a pair against the second.

        NaN for two that did not meet. Raises ``LabelError`` for a run that is not there.
        """
        find = finder("run", self.runs)
        if isinstance(key, tuple):
            first, second = map(find, two(key, "two runs"))
            return float(self.pairs[first, second])
        return float(self.rate[find(key)])


def preference_rates(battles: Battles) -> PreferenceRates:
    """How often runs were preferred, in all and against each other: (wins + ties / 2) / battles.

    Parameters
    ----------
    battles
        As for ``bradley_terry``. Equal battles all count.

    Returns
    -------
    PreferenceRates
        ``runs`` and ``rate``, best first; ``rates["x"]`` and ``rates["x", "y"]``.

    Raises
    ------
    Error
        As ``bradley_terry``, but for what is about its maximum.

    """
    found = _Outcomes.of(battles)
    order, rate, counts, pairs, met = _core.battle_rates(len(found.names), found.outcomes)
    runs = tuple(found.names[place] for place in order)
    return PreferenceRates(runs, rate, counts[0], counts[1], counts[2], pairs, met)


@dataclass(frozen=True)
class _Outcomes:
    """What runs did against each other, in all and on each topic, if battles have topics."""

    names: list[str]
    """The runs, sorted."""
    outcomes: NDArray[np.uint64]
    """The runs of each pair, its wins, losses and ties: shape (pairs, 5)."""
    topics: int
    """How many topics there are."""
    entries: NDArray[np.uint64]
    """The same for each pair on a topic, in the order of topics: the topic, the row in
    ``outcomes``, and wins, losses and ties."""

    @classmethod
    def of(cls, battles: Battles, *, by_topic: bool = False) -> _Outcomes:
        """Counts battles; raises ``Error`` (kind "type") for what cannot be battles."""
        if isinstance(battles, (str, bytes, dict)) or not is_iterable(battles):
            expected = "(a, b, winner, topic)" if by_topic else "(a, b, winner)"
            advice = "; cf.battles.read reads files" if isinstance(battles, str) else ""
            kind = type(battles).__name__
            raise failure("type", f"expected battles {expected}, found a {kind}{advice}")
        found = cls(*_core.count_battles(battles, by_topic=by_topic))
        if not found.names:
            raise failure("empty", "expected battles, found none")
        return found

    def covariance(
        self, strengths: NDArray[np.float64], ridge: float, steady: float
    ) -> NDArray[np.float64]:
        """The sandwich covariance of strengths in which each topic counts once.

        Liang and Zeger (1986), Longitudinal data analysis using generalized linear models,
        Biometrika 73: the gradients of a topic's battles are summed before they are squared.
        """
        import numpy as np

        first, second = (self.outcomes[:, k].astype(np.int64) for k in (0, 1))
        won = 1 / (1 + np.exp(strengths[second] - strengths[first]))
        diagonal = ridge + steady * float(self.outcomes[:, 2:].sum())
        # Not a product of matrices: its bits would depend on the number of threads.
        bread, meat = _core.topic_battle_sums(
            won, len(strengths), self.outcomes, self.entries, diagonal
        )
        half = np.linalg.solve(bread, meat)
        found: NDArray[np.float64] = np.linalg.solve(bread, half.T)
        # Ratings have one mean, so rows and columns have the mean 0, apart from rounding.
        found = found - found.mean(axis=0) - found.mean(axis=1)[:, None] + found.mean()
        return (found + found.T) / 2

    def resampled(
        self, strengths: NDArray[np.float64], *, by_topic: bool, **how: Any
    ) -> NDArray[np.float64]:
        """Strengths under battles, or topics, drawn with replacement: shape (resamples, runs).

        Raises ``Error`` (kind "undefined") where some have no finite maximum.
        """
        import numpy as np

        if by_topic:
            drawn = self.topics, self.entries
            found = _core.topic_battle_resamples(len(self.names), self.outcomes, *drawn, **how)
        else:
            found = _core.battle_resamples(strengths, self.outcomes, **how)
        if lost := int(np.isnan(found[:, 0]).sum()):
            unit = "topics" if by_topic else "battles"
            message = (
                f"{lost} of {len(found)} resamples of the {unit} have no finite maximum: there "
                "are too few; choose"
            )
            raise failure(
                "undefined",
                f'{message} intervals="sandwich" or a ridge=',
                command_line=f"{message} --intervals sandwich or a --ridge",
            )
        return found


SCALE = 400 / math.log(10)
"""Points of rating for a unit of strength: 400 points are odds of ten to one."""

MEAN = 1000.0
"""The mean rating."""

STEADY = 1e-5
"""What arena-rank adds to the diagonal of the information, times the number of battles."""

INTERVALS = ("sandwich", "bootstrap")
"""How intervals are made, the default first."""

RESAMPLES = 1000
"""How often battles are resampled for bootstrap intervals."""


@dataclass(frozen=True, slots=True)
class RatingDifference(Result):
    """By how much the rating of a run is above that of another."""

    difference: float
    """The difference of ratings."""
    standard_error: float
    """Its standard error."""
    low: float
    """The lower end of its interval."""
    high: float
    """The upper end."""


@dataclass(frozen=True, eq=False, repr=False)
class BradleyTerry(Result):
    """Ratings of runs, best first; arrays have one entry per run."""

    runs: tuple[str, ...]
    """The runs, the best first."""
    rating: NDArray[np.float64]
    """Ratings with the mean 1000: a difference of 400 is odds of ten to one."""
    low: NDArray[np.float64]
    """The lower ends of their intervals."""
    high: NDArray[np.float64]
    """The upper ends."""
    standard_error: NDArray[np.float64]
    """Standard errors of the ratings."""
    rank_low: NDArray[np.int64]
    """The best rank: one more than the runs whose interval is above that of the run."""
    rank_high: NDArray[np.int64]
    """The worst rank: the number of runs less those whose interval is below that of the run."""
    battles: int
    """How many battles there were."""
    level: float
    """The confidence of the intervals."""
    intervals: str
    """How they were made."""
    ridge: float
    """The ridge that was added to the likelihood; 0 for none."""
    covariance: NDArray[np.float64] = field(repr=False)
    """The covariance of the ratings: float64, shape (runs, runs)."""
    topics: int | None = None
    """How many topics the battles are about, if intervals are by topic."""
    _drawn: NDArray[np.float64] | None = field(repr=False, default=None, kw_only=True)

    def headline(self) -> str:
        """How many runs and battles there are, and how intervals were made."""
        made = f"{100 * self.level:.10g}% intervals, {self.intervals}"
        return f"<BradleyTerry: {len(self.runs)} runs, {self.battles} battles, {made}>"

    def table(self) -> DataTable:
        """A row for each run, the best first."""
        return DataTable(
            {
                "run": (TEXT, self.runs),
                "rating": (ONE_DECIMAL, self.rating.tolist()),
                "low": (ONE_DECIMAL, self.low.tolist()),
                "high": (ONE_DECIMAL, self.high.tolist()),
                "rank low": (COUNT, self.rank_low.tolist()),
                "rank high": (COUNT, self.rank_high.tolist()),
            }
        )

    def difference(self, a: str, b: str) -> RatingDifference:
        """By how much run ``a`` is above run ``b``, with an interval.

        Two runs whose intervals overlap can still differ: this is what tells.
        Raises ``LabelError`` for a run that is not there.
        """
        i, j = map(finder("run", self.runs), (a, b))
        spread = self.covariance
        error = math.sqrt(max(spread[i, i] + spread[j, j] - 2 * spread[i, j], 0.0))
        found = float(self.rating[i] - self.rating[j])
        if self._drawn is not None:
            low, high = _percentiles(self._drawn[:, [i]] - self._drawn[:, [j]], self.level)
            return RatingDifference(found, error, float(low[0]), float(high[0]))
        ends = _core.normal_interval(found, error, self.level)
        return RatingDifference(found, error, *ends)


@checked
def bradley_terry(
    battles: Battles,
    *,
    level: float = 0.95,
    intervals: str = "sandwich",
    by_topic: bool = False,
    ridge: float = 0.0,
    resamples: int = RESAMPLES,
    seed: int = 0,
    threads: int | None = None,
) -> BradleyTerry:
    """Ratings of runs from battles, by the Bradley-Terry model.

    >>> battles = [("x", "y", "x")] * 5 + [("x", "y", "y")] * 3 + [("x", "y", None)] * 2
    >>> bradley_terry(battles).rating.round(1).tolist()
    [1035.2, 964.8]

    Parameters
    ----------
    battles
        Tuples (a, b, winner) of two runs and the winner, one of them, or None for a tie, which
        is half a win for either; ``cranfield.battles.read`` reads them.
    level
        The confidence of intervals, between 0 and 1.
    intervals
        "sandwich": the normal interval with a covariance that is valid even if the model is
        wrong (White 1982), as arena-rank computes it; "bootstrap": percentiles over resampled
        battles.
    by_topic
        Whether battles are (a, b, winner, topic) and those about one topic depend on each other:
        the sandwich sums their gradients before it squares them (Liang and Zeger 1986), and the
        bootstrap resamples topics. Ratings stay the same. There should be some tens of topics.
    ridge
        Subtracts half of this times the squares of strengths (natural logarithms of odds, mean
        0) from the log-likelihood, which pulls them together. It gives ratings to runs that won
        or lost everything, and to groups that never met.
    resamples, seed
        How many resamples the bootstrap draws, and its seed.
    threads
        How many threads compute the resamples.

    Returns
    -------
    BradleyTerry
        ``runs`` (best first; equal ratings by name), ``rating``, ``low`` and ``high``: float64,
        shape (runs,); ``rank_low`` and ``rank_high``, which follow from intervals that do not
        overlap; ``difference(a, b)``.

    Raises
    ------
    Error
        Kind "undefined" if the likelihood has no finite maximum: some runs never lost or tied
        against the rest, or never met it. The message names the parts, best first. Also
        for resamples without a maximum, and by topic for a single topic. Kind "type" for what
        is no battle, "duplicate" for a run against itself, "option" for a winner that did not
        take part and for wrong options, "empty" for no battles.

    Notes
    -----
    Bradley and Terry (1952), Rank analysis of incomplete block designs, Biometrika 39; Ford
    (1957) on when there is a maximum. Two battles about one topic are not independent, which
    intervals ignore unless they are by topic.

    """
    import numpy as np

    one_of("intervals", intervals, INTERVALS)
    whole(resamples, "resamples", least=2)
    if ridge < 0:
        raise failure("option", f"expected a ridge of at least 0, found {ridge:g}")
    fought = _Outcomes.of(battles, by_topic=by_topic)
    names, outcomes = fought.names, fought.outcomes
    if ridge == 0:
        _connected(names, outcomes)
    strengths = _core.battle_strengths(len(names), outcomes, ridge=ridge)
    if by_topic and fought.topics < 2:
        message = "expected battles about at least two topics to count by topic, found one"
        raise failure("undefined", message)
    rating = MEAN + SCALE * strengths
    # By the rating as far as rounding leaves it, then by name.
    order = sorted(range(len(names)), key=lambda n: (-round(float(rating[n]), 9), names[n]))
    drawn = None
    if intervals == "bootstrap":
        how = {"ridge": ridge, "resamples": resamples, "seed": seed, "threads": threads}
        drawn = (MEAN + SCALE * fought.resampled(strengths, by_topic=by_topic, **how))[:, order]
        covariance = np.atleast_2d(np.cov(drawn, rowvar=False))
        low, high = _percentiles(drawn, level)
    else:
        if by_topic:
            spread = fought.covariance(strengths, ridge, STEADY)
        else:
            spread = _core.battle_covariance(strengths, outcomes, ridge=ridge, steady=STEADY)
        covariance = SCALE**2 * spread[np.ix_(order, order)]
    error = np.sqrt(np.maximum(np.diag(covariance), 0.0))
    rating = rating[order]
    if drawn is None:
        reach = _core.normal_interval(0.0, 1.0, level)[1] * error
        low, high = rating - reach, rating + reach
    above = (low[None, :] > high[:, None]).sum(axis=1)
    below = (high[None, :] < low[:, None]).sum(axis=1)
    return BradleyTerry(
        tuple(names[place] for place in order),
        rating,
        low,
        high,
        error,
        1 + above,
        len(names) - below,
        int(outcomes[:, 2:].sum()),
        level,
        intervals,
        ridge,
        covariance,
        fought.topics if by_topic else None,
        _drawn=drawn,
    )


def _percentiles(
    drawn: NDArray[np.float64], level: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    import numpy as np

    low, high = np.quantile(drawn, [(1 - level) / 2, (1 + level) / 2], axis=0)
    return low, high


_SHOWN = 5
"""How many runs of a part, and how many parts, a message names."""


def _connected(names: Sequence[str], outcomes: NDArray[np.uint64]) -> None:
    """Raises if runs are in parts between which not both sides ever won or tied."""
    parts = _core.battle_parts(len(names), outcomes)
    if len(parts) == 1:
        return

    def listed(part: Sequence[int]) -> str:
        shown = ", ".join(short(names[run]) for run in part[:_SHOWN])
        return f"{{{shown}{f' and {len(part) - _SHOWN} more' if len(part) > _SHOWN else ''}}}"

    several = " > ".join(map(listed, parts[:_SHOWN]))
    more = f" and {len(parts) - _SHOWN} more" if len(parts) > _SHOWN else ""
    message = (
        f"the ratings have no finite maximum: the runs are in {counted(len(parts), 'part')}, "
        f"{several}{more}, and none of a later part ever won or tied against an earlier one; "
        "leave runs out, or give"
    )
    raise failure("undefined", f"{message} ridge=", command_line=f"{message} --ridge")


COLUMNS = ("model_a", "model_b", "winner")
"""The columns of the arena's files."""


@overload
def read(path: PathsLike, *, by_topic: Literal[False] = False) -> list[Battle]: ...
@overload
def read(path: PathsLike, *, by_topic: Literal[True]) -> list[OfTopic]: ...
@overload
def read(path: PathsLike, *, by_topic: bool) -> list[Battle] | list[OfTopic]: ...
def read(path: PathsLike, *, by_topic: bool = False) -> list[Battle] | list[OfTopic]:
    """Reads battles from files.

    Parameters
    ----------
    path
        A file, a pattern, a folder, an address, ``-`` for standard input, or a list of these;
        compressed (.gz, .zst, .bz2, .xz) or not. JSON Lines as RAGDoll writes them: ``pair`` with
        two runs, ``preferred_run_id``, ``judge_verdict`` (``A``, ``B``, ``Tie``, ``Both Good``,
        ``Both Bad``, ``Tie (Both Bad)``) and ``status``; or as arenas write them: ``model_a``,
        ``model_b`` and ``winner`` (``model_a``, ``model_b``, ``tie``, ``both_bad``), in JSON
        Lines, CSV or TSV.
    by_topic
        Whether each battle has its topic as a fourth entry, for ``bradley_terry``. Files call it
        ``qid``, ``topic_id``, ``narrative_id``, ``query_id``, ``request_id`` or ``question_id``.

    Returns
    -------
    list
        A tuple (a, b, winner), or (a, b, winner, topic), for each battle; the winner of a tie is
        None. Battles whose status is not ``completed``, and those in which nobody was preferred
        and that are no tie, are left out with a ``CranfieldWarning``.

    Raises
    ------
    Error
        With file, line and key: kind "fields" for what is no such object, "option" for an
        unknown word, "duplicate" for a run against itself; "missing", "io" for what cannot be
        read; "empty" for files without battles.

    """
    battles: list[Any] = []
    left: dict[str, int] = {}
    files = paths(path)
    for file in files:
        for found in _of_file(file, by_topic):
            if isinstance(found, str):
                left[found] = left.get(found, 0) + 1
            else:
                battles.append(found)
    if left:
        number = sum(left.values())
        why = ", ".join(f"{count} {reason}" for reason, count in left.items())
        whole = counted(len(battles) + number, "battle")
        tell([f"{number} of {whole} left out: {why}"])
    elif not battles:
        raise failure("empty", "expected battles, found none", file=", ".join(map(name_of, files)))
    return battles


def _of_file(file: str | RemoteObject, by_topic: bool) -> Iterator[tuple[Any, ...] | str]:
    """The battles of a file, or why one does not count."""
    found = lines(file)
    for place, line in found:
        if line.lstrip().startswith(("{", "[")):
            record = decoded(place, line)
            yield _core.battle_of(record, place, arena=False, by_topic=by_topic)
        else:
            for own, row in _rows(place, line, found):
                yield _core.battle_of(row, own, arena=True, by_topic=by_topic)


def _rows(
    place: Line, line: str, rest: Iterator[tuple[Line, str]]
) -> Iterator[tuple[Line, dict[str, Any]]]:
    """The rows of CSV or TSV, each with the line that it ends in; a field may have several."""
    last = place

    def texts() -> Iterator[str]:
        nonlocal last
        yield line
        for own, text in rest:
            last = own
            yield text

    rows = csv.reader(texts(), delimiter="\t" if "\t" in line else ",")
    header: list[str] = []
    try:
        for fields in rows:
            row = [field.strip() for field in fields]
            if not header:
                header = row
                for column in COLUMNS:
                    if column not in header:
                        raise last.missing([column], dict.fromkeys(header))
            elif len(row) != len(header):
                message = f"expected {len(header)} fields, found {len(row)}"
                raise last.error("fields", message)
            else:
                yield last, dict(zip(header, row, strict=True))
    except csv.Error as error:
        raise last.error("fields", f"expected rows of fields: {error}") from None
