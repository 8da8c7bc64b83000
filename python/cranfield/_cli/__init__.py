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

from cranfield._base.errors import MissingPackageError, for_command_line, label_failure
from cranfield._cli import streams
from cranfield._cli.streams import UnusableRunsError, UsageError
from cranfield._core import Error, __version__

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Sequence

    from cranfield._cli.parser import Parser

COMMANDS = {
    "eval": "score runs against relevance judgments",
    "compare": "compare runs: differences in means, with significance tests",
    "diff": "show which topics and documents make two runs differ",
    "report": "write a report on runs as one HTML file",
    "answers": "score answers: nuggets, citations, rubrics, reports",
    "battles": "rate runs from pairwise battles",
    "judges": "compare two sets of judgments on the same runs",
    "describe": "describe judgments and runs",
    "pool": "print the pool: the top documents of every run",
    "identify": "find which definition gives a printed number",
    "audit": "name the conventions of another implementation",
    "check": "fail if scores dropped too far below a baseline",
    "bench": "measure scoring speed, compared with other evaluators",
    "study": "run a named study and write tables, figures, and a page",
    "batch": "score many runs into a data set; can be resumed",
    "convert": "convert judgments or a run to another format",
    "measures": "list the measures, or explain one",
    "completion": "print a shell completion script",
    "trec_eval": "a drop-in replacement for trec_eval",
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
        streams.flush()
    except BrokenPipeError:
        # The reader of the output has closed the pipe.
        streams.discard()
        return 0
    except KeyboardInterrupt:
        return 130
    except (Error, UsageError, MissingPackageError, OSError) as error:
        if getattr(error, "kind", None) == "io" and os.strerror(EPIPE) in str(error):
            # As if the output went there directly.
            return 0
        streams.fail(error)
        return 2
    except UnusableRunsError as error:
        error.report()
        return 2
    return code


def _run(argv: list[str]) -> int:
    if argv == ["--version"]:
        # Before ``argparse``, which takes longer to import than all else.
        with streams.stdout() as stream:
            stream.write(f"cranfield {__version__}\n".encode())
        return 0
    from cranfield._base.errors import dropped, received_by

    # Findings are notes here, written by the commands, not warnings.
    with received_by(dropped):
        return _carried_out(argv)


def _carried_out(argv: list[str]) -> int:
    if argv and argv[0] == "trec_eval":
        # It parses its own command line.
        from cranfield import trec_eval

        _collect_again()
        return trec_eval.main(argv[1:])
    if argv and argv[0] in COMMANDS:
        return _command(*argv)
    parser = _parser()
    if not argv:
        streams.write(parser.format_help())
        return 2
    try:
        args = parser.parse_args(argv)
    except SystemExit:
        return 0
    raise label_failure("command", args.command, tuple(COMMANDS))


def _command(name: str, *words: str) -> int:
    """Carries a command out."""
    command = import_module(module_of(name))
    parser: Parser = command.parser()
    try:
        args = parser.parsed(words, _commands_with)
    except SystemExit:
        return 0
    streams.quieten(getattr(args, "quiet", False))
    for path in getattr(args, "measures_from", ()):
        from cranfield._measures import custom

        custom.load(path)
    if getattr(args, "topic_groups", None) is not None:
        # Before anything is scored: what is wrong here is found at once.
        from cranfield._cli.inputs import read_topic_groups

        args.topic_groups = read_topic_groups(args.topic_groups)
    _collect_again()
    try:
        code: int = command.run(args)
    except (Error, UnusableRunsError) as error:
        raise _advised(error, args) from None
    return code


def _commands_with(flag: str) -> list[str]:
    """The commands that take a flag."""
    own = [name for name in COMMANDS if name != "trec_eval"]
    return [
        f"cranfield {name}"
        for name in own
        if flag in import_module(module_of(name)).parser()._option_string_actions
    ]


def _advised(error: Error | UnusableRunsError, args: Namespace) -> Exception:
    """The error, or how to write measures if one was taken for a run."""
    from cranfield._cli.parser import quoting

    errors = error.errors if isinstance(error, UnusableRunsError) else [error]
    missing = next((error for error in errors if error.kind == "missing"), None)
    if missing is None or not getattr(args, "measures", None):
        return error
    advice = quoting(args.measures, [getattr(args, "qrels", ""), *getattr(args, "runs", ())])
    return UsageError(f"{for_command_line(missing)}{advice}") if advice else error


def _collect_again() -> None:
    """Lets what is made from now on be collected."""
    gc.freeze()
    gc.enable()


def _parser() -> Parser:
    from cranfield._cli.options import command, option

    commands = "\n".join(f"  {name:<12}{text}" for name, text in COMMANDS.items())
    doc = (
        "Scores ranked retrieval runs against relevance judgments.\n\n"
        f"commands:\n{commands}\n\n`cranfield COMMAND --help` says more.\n\n"
        "example:\n  cranfield eval qrels.txt 'runs/*.gz' -m 'nDCG@10 AP bpref'"
    )
    arguments = option("command COMMAND"), option("arguments ...", nargs="...")
    return command("", f"cranfield\n\n{doc}", *arguments)
