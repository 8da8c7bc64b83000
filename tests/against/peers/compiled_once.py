"""ranx, whose classes are compiled once.

ranx compiles them for each length of the longest document id, and needs five seconds for each.
Here all ids get the same room.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

ranx: Any = pytest.importorskip("ranx")

ROOM = 64


class _OneWidth:
    """numpy, with one type for all texts."""

    def __getattr__(self, name: str) -> Any:
        return getattr(np, name)

    def array(self, values: Any, dtype: Any = None) -> Any:
        if isinstance(dtype, str) and dtype.startswith("<U"):
            assert int(dtype[2:]) <= ROOM
            dtype = f"<U{ROOM}"
        return np.array(values, dtype=dtype)


for _module in (ranx.data_structures.run, ranx.data_structures.qrels):
    _module.np = _OneWidth()
