//! Precision of the retrieved set, relative to what is possible.

use crate::measure::declare::*;

pub static FAMILY: Family = Family {
    about: About {
        name: "SetRcap",
        aliases: &["set_relative_P"],
        group: "sets",
        summary: "The number of relevant documents in the set, divided by the most that a set of its size can contain.",
        prose: "Set precision divided by the highest that is possible, which for sets larger than R is set recall. With a cutoff the set is the first k documents; for a shorter ranking the divisor is at most its length, unlike in Rcap. Nothing retrieved gives 0.",
        formula: "SetRcap = c(n) / min(n, R), where n documents were retrieved",
        citation: "trec_eval, measure set_relative_P",
        range: "[0, 1]",
        better: |_| Better::Higher,
    },
    takes: Takes { cutoff: Cutoff::Optional, budget: Budgets::Instead("SetR"), ..Takes::NONE },
    sees: Sees::GRADES,
    laws: Laws { bounds: |_| Bounds::Sorted, ties: |_| Ties::SUM, ..Laws::UNKNOWN },
    score: |measure, case| {
        let size = case.retrieved().min(measure.depth());
        match (size, case.view.num_rel) {
            (0, 1..) => 0.0,
            (size, num_rel) => case.hits(size) / f64::from(size.min(num_rel)),
        }
    },
    peers: &[
        Peer::new("trec_eval", "set_relative_P"),
        Peer::new("ir_measures", "SetP(relative=True)"),
    ],
    examples: &[
        Example {
            measure: "SetRcap",
            judgments: "a=1 b=0 c=1 d=0 e=1",
            list: "a x b c d",
            value: 2.0 / 3.0,
            working: "R = 3 is less than the five retrieved: 2/3",
        },
        Example {
            measure: "SetRcap@2",
            judgments: "a=1 b=0 c=1 d=0 e=1",
            list: "a x b c d",
            value: 0.5,
            working: "two places can hold two: 1/2",
        },
    ],
};
