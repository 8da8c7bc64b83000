"""Scoring is so many times as fast as others do it: ratios in one process, real work.

The floors are in ``benches/floors.json``; half of a floor is held here, since the
machine may be busy with other things. The benchmarks hold the whole of it.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from cranfield.benchmark import race, report, shapes, spelling
from cranfield.benchmark.engines import ENGINES, KINDS, Work

FLOORS = json.loads(
    (Path(__file__).resolve().parent.parent / "benches" / "floors.json").read_text()
)


def name(row: dict[str, Any]) -> str:
    return f"{row['kind']}-{row['size']}-{row['measures']}-{row['against']}"


@pytest.mark.parametrize("row", [row for row in FLOORS["rows"] if row["quick"]], ids=name)
def test_ratio(row: dict[str, Any]) -> None:
    pytest.importorskip(row["against"])
    material = shapes.MadeUp(shapes.Shape.parse(row["size"]))
    work = Work(material, row["kind"], spelling.chosen([row["measures"]]))
    engine = ENGINES[row["against"]]()
    found = race.measure(work, engine, asked=row["measures"], rounds=5)
    material.close()
    least = row["floor"] * FLOORS["margin"]
    assert found.ratio is not None
    print(f"\n{report.title(found)}: {found.ratio:.1f} times, at least {least:g}")
    assert found.ratio >= least


def test_the_floors_are_sound() -> None:
    assert 0 < FLOORS["margin"] <= 1
    for row in FLOORS["rows"]:
        assert 1 < row["floor"] <= row["goal"] * 2
        assert row["kind"] in KINDS
        assert row["against"] in ENGINES
        assert shapes.Shape.parse(row["size"]).topics > 0
        assert spelling.chosen([row["measures"]])
    assert len({name(row) for row in FLOORS["rows"]}) == len(FLOORS["rows"])
