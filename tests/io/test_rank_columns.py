"""A column called rank is a rank in every form of table."""

from __future__ import annotations

import pickle
from collections import namedtuple
from typing import TYPE_CHECKING, Any

import cranfield as cf
import pytest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

QRELS = {"1": {"a": 1, "b": 0, "x": 1}, "2": {"c": 1}}

ROWS = [("1", "b", 2), ("1", "a", 1), ("2", "e", 1), ("2", "c", 3), ("2", "d", 2)]

NAMES = ["rank", "Rank", "RANK", "position", "pos", "ranking"]


def tables() -> dict[str, Callable[[dict[str, list[Any]]], Any]]:
    def arrow(data: dict[str, list[Any]]) -> Any:
        return pytest.importorskip("pyarrow").table(data)

    def rows(data: dict[str, list[Any]]) -> Any:
        row = namedtuple("row", list(data))  # type: ignore[misc]
        return [row(*values) for values in zip(*data.values(), strict=True)]

    class Stream:
        """Arrow data without a way to ask for the names of its columns."""

        def __init__(self, data: dict[str, list[Any]]) -> None:
            self.table = arrow(data)

        def __arrow_c_stream__(self, requested_schema: object = None) -> Any:
            return self.table.__arrow_c_stream__(requested_schema)

    return {
        "pandas": lambda data: pytest.importorskip("pandas").DataFrame(data),
        "polars": lambda data: pytest.importorskip("polars").DataFrame(data),
        "arrow": arrow,
        "reader": lambda data: arrow(data).to_reader(max_chunksize=2),
        "stream": Stream,
        "from_arrow": lambda data: cf.Run.from_arrow(arrow(data)),
        "rows": rows,
        # pyarrow has no type for a column of this kind.
        "pandas without Arrow": lambda data: pytest.importorskip("pandas").DataFrame(
            {**data, "note": ["x", *[{1}] * (len(next(iter(data.values()))) - 1)]}
        ),
    }


@pytest.fixture(params=list(tables().values()), ids=list(tables()))
def make(request: pytest.FixtureRequest) -> Callable[[dict[str, list[Any]]], Any]:
    made: Callable[[dict[str, list[Any]]], Any] = request.param
    return made


def columns(*names: str) -> dict[str, list[Any]]:
    return dict(zip(names, map(list, zip(*ROWS, strict=True)), strict=False))


def scores(run: Any, **options: Any) -> Any:
    return cf.evaluate(QRELS, run, "AP RR num_ret", **options).values.tolist()


@pytest.mark.parametrize("name", NAMES)
def test_ranks_are_those_of_the_file(name: str, make: Any, tmp_path: Path) -> None:
    path = tmp_path / "some.run"
    path.write_text("".join(f"{topic} {document} {rank}\n" for topic, document, rank in ROWS))
    for options in ({}, {"order": "rank"}, {"order": "docno_asc"}, {"scores": "f32"}):
        run = make(columns("qid", "docno", name))
        assert scores(run, **options) == scores(path, run_layout="msmarco", **options), options


def test_ranks_next_to_scores_are_for_the_order_by_rank(make: Any) -> None:
    data = columns("qid", "docno", "rank")
    by_rank = scores({"1": {"a": 2, "b": 1}, "2": {"e": 3, "d": 2, "c": 1}})
    data["score"] = [9.0, 1.0, 1.0, 9.0, 5.0]
    by_score = scores({"1": {"a": 1, "b": 2}, "2": {"e": 1, "d": 2, "c": 3}})
    assert scores(make(data)) == by_score
    assert scores(make(data), order="rank") == by_rank
    # Where a score decides, ranks may begin at 0, as PyTerrier's do.
    data["rank"] = [rank - 1 for rank in data["rank"]]
    assert scores(make(data)) == by_score
    assert scores(make(data), order="rank") == by_rank
    data["rank"] = ["x"] * 5
    assert scores(make(data)) == by_score
    with pytest.raises(cf.Error, match='order="rank" needs ranks'):
        scores(make(data), order="rank")


@pytest.mark.parametrize("rank", [-1, 0.5])
def test_what_is_never_a_rank(rank: float, make: Any) -> None:
    data = columns("qid", "docno", "rank")
    data["rank"] = [float(rank), 1.0, 1.0, 3.0, 2.0]
    with pytest.raises(cf.Error, match="expected a whole number from 0 as rank") as caught:
        scores(make(data))
    assert caught.value.kind == "number"


def test_one_unknown_name_is_an_error() -> None:
    for kind, make in tables().items():
        if kind == "pandas without Arrow":
            continue
        with pytest.raises(cf.Error, match="found qid, docno, foo; rename foo") as caught:
            scores(make(columns("qid", "docno", "foo")))
        assert caught.value.kind == "type", kind
        if kind != "from_arrow":
            with pytest.raises(cf.Error, match="found foo, docno, grade; rename foo"):
                cf.evaluate(make(columns("foo", "docno", "grade")), {"1": {"a": 1}}, "AP")
        with pytest.raises(cf.Error, match="found qid, docno, rank; rename rank"):
            cf.evaluate(make(columns("qid", "docno", "rank")), {"1": {"a": 1}}, "AP") if (
                kind != "from_arrow"
            ) else cf.Qrels.from_arrow(
                pytest.importorskip("pyarrow").table(columns("qid", "docno", "rank"))
            )


def test_it_can_be_named() -> None:
    table = pytest.importorskip("pyarrow").table(columns("qid", "docno", "foo"))
    assert cf.Run.from_arrow(table, score="foo").to_dict()["1"] == {"b": 2.0, "a": 1.0}
    assert cf.Run.from_arrow(table, rank="foo").to_dict()["1"] == {"a": -1.0, "b": -2.0}


def test_pickles_hold_ranks() -> None:
    table = pytest.importorskip("pyarrow").table(
        {**columns("qid", "docno", "rank"), "score": [9.0, 1.0, 1.0, 9.0, 5.0]}
    )
    run = cf.Run.from_arrow(table)
    assert scores(pickle.loads(pickle.dumps(run)), order="rank") == scores(run, order="rank")


def test_rows_without_scores_need_ranks() -> None:
    run = cf.Run.from_rows(["1", "1"], ["a", "b"], None, ranks=[2, 1])
    assert run.to_dict() == {"1": {"b": -1.0, "a": -2.0}}
    with pytest.raises(cf.Error, match="expected scores or ranks"):
        cf.Run.from_rows(["1"], ["a"], None)
    with pytest.raises(cf.Error, match="expected as many ranks as scores, found 1"):
        cf.Run.from_rows(["1", "1"], ["a", "b"], [1.0, 2.0], ranks=[1])
