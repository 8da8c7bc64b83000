"""The page of two runs, in a real browser. The oracle of its numbers is ``cf.diff``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import cranfield as cf
import pytest
from cranfield._analysis import diff_page, diff_topic

from tests.report.pages import BASELINE, EXAMINED, EXAMPLE, OTHER, VIEWS
from tests.report.window import Opened, violations

if TYPE_CHECKING:
    from playwright.sync_api import Browser


@pytest.mark.parametrize("name", ["pair", "hostile pair"])
@pytest.mark.parametrize(("width", "scheme"), VIEWS)
def test_the_page_of_two_runs_fits_and_is_accessible(
    browser: Browser, made: dict[str, Path], width: int, scheme: str, name: str
) -> None:
    opened = Opened(
        browser, made[name], viewport={"width": width, "height": 800}, color_scheme=scheme
    )
    page = opened.page
    assert opened.wide() == []
    page.locator("details.topic > summary").first.focus()
    page.keyboard.press("Enter")
    assert page.locator("details.topic[open] ol.list li").count() >= 10
    assert opened.wide() == []
    if (width, scheme) in EXAMINED:
        assert violations(page) == []
    opened.close()


def test_the_page_of_two_runs_has_the_numbers_of_diff(
    browser: Browser, made: dict[str, Path]
) -> None:
    runs = EXAMPLE / "runs"
    files = (runs / f"{name}.run.gz" for name in (BASELINE, OTHER))
    a, b = files
    found = cf.diff(EXAMPLE / "qrels.txt", a, b, "nDCG@10")
    opened = Opened(browser, made["pair"], "#topic=use%3A%3Achatting")
    page = opened.page
    assert page.locator("details[open]").get_attribute("id") == "topic=use::chatting"
    values = page.locator(".verdict b").evaluate_all("all => all.map(one => Number(one.dataset.v))")
    assert values == [found.b, found.a, found.difference]
    rows = page.locator("table[data-name=topics] tbody tr")
    assert rows.count() == len(found.topics)
    for row, topic in zip(rows.all()[:5], found.topics[:5], strict=True):
        assert row.locator("th").inner_text() == topic.topic
        cells = row.locator("td[data-v]").evaluate_all(
            "all => all.map(one => Number(one.dataset.v))"
        )
        assert cells == [topic.a, topic.b, topic.difference, topic.share, topic.low, topic.high]
    topic = found["use::chatting"]
    for number, documents in enumerate(topic.lists):
        items = page.locator("details[open] ol.list").nth(number).locator("li")
        assert items.count() == 10
        for item, document in zip(items.all(), documents, strict=False):
            assert item.locator(".doc").inner_text() == document.document
            grade = "?" if document.grade is None else f"{document.grade:g}"
            assert item.locator(".grade").inner_text() == grade
            brings = document.brings_b if number else document.brings_a
            assert item.locator(".adds").inner_text() == (f"{brings:+.4f}" if brings else "")
            moves = item.locator(".moves").inner_text()
            assert moves == diff_topic.moves(document, diff_page.ON_PAGES, second=bool(number))
    opened.close()


def test_how_a_document_moved_is_said_of_each_list() -> None:
    """In the first list x is 1 and y 2, in the second y is 1, z 2, and x is gone."""
    found = cf.diff({"1": {"x": 1}}, {"1": {"x": 2, "y": 1}}, {"1": {"y": 2, "z": 1}}, "AP")["1"]
    first, second = found.lists
    assert [diff_topic.moves(one, diff_page.ON_PAGES, second=False) for one in first] == [
        "gone",
        "↑ to 1",
    ]
    assert [diff_topic.moves(one, diff_page.ON_PAGES, second=True) for one in second] == [
        "↑ from 2",
        "new",
    ]


def test_a_printed_page_has_the_lists_of_the_first_topics_only(
    browser: Browser, made: dict[str, Path]
) -> None:
    opened = Opened(browser, made["pair"])
    page = opened.page
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.locator(".topic[open]").count() == 5
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert page.locator(".topic[open]").count() == 0
    page.locator(".topic summary").nth(7).click()
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.locator(".topic[open]").count() == 1
    opened.close()
