"""The Rust core as the Python layer sees it. Private."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, BinaryIO, Literal, Protocol, Self, TypeAlias, TypeVar, final

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = [
    "COLUMN_NAMES",
    "DEFAULT_BOUNDED",
    "DEFAULT_COMPARED",
    "DEFAULT_MEASURES",
    "OTHER_SUFFIXES",
    "QRELS_FORMATS",
    "QRELS_LAYOUTS",
    "RUN_COLUMNS",
    "RUN_FORMATS",
    "RUN_LAYOUTS",
    "WAY_FOR_LISTS",
    "AnswerLabels",
    "DamagedHeaderError",
    "DefinitionSearch",
    "Error",
    "Evaluator",
    "Expansion",
    "JudgedGrades",
    "JudgedLists",
    "Limits",
    "ListScorer",
    "Measure",
    "Notes",
    "OpaqueMeasure",
    "Qrels",
    "Ranked",
    "RelevanceEvaluator",
    "Run",
    "ScoreCells",
    "Scores",
    "SeenLists",
    "SpanEvaluator",
    "SpanQrels",
    "SpanRun",
    "Stop",
    "TextLines",
    "TextTable",
    "Unpacked",
    "__version__",
    "abstention_areas",
    "against_truth",
    "answered",
    "arrow_blocks",
    "arrow_next_batch",
    "arrow_unpacked",
    "assigned_nuggets",
    "battle_covariance",
    "battle_of",
    "battle_parts",
    "battle_rates",
    "battle_resamples",
    "battle_strengths",
    "bootstrap_intervals",
    "borda",
    "c_int",
    "captured_trec_eval",
    "check_ids",
    "check_interrupt",
    "check_json",
    "check_nested",
    "checksum",
    "chunk_lengths",
    "chunk_table",
    "citation_support",
    "cited_sentences",
    "column_place",
    "common_grades",
    "compared_pairs",
    "condorcet_winner",
    "conventions",
    "converted_spans",
    "copeland",
    "correct_pvalues",
    "correlation_matrix",
    "count_battles",
    "cross_taus",
    "deviating",
    "document_ranks",
    "document_values",
    "drawn_topics",
    "escaped",
    "evaluating_options",
    "exact_recall",
    "explanations",
    "families",
    "field_rows",
    "findings",
    "fisher_interval",
    "flag",
    "fleiss_kappa",
    "folded",
    "forms",
    "granularity",
    "grouped",
    "hashable",
    "highlights",
    "in_collection",
    "in_order",
    "intent_values",
    "is_dataset",
    "is_hit",
    "is_packed",
    "is_row",
    "is_table",
    "joined_runs",
    "judge_citation",
    "judged_criteria",
    "judged_topics",
    "judged_twice",
    "judging_plan",
    "kappa",
    "kendall",
    "krippendorff_alpha",
    "letter_groups",
    "list_confidence",
    "margin_verdicts",
    "max_drop",
    "measure_numbers",
    "merged",
    "normal_interval",
    "nugget_recall",
    "nuggets_of_bank",
    "number",
    "number_texts",
    "of_fewer_topics",
    "one_click",
    "order_swaps",
    "ordered_twice",
    "paired_bootstrap",
    "paired_max_t",
    "paired_moments",
    "paired_randomization",
    "paired_randomized_tukey",
    "paired_rows",
    "paired_sign",
    "paired_t",
    "paired_tukey",
    "paired_wilcoxon",
    "parquet_row_groups",
    "parquet_rows",
    "parse_lines",
    "parse_measures",
    "pearson",
    "pooled_to_depth",
    "predicted_mean",
    "qrels_columns",
    "range_isf",
    "range_sf",
    "rank_intervals",
    "rated",
    "rbo",
    "reads_dicts_in_place",
    "reduced",
    "refusals",
    "remarks",
    "required_differences",
    "resampled_taus",
    "residual_variance",
    "rms_error",
    "row_columns",
    "rubric_score",
    "run_columns",
    "run_findings",
    "run_of_chunks",
    "run_trec_eval",
    "sampled_collection",
    "scores_of_dicts",
    "shown",
    "single_deviations",
    "spearman",
    "spellings",
    "splitter",
    "support_number",
    "supported_sentences",
    "system_differences",
    "t_detectable",
    "t_intervals",
    "t_isf",
    "t_power",
    "t_sf",
    "t_topics",
    "table_columns",
    "table_form",
    "table_parts",
    "tau_ap",
    "tau_gap",
    "text",
    "tied_ranks",
    "topic_battle_resamples",
    "topic_battle_sums",
    "topic_counts",
    "trec_eval_nicknames",
    "tried_options",
    "unpickled_limits",
    "unpickled_measure",
    "unpickled_notes",
    "unpickled_qrels",
    "unpickled_run",
    "unpickled_scores",
    "unpickled_span_qrels",
    "unpickled_span_run",
    "whole",
    "without_each",
    "without_group",
    "write_file",
]

_Result = TypeVar("_Result")

__version__: str

RUN_LAYOUTS: tuple[str, ...]
"""The names of the column layouts that run files can have."""

QRELS_LAYOUTS: tuple[str, ...]
"""The columns that files of judgments can have."""

OTHER_SUFFIXES: tuple[str, ...]
"""Suffixes, without the point, of files that judgments and runs are not written to."""

RUN_FORMATS: tuple[str, ...]
"""The formats that runs can be written in."""

QRELS_FORMATS: tuple[str, ...]
"""The formats that judgments can be written in."""

WAY_FOR_LISTS: str
COLUMN_NAMES: dict[str, tuple[str, ...]]
"""What a column of a table can hold, with the usual names of each."""

RUN_COLUMNS: tuple[str, ...]
"""The usual names of the column of runs in a table of scores."""

DEFAULT_MEASURES: str
"""The measures that are computed when none is named."""

DEFAULT_BOUNDED: str
"""The measures that are bounded when none is named."""

DEFAULT_COMPARED: str
"""The measures that runs are compared in when none is named."""

class Error(ValueError):
    """The one error class: what is wrong with an input, and where.

    ``kind`` is a word such as "type" or "option". ``file``, ``line`` and
    ``column`` (from 1) are None where they do not apply. ``message`` is
    without them; ``command_line`` is the sentence for a terminal.
    """

    kind: str
    file: str | None
    line: int | None
    column: int | None
    message: str
    command_line: str

@final
class Limits:
    """Limits on input files; those not given have their defaults.

    Parameters
    ----------
    decompression_ratio
        How many times larger than the compressed file its data may be; by
        default 200. Real runs stay below 6, decompression bombs start at 1,000.
    decompression_free
        Bytes that may be decompressed before the ratio applies; by default
        16 MiB.
    decompressed_bytes
        Bytes that one file may be decompressed to, whatever the ratio; by
        default 64 GiB.
    decompressed_call_bytes
        Bytes that all runs of one evaluation may be decompressed to; by default
        1 TiB.
    line_bytes
        The longest line, in bytes; by default 1 MiB.

    Raises
    ------
    Error
        Kind "option" for anything but integers of at least 1.

    """

    def __new__(
        cls,
        *,
        decompression_ratio: int | None = None,
        decompression_free: int | None = None,
        decompressed_bytes: int | None = None,
        decompressed_call_bytes: int | None = None,
        line_bytes: int | None = None,
    ) -> Limits: ...
    decompression_ratio: int
    decompression_free: int
    decompressed_bytes: int
    decompressed_call_bytes: int
    line_bytes: int

@final
class Measure:
    """A measure as a value: family, parameters, prime, cutoff.

    Made from text, from another measure, or from a measure of ir_measures,
    whose text is parsed. Calling it sets parameters, ``@`` sets the cutoff.
    Raises ``Error``: kind "measure" or "parameter" for text that does not name
    a measure, "type" for another object.
    """

    def __new__(cls, text: str | Measure, /) -> Measure: ...
    def __call__(self, **parameters: Any) -> Measure: ...
    def __matmul__(self, cutoff: float, /) -> Measure: ...
    def at(
        self,
        *,
        chars: float | None = None,
        tokens: float | None = None,
        cost: float | None = None,
        calls: float | None = None,
    ) -> Measure:
        """The same measure of the part of each list that a budget affords.

        ``R.at(tokens=4000)`` is ``R@tokens=4000``: each list ends before the first document that
        would exceed the budget. Raises ``Error`` (kind "parameter") unless one budget is given, for
        an amount that is not above 0, and for measures without a value at a budget.
        """
    @property
    def prime(self) -> Measure:
        """The same measure on the condensed list: documents without a judgment are removed first.

        Raises ``Error`` (kind "parameter") for a measure without this form.
        """
    def over(self, prefix: str, /) -> Measure:
        """The same measure over classes ("EC"), global gains ("D", "DIN") or intents ("IA").

        ``nDCG.over("D#") @ 10`` is ``D#-nDCG@10``. Raises ``Error`` (kind
        "parameter") for other prefixes, and for measures that read more than
        grades.
        """
    @property
    def family(self) -> str:
        """The name of its family, such as ``"nDCG"``."""
    @property
    def rel(self) -> float | None:
        """The lowest relevant grade; ``None`` for a measure that does not use one."""
    @property
    def aggregate(self) -> str:
        """How its values are aggregated over topics, such as ``"mean"`` or ``"sum"``."""
    @property
    def better(self) -> str | None:
        """Which values are better: ``"higher"`` or ``"lower"``.

        None for measures that do not say how good a run is: ``num_ret``,
        ``Judged``, ``iDCG``.
        """
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@final
class OpaqueMeasure:
    """A measure of scores from elsewhere: only its label is known.

    ``better`` is ``"higher"``, ``"lower"`` or None. ``aggregate`` is ``"mean"``,
    ``"sum"``, ``"geometric"`` or ``"pooled"``; the summary of the last is NaN,
    since the weights of the values are unknown. Raises ``Error`` (kind "option")
    for other words.
    """

    def __new__(
        cls, label: str, /, better: str | None = None, aggregate: str = "mean"
    ) -> OpaqueMeasure: ...
    @property
    def family(self) -> str:
        """The label."""
    @property
    def aggregate(self) -> str:
        """How its values are aggregated over topics, such as ``"mean"`` or ``"sum"``."""
    @property
    def better(self) -> Literal["higher", "lower"] | None:
        """Which values are better; None if unknown."""
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

def parse_measures(text: str, /) -> list[Measure]:
    """The measures named in a text, separated by white space or commas; nicknames are expanded.

    Raises ``Error``: kind "measure" or "parameter" for a name that is not a measure.
    """

def table_parts(
    rows: Sequence[Sequence[str]],
    left: int,
    width: int | None = None,
    *,
    labels: int | None = None,
    belongs: Sequence[bool] | None = None,
) -> list[list[str]]:
    """The lines of rows of cells, part by part.

    A table that is too wide goes on below itself: each part has the labels of the rows again and
    as many columns as fit. So no cell is broken and none is left out. Texts are shortened in their
    middle only where they would leave no room for a column.

    ``left`` is how many columns are texts, aligned to the left; the first ``labels`` of
    them, or all, stand in every part. ``width`` is how many characters a line may have.
    ``belongs`` says of each column whether it is about the nearest one before it that does
    not: such columns stay together, or that one stands before them in the next part again.
    """

def write_file(path: str, data: bytes, /) -> None:
    """Writes a file as it is, as ``Run.write`` writes: all or nothing.

    Raises ``Error``: kind "directory", "missing" or "io" for what cannot be written.
    """

def check_json(text: str, /) -> None:
    """Raises ``Error`` (kind "limit"), with the line, for JSON nested too deeply or with too
    long a number.
    """

def reads_dicts_in_place() -> bool:
    """Whether dicts are read where they lie in memory.

    Otherwise they are read item by item, with the same result.
    """

def evaluating_options() -> tuple[dict[str, Any], ...]:
    """The evaluating options, one dict an option: name, stage ("reading", "ranking",
    "scoring" or "work"), what it takes ("word", "count" or "flag"), what a count is of
    (``counted``, else ``None``), its words, what
    holds if it is not given (empty: the first word), whether scores made with other
    values of it do not fit (``separates``), a summary, what it is ``about`` in more words,
    and what trec_eval has.
    """

_Topic: TypeAlias = tuple[list[str] | None, list[float] | None, Mapping[str, float], list[str], int]
"""Documents, their scores, judgments, repeated judgments and the cutoff."""

def conventions() -> dict[str, list[tuple[str, list[str]]]]:
    """For each audited measure its dimensions: the name, and the values with the standard first."""

def deviating(
    measure: str, topics: list[_Topic], choices: list[list[int]], /
) -> list[list[float | None]]:
    """For each choice of conventions the value of each topic; ``None`` if it is left out.

    A choice has the place of a value for each dimension. NaN where equal scores have
    more than 5,040 orders to average.
    """

def explanations(
    measure: str, topics: list[_Topic], answers: list[tuple[bool, float | None]], /
) -> list[tuple[list[int], list[bool]]]:
    """The choices of conventions that explain the most answers with the fewest deviations.

    An answer is whether the input was refused, and the value; ``None`` if the topic was
    left out. With each choice comes which answers it explains.
    """

def tried_options() -> list[dict[str, Any]]:
    """The sets of options under which ``identify`` evaluates, the standard first."""

def without_each(
    ranks: NDArray[np.int64], grades: NDArray[np.float64], retrieved: int, /
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
    """A list without each of its documents, from the ranks and grades of those that are judged.

    Documents between two judged ones share a list. The place of the list of each document; where
    lists begin; ranks and grades.
    """

def granularity(
    text: str,
    label: Measure | None,
    value: float,
    half: float,
    topics: int,
    /,
    *,
    always: bool = False,
) -> str | None:
    """A sentence for a number that cannot be a mean of its measure over so many topics.

    ``always``: also for one that can, and for measures of which it is not known.
    """

def single_deviations(
    measure: Measure,
    judgments: list[tuple[str, dict[str, float]]],
    run: dict[str, dict[str, float]],
    /,
) -> list[tuple[str, str, str, list[float | None]]]:
    """The deviations of a measure in one dimension: the dimension, its value, the standard, values.

    Values are of the topics of the judgments. None for a measure with arguments.
    """

_Definition: TypeAlias = tuple[int, float, str, str, int, list[str], int, int, bool]
"""The place, the value, the measure, the options, the bits, what differs, how many others are the
same, the place of the options, and whether it is a mean over topics."""

@final
class DefinitionSearch:
    """The definitions that give printed numbers, over the runs that were looked at."""

    def __new__(cls, qrels: Qrels, labels: list[Measure | None], /) -> Self:
        """Raises ``Error`` for a label that the judgments do not allow."""
    @property
    def distinct(self) -> int: ...
    def __len__(self) -> int: ...
    def look(
        self, run: Run | Ranked, numbers: list[tuple[int, float, float, int | None]], /
    ) -> None:
        """Keeps what gives numbers of a run: labels, values, half a last digit, topics."""
    def chance(self, label: int, /) -> float:
        """How many definitions would give the numbers of a label by accident."""
    def fitting(self, label: int, /) -> list[_Definition]:
        """Those that give the numbers of a label, the simplest first."""
    def nearest(self, label: int, /) -> list[_Definition]:
        """Those whose values are nearest."""
    def labelled(self, label: int, /) -> float | None:
        """The value of the label itself."""
    def telling(
        self, label: int, texts: list[str], /
    ) -> tuple[int, list[tuple[str, float]]] | None:
        """The topic in which some definitions differ most, and their values there."""

def families() -> list[dict[str, Any]]:
    """The registry of measures: one dict per family, in the order of the registry."""

def forms() -> list[dict[str, Any]]:
    """The forms of families (``EC-``, ``D-``, ``DIN-``, ``IA-``), described like families."""

def refusals() -> list[tuple[str, str]]:
    """The names of other tools that are refused, each with what to write instead; k is a number."""

def spellings(tool: str, /) -> list[tuple[str, str]]:
    """What a program calls measures: our spelling and its own, ``("AP@10", "map_cut_10")``."""

@final
class Qrels:
    """Compiled judgments: ``{topic: {document: grade}}``, where grades are any finite numbers.

    A grade above 0 is relevant unless a measure says otherwise. A document with
    a grade below 0 is in the pool but not judged. Documents in a list, a set or an
    array have the grade 1; lists within the list are classes of equivalent documents
    (``EC-``). ``docs_in_collection`` is for the few measures that need it. Raises
    ``Error``: kind "type" for another structure, "number" for a grade that is not
    finite, "conflict" for a document in two classes.
    """

    def __new__(
        cls,
        judgments: Mapping[Any, Mapping[Any, float] | Iterable[Any]],
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
        """Judgments from three columns of the same length: topic, document and grade of each row.

        Raises ``Error``: kind "type" for columns of different lengths or for
        values of other types, "number" for a grade that is not finite,
        "duplicate" or "conflict" for a document judged twice.
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
        """Judgments from any source of an Arrow stream: pyarrow, polars, DuckDB.

        Columns that are not named here are found by the names that the guide
        lists; of three columns, those without such a name are taken in order.
        Ids are text, dictionary-encoded text or integers; grades are numbers.
        Raises ``Error``: kind "type" for columns that are missing or of other
        types, and what ``from_rows`` raises.
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
        """Judgments from numpy arrays, or anything numpy converts to arrays.

        Parameters
        ----------
        topics
            The topic of each judgment: integers or text, shape (judgments,).
            With ``offsets``, each topic once, shape (topics,).
        documents
            Integers or text (str, bytes, objects), shape (judgments,).
        grades
            Numbers, shape (judgments,).
        offsets
            Integers, shape (topics + 1,): the judgments of topic i are those
            from ``offsets[i]`` to before ``offsets[i + 1]``.
        docs_in_collection
            The number of documents in the collection.

        Raises
        ------
        Error
            Kind "type" for arrays of other types or shapes, "option" for
            offsets that do not fit, "number" for a grade that is not finite,
            "duplicate" or "conflict" for a document judged twice.

        """
    @staticmethod
    def from_ratings(ratings: Any, /) -> Qrels:
        """Judgments from the ratings of a search engine, or of a tool beside it.

        Parameters
        ----------
        ratings
            A path, an open file, or what it holds: the request of ``_rank_eval`` of
            Elasticsearch and OpenSearch (topics are the ids of its requests; documents
            of several indices are ``index/_id``), judgments of OpenSearch's Search
            Relevance Workbench, also as a search returns them, and ratings of the Rated
            Ranking Evaluator (a topic is the text of a query), as JSON or as dicts;
            Quepid's CSV with the columns query, docid and rating, as a file or its text.
            A query without ratings is a topic without judgments.

        Raises
        ------
        Error
            Kind "fields" for another structure, "type" for another object, "number" for a
            rating that is no number, "duplicate" for a topic or a document that comes
            twice, "conflict" for a query of two groups with other documents; and as
            reading other files does.

        """
    def to_ratings(
        self, form: str, /, *, index: str | Callable[[str], tuple[str, str]] | None = None
    ) -> Any:
        """The judgments as "rank_eval", "srw" or "quepid", as ``from_ratings`` reads them.

        The first two are dicts for JSON: ``{"requests": [...]}``, where each request has its
        ``id`` and ``ratings``, and ``{"judgmentRatings": [...]}``; the last one is the text
        of a CSV file. ``index``, for "rank_eval" only, is the index of the documents, or a
        function from a document to its index and ``_id``. Raises ``Error``: kind "option"
        for another form and for a missing ``index``, "needs" for a grade that
        ``_rank_eval`` cannot take, which is not whole.
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
        """Judgments from a path or a file open in binary mode.

        ``cranfield.read_qrels`` accepts more kinds of source and documents the
        options and the errors.
        """
    @property
    def fingerprint(self) -> str:
        """A hash that identifies the judgments: 16 hexadecimal digits, the same in every process.

        It does not depend on the order of the judgments.
        """
    def write(self, path: str, /, *, format: str = "trec") -> None:
        """Writes them as "trec", "beir" or "stratified", compressed according to the path's suffix.

        The file is written under a temporary name and renamed when it is
        complete. Raises ``Error``: kind "option" for another format, "needs" and
        "type" for judgments that the format cannot hold, "missing" if the file
        cannot be written.
        """
    def to_dict(self) -> dict[str, dict[str, float]]:
        """The grades as ``{topic: {document: grade}}``."""
    @property
    def topics(self) -> tuple[str, ...]:
        """The topics, in order of id."""
    @property
    def grades(self) -> tuple[float, ...]:
        """All grades of the collection, each once, ascending.

        Judgments made from others (``restrict_to_topics``, ``collection.reduce`` and so on)
        keep the grades of the whole, also those that none of their documents has.
        """
    @property
    def docs_in_collection(self) -> int | None:
        """The number of documents in the collection, if it was given."""
    @property
    def repaired(self) -> int:
        """How many grades lenient reading replaced."""
    @property
    def comments(self) -> int:
        """How many lines of the file were skipped as comments."""
    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns besides the grades, such as ``"stratum"``."""
    def column(self, name: str, topic: str, /) -> dict[str, float]:
        """A column of one topic as ``{document: number}``.

        Raises ``KeyError`` if there is no such column or topic.
        """
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

        The grade of a document is its highest under any intent; diversity
        measures use each of them. An intent may have no document: it counts in
        means over intents, with the value 0. Raises ``Error`` as ``Qrels``,
        ``with_weights`` and ``with_navigational`` do.
        """
    def intents(self, topic: str, /) -> dict[str, float]:
        """The intents of a topic with their weights; empty if it was not judged by intent."""
    def with_weights(self, weights: Mapping[Any, Mapping[Any, float]], /) -> Qrels:
        """The same judgments with a weight, such as a probability, for each intent.

        ``weights`` is ``{topic: {intent: weight}}``; by default every intent has
        weight 1. An intent under which no document was judged is kept: it
        counts in means over intents, with the value 0. Raises ``Error``:
        kind "number" for a weight below 0, "needs" for an intent with a
        judged document but no weight.
        """
    def with_navigational(self, intents: Mapping[Any, Iterable[Any]], /) -> Qrels:
        """The same judgments with these intents marked as navigational.

        ``intents`` is ``{topic: [intent, ...]}``. Of the documents of a
        navigational intent one is wanted; all other intents are informational.
        ``DIN-`` and ``P+Q`` use this. Raises ``Error`` (kind "needs") for an
        intent that the topic lacks.
        """
    def with_column(self, name: str, values: Mapping[Any, Mapping[Any, float]], /) -> Qrels:
        """The same judgments with one more column: a number for each judgment.

        ``"stratum"`` is the part of the pool that a document was sampled
        from, ``"inclusion"`` the probability (above 0, up to 1) with which it
        was sampled; estimates from samples use both.
        ``"class"`` is the same number for documents with the same content, for
        ``EC-``; a document without one is a class of its own.
        ``"cost"`` is the cost of reading a document (its length, a time), for
        user models; a document without one costs what their ``cost=`` says. ``@cost=`` also
        reads it for retrieved documents without a judgment. Raises
        ``Error``: kind "needs" for a judgment without a number, "number" for an
        invalid probability or cost.
        """
    def with_lengths(self, lengths: Mapping[Any, float], /) -> Qrels:
        """The same judgments, with the lengths of documents for ``@tokens=`` or ``@chars=``.

        All retrieved documents need a length, judged or not. A column ``tokens`` or ``chars`` of a
        run takes precedence. Raises ``Error``: kind "number" for a length that is not a finite
        number of at least 0, "type" for anything but {document: length}.
        """
    def restrict_to_pool(self, pool: Qrels, /) -> Qrels:
        """The judgments of the documents in a pool; others count as never judged.

        Which grades are relevant does not change; the number of relevant
        documents of a topic decreases with the documents removed. Runs that
        were ranked with these judgments can be scored under the new ones.
        ``grades`` and ``docs_in_collection`` stay those of the whole.
        """
    def restrict_to_topics(self, topics: Iterable[str], /) -> Qrels:
        """The judgments of some topics, with their columns and intents.

        What measures know of the collection stays that of the whole: ``grades``, so that
        the highest gain is the same, and ``docs_in_collection``. Raises ``Error`` (kind
        "label") for a topic that has no judgments.
        """
    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[str]: ...
    def __contains__(self, topic: object, /) -> bool: ...
    def __getitem__(self, topic: str, /) -> dict[str, float]: ...
    def __eq__(self, other: object, /) -> bool: ...

@final
class SpanQrels:
    """Judgments of spans of text: ``{topic: [(doc, start, end[, grade[, group]]), ...]}``.

    Offsets count characters (code points) from 0; ``end`` is the one behind the last. A grade is 1
    if it is not given. Spans of one group are alternatives of which one is enough. Spans may also
    be dicts with these keys. ``offsets`` says what offsets count otherwise, such as "lines": a run
    has to count the same. Raises ``Error``: kind "span" for a span that holds no character,
    "number" for an offset or a grade that is none, "duplicate" for a span that comes twice in a
    topic, "limit" for offsets of 2^32 or more, "type" for another structure.
    """

    def __new__(
        cls,
        judgments: Mapping[Any, Sequence[Any]],
        /,
        *,
        offsets: str | None = None,
    ) -> SpanQrels: ...
    @staticmethod
    def read(
        source: str | BinaryIO,
        /,
        *,
        label: str | None = None,
        columns: Mapping[str, str] | None = None,
        limits: Limits | None = None,
        layout: str | None = None,
    ) -> SpanQrels:
        """Judgments from a path or a binary file; see ``cranfield.read_span_qrels``."""
    @staticmethod
    def from_quotes(
        quotes: Mapping[Any, Sequence[Any]] | str,
        texts: Any,
        /,
        *,
        normalize: str = "space",
        ambiguous: str = "error",
    ) -> SpanQrels:
        """Judgments from quoted evidence: ``{topic: [(doc, quote[, grade[, group]]), ...]}``.

        A quote is looked for as it is, then with runs of white space as one; ``normalize="loose"``
        also leaves out case, Unicode's forms, and the kinds of quotation marks and dashes. It is
        never taken for something that is only similar. A quote may be a dict with the keys doc,
        quote, grade, group and start, which picks the nearest of several places.
        ``ambiguous="any"`` makes all places of a quote alternatives. ``texts`` are {doc: text}, a
        folder, or JSON Lines with doc and text. ``quotes`` may be the path of JSON Lines with topic
        and evidence, a list of such dicts.

        Raises ``Error``: kind "missing" for a quote that is not there, with the nearest passage;
        "ambiguous" for one that stands in several places; "label" for a document without a text.
        """
    def label(self, chunks: Any, /, *, overlap: float = 0.5, of: str = "span") -> Qrels:
        """Ordinary judgments of chunks by name, for one way to split the documents.

        A chunk is relevant if it shares at least ``overlap`` of a span (``of="span"``) or of the
        chunk ("chunk"), with the highest grade of such spans; its class (``EC-``) is the group of
        that span. ``chunks`` are {chunk: (doc, start, end)} or a file, as for ``SpanRun.from_run``.
        """
    def documents(self) -> Qrels:
        """Ordinary judgments: each document has the highest grade of its spans."""
    @property
    def offsets(self) -> str:
        """What offsets count: "codepoints", "lines", "pages" or another unit."""
    @property
    def topics(self) -> tuple[str, ...]:
        """The topics, in byte order."""
    @property
    def fingerprint(self) -> str:
        """A hash of the spans, their grades and groups, and the unit of the offsets."""
    def to_dict(self) -> dict[str, list[tuple[Any, ...]]]:
        """``{topic: [(doc, start, end, grade[, group]), ...]}``, by document and place."""
    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[str]: ...
    def __contains__(self, topic: object, /) -> bool: ...
    def __getitem__(self, topic: str | int, /) -> list[tuple[Any, ...]]: ...

@final
class SpanRun:
    """Chunks that were retrieved: ``{topic: [(doc, start, end[, score]), ...]}``, best first.

    A chunk may also be a dict with these keys and ``tokens``, ``cost`` and ``call``: the number of
    the call that returned it. Lists of several calls come one after the other. Scores are for
    ``documents`` alone; the order is that of the lists. Raises ``Error`` as ``SpanQrels`` does; the
    same chunk may come again.
    """

    def __new__(
        cls,
        lists: Mapping[Any, Sequence[Any]],
        /,
        *,
        name: str = "run",
        offsets: str | None = None,
    ) -> SpanRun: ...
    @staticmethod
    def read(
        source: str | BinaryIO,
        /,
        *,
        name: str = "run",
        label: str | None = None,
        order: str = "docno_desc",
        columns: Mapping[str, str] | None = None,
        limits: Limits | None = None,
        layout: str | None = None,
    ) -> SpanRun:
        """A run from TSV or CSV with a header, or JSON Lines.

        Rows have topic, doc, start, end (or length) and perhaps score, rank, tokens, cost and call;
        an object of JSON is a row, or a topic with its rows in ``results``. Scores decide the
        order, or else ranks, or else the order of rows. Of equal scores the higher name of a
        document comes first, then the earlier chunk; ``order`` is that of ``evaluate``.
        ``layout`` is that of ``read_span_qrels``: "genomics" has lines of topic, document, rank,
        offset and length, "inex" of topic, Q0, file, rank, score, run and two numbers, of which
        ``columns={"length": "8"}`` or ``{"end": "8"}`` says what the second is, "kilt" the records
        of KILT. Their ranks decide the order.
        """
    @staticmethod
    def read_chunks(
        source: str | BinaryIO,
        /,
        *,
        label: str | None = None,
        columns: Mapping[str, str] | None = None,
        limits: Limits | None = None,
    ) -> SpanRun:
        """Where chunks are: a topic for each, called as it is. For this package only."""
    @staticmethod
    def from_run(run: Any, chunks: Any, /, *, name: str | None = None) -> SpanRun:
        """A run of the names of chunks, and where these are.

        ``run`` is anything that ``evaluate`` takes as one run; ``chunks`` are {chunk: (doc, start,
        end)}, {chunk: {"doc": ..., "start": ..., "end": ..., "tokens": ...}}, or a file with the
        columns chunk, doc, start and end. Raises ``Error`` (kind "label") for chunks that are not
        there.
        """
    @staticmethod
    def from_nodes(
        nodes: Mapping[Any, Sequence[Any]], /, *, texts: Any = None, name: str = "run"
    ) -> SpanRun:
        """A run from the objects that LlamaIndex, LangChain or Haystack return, best first.

        LlamaIndex says where a chunk is in ``ref_doc_id``, ``start_char_idx`` and
        ``end_char_idx``; LangChain in the metadata ``source`` and ``start_index``, which a splitter
        writes with ``add_start_index=True``; Haystack in ``source_id`` and ``split_idx_start``.
        With ``texts`` as for ``SpanQrels.from_quotes``, each is compared with its text, and what
        has no offset, or a wrong one, is located; of the names that a chunk has for its document,
        such as a drawn id and a file, that of the texts is meant. Raises ``Error``: kind "number"
        for a chunk without an offset, "ambiguous" for one whose text stands in several places.
        """
    def documents(self, method: str = "MaxP", /) -> Run:
        """A run of documents, each with a score made of those of its chunks.

        "MaxP" is the highest, "FirstP" that of the chunk with the lowest start among those
        retrieved, "SumP" the sum, "AvgP" the mean, "KMaxAvgP(3)" the mean of the three highest.
        A chunk that comes again counts once. Raises ``Error`` (kind "needs") for chunks without
        scores.
        """
    def rename(self, name: str, /) -> SpanRun:
        """The same run under another name."""
    @property
    def name(self) -> str:
        """The name of the run."""
    @property
    def offsets(self) -> str:
        """What offsets count."""
    @property
    def topics(self) -> tuple[str, ...]:
        """The topics, in byte order."""
    def to_dict(self) -> dict[str, list[dict[str, Any]]]:
        """``{topic: [{"doc": ..., "start": ..., "end": ...}, ...]}``, best first."""
    def __len__(self) -> int: ...

@final
class SpanEvaluator:
    """Judgments of spans and measures compiled once. For this package only."""

    def __new__(
        cls,
        qrels: SpanQrels,
        measures: Sequence[Measure],
        *,
        rel: float | None = None,
        hosted: bool = False,
        limits: Limits | None = None,
        **options: Any,
    ) -> SpanEvaluator: ...
    def evaluate(
        self, runs: Sequence[SpanRun], progress: Callable[[int, int], object] | None = None, /
    ) -> Scores:
        """Scores of the runs, by name."""
    @property
    def measures(self) -> tuple[Measure, ...]:
        """The measures, each once."""
    @property
    def qrels(self) -> SpanQrels:
        """The judgments."""
    @property
    def documents(self) -> Qrels:
        """The judgments of whole documents that follow from them."""

def chunk_table(chunks: Any, /) -> SpanRun:
    """Where chunks are, of a dict or a file: a run with a topic for each."""

def converted_spans(gold: SpanQrels, texts: Any, offsets: object, /) -> SpanQrels:
    """The same judgments in code points, checked against the texts; see ``read_span_qrels``."""

def run_of_chunks(run: Run, chunks: Any, name: str, /) -> SpanRun:
    """A run of chunks from one of their names; see ``SpanRun.from_run``."""

def splitter(gold: SpanQrels, chunks: SpanRun, rel: float, /) -> dict[str, Any]:
    """What the chunks of all lists could reach; see ``cranfield.splitter``."""

def chunk_lengths(run: SpanRun, topics: Sequence[str], /) -> dict[str, Any]:
    """How long the chunks and the lists of some topics are, and how many chunks come again."""

def highlights(
    gold: SpanQrels, run: SpanRun, topic: str, rel: float, depth: int, /
) -> list[tuple[str, int, int, list[tuple[int, int, bool]]]]:
    """The first chunks of a list: document, start, end, and their parts that are evidence.

    A part has its start, its end, and whether no chunk above holds it.
    """

def unpickled_span_qrels(judgments: dict[str, Any], offsets: str, /) -> SpanQrels:
    """The judgments of a pickle."""

def unpickled_span_run(lists: dict[str, Any], name: str, offsets: str, /) -> SpanRun:
    """The run of a pickle."""

@final
class Run:
    """All lines of one run, in columns: ``{topic: {document: score}}``.

    A higher score is better. The documents of a topic may also be a list, a tuple or an
    array without scores, best first; their scores are then -1, -2 and so on. Raises
    ``Error``: kind "type" for another structure, such as a set, which has no order,
    "number" for a score that is not finite.
    """

    def __new__(
        cls, scores: Mapping[Any, Mapping[Any, float] | Iterable[Any]], /, *, name: str = "run"
    ) -> Run: ...
    @staticmethod
    def from_rankings(rankings: Mapping[Any, Sequence[Any]], /, *, name: str = "run") -> Run:
        """A run from ordered lists: ``{topic: [document, ...]}``, best document first.

        Raises ``Error`` (kind "type") for anything but such a mapping.
        """
    @staticmethod
    def from_hits(
        answers: Mapping[str, Any],
        /,
        *,
        name: str = "run",
        document: Callable[[Any], str] | None = None,
    ) -> Run:
        """A run from ``{topic: response}`` of Elasticsearch, OpenSearch or Vespa.

        A response is what a search returned, or the list of its hits; one
        response of ``_rank_eval`` holds all topics. The id of a document is its
        ``_id``, what follows ``::`` in a Vespa id, or what ``document`` returns
        for the hit. If no hit has a score, the order of the list counts. Raises
        ``Error`` (kind "type") for a search that failed or is incomplete.
        """
    @staticmethod
    def from_rows(
        topics: Sequence[Any],
        documents: Sequence[Any],
        scores: Sequence[float] | None,
        /,
        *,
        ranks: Sequence[float] | None = None,
        chars: Sequence[float | None] | None = None,
        tokens: Sequence[float | None] | None = None,
        cost: Sequence[float | None] | None = None,
        call: Sequence[float | None] | None = None,
        name: str = "run",
    ) -> Run:
        """A run from columns of the same length: topic, document and score of each row.

        Without scores (``None``), ``ranks`` give the order. Beside scores, ranks
        are used by ``order="rank"`` only, and a list with a rank that is not a
        number counts as without ranks. ``chars``, ``tokens`` and ``cost`` are what documents
        cost, for measures such as ``R@tokens=4000``; lists of several calls have the number of
        each row's ``call``. Raises ``Error``: kind "type" for columns of
        different lengths or for values of other types, "number" for a score that is
        not finite or, without scores, for a rank that is not an integer from 0.
        """
    @staticmethod
    def from_named_tuples(
        rows: list[Any], /, *, topic: str, document: str, score: str, name: str = "run"
    ) -> Run | None:
        """A run from named tuples, by the names of their fields.

        ``None`` unless each row is a named tuple with a str, a str and a finite number.
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
        chars: str | None = None,
        tokens: str | None = None,
        cost: str | None = None,
        call: str | None = None,
        name: str = "run",
    ) -> Run:
        """A run from any source of an Arrow stream: pyarrow, polars, DuckDB.

        Columns that are not named here are found by the names that the guide
        lists; of three columns, those without such a name are taken in order.
        Without scores the ranks give the order; beside scores they
        are used by ``order="rank"`` only. Ids are text, dictionary-encoded text or
        integers; scores are numbers. Raises ``Error``: kind "type" for columns that
        are missing or of other types, and what ``from_rows`` raises.
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
        assume: str = "",
    ) -> Run:
        """A run from numpy arrays, or anything numpy converts to arrays.

        Integers and floating-point numbers are not copied if they are
        contiguous, aligned, of 32 or 64 bits and in native byte order: each
        evaluation reads the arrays as they are then. An integer stands for
        the document whose id is its decimal text. Text is encoded once, here.

        Parameters
        ----------
        topics
            The topic of each row: integers or text, shape (rows,). Rows of
            a topic that are not consecutive are put together, in their
            order. With ``offsets``, each topic once, shape (topics,).
        documents
            Integers or text (str, bytes, objects), shape (rows,).
        scores
            Numbers, higher is better, shape (rows,).
        offsets
            Integers, shape (topics + 1,): the rows of topic i are those from
            ``offsets[i]`` to before ``offsets[i + 1]``.
        name
            The name of the run.
        check
            Which repeated documents are found among integers: "judged" finds
            those of documents in the judgments, "full" all. Text is always
            checked in full, and so is every run under ``duplicates="first"``
            or ``"best"``. Scores that are not finite are always found.
        assume
            What you promise of each list of integer ids, so that it need not be
            looked at, in words: "sorted" (it is in the order in which it would
            be ranked, equal scores included, with finite scores), "unique" (no
            document comes twice). Then scores are not read, and ids only as far down as
            the measures look. ``check="full"`` verifies the promise; without it,
            what a false promise gives is undefined, but nothing outside the
            arrays is ever read.

        Raises
        ------
        Error
            Kind "type" for arrays of other types or shapes, "option" for
            offsets that do not fit and unknown words, "duplicate" for a topic
            given twice with ``offsets``. Errors in scores or documents are
            raised by the evaluation: "conflict" for a list that is not in the
            promised order.

        """
    @staticmethod
    def from_topk(
        topics: ArrayLike,
        documents: ArrayLike,
        scores: ArrayLike,
        *,
        name: str = "run",
        check: str = "judged",
        assume: str = "",
    ) -> Run:
        """A run from the result of a vector search: a row for each topic.

        The matrices may be strided; if the rows are contiguous, nothing is
        copied. The integer -1 stands for no document, as FAISS pads rows with
        fewer than k results, and its score is ignored; arrays of objects that are
        all integers are read in the same way. The text "-1" is a document, and
        mixing integers with text is an error. Arrays are read whenever the run is
        used: changed values count from then on, a changed shape or type is an error.

        Parameters
        ----------
        topics
            Ids of the topics, each once: integers or text, shape (topics,).
        documents
            Integers or text, shape (topics, k).
        scores
            Numbers, higher is better, shape (topics, k); for distances pass
            ``-distances``. Rows need not be sorted.
        name, check, assume
            As for ``from_arrays``. A row that is promised to be sorted has its
            padding at the end.

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
        """A run from a path or a file open in binary mode.

        ``cranfield.read_run`` accepts more kinds of source and documents the
        options and the errors.
        """
    def write(self, path: str, /, *, format: str = "trec") -> None:
        """Writes it as "trec" or "msmarco", compressed according to the path's suffix.

        The file is written under a temporary name and renamed when it is
        complete. Raises ``Error``: kind "option" for another format, "type" for
        ids that the format cannot hold, "missing" if the file cannot be written.
        """
    def to_dict(self) -> dict[str, dict[str, float]]:
        """The scores as ``{topic: {document: score}}``, in ranked order."""
    def rename(self, name: str, /) -> Run:
        """The same run under another name."""
    @property
    def name(self) -> str:
        """The name of the run in scores."""
    @property
    def tag(self) -> str | None:
        """The tag in the last column of its file, if it came from one."""
    @property
    def topics(self) -> tuple[str, ...]:
        """The topics, in the order of the input."""
    def __len__(self) -> int:
        """The number of topics."""
    @property
    def lines(self) -> int:
        """The number of retrieved documents, over all topics."""
    def __iter__(self) -> Iterator[str]: ...
    def __contains__(self, topic: object, /) -> bool: ...
    def __getitem__(self, topic: str, /) -> dict[str, float]: ...

@final
class Notes:
    """What the evaluation of one run skipped or had to decide.

    The name of the run and the tag of its file; its number of lines; the topics
    that it lacks, that have no judgments, and that have no relevant document;
    the numbers of lines with the same score as another (``ties``), with a
    repeated document (``duplicates``), taken out since their document has the topic's own id
    (``own_documents``), repaired by lenient reading (``repaired``), and passed over as
    ``comments``.

    Sentences, where there is something to say: no document of the run is judged
    (``unmatched``), the order of equal scores could move a score (``tied``), scores rise with
    the ranks (``rising``), many topics have their own document at rank 1 (``own_first``), topics
    without judgments are missing ones under another spelling
    (``topics_hint``), chunks are read again or evidence is missed by a few characters
    (``of_text``); and about the judgments (``judgments``).
    """

    run: str
    tag: str | None
    lines: int
    topics_missing: tuple[str, ...]
    topics_without_judgments: tuple[str, ...]
    topics_without_relevant: tuple[str, ...]
    ties: int
    duplicates: int
    own_documents: int
    repaired: int
    comments: int
    unmatched: str | None
    tied: str | None
    rising: str | None
    own_first: str | None
    of_text: str | None
    topics_hint: str | None
    judgments: tuple[str, ...]

@final
class Ranked:
    """A run that was ranked and joined with judgments, ready to be scored.

    ``cranfield.evaluate`` accepts it in place of the run, under the same
    judgments or any that were derived from them.
    """

    @property
    def name(self) -> str:
        """The name of the run."""
    @property
    def keep_unjudged(self) -> bool:
        """Whether all documents outside the judgments are kept."""
    def rename(self, name: str, /) -> Ranked:
        """The same under another name."""

def joined_runs(parts: list[Run], name: str, /) -> Run:
    """Parts of a run as one; raises ``Error`` (kind "topics") for a topic in two of them."""

def in_order(given: Iterable[Any], wanted: str, /) -> list[Any]:
    """The items of something whose order counts, such as a ranking.

    Raises ``Error`` (kind "type") for text, for a set or a dict, and for an iterator without
    items, which may have been used up before.
    """

def shown(value: object, /) -> str:
    """A value for a message: its ``repr``, cut short, or its type if that fails."""

def whole(value: Any, name: str, least: int | None = None, most: int | None = None) -> int:
    """An integer of 64 bits, not a ``bool``, not below ``least`` nor above ``most``."""

def number(value: Any, name: str) -> float:
    """A finite number, neither text nor a ``bool``."""

def flag(value: Any, name: str) -> bool:
    """``True`` or ``False``, Python's or numpy's."""

def text(value: Any, name: str) -> str:
    """Text that can be written as UTF-8."""

def hashable(value: Any, name: str) -> Any:
    """What can be a key of a dict."""

def check_interrupt() -> None:
    """Raises ``KeyboardInterrupt`` if the work that this thread does for the core is to stop."""

class _Opened(Protocol):
    """A place whose content can be read any number of times."""

    def open(self) -> object:
        """A file of it, from the beginning."""

class _Lists(Protocol):
    """A run that arrives in parts."""

    def parts(self) -> Iterator[Run]:
        """Runs of whole topics, one after another; each call begins anew."""
    def run(self) -> Run:
        """The whole run, of which a topic may come in pieces."""

_RunForCore: TypeAlias = (
    Run
    | Ranked
    | tuple[str, str | BinaryIO | dict[Any, Any]]
    | tuple[str, str | BinaryIO | _Lists | _Opened, str]
)

@final
class Unpacked:
    """The bytes of a file, decompressed under limits. For this package only.

    Parameters
    ----------
    source
        A path, or an object whose ``read(n)`` returns bytes.
    label
        What errors call such an object.
    limits
        Limits on decompression.
    can_be_set
        Whether who reads can set limits, so that errors name them.

    Raises
    ------
    Error
        As reading a run does: for a file that is missing or damaged, and for a limit.

    """

    def __new__(
        cls,
        source: str | BinaryIO,
        /,
        *,
        label: str | None = None,
        limits: Limits | None = None,
        can_be_set: bool = True,
    ) -> Self: ...
    def read(self, size: int | None = None, /) -> bytes:
        """The next bytes, at most ``size``, or all that are left; none at the end."""
    def lines(self, name: str, errors: str, /) -> TextLines:
        """The lines that are neither blank nor comments, of a file that errors call ``name``.

        ``errors`` are those of ``bytes.decode``. Raises ``Error``: kind "binary" for what is no
        text, "limit" for a line that is too long.
        """

@final
class TextLines:
    """The lines of a file with their numbers, one after another. For this package only."""

    def __iter__(self) -> Self: ...
    def __next__(self) -> tuple[int, str]: ...

def is_packed(head: bytes, /) -> bool:
    """Whether a file that begins like this is compressed."""

@final
class Expansion:
    """What the data of one source expands to, held to limits. For this package only.

    Parameters
    ----------
    taken
        The bytes of the source.
    data
        What errors call its data, such as Parquet.
    label
        What errors call the source.
    limits
        Limits on decompression.

    """

    def __new__(
        cls, taken: int, /, *, data: str, label: str, limits: Limits | None = None
    ) -> Self: ...
    def add(self, more: int, /) -> None:
        """Counts further bytes; raises ``Error`` (kind "limit") if all are beyond a limit."""

class DamagedHeaderError(Exception):
    """Bytes that are no header."""

_Read: TypeAlias = Callable[[int, int], bytes]
"""The bytes of a file from a place on; fewer at its end."""

_Chunk: TypeAlias = tuple[int, int, int, int, int]
"""A column in a row group: where it begins, its bytes, its values, its compression, its type."""

def parquet_row_groups(read: _Read, size: int, /) -> list[tuple[int, list[_Chunk]]]:
    """The rows and columns of each row group of a file; raises ``DamagedHeaderError``."""

def parquet_rows(
    read: _Read,
    chunks: Sequence[_Chunk],
    rows: int,
    say: Callable[[int], object],
    unpack: Callable[[str, bytes, int], bytes],
    /,
) -> int:
    """How many rows of a group are read at a time, so that long texts take little memory.

    Of some columns of a group of so many rows. ``say`` is called with the bytes that the pages of
    each are said to unpack to, ``unpack`` with a compression, a page and its size. Raises
    ``DamagedHeaderError``.
    """

def arrow_blocks(read: _Read, size: int, /) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
    """Where the messages of dictionaries and batches of a file begin, and the bytes of headers.

    Raises ``DamagedHeaderError``.
    """

def arrow_unpacked(read: _Read, place: int, header: int, /) -> int:
    """What the body of a message is said to unpack to, in bytes; raises ``DamagedHeaderError``."""

def arrow_next_batch(read: _Read, place: int, /) -> tuple[int, int] | None:
    """What the next batch of a stream, and all before it, is said to unpack to, and its end.

    None behind the last; raises ``DamagedHeaderError``.
    """

def table_form(head: bytes, columns: dict[str, str], /) -> str | None:
    """The form of a table that begins with these bytes, as ``run_layout`` has it, if it is one.

    CSV and TSV are recognized by a header with columns for topics and documents; ``columns`` is
    {kind: column} of those with other than the usual names.
    """

def table_columns(names: list[str], columns: dict[str, str], value: str, /) -> dict[str, int]:
    """The places of the columns of runs ("score") or judgments ("grade") by their kinds.

    Raises ``Error``: kind "fields" for one that is not there, "duplicate" for several of a name.
    """

def column_place(names: list[str], kind: str, /) -> int | None:
    """The place of a column of this kind among the names, or None.

    Raises ``Error`` (kind "duplicate") if it is one of several with the same name.
    """

def qrels_columns(
    names: Sequence[str],
    topic: str | None = None,
    document: str | None = None,
    grade: str | None = None,
) -> list[int | None]:
    """The places of topic, document and grade, of which some are named.

    Raises ``Error`` (kind "type") if one of them is not there.
    """

def run_columns(names: Sequence[str], *given: str | None) -> list[int | None]:
    """The places of topic, document, score, rank, chars, tokens, cost and call, some named.

    A table without scores has ranks, and most have no ranks. Raises ``Error``
    (kind "type") if one of the others is not there.
    """

@final
class TextTable:
    """Runs or judgments in a table of text, which is read once. For this package only.

    Iterating over it gives runs of whole topics, if the rows of each topic are contiguous.

    Parameters
    ----------
    source
        A path, or an object whose ``read(n)`` returns bytes; compressed or not.
    form
        "csv", "tsv", "json" or "jsonl".
    label
        What errors call it.
    columns
        {kind: column} of those with other than the usual names.
    value
        "score" or "grade".
    limits
        Limits on decompression and on the length of lines.
    run
        Of which run in the column of runs; all rows are one run if not given.

    Raises
    ------
    Error
        Here or later: for a file that cannot be read, and for what is no such table.

    """

    def __new__(
        cls,
        source: str | BinaryIO,
        form: str,
        /,
        *,
        label: str | None,
        columns: dict[str, str],
        value: str,
        limits: Limits | None = None,
        run: str | None = None,
    ) -> Self: ...
    def __iter__(self) -> Self: ...
    def __next__(self) -> Run:
        """The run of the next whole topics."""
    def run(self) -> Run | None:
        """The whole run, of which a topic may come in pieces; none without rows."""
    def qrels(self, docs_in_collection: int | None = None) -> Qrels | None:
        """The judgments; none without rows."""
    def run_names(self) -> tuple[str, ...]:
        """The runs in the column of runs, in the order of the rows; none without it."""

@final
class Stop:
    """Stops the work of other threads. For this package only."""

    def __new__(cls) -> Self: ...
    def set(self) -> None:
        """Tells the calls to stop; each raises ``KeyboardInterrupt``, if it works in the core."""
    def during(self, work: Callable[..., _Result], /, *arguments: object) -> _Result:
        """Calls a function, in this thread, which is to stop when it is told to."""

_List: TypeAlias = tuple[float, tuple[str, ...], NDArray[np.float64]]
"""A value, the documents in order, and what each contributes to the value."""

_Unjudged: TypeAlias = tuple[
    NDArray[np.uint32], NDArray[np.uint32], NDArray[np.float64], NDArray[np.float64]
]
"""Ranks in both lists (0: not in the list), and the difference under the best and worst grade."""

_TopicDifference: TypeAlias = tuple[str, float, float, tuple[_List, _List], _Unjudged]
"""A topic, the lowest and the highest difference, both lists, the unjudged documents."""

_Ranks: TypeAlias = list[tuple[int, int]]
"""The ranks of documents in both lists; 0: not in the list."""

_Relevant: TypeAlias = tuple[_Ranks, _Ranks, int, int]
"""What is relevant at the lowest and at the highest difference; and how many in neither list."""

_Apart: TypeAlias = tuple[
    tuple[str, ...],
    tuple[str, ...],
    list[tuple[tuple[str, ...], ...]],
    NDArray[np.float64],
    list[tuple[NDArray[np.float64], list[_Relevant]]],
]
"""What ``Evaluator.apart`` returns."""

def exact_recall(
    found: NDArray[np.uint32],
    exact: NDArray[np.uint32],
    scores: NDArray[np.float64] | None,
    own: NDArray[np.float64] | None,
    none: NDArray[np.uint32],
    cutoffs: Sequence[int],
    /,
    *,
    rule: str,
    epsilon: float,
    relative_epsilon: float,
    repeats: bool,
    distances: bool,
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Recall by query and cutoff, and whether the exact list ends among documents that tie.

    Ids are words: arrays of shape (queries, columns, words); ``none`` is no result.
    Raises ``Error``: kind "duplicate" for an id that a query has twice, "option" for scores that
    are NaN, or in the order of the other direction in all exact lists.
    """

def grouped(
    labels: NDArray[np.floating],
    scores: NDArray[np.floating],
    form: str,
    values: Sequence[Any],
    given: object,
    ties: bool,
    /,
) -> tuple[Qrels, Ranked]:
    """Groups of rows as judgments, and the run in which scores put them in order.

    ``form`` says what ``values`` are: sizes ("group"), where groups begin and the last one ends
    ("offsets"), or the group of each row ("qid"); ``given`` is what errors show. The arrays are
    read in place: of one dimension, contiguous, float32 or float64. With ``ties`` groups of equal
    scores are kept. Raises ``Error``: kind "option" for groups that do not add up or stand
    together, "number" for a label below 0 and for what is not finite.
    """

@final
class ListScorer:
    """Measures for single lists, each with its relevant documents; immutable and thread-safe.

    Of the ``options`` those for undefined values and repeated documents are looked at. Raises
    ``Error`` (kind "needs") for a measure that needs more than ids and grades.
    """

    def __new__(cls, measures: Sequence[Measure], **options: object) -> ListScorer: ...
    def score(
        self,
        retrieved: Iterable[str | int],
        relevant: Iterable[str | int] | Mapping[Any, float],
        own: str | int | None = None,
        lengths: Mapping[Any, float] | None = None,
        /,
    ) -> dict[str, float]:
        """The values of a list by measure; see ``cranfield.score_list``."""

@final
class Evaluator:
    """Judgments and measures compiled once; immutable and thread-safe.

    ``options`` are those of ``evaluating_options``; ``None`` is an option that is
    not given. Of ``topics``, if given, alone the values are computed; the others are NaN, and
    nothing about them is refused. Raises ``Error``: kind "option" for a value that an option does
    not take, "label" for an unknown topic, "needs" for a measure that the judgments cannot serve.
    """

    def __new__(
        cls,
        qrels: Qrels,
        measures: Sequence[Measure],
        *,
        limits: Limits | None = None,
        both_precisions: bool = False,
        rel: float | None = None,
        hosted: bool = False,
        topics: Iterable[str] | None = None,
        **options: object,
    ) -> Evaluator: ...
    def above_all_grades(self) -> tuple[list[Measure], float, float] | None:
        """The measures whose default ``rel`` makes no document relevant.

        With them the lowest and the highest grade above 0; ``None`` if there is no such measure.
        """
    def evaluate(
        self,
        runs: Sequence[_RunForCore],
        progress: Callable[[int, int], object] | None = None,
        /,
    ) -> Scores:
        """Scores runs: objects, or tuples (name, path or binary file[, label]).

        Paths are streamed. Open files are read at once; ``label`` is their name
        in errors.

        ``progress`` is called in this thread about ten times a second with the
        number of runs finished and the number of bytes read so far. Raises ``Error`` for any
        input that cannot be used.
        """
    def evaluate_dict(self, run: dict[Any, Any], /) -> Scores | None:
        """Scores one run {topic: {document: score}}, or {name: run}, of a few thousand topics.

        ``None`` for any other dict, for ties that are averaged, and for what needs a closer
        look; then ``evaluate`` has the scores or the error.
        """
    def tie_bounds(
        self,
        runs: Sequence[_RunForCore],
        progress: Callable[[int, int], object] | None = None,
        /,
    ) -> tuple[Scores, Scores, Scores]:
        """The values, and the lowest and the highest over all orders of equal scores.

        Runs, ``progress`` and errors as for ``evaluate``.
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
        """The values, and the lowest and the highest after complete judging.

        ``mode`` is "free_R" or "fixed_R". ``unseen`` is how many relevant
        documents may be neither judged nor retrieved; ``max_grade`` the highest grade that an
        unjudged document could get. At most ``max_assignments`` assignments are
        tried per topic and measure. Runs, ``progress`` and errors as for ``evaluate``.
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
        """What changes in the only measure from the first of two runs to the second.

        Returns whether the measure is a sum over documents; whether the bounds are
        reached, or None; why there are no bounds, or None; the scores of both runs;
        one entry per topic. Runs, ``progress`` and errors as for ``evaluate``.
        """
    def pair_bounds(
        self,
        runs: Sequence[_RunForCore],
        pairs: Sequence[tuple[int, int]],
        progress: Callable[[int, int], object] | None = None,
        /,
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The lowest and the highest differences of pairs of runs after judging both completely.

        Both of shape (pairs, topics, measures): the first run of a pair minus the second; NaN
        where the difference of a measure has no bounds of its own. Runs, ``progress`` and errors
        as for ``evaluate``.
        """
    def apart(
        self,
        runs: Sequence[_RunForCore],
        depths: Sequence[int],
        least_relevant: Sequence[int],
        progress: Callable[[int, int], object] | None = None,
        /,
        *,
        rbo_p: float = 0.9,
        max_grade: float | None = None,
        skips: bool = False,
    ) -> _Apart:
        """How alike two runs are, and how far they can be apart however documents are judged.

        The judgments are not looked at. Returns the topics of both runs and those of one only,
        which are an error unless ``skips``; the documents by run and topic; numbers by topic and
        depth; one entry per measure: the lowest difference, the lowest that is reached, and the
        same of the highest, by topic and least number of relevant documents, and the documents
        that are relevant then. Runs, ``progress`` and errors as for ``evaluate``.
        """
    def rank(
        self,
        runs: Sequence[_RunForCore],
        progress: Callable[[int, int], object] | None = None,
        /,
        *,
        keep_unjudged: bool = False,
    ) -> list[Ranked]:
        """Runs ranked and joined with the judgments, which can be scored many times.

        The documents outside the judgments are kept, as hashes, down to the
        rank that the evaluator's measures look at; with ``keep_unjudged`` all of them.
        """
    def pool(
        self,
        runs: Sequence[_RunForCore],
        depth: int | None,
        progress: Callable[[int, int], object] | None = None,
        /,
    ) -> Qrels:
        """The first ``depth`` documents of each list as judgments in which no document is judged.

        ``None`` takes whole lists.
        """
    def judged_lists(
        self,
        runs: Sequence[_RunForCore],
        progress: Callable[[int, int], object] | None = None,
        /,
    ) -> list[tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64], NDArray[np.int64]]]:
        """For each run the judged documents of its lists, one topic after the other.

        Four arrays: where each topic begins, and the end, shape (topics + 1,);
        ranks from 1 and grades, shape (documents,); the length of each list,
        shape (topics,), -1 for a topic that is left out.
        """
    def relevant_ranks(
        self,
        run: _RunForCore,
        /,
    ) -> list[tuple[int, int, NDArray[np.uint32]]]:
        """For each topic the numbers of retrieved and relevant documents, and ranks of the latter.

        Topics are in the order of the qrels, ranks count from 1, and the
        first measure decides what is relevant. A topic that the run lacks has
        an empty list, unless ``missing`` makes it an error.
        """
    def curve(
        self, run: _RunForCore, places: Sequence[int], /, *, roc: bool, steps: int | None
    ) -> list[NDArray[np.float64]]:
        """The arrays of a curve of a run, by what the first measure takes as relevant.

        With ``steps`` the levels and the mean over the topics at ``places``. Otherwise of
        the topic there at each rank recall, interpolated precision and precision, or with
        ``roc`` false and true positive rates. A topic that the run lacks has an empty list, unless
        ``missing`` makes it an error.
        """
    @property
    def measures(self) -> tuple[Measure, ...]:
        """The measures, in order."""
    @property
    def qrels(self) -> Qrels:
        """The judgments."""

def pooled_to_depth(qrels: Qrels, runs: Sequence[Ranked], depth: int, /) -> Qrels:
    """The judgments of the documents in the top ``depth`` of any run.

    Raises ``Error`` if a run was not ranked with these judgments; so do the
    functions below that take ranked runs.
    """

def folded(qrels: Qrels, rel: float, graded: bool, /) -> Qrels:
    """The same judgments with 0 for grades below ``rel``, and 1 for others unless ``graded``."""

def in_collection(qrels: Qrels, docs_in_collection: int, /) -> Qrels:
    """The same judgments of a collection with so many documents."""

def check_ids(qrels: Qrels, /) -> None:
    """Raises ``Error`` (kind "type") for an id that a file of lines cannot hold."""

def document_ranks(qrels: Qrels, runs: Sequence[Ranked], /) -> list[NDArray[np.uint32]]:
    """For each topic the best rank, from 1, of each document in any run; 0 if no run has it.

    Arrays of shape (documents,), in the order of the judgments of the topic.
    """

def without_group(
    qrels: Qrels, runs: Sequence[Ranked], groups: Sequence[int], depth: int, group: int, /
) -> Qrels:
    """The judgments without those that only one group of runs contributed.

    ``groups`` has the group of each run; a document is contributed by the runs that have it in
    their top ``depth``.
    """

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
    """A sample of the judgments at a rate above 0 and up to 1.

    ``method`` is "stratified" (relevant and other documents apart, each at least the given
    number) or "random". The same seed gives the same sample.
    """

def sampled_collection(
    runs: Sequence[Ranked], rate: float, seed: int, threads: int | None, /
) -> list[Ranked]:
    """The runs in a random sample of the collection, at a rate above 0 and up to 1."""

def merged(sets: Sequence[Qrels], /) -> Qrels:
    """Several sets of judgments as one. If several judged a document, the first set wins."""

def findings(
    notes: Sequence[Notes],
    qrels: Qrels,
    measures: Sequence[Measure],
    rels: Sequence[float],
    /,
    *,
    missing: str,
    undefined: str,
    named: Sequence[str],
    without_relevant: Sequence[str] | None = None,
) -> tuple[list[str], list[str], list[str]]:
    """What evaluating passed over, in sentences about runs, about judgments, and about the rest.

    The first are those that explain others. ``rels`` are the lowest relevant grades, ascending,
    and ``named`` the options whose findings the caller knows of, such as "missing". The topics
    ``without_relevant`` are those of the notes unless given.
    """

def run_findings(notes: Sequence[Notes], topics: int, missing: str, /) -> list[str]:
    """The sentences about runs alone, under judgments of so many topics."""

def remarks(qrels: Qrels, measures: Sequence[Measure], /) -> tuple[str | None, list[str]]:
    """What has to be said of measures: under the judgments, and beside each other."""

def common_grades(
    first: Qrels, second: Qrels, /
) -> tuple[NDArray[np.uint32], NDArray[np.float64], NDArray[np.float64]]:
    """All documents that both have judged.

    Three arrays of shape (documents,): the position of the topic in ``first``, the grade in
    ``first``, the grade in ``second``.
    """

def paired_rows(
    rows: Iterable[tuple[bool, int, Any]],
    file: str | None,
    /,
    *,
    gold: str | None,
    found: Sequence[str] | None,
    topic: str | None,
) -> tuple[dict[Any, Any], list[tuple[str, dict[Any, Any]]], list[str]]:
    """Rows taken apart: gold documents by topic, for each key what was found, and keys of texts.

    Each comes with whether it is a line of the file, and its number. The documents under the last
    keys are compared by their text. Raises ``Error`` as ``read_rows``.
    """

def field_rows(
    data: bytes,
    name: str,
    expected: str,
    counts: tuple[int, int],
    header: Sequence[Sequence[str]],
    separator: str | None,
    /,
) -> list[tuple[int, list[str]]]:
    """The fields of each line of a small file, with its number.

    ``counts`` are the fewest and the most fields of a line, and ``expected`` says in errors what
    they are. Fields stand between tabs if these make as many as there should be, else between
    blanks; in all lines between separators if these make as many in the first one. A first line
    that names the columns is passed over: ``header`` has the names of each. Raises ``Error``:
    kind "fields" for another number of fields, "empty" without a line of data, "limit".
    """

def document_values(data: bytes, name: str, kind: str, /) -> dict[str, Any]:
    """The values of documents in a small file: "class" and "cost" by topic, or "length".

    Raises ``Error`` as ``field_rows``; kind "number", "conflict" for two values of a document.
    """

def intent_values(
    data: bytes, name: str, /
) -> tuple[dict[str, dict[str, float]], dict[str, list[str]]]:
    """The probabilities of intents by topic, and the navigational ones; raises as the others."""

@final
class JudgedGrades:
    """The grades of each topic that count as judged, the best first. For this package only."""

    @staticmethod
    def of(qrels: Qrels, negative: str | None, /) -> JudgedGrades:
        """Those of judgments; a negative grade is none unless it is "nonrelevant"."""
    def repeated(self, place: int, number: int, /) -> JudgedGrades:
        """The same of one topic, so many times."""
    def counts(self, rel: float, /) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """R and N of each topic."""

@final
class JudgedLists:
    """The judged documents of a run's lists, topic by topic. For this package only.

    ``raw`` are where topics begin, ranks, grades and how many documents were retrieved, as
    ``Evaluator.judged_lists`` gives them.
    """

    def __new__(cls, judged: JudgedGrades, raw: tuple[Any, Any, Any, Any], /) -> Self: ...
    @property
    def judged(self) -> JudgedGrades: ...
    @property
    def topics(self) -> tuple[str, ...]: ...
    @property
    def offsets(self) -> NDArray[np.int64]: ...
    @property
    def ranks(self) -> NDArray[np.int64]: ...
    @property
    def grades(self) -> NDArray[np.float64]: ...
    @property
    def retrieved(self) -> NDArray[np.int64]: ...
    def seen(self, prime: bool, cutoff: int | None, rel: float, /) -> SeenLists:
        """The lists as one measure sees them: condensed or not, cut or not."""

@final
class SeenLists:
    """Lists as one measure sees them. For this package only."""

    def topic(self, place: int, /) -> tuple[Any, ...]:
        """The parts of the ``Topic`` at a place."""
    def topics(self, places: Sequence[int], /) -> tuple[Any, ...]:
        """The parts of the ``Topics`` at places; one that is left out has no documents."""

def is_table(source: object, /) -> bool:
    """Whether an object is an Arrow table, a data frame, a Series or a ``datasets.Dataset``."""

def is_dataset(source: object, /) -> bool:
    """Whether an object is a ``datasets.Dataset``; one that streams has rows only."""

def is_row(found: object, /) -> bool:
    """Whether an object among several can only be a row of a run.

    A tuple is one; a dict or a list if it has a number, since runs and files have none.
    Raises ``Error`` (kind "type") for a list that could be a ranking.
    """

def is_hit(found: object, /) -> bool:
    """Whether an object among the documents of a topic is one with its score, without the topic."""

def check_nested(table: Mapping[Any, Any], /) -> None:
    """Raises ``Error`` (kind "type") for a dict of columns, or of one row."""

def row_columns(rows: Any, value: str, /) -> list[Any]:
    """The columns of rows, ``None`` for one that they lack; with a "score" or a "grade".

    Raises ``Error`` (kind "type") for what are no rows.
    """

def rated(given: Any, /) -> dict[Any, dict[Any, float]]:
    """{topic: {document: grade}} of the ratings of a search engine: an object, or a text of CSV.

    Raises ``Error`` for what are no ratings: kind "fields", "type", "number", "duplicate",
    "conflict".
    """

@final
class ScoreCells:
    """Values by run, topic and measure, each of which comes once; false where there are none."""

    def __new__(cls, width: int = 1, /) -> Self:
        """``width`` is how many measures, side by side, are added at a time."""
    def __bool__(self) -> bool: ...
    def add(self, run: str, topic: str, measure: str, values: Sequence[float], /) -> bool:
        """Adds values, the first of which is of a measure; False if that has a value already."""
    def add_records(self, records: Iterable[Any], /) -> None:
        """Adds records of a run, a topic, a measure and a value.

        They are tuples or lists of four, named tuples or mappings. Records of a topic called
        "all" are left out.

        Raises ``Error``: kinds "fields", "type" and "number" for what is no record, label or
        number, "duplicate" for a second value; with the number of the record.
        """
    def add_columns(
        self,
        names: Sequence[Any],
        column: Callable[[int], Iterable[Any]],
        measures: Sequence[str] | None,
        /,
        *,
        file: str | None = None,
        summaries: dict[str, dict[str, float]] | None = None,
    ) -> None:
        """Adds the rows of a long table, or of one with a column for each measure.

        ``column`` gives the values of the column at a place; ``measures`` are the columns that
        are measures, if it is known. Of a ``file`` the first of two records of a run, a measure
        and the topic "all" is the topic's. Records that sum up a run go into ``summaries``, or
        are left out. Raises as ``add_records``.
        """
    def add_file(
        self,
        data: bytes,
        name: str,
        run: str,
        /,
        *,
        named: bool = False,
        form: str | None = None,
        summaries: dict[str, dict[str, float]] | None = None,
    ) -> str | None:
        """Adds the records of a file of text, in a format that is named or detected.

        ``run`` is what its run is called where it names none, ``named`` by its user. Returns what
        was left out, in a sentence. Raises ``Error`` with file and line, as ``add_records``;
        kind "option" for a format that cannot be told and a name for a file that names its runs,
        "empty" for a file without scores of topics, "binary" for what is no text.
        """
    def describe(
        self,
        *,
        fingerprint: str | None = None,
        better: Mapping[str, str | None] | None = None,
        measures: Sequence[str] | None = None,
    ) -> list[str] | None:
        """Takes what the metadata of a table say of its scores; returns which columns are measures.

        Raises ``TypeError`` for anything else.
        """
    @property
    def fingerprints(self) -> list[str]:
        """The judgments and options that scores were made with, as far as files say."""
    @property
    def judged_topics(self) -> set[str]:
        """The topics of the judgments, as far as files say."""
    @property
    def unmatched(self) -> dict[str, str]:
        """What is said of runs of which no document is judged."""
    @property
    def measures(self) -> tuple[str, ...]:
        """The labels of the measures in the order in which they came first."""
    @property
    def topic_count(self) -> int:
        """How many topics there are."""
    def topics_of_runs(self) -> dict[str, int]:
        """How many topics each run has, where all measures are added at a time."""
    def labelled(self, directions: Mapping[str, str | None], usual: str | None, /) -> Scores:
        """The values as scores, NaN where there is none; measures are what their labels stand for.

        ``directions`` say which values of a measure are better, otherwise what files say of it,
        what the measure is that the label names, or else ``usual``. Raises ``Error``: kind "empty"
        without scores of topics, "option" for an unknown direction.
        """
    def scores(self, measures: Sequence[Measure | OpaqueMeasure], blank: float, /) -> Scores:
        """The values as scores, with topics in byte order; ``blank`` where there is none."""

@final
class Scores:
    """The values of runs x topics x measures, with their labels.

    An undefined value is NaN. Indices out of range raise ``IndexError``.
    """

    @staticmethod
    def of(
        runs: Sequence[str],
        topics: Sequence[str],
        measures: Sequence[Measure | OpaqueMeasure],
        values: NDArray[np.float64],
        /,
    ) -> Scores:
        """Values of shape (runs, topics, measures) with their labels.

        Raises ``Error``: kind "type" for another shape, "number" for infinite values.
        """
    @staticmethod
    def concat(parts: Sequence[Scores], axis: str, /) -> Scores:
        """Scores joined along an axis: "run", "topic" or "measure".

        Raises ``Error`` (kind "type") if the other labels differ.
        """
    @property
    def runs(self) -> tuple[str, ...]:
        """The names of the runs."""
    @property
    def topics(self) -> tuple[str, ...]:
        """The topics."""
    @property
    def measures(self) -> tuple[Measure | OpaqueMeasure, ...]:
        """The measures."""
    @property
    def notes(self) -> tuple[Notes, ...]:
        """The notes on each run."""
    @property
    def f32_differs(self) -> list[int | None]:
        """For each run the number of topics that single precision orders differently.

        Only ranks of judged documents count. ``None`` unless the evaluator has
        ``both_precisions``, and for a ``Ranked`` run.
        """
    @property
    def has_findings(self) -> bool:
        """Whether runs and judgments have different topics, or topics have no relevant document.

        A run of one topic under judgments of many is taken as intended.
        """
    def with_values(self, values: NDArray[np.float64], /) -> Scores:
        """Other values with the same labels: shape (runs, topics, measures)."""
    def with_measures(
        self, measures: Sequence[Measure | OpaqueMeasure], values: NDArray[np.float64], /
    ) -> Scores:
        """The same runs and topics with more measures: values of shape (runs, topics, measures)."""
    def values(self) -> NDArray[np.float64]:
        """A new array of shape (runs, topics, measures)."""
    def mean(self) -> list[list[float]]:
        """Arithmetic means over the topics whose value is not NaN: runs x measures."""
    def summary(self) -> list[list[float]]:
        """The same, with the aggregate of each measure: runs x measures."""
    def row(self, run: int, topic: int, /) -> list[float]:
        """The values of one run and topic, one per measure."""
    def select(
        self, runs: Sequence[int], topics: Sequence[int], measures: Sequence[int], /
    ) -> Scores:
        """The scores at these positions, in this order."""
    def to_dict(self) -> dict[str, dict[str, dict[str, float]]]:
        """The values as ``{run: {topic: {measure: value}}}``."""
    def arrow_stream(self, metadata: Mapping[str, str], /) -> object:
        """An Arrow stream of the long form: run, topic, measure (dictionary-encoded text), value.

        NaN becomes null. The schema of the stream has this metadata.
        """

def number_texts(values: Sequence[float], counts: Collection[int], undefined: str, /) -> list[str]:
    """Machine-readable numbers with all digits, as ``repr`` writes them.

    Whole numbers at the positions ``counts`` are written without a fraction, NaN as
    ``undefined``.
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
    """Kendall's tau of two arrays of shape (items,) and its p-value.

    ``variant`` is "b" or "a", ``method`` "auto", "exact" or "asymptotic". Values
    that differ by at most ``tolerance`` are tied. Raises ``Error`` for arrays that cannot be
    correlated, as the functions below do.
    """

def tau_ap(
    estimate: NDArray[np.float64],
    truth: NDArray[np.float64],
    /,
    *,
    ties: str = "average",
    tolerance: float = 0.0,
) -> float:
    """AP correlation of an estimated order with the true one; arrays of shape (items,).

    ``ties`` is "average", "a" or "b".
    """

def tau_gap(truth: NDArray[np.float64], estimate: NDArray[np.float64], /) -> float:
    """The gap-sensitive correlation of arrays of shape (items,)."""

def letter_groups(differ: NDArray[np.bool_], /) -> tuple[list[list[int]], list[str]]:
    """Groups of items that do not differ, and the letters of each item.

    ``differ`` is symmetric, of shape (items, items). Two items share a group if and only if they
    do not differ (Piepho 2004). Every group is maximal, and one is dropped if each of its pairs
    also shares another. Items and groups are ascending.
    """

def borda(values: NDArray[np.float64], /) -> NDArray[np.float64]:
    """Borda's count of each row over the columns; higher values are better."""

def copeland(values: NDArray[np.float64], /) -> NDArray[np.float64]:
    """Copeland's count of each row."""

def condorcet_winner(values: NDArray[np.float64], /) -> int | None:
    """The row that beats every other one, if there is one."""

def abstention_areas(
    measures: NDArray[np.float64],
    confidence: NDArray[np.float64],
    rates: NDArray[np.float64],
    shared: bool,
    /,
) -> NDArray[np.float64]:
    """The nAUC by each confidence of each measure, shape (confidences, measures).

    Both have a column for each topic. ``shared``: topics of equal confidence count with their
    common mean; otherwise the first of them are left out first. NaN where leaving out the lowest
    values changes nothing.
    """

def list_confidence(
    scores: NDArray[np.float64], sizes: Sequence[int], /
) -> list[NDArray[np.float64]]:
    """The highest score of each list, the deviation, and how far the highest is above the next.

    ``scores`` are those of the lists one after the other; each of the three has shape (lists,).
    """

def one_click(
    nuggets: Sequence[tuple[float, int]],
    found: Sequence[tuple[tuple[float, int], int]],
    length: int,
    patience: int,
    beta: float,
    /,
) -> list[float] | None:
    """The seven measures of a text, in the order of ``cranfield.oneclick.OneClick``.

    Nuggets have a weight and a length, those that were found an offset. ``None`` if not even the
    pseudo minimal output gains anything.
    """

def answered(record: dict[str, Any], place: object, /) -> tuple[str | None, str]:
    """The run of an object of JSON, if it names one, and its topic.

    Raises ``Error``, as all that follow do, with the line and the key of what is not as expected.
    """

@final
class AnswerLabels:
    """Labels that judges give, and what a label that is none of them counts as."""

    def __new__(
        cls, known: Sequence[str], lowest: str, /, *, refused: bool, spaced: bool = False
    ) -> Self:
        """``spaced``: "Partially satisfied" is ``partially_satisfied``."""
    def of(self, found: object, key: str, place: object = None, /) -> str:
        """The label, or the lowest one for an unknown; raises ``Error`` (kind "option")."""
    @property
    def unknown(self) -> list[tuple[str, int]]:
        """The unknown labels as messages show them, and how often they came, the most first."""

def assigned_nuggets(
    record: dict[str, Any],
    topic: str,
    place: object,
    importance: Sequence[str],
    labels: AnswerLabels,
    bank: dict[str, dict[str, str]] | None,
    /,
) -> list[tuple[str, str]]:
    """The importance and the assignment of each nugget; a bank has the importance of its own."""

def nuggets_of_bank(
    record: dict[str, Any], place: object, importance: Sequence[str], /
) -> tuple[str, list[tuple[str, str]]]:
    """The topic of an object of a bank, and the text and the importance of each nugget."""

def judged_criteria(
    record: dict[str, Any], place: object, labels: AnswerLabels, /
) -> list[tuple[float, str, str]]:
    """The weight, the verdict and the tier of each criterion of an object."""

def support_number(support: object, key: str, place: object = None, /) -> int:
    """The number of what is written for support: 2 is full, and -1 not judged."""

def supported_sentences(record: dict[str, Any], place: object, /) -> list[list[int]]:
    """The support of the citations of each sentence of an object."""

def cited_sentences(record: dict[str, Any], place: object, /) -> list[list[int]]:
    """For each sentence of an answer as runs have it a citation that was not judged for each."""

def judge_citation(
    held: Mapping[tuple[str, str], tuple[object, list[list[int]]]],
    seen: set[tuple[str, str, int, int]],
    record: dict[str, Any],
    place: object,
    /,
) -> None:
    """Enters the judgment of a citation into the answers, by run and topic."""

def battle_of(
    record: dict[str, Any], place: object, /, *, arena: bool, by_topic: bool
) -> tuple[Any, ...] | str:
    """The runs of a battle, its winner and perhaps its topic; or why it does not count.

    ``arena``: as the arena's files have it, and in no other way.
    """

def order_swaps(
    values: NDArray[np.float64],
    sets: Sequence[tuple[Sequence[int], Sequence[int]]],
    /,
    *,
    classes: int,
    width: float,
    alpha: float | None,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """How often pairs of runs swap between two sets of topics, and all comparisons.

    ``values`` have the shape (runs, topics, measures), results (measures, classes): by the
    difference on the first set, with ``alpha`` only of pairs that differ significantly there.
    """

def cross_taus(
    values: NDArray[np.float64], sets: Sequence[tuple[Sequence[int], Sequence[int]]], /
) -> NDArray[np.float64]:
    """Tau-b of each measure on the first topics and each on the second, summed over sets."""

def of_fewer_topics(
    values: NDArray[np.float64], sets: Sequence[Sequence[int]], /, *, alpha: float
) -> list[NDArray[np.float64]]:
    """The proportion of pairs that the t test finds different, and tau-b with all topics.

    Each has a number for each set of topics and measure.
    """

def against_truth(
    summaries: NDArray[np.float64], truth: NDArray[np.float64], signs: NDArray[np.float64], /
) -> list[NDArray[np.float64]]:
    """Tau-b, Pearson's correlation and the RMS difference of summaries and the true ones.

    Both have the shape (runs, measures). Correlations are with the truth times ``signs``, and NaN
    where either is constant.
    """

def nugget_recall(nuggets: Sequence[tuple[float, float, bool]], /) -> list[float]:
    """The six values of an answer, in the order of ``cranfield.answers.NuggetRecall``.

    A nugget is what it weighs, how much of it the answer holds, and whether it is vital.
    """

def citation_support(sentences: Sequence[Sequence[int]], /) -> list[float]:
    """The eight values of an answer, in the order of ``cranfield.answers.CitationSupport``.

    A citation is 2 for full, 1 for partial and 0 for no support, -1 if it was not judged.
    """

def rubric_score(criteria: Sequence[tuple[float, float, bool]], /) -> tuple[float, float, int]:
    """The three values of an answer, in the order of ``cranfield.answers.RubricScore``.

    A criterion is its weight, how far it is satisfied, and whether it is mandatory.
    """

def topic_counts(
    judgments: Qrels | SpanQrels, rel: float, /, *, everything: bool = False
) -> list[tuple[str, list[int]]]:
    """What is counted in judgments, and the number of each topic.

    Of documents these are judged, relevant and other ones, each grade, and each value of their
    columns; of spans their pieces, documents and characters. ``everything``: a grade below zero
    is judged, too.
    """

def judged_twice(
    gold: Qrels, other: Qrels, marginals: str, /
) -> tuple[list[int], list[float], list[float], list[list[float]], list[float], list[float]]:
    """How far two judges agree on documents: the topics that both have, and the grades.

    Then how often each pair of grades was given, the first judge's in rows, and the coefficients
    of each topic, over all documents, and on average over topics: the number of documents; kappa
    for each grade above 0, of grades, and weighted in two ways; alpha; the Jaccard index for each
    grade above 0; over, under and leniency. Raises ``Error`` (kind "label") for judgments without
    a topic in common.
    """

def ordered_twice(
    first: NDArray[np.float64], second: NDArray[np.float64], top: int, /, *, tolerance: float
) -> tuple[list[float], float, int, tuple[int, int], tuple[int, int]]:
    """How far two judges put runs in the same order, by means of which higher ones are better.

    Tau-b, tau_AP, tau_AP,b, tau_GAP, Pearson's and Spearman's correlation; tau-b of the best runs
    under the first; how many pairs of these are inverted; the one of them that moves furthest, and
    the run that falls furthest, each with the ranks by which it rises.
    """

def tied_ranks(means: NDArray[np.float64], /, *, tolerance: float) -> NDArray[np.int64]:
    """Ranks from 1, the highest mean first; those that are nearly equal share the best."""

def resampled_taus(
    first: NDArray[np.float64],
    second: NDArray[np.float64],
    /,
    *,
    tolerance: float,
    resamples: int,
    seed: int,
) -> NDArray[np.float64]:
    """Tau-b of the means of runs over resampled topics, the same ones in both tables."""

def predicted_mean(
    strata: Sequence[tuple[float, NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]],
    lam: float | None,
    /,
) -> tuple[float, float, float, float, list[float]]:
    """The prediction-powered mean, its variance, those of gold alone, and how the model counts.

    ``strata`` have a weight, values under gold, under the model, and of other topics.
    """

def spearman(
    x: NDArray[np.float64], y: NDArray[np.float64], /, *, tolerance: float = 0.0
) -> tuple[float, float]:
    """Spearman's correlation of two arrays of shape (items,) and its p-value."""

def pearson(x: NDArray[np.float64], y: NDArray[np.float64], /) -> tuple[float, float]:
    """Pearson's correlation of two arrays of shape (items,) and its p-value."""

def fisher_interval(r: float, items: int, confidence: float, /) -> tuple[float, float]:
    """The two ends of the confidence interval of a Pearson correlation over a number of items."""

def rms_error(estimate: NDArray[np.float64], truth: NDArray[np.float64], /) -> float:
    """The root mean squared difference of two arrays of shape (items,)."""

def max_drop(
    before: NDArray[np.float64], after: NDArray[np.float64], /, *, tolerance: float = 0.0
) -> tuple[int, int, int, int]:
    """The largest drop: by how many ranks, of which item, from and to which rank (from 1)."""

def correlation_matrix(
    columns: NDArray[np.float64],
    /,
    *,
    method: str,
    variant: str = "b",
    ties: str = "average",
    tolerance: float = 0.0,
) -> NDArray[np.float64]:
    """A coefficient for all pairs of columns, shape (columns, columns); NaN where undefined.

    ``columns`` has shape (items, columns). ``method`` is the name of one of the functions above,
    such as "kendall".
    """

def rbo(
    a: Sequence[Sequence[int]], b: Sequence[Sequence[int]], /, *, p: float, ties: str
) -> tuple[float, float, float]:
    """Rank-biased overlap of two lists of tied groups: extrapolated, lower bound, upper bound.

    ``p`` is the persistence; ``ties`` is "w", "a" or "b".
    """

def kappa(
    table: NDArray[np.float64], weights: NDArray[np.float64], /, *, marginals: str
) -> tuple[float, float, float, float, float]:
    """Kappa of two judges: statistic, observed and expected agreement, p-value, standard error.

    ``table`` counts items, the first judge's labels in rows; ``weights`` says how
    much two labels disagree. Both have shape (labels, labels). ``marginals`` is
    "pooled", "separate" or "uniform".
    """

def normal_interval(statistic: float, error: float, confidence: float, /) -> tuple[float, float]:
    """The two ends of the normal confidence interval of a statistic with a standard error."""

def fleiss_kappa(counts: NDArray[np.float64], /) -> tuple[float, float, float, float, float]:
    """Kappa of many judges, as ``kappa`` but with NaN as standard error.

    ``counts`` has shape (items, labels).
    """

def krippendorff_alpha(
    items: Sequence[Sequence[int]], values: NDArray[np.float64], /, *, level: str
) -> tuple[float, float, float]:
    """Krippendorff's alpha, observed and expected disagreement.

    ``items`` has the labels of each item as positions in ``values``, which ascend;
    ``level`` is the level of measurement: "nominal", "ordinal", "interval" or "ratio".
    """

def paired_moments(
    values: NDArray[np.float64],
    pairs: NDArray[np.int64],
    /,
) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float64], NDArray[np.bool_]]:
    """For each pair: topics, mean and sample deviation of the differences, whether all are 0.

    In all functions on pairs ``values`` has shape (systems, topics) and ``pairs``
    shape (pairs, 2), both C-contiguous; results have shape (pairs,). Topics with
    NaN in either system are left out. Raises ``Error`` (kind "type") for arrays
    that are not contiguous, ``IndexError`` for pairs out of range.
    """

def residual_variance(
    values: NDArray[np.float64],
    /,
) -> float:
    """The residual mean square of a two-way analysis of variance; ``values`` must have no NaN."""

def paired_t(
    values: NDArray[np.float64],
    pairs: NDArray[np.int64],
    /,
    *,
    alternative: str = "two-sided",
) -> tuple[tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int64]], NDArray[np.float64]]:
    """The paired t test: statistics, p-values and numbers of topics; and the mean differences."""

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
    """Wilcoxon's signed-rank test: statistics, p-values, numbers of topics.

    ``zeros`` is "drop" or "pratt". P-values are exact for up to ``exact`` differences;
    ``correction`` applies the continuity correction.
    """

def paired_sign(
    values: NDArray[np.float64],
    pairs: NDArray[np.int64],
    /,
    *,
    alternative: str = "two-sided",
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int64]]:
    """The sign test: statistics, p-values, numbers of topics."""

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
    """The randomization test: statistics, p-values, numbers of topics.

    Without ``resamples`` it goes over all patterns of signs; raises ``Error`` (kind "limit") for
    more than 40 topics. ``values`` must have no NaN.
    """

def paired_bootstrap(
    values: NDArray[np.float64],
    pairs: NDArray[np.int64],
    /,
    *,
    resamples: int,
    seed: int,
    threads: int | None = None,
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int64]]:
    """Sakai's paired bootstrap test: statistics, p-values, numbers of topics; no NaN."""

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
    """The difference that each pair needs to be significant at ``level`` in that test."""

def paired_tukey(
    values: NDArray[np.float64],
    pairs: NDArray[np.int64],
    /,
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int64]]:
    """Tukey's HSD after a two-way analysis of variance: as ``paired_sign``; no NaN."""

def paired_randomized_tukey(
    values: NDArray[np.float64],
    pairs: NDArray[np.int64],
    /,
    *,
    resamples: int,
    seed: int,
    threads: int | None = None,
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int64]]:
    """Tukey's HSD by permutation: as ``paired_sign``; no NaN."""

def margin_verdicts(
    rows: Sequence[tuple[NDArray[np.float64], NDArray[np.float64], float, float, bool, float]],
    /,
    *,
    test: str,
    alpha: float,
    resamples: int,
    seed: int,
    equal: bool,
    power: float,
) -> list[tuple[str, float, float, float, float, float, float, float, int | None, int, int]]:
    """What tests against margins say of comparisons, with Holm's correction.

    ``test`` is "t", "studentized", "randomization" or "bounded". A row has the scores of both runs,
    1 or -1 for what is better, the margin, whether that is a proportion of the baseline's mean, and
    the width of the range. With each come "pass", "fail" or "not known", the margin, the interval's
    ends, the p-values of a pass and a failure, the smallest difference and margin that these topics
    show and pass with ``power``, how many would pass, how many there are, and how many changed.
    """

def t_power(topics: float, effect: float, /, *, alpha: float, two_sided: bool) -> float:
    """The power of the paired t test for a mean of ``effect`` standard deviations."""

def t_detectable(topics: float, power: float, /, *, alpha: float, two_sided: bool) -> float:
    """The smallest effect, in standard deviations, that the paired t test finds with ``power``."""

def t_topics(effect: float, power: float, /, *, alpha: float, two_sided: bool) -> float:
    """The smallest number of topics with ``power`` for an effect above 0."""

def paired_max_t(
    values: NDArray[np.float64],
    pairs: NDArray[np.int64],
    /,
    *,
    alternative: str = "two-sided",
    resamples: int | None = None,
    seed: int,
    threads: int | None = None,
) -> NDArray[np.float64]:
    """P-values of all pairs together, by the step-down maximum of t under flipped signs.

    Without ``resamples`` it goes over all patterns of signs; raises ``Error`` (kind "limit") for
    more than 40 topics. ``values`` must have no NaN.
    """

def compared_pairs(
    scores: Scores,
    measure: int,
    pairs: NDArray[np.int64],
    differences: NDArray[np.float64],
    /,
    *,
    judged: int | None,
    bounds: tuple[NDArray[np.float64], NDArray[np.float64]] | None,
    spans: Sequence[tuple[NDArray[np.float64], NDArray[np.float64]] | None],
    whole: bool,
    sign: float,
    power: float,
    alpha: float,
    two_sided: bool,
) -> dict[str, list[Any]]:
    """What a comparison says of pairs of runs beside their tests: fields of its rows, as lists.

    ``measure`` and ``judged`` are places; ``bounds`` are of shape (runs, topics). ``differences``
    are the mean differences of the pairs, ``spans`` for each the lowest and the highest differences
    by topic, where they are known. ``whole``: only topics count that all runs have. ``sign`` is 1
    if higher values are better, -1 if lower ones are.
    """

def system_differences(
    values: NDArray[np.float64],
    systems: Sequence[int],
    pairs: NDArray[np.int64],
    /,
    *,
    level: float,
    power: float,
    alpha: float,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Differences of systems of several runs each; ``systems`` has the system of each row.

    The ends of the interval, the two-sided p-value and the smallest detectable difference of each
    pair of systems, shape (pairs, 4); and of each system the number of runs, the variance of their
    means and their residual mean square with topics, shape (systems, 3), NaN for one run.
    ``values`` must have no NaN.
    """

def judging_plan(
    topics: Sequence[Any],
    qrels: Qrels,
    least: float,
    /,
    *,
    level: float,
    simulations: int,
    seed: int,
    threads: int | None = None,
) -> tuple[list[tuple[str, str, int | None, int | None, float, float, float]], dict[str, Any]]:
    """Which unjudged documents matter to a mean difference, and how many judgments it takes.

    ``topics`` as ``Evaluator.difference`` returns them; ``least`` is the lowest relevant grade.
    Each document has its topic, its ranks, by how much it moves the difference, how likely it is
    relevant, and what judging it is worth. The numbers are ``difference``, ``low``, ``high``, the
    ``chance`` that it is above 0, and how many judgments are needed ``at_least``, until a sign is
    ``probable`` to the ``level`` and ``certain`` (medians of simulations), and ``at_most``.
    """

def range_sf(q: float, groups: int, freedom: float, /) -> float:
    """P(Q > q) of the studentized range of groups, with ``freedom`` degrees of freedom."""

def range_isf(p: float, groups: int, freedom: float, /) -> float:
    """The q with P(Q > q) = p of the same distribution."""

def t_sf(t: float, freedom: float, /) -> float:
    """P(T > t) of Student's t with ``freedom`` degrees of freedom."""

def t_isf(p: float, freedom: float, /) -> float:
    """The t with P(T > t) = p of the same distribution."""

def correct_pvalues(pvalues: NDArray[np.float64], method: str, /) -> NDArray[np.float64]:
    """P-values of shape (tests,) corrected by "holm", "bh" or "bonferroni"."""

def t_intervals(
    values: NDArray[np.float64],
    pairs: NDArray[np.int64],
    /,
    *,
    level: float,
    alternative: str = "two-sided",
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The lower and upper ends of t intervals of the mean differences, at confidence ``level``."""

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
    """The lower and upper ends of bootstrap intervals of the mean differences.

    ``method`` is "percentile" or "bca", ``level`` the confidence.
    """

def rank_intervals(
    values: NDArray[np.float64],
    /,
    *,
    level: float,
    resamples: int,
    seed: int,
    threads: int | None = None,
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The lowest and the highest rank of each system, from 1, shape (systems,), by the bootstrap.

    ``level`` is the confidence.
    """

def count_battles(
    battles: Iterable[Sequence[str | None]], /, *, by_topic: bool = False
) -> tuple[list[str], NDArray[np.uint64], int, NDArray[np.uint64]]:
    """The names in battles (a, b, winner), sorted, and what each pair did: shape (pairs, 5).

    A row has the places of both names, the wins of the first, the wins of the second, the ties.
    ``by_topic``: battles are (a, b, winner, topic), and then come the number of topics and what
    pairs did on each: rows of the topic, the row of the pair, wins, losses and ties, in order.
    Raises ``Error``: kind "type" for what is no battle, "duplicate" for one against itself,
    "option" for a winner who did not take part.
    """

def topic_battle_sums(
    won: NDArray[np.float64],
    competitors: int,
    outcomes: NDArray[np.uint64],
    entries: NDArray[np.uint64],
    diagonal: float,
    /,
) -> list[NDArray[np.float64]]:
    """The bread and the meat of the sandwich in which each topic counts once.

    ``won`` is the chance of the first competitor of each pair; ``diagonal`` is added to that of
    the bread. Both have the shape (competitors, competitors).
    """

def battle_rates(
    competitors: int, outcomes: NDArray[np.uint64], /
) -> tuple[
    list[int],
    NDArray[np.float64],
    list[NDArray[np.int64]],
    NDArray[np.float64],
    NDArray[np.int64],
]:
    """The competitors, the most preferred first, and what they did, in this order.

    The rate of each; wins, ties and losses; rates of two against each other, NaN if they did not
    meet; how often they met.
    """

def battle_parts(competitors: int, outcomes: NDArray[np.uint64], /) -> list[list[int]]:
    """Competitors in parts that wins and ties connect both ways, winners first."""

def battle_strengths(
    competitors: int, outcomes: NDArray[np.uint64], /, *, ridge: float
) -> NDArray[np.float64]:
    """Bradley-Terry strengths with mean 0, shape (competitors,).

    Raises ``Error`` (kind "undefined") if there is no finite maximum.
    """

def battle_covariance(
    strengths: NDArray[np.float64],
    outcomes: NDArray[np.uint64],
    /,
    *,
    ridge: float,
    steady: float,
) -> NDArray[np.float64]:
    """The sandwich covariance of strengths, shape (competitors, competitors)."""

def battle_resamples(
    strengths: NDArray[np.float64],
    outcomes: NDArray[np.uint64],
    /,
    *,
    ridge: float,
    resamples: int,
    seed: int,
    threads: int | None = None,
) -> NDArray[np.float64]:
    """Strengths under resampled battles, shape (resamples, competitors); NaN without a maximum."""

def topic_battle_resamples(
    competitors: int,
    outcomes: NDArray[np.uint64],
    topics: int,
    entries: NDArray[np.uint64],
    /,
    *,
    ridge: float,
    resamples: int,
    seed: int,
    threads: int | None = None,
) -> NDArray[np.float64]:
    """The same under topics drawn with replacement, as ``count_battles`` returns them."""

def drawn_topics(topics: int, /, *, resamples: int, seed: int) -> NDArray[np.uint32]:
    """The topics that each bootstrap resample draws, shape (resamples, topics)."""

def run_trec_eval(arguments: list[bytes]) -> int:
    """Runs trec_eval's command line on the standard streams and returns its exit code."""

def escaped(text: bytes, *, is_terminal: bool, is_file: bool) -> bytes:
    """Whole lines as a standard stream may get them.

    For a terminal, control characters and marks of direction are escapes, and private characters
    from U+F0000 on are ASCII in bold, unless ``NO_COLOR`` or ``TERM`` forbid it; where lines of a
    log can be commands (as ``GITHUB_ACTIONS`` says), so is what begins one, unless it is a file.
    """

def captured_trec_eval(arguments: list[bytes]) -> tuple[int, bytes, bytes]:
    """Runs trec_eval's command line and returns exit code, output and error output."""

@final
class RelevanceEvaluator:
    """Judgments and measures of pytrec_eval compiled once; immutable and thread-safe.

    Raises ``TypeError``, ``ValueError`` and ``OverflowError`` as pytrec_eval does.
    """

    def __new__(
        cls,
        query_relevance: dict[str, Mapping[str, int]] | Qrels,
        measures: Sequence[tuple[str, Sequence[str]]],
        relevance_level: int,
        judged_docs_only: bool,
    ) -> RelevanceEvaluator: ...
    def evaluate(self, scores: Mapping[str, Mapping[str, float]]) -> dict[str, dict[str, float]]:
        """The values of all topics that run and judgments share, in the order of the run."""

def parse_lines(
    lines: str | list[str], table: dict[str, dict[str, Any]], judgments: bool, first: int, ends: str
) -> int:
    """Puts lines of a run, or of judgments, into ``table``: {topic: {document: number}}.

    Returns how many were read. ``first`` is the number of the first one; ``ends`` is at what a
    text is divided into lines: the argument ``newline`` of Python's ``StringIO``. Raises
    ``ValueError`` for a wrong line, ``AssertionError`` for a document again.
    """

def scores_of_dicts(
    lists: Iterable[Mapping[str, float]], whole: bool = False
) -> NDArray[np.float64] | None:
    """The scores of lists {document: score}, concatenated; shape (documents,).

    ``None`` if a list is not a dict of text and finite numbers, or if ``whole`` is set and a
    score is not of the class ``int``.
    """

def measure_numbers(measures: Iterable[str], /) -> dict[str, set[str]]:
    """The measures of pytrec_eval with the numbers after their names.

    A measure that is asked for with and without numbers has those numbers. Raises ``ValueError``
    for one that is not supported, ``TypeError`` for one that is no text.
    """

def judged_topics(query_relevance: Any, /) -> dict[str, Mapping[str, int]]:
    """The topics that have documents; raises what pytrec_eval raises for other objects."""

def c_int(name: str, value: object, /) -> int:
    """An option as C reads an `int`; raises ``TypeError``."""

def trec_eval_nicknames() -> list[tuple[str, list[str]]]:
    """The nicknames of trec_eval 9 and the measures that each stands for."""

def checksum(state: object, /) -> int:
    """The checksum of the state in a pickle.

    A state is of tuples and lists of bytes, text, integers below 2^64, flags
    and None; raises ``Error`` (kind "type") for anything else.
    """

def unpickled_limits(*parts: object) -> Limits:
    """The limits of a pickle; raises ``Error`` (kind "type") for a damaged one."""

def unpickled_measure(*parts: object) -> Measure:
    """The measure of a pickle; raises ``Error`` (kind "type") for a damaged one."""

def unpickled_notes(*parts: object) -> Notes:
    """The notes on a run of a pickle; raises ``Error`` (kind "type") for a damaged one."""

def unpickled_qrels(*parts: object) -> Qrels:
    """The judgments of a pickle; raises ``Error`` (kind "type") for a damaged one."""

def unpickled_run(*parts: object) -> Run:
    """The run of a pickle; raises ``Error`` (kind "type") for a damaged one."""

def unpickled_scores(*parts: object) -> Scores:
    """The scores of a pickle; raises ``Error`` (kind "type") for a damaged one."""
