"""What was measured as JSON, in pytest-benchmark's format, and back.

``pytest-benchmark compare`` and actions that watch benchmarks read it. What that
format has no place for stands under ``extra_info``: the ratio to the other side,
lines a second, wall time, versions.
"""

from __future__ import annotations

import json
import os
import platform
import statistics
import subprocess
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple

from cranfield._base.errors import failure
from cranfield._bench.race import Result, Side
from cranfield._io import small_files

FORMAT = "5.1.0"
"""The version of pytest-benchmark whose format this is."""

FORMS = ("pytest-benchmark", "customBiggerIsBetter", "customSmallerIsBetter")
"""Formats: the two last are those of github-action-benchmark."""


def title(result: Result) -> str:
    """What a result is called, the same at every call."""
    competitor = "" if result.other is None else f", against {result.other.engine}"
    return f"{result.kind} {result.label}, {result.asked}{competitor}"


def document(results: Sequence[Result], form: str = FORMS[0]) -> Any:
    """The results in one of the formats."""
    if form != FORMS[0]:
        bigger = form == "customBiggerIsBetter"
        return [
            {
                "name": title(result),
                "unit": "lines/s" if bigger else "ns/line",
                "value": result.lines_per_second if bigger else 1e9 / result.lines_per_second,
                "extra": _ratio_text(result),
            }
            for result in results
        ]
    return {
        "machine_info": machine(),
        "commit_info": commit(),
        "benchmarks": [entry for result in results for entry in _entries(result)],
        "datetime": datetime.now(UTC).isoformat(),
        "version": FORMAT,
    }


def _ratio_text(result: Result) -> str:
    if result.other is None or result.ratio is None:
        return ""
    return f"{result.ratio:.1f} times as fast as {result.other.engine} {result.other.version}"


def _entries(result: Result) -> Iterator[dict[str, Any]]:
    """Cranfield and the other engine, a benchmark each."""
    for side in filter(None, (result.own, result.other)):
        own = side is result.own
        params = {"kind": result.kind, "size": result.label, "measures": result.asked}
        yield {
            "group": title(result),
            "name": f"{side.engine}: {title(result)}",
            "fullname": f"cranfield bench::{side.engine}: {title(result)}",
            "params": params,
            "param": f"{result.kind}-{result.label}-{result.asked}",
            "extra_info": {
                "engine": side.engine,
                "version": side.version,
                "lines": result.lines,
                "lines_per_s": result.lines / side.median,
                "ns_per_line": side.median / result.lines * 1e9,
                "ns_per_topic": side.median / result.lists * 1e9,
                "measures": len(result.measures),
                "clock": "CPU time, user and system",
                "wall_median_s": statistics.median(side.wall),
                "first_call_s": side.first,
                **({"ratio": result.ratio} if own and result.ratio is not None else {}),
            },
            "options": {
                "disable_gc": True,
                "timer": "process_time",
                "min_rounds": len(side.cpu),
                "max_time": 0.0,
                "min_time": 0.0,
                "warmup": True,
            },
            "stats": stats(side),
        }


def stats(side: Side) -> dict[str, Any]:
    """The statistics of a side's rounds, as pytest-benchmark names them."""
    data = sorted(side.cpu)
    mean = statistics.fmean(data)
    deviation = statistics.stdev(data) if len(data) > 1 else 0.0
    q1, _, q3 = statistics.quantiles(data, n=4, method="inclusive") if len(data) > 1 else data * 3
    low, high = q1 - 1.5 * (q3 - q1), q3 + 1.5 * (q3 - q1)
    far = sum(not low <= value <= high for value in data)
    beyond = sum(abs(value - mean) > deviation for value in data)
    return {
        "min": data[0],
        "max": data[-1],
        "mean": mean,
        "stddev": deviation,
        "rounds": len(data),
        "median": statistics.median(data),
        "iqr": q3 - q1,
        "q1": q1,
        "q3": q3,
        "iqr_outliers": far,
        "stddev_outliers": beyond,
        "outliers": f"{beyond};{far}",
        "ld15iqr": min(value for value in data if value >= low),
        "hd15iqr": max(value for value in data if value <= high),
        "ops": 1 / mean,
        "total": sum(data) * side.iterations,
        "data": list(side.cpu),
        "iterations": side.iterations,
    }


def machine() -> dict[str, Any]:
    """What the times were measured on."""
    names = ("processor", "machine", "python_compiler", "python_implementation", "python_version")
    return {
        "node": "",
        **{name: getattr(platform, name)() for name in (*names, "release", "system")},
        "python_implementation_version": platform.python_version(),
        "python_build": list(platform.python_build()),
        "cpu": {"brand_raw": _processor(), "count": os.cpu_count(), "arch": platform.machine()},
    }


def _processor() -> str:
    """The processor's name, where the system reports it."""
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as lines:
            names = [line.partition(":")[2].strip() for line in lines if "model name" in line]
    except OSError:
        names = []
    return names[0] if names else platform.processor()


def commit() -> dict[str, Any]:
    """The commit of the folder that the work was done in."""

    def git(*words: str) -> str:
        done = subprocess.run(["git", *words], capture_output=True, text=True, check=True)
        return done.stdout.strip()

    info: dict[str, Any] = {
        "id": "unversioned",
        "time": None,
        "author_time": None,
        "dirty": False,
        "project": os.path.basename(os.getcwd()),
        "branch": "(unknown)",
    }
    try:
        info["id"] = git("rev-parse", "HEAD")
        info["time"] = git("show", "-s", "--pretty=format:%cI")
        info["author_time"] = git("show", "-s", "--pretty=format:%aI")
        info["dirty"] = bool(git("status", "--porcelain", "--untracked-files=no"))
        info["branch"] = git("rev-parse", "--abbrev-ref", "HEAD")
    except (OSError, subprocess.CalledProcessError):
        pass
    return info


class Earlier(NamedTuple):
    """Cranfield's side of a result that was written before."""

    seconds: float
    """Median CPU time."""
    ratio: float | None
    lines: int


def read(path: str) -> dict[str, Earlier]:
    """The results of a file that ``document`` made, by title.

    Raises ``Error``: kind "missing" or "io" for what cannot be read, "type" for
    a file of something else.
    """
    try:
        content = small_files.json_value(
            small_files.content(path).decode("utf-8-sig", "surrogateescape"), path
        )
    except json.JSONDecodeError as error:
        raise failure("type", f"broken JSON: {error}", file=path) from None
    try:
        found = {
            entry["group"]: Earlier(
                float(entry["stats"]["median"]),
                entry["extra_info"].get("ratio"),
                int(entry["extra_info"]["lines"]),
            )
            for entry in content["benchmarks"]
            if entry["extra_info"]["engine"] == "cranfield"
        }
    except (KeyError, TypeError, ValueError, AttributeError):
        message = "expected results as `cranfield bench --json` writes them"
        raise failure("type", message, file=path) from None
    if not found:
        raise failure("empty", "expected results, found none", file=path)
    return found


def regressions(
    results: Sequence[Result], baseline: dict[str, Earlier], path: str
) -> Iterator[tuple[str, float]]:
    """How each result stands to that of the baseline: a sentence, and by how much it is worse.

    By the ratio to the other evaluator where there is one, since that is nearly
    the same on all machines; otherwise by CPU time. Below 0 it is better, as a proportion of
    the baseline. Raises ``Error`` (kind "label") for work that the baseline lacks or did on
    another amount of lines.
    """
    for result in results:
        name = title(result)
        earlier = baseline.get(name)
        if earlier is None:
            known = "; ".join(baseline)
            raise failure("label", f"no result for {name}; there are: {known}", file=path)
        if earlier.lines != result.lines:
            message = f"{name}: {earlier.lines} lines then, {result.lines} now"
            raise failure("label", message, file=path)
        if result.ratio is not None and earlier.ratio is not None and result.other is not None:
            what, before, now = f"ratio to {result.other.engine}", earlier.ratio, result.ratio
            change = before / now - 1
        else:
            what, before, now = "CPU seconds", earlier.seconds, result.own.median
            change = now / before - 1
        better = "worse" if change > 0 else "better"
        yield f"{name}: {what} {before:.4g}, now {now:.4g}: {abs(change):.1%} {better}", change
