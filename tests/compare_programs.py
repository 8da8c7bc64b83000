"""Runs gdeval, ndeval, sample_eval, statAP and compatibility.py beside us on real runs.

    CRANFIELD_DATA=DATA GDEVAL=gdeval.pl NDEVAL=ndeval SAMPLE_EVAL=sample_eval.pl \
        STATAP=statAP_MQ_eval_v3.pl COMPATIBILITY=compatibility.py \
        python tests/compare_programs.py [RUNS]

compares up to RUNS runs (5) of each collection with each program that is named, every
printed value to its printed digits, and exits 1 if one differs. What a program prints
otherwise on purpose is counted under the number of the disagreement.

Topics are numbered, since gdeval takes nothing else. Judgments by intent are real ones:
a topic is a conversation of CAsT, or ten neighbouring topics of Cranfield, its intents
are their topics, and its list is the reciprocal rank fusion of theirs. Samples of a pool
are drawn from the real judgments with a seed that is the collection's name: of the
documents that a run has among its first 10 all, of those to rank 50 half, of the others
a quarter. The lists for the strata of TREC Precision Medicine, of which no run is here,
are their pools and 50 other documents in random order.
"""

from __future__ import annotations

import gzip
import math
import os
import random
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cranfield as cf
from test_diversity import columns
from test_oracles import half_a_digit
from test_printed_values import ours

Lists = dict[int, list[tuple[str, str]]]
"""Documents with their scores as they are written, by topic."""

NO_NUMBER = ("nan", "-nan", "NA--no")


@dataclass
class Collection:
    """Grades by topic and document, and lists by run and topic."""

    name: str
    grades: dict[int, dict[str, int]]
    runs: dict[str, Lists]
    groups: dict[int, list[int]]
    """The topics that are the intents of one."""


class Tally:
    """Counts what one program printed."""

    def __init__(self) -> None:
        self.runs = self.compared = 0
        self.different: list[str] = []
        self.excepted: Counter[str] = Counter()
        self.lacking: Counter[str] = Counter()

    def compare(self, found: float, text: str, where: object) -> None:
        self.compared += 1
        if not abs(found - float(text)) <= half_a_digit(text):
            self.different.append(f"{where}: printed {text}, ours {found!r}")


# --- Collections ----------------------------------------------------------------------


def read_lines(path: Path) -> Iterator[list[str]]:
    data = path.read_bytes()
    text = gzip.decompress(data) if path.suffix == ".gz" else data
    yield from (line.split() for line in text.decode().splitlines())


def lettered(document: str) -> str:
    """An id that nobody takes for an iteration."""
    return f"d{document}" if document.isdigit() else document


def read(name: str, qrels: Path, runs: Iterable[Path], group: Callable[[str], str]) -> Collection:
    named: dict[str, dict[str, int]] = defaultdict(dict)
    for topic, _, document, grade in read_lines(qrels):
        named[topic][lettered(document)] = int(grade)
    number = {topic: i for i, topic in enumerate(named, 1)}
    found = Collection(name, {number[t]: of_topic for t, of_topic in named.items()}, {}, {})
    by_group: dict[str, list[int]] = defaultdict(list)
    for topic in named:
        by_group[group(topic)].append(number[topic])
    found.groups = dict(enumerate(by_group.values(), 1))
    for path in runs:
        lists: Lists = defaultdict(list)
        for topic, _, document, _, score, *_ in read_lines(path):
            if topic in number:
                lists[number[topic]].append((lettered(document), score))
        found.runs[path.name.removesuffix(".gz").removesuffix(".run")] = lists
    return found


def collections(data: Path, runs: int) -> list[Collection]:
    def some(folder: str) -> list[Path]:
        paths = sorted((data / folder / "runs").iterdir())
        return paths[:: max(1, len(paths) // runs)][:runs]

    return [
        read(
            "cast2021",
            data / "cast2021" / "trec-cast-qrels-docs.2021.qrel",
            some("cast2021"),
            lambda topic: topic.partition("_")[0],
        ),
        read(
            "cranfield",
            data / "cranfield" / "qrels.graded.txt",
            some("cranfield"),
            lambda topic: str(int(topic) // 10),
        ),
        read("trec8", data / "trec8-adhoc" / "trec8.qrels.gz", some("trec8-adhoc"), str),
    ]


def ranked(documents: list[tuple[str, str]]) -> list[str]:
    """By score, equal ones by descending id."""
    return [d for _, d in sorted(((float(s), d) for d, s in documents), reverse=True)]


def write_run(path: Path, lists: Lists) -> Path:
    with path.open("w") as file:
        for topic in sorted(lists):
            for rank, (document, score) in enumerate(lists[topic], 1):
                file.write(f"{topic} Q0 {document} {rank} {score} {path.stem}\n")
    return path


def write_qrels(path: Path, lines: Iterable[str]) -> Path:
    path.write_text("".join(f"{line}\n" for line in lines))
    return path


def four_columns(folder: Path, collection: Collection) -> Path:
    return write_qrels(
        folder / f"{collection.name}.qrels",
        (f"{t} 0 {d} {g}" for t, of in collection.grades.items() for d, g in of.items()),
    )


def fused(collection: Collection, run: str) -> Lists:
    """A list for each group of topics: the reciprocal rank fusion of theirs."""
    lists: Lists = {}
    for group, topics in collection.groups.items():
        sums: dict[str, float] = defaultdict(float)
        for topic in topics:
            for rank, document in enumerate(ranked(collection.runs[run].get(topic, [])), 1):
                sums[document] += 1 / (60 + rank)
        # Six decimals leave ties among them.
        best = sorted(sums.items(), key=lambda item: (-item[1], item[0]))[:1000]
        if best:
            lists[group] = [(document, f"{score:.6f}") for document, score in best]
    return lists


def sampled(collection: Collection) -> dict[int, dict[str, tuple[int, int, float]]]:
    """Stratum, grade or -1 and inclusion probability, by topic and document."""
    rng = random.Random(collection.name)
    best: dict[int, dict[str, int]] = defaultdict(dict)
    for lists in collection.runs.values():
        for topic, documents in lists.items():
            for rank, document in enumerate(ranked(documents), 1):
                best[topic][document] = min(rank, best[topic].get(document, rank))
    found: dict[int, dict[str, tuple[int, int, float]]] = {}
    for topic, grades in collection.grades.items():
        strata: dict[int, list[str]] = {1: [], 2: [], 3: []}
        for document in sorted(grades):
            rank = best[topic].get(document, 1000)
            strata[1 if rank <= 10 else 2 if rank <= 50 else 3].append(document)
        found[topic] = {}
        for stratum, pool in strata.items():
            count = math.ceil(len(pool) / 2 ** (stratum - 1))
            kept = set(rng.sample(pool, count))
            for document in pool:
                grade = grades[document] if document in kept else -1
                found[topic][document] = (stratum, grade, count / len(pool))
    return found


def printed(*command: object) -> list[str]:
    return subprocess.run(
        [str(part) for part in command], capture_output=True, text=True, check=True
    ).stdout.splitlines()


# --- Programs -------------------------------------------------------------------------


def gdeval(program: str, all_of: list[Collection], folder: Path, tally: Tally) -> None:
    for collection in all_of:
        qrels = four_columns(folder, collection)
        for name, lists in collection.runs.items():
            run = write_run(folder / f"{name}.run", lists)
            tally.runs += 1
            for k, flags in ((20, ()), (5, ()), (100, ("-c",))):
                measures = [f'nDCG(dcg="exp-log2")@{k}', f"ERR(max_rel=4)@{k}"]
                # D16, D17: the topics of the run, or with -c all, that have a relevant document.
                missing = "zero" if flags else "skip"
                values = ours(qrels, run, measures, undefined="skip", missing=missing)
                for line in printed("perl", program, *flags, "-k", k, qrels, run)[1:]:
                    _, topic, *texts = line.split(",")
                    for measure, text in zip(measures, texts, strict=True):
                        found = values["mean" if topic == "amean" else topic][measure]
                        tally.compare(found, text, (name, k, topic, measure))


def ndeval(program: str, all_of: list[Collection], folder: Path, tally: Tally) -> None:
    for collection in all_of:
        if len(collection.groups) == len(collection.grades):
            continue
        lines = (
            f"{group} {intent} {document} {min(grade, 1)}"
            for group, topics in collection.groups.items()
            for intent, topic in enumerate(topics, 1)
            for document, grade in collection.grades[topic].items()
        )
        path = write_qrels(folder / f"{collection.name}.intents", lines)
        qrels = cf.read_qrels(path, layout="intents")
        for name in collection.runs:
            run = write_run(folder / f"{name}.fused", fused(collection, name))
            tally.runs += 1
            for alpha, beta, flags in ((0.5, 0.5, ()), (0.9, 0.8, ("-c",)), (0.25, 0.3, ())):
                named = columns(f"alpha={alpha}", f"beta={beta}")
                values = ours(qrels, run, list(named.values()), missing="zero" if flags else "skip")
                given = ("-traditional", "-alpha", alpha, "-beta", beta, *flags)
                header, *rows = printed(program, *given, path, run)
                for row in rows:
                    _, topic, *texts = row.split(",")
                    for column, text in zip(header.split(",")[2:], texts, strict=True):
                        if text in NO_NUMBER:
                            tally.excepted["D22"] += 1
                            continue
                        found = values["mean" if topic == "amean" else topic][named[column]]
                        tally.compare(found, text, (name, alpha, topic, column))


def sample_eval(program: str, all_of: list[Collection], folder: Path, tally: Tally) -> None:
    for collection in all_of:
        lines = (
            f"{topic} 0 {document} {stratum} {grade}"
            for topic, drawn in sampled(collection).items()
            for document, (stratum, grade, _) in drawn.items()
        )
        qrels = write_qrels(folder / f"{collection.name}.strata", lines)
        for name, lists in collection.runs.items():
            run = write_run(folder / f"{name}.run", lists)
            by_sample_eval(program, qrels, run, tally)


def sample_eval_on_real_strata(program: str, data: Path, folder: Path, tally: Tally) -> None:
    for qrels in sorted((data / "trec-pm-sampled").glob("*.txt")):
        rng = random.Random(qrels.stem)
        pools: dict[int, list[str]] = defaultdict(list)
        for topic, _, document, *_ in read_lines(qrels):
            pools[int(topic)].append(document)
        lists: Lists = {}
        for number, pool in pools.items():
            documents = [*pool, *(f"other{i}" for i in range(50))]
            rng.shuffle(documents)
            scores = range(len(documents), 0, -1)
            lists[number] = [
                (document, str(score)) for document, score in zip(documents, scores, strict=True)
            ][:1000]
        by_sample_eval(program, qrels, write_run(folder / f"{qrels.stem}.run", lists), tally)


def by_sample_eval(program: str, qrels: Path, run: Path, tally: Tally) -> None:
    named = {"infAP": "xinfAP@1000", "infNDCG": "infNDCG@1000", "num_ret": "num_ret"}
    named |= {f"iP{k}": f"infP@{k}" for k in (10, 50, 1000)}
    tally.runs += 1
    values = ours(qrels, run, list(named.values()), missing="skip")
    for line in printed("perl", program, "-q", qrels, run):
        name, topic, text = line.split()
        if name in named:
            found = values["mean" if topic == "all" else topic][named[name]]
            tally.compare(found, text, (run.stem, topic, name))
        else:
            tally.lacking[name.partition("@")[0]] += 1


def stat_ap(program: str, all_of: list[Collection], folder: Path, tally: Tally) -> None:
    # The script names a module that it does not use.
    stub = folder / "perl" / "LWP"
    stub.mkdir(parents=True)
    (stub / "Simple.pm").write_text("package LWP::Simple;\n1;\n")
    named = {"AP": "statAP", "R-prec": "statRprec", "Prec_at_30": "statP@30"}
    for collection in all_of:
        judged = {
            topic: [(d, grade, share) for d, (_, grade, share) in drawn.items() if grade >= 0]
            for topic, drawn in sampled(collection).items()
        }
        # It stops at a topic of which one document was judged.
        lines = (
            f"{topic} {document} {grade} 1 {share:.9f}"
            for topic, documents in judged.items()
            for document, grade, share in documents
            if len(documents) > 1
        )
        prels = write_qrels(folder / f"{collection.name}.prels", lines)
        for name, lists in collection.runs.items():
            # D33: it leaves ties to chance, so they are broken for it.
            order = {t: ranked(documents) for t, documents in lists.items()}
            plain = {t: [(d, str(-r)) for r, d in enumerate(of)] for t, of in order.items()}
            run = write_run(folder / f"{name}.untied", plain)
            tally.runs += 1
            values = ours(prels, run, list(named.values()), undefined="skip", missing="skip")
            output = "\n".join(printed("perl", "-I", folder / "perl", program, "-q", prels, run))
            *blocks, end = output.replace("valid_topics=", "topic=", 1).split("topic=")[1:]
            without = 0
            for block in blocks:
                topic, *parts = block.split()
                of_topic = dict(part.split("=") for part in parts if "=" in part)
                for column, text in of_topic.items():
                    if column not in named:
                        tally.lacking[column] += 1
                    elif column == "R-prec" and (reason := otherwise(of_topic, order[int(topic)])):
                        tally.excepted[reason] += 1
                        without += 1
                    elif text in NO_NUMBER or math.isnan(values[topic][named[column]]):
                        tally.excepted["D17"] += 1
                    else:
                        tally.compare(values[topic][named[column]], text, (name, topic, column))
            means = dict(zip(named.values(), ("statMAP", "statMRP", "statMPC_30"), strict=True))
            if without:
                tally.excepted["mean of R-prec"] += 1
                del means["statRprec"]
            for measure, label in means.items():
                text = end.split(label)[1].split("=")[1].split()[0]
                tally.compare(values["mean"][measure], text, (name, label))


def otherwise(of_topic: dict[str, str], ranking: list[str]) -> str:
    """Why statAP's R-prec can be another than ours."""
    estimate = float(of_topic["Relevant"])
    if len(ranking) < int(estimate + 0.5):
        return "R-prec of short lists"
    # D40: which way a half is rounded is decided by the order of its sum.
    return "D40" if of_topic["Relevant"].endswith(".500000") else ""


def compatibility(program: str, all_of: list[Collection], folder: Path, tally: Tally) -> None:
    for collection in all_of:
        qrels = four_columns(folder, collection)
        for name, lists in collection.runs.items():
            run = write_run(folder / f"{name}.run", lists)
            tally.runs += 1
            for p in (0.95, 0.8):
                measure = f"Compat(p={p})"
                values = ours(
                    qrels,
                    run,
                    [measure],
                    order="docno_asc",  # D1
                    missing="skip",
                    undefined="skip",
                )
                for line in printed(sys.executable, program, "-p", p, qrels, run)[1:]:
                    _, topic, text = line.split(",")
                    found = values["mean" if topic == "average" else topic][measure]
                    tally.compare(found, text, (name, p, topic))


Compare = Callable[[str, list[Collection], Path, Tally], Any]

PROGRAMS: dict[str, Compare] = {
    "GDEVAL": gdeval,
    "NDEVAL": ndeval,
    "SAMPLE_EVAL": sample_eval,
    "STATAP": stat_ap,
    "COMPATIBILITY": compatibility,
}


def main() -> int:
    data = Path(os.environ["CRANFIELD_DATA"])
    all_of = collections(data, int(sys.argv[1]) if len(sys.argv) > 1 else 5)
    differ = 0
    for variable, compare in PROGRAMS.items():
        program = os.environ.get(variable)
        if program is None:
            print(f"{variable} is not named")
            continue
        tally = Tally()
        with tempfile.TemporaryDirectory() as folder:
            compare(program, all_of, Path(folder), tally)
            if compare is sample_eval:
                sample_eval_on_real_strata(program, data, Path(folder), tally)
        print(
            f"{variable}: {tally.runs} runs, {tally.compared} values compared,",
            f"{len(tally.different)} differ, excepted {dict(tally.excepted)},",
            f"not here {dict(tally.lacking)}",
            flush=True,
        )
        for line in tally.different[:10]:
            print(f"  {line}")
        differ += len(tally.different)
    return 1 if differ else 0


if __name__ == "__main__":
    sys.exit(main())
