//! Whether confidence predicts failure: nAUC, with sums in numpy's order.

use crate::numbers::pairwise_sum;

/// A table with a row for each of several measures, and a column for each topic.
#[derive(Clone, Copy, Debug)]
pub struct AbstentionCurves<'a> {
    /// The values of each measure.
    pub measures: &'a [Vec<f64>],
    /// The proportions of topics to leave out, ascending from 0.
    pub rates: &'a [f64],
    /// Whether topics of equal confidence count with their common mean; otherwise the first of
    /// them are left out first.
    pub shared: bool,
}

impl AbstentionCurves<'_> {
    /// The area of each measure under the curve by a confidence, between that of a curve that
    /// stays flat, 0, and that of one that leaves out the lowest values first, 1. NaN where the
    /// two are the same.
    pub fn areas(&self, confidence: &[f64]) -> Vec<f64> {
        let order = order_of(confidence);
        let area = |values: &Vec<f64>| {
            let best = self.curve(&order_of(values), values, values);
            let flat = best.first().copied().unwrap_or(f64::NAN)
                * (self.rates[self.rates.len() - 1] - self.rates[0]);
            let best = self.area(&best);
            if best == flat {
                return f64::NAN;
            }
            (self.area(&self.curve(&order, confidence, values)) - flat) / (best - flat)
        };
        self.measures.iter().map(area).collect()
    }

    /// The mean over the topics that are kept at each rate.
    fn curve(&self, order: &[usize], confidence: &[f64], values: &[f64]) -> Vec<f64> {
        let mut ordered: Vec<f64> = order.iter().map(|topic| values[*topic]).collect();
        if self.shared {
            let mut start = 0;
            for same in order.chunk_by(|a, b| confidence[*a] == confidence[*b]) {
                let part = &mut ordered[start..start + same.len()];
                let mean = (part[0] + pairwise_sum(&part[1..])) / same.len() as f64;
                part.fill(mean);
                start += same.len();
            }
        }
        let count = ordered.len();
        let mean = |rate: &f64| {
            let dropped = (rate * count as f64).round_ties_even() as usize;
            let kept = &ordered[dropped.min(count - 1)..];
            pairwise_sum(kept) / kept.len() as f64
        };
        self.rates.iter().map(mean).collect()
    }

    /// The area under a curve, by trapezoids.
    fn area(&self, heights: &[f64]) -> f64 {
        let steps = self.rates.windows(2).zip(heights.windows(2));
        let parts: Vec<f64> = steps
            .map(|(rate, height)| (rate[1] - rate[0]) * (height[1] + height[0]) / 2.0)
            .collect();
        pairwise_sum(&parts)
    }
}

/// The confidence in lists from their scores, one list after the other: of each the highest, the
/// deviation, and how far the highest is above the next.
pub fn confidence(scores: &[f64], sizes: &[usize]) -> [Vec<f64>; 3] {
    let mut found = [(); 3].map(|()| Vec::with_capacity(sizes.len()));
    let mut rest = scores;
    for size in sizes {
        let (list, others) = rest.split_at((*size).min(rest.len()));
        rest = others;
        let (mut highest, mut next) = (f64::NEG_INFINITY, f64::NEG_INFINITY);
        for score in list {
            (highest, next) =
                if *score > highest { (*score, highest) } else { (highest, next.max(*score)) };
        }
        let mean = pairwise_sum(list) / list.len() as f64;
        let squares: Vec<f64> = list.iter().map(|score| (score - mean) * (score - mean)).collect();
        let deviation = (pairwise_sum(&squares) / list.len() as f64).sqrt();
        let of_list = match list {
            [] => [0.0, 0.0, 0.0],
            [score] => [*score, 0.0, 0.0],
            _ => [highest, deviation, highest - next],
        };
        found.iter_mut().zip(of_list).for_each(|(values, value)| values.push(value));
    }
    found
}

/// The places of values, ascending; equal ones as they come, NaN last.
fn order_of(values: &[f64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|a, b| {
        let (a, b) = (values[*a], values[*b]);
        a.partial_cmp(&b).unwrap_or_else(|| a.is_nan().cmp(&b.is_nan()))
    });
    order
}
