"""Errors about limits on the command line: they name a flag that the command has."""

from __future__ import annotations

import bz2
import re
from functools import cache
from pathlib import Path

import pytest
from cranfield._cli import COMMANDS, main, module_of

HEADS = {".csv": b"topic,doc,score,grade\n", ".json": b'{"1": "', ".jsonl": b'{"topic": "'}


@cache
def bomb(head: bytes) -> bytes:
    return bz2.compress(head + b"1" * (20 << 20))


LONG = b"1" * (2 << 20)
KEYWORDS = ("decompression_ratio", "decompressed_bytes", "decompressed_call_bytes", "line_bytes")

CALLS = [
    *("eval bad run", "eval qrels bad", "compare qrels run bad --baseline run", "pool bad"),
    *("diff qrels run other -m AP --queries bad", "diff qrels run other -m AP --documents bad"),
    *("report qrels run other -o out.html --queries bad", "describe qrels bad", "convert bad out"),
    *("report qrels run other -o out.html --documents bad", "judges bad qrels run other"),
    *("check bad --baseline bad --max-drop AP=1", "answers bad --kind nuggets", "battles bad"),
    *("eval qrels run --topic-groups bad", "eval qrels run --classes bad", "eval bad.toml"),
    *("eval qrels run --costs bad", "bench --baseline bad --size 2x2", "eval qrels bad.csv"),
    *("eval qrels bad.jsonl", "eval qrels bad.json", "study significance qrels bad other -o out"),
    *("batch qrels bad -m AP --output out", "eval bad.csv run"),
]


@pytest.mark.parametrize("command", CALLS)
@pytest.mark.parametrize("limit", ["ratio", "line"])
def test_an_error_names_a_flag_that_there_is(
    command: str,
    limit: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("qrels").write_text("1 0 a 1\n1 0 b 0\n2 0 a 1\n")
    Path("run").write_text("1 Q0 a 1 2 x\n1 Q0 b 2 1 x\n")
    Path("other").write_text("1 Q0 b 1 2 x\n1 Q0 a 2 1 x\n")
    for word in command.split():
        if word.startswith("bad"):
            head = HEADS.get(Path(word).suffix, b"")
            Path(word).write_bytes(bomb(head) if limit == "ratio" else head + LONG)
    assert main(command.split()) == 2
    told = capsys.readouterr().err
    assert not any(keyword in told for keyword in KEYWORDS), told
    assert len(told) < 2000
    if limit == "ratio":
        assert "beyond the limit" in told or "line is longer" in told, told
    from importlib import import_module

    flags = re.findall(r"`(--max-[a-z-]+)`", told)
    taken = import_module(module_of(command.split()[0])).parser()._option_string_actions
    assert all(flag in taken for flag in flags), told
    assert command.split()[0] in COMMANDS
