"""Where the system refuses memory, a call raises and the process goes on.

The calls are those of ``entries.CALLS``, on larger input, and with files where those wait for a
pipe; so a new public name is tried here as well. A process prepares the input once. Each step
forks it, and lets the call take so many megabytes more than the process has: 64, and more in
steps of 48. ``CRANFIELD_MEMORY`` says how many steps are tried. The core's own test
(``rust/core/tests/memory.rs``) refuses single allocations.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import IO

import cranfield as cf
import pytest

from tests.promises.reliability import entries

STEPS = int(os.environ.get("CRANFIELD_MEMORY", "0"))
FIRST, STEP = 64, 48

LARGER = """
N = 1_000_000
ids = [f"doc{i}" for i in range(N)]
many_numbers = rng.random(2 * N)
listed_long = {"1": dict(zip(ids, many_numbers.tolist()))}
judged_long = {"1": {d: i % 3 for i, d in enumerate(ids)}}
run_long = cf.Run.from_arrays(np.repeat(["1", "2"], N // 2), np.array(ids), many_numbers[:N])
"""

FORKED = """
import errno, gc, resource, signal
small = cf.Evaluator({"1": {"doc1": 1}}, "AP nDCG@10", threads=1)
small.evaluate({"1": {"doc1": 1.0}})
gc.collect()

class Late(Exception):
    pass

def late(*_):
    raise Late

def outcome(call, megabytes):
    pages = int(open("/proc/self/statm").read().split()[0])
    most = pages * resource.getpagesize() + megabytes * 2**20
    before = resource.getrlimit(resource.RLIMIT_AS)
    signal.signal(signal.SIGPROF, late)
    signal.setitimer(signal.ITIMER_PROF, 2)
    resource.setrlimit(resource.RLIMIT_AS, (most, before[1]))
    try:
        try:
            exec(call)
            said = "done"
        except (MemoryError, Late) as error:
            said = type(error).__name__
        except cf.Error as error:
            # Some calls read a file of another kind.
            said = "Error" if error.kind != "bug" else str(error)
        except OSError as error:
            said = "memory" if error.errno in (errno.ENOMEM, errno.EAGAIN) else repr(error)
        except RuntimeError as error:
            # Python's own words, from threading.
            said = "memory" if "can't start new thread" in str(error) else repr(error)
        except BaseException as error:
            said = repr(error)
        signal.setitimer(signal.ITIMER_PROF, 0)
    except Late:
        # After the call, or while an exception of it was looked at.
        said = "Late"
        signal.setitimer(signal.ITIMER_PROF, 0)
    resource.setrlimit(resource.RLIMIT_AS, before)
    assert small.evaluate({"1": {"doc1": 1.0}}).values.ravel().tolist() == [1.0, 1.0]
    return said

print("ready", flush=True)
for line in sys.stdin:
    megabytes, _, source = line.partition(" ")
    call = compile(source, "call", "exec")
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        os.write(writer, outcome(call, int(megabytes)).replace("\\n", " ")[:500].encode())
        os._exit(0)
    os.close(writer)
    said = os.fdopen(reader).read()
    _, status = os.waitpid(child, 0)
    code = os.waitstatus_to_exitcode(status)
    print(said if code == 0 else f"ended with {code}", flush=True)
"""

LONG = {
    "judgments of one long topic": "cf.Qrels(judged_long)",
    "one long list": "cf.Run(listed_long)",
    "scores of one long list": "cf.evaluate({'1': {'doc1': 1}}, listed_long, 'AP bpref')",
    "a long run as dicts": "run_long.to_dict()",
    "a pickle of a long run": "pickle.loads(pickle.dumps(run_long))",
    "a long run written": "run_long.write(out + '.gz')",
    "the order of a long list": "stats.kendall(many_numbers, many_numbers[::-1])",
}
FILES = {"qrels": "judged_path", "run": "path", "runs": "path"}


def calls() -> dict[str, str]:
    """The calls, with a file in place of the pipe; each is made once."""
    found = dict(LONG)
    for name, call in entries.CALLS.items():
        kind = name.rpartition("_")[2].lower()
        place = "judged_path" if "Qrels" in name else FILES.get(kind, "path")
        found[name] = call.replace("pipe", place)
    return found


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[subprocess.Popen[str]]:
    folder = tmp_path_factory.mktemp("memory")
    process = subprocess.Popen(
        [sys.executable, "-W", "ignore", "-c", entries.PREPARED + LARGER + FORKED, str(folder)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert said(process) == "ready"
    yield process
    process.kill()
    process.wait()


def said(process: subprocess.Popen[str]) -> str:
    output: IO[str] | None = process.stdout
    assert output is not None
    return output.readline().strip()


def asked(process: subprocess.Popen[str], megabytes: int, call: str) -> str:
    assert process.stdin is not None
    process.stdin.write(f"{megabytes} {call}\n")
    process.stdin.flush()
    return said(process)


ALLOWED = {"done", "memory", "Error", "MemoryError", "Late"}


@pytest.mark.skipif(sys.platform != "linux", reason="RLIMIT_AS and /proc are Linux's")
@pytest.mark.parametrize("name", calls() if STEPS else LONG)
def test_a_call_without_memory_raises(name: str, prepared: subprocess.Popen[str]) -> None:
    call = calls()[name]
    found = [asked(prepared, FIRST + step * STEP, call) for step in range(max(1, STEPS))]
    print(name, {what: found.count(what) for what in found})
    assert set(found) <= ALLOWED, found


SCORES = cf.Scores.from_records(
    (run, str(topic), "m", float(topic * place % 7))
    for place, run in enumerate("abc", 1)
    for topic in range(20)
)
RESAMPLED: dict[str, Callable[[int], object]] = {
    "test": lambda n: cf.stats.bootstrap_test(SCORES, measure="m", resamples=n),
    "interval": lambda n: cf.stats.mean_interval(SCORES, measure="m", method="bca", resamples=n),
    "power": lambda n: cf.meta.discriminative_power(SCORES, "bootstrap", resamples=n),
    "battles": lambda n: cf.battles.bradley_terry(
        [("a", "b", "a"), ("a", "b", "b")] * 9, intervals="bootstrap", resamples=n
    ),
}


@pytest.mark.parametrize("name", RESAMPLED)
def test_more_resamples_than_memory_holds_are_refused(name: str) -> None:
    with pytest.raises(MemoryError, match="could not allocate"):
        RESAMPLED[name](10**14)
