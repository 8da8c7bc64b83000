"""trec_eval's command against the slow evaluator, on random cases."""

from __future__ import annotations

import os
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory

from cranfield import trec_eval

from tests import effort
from tests.against.slow import trec_eval as slow_trec_eval
from tests.against.trec_eval.cases import Case, case

CASES = effort.seeds(10_000, 2_000)
BATCH = 500


def ours(drawn: Case, folder: Path) -> trec_eval.Answer:
    for name, text in drawn.files.items():
        (folder / name).write_bytes(text)
    with (folder / "-" if "-" in drawn.files else Path(os.devnull)).open("rb") as file:
        os.dup2(file.fileno(), 0)
    answer = trec_eval.run(["--compat", drawn.version, *drawn.arguments])
    for name in drawn.files:
        (folder / name).unlink()
    return answer


def has_several_runs(drawn: Case) -> bool:
    """Whether a case needs what only cranfield does: more than one run."""
    try:
        return len(slow_trec_eval.read_options(drawn.arguments, drawn.version).names) > 2
    except slow_trec_eval.ExitError:
        return False


def differences(first: int) -> list[str]:
    """What is wrong in a batch of cases, in a process of its own."""
    found = []
    with TemporaryDirectory() as folder:
        os.chdir(folder)
        for seed in range(first, first + BATCH):
            drawn = case(seed)
            if has_several_runs(drawn):
                continue
            fast = ours(drawn, Path(folder))
            slow = slow_trec_eval.run(drawn.arguments, drawn.files, drawn.version)
            helps = fast.code == slow.code == 0 and fast.out.startswith(b"usage: ")
            if not helps and (fast.code, fast.out) != (slow.code, slow.out):
                shown = f"{drawn.version} {drawn.arguments}: {fast.code}, expected {slow.code}"
                lines = zip(fast.out.splitlines(), slow.out.splitlines(), strict=False)
                unlike = [f"{a!r} expected {b!r}" for a, b in lines if a != b]
                found.append(f"seed {seed}: {shown} {unlike[:2]} {fast.err!r} {slow.err!r}")
    return found


def test_every_case_prints_the_same_bytes_and_ends_the_same() -> None:
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        batches = list(pool.map(differences, CASES[::BATCH]))
    found = [line for batch in batches for line in batch]
    assert not found, f"{len(found)} of {len(CASES)}:\n" + "\n".join(found[:10])
