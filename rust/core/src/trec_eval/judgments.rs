//! The four formats of judgments.
//!
//! Every line of a format has the same number of fields; a blank line is
//! malformed. In every format the documents of a topic form one table, with
//! which lists are joined.

use std::collections::HashMap;
use std::sync::Arc;

use super::exit::{Exit, quoted};
use super::lines::{Data, FileLines, LineEnds, fields_into};
use super::number::{atof, atol};
use super::version::Version;
use crate::qrels::{Builder, Qrels, Topic};
use crate::read::fast_path_qrels::LineAbove;

/// Judgments in one of the formats, compiled.
#[derive(Debug)]
pub struct Judgments {
    /// The documents of each topic, with grades where the format has them.
    pub qrels: Arc<Qrels>,
    /// The other contents of the format.
    pub kind: JudgmentsContent,
}

/// The contents of a format besides documents.
#[derive(Debug)]
pub enum JudgmentsContent {
    /// `qrels`.
    Qrels {
        /// The first document, in byte order, that a topic has twice.
        repeated: HashMap<Vec<u8>, Vec<u8>>,
        /// All lines with a grade above 0.
        positive: u64,
    },
    /// `qrels_jg`: the judgments of the first group of each topic, of the
    /// second, and so on, over the same documents; groups in byte order.
    Groups(Vec<Arc<Qrels>>),
    /// `prefs` and `qrels_prefs`: the lines of each topic.
    Preferences(Vec<Vec<Opinion>>),
}

/// A line of preferences.
#[derive(Clone, Debug)]
pub struct Opinion {
    /// The judgment group.
    pub group: Vec<u8>,
    /// The group within it.
    pub part: Vec<u8>,
    /// The document's number in the topic's table.
    pub document: u32,
    /// The grade.
    pub grade: f64,
}

/// A format by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JudgmentsFormat {
    Qrels,
    QrelsJg,
    Prefs,
    QrelsPrefs,
}

impl JudgmentsFormat {
    /// The format that `-R` names.
    pub fn named(name: &[u8]) -> Option<JudgmentsFormat> {
        match name {
            b"qrels" => Some(JudgmentsFormat::Qrels),
            b"qrels_jg" => Some(JudgmentsFormat::QrelsJg),
            b"prefs" => Some(JudgmentsFormat::Prefs),
            b"qrels_prefs" => Some(JudgmentsFormat::QrelsPrefs),
            _ => None,
        }
    }

    /// Whether it is one of the two of preferences.
    pub fn has_preferences(self) -> bool {
        matches!(self, JudgmentsFormat::Prefs | JudgmentsFormat::QrelsPrefs)
    }

    /// The names of its reader and of its file in messages.
    fn reader(self) -> (&'static str, &'static str) {
        match self {
            JudgmentsFormat::Qrels => ("get_qrels", "qrels"),
            JudgmentsFormat::QrelsJg => ("get_qrels_jg", "qrels"),
            JudgmentsFormat::Prefs => ("get_prefs", "prefs"),
            JudgmentsFormat::QrelsPrefs => ("get_qrels_prefs", "prefs"),
        }
    }

    /// Reads a file.
    pub fn read(self, path: &[u8], version: Version) -> Result<Judgments, Exit> {
        let (reader, file) = self.reader();
        let quit = |message: String| {
            let quit = format!("trec_eval: Quit in file {}\n", quoted(path));
            Exit::new(2, format!("trec_eval.{message}\n{quit}"))
        };
        let data = Data::read(path).map_err(|why| {
            let who = if self.has_preferences() { "get_prefs" } else { reader };
            quit(format!("{who}: Cannot read {file} file {}{why}", quoted(path)))
        })?;
        let malformed = |line: u64| quit(format!("{reader}: Malformed line {line}"));
        let lines = data.lines(version.has_comments());
        match self {
            JudgmentsFormat::Qrels => qrels(lines).map_err(malformed),
            JudgmentsFormat::QrelsJg => {
                let repeated = |document: Vec<u8>| {
                    let document = String::from_utf8_lossy(&document).into_owned();
                    quit(format!("get_qrels: duplicate docs {document}"))
                };
                qrels_jg(lines).map_err(malformed)?.map_err(repeated)
            }
            JudgmentsFormat::Prefs => preferences(lines, true).map_err(malformed),
            JudgmentsFormat::QrelsPrefs => preferences(lines, false).map_err(malformed),
        }
    }
}

/// Calls a function with the fields of each line; `Err` is the first line
/// with a different number of fields.
fn each<const FIELDS: usize>(
    lines: FileLines,
    mut f: impl FnMut([&[u8]; FIELDS]),
) -> Result<(), u64> {
    let mut spans = Vec::new();
    for (number, line) in (1..).zip(lines) {
        fields_into(line, &mut spans);
        if spans.len() != FIELDS {
            return Err(number);
        }
        f(std::array::from_fn(|i| &line[spans[i].0..spans[i].1]));
    }
    Ok(())
}

/// The fields are the topic, the iteration, the document and the grade.
const DOCUMENT: usize = 2;

fn qrels(mut lines: FileLines) -> Result<Judgments, u64> {
    let mut builder = Builder::new(&[]);
    let mut repeated: HashMap<Vec<u8>, Vec<u8>> = HashMap::new();
    let mut positive = 0;
    let mut above = LineAbove::new(|text| Some(atol(text) as f64));
    let (mut ends, mut spans, mut number) = (LineEnds::default(), Vec::new(), 0);
    loop {
        let (bytes, count) = above.read(lines.block(&mut ends), usize::MAX, 0, &mut builder);
        lines.pass(bytes);
        number += count as u64;
        if count > 0 {
            continue;
        }
        let Some(line) = lines.next() else { break };
        number += 1;
        fields_into(line, &mut spans);
        let fields: Vec<&[u8]> = spans.iter().map(|&(from, to)| &line[from..to]).collect();
        let &[topic, _, document, grade] = &fields[..] else { return Err(number) };
        let grade = atol(grade);
        if builder.add(topic, document, grade as f64, &[], 0).is_err() {
            positive += u64::from(grade > 0);
            let smallest = repeated.entry(topic.to_vec()).or_insert_with(|| document.to_vec());
            if document < smallest.as_slice() {
                *smallest = document.to_vec();
            }
        }
        // A topic that begins with `#` is told from a comment line by line.
        if line[0] == b'#' {
            above.forget();
        } else {
            above.learn(line, spans[DOCUMENT].0);
        }
    }
    let qrels = builder.finish(None);
    positive += qrels
        .topics()
        .iter()
        .flat_map(Topic::counts)
        .filter(|count| qrels.grades()[count.grade_index as usize] > 0.0)
        .map(|count| u64::from(count.count))
        .sum::<u64>();
    let kind = JudgmentsContent::Qrels { repeated, positive };
    Ok(Judgments { qrels: Arc::new(qrels), kind })
}

/// A topic's documents with their numbers, and grades by group.
#[derive(Default)]
struct GradesByGroup(HashMap<Vec<u8>, HashMap<Vec<u8>, f64>>);

fn qrels_jg(lines: FileLines) -> Result<Result<Judgments, Vec<u8>>, u64> {
    let mut builder = Builder::new(&[]);
    let mut topics: HashMap<Vec<u8>, GradesByGroup> = HashMap::new();
    let mut repeated: Option<[Vec<u8>; 3]> = None;
    each(lines, |[topic, group, document, grade]| {
        // A second group may have the document as well.
        let _ = builder.add(topic, document, 0.0, &[], 0);
        let groups = topics.entry(topic.to_vec()).or_default();
        let grades = groups.0.entry(group.to_vec()).or_default();
        if grades.insert(document.to_vec(), atol(grade) as f64).is_some() {
            let place = [topic.to_vec(), group.to_vec(), document.to_vec()];
            if repeated.as_ref().is_none_or(|known| place < *known) {
                repeated = Some(place);
            }
        }
    })?;
    if let Some([_, _, document]) = repeated {
        return Ok(Err(document));
    }
    let qrels = builder.finish(None);
    let sorted: Vec<Vec<&HashMap<Vec<u8>, f64>>> = (qrels.topics().iter())
        .map(|topic| {
            let mut groups: Vec<_> = topics[topic.id()].0.iter().collect();
            groups.sort_by_key(|(name, _)| *name);
            groups.into_iter().map(|(_, grades)| grades).collect()
        })
        .collect();
    let most = sorted.iter().map(Vec::len).max().unwrap_or(0);
    let groups = (0..most).map(|group| {
        Arc::new(qrels.regraded(|position, number, _| {
            let document = qrels.topics()[position].docs().key(number as u32);
            sorted[position].get(group).and_then(|grades| grades.get(document)).copied()
        }))
    });
    let kind = JudgmentsContent::Groups(groups.collect());
    Ok(Ok(Judgments { qrels: Arc::new(qrels), kind }))
}

fn preferences(lines: FileLines, parts: bool) -> Result<Judgments, u64> {
    let mut builder = Builder::new(&[]);
    let mut topics: HashMap<Vec<u8>, Vec<(Vec<u8>, Opinion)>> = HashMap::new();
    let mut add = |topic: &[u8], group: &[u8], part: &[u8], document: &[u8], grade: &[u8]| {
        // A document may be in several groups.
        let _ = builder.add(topic, document, 0.0, &[], 0);
        let (group, part) = (group.to_vec(), part.to_vec());
        let opinion = Opinion { group, part, document: 0, grade: atof(grade) };
        topics.entry(topic.to_vec()).or_default().push((document.to_vec(), opinion));
    };
    if parts {
        each(lines, |[topic, group, part, document, grade]| {
            add(topic, group, part, document, grade);
        })?;
    } else {
        each(lines, |[topic, group, document, grade]| add(topic, group, b"", document, grade))?;
    }
    let qrels = builder.finish(None);
    let opinions = qrels.topics().iter().map(|topic| {
        let numbers: HashMap<&[u8], u32> = topic.docs().keys().zip(0..).collect();
        let lines = topics.remove(topic.id()).unwrap_or_default().into_iter();
        lines.map(|(id, opinion)| Opinion { document: numbers[&id[..]], ..opinion }).collect()
    });
    let kind = JudgmentsContent::Preferences(opinions.collect());
    Ok(Judgments { qrels: Arc::new(qrels), kind })
}
