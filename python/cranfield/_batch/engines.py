"""Where the shards of a batch are scored: here, or by an executor."""

from __future__ import annotations

from cranfield._base.errors import failure, shown
from cranfield._batch.scoring import Job, score

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any, Protocol

    from cranfield._batch.plan import Shard

    class Engine(Protocol):
        """Scores shards."""

        def run(self, job: Job, shards: Sequence[Shard]) -> Iterator[dict[str, Any]]:
            """The record of each shard when it is done, in any order."""


def chosen(
    engine: Any, address: str | None, workers: int | None, options: dict[str, Any]
) -> Engine:
    """The engine that the options ask for; raises ``Error`` (kind "option")."""
    named = engine if isinstance(engine, str) else None
    if named == "ray":
        from cranfield._batch.on_ray import OnRay

        # A worker has one processor.
        options.setdefault("threads", 1)
        return OnRay(address, workers)
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
            for shard in rest:
                waiting.add(self._executor.submit(score, job, shard))
                if len(waiting) >= most:
                    done, waiting = wait(waiting, return_when=FIRST_COMPLETED)
                    for future in done:
                        yield future.result()
            while waiting:
                done, waiting = wait(waiting, return_when=FIRST_COMPLETED)
                for future in done:
                    yield future.result()
        finally:
            for future in waiting:
                future.cancel()
