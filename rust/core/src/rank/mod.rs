//! Runs and rankings: order, ties, depth, duplicates, and the join with the
//! judgments.
//!
//! The ranking rule of the whole program is in this file. By default a list
//! is in order of score from the highest to the lowest, and documents of equal
//! score are in descending byte order of their ids, as in `trec_eval`. Of a
//! ranked list only the documents that the judgments know are kept, with
//! their ranks: nothing else can change a score.
//!
//! Most lists arrive in order, and then a rank is a line's position. Ties are
//! put in order only where they matter, in groups that hold a document that
//! the judgments know.

pub mod arrays;
mod columns;
mod lines;
mod sort;
mod lookup;

use std::cmp::Ordering;
use std::collections::{HashMap, HashSet};

pub use cranfield_scan::Scan;

pub use columns::{Documents, Judgments, look_up, only_line};
pub use lines::Lines;
pub(crate) use lines::{Room, score_of, whole};
pub use lookup::Scratch;
use lookup::UNKNOWN;
use sort::Steps;

use crate::bytes::{GOLDEN, beginning, hash, lasting_hash};
use crate::error::{Error, Interface, Kind, quote};
use crate::qrels::{Qrels, Topic};
pub use crate::table::Finder;

/// How a list is put in order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// By score, high to low; ties by id, descending bytes. `trec_eval`'s.
    #[default]
    DocnoDesc,
    /// By score, high to low; ties by id, ascending bytes.
    DocnoAsc,
    /// As the lines come; scores are not looked at.
    Input,
    /// By the rank column, low to high; ties by id, descending bytes.
    Rank,
}

/// The precision that scores are compared in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Precision {
    /// Doubles, as `trec_eval` 10.
    #[default]
    F64,
    /// Single precision, as `trec_eval` up to v9.0.8 of 2020 and `pytrec_eval`.
    F32,
}

impl Precision {
    fn other(self) -> Precision {
        match self {
            Precision::F64 => Precision::F32,
            Precision::F32 => Precision::F64,
        }
    }
}

/// What to do about a document that a list holds twice.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Duplicates {
    /// Refuse the run.
    #[default]
    Error,
    /// Keep the line that comes first.
    First,
    /// Keep the line that ranks best.
    Best,
}

/// What to do about a document that a list holds twice.
#[cold]
pub(crate) fn keep_one(to: Interface) -> String {
    let choice = |word| to.choice("duplicates", word);
    format!("{} or {} keeps one of them", choice("first"), choice("best"))
}

/// The options that turn lines into a ranking.
#[derive(Clone, Copy, Debug, Default)]
pub struct Ranker {
    /// How the list is put in order.
    pub order: Order,
    /// In which precision scores are compared.
    pub precision: Precision,
    /// What a repeated document means.
    pub duplicates: Duplicates,
    /// How many documents of a topic are kept, the best ones; all if `None`.
    pub depth: Option<u32>,
    /// Down to which rank documents that the judgments do not know are kept,
    /// as hashes.
    pub strangers: u32,
    /// Whether the groups of equal scores are kept.
    pub groups: bool,
    /// Whether lists are ranked in the other precision as well, to see what
    /// stands elsewhere there.
    pub both_precisions: bool,
}

/// All lines of a run.
#[derive(Clone, Debug, Default)]
pub struct Run {
    /// What the run is called in tables.
    pub name: String,
    /// The tag in the file's last column.
    pub tag: Option<Vec<u8>>,
    /// The topics in order of first appearance, each with its lines.
    pub topics: Vec<(Box<[u8]>, Lines)>,
    /// Fields that lenient reading replaced, ranks aside.
    pub repaired: u64,
    /// Ranks that it replaced, which matter where lists are ordered by them.
    pub repaired_ranks: u64,
    /// Lines that were passed over as comments.
    pub comments: u64,
}

/// What is kept of one ranked list.
#[derive(Clone, Debug, Default)]
pub struct Ranking {
    /// How many documents were retrieved, after depth and duplicates.
    pub retrieved: u32,
    /// Ranks (from 1) and documents (numbers in the topic's table) of the
    /// documents that the judgments know, best first.
    pub hits: Vec<(u32, u32)>,
    /// Ranks of the documents that the judgments do not know, with lasting
    /// hashes of their ids; if asked for.
    pub strangers: Vec<(u32, u64)>,
    /// First and last ranks of the groups of equal scores that hold a document
    /// that the judgments know; if asked for.
    pub groups: Vec<(u32, u32)>,
    /// The documents that the judgments know and that have another rank in the
    /// other precision; if asked for.
    pub moved: Vec<u32>,
    /// Lines whose score equals that of a neighbour in the ranking.
    pub ties: u64,
    /// Lines that were dropped as duplicates.
    pub duplicates: u64,
}

impl Ranking {
    /// Becomes another, in the memory that it has.
    pub(crate) fn copy(&mut self, other: &Ranking) {
        self.retrieved = other.retrieved;
        self.hits.clone_from(&other.hits);
        self.strangers.clone_from(&other.strangers);
        self.groups.clone_from(&other.groups);
        self.moved.clone_from(&other.moved);
        self.ties = other.ties;
        self.duplicates = other.duplicates;
    }

    /// Becomes an empty list, in the memory that it has.
    fn clear(&mut self) {
        self.hits.clear();
        self.strangers.clear();
        self.groups.clear();
        self.moved.clear();
        self.ties = 0;
        self.duplicates = 0;
    }

    /// Notes which documents have another rank in another ranking of the list.
    fn compare(&mut self, other: &Ranking) {
        if self.hits != other.hits {
            let elsewhere = |hit: &&(u32, u32)| other.hits.binary_search(hit).is_err();
            self.moved.extend(self.hits.iter().filter(elsewhere).map(|&(_, document)| document));
        }
    }

    /// Keeps the first documents only.
    pub fn cut(&mut self, depth: u32) {
        self.retrieved = self.retrieved.min(depth);
        let kept = self.hits.partition_point(|&(rank, _)| rank <= depth);
        self.hits.truncate(kept);
        let kept = self.strangers.partition_point(|&(rank, _)| rank <= depth);
        self.strangers.truncate(kept);
    }
}

/// The ids of a list, asked for where equal scores have to be told apart.
pub trait Ids {
    /// Calls a function with the id of a line, counted from 0.
    fn with_id<T>(&self, line: u32, then: impl FnOnce(&[u8]) -> T) -> T;

    /// The hash of the id of a line, for somebody who asks for all in turn.
    #[inline(always)]
    fn hash(&self, line: u32, seed: u64) -> u64 {
        self.with_id(line, |id| hash(seed, id))
    }

    /// The number of the id of a line in a table, for somebody who asks for
    /// many. A function of one's own is compiled for the processor, what is
    /// called with an id is not.
    #[inline(always)]
    fn seek(&self, line: u32, scan: impl Scan, finder: Finder<'_>, hash: u64) -> Option<u32> {
        self.with_id(line, |id| finder.find(scan, hash, id))
    }
}

impl Ids for Lines {
    #[inline]
    fn with_id<T>(&self, line: u32, then: impl FnOnce(&[u8]) -> T) -> T {
        then(self.document(line as usize))
    }
}

/// A document that a list holds twice: its two lines, counted from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Repeated {
    /// The earlier line.
    pub first: usize,
    /// The later line.
    pub second: usize,
}

/// What a list lacks, or holds too often, to be ranked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unrankable {
    /// A document twice, where that is an error.
    Repeated(Repeated),
    /// No rank column, where the order asks for one.
    NoRanks,
}

/// The error for a list without ranks where the order is that of the ranks.
#[cold]
pub fn without_ranks(topic: &[u8]) -> Error {
    Error::for_each(Kind::Option, |to| {
        let order = to.choice("order", "rank");
        format!("{order} needs ranks, and the run has none for topic {}", quote(topic))
    })
}

impl Ranker {
    /// Ranks the lines of a topic and joins them with its judgments.
    pub fn rank(
        &self,
        lines: &Lines,
        qrels: &Qrels,
        topic: &Topic,
        scratch: &mut Scratch,
        ranking: &mut Ranking,
    ) -> Result<(), Unrankable> {
        ranking.clear();
        if self.order == Order::Rank && lines.ranks().len() != lines.len() {
            return Err(Unrankable::NoRanks);
        }
        scratch.look_up(lines, topic.docs(), qrels.seed());
        if let Some(first) = scratch.repeated(lines)
            && self.duplicates == Duplicates::Error
        {
            return Err(Unrankable::Repeated(first));
        }
        ranking.duplicates = scratch.dropped.len() as u64;
        let mut own = std::mem::take(&mut scratch.keys);
        let keys = self.keys(lines, &mut own);
        self.rank_found(keys, Steps::of(keys), lines, scratch, ranking);
        if let Some(other) = self.in_other_precision() {
            let mut elsewhere = Ranking::default();
            let keys = other.keys(lines, &mut own);
            other.rank_found(keys, Steps::of(keys), lines, scratch, &mut elsewhere);
            ranking.compare(&elsewhere);
        }
        scratch.keys = own;
        Ok(())
    }

    /// The same in the other precision, if that is asked for and scores are
    /// looked at.
    fn in_other_precision(&self) -> Option<Ranker> {
        let scored = matches!(self.order, Order::DocnoDesc | Order::DocnoAsc);
        let precision = self.precision.other();
        (self.both_precisions && scored).then_some(Ranker {
            precision,
            strangers: 0,
            groups: false,
            both_precisions: false,
            ..*self
        })
    }

    /// Ranks lines of which the scratch knows what the judgments know.
    fn rank_found(
        &self,
        keys: &[f64],
        Steps { rises, tied }: Steps,
        ids: &impl Ids,
        scratch: &mut Scratch,
        ranking: &mut Ranking,
    ) {
        let in_order = rises == 0 && scratch.dropped.is_empty();
        if !in_order || (tied > 0 && self.strangers > 0) {
            self.rank_sorted(keys, ids, scratch, ranking);
        } else if tied > 0 {
            ranking.ties = tied;
            self.rank_tied(keys, ids, scratch, ranking);
        } else {
            ranking.retrieved = keys.len() as u32;
            ranking.hits.extend(scratch.found.iter().map(|&(line, number)| (line + 1, number)));
            let last = self.looked_at().min(ranking.retrieved);
            ranking.strangers.reserve((last as usize).saturating_sub(ranking.hits.len()));
            let mut next = 0;
            // The lines between one found and the next.
            let found = scratch.found.iter().map(|&(line, _)| line);
            for found in found.take_while(|&line| line < last).chain([last]) {
                for line in next..found {
                    ranking.strangers.push((line + 1, stranger(ids, line)));
                }
                next = found + 1;
            }
        }
        if let Some(depth) = self.depth {
            ranking.cut(depth);
        }
    }

    /// Down to which rank documents that the judgments do not know are kept.
    fn looked_at(&self) -> u32 {
        self.depth.map_or(self.strangers, |depth| depth.min(self.strangers))
    }

    /// The lines of a list from the best, without those that are dropped as
    /// duplicates; depth is not looked at.
    pub fn ordered(&self, lines: &Lines) -> Result<Vec<u32>, Unrankable> {
        if self.order == Order::Rank && lines.ranks().len() != lines.len() {
            return Err(Unrankable::NoRanks);
        }
        let mut own = Vec::new();
        let keys = self.keys(lines, &mut own);
        let key = |line: u32| keys[line as usize];
        let mut first: HashMap<&[u8], usize> = HashMap::new();
        let mut order: Vec<u32> = Vec::with_capacity(lines.len());
        for (line, document) in lines.documents().all().enumerate() {
            let earlier = *first.entry(document).or_insert(line);
            if earlier == line || self.duplicates == Duplicates::Best {
                order.push(line as u32);
            } else if self.duplicates == Duplicates::Error {
                return Err(Unrankable::Repeated(Repeated { first: earlier, second: line }));
            }
        }
        order.sort_by(|&a, &b| key(b).total_cmp(&key(a)));
        let mut group = Vec::new();
        for tied in order.chunk_by_mut(|&a, &b| key(a) == key(b)) {
            self.order_tied(lines, tied, &mut group);
        }
        if self.duplicates == Duplicates::Best {
            let mut kept = HashSet::new();
            order.retain(|&line| kept.insert(lines.document(line as usize)));
        }
        Ok(order)
    }

    /// What lines are ranked by, the highest first: a column of the lines or
    /// one of our own.
    fn keys<'a>(&self, lines: &'a Lines, own: &'a mut Vec<f64>) -> &'a [f64] {
        own.clear();
        match (self.order, self.precision) {
            // Adding zero, for minus zero is the lower one to a sort.
            (Order::Rank, _) => own.extend(lines.ranks().iter().map(|rank| 0.0 - rank)),
            (Order::Input, _) => own.extend((0..lines.len()).map(|line| -(line as f64))),
            (_, Precision::F64) => return lines.levels(),
            (_, Precision::F32) => {
                let unit = lines.unit();
                let levels = lines.levels().iter();
                own.extend(levels.map(|level| f64::from((level / unit) as f32) + 0.0));
            }
        }
        own
    }

    /// Lines in order, some of them tied.
    fn rank_tied(
        &self,
        keys: &[f64],
        ids: &impl Ids,
        scratch: &mut Scratch,
        ranking: &mut Ranking,
    ) {
        let Scratch { found, group, .. } = scratch;
        ranking.retrieved = keys.len() as u32;
        let mut found = found.as_slice();
        ranking.hits.reserve(found.len());
        while let Some(&(line, number)) = found.first() {
            let at = line as usize;
            let alone = |other: usize| keys.get(other).is_none_or(|key| *key != keys[at]);
            if alone(at.wrapping_sub(1)) && alone(at + 1) {
                ranking.hits.push((line + 1, number));
                found = &found[1..];
                continue;
            }
            let above = keys[..at].iter().rev().take_while(|&&key| key == keys[at]).count();
            let below = keys[at + 1..].iter().take_while(|&&key| key == keys[at]).count();
            let (start, end) = ((at - above) as u32, (at + below) as u32);
            group.clear();
            for line in start..=end {
                let known = found.first().filter(|&&(known, _)| known == line);
                let number = known.map_or(UNKNOWN, |&(_, number)| number);
                group.push(Tied { beginning: 0, line, number });
                found = &found[usize::from(known.is_some())..];
            }
            self.break_ties(ids, group);
            if self.groups {
                ranking.groups.push((start + 1, end + 1));
            }
            ranking.hits.extend(hits(group.iter().map(|tied| tied.number), start + 1));
        }
    }

    /// The general case: sort, drop duplicates, break ties.
    fn rank_sorted(
        &self,
        keys: &[f64],
        ids: &impl Ids,
        scratch: &mut Scratch,
        ranking: &mut Ranking,
    ) {
        scratch.spread(keys.len());
        let Scratch { order, sorter, found, known, dropped, group: tied_lines, .. } = scratch;
        // Equal keys are in order of line, so that "best" keeps the first.
        let tied = sorter.sort_down(keys, order);
        if !dropped.is_empty() && self.duplicates == Duplicates::First {
            order.retain(|line| dropped.binary_search(line).is_err());
        }
        if !dropped.is_empty() && self.duplicates == Duplicates::Best {
            let mut kept = HashSet::new();
            order.retain(|&line| ids.with_id(line, |id| kept.insert(Box::<[u8]>::from(id))));
        }
        ranking.retrieved = order.len() as u32;
        let mut start = if tied { 0 } else { order.len() };
        while start < order.len() {
            let key = keys[order[start] as usize];
            let same = order[start + 1..].iter().take_while(|&&line| keys[line as usize] == key);
            let end = start + 1 + same.count();
            let group = &mut order[start..end];
            if group.len() > 1 {
                ranking.ties += group.len() as u64;
                let holds_known = group.iter().any(|&line| known[line as usize] != UNKNOWN);
                if self.strangers > 0 || holds_known {
                    self.order_tied(ids, group, tied_lines);
                }
                if self.groups && holds_known {
                    ranking.groups.push((start as u32 + 1, end as u32));
                }
            }
            start = end;
        }
        // Room for one more, and no branch on what nobody foresees.
        ranking.hits.resize(found.len() + 1, (0, 0));
        let mut count = 0;
        for (rank, &line) in (1..).zip(&*order) {
            let number = known[line as usize];
            ranking.hits[count] = (rank, number);
            count += usize::from(number != UNKNOWN);
        }
        ranking.hits.truncate(count);
        let first = (1..).zip(order.iter().take(self.looked_at() as usize));
        let unknown = first.filter(|&(_, &line)| known[line as usize] == UNKNOWN);
        ranking.strangers.extend(unknown.map(|(rank, &line)| (rank, stranger(ids, line))));
    }

    /// Puts lines of equal key in order; `group` is memory.
    fn order_tied(&self, ids: &impl Ids, lines: &mut [u32], group: &mut Vec<Tied>) {
        if lines.len() < 2 {
            return;
        }
        group.clear();
        group.extend(lines.iter().map(|&line| Tied { beginning: 0, line, number: UNKNOWN }));
        self.break_ties(ids, group);
        for (line, tied) in lines.iter_mut().zip(group) {
            *line = tied.line;
        }
    }

    /// Puts lines of equal key in order.
    fn break_ties(&self, ids: &impl Ids, group: &mut [Tied]) {
        if self.order == Order::Input {
            return;
        }
        // Each id is asked for once: its beginning mostly tells it from the others.
        for tied in &mut *group {
            tied.beginning = ids.with_id(tied.line, beginning);
        }
        let whole = |a: u32, b: u32| ids.with_id(a, |a| ids.with_id(b, |b| a.cmp(b)));
        let compare = |a: &Tied, b: &Tied| match a.beginning.cmp(&b.beginning) {
            Ordering::Equal => whole(a.line, b.line),
            different => different,
        };
        if self.order == Order::DocnoAsc {
            group.sort_unstable_by(compare);
        } else {
            group.sort_unstable_by(|a, b| compare(b, a));
        }
    }
}

/// A line of a group of equal keys.
#[derive(Clone, Copy, Debug)]
struct Tied {
    /// That of its id.
    beginning: u128,
    line: u32,
    /// That of its document, or [`UNKNOWN`].
    number: u32,
}

/// What is kept of a document that the judgments do not know.
#[inline]
fn stranger(ids: &impl Ids, line: u32) -> u64 {
    ids.with_id(line, |id| lasting_hash(GOLDEN, id))
}

/// Ranks and documents of those of a stretch of lines that are known.
fn hits(known: impl Iterator<Item = u32>, first_rank: u32) -> impl Iterator<Item = (u32, u32)> {
    (first_rank..).zip(known).filter(|&(_, document)| document != UNKNOWN)
}
