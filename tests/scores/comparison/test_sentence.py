"""The sentence for the methods section."""

from __future__ import annotations

from typing import Any

import cranfield as cf
import pytest

from tests.scores.comparison.small import made


@pytest.mark.parametrize(
    ("options", "how"),
    [
        ({}, "a two-sided paired t test at"),
        (
            {"alternative": "greater"},
            "a one-sided paired t test (alternative: the run scores higher) at",
        ),
        (
            {"test": "wilcoxon", "alternative": "less"},
            "a one-sided Wilcoxon signed-rank test (alternative: the run scores lower, exact, "
            "differences of 0 left out) at",
        ),
        ({"test": "sign"}, "a two-sided sign test (ties left out) at"),
        (
            {"test": "randomization"},
            "a two-sided paired randomization test (all patterns of signs) at",
        ),
        (
            {"test": "bootstrap", "seed": 7},
            "a two-sided paired bootstrap test (Sakai 2006, 1,000 resamples, seed 7) at",
        ),
    ],
)
def test_the_sentence_says_which_test(options: dict[str, Any], how: str) -> None:
    qrels, runs = made(0)
    assert cf.compare(qrels, runs, "AP", alpha=0.01, **options).methods == (
        f"Differences in mean AP over 12 topics were tested with {how} alpha = 0.01, "
        f"p-values corrected by Holm's method for 6 comparisons (cranfield {cf.__version__})."
    )


@pytest.mark.parametrize(
    ("correction", "what"),
    [
        ("holm", "p-values corrected by Holm's method for 3 comparisons in each measure"),
        (
            "bh",
            "p-values corrected by Benjamini and Hochberg's method for 3 comparisons in each "
            "measure",
        ),
        (
            "bonferroni",
            "p-values corrected by Bonferroni's method for 3 comparisons in each measure",
        ),
        ("none", "p-values not corrected for the 3 comparisons in each measure"),
    ],
)
def test_the_sentence_says_which_correction(correction: str, what: str) -> None:
    qrels, runs = made(0)
    assert cf.compare(qrels, runs, "AP P@5 RR", baseline=0, correction=correction).methods == (
        "Differences in mean AP, P@5 and RR over 12 topics were tested with a two-sided paired "
        f"t test at alpha = 0.05, {what} (cranfield {cf.__version__})."
    )
    pair = {name: runs[name] for name in ("run0", "run1")}
    single = cf.compare(qrels, pair, "AP", correction=correction).methods
    assert "alpha = 0.05, with a single comparison and so no correction (cran" in single


def test_the_sentence_of_tukeys_test() -> None:
    qrels, runs = made(0)
    sentence = cf.compare(qrels, runs, "AP P@5", baseline=0, test="tukey").methods
    assert "with a two-sided Tukey HSD test at alpha = 0.05, p-values holding at once " in sentence
    assert "for all 6 pairs of 4 runs in each measure (cran" in sentence
    pair = {name: runs[name] for name in ("run0", "run1")}
    sentence = cf.compare(qrels, pair, "AP", test="tukey").methods
    assert "at alpha = 0.05, with a single comparison (cran" in sentence


def test_the_sentence_of_draws_and_many_topics() -> None:
    qrels, runs = made(0, topics=60, runs=2)
    draws = cf.compare(qrels, runs, "AP", test="randomization", resamples=500, seed=3)
    assert "(500 random patterns of signs, seed 3)" in draws.methods
    # Equal on enough topics to fall under the limit, in one of two pairs.
    runs["run2"] = {**runs["run0"], **{t: runs["run1"][t] for t in list(qrels)[:20]}}
    mixed = cf.compare(qrels, runs, "AP", test="wilcoxon", baseline="run0").methods
    assert "(exact for up to 50 differences, else normal approximation, differences" in mixed
    large = cf.compare(qrels, {k: runs[k] for k in ("run0", "run1")}, "RBP(p=0.9)", test="wilcoxon")
    assert "(normal approximation, differences of 0 left out)" in large.methods


def test_the_sentence_says_what_happened_to_missing_topics() -> None:
    qrels, runs = made(0)
    del runs["run1"]["t03"]
    sentence = cf.compare(qrels, runs, "AP").methods
    assert (
        "6 comparisons; topics that a run did not answer were scored as empty rankings (cran"
        in sentence
    )
