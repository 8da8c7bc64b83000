"""Statistics on scores: whether a difference is significant, and how well two
orders, rankings or judges agree.
"""

from __future__ import annotations

from cranfield._stats.agreement import Agreement as Agreement
from cranfield._stats.agreement import Alpha as Alpha
from cranfield._stats.agreement import PairwiseAgreement as PairwiseAgreement
from cranfield._stats.agreement import cohen_kappa as cohen_kappa
from cranfield._stats.agreement import fleiss_kappa as fleiss_kappa
from cranfield._stats.agreement import krippendorff_alpha as krippendorff_alpha
from cranfield._stats.agreement import label_counts as label_counts
from cranfield._stats.agreement import mean_kappa as mean_kappa
from cranfield._stats.correlation import ConfidenceInterval as ConfidenceInterval
from cranfield._stats.correlation import Correlation as Correlation
from cranfield._stats.correlation import CorrelationMatrix as CorrelationMatrix
from cranfield._stats.correlation import MaxDrop as MaxDrop
from cranfield._stats.correlation import Overlap as Overlap
from cranfield._stats.correlation import PearsonCorrelation as PearsonCorrelation
from cranfield._stats.correlation import Statistic as Statistic
from cranfield._stats.correlation import correlation_matrix as correlation_matrix
from cranfield._stats.correlation import kendall as kendall
from cranfield._stats.correlation import max_drop as max_drop
from cranfield._stats.correlation import pearson as pearson
from cranfield._stats.correlation import rbo as rbo
from cranfield._stats.correlation import rms_error as rms_error
from cranfield._stats.correlation import spearman as spearman
from cranfield._stats.correlation import tau_ap as tau_ap
from cranfield._stats.correlation import tau_gap as tau_gap
from cranfield._stats.intervals import Interval as Interval
from cranfield._stats.intervals import RankInterval as RankInterval
from cranfield._stats.intervals import correct as correct
from cranfield._stats.intervals import mean_interval as mean_interval
from cranfield._stats.intervals import rank_interval as rank_interval
from cranfield._stats.paired import BootstrapTest as BootstrapTest
from cranfield._stats.paired import PairedTest as PairedTest
from cranfield._stats.paired import TukeyTest as TukeyTest
from cranfield._stats.paired import bootstrap_test as bootstrap_test
from cranfield._stats.paired import randomization_test as randomization_test
from cranfield._stats.paired import sign_test as sign_test
from cranfield._stats.paired import t_test as t_test
from cranfield._stats.paired import tukey_hsd as tukey_hsd
from cranfield._stats.paired import wilcoxon as wilcoxon
from cranfield._stats.power import mde as mde
from cranfield._stats.power import t_test_power as t_test_power
from cranfield._stats.power import topics_needed as topics_needed
from cranfield._stats.predictions import PredictionPowered as PredictionPowered
from cranfield._stats.predictions import ppi_difference as ppi_difference
from cranfield._stats.predictions import ppi_mean as ppi_mean
from cranfield._stats.tiers import Tiers as Tiers
from cranfield._stats.verdicts import Verdict as Verdict
from cranfield._stats.verdicts import verdict as verdict
from cranfield._stats.votes import borda as borda
from cranfield._stats.votes import condorcet_winner as condorcet_winner
from cranfield._stats.votes import copeland as copeland

__all__ = sorted(name for name in globals() if name[0].isalpha() and name != "annotations")
