//! The share of preferences that are fulfilled, of all topics together.

use super::{bpref_num_correct, bpref_num_possible};
use crate::measure::declare::*;

pub static FAMILY: Family = Family {
    about: About {
        name: "micro_bpref",
        aliases: &[],
        group: "preference",
        summary: "The preferences that bpref counts as fulfilled, of all topics together, over all that it considers.",
        prose: "The value of a topic is bpref_num_correct over bpref_num_possible, and the summary the same of their sums. As trec_eval 8.1 counts, a relevant document with nothing judged not relevant above it has no pairs to fulfil, so the value is below that of bpref.",
        formula: "micro_bpref = sum over topics of bpref_num_correct / sum over topics of bpref_num_possible",
        citation: "trec_eval 8.1, measure micro_bpref",
        range: "[0, 1]",
        // As with bpref_num_correct, a list with all relevant documents on top has 0.
        better: |_| Better::Neither,
    },
    takes: Takes { params: &[bpref_num_possible::NONREL], ..Takes::NONE },
    sees: Sees { nonrelevant: Nonrelevant::Compared, ..Sees::GRADES },
    laws: Laws { aggregate: Aggregation::Pooled(possible), ..Laws::UNKNOWN },
    score: |measure, case| match possible(measure, case) {
        0.0 if case.num_rel() > 0.0 => 0.0,
        possible => (bpref_num_correct::FAMILY.score)(measure, case) / possible,
    },
    peers: &[Peer::new("trec_eval 8.1", "micro_bpref").is("micro_bpref(nonrel=\"pooled\")")],
    examples: &[Example {
        measure: "micro_bpref",
        judgments: "a=1 b=0 c=1 d=0 e=1",
        list: "a x b c d",
        value: 1.0 / 6.0,
        working: "c, with b above: (2 - 1) / (3 x 2)",
    }],
};

fn possible(measure: &Measure, case: &Case) -> f64 {
    (bpref_num_possible::FAMILY.score)(measure, case)
}
