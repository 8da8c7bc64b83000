"""``cranfield audit``: which conventions explain what another implementation computes.

Asks another implementation of nDCG, AP, RR, P or R for 25 small cases, each of which isolates one
thing, and names the conventions that explain its answers, with the tools that are known for them.

exit status:
  0  every answer is explained
  1  some are not
  2  bad input, or a command that failed

examples:
  cranfield audit --python mypackage.metrics:ndcg --measure nDCG
  cranfield audit --command './score --json' --measure AP
  cranfield audit --export vectors.json
  cranfield audit answers.json
"""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import sys
from argparse import Namespace
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from importlib import import_module
from threading import Timer
from typing import Any

from cranfield._analysis.audit import MEASURES, Audit, audit, vectors
from cranfield._base.errors import failure, shown
from cranfield._cli import options, output
from cranfield._cli.parser import Parser
from cranfield._cli.streams import UsageError
from cranfield._io import small_files

MOST_BYTES = 1 << 20
"""A command that prints more than this prints nonsense."""

OPEN = 1
"""The exit status if not every answer is explained."""


def parser() -> Parser:
    """The arguments of the command."""
    return options.command(
        "audit",
        __doc__,
        options.option("answers ANSWERS", nargs="?"),
        options.option("--python MODULE:FUNCTION"),
        options.option("--command COMMAND"),
        options.choice("--measure", MEASURES),
        options.integer("--timeout", "number of seconds"),
        options.option("--export FILE", type=os.path.expanduser),
        "--format --output --digits --quiet",
    )


def run(args: Namespace) -> int:
    """Carries the command out."""
    given = [name for name in ("answers", "python", "command", "export") if getattr(args, name)]
    if len(given) != 1:
        raise UsageError("expected one of ANSWERS, --python, --command and --export")
    if args.export is not None:
        text = json.dumps(vectors(), ensure_ascii=False, indent=1) + "\n"
        output.check(args.export)
        output.write_page(args.export, text)
        return 0
    form = output.form(args.output, args.format, output.FORMATS)
    if args.python is not None:
        found = audit(_function(args.python), args.measure)
    elif args.command is not None:
        text = _printed(args.command, args.timeout or 30)
        found = audit(_answers(text, args.command), args.measure)
    else:
        text = small_files.content(args.answers).decode("utf-8-sig", "replace")
        found = audit(_answers(text, args.answers), args.measure)
    data = output.of_result(found, form, args, partial(_content, found), label="tab:audit")
    output.write_tables(args.output, data, form, "Audit", "Audit")
    return 0 if all(found.explained) else OPEN


def _content(found: Audit) -> dict[str, Any]:
    """What JSON has."""
    columns = found.columns()
    rows = zip(*columns.values(), strict=True)
    return {
        "measure": found.measure,
        "conventions": list(found.conventions),
        "known": list(found.known),
        "explained": sum(found.explained),
        "cases": [dict(zip(columns, row, strict=True)) for row in rows],
    }


def _function(text: str) -> Callable[..., Any]:
    """The function that a text names; modules of the folder are found, too."""
    module, colon, name = text.partition(":")
    if not colon or not module or not name:
        raise UsageError(f"expected MODULE:FUNCTION such as mypackage.metrics:ndcg, found {text}")
    sys.path.insert(0, os.getcwd())
    try:
        found: Any = import_module(module)
        for part in name.split("."):
            found = getattr(found, part)
    except Exception as error:
        message = f"{text} cannot be imported: {type(error).__name__}: {error}"
        raise failure("missing", message) from None
    if not callable(found):
        raise failure("type", f"expected a function, found {text}, {shown(found)}")
    function: Callable[..., Any] = found
    return function


def _printed(words: str, seconds: int) -> str:
    """What a command prints for the cases; raises ``Error`` for one that fails or hangs."""
    lines = []
    for case in vectors()["cases"]:
        (topic,) = case["topics"]
        lines.append(json.dumps({"case": case["id"], **topic, "k": case["k"]}) + "\n")
    try:
        process = subprocess.Popen(
            shlex.split(words),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,
        )
    except (OSError, ValueError) as error:
        raise failure("missing", f"the command cannot be started: {error}") from None
    late = []

    def kill() -> None:
        late.append(True)
        _end(process)

    timer = Timer(seconds, kill)
    timer.start()
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        try:
            process.stdin.write("".join(lines).encode())
            process.stdin.close()
        except BrokenPipeError:
            pass
        data = process.stdout.read(MOST_BYTES + 1)
        if len(data) > MOST_BYTES:
            raise failure("fields", f"the command printed more than {MOST_BYTES:,} bytes")
        code = process.wait()
    finally:
        timer.cancel()
        _end(process)
    if late:
        raise failure("io", f"the command did not end within {seconds} seconds (--timeout)")
    if code != 0:
        raise failure("io", f"the command ended with the exit status {code}")
    return data.decode("utf-8", "replace")


def _end(process: subprocess.Popen[bytes]) -> None:
    """Ends a command and what it started."""
    if process.poll() is None:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)


def _answers(text: str, where: str) -> dict[str, Any]:
    """The answers in a text: an array or lines of objects, or {case: value}."""
    try:
        content = json.loads(text)
    except ValueError:
        content = [_object(line, number, where) for number, line in enumerate(text.splitlines(), 1)]
    if isinstance(content, dict) and "case" not in content:
        content = content.get("answers", content)
    if isinstance(content, dict) and "case" not in content:
        return content
    found: dict[str, Any] = {}
    for entry in content if isinstance(content, list) else [content]:
        if not isinstance(entry, dict) or not isinstance(entry.get("case"), str):
            message = "expected objects with case and value, found"
            raise failure("fields", f"{message} {shown(entry)}", file=where)
        if "value" not in entry and "error" not in entry:
            message = f"the answer to the case {entry['case']} has no value"
            raise failure("fields", message, file=where)
        if entry["case"] in found:
            raise failure("duplicate", f"the case {entry['case']} comes twice", file=where)
        found[entry["case"]] = str(entry["error"]) if entry.get("error") else entry.get("value")
    return found


def _object(line: str, number: int, where: str) -> Any:
    try:
        return json.loads(line)
    except ValueError:
        message = f"expected a JSON object a line, found {line[:60]!r}"
        raise failure("fields", message, file=where, line=number) from None
