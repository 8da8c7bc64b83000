//! What topics have of each kind of document or of evidence, in numbers.

use std::collections::HashSet;

use crate::format::shortest;
use crate::qrels::Qrels;
use crate::spans::Gold;

/// A column with more different values than this is not counted.
const MOST_VALUES: usize = 20;

/// What is counted, and the number of each topic.
pub type TopicColumn = (String, Vec<u64>);

/// A grade as files have it: 1, 0.5.
fn plain(grade: f64) -> String {
    if grade.fract() == 0.0 { format!("{grade:.0}") } else { shortest(grade) }
}

/// The values that occur, ascending.
fn distinct(values: impl Iterator<Item = f64>) -> Vec<f64> {
    let mut known: Vec<f64> = values.collect();
    known.sort_by(f64::total_cmp);
    known.dedup();
    known
}

/// A column: how many values of each topic are counted.
fn column(name: &str, topics: &[Vec<f64>], counts: impl Fn(f64) -> bool) -> TopicColumn {
    let number = |values: &Vec<f64>| values.iter().filter(|value| counts(**value)).count() as u64;
    (name.to_string(), topics.iter().map(number).collect())
}

/// A column for each grade that occurs.
fn of_grades(topics: &[Vec<f64>]) -> impl Iterator<Item = TopicColumn> {
    let grades = distinct(topics.iter().flatten().copied());
    let of = |grade| column(&format!("grade {}", plain(grade)), topics, |other| other == grade);
    grades.into_iter().map(of)
}

/// How many documents of each kind topics have. A relevant one has at least the grade `rel`;
/// `everything`: a grade below zero is judged, too.
pub fn of_documents(qrels: &Qrels, rel: f64, everything: bool) -> Vec<TopicColumn> {
    let (lowest, level) = (if everything { f64::NEG_INFINITY } else { 0.0 }, rel.max(0.0));
    let grade = |index: u32| qrels.grades()[index as usize];
    let mut topics = Vec::new();
    for topic in qrels.topics() {
        topics.push(topic.judgments().map(|(_, _, index)| grade(index)).collect::<Vec<f64>>());
    }
    let mut columns = vec![
        column("judged", &topics, |grade| grade >= lowest),
        column("R", &topics, |grade| grade >= level),
        column("N", &topics, |grade| lowest <= grade && grade < level),
        column("pooled only", &topics, |grade| grade < lowest),
    ];
    columns.extend(of_grades(&topics));
    for (place, name) in qrels.column_names().iter().enumerate() {
        let (mut every, mut judged) = (Vec::new(), Vec::new());
        for topic in qrels.topics() {
            let values = topic.column(place).unwrap_or_default();
            let known = topic.judgments().map(|(number, _, index)| (values[number], grade(index)));
            let known: Vec<(f64, f64)> = known.filter(|(value, _)| !value.is_nan()).collect();
            let own = known.iter().filter(|(_, grade)| *grade >= lowest);
            judged.push(own.map(|(value, _)| *value).collect::<Vec<f64>>());
            every.push(known.into_iter().map(|(value, _)| value).collect::<Vec<f64>>());
        }
        let known = distinct(every.iter().flatten().copied());
        for value in known.iter().take(if known.len() > MOST_VALUES { 0 } else { known.len() }) {
            for (which, topics) in [("", &every), (" judged", &judged)] {
                let name = format!("{name} {}{which}", plain(*value));
                columns.push(column(&name, topics, |other| other == *value));
            }
        }
    }
    columns
}

/// How many pieces of evidence topics have, of which grades, and how long they are. The grade of
/// a group is its highest.
pub fn of_spans(gold: &Gold, rel: f64) -> Vec<TopicColumn> {
    let (mut spans, mut documents, mut characters) = (Vec::new(), Vec::new(), Vec::new());
    let mut pieces = Vec::new();
    for topic in &gold.topics {
        let own: HashSet<u32> = topic.spans.iter().map(|span| span.document).collect();
        let mut grades = vec![f64::NAN; topic.groups.len()];
        for span in &topic.spans {
            let grade = &mut grades[span.group as usize];
            *grade = grade.max(span.grade);
        }
        grades.retain(|grade| !grade.is_nan());
        pieces.push(grades);
        spans.push(topic.spans.len() as u64);
        documents.push(own.len() as u64);
        characters.push(topic.characters.iter().sum());
    }
    let mut columns = vec![
        ("spans".to_string(), spans),
        ("documents".to_string(), documents),
        ("characters".to_string(), characters),
        column("R", &pieces, |grade| grade >= rel),
        column("N", &pieces, |grade| grade < rel),
    ];
    columns.extend(of_grades(&pieces));
    columns
}
