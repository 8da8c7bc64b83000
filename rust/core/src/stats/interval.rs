//! Confidence intervals of means: Student's t, and Efron's percentile and
//! `BCa` intervals from topics drawn with replacement.

use super::distribution::{Student, normal_cdf, normal_quantile};
use super::paired::{Alternative, Moments};
use super::resample::{Work, drawn};
use crate::error::Result;
use crate::interrupt::Steps;
use crate::memory;

/// An interval; its ends may be infinite, or NaN where it is undefined.
pub type Interval = (f64, f64);

/// How an interval is computed from bootstrap means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IntervalMethod {
    /// Between percentiles of the means.
    Percentile,
    /// The same, corrected for bias and for a spread that changes (Efron 1987).
    Bca,
}

/// The t interval around each mean. One-sided alternatives have one-sided
/// intervals, which hold the means that a test at 1 - confidence does not reject.
pub fn t_intervals(
    moments: &[Moments],
    confidence: f64,
    alternative: Alternative,
) -> Vec<Interval> {
    let mut prepared = (0, f64::NAN);
    let one = |m: &Moments| {
        if m.n < 2 {
            return (f64::NAN, f64::NAN);
        }
        if prepared.0 != m.n {
            let tail = if alternative == Alternative::TwoSided { 2.0 } else { 1.0 };
            prepared = (m.n, Student::new(m.n as f64 - 1.0).isf((1.0 - confidence) / tail));
        }
        let reach = prepared.1 * m.deviation / (m.n as f64).sqrt();
        match alternative {
            Alternative::TwoSided => (m.mean - reach, m.mean + reach),
            Alternative::Less => (f64::NEG_INFINITY, m.mean + reach),
            Alternative::Greater => (m.mean - reach, f64::INFINITY),
        }
    };
    moments.iter().map(one).collect()
}

/// Bootstrap intervals of the means of samples, two-sided. Samples of the
/// same length share their draws. NaN for an empty sample.
pub fn bootstrap_intervals(
    samples: &[Vec<f64>],
    method: IntervalMethod,
    confidence: f64,
    replicates: usize,
    seed: u64,
    work: &Work,
) -> Result<Vec<Interval>> {
    const SAMPLES: usize = 16;
    let mut lengths: Vec<usize> = samples.iter().map(Vec::len).filter(|&n| n > 0).collect();
    lengths.sort_unstable();
    lengths.dedup();
    let mut found = vec![(f64::NAN, f64::NAN); samples.len()];
    // One length after the other, so that few draws are in memory.
    for n in lengths {
        let draws = drawn(n, replicates, seed)?;
        // Each of some threads has the means of a sample.
        memory::room_for(replicates.saturating_mul(8 * size_of::<f64>()))?;
        let chosen: Vec<usize> = (0..samples.len()).filter(|&k| samples[k].len() == n).collect();
        let block = |k: usize| {
            let some = chosen.iter().skip(k * SAMPLES).take(SAMPLES);
            some.map(|&k| of_sample(&samples[k], &draws, method, confidence)).collect::<Vec<_>>()
        };
        let intervals = work.blocks(chosen.len().div_ceil(SAMPLES), block)?.concat();
        for (k, interval) in chosen.into_iter().zip(intervals) {
            found[k] = interval;
        }
    }
    Ok(found)
}

fn of_sample(sample: &[f64], draws: &[u32], method: IntervalMethod, confidence: f64) -> Interval {
    let n = sample.len() as f64;
    let mean = |row: &[u32]| row.iter().map(|&t| sample[t as usize]).sum::<f64>() / n;
    let mut steps = Steps::default();
    let rows = draws.chunks_exact(sample.len());
    let mut means: Vec<f64> =
        rows.take_while(|row| !steps.stop_after(row.len())).map(mean).collect();
    if means.is_empty() {
        return (f64::NAN, f64::NAN);
    }
    means.sort_unstable_by(f64::total_cmp);
    let tail = (1.0 - confidence) / 2.0;
    if method == IntervalMethod::Percentile {
        return (percentile(&means, tail), percentile(&means, 1.0 - tail));
    }
    let centre = sample.iter().sum::<f64>() / n;
    let rests = || sample.iter().map(|x| x - centre);
    let squares: f64 = rests().map(|x| x * x).sum();
    let size = sample.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
    let rounding = 1e-12 * size;
    if rests().all(|x| x.abs() <= rounding) {
        return (centre, centre);
    }
    let below = means.partition_point(|&m| m < centre - rounding);
    let up_to = means.partition_point(|&m| m <= centre + rounding);
    // Means that tie with the observed one are half below it.
    let bias = normal_quantile((below + up_to) as f64 / (2.0 * means.len() as f64));
    // The jackknife's values of a mean are the rests over n - 1.
    let acceleration = rests().map(|x| x * x * x).sum::<f64>() / (6.0 * squares.powf(1.5));
    let place = |p: f64| {
        let z = bias + normal_quantile(p);
        normal_cdf(bias + z / (1.0 - acceleration * z))
    };
    (percentile(&means, place(tail)), percentile(&means, place(1.0 - tail)))
}

/// A quantile of sorted numbers, interpolated linearly.
fn percentile(sorted: &[f64], p: f64) -> f64 {
    let place = p * (sorted.len() as f64 - 1.0);
    if place.is_nan() {
        return f64::NAN;
    }
    let (low, high) = (sorted[place.floor() as usize], sorted[place.ceil() as usize]);
    low + (high - low) * place.fract()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_interpolated() {
        assert_eq!(percentile(&[1.0, 2.0, 4.0], 0.75), 3.0);
        assert_eq!(percentile(&[1.0, 2.0, 4.0], 1.0), 4.0);
    }

    #[test]
    fn a_constant_has_an_interval_of_no_width() {
        let work = Work::default();
        for method in [IntervalMethod::Percentile, IntervalMethod::Bca] {
            let samples = [vec![0.25; 4], vec![]];
            let found = bootstrap_intervals(&samples, method, 0.95, 100, 0, &work).unwrap();
            assert_eq!(found[0], (0.25, 0.25));
            assert!(found[1].0.is_nan());
        }
    }

    #[test]
    fn symmetric_samples_need_little_correction() {
        let sample = vec![-3.0, -1.0, 0.0, 1.0, 3.0];
        let found = |method| {
            let samples = [sample.clone()];
            bootstrap_intervals(&samples, method, 0.9, 20_000, 2, &Work::default()).unwrap()[0]
        };
        let (plain, corrected) = (found(IntervalMethod::Percentile), found(IntervalMethod::Bca));
        assert!((plain.0 - corrected.0).abs() < 0.21 && (plain.1 - corrected.1).abs() < 0.21);
    }
}
