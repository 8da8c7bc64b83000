"""Runs the programs of TREC Genomics and of Chroma's evaluation of chunking, and records values.

    python -m tests.against.recorders.passages trecgen2007_score.py base_evaluation.py

writes tests/against/recorded/passages.json. The first is the script of TREC 2007 Genomics
(Python 2, translated by lib2to3), the second chunking_evaluation/evaluation_framework of
chunking_evaluation at d451fc4. Neither is part of this project: the first has no license. What the
second imports for its index (chromadb, its own utils) is left out; what computes is run.
"""

from __future__ import annotations

import ast
import json
import sys
from pathlib import Path
from typing import Any

from tests.against import passage_cases

CASES = 400


def genomics_script(path: Path) -> dict[str, Any]:
    """The functions of the script."""
    from lib2to3 import refactor

    text = path.read_text(encoding="utf-8").replace("\r\n", "\n")
    text = text[: text.index("# beginning of main program")]
    fixers = refactor.get_fixers_from_package("lib2to3.fixes")
    tree = refactor.RefactoringTool(fixers).refactor_string(f"{text}\n", path.name)
    found: dict[str, Any] = {}
    exec(compile(str(tree), path.name, "exec"), found)
    return found


def of_genomics(script: dict[str, Any], case: int) -> list[float]:
    """DOCUMENT and PASSAGE2 of a case."""
    evidence, chunks = passage_cases.genomics(case)
    gold: dict[str, list[Any]] = {}
    for document, start, end, aspects in evidence:
        gold.setdefault(document, []).append((start, end - start, aspects))
    run = [(rank, d, start, end - start) for rank, (d, start, end) in enumerate(chunks, 1)]
    script["goldStdDx"] = {1: gold}
    functions = (script[f"calculate{name}AveragePrecision"] for name in ("Doc", "Passage2"))
    return [function({1: list(run)}, {1: gold})[1] for function in functions]


def chroma_class(path: Path) -> Any:
    """The class that evaluates, without what it imports for its index."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    left = ("chromadb", "chunking_evaluation")
    tree.body = [
        node
        for node in tree.body
        if not isinstance(node, (ast.Import, ast.ImportFrom))
        or not any(name in ast.unparse(node) for name in left)
    ]
    found: dict[str, Any] = {"__name__": "base_evaluation"}
    exec(compile(tree, path.name, "exec"), found)
    return found["BaseEvaluation"]


def of_chroma(evaluation: Any, case: int) -> list[float]:
    """Precision omega of all chunks; IoU, recall and precision of the first."""
    import pandas as pd

    evidence, chunks, first = passage_cases.chroma(case)
    references = [
        {"content": "", "start_index": start, "end_index": end} for _, start, end, _ in evidence
    ]
    row = {"question": "q", "references": references, "corpus_id": "A"}
    made = evaluation.__new__(evaluation)
    made.questions_df = pd.DataFrame([row])
    found = [{"corpus_id": d, "start_index": start, "end_index": end} for d, start, end in chunks]
    (omega,), _ = made._full_precision_score(found)
    iou, recall, precision = made._scores_from_dataset_and_retrievals([found], [first])
    return [omega, iou[0], recall[0], precision[0]]


def main() -> None:
    """Writes the record."""
    script, evaluation = genomics_script(Path(sys.argv[1])), chroma_class(Path(sys.argv[2]))
    record = {
        "genomics": [of_genomics(script, case) for case in range(CASES)],
        "chroma": [of_chroma(evaluation, case) for case in range(CASES)],
    }
    rows = {name: [json.dumps(row) for row in rows] for name, rows in record.items()}
    parts = [f'"{name}": [\n' + ",\n".join(lines) + "\n]" for name, lines in rows.items()]
    passage_cases.RECORDED.write_text("{\n" + ",\n".join(parts) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
