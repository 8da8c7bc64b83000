"""What TREC Genomics and Chroma compute of passages, recorded; files in their layouts are read.

The programs are run by ``recorders/passages.py``.
"""

from __future__ import annotations

import json
from pathlib import Path

import cranfield as cf
import pytest

from tests.against import passage_cases


def test_the_script_of_genomics(tmp_path: Path) -> None:
    """PASSAGE2 is char-AP, DOCUMENT is AP of documents by first passages."""
    gold_path, run_path = tmp_path / "gold.tsv", tmp_path / "run.txt"
    recorded = passage_cases.recorded("genomics")
    gold_lines, run_lines, documents = [], [], {}
    for case in range(len(recorded)):
        evidence, chunks = passage_cases.genomics(case)
        for document, start, end, aspects in evidence:
            gold_lines.append(f"{case}\t{document}\t{start}\t{end - start}\t{'|'.join(aspects)}\n")
        # The order of lines does not matter: ranks do.
        for rank, (document, start, end) in reversed(list(enumerate(chunks, 1))):
            run_lines.append(f"{case} {document} {rank} {start} {end - start} tag\n")
        documents[str(case)] = list(dict.fromkeys(document for document, *_ in chunks))
    gold_path.write_text("".join(gold_lines))
    run_path.write_text("".join(run_lines))
    gold = cf.read_span_qrels(gold_path, layout="genomics")
    run = cf.SpanRun.read(str(run_path), layout="genomics")
    assert (gold.offsets, run.offsets) == ("bytes", "bytes")
    found = cf.evaluate(gold, run, 'char-AP(repeats="genomics")', missing="zero")
    by_document = cf.evaluate(gold.documents(), documents, "AP")
    for case, (document, passage2) in enumerate(recorded):
        place = found.topics.index(str(case))
        assert found.values[0, place, 0] == pytest.approx(passage2, abs=1e-12), case
        place = by_document.topics.index(str(case))
        assert by_document.values[0, place, 0] == pytest.approx(document, abs=1e-12), case


def test_the_code_of_chroma(tmp_path: Path) -> None:
    """Precision omega is that of the splitter; IoU, recall and precision are char- measures."""
    recorded = passage_cases.recorded("chroma")
    for case, expected in enumerate(recorded):
        evidence, chunks, first = passage_cases.chroma(case)
        references = [{"content": "", "start_index": s, "end_index": e} for _, s, e, _ in evidence]
        path = tmp_path / "questions.jsonl"
        row = {"question": "q", "references": references, "corpus_id": "A"}
        path.write_text(json.dumps(row))
        gold = cf.read_span_qrels(path, layout="chroma")
        split = cf.splitter(gold, {str(i): chunk for i, chunk in enumerate(chunks)})
        assert split.omega[0] == pytest.approx(expected[0], abs=1e-12), case
        names = f'char-IoU(repeats="count")@{first} char-R@{first} char-SetP@{first}'
        scores = cf.evaluate(gold, cf.SpanRun({"q": chunks}), names)
        assert scores.values[0, 0].tolist() == pytest.approx(expected[1:], abs=1e-12), case
