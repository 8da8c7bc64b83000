//! Ratios of sums over the steps of gain: nDCG, GAP, and AP, which has one.
//!
//! Let the gains that documents have or can get be steps of a stair. The value
//! is the sum over the steps g of height(g) x N(g), divided by the sum of
//! height(g) x I(g), where N(g) looks at the ranks of the documents that reach
//! step g and I(g) at their number. For given numbers t(g) of new documents that
//! reach each step, every N(g) is highest when these are in the first open places
//! and lowest when they are in the last; since t falls from step to step, this is
//! possible for all steps at once. What remains is the choice of t(g): a ratio of
//! sums of separate terms, which Dinkelbach's method optimises exactly with a few
//! dynamic programs over the steps.

use super::open::Open;
use crate::error::Result;
use crate::measure::Weight;

/// The lowest and the highest value.
pub(super) fn extremes(
    open: &mut Open,
    weight: Weight,
    cut: bool,
    unseen: u32,
) -> Result<(f64, f64)> {
    let mut values = [0.0; 2];
    for (value, highest) in values.iter_mut().zip([false, true]) {
        // Relevant documents outside the list only increase the divisor.
        let unseen = if highest { 0 } else { unseen };
        let stairs = Stairs::new(open, weight, cut, unseen, highest);
        let reach = stairs.extreme(highest);
        let mut grade_indices = stairs.grade_indices(open, &reach);
        if !highest {
            grade_indices.reverse();
        }
        let elsewhere = open.best_class().map(|best| (best, unseen));
        *value = open.value(grade_indices.into_iter(), elsewhere.as_slice())?;
    }
    Ok((values[0].min(values[1]), values[0].max(values[1])))
}

/// One step of gain.
pub(super) struct GainStep {
    /// The index of the grade that gives an open place the gain of this step, if
    /// there is one.
    pub(super) grade_index: Option<u32>,
    /// The step's share of numerator and divisor when 0, 1, ... open places
    /// reach it.
    pub(super) shares: Vec<(f64, f64)>,
}

/// All steps from the lowest.
pub(super) struct Stairs {
    pub(super) steps: Vec<GainStep>,
    pub(super) places: usize,
    /// The index of the grade without gain, if an open place can have it.
    pub(super) ground: Option<u32>,
    /// How many places reach the first step at least.
    pub(super) least: usize,
}

impl Stairs {
    fn new(open: &Open, weight: Weight, cut: bool, unseen: u32, highest: bool) -> Self {
        let top_class = open.classes.last().map_or(0.0, |class| class.0);
        let judged: Vec<(f64, u32)> = open
            .judged_counts()
            .map(|(grade_index, count)| (open.worth(grade_index), count))
            .collect();
        let mut gains: Vec<f64> = judged.iter().map(|&(gain, _)| gain).collect();
        gains.extend(open.classes.iter().map(|class| class.0));
        gains.retain(|&gain| gain > 0.0);
        gains.sort_by(f64::total_cmp);
        gains.dedup();
        let grade_index_of = |gain: f64| open.classes.iter().find(|c| c.0 == gain).map(|c| c.1);
        let depth = open.measure.depth();
        let ranks = StepNumerators { open, weight, depth, highest };
        let all: u32 = judged.iter().map(|&(_, count)| count).sum();
        let ideal = Ideals::new(open, weight, all as usize + open.places.len() + unseen as usize);
        let mut below = 0.0;
        let steps = gains.iter().map(|&gain| {
            let reached: u32 = judged.iter().filter(|j| j.0 >= gain).map(|j| j.1).sum();
            let elsewhere = if gain <= top_class { unseen } else { 0 };
            let step = gain - below;
            below = gain;
            let numerators = ranks.sums(gain).into_iter().enumerate();
            let shares = numerators.map(|(new, numerator)| {
                let count = reached + elsewhere + new as u32;
                let count = if cut { count.min(depth) } else { count };
                (step * numerator, step * ideal.of(count))
            });
            GainStep { grade_index: grade_index_of(gain), shares: shares.collect() }
        });
        let steps = steps.collect();
        Stairs { steps, places: open.places.len(), ground: grade_index_of(0.0), least: 0 }
    }

    /// How many open places reach each step in the extreme case.
    pub(super) fn extreme(&self, highest: bool) -> Vec<usize> {
        let mut reach = self.best_reach(0.0, highest);
        let mut ratio = self.ratio(&reach);
        while ratio.is_finite() {
            let next = self.best_reach(ratio, highest);
            let improved = self.ratio(&next);
            if !(if highest { improved > ratio } else { improved < ratio }) {
                break;
            }
            (reach, ratio) = (next, improved);
        }
        reach
    }

    fn ratio(&self, reach: &[usize]) -> f64 {
        let shares = self.steps.iter().zip(reach).map(|(step, &new)| step.shares[new]);
        let (numerator, divisor) =
            shares.fold((0.0, 0.0), |sum, share| (sum.0 + share.0, sum.1 + share.1));
        numerator / divisor
    }

    /// The numbers with the extreme sum of numerator - ratio x divisor: from
    /// the highest step down, for each number that can reach a step the best
    /// number that goes on to the next.
    fn best_reach(&self, ratio: f64, highest: bool) -> Vec<usize> {
        let sign = if highest { 1.0 } else { -1.0 };
        let worth = |share: (f64, f64)| sign * (share.0 - ratio * share.1);
        let mut goes_on: Vec<Vec<usize>> = Vec::with_capacity(self.steps.len());
        // No document goes beyond the last step.
        let mut beyond: Vec<f64> =
            (0..=self.places).map(|new| if new == 0 { 0.0 } else { f64::NEG_INFINITY }).collect();
        for step in self.steps.iter().rev() {
            let mut choice: Vec<usize> = (0..=self.places).collect();
            if step.grade_index.is_some() {
                // Any number can stop here: take the best of all smaller ones.
                for new in 1..=self.places {
                    if beyond[new] <= beyond[choice[new - 1]] {
                        choice[new] = choice[new - 1];
                    }
                }
            }
            beyond = (0..=self.places)
                .map(|new| worth(step.shares[new]) + beyond[choice[new]])
                .collect();
            goes_on.push(choice);
        }
        let first = match self.ground {
            None => self.places,
            Some(_) => (self.least..=self.places)
                .fold(self.least, |best, new| if beyond[new] > beyond[best] { new } else { best }),
        };
        // The documents that reach the first step, then those that go on.
        let mut reach = vec![first];
        for choice in goes_on.iter().rev() {
            reach.push(choice[reach[reach.len() - 1]]);
        }
        reach.truncate(self.steps.len());
        reach
    }

    /// The grade indices of the open places, the best first.
    fn grade_indices(&self, open: &Open, reach: &[usize]) -> Vec<u32> {
        let worst = open.classes.first().map_or(0, |class| class.1);
        (0..self.places)
            .map(|i| {
                let highest = (0..self.steps.len()).rev().find(|&g| reach[g] > i);
                highest.and_then(|g| self.steps[g].grade_index).or(self.ground).unwrap_or(worst)
            })
            .collect()
    }
}

/// The numerators of a step.
struct StepNumerators<'a, 'b> {
    open: &'a Open<'b>,
    weight: Weight,
    depth: u32,
    highest: bool,
}

impl StepNumerators<'_, '_> {
    /// The sum over the documents of at least a gain when 0, 1, ... open
    /// places, the first or the last, are among them.
    fn sums(&self, gain: f64) -> Vec<f64> {
        let reached = self
            .open
            .judged
            .iter()
            .filter(|&&(_, grade_index)| self.open.worth(grade_index) >= gain);
        let reached: Vec<u32> = reached.map(|&(rank, _)| rank).collect();
        match self.weight {
            Weight::Discount => self.discounts(&reached),
            Weight::Precision => self.precisions(&reached),
        }
    }

    fn discounts(&self, reached: &[u32]) -> Vec<f64> {
        let mut sum: f64 = reached.iter().map(|&rank| self.discount(rank)).sum();
        let mut sums = vec![sum];
        for &place in self.places() {
            sum += self.discount(place);
            sums.push(sum);
        }
        sums
    }

    fn discount(&self, rank: u32) -> f64 {
        if rank <= self.depth { 1.0 / self.open.case.discount.divisor(rank) } else { 0.0 }
    }

    fn reciprocal(&self, rank: u32) -> f64 {
        if rank <= self.depth { 1.0 / f64::from(rank) } else { 0.0 }
    }

    /// A new document adds its own precision, and raises by 1 the counts of
    /// all below it: the judged ones, and the new ones that were already added
    /// from the bottom.
    fn precisions(&self, reached: &[u32]) -> Vec<f64> {
        let counted = (1u32..).zip(reached);
        let mut sum: f64 =
            counted.map(|(count, &rank)| f64::from(count) * self.reciprocal(rank)).sum();
        // Sums of 1/rank from each judged document to the end.
        let mut tails = vec![0.0; reached.len() + 1];
        for (i, &rank) in reached.iter().enumerate().rev() {
            tails[i] = tails[i + 1] + self.reciprocal(rank);
        }
        let mut sums = vec![sum];
        let mut added_below = 0.0;
        for (added, &place) in self.places().enumerate() {
            let above = reached.partition_point(|&rank| rank < place);
            let new_above = if self.highest { added } else { 0 };
            let own = (above + new_above + 1) as f64 * self.reciprocal(place);
            sum += own + tails[above] + added_below;
            sums.push(sum);
            if !self.highest {
                added_below += self.reciprocal(place);
            }
        }
        sums
    }

    /// The open places in the order in which they are filled.
    fn places(&self) -> Box<dyn Iterator<Item = &u32> + '_> {
        let places = self.open.places.iter();
        if self.highest { Box::new(places) } else { Box::new(places.rev()) }
    }
}

/// The divisors of a step by the number of documents that reach it.
struct Ideals {
    discounted: Vec<f64>,
}

impl Ideals {
    fn new(open: &Open, weight: Weight, documents: usize) -> Self {
        let mut sum = 0.0;
        let mut discounted = vec![0.0];
        if weight == Weight::Discount {
            for rank in 1..=documents as u32 {
                sum += 1.0 / open.case.discount.divisor(rank);
                discounted.push(sum);
            }
        }
        Ideals { discounted }
    }

    fn of(&self, count: u32) -> f64 {
        // Precisions are 1 throughout the ideal list.
        self.discounted
            .get(count as usize)
            .copied()
            .filter(|_| self.discounted.len() > 1)
            .unwrap_or_else(|| f64::from(count))
    }
}
