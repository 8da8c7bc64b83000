"""``pyserini.eval.trec_eval`` without Java: its function and its command.

In the place of the module, before a program imports it::

    import cranfield as cf
    cf.install_as("pyserini")
    from pyserini.eval.trec_eval import trec_eval

What trec_eval says is printed and read as pyserini does it. All other modules of pyserini stay
its own.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from importlib import import_module
from typing import NamedTuple

from cranfield import trec_eval as program

__all__ = ["trec_eval"]

REMOVE = "-remove-unjudged"
JUDGED = "judged."
CONVERTED = "msmarco run detected. Converting to trec..."
"""What pyserini prints for a run of three columns."""


class Evaluated(NamedTuple):
    """What trec_eval and the measure ``judged`` found."""

    code: int
    """trec_eval's exit code."""
    lines: list[str]
    judged: list[str]
    """The lines of the measure ``judged``."""
    error: str
    """trec_eval's message."""
    is_msmarco: bool
    """Whether the run had three columns."""


def trec_eval(
    args: list[str], query_id: str | None = None, return_per_query_results: bool = False
) -> float | dict[str, float]:
    """Print what trec_eval prints, and return the last value of a topic or of each.

    Parameters
    ----------
    args
        A command line with the program's name in front. As in pyserini, ``-remove-unjudged``
        and the measure ``judged`` are taken out of the list, and a name of judgments is
        replaced by their path.
    query_id
        The topic of the value; that of all topics by default.
    return_per_query_results
        Return a dict with the value of each topic.

    Raises
    ------
    AssertionError
        Values of topics are asked for without ``-q``.
    IndexError
        trec_eval has an error; its message is on standard error.
    SystemExit
        The run is not there.

    """
    if (return_per_query_results or query_id) and "-q" not in args:
        raise AssertionError('expected "-q" among the arguments, for the values of topics')
    remove, cutoffs = taken_options(args)
    if len(args) > 1:
        args[-2] = _judgments(args[-2])
        if not os.path.exists(args[-1]):
            print(f"The run file {args[-1]} does not exist!")
            sys.exit()
    found = evaluated(args[1:], cutoffs, remove=remove)
    if found.is_msmarco:
        print(CONVERTED)
    if found.error:
        print(found.error, file=sys.stderr)
    text = "\n".join(found.lines)
    shown = [text] if shows_trec_eval(args, cutoffs) else []
    for part in (*shown, *found.judged):
        print(part)
    values: dict[str, float] = {}
    for line in (*(line for part in shown for line in part.split("\n")), *found.judged):
        fields = line.split("\t")
        try:
            values[fields[1]] = float(fields[2])
        except ValueError as error:
            if fields[0].strip() != "runid":
                raise ValueError(f"expected measure, topic and value, found {line}") from error
    return values if return_per_query_results else values[query_id or "all"]


def _judgments(name: str) -> str:
    """The path of judgments; what is not there the host downloads, if it is installed."""
    try:
        return judgments(name)
    except FileNotFoundError as missing:
        try:
            download: Callable[[str], str] = import_module("pyserini.search").get_qrels_file
        except ImportError:
            raise missing from None
        return download(name)


def shows_trec_eval(arguments: Sequence[str], cutoffs: Sequence[int]) -> bool:
    """Whether trec_eval's own lines are shown: not if only ``judged`` was asked for."""
    return not cutoffs or "-m" in arguments


def evaluated(arguments: Sequence[str], cutoffs: Sequence[int], *, remove: bool) -> Evaluated:
    """Runs trec_eval with its own arguments, on a run as pyserini hands it over.

    ``remove`` takes lines whose document has no judgment out of it.
    """
    given = list(arguments)
    path = given[-1] if len(given) >= 2 and os.path.exists(given[-1]) else None
    is_msmarco = path is not None and _is_msmarco(path)
    if path is None or not (remove or cutoffs or is_msmarco):
        return _ran(given, [], is_msmarco=False)
    lines = _lines(path)
    if is_msmarco:
        lines = [
            [topic, "Q0", document, rank, repr(1 / int(rank)), "TEMPRUN"]
            for topic, document, rank in lines
        ]
    judged = {(line[0], line[2]) for line in _lines(given[-2])} if remove or cutoffs else set()
    kept = [line for line in lines if (line[0], line[2]) in judged] if remove else lines
    shares = [f"{f'judged_{k}':22}\tall\t{_share(kept, judged, k):.4f}" for k in cutoffs]
    if not (remove or is_msmarco):
        return _ran(given, shares, is_msmarco=False)
    with tempfile.TemporaryDirectory() as folder:
        given[-1] = os.path.join(folder, "run")
        with open(given[-1], "w", encoding="utf-8") as file:
            file.writelines("\t".join(line) + "\n" for line in kept)
        return _ran(given, shares, is_msmarco=is_msmarco)


def taken_options(arguments: list[str]) -> tuple[bool, list[int]]:
    """Takes ``-remove-unjudged`` and ``-m judged.10,100`` out of the arguments."""
    remove = REMOVE in arguments
    if remove:
        arguments.remove(REMOVE)
    place = next((n for n, text in enumerate(arguments) if text.startswith(JUDGED)), None)
    if place is None:
        return remove, []
    text = arguments.pop(place)
    if place and arguments[place - 1] == "-m":
        arguments.pop(place - 1)
    numbers = text.removeprefix(JUDGED).split(",")
    if not all(number.isdecimal() and int(number) for number in numbers):
        raise ValueError(f"expected whole numbers from 1 behind judged., found {text}")
    return remove, [int(number) for number in numbers]


def judgments(name: str) -> str:
    """The path of judgments: a file, or a name in pyserini's or Anserini's cache."""
    if os.path.exists(name):
        return name
    homes = [os.environ.get("PYSERINI_CACHE") or "~/.cache/pyserini", "~/.cache/anserini"]
    found = [
        os.path.join(os.path.expanduser(home), "topics-and-qrels", f"qrels.{name}.txt")
        for home in homes
    ]
    for path in found:
        if os.path.exists(path):
            return path
    raise FileNotFoundError(f"expected judgments, found neither {name} nor {' nor '.join(found)}")


def _is_msmarco(path: str) -> bool:
    """Whether the first line of a run has three columns."""
    with open(path, encoding="utf-8") as file:
        return next((len(fields) == 3 for line in file if (fields := line.split())), False)


def _lines(path: str) -> list[list[str]]:
    with open(path, encoding="utf-8") as file:
        return [fields for line in file if (fields := line.split())]


def _share(lines: Iterable[Sequence[str]], judged: set[tuple[str, str]], cutoff: int) -> float:
    """The proportion of judged lines among the first of each topic, over all topics together."""
    seen: Counter[str] = Counter()
    count = 0
    for line in lines:
        seen[line[0]] += 1
        count += seen[line[0]] <= cutoff and (line[0], line[2]) in judged
    total = sum(min(found, cutoff) for found in seen.values())
    return count / total if total else float("nan")


def _ran(arguments: Sequence[str], judged: list[str], *, is_msmarco: bool) -> Evaluated:
    answer = program.run(arguments)
    return Evaluated(
        answer.code,
        answer.out.decode("utf-8", "replace").rstrip().splitlines(),
        judged,
        answer.err.decode("utf-8", "replace").strip(),
        is_msmarco,
    )


if __name__ == "__main__":
    trec_eval(sys.argv)
