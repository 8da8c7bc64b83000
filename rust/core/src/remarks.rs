//! What has to be said of measures under judgments, or beside each other, so that nobody takes
//! their values for something else.

use crate::grade_column::GradeCount;
use crate::measure::{Measure, Needs};
use crate::qrels::{Qrels, Topic};
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
        "no document is marked as pooled but not judged (grade -1), so {} {verb} nothing: the \
         judged documents count as the whole pool; `cranfield pool RUNS --qrels QRELS --marked`, \
         or cranfield.collection.mark_pool in Python, marks the rest",
        names.join(" ")
    ))
}

/// Whether any document is pooled and not judged.
fn marks_a_pool(qrels: &Qrels) -> bool {
    let pooled = |of: &GradeCount| of.count > 0 && qrels.grades()[of.grade_index as usize] < 0.0;
    qrels.topics().iter().any(|topic| topic.counts().iter().any(pooled))
}

/// The measures by whose default relevance level nothing is relevant, though there are
/// grades above 0; with them the lowest and the highest of these.
///
/// A level that the caller names, in a measure or as `rel`, is taken as meant.
pub fn above_all_grades<'a>(
    qrels: &Qrels,
    measures: impl Iterator<Item = &'a Measure>,
    rel: Option<f64>,
) -> Option<(Vec<&'a Measure>, f64, f64)> {
    let mut defaulted = with_default_rel(measures, rel).peekable();
    defaulted.peek()?;
    let counts = qrels.topics().iter().flat_map(Topic::counts);
    let grades = counts.map(|of| qrels.grades()[of.grade_index as usize]);
    let (lowest, highest) = grades
        .filter(|grade| *grade > 0.0)
        .fold((f64::INFINITY, 0.0_f64), |(low, high), grade| (low.min(grade), high.max(grade)));
    let above: Vec<&Measure> = defaulted.filter(|measure| highest < measure.rel).collect();
    (highest > 0.0 && !above.is_empty()).then_some((above, lowest, highest))
}

/// What to say if grades are not relevant by the default relevance level of a measure that
/// look as if they were: fractions above 0, beside grades that are relevant.
pub(crate) fn fractions_below(
    qrels: &Qrels,
    measures: &[Measure],
    rel: Option<f64>,
) -> Option<Box<str>> {
    let rel = with_default_rel(measures.iter(), rel).next()?.rel;
    let grades = qrels.grades();
    let is_fraction = |grade: &f64| 0.0 < *grade && *grade < rel && grade.fract() != 0.0;
    grades.iter().find(|grade| is_fraction(grade))?;
    // The list may hold grades that no judgment has any more.
    let counts = qrels.topics().iter().flat_map(Topic::counts);
    let mut held = vec![false; grades.len()];
    counts.for_each(|of| held[of.grade_index as usize] = true);
    let held = || grades.iter().zip(&held).filter(|(_, held)| **held).map(|(grade, _)| *grade);
    let below: Vec<String> = held().filter(is_fraction).map(|grade| format!("{grade}")).collect();
    if below.is_empty() || !held().any(|grade| grade >= rel) {
        return None;
    }
    let shown = below.iter().rev().take(5).rev().cloned().collect::<Vec<_>>().join(" ");
    let more = if below.len() > 5 { "... " } else { "" };
    Some(format!("grades below rel={rel} count as nonrelevant: {more}{shown}").into())
}

/// The measures whose relevance level is the default one.
fn with_default_rel<'a>(
    measures: impl Iterator<Item = &'a Measure>,
    rel: Option<f64>,
) -> impl Iterator<Item = &'a Measure> {
    measures.filter(move |m| rel.is_none() && !m.rel_given && m.rel_decides())
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
                    "{expanded} and {plain} discount ranks differently ({} and {}), so they differ \
                     even if all relevant documents fit into the cutoff; {alike} has the discount \
                     of {plain}",
                    expanded.value("dcg"),
                    plain.value("dcg"),
                ));
            }
        }
    }
    found
}
