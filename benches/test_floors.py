"""The floors of ``benches/floors.json``, whole: ratios in one process, values equal.

``tests/test_throughput.py`` holds a part of them in every run of the tests.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from cranfield.benchmark import race, report, shapes, spelling
from cranfield.benchmark.engines import ENGINES, Work

FLOORS = json.loads((Path(__file__).resolve().parent / "floors.json").read_text())


@pytest.mark.parametrize("row", FLOORS["rows"], ids=lambda row: f"{row['kind']}-{row['size']}")
def test_floor(row: dict[str, Any]) -> None:
    material = shapes.MadeUp(shapes.Shape.parse(row["size"]))
    work = Work(material, row["kind"], spelling.chosen([row["measures"]]))
    found = race.measure(work, ENGINES[row["against"]](), asked=row["measures"], rounds=5)
    material.close()
    assert found.ratio is not None
    numbers = f"{found.ratio:.1f} times, floor {row['floor']}, goal {row['goal']}"
    print(f"\n{report.title(found)}: {numbers}")
    assert found.ratio >= row["floor"]
