"""Two runs of five topics, in memory and as files, and the command run on them."""

from pathlib import Path

import pytest
from cranfield._cli import main

from tests.commands import unsigned

QRELS = {str(t): {"a": 1, "b": 0, "c": int(t > 2)} for t in range(1, 6)}
RUNS = {
    "x": {t: {"a": 3.0, "b": 2.0, "c": 1.0} for t in QRELS},
    "y": {t: {"b": 3.0, "c": 2.0, "a": 1.0} for t in QRELS},
}


def write_files(folder: Path) -> None:
    """Judgments, runs, groups of topics (``g.tsv``) and two collections (``c.toml``)."""
    lines = [f"{t} 0 {d} {g}\n" for t, docs in QRELS.items() for d, g in docs.items()]
    (folder / "qrels.txt").write_text("".join(lines))
    (folder / "runs").mkdir()
    for name, run in RUNS.items():
        lines = [f"{t} Q0 {d} 1 {s} {name}\n" for t, docs in run.items() for d, s in docs.items()]
        (folder / "runs" / f"{name}.run").write_text("".join(lines))
    (folder / "g.tsv").write_text("1\tfew\n2\tfew\n3\tmany\n4\tmany\n5\tmany\n")
    (folder / "c.toml").write_text(
        '[one]\nqrels = "qrels.txt"\nruns = "runs/*.run"\n\n'
        '[two]\nqrels = "qrels.txt"\nruns = ["runs/y.run", "runs/x.run"]\n'
    )


def printed(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert main(list(words)) == 0, capsys.readouterr().err
    return unsigned(capsys.readouterr().out)
