//! The length of the list.

use crate::measure::declare::*;

pub static FAMILY: Family = Family {
    about: About {
        name: "num_ret",
        aliases: &["NumRet"],
        group: "counts",
        summary: "The number of documents retrieved.",
        prose: "The summary is the sum over topics. On the condensed list it counts judged documents.",
        formula: "num_ret = n",
        citation: "trec_eval, measure num_ret",
        range: "0, 1, 2 ...",
        better: |_| Better::Neither,
    },
    takes: Takes::NONE,
    sees: Sees { relevance: Relevance::Unused, reach: |_| 0, ..Sees::GRADES },
    laws: Laws {
        aggregate: Aggregation::Sum,
        bounds: |_| Bounds::Monotone,
        ties: |_| Ties::SUM,
        ..Laws::UNKNOWN
    },
    score: |_, case| f64::from(case.retrieved()),
    peers: &[Peer::new("trec_eval", "num_ret"), Peer::new("ir_measures", "NumRet")],
    examples: &[
        Example {
            measure: "num_ret",
            judgments: "a=1 b=0 c=1 d=0 e=1",
            list: "a x b c d",
            value: 5.0,
            working: "five documents",
        },
        Example {
            measure: "num_ret'",
            judgments: "a=1 b=0 c=1 d=0 e=1",
            list: "a x b c d",
            value: 4.0,
            working: "x is not judged",
        },
    ],
};
