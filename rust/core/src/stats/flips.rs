//! The randomisation test: under the null hypothesis a topic's difference
//! is equally likely to have the opposite sign.
//!
//! All pairs share the signs. So a replicate is a sum of signed scores for
//! each system, and a pair's difference is the difference of two such sums. The
//! sums are combined from precomputed sums of a few topics under every pattern of
//! signs.

use super::paired::{Alternative, Pair, ScoreTable, TIE, Tested};
use super::resample::{Work, signs};
use crate::error::{Error, Kind, Result};
use crate::interrupt::Steps;

/// With more topics than this there are too many patterns of signs to try all.
const MOST_TOPICS: usize = 40;

/// Which patterns of signs are used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signs {
    /// Every pattern once: 2^topics.
    All,
    /// Random patterns.
    Random {
        /// How many.
        replicates: usize,
        /// The seed.
        seed: u64,
        /// Whether the observed signs count as one more pattern, so that no p is 0.
        plus_one: bool,
    },
}

/// Replicates that are in memory at a time.
const REPLICATES_IN_BLOCK: usize = 256;

/// Topics whose sums are looked up together.
const TOPICS_AT_ONCE: usize = 6;

/// For each few topics, every pattern of signs and each system, the sum.
struct SignSums {
    systems: usize,
    by_group: Vec<f64>,
}

impl SignSums {
    fn new(table: ScoreTable<'_>) -> Self {
        let (systems, topics) = (table.systems(), table.topics());
        let mut by_group = Vec::new();
        let mut steps = Steps::default();
        for start in (0..topics).step_by(TOPICS_AT_ONCE) {
            if steps.stop_after(systems << TOPICS_AT_ONCE) {
                break;
            }
            for pattern in 0..1u32 << TOPICS_AT_ONCE {
                by_group.extend((0..systems).map(|system| {
                    let scores = table.row(system)[start..].iter().take(TOPICS_AT_ONCE).enumerate();
                    scores.map(|(t, x)| if pattern >> t & 1 == 1 { -x } else { *x }).sum::<f64>()
                }));
            }
        }
        SignSums { systems, by_group }
    }

    /// The sum of each system under the signs.
    fn fill(&self, signs: &[u64], sums: &mut [f64]) {
        sums.fill(0.0);
        let patterns = self.systems << TOPICS_AT_ONCE;
        for (group, of_patterns) in self.by_group.chunks_exact(patterns).enumerate() {
            let (word, bit) = (group * TOPICS_AT_ONCE / 64, group * TOPICS_AT_ONCE % 64);
            // A pattern can extend over two words.
            let next = signs.get(word + 1).copied().unwrap_or(0);
            let both = u128::from(signs[word]) | u128::from(next) << 64;
            let pattern = (both >> bit) as usize & ((1 << TOPICS_AT_ONCE) - 1);
            for (sum, x) in sums.iter_mut().zip(&of_patterns[pattern * self.systems..]) {
                *sum += x;
            }
        }
    }
}

/// The randomisation test on the mean difference; no topic may be left out.
///
/// A replicate counts if its difference is at least the observed one, up to
/// rounding. The statistic is the mean difference.
pub fn randomization(
    table: ScoreTable<'_>,
    pairs: &[Pair],
    which: Signs,
    alternative: Alternative,
    work: &Work,
) -> Result<Vec<Tested>> {
    let (systems, n) = (table.systems(), table.topics());
    if which == Signs::All && n > MOST_TOPICS {
        let message = format!("more than {MOST_TOPICS} topics have too many patterns of signs");
        return Err(Error::new(Kind::Limit, message));
    }
    let sums = SignSums::new(table);
    let mut observed = vec![0.0; systems];
    sums.fill(&vec![0; n.div_ceil(64)], &mut observed);
    let sizes: Vec<f64> = (0..systems).map(|i| TIE * n as f64 * table.size(i)).collect();
    let limits: Vec<(f64, f64)> =
        pairs.iter().map(|&(a, b)| (observed[a] - observed[b], sizes[a].max(sizes[b]))).collect();
    // Each pattern has an opposite with negated differences: so the last topic
    // keeps its sign, and each pattern counts for both.
    let replicates = match which {
        Signs::All => 1 << (n - 1),
        Signs::Random { replicates, .. } => replicates,
    };
    let mirrored = which == Signs::All;
    let block = |k: usize| {
        let first = k * REPLICATES_IN_BLOCK;
        let width = REPLICATES_IN_BLOCK.min(replicates - first);
        let flipped = flipped(&sums, n, which, first, width);
        let row = |system: usize| &flipped[system * REPLICATES_IN_BLOCK..][..width];
        let mut steps = Steps::default();
        let count = |(&(a, b), &(difference, tie)): (&Pair, &(f64, f64))| {
            if steps.stop_after(width) {
                return 0;
            }
            let (x, y) = (row(a), row(b));
            match alternative {
                Alternative::TwoSided => {
                    let limit = difference.abs() - tie;
                    let found = counted(x, y, |d| d.abs() >= limit);
                    if mirrored { 2 * found } else { found }
                }
                Alternative::Greater | Alternative::Less => {
                    let (x, y, limit) = if alternative == Alternative::Greater {
                        (x, y, difference - tie)
                    } else {
                        (y, x, -difference - tie)
                    };
                    let found = counted(x, y, |d| d >= limit);
                    found + if mirrored { counted(y, x, |d| d >= limit) } else { 0 }
                }
            }
        };
        pairs.iter().zip(&limits).map(count).collect()
    };
    let counts = work.counts(replicates.div_ceil(REPLICATES_IN_BLOCK), pairs.len(), block)?;
    let tested = counts.iter().zip(&limits).map(|(&count, &(difference, _))| {
        let pvalue = match which {
            Signs::All => count as f64 / (2.0 * replicates as f64),
            Signs::Random { plus_one: true, .. } => {
                (count as f64 + 1.0) / (replicates as f64 + 1.0)
            }
            Signs::Random { .. } => count as f64 / replicates as f64,
        };
        Tested { statistic: difference / n as f64, pvalue, n }
    });
    Ok(tested.collect())
}

/// P-values that hold for all pairs at once: the step-down maximum of t (Westfall and Young 1993)
/// under flips of a topic's whole row of differences.
///
/// A pair's p-value is the share of patterns in which the largest t of the pairs that are no more
/// extreme reaches its own; the pairs are gone through from the most extreme one on, and none has
/// a smaller p-value than one before it.
pub fn max_t(
    table: ScoreTable<'_>,
    pairs: &[Pair],
    which: Signs,
    alternative: Alternative,
    work: &Work,
) -> Result<Vec<f64>> {
    let (systems, n) = (table.systems(), table.topics());
    if which == Signs::All && n > MOST_TOPICS {
        let message = format!("more than {MOST_TOPICS} topics have too many patterns of signs");
        return Err(Error::new(Kind::Limit, message));
    }
    let sums = SignSums::new(table);
    let mut observed = vec![0.0; systems];
    sums.fill(&vec![0; n.div_ceil(64)], &mut observed);
    // Flips do not change the sum of squares of a pair's differences.
    let mut differences = Vec::new();
    let squares: Vec<(f64, f64)> = pairs
        .iter()
        .map(|&pair| {
            let tie = table.differences(pair, &mut differences);
            (differences.iter().map(|d| d * d).sum::<f64>(), tie * n as f64)
        })
        .collect();
    let statistic = |place: usize, sum: f64| {
        let (squares, tie) = squares[place];
        if sum.abs() <= tie {
            return 0.0;
        }
        let rest = (n as f64 * squares - sum * sum).max(0.0);
        let t = sum * ((n as f64 - 1.0) / rest).sqrt();
        match alternative {
            Alternative::TwoSided => t.abs(),
            Alternative::Greater => t,
            Alternative::Less => -t,
        }
    };
    let found: Vec<f64> = pairs
        .iter()
        .enumerate()
        .map(|(place, &(a, b))| statistic(place, observed[a] - observed[b]))
        .collect();
    let mut order: Vec<usize> = (0..pairs.len()).collect();
    order.sort_by(|&a, &b| found[b].total_cmp(&found[a]));
    let replicates = match which {
        Signs::All => 1 << (n - 1),
        Signs::Random { replicates, .. } => replicates,
    };
    let mirrored = which == Signs::All;
    let block = |k: usize| {
        let first = k * REPLICATES_IN_BLOCK;
        let width = REPLICATES_IN_BLOCK.min(replicates - first);
        let flipped = flipped(&sums, n, which, first, width);
        let at =
            |system: usize, replicate: usize| flipped[system * REPLICATES_IN_BLOCK + replicate];
        let mut counts = vec![0; pairs.len()];
        let mut steps = Steps::default();
        for replicate in 0..width {
            if steps.stop_after(pairs.len()) {
                break;
            }
            for sign in [1.0, -1.0].into_iter().take(if mirrored { 2 } else { 1 }) {
                let mut most = f64::NEG_INFINITY;
                for &place in order.iter().rev() {
                    let (a, b) = pairs[place];
                    let sum = sign * (at(a, replicate) - at(b, replicate));
                    most = most.max(statistic(place, sum));
                    counts[place] += u32::from(most >= found[place] - 1e-9 * found[place].abs());
                }
            }
        }
        counts
    };
    let counts = work.counts(replicates.div_ceil(REPLICATES_IN_BLOCK), pairs.len(), block)?;
    let mut pvalues = vec![0.0; pairs.len()];
    let mut most = 0.0f64;
    for &place in &order {
        let count = counts[place] as f64;
        let own = match which {
            Signs::All => count / (2.0 * replicates as f64),
            Signs::Random { plus_one: true, .. } => (count + 1.0) / (replicates as f64 + 1.0),
            Signs::Random { .. } => count / replicates as f64,
        };
        most = most.max(own);
        pvalues[place] = most;
    }
    Ok(pvalues)
}

#[inline]
fn counted(x: &[f64], y: &[f64], counts: impl Fn(f64) -> bool) -> u32 {
    // As wide as the compared numbers, so that vector lanes need no packing.
    x.iter().zip(y).map(|(x, y)| u64::from(counts(x - y))).sum::<u64>() as u32
}

/// The sums under some replicates, system by system.
fn flipped(sums: &SignSums, topics: usize, which: Signs, first: usize, width: usize) -> Vec<f64> {
    // A few replicates are transposed together, a cache line each.
    const CACHE_LINE: usize = 8;
    let systems = sums.systems;
    let mut columns = vec![0.0; systems * REPLICATES_IN_BLOCK];
    let mut rows = vec![0.0; CACHE_LINE * systems];
    let mut steps = Steps::default();
    for start in (0..width).step_by(CACHE_LINE) {
        if steps.stop_after(CACHE_LINE * systems * topics.div_ceil(TOPICS_AT_ONCE)) {
            break;
        }
        let some = CACHE_LINE.min(width - start);
        for (k, row) in rows.chunks_exact_mut(systems).take(some).enumerate() {
            let replicate = first + start + k;
            match which {
                Signs::All => sums.fill(&[replicate as u64], row),
                Signs::Random { seed, .. } => sums.fill(&signs(topics, replicate, seed), row),
            }
        }
        for (system, column) in columns.chunks_exact_mut(REPLICATES_IN_BLOCK).enumerate() {
            for k in 0..some {
                column[start + k] = rows[k * systems + system];
            }
        }
    }
    columns
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pvalue(first: &[f64], which: Signs, alternative: Alternative) -> f64 {
        let zeros = vec![0.0; first.len()];
        let values = [first, &zeros].concat();
        let table = ScoreTable::new(&values, first.len());
        randomization(table, &[(0, 1)], which, alternative, &Work::default()).unwrap()[0].pvalue
    }

    #[test]
    fn every_pattern_of_three_topics() {
        // differences 1 2 3: sums 6 4 2 0 0 -2 -4 -6
        let p = |d: &[f64], alternative| pvalue(d, Signs::All, alternative);
        assert_eq!(p(&[1.0, 2.0, 3.0], Alternative::TwoSided), 0.25);
        assert_eq!(p(&[1.0, 2.0, 3.0], Alternative::Greater), 0.125);
        assert_eq!(p(&[1.0, 2.0, 3.0], Alternative::Less), 1.0);
        // -1 + 2 + 3 = 4: as large are 6 4 and their opposites
        assert_eq!(p(&[-1.0, 2.0, 3.0], Alternative::TwoSided), 0.5);
        assert_eq!(p(&[-1.0, 2.0, 3.0], Alternative::Greater), 0.25);
        assert_eq!(p(&[0.0, 0.0], Alternative::TwoSided), 1.0);
        assert_eq!(p(&[1.0], Alternative::TwoSided), 1.0);
    }

    #[test]
    fn ties_count_in_spite_of_rounding() {
        // the observed 0.3 again as 0.6 - 0.1 - 0.2, 0.1 + 0.2, and their negatives
        assert_eq!(pvalue(&[0.1, 0.2, -0.3, 0.3], Signs::All, Alternative::TwoSided), 12.0 / 16.0);
    }

    #[test]
    fn the_maximum_of_one_pair_is_its_own_test() {
        let d = [1.0, 2.0, 3.0, -1.0, 2.0, 0.5, -3.0, 1.0];
        let values = [&d[..], &[0.0; 8], &d.map(|x| x + 1.0)].concat();
        let table = ScoreTable::new(&values, 8);
        let work = Work::default();
        for alternative in [Alternative::TwoSided, Alternative::Greater, Alternative::Less] {
            let all = Signs::All;
            let one = max_t(table, &[(0, 1)], all, alternative, &work).unwrap();
            assert_eq!(one[0], pvalue(&d, all, alternative));
            // The most extreme of two competes with both, so it is no smaller than alone.
            let two = max_t(table, &[(0, 1), (2, 1)], all, alternative, &work).unwrap();
            assert!(two[0] >= one[0] - 1e-15);
        }
    }

    #[test]
    fn random_signs_come_near_and_never_reach_zero() {
        let d: Vec<f64> = (0..130).map(|t| f64::from(t % 7) - 2.0).collect();
        let random = |plus_one| Signs::Random { replicates: 999, seed: 3, plus_one };
        assert_eq!(pvalue(&d, random(true), Alternative::TwoSided), 0.001);
        assert_eq!(pvalue(&d, random(false), Alternative::TwoSided), 0.0);
        let small = [1.0, 2.0, 3.0, -1.0, 2.0, 0.5, -3.0, 1.0];
        let exact = pvalue(&small, Signs::All, Alternative::Greater);
        let many = Signs::Random { replicates: 20_000, seed: 1, plus_one: false };
        assert!((pvalue(&small, many, Alternative::Greater) - exact).abs() < 0.015);
    }
}
