"""Reports over spans: the lists show the new evidence of each chunk; the twin counts characters."""

from __future__ import annotations

import random
from pathlib import Path
from typing import TYPE_CHECKING, Any

import cranfield as cf
import pytest
from cranfield import _report
from cranfield._report import page
from cranfield._report.span_lists import KNOWN, MOST, NEW
from cranfield._scores.comparing import HowToTest

from tests.commands import called
from tests.report.pages import SECTIONS
from tests.report.window import Opened, violations

if TYPE_CHECKING:
    from playwright.sync_api import Browser

SENTENCE = "The café sat\non the <b>mat</b> & left. "
TEXTS = {doc: f"{doc}: " + SENTENCE * 40 for doc in ("A", "B", "C")}


def _drawn(seed: int) -> tuple[dict[str, list[Any]], dict[str, dict[str, list[Any]]]]:
    """Evidence, and lists of four runs that overlap and repeat themselves."""
    chance = random.Random(seed)

    def part(most: int) -> tuple[str, int, int]:
        start = chance.randrange(800)
        return chance.choice("ABC"), start, start + chance.randint(1, most)

    topics = [f"q{n}" for n in range(6)]
    gold = {t: [(*p, 1) for p in {part(200) for _ in range(4)}] for t in topics}
    runs = {}
    for name, most in (("small", 80), ("middle", 300), ("large", 700), ("other", 80)):
        runs[name] = {t: [part(most) for _ in range(8)] for t in topics}
        for chunks in runs[name].values():
            chunks.append(chunks[2])
    return gold, runs


def _content(gold: Any, runs: Any, **options: Any) -> dict[str, Any]:
    results = _report.results_of(gold, runs, testing=HowToTest(), seed=0, **options)
    return page.content(results, [])


@pytest.mark.filterwarnings("ignore::cranfield.CranfieldWarning")
@pytest.mark.parametrize("seed", range(5))
def test_lists_have_the_new_evidence_of_each_chunk(seed: int) -> None:
    gold, runs = _drawn(seed)
    found = _content(cf.SpanQrels(gold), runs, documents=TEXTS)
    for place, topic in enumerate(found["topics"]):
        lists = found["lists"][str(place)]
        evidence = {(d, at) for d, s, e, _ in gold[topic] for at in range(s, e)}
        names = [found["runs"][run] for run in (found["reference"], *found["competitors"])]
        for run, name in enumerate(names):
            read: set[Any] = set()
            for rank, (d, start, end) in enumerate(runs[name][topic]):
                own = {(d, at) for at in range(start, end)}
                assert lists["b"][run][rank] == len(own & evidence - read), (topic, name, rank)
                chunk = lists["r"][run].index(rank + 1)
                assert lists["d"][chunk].startswith(f"{d} [{start}, {end})")
                assert bool(lists["g"][chunk]) == bool(own & evidence)
                parts = lists["h"][run][rank]
                text = "".join(text for text, _ in parts)
                if end - start <= MOST:
                    # The end of a line is shown as such and does not break it.
                    assert len(text) == len(TEXTS[d][start:end])
                    shown = {
                        kind: sum(len(text) for text, own in parts if own == kind)
                        for kind in (KNOWN, NEW)
                    }
                    assert shown[NEW] == len(own & evidence - read)
                    assert shown[KNOWN] == len(own & evidence & read)
                else:
                    assert len(text) <= MOST + 2
                read |= own


@pytest.mark.filterwarnings("ignore::cranfield.CranfieldWarning")
def test_without_texts_places_are_shown() -> None:
    gold = cf.SpanQrels({"q": [("A", 10, 30), ("A", 50, 60)]})
    found = _content(gold, {"x": cf.SpanRun({"q": [("A", 0, 20), ("A", 0, 70)]})})
    assert found["lists"]["0"]["h"] == [
        [[("[10, 20) ", NEW)], [("[10, 20) ", KNOWN), ("[20, 30) ", NEW), ("[50, 60) ", NEW)]]
    ]
    lines = cf.SpanQrels({"q": [("A", 10, 30)]}, offsets="lines")
    run = cf.SpanRun({"q": [("A", 0, 20)]}, offsets="lines")
    # Lines of a text are not its characters.
    found = _content(lines, {"x": run}, documents=TEXTS)
    assert found["lists"]["0"]["h"][0][0] == [("[10, 20) ", NEW)]


@pytest.mark.filterwarnings("ignore::cranfield.CranfieldWarning")
def test_the_page_in_a_browser(browser: Browser, tmp_path: Path) -> None:
    gold, runs = _drawn(1)
    for name, several in (("several", runs), ("one", {"small": runs["small"]})):
        path = tmp_path / f"{name}.html"
        cf.report(cf.SpanQrels(gold), several, documents=TEXTS).write(path)
        opened = Opened(browser, path, viewport={"width": 1280, "height": 800})
        present = opened.page.locator("main > section").evaluate_all("all => all.map(x => x.id)")
        assert tuple(present) == SECTIONS
        assert "nothing is unjudged" in (opened.page.locator("#coverage").text_content() or "")
        assert "char-R by characters read" in (opened.page.locator("#depth").text_content() or "")
        opened.page.locator("#topic-table tbody th a").first.click()
        opened.page.wait_for_selector("dialog[open]")
        first = opened.page.locator("dialog ol.list").first
        assert first.locator("mark.new").count() > 0
        assert "characters" in (first.text_content() or "")
        assert "<b>mat</b>" in (first.text_content() or "")
        assert violations(opened.page) == []
        assert opened.wide() == []
        opened.close()


def test_the_command(tmp_path: Path) -> None:
    gold, run, page = (str(tmp_path / name) for name in ("gold.tsv", "run.tsv", "r.html"))
    Path(gold).write_text("topic\tdoc\tstart\tend\nq1\tA\t3\t9\nq2\tA\t1\t2\n")
    Path(run).write_text("topic\tdoc\tstart\tend\nq1\tA\t0\t9\nq2\tA\t0\t5\n")
    folder = tmp_path / "texts"
    folder.mkdir()
    (folder / "A.txt").write_text(TEXTS["A"])
    spans = ("--layout", "spans", "--texts", str(folder))
    found = called("report", gold, run, *spans, "-o", page)
    assert found.returncode == 0, found.stderr
    assert "span-R@5" in Path(page).read_text()
    (folder / "A.txt").write_text("short")
    found = called("report", gold, run, *spans, "-o", page)
    assert found.returncode == 2
    assert "beyond the text of 'A'" in found.stderr
