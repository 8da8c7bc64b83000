"""Reports: ARGUE's counts and ratios, by hand and in fractions."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from random import Random

import cranfield as cf
import pytest
from cranfield import answers
from cranfield._analysis import reports


def counts(chance: Random) -> answers.ReportCounts:
    """Counts of a report, some of them 0."""
    sizes = [chance.choice((0, chance.randint(1, 20))) for _ in range(3)]
    citations, sentences, nuggets = sizes
    vital = chance.randint(0, nuggets)
    correct = chance.randint(0, nuggets)
    return answers.ReportCounts(
        citations=citations,
        relevant_citations=chance.randint(0, citations),
        supporting_citations=chance.randint(0, citations),
        sentences_with_citations_or_requiring_citations=sentences,
        correctly_cited_sentences=chance.randint(0, sentences),
        nuggets=nuggets,
        correct_nuggets=correct,
        nuggets_weighted=nuggets + vital,
        correct_nuggets_weighted=correct + min(correct, vital),
    )


def share(part: float, whole: float) -> Fraction:
    return Fraction(part) / Fraction(whole) if whole else Fraction(0)


def ratios(one: dict[str, float]) -> dict[str, Fraction]:
    """The ratios of counts, from their definitions."""
    found = {
        "citation_relevance": share(one["relevant_citations"], one["citations"]),
        "citation_support": share(one["supporting_citations"], one["citations"]),
        "sentence_support": share(
            one["correctly_cited_sentences"],
            one["sentences_with_citations_or_requiring_citations"],
        ),
        "nugget_coverage": share(one["correct_nuggets"], one["nuggets"]),
        "nugget_coverage_weighted": share(one["correct_nuggets_weighted"], one["nuggets_weighted"]),
    }
    support = found["sentence_support"]
    for name, other in (("f1", "nugget_coverage"), ("f1_weighted", "nugget_coverage_weighted")):
        both = support + found[other]
        found[name] = 2 * support * found[other] / both if both else Fraction(0)
    return found


def test_the_worked_example() -> None:
    one = answers.ReportCounts(
        citations=1,
        relevant_citations=1,
        supporting_citations=1,
        sentences_with_citations_or_requiring_citations=15,
        correctly_cited_sentences=14,
        nuggets=15,
        correct_nuggets=9,
        nuggets_weighted=15,
        correct_nuggets_weighted=9,
    )
    scores = answers.argue({"r": {"1": one}})
    assert scores["r", "sentence_support"].item() == pytest.approx(0.9333, abs=5e-5)
    assert scores["r", "nugget_coverage"].item() == pytest.approx(0.6, abs=1e-12)
    assert scores["r", "f1"].item() == pytest.approx(0.7304, abs=5e-5)


def test_macro_and_micro_in_fractions() -> None:
    chance = Random(4)
    for _ in range(100):
        topics = {str(n): counts(chance) for n in range(chance.randint(1, 5))}
        each = [{name: getattr(one, name) for name in reports.COUNTS} for one in topics.values()]
        summed = {name: sum(one[name] for one in each) for name in reports.COUNTS}
        by_topic = [ratios(one) for one in each]
        micro = ratios(summed)
        scores = answers.argue({"r": topics})
        totals = answers.argue_totals(scores)["r"]
        for name in (*reports.RATIOS, *reports.HARMONIC):
            values = [float(one[name]) for one in by_topic]
            assert scores["r", name].tolist() == pytest.approx(values, abs=1e-14)
            macro = float(sum((one[name] for one in by_topic), Fraction(0)) / len(by_topic))
            assert totals[f"{name}_macro"] == pytest.approx(macro, abs=1e-14)
            assert totals[f"{name}_micro"] == pytest.approx(float(micro[name]), abs=1e-14)
        for name, value in summed.items():
            assert totals[name] == value


HEADER = "run_id\trequest_id\tmetric\tvalue\n"


def test_files_of_auto_argue(tmp_path: Path) -> None:
    path = tmp_path / "scores.tsv"
    path.write_text(
        HEADER
        + "r\t300\tsentence_support\t0.5\nr\t300\tf1\t0.25\n"
        + "r\t300\tnuggets\t4\nr\t300\tcorrect_nuggets\t1\n"
        + "r\t301\tsentence_support\t1.0\nr\t301\tf1\t0.75\n"
        + "r\t301\tnuggets\t2\nr\t301\tcorrect_nuggets\t1\n"
        + "r\tall\tf1_macro\t0.9\nr\tall\tsentence_support_micro\t0.7\n"
    )
    scores = answers.argue(path)
    assert scores.measures == (
        "sentence_support",
        "nugget_coverage",
        "f1",
        "nuggets",
        "correct_nuggets",
    )
    # What the file has is kept; what it lacks follows from its counts.
    assert scores["r", "f1"].tolist() == [0.25, 0.75]
    assert scores["r", "nugget_coverage"].tolist() == [0.25, 0.5]
    totals = answers.argue_totals(path)["r"]
    assert totals["f1_macro"] == 0.5
    assert totals["nugget_coverage_macro"] == 0.375
    assert totals["nugget_coverage_micro"] == pytest.approx(2 / 6)
    assert totals["nuggets"] == 6
    assert "sentence_support_micro" not in totals
    written = tmp_path / "again.tsv"
    written.write_text(reports.written(scores))
    again = answers.argue(written)
    assert again.measures == scores.measures
    assert (again.values == scores.values).all()


@pytest.mark.parametrize(
    ("text", "kind", "message"),
    [
        ("run\ttopic\tmetric\tvalue\n", "fields", "expected the header run_id request_id metric"),
        (HEADER + "r\t1\tf1\n", "fields", "2: expected 4 fields .*, found 3"),
        (HEADER + "r\t1\tf1\tx\n", "number", "2: value: expected a finite number, found 'x'"),
        (HEADER + "r\t1\tf1\tinf\n", "number", "found 'inf'"),
        (HEADER + "r\t1\tf1\t1\nr\t1\tf1\t0\n", "conflict", "3: expected one f1 of run 'r'"),
        (HEADER + "\t1\tf1\t1\n", "fields", "run_id: expected text"),
        (HEADER, "empty", "expected answers, found none"),
    ],
)
def test_a_file_that_is_wrong(tmp_path: Path, text: str, kind: str, message: str) -> None:
    path = tmp_path / "scores.tsv"
    path.write_text(text)
    with pytest.raises(cf.Error, match=message) as caught:
        answers.argue(path)
    assert caught.value.kind == kind


def test_scores_that_are_not_of_reports() -> None:
    scores = cf.Scores.from_records([("r", "1", "AP", 0.5)])
    with pytest.raises(cf.Error, match="found none of its measures"):
        answers.argue_totals(scores)
    with pytest.raises(cf.Error, match="expected ReportCounts"):
        answers.argue({"r": {"1": 3}})
