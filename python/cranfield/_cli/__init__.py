"""The command ``cranfield``: data on stdout, everything else on stderr.

Each command is a module of this folder with ``parser()`` and ``run(args)``,
imported only when it is called. Exit codes: 0 ok, 1 a limit was
passed (``check`` and ``bench``), 2 bad input or usage, 130 interrupted.
"""

from __future__ import annotations

import gc
import os
import sys
from contextlib import suppress
from errno import EPIPE
from importlib import import_module

from cranfield._base.errors import MissingPackageError, label_failure
from cranfield._cli import messages, output
from cranfield._cli.errors import UnusableRunsError, UsageError
from cranfield._core import Error, __version__

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from cranfield._cli.arguments import Parser

COMMANDS = {
    "eval": "score runs against relevance judgments",
    "compare": "compare runs: differences of means, with tests",
    "diff": "show where two runs differ, and because of which documents",
    "report": "write one HTML file about runs, to look at and to share",
    "answers": "score answers: nuggets, citations, rubrics, reports",
    "battles": "rate runs from battles between two of them",
    "judges": "compare two sets of judgments on the same runs",
    "describe": "describe judgments and runs",
    "pool": "print the pool of runs: the first documents of every list",
    "check": "fail if scores dropped below a baseline by too much",
    "bench": "measure how fast runs are scored, next to other evaluators",
    "study": "carry out a named study and write tables, figures and a page",
    "batch": "score any number of runs into a data set, which can be resumed",
    "convert": "rewrite judgments or a run in another format",
    "measures": "list the measures, or explain one",
    "completion": "print a script that completes command lines in a shell",
    "trec_eval": "do what trec_eval does, with its options and its output",
}
"""The commands, with what each does."""


def module_of(command: str) -> str:
    """The module of a command."""
    return f"cranfield._cli.{command.replace('-', '_')}"


def command() -> int:
    """What the program ``cranfield`` does: ``main``, and then the process ends."""
    # A short command makes nothing that a collection could free.
    gc.disable()
    code = main()
    if sys.modules.keys().isdisjoint(("atexit", "threading")):
        # Nothing is left to be done at exit but this. To free everything first
        # would take a tenth of a short command's time.
        for stream in (sys.stdout, sys.stderr):
            with suppress(AttributeError, OSError):
                stream.flush()
        os._exit(code)
    return code


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the command line and returns its exit code."""
    try:
        code = _run(list(sys.argv[1:] if argv is None else argv))
        output.flush()
    except BrokenPipeError:
        # The reader of the output has closed the pipe.
        output.discard()
        return 0
    except KeyboardInterrupt:
        return 130
    except (Error, UsageError, MissingPackageError, OSError) as error:
        if getattr(error, "kind", None) == "io" and os.strerror(EPIPE) in str(error):
            # As if the output went there directly.
            return 0
        messages.fail(error)
        return 2
    except UnusableRunsError as error:
        error.report()
        return 2
    return code


def _run(argv: list[str]) -> int:
    if argv == ["--version"]:
        # Before ``argparse``, which takes longer to import than all else.
        output.write(output.STDOUT, f"cranfield {__version__}\n".encode())
        return 0
    from cranfield._base.errors import received_by

    # Findings are notes here, written by the commands, not warnings.
    with received_by(lambda lines: None):
        return _carried_out(argv)


def _carried_out(argv: list[str]) -> int:
    if argv and argv[0] == "trec_eval":
        # It parses its own command line.
        from cranfield import trec_eval

        _collect_again()
        return trec_eval.main(argv[1:])
    if argv and argv[0] in COMMANDS:
        command = import_module(module_of(argv[0]))
        parser: Parser = command.parser()
        try:
            args = parser.parsed(argv[1:])
        except SystemExit:
            return 0
        for path in getattr(args, "measures_from", ()):
            from cranfield._measures import custom

            custom.load(path)
        _collect_again()
        code: int = command.run(args)
        return code
    parser = _parser()
    if not argv:
        messages.write(parser.format_help())
        return 2
    try:
        args = parser.parse_args(argv)
    except SystemExit:
        return 0
    raise label_failure("command", args.command, tuple(COMMANDS))


def _collect_again() -> None:
    """Lets what is made from now on be collected."""
    gc.freeze()
    gc.enable()


def _parser() -> Parser:
    from cranfield._cli.arguments import Parser

    commands = "\n".join(f"  {name:<12}{text}" for name, text in COMMANDS.items())
    parser = Parser(
        "cranfield",
        "Scores ranked retrieval runs against relevance judgments.",
        f"commands:\n{commands}\n\n"
        "`cranfield COMMAND --help` says more.\n\n"
        "example:\n"
        "  cranfield eval qrels.txt 'runs/*.gz' -m 'nDCG@10 AP bpref'",
    )
    parser.add_argument("command", metavar="COMMAND", help="what to do")
    parser.add_argument("arguments", nargs="...", metavar="...", help="its arguments")
    parser.add_argument("--version", action="version", version=f"cranfield {__version__}")
    return parser
