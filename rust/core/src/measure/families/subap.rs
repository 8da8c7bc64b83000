//! Subcollection average precision, and its expectation.

use crate::hash::{GOLDEN, lasting_hash, paired_hash, uniform};
use crate::measure::declare::*;

/// The share of documents outside the pool that the subcollection keeps.
const KEPT: Param = Param::new(
    "p",
    Range::Unit,
    "the proportion of the documents outside the pool that is kept; without it the judged proportion of the topic's pool",
);

const SEED: Param = Param::new("seed", Range::Whole, "the seed of the random choice of documents")
    .or(Default::Number(0.0));

pub static FAMILY: Family = Family {
    about: About {
        name: "subAP",
        aliases: &["subcollection_AP", "subcollection average precision"],
        group: "estimates",
        summary: "Average precision on a random part of the collection in which the judged sample is complete.",
        prose: "Documents with a negative grade were in the pool and not sampled; they are taken out. Without such grades the judged documents count as the whole pool, and it is AP. Of the documents outside the pool each is kept with probability p, so that their number matches a pool of which the proportion p was judged. Whether a document is kept follows from seed, topic and document alone: it is the same for all runs, in any order of lines, on every machine. subAP_expected is the mean over all seeds.",
        formula: "subAP = (1/R) sum over relevant documents retrieved of c(r) / (c(r) + n(r) + b(r)), where n documents judged not relevant and b kept documents from outside the pool stand above",
        citation: "Yilmaz and Aslam (2006), Estimating average precision with incomplete and imperfect judgments, CIKM, section 2.4",
        range: "[0, 1]",
        better: |_| Better::Higher,
    },
    takes: Takes { params: &[KEPT, SEED], prime: false, ..Takes::NONE },
    sees: Sees {
        nonrelevant: Nonrelevant::Each,
        unjudged_docs: UnjudgedDocs::Identified(|_| u32::MAX),
        ..Sees::GRADES
    },
    laws: Laws { bounds: |_| Bounds::Refused("it is a random estimate"), ..Laws::UNKNOWN },
    score: |measure, case| {
        let p = share(measure, case);
        let seed = measure.get(SEED) as u64;
        let of_topic = lasting_hash(GOLDEN, case.topic.id());
        let (mut outside, mut kept) = (&case.trace.unjudged_docs[..], 0);
        let precisions = case.relevant(u32::MAX).iter().map(|d| {
            let above = outside.iter().take_while(|&&(rank, _)| rank < d.rank).count();
            let (tossed, rest) = outside.split_at(above);
            let falls = |hash| uniform(paired_hash(of_topic, hash), seed) < p;
            kept += tossed.iter().filter(|&&(_, hash)| falls(hash)).count() as u32;
            outside = rest;
            f64::from(d.seen) / f64::from(d.seen + d.nonrelevant + kept)
        });
        precisions.sum::<f64>() / case.num_rel()
    },
    peers: &[],
    examples: &[
        Example {
            measure: "subAP(p=0)",
            judgments: "a=1 b=0 c=1 d=0 e=1 u=-1",
            list: "a x u b c d",
            value: 5.0 / 9.0,
            working: "x is dropped, and so is u: a b c d, (1/1 + 2/3) / 3",
        },
        Example {
            measure: "subAP(p=1)",
            judgments: "a=1 b=0 c=1 d=0 e=1 u=-1",
            list: "a x u b c d",
            value: 0.5,
            working: "x is kept, u is not: a x b c d, (1/1 + 2/4) / 3",
        },
    ],
};

pub static SUBAP_EXPECTED: Family = Family {
    about: About {
        name: "subAP_expected",
        aliases: &["expected_subAP"],
        group: "estimates",
        summary: "The expected value of subAP over all random choices.",
        prose: "It is exact and needs no seed: of the m documents from outside the pool above a relevant one, the number kept is binomial. With p = 1 and no pooled document unjudged it is AP, with p = 0 it is AP on the condensed list. Without p the judged proportion of the pool is taken, which is 1 if no document is marked as pooled and not judged (a negative grade).",
        formula: "subAP_expected = (1/R) sum over relevant documents retrieved of E[c / (c + n + B)], B binomial with m trials and probability p, where c counts relevant documents up to it, n those judged not relevant and m those outside the pool above",
        citation: "after Yilmaz and Aslam (2006), Estimating average precision with incomplete and imperfect judgments, CIKM, section 2.4",
        range: "[0, 1]",
        better: |_| Better::Higher,
    },
    takes: Takes { params: &[KEPT], prime: false, ..Takes::NONE },
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

/// p as given, or the judged share of the topic's pool.
fn share(measure: &Measure, case: &Case) -> f64 {
    measure.given(KEPT).unwrap_or_else(|| {
        let judged = f64::from(case.view.num_rel + case.view.num_nonrel);
        let pooled: f64 = case.topic.counts().iter().map(|of| f64::from(of.count)).sum();
        if pooled == 0.0 { 1.0 } else { judged / pooled }
    })
}

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
