"""Runs from the answers of search engines, for ``Run.from_hits``."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from cranfield._base.errors import failure, shown
from cranfield._core import Run
from cranfield._io.columns import is_rank_eval

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Hits = Sequence[Mapping[str, Any]]


_ZIP = "; of several answers in the order of topics make dict(zip(topics, answers))"


def run_from_hits(answers: Any, name: str, document: Callable[[Any], str] | None) -> Run:
    """The run that answers hold; see ``Run.from_hits``."""
    if document is not None and not callable(document):
        raise failure(
            "type",
            f"expected document= as a function from a hit to its id, found {shown(document)}",
        )
    topics: list[str] = []
    documents: list[str] = []
    scores: list[float] = []
    for topic, answer in _answers(answers):
        where = f"topic {shown(topic)}"
        hits = _hits(answer, where)
        found = [_score(hit, f"hit {place} of {where}") for place, hit in enumerate(hits, 1)]
        if found and all(score is None for score in found):
            # Sorted by something else than the score: the order is all there is.
            found = [float(-rank) for rank in range(len(found))]
        for place, (hit, score) in enumerate(zip(hits, found, strict=True), 1):
            if score is None:
                raise failure("type", f"expected a score for hit {place} of {where}, found none")
            topics.append(topic)
            scores.append(score)
            documents.append(
                _document(hit, f"hit {place} of {where}") if document is None else document(hit)
            )
    return Run.from_rows(topics, documents, scores, name=name)


def _answers(answers: Any) -> Iterator[tuple[str, Any]]:
    """Each topic and its answer, also from one answer of ``_rank_eval``."""
    if not isinstance(answers, Mapping):
        many = _ZIP if isinstance(answers, Sequence) and not isinstance(answers, str) else ""
        raise failure(
            "type",
            f"expected {{topic: answer}} or an answer of _rank_eval, found {_kind(answers)}{many}",
        )
    if is_rank_eval(answers):
        failed = answers.get("failures") or {}
        if failed:
            topic = next(iter(failed))
            raise failure("type", f"the search for topic {shown(topic)} failed: {failed[topic]}")
        for topic, detail in answers["details"].items():
            yield topic, [entry["hit"] for entry in detail["hits"]]
        return
    if not answers.keys().isdisjoint({"hits", "root", "responses"}):
        many = _ZIP if "responses" in answers else ""
        raise failure(
            "type", f"expected {{topic: answer}}, found an answer without its topic{many}"
        )
    yield from answers.items()


def _hits(answer: Any, where: str) -> Hits:
    """The hits of one answer: of Elasticsearch and OpenSearch, of Vespa, or a list of either."""
    if not isinstance(answer, Mapping):
        # The clients' objects: of Elasticsearch, and of Vespa.
        bodies = (getattr(answer, name, None) for name in ("body", "json"))
        answer = next((body for body in bodies if isinstance(body, Mapping)), answer)
    if not isinstance(answer, Mapping):
        hits = answer
    elif "root" in answer:
        root = answer["root"]
        if root.get("errors"):
            raise failure("type", f"the search for {where} failed: {root['errors']}")
        _all_covered(root.get("coverage", {}), where)
        hits = root.get("children", [])
    elif isinstance(answer.get("hits"), Mapping):
        failed = answer.get("_shards", {}).get("failed", 0)
        if failed or answer.get("timed_out"):
            what = f"{failed} shards failed" if failed else "it timed out"
            raise failure("type", f"the search for {where} is not complete: {what}")
        hits = answer["hits"].get("hits", [])
    elif isinstance(answer.get("hits"), Sequence):
        hits = answer["hits"]
    elif "error" in answer:
        raise failure("type", f"the search for {where} failed: {answer['error']}")
    else:
        hits = None
    if not isinstance(hits, Sequence) or isinstance(hits, str):
        raise failure(
            "type",
            f"expected an answer with hits or a list of hits for {where}, found {_kind(answer)}",
        )
    for place, hit in enumerate(hits, 1):
        if not isinstance(hit, Mapping):
            raise failure("type", f"expected hit {place} of {where} as a dict, found {_kind(hit)}")
    return hits


def _all_covered(coverage: Mapping[str, Any], where: str) -> None:
    """Raises unless Vespa searched all documents, or as few as the ranking asks for."""
    degraded = [reason for reason, is_so in coverage.get("degraded", {}).items() if is_so]
    if not coverage.get("full", True) and degraded != ["match-phase"]:
        share = coverage.get("coverage", 0)
        why = f" ({', '.join(degraded)})" if degraded else ""
        raise failure("type", f"the search for {where} is not complete: it covered {share}%{why}")


def _score(hit: Mapping[str, Any], where: str) -> float | None:
    for key in ("_score", "relevance"):
        if key in hit:
            score = hit[key]
            if score is not None and not isinstance(score, (int, float)):
                found = shown(score)
                raise failure("type", f"expected a number as {key} of {where}, found {found}")
            return score
    return None


def _document(hit: Mapping[str, Any], where: str) -> str:
    """``_id``, or what follows the last ``::`` of a Vespa document id."""
    if "_id" in hit:
        return str(hit["_id"])
    fields = hit.get("fields", {})
    for found in (fields.get("documentid"), hit.get("id")):
        if isinstance(found, str) and found.startswith("id:") and "::" in found:
            return found.partition("::")[2]
    raise failure(
        "type",
        f"expected _id, or a Vespa id such as id:space:type::name, in {where}, found "
        f"{shown(hit.get('id'))}; pass document=, a function from a hit to its id",
    )


def _kind(found: object) -> str:
    return f"an object of type {type(found).__name__}"
