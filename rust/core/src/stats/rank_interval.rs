//! Bootstrap intervals of the rank of each run: topics are drawn with
//! replacement, and the runs ranked by their means.

use super::resample::{Random, Work};
use crate::error::Result;
use crate::interrupt::Steps;

/// Means that differ by no more than this share of the largest are equal.
const TIED: f64 = 1e-12;

/// The lowest and the highest rank of each run, from 1, in the given share of
/// the replicates. The values have a row for each run and a column for each
/// topic. A run's rank is one more than the number of runs with a higher mean.
pub fn rank_intervals(
    values: &[f64],
    topics: usize,
    confidence: f64,
    replicates: usize,
    seed: u64,
    work: &Work,
) -> Result<Vec<(u32, u32)>> {
    const REPLICATES: usize = 512;
    let runs = values.len() / topics.max(1);
    let block = |k: usize| {
        let mut counts = vec![0u32; runs * runs];
        let mut order: Vec<usize> = (0..runs).collect();
        let mut steps = Steps::default();
        for replicate in k * REPLICATES..replicates.min((k + 1) * REPLICATES) {
            if steps.stop_after(values.len() + topics + 4 * runs) {
                break;
            }
            let means = means(values, topics, seed, replicate as u64);
            order.sort_by(|&a, &b| means[b].total_cmp(&means[a]).then(a.cmp(&b)));
            let largest = means.iter().fold(0.0f64, |most, mean| most.max(mean.abs()));
            let mut rank = 0;
            for (place, &run) in order.iter().enumerate() {
                if place > 0 && means[order[place - 1]] - means[run] > TIED * largest {
                    rank = place;
                }
                counts[run * runs + rank] += 1;
            }
        }
        counts
    };
    let counts = work.counts(replicates.div_ceil(REPLICATES), runs * runs, block)?;
    let tail = (1.0 - confidence) / 2.0;
    let ends = |counts: &[u64]| {
        (rank_at(counts, tail, replicates), rank_at(counts, 1.0 - tail, replicates))
    };
    Ok(counts.chunks_exact(runs.max(1)).map(ends).collect())
}

/// The mean of each run over the topics of a replicate.
fn means(values: &[f64], topics: usize, seed: u64, replicate: u64) -> Vec<f64> {
    let mut random = Random::new(seed, replicate, 0);
    let mut drawn = vec![0u32; topics];
    (0..topics).for_each(|_| drawn[random.below(topics)] += 1);
    let mean = |row: &[f64]| {
        let sum: f64 = row.iter().zip(&drawn).map(|(value, &times)| value * f64::from(times)).sum();
        sum / topics as f64
    };
    values.chunks_exact(topics.max(1)).map(mean).collect()
}

/// The lowest rank that at least this share of the replicates does not exceed.
fn rank_at(counts: &[u64], share: f64, replicates: usize) -> u32 {
    // The tolerance keeps rounding from moving it.
    let wanted = share * replicates as f64 * (1.0 - TIED);
    let mut below = 0;
    for (rank, &count) in (1..).zip(counts) {
        below += count;
        if below as f64 >= wanted && below > 0 {
            return rank;
        }
    }
    counts.len() as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_that_is_best_on_every_topic_is_always_first() {
        let values = [0.5, 0.6, 0.7, 0.1, 0.2, 0.3, 0.1, 0.2, 0.3];
        let found = rank_intervals(&values, 3, 0.95, 100, 0, &Work::default()).unwrap();
        // Equal runs share the better rank.
        assert_eq!(found, [(1, 1), (2, 2), (2, 2)]);
    }

    #[test]
    fn percentiles_are_those_of_the_inverse_distribution() {
        assert_eq!(rank_at(&[50, 0, 50], 0.5, 100), 1);
        assert_eq!(rank_at(&[49, 2, 49], 0.5, 100), 2);
        assert_eq!(rank_at(&[1, 2, 97], 0.025, 100), 2);
        assert_eq!(rank_at(&[0, 0, 100], 0.025, 100), 3);
    }
}
