//! Rows of tables, one after another, to a run or to judgments.

use std::collections::HashMap;
use std::ops::Range;

use super::columns::COSTS;
use crate::costs::Unit;
use crate::error::{Error, Kind, Result, quote};
use crate::interrupt::Steps;
use crate::memory;
use crate::qrels::{Builder, Qrels};
use crate::rank::{Lines, Run};
use crate::read::qrels::again;
use crate::read::run::is_rank;

/// Collects judgments.
pub struct QrelsRows(pub Builder);

impl QrelsRows {
    /// Adds a row.
    pub fn add(&mut self, topic: &[u8], document: &[u8], grade: f64, row: u64) -> Result<()> {
        self.0.make_room(1, document.len())?;
        let added = self.0.add(topic, document, grade, &[], row);
        added.map_err(|clash| again(clash, topic, document, grade).at_line(row))
    }
}

/// Collects the rows of a run.
#[derive(Default)]
pub struct RunRows {
    /// The run so far.
    pub run: Run,
    index: HashMap<Box<[u8]>, usize>,
    current: Option<usize>,
}

impl RunRows {
    /// Adds a row. A rank that is not finite is left out.
    pub fn add(&mut self, topic: &[u8], document: &[u8], score: f64, rank: f64) -> Result<()> {
        let same = self.current.filter(|&i| *self.run.topics[i].0 == *topic);
        let position = same.or_else(|| self.index.get(topic).copied()).unwrap_or_else(|| {
            self.index.insert(topic.into(), self.run.topics.len());
            self.run.topics.push((topic.into(), Lines::default()));
            self.run.topics.len() - 1
        });
        self.current = Some(position);
        let lines = &mut self.run.topics[position].1;
        lines.make_room(1, document.len())?;
        lines.push(document, score);
        if rank.is_finite() {
            lines.push_rank(rank);
        }
        Ok(())
    }

    /// Sets what the document of the row that was added last costs; NaN if nothing is known.
    pub fn cost(&mut self, unit: Unit, cost: f64) {
        if let Some(current) = self.current {
            self.run.topics[current].1.push_cost(unit, cost);
        }
    }
}

/// An error for a number that cannot be a rank, where no score is given.
pub fn check_rank(rank: f64, document: &[u8], topic: &[u8]) -> Result<()> {
    if is_rank(rank) {
        return Ok(());
    }
    let message = format!(
        "expected a whole number from 0 as rank, found {rank} for document {} of topic {}; name the column score if these are scores",
        quote(document),
        quote(topic)
    );
    Err(Error::new(Kind::Number, message))
}

/// A number as tables write it: with spaces around it, or `nan` or `inf`, but without underscores.
pub(super) fn number(text: &[u8]) -> Option<f64> {
    std::str::from_utf8(text).ok()?.trim().parse().ok()
}

/// A row of a table.
#[derive(Clone, Copy, Debug)]
pub(super) struct Row<'a> {
    pub(super) topic: &'a [u8],
    pub(super) document: &'a [u8],
    pub(super) run: Option<&'a [u8]>,
    /// The score, or the grade.
    pub(super) value: Option<f64>,
    pub(super) rank: Option<f64>,
    /// What it costs in each unit, if the table has a column of it; NaN for no number.
    pub(super) costs: [Option<f64>; COSTS],
    /// The line that it stands in.
    pub(super) line: u64,
}

/// Where the texts of a row stand, and its numbers.
#[derive(Clone, Debug)]
struct Kept {
    topic: Range<usize>,
    document: Range<usize>,
    run: Option<Range<usize>>,
    value: Option<f64>,
    rank: Option<f64>,
    costs: [Option<f64>; COSTS],
    line: u64,
}

/// Rows that are read and not yet part of a run or of judgments.
#[derive(Default)]
pub(super) struct Rows {
    /// The run whose rows are kept; all are if there is none.
    pub(super) selected: Option<Vec<u8>>,
    text: Vec<u8>,
    kept: Vec<Kept>,
    /// Where the rows of the last topic begin.
    last_topic: usize,
    steps: Steps,
}

impl Rows {
    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.kept.len()
    }

    /// How many rows stand before those of the topic that came last.
    pub(super) fn before_last_topic(&self) -> usize {
        self.last_topic
    }

    /// The names of the runs that the rows have.
    pub(super) fn runs(&self) -> impl Iterator<Item = &[u8]> {
        self.kept.iter().filter_map(|row| row.run.clone().map(|run| &self.text[run]))
    }

    /// Forgets all rows.
    pub(super) fn clear(&mut self) {
        self.text.clear();
        self.kept.clear();
        self.last_topic = 0;
    }

    /// Adds a row, unless it is of another run than the selected one.
    pub(super) fn add(&mut self, row: Row<'_>) -> Result<()> {
        self.steps.step()?;
        if self.selected.as_deref().is_some_and(|selected| row.run != Some(selected)) {
            return Ok(());
        }
        let same = self.kept.last().map(|last| last.topic.clone());
        let same = same.filter(|last| self.text[last.clone()] == *row.topic);
        let topic = if let Some(topic) = same {
            topic
        } else {
            self.last_topic = self.kept.len();
            self.put(row.topic)?
        };
        let document = self.put(row.document)?;
        let run = row.run.map(|run| self.put(run)).transpose()?;
        let Row { value, rank, costs, line, .. } = row;
        let number = self.kept.len() + 1;
        memory::reserve(&mut self.kept, number)?;
        self.kept.push(Kept { topic, document, run, value, rank, costs, line });
        Ok(())
    }

    fn put(&mut self, text: &[u8]) -> Result<Range<usize>> {
        let start = self.text.len();
        memory::reserve(&mut self.text, start + text.len())?;
        self.text.extend_from_slice(text);
        Ok(start..self.text.len())
    }

    /// Takes all rows away but those of the topic that came last.
    pub(super) fn take_whole_topics(&mut self) -> Result<Rows> {
        let rest = Rows { selected: self.selected.clone(), ..Rows::default() };
        let mut taken = std::mem::replace(self, rest);
        let last = taken.kept.split_off(taken.last_topic);
        last.iter().try_for_each(|row| self.add(taken.row(row)))?;
        Ok(taken)
    }

    fn row<'a>(&'a self, row: &'a Kept) -> Row<'a> {
        let Kept { value, rank, costs, line, .. } = *row;
        let run = row.run.clone().map(|run| &self.text[run]);
        let (topic, document) = (&self.text[row.topic.clone()], &self.text[row.document.clone()]);
        Row { topic, document, run, value, rank, costs, line }
    }

    fn rows(&self) -> impl Iterator<Item = Row<'_>> {
        self.kept.iter().map(|row| self.row(row))
    }

    /// The run of all rows. Without a score in each of them, ranks decide the order.
    pub(super) fn run(&self) -> Result<Run> {
        let is_scored = self.kept.iter().all(|row| row.value.is_some());
        let is_ranked = self.kept.iter().all(|row| row.rank.is_some());
        if !is_scored && !is_ranked {
            let message =
                "expected a score in every row, or a rank in every row; found some without";
            return Err(Error::new(Kind::Fields, message));
        }
        let mut found =
            RunRows { run: Run { name: "run".into(), ..Run::default() }, ..RunRows::default() };
        for row in self.rows() {
            let rank = row.rank.filter(|_| is_ranked).unwrap_or(f64::NAN);
            if is_scored {
                found.add(row.topic, row.document, finite(row.value, "score", row)?, rank)?;
            } else {
                let rank = finite(row.rank, "rank", row)?;
                check_rank(rank, row.document, row.topic).map_err(|e| e.at_line(row.line))?;
                found.add(row.topic, row.document, -rank, rank)?;
            }
            for (unit, cost) in Unit::ALL.into_iter().zip(row.costs) {
                if let Some(cost) = cost {
                    found.cost(unit, cost);
                }
            }
        }
        Ok(found.run)
    }

    /// The judgments of all rows.
    pub(super) fn judgments(&self, docs_in_collection: Option<u64>) -> Result<Qrels> {
        let mut found = QrelsRows(Builder::new(&[]));
        for row in self.rows() {
            found.add(row.topic, row.document, finite(row.value, "grade", row)?, row.line)?;
        }
        Ok(found.0.finish(docs_in_collection))
    }
}

/// The number of a row; an error for one that is not finite.
fn finite(value: Option<f64>, what: &str, row: Row<'_>) -> Result<f64> {
    let value = value.unwrap_or(f64::NAN);
    if value.is_finite() {
        return Ok(value);
    }
    let message = format!(
        "expected a finite number as {what}, found {value} for document {} of topic {}",
        quote(row.document),
        quote(row.topic)
    );
    Err(Error::new(Kind::Number, message).at_line(row.line))
}
