"""The hosts' own calls with and without cranfield: same results, and by what factor faster.

    python benches/hosts.py [HOST ...]

``make hosts`` installs every host in its current version into an environment of its
own and runs this there. For each host its real call is made as it comes, then with
the hook of ``cranfield.integrations``; the results are compared, all of them, and
the CPU time of both is taken, the best of several rounds in turn. The ceiling is
what the host sets: the factor if pytrec_eval took no time under the host's own
code, measured with its answers ready. A hook that replaces more than pytrec_eval
can go beyond. The last column is the required factor: see ``ASKED``. A
host that is not installed is left out.
"""

from __future__ import annotations

import importlib
import importlib.util
import math
import random
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from importlib.metadata import version
from typing import Any, NamedTuple

ROUNDS = 5
CUTOFFS = [1, 3, 5, 10, 100, 1000]

DISTRIBUTIONS = {
    "pytrec_eval": "pytrec-eval-terrier",
    "ir_measures": "ir-measures",
    "ranx": "ranx",
    "beir": "beir",
    "mteb": "mteb",
    "sentence_transformers": "sentence-transformers",
    "pyterrier": "python-terrier",
}
"""The packages of the hosts."""

ASKED = {
    ("pytrec_eval", "evaluate"): 15,
    ("ir_measures", "calc_aggregate"): 30,
    ("ir_measures", "iter_calc"): 5,
    ("ranx", "evaluate, dicts"): 10,
    ("mteb", "calculate_retrieval_scores"): 15,
}
"""The required factor, by host and what the call's name begins with."""

OF_CEILING = {("beir", "evaluate"): 0.8}
"""The required share of the ceiling, by host and call."""

Table = dict[str, dict[str, Any]]


def collection(topics: int, retrieved: int, judged: int) -> tuple[Table, Table]:
    """Judgments and a run: half of the judged documents retrieved, no two scores alike."""
    rng = random.Random(7)
    documents = [f"FBIS3-{i:07}" for i in range(100_000)]
    qrels: Table = {}
    run: Table = {}
    for topic in range(1, topics + 1):
        pool = rng.sample(documents, judged)
        qrels[str(topic)] = {d: rng.choice((0, 0, 1, 2)) for d in pool[1:]} | {pool[0]: 1}
        found = dict.fromkeys(pool[: judged // 2] + rng.sample(documents, retrieved))
        shown = rng.sample(list(found), retrieved)
        run[str(topic)] = {d: 30 - rank / 37 for rank, d in enumerate(shown)}
    return qrels, run


def same(ours: Any, theirs: Any, where: str = "") -> None:
    """Raises ``AssertionError`` unless two results have one shape, order and values."""
    if isinstance(theirs, dict):
        assert list(ours) == list(theirs), f"{where}: {list(ours)[:3]}, {list(theirs)[:3]}"
        for key in theirs:
            same(ours[key], theirs[key], f"{where}/{key}")
    elif isinstance(theirs, (tuple, list)):
        assert len(ours) == len(theirs), where
        for place, (a, b) in enumerate(zip(ours, theirs, strict=True)):
            same(a, b, f"{where}/{place}")
    elif isinstance(theirs, float):
        alike = math.isclose(ours, theirs, rel_tol=1e-9, abs_tol=1e-12)
        assert alike or (math.isnan(ours) and math.isnan(theirs)), f"{where}: {ours}, {theirs}"
    else:
        assert ours == theirs, f"{where}: {ours}, {theirs}"


class Case(NamedTuple):
    """One call of a host."""

    name: str
    call: Callable[[], Any]
    hook: Callable[[], AbstractContextManager[Any]]
    competitor: Callable[[], Any] | None = None
    """The host's call, where that of cranfield is another."""
    alone: Callable[[], Callable[[], Any]] | None = None
    """What makes the host's call, if pytrec_eval is under it."""


@contextmanager
def remembering() -> Iterator[None]:
    """While it lasts, an evaluator of pytrec_eval answers as the first with its measures did."""
    owner: Any = importlib.import_module("pytrec_eval")
    before = owner.RelevanceEvaluator
    answers: dict[Any, Any] = {}

    class Remembering:
        def __init__(self, qrels: Table, measures: Any, *args: Any, **options: Any) -> None:
            self.key = (frozenset(measures), args, *sorted(options.items()))
            if self.key not in answers:
                self.evaluator = before(qrels, measures, *args, **options)

        def evaluate(self, scores: Table) -> Any:
            if self.key not in answers:
                answers[self.key] = self.evaluator.evaluate(scores)
            return answers[self.key]

    owner.RelevanceEvaluator = Remembering
    try:
        yield
    finally:
        owner.RelevanceEvaluator = before


def pytrec_eval() -> Iterator[Case]:
    """``evaluate`` on dicts: few and many topics, judgments and measures."""
    import pytrec_eval as host
    from cranfield.compat import pytrec_eval as face

    for topics, judged in ((50, 1500), (50, 100), (1000, 20)):
        qrels, run = collection(topics, 1000, judged)
        for measures in ({"all_trec"}, {"map"}, {"ndcg_cut.10"}):
            ours, theirs = (module.RelevanceEvaluator(qrels, measures) for module in (face, host))
            yield Case(
                f"evaluate, {topics} x {judged} judged, {min(measures)}",
                lambda ours=ours, run=run: ours.evaluate(run),  # type: ignore[misc]
                nullcontext,
                lambda theirs=theirs, run=run: theirs.evaluate(run),  # type: ignore[misc]
            )


def ir_measures() -> Iterator[Case]:
    """Evaluator and whole calls, on dicts, rows and files."""
    import tempfile

    import ir_measures as host
    from cranfield.integrations import ir_measures as hook

    qrels, run = collection(50, 1000, 1500)
    measures = [host.nDCG @ 10, host.nDCG @ 100, host.AP, host.P @ 10, host.R @ 100, host.RR]
    measures += [host.Bpref, host.Rprec, host.Success @ 10]
    theirs = host.evaluator(measures, qrels)
    ours = hook.provider.evaluator(measures, qrels)
    rows = [host.ScoredDoc(t, d, s) for t, scored in run.items() for d, s in scored.items()]
    pd = importlib.import_module("pandas")
    frame = pd.DataFrame(rows)

    def ordered(metrics: Any) -> dict[str, float]:
        return dict(sorted((f"{m.query_id} {m.measure}", m.value) for m in metrics))

    def named(values: Any) -> dict[str, float]:
        return dict(sorted((str(measure), value) for measure, value in values.items()))

    for form, given in (("dict", run), ("rows", rows), ("frame", frame)):
        for method, plain in (("calc_aggregate", named), ("iter_calc", ordered)):

            def call(
                evaluator: Any, method: str = method, plain: Any = plain, given: Any = given
            ) -> Callable[[], Any]:
                return lambda: plain(getattr(evaluator, method)(given))

            yield Case(
                f"{method}, {form}",
                call(ours),
                nullcontext,
                call(theirs),
                lambda call=call: call(host.evaluator(measures, qrels)),  # type: ignore[misc]
            )
    with tempfile.TemporaryDirectory() as folder:
        with open(f"{folder}/qrels", "w") as file:
            for topic, grades in qrels.items():
                file.writelines(f"{topic} 0 {d} {grade}\n" for d, grade in grades.items())
        with open(f"{folder}/run", "w") as file:
            for topic, scored in run.items():
                file.writelines(f"{topic} Q0 {d} 1 {score} t\n" for d, score in scored.items())

        def read() -> tuple[Any, Any]:
            return host.read_trec_qrels(f"{folder}/qrels"), host.read_trec_run(f"{folder}/run")

        yield Case(
            "calc_aggregate, files",
            lambda: named(host.calc_aggregate(measures, *read())),
            hook.register,
        )
        yield Case(
            "iter_calc, files",
            lambda: ordered(host.iter_calc(measures, *read())),
            hook.register,
        )


def ranx() -> Iterator[Case]:
    """``evaluate`` on dicts and on the objects made of them."""
    import ranx as host
    from cranfield.compat import ranx as face

    qrels, run = collection(50, 1000, 100)
    metrics = ["ndcg@10", "map@100", "mrr", "recall@100", "precision@10"]
    theirs = host.Qrels(qrels), host.Run(run)
    ours = face.Qrels(qrels), face.Run(run)
    yield Case(
        "evaluate, dicts",
        lambda: face.evaluate(qrels, run, metrics),
        nullcontext,
        lambda: host.evaluate(qrels, run, metrics),
    )
    yield Case(
        "Qrels, Run, evaluate",
        lambda: face.evaluate(face.Qrels(qrels), face.Run(run), metrics),
        nullcontext,
        lambda: host.evaluate(host.Qrels(qrels), host.Run(run), metrics),
    )
    yield Case(
        "evaluate, objects",
        lambda: face.evaluate(*ours, metrics),
        nullcontext,
        lambda: host.evaluate(*theirs, metrics),
    )


def beir() -> Iterator[Case]:
    """The static methods, a thousand topics."""
    from beir.retrieval.evaluation import EvaluateRetrieval
    from cranfield.integrations import beir as hook

    qrels, run = collection(1000, 1000, 20)

    def evaluate() -> Any:
        return EvaluateRetrieval.evaluate(qrels, run, CUTOFFS)

    yield Case("evaluate", evaluate, hook.patch, alone=lambda: evaluate)
    for metric in ("mrr", "r_cap", "acc"):
        yield Case(
            f"evaluate_custom, {metric}",
            lambda metric=metric: EvaluateRetrieval.evaluate_custom(  # type: ignore[misc]
                qrels, run, CUTOFFS, metric
            ),
            hook.patch,
        )


def mteb() -> Iterator[Case]:
    """The whole function, nAUC and mrr with it."""
    from cranfield.integrations import mteb as hook
    from mteb._evaluators import retrieval_metrics

    qrels, run = collection(1000, 1000, 20)

    def scores() -> dict[str, Any]:
        found: dict[str, Any] = retrieval_metrics.calculate_retrieval_scores(
            run, qrels, CUTOFFS
        )._asdict()
        return found

    yield Case("calculate_retrieval_scores", scores, hook.patch, alone=lambda: scores)


def sentence_transformers() -> Iterator[Case]:
    """The metrics alone: embedding and search come before."""
    from cranfield.integrations import sentence_transformers as hook
    from sentence_transformers.sentence_transformer.evaluation import InformationRetrievalEvaluator

    qrels, run = collection(1000, 100, 20)
    relevant = {t: {d for d, grade in grades.items() if grade} for t, grades in qrels.items()}
    documents = {d: d for scored in run.values() for d in scored}
    evaluator = InformationRetrievalEvaluator(
        {topic: topic for topic in qrels}, documents, relevant, write_csv=False
    )
    hits = [
        [{"corpus_id": d, "score": score} for d, score in run[topic].items()]
        for topic in evaluator.queries_ids
    ]
    yield Case(
        "compute_metrics",
        lambda: evaluator.compute_metrics(hits),
        hook.patch,
    )


def pyterrier() -> Iterator[Case]:
    """``Experiment`` on results that are there, which evaluates through ir_measures."""
    import pyterrier as pt
    from cranfield.integrations import ir_measures as hook

    pd = importlib.import_module("pandas")
    qrels, run = collection(50, 1000, 100)
    found = pd.DataFrame(
        [(t, d, s, rank) for t, x in run.items() for rank, (d, s) in enumerate(x.items())],
        columns=["qid", "docno", "score", "rank"],
    )
    judged = pd.DataFrame(
        [(t, d, grade) for t, grades in qrels.items() for d, grade in grades.items()],
        columns=["qid", "docno", "label"],
    )
    topics = pd.DataFrame({"qid": list(qrels), "query": list(qrels)})

    def experiment() -> dict[str, float]:
        table = pt.Experiment(
            [pt.Transformer.from_df(found)], topics, judged, ["map", "ndcg_cut_10", "recip_rank"]
        )
        # The host orders its columns by a set.
        return {name: float(value) for name, value in sorted(table.iloc[0, 1:].items())}

    yield Case("Experiment", experiment, hook.register, alone=lambda: experiment)


HOSTS = (pytrec_eval, ir_measures, ranx, beir, mteb, sentence_transformers, pyterrier)


def seconds(work: Callable[[], Any]) -> float:
    """Of CPU, for one call."""
    start = time.process_time()
    work()
    return time.process_time() - start


def asked(host: str, call: str, ceiling: float) -> float:
    """The required factor; NaN where there is none."""
    if (host, call) in OF_CEILING:
        return OF_CEILING[host, call] * ceiling
    found = (ASKED[key] for key in ASKED if key[0] == host and call.startswith(key[1]))
    return next(found, math.nan)


def row(host: str, found: str, call: str, *numbers: float) -> str:
    """A row of the table; a number that is not there leaves its place empty."""
    before, after, *factors = numbers
    times = f"{before * 1e3:8.2f} ms {after * 1e3:7.2f} ms"
    shown = " ".join(f"{number:8.1f}" if number == number else " " * 8 for number in factors)
    return f"{host:<22} {found:<8} {call:<40} {times} {shown}".rstrip()


def main(only: list[str]) -> int:
    """Measures the hosts; the exit code is 1 if none is there or a result differs."""
    rows = []
    for host in HOSTS:
        name = host.__name__
        if (only and name not in only) or not importlib.util.find_spec(name):
            continue
        for case in host():
            competitor = case.competitor or case.call
            theirs = competitor()
            with case.hook():
                same(case.call(), theirs, f"{name} {case.name}")
            before = after = math.inf
            for _ in range(ROUNDS):
                before = min(before, seconds(competitor))
                with case.hook():
                    after = min(after, seconds(case.call))
            ceiling = math.nan
            if case.alone is not None:
                with remembering():
                    alone = case.alone()
                    alone()
                    ceiling = before / min(seconds(alone) for _ in range(ROUNDS))
            factors = before / after, ceiling, asked(name, case.name, ceiling)
            rows.append(row(name, version(DISTRIBUTIONS[name]), case.name, before, after, *factors))
            print(f"{name}: {case.name}", file=sys.stderr, flush=True)
    head = f"{'before':>11} {'after':>10} {'factor':>8} {'ceiling':>8} {'asked':>8}"
    print(f"{'host':<22} {'version':<8} {'call':<40} {head}")
    print("\n".join(rows))
    print(f"{len(rows)} calls compared, all the same")
    return 0 if rows else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
