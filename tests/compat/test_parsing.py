"""parse_run and parse_qrel of cranfield.compat.pytrec_eval beside those of pytrec_eval."""

from __future__ import annotations

import io
import random
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import pytrec_eval as host
from cranfield.compat import pytrec_eval as ours
from cranfield.compat import pytrec_eval as parsing

from tests.compat.test_pytrec_eval import bits

LINES = ["1 Q0 a 1 2.5 tag\n", "  1\tQ0 b 2 1e-3 tag", "2 Q0 a 1 -inf tag"]


def test_files_are_read_alike() -> None:
    assert ours.parse_run(LINES) == host.parse_run(LINES)
    assert type(ours.parse_run(LINES)) is type(host.parse_run(LINES))
    judged = ["1 0 a 1\n", "1 0 b -1", "2 0 a 0"]
    assert ours.parse_qrel(judged) == host.parse_qrel(judged)


SPACES = (" ", "\t", "  ", "\x0b", "\x0c", "\x1c", "\x85", "\xa0", "\u2003", "\u3000", "\r")
IDS = ("a", "d12", "FT-1", "é", "日本", "x\u200bx", "a\x00b", "\ud800", "\U0001f600", "0", "\x1f")
NUMBERS = (
    *("1", "0", "-1", "+2", "007", "1_0", "٣", "2.5", "1e3", "-1E-4", ".5", "5.", "inf", "-NaN"),
    *("Infinity", "1e999", "0.1000000000000000055511151231257827", "x", "1.", "e5", "0x1", ""),
    *(str(2**63), str(-(2**63))),
)
ENDS = ("\n", "", "\r\n", " \n", "\n\n", "\ny")


def drawn_lines(rng: random.Random, columns: int) -> list[str]:
    odd = rng.choice((0.0, 0.0, 0.02, 0.2))
    lines = []
    for number in range(rng.choice((0, 1, 3, 20))):
        document = rng.choice(IDS) if rng.random() < odd else f"d{number}"
        value = rng.choice(NUMBERS) if rng.random() < odd else str(rng.randint(0, 3))
        fields = [f"q{number // 5}", "0", document, value]
        if columns == 6:
            fields[3:] = ["1", value, "tag"]
        if rng.random() < odd / 4:
            fields.pop()
        space = rng.choice(SPACES) if rng.random() < odd else " "
        end = rng.choice(ENDS) if rng.random() < odd else "\n"
        lines.append(space.join(fields) + end)
    return lines


def held(table: dict[str, dict[str, Any]]) -> list[Any]:
    """A table with its order and the bits of its numbers."""
    return [
        (t, [(d, type(v), bits(v) if isinstance(v, float) else v) for d, v in inner.items()])
        for t, inner in table.items()
    ]


@pytest.mark.parametrize(("reader", "columns"), [("parse_run", 6), ("parse_qrel", 4)])
def test_random_lines_are_read_alike(reader: str, columns: int, tmp_path: Path) -> None:
    read, wrong = 0, 0
    for case in range(1500):
        lines = drawn_lines(random.Random(case), columns)
        text = "".join(lines)
        forms: list[Callable[[], Any]] = [
            partial(list, lines),
            partial(tuple, lines),
            partial(iter, lines),
            partial(io.StringIO, text),
        ]
        if "\ud800" not in text:
            path = tmp_path / "lines"
            path.write_bytes(text.encode())
            opened = partial(open, path, encoding="utf-8")
            forms += [partial(opened, newline=newline) for newline in (None, "", "\n")]
        for form in forms:
            found = []
            for module in (host, ours):
                try:
                    found.append(held(getattr(module, reader)(form())))
                    read += 1
                except Exception as error:
                    found.append([type(error)])
                    wrong += 1
            assert found[0] == found[1], (case, lines)
    assert read > 1000
    assert wrong > 1000


def test_what_was_read_in_parts_is_in_one_table(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(parsing, "_LINES", 3)
    monkeypatch.setattr(parsing, "_CHARACTERS", 50)
    for case in range(300):
        lines = drawn_lines(random.Random(case), 6)
        text = "".join(lines)
        forms: list[Callable[[], Any]] = [partial(iter, lines), partial(io.StringIO, text)]
        if "\ud800" not in text:
            (tmp_path / "lines").write_bytes(text.encode())
            forms.append(partial(open, tmp_path / "lines", encoding="utf-8", newline=""))
        for form in forms:
            found = []
            for module in (host, ours):
                try:
                    found.append(held(module.parse_run(form())))
                except Exception as error:
                    found.append([type(error)])
            assert found[0] == found[1], (case, lines)


@pytest.mark.parametrize(
    ("reader", "lines"),
    [
        ("parse_run", ["1 Q0 a 1 2 t", "1 Q0 a 2 1 t"]),
        ("parse_run", [""]),
        ("parse_run", ["1 Q0 a 1 2"]),
        ("parse_run", ["1 Q0 a 1 2 t t"]),
        ("parse_run", ["1 Q0 a 1 x t"]),
        ("parse_run", 5),
        ("parse_qrel", ["1 0 a 1", "1 0 a 0"]),
        ("parse_qrel", ["1 0 a"]),
        ("parse_qrel", ["1 0 a 1.0"]),
    ],
)
def test_lines_that_are_wrong_raise_what_the_host_raises(reader: str, lines: Any) -> None:
    raised = []
    for module in (host, ours):
        with pytest.raises(Exception) as caught:  # noqa: PT011
            getattr(module, reader)(lines)
        raised.append(caught.type)
    assert raised[0] is raised[1]


def test_a_wrong_line_is_named(tmp_path: Path) -> None:
    (tmp_path / "run").write_text("1 Q0 a 1 2 t\n1 Q0 b 1 2\n")
    with (
        open(tmp_path / "run") as file,
        pytest.raises(ValueError, match=r"^line 2: expected six columns"),
    ):
        ours.parse_run(file)
