"""Plots are drawn without a window, and closed after each test."""

from __future__ import annotations

from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True)
def closed_figures() -> Iterator[None]:
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    from matplotlib import pyplot

    yield
    pyplot.close("all")
