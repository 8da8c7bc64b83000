"""Tables with a header: CSV and TSV."""

from __future__ import annotations

import io
import math

from cranfield._base import separated
from cranfield._base.errors import failure
from cranfield._base.text import readable
from cranfield._core import Error
from cranfield._scores.file_labels import are_measures, reject_run, texts_among, with_topic_all
from cranfield._scores.records import ALL, GROUPED, INDEX, REQUEST, RUN, is_grouped, places

TYPE_CHECKING = False
if TYPE_CHECKING:
    from _csv import Reader
    from collections.abc import Iterator, Sequence

    from cranfield._scores.file_labels import Found


def is_header(line: str) -> bool:
    """Whether a line names the columns of a table of scores."""
    delimiter = "\t" if "\t" in line else ","
    names = [field.strip().strip('"') for field in line.split(delimiter)]
    fields = [name.lower() for name in names]
    if not set(fields) & set(RUN) or len(fields) == 1:
        return False
    # Without topics it is the header of summaries, unless the first line is ``runid all name``.
    return delimiter == "," or bool(set(fields) & set(REQUEST)) or are_measures(names[1:])


def of_table(text: str, name: str, run: str | None) -> Found:
    """Rows under a header: long, or with a column for each measure."""
    import csv

    reject_run(run, name)
    delimiter = "\t" if "\t" in separated.lines(text)[0][1] else ","
    # With their ends, since a label may hold one.
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    header = [field.strip() for field in next(row for row in rows_of(reader, name) if any(row))]
    grouped = is_grouped(header)
    if grouped:
        header = header[len(GROUPED) :]
    try:
        of_run, topic, measure, value = places(header)
    except Error as error:
        raise failure("fields", error.message, file=name, line=reader.line_num) from None
    wide = [(place, label) for place, label in enumerate(header) if place not in (of_run, topic)]
    wide = [
        (place, label)
        for place, label in wide
        if label not in INDEX and not _is_beside(label, header)
    ]
    rows = []
    for row in rows_of(reader, name):
        number = reader.line_num
        if not row:
            continue
        if grouped:
            group, row = row[0], row[len(GROUPED) :]
            if group != ALL:
                continue
        if len(row) != len(header):
            message = f"expected {len(header)} fields, found {len(row)}"
            raise failure("fields", message, file=name, line=number)
        if measure is not None and value is not None:
            rows.append((number, row[of_run], row[topic], row[measure], row[value]))
        else:
            rows += [(number, row[of_run], row[topic], label, row[place]) for place, label in wide]
    texts = texts_among(((label, value) for _, _, _, label, value in rows if value), name)
    records = [
        (number, (system, where, readable(label), value or math.nan))
        for number, system, where, label, value in rows
        if label not in texts
    ]
    yield from with_topic_all(records)


def rows_of(reader: Reader, name: str) -> Iterator[list[str]]:
    """The rows of a table; raises ``Error`` (kind "fields") for what is none."""
    import csv

    try:
        yield from reader
    except csv.Error as error:
        message = f"expected rows of fields: {error}"
        raise failure("fields", message, file=name, line=reader.line_num) from None


def _is_beside(label: str, header: Sequence[str]) -> bool:
    """Whether a column belongs to that of a measure: its bounds, interval or tier."""
    words = label.split(" ")
    return any(" ".join(words[:end]) in header for end in range(1, len(words)))
