//! Correlation of orders: Kendall's tau and AP correlation, pair by pair.
//!
//! Both look at every pair of items and ask whether two lists of scores put
//! it in the same order. A Fenwick tree over the ranks of one list counts
//! the pairs while the other is walked in order, so n items cost n log n.
//! Counts are whole numbers until the last division: what should be 1 is 1.

use std::cmp::Ordering;

use super::distribution::normal_sf;
use crate::error::{Error, Kind, Result, count};
use crate::interrupt;
use crate::numbers::pairwise_sum;

/// A coefficient, and the probability of one at least as far from zero if
/// the two lists were independent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Correlation {
    /// The coefficient.
    pub statistic: f64,
    /// The two-sided probability.
    pub pvalue: f64,
}

/// Values as dense ranks: whole numbers from 0 up, equal for equal values.
#[derive(Clone, Debug)]
pub struct DenseRanks {
    /// The rank of each item; higher is better.
    pub of: Vec<u32>,
    /// How many items each rank has, lowest first.
    pub sizes: Vec<u32>,
}

/// A number that is ordered as `total_cmp` orders values.
pub(super) fn in_total_order(value: f64) -> i64 {
    let bits = value.to_bits() as i64;
    bits ^ ((bits >> 63) as u64 >> 1) as i64
}

impl DenseRanks {
    /// The ranks of finite values. Neighbours in order are equal if they
    /// differ by no more than `tolerance` times the larger magnitude; so a
    /// chain of close values is one rank, however long it is. An error (kind "cancelled") if the
    /// work is to stop.
    pub fn new(values: &[f64], tolerance: f64) -> Result<Self> {
        // Beside their values, items are sorted six times as fast as by looking them up.
        let mut order: Vec<(i64, u32)> =
            values.iter().map(|&v| in_total_order(v)).zip(0..).collect();
        interrupt::sort(&mut order);
        interrupt::check()?;
        let mut ranks = DenseRanks { of: vec![0; values.len()], sizes: Vec::new() };
        let mut last = f64::NAN;
        let mut steps = interrupt::Steps::default();
        for (_, item) in order {
            steps.step()?;
            let value = values[item as usize];
            let close = value - last <= tolerance * value.abs().max(last.abs());
            match ranks.sizes.last_mut() {
                Some(size) if close => *size += 1,
                _ => ranks.sizes.push(1),
            }
            ranks.of[item as usize] = ranks.sizes.len() as u32 - 1;
            last = value;
        }
        Ok(ranks)
    }

    /// How many items there are.
    pub fn len(&self) -> usize {
        self.of.len()
    }

    /// Whether there is no item.
    pub fn is_empty(&self) -> bool {
        self.of.is_empty()
    }

    /// Whether two items are equal.
    pub fn tied(&self) -> bool {
        self.sizes.len() < self.of.len()
    }

    /// Whether all items are tied.
    pub fn constant(&self) -> bool {
        self.sizes.len() < 2
    }

    /// The items, best rank first, in order of input within a rank.
    fn best_first(&self) -> Vec<u32> {
        // Where the next item of each rank comes, from the end of the order.
        let mut ends: Vec<u32> = Vec::with_capacity(self.sizes.len());
        for &size in self.sizes.iter().rev() {
            ends.push(ends.last().unwrap_or(&0) + size);
        }
        let mut items = vec![0; self.len()];
        for (item, &rank) in self.of.iter().enumerate().rev() {
            let end = &mut ends[self.sizes.len() - 1 - rank as usize];
            *end -= 1;
            items[*end as usize] = item as u32;
        }
        items
    }

    /// The items of one rank after the other, where all are in order.
    fn groups<'a>(&self, mut best_first: &'a [u32]) -> impl Iterator<Item = &'a [u32]> {
        self.sizes.iter().rev().filter_map(move |&size| best_first.split_off(..size as usize))
    }

    /// A sum over ranks of more than one item.
    fn over_ties(&self, term: impl Fn(f64) -> f64) -> f64 {
        self.sizes.iter().filter(|&&t| t > 1).map(|&t| term(f64::from(t))).sum()
    }

    /// How many pairs are equal.
    fn tied_pairs(&self) -> u64 {
        self.sizes.iter().map(|&t| pairs(u64::from(t))).sum()
    }
}

/// How many pairs n items have.
fn pairs(n: u64) -> u64 {
    n * n.saturating_sub(1) / 2
}

/// Counts by rank, of those not above a rank, in logarithmic time.
struct Fenwick(Vec<u32>);

impl Fenwick {
    fn new(ranks: usize) -> Self {
        Fenwick(vec![0; ranks + 1])
    }

    fn add(&mut self, rank: u32) {
        let mut at = rank as usize + 1;
        while at < self.0.len() {
            self.0[at] += 1;
            at += at & at.wrapping_neg();
        }
    }

    /// How many were added at ranks below this one.
    fn below(&self, rank: u32) -> u64 {
        let (mut at, mut sum) = (rank as usize, 0);
        while at > 0 {
            sum += u64::from(self.0[at]);
            at &= at - 1;
        }
        sum
    }
}

/// Fails unless two lists of finite numbers have the same, sufficient length.
pub(super) fn check_pair(x: &[f64], y: &[f64], least: usize) -> Result<()> {
    if x.len() != y.len() {
        let message = format!(
            "both lists need the same items; one has {}, the other {}",
            count(x.len(), "number"),
            y.len()
        );
        return Err(Error::new(Kind::Type, message));
    }
    for values in [x, y] {
        check_finite(values)?;
    }
    if x.len() < least {
        let message = format!("undefined for {}: {least} are needed", count(x.len(), "item"));
        return Err(Error::new(Kind::Undefined, message));
    }
    Ok(())
}

/// Fails at the first number that is not finite.
pub(super) fn check_finite(values: &[f64]) -> Result<()> {
    match values.iter().position(|v| !v.is_finite()) {
        None => Ok(()),
        Some(at) => {
            let message = format!("number {} is {}, which is not finite", at + 1, values[at]);
            Err(Error::new(Kind::Number, message))
        }
    }
}

/// Fails unless a tolerance is from 0 to below 1.
pub(super) fn check_tolerance(tolerance: f64) -> Result<()> {
    if (0.0..1.0).contains(&tolerance) {
        return Ok(());
    }
    let message = format!("tolerance is {tolerance}; expected at least 0 and below 1");
    Err(Error::new(Kind::Option, message))
}

/// Fails unless a confidence level is a probability.
pub(super) fn check_confidence(confidence: f64) -> Result<()> {
    if confidence > 0.0 && confidence < 1.0 {
        return Ok(());
    }
    let message = format!("level is {confidence}; expected a number between 0 and 1");
    Err(Error::new(Kind::Option, message))
}

/// The error for an undefined coefficient.
pub(super) fn undefined<T>(message: &str) -> Result<T> {
    Err(Error::new(Kind::Undefined, message))
}

/// The counts of pairs of two orders.
struct PairCounts {
    all: u64,
    tied_x: u64,
    tied_y: u64,
    discordant: u64,
    /// Concordant minus discordant pairs.
    score: i64,
}

impl PairCounts {
    fn count(x: &DenseRanks, y: &DenseRanks) -> Result<Self> {
        let key = |(&x, &y): (&u32, &u32)| u64::from(x) << 32 | u64::from(y);
        let mut keys: Vec<u64> = x.of.iter().zip(&y.of).map(key).collect();
        interrupt::sort(&mut keys);
        interrupt::check()?;
        let mut before = Fenwick::new(y.sizes.len());
        let mut discordant = 0;
        let mut steps = interrupt::Steps::default();
        for (place, key) in keys.iter().enumerate() {
            steps.step()?;
            // Within a rank of x the ranks of y rise: none of these counts.
            let y = *key as u32;
            discordant += place as u64 - before.below(y + 1);
            before.add(y);
        }
        let tied_both: u64 =
            keys.chunk_by(|a, b| a == b).map(|same| pairs(same.len() as u64)).sum();
        let (all, tied_x, tied_y) = (pairs(x.len() as u64), x.tied_pairs(), y.tied_pairs());
        let ordered = all + tied_both - tied_x - tied_y;
        let score = ordered as i64 - 2 * discordant as i64;
        Ok(PairCounts { all, tied_x, tied_y, discordant, score })
    }
}

/// The divisor of Kendall's S.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Variant {
    /// All pairs.
    A,
    /// The geometric mean of the pairs that each list orders.
    B,
}

/// How the probability of Kendall's tau is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TauMethod {
    /// Exact without ties, for up to 33 items or at most one pair out of
    /// order; else by the normal distribution.
    Auto,
    /// From the number of permutations, which takes lists without ties.
    Exact,
    /// By the normal distribution, with the variance corrected for ties.
    Asymptotic,
}

/// The most items whose permutations are counted by default.
const COUNTED_ITEMS: usize = 33;

/// The most items whose permutations are counted at all.
const COUNTABLE: usize = 1000;

/// Kendall's tau, the coefficient alone.
pub fn tau(x: &DenseRanks, y: &DenseRanks, variant: Variant) -> Result<f64> {
    tau_of(&PairCounts::count(x, y)?, variant)
}

fn tau_of(pairs: &PairCounts, variant: Variant) -> Result<f64> {
    let (x, y) = match variant {
        Variant::A => (pairs.all, pairs.all),
        Variant::B => (pairs.all - pairs.tied_x, pairs.all - pairs.tied_y),
    };
    if x == 0 || y == 0 {
        return undefined("tau-b is undefined: all items of a list are tied");
    }
    // One root of the product: with x = y it is x, and tau of a list with itself is 1.
    Ok(pairs.score as f64 / (x as f64 * y as f64).sqrt())
}

/// Kendall's tau (Biometrika 30, 1938; ties: Biometrika 33, 1945) and its test.
pub fn kendall(
    x: &[f64],
    y: &[f64],
    variant: Variant,
    method: TauMethod,
    tolerance: f64,
) -> Result<Correlation> {
    check_tolerance(tolerance)?;
    check_pair(x, y, 2)?;
    let x = DenseRanks::new(x, tolerance)?;
    let y = DenseRanks::new(y, tolerance)?;
    let pairs = PairCounts::count(&x, &y)?;
    let statistic = tau_of(&pairs, variant)?;
    let tied = x.tied() || y.tied();
    let rarest = pairs.discordant.min(pairs.all - pairs.discordant);
    let exact = match method {
        TauMethod::Asymptotic => false,
        TauMethod::Auto => !tied && (x.len() <= COUNTED_ITEMS || rarest <= 1),
        TauMethod::Exact if tied => {
            let message = "method=\"exact\" counts permutations, and there are ties";
            return Err(Error::new(Kind::Option, message));
        }
        TauMethod::Exact if x.len() > COUNTABLE => {
            let message = format!("method=\"exact\" is for up to {COUNTABLE} items");
            return Err(Error::new(Kind::Option, message));
        }
        TauMethod::Exact => true,
    };
    let pvalue = if exact {
        (2.0 * at_most_inverted(x.len(), rarest as usize)).min(1.0)
    } else if x.constant() || y.constant() {
        // S is 0 for every permutation.
        1.0
    } else {
        (2.0 * normal_sf(pairs.score.abs() as f64 / variance(&x, &y).sqrt())).min(1.0)
    };
    Ok(Correlation { statistic, pvalue })
}

/// The variance of S over all permutations (Kendall 1970, eq. 4.4).
fn variance(x: &DenseRanks, y: &DenseRanks) -> f64 {
    let n = x.len() as f64;
    let m = n * (n - 1.0);
    let twos = |l: &DenseRanks| l.over_ties(|t| t * (t - 1.0));
    let threes = |l: &DenseRanks| l.over_ties(|t| t * (t - 1.0) * (t - 2.0));
    let fives = |l: &DenseRanks| l.over_ties(|t| t * (t - 1.0) * (2.0 * t + 5.0));
    let triples = threes(x) * threes(y);
    let of_triples = if triples == 0.0 { 0.0 } else { triples / (9.0 * m * (n - 2.0)) };
    (m * (2.0 * n + 5.0) - fives(x) - fives(y)) / 18.0 + twos(x) * twos(y) / (2.0 * m) + of_triples
}

/// The share of the permutations of n items with at most c pairs out of order.
fn at_most_inverted(n: usize, c: usize) -> f64 {
    // The k-th item can be inserted before 0 to k-1 of the earlier ones.
    let mut share = vec![0.0; c + 1];
    share[0] = 1.0;
    for k in 2..=n {
        let mut next = vec![0.0; c + 1];
        let mut window = 0.0;
        for j in 0..=c {
            window += share[j];
            if j >= k {
                window -= share[j - k];
            }
            next[j] = window / k as f64;
        }
        share = next;
    }
    share.iter().sum()
}

/// How AP correlation treats ties.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ApTies {
    /// The mean over all orders of what is tied in either list.
    Average,
    /// Urbano and Marrero's coefficient of accuracy: the same for a truth
    /// without ties, and an error otherwise.
    A,
    /// Urbano and Marrero's coefficient of agreement: a tied group counts
    /// what is above the group; the mean of both directions.
    B,
}

/// AP correlation (Yilmaz, Aslam & Robertson, SIGIR 2008; ties: Urbano &
/// Marrero, ICTIR 2017).
pub fn tau_ap(estimate: &[f64], truth: &[f64], ties: ApTies, tolerance: f64) -> Result<f64> {
    check_tolerance(tolerance)?;
    check_pair(estimate, truth, 2)?;
    ap_of(&DenseRanks::new(estimate, tolerance)?, &DenseRanks::new(truth, tolerance)?, ties)
}

/// The gap-sensitive correlation (Gao & Oard, SIGIR 2015). Items with equal estimates are in the
/// order given, and an item without a gap to those above is left out.
pub fn tau_gap(truth: &[f64], estimate: &[f64]) -> Result<f64> {
    check_pair(truth, estimate, 0)?;
    let mut order: Vec<usize> = (0..truth.len()).collect();
    order.sort_by(|a, b| estimate[*b].partial_cmp(&estimate[*a]).unwrap_or(Ordering::Equal));
    let ordered: Vec<f64> = order.into_iter().map(|item| truth[item]).collect();
    let (mut sum, mut items) = (0.0, 0.0);
    for (place, item) in ordered.iter().enumerate() {
        interrupt::check()?;
        let gaps: Vec<f64> = ordered[..place].iter().map(|above| above - item).collect();
        let sizes: Vec<f64> = gaps.iter().map(|gap| gap.abs()).collect();
        let mass = pairwise_sum(&sizes);
        if mass > 0.0 {
            let right: Vec<f64> = gaps.into_iter().filter(|gap| *gap > 0.0).collect();
            sum += pairwise_sum(&right) / mass;
            items += 1.0;
        }
    }
    if items == 0.0 {
        return undefined("tau_GAP is undefined: the truth has no two different values");
    }
    Ok(2.0 * sum / items - 1.0)
}

/// AP correlation of ranks.
pub(super) fn ap_of(estimate: &DenseRanks, truth: &DenseRanks, ties: ApTies) -> Result<f64> {
    match ties {
        ApTies::A if truth.tied() => undefined("ties=\"a\" is undefined: the truth has ties"),
        ApTies::A | ApTies::Average => ap_average(estimate, truth),
        ApTies::B if estimate.constant() || truth.constant() => {
            undefined("ties=\"b\" is undefined: all items of a list are tied")
        }
        ApTies::B => Ok(f64::midpoint(ap_above(estimate, truth)?, ap_above(truth, estimate)?)),
    }
}

/// The mean of the coefficient over all orders of tied items.
fn ap_average(estimate: &DenseRanks, truth: &DenseRanks) -> Result<f64> {
    let mut above = Fenwick::new(truth.sizes.len());
    let (mut placed, mut sum) = (0, 0.0);
    let mut steps = interrupt::Steps::default();
    for group in estimate.groups(&estimate.best_first()) {
        let size = group.len() as u64;
        // Twice the concordant pairs, in which a tie in the truth counts half.
        let mut doubled = 0;
        for &item in group {
            steps.step()?;
            let rank = truth.of[item as usize];
            doubled += 2 * placed - above.below(rank) - above.below(rank + 1);
        }
        // An item is at each place of its group equally often. A pair within
        // the group is concordant in half of the orders.
        let reciprocals: f64 = (placed.max(1)..placed + size).map(|i| 1.0 / i as f64).sum();
        let within: f64 = (1..size).map(|k| k as f64 / (placed + k) as f64).sum();
        sum += doubled as f64 / (2 * size) as f64 * reciprocals + within / 2.0;
        for &item in group {
            steps.step()?;
            above.add(truth.of[item as usize]);
        }
        placed += size;
    }
    Ok(2.0 * sum / (placed - 1) as f64 - 1.0)
}

/// One direction of the coefficient of agreement.
fn ap_above(pivots: &DenseRanks, other: &DenseRanks) -> Result<f64> {
    let mut above = Fenwick::new(other.sizes.len());
    let (mut placed, mut counted, mut sum) = (0, 0, 0.0);
    let mut steps = interrupt::Steps::default();
    for group in pivots.groups(&pivots.best_first()) {
        if placed > 0 {
            let mut concordant: u64 = 0;
            for &item in group {
                steps.step()?;
                concordant += placed - above.below(other.of[item as usize] + 1);
            }
            sum += concordant as f64 / placed as f64;
            counted += group.len();
        }
        for &item in group {
            steps.step()?;
            above.add(other.of[item as usize]);
        }
        placed += group.len() as u64;
    }
    Ok(2.0 * sum / counted as f64 - 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(found: f64, expected: f64) {
        assert!((found - expected).abs() <= 1e-13 * expected.abs().max(1.0), "{found} {expected}");
    }

    #[test]
    fn close_values_have_one_rank() {
        let noisy = DenseRanks::new(&[0.3, 0.1 + 0.2, 0.2, -0.2], 1e-12).unwrap();
        assert_eq!(noisy.of, [2, 2, 1, 0]);
        assert_eq!(DenseRanks::new(&[0.3, 0.1 + 0.2, 0.2, -0.2], 0.0).unwrap().of, [2, 3, 1, 0]);
        assert_eq!(DenseRanks::new(&[-0.0, 0.0], 0.0).unwrap().of, [0, 0]);
    }

    #[test]
    fn tau_counts_pairs() {
        // 8 of the 10 pairs agree, 1 does not, 1 is tied in y: tau-a 7/10, tau-b 7/sqrt(10 * 9).
        let (x, y) = ([0.9, 0.8, 0.7, 0.6, 0.5], [0.8, 0.8, 0.7, 0.5, 0.6]);
        let tau = |variant| kendall(&x, &y, variant, TauMethod::Auto, 0.0).unwrap();
        close(tau(Variant::A).statistic, 0.7);
        close(tau(Variant::B).statistic, 7.0 / 90f64.sqrt());
        assert_eq!(kendall(&y, &y, Variant::B, TauMethod::Auto, 0.0).unwrap().statistic, 1.0);
    }

    #[test]
    fn permutations_are_counted() {
        // Of 3 items 1 permutation has no inversion, 2 have one, 2 two, 1 three.
        close(at_most_inverted(3, 0), 1.0 / 6.0);
        close(at_most_inverted(3, 1), 3.0 / 6.0);
        close(at_most_inverted(3, 3), 1.0);
    }

    #[test]
    fn what_is_undefined_is_an_error() {
        let tau = |x: &[f64], y: &[f64], variant| kendall(x, y, variant, TauMethod::Auto, 0.0);
        let kind = |found: Result<Correlation>| found.unwrap_err().kind();
        assert_eq!(kind(tau(&[1.0], &[1.0], Variant::B)), Kind::Undefined);
        assert_eq!(kind(tau(&[1.0, 1.0], &[1.0, 2.0], Variant::B)), Kind::Undefined);
        assert_eq!(kind(tau(&[1.0, f64::NAN], &[1.0, 2.0], Variant::B)), Kind::Number);
        assert_eq!(kind(tau(&[1.0, 2.0], &[1.0], Variant::B)), Kind::Type);
        let zero = tau(&[1.0, 1.0], &[1.0, 2.0], Variant::A).unwrap();
        assert_eq!(zero, Correlation { statistic: 0.0, pvalue: 1.0 });
    }

    #[test]
    fn ap_correlation_weighs_the_top() {
        let truth = [4.0, 3.0, 2.0, 1.0];
        let ap = |estimate: &[f64], ties| tau_ap(estimate, &truth, ties, 0.0).unwrap();
        // A swap at the top: C = 0 of 1, 2 of 2, 3 of 3: 2/3 * 2 - 1.
        close(ap(&[3.0, 4.0, 2.0, 1.0], ApTies::A), 1.0 / 3.0);
        // A swap at the bottom: 1, 2/2, 2/3: 2/3 * 8/3 - 1.
        close(ap(&[4.0, 3.0, 1.0, 2.0], ApTies::A), 7.0 / 9.0);
        // The first two tied is the mean of 1 and of the swap at the top.
        close(ap(&[4.0, 4.0, 2.0, 1.0], ApTies::A), 2.0 / 3.0);
        close(ap(&[1.0; 4], ApTies::Average), 0.0);
    }
}
