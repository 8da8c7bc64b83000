"""``cranfield check``: whether scores dropped below a baseline by too much, if that can be told.

Compares scores with a baseline and fails if a run got worse by more than a limit. Both are score
files written by `cranfield eval --output` or another evaluator; they may be compressed or URLs.
--max-drop is a limit for the means; if both have per-topic scores (--per-topic), the table also
shows the p-value of a paired t test, on which the result does not depend. --margin takes topics as
a sample: pass, fail, or not known, where a pass and a fail are each wrong at most 5% of the time.

exit status:
  0  nothing got worse by more than its limit; all comparisons pass
  1  something did; one fails
  2  bad input
  3  not known (--margin): these topics cannot tell

examples:
  cranfield check today.json --baseline release.json --margin 0.01
  cranfield check today.json --baseline release.json --margin AP=0.02 --unknown pass
  cranfield check today.json --baseline main.json --max-drop nDCG@10=0.005
  cranfield check today.csv --baseline main.csv --max-drop AP=1% --max-rise E=0.01
"""

from __future__ import annotations

import math
from argparse import Namespace
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from functools import partial

from cranfield._base.errors import failure
from cranfield._base.scores_like import ALL
from cranfield._base.text import UNDEFINED, counted, number, printable, pvalue
from cranfield._cli import inputs, options, output
from cranfield._cli.parser import MAIN, Parser
from cranfield._cli.streams import UsageError, annotate, note, summarize
from cranfield._core import families
from cranfield._measures.parse import as_measure
from cranfield._scores.files import Summarized, read_summarized
from cranfield._scoring import baseline as rules
from cranfield._scoring.baseline import Change, Limit, Margin
from cranfield._stats.registry import MARGIN_TESTS
from cranfield._stats.verdicts import FAIL, OPEN, PASS, HowToJudge
from cranfield._table import writers
from cranfield._table.tables import Part, Setting, Signed, Texts

FORMATS = ("table", "markdown", "json", "junit")
"""How comparisons are printed, the default first."""

BREACH = 1
"""The exit status if something dropped too far."""

STATUS = {PASS: 0, FAIL: BREACH, OPEN: 3}
"""The exit status of a verdict."""


IN_CELL = {"better": ", better", "worse, within the margin": ", worse"}
"""Notes beside a verdict that are said in its cell."""


def parser() -> Parser:
    """The arguments of the command."""
    return options.command(
        "check",
        __doc__,
        options.option("scores SCORES"),
        options.changed("--baseline", metavar="FILE", required=True),
        options.repeated("--max-drop MEASURE=LIMIT"),
        options.repeated("--max-rise MEASURE=LIMIT", values={"lower": " ".join(_lower())}),
        options.repeated("--margin [MEASURE=]MARGIN"),
        options.repeated("--relative-margin [MEASURE=]MARGIN"),
        *options.in_group(
            MAIN,
            options.flag("--equal"),
            options.option("--test TEST", default="t", values={"tests": " ".join(MARGIN_TESTS)}),
            options.changed("--alpha", default=0.05),
            options.integer("--looks", "number of looks", default=1),
            options.changed("--seed", default=0),
            options.choice("--groups", ("fail", "require"), default="fail"),
            options.choice("--unknown", ("pass", "fail")),
            only_for=("--margin", "--relative-margin"),
        ),
        options.flag("--allow-missing"),
        options.flag("--allow-other-judgments"),
        "--topic-groups --measures-from --digits",
        options.choice("--format", FORMATS, default=FORMATS[0]),
        options.flag("--json"),
        "--quiet",
    )


def _lower() -> list[str]:
    """The measures that are better when they are lower."""
    return [family["name"] for family in families() if family["better"] == "lower"]


def run(args: Namespace) -> int:
    """Carries the command out."""
    limits: list[Limit | Margin] = [Limit.parse(text, rise=False) for text in args.max_drop]
    limits += [Limit.parse(text, rise=True) for text in args.max_rise]
    margins = [Margin.parse(text, relative=False) for text in args.margin]
    margins += [Margin.parse(text, relative=True) for text in args.relative_margin]
    if limits and margins:
        raise UsageError("--margin and --max-drop are two rules: check twice, with one of each")
    if not limits and not margins:
        example = "such as --max-drop nDCG@10=0.005, or a margin, such as --margin 0.01"
        raise UsageError(f"name at least one limit, {example}")
    names = [margin.measure for margin in margins]
    if len(set(names)) < len(names):
        raise UsageError("expected one margin for each measure, and one for all others")
    how = HowToJudge(args.test, args.alpha, args.looks, args.equal, seed=args.seed).checked()
    scores, baseline = read_summarized(args.scores), read_summarized(args.baseline)
    for file in (scores, baseline):
        for run, text in file.unmatched.items():
            raise failure("topics", f"{run}: {text}", file=file.path)
    found = rules.changes(
        scores,
        baseline,
        limits or margins,
        **inputs.named(args, "topic_groups", "allow_missing", "allow_other_judgments"),
        how=how if margins else None,
        report=note,
    )
    if margins:
        word = rules.overall(found, groups=(groups := args.groups == "require"))
        verdict = _open(found, word, groups=groups)
    else:
        word, verdict = FAIL if any(one.breach for one in found) else PASS, _verdict(found)
    form = "json" if args.json else args.format
    signed = _signatures(scores, baseline, list(dict.fromkeys(change.measure for change in found)))
    below: list[Part] = [*_notes(found), *([_below(signed)] if signed else [])]

    def written(form: str) -> str:
        table = _table(found, how, args.digits, padded=form == "table")
        return writers.written([table, *below], form, Setting(output.width()))

    if form == "json":
        lines = _json(found, args.digits, signed, how if margins else None, word)
    else:
        lines = _junit(found, args.unknown) if form == "junit" else written(form)
    output.write(output.STDOUT, lines)
    annotate("cranfield check", (_sentence(change) for change in found if change.breach))
    summarize("cranfield check", f"{verdict}.", written("markdown"))
    note(verdict)
    return STATUS[args.unknown if word == OPEN and args.unknown else word]


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
    if change.verdict is not None:
        return f"{run}: {change.measure} {_tested(change)}"
    assert isinstance(change.limit, Limit)
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


def _tested(change: Change) -> str:
    """A comparison with a margin in words."""
    one = change.verdict
    assert one is not None
    values = (change.baseline, change.now, one.low, one.high)
    then, now, low, high = (_number(change, value) for value in values)
    return (
        f"{one.verdict}: from {then} to {now}, interval of the change [{low}, {high}], margin "
        f"{change.limit}; p {pvalue(one.p_pass)} for a loss of the margin or more, "
        f"{pvalue(one.p_fail)} for less; {counted(one.topics, 'topic')} show changes of "
        f"{_number(change, one.mde)}{'; ' if one.note else ''}{one.note}"
    )


def _verdict(found: Sequence[Change]) -> str:
    """The result under limits."""
    if breaches := sum(change.breach for change in found):
        verb = "is" if breaches == 1 else "are"
        return f"{breaches} of {counted(len(found), 'comparison')} {verb} worse than allowed"
    return f"{counted(len(found), 'comparison')}: none is worse than allowed"


def _open(found: Sequence[Change], word: str, *, groups: bool) -> str:
    """The result under margins."""
    needed = rules.required(found, groups=groups)
    if word == PASS:
        what = "required comparison" if len(needed) < len(found) else "comparison"
        return f"pass: {counted(len(needed), what)}, none lost its margin"
    if word == FAIL:
        failed = sum(change.breach for change in found)
        return f"fail: {failed} of {counted(len(found), 'comparison')} lost more than the margin"
    waiting = [change for change in needed if not rules.passed(change)]
    verb = "is" if len(waiting) == 1 else "are"
    text = f"not known: {len(waiting)} of {counted(len(needed), 'required comparison')} {verb} open"
    verdicts = [change.verdict for change in waiting if change.verdict is not None]
    more = [(one.topics_needed or 0) - one.topics for one in verdicts]
    if max(more, default=0) > 0:
        text += f"; about {max(more):,} more topics would tell if nothing changed"
    elif all(one.topics_needed for one in verdicts):
        text += "; there were topics enough had nothing changed, so the loss is near a margin"
    return f"{text} (exit status 3; --unknown pass|fail)"


def _notes(found: Sequence[Change]) -> list[str]:
    """What is to be known beside the verdicts."""
    notes: dict[str, list[str]] = {}
    for change in found:
        # A cell has the shortest ones.
        if change.verdict is not None and change.verdict.note not in ("", *IN_CELL):
            where = "" if change.group == ALL else f" ({change.group})"
            of = notes.setdefault(change.verdict.note, [])
            of.append(f"{change.run} {change.measure}{where}")
    return [f"{', '.join(of)}: {note}." for note, of in notes.items()]


def _table(
    found: Sequence[Change], how: HowToJudge, digits: int | None, *, padded: bool = True
) -> Texts:
    """A row for each comparison; ``padded``: verdicts are aligned to the left by spaces."""
    tested = any(change.pvalue is not None for change in found)
    judged = any(change.verdict is not None for change in found)
    show, words = partial(_number, digits=digits), [_word(change) for change in found]
    keys = {"run": [one.run for one in found], "measure": [one.measure for one in found]}
    if any(one.group != ALL for one in found):
        groups, topics = [one.group for one in found], [str(one.topics) for one in found]
        keys = {"group": groups, "topics": topics, **keys}
    columns = {
        "baseline": [show(one, one.baseline) for one in found],
        "now": [show(one, one.now) for one in found],
        "change": [show(one, one.change, sign="+") for one in found],
    }
    if judged:
        interval = f"{100 - 200 * how.error:.4g}% interval"
        columns[interval] = [_interval(one, digits) for one in found]
    columns["margin" if judged else "limit"] = [str(one.limit) for one in found]
    if tested and not judged:
        columns["p"] = [UNDEFINED if p is None else pvalue(p) for p in (c.pvalue for c in found)]
    wide = max(map(len, ("verdict", *words))) if padded else 0
    columns["verdict"] = [word.ljust(wide) for word in words]
    if judged:
        columns["topics needed"] = [_needed(one, digits) for one in found]
    table = Texts([*keys], [*columns])
    table.cells = list(zip(*keys.values(), *columns.values(), strict=True))
    return table


def _word(change: Change) -> str:
    """The verdict as a cell."""
    if change.verdict is None:
        return "breach" if change.breach else "ok"
    first = change.verdict.note.partition(";")[0]
    return f"{change.verdict.verdict}{IN_CELL.get(first, '')}"


def _interval(change: Change, digits: int | None) -> str:
    """The interval of the change as a cell."""
    assert change.verdict is not None
    ends = (change.verdict.low, change.verdict.high)
    low, high = (_number(change, end, digits=digits, sign="+") for end in ends)
    return f"[{low}, {high}]"


def _needed(change: Change, digits: int | None) -> str:
    """How many topics would tell, and what those that there are can tell, as a cell."""
    one = change.verdict
    if one is None or one.verdict != OPEN:
        return ""
    needed = UNDEFINED if one.topics_needed is None else f"{one.topics_needed:,}"
    least = _number(change, one.least_margin, digits=digits)
    return f"{needed} ({one.topics:,} see {least})"


def _number(change: Change, value: float, *, digits: int | None = None, sign: str = "") -> str:
    """A value of the measure that changed, as ``cranfield eval`` prints it."""
    is_count = as_measure(change.measure).aggregate == "sum"
    return number(value, count=is_count, sign=sign, digits=digits)


def _json(
    found: Sequence[Change],
    digits: int | None,
    signed: Mapping[str, str],
    how: HowToJudge | None,
    word: str,
) -> str:
    judged = {} if how is None else {"verdict": word, **asdict(how)}
    content = {
        "breaches": sum(change.breach for change in found),
        **judged,
        "test": "paired t test, two-sided, not corrected" if how is None else how.test,
        "comparisons": [change.to_dict(digits) for change in found],
        **({"signature": signed} if signed else {}),
    }
    return writers.in_json(content)


def _junit(found: Sequence[Change], unknown: str | None) -> str:
    """The comparisons as the test cases of JUnit's XML, which services that run jobs show."""
    from xml.etree import ElementTree

    suites = ElementTree.Element("testsuites")
    names = {"name": "cranfield check", "tests": str(len(found))}
    suite = ElementTree.SubElement(suites, "testsuite", names)
    counts = {"failure": 0, "skipped": 0}
    for change in found:
        name = change.measure if change.group == ALL else f"{change.measure} ({change.group})"
        names = {"classname": printable(change.run), "name": printable(name)}
        case = ElementTree.SubElement(suite, "testcase", names)
        is_open = change.verdict is not None and change.verdict.verdict == OPEN
        limit = f"{change.change:+.4f}, limit {change.limit}"
        text = printable(limit if change.verdict is None else _tested(change))
        tag = "failure" if change.breach or (is_open and unknown == "fail") else ""
        tag = tag or ("skipped" if is_open and not unknown else "")
        if tag:
            counts[tag] += 1
            ElementTree.SubElement(case, tag, message=text)
        else:
            ElementTree.SubElement(case, "system-out").text = text
    suite.set("failures", str(counts["failure"]))
    suite.set("skipped", str(counts["skipped"]))
    ElementTree.indent(suites)
    return f"{ElementTree.tostring(suites, 'unicode', xml_declaration=False)}\n"
