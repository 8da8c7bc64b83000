"""The floors of ``benches/floors.json``: ratios in one process, values equal."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from cranfield._bench import engines, race, report, shapes
from cranfield._bench.engines import ENGINES, Work

FOLDER = Path(__file__).resolve().parent
ROWS: list[dict[str, Any]] = json.loads((FOLDER / "floors.json").read_text())["rows"]


def name(row: dict[str, Any]) -> str:
    """The race, as the record of speed calls it."""
    return f"{row['kind']} {row['size']}, {row['measures']}, against {row['against']}"


@pytest.mark.parametrize("row", ROWS, ids=name)
def test_floor(row: dict[str, Any]) -> None:
    pytest.importorskip(row["against"])
    material = shapes.MadeUp(shapes.Shape.parse(row["size"]))
    work = Work(material, row["kind"], engines.chosen_measures([row["measures"]]))
    found = race.measure(work, ENGINES[row["against"]](), asked=row["measures"], rounds=5)
    material.close()
    assert found.ratio is not None
    numbers = f"{found.ratio:.1f} times, floor {row['floor']}, goal {row['goal']}"
    print(f"\n{report.title(found)}: {numbers}")
    assert found.ratio >= row["floor"]


def test_a_floor_is_below_its_goal_and_what_is_on_record() -> None:
    record = json.loads((FOLDER / "record" / "speed.json").read_text())["benchmarks"]
    facts = [(one["group"], one["extra_info"]) for one in record]
    ratios = {group: extra["ratio"] for group, extra in facts if "ratio" in extra}
    assert any(name(row) in ratios for row in ROWS)
    for row in ROWS:
        assert 1 < row["floor"] <= row["goal"]
        assert row["floor"] <= ratios.get(name(row), row["goal"])
    assert len(set(map(name, ROWS))) == len(ROWS)
