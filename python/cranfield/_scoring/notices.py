"""What evaluating passed over, in sentences: notes on the command line, warnings in Python.

The sentences are short for any number of runs and topics; the core makes them. In Python they are
one ``CranfieldWarning`` a call; the command line writes them itself.
"""

from __future__ import annotations

from cranfield import _core
from cranfield._base.errors import tell
from cranfield._core import SpanQrels
from cranfield._measures.parse import divided

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence
    from typing import Any

    from cranfield._core import Measure, Notes, Qrels
    from cranfield._measures.custom import CustomMeasure


def of_all(
    notes: Sequence[Notes],
    qrels: Qrels | SpanQrels,
    measures: Collection[Measure | CustomMeasure],
    *,
    missing: str,
    undefined: str,
    label: str,
    named: Collection[str] = (),
) -> list[str]:
    """The findings about judgments and runs, the gravest first.

    ``label`` is what the judgments are called, ``named`` the options whose
    findings the caller knows of, such as "missing".
    """
    rels = {measure.rel for measure in measures if measure.rel is not None}
    policies = {"missing": missing, "undefined": undefined, "named": list(named)}
    return _sentences(notes, qrels, measures, sorted(rels), label, **policies)


def of_description(
    notes: Mapping[str, Notes],
    qrels: Qrels | SpanQrels,
    *,
    rel: float,
    without_relevant: Sequence[str],
    label: str,
) -> list[str]:
    """The findings where judgments and runs are described.

    ``without_relevant`` are the topics without a document of grade ``rel``.
    """
    # Nothing is scored, so nothing is undefined.
    policies = {"missing": "skip", "undefined": "zero", "named": ["undefined"]}
    policies["without_relevant"] = without_relevant
    return _sentences(list(notes.values()), qrels, (), [rel], label, **policies)


def _sentences(
    notes: Sequence[Notes],
    qrels: Qrels | SpanQrels,
    measures: Collection[Measure | CustomMeasure],
    rels: Sequence[float],
    label: str,
    **policies: Any,
) -> list[str]:
    """All sentences; first that a run has nothing of the judgments, which explains others."""
    judged = qrels.documents() if isinstance(qrels, SpanQrels) else qrels
    built_in, _ = divided(measures)
    first, judgments, rest = _core.findings(notes, judged, built_in, rels, **policies)
    return [*first, *(f"{label}: {sentence}" for sentence in judgments), *rest]


def notify(
    notes: Iterable[Notes],
    qrels: Qrels | SpanQrels,
    measures: Collection[Measure | CustomMeasure],
    *,
    missing: str | None,
    undefined: str | None,
) -> None:
    """Warns of findings, but not of those about options that the caller gave.

    A run of one topic under judgments of many is taken as intended.
    """
    judged = len(qrels)
    several = [
        note
        for note in notes
        if judged == 1 or judged - len(note.topics_missing) + len(note.topics_without_judgments) > 1
    ]
    given = {"missing": missing, "undefined": undefined}
    named = ["duplicates", "lenient", "comments"]
    named += [name for name, value in given.items() if value is not None]
    policies = {name: value or "zero" for name, value in given.items()}
    lines = of_all(several, qrels, measures, **policies, label="the judgments", named=named)
    if lines:
        tell(lines)
