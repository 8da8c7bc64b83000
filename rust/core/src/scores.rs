//! Values and what happens to the undefined ones.
//!
//! A fold returns NaN where its definition is 0/0. The policy for that is applied
//! here, once for all measures, by topic and by definition of relevance: under
//! `skip` a topic without a relevant document is NaN in every measure that
//! shares the definition, so that all measures of a table are averaged over the
//! same topics.

use std::collections::HashSet;
use std::fmt;
use std::sync::Arc;

use crate::error::{Error, Kind, Result, quote};
use crate::measure::{Aggregate, Better, Measure, Over};
use crate::rank::{Ranking, Scratch};

/// What happens to an undefined value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Undefined {
    /// 0, as in `trec_eval`.
    #[default]
    Zero,
    /// 1, as in libraries for gradient boosting: where there is nothing to find, nothing is missed.
    One,
    /// The topic is left out: NaN.
    Skip,
    /// An error.
    Error,
}

/// What happens to a topic that a run lacks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Missing {
    /// It is scored as an empty list. A run that lacks all of them is an error.
    #[default]
    Zero,
    /// It is left out: NaN.
    Skip,
    /// An error.
    Error,
}

impl Undefined {
    /// An error for a measure whose best value is not 1, where that is what 0/0 becomes.
    pub fn check(self, measure: &Measure) -> Result<()> {
        let range = measure.family.about.range;
        let why = match measure.better() {
            _ if self != Undefined::One => return Ok(()),
            Better::Higher if measure.over != Over::Documents && !measure.over.is_of_text() => {
                format!("{measure} is a mean over classes or intents")
            }
            Better::Higher if range == "[0, 1]" => return Ok(()),
            Better::Higher => format!("the values of {measure} are in {range}"),
            Better::Lower => format!("of {measure} less is better"),
            Better::Neither => format!("{measure} does not say how good a run is"),
        };
        Err(Error::for_each(Kind::Option, |to| {
            let one = to.choice("undefined", "one");
            format!("{one} is for measures whose best value is 1: {why}")
        }))
    }

    /// A fold's value under the policy. `defined` says whether the topic has
    /// a relevant document in the measure's sense.
    #[inline(always)]
    pub fn settle(self, value: f64, defined: bool, measure: &Measure, topic: &[u8]) -> Result<f64> {
        match self {
            // An empty sum is minus zero; adding zero makes it zero.
            _ if defined && value.is_finite() => Ok(value + 0.0),
            Undefined::Zero if !defined => Ok(if value.is_nan() { 0.0 } else { value + 0.0 }),
            Undefined::One if !defined => Ok(if value.is_nan() { 1.0 } else { value + 0.0 }),
            Undefined::Skip if !defined => Ok(f64::NAN),
            _ => Err(no_value(defined, measure, topic)),
        }
    }
}

/// The error for a value that is not finite, or undefined.
#[cold]
fn no_value(defined: bool, measure: &Measure, topic: &[u8]) -> Error {
    // One list is of no topic.
    let named = !topic.is_empty();
    let of = if named { format!(" for topic {}", quote(topic)) } else { String::new() };
    if defined {
        let why = "the grades are too large for it";
        return Error::new(Kind::Number, format!("{measure} is not finite{of}: {why}"));
    }
    let why = if named { "it has no relevant document" } else { "nothing is relevant" };
    let message = format!("{measure} is undefined{of}: {why}");
    Error::new(Kind::Undefined, message)
}

/// What scoring a run skipped or had to decide.
#[derive(Clone, Debug, Default)]
pub struct Notes {
    /// The tag in the file's last column.
    pub tag: Option<Vec<u8>>,
    /// Lines with a document.
    pub lines: u64,
    /// Topics of the judgments that the run lacks.
    pub missing: Vec<Box<[u8]>>,
    /// Topics of the run without judgments, in order of appearance.
    pub without_judgments: Vec<Box<[u8]>>,
    /// Lines of judged topics whose score equals a neighbour's.
    pub ties: u64,
    /// Lines that were dropped because they repeat a document.
    pub duplicates: u64,
    /// Lines that were dropped, since their document has the topic's own id.
    pub own: u64,
    /// Topics in which such a document has rank 1.
    pub own_first: u64,
    /// Fields that lenient reading replaced.
    pub repaired: u64,
    /// Lines that were skipped as comments.
    pub comments: u64,
    /// How many documents of judged topics were looked at, and how many of these are in groups
    /// of equal score that hold a judged document.
    pub seen: u64,
    /// See `seen`.
    pub tied: u64,
    /// What is unlikely, if there is anything.
    pub said: Option<Box<Said>>,
    /// Topics in which a judged document has different ranks in single and in
    /// double precision; if requested.
    pub f32_differs: Option<u64>,
}

impl Notes {
    /// Counts the ties of a list.
    #[inline]
    pub(crate) fn count_ties(&mut self, ranking: &Ranking, scratch: &Scratch) {
        self.own += ranking.own;
        self.own_first += u64::from(ranking.own_first);
        self.ties += ranking.ties;
        self.tied += u64::from(scratch.in_ties);
        self.seen += u64::from(scratch.seen);
    }

    /// The share of the documents looked at that are in groups of equal score that hold a judged
    /// one.
    pub fn tied_share(&self) -> f64 {
        self.tied as f64 / self.seen.max(1) as f64
    }

    /// Says that own documents are first in many of the topics that came.
    pub(crate) fn note_own(&mut self, come: usize) {
        if self.own_first as f64 > MANY_OWN * come as f64 {
            let topics = if come == 1 { "topic" } else { "topics" };
            self.say().own_first = Some(format!(
                "the first document has the id of its topic in {} of {come} {topics}; own=\"drop\" \
                 (--own-document drop) takes it out",
                self.own_first
            ));
        }
    }

    /// What is said, to say more.
    #[cold]
    pub fn say(&mut self) -> &mut Said {
        self.said.get_or_insert_default()
    }

    fn has_findings(&self) -> bool {
        let topics = !self.missing.is_empty() || !self.without_judgments.is_empty();
        topics || self.said.is_some()
    }
}

/// Where a larger share of documents is tied, it is said how far their order could move a score.
const MANY_TIED: f64 = 0.1;

/// Where a larger share of topics has its own document at rank 1, queries are documents.
const MANY_OWN: f64 = 0.2;

/// What to say of a run that is not what it seems.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Said {
    /// No document is judged.
    pub unmatched: Option<String>,
    /// The order of equal scores could move a score of the run, and of no other more.
    pub tied: Option<String>,
    /// Scores rise from the first rank on in the first list.
    pub rising: Option<String>,
    /// Topics have their own document at rank 1.
    pub own_first: Option<String>,
    /// Chunks come twice, or evidence is missed by a few characters.
    pub of_text: Option<String>,
    /// The change after which topics without judgments would have those of missing ones.
    pub topics_hint: Option<String>,
}

/// A measure that is only a label: its values were computed elsewhere.
#[derive(Clone, Debug, PartialEq)]
pub struct OpaqueMeasure {
    /// The label, as it was written.
    pub label: String,
    /// How the values of topics become one for the run.
    pub aggregate: Aggregate,
    /// Which values are better.
    pub better: Better,
}

/// What a column of scores holds.
#[derive(Clone, Debug, PartialEq)]
pub enum MeasureLabel {
    /// A measure of the registry.
    Known(Measure),
    /// A measure that is only a label.
    Opaque(OpaqueMeasure),
}

impl MeasureLabel {
    /// How the values of topics become one for the run.
    pub fn aggregate(&self) -> Aggregate {
        match self {
            MeasureLabel::Known(measure) => measure.aggregate(),
            MeasureLabel::Opaque(opaque) => opaque.aggregate,
        }
    }

    /// Which values are better.
    pub fn better(&self) -> Better {
        match self {
            MeasureLabel::Known(measure) => measure.better(),
            MeasureLabel::Opaque(opaque) => opaque.better,
        }
    }
}

impl fmt::Display for MeasureLabel {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            MeasureLabel::Known(measure) => measure.fmt(f),
            MeasureLabel::Opaque(opaque) => f.write_str(&opaque.label),
        }
    }
}

impl PartialEq<Measure> for MeasureLabel {
    fn eq(&self, other: &Measure) -> bool {
        matches!(self, MeasureLabel::Known(measure) if measure == other)
    }
}

/// An axis of scores.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Axis {
    /// The runs.
    Run,
    /// The topics.
    Topic,
    /// The measures.
    Measure,
}

/// The values of runs x topics x measures, with their labels.
#[derive(Clone, Debug)]
pub struct Scores {
    /// The names of the runs.
    pub runs: Vec<String>,
    /// The topics, in byte order.
    pub topics: Arc<[Box<[u8]>]>,
    /// The measures.
    pub measures: Arc<[MeasureLabel]>,
    /// The values: runs, then topics, then measures.
    pub values: Vec<f64>,
    /// The denominator of each value, in the same order; empty if no
    /// measure pools topics.
    pub weights: Vec<f64>,
    /// One for each run.
    pub notes: Vec<Notes>,
    /// Topics in which a measure finds no relevant document; of all runs.
    pub without_relevant: Arc<[Box<[u8]>]>,
    /// What to say of the judgments.
    pub judgments: Arc<[Box<str>]>,
}

impl Scores {
    /// Whether runs and judgments have different topics, or some topics have no relevant
    /// document. A run of one topic under judgments of many is taken as intended.
    pub fn has_findings(&self) -> bool {
        let of_all = !self.without_relevant.is_empty() || !self.judgments.is_empty();
        let of_several = |notes: &&Notes| self.is_of_several(notes);
        self.notes.iter().filter(of_several).any(|notes| of_all || notes.has_findings())
    }

    fn is_of_several(&self, notes: &Notes) -> bool {
        let judged = self.topics.len();
        let come = judged.saturating_sub(notes.missing.len());
        judged == 1 || come + notes.without_judgments.len() > 1
    }

    /// The run with the largest share of tied documents, if that is large, and how many others
    /// have a large one.
    pub fn most_tied(&self) -> Option<(usize, usize)> {
        let tied = self
            .notes
            .iter()
            .enumerate()
            .filter(|(_, notes)| notes.tied_share() > MANY_TIED && self.is_of_several(notes));
        let runs: Vec<(usize, f64)> = tied.map(|(run, notes)| (run, notes.tied_share())).collect();
        let most = runs.iter().rev().max_by(|a, b| a.1.total_cmp(&b.1))?;
        Some((most.0, runs.len() - 1))
    }

    /// The values of a run and a topic, one a measure.
    pub fn row(&self, run: usize, topic: usize) -> &[f64] {
        let width = self.measures.len();
        let start = (run * self.topics.len() + topic) * width;
        &self.values[start..start + width]
    }

    /// The values of a run and a measure over the topics that are not left
    /// out, in the order of the topics.
    pub fn over_topics(&self, run: usize, measure: usize) -> impl Iterator<Item = f64> {
        (0..self.topics.len())
            .map(move |topic| self.row(run, topic)[measure])
            .filter(|v| !v.is_nan())
    }

    /// The arithmetic mean over topics; NaN when all are left out.
    pub fn mean(&self, run: usize, measure: usize) -> f64 {
        mean(self.over_topics(run, measure))
    }

    /// The measure's own aggregate over topics; NaN when all are left out.
    pub fn summary(&self, run: usize, measure: usize) -> f64 {
        let values = self.over_topics(run, measure);
        match self.measures[measure].aggregate() {
            Aggregate::Mean => mean(values),
            Aggregate::Sum => {
                values.reduce(|sum, value| sum + value).map_or(f64::NAN, |sum| sum + 0.0)
            }
            Aggregate::Geometric => mean(values.map(|value| value.max(1e-5).ln())).exp(),
            Aggregate::Pooled => self.pooled(run, measure),
        }
    }

    /// The mean over topics weighted by the denominators; 0 if all of them are
    /// 0, NaN if all topics are left out or the weights are unknown.
    fn pooled(&self, run: usize, measure: usize) -> f64 {
        if self.weights.is_empty() {
            return f64::NAN;
        }
        let (mut part, mut whole) = (f64::NAN, 0.0);
        for topic in 0..self.topics.len() {
            let value = self.row(run, topic)[measure];
            if !value.is_nan() {
                let place = (run * self.topics.len() + topic) * self.measures.len() + measure;
                let weight = self.weights[place];
                part = if part.is_nan() { 0.0 } else { part } + value * weight;
                whole += weight;
            }
        }
        if whole == 0.0 { part } else { part / whole }
    }

    /// The scores of some runs, topics and measures, by position.
    #[must_use]
    pub fn select(&self, runs: &[usize], topics: &[usize], measures: &[usize]) -> Scores {
        let part = |all: &[f64]| {
            let mut part = Vec::with_capacity(runs.len() * topics.len() * measures.len());
            for &run in runs {
                for &topic in topics {
                    let start = (run * self.topics.len() + topic) * self.measures.len();
                    part.extend(measures.iter().map(|&measure| all[start + measure]));
                }
            }
            part
        };
        let kept: HashSet<&[u8]> = topics.iter().map(|&t| &*self.topics[t]).collect();
        let without_relevant =
            self.without_relevant.iter().filter(|topic| kept.contains(&***topic));
        Scores {
            runs: runs.iter().map(|&i| self.runs[i].clone()).collect(),
            topics: topics.iter().map(|&i| self.topics[i].clone()).collect(),
            measures: measures.iter().map(|&i| self.measures[i].clone()).collect(),
            values: part(&self.values),
            weights: if self.weights.is_empty() { Vec::new() } else { part(&self.weights) },
            notes: runs.iter().map(|&i| self.notes[i].clone()).collect(),
            without_relevant: without_relevant.cloned().collect(),
            judgments: Arc::clone(&self.judgments),
        }
    }
}

/// Joins scores along an axis; the other axes must have the same labels in the
/// same order. Notes are those of the first scores, and of the added runs.
pub fn concat(parts: &[&Scores], axis: Axis) -> Scores {
    let first = parts[0];
    let weighed = parts.iter().any(|part| !part.weights.is_empty());
    let mut joined = Scores { values: Vec::new(), weights: Vec::new(), ..first.clone() };
    match axis {
        Axis::Run => {
            for part in &parts[1..] {
                joined.runs.extend_from_slice(&part.runs);
                joined.notes.extend_from_slice(&part.notes);
            }
        }
        Axis::Topic => {
            joined.topics = parts.iter().flat_map(|part| &*part.topics).cloned().collect();
        }
        Axis::Measure => {
            joined.measures = parts.iter().flat_map(|part| &*part.measures).cloned().collect();
        }
    }
    let mut seen = HashSet::new();
    let without_relevant = parts.iter().flat_map(|part| &*part.without_relevant);
    joined.without_relevant =
        without_relevant.filter(|topic| seen.insert(*topic)).cloned().collect();
    // How many consecutive numbers belong to one part.
    let (rows, [runs, topics]) = match axis {
        Axis::Run => (1, [true, true]),
        Axis::Topic => (first.runs.len(), [false, true]),
        Axis::Measure => (first.runs.len() * first.topics.len(), [false, false]),
    };
    let width = |part: &Scores| {
        let runs = if runs { part.runs.len() } else { 1 };
        let topics = if topics { part.topics.len() } else { 1 };
        runs * topics * part.measures.len()
    };
    for row in 0..rows {
        for part in parts {
            let cells = row * width(part)..(row + 1) * width(part);
            joined.values.extend_from_slice(&part.values[cells.clone()]);
            if weighed && part.weights.is_empty() {
                // A pooled value without its weight has no summary.
                let weights = part.values[cells.clone()].iter().enumerate().map(|(cell, _)| {
                    let column = &part.measures[cell % part.measures.len()];
                    if column.aggregate() == Aggregate::Pooled { f64::NAN } else { 1.0 }
                });
                joined.weights.extend(weights);
            } else if weighed {
                joined.weights.extend_from_slice(&part.weights[cells]);
            }
        }
    }
    joined
}

fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let (mut sum, mut count) = (0.0, 0u32);
    for value in values {
        sum += value;
        count += 1;
    }
    sum / f64::from(count)
}
