"""trec_eval 10.0 itself, where cranfield's definitions are the same.

What it printed of its own tests is in ``$CRANFIELD_DATA/trec_eval``: for every measure that the
registry says to be the same, each value is compared to the four decimals. What it printed of
random collections, for the measures that ``pytrec_eval`` lacks, is in ``recorded/``; with
``TREC_EVAL`` naming the program it is run again, on real collections too.
``test_pytrec_eval.py`` has all other measures, to 1e-12.
"""

from __future__ import annotations

import contextlib
import random
import re
import subprocess
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import cranfield as cf
import pytest
from cranfield._core import families, parse_measures

from tests import graded
from tests.against.recorders import trec_eval_10

PRINTED = 5.1e-5
"""It prints four decimals."""

REGISTRY = {family["name"]: family for family in families()}

Values = dict[tuple[str, str], float]
"""Name and topic, or ``all``, to what was printed."""


def bare(name: str) -> str:
    """A printed name without its numbers."""
    return re.sub(r"[_.][-\d.,]+$", "", name)


SAME = {
    bare(peer["spelling"])
    for family in REGISTRY.values()
    for peer in family["peers"]
    if peer["tool"] in ("trec_eval", "trec_eval 10") and not peer["difference"]
}
"""Its names for measures that are the same here."""

SAME_HERE = {"Rprec_mult", "Rndcg", "G", "num_rel", "utility"}
"""Names with a difference that these collections do not show."""


def values_of(output: str) -> Values:
    """The numbers that it printed."""
    rows = (line.split("\t") for line in output.splitlines())
    return {
        (name.strip(), topic): float(value)
        for name, topic, value in rows
        if not name.startswith(("runid", "relstring"))
    }


def at_level(measure: cf.Measure, level: int) -> cf.Measure:
    """The measure with the relevance level of ``-l``, if it takes one."""
    takes = REGISTRY[measure.family]["rel"] and level != 1
    return measure(rel=level) if takes else measure


def compare(
    expected: Values, names: Iterable[str], qrels: Any, run: Any, level: int = 1, **options: Any
) -> int:
    """Compares every value of these names, topics and summaries; how many there were."""
    ours = {name: at_level(cf.Measure(name), level) for name in names}
    scores = cf.evaluate(qrels, run, list(ours.values()), **options)
    table = next(iter(scores.to_dict().values()))
    summary = dict(zip(scores.measures, scores.summary()[0], strict=True))
    compared = 0
    for (name, topic), value in expected.items():
        if name not in ours:
            continue
        measure = str(ours[name])
        found = summary[measure] if topic == "all" else table[topic][measure]
        assert found == pytest.approx(value, abs=PRINTED, rel=1e-12), (name, topic)
        compared += 1
    return compared


# --- what it printed ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("output", "qrels", "run", "level", "options", "number"),
    [
        ("out.test.aq", "qrels.test", "results.test", 1, {}, 314),
        ("out.test.aql", "qrels.rel_level", "results.test", 2, {}, 314),
        ("out.test.aqc", "qrels.test", "results.trunc", 1, {}, 314),
        ("out.test.aqcM", "qrels.test", "results.trunc", 1, {"depth": 100}, 314),
        ("out.test.meas_params", "qrels.test", "results.test", 1, {}, 60),
        ("out.test.qrels_prefs", "qrels.test", "results.test", 1, {"order": "docno_asc"}, 24),
    ],
)
def test_what_it_printed(
    data: Path,
    tmp_path: Path,
    output: str,
    qrels: str,
    run: str,
    level: int,
    options: dict[str, Any],
    number: int,
) -> None:
    folder = data / "trec_eval"
    path = folder / run
    if run == "results.trunc":
        # Lines end with more fields than six, which trec_eval does not read.
        path = tmp_path / run
        lines = (folder / run).read_text(encoding="utf-8").splitlines()
        path.write_text("".join(" ".join(line.split()[:6]) + "\n" for line in lines))
    expected = values_of((folder / output).read_text(encoding="utf-8"))
    names = {name for name, _ in expected if bare(name) in SAME | SAME_HERE}
    if output == "out.test.qrels_prefs":
        # With its order of equal scores there, and without negative grades.
        names = {name for name, _ in expected if re.match(r"prefs_(simp|num)", name)}
    assert compare(expected, names, folder / qrels, path, level, **options) == number


def test_every_measure_that_it_has_is_here_or_is_refused_with_a_reason(data: Path) -> None:
    seen = set()
    for path in (data / "trec_eval").glob("out.test.*"):
        if path.suffix != ".aqZ":
            lines = path.read_text(encoding="utf-8").splitlines()
            seen |= {line.split("\t")[0].strip() for line in lines}
    refused = set()
    for name in seen | {"yaap", "dcg", "ideal_dcg"}:
        if "=" in name:
            continue
        with contextlib.suppress(cf.Error):
            parse_measures(name)
            continue
        with pytest.raises(cf.Error, match="is refused"):
            parse_measures(name)
        refused.add(bare(name))
    assert refused == {
        *("runid", "num_q", "relstring", "iprec_at_recall", "11pt_avg"),
        *("rbp_resid", "unj", "map_avgjg", "P_avgjg", "Rprec_mult_avgjg"),
        *("prefs_pair", "prefs_pair_ret", "prefs_pair_imp"),
        *("prefs_avgjg", "prefs_avgjg_ret", "prefs_avgjg_imp"),
        *("prefs_avgjg_Rnonrel", "prefs_avgjg_Rnonrel_ret"),
    }


# --- the program --------------------------------------------------------------------------


@pytest.fixture(scope="module")
def recorded() -> trec_eval_10.Outputs:
    return trec_eval_10.outputs()


class Files:
    """A collection on disk, and what the program prints of it, or printed of the same bytes."""

    def __init__(
        self,
        recorded: trec_eval_10.Outputs,
        folder: Path,
        qrels: graded.Judgments,
        run: graded.Scored,
    ) -> None:
        self.recorded = recorded
        self.qrels, self.run = folder / "qrels", folder / "run"
        self.qrels.write_text(
            "".join(f"{t} 0 {d} {g}\n" for t, judged in qrels.items() for d, g in judged.items())
        )
        self.run.write_text(
            "".join(f"{t} Q0 {d} 0 {s!r} r\n" for t, one in run.items() for d, s in one.items())
        )

    def printed(self, *arguments: str) -> Values:
        """Its numbers under ``-q`` and these arguments."""
        key = trec_eval_10.key_of(arguments, self.qrels, self.run)
        if trec_eval_10.PROGRAM:
            command = [trec_eval_10.PROGRAM, "-q", *arguments, str(self.qrels), str(self.run)]
            done = subprocess.run(command, capture_output=True, text=True, check=True)
            self.recorded[key] = done.stdout
        return values_of(self.recorded[key])


def collections(
    seed: int, *, negative: bool = True, tied: bool = True
) -> tuple[graded.Judgments, graded.Scored]:
    """Some hundred random topics, with ties in score and topics that the run lacks."""
    rng = random.Random(seed)
    topics = [f"{topic:04}" for topic in range(400)]
    qrels, run = graded.random_collection(rng, topics, negative=negative, missing=False)
    for scored in run.values():
        for document in scored:
            scored[document] = rng.choice((scored[document], 0.0, -1.0)) if tied else rng.random()
    for topic in rng.sample(topics, 20):
        del run[topic]
    return qrels, run


NEW = ("yaap", "dcg", "ideal_dcg", "utility", "binG", "G", "ndcg_rel")
NEW_SETS = ("set_relative_P", "num_nonrel_judged_ret", "gm_bpref", "Rprec_mult")


def chosen(names: Iterable[str]) -> list[str]:
    return [argument for name in names for argument in ("-m", name)]


@pytest.mark.parametrize("seed", range(6))
def test_random_collections(recorded: trec_eval_10.Outputs, tmp_path: Path, seed: int) -> None:
    qrels, run = collections(seed)
    files = Files(recorded, tmp_path, qrels, run)
    level = 2 if seed % 3 == 2 else 1
    expected = files.printed("-c", "-l", str(level), *chosen([*NEW, *NEW_SETS]))
    names = {name for name, _ in expected}
    assert len(names) == len(NEW) + len(NEW_SETS) - 1 + 10
    assert compare(expected, names, files.qrels, files.run, level) > 4000


def test_condensed_lists(recorded: trec_eval_10.Outputs, tmp_path: Path) -> None:
    qrels, run = collections(11)
    files = Files(recorded, tmp_path, qrels, run)
    expected = files.printed("-c", "-J", *chosen([*NEW, *NEW_SETS]))
    names = {name for name, _ in expected}
    ours = {name: cf.Measure(name).prime for name in names}
    scores = cf.evaluate(files.qrels, files.run, list(ours.values())).to_dict()["run"]
    for (name, topic), value in expected.items():
        if topic != "all":
            assert scores[topic][str(ours[name])] == pytest.approx(value, abs=PRINTED), name


@pytest.mark.parametrize("gains", ["1=3,2=9,3=4", "1=7,2=2,3=1", "1=2,2=2,3=2"])
def test_gains(recorded: trec_eval_10.Outputs, tmp_path: Path, gains: str) -> None:
    """Whole numbers: its order of gains that are less than 1 apart is not that of their size."""
    qrels, run = collections(21)
    files = Files(recorded, tmp_path, qrels, run)
    mapped = f"(gain={{{gains.replace('=', ':')}}})"
    for name, family in (("G", "G"), ("ndcg_rel", "nDCG_rel"), ("dcg", "DCG"), ("ndcg", "nDCG")):
        expected = files.printed("-c", "-m", f"{name}.{gains}")
        found = cf.evaluate(files.qrels, files.run, family + mapped)
        assert len(expected) == len(found.topics) + 1
        by_topic = {topic: value for (_, topic), value in expected.items() if topic != "all"}
        assert found.values[0, :, 0] == pytest.approx(list(by_topic.values()), abs=PRINTED)


def test_multiples_of_r(recorded: trec_eval_10.Outputs, tmp_path: Path) -> None:
    """0.35 x 3 = 1.05 is two documents here and one there; 0.3 x 3 = 0.9 is one."""
    judged = {"a": 0, "b": 1, "c": 1, "d": 1}
    files = Files(recorded, tmp_path, {"1": judged}, {"1": {d: -ord(d) for d in judged}})
    theirs = files.printed("-m", "Rprec_mult.0.3,0.35")
    ours = cf.evaluate(files.qrels, files.run, "Rprec(mult=0.3) Rprec(mult=0.35)").values[0, 0]
    assert (theirs["Rprec_mult_0.30", "1"], ours[0]) == (0, 0)
    assert (theirs["Rprec_mult_0.35", "1"], ours[1]) == (0, 0.5)


def test_utility_with_prices(recorded: trec_eval_10.Outputs, tmp_path: Path) -> None:
    qrels, run = collections(31)
    qrels = {topic: judged for topic, judged in qrels.items() if topic in run}
    files = Files(recorded, tmp_path, qrels, run)
    for prices in ("2,-1,0,0", "-0.5,3,-2.25,0", "1,-1,-1,0.125"):
        expected = files.printed("-N", "1000", "-m", f"utility.{prices}")
        qrels_sized = cf.read_qrels(files.qrels, docs_in_collection=1000)
        name = f"utility_{prices}"
        assert compare(expected, [name], qrels_sized, files.run) == len(run) + 1


def short_lists(files: Files) -> int:
    """Rndcg leaves the whole list out if it has no more than R + 1 documents."""
    qrels = cf.read_qrels(files.qrels)
    expected = files.printed("-c", "-m", "Rndcg")
    scores = cf.evaluate(qrels, files.run, "RnDCG nDCG num_rel num_ret").to_dict()["run"]
    short = 0
    for topic, values in scores.items():
        theirs = expected["Rndcg", topic]
        points = len({grade for grade in qrels.to_dict()[topic].values() if grade > 0})
        if values["num_ret"] > values["num_rel"] + 1:
            assert values["RnDCG"] == pytest.approx(theirs, abs=PRINTED), topic
        elif points:
            without = (values["RnDCG"] * (points + 1) - values["nDCG"]) / points
            assert without == pytest.approx(theirs, abs=PRINTED), topic
            short += without != pytest.approx(values["RnDCG"], abs=PRINTED)
    return short


def test_ideal_lists_that_change(recorded: trec_eval_10.Outputs, tmp_path: Path) -> None:
    assert short_lists(Files(recorded, tmp_path, *collections(41))) > 30


PREFERENCES = ("prefs_num_prefs_poss", "prefs_num_prefs_ful", "prefs_num_prefs_ful_ret")
RATIOS = ("prefs_simp", "prefs_simp_ret", "prefs_simp_imp")


@pytest.mark.parametrize("seed", range(3))
def test_preferences(recorded: trec_eval_10.Outputs, tmp_path: Path, seed: int) -> None:
    """With its own order of equal scores, and without negative grades."""
    qrels, run = collections(50 + seed, negative=False)
    qrels = {topic: judged for topic, judged in qrels.items() if topic in run}
    files = Files(recorded, tmp_path, qrels, run)
    expected = files.printed("-R", "qrels_prefs", "-m", "all_prefs")
    names = [*PREFERENCES, *RATIOS]
    assert compare(expected, names, files.qrels, files.run, order="docno_asc") == 6 * (len(run) + 1)
    # With one judge its three forms are one.
    for (name, topic), value in expected.items():
        if name in RATIOS:
            variant = name.removeprefix("prefs_simp")
            assert expected[f"prefs_pair{variant}", topic] == value
            assert expected[f"prefs_avgjg{variant}", topic] == value
    limited = cf.evaluate(files.qrels, files.run, 'Pref(nonrel="R")', order="docno_asc")
    checked = 0
    for topic, found in zip(limited.topics, limited.values[0, :, 0], strict=True):
        relevant = sum(grade > 0 for grade in qrels[topic].values())
        if relevant >= sum(grade == 0 for grade in qrels[topic].values()) > 0:
            theirs = expected["prefs_avgjg_Rnonrel", topic]
            assert found == pytest.approx(theirs, abs=PRINTED), topic
            checked += 1
    assert checked > 50


@pytest.mark.parametrize("k", [1, 3, 5])
def test_preferences_with_a_cutoff(recorded: trec_eval_10.Outputs, tmp_path: Path, k: int) -> None:
    qrels, run = collections(61, negative=False, tied=False)
    qrels = {topic: judged for topic, judged in qrels.items() if topic in run}
    files = Files(recorded, tmp_path, qrels, run)
    expected = files.printed("-M", str(k), "-R", "qrels_prefs", "-m", "all_prefs")
    measures = {name: cf.Measure(name) @ k for name in (*PREFERENCES, *RATIOS)}
    scores = cf.evaluate(files.qrels, files.run, list(measures.values())).to_dict()["run"]
    for topic, values in scores.items():
        for name, measure in measures.items():
            assert values[str(measure)] == pytest.approx(expected[name, topic], abs=PRINTED)


def test_the_ideal_list_has_all_of_g(recorded: trec_eval_10.Outputs, tmp_path: Path) -> None:
    """With gains below 1 trec_eval's has less."""
    files = Files(recorded, tmp_path, {"1": {"a": 1}}, {"1": {"a": 1.0}})
    ours = cf.evaluate(files.qrels, files.run, "G(gain={1:0.5})").values.item()
    assert ours == 1
    # Level 0 first, or its ideal list is empty. 1 / log2(2 + 1 - 0.5).
    theirs = files.printed("-m", "G.0=0,1=0.5")["G_0=0,1=0.5", "1"]
    assert theirs == pytest.approx(0.7565, abs=PRINTED)


def real_runs(data: Path) -> Iterator[tuple[str, graded.Judgments, graded.Scored]]:
    for folder, runs in (("cast2021", 2), ("cranfield", 3)):
        yield from graded.real(data / folder, runs)


@pytest.mark.skipif(not trec_eval_10.PROGRAM, reason="TREC_EVAL does not name trec_eval's program")
def test_real_runs(recorded: trec_eval_10.Outputs, data: Path, tmp_path: Path) -> None:
    compared = 0
    for _, qrels, run in real_runs(data):
        files = Files(recorded, tmp_path, qrels, run)
        short_lists(files)
        expected = files.printed(*chosen([*NEW, *NEW_SETS]))
        compared += compare(expected, {name for name, _ in expected}, files.qrels, files.run)
        preferred = files.printed("-R", "qrels_prefs", *chosen([*PREFERENCES, *RATIOS]))
        names = {name for name, _ in preferred}
        compared += compare(preferred, names, files.qrels, files.run, order="docno_asc")
    assert compared > 10_000
