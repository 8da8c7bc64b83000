"""The summary over topics is the same everywhere: reprs, HTML, the command line, `check`."""

from __future__ import annotations

import re
from pathlib import Path

import cranfield as cf
import pytest
from cranfield._cli import main

from tests.commands import unsigned

QRELS = {"1": {"a": 1, "b": 1}, "2": {"a": 1}, "3": {"b": 1, "n": 0}}
RUNS = {
    "one": {"1": {"a": 2.0, "b": 1.0}, "2": {"x": 2.0, "a": 1.0}, "3": {"x": 1.0}},
    "two": {"1": {"a": 2.0, "x": 1.0}, "2": {"a": 2.0}, "3": {"n": 2.0, "b": 1.0}},
}
MEASURES = "AP GMAP num_ret num_rel_ret micro_P gm_bpref E yaap"


def printed(tmp_path: Path, *options: str) -> list[list[str]]:
    """The rows of `cranfield eval`."""
    lines = [f"{t} 0 {d} {g}\n" for t, judged in QRELS.items() for d, g in judged.items()]
    (tmp_path / "qrels").write_text("".join(lines))
    for name, lists in RUNS.items():
        cf.Run(lists).write(str(tmp_path / f"{name}.run"))
    files = [str(tmp_path / name) for name in ("qrels", "one.run", "two.run")]
    command = ["eval", *files, "-m", MEASURES, "--quiet", "--output", str(tmp_path / "out.txt")]
    assert main([*command, *options]) == 0
    header, *rows = unsigned((tmp_path / "out.txt").read_text()).splitlines()
    return [header.split(), *(row.split() for row in rows)]


def unmarked(text: str) -> list[list[str]]:
    """The rows of a repr without what marks the best."""
    return [line.replace("^", "").split() for line in text.splitlines()[1:]]


def test_a_repr_has_the_numbers_of_the_command_line(tmp_path: Path) -> None:
    scores = cf.evaluate(QRELS, RUNS, MEASURES)
    lines = unmarked(repr(scores))
    assert lines == printed(tmp_path)
    # AP 1, 1/2 and 0, which counts as 0.00001: its cube root is .0171; 2 + 2 + 1 retrieved.
    gmap, retrieved, found = lines[2][2:5]
    assert (gmap, retrieved, found) == ("0.0171", "5", "3")
    assert repr(scores).startswith("<Scores: 2 runs x 3 topics x 8 measures; summary, ^ best:>\n")


def test_html_has_the_same_numbers(tmp_path: Path) -> None:
    html = re.sub("</?[bu]>", "", cf.evaluate(QRELS, RUNS, MEASURES)._repr_html_())
    header, *rows = printed(tmp_path)
    assert "".join(f"<th>{cell}</th>" for cell in header[1:]) in html
    for name, *cells in rows:
        assert f"<th>{name}</th>" + "".join(f"<td>{cell}</td>" for cell in cells) in html


def test_a_part_is_printed_as_the_whole() -> None:
    scores = cf.evaluate(QRELS, RUNS, MEASURES)
    part = scores.sel(run="two", topic=["1", "3"], measure=["num_ret", "micro_P"])
    # 2 + 2 documents, of which a and b are relevant.
    assert repr(part).splitlines()[-1].split() == ["two", "4", "0.5000"]


def test_bounds_have_the_numbers_of_the_command_line(tmp_path: Path) -> None:
    measures = "AP GMAP num_rel_ret"
    printed(tmp_path)
    files = [str(tmp_path / name) for name in ("qrels", "one.run", "two.run")]
    command = ["eval", *files, "-m", measures, "--bounds", "--quiet", "--sort", "AP"]
    assert main([*command, "--output", str(tmp_path / "out.txt")]) == 0
    expected = (tmp_path / "out.txt").read_text().splitlines()[1:3]
    found = cf.bounds(QRELS, RUNS, measures)
    assert unmarked(repr(found))[1:] == [line.split() for line in expected]
    assert "; summary, ^ best:>" in repr(found)
    low, high = (part.summary()[0, 2] for part in (found.low, found.high))
    assert f"<td><b>3</b></td><td>{low:.0f}</td><td>{high:.0f}</td>" in found._repr_html_()


def test_undefined_is_a_dash() -> None:
    scores = cf.evaluate({"1": {"a": 0}}, {"r": {"1": {"a": 1.0}}}, "GMAP", undefined="skip")
    assert repr(scores).splitlines()[-1].split() == ["r", "-"]


def test_check_prints_counts_whole(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, number in (("then", "7"), ("now", "4")):
        (tmp_path / f"{name}.csv").write_text(f"run,num_rel_ret,AP\nr,{number},0.5\n")
    files = [str(tmp_path / "now.csv"), "--baseline", str(tmp_path / "then.csv")]
    limits = ["--max-drop", "num_rel_ret=1", "--max-drop", "AP=0"]
    assert main(["check", *files, *limits]) == 1
    _, count, mean = capsys.readouterr().out.splitlines()
    assert count.split() == ["r", "num_rel_ret", "7", "4", "-3", "-1", "breach"]
    assert mean.split() == ["r", "AP", "0.5000", "0.5000", "0.0000", "-0", "ok"]


def test_means_are_the_printed_numbers_in_the_printed_order(tmp_path: Path) -> None:
    for scores in (
        cf.evaluate(QRELS, RUNS, MEASURES),
        cf.evaluate(QRELS, RUNS, MEASURES).sel(run=["one", "two"]),
    ):
        means = scores.means
        rows = unmarked(repr(scores))[1:]
        assert list(means) == [row[0] for row in rows]
        for run, *cells in rows:
            assert list(means[run]) == list(scores.measures)
            for cell, (measure, value) in zip(cells, means[run].items(), strict=True):
                assert float(cell) == pytest.approx(value, abs=5e-5), measure
            assert scores[run].runs == (run,)
            assert scores[run].means == {run: means[run]}
    with pytest.raises(cf.LabelError, match="did you mean one"):
        scores["onee"]


def test_a_frame_has_its_labels_as_the_index() -> None:
    pytest.importorskip("pandas")
    scores = cf.evaluate(QRELS, RUNS, MEASURES)
    frame = scores.to_pandas(wide=True, summary=True, index=True)
    assert frame.index.names == ["run"]
    assert frame.loc["one", "GMAP"] == scores.means["one"]["GMAP"]
    long = scores.to_pandas(index=True)
    assert long.index.names == ["run", "topic", "measure"]
    assert long.columns.tolist() == ["value"]
    assert long.loc[("two", "3", "AP"), "value"] == scores["two", "AP"][2]
    assert scores.to_pandas(wide=True, index=True).index.names == ["run", "topic"]
    assert scores.to_pandas().index.names == [None]
