//! Which judgments would settle the sign of a difference, and how many it may take.
//!
//! The difference is a constant plus the sum of the weights of the unjudged documents that turn
//! out relevant. Its sign is fixed once the lowest value is above 0, or the highest below.

use std::collections::HashMap;

use super::distribution::normal_cdf;
use super::resample::{Random, Work};
use crate::error::Result;
use crate::interrupt::Steps;
use crate::numbers::pairwise_sum;

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

/// A topic on which two lists differ as far as it is judged.
#[derive(Clone, Debug)]
pub struct OpenTopic<'a> {
    /// The values of both lists.
    pub values: [f64; 2],
    /// The lowest and the highest difference, the second list's value minus the first's.
    pub ends: [f64; 2],
    /// The documents of both lists, the best first.
    pub lists: [Vec<&'a [u8]>; 2],
    /// For each unjudged document its rank in each list, from 1 and 0 where it is not in it, and
    /// the difference under the best and the worst grade.
    pub open: Vec<([u32; 2], [f64; 2])>,
    /// The grades of judged documents.
    pub grades: HashMap<&'a [u8], f64>,
}

/// An unjudged document that matters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OpenDocument {
    /// The place of its topic.
    pub topic: usize,
    /// Its ranks.
    pub ranks: [u32; 2],
    /// What the mean difference gains if it has the best grade, against the worst.
    pub weight: f64,
    /// How likely it is to be relevant.
    pub chance: f64,
    /// How much judging it is expected to move the bound of the likelier sign.
    pub worth: f64,
}

/// The documents that matter to a mean difference, and how many it may take.
#[derive(Clone, Debug, PartialEq)]
pub struct DifferencePlan {
    /// The difference, the lowest and the highest that it can become.
    pub ends: [f64; 3],
    /// The documents in the order of topics.
    pub documents: Vec<OpenDocument>,
    /// Whether the difference is a sum over documents, so that numbers are exact.
    pub is_sum: bool,
    /// How many judgments.
    pub plan: JudgingPlan,
}

/// A document that moves the difference by no more does not matter.
const NOTHING: f64 = 1e-12;

/// How many documents of each span of ranks the assumption before any judgment counts for.
const PRIOR: f64 = 5.0;

/// How many steps the drawn judgings may take together, and how many judgings make a median.
const MOST_STEPS: usize = 3_000_000_000;
const FEWEST: usize = 5;

/// The better of two ranks.
fn better_rank(ranks: [u32; 2]) -> u32 {
    ranks.into_iter().filter(|&rank| rank > 0).min().unwrap_or(0)
}

/// Ranks 1, 2 to 3, 4 to 7 and so on.
fn rank_span(rank: u32) -> usize {
    (u32::BITS - rank.leading_zeros()) as usize
}

/// The proportion that is relevant among the judged documents of each span of ranks, down to a
/// depth, with the assumption before any judgment that it falls with the rank.
struct Rates([(f64, f64); 33]);

impl Rates {
    fn of(topics: &[OpenTopic<'_>], least: f64, depth: usize) -> Self {
        let mut counts = [(0.0, 0.0); 33];
        for topic in topics {
            let mut better: HashMap<&[u8], u32> = HashMap::new();
            for list in &topic.lists {
                for (rank, document) in (1..).zip(list.iter().take(depth)) {
                    let known = better.entry(document).or_insert(rank);
                    *known = rank.min(*known);
                }
            }
            for (document, rank) in better {
                if let Some(&grade) = topic.grades.get(document).filter(|&&grade| grade >= 0.0) {
                    let (hits, judged) = &mut counts[rank_span(rank)];
                    *hits += f64::from(grade >= least);
                    *judged += 1.0;
                }
            }
        }
        Rates(counts)
    }

    fn at(&self, rank: u32) -> f64 {
        let (hits, judged) = self.0[rank_span(rank)];
        let prior = 0.5 / (1.0 + f64::from(rank) / 20.0);
        (hits + PRIOR * prior) / (judged + PRIOR)
    }
}

/// The plan of the mean difference over topics; `least` is the lowest relevant grade. Of so many
/// documents that no median can be drawn in time none is.
pub fn plan_difference(
    topics: &[OpenTopic<'_>],
    least: f64,
    level: f64,
    simulations: usize,
    seed: u64,
    work: &Work,
) -> Result<DifferencePlan> {
    let (count, mut ends) = (topics.len() as f64, [0.0; 3]);
    let mut documents = Vec::new();
    for (place, topic) in topics.iter().enumerate() {
        let difference = topic.values[1] - topic.values[0];
        let own = [difference, topic.ends[0], topic.ends[1]];
        ends.iter_mut().zip(own).for_each(|(sum, end)| *sum += end / count);
        for &(ranks, [best, worst]) in &topic.open {
            let weight = (best - worst) / count;
            if weight.abs() > NOTHING {
                documents.push(OpenDocument {
                    topic: place,
                    ranks,
                    weight,
                    chance: 0.0,
                    worth: 0.0,
                });
            }
        }
    }
    let depth = documents.iter().map(|one| better_rank(one.ranks)).max().unwrap_or(0);
    let rates = Rates::of(topics, least, depth as usize);
    for one in &mut documents {
        one.chance = rates.at(better_rank(one.ranks));
    }
    let affordable = MOST_STEPS / documents.len().max(1).pow(2);
    let simulations = if affordable >= FEWEST { simulations.min(affordable) } else { 0 };
    let [constant, low, high] = ends;
    let weights: Vec<f64> = documents.iter().map(|one| one.weight).collect();
    let chances: Vec<f64> = documents.iter().map(|one| one.chance).collect();
    let open = OpenSign { constant, weights: &weights, chances: &chances, level };
    let mut plan = plan(&open, simulations, seed, work)?;
    documents.iter_mut().zip(&plan.worth).for_each(|(one, &worth)| one.worth = worth);
    let part = |of: fn(f64) -> f64| weights.iter().map(|&w| of(w)).collect::<Vec<f64>>();
    let reached = [part(|w| w.min(0.0)), part(|w| w.max(0.0))].map(|w| constant + pairwise_sum(&w));
    let is_sum = reached.iter().zip([low, high]).all(|(a, b)| (a - b).abs() <= 1e-9);
    if !is_sum && (low > 0.0 || high < 0.0) {
        (plan.probable, plan.above, plan.at_most) = (0.0, f64::from(low > 0.0), 0);
    } else if !is_sum {
        plan.at_most = documents.len();
    }
    Ok(DifferencePlan { ends, documents, is_sum, plan })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_difference_of_one_topic_by_hand() {
        let (a, b, c): (&[u8], &[u8], &[u8]) = (b"a", b"b", b"c");
        // P@1: a is relevant, b is judged not relevant below it, c is unjudged on top.
        let topic = OpenTopic {
            values: [1.0, 0.0],
            ends: [-1.0, 0.0],
            lists: [vec![a, b], vec![c, a]],
            open: vec![([0, 1], [0.0, -1.0])],
            grades: HashMap::from([(a, 1.0), (b, 0.0)]),
        };
        let found = plan_difference(&[topic], 1.0, 0.95, 99, 0, &Work::default()).unwrap();
        assert_eq!((found.ends, found.is_sum), ([-1.0, -1.0, 0.0], true));
        // Only rank 1 is looked at, where a is relevant: (1 + 5 * .5 / 1.05) / (1 + 5)
        let one = found.documents[0];
        assert_eq!((one.topic, one.ranks, one.weight), (0, [0, 1], 1.0));
        assert!((one.chance - (1.0 + 5.0 * 0.5 / 1.05) / 6.0).abs() < 1e-15);
        assert_eq!(found.plan.at_most, 1);
        let none = plan_difference(&[], 1.0, 0.95, 99, 0, &Work::default()).unwrap();
        assert!(none.documents.is_empty());
    }

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
