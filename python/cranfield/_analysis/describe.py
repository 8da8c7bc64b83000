"""What judgments and runs are like, before anything is scored.

>>> found = describe({"1": {"a": 1, "b": 0}}, {"1": {"a": 2, "c": 1}}, depths=[2])
>>> found.judgments["R", "mean"]
1.0
>>> found.runs["run", "Judged@2"]
0.5
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from statistics import median
from typing import Any, Unpack

from cranfield import _core
from cranfield._analysis.spans import IN_RUNS, runs_of_chunks
from cranfield._base.option_types import Negative, OrderOptions
from cranfield._base.options import RANKING, checked, keywords, of_judgments, whole
from cranfield._base.progress import Progress
from cranfield._base.scores_like import ALL
from cranfield._base.text import counted, in_topic_order
from cranfield._core import Measure, Notes, Qrels, SpanQrels
from cranfield._io.inputs import QrelsLike, RunsLike, as_judgments, as_scored, reading_of
from cranfield._measures.parse import as_measures, divided
from cranfield._scores.groups import GroupsLike, members_beside_all
from cranfield._scores.scores import Scores
from cranfield._scoring.evaluator import Hosted
from cranfield._table.data_table import COUNT, MEAN, SHARE, TEXT, Data, DataTable, defined
from cranfield._table.result import Result, for_people
from cranfield._table.tables import Part, Setting

__all__ = ["DEPTHS", "Description", "describe"]

DEPTHS = (5, 10, 20, 50, 100, 1000)
"""The depths if none are named."""


@checked
def describe(
    qrels: QrelsLike,
    runs: RunsLike | None = None,
    *,
    depths: Iterable[int] = DEPTHS,
    rel: float = 1,
    negative: Negative = "unjudged",
    topic_groups: GroupsLike | None = None,
    **options: Unpack[OrderOptions],
) -> Description:
    """Describes judgments and runs: what to look at first.

    Of the judgments how many topics, judged and relevant documents there are,
    as range and mean over topics (Sakai 2007, Table 1); of each run which
    topics it has, how long its lists are, how many scores are tied and how
    much of it was judged.

    Parameters
    ----------
    qrels, runs
        As for ``cranfield.evaluate``; without runs only the judgments are
        described. Files are streamed, once. Of judgments of spans the pieces of evidence
        are counted, of runs the lengths of chunks, and how much evidence their lists hold.
    depths
        The depths of the proportion of judged documents.
    rel
        The lowest grade that is relevant.
    negative
        As for ``cranfield.evaluate``.
    topic_groups
        Groups of topics, as for ``Scores.by_group``, each of which is described, too:
        ``Description.groups``. None of them may be called "all".
    options
        ``order``, ``scores``, ``duplicates``, ``threads``, ``progress``,
        ``lenient``, ``run_layout`` and ``limits``, as for ``cranfield.evaluate``;
        but ``duplicates`` is "first" if it is not given, so that a run with
        duplicates is described and not refused.

    Returns
    -------
    Description
        Tables of judgments, topics and runs.

    Raises
    ------
    Error
        Kind "option" for a depth below 1; "label" for groups that name an
        unknown topic; all else as ``cranfield.evaluate``.

    """
    judged = [f"Judged@{whole(depth, 'depths', least=1)}" for depth in dict.fromkeys(depths)]
    given = keywords("describe", options, [name for name in RANKING if name != "depth"])
    progress = given.pop("progress", None)
    judgments = as_judgments(qrels, **of_judgments(given))
    members = members_beside_all(topic_groups, judgments.topics)
    if isinstance(judgments, SpanQrels):
        return _of_spans(judgments, runs, rel, members, {**given, "progress": progress})
    evaluator = _core.Evaluator(
        judgments,
        divided(as_measures(["num_ret", Measure("num_rel_ret")(rel=rel), *judged]))[0],
        # So that means are over the lists that there are.
        missing="skip",
        negative=negative,
        both_precisions=True,
        **{"duplicates": "first", **given},
    )
    sources = as_scored([] if runs is None else runs, options)
    with Progress(progress, sources) as report:
        core = evaluator.evaluate([source.for_core() for source in sources], report.call)
    found = Scores(core)
    notes = found.notes
    topics = topics_of(judgments, rel, everything=negative == "nonrelevant")
    groups = {}
    for group, own in members.items():
        runs_of_group = _runs(found.sel(topic=own), notes, judged, topics.only(own), in_group=True)
        groups[group] = Description(rel, topics.only(own), runs_of_group, _name=group)
    return Description(rel, topics, _runs(found, notes, judged, topics), notes, groups)


def _of_spans(
    gold: SpanQrels,
    runs: RunsLike | None,
    rel: float,
    members: Mapping[str, Sequence[str]],
    options: Mapping[str, Any],
) -> Description:
    """The description where judgments are of spans."""
    sources = as_scored([] if runs is None else runs, reading_of(gold, options))
    chunks = [source.for_core() for source in sources]
    measures = [Measure(name)(rel=rel) for name in IN_RUNS]
    # A chunk that comes again is counted; nothing is dropped.
    given = {n: v for n, v in options.items() if (n, v) != ("duplicates", "first")}
    found = Hosted(gold, measures, missing="skip", **given).evaluate(chunks)
    topics = topics_of(gold, rel)
    groups = {
        group: Description(
            rel,
            topics.only(own),
            runs_of_chunks(found.sel(topic=own), chunks, own),
            _name=group,
            _of_spans=True,
        )
        for group, own in members.items()
    }
    table = runs_of_chunks(found, chunks, found.topics)
    return Description(rel, topics, table, found.notes, groups, _of_spans=True)


def topics_of(judgments: Qrels | SpanQrels, rel: float, *, everything: bool = False) -> DataTable:
    """How many documents of each kind topics have, or pieces of evidence.

    ``everything``: a grade below zero is judged, too.
    """
    counts = _core.topic_counts(judgments, rel, everything=everything)
    numbers: dict[str, Data] = {name: (COUNT, column) for name, column in counts}
    return DataTable({"topic": (TEXT, judgments.topics), **numbers})


def _summed(topics: DataTable) -> DataTable:
    """For each number of the topics its total, and what it is like over topics."""
    (_, *names), (_, *numbers) = zip(*topics.to_columns().items(), strict=True)
    return DataTable(
        {
            "judgments": (TEXT, names),
            "total": (COUNT, [sum(n) for n in numbers]),
            "min": (COUNT, [min(n, default=None) for n in numbers]),
            "median": (MEAN, [median(n) if n else None for n in numbers]),
            "mean": (MEAN, [sum(n) / len(n) if n else None for n in numbers]),
            "max": (COUNT, [max(n, default=None) for n in numbers]),
        }
    )


_OF_WHOLE_RUNS = ("tag", "extra", "lines", "ties", "f32 differs", "duplicates")
"""What is known of whole runs only, and not of their lists in a group of topics."""


def _runs(
    scores: Scores,
    notes: Mapping[str, Notes],
    judged: Sequence[str],
    topics: DataTable,
    *,
    in_group: bool = False,
) -> DataTable:
    """What each run is like; the first two measures are num_ret and num_rel_ret."""
    own = [notes[run] for run in scores.runs]
    missing = [len({*note.topics_missing} & {*scores.topics}) for note in own]
    extra = [0 if in_group else len(note.topics_without_judgments) for note in own]
    places = len(scores.topics)
    columns: dict[str, Data] = {
        "run": (TEXT, scores.runs),
        "tag": (TEXT, [note.tag for note in own]),
        "topics": (COUNT, [places - m + e for m, e in zip(missing, extra, strict=True)]),
        "missing": (COUNT, missing),
        "extra": (COUNT, extra),
        "lines": (COUNT, [note.lines for note in own]),
        **_of_lists(scores),
        "ties": (COUNT, [note.ties for note in own]),
        "f32 differs": (COUNT, scores.core.f32_differs),
        "duplicates": (COUNT, [note.duplicates for note in own]),
        **_of_judged(scores, judged, topics),
    }
    left_out = _OF_WHOLE_RUNS if in_group else ()
    return DataTable({name: data for name, data in columns.items() if name not in left_out})


def _of_lists(scores: Scores) -> dict[str, Data]:
    """How long the lists of each run are."""
    places, rows = range(len(scores.topics)), range(len(scores.runs))
    lengths = [
        [int(n) for n in (scores.core.row(run, place)[0] for place in places) if not math.isnan(n)]
        for run in rows
    ]
    return {
        "shortest": (COUNT, [min(n, default=None) for n in lengths]),
        "median": (MEAN, [median(n) if n else None for n in lengths]),
        "longest": (COUNT, [max(n, default=None) for n in lengths]),
    }


def _of_judged(scores: Scores, judged: Sequence[str], topics: DataTable) -> dict[str, Data]:
    """How much of each run is relevant, and how much of it was judged."""
    relevant = sum(topics.to_columns()["R"])
    # A sum of nothing is NaN: a run without a topic in common has found nothing.
    found = [int(row[1]) if row[1] == row[1] else 0 for row in scores.core.summary()]
    means = list(zip(*scores.core.mean(), strict=True)) or [()] * (2 + len(judged))
    return {
        "found": (COUNT, found),
        "found/R": (SHARE, [n / relevant if relevant else None for n in found]),
        **{
            name: (SHARE, list(map(defined, column)))
            for name, column in zip(judged, means[2:], strict=True)
        },
    }


def plain(grade: float) -> str:
    """A grade as files have it: 1, 0.5."""
    return f"{grade:.0f}" if float(grade).is_integer() else repr(float(grade))


DEEP = 100
"""Topics with more relevant documents than this are named: no list of so many has them all."""

_NAMED = 96
"""How many characters a line of topics may have."""


@dataclass(frozen=True, eq=False, repr=False)
class Description(Result):
    """What judgments and runs are like; made by ``describe``."""

    rel: float
    """The lowest grade that is relevant."""
    topics: DataTable
    """Of each topic the numbers that ``judgments`` sums up, in byte order."""
    runs: DataTable
    """A row a run.

    The run and its tag; topics that are in it; missing, those of the qrels that are not;
    extra, those of the run that the qrels lack; lines; shortest, median
    and longest list among the topics of the qrels; ties, lines whose score
    equals a neighbor's; f32 differs, the topics in which single precision
    gives another rank to a judged document than double precision, and may
    so give other scores (``None`` for a ``Ranked`` run, whose scores are
    gone); duplicates, lines that were dropped; found, the
    relevant documents in the lists; found/R, their share of all; the means
    of Judged@k over the topics that both have. The description of a group
    of topics lacks what is known of whole runs only: tag, extra, lines,
    ties, f32 differs and duplicates.
    """
    notes: dict[str, Notes] = field(default_factory=dict)
    """Which topics are missing or extra, and more, for each run's name."""
    groups: dict[str, Description] = field(default_factory=dict)
    """The description of each group of topics; empty without ``topic_groups``."""
    _name: str = field(default=ALL, kw_only=True)
    _of_spans: bool = field(default=False, kw_only=True)

    @cached_property
    def judgments(self) -> DataTable:
        """What the topics have of each kind of document, in total and on average.

        Rows: judged, R (relevant), N (judged, not relevant), pooled only (in
        the pool and not judged), each grade, and each value of the columns of
        the qrels, such as strata. Columns: total, and over topics min, median,
        mean and max.
        """
        return _summed(self.topics)

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
        return "All topics: " if self.groups else ""

    def table(self) -> DataTable:
        """What the runs are like; without runs, what the topics are like."""
        return self.runs if len(self.runs) else self.topics

    def _where(self, holds: Callable[[dict[str, Any]], bool]) -> tuple[str, ...]:
        return tuple(topic for topic, row in self.topics.to_dict().items() if holds(row))

    def _shown(self, form: str, digits: int | None, *, per_topic: bool = False) -> list[Part]:
        found: list[Part] = []
        for group in self.groups.values():
            found += group._shown(form, digits, per_topic=per_topic)
        what, others, bare = _WORDS[self._of_spans]
        remarkable = [
            _named("R > N", self.topics_r_above_n),
            _named(f"R > {DEEP}", self.topics_r_above_100),
        ]
        found += [
            [
                f"{self._heading}{counted(len(self.topics), 'topic')}. "
                f"R: {what} of grade {plain(self.rel)} or higher; N: {others}."
            ],
            self.judgments.shown(digits=digits),
            # Text that is no evidence is not judged, so that R is mostly all there is.
            [
                *([] if self._of_spans else remarkable),
                _named(bare, self.topics_without_relevant),
            ],
        ]
        if per_topic:
            found.append(self.topics.shown(digits=digits))
        return found + (self._of_runs(digits) if len(self.runs) else [])

    def _of_runs(self, digits: int | None) -> list[Part]:
        """The tables of runs: what lists are like, and how much of them was judged."""
        if self._of_spans:
            return [self.runs.shown(digits=digits)]
        judged = [name for name in self.runs.columns if name.startswith("Judged@")]
        lists = [n for n in self.runs.columns if n not in (*judged, "found", "found/R")]
        rows = self.runs.to_dict()
        if "tag" in lists and all(row["tag"] in (None, run) for run, row in rows.items()):
            lists.remove("tag")
        found: list[Part] = [self.runs.shown(lists, digits=digits)]
        headers = {name: name.removeprefix("Judged") for name in judged[1:]}
        headers["found/R"] = "of R"
        if any(row.get("f32 differs") for row in rows.values()):
            found.append(
                [
                    "f32 differs: the topics in which a judged document has another rank if scores "
                    "are compared in single precision,",
                    "as trec_eval 9 and pytrec_eval do; their numbers are those of scores f32.",
                ]
            )
        names = ["run", "found", "found/R", *judged]
        return [*found, self.runs.shown(names, headers, digits=digits)]

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
        return for_people(self, "markdown", digits, per_topic=per_topic)

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
        setting = Setting(caption=caption, label=label)
        return for_people(self, "latex", digits, setting, per_topic=per_topic)

    @checked
    def to_html(self, *, per_topic: bool = False, digits: int | None = None) -> str:
        """The same as HTML."""
        return for_people(self, "html", digits, per_topic=per_topic)

    def headline(self) -> str:
        """How many topics and runs."""
        runs = counted(len(self.runs), "run")
        return f"<Description: {counted(len(self.topics), 'topic')}, {runs}>"

    _is_headed = False


_WORDS = (
    ("documents", "the others that are judged", "no relevant document"),
    ("pieces of evidence", "the others; alternatives count as one", "no evidence"),
)
"""What is relevant, what is not, and what topics lack, in documents and in spans."""


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
