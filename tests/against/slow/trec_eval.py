"""A slow trec_eval: what the program prints, from its described behavior alone.

The blind twin of the fast one. It follows the definitions with dense vectors and
plain loops. Help, usage and getopt's lines are one fixed line each: compare their exit
codes. Where trec_eval crashes or reads memory that it never wrote, it does the sensible
thing, as listed where its cases are made.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from tests.against.slow.trec_eval_c import (
    BadOptionError,
    atof,
    atol,
    divide,
    exp,
    fixed,
    getopt_long,
    log,
    merge_sort,
    single,
)
from tests.against.slow.trec_eval_measures import MeasureError, ParametersError, Vector, vector
from tests.against.slow.trec_eval_prefs import AbortedError, Judgment, Preferences, preferences
from tests.against.slow.trec_eval_registry import NICKNAMES, Measure, Version, registered

VERSIONS = {"9": b"9.0.7", "9.0.8": b"9.0.8", "10": b"10.0-rc3"}
HELP = b"trec_eval\n"
USAGE = b"Usage: trec_eval\n"
MADE_UP = b"ceci_nest_pas_un_docno"
SHORT = b"hvqm:cl:nD:JN:M:R:T:oZ:"
LONG = {
    b"help": (b"h", False),
    b"version": (b"v", False),
    b"query_eval_wanted": (b"q", False),
    b"measure": (b"m", True),
    b"complete_rel_info_wanted": (b"c", False),
    b"level_for_rel": (b"l", True),
    b"nosummary": (b"n", False),
    b"Debug_level": (b"D", True),
    b"Judged_docs_only": (b"J", False),
    b"Number_docs_in_coll": (b"N", True),
    b"Max_retrieved_per_topic": (b"M", True),
    b"Rel_info_format": (b"R", True),
    b"Results_format": (b"T", True),
    b"Output_old_results_format": (b"o", True),
    b"Zscore": (b"Z", True),
}
READER = {
    b"qrels": ("get_qrels", "qrels"),
    b"qrels_jg": ("get_qrels_jg", "qrels"),
    b"prefs": ("get_prefs", "prefs"),
    b"qrels_prefs": ("get_qrels_prefs", "prefs"),
}


class Answer(NamedTuple):
    code: int
    out: bytes
    err: bytes


class ExitError(Exception):
    """The program ends here."""

    def __init__(self, code: int, err: bytes) -> None:
        super().__init__(code, err)
        self.code, self.err = code, err


def run(arguments: Sequence[bytes | str], files: Mapping[str, bytes], version: Version) -> Answer:
    """What trec_eval does with these arguments, if ``files`` are all the files there are.

    Standard input is the file ``-``, empty if there is none.
    """
    words = [word.encode() if isinstance(word, str) else word for word in arguments]
    out: list[bytes] = []
    try:
        Program(version, files, out).run(words)
    except ExitError as error:
        return Answer(error.code, b"".join(out), error.err)
    return Answer(0, b"".join(out), b"")


class Options(NamedTuple):
    measures: dict[str, bytes | None]
    flags: set[bytes]
    level: int = 1
    documents: int = 0
    depth: int = 2**31 - 1
    topic: bytes | None = None
    rel_format: bytes = b"qrels"
    run_format: bytes = b"trec_results"
    zscores: bytes | None = None
    names: tuple[bytes, ...] = ()


def read_options(words: Sequence[bytes], version: Version) -> Options:
    options = Options({}, set())
    try:
        for letter, value in getopt_long(words, SHORT, LONG):
            match letter:
                case b"":
                    options = options._replace(names=(*options.names, value))
                case b"v":
                    raise ExitError(0, b"trec_eval version %b\n" % VERSIONS[version])
                case b"m":
                    choose(options.measures, value, version)
                case b"l":
                    options = options._replace(level=atol(value))
                case b"N":
                    options = options._replace(documents=atol(value))
                case b"M":
                    options = options._replace(depth=atol(value))
                case b"D":
                    _, dot, topic = value.partition(b".")
                    if dot:
                        options = options._replace(topic=topic)
                case b"R":
                    options = options._replace(rel_format=value)
                case b"T":
                    options = options._replace(run_format=value)
                case b"Z":
                    options = options._replace(zscores=value)
                case _:
                    options.flags.add(letter)
    except BadOptionError:
        raise ExitError(1, USAGE) from None
    return options


def choose(measures: dict[str, bytes | None], value: bytes, version: Version) -> None:
    """Add what ``-m`` names. The first parameters of a measure stay."""
    name, dot, text = value.partition(b".")
    known = [measure.name for measure in registered(version)]
    shown = name.decode("latin-1")
    illegal = b"trec_eval: illegal measure '%b'\n" % name
    if shown not in NICKNAMES and shown not in known:
        raise ExitError(1, illegal)
    if dot and not text:
        raise ExitError(1, b"trec_eval: improper measure in parameter '%b'\n" % name + illegal)
    if shown in NICKNAMES:
        for member in NICKNAMES[shown]:
            if member in known:
                measures.setdefault(member, None)
    elif measures.get(shown) is None:
        measures[shown] = text if dot else None


# Files.

Lines = list[list[bytes]]


class Run(NamedTuple):
    topics: dict[bytes, list[tuple[bytes, float]]]
    tag: bytes


def data_lines(data: bytes) -> list[bytes]:
    """The lines of a file before one that starts with a NUL byte."""
    lines = (b"\n" + data).partition(b"\n\0")[0].split(b"\n")[1:]
    return lines[:-1] if lines[-1:] == [b""] else lines


def read_run(data: bytes, version: Version) -> Run:
    topics: dict[bytes, list[tuple[bytes, float]]] = {}
    tag, number = b"", 0
    for line in data_lines(data):
        fields = line.split()
        if not fields or (version == "10" and fields[0].startswith(b"#")):
            continue
        number += 1
        if len(fields) < 6:
            raise ValueError(b"trec_eval.get_results: Malformed line %d\n" % number)
        score = atof(fields[4])
        if version == "9":
            score = single(score)
        topics.setdefault(fields[0], []).append((fields[2], score))
        tag = fields[5]
    return Run(topics, tag)


def read_judgments(data: bytes, fields_wanted: int, reader: str, version: Version) -> Lines:
    rows: Lines = []
    for line in data_lines(data):
        if version == "10" and line.startswith(b"#"):
            continue
        fields = line.split()
        if len(fields) != fields_wanted:
            raise ValueError(f"trec_eval.{reader}: Malformed line {len(rows) + 1}\n".encode())
        rows.append(fields)
    return rows


def smallest_duplicate(documents: Sequence[bytes]) -> bytes | None:
    ordered = sorted(documents)
    for a, b in itertools.pairwise(ordered):
        if a == b:
            return a
    return None


def ranked(lines: Sequence[tuple[bytes, float]], *, ascending_ties: bool) -> list[bytes]:
    ordered = sorted(lines, key=lambda line: line[0])

    def compare(a: tuple[bytes, float], b: tuple[bytes, float]) -> int:
        if a[1] > b[1]:
            return -1
        if a[1] < b[1]:
            return 1
        by_name = (a[0] > b[0]) - (a[0] < b[0])
        return by_name if ascending_ties else -by_name

    if any(math.isnan(score) for _, score in ordered):
        ordered = merge_sort(ordered, compare)
    else:
        ordered.sort(key=functools.cmp_to_key(compare))
    return [document for document, _ in ordered]


# Topics.


class Topic:
    """A topic's lines of both files. What measures ask for is made once."""

    def __init__(
        self,
        options: Options,
        version: Version,
        lines: Sequence[tuple[bytes, float]],
        judgments: Lines,
    ) -> None:
        self.version, self.documents = version, options.documents
        self.options, self.lines, self.judgments = options, lines, judgments
        self.made: dict[str, Any] = {}

    def _check_format(self, message: bytes, *formats: bytes) -> None:
        if self.options.rel_format not in formats or self.options.run_format != b"trec_results":
            raise MeasureError(b"trec_eval" + message + b" or results format not trec_results\n")

    def _ranking(self, message: bytes, *, ascending_ties: bool) -> list[bytes]:
        kept = ranked(self.lines, ascending_ties=ascending_ties)[: self.options.depth]
        document = smallest_duplicate(kept)
        if document is not None:
            raise MeasureError(message % document)
        return kept

    def _vector(self, ranking: Sequence[bytes], judgments: Lines) -> Vector:
        return vector(
            ranking,
            {document: atol(grade) for _, _, document, grade in judgments},
            self.options.level,
            judged_only=b"J" in self.options.flags,
        )

    def vector(self) -> Vector:
        if "vector" not in self.made:
            self._check_format(b".form_res_qrels: rel_info format not qrels", b"qrels")
            ranking = self._ranking(
                b"trec_eval.form_res_qrels: duplicate docs %b", ascending_ties=False
            )
            document = smallest_duplicate([row[2] for row in self.judgments])
            if document is not None:
                raise MeasureError(b"trec_eval.form_res_rels: duplicate docs %b\n" % document)
            self.made["vector"] = self._vector(ranking, self.judgments)
        found: Vector = self.made["vector"]
        return found

    def group_vectors(self) -> list[Vector]:
        if "groups" not in self.made:
            self._check_format(b": rel_info format not qrels_jg", b"qrels_jg")
            ranking = self._ranking(
                b"trec_eval.form_res_qrels: duplicate docs %b", ascending_ties=False
            )
            self.made["groups"] = [
                self._vector(ranking, [row for row in self.judgments if row[1] == group])
                for group in sorted({row[1] for row in self.judgments})
            ]
        found: list[Vector] = self.made["groups"]
        return found

    def preferences(self) -> Preferences:
        if "preferences" not in self.made:
            self._check_format(
                b".form_prefs_info: prefs_info format not (prefs or qrels_prefs)",
                b"prefs",
                b"qrels_prefs",
            )
            ranking = self._ranking(
                b"trec_eval.form_prefs_counts: duplicate docs %b", ascending_ties=True
            )
            judgments = [
                Judgment(row[1], row[2] if len(row) == 5 else b"", row[-2], atof(row[-1]))
                for row in self.judgments
            ]
            self.made["preferences"] = preferences(ranking, judgments)
        found: Preferences = self.made["preferences"]
        return found


# The program.


class Chosen(NamedTuple):
    measure: Measure
    parameters: Any
    names: list[bytes]
    sums: list[float]


class Program:
    def __init__(self, version: Version, files: Mapping[str, bytes], out: list[bytes]) -> None:
        self.version, self.files, self.out = version, files, out

    def run(self, words: Sequence[bytes]) -> None:
        options = self.options = read_options(words, self.version)
        if b"h" in options.flags:
            self.out.append(HELP)
            return
        if len(options.names) != 2:
            raise ExitError(1, USAGE)
        if not options.measures:
            choose(options.measures, b"official", self.version)
        self.read_judgment_file(options.names[0])
        self.read_run_file(options.names[1])
        self.read_zscore_file()
        self.read_parameters()
        evaluated = self.evaluate_topics()
        if not evaluated:
            raise ExitError(7, b"trec_eval: No queries with both results and relevance info\n")
        if b"n" not in options.flags:
            self.print_summary(evaluated)

    def data(self, name: bytes) -> bytes:
        return self.files.get(name.decode("utf-8", "surrogateescape"), b"")

    def read_judgment_file(self, name: bytes) -> None:
        form = self.options.rel_format
        if form not in READER:
            raise ExitError(2, b"trec_eval: Illegal rel_format '%b'\n" % form)
        reader, kind = READER[form]
        quits = b"trec_eval: Quit in file '%b'\n" % name
        data = self.data(name)
        if not data:
            reader = "get_prefs" if kind == "prefs" else reader
            message = f"trec_eval.{reader}: Cannot read {kind} file '".encode() + name + b"'\n"
            raise ExitError(2, message + quits)
        try:
            rows = read_judgments(data, 5 if form == b"prefs" else 4, reader, self.version)
            if form == b"qrels_jg":
                twice = smallest_duplicate([b"\0".join(row[:3]) for row in rows])
                if twice is not None:
                    document = twice.split(b"\0")[2]
                    raise ValueError(b"trec_eval.get_qrels: duplicate docs %b\n" % document)
        except ValueError as error:
            raise ExitError(2, error.args[0] + quits) from None
        self.judgments: dict[bytes, Lines] = {}
        for row in rows:
            self.judgments.setdefault(row[0], []).append(row)

    def read_run_file(self, name: bytes) -> None:
        form = self.options.run_format
        if form != b"trec_results":
            raise ExitError(2, b"trec_eval: Illegal retrieval results format '%b'\n" % form)
        quits = b"trec_eval: Quit in file '%b'\n" % name
        stdin = self.version == "10" and name.startswith(b"-")
        data = self.data(b"-" if stdin else name)
        if stdin:
            # Read line by line, so that a NUL byte ends its line only.
            data = b"\n".join(line.partition(b"\0")[0] for line in data.split(b"\n"))
        elif not data:
            message = b"trec_eval.get_results: Cannot read results file '%b'\n" % name
            raise ExitError(2, message + quits)
        try:
            self.results = read_run(data, self.version)
        except ValueError as error:
            raise ExitError(2, error.args[0] + quits) from None

    def read_zscore_file(self) -> None:
        name = self.options.zscores
        self.zscores: dict[tuple[bytes, bytes], tuple[float, float]] = {}
        if name is None:
            return
        data = self.data(name)
        if not data:
            reader = b"get_zscores" if self.version == "10" else b"get_prefs"
            raise ExitError(255, b"trec_eval.%b: Cannot read zscores file '%b'\n" % (reader, name))
        for number, line in enumerate(data_lines(data), 1):
            fields = line.split()
            if len(fields) != 4:
                raise ExitError(255, b"trec_eval.get_zscores: Malformed line %d\n" % number)
            key = (fields[0], fields[1])
            self.zscores.setdefault(key, (atof(fields[2]), atof(fields[3])))

    def read_parameters(self) -> None:
        self.chosen = []
        for measure in registered(self.version):
            if measure.name not in self.options.measures:
                continue
            text = self.options.measures[measure.name]
            try:
                parameters = measure.parse(text)
            except ParametersError as error:
                name = measure.name.encode()
                raise ExitError(
                    2, error.args[0] + b"trec_eval: Cannot initialize measure '%b'\n" % name
                ) from None
            names = measure.printed_names(text, parameters)
            self.chosen.append(Chosen(measure, parameters, names, [0.0] * len(names)))

    def evaluate_topics(self) -> int:
        """How many topics counted."""
        evaluated = 0
        run = self.results.topics
        for topic in sorted(self.judgments if self.version == "10" else run):
            if self.options.topic not in (None, topic) or topic not in self.judgments:
                continue
            if topic not in run and b"c" not in self.options.flags:
                raise ExitError(4, b"trec_eval: result qid '%b' not found in qrels\n" % topic)
            self.evaluate(topic)
            evaluated += 1
        return evaluated

    def evaluate(self, name: bytes) -> None:
        made_up = name not in self.results.topics
        lines = [(MADE_UP, 1.0)] if made_up else self.results.topics[name]
        topic = Topic(self.options, self.version, lines, self.judgments[name])
        printed: list[bytes] = []
        for measure, parameters, names, sums in self.chosen:
            try:
                values = measure.values(topic, parameters)
            except MeasureError as error:
                message = b"trec_eval: Can't calculate measure '%b'\n" % measure.name.encode()
                raise ExitError(4, error.args[0] + message) from None
            except AbortedError as error:
                raise ExitError(134, error.args[0]) from None
            for i, (key, value) in enumerate(zip(names, values, strict=True)):
                if isinstance(value, bytes):
                    shown = b"" if made_up and key == b"relstring" else value
                    if measure.per_topic:
                        printed.append(b"%-22b\t%b\t'%b'\n" % (key, name, shown))
                    continue
                if made_up and (
                    key in (b"num_ret", b"utility", b"rbp_resid") or key.startswith(b"unj")
                ):
                    value = 0.0
                if self.options.zscores is not None:
                    value = self.zscore(name, key, value)
                sums[i] += value
                if measure.per_topic:
                    printed.append(self.line(measure, key, name, value))
        if b"q" in self.options.flags:
            self.out += printed

    def zscore(self, topic: bytes, key: bytes, value: float) -> float:
        if (topic, key) not in self.zscores:
            return -1000000.0
        mean, deviation = self.zscores[topic, key]
        if deviation == 0:
            return 0.0 if value == mean else -1000000.0
        return (value - mean) / deviation

    def line(self, measure: Measure, key: bytes, topic: bytes, value: float) -> bytes:
        z = self.options.zscores is not None
        shown = b"%d" % math.trunc(value) if measure.integer and not z else fixed(value)
        return b"%b%-22b\t%b\t%b\n" % (b"Z" if z else b"", key, topic, shown)

    def print_summary(self, evaluated: int) -> None:
        complete = b"c" in self.options.flags
        topics = len(self.judgments) if complete else evaluated
        for measure, _, names, sums in self.chosen:
            for key, total in zip(names, sums, strict=True):
                match measure.summary:
                    case "none":
                        continue
                    case "tag":
                        self.out.append(b"%-22b\tall\t%b\n" % (key, self.results.tag))
                        continue
                    case "topics":
                        value = float(topics)
                    case "A":
                        value = divide(total, topics)
                    case "G":
                        absent = topics - evaluated if complete else 0
                        value = exp((total + absent * log(1e-5)) / topics)
                    case _:
                        value = total
                if measure.name == "num_rel" and complete:
                    rows = [row for lines in self.judgments.values() for row in lines]
                    value = float(sum(1 for row in rows if atol(row[3]) > 0))
                self.out.append(self.line(measure, key, b"all", value))
