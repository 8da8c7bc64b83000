//! What the tests against margins say: pass, fail, or not known.

use std::collections::HashMap;

use super::correct::{Correction, correct};
use super::margin::{MarginAsked, MarginFound, MarginRow, MarginTest, margins};
use super::power::{TestDesign, TestSides};
use super::resample::Work;
use crate::error::Result;

/// What is known of a difference and a margin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MarginDecision {
    /// The loss is below the margin.
    Pass,
    /// It is above.
    Fail,
    /// Neither is known.
    Open,
}

/// Two runs on the same topics, as they are scored.
#[derive(Clone, Copy, Debug)]
pub struct PairedScores<'a> {
    /// Scores by topic; NaN where there is none.
    pub now: &'a [f64],
    /// Those of the baseline.
    pub baseline: &'a [f64],
    /// 1 if higher values are better, -1 if lower ones are.
    pub sign: f64,
    /// The margin, or the proportion of the baseline's mean that it is.
    pub amount: f64,
    /// Whether it is a proportion.
    pub relative: bool,
    /// The width of the measure's range.
    pub span: f64,
}

/// How comparisons are decided.
#[derive(Clone, Copy, Debug)]
pub struct DecidingRule {
    /// The tests.
    pub asked: MarginAsked,
    /// Whether a gain may not be above the margin either.
    pub equal: bool,
    /// The chance of a pass for what is planned.
    pub power: f64,
}

/// What is known of one comparison, in the units of the measure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MarginVerdict {
    /// What is decided.
    pub decision: MarginDecision,
    /// The margin.
    pub margin: f64,
    /// The ends of the interval of the change.
    pub ends: (f64, f64),
    /// Of "the loss is at least the margin".
    pub p_pass: f64,
    /// Of "the loss is at most the margin", not corrected.
    pub p_fail: f64,
    /// The smallest difference that these topics show.
    pub detectable: f64,
    /// The smallest margin that these topics would pass if nothing changed.
    pub least_margin: f64,
    /// How many topics would pass if nothing changed.
    pub needed: Option<u64>,
    /// How many topics both have, and in how many of these the scores differ.
    pub topics: (usize, usize),
}

/// The verdicts of comparisons, which fail after Holm's correction over all of them.
pub fn verdicts(
    pairs: &[PairedScores<'_>],
    rule: &DecidingRule,
    work: &Work,
) -> Result<Vec<MarginVerdict>> {
    let turned = |scores: &[f64], sign: f64| scores.iter().map(|x| sign * x).collect::<Vec<f64>>();
    let both: Vec<[Vec<f64>; 2]> = pairs
        .iter()
        .map(|pair| [turned(pair.now, pair.sign), turned(pair.baseline, pair.sign)])
        .collect();
    let row = |(pair, both): (&PairedScores<'_>, _)| -> MarginRow<'_> {
        let [now, baseline]: &[Vec<f64>; 2] = both;
        let factor = if pair.relative { 1.0 - pair.sign * pair.amount } else { 1.0 };
        let (worst, best) = if pair.sign > 0.0 { (-factor, 1.0) } else { (-1.0, factor) };
        let margin = if pair.relative { 0.0 } else { pair.amount };
        MarginRow { now, baseline, factor, margin, range: (worst * pair.span, best * pair.span) }
    };
    let rows: Vec<MarginRow<'_>> = pairs.iter().zip(&both).map(row).collect();
    let found = margins(&rows, &rule.asked, work)?;
    let p_fail = |found: &MarginFound| {
        let (loss, gain) = (found.below_loss, found.above_gain);
        if rule.equal && !loss.is_nan() { (2.0 * loss.min(gain)).min(1.0) } else { loss }
    };
    let p_fails: Vec<f64> = found.iter().map(p_fail).collect();
    let known: Vec<f64> = p_fails.iter().copied().filter(|p| !p.is_nan()).collect();
    let mut corrected = correct(&known, Correction::Holm)?.into_iter();
    let cells = pairs.iter().zip(&found).zip(p_fails);
    let mut known = HashMap::new();
    let verdict = |((pair, found), p_fail): ((_, &MarginFound), f64)| {
        let corrected = if p_fail.is_nan() { None } else { corrected.next() };
        let effects =
            *known.entry(found.topics).or_insert_with_key(|&topics| rule.detectable(topics));
        rule.verdict(pair, found, effects, [p_fail, corrected.unwrap_or(1.0)])
    };
    Ok(cells.map(verdict).collect())
}

impl DecidingRule {
    /// The smallest effects that so many topics show in a two-sided and in a one-sided test.
    fn detectable(&self, topics: usize) -> [f64; 2] {
        [TestSides::Two, TestSides::One].map(|sides| {
            let design = TestDesign { alpha: self.asked.alpha, sides };
            if topics < 2 { f64::NAN } else { design.detectable(topics as f64, self.power) }
        })
    }

    fn verdict(
        &self,
        pair: &PairedScores<'_>,
        found: &MarginFound,
        effects: [f64; 2],
        [p_fail, corrected]: [f64; 2],
    ) -> MarginVerdict {
        let error = self.asked.alpha;
        let (mut margin, mut low, mut high) = (pair.amount, found.low, found.high);
        if pair.relative {
            let sum: f64 = pair.baseline.iter().fold(0.0, |sum, x| sum + x);
            margin *= (sum / pair.baseline.len().max(1) as f64).abs();
            (low, high) = (low - margin, high - margin);
        }
        let (loss, gain) = (found.above_loss, found.below_gain);
        let p_pass = if self.equal && gain > loss { gain } else { loss };
        let decision = if p_pass <= error {
            MarginDecision::Pass
        } else if corrected <= error {
            MarginDecision::Fail
        } else {
            MarginDecision::Open
        };
        let [detectable, least_margin] = effects.map(|effect| found.deviation * effect);
        let is_open = decision == MarginDecision::Open;
        MarginVerdict {
            decision,
            margin,
            ends: if pair.sign < 0.0 { (-high, -low) } else { (low, high) },
            p_pass,
            p_fail,
            detectable,
            least_margin,
            needed: if is_open { self.needed(pair, margin, found.deviation) } else { None },
            topics: (found.topics, found.changed),
        }
    }

    /// How many topics pass with the power asked for if nothing changes.
    fn needed(&self, pair: &PairedScores<'_>, margin: f64, deviation: f64) -> Option<u64> {
        if !(margin > 0.0 && deviation > 0.0) {
            return None;
        }
        let error = self.asked.alpha;
        // Both of two independent-looking tests have to pass.
        let power = if self.equal { f64::midpoint(1.0, self.power) } else { self.power };
        let design = TestDesign { alpha: error, sides: TestSides::One };
        let mut needed = design.topics(margin / deviation, power);
        if self.asked.test == MarginTest::Bounded {
            let proportion = margin / pair.span;
            needed = needed.max((error.ln() / (-proportion).ln_1p()).ceil());
        }
        (needed < (1u64 << 53) as f64).then_some(needed as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verdicts_do_not_depend_on_threads() {
        let now: Vec<f64> = (0..40).map(|k| f64::from(k * 7 % 11) / 11.0).collect();
        let baseline: Vec<f64> = (0..40).map(|k| f64::from(k * 5 % 13) / 13.0).collect();
        let pair = PairedScores {
            now: &now,
            baseline: &baseline,
            sign: 1.0,
            amount: 0.01,
            relative: false,
            span: 1.0,
        };
        let drawing = [MarginTest::Studentized, MarginTest::Flips, MarginTest::Bounded];
        for test in drawing {
            let asked = MarginAsked { test, alpha: 0.05, replicates: 99, seed: 1 };
            let rule = DecidingRule { asked, equal: false, power: 0.8 };
            let of = |threads| verdicts(&[pair; 5], &rule, &Work { threads: Some(threads) });
            let alone = of(1).unwrap();
            assert!([2, 5].iter().all(|&threads| of(threads).unwrap() == alone), "{test:?}");
        }
    }
}
