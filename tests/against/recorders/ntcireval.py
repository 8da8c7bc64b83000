"""Runs NTCIREVAL, Sakai's program in C, and records what it prints.

The program (version 190111) has no license, so nothing of it is here: its source is
in public repositories, in folders named NTCIREVAL with a file ``ntcir_eval.c``.

    python -m tests.against.recorders.ntcireval build FOLDER
    NTCIREVAL=FOLDER python -m tests.against.recorders.ntcireval

The first compiles the source in FOLDER, the second writes
tests/against/recorded/ntcireval.json.

It prints four decimals, ``1click`` three. ``build`` compiles it a second time with a printf
that turns ``%.4f`` and ``%.3f`` into ten decimals; the source is not touched. Recordings come
from that build.
"""

from __future__ import annotations

import gzip
import json
import os
import random
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from tests import ROOT, graded

RECORDED = ROOT / "tests" / "against" / "recorded" / "ntcireval.json"
EXAMPLE = ROOT / "examples" / "debtags"
DECIMALS = 10

DIGITS = f"""\
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
static int digits(const char *format, ...) {{
  char wide[4096];
  size_t n = 0;
  while (*format && n < sizeof wide - 8) {{
    if (strncmp(format, "%.4f", 4) == 0 || strncmp(format, "%.3f", 4) == 0) {{
      memcpy(wide + n, "%.{DECIMALS}f", {len(str(DECIMALS)) + 3});
      n += {len(str(DECIMALS)) + 3};
      format += 4;
    }} else {{
      wide[n++] = *format++;
    }}
  }}
  wide[n] = 0;
  va_list rest;
  va_start(rest, format);
  int printed = vprintf(wide, rest);
  va_end(rest);
  return printed;
}}
#define printf digits
"""


class Topic(NamedTuple):
    """What one topic is judged by, and a list of documents, best first."""

    judged: dict[str, int]
    ranking: list[str]


class Setting(NamedTuple):
    """Its options; the defaults are its own."""

    gains: tuple[int, ...]
    cutoffs: tuple[int, ...]
    beta: float = 1
    logb: float = 2
    rbp: float = 0.95


MODES = ("raw", "condensed", "truncated", "topic")
TRUNCATED = 5


def build(folder: Path) -> None:
    (folder / "digits.h").write_text(DIGITS)
    for name, flags in (("ntcir_eval", []), ("ntcir_eval_digits", ["-include", "digits.h"])):
        command = ["gcc", "-O", "-w", "-DOUTERR", *flags, "ntcir_eval.c", "-lm", "-o", name]
        subprocess.run(command, cwd=folder, check=True)


def program(folder: Path) -> Path:
    """The build with more digits, or else the one that its Makefile makes."""
    wide = folder.resolve() / "ntcir_eval_digits"
    return wide if wide.exists() else folder.resolve() / "ntcir_eval"


def decimals(program: Path) -> int:
    return DECIMALS if program.name == "ntcir_eval_digits" else 4


def printed(
    program: Path, topics: Sequence[Topic], setting: Setting, mode: str
) -> list[dict[str, float] | None]:
    """What it prints for each topic: value by name; None for topics that it refuses.

    ``raw`` is the whole list, ``condensed`` that without the unjudged documents,
    ``truncated`` that of the first ranks only; ``topic`` is the condensed one under
    ``gcompute``, whose highest gain is the topic's.
    """
    cut = f"-truncate {TRUNCATED}" if mode == "truncated" else ""
    condensed = "" if mode == "raw" else "-j"
    gains, cutoffs, beta, logb, rbp = setting
    options = f"{condensed} -cutoffs {','.join(map(str, cutoffs))} -gap"
    options += f" -beta {beta} -logb {logb} -rbp {rbp}"
    lines = []
    with tempfile.TemporaryDirectory() as folder:
        for i, topic in enumerate(topics):
            judged = sorted(topic.judged.items(), key=lambda item: -item[1])
            if mode == "topic":
                label, compute, judgments = "glabel", "gcompute", f"-I {i}.rel"
                words = {0: "0"} | {n: str(gain) for n, gain in enumerate(gains, 1)}
            else:
                label, compute, judgments = "label", "compute", f"-r {i}.rel"
                words = {n: f"L{n}" for n in range(len(gains) + 1)}
                compute += f" -rbup 0.99 -g {':'.join(map(str, gains))}"
            Path(folder, f"{i}.rel").write_text("".join(f"{d} {words[g]}\n" for d, g in judged))
            Path(folder, f"{i}.res").write_text("".join(f"{d}\n" for d in topic.ranking))
            lines.append(
                f'"$1" {label} {condensed} {cut} {judgments} {i}.res | '
                f'"$1" {compute} {options} {judgments} -out {i}'
            )
        done = subprocess.run(
            ["sh", "-s", str(program)],
            input="\n".join(lines),
            cwd=folder,
            capture_output=True,
            text=True,
            check=False,
        )
    found: list[dict[str, float] | None] = [None] * len(topics)
    for line in done.stdout.splitlines():
        number, name, *value = line.split()
        if name == "#":
            found[int(number)] = {}
        else:
            values = found[int(number)]
            assert values is not None
            assert len(value[0].partition(".")[2]) == decimals(program), line
            values[tidy(name)] = float(value[0])
    return found


def tidy(name: str) -> str:
    """``nDCG@0010=`` as ``nDCG@10``."""
    bare, at, cutoff = name.removesuffix("=").partition("@")
    return bare + (f"@{int(cutoff)}" if at else "")


def synthetic(seed: int, count: int) -> list[Topic]:
    """Random topics with a relevant and a not relevant document, unjudged ones in the list."""
    rng = random.Random(seed)
    topics: list[Topic] = []
    while len(topics) < count:
        documents = [f"d{i}" for i in range(rng.randint(2, 16))]
        grades = rng.choice(((0, 1), (0, 0, 1, 2, 3), (0, 1, 2), (0, 1, 1, 2, 2, 3, 3)))
        judged = {d: rng.choice(grades) for d in documents if rng.random() < 0.75}
        retrieved = [d for d in documents if rng.random() < rng.choice((0.5, 0.95))]
        rng.shuffle(retrieved)
        if max(judged.values(), default=0) > 0 and min(judged.values()) == 0:
            topics.append(Topic(judged, retrieved))
    return topics


def collections() -> dict[str, tuple[Setting, list[Topic]]]:
    """What is recorded."""
    # The last two are refused: nothing relevant, and nothing judged not relevant.
    odd = [Topic({"d0": 0, "d1": 0}, ["d1"]), Topic({"d0": 2, "d1": 1, "d2": 3}, ["d9", "d1"])]
    made = {
        "linear": (Setting((1, 2, 3), (3, 10)), [*synthetic(1, 30), *odd]),
        "steep": (Setting((1, 4, 10), (3, 10), beta=0.5, logb=2.5, rbp=0.8), synthetic(2, 12)),
    }
    for name in ("bm25-k1.2-b.75-stem", "dense-minilm"):
        made[name] = Setting((1,), (5, 20)), example_topics(name)
    return made


def example_topics(name: str) -> list[Topic]:
    """Every fifth topic of the example collection; a grade below 0 is not a judgment."""
    qrels: dict[str, dict[str, int]] = {}
    for line in (EXAMPLE / "qrels.txt").read_text().splitlines():
        topic, _, document, grade = line.split()
        judged = qrels.setdefault(topic, {})
        if int(grade) >= 0:
            judged[document] = int(grade)
    run: dict[str, dict[str, float]] = {}
    with gzip.open(EXAMPLE / "runs" / f"{name}.run.gz", "rt") as lines:
        for line in lines:
            topic, _, document, _, score, _ = line.split()
            run.setdefault(topic, {})[document] = float(score)
    return [Topic(qrels[t], graded.ranking(run.get(t, {}))) for t in sorted(qrels)[::5]]


def record(folder: Path) -> None:
    assert decimals(program(folder)) == DECIMALS, "build it with more digits first"
    out: dict[str, Any] = {}
    for name, (setting, topics) in collections().items():
        modes: dict[str, Any] = {}
        for mode in MODES if len(setting.gains) > 1 else ("raw", "condensed"):
            rows = printed(program(folder), topics, setting, mode)
            names = list(next(row for row in rows if row))
            if mode == "topic":  # only what depends on the highest gain
                heads = ("RBP", "ERR", "nERR", "EBR", "GAP", "rpref")
                names = [n for n in names if n.startswith(heads)]
            values = [row and [row[n] for n in names] for row in rows]
            modes[mode] = {"names": names, "values": values}
        out[name] = {"setting": setting._asdict(), "modes": modes}
        if len(setting.gains) > 1:
            out[name]["topics"] = [[t.judged, " ".join(t.ranking)] for t in topics]
    RECORDED.parent.mkdir(exist_ok=True)
    text = json.dumps(out, separators=(",", ":"))
    RECORDED.write_text(text.replace("],[", "],\n[").replace("],null", "],\nnull") + "\n")


if __name__ == "__main__":
    if sys.argv[1:2] == ["build"]:
        build(Path(sys.argv[2]))
    else:
        record(Path(os.environ["NTCIREVAL"]))
