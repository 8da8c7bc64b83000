//! Which judgments would settle the sign of a difference, and how many it may take.
//!
//! The difference is a constant plus the sum of the weights of the unjudged documents that turn
//! out relevant. Its sign is fixed once the lowest value is above 0, or the highest below.

use super::distribution::normal_cdf;
use super::resample::{Random, Work};
use crate::error::Result;
use crate::interrupt::Steps;

/// The unjudged documents of a difference.
#[derive(Clone, Copy, Debug)]
pub struct OpenSign<'a> {
    /// The difference if none of them is relevant.
    pub constant: f64,
    /// By how much each changes it if it is.
    pub weights: &'a [f64],
    /// How likely each is to be relevant.
    pub chances: &'a [f64],
    /// How sure is sure enough, such as .95.
    pub level: f64,
}

/// How many judgments it may take.
#[derive(Clone, Debug, PartialEq)]
pub struct JudgingPlan {
    /// How much judging each document is expected to move the bound of the likelier sign.
    pub worth: Vec<f64>,
    /// The chance that the difference is above 0, by the normal approximation.
    pub above: f64,
    /// No fewer judgments can fix the sign.
    pub at_least: usize,
    /// The median number until the chance of a sign is at least the level.
    pub probable: f64,
    /// The median number until the sign is fixed.
    pub certain: f64,
    /// No more are needed.
    pub at_most: usize,
}

/// What is still possible.
#[derive(Clone, Copy, Debug)]
struct SignState {
    low: f64,
    high: f64,
    mean: f64,
    variance: f64,
}

impl SignState {
    fn of(open: &OpenSign<'_>) -> Self {
        let mut state = SignState {
            low: open.constant,
            high: open.constant,
            mean: open.constant,
            variance: 0.0,
        };
        for (&w, &p) in open.weights.iter().zip(open.chances) {
            state.low += w.min(0.0);
            state.high += w.max(0.0);
            state.mean += p * w;
            state.variance += p * (1.0 - p) * w * w;
        }
        state
    }

    fn above(&self) -> f64 {
        if self.variance > 0.0 {
            normal_cdf(self.mean / self.variance.sqrt())
        } else {
            0.5 + 0.5 * f64::from(self.mean > 0.0) - 0.5 * f64::from(self.mean < 0.0)
        }
    }

    /// Whether the sign is fixed; rounding fixes none.
    fn is_fixed(&self, tie: f64) -> bool {
        self.low > tie || self.high < -tie
    }

    fn judge(&mut self, w: f64, p: f64, relevant: bool) {
        let gained = if relevant { w } else { 0.0 };
        self.low += gained - w.min(0.0);
        self.high += gained - w.max(0.0);
        self.mean += gained - p * w;
        self.variance = (self.variance - p * (1.0 - p) * w * w).max(0.0);
    }
}

/// How much judging a document is expected to raise the lowest value, and to lower the highest.
fn moves(w: f64, p: f64) -> (f64, f64) {
    if w > 0.0 { (p * w, (1.0 - p) * w) } else { ((1.0 - p) * -w, p * -w) }
}

fn worth(w: f64, p: f64, above: f64) -> f64 {
    let (up, down) = moves(w, p);
    above * up + (1.0 - above) * down
}

/// The plan; the two medians are over so many simulated judgings of the model's chances.
///
/// Judged is always the document with the largest worth: a heuristic for both signs at once, which
/// took 1.05 times the judgments of the best order on random cases. Largest weight first is the
/// best order only where every judgment favors the same run with the same chance.
pub fn plan(
    open: &OpenSign<'_>,
    simulations: usize,
    seed: u64,
    work: &Work,
) -> Result<JudgingPlan> {
    let state = SignState::of(open);
    let size = open.weights.iter().fold(open.constant.abs(), |most, w| most.max(w.abs()));
    let tie = 1e-12 * size;
    let above = state.above();
    let worth: Vec<f64> =
        open.weights.iter().zip(open.chances).map(|(&w, &p)| worth(w, p, above)).collect();
    let mut sizes: Vec<f64> = open.weights.iter().map(|w| w.abs()).filter(|&w| w > tie).collect();
    sizes.sort_unstable_by(|a, b| b.total_cmp(a));
    let (mut low, mut high, mut at_least) = (state.low, state.high, 0);
    while at_least < sizes.len() && low <= tie && high >= -tie {
        low += sizes[at_least];
        high -= sizes[at_least];
        at_least += 1;
    }
    if state.is_fixed(tie) {
        let (probable, certain, at_most) = (0.0, 0.0, 0);
        return Ok(JudgingPlan { worth, above, at_least: 0, probable, certain, at_most });
    }
    let one = |simulation: usize| simulated(open, state, tie, seed, simulation);
    let found = work.blocks(simulations, one)?;
    let median = |of: fn(&(usize, usize)) -> usize| {
        let mut counts: Vec<usize> = found.iter().map(of).collect();
        counts.sort_unstable();
        let half = counts.len() / 2;
        if counts.is_empty() {
            f64::NAN
        } else if counts.len().is_multiple_of(2) {
            (counts[half - 1] + counts[half]) as f64 / 2.0
        } else {
            counts[half] as f64
        }
    };
    let (probable, certain) = (median(|one| one.0), median(|one| one.1));
    Ok(JudgingPlan { worth, above, at_least, probable, certain, at_most: sizes.len() })
}

/// How many judgments until probable, and until certain, where outcomes are drawn.
fn simulated(
    open: &OpenSign<'_>,
    mut state: SignState,
    tie: f64,
    seed: u64,
    simulation: usize,
) -> (usize, usize) {
    let mut left: Vec<usize> =
        (0..open.weights.len()).filter(|&k| open.weights[k].abs() > tie).collect();
    let mut random = Random::new(seed, simulation as u64, 0);
    let mut steps = Steps::default();
    let (mut judged, mut probable) = (0, None);
    while !state.is_fixed(tie) && !left.is_empty() {
        if steps.stop_after(left.len()) {
            break;
        }
        let above = state.above();
        if probable.is_none() && above.max(1.0 - above) >= open.level {
            probable = Some(judged);
        }
        let mut best = (f64::NEG_INFINITY, 0);
        for (place, &k) in left.iter().enumerate() {
            let own = worth(open.weights[k], open.chances[k], above);
            if own > best.0 {
                best = (own, place);
            }
        }
        let k = left.swap_remove(best.1);
        let chance = (random.bits() >> 11) as f64 / (1u64 << 53) as f64;
        state.judge(open.weights[k], open.chances[k], chance < open.chances[k]);
        judged += 1;
    }
    (probable.unwrap_or(judged), judged)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn planned(constant: f64, weights: &[f64], chances: &[f64]) -> JudgingPlan {
        let open = OpenSign { constant, weights, chances, level: 0.95 };
        plan(&open, 999, 1, &Work::default()).unwrap()
    }

    #[test]
    fn numbers_of_a_few_documents_by_hand() {
        // 2 + 0..3 - 0..3: in [-1, 5]; one judgment of weight 3 may fix it, and both may be needed.
        let found = planned(2.0, &[3.0, -3.0], &[0.5, 0.5]);
        assert_eq!((found.at_least, found.at_most), (1, 2));
        // Whichever is judged first settles it half of the time.
        assert!(found.certain == 1.0 || found.certain == 2.0);
        // Nothing can reverse 2 - 1.
        let fixed = planned(2.0, &[-1.0, 5.0], &[0.5, 0.5]);
        assert_eq!((fixed.at_least, fixed.at_most, fixed.certain), (0, 0, 0.0));
        // From 0 with weights -3 (rarely relevant) and -2 (mostly): -2 first.
        let found = planned(0.0, &[-3.0, -2.0], &[0.1, 0.9]);
        assert!(found.worth[1] > found.worth[0]);
        assert_eq!(found.certain, 1.0);
        // No document matters where none has a weight, but the sign of 0 is never fixed.
        let found = planned(0.0, &[0.0], &[0.5]);
        assert_eq!((found.at_least, found.at_most, found.above), (0, 0, 0.5));
    }
}
