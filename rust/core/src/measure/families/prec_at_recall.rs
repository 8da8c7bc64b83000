//! Precision at a recall level, not interpolated.

use super::iprec::needed;
use crate::measure::declare::*;

pub static FAMILY: Family = Family {
    about: About {
        name: "PrecAtRecall",
        aliases: &["precision_at_recall"],
        group: "binary ranks",
        summary: "The precision at the first rank where recall has reached a level.",
        prose: "The uninterpolated form of IPrec: later ranks with a higher precision do not count. Level 0 is reached at rank 1. The level is compared exactly.",
        formula: "PrecAtRecall@t = c(r) / r at the first rank r with c(r) >= t R; 0 if there is none",
        citation: "Manning, Raghavan and Schütze (2008), Introduction to Information Retrieval, section 8.4",
        range: "[0, 1]",
        better: |_| Better::Higher,
    },
    takes: Takes { cutoff: Cutoff::Recall, ..Takes::NONE },
    sees: Sees::GRADES,
    laws: Laws { bounds: |_| Bounds::Sorted, ties: |_| Ties::SORTED, ..Laws::UNKNOWN },
    score: |measure, case| {
        if case.view.num_rel == 0 {
            return f64::NAN;
        }
        match needed(measure, case) {
            0 => case.hits(1),
            needed => {
                let reached = case.relevant(u32::MAX).get(needed - 1);
                reached.map_or(0.0, |d| f64::from(d.seen) / f64::from(d.rank))
            }
        }
    },
    peers: &[],
    examples: &[
        Example {
            measure: "PrecAtRecall@0.5",
            judgments: "a=1 b=0 c=1 d=0 e=1",
            list: "a x b c e",
            value: 0.5,
            working: "two of three are needed, the second is at rank 4: 2/4; IPrec finds 3/5 at rank 5",
        },
        Example {
            measure: "PrecAtRecall@1",
            judgments: "a=1 b=0 c=1 d=0 e=1",
            list: "a x b c d",
            value: 0.0,
            working: "the third relevant document is not retrieved",
        },
    ],
};
