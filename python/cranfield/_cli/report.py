"""``cranfield report``: one HTML file about runs.

Writes one HTML file about runs: the best run and how certain that is, differences from the
baseline, topics with the rankings side by side, effectiveness by depth, how much is judged and what
to judge next, with definitions and methods. It works offline.

examples:
  cranfield report qrels.txt 'runs/*.gz' -o report.html
  cranfield report qrels.txt 'runs/*.gz' --baseline bm25 -m 'nDCG@10 AP' -o report.html
  cranfield report qrels.txt runs --queries topics.tsv --documents docs.tsv -o a.html
"""

from __future__ import annotations

import sys
from argparse import Namespace
from functools import partial

from cranfield import _report as reporting
from cranfield._cli import inputs, options, output
from cranfield._cli.parser import Parser
from cranfield._cli.streams import UsageError
from cranfield._core import DEFAULT_MEASURES
from cranfield._measures.parse import as_measures
from cranfield._scores.comparing import HowToTest
from cranfield._scores.groups import members_beside_all
from cranfield._scoring.evaluator import SPAN_MEASURES


def parser() -> Parser:
    """The arguments of the command."""
    return options.command(
        "report",
        __doc__,
        "QRELS RUN --title --baseline",
        options.changed("--measure", values={"default": DEFAULT_MEASURES}),
        "--measures-from --topic-groups --queries --documents --output --keep-going working",
        "pairs policies --docs-in-collection beside-spans files",
    )


def run(args: Namespace) -> int:
    """Carries the command out."""
    output.form(args.output, None, ("html",), option="for a report")
    if args.output == output.STDOUT and sys.stdout is not None and sys.stdout.isatty():
        raise UsageError("a report is a page for a browser: name its file, as -o report.html")
    qrels, options = inputs.read_judgments(args, spans=True), inputs.evaluating(args)
    default = SPAN_MEASURES if inputs.over_spans(args) else DEFAULT_MEASURES
    measures = as_measures(args.measures or default)
    # Otherwise a wrong group would be taken for a run that cannot be used.
    members_beside_all(args.topic_groups, qrels.topics)

    results_of = partial(
        reporting.results_of,
        qrels,
        measures=measures,
        **inputs.named(args, "baseline", "topic_groups", "queries", "seed"),
        documents=args.documents if args.texts is None else args.texts,
        testing=HowToTest(**inputs.named(args, "test", "correction", "alpha", "level")),
        options={name: value for name, value in options.items() if value is not None},
    )
    results, status = inputs.over_runs(args, results_of, inputs.scoring(qrels, measures, options))
    report = reporting.report_of(results, args.title, output.command_line(args))
    inputs.say_notices(args, results.scores.core.notes, qrels, measures)
    output.write_page(args.output, report.html)
    return status
