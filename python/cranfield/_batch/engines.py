"""Where the shards of a batch are scored: here, by an executor, or as tasks of Ray.

Ray gets the judgments once for each node, and its workers write the results.
"""

from __future__ import annotations

import logging
import os
import pickle
import socket
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from itertools import islice
from typing import Any, TypeAlias

from cranfield._base.errors import failure, optional, shown
from cranfield._batch.shards import Job, Shard, probe, score
from cranfield._core import Error


def chosen(
    engine: Any, address: str | None, workers: int | None, options: dict[str, Any]
) -> Engine:
    """The engine that the options ask for; raises ``Error`` (kind "option")."""
    named = engine if isinstance(engine, str) else None
    if named == "ray":
        # A worker has one processor.
        options.setdefault("threads", 1)
        return _OnRay(address, workers)
    if address is not None or workers is not None:
        option = "address" if address is not None else "workers"
        raise failure(
            "option",
            f'{option} goes with engine="ray"',
            command_line=f"--{option} goes with --engine ray",
        )
    if engine is None or named == "local":
        return _Here()
    if hasattr(engine, "submit"):
        return _Executor(engine)
    raise failure(
        "option", f'expected "ray", "local" or an Executor as engine, found {shown(engine)}'
    )


class _Here:
    """The calling process."""

    def run(self, job: Job, shards: Sequence[Shard]) -> Iterator[dict[str, Any]]:
        """One shard after another; the runs of each in threads."""
        for shard in shards:
            yield score(job, shard)


class _Executor:
    """An executor of ``concurrent.futures``, or one that is used like it."""

    def __init__(self, executor: Any) -> None:
        self._executor = executor

    def run(self, job: Job, shards: Sequence[Shard]) -> Iterator[dict[str, Any]]:
        """Some shards at a time, so that what waits does not grow with their number."""
        from concurrent.futures import FIRST_COMPLETED, wait

        most = 2 * (getattr(self._executor, "_max_workers", None) or 8)
        waiting: set[Any] = set()
        rest = iter(shards)
        try:
            while True:
                for shard in islice(rest, most - len(waiting)):
                    waiting.add(self._executor.submit(score, job, shard))
                if not waiting:
                    return
                done, waiting = wait(waiting, return_when=FIRST_COMPLETED)
                for future in done:
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
        tasks: _Tasks | None = None
        try:
            tasks = _Tasks(ray, job, self._workers or int(ray.cluster_resources().get("CPU", 1)))
            yield from tasks.records(shards)
        finally:
            if tasks is not None:
                tasks.cancel()
            if own:
                ray.shutdown()

    def _start(self) -> None:
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
        options: dict[str, Any] = {
            "include_dashboard": False,
            "log_to_driver": False,
            "logging_level": logging.ERROR,
        }
        if self._address is None:
            options["num_cpus"] = self._workers
            options["address"] = "local"
        else:
            self._look_for(self._address)
            options["address"] = self._address
            del options["include_dashboard"]
        try:
            self._ray.init(**options)
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


Engine: TypeAlias = _Here | _Executor | _OnRay
"""What scores shards."""


class _Tasks:
    """The tasks of one batch."""

    def __init__(self, ray: Any, job: Job, workers: int) -> None:
        self._ray = ray
        self._most = max(1, _WAITING * workers)
        # Each node gets it once, and each worker opens it once.
        self._job = ray.put(pickle.dumps(job))
        self._key = uuid.uuid4().hex
        self._score = ray.remote(num_cpus=1, max_retries=RETRIES)(_score)
        self._probe = ray.remote(num_cpus=1, max_retries=1)(_probe)
        self._waiting: dict[Any, Shard] = {}

    def records(self, shards: Sequence[Shard]) -> Iterator[dict[str, Any]]:
        """The record of each shard; only so many are with Ray at a time."""
        rest = iter(shards)
        while True:
            for shard in islice(rest, self._most - len(self._waiting)):
                self._submit(shard)
            if not self._waiting:
                return
            done, _ = self._ray.wait(list(self._waiting), num_returns=1)
            for task in done:
                shard = self._waiting.pop(task)
                record = self._result(task, shard)
                if record is not None:
                    yield record

    def cancel(self) -> None:
        """Cancels what has not ended."""
        for task in self._waiting:
            self._ray.cancel(task)
        self._waiting.clear()

    def _submit(self, shard: Shard, crashed: Sequence[str] = ()) -> None:
        task = self._score.remote(self._job, self._key, shard, list(crashed))
        self._waiting[task] = shard

    def _result(self, task: Any, shard: Shard) -> dict[str, Any] | None:
        """A record; None if the shard is submitted again, without the runs that crash."""
        try:
            return self._value(task)
        except self._ray.exceptions.RayTaskError:
            raise
        except self._ray.exceptions.RayError:
            self._submit(shard, self._crashing(shard))
            return None

    def _value(self, task: Any) -> dict[str, Any]:
        value: dict[str, Any] = self._ray.get(task)
        if "raised" in value:
            raised = value["raised"]
            error = failure(
                raised["kind"],
                raised["message"],
                file=raised["file"],
                line=raised["line"],
                command_line=raised["command_line"],
            )
            raise error
        return value

    def _crashing(self, shard: Shard) -> list[str]:
        """The runs of a shard whose reading ends the process, each tried by itself."""
        if len(shard.members) == 1:
            return [shard.members[0].name]
        found = []
        for member in shard.members:
            alone = Shard(shard.number, (member,))
            try:
                self._ray.get(self._probe.remote(self._job, self._key, alone))
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


def _raised(work: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """What the work returns, or the parts of its error, which pickles of exceptions lose."""
    try:
        return work()
    except Error as error:
        names = ("kind", "message", "file", "line", "command_line")
        return {"raised": {name: getattr(error, name) for name in names}}


def _score(packed: bytes, key: str, shard: Shard, crashed: list[str]) -> dict[str, Any]:
    """The task of a shard."""
    return _raised(lambda: score(_opened(packed, key), shard, crashed))


def _probe(packed: bytes, key: str, shard: Shard) -> dict[str, Any]:
    """The task that tries one run."""
    return _raised(lambda: probe(_opened(packed, key), shard))
