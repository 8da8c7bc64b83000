"""Numbers in machine-readable output are written as Python writes them."""

from __future__ import annotations

import math

from cranfield._core import number_texts
from hypothesis import given
from hypothesis import strategies as st

NUMBERS = st.one_of(
    st.floats(allow_nan=False),
    st.floats(min_value=-2, max_value=2),
    st.builds(
        lambda digits, power: digits * 10.0**power, st.integers(-99, 99), st.integers(-9, 20)
    ),
)


@given(st.lists(NUMBERS))
def test_numbers_are_written_as_repr_does(values: list[float]) -> None:
    assert number_texts(values, [], "") == [repr(value) for value in values]


@given(st.lists(NUMBERS.filter(math.isfinite), min_size=1))
def test_counts_are_whole_if_they_are(values: list[float]) -> None:
    texts = number_texts(values, set(range(0, len(values), 2)), "")
    for place, (value, text) in enumerate(zip(values, texts, strict=True)):
        whole = place % 2 == 0 and value.is_integer()
        assert text == (str(int(value)) if whole else repr(value))


def test_what_is_undefined_has_a_text_of_its_own() -> None:
    assert number_texts((math.nan, 1.0, -0.0), {1, 2}, "null") == ["null", "1", "0"]
    assert number_texts((-0.0, 1e16, 1e-05), (), "") == ["-0.0", "1e+16", "1e-05"]
