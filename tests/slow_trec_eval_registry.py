"""The 57 measures of trec_eval in print order, and the nicknames for lists of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal, NamedTuple, Protocol

import slow_trec_eval_measures as m
import slow_trec_eval_prefs as prefs

Version = Literal["9", "9.0.8", "10"]


class Topic(Protocol):
    """What a measure may ask of a topic. Asking for the wrong format raises MeasureError."""

    version: Version
    documents: int

    def vector(self) -> m.Vector: ...
    def group_vectors(self) -> list[m.Vector]: ...
    def preferences(self) -> prefs.Preferences: ...


class Measure(NamedTuple):
    """``parameters``: C, D, F, P or none; ``summary``: as the columns of the table of measures."""

    name: str
    parameters: Literal["", "C", "D", "F", "P"]
    default: str
    summary: Literal["A", "Sum", "G", "none", "topics", "tag"]
    integer: bool
    per_topic: bool
    only_10: bool
    values: Callable[[Topic, Any], Sequence[float | bytes]]

    def parse(self, text: bytes | None) -> Any:
        if not self.parameters:
            return None
        read: dict[str, Callable[[bytes], Any]] = {
            "C": m.integer_cutoffs,
            "D": m.real_cutoffs,
            "F": m.real_list,
            "P": m.pair_list,
        }
        if text is None:
            text = self.default.encode()
            if not text:
                return []
        return read[self.parameters](text)

    def printed_names(self, text: bytes | None, parameters: Any) -> list[bytes]:
        name = self.name.encode()
        if self.parameters == "C":
            return [b"%b_%d" % (name, cutoff) for cutoff in parameters]
        if self.parameters == "D":
            return [b"%b_%b" % (name, (b"%3.2f" % point)[:8]) for point in parameters]
        if self.parameters and text is not None:
            return [b"%b_%b" % (name, text)]
        return [name]


CUTOFFS = "5,10,15,20,30,100,200,500,1000"
MULTIPLES = ".2,.4,.6,.8,1.0,1.2,1.4,1.6,1.8,2.0"
POINTS = "0,.1,.2,.3,.4,.5,.6,.7,.8,.9,1.0"


def _plain(
    name: str,
    value: Callable[[m.Vector], float],
    *,
    summary: Literal["A", "Sum", "G"] = "A",
    integer: bool = False,
    per_topic: bool = True,
) -> Measure:
    return Measure(
        name, "", "", summary, integer, per_topic, False, lambda topic, _: [value(topic.vector())]
    )


def _cut(
    name: str,
    value: Callable[[m.Vector, int], float],
    default: str = CUTOFFS,
    *,
    only_10: bool = False,
) -> Measure:
    def values(topic: Topic, cutoffs: list[int]) -> list[float]:
        x = topic.vector()
        return [value(x, cutoff) for cutoff in cutoffs]

    return Measure(name, "C", default, "A", False, True, only_10, values)


def _gains(name: str, value: Callable[..., float], *, only_10: bool = False) -> Measure:
    def values(topic: Topic, pairs: list[m.Pair]) -> list[float]:
        return [value(topic.vector(), pairs, any_name=topic.version != "10")]

    return Measure(name, "P", "", "A", False, True, only_10, values)


def _prefs(
    name: str, value: Callable[[prefs.Preferences], float], *, integer: bool = False
) -> Measure:
    return Measure(
        name,
        "",
        "",
        "Sum" if integer else "A",
        integer,
        True,
        False,
        lambda topic, _: [value(topic.preferences())],
    )


def _over_groups(topic: Topic, values: Callable[[m.Vector], Sequence[float]]) -> list[float]:
    """The mean of each value over the judgment groups."""
    groups = [values(x) for x in topic.group_vectors()]
    means = []
    for column in zip(*groups, strict=True):
        total = 0.0
        for value in column:
            total += value
        means.append(total / len(groups) if len(groups) > 1 else total)
    return means


def _iprec(topic: Topic, points: list[float]) -> list[float]:
    return m.interpolated(topic.vector(), points, rounded=topic.version == "10")[0]


def _11pt(topic: Topic, points: list[float]) -> list[float]:
    return [m.average_interpolated(topic.vector(), points, rounded=topic.version == "10")]


MEASURES = [
    Measure("runid", "", "", "tag", False, False, False, lambda _, __: [b""]),
    Measure("num_q", "", "", "topics", True, False, False, lambda _, __: [1.0]),
    _plain("num_ret", lambda x: x.num_ret, summary="Sum", integer=True),
    _plain("num_rel", lambda x: x.num_rel, summary="Sum", integer=True),
    _plain("num_rel_ret", lambda x: x.num_rel_ret, summary="Sum", integer=True),
    _plain("map", m.average_precision),
    _plain("gm_map", m.log_of_average_precision, summary="G", per_topic=False),
    _plain("Rprec", m.r_precision),
    _plain("bpref", m.bpref),
    _plain("recip_rank", m.reciprocal_rank),
    Measure("iprec_at_recall", "D", POINTS, "A", False, True, False, _iprec),
    _cut("P", m.precision_at),
    Measure(
        "relstring",
        "F",
        "10",
        "none",
        False,
        True,
        False,
        lambda topic, p: [m.relstring(topic.vector(), p[0])],
    ),
    _cut("recall", m.recall_at),
    _plain("infAP", m.inferred_average_precision),
    _plain("gm_bpref", m.log_of_bpref, summary="G", per_topic=False),
    Measure(
        "Rprec_mult",
        "D",
        MULTIPLES,
        "A",
        False,
        True,
        False,
        lambda topic, p: m.r_precision_multiples(topic.vector(), p),
    ),
    Measure(
        "utility",
        "F",
        "1,-1,0,0",
        "A",
        False,
        True,
        False,
        lambda topic, p: [m.utility(topic.vector(), p, topic.documents)],
    ),
    Measure("11pt_avg", "F", POINTS, "A", False, True, False, _11pt),
    _plain("binG", m.bin_g),
    _gains("G", m.g_measure),
    _gains("dcg", m.dcg, only_10=True),
    _gains("ideal_dcg", m.ideal_dcg, only_10=True),
    _gains("ndcg", m.ndcg),
    _gains("ndcg_rel", m.ndcg_rel),
    _gains("Rndcg", m.rndcg),
    Measure(
        "ndcg_cut",
        "C",
        CUTOFFS,
        "A",
        False,
        True,
        False,
        lambda topic, p: m.ndcg_cut(topic.vector(), p),
    ),
    _cut("map_cut", m.average_precision_at),
    _cut("relative_P", m.relative_precision_at),
    _cut("success", m.success_at, "1,5,10"),
    _plain("set_P", m.set_precision),
    _plain("set_relative_P", m.set_relative_precision),
    _plain("set_recall", m.set_recall),
    _plain("set_map", m.set_average_precision),
    Measure(
        "set_F", "F", "1", "A", False, True, False, lambda topic, p: [m.set_f(topic.vector(), p[0])]
    ),
    _plain("num_nonrel_judged_ret", m.judged_nonrelevant_retrieved, summary="Sum", integer=True),
    _prefs("prefs_num_prefs_poss", prefs.num_prefs_poss, integer=True),
    _prefs("prefs_num_prefs_ful", prefs.num_prefs_ful, integer=True),
    _prefs("prefs_num_prefs_ful_ret", prefs.num_prefs_ful_ret, integer=True),
    _prefs("prefs_simp", prefs.simp),
    _prefs("prefs_pair", prefs.pair),
    _prefs("prefs_avgjg", prefs.avgjg),
    _prefs("prefs_avgjg_Rnonrel", prefs.avgjg_rnonrel),
    _prefs("prefs_simp_ret", prefs.simp_ret),
    _prefs("prefs_pair_ret", prefs.pair_ret),
    _prefs("prefs_avgjg_ret", prefs.avgjg_ret),
    _prefs("prefs_avgjg_Rnonrel_ret", prefs.avgjg_rnonrel_ret),
    _prefs("prefs_simp_imp", prefs.simp_imp),
    _prefs("prefs_pair_imp", prefs.pair_imp),
    _prefs("prefs_avgjg_imp", prefs.avgjg_imp),
    Measure(
        "map_avgjg",
        "",
        "",
        "A",
        False,
        True,
        False,
        lambda topic, _: _over_groups(topic, lambda x: [m.average_precision(x)]),
    ),
    Measure(
        "P_avgjg",
        "C",
        CUTOFFS,
        "A",
        False,
        True,
        False,
        lambda topic, p: _over_groups(topic, lambda x: [m.precision_at(x, c) for c in p]),
    ),
    Measure(
        "Rprec_mult_avgjg",
        "D",
        MULTIPLES,
        "A",
        False,
        True,
        False,
        lambda topic, p: _over_groups(topic, lambda x: m.r_precision_multiples(x, p)),
    ),
    _plain("yaap", m.yaap),
    Measure("rbp", "P", "", "A", False, True, True, lambda topic, p: [m.rbp(topic.vector(), p)]),
    Measure(
        "rbp_resid",
        "P",
        "",
        "A",
        False,
        True,
        True,
        lambda topic, p: [m.rbp_residual(topic.vector(), p)],
    ),
    _cut("unj", m.unjudged_at, "5,10,20", only_10=True),
]

_OFFICIAL = (
    "runid num_q num_ret num_rel num_rel_ret map gm_map Rprec bpref recip_rank iprec_at_recall P"
)
_PREFS = (
    "runid num_q prefs_num_prefs_poss prefs_num_prefs_ful prefs_num_prefs_ful_ret "
    "prefs_simp prefs_pair prefs_avgjg"
)
NICKNAMES = {
    name: members.split()
    for name, members in {
        "official": _OFFICIAL,
        "all_trec": _OFFICIAL
        + " relstring recall unj rbp rbp_resid infAP gm_bpref utility 11pt_avg ndcg relative_P"
        " Rprec_mult success map_cut ndcg_cut ndcg_rel Rndcg binG G set_P set_recall"
        " set_relative_P set_map set_F num_nonrel_judged_ret",
        "set": "runid num_q num_ret num_rel num_rel_ret utility set_P set_recall set_relative_P"
        " set_map set_F",
        "prefs": _PREFS,
        "all_prefs": _PREFS + " prefs_avgjg_Rnonrel prefs_simp_ret prefs_pair_ret prefs_avgjg_ret"
        " prefs_avgjg_Rnonrel_ret prefs_simp_imp prefs_pair_imp prefs_avgjg_imp",
        "qrels_jg": "runid num_q map_avgjg P_avgjg Rprec_mult_avgjg",
    }.items()
}


def registered(version: Version) -> list[Measure]:
    return [measure for measure in MEASURES if version == "10" or not measure.only_10]
