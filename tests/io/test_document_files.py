"""Files next to the judgments that describe documents: their classes, what they cost."""

from __future__ import annotations

import io
import os
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import cranfield as cf
import pytest

from tests.against.recorders import ntcireval as record_ntcireval
from tests.against.recorders import ntcireval_forms as record_ntcireval_forms
from tests.commands import called

EQRELS = "0001;あいう かき;L3;1\n0001;x;L1;1\n0002;y z?;L1;1\n0002;w;L2;2\n"
"""As NTCIREVAL's own example: separated by semicolons, since documents may be sentences."""

QRELS = "1 0 a 3\n1 0 b 1\n1 0 c 2\n1 0 d 0\n"
RUN = "1 Q0 b 1 3 t\n1 Q0 a 2 2 t\n1 Q0 c 3 1 t\n"
CLASSES = "1 a L3 1\n1 b L1 1\n1 c L2 2\n1 d L0 3\n"
COSTS = "1 a 30\n1 b 50\n1 c 40\n"

Reader = Callable[[object], dict[str, dict[str, float]]]


def written(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def doubled(text: str) -> str:
    """The same for a second topic."""
    return text + re.sub("(?m)^1 ", "2 ", text)


def command(*words: object) -> subprocess.CompletedProcess[str]:
    return called(*map(str, words))


def test_classes_as_ntcireval_writes_them(tmp_path: Path) -> None:
    found = cf.read_classes(written(tmp_path, "test.eqrels", EQRELS))
    assert found == {"0001": {"あいう かき": 1, "x": 1}, "0002": {"y z?": 1, "w": 2}}


@pytest.mark.parametrize(
    "text",
    [
        CLASSES,
        CLASSES.replace(" ", ";"),
        CLASSES.replace(" ", "\t").replace("\n", "\r\n"),
        "\ufeff# classes\n\n" + CLASSES,
        "1 a 1\n1 b 1\n1 c 2\n1 d 3\n",
    ],
)
def test_spellings_of_classes(tmp_path: Path, text: str) -> None:
    expected = {"1": {"a": 1, "b": 1, "c": 2, "d": 3}}
    assert cf.read_classes(written(tmp_path, "file", text)) == expected
    assert cf.read_classes(io.StringIO(text)) == expected
    assert cf.read_classes(io.BytesIO(text.encode())) == expected


def test_costs(tmp_path: Path) -> None:
    found = cf.read_costs(
        written(
            tmp_path, "file", "# words\n#topic doc cost\n1\ta  30\n\n1 b 1.5e2\n2 a 1\n1 a 30\n"
        )
    )
    assert found == {"1": {"a": 30, "b": 150}, "2": {"a": 1}}


@pytest.mark.parametrize("read", [cf.read_classes, cf.read_costs])
def test_ids_of_any_bytes(tmp_path: Path, read: Reader) -> None:
    qrels, beside = tmp_path / "qrels", tmp_path / "beside"
    qrels.write_bytes(b"1 0 d\xff\xe3\x80\x80e 1\n")
    beside.write_bytes(b"1 d\xff\xe3\x80\x80e 2\n")
    # U+3000 is a space to Python's str, and no byte of it is one.
    with_column = cf.read_qrels(qrels).with_column("class", read(beside))
    assert list(with_column.column("class", "1").values()) == [2]


@pytest.mark.parametrize(
    ("read", "text", "message"),
    [
        (cf.read_classes, "1 a\n", "file:1: expected topic, .*class, found 2 fields: `1 a`"),
        (cf.read_classes, "a L3 1\n", "file:1: expected topic, document, .*class"),
        (
            cf.read_classes,
            "1 a 2 3\n",
            "file:1: expected .* optionally a level such as L2, and class",
        ),
        (cf.read_classes, "1;a;L1;1\n1 b L1 1\n", "file:2: expected topic"),
        (cf.read_classes, "1;;L1;1\n", "file:1: expected topic"),
        (cf.read_classes, "1 a x\n", "file:1: expected a number of at least 0 as class, found `x`"),
        (cf.read_classes, "1 a -1\n", "file:1: expected a number of at least 0 as class"),
        (cf.read_classes, "1 a inf\n", "file:1: expected a number of at least 0 as class"),
        (cf.read_classes, "1 a 1_0\n", "file:1: expected a number of at least 0 as class"),
        (
            cf.read_classes,
            "1 a 1\n1 b 1\n1 a 2\n",
            "file:3: expected one class of document `a` of topic `1`, found 2.0, and 1.0 on line 1",
        ),
        (cf.read_classes, "#1 a x\n", "file:1: expected a number of at least 0 as class"),
        (cf.read_classes, "# none\n", "file: expected lines of .*class, found no line of data"),
        (
            cf.read_costs,
            "a 30\n",
            "file:1: expected topic, document and cost, found 2 fields: `a 30`",
        ),
        (cf.read_costs, "1 a 0\n", "file:1: expected a number above 0 as cost, found `0`"),
        (cf.read_costs, "1 a 1\n1 b nan\n", "file:2: expected a number above 0 as cost"),
        (
            cf.read_costs,
            "1 a 1\n1 a 2\n",
            "file:2: .* `a` of topic `1`, found 2.0, and 1.0 on line 1",
        ),
        (cf.read_costs, "", "file: expected lines of .*cost, found no line of data"),
    ],
)
def test_what_is_refused(tmp_path: Path, read: Reader, text: str, message: str) -> None:
    with pytest.raises(cf.Error, match=message) as caught:
        read(written(tmp_path, "file", text))
    assert caught.value.file == str(tmp_path / "file")


@pytest.mark.parametrize("read", [cf.read_classes, cf.read_costs])
def test_invalid_files(tmp_path: Path, read: Reader) -> None:
    with pytest.raises(cf.Error, match=r"expected .*found 1 field: `x{60}\.\.\.`") as caught:
        read(written(tmp_path, "file", "x" * 100_000))
    assert (caught.value.kind, caught.value.line) == ("fields", 1)
    with pytest.raises(cf.Error, match="absent: there is no such file"):
        read(tmp_path / "absent")
    with pytest.raises(cf.Error, match="takes one file"):
        read(str(tmp_path / "*.txt"))
    with pytest.raises(cf.Error, match="type int cannot be read as"):
        read(7)


def test_the_command_line(tmp_path: Path) -> None:
    qrels, run = (written(tmp_path, str(i), doubled(t)) for i, t in enumerate((QRELS, RUN)))
    beside = (
        "--classes",
        written(tmp_path, "classes", doubled(CLASSES)),
        "--costs",
        written(tmp_path, "costs", doubled(COSTS)),
    )
    measures = 'EC-Q Q U(L=200,form="original")'
    found = command("eval", qrels, run, "-m", measures, *beside)
    assert (found.returncode, found.stderr) == (0, "")
    in_python = cf.read_qrels(qrels)
    classes, costs = {"a": 1, "b": 1, "c": 2}, {"a": 30, "b": 50, "c": 40}
    in_python = in_python.with_column("class", {"1": classes, "2": classes})
    in_python = in_python.with_column("cost", {"1": costs, "2": costs})
    expected = cf.evaluate(in_python, run, measures).mean().ravel()
    assert found.stdout.split()[-3:] == [f"{value:.4f}" for value in expected]
    # b: 150 of 200 are left behind it, a: 120, c: 80.
    assert expected[2] == pytest.approx((150 + 120 + 80) / 200)
    other = written(tmp_path, "other", doubled(RUN.replace("b", "d")))
    words = ("compare", qrels, run, other, "-m", "EC-nDCG", "--format", "csv", *beside)
    assert command(*words).returncode == 0
    without = command(*words[: -len(beside)])
    assert without.returncode == 2
    assert "--classes" in without.stderr
    assert command("describe", qrels, *beside).returncode == 0


def test_unjudged_documents_are_reported(tmp_path: Path) -> None:
    qrels, run = written(tmp_path, "qrels", QRELS), written(tmp_path, "run", RUN)
    costs = written(tmp_path, "costs", COSTS + "1 z 5\n2 a 5\n")
    words = ("eval", qrels, run, "-m", "U(L=200)@3", "--costs", costs)
    told = command(*words).stderr
    assert told == f"cranfield: {costs}: not in {qrels}, so used by @cost= only: 2 of 5 documents\n"
    assert command(*words, "--quiet").stderr == ""
    pooled = written(tmp_path, "pooled", QRELS.replace("b 1", "b -1"))
    measure = 'U(L=200,form="original")'
    found = command("eval", pooled, run, "-m", measure, "--costs", costs, "--quiet")
    # What is only in the pool takes its 50 as well, and gains nothing.
    assert found.stdout.split()[-1] == f"{(120 + 80) / 200:.4f}"
    refused = command(*words[:-1], qrels)
    assert refused.returncode == 2
    assert (
        f"{qrels}:1: expected topic, document and cost, found 4 fields: `1 0 a 3`" in refused.stderr
    )


@pytest.mark.skipif("NTCIREVAL" not in os.environ, reason="NTCIREVAL names its folder")
def test_live_classes_from_its_own_file(tmp_path: Path) -> None:
    """One file for both: NTCIREVAL's erel files have one topic, cranfield's have all."""
    program = record_ntcireval.program(Path(os.environ["NTCIREVAL"]))
    topics = record_ntcireval_forms.classed(3, 40)
    printed = record_ntcireval_forms.printed_classed(program, topics)
    eqrels = "".join(
        f"{i};{d};L{grade};{topic.classes[d]}\n"
        for i, topic in enumerate(topics)
        for d, grade in topic.judged.items()
    )
    qrels = cf.Qrels({str(i): topic.judged for i, topic in enumerate(topics)})
    classes = cf.read_classes(written(tmp_path, "test.eqrels", eqrels))
    run = cf.Run.from_rankings({str(i): topic.ranking for i, topic in enumerate(topics)})
    scores = cf.evaluate(qrels.with_column("class", classes), run, "EC-Q EC-AP EC-RR")
    compared = 0
    for i, values in enumerate(printed):
        for measure, name in (("EC-Q", "Q-measure"), ("EC-AP", "AP"), ("EC-RR", "RR")):
            ours = scores["run", measure][scores.topics.index(str(i))]
            assert ours == pytest.approx(values[f"EC-{name}"], abs=1e-9), (i, measure)
            compared += 1
    assert compared == 120
