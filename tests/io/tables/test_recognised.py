"""Which form a file is in, by its first bytes; each case is a beginning that a program writes."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest
from cranfield._core import RUN_LAYOUTS, table_form
from cranfield._io.sources import FORMS, beginning_of_file

CASES = {
    b"PAR1\x15\x04": "parquet",
    b"ARROW1\x00\x00": "arrow",
    b"\xff\xff\xff\xff\x10\x01": "arrow",
    b"qid,docno,score\n": "csv",
    b"\xef\xbb\xbfQuery-ID,Doc ID,Score\r\n": "csv",
    b'"qid","docno","score"\n': "csv",
    b"query_id\tq0\tdoc_id\trank\tscore\n": "tsv",
    b'{"1": {"d1": 0.5}}': "json",
    b'{"1": [{"docno": "d1"': "json",
    b'{\n "1": {': "json",
    b"[]": "json",
    b'[{"qid": "1"': "json",
    b'{"qid": "1", "docno": "d1", "score": 1}\n{"qid"': "jsonl",
    b'{"qid": "1", "results": [{"docno": "d1"': "jsonl",
    b'{"results": [{"docno": "d1"': "jsonl",
    b'{\n "qid": "1",\n "docno": "a"': "json",
    # Lines, whatever is in them:
    b"1 Q0 d1 1 0.5 tag\n": None,
    b"1,2 Q0 d,1 1 0.5 a,b\n": None,
    b"1\td1\t1\n": None,
    b"[1] Q0 d1 1 0.5 tag\n": None,
    b"{1} Q0 d1 1 0.5 tag\n": None,
    b"a,b,c\n": None,
    b"# qid,docno\n": None,
    b"": None,
}


@pytest.mark.parametrize("head", CASES)
def test_forms(head: bytes) -> None:
    assert table_form(head, {}) == CASES[head]


def test_columns_that_are_named_make_a_header() -> None:
    assert table_form(b"query text;passage,bm25\n", {}) is None
    assert table_form(b"a,b,c\n", {"topic": "a", "doc": "b"}) == "csv"


def test_the_core_knows_the_names() -> None:
    assert set(FORMS) <= set(RUN_LAYOUTS)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="named pipes")
def test_a_pipe_is_not_opened(tmp_path: Path) -> None:
    """Its writer waits for the one who reads the run: what it wrote before would be lost."""
    pipe = str(tmp_path / "pipe")
    os.mkfifo(pipe)
    opened = threading.Event()

    def write() -> None:
        with open(pipe, "wb"):
            opened.set()

    writer = threading.Thread(target=write)
    writer.start()
    try:
        assert beginning_of_file(pipe) == b""
        assert not opened.wait(0.3)
    finally:
        reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
        writer.join()
        os.close(reader)
    assert opened.is_set()
