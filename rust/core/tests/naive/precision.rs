//! Precision, recall and related measures at one rank.

use super::{List, Params, iprec::decimal};

/// P@k = c(k) / k, with c(k) the number of relevant documents in the first k.
///
/// A list shorter than k counts as if non-relevant documents followed, so the
/// divisor stays k. Source: IIR 8.1; Webber et al. 2010 eq. 1.
pub fn p(params: &Params, list: &List) -> f64 {
    let k = params.k_required();
    list.relevant_among(list.first(Some(k)), params.rel) as f64 / k as f64
}

/// R@k = c(k) / R.
///
/// Source: IIR 8.2; Webber et al. 2010 eq. 2.
pub fn r(params: &Params, list: &List) -> f64 {
    let found = list.relevant_among(list.first(params.k()), params.rel);
    found as f64 / list.num_relevant(params.rel) as f64
}

/// `AllRecall@k` = 1 if each relevant document is one of the first k, else 0.
///
/// Source: `recall_all` of `LongMemEval`, `retrieval_utils`, where no relevant document gives 1; here
/// that is 0/0.
pub fn all_recall(params: &Params, list: &List) -> f64 {
    let relevant = list.num_relevant(params.rel);
    let found = list.relevant_among(list.first(params.k()), params.rel);
    if relevant == 0 { f64::NAN } else { (relevant - found == 0).into() }
}

/// Success@k = 1 if c(k) > 0, else 0.
///
/// Source: Hit@k.
pub fn success(params: &Params, list: &List) -> f64 {
    let found = list.relevant_among(list.first(params.k()), params.rel);
    if found > 0 { 1.0 } else { 0.0 }
}

/// RR = 1 / rank of the first relevant document; 0 if there is none, or none
/// down to rank k.
pub fn rr(params: &Params, list: &List) -> f64 {
    let docs = list.first(params.k());
    for rank in 1..=docs.len() {
        if list.is_relevant(&docs[rank - 1], params.rel) {
            return 1.0 / rank as f64;
        }
    }
    0.0
}

/// Rprec = P@R = c(R) / R; with `mult` P at the first rank that is no less
/// than `mult` times R.
///
/// `mult` is read as the decimal number it is written as, and the rank is
/// found by counting up. Source: IIR section 8.4.
pub fn rprec(params: &Params, list: &List) -> f64 {
    let relevant = list.num_relevant(params.rel);
    if relevant == 0 {
        return f64::NAN;
    }
    let (top, bottom) = decimal(params.number("mult").unwrap_or(1.0));
    let mut rank = 1;
    while (rank as u128) * bottom < top * relevant as u128 {
        rank += 1;
    }
    list.relevant_among(list.first(Some(rank)), params.rel) as f64 / rank as f64
}

/// Rcap@k = c(k) / min(k, R).
///
/// Source: `R_cap` of BEIR, `relative_P` of `trec_eval`.
pub fn rcap(params: &Params, list: &List) -> f64 {
    let k = params.k_required();
    let found = list.relevant_among(list.first(Some(k)), params.rel);
    found as f64 / k.min(list.num_relevant(params.rel)) as f64
}

/// The documents down to a rank that are not relevant, judged or not.
fn others(params: &Params, docs: &[String], list: &List) -> usize {
    docs.len() - list.relevant_among(docs, params.rel)
}

/// Recall at the last rank down to which no more than a number of documents are
/// not relevant.
///
/// Source: what `trec_eval` 8.1 prints as `fallout_recall`.
pub fn recall_at_fallout(params: &Params, list: &List) -> f64 {
    let most = params.number("nonrel").unwrap_or(0.0);
    let mut rank = list.ranking.len();
    while others(params, &list.ranking[..rank], list) as f64 > most {
        rank -= 1;
    }
    let found = list.relevant_among(&list.ranking[..rank], params.rel);
    found as f64 / list.num_relevant(params.rel) as f64
}

/// The mean over the ranks of the list of c(r) / min(r, R).
///
/// Source: what `trec_eval` 8.1 prints.
pub fn avg_relative_prec(params: &Params, list: &List) -> f64 {
    let all = list.num_relevant(params.rel);
    if list.ranking.is_empty() || all == 0 {
        return 0.0;
    }
    let mut sum = 0.0;
    for rank in 1..=list.ranking.len() {
        sum += list.relevant_among(&list.ranking[..rank], params.rel) as f64 / rank.min(all) as f64;
    }
    sum / list.ranking.len() as f64
}

/// Precision at a rank, which may be beyond the list.
fn at(params: &Params, list: &List, rank: usize) -> f64 {
    list.relevant_among(list.first(Some(rank)), params.rel) as f64 / rank as f64
}

/// (1/R) sum over the first R ranks of precision.
///
/// Source: what `trec_eval` 8.1 prints.
pub fn map_at_r(params: &Params, list: &List) -> f64 {
    let all = list.num_relevant(params.rel);
    (1..=all).map(|rank| at(params, list, rank)).sum::<f64>() / all as f64
}

/// The same of the highest precision from a rank on.
///
/// Source: what `trec_eval` 8.1 prints.
pub fn int_map_at_r(params: &Params, list: &List) -> f64 {
    let all = list.num_relevant(params.rel);
    let last = list.ranking.len().max(all);
    let highest = |rank| (rank..=last).map(|r| at(params, list, r)).fold(0.0, f64::max);
    (1..=all).map(highest).sum::<f64>() / all as f64
}
