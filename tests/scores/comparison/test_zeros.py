"""A run without a relevant document has a small p-value, beside which stands why.

The oracle is the run itself: what it lacks was left out on purpose.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import cranfield as cf
import pytest
from cranfield._cli import main

if TYPE_CHECKING:
    from pathlib import Path

TOPICS = [f"q{i}" for i in range(12)]
QRELS = {topic: {"a": 1, "b": 0, "c": 1} for topic in TOPICS}
RUN = {
    topic: {"a": 1.0, "b": 1.5 if place % 3 else 0.5, "c": 0.75}
    for place, topic in enumerate(TOPICS)
}
WITHOUT: dict[str, tuple[dict[str, dict[str, float]], str]] = {
    "empty lists": ({topic: {} for topic in TOPICS}, "it retrieved nothing"),
    "nothing relevant": ({topic: {"b": 1.0} for topic in TOPICS}, "nothing relevant found"),
    "nothing judged": ({topic: {"x": 1.0} for topic in TOPICS}, "nothing relevant found"),
}
NOTHING_ELSE = "p-values only reflect that"


@pytest.fixture(params=list(WITHOUT))
def without(request: pytest.FixtureRequest) -> tuple[dict[str, dict[str, float]], str]:
    return WITHOUT[request.param]


def test_compare_says_so(without: tuple[Any, str]) -> None:
    run, why = without
    expected = f"odd: 0 on every topic, {why}: {NOTHING_ELSE}"
    with pytest.warns(cf.CranfieldWarning, match=expected):
        found = cf.compare(QRELS, {"run": RUN, "odd": run}, "AP nDCG@10")
    assert found.zeros == [expected]
    assert max(row.p for row in found.rows) < 1e-6
    for text in (repr(found), found._repr_html_()):
        assert f"{expected}." in text


def test_other_runs_are_not_named() -> None:
    low = {topic: {"b": 1.0} for topic in TOPICS[1:]} | {TOPICS[0]: {"a": 1.0}}
    found = cf.compare(QRELS, {"run": RUN, "low": low}, "AP")
    assert found.zeros == []
    # Where lower is better 0 is the best value.
    best = {topic: {"a": 1.0, "c": 0.5} for topic in TOPICS}
    assert cf.compare(QRELS, {"run": RUN, "best": best}, "E@2").zeros == []


def test_tiers_say_so(without: tuple[Any, str]) -> None:
    run, _ = without
    scores = cf.evaluate(QRELS, {"run": RUN, "odd": run}, "AP")
    expected = f"odd: 0 on every topic, nothing relevant found: {NOTHING_ELSE}"
    found = scores.tiers("AP")
    assert found.zeros == [expected]
    assert expected in repr(found)
    assert expected in found._repr_html_()


def write(run: dict[str, dict[str, float]], path: Path) -> None:
    lines = [
        f"{topic} Q0 {document} 1 {score} t\n"
        for topic, scored in run.items()
        for document, score in scored.items()
    ]
    path.write_text("".join(lines))


def test_commands_say_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    judged = [f"{topic} 0 {d} {g}\n" for topic, grades in QRELS.items() for d, g in grades.items()]
    (tmp_path / "some.qrels").write_text("".join(judged))
    write(RUN, tmp_path / "run.run")
    write(WITHOUT["nothing relevant"][0], tmp_path / "odd.run")
    expected = f"odd: 0 on every topic, nothing relevant found: {NOTHING_ELSE}"
    files = ["some.qrels", "run.run", "odd.run", "-m", "AP"]

    def printed(*words: str) -> str:
        assert main([*words]) in (0, 1)
        captured = capsys.readouterr()
        return " ".join(f"{captured.out} {captured.err}".split())

    for form in ("table", "markdown", "latex", "html"):
        text = printed("compare", *files, "--format", form)
        assert text.count(expected) == 1, form
        assert text.count(expected) == printed("eval", *files, "--tiers", "--format", form).count(
            expected
        )
    for name in ("run", "odd"):
        words = ["eval", "some.qrels", f"{name}.run", "-m", "AP", "--per-topic"]
        assert main([*words, "--format", "json", "--output", f"{name}.json"]) == 0
    capsys.readouterr()
    text = printed("check", "odd.json", "--baseline", "run.json", "--max-drop", "AP=0.01")
    assert f"odd now: 0 on every topic, nothing relevant found: {NOTHING_ELSE}" in text
    report = pytest.importorskip("jinja2") and printed("report", *files, "--output", "page.html")
    assert expected in (tmp_path / "page.html").read_text() + report
    assert json.loads((tmp_path / "odd.json").read_text())
