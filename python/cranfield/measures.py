"""Every family of measures as a value: ``nDCG @ 10``, ``Q(beta=1).prime``.

Generated from the registry by docs/generate.py; change the measure's file instead.
"""

from cranfield import _core

__all__: list[str] = [
    "AP",
    "AP_IA",
    "AUC",
    "Accuracy",
    "AgP",
    "AllRecall",
    "BPM",
    "CG",
    "CRP",
    "Compat",
    "DCG",
    "E",
    "EBR",
    "ERR",
    "ERR_IA",
    "ESL",
    "Fallout",
    "G",
    "GAP",
    "GMAP",
    "Hole",
    "IAP",
    "IFT",
    "INSQ",
    "INST",
    "IPrec",
    "IoU",
    "Judged",
    "MP",
    "MaxF",
    "NCU",
    "NERR10",
    "NERR11",
    "NERR8",
    "NERR9",
    "NPV",
    "NRBP",
    "O",
    "P",
    "PMeasure",
    "PPlus",
    "P_IA",
    "P_Q",
    "PrecAtRecall",
    "Pref",
    "Q",
    "R",
    "RBP",
    "RBP_residual",
    "RBU",
    "RR",
    "Rcap",
    "RecallAtFallout",
    "RnDCG",
    "Rprec",
    "SDCG",
    "SetAP",
    "SetF",
    "SetP",
    "SetR",
    "SetRcap",
    "Specificity",
    "StRecall",
    "Success",
    "TBG",
    "Twist",
    "U",
    "Unjudged",
    "Utility",
    "aAP",
    "alpha_DCG",
    "alpha_nDCG",
    "avg_relative_prec",
    "binG",
    "bpref",
    "bpref_10",
    "bpref_N",
    "bpref_R",
    "bpref_num_all",
    "bpref_num_correct",
    "bpref_num_possible",
    "bpref_num_ret",
    "bpref_relative",
    "enDCG",
    "gP",
    "gm_bpref",
    "iDCG",
    "iRBU",
    "infAP",
    "infIPrec",
    "infNDCG",
    "infP",
    "inf_num_rel",
    "inf_num_rel_ret",
    "int_map_at_R",
    "map_at_R",
    "micro_AP",
    "micro_P",
    "micro_R",
    "micro_bpref",
    "nDCG",
    "nDCG_rel",
    "nERR",
    "nERR_IA",
    "nNRBP",
    "nRBP",
    "num_nonrel_judged_ret",
    "num_prefs",
    "num_prefs_ful",
    "num_rel",
    "num_rel_ret",
    "num_ret",
    "old_bpref",
    "rpref_N",
    "rpref_relative",
    "rpref_relative2",
    "statAP",
    "statDCG",
    "statP",
    "statRprec",
    "subAP",
    "subAP_expected",
    "varAP",
    "xinfAP",
    "yaap",
]

P = _core.Measure("P")
"""The proportion of the first k documents that are relevant.

P@k = c(k) / k, where c(k) is the number of relevant documents among the first k

Source: Cleverdon, Mills and Keen (1966), Factors determining the performance of indexing systems; Manning, Raghavan and Schütze (2008), Introduction to Information Retrieval, section 8.4
"""

R = _core.Measure("R")
"""The proportion of the relevant documents that are among the first k.

R@k = c(k) / R, where c(k) is the number of relevant documents among the first k

Source: Manning, Raghavan and Schütze (2008), Introduction to Information Retrieval, section 8.3
"""

AllRecall = _core.Measure("AllRecall")
"""Whether all relevant documents are among the first k.

AllRecall@k = 1 if c(k) = R, else 0

Source: Wu et al. (2025), LongMemEval: Benchmarking chat assistants on long-term interactive memory, ICLR, recall_all
"""

Rcap = _core.Measure("Rcap")
"""Recall among the first k, where the divisor is at most k.

Rcap@k = c(k) / min(k, R)

Source: Thakur et al. (2021), BEIR: A heterogeneous benchmark for zero-shot evaluation of information retrieval models, NeurIPS
"""

Success = _core.Measure("Success")
"""Whether there is a relevant document among the first k.

Success@k = 1 if c(k) > 0, else 0

Source: Craswell and Hawking (2005), Overview of the TREC-2004 web track
"""

Rprec = _core.Measure("Rprec")
"""Precision at rank R, the number of relevant documents of the topic.

Rprec = c(m) / m, where m is mult R, rounded up

Source: Manning, Raghavan and Schütze (2008), Introduction to Information Retrieval, section 8.4; trec_eval, measure Rprec_mult
"""

RR = _core.Measure("RR")
"""One over the rank of the first relevant document.

RR = 1 / r, where r is the rank of the first relevant document; 0 without one

Source: Voorhees (1999), The TREC-8 question answering track report
"""

AP = _core.Measure("AP")
"""The mean over all relevant documents of the precision at their ranks.

AP = (1/R) sum over relevant documents at ranks r <= k of c(r) / r

Source: Buckley and Voorhees (2000), Evaluating evaluation measure stability, SIGIR; Yilmaz and Aslam (2006), Estimating average precision with incomplete and imperfect judgments, CIKM
"""

aAP = _core.Measure("aAP")
"""Average precision at k, divided by the number of relevant documents that k places can hold.

aAP@k = (1/min(k, R)) sum over relevant documents at ranks r <= k of c(r) / r

Source: Webber, Moffat and Zobel (2010), The effect of pooling and evaluation depth on metric stability, EVIA, equation 4
"""

GMAP = _core.Measure("GMAP")
"""Average precision whose summary over topics is the geometric mean.

GMAP = exp of the mean over topics of ln max(AP, 1e-5)

Source: Robertson (2006), On GMAP: and other transformations, CIKM
"""

micro_AP = _core.Measure("micro_AP")
"""The mean precision at the relevant documents of all topics together.

micro_AP = sum over topics of R AP / sum over topics of R

Source: trec_eval 8.1, measure avg_doc_prec
"""

yaap = _core.Measure("yaap")
"""The logarithm of the odds of average precision, smoothed.

yaap = ln((1 + S) / (1 + R - S)), where S = sum over relevant documents retrieved of c(r) / r

Source: Robertson (2012), On smoothing average precision, ECIR; trec_eval, measure yaap
"""

IPrec = _core.Measure("IPrec")
"""The highest precision at any rank where recall has reached a given level.

IPrec@t = max over ranks r with c(r) >= t R of c(r) / r; 0 if there is none

Source: Manning, Raghavan and Schütze (2008), Introduction to Information Retrieval, equation 8.7
"""

PrecAtRecall = _core.Measure("PrecAtRecall")
"""The precision at the first rank where recall has reached a given level.

PrecAtRecall@t = c(r) / r at the first rank r with c(r) >= t R; 0 if there is none

Source: Manning, Raghavan and Schütze (2008), Introduction to Information Retrieval, section 8.4
"""

IAP = _core.Measure("IAP")
"""The mean of the interpolated precision at equally spaced recall levels.

IAP = (1/points) sum over i = 0 ... points - 1 of IPrec at level i / (points - 1)

Source: Manning, Raghavan and Schütze (2008), Introduction to Information Retrieval, section 8.4
"""

RecallAtFallout = _core.Measure("RecallAtFallout")
"""The proportion of the relevant documents found before the allowed number of nonrelevant documents is exceeded.

RecallAtFallout(nonrel=x) = (1/R) number of relevant documents at ranks r with r - c(r) <= x

Source: trec_eval 8.1, measure fallout_recall
"""

avg_relative_prec = _core.Measure("avg_relative_prec")
"""The mean over all ranks of the proportion found of the relevant documents possible at that rank.

avg_relative_prec = (1/n) sum over ranks r <= n of c(r) / min(r, R)

Source: trec_eval 8.1, measure avg_relative_prec
"""

map_at_R = _core.Measure("map_at_R")
"""The mean of precision at the first R ranks.

map_at_R = (1/R) sum over ranks r <= R of c(r) / r

Source: trec_eval 8.1, measure map_at_R
"""

int_map_at_R = _core.Measure("int_map_at_R")
"""The mean of interpolated precision at the first R ranks.

int_map_at_R = (1/R) sum over ranks r <= R of max over ranks q >= r of c(q) / q

Source: trec_eval 8.1, measure int_map_at_R
"""

MP = _core.Measure("MP")
"""Precision at the relevant documents, weighted by how often a user who moves up and down the ranking is there.

MP = (found / R) sum over relevant documents i of w(i) P(i) / sum of w(i), w(i) = sum over the documents j != i that can be reached from i of s(d) = 1 / (d + 1), 1 / log(d + 2) or 1 for the distance d of their ranks; with loops j = i too; one document alone has all the weight

Source: Ferrante, Ferro and Maistro (2014), Injecting user models and time into precision via Markov chains, SIGIR; MATTERS, measure markovPrecision
"""

MaxF = _core.Measure("MaxF")
"""The highest F of any prefix of the ranking.

MaxF = max over ranks r <= k of the F of the first r documents

Source: van Rijsbergen (1979), Information Retrieval, chapter 7; Manning, Raghavan and Schütze (2008), Introduction to Information Retrieval, section 8.4
"""

AUC = _core.Measure("AUC")
"""The area under the ROC curve: the proportion of pairs of a relevant and a nonrelevant document that are in the right order.

AUC = (1 / (R (C - R))) [sum over relevant documents retrieved of the others below + (R - tp) (C - R - fp) / 2]

Source: Manning, Raghavan and Schütze (2008), Introduction to Information Retrieval, section 8.4; Hanley and McNeil (1982), The meaning and use of the area under a ROC curve, Radiology
"""

binG = _core.Measure("binG")
"""The mean over all relevant documents of a discount that grows with the number of nonrelevant documents above.

binG = (1/R) sum over relevant documents retrieved of 1 / log2(2 + r - c(r))

Source: trec_eval, measure binG (Buckley, 2008)
"""

SetP = _core.Measure("SetP")
"""The proportion of the retrieved documents that are relevant.

SetP = c(n) / n, where n documents were retrieved

Source: Manning, Raghavan and Schütze (2008), Introduction to Information Retrieval, equation 8.1
"""

micro_P = _core.Measure("micro_P")
"""Precision whose summary takes the documents of all topics together.

micro_P = sum over topics of c(n) / sum over topics of n

Source: trec_eval 8.1, measure micro_prec; Manning, Raghavan and Schütze (2008), Introduction to Information Retrieval, section 13.6
"""

SetR = _core.Measure("SetR")
"""The proportion of the relevant documents that were retrieved.

SetR = c(n) / R, where n documents were retrieved

Source: Manning, Raghavan and Schütze (2008), Introduction to Information Retrieval, equation 8.2
"""

micro_R = _core.Measure("micro_R")
"""Recall whose summary takes the documents of all topics together.

micro_R = sum over topics of c(n) / sum over topics of R

Source: trec_eval 8.1, measure micro_recall; Manning, Raghavan and Schütze (2008), Introduction to Information Retrieval, section 13.6
"""

SetRcap = _core.Measure("SetRcap")
"""The number of relevant documents in the set, divided by the most that a set of its size can contain.

SetRcap = c(n) / min(n, R), where n documents were retrieved

Source: trec_eval, measure set_relative_P
"""

SetF = _core.Measure("SetF")
"""The weighted harmonic mean of set precision and set recall.

SetF = (beta^2 + 1) P R / (beta^2 P + R) = 1 / (alpha / P + (1 - alpha) / R); 0 when nothing relevant was retrieved

Source: van Rijsbergen (1979), Information Retrieval, chapter 7; Manning, Raghavan and Schütze (2008), Introduction to Information Retrieval, equations 8.5 and 8.6
"""

E = _core.Measure("E")
"""One minus F; lower is better.

E = 1 - SetF = 1 - 1 / (alpha / P + (1 - alpha) / R)

Source: van Rijsbergen (1979), Information Retrieval, chapter 7; Manning, Raghavan and Schütze (2008), Introduction to Information Retrieval, section 8.7
"""

SetAP = _core.Measure("SetAP")
"""The product of set precision and set recall.

SetAP = SetP x SetR

Source: trec_eval, measure set_map
"""

Utility = _core.Measure("Utility")
"""The value of the retrieved set when each right and each wrong decision has a price.

Utility = tp c(n) + fp (n - c(n)) + fn (R - c(n)) + tn (C - n - R + c(n)), where n documents were retrieved and C are in the collection

Source: Lewis (1996), The TREC-5 filtering track; trec_eval, measure utility
"""

Accuracy = _core.Measure("Accuracy")
"""The proportion of the collection classified correctly: retrieved and relevant, or neither.

Accuracy = (tp + tn) / C, where C documents are in the collection

Source: Manning, Raghavan and Schütze (2008), Introduction to Information Retrieval, section 8.3
"""

Specificity = _core.Measure("Specificity")
"""The proportion of the nonrelevant documents that were not retrieved.

Specificity = tn / (fp + tn)

Source: Manning, Raghavan and Schütze (2008), Introduction to Information Retrieval, section 8.4
"""

Fallout = _core.Measure("Fallout")
"""The proportion of the nonrelevant documents that were retrieved; lower is better.

Fallout = fp / (fp + tn)

Source: Manning, Raghavan and Schütze (2008), Introduction to Information Retrieval, section 8.4
"""

IoU = _core.Measure("IoU")
"""The documents that are both retrieved and relevant, divided by those that are one or the other.

IoU = c / (n + R - c), where c of n retrieved documents are relevant

Source: Jaccard (1912), The distribution of the flora in the alpine zone, New Phytologist; Smith and Troynikov (2024), Evaluating chunking strategies for retrieval, Chroma
"""

CG = _core.Measure("CG")
"""The sum of the gains of the first k documents.

CG@k = sum over ranks r <= k of g(r)

Source: Järvelin and Kekäläinen (2002), Cumulated gain-based evaluation of IR techniques, TOIS, equation 1
"""

DCG = _core.Measure("DCG")
"""The sum of the gains of the first k documents, each discounted by its rank.

DCG@k = sum over ranks r <= k of g(r) / d(r)

Source: Järvelin and Kekäläinen (2002), Cumulated gain-based evaluation of IR techniques, TOIS; Burges et al. (2005), Learning to rank using gradient descent, ICML
"""

iDCG = _core.Measure("iDCG")
"""Discounted cumulated gain of the best possible ranking: the divisor of nDCG.

iDCG@k = sum over ranks r <= k of g*(r) / d(r), where g* are all gains of the topic from the highest to the lowest

Source: Järvelin and Kekäläinen (2002), Cumulated gain-based evaluation of IR techniques, TOIS; trec_eval, measure ideal_dcg
"""

nDCG = _core.Measure("nDCG")
"""Discounted cumulated gain, divided by that of the best possible ranking.

nDCG@k = DCG@k / DCG@k of the ideal ranking

Source: Järvelin and Kekäläinen (2002), Cumulated gain-based evaluation of IR techniques, TOIS; Burges et al. (2005), Learning to rank using gradient descent, ICML; with dcg="exp-log2" Manning, Raghavan and Schütze (2008), Introduction to Information Retrieval, equation 8.9
"""

enDCG = _core.Measure("enDCG")
"""Discounted cumulated gain at k, divided by that of the whole ideal ranking.

enDCG@k = DCG@k / DCG of the ideal ranking with all relevant documents

Source: Webber, Moffat and Zobel (2010), The effect of pooling and evaluation depth on metric stability, EVIA, section 2
"""

nDCG_rel = _core.Measure("nDCG_rel")
"""The mean over all relevant documents of nDCG at their ranks.

nDCG_rel = (1/R) [sum over relevant documents retrieved of nDCG@r + (R - R') nDCG], where R' relevant documents were retrieved

Source: trec_eval, measure ndcg_rel (Buckley), after Järvelin and Kekäläinen (2002), Cumulated gain-based evaluation of IR techniques, TOIS
"""

RnDCG = _core.Measure("RnDCG")
"""The mean of nDCG at the ranks where the gain of the ideal ranking drops, and at the end of the ranking.

RnDCG = (1/(m + 1)) [sum over the topic's m gains g > 0 of nDCG@R(g) + nDCG], where R(g) documents have a gain of at least g

Source: trec_eval, measure Rndcg (Buckley), after Järvelin and Kekäläinen (2002), Cumulated gain-based evaluation of IR techniques, TOIS
"""

G = _core.Measure("G")
"""The sum of gains, each discounted by how far the ranking is behind the ideal one, divided by the total gain.

G = sum over documents retrieved of g(r) / log2(2 + b(r)), divided by the sum of all gains, where b(r) = cg*(r) - cg(r) + max(0, r - R) and cg* is the cumulated gain of the ideal ranking

Source: trec_eval, measure G (Buckley, 2008)
"""

CRP = _core.Measure("CRP")
"""By how many ranks documents come too late, minus by how many they come too early.

CRP@k = sum over ranks j <= k of rp(j), where rp(j) = j - last(g) if j > last(g), j - first(g) if j < first(g), else 0, for the ranks first(g) to last(g) that the gain g(j) has in the ideal ranking; first(0) = R + 1, last(0) is infinite

Source: Angelini, Ferro, Järvelin, Keskustalo, Pirkola, Santucci and Silvello (2012), Cumulated relative position: a metric for ranking evaluation, CLEF; MATTERS, measure cumulatedRelativePosition
"""

Twist = _core.Measure("Twist")
"""How little effort a ranking wastes, comparing the ranks of documents with the ranks that they should have.

Twist = (rho + sigma) / 2; rho = R / max(R, b), where b is the last rank before CRP@j > 0; sigma = 2 f e / (f + e), f = 1 - L / L*, e = max(0, 1 - E / E*), where L and E are the sums of the rp(j) above and below 0 over N ranks, and L* and E* those of the ideal ranking of N ranks in reverse

Source: Ferro, Silvello, Keskustalo, Pirkola and Järvelin (2016), The twist measure for IR evaluation: taking user's effort into account, JASIST; MATTERS, measure twist
"""

RBP = _core.Measure("RBP")
"""The expected gain of a user who continues to the next document with probability p.

RBP = (1 - p) sum over ranks r <= k of g(r) p^(r - 1); p = residual^(1/k)

Source: Moffat and Zobel (2008), Rank-biased precision for measurement of retrieval effectiveness, TOIS; Webber, Moffat and Zobel (2010), EVIA, equations 6 and 7
"""

RBP_residual = _core.Measure("RBP_residual")
"""How much RBP could grow if every unjudged document were fully relevant.

RBP_residual = (1 - p) sum over unjudged ranks r <= m of p^(r - 1) + p^m, where m = min(n, k)

Source: Moffat and Zobel (2008), Rank-biased precision for measurement of retrieval effectiveness, TOIS, section 5
"""

nRBP = _core.Measure("nRBP")
"""Rank-biased precision, divided by that of the best possible ranking.

nRBP@k = RBP@k / (1 - p^min(k, R)); p = residual^(1/k)

Source: Webber, Moffat and Zobel (2010), The effect of pooling and evaluation depth on metric stability, EVIA, section 2 and equation 7
"""

INST = _core.Measure("INST")
"""The expected gain per document of a user who wants a total gain of T and adapts to what was found.

INST = sum over ranks r of W(r) g(r), where W(r) is proportional to prod over i < r of C(i), C(i) = ((i + T + T(i) - 1) / (i + T + T(i)))^2 and T(i) = T - cg(i)

Source: Moffat, Bailey, Scholer and Thomas (2015), INST: An adaptive metric for information retrieval evaluation, ADCS; Moffat, Bailey, Scholer and Thomas (2017), Incorporating user expectations and behavior into the measurement of search effectiveness, TOIS
"""

INSQ = _core.Measure("INSQ")
"""The expected gain per document of a user who expects to look for a total gain of T.

INSQ = sum over ranks r of W(r) g(r), where W(r) is proportional to prod over i < r of C(i) and C(i) = ((i + 2T - 1) / (i + 2T))^2

Source: Moffat, Scholer and Thomas (2012), Models and metrics: IR evaluation as a user process, ADCS
"""

BPM = _core.Measure("BPM")
"""The gain per document of a user who stops when the gain reaches T or the cost reaches K.

BPM = (1/d) sum over ranks r <= d of g(r), where d is the first rank with cg(d) >= T(d) or cost >= K(d); T(1) = T, T(i + 1) = T(i) + hb (g(i) - med), and K likewise with hc

Source: Zhang, Liu, Li, Zhang, Xu and Ma (2017), Evaluating web search with a bejeweled player model, SIGIR
"""

IFT = _core.Measure("IFT")
"""The expected gain per document of a user who has a goal, or abandons a ranking that gains too slowly, or both.

IFT = sum over ranks r of W(r) g(r), where W(r) is proportional to prod over i < r of C(i); C = C1, C2 or C1 C2; C1(i) = 1 - 1 / (1 + b1 e^((T - cg(i)) R1)); C2(i) = 1 / (1 + b2 e^((A - cg(i) / cost(i)) R2)), where cost(i) is that of the first i documents

Source: Azzopardi, Thomas and Craswell (2018), Measuring the utility of search engine result pages: an information foraging based measure, SIGIR
"""

SDCG = _core.Measure("SDCG")
"""Discounted cumulated gain, divided by that of k documents of the highest gain.

SDCG@k = [sum over ranks r <= k of g(r) / log2(r + 1)] / sum over ranks r <= k of 1 / log2(r + 1); C(i) = log2(i + 1) / log2(i + 2) for i < k

Source: Moffat, Bailey, Scholer and Thomas (2017), Incorporating user expectations and behavior into the measurement of search effectiveness, TOIS
"""

NPV = _core.Measure("NPV")
"""The expected gain per document of a user who discounts each rank by an interest rate.

NPV = sum over ranks r of W(r) g(r), where W(r) is proportional to prod over i < r of C(i) and C(i) = 1 / (1 + rate)

Source: cwl_eval, measure NPV
"""

NERR8 = _core.Measure("NERR8")
"""The expected gain per document of a user who stops at a document with a probability equal to its gain.

NERR8@k = sum over ranks r of W(r) g(r), where W(r) is proportional to prod over i < r of C(i) and C(i) = 1 - g(i) for i < k, else 0

Source: Azzopardi, Mackenzie and Moffat (2021), ERR is not C/W/L: exploring the relationship between expected reciprocal rank and other metrics, ICTIR, equation 8
"""

NERR9 = _core.Measure("NERR9")
"""The expected gain per document of a user who stops at a document with a probability equal to its gain, and is less likely to read each further rank.

NERR9@k = sum over ranks r of W(r) g(r), where W(r) is proportional to prod over i < r of C(i) and C(i) = (i / (i + 1)) (1 - g(i)) for i < k, else 0

Source: Azzopardi, Mackenzie and Moffat (2021), ERR is not C/W/L: exploring the relationship between expected reciprocal rank and other metrics, ICTIR, equation 9
"""

NERR10 = _core.Measure("NERR10")
"""The expected gain per document of a user who stops at a document with a probability equal to its gain, and otherwise continues as in RBP.

NERR10 = sum over ranks r of W(r) g(r), where W(r) is proportional to prod over i < r of C(i) and C(i) = p (1 - g(i))

Source: Azzopardi, Mackenzie and Moffat (2021), ERR is not C/W/L: exploring the relationship between expected reciprocal rank and other metrics, ICTIR, equation 10
"""

NERR11 = _core.Measure("NERR11")
"""The expected gain per document of a user who stops at a document with a probability equal to its gain, and otherwise continues as in INSQ.

NERR11 = sum over ranks r of W(r) g(r), where W(r) is proportional to prod over i < r of C(i) and C(i) = ((i + 2T - 1) / (i + 2T))^2 (1 - g(i))

Source: Azzopardi, Mackenzie and Moffat (2021), ERR is not C/W/L: exploring the relationship between expected reciprocal rank and other metrics, ICTIR, equation 11
"""

TBG = _core.Measure("TBG")
"""The expected gain per document of a user whose attention has a half-life.

TBG = sum over ranks r of W(r) g(r), where W(r) is proportional to 2^(-cost above r / halflife); original: sum over ranks r <= k of 0.4928 g(r) 2^(-T(r) / halflife), T(1) = 0, T(r + 1) = T(r) + 4.4 + (0.018 words(r) + 7.8) P(click), P(click) = 0.64 if the document is relevant, 0.39 if not

Source: Smucker and Clarke (2012), Time-based calibration of effectiveness measures, SIGIR; cwl_eval, measure TBG
"""

U = _core.Measure("U")
"""The expected gain per document of a user whose attention falls linearly to zero over a given length of text.

U = sum over ranks r of W(r) g(r), where W(r) is proportional to max(0, 1 - cost above r / L); original: sum over ranks r <= k of g(r) max(0, 1 - cost down to r / L)

Source: Sakai and Dou (2013), Summaries, ranked retrieval and sessions: a unified framework for information access evaluation, SIGIR; cwl_eval, measure U
"""

ESL = _core.Measure("ESL")
"""The number of nonrelevant documents that a user reads before finding the wanted number of relevant ones; lower is better.

ESL = r - w at the rank r of the w-th relevant document, w = min(wanted, R); if the ranking has only c(n) < w of them, n - c(n) + (w - c(n)) (C - n - (R - c(n))) / (R - c(n) + 1), where C documents are in the collection

Source: Cooper (1968), Expected search length: a single measure of retrieval effectiveness based on the weak ordering action of retrieval systems, American Documentation
"""

ERR = _core.Measure("ERR")
"""The expected reciprocal rank at which a user who reads down the ranking is satisfied.

ERR@k = sum over ranks r <= k of (1/r) s(r) prod over i < r of (1 - s(i))

Source: Chapelle, Metzler, Zhang and Grinspan (2009), Expected reciprocal rank for graded relevance, CIKM
"""

nERR = _core.Measure("nERR")
"""Expected reciprocal rank, divided by that of the best possible ranking.

nERR@k = ERR@k / ERR@k of the ideal ranking

Source: Clarke, Craswell, Soboroff and Ashkan (2011), A comparative analysis of cascade measures for novelty and diversity, WSDM
"""

EBR = _core.Measure("EBR")
"""The expected blended ratio at the rank where a user who reads down the ranking is satisfied.

EBR@k = sum over relevant documents at ranks r <= k of [(beta cg(r) + c(r)) / (beta cg*(r) + r)] s(r) prod over i < r of (1 - s(i))

Source: Sakai and Robertson (2008), Modelling a user population for designing information retrieval metrics, EVIA; NTCIREVAL, measure EBR
"""

iRBU = _core.Measure("iRBU")
"""The expected utility for a user who reads until satisfied, where the utility of a rank falls by the factor p.

iRBU@k = sum over ranks r <= k of p^r s(r) prod over i < r of (1 - s(i))

Source: Sakai and Zeng (2019), Which diversity evaluation measures are good?, SIGIR; Amigó, Spina and Carrillo-de-Albornoz (2018), An axiomatic analysis of diversity evaluation metrics, SIGIR
"""

Q = _core.Measure("Q")
"""Average precision whose precision is blended with cumulated gain.

Q = (1/min(k, R)) sum over relevant documents at ranks r <= k of (beta cg(r) + c(r)) / (beta cg*(r) + r), where cg* is the cumulated gain of the ideal ranking

Source: Sakai (2004), New performance metrics based on multigrade relevance; Sakai (2007), Alternatives to bpref, SIGIR, equation 21
"""

O = _core.Measure("O")
"""The blended ratio at the first relevant document.

O = (beta g(r) + 1) / (beta cg*(r) + r) at the rank r <= k of the first relevant document, where cg* is the cumulated gain of the ideal ranking; 0 if there is none

Source: Sakai (2006), On the task of finding one highly relevant document with high precision, IPSJ TOD
"""

PMeasure = _core.Measure("PMeasure")
"""The blended ratio at the preferred rank: that of the first document of the highest gain in the ranking.

PMeasure = (beta cg(p) + c(p)) / (beta cg*(p) + p), where p <= k is the first rank with the highest gain among the first k; 0 if nothing relevant is there

Source: Sakai (2006), Bootstrap-based comparisons of IR metrics for finding one relevant document, AIRS; Sakai (2007), On the properties of evaluation metrics for finding one highly relevant document, IPSJ TOD
"""

PPlus = _core.Measure("PPlus")
"""The mean of the blended ratios of the relevant documents down to the preferred rank.

PPlus = (1/c(p)) sum over relevant documents at ranks r <= p of (beta cg(r) + c(r)) / (beta cg*(r) + r), where p <= k is the first rank with the highest gain among the first k; 0 if nothing relevant is there

Source: Sakai (2006), Bootstrap-based comparisons of IR metrics for finding one relevant document, AIRS
"""

NCU = _core.Measure("NCU")
"""The expected precision or blended ratio at the rank where a user stops.

NCU = sum over relevant documents at ranks r <= k of Pr(r) x(r); gu: Pr(r) = g(r) / sum of all gains of the topic; rb: Pr(r) = gamma^(c(r) - 1) / sum over i = 1 ... R of gamma^(i - 1)

Source: Sakai and Robertson (2008), Modelling a user population for designing information retrieval metrics, EVIA
"""

GAP = _core.Measure("GAP")
"""Average precision for users who differ in the grade that satisfies them.

GAP = sum over relevant documents at ranks r <= k of (1/r) sum over relevant documents at ranks i <= r of s(min(g(i), g(r))), divided by the sum of s(g) over the first min(k, R) documents of the ideal ranking; s(g) = g (g + 1), or g for uniform thresholds

Source: Robertson, Kanoulas and Yilmaz (2010), Extending average precision to graded relevance judgments, SIGIR
"""

bpref = _core.Measure("bpref")
"""How rarely nonrelevant documents are ranked above relevant ones, among judged documents only.

bpref = (1/R) sum over relevant documents retrieved of 1 - min(n, T) / min(N, T), where n documents judged not relevant stand above and T = R

Source: Buckley and Voorhees (2004), Retrieval evaluation with incomplete information, SIGIR; Sakai (2007), Alternatives to bpref, SIGIR, equation 1
"""

gm_bpref = _core.Measure("gm_bpref")
"""bpref whose summary over topics is the geometric mean.

gm_bpref = exp of the mean over topics of ln max(bpref, 1e-5)

Source: trec_eval, measure gm_bpref; Robertson (2006), On GMAP: and other transformations, CIKM
"""

micro_bpref = _core.Measure("micro_bpref")
"""The number of preferences that bpref counts as satisfied, over all topics together, divided by the number that it considers.

micro_bpref = sum over topics of bpref_num_correct / sum over topics of bpref_num_possible

Source: trec_eval 8.1, measure micro_bpref
"""

bpref_R = _core.Measure("bpref_R")
"""bpref with the penalty divided by R, regardless of the number of documents judged not relevant.

bpref_R = (1/R) sum over relevant documents retrieved of 1 - min(n, R) / R, where n documents judged not relevant stand above

Source: Sakai (2007), Alternatives to bpref, SIGIR, equation 10; Yilmaz and Aslam (2006), CIKM, equation 1
"""

bpref_N = _core.Measure("bpref_N")
"""bpref with a penalty that counts every document judged not relevant, divided by their number N.

bpref_N = (1/R) sum over relevant documents retrieved of 1 - n / N, where n documents judged not relevant stand above

Source: Sakai (2007), Alternatives to bpref, SIGIR, equation 11
"""

old_bpref = _core.Measure("old_bpref")
"""bpref divided by the documents judged not relevant that were retrieved, instead of all.

old_bpref = (1/R) sum over relevant documents retrieved of 1 - min(n, R) / min(M, R), where n of the M documents retrieved and judged not relevant stand above

Source: trec_eval 8.1, measure old_bpref, and the notice on the error in bpref that comes with it
"""

bpref_10 = _core.Measure("bpref_10")
"""bpref with a penalty that counts up to 10 + R documents judged not relevant.

bpref_10 = (1/R) sum over relevant documents retrieved of 1 - min(n, 10 + R) / (10 + R), where n documents judged not relevant stand above

Source: Buckley and Voorhees (2004), Retrieval evaluation with incomplete information, SIGIR; Yilmaz and Aslam (2006), CIKM, section 2
"""

bpref_relative = _core.Measure("bpref_relative")
"""bpref with the penalty divided by the number of judged documents above.

bpref_relative = (1/R) sum over relevant documents at judged ranks r > 1 of 1 - n / (r - 1), where n documents judged not relevant stand above

Source: Sakai (2007), Alternatives to bpref, SIGIR, equation 18
"""

bpref_num_all = _core.Measure("bpref_num_all")
"""The number of pairs of a relevant document in the ranking and one judged not relevant that it is above.

bpref_num_all = sum over relevant documents retrieved of N - n, where n documents judged not relevant stand above

Source: trec_eval 8.1, measure bpref_num_all
"""

bpref_num_ret = _core.Measure("bpref_num_ret")
"""The number of pairs of a relevant document in the ranking and one judged not relevant below it there.

bpref_num_ret = sum over relevant documents retrieved of M - n, where n of the M documents retrieved and judged not relevant stand above

Source: trec_eval 8.1, measure bpref_num_ret
"""

bpref_num_correct = _core.Measure("bpref_num_correct")
"""The number of preferences that bpref counts as satisfied.

bpref_num_correct = sum over relevant documents retrieved with n > 0 of min(N, R) - min(n, R)

Source: trec_eval 8.1, measure bpref_num_correct
"""

bpref_num_possible = _core.Measure("bpref_num_possible")
"""The number of preferences that bpref considers.

bpref_num_possible = R min(N, R)

Source: trec_eval 8.1, measure bpref_num_possible
"""

Pref = _core.Measure("Pref")
"""The proportion of the preferences implied by the grades that the ranking satisfies.

Pref = pairs (x, y) with g(x) > g(y), x retrieved and y below x or not retrieved / pairs (x, y) with g(x) > g(y)

Source: Carterette and Bennett (2008), Evaluation measures for preference judgments, SIGIR; trec_eval, measure prefs_simp
"""

num_prefs = _core.Measure("num_prefs")
"""The number of preferences that the grades imply: the divisor of Pref.

num_prefs = pairs (x, y) with g(x) > g(y)

Source: trec_eval, measure prefs_num_prefs_poss
"""

num_prefs_ful = _core.Measure("num_prefs_ful")
"""The number of preferences implied by the grades that the ranking satisfies: the numerator of Pref.

num_prefs_ful = pairs (x, y) with g(x) > g(y), x retrieved and y below x or not retrieved

Source: trec_eval, measure prefs_num_prefs_ful
"""

Compat = _core.Measure("Compat")
"""The rank-biased overlap of the ranking with the best possible order of the relevant documents.

Compat = sum over depths d = 1 ... k of p^(d - 1) o(d) / d, divided by the same sum with p^(d - 1) min(d, R) / d, where o(d) is how many documents are among the first d both of the ranking and of the best order

Source: Clarke, Vtyurina and Smucker (2021), Assessing top-k preferences, TOIS; Webber, Moffat and Zobel (2010), A similarity measure for indefinite rankings, TOIS
"""

rpref_N = _core.Measure("rpref_N")
"""How rarely judged documents of lower gain are ranked above documents of higher gain.

rpref_N = (1/cg*) sum over judged documents retrieved of g (1 - penalty / N'), where penalty = sum over judged documents above with g' < g of (g - g') / g, N' = R + N - cg* / H, cg* the sum of all gains and H the highest

Source: De Beer and Moens (2006), Rpref: a generalization of bpref towards graded relevance judgments, SIGIR, formula 1; Sakai (2007), Alternatives to bpref, SIGIR, equation 16
"""

rpref_relative = _core.Measure("rpref_relative")
"""rpref with the penalty divided by the number of judged documents above.

rpref_relative = (1/cg*) sum over judged documents at judged ranks r > 1 of g (1 - penalty / (r - 1)), with the penalty of rpref_N

Source: De Beer and Moens (2006), SIGIR, section 2.5; Sakai (2007), Alternatives to bpref, SIGIR, equation 17
"""

rpref_relative2 = _core.Measure("rpref_relative2")
"""rpref with the penalty divided by the rank among judged documents.

rpref_relative2 = (1/cg*) sum over judged documents retrieved of g (1 - penalty / r), where r is the judged rank, with the penalty of rpref_N

Source: Sakai (2007), Alternatives to bpref, SIGIR, equation 19
"""

infAP = _core.Measure("infAP")
"""An estimate of average precision from a random sample of the pool's judgments.

infAP = (1/R) sum over relevant documents at ranks k of 1/k + (d/k) (rel + e) / (rel + nonrel + 2 e), where d pooled documents stand above

Source: Yilmaz and Aslam (2006), Estimating average precision with incomplete and imperfect judgments, CIKM, section 2.5
"""

subAP = _core.Measure("subAP")
"""Average precision on a random part of the collection in which the judged sample is complete.

subAP = (1/R) sum over relevant documents retrieved of c(r) / (c(r) + n(r) + b(r)), where n documents judged not relevant and b kept documents from outside the pool stand above

Source: Yilmaz and Aslam (2006), Estimating average precision with incomplete and imperfect judgments, CIKM, section 2.4
"""

subAP_expected = _core.Measure("subAP_expected")
"""The expected value of subAP over all random choices.

subAP_expected = (1/R) sum over relevant documents retrieved of E[c / (c + n + B)], B binomial with m trials and probability p, where c counts relevant documents up to it, n those judged not relevant and m those outside the pool above

Source: after Yilmaz and Aslam (2006), Estimating average precision with incomplete and imperfect judgments, CIKM, section 2.4
"""

xinfAP = _core.Measure("xinfAP")
"""An estimate of average precision from a stratified sample of the pool's judgments.

xinfAP@k = (1/R) sum over strata s of (t_s / j_s) sum over relevant documents of s at ranks r <= k of 1/r + sum over strata u of (m_u / r) (rel_u + e) / (judged_u + 3 e), where above r stand m_u documents of u, t_s and j_s count the pooled and the judged documents of s, and R = sum over strata of rel_s t_s / j_s

Source: Yilmaz, Kanoulas and Aslam (2008), A simple and efficient sampling method for estimating AP and NDCG, SIGIR
"""

infNDCG = _core.Measure("infNDCG")
"""An estimate of nDCG from a stratified sample of the pool's judgments.

infNDCG@k = sum over strata s of (m_s / judged_s) (sum over documents of s at ranks r <= k of g(r) / log2(r+1)), divided by DCG@k of the estimated ideal ranking; m_s and judged_s count the pooled and the judged documents of s among the first k

Source: Yilmaz, Kanoulas and Aslam (2008), A simple and efficient sampling method for estimating AP and NDCG, SIGIR
"""

infP = _core.Measure("infP")
"""An estimate of precision at a rank from a stratified sample of the pool's judgments.

infP@k = (1/k) sum over strata s of m_s (rel_s + e) / (judged_s + 3 e), all counted among the first k

Source: Yilmaz, Kanoulas and Aslam (2008), A simple and efficient sampling method for estimating AP and NDCG, SIGIR; NIST's sample_eval.pl
"""

infIPrec = _core.Measure("infIPrec")
"""The highest estimated precision at any rank where the estimated recall has reached a level.

infIPrec@t = max over ranks r with E(r) >= t R of E(r) / r; 0 if there is none; E(r) = r infP@r, R = inf_num_rel

Source: NIST's sample_eval.pl; Yilmaz, Kanoulas and Aslam (2008), A simple and efficient sampling method for estimating AP and NDCG, SIGIR
"""

inf_num_rel = _core.Measure("inf_num_rel")
"""An estimate of the number of relevant documents in the pool.

inf_num_rel = sum of w over all relevant documents

Source: Yilmaz, Kanoulas and Aslam (2008), A simple and efficient sampling method for estimating AP and NDCG, SIGIR; Horvitz and Thompson (1952), A generalization of sampling without replacement from a finite universe, Journal of the American Statistical Association
"""

inf_num_rel_ret = _core.Measure("inf_num_rel_ret")
"""An estimate of the number of relevant documents in the ranking from a stratified sample of the pool's judgments.

inf_num_rel_ret@k = sum over strata s of m_s (rel_s + e) / (judged_s + 3 e), all counted among the first k

Source: Yilmaz, Kanoulas and Aslam (2008), A simple and efficient sampling method for estimating AP and NDCG, SIGIR; NIST's sample_eval.pl
"""

statAP = _core.Measure("statAP")
"""An estimate of average precision in which a judged document is weighted by the number of documents that it represents.

statAP = (1/R) sum over relevant documents retrieved at ranks r of w (1 + sum of w over the relevant documents above) / r, where R is the sum of w over all relevant documents

Source: Aslam, Pavlu and Yilmaz (2006), A statistical method for system evaluation using incomplete judgments, SIGIR; Pavlu and Aslam (2007), A practical sampling strategy for efficient retrieval evaluation
"""

varAP = _core.Measure("varAP")
"""An estimate of the variance of statAP, as its authors' program prints it.

varAP = (sum of (1 - p) y^2 - sum over pairs of 2 y z / (n - 1) + v) / R^2, over the relevant of n documents drawn, each with probability p and y = (s - statAP) / p, where s is its estimated precision, 0 if it is not retrieved; v sums over the relevant documents retrieved, with version="3" the (1 - q) / q^2 of each and of those above, over r^2, with version="4" (1 - p) / p^2 times the square of the sum of 1 / (q r) over those below

Source: Pavlu and Aslam (2007), A practical sampling strategy for efficient retrieval evaluation; the authors' statAP_MQ_eval, versions 3 and 4
"""

statRprec = _core.Measure("statRprec")
"""An estimate of R-precision in which a judged document is weighted by the number of documents that it represents.

statRprec = statP@round(R), where R is the sum of w over all relevant documents

Source: Aslam, Pavlu and Yilmaz (2006), A statistical method for system evaluation using incomplete judgments, SIGIR; the authors' statAP_MQ_eval
"""

statP = _core.Measure("statP")
"""The Horvitz-Thompson estimate of precision at a rank.

statP@k = (1/k) sum of w over the relevant documents among the first k

Source: Horvitz and Thompson (1952), A generalization of sampling without replacement from a finite universe, Journal of the American Statistical Association; Aslam, Pavlu and Yilmaz (2006), SIGIR
"""

statDCG = _core.Measure("statDCG")
"""The Horvitz-Thompson estimate of discounted cumulated gain.

statDCG@k = sum over documents at ranks r <= k of w g(r) / log2(r+1)

Source: Horvitz and Thompson (1952), A generalization of sampling without replacement from a finite universe, Journal of the American Statistical Association; Järvelin and Kekäläinen (2002), TOIS
"""

ERR_IA = _core.Measure("ERR_IA")
"""The expected reciprocal rank at which an intent is satisfied, for users with different intents.

ERR_IA@k = sum over ranks r <= k of s(r) / r, divided by sum over r <= k of (1 - alpha)^(r - 1) / r; s(r) = sum over the intents i to which the document at rank r is relevant of w(i) (1 - alpha)^(documents above that are relevant to i), where the weights w add up to 1

Source: Chapelle, Metzler, Zhang and Grinspan (2009), Expected reciprocal rank for graded relevance, CIKM; Clarke, Craswell, Soboroff and Ashkan (2011), A comparative analysis of cascade measures for novelty and diversity, WSDM
"""

nERR_IA = _core.Measure("nERR_IA")
"""ERR_IA, divided by that of the best ranking that a greedy choice finds.

nERR_IA@k = ERR_IA@k / ERR_IA@k of the greedy ranking

Source: Clarke, Craswell, Soboroff and Ashkan (2011), A comparative analysis of cascade measures for novelty and diversity, WSDM
"""

alpha_DCG = _core.Measure("alpha_DCG")
"""Discounted cumulated gain where a document gains less for an intent that earlier documents already covered.

alpha_DCG@k = sum over ranks r <= k of s(r) / log2(r + 1), divided by sum over r <= k of (1 - alpha)^(r - 1) / log2(r + 1), with s(r) as in ERR_IA

Source: Clarke, Kolla, Cormack, Vechtomova, Ashkan, Büttcher and MacKinnon (2008), Novelty and diversity in information retrieval evaluation, SIGIR
"""

alpha_nDCG = _core.Measure("alpha_nDCG")
"""alpha_DCG, divided by that of the best ranking that a greedy choice finds.

alpha_nDCG@k = alpha_DCG@k / alpha_DCG@k of the greedy ranking

Source: Clarke, Kolla, Cormack, Vechtomova, Ashkan, Büttcher and MacKinnon (2008), Novelty and diversity in information retrieval evaluation, SIGIR
"""

NRBP = _core.Measure("NRBP")
"""Rank-biased precision where a document gains less for an intent that earlier documents already covered.

NRBP = (1 - (1 - alpha) beta) sum over ranks r of s(r) beta^(r - 1), with s(r) as in ERR_IA

Source: Clarke, Kolla and Vechtomova (2009), An effectiveness measure for ambiguous and underspecified queries, ICTIR
"""

nNRBP = _core.Measure("nNRBP")
"""NRBP, divided by that of the best ranking that a greedy choice finds.

nNRBP = NRBP / NRBP of the greedy ranking

Source: Clarke, Kolla and Vechtomova (2009), An effectiveness measure for ambiguous and underspecified queries, ICTIR
"""

AP_IA = _core.Measure("AP_IA")
"""The mean over intents of average precision.

AP_IA@k = sum over intents i of w(i) AP@k under i, where the weights w add up to 1

Source: Agrawal, Gollapudi, Halverson and Ieong (2009), Diversifying search results, WSDM
"""

P_IA = _core.Measure("P_IA")
"""The mean over intents of precision at a rank.

P_IA@k = sum over intents i of w(i) P@k under i, where the weights w add up to 1

Source: Agrawal, Gollapudi, Halverson and Ieong (2009), Diversifying search results, WSDM; ndeval, measure P-IA
"""

StRecall = _core.Measure("StRecall")
"""The proportion of the intents that the first k documents cover.

StRecall@k = intents with a relevant document among the first k / intents with a relevant document

Source: Zhai, Cohen and Lafferty (2003), Beyond independent relevance: methods and evaluation metrics for subtopic retrieval, SIGIR
"""

RBU = _core.Measure("RBU")
"""The value of novel documents for the intents to a reader who continues with probability p, minus the effort of reading them.

RBU@k = (1 - p) sum over ranks r <= k of p^r [sum over intents i of w(i) s(i, r) prod over j < r of (1 - s(i, j)) - e], where the weights w add up to 1

Source: Amigó, Spina and Carrillo-de-Albornoz (2018), An axiomatic analysis of diversity evaluation metrics: introducing the rank-biased utility metric, SIGIR
"""

P_Q = _core.Measure("P+Q")
"""The mean over intents of Q for informational intents and of PPlus for navigational ones.

P+Q@k = sum over intents i of P(i) [Q@k under i if i is informational, PPlus@k under i if it is navigational]

Source: Sakai (2012), Evaluation with informational and navigational intents, WWW
"""

gP = _core.Measure("gP")
"""The mean over the first k documents of the F of what was read of each.

gP@k = (1/k) sum over the first k documents of (1 + beta^2) P R / (beta^2 P + R), P and R of the characters of each

Source: Kamps, Pehcevski, Kazai, Lalmas and Robertson (2008), INEX 2007 evaluation measures, INEX
"""

AgP = _core.Measure("AgP")
"""The mean over documents with evidence of the generalized precision where each is first met.

AgP = (1/R) sum over ranks r of documents with evidence of gP@r

Source: Kamps, Pehcevski, Kazai, Lalmas and Robertson (2008), INEX 2007 evaluation measures, INEX
"""

num_ret = _core.Measure("num_ret")
"""The number of documents retrieved.

num_ret = n

Source: trec_eval, measure num_ret
"""

num_rel = _core.Measure("num_rel")
"""The number of documents judged relevant, retrieved or not.

num_rel = R

Source: trec_eval, measure num_rel
"""

num_rel_ret = _core.Measure("num_rel_ret")
"""The number of relevant documents in the ranking.

num_rel_ret = c(n)

Source: trec_eval, measure num_rel_ret
"""

num_nonrel_judged_ret = _core.Measure("num_nonrel_judged_ret")
"""The number of documents in the ranking that are judged not relevant.

num_nonrel_judged_ret = documents judged not relevant among the n retrieved

Source: trec_eval, measure num_nonrel_judged_ret
"""

Judged = _core.Measure("Judged")
"""The proportion of the first k documents that are judged.

Judged@k = judged documents among the first k / min(k, n)

Source: ir_measures, measure Judged
"""

Unjudged = _core.Measure("Unjudged")
"""The proportion of the first k documents that are not judged.

Unjudged@k = unjudged documents among the first k / min(k, n)

Source: Thakur et al. (2021), BEIR, NeurIPS, where it is called the hole
"""

Hole = _core.Measure("Hole")
"""The proportion of the first k documents that are not judged for any topic.

Hole@k = documents among the first k that no topic's judgments name / k

Source: Thakur et al. (2021), BEIR: A heterogeneous benchmark for zero-shot evaluation of information retrieval models, NeurIPS
"""
