//! Precision of all topics together.

use super::set_p::precision;
use crate::measure::declare::*;

pub static FAMILY: Family = Family {
    about: About {
        name: "micro_P",
        aliases: &["micro_prec"],
        group: "sets",
        summary: "Precision whose summary takes the documents of all topics together.",
        prose: "The value of a topic is SetP. The summary weights it by the number of documents retrieved for the topic, so a topic with a long list counts more.",
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
