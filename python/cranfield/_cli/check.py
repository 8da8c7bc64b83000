"""``cranfield check``: whether scores dropped below a baseline by too much."""

from __future__ import annotations

import math
from argparse import Namespace
from collections.abc import Mapping, Sequence

from cranfield._base.errors import failure
from cranfield._base.scores_like import ALL
from cranfield._base.text import UNDEFINED, counted, number, pvalue
from cranfield._cli import output
from cranfield._cli.options import changed, command
from cranfield._cli.parser import Parser, choice, flag, option, repeated
from cranfield._cli.streams import UsageError, annotate, say, summarize
from cranfield._core import families
from cranfield._measures.parse import as_measure
from cranfield._scores.files import Summarized, read_summarized
from cranfield._scoring.baseline import Change, Limit, changes
from cranfield._table import writers
from cranfield._table.tables import Setting, Signed, Texts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from cranfield._table.tables import Part

FORMATS = ("table", "markdown", "json")
"""How comparisons are printed, the default first."""

BREACH = 1
"""The exit status if something dropped too far."""


def parser() -> Parser:
    """The arguments of the command."""
    return command(
        "check",
        "Compares scores with a baseline and fails if a run got worse by more than a limit. Both "
        "are score files written by `cranfield eval --output` or another evaluator; they may be "
        "compressed or URLs. If both have per-topic scores (--per-topic), the table also shows the "
        "p-value of a paired t test; the verdict does not depend on it.",
        "exit status:\n"
        "  0  nothing got worse by more than its limit\n"
        "  1  something did\n"
        "  2  bad input\n\n"
        "examples:\n"
        "  cranfield check today.json --baseline main.json --max-drop nDCG@10=0.005\n"
        "  cranfield check today.csv --baseline main.csv --max-drop AP=1% --max-rise E=0.01",
        option("scores", "SCORES", "a file of scores, or -"),
        changed(
            "--baseline",
            "the scores to compare with; a single run on each side is compared whatever its name",
            metavar="FILE",
            required=True,
        ),
        repeated(
            "--max-drop",
            "MEASURE=LIMIT",
            "how far a measure may drop: a number, or a percentage of the baseline such as 1%%",
        ),
        repeated(
            "--max-rise",
            "MEASURE=LIMIT",
            f"the same for measures where lower is better: {' '.join(_lower())}",
            note="",
        ),
        flag("--allow-missing", "skip runs, measures, and topics that only one side has"),
        changed(
            "--topic-groups",
            note="; limits also apply within each group; both files need per-topic scores",
        ),
        "--measures-from",
        changed("--digits", note=""),
        choice(
            "--format",
            FORMATS,
            "how the comparisons are printed (default %(default)s)",
            default=FORMATS[0],
        ),
        flag("--json", "the same as --format json"),
        changed("--quiet", "no notes on stderr"),
    )


def _lower() -> list[str]:
    """The measures that are better when they are lower."""
    return [family["name"] for family in families() if family["better"] == "lower"]


def run(args: Namespace) -> int:
    """Carries the command out."""
    limits = [Limit.parse(text, rise=False) for text in args.max_drop]
    limits += [Limit.parse(text, rise=True) for text in args.max_rise]
    if not limits:
        raise UsageError("name at least one limit, such as --max-drop nDCG@10=0.005")
    scores, baseline = read_summarized(args.scores), read_summarized(args.baseline)
    for file in (scores, baseline):
        for run, text in file.unmatched.items():
            raise failure("topics", f"{run}: {text}", file=file.path)
    found = changes(
        scores,
        baseline,
        limits,
        topic_groups=args.topic_groups,
        allow_missing=args.allow_missing,
        report=(lambda text: None) if args.quiet else say,
    )
    breaches = [change for change in found if change.breach]
    form = "json" if args.json else args.format
    signed = _signatures(scores, baseline, [limit.measure for limit in limits])
    below: list[Part] = [_below(signed)] if signed else []
    table: list[Part] = [_table(found, args.digits), *below]
    marked_up: list[Part] = [_table(found, args.digits, padded=False), *below]
    lines = (
        _json(found, args.digits, signed)
        if form == "json"
        else writers.written(table if form == "table" else marked_up, form, Setting(output.width()))
    )
    output.write(output.STDOUT, lines)
    annotate("cranfield check", map(_sentence, breaches))
    summarize(
        "cranfield check", f"{_verdict(found, breaches)}.", writers.written(marked_up, "markdown")
    )
    if not args.quiet:
        say(_verdict(found, breaches))
    return BREACH if breaches else 0


def _signatures(
    scores: Summarized, baseline: Summarized, measures: Sequence[str]
) -> dict[str, str]:
    """The signature of each side that has scores of topics and says how they were made."""
    found: dict[str, str] = {}
    for name, side in (("now", scores), ("baseline", baseline)):
        labels = [label for label in measures if side.scores and label in side.scores.measures]
        if side.scores is not None and labels:
            signature = side.scores.sel(measure=labels).signature
            found |= {name: str(signature)} if signature is not None else {}
    return found


def _below(signed: Mapping[str, str]) -> Signed:
    """The lines below the table: which side is which is only said where they differ."""
    if len({*signed.values()}) < len(signed):
        return Signed({*signed.values()})
    return Signed(f"{name}: {line}" for name, line in signed.items())


def _sentence(change: Change) -> str:
    moved = "rose" if change.limit.rise else "dropped"
    run = change.run if change.group == ALL else f"{change.run}, group {change.group}"
    if math.isnan(change.now):
        then = _number(change, change.baseline)
        return f"{run}: {change.measure} is undefined now, it was {then}"
    numbers = change.baseline, change.now, abs(change.change)
    then, now, moved_by = (_number(change, value) for value in numbers)
    allowed = _number(change, change.limit.allowed(change.baseline))
    return (
        f"{run}: {change.measure} {moved} from {then} to {now}, "
        f"by {moved_by}; at most {allowed} is allowed"
    )


def _verdict(found: Sequence[Change], breaches: Sequence[Change]) -> str:
    if breaches:
        verb = "is" if len(breaches) == 1 else "are"
        return f"{len(breaches)} of {counted(len(found), 'comparison')} {verb} worse than allowed"
    return f"{counted(len(found), 'comparison')}: none is worse than allowed"


def _table(found: Sequence[Change], digits: int | None, *, padded: bool = True) -> Texts:
    """A row for each comparison; ``padded``: verdicts are aligned to the left by spaces."""
    grouped = any(change.group != ALL for change in found)
    tested = any(change.pvalue is not None for change in found)
    keys = ["group", "topics", "run", "measure"] if grouped else ["run", "measure"]
    tests = ["p"] if tested else []
    table = Texts(keys, ["baseline", "now", "change", "limit", *tests, "verdict"])
    for change in found:
        group = (change.group, str(change.topics)) if grouped else ()
        p = UNDEFINED if change.pvalue is None else pvalue(change.pvalue)
        table.cells.append(
            (
                *group,
                change.run,
                change.measure,
                _number(change, change.baseline, digits=digits),
                _number(change, change.now, digits=digits),
                _number(change, change.change, digits=digits, sign="+"),
                str(change.limit),
                *([p] if tested else []),
                ("breach" if change.breach else "ok").ljust(len("verdict") if padded else 0),
            )
        )
    return table


def _number(change: Change, value: float, *, digits: int | None = None, sign: str = "") -> str:
    """A value of the measure that changed, as ``cranfield eval`` prints it."""
    is_count = as_measure(change.measure).aggregate == "sum"
    return number(value, count=is_count, sign=sign, digits=digits)


def _json(found: Sequence[Change], digits: int | None, signed: Mapping[str, str]) -> str:
    content = {
        **({"signature": signed} if signed else {}),
        "breaches": sum(change.breach for change in found),
        "test": "paired t test, two-sided, not corrected",
        "comparisons": [change.to_dict(digits) for change in found],
    }
    return writers.in_json(content)
