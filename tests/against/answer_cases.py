"""Random cases for the programs that score nuggets, battles, judges and few judgments.

The recorder and the tests draw the same cases from the same seeds.
"""

from __future__ import annotations

from random import Random

IMPORTANCE = ("vital", "okay")
ASSIGNMENT = ("support", "partial_support", "not_support")


def nuggets(seed: int) -> list[tuple[str, str]]:
    """The nuggets of an answer."""
    chance = Random(f"nuggets {seed}")
    size = chance.randint(0, 12)
    return [(chance.choice(IMPORTANCE), chance.choice(ASSIGNMENT)) for _ in range(size)]


def predictions(seed: int) -> tuple[list[float], list[float], list[float]]:
    """Gold values, a model's on the same topics, and a model's on others."""
    chance = Random(f"predictions {seed}")
    tied = chance.choice((0.0, 0.3, 0.7, 1.0))

    def both() -> tuple[float, float]:
        a, b = chance.random() ** 2, chance.random()
        return a, tied * a + (1 - tied) * b

    gold = [both() for _ in range(chance.randint(2, 60))]
    others = [both()[1] for _ in range(chance.randint(2, 200))]
    return [a for a, _ in gold], [b for _, b in gold], others


def battles(seed: int) -> list[tuple[str, str, str | None]]:
    """Battles of three or five runs.

    Every outcome occurs on both sides, and there are few numbers of battles: arena-rank compiles
    itself anew for each number of either, which takes seconds.
    """
    chance = Random(f"battles {seed}")
    runs = [f"run{number}" for number in range(5 if seed % 2 else 3)]
    strength = {run: chance.gauss(0, 1) for run in runs}
    pairs = [(a, b) for a in runs for b in runs if a != b]
    found = [(a, b, winner) for a, b in pairs for winner in (a, b, None)]
    for _ in range(50 * chance.randint(0, 4)):
        a, b = chance.choice(pairs)
        odds: float = 2 ** (strength[a] - strength[b])
        won = chance.random() < odds / (1 + odds)
        found.append((a, b, None if chance.random() < 0.2 else a if won else b))
    return found


def orders(seed: int) -> tuple[list[float], list[float]]:
    """The means of runs under gold and under another judge, with some ties."""
    chance = Random(f"orders {seed}")
    size = chance.randint(3, 25)
    digits = chance.choice((1, 2, 6))
    gold = [chance.random() for _ in range(size)]
    other = [value + chance.gauss(0, 0.2) for value in gold]
    return [round(v, digits) for v in gold], [round(v, digits) for v in other]


def grades(seed: int) -> tuple[list[int], list[int]]:
    """The grades that two judges gave to the same documents."""
    chance = Random(f"grades {seed}")
    top = chance.randint(1, 4)
    first = [chance.randint(0, top) for _ in range(chance.randint(2, 40))]
    second = [grade if chance.random() < 0.6 else chance.randint(0, top) for grade in first]
    return first, second
