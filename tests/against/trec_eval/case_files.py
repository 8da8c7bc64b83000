"""The random files of a case for trec_eval."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

from tests.against.slow.trec_eval_c import atol
from tests.against.slow.trec_eval_registry import MEASURES, Version

GAINS = {"G", "dcg", "ideal_dcg", "ndcg", "ndcg_rel", "Rndcg", "rbp"}
RNONREL = {"prefs_avgjg_Rnonrel", "prefs_avgjg_Rnonrel_ret"}
ODD_NUMBERS = (
    *("abc", "3x", "0x1p3", "inf", "-inf", "nan", "-nan", "1e400", "-1e400", "-0", "+.5", "5."),
    *(".5", ".", "+", "-", "1e", "2e+", "1e5", "1E-3", "0x", "0x.8p1", "0x1.8", "0xg", "infinity"),
    *("INF", "infin", "Nan(12)", "nan(x", "1e-400", "00012", "+7", "1_0", "1,5", "0b1", "1.5e3x"),
    *("1e+5", "++1", "0x1p", "0x1p-", "0x1P+2", "0x.", "0x1e400p3", "4294967297", "1e-46", "1e39"),
)
TOPICS: tuple[Callable[[int], str], ...] = (
    lambda i: f"{i + 1}",
    lambda i: f"{301 + i}",
    lambda i: f"q{i}",
    lambda i: f"{i + 8:02}",
    lambda i: f"MB{i}-ß",
    lambda i: ("a", "B", "é", "1.2", "-1", "1#", "_")[i % 7],
)
DOCUMENTS: tuple[Callable[[int], str], ...] = (
    lambda i: f"d{i}",
    lambda i: f"{i}",
    lambda i: f"FT911-{i:03}",
    lambda i: f"é{i}",
    lambda i: ("x", "Ä", "日", "Z", "#")[i % 5] + f"{i}",
    lambda i: "long" * 30 + f"{i}",
    lambda i: f"\udcff{i}\udc80",  # bytes that are not UTF-8
)


class Files:
    """The files of one case. The order of the draws is the seed's meaning."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.version: Version = self.rng.choice(("9", "9.0.8", "10"))
        self.measures: list[str] = []

    def chance(self, probability: float) -> bool:
        return self.rng.random() < probability

    # Numbers.

    def score_style(self) -> Callable[[int], str]:
        rng = self.rng
        base = rng.uniform(0, 2)
        return rng.choice(
            (
                lambda i: f"{100 - i}",
                lambda i: f"{20 - 0.37 * i:.3f}",
                lambda i: f"{rng.uniform(-5, 5):.6f}",
                lambda i: f"{rng.uniform(0, 1)!r}",
                lambda i: str(rng.randint(0, 3)),
                lambda i: rng.choice(("0.5", ".5", "5e-1", "0x1p-1", "1", "1.0", "+1", "-0", "0")),
                lambda i: f"{base + rng.randint(0, 9) * 1e-9:.12f}",
                lambda i: f"{rng.uniform(1, 9) * 10 ** rng.randint(-42, 42):e}",
                lambda i: rng.choice((*ODD_NUMBERS, "1", "2", "3", f"{rng.uniform(0, 9):.2f}")),
                lambda i: rng.choice(("nan", f"{rng.randint(0, 6)}", "-nan", "2.5")),
                lambda i: f"{rng.randint(0, 2**40) + 2**60}",
                lambda i: "1",
            )
        )

    def grade_style(self) -> Callable[[], str]:
        rng = self.rng
        return rng.choice(
            (
                *[lambda: str(rng.randint(0, 1))] * 3,
                *[lambda: rng.choice("0000123")] * 3,
                lambda: rng.choice(("0", "1", "2", "-1")),
                lambda: rng.choice(("0", "1", "1", "-1", "-2", "-7")),
                lambda: str(rng.choice((0, 0, 1, 3, 9, 10, 25, 40))),
                lambda: rng.choice(("0", "0", "1", "1.7", "abc", "3x", "+2", "0x3", "-0", "1e2")),
                lambda: rng.choice(("0", "0", "0", "0", "0", "0", "1")),
            )
        )

    # Files.

    def layout(self, rows: list[list[str]]) -> bytes:
        """Rows as a file: the separators, line ends and so on that all programs accept."""
        rng = self.rng
        wild = self.chance(0.15)
        separator = rng.choice((" ", " ", "\t", "  ", " \t"))
        crlf = self.chance(0.08)
        lines = []
        for row in rows:
            if wild:
                text = rng.choice(("", "", " ", "\t\f"))
                for field in row[:-1]:
                    text += field + rng.choice((" ", "\t", "\v", "\f ", "\r", " \t "))
                text += row[-1] + rng.choice(("", "", " ", "\r", "\t\v"))
            else:
                text = separator.join(row) + ("\r" if crlf else "")
            lines.append(text)
        text = "".join(line + "\n" for line in lines)
        if text and self.chance(0.1):
            text = text[:-1]
        return text.encode("utf-8", "surrogateescape")

    def ended(self, data: bytes) -> bytes:
        """With a NUL byte at the start of a line, rarely: there reading stops."""
        at = data.find(b"\n") + 1
        if 0 < at < len(data) and b"\n#" not in data and self.chance(0.006):
            at = data.rfind(b"\n", 0, self.rng.randint(at, len(data))) + 1
            data = data[:at] + b"\0" + data[at:]
        return data

    def shuffled(self, topics: Sequence[list[list[str]]]) -> list[list[str]]:
        """The rows of all topics: one topic after the other, or mixed."""
        rng = self.rng
        style = rng.random()
        blocks = list(topics)
        if style < 0.35:
            rng.shuffle(blocks)
        rows = [row for block in blocks for row in block]
        if style > 0.75:
            rng.shuffle(rows)
        return rows

    def with_comments(self, data: bytes, *, adjacent: bool, last: bool) -> bytes:
        rng = self.rng
        lines = data.split(b"\n")
        out = []
        for line in lines[:-1] if data.endswith(b"\n") else lines:
            if self.chance(0.2):
                out += [b"# a comment"] * (rng.randint(1, 2) if adjacent else 1)
            out.append(line)
        if last and self.chance(0.3):
            out.append(b"#the end")
        return b"\n".join(out) + (b"\n" if self.chance(0.9) else b"")

    def make_collection(self) -> None:
        rng = self.rng
        self.topic_style = rng.choice(TOPICS)
        name = rng.choice(DOCUMENTS)
        count = rng.choice((1, 1, 2, 2, 3, 3, 4, 5, 6))
        big = self.chance(0.03)
        self.judged: dict[str, list[str]] = {}
        self.retrieved: dict[str, list[str]] = {}
        overlap = self.chance(0.97)
        lose_qrels, lose_run = self.chance(0.2), self.chance(0.2 if self.version == "10" else 0.3)
        for i in range(count):
            topic = self.topic_style(i)
            size = rng.randint(50, 300) if big and i == 0 else rng.randint(1, 40)
            documents = [name(j) for j in rng.sample(range(2 * size), size)]
            share = rng.choice((0.15, 0.5, 0.5, 0.8, 1.0))
            judged = [d for d in documents if self.chance(share)] or documents[:1]
            share = rng.choice((0.3, 0.8, 0.8, 1.0))
            retrieved = [d for d in documents if self.chance(share)] or documents[-1:]
            if not overlap or self.chance(0.02):
                retrieved = ["other" + d for d in retrieved]
            if not (lose_qrels and self.chance(0.4)):
                self.judged[topic] = judged
            if not (lose_run and self.chance(0.4)):
                self.retrieved[topic] = retrieved
        if not self.judged:
            self.judged[topic] = judged
        if not self.retrieved:
            self.retrieved[topic] = retrieved
        if self.chance(0.02):
            self.retrieved = {f"other{topic}": ranking for topic, ranking in self.retrieved.items()}

    def run_file(self) -> bytes:
        rng = self.rng
        score = self.score_style()
        tag = rng.choice(("t", "run-1", "é", "x" * 60, "#tag", "a,b"))
        blocks = []
        for topic, documents in self.retrieved.items():
            order = list(documents)
            if self.chance(0.5):
                rng.shuffle(order)
            rows = [
                [topic, "Q0", d, str(rank), score(rank), tag] for rank, d in enumerate(order, 1)
            ]
            if self.chance(0.01):
                rows.insert(rng.randint(0, len(rows)), list(rng.choice(rows)))
            if self.chance(0.015):
                rows.append([topic, "Q0", order[0], "7", "-1e30", tag])
            if self.chance(0.2):
                rows = sorted(rows, key=lambda row: row[2], reverse=self.chance(0.5))
            blocks.append(rows)
        rows = self.shuffled(blocks)
        if self.chance(0.05):
            for row in rows:
                row[1], row[3] = rng.choice(("Q0", "0", "-", "iter")), rng.choice(("1", "x", "-7"))
        if self.chance(0.05):
            for row in rows:
                row += rng.choice(([], ["more"], ["even", "more"]))
        if self.chance(0.05):
            rng.choice(rows)[5] = "another-tag"
        if self.version != "10" and self.chance(0.02):
            rows.insert(rng.randint(0, len(rows)), ["#", "a", "comment", "of", "six", "fields"])
        data = self.layout(rows)
        if self.chance(0.08):
            blank = rng.choice((b"\n", b" \t\n", b"\r\n"))
            at = data.find(b"\n") + 1 if self.chance(0.7) else 0
            data = data[:at] + blank + data[at:]
        if self.version == "10" and self.chance(0.1):
            data = self.with_comments(data, adjacent=True, last=True)
            if self.chance(0.3):
                data = b" \t#indented\n" + data
        return data

    def qrels_rows(self, form: str) -> list[list[str]]:
        rng = self.rng
        blocks = []
        grade = self.grade_style()
        groups = ["0", "1", "ß", "10", "2"][: rng.choice((1, 2, 3, 5))]
        for topic, judged in self.judged.items():
            if self.chance(0.1):
                grade = self.grade_style()
            rows = []
            for group in groups if form == "qrels_jg" else ["0"]:
                some = (
                    judged if len(groups) == 1 or self.chance(0.3) else judged[::2] + judged[1::4]
                )
                block = [[topic, group, d, grade()] for d in some]
                if group != groups[0] and self.chance(0.05):
                    for row in block:
                        row[3] = "-1"
                elif all(atol(row[3].encode()) < 0 for row in block):
                    block[0][3] = rng.choice("01")
                rows += block
            if self.chance(0.007):
                rows.insert(rng.randint(0, len(rows)), list(rng.choice(rows)))
            if self.chance(0.01) and form == "qrels" and not GAINS & set(self.measures):
                rng.choice(rows)[3] = str(rng.randint(10_000, 2_000_000))
            elif self.chance(0.001):
                rng.choice(rows)[3] = str(rng.randint(1_000, 20_000))
            blocks.append(rows)
        return self.shuffled(blocks)

    def prefs_rows(self, form: str) -> list[list[str]]:
        """Levels that agree between sub-groups, mostly."""
        rng = self.rng
        careless = 0.1 if self.chance(0.15) else 0.002
        negative = not RNONREL & set(self.measures) and self.chance(0.3)
        styles = ("0 1", "0 1 2 3", "0 1.5 1e1", "1 2 0.0")
        levels = rng.choice(styles).split() + (["-1", "-2"] if negative else [])
        blocks = []
        for topic, judged in self.judged.items():
            rows = []
            for group in ["0", "1", "ß", "10"][: rng.choice((1, 1, 2, 4))]:
                level = {d: rng.choice(levels) for d in judged}
                subgroups = rng.choice((1, 1, 2, 3)) if form == "prefs" else 1
                some = [d for d in judged if self.chance(0.7)] or judged[:1]
                for subgroup in range(subgroups):
                    members = some if subgroups == 1 else [d for d in some if self.chance(0.5)]
                    for d in members[:25]:
                        value = level[d]
                        if self.chance(careless) and value not in ("-1", "-2"):
                            value = rng.choice(levels)
                        rows.append([topic, group, f"s{subgroup}", d, value])
            if rows and self.chance(0.01):
                rows.insert(rng.randint(0, len(rows)), list(rng.choice(rows)))
            blocks.append(rows or [[topic, "0", "s0", judged[0], "1"]])
        rows = self.shuffled(blocks)
        return rows if form == "prefs" else [[*row[:2], *row[3:]] for row in rows]

    def judgment_file(self, form: str) -> bytes:
        rows = self.prefs_rows(form) if "prefs" in form else self.qrels_rows(form)
        if self.version != "10" and self.chance(0.02):
            rows.insert(0, ["#", *rows[0][1:]])
        data = self.layout(rows)
        if self.version == "10" and self.chance(0.1):
            data = self.with_comments(data, adjacent=False, last=False)
        return data

    def zscore_file(self) -> bytes:
        """With a last topic and, in each topic, a last name: nothing is looked up behind them."""
        rng = self.rng
        rows = []
        topics = [topic for topic in self.judged if self.chance(0.9)]
        names = [measure.name for measure in MEASURES]
        names += [f"{name}_{cutoff}" for name in ("P", "recall", "ndcg_cut") for cutoff in (5, 10)]
        names += ["iprec_at_recall_0.00", "iprec_at_recall_0.10", "success_1", "Rprec_mult_0.20"]
        for topic in topics:
            for name in rng.sample(names, rng.randint(1, len(names))):
                mean = rng.choice((f"{rng.uniform(0, 1):.4f}", "0", "1", "0.5", "12"))
                deviation = rng.choice((f"{rng.uniform(0.01, 1):.4f}", "1", "0", "-1", "inf"))
                rows.append([topic, name, mean, deviation])
            rows.append([topic, "zzz", "0", "1"])
        if self.chance(0.2):
            rows.append(["unknown", "map", "0", "1"])
        rows.append(["\U0010ffff", "zzz", "0", "1"])
        if self.chance(0.3):
            rng.shuffle(rows)
        return self.layout(rows)
