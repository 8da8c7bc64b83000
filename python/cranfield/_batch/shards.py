"""Shards, which are runs that are scored together, and the folder or bucket with their scores."""

from __future__ import annotations

import hashlib
import io
import json
import os
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from cranfield._base.errors import CranfieldWarning, failure, for_command_line, optional
from cranfield._core import Error, write_file
from cranfield._io.addresses import is_address, local_path, parts_of, refused, shown
from cranfield._io.addresses import store_of as remote_store
from cranfield._io.files import Parts, RemoteObject, Table
from cranfield._io.sources import Source
from cranfield._scores.scores import Scores
from cranfield._scoring.evaluator import Evaluator
from cranfield._table.data_table import COUNT, SHARE, TEXT, arrow_table

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
    data: str | Table | Parts | RemoteObject
    """A path, or what reads it."""

    @property
    def places(self) -> list[str | RemoteObject]:
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
        if not isinstance(source.data, (str, Table, Parts, RemoteObject)) or (
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


def _state(path: str | RemoteObject) -> tuple[str, int | None, int | str | None]:
    if isinstance(path, RemoteObject):
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
            if isinstance(path, RemoteObject):
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


def files_of(shard: str) -> tuple[str, str, str]:
    """The files with the scores of a shard, by topic and of the means, and its record.

    The record says that the shard is done: it is written last.
    """
    return f"topics/{shard}.parquet", f"means/{shard}.parquet", f"done/{shard}.json"


FOLDERS = ("topics", "means", "done")
"""The folders of a data set."""


class Folder:
    """A folder of this machine, or of all machines of a cluster; files are whole or not there."""

    def __init__(self, path: str) -> None:
        self.label = path
        self._path = os.path.abspath(path)

    def prepare(self) -> None:
        """Makes the folders.

        Raises ``Error`` (kind "directory") for a file in the folder's place and (kind
        "io") if the system refuses.
        """
        if os.path.lexists(self._path) and not os.path.isdir(self._path):
            raise failure(
                "directory", "expected a folder to write to, found a file", file=self.label
            )
        try:
            for folder in ("", *FOLDERS):
                os.makedirs(os.path.join(self._path, folder), exist_ok=True)
        except OSError as error:
            message = f"cannot write to this folder: {error.strerror}"
            raise failure("io", message, file=self.label) from error

    def read(self, name: str) -> bytes | None:
        """What a file holds, or None; raises ``Error`` (kind "io")."""
        try:
            with open(os.path.join(self._path, name), "rb") as file:
                return file.read()
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            path = os.path.join(self.label, name)
            raise failure("io", f"cannot read this file: {error.strerror}", file=path) from error

    def write(self, name: str, data: bytes) -> None:
        """Writes a file, all or nothing; raises ``Error`` (kind "io")."""
        write_file(os.path.join(self._path, name), data)

    def remove(self, name: str) -> None:
        """Removes a file if it is there."""
        with suppress(FileNotFoundError):
            os.unlink(os.path.join(self._path, name))

    def names(self) -> list[str]:
        """The files that are there, sorted, without those that are hidden."""
        found = (path for path in Path(self._path).rglob("*") if not path.is_dir())
        names = (path for path in found if not path.name.startswith("."))
        return sorted(path.relative_to(self._path).as_posix() for path in names)


class Bucket:
    """A prefix in an object store, where an object is whole or not there."""

    def __init__(self, address: str) -> None:
        self._base, key = parts_of(address)
        self._prefix = key.rstrip("/")
        self.label = shown(address).rstrip("/")
        # Without obstore this says so before anything is read.
        remote_store(self._base)

    def _key(self, name: str) -> str:
        return f"{self._prefix}/{name}" if self._prefix else name

    def _answer(
        self, name: str, what: str, request: Callable[..., Any], *given: Any, needed: bool = True
    ) -> Any:
        """What the store says to a request about an object, which may not be ``needed``.

        Then it is None where there is no such object. Raises ``Error`` (kind "io").
        """
        from cranfield._io.remote import answered

        try:
            return answered(request, remote_store(self._base), *given)
        except Exception as error:
            found = refused(error, f"{self.label}/{name}", what)
            if needed or found.kind != "missing":
                raise found from None
            return None

    def prepare(self) -> None:
        """Nothing: a store has no folders, and no object is half there."""

    def read(self, name: str) -> bytes | None:
        """What an object holds, or None; raises ``Error`` (kind "io")."""
        import obstore

        async def content(store: Any, key: str) -> bytes:
            result = await obstore.get_async(store, key)
            return bytes(await result.bytes_async())

        key = self._key(name)
        data: bytes | None = self._answer(name, "read this object", content, key, needed=False)
        return data

    def write(self, name: str, data: bytes) -> None:
        """Writes an object, all or nothing; raises ``Error`` (kind "io")."""
        import obstore

        self._answer(name, "write this object", obstore.put_async, self._key(name), data)

    def remove(self, name: str) -> None:
        """Removes an object if it is there; raises ``Error`` (kind "io")."""
        import obstore

        key = self._key(name)
        self._answer(name, "remove this object", obstore.delete_async, key, needed=False)

    def names(self) -> list[str]:
        """The objects that are there, sorted; raises ``Error`` (kind "io")."""
        from cranfield._io.remote import listed

        prefix = f"{self._prefix}/" if self._prefix else ""
        found = self._answer("", "list these objects", listed, self._prefix or None)
        return sorted(str(meta["path"]).removeprefix(prefix) for meta in found)


Store: TypeAlias = Folder | Bucket
"""A place for files by name, such as ``topics/part-00000.parquet``."""


def store_of(output: str) -> Store:
    """The place that a path or an address names."""
    if is_address(output):
        return Bucket(output)
    return Folder(os.path.expanduser(local_path(output)))


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


def score(job: Job, shard: Shard, crashed: Sequence[str] = ()) -> dict[str, Any]:
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
    *places, record_place = files_of(shard.name)
    for place, data in zip(places, _tables(job, scores), strict=True):
        job.store.write(place, data)
    bad = {error["run"] for error in errors}
    notes = [] if scores is None else list(scores.notes.values())
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
        **{
            kind: sum(bool(getattr(note, kind)) for note in notes)
            for kind in ("topics_missing", "topics_without_judgments")
        },
    }
    job.store.write(record_place, json_bytes(record, sort_keys=True))
    return record


def probe(job: Job, shard: Shard) -> None:
    """Reads and scores a shard, and writes nothing; a run that cannot be used is no error."""
    with suppress(Error):
        _evaluated(job, shard.members)


def json_bytes(content: object, *, sort_keys: bool = False) -> bytes:
    """An object as JSON that people can read."""
    text = json.dumps(content, indent=1, ensure_ascii=True, sort_keys=sort_keys)
    return f"{text}\n".encode()


def _scores(job: Job, members: Sequence[Member], errors: list[dict[str, Any]]) -> Scores | None:
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


def _described(member: Member, kind: str, message: str, command_line: str = "") -> dict[str, Any]:
    """What is wrong with a run, as the record and the manifest have it."""
    told = {"message": message, "command_line": command_line or message}
    return {"run": member.name, "file": member.files[0], "kind": kind, **told}


def _tables(job: Job, scores: Scores | None) -> tuple[bytes, bytes]:
    """The scores by topic, and the means with what was skipped, as Parquet."""
    names = [str(measure) for measure in job.evaluator.measures]
    runs: Sequence[str] = ()
    topics: Sequence[str] = ()
    notes = []
    values, summary = np.empty((0, 0, len(names))), np.empty((0, len(names)))
    if scores is not None:
        runs, topics, values, summary = scores.runs, scores.topics, scores.values, scores.summary()
        notes = [scores.notes[run] for run in runs]
    by_topic: dict[str, tuple[str, Any]] = {
        "run": (TEXT, [run for run in runs for _ in topics]),
        "topic": (TEXT, list(topics) * len(runs)),
        **{name: (SHARE, values[:, :, place].ravel()) for place, name in enumerate(names)},
    }
    means: dict[str, tuple[str, Any]] = {
        "run": (TEXT, list(runs)),
        "lines": (COUNT, [note.lines for note in notes]),
        "topics_missing": (COUNT, [len(note.topics_missing) for note in notes]),
        "topics_without_judgments": (COUNT, [len(n.topics_without_judgments) for n in notes]),
        **{name: (SHARE, summary[:, place]) for place, name in enumerate(names)},
    }
    return _parquet(by_topic), _parquet(means)


def _parquet(columns: Mapping[str, tuple[str, Any]]) -> bytes:
    parquet = optional("pyarrow.parquet", "writing Parquet", "arrow")
    buffer = io.BytesIO()
    table = arrow_table(columns, keep_nan=True)
    parquet.write_table(table, buffer, compression="zstd")
    return buffer.getvalue()
