"""Random mutations of valid input: it is read, or refused with an error."""

from __future__ import annotations

import io
import random
from collections.abc import Callable
from pathlib import Path

import cranfield as cf
import pytest

from tests.io import malformed_cases as cases
from tests.io.malformed_cases import JUDGED, SCORED

VALID_RUN = (
    "\ufeff# a run\n1 Q0 a 1 3 t\n1 Q0 b 2 2.5e-1 t\r\n\n10\tQ0\té\t1\t-1\tt\n"
    "1 Q0 c 3 1 t\n2 Q0 a 1 1 t\n2 Q0 日本 2 .5 t"
).encode()
VALID_MARCO = b"1 a 1\n1 b 2\n2 a 1\n"
VALID_QRELS = "# qrels\n1 0 a 1\n1 0 b -1\r\n\n2\t0\té\t0.5\n2 0 a 2".encode()
VALID_BEIR = b"query-id\tcorpus-id\tscore\n1\ta\t1\n2\ta\t0\n"
VALID_STRATA = b"1 0 a 0 1\n1 0 b 1 -1\n2 0 a 2 0\n"
VALID_MEASURES = (
    "AP nDCG@10 AP(rel=2)'@5 RBP(p=0.5,rel=1) nDCG(gain={0:0,1:1.5},base=3)@10 infAP bpref' "
    "P.5,10 ndcg_cut_10 map IPrec@0.1 ERR(max_rel=3)@20 official AP(judged_only=True) all_trec"
)
PIECES = (
    *(b"\0", b"\n", b"\r", b" ", b"\t", b"#", b"\x1b", b"\xff", b"\xc3", b"\xef\xbb\xbf", b"\x1f"),
    *(
        b"nan",
        b"inf",
        b"-",
        b"1e999",
        b"0x1",
        b"9" * 30,
        b"t" * 300,
        b"1 Q0 a 1 3 t\n",
        b"1 0 a 1\n",
    ),
    *(b"(", b")", b"{", b"}", b"'", b'"', b"@", b"=", b",", b":", b".", b"_", b"\xc3\xa9", b"rel"),
)


def mutated(data: bytes, rng: random.Random) -> bytes:
    """One to four changes: bytes replaced, removed, moved, inserted, or the end cut off."""
    for _ in range(rng.randint(1, 4)):
        start = rng.randrange(len(data) + 1)
        end = min(len(data), start + rng.choice([0, 1, 1, 2, 5, 20]))
        match rng.randrange(6):
            case 0:
                data = data[:start] + rng.randbytes(rng.randint(1, 3)) + data[end:]
            case 1:
                data = data[:start] + data[end:]
            case 2:
                data = data[:start] + data[end:] + data[start:end]
            case 3:
                data = data[:start] + data[start:end] * 3 + data[end:]
            case 4:
                data = data[:start] if rng.random() < 0.3 else data[start:] + data[:start]
            case _:
                data = data[:start] + rng.choice(PIECES) + data[start:]
    return data


def outcome(call: Callable[[], object], what: bytes) -> str | None:
    """The kind of the error, None for a result; anything else is a failure."""
    try:
        call()
    except cf.Error as error:
        found = error
    except BaseException as other:  # a panic is not an Exception
        pytest.fail(f"{type(other).__name__}: {other} for {what!r}")
    else:
        return None
    assert isinstance(found.kind, str), what
    assert found.message, what
    assert str(found).endswith(found.message), what
    return found.kind


@pytest.mark.parametrize("lenient", [False, True])
@pytest.mark.parametrize(
    "valid",
    [VALID_RUN, VALID_MARCO, *cases.PACKED.values()],
    ids=["trec", "ms-marco", *cases.PACKED],
)
def test_mutated_runs_are_read_or_refused(folder: Path, valid: bytes, lenient: bool) -> None:
    rng = random.Random(f"{valid!r} {lenient}")
    path = folder / "run.txt"
    evaluator = cf.Evaluator(JUDGED, "AP nDCG RBP num_ret bpref'", lenient=lenient)
    kinds = set()
    for _ in range(120):
        data = mutated(valid, rng)
        path.write_bytes(data)
        streamed = outcome(lambda: evaluator.evaluate("run.txt"), data)
        held = outcome(lambda d=data: evaluator.evaluate(io.BytesIO(d)), data)  # type: ignore[misc]
        assert (streamed is None) == (held is None), data
        kinds.add(streamed)
    assert len(kinds) > 1


@pytest.mark.parametrize("lenient", [False, True])
@pytest.mark.parametrize(
    "valid", [VALID_QRELS, VALID_BEIR, VALID_STRATA], ids=["trec", "beir", "stratified"]
)
def test_mutated_judgments_are_read_or_refused(valid: bytes, lenient: bool) -> None:
    rng = random.Random(f"{valid!r} {lenient}")
    kinds = set()
    for _ in range(150):
        data = mutated(valid, rng)
        stream = io.BytesIO(data)
        kinds.add(
            outcome(lambda s=stream: cf.evaluate(s, SCORED, "AP nDCG", lenient=lenient), data)  # type: ignore[misc]
        )
    assert len(kinds) > 1


def test_mutated_measures_are_read_or_refused() -> None:
    rng = random.Random(20261121)
    texts = VALID_MEASURES.split()
    kinds = set()
    for _ in range(1500):
        data = mutated(" ".join(rng.sample(texts, rng.randint(1, 3))).encode(), rng)
        text = data.decode("utf-8", "replace")
        kinds.add(outcome(lambda t=text: cf.evaluate(JUDGED, SCORED, t), data))  # type: ignore[misc]
    assert kinds >= {None, "measure", "parameter"}


def test_long_and_deep_measures_are_read_or_refused() -> None:
    for text in ("AP " * 5000, "(" * 50_000, "{" * 50_000, "nDCG@10'" * 5000, "ü" * 20_000):
        outcome(lambda t=text: cf.evaluate(JUDGED, SCORED, t), text.encode())  # type: ignore[misc]
