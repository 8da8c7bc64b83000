"""Runs gdeval, ndeval, sample_eval, statAP and compatibility.py beside cranfield on real runs.

    CRANFIELD_DATA=DATA GDEVAL=gdeval.pl NDEVAL=ndeval SAMPLE_EVAL=sample_eval.pl \
        STATAP=statAP_MQ_eval_v3.pl STATAP_4=statAP_MQ_eval_v4.pl PRELS=FOLDER \
        COMPATIBILITY=compatibility.py python -m tests.against.compare_programs [RUNS]

compares up to RUNS runs (5) of each collection with each program that is named, every
printed value to its printed digits, and exits 1 if one differs. What a program prints
otherwise on purpose is counted under the number of the disagreement.

Topics are numbered, since gdeval takes nothing else. Judgments by intent are real ones:
a topic is a conversation of CAsT, or ten neighboring topics of Cranfield, its intents
are their topics, and its list is the reciprocal rank fusion of their lists. Samples of a pool
are drawn from the real judgments with a seed that is the collection's name: of the
documents that a run has among its first 10 all, of those to rank 50 half, of the others
a quarter. PRELS holds the Million Query Track's own files of inclusion probabilities. The
lists for these and for the strata of TREC Precision Medicine, of which no run is here,
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

from tests.against.test_other_programs import half_a_digit
from tests.measures.test_diversity import columns
from tests.measures.test_printed_values import ours, stat_ap_measures, stat_ap_reason

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
        if apart(found, text):
            self.different.append(f"{where}: printed {text}, ours {found!r}")


# --- Collections ----------------------------------------------------------------------


def read_lines(path: Path) -> Iterator[list[str]]:
    data = path.read_bytes()
    text = gzip.decompress(data) if path.suffix == ".gz" else data
    yield from (line.split() for line in text.decode().splitlines())


def lettered(document: str) -> str:
    """An id that no program takes for an iteration."""
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
    """A list for each group of topics: the reciprocal rank fusion of their lists."""
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
        pools: dict[int, list[str]] = defaultdict(list)
        for topic, _, document, *_ in read_lines(qrels):
            pools[int(topic)].append(document)
        run = write_run(folder / f"{qrels.stem}.run", shuffled(pools, qrels.stem))
        by_sample_eval(program, qrels, run, tally)


def shuffled(pools: dict[int, list[str]], seed: str) -> Lists:
    """Pools and 50 other documents in random order."""
    rng = random.Random(seed)
    lists: Lists = {}
    for number, pool in pools.items():
        documents = [*pool, *(f"other{i}" for i in range(50))]
        rng.shuffle(documents)
        scores = range(len(documents), 0, -1)
        lists[number] = [
            (document, str(score)) for document, score in zip(documents, scores, strict=True)
        ][:1000]
    return lists


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
    for collection in all_of:
        judged = {
            topic: [(d, grade, share) for d, (_, grade, share) in drawn.items() if grade >= 0]
            for topic, drawn in sampled(collection).items()
        }
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
            by_stat_ap(program, prels, write_run(folder / f"{name}.untied", plain), tally)


def stat_ap_on_real_prels(program: str, prels: Path, folder: Path, tally: Tally) -> None:
    for path in sorted(prels.iterdir()):
        drawn: dict[int, list[list[str]]] = defaultdict(list)
        for fields in read_lines(path):
            drawn[int(fields[0])].append(fields)
        for topic, of in list(drawn.items()):
            # It passes over topics of which nothing was drawn (method 0).
            if len(of) == 1 or all(method == "0" for *_, method, _ in of):
                del drawn[topic]
        lines = (" ".join(fields) for of in drawn.values() for fields in of)
        qrels = write_qrels(folder / f"{path.name}.prels", lines)
        # A third of each pool is not retrieved.
        rng = random.Random(path.name)
        found = {t: [d for _, d, *_ in of if rng.random() < 2 / 3] for t, of in drawn.items()}
        run = write_run(folder / f"{path.name}.run", shuffled(found, path.name))
        by_stat_ap(program, qrels, run, tally)


def by_stat_ap(program: str, prels: Path, run: Path, tally: Tally) -> None:
    """Every value that it prints; it stops at a topic of which one document was judged."""
    # The script names a module that it does not use.
    stub = run.parent / "perl" / "LWP"
    stub.mkdir(parents=True, exist_ok=True)
    (stub / "Simple.pm").write_text("package LWP::Simple;\n1;\n")
    version = "v4" if "nDCG_100" in Path(program).read_text() else "v3"
    named = stat_ap_measures(version)
    measures = list({*named.values(), "num_ret", "num_rel(rel=2)", "inf_num_rel"})
    qrels = cf.read_qrels(prels, layout="inclusion")
    values = ours(qrels, run, measures, missing="skip")
    of_valid = ours(qrels, run, ["inf_num_rel", *named.values()], undefined="skip", missing="skip")
    output = "\n".join(printed("perl", "-I", stub.parent, program, "-q", prels, run))
    topics, _, means = output.partition(" valid_topics=")
    valid, *rest = means.split("\n")
    tally.runs += 1
    number = sum(of["statAP"] == of["statAP"] for t, of in of_valid.items() if t != "mean")
    tally.compare(number, valid, (run.stem, "valid_topics"))
    wrong: Counter[str] = Counter()
    for block in topics.split("topic=")[1:]:
        topic, *parts = block.split()
        of = values[topic]
        cutoffs = iter((10, 20, 50, 100) if version == "v4" else (30,))
        for part in parts:
            column, sign, text = part.partition("=")
            if column.startswith("Prec_at"):
                column = f"Prec_at_{next(cutoffs)}"  # Version 4 prints the name of 50 twice.
            if not sign:
                continue
            none = not text or text in NO_NUMBER
            reason = "D17" if none else otherwise(version, column, of)
            if reason and (none or apart(of[named[column]], text)):
                tally.excepted[f"{reason} {column.partition('_')[0]}"] += 1
                wrong[column] += 1
            else:
                tally.compare(of[named[column]], text, (run.stem, topic, column))
    for part in " ".join(rest).replace(" _on", "_on").split():
        label, _, text = part.partition("=")
        column = label.removesuffix("_on_valid_topics")
        column = {"statMAP": "AP", "VAR_MAP": "varAP", "statMRP": "R-prec"}.get(column, column)
        column = column.replace("statMPC", "Prec_at").replace("statMNDCG", "nDCG")
        if column not in named:
            continue
        mean = of_valid["mean"][named[column]] / (number if column == "varAP" else 1)
        if wrong[column] and apart(mean, text):
            tally.excepted["means of such topics"] += 1
        else:
            tally.compare(mean, text, (run.stem, label))


def apart(found: float, text: str) -> bool:
    return not abs(found - float(text)) <= half_a_digit(text)


def otherwise(version: str, column: str, of: dict[str, float]) -> str:
    """Why a value of statAP can differ from cranfield's."""
    estimate = of["inf_num_rel"]
    if column == "R-prec" and estimate:
        if of["num_ret"] < int(estimate + 0.5):
            return "short list"
        # D40: which way a half is rounded is decided by the order of its sum.
        return "D40" if abs(estimate % 1 - 0.5) < 1e-9 else ""
    return stat_ap_reason(version, column, of) or ""


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
    "STATAP_4": stat_ap,
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
            if compare is stat_ap and "PRELS" in os.environ:
                stat_ap_on_real_prels(program, Path(os.environ["PRELS"]), Path(folder), tally)
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
