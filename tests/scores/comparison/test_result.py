"""The object that `cf.compare` returns: labels, frames, texts, and what is refused."""

from __future__ import annotations

import io
import re
from dataclasses import asdict
from pathlib import Path
from typing import Any

import cranfield as cf
import pytest

from tests import ROOT
from tests.scores.comparison.small import made

EXAMPLE = ROOT / "examples" / "debtags"


def test_a_baseline_is_a_name_a_number_or_a_file(tmp_path: Path) -> None:
    qrels, runs = made(0)
    for name, lists in runs.items():
        cf.Run(lists, name=name).write(str(tmp_path / f"{name}.run"))
    paths = [str(tmp_path / f"{name}.run") for name in runs]
    expected = cf.compare(qrels, runs, baseline="run3").to_dict()
    for baseline in (3, -1, "run3", paths[3], tmp_path / "run3.run"):
        assert cf.compare(qrels, paths, baseline=baseline).to_dict() == expected
    further = cf.compare(qrels, paths[:3], baseline=paths[3])
    assert further.runs == ("run3", "run0", "run1", "run2")
    assert further.baseline == "run3"
    assert further.to_dict() == expected


def test_open_files_are_read_as_files_are(tmp_path: Path) -> None:
    qrels, runs = made(0)
    expected = cf.compare(qrels, runs).to_dict()
    streams = {name: io.BytesIO() for name in runs}
    for name, lists in runs.items():
        path = tmp_path / f"{name}.run.gz"
        cf.Run(lists, name=name).write(str(path))
        streams[name] = io.BytesIO(path.read_bytes())
    assert cf.compare(qrels, streams).to_dict() == expected


def test_a_row_is_found_by_its_labels() -> None:
    qrels, runs = made(0)
    found = cf.compare(qrels, runs, "AP P@5", baseline="run1")
    assert found["run2", "map"] is found["run2", "run1", "AP"]
    assert found["run2", "map"].run == "run2"
    every = cf.compare(qrels, runs, "AP P@5")
    assert every["run0", "run2", cf.P @ 5].other == "run2"
    with pytest.raises(cf.LabelError, match="no run 'run9'; did you mean"):
        found["run9", "AP"]
    with pytest.raises(cf.LabelError, match="no measure 'RR'"):
        found["run2", "RR"]
    with pytest.raises(cf.LabelError, match="no comparison 'run2, run0'"):
        every["run2", "run0", "AP"]
    with pytest.raises(TypeError, match=r"\[run, other, measure\] says"):
        every["run2", "AP"]
    with pytest.raises(TypeError, match=r"\[run, measure\] says"):
        found["run2"]  # type: ignore[index]


def test_a_comparison_becomes_frames() -> None:
    for package in ("pandas", "polars", "pyarrow"):
        pytest.importorskip(package)
    qrels, runs = made(0)
    found = cf.compare(qrels, runs, "AP Judged@5", baseline=0)
    table = found.to_arrow()
    assert table.to_pydict() == found.to_dict()
    assert str(table.schema.field("significant").type) == "bool"
    assert found.to_polars().to_dict(as_series=False) == found.to_dict()
    frame = found.to_pandas()
    assert list(frame.columns) == list(found.to_dict())
    assert frame["within_bounds"].isna().tolist() == [False] * 3 + [True] * 3
    assert frame["p"].tolist() == found.to_dict()["p"]
    import pyarrow

    assert pyarrow.table(found).equals(table)


def test_names_do_not_act_on_pages_or_terminals() -> None:
    qrels, runs = made(0, runs=1)
    found = cf.compare(qrels, {"<b>": runs["run0"], "\x1b[1m": runs["run0"]}, "AP")
    assert "\x1b" not in str(found)
    assert "<th><b>" not in found._repr_html_()
    assert "<th>&lt;b&gt;</th>" in found._repr_html_()


def test_long_tables_are_cut() -> None:
    qrels, runs = made(0, topics=3, runs=40)
    text = str(cf.compare(qrels, runs, "P@5", baseline=0))
    # The baseline and 39 others.
    assert text.splitlines()[2 + 10] == "... 21 more ..."
    assert text.startswith("<Comparison: 40 runs, 1 measure>\nP@5")


@pytest.mark.parametrize(
    ("options", "kind", "message"),
    [
        ({"test": "z"}, "option", "expected one of t, wilcoxon, sign, "),
        (
            {"correction": "sidak"},
            "option",
            "expected one of holm, bh, bonferroni, max-t, none as corr",
        ),
        ({"alternative": "better"}, "option", "as alternative, found 'better'"),
        ({"test": "tukey", "alternative": "less"}, "option", "the Tukey HSD test is two-sided"),
        ({"test": "bootstrap", "alternative": "less"}, "option", "bootstrap test is two-sided"),
        ({"test": "tukey", "correction": "holm"}, "option", "take no correction, found 'holm'"),
        ({"effect": "d"}, "option", "as effect, found 'd'"),
        ({"alpha": 0}, "option", "expected alpha between 0 and 1, found 0"),
        ({"level": 95}, "option", "expected level between 0 and 1, found 95"),
        (
            {"resamples": 10},
            "option",
            "resamples is only for randomization, bootstrap and tukey_randomized, not",
        ),
        (
            {"test": "sign", "seed": 1},
            "option",
            "seed is only for randomization, bootstrap and tukey_randomized",
        ),
        ({"measures": "AP GMAP"}, "option", "GMAP is a geometric mean"),
        ({"baseline": "run7"}, "label", "no run 'run7'; did you mean run"),
        ({"baseline": 4}, "label", "no run 4; "),
        ({"baseline": 1.5}, "type", "as baseline, found 1.5"),
        ({"baseline": 0, "all_pairs": True}, "option", "all_pairs is only for"),
        ({"missing": "ignore"}, "option", "ignore"),
    ],
)
def test_what_makes_no_sense_is_an_error(options: dict[str, Any], kind: str, message: str) -> None:
    qrels, runs = made(0)
    with pytest.raises(cf.Error, match=re.escape(message)) as error:
        cf.compare(qrels, runs, **options)
    assert error.value.kind == kind


def test_too_few_and_too_many() -> None:
    qrels, runs = made(0, topics=3, runs=11)
    with pytest.raises(cf.Error, match="expected at least two runs, found 1 run"):
        cf.compare(qrels, {"run0": runs["run0"]})
    with pytest.raises(cf.Error, match="11 runs are 55 pairs: name a baseline, or set all_pairs"):
        cf.compare(qrels, runs)
    assert len(cf.compare(qrels, runs, "AP", all_pairs=True)) == 55
    one = {"t00": qrels["t00"]}
    with pytest.raises(cf.Error, match="the t test needs at least 2 topics") as error:
        cf.compare(one, {name: runs[name] for name in ("run0", "run1")})
    assert error.value.kind == "undefined"


def test_rounding_leaves_no_score_as_it_was() -> None:
    qrels, runs = made(0)
    bounds = cf.compare(qrels, runs, "AP P@5", bounds=True).rounded(3)
    exact = {"p", "p_corrected", "effect_size"}
    for row in bounds.rows:
        for name, value in asdict(row).items():
            if isinstance(value, float) and name not in exact:
                assert value == round(value, 3), name
