//! R-precision.

use super::{Bounds, Example, Family, Peer};

pub static FAMILY: Family = Family {
    name: "Rprec",
    aliases: &["R-precision", "r_prec", "RPrecision", "BreakEven", "break_even_point"],
    group: "binary ranks",
    summary: "Precision at rank R, the number of relevant documents of the topic.",
    prose: "At rank R precision and recall are equal, so the value is also the recall there, and the break-even point of the two. A list shorter than R keeps the divisor R.",
    formula: "Rprec = c(R) / R",
    citation: "Manning, Raghavan and Schütze (2008), Introduction to Information Retrieval, section 8.4",
    bounds: |_| Bounds::Sorted,
    score: |_, case| case.hits(case.view.num_rel) / case.num_rel(),
    peers: &[
        Peer { tool: "trec_eval", spelling: "Rprec", difference: "" },
        Peer { tool: "ir_measures", spelling: "Rprec", difference: "" },
        Peer { tool: "ranx", spelling: "r-precision", difference: "" },
    ],
    examples: &[Example {
        measure: "Rprec",
        judgments: "a=1 b=0 c=1 d=0 e=1",
        list: "a x b c d",
        value: 1.0 / 3.0,
        working: "R = 3, and one of the first three is relevant: 1/3",
    }],
    ..Family::BASE
};
