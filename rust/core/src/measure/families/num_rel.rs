//! The number of relevant documents.

use crate::measure::declare::*;

pub static FAMILY: Family = Family {
    about: About {
        name: "num_rel",
        aliases: &["NumRel"],
        group: "counts",
        summary: "The number of documents judged relevant, retrieved or not.",
        prose: "The summary is the sum over topics.",
        formula: "num_rel = R",
        citation: "trec_eval, measure num_rel",
        range: "0, 1, 2 ...",
        better: |_| Better::Neither,
    },
    takes: Takes::NONE,
    sees: Sees { reach: |_| 0, ..Sees::GRADES },
    laws: Laws {
        aggregate: Aggregation::Sum,
        bounds: |_| Bounds::Monotone,
        ties: |_| Ties::SUM,
        ..Laws::UNKNOWN
    },
    score: |_, case| case.num_rel(),
    peers: &[
        Peer::new("trec_eval", "num_rel")
            .but("with -c the total counts grades above 0, whatever -l says"),
        Peer::new("ir_measures", "NumRel").but("0 for a topic that the run lacks"),
    ],
    examples: &[Example {
        measure: "num_rel",
        judgments: "a=1 b=0 c=1 d=0 e=1",
        list: "a x b c d",
        value: 3.0,
        working: "a, c and e",
    }],
};
