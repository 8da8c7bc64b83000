"""Values of answers, one row for each, as scores."""

from __future__ import annotations

from array import array

from cranfield import _core
from cranfield._analysis.answers.records import second
from cranfield._base.errors import failure, tell
from cranfield._base.options import one_of
from cranfield._base.text import counted
from cranfield._core import OpaqueMeasure
from cranfield._scores.scores import Scores

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from cranfield._io.json_lines import Place

MISSING = ("skip", "zero", "error")
"""What a topic is that a run has no answer to, the default first."""


def column(label: str, better: str | None = "higher", aggregate: str = "mean") -> OpaqueMeasure:
    """A column of scores."""
    return OpaqueMeasure(label, better, aggregate)


class Cells:
    """The values of answers by run and topic, which take eight bytes each."""

    def __init__(self, measures: Sequence[OpaqueMeasure]) -> None:
        self._measures = measures
        self._runs: dict[str, int] = {}
        self._topics: dict[str, int] = {}
        self._seen: set[tuple[int, int]] = set()
        self._places = array("q")
        self._values = array("d")

    def add(self, run: str, topic: str, values: Sequence[float], place: Place | None) -> None:
        """Adds the values of an answer; raises ``Error`` for a second one."""
        if topic == "all":
            message = 'the topic is "all", which stands for summaries'
            raise place.error("option", message) if place else failure("option", message)
        cell = (
            self._runs.setdefault(run, len(self._runs)),
            self._topics.setdefault(topic, len(self._topics)),
        )
        if cell in self._seen:
            raise second(run, topic, place)
        self._seen.add(cell)
        self._places.extend(cell)
        self._values.extend(values)

    def scores(self, missing: str, lines: Sequence[str] = ()) -> Scores:
        """The scores; what a run has no answer to is NaN, 0 or an error.

        ``lines`` are what else there is to tell.
        """
        import numpy as np

        one_of("missing", missing, MISSING)
        if not self._seen:
            raise failure("empty", "expected answers, found none")
        names = list(self._topics)
        order = sorted(range(len(names)), key=lambda n: names[n].encode("utf-8", "surrogatepass"))
        rank = np.empty(len(names), dtype=np.int64)
        rank[order] = np.arange(len(names))
        places = np.frombuffer(self._places, dtype=np.int64).reshape(-1, 2)
        measures = len(self._measures)
        shape = len(self._runs), len(names), measures
        values = np.full(shape, 0.0 if missing == "zero" else np.nan)
        rows = np.frombuffer(self._values, dtype=np.float64).reshape(-1, measures)
        values[places[:, 0], rank[places[:, 1]]] = rows
        answered = np.bincount(places[:, 0], minlength=len(self._runs)).tolist()
        found = [*lines, *self._short(missing, answered)]
        if found:
            tell(found)
        sorted_names = [names[place] for place in order]
        return Scores(_core.Scores.of(list(self._runs), sorted_names, self._measures, values))

    def _short(self, missing: str, answered: Sequence[int]) -> list[str]:
        """Which runs have no answer to some topics, in a sentence."""
        topics = len(self._topics)
        short = {run: topics - answered[place] for run, place in self._runs.items()}
        lacking = [(run, number) for run, number in short.items() if number]
        if not lacking:
            return []
        run, number = lacking[0]
        more = f", and {counted(len(lacking) - 1, 'other run')}" if len(lacking) > 1 else ""
        message = f"run {run!r} has no answer to {number} of {counted(topics, 'topic')}{more}"
        if missing == "error":
            raise failure("topics", message)
        what = "left out of its means" if missing == "skip" else "scored 0"
        return [f"{message}: {what}"]
