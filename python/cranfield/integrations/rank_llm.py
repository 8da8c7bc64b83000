"""RankLLM's ``EvalFunction`` without Java: trec_eval in this process.

In use::

    from cranfield.integrations import rank_llm as hook
    with hook.patch():
        EvalFunction.from_results(results, "qrels.txt", ["-c", "-m", "ndcg_cut.10"])

RankLLM cuts judgments and run by its own code, and starts ``java -jar`` with trec_eval on
them. Only that process is replaced, so all releases are served, and what is returned, printed
and raised is the host's. Neither Java nor a download of trec_eval is needed.
"""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Sequence
from importlib import import_module
from types import SimpleNamespace
from typing import Any

from cranfield import trec_eval
from cranfield.integrations import HostError, Patch

PROGRAM = "cranfield.trec_eval"
"""What stands in the place of the path of trec_eval's jar, also where the host prints it."""

MODULE = "rank_llm.evaluation.trec_eval"


def _started(command: Sequence[str], **options: Any) -> Any:
    """What ``subprocess.Popen`` gives; for trec_eval a process that has ended."""
    if list(command[:3]) != ["java", "-jar", PROGRAM]:
        return subprocess.Popen(command, **options)
    answer = trec_eval.run(command[3:])
    return SimpleNamespace(returncode=answer.code, communicate=lambda: (answer.out, answer.err))


def patch() -> Patch:
    """Puts cranfield's trec_eval into ``rank_llm.evaluation.trec_eval``.

    Raises ``HostError`` if the host is not installed, or does not start trec_eval there.
    """
    try:
        host = import_module(MODULE)
    except ModuleNotFoundError as error:
        raise HostError(
            f"expected rank_llm to be installed, found no {error.name}: pip install rank-llm"
        ) from error
    for name in ("subprocess", "download_evaluation_script"):
        if name not in vars(host):
            raise HostError(f"expected {MODULE} to start trec_eval, found no {name} in it")
    before: Callable[[str], str] | None = host.download_evaluation_script

    def script(name: str) -> str:
        return PROGRAM if name == "trec_eval" or before is None else before(name)

    hook = Patch()
    namespace = SimpleNamespace(**{**vars(subprocess), "Popen": _started})
    hook.replace(host, "subprocess", namespace)
    hook.replace(host, "download_evaluation_script", script)
    return hook
