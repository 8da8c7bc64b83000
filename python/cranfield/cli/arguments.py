"""Arguments that commands share, and a parser that fails with one line."""

from __future__ import annotations

import argparse

from cranfield._core import Limits

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn


class UsageError(Exception):
    """Arguments that make no sense."""


class Parser(argparse.ArgumentParser):
    """A parser whose errors are raised as ``UsageError``."""

    def __init__(self, program: str, description: str, epilog: str) -> None:
        super().__init__(
            prog=program,
            description=description,
            epilog=epilog,
            formatter_class=argparse.RawDescriptionHelpFormatter,
            allow_abbrev=False,
        )

    def error(self, message: str) -> NoReturn:
        """Raises instead of printing the usage and leaving."""
        raise UsageError(f"{message}; see {self.prog} --help")


def add_reading(parser: Parser) -> None:
    """Adds the options about how files are read."""
    group = parser.add_argument_group("reading")
    group.add_argument(
        "--lenient",
        action="store_true",
        help="read numbers as C's atof does instead of refusing bad ones",
    )
    defaults = Limits()
    group.add_argument(
        "--max-ratio",
        type=int,
        metavar="N",
        default=defaults.decompression_ratio,
        help="largest ratio of decompression (default %(default)s)",
    )
    group.add_argument(
        "--max-line",
        type=int,
        metavar="BYTES",
        default=defaults.line_bytes,
        help="longest line (default %(default)s)",
    )


def limits(args: argparse.Namespace) -> Limits:
    """The limits that the options ask for."""
    return Limits(decompression_ratio=args.max_ratio, line_bytes=args.max_line)
