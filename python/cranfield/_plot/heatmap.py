"""The scores of all runs on all topics as a picture."""

from __future__ import annotations

from cranfield._base.errors import failure
from cranfield._base.scores_like import turn
from cranfield._measures.labels import measure_values
from cranfield._plot.axes import axes_for, length, room
from cranfield._plot.labels import with_direction
from cranfield._plot.palette import RECEDES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from cranfield._base.scores_like import ScoresKind
    from cranfield._measures.parse import MeasureLike

_COLOURS = {1: "viridis", -1: "viridis_r"}
"""The scale of colours that ends light at the best values, for each direction."""


def draw_heatmap(scores: ScoresKind, measure: MeasureLike | None, ax: Axes | None) -> Axes:
    """The cells; see ``ScoresPlot.heatmap``."""
    import numpy as np

    runs, name, values = measure_values(scores, measure)
    known, better = ~np.isnan(values), scores.better[name]
    if not known.any():
        raise failure("undefined", f"no run has a value of {name} to draw")
    summary = scores.summary()[:, scores.measures.index(name)]
    counts = known.sum(axis=0)
    means = np.where(counts, np.nansum(values, axis=0) / np.maximum(counts, 1), np.nan)
    of_runs, of_topics = (
        np.argsort(-turn(better) * one, kind="stable") for one in (summary, means)
    )
    cells = np.ma.masked_invalid(values[np.ix_(of_runs, of_topics)])
    names, topics = [runs[i] for i in of_runs], [scores.topics[i] for i in of_topics]
    width = 1.1 * length(len(topics), 4.5) + room(names) + 1
    height = length(len(names), 2.0) + room(topics) + 0.4
    ax = axes_for(ax, width, height, x=topics, y=names)
    image = ax.imshow(cells, aspect="auto", interpolation="nearest", cmap=_COLOURS[turn(better)])
    # What is masked is transparent, and shows the hatch of the background.
    ax.patch.set(facecolor="white", edgecolor=RECEDES, hatch="////")
    missing = "" if known.all() else "; hatched: no value"
    ax.set_xlabel(f"topics, {'highest' if better is None else 'easiest'} first{missing}")
    high = ax.get_window_extent().height / ax.figure.dpi
    bar = ax.figure.colorbar(image, ax=ax, pad=0.01, aspect=max(20, 5 * high), fraction=0.05)
    bar.set_label(with_direction(name, better))
    return ax
