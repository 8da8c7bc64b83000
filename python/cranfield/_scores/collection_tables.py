"""The tables of several collections: a column for each, their mean and Borda's count."""

from __future__ import annotations

import math
from dataclasses import dataclass

from cranfield._base.scores_like import best_first
from cranfield._base.text import UNDEFINED, number, rounded
from cranfield._core import Error
from cranfield._scores import formats
from cranfield._scores.groups import ALL
from cranfield._scores.uncertainty import interval_text, ranges, rank_text
from cranfield._stats.registry import CORRECTIONS
from cranfield._table import writers
from cranfield._table.tables import ExtraCells, ExtraColumns, Table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from cranfield._core import Measure, OpaqueMeasure
    from cranfield._scores.collection_scores import CollectionScores
    from cranfield._stats.intervals import Interval
    from cranfield._stats.tiers import Tiers

MEAN = "mean"
"""The column of the mean over collections."""


class MeanUncertainty:
    """Intervals and tiers of means over collections, as far as they are asked for."""

    def __init__(
        self,
        found: CollectionScores,
        *,
        ci: Mapping[str, Any] | None = None,
        tiers: Mapping[str, Any] | None = None,
        part: bool = False,
    ) -> None:
        """Takes the options of ``interval`` and ``tiers``; None for neither.

        ``part``: some of the topics, which may be too few for tiers; then there are none.
        """
        self.interval: Interval | None = None
        self.tiers: dict[int, Tiers] = {}
        """The tiers in each measure that is a mean over topics."""
        if ci is not None:
            self.interval = found.interval(**ci)
        self.tiered = tiers is not None
        if tiers is not None:
            for place, measure in enumerate(found.measure_objects):
                if measure.aggregate != "mean":
                    continue
                try:
                    self.tiers[place] = found.tiers(found.measures[place], **tiers)
                except Error as error:
                    if not part or error.kind != "undefined":
                        raise

    def columns(self, place: int) -> list[ExtraColumns]:
        """The columns after that of the mean."""
        columns = []
        if self.interval is not None:
            header = f"{100 * self.interval.level:.10g} % ci"
            columns.append(ExtraColumns(place, header, ("mean ci low", "mean ci high")))
        if self.tiered:
            columns.append(ExtraColumns(place, "tier", ("mean tier",)))
            ranks = ("mean rank low", "mean rank high")
            columns.append(ExtraColumns(place, "ranks", ranks))
        return columns

    def cells(self, measure: int, place: int, run: str, digits: int | None) -> list[ExtraCells]:
        """The cells of a run there."""
        cells = []
        if self.interval is not None:
            ends = (
                float(self.interval.low[place, measure]),
                float(self.interval.high[place, measure]),
            )
            text = interval_text(*ends, digits=digits)
            cells.append(ExtraCells(text, tuple(rounded(ends, digits))))
        if self.tiered:
            known = self.of_run(measure, run)
            if known is None:
                cells += [ExtraCells(UNDEFINED, ("",)), ExtraCells(UNDEFINED, ("", ""))]
            else:
                letters, ranks, _ = known
                cells.append(ExtraCells(letters, (letters,)))
                cells.append(ExtraCells(rank_text(*ranks), ranks))
        return cells

    def of_run(self, measure: int, run: str) -> tuple[str, tuple[int, int], tuple[str, ...]] | None:
        """The letters, the ranks and the beaten runs of a run that all collections have."""
        tiers = self.tiers.get(measure)
        if tiers is None or run not in tiers.runs:
            return None
        place = tiers.runs.index(run)
        ranks = int(tiers.rank_low[place]), int(tiers.rank_high[place])
        return tiers.letters[place], ranks, tiers.beaten[place]

    def sentences(self, *, superscripts: bool) -> list[str]:
        """What explains the columns."""
        sentences = []
        if self.interval is not None:
            kind = {
                "t": "Student's t, Satterthwaite's degrees of freedom",
                "percentile": "percentiles of a bootstrap",
                "bca": "BCa of a bootstrap",
            }[self.interval.method]
            sentences.append(
                f"ci: {100 * self.interval.level:.10g} % intervals of the mean over collections "
                f"({kind}), topics being the sample within each."
            )
        for tiers in list(self.tiers.values())[:1]:
            sentences.append(
                "tier: runs that share no letter differ significantly in their mean over "
                "collections (paired t test, topics being the sample within each, "
                f"{CORRECTIONS[tiers.correction]}, alpha {tiers.alpha:g}). ranks: where a run "
                f"ranks in {100 * tiers.level:.10g} % of {tiers.resamples:,} resamples of topics."
            )
            if superscripts:
                sentences.append(
                    "Above a value: the runs, by number, that it is significantly better than."
                )
        return sentences


class _Blocks(Table):
    """Rows of several measures, one block after the other."""

    __slots__ = ("of_rows",)

    of_rows: list[Measure | OpaqueMeasure]
    """The measure of each row."""

    def _marked(
        self, rows: Sequence[int], place: int, measure: Measure | OpaqueMeasure
    ) -> dict[tuple[int, int], int]:
        """The marks of a column in a block: by the block's measure, of collections and mean."""
        return super()._marked(rows, place, self.of_rows[rows[0]])

    def _numbers(self, row: int, values: Sequence[float]) -> list[str]:
        """The values of a row: sums over topics are whole, as is Borda's count."""
        if self.of_rows[row].aggregate != "sum":
            return super()._numbers(row, values)
        return [number(value, count=True, digits=self.digits) for value in values]


def order(found: CollectionScores, key: int) -> Sequence[int]:
    """The places of the runs, best first by the mean over collections in a measure."""
    return best_first(found.mean()[:, key].tolist(), found.measure_objects[key])


@dataclass(frozen=True)
class Block:
    """The scores on several collections, of all topics or of a group of them."""

    found: CollectionScores
    order: Sequence[int]
    """The places of the runs, as they are shown."""
    sure: MeanUncertainty
    group: str = ALL


def block(
    found: CollectionScores,
    key: int | None,
    ci: Mapping[str, Any] | None = None,
    tiers: Mapping[str, Any] | None = None,
    group: str = ALL,
) -> Block:
    """The runs, best first in a measure or as they are, with the options of ``MeanUncertainty``."""
    places = range(len(found.runs)) if key is None else order(found, key)
    sure = MeanUncertainty(found, ci=ci, tiers=tiers, part=group != ALL)
    return Block(found, places, sure, group)


def table(blocks: Sequence[Block], *, numbered: bool = False, digits: int | None = None) -> Table:
    """A row for each measure and run; columns for each collection, the mean and Borda's count.

    Several blocks are groups of topics, and last all topics. A group may lack collections.
    """
    whole = blocks[-1]
    several, grouped = len(whole.found.measures) > 1, len(blocks) > 1
    numbered = numbered and bool(whole.sure.tiers)
    keys = (
        *(("group", "topics") if grouped else ()),
        *(("measure",) if several else ()),
        *(("#",) if numbered else ()),
        "run",
    )
    columns = (*whole.found, MEAN, "Borda")
    place = len(columns) - 2
    measures = whole.found.measure_objects
    result = _Blocks(
        keys,
        columns,
        {len(columns) - 1},
        # All but Borda's count, which follows from the others.
        measures=[measures[0]] * (place + 1),
        extras=whole.sure.columns(place),
        digits=digits,
    )
    result.of_rows = []
    for part in blocks:
        _add_block(result, part, tuple(whole.found), numbered=numbered)
    return result


def _add_block(result: _Blocks, part: Block, collections: Sequence[str], *, numbered: bool) -> None:
    """Adds the rows of a block."""
    found, sure = part.found, part.sure
    summary, means = found.summary(), found.mean()
    rows = dict(zip(found, summary, strict=True))
    topics = str(sum(len(scores.topics) for scores in found.values()))
    for column, measure in enumerate(found.measures):
        result.starts.append(len(result.rows))
        points = found.borda(measure)
        names = [found.runs[run] for run in part.order]
        for rank, run in enumerate(part.order, 1):
            labels = (part.group, topics, measure, str(rank), found.runs[run])
            shown = dict(zip(("group", "topics", "measure", "#", "run"), labels, strict=True))
            known = sure.of_run(column, found.runs[run])
            above = [] if known is None else sorted(names.index(name) + 1 for name in known[2])
            values = [
                float(rows[name][run, column]) if name in rows else math.nan for name in collections
            ]
            result.of_rows.append(found.measure_objects[column])
            result.add(
                tuple(shown[key] for key in result.keys),
                [*values, float(means[run, column]), float(points[run])],
                extra_cells=sure.cells(column, run, found.runs[run], result.digits),
                superscripts=[*[""] * len(collections), ranges(above)] if numbered else (),
            )


def rendered(
    blocks: Sequence[Block],
    form: str,
    *,
    digits: int | None = None,
    caption: str | None = None,
    label: str = "tab:collections",
    width: int | None = None,
) -> bytes:
    """The table in a format of ``writers.tabular``, with the sentences that explain it."""
    sure = blocks[-1].sure
    result = table(blocks, numbered=form in formats.NUMBERED, digits=digits)
    if caption is not None:
        sentences = [caption]
    else:
        sentences = [_caption(blocks)] if form == "latex" else []
        sentences += sure.sentences(superscripts=form in formats.NUMBERED)
    return writers.tabular(result, form, sentences, label, width)


def _caption(blocks: Sequence[Block]) -> str:
    by_group = " by group of topics" if len(blocks) > 1 else ""
    return f"Scores on {', '.join(blocks[-1].found)}, and their mean{by_group}."
