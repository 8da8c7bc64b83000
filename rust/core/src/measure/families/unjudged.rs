//! The unjudged share of the list.

use super::{Better, Bounds, Cutoff, Example, Extremes, Family, Mean, Peer, Ties};

pub static FAMILY: Family = Family {
    name: "Unjudged",
    aliases: &[],
    group: "counts",
    summary: "The share of the first k documents that nobody judged.",
    prose: "One minus Judged@k, and 0 for an empty list.",
    formula: "Unjudged@k = unjudged documents among the first k / min(k, n)",
    citation: "Thakur et al. (2021), BEIR, NeurIPS, where it is called the hole",
    takes_rel: false,
    cutoff: Cutoff::Optional,
    better: |_| Better::Lower,
    needs_trace: true,
    bounds: |_| Bounds::Refused("it tells how much is judged"),
    reach: Family::CUTOFF,
    ties: |_| Ties { mean: Some(Mean::Rotations), extremes: Some(Extremes::Judged) },
    score: |measure, case| {
        let size = case.retrieved().min(measure.depth());
        if size == 0 { 0.0 } else { 1.0 - case.judged(size).count() as f64 / f64::from(size) }
    },
    peers: &[
        Peer {
            tool: "trec_eval 10",
            spelling: "unj_10",
            difference: "divides by k even if the list is shorter",
        },
        Peer {
            tool: "BEIR",
            spelling: "Hole@10",
            difference: "counts documents that no topic's judgments name, and divides by k: is Hole@10 here",
        },
        Peer {
            tool: "MTEB",
            spelling: "Hole_at_10",
            difference: "counts documents that no topic's judgments name, and divides by k: is Hole@10 here",
        },
    ],
    examples: &[Example {
        measure: "Unjudged@4",
        judgments: "a=1 b=0 c=1 d=0 e=1",
        list: "a x b c d",
        value: 0.25,
        working: "x of four",
    }],
    ..Family::BASE
};
