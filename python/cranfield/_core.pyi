"""The boundary: what the Rust core offers to the Python layer. Private."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, BinaryIO, final

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "Error",
    "Evaluator",
    "Limits",
    "Measure",
    "Notes",
    "Qrels",
    "Run",
    "Scores",
    "__version__",
    "families",
    "parse_measures",
]

__version__: str

class Error(ValueError):
    """The one error: what went wrong with an input, and where."""

    kind: str
    file: str | None
    line: int | None
    column: int | None
    message: str

@final
class Limits:
    """Named limits on input files."""

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
    """A measure as a value: family, parameters, prime, cutoff."""

    def __new__(cls, text: str, /) -> Measure: ...
    def __call__(self, **parameters: Any) -> Measure: ...
    def __matmul__(self, cutoff: float, /) -> Measure: ...
    @property
    def prime(self) -> Measure: ...
    @property
    def family(self) -> str: ...
    @property
    def aggregate(self) -> str: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

def parse_measures(text: str, /) -> list[Measure]:
    """Every measure named in a text; nicknames are expanded."""

def families() -> list[dict[str, Any]]:
    """The registry: one dict a family, in the order of the registry."""

@final
class Qrels:
    """Judgments, compiled."""

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
    ) -> Qrels: ...
    @staticmethod
    def from_arrow(
        stream: Any,
        /,
        *,
        topic: str | None = None,
        document: str | None = None,
        grade: str | None = None,
        docs_in_collection: int | None = None,
    ) -> Qrels: ...
    @staticmethod
    def read(
        source: str | BinaryIO,
        /,
        *,
        name: str | None = None,
        lenient: bool = False,
        limits: Limits | None = None,
        docs_in_collection: int | None = None,
    ) -> Qrels: ...
    def write(self, path: str, /, *, format: str = "trec") -> None: ...
    def to_dict(self) -> dict[str, dict[str, float]]: ...
    @property
    def topics(self) -> tuple[str, ...]: ...
    @property
    def grades(self) -> tuple[float, ...]: ...
    @property
    def docs_in_collection(self) -> int | None: ...
    @property
    def repaired(self) -> int:
        """Grades that lenient reading replaced."""
    @property
    def columns(self) -> tuple[str, ...]: ...
    def column(self, name: str, topic: str, /) -> dict[str, float]: ...
    def __len__(self) -> int: ...
    def __contains__(self, topic: object, /) -> bool: ...
    def __getitem__(self, topic: str, /) -> dict[str, float]: ...
    def __eq__(self, other: object, /) -> bool: ...

@final
class Run:
    """All lines of one run, in compact columns."""

    def __new__(cls, scores: Mapping[Any, Mapping[Any, float]], /, *, name: str = "run") -> Run: ...
    @staticmethod
    def from_rankings(rankings: Mapping[Any, Sequence[Any]], /, *, name: str = "run") -> Run: ...
    @staticmethod
    def from_rows(
        topics: Sequence[Any],
        documents: Sequence[Any],
        scores: Sequence[float],
        /,
        *,
        name: str = "run",
    ) -> Run: ...
    @staticmethod
    def from_arrow(
        stream: Any,
        /,
        *,
        topic: str | None = None,
        document: str | None = None,
        score: str | None = None,
        name: str = "run",
    ) -> Run: ...
    @staticmethod
    def read(
        source: str | BinaryIO,
        /,
        *,
        name: str,
        label: str | None = None,
        lenient: bool = False,
        limits: Limits | None = None,
    ) -> Run: ...
    def write(self, path: str, /, *, format: str = "trec") -> None: ...
    def to_dict(self) -> dict[str, dict[str, float]]: ...
    def rename(self, name: str, /) -> Run: ...
    @property
    def name(self) -> str: ...
    @property
    def tag(self) -> str | None: ...
    @property
    def topics(self) -> tuple[str, ...]: ...
    def __len__(self) -> int:
        """The number of topics."""
    @property
    def lines(self) -> int: ...
    def __contains__(self, topic: object, /) -> bool: ...
    def __getitem__(self, topic: str, /) -> dict[str, float]: ...

@final
class Notes:
    """What evaluating one run passed over or had to decide."""

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
        depth: int | None = None,
        threads: int | None = None,
        lenient: bool = False,
        limits: Limits | None = None,
    ) -> Evaluator: ...
    def evaluate(
        self,
        runs: Sequence[Run | tuple[str, str | BinaryIO] | tuple[str, str | BinaryIO, str]],
        progress: Callable[[int, int], object] | None = None,
        /,
    ) -> Scores:
        """Scores runs: objects, or (name, path or binary file[, label]).

        Paths are streamed; files are read at once and called by the label in
        errors.

        ``progress`` is called from this thread about ten times a second with
        the runs finished so far and the bytes read so far.
        """
    def bounds(
        self,
        runs: Sequence[Run | tuple[str, str | BinaryIO] | tuple[str, str | BinaryIO, str]],
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
    def relevant_ranks(
        self,
        run: Run | tuple[str, str | BinaryIO] | tuple[str, str | BinaryIO, str],
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

@final
class Scores:
    """The values of runs x topics x measures, with their labels."""

    @property
    def runs(self) -> tuple[str, ...]: ...
    @property
    def topics(self) -> tuple[str, ...]: ...
    @property
    def measures(self) -> tuple[Measure, ...]: ...
    @property
    def notes(self) -> tuple[Notes, ...]: ...
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
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """Long form: run, topic, measure (dictionary-encoded text), value."""
