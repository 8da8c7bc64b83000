//! Counts, and the share of the list that was judged.

use super::{List, Params};

/// The number of retrieved documents.
pub fn num_ret(params: &Params, list: &List) -> f64 {
    list.first(params.k()).len() as f64
}

/// R, the number of documents judged relevant.
pub fn num_rel(params: &Params, list: &List) -> f64 {
    list.num_relevant(params.rel) as f64
}

/// c(n), the number of relevant documents retrieved.
pub fn num_rel_ret(params: &Params, list: &List) -> f64 {
    list.relevant_among(list.first(params.k()), params.rel) as f64
}

/// The number of retrieved documents that are judged and not relevant.
///
/// Source: `num_nonrel_judged_ret` of `trec_eval`.
pub fn num_nonrel_judged_ret(params: &Params, list: &List) -> f64 {
    list.nonrelevant_among(list.ranking, params.rel) as f64
}

/// Judged@k = documents of grade >= 0 among the first k / min(k, n); 0 when
/// nothing is retrieved.
///
/// The divisor is that of `ir_measures` 0.4.3 (run here): the number of
/// documents looked at, not k. That tool also takes a pooled but unjudged
/// document (a negative grade) as judged and divides by zero on an empty
/// list; this does neither.
pub fn judged(params: &Params, list: &List) -> f64 {
    let docs = list.first(params.k());
    if docs.is_empty() {
        return 0.0;
    }
    docs.iter().filter(|doc| list.is_judged(doc)).count() as f64 / docs.len() as f64
}

/// Unjudged@k = documents without a grade >= 0 among the first k / min(k, n);
/// 0 when nothing is retrieved.
///
/// With the divisor of Judged@k.
pub fn unjudged(params: &Params, list: &List) -> f64 {
    let docs = list.first(params.k());
    if docs.is_empty() {
        return 0.0;
    }
    docs.iter().filter(|doc| !list.is_judged(doc)).count() as f64 / docs.len() as f64
}

/// Hole@k = documents among the first k without any grade / k, for judgments of
/// one topic.
pub fn hole(params: &Params, list: &List) -> f64 {
    let k = params.k_required();
    let docs = list.first(Some(k)).iter();
    docs.filter(|doc| !list.grades.contains_key(*doc)).count() as f64 / k as f64
}
