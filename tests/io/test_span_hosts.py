"""Chunks of the real LlamaIndex, LangChain and Haystack, where they are installed.

A chunk says where it is, and its text stands there: no other oracle is needed.
"""

from __future__ import annotations

from typing import Any

import cranfield as cf
import pytest

TEXT = "The café opens at nine. It closes late.\n\nDogs are welcome.\n" + "Tea is served. " * 20
TEXTS = {"house.txt": TEXT}


def _are_there(nodes: list[Any], own: list[str], **options: Any) -> None:
    chunks = cf.SpanRun.from_nodes({"q": nodes}, **options).to_dict()["q"]
    assert len(chunks) == len(nodes) > 3
    for chunk, text in zip(chunks, own, strict=True):
        assert TEXT[chunk["start"] : chunk["end"]] == text
        assert "house" in chunk["doc"] or not options


def test_nodes_of_langchain() -> None:
    splitters = pytest.importorskip("langchain_text_splitters")
    documents = pytest.importorskip("langchain_core.documents")
    whole = documents.Document(page_content=TEXT, metadata={"source": "house.txt"})
    sizes = {"chunk_size": 60, "chunk_overlap": 15}
    splitter = splitters.RecursiveCharacterTextSplitter(**sizes, add_start_index=True)
    found = splitter.split_documents([whole])
    texts = [one.page_content for one in found]
    _are_there(found, texts)
    _are_there([(one, 0.5) for one in found], texts, texts=TEXTS)
    bare = splitters.RecursiveCharacterTextSplitter(**sizes).split_documents([whole])
    with pytest.raises(cf.Error, match="add_start_index=True"):
        cf.SpanRun.from_nodes({"q": bare})
    # Text that repeats cannot be located.
    with pytest.raises(cf.Error, match="have the splitter write where chunks begin"):
        cf.SpanRun.from_nodes({"q": bare}, texts=TEXTS)


def test_nodes_of_llama_index() -> None:
    parsers = pytest.importorskip("llama_index.core.node_parser")
    schema = pytest.importorskip("llama_index.core.schema")
    whole = schema.Document(text=TEXT, metadata={"file_name": "house.txt"})
    splitter = parsers.TokenTextSplitter(chunk_size=20, chunk_overlap=5, tokenizer=str.split)
    for parser in (splitter, parsers.SentenceWindowNodeParser()):
        found = parser.get_nodes_from_documents([whole])
        scored = [schema.NodeWithScore(node=node, score=0.5) for node in found]
        # The id is drawn by the host; the texts have the name of the file.
        _are_there(scored, [node.text for node in found], texts=TEXTS)
        _are_there(found, [node.text for node in found])


def test_nodes_of_haystack() -> None:
    haystack = pytest.importorskip("haystack")
    preprocessors = pytest.importorskip("haystack.components.preprocessors")
    whole = haystack.Document(content=TEXT, meta={"file_path": "house.txt"})
    splitter = preprocessors.DocumentSplitter(split_by="word", split_length=9, split_overlap=2)
    found = splitter.run([whole])["documents"]
    _are_there(found, [one.content for one in found])
    _are_there(found, [one.content for one in found], texts=TEXTS)
