"""Statistics on scores: whether a difference is significant, and how well two
orders, rankings or judges agree.
"""

from __future__ import annotations

from cranfield._stats.agreement import (
    Agreement,
    Alpha,
    PairwiseAgreement,
    cohen_kappa,
    fleiss_kappa,
    krippendorff_alpha,
    label_counts,
    mean_kappa,
)
from cranfield._stats.correlation import (
    ConfidenceInterval,
    Correlation,
    CorrelationMatrix,
    MaxDrop,
    Overlap,
    PearsonCorrelation,
    Statistic,
    correlation_matrix,
    kendall,
    max_drop,
    pearson,
    rbo,
    rms_error,
    spearman,
    tau_ap,
    tau_gap,
)
from cranfield._stats.intervals import Interval, RankInterval, correct, mean_interval, rank_interval
from cranfield._stats.paired import (
    BootstrapTest,
    PairedTest,
    TukeyTest,
    bootstrap_test,
    randomization_test,
    sign_test,
    t_test,
    tukey_hsd,
    wilcoxon,
)
from cranfield._stats.power import mde, t_test_power, topics_needed
from cranfield._stats.predictions import PredictionPowered, ppi_difference, ppi_mean
from cranfield._stats.tiers import Tiers
from cranfield._stats.verdicts import Verdict, verdict
from cranfield._stats.votes import borda, condorcet_winner, copeland

__all__ = [
    "Agreement",
    "Alpha",
    "BootstrapTest",
    "ConfidenceInterval",
    "Correlation",
    "CorrelationMatrix",
    "Interval",
    "MaxDrop",
    "Overlap",
    "PairedTest",
    "PairwiseAgreement",
    "PearsonCorrelation",
    "PredictionPowered",
    "RankInterval",
    "Statistic",
    "Tiers",
    "TukeyTest",
    "Verdict",
    "bootstrap_test",
    "borda",
    "cohen_kappa",
    "condorcet_winner",
    "copeland",
    "correct",
    "correlation_matrix",
    "fleiss_kappa",
    "kendall",
    "krippendorff_alpha",
    "label_counts",
    "max_drop",
    "mde",
    "mean_interval",
    "mean_kappa",
    "pearson",
    "ppi_difference",
    "ppi_mean",
    "randomization_test",
    "rank_interval",
    "rbo",
    "rms_error",
    "sign_test",
    "spearman",
    "t_test",
    "t_test_power",
    "tau_ap",
    "tau_gap",
    "topics_needed",
    "tukey_hsd",
    "verdict",
    "wilcoxon",
]
