"""Inputs that are wrong in one way each, and the error that each has to give.

A row says what has to be reported: the kind, the sentence, and where. The
sentence is the whole one unless the row says ``whole=False``.
"""
# ruff: noqa: E501 - a table reads best with a row on a line

from __future__ import annotations

import bz2
import gzip
import lzma
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import cranfield as cf
import pytest

QRELS = "1 0 a 1\n1 0 b 0\n2 0 a 1\n"
RUN = "1 Q0 a 1 3 t\n1 Q0 b 2 2 t\n2 Q0 a 1 1 t\n"
JUDGED = {"1": {"a": 1, "b": 0}, "2": {"a": 1}}
SCORED = {"1": {"a": 3.0, "b": 2.0}, "2": {"a": 1.0}}

Place = tuple[int | None, int | None]
NOWHERE: Place = (None, None)


@dataclass(frozen=True)
class Case:
    """One malformed file among good ones, or good ones under an option that refuses them."""

    name: str
    kind: str
    place: Place
    message: str
    run: bytes = RUN.encode()
    qrels: bytes = QRELS.encode()
    file: str | None = "run.txt"
    flags: tuple[str, ...] = ()
    keywords: dict[str, Any] = field(default_factory=dict)
    whole: bool = True


def refused(call: Callable[[], object]) -> cf.Error:
    with pytest.raises(cf.Error) as caught:
        call()
    return caught.value


def encoded(text: str | bytes) -> bytes:
    return text.encode() if isinstance(text, str) else text


def run(name: str, text: str | bytes, kind: str, place: Place, message: str, **more: Any) -> Case:
    return Case(f"run-{name}", kind, place, message, run=encoded(text), **more)


def qrels(name: str, text: str | bytes, kind: str, place: Place, message: str, **more: Any) -> Case:
    more.setdefault("file", "qrels.txt")
    return Case(f"qrels-{name}", kind, place, message, qrels=encoded(text), **more)


# Runs

SIX = "expected 6 fields (topic Q0 document rank score tag)"
SIX_OR_THREE = f"{SIX} or 3 (topic document rank)"
THREE = "expected 3 fields (topic document rank) as on the first line"
A_RUN = "expected lines of a run (topic Q0 document rank score tag)"
ONLY_COMMENTS = "found only comments and blank lines"
BINARY = "expected lines of text, found a zero byte: this is a binary file, or text in UTF-16"


def again(document: str, topic: str, line: int) -> str:
    return (
        f"expected each document once per topic, found `{document}` again "
        f"for topic `{topic}`, first seen on line {line}; {KEEP_ONE}"
    )


ATOF = "lenient=True reads it as C's atof does"
SPACED = "; no field can contain a space: CSV, JSON Lines and Parquet can hold ids that do"
COMMAS = (
    "; `,` does not separate fields: CSV needs a header such as qid,docno,score; or replace it by "
    "tabs"
)
COMMA = "; numbers have a decimal point and no comma"
QUOTES = "; remove the quotation marks, which files of lines do not have"
OTHERS = "; fields are separated by spaces or tabs: replace other separators"
HEADER = "; remove this line if it is a header"
KEEP_ONE = (
    'duplicates="first" or duplicates="best" keeps one of them, '
    'duplicates="place" also the place of the other'
)


def no_number(what: str, text: str, advice: str = "") -> str:
    return f"expected a number as {what}, found `{text}`{advice}"


def not_finite(what: str, text: str) -> str:
    advice = f"; {ATOF}" if what == "score" else ""
    return f"expected a finite number as {what}, found `{text}`{advice}"


def found(number: int, line: str, advice: str = "") -> str:
    return f"found {number} field{'s' if number != 1 else ''}: `{line}`{advice}"


FIELDS = [
    run("1-field", "1\n", "fields", (1, 2), f"{SIX_OR_THREE}, {found(1, '1')}"),
    run("2-fields", "1 a\n", "fields", (1, 4), f"{SIX_OR_THREE}, {found(2, '1 a')}"),
    run("4-fields", "1 a 1 3\n", "fields", (1, 8), f"{SIX_OR_THREE}, {found(4, '1 a 1 3')}; this looks like a file of judgments"),
    run("5-fields", "1 Q0 a 1 3\n", "fields", (1, 11), f"{SIX_OR_THREE}, {found(5, '1 Q0 a 1 3')}"),
    run("5-fields-and-spaces", "1 Q0 a 1 3 \t\r\n", "fields", (1, 11), f"{SIX_OR_THREE}, {found(5, '1 Q0 a 1 3')}"),
    run("comma-separated", "1,Q0,a,1,3,t\n", "fields", (1, 13), f"{SIX_OR_THREE}, {found(1, '1,Q0,a,1,3,t', COMMAS)}"),
    run("empty-score", "1\tQ0\ta\t1\t\tt\n", "fields", (1, 12), f"{SIX_OR_THREE}, " + found(5, r"1\tQ0\ta\t1\t\tt")),
    run("1-field-later", f"{RUN}2\n", "fields", (4, 2), f"{SIX}, {found(1, '2')}"),
    run("2-fields-later", f"{RUN}2 Q0\n", "fields", (4, 5), f"{SIX}, {found(2, '2 Q0')}"),
    run("3-fields-later", f"{RUN}2 Q0 b\n", "fields", (4, 7), f"{SIX}, {found(3, '2 Q0 b')}"),
    run("4-fields-later", f"{RUN}2 Q0 b 2\n", "fields", (4, 9), f"{SIX}, {found(4, '2 Q0 b 2')}"),
    run("5-fields-later", f"{RUN}2 Q0 b 2 1\n", "fields", (4, 11), f"{SIX}, {found(5, '2 Q0 b 2 1')}"),
    run("5-fields-new-topic", f"{RUN}3 Q0 b 2 1", "fields", (4, 11), f"{SIX}, {found(5, '3 Q0 b 2 1')}"),
    run("cut-short", RUN[:-4], "fields", (3, 9), f"{SIX}, {found(4, '2 Q0 a 1')}"),
    run("blank-lines-count", "\n# x\n\r\n 1 Q0\n", "fields", (4, 6), f"{SIX_OR_THREE}, {found(2, '1 Q0')}"),
    run("a-byte-order-mark-has-no-width", "\ufeff1 Q0\n", "fields", (1, 5), f"{SIX_OR_THREE}, {found(2, '1 Q0')}"),
    run("columns-are-characters", "é Q0 日本 1 3\n", "fields", (1, 12), f"{SIX_OR_THREE}, {found(5, 'é Q0 日本 1 3')}"),
    run("6-then-3", f"{RUN}2 b 2\n", "fields", (4, 6), f"{SIX}, {found(3, '2 b 2')}"),
    run("3-then-6", f"1 a 1\n{RUN}", "fields", (2, 8), f"{THREE}, {found(6, '1 Q0 a 1 3 t', SPACED)}"),
    run("3-then-4", "1 a 1\n1 b 2 7\n", "fields", (2, 7), f"{THREE}, {found(4, '1 b 2 7', SPACED)}"),
    run("3-then-2", "1 a 1\n1 b\n", "fields", (2, 4), f"{THREE}, {found(2, '1 b')}"),
    run("3-then-1", "1 a 1\n2\n", "fields", (2, 2), f"{THREE}, {found(1, '2')}"),
    run("7-fields", "1 Q0 New York 1 22.5 t\n", "fields", (1, 22), f"{SIX_OR_THREE}, {found(7, '1 Q0 New York 1 22.5 t')}{SPACED}"),
    run("7-fields-later", f"{RUN}2 Q0 New York 1 2 t\n", "fields", (4, 19), f"{SIX}, {found(7, '2 Q0 New York 1 2 t')}{SPACED}"),
    run("7-fields-like-the-line-above", "1 Q0 a 1 3 t\n1 Q0 b c 2 2 t\n", "fields", (2, 14), f"{SIX}, {found(7, '1 Q0 b c 2 2 t')}{SPACED}"),
    run("tag-of-two-words", "1 Q0 a 1 3 my run\n", "fields", (1, 15), f"{SIX_OR_THREE}, {found(7, '1 Q0 a 1 3 my run')}{SPACED}"),
    run(
        "that-is-judgments",
        QRELS,
        "fields",
        (1, 8),
        f"{SIX_OR_THREE}, {found(4, '1 0 a 1')}; this looks like a file of judgments",
    ),
    run(
        "line-ends-of-old-macs",
        RUN.replace("\n", "\r"),
        "fields",
        (1, 13),
        "carriage return",
        whole=False,
    ),
]  # fmt: skip


def scored(text: str) -> str:
    return f"1 Q0 a 1 3 t\n1 Q0 b 2 {text} t\n"


NUMBERS = [
    *(
        run(f"score-{name}", scored(text), "number", (2, 10), no_number("score", text))
        for name, text in [
            ("word", "high"),
            ("half-a-number", "3x"),
            ("no-exponent", "1e"),
            ("two-signs", "--1"),
            ("underscore", "1_000"),
            ("percent", "50%"),
            ("arabic-digits", "٣"),
            ("null", "None"),
        ]
    ),
    *(
        run(f"score-{name}", scored(text), "number", (2, 10), not_finite("score", text))
        for name, text in [
            ("nan", "NaN"),
            ("minus-nan", "-nan"),
            ("inf", "inf"),
            ("minus-inf", "-inf"),
            ("infinity", "Infinity"),
            ("overflow", "1e999"),
            ("minus-overflow", "-1e999"),
        ]
    ),
    run("score-hexadecimal", scored("0x1p3"), "number", (2, 10), no_number("score", "0x1p3", f"; {ATOF}")),
    run("score-decimal-comma", scored("1,5"), "number", (2, 10), no_number("score", "1,5", COMMA)),
    run("score-in-quotes", scored('"1"'), "number", (2, 10), no_number("score", '"1"', QUOTES)),
    run("score-with-separator", scored("1;"), "number", (2, 10), no_number("score", "1;", OTHERS)),
    run("header", "qid Q0 docno rank score tag\n1 Q0 a 1 1 t\n", "number", (1, 19), no_number("score", "score", HEADER)),
    run("header-later", f"{RUN}qid Q0 docno rank score tag\n", "number", (4, 19), no_number("score", "score", HEADER)),
    run("score-with-tabs", "1\tQ0\ta\t1\t\tx\tt\n", "number", (1, 11), no_number("score", "x")),
    run("score-after-non-ascii", "é Q0 日本 1 x t\n1 Q0 a 1 1 t\n", "number", (1, 11), no_number("score", "x", HEADER)),
    run("score-after-latin-1", b"\xe9 Q0 a 1 x t\n1 Q0 a 1 1 t\n", "number", (1, 10), no_number("score", "x", HEADER)),
    run("score-escaped", scored("\x1b[31m"), "number", (2, 10), no_number("score", "\\u{1b}[31m")),
    run("score-cut", scored("z" * 99), "number", (2, 10), no_number("score", "z" * 60 + "...")),
    run("score-of-an-unjudged-topic", f"{RUN}9 Q0 a 1 x t\n", "number", (4, 10), no_number("score", "x")),
    run("score-in-gzip", gzip.compress(scored("x").encode()), "number", (2, 10), no_number("score", "x")),
    run("ms-marco-header", "qid did rank\n1 a 1\n", "number", (1, 9), "expected a number as rank, found `rank`; remove this line if it is a header"),
    run("ms-marco-rank-word", "1 a 1\n1 b two\n", "number", (2, 5), no_number("rank", "two")),
    run("ms-marco-rank-nan", "1 a 1\n1 b nan\n", "number", (2, 5), not_finite("rank", "nan")),
    run(
        "order-by-rank-word",
        "1 Q0 a 1 3 t\n1 Q0 b x 2 t\n",
        "number",
        (2, 8),
        no_number("rank", "x"),
        flags=("--order", "rank"),
        keywords={"order": "rank"},
    ),
    run(
        "order-by-rank-inf",
        "1 Q0 a inf 3 t\n",
        "number",
        (1, 8),
        not_finite("rank", "inf"),
        flags=("--order", "rank"),
        keywords={"order": "rank"},
    ),
]  # fmt: skip

PAIR = "1 Q0 a 1 3 t\n1 Q0 b 2 2 t\n"
TWICE = f"{PAIR}1 Q0 a 3 1 t\n"
DUPLICATES = [
    run("twice-together", TWICE, "duplicate", (3, 6), again("a", "1", 1)),
    run("twice-with-one-score", "1 Q0 a 1 3 t\n" * 2, "duplicate", (2, 6), again("a", "1", 1)),
    run("three-times", f"{TWICE}1 Q0 a 4 0 t\n", "duplicate", (3, 6), again("a", "1", 1)),
    run("two-pairs", f"{TWICE}1 Q0 b 4 0 t\n", "duplicate", (3, 6), again("a", "1", 1)),
    run("twice-in-pieces", f"{RUN}1 Q0 a 3 1 t\n", "duplicate", (4, 6), again("a", "1", 1)),
    run("twice-in-a-later-piece", f"{RUN}1 Q0 c 3 1 t\n1 Q0 c 4 0 t\n", "duplicate", (5, 6), again("c", "1", 4)),
    run("twice-between-comments", f"# x\n\n{PAIR}\n# y\n1 Q0 a 3 1 t\n", "duplicate", (7, 6), again("a", "1", 3)),
    run("twice-with-line-ends-of-windows", TWICE.replace("\n", "\r\n"), "duplicate", (3, 6), again("a", "1", 1)),
    run("twice-without-a-last-line-end", TWICE[:-1], "duplicate", (3, 6), again("a", "1", 1)),
    run("twice-with-tabs", TWICE.replace(" ", "\t"), "duplicate", (3, 6), again("a", "1", 1)),
    run("twice-with-other-spaces", f"{PAIR} 1  Q0\t a 3 1 t\n", "duplicate", (3, 9), again("a", "1", 1)),
    run("twice-non-ascii", "ü Q0 é 1 3 t\nü Q0 é 2 2 t\n1 Q0 a 1 1 t\n", "duplicate", (2, 6), again("é", "ü", 1)),
    run("twice-latin-1", b"1 Q0 \xe9 1 3 t\n1 Q0 \xe9 2 2 t\n", "duplicate", (2, 6), again("\ufffd", "1", 1)),
    run("twice-unjudged-document", f"{PAIR}1 Q0 z 3 1 t\n1 Q0 z 4 0 t\n", "duplicate", (4, 6), again("z", "1", 3)),
    run("twice-in-an-unjudged-topic", f"{RUN}9 Q0 a 1 2 t\n9 Q0 a 2 1 t\n", "duplicate", (5, 6), again("a", "9", 4)),
    run("twice-in-ms-marco", "1 a 1\n1 b 2\n1 a 3\n", "duplicate", (3, 3), again("a", "1", 1)),
    run("twice-in-gzip", gzip.compress(TWICE.encode()), "duplicate", (3, 6), again("a", "1", 1)),
    run("twice-beyond-the-depth", TWICE, "duplicate", (3, 6), again("a", "1", 1), flags=("--depth", "1"), keywords={"depth": 1}),
    run("twice-in-input-order", TWICE, "duplicate", (3, 6), again("a", "1", 1), flags=("--order", "input"), keywords={"order": "input"}),
    run("twice-in-lenient-reading", TWICE, "duplicate", (3, 6), again("a", "1", 1), flags=("--lenient",), keywords={"lenient": True}),
]  # fmt: skip

CONTENTS = [
    run("empty", "", "empty", NOWHERE, f"{A_RUN}, found an empty file"),
    run("empty-gzip", gzip.compress(b""), "empty", NOWHERE, f"{A_RUN}, found an empty file"),
    run("only-comments", "# a\n  # b\n", "empty", NOWHERE, f"{A_RUN}, {ONLY_COMMENTS}"),
    run("only-blank-lines", "\n \t\r\n\n", "empty", NOWHERE, f"{A_RUN}, {ONLY_COMMENTS}"),
    run("zero-byte", "1 Q0 a\0b 1 3 t\n", "binary", (1, 7), BINARY),
    run("zero-byte-later", f"{RUN}1 Q0 日本\0b 1 3 t\n", "binary", (4, 8), BINARY),
    run("zero-byte-after-a-mark", "\ufeff1 Q0 a\0b 1 3 t\n", "binary", (1, 7), BINARY),
    run("zeros", bytes(100), "binary", (1, 1), BINARY),
    run("utf-16-with-mark", b"\xff\xfe" + RUN.encode("utf-16-le"), "binary", (1, 4), BINARY),
    run("utf-16-without-mark", RUN.encode("utf-16-le"), "binary", (1, 2), BINARY),
    run("utf-16-big-endian", b"\xfe\xff" + RUN.encode("utf-16-be"), "binary", (1, 3), BINARY),
    run("zip", b"PK\x03\x04\x14\x00\x00\x00", "binary", NOWHERE, "expected lines of text, found a zip archive: unzip it first"),
    run("zip-of-version-1", b"PK\x03\x04\n\x00\x00\x00", "binary", NOWHERE, "expected lines of text, found a zip archive: unzip it first"),
    run("tar", b"a.run".ljust(257, b"\0") + b"ustar\x0000", "binary", NOWHERE, "expected lines of text, found a tar archive: unpack it first (tar -xf)"),
    run("tar-in-gzip", gzip.compress(b"a.run".ljust(257, b"\0") + b"ustar  \0"), "binary", NOWHERE, "expected lines of text, found a tar archive: unpack it first (tar -xf)"),
    run("git-lfs", "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n", "fields", (1, 43), "; this is a pointer of Git LFS, not the file: git lfs pull gets the file", whole=False),
    run("web-page", "<!DOCTYPE html>\n<html>\n", "fields", (1, 16), "; this is a web page or XML, not the file: download the file itself", whole=False),
    run("semicolons", "1;a;3\n1;b;2\n", "fields", (1, 6), "; `;` does not separate fields: replace it by tabs", whole=False),
    run("commas-and-spaces", "1, a, 3\n1, b, 2\n", "fields", (1, 2), f"expected spaces or tabs between fields, found `1, a, 3`{COMMAS}"),
    run("six-with-commas", "1, Q0, a, 1, 3, t\n", "fields", (1, 2), f"expected spaces or tabs between fields, found `1, Q0, a, 1, 3, t`{COMMAS}"),
    run("compressed-twice", gzip.compress(gzip.compress(RUN.encode(), mtime=0)), "binary", (1, 3), BINARY),
    run("binary-without-zeros", bytes(range(127, 255)), "fields", (1, 65), f"{SIX_OR_THREE}, found 1 field: ", whole=False),
]  # fmt: skip


def zstd(*blocks: tuple[int, bytes, int], end: bool = True) -> bytes:
    """A Zstandard frame of blocks (kind, content, size), written by hand: no encoder is needed."""
    frame = b"\x28\xb5\x2f\xfd\x00\x38"
    for place, (kind, content, size) in enumerate(blocks):
        last = end and place == len(blocks) - 1
        frame += (int(last) | kind << 1 | size << 3).to_bytes(3, "little") + content
    return frame


def raw(content: bytes) -> tuple[int, bytes, int]:
    return (0, content, len(content))


def repeated(byte: bytes, times: int) -> tuple[int, bytes, int]:
    return (1, byte, times)


PACKED = {
    "gzip": gzip.compress(RUN.encode(), mtime=0),
    "bzip2": bz2.compress(RUN.encode()),
    "xz": lzma.compress(RUN.encode()),
    "zstd": zstd(raw(RUN.encode())),
}


def flipped(archive: bytes, place: int) -> bytes:
    changed = bytearray(archive)
    changed[place] ^= 0xFF
    return bytes(changed)


def damaged(packed: str) -> bytes:
    match packed:
        case "zstd":
            return zstd(raw(RUN.encode()), (3, b"x", 1))
        case "bzip2":
            return flipped(PACKED[packed], 12)
        case "xz":
            return flipped(PACKED[packed], 40)
    return flipped(PACKED[packed], -6)


INCOMPLETE = "; the file is not complete, copy or download it again"
ARCHIVES = [
    *(
        run(f"{packed}-{name}", data, "archive", NOWHERE, message, whole=False)
        for packed, archive in PACKED.items()
        for name, data, message in [
            ("cut-at-the-end", archive[:-3], f"the {packed} data ends early, after "),
            ("cut-in-the-middle", archive[: len(archive) // 2], INCOMPLETE),
            ("damaged", damaged(packed), f"the {packed} data is damaged after "),
        ]
    ),
    run(
        "gzip-cut-in-the-header",
        PACKED["gzip"][:5],
        "archive",
        NOWHERE,
        f"the gzip data ends early, after 0 decompressed bytes{INCOMPLETE}",
    ),
    run(
        "gzip-with-more-behind-it",
        PACKED["gzip"] + RUN.encode(),
        "archive",
        NOWHERE,
        f"the gzip data is damaged after {len(RUN)} decompressed bytes "
        "(its end is followed by bytes that are not gzip data)",
    ),
    qrels(
        "gzip-cut",
        gzip.compress(QRELS.encode())[:-9],
        "archive",
        NOWHERE,
        INCOMPLETE,
        whole=False,
    ),
]


@cache
def bomb(packed: str, size: int) -> bytes:
    """A run and then blank lines, many times larger than their archive."""
    content = RUN.encode() + b"\n" * size
    match packed:
        case "gzip":
            return gzip.compress(content, mtime=0)
        case "bzip2":
            return bz2.compress(content)
        case "xz":
            return lzma.compress(content, preset=0)
    block = 1 << 17
    return zstd(raw(RUN.encode()), *[repeated(b"\n", block)] * (size // block))


TOO_LONG = "the line is longer than the limit `line_bytes` of {}; raise the limit if the line is meant to be that long"
LONG = f"{RUN}2 Q0 {'z' * 100} 1 1 t\n"
LIMITS = [
    *(
        run(
            f"{packed}-bomb",
            bomb(packed, 20 << 20),
            "limit",
            NOWHERE,
            "beyond the limit `decompression_ratio` of 200; "
            "raise it if you trust this file",
            whole=False,
        )
        for packed in PACKED
    ),
    run("a-line-too-long", f"{RUN}{'z' * (1 << 20)}z\n", "limit", (4, None), TOO_LONG.format(1 << 20)),
    run("a-last-line-too-long", f"{RUN}{'z' * (1 << 20)}z", "limit", (4, None), TOO_LONG.format(1 << 20)),
    run("one-endless-line", "z" * (3 << 20), "limit", (1, None), TOO_LONG.format(1 << 20)),
    run("a-line-longer-than-asked", LONG, "limit", (4, None), TOO_LONG.format(100), flags=("--max-line", "100"), keywords={"limits": cf.Limits(line_bytes=100)}),
    qrels("a-line-too-long", f"{QRELS}{'z' * (1 << 20)}z\n", "limit", (4, None), TOO_LONG.format(1 << 20)),
]  # fmt: skip

POLICIES = [
    run(
        "topics-missing",
        PAIR,
        "topics",
        NOWHERE,
        "expected every topic of the judgments in run `run`, found 1 missing: `2`",
        file=None,
        flags=("--missing", "error"),
        keywords={"missing": "error"},
    ),
    qrels(
        "undefined",
        "1 0 a 1\n2 0 a 0\n",
        "undefined",
        NOWHERE,
        "AP is undefined for topic `2`: it has no relevant document",
        file="run.txt",
        flags=("--undefined", "error"),
        keywords={"undefined": "error"},
    ),
]

# Judgments

FOUR = "expected 4 fields (topic iteration document grade)"
FIVE = "expected 5 fields (topic iteration document stratum grade)"
BEIR = "query-id\tcorpus-id\tscore\n"
BEIR_ROWS = "expected 3 fields (query-id corpus-id score)"
ANY = (
    f"{FOUR}, 5 (topic iteration document stratum grade), or the header `query-id corpus-id score`"
)
JUDGMENTS = "expected judgments (topic iteration document grade)"


def judged_again(document: str, topic: str, line: int) -> str:
    return (
        f"expected one judgment per document and topic, found `{document}` again "
        f"for topic `{topic}`, first seen on line {line}"
    )


def conflict(grade: str, document: str, topic: str, earlier: str, line: int) -> str:
    return (
        f"expected one judgment per document and topic, found grade {grade} "
        f"for `{document}` and topic `{topic}`, which has grade {earlier} on line {line}"
    )


def in_doubt(line: str) -> str:
    return (
        f'{FOUR}, {found(5, line)}; layout="stratified" reads topic iteration document stratum '
        "grade; no other field can contain a space: CSV and JSON Lines can hold ids that do"
    )


QRELS_CASES = [
    qrels("1-field", "1\n", "fields", (1, 2), f"{ANY}, {found(1, '1')}"),
    qrels("2-fields", "1 a\n", "fields", (1, 4), f"{ANY}, {found(2, '1 a')}"),
    qrels("3-fields", "1 a 1\n", "fields", (1, 6), f'{ANY}, found 3 fields: `1 a 1`; layout="beir" reads three columns without a header'),
    qrels("7-fields", "1 0 a 1 2 3 4\n", "fields", (1, 9), f"{ANY}, {found(7, '1 0 a 1 2 3 4')}; this looks like a run"),
    qrels("that-is-a-run", RUN, "fields", (1, 10), f"{ANY}, {found(6, '1 Q0 a 1 3 t')}; this looks like a run"),
    qrels("comma-separated", "1,0,a,1\n", "fields", (1, 8), f"{ANY}, {found(1, '1,0,a,1', COMMAS)}"),
    qrels("commas-and-spaces", "1, 0, a, 1\n", "fields", (1, 2), f"expected spaces or tabs between fields, found `1, 0, a, 1`{COMMAS}"),
    qrels("3-fields-later", f"{QRELS}2 0 b\n", "fields", (4, 6), f"{FOUR}, {found(3, '2 0 b')}"),
    qrels("5-fields-later", f"{QRELS}2 0 b 1 1\n", "fields", (4, 9), f"{FOUR}, {found(5, '2 0 b 1 1', SPACED)}"),
    qrels("5-fields-of-a-space", "1 0 New York 1\n", "fields", (1, 14), in_doubt("1 0 New York 1")),
    qrels("5-fields-of-a-space-and-a-number", "1 0 Route 66 1\n", "layout", (1, 14), in_doubt("1 0 Route 66 1")),
    qrels("1-field-later", f"{QRELS}2\n", "fields", (4, 2), f"{FOUR}, {found(1, '2')}"),
    qrels("stratified-4-fields-later", "1 0 a 0 1\n1 0 b 1\n", "fields", (2, 8), f"{FIVE}, {found(4, '1 0 b 1')}"),
    qrels("stratified-6-fields-later", "1 0 a 0 1\n1 0 b 0 1 x\n", "fields", (2, 11), f"{FIVE}, {found(6, '1 0 b 0 1 x', SPACED)}"),
    qrels("beir-2-fields", f"{BEIR}1\ta\n", "fields", (2, 4), f"{BEIR_ROWS}, " + found(2, r"1\ta")),
    qrels("beir-4-fields", f"{BEIR}1\t0\ta\t1\n", "fields", (2, 7), f"{BEIR_ROWS}, " + found(4, r"1\t0\ta\t1", SPACED)),
    qrels("grade-word", "1 0 a good\n", "number", (1, 7), no_number("grade", "good")),
    qrels("grade-word-later", f"{QRELS}2 0 é x\n", "number", (4, 7), no_number("grade", "x")),
    qrels("grade-hexadecimal", "1 0 a 0x1\n", "number", (1, 7), no_number("grade", "0x1")),
    qrels("grade-decimal-comma", "1 0 a 0,5\n", "number", (1, 7), no_number("grade", "0,5", COMMA)),
    qrels("grade-in-quotes", "1 0 a '1'\n", "number", (1, 7), no_number("grade", "'1'", QUOTES)),
    qrels("header", "topic iter docno rel\n1 0 a 1\n", "number", (1, 18), no_number("grade", "rel", HEADER)),
    qrels("grade-nan", "1 0 a nan\n", "number", (1, 7), not_finite("grade", "nan")),
    qrels("grade-inf", "1 0 a inf\n", "number", (1, 7), not_finite("grade", "inf")),
    qrels("grade-overflow", "1 0 a -1e999\n", "number", (1, 7), not_finite("grade", "-1e999")),
    qrels("columns-exchanged", "1 0 1 a\n", "number", (1, 7), no_number("grade", "a")),
    qrels("beir-score-word", f"{BEIR}1\ta\tx\n", "number", (2, 5), no_number("grade", "x")),
    qrels("beir-header-twice", f"{BEIR}1\ta\t1\n{BEIR}", "number", (3, 20), no_number("grade", "score", HEADER)),
    qrels("stratum-word", "1 0 a x 1\n", "fields", (1, 9), in_doubt("1 0 a x 1")),
    qrels("stratum-nan", "1 0 a nan 1\n", "fields", (1, 11), in_doubt("1 0 a nan 1")),
    qrels("stratified-grade-word", "1 0 a 1 x\n", "number", (1, 9), no_number("grade", "x")),
    qrels("twice", f"{QRELS}1 0 a 1\n", "duplicate", (4, 5), judged_again("a", "1", 1)),
    qrels("twice-equal-number", "1 0 a 1\n1 0 a 1.0\n", "duplicate", (2, 5), judged_again("a", "1", 1)),
    qrels("twice-between-comments", "# x\n\n1 0 a 1\r\n\n# y\n1 0 a 1\r\n", "duplicate", (6, 5), judged_again("a", "1", 3)),
    qrels("twice-in-beir", f"{BEIR}1\ta\t1\n1\ta\t1\n", "duplicate", (3, 3), judged_again("a", "1", 2)),
    qrels("conflict", f"{QRELS}1 0 a 0\n", "conflict", (4, 5), conflict("0", "a", "1", "1", 1)),
    qrels("conflict-non-ascii", "ü 0 é 1\nü 0 é 0.5\n", "conflict", (2, 5), conflict("0.5", "é", "ü", "1", 1)),
    qrels("conflict-with-tabs", "1\t\t0\ta\t-1\n1\t\t0\ta\t2\n", "conflict", (2, 6), conflict("2", "a", "1", "-1", 1)),
    qrels("conflict-stratified", "1 0 a 0 1\n1 0 a 0 2\n", "conflict", (2, 5), conflict("2", "a", "1", "1", 1)),
    qrels("conflict-in-lenient-reading", "1 0 a 1\n1 0 a x\n", "conflict", (2, 5), conflict("0", "a", "1", "1", 1), flags=("--lenient",), keywords={"lenient": True}),
    qrels("empty", "", "empty", NOWHERE, f"{JUDGMENTS}, found an empty file"),
    qrels("only-comments", "# a\n\n", "empty", NOWHERE, f"{JUDGMENTS}, {ONLY_COMMENTS}"),
    qrels("only-a-header", BEIR, "empty", NOWHERE, "expected judgments (query-id corpus-id score), found only the header"),
    qrels("zero-byte", "1 0 a\0 1\n", "binary", (1, 6), BINARY),
    qrels("utf-16", QRELS.encode("utf-16"), "binary", (1, 4), BINARY),
]  # fmt: skip

FILES = [*FIELDS, *NUMBERS, *DUPLICATES, *CONTENTS, *ARCHIVES, *LIMITS, *POLICIES, *QRELS_CASES]

# Paths: the two arguments, the kind, the file that is named, the sentence.

GONE = "there is no such file"
DATASET = "if it is a dataset of ir_datasets, write ir_datasets:"
PATHS = [
    ("qrels.txt", "rum.txt", "missing", "rum.txt", f"{GONE}; did you mean `run.txt`?"),
    ("qrel.txt", "run.txt", "missing", "qrel.txt", f"{GONE}; did you mean `qrels.txt`?"),
    ("qrels.txt", "nothing-near", "missing", "nothing-near", f"{GONE}; {DATASET}nothing-near"),
    ("qrels.txt", "none/run.txt", "missing", "none/run.txt", "no such file, and no folder `none`"),
    ("qrels.txt", "run.txt/x", "missing", "run.txt/x", f"no such file, and no folder `run.txt`; {DATASET}run.txt/x"),
    ("qrels.txt", "broken", "missing", "broken", "this is a link to `none.txt`, which does not exist"),
    ("qrels.txt", "none*.run", "missing", "none*.run", "no file matches this pattern"),
    ("none*.txt", "run.txt", "missing", "none*.txt", "no file matches this pattern"),
    ("*.txt", "run.txt", "option", None, "expected one file for qrels, found 2"),
    ("qrels.txt", "hollow", "missing", "hollow", "no files in this folder"),
    ("hollow", "run.txt", "directory", "hollow", "this is a folder; expected a file"),
    ("", "run.txt", "missing", "", "the file's name is empty"),
    ("qrels.txt", "", "missing", "", "the file's name is empty"),
]  # fmt: skip

# Measures: the text, the kind, the first line, and what the carets mark.

LISTS_ALL = "`cranfield measures` lists all"
VALUES = "expected a number, a quoted word, True, False, None or {grade: gain}"
LEVELS = "trec_eval rounds the number of documents that a recall level needs; the exact measure is"
OF_RBP = "tools disagree on what follows the name; write RBP(p=0.95), or RBP(p=0.95,max_rel=3) for grades"
CUTOFF = "expected a cutoff such as @10"
WHOLE = "expected a whole number from 1 to 4294967295 as cutoff, found"
END = "expected the end of the measure"
NO_PRIME = "infAP estimates from unjudged documents, so it has no form on the condensed list"

MEASURES: list[tuple[str, str, str, str]] = [
    ("nonsuch", "measure", f"unknown measure: `nonsuch`; {LISTS_ALL}", "^^^^^^^"),
    ("ndgc@10", "measure", "unknown measure: `ndgc@10`; did you mean nDCG@10?", "^^^^"),
    ("nDCG10", "measure", "unknown measure: `nDCG10`; did you mean nDCG?", "^^^^^^"),
    ("bperf", "measure", "unknown measure: `bperf`; did you mean bpref?", "^^^^^"),
    ("AP nDCH@10", "measure", "unknown measure: `nDCH@10`; did you mean nDCG@10?", "^^^^"),
    ("AP)", "measure", "unknown measure: `AP)`; did you mean AP?", "^^^"),
    ("official@10", "measure", f"unknown measure: `official@10`; {LISTS_ALL}", "^^^^^^^^"),
    ("ü", "measure", f"unknown measure: `ü`; {LISTS_ALL}", "^"),
    ("x", "measure", f"unknown measure: `x`; {LISTS_ALL}", "^"),
    ("nDCG @10", "measure", "`nDCG @10` is written nDCG@10", ""),
    ("", "measure", "expected a measure such as nDCG@10, found ``", ""),
    (" \t ", "measure", "expected a measure such as nDCG@10, found ` \\t `", ""),
    ("P", "parameter", "P needs a cutoff, as in P@10", ""),
    ("R", "parameter", "R needs a cutoff, as in R@10", ""),
    ("IPrec", "parameter", "IPrec needs a recall level, as in IPrec@0.1", ""),
    ("ERR@20", "parameter", "ERR@20 needs the highest grade, as in ERR(max_rel=3)@20", ""),
    ("P@0", "parameter", f"{WHOLE} 0: `P@0`", "  ^"),
    ("P@-1", "parameter", f"{WHOLE} -1: `P@-1`", "  ^"),
    ("P@1.5", "parameter", f"{WHOLE} 1.5: `P@1.5`", "  ^"),
    (
        "P@5000000000",
        "parameter",
        "expected a whole number from 1 to 4294967295 as cutoff, found 5000000000: `P@5000000000`",
        "  ^",
    ),
    ("P@", "parameter", f"{CUTOFF}: `P@`", "  ^"),
    ("P@x", "parameter", f"{CUTOFF}: `P@x`", "  ^"),
    ("P@ü", "parameter", f"{CUTOFF}: `P@ü`", "  ^"),
    ("P@nan", "parameter", f"{CUTOFF}: `P@nan`", "  ^"),
    ("P@10x", "parameter", f"{CUTOFF}: `P@10x`", "  ^"),
    ("num_ret@10", "parameter", "num_ret takes no cutoff: `num_ret@10`", "        ^"),
    ("IPrec@2", "parameter", "expected a recall level from 0 to 1 after @, found 2: `IPrec@2`", "      ^"),
    ("P@10@5", "parameter", f"{END}: `P@10@5`", "    ^"),
    ("AP''", "parameter", f"{END}: `AP''`", "   ^"),
    ("AP(rel=2)(rel=3)", "parameter", f"{END}: `AP(rel=2)(rel=3)`", "         ^"),
    ("P@10;AP", "parameter", f"{END}; spaces or commas separate measures: `P@10;AP`", "    ^"),
    ("AP(rel=2", "parameter", "expected `,` or `)`: `AP(rel=2`", "        ^"),
    ("AP(rel=2]", "parameter", "expected `,` or `)`: `AP(rel=2]`", "        ^"),
    ("AP((", "parameter", "expected a parameter such as p=0.8, or `)`: `AP((`", "   ^"),
    ("AP(", "parameter", "expected a parameter such as p=0.8, or `)`: `AP(`", "   ^"),
    ("AP(rel)", "parameter", "expected `=` and a value: `AP(rel)`", "      ^"),
    ("AP(rel=x)", "parameter", f"{VALUES}: `AP(rel=x)`", "       ^"),
    ("AP(rel=nan)", "parameter", f"{VALUES}: `AP(rel=nan)`", "       ^"),
    ("AP(rel='a')", "parameter", "expected a number of at least 0 as rel: `AP(rel='a')`", "       ^"),
    ("AP(rel='a)", "parameter", "expected the end of the quoted word: `AP(rel='a)`", "       ^"),
    ("AP(level=2)", "parameter", "AP has no parameter `level`; it takes rel: `AP(level=2)`", "   ^"),
    ("RBP(max_rl=3)", "parameter", "RBP has no parameter `max_rl`; it takes p, residual, max_rel, rel; did you mean max_rel?: `RBP(max_rl=3)`", "    ^"),
    ("RBP(p=1)", "parameter", "expected a number of at least 0 and below 1 as p, found 1: `RBP(p=1)`", "      ^"),
    ("RBP(p=0.8,p=0.9)", "parameter", "p is given twice: `RBP(p=0.8,p=0.9)`", "          ^"),
    ("nDCG(base=1)", "parameter", "expected a number above 1 as base, found 1: `nDCG(base=1)`", "          ^"),
    ("IAP(points=1)", "parameter", "expected a whole number from 2 to 1000000 as points, found 1: `IAP(points=1)`", "           ^"),
    ("SetF(beta=-1)", "parameter", "expected a number of at least 0 or inf as beta, found -1: `SetF(beta=-1)`", "          ^"),
    ("nDCG(gain=3)", "parameter", 'expected {grade: gain, ...} or "binary" as gain: `nDCG(gain=3)`', "          ^"),
    ("nDCG(gain={1:1,1:2})", "parameter", "grade 1 has two gains: `nDCG(gain={1:1,1:2})`", "          ^"),
    ("nDCG(gain={1:1", "parameter", "expected `,` or `}`: `nDCG(gain={1:1`", "              ^"),
    ("infAP'", "parameter", f"{NO_PRIME}: `infAP'`", "^"),
    ("infAP(judged_only=True)", "parameter", f"{NO_PRIME}: `infAP(judged_only=True)`", "^"),
    ("rbp_0.9", "measure", f"`rbp_0.9` is refused: {OF_RBP}", ""),
    ("rbp.0.9", "measure", f"`rbp.0.9` is refused: {OF_RBP}", ""),
    ("11pt_avg", "measure", f"`11pt_avg` is refused: {LEVELS} IAP", ""),
    ("iprec_at_recall_0.10", "measure", f"`iprec_at_recall_0.10` is refused: {LEVELS} IPrec@0.1", ""),
    ("set_F.2", "measure", "`set_F.2` is refused: trec_eval takes the parameter of set_F for beta squared; write SetF(beta=...)", ""),
    ("unj_10", "measure", "`unj_10` is refused: trec_eval divides by the cutoff even when the ranking is shorter; the proportion of the documents that are there is Unjudged@10", ""),
    ("rbp_resid", "measure", "`rbp_resid` is refused: trec_eval leaves out what lies beyond the end of the run; the whole residual is RBP_residual(p=0.9)", ""),
    ("Accuracy", "needs", "Accuracy needs the number of documents in the collection; give docs_in_collection with the judgments", ""),
    ("AUC", "needs", "AUC needs the number of documents in the collection; give docs_in_collection with the judgments", ""),
    ("bpref(top=0)", "parameter", 'expected a number of documents such as "all", "R", "5R", "10+R" or 100 as top, found 0: `bpref(top=0)`', "          ^"),
    ('bpref(top="R+10")', "parameter", 'expected a number of documents such as "all", "R", "5R", "10+R" or 100 as top, found "R+10": `bpref(top="R+10")`', "          ^"),
    ('bpref(divisor="retrieved",first=5)', "parameter", 'bpref(divisor="retrieved",first=5) takes first or divisor, not both', ""),
    ("bpref(top=5,first=5)", "parameter", "bpref takes first or top, not both: `bpref(top=5,first=5)`", "            ^"),
    ("subAP(p=1.5)", "parameter", "expected a number from 0 to 1 as p, found 1.5: `subAP(p=1.5)`", "        ^"),
    ("subAP(seed=0.5)", "parameter", "expected a whole number of at least 0 as seed, found 0.5: `subAP(seed=0.5)`", "           ^"),
    ("subAP'", "parameter", f"{NO_PRIME.replace('infAP', 'subAP')}: `subAP'`", "^"),
    ("rpref_N(partitions=1)", "parameter", "expected a whole number from 2 to 1000000 as partitions, found 1: `rpref_N(partitions=1)`", "                   ^"),
    ('rpref_N(top_gain="topic",partitions=2)', "parameter", 'rpref_N(top_gain="topic",partitions=2) needs one highest gain for its partitions: the collection\'s, or a number', ""),
    ("SetF(alpha=2)", "parameter", "expected a number from 0 to 1 as alpha, found 2: `SetF(alpha=2)`", "           ^"),
    ("SetF(beta=1,alpha=0.5)", "parameter", "SetF takes alpha or beta, not both: `SetF(beta=1,alpha=0.5)`", "            ^"),
]  # fmt: skip

CONTROL = "AP(rel=\x1b[31m)"

# Options: the flags, and the sentence; argparse words some of them.

OPTIONS: list[tuple[list[str], str]] = [
    (["--depth", "0"], "expected a depth of at least 1, found 0"),
    (["--depth", "-1"], "expected a depth of at least 1, found -1"),
    (["--depth", "9" * 30], "expected a depth"),
    (["--depth", "x"], "argument --depth: invalid int value: 'x'; see cranfield eval --help"),
    (["--threads", "0"], "expected a number of threads of at least 1, found 0"),
    (["--threads", "-1"], "expected a number of threads of at least 1, found -1"),
    (["--threads", "9" * 30], "expected a number of threads"),
    (["--max-ratio", "0"], "expected a ratio of at least 1, found 0"),
    (["--max-ratio", "-1"], "expected a ratio of at least 1, found -1"),
    (["--max-line", "0"], "expected a number of bytes of at least 1, found 0"),
    (["--max-line", "-1"], "expected a number of bytes of at least 1, found -1"),
    (["--docs-in-collection", "-1"], "expected a number of documents of at least 1, found -1"),
    (["--order", "nonsense"], "argument --order: invalid choice: 'nonsense' (choose from "),
    (["--format", "nonsense"], "argument --format: invalid choice: 'nonsense' (choose from "),
    (["--missing", "nonsense"], "argument --missing: invalid choice: 'nonsense' (choose from "),
    (["--undefined", "nonsense"], "argument --undefined: invalid choice: 'nonsense' (choose from "),
    (["--duplicates", "nonsense"], "argument --duplicates: invalid choice: 'nonsense' (choose "),
    (["--negative", "nonsense"], "argument --negative: invalid choice: 'nonsense' (choose from "),
    (["--scores", "nonsense"], "argument --scores: invalid choice: 'nonsense' (choose from "),
    (["--nonsuch"], "unrecognized arguments: --nonsuch; see cranfield eval --help"),
    (
        ["--dept", "3"],
        "unrecognized arguments: --dept 3: did you mean --depth?; see cranfield eval --help",
    ),
    (["--sort", "nonsuch"], f"unknown measure: `nonsuch`; {LISTS_ALL}"),
    (["-m"], "argument -m/--measure: expected one argument; see cranfield eval --help"),
    (["--output", ""], "the file's name is empty"),
    (["--output", "none/out.csv"], "none/out.csv: there is no folder none"),
    (["--output", "."], ".: expected a file to write, found a folder"),
]
