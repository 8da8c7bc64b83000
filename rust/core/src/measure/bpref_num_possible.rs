//! Preferences that bpref looks at.

use super::{Aggregate, Example, Family, Peer};

pub static FAMILY: Family = Family {
    name: "bpref_num_possible",
    aliases: &[],
    group: "preference",
    summary: "The number of preferences that bpref looks at.",
    prose: "The summary is the sum; it divides that of bpref_num_correct in the micro_bpref of trec_eval 8.1.",
    formula: "bpref_num_possible = R min(N, R)",
    citation: "trec_eval 8.1, measure bpref_num_possible",
    aggregate: Aggregate::Sum,
    range: "0, 1, 2 ...",
    score: |_, case| case.num_rel() * case.num_nonrel().min(case.num_rel()),
    peers: &[Peer {
        tool: "trec_eval 8.1",
        spelling: "bpref_num_possible",
        difference: "N also counts documents with a negative grade",
    }],
    examples: &[Example {
        measure: "bpref_num_possible",
        judgments: "a=1 b=0 c=1 d=0 e=1",
        list: "a x b c d",
        value: 6.0,
        working: "3 x 2",
    }],
    ..Family::BASE
};
