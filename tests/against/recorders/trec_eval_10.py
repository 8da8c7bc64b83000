"""Records what trec_eval 10.0 prints of the random collections of its tests.

    TREC_EVAL=... python -m tests.against.recorders.trec_eval_10

It names a program built as the Makefile of the tag v10.0 of github.com/usnistgov/trec_eval
builds it. The collections are those that ``tests/against/trec_eval/test_native.py`` draws, so
that file is run, and all that the program printed meanwhile is kept.
"""

from __future__ import annotations

import hashlib
import json
import lzma
import os
from collections.abc import Iterable
from functools import cache
from pathlib import Path

import pytest

PROGRAM = os.environ.get("TREC_EVAL")
RECORDED = Path(__file__).resolve().parents[1] / "recorded" / "trec_eval_10.json.xz"

Outputs = dict[str, str]
"""From the key of arguments and input to what was printed."""


def key_of(arguments: Iterable[str], qrels: Path, run: Path) -> str:
    """A hash of the arguments and of the bytes of both files."""
    parts = [" ".join(arguments).encode(), qrels.read_bytes(), run.read_bytes()]
    return hashlib.sha256(b"\0".join(parts)).hexdigest()[:16]


@cache
def outputs() -> Outputs:
    """What was printed, by key; empty, to be filled, where ``TREC_EVAL`` names the program."""
    if PROGRAM:
        return {}
    recorded: Outputs = json.loads(lzma.decompress(RECORDED.read_bytes()))
    return recorded


def main() -> None:
    """Runs the tests with the program and writes down what it printed."""
    # This file is the main module here; the tests fill the dict of the module that they import.
    from tests.against.recorders import trec_eval_10
    from tests.against.trec_eval import test_native

    if pytest.main([test_native.__file__, "-k", "not real_runs"]) == 0:
        text = json.dumps(trec_eval_10.outputs(), sort_keys=True)
        RECORDED.write_bytes(lzma.compress(text.encode(), preset=9))


if __name__ == "__main__":
    main()
