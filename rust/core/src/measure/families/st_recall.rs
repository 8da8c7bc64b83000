//! Subtopic recall.

use super::err_ia;
use crate::measure::declare::*;

pub static FAMILY: Family = Family {
    about: About {
        name: "StRecall",
        aliases: &["strec", "S_recall", "I_rec", "I-rec", "subtopic recall", "intent recall"],
        group: "diversity",
        summary: "The proportion of the intents that the first k documents cover.",
        prose: "Intents without a relevant document are left out. Weights do not matter.",
        formula: "StRecall@k = intents with a relevant document among the first k / intents with a relevant document",
        citation: "Zhai, Cohen and Lafferty (2003), Beyond independent relevance: methods and evaluation metrics for subtopic retrieval, SIGIR",
        range: "[0, 1]",
        better: |_| Better::Higher,
    },
    takes: Takes { cutoff: Cutoff::Required, ..Takes::NONE },
    sees: err_ia::SEES,
    laws: err_ia::LAWS,
    score: |measure, case| st_recall(measure, case),
    peers: &[
        Peer::new("ndeval", "strec@20"),
        Peer::new("ir_measures", "StRecall@20")
            .but("runs pyndeval: among equal scores the lower document id comes first"),
        Peer::new("NTCIREVAL", "I-rec@0020"),
    ],
    examples: &[Example {
        measure: "StRecall@2",
        judgments: "a=1;intent1=1;intent2=0 b=1;intent1=1;intent2=1 c=0;intent1=0;intent2=0",
        list: "a c b",
        value: 0.5,
        working: "a serves the first of two intents",
    }],
};

/// The share of the intents that is served.
fn st_recall(measure: &Measure, case: &Case) -> f64 {
    let intents = case.intents();
    let served = |counts: &[u32]| counts.iter().filter(|count| **count > 0).count() as f64;
    let first = case.first_judged(measure.depth());
    served(&intents.counts(first, measure.rel)) / served(case.served(measure.rel))
}
