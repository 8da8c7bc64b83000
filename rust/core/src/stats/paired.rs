//! Tests of pairs that need no resampling: Student's t, Wilcoxon's signed
//! ranks, the sign test and Tukey's HSD after a two-way analysis of variance.
//!
//! A difference is the first system's score minus the second's, topic by
//! topic. Differences that are equal up to rounding are ties: two numbers
//! count as equal if they differ by no more than [`TIE`] times the largest
//! score of the two systems. Without that, 0.3 - 0.2 and 0.2 - 0.1 would not
//! tie.

use std::collections::HashMap;

use super::distribution::{Student, coin_cdf, normal_sf, subset_sums};
use super::range::StudentizedRange;
use crate::error::Result;
use crate::interrupt::{self, Steps};

/// The tolerance of equality, relative to the scores.
pub const TIE: f64 = 1e-12;

/// Scores with a row for each system and a column for each topic; NaN where a
/// topic is left out.
#[derive(Clone, Copy, Debug)]
pub struct ScoreTable<'a> {
    values: &'a [f64],
    topics: usize,
}

/// Two systems, by row.
pub type Pair = (usize, usize);

/// The alternative hypothesis about the first system's scores.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Alternative {
    /// Different.
    TwoSided,
    /// Lower.
    Less,
    /// Higher.
    Greater,
}

/// The result for one pair.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tested {
    /// The test statistic.
    pub statistic: f64,
    /// The p-value.
    pub pvalue: f64,
    /// The number of topics that were tested.
    pub n: usize,
}

/// The moments of the differences of a pair.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moments {
    /// How many topics both systems have.
    pub n: usize,
    /// The mean; NaN without a topic.
    pub mean: f64,
    /// The sample deviation; 0 where all differences are equal, NaN for fewer
    /// than two topics.
    pub deviation: f64,
    /// No difference at all.
    pub identical: bool,
}

impl<'a> ScoreTable<'a> {
    /// A table of values, row after row; an incomplete last row is ignored.
    pub fn new(values: &'a [f64], topics: usize) -> Self {
        ScoreTable { values, topics }
    }

    /// How many rows.
    pub fn systems(&self) -> usize {
        self.values.len().checked_div(self.topics).unwrap_or(0)
    }

    /// How many columns.
    pub fn topics(&self) -> usize {
        self.topics
    }

    /// The scores of a system.
    pub fn row(&self, system: usize) -> &'a [f64] {
        &self.values[system * self.topics..][..self.topics]
    }

    /// The largest score of a system, regardless of sign.
    pub fn size(&self, system: usize) -> f64 {
        self.row(system).iter().fold(0.0, |most: f64, x| most.max(x.abs()))
    }

    /// The differences of a pair over the topics that both have, and the size
    /// of rounding errors.
    pub fn differences(&self, (a, b): Pair, differences: &mut Vec<f64>) -> f64 {
        let pairs = self.row(a).iter().zip(self.row(b)).map(|(x, y)| x - y);
        differences.clear();
        differences.extend(pairs.filter(|d| !d.is_nan()));
        TIE * self.size(a).max(self.size(b))
    }
}

/// How many pairs are summed side by side; each in the order of topics.
const LANES: usize = 8;

/// The moments of the differences of pairs.
pub fn moments(table: ScoreTable<'_>, pairs: &[Pair]) -> Vec<Moments> {
    let rounding: Vec<f64> = (0..table.systems()).map(|i| TIE * table.size(i)).collect();
    if table.values.iter().any(|x| x.is_nan()) {
        let mut d = Vec::new();
        let mut steps = Steps::default();
        let one = |&(a, b): &Pair| {
            let tie = table.differences((a, b), &mut d);
            let none = vec![0.0; d.len()];
            summed([&d], [&none], [tie])[0]
        };
        let go_on = |_: &&Pair| !steps.stop_after(4 * table.topics());
        return pairs.iter().take_while(go_on).map(one).collect();
    }
    let mut all = Vec::with_capacity(pairs.len());
    let mut steps = Steps::default();
    for chunk in pairs.chunks(LANES) {
        if steps.stop_after(2 * LANES * table.topics()) {
            break;
        }
        let at = |lane: usize| chunk[lane.min(chunk.len() - 1)];
        let first: [&[f64]; LANES] = std::array::from_fn(|lane| table.row(at(lane).0));
        let second: [&[f64]; LANES] = std::array::from_fn(|lane| table.row(at(lane).1));
        let ties = std::array::from_fn(|lane| rounding[at(lane).0].max(rounding[at(lane).1]));
        all.extend_from_slice(&summed(first, second, ties)[..chunk.len()]);
    }
    all
}

fn summed<const L: usize>(first: [&[f64]; L], second: [&[f64]; L], ties: [f64; L]) -> [Moments; L] {
    let n = first[0].len();
    let first = first.map(|row| &row[..n]);
    let second = second.map(|row| &row[..n]);
    let (mut sum, mut low, mut high) = ([0.0; L], [f64::INFINITY; L], [f64::NEG_INFINITY; L]);
    for topic in 0..n {
        for lane in 0..L {
            let d = first[lane][topic] - second[lane][topic];
            sum[lane] += d;
            low[lane] = if d < low[lane] { d } else { low[lane] };
            high[lane] = if d > high[lane] { d } else { high[lane] };
        }
    }
    let mean = sum.map(|sum| sum / n as f64);
    let mut squares = [0.0; L];
    for topic in 0..n {
        for lane in 0..L {
            let rest = first[lane][topic] - second[lane][topic] - mean[lane];
            squares[lane] += rest * rest;
        }
    }
    std::array::from_fn(|lane| {
        let equal = high[lane] - low[lane] <= ties[lane];
        let deviation = if n < 2 {
            f64::NAN
        } else if equal {
            0.0
        } else {
            (squares[lane] / (n as f64 - 1.0)).sqrt()
        };
        let identical = n > 0 && high[lane] <= ties[lane] && low[lane] >= -ties[lane];
        Moments { n, mean: mean[lane], deviation, identical }
    })
}

/// The paired t test.
///
/// Identical systems have t = 0 and p = 1 under every alternative. A
/// difference that is the same on all topics has an infinite t. Fewer than
/// two topics have NaN.
pub fn t_test(moments: &[Moments], alternative: Alternative) -> Vec<Tested> {
    // Nearly always all pairs have the same number of topics.
    let mut student = Student::new(1.0);
    let mut prepared = 2;
    let one = |m: &Moments| {
        if m.n < 2 {
            return Tested { statistic: f64::NAN, pvalue: f64::NAN, n: m.n };
        }
        if m.identical {
            return Tested { statistic: 0.0, pvalue: 1.0, n: m.n };
        }
        if prepared != m.n {
            student = Student::new(m.n as f64 - 1.0);
            prepared = m.n;
        }
        let t = m.mean / (m.deviation / (m.n as f64).sqrt());
        let pvalue = match alternative {
            Alternative::TwoSided => student.two_sided(t),
            Alternative::Less => student.cdf(t),
            Alternative::Greater => student.sf(t),
        };
        Tested { statistic: t, pvalue, n: m.n }
    };
    moments.iter().map(one).collect()
}

/// How Wilcoxon's test treats differences of 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Zeros {
    /// They are left out before ranking (Wilcoxon).
    Drop,
    /// They are ranked and then left out (Pratt).
    Pratt,
}

/// How Wilcoxon's test is done.
#[derive(Clone, Copy, Debug)]
pub struct SignedRanks {
    /// How differences of 0 are treated.
    pub zeros: Zeros,
    /// Up to how many differences the distribution is exact; beyond that it is
    /// the normal approximation.
    pub exact: usize,
    /// Whether the approximation has a correction for continuity.
    pub correction: bool,
}

/// Wilcoxon's signed-rank test. Equal differences share their mean rank.
///
/// The statistic is the sum of the positive ranks; two-sided, the smaller of
/// that and the sum of the negative ranks. The exact distribution is the one
/// given the ranks, ties included. Identical systems have p = 1.
pub fn wilcoxon(
    table: ScoreTable<'_>,
    pairs: &[Pair],
    how: SignedRanks,
    alternative: Alternative,
) -> Vec<Tested> {
    let mut untied: HashMap<usize, Vec<f64>> = HashMap::new();
    let mut d = Vec::new();
    let one = |&pair: &Pair| {
        if interrupt::stopped() {
            return Tested { statistic: f64::NAN, pvalue: f64::NAN, n: 0 };
        }
        let tie = table.differences(pair, &mut d);
        let (ranks, above, tied, zeros) = signed_ranks(&mut d, tie, how.zeros);
        let n = ranks.len();
        let total: f64 = ranks.iter().map(|&r| f64::from(r)).sum::<f64>() / 2.0;
        let (plus, minus) = (above, total - above);
        let smaller = plus.min(minus);
        let statistic = if alternative == Alternative::TwoSided { smaller } else { plus };
        if n == 0 {
            return Tested { statistic, pvalue: 1.0, n };
        }
        if n > how.exact {
            let pvalue = by_normal(&ranks, plus, total / 2.0, how.correction, alternative);
            return Tested { statistic, pvalue, n };
        }
        let made;
        let chances = if tied || zeros > 0 && how.zeros == Zeros::Pratt {
            made = subset_sums(&ranks);
            &made
        } else {
            let halved = || ranks.iter().map(|r| r / 2).collect::<Vec<_>>();
            untied.entry(n).or_insert_with(|| subset_sums(&halved()))
        };
        // Sums of doubled ranks, unless the table is that of whole ranks.
        let unit = (chances.len() - 1) as f64 / total;
        let lower = |sum: f64| chances[..=(sum * unit).round() as usize].iter().sum::<f64>();
        let pvalue = match alternative {
            Alternative::TwoSided => (2.0 * lower(smaller)).min(1.0),
            // The distribution is symmetric.
            Alternative::Less => lower(plus),
            Alternative::Greater => lower(minus),
        };
        Tested { statistic, pvalue: pvalue.min(1.0), n }
    };
    pairs.iter().map(one).collect()
}

/// The doubled ranks of the differences that are not 0, the sum of the ranks
/// of the positive ones, whether any are tied, and how many are 0.
fn signed_ranks(d: &mut [f64], tie: f64, zeros: Zeros) -> (Vec<u32>, f64, bool, usize) {
    d.sort_unstable_by(|x, y| x.abs().total_cmp(&y.abs()));
    let none = d.partition_point(|x| x.abs() <= tie);
    let start = if zeros == Zeros::Pratt { none } else { 0 };
    let mut ranks = Vec::with_capacity(d.len() - none);
    let (mut above, mut tied) = (0.0, false);
    let rest = &d[none..];
    let mut from = 0;
    while from < rest.len() {
        let lowest = rest[from].abs();
        let to = from + rest[from..].partition_point(|x| x.abs() <= lowest + tie);
        let doubled = (2 * start + from + 1 + to) as u32;
        tied |= to - from > 1;
        for x in &rest[from..to] {
            ranks.push(doubled);
            above += if *x > 0.0 { f64::from(doubled) / 2.0 } else { 0.0 };
        }
        from = to;
    }
    (ranks, above, tied, none)
}

/// The normal approximation: each rank is in the sum with probability 1/2.
fn by_normal(
    ranks: &[u32],
    plus: f64,
    mean: f64,
    correction: bool,
    alternative: Alternative,
) -> f64 {
    // The variance of a sum of terms that are r or 0 with equal probability is the sum of r^2 / 4;
    // for mean ranks that is the usual formula with its terms for ties.
    let squares: f64 = ranks.iter().map(|&r| f64::from(r) * f64::from(r)).sum();
    let deviation = (squares / 16.0).sqrt();
    let shift = if correction { 0.5 } else { 0.0 };
    let off = plus - mean;
    match alternative {
        Alternative::TwoSided => {
            // At the mean itself there is nothing to correct.
            let off = if off == 0.0 { 0.0 } else { off.abs() - shift };
            (2.0 * normal_sf(off / deviation)).min(1.0)
        }
        Alternative::Less => normal_sf(-(off + shift) / deviation),
        Alternative::Greater => normal_sf((off - shift) / deviation),
    }
}

/// The sign test: how often the first system is better, ties left out.
pub fn sign_test(table: ScoreTable<'_>, pairs: &[Pair], alternative: Alternative) -> Vec<Tested> {
    let mut d = Vec::new();
    let mut steps = Steps::default();
    let one = |&pair: &Pair| {
        if steps.stop_after(4 * table.topics()) {
            return Tested { statistic: f64::NAN, pvalue: f64::NAN, n: 0 };
        }
        let tie = table.differences(pair, &mut d);
        let better = d.iter().filter(|&&x| x > tie).count();
        let worse = d.iter().filter(|&&x| x < -tie).count();
        let n = better + worse;
        let at_most = |k: usize| coin_cdf(k as u64, n as u64);
        let pvalue = match alternative {
            Alternative::TwoSided => (2.0 * at_most(better.min(worse))).min(1.0),
            Alternative::Less => at_most(better),
            Alternative::Greater => at_most(worse),
        };
        Tested { statistic: better as f64, pvalue, n }
    };
    pairs.iter().map(one).collect()
}

/// The mean of each system and the residual variance after a two-way analysis
/// of variance without replication, which is 0 if it is only rounding.
pub fn residual_variance(table: ScoreTable<'_>) -> (Vec<f64>, f64) {
    let (systems, topics) = (table.systems(), table.topics());
    let (m, n) = (systems as f64, topics as f64);
    let means: Vec<f64> = (0..systems).map(|i| table.row(i).iter().sum::<f64>() / n).collect();
    let mut of_topics = vec![0.0; topics];
    for system in 0..systems {
        for (sum, x) in of_topics.iter_mut().zip(table.row(system)) {
            *sum += x;
        }
    }
    let grand = means.iter().sum::<f64>() / m;
    let (mut squares, mut most) = (0.0, 0.0f64);
    for (system, mean) in means.iter().enumerate() {
        for (sum, x) in of_topics.iter().zip(table.row(system)) {
            let rest = x - mean - sum / m + grand;
            squares += rest * rest;
            most = most.max(rest.abs());
        }
    }
    let size = (0..systems).map(|i| table.size(i)).fold(0.0, f64::max);
    let variance = if most <= TIE * size { 0.0 } else { squares / ((m - 1.0) * (n - 1.0)) };
    (means, variance)
}

/// Tukey's honestly significant differences for a table without NaN.
///
/// The statistic is the difference of means over its standard error, whose
/// distribution under the null hypothesis is the studentised range of all
/// systems. Without residual variance it is 0 or infinite.
pub fn tukey(table: ScoreTable<'_>, pairs: &[Pair]) -> Result<Vec<Tested>> {
    let (systems, n) = (table.systems(), table.topics());
    let (means, variance) = residual_variance(table);
    let range = StudentizedRange::new(systems, ((systems - 1) * (n - 1)) as f64);
    let error = (variance / n as f64).sqrt();
    let one = |&(a, b): &Pair| {
        interrupt::check()?;
        let difference = (means[a] - means[b]).abs();
        if difference <= TIE * table.size(a).max(table.size(b)) {
            return Ok(Tested { statistic: 0.0, pvalue: 1.0, n });
        }
        let statistic = difference / error;
        Ok(Tested { statistic, pvalue: range.sf(statistic), n })
    };
    pairs.iter().map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOTH: Alternative = Alternative::TwoSided;

    #[test]
    fn t_of_three_topics() {
        // differences 1 2 6: mean 3, s^2 = (4 + 1 + 9) / 2 = 7
        let values = [1.0, 2.0, 6.0, 0.0, 0.0, 0.0];
        let found = moments(ScoreTable::new(&values, 3), &[(0, 1), (1, 0), (0, 0)]);
        assert_eq!((found[0].mean, found[0].deviation), (3.0, 7f64.sqrt()));
        let tested = t_test(&found, BOTH);
        let t = 3.0 / (7.0f64 / 3.0).sqrt();
        assert!((tested[0].statistic - t).abs() < 1e-15);
        // two degrees of freedom: p = 1 - t / sqrt(2 + t^2)
        assert!((tested[0].pvalue - (1.0 - t / (2.0 + t * t).sqrt())).abs() < 1e-15);
        assert_eq!(tested[1].pvalue, tested[0].pvalue);
        assert_eq!((tested[2].statistic, tested[2].pvalue), (0.0, 1.0));
    }

    #[test]
    fn a_constant_difference_is_certain() {
        let values = [0.3, 0.2, 0.5, 0.2, 0.1, 0.4];
        let tested = t_test(&moments(ScoreTable::new(&values, 3), &[(0, 1), (1, 0)]), BOTH);
        assert_eq!((tested[0].statistic, tested[0].pvalue), (f64::INFINITY, 0.0));
        assert_eq!(tested[1].statistic, f64::NEG_INFINITY);
    }

    #[test]
    fn ranks_are_shared_by_equal_differences() {
        // 0.3 - 0.2 and 0.2 - 0.1 are not adjacent doubles
        let mut d = vec![0.3 - 0.2, -(0.2 - 0.1), 0.0, 0.5];
        let (ranks, above, tied, zeros) = signed_ranks(&mut d, 1e-12, Zeros::Drop);
        assert_eq!((ranks, above, tied, zeros), (vec![3, 3, 6], 4.5, true, 1));
        let (ranks, above, ..) = signed_ranks(&mut d, 1e-12, Zeros::Pratt);
        assert_eq!((ranks, above), (vec![5, 5, 8], 6.5));
    }

    #[test]
    fn left_out_topics_change_nothing_else() {
        let whole = [0.5, 0.25, 0.125, 0.25, 0.5, 0.0];
        let holes = [0.5, f64::NAN, 0.25, 0.125, 0.25, 0.75, 0.5, 0.0];
        let a = moments(ScoreTable::new(&whole, 3), &[(0, 1)]);
        let b = moments(ScoreTable::new(&holes, 4), &[(0, 1)]);
        assert_eq!(a, b);
    }
}
