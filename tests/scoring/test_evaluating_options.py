"""The core's table of evaluating options, and what is held to it."""

from __future__ import annotations

import inspect
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any, Literal

import cranfield as cf
import pytest
from cranfield import curves
from cranfield._core import DEFAULT_BOUNDED, DEFAULT_COMPARED, DEFAULT_MEASURES, evaluating_options

from tests.commands import called

OPTIONS = {option["name"]: option for option in evaluating_options()}
OF_CALLS = {"lengths", "limits", "progress"}
NOT_RANKING = {name for name, option in OPTIONS.items() if option["stage"] == "scoring"}
KINDS = {"count": "int", "flag": "bool", "columns": "Mapping[str, str]"}
QRELS = {"1": {"a": 1, "b": 0}}
RUN = {"1": {"a": 2.0, "b": 1.0}}
RUNS = {"x": RUN, "y": {"1": {"a": 1.0}}}


def default(option: dict[str, Any]) -> Any:
    """What the signature of ``evaluate`` has for an option."""
    if option["takes"] == "flag":
        return False
    return None if option["otherwise"] else option["words"][0]


def test_evaluate_has_every_option_with_its_default_and_its_type() -> None:
    parameters = inspect.signature(cf.evaluate).parameters
    named = {n: p for n, p in parameters.items() if p.kind is p.KEYWORD_ONLY}
    assert set(named) == {*OPTIONS, *OF_CALLS}
    for name, option in OPTIONS.items():
        assert named[name].default == default(option), name
        kind = named[name].annotation.removesuffix(" | None")
        if option["takes"] != "word":
            assert kind == KINDS[option["takes"]]
            continue
        words = eval(kind, {"Literal": Literal})
        left_out = {"bounds"} if name == "ties" else set()
        assert set(words.__args__) == set(option["words"]) - left_out, name
        assert (" | None" in named[name].annotation) == bool(option["otherwise"])


@pytest.mark.parametrize("function", [cf.bounds, cf.compare, cf.diff, cf.tie_bounds])
def test_no_function_has_a_keyword_of_its_own_by_the_name_of_an_option(
    function: Callable[..., Any],
) -> None:
    own = {n for n, p in inspect.signature(function).parameters.items() if p.kind != p.VAR_KEYWORD}
    taken = own & (OPTIONS.keys() - OF_CALLS)
    assert not taken, f"{function.__name__} has its own {taken}: give the option another name"


def test_docstrings_name_options_and_default_measures() -> None:
    text = inspect.getdoc(cf.evaluate) or ""
    for name, option in OPTIONS.items():
        assert f"\n{name}\n" in text
        body = text.split(f"\n{name}\n", 1)[1].split("\n\n", 1)[0]
        for word in option["words"]:
            assert f'"{word}"' in body or (name, word) == ("ties", "bounds"), (name, word)
    measures = {cf.evaluate: DEFAULT_MEASURES, cf.bounds: DEFAULT_BOUNDED}
    for function, names in {**measures, cf.compare: DEFAULT_COMPARED}.items():
        assert names in " ".join((inspect.getdoc(function) or "").split())


Call = Callable[..., object]
CALLS: dict[str, tuple[Call, set[str]]] = {
    "evaluate": (lambda **o: cf.evaluate(QRELS, RUN, "AP", **o), set()),
    "Evaluator": (lambda **o: cf.Evaluator(QRELS, "AP", **o), set()),
    "bounds": (lambda **o: cf.bounds(QRELS, RUN, "AP", **o), {"ties"}),
    "tie_bounds": (lambda **o: cf.tie_bounds(QRELS, RUN, "AP", **o), {"ties"}),
    "compare": (lambda **o: cf.compare(QRELS, RUNS, "AP", **o), {"ties"}),
    "diff": (lambda **o: cf.diff(QRELS, RUN, RUNS["y"], "AP", **o), {"ties"}),
    "describe": (
        lambda **o: cf.describe(QRELS, RUN, **o),
        NOT_RANKING - {"negative"} | {"depth"},
    ),
    "rank": (lambda **o: cf.collection.rank(QRELS, RUN, **o), NOT_RANKING),
    "pool": (lambda **o: cf.collection.pool(RUN, **o), NOT_RANKING),
    "precision_recall": (lambda **o: curves.precision_recall(QRELS, RUN, **o), {"ties"}),
    "preferences": (lambda **o: cf.preferences(QRELS, RUNS, **o), {"ties"}),
}


@pytest.mark.parametrize("name", CALLS)
def test_a_keyword_that_a_function_does_not_have_is_a_type_error(name: str) -> None:
    call, refused = CALLS[name]
    for keyword in ("mising", *refused):
        with pytest.raises(TypeError, match=f"unexpected keyword argument '{keyword}'"):
            call(**{keyword: OPTIONS["missing"]["words"][0]})


@pytest.mark.parametrize("name", CALLS)
def test_every_other_option_reaches_the_core(name: str) -> None:
    call, refused = CALLS[name]
    for keyword in OPTIONS.keys() - refused:
        with pytest.raises(cf.Error) as caught:
            call(**{keyword: object()})
        assert caught.value.kind == "option"
        assert keyword in str(caught.value) or "number of threads" in str(caught.value)


@pytest.mark.parametrize("command", ["eval", "compare", "diff"])
def test_a_flag_for_each_option(command: str) -> None:
    done = called(command, "--help-all")
    assert done.returncode == 0, done.stderr
    text = " ".join(done.stdout.split())
    for name, option in OPTIONS.items():
        if name == "ties" and command != "eval":
            continue
        assert f"--{name.replace('_', '-')}" in text
        # Long words are broken where a line ends.
        assert option["summary"].replace(" ", "")[:30] in text.replace(" ", "")


def test_a_type_checker_finds_wrong_words(tmp_path: Path) -> None:
    wrong = [
        'cf.evaluate({}, {}, "AP", missing="zerooo")',
        'cf.evaluate({}, {}, "AP", ties="bounds")',
        'cf.Evaluator({}, "AP", order="score")',
        'cf.compare({}, {}, "AP", negative="zero")',
        'cf.bounds({}, {}, "AP", run_layout="xlsx")',
        'cf.collection.rank({}, {}, missing="zero")',
    ]
    file = tmp_path / "wrong.py"
    right = 'cf.evaluate({}, {}, "AP", missing="zero", ties="average", depth=3)'
    submodules = ", ".join(
        f"cf.{name}" for name in dir(cf) if isinstance(getattr(cf, name), ModuleType)
    )
    file.write_text("\n".join(["import cranfield as cf", *wrong, right, submodules, ""]))
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--config-file=", str(file)],
        capture_output=True,
        text=True,
        check=False,
    )
    lines = [line for line in done.stdout.splitlines() if ": error:" in line]
    assert [int(line.split(":")[1]) for line in lines] == [2, 3, 4, 5, 6, 7], done.stdout
