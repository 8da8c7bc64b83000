"""Random cases for trec_eval: arguments and files, most of them valid and small.

Some of what trec_eval does has no meaning to agree on. It is never made here:

* NUL bytes within a line, after a comment or at the start of a file: the program reads C
  strings.
* A negative -M: it crashes.
* Gains that are not finite or differ by 2^31, recall points and multiples beyond a
  million: a cast of them to an integer is undefined.
* Parameters on one of dcg, ideal_dcg and ndcg with another of them: they share a store.
* Levels of preferences that are NaN (the order of the classes is undefined) or -3 (a
  group whose best level it is breaks), and negative levels with the Rnonrel measures
  (read past the last class).
* NaNs of both signs in one sum: which of them stays is the compiler's choice.
* Two lines of a z-score file for one value: which of them counts is an accident.
* Trailing arguments after the two files: trec_eval takes one run, cranfield takes several.

Cases in which trec_eval goes wrong but which have a sensible reading are made, rarely, and
marked ``spoilt``: there the real program is not run.
"""

from __future__ import annotations

import itertools
from typing import NamedTuple

from tests.against.slow.trec_eval import data_lines
from tests.against.slow.trec_eval_c import atol
from tests.against.slow.trec_eval_registry import MEASURES, NICKNAMES, Version, registered
from tests.against.trec_eval.case_files import GAINS, Files


class Case(NamedTuple):
    arguments: list[bytes]
    files: dict[str, bytes]
    version: Version
    spoilt: str = ""


SHARED = {"dcg", "ideal_dcg", "ndcg"}
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
AMBIGUOUS = {"R", "Re"}


class Maker(Files):
    """One case: the options besides the files."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.spoilt = ""

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
            numbers = ("1", "-1", "0", "2.5", "-.5", "x", "1e3", "", rng.choice(("inf", "nan")))
            weights = (9, 9, 9, 9, 9, 1, 3, 1, 2)
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
        if self.chance(0.003):
            options.append(("D", f"{rng.randint(1, 6)}"))
            self.spoilt = "-D prints a trace of its own working"
        if self.chance(0.01):
            options.append(("T", rng.choice(("trec_results", "trec_results", "foo"))))
        if self.chance(0.06):
            options.append(("Z", "z"))
        if options and self.chance(0.03):
            letter, value = rng.choice(options)
            again = {"l": "1", "M": "7", "D": "0", "N": "9", "R": form, "Z": "z"}
            options.append((letter, again.get(letter, value)))
        return options

    def spelled(self, letter: str, value: str | None) -> list[str]:
        rng = self.rng
        name = LONG_NAMES.get(letter)
        if name and self.chance(0.15):
            if self.chance(0.5):
                short = name[: rng.randint(1, len(name))]
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
        match rng.randint(0, 9):
            case 0:
                unknown = ("foo", "map.", "MAP", "", ".5", "all_qrels", "P_5", "ndcg_p", "set.")
                options.append(("m", rng.choice(unknown)))
            case 1:
                options.append((rng.choice("baUtz"), None))
            case 2:
                options.append((rng.choice("hv"), None))
            case 3:
                names[:] = rng.choice(([], ["q"], ["missing", "r"], ["q", "missing"], ["r", "q"]))
            case 4:
                names[:] = rng.choice((["q", "-"], ["--", "q", "-r"], ["-", "r"]))
            case 5:
                cutoffs = ("P.5,5", "P.0", "P.-3,4", "recall.x", "unj.5,0", "success.5,")
                others = ("iprec_at_recall..1,0.10", "utility.1,2")
                pairs = ("ndcg_rel.1", "G.1=2=3", "Rndcg.1=2,,3=4")
                options.append(("m", rng.choice((*cutoffs, *others, *pairs))))
            case 6:
                options.append(
                    ("R", rng.choice(("qrels", "qrels_jg", "prefs", "qrels_prefs", "foo")))
                )
            case 7:
                words = ("--foo", "--quer=1", "--Re=qrels", "--=1", "--querys", "--help", "--v")
                names.insert(0, rng.choice(words))
            case 8:
                names.append(rng.choice(("-l", "-qm", "--Zscore", "--Rel")))
            case _:
                name = rng.choice(MEASURES).name
                if name not in SHARED:
                    options.append(("m", name))
                self.measures = [*self.measures, name]

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
            case 3 if name != "z":
                lines.insert(at, rng.choice(lines))
                files[name] = b"\n".join(lines)
            case _:
                self.sensible(files, form)

    def sensible(self, files: dict[str, bytes], form: str) -> None:
        """What only a sensible reading gives a meaning to."""
        rng = self.rng
        topic = next(iter(self.judged))
        match rng.randint(0, 4):
            case 4 if form == "qrels" and not GAINS & set(self.measures):
                files["q"] = f"{topic} 0 huge {rng.randint(10**8, 2**31)}\n".encode() + files["q"]
                self.spoilt = "a grade up to which it counts too long"
            case 0 if form == "qrels":
                files["q"] = f"0 0 d -1\n0 0 e -{rng.randint(1, 3)}\n".encode() + files["q"]
            case 1 if self.version == "10":
                files["q"] = self.with_comments(files["q"], adjacent=True, last=True)
            case 2:
                files["r"] = rng.choice((b"\n", b"  \n\t\n", b"\r"))
                self.spoilt = "a run without lines has no tag"
            case _ if "z" in files:
                files["z"] = f"{topic} bpref 0.5 0.1\n".encode()
                self.spoilt = "a z-score looked up behind the last"


def only_negative(qrels: bytes) -> bool:
    """Whether a topic has grades, all of them negative."""
    best: dict[bytes, int] = {}
    for line in data_lines(qrels):
        if fields := line.split():
            best[fields[0]] = max(best.get(fields[0], -1), atol(fields[-1]))
    return any(grade < 0 for grade in best.values())


def comments_are_lost(judgments: bytes) -> bool:
    comment = [line.startswith(b"#") for line in data_lines(judgments)]
    return any(both == (True, True) for both in itertools.pairwise([*comment, True]))


def case(seed: int) -> Case:
    make = Maker(seed)
    form = make.rng.choices(("qrels", "qrels_jg", "prefs", "qrels_prefs"), (75, 9, 9, 7))[0]
    make.make_collection()
    options = make.options(form)
    names = ["q", "r"]
    if make.chance(0.07):
        make.spoil_options(options, names)
    files = {"q": make.ended(make.judgment_file(form)), "r": make.ended(make.run_file())}
    if ("Z", "z") in options:
        files["z"] = make.zscore_file()
    standard_input = files["r"]
    if make.chance(0.06):
        make.spoil_files(files, form)
    files["-"] = standard_input
    if form.startswith("qrels") and only_negative(files["q"]):
        make.spoilt = "a topic with only negative grades"
    if make.version == "10" and comments_are_lost(files["q"]):
        make.spoilt = "adjacent comments, or one at the end"
    arguments = [
        word.encode("utf-8", "surrogateescape") for word in make.command_line(options, names)
    ]
    return Case(arguments, files, make.version, make.spoilt)
