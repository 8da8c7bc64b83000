"""The page of two judges: what they agree on, and whom the second one favours."""

from __future__ import annotations

import math

from cranfield._base.text import counted, number
from cranfield._pages import page, svg
from cranfield._pages.page import Section, minus, rendered, section

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from cranfield._analysis.judges.comparison import Judges
    from cranfield._table.data_table import DataTable

MARKED = {"favour": "bar", "leniency": "bar"}
"""The columns whose values are drawn, too."""


def html(found: Judges, title: str, command: str) -> str:
    """The whole file."""
    sections: list[Section] = [_verdict(found)]
    for heading, sentence, table in found.tables():
        name = heading.lower().replace(" ", "-")
        body = rendered(
            "judges-table.html", name=name, heading=heading, sentence=sentence, **_shown(table)
        )
        sections.append(Section(name, heading, body))
    options = [
        (name, " ".join(value) if isinstance(value, list) else str(value))
        for name, value in found.options.items()
    ]
    sections.append(section("judges-methods", "Methods", command=command, options=options))
    facts = [
        counted(len(found.gold.topics), "topic"),
        counted(len(found.gold.runs), "run"),
        counted(int(found.documents.all["documents"]), "document"),
    ]
    return page.html(title, facts, sections)


def _verdict(found: Judges) -> Section:
    """The main numbers, and the runs under both judges."""
    measure = found.gold.measures[0]
    row = found.orders.to_dict()[measure]
    tested = found.conclusions.to_dict().get(measure)
    means = [one.summary()[:, 0].tolist() for one in (found.gold, found.other)]
    points = [
        (run, (float(a), float(b)))
        for run, a, b in zip(found.gold.runs, *means, strict=True)
        if math.isfinite(a) and math.isfinite(b)
    ]
    ends = [value for _, point in points for value in point] or [0.0]
    low, high = min(*ends, 0.0), max(ends)
    y = svg.y_axis(low, high, "under the second judge")
    x = svg.x_axis(y.scale.low, y.scale.high, f"{measure} under gold")
    diagonal = [(x.scale.low, x.scale.low), (x.scale.high, x.scale.high)]
    chart = svg.chart(
        x,
        y,
        [svg.line(x, y, diagonal, "diagonal")],
        [svg.spot(x, y, point, "series0", run) for run, point in points],
        label=f"{measure} of each run under gold and under the second judge",
        kind="square",
    )
    return section(
        "judges-verdict",
        "Verdict",
        measure=measure,
        order=row,
        tested=tested,
        agreement=found.agreement.to_dict(),
        nan=math.nan,
        chart=chart,
    )


def _shown(table: DataTable) -> dict[str, Any]:
    """The cells of a table, each with its text, its value and its drawing."""
    names = table.columns
    columns = {name: [table[label, name] for label in table.labels] for name in names[1:]}
    kinds = {name: _is_text(values) for name, values in columns.items()}
    scales = {
        name: svg.symmetric([value for value in columns[name] if value is not None])
        for name in columns
        if name in MARKED
    }
    rows = []
    for place, label in enumerate(table.labels):
        cells = []
        for name, values in columns.items():
            value = values[place]
            mark = ""
            if name in scales and value is not None:
                kind = "up" if value > 0 else "down"
                mark = svg.cell(
                    svg.rule(scales[name], 0.0), svg.bar(scales[name], value, f"bar {kind}")
                )
            cells.append(
                {"text": _text(value), "value": value, "mark": mark, "is_text": kinds[name]}
            )
        rows.append({"label": label, "cells": cells})
    header = [{"name": name, "is_text": kinds[name]} for name in columns]
    return {"first": names[0], "header": header, "rows": rows}


def _is_text(values: list[Any]) -> bool:
    return any(isinstance(value, str) for value in values)


def _text(value: object) -> str:
    """A cell as people read it."""
    if value is None:
        return "–"  # noqa: RUF001
    if isinstance(value, float):
        return minus(number(value))
    return minus(str(value)) if isinstance(value, int) else str(value)
