"""``cranfield answers``: scores of answers, one row a run.

Scores generated answers from assessments of them and prints a table, best run first: which nuggets
they contain, how well citations support them, how well they satisfy rubrics, and what ARGUE counts
in reports.

examples:
  cranfield answers assignments.jsonl --kind nuggets
  cranfield answers 'support/*.jsonl' --kind citations --ci --tiers
  cranfield answers runs.jsonl --judgments support.jsonl --kind citations
  cranfield answers scores.tsv --kind argue -m 'f1 sentence_support' --per-topic
"""

from __future__ import annotations

import os
from argparse import Namespace
from collections.abc import Callable, Sequence

from cranfield import answers
from cranfield._analysis import reports
from cranfield._analysis.answer_records import ERROR, MISSING
from cranfield._analysis.answers import LOWEST
from cranfield._base.errors import label_failure
from cranfield._base.scores_like import VALUE
from cranfield._cli import options, output
from cranfield._cli.eval import HOW_SURE, format_of, how_sure, write_scores
from cranfield._cli.inputs import chosen_topics, findings_said, named
from cranfield._cli.parser import MAIN, Parser
from cranfield._cli.streams import UsageError
from cranfield._measures.parse import measure_place
from cranfield._scores import formats
from cranfield._scores.scores import Scores

KINDS: dict[str, Callable[..., Scores]] = {
    "nuggets": answers.nugget_recall,
    "citations": answers.citation_support,
    "rubrics": answers.rubric_score,
    "argue": answers.argue,
}
"""What was judged in answers, with what scores it."""

ARGUE = "argue"
"""The kind, and the format, of Auto-ARGUE's files."""

RATIOS = (*reports.RATIOS, *reports.HARMONIC)
"""The measures of reports that are shown if none are named."""

BESIDE = {"bank": "nuggets", "judgments": "citations"}
"""Options that name further files, and the kind that each is for."""


def parser() -> Parser:
    """The arguments of the command."""
    return options.command(
        "answers",
        __doc__,
        options.option("files FILE", nargs="+"),
        options.choice("--kind", tuple(KINDS), required=True),
        options.option("--bank FILE"),
        options.repeated("--judgments FILE", default=None),
        "--measure --per-topic",
        options.changed("--format", choices=(*formats.FORMATS, ARGUE)),
        "--output --sort --digits",
        options.changed("--missing", group=MAIN, choices=MISSING, default=MISSING[0]),
        options.choice("--unknown-labels", (ERROR, *LOWEST.values())),
        options.option("--report FILE", type=os.path.expanduser),
        "working",
        *HOW_SURE,
    )


def run(args: Namespace) -> int:
    """Carries the command out."""
    form = ARGUE if args.format == ARGUE else format_of(args)
    _check_kind(args)
    output.check_several(args.output, args.report)
    if args.report is not None:
        output.form(args.report, None, ("html",), option="for --report")
    args.ci, args.tiers = how_sure(args)
    with findings_said():
        scores = _scores(args)
    if form == ARGUE:
        output.write(args.output, reports.written(scores))
    else:
        chosen = scores.sel(measure=_measures(args, scores))
        key = 0 if form in output.PEOPLE else None
        if args.sort is not None:
            key = measure_place(chosen.measures, args.sort)
        title = f"{args.kind}: {', '.join(map(os.path.basename, args.files))}"
        topics, groups = chosen_topics(args, chosen.topics)
        if args.topics is not None:
            chosen = chosen.sel(topic=topics)
        write_scores(args, {VALUE: chosen}, groups, key, form, title)
        scores = chosen
    if args.report is not None:
        _report(args, scores)
    return 0


def _check_kind(args: Namespace) -> None:
    """Raises ``UsageError`` for an option that is for another kind."""
    asked = {"--format argue": ARGUE} if args.format == ARGUE else {}
    asked |= {f"--{name}": kind for name, kind in BESIDE.items() if getattr(args, name) is not None}
    for kind, word in LOWEST.items():
        if word == args.unknown_labels:
            asked[f"--unknown-labels {word}"] = kind
    for typed, kind in asked.items():
        if kind != args.kind:
            raise UsageError(f"{typed} is for --kind {kind}")


def _scores(args: Namespace) -> Scores:
    """The scores of all files."""
    options = named(args, "missing", *(name for name, kind in BESIDE.items() if kind == args.kind))
    if args.kind in LOWEST:
        options["unknown_labels"] = args.unknown_labels or ERROR
    return KINDS[args.kind](args.files, **options)


def _measures(args: Namespace, scores: Scores) -> Sequence[str]:
    """The measures that are shown."""
    if args.measures is None:
        ratios = [name for name in scores.measures if name in RATIOS]
        return ratios if args.kind == ARGUE and ratios else scores.measures
    wanted = [name for text in args.measures for name in text.replace(",", " ").split()]
    for name in wanted:
        if name not in scores.measures:
            raise label_failure("measure", name, scores.measures)
    return wanted


def _report(args: Namespace, scores: Scores) -> None:
    """Writes the report of scores."""
    from cranfield import _report as reporting
    from cranfield._scores.comparing import HowToTest

    testing = HowToTest(level=0.95 if args.level is None else args.level)
    results = reporting.results_of(
        scores, testing=testing, seed=args.seed or 0, topic_groups=args.topic_groups
    )
    page = reporting.report_of(results, None, output.command_line(args))
    output.write_page(args.report, page.html)
