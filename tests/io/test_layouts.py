"""Layouts of judgments: those that a first line shows, and those that have to be named."""

from __future__ import annotations

import math
import re
import subprocess
from pathlib import Path

import cranfield as cf
import pytest

from tests.commands import called

RUN = "1 Q0 55 1 3 t\n1 Q0 77 2 2 t\n1 Q0 66 3 1 t\n"
DRAWN = "1 55 0 1 1\n1 66 1 1 0.5\n1 77 1 1 0.25\n"
"""Topic, document, grade, method, probability: documents called by numbers, the first certain."""

BY_INTENT = "1 x 55 L0\n1 x 66 L2\n1 y 55 L1\n1 y 66 L0\n"


def written(folder: Path, text: str) -> Path:
    path = folder / "file"
    path.write_text(text)
    return path


def value(qrels: cf.Qrels, measure: str) -> float:
    run = cf.Run.from_rankings({"1": ["55", "77", "66"]})
    return float(cf.evaluate(qrels, run, measure).values.item())


def command(*words: object) -> subprocess.CompletedProcess[str]:
    return called(*map(str, words))


def test_probabilities_of_numbered_documents(tmp_path: Path) -> None:
    path = written(tmp_path, DRAWN)
    # The first line could as well be of a stratum, and the others do not disagree.
    assert cf.read_qrels(path.with_name("file"), layout="inclusion").columns == ("inclusion",)
    qrels = cf.read_qrels(path, layout="inclusion")
    assert qrels.to_dict() == {"1": {"55": 0, "66": 1, "77": 1}}
    # R = 1/.25 + 1/.5 = 6; 77 at rank 2: 4 x 1/2, 66 at rank 3: 2 x (1 + 4)/3.
    assert value(qrels, "statAP") == pytest.approx((4 * 1 / 2 + 2 * 5 / 3) / 6)


def test_levels_of_ntcir(tmp_path: Path) -> None:
    path = written(tmp_path, "1 55 L0\n1 66 L2\n1 77 L1\n")
    for layout in (None, "ntcir"):
        qrels = cf.read_qrels(path, layout=layout)
        assert qrels.to_dict() == {"1": {"55": 0, "66": 2, "77": 1}}
    assert value(cf.Qrels(cf.read_qrels(path).to_dict()), "CG@2") == 1


def test_intents_with_levels(tmp_path: Path) -> None:
    path = written(tmp_path, BY_INTENT)
    levels = cf.read_qrels(path, layout="intents")
    grades = cf.read_qrels(written(tmp_path, BY_INTENT.replace("L", "")), layout="intents")
    measures = "D#-nDCG@3 IA-Q alpha_nDCG@3"
    run = cf.Run.from_rankings({"1": ["55", "66"]})
    found = [cf.evaluate(qrels, run, measures).values.tolist() for qrels in (levels, grades)]
    assert found[0] == found[1]
    with pytest.raises(cf.Error, match=r'file:1:8: .*layout="intents"'):
        cf.read_qrels(written(tmp_path, BY_INTENT))


@pytest.mark.parametrize(
    ("text", "layout", "message"),
    [
        ("55 L0\n66 L1\n", None, "file:1:1: expected the topic before the document"),
        ("1 55 L0\n1 66 1\n", None, "file:2:6: expected a level such as L2 as grade, found `1`"),
        ("1 0 55 1\n", "stratified", "file:1:9: expected 5 fields .*stratum"),
        ("1 0 55 1\n", "ndeval", "expected one of trec, .* as layout, found `ndeval`"),
    ],
)
def test_what_does_not_fit(tmp_path: Path, text: str, layout: str | None, message: str) -> None:
    with pytest.raises(cf.Error, match=message):
        cf.read_qrels(written(tmp_path, text), layout=layout)


def test_the_command_line(tmp_path: Path) -> None:
    (tmp_path / "run").write_text(RUN)
    path = written(tmp_path, BY_INTENT)
    found = command("eval", path, tmp_path / "run", "-m", "StRecall@1", "--layout", "intents")
    assert (found.returncode, found.stdout.split()) == (0, ["run", "StRecall@1", "run", "0.5000"])
    path = written(tmp_path, DRAWN)
    found = command("eval", path, tmp_path / "run", "-m", "statP@2", "--layout", "inclusion")
    assert found.stdout.split()[-1] == "2.0000"
    refused = command("eval", path, tmp_path / "run", "-m", "statP@2", "--layout", "stratum")
    assert refused.returncode == 2
    assert "--layout" in refused.stderr
    for words in (["describe", path], ["compare", path, tmp_path / "run"]):
        assert "--layout" in command(words[0], "--help-all").stdout


def test_every_command_that_reads_judgments(tmp_path: Path) -> None:
    both = RUN + RUN.replace("1 Q0", "2 Q0")
    (tmp_path / "run").write_text(both)
    (tmp_path / "other").write_text(both.replace("77", "88"))
    path = written(tmp_path, BY_INTENT + BY_INTENT.replace("1 ", "2 "))
    named = ("--layout", "intents")
    found = command("pool", tmp_path / "run", "--qrels", path, *named, "--quiet")
    assert found.stdout == "1 0 77 -1\n2 0 77 -1\n"
    refused = command("pool", tmp_path / "run", *named)
    assert (refused.returncode, refused.stderr) == (
        2,
        "cranfield: error: --layout is only for --qrels\n",
    )
    found = command("describe", path, *named, "--format", "csv")
    assert found.returncode == 0
    found = command(
        *("study", "graded", path, tmp_path / "run", tmp_path / "other"),
        *("--output", tmp_path / "folder", *named, "--quiet"),
    )
    assert (found.returncode, found.stderr) == (0, "")
    for words in (("pool", tmp_path / "run", "--qrels", path), ("describe", path)):
        refused = command(*words)
        assert refused.returncode == 2
        assert "expected a number as grade, found a level such as L2" in refused.stderr


def test_convert(tmp_path: Path) -> None:
    """What a format cannot hold is reported."""
    path = written(tmp_path, DRAWN)
    found = command("convert", path, "-", "--layout", "inclusion")
    assert found.stdout == "1 0 55 0\n1 0 66 1\n1 0 77 1\n"
    assert found.stderr.endswith("written as trec, which drops inclusion\n")
    path = written(tmp_path, BY_INTENT)
    found = command("convert", path, "-", "--layout", "intents", "--to", "beir")
    assert found.stdout.split("\n")[1:] == ["1\t55\t1", "1\t66\t2", ""]
    assert found.stderr.endswith("written as beir, which drops intents\n")
    path = written(tmp_path, "1 0 55 2 1\n")
    found = command("convert", path, "-", "--layout", "stratified", "--to", "stratified")
    assert (found.stdout, "drops" in found.stderr) == ("1 0 55 2 1\n", False)
    for words in (("--kind", "run"), ("--to", "msmarco")):
        refused = command("convert", path, "-", "--layout", "trec", *words)
        assert refused.returncode == 2
        assert "qrels" in refused.stderr or "--layout is for judgments" in refused.stderr


def test_probabilities_and_kinds_of_intents(tmp_path: Path) -> None:
    """NTCIREVAL's Dqrels and DINprob; a document of no intent is under 0."""
    path = written(tmp_path, "1 0 77 L0\n1 x 55 L1\n1 y 66 L2\n")
    likely = tmp_path / "likely"
    likely.write_text("1 x 0.75 nav\n1 y 0.25 inf\n2 z 1\n")
    weights, navigational = cf.read_intents(likely)
    assert weights == {"1": {"x": 0.75, "y": 0.25}, "2": {"z": 1.0}}
    assert navigational == {"1": ["x"]}
    qrels = cf.read_qrels(path, layout="intents")
    assert qrels.to_dict() == {"1": {"55": 1, "66": 2, "77": 0}}
    assert qrels.intents("1") == {"x": 1, "y": 1}
    weighed = qrels.with_weights(weights).with_navigational(navigational)
    # 55 gains 3/4, 66 at rank 3 gains 2/4.
    assert value(weighed, "D-CG@3") == 1.25
    assert value(weighed, "IA-P@1") == 0.75
    (tmp_path / "run").write_text(RUN)
    words = ["--layout", "intents", "--intents", likely]
    found = command("eval", path, tmp_path / "run", "-m", "D-CG@3 IA-P@1", *words)
    assert found.stdout.split()[-2:] == ["1.2500", "0.7500"]
    refused = command("eval", path, tmp_path / "run", "--intents", likely)
    assert refused.returncode == 2
    assert "--layout intents" in refused.stderr


def test_intents_without_a_probability(tmp_path: Path) -> None:
    path = written(tmp_path, "1 x 55 L1\n1 y 66 L2\n")
    likely = tmp_path / "likely"
    likely.write_text("1 x 0.75\n")
    (tmp_path / "run").write_text(RUN)
    words = ["--layout", "intents", "--intents", likely]
    found = command("eval", path, tmp_path / "run", "-m", "D-CG@3", *words)
    assert found.returncode == 2
    assert re.search(r"likely: expected a weight for each intent, .* `y` of topic", found.stderr)


@pytest.mark.parametrize("weight", [-0.5, math.nan, math.inf, "half"])
def test_invalid_weights(tmp_path: Path, weight: float) -> None:
    qrels = cf.read_qrels(written(tmp_path, "1 x 55 1\n"), layout="intents")
    with pytest.raises(cf.Error, match=r"at least 0, found .* for intent `x` of topic `1`"):
        qrels.with_weights({"1": {"x": weight}})


@pytest.mark.parametrize(
    "text",
    [
        "1 x\n",
        "1 x 0.5 none\n",
        "1 x half\n",
        "1 x -0.5\n",
        "1 x nan\n",
        "1 x inf\n",
        "1 x 0.5 nav 1\n",
        "1 x 1\n1 x 2\n",
        "1 x 1 " + 500 * "y" + "\n",
    ],
)
def test_invalid_intents(tmp_path: Path, text: str) -> None:
    with pytest.raises(cf.Error, match=r"file:[12]: expected") as found:
        cf.read_intents(written(tmp_path, text))
    assert len(found.value.message) < 150
    with pytest.raises(cf.Error, match="there is no such file"):
        cf.read_intents(tmp_path / "absent")
