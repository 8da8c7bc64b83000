//! How much of the list is judged: the proportions judged and unjudged, and the hole.

use crate::measure::declare::*;

pub static FAMILY: Family = Family {
    about: About {
        name: "Judged",
        aliases: &[],
        group: "counts",
        summary: "The proportion of the first k documents that are judged.",
        prose: "The lower it is, the more other scores depend on the pool and the less on the run. It does not measure quality, so no run is best by it. Documents with a negative grade are not judged. In a ranking shorter than k the proportion is of the documents that are there; an empty ranking gives 0.",
        formula: "Judged@k = judged documents among the first k / min(k, n)",
        citation: "ir_measures, measure Judged",
        range: "[0, 1]",
        better: |_| Better::Neither,
    },
    takes: Takes { cutoff: Cutoff::Optional, budget: Budgets::Taken, ..Takes::NONE },
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

pub static UNJUDGED: Family = Family {
    about: About {
        name: "Unjudged",
        aliases: &[],
        group: "counts",
        summary: "The proportion of the first k documents that are not judged.",
        prose: "One minus Judged@k, and 0 for an empty ranking.",
        formula: "Unjudged@k = unjudged documents among the first k / min(k, n)",
        citation: "Thakur et al. (2021), BEIR, NeurIPS, where it is called the hole",
        range: "[0, 1]",
        better: |_| Better::Lower,
    },
    takes: Takes { cutoff: Cutoff::Optional, budget: Budgets::Taken, ..Takes::NONE },
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
        Peer::new("trec_eval 10", "unj_10").but("divides by k even if the ranking is shorter"),
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

pub static HOLE: Family = Family {
    about: About {
        name: "Hole",
        aliases: &["hole rate"],
        group: "counts",
        summary: "The proportion of the first k documents that are not judged for any topic.",
        prose: "BEIR and MTEB print it to show how much of a ranking was never judged. A document that another topic's judgments name is not a hole, and neither is one with a negative grade; Unjudged@k uses the topic's own judgments. The divisor is k even if the ranking is shorter, as in BEIR and MTEB.",
        formula: "Hole@k = documents among the first k that no topic's judgments name / k",
        citation: "Thakur et al. (2021), BEIR: A heterogeneous benchmark for zero-shot evaluation of information retrieval models, NeurIPS",
        range: "[0, 1]",
        better: |_| Better::Lower,
    },
    takes: Takes {
        cutoff: Cutoff::Required,
        prime: false,
        budget: Budgets::Instead("Unjudged"),
        ..Takes::NONE
    },
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
