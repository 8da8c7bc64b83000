"""Recall against an exact search: which nearest neighbors an approximate search found."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from cranfield import _core
from cranfield._base.errors import failure
from cranfield._base.options import checked, finder, one_of, whole, whole_numbers, wrong
from cranfield._base.text import in_topic_order, number
from cranfield._table.data_table import SHARE, TEXT, DataTable, finite
from cranfield._table.result import Result
from cranfield._table.tables import Texts

TYPE_CHECKING = False
if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

Ids: TypeAlias = "NDArray[np.uint32]"

RULES = ("best", "average", "set", "threshold")
"""Which answers of an exact search count."""

LOWEST = 5
"""How many of the lowest queries are shown."""


@dataclass(frozen=True, eq=False, repr=False)
class ExactRecall(Result):
    """The recall of each query against an exact search; made by ``exact_recall``."""

    values: NDArray[np.float64]
    """Recall: float64, shape (queries, k), read-only; NaN for a query without exact results."""
    k: tuple[int, ...]
    """The cutoffs."""
    queries: tuple[str, ...]
    """The names of the queries: their rows from 0, or topics."""
    rule: str
    """Which exact answers count."""
    epsilon: float
    """Exact scores this near to the k-th one tie with it."""
    relative_epsilon: float
    """The same relative to that score."""
    within_tie: NDArray[np.bool_]
    """Where the exact list ends among documents that tie with the k-th: shape (queries, k).

    More of these may exist, so that the value is a lower bound.
    """

    def mean(self) -> NDArray[np.float64]:
        """Means over queries: float64, shape (k,)."""
        return self._over(lambda values: math.fsum(values) / len(values))

    def percentile(self, percent: float = 5) -> NDArray[np.float64]:
        """Percentiles over queries, interpolated linearly: float64, shape (k,)."""
        import numpy as np

        if not (isinstance(percent, (int, float)) and 0 <= percent <= 100):
            raise wrong("percent", "a number from 0 to 100", percent)
        return self._over(lambda values: float(np.percentile(values, percent)))

    def lowest(self, k: int, most: int = LOWEST) -> list[tuple[str, float]]:
        """The queries with the lowest recall at a cutoff, with these."""
        values = self.values[:, finder("cutoff", list(map(str, self.k)))(k)].tolist()
        known = [(value, row) for row, value in enumerate(values) if not math.isnan(value)]
        shown = sorted(known)[: whole(most, "most", least=0)]
        return [(self.queries[row], value) for value, row in shown]

    def _over(self, of: Any) -> NDArray[np.float64]:
        import numpy as np

        columns = [column[~np.isnan(column)].tolist() for column in self.values.T]
        return np.array([of(column) if column else math.nan for column in columns])

    def to_dict(self) -> dict[str, Any]:
        """Everything in JSON types; None for what is undefined."""
        names = [f"recall@{k}" for k in self.k]

        def named(values: NDArray[Any]) -> dict[str, Any]:
            return dict(zip(names, map(finite, values.tolist()), strict=True))

        return {
            "rule": self.rule,
            "epsilon": self.epsilon,
            "relative_epsilon": self.relative_epsilon,
            "mean": named(self.mean()),
            "percentile_5": named(self.percentile()),
            "within_tie": named(self.within_tie.sum(axis=0)),
            "queries": [
                {"query": query, **named(row)}
                for query, row in zip(self.queries, self.values, strict=True)
            ],
        }

    def table(self) -> DataTable:
        """A row for each query, a column for each cutoff."""
        columns = zip(self.k, self.values.T.tolist(), strict=True)
        values = {f"recall@{k}": (SHARE, list(map(finite, column))) for k, column in columns}
        return DataTable({"query": (TEXT, self.queries), **values})

    def headline(self) -> str:
        """How many queries, and the rule."""
        return f"<ExactRecall: {_counted(len(self.queries))}, rule {self.rule}>"

    def _shown(self, form: str, digits: int | None) -> list[Any]:
        """Means, the 5th percentile, and the lowest queries at each cutoff."""
        table = Texts(["recall"], ["mean", "5th percentile", "lowest", "queries there"])
        columns = zip(self.k, self.mean().tolist(), self.percentile().tolist(), strict=True)
        for k, mean, fifth in columns:
            lowest = self.lowest(k, len(self.queries))
            least = [query for query, value in lowest if value == lowest[0][1]]
            more = f" and {len(least) - 3} more" if len(least) > 3 else ""
            told = (mean, fifth, lowest[0][1] if lowest else math.nan)
            texts = [number(value, digits=digits) for value in told]
            table.cells.append((f"@{k}", *texts, ", ".join(least[:3]) + more))
        return [table, self._sentences()]

    def _sentences(self) -> list[str]:
        near = f"epsilon {self.epsilon:g}"
        if self.relative_epsilon:
            near += f", relative {self.relative_epsilon:g}"
        count = _counted(len(self.queries))
        found = [f"{count}; rule {self.rule}, {near}: {_MEANINGS[self.rule]}."]
        for k, ends in zip(self.k, self.within_tie.sum(axis=0).tolist(), strict=True):
            if ends:
                found.append(
                    f"The exact lists of {_counted(ends)} end within a tie at {k}: more "
                    "documents may tie, and these values are lower bounds."
                )
        return found


def _counted(queries: int) -> str:
    return f"{queries} {'query' if queries == 1 else 'queries'}"


_MEANINGS = {
    "best": "the highest recall over all valid exact answers, where scores tie",
    "average": "the mean recall over all valid exact answers, where scores tie",
    "set": "the first documents of the exact lists, whatever ties with the last",
    "threshold": "every document that scores at least as the last counts, up to k",
}


@checked
def exact_recall(
    ids: ArrayLike,
    exact_ids: ArrayLike,
    exact_scores: ArrayLike | None = None,
    *,
    k: int | Sequence[int] = 10,
    distances: bool = False,
    rule: str = "best",
    epsilon: float = 1e-6,
    relative_epsilon: float = 0.0,
    scores: ArrayLike | None = None,
    duplicates: str = "error",
    queries: Sequence[str] | None = None,
) -> ExactRecall:
    """The share of the exact k nearest neighbors that an approximate search found.

    >>> found = exact_recall([[1, 3]], [[1, 2, 3]], [[0.9, 0.8, 0.8]], k=(1, 2))
    >>> found.values.tolist()
    [[1.0, 1.0]]

    2 and 3 tie, so that 1 and 3 are a valid answer.

    Parameters
    ----------
    ids
        The ids that the approximate search found, best first: shape (queries, at least k), of any
        integer or text type. -1, or an empty text, is no result.
    exact_ids, exact_scores
        The ids and the scores of the exact search, of the same shape. Scores are real, higher
        ones better; they may be left out for the rule "set". Give more than k columns, so that
        ties with the k-th document can be seen.
    k
        The cutoffs. Of a query with fewer exact results all of these are wanted.
    distances
        Whether scores are distances, of which lower ones are better.
    rule
        Which exact answers count where documents tie with the k-th: "best" (the valid one
        nearest to what was found), "average" (the mean over all valid ones), "set" (the first k
        of ``exact_ids``), "threshold" (every document as good as the k-th, at most k).
    epsilon, relative_epsilon
        Scores tie with the k-th one if they differ by at most ``epsilon`` plus
        ``relative_epsilon`` times its size.
    scores
        The scores of ``ids``, of the same shape: documents that ``exact_ids`` lacks then tie with
        the k-th if these say so. Without them they are not in the exact answer.
    duplicates
        "error", or "first": an id that is found again counts once.
    queries
        Names of the queries; by default the numbers of rows.

    Returns
    -------
    ExactRecall
        ``values`` of shape (queries, k), with the mean, percentiles, and the lowest queries.

    Raises
    ------
    Error
        Kind "option" for an unknown word, a k beyond the columns, shapes that differ, and
        scores that look like distances or the other way round; "duplicate" for an id that a query
        has twice; "type" for what is no array of ids or numbers.

    """
    one_of("rule", rule, RULES)
    one_of("duplicates", duplicates, ("error", "first"))
    cutoffs = whole_numbers(k, "k")
    found, exact = _table_of(ids, "ids"), _table_of(exact_ids, "exact_ids")
    if len(found) != len(exact):
        message = f"ids has {len(found)} rows and exact_ids {len(exact)}: expected the same queries"
        raise failure("option", message)
    for name, table in (("ids", found), ("exact_ids", exact)):
        if table.shape[1] < max(cutoffs):
            message = f"expected at least k={max(cutoffs)} columns in {name}, found"
            raise failure("option", f"{message} {table.shape[1]}; pad with -1")
    for name, value in (("epsilon", epsilon), ("relative_epsilon", relative_epsilon)):
        if not (isinstance(value, (int, float)) and 0 <= value < math.inf):
            raise failure("option", f"expected a finite {name} of at least 0, found {value!r}")
    if exact_scores is None and rule != "set":
        raise failure("option", f"rule {rule!r} needs exact_scores: without them give rule='set'")
    first, second, none = _words(found, exact)
    best = _scores_of(exact_scores, exact.shape, "exact_scores")
    own = _scores_of(scores, found.shape, "scores")
    values, ties = _core.exact_recall(
        *(first, second, best, own, none, cutoffs),
        rule=rule,
        epsilon=float(epsilon),
        relative_epsilon=float(relative_epsilon),
        repeats=duplicates == "first",
        distances=distances,
    )
    values.setflags(write=False)
    names = tuple(map(str, range(len(found)))) if queries is None else queries
    named = isinstance(names, (list, tuple)) and all(isinstance(name, str) for name in names)
    if not (named and len(names) == len(found)):
        message = f"expected queries as a list of {len(found)} texts, one for each row of ids"
        raise failure("option", message)
    about = rule, float(epsilon), float(relative_epsilon)
    return ExactRecall(values, cutoffs, tuple(names), *about, ties)


def of_runs(
    exact: Mapping[str, Mapping[str, float]],
    approximate: Mapping[str, Mapping[str, float]],
    *,
    own_scores: bool = False,
    in_order: bool = False,
    skips: bool = False,
    **options: Any,
) -> ExactRecall:
    """The same for two runs, whose topics are the queries.

    Lists are by score, equal ones by descending id, unless they are ``in_order``.
    """
    import numpy as np

    sign = 1 if options.get("distances") else -1

    def ranked(run: Mapping[str, Mapping[str, float]], topic: str) -> list[tuple[str, float]]:
        pairs = list(run[topic].items())
        if not in_order:
            pairs.sort(reverse=True)
            pairs.sort(key=lambda pair: sign * pair[1])
        return pairs

    def tables(rows: Sequence[list[tuple[str, float]]]) -> Iterator[NDArray[Any]]:
        width = max([*options["k"], *map(len, rows)])
        padded = [[*row, *[("", math.nan)] * (width - len(row))] for row in rows]
        return (np.array([[cell[i] for cell in row] for row in padded]) for i in (0, 1))

    one = [topic for topic in (*exact, *approximate) if (topic in exact) != (topic in approximate)]
    topics = in_topic_order(topic for topic in exact if topic in approximate)
    if one and not (skips and topics):
        message = f"topic {one[0]!r} is in one run only; expected the same topics in both, or"
        raise failure(
            "option", f"{message} missing='skip'", command_line=f"{message} --missing skip"
        )
    ids, own = tables([ranked(approximate, topic) for topic in topics])
    # As they are in the file, so that distances are told from scores.
    exact_ids, scores = tables([list(exact[topic].items()) for topic in topics])
    given = own if own_scores else None
    return exact_recall(ids, exact_ids, scores, scores=given, queries=topics, **options)


def _table_of(ids: ArrayLike, name: str) -> NDArray[Any]:
    """Ids as a table of integers or texts."""
    import numpy as np

    message = f"expected {name} as integers or texts of shape (queries, results), found"
    try:
        table = np.asarray(ids)
        if table.dtype == object:
            kinds = {type(value) for value in table.ravel()}
            table = table.astype(str if kinds <= {str} else np.int64 if kinds <= {int} else object)
    except (OverflowError, TypeError, ValueError) as error:
        raise failure("type", f"{message} others") from error
    if table.ndim != 2 or table.dtype.kind not in "iuU":
        raise failure("type", f"{message} {table.dtype} of shape {table.shape}")
    return table


def _words(found: NDArray[Any], exact: NDArray[Any]) -> tuple[Ids, Ids, Ids]:
    """Both tables and what is no result as words of 32 bits, equal where ids are."""
    import numpy as np

    kinds = {"U" if table.dtype.kind == "U" else "i" for table in (found, exact)}
    if len(kinds) > 1:
        message = "ids and exact_ids must be of one type: expected integers or texts in both, found"
        raise failure("type", f"{message} {found.dtype} and {exact.dtype}")
    dtype = np.result_type(found.dtype, exact.dtype) if kinds == {"U"} else np.dtype(np.int64)
    if dtype.itemsize == 0:
        dtype = np.dtype("U1")
    none = np.array(["" if kinds == {"U"} else -1], dtype=dtype)
    tables = [np.ascontiguousarray(table, dtype=dtype) for table in (found, exact)]
    words = [table.view(np.uint32).reshape(*table.shape, dtype.itemsize // 4) for table in tables]
    return words[0], words[1], none.view(np.uint32)


def _scores_of(
    given: ArrayLike | None, shape: tuple[int, ...], name: str
) -> NDArray[np.float64] | None:
    """Scores of ids as numbers."""
    import numpy as np

    if given is None:
        return None
    try:
        scores = np.asarray(given, dtype=np.float64)
    except (OverflowError, TypeError, ValueError) as error:
        raise failure("type", f"expected {name} as real numbers, found others") from error
    if scores.shape != shape:
        message = f"expected {name} of the shape of the ids, {shape}, found {scores.shape}"
        raise failure("option", message)
    return scores
