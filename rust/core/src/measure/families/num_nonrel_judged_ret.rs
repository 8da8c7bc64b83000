//! The number of documents retrieved that are judged not relevant.

use crate::measure::declare::*;

pub static FAMILY: Family = Family {
    about: About {
        name: "num_nonrel_judged_ret",
        aliases: &[],
        group: "counts",
        summary: "The number of documents in the list that are judged not relevant.",
        prose: "The summary is the sum over topics. Unjudged documents, and those with a negative grade, are not counted. It is the N of bpref(nonrel=\"retrieved\").",
        formula: "num_nonrel_judged_ret = documents judged not relevant among the n retrieved",
        citation: "trec_eval, measure num_nonrel_judged_ret",
        range: "0, 1, 2 ...",
        better: |_| Better::Lower,
    },
    takes: Takes::NONE,
    sees: Sees::GRADES,
    laws: Laws {
        aggregate: Aggregation::Sum,
        bounds: |_| Bounds::Sorted,
        ties: |_| Ties::SUM,
        ..Laws::UNKNOWN
    },
    score: |_, case| f64::from(case.view.nonrelevant),
    peers: &[Peer::new("trec_eval", "num_nonrel_judged_ret")],
    examples: &[Example {
        measure: "num_nonrel_judged_ret",
        judgments: "a=1 b=0 c=1 d=0 e=1",
        list: "a x b c d",
        value: 2.0,
        working: "b and d; x is not judged",
    }],
};
