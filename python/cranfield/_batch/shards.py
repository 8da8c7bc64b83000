"""Shards: runs that are scored together, written, and recorded as done, here or elsewhere."""

from __future__ import annotations

import hashlib
import io
import json
import os
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from cranfield._base.errors import CranfieldWarning, failure, for_command_line, optional
from cranfield._batch.store import Store
from cranfield._core import Error
from cranfield._io.place import Place
from cranfield._io.tables import Parts, Table
from cranfield._scores.scores import Scores
from cranfield._scoring.evaluator import Evaluator

TYPE_CHECKING = False
if TYPE_CHECKING:
    from cranfield._io.sources import Source

State: TypeAlias = list[list[Any]]
"""Of each file its path, size, and time of change or version."""

SHARD_BYTES = 64 << 20
"""A shard has no more bytes than this, unless one run alone has."""

SHARD_RUNS = 64
"""A shard has no more runs than this."""


@dataclass(frozen=True)
class Member:
    """One run of a shard."""

    name: str
    data: str | Table | Parts | Place
    """A path, or what reads it."""

    @property
    def places(self) -> list[str | Place]:
        """The files that it is read from."""
        members = self.data.members if isinstance(self.data, Parts) else [self.data]
        return [member.origin if isinstance(member, Table) else member for member in members]

    @property
    def files(self) -> list[str]:
        """What errors call them."""
        return [place if isinstance(place, str) else place.label for place in self.places]


@dataclass(frozen=True)
class Shard:
    """Runs that are scored together and written to one file."""

    number: int
    members: tuple[Member, ...]

    @property
    def name(self) -> str:
        """What its files are called."""
        return f"part-{self.number:05}"


def shards_of(sources: Sequence[Source], most_bytes: int) -> list[Shard]:
    """The runs in shards; which is a function of the runs and their sizes alone."""
    shards: list[Shard] = []
    held: list[Member] = []
    size = 0
    for source in sources:
        if not isinstance(source.data, (str, Table, Parts, Place)) or (
            isinstance(source.data, Table) and isinstance(source.data.origin, bytes)
        ):
            message = f"a batch reads files, and run {source.name!r} is none; evaluate takes it"
            raise failure("option", message)
        own = source.size()
        if held and (size + own > most_bytes or len(held) >= SHARD_RUNS):
            shards.append(Shard(len(shards), tuple(held)))
            held, size = [], 0
        held.append(Member(source.name, source.data))
        size += own
    if held:
        shards.append(Shard(len(shards), tuple(held)))
    return shards


def state_of(member: Member) -> State:
    """What can be seen of a run's files without reading them.

    A file that is not there has no size: reading it says what is wrong.
    """
    return [list(_state(place)) for place in member.places]


def _state(path: str | Place) -> tuple[str, int | None, int | str | None]:
    if isinstance(path, Place):
        # Its size and version are of when it was found.
        with suppress(Error):
            path.looked_up()
        return path.label, path.size, path.version
    try:
        found = os.stat(path)
    except OSError:
        return path, None, None
    return path, found.st_size, found.st_mtime_ns


def digest_of(member: Member) -> str | None:
    """The SHA-256 of a run's files; None if they cannot be read, or have versions instead."""
    found = hashlib.sha256()
    try:
        for path in member.places:
            if isinstance(path, Place):
                return None
            with open(path, "rb") as file:
                found.update(hashlib.file_digest(file, "sha256").digest())
    except OSError:
        return None
    return found.hexdigest()


def key_of(setting: Mapping[str, Any]) -> str:
    """The SHA-256 of what JSON can hold."""
    text = json.dumps(setting, sort_keys=True, ensure_ascii=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()


def in_order(shards: Sequence[Shard]) -> Iterator[Member]:
    """The runs of all shards."""
    for shard in shards:
        yield from shard.members


def record_name(shard: str) -> str:
    """The file that says a shard is done: it is written last."""
    return f"done/{shard}.json"


def files_of(shard: str) -> tuple[str, str]:
    """The files with the scores of a shard, by topic and of the means."""
    return f"topics/{shard}.parquet", f"means/{shard}.parquet"


@dataclass(frozen=True)
class Job:
    """What every shard of a batch is scored with."""

    evaluator: Evaluator
    store: Store
    setting: str
    """The key of judgments, measures and options."""
    strict: bool
    folder: str = field(default_factory=os.getcwd)
    """What the paths of runs begin at."""


def score(
    job: Job,
    shard: Shard,
    crashed: Sequence[str] = (),
) -> dict[str, Any]:
    """Scores a shard and writes its files; returns the record of it.

    ``crashed`` are names of runs that ended the process that read them. Raises
    ``Error`` for the first run that cannot be used if the job is strict.
    """
    errors: list[dict[str, Any]] = []
    for member in shard.members:
        if member.name in crashed:
            message = f"{member.files[0]}: the process that read this run ended without a result"
            errors.append(_described(member, "crash", message))
    before = {member.name: state_of(member) for member in shard.members}
    left = [member for member in shard.members if member.name not in crashed]
    scores = _scores(job, left, errors)
    topics, means = _tables(job, scores)
    places = files_of(shard.name)
    job.store.write(places[0], topics)
    job.store.write(places[1], means)
    bad = {error["run"] for error in errors}
    record = {
        "shard": shard.name,
        "setting": job.setting,
        "runs": [
            {
                "run": member.name,
                "files": before[member.name],
                "sha256": digest_of(member),
                "scored": member.name not in bad,
            }
            for member in shard.members
        ],
        "errors": errors,
        "topics_missing": _count(scores, "topics_missing"),
        "topics_without_judgments": _count(scores, "topics_without_judgments"),
    }
    job.store.write(record_name(shard.name), json_bytes(record, sort_keys=True))
    return record


def probe(job: Job, shard: Shard) -> dict[str, Any]:
    """Reads and scores a shard, and writes nothing; a run that cannot be used is no error."""
    with suppress(Error):
        _evaluated(job, shard.members)
    return {}


def json_bytes(content: object, *, sort_keys: bool = False) -> bytes:
    """An object as JSON that people can read."""
    text = json.dumps(content, indent=1, ensure_ascii=True, sort_keys=sort_keys)
    return f"{text}\n".encode()


def _count(scores: Scores | None, kind: str) -> int:
    """How many runs have topics of a kind."""
    if scores is None:
        return 0
    return sum(bool(getattr(notes, kind)) for notes in scores.notes.values())


def _scores(
    job: Job,
    members: Sequence[Member],
    errors: list[dict[str, Any]],
) -> Scores | None:
    """The scores of the runs that can be used; what is wrong with the others is added."""
    with warnings.catch_warnings():
        # What they are about is counted in the record.
        warnings.simplefilter("ignore", CranfieldWarning)
        try:
            return _evaluated(job, members)
        except Error:
            if job.strict and len(members) == 1:
                raise
        usable = []
        for member in members:
            try:
                _evaluated(job, [member])
            except Error as error:
                if job.strict:
                    raise
                text = for_command_line(error)
                errors.append(_described(member, error.kind, str(error), text))
            else:
                usable.append(member)
        return _evaluated(job, usable)


def _evaluated(job: Job, members: Sequence[Member]) -> Scores | None:
    if not members:
        return None
    return job.evaluator.evaluate({member.name: member.data for member in members})


def _described(
    member: Member, kind: str, message: str, command_line: str | None = None
) -> dict[str, Any]:
    return {
        "run": member.name,
        "file": member.files[0],
        "kind": kind,
        "message": message,
        "command_line": command_line or message,
    }


def _tables(job: Job, scores: Scores | None) -> tuple[bytes, bytes]:
    """The scores by topic, and the means with what was passed over, as Parquet."""
    pa = optional("pyarrow", "writing Parquet", "arrow")
    parquet = optional("pyarrow.parquet", "writing Parquet", "arrow")
    names = [str(measure) for measure in job.evaluator.measures]
    double, text, count = pa.float64(), pa.string(), pa.int64()
    by_topic = pa.schema([("run", text), ("topic", text), *((name, double) for name in names)])
    counts = ("lines", "topics_missing", "topics_without_judgments")
    of_means = pa.schema(
        [("run", text), *((n, count) for n in counts), *((name, double) for name in names)]
    )
    if scores is None:
        return _parquet(parquet, by_topic.empty_table()), _parquet(parquet, of_means.empty_table())
    runs, topics = list(scores.runs), list(scores.topics)
    values = scores.values
    columns = [
        pa.array([run for run in runs for _ in topics], text),
        pa.array(topics * len(runs), text),
        *(pa.array(values[:, :, place].ravel(), double) for place in range(len(names))),
    ]
    summary = scores.summary()
    notes = [scores.notes[run] for run in runs]
    means = [
        pa.array(runs, text),
        pa.array([note.lines for note in notes], count),
        pa.array([len(note.topics_missing) for note in notes], count),
        pa.array([len(note.topics_without_judgments) for note in notes], count),
        *(pa.array(summary[:, place], double) for place in range(len(names))),
    ]
    return (
        _parquet(parquet, pa.Table.from_arrays(columns, schema=by_topic)),
        _parquet(parquet, pa.Table.from_arrays(means, schema=of_means)),
    )


def _parquet(parquet: Any, table: Any) -> bytes:
    buffer = io.BytesIO()
    parquet.write_table(table, buffer, compression="zstd")
    return buffer.getvalue()
