//! Runs that lie in arrays of somebody else: document ids and scores in
//! columns, a stretch of them for each topic.
//!
//! Integer ids are compared with judged ids as integers. Scores that are not
//! finite and judged documents that come twice are always noticed; whether a
//! document that nobody judged comes twice is looked at if asked for, and
//! where it decides what is ranked.

use std::ops::Range;

use cranfield_scan::{Integer, find_few, widen};

use crate::error::{Error, Kind, quote};
use crate::integers::{IntegerScratch, first_found_again, first_repeated};
use crate::qrels::{Qrels, Topic};
use crate::run::{
    Documents, Duplicates, Ids, Lines, Order, Ranker, Ranking, Repeated, Run, Scratch, Unrankable,
    keep_one, without_ranks,
};

/// A run in arrays.
#[derive(Clone, Debug)]
pub struct Arrays<'a> {
    /// What the run is called in tables.
    pub name: &'a str,
    /// The topics in order, each once, with their lists.
    pub lists: Vec<(&'a [u8], List<'a>)>,
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
pub struct List<'a> {
    /// The ids.
    pub documents: Column<'a>,
    /// As many scores, the best one the highest.
    pub scores: Levels<'a>,
    /// As many ranks, or none; one that is no finite number is none.
    pub ranks: Option<&'a [f64]>,
    /// Whether a document of -1 is none, and its score nothing: what a vector
    /// search pads its rows with.
    pub padded: bool,
}

/// Document ids.
#[derive(Clone, Copy, Debug)]
pub enum Column<'a> {
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
pub enum Levels<'a> {
    /// In single precision.
    F32(&'a [f32]),
    /// In double precision.
    F64(&'a [f64]),
}

/// Memory for ranking lists that is used again from topic to topic.
#[derive(Debug, Default)]
pub struct Desk {
    keys: Vec<f64>,
    found: Vec<(u32, u32)>,
    room: IntegerScratch,
    lines: Lines,
    scratch: Scratch,
}

/// What a list has that cannot be ranked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flaw {
    /// A score that is not finite, in a line counted from 0.
    Score(usize),
    /// Something else.
    Unrankable(Unrankable),
}

/// What a list is ranked for.
#[derive(Clone, Copy)]
pub(crate) struct Aim<'a> {
    pub(crate) qrels: &'a Qrels,
    pub(crate) topic: &'a Topic,
    pub(crate) check: Check,
    /// How far down the list anybody looks.
    pub(crate) reach: u32,
}

impl Column<'_> {
    /// The ids of some rows.
    #[must_use]
    pub fn part(self, rows: Range<usize>) -> Self {
        match self {
            Column::I32(ids) => Column::I32(&ids[rows]),
            Column::I64(ids) => Column::I64(&ids[rows]),
            Column::U32(ids) => Column::U32(&ids[rows]),
            Column::U64(ids) => Column::U64(&ids[rows]),
            Column::Text(texts, first) => Column::Text(texts, first + rows.start),
        }
    }
}

impl Levels<'_> {
    /// The scores of some rows.
    #[must_use]
    pub fn part(self, rows: Range<usize>) -> Self {
        match self {
            Levels::F32(scores) => Levels::F32(&scores[rows]),
            Levels::F64(scores) => Levels::F64(&scores[rows]),
        }
    }

    fn len(self) -> usize {
        match self {
            Levels::F32(scores) => scores.len(),
            Levels::F64(scores) => scores.len(),
        }
    }

    /// The score of a line.
    pub fn get(self, line: usize) -> f64 {
        match self {
            Levels::F32(scores) => f64::from(scores[line]),
            Levels::F64(scores) => scores[line],
        }
    }

    /// Writes the first scores as doubles and returns whether all are finite.
    fn widen(self, count: usize, keys: &mut Vec<f64>) -> bool {
        match self {
            Levels::F32(scores) => widen(&scores[..count], keys),
            Levels::F64(scores) => widen(&scores[..count], keys),
        }
    }
}

impl List<'_> {
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
    fn write(&self, lines: &mut Lines) -> Result<(), Flaw> {
        lines.clear();
        self.each(|line, id, score| {
            if !score.is_finite() {
                return Err(Flaw::Score(line));
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
            Column::I32(ids) => ids[line] == -1,
            Column::I64(ids) => ids[line] == -1,
            _ => false,
        };
        (0..self.len()).filter(move |&line| !self.padded || !is_gap(line))
    }

    /// The error for what cannot be ranked.
    #[cold]
    pub(crate) fn explain(&self, flaw: Flaw, topic: &[u8]) -> Error {
        let document = |line: usize| self.documents.with_id(line as u32, |id| quote(id));
        match flaw {
            Flaw::Score(line) => {
                let message = format!(
                    "expected a finite number as score, found {} for document {} of topic {}: position {}",
                    self.scores.get(line),
                    document(line),
                    quote(topic),
                    line + 1
                );
                Error::new(Kind::Number, message)
            }
            Flaw::Unrankable(Unrankable::NoRanks) => without_ranks(topic),
            Flaw::Unrankable(Unrankable::Repeated(Repeated { first, second })) => {
                Error::for_each(Kind::Duplicate, |to| {
                    format!(
                        "expected a document once for each topic, found {} again for topic {}: positions {} and {}; {}",
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

impl Ids for Column<'_> {
    fn with_id<R>(&self, line: u32, then: impl FnOnce(&[u8]) -> R) -> R {
        let at = line as usize;
        match *self {
            Column::I32(ids) => with_text(ids[at], then),
            Column::I64(ids) => with_text(ids[at], then),
            Column::U32(ids) => with_text(ids[at], then),
            Column::U64(ids) => with_text(ids[at], then),
            Column::Text(texts, first) => then(texts.text(first + at)),
        }
    }
}

/// Integers, and which of them the judgments know.
struct Known<'a, T> {
    ids: &'a [T],
    found: &'a [(u32, u32)],
}

impl<T: Integer> Ids for Known<'_, T> {
    fn with_id<R>(&self, line: u32, then: impl FnOnce(&[u8]) -> R) -> R {
        with_text(self.ids[line as usize], then)
    }
}

impl<T: Integer> Documents for Known<'_, T> {
    fn find(&self, _: &mut Vec<u64>, found: &mut Vec<(u32, u32)>) {
        found.clear();
        found.extend_from_slice(self.found);
    }

    fn number(&self, line: u32) -> Option<u32> {
        let place = self.found.binary_search_by_key(&line, |&(line, _)| line).ok()?;
        Some(self.found[place].1)
    }

    fn found(&self) -> Option<usize> {
        Some(self.found.len())
    }
}

impl Ranker {
    /// Ranks a list in arrays and joins it with judgments; returns the number
    /// of its lines.
    pub(crate) fn rank_list(
        &self,
        list: &List,
        aim: Aim,
        desk: &mut Desk,
        ranking: &mut Ranking,
    ) -> Result<usize, Flaw> {
        if self.order == Order::Rank {
            return self.rank_written(list, aim, desk, ranking);
        }
        match list.documents {
            Column::I32(ids) => self.rank_integers(ids, list, aim, desk, ranking),
            Column::I64(ids) => self.rank_integers(ids, list, aim, desk, ranking),
            Column::U32(ids) => self.rank_integers(ids, list, aim, desk, ranking),
            Column::U64(ids) => self.rank_integers(ids, list, aim, desk, ranking),
            Column::Text(..) => self.rank_written(list, aim, desk, ranking),
        }
    }

    fn rank_integers<T: Integer>(
        &self,
        ids: &[T],
        list: &List,
        aim: Aim,
        desk: &mut Desk,
        ranking: &mut Ranking,
    ) -> Result<usize, Flaw> {
        let Desk { keys, found, room, scratch, .. } = desk;
        // What is no document for this type of integers.
        let gap = T::of(u64::MAX).filter(|_| list.padded && T::SIGNED);
        let filled = ids.iter().rposition(|id| Some(*id) != gap).map_or(0, |last| last + 1);
        let mut ids = &ids[..filled];
        let mut finite = list.scores.widen(filled, keys);
        let kept: Vec<T>;
        if let Some(gap) = gap {
            find_few(ids, &[gap], found);
            if !found.is_empty() {
                kept = ids.iter().copied().filter(|id| *id != gap).collect();
                let mut of = ids.iter();
                keys.retain(|_| of.next().is_some_and(|id| *id != gap));
                ids = &kept;
            }
            finite = finite || keys.iter().all(|key| key.is_finite());
        }
        if !finite {
            let wrong = list.filled().find(|&line| !list.scores.get(line).is_finite());
            return Err(Flaw::Score(wrong.unwrap_or(0)));
        }
        aim.topic.docs().integers::<T>(aim.qrels.seed()).find(ids, room, found);
        let strict = self.duplicates == Duplicates::Error;
        let repeated = if aim.check == Check::Full || !strict {
            first_repeated(ids, aim.qrels.seed(), room)
        } else {
            first_found_again(found, room)
        };
        match repeated {
            Some((first, second)) if strict => {
                let place = |line| list.filled().nth(line).unwrap_or(line);
                let (first, second) = (place(first), place(second));
                Err(Flaw::Unrankable(Unrankable::Repeated(Repeated { first, second })))
            }
            Some(_) => self.rank_written(list, aim, desk, ranking),
            None => {
                let known = Known { ids, found };
                self.rank_columns(keys, &known, aim.reach, scratch, ranking)
                    .map_err(Flaw::Unrankable)?;
                Ok(ids.len())
            }
        }
    }

    /// The general case: by lines.
    fn rank_written(
        &self,
        list: &List,
        aim: Aim,
        desk: &mut Desk,
        ranking: &mut Ranking,
    ) -> Result<usize, Flaw> {
        list.write(&mut desk.lines)?;
        let Desk { lines, scratch, .. } = desk;
        self.rank(lines, aim.qrels, aim.topic, scratch, ranking).map_err(Flaw::Unrankable)?;
        Ok(lines.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::qrels::Builder;
    use crate::run::{Order, Precision};
    use proptest::prelude::*;

    /// The outcome of a list, as it is and as lines of text.
    fn both(
        ranker: &Ranker,
        (ids, scores, padded): (&[i64], &[f64], bool),
        judged: &[i64],
        (check, reach): (Check, u32),
    ) -> [Result<Ranking, Flaw>; 2] {
        let mut builder = Builder::new(&[]);
        builder.topic(b"1");
        for id in judged {
            // Whoever is judged twice is judged.
            let _ = builder.add(b"1", id.to_string().as_bytes(), 1.0, &[], 1);
        }
        let qrels = builder.finish(None);
        let topic = &qrels.topics()[0];
        let aim = Aim { qrels: &qrels, topic, check, reach };
        let list =
            List { documents: Column::I64(ids), scores: Levels::F64(scores), ranks: None, padded };
        let (mut desk, mut ranking) = (Desk::default(), Ranking::default());
        let ranked = ranker.rank_list(&list, aim, &mut desk, &mut ranking);
        let mut lines = Lines::default();
        let mut plain = Ranking::default();
        let kept = (0..ids.len()).filter(|&line| !padded || ids[line] != -1);
        for line in kept {
            lines.push(ids[line].to_string().as_bytes(), scores[line]);
        }
        let expected = ranker.rank(&lines, &qrels, topic, &mut Scratch::default(), &mut plain);
        if let Ok(count) = ranked {
            assert_eq!(count, lines.len());
        }
        // What is below the reach may be missing.
        plain.hits.retain(|hit| hit.0 <= reach);
        ranking.hits.retain(|hit| hit.0 <= reach);
        [ranked.map(|_| ranking), expected.map(|()| plain).map_err(Flaw::Unrankable)]
    }

    proptest! {
        #[test]
        fn lists_are_ranked_as_lines_are(
            rows in prop::collection::vec((-3i64..60, -5i32..5), 0..80),
            judged in prop::collection::vec(-3i64..60, 0..30),
            fewer: bool,
            reach in prop::sample::select(vec![1, 3, u32::MAX]),
            order in prop::sample::select(vec![Order::DocnoDesc, Order::DocnoAsc, Order::Input]),
            duplicates in prop::sample::select(vec![Duplicates::First, Duplicates::Best]),
            precision in prop::sample::select(vec![Precision::F32, Precision::F64]),
            depth in prop::option::of(1u32..20),
            strangers in prop::sample::select(vec![0, 5, u32::MAX]),
            padded: bool,
        ) {
            let judged = &judged[..if fewer { judged.len().min(2) } else { judged.len() }];
            let (mut ids, mut scores): (Vec<i64>, Vec<f64>) =
                rows.into_iter().map(|(id, score)| (id, f64::from(score) / 3.0)).unzip();
            let ranker = Ranker { order, precision, duplicates, depth, strangers, ..Ranker::default() };
            let reach = if strangers > 0 { u32::MAX } else { reach };
            let outcome = |ranker: &Ranker, ids: &[i64], scores: &[f64], check| {
                let [found, expected] = both(ranker, (ids, scores, padded), judged, (check, reach));
                let all = |ranking: Result<Ranking, Flaw>| {
                    ranking.map(|r| (r.retrieved, r.hits, r.strangers, r.ties, r.duplicates))
                };
                (all(found), all(expected))
            };
            let (found, expected) = outcome(&ranker, &ids, &scores, Check::Judged);
            prop_assert_eq!(found, expected);
            // Each document once.
            let strict = Ranker { duplicates: Duplicates::Error, ..ranker };
            let mut seen = std::collections::HashSet::new();
            let once: Vec<bool> =
                ids.iter().map(|&id| (padded && id == -1) || seen.insert(id)).collect();
            let (found, expected) = outcome(&strict, &ids, &scores, Check::Full);
            prop_assert_eq!(found.is_ok(), expected.is_ok());
            let mut kept = once.iter();
            ids.retain(|_| *kept.next().unwrap());
            let mut kept = once.iter();
            scores.retain(|_| *kept.next().unwrap());
            for check in [Check::Judged, Check::Full] {
                let (found, expected) = outcome(&strict, &ids, &scores, check);
                prop_assert_eq!(found, expected);
            }
        }
    }

    #[test]
    fn the_first_repeated_document_is_named_by_its_lines() {
        let ranker = Ranker::default();
        let twice =
            |first, second| Err(Flaw::Unrankable(Unrankable::Repeated(Repeated { first, second })));
        let scores = [5.0, 4.0, 3.0, 2.0, 1.0];
        let outcome = |ids: &[i64], padded, check| {
            let [found, _] = both(&ranker, (ids, &scores, padded), &[7], (check, u32::MAX));
            found.map(|ranking| ranking.retrieved)
        };
        assert_eq!(outcome(&[1, 7, 1, 7, 2], false, Check::Judged), twice(1, 3));
        assert_eq!(outcome(&[1, 7, 1, 7, 2], false, Check::Full), twice(0, 2));
        assert_eq!(outcome(&[1, 7, 1, 3, 2], false, Check::Judged), Ok(5));
        assert_eq!(outcome(&[-1, 7, -1, 7, 2], true, Check::Judged), twice(1, 3));
        assert_eq!(outcome(&[-1, 7, -1, 8, -1], true, Check::Full), Ok(2));
    }

    #[test]
    fn digits_are_those_of_the_number() {
        for id in [0, 1, -1, 10, i64::MIN, i64::MAX] {
            with_text(id, |text| assert_eq!(text, id.to_string().as_bytes()));
        }
        with_text(u64::MAX, |text| assert_eq!(text, u64::MAX.to_string().as_bytes()));
        with_text(i32::MIN, |text| assert_eq!(text, i32::MIN.to_string().as_bytes()));
    }
}
