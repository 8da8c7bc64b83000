"""The report of a comparison in the formats of ranx."""

from __future__ import annotations

import json
import re

from cranfield._base.errors import optional

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

SUPERSCRIPTS = dict(zip("abcdefghijklmnopqrstuvwxyz", "ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖ۹ʳˢᵗᵘᵛʷˣʸᶻ", strict=True))

LABELS = {
    "hits": "Hits",
    "hit_rate": "Hit Rate",
    "precision": "P",
    "recall": "Recall",
    "f1": "F1",
    "r-precision": "R-Prec",
    "mrr": "MRR",
    "map": "MAP",
    "dcg": "DCG",
    "dcg_burges": "DCG Burges",
    "ndcg": "NDCG",
    "ndcg_burges": "NDCG Burges",
    "bpref": "BPref",
}

TESTS = {
    "fisher": "Fisher's randomization test",
    "student": "paired Student's t-test",
    "tukey": "Tukey's HSD test",
}


class Report:
    """What ``compare`` found; ``print`` shows it as a table.

    A letter beside a score names a run that is significantly worse. After z comes
    aa, so that more than 26 runs can be compared.
    """

    def __init__(
        self,
        model_names: list[str],
        results: dict[str, dict[str, float]],
        comparisons: Mapping[Any, dict[str, Any]],
        metrics: list[str],
        max_p: float,
        win_tie_loss: dict[tuple[str, str], dict[str, dict[str, int]]],
        rounding_digits: int = 3,
        show_percentages: bool = False,
        stat_test: str = "student",
    ) -> None:
        self.model_names = model_names
        self.results = results
        self.comparisons = comparisons
        self.metrics = metrics
        self.max_p = max_p
        self.win_tie_loss = win_tie_loss
        self.rounding_digits = rounding_digits
        self.show_percentages = show_percentages
        self.stat_test = stat_test

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
        headings = "".join(f"\n& \\textbf{{{self.get_metric_label(m)}}}" for m in self.metrics)
        head = (
            "========================\n% Add in preamble\n\\usepackage{graphicx}\n"
            "\\usepackage{booktabs}\n========================\n\n\n"
            "% To change the table size, act on the resizebox argument `0.8`.\n"
            "\\begin{table*}[ht]\n\\centering\n\\caption{\n"
            "Overall effectiveness of the models.\n"
            "The best results are highlighted in boldface.\n"
            f"Superscripts denote significant differences in {TESTS[self.stat_test]} "
            f"with $p \\le {self.max_p}$.\n}}\n\\resizebox{{0.8\\textwidth}}{{!}}{{"
            f"\n\\begin{{tabular}}{{c|l{'|c' * len(self.metrics)}}}\n\\toprule"
            f"\n\\textbf{{\\#}}\n& \\textbf{{Model}}{headings} \\\\ \n\\midrule"
        )
        rows = []
        for place, model in enumerate(self.model_names):
            cells = [self._cell(model, metric, best[metric] == model) for metric in self.metrics]
            rows.append(f"{_letter(place)} &\n{model} &\n" + " &\n".join(cells) + " \\\\")
        body = "\n".join(rows).replace("_", "\\_").replace("$^{}$", "")
        tail = "\\bottomrule\n\\end{tabular}\n}\n\\label{tab:results}\n\\end{table*}"
        return f"{head}\n{body}\n{tail}"

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
