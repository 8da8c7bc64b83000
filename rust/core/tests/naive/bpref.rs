//! The binary preference family: how many judged non-relevant documents stand
//! above each relevant one.

use super::{List, Params, Value};

/// (1/divisor) times the sum over retrieved relevant documents of
/// 1 - min(n, `bound`) / `possible`, where n is the number of judged
/// non-relevant documents above. A document with n = 0 counts 1.
fn sum_of_preferences(params: &Params, list: &List, bound: f64, possible: f64) -> f64 {
    let mut sum = 0.0;
    for (index, doc) in list.ranking.iter().enumerate() {
        if list.is_relevant(doc, params.rel) {
            let above = list.nonrelevant_among(&list.ranking[..index], params.rel) as f64;
            sum += if above == 0.0 { 1.0 } else { 1.0 - above.min(bound) / possible };
        }
    }
    sum
}

/// A bound T written as `"all"`, `"100"`, `"R"`, `"5R"`, `"10+R"` or
/// `"25+2R"`, or as a plain number.
fn bound(params: &Params, key: &str, otherwise: f64, relevant: f64) -> f64 {
    let text = match params.values.get(key) {
        None => return otherwise,
        Some(Value::Number(number)) => return *number,
        Some(Value::Text(text)) => text,
        Some(_) => panic!("{key} must be a number or a text"),
    };
    if text == "all" {
        return f64::INFINITY;
    }
    let mut sum = 0.0;
    for term in text.split('+') {
        sum += match term.trim().strip_suffix('R') {
            Some("") => relevant,
            Some(factor) => factor.trim().parse::<f64>().expect("a factor of R") * relevant,
            None => term.trim().parse::<f64>().expect("a number"),
        };
    }
    sum
}

/// bpref = (1/R) sum over retrieved relevant documents of
/// 1 - min(n, T) / min(N, T), with T = R, n the judged non-relevant documents
/// above and N those of the topic.
///
/// `trec_eval` 8.1's others: `top=` sets T; `nonrel="retrieved"` puts the
/// judged non-relevant documents that were retrieved for N, `"pooled"` all
/// that are listed and not relevant; `divisor="retrieved"`
/// divides by the relevant documents retrieved, and is 0 without any;
/// `above=` is another bound on n, but not on N;
/// `first=K` sees only the first K retrieved relevant documents, of these only
/// the ones with n < K, sets T = K, and divides by min(relevant retrieved, K).
///
/// Source: Buckley & Voorhees 2004 as corrected; Sakai 2007 eq. 1;
pub fn bpref(params: &Params, list: &List) -> f64 {
    let relevant = list.num_relevant(params.rel) as f64;
    let retrieved_relevant = list.relevant_among(list.ranking, params.rel) as f64;
    let nonrelevant = match params.text("nonrel").unwrap_or("judged") {
        "judged" => list.num_nonrelevant(params.rel),
        "retrieved" => list.nonrelevant_among(list.ranking, params.rel),
        "pooled" => list.grades.len() - list.num_relevant(params.rel),
        other => panic!("nonrel={other:?} is unknown"),
    } as f64;
    if relevant == 0.0 {
        return f64::NAN;
    }
    if let Some(first) = params.number("first") {
        return bpref_of_first(params, list, first, nonrelevant);
    }
    let top = bound(params, "top", relevant, relevant);
    let above = bound(params, "above", f64::INFINITY, relevant);
    let sum = sum_of_preferences(params, list, top.min(above), nonrelevant.min(top));
    match params.text("divisor").unwrap_or("R") {
        "R" => sum / relevant,
        "retrieved" if retrieved_relevant == 0.0 => 0.0,
        "retrieved" => sum / retrieved_relevant,
        other => panic!("divisor={other:?} is neither \"R\" nor \"retrieved\""),
    }
}

/// The first K relevant documents with fewer than K judged non-relevant ones
/// above: (1/min(relevant retrieved, K)) sum of 1 - n / min(N, K).
fn bpref_of_first(params: &Params, list: &List, first: f64, nonrelevant: f64) -> f64 {
    let mut sum = 0.0;
    for (index, doc) in list.ranking.iter().enumerate() {
        let above = &list.ranking[..index];
        let relevant_above = list.relevant_among(above, params.rel) as f64;
        let n = list.nonrelevant_among(above, params.rel) as f64;
        if list.is_relevant(doc, params.rel) && relevant_above < first && n < first {
            sum += if n == 0.0 { 1.0 } else { 1.0 - n / nonrelevant.min(first) };
        }
    }
    let retrieved_relevant = list.relevant_among(list.ranking, params.rel) as f64;
    if retrieved_relevant == 0.0 { 0.0 } else { sum / retrieved_relevant.min(first) }
}

/// `bpref_R` = (1/R) sum of 1 - min(n, R) / R.
///
/// Source: Sakai 2007 eq. 10.
pub fn bpref_r(params: &Params, list: &List) -> f64 {
    let relevant = list.num_relevant(params.rel) as f64;
    sum_of_preferences(params, list, relevant, relevant) / relevant
}

/// `bpref_N` = (1/R) sum of 1 - n / N.
///
/// Source: Sakai 2007 eq. 11; De Beer & Moens 2006 formula 2.
pub fn bpref_n(params: &Params, list: &List) -> f64 {
    let relevant = list.num_relevant(params.rel) as f64;
    let nonrelevant = list.num_nonrelevant(params.rel) as f64;
    sum_of_preferences(params, list, f64::INFINITY, nonrelevant) / relevant
}

/// `old_bpref` = (1/R) sum of 1 - min(n, R) / min(N', R), with N' the judged
/// non-relevant documents retrieved: the formula of `trec_eval` 6 to 7.3.
pub fn old_bpref(params: &Params, list: &List) -> f64 {
    let relevant = list.num_relevant(params.rel) as f64;
    let retrieved = list.nonrelevant_among(list.ranking, params.rel) as f64;
    sum_of_preferences(params, list, relevant, retrieved.min(relevant)) / relevant
}

/// `bpref_10` = (1/R) sum of 1 - min(n, 10 + R) / (10 + R), whatever N is.
///
/// Source: Buckley & Voorhees 2004; Yilmaz & Aslam 2006.
pub fn bpref_10(params: &Params, list: &List) -> f64 {
    let relevant = list.num_relevant(params.rel) as f64;
    sum_of_preferences(params, list, 10.0 + relevant, 10.0 + relevant) / relevant
}

/// `bpref_relative` = (1/R) sum over retrieved relevant documents, except one
/// at r' = 1, of 1 - n / (r' - 1), with r' the rank among judged documents.
///
/// Source: Sakai 2007 eq. 18.
pub fn bpref_relative(params: &Params, list: &List) -> f64 {
    let mut sum = 0.0;
    for (index, doc) in list.ranking.iter().enumerate() {
        let above = &list.ranking[..index];
        let judged_above = above.iter().filter(|other| list.is_judged(other)).count();
        if list.is_relevant(doc, params.rel) && judged_above > 0 {
            let n = list.nonrelevant_among(above, params.rel);
            sum += 1.0 - n as f64 / judged_above as f64;
        }
    }
    sum / list.num_relevant(params.rel) as f64
}

/// For each relevant document of the list how many judged not relevant are
/// above it.
fn above_each(params: &Params, list: &List) -> Vec<usize> {
    let mut above = Vec::new();
    for (i, doc) in list.ranking.iter().enumerate() {
        if list.is_relevant(doc, params.rel) {
            above.push(list.nonrelevant_among(&list.ranking[..i], params.rel));
        }
    }
    above
}

/// N: the documents judged not relevant, or all that are listed and not
/// relevant.
fn n(params: &Params, list: &List) -> usize {
    match params.text("nonrel").unwrap_or("judged") {
        "judged" => list.num_nonrelevant(params.rel),
        "pooled" => list.grades.len() - list.num_relevant(params.rel),
        other => panic!("nonrel={other:?} is unknown"),
    }
}

/// Source: what `trec_eval` 8.1 prints.
pub fn num_all(params: &Params, list: &List) -> f64 {
    let all = n(params, list);
    above_each(params, list).iter().map(|n| (all - n) as f64).sum()
}

/// Source: what `trec_eval` 8.1 prints.
pub fn num_ret(params: &Params, list: &List) -> f64 {
    let all = list.nonrelevant_among(list.ranking, params.rel);
    above_each(params, list).iter().map(|n| (all - n) as f64).sum()
}

/// Source: what `trec_eval` 8.1 prints.
pub fn num_correct(params: &Params, list: &List) -> f64 {
    let relevant = list.num_relevant(params.rel);
    let most = n(params, list).min(relevant);
    let above = above_each(params, list).into_iter().filter(|n| *n > 0);
    above.map(|n| (most - n.min(relevant)) as f64).sum()
}

pub fn num_possible(params: &Params, list: &List) -> f64 {
    let relevant = list.num_relevant(params.rel);
    (relevant * relevant.min(n(params, list))) as f64
}

/// The pairs that are right over those that could be.
///
/// Source: what `trec_eval` 8.1 prints, for one topic.
pub fn micro(params: &Params, list: &List) -> f64 {
    let (correct, possible) = (num_correct(params, list), num_possible(params, list));
    if correct == 0.0 { 0.0 } else { correct / possible }
}
