//! Estimates from a sample of the pool's judgments.

use std::collections::BTreeMap;

use super::{List, Params};

/// The strata of the topic: which documents of the pool are in each.
fn strata<'a>(list: &'a List) -> Vec<Vec<&'a String>> {
    let mut strata: BTreeMap<u64, Vec<&String>> = BTreeMap::new();
    for doc in list.grades.keys() {
        let name = list.columns["stratum"][doc];
        strata.entry(name.to_bits()).or_default().push(doc);
    }
    strata.into_values().collect()
}

/// How many pooled documents one judged document of a stratum stands for.
fn factor(list: &List, stratum: &[&String]) -> f64 {
    let judged = stratum.iter().filter(|doc| list.is_judged(doc)).count();
    stratum.len() as f64 / judged as f64
}

/// How many of a stratum's documents among some are relevant, as far as the
/// judged ones tell: m (rel + e) / (judged + 3 e).
fn expected_relevant(params: &Params, list: &List, stratum: &[&String], some: &[String]) -> f64 {
    let epsilon = params.number("epsilon").unwrap_or(1e-5);
    let inside: Vec<&String> = some.iter().filter(|doc| stratum.contains(doc)).collect();
    let judged = inside.iter().filter(|doc| list.is_judged(doc)).count() as f64;
    let relevant = inside.iter().filter(|doc| list.is_relevant(doc, params.rel)).count() as f64;
    if judged == 0.0 && epsilon == 0.0 {
        return 0.0;
    }
    inside.len() as f64 * (relevant + epsilon) / (judged + 3.0 * epsilon)
}

/// AP = sum over strata of (estimated relevant of s / estimated relevant of
/// all) x the mean of the expected precisions of the relevant documents that
/// were sampled in s, those not retrieved counting 0.
///
/// Source: Yilmaz, Kanoulas & Aslam 2008.
pub fn xinfap(params: &Params, list: &List) -> f64 {
    let shown = list.first(params.k());
    let strata = strata(list);
    let mut estimates = Vec::new();
    let mut means = Vec::new();
    for stratum in &strata {
        let relevant: Vec<&&String> =
            stratum.iter().filter(|doc| list.is_relevant(doc, params.rel)).collect();
        if relevant.is_empty() {
            continue;
        }
        let mut sum = 0.0;
        for doc in &relevant {
            let Some(index) = shown.iter().position(|other| other == **doc) else { continue };
            let k = (index + 1) as f64;
            let above: f64 = strata
                .iter()
                .map(|other| expected_relevant(params, list, other, &shown[..index]))
                .sum();
            sum += 1.0 / k + above / k;
        }
        means.push(sum / relevant.len() as f64);
        estimates.push(relevant.len() as f64 * factor(list, stratum));
    }
    let all: f64 = estimates.iter().sum();
    if all == 0.0 {
        return f64::NAN;
    }
    estimates.iter().zip(&means).map(|(estimate, mean)| estimate / all * mean).sum()
}

/// A number as a whole one, halves up; a sum of quotients that is a half misses
/// it by a few bits.
fn rounded(number: f64) -> usize {
    (number + 0.5 + 1e-9).floor() as usize
}

/// The gain and the discount of the form of DCG that is named.
fn discounted(params: &Params, gain: f64, rank: f64) -> f64 {
    let base = params.number("base").unwrap_or(2.0);
    match params.text("dcg").unwrap_or("log2") {
        "log2" => gain / (rank + 1.0).log2(),
        "exp-log2" => (2f64.powf(gain) - 1.0) / (rank + 1.0).log2(),
        "jk" if rank <= base => gain,
        "jk" => gain / (rank.ln() / base.ln()),
        other => panic!("no form {other}"),
    }
}

/// DCG = sum over strata of the number of its documents retrieved x the mean
/// discounted gain of those of them that are judged; ideal: for each grade,
/// highest gain first, its estimated number of documents, rounded, halves up.
///
/// Source: Yilmaz, Kanoulas & Aslam 2008.
pub fn infndcg(params: &Params, list: &List) -> f64 {
    let shown = list.first(params.k());
    let strata = strata(list);
    let mut dcg = 0.0;
    for stratum in &strata {
        let (mut retrieved, mut judged, mut sum) = (0.0, 0.0, 0.0);
        for (index, doc) in shown.iter().enumerate() {
            if stratum.contains(&doc) {
                retrieved += 1.0;
                if list.is_judged(doc) {
                    judged += 1.0;
                    sum += discounted(params, list.gain(doc, params), (index + 1) as f64);
                }
            }
        }
        if judged > 0.0 {
            dcg += retrieved * sum / judged;
        }
    }
    let mut grades: Vec<f64> =
        list.grades.values().copied().filter(|grade| *grade >= 0.0).collect();
    grades.sort_by(|a, b| params.gain(*b).total_cmp(&params.gain(*a)).then(b.total_cmp(a)));
    grades.dedup();
    let mut ideal = Vec::new();
    for grade in grades {
        let mut estimate = 0.0;
        for stratum in &strata {
            let found = stratum.iter().filter(|doc| list.grades[**doc] == grade).count() as f64;
            let judged = stratum.iter().filter(|doc| list.is_judged(doc)).count() as f64;
            if found > 0.0 {
                estimate += found * stratum.len() as f64 / judged;
            }
        }
        ideal.extend(std::iter::repeat_n(params.gain(grade), rounded(estimate)));
    }
    ideal.truncate(params.k().unwrap_or(usize::MAX));
    let best: f64 =
        ideal.iter().enumerate().map(|(i, gain)| discounted(params, *gain, (i + 1) as f64)).sum();
    dcg / best
}

/// The estimated number of relevant documents among the first k, over k.
///
/// Source: `sample_eval`.
pub fn inf_p(params: &Params, list: &List) -> f64 {
    let shown = list.first(params.k());
    let relevant: f64 =
        strata(list).iter().map(|stratum| expected_relevant(params, list, stratum, shown)).sum();
    relevant / params.k_required() as f64
}

/// The probability with which a document came to be judged.
fn probability(list: &List, doc: &String) -> f64 {
    if let Some(column) = list.columns.get("inclusion") {
        return column[doc];
    }
    let strata = strata(list);
    let own = strata.iter().find(|stratum| stratum.contains(&doc)).expect("a stratum");
    1.0 / factor(list, own)
}

/// R = sum of 1/p over the relevant documents.
fn estimated_relevant(params: &Params, list: &List) -> f64 {
    let relevant = list.grades.keys().filter(|doc| list.is_relevant(doc, params.rel));
    relevant.map(|doc| 1.0 / probability(list, doc)).sum()
}

/// AP = (1/R) sum over relevant documents retrieved of (1/p) (1 + sum of 1/p
/// over the relevant documents above) / rank.
///
/// Source: Aslam, Pavlu & Yilmaz 2006.
pub fn stat_ap(params: &Params, list: &List) -> f64 {
    let mut sum = 0.0;
    for (index, doc) in list.ranking.iter().enumerate() {
        if list.is_relevant(doc, params.rel) {
            let above = list.ranking[..index].iter();
            let above = above.filter(|other| list.is_relevant(other, params.rel));
            let above: f64 = above.map(|other| 1.0 / probability(list, other)).sum();
            sum += (1.0 + above) / (index + 1) as f64 / probability(list, doc);
        }
    }
    sum / estimated_relevant(params, list)
}

/// The sum of 1/p over the relevant documents among the first k, over k.
fn precision(params: &Params, list: &List, k: usize) -> f64 {
    let relevant = list.first(Some(k)).iter().filter(|doc| list.is_relevant(doc, params.rel));
    relevant.map(|doc| 1.0 / probability(list, doc)).sum::<f64>() / k as f64
}

/// Precision at R, rounded, halves up; at least at rank 1.
///
/// Source: `statAP_MQ_eval`.
pub fn stat_rprec(params: &Params, list: &List) -> f64 {
    let relevant = estimated_relevant(params, list);
    if relevant == 0.0 {
        return f64::NAN;
    }
    precision(params, list, rounded(relevant).max(1))
}

/// Precision at k.
pub fn stat_p(params: &Params, list: &List) -> f64 {
    precision(params, list, params.k_required())
}

/// Sum over the first k of (1/p) x discounted gain.
pub fn stat_dcg(params: &Params, list: &List) -> f64 {
    let shown = list.first(params.k()).iter().enumerate();
    shown
        .filter(|(_, doc)| list.gain(doc, params) > 0.0)
        .map(|(index, doc)| {
            discounted(params, list.gain(doc, params), (index + 1) as f64) / probability(list, doc)
        })
        .sum()
}

/// R, the sum of 1/p over the relevant documents.
pub fn inf_num_rel(params: &Params, list: &List) -> f64 {
    estimated_relevant(params, list)
}

/// The relevant documents among the first k, stratum by stratum.
pub fn inf_num_rel_ret(params: &Params, list: &List) -> f64 {
    let shown = list.first(params.k());
    strata(list).iter().map(|stratum| expected_relevant(params, list, stratum, shown)).sum()
}

/// The highest estimated precision at any rank with the estimated recall.
///
/// Source: what `sample_eval` prints, without the rank above.
pub fn inf_iprec(params: &Params, list: &List) -> f64 {
    let all = estimated_relevant(params, list);
    if all == 0.0 {
        return f64::NAN;
    }
    // What rounding parts is one.
    let wanted = params.cutoff.expect("a recall level") * all - 1e-9;
    let mut highest = 0.0f64;
    let strata = strata(list);
    for rank in 1..=list.ranking.len() {
        let shown = &list.ranking[..rank];
        let found: f64 =
            strata.iter().map(|stratum| expected_relevant(params, list, stratum, shown)).sum();
        if found >= wanted {
            highest = highest.max(found / rank as f64);
        }
    }
    highest
}

/// The variance of statAP: the sum over relevant documents of (1-p) y^2, less
/// that over pairs of 2 y z / (n-1), plus the variance of the precisions.
///
/// Source: `statAP_MQ_eval` 3 and 4.
pub fn var_ap(params: &Params, list: &List) -> f64 {
    let relevant: Vec<&String> =
        list.grades.keys().filter(|doc| list.is_relevant(doc, params.rel)).collect();
    if relevant.is_empty() {
        return f64::NAN;
    }
    let probabilities: BTreeMap<&String, f64> =
        relevant.iter().map(|doc| (*doc, probability(list, doc))).collect();
    let p = |doc: &String| probabilities[doc];
    let all = estimated_relevant(params, list);
    let ap = stat_ap(params, list);
    let rank = |doc: &String| list.ranking.iter().position(|other| other == doc).map(|i| i + 1);
    // One over the probability of each relevant document above a rank.
    let above = |end: usize| -> f64 {
        let docs = list.ranking[..end - 1].iter().filter(|doc| list.is_relevant(doc, params.rel));
        docs.map(|doc| 1.0 / p(doc)).sum()
    };
    let y = |doc: &String| {
        let precision = rank(doc).map_or(0.0, |r| (1.0 + above(r)) / r as f64);
        (precision - ap) / p(doc)
    };
    let drawn = list.grades.keys().filter(|doc| list.is_judged(doc)).count() as f64;
    let mut sum = 0.0;
    for (i, doc) in relevant.iter().enumerate() {
        sum += (1.0 - p(doc)) * y(doc) * y(doc);
        for other in &relevant[..i] {
            sum -= 2.0 * y(doc) * y(other) / (drawn - 1.0);
        }
    }
    let own = |doc: &String| (1.0 - p(doc)) / p(doc) / p(doc);
    let found: Vec<&String> =
        list.ranking.iter().filter(|doc| list.is_relevant(doc, params.rel)).collect();
    for (i, doc) in found.iter().enumerate() {
        if params.text("version") == Some("4") {
            let below = found[i + 1..].iter();
            let below: f64 = below.map(|d| 1.0 / rank(d).unwrap() as f64 / p(d)).sum();
            sum += below * below * own(doc);
        } else {
            let r = rank(doc).unwrap() as f64;
            sum += found[..=i].iter().map(|d| own(d)).sum::<f64>() / r / r;
        }
    }
    let variance = sum / all / all;
    if params.text("version") != Some("4") {
        return variance;
    }
    let shown = list.ranking.iter().filter(|doc| list.is_judged(doc)).count() as f64;
    (variance / (shown + 0.1) * drawn).min(1.0)
}
