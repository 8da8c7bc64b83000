"""Cranfield and other evaluators at work on the same material.

A job is prepared first and then called any number of times; what is prepared
is what a program that scores many runs would keep: judgments and measures, but
not for files. Each engine does the work the way its documentation shows.
"""

from __future__ import annotations

import gzip
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from importlib import import_module, metadata
from typing import Any, TypeAlias

from cranfield._base.errors import MissingPackageError, failure
from cranfield._bench.shapes import Material
from cranfield._core import Measure, Run, parse_measures, spellings
from cranfield._scoring.evaluator import Evaluator, evaluate

Values: TypeAlias = dict[str, dict[str, dict[str, float]]]
"""By run, topic and measure; the topic ``MEAN`` is the summary."""

KINDS = {
    "files": "plain files, read and scored",
    "gz": "files compressed with gzip, read and scored",
    "dicts": "dicts in memory",
    "arrays": "arrays in memory: documents and scores, topics x depth",
    "frames": "pandas frames in memory",
}
"""The kinds of input."""

FILES = ("files", "gz")
"""Those that are read."""

MEAN = ""


@dataclass(frozen=True)
class Work:
    """What is done: on what, given how, and which measures."""

    material: Material
    kind: str
    measures: tuple[str, ...]
    threads: int = 1


@dataclass(frozen=True)
class Job:
    """Prepared work, ready to run."""

    call: Callable[[], Any]
    values: Callable[[Any], Values]
    """The values in what a call returned."""
    share: float = 1.0
    """Which part of the runs the job has."""


# cranfield


def own_job(work: Work, scores: str) -> Job:
    """Cranfield in this process; scores are compared as ``f32`` or ``f64``."""
    options: dict[str, Any] = {"scores": scores, "threads": work.threads, "progress": False}
    material, measures = work.material, list(work.measures)
    if work.kind in FILES:
        qrels, runs = material.files(packed=work.kind == "gz")
        return Job(lambda: evaluate(qrels, runs, measures, **options), _own_values)
    evaluator = Evaluator(_judged(work), measures, **options)
    given = _in_memory(work)
    if work.kind == "arrays":
        # A run of arrays is a view of them: making it is part of the work.
        ((name, arrays),) = given.items()
        return Job(lambda: evaluator.evaluate(Run.from_topk(*arrays, name=name)), _own_values)
    return Job(lambda: evaluator.evaluate(given), _own_values)


def _judged(work: Work) -> Any:
    """The judgments as dicts; those beside arrays have numbers for documents."""
    return work.material.arrays[0] if work.kind == "arrays" else work.material.qrels


def _in_memory(work: Work) -> Any:
    """The runs as objects, by name."""
    material = work.material
    if work.kind == "arrays":
        import numpy as np

        judged, documents, scores = material.arrays
        topics = np.array([int(topic) for topic in judged])
        return {material.names[0]: (topics, documents, scores)}
    if work.kind == "frames":
        return {name: material.frame(name) for name in material.names}
    return material.runs


def _own_values(scores: Any) -> Values:
    values: Values = scores.to_dict()
    for run, row in zip(scores.runs, scores.summary().tolist(), strict=True):
        values[run][MEAN] = dict(zip(scores.measures, row, strict=True))
    return values


def own_process(work: Work, scores: str, python: str = sys.executable) -> Job:
    """Cranfield as a separate process, Python's start included."""
    qrels, runs = work.material.files(packed=work.kind == "gz")
    command = [python, "-m", "cranfield", "eval", qrels, *runs.values()]
    command += ["-m", " ".join(work.measures), "--format", "jsonl", "--scores", scores]
    command += ["--threads", str(work.threads), "--quiet"]
    names = list(runs)

    def values(printed: bytes) -> Values:
        rows = [json.loads(line)["values"] for line in printed.splitlines()]
        return {name: {MEAN: row} for name, row in zip(names, rows, strict=True)}

    return Job(lambda: printed_by(command), values)


def printed_by(command: list[str]) -> bytes:
    """What a process prints; raises ``Error`` (kind "io") if it fails."""
    try:
        done = subprocess.run(command, capture_output=True, check=False)
    except OSError as error:
        message = f"cannot run: {error.strerror or error}"
        raise failure("io", message, file=command[0]) from error
    if done.returncode:
        last = done.stderr.decode(errors="replace").strip().splitlines()[-1:] or ["nothing"]
        message = f"ended with status {done.returncode}, saying: {last[0]}"
        raise failure("io", message, file=command[0])
    return done.stdout


# what measures are called by other evaluators, where their values are the same


RANKS = (5, 10, 15, 20, 30, 100, 200, 500, 1000)

COMMON = "nDCG@10 nDCG AP RR P@10 R@100 Rprec bpref"
"""Eight measures that most papers choose from."""

_MULTIPLES = tuple(tenths / 10 for tenths in range(2, 21, 2) if tenths != 10)

_FIRST = (1, 5, 10)


def _spelled(tool: str, whole: str, cut: dict[str, tuple[int, ...]]) -> dict[str, str]:
    """What a tool calls measures of the whole list, and others at each rank."""
    names = dict(spellings(tool))
    at_ten = {name: names[f"{name}@10"].removesuffix("10") for name in cut}
    return {name: names[name] for name in whole.split()} | {
        f"{name}@{k}": f"{at_ten[name]}{k}" for name, ranks in cut.items() for k in ranks
    }


_COMMON_CUT = {"P": RANKS, "R": RANKS, "nDCG": RANKS, "AP": RANKS}

TREC_EVAL = (
    _spelled(
        "trec_eval",
        "AP Rprec bpref RR infAP nDCG num_ret num_rel num_rel_ret SetP SetR SetAP SetF",
        {**_COMMON_CUT, "Rcap": RANKS, "Success": _FIRST},
    )
    | {f"Rprec(mult={m:g})": f"Rprec_mult_{m:.2f}" for m in _MULTIPLES}
    | _spelled("trec_eval", "Utility binG G nDCG_rel SetRcap num_nonrel_judged_ret", {})
)
"""The measures that trec_eval's set all_trec has and defines as we do, as it prints them.

Not here: gm_map and gm_bpref, whose value of a topic is a logarithm there;
iprec_at_recall and 11pt_avg, which round the documents that a recall level needs;
Rndcg, which has another definition on short lists.
"""

_CUT = re.compile(r"(P|recall|ndcg_cut|map_cut|relative_P|success|Rprec_mult)_([\d.]+)")


def for_pytrec_eval(name: str) -> str:
    """The name by which pytrec_eval is asked for what it prints under another."""
    found = _CUT.fullmatch(name)
    return f"{found[1]}.{found[2]}" if found else name


IR_MEASURES = _spelled(
    "ir_measures",
    "AP Rprec bpref RR infAP num_ret num_rel SetP SetR SetAP SetF",
    {**_COMMON_CUT, "Success": _FIRST},
) | {"nDCG": "nDCG", "num_rel_ret": "NumRet(rel=1)"}

RANX = _spelled("ranx", "AP Rprec RR", {**_COMMON_CUT, "Success": _FIRST}) | {"nDCG": "ndcg"}

IR_EVAL_NUMBA = {
    "RR": "reciprocal_rank",
    **{f"P@{k}": f"precision@{k}" for k in RANKS},
    **{f"R@{k}": f"recall@{k}" for k in RANKS},
}
"""Its nDCG is for judgments without grades, and its AP divides by what was found."""

SETS = {"common": COMMON, "all": " ".join(TREC_EVAL)}
"""Sets of measures by name."""


def chosen_measures(texts: list[str]) -> tuple[str, ...]:
    """The measures of several texts, canonical, without duplicates; a set's name stands for it.

    Raises ``Error`` (kind "measure" or "parameter") for what is not a measure.
    """
    found: list[Measure] = []
    for text in texts:
        for word in [SETS[text]] if text in SETS else [text]:
            found += parse_measures(word)
    return tuple(dict.fromkeys(map(str, found)))


# the other evaluators


class Engine:
    """Another evaluator."""

    name: str
    package: str
    """What pip installs."""
    kinds: tuple[str, ...]
    spellings: Mapping[str, str]
    """Its names for cranfield's measures."""
    scores = "f64"
    """The precision in which it compares scores."""
    process = False
    """Whether it is a process for each run."""
    compiles = False
    """Whether the first call compiles."""
    tolerance = 1e-9
    """How far its values may be from cranfield's, relatively."""

    @cached_property
    def version(self) -> str:
        """Its version."""
        return metadata.version(self.package)

    def load(self) -> Any:
        """Its module; raises ``MissingPackageError`` with the command that installs it."""
        try:
            return import_module(self.name)
        except ImportError as error:
            message = f"--against {self.name} needs {self.package}: pip install {self.package}"
            raise MissingPackageError(message, name=self.name) from error

    def job(self, work: Work) -> Job:
        """Prepares its side: judgments are kept, but for files."""
        module = self.load()
        if work.kind in FILES:
            qrels, runs = work.material.files(packed=work.kind == "gz")

            def of_files() -> Any:
                score = self.scorer(module, self.read(module, qrels, judgments=True), work)
                return {
                    name: score(self.read(module, path, judgments=False))
                    for name, path in runs.items()
                }

            return Job(of_files, partial(self.values, work=work))
        score = self.scorer(module, _judged(work), work)
        given = self.given(module, work)
        return Job(
            lambda: {name: score(run) for name, run in given.items()},
            partial(self.values, work=work),
        )

    def read(self, module: Any, path: str, *, judgments: bool) -> Any:
        """What its module reads from a file of judgments or of a run."""
        raise NotImplementedError

    def given(self, module: Any, work: Work) -> Any:
        """The runs by name as it is called with them."""
        return _in_memory(work)

    def scorer(self, module: Any, qrels: Any, work: Work) -> Callable[[Any], Any]:
        """What scores a run under judgments."""
        raise NotImplementedError

    def values(self, found: Mapping[str, Mapping[Any, Any]], work: Work) -> Values:
        """The summaries of runs under cranfield's names."""
        return {run: {MEAN: self.row(row, work)} for run, row in found.items()}

    def row(self, row: Mapping[Any, Any], work: Work) -> dict[str, float]:
        """The values of measures under cranfield's names."""
        return {measure: float(row[self.spellings[measure]]) for measure in work.measures}

    def known(self, measures: tuple[str, ...]) -> tuple[str, ...]:
        """Those of some measures that it has."""
        return tuple(measure for measure in measures if measure in self.spellings)


class PytrecEval(Engine):
    """pytrec_eval-terrier: trec_eval 9 for dicts."""

    name, package = "pytrec_eval", "pytrec-eval-terrier"
    kinds = ("files", "gz", "dicts", "frames")
    spellings = TREC_EVAL
    scores = "f32"

    def read(self, module: Any, path: str, *, judgments: bool) -> Any:
        """Dicts."""
        with _opened(path) as lines:
            return (module.parse_qrel if judgments else module.parse_run)(lines)

    def scorer(self, module: Any, qrels: Any, work: Work) -> Callable[[Any], Any]:
        """Frames become dicts first."""
        asked = {for_pytrec_eval(self.spellings[measure]) for measure in work.measures}
        evaluate: Callable[[Any], Any] = module.RelevanceEvaluator(qrels, asked).evaluate
        if work.kind != "frames":
            return evaluate
        return lambda table: evaluate(
            {
                topic: dict(zip(rows["doc_id"], rows["score"], strict=True))
                for topic, rows in table.groupby("query_id")
            }
        )

    def values(self, found: Mapping[str, Mapping[Any, Any]], work: Work) -> Values:
        """It has the values of topics."""
        return {
            run: {topic: self.row(row, work) for topic, row in topics.items()}
            for run, topics in found.items()
        }


class IrMeasures(Engine):
    """ir_measures with its default providers."""

    name, package = "ir_measures", "ir-measures"
    kinds = ("files", "gz", "dicts", "frames")
    spellings = IR_MEASURES
    scores = "f32"

    def read(self, module: Any, path: str, *, judgments: bool) -> Any:
        """Judgments are not read from compressed files by their name."""
        if not judgments:
            return module.read_trec_run(path)
        with _opened(path) as lines:
            return list(module.read_trec_qrels(lines))

    def scorer(self, module: Any, qrels: Any, work: Work) -> Callable[[Any], Any]:
        """Of aggregates."""
        asked = [module.parse_measure(self.spellings[measure]) for measure in work.measures]
        score: Callable[[Any], Any] = module.evaluator(asked, qrels).calc_aggregate
        return score

    def row(self, row: Mapping[Any, Any], work: Work) -> dict[str, float]:
        """Its names are objects."""
        parse = self.load().parse_measure
        return {measure: float(row[parse(self.spellings[measure])]) for measure in work.measures}


class Ranx(Engine):
    """ranx; its functions are compiled when they are first called."""

    compiles = True

    name = package = "ranx"
    kinds = ("files", "gz", "dicts", "arrays", "frames")
    spellings = RANX

    def read(self, module: Any, path: str, *, judgments: bool) -> Any:
        """Its own objects."""
        kind = "gz" if path.endswith(".gz") else "trec"
        return (module.Qrels if judgments else module.Run).from_file(path, kind=kind)

    def given(self, module: Any, work: Work) -> Any:
        """Runs of arrays are kept."""
        runs = _in_memory(work)
        if work.kind == "arrays":
            runs = {n: module.Run(Run.from_topk(*arrays).to_dict()) for n, arrays in runs.items()}
        elif work.kind == "frames":
            # It takes ids of no other type than object, and pandas 3 has a separate type for text.
            ids = {"query_id": object, "doc_id": object}
            runs = {name: table.astype(ids) for name, table in runs.items()}
        return runs

    def scorer(self, module: Any, qrels: Any, work: Work) -> Callable[[Any], Any]:
        """Its objects are made of dicts and frames first."""
        names = [self.spellings[measure] for measure in work.measures]
        if not isinstance(qrels, module.Qrels):
            qrels = module.Qrels({topic: grades for topic, grades in qrels.items() if grades})

        def score(run: Any) -> Any:
            if work.kind == "dicts":
                run = module.Run(run)
            elif work.kind == "frames":
                run = module.Run.from_df(run, "query_id", "doc_id", "score")
            found = module.evaluate(qrels, run, names, threads=work.threads, make_comparable=True)
            return found if isinstance(found, dict) else {names[0]: found}

        return score


class IrEvalNumba(Engine):
    """ir-eval-numba: functions of one topic on arrays of numbers, lists in order."""

    compiles = True

    name, package = "ir_eval_numba", "ir-eval-numba"
    kinds = ("arrays",)
    spellings = IR_EVAL_NUMBA

    def job(self, work: Work) -> Job:
        """Its arrays are kept, relevant documents and lists in order."""
        import numpy as np

        module = import_module(f"{self.load().__name__}.metrics")
        material = work.material
        qrels, documents, _ = material.arrays
        topics = [
            (
                topic,
                np.array([int(d) for d, grade in grades.items() if grade > 0], dtype=np.int64),
                row,
            )
            for (topic, grades), row in zip(qrels.items(), documents, strict=True)
        ]
        topics = [topic for topic in topics if len(topic[1])]
        functions = []
        for measure in work.measures:
            name, _, cutoff = self.spellings[measure].partition("@")
            functions.append((measure, getattr(module, name), int(cutoff or documents.shape[1])))

        def call() -> dict[str, dict[str, float]]:
            return {
                topic: {
                    measure: function(relevant, row, cutoff)
                    for measure, function, cutoff in functions
                }
                for topic, relevant, row in topics
            }

        return Job(call, lambda found: {material.names[0]: found})


RELEASES = {"10.0-rc3": "10.0"}
"""Releases by what they say of themselves: the tag v10.0 has the candidate's code and name."""


def _printed_row(text: str) -> dict[str, str]:
    """What trec_eval printed of a run, by name."""
    rows = (line.split("\t") for line in text.splitlines())
    return {name.strip(): value for name, _, value in rows}


class TrecEval(Engine):
    """trec_eval's program, one process a run, as people run it in a loop."""

    package = ""
    kinds = FILES
    spellings = TREC_EVAL
    process = True
    tolerance = 0.0
    SAMPLE = 40
    """Of more than 200 runs so many are scored, spread over them."""

    def __init__(self, program: str, name: str = "trec_eval") -> None:
        found = shutil.which(os.path.expanduser(program))
        if found is None:
            raise failure("missing", "there is no such program", file=program)
        self.program, self.name = found, name
        done = subprocess.run([found, "--version"], capture_output=True, check=False)
        text = (done.stdout + done.stderr).decode(errors="replace")
        found_version = re.search(r"^(?:trec_eval version|te-rust) (\S+)", text, re.MULTILINE)
        if found_version is None:
            message = "expected the program of trec_eval, which prints its --version"
            raise failure("type", message, file=self.program)
        self.version = RELEASES.get(found_version[1], found_version[1])
        self.scores = "f32" if self.version.startswith(("8", "9")) else "f64"

    def job(self, work: Work) -> Job:
        """Nothing is kept: a process for each run."""
        qrels, runs = work.material.files()
        packed = work.material.files(packed=True)[1] if work.kind == "gz" else {}
        kept = list(runs)
        if len(kept) > 200:
            kept = kept[:: len(kept) // self.SAMPLE]
        asked = ["all_trec"]
        if len(work.measures) <= 20:
            asked = [for_pytrec_eval(self.spellings[measure]) for measure in work.measures]
        options = ["-c", *(word for name in asked for word in ("-m", name)), qrels]

        def call() -> dict[str, bytes]:
            found = {}
            for name in kept:
                if name in packed:
                    # It reads plain files only: another process unpacks.
                    path = f"{packed[name]}.plain"
                    with open(path, "wb") as plain:
                        subprocess.run(["gzip", "-dc", packed[name]], stdout=plain, check=True)
                else:
                    path = runs[name]
                found[name] = printed_by([self.program, *options, path])
            return found

        def values(found: dict[str, bytes]) -> Values:
            rows = {run: _printed_row(text.decode()) for run, text in found.items()}
            return self.values(rows, work)

        return Job(call, values, share=len(kept) / len(runs))


def _opened(path: str) -> Any:
    return gzip.open(path, "rt") if path.endswith(".gz") else open(path, encoding="utf-8")


ENGINES: dict[str, Callable[[], Engine]] = {
    "pytrec_eval": PytrecEval,
    "ir_measures": IrMeasures,
    "ranx": Ranx,
    "ir_eval_numba": IrEvalNumba,
}
"""The evaluators that are Python packages."""
