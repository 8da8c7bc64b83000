"""The page of two judges, in a real browser. The oracle of its numbers is ``cf.judges.compare``."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import TYPE_CHECKING

import cranfield as cf
import numpy as np
import pytest

from tests.report.pages import EXAMINED, EXAMPLE, HOSTILE
from tests.report.window import Opened, violations

if TYPE_CHECKING:
    from playwright.sync_api import Browser


@pytest.fixture(scope="module")
def judges() -> cf.judges.Judges:
    """Judgments beside those of a judge who errs and knows more topics."""
    every = cf.read_qrels(EXAMPLE / "qrels.txt").to_dict()
    chance = np.random.default_rng(2)
    gold = {topic: every[topic] for topic in list(every)[:40]}
    other = {
        topic: {doc: int(grade > 0) ^ int(chance.random() < 0.1) for doc, grade in docs.items()}
        for topic, docs in every.items()
    }
    runs = {path.name[:-7]: str(path) for path in sorted((EXAMPLE / "runs").glob("*.gz"))[::4]}
    groups = {run: "dense" if "dense" in run else "words" for run in runs}
    with warnings.catch_warnings(action="ignore"):
        return cf.judges.compare(gold, other, runs, "AP P@10", groups=groups, resamples=50)


def hostile() -> cf.judges.Judges:
    """Judges of runs and topics whose names are hostile."""
    ids = list(HOSTILE.values())
    gold = {topic: {document: place % 2 for place, document in enumerate(ids)} for topic in ids}
    other = {topic: {document: place % 3 for place, document in enumerate(ids)} for topic in ids}
    runs = {
        name: {
            topic: {ids[k]: (k * (n + 2)) % 7 + k / 10 for k in range(len(ids))} for topic in ids
        }
        for n, name in enumerate(ids)
    }
    return cf.judges.compare(
        gold, other, runs, "AP", groups=dict(zip(ids, ids, strict=True)), resamples=20
    )


def test_the_page_fits_and_is_accessible(
    browser: Browser, judges: cf.judges.Judges, tmp_path: Path
) -> None:
    for name, made in (("page", judges), ("hostile", hostile())):
        path = tmp_path / f"{name}.html"
        made.write(path, " ".join(HOSTILE.values()) if name == "hostile" else None)
        for width, scheme in EXAMINED:
            opened = Opened(
                browser, path, viewport={"width": width, "height": 800}, color_scheme=scheme
            )
            assert opened.wide() == []
            assert violations(opened.page) == []
            opened.close()


def test_the_numbers_are_those_of_compare(
    browser: Browser, judges: cf.judges.Judges, tmp_path: Path
) -> None:
    judges.write(tmp_path / "page.html")
    opened = Opened(browser, tmp_path / "page.html")
    page = opened.page
    tables = {
        "documents": judges.agreement,
        "order-of-runs": judges.orders,
        "conclusions": judges.conclusions,
        "favored-runs": judges.favours,
        "favored-groups": judges.groups,
        "all-topics": judges.predicted,
        "topics": judges.documents.topics,
    }
    for name, table in tables.items():
        assert table is not None
        rows = page.locator(f"table[data-name={name}] tbody tr")
        assert rows.locator("th").all_text_contents() == list(table.labels), name
        expected = [
            value
            for label in table.labels
            for column in table.columns[1:]
            if not isinstance(value := table[label, column], str) and value is not None
        ]
        found = rows.locator("td[data-v]").evaluate_all("all => all.map(one => one.dataset.v)")
        assert [float(value) for value in found if value] == expected, name
    points = page.locator("#judges-verdict svg.chart circle")
    assert points.count() == len(judges.gold.runs)
    page.locator("table[data-name=favored-runs] thead button.sort", has_text="gold").first.click()
    best = page.locator("table[data-name=favored-runs] tbody th").first.inner_text()
    assert best == judges.gold.runs[int(np.argmax(judges.gold.summary()[:, 0]))]
    opened.close()
