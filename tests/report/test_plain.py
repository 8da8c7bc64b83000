"""Tables as pages and in notebooks, in a real browser."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import cranfield as cf
import pytest
from cranfield import _cli as cli
from cranfield._table.writers import static

from tests.report.pages import EXAMPLE, HOSTILE, SCHEMES, WIDTHS
from tests.report.window import Opened, violations

if TYPE_CHECKING:
    from playwright.sync_api import Browser

QRELS, RUNS = str(EXAMPLE / "qrels.txt"), str(EXAMPLE / "runs")
PAGES = {
    "eval": ("eval", QRELS, RUNS, "-m", "nDCG@10 AP bpref", "--ci", "--tiers"),
    "compare": ("compare", QRELS, RUNS, "-m", "nDCG@10 AP", "--baseline", "tfidf"),
    "describe": ("describe", QRELS, RUNS),
}


@pytest.mark.parametrize("name", list(PAGES))
def test_a_page_of_tables_fits_says_nothing_and_is_accessible(
    browser: Browser, tmp_path: Path, name: str
) -> None:
    path = tmp_path / "page.html"
    assert cli.main([*PAGES[name], "--quiet", "-o", str(path)]) == 0
    for width, scheme in zip((WIDTHS[0], WIDTHS[2]), SCHEMES, strict=True):
        opened = Opened(
            browser, path, viewport={"width": width, "height": 800}, color_scheme=scheme
        )
        assert opened.wide() == []
        if width == WIDTHS[0]:
            assert violations(opened.page) == []
        widths = opened.page.locator("sup").evaluate_all(
            "all => all.map((one) => one.getBoundingClientRect().width)"
        )
        # What stands above the values of a column takes the same room.
        assert len({round(one) for one in widths}) <= 3
        opened.close()


def test_reports_tables_and_the_page_of_measures_have_one_style(tmp_path: Path) -> None:
    base = static("base.css")
    assert "--accent: #0a6570" in base
    path = tmp_path / "page.html"
    assert cli.main([*PAGES["eval"], "--quiet", "-o", str(path)]) == 0
    measures = (EXAMPLE.parents[1] / "docs" / "measures.html").read_text(encoding="utf-8")
    report = cf.report(cf.evaluate(QRELS, RUNS, "AP")).html
    for page in (path.read_text(encoding="utf-8"), measures, report):
        assert base.strip() in page
    notebook = cf.evaluate(QRELS, RUNS, "AP")._repr_html_()
    assert static("scores.css") in notebook
    # Every property that a page uses is one that the style sheet has.
    for text in (report, measures, base + static("scores.css")):
        used = set(re.findall(r"var\((--[a-z0-9-]+)", text))
        assert used <= set(re.findall(r"(--[a-z0-9-]+):", text))


def test_a_notebook_shows_tables_in_the_colors_around_them(
    browser: Browser, tmp_path: Path
) -> None:
    scores = cf.evaluate(QRELS, RUNS, "nDCG@10 AP")
    shown = scores._repr_html_()
    for paper, ink in (
        ("rgb(255, 255, 255)", "rgb(0, 0, 0)"),
        ("rgb(0, 0, 0)", "rgb(238, 238, 238)"),
    ):
        path = tmp_path / "notebook.html"
        style = f'style="background: {paper}; color: {ink}"'
        head = '<!DOCTYPE html><html lang="en"><link rel="icon" href="data:,"><title>t</title>'
        path.write_text(f"{head}<body {style}><main><h1>N</h1>{shown}</main></body></html>")
        opened = Opened(browser, path, color_scheme="light")
        color = "one => getComputedStyle(one).color"
        assert opened.page.locator("tbody td").first.evaluate(color) == ink
        assert violations(opened.page) == []
        opened.close()


def test_hostile_names_stay_text_in_a_page_of_tables(browser: Browser, tmp_path: Path) -> None:
    ids = [name for name in HOSTILE.values() if name.isprintable() and "/" not in name]
    (tmp_path / "q.txt").write_text("1 0 a 1\n1 0 b 0\n", encoding="utf-8")
    runs = [tmp_path / name.replace(" ", "_") for name in ids if len(name) < 200]
    for run in runs:
        run.write_text("1 Q0 a 1 2 t\n1 Q0 b 2 1 t\n", encoding="utf-8")
    words = ["eval", str(tmp_path / "q.txt"), *map(str, runs), "-m", "AP", "--quiet"]
    path = tmp_path / "page.html"
    assert cli.main([*words, "-o", str(path)]) == 0
    opened = Opened(browser, path)
    names = opened.page.locator("tbody th").all_inner_texts()
    assert sorted(names) == sorted(run.name for run in runs)
    opened.close()
