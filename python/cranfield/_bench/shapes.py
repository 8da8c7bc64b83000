"""What is scored: the user's own files, or a collection that is made up.

A made-up collection has the shape of a real one: of every list 28% of the
documents are judged if topics have many judgments, and one in two thirds of the
topics if they have one; 6% of the judged are relevant then. One list in twenty is
not in order of score. No two scores of a list are equal, since not all evaluators
break ties alike.
"""

from __future__ import annotations

import gzip
import os
import random
import re
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from tempfile import TemporaryDirectory
from typing import Any, TypeAlias

from cranfield._base.errors import failure
from cranfield._core import Qrels, check_ids, is_packed
from cranfield._io.files import Parts, Table
from cranfield._io.inputs import as_qrels, as_runs, load
from cranfield._io.sources import STDIN, table_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Judgments: TypeAlias = dict[str, dict[str, int]]
Lists: TypeAlias = dict[str, dict[str, float]]

DOCUMENTS = 200_000
"""How many documents a made-up collection has."""

FEW_TOPICS = 1000
"""Up to so many topics a collection is judged deeply: 1,500 documents a topic."""

COMMON = ("50x1000", "250x1000", "6980x1000", "100000x100")
"""Sizes of collections that people have: TREC, Robust, MS MARCO, and its training set."""


@dataclass(frozen=True)
class Shape:
    """The size of a made-up collection."""

    topics: int
    depth: int
    """Documents a list."""
    judged: int
    """Judged documents a topic."""
    runs: int = 1

    @classmethod
    def parse(cls, text: str, runs: int = 1) -> Shape:
        """The shape that a text such as ``50x1000`` or ``6980x1000x100`` names.

        Topics, documents a list and, if given, judged documents a topic.
        Raises ``Error`` (kind "option").
        """
        found = re.fullmatch(r"(\d{1,9})x(\d{1,9})(?:x(\d{1,9}))?", text)
        numbers = [int(number) for number in found.groups(default="0")] if found else [0]
        if not found or min(numbers[:2]) == 0 or max(numbers[1:]) > DOCUMENTS // 2:
            message = (
                "expected topics x documents a list such as 50x1000 "
                f"(at most {DOCUMENTS // 2} documents), found {text!r}"
            )
            raise failure("option", message)
        topics, depth, judged = numbers
        return cls(topics, depth, judged or (1500 if topics <= FEW_TOPICS else 1), runs)

    def __str__(self) -> str:
        usual = 1500 if self.topics <= FEW_TOPICS else 1
        judged = "" if self.judged == usual else f"x{self.judged}"
        runs = "" if self.runs == 1 else f" ({self.runs} runs)"
        return f"{self.topics}x{self.depth}{judged}{runs}"


class Material(ABC):
    """Judgments and runs, in each of the forms that evaluators take.

    Files that are written for them are in a folder that goes with them.
    """

    label: str
    """What the material is called in tables."""
    lines: int
    """Lines of all runs together."""
    lists: int
    """Topics of all runs together: a ranked list for each."""
    qrels: Judgments
    names: list[str]
    """The names of the runs."""

    def __init__(self) -> None:
        self._folder = TemporaryDirectory(prefix="cranfield-bench-")
        self._files: dict[bool, tuple[str, dict[str, str]]] = {}

    @abstractmethod
    def run(self, name: str) -> Lists:
        """A run as dicts."""

    @cached_property
    def runs(self) -> dict[str, Lists]:
        """All runs as dicts."""
        return {name: self.run(name) for name in self.names}

    @property
    def arrays(self) -> tuple[Judgments, NDArray[np.int64], NDArray[np.float64]]:
        """Judgments with numbers for documents; documents and scores, shape (topics, depth).

        The ids of documents are the numbers in decimal. Raises ``Error`` (kind
        "needs") for files, whose documents have other names.
        """
        message = "arrays are made from synthetic collections only: name a --size"
        raise failure("needs", message)

    def frame(self, name: str) -> Any:
        """A run as a pandas frame of query_id, doc_id and score."""
        import pandas as pd

        rows = [
            (topic, document, score)
            for topic, scores in self.runs[name].items()
            for document, score in scores.items()
        ]
        return pd.DataFrame(rows, columns=["query_id", "doc_id", "score"])

    def files(self, *, packed: bool = False) -> tuple[str, dict[str, str]]:
        """The paths of the judgments and, by name, of the runs, written when first asked for."""
        if packed not in self._files:
            suffix = ".gz" if packed else ""
            qrels = os.path.join(self._folder.name, f"qrels.txt{suffix}")
            Qrels(self.qrels).write(qrels)
            paths = {}
            for place, name in enumerate(self.names):
                paths[name] = os.path.join(self._folder.name, f"r{place}.txt{suffix}")
                _write(paths[name], self.run(name), packed=packed)
            self._files[packed] = qrels, paths
        return self._files[packed]

    def close(self) -> None:
        """Removes the folder."""
        self._folder.cleanup()


class MadeUp(Material):
    """A collection of a shape, the same at every call."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.shape = shape
        self.label = str(shape)
        self.lists = shape.topics * shape.runs
        self.lines = self.lists * shape.depth
        self.topics = [str(401 + topic) for topic in range(shape.topics)]
        self.names = [f"run{place}" for place in range(shape.runs)]
        # Numbers as in MS MARCO, or in the shape of newswire.
        form = "{}" if shape.judged == 1 else "FBIS3-{:07}"
        self._documents = list(map(form.format, range(DOCUMENTS)))
        self._judged = [list(self._judge(topic)) for topic in range(shape.topics)]
        self.qrels = {
            topic: {self._documents[place]: grade for place, grade in judged}
            for topic, judged in zip(self.topics, self._judged, strict=True)
        }

    def _judge(self, topic: int) -> Iterator[tuple[int, int]]:
        """The judged documents of a topic, by number, with their grades."""
        rng = random.Random(topic)
        judged = rng.sample(range(DOCUMENTS), self.shape.judged)
        if self.shape.judged == 1:
            yield judged[0], 1
            return
        for document in judged:
            yield document, int(rng.random() < 0.06) * rng.choice((1, 1, 2))

    def _lists(self, run: int) -> Iterator[tuple[list[int], list[float]]]:
        """The documents of each topic, by number, and their scores, best first."""
        for topic, judged in enumerate(self._judged):
            rng = random.Random(1_000_003 * (run + 1) + topic)
            known = [document for document, _ in judged]
            share = len(known) if rng.random() < 2 / 3 else 0
            if len(known) > 1:
                share = min(len(known), self.shape.depth * 28 // 100)
            drawn = rng.sample(range(DOCUMENTS), min(self.shape.depth + len(known), DOCUMENTS))
            judged_there = set(known)
            documents = [d for d in drawn if d not in judged_there]
            documents = documents[: self.shape.depth - share] + rng.sample(known, share)
            rng.shuffle(documents)
            score, scores = 30.0, []
            for _ in documents:
                # Far enough apart for single precision.
                score -= 0.005 + rng.random() * 0.02
                scores.append(round(score, 6))
            yield documents, scores

    def run(self, name: str) -> Lists:
        """Made anew, the same each time."""
        number = self.names.index(name)
        lists = {}
        for topic, (documents, scores) in zip(self.topics, self._lists(number), strict=True):
            rows = [(self._documents[d], score) for d, score in zip(documents, scores, strict=True)]
            if int(topic) % 20 == 0:
                random.Random(topic).shuffle(rows)
            lists[topic] = dict(rows)
        return lists

    @cached_property
    def arrays(self) -> tuple[Judgments, NDArray[np.int64], NDArray[np.float64]]:
        """The first run."""
        import numpy as np

        shape = (len(self.topics), self.shape.depth)
        documents, scores = np.zeros(shape, dtype=np.int64), np.zeros(shape)
        for row, (found, values) in enumerate(self._lists(0)):
            documents[row], scores[row] = found, values
        qrels = {
            topic: {str(document): grade for document, grade in judged}
            for topic, judged in zip(self.topics, self._judged, strict=True)
        }
        return qrels, documents, scores


class Own(Material):
    """The user's files."""

    def __init__(
        self, qrels: str, runs: list[str], options: Mapping[str, Any] | None = None
    ) -> None:
        super().__init__()
        if STDIN in (qrels, *runs):
            raise failure("option", "expected files, found -: the input is read many times")
        sources = as_runs(runs, options)
        options = options or {}
        given = [source.data for source in sources]
        for source in sources:
            if not isinstance(source.data, (str, Table, Parts)):
                raise failure("option", "expected a file", file=source.name)
        self._paths = None
        in_lines = table_of(qrels, options, judgments=True) is None
        if in_lines and all(isinstance(f, str) and not _is_packed(f) for f in (qrels, *given)):
            self._paths = qrels, {source.name: str(source.data) for source in sources}
        self.names = [source.name for source in sources]
        self.label = self.names[0] if len(sources) == 1 else f"{len(sources)} runs"
        read = as_qrels(qrels, columns_of_tables=options.get("columns"))
        self.qrels = {
            topic: {document: int(grade) for document, grade in grades.items()}
            for topic, grades in read.to_dict().items()
        }
        fractions = [grade for grade in read.grades if grade != int(grade)]
        if fractions:
            message = f"found a grade of {fractions[0]:g}: other evaluators need integer grades"
            raise failure("number", message, file=qrels)
        layout = {"run_layout": options.get("run_layout")}
        self._read = {source.name: load(source, layout) for source in sources}
        self.lines = sum(run.lines for run in self._read.values())
        self.lists = sum(len(run) for run in self._read.values())

    def run(self, name: str) -> Lists:
        """As it was read."""
        return self._read[name].to_dict()

    def files(self, *, packed: bool = False) -> tuple[str, dict[str, str]]:
        """The files themselves; compressed ones and those of tables are written anew."""
        if not packed and self._paths is not None:
            return self._paths
        check_ids(Qrels(self.qrels))
        for name in self.names:
            check_ids(Qrels({topic: dict.fromkeys(d, 0) for topic, d in self.run(name).items()}))
        return super().files(packed=packed)


def _is_packed(path: str) -> bool:
    """Whether a file is compressed; one that cannot be read is not."""
    try:
        with open(path, "rb") as file:
            return is_packed(file.read(16))
    except OSError:
        return False


def _write(path: str, lists: Lists, *, packed: bool) -> None:
    """Writes a run in the order in which it is, which ``Run.write`` would not keep."""
    with gzip.open(path, "wt", 6) if packed else open(path, "w", encoding="utf-8") as file:
        for topic, scores in lists.items():
            file.writelines(
                f"{topic} Q0 {document} {rank} {score!r} made-up\n"
                for rank, (document, score) in enumerate(scores.items(), 1)
            )
