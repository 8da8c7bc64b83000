"""``cranfield completion``, in the shells themselves."""

from __future__ import annotations

import os
import pty
import select
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.cli.calls import call, failed

LINES = {
    "cranfield ev": "cranfield eval",
    "cranfield eval --forma": "cranfield eval --format",
    "cranfield eval --format prot": "cranfield eval --format prototext",
    "cranfield eval q.txt --ties av": "cranfield eval q.txt --ties average",
    "cranfield eval -m nDCG_": "cranfield eval -m nDCG_rel",
    "cranfield measures Fallo": "cranfield measures Fallout",
    "cranfield study incompl": "cranfield study incompleteness",
    "cranfield eval onl": "cranfield eval only-this.run",
    "cranfield eval q.txt r.run onl": "cranfield eval q.txt r.run only-this.run",
    "cranfield eval -o onl": "cranfield eval -o only-this.run",
    "cranfield compare --base": "cranfield compare --baseline",
    "cranfield compare --baseline onl": "cranfield compare --baseline only-this.run",
    "cranfield completion fi": "cranfield completion fish",
    "cranfield trec_eval onl": "cranfield trec_eval only-this.run",
}
"""Lines as far as they are typed, and what they become."""


@pytest.fixture(scope="module", params=["bash", "zsh", "fish"])
def shell(request: pytest.FixtureRequest) -> str:
    """A shell of this machine."""
    name: str = request.param
    pytest.importorskip("shtab", reason="shtab is not installed")
    if shutil.which(name) is None:
        pytest.skip(f"{name} is not installed")
    return name


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, shell: str) -> Path:
    """A folder with one file, the script, and nothing else."""
    folder = tmp_path_factory.mktemp("completion")
    done = call(folder, "completion", shell)
    assert (done.returncode, done.stderr) == (0, "")
    (folder / ".script").mkdir()
    (folder / ".script" / "_cranfield").write_text(done.stdout)
    (folder / "only-this.run").write_text("")
    return folder


def completed(shell: str, folder: Path, line: str) -> str:
    """A line after the key that completes."""
    return {"bash": of_bash, "zsh": of_zsh, "fish": of_fish}[shell](folder, line).rstrip()


def printed(folder: Path, *command: str) -> list[str]:
    environment = {**os.environ, "XDG_CONFIG_HOME": str(folder), "HOME": str(folder)}
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=True
    )
    assert done.stderr == ""
    return done.stdout.splitlines()


def joined(line: str, found: list[str]) -> str:
    """The line with the one word that completes it."""
    assert len(found) == 1, found
    return f"{line.rpartition(' ')[0]} {found[0]}"


def of_bash(folder: Path, line: str) -> str:
    code = (
        "source .script/_cranfield; COMP_WORDS=($1); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); "
        "COMP_LINE=$1; COMP_POINT=${#1}; set -- $(complete -p cranfield); "
        'while [ "$1" != -F ]; do shift; done; '
        '$2 cranfield "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"; '
        'printf "%s\\n" "${COMPREPLY[@]}"'
    )
    return joined(line, printed(folder, "bash", "--norc", "-c", code, "bash", line))


def of_fish(folder: Path, line: str) -> str:
    code = "source .script/_cranfield; complete -C $argv[1]"
    found = printed(folder, "fish", "--no-config", "-c", code, line)
    return joined(line, [text.partition("\t")[0] for text in found])


def of_zsh(folder: Path, line: str) -> str:
    """Types the line and the key, and has the shell print what it then holds."""
    setting = (
        "PS1= PS2= RPS1=; unsetopt zle_bracketed_paste prompt_cr prompt_sp 2>/dev/null; "
        "fpath=($PWD/.script $fpath); autoload -Uz compinit; compinit -u -D; print ready\n"
    )
    process, terminal = pty.fork()
    if process == 0:  # pragma: no cover - the other process
        os.chdir(folder)
        os.environ["TERM"] = "dumb"
        os.execvp("zsh", ["zsh", "-f", "-i"])
    try:
        os.write(terminal, setting.encode())
        read_until(terminal, "\nready")
        # Control-A goes to the beginning of the line, before what was completed.
        os.write(terminal, f"{line}\t".encode())
        time.sleep(0.3)
        os.write(terminal, b"\x01print -r -- '<' \x05 '>'\n")
        text = read_until(terminal, " >\r\n")
    finally:
        os.kill(process, 9)
        os.waitpid(process, 0)
        os.close(terminal)
    return text.rpartition("\n< ")[2].partition(" >")[0]


def read_until(terminal: int, end: str) -> str:
    """What the terminal shows up to a text."""
    shown, patience = "", time.monotonic() + 20
    while end not in shown:
        assert time.monotonic() < patience, shown
        if select.select([terminal], [], [], 0.5)[0]:
            shown += os.read(terminal, 65536).decode(errors="replace")
    return shown


@pytest.mark.parametrize("line", LINES)
def test_a_line_is_completed(shell: str, folder: Path, line: str) -> None:
    assert completed(shell, folder, line) == LINES[line]


def test_every_option_of_every_command_is_offered(shell: str, folder: Path) -> None:
    from importlib import import_module

    from cranfield._cli import COMMANDS

    script = (folder / ".script" / "_cranfield").read_text()
    for name in COMMANDS:
        assert name in script
        if name != "trec_eval":
            module = import_module(f"cranfield._cli.{name.replace('-', '_')}")
            parser = module.parser()
            flags = {flag for action in parser._actions for flag in action.option_strings}
            # fish writes an option without its dashes.
            for flag in flags:
                assert flag in script or f" {flag.lstrip('-')}" in script, flag


def test_an_unknown_shell_is_exit_2(tmp_path: Path) -> None:
    assert "invalid choice: 'tcsh'" in failed(tmp_path, "completion", "tcsh")


def test_without_shtab_it_says_what_to_install(tmp_path: Path) -> None:
    code = (
        "import sys; sys.modules['shtab'] = None; "
        "from cranfield._cli import main; sys.exit(main(['completion', 'bash']))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (2, "")
    assert "pip install 'cranfield[completion]'" in done.stderr
