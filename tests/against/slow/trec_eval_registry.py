"""The 57 measures of trec_eval in print order, and the nicknames for lists of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal, NamedTuple, Protocol

from tests.against.slow import trec_eval_measures as m
from tests.against.slow import trec_eval_prefs as prefs

Version = Literal["9", "9.0.8", "10"]


class Topic(Protocol):
    """What a measure may ask of a topic. Asking for the wrong format raises MeasureError."""

    version: Version
    documents: int

    def vector(self) -> m.Vector: ...
    def group_vectors(self) -> list[m.Vector]: ...
    def preferences(self) -> prefs.Preferences: ...


class Measure(NamedTuple):
    """The columns of the table of measures; ``parameters`` is C, D, F, P or none."""

    name: str
    values: Callable[[Topic, Any], Sequence[float | bytes]]
    parameters: Literal["", "C", "D", "F", "P"] = ""
    default: str = ""
    summary: Literal["A", "Sum", "G", "none", "topics", "tag"] = "A"
    integer: bool = False
    per_topic: bool = True
    only_10: bool = False

    def parse(self, text: bytes | None) -> Any:
        if not self.parameters:
            return None
        if text is None and not self.default:
            return []
        read: dict[str, Callable[[bytes], Any]] = {
            "C": m.integer_cutoffs,
            "D": m.real_cutoffs,
            "F": m.real_list,
            "P": m.pair_list,
        }
        return read[self.parameters](self.default.encode() if text is None else text)

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


def _plain(name: str, value: Callable[[m.Vector], float], **columns: Any) -> Measure:
    return Measure(name, lambda topic, _: [value(topic.vector())], **columns)


def _number(name: str, value: Callable[[m.Vector], int]) -> Measure:
    return _plain(name, value, summary="Sum", integer=True)


def _cut(
    name: str, value: Callable[[m.Vector, int], float], default: str = CUTOFFS, **columns: Any
) -> Measure:
    def values(topic: Topic, cutoffs: list[int]) -> list[float]:
        return [value(topic.vector(), cutoff) for cutoff in cutoffs]

    return Measure(name, values, "C", default, **columns)


def _gains(name: str, value: Callable[..., float], **columns: Any) -> Measure:
    def values(topic: Topic, pairs: list[m.Pair]) -> list[float]:
        return [value(topic.vector(), pairs, any_name=topic.version != "10")]

    return Measure(name, values, "P", **columns)


def _prefs(name: str, value: Callable[[prefs.Preferences], float], **columns: Any) -> Measure:
    return Measure(name, lambda topic, _: [value(topic.preferences())], **columns)


def _prefs_number(name: str, value: Callable[[prefs.Preferences], int]) -> Measure:
    return _prefs(name, value, summary="Sum", integer=True)


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


def _runid(topic: Topic, _: None) -> list[bytes]:
    return [b""]


def _num_q(topic: Topic, _: None) -> list[float]:
    return [1.0]


def _iprec_at_recall(topic: Topic, points: list[float]) -> list[float]:
    return m.interpolated(topic.vector(), points, rounded=topic.version == "10")[0]


def _11pt_avg(topic: Topic, points: list[float]) -> list[float]:
    return [m.average_interpolated(topic.vector(), points, rounded=topic.version == "10")]


def _relstring(topic: Topic, lengths: list[float]) -> list[bytes]:
    return [m.relstring(topic.vector(), lengths[0])]


def _rprec_mult(topic: Topic, multiples: list[float]) -> list[float]:
    return m.r_precision_multiples(topic.vector(), multiples)


def _utility(topic: Topic, coefficients: list[float]) -> list[float]:
    return [m.utility(topic.vector(), coefficients, topic.documents)]


def _ndcg_cut(topic: Topic, cutoffs: list[int]) -> list[float]:
    return m.ndcg_cut(topic.vector(), cutoffs)


def _set_f(topic: Topic, weights: list[float]) -> list[float]:
    return [m.set_f(topic.vector(), weights[0])]


def _map_avgjg(topic: Topic, _: None) -> list[float]:
    return _over_groups(topic, lambda x: [m.average_precision(x)])


def _p_avgjg(topic: Topic, cutoffs: list[int]) -> list[float]:
    return _over_groups(topic, lambda x: [m.precision_at(x, cutoff) for cutoff in cutoffs])


def _rprec_mult_avgjg(topic: Topic, multiples: list[float]) -> list[float]:
    return _over_groups(topic, lambda x: m.r_precision_multiples(x, multiples))


def _rbp(topic: Topic, pairs: list[m.Pair]) -> list[float]:
    return [m.rbp(topic.vector(), pairs)]


def _rbp_resid(topic: Topic, pairs: list[m.Pair]) -> list[float]:
    return [m.rbp_residual(topic.vector(), pairs)]


MEASURES = [
    Measure("runid", _runid, summary="tag", per_topic=False),
    Measure("num_q", _num_q, summary="topics", integer=True, per_topic=False),
    _number("num_ret", lambda x: x.num_ret),
    _number("num_rel", lambda x: x.num_rel),
    _number("num_rel_ret", lambda x: x.num_rel_ret),
    _plain("map", m.average_precision),
    _plain("gm_map", m.log_of_average_precision, summary="G", per_topic=False),
    _plain("Rprec", m.r_precision),
    _plain("bpref", m.bpref),
    _plain("recip_rank", m.reciprocal_rank),
    Measure("iprec_at_recall", _iprec_at_recall, "D", POINTS),
    _cut("P", m.precision_at),
    Measure("relstring", _relstring, "F", "10", summary="none"),
    _cut("recall", m.recall_at),
    _plain("infAP", m.inferred_average_precision),
    _plain("gm_bpref", m.log_of_bpref, summary="G", per_topic=False),
    Measure("Rprec_mult", _rprec_mult, "D", MULTIPLES),
    Measure("utility", _utility, "F", "1,-1,0,0"),
    Measure("11pt_avg", _11pt_avg, "F", POINTS),
    _plain("binG", m.bin_g),
    _gains("G", m.g_measure),
    _gains("dcg", m.dcg, only_10=True),
    _gains("ideal_dcg", m.ideal_dcg, only_10=True),
    _gains("ndcg", m.ndcg),
    _gains("ndcg_rel", m.ndcg_rel),
    _gains("Rndcg", m.rndcg),
    Measure("ndcg_cut", _ndcg_cut, "C", CUTOFFS),
    _cut("map_cut", m.average_precision_at),
    _cut("relative_P", m.relative_precision_at),
    _cut("success", m.success_at, "1,5,10"),
    _plain("set_P", m.set_precision),
    _plain("set_relative_P", m.set_relative_precision),
    _plain("set_recall", m.set_recall),
    _plain("set_map", m.set_average_precision),
    Measure("set_F", _set_f, "F", "1"),
    _number("num_nonrel_judged_ret", m.judged_nonrelevant_retrieved),
    _prefs_number("prefs_num_prefs_poss", prefs.num_prefs_poss),
    _prefs_number("prefs_num_prefs_ful", prefs.num_prefs_ful),
    _prefs_number("prefs_num_prefs_ful_ret", prefs.num_prefs_ful_ret),
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
    Measure("map_avgjg", _map_avgjg),
    Measure("P_avgjg", _p_avgjg, "C", CUTOFFS),
    Measure("Rprec_mult_avgjg", _rprec_mult_avgjg, "D", MULTIPLES),
    _plain("yaap", m.yaap),
    Measure("rbp", _rbp, "P", only_10=True),
    Measure("rbp_resid", _rbp_resid, "P", only_10=True),
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
