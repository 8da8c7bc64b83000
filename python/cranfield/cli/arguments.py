"""Arguments that commands share, and a parser that fails with one line."""

from __future__ import annotations

import argparse

from cranfield._core import Limits

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import NoReturn


LARGEST = 2**63 - 1
"""The largest number that an option takes."""


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

    def parsed(self, words: Sequence[str]) -> argparse.Namespace:
        """The arguments; raises ``UsageError`` for words that are none."""
        args, rest = self.parse_known_args(words)
        if rest:
            self.error(f"unrecognized arguments: {' '.join(rest)}{self.advice(args, rest)}")
        return args

    def advice(self, args: argparse.Namespace, words: Sequence[str]) -> str:
        """What to say about words that were not understood."""
        return ""


def at_least_1(flag: str, what: str) -> Callable[[str], int]:
    """The reader of the number that a flag takes."""

    def read(text: str) -> int:
        try:
            value = int(text)
        except ValueError:
            raise argparse.ArgumentTypeError(f"invalid int value: {text!r}") from None
        if not 1 <= value <= LARGEST:
            bound = "least 1" if value < 1 else f"most {LARGEST}"
            message = f"expected a {what} of at {bound}, found {value} ({flag})"
            raise argparse.ArgumentError(None, message)
        return value

    return read


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
        type=at_least_1("--max-ratio", "decompression_ratio"),
        metavar="N",
        default=defaults.decompression_ratio,
        help="largest ratio of decompression (default %(default)s)",
    )
    group.add_argument(
        "--max-line",
        type=at_least_1("--max-line", "line_bytes"),
        metavar="BYTES",
        default=defaults.line_bytes,
        help="longest line (default %(default)s)",
    )


def limits(args: argparse.Namespace) -> Limits:
    """The limits that the options ask for."""
    return Limits(decompression_ratio=args.max_ratio, line_bytes=args.max_line)
