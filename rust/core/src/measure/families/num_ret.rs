//! Numbers of documents: retrieved, relevant, both, and retrieved but judged not relevant.

use crate::measure::declare::*;

pub static FAMILY: Family = Family {
    about: About {
        name: "num_ret",
        aliases: &["NumRet", "number of documents retrieved"],
        group: "counts",
        summary: "The number of documents retrieved.",
        prose: "The summary is the sum over topics. On the condensed list it counts judged documents.",
        formula: "num_ret = n",
        citation: "trec_eval, measure num_ret",
        range: "0, 1, 2 ...",
        better: |_| Better::Neither,
    },
    takes: Takes { budget: Budgets::Taken, ..Takes::NONE },
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

pub static NUM_REL: Family = Family {
    about: About {
        name: "num_rel",
        aliases: &["NumRel", "number of relevant documents"],
        group: "counts",
        summary: "The number of documents judged relevant, retrieved or not.",
        prose: "The summary is the sum over topics.",
        formula: "num_rel = R",
        citation: "trec_eval, measure num_rel",
        range: "0, 1, 2 ...",
        better: |_| Better::Neither,
    },
    takes: Takes { budget: Budgets::Taken, ..Takes::NONE },
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

pub static NUM_REL_RET: Family = Family {
    about: About {
        name: "num_rel_ret",
        aliases: &["NumRelRet", "number of relevant documents retrieved"],
        group: "counts",
        summary: "The number of relevant documents in the ranking.",
        prose: "The summary is the sum over topics.",
        formula: "num_rel_ret = c(n)",
        citation: "trec_eval, measure num_rel_ret",
        range: "0, 1, 2 ...",
        better: |_| Better::Higher,
    },
    takes: Takes { budget: Budgets::Taken, ..Takes::NONE },
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

pub static NUM_NONREL_JUDGED_RET: Family = Family {
    about: About {
        name: "num_nonrel_judged_ret",
        aliases: &[],
        group: "counts",
        summary: "The number of documents in the ranking that are judged not relevant.",
        prose: "The summary is the sum over topics. Unjudged documents, and those with a negative grade, are not counted. It is the N of bpref(nonrel=\"retrieved\").",
        formula: "num_nonrel_judged_ret = documents judged not relevant among the n retrieved",
        citation: "trec_eval, measure num_nonrel_judged_ret",
        range: "0, 1, 2 ...",
        better: |_| Better::Lower,
    },
    takes: Takes { budget: Budgets::Taken, ..Takes::NONE },
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
