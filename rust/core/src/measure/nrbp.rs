//! Normalised rank-biased precision.

use super::{Bounds, Cutoff, Example, Family, Ties, rbp::PERSISTENCE};

pub static FAMILY: Family = Family {
    name: "nRBP",
    aliases: &["normalised_RBP"],
    group: "rank-biased",
    summary: "Rank-biased precision, divided by that of the best possible list.",
    prose: "The ideal list has all relevant documents first, cut at k.",
    formula: "nRBP@k = RBP@k / (1 - p^min(k, R))",
    citation: "Webber, Moffat and Zobel (2010), The effect of pooling and evaluation depth on metric stability, EVIA, section 2",
    params: &[PERSISTENCE],
    cutoff: Cutoff::Optional,
    bounds: |_| Bounds::Sorted,
    ties: |_| Ties::SUM,
    score: |measure, case| {
        let p = super::rbp::persistence(measure);
        let ideal = measure.depth().min(case.view.num_rel);
        super::rbp::rbp(measure, case) / (1.0 - p.powi(ideal as i32))
    },
    examples: &[Example {
        measure: "nRBP(p=0.5)@2",
        judgments: "a=1 b=0 c=1 d=0 e=1",
        list: "a x b c d",
        value: 2.0 / 3.0,
        working: "RBP@2 is .5, the ideal 1 - .5^2",
    }],
    ..Family::BASE
};
