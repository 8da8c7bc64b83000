"""Estimates from samples of a pool: files, columns, and the programs of their authors.

The oracles are what ``sample_eval.pl`` (10 October 2011) and ``statAP_MQ_eval`` (version 3) print
for the synthetic collection of ``CRANFIELD_DATA``, to their printed digits.
"""

from __future__ import annotations

import math
import random
import subprocess
import warnings
from collections import defaultdict
from pathlib import Path
from typing import Any

import cranfield as cf
import pytest

from tests.commands import called

RUNS = ("alpha", "bravo", "charlie", "delta", "foxtrot")


def command(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return called(*words, folder=folder)


def printed_by_sample_eval(path: Path) -> dict[str, dict[str, float]]:
    """Topic to measure to value."""
    found: dict[str, dict[str, float]] = defaultdict(dict)
    for line in path.read_text().splitlines():
        measure, topic, value = line.split()
        found[topic][measure] = float(value)
    return found


@pytest.mark.parametrize("run", [*RUNS, "echo"])
def test_sample_eval_prints_the_same(run: str, data: Path) -> None:
    folder = data / "oracles"
    ours = {"infAP": "xinfAP@1000", "infNDCG": "infNDCG@1000"}
    ours |= {f"iP{k}": f"infP@{k}" for k in (10, 50, 1000)}
    scores = cf.evaluate(
        folder / "sample_eval" / "strata.qrels",
        folder / "synthetic" / f"{run}.run",
        list(ours.values()),
    )
    compared = 0
    for topic, printed in printed_by_sample_eval(folder / "sample_eval" / f"{run}.out").items():
        if topic == "all":
            continue
        for theirs, measure in ours.items():
            value = scores.sel(topic=topic, measure=measure).values.item()
            assert f"{value:.4f}" == f"{printed[theirs]:.4f}", (topic, measure)
            compared += 1
    assert compared >= 5 * 11


@pytest.mark.parametrize("run", RUNS)
def test_stat_ap_prints_the_same(run: str, data: Path) -> None:
    folder = data / "oracles"
    scores = cf.evaluate(
        folder / "statap" / "prels",
        folder / "synthetic" / f"{run}.run",
        ["statAP", "statRprec"],
        undefined="skip",
    )
    compared = 0
    text = (folder / "statap" / f"{run}.v3.out").read_text()
    for block in text.split("topic=")[1:]:
        topic = block.split()[0]
        for theirs, measure in (("AP=", "statAP"), ("R-prec=", "statRprec")):
            printed = block.split(f"\t{theirs}" if theirs == "AP=" else theirs)[1].split()[0]
            value = scores.sel(topic=topic, measure=measure).values.item()
            if printed.startswith("NA"):
                assert value != value
            else:
                assert f"{value:.6f}" == printed, (topic, measure)
                compared += 1
    assert compared > 14


@pytest.mark.parametrize("name", ["qrels-sample-abstracts.2018", "qrels-sample-ct.2018"])
def test_real_strata(name: str, data: Path) -> None:
    """Estimates by the definitions in plain loops, for a list of the pool in random order."""
    qrels = cf.read_qrels(data / "trec-pm-sampled" / f"{name}.txt")
    rng = random.Random(7)
    run = {}
    for topic in qrels.topics:
        pool = [*qrels[topic], *(f"other{i}" for i in range(50))]
        rng.shuffle(pool)
        run[topic] = pool[:1000]
    measures = ["xinfAP", "infNDCG", "infP@10", "statAP", "statP@10"]
    scores = cf.evaluate(qrels, cf.Run.from_rankings(run), measures)
    for topic in qrels.topics:
        expected = by_hand(qrels[topic], qrels.column("stratum", topic), run[topic])
        assert scores.sel(topic=topic).values.ravel() == pytest.approx(expected, abs=1e-12)


def by_hand(
    grades: dict[str, float], stratum: dict[str, float], ranking: list[str]
) -> tuple[float, ...]:
    """xinfAP, infNDCG, infP@10, statAP, statP@10."""
    import math

    names = sorted(set(stratum.values()))
    pooled = {s: sum(x == s for x in stratum.values()) for s in names}
    judged = {s: sum(stratum[d] == s and g >= 0 for d, g in grades.items()) for s in names}
    weight = {d: pooled[stratum[d]] / judged[stratum[d]] for d, g in grades.items() if g >= 0}
    total = sum(weight[d] for d, g in grades.items() if g >= 1)

    def relevant(above: list[str], s: float) -> float:
        own = [d for d in above if stratum.get(d) == s]
        known = sum(grades[d] >= 0 for d in own)
        found = sum(grades[d] >= 1 for d in own)
        return len(own) * (found + 1e-5) / (known + 3e-5)

    xinfap = statap = seen = 0.0
    for rank, d in enumerate(ranking, 1):
        if grades.get(d, 0) >= 1:
            above = ranking[: rank - 1]
            xinfap += weight[d] * (1 + sum(relevant(above, s) for s in names)) / rank
            statap += weight[d] * (1 + seen) / rank
            seen += weight[d]
    dcg = 0.0
    for s in names:
        own = [(r, d) for r, d in enumerate(ranking, 1) if stratum.get(d) == s]
        known = sum(grades[d] >= 0 for _, d in own)
        gain = sum(max(grades[d], 0) / math.log2(r + 1) for r, d in own)
        dcg += len(own) * gain / known if known else 0
    ideal: list[float] = []
    for grade in sorted({g for g in grades.values() if g > 0}, reverse=True):
        counts = (
            (sum(stratum[d] == s and g == grade for d, g in grades.items()), s) for s in names
        )
        estimate = sum(n * pooled[s] / judged[s] for n, s in counts if n)
        ideal += [grade] * math.floor(estimate + 0.5)
    best = sum(g / math.log2(r + 1) for r, g in enumerate(ideal, 1))
    top = ranking[:10]
    return (
        xinfap / total if total else 0.0,
        dcg / best if best else 0.0,
        sum(relevant(top, s) for s in names) / 10,
        statap / total if total else 0.0,
        sum(weight[d] for d in top if grades.get(d, 0) >= 1) / 10,
    )


def test_a_column_is_added_to_judgments() -> None:
    judgments = {"1": {"a": 1, "b": 0, "c": 1}}
    qrels = cf.Qrels(judgments).with_column("inclusion", {"1": {"a": 0.5, "b": 1, "c": 0.25}})
    assert qrels.columns == ("inclusion",)
    assert qrels.column("inclusion", "1") == {"a": 0.5, "b": 1.0, "c": 0.25}
    run = cf.Run.from_rankings({"1": ["x", "a", "b", "c"]})
    assert cf.evaluate(qrels, run, "statAP statP@4").values.ravel().tolist() == [4 / 6, 1.5]
    again = qrels.with_column("inclusion", {"1": {"a": 1, "b": 1, "c": 1}})
    assert again.columns == ("inclusion",)
    assert cf.evaluate(again, run, "statAP").values.item() == cf.evaluate(qrels, run, "AP").values


@pytest.mark.parametrize(
    ("values", "kind", "sentence"),
    [
        (
            {"1": {"a": 0.5}},
            "needs",
            "expected a number as inclusion for each judgment, found none",
        ),
        ({"1": {"a": 0.5, "b": 0}}, "number", "above 0 and up to 1 as inclusion, found 0"),
        ({"1": {"a": 0.5, "b": 2}}, "number", "above 0 and up to 1 as inclusion, found 2"),
        ({"1": {"a": "x", "b": 1}}, "number", "expected a finite number as inclusion"),
        ({"1": 5}, "type", "expected a topic's column as {document: number}"),
    ],
)
def test_a_column_that_does_not_fit(values: object, kind: str, sentence: str) -> None:
    with pytest.raises(cf.Error) as error:
        cf.Qrels({"1": {"a": 1, "b": 0}}).with_column("inclusion", values)  # type: ignore[arg-type]
    assert error.value.kind == kind
    assert sentence in str(error.value)


def test_judgments_without_a_sample_are_refused() -> None:
    for measure in ("xinfAP", "infNDCG@10", "statDCG@5"):
        with pytest.raises(cf.Error, match=f"{measure} needs the stratum") as error:
            cf.evaluate({"1": {"a": 1}}, {"1": {"a": 1.0}}, measure)
        assert error.value.kind == "needs"


ESTIMATES = "infAP subAP subAP_expected"

SAMPLED = {"1": {"a": 1, "b": 0, "e": 1}, "2": {"a": 0, "c": 1}}
"""Judgments of a sample, which do not say what else was pooled."""

LISTS = {"1": {"a": 4.0, "p": 3.0, "b": 2.0, "e": 1.0}, "2": {"a": 2.0, "c": 1.0}}


def note(measures: str, verb: str = "estimate") -> str:
    return (
        f"no document is marked as pooled but not judged (grade -1), so {measures} {verb} nothing"
    )


@pytest.mark.parametrize(
    ("measures", "said"),
    [
        ("infAP", note("infAP", "estimates")),
        ("AP infAP subAP", note("infAP subAP")),
        (ESTIMATES, note(ESTIMATES)),
    ],
)
def test_a_sample_without_its_pool_is_told_of(measures: str, said: str, tmp_path: Path) -> None:
    qrels, run = tmp_path / "q.txt", tmp_path / "r.run"
    cf.Qrels(SAMPLED).write(str(qrels))
    cf.Run(LISTS).write(str(run))
    calls: list[Any] = [
        lambda: cf.evaluate(SAMPLED, LISTS, measures),
        lambda: cf.evaluate(qrels, run, measures),
        lambda: cf.Evaluator(SAMPLED, measures).evaluate({"one": LISTS, "two": LISTS}),
        lambda: cf.compare(SAMPLED, {"one": LISTS, "two": LISTS}, measures),
    ]
    for call in calls:
        with pytest.warns(cf.CranfieldWarning) as told:
            call()
        assert len(told) == 1
        assert said in str(told[0].message)
        assert "cranfield pool RUNS --qrels QRELS --marked" in str(told[0].message)
    done = command(tmp_path, "eval", "q.txt", "r.run", "-m", measures)
    assert f"cranfield: q.txt: {said}" in done.stderr
    assert command(tmp_path, "eval", "q.txt", "r.run", "-m", measures, "--quiet").stderr == ""


def test_what_says_nothing_of_a_pool() -> None:
    marked = {"1": {**SAMPLED["1"], "p": -1}, "2": SAMPLED["2"]}
    inclusion = cf.Qrels(SAMPLED).with_column(
        "inclusion", {t: dict.fromkeys(judged, 0.5) for t, judged in SAMPLED.items()}
    )
    strata = cf.Qrels(SAMPLED).with_column(
        "stratum", {t: dict.fromkeys(judged, 1) for t, judged in SAMPLED.items()}
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        cf.evaluate(marked, LISTS, f"AP {ESTIMATES}")
        cf.evaluate(SAMPLED, LISTS, "AP AP' bpref nDCG@10 Judged@10")
        # Probabilities say what was drawn: no mark is needed.
        cf.evaluate(inclusion, LISTS, "statAP statP@2")
    for measures in ("infAP statAP", "xinfAP infNDCG statAP"):
        judged = inclusion if "xinfAP" not in measures else strata
        said = measures if "xinfAP" in measures else "infAP"
        with pytest.warns(cf.CranfieldWarning, match=rf"so {said} estimates? nothing"):
            cf.evaluate(judged, LISTS, measures)


def test_a_pool_is_marked(tmp_path: Path) -> None:
    (tmp_path / "q.txt").write_text("1 0 a 1\n1 0 b 0\n1 0 e 1\n2 0 c 1\n")
    (tmp_path / "r.run").write_text(
        "1 Q0 a 1 4 t\n1 Q0 p 2 3 t\n1 Q0 b 3 2 t\n1 Q0 e 4 1 t\n2 Q0 c 1 1 t\n9 Q0 z 1 1 t\n"
    )
    # Of topic 1 the first three are pooled, of which p is not judged; 9 has no judgments.
    marked = "1 0 a 1\n1 0 b 0\n1 0 e 1\n1 0 p -1\n2 0 c 1\n"
    words = ["pool", "r.run", "--depth", "3", "--qrels", "q.txt", "--marked"]
    assert command(tmp_path, *words).stdout == marked
    done = command(tmp_path, *words, "--output", "m.txt")
    assert "not judged in q.txt: 1 document in 1 topic" in done.stderr
    assert (tmp_path / "m.txt").read_text() == marked
    pool = cf.collection.pool(tmp_path / "r.run", 3)
    found = cf.collection.mark_pool(tmp_path / "q.txt", pool)
    assert found == cf.read_qrels(tmp_path / "m.txt")
    # The same as both files one after the other, but for topics without judgments.
    rest = command(tmp_path, *words[:-1]).stdout
    assert rest == "1 0 p -1\n9 0 z -1\n"
    # a: 1; e at rank 4 below a, p, b: 1/4 + (3/4) (1 + e) / (2 + 2 e) = .625 where p is in the
    # pool, 1/4 + (3/4) (2/3) (1/2) = .5 where it is not. Topic 2: 1.
    with pytest.warns(cf.CranfieldWarning):
        without = cf.evaluate(tmp_path / "q.txt", tmp_path / "r.run", "infAP AP")
    assert without.values[0, 0].tolist() == pytest.approx([0.75, 0.75], abs=1e-4)
    within = cf.evaluate(found, tmp_path / "r.run", "infAP AP")
    assert within.values[0, 0].tolist() == pytest.approx([0.8125, 0.75], abs=1e-4)


def test_a_pool_that_cannot_be_marked(tmp_path: Path) -> None:
    (tmp_path / "q.txt").write_text("1 0 a 1\n")
    (tmp_path / "r.run").write_text("1 Q0 a 1 4 t\n")
    for words, said in (
        (["--marked"], "--marked is only for --qrels"),
        (["--qrels", "q.txt", "--marked", "--format", "csv"], "expected the format trec"),
    ):
        done = command(tmp_path, "pool", "r.run", *words)
        assert done.returncode == 2
        assert said in done.stderr
    strata = cf.Qrels({"1": {"a": 1}}).with_column("stratum", {"1": {"a": 1}})
    with pytest.raises(cf.Error, match="grades alone, found the column stratum"):
        cf.collection.mark_pool(strata, SAMPLED)


def test_a_tenth_of_trec_8(data: Path) -> None:
    # The first 100 documents of the 71 pooled runs, in single precision, are all that was judged:
    # so the marked pool is what `reduce` keeps of it.
    folder = data / "trec8-adhoc"
    qrels = cf.read_qrels(folder / "trec8.qrels.gz")
    names = (folder / "pooled-71.txt").read_text().split()
    runs = [folder / "runs" / f"input.{n.removeprefix('input.')}.gz" for n in names]
    dropped = cf.collection.reduce(qrels, 0.1, "random", seed=0, unsampled="drop")
    kept = cf.collection.reduce(qrels, 0.1, "random", seed=0, unsampled="pooled")
    pool = cf.collection.pool(runs, 100, scores="f32")
    marked = cf.collection.mark_pool(dropped, pool)
    assert marked.to_dict() == kept.to_dict()
    best = runs[names.index("READWARE2")]
    without = cf.evaluate(dropped, best, "infAP subAP AP").mean()[0]
    assert without[:2] == pytest.approx(without[2], abs=1e-3)
    full = cf.evaluate(qrels, best, "AP").mean().item()
    found = cf.evaluate(marked, best, "infAP subAP").mean()[0]
    # An estimate from a tenth is off by some hundredths, not by the factor of the plain value.
    assert found == pytest.approx(full, abs=0.12)
    assert without[2] < 0.5 * full


def test_the_page_names_how_the_ideal_list_of_sample_eval_differs() -> None:
    # The ideal list of its script holds one document of grade 1 at rank 101, beyond the cut.
    grades = {f"h{i:03}": 2 for i in range(100)} | {f"l{i}": 1 for i in range(5)}
    judged = cf.Qrels({"1": grades}).with_column("stratum", {"1": dict.fromkeys(grades, 1)})
    run = {"1": {f"h{i:03}": 200.0 - i for i in range(100)}}
    assert cf.evaluate(judged, run, "infNDCG@100").mean().item() == pytest.approx(1, abs=1e-12)
    ideal = math.fsum(2 / math.log2(r + 1) for r in range(1, 101))
    theirs = ideal / (ideal + 1 / math.log2(102))
    assert f"{theirs:.4f}" == "0.9964"
    page = cf.infNDCG.__doc__
    assert page is not None
    assert ".9964" in page
    assert "one document beyond the cut for each further grade" in " ".join(page.split())
