//! Normalised rank-biased precision.

use super::rbp::{PERSISTENCE, RESIDUAL};
use crate::measure::declare::*;

pub static FAMILY: Family = Family {
    about: About {
        name: "nRBP",
        aliases: &["normalised_RBP"],
        group: "rank-biased",
        summary: "Rank-biased precision, divided by that of the best possible list.",
        prose: "The ideal list has all relevant documents first, cut at k. residual= chooses the p that leaves that weight beyond rank k, as in RBP.",
        formula: "nRBP@k = RBP@k / (1 - p^min(k, R)); p = residual^(1/k)",
        citation: "Webber, Moffat and Zobel (2010), The effect of pooling and evaluation depth on metric stability, EVIA, section 2 and equation 7",
        range: "[0, 1]",
        better: |_| Better::Higher,
    },
    takes: Takes {
        params: &[PERSISTENCE, RESIDUAL],
        cutoff: Cutoff::Optional,
        check: super::rbp::residual_has_a_rank,
        ..Takes::NONE
    },
    sees: Sees::GRADES,
    laws: Laws { bounds: |_| Bounds::Sorted, ties: |_| Ties::SUM, ..Laws::UNKNOWN },
    score: |measure, case| {
        let p = super::rbp::persistence(measure);
        let ideal = measure.depth().min(case.view.num_rel);
        super::rbp::rbp(measure, case) / (1.0 - p.powi(ideal as i32))
    },
    peers: &[],
    examples: &[
        Example {
            measure: "nRBP(p=0.5)@2",
            judgments: "a=1 b=0 c=1 d=0 e=1",
            list: "a x b c d",
            value: 2.0 / 3.0,
            working: "RBP@2 is .5, the ideal 1 - .5^2",
        },
        Example {
            measure: "nRBP(residual=0.0625)@4",
            judgments: "a=1 b=0 c=1 d=0 e=1",
            list: "a x b c d",
            value: 0.5625 / 0.875,
            working: "p = .0625^(1/4) = .5; a and c: .5 (1 + .5^3) = .5625, the ideal of three 1 - .5^3",
        },
    ],
};
