//! The number of preferences that the list fulfils.

use super::pref::{self, PARAMS, Pairs, bounds};
use crate::measure::declare::*;

pub static FAMILY: Family = Family {
    about: About {
        name: "num_prefs_ful",
        aliases: &["prefs_num_prefs_ful"],
        group: "preference",
        summary: "The number of preferences implied by the grades that the list fulfils: the numerator of Pref.",
        prose: "Counted as Pref counts them, with the same parameters. The summary is the sum over topics; divided by that of num_prefs it is a mean of Pref in which every preference has the same weight.",
        formula: "num_prefs_ful = pairs (x, y) with g(x) > g(y), x retrieved and y below x or not retrieved",
        citation: "trec_eval, measure prefs_num_prefs_ful",
        range: "0, 1, 2 ...",
        // Pairs within the list are more in a longer one.
        better: |measure| {
            if measure.is("over", "retrieved") { Better::Neither } else { Better::Higher }
        },
    },
    takes: Takes { params: PARAMS, cutoff: Cutoff::Optional, ..Takes::NONE },
    sees: Sees { nonrelevant: Nonrelevant::Each, beyond_list: true, ..Sees::GAINS },
    laws: Laws { aggregate: Aggregation::Sum, bounds, ties: pref::ties, ..Laws::UNKNOWN },
    score: |measure, case| Pairs::of(measure, case, true).fulfilled as f64,
    peers: &[
        Peer::new("trec_eval", "prefs_num_prefs_ful")
            .but("among equal scores the document id that comes first ranks first; a negative grade is one more class, below 0"),
        Peer::new("trec_eval", "prefs_num_prefs_ful_ret")
            .is("num_prefs_ful(over=\"retrieved\")")
            .but("as prefs_num_prefs_ful"),
    ],
    examples: &[
        Example {
            measure: "num_prefs_ful",
            judgments: "a=1 b=3 c=0 d=0",
            list: "c a x b",
            value: 2.0,
            working: "a and b over d, which was not retrieved",
        },
        Example {
            measure: "num_prefs_ful(over=\"retrieved\")",
            judgments: "a=1 b=3 c=0 d=0",
            list: "a c x b",
            value: 1.0,
            working: "a over c",
        },
    ],
};
