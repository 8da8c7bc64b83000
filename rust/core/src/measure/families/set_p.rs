//! Precision of the retrieved set, of a topic and of all together.

use crate::measure::declare::*;

pub static FAMILY: Family = Family {
    about: About {
        name: "SetP",
        aliases: &["set_P", "set precision"],
        group: "sets",
        summary: "The proportion of the retrieved documents that are relevant.",
        prose: "The documents are treated as a set: ranks do not count. With a cutoff the set is the first k documents. Nothing retrieved gives 0.",
        formula: "SetP = c(n) / n, where n documents were retrieved",
        citation: "Manning, Raghavan and Schütze (2008), Introduction to Information Retrieval, equation 8.1",
        range: "[0, 1]",
        better: |_| Better::Higher,
    },
    takes: Takes { cutoff: Cutoff::Optional, budget: Budgets::Taken, ..Takes::NONE },
    sees: Sees::GRADES,
    laws: Laws { bounds: |_| Bounds::Monotone, ties: |_| Ties::SUM, ..Laws::UNKNOWN },
    score: |measure, case| precision(measure, case),
    peers: &[
        Peer::new("trec_eval", "set_P"),
        Peer::new("trec_eval", "set_relative_P").is("SetRcap").but("divides by min(n, R)"),
        Peer::new("ir_measures", "SetP"),
        Peer::new("ir_measures", "SetP(relative=True)").but("divides by min(n, R)"),
        Peer::new("ranx", "precision"),
    ],
    examples: &[Example {
        measure: "SetP",
        judgments: "a=1 b=0 c=1 d=0 e=1",
        list: "a x b c d",
        value: 0.4,
        working: "two of five retrieved documents are relevant",
    }],
};

pub static MICRO_P: Family = Family {
    about: About {
        name: "micro_P",
        aliases: &["micro_prec", "micro-averaged precision", "micro precision"],
        group: "sets",
        summary: "Precision whose summary takes the documents of all topics together.",
        prose: "The value of a topic is SetP. The summary weights it by the number of documents retrieved for the topic, so a topic with a long ranking counts more.",
        formula: "micro_P = sum over topics of c(n) / sum over topics of n",
        citation: "trec_eval 8.1, measure micro_prec; Manning, Raghavan and Schütze (2008), Introduction to Information Retrieval, section 13.6",
        range: "[0, 1]",
        better: |_| Better::Higher,
    },
    takes: Takes { cutoff: Cutoff::Optional, ..Takes::NONE },
    sees: Sees::GRADES,
    laws: Laws {
        aggregate: Aggregation::Pooled(|measure, case| {
            f64::from(case.retrieved().min(measure.depth()))
        }),
        ..Laws::UNKNOWN
    },
    score: |measure, case| precision(measure, case),
    peers: &[Peer::new("trec_eval 8.1", "micro_prec")],
    examples: &[Example {
        measure: "micro_P",
        judgments: "a=1 b=0 c=1 d=0 e=1",
        list: "a x b c d",
        value: 0.4,
        working: "as SetP: two of five retrieved documents are relevant",
    }],
};

/// Precision of the set; 0 when nothing was retrieved, as in every tool.
pub(super) fn precision(measure: &Measure, case: &Case) -> f64 {
    let size = case.retrieved().min(measure.depth());
    if size == 0 { 0.0 } else { case.hits(size) / f64::from(size) }
}
