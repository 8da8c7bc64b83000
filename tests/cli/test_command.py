"""What all commands share: usage, help, streams, interrupts, odd bytes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import cranfield as cf
import pytest
from cranfield._cli import COMMANDS

from tests.cli.calls import BM25, QRELS, TABLE, call, evaluated, failed
from tests.commands import started, unsigned


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has other shells")
@pytest.mark.parametrize(
    ("redirection", "message"),
    [
        (">&-", "cannot write standard output: it is closed"),
        ("<&-", "<stdin>: expected an open file, found a closed file"),
    ],
)
def test_closed_streams_do_not_crash(folder: Path, redirection: str, message: str) -> None:
    line = f'exec "$0" -m cranfield eval qrels.txt "$1" --quiet {redirection}'
    run = "-" if "<" in redirection else "runs"
    done = subprocess.run(
        ["sh", "-c", line, sys.executable, run],
        cwd=folder,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (2, f"cranfield: error: {message}\n")


def test_commands_work_where_python_removes_docstrings(folder: Path) -> None:
    code = (
        "from cranfield._cli import COMMANDS, main, module_of; from importlib import import_module;"
        "[import_module(module_of(c)).parser() for c in COMMANDS if c != 'trec_eval'];"
        "raise SystemExit(main(['eval', 'qrels.txt', 'runs', '-m', 'AP']))"
    )
    words = [sys.executable, "-OO", "-c", code]
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "AP" in done.stdout


@pytest.mark.parametrize("target", ["runs", "nowhere/out.csv"])
def test_output_that_cannot_be_written_fails_at_once(folder: Path, target: str) -> None:
    message = failed(folder, "eval", "qrels.txt", "runs", "--output", target)
    assert target in message


@pytest.mark.skipif(not os.path.exists("/dev/null"), reason="this system has no such device")
def test_devices_and_links_are_not_replaced(folder: Path) -> None:
    assert evaluated(folder, "--output", "/dev/null") == ""
    assert not os.path.isfile("/dev/null")
    (folder / "real.csv").write_text("old")
    (folder / "link.csv").symlink_to("real.csv")
    assert evaluated(folder, "-m", "AP", "--output", "link.csv") == ""
    assert (folder / "link.csv").is_symlink()
    assert (folder / "real.csv").read_text().startswith("run,AP")


@pytest.mark.skipif(not os.path.exists("/dev/stdout"), reason="this system has no such device")
def test_output_may_be_a_pipe(folder: Path) -> None:
    words = ("eval", "qrels.txt", "runs", "--quiet", "-m", "AP num_ret", "--output", "/dev/stdout")
    assert started(*words, folder=folder).stdout == TABLE


def test_a_tilde_is_the_home_folder(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(folder))
    arguments = ["~/qrels.txt", "~/runs", "-m", "AP num_ret", "--output", "~/x.txt", "--quiet"]
    assert call(folder, "eval", *arguments).returncode == 0
    assert unsigned((folder / "x.txt").read_text()) == TABLE
    assert call(folder, "convert", "~/qrels.txt", "~/y.txt").returncode == 0
    assert (folder / "y.txt").read_text() == QRELS


@pytest.mark.parametrize("arguments", [["eval", "qrels.txt", "-"], ["convert", "-", "-"]])
def test_an_error_in_standard_input_is_placed_there(folder: Path, arguments: list[str]) -> None:
    text = f"{BM25}1 Q0\n"
    assert failed(folder, *arguments, stdin=text).startswith("<stdin>:7:5: ")


def test_runs_of_one_name_are_distinguished_without_python(folder: Path) -> None:
    (folder / "runs" / "bm25.txt").write_text(BM25)
    assert failed(folder, "eval", "qrels.txt", "runs") == (
        "two runs are called 'runs/bm25': runs/bm25.run and runs/bm25.txt; "
        "give the files or their folders different names\n"
    )
    assert failed(folder, "eval", "qrels.txt", "runs/bm25.run", "runs/b*.run") == (
        "two runs are called 'runs/bm25': runs/bm25.run is given twice\n"
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["eval"], "QRELS"),
        (["eval", "qrels.txt"], "RUN"),
        (["eval", "none.txt", "runs"], "none.txt"),
        (["eval", "qrels.txt", "none.run"], "none.run"),
        (["eval", "qrels.txt", "none*"], "no file matches"),
        (["eval", "qrels.txt", "runs", "-m", "nonsuch"], "nonsuch"),
        (["eval", "qrels.txt", "runs", "-m", "P"], "P"),
        (["eval", "qrels.txt", "runs", "--depth", "x"], "--depth"),
        (["eval", "qrels.txt", "runs", "--depth", "0"], "depth"),
        (["eval", "qrels.txt", "runs", "--order", "x"], "--order"),
        (["eval", "qrels.txt", "runs", "--nonsuch"], "--nonsuch"),
        (["eval", "runs", "runs"], "runs"),
        (["evla", "qrels.txt"], "eval"),
        (["--nonsuch"], "COMMAND"),
    ],
)
def test_bad_usage_is_one_message_and_exit_2(
    folder: Path, arguments: list[str], message: str
) -> None:
    assert message in failed(folder, *arguments)


def test_no_arguments_is_help_on_stderr(folder: Path) -> None:
    done = call(folder)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("usage: cranfield ")


@pytest.mark.parametrize("command", [[], ["eval"], ["convert"], ["measures"]])
def test_help_goes_to_stdout_with_an_example(folder: Path, command: list[str]) -> None:
    done = call(folder, *command, "--help")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("usage: cranfield")
    assert "example" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "advice"),
    [
        (["eval", "q", "r", "--per-topics"], ": did you mean --per-topic?"),
        (["eval", "q", "r", "--metric", "AP"], ": did you mean --measure?"),
        (["study", "depth", "q", "r", "-o", "x", "--metrics", "AP"], ": did you mean --measures?"),
        (["eval", "q", "r", "--test", "t"], "--test is an option of `cranfield compare`"),
        (["check", "a", "--baseline", "b", "--sort", "AP"], ": --sort is an option of `cranfield "),
        (["eval", "q", "r", "--nonsuch"], "--nonsuch; see cranfield eval --help"),
    ],
)
def test_an_unknown_option_gets_a_suggestion(
    folder: Path, arguments: list[str], advice: str
) -> None:
    message = failed(folder, *arguments)
    assert message.startswith("unrecognized arguments: --")
    assert advice in message


def test_an_unknown_word_of_an_option_gets_a_suggestion(folder: Path) -> None:
    message = failed(folder, "eval", "q", "r", "--layout", "span")
    assert message.startswith("argument --layout: invalid choice: 'span' (choose from ")
    assert "; did you mean spans?" in message
    assert "did you mean" not in failed(folder, "eval", "q", "r", "--layout", "zzz")


@pytest.mark.parametrize("command", [name for name in COMMANDS if name != "trec_eval"])
def test_help_fits_into_80_columns_and_says_where_the_rest_is(folder: Path, command: str) -> None:
    short = call(folder, command, "--help", COLUMNS="80").stdout
    for line in short.splitlines():
        assert len(line) <= 80 or line.startswith(("  cranfield ", "  --format {")), line
    assert "1099511627776" not in short
    assert call(folder, command, "--help-all").returncode == 0
    if "--help-all" in short:
        whole = call(folder, command, "--help-all", COLUMNS="80").stdout
        assert f"`cranfield {command} --help-all` shows" in short.splitlines()[-1]
        assert "--run-layout" not in short
        assert "--run-layout" in whole


def test_options_and_runs_may_come_in_any_order(folder: Path) -> None:
    words = ("-m", "AP num_ret", "--quiet")
    done = call(folder, "eval", "qrels.txt", *words, "runs")
    assert (done.returncode, done.stdout) == (0, TABLE)
    assert call(folder, "eval", *words, "qrels.txt", "runs").stdout == TABLE


@pytest.mark.parametrize("command", [[], ["eval"]])
def test_version(folder: Path, command: list[str]) -> None:
    assert call(folder, *command, "--version").stdout == f"cranfield {cf.__version__}\n"


def test_a_reader_that_leaves_is_not_an_error(folder: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "cranfield", "eval", "qrels.txt", "runs", "--quiet"],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()
    with process.stderr as stderr:
        assert stderr.read() == b""
    assert process.wait() == 0


def heed_interrupts() -> None:
    """A shell that starts tests in the background has them ignored from there on."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@pytest.mark.skipif(sys.platform == "win32", reason="signals are others there")
def test_an_interrupt_is_exit_130(folder: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "cranfield", "convert", "-", "-"],
        cwd=folder,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        preexec_fn=heed_interrupts,
    ) as process:
        assert process.stdin is not None
        assert process.stderr is not None
        # More than a pipe holds: once it is written the command is reading,
        # and a moment later it waits for more.
        process.stdin.write(b"1 Q0 a 1 1 t\n" * 100_000)
        process.stdin.flush()
        time.sleep(1)
        process.send_signal(signal.SIGINT)
        assert process.wait(30) == 130
        assert process.stderr.read() == b""


def test_what_a_users_file_prints_and_registers_is_not_lost_at_exit(folder: Path) -> None:
    text = (
        "import sys, cranfield as cf\n"
        "@cf.measure('two', better='higher')\n"
        "def two(topic): return 2.0\n"
        "print('loaded', end='')\n"
        "print('told', end='', file=sys.stderr)\n"
    )
    (folder / "plain.py").write_text(text)
    (folder / "later.py").write_text(f"import atexit\n{text}atexit.register(print, 'exit')\n")
    for name, after in (("plain.py", ""), ("later.py", "exit\n")):
        words = ("eval", "qrels.txt", "runs", "--quiet", "-m", "AP num_ret")
        done = started(*words, "--measures-from", name, folder=folder)
        assert (done.returncode, done.stderr) == (0, "told")
        assert done.stdout == f"loaded{TABLE}{after}"


@pytest.mark.skipif(sys.platform != "linux", reason="names are text elsewhere")
def test_odd_bytes_in_file_names_are_replaced(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "runs" / os.fsdecode(b"\xff.run")).write_text(BM25)
    monkeypatch.setenv("LC_ALL", "C")
    assert "\n\ufffd," in evaluated(folder, "-m", "AP", "--format", "csv")


@pytest.mark.skipif(sys.platform != "linux", reason="arguments are text elsewhere")
@pytest.mark.parametrize(
    "arguments",
    [
        ["eval", "qrels.txt", "\udcff"],
        ["eval", "qrels.txt", "runs", "-m", "\udcff"],
        ["eval", "qrels.txt", "runs", "--sort", "\udcff"],
        ["eval", "qrels.txt", "runs", "--order", "\udcff"],
        ["measures", "\udcff"],
        ["\udcff"],
    ],
)
def test_odd_bytes_in_arguments_are_one_message(folder: Path, arguments: list[str]) -> None:
    message = failed(folder, *arguments)
    assert "\ufffd" in message or "\\udcff" in message


@pytest.mark.skipif(sys.platform != "linux", reason="names are text elsewhere")
def test_folders_with_odd_bytes_tell_runs_apart(folder: Path) -> None:
    odd = folder / os.fsdecode(b"\xff")
    odd.mkdir()
    (odd / "bm25.run").write_text(BM25)
    done = call(folder, "eval", "qrels.txt", "runs/bm25.run", str(odd), "-m", "AP", "--quiet")
    assert "\n\ufffd/bm25  " in done.stdout
