"""Values of answers, one row for each, as scores."""

from __future__ import annotations

import math

from cranfield._analysis.answers.records import second
from cranfield._base.errors import failure, tell
from cranfield._base.options import one_of
from cranfield._base.text import counted
from cranfield._core import OpaqueMeasure
from cranfield._scores.records import ALL, Cells
from cranfield._scores.scores import Scores

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from cranfield._io.small_files import Line

MISSING = ("skip", "zero", "error")
"""What a topic is that a run has no answer to, the default first."""


def column(label: str, better: str | None = "higher", aggregate: str = "mean") -> OpaqueMeasure:
    """A column of scores."""
    return OpaqueMeasure(label, better, aggregate)


class AnswerCells:
    """The values of answers by run and topic."""

    def __init__(self, measures: Sequence[OpaqueMeasure]) -> None:
        self._measures = measures
        self._cells = Cells(len(measures))

    def add(self, run: str, topic: str, values: Sequence[float], place: Line | None) -> None:
        """Adds the values of an answer; raises ``Error`` for a second one."""
        if topic == ALL:
            message = f'the topic is "{ALL}", which stands for summaries'
            raise place.error("option", message) if place else failure("option", message)
        if not self._cells.add(run, topic, str(self._measures[0]), values):
            raise second(run, topic, place)

    def scores(self, missing: str, lines: Sequence[str] = ()) -> Scores:
        """The scores; what a run has no answer to is NaN, 0 or an error.

        ``lines`` are what else there is to tell.
        """
        one_of("missing", missing, MISSING)
        if not self._cells:
            raise failure("empty", "expected answers, found none")
        found = [*lines, *self._short(missing)]
        if found:
            tell(found)
        return Scores(self._cells.scores(self._measures, 0.0 if missing == "zero" else math.nan))

    def _short(self, missing: str) -> list[str]:
        """Which runs have no answer to some topics, in a sentence."""
        topics = len(self._cells.topics)
        answered = self._cells.topics_of_runs()
        lacking = [(run, topics - n) for run, n in answered.items() if n < topics]
        if not lacking:
            return []
        run, number = lacking[0]
        more = f", and {counted(len(lacking) - 1, 'other run')}" if len(lacking) > 1 else ""
        message = f"run {run!r} has no answer to {number} of {counted(topics, 'topic')}{more}"
        if missing == "error":
            raise failure("topics", message)
        what = "left out of its means" if missing == "skip" else "scored 0"
        return [f"{message}: {what}"]
