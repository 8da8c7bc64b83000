//! Cumulated gain.

use crate::measure::declare::*;

pub static FAMILY: Family = Family {
    about: About {
        name: "CG",
        aliases: &["cumulated_gain", "cumulative gain"],
        group: "gain",
        summary: "The sum of the gains of the first k documents.",
        prose: "A document's gain is its grade, or what gain= makes of it. Unjudged documents gain nothing.",
        formula: "CG@k = sum over ranks r <= k of g(r)",
        citation: "Järvelin and Kekäläinen (2002), Cumulated gain-based evaluation of IR techniques, TOIS, equation 1",
        range: "[0, inf)",
        better: |_| Better::Higher,
    },
    takes: Takes { cutoff: Cutoff::Optional, budget: Budgets::Taken, ..Takes::NONE },
    sees: Sees { reach: Measure::depth, ..Sees::GAINS },
    laws: Laws {
        bounds: |_| Bounds::Monotone,
        contrast: |_| Contrast::Sum(|_, _, _| 1.0),
        ties: |_| Ties::SUM,
        term: Some(|_, case, d| case.gain(d)),
        ..Laws::UNKNOWN
    },
    score: |measure, case| case.relevant(measure.depth()).iter().map(|d| case.gain(d)).sum(),
    peers: &[
        Peer::new("cwl_eval", "P@10, column ETU").but("gains must lie between 0 and 1"),
        Peer::new("rbp_eval", "dcg_eval -N -D -m -r 10"),
    ],
    examples: &[Example {
        measure: "CG@3",
        judgments: "a=1 b=3 c=0 d=2",
        list: "a c b x d",
        value: 4.0,
        working: "1 + 0 + 3",
    }],
};
