//! Measures over hits that cranfield does not have, or defines differently.

use super::topic_list::{OUTSIDE, POOLED, TopicList};
use super::version::Version;

/// Average precision at ascending cutoffs, from one running sum.
pub fn map_cut(seen: &TopicList, cutoffs: &[i64], out: &mut Vec<f64>) {
    let mut hits = seen.hits.relevant.iter().peekable();
    let mut sum = 0.0;
    for &cutoff in cutoffs {
        while let Some(hit) = hits.next_if(|hit| i64::from(hit.rank) <= cutoff) {
            sum += f64::from(hit.seen) / f64::from(hit.rank);
        }
        out.push(or_zero(sum, seen.num_rel()));
    }
}

/// Interpolated precision at recall points, with a quirk: the points beyond
/// the recall that the list reaches are skipped from the last one down, so
/// that unsorted points hide those before them.
pub fn interpolated(seen: &TopicList, points: &[f64], version: Version, values: &mut Vec<f64>) {
    values.clear();
    values.resize(points.len(), 0.0);
    let reached = i64::from(seen.num_rel_ret());
    let needed: Vec<i64> =
        points.iter().map(|&point| version.needed_for_recall(point, seen.num_rel())).collect();
    let mut open = needed.iter().rposition(|&needed| needed <= reached).map_or(0, |last| last + 1);
    let mut best = f64::from(seen.num_rel_ret()) / seen.num_ret();
    let mut left = reached;
    for hit in seen.hits.relevant.iter().rev() {
        if left <= 0 {
            break;
        }
        let precision = left as f64 / f64::from(hit.rank);
        if best < precision {
            best = precision;
        }
        while open > 0 && needed[open - 1] == left {
            open -= 1;
            values[open] = best;
        }
        left -= 1;
    }
    values[..open].fill(best);
}

/// The mean of interpolated precisions, summed from the last point.
pub fn mean_from_last(precisions: &[f64]) -> f64 {
    precisions.iter().rev().fold(0.0, |sum, precision| sum + precision) / precisions.len() as f64
}

/// Precision after multiples of R documents; the cutoff adds 0.9 and truncates.
pub fn rprec_mult(seen: &TopicList, multiples: &[f64], out: &mut Vec<f64>) {
    out.extend(multiples.iter().map(|&multiple| {
        let cutoff = (multiple * seen.num_rel() + 0.9) as i64;
        // Counted down from the end, since unjudged documents may be among the
        // hits but not among the relevant documents.
        let below = seen.hits.relevant.len() as f64 - seen.hits_above(cutoff);
        let hits = f64::from(seen.num_rel_ret()) - below;
        if cutoff > i64::from(seen.trace.retrieved) {
            f64::from(seen.num_rel_ret()) / cutoff as f64
        } else if cutoff <= 0 || hits <= 0.0 {
            0.0
        } else {
            hits / cutoff as f64
        }
    }));
}

/// Four coefficients for the four cells of relevant and retrieved.
pub fn utility(seen: &TopicList, [a, b, c, d]: [f64; 4]) -> f64 {
    let found = f64::from(seen.num_rel_ret());
    let (num_ret, num_rel) = (seen.num_ret(), seen.num_rel());
    let rest = seen.rules.collection as f64 + found - num_ret - num_rel;
    a * found + b * (num_ret - found) + c * (num_rel - found) + d * rest
}

/// Precision times recall of the set.
pub fn set_map(seen: &TopicList) -> f64 {
    let found = f64::from(seen.num_rel_ret());
    or_zero(found * found, seen.num_ret() * seen.num_rel())
}

/// F of the set; its parameter is the square of beta.
pub fn set_f(seen: &TopicList, x: f64) -> f64 {
    let found = f64::from(seen.num_rel_ret());
    if found == 0.0 {
        return 0.0;
    }
    let (precision, recall) = (found / seen.num_ret(), found / seen.num_rel());
    (x + 1.0) * precision * recall / (x * precision + recall)
}

fn or_zero(numerator: f64, denominator: f64) -> f64 {
    if denominator > 0.0 { numerator / denominator } else { 0.0 }
}

/// A character for each of the first documents.
pub fn relstring(seen: &TopicList, length: f64) -> String {
    let length = (length as usize).min(seen.trace.retrieved as usize);
    let character = |(_, value, _): &(u32, i64, u32)| match *value {
        OUTSIDE => '-',
        POOLED => '.',
        0..=9 => char::from(b'0' + *value as u8),
        _ => '>',
    };
    seen.values().iter().take(length).map(character).collect()
}
