"""From two files to scores within Python, compared with the evaluators that read files too.

Each side reads the judgments and the run, plain text in the page cache, and scores
them: cranfield with one thread, pytrec_eval-terrier with its own parsers, ir_measures with
its readers, ranx with ``from_file``. ranx compiles when it is first used; that time is
printed apart and does not count. The values are compared before any time is. Times are
of the CPU within this process, the sides take turns, and medians count; that of one
call after one of the competitor, which leaves nothing of cranfield in the caches, is printed too.
"""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path

import cranfield as cf
import ir_measures
import numpy as np
import pytest
import pytrec_eval
from turns import medians, seconds

WANTED = {"pytrec_eval": 40, "ir_measures": 60, "ranx": 60}
"""How many times as long each shall take."""

SHORTFALL = 0.75
"""The part of it that each has to take at least: see BIAS.md for where the time goes."""

Work = Callable[[], dict[str, float]]


def synthetic(folder: Path) -> tuple[Path, Path]:
    """50 topics of 1,000 retrieved and 1,500 judged documents."""
    rng = np.random.default_rng(50)
    qrels, run = folder / "synthetic.qrels", folder / "synthetic.run"
    judgments, lines = [], []
    for topic in range(401, 451):
        order = rng.permutation(100_000)
        judgments += [f"{topic} 0 FBIS3-{d:06} {rng.random() < 0.06:d}\n" for d in order[:1500]]
        found = np.concatenate([order[:280], order[1500:2220]])
        scores = 30 - np.cumsum(0.001 + rng.random(1000) * 0.02)
        ranked = enumerate(zip(rng.permutation(found), scores, strict=True), 1)
        lines += [f"{topic} Q0 FBIS3-{d:06} {rank} {s:.6f} tag\n" for rank, (d, s) in ranked]
    qrels.write_text("".join(judgments))
    run.write_text("".join(lines))
    return qrels, run


def trec8(data: Path, folder: Path) -> tuple[Path, Path]:
    """The judgments of TREC-8 and one of its runs."""
    source = data / "trec8-adhoc"
    packed = {"trec8.qrels": source / "trec8.qrels.gz"}
    packed["ok8alx.run"] = next((source / "runs").glob("input.ok8alx*"))
    for name, path in packed.items():
        (folder / name).write_bytes(gzip.decompress(path.read_bytes()))
    return folder / "trec8.qrels", folder / "ok8alx.run"


def ours(qrels: Path, run: Path) -> Work:
    def work() -> dict[str, float]:
        scores = cf.evaluate(qrels, run, "nDCG@10 AP", threads=1, scores="f32")
        row = scores.summary()[0]
        return {"nDCG@10": float(row[0]), "AP": float(row[1])}

    return work


def with_pytrec_eval(qrels: Path, run: Path) -> Work:
    def work() -> dict[str, float]:
        with qrels.open() as judgments, run.open() as lines:
            judged = pytrec_eval.parse_qrel(judgments)
            evaluator = pytrec_eval.RelevanceEvaluator(judged, {"ndcg_cut.10", "map"})
            rows = evaluator.evaluate(pytrec_eval.parse_run(lines)).values()
        names = {"nDCG@10": "ndcg_cut_10", "AP": "map"}
        return {ours: sum(row[name] for row in rows) / len(rows) for ours, name in names.items()}

    return work


def with_ir_measures(qrels: Path, run: Path) -> Work:
    def work() -> dict[str, float]:
        measures = [ir_measures.nDCG @ 10, ir_measures.AP]
        judged = ir_measures.read_trec_qrels(str(qrels))
        found = ir_measures.calc_aggregate(measures, judged, ir_measures.read_trec_run(str(run)))
        return {str(measure): value for measure, value in found.items()}

    return work


def with_ranx(qrels: Path, run: Path) -> Work:
    import ranx

    def work() -> dict[str, float]:
        judged = ranx.Qrels.from_file(str(qrels), kind="trec")
        found = ranx.Run.from_file(str(run), kind="trec")
        values = ranx.evaluate(judged, found, ["ndcg@10", "map"], make_comparable=True)
        return {"nDCG@10": float(values["ndcg@10"]), "AP": float(values["map"])}

    return work


COMPETITORS = {
    "pytrec_eval": (with_pytrec_eval, 1e-9),
    "ir_measures": (with_ir_measures, 1e-9),
    # It does not break ties by document, so that tied lists differ.
    "ranx": (with_ranx, 2e-3),
}
"""How each scores, and how far its values may be from cranfield's."""


@pytest.mark.parametrize("competitor", COMPETITORS)
@pytest.mark.parametrize("shape", ["synthetic", "trec8"])
def test_files(competitor: str, shape: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    if shape == "synthetic":
        files = synthetic(tmp_path)
    else:
        files = trec8(request.getfixturevalue("data"), tmp_path)
    make, tolerance = COMPETITORS[competitor]
    mine, other = ours(*files), make(*files)
    expected: dict[str, float] = {}
    first = seconds(lambda: expected.update(other()))
    assert mine() == pytest.approx(expected, abs=tolerance)
    own, his = medians(mine, other, rounds=5)
    cold = medians(mine, other, rounds=5, long=0)[0]
    print(
        f"\n{shape}: ours {own * 1e3:.1f} ms, {competitor} {his * 1e3:.0f} ms of CPU "
        f"(first call {first * 1e3:.0f} ms): {his / own:.1f} times; one call behind the "
        f"competitor's {cold * 1e3:.1f} ms: {his / cold:.1f} times"
    )
    assert his / own >= SHORTFALL * WANTED[competitor]
