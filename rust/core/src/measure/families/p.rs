//! Precision at a rank.

use crate::measure::declare::*;

pub static FAMILY: Family = Family {
    about: About {
        name: "P",
        aliases: &[
            "precision",
            "prec",
            "precision at k",
            "precision at n",
            "precision at cutoff k",
            "precision at depth k",
        ],
        group: "binary ranks",
        summary: "The proportion of the first k documents that are relevant.",
        prose: "A ranking shorter than k is padded with nonrelevant documents: the divisor stays k, as in trec_eval. The value depends on the number of relevant documents that a topic has.",
        formula: "P@k = c(k) / k, where c(k) is the number of relevant documents among the first k",
        citation: "Cleverdon, Mills and Keen (1966), Factors determining the performance of indexing systems; Manning, Raghavan and Schütze (2008), Introduction to Information Retrieval, section 8.4",
        range: "[0, 1]",
        better: |_| Better::Higher,
    },
    takes: Takes { cutoff: Cutoff::Required, budget: Budgets::Instead("SetP"), ..Takes::NONE },
    sees: Sees { reach: Measure::depth, ..Sees::GRADES },
    laws: Laws {
        bounds: |_| Bounds::Monotone,
        contrast: |_| Contrast::Sum(|measure, _, _| 1.0 / f64::from(measure.depth())),
        ties: |_| Ties::SUM,
        term: Some(|measure, _, _| 1.0 / f64::from(measure.depth())),
        ..Laws::UNKNOWN
    },
    score: |measure, case| case.hits(measure.depth()) / f64::from(measure.depth()),
    peers: &[
        Peer::new("trec_eval", "P_10"),
        Peer::new("ir_measures", "P@10"),
        Peer::new("ranx", "precision@10"),
        Peer::new("NTCIREVAL", "P@0010"),
        Peer::new("pyNTCIREVAL", "Precision@0010"),
        Peer::new("cwl_eval", "P@10"),
        Peer::new("BEIR", "P@10"),
        Peer::new("MTEB", "precision_at_10"),
    ],
    examples: &[Example {
        measure: "P@4",
        judgments: "a=1 b=0 c=1 d=0 e=1",
        list: "a x b c d",
        value: 0.5,
        working: "two of the first four are relevant: 2/4",
    }],
};
