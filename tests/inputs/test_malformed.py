"""What is wrong with an input is told in one sentence, with its place.

The inputs and their errors are in ``malformed_cases.py``; those that only
Python can express are here. Every file is read in three ways (streamed from
its path, held as an open file, by the command line) and each has to tell the
same. The oracle of the sentences is their reader: what was found, what was
expected, where.
"""

from __future__ import annotations

import gc
import io
import os
import random
import signal
import subprocess
import sys
import time
from collections import UserDict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import cranfield as cf
import pytest

from tests.inputs import malformed_cases as cases
from tests.inputs.malformed_cases import QRELS, RUN, Case

JUDGED = {"1": {"a": 1, "b": 0}, "2": {"a": 1}}
SCORED = {"1": {"a": 3.0, "b": 2.0}, "2": {"a": 1.0}}
NAN = float("nan")

Where = tuple[str | None, int | None, int | None]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A current folder with good judgments and a good run."""
    (tmp_path / "qrels.txt").write_bytes(QRELS.encode())
    (tmp_path / "run.txt").write_bytes(RUN.encode())
    monkeypatch.chdir(tmp_path)
    return tmp_path


def refused(call: Callable[[], object]) -> cf.Error:
    with pytest.raises(cf.Error) as caught:
        call()
    return caught.value


def placed(file: str | None, line: int | None, column: int | None, message: str) -> str:
    """An error as compilers print it."""
    place = ":".join(str(part) for part in (file, line, column) if part is not None)
    return f"{place}: {message}" if place else message


def check(error: cf.Error, case: Case, *, named: bool = True) -> None:
    """The error is the one of the row, to the letter."""
    line, column = case.place
    assert error.kind == case.kind, error
    if case.whole:
        assert error.message == case.message
    else:
        assert case.message in error.message
    assert error.file == case.file or not named
    assert error.line == line
    assert column is None or error.column == column
    assert str(error) == placed(error.file, error.line, error.column, error.message)
    assert len(error.message) < 400


def command(*arguments: str) -> str:
    """What a call that fails prints on stderr, which is all that it leaves."""
    before = sorted(os.listdir())
    done = subprocess.run(
        [sys.executable, "-m", "cranfield", "eval", *arguments],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert "Traceback" not in done.stderr, done.stderr
    assert "panicked" not in done.stderr, done.stderr
    assert (done.returncode, done.stdout) == (2, ""), done.stderr
    assert done.stderr.count("cranfield: error: ") == 1, done.stderr
    assert sorted(os.listdir()) == before
    head, _, message = done.stderr.partition("cranfield: error: ")
    assert head == ""
    assert message.endswith("\n")
    return message[:-1]


FLAGS = {
    "`line_bytes`": "`--max-line`",
    "`decompression_ratio`": "`--max-ratio`",
    "give docs_in_collection with the judgments": "give --docs-in-collection",
    "lenient=True": "--lenient",
    'duplicates="first"': "--duplicates first",
    'duplicates="best"': "--duplicates best",
    'layout="beir"': "--layout beir",
    'layout="intents"': "--layout intents",
}


def in_flags(message: str) -> str:
    """The message as the command line tells it."""
    for keyword, flag in FLAGS.items():
        message = message.replace(keyword, flag)
    return message


# Files


@pytest.fixture(params=cases.FILES, ids=lambda case: case.name)
def malformed(request: pytest.FixtureRequest, folder: Path) -> Case:
    """A row of the table, with its files written."""
    case: Case = request.param
    (folder / "qrels.txt").write_bytes(case.qrels)
    (folder / "run.txt").write_bytes(case.run)
    return case


def test_a_malformed_file_is_an_error_with_its_place(malformed: Case) -> None:
    keywords = malformed.keywords
    check(refused(lambda: cf.evaluate("qrels.txt", "run.txt", "AP", **keywords)), malformed)


def test_an_open_file_gives_the_same_error(malformed: Case) -> None:
    with open("qrels.txt", "rb") as qrels, open("run.txt", "rb") as run:
        error = refused(lambda: cf.evaluate(qrels, run, "AP", **malformed.keywords))
    check(error, malformed, named=malformed.file != "run.txt")


@pytest.mark.parametrize("text", [False, True])
@pytest.mark.usefixtures("folder")
def test_the_error_of_an_open_file_names_the_file(text: bool) -> None:
    """Not the run, which may be called anything."""
    Path("bad.run").write_text("1 Q0\n")
    mode = "r" if text else "rb"
    for call in (
        lambda file: cf.evaluate(file, SCORED, "AP"),
        lambda file: cf.evaluate(JUDGED, file, "AP"),
        lambda file: cf.evaluate(JUDGED, {"bm25": file}, "AP"),
        lambda file: cf.read_run(file),
    ):
        with open("bad.run", mode) as file:
            assert refused(lambda c=call, f=file: c(f)).file == "bad.run"  # type: ignore[misc]


@pytest.mark.parametrize("arguments", [("-", "run.txt"), ("qrels.txt", "-")])
@pytest.mark.usefixtures("folder")
def test_the_error_of_standard_input_says_so(arguments: tuple[str, str]) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "cranfield", "eval", *arguments],
        input=b"1 Q0\n",
        capture_output=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.startswith(b"cranfield: error: <stdin>:1:5: expected ")


def test_the_command_tells_it_in_one_message_and_leaves_nothing(malformed: Case) -> None:
    shown = command("qrels.txt", "run.txt", "-m", "AP", *malformed.flags, "--output", "out.csv")
    assert shown.startswith(placed(malformed.file, *malformed.place, ""))
    message = in_flags(malformed.message)
    if malformed.whole and malformed.place[1] is not None:
        assert shown == placed(malformed.file, *malformed.place, message)
    else:
        assert message in shown
    assert "\n" not in shown


@pytest.mark.parametrize("packed", cases.PACKED)
def test_a_small_bomb_stops_at_the_limits_asked_for(folder: Path, packed: str) -> None:
    size = 1 << 20
    (folder / "run.txt").write_bytes(cases.bomb(packed, size))
    limits = cf.Limits(decompression_free=1000, decompression_ratio=10)
    for call in (
        lambda: cf.evaluate(JUDGED, "run.txt", "AP", limits=limits),
        lambda: cf.read_run("run.txt", limits=limits),
        lambda: cf.read_run(open("run.txt", "rb"), limits=limits),  # noqa: SIM115
    ):
        error = refused(call)
        assert error.kind == "limit"
        assert f"bytes of {packed} data expand to" in error.message
        assert "the limit `decompression_ratio` of 10" in error.message
    gc.collect()
    free = cf.Limits(decompression_free=2 * size, decompression_ratio=10)
    assert cf.read_run("run.txt", limits=free).lines == 3


@pytest.mark.parametrize(
    ("qrels", "run", "kind", "file", "message"),
    [pytest.param(*row, id=f"{row[0]} {row[1]}") for row in cases.PATHS],
)
def test_a_path_that_leads_nowhere(
    folder: Path, qrels: str, run: str, kind: str, file: str | None, message: str
) -> None:
    (folder / "hollow").mkdir()
    (folder / "broken").symlink_to("none.txt")
    error = refused(lambda: cf.evaluate(qrels, run, "AP"))
    assert (error.kind, error.message, error.file) == (kind, message, file)
    assert (error.line, error.column) == (None, None)
    shown = command(qrels, run, "-m", "AP", "--output", "out.csv")
    assert shown == placed(file, None, None, message)


@pytest.mark.parametrize(
    "arguments",
    [
        ("qrels.txt", "a\x1b[31m.run"),
        ("qrels.txt", "none/a\x1b]0;x\x07"),
        ("qrels.txt", "run.txt", "-m", cases.CONTROL),
        ("qrels.txt", "run.txt", "--\x1b[31m"),
    ],
)
def test_control_characters_do_not_reach_a_terminal(folder: Path, arguments: list[str]) -> None:
    (folder / "a\x1b[31m.run").write_text("1\n")
    assert "\x1b" not in command(*arguments)


# Measures and options


@pytest.mark.parametrize(
    ("text", "kind", "sentence", "carets"),
    [pytest.param(*row, id=row[0]) for row in cases.MEASURES],
)
def test_a_measure_that_is_none(
    folder: Path, text: str, kind: str, sentence: str, carets: str
) -> None:
    message = sentence
    if carets:
        piece = text if "(" in text else text.split()[-1]
        message = f"{sentence}\n  {piece}\n  {carets}"
    error = refused(lambda: cf.evaluate(JUDGED, SCORED, text))
    assert error.kind == kind
    assert error.message == str(error) == message
    assert (error.file, error.line, error.column) == (None, None, None)
    assert command("qrels.txt", "run.txt", "-m", text, "--output", "out.csv") == in_flags(message)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("P.x", f"{cases.CUTOFF}: `P@x` in `P.x`\n  P@x\n    ^"),
        ("recall_0", f"{cases.WHOLE} 0: `R@0` in `recall_0`\n  R@0\n    ^"),
    ],
)
def test_a_foreign_spelling_is_shown_beside_what_it_means(text: str, message: str) -> None:
    assert refused(lambda: cf.evaluate(JUDGED, SCORED, text)).message == message


@pytest.mark.parametrize("text", ["x" * 10_000, f"P@{'9' * 10_000}", f"AP({'(' * 10_000}"])
def test_a_long_measure_does_not_flood(text: str) -> None:
    assert len(refused(lambda: cf.evaluate(JUDGED, SCORED, text)).message) < 400


@pytest.mark.parametrize(
    ("flags", "message"), [pytest.param(*row, id=" ".join(row[0])) for row in cases.OPTIONS]
)
@pytest.mark.usefixtures("folder")
def test_an_option_that_makes_no_sense(flags: list[str], message: str) -> None:
    output = [] if "--output" in flags else ["--output", "out.csv"]
    shown = command("qrels.txt", "run.txt", *output, *flags)
    assert shown.partition("\n")[0].startswith(message)
    if "invalid choice" in message:
        assert shown.endswith("; see cranfield eval --help")


# What only Python can say


class Reader(io.RawIOBase):
    """A file whose ``read`` gives or raises one thing."""

    def __init__(self, result: object) -> None:
        self.result = result

    def read(self, size: int = -1) -> Any:
        if size == 0:
            return b""
        if isinstance(self.result, BaseException):
            raise self.result
        return self.result


def closed() -> io.BytesIO:
    stream = io.BytesIO(RUN.encode())
    stream.close()
    return stream


def exhausted(stream: Any) -> Any:
    stream.read()
    return stream


def finite(what: str, found: str) -> str:
    return f"expected a finite number as {what}, found {found} for document `a` of topic `1`"


MIXTURE = "expected ids that are all text or all whole numbers, found both:"
AN_ID = "expected an id as str or int, found"
NO_LINES = f"{cases.A_RUN}, found an empty file"
BINARY_MODE = "cannot read: TypeError: expected a file opened in binary mode"
OF_JUDGMENTS = "expected a topic's judgments as {document: grade}, found"
RANKINGS = "for {topic: [document, ...]} there is Run.from_rankings"

RUN_OBJECTS: list[tuple[str, Callable[[], Any], str, str]] = [
    ("nan", lambda: {"1": {"a": NAN}}, "number", finite("score", "float `nan`")),
    ("inf", lambda: {"1": {"a": -1e999}}, "number", finite("score", "float `-inf`")),
    ("text score", lambda: {"1": {"a": "3"}}, "number", finite("score", "str `'3'`")),
    ("no score", lambda: {"1": {"a": None}}, "number", finite("score", "NoneType `None`")),
    ("complex score", lambda: {"1": {"a": 1j}}, "number", finite("score", "complex `1j`")),
    (
        "huge int",
        lambda: {"1": {"a": 10**400}},
        "number",
        finite("score", f"int `1{'0' * 59}...`"),
    ),
    ("own dict", lambda: UserDict({"1": {"a": NAN}}), "number", finite("score", "float `nan`")),
    ("mixed documents", lambda: {"1": {"a": 1.0, 2: 1.0}}, "type", f"{MIXTURE} int `2`"),
    ("mixed over topics", lambda: {"1": {"a": 1.0}, "2": {2: 1.0}}, "type", f"{MIXTURE} int `2`"),
    ("mixed topics", lambda: {1: {"a": 1.0}, "2": {"a": 1.0}}, "type", f"{MIXTURE} str `'2'`"),
    ("bytes document", lambda: {"1": {b"a": 1.0}}, "type", f"{AN_ID} bytes `b'a'`"),
    ("bytes topic", lambda: {b"1": {"a": 1.0}}, "type", f"{AN_ID} bytes `b'1'`"),
    ("float topic", lambda: {1.0: {"a": 1.0}}, "type", f"{AN_ID} float `1.0`"),
    ("bool document", lambda: {"1": {True: 1.0}}, "type", f"{AN_ID} bool `True`"),
    ("no document", lambda: {"1": {None: 1.0}}, "type", f"{AN_ID} NoneType `None`"),
    ("lone surrogate", lambda: {"1": {"\ud800": 1.0}}, "type", "expected an id that is text"),
    ("dict of lists", lambda: {"1": ["a", "b"]}, "option", f"run for '1', found 2; {RANKINGS}"),
    ("dict of None", lambda: {"1": None}, "type", "an object of type NoneType cannot be read"),
    ("int", lambda: 3, "type", "an object of type int cannot be read as a run"),
    ("None", lambda: None, "type", "an object of type NoneType cannot be read as a run"),
    ("bytes", lambda: b"run", "type", "an object of type bytes cannot be read as a run"),
    ("list of int", lambda: [3], "type", "an object of type int cannot be read as a run"),
    (
        "judgments",
        lambda: cf.Qrels(JUDGED),
        "type",
        "an object of type Qrels cannot be read as a run: these are judgments",
    ),
    (
        "rows of two",
        lambda: [("1", "a")],
        "type",
        "expected rows of (topic, doc, score) or named tuples, found a tuple of 2",
    ),
    (
        "rows unlike the first",
        lambda: [("1", "a", 1.0), ("1", "b")],
        "type",
        "expected rows that are all like the first",
    ),
    ("row of nan", lambda: [("1", "a", NAN)], "number", finite("score", "float `nan`")),
    ("mixed rows", lambda: [("1", 2, 1.0), ("1", "b", 1.0)], "type", f"{MIXTURE} str `'b'`"),
    (
        "row twice",
        lambda: [("1", "a", 1.0), ("1", "b", 1.0), ("1", "a", 2.0)],
        "duplicate",
        "found `a` again for topic `1`: positions 1 and 3",
    ),
    (
        "ranking twice",
        lambda: cf.Run.from_rankings({"1": ["a", "b", "b"]}),
        "duplicate",
        "found `b` again for topic `1`: positions 2 and 3",
    ),
    (
        "ranking of text",
        lambda: cf.Run.from_rankings({"1": "abc"}),  # type: ignore[dict-item, unused-ignore]
        "type",
        "expected a list of documents, found str `'abc'`",
    ),
    (
        "ranking of int",
        lambda: cf.Run.from_rankings({"1": 3}),  # type: ignore[dict-item, unused-ignore]
        "type",
        "expected a list of documents, found int `3`",
    ),
    ("text stream", lambda: io.StringIO(f"{RUN}2 Q0 b\n"), "fields", "found 3 fields"),
    ("exhausted", lambda: exhausted(io.BytesIO(RUN.encode())), "empty", NO_LINES),
    ("exhausted text", lambda: exhausted(io.StringIO(RUN)), "empty", NO_LINES),
    ("closed stream", closed, "io", "closed file"),
    ("stream of int", lambda: Reader(3), "io", BINARY_MODE),
    ("stream of text", lambda: Reader("1"), "io", BINARY_MODE),
    ("stream of None", lambda: Reader(None), "io", BINARY_MODE),
    ("failing stream", lambda: Reader(OSError("boom")), "io", "cannot read: OSError: boom"),
    ("long reads", lambda: Reader(b"x" * (1 << 20)), "io", "read(n) returned more than n bytes"),
    ("one name twice", lambda: [cf.Run(SCORED)] * 2, "option", "two runs are called 'run'"),
]


@pytest.mark.parametrize(
    ("make", "kind", "message"),
    [pytest.param(*row[1:], id=row[0]) for row in RUN_OBJECTS],
)
def test_an_object_that_is_no_run(make: Callable[[], Any], kind: str, message: str) -> None:
    error = refused(lambda: cf.evaluate(JUDGED, make(), "AP"))
    assert error.kind == kind
    assert message in error.message
    assert len(error.message) < 400


QRELS_OBJECTS: list[tuple[str, Callable[[], Any], str, str]] = [
    ("text grade", lambda: {"1": {"a": "1"}}, "number", finite("grade", "str `'1'`")),
    ("no grade", lambda: {"1": {"a": None}}, "number", finite("grade", "NoneType `None`")),
    ("nan", lambda: {"1": {"a": NAN}}, "number", finite("grade", "float `nan`")),
    ("list grade", lambda: {"1": {"a": [1]}}, "number", finite("grade", "list `[1]`")),
    ("dict of lists", lambda: {"1": ["a"]}, "type", f"{OF_JUDGMENTS} list `['a']`"),
    ("dict of int", lambda: {"1": 3}, "type", f"{OF_JUDGMENTS} int `3`"),
    ("mixed topics", lambda: {1: {"a": 1}, "2": {"a": 1}}, "type", f"{MIXTURE} str `'2'`"),
    ("bytes document", lambda: {"1": {b"a": 1}}, "type", f"{AN_ID} bytes `b'a'`"),
    ("int", lambda: 3, "type", "an object of type int cannot be read as qrels"),
    (
        "run",
        lambda: cf.Run(SCORED),
        "type",
        "an object of type Run cannot be read as qrels: it is a run",
    ),
    (
        "rows of two",
        lambda: [("1", "a")],
        "type",
        "expected rows of (topic, doc, grade) or named tuples, found a tuple of 2",
    ),
    (
        "rows that disagree",
        lambda: [("1", "a", 1), ("1", "a", 2)],
        "conflict",
        cases.conflict("2", "a", "1", "1", 1),
    ),
    (
        "row twice",
        lambda: [("1", "a", 1), ("1", "a", 1)],
        "duplicate",
        cases.judged_again("a", "1", 1),
    ),
    ("exhausted", lambda: exhausted(io.BytesIO(QRELS.encode())), "empty", "an empty file"),
    ("closed stream", closed, "io", "closed file"),
]


@pytest.mark.parametrize(
    ("make", "kind", "message"),
    [pytest.param(*row[1:], id=row[0]) for row in QRELS_OBJECTS],
)
def test_an_object_that_is_no_judgments(make: Callable[[], Any], kind: str, message: str) -> None:
    error = refused(lambda: cf.evaluate(make(), SCORED, "AP"))
    assert error.kind == kind
    assert message in error.message


def scored(**options: Any) -> cf.Scores:
    scores: cf.Scores = cf.evaluate(JUDGED, SCORED, "AP", **options)
    return scores


AT_LEAST_1 = "of at least 1, found"
CALLS: list[tuple[str, Callable[[], object], str, str]] = [
    ("depth 0", lambda: scored(depth=0), "option", f"expected a depth {AT_LEAST_1} 0"),
    ("depth huge", lambda: scored(depth=-(2**70)), "option", "expected a depth"),
    ("threads", lambda: scored(threads=0), "option", f"a number of threads {AT_LEAST_1} 0"),
    (
        "order",
        lambda: scored(order="docno_dsc"),
        "option",
        'expected one of "docno_desc", "docno_asc", "input", "rank" as order, '
        'found `docno_dsc`; did you mean "docno_desc"?',
    ),
    (
        "missing",
        lambda: scored(missing="x"),
        "option",
        'expected one of "zero", "skip", "error" as missing, found `x`',
    ),
    ("scores", lambda: scored(scores="f16"), "option", 'expected one of "f64", "f32" as scores'),
    (
        "ranks",
        lambda: scored(order="rank"),
        "option",
        'order="rank" needs ranks, and the run has none for topic `1`',
    ),
    (
        "missing topic",
        lambda: cf.evaluate(JUDGED, {"1": {"a": 1.0}}, "AP", missing="error"),
        "topics",
        "expected every topic of the judgments in run `run`, found 1 missing: `2`",
    ),
    (
        "limits",
        lambda: cf.Limits(line_bytes=0),
        "option",
        f"expected a line_bytes {AT_LEAST_1} 0",
    ),
    (
        "negative limits",
        lambda: cf.Limits(decompression_ratio=-1),
        "option",
        f"expected a decompression_ratio {AT_LEAST_1} -1",
    ),
    (
        "collection",
        lambda: cf.Qrels(JUDGED, docs_in_collection=-1),
        "option",
        f"expected a docs_in_collection {AT_LEAST_1} -1",
    ),
    ("no measures", lambda: cf.evaluate(JUDGED, SCORED, []), "measure", "expected at least one"),
    (
        "measures of int",
        lambda: cf.evaluate(JUDGED, SCORED, [3]),  # type: ignore[list-item, unused-ignore]
        "type",
        "expected measures as text or values, found int `3`",
    ),
    (
        "no cutoff",
        lambda: cf.evaluate(JUDGED, SCORED, [cf.AP, cf.P]),
        "parameter",
        "P needs a cutoff, as in P@10",
    ),
    ("cutoff 0", lambda: cf.P @ 0, "parameter", f"{cases.WHOLE} 0"),
    ("cutoff nan", lambda: cf.P @ NAN, "parameter", f"{cases.WHOLE} NaN"),
    ("no cutoffs", lambda: cf.num_ret @ 5, "parameter", "num_ret takes no cutoff"),
    ("no prime", lambda: cf.infAP.prime, "parameter", cases.NO_PRIME),
    (
        "range",
        lambda: cf.RBP(p=2),
        "parameter",
        "RBP: expected a number above 0 and below 1 as p, found 2",
    ),
    (
        "no parameter",
        lambda: cf.AP(nonsuch=1),  # type: ignore[call-arg, unused-ignore]
        "parameter",
        "AP has no parameter `nonsuch`; it takes rel",
    ),
    (
        "gain of text",
        lambda: cf.nDCG(gain={1: "x"}),  # type: ignore[dict-item, unused-ignore]
        "parameter",
        "nDCG: expected {grade: gain, ...}",
    ),
    (
        "path of int",
        lambda: cf.read_run(3),  # type: ignore[arg-type, unused-ignore]
        "type",
        "an object of type int cannot be read as a run",
    ),
    ("folder", lambda: cf.read_run("."), "directory", "this is a folder; expected a file"),
    ("run label", lambda: scored()["rum", "AP"], "label", "no run 'rum'; did you mean run?"),
    ("run labels", lambda: scored()["bm25", "AP"], "label", "no run 'bm25'; there are: run"),
    ("measure label", lambda: scored()["run", "nDCG@5"], "label", "no measure 'nDCG@5'"),
    ("measure nonsuch", lambda: scored()["run", "?"], "label", "no measure '?'; there are: AP"),
    ("topic label", lambda: scored().sel(topic=["9"]), "label", "no topic '9'; there are: 1, 2"),
]


@pytest.mark.parametrize(
    ("call", "kind", "message"), [pytest.param(*row[1:], id=row[0]) for row in CALLS]
)
def test_a_call_that_makes_no_sense(call: Callable[[], object], kind: str, message: str) -> None:
    error = refused(call)
    assert error.kind == kind
    if kind in ("measure", "option", "label"):
        assert message in error.message
    else:
        assert error.message.startswith(message)


def test_one_stream_cannot_be_two_runs() -> None:
    stream = io.BytesIO(RUN.encode())
    error = refused(lambda: cf.evaluate(JUDGED, {"a": stream, "b": stream}, "AP"))
    assert error.kind in ("type", "option")
    assert "stream" in error.message


@pytest.mark.parametrize("interrupt", [KeyboardInterrupt, SystemExit])
def test_what_stops_the_program_is_no_error_of_the_file(interrupt: type[BaseException]) -> None:
    with pytest.raises(interrupt):
        cf.evaluate(JUDGED, Reader(interrupt()), "AP")


def heed_interrupts() -> None:
    """A shell that starts tests in the background has them ignored from there on."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@pytest.mark.parametrize("arguments", [("-", "run.txt"), ("qrels.txt", "-")])
@pytest.mark.usefixtures("folder")
def test_an_interrupt_while_waiting_for_standard_input(arguments: tuple[str, str]) -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "cranfield", "eval", *arguments],
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
        preexec_fn=heed_interrupts,
    ) as process:
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        code = process.wait(timeout=10)  # its input stays open
        assert process.stderr is not None
        assert (code, process.stderr.read()) == (130, b"")


def test_grades_too_large_to_add_are_refused_or_right() -> None:
    """Not silently 0, which inf/inf would become."""
    judged = {"1": {"a": 1e308, "b": 1e308, "c": 1e308}}
    try:
        found = cf.evaluate(judged, {"1": {"a": 3, "b": 2, "c": 1}}, "nDCG").values[0, 0, 0]
    except cf.Error:
        return
    assert found == pytest.approx(1)


# Lenient reading


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("3x", 3.0),
        ("-.5e1z", -5.0),
        ("1e", 1.0),
        ("1,5", 1.0),
        ("50%", 50.0),
        ("high", 0.0),
        ("--1", 0.0),
        ("٣", 0.0),
        ("0x1p3", 8.0),
        ("inf", sys.float_info.max),
        ("-Infinity", -sys.float_info.max),
        ("1e999", sys.float_info.max),
        ("nan", -sys.float_info.max),
    ],
)
def test_lenient_reading_takes_what_atof_takes_and_counts(
    folder: Path, text: str, value: float
) -> None:
    (folder / "run.txt").write_text(cases.scored(text), encoding="utf-8")
    assert refused(lambda: cf.read_run("run.txt")).kind == "number"
    assert cf.read_run("run.txt", lenient=True)["1"] == {"a": 3.0, "b": value}
    for source in ("run.txt", io.BytesIO(cases.scored(text).encode())):
        notes = cf.evaluate(JUDGED, source, "AP", lenient=True).notes["run"]
        assert (notes.repaired, notes.lines, notes.duplicates) == (1, 2, 0)


def test_lenient_reading_counts_every_field_over_topics_in_pieces(folder: Path) -> None:
    text = "1 Q0 a 1 x t\n2 Q0 a 1 3 t\n1 Q0 b 2 nan t\n2 Q0 b 1 4z t\n"
    (folder / "run.txt").write_text(text)
    assert cf.evaluate(JUDGED, "run.txt", "AP", lenient=True).notes["run"].repaired == 3
    assert cf.evaluate(JUDGED, folder / "run.txt", "AP", lenient=True).values[0].tolist() == [
        [1.0],
        [0.5],
    ]


@pytest.mark.parametrize(
    "case",
    [c for c in cases.FILES if c.kind in ("fields", "empty", "binary", "archive", "limit")],
    ids=lambda case: case.name,
)
def test_lenient_reading_repairs_numbers_and_nothing_else(folder: Path, case: Case) -> None:
    (folder / "qrels.txt").write_bytes(case.qrels)
    (folder / "run.txt").write_bytes(case.run)
    keywords = case.keywords | {"lenient": True}
    error = refused(lambda: cf.evaluate("qrels.txt", "run.txt", "AP", **keywords))
    assert (error.kind, error.file, error.line) == (case.kind, case.file, case.place[0])


@pytest.mark.parametrize(
    ("grade", "value"), [("2x", 2.0), ("1.7z", 1.7), ("good", 0.0), ("-1-", -1.0)]
)
def test_lenient_judgments(folder: Path, grade: str, value: float) -> None:
    (folder / "qrels.txt").write_text(f"1 0 a {grade}\n")
    assert refused(lambda: cf.read_qrels("qrels.txt")).kind == "number"
    assert cf.read_qrels("qrels.txt", lenient=True)["1"] == {"a": value}


@pytest.mark.parametrize("bad", ["qrels.txt", "run.txt"])
def test_the_command_says_that_numbers_were_repaired(folder: Path, bad: str) -> None:
    text = "1 0 a good\n2 0 a 1\n" if bad == "qrels.txt" else cases.scored("3x") + "2 Q0 a 1 1 t\n"
    (folder / bad).write_text(text)
    done = subprocess.run(
        [sys.executable, "-m", "cranfield", "eval", "qrels.txt", "run.txt", "--lenient"],
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0
    assert "numbers that were repaired: 1\n" in done.stderr


@pytest.mark.parametrize("text", ["z" * 900_000, "1" * 450_000 + "z" * 450_000])
def test_a_long_odd_number_is_repaired_at_once(folder: Path, text: str) -> None:
    """In a process of its own, which can be stopped."""
    (folder / "run.txt").write_text(cases.scored(text))
    code = "import cranfield; cranfield.read_run('run.txt', lenient=True)"
    subprocess.run([sys.executable, "-c", code], check=True, timeout=3)


# Random mutations

VALID_RUN = (
    "\ufeff# a run\n1 Q0 a 1 3 t\n1 Q0 b 2 2.5e-1 t x\r\n\n10\tQ0\té\t1\t-1\tt\n"
    "1 Q0 c 3 1 t\n2 Q0 a 1 1 t\n2 Q0 日本 2 .5 t"
).encode()
VALID_MARCO = b"1 a 1\n1 b 2\n2 a 1\n"
VALID_QRELS = "# qrels\n1 0 a 1\n1 0 b -1\r\n\n2\t0\té\t0.5\n2 0 a 2".encode()
VALID_BEIR = b"query-id\tcorpus-id\tscore\n1\ta\t1\n2\ta\t0\n"
VALID_STRATA = b"1 0 a 0 1\n1 0 b 1 -1\n2 0 a 2 0\n"
VALID_MEASURES = (
    "AP nDCG@10 AP(rel=2)'@5 RBP(p=0.5,rel=1) nDCG(gain={0:0,1:1.5},base=3)@10 infAP bpref' "
    "P.5,10 ndcg_cut_10 map IPrec@0.1 ERR(max_rel=3)@20 official AP(judged_only=True) all_trec"
)
PIECES = (
    *(b"\0", b"\n", b"\r", b" ", b"\t", b"#", b"\x1b", b"\xff", b"\xc3", b"\xef\xbb\xbf", b"\x1f"),
    *(
        b"nan",
        b"inf",
        b"-",
        b"1e999",
        b"0x1",
        b"9" * 30,
        b"t" * 300,
        b"1 Q0 a 1 3 t\n",
        b"1 0 a 1\n",
    ),
    *(b"(", b")", b"{", b"}", b"'", b'"', b"@", b"=", b",", b":", b".", b"_", b"\xc3\xa9", b"rel"),
)


def mutated(data: bytes, rng: random.Random) -> bytes:
    """One to four changes: bytes replaced, removed, moved, inserted, or the end cut off."""
    for _ in range(rng.randint(1, 4)):
        start = rng.randrange(len(data) + 1)
        end = min(len(data), start + rng.choice([0, 1, 1, 2, 5, 20]))
        match rng.randrange(6):
            case 0:
                data = data[:start] + rng.randbytes(rng.randint(1, 3)) + data[end:]
            case 1:
                data = data[:start] + data[end:]
            case 2:
                data = data[:start] + data[end:] + data[start:end]
            case 3:
                data = data[:start] + data[start:end] * 3 + data[end:]
            case 4:
                data = data[:start] if rng.random() < 0.3 else data[start:] + data[:start]
            case _:
                data = data[:start] + rng.choice(PIECES) + data[start:]
    return data


def outcome(call: Callable[[], object], what: bytes) -> str | None:
    """The kind of the error, None for a result; anything else is a failure."""
    try:
        call()
    except cf.Error as error:
        found = error
    except BaseException as other:  # a panic is no Exception
        pytest.fail(f"{type(other).__name__}: {other} for {what!r}")
    else:
        return None
    assert isinstance(found.kind, str), what
    assert found.message, what
    assert str(found).endswith(found.message), what
    return found.kind


@pytest.mark.parametrize("lenient", [False, True])
@pytest.mark.parametrize(
    "valid",
    [VALID_RUN, VALID_MARCO, *cases.PACKED.values()],
    ids=["trec", "ms-marco", *cases.PACKED],
)
def test_mutated_runs_are_read_or_refused(folder: Path, valid: bytes, lenient: bool) -> None:
    rng = random.Random(f"{valid!r} {lenient}")
    path = folder / "run.txt"
    evaluator = cf.Evaluator(JUDGED, "AP nDCG RBP num_ret bpref'", lenient=lenient)
    kinds = set()
    for _ in range(120):
        data = mutated(valid, rng)
        path.write_bytes(data)
        streamed = outcome(lambda: evaluator.evaluate("run.txt"), data)
        held = outcome(lambda d=data: evaluator.evaluate(io.BytesIO(d)), data)  # type: ignore[misc]
        assert (streamed is None) == (held is None), data
        kinds.add(streamed)
    assert len(kinds) > 1


@pytest.mark.parametrize("lenient", [False, True])
@pytest.mark.parametrize(
    "valid", [VALID_QRELS, VALID_BEIR, VALID_STRATA], ids=["trec", "beir", "stratified"]
)
def test_mutated_judgments_are_read_or_refused(valid: bytes, lenient: bool) -> None:
    rng = random.Random(f"{valid!r} {lenient}")
    kinds = set()
    for _ in range(150):
        data = mutated(valid, rng)
        stream = io.BytesIO(data)
        kinds.add(
            outcome(lambda s=stream: cf.evaluate(s, SCORED, "AP nDCG", lenient=lenient), data)  # type: ignore[misc]
        )
    assert len(kinds) > 1


def test_mutated_measures_are_read_or_refused() -> None:
    rng = random.Random(20261121)
    texts = VALID_MEASURES.split()
    kinds = set()
    for _ in range(1500):
        data = mutated(" ".join(rng.sample(texts, rng.randint(1, 3))).encode(), rng)
        text = data.decode("utf-8", "replace")
        kinds.add(outcome(lambda t=text: cf.evaluate(JUDGED, SCORED, t), data))  # type: ignore[misc]
    assert kinds >= {None, "measure", "parameter"}


def test_no_input_takes_long() -> None:
    """A deep or long input costs time in proportion, not its square."""
    started = time.perf_counter()
    for text in ("AP " * 5000, "(" * 50_000, "{" * 50_000, "nDCG@10'" * 5000, "ü" * 20_000):
        outcome(lambda t=text: cf.evaluate(JUDGED, SCORED, t), text.encode())  # type: ignore[misc]
    assert time.perf_counter() - started < 5
