"""The signature: it says everything that a value depends on, and repeats the value.

The oracle of what has to be in it is evaluation itself: whenever an option, the judgments or the
topics move a value of the same run, the line is another one.
"""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any

import cranfield as cf
import pytest
from cranfield._base.options import EVALUATING

from tests.commands import called, signed

QRELS = {"1": {"a": 2, "b": 1, "c": -1, "d": 0, "1": 1}, "2": {"a": 1, "e": 1}, "3": {"x": 0}}
# Ties, the topic's own document, a missing topic, scores that are equal as 32-bit floats.
RUN = {
    "1": {"1": 9.0, "d": 3.0, "c": 3.0, "b": 3.0, "a": 0.30000001},
    "2": {"z": 0.300000011, "e": 0.30000001, "a": 0.2},
}
MEASURES = "nDCG@3 AP P@2 RR bpref"
OTHER: dict[str, list[Any]] = {
    "missing": ["skip"],
    "undefined": ["skip", "one"],
    "order": ["docno_asc", "input", "rank"],
    "scores": ["f32"],
    "duplicates": ["first", "best", "place"],
    "own": ["drop"],
    "negative": ["nonrelevant"],
    "ties": ["average"],
    "depth": [1, 2],
    "lenient": [True],
    "run_layout": ["trec"],
    "columns": [{"topic": "query"}],
}


def line(**options: Any) -> cf.Signature:
    found = cf.evaluate(QRELS, {"r": RUN}, "nDCG@3 AP", **options).signature
    assert found is not None
    return found


def test_every_option_that_can_move_a_value_is_in_it() -> None:
    assert set(OTHER) == set(EVALUATING) - {"threads"}
    lines = {str(line())}
    for name, values in OTHER.items():
        for value in values:
            options: dict[str, Any] = {name: value}
            if name in ("order", "run_layout", "columns"):
                run: Any = cf.Run.from_rows(
                    ["1", "1", "2"], ["a", "b", "a"], [1.0, 2.0, 3.0], ranks=[1.0, 2.0, 1.0]
                )
                signature = cf.evaluate(QRELS, run, "nDCG@3 AP", **options).signature
            else:
                signature = line(**options)
            assert str(signature) not in lines, options
            lines.add(str(signature))
            assert signature is not None
            assert signature.options == options
    assert str(line(threads=2)) in lines


@pytest.mark.parametrize("options", [*itertools.combinations(["missing", "own", "ties"], 2)])
def test_a_value_that_moves_has_another_line(options: tuple[str, ...]) -> None:
    given = {name: OTHER[name][0] for name in options}
    plain = cf.evaluate(QRELS, RUN, "AP RR")
    other = cf.evaluate(QRELS, RUN, "AP RR", **given)
    assert plain.summary().tolist() != other.summary().tolist()
    assert plain.signature != other.signature


def test_judgments_with_classes_costs_and_intents_have_other_lines() -> None:
    plain = cf.Qrels({"1": {"a": 1, "b": 1}})
    classes = plain.with_column("class", {"1": {"a": 1, "b": 1}})
    costs = plain.with_column("cost", {"1": {"a": 2, "b": 3}})
    judged = {"1": {"i": {"a": 1}, "j": {"b": 1}}}
    intents = cf.Qrels.from_intents(judged)
    weighed = intents.with_weights({"1": {"i": 0.25, "j": 0.75}})
    sized = cf.Qrels({"1": {"a": 1, "b": 1}}, docs_in_collection=100)
    every = (plain, classes, costs, intents, weighed, sized)
    run = {"1": {"a": 1.0}}
    lines = {str(cf.evaluate(qrels, run, "AP").signature) for qrels in every}
    assert len(lines) == len(every)


def test_chosen_topics_are_hashed() -> None:
    scores = cf.evaluate(QRELS, {"r": {**RUN, "3": {"x": 1.0}}}, "AP")
    whole, first, second = (
        found.signature
        for found in (scores, scores.sel(topic=["1", "2"]), scores.sel(topic=["1", "3"]))
    )
    assert whole is not None
    assert first is not None
    assert second is not None
    assert "t" not in whole.parts
    # printf '1\n2\n' | sha256sum
    assert first.parts["t"] == "a6e2b7a0"
    assert first.parts["topics"] == second.parts["topics"] == "2"
    assert first != second


def test_a_line_is_read_back_in_both_forms() -> None:
    for options in ({}, {"depth": 3}, {"columns": {"topic": "a b|c%"}}, {"lenient": True}):
        found = line(**options)
        assert cf.Signature.parse(str(found)) == found
        assert cf.Signature.parse(f" {found} = 0.5000\n").value == "0.5000"
        short = cf.Signature.parse(found.short)
        assert short.short == found.short
        assert short.options == found.options == options
    assert line(depth=3).short == (
        f"nDCG@3 AP|q:{cf.Qrels(QRELS).fingerprint[:8]}|n:3|depth:3|v:cf{cf.__version__}"
    )
    unknown = cf.Signature.parse(f"{line()}|bs:1000")
    assert unknown.parts["bs"] == "1000"
    spelled = cf.evaluate(QRELS, RUN, 'nDCG(dcg="exp-log2", gain={1: 3, 2: 5})@3 AP').signature
    assert spelled is not None
    assert cf.Signature.parse(str(spelled)).measures == spelled.measures


@pytest.mark.parametrize(
    "text",
    ["", "AP", "AP|topics:3", "|qrels:a", "AP|qrels", "AP|qrels:a|qrels:b", "AP|qrels:a = x"],
)
def test_what_is_no_signature_is_refused(text: str) -> None:
    with pytest.raises(cf.Error, match="expected a signature") as caught:
        cf.Signature.parse(text)
    assert caught.value.kind == "option"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    qrels = cf.Qrels(QRELS)
    qrels.write(str(tmp_path / "qrels.txt"))
    cf.Run(RUN).write(str(tmp_path / "r.run"))
    return tmp_path


def test_a_number_is_repeated_or_it_is_said_why_not(folder: Path) -> None:
    call = ("eval", "qrels.txt", "r.run", "--quiet")
    printed = signed(*call, "-m", "AP", "--depth", "2", "--undefined", "skip", folder=folder)
    signature = printed.stdout.splitlines()[-1]
    assert signature.endswith(f" = {printed.stdout.split()[3]}")
    again = signed(*call, "--signature", signature, folder=folder)
    assert again.returncode == 0
    assert again.stdout == printed.stdout
    assert "repeated" in again.stderr
    value = signature.rpartition(" = ")[2]
    for wrong, expected in (
        (signature.replace(f"= {value}", "= 0.9999"), f"AP is {value} instead of 0.9999"),
        (signature.replace("|topics:3", "|topics:4"), "topics 3 instead of 4"),
        (signature.replace("|qrels:", "|qrels:0"), "qrels "),
        (signature.replace("|topics:3", "|topics:3|t:12345678"), "instead of 12345678"),
    ):
        done = called(*call, "--signature", wrong, folder=folder)
        assert done.returncode == 1, wrong
        assert f"not repeated: {expected}" in done.stderr or expected in done.stderr
    for more in (["-m", "RR"], ["--depth", "7"]):
        done = called(*call, "--signature", signature, *more, folder=folder)
        assert done.returncode == 2
        assert "leave it out" in done.stderr
    assert called(*call, "--signature", "AP", folder=folder).returncode == 2


def test_a_percentage_and_fewer_decimals_are_repeated(folder: Path) -> None:
    scores = cf.evaluate(str(folder / "qrels.txt"), str(folder / "r.run"), "AP")
    assert scores.signature is not None
    value = scores.summary()[0, 0]
    for text in (f"{value:.2f}", f"{100 * value:.1f}%", f"{value:.8f}"):
        assert scores.signature.only("AP", text).differences(scores) == []


def test_it_stands_below_every_table_and_nowhere_else(folder: Path) -> None:
    call = ("eval", "qrels.txt", "r.run", "-m", "AP RR", "--quiet")
    for form, start in (("table", ""), ("markdown", "`"), ("latex", "% "), ("html", "<p>")):
        text = signed(*call, "--format", form, folder=folder).stdout
        assert text.count("|qrels:") == 1, form
        assert f"\n{start}AP RR|qrels:" in text
    for form in ("csv", "tsv", "jsonl"):
        assert "|qrels:" not in signed(*call, "--format", form, folder=folder).stdout
    content = json.loads(signed(*call, "--format", "json", folder=folder).stdout)
    assert [cf.Signature.parse(text).measures for text in content["signature"].values()] == [
        ("AP",),
        ("RR",),
    ]
    for words in (
        ["compare", "qrels.txt", "r.run", "s.run", "-m", "AP"],
        ["diff", "qrels.txt", "r.run", "s.run", "-m", "AP"],
    ):
        cf.Run({"1": {"b": 1.0}, "2": {"a": 2.0}}).write(str(folder / "s.run"))
        text = signed(*words, "--quiet", folder=folder).stdout
        (signature,) = [row for row in text.splitlines() if "|qrels:" in row]
        assert cf.Signature.parse(signature).measures == ("AP",)
        if words[0] == "compare":
            assert cf.Signature.parse(signature).parts["test"] == "t"


def test_a_check_has_the_lines_of_its_files(folder: Path) -> None:
    call = ("eval", "qrels.txt", "r.run", "-m", "AP", "--per-topic", "--quiet", "--output")
    called(*call, "a.json", folder=folder)
    called(*call, "b.json", "--depth", "1", folder=folder)
    limits = ("--max-drop", "AP=0.9", "--quiet", "--allow-other-judgments")
    for other, expected in (("a.json", 1), ("b.json", 2)):
        words = ("check", "a.json", "--baseline", other, *limits)
        text = signed(*words, folder=folder).stdout
        assert text.count("|qrels:") == expected
        found = json.loads(called(*words, "--json", folder=folder).stdout)["signature"]
        assert set(found) == {"now", "baseline"}


def test_scores_of_other_tools_have_none() -> None:
    assert cf.Scores.from_records([("r", "1", "AP", 0.5)]).signature is None
