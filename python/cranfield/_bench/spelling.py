"""What a measure is called by other evaluators, where its value is the same."""

from __future__ import annotations

import re

from cranfield._core import Measure, parse_measures, spellings

RANKS = (5, 10, 15, 20, 30, 100, 200, 500, 1000)

COMMON = "nDCG@10 nDCG AP RR P@10 R@100 Rprec bpref"
"""Eight measures that most papers choose from."""

_MULTIPLES = tuple(tenths / 10 for tenths in range(2, 21, 2) if tenths != 10)

_FIRST = (1, 5, 10)


def _spelled(tool: str, whole: str, cut: dict[str, tuple[int, ...]]) -> dict[str, str]:
    """What a tool calls measures of the whole list, and others at each rank."""
    names = dict(spellings(tool))
    at_ten = {name: names[f"{name}@10"].removesuffix("10") for name in cut}
    return {name: names[name] for name in whole.split()} | {
        f"{name}@{k}": f"{at_ten[name]}{k}" for name, ranks in cut.items() for k in ranks
    }


_COMMON_CUT = {"P": RANKS, "R": RANKS, "nDCG": RANKS, "AP": RANKS}

TREC_EVAL = (
    _spelled(
        "trec_eval",
        "AP Rprec bpref RR infAP nDCG num_ret num_rel num_rel_ret SetP SetR SetAP SetF",
        {**_COMMON_CUT, "Rcap": RANKS, "Success": _FIRST},
    )
    | {f"Rprec(mult={m:g})": f"Rprec_mult_{m:.2f}" for m in _MULTIPLES}
    | _spelled("trec_eval", "Utility binG G nDCG_rel SetRcap num_nonrel_judged_ret", {})
)
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


IR_MEASURES = _spelled(
    "ir_measures",
    "AP Rprec bpref RR infAP num_ret num_rel SetP SetR SetAP SetF",
    {**_COMMON_CUT, "Success": _FIRST},
) | {"nDCG": "nDCG", "num_rel_ret": "NumRet(rel=1)"}

RANX = _spelled("ranx", "AP Rprec RR", {**_COMMON_CUT, "Success": _FIRST}) | {"nDCG": "ndcg"}

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
