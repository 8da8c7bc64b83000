"""The README's picture: the report of the example collection in Chromium, in both color schemes.

``make picture`` runs this. It needs playwright and a Chromium, which CHROMIUM may name.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
EXAMPLE = ROOT / "examples" / "debtags"
IMAGES = ROOT / "docs" / "images"
WIDTH, HEIGHT = 1290, 880


def report(path: Path) -> None:
    """Writes the report, as ``make demo`` does."""
    topics = [line.split()[0] for line in (EXAMPLE / "qrels.txt").read_text("utf-8").splitlines()]
    groups = path.with_suffix(".tsv")
    groups.write_text("".join(f"{topic}\t{topic.partition('::')[0]}\n" for topic in set(topics)))
    command = [sys.executable, "-m", "cranfield", "report", "qrels.txt", "runs/*.run.gz"]
    options = ["--baseline", "bm25-k1.2-b.75-stem", "--title", "Debtags: 16 systems", "--quiet"]
    options += ["--topic-groups", str(groups), "-o", str(path)]
    subprocess.run([*command, *options], cwd=EXAMPLE, check=True)


def main() -> int:
    """Takes the pictures."""
    from PIL import Image
    from playwright.sync_api import sync_playwright

    program = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chrome")
    if program is None:
        print("no chromium on PATH; CHROMIUM may name one", file=sys.stderr)
        return 1
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as driver:
        page_file = Path(folder) / "report.html"
        report(page_file)
        browser = driver.chromium.launch(executable_path=program, args=["--no-sandbox"])
        for scheme in ("light", "dark"):
            page = browser.new_page(
                viewport={"width": WIDTH, "height": HEIGHT},
                color_scheme=scheme,
            )
            page.goto(page_file.as_uri())
            path = IMAGES / f"report-{scheme}.png"
            page.screenshot(path=path)
            Image.open(path).convert("RGB").quantize(128).save(path, optimize=True)
            print(f"wrote {path.relative_to(ROOT)}")
        browser.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
