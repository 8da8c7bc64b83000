"""What judgments and runs are like: `describe`, and what is still to be judged.

The oracle is plain Python over the lines of the files: every number again by
loops over dicts and lists, and texts written out next to the data.
"""

from __future__ import annotations

import gzip
import math
import random
import re
import struct
import subprocess
import sys
from collections import defaultdict
from pathlib import Path
from typing import Any

import cranfield as cf
import pytest
from cranfield import collection
from cranfield._analysis.describe import DEPTHS

from tests import ROOT

EXAMPLE = ROOT / "examples" / "debtags"

Judgments = dict[str, dict[str, float]]
Lines = list[tuple[str, str, float]]
"""Topic, document and score, as in a file."""


# The oracle.


def median(numbers: list[int]) -> float:
    ordered = sorted(numbers)
    size = len(ordered)
    return float(
        ordered[size // 2] if size % 2 else (ordered[size // 2 - 1] + ordered[size // 2]) / 2
    )


def of_topics(judgments: Judgments, rel: float = 1, least: float = 0) -> dict[str, dict[str, int]]:
    """How many documents of each kind a topic has; ``least`` is the lowest grade that is one."""
    grades = sorted({grade for docs in judgments.values() for grade in docs.values()})
    table = {}
    for topic in sorted(judgments, key=str.encode):
        found = list(judgments[topic].values())
        row = {"judged": 0, "R": 0, "N": 0, "pooled only": 0}
        for grade in found:
            if grade < least:
                row["pooled only"] += 1
                continue
            row["judged"] += 1
            row["R" if grade >= rel and grade >= 0 else "N"] += 1
        for grade in grades:
            row[f"grade {grade:g}"] = found.count(grade)
        table[topic] = row
    return table


def of_judgments(topics: dict[str, dict[str, int]]) -> dict[str, dict[str, float]]:
    """The same in total and over topics."""
    table: dict[str, dict[str, float]] = {}
    for name in next(iter(topics.values())):
        numbers = [row[name] for row in topics.values()]
        table[name] = {
            "total": sum(numbers),
            "min": min(numbers),
            "median": median(numbers),
            "mean": sum(numbers) / len(numbers),
            "max": max(numbers),
        }
    return table


def of_run(judgments: Judgments, lines: Lines, tag: str, depths: tuple[int, ...]) -> dict[str, Any]:
    """What a run is like whose first line of a document counts."""
    lists: dict[str, dict[str, float]] = defaultdict(dict)
    dropped = 0
    for topic, document, score in lines:
        if document in lists[topic]:
            dropped += 1
        else:
            lists[topic][document] = score
    both = [topic for topic in judgments if topic in lists]
    ties = found = differs = 0
    judged: dict[int, list[float]] = {depth: [] for depth in depths}
    for topic in both:
        scores = list(lists[topic].values())
        ties += sum(scores.count(score) > 1 for score in scores)
        grades = judgments[topic]
        found += sum(grades.get(document, -1) >= 1 for document in lists[topic])
        ranked = sorted(lists[topic], key=lambda d: (lists[topic][d], d.encode()), reverse=True)
        singly = sorted(
            lists[topic],
            key=lambda d: (struct.unpack("f", struct.pack("f", lists[topic][d])), d.encode()),
            reverse=True,
        )
        places = zip(ranked, singly, strict=True)
        differs += any(a != b and max(grades.get(a, -1), grades.get(b, -1)) >= 0 for a, b in places)
        for depth in depths:
            first = ranked[:depth]
            judged[depth].append(sum(grades.get(d, -1) >= 0 for d in first) / len(first))
    lengths = [len(lists[topic]) for topic in both]
    relevant = sum(grade >= 1 for docs in judgments.values() for grade in docs.values())
    return {
        "tag": tag,
        "topics": len(lists),
        "missing": len(set(judgments) - set(lists)),
        "extra": len(set(lists) - set(judgments)),
        "lines": len(lines),
        "shortest": min(lengths, default=None),
        "median": median(lengths) if lengths else None,
        "longest": max(lengths, default=None),
        "ties": ties,
        "f32 differs": differs,
        "duplicates": dropped,
        "found": found,
        "found/R": found / relevant if relevant else None,
        **{f"Judged@{k}": math.fsum(v) / len(v) if v else None for k, v in judged.items()},
    }


def same(found: dict[str, dict[str, Any]], expected: dict[str, dict[str, Any]]) -> None:
    """Counts to the last unit, means to the last bits."""
    assert list(found) == list(expected)
    for label, row in expected.items():
        assert list(found[label]) == list(row)
        for name, value in row.items():
            if isinstance(value, float):
                assert found[label][name] == pytest.approx(value, rel=1e-13), (label, name)
            else:
                assert found[label][name] == value, (label, name)
                assert type(found[label][name]) is type(value), (label, name)


def example(seed: int) -> tuple[Judgments, dict[str, Lines]]:
    """Graded judgments and three runs with ties, duplicates and topics of their own."""
    chance = random.Random(seed)
    documents = [f"d{i}" for i in range(50)]
    judgments: Judgments = {}
    for topic in map(str, range(1, chance.randrange(2, 14))):
        judged = chance.sample(documents, chance.randrange(1, 30))
        choice: list[float] = chance.choice(
            [[-1.0, 0.0], [0.0, 1.0], [-1, 0, 0, 0, 1, 2, 0.5], [1.0, 3.0]]
        )
        judgments[topic] = {document: chance.choice(choice) for document in judged}
    runs: dict[str, Lines] = {}
    for name in ("one", "two", "three"):
        lines: Lines = []
        for topic in [*judgments, "unknown"]:
            if chance.random() < 0.8:
                found = chance.sample(documents, chance.randrange(1, 40))
                if chance.random() < 0.3:
                    found.append(found[0])
                lines += [(topic, document, chance.randrange(12)) for document in found]
        runs[name] = lines or [("1", "d1", 1.0)]
    return judgments, runs


def written(folder: Path, runs: dict[str, Lines]) -> list[Path]:
    paths = []
    for name, lines in runs.items():
        text = "".join(f"{t} Q0 {d} 1 {score} tag-{name}\n" for t, d, score in lines)
        paths.append(folder / f"{name}.run")
        paths[-1].write_text(text)
    return paths


@pytest.mark.parametrize("seed", range(40))
def test_every_number_is_that_of_plain_loops(tmp_path: Path, seed: int) -> None:
    judgments, runs = example(seed)
    depths = (1, 3, 10, 100)
    found = cf.describe(judgments, written(tmp_path, runs), depths=depths)
    topics = of_topics(judgments)
    same(found.topics.to_dict(), topics)
    same(found.judgments.to_dict(), of_judgments(topics))
    expected = {n: of_run(judgments, lines, f"tag-{n}", depths) for n, lines in runs.items()}
    same(found.runs.to_dict(), expected)
    assert found.topics.labels == tuple(topics)
    assert found.topics_r_above_n == tuple(t for t, row in topics.items() if row["R"] > row["N"])
    assert found.topics_without_relevant == tuple(t for t, row in topics.items() if not row["R"])
    assert found.topics_r_above_100 == ()
    for name, note in found.notes.items():
        known = {topic for topic, _, _ in runs[name]}
        assert set(note.topics_missing) == set(judgments) - known
        assert set(note.topics_without_judgments) == known - set(judgments)


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("rel", [0, 0.5, 2, 9])
def test_relevance_and_negative_grades_are_options(seed: int, rel: float) -> None:
    judgments, _ = example(seed)
    policies: list[tuple[Any, int]] = [("unjudged", 0), ("nonrelevant", -9)]
    for negative, least in policies:
        found = cf.describe(judgments, rel=rel, negative=negative)
        assert found.rel == rel
        same(found.topics.to_dict(), of_topics(judgments, rel, least))
        scores = cf.evaluate(judgments, {"1": {"d1": 1.0}}, [f"num_rel(rel={rel})"])
        assert found.judgments["R", "total"] == scores.summary()[0, 0]


def test_the_runs_of_the_example_collection() -> None:
    judgments: Judgments = defaultdict(dict)
    for line in (EXAMPLE / "qrels.txt").read_text().splitlines():
        topic, _, document, grade = line.split()
        judgments[topic][document] = float(grade)
    expected = {}
    for path in sorted((EXAMPLE / "runs").glob("*.run.gz")):
        with gzip.open(path, "rt", encoding="utf-8") as file:
            rows = [line.split() for line in file]
        lines = [(row[0], row[2], float(row[4])) for row in rows]
        name = path.name.removesuffix(".run.gz")
        expected[name] = of_run(judgments, lines, rows[0][5], DEPTHS)
    assert len(expected) == 16
    found = cf.describe(EXAMPLE / "qrels.txt", EXAMPLE / "runs")
    same(found.runs.to_dict(), expected)
    topics = of_topics(judgments)
    same(found.judgments.to_dict(), of_judgments(topics))


def test_trec8_is_described_as_it_is(data: Path) -> None:
    folder = data / "trec8-adhoc"
    judgments: Judgments = defaultdict(dict)
    with gzip.open(folder / "trec8.qrels.gz", "rt", encoding="utf-8") as file:
        for line in file:
            topic, _, document, grade = line.split()
            judgments[topic][document] = float(grade)
    paths = sorted((folder / "runs").iterdir())
    found = cf.describe(folder / "trec8.qrels.gz", paths, scores="f32")
    topics = of_topics(judgments)
    same(found.judgments.to_dict(), of_judgments(topics))
    assert found.judgments["judged", "total"] == 86_830
    assert found.topics_r_above_100 == tuple(t for t, row in topics.items() if row["R"] > 100)
    assert found.topics_r_above_n == ()
    for name, path in zip(found.runs.labels, paths, strict=True):
        assert found.runs[name, "lines"] == len(gzip.decompress(path.read_bytes()).splitlines())
    # Whatever was pooled is judged in the first hundred.
    pooled = {f"input.{n.removeprefix('input.')}" for n in pooled_names(data)}
    assert all(found.runs[name, "Judged@100"] == 1 for name in pooled)
    assert not all(row["Judged@1000"] == 1 for row in found.runs.to_dict().values())


def test_lists_are_ordered_as_the_options_say(tmp_path: Path) -> None:
    (tmp_path / "r").write_text("1 Q0 a 3 1 t\n1 Q0 b 2 1 t\n1 Q0 c 1 1.000000001 t\n")
    judgments = {"1": {"b": 1}}

    def first(**options: str) -> Any:
        found = cf.describe(judgments, tmp_path / "r", depths=[1], **options)  # type: ignore[arg-type]
        return found.runs["r", "Judged@1"], found.runs["r", "ties"]

    assert first() == (0, 2)  # c, then b and a
    assert first(scores="f32") == (0, 3)  # c b a
    assert first(order="docno_asc", scores="f32") == (0, 3)  # a b c
    assert first(order="input")[0] == 0
    assert first(order="rank")[0] == 0
    assert cf.describe(judgments, tmp_path / "r", depths=[2]).runs["r", "Judged@2"] == 0.5


def test_duplicates_are_described_unless_refused(tmp_path: Path) -> None:
    (tmp_path / "r").write_text("1 Q0 a 1 1 t\n1 Q0 b 2 2 t\n1 Q0 a 3 3 t\n")
    judgments = {"1": {"a": 1}}
    found = cf.describe(judgments, tmp_path / "r", depths=[1])
    assert (found.runs["r", "duplicates"], found.runs["r", "Judged@1"]) == (1, 0)  # b a
    assert (found.runs["r", "lines"], found.runs["r", "longest"]) == (3, 2)
    best = cf.describe(judgments, tmp_path / "r", depths=[1], duplicates="best")
    assert (best.runs["r", "duplicates"], best.runs["r", "Judged@1"]) == (1, 1)  # a b
    with pytest.raises(cf.Error, match="line 1"):
        cf.describe(judgments, tmp_path / "r", duplicates="error")


def test_strata_are_counted(tmp_path: Path) -> None:
    (tmp_path / "q").write_text("1 0 a 1 1\n1 0 b 2 -1\n1 0 c 2 0\n2 0 a 2 -1\n")
    found = cf.describe(tmp_path / "q")
    rows = found.topics.to_dict()
    names = ("stratum 1", "stratum 1 judged", "stratum 2", "stratum 2 judged")
    assert found.topics.columns[-4:] == names
    assert [[rows[topic][name] for name in names] for topic in "12"] == [[1, 1, 2, 1], [0, 0, 1, 0]]
    assert found.judgments["stratum 2", "total"] == 3
    everything = cf.describe(tmp_path / "q", negative="nonrelevant")
    assert everything.judgments["stratum 2 judged", "total"] == 3
    # Where every document has another value, a row for each would be useless.
    text = "".join(f"1 0 d{i} {i} 1\n" for i in range(30))
    (tmp_path / "many").write_text(text)
    many = cf.read_qrels(tmp_path / "many", layout="stratified")
    assert cf.describe(many).topics.columns[-1] == "grade 1"


def test_many_relevant_documents_are_named() -> None:
    judgments = {"1": {f"d{i}": 1 for i in range(100)}, "2": {f"d{i}": 1 for i in range(101)}}
    assert cf.describe(judgments).topics_r_above_100 == ("2",)


def test_nothing_in_common_and_nothing_at_all() -> None:
    found = cf.describe({"1": {"a": 0}}, {"2": {"a": 1.0}}, depths=[5])
    row = found.runs.to_dict()["run"]
    assert (row["topics"], row["missing"], row["extra"], row["lines"]) == (1, 1, 1, 1)
    assert (row["shortest"], row["median"], row["longest"]) == (None, None, None)
    assert (row["found"], row["found/R"], row["Judged@5"]) == (0, None, None)
    assert "run       1        1      1      1         -" in repr(found)
    empty = cf.describe({})
    assert len(empty.topics) == len(empty.runs) == 0
    assert empty.judgments["R", "mean"] is None
    assert repr(empty).startswith("<Description: 0 topics, 0 runs>\n0 topics.")
    assert empty.runs.to_dict() == {}


SMALL = {"1": {"a": 2, "b": 1, "c": 0}, "2": {"a": 0, "b": -1, "c": 0, "d": 1}}
FOUND = {"1": {"a": 2.0, "x": 1.0}, "2": {"d": 1.0}, "9": {"a": 1.0}}


def test_a_description_reads_well() -> None:
    found = cf.describe(SMALL, {"mine": FOUND}, depths=[1, 2])
    assert repr(found) == (
        "<Description: 2 topics, 1 run>\n"
        "2 topics. R: documents of grade 1 or higher; N: the others that are judged.\n"
        "\n"
        "judgments    total  min  median  mean  max\n"
        "judged           6    3     3.0   3.0    3\n"
        "R                3    1     1.5   1.5    2\n"
        "N                3    1     1.5   1.5    2\n"
        "pooled only      1    0     0.5   0.5    1\n"
        "grade -1         1    0     0.5   0.5    1\n"
        "grade 0          3    1     1.5   1.5    2\n"
        "grade 1          2    1     1.0   1.0    1\n"
        "grade 2          1    0     0.5   0.5    1\n"
        "\n"
        "R > N: in 1 topic: 1\n"
        "R > 100: in no topic\n"
        "no relevant document: in no topic\n"
        "\n"
        "run   topics  missing  extra  lines  shortest  median  longest  ties  "
        "f32 differs  duplicates\n"
        "mine       3        0      1      4         1     1.5        2     0"
        "            0           0\n"
        "\n"
        "run   found    of R  Judged@1      @2\n"
        "mine      2  0.6667    1.0000  0.7500"
    )
    html = found._repr_html_()
    assert "<p>R &gt; N: in 1 topic: 1<br>" in html
    assert "<tr><th>R</th><td>3</td><td>1</td><td>1.5</td><td>1.5</td><td>2</td></tr>" in html


def test_a_table_is_what_other_libraries_take() -> None:
    found = cf.describe(SMALL, {"a": FOUND, "b": {"7": {"x": 1.0}}}, depths=[1])
    assert repr(found.judgments) == "\n".join(repr(found).splitlines()[3:12])
    header = '<thead><tr><th class="label">run</th><th class="label">tag</th>'
    assert header in found.runs._repr_html_()
    assert found.runs.columns[:3] == ("run", "tag", "topics")
    assert found.runs.to_dict()["a"]["tag"] is None
    assert len(found.runs) == 2
    with pytest.raises(cf.LabelError, match="no run 'c'"):
        found.runs["c", "lines"]
    with pytest.raises(cf.LabelError, match="did you mean lines"):
        found.runs["a", "lnes"]
    with pytest.raises(TypeError, match="column"):
        found.runs["a"]  # type: ignore[index]


def test_tables_become_frames() -> None:
    arrow = pytest.importorskip("pyarrow")
    polars = pytest.importorskip("polars")
    pytest.importorskip("pandas")
    found = cf.describe(SMALL, {"a": FOUND, "b": {"7": {"x": 1.0}}}, depths=[1])
    table = found.runs.to_arrow()
    assert table.schema.field("run").type == arrow.string()
    assert table.schema.field("lines").type == arrow.int64()
    assert table.schema.field("Judged@1").type == arrow.float64()
    assert table["shortest"].to_pylist() == [1, None]
    assert table["tag"].to_pylist() == [None, None]
    assert arrow.table(found.runs).equals(table)
    assert found.runs.to_polars().equals(polars.DataFrame(table))
    assert found.topics.to_polars()["R"].to_list() == [2, 1]
    frame = found.runs.to_pandas()
    assert list(frame.columns) == list(found.runs.columns)
    assert str(frame["lines"].dtype) == "int64"
    assert frame["shortest"].tolist()[0] == 1
    assert math.isnan(frame["shortest"].tolist()[1])
    assert len(cf.describe({}).runs.to_pandas()) == len(cf.describe({}).runs.to_polars()) == 0
    assert cf.describe({}).runs.to_arrow().num_rows == 0


def test_names_do_not_act_on_terminals_or_pages() -> None:
    found = cf.describe({"\x1b[2J": {"a": 0}}, {"<b>\x1b": {"1": {"a": 1.0}}})
    assert "\x1b" not in repr(found)
    assert "no relevant document: in 1 topic: \\x1b[2J" in repr(found)
    assert "<b>" not in found._repr_html_()
    assert "&lt;b&gt;" in found._repr_html_()


def test_many_rows_and_topics_are_cut_in_text() -> None:
    judgments = {f"topic{i:03}": {"a": 1} for i in range(200)}
    found = cf.describe(judgments, {f"run{i}": judgments for i in range(40)})
    lines = repr(found).splitlines()
    assert lines.count("... 21 more ...") == 2
    named = next(line for line in lines if line.startswith("R > N"))
    # As many names of eight characters as fit into 96.
    assert named.startswith("R > N: in 200 topics: topic000 topic001 ")
    assert named.endswith(" topic007 and 192 more")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"depths": [0]}, "expected a whole number of at least 1 as depths, found 0"),
        ({"depths": [2.5]}, "expected a whole number as depths, found 2.5"),
        ({"depths": "5"}, "expected a list as depths, found '5'"),
        ({"rel": -1}, "at least 0 as rel"),
        ({"order": "up"}, "order"),
        ({"negative": "x"}, "negative"),
    ],
)
def test_what_makes_no_sense_is_an_error(options: dict[str, Any], message: str) -> None:
    with pytest.raises(cf.Error, match=re.escape(message)):
        cf.describe(SMALL, **options)


def test_describing_needs_nothing_of_others(tmp_path: Path) -> None:
    (tmp_path / "q").write_text("1 0 a 1\n")
    (tmp_path / "r").write_text("1 Q0 a 1 1 t\n")
    code = (
        "import sys, cranfield as cf; before = set(sys.modules)\n"
        "assert not {name for name in before if name.startswith('cranfield.desc')}\n"
        "repr(cf.describe(*sys.argv[1:]))\n"
        "assert cf.describe.__module__ == 'cranfield._analysis.describe'\n"
        "print('numpy' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "q"), str(tmp_path / "r")],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "False\n"


@pytest.mark.parametrize("seed", range(10))
def test_what_is_still_to_be_judged(tmp_path: Path, seed: int) -> None:
    judgments, runs = example(seed)
    pool = collection.pool(written(tmp_path, runs), 5, duplicates="first")
    expected = {
        topic: {d for d in documents if judgments.get(topic, {}).get(d, -1) < 0}
        for topic, documents in pool.to_dict().items()
    }
    left = collection.unjudged(pool, judgments).to_dict()
    assert {t: set(docs) for t, docs in left.items()} == {t: d for t, d in expected.items() if d}
    assert all(grade == -1 for docs in left.values() for grade in docs.values())


def pooled_names(data: Path) -> list[str]:
    names = (data / "trec8-adhoc" / "pooled-71.txt").read_text().split()
    assert len(names) == 71
    return names


def test_groups_of_topics_are_described(tmp_path: Path) -> None:
    judgments, runs = example(3)
    topics = sorted(judgments)
    groups = {"odd": topics[::2], "last": topics[-2:]}
    pairs = [(topic, group) for group, own in groups.items() for topic in own]
    lists = {
        name: {
            topic: {d: s for t, d, s in reversed(lines) if t == topic}
            for topic in {line[0] for line in lines}
        }
        for name, lines in runs.items()
    }
    found = cf.describe(judgments, lists, depths=[2, 5], topic_groups=pairs)
    assert list(found.groups) == ["odd", "last"]
    for group, own in groups.items():
        chosen = {topic: judgments[topic] for topic in own}
        part = found.groups[group]
        every = of_topics(judgments)
        expected = {topic: every[topic] for topic in own}
        same(part.topics.to_dict(), {topic: expected[topic] for topic in part.topics.labels})
        same(part.judgments.to_dict(), of_judgments(expected))
        for name, lines in runs.items():
            alone = of_run(chosen, lines, name, (2, 5))
            row = part.runs.to_dict()[name]
            assert row["topics"] == alone["topics"] - alone["extra"]
            assert "ties" not in row
            for column in ("missing", "shortest", "median", "longest", "found"):
                assert row[column] == alone[column], (group, name, column)
            for column in ("found/R", "Judged@2", "Judged@5"):
                assert row[column] == pytest.approx(alone[column], rel=1e-13)
    assert repr(found).count("\nGroup ") == 2
    assert f"All topics: {len(topics)} topics." in repr(found)
    for text in (found._repr_html_(), found.to_markdown(), found.to_latex()):
        assert "Group last: 2 topics." in text
    assert cf.describe(judgments).groups == {}
    for bad, message in (
        ({"no": "a"}, "no topic 'no' (group 'a')"),
        ({topics[0]: "all"}, "expected a name of a group other than 'all'"),
    ):
        with pytest.raises(cf.Error, match=re.escape(message)) as caught:
            cf.describe(judgments, topic_groups=bad)
        assert caught.value.kind == "label"
