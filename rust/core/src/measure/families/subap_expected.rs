//! The expectation of subcollection average precision.

use super::subap::{SHARE, share};
use crate::measure::declare::*;

pub static FAMILY: Family = Family {
    about: About {
        name: "subAP_expected",
        aliases: &["expected_subAP"],
        group: "estimates",
        summary: "The expected value of subAP over all random choices.",
        prose: "It is exact and needs no seed: of the m documents from outside the pool above a relevant one, the number kept is binomial. With p = 1 and no pooled document unjudged it is AP, with p = 0 it is AP on the condensed list. Without p the judged share of the pool is taken, which is 1 if no document is marked as pooled and not judged (a negative grade).",
        formula: "subAP_expected = (1/R) sum over relevant documents retrieved of E[c / (c + n + B)], B binomial with m trials and probability p, where c counts relevant documents up to it, n those judged not relevant and m those outside the pool above",
        citation: "after Yilmaz and Aslam (2006), Estimating average precision with incomplete and imperfect judgments, CIKM, section 2.4",
        range: "[0, 1]",
        better: |_| Better::Higher,
    },
    takes: Takes { params: &[SHARE], prime: false, ..Takes::NONE },
    sees: Sees::GRADES,
    laws: Laws {
        bounds: |_| Bounds::Refused("it is an estimate, and no exact method is known"),
        ..Laws::UNKNOWN
    },
    score: |measure, case| {
        let p = share(measure, case);
        let precisions = case.relevant(u32::MAX).iter().map(|d| {
            let judged = d.seen + d.nonrelevant;
            let outside = d.rank - judged - d.pooled;
            f64::from(d.seen) * mean_reciprocal(judged, outside, p)
        });
        precisions.sum::<f64>() / case.num_rel()
    },
    peers: &[],
    examples: &[Example {
        measure: "subAP_expected(p=0.5)",
        judgments: "a=1 b=0 c=1 d=0 e=1",
        list: "a x b c d",
        value: (1.0 + 0.5 * (2.0 / 3.0 + 0.5)) / 3.0,
        working: "x is kept in half of all cases: (1 + (2/3 + 2/4) / 2) / 3",
    }],
};

/// E[1 / (a + B)] for B binomial with m trials and probability p.
///
/// It is the integral of x^(a-1) (q + p x)^m over [0, 1]; by parts,
/// E(m) = (1 + m q E(m - 1)) / (m + a) with q = 1 - p. An error in E(m - 1)
/// shrinks at each step at least by m q / (m + a), so the start need not reach
/// back to m = 0.
fn mean_reciprocal(a: u32, m: u32, p: f64) -> f64 {
    let (a, q) = (f64::from(a), 1.0 - p);
    let shrinks = f64::from(m) * q / (f64::from(m) + a);
    let steps = (1e-17f64.ln() / shrinks.ln()).ceil();
    let first = m.saturating_sub(steps as u32);
    let start = 1.0 / (a + p * f64::from(first));
    (first + 1..=m).fold(start, |mean, m| {
        let m = f64::from(m);
        // The division does not wait for the step before.
        (1.0 + m * q * mean) * (1.0 / (m + a))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The sum over all outcomes.
    fn summed(a: u32, m: u32, p: f64) -> f64 {
        let mut weights = vec![1.0];
        for _ in 0..m {
            let mut next = vec![0.0; weights.len() + 1];
            for (b, weight) in weights.iter().enumerate() {
                next[b] += weight * (1.0 - p);
                next[b + 1] += weight * p;
            }
            weights = next;
        }
        weights.iter().zip(a..).map(|(weight, divisor)| weight / f64::from(divisor)).sum()
    }

    #[test]
    fn the_recurrence_is_the_sum_over_all_outcomes() {
        for a in [1, 2, 17, 300] {
            for m in [0, 1, 5, 80, 700] {
                for p in [0.0, 0.003, 0.1, 0.5, 0.97, 1.0] {
                    let (found, expected) = (mean_reciprocal(a, m, p), summed(a, m, p));
                    assert!(
                        (found / expected - 1.0).abs() < 1e-12,
                        "{a} {m} {p}: {found}, {expected}"
                    );
                }
            }
        }
    }
}
