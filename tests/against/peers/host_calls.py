"""Fifty calls of each host with and without cranfield: values, types, order, exceptions.

    python -m tests.against.peers.host_calls [HOST ...]

``make hosts`` runs it with the current releases and with those of a year before. A line for
each host: its version, how many calls were compared, in how many all is equal to the last
bit, and the largest difference of any value in the others. The exit code is 1 if a type, a
key, the order of keys or an exception differs, or a value by more than ``LARGEST``.
"""

from __future__ import annotations

import copy
import importlib
import importlib.util
import math
import random
import sys
import warnings
from importlib.metadata import version
from typing import Any

import cranfield as cf
from cranfield.integrations import _fingerprints as fingerprints

from tests.against.peers.cases import CALLS, Call, Calls, untied, wrong
from tests.against.peers.java_calls import pyserini, rank_llm
from tests.against.peers.source_calls import (
    air_benchmark,
    capreolus,
    mteb_1,
    openmatch,
    splade,
    vidore_benchmark,
)
from tests.integrations.test_dicts import drawn

DISTRIBUTIONS = {
    "pytrec_eval": "pytrec-eval-terrier",
    "ranx": "ranx",
    "pyterrier": "python-terrier",
    "pylate": "pylate",
    "lightning_ir": "lightning-ir",
    "FlagEmbedding": "FlagEmbedding",
    "pyserini": "pyserini",
    "rank_llm": "rank-llm",
    "air_benchmark": "air-benchmark",
    "capreolus": "capreolus",
    "mteb_1": "mteb",
    "vidore_benchmark": "vidore-benchmark",
    **fingerprints.DISTRIBUTIONS,
}
"""The hosts, and what pip calls them."""

LARGEST = 1e-12


class DifferenceError(AssertionError):
    """Two outcomes are not of one shape."""


def difference(ours: Any, theirs: Any, where: str = "") -> float:
    """The largest difference of any two numbers; raises ``DifferenceError`` for anything else."""
    if type(ours) is not type(theirs):
        raise DifferenceError(f"{where}: {type(ours)} in place of {type(theirs)}")
    if isinstance(theirs, dict):
        if [str(key) for key in ours] != [str(key) for key in theirs]:
            raise DifferenceError(f"{where}: keys {list(ours)[:5]} in place of {list(theirs)[:5]}")
        pairs = [(ours[a], theirs[b], str(b)) for a, b in zip(ours, theirs, strict=True)]
    elif isinstance(theirs, (list, tuple)):
        if len(ours) != len(theirs):
            raise DifferenceError(f"{where}: {len(ours)} in place of {len(theirs)}")
        pairs = [(a, b, str(n)) for n, (a, b) in enumerate(zip(ours, theirs, strict=True))]
    elif isinstance(theirs, float):
        if (math.isnan(ours) and math.isnan(theirs)) or ours == theirs:
            return 0.0
        apart: float = abs(ours - theirs)
        return apart
    elif hasattr(theirs, "tolist"):
        if ours.dtype != theirs.dtype or ours.shape != theirs.shape:
            raise DifferenceError(
                f"{where}: {ours.dtype} {ours.shape}, {theirs.dtype} {theirs.shape}"
            )
        return difference(ours.tolist(), theirs.tolist(), where)
    elif hasattr(theirs, "to_dict"):
        return difference(ours.to_dict(), theirs.to_dict(), where)
    elif ours != theirs:
        raise DifferenceError(f"{where}: {ours!r} in place of {theirs!r}")
    else:
        return 0.0
    return max((difference(a, b, f"{where}/{key}") for a, b, key in pairs), default=0.0)


def outcome(call: Call) -> Any:
    """What a call returns, or the type of what it raises; of a ``KeyError`` the key, too."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return call()
    except Exception as error:
        key = error.args if isinstance(error, KeyError) else ""
        return f"raises {type(error).__name__}{key}"


def pytrec_eval() -> Calls:
    import pytrec_eval as host
    from cranfield.compat import pytrec_eval as face

    for case in range(CALLS):
        rng = random.Random(case)
        qrels, run = wrong(rng, *drawn(rng))
        names = [*rng.sample(sorted(host.supported_measures), 5), "P.3,1", "ndcg_cut_7"]

        def call(module: Any, args: Any = (qrels, names), run: Any = run) -> Any:
            return module.RelevanceEvaluator(*args).evaluate(run)

        yield (lambda call=call: call(face)), (lambda call=call: call(host))  # type: ignore[misc]


MEASURES = [
    *("AP", "AP@5", "nDCG", "nDCG@3", "P@5", "P(rel=2)@3", "R@5", "RR", "RR@3", "RR(rel=2)@2"),
    *("Rprec", "Bpref", "infAP", "Success@2", "SetP", "SetR", "SetF", "SetF(beta=2)", "SetAP"),
    *("Judged@4", "NumQ", "NumRet", "NumRel", "RBP(rel=1)", "RBP(rel=1,p=0.5)", "IPrec@0.2"),
    *("NumRet(rel=1)", "SetP(relative=True)", "P(judged_only=True)@2", "ERR@5", "ERR@20"),
]
"""Those of ir_measures, as its users write them."""


def ir_measures() -> Calls:
    import ir_measures as host
    from cranfield.integrations import ir_measures as hook

    pd = importlib.import_module("pandas")
    for case in range(CALLS):
        rng = random.Random(case)
        # The hook takes fractions as grades, of which its page tells.
        qrels, run = wrong(rng, *drawn(rng), kinds=4)
        asked = rng.sample(MEASURES, 4)
        if any("judged_only" in text for text in asked):
            # With it the host has NumRet, NumQ and nDCG of whichever call comes first.
            asked = [text for text in asked if not text.startswith(("Num", "nDCG"))]
        # Its Judged@k divides by the length of the list. gdeval takes numbers as topics only.
        run = {topic: scored or {"x": 1.0} for topic, scored in run.items()}
        qrels = {topic[1:]: grades for topic, grades in qrels.items()}
        run = {topic[1:]: scored for topic, scored in run.items()}
        measures = [host.parse_measure(text) for text in asked]
        method = rng.choice(("calc_aggregate", "iter_calc", "calc"))
        form = rng.choice(("dict", "rows", "frame"))
        given: Any = run
        judged: Any = qrels
        if form != "dict":
            given = [host.ScoredDoc(t, d, s) for t, x in run.items() for d, s in x.items()]
            judged = [host.Qrel(t, d, g, "0") for t, x in qrels.items() for d, g in x.items()]
        if form == "frame":
            given = pd.DataFrame(given, columns=["query_id", "doc_id", "score"])
            judged = pd.DataFrame(judged, columns=["query_id", "doc_id", "relevance", "iteration"])

        def theirs(args: Any = (measures, judged, given), method: str = method) -> Any:
            found = getattr(host, method)(*args)
            # The host guarantees no order of topics and measures.
            if method == "iter_calc":
                return sorted((m.query_id, str(m.measure), m.value) for m in found)
            if method == "calc":
                rows = sorted((m.query_id, str(m.measure), m.value) for m in found[1])
                return {str(m): v for m, v in sorted(found[0].items(), key=str)}, rows
            return {str(m): v for m, v in sorted(found.items(), key=str)}

        def ours(theirs: Call = theirs) -> Any:
            with hook.register():
                return theirs()

        yield ours, theirs


def ranx() -> Calls:
    import ranx as host
    from cranfield.compat import ranx as face

    names = "hits hit_rate@3 precision@5 recall@3 f1@3 r-precision mrr mrr@2 map map@3 dcg ndcg@5 "
    metrics = (names + "ndcg_burges rbp.95 ndcg@3-l2").split()
    for case in range(CALLS):
        rng = random.Random(case)
        qrels, run = drawn(rng)
        # As ranx' own examples are.
        run = untied(run)
        asked: Any = rng.sample(metrics, rng.randint(1, 4))
        asked = asked[0] if len(asked) == 1 else asked
        options = rng.choice(({}, {"return_mean": False}, {"return_std": True}))
        kind = rng.choice(("objects", "objects", "dicts", "compare", "fuse", "normalize", "mixed"))

        def call(module: Any, args: Any = (qrels, run, asked, options, kind)) -> Any:
            qrels, run, asked, options, kind = args
            judged, scored = module.Qrels(qrels), module.Run(run, name="a")
            other = module.Run({t: dict(reversed(x.items())) for t, x in run.items()}, name="b")
            if kind == "dicts":
                return module.evaluate(qrels, run, asked)
            if kind == "compare":
                return module.compare(judged, [scored, other], asked, max_p=0.05).to_dict()
            if kind == "fuse":
                return dict(module.fuse([scored, other], method="sum").to_dict())
            if kind == "normalize":
                return dict(module.normalize(scored, "max").to_dict())
            if kind == "mixed":
                judged = host.Qrels(qrels)
            found = module.evaluate(judged, scored, asked, **options)
            return found, dict(scored.mean_scores), dict(scored.scores)

        yield (lambda call=call: call(face)), (lambda call=call: call(host))  # type: ignore[misc]


def beir() -> Calls:
    from beir.retrieval.evaluation import EvaluateRetrieval
    from cranfield.integrations import beir as hook

    for case in range(CALLS):
        rng = random.Random(case)
        qrels, run = wrong(rng, *drawn(rng))
        cutoffs = rng.choice(([1, 3, 5], [10], (2, 1), []))
        metric = rng.choice(("evaluate", "mrr", "r_cap", "acc", "hole"))

        def theirs(args: Any = (qrels, run, cutoffs, metric)) -> Any:
            qrels, run, cutoffs, metric = copy.deepcopy(args)
            if metric == "evaluate":
                return EvaluateRetrieval.evaluate(qrels, run, cutoffs)
            return EvaluateRetrieval.evaluate_custom(qrels, run, cutoffs, metric)

        def ours(theirs: Call = theirs) -> Any:
            with hook.patch():
                return theirs()

        yield ours, theirs


def mteb() -> Calls:
    from cranfield.integrations import mteb as hook
    from mteb._evaluators import retrieval_metrics as host

    for case in range(CALLS):
        rng = random.Random(case)
        qrels, run = wrong(rng, *drawn(rng))
        cutoffs = rng.choice(([1, 3, 5], [10], [5, 1]))
        skip = rng.random() < 0.2

        def theirs(args: Any = (run, qrels, cutoffs, skip)) -> Any:
            return host.calculate_retrieval_scores(*args)._asdict()

        def ours(theirs: Call = theirs) -> Any:
            with hook.patch():
                return theirs()

        yield ours, theirs


def sentence_transformers() -> Calls:
    from cranfield.integrations import sentence_transformers as hook

    evaluator: Any = hook._owner()
    for case in range(CALLS):
        rng = random.Random(case)
        qrels, run = drawn(rng)
        host = evaluator(
            {topic: topic for topic in qrels},
            {f"d{i}": "" for i in range(40)},
            {topic: {d for d, grade in grades.items() if grade} for topic, grades in qrels.items()},
            write_csv=False,
            ndcg_at_k=rng.choice(([10], [1, 3])),
        )
        hits = [
            [{"corpus_id": d, "score": score} for d, score in run[topic].items()]
            for topic in host.queries_ids
        ]

        def theirs(host: Any = host, hits: Any = hits) -> Any:
            return host.compute_metrics(hits)

        def ours(theirs: Call = theirs) -> Any:
            with hook.patch():
                return theirs()

        yield ours, theirs


def pyterrier() -> Calls:
    import pyterrier as pt
    from cranfield.integrations import ir_measures as hook

    pd = importlib.import_module("pandas")
    for case in range(CALLS):
        rng = random.Random(case)
        qrels, run = drawn(rng)
        found = pd.DataFrame(
            [(t, d, float(s), n) for t, x in run.items() for n, (d, s) in enumerate(x.items())],
            columns=["qid", "docno", "score", "rank"],
        )
        judged = pd.DataFrame(
            [(t, d, grade) for t, grades in qrels.items() for d, grade in grades.items()],
            columns=["qid", "docno", "label"],
        )
        topics = pd.DataFrame({"qid": list(qrels), "query": list(qrels)})
        names = rng.sample(["map", "ndcg_cut_10", "recip_rank", "P_5", "recall_10", "num_q"], 3)
        options = rng.choice(({}, {"perquery": True}, {"dataframe": False}))

        def theirs(args: Any = (found, topics, judged, names, options)) -> Any:
            found, topics, judged, names, options = args
            table = pt.Experiment(
                [pt.Transformer.from_df(found)], topics, judged, names, names=["a"], **options
            )
            if "perquery" in options:
                table = table.sort_values(["qid", "measure"]).reset_index(drop=True)
            # The order of measures is that of a set, in the host.
            return {
                str(k): dict(sorted(v.items())) if isinstance(v, dict) else v
                for k, v in sorted(dict(table).items(), key=str)
            }

        def ours(theirs: Call = theirs) -> Any:
            with hook.register():
                return theirs()

        yield ours, theirs


def pylate() -> Calls:
    """PyLate evaluates with ranx, which it imports at each call."""
    from pylate.evaluation.beir import evaluate

    for case in range(CALLS):
        rng = random.Random(case)
        qrels, run = drawn(rng)
        lists = [[{"id": d, "score": s} for d, s in x.items()] for x in untied(run).values()]
        metrics = rng.choice((None, ["map", "mrr@5"], ["recall@3"]))

        def theirs(args: Any = (lists, qrels, list(run), metrics)) -> Any:
            return evaluate(*args)

        def ours(theirs: Call = theirs) -> Any:
            with cf.install_as("ranx", force=True):
                return theirs()

        yield ours, theirs


def lightning_ir() -> Calls:
    """Lightning IR evaluates its runs with ir_measures."""
    from cranfield.integrations import ir_measures as hook
    from lightning_ir.base import validation_utils as host

    torch = importlib.import_module("torch")
    for case in range(CALLS):
        rng = random.Random(case)
        qrels, run = drawn(rng)
        documents = [list(scored) or ["x"] for scored in run.values()]
        scores = torch.tensor([rng.randrange(9) / 4 for ids in documents for _ in ids])
        judged = [
            {"query_id": t, "q0": "0", "doc_id": d, "relevance": g}
            for t, grades in qrels.items()
            for d, g in grades.items()
        ]
        measures = rng.sample(["nDCG@10", "RR@10", "AP", "R@5", "P@3", "Judged@4"], 3)

        def theirs(args: Any = (list(run), documents, scores, judged, measures)) -> Any:
            topics, documents, scores, judged, measures = args
            found = host.create_run_from_scores(topics, documents, scores)
            return host.evaluate_run(found, host.create_qrels_from_dicts(judged), measures)

        def ours(theirs: Call = theirs) -> Any:
            with hook.register():
                return theirs()

        yield ours, theirs


def FlagEmbedding() -> Calls:  # noqa: N802
    """FlagEmbedding evaluates with pytrec_eval, which it imports when it is imported."""
    name = "FlagEmbedding.abc.evaluation.utils"
    host = importlib.import_module(name)
    del sys.modules[name]
    with cf.install_as("pytrec_eval", force=True):
        hooked = importlib.import_module(name)
    for case in range(CALLS):
        rng = random.Random(case)
        qrels, run = wrong(rng, *drawn(rng))
        cutoffs = rng.choice(([1, 3, 5], [10], [5, 1]))

        def call(module: Any, args: Any = (qrels, run, cutoffs)) -> Any:
            return module.evaluate_metrics(*args)

        yield (lambda call=call: call(hooked)), (lambda call=call: call(host))  # type: ignore[misc]


HOSTS = (pytrec_eval, ir_measures, ranx, beir, mteb, sentence_transformers, pyterrier)
SOURCES = (splade, capreolus, openmatch, air_benchmark, mteb_1, vidore_benchmark)
PROGRAMS = (pylate, lightning_ir, FlagEmbedding, pyserini, rank_llm, *SOURCES)
"""What calls a host; they need older releases of other packages than the hosts do."""


def main(only: list[str]) -> int:
    """Compares what is named, or all hosts; the exit code is 1 if more than last bits differ."""
    bad = 0
    asked = [host for host in (*HOSTS, *PROGRAMS) if host.__name__ in only] if only else HOSTS
    for host in asked:
        name = host.__name__
        if not importlib.util.find_spec(name.removesuffix("_1")):
            continue
        equal, largest, count, raised = 0, 0.0, 0, 0
        for ours, theirs in host():
            count += 1
            expected, found = outcome(theirs), outcome(ours)
            raised += "raises " in str(expected)[:60]
            try:
                apart = difference(found, expected)
            except DifferenceError as error:
                bad += 1
                print(f"{name} call {count}: {error}")
                continue
            equal += apart == 0
            largest = max(largest, apart)
        bad += largest > LARGEST
        release = version(DISTRIBUTIONS[name]) if name in DISTRIBUTIONS else "checkout"
        print(
            f"{name:<22} {release:<9} {count:>3} calls {raised:>3} raise {equal:>3} equal", end=""
        )
        print(f"   largest difference {largest:.1e}", flush=True)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
