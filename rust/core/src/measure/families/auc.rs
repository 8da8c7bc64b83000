//! The area under the ROC curve.

use super::accuracy::Table;
use crate::measure::declare::*;

pub static FAMILY: Family = Family {
    about: About {
        name: "AUC",
        aliases: &["ROC_AUC", "area under the ROC curve", "area under the curve", "area under ROC"],
        group: "binary ranks",
        summary: "The area under the ROC curve: the proportion of pairs of a relevant and a nonrelevant document that are in the right order.",
        prose: "Documents that were not retrieved are taken as one tied block at the end of the ranking, and a tie counts one half. All documents that are not judged relevant count as not relevant; the number of documents in the collection comes with the judgments (docs_in_collection).",
        formula: "AUC = (1 / (R (C - R))) [sum over relevant documents retrieved of the others below + (R - tp) (C - R - fp) / 2]",
        citation: "Manning, Raghavan and Schütze (2008), Introduction to Information Retrieval, section 8.4; Hanley and McNeil (1982), The meaning and use of the area under a ROC curve, Radiology",
        range: "[0, 1]",
        better: |_| Better::Higher,
    },
    takes: Takes::NONE,
    sees: Sees { collection: |_| true, ..Sees::GRADES },
    laws: Laws { bounds: |_| Bounds::Sorted, ties: |_| Ties::SUM, ..Laws::UNKNOWN },
    score: |measure, case| {
        let table = Table::of(measure, case);
        let below = case.relevant(u32::MAX).iter();
        let ordered: f64 = below.map(|d| table.nonrelevant - f64::from(d.rank - d.seen)).sum();
        let tied = (case.num_rel() - table.hits) * table.rejected;
        (ordered + 0.5 * tied) / (case.num_rel() * table.nonrelevant)
    },
    peers: &[
        Peer::new("ir_measures", "Accuracy")
            .but("only pairs of retrieved documents; a topic where no relevant one was retrieved is left out"),
        Peer::new("sklearn", "roc_auc_score"),
    ],
    examples: &[Example {
        measure: "AUC",
        judgments: "a=1 b=0 c=1 d=0 e=1",
        list: "a x b c d",
        value: (97.0 + 95.0 + 47.0) / 291.0,
        working: "97 documents are not relevant; below a are 97, below c 95, e ties with 94: (97 + 95 + 94/2) / (3 x 97)",
    }],
};
