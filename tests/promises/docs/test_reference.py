"""The reference of measures: nothing is missing, every link leads somewhere, the page works.

``docs/measures.html`` is driven in a real browser, Chromium, without a display. Those
tests skip where there is none; the variable CHROMIUM may name one.
"""

from __future__ import annotations

import importlib.util
import json
import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from html.parser import HTMLParser
from types import ModuleType
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

import cranfield
import pytest
from cranfield._core import families, forms, parse_measures

from tests import ROOT
from tests.commands import called

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page

sys.path.insert(0, str(ROOT / "docs"))

from cranfield._measures.pages import functions

PAGE = ROOT / "docs" / "measures.html"
MARKDOWN = ROOT / "docs" / "reference" / "measures.md"
REGISTRY = [*families(), *forms(), *functions()]
NAMES = [family["name"] for family in REGISTRY]

CLAIMED = ("trec_eval", "ir_measures", "ranx", "BEIR", "MTEB")
"""Tools whose spellings are taken where they mean one of our measures."""

ANOTHER_MEASURE_HERE = {("ranx", "recall")}
"""Spellings of those tools that are another measure's name here."""


def plain(text: str) -> str:
    """Text with single spaces."""
    return " ".join(text.split())


# --- what is written ----------------------------------------------------------------------


class Reader(HTMLParser):
    """The page as a browser would see it: ids, references, the text of each section."""

    def __init__(self) -> None:
        super().__init__()
        self.ids: list[str] = []
        self.references: list[tuple[str, str]] = []
        self.sections: dict[str, str] = {}
        self.rows: dict[str, str] = {}
        self.into: list[tuple[str, dict[str, str], str]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = {name: value or "" for name, value in attrs}
        if "id" in found:
            self.ids.append(found["id"])
        for name in ("href", "src", "srcset", "action", "data", "poster"):
            if name in found:
                self.references.append((tag, found[name]))
        if tag == "article":
            self.into.append((tag, self.sections, found["id"]))
        elif tag == "tr" and "data-row" in found:
            self.into.append((tag, self.rows, found["data-row"]))

    def handle_endtag(self, tag: str) -> None:
        if self.into and self.into[-1][0] == tag and tag in ("article", "tr"):
            self.into.pop()

    def handle_data(self, data: str) -> None:
        for _, texts, name in self.into:
            texts[name] = texts.get(name, "") + data


@pytest.fixture(scope="module")
def written() -> Reader:
    reader = Reader()
    reader.feed(PAGE.read_text(encoding="utf-8"))
    reader.close()
    return reader


@pytest.fixture(scope="module")
def shared() -> ModuleType:
    """``docs/registry.py``."""
    spec = importlib.util.spec_from_file_location("registry", ROOT / "docs" / "registry.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def said(family: dict[str, Any]) -> Iterator[str]:
    """What the section of a family must have."""
    yield from (family[field] for field in ("name", "summary", "prose", "formula", "citation"))
    yield from family["aliases"]
    for parameter in family["parameters"]:
        yield from parameter.values()
    yield from (word for word in ("rel", "gain") if family[word])
    yield family["range"]
    for peer in family["peers"]:
        yield from peer.values()
    for example in family["examples"]:
        yield from (example["measure"], example["working"], f"{example['value']:.6g}")


@pytest.mark.parametrize("seed", ["0", "1"])
def test_the_files_are_fresh_and_the_same_every_time(seed: str) -> None:
    done = subprocess.run(
        [sys.executable, "docs/generate.py", "--check"],
        cwd=ROOT,
        env={**os.environ, "PYTHONHASHSEED": seed},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_the_page_has_every_family_with_all_that_is_known(written: Reader) -> None:
    assert list(written.sections) == list(written.rows) == NAMES
    for family in REGISTRY:
        section = plain(written.sections[family["name"]])
        for text in said(family):
            assert plain(text) in section, (family["name"], text)
        assert family["summary"] in written.rows[family["name"]]


def test_the_examples_of_the_page_show_list_and_grades(written: Reader) -> None:
    for family in (*families(), *forms()):
        section = plain(written.sections[family["name"]])
        for example in family["examples"]:
            judged = (pair.split(";")[0] for pair in example["judgments"].split())
            grades = dict(pair.split("=") for pair in judged)
            drawn = " ".join(d + grades.get(d, "?") for d in example["list"].split())
            assert drawn in section or drawn.replace(" ", "") in section, example


@pytest.mark.parametrize("function", functions(), ids=lambda function: str(function["name"]))
def test_the_examples_of_functions_are_right(function: dict[str, Any]) -> None:
    for example in function["examples"]:
        found = eval(example["measure"], {"cf": cranfield})
        assert found == pytest.approx(example["value"], rel=1e-12)
    called = function["call"].partition("(")[0].removeprefix("cf.")
    place: Any = cranfield
    for name in called.split("."):
        place = getattr(place, name)
    assert callable(place)


def test_the_text_has_every_family_with_all_that_is_known() -> None:
    text = MARKDOWN.read_text(encoding="utf-8")
    for family in REGISTRY:
        name = family["name"]
        section = plain(text.partition(f"\n### {name}\n")[2].partition("\n### ")[0])
        for wanted in said(family):
            assert plain(wanted).replace("|", "\\|") in f"{name} {section}", (name, wanted)
        row = next(line for line in text.splitlines() if line.startswith(f"| [{name}](#"))
        assert family["summary"] in row


def test_links_lead_somewhere(written: Reader) -> None:
    assert [name for name, times in Counter(written.ids).items() if times > 1] == []
    anchors = {unquote(to[1:]) for tag, to in written.references if to.startswith("#")}
    assert {*NAMES, "tools"} <= anchors <= set(written.ids)
    text = MARKDOWN.read_text(encoding="utf-8")
    headings: set[str] = set()
    slugs: Counter[str] = Counter()
    for line in text.splitlines():
        if re.match(r"#+ ", line):
            slug = re.sub(r"[^\w -]", "", line.lstrip("# ").lower()).replace(" ", "-")
            # A page numbers headings that repeat.
            headings.add(f"{slug}-{slugs[slug]}" if slugs[slug] else slug)
            slugs[slug] += 1
    assert len(headings) == slugs.total()
    links = re.findall(r"\]\(([^)\s]+)\)", text)
    assert len(links) > len(NAMES)
    rows = re.findall(r"^\| \[\S+\]\((#\S+)\)", text, re.MULTILINE)
    assert len(rows) == len(set(rows)) == len(NAMES)
    for link in links:
        assert link[1:] in headings if link[0] == "#" else (MARKDOWN.parent / link).exists(), link


def test_the_page_needs_nothing_else(written: Reader) -> None:
    outside = [(tag, to) for tag, to in written.references if not to.startswith("#")]
    assert outside == [("link", "data:,")]
    content = PAGE.read_text(encoding="utf-8")
    assert not re.search(r"@import|url\(|https?://", content)


def test_every_tool_is_described_and_used(shared: ModuleType) -> None:
    used = {shared.tool_of(peer["tool"]).name for f in REGISTRY for peer in f["peers"]}
    assert used == {tool.name for tool in shared.TOOLS}
    text = MARKDOWN.read_text(encoding="utf-8")
    for tool in shared.TOOLS:
        assert f"| {' | '.join(tool)} |" in text


def test_what_one_writes_here_instead_is_said_and_set_as_code(written: Reader) -> None:
    instead = [peer["here"] for family in (*families(), *forms()) for peer in family["peers"]]
    assert len(set(instead)) > 40
    for family in (*families(), *forms()):
        for peer in family["peers"]:
            if peer["here"]:
                assert peer["difference"].endswith(f"is {peer['here']} here")
                assert str(parse_measures(peer["here"])[0]) == peer["here"]


def test_what_is_written_first_works_as_written(shared: ModuleType) -> None:
    for family in families():
        for form in shared.forms(family):
            text = form.replace("@k", "@10").replace("@t", "@0.1")
            assert len(parse_measures(text)) == 1, form
    text = (ROOT / "docs" / "explanation" / "which-measure.md").read_text(encoding="utf-8")
    named = [row.split("|")[2] for row in text.splitlines() if row.startswith("| ")][1:]
    spelled = [word for cell in named for word in re.findall(r"`(n?[A-Z].*?)`", cell)]
    assert len(spelled) >= 7
    for word in spelled:
        assert parse_measures(word.replace("@k", "@10")), word


def test_spellings_that_are_taken_mean_what_the_reference_says() -> None:
    taken = 0
    for family in REGISTRY:
        for peer in family["peers"]:
            if peer["tool"] not in CLAIMED:
                continue
            try:
                meant = {measure.family for measure in parse_measures(peer["spelling"])}
            except cranfield.Error:
                continue
            taken += 1
            if (peer["tool"], peer["spelling"]) in ANOTHER_MEASURE_HERE:
                assert meant != {family["name"]}
            else:
                assert meant == {family["name"]} or peer["difference"], (family["name"], peer)
    assert taken > 60


def test_no_tool_has_the_same_entry_twice() -> None:
    for family in REGISTRY:
        entries = [(peer["tool"], peer["spelling"]) for peer in family["peers"]]
        assert len(entries) == len(set(entries)), family["name"]
        for peer in family["peers"]:
            assert peer["difference"] == plain(peer["difference"]).rstrip("."), peer


@pytest.mark.parametrize("name", ["nDCG", "bpref", "Rprec"])
def test_the_command_line_names_the_other_tools(name: str) -> None:
    text = called("measures", name).stdout
    shown = plain(text.partition("\nAlso in")[2].partition("\n\n")[0])
    family = REGISTRY[NAMES.index(name)]
    assert family["peers"]
    for peer in family["peers"]:
        assert plain(f"{peer['tool']} {peer['spelling']} {peer['difference']}") in shown
    content = called("measures", name, "--format", "json").stdout
    assert json.loads(content)["measures"] == [family]


# --- the page in a browser ----------------------------------------------------------------


class Opened:
    """The page in a window, its console errors and its requests."""

    def __init__(self, browser: Browser, **options: Any) -> None:
        self.context: BrowserContext = browser.new_context(**options)
        self.page: Page = self.context.new_page()
        self.page.set_default_timeout(10_000)
        self.said: list[str] = []
        self.asked: list[str] = []
        self.page.on("console", lambda message: self.said.append(message.text))
        self.page.on("pageerror", lambda error: self.said.append(str(error)))
        self.page.on("request", lambda request: self.asked.append(request.url))

    def go(self, state: str = "") -> Page:
        self.page.goto("about:blank")
        self.page.goto(PAGE.as_uri() + state)
        return self.page

    def visible(self) -> list[str]:
        """The measures whose sections can be seen."""
        sections = self.page.locator("article.measure:visible")
        return [str(name) for name in sections.evaluate_all("all => all.map(one => one.id)")]

    def rows(self) -> list[str]:
        """The measures whose rows can be seen."""
        rows = self.page.locator("tr[data-row]:visible")
        return [str(name) for name in rows.evaluate_all("all => all.map(one => one.dataset.row)")]

    def count(self) -> str:
        return self.page.locator("#count").inner_text()

    def fits(self) -> bool:
        """Whether nothing makes the page wider than the window."""
        script = "document.documentElement.scrollWidth <= document.documentElement.clientWidth"
        return bool(self.page.evaluate(script))


@pytest.fixture(scope="module")
def window(browser: Browser) -> Iterator[Opened]:
    window = Opened(browser, viewport={"width": 1280, "height": 900})
    yield window
    window.context.close()


@pytest.fixture
def opened(window: Opened) -> Iterator[Opened]:
    window.said.clear()
    window.asked.clear()
    yield window
    assert window.said == []
    asked = {url.partition("?")[0].partition("#")[0] for url in window.asked}
    assert asked == {PAGE.as_uri()}


def test_at_first_all_measures_are_there(opened: Opened) -> None:
    page = opened.go()
    assert opened.visible() == opened.rows() == NAMES
    assert opened.count() == f"{len(NAMES)} of {len(NAMES)} measures"
    assert not page.locator("#answers").is_visible()
    assert opened.fits()


FOUND = {
    "ndcg_cut_10": "nDCG",
    "ndcg_cut_37": "nDCG",
    "NDCG@20": "nDCG",
    "ndcg_burges": "nDCG",
    "map": "AP",
    "map_cut.100": "AP",
    "recip_rank": "RR",
    "mrr": "RR",
    "mrr@10": "RR",
    "R_cap_at_k": "Rcap",
    "P_5": "P",
    "hit_rate@3": "Success",
    "rbp.95": "RBP",
    "iprec_at_recall_0.20": "IPrec",
    "Hole_at_3": "Hole",
    "bpref_10": "bpref_10",
    "Q-measure": "Q",
    "f1": "SetF",
    "Rprec_mult_0.40": "Rprec",
    "prefs_simp_imp": "Pref",
    "utility": "Utility",
    "11pt_avg": "IAP",
    "mean average precision": "AP",
    "hit rate": "Success",
    "hit rate at 10": "Success",
    "normalised discounted cumulative gain": "nDCG",
    "Normalized discounted cumulated gain": "nDCG",
    "n-pref": "rpref_relative",
}
"""What one might type, and the measure that it should find."""


def test_the_spelling_of_any_tool_finds_the_measure(opened: Opened) -> None:
    page = opened.go()
    for query, family in FOUND.items():
        page.locator("#search").fill(query)
        visible = opened.visible()
        assert family in visible
        assert visible == opened.rows()
        assert len(visible) < len(NAMES) / 8
        assert opened.count() == f"{len(visible)} of {len(NAMES)} measures"
        assert page.locator("#answers h2 a").first.inner_text() == family
        assert page.evaluate("new URLSearchParams(location.search).get('q')") == query
        groups = page.locator("section.group:visible").count()
        assert groups == page.locator("tbody[data-group]:visible").count()
        assert groups == len({f["group"] for f in REGISTRY if f["name"] in visible})


def test_what_is_no_measure_is_found(opened: Opened) -> None:
    page = opened.go()
    assert not page.locator("#others").is_visible()
    for query, wanted in (
        ("kappa", "agreement of judges"),
        ("discriminative power", "stability of measures"),
        ("condensed list", "condensed list"),
        ("coverage_error", "coverage error"),
        ("hits@10", "hits"),
        ("zobel 2010", "cranfield study depth"),
    ):
        page.locator("#search").fill(query)
        found = page.locator("#others li:visible code:first-child").all_inner_texts()
        assert wanted in found, query
        assert len(found) < 30


def test_what_ndcg_is_in_each_tool(opened: Opened) -> None:
    page = opened.go()
    page.locator("#search").fill("ndcg")
    shown = plain(page.locator("#answers").inner_text())
    family = REGISTRY[NAMES.index("nDCG")]
    assert family["summary"] in shown
    same = page.locator("#answers ul code").all_inner_texts()
    for peer in family["peers"]:
        assert peer["tool"] in shown
        assert peer["spelling"] in shown
        assert peer["difference"] in shown
        assert (peer["spelling"] in same) == (not peer["difference"])


def test_every_spelling_is_answered_as_python_would(opened: Opened, shared: ModuleType) -> None:
    """The page has its own copy of ``key``."""
    known = shared.names(REGISTRY)
    own: dict[str, set[str]] = {}
    every: dict[str, set[str]] = {}
    for family in REGISTRY:
        for name in (family["name"], *family["aliases"]):
            own.setdefault(name, set()).add(family["name"])
        for peer in family["peers"]:
            own.setdefault(peer["spelling"], set()).add(family["name"])
    for spelling, found in own.items():
        every.setdefault(shared.key(spelling, known), set()).update(found)
    page = opened.go()
    answers = page.evaluate(
        """queries => queries.map(query => {
            const input = document.getElementById("search");
            input.value = query;
            input.dispatchEvent(new Event("input"));
            const links = [...document.querySelectorAll("#answers h2 a")];
            const shown = [...document.querySelectorAll(".measure:not([hidden])")];
            return [links.map(link => link.textContent), shown.map(section => section.id)];
        })""",
        list(own),
    )
    assert len(answers) > 200
    for spelling, (answered, shown) in zip(own, answers, strict=True):
        assert set(answered) == every[shared.key(spelling, known)], spelling
        if " " not in spelling:
            assert own[spelling] <= set(shown), spelling


def test_words_narrow_the_search(opened: Opened) -> None:
    page = opened.go()
    box = page.locator("#search")
    box.fill("sakai")
    some = opened.visible()
    assert {"Q", "bpref", "rpref_N"} <= set(some)
    box.fill("sakai gain")
    assert {"Q"} <= set(opened.visible()) < set(some)
    box.fill("preference")
    assert {f["name"] for f in REGISTRY if f["group"] == "preference"} <= set(opened.visible())
    box.fill("rbp_eval")
    assert set(opened.visible()) == {
        f["name"] for f in REGISTRY if any(p["tool"] == "rbp_eval" for p in f["peers"])
    }
    box.fill("no such measure")
    assert opened.visible() == opened.rows() == []
    assert opened.count() == f"0 of {len(NAMES)} measures"
    assert not page.locator("#answers").is_visible()
    box.fill("")
    assert opened.visible() == NAMES
    assert "?" not in page.url


@pytest.mark.parametrize("state", ["?q=ndcg_cut_10", "#q=ndcg_cut_10"])
def test_a_search_can_be_linked(opened: Opened, state: str) -> None:
    page = opened.go(state)
    assert page.locator("#search").input_value() == "ndcg_cut_10"
    assert opened.visible() == ["nDCG"]


def test_a_search_is_still_there_after_reloading(opened: Opened) -> None:
    page = opened.go()
    page.locator("#search").fill("R_cap & co")
    page.reload()
    assert page.locator("#search").input_value() == "R_cap & co"
    page.locator("#search").fill("r_cap")
    page.reload()
    assert opened.visible() == ["Rcap"]


def test_the_keyboard_is_enough(opened: Opened) -> None:
    page = opened.go()
    page.keyboard.press("/")
    assert page.evaluate("document.activeElement.id") == "search"
    page.keyboard.type("recip_rank")
    assert opened.visible() == ["RR"]
    page.keyboard.press("Enter")
    assert page.evaluate("location.hash") == "#RR"
    assert page.evaluate("document.activeElement.closest('article').id") == "RR"
    assert page.locator("#RR h3").bounding_box() is not None
    page.keyboard.press("/")
    assert page.locator("#search").input_value() == "recip_rank"
    page.keyboard.press("Escape")
    assert opened.visible() == NAMES
    page.keyboard.type("a/b")
    assert page.locator("#search").input_value() == "a/b"


def test_keys_of_the_browser_are_left_alone(opened: Opened) -> None:
    page = opened.go()
    page.keyboard.press("Control+/")
    assert page.evaluate("document.activeElement.id") != "search"
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.keyboard.press("Enter")
    assert page.evaluate("location.hash") == "#table"


def test_a_heading_is_not_hidden_by_the_search_box(opened: Opened) -> None:
    page = opened.go("#nDCG")
    bar, heading = page.locator(".search").bounding_box(), page.locator("#nDCG h3").bounding_box()
    assert bar is not None
    assert heading is not None
    assert bar["y"] == 0
    assert bar["height"] <= heading["y"] < 200


def test_a_link_to_a_measure_that_is_hidden_ends_the_search(opened: Opened) -> None:
    page = opened.go("?q=ndcg")
    page.evaluate("location.hash = '#bpref'")
    page.wait_for_function("document.getElementById('search').value === ''")
    assert opened.visible() == NAMES
    assert page.url.endswith("measures.html#bpref")
    opened.go("?q=ndcg#bpref")
    assert opened.visible() == NAMES


def test_a_row_leads_to_its_section_and_back(opened: Opened) -> None:
    page = opened.go("?q=ndcg")
    page.locator("tr[data-row=enDCG] a").click()
    assert page.url.endswith("?q=ndcg#enDCG")
    page.go_back()
    assert page.url.endswith("?q=ndcg")
    assert "enDCG" in opened.visible()


def luminance(color: str) -> float:
    """Relative luminance, as the guidelines on accessible content define it."""
    parts = [int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_colors_of_both_schemes_can_be_read(browser: Browser, scheme: str) -> None:
    opened = Opened(browser, color_scheme=scheme)
    page = opened.go("?q=ndcg")
    color = {
        name: str(
            page.evaluate(
                "name => getComputedStyle(document.documentElement).getPropertyValue(name)",
                f"--{name}",
            )
        ).strip()
        for name in ("paper", "shade", "tint", "mark", "ink", "soft", "accent", "warn")
    }
    dark = luminance(color["paper"]) < luminance(color["ink"])
    assert dark == (scheme == "dark")
    pairs = [(front, back) for front in ("ink", "soft", "accent", "warn") for back in ("paper",)]
    pairs += [("ink", "tint"), ("soft", "tint"), ("accent", "tint"), ("warn", "tint")]
    pairs += [("ink", "shade"), ("soft", "shade"), ("accent", "shade"), ("ink", "mark")]
    for front, back in pairs:
        low, high = sorted((luminance(color[front]), luminance(color[back])))
        assert (high + 0.05) / (low + 0.05) >= 4.5, (front, back)
    background = page.evaluate("getComputedStyle(document.body).backgroundColor")
    red, green, blue = (int(part) for part in re.findall(r"\d+", str(background)))
    assert f"#{red:02x}{green:02x}{blue:02x}" == color["paper"]
    opened.context.close()


@pytest.mark.parametrize("width", [320, 390, 768])
def test_a_narrow_window_needs_no_scrolling_sideways(browser: Browser, width: int) -> None:
    opened = Opened(browser, viewport={"width": width, "height": 800}, has_touch=True)
    page = opened.go()
    for query in ("", "ndcg"):
        page.locator("#search").fill(query)
        assert opened.fits()
        wide = page.evaluate(
            """() => [...document.querySelectorAll("main *")]
                .filter(one => one.getClientRects().length)
                .filter(one => one.getBoundingClientRect().right > innerWidth + 0.5)
                .map(one => one.outerHTML.slice(0, 100))"""
        )
        assert wide == []
    assert page.locator("#search").is_visible()
    assert opened.said == []
    opened.context.close()


def test_without_scripts_everything_is_visible(browser: Browser) -> None:
    opened = Opened(browser, java_script_enabled=False)
    page = opened.go("?q=ndcg")
    # Nothing can be counted by a script here: the locators do it.
    assert page.locator("article.measure:visible").count() == len(NAMES)
    assert page.locator("tr[data-row]:visible").count() == len(NAMES)
    assert not page.locator("#search").is_visible()
    opened.context.close()


def test_the_page_can_be_printed(opened: Opened) -> None:
    page = opened.go()
    page.emulate_media(media="print")
    assert not page.locator("#search").is_visible()
    assert opened.visible() == NAMES
    assert page.pdf(format="A4").startswith(b"%PDF")
    page.emulate_media(media="screen")
