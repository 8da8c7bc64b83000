"""What tests and corrections are called in sentences, and where tau says too little."""

from __future__ import annotations

import math

NAMES = {
    "t": "paired t test",
    "wilcoxon": "Wilcoxon signed-rank test",
    "sign": "sign test",
    "randomization": "paired randomisation test",
    "bootstrap": "paired bootstrap test",
    "tukey": "Tukey HSD test",
}
"""The tests as one writes them."""

METHODS = {
    "holm": "Holm's method",
    "bh": "Benjamini and Hochberg's method",
    "bonferroni": "Bonferroni's method",
}
"""The corrections as one writes them."""

ENOUGH = 5
"""Fewer runs than this have so few orders that two of them are often equal by chance: once in 24
times of four runs, once in 120 of five."""


def too_few_for_tau(runs: int) -> str:
    """A sentence where Kendall's tau is over few runs; empty where they are enough, or one."""
    if not 2 <= runs < ENOUGH:
        return ""
    return (
        f"tau is over {runs} runs, which are too few: two orders of them are equal by chance "
        f"once in {math.factorial(runs)} times"
    )
