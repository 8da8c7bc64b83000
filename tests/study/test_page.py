"""The pages of studies in a real browser, and as strict XML and HTML.

Tests skip where there is no Chromium.
"""

from __future__ import annotations

import random
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import TYPE_CHECKING, Any

import cranfield as cf
import pytest
from cranfield import meta, study
from cranfield._study.incompleteness import critical_tau, on_judged
from cranfield._study.page import legend
from cranfield._study.results import Figure, Line, Panel, coinciding, readable

from tests.report.pages import EXAMINED, EXAMPLE, HOSTILE
from tests.report.window import Opened, violations

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytest.importorskip("matplotlib")

QRELS, RUNS = str(EXAMPLE / "qrels.txt"), str(EXAMPLE / "runs")
NAMES = [*HOSTILE.values(), "a--b", "--", "]]>", "\ufffe\uffff", "$_{a", "\x85"]
SMALL: dict[str, dict[str, Any]] = {
    "significance": {"measures": ["AP"]},
    "graded": {"measures": ["nDCG@10"]},
}


def hostile() -> tuple[dict[str, Any], dict[str, Any]]:
    """Judgments and runs with hostile names."""
    qrels = {t: {f"d{i}": (i + len(t)) % 3 for i in range(12)} for t in NAMES}
    runs = {
        name: {
            t: {d: random.Random(f"{place}{t}{d}").random() for d in docs}
            for t, docs in qrels.items()
        }
        for place, name in enumerate(NAMES)
    }
    return qrels, runs


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Every study of hostile names, and two of the example collection."""
    folder = tmp_path_factory.mktemp("pages")
    qrels, runs = hostile()
    for name, options in SMALL.items():
        study.run(name, qrels, runs, str(folder / name), **options)
    study.run("agreement", QRELS, None, str(folder / "agreement"), second=[QRELS, QRELS])
    study.run("significance", QRELS, RUNS, str(folder / "example"), measures=["AP"])
    return {path.parent.name: path for path in folder.glob("*/index.html")}


class Strict(HTMLParser):
    """Tags that are closed in the order in which they were opened, ids that are distinct."""

    EMPTY = frozenset({"meta", "link", "br", "input"})

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        names = [name for name, _ in attrs]
        assert len(names) == len(set(names)), (tag, attrs)
        self.ids += [value or "" for name, value in attrs if name == "id"]
        if tag not in self.EMPTY:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert "svg" in self.open or tag in self.EMPTY

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_pages_and_drawings_are_strict(pages: dict[str, Path]) -> None:
    for page in pages.values():
        found = Strict(page.read_text(encoding="utf-8"))
        assert found.open == []
        assert len(found.ids) == len(set(found.ids))
        for drawing in (page.parent / "figures").glob("*.svg"):
            ElementTree.parse(drawing)
    assert len(pages) == len(SMALL) + 2


@pytest.mark.parametrize(("width", "scheme"), EXAMINED)
def test_pages_fit_and_are_accessible(
    browser: Browser, pages: dict[str, Path], width: int, scheme: str
) -> None:
    for path in pages.values():
        opened = Opened(
            browser, path, viewport={"width": width, "height": 800}, color_scheme=scheme
        )
        assert opened.wide() == []
        if (path.parent.name, width) in (("graded", 1280), ("example", 360)):
            assert violations(opened.page) == []
        opened.close()


@pytest.fixture
def opened(browser: Browser, pages: dict[str, Path]) -> Iterator[Opened]:
    opened = Opened(browser, pages["example"], viewport={"width": 1280, "height": 900})
    yield opened
    opened.close()


def test_downloads_are_in_the_page(opened: Opened, pages: dict[str, Path]) -> None:
    page = opened.page
    for name in ("pairs-AP.csv", "pairs-AP.tex", "means-AP.csv"):
        with page.expect_download() as download:
            page.get_by_role("button", name=f"Download {name}").click()
        folder = "data" if name.startswith("means") else "tables"
        written = (pages["example"].parent / folder / name).read_bytes()
        assert Path(download.value.path()).read_bytes() == written
    with page.expect_download() as download:
        page.get_by_role("button", name="Download means-AP.svg").click()
    drawing = ElementTree.parse(Path(download.value.path())).getroot()
    texts = {"".join(text.itertext()) for text in drawing.iter("{http://www.w3.org/2000/svg}text")}
    assert "mean AP" in texts
    assert any("dense-minilm" in text for text in texts)


def test_pointing_names_the_run_and_tables_sort(opened: Opened) -> None:
    page = opened.page
    spot = page.locator("#means-AP circle").first
    spot.hover()
    told = page.locator("#tip").inner_text()
    scores = cf.evaluate(QRELS, RUNS, "AP")
    best = scores.top(1).runs[0]
    assert told == f"{best}: mean AP {scores.mean().max():.4f}"
    table = page.locator("#pairs-AP table")
    table.get_by_role("button", name="difference").click()
    values = table.locator("tbody td:nth-child(3)").evaluate_all(
        "all => all.map(one => Number(one.dataset.v))"
    )
    assert values == sorted(values, reverse=True)


def test_the_conclusion_comes_first_and_is_made_of_the_numbers(opened: Opened) -> None:
    page = opened.page
    assert page.locator("main > section").first.get_attribute("id") == "conclusion"
    found = meta.discriminative_power(cf.evaluate(QRELS, RUNS, ["AP"]))
    said = page.locator(".verdict").inner_text()
    pairs = len(found.pairs)
    assert said.startswith(f"Of {pairs} pairs of runs, ")
    assert int(said.split(" in AP")[0].split()[-1]) <= int(found.significant.sum())


def test_without_scripts_there_are_tables_and_charts(
    browser: Browser, pages: dict[str, Path]
) -> None:
    opened = Opened(browser, pages["example"], java_script_enabled=False)
    assert opened.page.locator(".verdict").is_visible()
    assert opened.page.locator("#means-AP svg.chart").is_visible()
    assert opened.page.locator("#pairs-AP tbody tr").count() == 120
    assert opened.page.locator("button:visible").count() == 0
    opened.close()


def lines(count: int) -> Figure:
    ends = [0.0, 0.0]
    panel = Panel(
        "x",
        "y",
        [Line(f"m{i}", [1.0, 2.0], [i // 2, 1.0], ends, ends, color=i) for i in range(count)],
    )
    return Figure("f", "title", [panel])


def test_more_than_six_bands_have_a_panel_each() -> None:
    assert readable(lines(6)) == lines(6)
    many = readable(lines(10))
    assert [panel.title for panel in many.panels] == [f"m{i}" for i in range(10)]
    for panel in many.panels:
        assert [line.low is not None for line in panel.lines] == [False] * 9 + [True]
    assert legend(lines(10), many)[-1]["label"] == "the others"
    assert coinciding(lines(4)) == ["m0 and m1 coincide.", "m2 and m3 coincide."]


def test_points_are_named_in_the_data(pages: dict[str, Path]) -> None:
    rows = (pages["graded"].parent / "data" / "graded.csv").read_text(encoding="utf-8")
    assert rows.startswith("panel,series,name,x,y,low,high\n")
    assert "a--b" in rows


def test_which_measures_look_at_judged_documents_alone() -> None:
    alone = ("AP'", "bpref_R", "bpref_N", "rpref_N", "rpref_relative2", "nDCG'@1000")
    assert all(map(on_judged, alone))
    assert not any(map(on_judged, ("AP", "Q", "nDCG@1000", "P@10")))


def test_the_critical_tau_is_that_of_the_normal_test() -> None:
    """For 30 runs the deviation is sqrt(130 / 7830) = .12885, times 2.5758."""
    assert critical_tau(30) == pytest.approx(2.575829 * (130 / 7830) ** 0.5, abs=1e-6)
