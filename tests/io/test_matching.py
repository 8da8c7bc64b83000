"""Runs and judgments that do not match: other topics, grades below ``rel``."""

from __future__ import annotations

import gzip
import io
import math
import pickle
import re
import subprocess
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import cranfield as cf
import numpy as np
import pytest
from cranfield import meta, study

from tests.commands import called

QRELS = {"1": {"a": 1, "b": 0}, "2": {"b": 1}, "3": {"c": 1}}
FRACTIONS = {"1": {"a": 0.9, "b": 0.1}, "2": {"a": 0.5}}
RUN = {"1": {"a": 2.0, "b": 1.0}, "2": {"a": 1.0}}
STRANGER = {"8": {"a": 1.0}, "9": {"a": 1.0}}

MESSAGE = (
    "run `{}` has no topic in common with the judgments: the run has `8` `9`, the judgments have "
    "`1` `2` `3`; give the judgments of this run's topics, or use {} to leave the others out"
)


def call(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return called(*arguments, folder=folder)


def lines(run: dict[str, dict[str, float]]) -> str:
    return "".join(f"{t} Q0 {d} 1 {s} tag\n" for t, docs in run.items() for d, s in docs.items())


def judgments(qrels: dict[str, dict[str, Any]]) -> str:
    return "".join(f"{t} 0 {d} {g}\n" for t, docs in qrels.items() for d, g in docs.items())


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "qrels.txt").write_text(judgments(QRELS))
    (tmp_path / "fractions.txt").write_text(judgments(FRACTIONS))
    (tmp_path / "good.run").write_text(lines({**RUN, "3": {"c": 1.0}}))
    (tmp_path / "other.run").write_text(lines({**RUN, "3": {"a": 1.0}}))
    (tmp_path / "stranger.run").write_text(lines(STRANGER))
    return tmp_path


def warned(work: Callable[[], object]) -> list[warnings.WarningMessage]:
    """The warnings of a call that are cranfield's.

    Others may come at any time: of a file that an earlier test left open, when it is collected.
    """
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        work()
    return [one for one in caught if issubclass(one.category, cf.CranfieldWarning)]


# no topic in common


JUDGED = cf.Qrels(QRELS)


def forms(folder: Path) -> dict[str, Any]:
    """A run of other topics in every form."""
    packed = folder / "packed.run.gz"
    packed.write_bytes(gzip.compress((folder / "stranger.run").read_bytes()))
    topics, documents = np.array([8, 9]), np.array([[1], [1]])
    return {
        "dict": STRANGER,
        "Run": cf.Run(STRANGER),
        "path": folder / "stranger.run",
        "packed": packed,
        "stream": io.BytesIO((folder / "stranger.run").read_bytes()),
        "arrays": cf.Run.from_topk(topics, documents, np.ones((2, 1))),
        "rankings": cf.Run.from_rankings({"8": ["a"], "9": ["a"]}),
        "ranked": cf.collection.rank(JUDGED, STRANGER)[0],
    }


@pytest.mark.parametrize(
    "form", ["dict", "Run", "path", "packed", "stream", "arrays", "rankings", "ranked"]
)
def test_a_run_of_other_topics_is_an_error(form: str, folder: Path) -> None:
    run = forms(folder)[form]
    with pytest.raises(cf.Error) as caught:
        cf.evaluate(JUDGED, run, "AP")
    name = {"path": "stranger", "packed": "packed"}.get(form, "run")
    assert caught.value.kind == "topics"
    assert caught.value.message == MESSAGE.format(name, 'missing="skip"')
    assert caught.value.command_line == MESSAGE.format(name, "--missing skip")
    paths = {"path": folder / "stranger.run", "packed": folder / "packed.run.gz"}
    assert caught.value.file == (str(paths[form]) if form in paths else FILES.get(form))


FILES = {"stream": "run"}
"""What a form is called as a file, if it is one without a path."""


def test_every_way_to_score_says_so(folder: Path) -> None:
    evaluator = cf.Evaluator(QRELS, "AP")
    bounding = cf.Evaluator(QRELS, "AP", ties="bounds")
    run, several = str(folder / "stranger.run"), {"good": RUN, "x": STRANGER}
    judged = cf.Qrels(QRELS)
    ranked = cf.collection.rank(judged, {"good": RUN, "x": STRANGER})
    ways: list[Callable[[], object]] = [
        lambda: evaluator.evaluate(run),
        lambda: evaluator.evaluate(several),
        lambda: evaluator.bounds(run),
        lambda: bounding.tie_bounds(run),
        lambda: cf.evaluate(QRELS, run, "AP", ties="average"),
        lambda: cf.tie_bounds(QRELS, run, "AP"),
        lambda: cf.evaluate(QRELS, run, "AP", missing="zero"),
        lambda: cf.evaluate(QRELS, run, "AP", missing="error"),
        lambda: cf.evaluate(QRELS, run, "AP", undefined="error"),
        lambda: cf.bounds(QRELS, run, "AP"),
        lambda: cf.compare(QRELS, several, "AP"),
        lambda: cf.compare(QRELS, several, "AP", bounds=False),
        lambda: cf.preferences(QRELS, several),
        lambda: cf.curves.precision_recall(QRELS, run),
        lambda: meta.incompleteness(judged, ranked, "AP", [0.5], samples=1, power=False),
        lambda: meta.sweep(ranked, judged, [1], [1], ["P"]),
        lambda: study.run("significance", QRELS, several, str(folder / "out")),
        lambda: cf.evaluate(QRELS, {}, "AP"),
        lambda: cf.evaluate({}, RUN, "AP"),
    ]
    for number, way in enumerate(ways):
        with pytest.raises(cf.Error, match="no topic in common") as caught:
            way()
        assert caught.value.kind == "topics", number


def test_one_topic_of_many_is_scored() -> None:
    evaluator = cf.Evaluator(QRELS, "AP")
    assert evaluator.evaluate({"2": {"b": 1.0}})["run", "AP"].tolist() == [0.0, 1.0, 0.0]
    assert evaluator.evaluate({"2": {}})["run", "AP"].tolist() == [0.0, 0.0, 0.0]


def test_skip_leaves_it_undefined(folder: Path) -> None:
    for run in forms(folder).values():
        scores = cf.evaluate(JUDGED, run, "AP", missing="skip")
        assert np.isnan(scores.values).all()
    done = call(folder, "eval", "qrels.txt", "stranger.run", "-m", "AP", "--missing", "skip")
    assert (done.returncode, done.stdout) == (0, "run       AP\nstranger   -\n")
    question = "stranger: no topic in common with the qrels: are these the right qrels?"
    assert done.stderr.splitlines()[0] == f"cranfield: {question}"


@pytest.mark.parametrize(
    "arguments",
    [
        ["eval", "qrels.txt", "stranger.run"],
        ["eval", "qrels.txt", "good.run", "stranger.run"],
        ["eval", "qrels.txt", "stranger.run", "--missing", "zero"],
        ["eval", "qrels.txt", "stranger.run", "--bounds"],
        ["eval", "qrels.txt", "stranger.run", "--ties", "average"],
        ["compare", "qrels.txt", "good.run", "stranger.run"],
        ["compare", "qrels.txt", "good.run", "stranger.run", "--no-bounds"],
        ["study", "curves", "qrels.txt", "stranger.run", "--output", "out"],
        ["study", "significance", "qrels.txt", "good.run", "stranger.run", "--output", "out"],
    ],
)
def test_quiet_does_not_silence_it(arguments: list[str], folder: Path) -> None:
    done = call(folder, *arguments, "--quiet")
    assert (done.returncode, done.stdout) == (2, "")
    message = MESSAGE.format("stranger", "--missing skip")
    first, *rest = done.stderr.splitlines()
    assert first in (f"cranfield: error: stranger.run: {message}", f"cranfield: error: {message}")
    left = "1 of 2 runs cannot be used, so nothing was written; --keep-going leaves them out"
    assert rest in ([], [f"cranfield: {left}"])


@pytest.mark.parametrize(
    "text",
    [
        "8 Q0 a 1 2 t\n8 Q0 a 2 1 t\n",
        "8 Q0 a 1 high t\n",
        "8 Q0 a 1 1 t\n9 Q0 a 1\n",
        "# x\n\n8 Q0 a 1 1 t\n9 Q0 a 1 nan t\n",
    ],
)
def test_it_is_reported_before_any_other_error_of_a_file(text: str, folder: Path) -> None:
    path = folder / "odd.run"
    path.write_text(text)
    with pytest.raises(cf.Error, match="no topic in common") as caught:
        cf.evaluate(QRELS, path, "AP")
    assert (caught.value.kind, caught.value.file) == ("topics", str(path))
    with pytest.raises(cf.Error, match="no topic in common"), path.open("rb") as stream:
        cf.evaluate(QRELS, stream, "AP")
    # Where a topic goes with the judgments, or topics do not matter, the fault is the news.
    path.write_text(text + "1 Q0 a 1 1 t\n")
    with pytest.raises(cf.Error) as caught:
        cf.evaluate(QRELS, path, "AP")
    assert caught.value.kind in ("duplicate", "number", "fields")
    with pytest.raises(cf.Error) as again:
        cf.evaluate(QRELS, io.BytesIO(path.read_bytes()), "AP")
    assert again.value.message == caught.value.message
    with pytest.raises(cf.Error) as caught:
        cf.evaluate({"7": {"a": 1}}, path, "AP", missing="skip")
    assert caught.value.kind in ("duplicate", "number", "fields")


def test_what_is_not_a_run_is_an_error(folder: Path) -> None:
    path = folder / "odd.run"
    for text in ("8 0 a 1\n", "8,a,1\n"):
        path.write_text(text)
        with pytest.raises(cf.Error) as caught:
            cf.evaluate(QRELS, path, "AP")
        assert caught.value.kind in ("fields", "number")


def test_compat_modules_follow_their_hosts() -> None:
    from cranfield.compat import pytrec_eval, ranx

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        whole = {topic: {d: int(g) for d, g in docs.items()} for topic, docs in QRELS.items()}
        evaluator = pytrec_eval.RelevanceEvaluator(whole, {"map"})
        assert evaluator.evaluate(STRANGER) == {}
        assert evaluator.evaluate({**RUN, "9": {"a": 1.0}}).keys() == {"1", "2"}
        found = ranx.evaluate(ranx.Qrels(whole), ranx.Run(STRANGER), "map", make_comparable=True)
        assert found == 0
        fractions: Any = FRACTIONS
        assert ranx.evaluate(ranx.Qrels(fractions), ranx.Run(RUN), "map") == 0


# grades below rel


@pytest.mark.parametrize("measure", ["AP", "P@5", "R@5", "RR", "bpref", "num_rel", "IA-AP", "AP'"])
def test_grades_below_the_default_level_are_an_error(measure: str) -> None:
    qrels = cf.Qrels(FRACTIONS)
    if measure.startswith("IA-"):
        with_intents = {t: {"i": docs} for t, docs in FRACTIONS.items()}
        qrels = cf.Qrels.from_intents(with_intents)
    lower = str(cf.Measure(measure)(rel=0.1))
    with pytest.raises(cf.Error) as caught:
        cf.evaluate(qrels, RUN, f"{measure} nDCG" if measure != "IA-AP" else measure)
    assert caught.value.kind == "needs"
    assert str(caught.value) == (
        f"nothing is relevant to {cf.Measure(measure)}: the highest grade 0.9 of these judgments "
        "is below rel=1, the default; give the lowest relevant grade, such as "
        f"rel=0.1: {lower}"
    )
    assert cf.evaluate(qrels, RUN, lower).values.max() > 0


def test_every_way_to_score_refuses_such_grades(folder: Path) -> None:
    qrels = str(folder / "fractions.txt")
    several = {"x": RUN, "y": RUN}
    judged = cf.Qrels(FRACTIONS)
    ranked = cf.collection.rank(judged, several)
    ways: list[Callable[[], object]] = [
        lambda: cf.Evaluator(qrels),
        lambda: cf.evaluate(qrels, RUN),
        lambda: cf.evaluate(judged, ranked, "AP"),
        lambda: cf.evaluate(FRACTIONS, RUN, "AP", missing="skip", undefined="skip"),
        lambda: cf.tie_bounds(FRACTIONS, RUN, "AP"),
        lambda: cf.bounds(FRACTIONS, RUN, "AP"),
        lambda: cf.compare(FRACTIONS, several, "AP"),
        lambda: cf.preferences(FRACTIONS, several),
        lambda: cf.curves.precision_recall(FRACTIONS, RUN),
        lambda: meta.incompleteness(judged, ranked, "AP", [0.5], samples=1, power=False),
        lambda: study.run("significance", judged, several, str(folder / "out")),
    ]
    for number, way in enumerate(ways):
        with pytest.raises(cf.Error, match=r"highest grade 0\.9 .* below rel=1") as caught:
            way()
        assert caught.value.kind == "needs", number


def test_what_does_not_depend_on_rel_is_scored() -> None:
    assert cf.evaluate(FRACTIONS, RUN, "nDCG Q ERR(max_rel=1) Judged@5 num_ret").values.max() > 0
    assert cf.evaluate(FRACTIONS, RUN, "RBP(p=0.8,max_rel=1)").values.max() > 0
    # Nothing was judged relevant on any scale, or something was.
    assert cf.evaluate({"1": {"a": 0}}, {"1": {"a": 1}}, "AP").values.max() == 0
    assert cf.evaluate({"1": {"a": -1}}, {"1": {"a": 1}}, "AP").values.max() == 0
    assert cf.evaluate({**FRACTIONS, "4": {"a": 1}}, RUN, "AP").values.max() == 0
    # Describing is how one finds out.
    assert cf.describe(FRACTIONS, RUN).judgments["R", "total"] == 0


def test_a_rel_that_is_given_is_respected() -> None:
    for measure in ("AP(rel=1)", "AP(rel=2)", cf.AP(rel=1), cf.Measure("P(rel=1)@5")):
        (warning,) = warned(lambda measure=measure: cf.evaluate(FRACTIONS, RUN, measure))  # type: ignore[misc]
        rel = 2 if "2" in str(measure) else 1
        assert str(warning.message).endswith(
            f"the judgments: highest grade 0.9 is below rel={rel} in 2 topics: 1 2"
        )
    assert cf.AP(rel=1) == cf.AP
    assert str(cf.AP(rel=1)) == "AP"
    again = pickle.loads(pickle.dumps(cf.Evaluator(FRACTIONS, "AP(rel=1) nDCG")))
    assert again.evaluate(RUN)["run", "AP"].tolist() == [0.0, 0.0]


def test_the_command_line_proposes_rel(folder: Path) -> None:
    for command in (["eval"], ["eval", "--bounds"], ["compare"]):
        name, *flags = command
        done = call(
            folder,
            name,
            "fractions.txt",
            "good.run",
            "other.run",
            "-m",
            "AP P@2",
            *flags,
            "--quiet",
        )
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr.endswith("such as rel=0.1: AP(rel=0.1) P(rel=0.1)@2\n")
    done = call(folder, "eval", "fractions.txt", "other.run", "-m", "AP(rel=1)")
    assert done.returncode == 0
    assert "fractions.txt: highest grade 0.9 is below rel=1 in 2 topics: 1 2\n" in done.stderr
    done = call(folder, "describe", "fractions.txt", "other.run")
    assert "fractions.txt: highest grade 0.9 is below rel=1 in 2 topics: 1 2\n" in done.stderr
    face = call(folder, "trec_eval", "-m", "map", "fractions.txt", "other.run")
    assert "rel=" not in face.stderr


def test_some_topics_are_named(folder: Path) -> None:
    (folder / "some.txt").write_text(judgments({**FRACTIONS, "3": {"c": 1}, "4": {"c": 0}}))
    done = call(folder, "eval", "some.txt", "good.run", "-m", "AP")
    assert done.returncode == 0
    assert done.stderr.splitlines()[:2] == [
        "cranfield: some.txt: 3 topics have no relevant document (undefined scores count 0): 1 2 4",
        "cranfield: some.txt: highest grade 0.9 is below rel=1 in 2 topics: 1 2",
    ]


def test_studies_take_rel(folder: Path) -> None:
    arguments = ["study", "significance", "fractions.txt", "good.run", "other.run"]
    done = call(folder, *arguments, "--output", "out", "--quiet")
    assert done.returncode == 2
    assert done.stderr.endswith("such as --rel 0.1\n")
    done = call(folder, *arguments, "--output", "out", "--rel", "0.5", "--quiet")
    assert (done.returncode, done.stderr) == (0, "")
    page = (folder / "out" / "index.html").read_text()
    assert "relevant from grade 0.5" in page
    judged, runs = cf.Qrels(FRACTIONS), {"x": RUN, "y": {"1": {"b": 1.0}, "2": {"a": 1.0}}}
    with pytest.raises(cf.Error, match=r"such as rel=0\.1$"):
        study.run("significance", judged, runs, str(folder / "python"))


def test_the_rel_of_a_study_is_that_of_its_measures(folder: Path) -> None:
    qrels = cf.Qrels({"1": {"a": 2, "b": 1}, "2": {"a": 1, "b": 2}, "3": {"c": 2, "d": 1}})
    runs = {
        "x": {"1": {"a": 2.0, "b": 1.0}, "2": {"a": 2.0, "b": 1.0}, "3": {"d": 2.0, "c": 1.0}},
        "y": {"1": {"b": 2.0, "a": 1.0}, "2": {"b": 2.0}, "3": {"c": 1.0}},
    }
    curve = meta.incompleteness(qrels, runs, "AP nDCG", [1.0], samples=1, power=False, rel=2)
    expected = cf.evaluate(qrels, runs, "AP(rel=2) nDCG").mean().mean(axis=0)
    np.testing.assert_allclose(curve.mean("mean")[0], expected, rtol=1e-12)
    assert curve.measures == ("AP", "nDCG")


# warnings


def test_one_warning_says_what_the_command_line_notes(folder: Path) -> None:
    (folder / "run.run").write_text(lines({"1": {"a": 1.0}, "9": {"a": 1.0}}))
    path, qrels = str(folder / "run.run"), {**QRELS, "4": {"a": 0}}
    (folder / "qrels.txt").write_text(judgments(qrels))
    done = call(folder, "eval", "qrels.txt", "run.run", "-m", "AP")
    notes = [line.removeprefix("cranfield: ") for line in done.stderr.splitlines()]
    (warning,) = warned(lambda: cf.evaluate(qrels, path, "AP"))
    assert warning.category is cf.CranfieldWarning
    assert issubclass(cf.CranfieldWarning, UserWarning)
    text = "; ".join(notes).replace("qrels.txt:", "the judgments:")
    assert str(warning.message) == text
    assert "Warning" not in done.stderr
    for work in (
        lambda: cf.Evaluator(qrels, "AP").evaluate([path]),
        lambda: cf.bounds(qrels, path, "AP"),
        lambda: cf.tie_bounds(qrels, path, "AP"),
        lambda: cf.curves.precision_recall(qrels, path),
    ):
        (warning,) = warned(work)
        assert (warning.category, str(warning.message)) == (cf.CranfieldWarning, text)
    assert len(warned(lambda: cf.compare(qrels, {"x": path, "y": path}, "AP"))) == 1


def test_it_points_at_the_caller() -> None:
    for work in (
        lambda: cf.evaluate(QRELS, RUN, "AP"),
        lambda: cf.Evaluator(QRELS, "AP").evaluate(RUN),
        lambda: cf.compare(QRELS, {"x": RUN, "y": RUN}, "AP"),
        lambda: meta.incompleteness(
            cf.Qrels(QRELS), {"x": RUN, "y": RUN}, "AP", [0.5, 1.0], samples=3, power=False
        ),
    ):
        (warning,) = warned(work)
        assert warning.filename == __file__


def test_what_the_caller_named_is_not_warned_of() -> None:
    run, bare = {"1": {"a": 1.0}, "2": {"b": 1.0}}, {**QRELS, "3": {"c": 0}}
    both = {"x": run, "y": run}
    for missing in ("zero", "skip"):
        assert warned(partial(cf.evaluate, QRELS, run, "AP", missing=missing)) == []
        assert warned(partial(cf.compare, QRELS, both, "AP", missing=missing)) == []
    full = {**run, "3": {"c": 1.0}}
    for undefined in ("zero", "skip"):
        assert warned(partial(cf.evaluate, bare, full, "AP", undefined=undefined)) == []
    assert len(warned(lambda: cf.evaluate(bare, full, "AP", missing="zero"))) == 1
    assert len(warned(lambda: cf.evaluate(bare, run, "AP", undefined="zero"))) == 1
    twice = cf.Run.from_rankings({topic: list(docs) for topic, docs in full.items()})
    assert warned(lambda: cf.evaluate(QRELS, twice, "AP", duplicates="first")) == []
    # Unjudged topics are dropped whatever is named.
    (warning,) = warned(
        lambda: cf.evaluate(QRELS, {**full, "9": {}}, "AP", missing="zero", undefined="zero")
    )
    assert str(warning.message) == "run: 1 topic has no judgments (ignored): 9"


def test_what_matches_and_one_topic_of_many_are_silent(folder: Path) -> None:
    evaluator = cf.Evaluator({**QRELS, "4": {"a": 0}}, "AP nDCG")
    assert warned(lambda: [evaluator.evaluate({topic: {"a": 1.0}}) for topic in QRELS]) == []
    assert (
        warned(lambda: evaluator.evaluate({"x": {"1": {"a": 1.0}}, "y": {"2": {"a": 1.0}}})) == []
    )
    assert warned(lambda: cf.evaluate(QRELS, {**RUN, "3": {"a": 1.0}}, "AP")) == []
    assert warned(lambda: cf.evaluate({"1": {"a": 1}}, {"1": {"a": 1.0}}, "AP")) == []
    assert warned(lambda: cf.describe(QRELS, RUN)) == []


def test_it_can_be_an_error() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error", cf.CranfieldWarning)
        with pytest.raises(cf.CranfieldWarning, match="1 topic of the qrels is missing"):
            cf.evaluate(QRELS, RUN, "AP")
        assert not math.isnan(cf.evaluate(QRELS, RUN, "AP", missing="zero").mean()[0, 0])


def test_a_study_warns_once(folder: Path) -> None:
    runs = [str(folder / name) for name in ("a.run", "b.run")]
    for path in runs:
        Path(path).write_text(lines(RUN))
    out = str(folder / "out")
    assert len(warned(lambda: study.run("significance", QRELS, runs, out))) == 1
    done = call(folder, "study", "significance", "qrels.txt", *runs, "--output", "again")
    assert done.stderr.count("1 topic of the qrels is missing") == 1
    assert "Warning" not in done.stderr


# flags and keywords

_KEYWORD = re.compile(
    r"\b(?!rel\b)[a-z]+(_[a-z]+)*=|\b(?!tukey_)[a-z]+_[a-z_]+\b|cf\.|Qrels\.|Run\."
)


@pytest.mark.parametrize(
    ("arguments", "flag"),
    [
        (["eval", "qrels.txt", "good.run", "-m", "Accuracy"], "--docs-in-collection"),
        (
            ["eval", "qrels.txt", "good.run", "-m", "Accuracy", "--docs-in-collection", "1"],
            "--docs-in",
        ),
        (["eval", "qrels.txt", "good.run", "-m", "alpha_nDCG@5"], "--layout intents"),
        (["eval", "qrels.txt", "good.run", "-m", "EC-nDCG"], "--classes"),
        (["eval", "qrels.txt", "three.run", "-m", "AP", "--max-line", "3"], "--max-line"),
        (
            ["eval", "qrels.txt", "good.run", "-m", "AP", "--bounds", "--bounds-mode", "fixed_R"],
            "--bounds-mode",
        ),
        (
            ["eval", "qrels.txt", "good.run", "-m", "AP", "--bounds", "--max-grade", "-1"],
            "--max-grade",
        ),
        (
            ["eval", "qrels.txt", "good.run", "-m", "AP", "--ties", "average", "--depth", "3"],
            "--depth",
        ),
        (
            ["eval", "qrels.txt", "good.run", "-m", "IA-AP", "--ties", "bounds"],
            "--ties bounds",
        ),
        (
            [
                "eval",
                "qrels.txt",
                "good.run",
                "-m",
                "AP",
                "--missing",
                "error",
                "--duplicates",
                "first",
                "--undefined",
                "nothing",
            ],
            "--undefined",
        ),
        (["compare", "qrels.txt", "good.run", "other.run", "--test", "t", "--seed", "3"], "--seed"),
        (["compare", "qrels.txt", "good.run", "other.run", "--alpha", "3"], "--alpha"),
        (["compare", "qrels.txt", "good.run", "other.run", "--level", "3"], "--level"),
        (["compare", "qrels.txt", "good.run", "good.run"], ""),
        (["study", "agreement", "qrels.txt", "good.run", "other.run", "--output", "o"], "--second"),
    ],
)
def test_the_command_line_speaks_in_flags(arguments: list[str], flag: str, folder: Path) -> None:
    (folder / "three.run").write_text(lines(RUN))
    done = call(folder, *arguments)
    assert done.returncode == 2, done.stdout
    error = done.stderr.split("cranfield: error: ", 1)[1]
    assert flag in error
    said = re.sub(r"`[^`]*`|--[a-z-]+( [a-zA-Z_]+)?|[a-zA-Z_]+\(max_rel=1\)|alpha_nDCG", "", error)
    assert _KEYWORD.search(said) is None, error
