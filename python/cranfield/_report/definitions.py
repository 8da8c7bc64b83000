"""What the measures of the report are."""

from __future__ import annotations

import re

from cranfield._core import families, forms
from cranfield._pages import templating
from cranfield._report.results import UNITS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from cranfield._pages.templating import Section
    from cranfield._report.results import Results


def section(results: Results) -> Section:
    """The section."""
    known = {family["name"]: family for family in (*families(), *forms())}
    return templating.section(
        "definitions",
        "Definitions",
        entries=[_entry(measure, known) for measure in results.scores.core.measures],
    )


def _entry(measure: Any, known: dict[str, Any]) -> dict[str, Any]:
    """A measure with what the registry says of its family."""
    prefix = re.match(r"[A-Z]+-", str(measure))
    names = [measure.family, *([prefix[0]] if prefix else [])]
    return {
        "measure": str(measure),
        "families": [known[name] for name in names if name in known],
        "better": measure.better,
        "aggregate": f"{UNITS[measure.aggregate]} over topics",
    }
