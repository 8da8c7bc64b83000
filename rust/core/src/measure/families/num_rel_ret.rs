//! The number of relevant documents retrieved.

use crate::measure::declare::*;

pub static FAMILY: Family = Family {
    about: About {
        name: "num_rel_ret",
        aliases: &["NumRelRet"],
        group: "counts",
        summary: "The number of relevant documents in the list.",
        prose: "The summary is the sum over topics.",
        formula: "num_rel_ret = c(n)",
        citation: "trec_eval, measure num_rel_ret",
        range: "0, 1, 2 ...",
        better: |_| Better::Higher,
    },
    takes: Takes::NONE,
    sees: Sees::GRADES,
    laws: Laws {
        aggregate: Aggregation::Sum,
        bounds: |_| Bounds::Monotone,
        ties: |_| Ties::SUM,
        ..Laws::UNKNOWN
    },
    score: |_, case| case.hits(u32::MAX),
    peers: &[
        Peer::new("trec_eval", "num_rel_ret"),
        Peer::new("ir_measures", "NumRelRet"),
        Peer::new("ranx", "hits"),
    ],
    examples: &[Example {
        measure: "num_rel_ret",
        judgments: "a=1 b=0 c=1 d=0 e=1",
        list: "a x b c d",
        value: 2.0,
        working: "a and c",
    }],
};
