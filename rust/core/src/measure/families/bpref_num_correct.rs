//! Preferences that bpref counts as fulfilled.

use super::bpref_num_possible::{NONREL, nonrelevant};
use crate::measure::declare::*;

pub static FAMILY: Family = Family {
    about: About {
        name: "bpref_num_correct",
        aliases: &[],
        group: "preference",
        summary: "The number of preferences that bpref counts as fulfilled.",
        prose: "Relevant documents with nothing judged not relevant above them are left out, as in trec_eval 8.1, where they count 1 in bpref whatever the pairs. The summary is the sum; divided by that of bpref_num_possible it is micro_bpref.",
        formula: "bpref_num_correct = sum over relevant documents retrieved with n > 0 of min(N, R) - min(n, R)",
        citation: "trec_eval 8.1, measure bpref_num_correct",
        range: "0, 1, 2 ...",
        // A list with all relevant documents on top has none of those that it counts.
        better: |_| Better::Neither,
    },
    takes: Takes { params: &[NONREL], ..Takes::NONE },
    sees: Sees { nonrelevant: Nonrelevant::Compared, ..Sees::GRADES },
    laws: Laws { aggregate: Aggregation::Sum, ..Laws::UNKNOWN },
    score: |measure, case| {
        let most = nonrelevant(measure, case).min(case.num_rel());
        let below = case.relevant(u32::MAX).iter().filter(|d| d.nonrelevant > 0);
        below.map(|d| most - f64::from(d.nonrelevant).min(case.num_rel())).sum()
    },
    peers: &[
        Peer::new("trec_eval 8.1", "bpref_num_correct").is("bpref_num_correct(nonrel=\"pooled\")")
    ],
    examples: &[Example {
        measure: "bpref_num_correct",
        judgments: "a=1 b=0 c=1 d=0 e=1",
        list: "a x b c d",
        value: 1.0,
        working: "c, with b above: 2 - 1",
    }],
};
