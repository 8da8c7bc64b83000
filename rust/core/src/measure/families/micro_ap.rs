//! Average precision over the relevant documents of all topics.

use super::ap;
use crate::measure::declare::*;

pub static FAMILY: Family = Family {
    about: About {
        name: "micro_AP",
        aliases: &["avg_doc_prec"],
        group: "binary ranks",
        summary: "The mean precision at the relevant documents of all topics together.",
        prose: "The value of a topic is AP. The summary weights it by R: each relevant document counts the same, not each topic.",
        formula: "micro_AP = sum over topics of R AP / sum over topics of R",
        citation: "trec_eval 8.1, measure avg_doc_prec",
        range: "[0, 1]",
        better: |_| Better::Higher,
    },
    takes: Takes::NONE,
    sees: Sees::GRADES,
    laws: Laws { aggregate: Aggregation::Pooled(|_, case| case.num_rel()), ..Laws::UNKNOWN },
    score: |measure, case| (ap::FAMILY.score)(measure, case),
    peers: &[Peer::new("trec_eval 8.1", "avg_doc_prec")],
    examples: &[Example {
        measure: "micro_AP",
        judgments: "a=1 b=0 c=1 d=0 e=1",
        list: "a x b c d",
        value: 0.5,
        working: "as AP: (1/1 + 2/4) / 3",
    }],
};
