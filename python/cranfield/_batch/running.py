"""A batch from its arguments to its data set: what is left to do, done shard by shard."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from typing import Any, Unpack

from cranfield._base.errors import failure, optional
from cranfield._base.option_types import ScoringOptions
from cranfield._base.options import SCORING, all_in_effect, checked, keywords, wrong
from cranfield._base.progress import Bar, delay_of
from cranfield._base.text import counted
from cranfield._batch import engines
from cranfield._batch.shards import (
    SHARD_BYTES,
    Job,
    Shard,
    Store,
    digest_of,
    files_of,
    in_order,
    json_bytes,
    key_of,
    shards_of,
    state_of,
    store_of,
)
from cranfield._core import __version__
from cranfield._io.arrow_files import ArrowFile
from cranfield._io.columns import as_columns
from cranfield._io.inputs import QrelsLike, RunsLike, found_runs
from cranfield._io.small_files import json_value
from cranfield._measures.parse import MeasuresLike
from cranfield._scores.signature import OPTIONS
from cranfield._scoring.evaluator import Evaluator

MANIFEST = "manifest.json"

FORMAT = 1
"""The version of the data set's layout."""


@dataclass(frozen=True)
class BadRun:
    """A run that could not be scored.

    Attributes
    ----------
    run
        Its name.
    file
        Where it is.
    kind
        As ``Error.kind``; "crash" if reading it ended the process.
    message
        What is wrong, with file, line and column.
    command_line
        The same, where it names options as the command line has them.

    """

    run: str
    file: str
    kind: str
    message: str
    command_line: str


class Batch:
    """A data set of scores.

    Attributes
    ----------
    output
        Its folder or address.
    runs
        The names of the runs that were scored, in their order.
    bad
        Those that could not be, as ``BadRun``.
    shards
        How many parts it has.
    kept
        How many of them were there before.

    """

    @checked
    def __init__(
        self, store: Store, runs: list[str], bad: list[BadRun], shards: list[str], kept: int
    ) -> None:
        label = getattr(store, "label", None)
        if not isinstance(label, str):
            raise wrong("store", "a folder or a bucket", store)
        self._store = store
        self._shards = shards
        self.output = label
        self.runs = tuple(runs)
        self.bad = tuple(bad)
        self.shards = len(shards)
        self.kept = kept

    def topics(self) -> Any:
        """The scores by topic as a ``pyarrow.Table``: run, topic, and a column for each measure."""
        return self._table("topics")

    def means(self) -> Any:
        """A ``pyarrow.Table`` with one row for each run.

        Its name, the number of its lines, of missing topics, and of topics without judgments,
        and the summary of each measure over topics, as in ``Scores.summary``.
        """
        return self._table("means")

    def _table(self, kind: str) -> Any:
        pa = optional("pyarrow", "reading Parquet", "arrow")
        parts = []
        for shard in self._shards:
            name = f"{kind}/{shard}.parquet"
            data = self._store.read(name)
            assert data is not None, shard
            parts.append(ArrowFile(io.BytesIO(data), "parquet", name).table())
        return pa.concat_tables(parts)

    def __repr__(self) -> str:
        bad = f", {counted(len(self.bad), 'bad run')}" if self.bad else ""
        return f"<Batch {self.output}: {counted(len(self.runs), 'run')}{bad}>"


@checked
def evaluate(
    qrels: QrelsLike,
    runs: RunsLike,
    measures: MeasuresLike = None,
    *,
    output: str | os.PathLike[str],
    engine: Any = None,
    address: str | None = None,
    workers: int | None = None,
    strict: bool = False,
    rescore: bool = False,
    shard_bytes: int = SHARD_BYTES,
    **options: Unpack[ScoringOptions],
) -> Batch:
    """Scores any number of runs into a data set, and goes on where it was stopped.

    The output gets ``topics/*.parquet`` (run, topic, and a column for each
    measure), ``means/*.parquet`` (one row for each run) and ``manifest.json``. Runs
    are scored in shards. A file appears when it is complete, and a shard counts as
    done when all of its files are there. So the same call after a kill scores what is
    missing, and the data set is the same as that of a call that was not stopped.

    Parameters
    ----------
    qrels, measures
        As for ``evaluate``.
    runs
        Paths, patterns, folders or addresses of files; objects in memory are refused.
    output
        A folder or an address.
    engine
        ``None`` scores in this process. "ray" scores on a Ray cluster, or on this
        machine if there is none. A ``concurrent.futures.Executor`` scores there.
        The data set has the same bytes whatever the engine.
    address
        Of the Ray cluster, as ``ray.init`` takes it.
    workers
        With "ray" how many shards are scored at a time; as many as there are
        processors if not given.
    strict
        Whether the first run that cannot be used ends the batch. Otherwise it is listed
        in ``bad``. One that could not be read (kind "io"), as where a connection broke, is tried
        again by the next call.
    rescore
        What was scored from other files, judgments, measures or options before is scored
        again. Otherwise that is an error.
    shard_bytes
        How large a shard is: so many bytes of runs, or 64 runs, or one run.
    options
        Those of ``evaluate``, except ``ties="bounds"``.

    Returns
    -------
    Batch
        What was scored, what could not be, and both tables.

    Raises
    ------
    Error
        Kind "option" if the output was made with other judgments, measures, options or
        files (see ``rescore``), or is a folder with something else in it; what
        ``evaluate`` raises about judgments, measures and options; with ``strict`` also
        what it raises about runs.
    MissingPackageError
        Without pyarrow (``cranfield[arrow]``), or ray (``cranfield[ray]``).

    """
    given = keywords("evaluate", options, (*SCORING, "ties"))
    progress = given.pop("progress", None)
    chosen = engines.chosen(engine, address, workers, given)
    evaluator = Evaluator(qrels, measures, **given, progress=False)
    store = store_of(os.fsdecode(output))
    sources = found_runs(runs, evaluator.qrels, given)
    shards = shards_of(sources, shard_bytes)
    setting = _setting(evaluator)
    job = Job(evaluator, store, key_of(setting), strict=strict)
    kept = _begun(store, setting, shards, job.setting, rescore=rescore)
    left = [shard for shard in shards if shard.name not in kept]
    runs_left = sum(len(shard.members) for shard in left)
    with _reported(progress, len(sources) - runs_left, runs_left) as report:
        done = 0
        for record in chosen(job, left):
            kept[record["shard"]] = record
            done += len(record["runs"])
            report(done)
    return _finished(store, setting, shards, kept, len(shards) - len(left))


def _setting(evaluator: Evaluator) -> dict[str, Any]:
    """What a score depends on beside its run."""
    options = evaluator._options
    return {
        "format": FORMAT,
        "qrels": evaluator.qrels.fingerprint,
        "measures": [str(measure) for measure in evaluator.measures],
        "options": {
            **all_in_effect(OPTIONS, options),
            "run_layout": options["run_layout"],
            "columns": as_columns(options["columns"]),
        },
    }


def _begun(
    store: Store, setting: dict[str, Any], shards: Sequence[Shard], key: str, *, rescore: bool
) -> dict[str, dict[str, Any]]:
    """The records of the shards that are done; the rest of the place is made ready.

    Raises ``Error`` (kind "option") for a place that was made otherwise.
    """
    store.prepare()
    before, names = _manifest(store), store.names()
    if before is None and names:
        message = f"expected an empty folder or one that a batch has made, found {names[0]}"
        raise failure("option", message, file=store.label)
    if before is not None and not rescore:
        if before.get("setting") != setting:
            raise _changed(store.label, _difference(before.get("setting"), setting))
        was, now = before.get("runs", []), [member.name for member in in_order(shards)]
        for run in sorted(set(was) ^ set(now)):
            what = "no longer exists" if run in was else "is new"
            raise _changed(store.label, f"run {run} {what}")
    kept: dict[str, dict[str, Any]] = {}
    for shard in shards:
        record = _record(store, shard, names)
        if record is None:
            continue
        changes = list(_changes(record, shard, key))
        if not changes:
            # What could not be read then may be there now.
            if all(error["kind"] != "io" for error in record["errors"]):
                kept[shard.name] = record
        elif not rescore:
            raise _changed(store.label, changes[0])
    # From here on the place is what this batch makes of it.
    wanted = {MANIFEST}
    for shard in shards:
        if shard.name in kept:
            wanted.update(files_of(shard.name))
    # The record of a shard is removed before its scores.
    for name in sorted(set(names) - wanted, key=lambda name: (not name.startswith("done/"), name)):
        store.remove(name)
    store.write(MANIFEST, json_bytes(_described(setting, shards, None)))
    return kept


def _manifest(store: Store) -> dict[str, Any] | None:
    """The manifest of an earlier batch, if there is one."""
    if (data := store.read(MANIFEST)) is None:
        return None
    found = _with(data, store.label, "cranfield_batch", FORMAT)
    if found is None:
        message = "expected the manifest of a batch, found something else in manifest.json"
        raise failure("option", message, file=store.label)
    return found


def _record(store: Store, shard: Shard, names: Sequence[str]) -> dict[str, Any] | None:
    """The record of a shard, if it is done."""
    files = files_of(shard.name)
    if not set(files) <= set(names):
        return None
    return _with(store.read(files[-1]) or b"", None, "shard", shard.name)


def _with(data: bytes, label: str | None, key: str, value: object) -> dict[str, Any] | None:
    """The JSON object in a file, if it has a value under a key."""
    try:
        found: dict[str, Any] = json_value(data.decode(), label)
        return found if found[key] == value else None
    except (KeyError, TypeError, ValueError):
        return None


def _changes(record: dict[str, Any], shard: Shard, key: str) -> Iterator[str]:
    """What differs between what was scored and what is there."""
    if record.get("setting") != key:
        yield "judgments, measures or options have changed"
        return
    before = [entry["run"] for entry in record["runs"]]
    now = [member.name for member in shard.members]
    if before != now:
        other = sorted(set(before) ^ set(now)) or now
        yield f"the runs of {shard.name} have changed, such as {other[0]}"
        return
    for entry, member in zip(record["runs"], shard.members, strict=True):
        state = state_of(member)
        if entry["files"] != state and (
            [size for _, size, *_ in entry["files"]] != [size for _, size, *_ in state]
            or entry["sha256"] is None
            or digest_of(member) != entry["sha256"]
        ):
            yield f"run {member.name} ({member.files[0]}) has changed"


def _difference(before: Any, setting: dict[str, Any]) -> str:
    for name, value in setting.items():
        if not isinstance(before, dict) or before.get(name) != value:
            return "judgments have changed" if name == "qrels" else f"{name} have changed"
    return "they have changed"


def _changed(label: str, what: str) -> Exception:
    message = f"this data set was made with other inputs: {what}; give another output, or "
    return failure(
        "option",
        f"{message}rescore=True to rescore what has changed",
        file=label,
        command_line=f"{message}--rescore to rescore what has changed",
    )


def _described(
    setting: dict[str, Any], shards: Sequence[Shard], bad: Sequence[dict[str, Any]] | None
) -> dict[str, Any]:
    """The manifest; ``bad`` is None as long as the batch is not complete."""
    return {
        "cranfield_batch": FORMAT,
        "cranfield": __version__,
        "setting": setting,
        "shards": [shard.name for shard in shards],
        "runs": [member.name for member in in_order(shards)],
        "complete": bad is not None,
        "bad": list(bad or ()),
    }


def _finished(
    store: Store,
    setting: dict[str, Any],
    shards: Sequence[Shard],
    records: dict[str, dict[str, Any]],
    kept: int,
) -> Batch:
    bad = [error for shard in shards for error in records[shard.name]["errors"]]
    store.write(MANIFEST, json_bytes(_described(setting, shards, bad)))
    runs = [
        entry["run"] for shard in shards for entry in records[shard.name]["runs"] if entry["scored"]
    ]
    found = [BadRun(**error) for error in bad]
    return Batch(store, runs, found, [shard.name for shard in shards], kept)


@contextmanager
def _reported(progress: Any, kept: int, left: int) -> Iterator[Callable[[int], object]]:
    """A block with what is called with the number of runs that were scored now.

    Of those that were ``left``; the others are ``kept`` from an earlier call.
    """
    if callable(progress):
        yield lambda done: progress(kept + done, kept + left)
    elif (delay := delay_of(progress)) is None:
        yield lambda done: None
    else:
        with closing(Bar(sys.stderr, left, 0, delay=delay)) as bar:
            yield lambda done: bar(done, 0)
