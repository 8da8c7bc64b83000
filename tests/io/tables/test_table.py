"""Runs and judgments in tables have the bits of the TREC file of the same run.

Oracle: the core's reader of TREC files.
"""

from __future__ import annotations

import gzip
import io
import json
import random
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import cranfield as cf
import numpy as np
import pyarrow as pa
import pyarrow.ipc
import pyarrow.parquet
import pytest

Lists = dict[str, dict[str, float]]
MEASURES = "nDCG@10 AP bpref RR num_ret infAP"


def lists(seed: int = 1, topics: int = 12, docs: int = 60) -> Lists:
    """A run with ties, negative scores, odd numbers and ids that look like numbers."""
    rng = random.Random(seed)
    odd = [0.1, -0.0, 1e-300, 1 / 3, -12.5, 7.0]
    return {
        f"{t:03}": {
            f"d{d}": rng.choice(odd) if d % 3 == 0 else rng.random() * 10
            for d in rng.sample(range(200), docs)
        }
        for t in range(topics)
    }


RUN = lists()
QRELS = {
    topic: {f"d{d}": random.Random(topic).randrange(3) for d in range(0, 200, 3)} for topic in RUN
}
ROWS = [(topic, doc, score) for topic, scores in RUN.items() for doc, score in scores.items()]


def table(rows: list[tuple[str, str, float]] = ROWS, **more: list[Any]) -> Any:
    topics, docs, scores = (list(column) for column in zip(*rows, strict=True))
    return pa.table({"qid": topics, "docno": docs, "score": scores, **more})


def parquet(path: Path) -> None:
    pyarrow.parquet.write_table(table(), path, row_group_size=100)


def dictionary(path: Path) -> None:
    coded = table()
    for place in (0, 1):
        column = coded.column(place).dictionary_encode()
        coded = coded.set_column(place, coded.schema.names[place], column)
    pyarrow.parquet.write_table(coded, path, row_group_size=100)


def arrow_file(path: Path) -> None:
    with pyarrow.ipc.new_file(path, table().schema) as writer:
        writer.write_table(table(), max_chunksize=77)


def arrow_stream(path: Path) -> None:
    with pyarrow.ipc.new_stream(path, table().schema) as writer:
        writer.write_table(table(), max_chunksize=77)


def with_views(path: Path) -> None:
    plain = table()
    columns = [plain.column(place).cast(pa.string_view()) for place in (0, 1)]
    viewed = pa.table([*columns, plain.column(2)], names=plain.schema.names)
    with pyarrow.ipc.new_file(path, viewed.schema) as writer:
        writer.write_table(viewed, max_chunksize=77)


def separated(separator: str, header: str) -> Callable[[Path], None]:
    def write(path: Path) -> None:
        lines = [separator.join((t, d, repr(s))) for t, d, s in ROWS]
        path.write_text("\n".join([header.replace(",", separator), *lines, ""]))

    return write


def in_json(content: object, **options: Any) -> Callable[[Path], object]:
    return lambda path: path.write_text(json.dumps(content, **options))


def in_lines(records: list[Any]) -> Callable[[Path], object]:
    return lambda path: path.write_text("".join(f"{json.dumps(r)}\n" for r in records))


RECORDS = [{"qid": t, "docno": d, "score": s} for t, d, s in ROWS]
RESULTS = [
    {"qid": t, "results": [{"docno": d, "score": s} for d, s in scores.items()]}
    for t, scores in RUN.items()
]
PAIRS = [{"query_id": t, "hits": list(map(list, scores.items()))} for t, scores in RUN.items()]
HITS = {t: [{"id": d, "score": s} for d, s in scores.items()] for t, scores in RUN.items()}

FORMS: dict[str, Callable[[Path], object]] = {
    "r.parquet": parquet,
    "coded.parquet": dictionary,
    "r.arrow": arrow_file,
    "r.arrows": arrow_stream,
    "views.arrow": with_views,
    "r.csv": separated(",", "qid,docno,score"),
    "r.tsv": separated("\t", "query_id,doc_id,score"),
    "nested.json": in_json(RUN),
    "pretty.json": in_json(RUN, indent=1),
    "records.json": in_json(RECORDS),
    "results.json": in_json(RESULTS, indent=2),
    "hits.json": in_json(HITS),
    "r.jsonl": in_lines(RECORDS),
    "results.jsonl": in_lines(RESULTS),
    "pairs.jsonl": in_lines(PAIRS),
}


@pytest.fixture
def trec(tmp_path: Path) -> Path:
    path = tmp_path / "trec.run"
    cf.Run(RUN).write(str(path))
    return path


@pytest.mark.parametrize("name", FORMS)
@pytest.mark.parametrize("packed", [False, True])
def test_every_form_has_the_bits_of_the_trec_file(
    tmp_path: Path, trec: Path, name: str, packed: bool
) -> None:
    path = tmp_path / name
    FORMS[name](path)
    if packed:
        # Its name says nothing: the content does.
        path.write_bytes(gzip.compress(path.read_bytes()))
        path = path.rename(tmp_path / "odd.txt")
    cases: list[dict[str, Any]] = [
        {},
        {"order": "docno_asc"},
        {"scores": "f32"},
        {"ties": "average"},
    ]
    for options in cases:
        measures = "AP P@10" if "ties" in options else MEASURES
        expected = cf.evaluate(QRELS, trec, measures, **options)
        found = cf.evaluate(QRELS, {"trec": path, "again": path}, measures, **options)
        assert found.values.tobytes() == np.repeat(expected.values, 2, axis=0).tobytes(), options
    assert cf.read_run(path).to_dict() == cf.read_run(trec).to_dict()
    with path.open("rb") as stream:
        assert (cf.evaluate(QRELS, stream, MEASURES).values[0] == expected_of(trec)).all()


def expected_of(trec: Path) -> Any:
    return cf.evaluate(QRELS, trec, MEASURES).values[0]


@pytest.mark.parametrize("name", ["r.parquet", "r.arrow", "r.csv", "r.jsonl"])
def test_topics_in_pieces(tmp_path: Path, trec: Path, name: str, monkeypatch: Any) -> None:
    rows = sorted(ROWS, key=lambda row: (row[1], row[0]))
    monkeypatch.setitem(globals(), "ROWS", rows)
    shuffled = table(rows)
    path = tmp_path / name
    if name.endswith("parquet"):
        pyarrow.parquet.write_table(shuffled, path, row_group_size=50)
    elif name.endswith("arrow"):
        with pyarrow.ipc.new_file(path, shuffled.schema) as writer:
            writer.write_table(shuffled, max_chunksize=50)
    elif name.endswith("csv"):
        separated(",", "qid,docno,score")(path)
    else:
        in_lines([{"qid": t, "docno": d, "score": s} for t, d, s in rows])(path)
    assert (cf.evaluate(QRELS, path, MEASURES).values[0] == expected_of(trec)).all()


@pytest.mark.parametrize("form", ["parquet", "csv", "jsonl", "json"])
def test_many_runs_in_one_file(tmp_path: Path, form: str) -> None:
    runs = {"bm25": lists(2), "dense": lists(3), "a,b": lists(4)}
    rows = [
        (t, d, s, n) for n, run in runs.items() for t, hits in run.items() for d, s in hits.items()
    ]
    path = tmp_path / f"all.{form}"
    if form == "parquet":
        written = table([row[:3] for row in rows], run=[row[3] for row in rows])
        pyarrow.parquet.write_table(written, path, row_group_size=150)
    elif form == "csv":
        lines = [f'{t},{d},{s!r},"{n}"' for t, d, s, n in rows]
        path.write_text("\n".join(["qid,docno,score,run", *lines, ""]))
    elif form == "jsonl":
        in_lines([{"run": n, "qid": t, "docno": d, "score": s} for t, d, s, n in rows])(path)
    else:
        path.write_text(json.dumps(runs))
    found = cf.evaluate(QRELS, path, MEASURES)
    assert found.runs == tuple(runs)
    assert (found.values == cf.evaluate(QRELS, runs, MEASURES).values).all()
    with pytest.raises(cf.Error, match="expected one run, found 3"):
        cf.read_run(path)


@pytest.mark.parametrize("form", ["parquet", "csv", "json", "jsonl"])
def test_judgments(tmp_path: Path, trec: Path, form: str) -> None:
    rows = [(t, d, g) for t, grades in QRELS.items() for d, g in grades.items()]
    path = tmp_path / f"qrels.{form}"
    if form == "parquet":
        columns = dict(
            zip(("query_id", "doc_id", "relevance"), zip(*rows, strict=True), strict=True)
        )
        pyarrow.parquet.write_table(pa.table(columns), path)
    elif form == "csv":
        path.write_text("".join(["topic,doc,label\n", *(f"{t},{d},{g}\n" for t, d, g in rows)]))
    elif form == "json":
        path.write_text(json.dumps(QRELS))
    else:
        in_lines([{"qid": t, "docno": d, "rel": g} for t, d, g in rows])(path)
    assert cf.read_qrels(path).to_dict() == cf.Qrels(QRELS).to_dict()
    assert (cf.evaluate(path, trec, MEASURES).values[0] == expected_of(trec)).all()


def test_ranks_alone_and_documents_in_order(tmp_path: Path) -> None:
    csv, ids = tmp_path / "r.csv", tmp_path / "ids.json"
    csv.write_text("qid,docno,rank\n1,a,2\n1,b,1\n")
    ids.write_text('{"1": ["b", "a"]}')
    qrels = {"1": {"a": 1}}
    for path in (csv, ids):
        assert cf.evaluate(qrels, path, "RR").values.item() == 0.5


def test_other_columns(tmp_path: Path) -> None:
    path = tmp_path / "r.tsv"
    path.write_text("query\tpassage\tbm25\n1\ta\t2\n1\tb\t1\n")
    with pytest.raises(
        cf.Error, match=r"columns for doc, score or rank, found query, passage, bm25"
    ):
        cf.evaluate({"1": {"b": 1}}, path, "RR", run_layout="tsv")
    columns = {"doc": "passage", "score": "bm25"}
    assert cf.evaluate({"1": {"b": 1}}, path, "RR", columns=columns).values.item() == 0.5
    with pytest.raises(cf.Error, match="expected a column bm26, found query, passage, bm25"):
        cf.evaluate({"1": {"b": 1}}, path, "RR", columns={**columns, "score": "bm26"})
    with pytest.raises(cf.Error, match="no kind of column 'tag'") as raised:
        cf.evaluate({"1": {"b": 1}}, path, "RR", columns={"tag": "bm25"})
    assert raised.value.kind == "option"


MALFORMED = {
    "three columns without a header": ("1\ta\t0.5\n", "layout", 1),
    "a number": ("qid,docno,score\n1,a,1\n1,b,x\n", "number", 3),
    "digits with underscores": ("qid,docno,score\n1,a,1_0\n", "number", 2),
    "not finite": ("qid,docno,score\n1,a,nan\n", "number", None),
    "a short row": ("qid,docno,score\n1,a,1\n1,b\n", "fields", 3),
    "only a header": ("qid,docno,score\n", "empty", None),
    "JSON that ends": ('{"1": {"a": 1}', "fields", 1),
    "a key twice": ('{"1": {"a": 1, "a": 2}}', "duplicate", None),
    "NaN": ('{"1": {"a": NaN}}', "number", None),
    "no documents": ('{"qid": "1", "score": 3}\n', "fields", 1),
    "text as score": ('{"qid": "1", "docno": "a", "score": "3"}\n', None, None),
    "a list of numbers": ("[[1, 2]]", "fields", None),
    "no Parquet": ("PAR1 and nothing else", "archive", None),
    "no Arrow": ("ARROW1 and nothing else", "archive", None),
    "null as a score": (
        '{"qid": "1", "docno": "a", "score": 1}\n{"qid": "1", "docno": "b", "score": null}\n',
        "number",
        2,
    ),
    "true as a score": ('{"qid": "1", "docno": "a", "score": true}\n', "number", 1),
    "false in a nested dict": ('{"1": {"a": false}}', "number", None),
    "a column twice": ("qid,docno,score,score\n1,a,1,2\n", "duplicate", None),
    "an empty topic": ("qid,docno,score\n1,a,1\n,b,2\n", "fields", 3),
    "an empty document": ('{"qid": "1", "docno": "", "score": 1}\n', "fields", 1),
}


@pytest.mark.parametrize("case", MALFORMED)
def test_malformed_tables(tmp_path: Path, case: str) -> None:
    text, kind, line = MALFORMED[case]
    path = tmp_path / "odd.run"
    path.write_text(text)
    with pytest.raises(cf.Error) as raised:
        cf.evaluate({"1": {"a": 1}}, path, "AP")
    assert raised.value.file == str(path)
    assert kind is None or raised.value.kind == kind, raised.value
    assert line is None or raised.value.line == line, raised.value


def test_a_truncated_parquet_file(tmp_path: Path) -> None:
    path = tmp_path / "r.parquet"
    parquet(path)
    path.write_bytes(path.read_bytes()[:-40])
    with pytest.raises(cf.Error, match="expected Parquet") as raised:
        cf.evaluate(QRELS, path, "AP")
    assert raised.value.file == str(path)


def test_a_bomb_is_stopped_by_the_limits(tmp_path: Path) -> None:
    path = tmp_path / "r.csv"
    path.write_bytes(gzip.compress(b"qid,docno,score\n" + b"1,a,0.0000000\n" * 3_000_000))
    with pytest.raises(cf.Error) as raised:
        cf.evaluate({"1": {"a": 1}}, path, "AP")
    assert raised.value.kind == "limit"


STREAMED = """
import resource, sys
import cranfield as cf
qrels = {str(topic): {"d1": 1} for topic in range(0, 3000, 7)}
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
import pyarrow.parquet
loaded = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
scores = cf.evaluate(qrels, sys.argv[1], "AP")
after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print((after - loaded) // 1024, scores.values.shape[1])
"""


def test_parquet_is_streamed(tmp_path: Path) -> None:
    path = tmp_path / "large.parquet"
    docs = [f"document-with-a-long-name-{d:07}" for d in range(1000)]
    schema = pa.schema([("qid", pa.string()), ("docno", pa.string()), ("score", pa.float64())])
    rng = np.random.default_rng(1)
    with pyarrow.parquet.ParquetWriter(path, schema, use_dictionary=False) as writer:
        for start in range(0, 3000, 100):
            topics = np.repeat(np.arange(start, start + 100), 1000).astype(str)
            scores = rng.random(100_000)
            writer.write_table(pa.table([topics, docs * 100, scores], schema=schema))
    # Held, three million documents of 33 bytes with their scores take 120 MB and more.
    found = subprocess.run(
        [sys.executable, "-c", STREAMED, str(path)], capture_output=True, text=True, check=True
    )
    megabytes, _ = map(int, found.stdout.split())
    assert megabytes < 80, found.stdout


def test_other_commands_take_tables(tmp_path: Path, trec: Path) -> None:
    path = tmp_path / "r.jsonl"
    FORMS["r.jsonl"](path)
    runs = {"a": trec, "b": path}
    assert "0/12/0" in str(cf.compare(QRELS, runs, "AP"))
    assert "the same in 12" in str(cf.diff(QRELS, trec, path, "AP"))
    assert cf.collection.pool(path, 10).to_dict() == cf.collection.pool(trec, 10).to_dict()
    described = cf.describe(QRELS, runs).runs.to_dict()
    assert {**described["a"], "tag": None} == {**described["b"], "tag": None}


def test_a_stream_that_cannot_be_sought_in(trec: Path) -> None:
    class Pipe(io.RawIOBase):
        """Bytes that come once."""

        def __init__(self, data: bytes) -> None:
            super().__init__()
            self._data = io.BytesIO(data)

        def readable(self) -> bool:
            return True

        def readinto(self, buffer: Any) -> int:
            return self._data.readinto(buffer)

    text = "".join(f"{json.dumps(record)}\n" for record in RECORDS).encode()
    found = cf.evaluate(QRELS, io.BufferedReader(Pipe(text)), MEASURES)
    assert (found.values[0] == expected_of(trec)).all()
    found = cf.evaluate(QRELS, io.BufferedReader(Pipe(trec.read_bytes())), MEASURES)
    assert (found.values[0] == expected_of(trec)).all()


SPACED = {
    "after the comma": "qid, docno, score\nq1, a b, 3\nq1, c, 2\n",
    "after the comma of rows": "qid,docno,score\nq1, a b, 3\nq1, c, 2\n",
    "on both sides": "qid , docno , score\nq1 , a b , 3\nq1 , c , 2\n",
    "with tabs": "qid\t docno \tscore\nq1\t a b\t3\n q1\t c \t2\n",
    "in quotes": 'qid, docno, score\nq1, "a b", 3\n"q1", c, 2\n',
    "behind a mark": "\ufeffqid, docno, score\r\nq1, a b, 3\r\nq1, c, 2\r\n",
}


@pytest.mark.parametrize("text", SPACED.values(), ids=SPACED)
def test_spaces_around_fields_are_no_part_of_them(text: str, tmp_path: Path) -> None:
    """One relevant document at rank 1 of 2: AP is 1."""
    judged = text.replace("score", "rel").replace("2\n", "0\n").replace("2\r\n", "0\r\n")
    for data in (text.encode(), gzip.compress(text.encode())):
        (tmp_path / "some.csv").write_bytes(data)
        (tmp_path / "qrels.csv").write_bytes(judged.encode())
        for runs in (tmp_path / "some.csv", io.BytesIO(data)):
            found = cf.evaluate(tmp_path / "qrels.csv", runs, "AP num_ret")
            assert found.topics == ("q1",)
            assert found.values.tolist() == [[[1.0, 2.0]]]
    assert cf.read_qrels(tmp_path / "qrels.csv").to_dict() == {"q1": {"a b": 3, "c": 0}}


def test_names_of_runs_have_no_spaces_around_them(tmp_path: Path) -> None:
    rows = "run, qid, docno, score\nx, q1, a, 2\n y , q1, a, 1\n"
    (tmp_path / "runs.csv").write_text(rows)
    assert cf.evaluate({"q1": {"a": 1}}, tmp_path / "runs.csv", "AP").runs == ("x", "y")


@pytest.mark.parametrize("row", ['q1," a",1', 'q1,"a ",1', 'q1,"b",1\nq1 ,"c",2', "q1,\t,1"])
def test_spaces_that_may_be_of_an_id_are_an_error(row: str, tmp_path: Path) -> None:
    (tmp_path / "some.csv").write_text(f"qid,docno,score\n{row}\n")
    with pytest.raises(cf.Error, match="without spaces around it") as caught:
        cf.read_run(tmp_path / "some.csv")
    assert (caught.value.kind, caught.value.line) == ("fields", 1 + len(row.split("\n")))


def test_a_rank_in_some_hits_only_is_left_out(tmp_path: Path) -> None:
    hits = [{"docno": "a", "score": 2, "rank": 1}, {"docno": "b", "score": 1}]
    (tmp_path / "r.jsonl").write_text(json.dumps({"qid": "1", "run": "x", "results": hits}))
    scores = cf.evaluate({"1": {"b": 1}}, tmp_path / "r.jsonl", "RR")
    assert (scores.runs, scores.values.item()) == (("x",), 0.5)


def test_ids_are_text_or_numbers_in_all_of_a_file(tmp_path: Path) -> None:
    (tmp_path / "r.json").write_text('{"1": ["a", "b"],\n "2": [3]}')
    with pytest.raises(cf.Error, match="all text or all whole numbers, found both") as caught:
        cf.evaluate({"1": {"b": 1}}, tmp_path / "r.json", "RR")
    assert (caught.value.kind, caught.value.line) == ("type", 2)
