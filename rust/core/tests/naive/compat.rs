//! Compatibility: rank-biased overlap with the ideal order.

use super::{List, Params};

/// The sum over depths d to k of p^(d-1) times the share of the first d
/// documents that two lists have in common.
fn overlap(one: &[&String], other: &[&String], p: f64, k: usize) -> f64 {
    let mut sum = 0.0;
    let mut common = 0;
    for d in 1..=k {
        // Past the ends of both nothing more is in common.
        if d <= one.len().max(other.len()) {
            let first = &one[..d.min(one.len())];
            let second = &other[..d.min(other.len())];
            common = first.iter().filter(|doc| second.contains(doc)).count();
        }
        sum += p.powf(d as f64 - 1.0) * common as f64 / d as f64;
    }
    sum
}

/// compat = RBO(list, ideal) / RBO(ideal, ideal), both to depth k (1000): the
/// ideal holds the documents with a gain, the highest first, ties in the order
/// of the list, those not retrieved last.
///
/// Source: Clarke et al. 2021.
pub fn compat(params: &Params, list: &List) -> f64 {
    let p = params.number("p").unwrap_or(0.95);
    let k = params.k().unwrap_or(1000);
    let mut ideal: Vec<&String> =
        list.grades.keys().filter(|doc| list.gain(doc, params) > 0.0).collect();
    let place = |doc: &String| list.ranking.iter().position(|other| other == doc);
    ideal.sort_by(|a, b| {
        let by_gain = list.gain(b, params).total_cmp(&list.gain(a, params));
        by_gain.then(place(a).unwrap_or(usize::MAX).cmp(&place(b).unwrap_or(usize::MAX)))
    });
    let list: Vec<&String> = list.ranking.iter().collect();
    overlap(&list, &ideal, p, k) / overlap(&ideal, &ideal, p, k)
}
