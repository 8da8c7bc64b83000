"""A study of groups of topics: each against the study of the same topics alone."""

import csv
import json
from pathlib import Path

import cranfield as cf
import pytest
from cranfield import study
from cranfield._cli import main
from cranfield._study.folder import digest, slug

TOPICS = [str(topic) for topic in range(1, 9)]
QRELS = {t: {"a": 1, "b": int(int(t) % 3 > 0), "c": 0} for t in TOPICS}
RUNS = {
    "x": {t: {"a": 3.0, "b": 2.0, "c": 1.0} for t in TOPICS},
    "y": {t: {"c": 3.0, "a": 2.0 if int(t) < 5 else 0.5, "b": 1.0} for t in TOPICS},
    "z": {t: {"c": 3.0, "d": 2.0, "b": 1.0} for t in TOPICS},
}
GROUPS = {t: ["low"] if int(t) < 5 else ["high"] for t in TOPICS}


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def test_groups_are_studied_alone_and_together(tmp_path: Path) -> None:
    done = study.run(
        "significance",
        QRELS,
        RUNS,
        str(tmp_path / "out"),
        # The best by all topics: x and y; by those of "high" alone they are x and z.
        choice=study.Choice(top=2),
        topic_groups=GROUPS,
        measures=["AP"],
    )
    assert done.page == str(tmp_path / "out" / "together" / "index.html")
    text = Path(done.page).read_text()
    assert "The study of each group is in a folder beside this one" in text
    folders = {folder.name for folder in (tmp_path / "out").iterdir()}
    assert folders == {"low", "high", "all", "together"}
    for group in ("low", "high"):
        judged = {t: QRELS[t] for t in TOPICS if group in GROUPS[t]}
        some = {name: {t: RUNS[name][t] for t in judged} for name in ("x", "y")}
        alone = tmp_path / f"alone-{group}"
        study.run("significance", judged, some, str(alone), measures=["AP"])
        for path in (alone / "tables").glob("*.csv"):
            assert (tmp_path / "out" / group / "tables" / path.name).read_text() == path.read_text()
    found = rows(tmp_path / "out" / "together" / "tables" / "pairs-AP-difference.csv")
    assert list(found[0]) == ["run", "low", "high", "all"]
    difference = [float(found[0][name]) for name in ("low", "high", "all")]
    assert difference[2] == pytest.approx((difference[0] + difference[1]) / 2)
    # The same call keeps what is finished.
    again = study.run(
        "significance",
        QRELS,
        RUNS,
        str(tmp_path / "out"),
        choice=study.Choice(top=2),
        topic_groups=GROUPS,
        measures=["AP"],
    )
    assert not again.computed


def test_bad_groups_of_a_study(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("q.txt").write_text("".join(f"{t} 0 a 1\n" for t in TOPICS))
    for name in ("x", "y"):
        Path(f"{name}.run").write_text("".join(f"{t} Q0 a 1 1 {name}\n" for t in TOPICS))
    Path("c.toml").write_text("[one]\nqrels = 'q.txt'\nruns = '*.run'\n")
    words = ["study", "significance", "q.txt", "x.run", "y.run", "--output", "out"]
    for groups, given, message in (
        ("99 g\n", words, "no topic '99' (group 'g')"),
        ("1 all\n", words, "expected a name of a group other than 'all'"),
        ("1 g\n", words, "group 'g': "),
        ("1 g\n", [*words[:2], "c.toml", *words[5:]], "--topic-groups is about one collection"),
    ):
        Path("g.tsv").write_text(groups)
        assert main([*given, "--topic-groups", "g.tsv"]) == 2
        assert message in capsys.readouterr().err


def test_topics_of_a_study_keep_the_columns_of_judgments() -> None:
    qrels = cf.Qrels({t: {"a": 1, "b": 0} for t in TOPICS})
    strata = {t: {"a": int(t), "b": 1} for t in TOPICS}
    some = qrels.with_column("stratum", strata).restrict_to_topics(TOPICS[:3])
    assert some.topics == tuple(TOPICS[:3])
    assert some.column("stratum", "3") == {"a": 3, "b": 1}


def test_groups_with_any_names_have_folders_of_their_own(tmp_path: Path) -> None:
    long = "x" * 300
    names = [
        long,
        long + "y",
        "Grün",
        "日本" * 200,
        "together",
        "a b",
        "A-b",
        "***",
        "\udcff",
        "../up",
    ]
    done = study.run(
        "significance",
        QRELS,
        RUNS,
        str(tmp_path / "out"),
        topic_groups=dict.fromkeys(TOPICS, names),
        measures=["AP"],
    )
    folders = {folder.name for folder in (tmp_path / "out").iterdir()}
    assert len({name.casefold() for name in folders}) == len(names) + 2
    assert {"Grün", "a-b", "all", "together", "up"} <= folders
    assert all(len(name.encode()) < 100 for name in folders)
    assert all((tmp_path / "out" / name / "index.html").is_file() for name in folders)
    data = (tmp_path / "out" / "together" / "study.json").read_bytes()
    record = json.loads(data.decode("utf-8", "surrogateescape"))
    own = record["groups of topics"]
    assert set(own) == {*names, "all"}
    assert set(own.values()) == folders - {"together"}
    # Names do not depend on the process.
    assert own[long] == slug(long) == f"{long[:80]}-{digest(long)[:8]}"
    page = Path(done.page).read_text(encoding="utf-8", errors="surrogateescape")
    for folder in own.values():
        assert f"../{folder}/index.html" in page
