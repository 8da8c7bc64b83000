"""The pages that are opened in a browser, and what they are made of."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import cranfield as cf
import numpy as np
from cranfield import _cli as cli
from cranfield._analysis import diff_page

from tests import ROOT
from tests.effort import FULL

EXAMPLE = ROOT / "examples" / "debtags"
BASELINE = "bm25-k1.2-b.75-stem"
OTHER = "dense-minilm"
SECTIONS = (
    *("verdict", "leaderboard", "differences", "topics", "depth", "distribution", "coverage"),
    *("agreement", "definitions", "methods"),
)
WIDTHS = (360, 768, 1280)
SCHEMES = ("light", "dark")
# What fits depends on the width, and contrast on the scheme: few pairs show both.
VIEWS = list(product(WIDTHS, SCHEMES))
EXAMINED = [(360, "light"), (1280, "dark")]
"""The views in which every rule of accessible pages is tried."""
if FULL:
    EXAMINED = [view for view in VIEWS if view[0] != 768]
else:
    VIEWS = [(360, "light"), (768, "dark"), (1280, "dark")]

HOSTILE = {
    "script": "<script>alert(1)</script>",
    "attribute": '"\' onmouseover=alert(1) x="',
    "right to left": "\u05e9\u05dc\u05d5\u05dd\u202e gnp.exe",
    "long": "x" * 500,
    "terminal": "\x1b[31mred\x07",
    "template": "{{ 7 * 7 }}{% raw %}",
    "end": "</script></style></title>-->",
    "space": "a b\u00a0c #%&?/",
}


def hostile() -> cf.Report:
    """A report in which everything that can be is hostile."""
    ids = list(HOSTILE.values())
    qrels = {topic: {document: place % 2 for place, document in enumerate(ids)} for topic in ids}
    runs = {
        name: {
            topic: {
                document: (place * 7 + number * 3 + len(topic)) % 11 + place / 100
                for place, document in enumerate([*ids, f"unjudged {name}"])
            }
            for topic in ids
        }
        for number, name in enumerate(ids)
    }
    texts = {one: f"{one} says {ids[0]}" for one in ids}
    return cf.report(
        qrels,
        runs,
        "nDCG@10 AP P@5",
        title=" ".join(ids),
        baseline=ids[1],
        queries=texts,
        documents=texts,
        topic_groups={topic: [ids[place % 3]] for place, topic in enumerate(ids)},
    )


def many_runs() -> cf.Report:
    """1,000 runs x 5 topics."""
    draws = np.random.default_rng(0)
    topics = [str(topic) for topic in range(1, 6)]
    qrels = {topic: {f"d{n}": n % 3 for n in range(30)} for topic in topics}
    runs = {
        f"run{number:04}": {
            topic: {f"d{n}": float(score) for n, score in enumerate(draws.random(40))}
            for topic in topics
        }
        for number in range(1000)
    }
    return cf.report(qrels, runs, "nDCG@10 AP P@10")


def example() -> cf.Report:
    qrels = cf.read_qrels(EXAMPLE / "qrels.txt")
    queries = {topic: f"what is {topic.partition('::')[2]}?" for topic in qrels.topics}
    groups = {topic: topic.partition("::")[0] for topic in qrels.topics}
    runs = EXAMPLE / "runs"
    return cf.report(qrels, runs, baseline=BASELINE, queries=queries, topic_groups=groups)


def one_run() -> cf.Report:
    return cf.report(EXAMPLE / "qrels.txt", EXAMPLE / "runs" / f"{BASELINE}.run.gz")


def scores_alone() -> cf.Report:
    scores = cf.evaluate(EXAMPLE / "qrels.txt", EXAMPLE / "runs", "AP P@10")
    return cf.report(scores)


def pair(folder: Path) -> Path:
    """The page of two runs, as the command writes it."""
    runs = EXAMPLE / "runs"
    path = folder / "pair.html"
    words = [str(EXAMPLE / "qrels.txt"), *(str(runs / f"{n}.run.gz") for n in (BASELINE, OTHER))]
    assert cli.main(["diff", *words, "-m", "nDCG@10", "-o", str(path), "--quiet"]) == 0
    return path


def hostile_pair(folder: Path) -> Path:
    """The same of hostile names."""
    ids = list(HOSTILE.values())
    path = folder / "hostile-pair.html"
    texts = {one: f"{one} says {ids[0]}" for one in ids}
    qrels = {topic: {document: place % 2 for place, document in enumerate(ids)} for topic in ids}
    runs = [
        {name: {topic: {d: float((p * k) % 7) for p, d in enumerate(ids)} for topic in ids}}
        for k, name in ((3, ids[0]), (5, ids[3]))
    ]
    found = cf.diff(qrels, runs[0], runs[1], "AP", queries=texts, documents=texts)
    path.write_text(diff_page.page(found, details=-1, topics=(), length=5), encoding="utf-8")
    return path


MADE = {
    "example": example,
    "one": one_run,
    "scores": scores_alone,
    "many": many_runs,
    "hostile": hostile,
}
