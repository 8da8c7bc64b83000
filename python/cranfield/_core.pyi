"""The boundary: what the Rust core offers to the Python layer. Private."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any, BinaryIO, Literal, TypeAlias, final

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = [
    "RUN_LAYOUTS",
    "Error",
    "Evaluator",
    "Limits",
    "Measure",
    "Notes",
    "OpaqueMeasure",
    "Qrels",
    "Ranked",
    "RelevanceEvaluator",
    "Run",
    "Scores",
    "__version__",
    "bootstrap_intervals",
    "captured_trec_eval",
    "checksum",
    "common_grades",
    "correct_pvalues",
    "correlation_matrix",
    "document_ranks",
    "drawn_topics",
    "families",
    "fisher_interval",
    "fleiss_kappa",
    "forms",
    "kappa",
    "kendall",
    "krippendorff_alpha",
    "max_drop",
    "merged",
    "normal_interval",
    "number_texts",
    "paired_bootstrap",
    "paired_moments",
    "paired_randomization",
    "paired_randomized_tukey",
    "paired_sign",
    "paired_t",
    "paired_tukey",
    "paired_wilcoxon",
    "parse_measures",
    "pearson",
    "pooled_to_depth",
    "range_isf",
    "range_sf",
    "rank_intervals",
    "rbo",
    "reduced",
    "required_differences",
    "residual_variance",
    "rms_error",
    "run_trec_eval",
    "sampled_collection",
    "scores_of_dicts",
    "spearman",
    "spellings",
    "t_intervals",
    "tau_ap",
    "trec_eval_nicknames",
    "unpickled_limits",
    "unpickled_measure",
    "unpickled_notes",
    "unpickled_qrels",
    "unpickled_run",
    "unpickled_scores",
    "without_group",
]

__version__: str

RUN_LAYOUTS: tuple[str, ...]
"""The columns that files of runs can have."""

class Error(ValueError):
    """The one error: what went wrong with an input, and where."""

    kind: str
    file: str | None
    line: int | None
    column: int | None
    message: str
    command_line: str

@final
class Limits:
    """Named limits on input files; what is not given is as usual.

    Parameters
    ----------
    decompression_ratio
        How many times larger than its archive decompressed data may be: 200.
        Real runs stay below 6, bombs start at 1,000.
    decompression_free
        Bytes that may be decompressed before the ratio counts: 16 MiB.
    line_bytes
        The longest line, in bytes: 1 MiB.

    """

    def __new__(
        cls,
        *,
        decompression_ratio: int | None = None,
        decompression_free: int | None = None,
        line_bytes: int | None = None,
    ) -> Limits: ...
    decompression_ratio: int
    decompression_free: int
    line_bytes: int

@final
class Measure:
    """A measure as a value: family, parameters, prime, cutoff.

    Made from its text, another measure, or a measure of ir_measures, whose text
    is read as any other. Raises ``Error``: kind "measure" or "parameter" for a
    text that names none, "type" for another object.
    """

    def __new__(cls, text: str | Measure, /) -> Measure: ...
    def __call__(self, **parameters: Any) -> Measure: ...
    def __matmul__(self, cutoff: float, /) -> Measure: ...
    @property
    def prime(self) -> Measure:
        """The same measure on the condensed list: documents without a judgment are left out first.

        Raises ``Error`` (kind "parameter") for a measure that has no such form.
        """
    def over(self, prefix: str, /) -> Measure:
        """The same measure over classes ("EC"), global gains ("D", "DIN") or intents ("IA").

        ``nDCG.over("D#") @ 10`` is ``D#-nDCG@10``. Raises ``Error`` (kind
        "parameter") for other prefixes, and for measures that read more than
        grades.
        """
    @property
    def family(self) -> str:
        """The name of its family, such as ``nDCG``."""
    @property
    def rel(self) -> float | None:
        """The lowest grade that is relevant; ``None`` where no grade decides that."""
    @property
    def aggregate(self) -> str:
        """How its values become one for all topics, such as ``"mean"`` or ``"sum"``."""
    @property
    def better(self) -> str | None:
        """Which values are better: ``"higher"`` or ``"lower"``.

        None for what does not say how good a run is: ``num_ret``, ``Judged``,
        ``iDCG``.
        """
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@final
class OpaqueMeasure:
    """A measure of scores from elsewhere: a label, of which nothing else is known.

    ``better`` is ``"higher"``, ``"lower"`` or None. ``aggregate`` is ``"mean"``,
    ``"sum"``, ``"geometric"`` or ``"pooled"``, whose summary is NaN, since nobody
    knows what the values are shares of. Raises ``Error`` (kind "option") for
    other words.
    """

    def __new__(
        cls, label: str, /, better: str | None = None, aggregate: str = "mean"
    ) -> OpaqueMeasure: ...
    @property
    def family(self) -> str:
        """The label."""
    @property
    def aggregate(self) -> str:
        """How its values become one for all topics, such as ``"mean"`` or ``"sum"``."""
    @property
    def better(self) -> Literal["higher", "lower"] | None:
        """Which values are better; None if nobody said."""
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

def parse_measures(text: str, /) -> list[Measure]:
    """Every measure named in a text; nicknames are expanded."""

def families() -> list[dict[str, Any]]:
    """The registry: one dict a family, in the order of the registry."""

def forms() -> list[dict[str, Any]]:
    """What families can be computed over (``EC-``, ``D-``, ``DIN-``, ``IA-``), described alike."""

def spellings(tool: str, /) -> list[tuple[str, str]]:
    """What a program calls measures: our spelling and its own, ``("AP@10", "map_cut_10")``."""

@final
class Qrels:
    """Judgments, compiled: ``{topic: {document: grade}}``, grades any finite numbers.

    A grade above 0 is relevant unless a measure says otherwise, one below 0 is
    in the pool and not judged. ``docs_in_collection`` is for the few measures
    that need it. Raises ``Error``: kind "type" for another shape, "number"
    for a grade that is not finite.
    """

    def __new__(
        cls,
        judgments: Mapping[Any, Mapping[Any, float]],
        /,
        *,
        docs_in_collection: int | None = None,
    ) -> Qrels: ...
    @staticmethod
    def from_rows(
        topics: Sequence[Any],
        documents: Sequence[Any],
        grades: Sequence[float],
        /,
        *,
        docs_in_collection: int | None = None,
    ) -> Qrels:
        """Judgments from three columns of one length: a topic, a document and a grade in each row.

        Raises ``Error``: kind "type" for columns of several lengths or for values
        of other types, "number" for a grade that is not finite, "duplicate" or
        "conflict" for a document judged twice.
        """
    @staticmethod
    def from_arrow(
        stream: Any,
        /,
        *,
        topic: str | None = None,
        document: str | None = None,
        grade: str | None = None,
        docs_in_collection: int | None = None,
    ) -> Qrels:
        """Judgments from anything that streams Arrow data: pyarrow, polars, DuckDB.

        Columns that are not given are found by the names that the guide lists;
        of three several without a known name are taken in order. Ids are text,
        dictionaries of text or integers, grades are numbers. Raises ``Error``:
        kind "type" for columns that are missing or of other types, and what
        ``from_rows`` raises.
        """
    @staticmethod
    def from_arrays(
        topics: ArrayLike,
        documents: ArrayLike,
        grades: ArrayLike,
        *,
        offsets: ArrayLike | None = None,
        docs_in_collection: int | None = None,
    ) -> Qrels:
        """Judgments from numpy arrays, or from what numpy makes arrays of.

        Parameters
        ----------
        topics
            The topic of each judgment: integers or text, shape (judgments,).
            With ``offsets`` each topic once, shape (topics,).
        documents
            Integers or text (str, bytes, objects), shape (judgments,).
        grades
            Numbers, shape (judgments,).
        offsets
            Integers, shape (topics + 1,): the judgments of topic i are those
            from ``offsets[i]`` to before ``offsets[i + 1]``.
        docs_in_collection
            How many documents the collection has.

        Raises
        ------
        Error
            Kind "type" for arrays of other types or shapes, "option" for
            offsets that do not fit, "number" for a grade that is not finite,
            "duplicate" or "conflict" for a document judged twice.

        """
    @staticmethod
    def read(
        source: str | BinaryIO,
        /,
        *,
        name: str | None = None,
        lenient: bool = False,
        limits: Limits | None = None,
        docs_in_collection: int | None = None,
        layout: str | None = None,
        levels: Mapping[str, float] | None = None,
    ) -> Qrels:
        """Judgments from a file, or from an open one in binary mode.

        ``cranfield.read_qrels`` is the same for more kinds of source, and says what
        the options are and what is raised.
        """
    @property
    def fingerprint(self) -> str:
        """What tells judgments apart: 16 hexadecimal digits, the same in every process.

        Judgments that differ only in their order have the same.
        """
    def write(self, path: str, /, *, format: str = "trec") -> None:
        """Writes them as "trec", "beir" or "stratified", compressed as the suffix of the path says.

        The file is written beside and put in its place when it is whole. Raises
        ``Error``: kind "option" for another format, "needs" and "type" for
        judgments that it cannot hold, "missing" where nothing can be written.
        """
    def to_dict(self) -> dict[str, dict[str, float]]:
        """The grades as ``{topic: {document: grade}}``."""
    @property
    def topics(self) -> tuple[str, ...]:
        """The topics, in the order in which they came."""
    @property
    def grades(self) -> tuple[float, ...]:
        """Every grade that a judgment has, ascending."""
    @property
    def docs_in_collection(self) -> int | None:
        """How many documents the collection has, if that was said."""
    @property
    def repaired(self) -> int:
        """Grades that lenient reading replaced."""
    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns beside the grades, such as ``"stratum"``."""
    def column(self, name: str, topic: str, /) -> dict[str, float]:
        """A column of one topic as ``{document: number}``; ``KeyError`` if there is none."""
    @staticmethod
    def from_intents(
        judgments: Mapping[Any, Mapping[Any, Mapping[Any, float]]],
        /,
        *,
        weights: Mapping[Any, Mapping[Any, float]] | None = None,
        navigational: Mapping[Any, Iterable[Any]] | None = None,
        docs_in_collection: int | None = None,
    ) -> Qrels:
        """Judgments by intent: ``{topic: {intent: {document: grade}}}``.

        The grade of a document is its highest under any intent; measures of
        diversity look at each. An intent may have no document: it counts in
        the means over intents, with the value 0. Raises ``Error`` as ``Qrels``,
        ``with_weights`` and ``with_navigational`` do.
        """
    def intents(self, topic: str, /) -> dict[str, float]:
        """The intents of a topic with their weights; none if it was not judged by intent."""
    def with_weights(self, weights: Mapping[Any, Mapping[Any, float]], /) -> Qrels:
        """The same judgments with a weight (such as a probability) for each intent.

        ``{topic: {intent: weight}}``; without it every intent weighs 1. An
        intent that no document was judged under is kept with its weight: it
        counts in the means over intents, with the value 0. Raises ``Error``:
        kind "number" for a weight below 0, "needs" for an intent with a
        judged document and without a weight.
        """
    def with_navigational(self, intents: Mapping[Any, Iterable[Any]], /) -> Qrels:
        """The same judgments, of whose intents these are navigational.

        ``{topic: [intent, ...]}``: of the documents of such an intent one is
        wanted. The others are informational. ``DIN-`` and ``P+Q`` look at it.
        Raises ``Error`` (kind "needs") for an intent that the topic lacks.
        """
    def with_column(self, name: str, values: Mapping[Any, Mapping[Any, float]], /) -> Qrels:
        """The same judgments with one more column: a number for each judgment.

        ``"stratum"`` is the part of the pool that a document was sampled
        from, ``"inclusion"`` the probability (above 0, up to 1) with which it
        was drawn to be judged. The estimates from samples read them.
        ``"class"`` is the same number for documents that say the same, which
        ``EC-`` reads; a document without one is a class of its own.
        ``"cost"`` is what a document costs to read (its length, a time), which
        user models read; one without it costs what their ``cost=`` says. Raises
        ``Error`` (kind "needs") for a judgment without a number, and kind
        "number" for a probability that is none.
        """
    def restrict_to_pool(self, pool: Qrels, /) -> Qrels:
        """The judgments of the documents in a pool; others are as if never judged.

        What makes a document relevant stays; the number of relevant documents
        of a topic falls with the documents that leave. Runs that were ranked
        with these judgments can be scored under the new ones.
        """
    def __len__(self) -> int: ...
    def __contains__(self, topic: object, /) -> bool: ...
    def __getitem__(self, topic: str, /) -> dict[str, float]: ...
    def __eq__(self, other: object, /) -> bool: ...

@final
class Run:
    """All lines of one run, in columns: ``{topic: {document: score}}``.

    The best score is the highest. Raises ``Error``: kind "type" for another
    shape, "number" for a score that is not finite.
    """

    def __new__(cls, scores: Mapping[Any, Mapping[Any, float]], /, *, name: str = "run") -> Run: ...
    @staticmethod
    def from_rankings(rankings: Mapping[Any, Sequence[Any]], /, *, name: str = "run") -> Run:
        """A run of lists in order: ``{topic: [document, ...]}``, the best one first.

        Raises ``Error`` (kind "type") for what is no such mapping.
        """
    @staticmethod
    def from_hits(
        answers: Mapping[str, Any],
        /,
        *,
        name: str = "run",
        document: Callable[[Any], str] | None = None,
    ) -> Run:
        """A run from {topic: answer} of Elasticsearch, OpenSearch or Vespa.

        An answer is what a search returned, or the list of its hits; one answer
        of ``_rank_eval`` holds all topics. A document is called by ``_id``, or by
        what follows ``::`` in a Vespa id, or as ``document`` says of a hit. Where
        no hit has a score, the order is that of the list. Raises ``Error`` (kind
        "type") for a search that failed or is not complete.
        """
    @staticmethod
    def from_rows(
        topics: Sequence[Any],
        documents: Sequence[Any],
        scores: Sequence[float] | None,
        /,
        *,
        ranks: Sequence[float] | None = None,
        name: str = "run",
    ) -> Run:
        """A run from columns of one length: a topic, a document and a score in each row.

        Without scores (``None``) lists are in the order of ``ranks``. Beside
        scores, ranks are for ``order="rank"`` only, and a list in which one is
        no number has none. Raises ``Error``: kind "type" for columns of several
        lengths or for values of other types, "number" for a score that is not
        finite, or a rank without a score that is no whole number from 1.
        """
    @staticmethod
    def from_named_tuples(
        rows: list[Any], /, *, topic: str, document: str, score: str, name: str = "run"
    ) -> Run | None:
        """A run from named tuples, by the names of their fields.

        ``None`` unless each row is one, with a str, a str and a finite number.
        """
    @staticmethod
    def from_arrow(
        stream: Any,
        /,
        *,
        topic: str | None = None,
        document: str | None = None,
        score: str | None = None,
        rank: str | None = None,
        name: str = "run",
    ) -> Run:
        """A run from anything that streams Arrow data: pyarrow, polars, DuckDB.

        Columns that are not given are found by the names that the guide lists;
        of three several without a known name are taken in order. Without scores the
        ranks are the order; beside scores they are for ``order="rank"``.
        Ids are text, dictionaries of text or integers, scores are numbers.
        Raises ``Error``: kind "type" for columns that are missing or of other
        types, and what ``from_rows`` raises.
        """
    @staticmethod
    def from_arrays(
        topics: ArrayLike,
        documents: ArrayLike,
        scores: ArrayLike,
        *,
        offsets: ArrayLike | None = None,
        name: str = "run",
        check: str = "judged",
    ) -> Run:
        """A run from numpy arrays, or from what numpy makes arrays of.

        Integers and floating-point numbers are not copied if they are
        contiguous, aligned, of 32 or 64 bits and in the byte order of the
        machine: evaluating looks at the arrays themselves, and at what they
        hold then. An integer is the document that files call by its decimal
        text. Text is encoded once, here.

        Parameters
        ----------
        topics
            The topic of each row: integers or text, shape (rows,). Rows of
            a topic that do not stand together are put together, in their
            order. With ``offsets`` each topic once, shape (topics,).
        documents
            Integers or text (str, bytes, objects), shape (rows,).
        scores
            Numbers, the best one the highest, shape (rows,).
        offsets
            Integers, shape (topics + 1,): the rows of topic i are those from
            ``offsets[i]`` to before ``offsets[i + 1]``.
        name
            What the run is called.
        check
            Integers: "judged" finds the documents of the judgments that a
            topic has twice, "full" all. Text is always checked in full, and
            so is what an evaluator with ``duplicates="first"`` or "best"
            scores. Order, and scores that are not finite, are always noticed.

        Raises
        ------
        Error
            Kind "type" for arrays of other types or shapes, "option" for
            offsets that do not fit, "duplicate" for a topic given twice with
            ``offsets``. What is wrong with scores or documents is raised by
            the evaluation.

        """
    @staticmethod
    def from_topk(
        topics: ArrayLike,
        documents: ArrayLike,
        scores: ArrayLike,
        *,
        name: str = "run",
        check: str = "judged",
    ) -> Run:
        """A run from what a vector search returns: a row for each topic.

        The matrices may be strided; where the rows themselves are contiguous
        nothing is copied. A document of -1 is none, and its score nothing, as
        FAISS pads rows with less than k results; so it is among objects that
        are integers. The text "-1" is a document, and the integer beside text
        an error. Arrays are looked at whenever the run is used: other values
        count from then on, another shape or type is an error.

        Parameters
        ----------
        topics
            Ids of the topics, each once: integers or text, shape (topics,).
        documents
            Integers or text, shape (topics, k).
        scores
            Numbers, the best one the highest, shape (topics, k): of distances
            give the negative, ``-distances``. Rows need not be in order.
        name, check
            As for ``from_arrays``.

        Raises
        ------
        Error
            As ``from_arrays`` does.

        """
    @staticmethod
    def read(
        source: str | BinaryIO,
        /,
        *,
        name: str,
        label: str | None = None,
        lenient: bool = False,
        limits: Limits | None = None,
        run_layout: str | None = None,
    ) -> Run:
        """A run from a file, or from an open one in binary mode.

        ``cranfield.read_run`` is the same for more kinds of source, and says what
        the options are and what is raised.
        """
    def write(self, path: str, /, *, format: str = "trec") -> None:
        """Writes it as "trec" or "msmarco", compressed as the suffix of the path says.

        The file is written beside and put in its place when it is whole. Raises
        ``Error``: kind "option" for another format, "type" for ids that it
        cannot hold, "missing" where nothing can be written.
        """
    def to_dict(self) -> dict[str, dict[str, float]]:
        """The scores as ``{topic: {document: score}}``, in ranked order."""
    def rename(self, name: str, /) -> Run:
        """The same run under another name."""
    @property
    def name(self) -> str:
        """What it is called in scores."""
    @property
    def tag(self) -> str | None:
        """The tag in the last column of its file, if it came from one."""
    @property
    def topics(self) -> tuple[str, ...]:
        """The topics, in the order in which they came."""
    def __len__(self) -> int:
        """The number of topics."""
    @property
    def lines(self) -> int:
        """How many documents it retrieves, over all topics."""
    def __contains__(self, topic: object, /) -> bool: ...
    def __getitem__(self, topic: str, /) -> dict[str, float]: ...

@final
class Notes:
    """What evaluating one run passed over or had to decide.

    The name of the run and the tag of its file; how many lines it has; topics
    that it lacks, that nobody judged, that have no relevant document; how many
    lines have the score of another (``ties``), hold a document again
    (``duplicates``), or were mended by lenient reading (``repaired``).
    """

    run: str
    tag: str | None
    lines: int
    topics_missing: tuple[str, ...]
    topics_without_judgments: tuple[str, ...]
    topics_without_relevant: tuple[str, ...]
    ties: int
    duplicates: int
    repaired: int

@final
class Ranked:
    """A run that was ranked and joined with judgments: what is left to score.

    ``cranfield.evaluate`` takes it in place of the run under any judgments
    that were made from those.
    """

    @property
    def name(self) -> str:
        """What the run is called."""
    @property
    def coins(self) -> bool:
        """Whether it holds the documents outside the judgments."""
    def rename(self, name: str, /) -> Ranked:
        """The same under another name."""

_RunForCore: TypeAlias = (
    Run | Ranked | tuple[str, str | BinaryIO | dict[Any, Any]] | tuple[str, str | BinaryIO, str]
)

_List: TypeAlias = tuple[float, tuple[str, ...], NDArray[np.float64]]
"""A value, the documents in order, and what each brings to the value."""

_Unjudged: TypeAlias = tuple[
    NDArray[np.uint32], NDArray[np.uint32], NDArray[np.float64], NDArray[np.float64]
]
"""Ranks in both lists (0: not in it), and the difference under the best and the worst grade."""

_TopicDifference: TypeAlias = tuple[str, float, float, tuple[_List, _List], _Unjudged]
"""A topic, the lowest and the highest difference, both lists, what is unjudged."""

@final
class Evaluator:
    """Judgments and measures compiled once; immutable, safe from threads."""

    def __new__(
        cls,
        qrels: Qrels,
        measures: Sequence[Measure],
        *,
        missing: str = "zero",
        undefined: str = "zero",
        order: str = "docno_desc",
        scores: str = "f64",
        duplicates: str = "error",
        negative: str = "unjudged",
        ties: str = "order",
        depth: int | None = None,
        threads: int | None = None,
        lenient: bool = False,
        limits: Limits | None = None,
        both_precisions: bool = False,
        run_layout: str | None = None,
        rel: float | None = None,
        hosted: bool = False,
    ) -> Evaluator: ...
    def above_all_grades(self) -> tuple[list[Measure], float, float] | None: ...
    def evaluate(
        self,
        runs: Sequence[_RunForCore],
        progress: Callable[[int, int], object] | None = None,
        /,
    ) -> Scores:
        """Scores runs: objects, or (name, path or binary file[, label]).

        Paths are streamed; files are read at once and called by the label in
        errors.

        ``progress`` is called from this thread about ten times a second with
        the runs finished so far and the bytes read so far.
        """
    def tie_bounds(
        self,
        runs: Sequence[_RunForCore],
        progress: Callable[[int, int], object] | None = None,
        /,
    ) -> tuple[Scores, Scores, Scores]:
        """The values, the lowest and the highest over all orders of equal scores.

        Runs and ``progress`` as for ``evaluate``.
        """
    def bounds(
        self,
        runs: Sequence[_RunForCore],
        progress: Callable[[int, int], object] | None = None,
        /,
        *,
        mode: str = "free_R",
        unseen: int | None = None,
        max_grade: float | None = None,
        max_assignments: int | None = None,
    ) -> tuple[Scores, Scores, Scores]:
        """The values, the lowest and the highest after full judging.

        Runs and ``progress`` as for ``evaluate``.
        """
    def difference(
        self,
        runs: Sequence[_RunForCore],
        progress: Callable[[int, int], object] | None = None,
        /,
        *,
        max_grade: float | None = None,
        max_assignments: int | None = None,
    ) -> tuple[bool, bool | None, str | None, Scores, list[_TopicDifference]]:
        """What changes in the one measure from the first of two runs to the second.

        Whether it is a sum over documents; whether the bounds are reached, or
        why there are none; the scores of both; one entry a topic.
        """
    def rank(
        self,
        runs: Sequence[_RunForCore],
        progress: Callable[[int, int], object] | None = None,
        /,
        *,
        coins: bool = False,
    ) -> list[Ranked]:
        """Runs ranked and joined with the judgments, to be scored again and again.

        The documents outside the judgments are kept, as hashes, down to the
        rank that the evaluator's measures look at; with ``coins`` all.
        """
    def pool(
        self,
        runs: Sequence[_RunForCore],
        depth: int | None,
        progress: Callable[[int, int], object] | None = None,
        /,
    ) -> Qrels:
        """The first documents of each list, as judgments in which none is judged."""
    def judged_lists(
        self,
        runs: Sequence[_RunForCore],
        progress: Callable[[int, int], object] | None = None,
        /,
    ) -> list[tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64], NDArray[np.int64]]]:
        """For each run the judged documents of its lists, one topic after the other.

        Where each topic begins and the last one ends; ranks; grades; how many
        documents each list has, -1 for a topic that is left out.
        """
    def relevant_ranks(
        self,
        run: _RunForCore,
        /,
    ) -> list[tuple[int, int, NDArray[np.uint32]]]:
        """Documents retrieved, relevant documents and the ranks of those in the list.

        One entry a topic of the qrels, in order; what is relevant is the
        first measure's business. A topic that the run lacks has no list,
        unless it is left out or an error.
        """
    @property
    def measures(self) -> tuple[Measure, ...]: ...
    @property
    def qrels(self) -> Qrels: ...

def pooled_to_depth(qrels: Qrels, runs: Sequence[Ranked], depth: int, /) -> Qrels:
    """The judgments of the documents among the first of any run."""

def document_ranks(qrels: Qrels, runs: Sequence[Ranked], /) -> list[NDArray[np.uint32]]:
    """For each topic the best rank of each document in any run; 0 for none."""

def without_group(
    qrels: Qrels, runs: Sequence[Ranked], groups: Sequence[int], depth: int, group: int, /
) -> Qrels:
    """The judgments without those that only one group of runs brought."""

def reduced(
    qrels: Qrels,
    rate: float,
    /,
    *,
    method: str,
    least_relevant: int,
    least_nonrelevant: int,
    rel: float,
    keep_pooled: bool,
    seed: int,
) -> Qrels:
    """Fewer judgments."""

def sampled_collection(runs: Sequence[Ranked], rate: float, seed: int, /) -> list[Ranked]:
    """Runs in a part of the collection."""

def merged(sets: Sequence[Qrels], /) -> Qrels:
    """Several sets of judgments as one, the first that judged a document wins."""

def common_grades(
    first: Qrels, second: Qrels, /
) -> tuple[NDArray[np.uint32], NDArray[np.float64], NDArray[np.float64]]:
    """Places of topics and both grades of all documents that both have judged."""

@final
class Scores:
    """The values of runs x topics x measures, with their labels."""

    @staticmethod
    def of(
        runs: Sequence[str],
        topics: Sequence[str],
        measures: Sequence[Measure | OpaqueMeasure],
        values: NDArray[np.float64],
        /,
    ) -> Scores:
        """Values of shape (runs, topics, measures) with their labels."""
    @staticmethod
    def concat(parts: Sequence[Scores], axis: str, /) -> Scores:
        """Scores joined along an axis; raises ``Error`` if the other labels are not the same."""
    @property
    def runs(self) -> tuple[str, ...]: ...
    @property
    def topics(self) -> tuple[str, ...]: ...
    @property
    def measures(self) -> tuple[Measure | OpaqueMeasure, ...]: ...
    @property
    def notes(self) -> tuple[Notes, ...]: ...
    @property
    def f32_differs(self) -> list[int | None]:
        """For each run the topics that single precision orders otherwise.

        At judged documents; ``None`` unless the evaluator has
        ``both_precisions``, and for a ``Ranked`` run.
        """
    @property
    def has_findings(self) -> bool: ...
    def with_values(self, values: NDArray[np.float64], /) -> Scores:
        """Other values with the same labels: shape (runs, topics, measures)."""
    def with_measures(
        self, measures: Sequence[Measure | OpaqueMeasure], values: NDArray[np.float64], /
    ) -> Scores:
        """The same runs and topics with further measures: shape (runs, topics, measures)."""
    def values(self) -> NDArray[np.float64]:
        """Shape (runs, topics, measures); a fresh array."""
    def mean(self) -> list[list[float]]:
        """Arithmetic means over the topics that are not NaN: runs x measures."""
    def summary(self) -> list[list[float]]:
        """As mean, each measure by its own aggregate."""
    def row(self, run: int, topic: int, /) -> list[float]:
        """The values of one run and topic, a float for each measure."""
    def select(
        self, runs: Sequence[int], topics: Sequence[int], measures: Sequence[int], /
    ) -> Scores: ...
    def to_dict(self) -> dict[str, dict[str, dict[str, float]]]: ...
    def arrow_stream(self, metadata: Mapping[str, str], /) -> object:
        """Long form: run, topic, measure (dictionary-encoded text), value.

        The schema of the stream has these metadata.
        """

def number_texts(values: Sequence[float], counts: Collection[int], undefined: str, /) -> list[str]:
    """Numbers for programs, with every digit: those at the places of counts whole, if they
    are, and a text for NaN. Otherwise as ``repr`` writes them.
    """

def kendall(
    x: NDArray[np.float64],
    y: NDArray[np.float64],
    /,
    *,
    variant: str = "b",
    method: str = "auto",
    tolerance: float = 0.0,
) -> tuple[float, float]:
    """Kendall's tau and its p-value."""

def tau_ap(
    estimate: NDArray[np.float64],
    truth: NDArray[np.float64],
    /,
    *,
    ties: str = "average",
    tolerance: float = 0.0,
) -> float:
    """AP correlation."""

def spearman(
    x: NDArray[np.float64], y: NDArray[np.float64], /, *, tolerance: float = 0.0
) -> tuple[float, float]:
    """Spearman's correlation and its p-value."""

def pearson(x: NDArray[np.float64], y: NDArray[np.float64], /) -> tuple[float, float]:
    """Pearson's correlation and its p-value."""

def fisher_interval(r: float, items: int, confidence: float, /) -> tuple[float, float]:
    """The confidence interval of a Pearson correlation."""

def rms_error(estimate: NDArray[np.float64], truth: NDArray[np.float64], /) -> float:
    """The root of the mean squared difference."""

def max_drop(
    before: NDArray[np.float64], after: NDArray[np.float64], /, *, tolerance: float = 0.0
) -> tuple[int, int, int, int]:
    """The largest fall: by how many ranks, of which item, from and to which rank."""

def correlation_matrix(
    columns: NDArray[np.float64],
    /,
    *,
    method: str,
    variant: str = "b",
    ties: str = "average",
    tolerance: float = 0.0,
) -> NDArray[np.float64]:
    """A coefficient of all pairs of columns; NaN where it is undefined."""

def rbo(
    a: Sequence[Sequence[int]], b: Sequence[Sequence[int]], /, *, p: float, ties: str
) -> tuple[float, float, float]:
    """Rank-biased overlap: extrapolated, at least, at most."""

def kappa(
    table: NDArray[np.float64], weights: NDArray[np.float64], /, *, marginals: str
) -> tuple[float, float, float, float, float]:
    """Kappa of two judges: statistic, observed, expected, p-value, standard error."""

def normal_interval(statistic: float, error: float, confidence: float, /) -> tuple[float, float]:
    """The normal confidence interval around a statistic with a standard error."""

def fleiss_kappa(counts: NDArray[np.float64], /) -> tuple[float, float, float, float, float]:
    """Kappa of many judges: as for `kappa`, without a standard error."""

def krippendorff_alpha(
    items: Sequence[Sequence[int]], values: NDArray[np.float64], /, *, level: str
) -> tuple[float, float, float]:
    """Alpha, observed and expected disagreement."""

def paired_moments(
    values: NDArray[np.float64],
    pairs: NDArray[np.int64],
    /,
) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float64], NDArray[np.bool_]]:
    """Of each pair: topics, mean and deviation of the differences, whether identical.

    Tables have a row a system and a column a topic, C-contiguous; pairs are
    rows of two places. NaN is left out.
    """

def residual_variance(
    values: NDArray[np.float64],
    /,
) -> float:
    """The residual mean square of a two-way analysis of variance; no NaN."""

def paired_t(
    values: NDArray[np.float64],
    pairs: NDArray[np.int64],
    /,
    *,
    alternative: str = "two-sided",
) -> tuple[tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int64]], NDArray[np.float64]]:
    """The t test: statistics, p-values, topics; and the mean differences."""

def paired_wilcoxon(
    values: NDArray[np.float64],
    pairs: NDArray[np.int64],
    /,
    *,
    alternative: str = "two-sided",
    zeros: str = "drop",
    exact: int = 50,
    correction: bool = False,
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int64]]:
    """Wilcoxon's signed-rank test: exact up to so many differences."""

def paired_sign(
    values: NDArray[np.float64],
    pairs: NDArray[np.int64],
    /,
    *,
    alternative: str = "two-sided",
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int64]]:
    """The sign test."""

def paired_randomization(
    values: NDArray[np.float64],
    pairs: NDArray[np.int64],
    /,
    *,
    alternative: str = "two-sided",
    resamples: int | None = None,
    seed: int,
    plus_one: bool = True,
    threads: int | None = None,
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int64]]:
    """The randomisation test; of all signs without ``resamples``; no NaN."""

def paired_bootstrap(
    values: NDArray[np.float64],
    pairs: NDArray[np.int64],
    /,
    *,
    resamples: int,
    seed: int,
    threads: int | None = None,
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int64]]:
    """Sakai's bootstrap test; no NaN."""

def required_differences(
    values: NDArray[np.float64],
    pairs: NDArray[np.int64],
    /,
    *,
    level: float,
    resamples: int,
    seed: int,
    threads: int | None = None,
) -> NDArray[np.float64]:
    """The required difference of each pair in that test."""

def paired_tukey(
    values: NDArray[np.float64],
    pairs: NDArray[np.int64],
    /,
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int64]]:
    """Tukey's HSD after a two-way analysis of variance; no NaN."""

def paired_randomized_tukey(
    values: NDArray[np.float64],
    pairs: NDArray[np.int64],
    /,
    *,
    resamples: int,
    seed: int,
    threads: int | None = None,
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int64]]:
    """Tukey's HSD by permutation; no NaN."""

def range_sf(q: float, groups: int, freedom: float, /) -> float:
    """The upper tail of the studentised range."""

def range_isf(p: float, groups: int, freedom: float, /) -> float:
    """Where that tail has the value p."""

def correct_pvalues(pvalues: NDArray[np.float64], method: str, /) -> NDArray[np.float64]:
    """P-values corrected for their number."""

def t_intervals(
    values: NDArray[np.float64],
    pairs: NDArray[np.int64],
    /,
    *,
    level: float,
    alternative: str = "two-sided",
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The ends of t intervals of mean differences."""

def bootstrap_intervals(
    values: NDArray[np.float64],
    pairs: NDArray[np.int64],
    /,
    *,
    method: str,
    level: float,
    resamples: int,
    seed: int,
    threads: int | None = None,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The ends of bootstrap intervals of mean differences."""

def rank_intervals(
    values: NDArray[np.float64],
    /,
    *,
    level: float,
    resamples: int,
    seed: int,
    threads: int | None = None,
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The lowest and the highest rank of each run, from 1."""

def drawn_topics(topics: int, /, *, resamples: int, seed: int) -> NDArray[np.uint32]:
    """The topics that each replicate draws: (resamples, topics)."""

def run_trec_eval(arguments: list[bytes]) -> int:
    """Runs trec_eval's command line on the standard streams; its exit code."""

def captured_trec_eval(arguments: list[bytes]) -> tuple[int, bytes, bytes]:
    """Runs trec_eval's command line: exit code, output, complaints."""

@final
class RelevanceEvaluator:
    """Judgments and measures of pytrec_eval compiled once; immutable, safe from threads."""

    def __new__(
        cls,
        query_relevance: dict[str, Mapping[str, int]],
        measures: Sequence[tuple[str, Sequence[str]]],
        relevance_level: int,
        judged_docs_only: bool,
    ) -> RelevanceEvaluator: ...
    def evaluate(self, scores: dict[str, Mapping[str, float]]) -> dict[str, dict[str, float]]:
        """The values of every topic that both have, in the order of the run."""

def scores_of_dicts(
    lists: Iterable[Mapping[str, float]], whole: bool = False
) -> NDArray[np.float64] | None:
    """The scores of lists {document: score}, one list behind the other.

    ``None`` if one is no dict of text and finite numbers, or if ``whole`` numbers
    are asked for and one is not of the class ``int``.
    """

def trec_eval_nicknames() -> list[tuple[str, list[str]]]:
    """The nicknames of trec_eval 9 with the measures that they stand for."""

def checksum(state: object, /) -> int:
    """The checksum of a state in a pickle.

    Of tuples and lists of bytes, text, whole numbers below 2^64, flags and None;
    raises ``Error`` for anything else.
    """

def unpickled_limits(*parts: object) -> Limits: ...
def unpickled_measure(*parts: object) -> Measure: ...
def unpickled_notes(*parts: object) -> Notes: ...
def unpickled_qrels(*parts: object) -> Qrels: ...
def unpickled_run(*parts: object) -> Run: ...
def unpickled_scores(*parts: object) -> Scores: ...
