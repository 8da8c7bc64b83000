"""Labels with what controls a terminal, in every format and command.

What a terminal gets is read from a pseudo-terminal; what a pipe gets is read back.
"""

from __future__ import annotations

import csv
import json
import os
import pty
import re
import subprocess
import sys
from html.parser import HTMLParser
from io import StringIO
from pathlib import Path
from typing import Any

import cranfield as cf
import pytest
from cranfield._base.text import csv_line
from hypothesis import given
from hypothesis import strategies as st

from tests.commands import called

CRANFIELD = [sys.executable, "-m", "cranfield"]
ODD = (
    *("a\x1b[31mred", "b\x07bell", "c\x9b2J", "d\u202eleft", "e\u2066isolated", "f\x7fdel"),
    *("=1+1", "<script>alert(1)</script>", "@SUM(A1)", "x" * 10_000, 'q"uo,te', "\x1b]0;title\x07"),
)
RAW = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\x80-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]"
)
"""What a terminal must not get; it turns line feeds into two characters by itself."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("odd")
    qrels, run, other = [], [], []
    for number, topic in enumerate(ODD):
        for rank, document in enumerate(ODD):
            qrels.append(f"{topic} 0 {document} {(rank + number) % 2}\n")
            run.append(f"{topic} Q0 {document} {rank} {-rank} \x1b[7mtag\n")
            other.append(f"{topic} Q0 {document} {rank} {rank} tag\n")
    (folder / "qrels").write_text("".join(qrels), encoding="utf-8")
    (folder / "run\x1b[1m").write_text("".join(run), encoding="utf-8")
    (folder / "other").write_text("".join(other), encoding="utf-8")
    nuggets = [
        {
            "qid": topic,
            "run_id": run,
            "nuggets": [{"text": topic, "importance": "vital", "assignment": "support"}],
        }
        for topic in ODD
        for run in ODD
    ]
    (folder / "nuggets.jsonl").write_text("\n".join(map(json.dumps, nuggets)), encoding="utf-8")
    fought = [
        {"model_a": a, "model_b": b, "winner": winner}
        for a in ODD
        for b in ODD
        for winner in ("model_a", "model_b", "tie")
        if a != b
    ]
    (folder / "battles.jsonl").write_text("\n".join(map(json.dumps, fought)), encoding="utf-8")
    groups = "".join(f"{topic}\tgroup {topic}\n" for topic in ODD)
    (folder / "groups.tsv").write_text(groups, encoding="utf-8")
    evaluated = ("eval", "qrels", "run\x1b[1m", "other", "--per-topic", "-m", "AP")
    (folder / "scores.json").write_bytes(piped(folder, *evaluated, "--format", "json"))
    (folder / "scores.csv").write_bytes(piped(folder, *evaluated, "--format", "csv"))
    return folder


def shown(folder: Path, *arguments: str) -> str:
    """What a terminal gets of a command, on both streams."""
    reader, writer = pty.openpty()
    with subprocess.Popen(
        [*CRANFIELD, *arguments], cwd=folder, stdin=subprocess.DEVNULL, stdout=writer, stderr=writer
    ) as started:
        os.close(writer)
        data = b""
        while True:
            try:
                more = os.read(reader, 1 << 16)
            except OSError:
                break
            if not more:
                break
            data += more
    os.close(reader)
    assert started.returncode in (0, 2), data[-500:]
    text = data.decode("utf-8", "replace")
    # The line of progress is drawn in color over itself, and the best values are bold.
    return re.sub("\x1b\\[(1|22|32|0)m|\x1b\\[K|\r", "", text)


FORMS = ("table", "json", "jsonl", "csv", "tsv", "markdown", "latex", "html", "prototext")
RATED = ("table", "json", "csv", "tsv", "markdown", "latex", "html")
COMMANDS = (
    *(("eval", "qrels", "run\x1b[1m", "other", "--per-topic", "--format", form) for form in FORMS),
    *(("compare", "qrels", "run\x1b[1m", "other", "--format", form) for form in ("table", "csv")),
    *(
        ("diff", "qrels", "run\x1b[1m", "other", "-m", "AP", "--format", f)
        for f in ("table", "csv")
    ),
    *(("describe", "qrels", "other", "--per-topic", "--format", f) for f in ("table", "csv")),
    *(("pool", "run\x1b[1m", "other", "--format", f) for f in ("trec", "json", "csv", "text")),
    *(("convert", name, "-") for name in ("qrels", "run\x1b[1m")),
    ("trec_eval", "-q", "qrels", "other"),
    *(
        ("answers", "nuggets.jsonl", "--kind", "nuggets", "--per-topic", "--format", f)
        for f in FORMS
    ),
    *(("battles", "battles.jsonl", "--format", form) for form in FORMS if form in RATED),
    ("battles", "battles.jsonl", "--pairs"),
    *(
        ("judges", "qrels", "qrels", "run\x1b[1m", "other", "--per-topic", "--format", f)
        for f in ("table", "html", "json")
    ),
    ("check", "scores.json", "--baseline", "scores.csv", "--topic-groups", "groups.tsv"),
    ("check", "scores.json", "--baseline", "scores.csv", "--json"),
    ("report", "qrels", "run\x1b[1m", "other", "-m", "AP", "-o", "page.html"),
    ("report", "qrels", "run\x1b[1m", "other", "-m", "AP"),
    ("study", "graded", "qrels", "run\x1b[1m", "other", "-o", "study"),
    ("eval", "qrels", "other", "--topic-groups", "groups.tsv"),
    ("batch", "qrels", "run\x1b[1m", "missing\x1b[2J", "-m", "AP", "-o", "batch"),
    ("answers", "battles.jsonl", "--kind", "nuggets"),
    ("battles", "nuggets.jsonl"),
    ("check", "qrels", "--baseline", "scores.csv"),
    ("eval", "qrels", "missing\x1b[2J"),
)


@pytest.mark.parametrize("command", COMMANDS, ids=lambda c: f"{c[0]}-{c[-1]}"[:30])
def test_nothing_controls_the_terminal(command: tuple[str, ...], folder: Path) -> None:
    found = RAW.search(shown(folder, *command))
    assert found is None, repr(found)


def piped(folder: Path, *arguments: str) -> bytes:
    done = subprocess.run([*CRANFIELD, *arguments], cwd=folder, capture_output=True, check=True)
    return done.stdout


@pytest.mark.parametrize(("form", "delimiter"), [("csv", ","), ("tsv", "\t")])
def test_separated_values_are_read_back(form: str, delimiter: str, folder: Path) -> None:
    text = piped(folder, "eval", "qrels", "other", "--per-topic", "--format", form).decode()
    rows = list(csv.DictReader(StringIO(text, newline=""), delimiter=delimiter))
    assert {row["topic"] for row in rows} - {"all"} == set(ODD)


def test_json_and_pools_are_read_back(folder: Path) -> None:
    content = json.loads(piped(folder, "pool", "other", "--format", "json"))
    assert set(content["topics"]) == set(ODD)
    assert all(set(documents) == set(ODD) for documents in content["topics"].values())
    again = cf.read_run(StringIO(piped(folder, "convert", "other", "-").decode()))
    assert again.to_dict() == cf.read_run(folder / "other").to_dict()


@given(st.lists(st.text(), min_size=1, max_size=4), st.sampled_from(",\t"))
def test_any_cells_are_read_back(cells: list[str], delimiter: str) -> None:
    text = csv_line(cells, delimiter)
    assert list(csv.reader(StringIO(text, newline=""), delimiter=delimiter)) == [cells]


class Strict(HTMLParser):
    """Counts elements that are not the page's own."""

    def __init__(self) -> None:
        super().__init__()
        self.scripts = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.scripts += tag == "script"


def test_html_has_no_element_from_labels(folder: Path) -> None:
    page = Strict()
    page.feed(piped(folder, "eval", "qrels", "other", "--per-topic", "--format", "html").decode())
    assert page.scripts == 0


COMMANDING = (
    *("::stop-commands::x", "  ::error::a", "::add-mask::b", "x##[error]c", "##vso[task.x]d"),
    *("\u00a0::warning::e", "##teamcity[f]", "##VSO[g]"),
)
"""Labels that are commands at the beginning of a line of a log, or anywhere in one."""
SERVICES = {"GITHUB_ACTIONS": "true", "TF_BUILD": "True", "TEAMCITY_VERSION": "2026.1"}


def commands_in(text: str) -> list[str]:
    """The lines of a log that a service takes for commands."""
    lines = re.split("[\r\n]", text)
    return [
        line for line in lines if line.strip().startswith("::") or re.search(r"##[A-Za-z]*\[", line)
    ]


@pytest.fixture(scope="module")
def commanding(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("commanding")
    labels = [label for label in COMMANDING if label.isascii() and " " not in label]
    topics = [label if label[0] != "#" else f"q{label}" for label in labels]
    judged = {topic: dict.fromkeys(labels, 1) for topic in topics}
    (folder / "qrels").write_text(
        "".join(f"{t} 0 {d} {g}\n" for t, docs in judged.items() for d, g in docs.items()),
        encoding="utf-8",
    )
    for name in RUNS:
        run = {t: {d: float(n) for n, d in enumerate(reversed(labels))} for t in topics}
        cf.Run(run, name=name).write(str(folder / name))
    groups = "".join(f"{topic}\t::group::{topic}\n" for topic in topics)
    (folder / "groups.tsv").write_text(groups, encoding="utf-8")
    evaluated = ("eval", "qrels", *RUNS, "--per-topic", "-m", "AP", "--format", "json")
    (folder / "scores.json").write_bytes(piped(folder, *evaluated))
    (folder / "::group::now.json").write_bytes(piped(folder, *evaluated))
    return folder


RUNS = ("::stop-commands::x", "::error file=a::b")
IN_LOGS = (
    *(("eval", "qrels", *RUNS, "-m", "AP", "--per-topic", "--format", form) for form in FORMS),
    ("eval", "qrels", *RUNS, "--topic-groups", "groups.tsv"),
    ("compare", "qrels", *RUNS),
    ("compare", "qrels", *RUNS, "--format", "tsv"),
    ("describe", "qrels", *RUNS, "--per-topic"),
    ("diff", "qrels", *RUNS, "-m", "AP"),
    ("judges", "qrels", "qrels", *RUNS, "--per-topic"),
    *(("pool", *RUNS, "--format", form) for form in ("trec", "csv", "text")),
    *(("convert", name, "-") for name in ("qrels", RUNS[0])),
    ("trec_eval", "-q", "qrels", RUNS[0]),
    ("trec_eval", "::error::missing", RUNS[0]),
    ("check", "::group::now.json", "--baseline", "scores.json", "--max-drop", "AP=0.1"),
    (
        *("check", "::group::now.json", "--baseline", "scores.json", "--max-drop", "AP=0.1"),
        *("--topic-groups", "groups.tsv"),
    ),
    ("check", "::group::now.json", "--baseline", "no::such", "--max-drop", "##[error]x=0.1"),
    ("eval", "qrels", "##[group]missing"),
    ("eval", "::error::missing", RUNS[0]),
    ("::error::no-command",),
)


@pytest.mark.parametrize("service", SERVICES)
def test_no_line_of_a_log_is_a_command(service: str, commanding: Path) -> None:
    trouble = []
    for command in IN_LOGS:
        done = called(*command, folder=commanding, **{service: SERVICES[service]})
        assert done.returncode in (0, 1, 2), done.stderr
        assert "Traceback" not in done.stderr
        for text in (done.stdout, done.stderr):
            trouble += [f"{command[0]}: {line}" for line in commands_in(text)]
    assert not trouble, "\n".join(trouble)


def test_files_and_pipes_elsewhere_keep_such_labels(commanding: Path) -> None:
    command = [*CRANFIELD, "convert", "qrels", "-"]
    plain = (commanding / "qrels").read_bytes()
    assert b"\n::add-mask::b" in plain
    elsewhere = {name: value for name, value in os.environ.items() if name not in SERVICES}
    options: dict[str, Any] = {"cwd": commanding, "check": True}
    found = subprocess.run(command, env=elsewhere, stdout=subprocess.PIPE, **options).stdout
    assert set(found.splitlines()) == set(plain.splitlines())
    with (commanding / "copy").open("wb") as file:
        env = {**elsewhere, "GITHUB_ACTIONS": "true"}
        subprocess.run(command, env=env, stdout=file, **options)
    assert (commanding / "copy").read_bytes() == found
