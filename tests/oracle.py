"""pytrec_eval-terrier (trec_eval 9.0.8) as an oracle: what it prints in our spelling.

Left out: ``iprec_at_recall`` and ``11pt_avg``, which round the number of documents
that a recall level needs, and the measures that cranfield does not have.
"""

from __future__ import annotations

import math

RANKS = (5, 10, 15, 20, 30, 100, 200, 500, 1000)

SPELLINGS = {
    "map": "AP",
    "Rprec": "Rprec",
    "bpref": "bpref",
    "recip_rank": "RR",
    "infAP": "infAP",
    "ndcg": "nDCG",
    "num_ret": "num_ret",
    "num_rel": "num_rel",
    "num_rel_ret": "num_rel_ret",
    "set_P": "SetP",
    "set_recall": "SetR",
    "set_map": "SetAP",
    "set_F": "SetF",
    "gm_map": "GMAP",
    **{f"P_{k}": f"P@{k}" for k in RANKS},
    **{f"recall_{k}": f"R@{k}" for k in RANKS},
    **{f"ndcg_cut_{k}": f"nDCG@{k}" for k in RANKS},
    **{f"map_cut_{k}": f"AP@{k}" for k in RANKS},
    **{f"relative_P_{k}": f"Rcap@{k}" for k in RANKS},
    **{f"success_{k}": f"Success@{k}" for k in (1, 5, 10)},
}

FAMILIES = {
    "map",
    "Rprec",
    "bpref",
    "recip_rank",
    "infAP",
    "ndcg",
    "num_ret",
    "num_rel",
    "num_rel_ret",
    "set_P",
    "set_recall",
    "set_map",
    "set_F",
    "gm_map",
    "P",
    "recall",
    "ndcg_cut",
    "map_cut",
    "relative_P",
    "success",
}

GRADED = {"ndcg"} | {f"ndcg_cut_{k}" for k in RANKS}


def spelling(name: str, level: int = 1, *, condensed: bool = False) -> str:
    """Our measure for one of its names, at a relevance level, on a list."""
    measure = SPELLINGS[name]
    bare, at, cutoff = measure.partition("@")
    if level != 1 and name not in GRADED and bare != "num_ret":
        bare += f"(rel={level})"
    return bare + ("'" if condensed else "") + at + cutoff


def expected(name: str, value: float) -> float:
    """Its value as ours: its geometric mean gives a topic's logarithm."""
    return math.exp(value) if name == "gm_map" else value
