//! Recall at a rank.

use crate::measure::declare::*;

pub static FAMILY: Family = Family {
    about: About {
        name: "R",
        aliases: &["recall", "rec", "recall at k", "recall at depth k"],
        group: "binary ranks",
        summary: "The proportion of the relevant documents that are among the first k.",
        prose: "The relevant documents are those that the judgments name. Without a relevant document the value is 0/0.",
        formula: "R@k = c(k) / R, where c(k) is the number of relevant documents among the first k",
        citation: "Manning, Raghavan and Schütze (2008), Introduction to Information Retrieval, section 8.3",
        range: "[0, 1]",
        better: |_| Better::Higher,
    },
    takes: Takes { cutoff: Cutoff::Required, budget: Budgets::Taken, ..Takes::NONE },
    sees: Sees { reach: Measure::depth, ..Sees::GRADES },
    laws: Laws {
        bounds: |_| Bounds::Share,
        contrast: |_| Contrast::Ratio { weight: |_, _, _| 1.0, cut: false },
        ties: |_| Ties::SUM,
        term: Some(|_, case, _| 1.0 / case.num_rel()),
        ..Laws::UNKNOWN
    },
    score: |measure, case| case.hits(measure.depth()) / case.num_rel(),
    peers: &[
        Peer::new("trec_eval", "recall_10"),
        Peer::new("ir_measures", "R@10"),
        Peer::new("ranx", "recall@10"),
        Peer::new("BEIR", "Recall@10"),
        Peer::new("MTEB", "recall_at_10"),
    ],
    examples: &[Example {
        measure: "R@3",
        judgments: "a=1 b=0 c=1 d=0 e=1",
        list: "a x b c d",
        value: 1.0 / 3.0,
        working: "one of three relevant documents: 1/3",
    }],
};
