"""Scores by groups of topics."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias, TypeVar

from cranfield._base.errors import failure, label_failure
from cranfield._base.options import checked, is_iterable, path
from cranfield._base.scores_like import ALL, VALUE, ScoresKind
from cranfield._base.text import counted, readable
from cranfield._core import RUN_COLUMNS, Error
from cranfield._io.columns import TOPIC
from cranfield._io.small_files import OneValue, rows
from cranfield._scores import formats
from cranfield._scores.formats import Block
from cranfield._scores.score_result import ScoreTables, Summaries
from cranfield._stats.intervals import Interval
from cranfield._table.data_table import DataTable, stacked

TYPE_CHECKING = False
if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

GroupsLike: TypeAlias = str | os.PathLike[str] | Mapping[Any, Any] | Iterable[tuple[str | int, str]]


S = TypeVar("S", bound=ScoresKind)


class ScoresByName(Summaries, Mapping[str, S]):
    """Scores of several parts by name: of groups of topics, or of collections."""

    __slots__ = ("_parts",)

    _part: str
    """What a part is called."""

    @checked
    def __init__(self, parts: Mapping[str, S]) -> None:
        self._parts = dict(parts)

    def __getitem__(self, name: str) -> S:
        """The scores of a part; raises ``LabelError`` for one that is not there."""
        try:
            return self._parts[name]
        except (KeyError, TypeError):
            raise label_failure(self._part, name, tuple(self._parts)) from None

    def __iter__(self) -> Iterator[str]:
        return iter(self._parts)

    def __len__(self) -> int:
        return len(self._parts)


class Groups(ScoresByName[S], ScoreTables):
    """The scores of groups of topics by name; made by ``Scores.by_group``. Immutable."""

    __slots__ = ()

    _part = "group"

    @property
    def counts(self) -> dict[str, int]:
        """How many topics each group has."""
        return {group: len(scores.topics) for group, scores in self.items()}

    def mean(self) -> NDArray[np.float64]:
        """Arithmetic means: float64, shape (groups, runs, measures)."""
        import numpy as np

        return np.stack([scores.mean() for scores in self.values()])

    def summary(self) -> NDArray[np.float64]:
        """Each measure in its usual aggregate: float64, shape (groups, runs, measures)."""
        import numpy as np

        return np.stack([scores.summary() for scores in self.values()])

    def interval(self, **options: Any) -> Interval:
        """Intervals of the means: shape (groups, runs, measures).

        Options as for ``Scores.interval``. NaN where a group has one topic.
        """
        import numpy as np

        from cranfield._stats.intervals import Interval

        found = [scores.interval(**options) for scores in self.values()]
        low, high = (np.stack([getattr(part, end) for part in found]) for end in ("low", "high"))
        return Interval(low, high, found[0].level, found[0].method)

    def table(self) -> DataTable:
        """The summaries: a row for each group and run, a column for each measure."""
        return stacked(
            "group", {name: formats.summary_table({VALUE: own}) for name, own in self.items()}
        )

    def to_dict(self) -> dict[str, dict[str, dict[str, float]]]:
        """The summaries as {group: {run: {measure: value}}}."""
        return {group: formats.summaries(scores) for group, scores in self.items()}

    _label = "tab:groups"

    def _blocks(self, **asked: Any) -> list[Block]:
        return [
            formats.block_of({VALUE: scores}, **asked, group=group)
            for group, scores in self._parts.items()
        ]

    def _about(self) -> str:
        return f"{counted(len(self), 'group')}; summary"


def members(
    topic_groups: GroupsLike, topics: Sequence[str], among: Collection[str] | None = None
) -> dict[str, list[str]]:
    """The topics of each group, in the order of all ``topics``.

    With ``among`` only those topics count, and a group without any of them is left out.
    Raises ``LabelError`` for a topic that is not among all ``topics``.
    """
    known, found = set(topics), {}
    chosen = known if among is None else set(among)
    for group, wanted in read_groups(topic_groups).items():
        for topic in wanted:
            if topic not in known:
                raise label_failure("topic", topic, topics, f"group {group!r}")
        own = [topic for topic in topics if topic in wanted and topic in chosen]
        if own:
            found[group] = own
    return found


def members_beside_all(
    topic_groups: GroupsLike | None, topics: Sequence[str], among: Collection[str] | None = None
) -> dict[str, list[str]]:
    """The same for a table that has all topics under the name "all" as well.

    Empty without groups. Raises ``Error`` (kind "label") for a group of that name.
    """
    if topic_groups is None:
        return {}
    found = members(topic_groups, topics, among)
    if ALL in found:
        raise all_is_no_group(topic_groups)
    return found


def all_is_no_group(topic_groups: GroupsLike) -> Error:
    """The error where a table has all topics as well as a group of that name."""
    message = f"expected a name of a group other than {ALL!r}, which is reserved for all topics"
    file = os.fsdecode(topic_groups) if isinstance(topic_groups, (str, os.PathLike)) else None
    return failure("label", message, file=file)


def topics_of(text: str, topics: Sequence[str]) -> list[str]:
    """The topics that a text names, such as ``401-425,430``, in the order of all topics.

    Raises ``LabelError`` for a topic, or a range, that none is or is in.
    """
    known, chosen = set(topics), set()
    for word in text.replace(",", " ").split():
        first, dash, last = word.partition("-")
        found = {word} & known
        if not found and dash and first.isdecimal() and last.isdecimal():
            ends = range(int(first), int(last) + 1)
            found = {topic for topic in topics if topic.isdecimal() and int(topic) in ends}
        if not found:
            raise label_failure("topic", word, topics)
        chosen |= found
    if not chosen:
        raise failure("label", "expected at least one topic, found none")
    return [topic for topic in topics if topic in chosen]


def read_groups(topic_groups: GroupsLike) -> dict[str, dict[str, None]]:
    """The topics of each group, both in the order given."""
    if isinstance(topic_groups, (str, os.PathLike)):
        pairs = _of_file(path(topic_groups, "topic_groups"))
    elif isinstance(topic_groups, Mapping):
        pairs = _of_mapping(topic_groups)
    elif is_iterable(topic_groups):
        pairs = _of_pairs(topic_groups)
    else:
        kind = type(topic_groups).__name__
        raise failure("type", f"expected topics with their groups as topic_groups, found a {kind}")
    found: dict[str, dict[str, None]] = {}
    for topic, group in pairs:
        found.setdefault(group, {})[topic] = None
    if not found:
        raise failure("empty", "expected topics with their groups as topic_groups, found none")
    return found


def _of_file(file: str) -> Iterator[tuple[str, str]]:
    """Lines of a topic and a group; a topic may be in several."""
    header = (TOPIC, ("group",))
    for _, (topic, group) in rows(file, "a topic and a group", header=header):
        yield topic, readable(group)


def read_run_groups(file: str) -> dict[str, str]:
    """The group of each run, from a file of lines `run group`; a run is in one."""
    groups = OneValue()
    header = (RUN_COLUMNS, ("group",))
    for line, found in rows(file, "a run and its group", header=header):
        run, group = map(readable, found)
        groups.add(run, group, line, f"group of the run {run!r}")
    return groups.values()


def _of_mapping(groups: Mapping[Any, Any]) -> Iterator[tuple[str, str]]:
    for topic, own in groups.items():
        if isinstance(own, (bytes, Mapping)) or not hasattr(own, "__iter__"):
            expected = f"expected the group or the groups of topic {topic!r} as topic_groups"
            raise failure("type", f"{expected}, found {own!r}")
        for group in [own] if isinstance(own, str) else own:
            yield _label(topic, "topic"), _label(group, "group")


def _of_pairs(pairs: Iterable[Any]) -> Iterator[tuple[str, str]]:
    for pair in pairs:
        if not isinstance(pair, (tuple, list)) or len(pair) != 2:
            raise failure("type", f"expected pairs (topic, group) as topic_groups, found {pair!r}")
        yield _label(pair[0], "topic"), _label(pair[1], "group")


def _label(label: object, what: str) -> str:
    if isinstance(label, str) or (isinstance(label, int) and not isinstance(label, bool)):
        return str(label)
    raise failure("type", f"expected a {what} as text or a whole number, found {label!r}")
