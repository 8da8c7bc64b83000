"""How much faster a whole program gets: encoding, search and evaluation of each host's own.

    python benches/programs.py [PROGRAM ...]

``make hosts`` runs it where the hosts are installed. Each program runs twice in a process of
its own, as it comes and with cranfield; what both print is compared, and the CPU time of
everything behind the imports is taken. The model has random vectors of words: encoding with a
transformer takes thousands of times as long, and leaves that much less to gain.
"""

from __future__ import annotations

import contextlib
import importlib.util
import io
import json
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

TOPICS, DOCUMENTS, JUDGED, RETRIEVED = 300, 20_000, 30, 1000
WORDS = [f"w{number}" for number in range(5000)]


def collection() -> tuple[dict[str, str], dict[str, str], dict[str, dict[str, int]]]:
    """Texts of documents and queries, and judgments."""
    rng = random.Random(1)
    documents = {f"d{n}": " ".join(rng.choices(WORDS, k=60)) for n in range(DOCUMENTS)}
    queries = {f"q{n}": " ".join(rng.choices(WORDS, k=6)) for n in range(TOPICS)}
    ids = list(documents)
    judged = {q: {d: rng.randint(0, 2) for d in rng.sample(ids, JUDGED)} for q in queries}
    return documents, queries, judged


def retrieved(judged: dict[str, dict[str, int]]) -> dict[str, dict[str, float]]:
    """A run of lists of 1,000 documents without ties."""
    rng = random.Random(2)
    return {
        q: {f"d{d}": float(RETRIEVED - n) for n, d in enumerate(rng.sample(range(9999), RETRIEVED))}
        for q in judged
    }


def model() -> Any:
    """Means of random vectors of words."""
    import torch
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.models import StaticEmbedding
    from tokenizers import Tokenizer, models, pre_tokenizers

    torch.manual_seed(0)
    vocabulary = {word: number for number, word in enumerate(WORDS)}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="w0"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    static = StaticEmbedding(tokenizer, embedding_dim=256)
    return SentenceTransformer(modules=[static], device="cpu")


Program = Callable[[], Any]


def beir() -> tuple[Program, Any]:
    """The host's dense search and its evaluation at its default cutoffs."""
    from beir.retrieval.evaluation import EvaluateRetrieval
    from beir.retrieval.search.dense import DenseRetrievalExactSearch
    from cranfield.integrations import beir as hook

    documents, queries, judged = collection()
    encoder = model()

    class Dense:
        def encode_queries(self, texts: list[str], **options: Any) -> Any:
            return encoder.encode(texts, convert_to_tensor=True)

        def encode_corpus(self, corpus: list[dict[str, str]], **options: Any) -> Any:
            return encoder.encode([text["text"] for text in corpus], convert_to_tensor=True)

    corpus = {d: {"title": "", "text": text} for d, text in documents.items()}

    def run() -> Any:
        search = DenseRetrievalExactSearch(Dense(), batch_size=128)
        retriever = EvaluateRetrieval(search, score_function="dot")
        return retriever.evaluate(judged, retriever.retrieve(corpus, queries), retriever.k_values)

    return run, hook.patch


def sentence_transformers() -> tuple[Program, Any]:
    """An evaluator of the host, which encodes, searches and evaluates."""
    from cranfield.integrations import sentence_transformers as hook
    from sentence_transformers.evaluation import InformationRetrievalEvaluator

    documents, queries, judged = collection()
    relevant = {q: {d for d, grade in grades.items() if grade} for q, grades in judged.items()}
    encoder = model()

    def run() -> Any:
        evaluator = InformationRetrievalEvaluator(queries, documents, relevant, write_csv=False)
        return evaluator(encoder)

    return run, hook.patch


def pyterrier() -> tuple[Program, Any]:
    """An experiment on a run that is there: reading frames is the host's part."""
    import pandas as pd
    import pyterrier as pt
    from cranfield.integrations import ir_measures as hook

    _, queries, judged = collection()
    lists = [
        (q, d, score, rank)
        for q, scored in retrieved(judged).items()
        for rank, (d, score) in enumerate(scored.items())
    ]
    found = pd.DataFrame(lists, columns=["qid", "docno", "score", "rank"])
    grades = [(q, d, grade) for q, own in judged.items() for d, grade in own.items()]
    qrels = pd.DataFrame(grades, columns=["qid", "docno", "label"])
    topics = pd.DataFrame({"qid": list(queries), "query": list(queries.values())})

    def run() -> Any:
        system = pt.Transformer.from_df(found)
        measures = ["map", "ndcg_cut_10", "recip_rank", "P_10", "recall_100"]
        return pt.Experiment([system], topics, qrels, measures, names=["a"], dataframe=False)

    return run, hook.register


def ir_measures() -> tuple[Program, Any]:
    """The host's command on two files."""
    from cranfield.integrations import ir_measures as hook
    from ir_measures.__main__ import main_cli

    _, _, judged = collection()
    folder = Path(tempfile.mkdtemp())
    grades = [f"{q} 0 {d} {g}\n" for q, own in judged.items() for d, g in own.items()]
    (folder / "qrels").write_text("".join(grades))
    lines = [f"{q} Q0 {d} 0 {s} a\n" for q, x in retrieved(judged).items() for d, s in x.items()]
    (folder / "run").write_text("".join(lines))

    def run() -> Any:
        words = ["ir_measures", str(folder / "qrels"), str(folder / "run")]
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            sys.argv = [*words, "AP", "nDCG@10", "RR", "P@10", "R@100"]
            main_cli()
        return printed.getvalue()

    return run, hook.register


def ranx() -> tuple[Program, Any]:
    """A comparison of two runs by the host's functions, with a test."""
    import cranfield as cf

    _, _, judged = collection()
    first = retrieved(judged)
    second = {
        q: dict(zip(scored, reversed(scored.values()), strict=True)) for q, scored in first.items()
    }

    def run() -> Any:
        from ranx import Qrels, Run, compare

        runs = [Run(first, name="a"), Run(second, name="b")]
        return compare(
            Qrels(judged), runs, ["map", "ndcg@10", "mrr"], stat_test="student"
        ).to_dict()

    return run, lambda: cf.install_as("ranx")


PROGRAMS = (beir, sentence_transformers, pyterrier, ir_measures, ranx)


def measured(name: str, hooked: bool) -> None:
    """Prints the CPU time of a program, and what it found."""
    made = next(program for program in PROGRAMS if program.__name__ == name)
    run, hook = made()
    before = time.process_time()
    with hook() if hooked else contextlib.nullcontext():
        found = run()
    took = time.process_time() - before
    print(json.dumps([took, found], sort_keys=True, default=str))


def main(only: list[str]) -> int:
    """Measures those that are named, or all that are installed; 1 if anything printed differs."""
    bad = 0
    for program in PROGRAMS:
        name = program.__name__
        if (only and name not in only) or not importlib.util.find_spec(name):
            continue
        times: dict[str, list[float]] = {"0": [], "1": []}
        results = set()
        for hooked in ("0", "1") * 3:
            words = [sys.executable, "-W", "ignore", __file__, "--one", name, hooked]
            done = subprocess.run(words, capture_output=True, text=True, check=True)
            # The hosts sum in other orders: the last digits of means differ, as their pages tell.
            last = done.stdout.splitlines()[-1]
            took, found = json.loads(last, parse_float=lambda text: round(float(text), 12))
            times[hooked].append(took)
            results.add(json.dumps(found))
        plain, ours = min(times["0"]), min(times["1"])
        same = "the same" if len(results) == 1 else f"{len(results)} results"
        bad += len(results) > 1
        print(
            f"{name:<22} {plain:7.2f} s  {ours:7.2f} s  {plain / ours:6.2f} times  {same}",
            flush=True,
        )
    return 1 if bad else 0


if __name__ == "__main__":
    if sys.argv[1:2] == ["--one"]:
        measured(sys.argv[2], sys.argv[3] == "1")
    else:
        sys.exit(main(sys.argv[1:]))
