"""The measures of NTCIR's 1CLICK tasks: what NTCIREVAL printed, and the program itself."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterable, Sequence
from dataclasses import astuple
from pathlib import Path

import cranfield as cf
import pytest
from cranfield import oneclick

from tests.against.recorders import ntcireval as record_ntcireval
from tests.against.recorders import oneclick as record_oneclick
from tests.against.recorders.oneclick import SETTINGS, Setting, Text

NUGGETS = {"N1": (3, 10), "N2": (1, 5), "N3": (3, 5)}


def ours(text: Text, setting: Setting) -> list[float]:
    """In its order."""
    output = oneclick.Output(text.length, text.offsets)
    found = oneclick.score(text.nuggets, output, L=setting.L, beta=setting.beta)
    return list(astuple(found))


def compare(
    texts: Iterable[Text], setting: Setting, printed: Sequence[Sequence[float]], decimals: int
) -> int:
    compared = 0
    for text, values in zip(texts, printed, strict=True):
        assert len(values) == 7
        assert ours(text, setting) == pytest.approx(values, rel=0, abs=0.51 * 10**-decimals), text
        compared += len(values)
    return compared


def test_what_ntcireval_printed() -> None:
    compared = 0
    above = 0
    for record in json.loads(record_oneclick.RECORDED.read_text()):
        texts = [Text(*text) for text in record["texts"]]
        setting = Setting(*record["setting"])
        compared += compare(texts, setting, record["values"], record_ntcireval.DECIMALS)
        above += sum(s > s_flat or t > t_flat for _, _, s, s_flat, t, t_flat, _ in record["values"])
    assert compared == 4 * 30 * 7
    assert above > 10


def test_ntcireval_itself() -> None:
    folder = os.environ.get("NTCIREVAL")
    if not folder:
        pytest.skip(
            "NTCIREVAL does not name the folder of the built program "
            "(tests/against/recorders/ntcireval.py)"
        )
    program = record_ntcireval.program(Path(folder))
    decimals = record_ntcireval.DECIMALS if program.name == "ntcir_eval_digits" else 3
    for setting in SETTINGS:
        texts = record_oneclick.synthetic(setting.L + 7, 1000)
        printed = record_oneclick.printed(program, texts, setting)
        assert compare(texts, setting, printed, decimals) == 7000, setting


def test_by_hand() -> None:
    found = oneclick.score(NUGGETS, (100, {"N1": 20, "N3": 120}), L=50)
    # Heaviest first, of those the shortest: they end at 5, 15 and 20.
    best = 3 * 45 + 3 * 35 + 1 * 30
    assert found.recall == pytest.approx(2 / 3)
    assert found.weighted_recall == pytest.approx(6 / 7)
    assert found.s_measure == found.s_flat == pytest.approx(3 * 30 / best)
    assert found.t_measure == found.t_flat == pytest.approx(15 / 100)
    s, t = 90 / best, 0.15
    assert found.f_flat == pytest.approx(2 * s * t / (s + t))
    sharp = oneclick.score(NUGGETS, (100, {"N1": 20, "N3": 120}), L=50, beta=10)
    assert sharp.f_flat == pytest.approx(101 * s * t / (100 * t + s))
    alone = oneclick.score(NUGGETS, (100, {"N1": 20, "N3": 120}), L=50, beta=math.inf)
    assert alone.f_flat == alone.s_flat


def test_no_text_is_0_and_a_text_that_says_all_at_once_is_above_1() -> None:
    assert set(astuple(oneclick.score(NUGGETS, oneclick.Output(), L=50))) == {0.0}
    found = oneclick.score(NUGGETS, (10, dict.fromkeys(NUGGETS, 0)), L=50)
    assert found.s_measure == pytest.approx(350 / 270)
    assert found.t_measure == 2.0
    assert (found.s_flat, found.t_flat, found.f_flat) == (1.0, 1.0, 1.0)


@pytest.mark.parametrize(
    ("change", "kind", "sentence"),
    [
        ({"nuggets": {}}, "undefined", "expected the nuggets of a topic, found none"),
        ({"output": (9, {"N9": 1})}, "label", "expected a nugget of the topic, found 'N9'"),
        ({"output": (9, {"N1": -1})}, "option", "at least 0 as the offset of 'N1', found -1"),
        ({"output": (-9, {})}, "option", "at least 0 as the length of the output, found -9"),
        ({"nuggets": {"N1": (0, 4)}}, "option", "a weight above 0 for nugget 'N1', found 0"),
        ({"nuggets": {"N1": (math.inf, 4)}}, "option", "as the weight of 'N1', found inf"),
        ({"nuggets": {"N1": (2, 0)}}, "option", "at least 1 as the length of 'N1', found 0"),
        ({"L": 0}, "option", "of at least 1 as L, found 0"),
        ({"L": 5}, "option", "an L above the length of the heaviest nugget, found 5"),
        ({"beta": 0}, "option", "expected a beta above 0, found 0"),
    ],
)
def test_wrong_arguments(change: dict[str, object], kind: str, sentence: str) -> None:
    arguments = {"nuggets": NUGGETS, "output": (9, {}), "L": 50, **change}
    with pytest.raises(cf.Error) as error:
        oneclick.score(**arguments)  # type: ignore[arg-type]
    assert error.value.kind == kind
    assert sentence in str(error.value)


def test_files(tmp_path: Path) -> None:
    """As NTCIREVAL's README shows them, with what it prints for them at L = 500."""
    nuggets = tmp_path / "1C0-test.nuggets"
    nuggets.write_text(
        "1C0-0001 N0001 3 10\n1C0-0001 N0002 1 5 more\n1C0-0001 N0003 3 5\n"
        "1C0-0002 N0001 2 2\n1C0-0002\tN0002\t6\t5\n\n1C0-0002 N0003 2 3\n1C0-0002 N0004 2 2\n"
        "1C0-0002 N0004 2 2\n"
    )
    run = tmp_path / "run"
    run.write_text(
        "1C0-0001 syslen= 500\n1C0-0001 N0001 100\n1C0-0001 N0002 50\n"
        "1C0-0002 N0002 400\n1C0-0002 syslen= 10\n"
    )
    topics = oneclick.read_nuggets(nuggets)
    outputs = oneclick.read_outputs(run)
    assert topics["1C0-0001"]["N0002"] == oneclick.Nugget(1.0, 5)
    assert outputs["1C0-0002"] == oneclick.Output(10, {"N0002": 400})
    printed = {
        "1C0-0001": (0.667, 0.571, 0.482, 0.482, 0.030, 0.030, 0.056),
        "1C0-0002": (0.250, 0.500, 0.101, 0.101, 0.500, 0.500, 0.169),
    }
    for topic, values in printed.items():
        found = oneclick.score(topics[topic], outputs[topic], L=500)
        assert tuple(round(value, 3) for value in astuple(found)) == values


def test_of_several_offsets_the_smallest_counts(tmp_path: Path) -> None:
    run = tmp_path / "run"
    run.write_text("1 syslen= 500\n1 N1 100\n1 N1 50\n1 N1 9\n1 N2 7\n")
    assert oneclick.read_outputs(run)["1"].offsets == {"N1": 9, "N2": 7}


@pytest.mark.parametrize(
    ("text", "kind", "sentence"),
    [
        (
            "1 N1 3\n",
            "fields",
            "n:1: expected topic, nugget, weight and length, found 3 fields: `1 N1 3`",
        ),
        ("1 N1 3 4\n1 N2 x 4\n", "number", "n:2: expected a number above 0 as weight, found 'x'"),
        ("1 N1 nan 4\n", "number", "n:1: expected a number above 0 as weight, found 'nan'"),
        ("1 N1 3 0\n", "number", "n:1: expected a whole number above 0 as length, found '0'"),
        ("1 N1 3 4.5\n", "number", "n:1: expected a whole number above 0 as length"),
        ("1 N1 3 inf\n", "number", "n:1: expected a whole number above 0 as length"),
        ("1 N1 3 4\n1 N1 3 5\n", "conflict", "n:2: expected one weight and length of nugget"),
    ],
)
def test_nuggets_that_are_wrong(text: str, kind: str, sentence: str, tmp_path: Path) -> None:
    path = tmp_path / "n"
    path.write_text(text)
    with pytest.raises(cf.Error) as error:
        oneclick.read_nuggets(path)
    assert error.value.kind == kind
    assert sentence in str(error.value)
    assert error.value.line == text.count("\n")


@pytest.mark.parametrize(
    ("text", "line", "kind", "sentence"),
    [
        (
            "1 N1\n",
            1,
            "fields",
            "expected topic, nugget or syslen=, and a number, found 2 fields: `1 N1`",
        ),
        ("1 N1 3 4\n", 1, "fields", "expected topic, nugget or syslen=, and a number"),
        ("1 syslen= 9\n2 N1 3\n", 2, "fields", "a line with syslen= for topic '2', found none"),
        ("1 syslen= -9\n", 1, "number", "a whole number of at least 0 as length, found '-9'"),
        ("1 syslen= 9\n1 N1 x\n", 2, "number", "number of at least 0 as offset, found 'x'"),
        ("1 syslen= 9\n1 syslen= 8\n", 2, "conflict", "of topic '1', found 8, and 9 on line 1"),
    ],
)
def test_outputs_that_are_wrong(
    text: str, line: int, kind: str, sentence: str, tmp_path: Path
) -> None:
    path = tmp_path / "run"
    path.write_text(text)
    with pytest.raises(cf.Error) as error:
        oneclick.read_outputs(path)
    assert error.value.kind == kind
    assert sentence in str(error.value)
    assert error.value.line == line


def test_files_that_are_missing(tmp_path: Path) -> None:
    for read in (oneclick.read_nuggets, oneclick.read_outputs):
        with pytest.raises(cf.Error, match="there is no such file") as error:
            read(tmp_path / "none")
        assert error.value.kind == "missing"


def test_ids_of_any_bytes(tmp_path: Path) -> None:
    path = tmp_path / "n"
    path.write_bytes(b"1 \xff 3 4\n")
    assert oneclick.read_nuggets(path) == {"1": {"\udcff": oneclick.Nugget(3, 4)}}
    path.write_bytes(b"\x1f\x8a\xff\n")
    with pytest.raises(cf.Error, match=r"n:1: expected topic, nugget, weight"):
        oneclick.read_nuggets(path)
