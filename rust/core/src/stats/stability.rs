//! Whether measures order runs in the same way on other topics, or from other judgments.

use super::correlate::pearson;
use super::order::{TauMethod, Variant, kendall};
use super::paired::{Alternative, Pair, ScoreTable, moments, t_test};
use crate::error::Result;
use crate::interrupt;
use crate::numbers::pairwise_sum;

/// Means that are closer than this, relatively, are tied: sums of the same numbers in another
/// order differ in their last bits.
const TIED: f64 = 1e-9;

/// Values by run, topic and measure.
#[derive(Clone, Copy, Debug)]
pub struct MeasureCube<'a> {
    /// The values, row after row.
    pub values: &'a [f64],
    /// How many topics there are.
    pub topics: usize,
    /// How many measures.
    pub measures: usize,
}

/// Two sets of topics.
pub type TopicSets = (Vec<usize>, Vec<usize>);

/// How often the order of two runs is reversed on other topics, by their difference.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OrderSwaps {
    /// Reversed comparisons by measure and class.
    pub swaps: Vec<f64>,
    /// All comparisons.
    pub comparisons: Vec<f64>,
}

impl MeasureCube<'_> {
    fn runs(&self) -> usize {
        self.values.len().checked_div(self.topics * self.measures).unwrap_or(0)
    }

    /// The values of a measure on some topics, a row a run.
    fn part(&self, measure: usize, topics: &[usize]) -> Vec<f64> {
        let value = |run: usize, topic: &usize| {
            self.values[(run * self.topics + topic) * self.measures + measure]
        };
        (0..self.runs()).flat_map(|run| topics.iter().map(move |topic| value(run, topic))).collect()
    }

    fn means(&self, measure: usize, topics: &[usize]) -> Vec<f64> {
        let part = self.part(measure, topics);
        let mean = |row: &[f64]| row.iter().sum::<f64>() / topics.len() as f64;
        part.chunks_exact(topics.len().max(1)).map(mean).collect()
    }

    fn pairs(&self) -> Vec<Pair> {
        let runs = self.runs();
        (0..runs).flat_map(|a| (a + 1..runs).map(move |b| (a, b))).collect()
    }

    /// Whether each pair differs significantly on some topics, by the t test.
    fn differ(&self, measure: usize, topics: &[usize], pairs: &[Pair], alpha: f64) -> Vec<bool> {
        let part = self.part(measure, topics);
        let moments = moments(ScoreTable::new(&part, topics.len()), pairs);
        let tested = t_test(&moments, Alternative::TwoSided);
        tested.into_iter().map(|tested| tested.pvalue < alpha).collect()
    }

    /// Compares pairs of runs on two sets of topics, in classes of this width by their difference
    /// on the first; with `alpha` only those that differ significantly there.
    pub fn swaps(
        &self,
        sets: &[TopicSets],
        classes: usize,
        width: f64,
        alpha: Option<f64>,
    ) -> Result<OrderSwaps> {
        let size = self.measures * classes;
        let mut found = OrderSwaps { swaps: vec![0.0; size], comparisons: vec![0.0; size] };
        let pairs = self.pairs();
        for (first, second) in sets {
            interrupt::check()?;
            for measure in 0..self.measures {
                let (before, after) = (self.means(measure, first), self.means(measure, second));
                let differ = match alpha {
                    Some(alpha) => self.differ(measure, first, &pairs, alpha),
                    None => vec![true; pairs.len()],
                };
                for ((a, b), differs) in pairs.iter().zip(differ) {
                    let d = difference_or_zero(before[*a], before[*b]);
                    let e = difference_or_zero(after[*a], after[*b]);
                    if d == 0.0 || !differs {
                        continue;
                    }
                    let class = ((d.abs() / width + TIED) as usize).min(classes - 1);
                    found.comparisons[measure * classes + class] += 1.0;
                    found.swaps[measure * classes + class] += f64::from(d * e < 0.0);
                }
            }
        }
        Ok(found)
    }

    /// Tau-b between the order of runs by each measure on the first topics and by each on the
    /// second, summed over the sets: measures x measures.
    pub fn cross_taus(&self, sets: &[TopicSets]) -> Result<Vec<f64>> {
        let mut sums = vec![0.0; self.measures * self.measures];
        let means = |topics: &[usize]| -> Vec<Vec<f64>> {
            (0..self.measures).map(|measure| self.means(measure, topics)).collect()
        };
        for (first, second) in sets {
            interrupt::check()?;
            let (first, second) = (means(first), means(second));
            let each = first.iter().flat_map(|x| second.iter().map(move |y| (x, y)));
            for (sum, (x, y)) in sums.iter_mut().zip(each) {
                *sum += tau(x, y)?;
            }
        }
        Ok(sums)
    }

    /// For each set of topics and each measure the proportion of pairs of runs that differ
    /// significantly, and tau-b with the order of runs on all topics.
    pub fn of_fewer_topics(&self, sets: &[Vec<usize>], alpha: f64) -> Result<[Vec<f64>; 2]> {
        let every: Vec<usize> = (0..self.topics).collect();
        let full: Vec<Vec<f64>> =
            (0..self.measures).map(|measure| self.means(measure, &every)).collect();
        let (pairs, mut power, mut taus) = (self.pairs(), Vec::new(), Vec::new());
        for topics in sets {
            interrupt::check()?;
            for (measure, full) in full.iter().enumerate() {
                let differ = self.differ(measure, topics, &pairs, alpha);
                let number = differ.iter().filter(|differs| **differs).count();
                power.push(number as f64 / pairs.len() as f64);
                taus.push(tau(full, &self.means(measure, topics))?);
            }
        }
        Ok([power, taus])
    }
}

/// A difference in means, 0 where they are tied.
fn difference_or_zero(x: f64, y: f64) -> f64 {
    if (x - y).abs() <= TIED * x.abs().max(y.abs()) { 0.0 } else { x - y }
}

fn tau(x: &[f64], y: &[f64]) -> Result<f64> {
    Ok(kendall(x, y, Variant::B, TauMethod::Auto, TIED)?.statistic)
}

/// How summaries of runs agree with those that are true, of each measure: tau-b, Pearson's
/// correlation, and the root mean square of their differences. Correlations are with the truth
/// times `signs`, and NaN where either is constant.
pub fn against_truth(
    summaries: &[Vec<f64>],
    truth: &[Vec<f64>],
    signs: &[f64],
) -> Result<[Vec<f64>; 3]> {
    let [mut taus, mut rhos, mut errors] = [(); 3].map(|()| Vec::new());
    for ((x, y), sign) in summaries.iter().zip(truth).zip(signs) {
        let turned: Vec<f64> = y.iter().map(|value| sign * value).collect();
        let is_constant = |values: &[f64]| values.iter().all(|value| *value == values[0]);
        let is_undefined = is_constant(x) || is_constant(y);
        taus.push(if is_undefined { f64::NAN } else { tau(x, &turned)? });
        rhos.push(if is_undefined { f64::NAN } else { pearson(x, &turned)?.statistic });
        let squares: Vec<f64> = x.iter().zip(y).map(|(x, y)| (x - y) * (x - y)).collect();
        errors.push((pairwise_sum(&squares) / squares.len() as f64).sqrt());
    }
    Ok([taus, rhos, errors])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_order_that_is_reversed_is_a_swap() {
        // Two runs on two topics: .5 and .3 on the first, .2 and .4 on the second.
        let values = [0.5, 0.2, 0.3, 0.4];
        let cube = MeasureCube { values: &values, topics: 2, measures: 1 };
        let found = cube.swaps(&[(vec![0], vec![1])], 4, 0.1, None).unwrap();
        assert_eq!(found.comparisons, [0.0, 0.0, 1.0, 0.0]);
        assert_eq!(found.swaps, found.comparisons);
        assert_eq!(cube.cross_taus(&[(vec![0], vec![1])]).unwrap(), [-1.0]);
    }

    #[test]
    fn what_is_constant_has_no_order() {
        let found = against_truth(&[vec![0.5, 0.5]], &[vec![0.5, 0.0]], &[1.0]).unwrap();
        assert!(found[0][0].is_nan() && found[1][0].is_nan());
        assert_eq!(found[2], [0.125_f64.sqrt()]);
    }
}
