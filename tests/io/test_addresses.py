"""Runs and judgments at addresses, against the same files; real servers on the loopback."""

from __future__ import annotations

import gzip
import socket
import subprocess
import sys
import traceback
from pathlib import Path
from typing import Any

import cranfield as cf
import pytest
from cranfield._cli import main
from cranfield._io import addresses, remote
from cranfield._io.addresses import is_address, scrubbed, shown, translated

from tests.io.servers import http

pytest.importorskip("obstore")

RUN = {str(t): {f"d{d}": (t * d) % 17 / 7 for d in range(200)} for t in range(1, 9)}
QRELS = {t: {"d1": 1, "d7": 2, "d12": 0} for t in RUN}
MEASURES = "nDCG AP bpref"
SECRET = "X-Amz-Signature=abcdef0123456789"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    cf.Run(RUN).write(str(tmp_path / "a.run"))
    (tmp_path / "b.run.gz").write_bytes(gzip.compress((tmp_path / "a.run").read_bytes()))
    cf.Qrels(QRELS).write(str(tmp_path / "qrels.txt"))
    rows = [(t, d, s) for t, hits in RUN.items() for d, s in hits.items()]
    lines = "".join(f"{t},{d},{s!r}\n" for t, d, s in rows)
    (tmp_path / "c.csv").write_text(f"qid,docno,score\n{lines}")
    import pyarrow as pa
    import pyarrow.parquet

    columns = dict(zip(("qid", "docno", "score"), zip(*rows, strict=True), strict=True))
    pyarrow.parquet.write_table(pa.table(columns), tmp_path / "d.parquet", row_group_size=300)
    return tmp_path


FILES = ("a.run", "b.run.gz", "c.csv", "d.parquet")


@pytest.mark.parametrize("head", [True, False])
@pytest.mark.parametrize("ranges", [True, False])
@pytest.mark.parametrize("drops", [0, 3])
def test_http(
    folder: Path, ranges: bool, drops: int, head: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Blocks so small that each file has many.
    monkeypatch.setattr(remote, "BLOCK", 2000)
    expected = cf.evaluate(QRELS, RUN, MEASURES)
    with http(folder, ranges=ranges, drops=drops, head=head) as (server, asked):
        for name in FILES:
            found = cf.evaluate(f"{server}/qrels.txt", f"{server}/{name}", MEASURES)
            assert found.values.tobytes() == expected.values.tobytes(), name
            assert found.runs == (name[0],)
        everything = [f"{server}/{name}" for name in FILES]
        assert cf.evaluate(QRELS, everything, MEASURES).runs == ("a", "b", "c", "d")
        assert cf.read_run(everything[1]).to_dict() == cf.read_run(folder / "a.run").to_dict()
        assert asked.drops < 0 or not drops


def test_signatures_work_and_are_never_shown(folder: Path, capsys: Any) -> None:
    (folder / "bad.run").write_text("1 Q0 d1 1 x tag\n")
    with http(folder) as (server, asked):
        good = f"{server}/a.run?{SECRET}"
        found = cf.evaluate(QRELS, good, MEASURES)
        assert found.runs == ("a",)
        assert any(SECRET in request for request in asked.requests)
        with_user = server.replace("://", "://user:secret-key@")
        for address in (
            f"{server}/bad.run?{SECRET}",
            f"{server}/missing.run?{SECRET}",
            f"{server}/*.run?{SECRET}",
            f"{with_user}/missing.run?{SECRET}",
        ):
            with pytest.raises(cf.Error) as raised:
                cf.evaluate(QRELS, address, MEASURES)
            text = "".join(traceback.format_exception(raised.value))
            assert "Signature" not in text, text
            assert "secret-key" not in text.replace("with_user", ""), text
            assert str(raised.value).startswith(server)
        assert main(["eval", str(folder / "qrels.txt"), f"{server}/bad.run?{SECRET}"]) == 2
        assert capsys.readouterr().err.startswith(f"cranfield: error: {server}/bad.run:1:")
    # Nobody listens there.
    with socket.create_server(("127.0.0.1", 0)) as free:
        good = f"http://127.0.0.1:{free.getsockname()[1]}/a.run?{SECRET}"
    with pytest.raises(cf.Error, match="5 retries within 60 s") as raised:
        cf.evaluate(QRELS, good, MEASURES)
    assert "Signature" not in "".join(traceback.format_exception(raised.value))


def test_a_server_that_always_drops_is_an_error(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(remote, "RETRIES", 1)
    with http(folder, drops=10**6) as (server, _), pytest.raises(cf.Error) as raised:
        cf.evaluate(QRELS, f"{server}/a.run", MEASURES)
    assert raised.value.kind == "io"
    assert raised.value.file == f"{server}/a.run"


def test_file_addresses(folder: Path) -> None:
    expected = cf.evaluate(QRELS, RUN, MEASURES).values.tobytes()
    address = (folder / "a.run").as_uri()
    assert cf.evaluate(QRELS, address, MEASURES).values.tobytes() == expected
    assert cf.evaluate(f"file://{folder}/qrels.txt", address, MEASURES).runs == ("a",)
    with pytest.raises(cf.Error) as raised:
        cf.evaluate(QRELS, f"file://{folder}/none.run", MEASURES)
    assert raised.value.kind == "missing"


def test_other_files_and_commands(folder: Path, capsys: Any) -> None:
    with http(folder) as (server, _):
        words = [str(folder / "qrels.txt"), f"{server}/a.run", f"{server}/c.csv"]
        assert main(["compare", *words, "--baseline", f"{server}/a.run"]) == 0
        assert main(["diff", *words, "-m", "AP"]) == 0
        assert main(["describe", *words]) == 0
        assert main(["pool", *words[1:], "--depth", "3"]) == 0
        assert main(["convert", f"{server}/b.run.gz", str(folder / "back.run")]) == 0
        assert main(["report", *words, "-o", str(folder / "report.html"), "--quiet"]) == 0
    assert cf.read_run(folder / "back.run").to_dict() == cf.read_run(folder / "a.run").to_dict()
    capsys.readouterr()


def test_without_obstore_the_error_says_what_to_install() -> None:
    code = (
        "import sys; sys.modules['obstore'] = None; sys.modules['obstore.store'] = None\n"
        "import cranfield as cf\n"
        "try: cf.evaluate({'1': {'a': 1}}, 's3://bucket/a.run', 'AP')\n"
        "except ImportError as error: print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "pip install 'cranfield[cloud]'" in done.stdout


@pytest.mark.parametrize(
    ("address", "text"),
    [
        ("s3://bucket/a?b*.run", "s3://bucket/a?b*.run"),
        ("https://u:p@host:1/a/b.run?sig=1#x", "https://host:1/a/b.run"),
        ("https://host?sig=1", "https://host"),
        ("s3://key:secret@bucket/a", "s3://bucket/a"),
        ("abfss://container@account.dfs.core.windows.net/a", None),
    ],
)
def test_what_is_shown(address: str, text: str | None) -> None:
    assert is_address(address)
    assert shown(address) == (address if text is None else text)
    assert scrubbed(f"cannot GET {address} now\nmore").endswith(" now")


def test_paths_are_no_addresses() -> None:
    for path in ("runs/a.run", "C:\\runs", "irds:x/y", "-", "file:///a", "x://y"):
        assert not is_address(path)


def test_globs_of_keys() -> None:
    cases = {
        "runs/*.run": (["runs/a.run"], ["runs/a/b.run", "x/runs/a.run"]),
        "runs/**/*.run": (["runs/a.run", "runs/x/y/a.run"], ["a.run"]),
        "r?[ab].run": (["rxa.run"], ["r/a.run", "rxc.run"]),
        "r[!a].run": (["rb.run"], ["ra.run"]),
    }
    for pattern, (matching, others) in cases.items():
        assert all(translated(pattern).fullmatch(key) for key in matching), pattern
        assert not any(translated(pattern).fullmatch(key) for key in others), pattern


def test_limits_are_named() -> None:
    assert (addresses.RETRIES, addresses.RETRY_SECONDS) == (5, 60)


def test_scores_answers_and_battles_over_http(tmp_path: Path) -> None:
    nuggets = '{"qid": "1", "run_id": "r", "nuggets": [{"importance": "vital", "assignment": '
    (tmp_path / "n.jsonl").write_text(f'{nuggets}"support"}}]}}\n')
    (tmp_path / "b.csv.gz").write_bytes(gzip.compress(b"model_a,model_b,winner\nx,y,model_b\n"))
    (tmp_path / "s.txt").write_text("r t1 AP 0.5\nr t2 AP 0.75\nr all AP 0.625\n")
    with http(tmp_path, drops=2) as (server, asked):
        assert cf.answers.nugget_recall(f"{server}/n.jsonl?{SECRET}")["r", "all"].tolist() == [1.0]
        assert cf.battles.read(f"{server}/b.csv.gz") == [("x", "y", "y")]
        assert cf.read_scores(f"{server}/s.txt")["r", "AP"].tolist() == [0.5, 0.75]
        assert asked.requests
        (tmp_path / "n.jsonl").write_text(f'{nuggets}"much"}}]}}\n')
        for call in (
            lambda: cf.answers.nugget_recall(f"{server}/n.jsonl?{SECRET}"),
            lambda: cf.battles.read(f"{server}/none?{SECRET}"),
            lambda: cf.read_scores(f"{server}/none?{SECRET}"),
        ):
            with pytest.raises(cf.Error) as raised:
                call()
            assert raised.value.file is not None
            assert raised.value.file.startswith(server)
            assert "Signature" not in str(raised.value)
