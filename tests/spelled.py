"""How a measure of each family is asked for, with all that it needs."""

from __future__ import annotations

from collections.abc import Mapping

NEEDED = {
    "IPrec": "IPrec@0.5",
    "PrecAtRecall": "PrecAtRecall@0.5",
    "ERR": "ERR(max_rel=3)@20",
    "nERR": "nERR(max_rel=3)@20",
    "subAP": "subAP(p=0.5)",
    "subAP_expected": "subAP_expected(p=0.5)",
    "IFT": "IFT(T=2,A=0.2)",
    "ESL": "ESL(wanted=9)",
}
"""Families that need more than a name and a cutoff."""


def spelled(family: Mapping[str, object], k: int) -> str:
    """A measure of a family of the registry, cut at k if it has to be cut."""
    name = str(family["name"])
    return NEEDED.get(name, name + (f"@{k}" if family["cutoff"] == "required" else ""))
