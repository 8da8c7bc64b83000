"""Runs what MATTERS, the MATLAB package of Padua, computes of a list, and records it.

Its functions take MATLAB's tables, which Octave lacks, and hold the arithmetic in their
innermost part. That part is cut out of the source and run unchanged; only
what reads a table is replaced. Tables of lists and of ideal lists come from here: its
``assess.m`` fills them up with documents that are not relevant, or cuts them, to a fixed
number of ranks. The source is in public repositories, in folders named ``matters``.

    MATTERS=FOLDER python -m tests.against.recorders.matters

writes tests/against/recorded/matters.json.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from tests import ROOT

RECORDED = ROOT / "tests" / "against" / "recorded" / "matters.json"

CURVE = """
function [measure, rho, sigma, tau] = twisted(run, ideal, weights, recallBase)
  ct = 1; cr = 1; normalize = false;
  rho = cell(1); sigma = cell(1); tau = cell(1);
  runSetStats = {{struct('relevantRetrieved', sum(run > 0))}};
  idealOfTopic = ideal; mapToRelevanceWeights = weights;
{block}
  rho = rho{{1}}; sigma = sigma{{1}}; tau = tau{{1}};
end
"""

WALK = """
function measure = walked(run, recallBase, model)
  ct = 1; cr = 1; parsedMarkovModel = strsplit(model, '_'); maxR = [];
  runSetStats = {{struct('relevantRetrieved', sum(run), 'retrieved', length(run))}};
{block}
end
"""

SHARED = "relInd, runSetStats, ct, cr, relSoFar, notRelSoFar"
"""What its inner functions see of the function around them."""

MODELS = [
    f"{steps}_{states}_{loops}_NA_{distance}_{recall}"
    for steps in ("G", "L")
    for states in ("AD", "OR")
    for loops in ("NL", "SL")
    for distance in ("ID", "LID", "NA")
    for recall in ("R", "NA")
]
"""Its chains: what steps reach, the states, loops, no counts, distances, rescaling."""

CHECKS = ("G_AD2OR_NL_NA_ID_R", "L_AD2OR_NL_NA_LID_R")
"""Chains over all documents, of which only the visits to relevant ones are seen."""


class Case(NamedTuple):
    """Grades of the judged documents, those of a list (0 if unjudged), and the number of ranks."""

    judged: list[int]
    run: list[int]
    ranks: int


def octave() -> str | None:
    """The program that runs MATLAB's language, if it is there."""
    return shutil.which("octave-cli") or shutil.which("octave")


def part(folder: Path, name: str, first: str, last: str) -> str:
    """The lines of a function from the one with ``first`` to the one before ``last``."""
    text = (folder / "measure" / name).read_text(encoding="latin-1")
    start = text.rindex("\n", 0, text.index(first)) + 1
    return text[start : text.rindex("\n", start, text.index(last, start)) + 1]


def curves(folder: Path, cases: Sequence[Case]) -> list[list[float]]:
    """CRP after each rank, and rho, sigma and tau, of each case."""
    block = part(folder, "twist.m", "rp_run = zeros(size(run));", "% normalize by the full scale")
    block = block.replace("poolStats{ct, 'RecallBase'}", "recallBase")
    block = block.replace("idealRun{ct, 1}{1, 1}{:, :}.'", "idealOfTopic")
    assert "{:" not in block
    calls = []
    for case in cases:
        levels = sorted({0, *case.judged})
        weights = {level: 5 * i for i, level in enumerate(levels)}
        run = padded([weights[grade] for grade in case.run], case.ranks)
        ideal = padded(sorted((weights[grade] for grade in case.judged), reverse=True), case.ranks)
        relevant = sum(grade > 0 for grade in case.judged)
        calls.append(
            f"[m, r, s, t] = twisted({run}, {ideal}, {sorted(weights.values())}, {relevant});\n"
            "printf('%.17g ', m, r, s, t); printf('\\n');"
        )
    return lines(CURVE.format(block=block) + "\n".join(calls))


def precisions(folder: Path, cases: Sequence[Case]) -> list[list[float]]:
    """Markov precision under each of its models, and under two that check others, of each case."""
    name = "markovPrecision.m"
    block = part(folder, name, "relPos = logical(runTopic", "% properly wrap the results into")
    block = block.replace("runTopic{:, 'Assessment'}", "run")
    block = block.replace("runTopic{relPos.', 'Assessment'}", "run(relPos).'")
    block = block.replace("poolStats{ct, 'BinaryRelevant'}", "recallBase")
    block = block.replace("parsedMarkovModel{5});", f"parsedMarkovModel{{5}}, {SHARED});")
    block = block.replace("SubMatrix(P)", f"SubMatrix(P, {SHARED})")
    inner = part(folder, name, "function P = createTransition", "end % createTransitionMatrix")
    inner = inner.replace("counts, distance)", f"counts, distance, {SHARED})", 1) + "end\n"
    sub = part(folder, name, "function S = extractRelevant", "end % extractSubMatrix")
    sub = sub.replace("SubMatrix(P)", f"SubMatrix(P, {SHARED})") + "end\n"
    chain = part(folder, name, "function p = computeInvariant", "end % computeInvariant") + "end\n"
    calls = []
    for case in cases:
        run = [int(grade > 0) for grade in case.run]
        relevant = sum(grade > 0 for grade in case.judged)
        numbers = ", ".join(f"walked({run}, {relevant}, '{model}')" for model in [*MODELS, *CHECKS])
        calls.append(f"printf('%.17g ', {numbers}); printf('\\n');")
    return lines("\n".join([WALK.format(block=block), inner, sub, chain, *calls]))


def padded(weights: list[int], ranks: int) -> str:
    """As ``assess.m`` makes it, in MATLAB's language."""
    kept = weights[:ranks]
    return f"[{' '.join(map(str, kept))} zeros(1, {ranks - len(kept)})]"


def lines(script: str) -> list[list[float]]:
    """The numbers of each line that a script prints."""
    program = octave()
    assert program is not None, "there is no octave on the path"
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "script.m")
        path.write_text("1;\n" + script + "\n")
        done = subprocess.run(
            [program, "--no-gui", "--quiet", "--norc", str(path)],
            capture_output=True,
            text=True,
            check=True,
        )
    return [[float(value) for value in line.split()] for line in done.stdout.splitlines()]


def synthetic(seed: int, count: int) -> list[Case]:
    """Random cases with a relevant document and more ranks than relevant documents."""
    rng = random.Random(seed)
    cases: list[Case] = []
    while len(cases) < count:
        palette = rng.choice(((0, 1), (0, 0, 1, 2, 3), (0, 1, 2), (1, 2), (0, 0, 0, 0, 1)))
        judged = [rng.choice(palette) for _ in range(rng.randint(1, 14))]
        run = [grade for grade in judged if rng.random() < rng.choice((0.4, 0.9, 1))]
        run += [0] * rng.randint(0, 12)
        rng.shuffle(run)
        ranks = rng.choice((6, 15, 30, 60))
        if 0 < sum(grade > 0 for grade in judged) < ranks:
            cases.append(Case(judged, run, ranks))
    return cases


def record(folder: Path) -> None:
    cases = synthetic(1, 120)
    walks = [case for case in cases if any(case.run)]
    out = {
        "curves": list(zip(cases, curves(folder, cases), strict=True)),
        "walks": list(zip(walks, precisions(folder, walks), strict=True)),
    }
    text = json.dumps(out, separators=(",", ":"))
    RECORDED.write_text(text.replace("]],[[", "]],\n[[") + "\n")


if __name__ == "__main__":
    record(Path(os.environ["MATTERS"]))
