//! Fallout of the retrieved set.

use super::accuracy::Table;
use crate::measure::declare::*;

pub static FAMILY: Family = Family {
    about: About {
        name: "Fallout",
        aliases: &["false_positive_rate"],
        group: "sets",
        summary: "The share of the documents that are not relevant that was retrieved: less is better.",
        prose: "One minus Specificity, and the other axis of the ROC curve. All documents that are not judged relevant count as not relevant; the number of documents in the collection comes with the judgments (docs_in_collection).",
        formula: "Fallout = fp / (fp + tn)",
        citation: "Manning, Raghavan and Schütze (2008), Introduction to Information Retrieval, section 8.4",
        range: "[0, 1]",
        better: |_| Better::Lower,
    },
    takes: Takes { cutoff: Cutoff::Optional, ..Takes::NONE },
    sees: Sees { collection: |_| true, ..Sees::GRADES },
    laws: Laws { bounds: |_| Bounds::Sorted, ties: |_| Ties::SUM, ..Laws::UNKNOWN },
    score: |measure, case| {
        let table = Table::of(measure, case);
        table.noise / table.nonrelevant
    },
    peers: &[],
    examples: &[
        Example {
            measure: "Fallout",
            judgments: "a=1 b=0 c=1 d=0 e=1",
            list: "a x b c d",
            value: 3.0 / 97.0,
            working: "97 of 100 documents are not relevant, x b d of them are retrieved: 3/97",
        },
        Example {
            measure: "Fallout@2",
            judgments: "a=1 b=0 c=1 d=0 e=1",
            list: "a x b c d",
            value: 1.0 / 97.0,
            working: "of a x only x is not relevant: 1/97",
        },
    ],
};
