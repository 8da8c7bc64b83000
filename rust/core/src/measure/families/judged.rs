//! The judged share of the list.

use crate::measure::declare::*;

pub static FAMILY: Family = Family {
    about: About {
        name: "Judged",
        aliases: &[],
        group: "counts",
        summary: "The share of the first k documents that is judged.",
        prose: "The smaller it is, the more a value depends on the pool and the less on the run. It does not measure how good the run is, so no run is the best by it. Documents with a negative grade are not judged. In a list shorter than k the share is of the documents that are there; an empty list gives 0.",
        formula: "Judged@k = judged documents among the first k / min(k, n)",
        citation: "ir_measures, measure Judged",
        range: "[0, 1]",
        better: |_| Better::Neither,
    },
    takes: Takes { cutoff: Cutoff::Optional, ..Takes::NONE },
    sees: Sees {
        relevance: Relevance::Unused,
        nonrelevant: Nonrelevant::Each,
        reach: Measure::depth,
        ..Sees::GRADES
    },
    laws: Laws {
        bounds: |_| Bounds::Refused("it measures how much is judged"),
        ties: |_| Ties { mean: Some(Mean::Rotations), extremes: Some(Extremes::Judged) },
        ..Laws::UNKNOWN
    },
    score: |measure, case| {
        let size = case.retrieved().min(measure.depth());
        if size == 0 { 0.0 } else { case.judged(size).count() as f64 / f64::from(size) }
    },
    peers: &[Peer::new("ir_measures", "Judged@10").but(
        "a negative grade counts as judged; among equal scores the lower document id comes first",
    )],
    examples: &[Example {
        measure: "Judged@4",
        judgments: "a=1 b=0 c=1 d=0 e=1",
        list: "a x b c d",
        value: 0.75,
        working: "a, b and c of four",
    }],
};
