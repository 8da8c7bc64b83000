"""The options of testing are the same wherever they are taken."""

import inspect
from collections.abc import Callable
from dataclasses import fields
from typing import Any

import cranfield as cf
import pytest
from cranfield._cli import compare
from cranfield._scores.comparing import HowToTest

FIELDS = {field.name: (field.default, field.type) for field in fields(HowToTest)}


@pytest.mark.parametrize("function", [cf.compare, cf.Scores.compare])
def test_signatures_have_the_options_with_their_defaults(function: Callable[..., Any]) -> None:
    parameters = inspect.signature(function).parameters
    found = {name: (parameters[name].default, parameters[name].annotation) for name in FIELDS}
    assert found == FIELDS
    assert all(parameters[name].kind is inspect.Parameter.KEYWORD_ONLY for name in FIELDS)


def test_flags_have_the_same_defaults() -> None:
    args = compare.parser().parse_args(["qrels.txt", "runs"])
    assert HowToTest(**{name: getattr(args, name) for name in FIELDS}) == HowToTest()


def test_the_first_value_of_a_flag_is_its_default() -> None:
    holding = HowToTest().checked()
    actions = {action.dest: action for action in compare.parser()._actions}
    for name in ("test", "correction", "alternative", "effect"):
        choices = actions[name].choices
        assert choices is not None
        assert next(iter(choices)) == holding[name]
