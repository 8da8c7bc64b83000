//! The Jaccard coefficient of what was retrieved and what is relevant.

use crate::measure::declare::*;

pub static FAMILY: Family = Family {
    about: About {
        name: "IoU",
        aliases: &["Jaccard", "intersection_over_union"],
        group: "sets",
        summary: "The documents that are both retrieved and relevant, divided by those that are one or the other.",
        prose: "It is F / (2 - F) for F = SetF, so both order runs alike on a topic. Over characters, char-IoU leaves out text that is read again; Chroma's evaluation of splitters divides by it, which is char-IoU(repeats=\"count\").",
        formula: "IoU = c / (n + R - c), where c of n retrieved documents are relevant",
        citation: "Jaccard (1912), The distribution of the flora in the alpine zone, New Phytologist; Smith and Troynikov (2024), Evaluating chunking strategies for retrieval, Chroma",
        range: "[0, 1]",
        better: |_| Better::Higher,
    },
    takes: Takes { cutoff: Cutoff::Optional, budget: Budgets::Taken, ..Takes::NONE },
    sees: Sees::GRADES,
    laws: Laws::UNKNOWN,
    score: |measure, case| {
        let size = case.retrieved().min(measure.depth());
        let hits = case.hits(size);
        hits / (f64::from(size) + case.num_rel() - hits)
    },
    peers: &[],
    examples: &[
        Example {
            measure: "IoU",
            judgments: "a=1 b=0 c=1 d=0 e=1",
            list: "a x b c d",
            value: 1.0 / 3.0,
            working: "two of five retrieved and three relevant documents: 2 / (5 + 3 - 2)",
        },
        Example {
            measure: "IoU@2",
            judgments: "a=1 b=0 c=1 d=0 e=1",
            list: "a x b c d",
            value: 0.25,
            working: "1 / (2 + 3 - 1)",
        },
    ],
};
