//! Q-measure: average precision with the blended ratio for precision.

use super::{List, Params};

/// The sum of the first `rank` gains; all of them where there are fewer.
fn cumulated(gains: &[f64], rank: usize) -> f64 {
    let mut sum = 0.0;
    for &gain in gains.iter().take(rank) {
        sum += gain;
    }
    sum
}

/// The number of the first `rank` gains that are above 0.
fn found(gains: &[f64], rank: usize) -> f64 {
    gains.iter().take(rank).filter(|&&gain| gain > 0.0).count() as f64
}

/// BR(r) = (b cg(r) + c(r)) / (b cg*(r) + r), with b = `beta` (1), cg the
/// cumulated gain of the list and cg* that of the ideal list. As b grows
/// without end it comes to cg(r) / cg*(r).
///
/// Source: Sakai 2007 eq. 21.
pub fn blended_ratio(gains: &[f64], ideal: &[f64], rank: usize, beta: f64) -> f64 {
    if beta == f64::INFINITY {
        return cumulated(gains, rank) / cumulated(ideal, rank);
    }
    (beta * cumulated(gains, rank) + found(gains, rank))
        / (beta * cumulated(ideal, rank) + rank as f64)
}

/// Q = (1/R) sum over relevant ranks r of BR(r); Q@k stops at rank k and
/// divides by min(k, R). R counts the documents with a gain.
///
/// Source: Sakai 2007 eq. 21.
pub fn q(params: &Params, list: &List) -> f64 {
    let beta = params.number("beta").unwrap_or(1.0);
    let docs = list.first(params.k());
    let gains: Vec<f64> = docs.iter().map(|doc| list.gain(doc, params)).collect();
    let ideal = list.ideal_gains(params);
    let mut sum = 0.0;
    for rank in 1..=gains.len() {
        if gains[rank - 1] > 0.0 {
            sum += blended_ratio(&gains, &ideal, rank, beta);
        }
    }
    sum / params.k().map_or(ideal.len(), |k| k.min(ideal.len())) as f64
}
