"""Random cases for trec_eval: arguments and files, most of them valid and small.

Some of what trec_eval does has no meaning to agree on. It is never made here:

* NUL bytes: the program reads C strings.
* A negative -M: it crashes.
* Gains that are not finite or differ by 2^31, recall points and multiples beyond a
  million: a cast of them to an integer is undefined.
* Parameters on one of dcg, ideal_dcg and ndcg with another of them: they share a store.
* Levels of preferences that are NaN (the order of the classes is undefined) or -3 (a
  group whose best level it is breaks), and negative levels with the Rnonrel measures
  (read past the last class).

What trec_eval spoils but what has a sensible reading is made, rarely, and says so in
``spoilt``: there the real program is not asked.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import NamedTuple

from slow_trec_eval_registry import MEASURES, NICKNAMES, Version, registered


class Case(NamedTuple):
    arguments: list[bytes]
    files: dict[str, bytes]
    version: Version
    spoilt: str = ""


GAINS = {"G", "dcg", "ideal_dcg", "ndcg", "ndcg_rel", "Rndcg", "rbp"}
SHARED = {"dcg", "ideal_dcg", "ndcg"}
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
)
LONG_NAMES = {
    "q": "query_eval_wanted",
    "m": "measure",
    "c": "complete_rel_info_wanted",
    "l": "level_for_rel",
    "n": "nosummary",
    "D": "Debug_level",
    "J": "Judged_docs_only",
    "N": "Number_docs_in_coll",
    "M": "Max_retrieved_per_topic",
    "R": "Rel_info_format",
    "T": "Results_format",
    "Z": "Zscore",
}
AMBIGUOUS = {"Re", "R", "N", "n"}


class Maker:
    """One case. The order of the draws is the seed's meaning."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.version: Version = self.rng.choice(("9", "9.0.8", "10"))
        self.spoilt = ""
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
        return text.encode()

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
                if all(row[3].startswith("-") for row in block):
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
                        if self.chance(0.002) and value not in ("-1", "-2"):
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
                mean = rng.choice((f"{rng.uniform(0, 1):.4f}", "0", "1", "0.5", "nan", "12"))
                deviation = rng.choice((f"{rng.uniform(0.01, 1):.4f}", "1", "0", "-1", "inf"))
                rows.append([topic, name, mean, deviation])
            rows.append([topic, "zzz", "0", "1"])
        rows.append(["\U0010ffff", "zzz", "0", "1"])
        if self.chance(0.3):
            rng.shuffle(rows)
        return self.layout(rows)

    # Options.

    def parameters(self, kind: str, name: str) -> str:
        rng = self.rng
        if kind == "C":
            cutoffs = rng.sample((1, 2, 3, 4, 5, 7, 10, 20, 50, 1000), rng.randint(1, 4))
            texts = [str(cutoff) for cutoff in cutoffs]
            if self.chance(0.2):
                texts[0] += rng.choice((".4", "x", " ", "e3"))
            return ",".join(texts)
        if kind == "D" or name == "11pt_avg":
            texts = [
                rng.choice(
                    (
                        f"{rng.randint(0, 20) / 10}",
                        f".{rng.randint(1, 99)}",
                        f"{rng.uniform(0, 3):.3f}",
                    )
                )
                for _ in range(rng.randint(1, 5))
            ]
            if self.chance(0.05):
                texts.append(rng.choice(("-0.5", "1e4", "abc", "", "12.5", "0x1p-2")))
            return ",".join(texts)
        if name == "relstring":
            return rng.choice(("0", "1", "5", "20", "100", "2.9", "1e1", "3,4", "x", "-3"))
        if name == "set_F":
            return rng.choice(("0", "0.5", "2", "1e3", "-1", "-0.5", "x", "0.2,3", "inf", "nan"))
        if name == "utility":
            numbers = ("1", "-1", "0", "2.5", "-.5", "x", "1e3", "inf", "nan", "")
            weights = (9, 9, 9, 9, 9, 1, 3, 1, 1, 1)
            count = 4 if self.chance(0.93) else rng.choice((1, 2, 3, 5))
            return ",".join(rng.choices(numbers, weights, k=count))
        pairs = []
        if name in ("rbp", "rbp_resid") and self.chance(0.8):
            pairs.append("p=" + rng.choice(("0.5", "0.8", "0.95", "0", "1", ".99", "2", "-1", "x")))
        whole = self.chance(0.5)
        for _ in range(rng.randint(0 if pairs else 1, 4)):
            level = rng.choice(("0", "1", "1", "2", "2", "3", "4", "9", "-1", "-2", "+1", "01"))
            if self.chance(0.06):
                level = rng.choice(("x", "p", "", "1x", "1.5", "-", " 1", "0x1", "100"))
            gain = str(rng.randint(0, 9)) if whole else f"{rng.uniform(0, 4):.2f}"
            if self.chance(0.1):
                gain = rng.choice(("-1", "-0.5", "", "1e3", "x", "0x1p-1", "-0"))
            pairs.append(f"{level}={gain}")
        return ",".join(pairs)

    def choose_measures(self, form: str) -> list[str]:
        """Values of -m for the format."""
        rng = self.rng
        every = registered(self.version)
        if "prefs" in form:
            nicknames, own = ("prefs", "all_prefs", "all_prefs"), "prefs_"
        elif form == "qrels_jg":
            nicknames, own = ("qrels_jg", "qrels_jg", "qrels_jg"), "avgjg"
        else:
            nicknames, own = ("official", "all_trec", "set"), ""
        fitting = [
            measure
            for measure in every
            if (own in measure.name and measure.name.startswith("prefs_") == (own == "prefs_"))
            and (own or not measure.name.endswith("_avgjg"))
        ] + every[:2]
        chosen = [rng.choice(fitting) for _ in range(rng.randint(1, 6))]
        if form == "qrels" and self.chance(0.3):
            chosen += [measure for measure in every if measure.name in GAINS and self.chance(0.6)]
        names = {measure.name for measure in chosen}
        wanted = []
        if self.chance(0.35):
            nickname = rng.choice(nicknames)
            names |= set(NICKNAMES[nickname])
            wanted.append(nickname + (".9" if self.chance(0.03) else ""))
        for measure in chosen:
            text = measure.name
            crowded = measure.name in SHARED and len(SHARED & names) > 1
            if measure.parameters and not crowded and self.chance(0.5):
                text += "." + self.parameters(measure.parameters, measure.name)
            if not text.endswith("."):
                wanted.append(text)
        self.measures = sorted(names)
        rng.shuffle(wanted)
        return wanted

    def options(self, form: str) -> list[tuple[str, str | None]]:
        rng = self.rng
        options: list[tuple[str, str | None]] = []
        wanted = self.choose_measures(form)
        if form == "qrels" and self.chance(0.06):
            self.measures = NICKNAMES["official"]
        else:
            options += [("m", value) for value in wanted]
        if form != "qrels" or self.chance(0.05):
            options.append(("R", form))
        missing = set(self.judged) - set(self.retrieved)
        if self.chance(0.8 if self.version == "10" and missing else 0.3):
            options.append(("c", None))
        for letter, probability in (("q", 0.65), ("J", 0.15), ("n", 0.03), ("o", 0.02)):
            if self.chance(probability):
                options.append((letter, None))
        if self.chance(0.2):
            levels = ("0", "1", "2", "2", "3", "10", "-1", "-2", "-5", "x", "2.9", "+2", "99")
            options.append(("l", rng.choice(levels)))
        if self.chance(0.15):
            depths = ("1", "2", "5", "5", "10", "100", "4294967297", "0", "3x", "x")
            options.append(("M", rng.choice(depths)))
        if self.chance(0.06):
            options.append(("N", rng.choice(("0", "100", "528155", "-3", "x"))))
        if self.chance(0.05):
            topic = rng.choice([*self.judged, *self.retrieved, "unknown"])
            options.append(("D", rng.choice((f"0.{topic}", f"0.{topic}", f"x.{topic}", "0", "0."))))
        if self.chance(0.01):
            options.append(("T", rng.choice(("trec_results", "trec_results", "foo"))))
        if self.chance(0.06):
            options.append(("Z", "z"))
        return options

    def spelled(self, letter: str, value: str | None) -> list[str]:
        rng = self.rng
        name = LONG_NAMES.get(letter)
        if name and self.chance(0.15):
            if self.chance(0.5):
                short = name[: rng.randint(2, len(name))]
                name = name if short in AMBIGUOUS else short
            if value is None:
                return [f"--{name}"]
            return [f"--{name}={value}"] if self.chance(0.5) else [f"--{name}", value]
        if value is None:
            return [f"-{letter}"]
        return [f"-{letter}{value}"] if self.chance(0.4) and value else [f"-{letter}", value]

    def command_line(self, options: list[tuple[str, str | None]], names: list[str]) -> list[str]:
        rng = self.rng
        if self.chance(0.5):
            rng.shuffle(options)
        groups = [self.spelled(*option) for option in options]
        flags = [group for group in groups if len(group) == 1 and len(group[0]) == 2]
        if len(flags) > 1 and self.chance(0.4):
            groups = [group for group in groups if group not in flags]
            bundle = "-" + "".join(group[0][1] for group in flags)
            groups.insert(rng.randint(0, len(groups)), [bundle])
            last = groups[-1]
            if last != [bundle] and last[0][0] == "-" and last[0][1] in "lMNR" and self.chance(0.5):
                groups = [group for group in groups[:-1] if group != [bundle]]
                groups.append([bundle + last[0][1:], *last[1:]])
        if self.chance(0.04):
            return [word for group in groups for word in group] + ["--", *names]
        places = sorted(rng.randint(0, len(groups)) for _ in names)
        if self.chance(0.85):
            places = [len(groups)] * len(names)
        for place, name in reversed(list(zip(places, names, strict=True))):
            groups.insert(place, [name])
        return [word for group in groups for word in group]

    # Faults.

    def spoil_options(self, options: list[tuple[str, str | None]], names: list[str]) -> None:
        rng = self.rng
        match rng.randint(0, 7):
            case 0:
                wrong = (
                    "foo",
                    "map.",
                    "MAP",
                    "",
                    ".5",
                    "all_qrels",
                    "P_5",
                    "ndcg_p",
                    "set.",
                    "rbp",
                )
                options.append(("m", rng.choice(wrong)))
            case 1:
                options.append((rng.choice("baUtz"), None))
            case 2:
                options.append((rng.choice("hv"), None))
            case 3:
                names[:] = rng.choice(([], ["q"], ["missing", "r"], ["q", "missing"], ["r", "q"]))
            case 4:
                names[1] = rng.choice(("-", "-r"))
                options.append(("n", None))
            case 5:
                cutoffs = ("P.5,5", "P.0", "P.-3,4", "recall.x", "unj.5,0", "success.5,")
                others = ("iprec_at_recall..1,0.10", "utility.1,2")
                pairs = ("ndcg_rel.1", "G.1=2=3", "Rndcg.1=2,,3=4")
                options.append(("m", rng.choice((*cutoffs, *others, *pairs))))
            case 6:
                options.append(
                    ("R", rng.choice(("qrels", "qrels_jg", "prefs", "qrels_prefs", "foo")))
                )
            case _:
                options.append(("m", rng.choice(MEASURES).name))

    def spoil_files(self, files: dict[str, bytes], form: str) -> None:
        rng = self.rng
        name = rng.choice([*files])
        data = files[name]
        lines = data.split(b"\n")
        at = rng.randrange(len(lines))
        match rng.randint(0, 4):
            case 0:
                files[name] = b""
            case 1:
                files[name] = b"\xef\xbb\xbf" + data
            case 2:
                lines[at] = rng.choice(
                    (b"a", b"", b" ", b"1 2 3", lines[at] + b" more", b"1 2 3 4 5 6 7")
                )
                files[name] = b"\n".join(lines)
            case 3:
                lines.insert(at, rng.choice(lines))
                files[name] = b"\n".join(lines)
            case _:
                self.sensible(files, form)

    def sensible(self, files: dict[str, bytes], form: str) -> None:
        """What only a sensible reading gives a meaning to."""
        rng = self.rng
        topic = next(iter(self.judged))
        match rng.randint(0, 3):
            case 0 if form == "qrels":
                files["q"] = f"0 0 d -1\n0 0 e -{rng.randint(1, 3)}\n".encode() + files["q"]
                self.spoilt = "a topic with only negative grades"
            case 1 if self.version == "10":
                files["q"] = self.with_comments(files["q"], adjacent=True, last=True)
                self.spoilt = "adjacent comments, or one at the end"
            case 2:
                files["r"] = rng.choice((b"\n", b"  \n\t\n", b"\r"))
                self.spoilt = "a run without lines has no tag"
            case _:
                files["z"] = f"{topic} bpref 0.5 0.1\n".encode()
                self.spoilt = "a z-score looked up behind the last"


def case(seed: int) -> Case:
    make = Maker(seed)
    form = make.rng.choices(("qrels", "qrels_jg", "prefs", "qrels_prefs"), (75, 9, 9, 7))[0]
    make.make_collection()
    options = make.options(form)
    names = ["q", "r"]
    if make.chance(0.07):
        make.spoil_options(options, names)
    files = {"q": make.judgment_file(form), "r": make.run_file()}
    if ("Z", "z") in options:
        files["z"] = make.zscore_file()
    if make.chance(0.06):
        make.spoil_files(files, form)
    if make.chance(0.5):
        files["-"] = files["r"]
    arguments = [word.encode() for word in make.command_line(options, names)]
    return Case(arguments, files, make.version, make.spoilt)
