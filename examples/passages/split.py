"""Splits the texts in five ways, and ranks the chunks of each for every question.

    pip install langchain-text-splitters==1.1.3 llama-index-core==0.14.25
    python examples/passages/split.py

writes ``chunks/NAME.tsv``, where the chunks are, and ``runs/NAME.run.gz``, runs of their names. The
splitters are those of LangChain and LlamaIndex; chunks are ranked by BM25 (k1 1.2, b .75) over
words of their own text, so that nothing but the splitting differs.
"""

from __future__ import annotations

import gzip
import json
import math
import re
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

from langchain_core.documents import Document as LangChainDocument
from langchain_text_splitters import RecursiveCharacterTextSplitter
from llama_index.core.node_parser import SentenceWindowNodeParser, TokenTextSplitter
from llama_index.core.schema import Document as LlamaDocument

FOLDER = Path(__file__).parent
READ = 20_000
"""A list ends when it has so many characters."""

Spans = Iterator[tuple[int, int]]


def langchain(size: int, overlap: int) -> Callable[[str], Spans]:
    """Parts of up to so many characters, at the ends of paragraphs, lines or words."""
    splitter = RecursiveCharacterTextSplitter(
        chunk_size=size, chunk_overlap=overlap, add_start_index=True
    )

    def split(text: str) -> Spans:
        for part in splitter.split_documents([LangChainDocument(page_content=text)]):
            start = part.metadata["start_index"]
            yield start, start + len(part.page_content)

    return split


def sentences(text: str) -> Spans:
    """Single sentences."""
    for node in SentenceWindowNodeParser().get_nodes_from_documents([LlamaDocument(text=text)]):
        yield node.start_char_idx, node.end_char_idx


def words(text: str) -> Spans:
    """Parts of 120 words."""
    splitter = TokenTextSplitter(chunk_size=120, chunk_overlap=20, tokenizer=str.split)
    for node in splitter.get_nodes_from_documents([LlamaDocument(text=text)]):
        yield node.start_char_idx, node.end_char_idx


def whole(text: str) -> Spans:
    """The document."""
    yield 0, len(text)


SPLITTERS = {
    "langchain-200": langchain(200, 0),
    "langchain-1000": langchain(1000, 200),
    "llama-words": words,
    "llama-sentences": sentences,
    "whole": whole,
}


def terms(text: str) -> list[str]:
    """The words of a text."""
    return re.findall(r"[a-z0-9_]+", text.lower())


def ranked(question: str, chunks: dict[str, Counter[str]]) -> list[tuple[str, float]]:
    """The chunks that share a word with a question, by BM25."""
    sizes = {name: counts.total() for name, counts in chunks.items()}
    mean = sum(sizes.values()) / len(sizes)
    scores: dict[str, float] = {}
    for term in sorted(set(terms(question))):
        holding = [name for name, counts in chunks.items() if term in counts]
        weight = math.log(1 + (len(chunks) - len(holding) + 0.5) / (len(holding) + 0.5))
        for name in holding:
            count = chunks[name][term]
            spread = count + 1.2 * (0.25 + 0.75 * sizes[name] / mean)
            scores[name] = scores.get(name, 0.0) + weight * count / spread
    return sorted(scores.items(), key=lambda item: (-item[1], item[0]))


def main() -> None:
    """Writes all files."""
    texts = [json.loads(line) for line in (FOLDER / "texts.jsonl").open(encoding="utf-8")]
    questions = [json.loads(line) for line in (FOLDER / "questions.jsonl").open(encoding="utf-8")]
    for folder in ("chunks", "runs"):
        (FOLDER / folder).mkdir(exist_ok=True)
    for name, split in SPLITTERS.items():
        places = {}
        for text in texts:
            for number, (start, end) in enumerate(split(text["text"]), 1):
                places[f"{text['doc']}-{number}"] = text, start, end
        rows = [f"{chunk}\t{t['doc']}\t{start}\t{end}" for chunk, (t, start, end) in places.items()]
        table = "\n".join(["chunk\tdoc\tstart\tend", *rows])
        (FOLDER / "chunks" / f"{name}.tsv").write_text(f"{table}\n", encoding="utf-8")
        counts = {chunk: Counter(terms(t["text"][s:e])) for chunk, (t, s, e) in places.items()}
        lines = []
        for question in questions:
            read = 0
            for rank, (chunk, score) in enumerate(ranked(question["question"], counts), 1):
                lines.append(f"{question['topic']} Q0 {chunk} {rank} {score:.4f} {name}\n")
                read += places[chunk][2] - places[chunk][1]
                if read >= READ:
                    break
        data = gzip.compress("".join(lines).encode(), mtime=0)
        (FOLDER / "runs" / f"{name}.run.gz").write_bytes(data)


if __name__ == "__main__":
    main()
