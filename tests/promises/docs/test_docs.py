"""What the documents say agrees with the program: links, options, errors, spellings, fields."""

from __future__ import annotations

import inspect
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import cranfield
import pytest
from cranfield._cli.parser import flag_of
from cranfield._core import evaluating_options, parse_measures

from tests import ROOT
from tests.promises.docs.reader import blocks, pages


def headings(path: Path) -> set[str]:
    """The anchors of a document's headings."""
    text = path.read_text(encoding="utf-8")
    outside = re.sub(r"^```.*?^```", "", text, flags=re.M | re.S)
    found: Counter[str] = Counter()
    anchors = set()
    for title in re.findall(r"^#+ (.*)$", outside, re.M):
        slug = re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-")
        anchors.add(f"{slug}-{found[slug]}" if found[slug] else slug)
        found[slug] += 1
    return anchors


def test_links_lead_somewhere() -> None:
    named = ("README.md", "CONTRIBUTING.md", "DESIGN.md", "BIAS.md")
    for path in (*(ROOT / name for name in named), *pages()):
        text = path.read_text(encoding="utf-8")
        for target in re.findall(r"\]\(([^)\s]+)\)", text):
            if "://" in target:
                continue
            page, _, anchor = target.partition("#")
            leads = path.parent / page if page else path
            assert leads.exists(), f"{path}: {target}"
            if anchor and leads.suffix == ".md":
                assert anchor in headings(leads), f"{path}: {target}"


def spans(text: str) -> list[str]:
    """The words in code font."""
    return re.findall(r"`([^`]+)`", text)


def rows(page: str, section: str = "") -> Iterator[list[str]]:
    """The cells of the table rows of a page, or of a section of it."""
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    body = text.partition(f"\n## {section}\n")[2].partition("\n## ")[0] if section else text
    assert body, section
    for line in body.splitlines():
        if line.startswith("| "):
            yield [cell.strip() for cell in line.strip("|").split("|")]


def test_the_page_of_options_has_every_one_with_its_values() -> None:
    listed = {spans(row[0])[0]: row for row in rows("reference/options.md") if spans(row[0])}
    keywords = [
        name
        for name, parameter in inspect.signature(cranfield.evaluate).parameters.items()
        if parameter.kind is parameter.KEYWORD_ONLY
    ]
    assert set(keywords) <= set(listed)
    for option in evaluating_options():
        row = listed[option["name"]]
        assert spans(row[1]) == [flag_of(option["name"])]
        # A form such as `KIND=COLUMN` is no word.
        assert tuple(span for span in spans(row[2]) if "=" not in span) == option["words"]


def test_the_page_of_errors_has_every_kind_of_error() -> None:
    rust = (ROOT / "rust/core/src/error.rs").read_text(encoding="utf-8")
    kinds = re.findall(r'^    [A-Z]\w+ = "(\w+)",$', rust, re.MULTILINE)
    listed = [kind for row in rows("reference/errors.md") for kind in spans(row[0])]
    assert len(kinds) > 10
    # These arrive as KeyboardInterrupt and MemoryError.
    assert sorted(listed) == sorted(set(kinds) - {"cancelled", "memory"})


def test_spellings_of_other_tools_print_as_the_page_says() -> None:
    compared = 0
    for _, accepted, printed in (
        r for r in rows("reference/notation.md", "Spellings of other tools") if len(r) == 3
    ):
        ours = spans(printed)
        if not ours or re.sub(r"`[^`]+`", "", accepted).strip():
            continue
        found = [str(m) for text in spans(accepted) for m in parse_measures(text)]
        assert found == " ".join(ours).split()
        compared += len(found)
    assert compared > 20


def test_refused_spellings_are_refused() -> None:
    refused = [
        spelling
        for row in rows("reference/notation.md", "Spellings of other tools")
        if len(row) == 2
        for spelling in spans(row[0])
    ]
    assert len(refused) > 5
    for spelling in refused:
        with pytest.raises(cranfield.Error, match=r"refused|elsewhere is"):
            parse_measures(spelling)


def fields(rust: str) -> dict[str, list[str]]:
    """The parts that the text of a measure's file gives, each with its fields, in order."""
    family = rust[rust.index("pub static FAMILY: Family = Family {") :].partition("\n};")[0]
    found: dict[str, list[str]] = {}
    for part, text in re.findall(r"^    (\w+): (.*?)(?=^    \w|\Z)", family, re.M | re.S):
        inner = r"(?:^ {8}|[{,] )(\w+): " if part in STRUCTS else r"(?:^ {8}| {12})(\w+): "
        found[part] = list(dict.fromkeys(re.findall(inner, text, re.M)))
    return found


STRUCTS = {"about": "About", "takes": "Takes", "sees": "Sees", "laws": "Laws"}
"""The parts of a family with fields of their own."""


def test_the_measure_of_contributing_has_the_fields_of_the_model() -> None:
    measures = ROOT / "rust" / "core" / "src" / "measure"
    model = fields((measures / "families" / "ap.rs").read_text(encoding="utf-8"))
    block = next(b for b in blocks(ROOT / "CONTRIBUTING.md") if b.language == "rust")
    example = fields(block.text)
    assert list(example) == list(model)
    assert example["about"] == model["about"]
    assert example["examples"] == model["examples"]
    definition = (measures / "family.rs").read_text(encoding="utf-8")
    for part, name in {"": "Family", **STRUCTS}.items():
        struct = definition[definition.index(f"pub struct {name} {{") :].partition("\n}")[0]
        known = re.findall(r"^    pub (\w+):", struct, re.MULTILINE)
        used = example[part] if part else list(example)
        assert used == [field for field in known if field in used]
        if part in ("", "about"):
            assert used == known
