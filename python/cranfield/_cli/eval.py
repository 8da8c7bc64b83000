"""``cranfield eval``: scores of runs, one row a run.

Scores runs against relevance judgments and prints a table, best run first.

examples:
  cranfield eval qrels.txt bm25.run.gz
  cranfield eval qrels.txt 'runs/*.gz' -m 'nDCG@10 AP' --sort AP
  cranfield eval qrels.txt 'runs/*.gz' -m AP --ci --tiers
  cranfield eval collections.toml -m 'nDCG@10 AP' --ci
  cranfield eval gold.tsv chunks.tsv --layout spans -m 'char-R@chars=4000 span-R@5'
  cranfield eval log.jsonl -m 'R@5 RR' --gold expected --found retrieved
  cranfield eval qrels.txt bm25.run --per-topic --output bm25.csv
"""

from __future__ import annotations

import os
import sys
from argparse import ArgumentTypeError, Namespace
from collections.abc import Mapping, Sequence
from functools import partial

from cranfield._base.errors import label_failure, optional
from cranfield._base.options import in_effect, probability
from cranfield._base.scores_like import ALL, VALUE, best_first
from cranfield._base.text import counted
from cranfield._cli import inputs, options, output
from cranfield._cli.parser import Parser, flag_of
from cranfield._cli.streams import UsageError, say
from cranfield._core import DEFAULT_BOUNDED, DEFAULT_MEASURES, Error, Qrels, in_collection
from cranfield._io.sources import Source
from cranfield._measures.parse import as_measure, measure_place
from cranfield._scores import formats
from cranfield._scores.scores import Scores
from cranfield._scores.signature import OPTIONS, Signature
from cranfield._scoring.evaluator import SPAN_MEASURES, Evaluator

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

Parts = Mapping[str, Scores]
"""The values, and beside them their bounds if there are any."""

ONE_RUN = ("per_topic", "ci", "tiers", "topic_groups")
"""Options for which prototext has no place."""

ONE_COLLECTION = (
    *("bounds", "per_topic", "topics", "intents", "classes", "costs", "lengths", "layout", "top"),
    *("chunks", "texts", "levels", "docs_in_collection", "keep_going", "gold", "found"),
    *("signature", "short_signature"),
)
"""Options that are about one collection."""

OF_COLLECTIONS = (*output.FORMATS, "parquet")
"""The formats of the tables of several collections."""

FORMS_OF_FILES = ("layout", "levels", "run_layout")
"""Options about files that hold judgments or runs alone."""

QUESTION = ("bounds_mode", "unseen", "max_grade", "max_assignments")
"""Options that are only for --bounds."""

CI_METHODS = ("t", "percentile", "bca")
"""How intervals are made, the default first."""

HOW_SURE = options.in_group(
    options.SURE,
    options.flag("--ci"),
    options.choice("--ci-method", CI_METHODS, only_for=("--ci",)),
    options.flag("--tiers"),
    options.changed("--level", default=None, only_for=("--ci", "--tiers")),
    options.changed("--seed", only_for=("--ci", "--tiers")),
    "--topics --topic-groups",
)
"""The options about intervals, tiers and topics."""

HOW_FAR = options.in_group(
    options.BOUNDS,
    options.choice("--bounds-mode", ("free_R", "fixed_R")),
    options.integer("--unseen", "number of unseen documents", least=0),
    "--max-grade --max-assignments",
    only_for=("--bounds",),
)
"""The options about bounds under missing judgments."""


def parser() -> Parser:
    """The arguments of the command."""
    return options.command(
        "eval",
        __doc__,
        "QRELS",
        options.changed("RUN", nargs="*"),
        options.changed("--measure", values={"default": DEFAULT_MEASURES}),
        "--measures-from --per-topic",
        options.changed("--format", choices=formats.FORMATS),
        "--output --sort --top --digits",
        options.option("--signature TEXT", type=_signature),
        options.flag("--short-signature"),
        "--keep-going",
        options.option("--gold NAME"),
        options.repeated("--found NAME"),
        "working",
        *HOW_SURE,
        "policies --ties --docs-in-collection --bounds",
        *HOW_FAR,
        "files beside-spans",
    )


def run(args: Namespace) -> int:
    """Carries the command out."""
    args.ci, args.tiers = how_sure(args)
    form = format_of(args)
    if args.tiers is not None and args.top is not None:
        raise UsageError("--tiers tells apart all runs: leave out --top")
    if args.bounds and args.ties != "order":
        raise UsageError("--bounds is about missing judgments: leave out --ties")
    if not args.runs and args.qrels.lower().endswith(".toml"):
        return _of_collections(args, form)
    if args.runs:
        message = "{} is for rows that hold judgments and runs: leave out RUN"
        inputs.refuse(args, ("gold", "found"), message)
    if args.signature is not None:
        _adopt(args, args.signature)
    default = DEFAULT_BOUNDED if args.bounds else DEFAULT_MEASURES
    default = SPAN_MEASURES if inputs.over_spans(args) else default
    qrels = inputs.read_judgments(args, None if args.runs else _read_rows(args), spans=True)
    topics, groups = inputs.chosen_topics(args, qrels.topics)
    evaluator = Evaluator(qrels, args.measures or default, **inputs.evaluating(args))
    if args.topics is not None:
        evaluator._only(topics)
    key = _sort_key(evaluator, args.sort, form)
    parts, status = inputs.over_runs(args, partial(_scored, evaluator, args))
    if args.topics is not None:
        parts = {name: part.sel(topic=topics) for name, part in parts.items()}
    if args.signature is not None:
        status = max(status, _repeated(args.signature, parts[VALUE]))
    inputs.say_notices(args, parts[VALUE].core.notes, qrels, evaluator.measures)
    if args.top is not None:
        parts = _best(parts, args.top, key or 0)
    write_scores(args, parts, groups, key, form, os.path.basename(args.qrels))
    return status


def _signature(text: str) -> Signature:
    """The signature of an argument."""
    try:
        return Signature.parse(text)
    except Error as error:
        raise ArgumentTypeError(error.message) from error


def _adopt(args: Namespace, wanted: Signature) -> None:
    """Takes measures and options of a signature; raises ``UsageError`` for others beside it."""
    if args.measures:
        raise UsageError("--measure is that of the signature: leave it out")
    options = wanted.options
    for name in (*OPTIONS, "run_layout", "columns"):
        usual = in_effect(name, None) if name in OPTIONS else None
        own, its = getattr(args, name), options.get(name, usual)
        if own not in (None, usual, its):
            raise UsageError(f"{flag_of(name)} is not that of the signature: leave it out")
        setattr(args, name, its)
    args.measures = list(wanted.measures)


def _repeated(wanted: Signature, found: Scores) -> int:
    """Says whether scores are those that a signature is about; the exit status."""
    differing = wanted.differences(found)
    say(*(f"not repeated: {text}" for text in differing))
    if not differing:
        what = "judgments, topics and options are those" if wanted.value is None else "it is that"
        say(f"repeated: {what} of the signature")
    return 1 if differing else 0


def _read_rows(args: Namespace) -> Qrels:
    """The judgments of the only file; what its rows found becomes the runs."""
    from cranfield._io import rows

    if not rows.are_rows(args.qrels):
        raise UsageError("the following arguments are required: RUN; see cranfield eval --help")
    message = "{} is not for rows that hold judgments and runs: leave it out"
    inputs.refuse(args, FORMS_OF_FILES, message)
    keys = {"gold": args.gold, "topic": (args.columns or {}).get("topic")}
    with inputs.findings_said():
        qrels, args.runs = rows.read_rows(
            args.qrels, found=args.found or None, limits=inputs.limits(args), **keys
        )
    number = args.docs_in_collection
    return qrels if number is None else in_collection(qrels, number)


def _scored(evaluator: Evaluator, args: Namespace, runs: list[Source]) -> Parts:
    """The scores of runs, with bounds if these are asked for."""
    if args.bounds:
        asked = inputs.given(args, *QUESTION).items()
        question = {name.removeprefix("bounds_"): value for name, value in asked}
        return evaluator.bounds(runs, **question).parts
    if args.ties == "bounds":
        return evaluator.tie_bounds(runs).parts
    return {VALUE: evaluator.evaluate(runs)}


def _best(parts: Parts, top: int, key: int) -> Parts:
    """The scores of the best runs, in the order in which the runs were given."""
    core = parts[VALUE].core
    values = [row[key] for row in core.summary()]
    places = sorted(best_first(values, core.measures[key])[:top])
    rest = list(range(len(core.topics))), list(range(len(core.measures)))
    return {name: part.at(places, *rest, arranged=False) for name, part in parts.items()}


def how_sure(args: Namespace) -> tuple[dict[str, Any] | None, dict[str, Any] | None]:
    """The options of intervals and of tiers; None for what is not asked for."""
    both = inputs.given(args, "level", "seed")
    probability(both.get("level", 0.5), "level")
    both["threads"] = args.threads
    ci = {**both, "method": args.ci_method or CI_METHODS[0]} if args.ci else None
    return ci, both if args.tiers else None


def write_scores(
    args: Namespace,
    parts: Parts,
    groups: Mapping[str, Sequence[str]],
    key: int | None,
    form: str,
    title: str,
) -> None:
    """Writes scores as the options ask for, of which ``how_sure`` has set ``ci`` and ``tiers``."""
    if args.tiers is not None and len(parts[VALUE].core.runs) < 2:
        raise UsageError("--tiers compares runs: expected at least two, found one")
    _check_means(args, parts[VALUE].core.measures)
    width = output.width(args.output)
    sentences = _sentences(args, parts, form, on_terminal=width is not None)
    data = formats.written(
        _blocks(args, parts, key, groups),
        form,
        per_topic=args.per_topic,
        digits=args.digits,
        width=width,
        sentences=sentences,
        short=getattr(args, "short_signature", False),
    )
    output.write_tables(args.output, data, form, title, "Scores")


def _sentences(args: Namespace, parts: Parts, form: str, *, on_terminal: bool) -> list[str]:
    """What stands below a printed table; how many topics there are on a terminal only."""
    said = []
    if form == "table" and len(parts) > 1:
        said.append(f"lowest, highest: {_over(args)}.")
    if form == "table" and on_terminal:
        said.append(f"Over {counted(len(parts[VALUE].core.topics), 'topic')}.")
    return said


def _over(args: Namespace) -> str:
    """What the bounds are over."""
    if args.ties == "bounds":
        return "over all orders of tied documents"
    if args.bounds_mode == "fixed_R":
        return "over all ranks of the relevant documents that the run did not retrieve"
    return "if every retrieved document were judged, over all possible judgments"


def _check_means(args: Namespace, measures: Sequence[Any]) -> None:
    """Raises ``UsageError`` if intervals or tiers are asked for and no measure is a mean."""
    if (args.ci or args.tiers) and all(measure.aggregate != "mean" for measure in measures):
        flag, names = "--ci" if args.ci else "--tiers", " ".join(map(str, measures))
        raise UsageError(f"{flag} is about means over topics, and none of the measures is: {names}")


def _blocks(
    args: Namespace, parts: Parts, key: int | None, groups: Mapping[str, Sequence[str]]
) -> list[formats.Block]:
    """The scores of each group of topics, and last of all topics."""
    several: dict[str, Parts] = {
        group: {name: part.sel(topic=topics) for name, part in parts.items()}
        for group, topics in groups.items()
    }
    blocks = []
    for group, own in {**several, ALL: parts}.items():
        core = own[VALUE].core
        order: Sequence[int] = range(len(core.runs))
        if key is not None:
            order = best_first([row[key] for row in core.summary()], core.measures[key])
        blocks.append(formats.block_of(own, order, ci=args.ci, tiers=args.tiers, group=group))
    return blocks


def format_of(args: Namespace) -> str:
    """The format asked for; raises at once what would fail later."""
    form = output.form(args.output, args.format, formats.FORMATS)
    if form == "prototext":
        inputs.refuse(args, ONE_RUN, "prototext has only the scores of a run: leave out {}")
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
        return 0 if form in output.PEOPLE else None
    wanted = as_measure(asked)
    if wanted not in evaluator.measures:
        names = [str(measure) for measure in evaluator.measures]
        raise label_failure("measure to sort by", asked, names)
    return evaluator.measures.index(wanted)


def _of_collections(args: Namespace, form: str) -> int:
    """Scores the runs of each collection and writes a table with a column for each."""
    from cranfield._scores import collection_scores
    from cranfield._scoring.collections import Collections, evaluators_of, scores_of

    message = "{} is about one collection: name QRELS and RUN"
    if args.ties == "bounds":
        raise UsageError(message.format("--ties bounds"))
    inputs.refuse(args, ONE_COLLECTION, message)
    if form not in OF_COLLECTIONS:
        raise UsageError(
            f"several collections are written as {', '.join(OF_COLLECTIONS)}; found {form}"
        )
    collections = Collections.read(args.qrels)
    with inputs.findings_said():
        evaluators = evaluators_of(collections, args.measures, **inputs.evaluating(args))
        every = dict.fromkeys(t for own in evaluators.values() for t in own.qrels.topics)
        inputs.chosen_topics(args, tuple(every))
        found = scores_of(collections, evaluators)
    _check_means(args, found.measure_objects)
    how = inputs.given(args, "level", "seed")
    ci = {**how, "method": args.ci_method or "percentile"} if args.ci is not None else None
    tiers = how if args.tiers is not None else None
    key = 0 if args.sort is None else measure_place(found.measures, args.sort)
    best = key if args.sort or form in output.PEOPLE else None
    groups = {} if args.topic_groups is None else found.by_group(args.topic_groups)
    blocks = [
        collection_scores.block_of(part, best, ci, tiers, group)
        for group, part in {**groups, ALL: found}.items()
    ]
    width = output.width(args.output)
    data = collection_scores.written(blocks, form, digits=args.digits, width=width)
    output.write_tables(args.output, data, form, args.qrels, "Scores on several collections")
    return 0
