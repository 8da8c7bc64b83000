"""Named studies of measures, pools and runs, each written to a folder.

Tables (CSV, LaTeX), figures (SVG; PDF if asked), the data of the figures, and a page
that shows all of it. An interrupted study resumes where it left off.

    from cranfield import study
    study.run("depth", "qrels.txt", "runs/*.gz", "depth-study")
"""

from __future__ import annotations

from cranfield._study.definition import STUDIES, Outcome
from cranfield._study.inputs import Choice
from cranfield._study.runner import run

__all__ = ["STUDIES", "Choice", "Outcome", "run"]
