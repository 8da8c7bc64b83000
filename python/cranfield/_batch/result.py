"""What a batch made."""

from __future__ import annotations

import io
from dataclasses import dataclass

from cranfield._base.errors import optional
from cranfield._base.options import checked, wrong
from cranfield._base.text import counted
from cranfield._io.table_guarded import Guarded

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from cranfield._batch.store import Store


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

        Its name, its number of lines, of missing topics and of topics without judgments,
        and each measure by its own aggregate, as ``Scores.summary`` has it.
        """
        return self._table("means")

    def _table(self, kind: str) -> Any:
        pa = optional("pyarrow", "reading Parquet", "arrow")
        parts = []
        for shard in self._shards:
            name = f"{kind}/{shard}.parquet"
            data = self._store.read(name)
            assert data is not None, shard
            parts.append(Guarded(io.BytesIO(data), "parquet", name).table())
        return pa.concat_tables(parts)

    def __repr__(self) -> str:
        bad = f", {counted(len(self.bad), 'bad run')}" if self.bad else ""
        return f"<Batch {self.output}: {counted(len(self.runs), 'run')}{bad}>"
