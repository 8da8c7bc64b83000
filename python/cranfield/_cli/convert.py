"""``cranfield convert``: judgments and runs in another format.

Converts judgments or a run to another format. The format and compression of the input are detected
from its content; the output is compressed if its suffix says so.

formats:
  trec        qrels: topic 0 doc grade; run: topic Q0 doc rank score tag
  msmarco     run: topic doc rank
  beir        qrels: TSV under the header query-id corpus-id score
  stratified  qrels: topic 0 doc stratum grade

Judgments of spans become a table: other layouts (--layout chroma), and quotes of evidence in JSON
Lines, which are located in the texts of their documents (--texts).

examples:
  cranfield convert qrels/test.tsv qrels.txt --to trec
  cranfield convert quotes.jsonl gold.tsv --texts texts.jsonl
"""

from __future__ import annotations

import os
from argparse import Namespace
from typing import Any, BinaryIO

from cranfield._base.errors import failure
from cranfield._base.text import counted
from cranfield._cli import options, output
from cranfield._cli.inputs import limits, reading_options
from cranfield._cli.parser import Parser
from cranfield._cli.streams import UsageError, note
from cranfield._core import QRELS_FORMATS, RUN_FORMATS, Error, Qrels, Run, SpanQrels
from cranfield._io.addresses import is_address
from cranfield._io.columns import SPAN_LAYOUTS
from cranfield._io.files import RemoteObject, Table
from cranfield._io.sources import STDIN, expanded, run_name, stdin, table_of
from cranfield._io.spans import as_table, read_span_qrels

FORMATS = {"qrels": QRELS_FORMATS, "run": RUN_FORMATS}
"""The formats that each kind can be written in."""


def parser() -> Parser:
    """The arguments of the command."""
    return options.command(
        "convert",
        __doc__,
        options.option("input INPUT"),
        options.option("output OUTPUT", type=os.path.expanduser),
        options.choice("--kind", tuple(FORMATS)),
        options.choice(
            "--to", sorted({name for names in FORMATS.values() for name in names}), default="trec"
        ),
        "--quiet --texts plain-files",
    )


def run(args: Namespace) -> int:
    """Carries the command out."""
    output.check(args.output)
    args.kind = _kind(args)
    kinds = [kind for kind, names in FORMATS.items() if args.to in names]
    if args.kind is not None and args.kind not in kinds:
        raise UsageError(
            f"{args.to} is not a format for {args.kind}; there are: {', '.join(FORMATS[args.kind])}"
        )
    if args.texts is not None or args.layout in SPAN_LAYOUTS:
        return _spans(args)
    content = _read(args)
    kind = "run" if isinstance(content, Run) else "qrels"
    if kind not in kinds:
        raise UsageError(f"{args.input} holds a {kind}, which {args.to} cannot express")
    output.write_content(args.output, content, args.to)
    what = f"{kind} of {counted(len(content), 'topic')}"
    note(f"{args.input}: {what}, written as {args.to}{_dropped(content, args.to)}")
    return 0


def _spans(args: Namespace) -> int:
    """Writes judgments of spans, or of quotes, as a table."""
    if args.kind == "run" or args.to != "trec":
        raise UsageError("spans are written as a table: leave out --kind run and --to")
    if args.layout is None:
        gold = SpanQrels.from_quotes(args.input, args.texts)
    else:
        named = {"columns": args.columns, "limits": limits(args), "texts": args.texts}
        gold = read_span_qrels(args.input, layout=args.layout, **named)
    output.write(args.output, as_table(gold))
    bare = sum(not gold[topic] for topic in gold)
    dropped = f", which drops {counted(bare, 'topic')} without evidence" if bare else ""
    note(f"{args.input}: spans of {counted(len(gold), 'topic')}, written as a table{dropped}")
    return 0


def _kind(args: Namespace) -> str | None:
    """The kind that the input has to be, as the options say."""
    kind: str | None = args.kind
    for flag, of_flag in (("layout", "qrels"), ("levels", "qrels"), ("run_layout", "run")):
        if getattr(args, flag) is not None:
            if kind not in (None, of_flag):
                raise UsageError(_MISPLACED[flag])
            kind = of_flag
    return kind


_MISPLACED = {
    "layout": "--layout is for judgments: leave out --kind run",
    "levels": "--levels is for judgments: leave out --kind run",
    "run_layout": "--run-layout is for runs: leave out --layout, --levels and --kind qrels",
}
"""What is wrong with an option beside another."""


def _dropped(content: Qrels | Run, form: str) -> str:
    """What a format cannot express of judgments."""
    if isinstance(content, Run):
        return ""
    names = [name for name in content.columns if form != "stratified" or name != "stratum"]
    if any(content.intents(topic) for topic in content.topics):
        names.append("intents")
    return f", which drops {' and '.join(names)}" if names else ""


def _read(args: Namespace) -> Qrels | Run:
    """The input, as the kind asked for or else the kind that its lines are.

    Judgments have four or five fields or a header, and runs six or three, so
    the first line decides. If neither can be read, the error is that of the
    kind that could be read further.
    """
    source = _input(args.input)
    if (table := _table(source, args)) is not None:
        return _of_table(table, args)
    name, label = (run_name(args.input), None) if isinstance(source, str) else ("run", "<stdin>")
    options: dict[str, Any] = {"lenient": args.lenient, "limits": limits(args)}
    refused: Error | None = None
    if args.kind != "run":
        try:
            return Qrels.read(source, name=label, layout=args.layout, levels=args.levels, **options)
        except Error as error:
            if args.kind == "qrels" or error.kind != "fields":
                raise
            refused = error
    if not isinstance(source, str):
        source.seek(0)
    try:
        return Run.read(source, name=name, label=label, run_layout=args.run_layout, **options)
    except Error as error:
        if refused is not None and (refused.line or 0) > (error.line or 0):
            raise refused from None
        raise


def _table(source: str | BinaryIO, args: Namespace) -> Table | None:
    """The table that the input is, if it is one."""
    if args.layout is not None or args.levels is not None:
        return None
    return table_of(source, reading_options(args), judgments=args.kind != "run")


def _of_table(table: Table, args: Namespace) -> Qrels | Run:
    """The content of a table; without a kind, its columns say which it is."""
    if args.kind == "qrels":
        return table.qrels()
    if args.kind is None and table.form == "json":
        raise UsageError(f"{args.input}: JSON can hold either: give --kind run or --kind qrels")
    try:
        names = [run.selected or "" for run in table.runs()]
        if len(names) > 1:
            raise failure("option", f"expected one run, found {len(names)}", file=args.input)
        name = names[0] if names else run_name(args.input, of_table=True)
        return table.run().rename(name)
    except Error as error:
        if args.kind == "run" or error.kind != "fields":
            raise
        try:
            return table.qrels()
        except Error as other:
            raise (error if other.kind == "fields" else other) from None


def _input(path: str) -> str | BinaryIO:
    """A path, or standard input held in memory to be read twice."""
    from io import BytesIO

    if is_address(path):
        with RemoteObject(path).open() as file:
            return BytesIO(file.read() or b"")
    if path != STDIN:
        return expanded(path)
    return BytesIO(stdin().read())
