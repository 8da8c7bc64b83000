//! Gains in the best possible order, and the discounts of ranks.
//!
//! An ideal list depends on the topic's judgments only, never on a run, so it
//! is computed once per topic and shared by all runs and threads.

/// How much a rank discounts a gain.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Discounting {
    /// Divide by log2(rank + 1).
    Log2,
    /// Järvelin and Kekäläinen: nothing up to rank `base`, then divide by
    /// the logarithm of the rank to that base.
    Jk(f64),
}

/// The divisors of the ranks, with a table for the common ranks.
#[derive(Clone, Debug)]
pub struct Discount {
    kind: Discounting,
    table: Vec<f64>,
}

/// Ranks held in the table: the depth of nearly every run.
const TABLE: u32 = 1001;

impl Discount {
    /// The discount of a kind.
    pub fn new(kind: Discounting) -> Self {
        Discount { kind, table: (0..TABLE).map(|rank| divisor(kind, rank.into())).collect() }
    }

    /// Its kind.
    pub fn kind(&self) -> Discounting {
        self.kind
    }

    /// What a gain at a rank (from 1) is divided by.
    #[inline]
    pub fn divisor(&self, rank: u32) -> f64 {
        self.table.get(rank as usize).copied().unwrap_or_else(|| divisor(self.kind, rank.into()))
    }

    /// The same where ranks may be more than a list has.
    pub fn divisor_at(&self, rank: u64) -> f64 {
        u32::try_from(rank)
            .map_or_else(|_| divisor(self.kind, rank as f64), |rank| self.divisor(rank))
    }

    /// The logarithm to base 2, looked up if the value is a whole number whose
    /// logarithm is a discount.
    #[inline]
    pub fn log2(&self, value: f64) -> f64 {
        let whole = value as u32;
        if self.kind == Discounting::Log2 && whole > 0 && f64::from(whole) == value {
            self.divisor(whole - 1)
        } else {
            value.log2()
        }
    }
}

// Inlined, its logarithm of the base would be taken for every list.
#[inline(never)]
fn divisor(kind: Discounting, rank: f64) -> f64 {
    match kind {
        Discounting::Log2 => (rank + 1.0).log2(),
        Discounting::Jk(base) if rank <= base => 1.0,
        // The logarithm to base 2 has its own, exact function.
        Discounting::Jk(2.0) => rank.log2(),
        Discounting::Jk(base) => rank.ln() / base.ln(),
    }
}

/// A topic's positive gains from the highest to the lowest, with prefix sums.
#[derive(Clone, Debug, Default)]
pub struct Ideal {
    /// The gains, then their prefix sums, then their discounted prefix sums.
    thirds: Box<[f64]>,
    /// How many gains of each third count.
    count: usize,
}

impl Ideal {
    /// From pairs of a gain and the number of documents that have it.
    pub fn new(counts: impl Iterator<Item = (f64, u32)>, discount: &Discount) -> Self {
        let mut counts: Vec<(f64, u32)> = counts.filter(|&(gain, _)| gain > 0.0).collect();
        counts.sort_by(|a, b| b.0.total_cmp(&a.0));
        let all: usize = counts.iter().map(|&(_, n)| n as usize).sum();
        let mut gains = Vec::with_capacity(3 * all);
        for (gain, n) in counts {
            gains.resize(gains.len() + n as usize, gain);
        }
        Ideal::in_order(gains, discount)
    }

    /// From gains in the best order.
    pub fn in_order(gains: Vec<f64>, discount: &Discount) -> Self {
        let count = gains.len();
        let mut thirds = gains;
        thirds.resize(3 * count, 0.0);
        let (gains, sums) = thirds.split_at_mut(count);
        let (cumulated, discounted) = sums.split_at_mut(count);
        let (mut gain_sum, mut discounted_sum) = (0.0, 0.0);
        for (rank, &gain) in (1..).zip(&*gains) {
            gain_sum += gain;
            discounted_sum += gain / discount.divisor(rank);
            cumulated[rank as usize - 1] = gain_sum;
            discounted[rank as usize - 1] = discounted_sum;
        }
        Ideal { thirds: thirds.into(), count }
    }

    /// Lets the first gains count alone, as many of them as there are at most.
    pub(crate) fn keep(&mut self, count: usize) {
        self.count = count.min(self.thirds.len() / 3);
    }

    /// The gains, highest first.
    pub fn gains(&self) -> &[f64] {
        &self.thirds[..self.count]
    }

    /// The sum of the first gains; past the end, of all.
    #[inline]
    pub fn cumulated(&self, ranks: u32) -> f64 {
        prefix(self.third(1), ranks)
    }

    /// The discounted sum of the first gains; past the end, of all.
    #[inline]
    pub fn discounted(&self, ranks: u32) -> f64 {
        prefix(self.third(2), ranks)
    }

    #[inline]
    fn third(&self, number: usize) -> &[f64] {
        &self.thirds[number * (self.thirds.len() / 3)..][..self.count]
    }
}

#[inline]
fn prefix(sums: &[f64], ranks: u32) -> f64 {
    let n = (ranks as usize).min(sums.len());
    if n == 0 { 0.0 } else { sums[n - 1] }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prefix_sums_stop_at_the_end() {
        let ideal = Ideal::new(
            [(1.0, 2), (3.0, 1), (0.0, 5)].into_iter(),
            &Discount::new(Discounting::Log2),
        );
        assert_eq!(ideal.gains(), [3.0, 1.0, 1.0]);
        assert_eq!([0, 1, 2, 9].map(|k| ideal.cumulated(k)), [0.0, 3.0, 4.0, 5.0]);
        assert_eq!(ideal.discounted(2), 3.0 + 1.0 / 3f64.log2());
    }

    #[test]
    fn of_a_longer_list_the_first_gains_are_those_of_a_shorter_one() {
        let of = |n| Ideal::new([(0.7, n)].into_iter(), &Discount::new(Discounting::Log2));
        let mut long = of(9);
        for n in [4, 9, 0, 7] {
            long.keep(n);
            assert_eq!(long.gains(), of(n as u32).gains());
            for k in 0..12 {
                assert_eq!(long.cumulated(k), of(n as u32).cumulated(k));
                assert_eq!(long.discounted(k), of(n as u32).discounted(k));
            }
        }
    }

    #[test]
    fn ranks_past_the_table_have_the_same_rule() {
        let jk = Discount::new(Discounting::Jk(10.0));
        assert_eq!([1, 10, 100, 10_000].map(|r| jk.divisor(r)), [1.0, 1.0, 2.0, 4.0]);
        assert_eq!(Discount::new(Discounting::Log2).divisor(4095), 12.0);
    }
}
