"""``cranfield audit``: which conventions explain what another implementation computes."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from argparse import Namespace
from collections.abc import Callable, Iterator

from cranfield._analysis.audit import MEASURES, Audit, audit, vectors
from cranfield._base.errors import failure, shown
from cranfield._cli import output
from cranfield._cli.options import changed, command
from cranfield._cli.parser import Parser, choice, integer, option
from cranfield._cli.streams import UsageError
from cranfield._io import small_files
from cranfield._table import writers
from cranfield._table.result import for_people
from cranfield._table.tables import Setting

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

MOST_BYTES = 1 << 20
"""A command that prints more than this prints nonsense."""

OPEN = 1
"""The exit status if not every answer is explained."""


def parser() -> Parser:
    """The arguments of the command."""
    return command(
        "audit",
        "Asks another implementation of nDCG, AP, RR, P or R for 25 small cases, each of which "
        "isolates one thing, and names the conventions that explain its answers, with the tools "
        "that are known for them.",
        "exit status:\n"
        "  0  every answer is explained\n"
        "  1  some are not\n"
        "  2  bad input, or a command that failed\n\n"
        "examples:\n"
        "  cranfield audit --python mypackage.metrics:ndcg --measure nDCG\n"
        "  cranfield audit --command './score --json' --measure AP\n"
        "  cranfield audit --export vectors.json\n"
        "  cranfield audit answers.json",
        option(
            "answers",
            "ANSWERS",
            "answers to the cases of --export: JSON objects with case and value, or {case: value}",
            nargs="?",
        ),
        option(
            "--python",
            "MODULE:FUNCTION",
            "a Python function, called as f(retrieved, relevant, k): a list of ids, best first, "
            "{id: grade}, and the cutoff",
        ),
        option(
            "--command",
            "COMMAND",
            "a command that reads a JSON object a line (case, topic, retrieved, scores, judgments, "
            'k) and prints one each (case, value): null for a topic left out, "error" for refused',
        ),
        choice("--measure", MEASURES, "what it computes (default: what explains the most answers)"),
        integer("--timeout", "number of seconds", "seconds that the command has (default 30)"),
        option(
            "--export",
            "FILE",
            "write the cases, with the expected values under each convention, and stop",
            type=os.path.expanduser,
        ),
        changed("--format", choices=output.FORMATS),
        *("--output", "--digits", "--quiet"),
    )


def run(args: Namespace) -> int:
    """Carries the command out."""
    given = [name for name in ("answers", "python", "command", "export") if getattr(args, name)]
    if len(given) != 1:
        raise UsageError("expected one of ANSWERS, --python, --command and --export")
    if args.export is not None:
        text = json.dumps(vectors(), ensure_ascii=False, indent=1) + "\n"
        output.check(args.export)
        output.write_page(args.export, text, quiet=args.quiet)
        return 0
    form = output.form(args.output, args.format, output.FORMATS)
    if args.python is not None:
        found = audit(_function(args.python), args.measure)
    elif args.command is not None:
        text = _printed(args.command, args.timeout or 30)
        found = audit(_answers(text, args.command), args.measure)
    else:
        data = small_files.content(args.answers)
        text = data.decode("utf-8-sig", "replace")
        found = audit(_answers(text, args.answers), args.measure)
    output.write_tables(args.output, _data(found, form, args), form, "Audit", "Audit")
    return 0 if all(found.explained) else OPEN


def _data(found: Audit, form: str, args: Namespace) -> str:
    if form in output.PEOPLE:
        setting = Setting(output.width(args.output), label="tab:audit")
        return for_people(found, form, args.digits, setting)
    if form == "json":
        content = {
            "measure": found.measure,
            "conventions": list(found.conventions),
            "known": list(found.known),
            "explained": sum(found.explained),
            "cases": [dict(zip(found.columns(), row, strict=True)) for row in _rows(found)],
        }
        return writers.in_json(content)
    return output.separated({"all": found.table()}, form)


def _rows(found: Audit) -> Iterator[tuple[Any, ...]]:
    return zip(*found.columns().values(), strict=True)


def _function(text: str) -> Callable[..., Any]:
    """The function that a text names; modules of the folder are found, too."""
    from importlib import import_module

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
    import shlex
    from threading import Timer

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
    from contextlib import suppress

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
