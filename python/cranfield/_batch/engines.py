"""Where the shards of a batch are scored: here, by an executor, or as tasks of Ray.

Ray gets the judgments once for each node, and its workers write the results.
"""

from __future__ import annotations

import logging
import os
import pickle
import socket
import uuid
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from itertools import islice
from typing import Any, TypeAlias

from cranfield._base.errors import failure, optional, shown
from cranfield._batch.shards import Job, Shard, probe, score
from cranfield._core import Error

Engine: TypeAlias = Callable[[Job, Sequence[Shard]], Iterator[dict[str, Any]]]
"""What scores shards: yields the record of each when it is done."""


def chosen(
    engine: Any, address: str | None, workers: int | None, options: dict[str, Any]
) -> Engine:
    """The engine that the options ask for; raises ``Error`` (kind "option")."""
    named = engine if isinstance(engine, str) else None
    if named == "ray":
        # A worker has one processor.
        options.setdefault("threads", 1)
        return _OnRay(address, workers).run
    if address is not None or workers is not None:
        option = "address" if address is not None else "workers"
        raise failure(
            "option",
            f'{option} goes with engine="ray"',
            command_line=f"--{option} goes with --engine ray",
        )
    if engine is None or named == "local":
        return _here
    if hasattr(engine, "submit"):
        return partial(_executed, engine)
    raise failure(
        "option", f'expected "ray", "local" or an Executor as engine, found {shown(engine)}'
    )


def _here(job: Job, shards: Sequence[Shard]) -> Iterator[dict[str, Any]]:
    """Scores one shard after another in the calling process; the runs of each in threads."""
    for shard in shards:
        yield score(job, shard)


def _ended(
    shards: Sequence[Shard],
    waiting: dict[Any, Shard],
    most: int,
    submit: Callable[[Shard], Any],
    first: Callable[[list[Any]], Iterable[Any]],
) -> Iterator[tuple[Any, Shard]]:
    """Each task that has ended, with its shard; what waits does not grow with their number."""
    rest = iter(shards)
    while True:
        for shard in islice(rest, most - len(waiting)):
            waiting[submit(shard)] = shard
        if not waiting:
            return
        for task in first(list(waiting)):
            yield task, waiting.pop(task)


def _executed(executor: Any, job: Job, shards: Sequence[Shard]) -> Iterator[dict[str, Any]]:
    """Scores two shards at a time for each worker of a ``concurrent.futures`` executor."""
    from concurrent.futures import FIRST_COMPLETED, wait

    def first(futures: list[Any]) -> Iterable[Any]:
        return wait(futures, return_when=FIRST_COMPLETED).done

    most = 2 * (getattr(executor, "_max_workers", None) or 8)
    waiting: dict[Any, Shard] = {}
    submit = partial(executor.submit, score, job)
    try:
        for future, _ in _ended(shards, waiting, most, submit, first):
            yield future.result()
    finally:
        for future in waiting:
            future.cancel()


RETRIES = 3
"""How often a shard is tried again whose worker was lost."""

_CONNECT_SECONDS = 10
"""How long the head of a cluster may take to answer."""

_WAITING = 2
"""How many shards for each processor are with Ray at a time."""


class _OnRay:
    """A Ray cluster, or this machine if there is none."""

    def __init__(self, address: str | None, workers: int | None) -> None:
        self._ray = optional("ray", 'engine="ray"', "ray")
        self._address = address
        self._workers = workers

    def run(self, job: Job, shards: Sequence[Shard]) -> Iterator[dict[str, Any]]:
        """The record of each shard when it is done; raises ``Error`` for a strict job."""
        if not shards:
            return
        ray = self._ray
        own = not ray.is_initialized()
        if own:
            self._start()
        waiting: dict[Any, Shard] = {}
        try:
            tasks = _Tasks(ray, job)
            most = _WAITING * (self._workers or int(ray.cluster_resources().get("CPU", 1)))
            for task, shard in _ended(shards, waiting, max(1, most), tasks.submit, tasks.first):
                record = tasks.record(task)
                if record is None:
                    waiting[tasks.submit(shard, tasks.crashing(shard))] = shard
                else:
                    yield record
        finally:
            for task in waiting:
                ray.cancel(task)
            if own:
                ray.shutdown()

    def _start(self) -> None:
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
        options: dict[str, Any] = {"address": "local", "include_dashboard": False}
        if self._address is None:
            options["num_cpus"] = self._workers
        else:
            self._look_for(self._address)
            options = {"address": self._address}
        try:
            self._ray.init(**options, log_to_driver=False, logging_level=logging.ERROR)
        except (ConnectionError, RuntimeError, ValueError) as error:
            text = str(error).partition("\n")[0]
            raise failure("io", f"cannot reach Ray at {self._address}: {text}") from error

    def _look_for(self, address: str) -> None:
        """Raises ``Error`` (kind "io") if nobody listens there: Ray tries for minutes."""
        host, _, port = address.rpartition("://")[2].rpartition(":")
        if not host or not port.isdigit():
            return
        try:
            socket.create_connection((host.strip("[]"), int(port)), _CONNECT_SECONDS).close()
        except (OSError, OverflowError) as error:
            message = f"cannot reach Ray at {address}: {error}"
            raise failure("io", message) from error


class _Tasks:
    """The tasks of one batch on Ray."""

    def __init__(self, ray: Any, job: Job) -> None:
        self._ray = ray
        # Each node gets it once, and each worker opens it once.
        self._job = ray.put(pickle.dumps(job)), uuid.uuid4().hex
        self._score = ray.remote(num_cpus=1, max_retries=RETRIES)(_score)
        self._probe = ray.remote(num_cpus=1, max_retries=1)(_probe)

    def submit(self, shard: Shard, crashed: Sequence[str] = ()) -> Any:
        """The task that scores a shard."""
        return self._score.remote(*self._job, shard, list(crashed))

    def first(self, tasks: list[Any]) -> Iterable[Any]:
        """The first that has ended."""
        ended: list[Any] = self._ray.wait(tasks, num_returns=1)[0]
        return ended

    def record(self, task: Any) -> dict[str, Any] | None:
        """What a task returns; None if its worker was lost. Raises the error of a strict job."""
        try:
            record: dict[str, Any] = self._ray.get(task)
        except self._ray.exceptions.RayTaskError as error:
            if isinstance(error.cause, Error):
                raise error.cause from None
            raise
        except self._ray.exceptions.RayError:
            return None
        return record

    def crashing(self, shard: Shard) -> list[str]:
        """The runs of a shard whose reading ends the process, each tried by itself."""
        if len(shard.members) == 1:
            return [shard.members[0].name]
        found = []
        for member in shard.members:
            alone = Shard(shard.number, (member,))
            try:
                self._ray.get(self._probe.remote(*self._job, alone))
            except self._ray.exceptions.RayError:
                found.append(member.name)
        return found


_JOBS: dict[str, Job] = {}
"""The job that this worker has opened."""


def _opened(packed: bytes, key: str) -> Job:
    if key not in _JOBS:
        _JOBS.clear()
        _JOBS[key] = pickle.loads(packed)
        # Workers of another machine may have no such folder: there paths are absolute.
        with suppress(OSError):
            os.chdir(_JOBS[key].folder)
    return _JOBS[key]


def _score(packed: bytes, key: str, shard: Shard, crashed: list[str]) -> dict[str, Any]:
    """The task of a shard."""
    return score(_opened(packed, key), shard, crashed)


def _probe(packed: bytes, key: str, shard: Shard) -> None:
    """The task that tries one run."""
    probe(_opened(packed, key), shard)
