"""Runs NTCIREVAL on intents and equivalence classes, and records what it prints.

    NTCIREVAL=FOLDER python -m tests.against.recorders.ntcireval_forms

writes tests/against/recorded/ntcireval_forms.json. FOLDER is what ``build`` of
``ntcireval.py`` compiled. Its shell scripts are loops over these calls, with four decimals in
between; here the calls are made directly.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from tests import ROOT
from tests.against.recorders import ntcireval as record_ntcireval
from tests.against.recorders.ntcireval import Setting

RECORDED = ROOT / "tests" / "against" / "recorded" / "ntcireval_forms.json"
SETTING = Setting((1, 2, 3), (3, 10))
OPTIONS = "-gap -rbp 0.95 -cutoffs " + ",".join(map(str, SETTING.cutoffs))

PROBABILITIES: tuple[tuple[float, ...], ...] = (
    (1.0,),
    (0.5, 0.5),
    (0.75, 0.25),
    (0.5, 0.25, 0.25),
    (0.25, 0.25, 0.125, 0.375),
)


class Diverse(NamedTuple):
    """A topic with intents: probabilities, which are navigational, grades under each, a list."""

    probabilities: list[float]
    navigational: list[bool]
    judged: list[dict[str, int]]
    ranking: list[str]


class Classed(NamedTuple):
    """A topic with classes: grades, the class of each document, a list."""

    judged: dict[str, int]
    classes: dict[str, int]
    ranking: list[str]


def diverse(seed: int, count: int, *, sparse: bool = False) -> list[Diverse]:
    """Random topics each of whose intents has a relevant document, or some of them has.

    Others have documents that are not relevant, or none at all.
    """
    rng = random.Random(seed)
    topics: list[Diverse] = []
    while len(topics) < count:
        documents = [f"d{i}" for i in range(rng.randint(3, 14))]
        probabilities = rng.choice(PROBABILITIES)
        pool = [d for d in documents if rng.random() < 0.8]
        judged = [
            {d: rng.choice((0, 0, 1, 2, 3)) for d in pool if rng.random() < 0.7}
            for _ in probabilities
        ]
        if sparse:
            kept = [rng.random() for _ in judged]
            judged = [
                {} if keep < 0.3 else dict.fromkeys(grades, 0) if keep < 0.4 else grades
                for keep, grades in zip(kept, judged, strict=True)
            ]
        ranking = [d for d in documents if rng.random() < 0.8]
        rng.shuffle(ranking)
        best: dict[str, int] = {}
        for grades in judged:
            for d, grade in grades.items():
                best[d] = max(grade, best.get(d, 0))
        served = [max(grades.values(), default=0) > 0 for grades in judged]
        fits = any(served) and not all(served) if sparse else all(served)
        if fits and min(best.values()) == 0 and ranking:
            navigational = [rng.random() < 0.5 for _ in probabilities]
            topics.append(Diverse(list(probabilities), navigational, judged, ranking))
    return topics


def classed(seed: int, count: int) -> list[Classed]:
    """Random topics with classes of relevant documents; each other is a class of its own."""
    rng = random.Random(seed)
    topics: list[Classed] = []
    while len(topics) < count:
        documents = [f"d{i}" for i in range(rng.randint(3, 14))]
        judged = {d: rng.choice((0, 0, 1, 2, 3)) for d in documents if rng.random() < 0.8}
        classes = {
            d: rng.randint(1, 4) if grade else 100 + i
            for i, (d, grade) in enumerate(judged.items())
        }
        ranking = [d for d in documents if rng.random() < 0.8]
        rng.shuffle(ranking)
        if max(judged.values(), default=0) > 0 and ranking:
            topics.append(Classed(judged, classes, ranking))
    return topics


def lines(gains: Mapping[str, float]) -> str:
    """A list of documents with what they gain, highest first."""
    return "".join(f"{d} {g!r}\n" for d, g in sorted(gains.items(), key=lambda item: -item[1]))


def global_gains(topic: Diverse) -> dict[str, float]:
    """What each judged document gains under all intents."""
    gains: dict[str, float] = {}
    for probability, grades in zip(topic.probabilities, topic.judged, strict=True):
        for d, grade in grades.items():
            gains[d] = gains.get(d, 0.0) + probability * grade
    return gains


def printed_diverse(program: Path, topics: Sequence[Diverse]) -> list[dict[str, float]]:
    """What it prints for each topic, by our prefix and its name."""
    commands = []
    with tempfile.TemporaryDirectory() as folder:
        for i, topic in enumerate(topics):
            at = Path(folder, str(i))
            gains = global_gains(topic)
            at.with_suffix(".res").write_text("".join(f"{d}\n" for d in topic.ranking))
            at.with_suffix(".judged").write_text(lines(gains))
            at.with_suffix(".gain").write_text(lines({d: g for d, g in gains.items() if g}))
            din = ""
            for n, (probability, navigational, grades) in enumerate(
                zip(topic.probabilities, topic.navigational, topic.judged, strict=True), 1
            ):
                served = {d: g for d, g in grades.items() if g}
                if not served:  # its scripts pass over an intent without a file
                    continue
                Path(folder, f"{i}.intent{n}").write_text(lines(served))
                kind = "nav" if navigational else "inf"
                din += "".join(f"{n} {kind} {d} {probability * g!r}\n" for d, g in served.items())
                commands += [
                    f'"$1" glabel -I {i}.intent{n} {i}.res | '
                    f'"$1" gcompute {OPTIONS} -I {i}.intent{n} -out {i}:IA{n}-',
                    *(
                        f'"$1" glabel -truncate {k} -I {i}.intent{n} {i}.res | '
                        f'"$1" gcompute -I {i}.intent{n} -cutoffs {k} -out {i}:PQ{n}@{k}-'
                        for k in SETTING.cutoffs
                    ),
                ]
            at.with_suffix(".din").write_text(din)
            with_documents = [n for n, grades in enumerate(topic.judged, 1) if any(grades.values())]
            intents = " ".join(f"{i}.intent{n}" for n in with_documents)
            cutoffs = ",".join(map(str, SETTING.cutoffs))
            commands += [
                f'"$1" glabel -I {i}.gain {i}.res | '
                f'"$1" gcompute {OPTIONS} -I {i}.gain -out {i}:D-',
                f'"$1" glabel -j -I {i}.judged {i}.res | '
                f'"$1" gcompute -j {OPTIONS} -I {i}.judged -out "{i}:D\'-"',
                f'"$1" dinlabel -din {i}.din {i}.res | '
                f'"$1" gcompute {OPTIONS} -I {i}.gain -out {i}:DIN-',
                f'"$1" irec -cutoffs {cutoffs} -out {i}: {i}.res {intents}',
            ]
        found = run(program, folder, commands, len(topics))
    return [over_intents(topic, values) for topic, values in zip(topics, found, strict=True)]


def over_intents(topic: Diverse, values: Mapping[str, float]) -> dict[str, float]:
    """The values of a topic, those of single intents added up by probability."""
    found: dict[str, float] = {}
    for key, value in values.items():
        head, _, name = key.partition("-")
        form, cutoff = head[:2], head.partition("@")[2]
        if form not in ("IA", "PQ"):
            found[key] = value
            continue
        intent = int(head[2:].partition("@")[0]) - 1
        wanted = "P-plus" if topic.navigational[intent] else f"Q@{cutoff}"
        if form == "PQ" and name != wanted:
            continue
        key = f"IA-{name}" if form == "IA" else f"P+Q@{cutoff}"
        found[key] = found.get(key, 0.0) + topic.probabilities[intent] * value
    return found


def printed_classed(program: Path, topics: Sequence[Classed]) -> list[dict[str, float]]:
    """What it prints for each topic in its mode for classes."""
    commands = []
    with tempfile.TemporaryDirectory() as folder:
        for i, topic in enumerate(topics):
            judged = "".join(f"{d} L{g} {topic.classes[d]}\n" for d, g in topic.judged.items())
            Path(folder, f"{i}.rel").write_text(judged)
            Path(folder, f"{i}.res").write_text("".join(f"{d}\n" for d in topic.ranking))
            gains = ":".join(map(str, SETTING.gains))
            commands.append(
                f'"$1" label -ec -r {i}.rel {i}.res | '
                f'"$1" compute -ec {OPTIONS} -rbup 0.99 -g {gains} -r {i}.rel -out {i}:EC-'
            )
        return run(program, folder, commands, len(topics))


def run(program: Path, folder: str, commands: Sequence[str], topics: int) -> list[dict[str, float]]:
    """The values that commands print, by topic."""
    done = subprocess.run(
        ["sh", "-s", str(program)],
        input="\n".join(commands),
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    found: list[dict[str, float]] = [{} for _ in range(topics)]
    for line in done.stdout.splitlines():
        head, name, *value = line.split()
        if name.startswith("#"):
            continue
        topic, _, prefix = head.partition(":")
        found[int(topic)][prefix + record_ntcireval.tidy(name.replace("@n", ""))] = float(value[0])
    return found


def record(folder: Path) -> None:
    program = record_ntcireval.program(folder)
    assert record_ntcireval.decimals(program) == record_ntcireval.DECIMALS
    intents, sparse, classes = diverse(1, 30), diverse(3, 30, sparse=True), classed(2, 30)
    content = {
        "diverse": [
            [topic, values]
            for topic, values in zip(intents, printed_diverse(program, intents), strict=True)
        ],
        "sparse": [
            [topic, values]
            for topic, values in zip(sparse, printed_diverse(program, sparse), strict=True)
        ],
        "classed": [
            [topic, values]
            for topic, values in zip(classes, printed_classed(program, classes), strict=True)
        ],
    }
    text = json.dumps(content, separators=(",", ":"))
    RECORDED.write_text(text.replace("}],[[", "}],\n[[") + "\n")


if __name__ == "__main__":
    record(Path(os.environ["NTCIREVAL"]))
