//! Judgments, compiled: for each topic one table of documents and columns
//! over it.
//!
//! A grade is any finite number. A negative one says that the document was in
//! the pool and was not judged; a document that is not listed was outside
//! the pool. The collection keeps one sorted list of its distinct grades, and
//! a topic's grade column holds positions in that list ("grade indexes"), so that a
//! gain map, a relevance grade or another set of judgments is a small table
//! over the grade indexes.

mod builder;
mod topic;

use std::collections::HashSet;
use std::sync::Arc;

use crate::costs::DocumentCosts;
use crate::hash::hash;
use crate::intents::{Intents, Weights};
use crate::table::DocTable;
pub use builder::{Builder, Clash};
pub use topic::Topic;

/// Compiled judgments; immutable, shared by all runs and threads.
#[derive(Clone, Debug)]
pub struct Qrels {
    topics: Vec<Topic>,
    /// The topics as they came, findable, and where each of them is.
    index: DocTable,
    positions: Vec<u32>,
    grades: Vec<f64>,
    column_names: Vec<String>,
    seed: u64,
    /// What documents cost, judged or not.
    pub costs: DocumentCosts,
    /// How many documents the collection has, for the measures that ask.
    pub docs_in_collection: Option<u64>,
    /// Grades that lenient reading replaced.
    pub repaired: u64,
    /// What to say of a second column that looks like one of intents.
    pub iterations: Option<Box<str>>,
    /// Lines that were passed over as comments.
    pub comments: u64,
}

impl Qrels {
    /// The topics in byte order of their ids.
    pub fn topics(&self) -> &[Topic] {
        &self.topics
    }

    /// The position of a topic.
    pub fn position(&self, topic: &[u8]) -> Option<usize> {
        let number = self.index.get(hash(self.seed, topic), topic)?;
        Some(self.positions[number as usize] as usize)
    }

    /// The distinct grades of the collection, ascending. Judgments that were made from others
    /// know those of the whole, also where none of their documents has them any more.
    pub fn grades(&self) -> &[f64] {
        &self.grades
    }

    /// The same judgments, whose list of grades also has these.
    #[must_use]
    pub fn with_grades(&self, more: &[f64]) -> Qrels {
        if more.iter().all(|grade| self.grades.contains(grade)) {
            return self.clone();
        }
        let mut grades = self.grades.clone();
        grades.extend(more.iter().map(|grade| grade + 0.0));
        grades.sort_by(f64::total_cmp);
        grades.dedup();
        let moved: Vec<u32> = self
            .grades
            .iter()
            .map(|grade| grades.partition_point(|other| other < grade) as u32)
            .collect();
        let mut same = self.clone();
        for topic in &mut same.topics {
            topic.grade_column = topic.grade_column.moved(&moved);
            topic.counts.iter_mut().for_each(|of| of.grade_index = moved[of.grade_index as usize]);
        }
        Qrels { grades, ..same }
    }

    /// Other grades for the same documents, from the position of the topic, the
    /// number of the document and its grade, if these judgments list it; `None`
    /// takes it out. The tables are shared, so rankings that were joined with
    /// these judgments can be scored under the new ones. Grades that no document has any
    /// more are dropped, so positions in [`grades`](Self::grades) change.
    #[must_use]
    pub fn regraded(&self, mut f: impl FnMut(usize, usize, Option<f64>) -> Option<f64>) -> Qrels {
        let mut new: Vec<Vec<Option<f64>>> = Vec::with_capacity(self.topics.len());
        let mut distinct: HashSet<u64> = HashSet::new();
        for (position, topic) in self.topics.iter().enumerate() {
            let regrade = |number: u32| {
                let grade = topic
                    .grade_column
                    .get(number)
                    .map(|grade_index| self.grades[grade_index as usize]);
                f(position, number as usize, grade).map(|grade| grade + 0.0)
            };
            let column: Vec<Option<f64>> =
                (0..topic.grade_column.len() as u32).map(regrade).collect();
            // Neighbours mostly share a grade.
            for same in column.chunk_by(|a, b| a == b) {
                distinct.extend(same[0].map(f64::to_bits));
            }
            new.push(column);
        }
        let mut grades: Vec<f64> = distinct.into_iter().map(f64::from_bits).collect();
        grades.sort_by(f64::total_cmp);
        let index_of = |grade: Option<f64>| {
            grade.map(|grade| grades.partition_point(|other| *other < grade) as u32)
        };
        let mut same = self.clone();
        for (topic, column) in same.topics.iter_mut().zip(new) {
            topic.grade_column = column.into_iter().map(index_of).collect();
            topic.counts = topic.grade_column.counts(grades.len());
        }
        Qrels { grades, ..same }
    }

    /// The judgments of a part of the documents, with the grades of the whole: what a measure
    /// knows of the collection, such as its highest grade, does not depend on the part.
    #[must_use]
    pub fn part(&self, f: impl FnMut(usize, usize, Option<f64>) -> Option<f64>) -> Qrels {
        self.regraded(f).with_grades(&self.grades)
    }

    /// The same judgments, in which grades below `rel` are 0 and the others 1, or with `graded`
    /// what they are; so are the grades of intents and of the collection. What is not judged
    /// stays so.
    #[must_use]
    pub fn folded(&self, rel: f64, graded: bool) -> Qrels {
        let fold = |grade: f64| match grade {
            _ if grade < 0.0 || (graded && grade >= rel) => grade,
            _ => f64::from(grade >= rel),
        };
        let grades: Vec<f64> = self.grades.iter().copied().map(fold).collect();
        let folded = self.regraded(|_, _, grade| grade.map(fold));
        let mut folded = folded.with_grades(&grades);
        for intents in folded.topics.iter_mut().filter_map(|topic| topic.intents.as_mut()) {
            Arc::make_mut(intents).regrade(fold);
        }
        folded
    }

    /// The judgments of some topics by their positions, with the grades of the whole.
    #[must_use]
    pub fn of_topics(&self, positions: &[usize]) -> Qrels {
        let mut positions = positions.to_vec();
        positions.sort_unstable();
        positions.dedup();
        let mut index = DocTable::default();
        let mut topics = Vec::with_capacity(positions.len());
        for position in positions {
            let topic = self.topics[position].clone();
            // Their ids differ.
            let _ = index.insert(self.seed, topic.id());
            topics.push(topic);
        }
        Qrels {
            positions: (0..topics.len() as u32).collect(),
            topics,
            index,
            grades: self.grades.clone(),
            column_names: self.column_names.clone(),
            iterations: self.iterations.clone(),
            costs: self.costs.clone(),
            ..*self
        }
    }

    /// Whether documents were judged under the intents of their topics.
    pub fn has_intents(&self) -> bool {
        self.topics.iter().any(|topic| topic.intents.is_some())
    }

    /// The same judgments with other weights of the intents, for each topic.
    /// Judgments that are not by intent stay as they are.
    #[must_use]
    pub fn with_weights(&self, weights: Vec<Weights>) -> Qrels {
        let mut same = self.clone();
        if !self.has_intents() {
            return same;
        }
        for (topic, (more, weights)) in same.topics.iter_mut().zip(weights) {
            if !weights.is_empty() {
                let intents = Arc::make_mut(topic.intents.get_or_insert_default());
                intents.add(more);
                intents.weigh(weights);
            }
        }
        same
    }

    /// The same judgments, of whose intents these are navigational: for each
    /// topic a flag for each intent, in its order.
    #[must_use]
    pub fn with_navigational(&self, navigational: Vec<Vec<bool>>) -> Qrels {
        let mut same = self.clone();
        for (topic, navigational) in same.topics.iter_mut().zip(navigational) {
            if let Some(intents) = &mut topic.intents {
                Arc::make_mut(intents).set_navigational(navigational);
            }
        }
        same
    }

    /// The same judgments under intents: for each topic its own.
    #[must_use]
    pub fn with_intents(&self, intents: Vec<Intents>) -> Qrels {
        let mut same = self.clone();
        for (topic, intents) in same.topics.iter_mut().zip(intents) {
            topic.intents = Some(Arc::new(intents));
        }
        same
    }

    /// The names of the columns beside the grade.
    pub fn column_names(&self) -> &[String] {
        &self.column_names
    }

    /// The same judgments with one more column, or another one of that name:
    /// for each topic a value for each document, in the table's order.
    #[must_use]
    pub fn with_column(&self, name: &str, values: Vec<Vec<f64>>) -> Qrels {
        let mut same = self.clone();
        let known = same.column_names.iter().position(|known| known == name);
        if known.is_none() {
            same.column_names.push(name.to_string());
        }
        for (topic, column) in same.topics.iter_mut().zip(values) {
            match known.and_then(|position| topic.columns.get_mut(position)) {
                Some(old) => *old = column,
                None => topic.columns.push(column),
            }
        }
        same
    }

    /// The seed that ids are hashed with.
    pub fn seed(&self) -> u64 {
        self.seed
    }
}
