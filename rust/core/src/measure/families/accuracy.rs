//! Accuracy, specificity and fallout of the retrieved set.

use crate::measure::declare::*;

pub static FAMILY: Family = Family {
    about: About {
        name: "Accuracy",
        aliases: &["classification accuracy"],
        group: "sets",
        summary: "The proportion of the collection classified correctly: retrieved and relevant, or neither.",
        prose: "All documents that are not judged relevant count as not relevant. Most of a collection is neither relevant nor retrieved, so nearly every system has an accuracy near 1, which is why it is not used to rank systems. ir_measures uses the name for something else, the proportion of pairs in the right order. It takes no cutoff, since Accuracy@k is Success@k in sentence-transformers, BEIR and MTEB; depth=k keeps only the first k documents of every ranking. The number of documents in the collection comes with the judgments (docs_in_collection).",
        formula: "Accuracy = (tp + tn) / C, where C documents are in the collection",
        citation: "Manning, Raghavan and Schütze (2008), Introduction to Information Retrieval, section 8.3",
        range: "[0, 1]",
        better: |_| Better::Higher,
    },
    takes: Takes { cutoff: Cutoff::Elsewhere("Success"), ..Takes::NONE },
    sees: Sees { collection: |_| true, ..Sees::GRADES },
    laws: Laws { bounds: |_| Bounds::Sorted, ties: |_| Ties::SUM, ..Laws::UNKNOWN },
    score: |measure, case| {
        let table = Table::of(measure, case);
        (table.hits + table.rejected) / (table.nonrelevant + case.num_rel())
    },
    peers: &[
        Peer::new("ir_measures", "Accuracy")
            .but("not an accuracy but the proportion of pairs of retrieved documents in the right order: see AUC"),
        Peer::new("sklearn", "accuracy_score"),
    ],
    examples: &[Example {
        measure: "Accuracy",
        judgments: "a=1 b=0 c=1 d=0 e=1",
        list: "a x b c d",
        value: 0.96,
        working: "of 100 documents, a and c are right, e is missing, x b d are wrong, 94 are rightly left out: (2 + 94) / 100",
    }],
};

pub static SPECIFICITY: Family = Family {
    about: About {
        name: "Specificity",
        aliases: &["true_negative_rate", "selectivity of a set"],
        group: "sets",
        summary: "The proportion of the nonrelevant documents that were not retrieved.",
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

pub static FALLOUT: Family = Family {
    about: About {
        name: "Fallout",
        aliases: &["false_positive_rate"],
        group: "sets",
        summary: "The proportion of the nonrelevant documents that were retrieved; lower is better.",
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

/// What was retrieved and what was not.
pub(super) struct Table {
    /// Relevant documents retrieved.
    pub hits: f64,
    /// Documents retrieved that are not relevant.
    pub noise: f64,
    /// Documents not retrieved that are not relevant.
    pub rejected: f64,
    /// Documents of the collection that are not relevant.
    pub nonrelevant: f64,
}

impl Table {
    /// The table of the retrieved set, or of its first k documents.
    pub(super) fn of(measure: &Measure, case: &Case) -> Self {
        let size = case.retrieved().min(measure.depth());
        let hits = case.hits(size);
        let noise = f64::from(size) - hits;
        let nonrelevant = case.docs_in_collection.unwrap_or(0) as f64 - case.num_rel();
        Table { hits, noise, rejected: nonrelevant - noise, nonrelevant }
    }
}
