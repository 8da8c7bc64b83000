"""Work over several runs, of which some may be unusable: all of these are reported."""

from __future__ import annotations

from cranfield._base.text import counted
from cranfield._cli import messages
from cranfield._cli.arguments import reading_options
from cranfield._cli.errors import UnusableRunsError
from cranfield._core import Error
from cranfield._io import accepted
from cranfield._io.sources import rereadable, rewound

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Callable
    from typing import TypeVar

    from cranfield._io.accepted import RunsLike

    T = TypeVar("T")

FAILED = 2
"""The exit status if a run was left out."""


def over_runs(
    args: Namespace,
    work: Callable[[RunsLike], T],
    check: Callable[[RunsLike], object] | None = None,
) -> tuple[T, int]:
    """What is made of the runs of a command, and its exit status.

    If one cannot be used, each is tried by itself, with ``check`` if ``work``
    needs several: either those that can be used are left (``--keep-going``),
    or ``UnusableRunsError`` reports all that cannot.
    """
    sources = accepted.as_runs(args.runs, reading_options(args))
    if len(sources) < 2:
        return work(rewound(sources) if sources else []), 0
    sources = list(map(rereadable, sources))
    try:
        return work(rewound(sources)), 0
    except Error as error:
        if error.kind == "measure":
            # The error is about the measures, not a run.
            raise
        failed = error
    errors: dict[str, Error] = {}
    for source in sources:
        try:
            (check or work)(rewound([source]))
        except Error as unusable:
            errors[source.name] = unusable
    alike = {str(error) for error in errors.values()} == {str(failed)}
    if not errors or (alike and len(errors) == len(sources)):
        # The error is not about one run.
        raise failed
    left = [source for source in sources if source.name not in errors]
    if not (args.keep_going and left):
        raise UnusableRunsError(list(errors.values()), len(sources))
    for cause in errors.values():
        messages.fail(cause)
    messages.say(f"left out: {len(errors)} of {counted(len(sources), 'run')}")
    return work(rewound(left)), FAILED
