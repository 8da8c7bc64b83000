"""NTCIREVAL (Sakai), the only other program with rpref: what it printed, and the program itself."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import cranfield as cf
import pytest

from tests import graded
from tests.against.recorders import ntcireval as record_ntcireval
from tests.against.recorders.ntcireval import Setting, Topic

# Its names and cranfield's: the family, its parameters, whether it takes gains. A name
# with `@` precedes a cutoff.
MEASURES: dict[str, tuple[str, str, bool]] = {
    "RR": ("RR", "", False),
    "AP": ("AP", "", False),
    "AP@": ("aAP", "", False),
    "P@": ("P", "", False),
    "Hit@": ("Success", "", False),
    "RBP": ("RBP", "p={rbp},max_rel={top}", False),
    "RBP@": ("RBP", "p={rbp},max_rel={top}", False),
    "Q-measure": ("Q", "beta={beta}", True),
    "Q@": ("Q", "beta={beta}", True),
    "nDCG@": ("nDCG", 'dcg="jk",base={logb}', True),
    "MSnDCG@": ("nDCG", "", True),
    "O-measure": ("O", "beta={beta}", True),
    "P-measure": ("PMeasure", "beta={beta}", True),
    "P-plus": ("PPlus", "beta={beta}", True),
    "NCUgu,P": ("NCU", 'x="P"', True),
    "NCUgu,BR": ("NCU", "beta={beta}", True),
    "NCUrb,P": ("NCU", 'stop="rb",x="P"', True),
    "NCUrb,BR": ("NCU", 'stop="rb",beta={beta}', True),
    "GAP": ("GAP", "", True),
    "GAP@": ("GAP", "", True),
    "ERR": ("ERR", 'stop="ntcir",{max_rel}', True),
    "ERR@": ("ERR", 'stop="ntcir",{max_rel}', True),
    "EBR": ("EBR", "beta={beta},{max_rel}", True),
    "EBR@": ("EBR", "beta={beta},{max_rel}", True),
    "iRBU@": ("iRBU", "{max_rel}", True),
    "nERR@": ("nERR", 'stop="ntcir",{max_rel}', True),
    "bpref": ("bpref", "", False),
    "bpref_R": ("bpref_R", "", False),
    "bpref_N": ("bpref_N", "", False),
    "bpref_relative": ("bpref_relative", "", False),
    "rpref_N": ("rpref_N", "{top_gain}", True),
    "rpref_relative": ("rpref_relative", "", True),
    "rpref_relative2": ("rpref_relative2", "", True),
}


def spelling(name: str, setting: Setting, mode: str, top: int) -> str | None:
    """Our measure for what it calls ``name``; None where there is none."""
    bare, at, cutoff = name.partition("@")
    family, template, takes_gain = MEASURES[bare + at]
    gains = dict(enumerate(setting.gains, 1))
    linear = all(level == gain for level, gain in gains.items())
    if family == "RBP" and not linear:
        return None  # RBP's gain is the grade
    if bare in ("P-measure", "P-plus") and len(set(gains.values())) < len(gains):
        return None  # it looks for the highest grade, which may be one of several with that gain
    parameters = template.format(
        **setting._asdict(),
        top=top,
        max_rel=f"max_rel={top}" if mode == "topic" else "",
        top_gain='top_gain="topic"' if mode == "topic" else "",
    ).strip(",")
    if family == "GAP" and mode != "topic":
        takes_gain = False  # `compute` takes grades, `gcompute` gains
    if takes_gain and not linear:
        gain = ",".join(f"{level}:{gain}" for level, gain in gains.items())
        parameters = f"{parameters},gain={{{gain}}}".strip(",")
    condensed = "" if mode == "raw" else "'"
    return family + (f"({parameters})" if parameters else "") + condensed + at + cutoff


def half_a_digit(decimals: int) -> float:
    """How far a value can be from what is printed of it, and a little for its own rounding."""
    return 0.5 * 10.0**-decimals + 1e-13


def compare(
    topics: Sequence[Topic],
    setting: Setting,
    mode: str,
    rows: Sequence[Mapping[str, float] | None],
    decimals: int,
) -> int:
    """Our values of every topic that it did not refuse; how many were compared."""
    run = cf.Run.from_rankings({str(i): topic.ranking for i, topic in enumerate(topics)})
    compared = 0
    tolerance = half_a_digit(decimals)
    tops = {
        i: setting.gains[max(topic.judged.values()) - 1 if mode == "topic" else -1]
        for i, topic in enumerate(topics)
        if rows[i] is not None
    }
    for top in set(tops.values()):
        names = {}
        for name in next(row for i, row in enumerate(rows) if row and tops[i] == top):
            ours = spelling(name, setting, mode, top)
            if ours is not None:
                names[name] = ours
        depth = record_ntcireval.TRUNCATED if mode == "truncated" else None
        # A highest gain holds for the topics that have no higher one.
        qrels = {str(i): topics[i].judged for i, of in tops.items() if of == top}
        scores = cf.evaluate(qrels, run, list(names.values()), depth=depth)
        found = scores.to_dict()["run"]
        for i, row in enumerate(rows):
            if row is None or tops[i] != top:
                continue
            for name, measure in names.items():
                value = found[str(i)][str(cf.Measure(measure))]
                assert abs(value - row[name]) <= tolerance, (
                    f"{measure} is {value}, {name} {row[name]} ({mode}): {topics[i]}"
                )
                compared += 1
    return compared


@pytest.fixture(scope="module")
def recorded() -> dict[str, Any]:
    made: dict[str, Any] = json.loads(record_ntcireval.RECORDED.read_text())
    for name, collection in made.items():
        collection["setting"] = Setting(**collection["setting"])
        collection["topics"] = (
            [Topic(judged, ranking.split()) for judged, ranking in collection["topics"]]
            if "topics" in collection
            else record_ntcireval.example_topics(name)
        )
    return made


@pytest.mark.parametrize("name", ["linear", "steep", "bm25-k1.2-b.75-stem", "dense-minilm"])
def test_recorded_values(recorded: dict[str, Any], name: str) -> None:
    collection = recorded[name]
    compared = 0
    for mode, table in collection["modes"].items():
        rows = [
            values and dict(zip(table["names"], values, strict=True)) for values in table["values"]
        ]
        compared += compare(
            collection["topics"], collection["setting"], mode, rows, record_ntcireval.DECIMALS
        )
    assert compared > 800


def test_recorded_names(recorded: dict[str, Any]) -> None:
    """Every measure that it printed is compared."""
    names = {
        name.partition("@")[0] + name.partition("@")[1]
        for collection in recorded.values()
        for table in collection["modes"].values()
        for name in table["names"]
    }
    assert names == set(MEASURES)


def test_topics_that_it_refuses(recorded: dict[str, Any]) -> None:
    """D17: nothing relevant is 0; nothing judged not relevant is all that was retrieved."""
    collection = recorded["linear"]
    nothing, all_relevant = collection["topics"][-2:]
    assert max(nothing.judged.values()) == 0 < min(all_relevant.judged.values())
    refused = {
        mode: [row is None for row in table["values"][-2:]]
        for mode, table in collection["modes"].items()
    }
    assert refused.pop("raw") == [True, False]
    assert all(both == [True, True] for both in refused.values())
    measures = [
        spelling(name.replace("@", "@3"), collection["setting"], "condensed", 3) or ""
        for name in MEASURES
    ]
    run = cf.Run.from_rankings({"1": nothing.ranking})
    assert not cf.evaluate({"1": nothing.judged}, run, measures).values.any()
    run = cf.Run.from_rankings({"1": all_relevant.ranking})
    values = cf.evaluate({"1": all_relevant.judged}, run, "bpref bpref_R bpref_N SetR").values
    assert values.ravel().tolist() == [1 / 3] * 4


def test_truncation_comes_before_condensing(recorded: dict[str, Any]) -> None:
    """D18: ``label -j -truncate 5`` cuts the raw list, as `depth` does, and not the condensed."""
    collection = recorded["linear"]
    table = collection["modes"]["truncated"]
    column = table["names"].index("AP")
    theirs = [row and row[column] for row in table["values"]]
    qrels = {f"{i:03}": topic.judged for i, topic in enumerate(collection["topics"])}
    run = cf.Run.from_rankings(
        dict(zip(qrels, (t.ranking for t in collection["topics"]), strict=True))
    )
    cut_first = cf.evaluate(qrels, run, "AP'", depth=5).values.ravel()
    cut_last = cf.evaluate(qrels, run, "AP'@5").values.ravel()
    differ = 0
    for expected, first, last in zip(theirs, cut_first, cut_last, strict=True):
        if expected is not None:
            assert first == pytest.approx(expected, abs=1e-9)
            differ += last != pytest.approx(expected, abs=1e-9)
    assert differ > 5
    qrels, run = {"1": {"a": 1, "b": 1}}, cf.Run.from_rankings({"1": ["x", "a", "b"]})
    assert cf.evaluate(qrels, run, "AP'", depth=2).values.item() == 0.5
    assert cf.evaluate(qrels, run, "AP'@2").values.item() == 1.0


def test_highest_gain_is_that_of_the_collection(recorded: dict[str, Any]) -> None:
    """D19: ``compute`` takes the collection's, as cranfield does, ``gcompute`` the topic's."""
    modes = recorded["linear"]["modes"]
    differ = 0
    for name in ("rpref_N", "RBP", "ERR"):
        columns = [modes[mode]["names"].index(name) for mode in ("condensed", "topic")]
        for topic, *rows in zip(
            recorded["linear"]["topics"],
            modes["condensed"]["values"],
            modes["topic"]["values"],
            strict=True,
        ):
            if rows[0] is not None:
                values = [row[column] for row, column in zip(rows, columns, strict=True)]
                if max(topic.judged.values()) == 3:
                    assert values[0] == values[1]
                differ += values[0] != values[1]
    assert differ > 20


# --- the program itself ---------------------------------------------------------------


@pytest.fixture(scope="module")
def program() -> Path:
    folder = os.environ.get("NTCIREVAL")
    if not folder:
        pytest.skip(
            "NTCIREVAL does not name the folder of the built program "
            "(tests/against/recorders/ntcireval.py)"
        )
    path = record_ntcireval.program(Path(folder))
    assert path.is_file(), f"NTCIREVAL names a folder without ntcir_eval: {folder}"
    return path


def live(program: Path, topics: Sequence[Topic], setting: Setting) -> int:
    compared = 0
    for mode in record_ntcireval.MODES:
        rows = record_ntcireval.printed(program, topics, setting, mode)
        compared += compare(topics, setting, mode, rows, record_ntcireval.decimals(program))
    return compared


def test_live_recorded(program: Path, recorded: dict[str, Any]) -> None:
    """It prints again what was recorded, to the digits that this build prints."""
    tolerance = half_a_digit(record_ntcireval.decimals(program))
    for collection in recorded.values():
        for mode, table in collection["modes"].items():
            printed = record_ntcireval.printed(
                program, collection["topics"], collection["setting"], mode
            )
            for row, values in zip(printed, table["values"], strict=True):
                assert (row is None) is (values is None)
                if row is not None:
                    found = [row[name] for name in table["names"]]
                    assert found == pytest.approx(values, rel=0, abs=tolerance + 1e-10)


def test_live_random(program: Path) -> None:
    for setting in (
        Setting((1, 2, 3), (1, 5, 10, 1000)),
        Setting((1, 3, 7), (1, 5, 10, 1000), beta=10, logb=10),
        Setting((2, 2, 5), (2, 3, 7), beta=0.1, logb=3.5),
        Setting((1, 2, 3), (2, 3, 7), rbp=0.5),
    ):
        topics = record_ntcireval.synthetic(sum(setting.gains) + len(setting.cutoffs), 700)
        assert live(program, topics, setting) > 80_000, setting


@pytest.mark.parametrize("name", graded.REAL)
def test_live_real(program: Path, data: Path, name: str) -> None:
    compared = 0
    for _, qrels, run in graded.real(data / name):
        topics = [Topic(qrels[t], graded.ranking(run[t])) for t in qrels]
        compared += live(program, topics, Setting((1, 2, 3, 4), (10, 100)))
    assert compared > 80_000
