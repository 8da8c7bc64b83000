"""What commands read, as their options say: judgments, and runs of which some may be unusable."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Callable, Iterable, Mapping, Sequence

from cranfield._base.errors import moved, received_by
from cranfield._base.options import EVALUATING
from cranfield._base.scores_like import ALL
from cranfield._base.text import counted
from cranfield._cli.parser import flag_of
from cranfield._cli.streams import UnusableRunsError, UsageError, fail, note, say
from cranfield._core import Error, Limits, Notes, Qrels
from cranfield._io.columns import SPAN_LAYOUTS
from cranfield._io.inputs import as_judgments, as_runs
from cranfield._io.sources import Source
from cranfield._scoring import notices
from cranfield._scoring.evaluator import Evaluator

TYPE_CHECKING = False
if TYPE_CHECKING:
    from contextlib import AbstractContextManager
    from typing import Any, TypeVar

    T = TypeVar("T")

FAILED = 2
"""The exit status if a run was left out."""


def refuse(args: Namespace, names: Iterable[str], message: str) -> None:
    """Raises ``UsageError`` if any of some options was given; its flag is ``{}`` in the message."""
    for name in names:
        if getattr(args, name):
            raise UsageError(message.format(flag_of(name)))


def limits(args: Namespace) -> Limits:
    """The limits that the options ask for."""
    return Limits(
        decompression_ratio=args.max_ratio,
        decompressed_bytes=args.max_unpacked,
        decompressed_call_bytes=args.max_unpacked_call,
        line_bytes=args.max_line,
    )


def named(args: Namespace, *names: str) -> dict[str, Any]:
    """The values of some options by name."""
    return {name: getattr(args, name) for name in names}


def given(args: Namespace, *names: str) -> dict[str, Any]:
    """The same of those that have a value."""
    found = {name: getattr(args, name, None) for name in names}
    return {name: value for name, value in found.items() if value is not None}


def reading_options(args: Namespace) -> dict[str, Any]:
    """The options about how files of runs are read."""
    found = {**named(args, "lenient", "run_layout", "columns"), "limits": limits(args)}
    if over_spans(args):
        found |= {"run_layout": args.layout, "order": args.order, **given(args, *BESIDE)}
    return found


def over_spans(args: Namespace) -> bool:
    """Whether judgments are of spans."""
    return getattr(args, "layout", None) in SPAN_LAYOUTS


BESIDE = ("chunks", "texts")
"""What stands beside judgments of spans."""

OVER_SPANS = "eval, compare, report, batch and describe"
"""The commands that take judgments of spans."""


def evaluating(args: Namespace) -> dict[str, Any]:
    """The evaluating options that the command has, with limits and progress."""
    return {
        **named(args, *(name for name in EVALUATING if name in args)),
        "progress": False if args.quiet or args.no_progress else None,
        "limits": limits(args),
    }


def read_judgments(args: Namespace, qrels: Any = None, *, spans: bool = False) -> Any:
    """The judgments that the options ask for, or those given, with the files beside them.

    A command that has no use for judgments of ``spans`` refuses their layout.
    """
    of_spans = over_spans(args)
    if of_spans and not spans:
        raise UsageError(f"--layout {args.layout} is for {OVER_SPANS}: name judgments of documents")
    if args.intents is not None and args.layout != "intents":
        raise UsageError("--intents goes with --layout intents")
    if not of_spans:
        refuse(args, [name for name in BESIDE if name in args], "{} goes with --layout spans")
    qrels = read_grades(args, args.qrels) if qrels is None else qrels
    if of_spans:
        message = "{} is for judgments of documents: leave it out"
        refuse(args, ("classes", "costs", "lengths", "levels"), message)
    if args.intents is args.classes is args.costs is args.lengths is None:
        return qrels
    from cranfield._io import small_files

    if args.intents is not None:
        weights, navigational = small_files.read_intents(args.intents)
        try:
            qrels = qrels.with_weights(weights).with_navigational(navigational)
        except Error as error:
            raise moved(error, file=args.intents) from error
    for column, file, read in (
        ("class", args.classes, small_files.read_classes),
        ("cost", args.costs, small_files.read_costs),
    ):
        if file is not None:
            qrels = _with_column(args, qrels, column, file, read(file))
    if args.lengths is not None:
        qrels = qrels.with_lengths(small_files.read_lengths(args.lengths))
    return qrels


def read_grades(args: Namespace, path: str) -> Any:
    """Judgments, in the layout that is asked for, without files beside them."""
    return as_judgments(
        path,
        lenient=args.lenient,
        limits=limits(args),
        docs_in_collection=getattr(args, "docs_in_collection", None),
        layout=args.layout,
        levels=args.levels,
        columns_of_tables=args.columns,
        **(given(args, "texts") if over_spans(args) else {}),
    )


def _with_column(
    args: Namespace, qrels: Qrels, name: str, file: str, values: Mapping[str, Mapping[str, float]]
) -> Qrels:
    """The judgments with a column; reports documents that they lack."""
    given = sum(map(len, values.values()))
    qrels = qrels.with_column(name, values)
    known = sum(len(qrels.column(name, topic)) for topic in values if topic in qrels)
    if known < given:
        left = f"{given - known} of {counted(given, 'document')}"
        used = "used by @cost= only" if name == "cost" else "not used"
        note(f"{file}: not in {args.qrels}, so {used}: {left}")
    return qrels


def chosen_topics(
    args: Namespace, every: Sequence[str]
) -> tuple[Sequence[str], Mapping[str, Sequence[str]]]:
    """The topics that are asked for, and those of each group."""
    if args.topics is None and args.topic_groups is None:
        return every, {}
    from cranfield._scores.groups import members_beside_all, topics_of

    chosen = every if args.topics is None else topics_of(args.topics, every)
    return chosen, members_beside_all(args.topic_groups, every, chosen)


def read_topic_groups(file: str) -> list[tuple[str, str]]:
    """The topics of a file and the groups that they are in, none of which is called "all"."""
    from cranfield._scores.groups import all_is_no_group, read_groups

    groups = read_groups(file)
    if ALL in groups:
        raise all_is_no_group(file)
    return [(topic, group) for group, topics in groups.items() for topic in topics]


def findings_said() -> AbstractContextManager[None]:
    """Writes what is found meanwhile to standard error, where it would be warnings otherwise."""
    return received_by(lambda lines: note(*lines))


def say_notices(
    args: Namespace, notes: Sequence[Notes], qrels: Qrels, measures: Sequence[Any]
) -> None:
    """Writes what was skipped to standard error."""
    how = {"missing": args.missing, "undefined": args.undefined, "label": args.qrels}
    note(*notices.of_all(notes, qrels, measures, **how))


def scoring(
    qrels: Qrels,
    measures: Sequence[Any] | str,
    options: Mapping[str, Any],
    topics: Sequence[str] | None = None,
) -> Callable[[list[Source]], object]:
    """The function that scores runs, to tell those that cannot be used from the others."""

    def score(runs: list[Source]) -> object:
        evaluator = Evaluator(qrels, measures, **options)
        if topics is not None:
            evaluator._only(topics)
        return evaluator.evaluate(runs)

    return score


def find_runs(args: Namespace) -> list[Source]:
    """The runs that the arguments stand for, not yet read."""
    return as_runs(args.runs, reading_options(args))


def over_runs(
    args: Namespace,
    work: Callable[[list[Source]], T],
    check: Callable[[list[Source]], object] | None = None,
) -> tuple[T, int]:
    """What is made of the runs of a command, and its exit status.

    If one cannot be used, each is tried by itself, with ``check`` if ``work``
    needs several: either those that can be used are left (``--keep-going``),
    or ``UnusableRunsError`` reports all that cannot.
    """
    sources = find_runs(args)
    if len(sources) < 2:
        return work(sources), 0
    sources = [source.rereadable() for source in sources]
    try:
        return work(sources), 0
    except Error as error:
        if error.kind == "measure":
            # The error is about the measures, not a run.
            raise
        failed = error
    errors: dict[str, Error] = {}
    for source in sources:
        try:
            (check or work)([source])
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
        fail(cause)
    say(f"left out: {len(errors)} of {counted(len(sources), 'run')}")
    return work(left), FAILED
