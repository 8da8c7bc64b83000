"""What ``describe`` finds, and how it is shown."""

from __future__ import annotations

import math

from cranfield._analysis import describe_counts as counts
from cranfield._analysis.describe_counts import plain
from cranfield._base import fitting
from cranfield._base.options import checked
from cranfield._base.text import counted, escaped, in_topic_order, printable
from cranfield._scores.groups import ALL
from cranfield._table import latex, tables, writers
from cranfield._table.result import Result
from cranfield._table.style import notebook
from cranfield._table.tables import check_digits

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from typing import Any

    from cranfield._core import Notes
    from cranfield._table.data_table import DataTable

DEEP = 100
"""Topics with more relevant documents than this are named: no list of so many has them all."""

_NAMED = 96
"""How many characters a line of topics may have."""

_BLOCKS = " ▁▂▃▄▅▆▇█"
_WIDTH = 60


class Description(Result):
    """What judgments and runs are like; made by ``describe``. Immutable."""

    __slots__ = ("_groups", "_judgments", "_name", "_notes", "_rel", "_runs", "_topics")

    @checked
    def __init__(
        self,
        rel: float,
        topics: DataTable,
        runs: DataTable,
        notes: Mapping[str, Notes] | None = None,
        groups: Mapping[str, Description] | None = None,
        *,
        name: str = ALL,
    ) -> None:
        self._rel = rel
        self._topics = topics
        self._judgments = counts.summed(topics)
        self._runs = runs
        self._notes = dict(notes or {})
        self._groups = dict(groups or {})
        self._name = name

    @property
    def rel(self) -> float:
        """The lowest grade that is relevant."""
        return self._rel

    @property
    def judgments(self) -> DataTable:
        """What the topics have of each kind of document, in total and on average.

        Rows: judged, R (relevant), N (judged, not relevant), pooled only (in
        the pool and not judged), each grade, and each value of the columns of
        the qrels, such as strata. Columns: total, and over topics min, median,
        mean and max.
        """
        return self._judgments

    @property
    def topics(self) -> DataTable:
        """The same numbers of each topic, in byte order."""
        return self._topics

    @property
    def runs(self) -> DataTable:
        """A row a run.

        The run and its tag; topics that are in it; missing, those of the qrels that are not;
        extra, those of the run that the qrels lack; lines; shortest, median
        and longest list among the topics of the qrels; ties, lines whose score
        equals a neighbour's; f32 differs, the topics in which single precision
        gives another rank to a judged document than double precision, and may
        so give other scores (``None`` for a ``Ranked`` run, whose scores are
        gone); duplicates, lines that were dropped; found, the
        relevant documents in the lists; found/R, their share of all; the means
        of Judged@k over the topics that both have. The description of a group
        of topics lacks what is known of whole runs only: tag, extra, lines,
        ties, f32 differs and duplicates.
        """
        return self._runs

    @property
    def groups(self) -> dict[str, Description]:
        """The description of each group of topics; empty without ``topic_groups``."""
        return dict(self._groups)

    @property
    def notes(self) -> dict[str, Notes]:
        """Which topics are missing or extra, and more, for each run's name."""
        return dict(self._notes)

    @property
    def topics_r_above_n(self) -> tuple[str, ...]:
        """The topics with R > N: more relevant documents than others were judged."""
        return self._where(lambda row: row["R"] > row["N"])

    @property
    def topics_r_above_100(self) -> tuple[str, ...]:
        """The topics with R > 100."""
        return self._where(lambda row: row["R"] > DEEP)

    @property
    def topics_without_relevant(self) -> tuple[str, ...]:
        """The topics without a relevant document."""
        return self._where(lambda row: row["R"] == 0)

    @property
    def _heading(self) -> str:
        """What comes before the number of topics."""
        if self._name != ALL:
            return f"Group {self._name}: "
        return "All topics: " if self._groups else ""

    def table(self) -> DataTable:
        """What the runs are like; without runs, what the topics are like."""
        return self.runs if len(self.runs) else self.topics

    def _where(self, holds: Callable[[dict[str, Any]], bool]) -> tuple[str, ...]:
        return tuple(topic for topic, row in self.topics.to_dict().items() if holds(row))

    @checked
    def parts(
        self,
        *,
        limit: int | None = None,
        per_topic: bool = False,
        blocks: bool = True,
        digits: int | None = None,
    ) -> Iterator[list[str] | tables.Table]:
        """Sentences and tables for people; for internal use only."""
        check_digits(digits)
        for group in self._groups.values():
            yield from group.parts(limit=limit, per_topic=per_topic, blocks=blocks, digits=digits)
        yield [
            f"{self._heading}{counted(len(self.topics), 'topic')}. "
            f"R: documents of grade {plain(self.rel)} or higher; N: the others that are judged."
        ]
        yield self.judgments.shown(limit=limit, digits=digits)
        sentences = [
            _named("R > N", self.topics_r_above_n),
            _named(f"R > {DEEP}", self.topics_r_above_100),
            _named("no relevant document", self.topics_without_relevant),
        ]
        if blocks and len(self.topics) > 1:
            sentences.insert(0, _sparkline([row["R"] for row in self.topics.to_dict().values()]))
        yield sentences
        if per_topic:
            yield self.topics.shown(limit=limit, digits=digits)
        if len(self.runs):
            judged = [name for name in self.runs.columns if name.startswith("Judged@")]
            lists = [n for n in self.runs.columns if n not in (*judged, "found", "found/R")]
            rows = self.runs.to_dict()
            if "tag" in lists and all(row["tag"] in (None, run) for run, row in rows.items()):
                lists.remove("tag")
            yield self.runs.shown(lists, limit=limit, digits=digits)
            headers = {name: name.removeprefix("Judged") for name in judged[1:]}
            headers["found/R"] = "of R"
            if any(row.get("f32 differs") for row in rows.values()):
                yield [
                    "f32 differs: the topics in which a judged document has another rank if scores "
                    "are compared in single precision,",
                    "as trec_eval 9 and pytrec_eval do; their numbers are those of scores f32.",
                ]
            found = ["run", "found", "found/R", *judged]
            yield self.runs.shown(found, headers, limit=limit, digits=digits)

    @checked
    def text(
        self,
        *,
        limit: int | None = None,
        per_topic: bool = False,
        blocks: bool = True,
        digits: int | None = None,
        width: int | None = None,
    ) -> str:
        """Sentences and tables as aligned text; for internal use only."""
        paragraphs = [
            [fitting.sentence(printable(line), width) for line in part]
            if isinstance(part, list)
            else tables.aligned(part, width=width)
            for part in self.parts(limit=limit, per_topic=per_topic, blocks=blocks, digits=digits)
        ]
        return "\n\n".join(map("\n".join, paragraphs))

    @checked
    def html(
        self, *, limit: int | None = None, per_topic: bool = False, digits: int | None = None
    ) -> str:
        """Sentences and tables as HTML; for internal use only."""
        return "\n".join(
            f"<p>{'<br>'.join(map(escaped, part))}</p>"
            if isinstance(part, list)
            else tables.html(part)
            for part in self.parts(limit=limit, per_topic=per_topic, digits=digits)
        )

    @checked
    def to_markdown(self, *, per_topic: bool = False, digits: int | None = None) -> str:
        """Sentences and tables in Markdown, as ``cranfield describe`` writes them.

        Parameters
        ----------
        per_topic
            With the judgments of each topic.
        digits
            How many decimals shares and means have; four and one if not given.

        Raises
        ------
        Error
            Kind "option" for digits below 0 or above 17.

        """
        check_digits(digits)
        return "\n".join(
            "".join(f"- {writers.markdown_cell(line)}\n" for line in part)
            if isinstance(part, list)
            else writers.tabular(part, "markdown").decode("utf-8", "surrogateescape")
            for part in self.parts(per_topic=per_topic, digits=digits)
        )

    @checked
    def to_latex(
        self,
        *,
        per_topic: bool = False,
        digits: int | None = None,
        caption: str | None = None,
        label: str = "",
    ) -> str:
        """The same in LaTeX: lines, and tables that float with a caption; needs booktabs."""
        check_digits(digits)
        # LaTeX has no blocks in its own fonts.
        return "\n".join(
            "".join(f"{latex.cell(line)}\\\\\n" for line in part)
            if isinstance(part, list)
            else latex.table(part, () if caption is None else (caption,), label)
            for part in self.parts(per_topic=per_topic, blocks=False, digits=digits)
        )

    def __repr__(self) -> str:
        runs = counted(len(self.runs), "run")
        head = f"<Description: {counted(len(self.topics), 'topic')}, {runs}>"
        return f"{head}\n{self.text(limit=tables.TEXT_LIMIT)}"

    def _repr_html_(self) -> str:
        return notebook(self.html(limit=tables.HTML_LIMIT))


def _named(what: str, topics: Sequence[str]) -> str:
    """In how many topics something is so, and which ones they are."""
    if not topics:
        return f"{what}: in no topic"
    text = f"{what}: in {counted(len(topics), 'topic')}:"
    for place, topic in enumerate(in_topic_order(topics)):
        if place and len(text) + len(topic) >= _NAMED:
            return f"{text} and {len(topics) - place} more"
        text += f" {topic}"
    return text


def _sparkline(numbers: Sequence[int]) -> str:
    """A line of blocks: one a topic, or a few topics, with the most first.

    The highest is the largest number, and only of 0 nothing is seen.
    """
    ordered = sorted(numbers, reverse=True)
    size = min(len(ordered), _WIDTH)
    parts = [
        ordered[len(ordered) * i // size : len(ordered) * (i + 1) // size] for i in range(size)
    ]
    top = ordered[0] or 1
    steps = len(_BLOCKS) - 1
    blocks = (_BLOCKS[math.ceil(sum(part) / len(part) / top * steps)] for part in parts)
    return f"R of each topic, from {ordered[0]} to {ordered[-1]}: {''.join(blocks)}".rstrip()
