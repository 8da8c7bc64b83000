"""How scores and bounds show themselves: the tables that the command line prints."""

from __future__ import annotations

from cranfield._base.text import counted
from cranfield._scores import formats
from cranfield._scores.uncertainty import Uncertainty
from cranfield._table import tables
from cranfield._table.data_table import SHARE, TEXT, DataTable, defined
from cranfield._table.style import notebook
from cranfield._table.tables import VALUE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from cranfield._base.scores_like import ScoresKind
    from cranfield._table.tables import Parts, Table


def text(kind: str, parts: Parts, what: str) -> str:
    """The ``repr``: a headline with the kind of object and what the table has, and the table."""
    scores = parts[VALUE]
    axes = {"run": scores.runs, "topic": scores.topics, "measure": scores.measures}
    shape = " x ".join(counted(len(axis), name) for name, axis in axes.items())
    table = _table(parts, tables.TEXT_LIMIT)
    sign = f", {tables.BEST_SIGN} best" if table.marks() else ""
    return "\n".join([f"<{kind}: {shape}; {what}{sign}:>", *tables.aligned(table, marked=True)])


def html(parts: Parts) -> str:
    """The same for notebooks."""
    return notebook(tables.html(_table(parts, tables.HTML_LIMIT), marked=True))


def _table(parts: Parts, limit: int) -> Table:
    """The summaries of the runs; what is beyond the limit is not seen."""
    table = formats.table([_block(parts)])
    table.limit = limit
    return table


def _block(parts: Parts, group: str = formats.ALL) -> formats.Block:
    return formats.Block(parts, parts[VALUE].order(), group=group)


def of_groups(groups: Mapping[str, ScoresKind], *, ci: bool, tiers: bool) -> list[formats.Block]:
    """The scores of each group of topics, best first; no tiers where a group is too small."""
    return [
        _with_uncertainty(_block({VALUE: scores}, group), ci=ci, tiers=tiers, part=True)
        for group, scores in groups.items()
    ]


def table(parts: Parts) -> DataTable:
    """The summaries: a row for each run, a column for each measure and part."""
    scores = parts[VALUE]
    names = tables.columns(scores.measures, list(parts))
    rows = [tables.side_by_side(row) for row in tables.summaries(parts)]
    values = {
        name: (SHARE, [defined(row[place]) for row in rows]) for place, name in enumerate(names)
    }
    return DataTable({"run": (TEXT, scores.runs), **values})


def rendered(
    parts: Parts,
    form: str,
    *,
    digits: int | None,
    ci: bool = False,
    tiers: bool = False,
    **how: Any,
) -> str:
    """The summaries in a format for people; ``how`` as for ``formats.rendered``."""
    tables.check_digits(digits)
    block = _with_uncertainty(_block(parts), ci=ci, tiers=tiers)
    return formats.rendered([block], form, digits=digits, **how).decode("utf-8", "surrogateescape")


def _with_uncertainty(
    block: formats.Block, *, ci: bool, tiers: bool, part: bool = False
) -> formats.Block:
    if ci or tiers:
        block.uncertainty = Uncertainty(
            block.scores, ci={} if ci else None, tiers={} if tiers else None, part=part
        )
    return block
