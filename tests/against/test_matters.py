"""CRP, twist and Markov precision: what MATTERS, the package of Padua, computes of random lists."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Sequence
from pathlib import Path

import cranfield as cf
import pytest

from tests.against.recorders import matters as record_matters
from tests.against.recorders.matters import Case

NUMBERS = ("rho", "sigma", "tau")


def ours(cases: Sequence[Case], measures: Sequence[str]) -> list[list[float]]:
    """The values of measures for each case, which is a topic."""
    qrels: dict[str, dict[str, int]] = {}
    rankings: dict[str, list[str]] = {}
    for topic, case in enumerate(cases):
        grades = dict(enumerate(sorted(case.judged)))
        left = dict(grades)
        ranking = []
        for rank, grade in enumerate(case.run):
            # A document of that grade which the list does not have yet; else an unjudged one.
            number = next((n for n, g in left.items() if g == grade > 0), None)
            if number is None:
                ranking.append(f"x{rank}")
            else:
                ranking.append(f"d{number}")
                del left[number]
        qrels[f"{topic:04}"] = {f"d{n}": grade for n, grade in grades.items()}
        rankings[f"{topic:04}"] = ranking
    scores = cf.evaluate(qrels, cf.Run.from_rankings(rankings), list(measures))
    return [[float(value) for value in row] for row in scores.values[0]]


def compare(cases: Sequence[Case], printed: Sequence[Sequence[float]]) -> tuple[int, int]:
    """How many values are compared, and how many are excepted."""
    compared = excepted = 0
    for ranks in sorted({case.ranks for case in cases}):
        rows = [row for row in zip(cases, printed, strict=True) if row[0].ranks == ranks]
        measures = [f"CRP@{rank}" for rank in range(1, ranks + 1)]
        measures += [f'Twist(out="{number}")@{ranks}' for number in NUMBERS]
        for (case, values), found in zip(rows, ours([c for c, _ in rows], measures), strict=True):
            rho, sigma, tau = values[ranks:]
            # 0/0 where a list is as bad as the worst; and below twice the relevant documents the
            # worst list has fewer early documents than another can have.
            short = ranks < 2 * sum(grade > 0 for grade in case.judged)
            if math.isnan(sigma) or (short and found[-2] == 0):
                assert found[-2:] == [0, found[-3] / 2], case
                sigma, tau = 0, rho / 2
                excepted += 2
            expected = [*values[:ranks], rho, sigma, tau]
            assert found == pytest.approx(expected, rel=1e-12, abs=1e-12), case
            compared += len(expected)
    return compared, excepted


def test_what_matters_computed() -> None:
    recorded = json.loads(record_matters.RECORDED.read_text())["curves"]
    cases = [Case(*case) for case, _ in recorded]
    compared, excepted = compare(cases, [values for _, values in recorded])
    assert compared > 3000
    assert excepted < compared / 100


def test_the_end_of_a_list_that_is_not_cut() -> None:
    cases = [case for case in record_matters.synthetic(2, 200) if case.ranks >= len(case.run)]
    whole = ours(cases, ["CRP"])
    cut = ours(cases, ["CRP@60"])
    assert whole == cut


def test_a_cutoff_is_1000_ranks_where_none_is_given() -> None:
    cases = record_matters.synthetic(3, 200)
    bare, *cut = zip(*ours(cases, ["Twist", "Twist@1000", "Twist@999"]), strict=True)
    assert bare == cut[0]
    assert bare != cut[1]


def markov(model: str) -> str:
    """Our measure for one of its models."""
    steps, states, loops, _, distance, recall = model.split("_")
    return (
        f'MP(steps="{"global" if steps == "G" else "local"}",'
        f'states="{"relevant" if states == "OR" else "all"}",'
        f'distance="{ {"ID": "inverse", "LID": "log", "NA": "none"}[distance] }",'
        f"loops={loops == 'SL'},recall={recall == 'R'})"
    )


def compare_walks(cases: Sequence[Case], printed: Sequence[Sequence[float]]) -> int:
    """How many values are compared."""
    models = [*record_matters.MODELS, *record_matters.CHECKS]
    measures = [markov(model) for model in models]
    known = list(dict.fromkeys(str(cf.Measure(measure)) for measure in measures))
    places = [known.index(str(cf.Measure(measure))) for measure in measures]
    for case, values, row in zip(cases, printed, ours(cases, known), strict=True):
        found = [row[place] for place in places]
        assert found == pytest.approx(values, rel=1e-11, abs=1e-11), case
    return len(printed) * len(models)


def test_what_matters_computed_of_markov_precision() -> None:
    recorded = json.loads(record_matters.RECORDED.read_text())["walks"]
    cases = [Case(*case) for case, _ in recorded]
    assert compare_walks(cases, [values for _, values in recorded]) > 4000


@pytest.fixture(scope="module")
def folder() -> Path:
    name = os.environ.get("MATTERS")
    if not name:
        pytest.skip(
            "MATTERS does not name the folder of the package (tests/against/recorders/matters.py)"
        )
    assert record_matters.octave(), "MATTERS needs octave on the path"
    return Path(name)


def test_matters_itself(folder: Path) -> None:
    cases = [*record_matters.synthetic(4, 1000), *long_cases()]
    compared, excepted = compare(cases, record_matters.curves(folder, cases))
    assert compared > 30_000
    assert excepted < compared / 100


def test_markov_precision_of_matters_itself(folder: Path) -> None:
    cases = [case for case in record_matters.synthetic(6, 600) if any(case.run)]
    assert compare_walks(cases, record_matters.precisions(folder, cases)) > 20_000


def long_cases() -> list[Case]:
    """Lists of 1000 ranks, as its functions make them without an option."""
    return [case._replace(ranks=1000) for case in record_matters.synthetic(5, 40)]
