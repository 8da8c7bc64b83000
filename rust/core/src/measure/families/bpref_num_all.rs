//! Preferences fulfilled over all documents judged not relevant.

use super::{
    bpref::fulfilled,
    bpref_num_possible::{NONREL, nonrelevant},
};
use crate::measure::declare::*;

pub static FAMILY: Family = Family {
    about: About {
        name: "bpref_num_all",
        aliases: &[],
        group: "preference",
        summary: "The number of pairs of a relevant document in the list and one judged not relevant that it is above.",
        prose: "Documents judged not relevant that were not retrieved are below all that were. It is R N times bpref with top=\"all\". The summary is the mean, as in trec_eval 8.1, which also counts pooled documents in N, as nonrel=\"pooled\" does.",
        formula: "bpref_num_all = sum over relevant documents retrieved of N - n, where n documents judged not relevant stand above",
        citation: "trec_eval 8.1, measure bpref_num_all",
        range: "0, 1, 2 ...",
        better: |_| Better::Higher,
    },
    takes: Takes { params: &[NONREL], ..Takes::NONE },
    sees: Sees { nonrelevant: Nonrelevant::Compared, ..Sees::GRADES },
    laws: Laws::UNKNOWN,
    score: |measure, case| fulfilled(case, nonrelevant(measure, case)),
    peers: &[Peer::new("trec_eval 8.1", "bpref_num_all").is("bpref_num_all(nonrel=\"pooled\")")],
    examples: &[Example {
        measure: "bpref_num_all",
        judgments: "a=1 b=0 c=1 d=0 e=1",
        list: "a x b c d",
        value: 3.0,
        working: "two of a, one of c: 2 + 1",
    }],
};
