//! Specificity of the retrieved set.

use super::accuracy::Table;
use crate::measure::declare::*;

pub static FAMILY: Family = Family {
    about: About {
        name: "Specificity",
        aliases: &["true_negative_rate"],
        group: "sets",
        summary: "The share of the documents that are not relevant that was not retrieved.",
        prose: "One minus Fallout. All documents that are not judged relevant count as not relevant; the number of documents in the collection comes with the judgments (docs_in_collection). Sensitivity, its partner, is SetR.",
        formula: "Specificity = tn / (fp + tn)",
        citation: "Manning, Raghavan and Schütze (2008), Introduction to Information Retrieval, section 8.4",
        range: "[0, 1]",
        better: |_| Better::Higher,
    },
    takes: Takes { cutoff: Cutoff::Optional, ..Takes::NONE },
    sees: Sees { collection: |_| true, ..Sees::GRADES },
    laws: Laws { bounds: |_| Bounds::Sorted, ties: |_| Ties::SUM, ..Laws::UNKNOWN },
    score: |measure, case| {
        let table = Table::of(measure, case);
        table.rejected / table.nonrelevant
    },
    peers: &[],
    examples: &[Example {
        measure: "Specificity",
        judgments: "a=1 b=0 c=1 d=0 e=1",
        list: "a x b c d",
        value: 94.0 / 97.0,
        working: "97 of 100 documents are not relevant, x b d of them are retrieved: 94/97",
    }],
};
