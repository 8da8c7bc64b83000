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

use std::collections::{HashMap, HashSet};

use crate::bytes::{GOLDEN, hash, lasting_hash, same};
use crate::qrels::{Qrels, Topic};
use crate::table::Table;

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
    /// Whether documents that the judgments do not know are kept as hashes.
    pub strangers: bool,
}

/// The lines of one topic, in compact columns.
#[derive(Clone, Debug, Default)]
pub struct Lines {
    arena: Vec<u8>,
    entries: Vec<Entry>,
    ranks: Vec<f64>,
}

/// A line: where its document ends in the arena, and its score.
#[derive(Clone, Copy, Debug)]
struct Entry {
    end: usize,
    score: f64,
}

impl Lines {
    /// Adds a line. `rank` is kept when the first line of the list has one.
    #[inline]
    pub fn push(&mut self, document: &[u8], score: f64, rank: Option<f64>) {
        self.arena.extend_from_slice(document);
        self.close(score);
        if let Some(rank) = rank {
            self.ranks.push(rank);
        }
    }

    /// Adds a line whose document is the beginning of a longer text: a short
    /// one is copied as a whole word, which is cheaper than a call.
    #[inline]
    pub fn push_within(&mut self, text: &[u8], length: usize, score: f64) {
        match text.first_chunk::<16>() {
            Some(word) if length <= 16 => {
                let start = self.arena.len();
                self.arena.extend_from_slice(word);
                self.arena.truncate(start + length);
            }
            _ => self.arena.extend_from_slice(&text[..length]),
        }
        self.close(score);
    }

    #[inline]
    fn close(&mut self, score: f64) {
        // Adding zero turns minus zero, which ties with zero, into zero.
        self.entries.push(Entry { end: self.arena.len(), score: score + 0.0 });
    }

    /// Moves the lines of another list behind those of this one.
    pub fn append(&mut self, other: &mut Lines) {
        let offset = self.arena.len();
        self.arena.append(&mut other.arena);
        self.entries.extend(other.entries.drain(..).map(|e| Entry { end: offset + e.end, ..e }));
        self.ranks.append(&mut other.ranks);
    }

    /// The list in memory of its own size, leaving this one empty.
    #[must_use]
    pub fn take(&mut self) -> Lines {
        let taken = self.clone();
        self.clear();
        taken
    }

    /// Empties the list and keeps its memory.
    pub fn clear(&mut self) {
        self.arena.clear();
        self.entries.clear();
        self.ranks.clear();
    }

    /// The number of lines.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The document of a line.
    #[inline]
    pub fn document(&self, line: usize) -> &[u8] {
        let start = if line == 0 { 0 } else { self.entries[line - 1].end };
        &self.arena[start..self.entries[line].end]
    }

    /// The documents in order of line.
    #[inline]
    fn documents(&self) -> impl Iterator<Item = &[u8]> {
        let mut start = 0;
        self.entries.iter().map(move |entry| {
            let document = &self.arena[start..entry.end];
            start = entry.end;
            document
        })
    }

    /// The score of a line.
    #[inline]
    pub fn score(&self, line: usize) -> f64 {
        self.entries[line].score
    }

    /// The lines in the default order: by score, ties by descending id.
    pub fn ranked(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.len()).collect();
        order.sort_by(|&a, &b| {
            let scores = self.score(b).total_cmp(&self.score(a));
            scores.then_with(|| self.document(b).cmp(self.document(a)))
        });
        order
    }

    /// The ranks as given, or nothing.
    pub fn ranks(&self) -> &[f64] {
        &self.ranks
    }
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
    /// Fields that lenient reading replaced.
    pub repaired: u64,
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
    /// Lines whose score equals that of a neighbour in the ranking.
    pub ties: u64,
    /// Lines that were dropped as duplicates.
    pub duplicates: u64,
}

impl Ranking {
    /// Keeps the first documents only.
    pub fn cut(&mut self, depth: u32) {
        self.retrieved = self.retrieved.min(depth);
        let kept = self.hits.partition_point(|&(rank, _)| rank <= depth);
        self.hits.truncate(kept);
        let kept = self.strangers.partition_point(|&(rank, _)| rank <= depth);
        self.strangers.truncate(kept);
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

/// Memory for ranking that is used again from topic to topic.
#[derive(Debug, Default)]
pub struct Scratch {
    hashes: Vec<u64>,
    seen: Vec<u32>,
    /// Lines whose document the judgments know, with its number.
    found: Vec<(u32, u32)>,
    order: Vec<u32>,
    keys: Vec<(u64, u32)>,
    /// For each line the number of its document, or [`UNKNOWN`].
    known: Vec<u32>,
    dropped: Vec<u32>,
}

/// Marks a line whose document the judgments do not know.
const UNKNOWN: u32 = Table::NONE;

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
        ranking.hits.clear();
        ranking.strangers.clear();
        ranking.ties = 0;
        if self.order == Order::Rank && lines.ranks.len() != lines.len() {
            return Err(Unrankable::NoRanks);
        }
        scratch.look_up(lines, qrels, topic);
        if let Some(first) = scratch.repeated(lines)
            && self.duplicates == Duplicates::Error
        {
            return Err(Unrankable::Repeated(first));
        }
        ranking.duplicates = scratch.dropped.len() as u64;
        // One loop for each kind of key, so that each is compiled by itself.
        match (self.order, self.precision) {
            (Order::Input, _) => self.rank_by(|line| -(line as f64), lines, scratch, ranking),
            (Order::Rank, _) => self.rank_by(|line| -lines.ranks[line], lines, scratch, ranking),
            (_, Precision::F64) => self.rank_by(|line| lines.score(line), lines, scratch, ranking),
            (_, Precision::F32) => {
                self.rank_by(|line| f64::from(lines.score(line) as f32), lines, scratch, ranking);
            }
        }
        if let Some(depth) = self.depth {
            ranking.cut(depth);
        }
        for (_, stranger) in &mut ranking.strangers {
            *stranger = lasting_hash(GOLDEN, lines.document(*stranger as usize));
        }
        Ok(())
    }

    /// The lines of a list from the best, without those that are dropped as
    /// duplicates; depth is not looked at.
    pub fn ordered(&self, lines: &Lines) -> Result<Vec<u32>, Unrankable> {
        if self.order == Order::Rank && lines.ranks.len() != lines.len() {
            return Err(Unrankable::NoRanks);
        }
        let key = |line: usize| match (self.order, self.precision) {
            (Order::Input, _) => -(line as f64),
            (Order::Rank, _) => -lines.ranks[line],
            (_, Precision::F64) => lines.score(line),
            (_, Precision::F32) => f64::from(lines.score(line) as f32),
        };
        let mut first: HashMap<&[u8], usize> = HashMap::new();
        let mut order: Vec<u32> = Vec::with_capacity(lines.len());
        for (line, document) in lines.documents().enumerate() {
            let earlier = *first.entry(document).or_insert(line);
            if earlier == line || self.duplicates == Duplicates::Best {
                order.push(line as u32);
            } else if self.duplicates == Duplicates::Error {
                return Err(Unrankable::Repeated(Repeated { first: earlier, second: line }));
            }
        }
        order.sort_by_key(|&line| !ascending(key(line as usize)));
        for tied in order.chunk_by_mut(|&a, &b| key(a as usize) == key(b as usize)) {
            self.break_ties(lines, tied);
        }
        if self.duplicates == Duplicates::Best {
            let mut kept = HashSet::new();
            order.retain(|&line| kept.insert(lines.document(line as usize)));
        }
        Ok(order)
    }

    /// Ranks by a key of each line, the highest first.
    fn rank_by(
        &self,
        key: impl Fn(usize) -> f64,
        lines: &Lines,
        scratch: &mut Scratch,
        ranking: &mut Ranking,
    ) {
        let (mut in_order, mut tied) = (scratch.dropped.is_empty(), false);
        for line in 1..lines.len() {
            let (above, below) = (key(line - 1), key(line));
            in_order &= above >= below;
            tied |= above == below;
        }
        if !in_order || (tied && self.strangers) {
            self.rank_sorted(key, lines, scratch, ranking);
        } else if tied {
            self.rank_tied(key, lines, scratch, ranking);
        } else {
            ranking.retrieved = lines.len() as u32;
            ranking.hits.extend(scratch.found.iter().map(|&(line, number)| (line + 1, number)));
            if self.strangers {
                let lines = (0u32..).zip(&scratch.known);
                let unknown = lines.filter(|(_, number)| **number == UNKNOWN);
                ranking.strangers.extend(unknown.map(|(line, _)| (line + 1, u64::from(line))));
            }
        }
    }

    /// Lines in order, some of them tied.
    fn rank_tied(
        &self,
        key: impl Fn(usize) -> f64,
        lines: &Lines,
        scratch: &mut Scratch,
        ranking: &mut Ranking,
    ) {
        let Scratch { order, known, .. } = scratch;
        ranking.retrieved = lines.len() as u32;
        let mut start = 0;
        while start < lines.len() {
            let mut end = start + 1;
            while end < lines.len() && key(end) == key(start) {
                end += 1;
            }
            if end - start == 1 {
                if known[start] != UNKNOWN {
                    ranking.hits.push((start as u32 + 1, known[start]));
                }
            } else {
                ranking.ties += (end - start) as u64;
                if known[start..end].iter().any(|&number| number != UNKNOWN) {
                    order.clear();
                    order.extend(start as u32..end as u32);
                    self.break_ties(lines, order);
                    let known = order.iter().map(|&line| known[line as usize]);
                    ranking.hits.extend(hits(known, start as u32 + 1));
                }
            }
            start = end;
        }
    }

    /// The general case: sort, drop duplicates, break ties.
    fn rank_sorted(
        &self,
        key: impl Fn(usize) -> f64,
        lines: &Lines,
        scratch: &mut Scratch,
        ranking: &mut Ranking,
    ) {
        let Scratch { keys, order, known, dropped, .. } = scratch;
        keys.clear();
        keys.extend((0..lines.len()).map(|line| (!ascending(key(line)), line as u32)));
        if self.duplicates == Duplicates::First {
            keys.retain(|(_, line)| dropped.binary_search(line).is_err());
        }
        // Equal keys in order of line, so that "best" keeps the first of them.
        keys.sort_unstable();
        if !dropped.is_empty() && self.duplicates == Duplicates::Best {
            let mut kept = HashSet::new();
            keys.retain(|&(_, line)| kept.insert(lines.document(line as usize)));
        }
        ranking.retrieved = keys.len() as u32;
        let mut rank = 1;
        for group in keys.chunk_by(|a, b| a.0 == b.0) {
            order.clear();
            order.extend(group.iter().map(|&(_, line)| line));
            if group.len() > 1 {
                ranking.ties += group.len() as u64;
                if order.iter().any(|&line| known[line as usize] != UNKNOWN) {
                    self.break_ties(lines, order);
                }
            }
            ranking.hits.extend(hits(order.iter().map(|&line| known[line as usize]), rank));
            if self.strangers {
                let unknown = (rank..).zip(order.iter().map(|&line| u64::from(line)));
                let unknown = unknown.filter(|&(_, line)| known[line as usize] == UNKNOWN);
                ranking.strangers.extend(unknown);
            }
            rank += group.len() as u32;
        }
    }

    fn break_ties(&self, lines: &Lines, order: &mut [u32]) {
        let document = |&line: &u32| lines.document(line as usize);
        match self.order {
            Order::DocnoAsc => order.sort_unstable_by(|a, b| document(a).cmp(document(b))),
            Order::DocnoDesc | Order::Rank => {
                order.sort_unstable_by(|a, b| document(b).cmp(document(a)));
            }
            Order::Input => {}
        }
    }
}

/// Ranks and documents of those of a stretch of lines that are known.
fn hits(known: impl Iterator<Item = u32>, first_rank: u32) -> impl Iterator<Item = (u32, u32)> {
    (first_rank..).zip(known).filter(|&(_, document)| document != UNKNOWN)
}

/// A number's bits in an order that integers sort by.
#[inline]
fn ascending(value: f64) -> u64 {
    let bits = value.to_bits();
    if bits >> 63 == 0 { bits | 1 << 63 } else { !bits }
}

impl Scratch {
    /// Finds the documents that the judgments know, and the repeated ones.
    fn look_up(&mut self, lines: &Lines, qrels: &Qrels, topic: &Topic) {
        let (docs, seed) = (topic.docs(), qrels.seed());
        let count = lines.len();
        if docs.len() < 4 * count {
            docs.warm();
        }
        // A slot holds, from 1, the line of a document below a piece of its
        // hash; an empty one is 0. At most a quarter of the slots are taken.
        let line_bits = usize::BITS - count.leading_zeros();
        let line_mask = !(u32::MAX << line_bits);
        let slots = (count * 4).next_power_of_two();
        let mask = slots - 1;
        let Scratch { hashes, seen, found, known, dropped, .. } = self;
        hashes.clear();
        hashes.extend(lines.documents().map(|document| hash(seed, document)));
        known.clear();
        known.extend(hashes.iter().map(|&hash| docs.candidate(hash)));
        found.clear();
        found.resize(count + 1, (0, 0));
        let mut next = 0;
        for (line, &candidate) in known.iter().enumerate() {
            // Written either way, so that this is no branch.
            found[next] = (line as u32, candidate);
            next += usize::from(candidate != UNKNOWN);
        }
        found.truncate(next);

        seen.clear();
        seen.resize(slots, 0);
        dropped.clear();
        let seen = seen.as_mut_slice();
        for (line, &hash) in hashes.iter().enumerate() {
            let mark = ((hash >> 32) as u32) << line_bits;
            let mut slot = hash as usize & mask;
            let mut entry = seen[slot];
            while entry != 0 {
                let earlier = (entry & line_mask) as usize;
                if (entry ^ mark) >> line_bits == 0
                    && same(lines.document(earlier - 1), lines.document(line))
                {
                    dropped.push(line as u32);
                    break;
                }
                slot = (slot + 1) & mask;
                entry = seen[slot];
            }
            if entry == 0 {
                seen[slot] = mark | (line as u32 + 1);
            }
        }
        let known = &mut self.known;
        self.found.retain_mut(|(line, number)| {
            let document = lines.document(*line as usize);
            if docs.confirms(*number, document) {
                return true;
            }
            // The tag was the same and the id is not.
            *number = docs.get(hash(seed, document), document).unwrap_or(UNKNOWN);
            known[*line as usize] = *number;
            *number != UNKNOWN
        });
    }

    /// The first repeated document.
    fn repeated(&self, lines: &Lines) -> Option<Repeated> {
        let second = *self.dropped.first()? as usize;
        let document = lines.document(second);
        let first = (0..second).find(|&line| lines.document(line) == document)?;
        Some(Repeated { first, second })
    }
}
