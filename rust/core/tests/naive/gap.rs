//! Graded average precision.

use super::{List, Params};

/// s(g): how much the thresholds a user may have, up to gain g, count for.
///
/// g (g + 1) where the probability of a threshold is proportional to its
/// gain, which is the rule without `thresholds`; g with
/// `thresholds="uniform"`.
fn satisfied(gain: f64, params: &Params) -> f64 {
    match params.text("thresholds").unwrap_or("proportional") {
        "proportional" => gain * (gain + 1.0),
        "uniform" => gain,
        other => panic!("thresholds={other:?} is neither \"proportional\" nor \"uniform\""),
    }
}

/// GAP = sum over relevant ranks r of (1/r) times the sum over relevant ranks
/// m <= r of s(min(g(r), g(m))), over the sum of s(g) on the ideal list. GAP@k
/// stops the ranks r at k, and the ideal list at min(k, R) documents.
///
/// Relevant is what has a gain. Source: Robertson, Kanoulas & Yilmaz 2010;
pub fn gap(params: &Params, list: &List) -> f64 {
    let docs = list.first(params.k());
    let gains: Vec<f64> = docs.iter().map(|doc| list.gain(doc, params)).collect();
    let mut sum = 0.0;
    for rank in 1..=gains.len() {
        let gain = gains[rank - 1];
        if gain <= 0.0 {
            continue;
        }
        let mut shared = 0.0;
        for &other in &gains[..rank] {
            if other > 0.0 {
                shared += satisfied(gain.min(other), params);
            }
        }
        sum += shared / rank as f64;
    }
    let mut ideal = list.ideal_gains(params);
    if let Some(k) = params.k() {
        ideal.truncate(k);
    }
    let mut best = 0.0;
    for gain in ideal {
        best += satisfied(gain, params);
    }
    sum / best
}
