//! One list and what is relevant to it, scored without judgments of a collection.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};

use super::compile::Workspace;
use super::evaluator::Evaluator;
use super::options::Options;
use crate::costs::{Unit, Units};
use crate::error::{Error, Kind, Result, quote};
use crate::hash::GOLDEN;
use crate::measure::{Measure, UnjudgedDocs};
use crate::qrels::Builder;
use crate::rank::{Duplicates, Hit, Ranking, RunningCost, keep_one};
use crate::remarks::above_all_grades;

/// Measures for lists that come one at a time, each with what is relevant to it.
///
/// Nothing but grades and ranks enters a value here, so that lists with the same grades share
/// what measures compute of them.
pub struct ListScorer {
    measures: Vec<Measure>,
    options: Options,
    unjudged_depth: u32,
    /// What lengths count, if a measure has a budget.
    unit: Option<Unit>,
    memory: Mutex<ListMemory>,
}

/// What was computed so far, and memory that is used again.
#[derive(Default)]
struct ListMemory {
    /// By the bits of the grades, in the order of the documents.
    evaluators: HashMap<Vec<u64>, Evaluator>,
    /// How many grades these have in all.
    kept: usize,
    grades: Vec<u64>,
    ranking: Ranking,
    workspace: Workspace,
}

/// When more grades than this are kept, all is computed anew.
const GRADES_KEPT: usize = 1 << 16;

/// Up to so many comparisons, ids are not hashed.
const COMPARED: usize = 128;

/// An id.
pub type Id<'a> = Cow<'a, [u8]>;

impl ListScorer {
    /// Distinct measures under the options for 0/0 and for repeated documents. An error if a
    /// measure needs more than ids and grades.
    pub fn new(measures: Vec<Measure>, options: Options) -> Result<Self> {
        let samples = |measure: &&Measure| {
            matches!(measure.family.sees.unjudged_docs, UnjudgedDocs::Identified(_))
        };
        if let Some(measure) = measures.iter().find(samples) {
            let message = format!(
                "{measure} draws a sample from the judgments of a topic; one list has none: call evaluate"
            );
            return Err(Error::new(Kind::Needs, message));
        }
        let depths = measures.iter().map(Measure::unjudged_depth);
        let unjudged_depth = depths.max().unwrap_or(0);
        let unit = only_unit(&measures)?;
        let memory = Mutex::default();
        let scorer = ListScorer { measures, options, unjudged_depth, unit, memory };
        scorer.evaluator(&[]).map_err(|error| match error.kind() {
            Kind::Needs => {
                let what = error.message().split("; ").next().unwrap_or_default();
                let what = what.trim_end_matches(", and these judgments have none");
                let message = format!("{what}; one list has ids and grades only: call evaluate");
                Error::new(Kind::Needs, message)
            }
            _ => error,
        })?;
        Ok(scorer)
    }

    /// The values of a list, the best document first, one a measure.
    ///
    /// `relevant` are documents with their grades. A document `own` is left out of the list.
    /// `lengths` are those of the retrieved documents, NaN for one that is not known, for
    /// measures with a budget.
    pub fn score(
        &self,
        retrieved: &[Id],
        relevant: &[(Id, f64)],
        own: Option<&[u8]>,
        lengths: Option<&[f64]>,
    ) -> Result<Vec<f64>> {
        if let (Some(unit), None) = (self.unit, lengths) {
            let unit = unit.name();
            let message =
                format!("@{unit}= needs the {unit} of each document: give lengths={{id: number}}");
            return Err(Error::new(Kind::Needs, message));
        }
        let mut memory = self.memory.lock().unwrap_or_else(PoisonError::into_inner);
        let ListMemory { evaluators, kept, grades, ranking, workspace } = &mut *memory;
        grades.clear();
        ranking.hits.clear();
        ranking.unjudged_docs.clear();
        if retrieved.len().max(relevant.len()) * relevant.len() <= COMPARED {
            let mut known: Vec<&[u8]> = Vec::with_capacity(relevant.len());
            for (id, grade) in relevant {
                if !known.contains(&&**id) {
                    known.push(id);
                    grades.push(grade.to_bits());
                }
            }
            let find = |id: &[u8]| known.iter().position(|other| *other == id);
            self.rank(retrieved, own, grades.len(), find, ranking)?;
        } else {
            let mut known: HashMap<&[u8], usize> = HashMap::with_capacity(relevant.len());
            for (id, grade) in relevant {
                known.entry(id).or_insert_with(|| {
                    grades.push(grade.to_bits());
                    grades.len() - 1
                });
            }
            let find = |id: &[u8]| known.get(id).copied();
            self.rank(retrieved, own, grades.len(), find, ranking)?;
        }
        if let (Some(unit), Some(lengths)) = (self.unit, lengths) {
            self.add_up(unit, retrieved, own, lengths, ranking);
        }
        let mut values = vec![0.0; self.measures.len()];
        if let Some(evaluator) = evaluators.get(grades) {
            evaluator.score_topic(0, ranking, workspace, &mut values)?;
            return Ok(values);
        }
        let evaluator = self.evaluator(grades)?;
        evaluator.score_topic(0, ranking, workspace, &mut values)?;
        if *kept > GRADES_KEPT {
            evaluators.clear();
            *kept = 0;
        }
        *kept += grades.len() + 1;
        evaluators.insert(grades.clone(), evaluator);
        Ok(values)
    }

    /// Writes the ranking of a list, of whose documents `find` knows the number.
    fn rank(
        &self,
        retrieved: &[Id],
        own: Option<&[u8]>,
        documents: usize,
        find: impl Fn(&[u8]) -> Option<usize>,
        ranking: &mut Ranking,
    ) -> Result<()> {
        let duplicates = self.options.ranker.duplicates;
        let mut listed = vec![false; documents];
        let mut all: HashSet<&[u8]> = HashSet::new();
        let mut rank = 0;
        for id in retrieved.iter().filter(|id| Some(&***id) != own) {
            if duplicates != Duplicates::Place && !all.insert(id) {
                if duplicates == Duplicates::Error {
                    return Err(twice(id, retrieved));
                }
                continue;
            }
            rank += 1;
            match find(id) {
                Some(number) if !std::mem::replace(&mut listed[number], true) => {
                    ranking.hits.push(Hit { rank, document: number as u32 });
                }
                // No id is looked at here, but for documents to be no judged ones.
                None if rank <= self.unjudged_depth => ranking.unjudged_docs.push((rank, GOLDEN)),
                _ => {}
            }
        }
        ranking.retrieved = rank;
        Ok(())
    }

    /// Adds up the lengths of the documents that have a place.
    fn add_up(
        &self,
        unit: Unit,
        retrieved: &[Id],
        own: Option<&[u8]>,
        lengths: &[f64],
        ranking: &mut Ranking,
    ) {
        let mut running = RunningCost::of(unit);
        let mut seen: HashSet<&[u8]> = HashSet::new();
        let places = self.options.ranker.duplicates == Duplicates::Place;
        for (id, &length) in retrieved.iter().zip(lengths) {
            if Some(&**id) != own && (places || seen.insert(id)) {
                running.add(length, || (&**id).into());
            }
        }
        ranking.costs.clear();
        ranking.costs.push(running);
    }

    /// The evaluator of lists whose documents have these grades.
    fn evaluator(&self, grades: &[u64]) -> Result<Evaluator> {
        let mut builder = Builder::new(&[]);
        builder.topic(b"");
        for (number, &grade) in grades.iter().enumerate() {
            // Numbers differ.
            let _ = builder.add(b"", &number.to_be_bytes(), f64::from_bits(grade), &[], 0);
        }
        let qrels = Arc::new(builder.finish(None));
        let evaluator = Evaluator::new(qrels, &self.measures, self.options)?;
        match above_all_grades(evaluator.qrels(), self.measures.iter(), None) {
            None => Ok(evaluator),
            Some((measures, lowest, highest)) => {
                let measure = measures[0];
                let named = Measure { rel: lowest, rel_given: true, ..measure.clone() };
                let message = format!(
                    "nothing is relevant to {measure}: the highest grade {highest} is below rel={}, the default; \
                     give the lowest grade that is relevant, such as {named}",
                    measure.rel
                );
                Err(Error::new(Kind::Needs, message))
            }
        }
    }
}

/// The unit of the budgets of measures; an error if there are several, or if it is no length.
fn only_unit(measures: &[Measure]) -> Result<Option<Unit>> {
    let units = measures.iter().filter_map(|measure| Some(measure.budget?.unit));
    let units = units.fold(Units::default(), Units::and);
    let found: Vec<Unit> = units.iter().collect();
    match found[..] {
        [] => Ok(None),
        [unit] if unit != Unit::Calls => Ok(Some(unit)),
        [Unit::Calls] => {
            let message = "@calls= needs the call that each document came from; one list has ids and grades only: call evaluate";
            Err(Error::new(Kind::Needs, message))
        }
        _ => {
            let names: Vec<&str> = found.iter().map(|unit| unit.name()).collect();
            let message = format!(
                "the measures have budgets of {}, and lengths are in one unit; score the list once for each",
                names.join(" and ")
            );
            Err(Error::new(Kind::Needs, message))
        }
    }
}

/// The error for a document that a list holds twice.
#[cold]
fn twice(id: &[u8], retrieved: &[Id]) -> Error {
    let mut places = (1..).zip(retrieved).filter(|(_, other)| ***other == *id);
    let mut place = || places.next().map_or(0, |(place, _)| place);
    let (first, second) = (place(), place());
    let id = quote(id);
    Error::for_each(Kind::Duplicate, |to| {
        format!(
            "expected a document once in the list, found {id} again: positions {first} and {second}; {}",
            keep_one(to)
        )
    })
}
