"""Rows that have gold and found documents side by side.

The oracle is the same data as files of TREC; what is worked by hand shows its arithmetic.
"""

from __future__ import annotations

import gzip
import io
import json
import random
import re
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import cranfield
import pytest
from cranfield._cli import main

from tests.commands import unsigned

if TYPE_CHECKING:
    from collections.abc import Callable

# Much here is what no type allows.
cf: Any = cranfield

MEASURES = "AP nDCG@5 RR R@10 bpref"
ROWS = [
    {"question": "who", "relevant": ["a", "b"], "retrieved": ["a", "x", "b"]},
    {"question": "what", "relevant": ["c"], "retrieved": ["y", "c"]},
    {"question": "why", "relevant": ["d"], "retrieved": []},
]


def lines(rows: list[Any]) -> str:
    return "".join(f"{json.dumps(row)}\n" for row in rows)


def random_rows(seed: int) -> list[dict[str, Any]]:
    draw = random.Random(seed)
    found = []
    for topic in range(8):
        gold, ranking = (
            [f"d{n}" for n in draw.sample(range(20), draw.randint(1, most))] for most in (5, 15)
        )
        found.append({"id": f"q{topic}", "gold": gold, "bm25": ranking, "dense": ranking[::-1]})
    return found


def refused(call: Callable[[], object]) -> cranfield.Error:
    with pytest.raises(cranfield.Error) as caught:
        call()
    return caught.value


def test_by_hand() -> None:
    # (1/1 + 2/3) / 2 = 5/6, 1/2 and 0; reciprocal ranks 1, 1/2 and 0.
    qrels, run = cf.read_rows(ROWS)
    found = cf.evaluate(qrels, run, "AP RR")
    assert found.values[0, :, 0].tolist() == pytest.approx([5 / 6, 1 / 2, 0])
    assert found.values[0, :, 1].tolist() == [1, 0.5, 0]
    assert run.name == "retrieved"
    assert qrels.topics == ("1", "2", "3")


def forms(rows: list[dict[str, Any]], folder: Path) -> dict[str, Any]:
    """The rows in each form."""
    text = lines(rows)
    (folder / "log.jsonl").write_text(text)
    (folder / "log.json").write_text(json.dumps(rows, indent=1))
    (folder / "log.jsonl.gz").write_bytes(gzip.compress(text.encode()))
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    pyarrow = pytest.importorskip("pyarrow")
    return {
        "lines": folder / "log.jsonl",
        "a list in a file": str(folder / "log.json"),
        "packed": folder / "log.jsonl.gz",
        "an open file": io.StringIO(text),
        "an open file of bytes": io.BytesIO(text.encode()),
        "dicts": rows,
        "a generator": (row for row in rows),
        "pandas": pandas.DataFrame(rows),
        "polars": polars.DataFrame(rows),
        "pyarrow": pyarrow.Table.from_pylist(rows),
    }


def test_each_form_is_what_files_are(tmp_path: Path) -> None:
    rows = random_rows(1)
    qrels, run = tmp_path / "qrels.txt", tmp_path / "bm25.txt"
    qrels.write_text("".join(f"{row['id']} 0 {d} 1\n" for row in rows for d in row["gold"]))
    run.write_text(
        "".join(
            f"{row['id']} Q0 {d} {rank} {-rank} t\n"
            for row in rows
            for rank, d in enumerate(row["bm25"], 1)
        )
    )
    expected = cf.evaluate(qrels, run, MEASURES)
    for name, form in forms(rows, tmp_path).items():
        judged, (first, second) = cf.read_rows(form, found=["bm25", "dense"])
        found = cf.evaluate(judged, first, MEASURES)
        assert (found.values == expected.values).all(), name
        assert (found.topics, judged.fingerprint) == (
            expected.topics,
            cf.read_qrels(qrels).fingerprint,
        )
        assert (first.name, second.name) == ("bm25", "dense")
    for name, form in forms(rows, tmp_path).items():
        one = cf.read_rows(form, found="bm25")[1]
        assert (cf.evaluate(qrels, one, MEASURES).values == expected.values).all(), name


def test_the_command_line(tmp_path: Path, capsys: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "log.jsonl").write_text(lines(ROWS))
    (tmp_path / "trec.txt").write_text("1 0 a 1\n1 0 b 1\n2 0 c 1\n3 0 d 1\n")
    (tmp_path / "log.run").write_text(
        "1 Q0 a 1 3 t\n1 Q0 x 2 2 t\n1 Q0 b 3 1 t\n2 Q0 y 1 2 t\n2 Q0 c 2 1 t\n"
    )
    assert main(["eval", "trec.txt", "log.run", "-m", "AP RR"]) == 0
    expected = unsigned(capsys.readouterr().out)
    assert main(["eval", "log.jsonl", "-m", "AP RR"]) == 0
    assert unsigned(capsys.readouterr().out) == expected
    text = io.BytesIO(lines(ROWS).encode())
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BufferedReader(text)))
    assert main(["eval", "-", "-m", "AP RR"]) == 0
    assert unsigned(capsys.readouterr().out).replace("run", "log") == expected.replace("run", "log")
    (tmp_path / "log.jsonl").write_text(lines(random_rows(2)))
    arguments = ["eval", "log.jsonl", "--found", "dense", "--found", "bm25", "--format", "csv"]
    assert main([*arguments, "-m", "AP", "--gold", "gold"]) == 0
    qrels, runs = cf.read_rows("log.jsonl", found=["dense", "bm25"])
    printed = capsys.readouterr().out.splitlines()
    assert sorted(printed) == sorted(cf.evaluate(qrels, runs, "AP").to_csv().splitlines())


REFUSED = {
    ("eval", "log.jsonl", "--gold", "nope"): "under nope, found question, relevant, retrieved: "
    "name the key with --gold",
    ("eval", "log.jsonl", "--layout", "trec"): "--layout is not for rows",
    ("eval", "log.jsonl", "--run-layout", "trec"): "--run-layout is not for rows",
    ("eval", "qrels.txt", "log.jsonl", "--gold", "relevant"): "--gold is for rows that hold",
    ("eval", "qrels.txt", "log.jsonl", "--found", "retrieved"): "--found is for rows that hold",
    ("eval", "none.jsonl"): "none.jsonl: there is no such file",
    ("eval", "qrels.txt"): "the following arguments are required: RUN",
}


def test_what_the_command_line_refuses(
    tmp_path: Path, capsys: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "log.jsonl").write_text(lines(ROWS))
    (tmp_path / "qrels.txt").write_text("1 0 a 1\n")
    for arguments, message in REFUSED.items():
        assert main(list(arguments)) == 2
        assert message in capsys.readouterr().err, arguments


def documented(what: str) -> list[str]:
    """The keys that the page on rows names."""
    page = Path(__file__).parents[2] / "docs" / "howto" / "rows.md"
    (line,) = (text for text in page.read_text().splitlines() if text.startswith(f"| {what} |"))
    return re.findall(r"`(\w+)`", line)


@pytest.mark.parametrize("gold", documented("gold documents"))
def test_usual_names(gold: str) -> None:
    for found in documented("found documents"):
        for change in (str, str.upper, lambda name: name.replace("_", "-")):
            qrels, run = cf.read_rows([{"id": 7, change(gold): ["a"], change(found): ["a"]}])
            assert (qrels.to_dict(), run.to_dict()) == ({"7": {"a": 1.0}}, {"7": {"a": -1.0}})


def test_what_documents_can_be() -> None:
    for gold, expected in (
        ("a", {"a": 1.0}),
        (7, {"7": 1.0}),
        ({"a": 2, "b": 0}, {"a": 2.0, "b": 0.0}),
        ([{"doc_id": "a", "grade": 2}, {"doc_id": "b", "grade": 1}], {"a": 2.0, "b": 1.0}),
        ([{"_id": "a"}, {"_id": "b"}], {"a": 1.0, "b": 1.0}),
        ([], {}),
    ):
        assert cf.read_rows([{"gold": gold, "found": [], "hits": ["a"]}])[0]["1"] == expected
    classes = cf.read_rows([{"gold": [["a", "b"], "c"], "hits": []}])[0].column("class", "1")
    assert classes == {"a": 1.0, "b": 1.0, "c": 2.0}
    for found, ranked in (
        ("b", {"b": -1.0}),
        ({"a": 0.5, "b": 0.7}, {"b": 0.7, "a": 0.5}),
        # The order counts.
        ([{"_id": "b", "_score": 1.0}, {"_id": "a", "_score": 9.0}], {"b": -1.0, "a": -2.0}),
    ):
        assert cf.read_rows([{"gold": ["a"], "hits": found}])[1]["1"] == ranked
    nested = [{"outputs": {"ids": ["b", "a"]}, "reference": {"ids": ["a"]}}]
    qrels, run = cf.read_rows(nested, gold="reference.ids", found="outputs.ids")
    assert cf.evaluate(qrels, run, "RR").mean().item() == 0.5


def test_texts_are_compared_as_they_are() -> None:
    rows = [
        {
            "user_input": "when",
            "ground_truth": "it was in 1958",
            "reference_contexts": ["The first text. ", "The second text."],
            "retrieved_contexts": ["Another text.", "The first text. ", "The  second text."],
        }
    ]
    with pytest.warns(cf.CranfieldWarning, match="compared by their text") as caught:
        qrels, run = cf.read_rows(rows)
    assert caught[0].filename == __file__
    assert "(reference_contexts, retrieved_contexts)" in str(caught[0].message)
    # The first text is at rank 2, the second one has two spaces: R 1/2, RR 1/2.
    assert cf.evaluate(qrels, run, "R@3 RR").mean().ravel().tolist() == [0.5, 0.5]
    objects = [{"contexts": [{"page_content": "The first text. "}], "gold": ["The first text. "]}]
    with pytest.warns(cf.CranfieldWarning):
        qrels, run = cf.read_rows(objects)
    assert cf.evaluate(qrels, run, "RR").mean().item() == 1
    assert set(run["1"]) == set(qrels["1"])


@pytest.mark.filterwarnings("ignore::cranfield.CranfieldWarning")
def test_rows_without_some_documents() -> None:
    rows = [
        {"id": "1", "gold": None, "hits": ["a"]},
        {"id": "2", "hits": ["a"]},
        {"id": "3", "gold": [], "hits": ["a"]},
        {"id": "4", "gold": ["a"], "hits": None},
        {"id": "5", "gold": ["a"], "hits": []},
        {"id": "6", "gold": ["a"], "hits": ["a"]},
    ]
    for form in (rows, io.StringIO(lines(rows)), pytest.importorskip("pandas").DataFrame(rows)):
        qrels, run = cf.read_rows(form)
        assert qrels.to_dict() == {"3": {}, "4": {"a": 1}, "5": {"a": 1}, "6": {"a": 1}}
        assert run.topics == ("1", "2", "3", "5", "6")
    skipped = cf.evaluate(qrels, run, "RR", missing="skip", undefined="skip").mean()
    assert skipped.item() == 0.5


def row(**more: Any) -> list[dict[str, Any]]:
    return [{"gold": ["a"], "hits": ["a"]}, {"gold": ["a"], "hits": ["a"], **more}]


WRONG: dict[str, tuple[list[Any], str, str]] = {
    "two keys of gold": (row(expected=["b"]), "duplicate", "found gold and expected: name one"),
    "two keys of found": (row(contexts=["b"]), "duplicate", "found hits and contexts: name one"),
    "an answer": (row(gold="it was"), "fields", "found the text 'it was': name the key"),
    "a number": (row(gold=0.5), "fields", "gold: expected a list of documents, found 0.5"),
    "no document": (row(gold=["a", None]), "fields", "gold: expected documents, found None"),
    "an empty id": (row(hits=[""]), "fields", "hits: expected documents, found ''"),
    "an object of nothing": (row(hits=[{"x": 1}]), "fields", "expected an object with one of"),
    "1 and text": (row(gold=[1]), "type", "found 1, and text in"),
    "some grades": (row(gold=[{"id": "a", "grade": 1}, {"id": "b"}]), "fields", "has no grade"),
    "two grades": (row(gold=[{"id": "a", "grade": 1}] * 2), "fields", "has two grades"),
    "another key": ([*row(), {"expected": ["a"], "hits": []}], "fields", "under gold as in"),
    "no object": ([*row(), ["a"]], "fields", "expected an object, found"),
    "a topic twice": (
        [{"id": 1, "gold": ["a"], "hits": []}] * 2,
        "duplicate",
        "expected each topic in one row, found 1 again; it is that of",
    ),
    "a topic that is missing": (
        [{"id": 1, "gold": ["a"], "hits": []}, {"gold": ["a"], "hits": []}],
        "fields",
        "expected a topic under id, found None",
    ),
    "no key": ([{"x": 1, "y": 2}], "fields", "found x, y: name the key with gold="),
    "no key, but objects": (
        [{"inputs": {"q": "x"}, "outputs": {"ids": ["a"]}}],
        "fields",
        "found inputs.q, outputs.ids: name the key with gold=",
    ),
    "no found key": ([{"gold": ["a"]}], "fields", "with found documents under retrieved, "),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_refused(name: str, tmp_path: Path) -> None:
    rows, kind, message = WRONG[name]
    path = tmp_path / "log.jsonl"
    if all(isinstance(row, dict) for row in rows):
        path.write_text(lines(rows))
        error = refused(lambda: cf.read_rows(path))
        assert (error.kind, error.file) == (kind, str(path))
        assert message in error.message
        assert error.line == (None if name.startswith("no ") and "key" in name else len(rows))
    error = refused(lambda: cf.read_rows(rows))
    assert (error.kind, error.file) == (kind, None)
    assert message in error.message
    if "key" not in name or name == "another key":
        assert error.message.startswith(f"row {len(rows)}: ")


TEXTS = {
    "": ("empty", "expected rows, found none"),
    "gold,hits\na,b\n": ("fields", "expected rows as JSON Lines or as one JSON list"),
    "1 0 a 1\n": ("fields", "expected rows as JSON Lines or as one JSON list"),
    '{"gold": ["a"], "gold": ["b"]}': ("duplicate", "the key 'gold' is there twice"),
    '[{"gold": ["a"], "gold": ["b"]}]': ("duplicate", "the key 'gold' is there twice"),
    '[{"gold": ["a"]}': ("fields", "expected one JSON list of objects"),
    '{"gold": ["a"]': ("fields", "expected a JSON object"),
    f'[{{"gold": {"[" * 200}': ("limit", "in at most 100 others"),
}


@pytest.mark.parametrize("text", TEXTS)
def test_texts_that_are_no_rows(text: str) -> None:
    kind, message = TEXTS[text]
    error = refused(lambda: cf.read_rows(io.StringIO(text)))
    assert error.kind == kind
    assert message in error.message


def test_objects_that_are_no_rows(tmp_path: Path) -> None:
    used = iter(ROWS)
    assert list(used)
    for given, message in (
        ({"gold": ["a"]}, "found a dict"),
        (cf.Qrels({}), "found a Qrels"),
        (None, "found NoneType"),
        (used, "was used up before: pass a list"),
        (tmp_path, "this is a folder"),
        (tmp_path / "none.jsonl", "there is no such file"),
    ):
        assert message in str(refused(partial(cf.read_rows, given)))
