"""What ``python -m pyserini.eval.trec_eval`` does, without Java and without pyserini.

In use::

    python -m cranfield.integrations.pyserini -c -m map -m judged.10 qrels.txt run.txt

    from cranfield.integrations import pyserini
    pyserini.trec_eval(["-c", "-m", "ndcg_cut.10", "-remove-unjudged", "qrels.txt", "run.txt"])

The arguments are those of trec_eval, ``-remove-unjudged``, which takes lines whose document
has no judgment out of the run, and the measure ``judged.10`` or ``judged.10,100``: the share
of judged documents among the first lines of all topics, in the order of the file. A run of
three columns is taken as one of MS MARCO: topic, document, rank. Where there is no file of
judgments, its name is looked for among those that pyserini has downloaded.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence

from cranfield.compat import pyserini


def trec_eval(arguments: Iterable[str]) -> str:
    """What pyserini's program prints for these arguments.

    Raises ``FileNotFoundError`` for judgments that are neither a file nor a name that
    pyserini has downloaded, ``ValueError`` for a cutoff of ``judged`` that is no whole
    number from 1, and ``RuntimeError`` with trec_eval's message where trec_eval fails.
    """
    given = list(arguments)
    remove, cutoffs = pyserini.taken_options(given)
    if len(given) >= 2:
        given[-2] = pyserini.judgments(given[-2])
    found = pyserini.evaluated(given, cutoffs, remove=remove)
    if found.code:
        raise RuntimeError(found.error)
    shown = [pyserini.CONVERTED] if found.is_msmarco else []
    shown += found.lines if pyserini.shows_trec_eval(given, cutoffs) else []
    return "\n".join([*shown, *found.judged]) + "\n"


def main(argv: Sequence[str] | None = None) -> int:
    """The command; what is wrong is told on standard error, and the exit code is 2."""
    try:
        sys.stdout.write(trec_eval(sys.argv[1:] if argv is None else argv))
    except (OSError, RuntimeError, ValueError) as error:
        print(error, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
