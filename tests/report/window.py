"""A page in a window of a browser, and what is asked of it.

The rules of accessible pages are those of axe-core.
"""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page


class Opened:
    """A page in a window, what it said and what it asked for."""

    def __init__(self, browser: Browser, path: Path, state: str = "", **options: Any) -> None:
        self.context: BrowserContext = browser.new_context(accept_downloads=True, **options)
        self.page: Page = self.context.new_page()
        self.page.set_default_timeout(20_000)
        self.said: list[str] = []
        self.asked: list[str] = []
        self.page.on("console", lambda message: self.said.append(message.text))
        self.page.on("pageerror", lambda error: self.said.append(str(error)))
        self.page.on("dialog", lambda dialog: self.said.append(f"dialog {dialog.message}"))
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.page.goto(path.as_uri() + state)
        if options.get("java_script_enabled", True) and self.page.locator("#data").count():
            self.page.wait_for_selector("html[data-ready]", state="attached")
        self.uri = path.as_uri()

    def close(self) -> None:
        """Nothing was said, and nothing asked for but the file and what it made itself."""
        assert self.said == []
        others = {
            url.partition("#")[0] for url in self.asked if not url.startswith(("data:", "blob:"))
        }
        assert others == {self.uri}
        self.context.close()

    def wide(self) -> list[str]:
        """What stands beyond the window and is not in a box that scrolls or cuts."""
        found: list[str] = self.page.evaluate(
            """() => {
                const clipped = (one) => {
                    for (let up = one.parentElement; up; up = up.parentElement) {
                        const style = getComputedStyle(up);
                        if (style.overflowX !== "visible") return true;
                        if (style.position === "fixed") return true;
                    }
                    return false;
                };
                return [...document.querySelectorAll("body *")]
                    .filter((one) => one.getClientRects().length && !clipped(one))
                    .filter((one) => one.getBoundingClientRect().right > innerWidth + 0.5)
                    .map((one) => one.outerHTML.slice(0, 120));
            }"""
        )
        root = "document.documentElement"
        if self.page.evaluate(f"{root}.scrollWidth > {root}.clientWidth"):
            found.append("the page scrolls sideways")
        return found


def violations(page: Page, inside: str = "html") -> list[str]:
    """What axe-core finds in what a selector names, each with the first place."""
    axe = (files("axe_playwright_python") / "axe.min.js").read_text(encoding="utf-8")
    page.evaluate(axe)
    # What passes is a list of thousands of places, and brought here slowly.
    call = "axe.run(inside, {resultTypes: ['violations']}).then((found) => found.violations)"
    found = page.evaluate(f"(inside) => {call}", inside)
    return [
        f"{one['id']}: {one['help']}: {node['html'][:160]} {node.get('failureSummary', '')[:300]}"
        for one in found
        for node in one["nodes"][:1]
    ]
