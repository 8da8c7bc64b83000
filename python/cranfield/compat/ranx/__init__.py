"""``Qrels``, ``Run``, ``evaluate`` and ``compare`` of ranx, computed by cranfield.

>>> from cranfield.compat.ranx import Qrels, Run, compare, evaluate
>>> evaluate(Qrels({"q1": {"a": 1}}), Run({"q1": {"a": 0.5}}), "ndcg@10")

Neither ranx nor numba is needed. The same calls give the same numbers, with
one exception that is chosen by ``rules``: by default equal scores are ordered as in
trec_eval, and ``rules="ranx"`` leaves them in the order in which they were
put in; ``set_rules`` chooses for all calls. What ranx has besides, such as ``fuse`` and
``plot``, is ranx's own, if it is installed. Objects of both may be given to every call.
``docs/howto/hosts/ranx.md`` lists every difference.
"""

from __future__ import annotations

from typing import Any

from cranfield.compat.ranx._comparing import Report, compare
from cranfield.compat.ranx._evaluating import evaluate, set_rules
from cranfield.compat.ranx._tables import Qrels, Run, attribute, folders

__all__ = ["Qrels", "Report", "Run", "compare", "evaluate", "set_rules"]


def stand_in() -> None:
    """Lets ranx's modules be found below this one, which has taken the name of ranx."""
    __path__[:] = dict.fromkeys([*__path__, *folders()])


def __getattr__(name: str) -> Any:
    """What is not here is ranx's own."""
    if name.startswith("_"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return attribute(name)
