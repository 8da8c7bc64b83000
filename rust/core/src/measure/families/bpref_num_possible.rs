//! Preferences that bpref looks at.

use crate::measure::declare::*;

pub static FAMILY: Family = Family {
    about: About {
        name: "bpref_num_possible",
        aliases: &[],
        group: "preference",
        summary: "The number of preferences that bpref considers.",
        prose: "The summary is the sum; it divides that of bpref_num_correct in micro_bpref.",
        formula: "bpref_num_possible = R min(N, R)",
        citation: "trec_eval 8.1, measure bpref_num_possible",
        range: "0, 1, 2 ...",
        better: |_| Better::Neither,
    },
    takes: Takes { params: &[NONREL], ..Takes::NONE },
    sees: Sees { nonrelevant: Nonrelevant::Compared, ..Sees::GRADES },
    laws: Laws { aggregate: Aggregation::Sum, ..Laws::UNKNOWN },
    score: |measure, case| case.num_rel() * nonrelevant(measure, case).min(case.num_rel()),
    peers: &[Peer::new("trec_eval 8.1", "bpref_num_possible")
        .is("bpref_num_possible(nonrel=\"pooled\")")],
    examples: &[Example {
        measure: "bpref_num_possible",
        judgments: "a=1 b=0 c=1 d=0 e=1",
        list: "a x b c d",
        value: 6.0,
        working: "3 x 2",
    }],
};

/// Which documents N counts.
pub(super) const NONREL: Param = Param::new(
    "nonrel",
    Range::Words(&["judged", "pooled"]),
    "which documents N counts: those judged not relevant, or also those that were pooled and not judged",
)
.or(Default::Text("judged"));

/// N.
pub(super) fn nonrelevant(measure: &Measure, case: &Case) -> f64 {
    if measure.is("nonrel", "pooled") {
        case.topic.len() as f64 - case.num_rel()
    } else {
        case.num_nonrel()
    }
}
