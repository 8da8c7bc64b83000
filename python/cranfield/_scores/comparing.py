"""Comparing runs that are scored: the options, the tests, and the sentence for papers."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from cranfield import _core
from cranfield._base.errors import failure, tell
from cranfield._base.options import number, one_of, probability
from cranfield._base.scores_like import ScoresKind, sign
from cranfield._base.text import counted, listed
from cranfield._core import Measure, OpaqueMeasure, __version__
from cranfield._measures.custom import CustomMeasure
from cranfield._measures.parse import measure_place, run_place
from cranfield._scores.comparison import Comparison
from cranfield._scores.signature import with_test
from cranfield._stats.differences import Difference
from cranfield._stats.intervals import EFFECTS, correct
from cranfield._stats.registry import CORRECTIONS, TESTS, check_means, checked_test
from cranfield._stats.verdicts import HowToJudge, Paired, check_margin, judged, span_of, untestable
from cranfield._table.data_table import defined

TYPE_CHECKING = False
if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from cranfield._stats.paired import PairedTest

Column: TypeAlias = Measure | OpaqueMeasure | CustomMeasure
Floats: TypeAlias = "NDArray[np.float64]"
Bounds: TypeAlias = "dict[object, tuple[Floats, Floats]]"
"""For each measure that has bounds the lowest and the highest scores, runs x topics; for a measure
with the places of two runs those of their difference, over topics."""

ALTERNATIVES = ("two-sided", "greater", "less")
"""How the run may score, against the other: differently, higher, lower."""


@dataclass(frozen=True)
class HowToTest:
    """The options of ``compare`` about tests; a test holds all signatures to these fields."""

    test: str = "t"
    alternative: str = "two-sided"
    correction: str | None = None
    alpha: float = 0.05
    level: float = 0.95
    effect: str = "dz"
    resamples: int | None = None
    seed: int | None = None
    margin: float | Mapping[str, float] | None = None
    power: float = 0.8

    def checked(self) -> dict[str, Any]:
        """All options with the values that hold.

        Raises ``Error`` (kind "option") for what is not valid.
        """
        correction = checked_test(self.test, self.correction, self.alpha)
        one_of("alternative", self.alternative, ALTERNATIVES)
        test = TESTS[self.test]
        if self.alternative != "two-sided" and not test.one_sided:
            message = f"the {test.title} is two-sided, found"
            raise failure(
                "option",
                f"{message} {self.alternative!r}",
                command_line=f"{message} --alternative {self.alternative}",
            )
        one_of("effect", self.effect, EFFECTS)
        probability(self.level, "level")
        resamples, seed = self.resamples, self.seed
        for name, given in (("resamples", resamples), ("seed", seed)):
            if given is not None and test.resamples is None:
                drawing = [other.name for other in TESTS.values() if other.resamples is not None]
                message = f"{name} is only for {listed(drawing)}, not for {self.test}"
                raise failure("option", message, command_line=f"--{message}")
        if test.resamples is not None:
            resamples = test.resamples if resamples is None else resamples
            seed = 0 if seed is None else seed
        probability(self.power, "power")
        if self.power <= self.alpha:
            raise failure("option", f"expected a power above alpha, found {self.power:g}")
        if self.margin is not None:
            HowToJudge(self.test, self.alpha, power=self.power).checked()
            if self.alternative != "two-sided":
                raise failure("option", "a margin has a side of its own: leave alternative out")
        numbers = {name: float(getattr(self, name)) for name in ("alpha", "level", "power")}
        drawn = {"correction": correction, "resamples": resamples, "seed": seed}
        return {"baseline": None, **vars(self), **numbers, **drawn}


_RANKS = 50
"""Up to so many differences Wilcoxon's test is exact."""


def policy_of(found: ScoresKind, missing: str) -> str:
    """What happened to topics that a run lacks, if there are any."""
    if missing != "zero" or not any(note.topics_missing for note in found.core.notes):
        return ""
    return "; topics that a run did not answer were scored as empty rankings"


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


MOST = 10
"""The largest number of runs of which all pairs are compared by default."""


@dataclass(frozen=True)
class Evaluated:
    """Scores and all that is needed to compare their runs; for internal use only."""

    scores: ScoresKind
    shares: Mapping[Any, str | None]
    """The measures, each with its share of judged documents."""
    bounds: Bounds
    fixed: tuple[int, ...]
    """The places of the baselines; none for all pairs."""
    options: dict[str, Any]
    policy: str
    threads: int | None
    systems: tuple[Sequence[str], Sequence[int]] = ((), ())
    """The names of systems and the system of each run, where a system has several."""

    def compared(self, topics: Sequence[str] | None = None) -> Comparison:
        """The comparison over all topics, or over some."""
        found, bounds = self.scores, self.bounds
        if topics is not None:
            at = [found.topics.index(topic) for topic in topics]
            bounds = {key: (low[..., at], high[..., at]) for key, (low, high) in bounds.items()}
            found = found.sel(topic=topics)
        names, of_run = self.systems
        seeded = found
        if names:
            found = _averaged(found, names, of_run)
            bounds = {
                key: (_means(low, of_run), _means(high, of_run))
                for key, (low, high) in bounds.items()
            }
        baselines = [found.runs[place] for place in self.fixed]
        margins = _margins(self.options["margin"], self.shares)
        if margins and (names or not baselines):
            what = "systems of several runs" if names else "all pairs of runs"
            raise failure("option", f"a margin is for runs and a baseline, found {what}")
        options = {**self.options, "margin": margins or None}
        options["baseline"] = baselines if len(baselines) > 1 else next(iter(baselines), None)
        how: dict[str, Any] = {name: options[name] for name in ("alternative", "resamples", "seed")}
        how |= {"baseline": self.fixed or None, "threads": self.threads, "nan": "omit"}
        tested: dict[str, PairedTest] = {}
        rows: list[Difference] = []
        for measure, share in self.shares.items():
            test = TESTS[options["test"]](found, measure=str(measure), **how)
            tested[str(measure)] = test
            rows += _rows(found, measure, share, test, bounds, options)
        if names:
            rows, options["systems"] = _with_seeds(rows, seeded, self.systems, options)
        if margins:
            rows = _with_verdicts(rows, found, margins, self.shares, options)
        names = sorted(found.runs, key=lambda name: name not in baselines)
        sentence = sentence_of(rows, tested, len(names), options, self.policy)
        better = {str(measure): measure.better for measure in self.shares}
        signature = found.sel(measure=list(better)).signature
        if signature is not None:
            signature = with_test(signature, options)
        notes = found.notes
        comparison = Comparison(rows, names, options, sentence, notes, better, signature)
        if topics is None and comparison.zeros:
            tell(comparison.zeros)
        return comparison


def compare_scores(
    scores: ScoresKind,
    how: HowToTest,
    *,
    every: bool,
    baseline: str | int | Sequence[str | int] | None,
    all_pairs: bool,
    threads: int | None,
) -> Comparison:
    """What ``Scores.compare`` does; ``every`` measure, or only those that are tested."""
    options = how.checked()
    measures = scores.core.measures
    if not every:
        measures = tuple(m for m in measures if m.aggregate == "mean")
        if not measures:
            raise failure("option", "expected a measure that is a mean over topics, found none")
    check_means(measures)
    named = baseline if isinstance(baseline, (list, tuple)) else [baseline]
    fixed = tuple(dict.fromkeys(run_place(scores.runs, one) for one in named if one is not None))
    check_number(len(scores.runs), fixed, all_pairs=all_pairs)
    shares = dict.fromkeys(measures)
    return Evaluated(scores, shares, {}, fixed, options, "", threads).compared()


def check_number(runs: int, fixed: Collection[int], *, all_pairs: bool) -> None:
    """Raises ``Error`` (kind "option") for too few runs, or too many."""
    if runs < 2:
        raise failure("option", f"expected at least two runs, found {counted(runs, 'run')}")
    if fixed and all_pairs:
        raise failure("option", "all_pairs is only for a comparison without a baseline")
    if not fixed and runs > MOST and not all_pairs:
        raise failure("option", f"{too_many(runs)}: name a baseline, or set all_pairs=True")


def too_many(runs: int) -> str:
    """How many pairs there would be; for internal use only."""
    return f"{runs} runs are {runs * (runs - 1) // 2} pairs"


def _rows(
    found: ScoresKind,
    compared: Column,
    share: str | None,
    test: PairedTest,
    bounds: Bounds,
    options: Mapping[str, Any],
) -> list[Difference]:
    """The comparisons in a measure."""
    measure = str(compared)
    corrected = test.pvalue
    if options["correction"] != "none":
        corrected = test.corrected(options["correction"]).pvalue
    interval = test.confidence_interval(options["level"])
    columns = {
        "run": [found.runs[place] for place in test.pairs[:, 0]],
        "other": [found.runs[place] for place in test.pairs[:, 1]],
        "difference": test.difference.tolist(),
        "interval_low": interval.low.tolist(),
        "interval_high": interval.high.tolist(),
        "effect_size": map(defined, test.effect_size(options["effect"]).tolist()),
        "p": test.pvalue.tolist(),
        "p_corrected": corrected.tolist(),
        "significant": (corrected < options["alpha"]).tolist(),
    }
    columns |= _core.compared_pairs(
        *(found.core, found.measures.index(measure), test.pairs, test.difference),
        judged=None if share is None else found.measures.index(share),
        bounds=bounds.get(measure),
        spans=[bounds.get((measure, *pair)) for pair in test.pairs.tolist()],
        whole=TESTS[options["test"]].whole,
        sign=sign(compared),
        power=options["power"],
        alpha=options["alpha"],
        two_sided=options["alternative"] == "two-sided",
    )
    about: dict[str, Any] = {"measure": measure, "judged_measure": share}
    rows = zip(*columns.values(), strict=True)
    return [Difference(**about, **dict(zip(columns, row, strict=True))) for row in rows]


def _margins(margin: object, measures: Iterable[Column]) -> dict[str, float]:
    """The margin of each measure; raises ``Error`` (kind "option") for what is none."""
    if margin is None:
        return {}
    names = {str(measure): measure for measure in measures}
    given: dict[str, float] = {}
    if isinstance(margin, Mapping):
        for name, amount in margin.items():
            given[list(names)[measure_place(list(names), name)]] = number(amount, "margin")
    else:
        given = dict.fromkeys(names, number(margin, "margin"))
    for name, amount in given.items():
        if wrong := untestable(names[name]):
            raise failure("option", f"{name} {wrong}, so a margin cannot be tested")
        check_margin(amount, name, relative=False, span=span_of(names[name]))
    return given


def _with_verdicts(
    rows: Sequence[Difference],
    found: ScoresKind,
    margins: Mapping[str, float],
    measures: Iterable[Column],
    options: Mapping[str, Any],
) -> list[Difference]:
    """The rows with verdicts where their measure has a margin."""
    import numpy as np

    known = {str(measure): measure for measure in measures}
    paired = []
    for row in rows:
        if row.measure not in margins:
            continue
        if row.topics < 2:
            raise failure("undefined", f"a margin needs at least 2 topics, found {row.topics}")
        values = found.values[:, :, found.measures.index(row.measure)]
        both = [values[found.runs.index(run)] for run in (row.run, row.other)]
        whole = values if TESTS[options["test"]].whole else np.stack(both)
        kept = ~np.isnan(whole).any(axis=0)
        span = span_of(known[row.measure])
        better = str(known[row.measure].better)
        paired.append(Paired(both[0][kept], both[1][kept], better, margins[row.measure], span=span))
    how = HowToJudge(options["test"], options["alpha"], power=options["power"])
    names = ("verdict", "p_pass", "p_fail", "topics_needed")
    verdicts = judged(paired, replace(how, seed=options["seed"] or 0))
    cells = ({name: getattr(one, name) for name in names} for one in verdicts)
    return [replace(row, **next(cells)) if row.measure in margins else row for row in rows]


def _means(values: Floats, of_run: Sequence[int]) -> Floats:
    """The means over the runs of each system."""
    import numpy as np

    systems = range(max(of_run) + 1)
    of = np.asarray(of_run)
    return np.stack([values[of == system].mean(axis=0) for system in systems])


def _averaged(found: ScoresKind, names: Sequence[str], of_run: Sequence[int]) -> ScoresKind:
    """The scores of systems: means over their runs."""
    import numpy as np

    values = np.ascontiguousarray(_means(found.values, of_run))
    core = _core.Scores.of(names, found.topics, found.core.measures, values)
    return type(found)(core)  # type: ignore[call-arg]


def _with_seeds(
    rows: Sequence[Difference],
    found: ScoresKind,
    systems: tuple[Sequence[str], Sequence[int]],
    options: Mapping[str, Any],
) -> tuple[list[Difference], dict[str, Any]]:
    """The rows with intervals and p-values for new topics and new runs of each system.

    Beside them the components of variance of each system and measure.
    """
    import numpy as np

    names, of_run = systems
    parts: dict[str, Any] = {name: {"runs": of_run.count(i)} for i, name in enumerate(names)}
    made: list[Difference] = []
    for measure in dict.fromkeys(row.measure for row in rows):
        values = found.values[:, :, found.measures.index(measure)]
        complete = np.ascontiguousarray(values[:, ~np.isnan(values).any(axis=0)])
        own = [row for row in rows if row.measure == measure]
        pairs = np.array([[names.index(row.run), names.index(row.other)] for row in own])
        how = {name: options[name] for name in ("level", "power", "alpha")}
        tested, seeds = _core.system_differences(complete, of_run, pairs, **how)
        for name, (_, between, residual) in zip(names, seeds.tolist(), strict=True):
            parts[name][measure] = {"between": defined(between), "residual": defined(residual)}
        corrected = tested[:, 2]
        if options["correction"] != "none":
            corrected = correct(corrected, options["correction"])
        of_rows = [*tested.T.tolist(), corrected.tolist(), (corrected < options["alpha"]).tolist()]
        fields = ("interval_low", "interval_high", "p", "mde", "p_corrected", "significant")
        made += [
            replace(row, **dict(zip(fields, values, strict=True)))
            for row, *values in zip(own, *of_rows, strict=True)
        ]
    return made, parts
