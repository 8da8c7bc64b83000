"""The named studies, and the options of each."""

from __future__ import annotations

from importlib import import_module

from cranfield._base.errors import failure, label_failure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from cranfield._study.definition import Options, Study

STUDIES = {
    "depth": "how deep to pool and how deep to evaluate (Webber, Moffat and Zobel 2010)",
    "incompleteness": "what missing judgments do to measures (Sakai 2007; Yilmaz and Aslam 2006)",
    "imperfection": "what happens when documents vanish (Yilmaz and Aslam 2006, Figure 8)",
    "significance": "which runs differ: all pairs, corrected, with effect sizes",
    "leave-one-out": "whether the pool is fair to a system that did not take part (Zobel 1998)",
    "curves": "precision-recall and ROC curves (Manning, Raghavan and Schütze, chapter 8)",
    "graded": "what graded judgments add to binary ones (De Beer and Moens 2006, Figure 1)",
    "agreement": "whether judges agree, with runs or without (Manning et al., section 8.5)",
}
"""The studies, with the question that each asks."""


def known(name: str) -> Study:
    """A study by its name; raises ``Error`` (kind "label") for none."""
    if name not in STUDIES:
        raise label_failure("study", name, tuple(STUDIES))
    module = import_module(f"cranfield._study.{name.replace('-', '_')}")
    study: Study = module.STUDY
    return study


def resolve_options(name: str, options: Options) -> dict[str, Any]:
    """All options of a study, with defaults for those not given.

    Raises ``Error`` (kind "option") for one that the study does not take.
    """
    study = known(name)
    for option in options:
        if option not in study.options:
            takes = ", ".join(study.options) or "none"
            message = f"the study {name!r} takes no option {option!r}; it takes: {takes}"
            raise failure("option", message)
    asked = {**study.options, **options}
    if asked.get("measures") is not None:
        # As text, since the options are recorded in the folder.
        asked["measures"] = [str(measure) for measure in asked["measures"]]
    return asked
