//! The highest F over the ranking.

use super::iprec::higher;
use super::set_f::{PARAMS, divisor};
use crate::measure::declare::*;

pub static FAMILY: Family = Family {
    about: About {
        name: "MaxF",
        aliases: &["max_F", "best_F", "maximum F", "best F1"],
        group: "binary ranks",
        summary: "The highest F of any prefix of the ranking.",
        prose: "What the set measure would be if the user stopped at the best rank. With a cutoff only the first k ranks are tried. The parameters are those of SetF.",
        formula: "MaxF = max over ranks r <= k of the F of the first r documents",
        citation: "van Rijsbergen (1979), Information Retrieval, chapter 7; Manning, Raghavan and Schütze (2008), Introduction to Information Retrieval, section 8.4",
        range: "[0, 1]",
        better: |_| Better::Higher,
    },
    takes: Takes { params: PARAMS, cutoff: Cutoff::Optional, ..Takes::NONE },
    sees: Sees::GRADES,
    laws: Laws {
        bounds: |_| Bounds::Sorted,
        falls: |_, _| Some(Falls::Power(1)),
        ties: |_| Ties::SORTED,
        ..Laws::UNKNOWN
    },
    score: |measure, case| {
        if case.view.num_rel == 0 {
            return f64::NAN;
        }
        // F rises only at relevant documents.
        let reached = case.relevant(measure.depth()).iter();
        let divisor = divisor(measure, case.num_rel());
        reached.fold(0.0, |best, d| higher(best, d.seen.into(), divisor(d.rank.into())))
    },
    peers: &[],
    examples: &[
        Example {
            measure: "MaxF",
            judgments: "a=1 b=0 c=1 d=0 e=1",
            list: "a x b c d",
            value: 4.0 / 7.0,
            working: "rank 1: 2 (1) / (1 + 3) = 1/2; rank 4: 2 (2) / (4 + 3) = 4/7",
        },
        Example {
            measure: "MaxF@3",
            judgments: "a=1 b=0 c=1 d=0 e=1",
            list: "a x b c d",
            value: 0.5,
            working: "rank 1: 2 (1) / (1 + 3)",
        },
    ],
};
