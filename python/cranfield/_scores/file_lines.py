"""Lines of fields, as trec_eval, ir_measures and others print them."""

from __future__ import annotations

from cranfield._base.errors import failure
from cranfield._base.text import readable
from cranfield._scores.file_labels import (
    are_integers,
    are_measures,
    named,
    reject_run,
    texts_among,
    with_topic_all,
)
from cranfield._scores.records import ALL

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from cranfield._scores.file_labels import Found, Lines

LINES = {
    "trec_eval": ("measure", "topic", "value"),
    "ir_measures_cli": ("topic", "measure", "value"),
    "ir_measures": ("run", "topic", "measure", "value"),
    "tot": ("run", "measure", "topic", "value"),
    "ranking": ("topic", "Q0", "run", "rank", "value", "measure"),
}
"""The formats that are lines of fields, with what these are."""


def of_lines(lines: Lines, name: str, form: str | None, run: str | None) -> Found:
    """The records of lines in a format of ``LINES``, which is found out if not given."""
    rows = _fields(lines)
    if form is None:
        form = _form(rows, name)
    columns = LINES[form]
    for number, fields in rows:
        if len(fields) != len(columns):
            message = f"expected {len(columns)} fields ({' '.join(columns)}), found {len(fields)}"
            raise failure("fields", message, file=name, line=number)
    place = {column: columns.index(column) for column in columns}
    if "run" in place:
        reject_run(run, name)
        owners = [fields[place["run"]] for _, fields in rows]
    elif form == "trec_eval":
        owners = _owners(rows, name, run)
    else:
        owners = [named(run, name)] * len(rows)
    topic, measure, value = (place[column] for column in ("topic", "measure", "value"))
    texts = texts_among(((fields[measure], fields[value]) for _, fields in rows), name)
    records = [
        (number, (own, fields[topic], readable(fields[measure]), fields[value]))
        for own, (number, fields) in zip(owners, rows, strict=True)
        if fields[measure] not in texts
    ]
    # Of several outputs of one run, each has its summaries.
    outputs = sum(fields[measure] == "runid" for _, fields in rows)
    yield from with_topic_all(records) if outputs == 1 else records


def _owners(rows: Sequence[tuple[int, list[str]]], name: str, run: str | None) -> list[str]:
    """The run of each line of trec_eval's output, of which a file may have several.

    Each of them ends with its summaries, among which is the ``runid``.
    """
    tags = list(dict.fromkeys(fields[2] for _, fields in rows if fields[0] == "runid"))
    if len(tags) < 2:
        own = readable(tags[0]) if tags and run is None else named(run, name)
        return [own] * len(rows)
    reject_run(run, name)
    owners: list[str] = []
    for place, (number, fields) in enumerate(rows):
        follows = rows[place + 1][1][1] if place + 1 < len(rows) else None
        if follows is None or (fields[1] == ALL and follows != ALL):
            output = rows[len(owners) : place + 1]
            own_tags = [tag for _, (measure, _, tag) in output if measure == "runid"]
            if len(own_tags) != 1:
                message = "expected the summaries of a run with its runid at the end of its topics"
                raise failure("fields", message, file=name, line=number)
            owners += [readable(own_tags[0])] * len(output)
    return owners


def _fields(lines: Lines) -> list[tuple[int, list[str]]]:
    """The fields of lines: between tabs if all lines have as many of them, else between spaces."""
    tabs = {line.count("\t") for _, line in lines}
    split: Callable[[str], list[str]] = str.split
    if len(tabs) == 1 and tabs != {0}:

        def split(line: str) -> list[str]:
            return [field.strip() for field in line.split("\t")]

    return [(number, split(line)) for number, line in lines]


def _form(rows: Sequence[tuple[int, list[str]]], name: str) -> str:
    """Which format lines are of: how many fields they have, and what is in them."""
    width = len(rows[0][1])
    forms = [form for form, columns in LINES.items() if len(columns) == width]
    if not forms:
        if width == 2:
            message = "expected the scores of topics, found lines of a measure and a value"
            raise failure("empty", f"{message}: a summary only", file=name)
        raise failure(
            "fields",
            f"expected lines of 3, 4 or 6 fields, found {width}",
            file=name,
            line=rows[0][0],
        )
    if forms == ["ranking"] and not are_measures([fields[-1] for _, fields in rows]):
        message = 'these lines look like a run, which read_run reads; say format="ranking" if not'
        raise failure("option", message, file=name)
    if len(forms) == 1:
        return forms[0]
    if width == 4 and {fields[1] for _, fields in rows if len(fields) > 1} <= {"0", "Q0"}:
        message = "these lines look like judgments, which read_qrels reads"
        raise failure("option", f'{message}; say format="ir_measures" if not', file=name)
    usual = [fields for _, fields in rows if len(fields) == width]
    for matches in (_has_all, are_measures, are_integers):
        places = [
            LINES[form].index("topic" if matches is not are_measures else "measure")
            for form in forms
        ]
        found = [matches([fields[place] for fields in usual]) for place in places]
        if found.count(True) == 1:
            return forms[found.index(True)]
    known = " or ".join(f'format="{form}"' for form in forms)
    message = "cannot tell which column holds topics and which measures"
    raise failure("option", f"{message}; say {known}", file=name)


def _has_all(column: Sequence[str]) -> bool:
    return ALL in column
