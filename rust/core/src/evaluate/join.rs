//! Joining a run with the judgments while somebody hands over its lists.

use std::sync::Arc;

use super::{Evaluator, Ranked};
use crate::qrels::{Qrels, Topic};
use crate::run::{Lines, Ranker, Ranking, Scratch, Unrankable};
use crate::scores::Notes;

/// A run that is joined with an evaluator's judgments, a list at a time. What
/// comes of it is for that evaluator alone: of a list no more is kept than its
/// measures look at.
pub struct Joiner<'a> {
    evaluator: &'a Evaluator,
    scratch: Scratch,
    ranking: Ranking,
    rankings: Vec<Option<Ranking>>,
    notes: Notes,
}

impl<'a> Joiner<'a> {
    /// Nothing joined yet.
    pub fn new(evaluator: &'a Evaluator) -> Self {
        Joiner {
            evaluator,
            scratch: Scratch::default(),
            ranking: Ranking::default(),
            rankings: vec![None; evaluator.qrels.topics().len()],
            notes: Notes::default(),
        }
    }

    /// The position of a topic of the judgments.
    pub fn position(&self, topic: &[u8]) -> Option<usize> {
        self.evaluator.qrels.position(topic)
    }

    /// The judgments.
    pub fn qrels(&self) -> &'a Qrels {
        &self.evaluator.qrels
    }

    /// Joins the list of a judged topic by a function that ranks it, looking
    /// so far down, and returns how many lines it has; nothing if it cannot.
    pub fn ranked(
        &mut self,
        position: usize,
        rank: impl FnOnce(&Ranker, u32, &mut Scratch, &mut Ranking) -> Option<usize>,
    ) -> Option<usize> {
        let Joiner { evaluator, scratch, ranking, .. } = self;
        let lines = rank(&evaluator.options.ranker, evaluator.reach, scratch, ranking)?;
        self.keep(position, lines);
        Some(lines)
    }

    /// Joins a list in lines.
    pub fn lines(&mut self, id: &[u8], lines: &Lines) -> Result<(), Unrankable> {
        let Joiner { evaluator, scratch, ranking, .. } = self;
        let position = evaluator.qrels.position(id);
        let stranger = Topic::default();
        let topic = position.map_or(&stranger, |i| &evaluator.qrels.topics()[i]);
        evaluator.options.ranker.rank(lines, &evaluator.qrels, topic, scratch, ranking)?;
        self.notes.duplicates += ranking.duplicates;
        match position {
            Some(position) => self.keep(position, lines.len()),
            None => self.without_judgments(id, lines.len()),
        }
        Ok(())
    }

    /// Notes a topic that nobody judged, and how many lines it has.
    pub fn without_judgments(&mut self, id: &[u8], lines: usize) {
        self.notes.lines += lines as u64;
        self.notes.without_judgments.push(id.into());
    }

    fn keep(&mut self, position: usize, lines: usize) {
        self.notes.lines += lines as u64;
        self.notes.ties += self.ranking.ties;
        self.rankings[position] = Some(self.ranking.clone());
    }

    /// The run as it is scored.
    pub fn finish(self, name: String) -> Ranked {
        let topics = self.evaluator.qrels.topics();
        Ranked {
            name,
            tables: topics.iter().map(|topic| Arc::clone(topic.docs())).collect(),
            rankings: self.rankings,
            strangers: self.evaluator.options.ranker.strangers,
            notes: self.notes,
        }
    }
}
