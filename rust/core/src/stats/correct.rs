//! Corrections for multiple tests: p-values that may be compared with alpha
//! as if there were only one test.

use super::order::in_total_order;
use crate::error::Result;
use crate::interrupt;

/// How p-values are corrected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Correction {
    /// Bonferroni's: times the number of tests.
    Bonferroni,
    /// Holm's step-down form of it, which is never less powerful.
    Holm,
    /// Benjamini and Hochberg's: bounds the share of false discoveries.
    BenjaminiHochberg,
}

/// The corrected p-values, in the order of the given ones. An error (kind "cancelled") if the
/// work is to stop.
pub fn correct(pvalues: &[f64], correction: Correction) -> Result<Vec<f64>> {
    let tests = pvalues.len() as f64;
    if correction == Correction::Bonferroni {
        return Ok(pvalues.iter().map(|p| (p * tests).min(1.0)).collect());
    }
    let mut order: Vec<(i64, usize)> =
        pvalues.iter().map(|&p| in_total_order(p)).zip(0..).collect();
    interrupt::sort(&mut order);
    interrupt::check()?;
    let mut steps = interrupt::Steps::default();
    let mut corrected = vec![0.0; pvalues.len()];
    if correction == Correction::Holm {
        let mut most = 0.0f64;
        for (place, &(_, at)) in order.iter().enumerate() {
            steps.step()?;
            most = most.max(pvalues[at] * (tests - place as f64));
            corrected[at] = most.min(1.0);
        }
    } else {
        let mut least = 1.0f64;
        for (place, &(_, at)) in order.iter().enumerate().rev() {
            steps.step()?;
            least = least.min(pvalues[at] * tests / (place as f64 + 1.0));
            corrected[at] = least;
        }
    }
    Ok(corrected)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn four_p_values() {
        // the record "holm" of tests/data/vectors.json, and by hand
        let p = [0.01, 0.04, 0.03, 0.005];
        let near = |found: Vec<f64>, expected: [f64; 4]| {
            for (x, y) in found.iter().zip(expected) {
                assert!((x - y).abs() < 1e-15, "{found:?} {expected:?}");
            }
        };
        near(correct(&p, Correction::Holm).unwrap(), [0.03, 0.06, 0.06, 0.02]);
        near(correct(&p, Correction::Bonferroni).unwrap(), [0.04, 0.16, 0.12, 0.02]);
        near(correct(&p, Correction::BenjaminiHochberg).unwrap(), [0.02, 0.04, 0.04, 0.02]);
        assert!(correct(&[], Correction::Holm).unwrap().is_empty());
    }
}
