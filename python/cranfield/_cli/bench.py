"""``cranfield bench``: how fast runs are scored, beside other evaluators.

Measures scoring speed on your own files or on a synthetic collection. With --against, another
evaluator does the same work, alternating in the same process; the values are compared first. Times
are medians of CPU time (user and system).

kinds of input:
{kinds}

sizes: topics x documents per ranking (x judged documents per topic), such as
  {sizes}

sets of measures:
  common  {common} (default)
  all     the {all} that trec_eval's all_trec has, too

exit status:
  0  fast enough
  1  slower than --min-lines-per-s, or than --max-regress allows
  2  bad input, or values that differ

examples:
  cranfield bench --against pytrec_eval
  cranfield bench qrels.txt bm25.run --against ranx -m 'nDCG@10 AP'
  cranfield bench --size 50x1000 --kind dicts --kind files --json speed.json
  cranfield bench --against pytrec_eval --max-regress 10% --baseline speed.json
  cranfield bench -m 'AP bpref nDCG@10' --each
"""

from __future__ import annotations

import json
import os
import statistics
from argparse import Namespace
from collections.abc import Iterator, Sequence
from contextlib import closing
from itertools import product

from cranfield._base.errors import label_failure
from cranfield._base.text import UNDEFINED, counted
from cranfield._bench import engines, race, report, shapes
from cranfield._bench.engines import ENGINES, KINDS, Engine, TrecEval, Work
from cranfield._bench.race import Result, Side
from cranfield._bench.shapes import Material
from cranfield._cli import options, output
from cranfield._cli.check import BREACH
from cranfield._cli.parser import Parser
from cranfield._cli.streams import UsageError, annotate, note, say
from cranfield._table import writers
from cranfield._table.tables import Setting, Texts


def parser() -> Parser:
    """The arguments of the command."""
    kinds = "\n".join(f"  {name:<8}{text}" for name, text in KINDS.items())
    doc = (__doc__ or "").replace("{kinds}", kinds).replace("{sizes}", " ".join(shapes.COMMON))
    doc = doc.replace("{common}", engines.COMMON).replace("{all}", str(len(engines.TREC_EVAL)))
    return options.command(
        "bench",
        doc,
        options.changed("QRELS", nargs="?"),
        options.changed("RUN", nargs="*"),
        options.repeated("--against NAME", values={"known": " ".join(ENGINES)}),
        options.repeated("--trec-eval PATH"),
        options.repeated("--size TxD"),
        options.repeated("--kind KIND"),
        "--measure",
        options.flag("--each"),
        options.integer("--rounds", "number of rounds", default=race.ROUNDS),
        options.changed("--threads", default=1),
        "--quiet",
        *options.in_group(
            "limits",
            options.option("--min-lines-per-s N", type=_rate),
            options.option("--max-regress SHARE", type=_share),
            options.option("--baseline FILE"),
        ),
        *options.in_group(
            "results",
            options.option("--json FILE", nargs="?", const=output.STDOUT, type=os.path.expanduser),
            options.choice("--json-format", report.FORMS, default=report.FORMS[0]),
        ),
        "tables",
    )


def _rate(text: str) -> float:
    return options.number_where("a number above 0", lambda value: value > 0)(text.replace(",", ""))


def _share(text: str) -> float:
    read = options.number_where("a share of at least 0 such as 10%", lambda value: value >= 0)
    return read(text.removesuffix("%")) / (100 if text.endswith("%") else 1)


def run(args: Namespace) -> int:
    """Carries the command out."""
    if args.max_regress is not None and args.baseline is None:
        raise UsageError("--max-regress needs --baseline FILE")
    if args.json not in (None, output.STDOUT):
        output.check(args.json)
        _replaceable(args.json)
        output.form(args.json, None, ("json",), option="for --json")
    baseline = None if args.baseline is None else report.read(args.baseline)
    results = list(_results(args, _competitors(args), _kinds(args)))
    if args.json != output.STDOUT:
        output.write(
            output.STDOUT, writers.written([_table(results)], "table", Setting(output.width()))
        )
    if args.json is not None:
        document = report.document(results, args.json_format)
        output.write(args.json, json.dumps(document, indent=1, ensure_ascii=False) + "\n")
    breaches = list(_slow(results, args.min_lines_per_s or 0))
    if baseline is not None:
        for text, change in report.regressions(results, baseline, args.baseline):
            if args.max_regress is not None and change > args.max_regress:
                breaches.append(f"{text}; at most {args.max_regress:.4g} is allowed")
            else:
                note(text)
    say(*breaches)
    annotate("cranfield bench", breaches)
    return BREACH if breaches else 0


def _replaceable(path: str) -> None:
    """Raises ``UsageError`` for a file that is not JSON: a word was taken for its name."""
    if os.path.isfile(path):
        with open(path, "rb") as file:
            if file.read(1) not in (b"", b"{", b"["):
                advice = "put --json last, or write --json=FILE"
                raise UsageError(f"{path}: this file is not JSON and is not overwritten; {advice}")


def _competitors(args: Namespace) -> list[Engine | None]:
    """The evaluators to measure against; none: cranfield alone."""
    competitors: list[Engine | None] = []
    if args.trec_eval and "trec_eval" not in args.against:
        args.against.append("trec_eval")
    for name in dict.fromkeys(args.against):
        if name == "trec_eval":
            if not args.trec_eval:
                raise UsageError("--against trec_eval needs --trec-eval PATH, its program")
            competitors += [TrecEval(path) for path in args.trec_eval]
        elif name in ENGINES:
            engine = ENGINES[name]()
            engine.load()
            competitors.append(engine)
        else:
            raise label_failure("evaluator", name, (*ENGINES, "trec_eval"))
    return competitors or [None]


def _kinds(args: Namespace) -> list[str]:
    for kind in args.kind:
        if kind not in KINDS:
            raise label_failure("kind of input", kind, tuple(KINDS))
    return list(dict.fromkeys(args.kind)) or ["files" if args.qrels or args.trec_eval else "dicts"]


def _materials(args: Namespace) -> Iterator[Material]:
    """What is scored, one after the other: large ones do not fit in memory together."""
    if args.qrels is None:
        for shape in map(shapes.Shape.parse, args.size or ["50x1000"]):
            yield shapes.MadeUp(shape)
        return
    if args.size:
        raise UsageError("--size is for made-up collections: give files or sizes, not both")
    options = {"run_layout": args.run_layout, "columns": args.columns}
    if not args.runs:
        raise UsageError("expected a file of judgments and runs, found one file")
    yield shapes.Own(args.qrels, args.runs, options)


def _results(
    args: Namespace, competitors: Sequence[Engine | None], kinds: Sequence[str]
) -> Iterator[Result]:
    asked = " ".join(args.measures or ["common"])
    measures = engines.chosen_measures(args.measures or ["common"])
    sets = [((name,), name) for name in measures] if args.each else [(measures, asked)]
    for material in _materials(args):
        with closing(material):
            for kind, competitor, (names, title) in product(kinds, competitors, sets):
                work = Work(material, kind, names, args.threads)
                if args.each and competitor is not None and not competitor.known(names):
                    note(f"{competitor.name} has no {title}: cranfield scores it alone")
                    competitor = None
                found = race.measure(work, competitor, asked=title, rounds=args.rounds)
                left = len(names) - len(found.measures)
                if left and competitor is not None:
                    have = f"{len(found.measures)} of {counted(len(names), 'measure')}"
                    note(f"{competitor.name} has {have}: both sides score those")
                yield found


def _slow(results: Sequence[Result], least: float) -> Iterator[str]:
    """The results below the rate that is asked for."""
    for result in results:
        if (rate := result.lines_per_second) < least:
            found = f"{report.title(result)}: {rate:,.0f} lines per CPU second"
            yield f"{found}, at least {least:,.0f} are asked for"


def _table(results: Sequence[Result]) -> Texts:
    """A row for each side."""
    keys = ["input", "size", "measures", "evaluator"]
    table = Texts(keys, ["CPU ms", "wall ms", "lines/s", "ns/line", "us/topic", "times"])
    for result in results:
        table.cells.append(_row(result, result.own, 1.0))
        if result.other is not None and result.ratio is not None:
            table.cells.append(_row(result, result.other, result.ratio))
    return table


def _row(result: Result, side: Side, times: float) -> tuple[str, ...]:
    version = side.version.split()[0] if side.version else ""
    return (
        result.kind,
        result.label,
        result.measures[0] if len(result.measures) == 1 else str(len(result.measures)),
        f"{side.engine} {version}".rstrip(),
        f"{side.median * 1e3:.2f}",
        f"{statistics.median(side.wall) * 1e3:.2f}",
        f"{result.lines / side.median:,.0f}",
        f"{side.median / result.lines * 1e9:.1f}",
        f"{side.median / result.lists * 1e6:.2f}",
        UNDEFINED if result.other is None else f"{times:.1f}",
    )
