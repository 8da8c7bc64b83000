"""What the programs of answers, battles and judges were recorded to compute.

``CRANFIELD_RECORDED_ANSWERS`` names another record, such as one of 2,000 cases.
"""

from __future__ import annotations

import json
import os
from functools import cache
from pathlib import Path
from typing import Any

RECORDED = Path(__file__).parent / "recorded" / "answer_programs.json"


@cache
def _content() -> dict[str, Any]:
    path = Path(os.environ.get("CRANFIELD_RECORDED_ANSWERS", RECORDED))
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found


def recorded(name: str) -> list[Any]:
    """The results of a program, case by case."""
    cases: list[Any] = _content()[name]
    assert len(cases) >= 200
    return cases
