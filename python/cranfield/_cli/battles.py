"""``cranfield battles``: ratings of runs from battles.

Rates runs from battles, in which a judge preferred one of two answers: Bradley-Terry ratings with
intervals and ranks, best first, and how often each run was preferred.

examples:
  cranfield battles battles.jsonl
  cranfield battles battles.jsonl --pairs
  cranfield battles battles.jsonl --by-topic
  cranfield battles arena.csv --intervals bootstrap --seed 1 --output ratings.json
"""

from __future__ import annotations

from argparse import Namespace

from cranfield import battles
from cranfield._cli import options, output
from cranfield._cli.inputs import findings_said, named
from cranfield._cli.parser import Parser
from cranfield._table import writers
from cranfield._table.data_table import SHARE, TEXT, DataTable, defined, joined
from cranfield._table.tables import Setting
from cranfield.battles import BradleyTerry, PreferenceRates


def parser() -> Parser:
    """The arguments of the command."""
    return options.command(
        "battles",
        __doc__,
        options.option("files FILE", nargs="+"),
        options.flag("--pairs"),
        "--format --digits --output working",
        options.choice(
            "--intervals", battles.INTERVALS, group=options.SURE, default=battles.INTERVALS[0]
        ),
        options.flag("--by-topic", group=options.SURE),
        "--level",
        options.option("--ridge X", group=options.SURE, type=float, default=0.0),
        options.changed(
            "--resamples",
            type=options.at_least("--resamples", "number of resamples", 2),
            default=battles.RESAMPLES,
        ),
        options.changed("--seed", default=0),
    )


def run(args: Namespace) -> int:
    """Carries the command out."""
    form = output.form(args.output, args.format, output.FORMATS)
    with findings_said():
        found = battles.read(args.files, by_topic=args.by_topic)
    rates = battles.preference_rates([battle[:3] for battle in found])
    rated = None
    if not args.pairs:
        options = named(args, "level", "intervals", "by_topic", "ridge")
        drawn = named(args, "resamples", "seed", "threads")
        rated = battles.bradley_terry(found, **options, **drawn)
    data = _data(rates, rated, form, args)
    heading = "Pairs" if args.pairs else "Ratings"
    output.write_tables(args.output, data, form, "Battles", heading)
    return 0


def _data(
    rates: PreferenceRates, rated: BradleyTerry | None, form: str, args: Namespace
) -> bytes | str:
    """The ratings, or the rates of pairs, in a format."""
    if form == "json":
        return _json(rates, rated, args.digits)
    table = _pairs(rates) if rated is None else _ratings(rates, rated)
    sentences = [] if rated is None else _sentences(rated)
    if form in writers.DELIMITERS:
        return output.separated({"": table.rounded(args.digits)}, form)
    setting = Setting(output.width(args.output), label="tab:battles")
    return writers.written([table.shown(digits=args.digits), *sentences], form, setting)


def _ratings(rates: PreferenceRates, rated: BradleyTerry) -> DataTable:
    """A row for each run, the best first."""
    shares = rates.table().only(rated.runs)
    names = {"rate": "preferred", "wins": "", "ties": "", "losses": ""}
    return joined(rated.table(), shares, names)


def _pairs(rates: PreferenceRates) -> DataTable:
    """A row and a column for each run."""
    columns = zip(rates.runs, rates.pairs.T.tolist(), strict=True)
    over = {f"over {run}": (SHARE, values) for run, values in columns}
    return DataTable({"run": (TEXT, rates.runs), **over})


def _sentences(rated: BradleyTerry) -> list[str]:
    """What a reader of the ratings has to know."""
    unit = "battles" if rated.topics is None else f"{rated.topics} topics"
    made = "sandwich covariance" if rated.intervals == "sandwich" else "bootstrap"
    ridge = f", ridge {rated.ridge:g}" if rated.ridge else ""
    return [
        f"rating: Bradley-Terry, mean 1000, 400 points are odds of ten to one{ridge}; low, high: "
        f"{100 * rated.level:.10g}% intervals ({made} over {unit}). rank low, rank high: by "
        "intervals that do not overlap; two runs whose intervals overlap can still differ."
    ]


def _json(rates: PreferenceRates, rated: BradleyTerry | None, digits: int | None) -> str:
    content: dict[str, object] = {"battles": int(rates.battles.sum()) // 2}
    if rated is not None:
        content |= {"intervals": rated.intervals, "level": rated.level, "ridge": rated.ridge}
        if rated.topics is not None:
            content["topics"] = rated.topics
        content["runs"] = [
            {"run": run, **{key.replace(" ", "_"): value for key, value in row.items()}}
            for run, row in _ratings(rates, rated).rounded(digits).to_dict().items()
        ]
    content["pairs"] = {
        run: {other: defined(row[f"over {other}"]) for other in rates.runs if other != run}
        for run, row in _pairs(rates).rounded(digits).to_dict().items()
    }
    return writers.in_json(content)
