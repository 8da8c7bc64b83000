//! The number of preferences that the grades imply.

use super::pref::{self, PARAMS, Pairs, bounds};
use crate::measure::declare::*;

pub static FAMILY: Family = Family {
    about: About {
        name: "num_prefs",
        aliases: &["prefs_num_prefs_poss"],
        group: "preference",
        summary: "The number of preferences that the grades imply: the divisor of Pref.",
        prose: "Pairs of judged documents with different gains, counted as Pref counts them, with the same parameters. The summary is the sum over topics.",
        formula: "num_prefs = pairs (x, y) with g(x) > g(y)",
        citation: "trec_eval, measure prefs_num_prefs_poss",
        range: "0, 1, 2 ...",
        better: |_| Better::Neither,
    },
    takes: Takes { params: PARAMS, cutoff: Cutoff::Optional, ..Takes::NONE },
    sees: Sees { nonrelevant: Nonrelevant::Each, beyond_list: true, ..Sees::GAINS },
    laws: Laws { aggregate: Aggregation::Sum, bounds, ties: pref::ties, ..Laws::UNKNOWN },
    score: |measure, case| Pairs::of(measure, case, false).possible as f64,
    peers: &[Peer::new("trec_eval", "prefs_num_prefs_poss")
        .but("a negative grade is one more class, below 0")],
    examples: &[
        Example {
            measure: "num_prefs",
            judgments: "a=1 b=3 c=0 d=0",
            list: "c a x b",
            value: 5.0,
            working: "b over a, c and d; a over c and d",
        },
        Example {
            measure: "num_prefs(over=\"implied\")",
            judgments: "a=1 b=3 c=0 d=0",
            list: "b x",
            value: 3.0,
            working: "b over a, c and d; of a over c and d nothing was retrieved",
        },
    ],
};
