"""What ``scores.plot`` and ``comparison.plot`` are."""

from __future__ import annotations

from cranfield._base.options import checked
from cranfield._base.scores_like import ScoresKind
from cranfield._core import Measure
from cranfield._measures.parse import one_measure
from cranfield._stats.differences import Compared

TYPE_CHECKING = False
if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from cranfield._measures.parse import MeasureLike


class ScoresPlot:
    """Plots of scores; ``scores.plot``.

    Every method takes the axes of matplotlib to draw into, and makes new ones
    of a size that fits if none are given. It returns the axes, so that all
    else about the plot can be changed, or saved with ``ax.figure.savefig``.

    Names are shortened in labels only, and left out where they would overlap.
    ``ax.xaxis.get_major_formatter().names`` has all of them in full, in the
    order drawn. Each bar and each interval has its topic or run as ``gid``, which is
    its ``id`` in an SVG file.
    """

    __slots__ = ("_scores",)

    def __init__(self, scores: ScoresKind) -> None:
        self._scores = scores

    @checked
    def topics(
        self, run: str, *, measure: MeasureLike | None = None, ax: Axes | None = None
    ) -> Axes:
        """The scores of a run as bars, the best topic first.

        With the run's mean, and of three or more runs their median on each
        topic. Topics without a value are hatched at the end.

        Parameters
        ----------
        run
            The name of the run.
        measure
            Not needed if there is one.
        ax
            The axes to draw into; not given: new ones.

        Returns
        -------
        Axes

        Raises
        ------
        Error
            Kind "label" for a run or measure that is not there, "option" for
            several measures if none is named and for what are not axes,
            "undefined" if there is no value to draw.
        ImportError
            Without matplotlib.

        """
        from cranfield._plot.charts import draw_topics

        return draw_topics(self._scores, run, measure, ax)

    @checked
    def differences(
        self, a: str, b: str, *, measure: MeasureLike | None = None, ax: Axes | None = None
    ) -> Axes:
        """The second run's scores less the first's as bars, best for the second first.

        With their mean, and the number of topics on which each run is better
        (by more than 1e-9). Topics on which one of them has no value are
        hatched at the end.

        Parameters
        ----------
        a, b
            The names of the runs.
        measure, ax
            As for ``topics``.

        Returns
        -------
        Axes

        Raises
        ------
        Error
            As ``topics``; kind "option" also for the same run twice.
        ImportError
            Without matplotlib.

        """
        from cranfield._plot.charts import draw_differences

        return draw_differences(self._scores, a, b, measure, ax)

    @checked
    def heatmap(self, *, measure: MeasureLike | None = None, ax: Axes | None = None) -> Axes:
        """The scores of all runs (rows, best first) on all topics (columns, easiest first).

        Runs are ordered by the summary of the measure, topics by the mean over
        runs. Better scores are lighter. Cells without a value are hatched.

        Parameters
        ----------
        measure, ax
            As for ``topics``.

        Returns
        -------
        Axes
            ``ax.images[0]`` is the picture; its ``get_array()`` has the values
            as drawn: masked, shape (runs, topics).

        Raises
        ------
        Error
            As ``topics``.
        ImportError
            Without matplotlib.

        """
        from cranfield._plot.charts import draw_heatmap

        return draw_heatmap(self._scores, measure, ax)

    @checked
    def forest(
        self,
        baseline: str | None = None,
        *,
        measure: MeasureLike | None = None,
        test: str = "t",
        correction: str | None = None,
        alpha: float = 0.05,
        level: float = 0.95,
        resamples: int | None = None,
        seed: int | None = None,
        all_pairs: bool = False,
        threads: int | None = None,
        sort: str | Measure | None = "difference",
        ax: Axes | None = None,
    ) -> Axes:
        """The paired differences of the runs with their confidence intervals.

        Parameters
        ----------
        baseline
            The run that all others are compared with; not given: all pairs.
        measure, ax
            As for ``topics``.
        test, correction, alpha, level, resamples, seed, all_pairs, threads
            As for ``Scores.compare``.
        sort
            As for ``ComparisonPlot.forest``.

        Returns
        -------
        Axes
            As ``ComparisonPlot.forest`` of ``scores.compare(measure, ...)``.

        Raises
        ------
        Error
            As ``Scores.compare`` and ``topics``.
        ImportError
            Without matplotlib.

        """
        scores = self._scores
        name = scores.measures[one_measure(scores.measures, measure)]
        found = scores.compare(
            name,
            baseline=baseline,
            test=test,
            correction=correction,
            alpha=alpha,
            level=level,
            resamples=resamples,
            seed=seed,
            all_pairs=all_pairs,
            threads=threads,
        )
        drawn: Axes = found.plot.forest(sort=sort, ax=ax)
        return drawn

    def __repr__(self) -> str:
        return "<plots of scores: topics, differences, heatmap, forest>"


class ComparisonPlot:
    """Plots of a comparison; ``comparison.plot``."""

    __slots__ = ("_comparison",)

    def __init__(self, comparison: Compared) -> None:
        self._comparison = comparison

    @checked
    def forest(
        self,
        *,
        measure: MeasureLike | None = None,
        sort: str | Measure | None = "difference",
        ax: Axes | None = None,
    ) -> Axes:
        """The differences with their confidence intervals, a row for each pair.

        A mark is filled where the difference is significant. An interval that
        has no end leads to the edge, with an arrow.

        Parameters
        ----------
        measure
            Not needed if one was compared.
        sort
            As for ``Comparison.sort``; None for the order of the rows.
        ax
            The axes to draw into; not given: new ones.

        Returns
        -------
        Axes
            The line of a pair has three points: the lower end, the difference
            and the upper end. Its ``gid`` is the run, or "run - other" without
            a baseline.

        Raises
        ------
        Error
            Kind "label" for a measure that was not compared, "option" for
            several measures if none is named and for what are not axes.
        ImportError
            Without matplotlib.

        """
        from cranfield._plot.charts import draw_forest

        return draw_forest(self._comparison, measure, sort, ax)

    def __repr__(self) -> str:
        return "<plots of a comparison: forest>"
