"""Tables within a width, against what was put into them."""

from __future__ import annotations

from collections.abc import Sequence

from cranfield._base.text import wrapped
from cranfield._core import table_parts
from hypothesis import given, settings
from hypothesis import strategies as st

ROWS = [
    ("run", "against", "mean", "95% interval", "p"),
    ("bm25", "dense", "0.3518", "[-0.1165, -0.0152]", "0.0115"),
    ("dense", "coordination", "0.4177", "[ 0.1500,  0.2664]", "3.1e-10"),
]


def table_lines(rows: Sequence[Sequence[str]], left: int, width: int | None = None) -> list[str]:
    """The lines of all parts, with an empty line between them."""
    found: list[str] = []
    for part in table_parts(rows, left, width):
        found += ["", *part] if found else part
    return found


def test_without_a_width_a_table_is_one_part() -> None:
    assert table_lines(ROWS, 2) == [
        "run    against         mean        95% interval        p",
        "bm25   dense         0.3518  [-0.1165, -0.0152]   0.0115",
        "dense  coordination  0.4177  [ 0.1500,  0.2664]  3.1e-10",
    ]
    assert table_lines(ROWS, 2, 56) == table_lines(ROWS, 2)


def test_columns_that_do_not_fit_go_on_below_with_the_labels() -> None:
    assert table_lines(ROWS, 2, 55) == [
        "run    against         mean        95% interval",
        "bm25   dense         0.3518  [-0.1165, -0.0152]",
        "dense  coordination  0.4177  [ 0.1500,  0.2664]",
        "",
        "run    against             p",
        "bm25   dense          0.0115",
        "dense  coordination  3.1e-10",
    ]


def test_columns_about_a_measure_stay_with_it() -> None:
    rows = [
        ("run", "AP", "95% CI", "tier", "P@10", "95% CI", "tier"),
        ("bm25", "0.2", "[.1, .3]", "a", "0.4", "[.3, .5]", "a"),
    ]
    belongs = [False, False, True, True, False, True, True]
    # Columns that were independent would end the first line with P@10.
    assert table_parts(rows, 1, 36, belongs=belongs) == [
        ["run    AP    95% CI  tier", "bm25  0.2  [.1, .3]     a"],
        ["run   P@10    95% CI  tier", "bm25   0.4  [.3, .5]     a"],
    ]
    # What does not fit beside its measure stands below it again.
    assert table_parts(rows, 1, 20, belongs=belongs)[:2] == [
        ["run    AP    95% CI", "bm25  0.2  [.1, .3]"],
        ["run    AP  tier", "bm25  0.2     a"],
    ]


def test_labels_are_shortened_in_their_middle_only_where_they_leave_no_room() -> None:
    rows = [("run", "AP"), ("a" * 20 + "-one", "0.5"), ("a" * 20 + "-two", "0.6")]
    assert table_lines(rows, 1, 29) == table_lines(rows, 1)
    assert table_lines(rows, 1, 28) == [
        "run                 AP",
        "aaaaaaaa…aaaa-one  0.5",
        "aaaaaaaa…aaaa-two  0.6",
    ]
    # Two labels that would look the same stay whole.
    same = [("run", "AP"), ("a" * 12 + "1" + "b" * 12, "0.5"), ("a" * 12 + "2" + "b" * 12, "0.6")]
    assert table_lines(same, 1, 20) == table_lines(same, 1)


def test_sentences_are_broken_between_words() -> None:
    text = "p-values corrected by Holm's method for 3 comparisons"
    assert wrapped(text) == text
    assert wrapped(text, 22) == ("p-values corrected by\nHolm's method for 3\ncomparisons")
    assert wrapped("x" * 30, 22) == "x" * 30


CELLS = st.text("abc0.4[ ", max_size=14).map(str.strip)


@settings(max_examples=200, deadline=None)
@given(
    st.integers(1, 4).flatmap(
        lambda columns: st.tuples(
            st.lists(st.tuples(*[CELLS] * columns), min_size=1, max_size=5),
            st.integers(0, columns),
        )
    ),
    st.integers(10, 80),
)
def test_every_column_stands_in_one_part_and_no_line_is_too_long(
    case: tuple[list[tuple[str, ...]], int], width: int
) -> None:
    rows, left = case
    parts = table_parts(rows, left, width)
    assert all(len(part) == len(rows) for part in parts)
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    labels = sum(widths[:left]) + 2 * left
    if labels + max([0, *widths[left:]]) <= width and labels <= 2 * width // 3:
        assert all(len(line) <= width for part in parts for line in part)
        # Of cells that have no spaces, as many words as there are.
        words = [sum(len(cell.split()) for cell in row[left:]) for row in rows]
        of_labels = [sum(len(cell.split()) for cell in row[:left]) for row in rows]
        found = [sum(len(part[i].split()) for part in parts) for i in range(len(rows))]
        expected = [w + len(parts) * of for w, of in zip(words, of_labels, strict=True)]
        assert found == expected
