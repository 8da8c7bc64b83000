"""Reports: the numbers in a page are those of the API, parsed back from it.

The oracle is the API itself, which has tests of its own; here is nothing but what stands where.
"""

from __future__ import annotations

import base64
import json
import math
import re
import zlib
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import cranfield as cf
import numpy as np
import pytest
from cranfield import _report as reporting
from cranfield import meta, stats

from tests import ROOT

EXAMPLE = ROOT / "examples" / "debtags"
QRELS = str(EXAMPLE / "qrels.txt")
RUNS = str(EXAMPLE / "runs")
BASELINE = "bm25-k1.2-b.75-stem"


def path(run: str) -> str:
    return str(EXAMPLE / "runs" / f"{run}.run.gz")


class Page(HTMLParser):
    """The tables of a page by name, as rows of (text, every digit); and the embedded data."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tables: dict[str, list[list[tuple[str, str | None]]]] = {}
        self.text: list[str] = []
        self._rows: list[list[tuple[str, str | None]]] | None = None
        self._cell: tuple[list[str], dict[str, str | None]] | None = None
        self._raw = ""
        self.data: dict[str, Any] = {}
        self.values = np.empty(0)
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        if tag == "table":
            self._rows = self.tables.setdefault(str(found.get("data-name")), [])
        elif tag == "tr" and self._rows is not None:
            self._rows.append([])
        elif tag in ("td", "th"):
            self._cell = [], found
        elif tag == "script":
            self._raw = found.get("id") or "script"
        elif tag == "style":
            self._raw = "style"

    def handle_endtag(self, tag: str) -> None:
        if tag in ("td", "th") and self._cell is not None and self._rows is not None:
            texts, found = self._cell
            value = found.get("data-v", found.get("data-low"))
            self._rows[-1].append((" ".join("".join(texts).split()), value))
            self._cell = None
        elif tag == "table":
            self._rows = None
        elif tag in ("script", "style"):
            self._raw = ""

    def handle_data(self, data: str) -> None:
        if self._raw == "data":
            texts, values = (zlib.decompress(base64.b64decode(part)) for part in data.split(" "))
            self.data = json.loads(texts)
            self.values = np.frombuffer(values, dtype="<f8")
        elif self._cell is not None:
            self._cell[0].append(data)
        if not self._raw:
            self.text.append(data)

    def rows(self, name: str) -> dict[str, dict[str, tuple[str, str | None]]]:
        """The rows of a table by the text of their first heading, as cells by their header."""
        head, *body = self.tables[name]
        names = [text for text, _ in head]
        first = 1 if names[0] == "#" else 0
        return {
            row[first][0].removesuffix(" (baseline)"): dict(zip(names, row, strict=True))
            for row in body
        }


def number(cell: tuple[str, str | None]) -> float:
    assert cell[1] is not None
    return float(cell[1]) if cell[1] else math.nan


@pytest.fixture(scope="module")
def scores() -> cf.Scores:
    return cf.evaluate(QRELS, RUNS)


@pytest.fixture(scope="module")
def page() -> Page:
    return Page(cf.report(QRELS, RUNS, baseline=BASELINE).html)


def test_the_leaderboard_is_the_summary_best_first(page: Page, scores: cf.Scores) -> None:
    rows = page.rows("leaderboard")
    assert set(rows) == set(scores.runs)
    for run, summary in zip(scores.runs, scores.summary().tolist(), strict=True):
        for measure, value in zip(scores.measures, summary, strict=True):
            assert number(rows[run][measure]) == value
            assert rows[run][measure][0] == f"{value:.4f}"
    (first, *others) = page.tables["leaderboard"][1:]
    assert first[1][0] == f"{BASELINE} (baseline)"
    places = [int(row[0][0]) for row in others]
    assert sorted([*places, int(first[0][0])]) == list(range(1, len(scores.runs) + 1))
    assert places == sorted(places)
    means = [number(row[2]) for row in others]
    assert means == sorted(means, reverse=True)


def test_tiers_and_ranks_are_those_of_the_api(page: Page, scores: cf.Scores) -> None:
    tiers = scores.tiers("nDCG@10")
    rows = page.rows("leaderboard")
    for run, letters, low, high in zip(
        tiers.runs, tiers.letters, tiers.rank_low, tiers.rank_high, strict=True
    ):
        assert rows[run]["Tier"][0] == letters
        assert rows[run]["Ranks"][0] == (f"{low}\N{EN DASH}{high}" if low < high else f"{low}")


def test_differences_are_those_of_compare(page: Page, scores: cf.Scores) -> None:
    rows = page.rows("differences")
    found = scores.compare("nDCG@10", baseline=BASELINE)
    assert len(rows) == len(found.rows) == len(scores.runs) - 1
    for row in found.rows:
        cells = rows[row.run]
        assert number(cells["Difference"]) == row.difference
        assert number(cells["95% interval"]) == row.interval_low
        assert number(cells["MDE"]) == row.mde
        assert number(cells["p"]) == row.p_corrected
        assert row.effect_size is not None
        assert number(cells["Effect size"]) == row.effect_size
        assert cells["Topics W/T/L"][0] == f"{row.wins} / {row.ties} / {row.losses}"
    assert found.methods in " ".join("".join(page.text).split())


def test_without_a_baseline_p_values_are_corrected_for_all_pairs(scores: cf.Scores) -> None:
    page = Page(cf.report(scores).html)
    best = scores.tiers("nDCG@10").runs[0]
    corrected = stats.t_test(scores, measure="nDCG@10").corrected("holm")
    pvalues = {
        frozenset((scores.runs[a], scores.runs[b])): p
        for (a, b), p in zip(corrected.pairs.tolist(), corrected.pvalue.tolist(), strict=True)
    }
    rows = page.rows("differences")
    assert best not in rows
    for run, cells in rows.items():
        assert number(cells["p"]) == pvalues[frozenset((run, best))]
    head, *body = page.tables["p-values"]
    names = [row[0][0].partition(" ")[2] for row in body]
    assert len(head) == len(body) + 1
    for name, row in zip(names, body, strict=True):
        for other, cell in zip(names, row[1:], strict=True):
            assert (cell[1] is None) == (name == other)
            assert name == other or number(cell) == pvalues[frozenset((name, other))]
    assert "for 120 comparisons" in "".join(page.text)


def test_topics_are_those_of_the_api(page: Page, scores: cf.Scores) -> None:
    rows = page.rows("topics")
    assert list(rows) == list(scores.topics)
    competitor = scores.tiers("nDCG@10").runs[0]
    ours, theirs = scores[BASELINE, "nDCG@10"], scores[competitor, "nDCG@10"]
    for place, topic in enumerate(scores.topics):
        assert number(rows[topic][BASELINE]) == ours[place]
        assert number(rows[topic][competitor]) == theirs[place]
        assert number(rows[topic]["Difference"]) == theirs[place] - ours[place]
        values = scores.values[:, place, 0]
        assert number(rows[topic]["Mean of all"]) == pytest.approx(values.mean(), rel=1e-12)
        assert number(rows[topic]["Its value"]) == values.max()
        assert values[scores.runs.index(rows[topic]["Best run"][0])] == values.max()


def test_depth_is_that_of_evaluate(page: Page, scores: cf.Scores) -> None:
    rows = page.rows("nDCG by cutoff")
    names = list(rows)
    assert names[0] == BASELINE
    assert names[1:] == list(scores.tiers("nDCG@10").runs[:5])
    depths = (1, 5, 10, 100, 1000)
    for family in ("nDCG", "P", "R"):
        found = cf.evaluate(QRELS, RUNS, [f"{family}@{depth}" for depth in depths]).sel(run=names)
        rows = page.rows(f"{family} by cutoff")
        for name, means in zip(names, found.mean().tolist(), strict=True):
            assert [number(rows[name][f"@{depth}"]) for depth in depths] == means
    curve = cf.curves.precision_recall(QRELS, path(BASELINE))
    cells = list(page.rows("Interpolated precision by recall")[BASELINE].values())[1:]
    assert [number(cell) for cell in cells] == curve.interpolated.tolist()


def test_distribution_is_that_of_the_values(page: Page, scores: cf.Scores) -> None:
    rows = page.rows("distribution")
    most = scores.values[:, :, 0].max(axis=0)
    for run in scores.runs:
        values = scores[run, "nDCG@10"]
        assert number(rows[run]["Median"]) == np.median(values)
        assert number(rows[run]["Lower quartile"]) == np.quantile(values, 0.25)
        assert number(rows[run]["Topics at 0"]) == sum(value == 0 for value in values)
        assert number(rows[run]["Topics best"]) == sum(
            a == b for a, b in zip(values, most, strict=True)
        )


def test_coverage_and_bounds_are_those_of_the_api(page: Page, scores: cf.Scores) -> None:
    judged = cf.evaluate(QRELS, RUNS, ["Judged@5", "Judged@10", "Judged@1000"])
    rows = page.rows("coverage")
    for run, means in zip(judged.runs, judged.mean().tolist(), strict=True):
        assert [number(rows[run][name]) for name in judged.measures] == means
    bounds = cf.bounds(QRELS, RUNS, "nDCG@10 AP P@10")
    by_run = {row[0][0]: row[1:] for row in page.tables["bounds"][1:]}
    for run, ends in zip(bounds.runs, bounds.summary().tolist(), strict=True):
        cells = by_run[run]
        for place, (value, low, _high) in enumerate(ends):
            assert number(cells[2 * place]) == value
            assert number(cells[2 * place + 1]) == low


def test_what_to_judge_next_is_what_diff_says(page: Page, scores: cf.Scores) -> None:
    """How much each moves the differences, added up here from every pair; one of each topic."""
    best = scores.tiers("nDCG@10").runs[:5]
    sums: dict[tuple[str, str], float] = {}
    for run in best:
        for topic in cf.diff(QRELS, path(BASELINE), path(run), "nDCG@10"):
            for one in topic.unjudged:
                key = topic.topic, one.document
                sums[key] = sums.get(key, 0.0) + one.matters / len(scores.topics)
    rows = page.tables["to-judge"][1:]
    assert len(rows) == 20
    for row in rows:
        assert number(row[4]) == pytest.approx(sums[row[0][0], row[1][0]], rel=1e-12)
    assert len({row[0][0] for row in rows}) == 20
    assert len(page.data["unjudged"]) == 20


def test_agreement_is_that_of_meta(page: Page, scores: cf.Scores) -> None:
    directed = [name for name, better in scores.better.items() if better]
    found = meta.correlation(scores.sel(measure=directed))
    rows = page.rows("agreement")
    for one in directed:
        for other in directed:
            assert one == other or number(rows[one][other]) == found[one, other]


def test_the_embedded_values_are_all_scores_to_the_bit(page: Page, scores: cf.Scores) -> None:
    data = page.data
    assert tuple(data["runs"]) == scores.runs
    assert tuple(data["topics"]) == scores.topics
    assert tuple(data["measures"]) == scores.measures
    places = [len(data[name]) for name in ("measures", "runs", "topics")]
    values = page.values.reshape(places).transpose(1, 2, 0)
    assert values.reshape(scores.values.shape).tobytes() == scores.values.tobytes()


def test_the_embedded_lists_are_those_of_diff(page: Page, scores: cf.Scores) -> None:
    best = scores.tiers("nDCG@10").runs[0]
    found = cf.diff(QRELS, path(BASELINE), path(best), "nDCG@10")
    data = page.data
    assert data["runs"][data["reference"]] == BASELINE
    assert data["runs"][data["competitors"][0]] == best
    assert len(data["lists"]) == len(scores.topics)
    for place, topic in enumerate(scores.topics):
        lists = data["lists"][str(place)]
        for run, documents in enumerate(found[topic].lists):
            for document in documents[:20]:
                number = lists["d"].index(document.document)
                rank = document.rank_b if run else document.rank_a
                brings = document.brings_b if run else document.brings_a
                assert lists["r"][run][number] == rank
                assert lists["r"][1 - run][number] == (
                    (document.rank_a if run else document.rank_b) or 0
                )
                assert lists["g"][number] == document.grade
                assert rank is not None
                assert lists["b"][run][rank - 1] == pytest.approx(brings, rel=1e-3)
        assert lists["p"][0][0] == pytest.approx(found[topic].low, rel=1e-3, abs=1e-12)


def test_the_sizes_are_kept() -> None:
    queries = dict.fromkeys(cf.read_qrels(QRELS).topics, "x" * 40)
    html = cf.report(QRELS, RUNS, baseline=BASELINE, queries=queries).html
    assert len(html.encode()) < 500_000


def test_a_report_is_the_same_each_time() -> None:
    one, other = (cf.report(QRELS, RUNS, threads=threads).html for threads in (1, 2))
    assert one == other


def test_scores_alone_leave_out_what_needs_lists(scores: cf.Scores) -> None:
    page = Page(cf.report(scores.sel(measure=["nDCG@10", "AP"])).html)
    text = " ".join("".join(page.text).split())
    assert text.count("Left out: this section needs judgments and runs") == 2
    assert "made from scores alone" in text
    assert page.data["lists"] == {}
    assert "coverage" not in page.tables
    for given in ({"runs": RUNS}, {"missing": "skip"}):
        with pytest.raises(cf.Error, match="expected Scores alone, found") as raised:
            cf.report(scores, **given)  # type: ignore[arg-type]
        assert raised.value.kind == "option"


def test_values_of_other_tools_make_a_report() -> None:
    records = [
        (run, topic, measure, value)
        for run, base in (("a", 0.1), ("b", 0.3))
        for topic in ("1", "2", "3")
        for measure, value in (("theirs", base + 0.1 * int(topic)), ("GMAP", base))
    ]
    scores = cf.Scores.from_records(records, better={"theirs": "lower"})
    page = Page(cf.report(scores, baseline="b").html)
    text = " ".join("".join(page.text).split())
    assert "a has the best theirs" in text
    assert "(lower is better)" in text
    assert "Not a measure of cranfield" in text


CASES: dict[str, tuple[Any, Any, str]] = {
    "one topic": ({"1": {"a": 1}}, {"x": {"1": {"a": 1}}, "y": {"1": {"b": 1}}}, "Runs were not"),
    "one run": ({"1": {"a": 1}, "2": {"a": 1}}, {"1": {"a": 1}, "2": {"b": 1}}, "There is one run"),
    "equal runs": (
        {str(t): {"a": 1, "b": 0} for t in range(4)},
        {name: {str(t): {"a": 1} for t in range(4)} for name in "xyz"},
        "not significant",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_little_data_makes_a_page_that_says_so(case: str) -> None:
    policy: Any
    qrels, runs, said = CASES[case]
    for policy in ("zero", "skip"):
        report = cf.report(qrels, runs, missing=policy, undefined=policy)
        text = " ".join("".join(Page(report.html).text).split())
        assert said in text
        assert "nan" not in text.split()


def test_a_measure_that_is_no_mean_is_not_tested() -> None:
    text = "".join(Page(cf.report(QRELS, RUNS, "GMAP AP").html).text)
    assert "GMAP is not a mean over topics" in text


def test_a_warning_says_which_topics_are_missing() -> None:
    qrels = {str(t): {"a": 1, "b": 0} for t in range(5)}
    runs = {"x": {str(t): {"a": 1} for t in range(5)}, "y": {"0": {"a": 1}, "1": {"u": 1}}}
    text = " ".join("".join(Page(cf.report(qrels, runs, "AP").html).text).split())
    assert "y: 3 topics of the qrels are missing (scored 0): 2 3 4" in text
    assert re.search(r"1 run has less than 80 ?% of the first ten documents judged", text)


def test_a_report_is_written_whole_or_not_at_all(tmp_path: Path, scores: cf.Scores) -> None:
    report = cf.report(scores)
    report.write(tmp_path / "a.html")
    assert (tmp_path / "a.html").read_text(encoding="utf-8") == report.html
    with pytest.raises(cf.Error, match="cannot write this file"):
        report.write(tmp_path / "none" / "a.html")
    assert "kB" in repr(report)
    assert isinstance(report, reporting.Report)
