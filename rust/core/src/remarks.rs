//! What has to be said of measures under judgments, or beside each other, so that nobody takes
//! their values for something else.

use crate::grade_column::GradeCount;
use crate::measure::{Measure, Needs};
use crate::qrels::Qrels;
use crate::read::qrels::INCLUSION;

/// Estimates from a sample of a pool under judgments in which no document is pooled and not
/// judged, in a sentence.
#[must_use]
pub fn of_judgments(qrels: &Qrels, measures: &[Measure]) -> Option<String> {
    let drawn = qrels.column_names().iter().any(|name| name == INCLUSION);
    // Probabilities of inclusion say what was drawn, without the rest of the pool.
    let estimates = |measure: &&Measure| {
        measure.family.estimates() && !(drawn && measure.family.sees.needs == Needs::Sample)
    };
    let names: Vec<String> = measures.iter().filter(estimates).map(Measure::to_string).collect();
    if names.is_empty() || qrels.topics().is_empty() || marks_a_pool(qrels) {
        return None;
    }
    let verb = if names.len() == 1 { "estimates" } else { "estimate" };
    Some(format!(
        "no document is pooled and not judged (grade -1), so {} {verb} nothing: what was judged \
         counts as the whole pool; `cranfield pool RUNS --qrels QRELS --marked`, in Python \
         cranfield.collection.mark_pool, marks the rest of it",
        names.join(" ")
    ))
}

/// Whether any document is pooled and not judged.
fn marks_a_pool(qrels: &Qrels) -> bool {
    let pooled = |of: &GradeCount| of.count > 0 && qrels.grades()[of.grade_index as usize] < 0.0;
    qrels.topics().iter().any(|topic| topic.counts().iter().any(pooled))
}

/// Measures that seem to differ in one thing and differ in their discount as well, a sentence
/// for each two.
#[must_use]
pub fn of_measures(measures: &[Measure]) -> Vec<String> {
    let named = |name: &'static str| {
        measures.iter().filter(move |measure| measure.family.about.name == name)
    };
    let mut found = Vec::new();
    for expanded in named("enDCG") {
        for plain in named("nDCG") {
            let alike = Measure { values: plain.values.clone(), ..expanded.clone() };
            let same = Measure { family: plain.family, ..alike.clone() };
            if same == *plain && alike != *expanded {
                found.push(format!(
                    "{expanded} and {plain} discount ranks in two ways ({} and {}), so they differ \
                     even where the cutoff holds all relevant documents; {alike} has the discount \
                     of {plain}",
                    expanded.value("dcg"),
                    plain.value("dcg"),
                ));
            }
        }
    }
    found
}
