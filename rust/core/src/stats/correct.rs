//! Corrections for multiple tests: p-values that may be compared with alpha
//! as if there were only one test.

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

/// The corrected p-values, in the order of the given ones.
pub fn correct(pvalues: &[f64], correction: Correction) -> Vec<f64> {
    let tests = pvalues.len() as f64;
    let mut order: Vec<usize> = (0..pvalues.len()).collect();
    order.sort_by(|&a, &b| pvalues[a].total_cmp(&pvalues[b]));
    let mut corrected = vec![0.0; pvalues.len()];
    match correction {
        Correction::Bonferroni => {
            corrected = pvalues.iter().map(|p| (p * tests).min(1.0)).collect();
        }
        Correction::Holm => {
            let mut most = 0.0f64;
            for (place, &at) in order.iter().enumerate() {
                most = most.max(pvalues[at] * (tests - place as f64));
                corrected[at] = most.min(1.0);
            }
        }
        Correction::BenjaminiHochberg => {
            let mut least = 1.0f64;
            for (place, &at) in order.iter().enumerate().rev() {
                least = least.min(pvalues[at] * tests / (place as f64 + 1.0));
                corrected[at] = least;
            }
        }
    }
    corrected
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
        near(correct(&p, Correction::Holm), [0.03, 0.06, 0.06, 0.02]);
        near(correct(&p, Correction::Bonferroni), [0.04, 0.16, 0.12, 0.02]);
        near(correct(&p, Correction::BenjaminiHochberg), [0.02, 0.04, 0.04, 0.02]);
        assert!(correct(&[], Correction::Holm).is_empty());
    }
}
