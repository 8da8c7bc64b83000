"""A study of each of several collections, with tables that compare the collections."""

from __future__ import annotations

from cranfield._base.errors import optional
from cranfield._study import runner, together

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from cranfield._scoring.collections import Collections
    from cranfield._study.definition import Outcome


def run(name: str, collections: Collections, folder: str, **more: Any) -> Outcome:
    """Runs a study on each collection, in a subfolder of its own; see ``together.each``.

    ``more`` are the options of ``study.run``. Raises the same errors as it does.
    """
    optional("jinja2", "the page of a study", extra="report")

    def part(collection: str) -> Callable[[str], Outcome]:
        qrels, runs = collections[collection]
        return lambda own: runner.run(name, qrels, runs, own, **more)

    parts = {collection: part(collection) for collection in collections.names}
    return together.each(name, parts, folder, together.COLLECTIONS)
