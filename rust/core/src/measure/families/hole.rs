//! The hole: documents that no topic's judgments name.

use crate::measure::declare::*;

pub static FAMILY: Family = Family {
    about: About {
        name: "Hole",
        aliases: &[],
        group: "counts",
        summary: "The share of the first k documents that the judgments of no topic name.",
        prose: "BEIR and MTEB print it to show how much of a list was never judged. A document that another topic's judgments name is not a hole, and neither is one with a negative grade; Unjudged@k uses the topic's own judgments. The divisor is k even if the list is shorter, as in BEIR and MTEB.",
        formula: "Hole@k = documents among the first k that no topic's judgments name / k",
        citation: "Thakur et al. (2021), BEIR: A heterogeneous benchmark for zero-shot evaluation of information retrieval models, NeurIPS",
        range: "[0, 1]",
        better: |_| Better::Lower,
    },
    takes: Takes { cutoff: Cutoff::Required, prime: false, ..Takes::NONE },
    sees: Sees {
        relevance: Relevance::Unused,
        unjudged_docs: UnjudgedDocs::LookedUp(Measure::depth),
        ..Sees::GRADES
    },
    laws: Laws { bounds: |_| Bounds::Refused("it measures how much is judged"), ..Laws::UNKNOWN },
    score: |measure, case| {
        let first =
            case.trace.unjudged_docs.iter().take_while(|(rank, _)| *rank <= measure.depth());
        let nowhere =
            first.filter(|(_, hash)| !case.named.is_some_and(|named| named.contains(hash))).count();
        nowhere as f64 / f64::from(measure.depth())
    },
    peers: &[Peer::new("BEIR", "Hole@10"), Peer::new("MTEB", "Hole_at_10")],
    examples: &[Example {
        measure: "Hole@4",
        judgments: "a=1 b=0 c=1 d=0 e=1",
        list: "a x b c d",
        value: 0.25,
        working: "x of four",
    }],
};
