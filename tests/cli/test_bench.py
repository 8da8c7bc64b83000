"""``cranfield bench``: real, small races; its limits, its JSON, what it refuses."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import cranfield as cf
import pytest
from cranfield._bench import engines, race, report, shapes
from cranfield._bench.engines import KINDS, MEAN, Work
from cranfield._cli import main

SMALL = ("--size", "5x40x20", "--rounds", "2")


@pytest.fixture
def material() -> shapes.MadeUp:
    return shapes.MadeUp(shapes.Shape.parse("5x40x20"))


@pytest.fixture
def own(tmp_path: Path, material: shapes.MadeUp) -> tuple[str, str]:
    """The paths of judgments and of a run."""
    qrels, runs = material.files()
    (tmp_path / "qrels.txt").write_bytes(Path(qrels).read_bytes())
    (tmp_path / "bm25.run").write_bytes(Path(runs["run0"]).read_bytes())
    return str(tmp_path / "qrels.txt"), str(tmp_path / "bm25.run")


def bench(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = main(["bench", *arguments])
    out, err = capsys.readouterr()
    assert "Traceback" not in err
    return code, out, err


def failed(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    code, out, err = bench(capsys, *arguments)
    assert (code, out) == (2, "")
    return err.removeprefix("cranfield: error: ")


# the material


def test_a_made_up_collection_is_the_same_each_time(material: shapes.MadeUp) -> None:
    again = shapes.MadeUp(material.shape)
    assert again.qrels == material.qrels
    assert again.runs == material.runs
    assert [len(grades) for grades in material.qrels.values()] == [20] * 5
    assert [len(scores) for scores in material.run("run0").values()] == [40] * 5
    for scores in material.run("run0").values():
        assert len(set(scores.values())) == 40


def test_the_forms_of_a_collection_have_the_same_scores(material: shapes.MadeUp) -> None:
    measures = "AP nDCG@10 num_ret"
    expected = cf.evaluate(material.qrels, material.runs, measures).values
    for packed in (False, True):
        qrels, runs = material.files(packed=packed)
        assert (cf.evaluate(qrels, list(runs.values()), measures).values == expected).all()
    frame = material.frame("run0")
    assert (cf.evaluate(material.qrels, frame, measures).values == expected).all()
    judged, documents, scores = material.arrays
    lists = {
        topic: dict(zip(map(str, row), values, strict=True))
        for topic, row, values in zip(judged, documents.tolist(), scores.tolist(), strict=True)
    }
    assert (cf.evaluate(judged, lists, measures).values == expected).all()


def test_different_runs_of_a_collection_differ() -> None:
    material = shapes.MadeUp(shapes.Shape.parse("3x10", runs=2))
    assert material.lines == 60
    assert material.run("run0") != material.run("run1")


@pytest.mark.parametrize("text", ["", "5", "0x5", "5x0", "x", "5x5x5x5", "-1x5", "5x1000000000"])
def test_invalid_sizes(text: str) -> None:
    with pytest.raises(cf.Error, match="expected topics x documents a list"):
        shapes.Shape.parse(text)


# the race


def test_every_tool_agrees_on_every_kind(material: shapes.MadeUp) -> None:
    """Values are compared within the race; a tool that is not installed is skipped."""
    raced = 0
    for name, make in engines.ENGINES.items():
        engine = make()
        try:
            engine.load()
        except ImportError:
            continue
        if name == "ranx":
            # Compiling takes longer than all other tests; the record of speed has it.
            continue
        for kind in engine.kinds:
            work = Work(material, kind, engines.chosen_measures(["all"]))
            found = race.measure(work, engine, asked="all", rounds=1)
            assert found.measures == engine.known(work.measures)
            assert found.ratio is not None
            assert found.ratio > 0
            raced += 1
    assert raced >= 4


def test_values_that_differ_end_the_race(material: shapes.MadeUp) -> None:
    class Wrong(engines.PytrecEval):
        """Takes one measure for another."""

        spellings = {"AP": "Rprec"}  # noqa: RUF012

    work = Work(material, "dicts", ("AP",))
    with pytest.raises(cf.Error, match=r"run run0, topic 40\d: AP is 0\.\d+ here and") as caught:
        race.measure(work, Wrong(), asked="AP", rounds=1)
    assert caught.value.kind == "conflict"


def test_undefined_values_never_agree() -> None:
    engine = engines.PytrecEval()
    engine.name = "x"
    ours = {"r": {MEAN: {"AP": 0.5}}}
    race.compare(ours, {"r": {MEAN: {"AP": 0.5 + 1e-12}}}, engine)
    for value in (0.5 + 1e-6, float("nan")):
        with pytest.raises(cf.Error, match="times are compared only if"):
            race.compare(ours, {"r": {MEAN: {"AP": value}}}, engine)
    with pytest.raises(cf.Error, match="nothing that could be compared"):
        race.compare(ours, {}, engine)


@pytest.mark.parametrize("kind", KINDS)
def test_alone_on_every_kind(capsys: pytest.CaptureFixture[str], kind: str) -> None:
    code, out, err = bench(capsys, *SMALL, "--kind", kind, "-m", "nDCG@10 AP")
    assert (code, err) == (0, "")
    header, row = out.splitlines()
    assert header.split()[:4] == ["input", "size", "measures", "evaluator"]
    assert row.split()[:4] == [kind, "5x40x20", "2", "cranfield"]
    assert row.split()[-1] == "-"


def test_files_of_the_user_against_another_tool(
    capsys: pytest.CaptureFixture[str], own: tuple[str, str]
) -> None:
    pytest.importorskip("pytrec_eval")
    code, out, err = bench(
        capsys, *own, "--against", "pytrec_eval", "-m", "nDCG@10", "--rounds", "1"
    )
    assert (code, err) == (0, "")
    rows = [row.split() for row in out.splitlines()[1:]]
    assert [row[:4] for row in rows] == [
        ["files", "bm25", "nDCG@10", "cranfield"],
        ["files", "bm25", "nDCG@10", "pytrec_eval"],
    ]
    assert float(rows[0][-1]) == 1.0
    assert float(rows[1][-1]) > 0


def test_measures_that_another_tool_lacks_are_reported(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("pytrec_eval")
    code, out, err = bench(capsys, *SMALL, "--against", "pytrec_eval", "-m", "AP ERR(max_rel=2)@5")
    assert code == 0
    assert out.splitlines()[1].split()[2] == "AP"
    assert err == "cranfield: pytrec_eval has 1 of 2 measures: both sides score those\n"


# the limits


def test_each_measure_by_itself(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = bench(
        capsys, "-m", "AP bpref Judged@10", "--each", *SMALL, "--against", "pytrec_eval"
    )
    assert code == 0
    rows = [line.split() for line in out.splitlines()]
    assert [(row[2], row[3]) for row in rows[1:]] == [
        ("AP", "cranfield"),
        ("AP", "pytrec_eval"),
        ("bpref", "cranfield"),
        ("bpref", "pytrec_eval"),
        ("Judged@10", "cranfield"),
    ]
    assert "pytrec_eval has no Judged@10: cranfield scores it alone" in err
    assert rows[0][-3:] == ["ns/line", "us/topic", "times"]
    for row in rows[1:]:
        milliseconds, lines_per_second, per_line, per_topic = (
            float(row[place].replace(",", "")) for place in (-6, -4, -3, -2)
        )
        # Five topics of forty lines.
        assert per_line == pytest.approx(1e9 / lines_per_second, rel=0.02, abs=0.06)
        assert per_topic == pytest.approx(per_line * 40 / 1000, rel=0.02, abs=0.01)
        assert per_topic == pytest.approx(milliseconds * 1000 / 5, abs=1.1)


def test_too_few_lines_a_second_end_with_1(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert bench(capsys, *SMALL, "--min-lines-per-s", "1")[0] == 0
    code, out, err = bench(capsys, *SMALL, "--min-lines-per-s", "1e15")
    assert code == 1
    assert len(out.splitlines()) == 2
    assert "lines per CPU second, at least 1,000,000,000,000,000 are asked for" in err
    assert "::error" not in err
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    assert (
        "::error title=cranfield bench::" in bench(capsys, *SMALL, "--min-lines-per-s", "1e15")[2]
    )


def slower(path: Path, factor: float) -> None:
    """Turns a record into that of a faster day, or slower for a factor below 1."""
    content = json.loads(path.read_text())
    for entry in content["benchmarks"]:
        entry["stats"]["median"] /= factor
        if "ratio" in entry["extra_info"]:
            entry["extra_info"]["ratio"] *= factor
    path.write_text(json.dumps(content))


@pytest.mark.parametrize("against", [(), ("--against", "pytrec_eval")])
def test_a_regression_ends_with_1(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, against: tuple[str, ...]
) -> None:
    if against:
        pytest.importorskip("pytrec_eval")
    saved = tmp_path / "speed.json"
    arguments = (*SMALL, *against, "--baseline", str(saved), "--max-regress", "1000%")
    assert bench(capsys, *SMALL, *against, "--json", str(saved))[0] == 0
    code, _, err = bench(capsys, *arguments)
    assert code == 0
    what = "ratio to pytrec_eval" if against else "CPU seconds"
    assert f"dicts 5x40x20, common{', against pytrec_eval' * bool(against)}: {what}" in err
    slower(saved, 1e6)
    code, _, err = bench(capsys, *arguments)
    assert code == 1
    assert "worse; at most 10 is allowed" in err
    assert bench(capsys, *SMALL, *against, "--baseline", str(saved))[0] == 0
    slower(saved, 1e-9)
    code, _, err = bench(capsys, *arguments, "--quiet")
    assert (code, err) == (0, "")


def test_a_baseline_of_other_work(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    saved = str(tmp_path / "speed.json")
    bench(capsys, *SMALL, "--json", saved)
    regress = ("--baseline", saved, "--max-regress", "10%")
    code, _, err = bench(capsys, *SMALL, "-m", "AP", *regress)
    assert code == 2
    assert f"{saved}: no result for dicts 5x40x20, AP; there are: dicts 5x40x20, common" in err


# JSON


def test_the_json_is_read_by_pytest_benchmark(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    pytest.importorskip("pytrec_eval")
    pytest.importorskip("pytest_benchmark")
    saved = tmp_path / "0001_speed.json"
    arguments = (*SMALL, "--against", "pytrec_eval", "--json", str(saved))
    code, out, _ = bench(capsys, *arguments)
    assert code == 0
    assert out.startswith("input")
    content = json.loads(saved.read_text())
    ours, theirs = content["benchmarks"]
    assert ours["extra_info"]["engine"] == "cranfield"
    assert ours["extra_info"]["lines"] == 200
    ratio = theirs["stats"]["median"] / ours["stats"]["median"]
    assert ours["extra_info"]["ratio"] == pytest.approx(ratio, rel=1e-12)
    done = subprocess.run(
        [sys.executable, "-m", "pytest_benchmark", "compare", str(saved)],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stderr
    assert "cranfield: dicts 5x40x20, common, against pytrec_eval" in done.stdout
    assert "pytrec_eval: dicts 5x40x20, common, against pytrec_eval" in done.stdout


def test_statistics_are_those_of_pytest_benchmark() -> None:
    stats = pytest.importorskip("pytest_benchmark.stats").Stats()
    times = (0.5, 0.25, 0.75, 4.0, 0.5, 0.625, 0.5)
    for seconds in times:
        stats.update(seconds)
    expected = stats.as_dict()
    found = report.stats(race.Side("cranfield", "0", times, times, 1, 1.0))
    assert set(expected) <= set(found)
    same = ("min", "max", "mean", "stddev", "rounds", "median", "total", "ops")
    for name in same:
        assert found[name] == pytest.approx(expected[name], rel=1e-12), name


def test_json_alone_goes_to_standard_output(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = bench(capsys, *SMALL, "--json")
    assert (code, err) == (0, "")
    assert len(json.loads(out)["benchmarks"]) == 1


@pytest.mark.parametrize(
    ("form", "unit"),
    [("customBiggerIsBetter", "lines/s"), ("customSmallerIsBetter", "ns/line")],
)
def test_the_formats_of_github_action_benchmark(
    capsys: pytest.CaptureFixture[str], form: str, unit: str
) -> None:
    (entry,) = json.loads(bench(capsys, *SMALL, "--json-format", form, "--json")[1])
    assert entry["name"] == "dicts 5x40x20, common"
    assert entry["unit"] == unit
    assert isinstance(entry["value"], float)


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "{}", '{"benchmarks": []}', '{"benchmarks": [{"group": "x"}]}']
)
def test_invalid_baselines(tmp_path: Path, text: str) -> None:
    path = tmp_path / "speed.json"
    path.write_text(text)
    with pytest.raises(cf.Error, match=r"broken JSON|expected results"):
        report.read(str(path))


# what is refused


def test_usage(capsys: pytest.CaptureFixture[str], own: tuple[str, str], tmp_path: Path) -> None:
    qrels, run = own
    cases: dict[str, tuple[str, ...]] = {
        "no evaluator 'pytreceval'; did you mean pytrec_eval": ("--against", "pytreceval"),
        "needs --trec-eval PATH": ("--against", "trec_eval"),
        "there is no such program": ("--trec-eval", str(tmp_path / "none")),
        "expected the program of trec_eval": ("--trec-eval", "/bin/true"),
        "no kind of input 'dict'; did you mean dicts": ("--kind", "dict"),
        "expected topics x documents a list": ("--size", "large"),
        "--max-regress needs --baseline": ("--max-regress", "10%"),
        "expected a share of at least 0": ("--max-regress", "ten"),
        "expected a number above 0": ("--min-lines-per-s", "0"),
        "no.json: there is no such file": ("--baseline", "no.json"),
        "expected a number of rounds of at least 1": ("--rounds", "0"),
        "give files or sizes, not both": (qrels, run, "--size", "5x5"),
        "expected a file of judgments and runs, found one file": (qrels,),
        "the input is read many times": (qrels, "-"),
        "is not JSON and is not overwritten; put --json last": ("--json", qrels),
        "name a --size": (qrels, run, "--kind", "arrays"),
    }
    for message, arguments in cases.items():
        assert message in failed(capsys, *arguments)
    fractions = tmp_path / "fractions.txt"
    fractions.write_text("1 0 d 0.5\n")
    assert "need integer grades" in failed(capsys, str(fractions), run)
    packed = tmp_path / "bm25.run.gz"
    packed.write_bytes(gzip.compress(Path(run).read_bytes()))
    assert bench(capsys, qrels, str(packed), "--rounds", "1")[0] == 0


def test_a_tool_that_is_not_installed(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    packages = {name: make().package for name, make in engines.ENGINES.items()}
    for name, package in packages.items():
        monkeypatch.setitem(sys.modules, name, None)
        message = failed(capsys, *SMALL, "--against", name)
        assert message == f"--against {name} needs {package}: pip install {package}\n"


def test_a_kind_that_another_tool_does_not_take(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("pytrec_eval")
    arguments: tuple[Any, ...] = (*SMALL, "--against", "pytrec_eval", "--kind", "arrays")
    assert failed(capsys, *arguments).startswith("pytrec_eval takes no arrays; it takes: files gz")
