"""``compare`` of ranx: runs beside each other with a test of every pair, and its report."""

from __future__ import annotations

import json
import os
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, MutableMapping, Sequence
from dataclasses import dataclass
from string import ascii_lowercase
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cranfield import _core
from cranfield._base.errors import optional
from cranfield.compat.ranx._evaluating import evaluate, metric_names
from cranfield.compat.ranx._tables import Run, ours

PValues = NDArray[np.float64]

with open(os.path.join(os.path.dirname(__file__), "report.toml"), "rb") as _file:
    _REPORT = tomllib.load(_file)

LABELS: dict[str, str] = _REPORT["labels"]
"""What metrics are called in headings."""

TESTS: dict[str, str] = _REPORT["tests"]
"""What tests are called in captions."""

SUPERSCRIPTS = dict(zip(ascii_lowercase, _REPORT["superscripts"], strict=True))


class Comparisons(MutableMapping[Iterable[str], "dict[str, Any]"]):
    """{pair of names: {metric: {"p_value", "significant"}}}, in either order of the pair."""

    def __init__(self) -> None:
        self._map: dict[frozenset[str], dict[str, Any]] = {}

    def __getitem__(self, pair: Iterable[str]) -> dict[str, Any]:
        return self._map[frozenset(pair)]

    def __setitem__(self, pair: Iterable[str], value: dict[str, Any]) -> None:
        self._map[frozenset(pair)] = value

    def __delitem__(self, pair: Iterable[str]) -> None:
        del self._map[frozenset(pair)]

    def __iter__(self) -> Iterator[Iterable[str]]:
        return iter(self._map)

    def __len__(self) -> int:
        return len(self._map)


def compare(
    qrels: Any,
    runs: Sequence[Run],
    metrics: str | Sequence[str],
    stat_test: str = "student",
    n_permutations: int = 1000,
    max_p: float = 0.01,
    random_seed: int = 42,
    threads: int = 0,
    rounding_digits: int = 3,
    show_percentages: bool = False,
    make_comparable: bool = False,
    *,
    rules: str | None = None,
) -> Report:
    """Scores several runs and tests every pair, as ``ranx.compare`` does.

    Parameters
    ----------
    qrels, metrics, threads, make_comparable, rules
        As for ``evaluate``.
    runs
        ``Run`` each; one without a name is called run_1, run_2, ... by its place.
    stat_test
        "student": the paired t test, two-sided. "fisher": the randomization test
        of the difference of means with ``n_permutations`` draws of signs. "tukey":
        Tukey's HSD after a one-way analysis of variance, which, as in ranx,
        overlooks that the runs share their topics.
    n_permutations, random_seed
        Of "fisher". The draws are cranfield's own: the p-value of ranx differs by
        as much as that of another seed. It is lower where many draws have just the
        difference observed, as with "f1@3": ranx loses some of these to rounding.
    max_p
        Up to which p-value a difference is significant.
    rounding_digits, show_percentages
        How the report shows scores.

    Raises
    ------
    NotImplementedError
        For a test that ranx does not have, as in ranx.
    ValueError
        For two runs of one name, or fewer than two topics.

    """
    if stat_test not in ("student", "fisher", "tukey"):
        raise NotImplementedError(f"expected student, fisher or tukey, found {stat_test!r}")
    names = metric_names(metrics)
    qrels, runs = ours(qrels), [ours(run) for run in runs]
    strange = next((run for run in runs if not isinstance(run, Run)), None)
    if strange is not None:
        raise AttributeError(f"expected a list of Run, found {type(strange).__name__} in it")
    models = [f"run_{place}" if run.name is None else run.name for place, run in enumerate(runs, 1)]
    if len(set(models)) < len(models):
        raise ValueError(f"expected a name of its own for each run, found {', '.join(models)}")
    found: dict[str, dict[str, Any]] = {}
    for model, run in zip(models, runs, strict=True):
        values = evaluate(
            qrels,
            run,
            names,
            return_mean=False,
            threads=threads,
            make_comparable=make_comparable,
            rules=rules,
        )
        found[model] = {names[0]: values} if len(names) == 1 else values
    comparisons = Comparisons()
    places = [(a, b) for a in range(len(models)) for b in range(a + 1, len(models))]
    for name in names:
        table = np.ascontiguousarray([found[model][name] for model in models])
        pairs = np.array(places, dtype=np.int64).reshape(-1, 2)
        pvalues = _pvalues(stat_test, table, pairs, n_permutations, random_seed, threads)
        for (a, b), p in zip(places, pvalues, strict=True):
            pair = comparisons.setdefault((models[a], models[b]), {})
            pair[name] = {"p_value": p, "significant": p <= max_p}
    return Report(
        model_names=models,
        results={m: {n: float(np.mean(found[m][n])) for n in names} for m in models},
        comparisons=comparisons,
        metrics=names,
        max_p=max_p,
        win_tie_loss=_win_tie_loss(models, names, found),
        rounding_digits=rounding_digits,
        show_percentages=show_percentages,
        stat_test=stat_test,
    )


def _pvalues(
    test: str, table: PValues, pairs: NDArray[np.int64], draws: int, seed: int, threads: int
) -> PValues:
    """Of each pair of rows; NaN where the rows are equal and the test is Student's."""
    if not len(pairs):
        return np.empty(0)
    if test == "tukey":
        return _tukey(table, pairs)
    if test == "fisher":
        _, pvalues, _ = _core.paired_randomization(
            table, pairs, resamples=draws, seed=seed, plus_one=False, threads=threads or None
        )
        return pvalues
    if table.shape[1] < 2:
        raise ValueError(f"expected at least 2 topics for a t test, found {table.shape[1]}")
    (_, pvalues, _), _ = _core.paired_t(table, pairs)
    equal = (table[pairs[:, 0]] == table[pairs[:, 1]]).all(axis=1)
    return np.where(equal, np.nan, pvalues)


def _tukey(table: PValues, pairs: NDArray[np.int64]) -> PValues:
    """Tukey's HSD for groups of one size: the range over the variance within groups."""
    groups, topics = table.shape
    if topics < 2:
        raise ValueError(f"expected at least 2 topics for Tukey's HSD, found {topics}")
    error = np.sqrt(table.var(axis=1, ddof=1).mean() / topics)
    means = table.mean(axis=1)
    distances = np.abs(means[pairs[:, 0]] - means[pairs[:, 1]])
    freedom = float(groups * (topics - 1))
    return np.array([_core.range_sf(d / error, groups, freedom) for d in distances.tolist()])


def _win_tie_loss(
    models: list[str], metrics: list[str], found: dict[str, dict[str, Any]]
) -> dict[tuple[str, str], dict[str, dict[str, int]]]:
    def counted(difference: PValues) -> dict[str, int]:
        signs = np.sign(difference)
        return {
            letter: int((signs == sign).sum())
            for letter, sign in zip("WTL", (1, 0, -1), strict=True)
        }

    return {
        (a, b): {m: counted(found[a][m] - found[b][m]) for m in metrics}
        for a in models
        for b in models
        if a != b
    }


@dataclass(eq=False, repr=False)
class Report:
    """What ``compare`` found; ``print`` shows it as a table.

    A letter beside a score names a run that is significantly worse. After z comes
    aa, so that more than 26 runs can be compared.
    """

    model_names: list[str]
    results: dict[str, dict[str, float]]
    comparisons: Mapping[Any, dict[str, Any]]
    metrics: list[str]
    max_p: float
    win_tie_loss: dict[tuple[str, str], dict[str, dict[str, int]]]
    rounding_digits: int = 3
    show_percentages: bool = False
    stat_test: str = "student"

    def format_score(self, score: float) -> str:
        """A score as the tables show it."""
        if self.show_percentages:
            digits = max(0, self.rounding_digits - 2)
            return f"{round(score * 100, digits):.{digits}f}"
        return f"{round(score, self.rounding_digits):.{self.rounding_digits}f}"

    def get_metric_label(self, m: str) -> str:
        """The heading of a metric's column."""
        base, level, number = m.partition("-l")
        name, at, cutoff = base.partition("@")
        if name.startswith("rbp"):
            label = base.replace("rbp", "RBP").replace("@", ".")
        else:
            label = LABELS[name] + at + cutoff
        return label + level + number

    def get_stat_test_label(self, stat_test: str) -> str:
        """What a test is called in a caption."""
        return TESTS[stat_test]

    def to_table(self) -> str:
        """The scores as text, with superscripts."""
        rows = []
        for place, (model, scores) in enumerate(self.results.items()):
            marked = (
                self.format_score(score)
                + "".join(_superscript(letter) for letter in self._beaten(model, metric))
                for metric, score in scores.items()
            )
            rows.append([_letter(place), model, *marked])
        headings = ["#", "Model", *map(self.get_metric_label, self.metrics)]
        return _aligned(headings, rows)

    def _beaten(self, model: str, metric: str, *, beaten: bool = True) -> list[str]:
        """The letters of the runs that a run is significantly better than, or of the others."""
        return [
            _letter(place)
            for place, other in enumerate(self.model_names)
            if model != other
            and beaten
            == (
                self.comparisons[model, other][metric]["significant"]
                and self.results[model][metric] > self.results[other][metric]
            )
        ]

    def to_latex(self) -> str:
        """The scores as a LaTeX table, the best of each metric in bold."""
        best = {metric: self._best(metric) for metric in self.metrics}
        rows = []
        for place, model in enumerate(self.model_names):
            cells = [self._cell(model, metric, best[metric] == model) for metric in self.metrics]
            rows.append(f"{_letter(place)} &\n{model} &\n" + " &\n".join(cells) + " \\\\")
        parts = {
            "test": TESTS[self.stat_test],
            "max_p": str(self.max_p),
            "columns": "|c" * len(self.metrics),
            "headings": "".join(f"\n& \\textbf{{{self.get_metric_label(m)}}}" for m in self.metrics)
            + " \\\\ ",
            "rows": "\n".join(rows).replace("_", "\\_").replace("$^{}$", ""),
        }
        text: str = _REPORT["latex"]
        for name, part in parts.items():
            text = text.replace(f"<{name}>", part)
        return text

    def _best(self, metric: str) -> str | None:
        """The first run with the highest rounded score above 0."""
        best, highest = None, 0.0
        for model in self.model_names:
            score = round(self.results[model][metric], self.rounding_digits)
            if score > highest:
                best, highest = model, score
        return best

    def _cell(self, model: str, metric: str, bold: bool) -> str:
        score = self.format_score(self.results[model][metric])
        if bold:
            score = f"\\textbf{{{score}}}"
        beaten = "".join(self._beaten(model, metric))
        others = "".join(self._beaten(model, metric, beaten=False))
        return f"{score}$^{{{beaten}}}$\\hphantom{{$^{{{others}}}$}}"

    def to_dict(self) -> dict[str, Any]:
        """{"stat_test", "metrics", "model_names", run: {"scores", "comparisons", ...}}."""
        found: dict[str, Any] = {
            "stat_test": self.stat_test,
            "metrics": self.metrics,
            "model_names": self.model_names,
        }
        for model in self.model_names:
            others = [other for other in self.model_names if other != model]
            found[model] = {
                "scores": self.results[model],
                "comparisons": {
                    other: {m: self.comparisons[model, other][m]["p_value"] for m in self.metrics}
                    for other in others
                },
                "win_tie_loss": {other: self.win_tie_loss[model, other] for other in others},
            }
        return found

    def to_dataframe(self) -> Any:
        """The scores as a pandas frame: model_names and a column for each metric."""
        pandas = optional("pandas", "a data frame")
        columns = {m: [self.results[name][m] for name in self.model_names] for m in self.metrics}
        return pandas.DataFrame({"model_names": self.model_names, **columns})

    def save(self, path: str) -> None:
        """Writes ``to_dict`` as JSON."""
        with open(path, "w", encoding="utf-8") as file:
            json.dump(self.to_dict(), file, indent=4)

    def print_results(self) -> None:
        """Prints the means as JSON."""
        print(json.dumps(self.results, indent=4))

    def __repr__(self) -> str:
        return self.to_table()


def _letter(place: int) -> str:
    """Letters from a to z, then aa, ab, ..."""
    letters = ""
    place += 1
    while place:
        place, digit = divmod(place - 1, 26)
        letters = chr(ord("a") + digit) + letters
    return letters


def _superscript(letters: str) -> str:
    return "".join(SUPERSCRIPTS[letter] for letter in letters)


_NUMBER = re.compile(r"-?\d+(\.\d+)?")


def _aligned(headings: Sequence[str], rows: list[list[str]]) -> str:
    """Columns two spaces apart; plain numbers are aligned at the decimal point."""
    columns = []
    for column in zip(headings, *rows, strict=True):
        heading, *cells = column
        number = bool(cells) and all(_NUMBER.fullmatch(cell) for cell in cells)
        if number:
            cells = [f"{float(cell):g}" for cell in cells]
            after = [len(cell.partition(".")[2]) + ("." in cell) for cell in cells]
            cells = [cell + " " * (max(after) - a) for cell, a in zip(cells, after, strict=True)]
        width = max(len(heading) + 2, *map(len, cells), 0)
        lines = (heading, "-" * width, *cells)
        columns.append([line.rjust(width) if number else line.ljust(width) for line in lines])
    return "\n".join("  ".join(line).rstrip() for line in zip(*columns, strict=True))
