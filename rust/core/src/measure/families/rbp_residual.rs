//! The residual of rank-biased precision.

use super::rbp::PERSISTENCE;
use crate::measure::declare::*;

pub static FAMILY: Family = Family {
    about: About {
        name: "RBP_residual",
        aliases: &[],
        group: "rank-biased",
        summary: "How much RBP could grow if every unjudged document were fully relevant.",
        prose: "It has two parts: the unjudged documents of the list, and everything beyond its end (or beyond rank k). trec_eval 10's rbp_resid leaves the second part out unless the first is there.",
        formula: "RBP_residual = (1 - p) sum over unjudged ranks r <= m of p^(r - 1) + p^m, where m = min(n, k)",
        citation: "Moffat and Zobel (2008), Rank-biased precision for measurement of retrieval effectiveness, TOIS, section 5",
        range: "[0, 1]",
        better: |_| Better::Lower,
    },
    takes: Takes { params: &[PERSISTENCE], cutoff: Cutoff::Optional, ..Takes::NONE },
    sees: Sees { nonrelevant: Nonrelevant::Each, ..Sees::GRADES },
    laws: Laws {
        bounds: |_| Bounds::Refused("it measures how much is judged"),
        ties: |_| Ties { mean: Some(Mean::Rotations), extremes: Some(Extremes::Judged) },
        ..Laws::UNKNOWN
    },
    score: |measure, case| {
        let p = super::rbp::persistence(measure);
        let (mut residual, mut above) = (0.0, 0);
        // The weight of what follows the judged documents so far.
        let mut weight = 1.0;
        for (rank, _) in case.judged(measure.depth()) {
            // The unjudged ranks between two judged ones, as a difference of
            // powers; 1 - sum would cancel to 0 on long judged lists.
            let here = weight * p.powi((rank - above) as i32 - 1);
            residual += weight - here;
            (weight, above) = (here * p, rank);
        }
        residual + weight
    },
    peers: &[
        Peer::new("trec_eval 10", "rbp_resid").but(
            "0 if every retrieved document is judged: what lies beyond the list is then left out",
        ),
        Peer::new("cwl_eval", "RBP@0.8, column ResEU").but("ends at rank 1000"),
        Peer::new("rbp_eval", "rbp, the number after +")
            .but("documents with equal scores share the average of their weights"),
    ],
    examples: &[
        Example {
            measure: "RBP_residual(p=0.8)",
            judgments: "a=1 b=0 c=1 d=0 e=1",
            list: "a x b c d",
            value: 0.16 + 0.327_68,
            working: "rank 2 is unjudged: .2 x .8; beyond rank 5: .8^5",
        },
        Example {
            measure: "RBP_residual(p=0.5)@2",
            judgments: "a=1 b=0 c=1 d=0 e=1",
            list: "a x b c d",
            value: 0.5,
            working: "rank 2: .5 x .5; beyond it .5^2",
        },
    ],
};
