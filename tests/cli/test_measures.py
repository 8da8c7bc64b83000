"""``cranfield measures``."""

from __future__ import annotations

import inspect
import json
import pydoc
from pathlib import Path

import cranfield as cf
import pytest

from tests.cli.calls import call, failed


def test_measures_are_listed_a_line_each(folder: Path) -> None:
    done = call(folder, "measures")
    assert (done.returncode, done.stderr) == (0, "")
    lines = [line.split() for line in done.stdout.splitlines() if line.startswith("  ")]
    assert len(lines) == len({line[0] for line in lines})
    assert {"P@k", "RR[@k]", "nDCG[@k]"} <= {line[0] for line in lines}
    assert all(len(line) > 1 for line in lines)


@pytest.mark.parametrize("name", ["nDCG", "ndcg", "nDCG@10", "ndcg_cut_10"])
def test_a_measure_is_explained(folder: Path, name: str) -> None:
    done = call(folder, "measures", name)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("nDCG[@k]: ")
    for part in ("Formula", "Citation", "Examples", "    judgments  ", "    list  "):
        assert f"\n{part}" in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= 120


@pytest.mark.parametrize(
    ("name", "family"),
    [
        ("11pt_avg", "IAP"),
        ("iprec_at_recall_0.20", "IPrec@level"),
        ("unj_5", "Unjudged[@k]"),
        ("rbp_resid", "RBP_residual[@k]"),
        ("set_F.2", "SetF[@k]"),
        ("prefs_avgjg", "Pref[@k]"),
        ("Rprec_mult_0.20", "Rprec"),
    ],
)
def test_a_name_that_means_something_else_elsewhere_is_explained(
    folder: Path, name: str, family: str
) -> None:
    done = call(folder, "measures", name)
    assert (done.returncode, done.stderr) == (0, "")
    said, _, page = done.stdout.partition("\n\n")
    said, page = (said, page) if " is refused: " in said else ("", done.stdout)
    assert bool(said) == (name != "Rprec_mult_0.20")
    assert page.startswith(f"{family}: ")
    assert f" {name.rstrip('0123456789.')}" in page.partition("\nAlso in")[2]


def test_measures_are_json_too(folder: Path) -> None:
    done = call(folder, "measures", "RBP", "--format", "json")
    content = json.loads(done.stdout)
    assert content["schema_version"] == 1
    (family,) = content["measures"]
    assert family["name"] == "RBP"
    assert "p" in [parameter["name"] for parameter in family["parameters"]]
    everything = json.loads(call(folder, "measures", "--format", "json").stdout)
    assert len(everything["measures"]) > 5


def test_the_forms_of_a_measure_say_what_it_takes(folder: Path) -> None:
    assert "\n  takes rel (default 1)\n" in call(folder, "measures", "AP").stdout
    assert "\n  takes gain (default: the grade)\n" in call(folder, "measures", "nDCG").stdout
    assert "takes" not in call(folder, "measures", "num_ret").stdout.partition("\nForms")[2]


def test_an_unknown_measure_is_exit_2(folder: Path) -> None:
    assert "nonsuch" in failed(folder, "measures", "nonsuch")
    assert "whole number" in failed(folder, "measures", "AP@0")
    assert "not a number but the grades" in failed(folder, "measures", "relstring")


@pytest.mark.parametrize("name", ["nDCG", "AP", "P_Q", "num_ret"])
def test_help_of_a_measure_is_its_page(folder: Path, name: str) -> None:
    measure = getattr(cf, name)
    page = call(folder, "measures", str(measure)).stdout.rstrip("\n")
    assert measure.__doc__ == page
    shown = pydoc.plain(pydoc.render_doc(measure))
    assert "\n".join(line.removeprefix("    ") for line in shown.splitlines()[3:]) == page


def test_help_knows_the_family_of_a_measure(folder: Path) -> None:
    page = call(folder, "measures", "nDCG").stdout.rstrip("\n")
    for measure in (cf.nDCG @ 10, cf.nDCG(dcg="jk").prime, cf.nDCG.over("D")):
        assert inspect.getdoc(measure) == page


def test_the_class_of_measures_has_a_docstring_of_its_own() -> None:
    text = cf.Measure.__doc__
    assert text is not None
    assert text.startswith("A measure as a value: ")
    assert "A measure as a value: " in pydoc.plain(pydoc.render_doc(cf.Measure))
