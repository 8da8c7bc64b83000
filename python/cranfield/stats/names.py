"""What tests and corrections are called in sentences."""

from __future__ import annotations

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
