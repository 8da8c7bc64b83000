"""Every value that the folders of ``oracles`` print: how many there are, and how many agree.

Each printed number is either compared with cranfield's, to its printed digits, or falls under
an exception that names the disagreement (D numbers as in ``tests/against/README.md``). The
counts are the test.
"""

from __future__ import annotations

import math
from collections import Counter
from pathlib import Path
from typing import Any

import cranfield as cf
import pytest
from cranfield import trec_eval

from tests.against.test_other_programs import HERE, half_a_digit
from tests.measures.test_diversity import columns

CUTOFFS = (5, 10, 15, 20, 30, 100, 200, 500, 1000)

FALLOUT = [math.ceil(142 * tenth / 10) for tenth in range(11)]
"""The levels of fallout_recall; the names cut what is rounded up here."""

TREC_EVAL_8 = (
    {
        name: here
        for name, here in HERE.items()
        if name not in ("ircl_prn.0.10", "fallout_recall_14")
    }
    | {"gm_bpref": "gm_bpref"}
    | {
        f"fallout_recall_{142 * t // 10}": f"RecallAtFallout(nonrel={FALLOUT[t]})"
        for t in range(11)
    }
    | {
        "num_ret": "num_ret",
        "num_rel": "num_rel",
        "num_rel_ret": "num_rel_ret",
        "map": "AP",
        "R-prec": "Rprec",
        "recip_rank": "RR",
        "num_nonrel_judged_ret": "num_nonrel_judged_ret",
        "exact_prec": "SetP",
        "exact_recall": "SetR",
        "exact_relative_prec": "SetRcap",
        "exact_unranked_avg_prec": "SetAP",
        "infAP": "infAP",
        "utility_1.0_-1.0_0.0_0.0": "Utility",
    }
    | {f"ircl_prn.{t / 10:.2f}": f"IPrec@{t / 10}" for t in range(11)}
    | {f"P{k}": f"P@{k}" for k in CUTOFFS}
    | {f"recall{k}": f"R@{k}" for k in CUTOFFS}
    | {f"relative_prec{k}": f"Rcap@{k}" for k in CUTOFFS}
    | {f"{x / 10:.2f}R-prec": f"Rprec(mult={x / 10})" for x in range(2, 21, 2)}
)
"""trec_eval 8.1's names of measures that we have."""

OVER_TOPICS = ("num_rel", "avg_doc_prec", "bpref_num_possible", "micro_recall", "micro_bpref")
"""What 8.1 adds up over the topics of the run, also where -c averages over all."""

DEPTH = 100
"""No list is longer."""


def derived(name: str, precision: list[float], relevant: float, retrieved: float) -> float | None:
    """A measure of trec_eval 8.1 that follows from P at every rank, R and n; None for others."""
    found = [round(p * k) for k, p in enumerate(precision, 1)]
    ranks = [k for k in range(1, DEPTH + 1) if found[k - 1] > (found[k - 2] if k > 1 else 0)]
    above = [rank - 1 - i for i, rank in enumerate(ranks)]
    if relevant == 0:
        known = ("int_map", "int_0", "int_1", "int_2", "rcl_at_", "exact_int_R", "rank_first_rel")
        is_known = name.startswith(known) and name != "int_map_at_R"
        return 0.0 if is_known or "unranked_avg_prec" in name else None
    if name == "rank_first_rel":
        return ranks[0] if ranks else 0
    if name.startswith(("unranked_avg_prec", "relative_unranked_avg_prec")):
        k = int(name.partition("prec")[2])
        hits = found[min(k, DEPTH) - 1]
        if name.startswith("unranked"):
            return hits / k * hits / relevant
        # Ranks beyond the list count for it as ranks.
        return float((hits / (min(k, relevant) if k <= retrieved else k)) ** 2)
    if name == "exact_relative_unranked_avg_prec":
        return float((found[-1] / max(retrieved, 1)) ** 2)
    if name == "int_map":
        return math.fsum(max(precision[rank - 1 :]) for rank in ranks) / relevant
    if name == "exact_int_R_rcl_prec":
        return max(precision[int(relevant) - 1 :])
    if name.startswith("int_") and name.endswith("R-prec"):
        first = int(float(name[4:8]) * relevant + 0.9)
        return max(precision[max(first, 1) - 1 :])
    if name == "rcl_at_142_nonrel":
        return math.fsum(max(142 - n, 0) / 142 for n in above) / relevant
    return None


def could_be_at_r(name: str, precision: list[float], relevant: float, length: float) -> list[float]:
    """D47: what 8.1 can print for map_at_R and int_map_at_R.

    It leaves rank R out, and rank r beyond a list of n < R counts c(n) / (r - 1). The index of
    its table of cutoffs then falls below 0, where the sum stands: so the sum may begin with the
    value at a rank, namely that in memory before another table.
    """
    r, n = int(relevant), int(length)
    at = precision[:n]
    if name == "int_map_at_R":
        at = [max(at[rank:]) for rank in range(n)]
    found = round(precision[n - 1] * n)
    sum_ = math.fsum(at[: r - 1]) + math.fsum(found / rank for rank in range(n, r))
    return [(first + sum_) / r for first in (0.0, *at)]


class Tally:
    """Counts what was compared and excepted."""

    def __init__(self) -> None:
        self.compared = 0
        self.excepted: Counter[str] = Counter()

    @property
    def printed(self) -> int:
        return self.compared + self.excepted.total()

    def compare(self, found: float, text: str, where: object) -> None:
        assert abs(found - float(text)) <= half_a_digit(text), (where, found, text)
        self.compared += 1


@pytest.fixture(scope="module")
def oracles(data: Path) -> Path:
    return data / "oracles"


def ours(qrels: Any, run: Any, measures: list[str], **options: Any) -> dict[str, dict[str, float]]:
    """Our values by topic, and by measure as it is written here; ``mean`` is one more topic."""
    scores = cf.evaluate(qrels, run, measures, **options)
    found = next(iter(scores.to_dict().values()))
    values = {
        topic: {m: of_topic[str(cf.Measure(m))] for m in measures}
        for topic, of_topic in found.items()
    }
    summary = dict(zip(map(str, scores.measures), scores.summary()[0], strict=True))
    values["mean"] = {m: float(summary[str(cf.Measure(m))]) for m in measures}
    return values


def of_trec_eval_10(oracles: Path, tally: Tally) -> None:
    """Whole outputs, by our trec_eval, line by line."""
    for path in sorted((oracles / "trec_eval_10.0").glob("*.out")):
        run, qrels, mode, _ = path.name.split(".")
        option = f"-{mode}"
        arguments = ["--compat", "10", "-q", "-m", "all_trec", option]
        files = [
            str(oracles / "synthetic" / f"{qrels}.qrels"),
            str(oracles / "synthetic" / f"{run}.run"),
        ]
        found = trec_eval.run([*arguments, *files]).out.decode().splitlines()
        lines = {tuple(line.split()[:2]): line.split()[2] for line in found}
        for line in path.read_text().splitlines():
            name, topic, text = line.split()
            if name in ("rbp", "rbp_resid"):
                tally.excepted["D11"] += 1
            elif name == "runid":
                assert lines[name, topic] == text
            else:
                assert lines[name, topic] == text, (path.name, name, topic, text)
                tally.compared += 1


def of_trec_eval_8(oracles: Path, tally: Tally) -> None:
    at_ranks = [f"P@{k}" for k in range(1, DEPTH + 1)]
    for path in sorted((oracles / "trec_eval_8.1").glob("*.out")):
        run, qrels, mode, _ = path.name.split(".")
        level = 1 if mode == "c" else int(mode[1:])
        texts = {"GMAP", *TREC_EVAL_8.values(), *at_ranks}
        at_level = {m: m if m == "num_ret" else str(cf.Measure(m)(rel=level)) for m in texts}
        values, of_the_run = (
            ours(
                oracles / "synthetic" / f"{qrels}.qrels",
                oracles / "synthetic" / f"{run}.run",
                sorted(set(at_level.values())),
                missing=missing,
            )
            for missing in ("zero" if mode == "c" else "skip", "skip")
        )
        precision = {t: [of[at_level[m]] for m in at_ranks] for t, of in values.items()}
        lines = [line.split() for line in path.read_text().splitlines()]
        scored = [t for t in values if t != "mean" and not math.isnan(precision[t][0])]
        follow = {
            name: {
                t: derived(name, precision[t], values[t][at_level["num_rel"]], values[t]["num_ret"])
                for t in scored
            }
            for name in {name for name, _, _ in lines}
        }
        others = {t: values[t]["num_ret"] - values[t][at_level["num_rel_ret"]] for t in scored}
        for name, topic, text in lines:
            asked = scored if topic == "all" else [topic]
            where = "mean" if topic == "all" else topic
            told = (path.name, name, topic)
            follows = follow[name]
            numbers = [number for number in follows.values() if number is not None]
            if name == "3-pt_avg":
                levels = [values[where][at_level[f"IPrec@{t}"]] for t in (0.2, 0.5, 0.8)]
                tally.compare(math.fsum(levels) / 3, text, told)
            elif name == "gm_ap":
                tally.compare(values[where][at_level["GMAP"]], text, told)
            elif len(numbers) == len(scored):
                mean = math.fsum(numbers) / len(numbers)
                tally.compare(mean if topic == "all" else follows[topic] or 0, text, told)
            elif name.startswith("utility") and no_relevant(values, topic, at_level):
                tally.excepted["D17"] += 1
            elif name.startswith("fallout_recall") and any(
                others[t] in FALLOUT and FALLOUT.index(int(others[t])) >= level_of_fallout(name)
                for t in asked
            ):
                tally.excepted["D46"] += 1
            elif name in ("map_at_R", "int_map_at_R") and (
                abs(values[where][at_level[name]] - float(text)) > half_a_digit(text)
            ):
                if topic != "all":
                    counts = values[topic][at_level["num_rel"]], values[topic]["num_ret"]
                    possible = could_be_at_r(name, precision[topic], *counts)
                    apart = min(abs(value - float(text)) for value in possible)
                    assert apart <= half_a_digit(text), told
                tally.excepted["D47"] += 1
            elif name == "num_q":
                tally.compare(len(scored), text, told)
            else:
                of = of_the_run if topic == "all" and name in OVER_TOPICS else values
                tally.compare(of[where][at_level[TREC_EVAL_8[name]]], text, told)


def level_of_fallout(name: str) -> int:
    """Which of the eleven levels a name is of."""
    return [142 * tenth // 10 for tenth in range(11)].index(int(name.rpartition("_")[2]))


def no_relevant(values: dict[str, dict[str, float]], topic: str, at: dict[str, str]) -> bool:
    """Whether a topic, or one of all, has no relevant document."""
    of = values.values() if topic == "all" else [values[topic]]
    return any(row[at["num_rel"]] == 0 for row in of)


def of_gdeval(oracles: Path, tally: Tally) -> None:
    """Its mean is over the topics with a relevant document (D17) that were run, or with -c all."""
    for path in sorted((oracles / "gdeval").glob("*.csv")):
        run, *rest, _ = path.name.split(".")
        if "risk" in rest:
            continue
        k = int(rest[0][1:])
        measures = [f'nDCG(dcg="exp-log2")@{k}', f"ERR(max_rel=4)@{k}"]
        values = ours(
            oracles / "synthetic" / "full.qrels",
            oracles / "synthetic" / f"{run}.run",
            measures,
            undefined="skip",
            missing="zero" if "c" in rest else "skip",
        )
        for line in path.read_text().splitlines()[1:]:
            _, topic, *printed = line.split(",")
            for measure, text in zip(measures, printed, strict=True):
                found = values["mean" if topic == "amean" else topic][measure]
                tally.compare(found, text, (path.name, topic, measure))
    at_risk(oracles / "gdeval" / "bravo.vs.alpha.risk.csv", oracles, tally)


def at_risk(path: Path, oracles: Path, tally: Tally) -> None:
    """What a run wins over another, losses counted six times; the second is alpha."""
    diverse = path.parent.name == "ndeval"
    header, *lines = path.read_text().splitlines()
    if diverse:
        named = columns()
        measures = [named[name] for name in header.split(",")[2:]]
        qrels: Any = cf.read_qrels(oracles / "ndeval" / "diversity.qrels", layout="intents")
    else:
        measures = ['nDCG(dcg="exp-log2")@20', "ERR(max_rel=4)@20"]
        qrels = oracles / "synthetic" / "full.qrels"
    run, base = (
        ours(qrels, oracles / "synthetic" / f"{name}.run", measures, undefined="zero")
        for name in ("bravo", "alpha")
    )
    won: dict[str, list[float]] = {measure: [] for measure in measures}
    for line in lines:
        (
            *_,
            topic,
        ) = line.split(",")[:2]
        printed = line.split(",")[2:]
        for measure, text in zip(measures, printed, strict=True):
            if text in ("-nan", "nan"):
                tally.excepted["D22"] += 1
                continue
            if topic not in run and topic != "amean":
                tally.excepted["D16"] += 1
                continue
            if topic == "amean" and diverse:
                tally.excepted["D16"] += 1  # the mean counts an unjudged topic
                continue
            if topic == "amean":
                found = math.fsum(won[measure]) / len(won[measure])
            else:
                found = run[topic][measure] - base[topic][measure]
                found *= 6 if found < 0 else 1
                won[measure].append(found)
            if diverse and measure.startswith("nNRBP"):
                tally.excepted["D22"] += 1
                continue
            tally.compare(found, text, (path.name, topic, measure))


def of_ndeval(oracles: Path, tally: Tally) -> None:
    for path in sorted((oracles / "ndeval").glob("*.csv")):
        run, *rest, _ = path.name.split(".")
        if "risk" in rest:
            at_risk(path, oracles, tally)
            continue
        named = columns("alpha=0.9", "beta=0.8") if "a0" in rest else columns()
        values = ours(
            cf.read_qrels(oracles / "ndeval" / "diversity.qrels", layout="intents"),
            oracles / "synthetic" / f"{run}.run",
            list(named.values()),
            missing="zero" if "c" in rest else "skip",
        )
        header, *lines = path.read_text().splitlines()
        for line in lines:
            _, topic, *printed = line.split(",")
            for name, text in zip(header.split(",")[2:], printed, strict=True):
                if text in ("-nan", "nan"):
                    tally.excepted["D22"] += 1
                elif topic not in values and topic != "amean":
                    tally.excepted["D16"] += 1
                else:
                    found = values["mean" if topic == "amean" else topic][named[name]]
                    tally.compare(found, text, (path.name, topic, name))


def of_compatibility(oracles: Path, tally: Tally) -> None:
    for path in sorted((oracles / "compatibility").glob("*.csv")):
        run, _, rest = path.stem.partition(".p")
        measure = f"Compat(p={rest or 0.95})"
        values = ours(
            oracles / "synthetic" / "full.qrels",
            oracles / "synthetic" / f"{run}.run",
            [measure],
            order="docno_asc",
            missing="skip",
            undefined="skip",
        )
        for line in path.read_text().splitlines()[1:]:
            _, topic, text = line.split(",")
            found = values["mean" if topic == "average" else topic][measure]
            assert found == pytest.approx(float(text), rel=1e-12), (path.name, topic)
            tally.compared += 1


def of_sample_eval(oracles: Path, tally: Tally) -> None:
    named = {"infAP": "xinfAP@1000", "infNDCG": "infNDCG@1000", "num_ret": "num_ret"}
    named |= {f"iP{k}": f"infP@{k}" for k in (10, 50, 1000)}
    named |= {"inum_rel": "inf_num_rel", "inum_rel_ret": "inf_num_rel_ret@1000"}
    named |= {f"iprec@rec{t / 10:.2f}": f"infIPrec@{t / 10}" for t in range(11)}
    for path in sorted((oracles / "sample_eval").glob("*.out")):
        values, of_all = (
            ours(
                oracles / "sample_eval" / "strata.qrels",
                oracles / "synthetic" / f"{path.stem}.run",
                list(named.values()),
                missing=missing,
            )
            for missing in ("skip", "zero")
        )
        for line in path.read_text().splitlines():
            name, topic, text = line.split()
            of = of_all if (name, topic) == ("inum_rel", "all") else values
            found = of["mean" if topic == "all" else topic][named[name]]
            if name.startswith("iprec") and abs(found - float(text)) > half_a_digit(text):
                tally.excepted["D48"] += 1
            else:
                tally.compare(found, text, (path.name, topic, name))


def of_stat_ap(oracles: Path, tally: Tally) -> None:
    for path in sorted((oracles / "statap").glob("*.out")):
        run, version, _ = path.name.split(".")
        named = stat_ap_measures(version)
        values, of_defined = (
            ours(
                oracles / "statap" / "prels",
                oracles / "synthetic" / f"{run}.run",
                list({*named.values(), "num_ret", "num_rel(rel=2)", "inf_num_rel"}),
                undefined=undefined,
                missing="skip",
            )
            for undefined in ("zero", "skip")
        )
        topics, _, means = path.read_text().partition(" valid_topics=")
        valid, *rest = means.split("\n")
        defined = [
            t for t, of in of_defined.items() if t != "mean" and of["statAP"] == of["statAP"]
        ]
        tally.compare(len(defined), valid, (path.name, "valid_topics"))
        wrong: Counter[str] = Counter()
        for block in topics.split("topic=")[1:]:
            topic = block.split()[0]
            of = values[topic]
            cutoffs = iter((10, 20, 50, 100) if version == "v4" else (30,))
            for part in block.split()[1:]:
                name, sign, text = part.partition("=")
                if name.startswith("Prec_at"):
                    name = f"Prec_at_{next(cutoffs)}"  # 4 prints the name of 50 twice
                if not sign or text.startswith("NA"):
                    continue
                measure = named[name]
                apart = abs(of[measure] - float(text)) > half_a_digit(text)
                reason = stat_ap_reason(version, name, of)
                if apart and reason:
                    tally.excepted[reason] += 1
                    wrong[name] += topic in defined
                else:
                    tally.compare(of[measure], text, (path.name, topic, name))
        for part in " ".join(rest).replace(" _on", "_on").split():
            name, _, text = part.partition("=")
            name = name.removesuffix("_on_valid_topics")
            found = {"statMAP": "AP", "VAR_MAP": "varAP", "statMRP": "R-prec"}.get(name, name)
            found = found.replace("statMPC", "Prec_at").replace("statMNDCG", "nDCG")
            mean = of_defined["mean"][named[found]]
            if wrong[found]:
                tally.excepted["D49" if found == "nDCG" else "D50"] += 1
            else:
                mean /= len(defined) if name == "VAR_MAP" else 1
                tally.compare(mean, text, (path.name, name))


def stat_ap_measures(version: str) -> dict[str, str]:
    """What each of statAP's names is here."""
    named = {
        "AP": "statAP",
        "R-prec": "statRprec",
        "Relevant": "inf_num_rel",
        "sampled": "num_rel(rel=0)",
        "sampled_relev": "num_rel",
        "sampled_in_list": "num_rel_ret(rel=0)",
        "sampled_relev_in_list": "num_rel_ret",
    }
    if version == "v3":
        more = {"Prec_at_30": "statP@30", "nDCG": 'nDCG(dcg="exp-log2")@30', "varAP": "varAP"}
        return named | more
    named |= {f"nDCG_{k}": f'nDCG(dcg="exp-log2")@{k}' for k in (10, 20, 50, 100)}
    named |= {f"Prec_at_{k}": f"statP@{k}" for k in (10, 20, 50, 100)}
    return named | {"varAP": 'varAP(version="4")'}


def stat_ap_reason(version: str, name: str, of: dict[str, float]) -> str | None:
    """The disagreement that lets a value differ, if there is one."""
    if of["inf_num_rel"] == 0:
        return "D17"
    if version == "v3" and name == "nDCG" and of["num_rel(rel=2)"] > 0:
        return "D49"
    if version == "v4" and name.startswith("Prec_at"):
        return "D50" if of["num_ret"] < int(name.rpartition("_")[2]) else None
    return None


def of_cwl_eval(oracles: Path, tally: Tally) -> None:
    """Compared in ``test_user_models.py``; here they are counted."""
    for name in ("nocost.out", "cost.out"):
        for line in (oracles / "cwl_eval" / name).read_text().splitlines()[1:]:
            _, metric, *texts = line.split("\t")
            if metric.strip() == "AP":
                tally.excepted["D23"] += len(texts)
            else:
                tally.compared += len(texts)


def of_inst_eval(oracles: Path, tally: Tally) -> None:
    more = {"inst_min": "", "inst_max": ',unjudged="best"', "inst_res": ',unjudged="residual"'}
    for path in sorted((oracles / "inst_eval").glob("*.out")):
        run, wanted = path.stem.split(".T")
        named = {
            name: f"INST(T={wanted},max_rel=3{given})@20000" for name, given in more.items()
        } | {name: name for name in ("num_ret", "num_rel", "num_rel_ret")}
        rankings: dict[str, list[str]] = {}
        for line in (oracles / "synthetic" / f"{run}.run").read_text().splitlines():
            topic, _, document, *_ = line.split()
            rankings.setdefault(topic, []).append(document)
        # D26: it cuts all lists at the length of the first.
        depth = len(next(iter(rankings.values())))
        cut = cf.Run.from_rankings({topic: found[:depth] for topic, found in rankings.items()})
        qrels = oracles / "synthetic" / "full.qrels"
        values = ours(qrels, cut, [m for n, m in named.items() if n.startswith("inst")])
        whole = ours(qrels, cf.Run.from_rankings(rankings), ["num_ret", "num_rel", "num_rel_ret"])
        topics = [topic for topic in rankings if topic in values]
        for line in path.read_text().splitlines():
            name, topic, text = line.split()
            of = values if name.startswith("inst") else whole
            told = (path.name, topic, name)
            if topic != "all":
                tally.compare(of[topic][named[name]], text, told)
                continue
            if name == "num_q":
                tally.compare(len(topics), text, told)
                continue
            mean = math.fsum(of[t][named[name]] for t in topics) / len(topics)
            # It cuts means of counts to whole numbers.
            tally.compare(mean if name.startswith("inst") else int(mean), text, told)


TALLIES = {
    "trec_eval 10.0": of_trec_eval_10,
    "trec_eval 8.1": of_trec_eval_8,
    "gdeval": of_gdeval,
    "ndeval": of_ndeval,
    "compatibility": of_compatibility,
    "sample_eval": of_sample_eval,
    "statAP": of_stat_ap,
    "cwl_eval": of_cwl_eval,
    "inst_eval": of_inst_eval,
}

COUNTS = {
    "trec_eval 10.0": (35670, 34928, 742),
    "trec_eval 8.1": (43420, 43102, 318),
    "gdeval": (432, 432, 0),
    "ndeval": (2457, 2358, 99),
    "compatibility": (87, 87, 0),
    "sample_eval": (682, 621, 61),
    "statAP": (1579, 1390, 189),
    "cwl_eval": (1620, 1560, 60),
    "inst_eval": (170, 170, 0),
}
"""For each tool: how many values it printed, are compared, and are excepted."""


@pytest.mark.parametrize("tool", TALLIES)
def test_what_a_tool_prints(oracles: Path, tool: str) -> None:
    tally = Tally()
    TALLIES[tool](oracles, tally)
    print(f"\n{tool}: excepted {dict(tally.excepted)}")
    assert (tally.printed, tally.compared, tally.excepted.total()) == COUNTS[tool]


def test_how_many_values_are_compared() -> None:
    """All that is printed but what is excepted by its D number, which is less than 2%."""
    printed, compared, excepted = (sum(row[i] for row in COUNTS.values()) for i in range(3))
    assert (printed, compared, excepted) == (86117, 84648, 1469)
    assert printed == compared + excepted
    assert excepted < 0.02 * printed
