"""Runs NTCIREVAL's command 1click and records what it prints.

    NTCIREVAL=FOLDER python -m tests.against.recorders.oneclick

writes tests/against/recorded/oneclick.json. FOLDER is what ``build`` of ``ntcireval.py`` compiled.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from tests import ROOT
from tests.against.recorders.ntcireval import DECIMALS, decimals, program

RECORDED = ROOT / "tests" / "against" / "recorded" / "oneclick.json"


class Text(NamedTuple):
    """The nuggets of a topic with weight and length, and what was found in a text."""

    nuggets: dict[str, tuple[float, int]]
    length: int
    offsets: dict[str, int]


class Setting(NamedTuple):
    """Its options."""

    L: int
    beta: float


SETTINGS = (Setting(500, 1), Setting(60, 1), Setting(1000, 10), Setting(140, 0.5))


def printed(program: Path, texts: Sequence[Text], setting: Setting) -> list[list[float]]:
    """Recall, W-recall, S-measure, S-flat, T-measure, T-flat and F-flat of each text."""
    lines = []
    with tempfile.TemporaryDirectory() as folder:
        for i, text in enumerate(texts):
            nuggets = "".join(f"{n} {w} {v}\n" for n, (w, v) in text.nuggets.items())
            Path(folder, f"{i}.nug").write_text(nuggets)
            found = "".join(f"{n} {offset}\n" for n, offset in text.offsets.items())
            Path(folder, f"{i}.mat").write_text(f"syslen= {text.length}\n{found}")
            options = f"-L {setting.L} -beta {setting.beta} -out {i}"
            lines.append(f'"$1" 1click {options} -N {i}.nug {i}.mat')
        done = subprocess.run(
            ["sh", "-s", str(program)],
            input="\n".join(lines),
            cwd=folder,
            capture_output=True,
            text=True,
            check=True,
        )
    found_values: list[list[float]] = [[] for _ in texts]
    for line in done.stdout.splitlines():
        number, name, *values = line.split()
        if name != "#nuggets=":
            found_values[int(number)].append(float(values[0]))
    return found_values


def synthetic(seed: int, count: int) -> list[Text]:
    """Random texts, some empty, some of which would be too short for what they hold."""
    rng = random.Random(seed)
    texts = []
    for _ in range(count):
        names = [f"N{i:04}" for i in range(rng.randint(1, 9))]
        weights = rng.choice(((1, 2, 3), (1.0,), (0.5, 1.25, 6)))
        nuggets = {n: (rng.choice(weights), rng.randint(1, 40)) for n in names}
        held = rng.sample(names, rng.randint(0, len(names)))
        length = rng.choice((0, rng.randint(1, 80), rng.randint(80, 1200)))
        reach = rng.choice((20, 150, 1500))
        texts.append(Text(nuggets, length, {n: rng.randint(0, reach) for n in held}))
    return texts


def record(folder: Path) -> None:
    assert decimals(program(folder)) == DECIMALS, "build it with more digits first"
    out = []
    for number, setting in enumerate(SETTINGS):
        texts = synthetic(number, 30)
        values = printed(program(folder), texts, setting)
        out.append({"setting": setting, "texts": texts, "values": values})
    text = json.dumps(out, separators=(",", ":"))
    RECORDED.write_text(text.replace("],[", "],\n[") + "\n")


if __name__ == "__main__":
    record(Path(os.environ["NTCIREVAL"]))
