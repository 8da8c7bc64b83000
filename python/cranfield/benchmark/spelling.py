"""What a measure is called by other evaluators, where its value is the same."""

from __future__ import annotations

import re

from cranfield._core import Measure, parse_measures

RANKS = (5, 10, 15, 20, 30, 100, 200, 500, 1000)

COMMON = "nDCG@10 nDCG AP RR P@10 R@100 Rprec bpref"
"""Eight measures that most papers choose from."""

_MULTIPLES = tuple(tenths / 10 for tenths in range(2, 21, 2) if tenths != 10)

TREC_EVAL = {
    "AP": "map",
    "Rprec": "Rprec",
    "bpref": "bpref",
    "RR": "recip_rank",
    "infAP": "infAP",
    "nDCG": "ndcg",
    "num_ret": "num_ret",
    "num_rel": "num_rel",
    "num_rel_ret": "num_rel_ret",
    "SetP": "set_P",
    "SetR": "set_recall",
    "SetAP": "set_map",
    "SetF": "set_F",
    **{f"P@{k}": f"P_{k}" for k in RANKS},
    **{f"R@{k}": f"recall_{k}" for k in RANKS},
    **{f"nDCG@{k}": f"ndcg_cut_{k}" for k in RANKS},
    **{f"AP@{k}": f"map_cut_{k}" for k in RANKS},
    **{f"Rcap@{k}": f"relative_P_{k}" for k in RANKS},
    **{f"Success@{k}": f"success_{k}" for k in (1, 5, 10)},
    **{f"Rprec(mult={m:g})": f"Rprec_mult_{m:.2f}" for m in _MULTIPLES},
    "Utility": "utility",
    "binG": "binG",
    "G": "G",
    "nDCG_rel": "ndcg_rel",
    "SetRcap": "set_relative_P",
    "num_nonrel_judged_ret": "num_nonrel_judged_ret",
}
"""The measures that trec_eval's set all_trec has and defines as we do, as it prints them.

Not here: gm_map and gm_bpref, whose value of a topic is a logarithm there;
iprec_at_recall and 11pt_avg, which round the documents that a recall level needs;
Rndcg, which has another definition on short lists.
"""

_CUT = re.compile(r"(P|recall|ndcg_cut|map_cut|relative_P|success|Rprec_mult)_([\d.]+)")


def for_pytrec_eval(name: str) -> str:
    """The name by which pytrec_eval is asked for what it prints under another."""
    found = _CUT.fullmatch(name)
    return f"{found[1]}.{found[2]}" if found else name


IR_MEASURES = {
    "AP": "AP",
    "Rprec": "Rprec",
    "bpref": "Bpref",
    "RR": "RR",
    "infAP": "infAP",
    "nDCG": "nDCG",
    "num_ret": "NumRet",
    "num_rel": "NumRel",
    "num_rel_ret": "NumRet(rel=1)",
    "SetP": "SetP",
    "SetR": "SetR",
    "SetAP": "SetAP",
    "SetF": "SetF",
    **{f"{name}@{k}": f"{name}@{k}" for name in ("P", "R", "nDCG", "AP") for k in RANKS},
    **{f"Success@{k}": f"Success@{k}" for k in (1, 5, 10)},
}

RANX = {
    "AP": "map",
    "Rprec": "r-precision",
    "RR": "mrr",
    "nDCG": "ndcg",
    **{f"P@{k}": f"precision@{k}" for k in RANKS},
    **{f"R@{k}": f"recall@{k}" for k in RANKS},
    **{f"nDCG@{k}": f"ndcg@{k}" for k in RANKS},
    **{f"AP@{k}": f"map@{k}" for k in RANKS},
    **{f"Success@{k}": f"hit_rate@{k}" for k in (1, 5, 10)},
}

IR_EVAL_NUMBA = {
    "RR": "reciprocal_rank",
    **{f"P@{k}": f"precision@{k}" for k in RANKS},
    **{f"R@{k}": f"recall@{k}" for k in RANKS},
}
"""Its nDCG is for judgments without grades, and its AP divides by what was found."""

SETS = {"common": COMMON, "all": " ".join(TREC_EVAL)}
"""Sets of measures by name."""


def chosen(texts: list[str]) -> tuple[str, ...]:
    """The measures of several texts, canonical, without duplicates; a set's name stands for it.

    Raises ``Error`` (kind "measure" or "parameter") for what is not a measure.
    """
    found: list[Measure] = []
    for text in texts:
        for word in [SETS[text]] if text in SETS else [text]:
            found += parse_measures(word)
    return tuple(dict.fromkeys(map(str, found)))
