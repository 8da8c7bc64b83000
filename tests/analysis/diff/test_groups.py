"""A difference in groups of topics: against differences of the same topics alone."""

from __future__ import annotations

import csv
import io
import json
import math
import re
from pathlib import Path

import cranfield as cf
import pytest
from cranfield import _cli as cli

from tests import ROOT
from tests.commands import unsigned

EXAMPLE = ROOT / "examples" / "debtags"
QRELS = str(EXAMPLE / "qrels.txt")
A = str(EXAMPLE / "runs" / "bm25-title-stem.run.gz")
B = str(EXAMPLE / "runs" / "dense-minilm.run.gz")
TOPICS = cf.read_qrels(QRELS).topics
GROUPS = {"some": TOPICS[:20], "one": TOPICS[3:4], "rest": TOPICS[20:]}
PAIRS = [(topic, group) for group, own in GROUPS.items() for topic in own]


@pytest.fixture
def file(tmp_path: Path) -> str:
    path = tmp_path / "groups.tsv"
    path.write_text("topic\tgroup\n" + "".join(f"{t}\t{g}\n" for t, g in PAIRS))
    return str(path)


@pytest.mark.parametrize("measure", ["AP", "P@10", "RR", "num_rel_ret"])
def test_groups_are_the_difference_of_their_topics(measure: str) -> None:
    found = cf.diff(QRELS, A, B, measure, topic_groups=PAIRS)
    judged = cf.read_qrels(QRELS).to_dict()
    assert list(found.groups) == list(GROUPS)
    for group, own in GROUPS.items():
        part = found.groups[group]
        with pytest.warns(cf.CranfieldWarning):
            alone = cf.diff({topic: judged[topic] for topic in own}, A, B, measure)
        for name in ("a", "b", "difference", "low", "high", "gain", "loss"):
            expected = getattr(alone, name)
            assert getattr(part, name) == pytest.approx(expected, abs=1e-12, nan_ok=True), name
        assert [t.topic for t in part.topics] == [t.topic for t in alone.topics]
        assert (len(part.higher), len(part.lower)) == (len(alone.higher), len(alone.lower))
        shares = [found[topic].share or 0.0 for topic in own]
        assert found.share(group) == pytest.approx(math.fsum(shares))
        ends = part.interval()
        if len(own) < 2 or measure == "num_rel_ret":
            assert math.isnan(ends.low)
        else:
            differences = [[found[topic].difference for topic in own]]
            expected = cf.stats.mean_interval(differences)
            assert (ends.low, ends.high) == pytest.approx((expected.low[0], expected.high[0]))
    with pytest.raises(cf.LabelError, match="no group 'none'"):
        found.share("none")


def test_groups_in_every_format(
    file: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["diff", QRELS, A, B, "-m", "AP", "--topic-groups", file, "--details", "0"]
    found = cf.diff(QRELS, A, B, "AP", topic_groups=file)

    def printed(*more: str) -> str:
        assert cli.main([*words, *more]) == 0
        return unsigned(capsys.readouterr().out)

    table = printed()
    (line,) = [line for line in table.splitlines() if line.startswith("some ")]
    assert line.split()[:3] == ["some", "20", f"{found.groups['some'].a:.4f}"]
    assert f"\nall    {len(TOPICS)} " in table
    assert "100.0%" in table
    rows = list(csv.DictReader(io.StringIO(printed("--format", "csv"))))
    assert {row["group"] for row in rows} == {*GROUPS, "all"}
    assert {row["topic"] for row in rows if row["group"] == "one"} == {TOPICS[3]}
    whole = math.fsum(float(row["effect"]) for row in rows if row["group"] == "some")
    assert whole / 20 == pytest.approx(found.groups["some"].difference)
    content = json.loads(printed("--format", "json"))["groups"]
    assert [group["group"] for group in content] == list(GROUPS)
    assert content[1]["ci"] == {"low": None, "high": None}
    assert content[0]["difference"] == found.groups["some"].difference
    page = tmp_path / "page.html"
    printed("-o", str(page))
    assert "Groups of topics" in page.read_text()
    assert "group" in repr(found)
    assert "<table" in found._repr_html_()


@pytest.mark.parametrize(
    ("groups", "message"),
    [
        ({"nowhere": "x"}, "no topic 'nowhere' (group 'x')"),
        ({TOPICS[0]: "all"}, "expected a name of a group other than 'all'"),
    ],
)
def test_bad_groups(groups: dict[str, str], message: str) -> None:
    with pytest.raises(cf.Error, match=re.escape(message)) as caught:
        cf.diff(QRELS, A, B, "AP", topic_groups=groups)
    assert caught.value.kind == "label"
