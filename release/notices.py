"""Makes what wheels say of the crates that are in them: their licenses, and a bill of materials.

    python release/notices.py [--check]

The licenses are THIRD-PARTY-NOTICES.txt. The bill is CycloneDX; maturin's own has the time and the
folders of a build in it, so that no two wheels would be the same.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib
from collections import defaultdict
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).parent.parent
NOTICES = ROOT / "THIRD-PARTY-NOTICES.txt"
BILL = ROOT / "release" / "cranfield.cyclonedx.json"
HEAD = """\
cranfield contains the following Rust crates, on one system or another. Each is named with its
version and license; the texts of the licenses follow, each once. Where a crate may be used under
one of several licenses, cranfield uses it under MIT if that is one of them.

Made by release/notices.py from Cargo.lock.
"""
LINE = "=" * 100


class Crates(NamedTuple):
    """The packages in the extension; not those that only build or test."""

    own: list[dict[str, Any]]
    """Ours, by name; the extension is `cranfield-py`."""
    others: list[dict[str, Any]]
    """All others, by name and version."""
    used: dict[str, list[str]]
    """The packages that each of all uses, by identity."""


def linked() -> Crates:
    """What the extension is linked from, on one system or another."""
    command = ["cargo", "metadata", "--format-version", "1", "--locked"]
    text = subprocess.run(command, check=True, capture_output=True, text=True, cwd=ROOT).stdout
    metadata = json.loads(text)
    packages = {package["id"]: package for package in metadata["packages"]}
    nodes = {node["id"]: node["deps"] for node in metadata["resolve"]["nodes"]}
    (start,) = (key for key, package in packages.items() if package["name"] == "cranfield-py")
    used: dict[str, list[str]] = {}
    waiting = [start]
    while waiting:
        key = waiting.pop()
        if key not in used:
            used[key] = [
                dependency["pkg"]
                for dependency in nodes[key]
                if any(kind["kind"] is None for kind in dependency["dep_kinds"])
            ]
            waiting += used[key]
    found = sorted((packages[key] for key in used), key=lambda one: (one["name"], one["version"]))
    own = [package for package in found if package["source"] is None]
    return Crates(own, [package for package in found if package["source"] is not None], used)


def texts(package: dict[str, Any]) -> list[str]:
    """The license texts of a package that has several licenses: that of MIT, else all."""
    folder = Path(package["manifest_path"]).parent
    files = [
        path
        for path in sorted(folder.iterdir())
        if path.is_file() and path.name.upper().startswith(("LICEN", "COPYING", "NOTICE"))
    ]
    if "MIT" in (package["license"] or ""):
        files = [path for path in files if "MIT" in path.name.upper()] or files
    return [path.read_text("utf-8", errors="replace").strip() for path in files]


def notices(crates: Crates) -> str:
    """The text of all licenses."""
    packages = crates.others
    named = [
        f"{one['name']} {one['version']}: {one['license'] or 'see its text'}" for one in packages
    ]
    users: dict[str, list[str]] = defaultdict(list)
    for package in packages:
        for text in texts(package):
            # The same text with other line ends or spaces is the same.
            users["\n".join(line.rstrip() for line in text.splitlines())].append(package["name"])
    parts = [f"{LINE}\n{', '.join(names)}\n{LINE}\n\n{text}\n" for text, names in users.items()]
    return "\n".join([HEAD, *named, "", *parts])


def bill(crates: Crates) -> str:
    """The bill of materials, as JSON."""
    locked = tomllib.loads((ROOT / "Cargo.lock").read_text("utf-8"))["package"]
    sums = {(one["name"], one["version"]): one.get("checksum") for one in locked}
    packages = [*crates.own, *crates.others]
    names = {one["id"]: f"pkg:cargo/{one['name']}@{one['version']}" for one in packages}

    def component(package: dict[str, Any]) -> dict[str, Any]:
        described: dict[str, Any] = {
            "type": "library",
            "bom-ref": names[package["id"]],
            "name": package["name"],
            "version": package["version"],
            "purl": names[package["id"]],
        }
        if checksum := sums[package["name"], package["version"]]:
            described["hashes"] = [{"alg": "SHA-256", "content": checksum}]
        if package["license"]:
            # Cargo allowed a slash once, which means the same.
            expression = " OR ".join(part.strip() for part in package["license"].split("/"))
            described["licenses"] = [{"expression": expression}]
        return described

    extension = next(one for one in crates.own if one["name"] == "cranfield-py")
    document = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {"component": component(extension)},
        "components": [component(one) for one in packages if one is not extension],
        "dependencies": [
            {
                "ref": names[one["id"]],
                "dependsOn": sorted({names[key] for key in crates.used[one["id"]]}),
            }
            for one in packages
        ],
    }
    return json.dumps(document, indent=1) + "\n"


def main() -> str | None:
    crates = linked()
    stale = []
    for path, text in ((NOTICES, notices(crates)), (BILL, bill(crates))):
        if "--check" not in sys.argv[1:]:
            path.write_text(text, "utf-8")
        elif not path.is_file() or path.read_text("utf-8") != text:
            stale.append(path.name)
    if stale:
        return f"not those of Cargo.lock: {', '.join(stale)}; run python release/notices.py"
    return None


if __name__ == "__main__":
    sys.exit(main())
