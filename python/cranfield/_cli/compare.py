"""``cranfield compare``: differences between runs, with tests.

Compares runs with a baseline, or all pairs of runs: differences in means, significance tests, and
whether missing judgments could reverse the differences.

examples:
  cranfield compare qrels.txt bm25.run dense.run
  cranfield compare qrels.txt 'runs/*.gz' --baseline bm25 -m 'nDCG@10 AP'
  cranfield compare qrels.txt 'runs/*.gz' --baseline bm25 --sort difference --top 5
  cranfield compare qrels.txt 'runs/*.gz' --test tukey --output pairs.csv
"""

from __future__ import annotations

import os
from argparse import Namespace
from collections.abc import Sequence
from dataclasses import fields
from functools import partial

from cranfield._analysis import compare as comparison
from cranfield._base.scores_like import ALL
from cranfield._base.text import counted, listed
from cranfield._cli import inputs, options, output
from cranfield._cli.parser import Parser
from cranfield._cli.streams import UsageError
from cranfield._core import DEFAULT_COMPARED
from cranfield._measures.parse import as_measures
from cranfield._scores import formats
from cranfield._scores.comparing import ALTERNATIVES, MOST, HowToTest, too_many
from cranfield._scores.comparison import Comparison, as_columns
from cranfield._scoring.baseline import Margin
from cranfield._scoring.evaluator import SPAN_MEASURES
from cranfield._stats.intervals import EFFECTS
from cranfield._stats.registry import TESTS
from cranfield._table import writers
from cranfield._table.result import for_people
from cranfield._table.tables import Setting

Blocks = list[tuple[str, Comparison]]
"""The comparison for each group of topics, and last for all topics."""


def parser() -> Parser:
    """The arguments of the command."""
    tests = TESTS.values()
    draws = listed([f"{test.name} ({test.resamples:,})" for test in tests if test.resamples])
    return options.command(
        "compare",
        __doc__,
        "QRELS RUN",
        options.changed("--baseline", action="append"),
        options.option("--systems PATTERN|FILE"),
        options.flag("--all-pairs", values={"most": MOST}),
        options.changed("--measure", values={"default": DEFAULT_COMPARED}),
        "--measures-from",
        options.changed("--sort", metavar="KEY"),
        "--top --topics --topic-groups --format --digits --output --keep-going working pairs",
        *options.in_group(
            options.TESTING,
            options.choice("--alternative", ALTERNATIVES),
            options.choice("--effect", EFFECTS),
            options.changed("--resamples", values={"draws": draws}),
            options.repeated("--margin [MEASURE=]MARGIN"),
            options.option("--power P", type=float),
            options.changed("--bounds"),
            options.flag("--no-bounds"),
        ),
        "policies --docs-in-collection files beside-spans",
        defaults={field.name: field.default for field in fields(HowToTest)},
    )


def run(args: Namespace) -> int:
    """Carries the command out."""
    form = output.form(args.output, args.format, output.FORMATS)
    if args.bounds and args.no_bounds:
        raise UsageError("--bounds and --no-bounds are opposites: leave one out")
    blocks, status = _compared(args)
    data = _data(blocks, form, args)
    title = os.path.basename(args.qrels)
    output.write_tables(args.output, data, form, title, "Comparison")
    return status


def _compared(args: Namespace) -> tuple[Blocks, int]:
    """The comparisons and the exit status; reports what was skipped."""
    if args.all_pairs and args.baseline is not None:
        raise UsageError("--all-pairs is only for a comparison without --baseline")
    runs = len(inputs.find_runs(args))
    few = args.baseline is None and args.top is not None and args.top <= MOST
    if args.baseline is None and runs > MOST and not (args.all_pairs or few):
        raise UsageError(f"{too_many(runs)}: name one with --baseline, or --all-pairs")
    qrels = inputs.read_judgments(args, spans=True)
    topics, groups = inputs.chosen_topics(args, qrels.topics)
    default = SPAN_MEASURES if inputs.over_spans(args) else DEFAULT_COMPARED
    measures, options = as_measures(args.measures or default), inputs.evaluating(args)
    # A topic that is left out may show more documents than --docs-in-collection.
    sized = topics if args.topics and args.docs_in_collection is not None else None

    evaluated = partial(
        comparison.evaluated,
        qrels,
        measures=measures,
        how=HowToTest(**{**inputs.named(args, *_TESTING), "margin": _margin(args.margin)}),
        baseline=args.baseline,
        systems=args.systems,
        bounds=not args.no_bounds,
        all_pairs=args.all_pairs or few,
        options=options,
        topics=sized,
    )
    found, status = inputs.over_runs(
        args, evaluated, inputs.scoring(qrels, measures, options, sized)
    )
    compared = {**groups, ALL: topics}
    blocks = [(group, _arranged(found.compared(own), args)) for group, own in compared.items()]
    notes = found.scores.notes if args.systems else blocks[-1][1].notes
    inputs.say_notices(args, list(notes.values()), qrels, measures)
    return blocks, status


_TESTING = tuple(field.name for field in fields(HowToTest))


def _margin(texts: Sequence[str] | None) -> float | dict[str, float] | None:
    """The margins: a number for all measures, or by measure."""
    found = [Margin.parse(text, relative=False) for text in texts or ()]
    by_measure = {margin.measure: margin.amount for margin in found}
    if len(by_measure) < len(found) or ("" in by_measure and len(by_measure) > 1):
        raise UsageError("expected one margin for all measures, or one for each")
    return by_measure.get("", by_measure or None)


def _arranged(found: Comparison, args: Namespace) -> Comparison:
    """The comparison with the rows and in the order that the options ask for."""
    by = None if args.sort in ORDERS else args.sort
    if args.top is not None:
        found = found.top(args.top, by)
    return found if args.sort is None else found.sort(args.sort)


ORDERS = ("mean", "difference", "effect", "p")
"""What rows are sorted by, beside measures."""


def _data(blocks: Blocks, form: str, args: Namespace) -> str:
    """The comparisons in a format."""
    if form not in output.PEOPLE:
        if args.digits is not None:
            blocks = [(group, found.rounded(args.digits)) for group, found in blocks]
        if form == "json":
            return _json(blocks)
        return output.separated({group: found.table() for group, found in blocks}, form)
    texts = []
    for group, found in blocks:
        heading = _heading(group, found) if len(blocks) > 1 else ""
        label = f"tab:compare-{writers.latex_slug(group)}" if heading else "tab:compare"
        setting = Setting(output.width(args.output), label=label)
        texts.append(
            for_people(found, form, args.digits, setting, bounds=args.bounds, heading=heading)
        )
    return "\n".join(texts)


def _heading(group: str, found: Comparison) -> str:
    """What a group's comparison stands under."""
    topics = {row.topics for row in found.rows}
    number = f" ({counted(max(topics), 'topic')})" if topics else ""
    return f"All topics{number}" if group == ALL else f"Group {group}{number}"


def _json(blocks: Blocks) -> str:
    rows = {group: [as_columns(row) for row in own.rows] for group, own in blocks}
    groups = [
        {"group": group, "methods": own.methods, "comparisons": rows[group]}
        for group, own in blocks[:-1]
    ]
    found = blocks[-1][1]
    notes = ((run, found.notes[run]) for run in found.runs)
    content = {
        **found.options,
        **({"signature": str(found.signature)} if found.signature else {}),
        "methods": found.methods,
        **({"groups": groups} if groups else {}),
        "comparisons": rows[ALL],
        "runs": [
            {"run": run, "tag": own.tag, "notes": formats.passed_over(own)} for run, own in notes
        ],
    }
    return writers.in_json(content)
