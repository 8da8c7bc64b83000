"""Slow twins of what is computed in Python, on 2,000 random cases each.

The twins are the definitions in exact fractions or plain loops, written without sight of
the fast code. Measures of the registry have theirs in Rust.
"""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Sequence
from fractions import Fraction
from statistics import NormalDist

import cranfield as cf
import pytest
from cranfield import answers, expected, fairness, instructions, oneclick, sessions

from tests import effort

CASES = effort.seeds(2000, 400)


def chances(seed: int) -> list[random.Random]:
    return [random.Random(f"{seed} {case}") for case in CASES]


def share(parts: Sequence[Fraction], whole: Fraction | int) -> float:
    return float(sum(parts, Fraction(0)) / whole) if whole else 0.0


def test_nugget_recall() -> None:
    held = {"support": Fraction(1), "partial_support": Fraction(1, 2), "not_support": Fraction(0)}
    for chance in chances(1):
        nuggets = [
            (chance.choice(("vital", "okay")), chance.choice(list(held)))
            for _ in range(chance.randint(0, 12))
        ]
        vital = [a for kind, a in nuggets if kind == "vital"]
        okay = [a for kind, a in nuggets if kind == "okay"]

        def strictly(given: str) -> Fraction:
            return Fraction(given == "support")

        half = Fraction(1, 2)
        weights = len(vital) + half * len(okay)
        found = answers.nugget_recall(nuggets)
        for ours, twin in (
            (found.strict_vital, share([strictly(a) for a in vital], len(vital))),
            (found.strict_all, share([strictly(a) for _, a in nuggets], len(nuggets))),
            (found.vital, share([held[a] for a in vital], len(vital))),
            (found.all, share([held[a] for _, a in nuggets], len(nuggets))),
            (
                found.strict_weighted,
                share([*map(strictly, vital), *(half * strictly(a) for a in okay)], weights),
            ),
            (
                found.weighted,
                share([*(held[a] for a in vital), *(half * held[a] for a in okay)], weights),
            ),
        ):
            assert ours == pytest.approx(twin, abs=1e-12), nuggets


def test_p_mrr() -> None:
    for chance in chances(3):
        documents = [f"d{i}" for i in range(chance.randint(1, 9))]
        lists = [chance.sample(documents, chance.randint(1, len(documents))) for _ in range(2)]
        withdrawn = chance.sample(documents, chance.randint(1, len(documents)))
        terms = []
        for document in withdrawn:
            before, after = (
                of.index(document) + 1 if document in of else len(of) + 1 for of in lists
            )
            risen = Fraction(after, before) - 1
            terms.append(risen if after <= before else 1 - Fraction(before, after))
        runs = [cf.Run.from_rankings({"1": of}) for of in lists]
        found = instructions.p_mrr(runs[0], runs[1], {"1": withdrawn})
        assert found["1"] == pytest.approx(share(terms, len(terms)), abs=1e-12), (lists, withdrawn)


def test_robustness() -> None:
    for chance in chances(4):
        queries = {f"q{i}": chance.randint(1, 3) for i in range(chance.randint(1, 3))}
        topics = [f"{query}_{i}" for query, count in queries.items() for i in range(count)]
        documents = ["a", "b", "c", "d"]
        qrels = {topic: {chance.choice(documents): 1} for topic in topics}
        rankings = {topic: chance.sample(documents, 4) for topic in topics}
        worst = []
        for query in queries:
            own = [topic for topic in topics if topic.startswith(f"{query}_")]
            ranks = [rankings[topic].index(next(iter(qrels[topic]))) + 1 for topic in own]
            worst.append(Fraction(1, max(ranks)))
        scores = cf.evaluate(qrels, cf.Run.from_rankings(rankings), "RR")
        found = instructions.robustness(scores).item()
        assert found == pytest.approx(share(worst, len(worst)), abs=1e-12)


def attention(rank: int) -> float:
    return 1 / math.log2(max(rank, 2))


def test_awrf_and_expected_exposure() -> None:
    for chance in chances(5):
        names = ["a", "b", "c"][: chance.randint(1, 3)]
        parts = [chance.randint(1, 5) for _ in names]
        target = {name: part / sum(parts) for name, part in zip(names, parts, strict=True)}
        groups = {f"d{i}": chance.choice(names) for i in range(8)}
        rankings = [
            chance.sample(list(groups), chance.randint(1, 8)) for _ in range(chance.randint(1, 4))
        ]

        def exposure(ranking: list[str], name: str, groups: dict[str, str] = groups) -> float:
            ranks = [rank for rank, d in enumerate(ranking, 1) if groups[d] == name]
            return math.fsum(attention(rank) for rank in ranks)

        whole = [math.fsum(attention(r) for r in range(1, len(of) + 1)) for of in rankings]
        mean = math.fsum(whole) / len(rankings)
        shown = [math.fsum(exposure(of, name) for of in rankings) / len(rankings) for name in names]
        wanted = [mean * target[name] for name in names]
        pairs = list(zip(shown, wanted, strict=True))
        found = fairness.expected_exposure(rankings, groups, target)
        assert found.loss == pytest.approx(math.fsum((s - w) ** 2 for s, w in pairs), abs=1e-12)
        assert found.disparity == pytest.approx(math.fsum(s * s for s in shown), abs=1e-12)
        assert found.relevance == pytest.approx(math.fsum(s * w for s, w in pairs), abs=1e-12)

        divergence = 0.0
        for name in names:
            seen = exposure(rankings[0], name) / whole[0]
            middle = (seen + target[name]) / 2
            for of in (seen, target[name]):
                divergence += of * math.log(of / middle) / 2 if of > 0 else 0.0
        ours = fairness.awrf(rankings[0], groups, target)
        assert ours == pytest.approx(1 - divergence, abs=1e-12)


def test_session_dcg() -> None:
    for chance in chances(6):
        judged = [chance.randint(-1, 3) for _ in range(chance.randint(1, 9))]
        session = [
            chance.choices((-1, 0, 1, 2, 3), k=chance.randint(0, 6))
            for _ in range(chance.randint(1, 4))
        ]
        k = chance.randint(1, 7)
        base, query = chance.choice((2, 3, 10)), chance.choice((2, 4))

        def sdcg(lists: list[list[int]], k: int = k, base: int = base, query: int = query) -> float:
            return math.fsum(
                (2 ** max(grade, 0) - 1)
                / math.log(rank + base - 1, base)
                / math.log(number + query - 1, query)
                for number, grades in enumerate(lists, 1)
                for rank, grade in enumerate(grades[:k], 1)
            )

        found = sessions.sdcg(session, k=k, base=base, query=query)
        assert found == pytest.approx(sdcg(session), rel=1e-12, abs=1e-12)
        best = sdcg([sorted(judged, reverse=True)] * len(session))
        found = sessions.nsdcg(session, judged, k=k, base=base, query=query)
        assert found == pytest.approx(sdcg(session) / best if best else 0.0, rel=1e-12, abs=1e-12)


def test_one_click() -> None:
    for chance in chances(7):
        nuggets = {
            f"n{i}": (chance.randint(1, 8) / 4, chance.randint(1, 30))
            for i in range(chance.randint(1, 9))
        }
        held = chance.sample(list(nuggets), chance.randint(0, len(nuggets)))
        offsets = {name: chance.randint(0, 200) for name in held}
        length, patience = chance.randint(0, 150), chance.randint(31, 250)
        beta = Fraction(chance.choice((1, 10, 1)), chance.choice((1, 2)))

        def worth(weight: float, at: int, patience: int = patience) -> Fraction:
            return Fraction(weight) * (patience - at) if at < patience else Fraction(0)

        # The pseudo minimal output: the shortest of the heaviest that are left comes next.
        best = Fraction(0)
        left = list(nuggets.values())
        written = 0
        while left:
            heaviest = max(weight for weight, _ in left)
            shortest = min(vital for weight, vital in left if weight == heaviest)
            left.remove((heaviest, shortest))
            written += shortest
            best += worth(heaviest, written)
        s = sum((worth(nuggets[n][0], at) for n, at in offsets.items()), Fraction(0)) / best
        t = Fraction(sum(nuggets[name][1] for name in held), length) if length else Fraction(0)
        s_flat, t_flat = min(s, Fraction(1)), min(t, Fraction(1))
        weights = [Fraction(weight) for weight, _ in nuggets.values()]
        both = s_flat > 0 and t_flat > 0
        f_flat = (1 + beta**2) / (beta**2 / s_flat + 1 / t_flat) if both else Fraction(0)
        expected = {
            "recall": Fraction(len(held), len(nuggets)),
            "weighted_recall": sum(Fraction(nuggets[n][0]) for n in held) / sum(weights),
            "s_measure": s,
            "s_flat": s_flat,
            "t_measure": t,
            "t_flat": t_flat,
            "f_flat": f_flat,
        }
        found = oneclick.score(nuggets, (length, offsets), L=patience, beta=float(beta))
        for name, value in expected.items():
            assert getattr(found, name) == pytest.approx(float(value), abs=1e-12), name


def test_expected_average_precision() -> None:
    for chance in chances(8):
        documents = [f"d{i}" for i in range(chance.randint(1, 5))]
        lists = [chance.sample(documents, chance.randint(1, len(documents))) for _ in range(2)]
        probabilities = {d: chance.randint(0, 4) / 4 for d in documents}
        number = sum(probabilities.values())
        if number == 0:
            continue

        def precisions(ranking: list[str], relevant: set[str]) -> float:
            ranks = [rank for rank, d in enumerate(ranking, 1) if d in relevant]
            return sum(seen / rank for seen, rank in enumerate(ranks, 1))

        # Every judgment with its probability, and the sums of both lists under it.
        outcomes = []
        for judged in itertools.product((True, False), repeat=len(documents)):
            pairs = list(zip(documents, judged, strict=True))
            likely = math.prod(
                probabilities[d] if yes else 1 - probabilities[d] for d, yes in pairs
            )
            relevant = {d for d, yes in pairs if yes}
            outcomes.append((likely, *(precisions(of, relevant) for of in lists)))

        def moments(numbers: list[tuple[float, float]]) -> tuple[float, float]:
            mean = sum(p * x for p, x in numbers)
            return mean, sum(p * (x - mean) ** 2 for p, x in numbers)

        mean, variance = moments([(p, one) for p, one, _ in outcomes])
        found = expected.average_precision(lists[0], probabilities)
        assert found.value == pytest.approx(mean / number, abs=1e-12)
        assert found.variance == pytest.approx(variance / number**2, abs=1e-12)
        mean, variance = moments([(p, one - other) for p, one, other in outcomes])
        between = expected.difference(lists[0], lists[1], probabilities)
        assert between.value == pytest.approx(mean / number, abs=1e-12)
        assert between.variance == pytest.approx(variance / number**2, abs=1e-12)
        if variance > 1e-9:
            below = NormalDist(mean, math.sqrt(variance)).cdf(0)
            assert between.confidence == pytest.approx(1 - below, abs=1e-9)
