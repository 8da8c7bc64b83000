//! Precision of the retrieved set.

use super::{Case, Cutoff, Example, Family, Measure};

pub static FAMILY: Family = Family {
    name: "SetP",
    aliases: &["set_P"],
    group: "sets",
    summary: "The share of the retrieved documents that is relevant.",
    prose: "The list is a set: ranks do not count. With a cutoff the set is the first k documents. Nothing retrieved gives 0.",
    formula: "SetP = c(n) / n, where n documents were retrieved",
    citation: "Manning, Raghavan and Schütze (2008), Introduction to Information Retrieval, equation 8.1",
    cutoff: Cutoff::Optional,
    score: |measure, case| precision(measure, case),
    examples: &[Example {
        measure: "SetP",
        judgments: "a=1 b=0 c=1 d=0 e=1",
        list: "a x b c d",
        value: 0.4,
        working: "two of five retrieved documents are relevant",
    }],
    ..Family::BASE
};

/// Precision of the set; 0 when nothing was retrieved, as in every tool.
pub(super) fn precision(measure: &Measure, case: &Case) -> f64 {
    let size = case.retrieved().min(measure.depth());
    if size == 0 { 0.0 } else { case.hits(size) / f64::from(size) }
}
