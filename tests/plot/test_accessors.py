"""The accessors themselves: what they say, and what they need."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.plot.seen import scores

MADE = (
    "import sys; sys.modules['matplotlib'] = None\n"
    "import cranfield as cf\n"
    "rows = [(r, t, 'AP', t * v) for r, v in (('a', .1), ('b', .2), ('c', .3)) for t in (1, 2)]\n"
    "found = cf.Scores.from_records(rows)\n"
    "try:\n"
    "    found.{call}\n"
    "except ImportError as error:\n"
    "    print(error)"
)


@pytest.mark.parametrize(
    "call",
    [
        "plot.topics('a')",
        "plot.differences('a', 'b')",
        "plot.heatmap()",
        "plot.forest('a')",
        "compare().plot.forest()",
    ],
)
def test_without_matplotlib_the_error_says_what_to_install(call: str) -> None:
    code = MADE.format(call=call)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "plot needs matplotlib: pip install 'cranfield[plot]'\n"


def test_scores_do_not_import_matplotlib_until_they_are_drawn() -> None:
    code = (
        "import sys, cranfield as cf\n"
        "cf.Scores.from_records([('a', 1, 'AP', .5)]).plot\n"
        "assert 'matplotlib' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_reprs_say_what_there_is() -> None:
    found = scores({"a": [0.1, 0.2], "b": [0.3, 0.5]})
    for plot in (found.plot, found.compare().plot):
        methods = [name for name in dir(type(plot)) if not name.startswith("_")]
        assert sorted(repr(plot).rstrip(">").partition(": ")[2].split(", ")) == methods
