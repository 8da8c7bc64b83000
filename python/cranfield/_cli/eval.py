"""``cranfield eval``: scores of runs, one row a run."""

from __future__ import annotations

import os
import sys

from cranfield._base.errors import for_command_line, label_failure, optional
from cranfield._base.options import probability
from cranfield._base.text import readable
from cranfield._cli import messages, output
from cranfield._cli.arguments import (
    POLICIES,
    Parser,
    add_digits,
    add_evaluating,
    add_functions,
    add_reading,
    add_topic_groups,
    add_working,
    at_least,
    evaluating,
    read_judgments,
    with_collections,
)
from cranfield._cli.errors import UnusableRunsError, UsageError
from cranfield._cli.runs import over_runs
from cranfield._core import (
    DEFAULT_BOUNDED,
    DEFAULT_MEASURES,
    Error,
    __version__,
    parse_measures,
)
from cranfield._io.sources import STDIN
from cranfield._measures.parse import as_measure
from cranfield._scores import formats
from cranfield._scoring import notices
from cranfield._scoring.evaluator import Evaluator
from cranfield._table import writers
from cranfield._table.tables import VALUE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Mapping, Sequence
    from typing import Any, TypeAlias

    from cranfield._io.accepted import RunsLike
    from cranfield._scores.scores import Scores

    Parts: TypeAlias = Mapping[str, Scores]

OPTIONS = (*POLICIES, "ties")
"""The evaluating options of this command, beside those about reading and working."""

ONE_RUN = ("per_topic", "ci", "tiers", "topic_groups")
"""Options for which prototext has no place."""

QUESTION = {
    "bounds_mode": "mode",
    "unseen": "unseen",
    "max_grade": "max_grade",
    "max_assignments": "max_assignments",
}
"""Options that are only for --bounds, with their names in Python."""


class MeasuresParser(Parser):
    """A parser with the option ``-m``."""

    def advice(self, args: Namespace, words: Sequence[str]) -> str:
        """Shows how to write measures that stand where they are not expected."""
        return quoting(args.measures, words)


class CollectionsParser(MeasuresParser):
    """A parser that takes a TOML file of collections for judgments and runs."""

    def parsed(self, words: Sequence[str]) -> Namespace:
        """The arguments; no runs where a TOML file names them."""
        return with_collections(super().parsed, words)


def quoting(measures: Sequence[str] | None, words: Sequence[str]) -> str:
    """How to write measures if some of them stand among other words."""
    stray = [word for word in words if _is_measure(word) and not os.path.lexists(word)]
    if not measures or not stray:
        return ""
    return f'; -m takes one argument: -m "{" ".join([*measures, *stray])}"'


def advised(error: Error | UnusableRunsError, args: Namespace) -> Exception:
    """The error, or how to write measures if one was taken for a run."""
    errors = error.errors if isinstance(error, UnusableRunsError) else [error]
    missing = next((error for error in errors if error.kind == "missing"), None)
    advice = quoting(args.measures, [args.qrels, *args.runs])
    if missing is None or not advice:
        return error
    return UsageError(f"{for_command_line(missing)}{advice}")


def _is_measure(text: str) -> bool:
    try:
        return bool(parse_measures(readable(text)))
    except Error:
        return False


def parser() -> Parser:
    """The arguments of the command."""
    parser = CollectionsParser(
        "cranfield eval",
        "Scores runs against relevance judgments and prints a table, best run first.",
        "examples:\n"
        "  cranfield eval qrels.txt bm25.run.gz\n"
        "  cranfield eval qrels.txt 'runs/*.gz' -m 'nDCG@10 AP' --sort AP\n"
        "  cranfield eval qrels.txt 'runs/*.gz' -m AP --ci --tiers\n"
        "  cranfield eval collections.toml -m 'nDCG@10 AP' --ci\n"
        "  cranfield eval qrels.txt bm25.run --per-topic --output bm25.csv",
    )
    parser.add_argument(
        "qrels",
        metavar="QRELS",
        help="a file of judgments, or -; or a .toml file that names several collections",
    )
    parser.add_argument(
        "runs",
        metavar="RUN",
        nargs="+",
        help="a run file, a quoted pattern, a folder, or -",
    )
    parser.add_argument(
        "-m",
        "--measure",
        dest="measures",
        action="append",
        type=readable,
        metavar="MEASURES",
        help="one or several, separated by spaces; may be repeated "
        f"(default: {DEFAULT_MEASURES}, with --bounds all but the last)",
    )
    add_functions(parser)
    parser.add_argument("--per-topic", action="store_true", help="a row for each topic, too")
    parser.add_argument(
        "--format",
        choices=formats.FORMATS,
        help="default: by the suffix of --output, else table",
    )
    parser.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        type=os.path.expanduser,
        default=output.STDOUT,
        help="a file to write; it appears once complete",
    )
    parser.add_argument(
        "--sort",
        metavar="MEASURE",
        type=readable,
        help="best run first by this measure, or the highest first if neither end is better "
        "(tables for people: by the first)",
    )
    add_digits(parser)
    add_working(parser)
    parser.add_argument("--version", action="version", version=f"cranfield {__version__}")
    policies = add_evaluating(parser, OPTIONS)
    policies.add_argument(
        "--docs-in-collection",
        type=at_least("--docs-in-collection", "number of documents", 1),
        metavar="N",
        help="size of the collection; a few measures need it",
    )
    add_sure(parser)
    _add_bounds(parser)
    add_reading(parser, layout_of="QRELS", beside=True, several=True)
    return parser


def add_sure(parser: Parser) -> None:
    """Adds the options about intervals, tiers and groups of topics."""
    group = parser.add_argument_group("how sure, and for which topics")
    group.add_argument(
        "--ci",
        action="store_true",
        help="a confidence interval beside each mean over topics. It is that of one run; "
        "overlapping intervals do not rule out a significant paired difference: `cranfield "
        "compare` tests differences",
    )
    group.add_argument(
        "--ci-method",
        choices=CI_METHODS,
        help="Student's t (default), or the bootstrap's percentiles (default of several "
        "collections) or BCa",
    )
    group.add_argument(
        "--tiers",
        action="store_true",
        help="groups of runs that a paired t test, Holm's correction for all pairs, cannot tell "
        "apart: runs that share no letter differ; and where each ranks if topics are resampled",
    )
    group.add_argument(
        "--level",
        type=float,
        metavar="P",
        help="the confidence of intervals, of ranks too (default 0.95)",
    )
    group.add_argument(
        "--seed",
        type=at_least("--seed", "seed", 0),
        metavar="N",
        help="the seed of the resampling of topics (default 0)",
    )
    group.add_argument(
        "--topics", metavar="LIST", help="only these, such as 651-700 or 401-425,430"
    )
    add_topic_groups(group, "the table for each group, too")


CI_METHODS = ("t", "percentile", "bca")
"""How intervals are made, the default first."""


def surely(args: Namespace) -> tuple[dict[str, Any] | None, dict[str, Any] | None]:
    """The options of intervals and of tiers; None for what is not asked for."""
    if args.ci_method is not None and not args.ci:
        raise UsageError("--ci-method is only for --ci")
    both = {name: getattr(args, name) for name in ("level", "seed")}
    both = {name: value for name, value in both.items() if value is not None}
    if both and not (args.ci or args.tiers):
        raise UsageError(f"--{next(iter(both))} is only for --ci and --tiers")
    probability("level", both.get("level", 0.5))
    both["threads"] = args.threads
    ci = {**both, "method": args.ci_method or CI_METHODS[0]} if args.ci else None
    return ci, both if args.tiers else None


def _add_bounds(parser: Parser) -> None:
    """Adds the options about bounds."""
    group = parser.add_argument_group(
        "bounds", "how far the unjudged documents of a list could move its scores"
    )
    group.add_argument(
        "--bounds",
        action="store_true",
        help="the lowest and the highest value after full judging, beside each value",
    )
    group.add_argument(
        "--bounds-mode",
        choices=("free_R", "fixed_R"),
        help="what is unknown: which unjudged documents are relevant (default); where those "
        "are that are known but not in the list (needs --docs-in-collection)",
    )
    group.add_argument(
        "--unseen",
        type=at_least("--unseen", "number of unseen documents", 0),
        metavar="N",
        help="how many documents may be relevant that are neither judged nor in the list "
        "(default 0)",
    )
    group.add_argument(
        "--max-grade",
        type=float,
        metavar="G",
        help="the highest grade that a document can still get (default: that of the qrels)",
    )
    group.add_argument(
        "--max-assignments",
        type=at_least("--max-assignments", "number of assignments", 1),
        metavar="N",
        help="how many are tried for a topic where no shorter way is known (default 200000)",
    )


def _question(args: Namespace) -> dict[str, Any]:
    """The options of bounds that were given; they are not valid without."""
    given = {name: getattr(args, name) for name in QUESTION if getattr(args, name) is not None}
    if args.bounds and args.ties != "order":
        raise UsageError("--bounds is about missing judgments: leave out --ties")
    if given and not args.bounds:
        flag = f"--{next(iter(given)).replace('_', '-')}"
        raise UsageError(f"{flag} is only for --bounds")
    return {QUESTION[name]: value for name, value in given.items()}


def run(args: Namespace) -> int:
    """Carries the command out."""
    form = format_of(args)
    question = _question(args)
    ci, tiers = surely(args)
    if not args.runs:
        from cranfield._cli import eval_collections

        return eval_collections.run(args, form, ci, tiers)
    if [args.qrels, *args.runs].count(STDIN) > 1:
        raise UsageError("standard input can be read only once")
    try:
        parts, key, status = _scores(args, question, form)
    except (Error, UnusableRunsError) as error:
        raise advised(error, args) from None
    render(args, parts, key, form, ci, tiers, title=os.path.basename(args.qrels))
    return status


def render(
    args: Namespace,
    parts: Mapping[str, Scores],
    key: int | None,
    form: str,
    ci: dict[str, Any] | None,
    tiers: dict[str, Any] | None,
    *,
    title: str,
) -> Mapping[str, Scores]:
    """Writes scores as the options ask for, and returns those of the topics that were chosen."""
    chosen, groups = _topics(args, parts[VALUE].topics)
    if args.topics is not None:
        parts = {name: part.sel(topic=chosen) for name, part in parts.items()}
    if tiers is not None and len(parts[VALUE].runs) < 2:
        raise UsageError("--tiers compares runs: expected at least two, found one")
    if (ci or tiers) and all(m.aggregate != "mean" for m in parts[VALUE].core.measures):
        flag, names = "--ci" if ci else "--tiers", " ".join(parts[VALUE].measures)
        raise UsageError(f"{flag} is about means over topics, and none of the measures is: {names}")
    blocks = _blocks(parts, key, groups, ci, tiers)
    data = formats.rendered(
        blocks,
        form,
        per_topic=args.per_topic,
        digits=args.digits,
        width=output.width(args.output),
    )
    if form == "html":
        output.page(args.output, title, "Scores", data)
    else:
        output.write(args.output, data)
    return parts


def _topics(
    args: Namespace, every: Sequence[str]
) -> tuple[Sequence[str], Mapping[str, Sequence[str]]]:
    """The topics that are asked for, and those of each group."""
    if args.topics is None and args.topic_groups is None:
        return every, {}
    from cranfield._scores.groups import members_beside_all, topics_of

    chosen = every if args.topics is None else topics_of(args.topics, every)
    return chosen, members_beside_all(args.topic_groups, every, chosen)


def _blocks(
    parts: Parts,
    key: int | None,
    groups: Mapping[str, Sequence[str]],
    ci: dict[str, Any] | None,
    tiers: dict[str, Any] | None,
) -> list[formats.Block]:
    """The scores of each group of topics, and last of all topics."""
    several: list[tuple[str, Parts]] = [
        (group, {name: part.sel(topic=topics) for name, part in parts.items()})
        for group, topics in groups.items()
    ]
    found = []
    for group, own in [*several, (formats.ALL, parts)]:
        uncertainty = None
        if ci is not None or tiers is not None:
            from cranfield._scores.uncertainty import Uncertainty

            uncertainty = Uncertainty(own[VALUE], ci=ci, tiers=tiers, part=own is not parts)
        found.append(
            formats.Block(own, _order(own[VALUE], key), uncertainty=uncertainty, group=group)
        )
    return found


def _scores(args: Namespace, question: dict[str, Any], form: str) -> tuple[Parts, int | None, int]:
    """The scores, the measure to sort by and the exit status; reports what was passed over."""
    qrels = read_judgments(args, args.docs_in_collection)
    default = DEFAULT_BOUNDED if args.bounds else DEFAULT_MEASURES
    evaluator = Evaluator(
        qrels,
        args.measures or default,
        **evaluating(args, OPTIONS),
    )
    if args.topics is not None:
        from cranfield._scores.groups import topics_of

        evaluator._only(topics_of(args.topics, qrels.topics))
    key = _sort_key(evaluator, args.sort, form)

    def scored(runs: RunsLike) -> Parts:
        if args.bounds:
            return evaluator.bounds(runs, **question).parts
        if args.ties == "bounds":
            return evaluator.tie_bounds(runs).parts
        return {VALUE: evaluator.evaluate(runs)}

    parts, status = over_runs(args, scored)
    if not args.quiet:
        of_runs = parts[VALUE].core.notes
        for line in notices.of_all(
            of_runs,
            qrels,
            evaluator.measures,
            missing=args.missing,
            undefined=args.undefined,
            label=args.qrels,
        ):
            messages.say(line)
    return parts, key, status


def format_of(args: Namespace) -> str:
    """The format asked for; raises at once what would fail later."""
    form = output.form(args.output, args.format, writers.SUFFIXES, "table")
    if form == "prototext":
        flags = [f"--{name.replace('_', '-')}" for name in ONE_RUN if getattr(args, name)]
        if flags:
            raise UsageError(f"prototext has only the scores of a run: leave out {flags[0]}")
    if form == "html":
        optional("jinja2", "a page of HTML", extra="report")
    if form == "parquet":
        optional("pyarrow.parquet", "parquet", extra="arrow")
        if args.output == output.STDOUT and sys.stdout.isatty():
            raise UsageError("parquet is not for terminals: give --output FILE")
    return form


def _sort_key(evaluator: Evaluator, asked: str | None, form: str) -> int | None:
    """The measure to sort by; machine-readable formats keep the order of the arguments."""
    if asked is None:
        return 0 if form in ("table", "markdown", "latex", "html") else None
    wanted = as_measure(asked)
    if wanted not in evaluator.measures:
        names = [str(measure) for measure in evaluator.measures]
        raise label_failure("measure to sort by", asked, names)
    return evaluator.measures.index(wanted)


def _order(scores: Scores, key: int | None) -> Sequence[int]:
    """The places of the runs: best first by a measure, or as given."""
    if key is None:
        return range(len(scores.runs))
    return scores.best_first(scores.measures[key])
