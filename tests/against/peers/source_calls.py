"""Programs of which only the modules that evaluate are run, with and without cranfield.

All of them evaluate with pytrec_eval. Models, indexes and searchers that a package imports
beside are left out: they need old releases of large packages. ``make hosts`` gets splade and
OpenMatch from their repositories, of which they have no package, the others with pip.
"""

from __future__ import annotations

import contextlib
import copy
import importlib
import importlib.util
import io
import logging
import random
import runpy
import sys
import tempfile
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import cranfield as cf

from tests.against.peers.cases import CALLS, Calls, wrong
from tests.integrations.test_dicts import Table, drawn


def bare(*names: str) -> None:
    """Lets modules of packages be found without the code of the packages themselves."""
    for name in names:
        spec: Any = importlib.util.find_spec(name)
        module = ModuleType(name)
        module.__path__ = list(spec.submodule_search_locations)
        sys.modules[name] = module


def stub(name: str, **attributes: Any) -> None:
    """Puts a module with some names in the place of one that evaluation does not need."""
    module = ModuleType(name)
    vars(module).update(attributes)
    sys.modules[name] = module


def both(name: str) -> tuple[Any, Any]:
    """A module that imports pytrec_eval, and again where that is cranfield's."""
    host = importlib.import_module(name)
    del sys.modules[name]
    with cf.install_as("pytrec_eval", force=True):
        hooked = importlib.import_module(name)
    assert hooked is not host
    return hooked, host


def compared(
    modules: tuple[Any, Any], made: Callable[[random.Random, Table, Table], Callable[[Any], Any]]
) -> Calls:
    """Calls of both modules; what ``made`` returns takes a module, and gets fresh arguments."""
    hooked, host = modules
    for case in range(CALLS):
        rng = random.Random(case)
        call = made(rng, *wrong(rng, *drawn(rng)))
        yield (lambda call=call: call(hooked)), (lambda call=call: call(host))  # type: ignore[misc]


def splade() -> Calls:
    """``splade.utils.metrics``, which its own training and evaluation call."""

    def made(rng: random.Random, qrels: Table, run: Table) -> Callable[[Any], Any]:
        metric = rng.choice(("recall", "map", "ndcg_cut", "ndcg", "P", "recip_rank", "nothing"))
        kind = rng.choice(("evaluate", "by topic", "select", "mrr", "named"))
        name = rng.choice(("MRR@10", "recall@50", "recall@7"))
        is_mean = rng.random() < 0.5

        def call(module: Any) -> Any:
            scored, judged = copy.deepcopy((run, qrels))
            match kind:
                case "evaluate":
                    return module.evaluate(scored, judged, metric)
                case "by topic":
                    return module.evaluate(scored, judged, metric, agg=False)
                case "select":
                    return module.evaluate(scored, judged, metric, select=10)
                case "mrr":
                    return module.mrr_k(scored, judged, 3, agg=is_mean)
                case _:
                    return module.init_eval(name)(scored, judged)

        return call

    yield from compared(both("splade.utils.metrics"), made)


def capreolus() -> Calls:
    """``capreolus.evaluator.eval_runs``."""
    bare("capreolus", "capreolus.utils")
    stub("capreolus.searcher", Searcher=None)
    stub("capreolus.utils.loginit", get_logger=logging.getLogger)
    modules = both("capreolus.evaluator")

    def made(rng: random.Random, qrels: Table, run: Table) -> Callable[[Any], Any]:
        metrics = rng.sample(modules[1].DEFAULT_METRICS, 5)
        level = rng.choice((1, 1, 2))
        return lambda module: module.eval_runs(*copy.deepcopy((run, qrels, metrics, level)))

    yield from compared(modules, made)


def openmatch() -> Calls:
    """``scripts/evaluate.py`` of OpenMatch on files: what it prints."""
    spec: Any = importlib.util.find_spec("openmatch")
    script = Path(spec.origin).parents[2] / "scripts" / "evaluate.py"
    # Of these it takes functions for answers to questions and for its own format of runs.
    stub("openmatch")
    stub("openmatch.qa_utils", SimpleTokenizer=None, has_answers=None)
    stub("openmatch.utils", load_from_trec=None)
    stub("datasets", load_dataset=None)
    folder = Path(tempfile.mkdtemp())

    def made(rng: random.Random, qrels: Table, run: Table) -> Callable[[Any], Any]:
        files = [str(folder / name) for name in ("qrels", "run")]
        grades = [f"{t} 0 {d} {g}\n" for t, x in qrels.items() for d, g in x.items()]
        lines = [f"{t} Q0 {d} 0 {s} a\n" for t, x in run.items() for d, s in x.items()]
        name = rng.choice(("map", "ndcg_cut.10", "mrr", "mrr_cut.10", "recall.5", "no", None))
        words = [*rng.choice(([], ["-q"])), *(["-m", name] if name else []), *files]

        def call(enter: Any) -> Any:
            Path(files[0]).write_text("".join(grades))
            Path(files[1]).write_text("".join(lines))
            with enter(), given(["evaluate.py", *words]) as printed:
                runpy.run_path(str(script), run_name="__main__")
            return printed.getvalue().splitlines()

        return call

    taken = lambda: cf.install_as("pytrec_eval", force=True)  # noqa: E731
    yield from compared((taken, contextlib.nullcontext), made)


@contextlib.contextmanager
def given(words: list[str]) -> Iterator[io.StringIO]:
    """A command line, and what is printed for it."""
    before = sys.argv
    sys.argv = words
    try:
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            yield printed
    finally:
        sys.argv = before


def air_benchmark() -> Calls:
    """AIR-Bench's two functions, which its evaluator calls for each task."""
    bare("air_benchmark", "air_benchmark.evaluation_utils")

    def made(rng: random.Random, qrels: Table, run: Table) -> Callable[[Any], Any]:
        cutoffs = rng.choice(([1, 3, 5], [10], [5, 1]))
        name = rng.choice(("evaluate_metrics", "evaluate_metrics", "evaluate_mrr"))
        return lambda module: getattr(module, name)(*copy.deepcopy((qrels, run, cutoffs)))

    yield from compared(both("air_benchmark.evaluation_utils.utils"), made)


@cache
def bare_mteb_1() -> None:
    """MTEB 1 without its models and tasks."""
    bare("mteb", "mteb.evaluation", "mteb.evaluation.evaluators")
    stub("mteb.model_meta", ModelMeta=object)
    stub("sentence_transformers", CrossEncoder=object, SentenceTransformer=object)


def mteb_1() -> Calls:
    """``RetrievalEvaluator`` of MTEB 1."""
    bare_mteb_1()

    def made(rng: random.Random, qrels: Table, run: Table) -> Callable[[Any], Any]:
        cutoffs = rng.choice(([1, 3, 5], [10], [5, 1]))
        metric = rng.choice((None, None, "mrr", "r_cap", "hole", "acc"))
        ignore = rng.random() < 0.5

        def call(module: Any) -> Any:
            judged, scored = copy.deepcopy((qrels, run))
            evaluator = module.RetrievalEvaluator
            if metric:
                return evaluator.evaluate_custom(judged, scored, cutoffs, metric, "all")
            return evaluator.evaluate(judged, scored, cutoffs, ignore_identical_ids=ignore)

        return call

    yield from compared(both("mteb.evaluation.evaluators.RetrievalEvaluator"), made)


def vidore_benchmark() -> Calls:
    """ViDoRe's evaluator, by which ColPali is evaluated; it takes its nAUC from MTEB 1."""
    bare_mteb_1()
    bare("vidore_benchmark", "vidore_benchmark.evaluation")

    def made(rng: random.Random, qrels: Table, run: Table) -> Callable[[Any], Any]:
        cutoffs = rng.choice(([1, 3, 5], [10], [5, 1]))

        def call(module: Any) -> Any:
            evaluator = module.CustomRetrievalEvaluator(cutoffs)
            return evaluator.compute_mteb_metrics(*copy.deepcopy((qrels, run)))

        return call

    yield from compared(both("vidore_benchmark.evaluation.eval_utils"), made)
