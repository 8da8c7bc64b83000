"""The interface of pytrec_eval, computed by cranfield.

The same names, keys, types and exceptions as pytrec_eval-terrier 0.5.11, and the
same values to the last bit:

>>> from cranfield.compat import pytrec_eval
>>> qrels = {"q1": {"d1": 1, "d2": 0}}
>>> evaluator = pytrec_eval.RelevanceEvaluator(qrels, {"map", "ndcg_cut.10"})
>>> evaluator.evaluate({"q1": {"d1": 0.4, "d2": 0.7}})
{'q1': {'map': 0.5, 'ndcg_cut_10': 0.6309297535714575}}

Lists are ranked as by trec_eval 9: by score in single precision from the highest,
equal scores by document id in descending byte order; a score that is not a number
comes last.
"""

from __future__ import annotations

import io
import warnings
from collections import defaultdict
from itertools import islice
from types import ModuleType

from cranfield._core import RelevanceEvaluator as _Evaluator
from cranfield._core import c_int, judged_topics, measure_numbers, parse_lines, trec_eval_nicknames

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import Any

__version__ = "0.5.11"

__all__ = [
    "RelevanceEvaluator",
    "compute_aggregated_measure",
    "parse_qrel",
    "parse_run",
    "supported_measures",
    "supported_nicknames",
]

supported_nicknames: dict[str, set[str]] = {
    name: set(members) for name, members in trec_eval_nicknames()
}
"""Names that stand for several measures."""

supported_measures: set[str] = set(supported_nicknames["all_trec"])
"""The names of the measures."""

_LARGEST_INT = 2**31 - 1
"""The largest `int` of C, which pytrec_eval reads its options as."""

_LINES = 4096
"""How many lines are taken at a time from what is neither a file nor a list."""

_CHARACTERS = 1 << 16
"""How many characters are taken at a time from a file: few enough to stay in the caches."""


def compute_aggregated_measure(measure: str, values: Sequence[float]) -> float:
    """The value of a measure for a run.

    Parameters
    ----------
    measure
        The name of the measure.
    values
        Its value for each topic.

    Returns
    -------
    The sum if the name begins with ``num_``; the exponential of the mean if it
    begins with ``gm_``, whose values are logarithms; the mean otherwise. Without
    values, NaN for a mean and 0 for a sum.

    """
    import numpy as np

    if measure.startswith("num_"):
        return float(np.sum(values))
    if measure.startswith("gm_"):
        return float(np.exp(np.sum(values) / len(values)))
    return float(np.mean(values))


class RelevanceEvaluator:
    """Evaluates runs against judgments that are compiled once.

    It does not change once it is made: it may be used again, and from several
    threads at a time.

    Parameters
    ----------
    query_relevance
        The judgments, ``{topic: {document: grade}}``; topics without
        documents are left out. A grade below 0 stands for an unjudged
        document of the pool.
    measures
        Names of :data:`supported_measures`, with numbers behind a point or an
        underscore if they take any (``P.5,10``, ``P_5``), and of
        :data:`supported_nicknames`.
    relevance_level
        The lowest relevant grade, at least 1. Below 0 nothing is relevant, as in
        pytrec_eval, and a warning says so.
    judged_docs_only_flag
        Whether unjudged documents are removed from the lists.

    Raises
    ------
    ValueError
        A measure is not supported, or not with its numbers.
    TypeError
        An argument or something in the judgments is of a wrong type.
    AttributeError
        The judgments have no ``items``.
    OverflowError
        A grade has more than 64 bits.

    """

    def __init__(
        self,
        query_relevance: Mapping[str, Mapping[str, int]],
        measures: Iterable[str],
        relevance_level: int = 1,
        judged_docs_only_flag: bool = False,
    ) -> None:
        numbers = measure_numbers(measures)
        judgments = judged_topics(query_relevance)
        level = c_int("relevance_level", relevance_level)
        judged_only = c_int("judged_docs_only_flag", judged_docs_only_flag) != 0
        if level == 0:
            raise TypeError(
                "Argument relevance_level should be positive. "
                "Expected a grade of at least 1, found 0"
            )
        if level < 0:
            warnings.warn(
                f"expected a relevance_level of at least 1, found {level}: nothing is relevant, "
                "as in pytrec_eval",
                stacklevel=2,
            )
            level = _LARGEST_INT
        if len(numbers.get("utility") or "four") != 4:
            given = ", ".join(sorted(numbers["utility"]))
            warnings.warn(
                f"utility takes four different coefficients, found {given}: it is 0, "
                "as in pytrec_eval",
                stacklevel=2,
            )
        asked = [(name, sorted(given)) for name, given in numbers.items()]
        self._evaluator = _Evaluator(judgments, asked, level, judged_only)

    def evaluate(self, scores: Mapping[str, Mapping[str, float]]) -> dict[str, dict[str, float]]:
        """The values of a run.

        Parameters
        ----------
        scores
            The run, ``{topic: {document: score}}``, of dicts.

        Returns
        -------
        ``{topic: {measure: value}}`` for the topics that the judgments have too, in
        the order of the run. The order of the measures is that of trec_eval. The
        values of ``gm_map`` and ``gm_bpref`` are natural logarithms; ``num_q`` is 1;
        ``runid`` and ``relstring`` are 0. Without scores, nothing.

        Raises
        ------
        TypeError
            The run is not a dict of dicts of numbers.
        OverflowError
            An integer is too large for a float.

        """
        return self._evaluator.evaluate(scores) if scores else {}

    def _expand_nicknames(self, measures: Iterable[str]) -> set[str]:
        """The measures, and for each nickname those that it stands for; as in pytrec_eval."""
        return {
            name for measure in measures for name in supported_nicknames.get(measure, {measure})
        }

    def _combine_measures(self, measures: Iterable[str]) -> set[str]:
        """The measures with all their numbers, ``P.5,10``; as in pytrec_eval.

        Raises ``ValueError`` for a measure that is not supported.
        """
        nicknames = supported_nicknames.keys() - supported_measures
        given = list(measures)
        numbers = measure_numbers(name for name in given if name not in nicknames)
        return {name for name in given if name in nicknames} | {
            f"{name}.{','.join(sorted(found))}" if found else name
            for name, found in numbers.items()
        }


pytrec_eval_ext = ModuleType("pytrec_eval_ext", "What the extension below pytrec_eval has.")
vars(pytrec_eval_ext).update(
    RelevanceEvaluator=RelevanceEvaluator,
    supported_measures=supported_measures,
    supported_nicknames=supported_nicknames,
)


def parse_run(f_run: Iterable[str]) -> dict[str, dict[str, float]]:
    """Read a run from its lines.

    Parameters
    ----------
    f_run
        Lines of six columns: topic, ``Q0``, document, rank, score, tag.

    Returns
    -------
    The scores: ``{topic: {document: score}}``, a ``defaultdict``.

    Raises
    ------
    AssertionError
        A topic has a document twice.
    ValueError
        A line has another number of columns, or a score is not a number.

    """
    return _parsed(f_run, judgments=False)


def parse_qrel(f_qrel: Iterable[str]) -> dict[str, dict[str, int]]:
    """Read judgments from their lines.

    Parameters
    ----------
    f_qrel
        Lines of four columns: topic, ``0``, document, grade.

    Returns
    -------
    The grades: ``{topic: {document: grade}}``, a ``defaultdict``.

    Raises
    ------
    AssertionError
        A topic has a document twice.
    ValueError
        A line has another number of columns, or a grade is not an integer.

    """
    return _parsed(f_qrel, judgments=True)


def _parsed(lines: Iterable[str], *, judgments: bool) -> defaultdict[str, dict[str, Any]]:
    """The table of all lines."""
    table: defaultdict[str, dict[str, Any]] = defaultdict(dict)
    first = 1
    for part in _parts(lines):
        # A file opened with newline="" has lines that end in a carriage return, too.
        ends = "" if getattr(lines, "newlines", None) else "\n"
        first += parse_lines(part, table, judgments, first, ends)
    return table


def _parts(lines: Iterable[str]) -> Iterator[str | list[str]]:
    """The lines in lists, or several in a text."""
    if type(lines) in (io.TextIOWrapper, io.StringIO):
        while text := lines.read(_CHARACTERS):  # type: ignore[attr-defined]
            yield text if text.endswith("\n") else text + lines.readline()  # type: ignore[attr-defined]
    elif type(lines) is list:
        yield lines
    else:
        source = iter(lines)
        while part := list(islice(source, _LINES)):
            yield part
