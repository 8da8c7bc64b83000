//! Labels and scores in columns, a stretch of rows for each group: judgments and a ranked run.

use std::sync::Arc;

use super::input::Ranked;
use crate::error::{Error, Kind, Result, quote};
use crate::interrupt;
use crate::memory;
use crate::qrels::{Builder, Qrels};
use crate::rank::{Hit, Ranking};
use crate::scores::Notes;

/// Rows of labels and scores, grouped.
pub struct Groups<'a> {
    /// What each group is called, each once, and behind which row it ends.
    pub groups: &'a [(Box<[u8]>, usize)],
    /// The label of a row.
    pub label: &'a dyn Fn(usize) -> f64,
    /// The score of a row.
    pub score: &'a dyn Fn(usize) -> f64,
    /// Whether groups of equal scores are kept.
    pub ties: bool,
}

impl Groups<'_> {
    /// The groups as topics, their labels as grades, and the run that scores order.
    ///
    /// The document of a row is its position in its group, and equal scores are in the order of
    /// the rows. An error for a label below 0 and for a number that is not finite.
    pub fn ranked(&self) -> Result<(Arc<Qrels>, Ranked)> {
        let rows = self.groups.last().map_or(0, |(_, end)| *end);
        memory::room_for(64 * rows)?;
        let mut builder = Builder::new(&[]);
        builder.reserve_topics(self.groups.len());
        let mut found = Vec::with_capacity(self.groups.len());
        let mut start = 0;
        for (name, end) in self.groups {
            interrupt::check()?;
            builder.topic(name);
            for row in start..*end {
                let grade = (self.label)(row);
                if !(grade.is_finite() && grade >= 0.0) {
                    let found = format!("{grade} in row {row} (group {})", quote(name));
                    let message =
                        format!("expected finite labels of at least 0 as y_true, found {found}");
                    return Err(Error::new(Kind::Number, message));
                }
                // Positions differ.
                let _ = builder.add(name, (row - start).to_string().as_bytes(), grade, &[], 0);
            }
            found.push(self.ranking(name, start, *end)?);
            start = *end;
        }
        let qrels = Arc::new(builder.finish(None));
        let mut rankings: Vec<Option<Ranking>> = vec![None; found.len()];
        for ((name, _), ranking) in self.groups.iter().zip(found) {
            if let Some(position) = qrels.position(name) {
                rankings[position] = Some(ranking);
            }
        }
        let ranked = Ranked {
            name: "run".to_string(),
            tables: qrels.topics().iter().map(|topic| Arc::clone(topic.docs())).collect(),
            rankings,
            unjudged_depth: u32::MAX,
            groups: self.ties,
            notes: Notes { lines: rows as u64, ..Notes::default() },
        };
        Ok((qrels, ranked))
    }

    /// The rows of a group by score, the highest first.
    fn ranking(&self, name: &[u8], start: usize, end: usize) -> Result<Ranking> {
        let mut order: Vec<(f64, u32)> = Vec::with_capacity(end - start);
        for row in start..end {
            let score = (self.score)(row);
            if !score.is_finite() {
                let found = format!("{score} in row {row} (group {})", quote(name));
                let message = format!("expected finite numbers as y_score, found {found}");
                return Err(Error::new(Kind::Number, message));
            }
            // Minus zero is zero.
            order.push((score + 0.0, (row - start) as u32));
        }
        order.sort_by(|a, b| b.0.total_cmp(&a.0));
        let mut ranking = Ranking { retrieved: order.len() as u32, ..Ranking::default() };
        let hits = (1..).zip(&order).map(|(rank, &(_, document))| Hit { rank, document });
        ranking.hits.extend(hits);
        if self.ties {
            let mut first = 1;
            for tied in order.chunk_by(|a, b| a.0 == b.0) {
                let next = first + tied.len() as u32;
                if tied.len() > 1 {
                    ranking.groups.push((first, next - 1));
                }
                first = next;
            }
        }
        Ok(ranking)
    }
}
