//! Recall of the retrieved set, of a topic and of all together.

use crate::measure::declare::*;

pub static FAMILY: Family = Family {
    about: About {
        name: "SetR",
        aliases: &[
            "set_recall",
            "Sensitivity",
            "true_positive_rate",
            "true positive rate of a set",
        ],
        group: "sets",
        summary: "The proportion of the relevant documents that were retrieved.",
        prose: "The documents are treated as a set: ranks do not count. With a cutoff the set is the first k documents. It is also called sensitivity, the partner of Specificity.",
        formula: "SetR = c(n) / R, where n documents were retrieved",
        citation: "Manning, Raghavan and Schütze (2008), Introduction to Information Retrieval, equation 8.2",
        range: "[0, 1]",
        better: |_| Better::Higher,
    },
    takes: Takes { cutoff: Cutoff::Optional, budget: Budgets::Taken, ..Takes::NONE },
    sees: Sees::GRADES,
    laws: Laws { bounds: |_| Bounds::Share, ties: |_| Ties::SUM, ..Laws::UNKNOWN },
    score: |measure, case| case.hits(measure.depth()) / case.num_rel(),
    peers: &[
        Peer::new("trec_eval", "set_recall"),
        Peer::new("ir_measures", "SetR"),
        Peer::new("ranx", "recall"),
    ],
    examples: &[Example {
        measure: "SetR",
        judgments: "a=1 b=0 c=1 d=0 e=1",
        list: "a x b c d",
        value: 2.0 / 3.0,
        working: "two of three relevant documents were retrieved",
    }],
};

pub static MICRO_R: Family = Family {
    about: About {
        name: "micro_R",
        aliases: &["micro_recall", "micro-averaged recall"],
        group: "sets",
        summary: "Recall whose summary takes the documents of all topics together.",
        prose: "The value of a topic is SetR. The summary weights it by R, so a topic with many relevant documents counts more.",
        formula: "micro_R = sum over topics of c(n) / sum over topics of R",
        citation: "trec_eval 8.1, measure micro_recall; Manning, Raghavan and Schütze (2008), Introduction to Information Retrieval, section 13.6",
        range: "[0, 1]",
        better: |_| Better::Higher,
    },
    takes: Takes { cutoff: Cutoff::Optional, ..Takes::NONE },
    sees: Sees::GRADES,
    laws: Laws { aggregate: Aggregation::Pooled(|_, case| case.num_rel()), ..Laws::UNKNOWN },
    score: |measure, case| case.hits(measure.depth()) / case.num_rel(),
    peers: &[Peer::new("trec_eval 8.1", "micro_recall")],
    examples: &[Example {
        measure: "micro_R",
        judgments: "a=1 b=0 c=1 d=0 e=1",
        list: "a x b c d",
        value: 2.0 / 3.0,
        working: "as SetR: two of three relevant documents are retrieved",
    }],
};
