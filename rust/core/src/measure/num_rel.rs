//! The number of relevant documents.

use super::{Aggregate, Example, Family};

pub static FAMILY: Family = Family {
    name: "num_rel",
    aliases: &["NumRel"],
    group: "counts",
    summary: "The number of documents judged relevant, retrieved or not.",
    prose: "The summary is the sum over topics.",
    formula: "num_rel = R",
    citation: "trec_eval, measure num_rel",
    aggregate: Aggregate::Sum,
    range: "0, 1, 2 ...",
    score: |_, case| case.num_rel(),
    examples: &[Example {
        measure: "num_rel",
        judgments: "a=1 b=0 c=1 d=0 e=1",
        list: "a x b c d",
        value: 3.0,
        working: "a, c and e",
    }],
    ..Family::BASE
};
