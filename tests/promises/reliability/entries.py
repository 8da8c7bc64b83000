"""Every public function, method and command, with a call that lasts.

``CALLS`` is written here; ``names()`` is read from the package. A test compares both, so
that a new name needs an entry, in ``CALLS`` or among those that are short (``SHORT``).
"""

from __future__ import annotations

import inspect
from importlib import import_module

import cranfield as cf
from cranfield._cli import COMMANDS

PREPARED = """
import io, os, pickle, sys, tempfile
import numpy as np
import cranfield as cf
from cranfield import (
    abstention, answers, batch, battles, collection, curves, expected, fairness, instructions,
    judges, meta, oneclick, sessions, stats, study,
)
folder = sys.argv[1]
rng = np.random.default_rng(1)
TOPICS, DEPTH = 20, 3000
judged = {str(t): {f"d{d}": int(d % 7 == 0) for d in range(0, DEPTH, 5)} for t in range(TOPICS)}
listed = {
    name: {
        str(t): dict(zip((f"d{d}" for d in rng.permutation(DEPTH)), map(float, range(DEPTH))))
        for t in range(TOPICS)
    }
    for name in ("a", "b", "c")
}
qrels = cf.Qrels(judged, docs_in_collection=10**6)
runs = [cf.Run(lists, name=name) for name, lists in listed.items()]
many = {str(n): runs[n % 3] for n in range(60)}
ranked = collection.rank(qrels, runs, keep_unjudged=True)
table = cf.Scores.from_records(
    (f"r{r}", str(t), m, v)
    for m in ("m", "n") for r, row in enumerate(rng.random((120, 50))) for t, v in enumerate(row)
)
few = table.sel(run=[f"r{r}" for r in range(20)])
scores = cf.evaluate(qrels, runs, "AP nDCG@10")
x, y = rng.random((2, 2_000_000))
topics = np.repeat(np.arange(400), 5000).astype(str)
documents = np.tile([f"d{d}" for d in range(5000)], 400)
numbers = rng.random(len(topics))
grades = (numbers > 0.9).astype(int)
# Few, since numpy hears no signal while it makes a list.
first = [column[:500_000] for column in (topics, documents, numbers, grades)]
path = os.path.join(folder, "run.txt")
runs[0].write(path)
judged_path = os.path.join(folder, "qrels.txt")
qrels.write(judged_path)
os.mkfifo(os.path.join(folder, "pipe"))
pipe = os.path.join(folder, "pipe")
out = os.path.join(folder, "out")
def rows(n=10**6):
    for i in range(n):
        yield str(i // 1000)
fought = [
    (f"r{a}", f"r{b}", f"r{min(a, b)}" if w < 0.7 else f"r{max(a, b)}")
    for (a, b), w in zip(rng.permuted(np.tile(np.arange(40), (20_000, 1)), axis=1)[:, :2], x)
]
one = cf.Scores.from_records((f"r{r}", str(t), "m", v) for r, row in enumerate(rng.random((60, 50)))
    for t, v in enumerate(row))
import pyarrow
batched = pyarrow.table({"topic": topics, "doc": documents, "score": numbers})
large = [cf.Run.from_arrays(topics, documents, numbers, name="large")]
"""

CALLS = {
    # cranfield
    "bounds": "cf.bounds(qrels, runs, 'nERR(max_rel=3)@50')",
    "compare": "cf.compare(qrels, runs, 'AP nDCG@10')",
    "describe": "cf.describe(qrels, many)",
    "diff": "cf.diff(qrels, runs[0], runs[1], 'AP')",
    "exact_recall": "cf.exact_recall(top := np.tile(np.arange(500), (9000, 1)), top, rule='set')",
    "evaluate": "cf.evaluate(qrels, many, 'AP nDCG@10 bpref')",
    "audit": "cf.audit({'plain': 0.5, 'grades': 0.25})",
    "identify": "cf.identify(qrels, runs[0], 'P@10=0.3067')",
    "preferences": "cf.preferences(qrels, runs)",
    "read_classes": "cf.read_classes(pipe)",
    "read_costs": "cf.read_costs(pipe)",
    "read_lengths": "cf.read_lengths(pipe)",
    "read_intents": "cf.read_intents(pipe)",
    "read_qrels": "cf.read_qrels(pipe)",
    "read_rows": "cf.read_rows(pipe)",
    "read_run": "cf.read_run(pipe)",
    "read_runs": "cf.read_runs([pipe])",
    "read_span_qrels": "cf.read_span_qrels(pipe)",
    "read_scores": "cf.read_scores(pipe, format='jsonl')",
    "report": "cf.report(qrels, runs, 'AP')",
    "tie_bounds": "cf.tie_bounds(qrels, many, 'AP')",
    "Evaluator.bounds": "cf.Evaluator(qrels, 'nERR(max_rel=3)@50').bounds(runs)",
    "Evaluator.evaluate": "cf.Evaluator(qrels, 'AP').evaluate(many)",
    "Evaluator.topic": "cf.Evaluator(qrels, 'AP').topic(next(iter(qrels)), ['a'])",
    "Evaluator.tie_bounds": "cf.Evaluator(qrels, 'AP').tie_bounds(many)",
    "Qrels": "cf.Qrels(judged)",
    "Qrels.from_arrays": "cf.Qrels.from_arrays(topics, documents, grades)",
    "Qrels.from_rows": "cf.Qrels.from_rows(*(first[i].tolist() for i in (0, 1, 3)))",
    "Qrels.read": "cf.Qrels.read(pipe)",
    "Qrels.write": "qrels.write(out + '.xz')",
    "Qrels.to_dict": "qrels.to_dict()",
    "Run": "cf.Run(listed['a'])",
    "Run.from_arrays": "cf.Run.from_arrays(topics, documents, numbers)",
    "Run.from_rows": "cf.Run.from_rows(*(first[i].tolist() for i in (0, 1, 2)))",
    "Run.from_topk": "cf.Run.from_topk([str(t) for t in range(2000)], "
    "np.tile(np.arange(1000), (2000, 1)), rng.random((2000, 1000)))",
    "Run.read": "cf.Run.read(pipe, name='x')",
    "Run.to_dict": "runs[0].to_dict()",
    "Run.write": "runs[0].write(out + '.xz')",
    "Scores.compare": "few.compare(all_pairs=True)",
    "Scores.interval": "table.interval(method='bca')",
    "Scores.tiers": "few.tiers('m')",
    "pickle of a run": "pickle.loads(pickle.dumps(runs[0]))",
    "Evaluator.arrow": "cf.Evaluator(qrels, 'AP').arrow(batched)",
    # batch, battles
    "batch.evaluate": "batch.evaluate(judged_path, [path], 'AP', output=out + 'b', rescore=True)",
    "battles.bradley_terry": "battles.bradley_terry(fought, intervals='bootstrap')",
    "battles.preference_rates": "battles.preference_rates(fought)",
    "battles.read": "battles.read(pipe)",
    # collection
    "collection.agreement": "collection.agreement(qrels, qrels)",
    "collection.decide": "collection.decide(qrels, runs[0], runs[1], 'RBP')",
    "collection.leave_out": "collection.leave_out(qrels, ranked, ['p', 'q', 'r'])",
    "collection.mark_pool": "collection.mark_pool(qrels, qrels)",
    "collection.merge": "collection.merge(*[qrels] * 20)",
    "collection.pool": "collection.pool(many, None)",
    "collection.pool_to_depth": "collection.pool_to_depth(qrels, ranked * 30, 100)",
    "collection.rank": "collection.rank(qrels, many)",
    "collection.reduce": "collection.reduce(qrels, 0.5)",
    "collection.sample_collection": "collection.sample_collection(ranked, 0.5)",
    "collection.unjudged": "collection.unjudged(qrels, qrels)",
    # curves, instructions
    "curves.precision_recall": "curves.precision_recall(qrels, runs[0])",
    "curves.roc": "curves.roc(qrels, runs[0])",
    "instructions.p_mrr": "instructions.p_mrr(listed['a'], listed['b'], {'1': ['d1']})",
    # judges
    "judges.compare": "judges.compare(qrels, qrels, runs)",
    "judges.documents": "judges.documents(qrels, qrels)",
    "judges.favours": "judges.favours(one, one)",
    "judges.fidelity": "judges.fidelity(one, one)",
    "judges.group_favours": "judges.group_favours(one, one, {r: r[-1] for r in one.runs})",
    "judges.order": "judges.order(one, one)",
    # meta
    "meta.correlation": "meta.correlation(table)",
    "meta.discriminative_power": "meta.discriminative_power(few, 'bootstrap', resamples=10**4)",
    "meta.g_study": "meta.g_study(table)",
    "meta.imperfection": "meta.imperfection(qrels, ranked, ['AP'], [0.5, 0.9], samples=50)",
    "meta.incompleteness": "meta.incompleteness(qrels, ranked, ['AP'], [0.5, 0.9], samples=50)",
    "meta.predictivity": "meta.predictivity(table)",
    "meta.standardize": "meta.standardize(table)",
    "meta.swap_rate": "meta.swap_rate(few.sel(measure=['m']))",
    "meta.sweep": "meta.sweep(runs, qrels, [10, 100], [10, 100], ['P'])",
    "meta.topic_set_size": "meta.topic_set_size(few.sel(measure=['m']), [10, 20])",
    # stats
    "stats.bootstrap_test": "stats.bootstrap_test(table, measure='m')",
    "stats.borda": "stats.borda(rng.random((200, 200)))",
    "stats.cohen_kappa": "stats.cohen_kappa((x * 5).astype(int), (y * 5).astype(int))",
    "stats.condorcet_winner": "stats.condorcet_winner(rng.random((200, 200)))",
    "stats.copeland": "stats.copeland(rng.random((200, 200)))",
    "stats.correct": "stats.correct(x)",
    "stats.correlation_matrix": "stats.correlation_matrix(rng.random((2000, 60)))",
    "stats.kendall": "stats.kendall(x, y)",
    "stats.krippendorff_alpha": "stats.krippendorff_alpha(np.array([x, y])[:, :100_000] // 0.1)",
    "stats.label_counts": "stats.label_counts([(x[:10**5] * 5).astype(int)] * 2)",
    "stats.max_drop": "stats.max_drop(x, y)",
    "stats.mean_interval": "stats.mean_interval(table, measure='m', method='bca')",
    "stats.mean_kappa": "stats.mean_kappa([(x[:10**5] * 5).astype(int)] * 3)",
    "stats.pearson": "stats.pearson(x, y)",
    "stats.ppi_difference": "stats.ppi_difference([x, y], [y, x], [x, x])",
    "stats.ppi_mean": "stats.ppi_mean(x, y, x[::-1])",
    "stats.randomization_test": "stats.randomization_test(table, measure='m')",
    "stats.rank_interval": "stats.rank_interval(table, measure='m')",
    "stats.rbo": "stats.rbo(documents[:5000].tolist(), documents[:5000].tolist()[::-1])",
    "stats.rms_error": "stats.rms_error(x, y)",
    "stats.sign_test": "stats.sign_test(table, measure='m')",
    "stats.spearman": "stats.spearman(x, y)",
    "stats.t_test": "stats.t_test(table, measure='m')",
    "stats.tau_ap": "stats.tau_ap(x, y)",
    "stats.tau_gap": "stats.tau_gap(x, y)",
    "stats.verdict": "stats.verdict(x[:10**5], y[:10**5], 0.01, test='bounded')",
    "stats.tukey_hsd": "stats.tukey_hsd(table, measure='m')",
    "stats.wilcoxon": "stats.wilcoxon(table, measure='m')",
}
"""Each call takes long, or is repeated until it is interrupted."""

SHORT = {
    # They make or change one small object, or loop in Python over what they are given, where
    # Python itself looks for signals.
    *("install_as", "measure", "CustomMeasure", "Limits", "Measure", "Notes", "Preferences"),
    *("Bounds", "Collections", "Comparison", "Description", "Diff", "Report", "Scores"),
    *("ExactRecall", "ListDiff", "Splitting", "splitter"),
    *("SpanQrels", "SpanRun"),
    *("CranfieldWarning", "Error", "LabelError", "MissingPackageError", "Evaluator"),
    *("score_list", "evaluate_groups", "instructions.robustness"),
    *(f"meta.{name}" for name in ("at_depth", "best", "drop_worst", "means_of", "overlap")),
    *(f"meta.{name}" for name in ("rank_weights", "seed_of", "tau")),
    *(f"stats.{name}" for name in ("mde", "t_test_power", "topics_needed")),
    *("stats.fleiss_kappa", "study.run", "compat.install_as", "testing.check_measure"),
}

SHORT_MODULES = {"abstention", "answers", "expected", "fairness", "oneclick", "sessions"}
"""Modules that are plain Python throughout."""

SHORT_CLASSES = {
    *("Bounds", "Comparison", "CustomMeasure", "Description", "Diff", "Measure", "Preferences"),
    *("Report", "CranfieldWarning", "Error", "LabelError", "Collections"),
    *("ExactRecall", "ListDiff"),
    *("Audit", "Identification", "Signature", "Splitting"),
}
"""Classes of results, whose methods make tables and texts of them in Python."""

SHORT_METHODS = {
    *(f"Qrels.{name}" for name in ("column", "from_arrow", "from_intents", "intents")),
    *(f"Qrels.{name}" for name in ("restrict_to_pool", "with_column", "with_navigational")),
    *("Qrels.with_weights", "Qrels.with_lengths"),
    *(f"SpanQrels.{name}" for name in ("documents", "from_quotes", "label", "read", "to_dict")),
    *(f"SpanRun.{name}" for name in ("documents", "from_nodes", "from_run", "read", "rename")),
    *("SpanRun.read_chunks", "SpanRun.to_dict"),
    *(f"Run.{name}" for name in ("from_arrow", "from_hits", "from_named_tuples", "rename")),
    "Run.from_rankings",
    *(f"Scores.{name}" for name in ("at", "best_first", "by_group", "by_topic", "concat")),
    *(f"Scores.{name}" for name in ("from_records", "mean", "of_runs", "order", "sel", "sort")),
    *(f"Scores.{name}" for name in ("std", "summary", "to_arrow", "to_dict", "to_latex")),
    *(f"Scores.{name}" for name in ("to_markdown", "to_pandas", "to_polars", "top")),
    *(f"Scores.{name}" for name in ("columns", "table", "to_csv", "to_html", "to_json")),
    *("Qrels.restrict_to_topics", "Qrels.from_ratings", "Qrels.to_ratings", "collection.fold"),
}

COMMAND_CALLS = {
    "answers": "answers {pipe} --kind nuggets",
    "batch": "batch {pipe} {run} -m AP --output {out}",
    "battles": "battles {pipe}",
    "judges": "judges {pipe} {run} {run2}",
    "eval": "eval {pipe} {run}",
    "compare": "compare {pipe} {run} {run2}",
    "diff": "diff {pipe} {run} {run2} -m AP",
    "report": "report {pipe} {run} -o {out}.html",
    "identify": "identify {pipe} {run} P@10=0.3067",
    "audit": "audit {pipe}",
    "describe": "describe {pipe} {run}",
    "pool": "pool {pipe} --depth 3",
    "check": "check {pipe} --baseline {pipe} --max-drop AP=0.1",
    "bench": "bench --size 2000x1000 --rounds 50",
    "study": "study significance {pipe} {run} -o {out}.study",
    "convert": "convert {pipe} {out}.run.xz",
    "trec_eval": "trec_eval {pipe} {run}",
}
"""Each command waits for a pipe that nobody writes to, or works."""

SHORT_COMMANDS = {"measures", "completion"}
"""Commands that print what the package knows, or copy one file."""


def names() -> set[str]:
    """The public functions, and the public methods of public classes."""
    found = set()
    modules = [("", cf)]
    modules += [(f"{m}.", import_module(f"cranfield.{m}")) for m in cf._MODULES if m != "measures"]
    for prefix, module in modules:
        for name in getattr(module, "__all__", ()):
            thing = getattr(module, name)
            if inspect.isclass(thing) and prefix == "":
                found.add(name)
                found |= {f"{name}.{method}" for method in _methods(thing)}
            elif inspect.isfunction(thing) or inspect.isbuiltin(thing):
                found.add(f"{prefix}{name}")
    return found


def _methods(kind: type) -> set[str]:
    public = (name for name in vars(kind) if not name.startswith("_"))
    return {name for name in public if callable(getattr(kind, name))}


def without_entry() -> set[str]:
    """Names that nobody decided about."""
    known = set(CALLS) | SHORT | SHORT_METHODS
    return {
        name
        for name in names() - known
        if name.partition(".")[0] not in SHORT_CLASSES | SHORT_MODULES
    } | (set(COMMANDS) - set(COMMAND_CALLS) - SHORT_COMMANDS)
