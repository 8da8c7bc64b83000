//! The unjudged share of the list.

use crate::measure::declare::*;

pub static FAMILY: Family = Family {
    about: About {
        name: "Unjudged",
        aliases: &[],
        group: "counts",
        summary: "The share of the first k documents that is not judged.",
        prose: "One minus Judged@k, and 0 for an empty list.",
        formula: "Unjudged@k = unjudged documents among the first k / min(k, n)",
        citation: "Thakur et al. (2021), BEIR, NeurIPS, where it is called the hole",
        range: "[0, 1]",
        better: |_| Better::Lower,
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
        if size == 0 { 0.0 } else { 1.0 - case.judged(size).count() as f64 / f64::from(size) }
    },
    peers: &[
        Peer::new("trec_eval 10", "unj_10").but("divides by k even if the list is shorter"),
        Peer::new("BEIR", "Hole@10")
            .is("Hole@10")
            .but("counts documents that no topic's judgments name, and divides by k"),
        Peer::new("MTEB", "Hole_at_10")
            .is("Hole@10")
            .but("counts documents that no topic's judgments name, and divides by k"),
    ],
    examples: &[Example {
        measure: "Unjudged@4",
        judgments: "a=1 b=0 c=1 d=0 e=1",
        list: "a x b c d",
        value: 0.25,
        working: "x of four",
    }],
};
