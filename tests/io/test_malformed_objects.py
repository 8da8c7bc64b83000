"""Objects and calls that are wrong in one way each, and the error that each has to give."""

from __future__ import annotations

import io
import signal
import subprocess
import sys
import time
from collections import UserDict
from collections.abc import Callable
from typing import Any

import cranfield as cf
import pytest

from tests import ROOT
from tests.io import malformed_cases as cases
from tests.io.malformed_cases import JUDGED, QRELS, RUN, SCORED, refused

NAN = float("nan")
#: A folder of several runs.
FOLDER = ROOT / "examples" / "debtags" / "runs"


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
READ_BEFORE = "expected a file to read, found one that was already read to its end"
BINARY_MODE = "cannot read: TypeError: expected a file opened in binary mode"
OF_JUDGMENTS = "expected a topic's judgments as {document: grade} or [document, ...], found"

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
    ("dict of None", lambda: {"1": None}, "type", "expected a run for '1', found None"),
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
        "expected rows of (topic, doc, score), named tuples or dicts, found a tuple of 2",
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
    ("exhausted", lambda: exhausted(io.BytesIO(RUN.encode())), "empty", READ_BEFORE),
    ("exhausted text", lambda: exhausted(io.StringIO(RUN)), "empty", READ_BEFORE),
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
def test_an_object_that_is_not_a_run(make: Callable[[], Any], kind: str, message: str) -> None:
    error = refused(lambda: cf.evaluate(JUDGED, make(), "AP"))
    assert error.kind == kind
    assert message in error.message
    assert len(error.message) < 400


QRELS_OBJECTS: list[tuple[str, Callable[[], Any], str, str]] = [
    ("text grade", lambda: {"1": {"a": "1"}}, "number", finite("grade", "str `'1'`")),
    ("no grade", lambda: {"1": {"a": None}}, "number", finite("grade", "NoneType `None`")),
    ("nan", lambda: {"1": {"a": NAN}}, "number", finite("grade", "float `nan`")),
    ("list grade", lambda: {"1": {"a": [1]}}, "number", finite("grade", "list `[1]`")),
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
        "expected rows of (topic, doc, grade), named tuples or dicts, found a tuple of 2",
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
    ("exhausted", lambda: exhausted(io.BytesIO(QRELS.encode())), "empty", READ_BEFORE),
    ("closed stream", closed, "io", "closed file"),
]


@pytest.mark.parametrize(
    ("make", "kind", "message"),
    [pytest.param(*row[1:], id=row[0]) for row in QRELS_OBJECTS],
)
def test_an_object_that_is_not_judgments(make: Callable[[], Any], kind: str, message: str) -> None:
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
        "RBP: expected a number of at least 0 and below 1 as p, found 2",
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
    ("folder", lambda: cf.read_run(FOLDER), "directory", "this is a folder; expected a file"),
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
def test_what_stops_the_program_is_not_an_error_of_the_file(interrupt: type[BaseException]) -> None:
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
