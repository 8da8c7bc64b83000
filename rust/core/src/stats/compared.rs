//! What a comparison says of a pair of runs beside its test: means, wins, the smallest difference
//! that would show, and how far missing judgments could move both.

use std::collections::HashMap;

use super::paired::{Pair, ScoreTable};
use super::power::TestDesign;
use crate::interrupt::Steps;
use crate::numbers::pairwise_sum;

/// Scores that differ by no more are equal.
pub const TIED_SCORES: f64 = 1e-9;

/// The scores of runs in a measure, and what else is known of them.
#[derive(Clone, Copy, Debug)]
pub struct ComparedRuns<'a> {
    /// The scores.
    pub scores: ScoreTable<'a>,
    /// The proportion of judged documents.
    pub judged: Option<ScoreTable<'a>>,
    /// The lowest and the highest scores after full judging.
    pub bounds: Option<[ScoreTable<'a>; 2]>,
    /// Whether only topics count that all runs have, and not those of both runs of a pair.
    pub whole: bool,
    /// 1 if higher values are better, -1 if lower ones are.
    pub sign: f64,
    /// The test of what is detectable, and with which power.
    pub design: TestDesign,
    /// The chance to find a difference of that size.
    pub power: f64,
}

/// Of the topics of a pair, each by run where there are two.
#[derive(Clone, Debug, PartialEq)]
pub struct ComparedPair {
    /// How many topics.
    pub topics: usize,
    /// The means.
    pub means: [f64; 2],
    /// The means of the proportions that are defined.
    pub judged: [Option<f64>; 2],
    /// The lowest and the highest mean of each run.
    pub bounds: [Option<[f64; 2]>; 2],
    /// The lowest and the highest mean difference after judging.
    pub span: Option<[f64; 2]>,
    /// Whether that leaves it open which run is better.
    pub is_open: Option<bool>,
    /// On how many topics the first run is better, as good, and worse.
    pub outcomes: [usize; 3],
    /// The smallest difference that a t test finds; none for one topic.
    pub detectable: Option<f64>,
}

/// The lowest and the highest differences of a pair by topic.
pub type DifferenceBounds<'a> = Option<[&'a [f64]; 2]>;

impl ComparedRuns<'_> {
    /// What there is to say of pairs, of which the mean differences are known.
    pub fn pairs(
        &self,
        pairs: &[Pair],
        differences: &[f64],
        spans: &[DifferenceBounds<'_>],
    ) -> Vec<ComparedPair> {
        let systems = 0..self.scores.systems();
        let has_all =
            |topic: usize| systems.clone().all(|run| !self.scores.row(run)[topic].is_nan());
        let everywhere: Vec<usize> =
            (0..self.scores.topics()).filter(|&topic| has_all(topic)).collect();
        let (mut steps, mut known) = (Steps::default(), HashMap::new());
        let own = |(place, &(first, second)): (usize, &Pair)| {
            let both = [self.scores.row(first), self.scores.row(second)];
            let has_both = |&topic: &usize| both.iter().all(|row| !row[topic].is_nan());
            let topics = if self.whole {
                everywhere.clone()
            } else {
                (0..self.scores.topics()).filter(has_both).collect()
            };
            let detectable = *known
                .entry(topics.len())
                .or_insert_with_key(|&n| (n > 1).then(|| self.detectable(n)));
            let span = spans.get(place).copied().flatten();
            self.pair([first, second], &topics, detectable, differences[place], span)
        };
        let go_on = |_: &(usize, &Pair)| !steps.stop_after(4 * self.scores.topics());
        pairs.iter().enumerate().take_while(go_on).map(own).collect()
    }

    /// In standard deviations of the differences.
    fn detectable(&self, topics: usize) -> f64 {
        self.design.detectable(topics as f64, self.power)
    }

    fn pair(
        &self,
        runs: [usize; 2],
        topics: &[usize],
        detectable: Option<f64>,
        difference: f64,
        span: DifferenceBounds<'_>,
    ) -> ComparedPair {
        let of = |table: ScoreTable<'_>, run: usize| chosen(table.row(run), topics);
        let [first, second] = runs.map(|run| of(self.scores, run));
        let each = |(a, b): (&f64, &f64)| self.sign * (a - b);
        let each: Vec<f64> = first.iter().zip(&second).map(each).collect();
        let judged = |table| runs.map(|run| known_mean(&of(table, run)));
        let bounds = runs.map(|run| self.bounds.map(|ends| ends.map(|end| mean(&of(end, run)))));
        let span = span
            .map(|ends| ends.map(|end| mean(&chosen(end, topics))))
            .filter(|[low, _]| !low.is_nan())
            .or_else(|| Some([bounds[0]?[0] - bounds[1]?[1], bounds[0]?[1] - bounds[1]?[0]]));
        let wins = each.iter().filter(|&&x| x > TIED_SCORES).count();
        let losses = each.iter().filter(|&&x| x < -TIED_SCORES).count();
        ComparedPair {
            topics: topics.len(),
            means: [mean(&first), mean(&second)],
            judged: self.judged.map_or([None; 2], judged),
            bounds,
            span,
            is_open: span.map(|ends| is_open(difference, ends)),
            outcomes: [wins, each.len() - wins - losses, losses],
            detectable: detectable.map(|effect| deviation(&each) * effect),
        }
    }
}

/// The values of some topics.
fn chosen(row: &[f64], topics: &[usize]) -> Vec<f64> {
    topics.iter().map(|&topic| row[topic]).collect()
}

fn mean(values: &[f64]) -> f64 {
    pairwise_sum(values) / values.len() as f64
}

/// The sample deviation.
fn deviation(values: &[f64]) -> f64 {
    let mean = mean(values);
    let squares: Vec<f64> = values.iter().map(|x| (x - mean) * (x - mean)).collect();
    (pairwise_sum(&squares) / (values.len() as f64 - 1.0)).sqrt()
}

/// The mean of what is defined.
fn known_mean(values: &[f64]) -> Option<f64> {
    let known = values.iter().filter(|value| !value.is_nan());
    let count = known.clone().count();
    (count > 0).then(|| known.fold(0.0, |sum, value| sum + value) / count as f64)
}

/// Whether the bounds leave it open which run is better after judging.
fn is_open(difference: f64, [low, high]: [f64; 2]) -> bool {
    let is_higher = difference > TIED_SCORES && low > TIED_SCORES;
    let is_lower = difference < -TIED_SCORES && high < -TIED_SCORES;
    !(is_higher || is_lower)
}

#[cfg(test)]
mod tests {
    use super::super::power::TestSides;
    use super::*;

    #[test]
    fn two_runs_by_hand() {
        let nan = f64::NAN;
        let values = [0.5, 0.4, nan, 0.2, 0.1, 0.4, 0.3, 0.6];
        let judged = [1.0, nan, nan, 0.5, 0.25, 0.25, 1.0, 1.0];
        let (low, high) = ([0.4; 8], [0.6; 8]);
        let runs = ComparedRuns {
            scores: ScoreTable::new(&values, 4),
            judged: Some(ScoreTable::new(&judged, 4)),
            bounds: Some([ScoreTable::new(&low, 4), ScoreTable::new(&high, 4)]),
            whole: false,
            sign: 1.0,
            design: TestDesign { alpha: 0.05, sides: TestSides::Two },
            power: 0.8,
        };
        // Topics 1, 2 and 4: differences .4, 0, -.4
        let found = &runs.pairs(&[(0, 1)], &[0.0], &[None])[0];
        assert_eq!((found.topics, found.outcomes), (3, [1, 1, 1]));
        assert_eq!(found.judged, [Some(0.75), Some(0.5)]);
        let span = found.span.unwrap();
        assert!((span[0] + 0.2).abs() < 1e-15 && (span[1] - 0.2).abs() < 1e-15);
        assert_eq!(found.is_open, Some(true));
        let expected = 0.4 * runs.design.detectable(3.0, 0.8);
        assert!((found.detectable.unwrap() - expected).abs() < 1e-12);
        // The bounds of the difference itself are narrower, and above 0.
        let (low, high) = ([0.1; 4], [0.3; 4]);
        let found = &runs.pairs(&[(0, 1)], &[0.2], &[Some([&low, &high])])[0];
        assert_eq!(found.is_open, Some(false));
        // Of lower values that are better the second run's are.
        let lower = ComparedRuns { sign: -1.0, judged: None, bounds: None, ..runs };
        let found = &lower.pairs(&[(1, 0)], &[0.0], &[])[0];
        assert_eq!((found.judged, found.span, found.is_open), ([None; 2], None, None));
        assert_eq!(found.outcomes, [1, 1, 1]);
    }
}
