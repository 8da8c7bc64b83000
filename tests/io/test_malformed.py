"""What is wrong with an input is reported in one sentence, with its place.

The inputs and their errors are in ``malformed_cases.py``; those that only Python can
express are in ``test_malformed_objects.py``. Every file is read in three ways (streamed
from its path, held as an open file, by the command line) and each has to report the
same. The oracle of the sentences is their reader: what was found, what was expected,
where.
"""

from __future__ import annotations

import gc
import os
import subprocess
import sys
from pathlib import Path

import cranfield as cf
import pytest

from tests.commands import called
from tests.io import malformed_cases as cases
from tests.io.malformed_cases import JUDGED, SCORED, Case, refused

NAN = float("nan")

Where = tuple[str | None, int | None, int | None]


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
    done = called("eval", *arguments)
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
    'duplicates="place"': "--duplicates place",
    'duplicates="best"': "--duplicates best",
    'layout="beir"': "--layout beir",
    'layout="intents"': "--layout intents",
    'layout="stratified"': "--layout stratified",
}


def in_flags(message: str) -> str:
    """The message as the command line prints it."""
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


def test_the_command_prints_one_message_and_leaves_nothing(malformed: Case) -> None:
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
def test_an_invalid_measure(folder: Path, text: str, kind: str, sentence: str, carets: str) -> None:
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
def test_a_foreign_spelling_is_shown_with_its_meaning(text: str, message: str) -> None:
    assert refused(lambda: cf.evaluate(JUDGED, SCORED, text)).message == message


@pytest.mark.parametrize("text", ["x" * 10_000, f"P@{'9' * 10_000}", f"AP({'(' * 10_000}"])
def test_the_error_of_a_long_measure_is_cut(text: str) -> None:
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
