"""``pyserini.eval.trec_eval`` without Java: its function and its command.

In the place of the module, before a program imports it::

    import cranfield as cf
    cf.install_as("pyserini")
    from pyserini.eval.trec_eval import trec_eval

The text comes from :mod:`cranfield.integrations.pyserini`; here it is printed and read as
pyserini does it. All other modules of pyserini stay its own.
"""

from __future__ import annotations

import os
import sys
from importlib import import_module

from cranfield._hosts import pyserini

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["trec_eval"]


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
    remove = pyserini.REMOVE in args
    if remove:
        args.remove(pyserini.REMOVE)
    cutoffs = pyserini.taken_cutoffs(args)
    if len(args) > 1:
        args[-2] = _judgments(args[-2])
        if not os.path.exists(args[-1]):
            print(f"The run file {args[-1]} does not exist!")
            sys.exit()
    found = pyserini.evaluated(args[1:], cutoffs, remove=remove)
    if found.is_msmarco:
        print(pyserini.CONVERTED)
    if found.error:
        print(found.error, file=sys.stderr)
    text = "\n".join(found.lines)
    shown = [text] if pyserini.shows_trec_eval(args, cutoffs) else []
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
        return pyserini.judgments(name)
    except FileNotFoundError:
        found = _downloader()
        if found is None:
            raise
        return found(name)


def _downloader() -> Callable[[str], str] | None:
    try:
        found: Callable[[str], str] = import_module("pyserini.search").get_qrels_file
    except ImportError:
        return None
    return found


if __name__ == "__main__":
    trec_eval(sys.argv)
