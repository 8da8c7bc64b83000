"""Battles: which of two answers a judge preferred, and what follows for the runs.

>>> import cranfield as cf
>>> battles = [("x", "y", "x")] * 5 + [("x", "y", "y")] * 3 + [("x", "y", None)] * 2
>>> cf.battles.preference_rates(battles)["x", "y"]
0.6
>>> cf.battles.bradley_terry(battles).runs
('x', 'y')

A battle is ``(a, b, winner)``: two runs and the one that was preferred, None for a tie.
"""

from __future__ import annotations

from cranfield._analysis.battles.rates import PreferenceRates, preference_rates
from cranfield._analysis.battles.ratings import BradleyTerry, RatingDifference, bradley_terry
from cranfield._analysis.battles.reading import read

__all__ = [
    "BradleyTerry",
    "PreferenceRates",
    "RatingDifference",
    "bradley_terry",
    "preference_rates",
    "read",
]
