//! Prediction-powered inference: the mean over all topics, from gold values of some and a model's
//! values of all. Sums are in numpy's order.

use std::hint::black_box;

use crate::numbers::pairwise_sum;

/// The values of a stratum.
#[derive(Clone, Debug)]
pub struct PredictedStratum {
    /// Its proportion of the other topics.
    pub weight: f64,
    /// Under gold judgments.
    pub gold: Vec<f64>,
    /// Under the model's judgments of the same topics.
    pub model: Vec<f64>,
    /// Under the model's judgments of the other topics.
    pub others: Vec<f64>,
}

/// Two estimates of a mean.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PredictedMean {
    /// With the model.
    pub estimate: f64,
    /// The variance of that.
    pub variance: f64,
    /// From gold alone.
    pub gold: f64,
    /// The variance of that.
    pub gold_variance: f64,
    /// How much the model counts in each stratum.
    pub lams: Vec<f64>,
}

/// The mean over all strata. The model counts as much as `lam` says, or as makes the interval
/// narrowest.
pub fn predicted_mean(strata: &[PredictedStratum], lam: Option<f64>) -> PredictedMean {
    let mut found = PredictedMean::default();
    for stratum in strata {
        let PredictedStratum { weight, gold, others, .. } = stratum;
        let lam = lam.unwrap_or_else(|| stratum.narrowest());
        let rest: Vec<f64> =
            gold.iter().zip(&stratum.model).map(|(gold, model)| gold - lam * model).collect();
        let squared_weight = squared(*weight);
        found.estimate += weight * (lam * mean(others) + mean(&rest));
        found.variance += squared_weight
            * (squared(lam) * variance(others, 0.0) / others.len() as f64
                + variance(&rest, 0.0) / gold.len() as f64);
        found.gold += weight * mean(gold);
        found.gold_variance += squared_weight * variance(gold, 0.0) / gold.len() as f64;
        found.lams.push(lam);
    }
    found
}

impl PredictedStratum {
    /// How much the model counts for the narrowest interval, within 0 and 1.
    fn narrowest(&self) -> f64 {
        let all = [&self.model[..], &self.others].concat();
        let spread = variance(&all, 1.0);
        let largest = all.iter().fold(0.0, |most: f64, value| most.max(value.abs()));
        // The values of a constant model differ by rounding only.
        if spread <= squared(1e-13 * largest) {
            return 0.0;
        }
        let (gold, model) = (mean(&self.gold), mean(&self.model));
        let pairs = self.gold.iter().zip(&self.model);
        let products: Vec<f64> = pairs.map(|(y, f)| (y - gold) * (f - model)).collect();
        let share = 1.0 + self.gold.len() as f64 / self.others.len() as f64;
        (mean(&products) / (share * spread)).clamp(0.0, 1.0)
    }
}

fn mean(values: &[f64]) -> f64 {
    pairwise_sum(values) / values.len() as f64
}

fn variance(values: &[f64], less: f64) -> f64 {
    let mean = mean(values);
    let squares: Vec<f64> = values.iter().map(|value| (value - mean) * (value - mean)).collect();
    pairwise_sum(&squares) / (values.len() as f64 - less)
}

/// The square as Python's `**` has it: the compiler would make a product of a known exponent.
fn squared(value: f64) -> f64 {
    value.powf(black_box(2.0))
}
