//! Recall against an exact search: which of the nearest neighbors an approximate search found.
//!
//! Of an exact list with scores the documents that score better than the k-th one belong to every
//! valid answer; of those that tie with it an answer has as many as are left. An approximate answer is
//! compared with the valid one that is most like it, or with all of them on average.

use rayon::prelude::*;

use crate::error::{Error, Interface, Kind, Result};
use crate::interrupt;

/// Which answers of an exact search count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecallRule {
    /// The valid one that has the most of the documents found.
    Best,
    /// All valid ones: their mean.
    Average,
    /// The first k documents of the exact list.
    Set,
    /// Every document that is as good as the k-th one.
    Threshold,
}

/// Lists of ids: rows of a table in which an id has a fixed number of words.
#[derive(Clone, Copy, Debug)]
pub struct IdTable<'a> {
    words: &'a [u32],
    /// The words of an id.
    width: usize,
    /// The ids of a row.
    columns: usize,
}

impl<'a> IdTable<'a> {
    /// From rows of `columns` ids of `width` words each.
    pub fn new(words: &'a [u32], width: usize, columns: usize) -> Self {
        IdTable { words, width: width.max(1), columns }
    }

    fn id(&self, row: usize, column: usize) -> &'a [u32] {
        let place = (row * self.columns + column) * self.width;
        &self.words[place..place + self.width]
    }
}

/// What is compared, and how.
#[derive(Clone, Copy, Debug)]
pub struct ExactSearch<'a> {
    /// The ids found, best first; `none` stands for no result.
    pub found: IdTable<'a>,
    /// The ids of the exact search.
    pub exact: IdTable<'a>,
    /// The scores of these, the higher the better; not needed for [`RecallRule::Set`].
    pub scores: &'a [f64],
    /// The scores of the ids found, where these count for documents that the exact lists lack.
    pub own: Option<&'a [f64]>,
    /// The cutoffs.
    pub cutoffs: &'a [usize],
    /// Which answers count.
    pub rule: RecallRule,
    /// Scores this near to the k-th one tie with it.
    pub epsilon: f64,
    /// The same relative to that score.
    pub relative: f64,
    /// Whether an id that is found again counts once; it is an error otherwise.
    pub repeats: bool,
    /// The words of what stands for no result.
    pub none: &'a [u32],
}

/// The recall of each query at each cutoff.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ExactRecall {
    /// Queries x cutoffs; NaN where the exact list has no document.
    pub values: Vec<f64>,
    /// Queries x cutoffs: whether the exact list ends among several documents that tie with the
    /// k-th one, so that more may.
    pub within_tie: Vec<bool>,
}

/// An id that is in a row twice.
struct RepeatedId {
    row: usize,
    column: usize,
    exact: bool,
}

impl RepeatedId {
    fn error(self) -> Error {
        let list = if self.exact { "exact list" } else { "list found" };
        let message = format!(
            "an id is in the {list} of a query twice: query {}, column {} (from 0)",
            self.row, self.column
        );
        Error::new(Kind::Duplicate, message)
    }
}

/// Scores of ids, with those of no result as 0, so that higher ones are better. An error (kind
/// "option") for NaN; `name` is what they are called.
pub fn checked_scores(
    scores: &[f64],
    ids: IdTable<'_>,
    none: &[u32],
    distances: bool,
    name: &str,
) -> Result<Vec<f64>> {
    let sign = if distances { -1.0 } else { 1.0 };
    let check = |(cell, score): (usize, &f64)| {
        let (row, column) = (cell / ids.columns, cell % ids.columns);
        if ids.id(row, column) == none {
            return Ok(0.0);
        }
        if score.is_nan() {
            let found = format!("found NaN for query {row}, column {column}");
            let message = format!("expected {name} that are numbers, {found}");
            return Err(Error::new(Kind::Option, message));
        }
        Ok(sign * score)
    };
    scores.iter().enumerate().map(check).collect()
}

/// An error (kind "option") if all exact lists are in the order of the other direction.
pub fn check_direction(
    scores: &[f64],
    ids: IdTable<'_>,
    none: &[u32],
    distances: bool,
) -> Result<()> {
    let (mut rises, mut falls) = (false, false);
    for (row, scores) in scores.chunks(ids.columns.max(1)).enumerate() {
        for (column, two) in scores.windows(2).enumerate() {
            if ids.id(row, column) != none && ids.id(row, column + 1) != none {
                rises |= two[1] - two[0] > 0.0;
                falls |= two[1] - two[0] < 0.0;
            }
        }
    }
    if !rises || falls {
        return Ok(());
    }
    Err(Error::for_each(Kind::Option, |to| {
        if !distances {
            let given = match to {
                Interface::Python => "distances=True",
                Interface::CommandLine => "--distances",
            };
            return format!(
                "exact_scores rise down every list: are they distances? Then give {given}"
            );
        }
        let out = match to {
            Interface::Python => "leave it out, found distances=True",
            Interface::CommandLine => "leave --distances out",
        };
        format!("exact_scores fall down every list, so that they are no distances: {out}")
    }))
}

impl ExactSearch<'_> {
    /// The recall of each query.
    pub fn recall(&self, rows: usize) -> Result<ExactRecall> {
        let width = self.cutoffs.len();
        let mut recall =
            ExactRecall { values: vec![0.0; rows * width], within_tie: vec![false; rows * width] };
        if width == 0 {
            return Ok(recall);
        }
        let cells =
            recall.values.par_chunks_mut(width).zip(recall.within_tie.par_chunks_mut(width));
        let fill = |places: &mut IdPlaces,
                    (row, (values, ties)): (usize, (&mut [f64], &mut [bool]))| {
            if row % 1024 == 0 {
                interrupt::check()?;
            }
            let found = self.row(row, places, values, ties);
            found.map_err(RepeatedId::error)
        };
        cells.enumerate().map_init(|| IdPlaces::new(self), fill).collect::<Result<()>>()?;
        Ok(recall)
    }

    fn row(
        &self,
        row: usize,
        places: &mut IdPlaces,
        values: &mut [f64],
        ties: &mut [bool],
    ) -> std::result::Result<(), RepeatedId> {
        places.clear();
        let mut known = 0;
        for column in 0..self.exact.columns {
            let id = self.exact.id(row, column);
            if id == self.none {
                continue;
            }
            if !places.add(id, self.exact, row, column) {
                return Err(RepeatedId { row, column, exact: true });
            }
            known += 1;
        }
        let score = |column: usize| self.scores[row * self.exact.columns + column];
        // The columns of the exact list, the best first.
        places
            .order
            .extend((0..self.exact.columns).filter(|&c| self.exact.id(row, c) != self.none));
        if self.rule != RecallRule::Set && !places.order.is_sorted_by(|&a, &b| score(a) >= score(b))
        {
            places.order.sort_by(|&a, &b| score(b).total_cmp(&score(a)));
        }
        for (place, &column) in places.order.iter().enumerate() {
            places.ranks[column] = place;
        }
        places.look_up(self, row)?;
        for ((value, tie), &cutoff) in values.iter_mut().zip(ties).zip(self.cutoffs) {
            let size = cutoff.min(known);
            if size == 0 {
                *value = f64::NAN;
                continue;
            }
            let hits = &places.hits[..cutoff.min(places.hits.len())];
            let counted = if self.rule == RecallRule::Set {
                hits.iter()
                    .filter(|hit| matches!(hit, FoundId::Exact(rank) if *rank < size))
                    .count() as f64
            } else {
                let last = score(places.order[size - 1]);
                let epsilon = self.epsilon + self.relative * last.abs();
                let better = places.order.partition_point(|&column| score(column) > last + epsilon);
                let end = places.order.partition_point(|&column| score(column) >= last - epsilon);
                let tied = (end - better) as f64;
                *tie = end == known && end - better > 1;
                let own = |column: usize| {
                    self.own
                        .is_some_and(|own| own[row * self.found.columns + column] >= last - epsilon)
                };
                let (mut sure, mut among) = (0.0, 0.0);
                let mut beyond = 0.0;
                for hit in hits {
                    match *hit {
                        FoundId::Exact(rank) if rank < better => sure += 1.0,
                        FoundId::Exact(rank) if rank < end => among += 1.0,
                        FoundId::Other(column) if own(column) => {
                            among += 1.0;
                            beyond += 1.0;
                        }
                        _ => {}
                    }
                }
                let left = (size - better) as f64;
                match self.rule {
                    RecallRule::Average => sure + among * left / (tied + beyond),
                    RecallRule::Threshold => (sure + among).min(size as f64),
                    _ => sure + among.min(left),
                }
            };
            *value = counted / size as f64;
        }
        Ok(())
    }
}

/// An id that was found.
#[derive(Clone, Copy)]
enum FoundId {
    /// Its place in the exact list.
    Exact(usize),
    /// The column of one that is not there.
    Other(usize),
    /// One that was counted before, or no result.
    Nothing,
}

/// Where the ids of a query are in the exact list: a table by hash.
struct IdPlaces {
    /// A column plus one, for exact ids; below 0 for those found, if they are not exact.
    slots: Vec<i32>,
    ranks: Vec<usize>,
    order: Vec<usize>,
    seen: Vec<bool>,
    hits: Vec<FoundId>,
}

impl IdPlaces {
    fn new(search: &ExactSearch) -> Self {
        let ids = search.exact.columns + search.found.columns;
        IdPlaces {
            slots: vec![0; (2 * ids + 1).next_power_of_two()],
            ranks: vec![0; search.exact.columns],
            order: Vec::new(),
            seen: vec![false; search.exact.columns],
            hits: Vec::new(),
        }
    }

    fn clear(&mut self) {
        self.slots.fill(0);
        self.order.clear();
        self.seen.fill(false);
        self.hits.clear();
    }

    fn hash(&self, id: &[u32]) -> usize {
        let mix = |hash: u64, &word: &u32| {
            (hash.rotate_left(5) ^ u64::from(word)).wrapping_mul(0x9E37_79B9_7F4A_7C15)
        };
        let hash = id.iter().fold(0, mix);
        (hash ^ (hash >> 29)) as usize & (self.slots.len() - 1)
    }

    /// Adds an exact id, unless it is there.
    fn add(&mut self, id: &[u32], exact: IdTable, row: usize, column: usize) -> bool {
        let mut slot = self.hash(id);
        while self.slots[slot] > 0 {
            if exact.id(row, self.slots[slot] as usize - 1) == id {
                return false;
            }
            slot = (slot + 1) & (self.slots.len() - 1);
        }
        self.slots[slot] = column as i32 + 1;
        true
    }

    /// Looks the ids found up.
    fn look_up(&mut self, search: &ExactSearch, row: usize) -> std::result::Result<(), RepeatedId> {
        let deepest = search.cutoffs.iter().copied().max().unwrap_or(0);
        for column in 0..search.found.columns.min(deepest) {
            let id = search.found.id(row, column);
            if id == search.none {
                self.hits.push(FoundId::Nothing);
                continue;
            }
            let mut slot = self.hash(id);
            let hit = loop {
                match self.slots[slot] {
                    0 => {
                        self.slots[slot] = -(column as i32) - 1;
                        break FoundId::Other(column);
                    }
                    exact @ 1.. => {
                        let place = exact as usize - 1;
                        if search.exact.id(row, place) == id {
                            let is_new = !std::mem::replace(&mut self.seen[place], true);
                            break if is_new {
                                FoundId::Exact(self.ranks[place])
                            } else {
                                FoundId::Nothing
                            };
                        }
                    }
                    other => {
                        if search.found.id(row, (-other - 1) as usize) == id {
                            break FoundId::Nothing;
                        }
                    }
                }
                slot = (slot + 1) & (self.slots.len() - 1);
            };
            if matches!(hit, FoundId::Nothing) && !search.repeats {
                return Err(RepeatedId { row, column, exact: false });
            }
            self.hits.push(hit);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn recall(found: &[u32], exact: &[u32], scores: &[f64], k: usize, rule: RecallRule) -> f64 {
        let search = ExactSearch {
            found: IdTable::new(found, 1, found.len()),
            exact: IdTable::new(exact, 1, exact.len()),
            scores,
            own: None,
            cutoffs: &[k],
            rule,
            epsilon: 1e-6,
            relative: 0.0,
            repeats: true,
            none: &[u32::MAX],
        };
        search.recall(1).unwrap().values[0]
    }

    #[test]
    fn ties_are_any_of_the_valid_answers() {
        // Exact a=3, b=2, c=2; k = 2: a and one of b and c.
        let of = |found: &[u32], rule| recall(found, &[1, 2, 3], &[3.0, 2.0, 2.0], 2, rule);
        assert_eq!(of(&[2, 3], RecallRule::Best), 0.5);
        assert_eq!(of(&[2, 3], RecallRule::Threshold), 1.0);
        assert_eq!(of(&[1, 3], RecallRule::Best), 1.0);
        assert_eq!(of(&[1, 3], RecallRule::Set), 0.5);
        assert_eq!(of(&[1, 3], RecallRule::Average), 0.75);
        // One document again and again is one document.
        assert_eq!(of(&[1, 1], RecallRule::Best), 0.5);
        assert_eq!(of(&[u32::MAX, 9], RecallRule::Best), 0.0);
    }
}
