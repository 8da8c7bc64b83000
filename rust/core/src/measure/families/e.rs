//! Van Rijsbergen's effectiveness measure.

use super::set_f::{PARAMS, f_of_set};
use crate::measure::declare::*;

pub static FAMILY: Family = Family {
    about: About {
        name: "E",
        aliases: &["E_measure"],
        group: "sets",
        summary: "One minus F: less is better.",
        prose: "The form in which van Rijsbergen derived F from the theory of measurement; 0 is perfect. The parameters are those of SetF.",
        formula: "E = 1 - SetF = 1 - 1 / (alpha / P + (1 - alpha) / R)",
        citation: "van Rijsbergen (1979), Information Retrieval, chapter 7; Manning, Raghavan and Schütze (2008), Introduction to Information Retrieval, section 8.7",
        range: "[0, 1]",
        better: |_| Better::Lower,
    },
    takes: Takes { params: PARAMS, cutoff: Cutoff::Optional, ..Takes::NONE },
    sees: Sees::GRADES,
    laws: Laws { bounds: |_| Bounds::Sorted, ties: |_| Ties::SUM, ..Laws::UNKNOWN },
    score: |measure, case| 1.0 - f_of_set(measure, case),
    peers: &[],
    examples: &[
        Example {
            measure: "E",
            judgments: "a=1 b=0 c=1 d=0 e=1",
            list: "a x b c d",
            value: 0.5,
            working: "F = 1/2",
        },
        Example {
            measure: "E(alpha=0.2)@4",
            judgments: "a=1 b=0 c=1 d=0 e=1",
            list: "a x b c d",
            value: 1.0 - 1.0 / 1.6,
            working: "P = 2/4, R = 2/3: 1 - 1 / (.2 (4/2) + .8 (3/2))",
        },
    ],
};
