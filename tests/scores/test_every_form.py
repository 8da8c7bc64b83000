"""Every result has every form: the columns of its table are the oracle of all others."""

from __future__ import annotations

import csv
import importlib
import io
import json
import math
import pkgutil
from collections.abc import Callable
from typing import Any

import cranfield as cf
import pytest
from cranfield._scores.collection_scores import CollectionScores
from cranfield._table.result import Result, for_people
from cranfield._table.writers import WRITERS

QRELS = {"1": {"a": 1, "b": 0}, "2": {"b": 1}, "3": {"c": 1}}
RUNS = {
    "x": {"1": {"a": 2.0}, "2": {"b": 1.0}, "3": {"z": 1.0, "c": 0.5}},
    "y": {"1": {"z": 2.0, "a": 1.0}, "2": {"q": 3.0, "b": 1.0}, "3": {"c": 1.0}},
}
BATTLES = [("x", "y", "x")] * 5 + [("x", "y", "y")] * 3
PREDICTIONS = [0.1, 0.2, 0.5, 0.3], [0.2, 0.3, 0.4, 0.2], [0.1, 0.4, 0.2, 0.9]
GROUPS = {"1": "g", "2": "g", "3": "h"}


def scores() -> cf.Scores:
    return cf.evaluate(QRELS, RUNS, "AP RR")


def uneven() -> cf.Scores:
    records = [(run, str(t), "AP", v) for run, v in (("x", 0.1), ("y", 0.2)) for t in range(4)]
    return cf.Scores.from_records(records)


def precision(retrieved: list[str], relevant: dict[str, float], k: int) -> float:
    """P@k as it is."""
    return sum(relevant.get(document, 0) > 0 for document in retrieved[:k]) / k


RESULTS: dict[str, Callable[[], Any]] = {
    "Scores": scores,
    "Bounds": lambda: cf.bounds(QRELS, RUNS, "AP"),
    "Comparison": lambda: scores().compare(),
    "Comparison, one-sided": lambda: scores().compare(alternative="greater"),
    "Tiers": lambda: scores().tiers("AP"),
    "Groups": lambda: scores().by_group(GROUPS),
    "CollectionScores": lambda: CollectionScores({"c": scores(), "d": scores()}),
    "Diff": lambda: cf.diff(QRELS, RUNS["x"], RUNS["y"], "AP"),
    "JudgingPlan": lambda: cf.collection.decide(QRELS, RUNS["x"], RUNS["y"], "P@5"),
    "Identification": lambda: cf.identify(QRELS, RUNS["x"], "AP=0.5000"),
    "Audit": lambda: cf.audit(precision, "P"),
    "ListDiff": lambda: cf.diff(None, RUNS["x"], RUNS["y"], "AP P@2"),
    "ExactRecall": lambda: cf.exact_recall([[1, 3]], [[1, 2, 3]], [[0.9, 0.8, 0.8]], k=(1, 2)),
    "Splitting": lambda: cf.splitter(cf.SpanQrels({"q": [("A", 0, 9)]}), {"c": ("A", 3, 12)}),
    "Description": lambda: cf.describe(QRELS, RUNS),
    "Judges": lambda: cf.judges.compare(QRELS, QRELS, RUNS, "AP"),
    "BradleyTerry": lambda: cf.battles.bradley_terry(BATTLES),
    "PreferenceRates": lambda: cf.battles.preference_rates(BATTLES),
    "PredictionPowered": lambda: cf.stats.ppi_mean(*PREDICTIONS),
    "PairedTest": lambda: cf.stats.t_test(scores(), measure="AP"),
    "TukeyTest": lambda: cf.stats.tukey_hsd(scores(), measure="AP"),
    "CorrelationMatrix": lambda: cf.stats.correlation_matrix(scores()),
    "Correlation": lambda: cf.stats.kendall([1, 2, 3], [1, 3, 2]),
    "BootstrapTest": lambda: cf.stats.bootstrap_test(scores(), measure="AP", resamples=10),
    "RankInterval": lambda: cf.stats.rank_interval(scores(), measure="AP", resamples=10),
    "PearsonCorrelation": lambda: cf.stats.pearson([1, 2, 3], [1, 3, 2]),
    "MaxDrop": lambda: cf.stats.max_drop([1, 2, 3], [1, 3, 2]),
    "Overlap": lambda: cf.stats.rbo(["a", "b"], ["b", "a"], p=0.9),
    "Alpha": lambda: cf.stats.krippendorff_alpha([[1, 0, 1, 1], [1, 0, 0, 1]]),
    "PairwiseAgreement": lambda: cf.stats.mean_kappa([[1, 0, 1, 1], [1, 0, 0, 1]]),
    "MeasurePower": lambda: cf.meta.discriminative_power(scores())["AP"],
    "DocumentAgreement": lambda: RESULTS["Judges"]().documents,
    "SystemOrder": lambda: cf.judges.order(scores(), scores(), measure="AP"),
    "Fidelity": lambda: cf.judges.fidelity(scores(), scores(), measure="AP"),
    "RatingDifference": lambda: cf.battles.bradley_terry(BATTLES).difference("x", "y"),
    "ROC": lambda: cf.curves.roc(cf.Qrels(QRELS, docs_in_collection=9), RUNS["x"]),
    "PrecisionRecall": lambda: cf.curves.precision_recall(QRELS, RUNS["x"]),
    "Agreement": lambda: cf.stats.cohen_kappa([1, 0, 1, 1], [1, 0, 0, 1]),
    "DiscriminativePower": lambda: cf.meta.discriminative_power(scores()),
    "SwapRate": lambda: cf.meta.swap_rate(scores(), topics=1),
    "Generalizability": lambda: cf.meta.g_study(scores()),
    "Curve": lambda: cf.meta.topic_set_size(uneven(), [2, 3], samples=2),
    "Preferences": lambda: cf.preferences(QRELS, RUNS),
}


def same(found: Any, expected: Any) -> bool:
    missing = expected is None or (isinstance(expected, float) and math.isnan(expected))
    if missing:
        return found is None or found == "" or found != found
    if isinstance(expected, (int, float)) and not isinstance(expected, bool):
        return float(found) == expected
    if isinstance(expected, bool) and isinstance(found, str):
        return found == ("yes" if expected else "no")
    return str(found) == str(expected)


@pytest.mark.filterwarnings("ignore::cranfield.CranfieldWarning")
@pytest.mark.parametrize("name", RESULTS)
def test_every_result_has_every_form(name: str) -> None:
    result = RESULTS[name]()
    table = result.table()
    columns = table.to_columns()
    rows = len(next(iter(columns.values())))
    assert rows
    assert {len(values) for values in columns.values()} == {rows}
    lines = list(csv.reader(io.StringIO(table.to_csv())))
    assert lines[0] == list(columns)
    for place, values in enumerate(columns.values()):
        assert all(same(line[place], v) for line, v in zip(lines[1:], values, strict=True))
    for row, entry in enumerate(json.loads(table.to_json())):
        for key, values in columns.items():
            expected = values[row]
            if isinstance(expected, float) and math.isinf(expected):
                expected = None
            assert entry[key] == expected or same(entry[key], expected)
    arrow = table.to_arrow().to_pydict()
    frames = table.to_polars().to_dict(as_series=False), table.to_pandas().to_dict("list")
    for form in (arrow, *frames):
        assert list(form) == list(columns)
        for key, values in columns.items():
            assert all(
                same(None if v is None or v != v else v, expected)
                for v, expected in zip(form[key], values, strict=True)
            )
    for text in (result.to_markdown(), result.to_latex(caption="c"), result.to_html()):
        assert text.strip()
    assert {form: bool(for_people(result, form, 2).strip()) for form in WRITERS} == dict.fromkeys(
        WRITERS, True
    )
    assert result.to_csv().count("\n") >= 2
    assert json.loads(result.to_json())
    assert len(result.to_arrow()) == len(result.to_polars()) == len(result.to_pandas())
    assert len(result.to_arrow())
    assert isinstance(result.columns(), dict)
    assert "<table" in result._repr_html_()
    assert repr(result)


def test_no_result_is_left_out() -> None:
    of_others = {"Statistic", "Summaries", "ScoreTables", "ScoreResult", "ScoresByName"}
    for module in pkgutil.walk_packages(cf.__path__, "cranfield."):
        if module.name.startswith(("cranfield._analysis", "cranfield._stats", "cranfield._scores")):
            importlib.import_module(module.name)

    def below(kind: type) -> set[str]:
        return {kind.__name__}.union(*map(below, kind.__subclasses__()))

    assert below(Result) - of_others - {"Result"} <= set(RESULTS)
