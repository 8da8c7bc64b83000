"""What a report shows of lists of chunks: their new evidence at each rank, with its text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from cranfield import curves
from cranfield._base.text import printable
from cranfield._core import Measure, SpanQrels, SpanRun, highlights
from cranfield._io.sources import Source
from cranfield._io.spans import as_texts
from cranfield._measures.custom import CustomMeasure
from cranfield._measures.parse import with_rel
from cranfield._report.results import DEPTHS, Curve, Lists
from cranfield._scoring.evaluator import Evaluator, Hosted

CHARS = (100, 200, 500, 1000, 2000, 5000, 10_000, 20_000, 50_000)
"""The numbers of characters of the curve of recall."""

BESIDE = 60
"""How many characters of text are shown before and behind what is evidence."""

MOST = 400
"""How many characters of a chunk are shown."""

Texts: TypeAlias = Mapping[str, Any] | None

PLAIN, KNOWN, NEW = range(3)
"""What text is: no evidence, evidence that a chunk above holds, and new evidence."""


@dataclass(frozen=True)
class SpanLists(Lists):
    """Judgments of spans, runs of chunks, and what was read of them.

    There is no share that is judged, and nothing to bound: all that is no evidence counts as not
    relevant.
    """

    is_of_spans = True

    def judged(self) -> None:
        """None: nothing is unjudged."""

    def bounds(self) -> None:
        """None: see the class."""

    def differences(self, places: Sequence[int], documents: Any) -> list[Any]:
        """None: documents behind differences are those of judgments of documents."""
        return []

    def by_depth(self, places: Sequence[int]) -> Iterator[Curve]:
        """Evidence found by the number of chunks, and its characters by those that are read."""
        runs = [self._run(place) for place in places]
        for name, unit, ends in (("span-R", "", DEPTHS), ("char-R", "chars=", CHARS)):
            measure = with_rel(name, self.rel)
            cut = [f"{measure}@{unit}{end}" for end in ends]
            options = {n: self.options[n] for n in ("missing", "order") if n in self.options}
            scores = Hosted(self.qrels, cut, undefined="zero", **options).evaluate(runs)
            yield Curve(name, "characters read" if unit else "cutoff k", f"@{unit}", ends, scores)

    def precision_recall(self, place: int) -> curves.PrecisionRecall:
        """The mean interpolated precision of characters at eleven levels of their recall."""
        return curves.precision_recall(self.qrels, self._run(place), rel=self.rel)

    def _run(self, place: int) -> SpanRun:
        run = self.sources[place].data
        assert isinstance(run, SpanRun)
        return run

    def shown(
        self, topics: Mapping[int, str], places: Sequence[int], length: int, documents: Any
    ) -> dict[str, Any]:
        """The lists of some runs in some topics, by the place of the topic.

        d: chunks; g: 1 for those with evidence; for each run r: ranks of the chunks, 0 where it
        has not got them; b: how many characters of new evidence its first chunks bring; h: their
        text in parts, each with what it is.
        """
        is_text = self.qrels.offsets == "codepoints"
        texts = as_texts(documents) if documents is not None and is_text else None
        runs = [self._run(place) for place in places]
        return {
            str(place): _topic(self.qrels, runs, topic, self.rel, length, texts)
            for place, topic in topics.items()
        }


def read_span_lists(
    qrels: SpanQrels,
    runs: Sequence[Source],
    measures: Sequence[Measure | CustomMeasure],
    options: Mapping[str, Any],
) -> SpanLists:
    """Scores runs of chunks."""
    scores = Evaluator(qrels, measures, **options).evaluate(list(runs))
    return SpanLists(qrels, runs, (), scores, measures, options)


def _topic(
    gold: Any,
    runs: Sequence[SpanRun],
    topic: str,
    rel: float,
    length: int,
    texts: Texts,
) -> dict[str, Any]:
    lists = [list(_named(highlights(gold, run, topic, rel, length))) for run in runs]
    found = {name: bool(parts) for chunks in lists for name, _, parts in chunks}
    ranks = [{name: rank for rank, (name, *_) in enumerate(chunks, 1)} for chunks in lists]
    pairs = range(len(runs) - 1)
    return {
        "d": list(map(printable, found)),
        "g": list(map(int, found.values())),
        "r": [[of_run.get(name, 0) for name in found] for of_run in ranks],
        "b": [[_new(parts) for _, _, parts in chunks] for chunks in lists],
        "h": [[_shown(place, parts, texts) for _, place, parts in chunks] for chunks in lists],
        "p": [[None] * 3 for _ in pairs],
        "u": [[] for _ in pairs],
    }


def _named(chunks: Sequence[Any]) -> Iterator[tuple[str, tuple[str, int, int], Sequence[Any]]]:
    """Chunks with names; one that comes again has another."""
    seen: dict[str, int] = {}
    for document, start, end, parts in chunks:
        name = f"{document} [{start}, {end})"
        seen[name] = seen.get(name, 0) + 1
        again = f" again ({seen[name]})" if seen[name] > 1 else ""
        yield name + again, (document, start, end), parts


def _new(parts: Sequence[tuple[int, int, bool]]) -> int:
    """How many characters of parts are new."""
    return sum(end - start for start, end, is_new in parts if is_new)


def _shown(
    place: tuple[str, int, int],
    parts: Sequence[tuple[int, int, bool]],
    texts: Texts,
) -> list[tuple[str, int]]:
    """The text of a chunk, around its evidence if it is long; without texts where that is."""
    document, start, end = place
    text = None if texts is None else texts.get(document)
    if not isinstance(text, str):
        return [(f"[{s}, {e}) ", NEW if is_new else KNOWN) for s, e, is_new in parts]
    first = next((s for s, _, is_new in parts if is_new), parts[0][0] if parts else start)
    low = start if end - start <= MOST else max(start, first - BESIDE)
    high = min(end, low + MOST, len(text))
    found = [("…", PLAIN)] if low > start else []
    at = low
    for s, e, is_new in parts:
        s, e = max(s, low), min(e, high)
        if s < e:
            found += [(text[at:s], PLAIN), (text[s:e], NEW if is_new else KNOWN)]
            at = e
    found += [(text[at:high], PLAIN), ("…" if high < end else "", PLAIN)]
    # Lines are not broken where the text has broken them.
    return [(printable(re.sub(r"\s", " ", part)), kind) for part, kind in found if part]
