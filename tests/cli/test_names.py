"""Names lead: what papers, textbooks and other tools call it finds the measure or statistic.

The names were collected from the papers by reading them; what each means is what the paper defines.
"""

from __future__ import annotations

from pathlib import Path

import cranfield as cf
import pytest
from cranfield._cli import names
from cranfield._core import families

from tests.cli.calls import call, failed

PAPERS = {
    # Sakai (2007)
    "bpref": "bpref",
    "binary preference": "bpref",
    "bpref_R": "bpref_R",
    "bpref_N": "bpref_N",
    "bpref_allnonrel": "bpref_N",
    "old_bpref": "old_bpref",
    "bpref_relative": "bpref_relative",
    "bpref_relative2": "AP[@k]",
    "rpref_N": "rpref_N[@k]",
    "rpref_relative": "rpref_relative[@k]",
    "rpref_relative2": "rpref_relative2[@k]",
    "Q-measure": "Q[@k]",
    "normalised Discounted Cumulative Gain": "nDCG[@k]",
    "Average Precision": "AP[@k]",
    "Mean AveP": "AP[@k]",
    "AveP'": "AP[@k]",
    "Q'": "Q[@k]",
    "nDCG'": "nDCG[@k]",
    "Induced AveP": "AP[@k]",
    "Subcollection AveP": "subAP",
    "Inferred AveP": "infAP",
    "condensed list": "condensed list",
    "reduced relevance data": "incomplete judgments",
    "discriminative power": "cf.meta.discriminative_power",
    "Kendall's rank correlation": "rank correlation",
    "bootstrap sensitivity method": "stability of measures",
    # De Beer and Moens (2006)
    "rpref": "rpref_relative[@k]",
    "n-pref": "rpref_relative[@k]",
    "relative normalization": "rpref_relative[@k]",
    # Webber, Moffat and Zobel (2010)
    "Precision at depth k": "P@k",
    "precision at ten": "P@k",
    "recall at depth k": "R@k",
    "aAP": "aAP@k",
    "discounted cumulative gain": "DCG[@k]",
    "enDCG": "enDCG[@k]",
    "rank-biased precision": "RBP[@k]",
    "residual": "RBP_residual[@k]",
    "normalized RBP": "nRBP[@k]",
    "standardization": "standardized scores",
    "swap rate": "cf.meta.swap_rate",
    "predictivity": "cf.meta.predictivity",
    "pooling depth": "pooling",
    "evaluation depth": "cutoff",
    "paired t test": "significance test",
    "system reinforcement": "pooling bias",
    # Yilmaz and Aslam (2006)
    "indAP": "AP[@k]",
    "induced average precision": "AP[@k]",
    "subcollection average precision": "subAP",
    "inferred average precision": "infAP",
    "bpref-10": "bpref_10",
    "Kendall's tau": "rank correlation",
    "linear correlation coefficient": "rank correlation",
    "RMS error": "cf.stats.rms_error",
    # Manning, Raghavan and Schütze (2008), chapter 8
    "precision": "P@k",
    "recall": "R@k",
    "accuracy": "Accuracy",
    "F measure": "SetF[@k]",
    "precision-recall curve": "precision-recall curve",
    "interpolated precision": "IPrec@level",
    "11-point interpolated average precision": "IAP",
    "mean average precision": "AP[@k]",
    "precision at k": "P@k",
    "R-precision": "Rprec",
    "break-even point": "Rprec",
    "ROC curve": "ROC curve",
    "sensitivity": "SetR[@k]",
    "specificity": "Specificity[@k]",
    "cumulative gain": "CG[@k]",
    "kappa statistic": "agreement of judges",
    "marginal": "agreement of judges",
    "A/B test": "online evaluation",
}

OTHERS = {
    # Textbooks and papers
    "MAP": "AP[@k]",
    "GMAP": "GMAP",
    "geometric mean average precision": "GMAP",
    "mean reciprocal rank": "RR[@k]",
    "hit rate": "Success@k",
    "hit rate@10": "Success@k",
    "top-k accuracy": "Success@k",
    "success at 5": "Success@k",
    "normalized discounted cumulated gain": "nDCG[@k]",
    "NDCG@K": "nDCG[@k]",
    "expected reciprocal rank": "ERR(max_rel=3)[@k]",
    "subtopic recall": "StRecall@k",
    "alpha-nDCG": "alpha_nDCG@k",
    "intent-aware ERR": "ERR_IA@k",
    "F1 score": "SetF[@k]",
    "area under the ROC curve": "AUC",
    "rank-biased overlap": "cf.stats.rbo",
    "permutation test": "significance test",
    "Wilcoxon": "cf.stats.wilcoxon",
    "Tukey HSD": "cf.stats.tukey_hsd",
    "Cohen's d": "effect size",
    "Bonferroni correction": "multiple comparisons",
    "inter-annotator agreement": "agreement of judges",
    "Cohen's kappa": "cf.stats.cohen_kappa",
    "Bradley-Terry": "bradley_terry",
    "leave-one-out": "cranfield study leave-one-out",
    # trec_eval, MTEB, BEIR
    "ndcg_cut_10": "nDCG[@k]",
    "map_at_1000": "AP[@k]",
    "hit_rate_at_3": "Success@k",
    "R_cap@100": "Rcap@k",
    # sklearn and torchmetrics
    "ndcg_score": "nDCG[@k]",
    "average_precision_score": "AP[@k]",
    "f1_score": "SetF[@k]",
    "roc_auc_score": "AUC",
    "cohen_kappa_score": "cf.stats.cohen_kappa",
    "label_ranking_average_precision_score": "label ranking average precision",
    "coverage_error": "coverage error",
    "label_ranking_loss": "ranking loss",
    "retrieval_hit_rate": "Success@k",
    "retrieval_normalized_dcg": "nDCG[@k]",
    "retrieval_r_precision": "Rprec",
    "RetrievalMRR": "RR[@k]",
    "RetrievalFallOut": "Fallout[@k]",
    # RAG
    "context precision": "context precision",
    "context_recall": "context recall",
    "IDBasedContextRecall": "context recall",
    "faithfulness": "faithfulness",
    "DocumentMAPEvaluator": "AP[@k]",
    "nugget recall": "nugget_recall",
}


@pytest.mark.parametrize(("query", "wanted"), [*PAPERS.items(), *OTHERS.items()])
def test_a_name_leads(query: str, wanted: str) -> None:
    said, found = names.search(query)
    assert said == ""
    assert found[0].name == wanted
    # One answer, or few enough to choose from.
    assert len(found) < 8


@pytest.mark.parametrize(
    ("query", "said", "measures"),
    [
        ("hr@10", "is Success@10", {"R@k", "Success@k"}),
        ("hit ratio", "is Success@10", {"R@k", "Success@k"}),
        ("hits@10", "write Success@10", {"Success@k", "num_rel_ret"}),
        ("acc@1", "is Success@1", {"Success@k", "Accuracy"}),
        ("accuracy@1", "is Success@1", {"Success@k", "Accuracy"}),
    ],
)
def test_a_name_of_several_things_says_so(query: str, said: str, measures: set[str]) -> None:
    told, found = names.search(query)
    assert said in told
    assert measures <= {one.name for one in found}
    assert len(found) < 4
    with pytest.raises(cf.Error, match=said):
        cf.Measure(query.replace(" ", "_"))


@pytest.mark.parametrize(
    ("query", "among"),
    [
        ("Sakai", {"Q[@k]", "bpref", "cf.stats.bootstrap_test", "cranfield study incompleteness"}),
        ("Moffat", {"RBP[@k]", "INST[@k]", "cranfield study depth"}),
        ("Järvelin", {"nDCG[@k]", "DCG[@k]"}),
        ("jarvelin kekalainen", {"nDCG[@k]", "DCG[@k]"}),
        ("kappa", {"cf.stats.cohen_kappa", "cf.stats.fleiss_kappa", "agreement of judges"}),
        ("rpref", {"rpref_N[@k]", "rpref_relative[@k]", "rpref_relative2[@k]"}),
    ],
)
def test_authors_and_words_are_searched(query: str, among: set[str]) -> None:
    assert among <= {one.name for one in names.search(query)[1]}


def test_each_measure_is_found_by_each_of_its_names() -> None:
    for family in families():
        for name in (family["name"], *family["aliases"]):
            _, found = names.search(name)
            assert family in [one.family for one in found], name


def test_each_term_leads_somewhere() -> None:
    known = {one.name for one in names.everything()}
    known |= {one.names[0] for one in names.measures()}
    for term in names.other_names():
        assert set(term.see) <= known, term.name
        assert term.summary.endswith("."), term.name


def test_what_is_found_is_shown(folder: Path) -> None:
    kappa = call(folder, "measures", "cohen_kappa").stdout
    assert kappa.startswith("cf.stats.cohen_kappa: Kappa of two judges")
    condensed = call(folder, "measures", "condensed list").stdout
    assert "\nSee\n  AP: The mean over all relevant documents" in condensed
    told = call(folder, "measures", "hits@10").stdout
    assert told.startswith("`hits@10` is refused: ")
    assert "\n  num_rel_ret  " in told


def test_a_name_that_leads_nowhere_has_the_nearest(folder: Path) -> None:
    said = failed(folder, "measures", "mean averge precision")
    assert "nothing is called mean averge precision; did you mean mean average precision" in said


def test_a_name_in_words_as_a_measure_says_what_to_write() -> None:
    with pytest.raises(cf.Error, match=r"`mean average precision` is written AP$"):
        cf.evaluate({"1": {"a": 1}}, {"1": {"a": 1.0}}, "mean average precision")
    with pytest.raises(cf.Error, match=r"did you mean AP\(rel=2\)\?"):
        cf.Measure("map-l2")
