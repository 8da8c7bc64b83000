//! Runs in borrowed arrays: document ids and scores in columns, a stretch of
//! them for each topic.
//!
//! Integer ids are compared with judged ids as integers. Scores that are not
//! finite and judged documents that come twice are always noticed; an unjudged
//! document that comes twice is looked for on request, and where it decides
//! what is ranked.

use std::ops::Range;

use cranfield_scan::{Integer, find_few, widen};

use super::{
    Duplicates, Hit, JoinTarget, Lines, ListSource, Order, Ranker, Ranking, Repeated, Run, Scratch,
    Unrankable, keep_one, without_call, without_memory, without_ranks,
};
use crate::error::{Error, Kind, quote};
use crate::integers::{IntegerScratch, first_found_again, first_repeated};
use crate::interrupt::{Steps, told};

/// A run in arrays.
#[derive(Clone, Debug)]
pub struct Arrays<'a> {
    /// What the run is called in tables.
    pub name: &'a str,
    /// The topics in order, each once, with their lists.
    pub lists: Vec<(&'a [u8], ListArrays<'a>)>,
    /// Which repeated documents are looked for.
    pub check: Check,
}

/// Which repeated documents are looked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Check {
    /// Those that the judgments know.
    #[default]
    Judged,
    /// All.
    Full,
}

/// The documents of one topic and their scores.
#[derive(Clone, Copy, Debug)]
pub struct ListArrays<'a> {
    /// The ids.
    pub documents: IdColumn<'a>,
    /// As many scores, the best one the highest.
    pub scores: ScoreColumn<'a>,
    /// As many ranks, or none; one that is no finite number is none.
    pub ranks: Option<&'a [f64]>,
    /// Whether a document of -1 is none, and its score nothing: what a vector
    /// search pads its rows with.
    pub padded: bool,
    /// What need not be looked at.
    pub promise: Promise,
}

/// What a caller promises of each list. It is relied on for integer ids, and verified by
/// [`Check::Full`]; a promise that does not hold changes values, never what memory is read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Promise {
    /// The list is in the order of its ranking, its padding is at the end, and its scores are
    /// finite.
    pub sorted: bool,
    /// No document comes twice.
    pub unique: bool,
}

/// Document ids.
#[derive(Clone, Copy, Debug)]
pub enum IdColumn<'a> {
    /// Integers of 32 bits.
    I32(&'a [i32]),
    /// Integers of 64 bits.
    I64(&'a [i64]),
    /// Integers of 32 bits from zero.
    U32(&'a [u32]),
    /// Integers of 64 bits from zero.
    U64(&'a [u64]),
    /// Texts, from a row on.
    Text(&'a dyn Texts, usize),
}

/// A column of texts.
pub trait Texts: Sync + std::fmt::Debug {
    /// The text of a row.
    fn text(&self, row: usize) -> &[u8];
}

/// Scores.
#[derive(Clone, Copy, Debug)]
pub enum ScoreColumn<'a> {
    /// In single precision.
    F32(&'a [f32]),
    /// In double precision.
    F64(&'a [f64]),
}

/// Memory for ranking lists that is used again from topic to topic.
#[derive(Debug, Default)]
pub struct ArrayScratch {
    keys: Vec<f64>,
    found: Vec<(u32, u32)>,
    integers: IntegerScratch,
    lines: Lines,
    scratch: Scratch,
}

impl ArrayScratch {
    /// What lists of other sources are ranked with, too.
    pub(crate) fn lists(&mut self) -> &mut Scratch {
        &mut self.scratch
    }
}

/// What a list has that cannot be ranked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ListFlaw {
    /// A score that is not finite, in a line counted from 0.
    Score(usize),
    /// A line that stands below the one before it in the ranking of a list that is promised to
    /// be in order, or after padding.
    Unsorted(usize),
    /// So much of it that the work was told to stop before its end.
    Stopped,
    /// Something else.
    Unrankable(Unrankable),
}

impl IdColumn<'_> {
    /// The ids of some rows.
    #[must_use]
    pub fn part(self, rows: Range<usize>) -> Self {
        match self {
            IdColumn::I32(ids) => IdColumn::I32(&ids[rows]),
            IdColumn::I64(ids) => IdColumn::I64(&ids[rows]),
            IdColumn::U32(ids) => IdColumn::U32(&ids[rows]),
            IdColumn::U64(ids) => IdColumn::U64(&ids[rows]),
            IdColumn::Text(texts, first) => IdColumn::Text(texts, first + rows.start),
        }
    }
}

impl ScoreColumn<'_> {
    /// The scores of some rows.
    #[must_use]
    pub fn part(self, rows: Range<usize>) -> Self {
        match self {
            ScoreColumn::F32(scores) => ScoreColumn::F32(&scores[rows]),
            ScoreColumn::F64(scores) => ScoreColumn::F64(&scores[rows]),
        }
    }

    fn len(self) -> usize {
        match self {
            ScoreColumn::F32(scores) => scores.len(),
            ScoreColumn::F64(scores) => scores.len(),
        }
    }

    /// The score of a line.
    pub fn get(self, line: usize) -> f64 {
        match self {
            ScoreColumn::F32(scores) => f64::from(scores[line]),
            ScoreColumn::F64(scores) => scores[line],
        }
    }

    /// Writes the first scores as doubles and returns whether all are finite.
    fn widen(self, count: usize, keys: &mut Vec<f64>) -> bool {
        match self {
            ScoreColumn::F32(scores) => widen(&scores[..count], keys),
            ScoreColumn::F64(scores) => widen(&scores[..count], keys),
        }
    }
}

impl ListArrays<'_> {
    /// The number of lines, padding included.
    pub fn len(&self) -> usize {
        self.scores.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Calls a function with the lines that have a document: the line from 0,
    /// the id, the score as it is.
    pub fn each<E>(
        &self,
        mut on_line: impl FnMut(usize, &[u8], f64) -> Result<(), E>,
    ) -> Result<(), E> {
        self.filled().try_for_each(|line| {
            self.documents.with_id(line as u32, |id| on_line(line, id, self.scores.get(line)))
        })
    }

    /// Writes the list as lines, without its padding.
    fn write(&self, lines: &mut Lines) -> Result<(), ListFlaw> {
        lines.clear();
        let mut steps = Steps::default();
        self.each(|line, id, score| {
            steps.step().map_err(|_| ListFlaw::Stopped)?;
            if !score.is_finite() {
                return Err(ListFlaw::Score(line));
            }
            if lines.make_room(1, id.len()).is_err() {
                return Err(ListFlaw::Unrankable(Unrankable::NoMemory(self.len())));
            }
            lines.push(id, score);
            let rank = self.ranks.map(|ranks| ranks[line]);
            if let Some(rank) = rank.filter(|rank| rank.is_finite()) {
                lines.push_rank(rank);
            }
            Ok(())
        })
    }

    /// The lines that have a document.
    pub fn filled(&self) -> impl Iterator<Item = usize> {
        let is_gap = |line: usize| match self.documents {
            IdColumn::I32(ids) => ids[line] == -1,
            IdColumn::I64(ids) => ids[line] == -1,
            _ => false,
        };
        (0..self.len()).filter(move |&line| !self.padded || !is_gap(line))
    }

    /// The error for what cannot be ranked.
    #[cold]
    pub(crate) fn explain(&self, flaw: ListFlaw, topic: &[u8]) -> Error {
        let document = |line: usize| self.documents.with_id(line as u32, |id| quote(id));
        match flaw {
            ListFlaw::Score(line) => {
                let message = format!(
                    "expected a finite number as score, found {} for document {} of topic {}: position {}",
                    self.scores.get(line),
                    document(line),
                    quote(topic),
                    line + 1
                );
                Error::new(Kind::Number, message)
            }
            ListFlaw::Unsorted(line) => {
                let message = format!(
                    "expected rows in the order of their ranking, as promised, found document {} with score {} out of place in topic {}: position {}",
                    document(line),
                    self.scores.get(line),
                    quote(topic),
                    line + 1
                );
                Error::new(Kind::Conflict, message)
            }
            ListFlaw::Stopped => told(),
            ListFlaw::Unrankable(Unrankable::NoRanks) => without_ranks(topic),
            ListFlaw::Unrankable(Unrankable::NoMemory(lines)) => without_memory(lines, topic),
            // Arrays have no calls.
            ListFlaw::Unrankable(Unrankable::NoCall(_)) => without_call(f64::NAN, b"", topic),
            ListFlaw::Unrankable(Unrankable::Repeated(Repeated { first, second })) => {
                Error::for_each(Kind::Duplicate, |to| {
                    format!(
                        "expected each document once per topic, found {} again for topic {}: positions {} and {}; {}",
                        document(second),
                        quote(topic),
                        first + 1,
                        second + 1,
                        keep_one(to)
                    )
                })
            }
        }
    }
}

impl Arrays<'_> {
    /// The run with documents and scores of its own.
    pub fn to_run(&self) -> Result<Run, Error> {
        let mut run = Run { name: self.name.into(), ..Run::default() };
        for (topic, list) in &self.lists {
            let mut lines = Lines::default();
            list.write(&mut lines).map_err(|flaw| list.explain(flaw, topic))?;
            run.topics.push(((*topic).into(), lines));
        }
        Ok(run)
    }
}

/// Calls a function with the decimal text of an integer.
fn with_text<T: Integer, R>(id: T, then: impl FnOnce(&[u8]) -> R) -> R {
    let mut digits = [0; 20];
    let mut at = digits.len();
    let bits = id.bits();
    let negative = T::SIGNED && bits.cast_signed() < 0;
    let mut rest = if negative { bits.wrapping_neg() } else { bits };
    loop {
        at -= 1;
        digits[at] = b'0' + (rest % 10) as u8;
        rest /= 10;
        if rest == 0 {
            break;
        }
    }
    if negative {
        at -= 1;
        digits[at] = b'-';
    }
    then(&digits[at..])
}

impl IdColumn<'_> {
    /// Calls a function with the id in a row, as text.
    pub fn with_id<R>(&self, row: u32, then: impl FnOnce(&[u8]) -> R) -> R {
        let row = row as usize;
        match *self {
            IdColumn::I32(ids) => with_text(ids[row], then),
            IdColumn::I64(ids) => with_text(ids[row], then),
            IdColumn::U32(ids) => with_text(ids[row], then),
            IdColumn::U64(ids) => with_text(ids[row], then),
            IdColumn::Text(texts, first) => then(texts.text(first + row)),
        }
    }
}

/// Distinct integers with their scores, and which of them the judgments know.
struct KnownIntegers<'a, T> {
    ids: &'a [T],
    scores: &'a [f64],
    found: &'a [(u32, u32)],
}

impl<T: Integer> ListSource for KnownIntegers<'_, T> {
    const DISTINCT: bool = true;

    fn len(&self) -> usize {
        self.scores.len()
    }

    fn scaled_scores(&self) -> &[f64] {
        self.scores
    }

    fn with_id<R>(&self, line: u32, then: impl FnOnce(&[u8]) -> R) -> R {
        with_text(self.ids[line as usize], then)
    }

    fn look_up(&self, _: JoinTarget<'_>, scratch: &mut Scratch) {
        scratch.found().extend_from_slice(self.found);
    }

    fn number(&self, line: u32, _: JoinTarget<'_>) -> Option<u32> {
        let place = self.found.binary_search_by_key(&line, |&(line, _)| line).ok()?;
        Some(self.found[place].1)
    }

    fn count_known(&self) -> Option<usize> {
        Some(self.found.len())
    }
}

impl ListArrays<'_> {
    /// Ranks the list and joins it with judgments; returns the number of its
    /// lines.
    pub(crate) fn rank(
        &self,
        ranker: &Ranker,
        (target, check): (JoinTarget<'_>, Check),
        scratch: &mut ArrayScratch,
        ranking: &mut Ranking,
    ) -> Result<usize, ListFlaw> {
        let ranked = match self.documents {
            _ if ranker.order == Order::Rank => None,
            IdColumn::I32(ids) => {
                self.rank_integers(ids, ranker, (target, check), scratch, ranking)?
            }
            IdColumn::I64(ids) => {
                self.rank_integers(ids, ranker, (target, check), scratch, ranking)?
            }
            IdColumn::U32(ids) => {
                self.rank_integers(ids, ranker, (target, check), scratch, ranking)?
            }
            IdColumn::U64(ids) => {
                self.rank_integers(ids, ranker, (target, check), scratch, ranking)?
            }
            IdColumn::Text(..) => None,
        };
        if let Some(lines) = ranked {
            return Ok(lines);
        }
        let ArrayScratch { lines, scratch, .. } = scratch;
        self.write(lines)?;
        ranker.rank(lines, target, scratch, ranking).map_err(ListFlaw::Unrankable)?;
        Ok(lines.len())
    }

    /// The same for a list of integers that are not looked at as text; nothing
    /// if one comes twice and a line of it is to be kept.
    fn rank_integers<T: Integer>(
        &self,
        ids: &[T],
        ranker: &Ranker,
        (target, check): (JoinTarget<'_>, Check),
        scratch: &mut ArrayScratch,
        ranking: &mut Ranking,
    ) -> Result<Option<usize>, ListFlaw> {
        // The id that padding has in this type of integers.
        let padding = T::of(u64::MAX).filter(|_| self.padded && T::SIGNED);
        let filled = ids.iter().rposition(|id| Some(*id) != padding).map_or(0, |last| last + 1);
        let mut ids = &ids[..filled];
        if check != Check::Full
            && self.promise.sorted
            && self.rank_promised(ids, ranker, target, scratch, ranking)
        {
            return Ok(Some(filled));
        }
        let ArrayScratch { keys, found, integers, scratch, .. } = scratch;
        let mut finite = self.scores.widen(filled, keys);
        let kept: Vec<T>;
        if let Some(padding) = padding {
            find_few(ids, &[padding], found);
            if let Some(&(line, _)) = found.first() {
                if self.promise.sorted {
                    return Err(ListFlaw::Unsorted(line as usize));
                }
                kept = ids.iter().copied().filter(|id| *id != padding).collect();
                let mut of = ids.iter();
                keys.retain(|_| of.next().is_some_and(|id| *id != padding));
                ids = &kept;
            }
            finite = finite || keys.iter().all(|key| key.is_finite());
        }
        if !finite {
            let wrong = self.filled().find(|&line| !self.scores.get(line).is_finite());
            return Err(ListFlaw::Score(wrong.unwrap_or(0)));
        }
        target.docs.integers::<T>(target.seed).find(ids, integers, found);
        let strict = ranker.duplicates == Duplicates::Error;
        let repeated = if check == Check::Full || !strict {
            first_repeated(ids, target.seed, integers)
        } else {
            first_found_again(found, integers)
        };
        match repeated {
            Some((first, second)) if strict => {
                let place = |line| self.filled().nth(line).unwrap_or(line);
                let (first, second) = (place(first), place(second));
                Err(ListFlaw::Unrankable(Unrankable::Repeated(Repeated { first, second })))
            }
            Some(_) => Ok(None),
            None => {
                let known = KnownIntegers { ids, scores: keys, found };
                if self.promise.sorted
                    && let Some(line) = ranker.first_unsorted(&known)
                {
                    return Err(ListFlaw::Unsorted(line));
                }
                ranker.rank(&known, target, scratch, ranking).map_err(ListFlaw::Unrankable)?;
                Ok(Some(ids.len()))
            }
        }
    }

    /// Takes the list as the ranking that it is promised to be: only the documents that a measure
    /// looks at are read, and no score. Returns whether that was possible.
    fn rank_promised<T: Integer>(
        &self,
        ids: &[T],
        ranker: &Ranker,
        target: JoinTarget<'_>,
        scratch: &mut ArrayScratch,
        ranking: &mut Ranking,
    ) -> bool {
        let ArrayScratch { found, integers, scratch, .. } = scratch;
        let once = self.promise.unique || ranker.duplicates == Duplicates::Error;
        if !once || !ranker.takes_rows_as_ranked() {
            return false;
        }
        let seen = ids.len().min(ranker.least(target.reach));
        target.docs.integers::<T>(target.seed).find(&ids[..seen], integers, found);
        let unique = self.promise.unique || first_found_again(found, integers).is_none();
        // Where nothing is known, it may be that no id of the run is.
        if !unique || (scratch.seeks && found.is_empty()) {
            return false;
        }
        ranking.clear();
        ranking.retrieved = ids.len() as u32;
        let hits = found.iter().map(|&(line, document)| Hit { rank: line + 1, document });
        ranking.hits.extend(hits);
        let known = KnownIntegers { ids, scores: &[], found };
        ranking.own_first = !ids.is_empty() && target.is_own(&known, 0);
        scratch.seen = seen as u32;
        scratch.in_ties = 0;
        if let Some(depth) = ranker.depth {
            ranking.cut(depth);
        }
        true
    }
}

#[cfg(test)]
mod tests;
