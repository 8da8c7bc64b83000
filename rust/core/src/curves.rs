//! Precision-recall and ROC curves, from where the relevant documents of a list are.
//!
//! All counts are whole until the last division, so levels of recall and of false positives are
//! compared exactly.

use crate::evaluate::Found;

impl Found {
    /// How many relevant documents there are down to each rank.
    fn above(&self) -> Vec<u64> {
        let above = |rank| self.ranks.partition_point(|relevant| *relevant <= rank) as u64;
        (1..=self.retrieved).map(above).collect()
    }

    /// The highest precision at the ranks with at least so many relevant documents, or with one
    /// if none is needed; 0 if more are needed than were retrieved.
    fn interpolated(&self, needed: impl Iterator<Item = u64>) -> Vec<f64> {
        let mut best = vec![0.0; self.ranks.len() + 1];
        for (place, rank) in self.ranks.iter().enumerate().rev() {
            best[place] = f64::max(best[place + 1], (place + 1) as f64 / f64::from(*rank));
        }
        needed.map(|needed| best[(needed.max(1) as usize - 1).min(best.len() - 1)]).collect()
    }

    /// Recall, interpolated precision and precision at each rank.
    pub fn precision_recall(&self) -> [Vec<f64>; 3] {
        let above = self.above();
        let all = f64::from(self.num_rel.max(1));
        [
            above.iter().map(|above| *above as f64 / all).collect(),
            self.interpolated(above.iter().copied()),
            above.iter().zip(1..).map(|(above, rank)| *above as f64 / f64::from(rank)).collect(),
        ]
    }

    /// False and true positive rates from nothing over each rank to all documents.
    pub fn roc(&self, documents: u64) -> [Vec<f64>; 2] {
        let others = self.others(documents);
        let (all, none) = (self.num_rel.max(1), others.max(1));
        let corners = self.corners(others);
        [
            corners.iter().map(|(false_ones, _)| *false_ones as f64 / none as f64).collect(),
            corners.iter().map(|(_, true_ones)| *true_ones as f64 / f64::from(all)).collect(),
        ]
    }

    /// How many of the collection's documents are not relevant.
    fn others(&self, documents: u64) -> u64 {
        documents.saturating_sub(u64::from(self.num_rel))
    }

    /// Documents that are not relevant, and that are, from nothing to all.
    fn corners(&self, others: u64) -> Vec<(u64, u64)> {
        let ranks = self.above().into_iter().zip(1..).map(|(above, rank)| (rank - above, above));
        let all = (others, u64::from(self.num_rel));
        [(0, 0)].into_iter().chain(ranks).chain([all]).collect()
    }

    /// The true positive rate at equally spaced false positive rates, the upper one where the
    /// curve is vertical.
    fn vertical(&self, documents: u64, steps: u32) -> Vec<f64> {
        let others = self.others(documents);
        let corners = self.corners(others);
        let steps = u64::from(steps);
        let rate = |step: u64| {
            let limit = step * others / steps;
            let place = corners.partition_point(|(false_ones, _)| *false_ones <= limit).max(1) - 1;
            let (false_ones, true_ones) = corners[place];
            let mut value = true_ones as f64;
            let beyond = step * others - false_ones * steps;
            if let Some(next) = corners.get(place + 1).filter(|_| beyond > 0) {
                let width = (next.0 - false_ones) * steps;
                value += (next.1 - true_ones) as f64 * (beyond as f64 / width as f64);
            }
            value / f64::from(self.num_rel.max(1))
        };
        (0..=steps).map(rate).collect()
    }
}

/// Levels from 0 to 1, in so many steps.
pub fn levels(steps: u32) -> Vec<f64> {
    (0..=steps).map(|step| f64::from(step) / f64::from(steps)).collect()
}

/// The mean over lists of interpolated precision at levels of recall; NaN without a list.
pub fn mean_precision_recall<'a>(lists: impl Iterator<Item = &'a Found>, steps: u32) -> Vec<f64> {
    let curve = |list: &Found| {
        let needed = |step: u64| (step * u64::from(list.num_rel)).div_ceil(u64::from(steps));
        list.interpolated((0..=u64::from(steps)).map(needed))
    };
    mean(lists.map(curve), steps)
}

/// The mean over lists of the true positive rate at false positive rates; NaN without a list.
pub fn mean_roc<'a>(
    lists: impl Iterator<Item = &'a Found>,
    documents: u64,
    steps: u32,
) -> Vec<f64> {
    mean(lists.map(|list| list.vertical(documents, steps)), steps)
}

fn mean(curves: impl Iterator<Item = Vec<f64>>, steps: u32) -> Vec<f64> {
    let (mut sums, mut count) = (vec![0.0; steps as usize + 1], 0.0);
    for curve in curves {
        sums.iter_mut().zip(curve).for_each(|(sum, value)| *sum += value);
        count += 1.0;
    }
    let mean = |sum: f64| if count > 0.0 { sum / count } else { f64::NAN };
    sums.into_iter().map(mean).collect()
}
