"""Reports in a real browser: they work, are accessible, and ask for nothing."""

from __future__ import annotations

import csv
import io
import re
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

import cranfield as cf
import pytest

from tests.report.pages import BASELINE, EXAMINED, EXAMPLE, HOSTILE, MADE, SECTIONS, VIEWS, WIDTHS
from tests.report.window import Opened, violations

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page


OPENED = "performance.getEntriesByType('navigation')[0].loadEventEnd"
"""After how many milliseconds a page was there with all that it does."""


@pytest.fixture(scope="module")
def trec8(data: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, float]:
    """The report of the 129 runs of TREC-8, and the seconds of CPU that it took."""
    folder = data / "trec8-adhoc"
    if not folder.is_dir():
        pytest.skip("no TREC-8")
    before = time.process_time()
    report = cf.report(folder / "trec8.qrels.gz", folder / "runs", baseline="input.acsys8alo")
    taken = time.process_time() - before
    path = tmp_path_factory.mktemp("trec8") / "report.html"
    report.write(path)
    return path, taken


@pytest.mark.parametrize(("width", "scheme"), VIEWS)
@pytest.mark.parametrize("name", MADE)
def test_a_page_fits_and_asks_for_nothing(
    browser: Browser, made: dict[str, Path], name: str, width: int, scheme: str
) -> None:
    opened = Opened(
        browser, made[name], viewport={"width": width, "height": 800}, color_scheme=scheme
    )
    assert opened.wide() == []
    present = opened.page.locator("main > section").evaluate_all("all => all.map(one => one.id)")
    assert tuple(present) == SECTIONS
    opened.close()


@pytest.mark.parametrize(("width", "scheme"), EXAMINED)
@pytest.mark.parametrize("name", ["example", "one", "scores", "hostile"])
def test_a_page_is_accessible(
    browser: Browser, made: dict[str, Path], name: str, width: int, scheme: str
) -> None:
    opened = Opened(
        browser, made[name], viewport={"width": width, "height": 800}, color_scheme=scheme
    )
    assert violations(opened.page) == []
    opened.page.locator("#topic-table tbody th a").first.click()
    opened.page.wait_for_selector("dialog[open]")
    assert violations(opened.page, "dialog[open]") == []
    assert opened.wide() == []
    opened.close()


def test_129_runs_are_quick_to_make_and_to_open(
    browser: Browser, trec8: tuple[Path, float]
) -> None:
    """Five seconds of CPU, with room for a busy machine and a quick build."""
    path, taken = trec8
    assert path.stat().st_size < 3_000_000
    assert taken < 15
    opens = []
    for width in WIDTHS:
        opened = Opened(browser, path, viewport={"width": width, "height": 800})
        opens.append(opened.page.evaluate(OPENED))
        assert opened.wide() == []
        assert opened.page.locator("#runs tbody tr").count() == 129
        if width == WIDTHS[-1]:
            assert violations(opened.page) == []
        opened.close()
    # A second on a quiet machine; others may use it too.
    assert min(opens) < 3000


def test_a_printed_table_has_its_head_on_every_page(
    browser: Browser, trec8: tuple[Path, float], tmp_path: Path
) -> None:
    program = shutil.which("pdftotext")
    if program is None:
        pytest.skip("no pdftotext")
    opened = Opened(browser, trec8[0])
    opened.page.pdf(path=tmp_path / "report.pdf", format="A4")
    command = [program, "-layout", str(tmp_path / "report.pdf"), "-"]
    text = subprocess.run(command, capture_output=True, check=True, text=True).stdout
    board = text[text.index("Leaderboard") : text.index("Thin lines:")].split("\f")
    assert len(board) >= 3
    assert all("Judged@10" in sheet for sheet in board)
    for section in opened.page.locator("main > section + section > h2").all_inner_texts():
        assert section in text
    opened.close()


@pytest.fixture
def opened(browser: Browser, made: dict[str, Path]) -> Iterator[Opened]:
    opened = Opened(browser, made["example"], viewport={"width": 1280, "height": 900})
    yield opened
    opened.close()


def names(page: Page) -> list[str]:
    """The runs in the order of the leaderboard, but for the pinned one."""
    rows = page.locator("#runs tbody:not(.pinned) tr:visible th bdi")
    return [str(name) for name in rows.all_inner_texts()]


def column(page: Page, header: str) -> list[float]:
    """The values of a column of the leaderboard as they stand."""
    heads = page.locator("#runs thead th").all_inner_texts()
    place = [head.strip() for head in heads].index(header) + 1
    cells = page.locator(f"#runs tbody:not(.pinned) tr > :nth-child({place})")
    found = cells.evaluate_all("all => all.map(one => Number(one.dataset.v))")
    return [float(value) for value in found]


def test_the_keyboard_sorts_either_way(opened: Opened) -> None:
    page = opened.page
    before = names(page)
    head = page.locator("#runs thead button.sort", has_text="AP").first
    head.focus()
    page.keyboard.press("Enter")
    values = column(page, "AP")
    assert values == sorted(values, reverse=True)
    assert head.locator("..").get_attribute("aria-sort") == "descending"
    page.keyboard.press("Space")
    values = column(page, "AP")
    assert values == sorted(values)
    assert head.locator("..").get_attribute("aria-sort") == "ascending"
    assert page.locator("#runs tbody.pinned th bdi").inner_text() == BASELINE
    assert set(names(page)) == set(before)
    page.keyboard.press("Shift+Tab")
    focused = page.evaluate("document.activeElement.closest('th').textContent.trim()")
    assert focused == "Ranks"


def test_a_measure_of_which_less_is_better_sorts_the_lowest_first(
    browser: Browser, tmp_path: Path
) -> None:
    path = tmp_path / "less.html"
    cf.report(EXAMPLE / "qrels.txt", EXAMPLE / "runs", "nDCG@10 RBP_residual").write(path)
    opened = Opened(browser, path)
    opened.page.locator("#runs thead button.sort", has_text="RBP_residual").click()
    values = opened.page.locator("#runs tbody tr > :last-child").evaluate_all(
        "all => all.map(one => Number(one.dataset.v))"
    )
    assert values == sorted(values)
    opened.close()


def test_a_filter_keeps_the_runs_of_all_words(opened: Opened) -> None:
    page = opened.page
    every = names(page)
    box = page.get_by_label("Filter")
    box.focus()
    page.keyboard.type("stem TFIDF")
    assert names(page) == [name for name in every if "stem" in name and "tfidf" in name]
    assert page.locator("#filtered").inner_text() == f"2 of {len(every)}"
    page.keyboard.press("Escape")
    assert names(page) == every


def test_a_link_leads_to_a_run_even_if_it_is_filtered_out(opened: Opened) -> None:
    page = opened.page
    page.get_by_label("Filter").fill("nothing like it")
    assert names(page) == []
    page.evaluate("location.hash = '#run=lsi-200-stem'")
    row = page.locator("#runs tr.found")
    assert row.locator("th bdi").inner_text() == "lsi-200-stem"
    assert row.is_visible()
    assert page.evaluate("document.activeElement.closest('tr').id") == "run=lsi-200-stem"


def test_a_link_leads_to_a_topic(browser: Browser, made: dict[str, Path]) -> None:
    topic = "use::chatting"
    opened = Opened(browser, made["example"], f"#topic={quote(topic, safe='')}")
    page = opened.page
    dialog = page.locator("dialog[open]")
    assert dialog.locator("h2").inner_text() == f"Topic {topic}"
    assert "what is chatting?" in dialog.inner_text()
    page.keyboard.press("Escape")
    assert page.locator("dialog[open]").count() == 0
    assert page.evaluate("document.activeElement.closest('tr').id") == f"topic={topic}"
    assert "#" not in page.url
    opened.close()


def test_a_topic_shows_both_lists_as_diff_has_them(opened: Opened) -> None:
    page = opened.page
    topic = "use::chatting"
    page.locator("#topic-table a", has_text=topic).click()
    page.wait_for_selector("dialog[open]")
    path = EXAMPLE / "runs"
    for place in (0, 1):
        page.locator("#pair").select_option(str(place))
        competitor = page.locator("#pair option").nth(place).inner_text()
        found = cf.diff(
            EXAMPLE / "qrels.txt",
            path / f"{BASELINE}.run.gz",
            path / f"{competitor}.run.gz",
            "nDCG@10",
        )[topic]
        lists = page.locator("#topic-body ol.list")
        for number, documents in enumerate(found.lists):
            items = lists.nth(number).locator("li")
            assert items.count() == 20
            for item, document in zip(items.all(), documents[:20], strict=True):
                assert item.locator(".doc bdi").first.inner_text() == document.document
                grade = "?" if document.grade is None else f"{document.grade:g}"
                assert item.locator(".grade").inner_text() == grade
                moves = item.locator(".moves").inner_text()
                other = document.rank_a if number else document.rank_b
                own = document.rank_b if number else document.rank_a
                assert own is not None
                if other is None:
                    assert moves.startswith("new" if number else "gone")
                elif other == own:
                    assert moves.startswith("=")
                else:
                    up = (own < other) == bool(number)
                    words = f"{'↑' if up else '↓'} {'from' if number else 'to'} {other}"
                    assert moves.startswith(words)
        shown = page.locator("#topic-body").inner_text()
        difference = f"{found.difference:+.4f}".replace("-", "\N{MINUS SIGN}")
        assert f"difference {difference}" in shown
    page.get_by_label("Next topic").click()
    title = page.locator("#topic-title")
    title.filter(has_not_text=topic).wait_for()
    page.get_by_label("Previous topic").click()
    title.filter(has_text=topic).wait_for()
    page.get_by_label("Close").click()
    assert not page.locator("dialog").is_visible()


def test_all_scores_can_be_downloaded_to_the_bit(opened: Opened) -> None:
    page = opened.page
    scores = cf.evaluate(EXAMPLE / "qrels.txt", EXAMPLE / "runs")
    with page.expect_download() as download:
        page.get_by_role("button", name="All scores (CSV)").click()
    text = Path(download.value.path()).read_text(encoding="utf-8")
    rows = list(csv.DictReader(io.StringIO(text)))
    assert len(rows) == scores.values.size
    again = cf.Scores.from_records(
        [(row["run"], row["topic"], row["measure"], float(row["value"])) for row in rows]
    )
    again = again.sel(run=scores.runs, topic=scores.topics, measure=scores.measures)
    assert again.values.tobytes() == scores.values.tobytes()


def test_tables_figures_and_latex_can_be_downloaded(opened: Opened) -> None:
    page = opened.page
    with page.expect_download() as download:
        page.get_by_role("button", name="Download the table leaderboard as CSV").click()
    rows = list(csv.reader(io.StringIO(Path(download.value.path()).read_text(encoding="utf-8"))))
    scores = cf.evaluate(EXAMPLE / "qrels.txt", EXAMPLE / "runs")
    place = scores.runs.index("coordination")
    (row,) = (row for row in rows if "coordination" in row)
    assert float(row[rows[0].index("AP")]) == scores.summary()[place, 1]
    with page.expect_download() as download:
        page.get_by_role("button", name="Download the figure topics as SVG").click()
    drawing = Path(download.value.path()).read_text(encoding="utf-8")
    alone = page.context.new_page()
    alone.set_content(drawing)
    path = alone.locator("svg path.up")
    filled = path.first.evaluate("one => getComputedStyle(one).fill")
    assert filled == page.locator("svg.columns path.up").first.evaluate(
        "one => getComputedStyle(one).fill"
    )
    page.get_by_text("Leaderboard as LaTeX").click()
    with page.expect_download() as download:
        page.get_by_role("button", name="Download", exact=True).click()
    assert r"\toprule" in Path(download.value.path()).read_text(encoding="utf-8")


def test_a_sentence_can_be_copied(browser: Browser, made: dict[str, Path]) -> None:
    opened = Opened(browser, made["example"], permissions=["clipboard-read", "clipboard-write"])
    page = opened.page
    page.locator("[data-copy=sentence]").click()
    page.get_by_role("button", name="Copied").wait_for()
    assert page.evaluate("navigator.clipboard.readText()") == page.locator("#sentence").inner_text()
    opened.close()


def test_a_formula_in_a_name_stays_text_in_a_spreadsheet(browser: Browser, tmp_path: Path) -> None:
    path = tmp_path / "formula.html"
    runs = {name: {"1": {"a": 1}, "2": {"b": 1}} for name in ("=1+1", '@x,"y"')}
    cf.report({"1": {"a": 1}, "2": {"b": 1, "c": 0}}, runs, "AP P@1").write(path)
    opened = Opened(browser, path)
    with opened.page.expect_download() as download:
        opened.page.get_by_role("button", name="All scores (CSV)").click()
    rows = csv.DictReader(io.StringIO(Path(download.value.path()).read_text(encoding="utf-8")))
    assert {row["run"] for row in rows} == {"'=1+1", '\'@x,"y"'}
    opened.close()


@pytest.mark.parametrize("name", ["example", "hostile"])
def test_without_scripts_tables_and_pictures_are_there(
    browser: Browser, made: dict[str, Path], name: str
) -> None:
    opened = Opened(browser, made[name], java_script_enabled=False)
    page = opened.page
    for section in SECTIONS:
        assert page.locator(f"#{section}").is_visible()
    assert page.locator("#runs tbody tr").first.is_visible()
    assert page.locator("svg.cells").is_visible()
    assert page.locator("svg.chart").count() == 4 if name == "example" else True
    assert page.locator("button:visible").count() == 0
    assert page.locator("input:visible").count() == 0
    opened.close()


def test_it_prints_with_all_sections(opened: Opened) -> None:
    page = opened.page
    page.emulate_media(media="print")
    for section in SECTIONS:
        assert page.locator(f"#{section}").is_visible()
    # The width of A4 without margins; nothing is cut.
    page.set_viewport_size({"width": 703, "height": 1000})
    cut = page.locator(".scroll:visible").evaluate_all(
        """all => all.filter((one) => one.scrollWidth > one.clientWidth + 1
            || one.scrollHeight > one.clientHeight + 1).map((one) => one.ariaLabel)"""
    )
    assert cut == []
    assert page.locator("button:not(.sort):visible").count() == 0
    pdf = page.pdf(format="A4")
    assert pdf.startswith(b"%PDF")
    assert len(re.findall(rb"/Type\s*/Page\b", pdf)) >= 5


def test_the_policy_stops_what_is_not_in_the_page(opened: Opened) -> None:
    """A script and a style that were slipped in do nothing."""
    page = opened.page
    said = page.evaluate(
        """() => {
            const script = document.createElement("script");
            script.textContent = "window.slipped = 1";
            document.body.append(script);
            const made = document.createElement("div");
            made.setAttribute("style", "width: 7px");
            made.setAttribute("onclick", "window.slipped = 2");
            document.body.append(made);
            made.click();
            return [window.slipped === undefined, made.style.width];
        }"""
    )
    assert said == [True, ""]
    assert any("Content Security Policy" in text for text in opened.said)
    opened.said.clear()


def test_hostile_names_are_shown_as_text(browser: Browser, made: dict[str, Path]) -> None:
    opened = Opened(browser, made["hostile"])
    page = opened.page
    shown = {
        name: text.encode("unicode_escape").decode() if name in ("terminal",) else text
        for name, text in HOSTILE.items()
    }
    runs = page.locator("#runs tbody th bdi").all_text_contents()
    for name in ("script", "attribute", "long", "template", "end", "terminal"):
        assert shown[name] in runs, name
    assert "\u202e" not in page.content()
    assert "\x1b" not in page.content()
    assert page.locator("script").count() == 2
    assert page.evaluate("document.querySelectorAll('[onmouseover]').length") == 0
    for number in range(len(HOSTILE)):
        page.locator("#topic-table tbody th a").nth(number).click()
        page.wait_for_selector("dialog[open]")
        assert page.locator("#topic-body ol.list li").count() > 0
        page.keyboard.press("Escape")
    opened.close()


def test_hovering_names_the_run_and_the_topic(opened: Opened) -> None:
    page = opened.page
    scores = cf.evaluate(EXAMPLE / "qrels.txt", EXAMPLE / "runs", "nDCG@10")
    page.locator("svg.cells").hover(position={"x": 3, "y": 3})
    tip = page.locator("#tip").inner_text()
    run, rest = tip.split(", topic ", 1)
    topic = rest.partition(" (")[0]
    value = rest.rpartition(": ")[2]
    assert run == scores.tiers().runs[0]
    assert float(value) == round(scores.sel(topic=topic)[run, "nDCG@10"].item(), 4)
    hardness = scores.values[:, :, 0].mean(axis=0)
    assert hardness[scores.topics.index(topic)] == hardness.min()
    page.locator("svg.columns").hover(position={"x": 3, "y": 20})
    assert page.locator("#tip").inner_text().startswith("Topic ")
    most = scores[run, "nDCG@10"] - scores[BASELINE, "nDCG@10"]
    assert f"+{most.max():.4f}" in page.locator("#tip").inner_text()


def test_contents_lead_to_every_section(opened: Opened) -> None:
    page = opened.page
    for link in page.locator(".contents a").all():
        target = str(link.get_attribute("href")).removeprefix("#")
        assert page.locator(f"section#{target} > h2").count() == 1
    dead = page.evaluate(
        """() => [...document.querySelectorAll("a[href^='#']")].map((one) => one.hash.slice(1))
            .filter((id) => !document.getElementById(decodeURIComponent(id)))"""
    )
    assert dead == []
    every = page.evaluate("[...document.querySelectorAll('[id]')].map((one) => one.id)")
    assert len(every) == len(set(every))


def test_the_data_are_what_the_page_says(opened: Opened) -> None:
    """The script reads the same numbers that stand in the tables."""
    page = opened.page
    page.locator("#topic-table tbody th a").first.click()
    page.wait_for_selector("dialog[open]")
    page.get_by_text("All runs in this topic").click()
    scores = cf.evaluate(EXAMPLE / "qrels.txt", EXAMPLE / "runs")
    rows = page.locator("#topic-body table tbody tr")
    assert rows.count() == len(scores.runs)
    for row in rows.all()[:3]:
        run = row.locator("th").inner_text()
        cells = row.locator("td.value").all_inner_texts()
        values = scores.values[scores.runs.index(run), 0]
        assert [float(cell) for cell in cells] == [round(float(value), 4) for value in values]
    assert page.title() == "Evaluation of 16 runs"
