//! Preferences fulfilled over retrieved documents judged not relevant.

use super::bpref::fulfilled;
use crate::measure::declare::*;

pub static FAMILY: Family = Family {
    about: About {
        name: "bpref_num_ret",
        aliases: &[],
        group: "preference",
        summary: "The number of pairs of a relevant document in the list and one judged not relevant below it there.",
        prose: "The summary is the mean, as in trec_eval 8.1.",
        formula: "bpref_num_ret = sum over relevant documents retrieved of M - n, where n of the M documents retrieved and judged not relevant stand above",
        citation: "trec_eval 8.1, measure bpref_num_ret",
        range: "0, 1, 2 ...",
        better: |_| Better::Neither,
    },
    takes: Takes::NONE,
    sees: Sees { nonrelevant: Nonrelevant::Compared, ..Sees::GRADES },
    laws: Laws::UNKNOWN,
    score: |_, case| fulfilled(case, f64::from(case.view.nonrelevant)),
    peers: &[Peer::new("trec_eval 8.1", "bpref_num_ret")],
    examples: &[Example {
        measure: "bpref_num_ret",
        judgments: "a=1 b=0 c=1 d=0 e=1",
        list: "a x b c d",
        value: 3.0,
        working: "two of a, one of c: 2 + 1",
    }],
};
