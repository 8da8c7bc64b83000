"""The order of the tests."""

from __future__ import annotations

import pytest

from tests import ROOT

FIRST = ("compat/test_ranx.py", "against/test_ranx.py", "analysis/test_audit.py")
"""Beside each other, so that one process has them: ranx is compiled for a minute."""
LONG = ("batch/test_running.py", "promises/docs/test_site.py")
"""Early, so that nobody waits for them at the end."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    place = {ROOT / "tests" / name: place for place, name in enumerate((*FIRST, *LONG))}
    items.sort(key=lambda item: place.get(item.path, len(place)))
