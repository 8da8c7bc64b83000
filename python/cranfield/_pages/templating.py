"""Templates to fragments: everything from data is escaped here and nowhere else."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from cranfield._base.text import UNDEFINED, counted, number, printable, pvalue
from cranfield._stats.registry import CORRECTIONS, TESTS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


@dataclass(frozen=True)
class Section:
    """A part of a page: its anchor, its heading and what stands under it."""

    id: str
    title: str
    body: Markup

    def named(self, anchor: str) -> Section:
        """The same under another anchor."""
        return Section(anchor, self.title, self.body)


def section(template: str, heading: str, /, **context: Any) -> Section:
    """The section that the template of this name makes."""
    return Section(template, heading, rendered(f"{template}.html", **context))


def rendered(template: str, /, **context: Any) -> Markup:
    """A template with its holes filled."""
    return Markup(environment().get_template(template).render(**context))


@cache
def environment() -> Environment:
    """The templates of this package, with the filters that they use."""
    found = Environment(
        loader=PackageLoader("cranfield._pages"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=False,
    )
    found.filters.update(
        shown=printable,
        minus=minus,
        n=plain,
        signed=signed,
        percent=lambda value: unbroken(percent(value)),
        unbroken=unbroken,
        p=pvalue,
        exact=exact,
        counted=counted,
        tau=tau,
        test=lambda name: TESTS[name].title,
        method=CORRECTIONS.__getitem__,
    )
    return found


def plain(value: float, *, count: bool = False) -> str:
    """A value as people read it."""
    return minus(number(value, count=count))


def signed(value: float) -> str:
    """A difference: with its sign, unless it looks like 0."""
    return minus(number(value, sign="+"))


def minus(text: str) -> str:
    """A number with a minus sign in place of a hyphen."""
    return text if text == UNDEFINED else text.replace("-", "−")  # noqa: RUF001


def percent(value: float | None) -> str:
    """A share."""
    return UNDEFINED if value is None or math.isnan(value) else f"{100 * value:.0f} %"


def unbroken(text: str) -> str:
    """A text in which no number ends a line apart from its sign of percent."""
    return text.replace(" %", "\N{NO-BREAK SPACE}%")


def tau(value: float) -> str:
    """A coefficient to two decimals."""
    return UNDEFINED if math.isnan(value) else minus(f"{value:.2f}")


def exact(value: float) -> str:
    """Every digit, for sorting and machine-readable output; nothing for what is undefined."""
    return "" if math.isnan(value) else repr(float(value))
