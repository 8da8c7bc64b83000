"""Runs trec_eval on the 129 runs of TREC-8 and records hashes of all that it prints.

    TREC_EVAL_9=... TREC_EVAL_908=... TREC_EVAL_10=... python -m tests.against.recorders.trec_eval

Each names a program built as its Makefile builds it: of the tags v9.0.8 (2020),
trec_eval-9.0.8 (2023) and v10.0 of github.com/usnistgov/trec_eval. What they print
under ``-q -m all_trec`` has 590,000 lines; tests/against/recorded/trec_eval.json keeps a hash for
each run. Lines of rbp are left out for 10.0, which reads two variables there that it
never sets.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import subprocess
import tempfile
from pathlib import Path

from tests import ROOT

RECORDED = ROOT / "tests" / "against" / "recorded" / "trec_eval.json"
PROGRAMS = {"9": "TREC_EVAL_9", "9.0.8": "TREC_EVAL_908", "10": "TREC_EVAL_10"}
ARGUMENTS = ("-q", "-m", "all_trec")


def digest(version: str, code: int, out: bytes) -> str:
    """A hash of an exit code and of the lines that are defined."""
    lines = out.splitlines(keepends=True)
    if version == "10":
        lines = [line for line in lines if not line.startswith(b"rbp ")]
    return hashlib.sha256(b"%d\n%s" % (code, b"".join(lines))).hexdigest()


def main() -> None:
    """Records all three programs."""
    folder = Path(os.environ["CRANFIELD_DATA"]) / "trec8-adhoc"
    recorded: dict[str, dict[str, str]] = {version: {} for version in PROGRAMS}
    with tempfile.TemporaryDirectory() as place:
        qrels = Path(place, "qrels")
        qrels.write_bytes(gzip.decompress((folder / "trec8.qrels.gz").read_bytes()))
        for packed in sorted((folder / "runs").iterdir()):
            run = Path(place, "run")
            run.write_bytes(gzip.decompress(packed.read_bytes()))
            for version, variable in PROGRAMS.items():
                command = [os.environ[variable], *ARGUMENTS, str(qrels), str(run)]
                ended = subprocess.run(command, capture_output=True, check=False)
                name = packed.name.removesuffix(".gz")
                recorded[version][name] = digest(version, ended.returncode, ended.stdout)
    RECORDED.write_text(json.dumps(recorded, indent=1) + "\n")


if __name__ == "__main__":
    main()
