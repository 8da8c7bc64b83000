"""The site is built without a warning, its links lead somewhere, and nothing public is missing."""

from __future__ import annotations

import importlib
import inspect
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

import cranfield
import pytest
from cranfield._cli import COMMANDS

from tests import ROOT
from tests.commands import called
from tests.promises.docs.reader import SITE, pages

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytest.importorskip("furo")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the built site."""
    made = tmp_path_factory.mktemp("site")
    command = ["-m", "sphinx", "--quiet", "--fail-on-warning", "--keep-going"]
    done = subprocess.run(
        [sys.executable, *command, "--doctree-dir", made / "doctrees", SITE, made / "html"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return made / "html"


class Linked(HTMLParser):
    """The ids of a page, and what it refers to."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.ids: set[str] = set()
        self.references: list[str] = []
        self.feed(path.read_text(encoding="utf-8"))
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = {name: value or "" for name, value in attrs}
        self.ids |= {found[name] for name in ("id", "name") if name in found}
        self.references += (found[name] for name in ("href", "src", "srcset") if name in found)


def test_every_page_is_built(site: Path) -> None:
    for page in pages():
        assert (site / page.relative_to(SITE).with_suffix(".html")).exists(), page


def test_every_link_of_the_site_leads_somewhere(site: Path) -> None:
    parsed = {path: Linked(path) for path in site.rglob("*.html")}
    followed = 0
    for path, page in parsed.items():
        for reference in page.references:
            parts = urlsplit(reference)
            if parts.scheme:
                continue
            leads = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            leads = leads / "index.html" if leads.is_dir() else leads
            assert leads.exists(), (path, reference)
            if parts.fragment and leads in parsed:
                assert unquote(parts.fragment) in parsed[leads].ids, (path, reference)
            followed += 1
    assert followed > 1000


def test_no_page_asks_another_host(site: Path) -> None:
    """Scripts, styles, fonts and pictures are all in the site, which works without a network."""
    for path in site.rglob("*.html"):
        text = path.read_text(encoding="utf-8")
        for tag in ("<script", "<link", "<img", "<source"):
            for part in text.split(tag)[1:]:
                assert "://" not in part.partition(">")[0], (path, tag)


def test_the_search_works_from_a_folder(site: Path, browser: Browser) -> None:
    page = browser.new_page()
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    page.goto((site / "search.html").as_uri() + "?q=condensed")
    # What was found comes one after the other.
    page.locator("#search-results li a", has_text="Terms").first.wait_for()
    page.close()
    assert said == []


def public() -> set[str]:
    """The full names of what is public, without the measures and submodules."""
    found = {f"cranfield.{name}" for name in cranfield.__all__}
    for name in dir(cranfield):
        module = getattr(cranfield, name)
        if inspect.ismodule(module) and name != "measures":
            found |= {f"cranfield.{name}.{public}" for public in module.__all__}
    return found - {"cranfield.__version__", "cranfield.curves"}


def test_every_public_name_has_its_place_with_its_types(site: Path) -> None:
    texts = [path.read_text("utf-8") for path in (site / "reference").rglob("*.html")]
    ids = {found for text in texts for found in re.findall(r'<dt [^>]*id="([\w.]+)"', text)}
    assert public() - ids == set()
    # Of native classes, too, whose types are in stubs only.
    assert {"cranfield.Qrels.from_arrays", "cranfield.Run.from_topk"} <= ids
    (text,) = (text for text in texts if 'id="cranfield.Qrels.from_arrays"' in text)
    start = text.index('id="cranfield.Qrels.from_arrays"')
    assert "ArrayLike" in text[start : text.index("</dt>", start)]


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_its_page_with_all_flags(site: Path, command: str) -> None:
    text = (site / "reference" / "commands" / f"{command}.html").read_text("utf-8")
    done = called(command, "--help" if command == "trec_eval" else "--help-all")
    flags = set(re.findall(r"--[a-z][a-z-]*[a-z]", done.stdout)) - {"--help"}
    assert {flag for flag in flags if flag not in text} == set()
    if command != "trec_eval":
        actions = (
            importlib.import_module(f"cranfield._cli.{command.replace('-', '_')}").parser()._actions
        )
        assert text.count('<dl class="std option">') == len(actions) - 1  # without --help
