"""trec_eval's command: recorded answers of the real programs, and what only cranfield has.

What the real programs answered holds for the module and for the program without Python.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from cranfield import trec_eval

from tests.against.recorders import trec_eval as record_trec_eval
from tests.against.slow.test_trec_eval import EXCEPTIONS, TAGS, lines_of

ROOT = Path(__file__).parents[3]

Command = Callable[[Sequence[str | Path]], trec_eval.Answer]


@pytest.fixture(scope="session")
def program() -> Path:
    """The program, which ``make`` has built unless the sources changed since."""
    command = ["cargo", "build", "--release", "--locked", "--package", "cranfield-trec_eval"]
    command += ["--message-format", "json"]
    built = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, check=True)
    messages = map(json.loads, built.stdout.splitlines())
    (path,) = [Path(found["executable"]) for found in messages if found.get("executable")]
    return path


def answers_of(program: Path) -> Command:
    """Runs the program."""

    def run(arguments: Sequence[str | Path]) -> trec_eval.Answer:
        ended = subprocess.run([program, *arguments], capture_output=True, check=False)
        return trec_eval.Answer(ended.returncode, ended.stdout, ended.stderr)

    return run


@pytest.fixture(params=["module", "program"])
def answer_of(request: pytest.FixtureRequest) -> Command:
    """How trec_eval is run."""
    if request.param == "module":
        return trec_eval.run
    return answers_of(request.getfixturevalue("program"))


@pytest.mark.parametrize(("folder", "version"), [("", "10"), ("v9.0.8", "9")])
def test_upstream_answers(
    data: Path, folder: str, version: str, answer_of: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = data / "trec_eval" / folder
    monkeypatch.chdir(place)
    for expected, arguments in lines_of(place / "cases.tsv"):
        answer = answer_of(["--compat", version, *arguments.split()])
        assert answer.code == 0, arguments
        assert answer.out == (place / expected).read_bytes(), arguments


def test_edge_answers(data: Path, answer_of: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    place = data / "trec_eval" / "edge"
    listed = [row for row in lines_of(place / "cases.tsv") if row[0] != "folder"]
    assert len(listed) == 520
    wrong = []
    for folder, tag, code, arguments in listed:
        monkeypatch.chdir(place / folder)
        answer = answer_of(["--compat", TAGS[tag], *arguments.split()])
        expected = (int(code), (place / folder / f"{tag}.out").read_bytes())
        if ((answer.code, answer.out) == expected) is ((folder, tag) in EXCEPTIONS):
            wrong.append((folder, tag, arguments, answer.code, code))
        said = (place / folder / f"{tag}.err").read_bytes()
        if (folder, tag) not in EXCEPTIONS and b"sage: " not in said:
            assert answer.err == said, (folder, tag)
    assert not wrong


@pytest.mark.parametrize("version", ["9", "9.0.8", "10"])
def test_every_line_of_129_runs(data: Path, version: str) -> None:
    _every_line(data, version, trec_eval.run)


def test_every_line_that_the_program_prints_of_129_runs(data: Path, program: Path) -> None:
    _every_line(data, "10", answers_of(program))


def _every_line(data: Path, version: str, answer_of: Command) -> None:
    recorded = json.loads(record_trec_eval.RECORDED.read_text())[version]
    folder = data / "trec8-adhoc"
    runs = sorted((folder / "runs").iterdir())
    assert len(runs) == len(recorded) == 129
    unlike = []
    for run in runs:
        arguments = ["--compat", version, *record_trec_eval.ARGUMENTS]
        answer = answer_of([*arguments, folder / "trec8.qrels.gz", run])
        digest = record_trec_eval.digest(version, answer.code, answer.out)
        if digest != recorded[run.name.removesuffix(".gz")]:
            unlike.append(run.name)
    assert not unlike


QRELS = "1 0 a 1\n1 0 b 0\n1 0 c 2\n2 0 a 1\n"
RUN = "1 Q0 b 1 3.0 tag\n1 Q0 x 2 2.0 tag\n1 Q0 a 3 1.0 tag\n2 Q0 a 1 1 tag\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "q").write_text(QRELS)
    (tmp_path / "r").write_text(RUN)
    return tmp_path


def test_several_runs_are_printed_in_order_under_their_names(folder: Path) -> None:
    (folder / "s").write_text(RUN.replace("tag", "other"))
    one = trec_eval.run(["q", "r"])
    other = trec_eval.run(["q", "s"])
    both = trec_eval.run(["q", "r", "s"])
    assert one.code == other.code == both.code == 0
    assert both.out == b"==> r <==\n" + one.out + b"==> s <==\n" + other.out
    for threads in ("1", "2"):
        assert trec_eval.run(["--threads", threads, "q", "r", "s"]) == both


def test_a_run_that_fails_does_not_stop_the_others(folder: Path) -> None:
    (folder / "bad").write_text("1 Q0 a\n")
    answer = trec_eval.run(["-m", "map", "q", "bad", "r"])
    good = trec_eval.run(["-m", "map", "q", "r"])
    assert answer.code == 2
    assert answer.out == b"==> bad <==\n==> r <==\n" + good.out
    assert answer.err.startswith(b"bad: trec_eval.get_results: Malformed line 1\n")


def test_the_commands_print_what_run_returns(folder: Path) -> None:
    expected = trec_eval.run(["-q", "-m", "map", "q", "r"])
    for command in (["cranfield", "trec_eval"], ["cranfield.trec_eval"]):
        words = [sys.executable, "-m", *command, "-q", "-m", "map", "q", "r"]
        ended = subprocess.run(words, capture_output=True, check=False)
        assert (ended.returncode, ended.stdout, ended.stderr) == expected


def test_a_closed_pipe_ends_the_program(folder: Path, program: Path) -> None:
    (folder / "q").write_text("".join(f"{i} 0 a 1\n" for i in range(20_000)))
    (folder / "r").write_text("".join(f"{i} Q0 a 1 1 t\n" for i in range(20_000)))
    with subprocess.Popen(
        [program, "-q", "q", "r"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as running:
        assert running.stdout is not None
        running.stdout.read(1)
        running.stdout.close()
        assert running.wait() == -signal.SIGPIPE
        assert running.stderr is not None
        assert running.stderr.read() == b""


def test_pipes_and_compressed_files_are_read(folder: Path) -> None:
    import gzip

    expected = trec_eval.run(["q", "r"])
    (folder / "r.gz").write_bytes(gzip.compress(RUN.encode()))
    assert trec_eval.run(["q", "r.gz"]) == expected
    os.mkfifo(folder / "pipe")
    with subprocess.Popen(["cp", "r", "pipe"]):
        assert trec_eval.run(["q", "pipe"]) == expected


def test_unjudged_documents_are_removed_as_in_pyserini(folder: Path) -> None:
    answer = trec_eval.run(["-m", "map", "-m", "num_ret", "-remove-unjudged", "q", "r"])
    (folder / "cleaned").write_text(RUN.replace("1 Q0 x 2 2.0 tag\n", ""))
    assert answer == trec_eval.run(["-m", "map", "-m", "num_ret", "q", "cleaned"])
    assert answer != trec_eval.run(["-m", "map", "-m", "num_ret", "q", "r"])


def test_judged_counts_lines_as_pyserini_does(folder: Path) -> None:
    # Topic 9 has no judgments: its lines count and are not judged.
    (folder / "r").write_text(RUN + "9 Q0 a 1 1 tag\n")
    shown = "judged_{:<15}\tall\t{}\n"
    expected = shown.format(1, "0.6667") + shown.format(2, "0.5000")
    for asked in (["-m", "judged.1,2"], ["-m", "judged.1", "-m", "judged.2"]):
        answer = trec_eval.run(["-m", "map", *asked, "q", "r"])
        assert answer.out == trec_eval.run(["-m", "map", "q", "r"]).out + expected.encode()
    # Alone it leaves trec_eval without a measure.
    answer = trec_eval.run(["-m", "judged.1,2", "q", "r"])
    assert answer.out == trec_eval.run(["q", "r"]).out + expected.encode()
    # Of a run without unjudged documents all are judged.
    answer = trec_eval.run(["-m", "map", "-m", "judged.1,2", "-remove-unjudged", "q", "r"])
    assert answer.out.decode().endswith(shown.format(1, "1.0000") + shown.format(2, "1.0000"))


def test_runs_of_ms_marco_are_read_as_pyserini_converts_them(folder: Path) -> None:
    (folder / "m").write_text("1\tb\t1\n1\tx\t2\n1\ta\t3\n2\ta\t1\n")
    answer = trec_eval.run(["-m", "official", "q", "m"])
    expected = trec_eval.run(["-m", "official", "q", "r"])
    assert answer.out == expected.out.replace(b"\ttag\n", b"\tTEMPRUN\n")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--compat", "8", "q", "r"], b"--compat: expected 9, 9.0.8 or 10, found '8'"),
        (["--threads", "0", "q", "r"], b"--threads: expected a number of at least 1, found '0'"),
        (["-m", "judged.0", "q", "r"], b"expected judged.K[,K...], found 'judged.0'"),
        (["q"], b"usage: "),
        (["--compat"], b"option '--compat' requires an argument"),
    ],
)
def test_wrong_use_says_what_was_expected(folder: Path, arguments: list[str], said: bytes) -> None:
    answer = trec_eval.run(arguments)
    assert (answer.code, answer.out) == (1, b"")
    assert said in answer.err


def test_help_names_every_option_and_measure(folder: Path) -> None:
    answer = trec_eval.run(["-h", "--compat", "10"])
    assert answer.code == 0
    text = answer.out.decode()
    for word in ("--explain", "--compat", "-Z", "iprec_at_recall", "rbp_resid", "all_prefs"):
        assert word in text
    assert b"rbp_resid" not in trec_eval.run(["-h"]).out


def test_many_topics(folder: Path) -> None:
    topics = 50_000
    (folder / "q").write_text("".join(f"{i} 0 a 1\n" for i in range(topics)))
    (folder / "r").write_text("".join(f"{i} Q0 a 1 1 t\n" for i in range(topics)))
    answer = trec_eval.run(["-m", "map", "q", "r"])
    assert answer.code == 0
    assert answer.out == b"map                   \tall\t1.0000\n"


def columns(out: bytes) -> dict[str, list[str]]:
    lines = out.decode().split("\n\n")[1].splitlines()[1:]
    return {line.split()[0]: line.split()[1:] for line in lines}


def test_explain_walks_from_trec_eval_to_cranfield(folder: Path) -> None:
    # Topic 2 is missing, two scores tie in single precision, one grade is .5.
    (folder / "q").write_text("1 0 a 1\n1 0 b 0\n1 0 c .5\n2 0 a 1\n")
    (folder / "r").write_text("1 Q0 a 1 1.00000001 t\n1 Q0 b 2 1 t\n1 Q0 c 3 0 t\n")
    answer = trec_eval.run(["--explain", "-m", "recip_rank", "-m", "ndcg", "q", "r"])
    assert answer.code == 0
    shown = columns(answer.out)
    # b is above a in single precision; alone topic 1 has 1/2, then 1, then half of 1.
    assert shown["recip_rank"] == ["0.5000", "+0.5000", "-0.5000", ".", ".", "0.5000", "RR"]
    start, doubles, _, definition, grades, end, ours = shown["ndcg"]
    assert (start, doubles, definition, ours) == ("0.6309", "+0.3691", ".", "nDCG")
    import cranfield as cf

    ndcg = cf.evaluate("q", "r", ["nDCG"]).values.mean()
    assert end == f"{ndcg:.4f}"
    assert float(grades) == pytest.approx(ndcg - 0.5, abs=1e-4)
    assert b"judged documents change places in 1 topic (1)" in answer.out
    assert b"the run lacks 1 topic (2)" in answer.out
    assert b"0.5 as 0 (1 judgments)" in answer.out


def test_explain_ends_at_what_eval_prints(data: Path) -> None:
    import cranfield as cf

    folder = data / "trec8-adhoc"
    for run in ("input.uwmt8a0.gz", "input.CL99SD.gz"):
        qrels, path = folder / "trec8.qrels.gz", folder / "runs" / run
        measures = ["official", "ndcg", "11pt_avg", "Rprec_mult", "set_F.2"]
        asked = [word for measure in measures for word in ("-m", measure)]
        answer = trec_eval.run(["--explain", *asked, qrels, path])
        printed = trec_eval.run([*asked, qrels, path]).out.decode().splitlines()
        start = {line.split()[0]: line.split()[2] for line in printed}
        compared = 0
        for name, (first, *_, end, ours) in columns(answer.out).items():
            if ours != "-":
                assert float(first) == pytest.approx(float(start[name]), abs=1e-4)
                summary = cf.evaluate(qrels, path, [ours]).summary()
                assert end == f"{summary[0, 0]:.4f}", name
                compared += 1
        assert compared == 29 + 1 + 1 + 10 + 1 - 1


def test_explain_says_what_is_refused(folder: Path) -> None:
    (folder / "r").write_text(RUN.replace("2.0", "2.0x"))
    answer = trec_eval.run(["--explain", "-m", "map", "q", "r"])
    assert answer.code == 0
    assert b"cranfield eval does not score this: r:2:" in answer.out
    assert columns(answer.out)["map"][-2] == "-"
    refused = trec_eval.run(["--explain", "-R", "prefs", "q", "r"])
    assert refused.code != 0
