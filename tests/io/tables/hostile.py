"""Parquet and Arrow that lie: whole, mutated, and made to expand."""

from __future__ import annotations

import random
import struct
from typing import Any

import pyarrow as pa
import pyarrow.ipc
import pyarrow.parquet

FAR = 1 << 20
"""An offset that no buffer here has."""


def plain(rows: int = 4) -> Any:
    """A run of two topics that is right."""
    return pa.table(
        {
            "topic": ["1" if row < rows // 2 else "2" for row in range(rows)],
            "doc": [f"document-{row}" for row in range(rows)],
            "score": [float(rows - row) for row in range(rows)],
        }
    )


def _buffer(form: str, *numbers: int) -> Any:
    return pa.py_buffer(struct.pack(f"<{len(numbers)}{form}", *numbers))


TEXT = pa.py_buffer(b"abcdef" * 2)


def _offsets(kind: Any, *offsets: int) -> Any:
    """Texts between offsets. pyarrow checks the first and the last, so these are sliced off."""
    form = "q" if kind == pa.large_string() else "i"
    buffers = [None, _buffer(form, 0, *offsets, 12), TEXT]
    return pa.Array.from_buffers(kind, len(offsets) + 1, buffers).slice(1, len(offsets) - 1)


def _views(*views: tuple[int, int, int]) -> Any:
    """Texts of (bytes, buffer, offset)."""
    packed = b"".join(struct.pack("<i4sii", length, b"abcd", *at) for length, *at in views)
    return pa.Array.from_buffers(
        pa.string_view(), len(views), [None, pa.py_buffer(packed), pa.py_buffer(b"abcd" * 8)]
    )


def _coded(*codes: int) -> Any:
    keys = pa.Array.from_buffers(pa.int8(), len(codes), [None, _buffer("b", *codes)])
    return pa.DictionaryArray.from_arrays(keys, pa.array(["a", "b"]), safe=False)


def _coded_texts(*offsets: int) -> Any:
    texts = _offsets(pa.string(), *offsets)
    return pa.DictionaryArray.from_arrays(pa.array([0, 1, 2, 3], pa.int8()), texts)


def liars() -> dict[str, Any]:
    """Columns of four ids whose offsets, codes or texts lie."""
    found: dict[str, Any] = {}
    for kind in (pa.string(), pa.large_string()):
        found |= {
            f"{kind}, its end": _offsets(kind, 0, 3, 6, 9, FAR),
            f"{kind}, far inside": _offsets(kind, 0, 3, FAR, 9, 12),
            f"{kind}, backwards": _offsets(kind, 0, 6, 3, 9, 12),
            f"{kind}, below 0": _offsets(kind, -FAR, 3, 6, 9, 12),
            f"{kind}, ends below 0": _offsets(kind, 0, 3, 6, 9, -1),
        }
    found |= {
        "string, far at the end of a topic": _offsets(pa.string(), 0, 3, FAR, FAR + 3, FAR + 6),
        "string, not UTF-8": pa.Array.from_buffers(
            pa.string(), 4, [None, _buffer("i", 0, 1, 2, 3, 4), pa.py_buffer(b"ab\xff\xfe")]
        ),
        "view, offset": _views((13, 0, 0), (13, 0, FAR), (13, 0, 4), (13, 0, 8)),
        "view, buffer": _views((13, 0, 0), (13, 7, 0), (13, 0, 4), (13, 0, 8)),
        "view, negative offset": _views((13, 0, 0), (13, 0, -64), (13, 0, 4), (13, 0, 8)),
        "view, length": _views((FAR, 0, 0), (13, 0, 0), (13, 0, 4), (13, 0, 8)),
        "view, negative length": _views((-9, 0, 0), (13, 0, 0), (13, 0, 4), (13, 0, 8)),
        "dictionary, code": _coded(0, 1, 100, 1),
        "dictionary, negative code": _coded(0, 1, -100, 1),
        "dictionary, its texts": _coded_texts(0, 3, FAR, 9, 12),
    }
    return found


def lying(column: str, liar: Any) -> Any:
    """A run one of whose columns lies."""
    table = plain()
    place = table.schema.get_field_index(column)
    return table.set_column(place, column, pa.chunked_array([liar]))


def ipc(table: Any, stream: bool = False, **options: Any) -> bytes:
    """A table as Arrow IPC."""
    sink = pa.BufferOutputStream()
    new = pyarrow.ipc.new_stream if stream else pyarrow.ipc.new_file
    written = pyarrow.ipc.IpcWriteOptions(**options)
    with new(sink, table.schema, options=written) as writer:
        writer.write_table(table)
    data: bytes = sink.getvalue().to_pybytes()
    return data


def parquet(table: Any, **options: Any) -> bytes:
    """A table as Parquet."""
    sink = pa.BufferOutputStream()
    pyarrow.parquet.write_table(table, sink, **options)
    data: bytes = sink.getvalue().to_pybytes()
    return data


def sound_files() -> dict[str, bytes]:
    """Small files of many kinds, to be mutated."""
    table = plain(40)
    coded = pa.table({name: table[name].dictionary_encode() for name in ("topic", "doc")})
    coded = coded.append_column("score", table["score"])
    large = table.set_column(1, "doc", table["doc"].cast(pa.large_string()))
    views = table.set_column(1, "doc", table["doc"].cast(pa.string_view()))
    named = table.append_column("run", pa.array(["a", "b"] * 20))
    ranked = table.set_column(2, "rank", pa.array(list(range(1, 21)) * 2))
    return {
        "stream": ipc(table, stream=True),
        "file": ipc(table),
        "coded stream": ipc(coded, stream=True),
        "coded file": ipc(coded),
        "large": ipc(large, stream=True),
        "views": ipc(views, stream=True),
        "zstd": ipc(coded, compression="zstd"),
        "lz4": ipc(table, stream=True, compression="lz4"),
        "parquet": parquet(named, row_group_size=10),
        "plain parquet": parquet(ranked, use_dictionary=False, compression="none"),
        "parquet in zstd": parquet(named, compression="zstd", data_page_version="2.0"),
        "chained parquet": parquet(
            table,
            use_dictionary=False,
            column_encoding={"topic": "DELTA_BYTE_ARRAY", "doc": "DELTA_BYTE_ARRAY"},
        ),
        "numbers": parquet(
            pa.table({"topic": [1] * 4, "doc": [1, 2, 3, 4], "score": [1, 2, 3, 4]})
        ),
    }


NUMBERS = [0, 1, 2, 127, 128, 255, 2**15, 2**16, 2**31 - 1, 2**31, 2**32 - 1, 2**40, 2**63 - 1]


def mutated(data: bytes, random: random.Random) -> bytes:
    """A file with some bytes changed, most of them where its descriptions are."""
    found = bytearray(data)
    for _ in range(random.randint(1, 4)):
        tail = random.random() < 0.5
        place = (
            max(0, len(found) - 1 - random.randrange(900)) if tail else random.randrange(len(found))
        )
        what = random.random()
        if what < 0.4:
            found[place] = random.randrange(256)
        elif what < 0.6:
            found[place] ^= 1 << random.randrange(8)
        elif what < 0.85:
            number = random.choice(NUMBERS) * random.choice([1, -1])
            width = random.choice([1, 2, 4, 8])
            bits = number & ((1 << (8 * width)) - 1)
            found[place : place + width] = bits.to_bytes(width, "little")
        elif what < 0.93:
            del found[place : place + random.randint(1, 8)]
        else:
            found[place:place] = random.randbytes(random.randint(1, 8))
        if not found:
            return b"PAR1"
    return bytes(found)


def arrays(random: random.Random) -> Any:
    """A table whose buffers are right or not."""
    rows = random.randint(0, 5)
    columns = {name: _any_array(random, rows) for name in ("topic", "doc")}
    score = pa.array([random.random() for _ in range(rows)])
    table = pa.Table.from_arrays([*columns.values(), score], names=[*columns, "score"])
    return table.slice(random.randrange(3)) if random.random() < 0.3 else table


def _number(random: random.Random, usual: int) -> int:
    odd = random.choice([-1, 1, 5, 127, FAR, -FAR, 2**31 - 1])
    return usual if random.random() < 0.8 else odd


def _any_array(random: random.Random, rows: int) -> Any:
    kind = random.choice(["i", "q", "view", "code", "number"])
    if kind == "view":
        views = [
            (_number(random, random.choice([3, 13])), _number(random, 0), _number(random, 4))
            for _ in range(rows)
        ]
        return _views(*views)
    if kind == "code":
        return _coded(*(max(-128, min(127, _number(random, 0))) for _ in range(rows)))
    if kind == "number":
        return pa.array([random.choice([-5, 7, 2**40]) for _ in range(rows)], pa.int64())
    offsets = [_number(random, 2 * row) for row in range(rows + 1)]
    return _offsets(pa.string() if kind == "i" else pa.large_string(), *offsets)


def codes_of_a_long_text(length: int, rows: int) -> Any:
    """A run whose documents are all one long text, kept once."""
    keys = pa.array([0] * rows, pa.int32())
    docs = pa.DictionaryArray.from_arrays(keys, pa.array(["x" * length]))
    return pa.table(
        {"topic": [str(row) for row in range(rows)], "doc": docs, "score": [1.0] * rows}
    )


def views_of_a_long_text(length: int, rows: int) -> Any:
    """The same with views of one buffer."""
    view = struct.pack("<i4sii", length, b"xxxx", 0, 0)
    docs = pa.Array.from_buffers(
        pa.string_view(), rows, [None, pa.py_buffer(view * rows), pa.py_buffer(b"x" * length)]
    )
    return pa.table(
        {"topic": [str(row) for row in range(rows)], "doc": docs, "score": [1.0] * rows}
    )


def bombs() -> dict[str, bytes]:
    """Files of some kilobytes that stand for gigabytes."""
    long, rows = 1 << 20, 5000
    codes, views = codes_of_a_long_text(long, rows), views_of_a_long_text(long, rows)
    text = "x" * (16 << 20)
    pages = {"topic": ["1"] * 8, "doc": [f"{row}{text}" for row in range(8)], "score": [1.0] * 8}
    again = pa.array([0] * 1_000_000, pa.int32())
    one = pa.table({"topic": ["1"], "doc": ["x" * 1000], "score": [1.0]})
    chained = {"topic": ["1"] * 500, "doc": ["x" * (1 << 19)] * 500, "score": [1.0] * 500}
    packed: dict[str, Any] = {"compression": "zstd"}
    return {
        "codes.parquet": parquet(codes, dictionary_pagesize_limit=1 << 30, **packed),
        "codes.arrow": ipc(codes, **packed),
        "codes.arrows": ipc(codes, stream=True, **packed),
        "views.arrow": ipc(views, **packed),
        "pages.parquet": parquet(pa.table(pages), use_dictionary=False, **packed),
        "pages.arrow": ipc(pa.table(pages), **packed),
        "rows.parquet": parquet(one.take(again), **packed),
        "chained.parquet": parquet(
            pa.table(chained),
            use_dictionary=False,
            column_encoding={"doc": "DELTA_BYTE_ARRAY"},
            **packed,
        ),
    }
