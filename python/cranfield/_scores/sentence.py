"""The sentence for the methods section of a paper."""

from __future__ import annotations

from cranfield._base.text import counted, listed
from cranfield._core import __version__
from cranfield._stats.registry import CORRECTIONS, TESTS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from cranfield._base.kinds import ScoresKind
    from cranfield._stats.differences import Difference
    from cranfield._stats.results import PairedTest

_RANKS = 50
"""Up to so many differences Wilcoxon's test is exact."""


def policy_of(found: ScoresKind, missing: str) -> str:
    """What happened to topics that a run lacks, if there are any."""
    if missing != "zero" or not any(note.topics_missing for note in found.core.notes):
        return ""
    return "; topics that a run lacks were scored as empty lists"


def sentence_of(
    rows: Sequence[Difference],
    tested: Mapping[str, PairedTest],
    runs: int,
    options: Mapping[str, Any],
    policy: str,
    *,
    pairs: int | None = None,
) -> str:
    """What was tested and how, for the methods section of a paper.

    ``pairs``: for how many comparisons p-values were corrected, where rows are a part of these.
    """
    what = f"Differences in mean {listed(list(tested))} over {_topics(rows, options)}"
    sides = "two-sided" if options["alternative"] == "two-sided" else "one-sided"
    details = [*_details(tested, options)]
    if sides == "one-sided":
        word = {"greater": "higher", "less": "lower"}[options["alternative"]]
        details.insert(0, f"alternative: the run scores {word}")
    inner = f" ({', '.join(details)})" if details else ""
    title = TESTS[options["test"]].title
    how = f"tested with a {sides} {title}{inner} at alpha = {options['alpha']:g}"
    pairs = len(rows) // len(tested) if pairs is None else pairs
    corrected = _correction(pairs, runs, len(tested), options)
    return f"{what} were {how}, {corrected}{policy} (cranfield {__version__})."


def _topics(rows: Sequence[Difference], options: Mapping[str, Any]) -> str:
    """Over how many topics, and which if not all are the same."""
    numbers = sorted({row.topics for row in rows})
    if len(numbers) == 1:
        return counted(numbers[0], "topic")
    whose = "all runs have" if TESTS[options["test"]].whole else "both runs of a pair have"
    return f"the {numbers[0]} to {numbers[-1]} topics that {whose}"


def _details(tested: Mapping[str, PairedTest], options: Mapping[str, Any]) -> Iterator[str]:
    """What else there is to know of a test."""
    test, resamples, seed = (options[name] for name in ("test", "resamples", "seed"))
    if test == "wilcoxon":
        few = {bool(n <= _RANKS) for found in tested.values() for n in found.n}
        yield {
            (True,): "exact",
            (False,): "normal approximation",
            (False, True): f"exact for up to {_RANKS} differences, else normal approximation",
        }[tuple(sorted(few))]
        yield "differences of 0 left out"
    elif test == "sign":
        yield "ties left out"
    elif test == "randomization":
        drawn = {found.resamples is not None for found in tested.values()}
        if drawn == {False}:
            yield "all patterns of signs"
        else:
            mixed = "all patterns of signs for up to 20 topics, else " if False in drawn else ""
            yield f"{mixed}{resamples:,} random patterns of signs"
            yield f"seed {seed}"
    elif test == "bootstrap":
        yield f"Sakai 2006, {resamples:,} resamples"
        yield f"seed {seed}"
    elif test == "tukey_randomized":
        yield f"{resamples:,} random permutations of the runs' scores"
        yield f"seed {seed}"


def _correction(pairs: int, runs: int, measures: int, options: Mapping[str, Any]) -> str:
    """What was done about the number of comparisons."""
    method = options["correction"]
    each = "" if measures == 1 else " in each measure"
    if TESTS[options["test"]].joint:
        every = runs * (runs - 1) // 2
        if every == 1:
            return f"with a single comparison{each}"
        return f"p-values holding at once for all {every} pairs of {runs} runs{each}"
    if pairs == 1:
        return f"with a single comparison{each} and so no correction"
    if method == "none":
        return f"p-values not corrected for the {pairs} comparisons{each}"
    return f"p-values corrected by {CORRECTIONS[method]} for {pairs} comparisons{each}"
