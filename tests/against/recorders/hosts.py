"""Records the fingerprints of the hosts' releases in ``cranfield/integrations/known.json``.

    python -m tests.against.recorders.hosts [HOST ...]

Releases since ``SINCE`` are downloaded with pip. Between two that have one fingerprint,
those in between are taken to have it too; where it differs, the release in the middle is
looked at, and so on. A fingerprint that is new is printed, not recorded: somebody has to
check the hook against it and to add it to the table by hand, with the variant that it is.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

from cranfield.integrations._fingerprints import (
    DISTRIBUTIONS,
    KNOWN,
    fingerprint,
    fingerprints_of,
)

SINCE = {
    "beir": "2.1.0",
    "ir_measures": "0.4.0",
    "mteb": "2.0.1",
    "sentence_transformers": "3.3.0",
}
"""The first release that is looked at."""


def releases(host: str) -> list[str]:
    """Those since the first, the oldest first."""
    done = subprocess.run(
        [sys.executable, "-m", "pip", "index", "versions", DISTRIBUTIONS[host]],
        capture_output=True,
        text=True,
        check=True,
    )
    listed = next(line for line in done.stdout.splitlines() if "Available" in line)
    found = [text.strip() for text in listed.partition(":")[2].split(",")]
    return found[: found.index(SINCE[host]) + 1][::-1]


def recorded(host: str, release: str) -> str | None:
    """The fingerprint of a release."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(
            [
                *(sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"),
                *("--only-binary", ":all:", "--dest", folder, f"{DISTRIBUTIONS[host]}=={release}"),
            ],
            check=True,
        )
        (wheel,) = Path(folder).glob("*.whl")
        with zipfile.ZipFile(wheel) as archive:
            names = [name for name in archive.namelist() if name.endswith(".py")]
            archive.extractall(folder, names)
        found = fingerprint(host, f"{folder}/{host}")
    print(f"{host} {release}: {found}", file=sys.stderr, flush=True)
    return found


def ranges(host: str) -> list[tuple[str | None, str, str]]:
    """Fingerprints with the first and the last release of each, in order."""
    found = releases(host)
    seen: dict[int, str | None] = {}

    def at(place: int) -> str | None:
        if place not in seen:
            seen[place] = recorded(host, found[place])
        return seen[place]

    def fill(first: int, last: int) -> None:
        if at(first) == at(last):
            seen.update(dict.fromkeys(range(first, last), at(first)))
        elif last - first > 1:
            middle = (first + last) // 2
            fill(first, middle)
            fill(middle, last)

    fill(0, len(found) - 1)
    rows: list[tuple[str | None, str, str]] = []
    for place, release in enumerate(found):
        if rows and rows[-1][0] == seen[place]:
            rows[-1] = (seen[place], rows[-1][1], release)
        else:
            rows.append((seen[place], release, release))
    return rows


def main(hosts: list[str]) -> int:
    """Writes the table again; the exit code is 1 if a release is not in it."""
    table = {host: fingerprints_of(host) for host in DISTRIBUTIONS}
    unknown = 0
    for host in hosts or DISTRIBUTIONS:
        for found, first, last in ranges(host):
            if found not in table[host]:
                unknown += 1
                print(f"{host} {first} to {last}: {found} is not known")
                continue
            variant, _ = table[host][found]
            table[host][found] = (variant, first if first == last else f"{first} to {last}")
    known = ",\n".join(f"  {json.dumps(host)}: {_block(rows)}" for host, rows in table.items())
    Path(KNOWN).write_text(f"{{\n{known}\n}}\n", encoding="utf-8")
    return 1 if unknown else 0


def _block(rows: dict[str, tuple[str, str]]) -> str:
    """The fingerprints of a host, a line each."""
    lines = (f"    {json.dumps(found)}: {json.dumps(row)}" for found, row in rows.items())
    return "{\n" + ",\n".join(lines) + "\n  }"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
