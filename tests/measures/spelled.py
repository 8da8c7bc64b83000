"""A measure of each family with the arguments that it needs."""

from __future__ import annotations

from collections.abc import Mapping

NEEDED = {
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
    cut = {"required": f"@{k}", "recall": "@0.5"}.get(str(family["cutoff"]), "")
    return NEEDED.get(name, name + cut)
