"""``cranfield install-as``: whether new interpreters look at ``CRANFIELD_INSTALL_AS``."""

from __future__ import annotations

import os

from cranfield._base.errors import failure
from cranfield._cli import messages, output
from cranfield._cli.arguments import Parser
from cranfield._core import Error, write_file
from cranfield._table import writers
from cranfield.compat._installing import (
    HOOK_FILE,
    HOOKS,
    NAMES,
    STAND_INS,
    VARIABLE,
    hook_files,
    names_in,
    site_folders,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace

LINE = (
    f"import os, sys; exec('try:\\n from cranfield.compat._installing import at_start\\n at_start()"
    f'\\nexcept Exception as error:\\n print("cranfield: {VARIABLE} has no effect:", error, '
    f"file=sys.stderr)') if os.environ.get('{VARIABLE}') else None\n"
)
"""What Python executes at its start; without the variable it looks at it and no more."""


def parser() -> Parser:
    """The arguments of the command."""
    parser = Parser(
        "cranfield install-as",
        f"Lets every Python process of this environment look at the variable {VARIABLE}: in those "
        "where it names packages, cranfield takes their place, whatever starts the process "
        "(multiprocessing, joblib, Ray, DataLoader). Without the variable nothing changes.",
        "examples:\n"
        "  cranfield install-as --enable\n"
        f"  {VARIABLE}=pytrec_eval python evaluate.py\n"
        f"  {VARIABLE}=beir,mteb,ir_measures python evaluate.py\n"
        f"  {VARIABLE}=all python evaluate.py\n\n"
        f"names: {', '.join(NAMES)}",
    )
    what = parser.add_mutually_exclusive_group()
    what.add_argument(
        "--enable", action="store_true", help=f"write {HOOK_FILE} into this environment"
    )
    what.add_argument("--disable", action="store_true", help="remove that file")
    what.add_argument(
        "--status", action="store_true", help="say what new processes will do (the default)"
    )
    return parser


def run(args: Namespace) -> int:
    """Carries the command out."""
    if args.enable:
        messages.say(f"wrote {_enable()}; new processes look at {VARIABLE}")
    elif args.disable:
        found = hook_files()
        for path in found:
            try:
                os.unlink(path)
            except OSError as error:
                raise failure("io", f"cannot remove it: {error.strerror}", file=path) from error
            messages.say(f"removed {path}")
        if not found:
            messages.say(f"{HOOK_FILE} is in none of {', '.join(site_folders())}")
    else:
        output.write(output.STDOUT, writers.encoded(_status()))
    return 0


def _enable() -> str:
    """Writes the file where Python reads it, and returns its path."""
    refused = []
    for folder in site_folders():
        path = os.path.join(folder, HOOK_FILE)
        try:
            os.makedirs(folder, exist_ok=True)
            write_file(path, LINE.encode())
        except OSError as error:
            refused.append(f"{path}: {error.strerror}")
        except Error as error:
            refused.append(str(error))
        else:
            return path
    raise failure("io", f"expected a folder that may be written, found none: {'; '.join(refused)}")


def _status() -> str:
    """What new processes will do, a line each."""
    files, text = hook_files(), os.environ.get(VARIABLE)
    lines = [f"enabled in {path}" for path in files] or [
        f"not enabled: `cranfield install-as --enable` makes new processes look at {VARIABLE}"
    ]
    lines.append(f"{VARIABLE}={text}" if text else f"{VARIABLE} is not set")
    for name in names_in(text or ""):
        if name in STAND_INS:
            lines.append(f"{name}: {STAND_INS[name]} stands in for it")
        elif name in HOOKS:
            lines.append(f"{name}: the hook cranfield.integrations.{name} is put into it")
        else:
            lines.append(f"{name}: not known; expected {', '.join(NAMES)} or all")
    return "".join(f"{line}\n" for line in lines)
