//! Reciprocal rank.

use super::{Cutoff, Example, Family};

pub static FAMILY: Family = Family {
    name: "RR",
    aliases: &["MRR", "recip_rank", "reciprocal_rank"],
    group: "binary ranks",
    summary: "One over the rank of the first relevant document.",
    prose: "Its mean over topics is MRR. With a cutoff, a first relevant document below it counts as none.",
    formula: "RR = 1 / r, where r is the rank of the first relevant document; 0 without one",
    citation: "Voorhees (1999), The TREC-8 question answering track report",
    cutoff: Cutoff::Optional,
    score: |measure, case| {
        case.relevant(measure.depth()).first().map_or(0.0, |first| 1.0 / f64::from(first.rank))
    },
    examples: &[
        Example {
            measure: "RR",
            judgments: "a=1 b=0 c=1 d=0 e=1",
            list: "b a c",
            value: 0.5,
            working: "the first relevant document is at rank 2",
        },
        Example {
            measure: "RR@1",
            judgments: "a=1 b=0 c=1 d=0 e=1",
            list: "b a c",
            value: 0.0,
            working: "none within the first rank",
        },
    ],
    ..Family::BASE
};
