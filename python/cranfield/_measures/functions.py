"""Measures that need more than one list and its judgments: Python functions.

They are described with the same fields as the families of the registry, for the
reference and for ``cranfield measures``; ``call`` is the call to write, and an
example is an expression.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

GROUP = "beyond one list"


def _function(
    name: str,
    call: str,
    summary: str,
    formula: str,
    prose: str,
    citation: str,
    range_: str,
    aliases: list[str],
    peers: list[tuple[str, str, str]],
    example: tuple[str, float, str],
) -> dict[str, Any]:
    return {
        "name": name,
        "call": call,
        "group": GROUP,
        "summary": summary,
        "formula": formula,
        "prose": prose,
        "citation": citation,
        "range": range_,
        "aliases": aliases,
        "parameters": [],
        "rel": False,
        "gain": False,
        "peers": [
            {"tool": tool, "spelling": spelling, "difference": difference}
            for tool, spelling, difference in peers
        ],
        "examples": [dict(zip(("measure", "value", "working"), example, strict=True))],
    }


_TWO = 'cf.Run.from_rankings({"1": list("axb")}), cf.Run.from_rankings({"1": list("xab")})'
_RUNS = f'dict(zip("st", ({_TWO})))'

FUNCTIONS = [
    _function(
        "RPP",
        'cf.preferences(qrels, runs, "RPP")',
        "The share of recall levels that a run reaches at a higher rank than another, "
        "less the share that it reaches later.",
        "RPP(x over y) = (1/R) sum over i = 1 ... R of sign(rank of the i-th relevant "
        "document in y "
        "- the same in x)",
        "The i-th relevant document of a list serves a user who wants i of them. A level "
        "that a list "
        'does not reach is below all ranks. "invRPP" weighs level i by 1/i, "dcgRPP" by '
        "1/log2(i + 1). The result has a value for each pair of runs and each topic.",
        "Diaz and Ferraro (2022), Offline retrieval evaluation without evaluation metrics, SIGIR",
        "[-1, 1]",
        ["recall-paired preference"],
        [("pref_eval", "RPP", ""), ("pref_eval", "invRPP", ""), ("pref_eval", "dcgRPP", "")],
        (
            f'cf.preferences({{"1": {{"a": 1, "b": 1}}}}, {_RUNS})["s", "t"].item()',
            0.5,
            "a at rank 1 and 2: preferred; b at rank 3 in both: neither; (1 + 0) / 2",
        ),
    ),
    _function(
        "lexirecall",
        'cf.preferences(qrels, runs, "lexirecall")',
        "Which of two runs is better for the user who wants the most relevant documents.",
        "lexirecall(x over y) = the sign of RPP's sum at the last recall level where x and "
        "y differ",
        "The runs are compared at the last relevant document; if they are equal there, at the "
        "last but one, and so on upwards.",
        "Diaz, Ekstrand and Mitra (2023), Recall, robustness, and lexicographic evaluation",
        "[-1, 1]",
        [],
        [("pref_eval", "lexirecall", "")],
        (
            f'cf.preferences({{"1": {{"a": 1, "b": 1}}}}, {_RUNS}, "lexirecall")["s", "t"].item()',
            1.0,
            "both have their second relevant document at rank 3; the first decides: 1 is above 2",
        ),
    ),
    _function(
        "lexiprecision",
        'cf.preferences(qrels, runs, "lexiprecision")',
        "Which of two runs is better for the user who wants the fewest relevant documents.",
        "lexiprecision(x over y) = the sign of RPP's sum at the first recall level where x "
        "and y differ",
        'It is the preference by RR, with ties broken by later ranks. "rrLexiprecision" is the '
        "difference of the reciprocal ranks there.",
        "Diaz (2023), Best-case retrieval evaluation: improving the sensitivity of reciprocal rank "
        "with lexicographic precision",
        "[-1, 1]",
        [],
        [("pref_eval", "lexiprecision", ""), ("pref_eval", "rrLexiprecision", "")],
        (
            f'cf.preferences({{"1": {{"a": 1, "b": 1}}}}, {_RUNS}, "rrLexiprecision")["s", '
            f'"t"].item()',
            0.5,
            "the runs differ at the first level: 1/1 - 1/2",
        ),
    ),
    _function(
        "nugget_recall",
        "cf.answers.nugget_recall(nuggets)",
        "The share of an answer's nuggets that it holds: strict or lenient, vital or all, "
        "weighted.",
        "all = sum of s / their number, where s is 1 for support and 1/2 for partial "
        "support, which "
        "strict_all counts 0; vital is over vital nuggets; weighted weighs vital ones 1, "
        "others 1/2",
        "Takes the nuggets of one answer, or files of JSON Lines as nuggetizer writes them, of "
        "which it makes scores; on the command line cranfield answers FILE --kind nuggets. A mean "
        "over no nuggets is 0. A failed assignment counts as no support; a nugget whose "
        "importance failed counts in all, and weighs nothing.",
        "Pradeep et al. (2025), The great nugget recall, SIGIR; TREC 2024 RAG track",
        "[0, 1]",
        ["nugget recall", "AutoNuggetizer"],
        [
            ("nuggetizer", "strict_vital_score", "here strict_vital"),
            ("nuggetizer", "strict_all_score", "here strict_all"),
            ("nuggetizer", "vital_score", "here vital"),
            ("nuggetizer", "all_score", "here all"),
        ],
        (
            'cf.answers.nugget_recall([("vital", "support"), ("okay", "partial_support"), '
            '("vital", "not_support")]).weighted',
            0.5,
            "(1 + 1/2 x 1/2 + 0) / (1 + 1/2 + 1)",
        ),
    ),
    _function(
        "citation_support",
        "cf.answers.citation_support(sentences)",
        "How far the citations of an answer support its sentences.",
        "weighted_precision_first = F / c, weighted_recall_first = F / n, where F is the sum of "
        "the support of first citations (full 1, partial 1/2, none 0), c the number of those that "
        "were judged and n that of the sentences, but for those whose first citation was not "
        "judged; hard: partial counts 0; all: the mean support of a sentence's judged citations "
        "in place of the first",
        "pooled_precision is the mean over all judged citations, best_recall takes the best "
        "support of each sentence. Files are those of RAGDoll and TREC's RAG track; on the "
        "command line cranfield answers FILE --kind citations. A mean over nothing is 0.",
        "Thakur et al. (2025), Support evaluation for the TREC 2024 RAG track, SIGIR",
        "[0, 1]",
        ["citation support", "weighted precision", "weighted recall"],
        [
            ("RAGDoll", "weighted_precision_first_citation", "here weighted_precision_first"),
            ("RAGDoll", "weighted_recall_first_citation", "here weighted_recall_first"),
            (
                "RAGDoll",
                "weighted_precision_all_judged_citations",
                "here weighted_precision_all",
            ),
            ("RAGDoll", "weighted_recall_all_judged_citations", "here weighted_recall_all"),
            ("RAGDoll", "hard_precision", ""),
            ("RAGDoll", "hard_recall", ""),
        ],
        (
            'cf.answers.citation_support([["full", "none"], ["partial"], ["unjudged"], []])'
            ".weighted_recall_first",
            0.5,
            "(1 + 1/2 + 0) / 3: the sentence whose first citation was not judged is left out",
        ),
    ),
    _function(
        "rubric_score",
        "cf.answers.rubric_score(criteria)",
        "How far an answer satisfies a rubric of weighted criteria, which may count against it.",
        "score = sum over criteria of w v / sum of w > 0, where v is 1 for satisfied and 1/2 for "
        "partially satisfied, which binary counts 0",
        "n_mandatory_fail counts the criteria of the tier mandatory that are not fully satisfied. "
        "Undefined if no weight is above 0. On the command line cranfield answers FILE --kind "
        "rubrics.",
        "TREC 2026 RAG track; RAGDoll",
        "(-inf, 1]",
        ["rubric score", "ResearchRubrics"],
        [
            ("RAGDoll", "ternary_score", "here score"),
            ("RAGDoll", "binary_score", "here binary"),
            ("RAGDoll", "n_mandatory_fail", ""),
        ],
        (
            'cf.answers.rubric_score([(4, "satisfied"), (2, "partially_satisfied"), (2, '
            '"not_satisfied"), (-1, "satisfied")]).score',
            0.5,
            "(4 + 2 x 1/2 + 0 - 1) / (4 + 2 + 2)",
        ),
    ),
    _function(
        "argue",
        "cf.answers.argue(reports)",
        "The counts and ratios of ARGUE: citations that support, sentences that are attested, "
        "nuggets that a report covers.",
        "sentence_support = correctly cited sentences / sentences that cite or would have to; "
        "nugget_coverage = correct nuggets / nuggets, f1 = their harmonic mean; weighted: vital "
        "nuggets weigh 2, others 1",
        "Also citation_relevance and citation_support. The mean over topics is Auto-ARGUE's "
        "macro; cf.answers.argue_totals has the micro values, of summed counts. Reads "
        "Auto-ARGUE's scores; on the command line cranfield answers FILE --kind argue. 0/0 is 0.",
        "Mayfield et al. (2024), On the evaluation of machine-generated reports, SIGIR; Walden et "
        "al. (2025), Auto-ARGUE",
        "[0, 1]",
        ["ARGUE", "nugget coverage", "sentence support"],
        [
            ("Auto-ARGUE", "sentence_support", ""),
            ("Auto-ARGUE", "nugget_coverage", ""),
            ("Auto-ARGUE", "f1", ""),
        ],
        (
            'cf.answers.argue({"r": {"1": cf.answers.ReportCounts(citations=4, '
            "relevant_citations=4, supporting_citations=3, "
            "sentences_with_citations_or_requiring_citations=4, correctly_cited_sentences=2, "
            "nuggets=4, correct_nuggets=1, nuggets_weighted=6, correct_nuggets_weighted=2)}})"
            '["r", "f1"].item()',
            1 / 3,
            "2 x 1/2 x 1/4 / (1/2 + 1/4)",
        ),
    ),
    _function(
        "bradley_terry",
        "cf.battles.bradley_terry(battles)",
        "Ratings of runs from battles, in which a judge preferred one of two answers.",
        "the strengths s that maximize the sum over battles of ln p, p = 1 / (1 + exp(-(s of the "
        "winner - s of the loser))), a tie counting half a win for either; rating = 1000 + 400 s / "
        "ln 10",
        "With intervals from the sandwich covariance or the bootstrap, and ranks. Where the "
        "likelihood has no finite maximum the error names the parts; ridge= rates them all the "
        "same. cf.battles.read reads files of RAGDoll and of arenas; on the command line "
        "cranfield battles FILE.",
        "Bradley and Terry (1952), Rank analysis of incomplete block designs, Biometrika",
        "(-inf, inf)",
        ["Bradley-Terry", "arena", "pairwise battles"],
        [("arena-rank", "BradleyTerry", "diverges where there is no finite maximum")],
        (
            'round(cf.battles.bradley_terry([("x", "y", "x")] * 10 + [("x", "y", '
            '"y")]).difference("x", "y").difference, 6)',
            400.0,
            "odds of ten to one",
        ),
    ),
    _function(
        "preference_rates",
        "cf.battles.preference_rates(battles)",
        "How often a run was preferred to another, a tie counting half.",
        "rate = (wins + ties / 2) / battles",
        "The result has the rate of each run in all its battles, and of each pair.",
        "TREC 2026 RAG track; RAGDoll",
        "[0, 1]",
        ["preference rate", "win rate"],
        [("RAGDoll", "preference_rate", "")],
        (
            'cf.battles.preference_rates([("x", "y", "x"), ("x", "y", None)])["x", "y"]',
            0.75,
            "(1 + 1/2) / 2",
        ),
    ),
    _function(
        "oneclick",
        "cf.oneclick.score(nuggets, output, L=500)",
        "How much of a topic's information a text has, how early, and in how few words.",
        "S = sum over found nuggets of w max(0, L - offset) / the same for the pseudo minimal "
        "output; T = sum of their vital strings / length of the text; F-flat = "
        "(1 + b^2) T S / (b^2 T + S), each at most 1",
        "A nugget has a weight and a vital string, the shortest text that expresses it. The pseudo "
        "minimal "
        "output concatenates these strings by descending weight, equal weights by ascending "
        "length. With beta=10 F-flat is what 1CLICK-2 reported as S#. "
        "cf.oneclick.read_nuggets and read_outputs read NTCIR's files.",
        "Sakai, Kato and Song (2011), Click the search button and be happy: evaluating direct and "
        "immediate information access, CIKM; Sakai and Kato (2012), One click one revisited: "
        "enhancing evaluation based on information units, AIRS",
        "[0, 1], or [0, inf) for S and T",
        ["1CLICK", "S-measure", "T-measure", "S-flat", "T-flat", "F-flat", "S#"],
        [
            ("NTCIREVAL", "Recall", "here recall"),
            ("NTCIREVAL", "W-recall", "here weighted_recall"),
            ("NTCIREVAL", "S-measure", "here s_measure"),
            ("NTCIREVAL", "S-flat", "here s_flat"),
            ("NTCIREVAL", "T-measure", "here t_measure"),
            ("NTCIREVAL", "T-flat", "here t_flat"),
            ("NTCIREVAL", "F-flat", "here f_flat"),
        ],
        (
            'cf.oneclick.score({"a": (2, 10), "b": (1, 20)}, (80, {"a": 40}), L=100).s_measure',
            120 / 250,
            "2 x 60 of 2 x 90 + 1 x 70: the minimal output says a down to 10 and b down to 30",
        ),
    ),
    _function(
        "expected_ap",
        "cf.expected.average_precision(ranking, probabilities)",
        "The expected average precision of a list if the relevance of documents is uncertain.",
        "E[AP] = (sum over i of a(i, i) p(i) + sum over i < j of a(i, j) p(i) p(j)) / sum of p, "
        "a(i, j) = 1 / max(rank of i, rank of j), 0 for a document that the list lacks",
        "A judged document has the probability 1 or 0. The result has the variance, too; "
        "cf.expected.difference does the same for two lists and gives the probability that the "
        "first is better. Mean and variance of the sum of precisions are exact; the division by "
        "the expected number of relevant documents is the paper's approximation.",
        "Carterette, Allan and Sitaraman (2006), Minimal test collections for retrieval "
        "evaluation, SIGIR",
        "[0, 1]",
        ["E[AP]", "EMAP", "MTC"],
        [],
        (
            'cf.expected.average_precision("ab", {"a": 1.0, "b": 0.5, "c": 0.5}).value',
            0.75,
            "(1 + 1/2 x 1/2 + 1/2 x 1/2) / (1 + 1/2 + 1/2)",
        ),
    ),
    _function(
        "p_mrr",
        "cf.instructions.p_mrr(before, after, withdrawn)",
        "How far those documents fell that an instruction made not relevant.",
        "p-MRR = the mean over these documents of s/r - 1 if the new rank s <= r, else 1 - r/s",
        "1 is the best, 0 means no change. A document that a list lacks ranks just below its end.",
        "Weller et al. (2025), FollowIR: evaluating and teaching information retrieval "
        "models to follow "
        "instructions, NAACL",
        "[-1, 1]",
        ["p-MRR"],
        [("MTEB", "p-MRR", "")],
        (
            'cf.instructions.p_mrr({"1": {"a": 2, "b": 1}}, {"1": {"b": 2, "a": 1}}, {"1": '
            '["a"]})["1"]',
            0.5,
            "from rank 1 to 2: 1 - 1/2",
        ),
    ),
    _function(
        "robustness",
        "cf.instructions.robustness(scores)",
        "The mean over queries of the worst value under any of its instructions.",
        "robustness = the mean over queries of the lowest value of their topics",
        "The query of a topic is the part of its id before the first underscore, or what "
        "query= returns.",
        "Oh et al. (2024), INSTRUCTIR: a benchmark for instruction following of "
        "information retrieval "
        "models",
        "that of the measure",
        ["robustness@10"],
        [("MTEB", "robustness_at_10", "is that of nDCG@10")],
        (
            'cf.instructions.robustness(cf.evaluate({"q_1": {"a": 1}, "q_2": {"a": 1}}, '
            '{"q_1": {"a": 1.0}, "q_2": {"b": 2.0, "a": 1.0}}, "RR")).item()',
            0.5,
            "q has 1 and 1/2 under its two instructions; the lower counts",
        ),
    ),
    _function(
        "nauc",
        "cf.abstention.nauc(values, sure)",
        "How well confidence identifies the topics on which a run is bad, between not at all "
        "and perfectly.",
        "nAUC = (A - A_flat) / (A_oracle - A_flat), areas under the mean of the topics "
        "that are left, "
        "at rates of abstention 0, 0.1 ... 0.9",
        "cf.abstention.confidence computes three confidences from the scores of a list: their "
        "maximum, their standard deviation, and the difference of the first two.",
        "Gisserot-Boukhlef et al. (2024), Towards trustworthy reranking: a simple yet effective "
        "abstention mechanism",
        "(-inf, 1]",
        ["nAUC"],
        [
            ("MTEB", "nauc_ndcg_at_10_max", ""),
            ("MTEB", "nauc_ndcg_at_10_std", ""),
            ("MTEB", "nauc_ndcg_at_10_diff1", ""),
        ],
        (
            "cf.abstention.nauc([0.1, 0.9, 0.5, 0.3], [1, 4, 3, 2])",
            1.0,
            "the topics are left out from the lowest value up, as the oracle does",
        ),
    ),
    _function(
        "awrf",
        "cf.fairness.awrf(ranking, groups, target)",
        "How close the groups' shares of attention are to their targets.",
        "AWRF = 1 - JSD(e, target), where e is the share of each group in the sum over ranks r of "
        "1/log2(max(r, 2))",
        "The divergence is in natural logarithms, as in TREC, so that the lowest value is "
        "1 - ln 2; "
        "base=2 makes it 0. A document belongs to one group or has a share in several; one "
        "without a known group keeps its rank and adds to no group, as in fair-trec.",
        "Sapiezynski, Zeng, Robertson, Mislove and Wilson (2019), Quantifying the impact of user "
        "attention on fair group representation in ranked lists; TREC fair ranking tracks",
        "[0.307, 1]",
        ["AWRF"],
        [("fair-trec", "AWRF", "keeps weights in single precision")],
        (
            'cf.fairness.awrf(["a", "b"], {"a": "x", "b": "y"}, {"x": 0.5, "y": 0.5})',
            1.0,
            "both ranks have the weight 1, so both groups have half of the attention",
        ),
    ),
    _function(
        "expected_exposure",
        "cf.fairness.expected_exposure(rankings, groups, target)",
        "How far the exposure of groups, averaged over rankings for one query, is from a target.",
        "EE-L = (e - t) . (e - t), EE-D = e . e, EE-R = e . t, where e is the mean over "
        "rankings of the "
        "attention that groups have and t the target's share of it",
        "The attention at rank r is 1/log2(max(r, 2)), as in AWRF. A document without a known "
        "group keeps its rank and adds to no group; its attention counts in the target.",
        "Diaz, Mitra, Ekstrand, Biega and Carterette (2020), Evaluating stochastic rankings with "
        "expected exposure, CIKM",
        "[0, inf)",
        ["EE", "EE-L", "EE-D", "EE-R"],
        [("fair-trec", "EE-L", ""), ("fair-trec", "EE-D", ""), ("fair-trec", "EE-R", "")],
        (
            'cf.fairness.expected_exposure([["a"], ["a"], ["b"], ["b"]], {"a": "x", "b": "y"}, '
            '{"x": 1.0, "y": 0.0}).loss',
            0.5,
            "e = (1/2, 1/2), t = (1, 0): 1/4 + 1/4",
        ),
    ),
    _function(
        "sdcg",
        "cf.sessions.sdcg(session)",
        "Discounted cumulated gain of the queries of a session, each worth less than the "
        "one before.",
        "sDCG = sum over queries q and ranks r <= k of (2^g - 1) / (log_b(r + b - 1) "
        "log_bq(q + bq - 1)), b = 2, bq = 4",
        "cf.sessions.nsdcg divides by the ideal session, in which each query retrieves all judged "
        "documents from the highest grade down. SDCG@k is a different measure.",
        "Järvelin, Price, Delcambre and Nielsen (2008), Discounted cumulated gain based "
        "evaluation of "
        "multiple-query IR sessions, ECIR; Kanoulas, Carterette, Clough and Sanderson (2011), "
        "Evaluating multi-query sessions, SIGIR",
        "[0, inf)",
        ["sDCG", "nsDCG", "session DCG"],
        [("ir_metrics", "sDCG", ""), ("ir_metrics", "nsDCG", "here cf.sessions.nsdcg")],
        (
            "cf.sessions.sdcg([[1], [0, 0, 2]], query=2)",
            1 + 3 / 2 / 1.584962500721156,
            "(2 - 1) / 1, and (4 - 1) / (log2(4) log2(3))",
        ),
    ),
]
"""The functions, in the order of the reference."""
