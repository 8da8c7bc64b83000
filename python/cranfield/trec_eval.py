"""trec_eval, to the byte: ``python -m cranfield.trec_eval`` takes its place.

>>> from cranfield import trec_eval
>>> answer = trec_eval.run(["-q", "-m", "map", "qrels.txt", "run.txt"])
>>> answer.code, answer.out
"""

from __future__ import annotations

import os
import sys

from cranfield._core import captured_trec_eval, run_trec_eval

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import NamedTuple

    class Answer(NamedTuple):
        """What a call of trec_eval ends with."""

        code: int
        """The exit code: 0 if all went well."""
        out: bytes
        """What it printed."""
        err: bytes
        """What it wrote about errors."""

else:
    from collections import namedtuple

    Answer = namedtuple("Answer", "code out err")


def run(arguments: Iterable[str | bytes | os.PathLike[str]]) -> Answer:
    """Runs trec_eval in this process and returns what it printed.

    Parameters
    ----------
    arguments
        The command line without the program's name, with cranfield's
        additions (``--compat``, ``--explain``, ``--threads``).

    Returns
    -------
    Answer
        The exit code, and the bytes of the two output streams. Nothing that
        trec_eval complains about raises; it is in the code and in ``err``.

    """
    from cranfield._base.options import several, wrong

    def encoded(argument: object, name: str) -> bytes:
        try:
            return os.fsencode(argument)  # type: ignore[arg-type]
        except Exception as error:
            raise wrong(name, "text", argument) from error

    return Answer(*captured_trec_eval(several(arguments, "arguments", encoded)))


def main(argv: Sequence[str] | None = None) -> int:
    """The command: prints to the standard streams, returns the exit code.

    Interrupts and closed pipes end the process at once, as they end trec_eval.
    """
    import signal

    for name in ("SIGINT", "SIGPIPE"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.SIG_DFL)
    arguments = sys.argv[1:] if argv is None else argv
    return run_trec_eval([os.fsencode(argument) for argument in arguments])


if __name__ == "__main__":
    sys.exit(main())
