"""Runs the programs of answers, battles and judges on random cases, and records what they compute.

    pip install nuggetizer==0.0.5 --no-deps
    pip install ppi-python==0.2.3 arena-rank==0.1.1 autojudge-evaluate==1.1.0 scikit-learn
    python -m tests.against.recorders.answer_programs [CASES] [FILE]

writes tests/against/recorded/answer_programs.json, 200 cases of each. They are not installed for
the tests, since they bring jax and more. Of auto-judge-evaluate the files that compute are loaded
by themselves: importing the package downloads data.
"""

from __future__ import annotations

import json
import math
import sys
from functools import cache, partial
from importlib.metadata import version
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

from tests.against import answer_cases

RECORDED = Path(__file__).resolve().parents[1] / "recorded" / "answer_programs.json"


def autojudge(name: str) -> Any:
    """A file of auto-judge-evaluate as a module."""
    folder = find_spec("autojudge_evaluate")
    assert folder is not None
    assert folder.submodule_search_locations is not None
    path = Path(folder.submodule_search_locations[0]) / f"{name}.py"
    spec = spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def nuggets(case: int) -> list[float]:
    """Of nuggetizer: strict vital, strict all, vital, all."""
    from nuggetizer.core.metrics import calculate_nugget_scores

    pairs = answer_cases.nuggets(case)
    found = calculate_nugget_scores(
        "1", [{"importance": importance, "assignment": held} for importance, held in pairs]
    )
    return [
        found.strict_vital_score,
        found.strict_all_score,
        found.vital_score,
        found.all_score,
    ]


def predictions(case: int) -> list[float]:
    """Of ppi-python: the estimate and the ends of the 95% interval, tuned and with lam = 1."""
    import numpy as np
    from ppi_py import ppi_mean_ci, ppi_mean_pointestimate

    y, f, u = map(np.array, answer_cases.predictions(case))
    found = []
    for lam in (None, 1):
        estimate = ppi_mean_pointestimate(y, f, u, lam=lam)
        low, high = ppi_mean_ci(y, f, u, alpha=0.05, lam=lam)
        found += [float(np.asarray(value).reshape(-1)[0]) for value in (estimate, low, high)]
    return found


@cache
def fitted(runs: int) -> Any:
    """A model of arena-rank for so many runs, and its own fit with the battles as an argument.

    Its ``fit`` has the battles as constants, so that it is compiled anew for each case.
    """
    import jax
    from arena_rank.models.bradley_terry import BradleyTerry
    from arena_rank.utils.math_utils import lbfgs_minimize

    model = BradleyTerry(n_competitors=runs, ftol=1e-15, gtol=1e-12)

    def fit(start: Any, data: Any) -> Any:
        found, _ = lbfgs_minimize(
            function=partial(model.loss_function, data=data),
            initial_params=start,
            max_iter=model.max_iter,
            gtol=model.gtol,
            ftol=model.ftol,
        )
        return found

    return model, jax.jit(fit)


def battles(case: int) -> dict[str, list[float]]:
    """Of arena-rank: rating and the ends of the 95% interval, by run."""
    import jax
    import jax.numpy as jnp
    import pandas as pd
    from arena_rank.utils.data_utils import PairDataset

    jax.config.update("jax_enable_x64", True)
    rows = []
    for a, b, winner in answer_cases.battles(case):
        won = "tie" if winner is None else "model_a" if winner == a else "model_b"
        rows.append({"model_a": a, "model_b": b, "winner": won})
    data = PairDataset.from_pandas(pd.DataFrame(rows))
    runs = len(data.competitors)
    model, fit = fitted(runs)
    model.params = fit({"ratings": jnp.zeros(runs, dtype=model.dtype)}, data.as_dict())
    model.fitted = True
    found = model.compute_ratings_and_cis(data)
    return {
        run: [float(found[key][place]) for key in ("ratings", "rating_lower", "rating_upper")]
        for place, run in enumerate(found["competitors"])
    }


def orders(case: int) -> list[float | None]:
    """Of auto-judge-evaluate: tau_GAP and tau_AP,b."""
    gold, other = answer_cases.orders(case)
    values = [
        autojudge("tau_gap").tau_gap(gold, other),
        float(autojudge("pyircore").tauap_b(gold, other)),
    ]
    return [None if math.isnan(value) else value for value in values]


def grades(case: int) -> list[float | None]:
    """Of scikit-learn: kappa, linear and quadratic kappa, kappa from grade 1, Jaccard from it."""
    import warnings

    from sklearn.metrics import cohen_kappa_score, jaccard_score

    first, second = answer_cases.grades(case)
    known = list(range(max(*first, *second) + 1))
    binary = [[int(grade > 0) for grade in one] for one in (first, second)]
    with warnings.catch_warnings(action="ignore"):
        values = [
            *(
                cohen_kappa_score(first, second, labels=known, weights=weights)
                for weights in (None, "linear", "quadratic")
            ),
            cohen_kappa_score(*binary, labels=[0, 1]),
            jaccard_score(*binary) if any(map(any, binary)) else math.nan,
        ]
    return [None if math.isnan(value) else float(value) for value in values]


PROGRAMS = {
    "nuggets": nuggets,
    "predictions": predictions,
    "battles": battles,
    "orders": orders,
    "grades": grades,
}


def main() -> None:
    """Records all programs."""
    cases = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    target = Path(sys.argv[2]) if len(sys.argv) > 2 else RECORDED
    packages = ("nuggetizer", "ppi-python", "arena-rank", "autojudge-evaluate", "scikit-learn")
    content: dict[str, Any] = {"programs": {name: version(name) for name in packages}}
    for name, run in PROGRAMS.items():
        content[name] = [run(case) for case in range(cases)]
        print(name, file=sys.stderr)
    text = (
        json.dumps(content, separators=(",", ":")).replace('],"', '],\n"').replace("],[", "],\n[")
    )
    target.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
