//! The length of the list.

use super::{Aggregate, Better, Bounds, Example, Family, Peer, Ties};

pub static FAMILY: Family = Family {
    name: "num_ret",
    aliases: &["NumRet"],
    group: "counts",
    summary: "The number of documents retrieved.",
    prose: "The summary is the sum over topics. On the condensed list it counts judged documents.",
    formula: "num_ret = n",
    citation: "trec_eval, measure num_ret",
    takes_rel: false,
    aggregate: Aggregate::Sum,
    range: "0, 1, 2 ...",
    better: |_| Better::Neither,
    bounds: |_| Bounds::Monotone,
    reach: |_| 0,
    ties: |_| Ties::SUM,
    score: |_, case| f64::from(case.retrieved()),
    peers: &[
        Peer { tool: "trec_eval", spelling: "num_ret", difference: "" },
        Peer { tool: "ir_measures", spelling: "NumRet", difference: "" },
    ],
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
    ..Family::BASE
};
