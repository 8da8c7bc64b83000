"""Names along an axis, and how they are shortened."""

from __future__ import annotations

from io import BytesIO
from typing import Any

import pytest
from cranfield._plot.style import shortened
from matplotlib import pyplot

from tests.plot.seen import assert_readable, names, scores, written

LONG = "a-system-with-a-very-long-name-of-its-own"


def test_a_long_name_loses_its_middle() -> None:
    # 14 characters, the sign, 13 characters
    assert shortened([LONG]) == ["a-system-with-…me-of-its-own"]
    assert shortened(["short", "x" * 28]) == ["short", "x" * 28]


def test_different_names_stay_different() -> None:
    first, second = LONG, LONG.replace("very", "rather")
    # 21 characters, the sign and 20 tell them apart.
    assert shortened([first, second, "b"]) == [
        first,
        "a-system-with-a-rathe…long-name-of-its-own",
        "b",
    ]
    longer = [f"{'x' * 100}{middle}{'y' * 100}" for middle in ("1", "2")]
    assert shortened(longer) == longer
    # One name twice is no reason to lengthen it.
    assert shortened([LONG, LONG]) == ["a-system-with-…me-of-its-own"] * 2


def test_only_labels_are_shortened() -> None:
    ax = scores({LONG: [0.5, 0.6], "b": [0.1, 0.2]}).plot.heatmap()
    assert written(ax.yaxis) == ["a-system-with-…me-of-its-own", "b"]
    assert names(ax.yaxis) == [LONG, "b"]
    assert ax.yaxis.get_major_formatter().format_data_short(0.2) == LONG
    assert_readable(ax)


@pytest.mark.parametrize("name", ["$x$", "a$b", "\\alpha", "_hidden", "a\x1b[1m", "<b>&", "ü"])
def test_no_name_is_taken_for_anything_but_text(name: str) -> None:
    found = scores({name: [0.5, 0.6, 0.2], "b": [0.1, 0.3, 0.3], "c": [0.2, 0.2, 0.1]})
    axes: list[Any] = [
        found.plot.heatmap(),
        found.plot.topics(name),
        found.plot.differences("b", name),
        found.plot.forest("b"),
        found.plot.forest(name),
    ]
    for ax in axes:
        for form in ("svg", "png"):
            ax.figure.savefig(BytesIO(), format=form)
    assert written(axes[0].yaxis)[0] == name.replace("$", r"\$").replace("\x1b", "\\x1b")
    pyplot.close("all")


def test_names_are_the_ids_of_an_svg() -> None:
    drawn = BytesIO()
    found = scores({LONG: [0.5, 0.6], "b": [0.1, 0.2]})
    figure: Any = found.plot.forest("b").figure
    figure.savefig(drawn, format="svg")
    assert f'id="{LONG}"' in drawn.getvalue().decode()
