"""``cranfield check --margin``: verdicts, exit statuses, groups, formats, what is refused."""

from __future__ import annotations

import json
import os
import random
from pathlib import Path
from xml.etree import ElementTree

import cranfield as cf
import pytest

from tests.commands import called

TOPICS = 60


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Scores of runs: ``base``, ``worse`` by .05, ``better`` by .05, ``noisy``, ``few`` changed."""
    path = tmp_path_factory.mktemp("margins")
    chance = random.Random(1)
    base = [0.3 + 0.4 * chance.random() for _ in range(TOPICS)]
    noise = [chance.gauss(0, 0.01) for _ in base]
    runs = {
        "base": base,
        "worse": [x - 0.05 + e for x, e in zip(base, noise, strict=True)],
        "better": [x + 0.05 + e for x, e in zip(base, noise, strict=True)],
        "noisy": [x + 10 * e for x, e in zip(base, noise, strict=True)],
        "few": [x - (0.1 if place < 3 else 0) for place, x in enumerate(base)],
    }
    for name, values in runs.items():
        rows = [
            ("run", str(topic), measure, value if measure == "AP" else 1 - value)
            for topic, value in enumerate(values)
            for measure in ("AP", "E", "GMAP")
        ]
        lines = [f"{run},{topic},{measure},{value!r}\n" for run, topic, measure, value in rows]
        (path / f"{name}.csv").write_text("run,topic,measure,value\n" + "".join(lines))
    (path / "groups.tsv").write_text("".join(f"{t}\t{'ab'[t % 2]}\n" for t in range(TOPICS)))
    return path


def check(folder: Path, now: str, *options: str, then: str = "base") -> tuple[int, str, str]:
    environment = {"GITHUB_ACTIONS": "", "GITHUB_STEP_SUMMARY": ""}
    done = called(
        *("check", f"{now}.csv", "--baseline", f"{then}.csv", *options),
        folder=folder,
        **environment,
    )
    assert "Traceback" not in done.stderr
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize(
    ("now", "status", "word"),
    [
        ("base", 0, "pass"),
        ("better", 0, "pass"),
        ("worse", 1, "fail"),
        ("noisy", 3, "not known"),
        ("few", 0, "pass"),
    ],
)
@pytest.mark.parametrize("measure", ["AP", "E"])
def test_verdicts_and_statuses(
    folder: Path, now: str, status: int, word: str, measure: str
) -> None:
    code, out, err = check(folder, now, "--margin", f"{measure}=0.02")
    assert code == status
    assert word in out
    assert f"cranfield: {word}" in err
    code, out, _ = check(folder, now, "--margin", f"{measure}=0.02", "--json")
    content = json.loads(out)
    (row,) = content["comparisons"]
    assert (code, content["verdict"], row["verdict"]) == (status, word, word)
    # The same as in Python.
    values = [
        cf.read_scores(folder / f"{name}.csv")["run", measure].tolist() for name in (now, "base")
    ]
    better = "lower" if measure == "E" else "higher"
    found = cf.stats.verdict(values[0], values[1], 0.02, better=better)
    assert row["p_pass"] == found.p_pass
    assert (row["low"], row["high"]) == (found.low, found.high)
    assert (row["mde"], row["topics_needed"]) == (found.mde, found.topics_needed)
    assert row["topics_changed"] == {"base": 0, "few": 3}.get(now, TOPICS)


def test_what_is_not_known_counts_as_asked(folder: Path) -> None:
    for asked, status in (("pass", 0), ("fail", 1)):
        assert check(folder, "noisy", "--margin", "AP=0.02", "--unknown", asked)[0] == status
    # What failed stays so, and what passed.
    assert check(folder, "worse", "--margin", "AP=0.02", "--unknown", "pass")[0] == 1
    assert check(folder, "base", "--margin", "AP=0.02", "--unknown", "fail")[0] == 0


def test_one_margin_is_for_every_measure_that_can_be_tested(folder: Path) -> None:
    code, out, err = check(folder, "noisy", "--margin", "0.05", "--margin", "AP=0.3")
    assert [line.split()[1] for line in out.splitlines()[1:3]] == ["AP", "E"]
    assert "not tested: GMAP is a geometric mean, not a mean over topics" in err
    assert code in (0, 3)


def test_notes_of_few_changed_topics(folder: Path) -> None:
    _, out, _ = check(folder, "few", "--margin", "AP=0.02")
    assert "only 3 of 60 topics changed, so t is too sure" in out
    assert 'the test "bounded" allows for that' in out
    code, out, _ = check(folder, "few", "--margin", "AP=0.02", "--test", "bounded")
    assert (code, "not known" in out, "only 3" in out) == (3, True, False)
    _, out, _ = check(folder, "base", "--margin", "AP=0.02")
    assert "no topic changed: a change that hits fewer than 1 topic in 20 would not show" in out


def test_groups_can_fail_but_need_not_pass(folder: Path) -> None:
    grouped = ("--margin", "AP=0.02", "--topic-groups", "groups.tsv")
    code, out, _ = check(folder, "noisy", "--margin", "AP=0.045", "--topic-groups", "groups.tsv")
    words = {line.split()[0]: "pass" in line for line in out.splitlines()[1:4]}
    assert (code, words["all"]) == (0, True)
    code, out, err = check(folder, "worse", *grouped)
    assert (code, err.splitlines()[-1]) == (
        1,
        "cranfield: fail: 3 of 3 comparisons lost more than the margin",
    )
    required = check(folder, "noisy", "--margin", "AP=0.035", "--topic-groups", "groups.tsv")
    both = check(folder, "noisy", *required_groups(0.035))
    assert required[0] <= both[0]


def required_groups(margin: float) -> tuple[str, ...]:
    return ("--margin", f"AP={margin}", "--topic-groups", "groups.tsv", "--groups", "require")


def test_a_relative_margin_is_a_share(folder: Path) -> None:
    code, out, _ = check(folder, "worse", "--relative-margin", "AP=2%", "--json")
    row = json.loads(out)["comparisons"][0]
    assert (code, row["limit"]) == (1, "-2%")
    assert row["margin"] == pytest.approx(0.02 * row["baseline"])
    assert check(folder, "worse", "--relative-margin", "AP=20%")[0] == 0


def test_equality(folder: Path) -> None:
    assert check(folder, "better", "--margin", "AP=0.02", "--equal")[0] == 1
    assert check(folder, "base", "--margin", "AP=0.02", "--equal")[0] == 0


def test_looks_share_alpha(folder: Path) -> None:
    _, out, _ = check(folder, "noisy", "--margin", "AP=0.02", "--looks", "5")
    assert "98% interval" in out
    _, out, _ = check(folder, "noisy", "--margin", "AP=0.02", "--alpha", "0.1")
    assert "80% interval" in out


def test_junit(folder: Path) -> None:
    for now, tag in (("worse", "failure"), ("noisy", "skipped"), ("base", "system-out")):
        _, out, _ = check(folder, now, "--margin", "AP=0.02", "--format", "junit")
        suite = ElementTree.fromstring(out)[0]
        assert suite.get("tests") == "1"
        (case,) = suite
        assert (case.get("classname"), case.get("name"), case[0].tag) == ("run", "AP", tag)
        text = case[0].get("message") or case[0].text or ""
        assert "interval of the change" in text
        assert "60 topics show changes of" in text
    _, out, _ = check(
        folder, "noisy", "--margin", "AP=0.02", "--format", "junit", "--unknown", "fail"
    )
    assert ElementTree.fromstring(out)[0].get("failures") == "1"
    _, out, _ = check(folder, "worse", "--max-drop", "AP=0.01", "--format", "junit")
    assert ElementTree.fromstring(out)[0].get("failures") == "1"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--margin=-0.01"], "expected a margin of at least 0"),
        (["--margin", "nan"], "expected a margin of at least 0"),
        (["--margin", "AP="], "expected a margin of at least 0"),
        (["--margin", "2%"], "--relative-margin takes percentages"),
        (["--relative-margin", "0.02"], "--margin takes units of the measure"),
        (["--relative-margin", "100%"], "below 100%"),
        (["--margin", "AP=1"], "any loss is within a margin of 1"),
        (["--margin", "nonsuch=0.1"], "nonsuch"),
        (["--margin", "GMAP=0.1"], "geometric mean"),
        (["--margin", "num_ret=0.1"], "is a count"),
        (["--margin", "Judged=0.1"], "does not say which values are better"),
        (["--margin", "P@10=0.1"], "no measure 'P@10'"),
        (["--margin", "0.1", "--margin", "0.2"], "one margin for each measure"),
        (["--margin", "0.1", "--max-drop", "AP=0.1"], "two rules"),
        (["--margin", "0.1", "--test", "percentile"], "too often"),
        (["--margin", "0.1", "--test", "sign"], "not about one mean"),
        (["--margin", "0.1", "--looks", "0"], "looks"),
        (["--margin", "0.1", "--alpha", "2"], "alpha"),
        (["--max-drop", "AP=0.1", "--unknown", "pass"], "--unknown is only for"),
        (["--relative-margin", "2%", "--equal"], "absolute margin"),
    ],
)
def test_what_is_refused(folder: Path, options: list[str], message: str) -> None:
    code, out, err = check(folder, "worse", *options)
    assert (code, out) == (2, "")
    assert message in err


def test_nothing_passes_that_could_not_be_computed(folder: Path, tmp_path: Path) -> None:
    header = "run,topic,measure,value\n"
    (tmp_path / "base.csv").write_text(f"{header}r,1,AP,0.5\n")
    (tmp_path / "one.csv").write_text(f"{header}r,1,AP,0.5\n")
    (tmp_path / "other.csv").write_text(f"{header}r,2,AP,0.5\nr,3,AP,0.5\n")
    (tmp_path / "means.csv").write_text("run,AP\nr,0.5\n")
    for now, message in (
        ("one", "at least 2 topics, found 1"),
        ("other", "missing in"),
        ("means", "expected the scores of topics"),
    ):
        code, out, err = check(tmp_path, now, "--margin", "0.1")
        assert (code, out) == (2, "")
        assert message in err
    code, _, err = check(tmp_path, "other", "--margin", "0.1", "--allow-missing")
    assert (code, "no topic in common" in err) == (2, True)
    # A topic that only one side answered is not left out silently.
    lines = (folder / "base.csv").read_text().splitlines(keepends=True)
    gap = [line for line in lines if not line.startswith("run,7,AP")]
    (tmp_path / "base.csv").write_text("".join(lines))
    (tmp_path / "gap.csv").write_text("".join(gap))
    code, _, err = check(tmp_path, "gap", "--margin", "AP=0.1")
    assert (code, "missing in gap.csv for run in AP: 7" in err) == (2, True)
    code, out, _ = check(tmp_path, "gap", "--margin", "AP=0.1", "--allow-missing", "--json")
    assert (code, json.loads(out)["comparisons"][0]["topics"]) == (0, TOPICS - 1)


DATA = os.environ.get("CRANFIELD_DATA")


@pytest.mark.skipif(not DATA, reason="no CRANFIELD_DATA")
def test_a_build_on_trec8(tmp_path: Path) -> None:
    """A run made worse, and one made better, by .1 of P@10 on half of the topics."""
    source = Path(str(DATA)) / "trec8-adhoc"
    qrels = cf.read_qrels(source / "trec8.qrels.gz")
    judged = qrels.to_dict()
    run = cf.read_run(source / "runs" / "input.plt8ah1.gz").to_dict()
    made: dict[str, dict[str, dict[str, float]]] = {"worse": {}, "better": {}}
    for topic, scores in run.items():
        ranked = sorted(scores, key=lambda d: (-scores[d], d))
        first, rest = ranked[:10], ranked[10:]
        for name, grade in (("worse", 0), ("better", 1)):
            out = next((d for d in first if judged[topic].get(d, 0) != grade), None)
            come = next((d for d in rest if judged[topic].get(d, 0) == grade), None)
            order = ranked
            if out and come and int(topic) % 2:
                order = [come if d == out else out if d == come else d for d in ranked]
            made[name][topic] = {d: -float(place) for place, d in enumerate(order)}
    for name, own in {"base": run, **made}.items():
        found = cf.evaluate(qrels, {"system": own}, "P@10", progress=False)
        values = zip(found.topics, found["system", "P@10"].tolist(), strict=True)
        lines = [f"system,{topic},P@10,{value!r}\n" for topic, value in values]
        (tmp_path / f"{name}.csv").write_text("run,topic,measure,value\n" + "".join(lines))
    drop = json.loads(check(tmp_path, "worse", "--margin", "0.03", "--json")[1])["comparisons"][0]
    assert drop["change"] == pytest.approx(-0.045, abs=0.006)
    assert check(tmp_path, "worse", "--margin", "0.03")[0] == 1
    assert check(tmp_path, "worse", "--margin", "0.07")[0] == 0
    # Made worse by the margin itself: neither.
    assert check(tmp_path, "worse", f"--margin={-drop['change']!r}")[0] == 3
    code, out, _ = check(tmp_path, "better", "--margin", "0.01")
    assert (code, "pass, better" in out) == (0, True)
