"""One shard: scored, written, and recorded as done, in this process or another."""

from __future__ import annotations

import io
import json
import os
import warnings
from contextlib import suppress

from cranfield._base.errors import CranfieldWarning, for_command_line, optional
from cranfield._batch.plan import digest_of, state_of
from cranfield._core import Error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from cranfield._batch.plan import Member, Shard
    from cranfield._batch.store import Store
    from cranfield._scores.scores import Scores
    from cranfield._scoring.evaluator import Evaluator


def record_name(shard: str) -> str:
    """The file that says a shard is done: it is written last."""
    return f"done/{shard}.json"


def files_of(shard: str) -> tuple[str, str]:
    """The files with the scores of a shard, by topic and of the means."""
    return f"topics/{shard}.parquet", f"means/{shard}.parquet"


class Job:
    """What every shard of a batch is scored with."""

    def __init__(self, evaluator: Evaluator, store: Store, setting: str, *, strict: bool) -> None:
        self.evaluator = evaluator
        self.store = store
        self.setting = setting
        """The key of judgments, measures and options."""
        self.strict = strict
        self.folder = os.getcwd()
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
    job.store.write(record_name(shard.name), _json(record))
    return record


def probe(job: Job, shard: Shard) -> dict[str, Any]:
    """Reads and scores a shard, and writes nothing; a run that cannot be used is no error."""
    with suppress(Error):
        _evaluated(job, shard.members)
    return {}


def _json(content: object) -> bytes:
    text = json.dumps(content, indent=1, ensure_ascii=True, sort_keys=True)
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
