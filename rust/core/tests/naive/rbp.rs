//! Rank-biased precision.

use super::{List, Params};

/// p: given, or `residual`^(1/k), or 0.8.
fn persistence(params: &Params) -> f64 {
    match params.number("residual") {
        Some(residual) => residual.powf(1.0 / params.k_required() as f64),
        None => params.number("p").unwrap_or(0.8),
    }
}

/// What a document gives: 1 if relevant, 0 if not; with `max_rel` its grade
/// over `max_rel`, where the grade is above 0.
fn gain(doc: &String, params: &Params, list: &List) -> f64 {
    match params.number("max_rel") {
        None if list.is_relevant(doc, params.rel) => 1.0,
        None => 0.0,
        Some(max_rel) => match list.grades.get(doc) {
            Some(&grade) if grade > 0.0 => grade / max_rel,
            _ => 0.0,
        },
    }
}

/// RBP = (1 - p) sum over ranks i of g(i) p^(i-1), to the cutoff if there
/// is one.
///
/// Source: Moffat & Zobel 2008; Webber et al. 2010 eqs. 6 and 7.
pub fn rbp(params: &Params, list: &List) -> f64 {
    let p = persistence(params);
    let mut sum = 0.0;
    for (index, doc) in list.first(params.k()).iter().enumerate() {
        sum += gain(doc, params, list) * p.powf(index as f64);
    }
    (1.0 - p) * sum
}

/// `RBP_residual` = (1 - p) sum over unjudged ranks i <= m of p^(i-1), plus
/// p^m for what lies below, with m = min(n, k).
///
/// Source: Moffat & Zobel 2008.
pub fn rbp_residual(params: &Params, list: &List) -> f64 {
    let p = persistence(params);
    let docs = list.first(params.k());
    let mut sum = 0.0;
    for (index, doc) in docs.iter().enumerate() {
        if !list.is_judged(doc) {
            sum += p.powf(index as f64);
        }
    }
    (1.0 - p) * sum + p.powf(docs.len() as f64)
}

/// nRBP@k = RBP@k / (1 - p^min(k, R)); without a cutoff RBP / (1 - p^R).
///
/// R counts the documents that give anything. Source: Webber et al. 2010
/// (normalised RBP).
pub fn nrbp(params: &Params, list: &List) -> f64 {
    let relevant = list.grades.keys().filter(|doc| gain(doc, params, list) > 0.0).count();
    let found_at_best = params.k().map_or(relevant, |k| k.min(relevant));
    rbp(params, list) / (1.0 - persistence(params).powf(found_at_best as f64))
}
