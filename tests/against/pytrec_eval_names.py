"""pytrec_eval-terrier (trec_eval 9.0.8) as an oracle: its names and what they are in cranfield.

Left out: ``iprec_at_recall`` and ``11pt_avg``, which round the number of documents
that a recall level needs, and ``Rndcg``, which has another definition on short lists.
"""

from __future__ import annotations

import math

from cranfield._core import spellings

RANKS = (5, 10, 15, 20, 30, 100, 200, 500, 1000)
MULTIPLES = tuple(tenths / 10 for tenths in range(2, 21, 2))

WHOLE = (
    *("map", "Rprec", "bpref", "recip_rank", "infAP", "ndcg", "num_ret", "num_rel", "num_rel_ret"),
    *("set_P", "set_recall", "set_map", "set_F", "gm_map", "utility", "binG", "G", "ndcg_rel"),
    *("set_relative_P", "num_nonrel_judged_ret", "gm_bpref"),
)
CUT = {
    **dict.fromkeys(("P", "recall", "ndcg_cut", "map_cut", "relative_P"), RANKS),
    "success": (1, 5, 10),
}

_OURS = {theirs: ours for ours, theirs in spellings("trec_eval")}

SPELLINGS = (
    {name: _OURS[name] for name in WHOLE}
    | {
        f"{name}_{k}": f"{_OURS[f'{name}_10']}"[:-2] + str(k)
        for name, of in CUT.items()
        for k in of
    }
    | {f"Rprec_mult_{m:.2f}": f"Rprec(mult={m:g})" for m in MULTIPLES if m != 1}
)
"""What it prints, and the measures here that the registry says those are."""

FAMILIES = {*WHOLE, *CUT, "Rprec_mult"}

GRADED = {"ndcg", "G", "ndcg_rel"} | {f"ndcg_cut_{k}" for k in RANKS}

GEOMETRIC = {"gm_map", "gm_bpref"}
"""Of these pytrec_eval gives a topic's logarithm, of a value of at least 1e-5."""


def spelling(name: str, level: int = 1, *, condensed: bool = False) -> str:
    """cranfield's measure for one of its names, at a relevance level, on a list."""
    measure = SPELLINGS[name]
    bare, at, cutoff = measure.partition("@")
    if level != 1 and name not in GRADED and bare != "num_ret":
        family, bracket, given = bare.partition("(")
        bare = f"{family}({given[:-1]},rel={level})" if bracket else f"{family}(rel={level})"
    return bare + ("'" if condensed else "") + at + cutoff


def expected(name: str, value: float) -> float:
    """Its value as cranfield has it."""
    return math.exp(value) if name in GEOMETRIC else value
