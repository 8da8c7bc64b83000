"""Compressed files whose headers are longer than what is looked at: the same from everywhere.

The files are put together by hand after RFC 1952 (gzip) and RFC 8878 (Zstandard).
"""

from __future__ import annotations

import bz2
import gzip
import io
import struct
import zlib
from collections.abc import Callable
from pathlib import Path

import cranfield as cf
import pytest

JUDGED = {str(t): {f"d{d}": float(d % 2) for d in range(9)} for t in range(9)}
ROWS = [(t, d, int(g)) for t, docs in JUDGED.items() for d, g in docs.items()]
CONTENT = {
    "trec": "".join(f"{t} 0 {d} {g}\n" for t, d, g in ROWS),
    "csv": "topic,doc,grade\n" + "".join(f"{t},{d},{g}\n" for t, d, g in ROWS),
    "beir": "query-id\tcorpus-id\tscore\n" + "".join(f"{t}\t{d}\t{g}\n" for t, d, g in ROWS),
    "jsonl": "".join(f'{{"topic": "{t}", "doc": "{d}", "grade": {g}}}\n' for t, d, g in ROWS),
}


def gzipped(data: bytes, *, extra: int = 0, name: int = 0, comment: int = 0) -> bytes:
    """A member of gzip with a header of these parts, in bytes."""
    flags = 4 * (extra > 0) | 8 * (name > 0) | 16 * (comment > 0)
    header = b"\x1f\x8b\x08" + bytes([flags]) + b"\0\0\0\0\0\xff"
    header += struct.pack("<H", extra) + b"e" * extra if extra else b""
    header += b"n" * name + b"\0" if name else b""
    header += b"c" * comment + b"\0" if comment else b""
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    body = packer.compress(data) + packer.flush()
    return header + body + struct.pack("<II", zlib.crc32(data), len(data))


def stored(data: bytes) -> bytes:
    """A frame of Zstandard with one block that is not compressed, after one to be skipped."""
    skipped = b"\x50\x2a\x4d\x18" + struct.pack("<I", 9000) + b"s" * 9000
    frame = b"\x28\xb5\x2f\xfd" + b"\xa0" + struct.pack("<I", len(data))
    return skipped + frame + struct.pack("<I", len(data) << 3 | 1)[:3] + data


PACKED: dict[str, Callable[[bytes], bytes]] = {
    "extra field": lambda data: gzipped(data, extra=60_000),
    "name": lambda data: gzipped(data, name=60_000),
    "comment": lambda data: gzipped(data, comment=9000),
    "empty members": lambda data: gzip.compress(b"") * 300 + gzip.compress(data),
    "empty streams": lambda data: bz2.compress(b"") * 400 + bz2.compress(data),
    "skippable frame": stored,
}


@pytest.mark.parametrize("packing", PACKED)
@pytest.mark.parametrize("form", CONTENT)
def test_a_long_header_hides_no_table(form: str, packing: str, tmp_path: Path) -> None:
    path = tmp_path / "judgments"
    data = PACKED[packing](CONTENT[form].encode())
    path.write_bytes(data)
    assert cf.read_qrels(path).to_dict() == JUDGED
    assert cf.read_qrels(io.BytesIO(data)).to_dict() == JUDGED
    with path.open("rb") as file:
        assert cf.read_qrels(file).to_dict() == JUDGED
        file.seek(0)
        assert cf.evaluate(file, {"0": {"d1": 1.0}}, "num_ret").topics == tuple(JUDGED)


@pytest.mark.parametrize("parts", [{"name": 70_000}, {"comment": 70_000}])
def test_a_header_that_is_too_long_is_the_same_error(parts: dict[str, int], tmp_path: Path) -> None:
    path = tmp_path / "judgments"
    data = gzipped(CONTENT["trec"].encode(), **parts)
    path.write_bytes(data)
    messages = set()
    for source in (path, io.BytesIO(data)):
        with pytest.raises(cf.Error) as caught:
            cf.read_qrels(source)
        messages.add((caught.value.kind, caught.value.message))
    assert len(messages) == 1
