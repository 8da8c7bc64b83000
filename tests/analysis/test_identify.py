"""Numbers are identified: published ones, drawn ones, and those that nothing gives.

The oracle of published numbers is NIST's TREC browser, whose P_10 is P@15; of drawn ones, the
evaluation that drew them.
"""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import cranfield as cf
import pytest
from cranfield._analysis.identify import claim_of

from tests.commands import called

QRELS = {str(t): {f"d{d}": int(d % 3 == 0) + int(d % 7 == 0) for d in range(40)} for t in range(9)}


def drawn_run(seed: int, depth: int = 40) -> dict[str, dict[str, float]]:
    chance = random.Random(seed)
    return {t: {f"d{d}": chance.random() for d in range(60)} for t in QRELS}


@pytest.fixture(scope="module")
def trec8(data: Path) -> tuple[cf.Qrels, dict[str, dict[str, float]], Path]:
    folder = data / "trec8-adhoc"
    published = json.loads((data / "published" / "trec8-adhoc.json").read_text())
    return cf.read_qrels(folder / "trec8.qrels.gz"), published, folder / "runs"


NAMES = {"P_10": "P@10", "P_100": "P@100", "P_1000": "P@1000", "Rprec": "Rprec", "map": "AP"}


def test_the_published_numbers_of_trec8(
    trec8: tuple[cf.Qrels, dict[str, dict[str, float]], Path],
) -> None:
    """All 645 as printed: 516 are what their label says, the 129 called P_10 are P@15."""
    qrels, published, folder = trec8
    runs = {name: str(folder / f"input.{name}.gz") for name in published}
    scores = cf.evaluate(qrels, runs, "P@10 P@15 P@100 P@1000 Rprec AP", scores="f32")
    assert len(runs) == 129
    agreeing = dict.fromkeys([*NAMES, "P@15"], 0)
    for name, numbers in published.items():
        means = scores.means[name]
        for label, measure in NAMES.items():
            agreeing[label] += f"{means[measure]:.4f}" == f"{numbers[label]:.4f}"
        agreeing["P@15"] += f"{means['P@15']:.4f}" == f"{numbers['P_10']:.4f}"
    assert agreeing == {
        "P_10": 0,
        "P_100": 129,
        "P_1000": 129,
        "Rprec": 129,
        "map": 129,
        "P@15": 129,
    }


def test_a_misnamed_cutoff_is_found(
    trec8: tuple[cf.Qrels, dict[str, dict[str, float]], Path],
) -> None:
    qrels, published, folder = trec8
    name = "plt8ah1"
    texts = [f"{NAMES[label]}={value:.4f}" for label, value in published[name].items()]
    found = cf.identify(qrels, str(folder / f"input.{name}.gz"), texts)
    first = {label: own[0].simplest for label, own in found.matches.items()}
    assert {label: one.measure for label, one in first.items()} == {
        "P@10": "P@15",
        "P@100": "P@100",
        "P@1000": "P@1000",
        "Rprec": "Rprec",
        "AP": "AP",
    }
    assert first["P@10"].differs == ("cutoff 15 instead of cutoff 10",)
    assert found.labelled["P@10"] == pytest.approx(0.31)
    assert found.granularity == (
        "P@10=0.3067 cannot be a mean of P@10 over 50 topics at all (multiples of 0.002); "
        "of P at 3, 15, 30 it can.",
    )
    repeated = found.matches["P@10"][0].signature
    assert cf.Signature.parse(repeated).measures == ("P@15",)


def test_several_runs_leave_the_tools_precision(
    trec8: tuple[cf.Qrels, dict[str, dict[str, float]], Path],
) -> None:
    qrels, published, folder = trec8
    # Runs whose AP in single and in double precision differs in the fourth decimal.
    runs = {name: str(folder / f"input.{name}.gz") for name in published}
    values = [cf.evaluate(qrels, runs, "AP", scores=s).summary()[:, 0] for s in ("f32", "f64")]
    moved = [n for n, a, b in zip(runs, *values, strict=True) if f"{a:.4f}" != f"{b:.4f}"][:2]
    assert moved
    found = cf.identify(
        qrels,
        {name: runs[name] for name in moved},
        [f"{name}:AP={published[name]['map']:.4f}" for name in moved],
    )
    assert dict(found.matches["AP"][0].simplest.settings) == {"scores": "f32"}


@pytest.mark.parametrize("seed", range(12))
def test_a_drawn_definition_is_among_those_that_fit(seed: int) -> None:
    chance = random.Random(seed)
    run = drawn_run(seed)
    measure = chance.choice(["P@7", "AP@20", "nDCG@5", 'nDCG(dcg="exp-log2")@10', "RR", "bpref"])
    several: list[dict[str, Any]] = [{}, {"depth": 10}, {"undefined": "skip"}]
    options = chance.choice(several)
    value = cf.evaluate(QRELS, run, measure, **options).summary()[0, 0]
    found = cf.identify(QRELS, run, f"{value:.4f}")
    (matches,) = found.matches.values()
    assert any(abs(one.value - value) < 1e-12 for one in matches)
    assert sum(one.simplest.bits for one in matches[:1]) <= 12
    labelled = cf.identify(QRELS, run, f"{measure}={value:.4f}").matches[str(cf.Measure(measure))]
    assert labelled[0].value == pytest.approx(value)


def test_values_of_topics_are_identified(tmp_path: Path) -> None:
    run = drawn_run(3)
    scores = cf.evaluate(QRELS, run, "AP(rel=2)")
    rows = [
        ("run", t, "AP", round(v, 3))
        for t, v in zip(scores.topics, scores.values[0, :, 0], strict=False)
    ]
    printed = cf.Scores.from_records(rows)
    found = cf.identify(QRELS, run, [], per_topic=printed)
    assert found.matches["AP"][0].simplest.measure == "AP(rel=2)"
    assert found.matches["AP"][0].simplest.bits == 2


def test_a_deviation_of_another_tool_is_named() -> None:
    run = {t: dict(list(own.items())[:6]) for t, own in drawn_run(5).items()}
    # Divided by the length of a list that is shorter than k.
    values = cf.evaluate(QRELS, run, "P@6").summary()[0, 0]
    found = cf.identify(QRELS, run, f"P@10={values:.6f}")
    said = [one.simplest for one in found.matches["P@10"]]
    assert any(one.options == "divisor=min(k,list)" for one in said)
    assert any("as in mlflow" in text for one in said for text in one.differs)


def test_no_definition_fits() -> None:
    found = cf.identify(QRELS, drawn_run(1), "P@10=0.9997")
    assert found.matches == {"P@10": ()}
    assert not found.identified
    assert len(found.nearest["P@10"]) == 3
    assert "None of" in repr(found)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("P@10=1", "digits after the point"),
        ("P@10", "expected a number"),
        ("P@10=abc", "expected a number"),
        ("P@10=-0.3067", "not below 0"),
        ("P@10=306.7", "at most 100%"),
        ("P@10=nan", "expected a number"),
    ],
)
def test_what_is_no_number_of_a_measure_is_refused(text: str, message: str) -> None:
    with pytest.raises(cf.Error, match=message) as caught:
        cf.identify(QRELS, drawn_run(1), text)
    assert caught.value.kind == "number"


def test_percentages() -> None:
    assert claim_of("AP=16.48%").value == pytest.approx(0.1648)
    assert claim_of("AP=16.48%").half == pytest.approx(0.00005)
    # A precision above 1 is one, too.
    assert claim_of("P@10=30.67").percent
    assert claim_of("num_rel_ret=123").value == 123
    assert claim_of("0.25").label is None
    run = drawn_run(2)
    value = cf.evaluate(QRELS, run, "AP").summary()[0, 0]
    assert cf.identify(QRELS, run, f"AP={100 * value:.2f}%").matches["AP"][0].simplest.bits == 0


def test_numbers_need_a_run_that_is_there() -> None:
    runs = {"a": drawn_run(1), "b": drawn_run(2)}
    with pytest.raises(cf.Error, match="write RUN:AP"):
        cf.identify(QRELS, runs, "AP=0.25")
    with pytest.raises(cf.LabelError):
        cf.identify(QRELS, runs, "c:AP=0.25")
    with pytest.raises(cf.Error, match="the number of topics"):
        cf.identify(None, None, "AP=0.25")


def test_the_command(tmp_path: Path) -> None:
    cf.Qrels(QRELS).write(str(tmp_path / "qrels.txt"))
    run = cf.Run(drawn_run(4), name="r")
    run.write(str(tmp_path / "r.run"))
    value = cf.evaluate(QRELS, drawn_run(4), "P@15").summary()[0, 0]
    words = ("identify", "qrels.txt", "r.run", f"P@10={value:.4f}")
    done = called(*words, folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "P@15" in done.stdout
    content = json.loads(called(*words, "--format", "json", folder=tmp_path).stdout)
    assert content["labels"][0]["label"] == "P@10"
    assert called(*words, "--format", "csv", folder=tmp_path).stdout.startswith("label,measure,")
    done = called("identify", "--over", "50", "P@10=0.3067", folder=tmp_path)
    assert (done.returncode, "cannot be a mean" in done.stdout) == (1, True)
    done = called("identify", "--over", "50", "P@10=0.3060", folder=tmp_path)
    assert (done.returncode, "can be a mean" in done.stdout) == (0, True)
    assert called("identify", "qrels.txt", "r.run", folder=tmp_path).returncode == 2
    assert called("identify", "qrels.txt", "P@10=0.5", folder=tmp_path).returncode == 2
