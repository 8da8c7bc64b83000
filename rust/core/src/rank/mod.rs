//! Rankings: order, ties, depth, duplicates, and the join with the judgments.
//!
//! The ranking rule is in this file; [`Ranker::break_ties`] orders equal scores. (`trec_eval/`
//! orders lists itself only where it reads files that are refused here, or scores
//! that are not numbers.) Where a list comes from is behind [`ListSource`]: lines, integers in arrays, dicts. By default a list
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
mod cost;
mod lines;
mod lookup;
mod order;
mod ranking;
mod run;
mod sort;
mod list_source;

use std::cmp::Ordering;
use std::collections::HashSet;
use std::hash::{BuildHasher, RandomState};

pub use cranfield_scan::Scan;

use crate::bytes::beginning;
use crate::costs::{Unit, Units};
use crate::error::{Error, Kind, quote};
use crate::hash::{GOLDEN, lasting_hash};
use crate::table::DocTable;
pub use crate::table::Finder;
pub use columns::only_line;
use columns::{CountAbove, Top};
pub use lines::Lines;
pub(crate) use lines::{LineBuffer, score_of, whole};
pub use list_source::{JoinTarget, ListSource, look_up};
use lookup::UNKNOWN;
pub use lookup::{Repeated, Scratch};
pub(crate) use order::keep_one;
pub use order::{Duplicates, Order, Own, Precision};
pub use ranking::{Hit, Ranking, RunningCost};
pub use run::Run;
use sort::{KeySteps, Tied};

/// The options that turn lines into a ranking.
#[derive(Clone, Copy, Debug, Default)]
pub struct Ranker {
    /// How the list is put in order.
    pub order: Order,
    /// In which precision scores are compared.
    pub precision: Precision,
    /// What a repeated document means.
    pub duplicates: Duplicates,
    /// What a document of the topic's own id means.
    pub own: Own,
    /// How many documents of a topic are kept, the best ones; all if `None`.
    pub depth: Option<u32>,
    /// Down to which rank documents that the judgments do not know are kept,
    /// as hashes.
    pub unjudged_depth: u32,
    /// Whether the groups of equal scores are kept.
    pub groups: bool,
    /// Whether lists are ranked in the other precision as well, to see what
    /// stands elsewhere there.
    pub both_precisions: bool,
    /// In which units it is added up what lists cost.
    pub units: Units,
}

/// What a list lacks, or holds too often, to be ranked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unrankable {
    /// A document twice, where that is an error.
    Repeated(Repeated),
    /// No rank column, where the order asks for one.
    NoRanks,
    /// Memory for this many lines.
    NoMemory(usize),
    /// The number of a call in this line, where other lines have one.
    NoCall(usize),
}

/// The error for a list without ranks where the order is that of the ranks.
#[cold]
pub fn without_ranks(topic: &[u8]) -> Error {
    Error::for_each(Kind::Option, |to| {
        let order = to.choice("order", "rank");
        format!("{order} needs ranks, and the run has none for topic {}", quote(topic))
    })
}

/// The error for a line whose call has no number.
#[cold]
pub fn without_call(call: f64, document: &[u8], topic: &[u8]) -> Error {
    let found = if call.is_nan() { "none".to_string() } else { call.to_string() };
    let message = format!(
        "expected a whole number as call in every row, found {found} for document {} of topic {}",
        quote(document),
        quote(topic)
    );
    Error::new(Kind::Number, message)
}

/// The error for a list that is too long for the memory that there is.
#[cold]
pub fn without_memory(lines: usize, topic: &[u8]) -> Error {
    let topic = quote(topic);
    let message = format!("there is not enough memory to rank the {lines} lines of topic {topic}");
    Error::new(Kind::Memory, message)
}

impl Ranker {
    /// Ranks the list of a topic and joins it with its judgments.
    pub fn rank<S: ListSource>(
        &self,
        source: &S,
        target: JoinTarget<'_>,
        scratch: &mut Scratch,
        ranking: &mut Ranking,
    ) -> Result<(), Unrankable> {
        if !source.costs(Unit::Calls).is_empty() {
            return self.rank_calls(source, target, scratch, ranking);
        }
        self.rank_list(source, target, scratch, ranking)
    }

    /// The same, where what a document means that comes again does not depend on calls.
    #[inline(always)]
    fn rank_list<S: ListSource>(
        &self,
        source: &S,
        target: JoinTarget<'_>,
        scratch: &mut Scratch,
        ranking: &mut Ranking,
    ) -> Result<(), Unrankable> {
        ranking.clear();
        self.check_ranks(source)?;
        if scratch.make_room(source.len()).is_err() {
            return Err(Unrankable::NoMemory(source.len()));
        }
        scratch.dropped.clear();
        let everywhere = !S::DISTINCT
            || source.count_known().is_some_and(|known| known <= COUNTED_DOCUMENTS)
            || self.own == Own::Drop
            || self.looks_everywhere(source.len(), target.reach);
        scratch.own.clear();
        if self.own == Own::Drop {
            scratch
                .own
                .extend((0..source.len() as u32).filter(|&line| target.is_own(source, line)));
            ranking.own = scratch.own.len() as u64;
        }
        if everywhere {
            scratch.found.clear();
            source.look_up(target, scratch);
            self.check_repeated(source, scratch)?;
            ranking.duplicates = scratch.dropped.len() as u64;
            let repeats = !scratch.dropped.is_empty();
            ranking.keeps_places = repeats && self.duplicates == Duplicates::Place;
        }
        let mut own = std::mem::take(&mut scratch.keys);
        let keys = self.keys(source, &mut own);
        scratch.in_ties = 0;
        scratch.first = None;
        self.rank_keys(keys, source, target, everywhere, scratch, ranking);
        ranking.own_first = scratch.first.is_some_and(|line| target.is_own(source, line));
        scratch.seen =
            if everywhere { source.len() as u32 } else { target.reach.min(source.len() as u32) };
        let in_ties = scratch.in_ties;
        if let Some(other) = self.in_other_precision() {
            let mut elsewhere = Ranking::default();
            let keys = other.keys(source, &mut own);
            other.rank_keys(keys, source, target, everywhere, scratch, &mut elsewhere);
            ranking.compare(&elsewhere);
            scratch.in_ties = in_ties;
        }
        scratch.keys = own;
        if self.adds_up() {
            self.add_up(source, target, scratch, ranking);
        }
        if scratch.seeks {
            scratch.strangers.clear();
            if ranking.hits.is_empty() {
                seek_strangers(source, target, scratch);
            }
        }
        Ok(())
    }

    /// An error for a list without ranks where the order is that of the ranks.
    fn check_ranks(&self, source: &impl ListSource) -> Result<(), Unrankable> {
        if self.order == Order::Rank && source.ranks().len() != source.len() {
            return Err(Unrankable::NoRanks);
        }
        Ok(())
    }

    /// An error for a document that was found twice, if that is one.
    fn check_repeated(
        &self,
        source: &impl ListSource,
        scratch: &Scratch,
    ) -> Result<(), Unrankable> {
        match scratch.dropped.first() {
            Some(&second) if self.duplicates == Duplicates::Error => {
                Err(Unrankable::Repeated(repeated(source, second)))
            }
            _ => Ok(()),
        }
    }

    /// Whether the documents of a list of this many are looked up wherever they
    /// are, and not only in its first lines.
    pub fn looks_everywhere(&self, lines: usize, reach: u32) -> bool {
        self.unjudged_depth > 0 || self.groups || self.least(reach) >= lines / SHALLOW
    }

    /// Whether nothing but the first documents of a list in order is looked at.
    fn takes_rows_as_ranked(&self) -> bool {
        self.order != Order::Rank
            && self.own == Own::Keep
            && self.unjudged_depth == 0
            && !self.groups
            && !self.both_precisions
            && !self.adds_up()
    }

    /// The first line that is ranked above the one before it.
    fn first_unsorted(&self, source: &impl ListSource) -> Option<usize> {
        let mut own = Vec::new();
        let keys = self.keys(source, &mut own);
        let sinks = |line: usize| match keys[line - 1].total_cmp(&keys[line]) {
            Ordering::Less => true,
            Ordering::Greater => false,
            Ordering::Equal => {
                let mut tied: Vec<Tied> = [line - 1, line]
                    .map(|line| Tied { beginning: 0, line: line as u32, number: UNKNOWN })
                    .into();
                self.break_ties(source, &mut tied);
                tied[0].line as usize == line
            }
        };
        (1..keys.len()).find(|&line| sinks(line))
    }

    /// How far down a list any measure looks, after the depth.
    fn least(&self, reach: u32) -> usize {
        self.depth.map_or(reach, |depth| depth.min(reach)) as usize
    }

    /// Ranks by keys, in the way that costs least.
    #[inline(always)]
    fn rank_keys<S: ListSource>(
        &self,
        keys: &[f64],
        source: &S,
        target: JoinTarget<'_>,
        everywhere: bool,
        scratch: &mut Scratch,
        ranking: &mut Ranking,
    ) {
        let steps = KeySteps::of(keys);
        if !everywhere {
            self.rank_top(keys, steps, source, target, scratch, ranking);
            return;
        }
        let few =
            scratch.found.len() <= COUNTED_DOCUMENTS && self.unjudged_depth == 0 && !self.groups;
        if S::DISTINCT && few && steps.rises > 0 && scratch.own.is_empty() {
            self.rank_few(keys, source, scratch, ranking);
        } else {
            self.rank_found(keys, steps, source, scratch, ranking);
        }
    }

    /// The same in the other precision, if that is asked for and scores are
    /// looked at.
    fn in_other_precision(&self) -> Option<Ranker> {
        let scored = matches!(self.order, Order::DocnoDesc | Order::DocnoAsc);
        let precision = self.precision.other();
        (self.both_precisions && scored).then_some(Ranker {
            precision,
            unjudged_depth: 0,
            groups: false,
            both_precisions: false,
            units: Units::default(),
            ..*self
        })
    }

    /// Ranks lines of which the scratch knows what the judgments know.
    fn rank_found(
        &self,
        keys: &[f64],
        KeySteps { rises, tied }: KeySteps,
        source: &impl ListSource,
        scratch: &mut Scratch,
        ranking: &mut Ranking,
    ) {
        let in_order = rises == 0 && scratch.dropped.is_empty() && scratch.own.is_empty();
        if in_order && keys.first() != keys.get(1) {
            scratch.first = Some(0);
        }
        if !in_order || (tied > 0 && self.unjudged_depth > 0) {
            self.rank_sorted(keys, source, scratch, ranking);
        } else if tied > 0 {
            ranking.ties = tied;
            self.rank_tied(keys, source, scratch, ranking);
        } else {
            ranking.retrieved = keys.len() as u32;
            let hits =
                scratch.found.iter().map(|&(line, document)| Hit { rank: line + 1, document });
            ranking.hits.extend(hits);
            let last = self.unjudged_kept().min(ranking.retrieved);
            ranking.unjudged_docs.reserve((last as usize).saturating_sub(ranking.hits.len()));
            let mut next = 0;
            // The lines between one found and the next.
            let found = scratch.found.iter().map(|&(line, _)| line);
            for found in found.take_while(|&line| line < last).chain([last]) {
                for line in next..found {
                    ranking.unjudged_docs.push((line + 1, unjudged(source, line)));
                }
                next = found + 1;
            }
        }
        if let Some(depth) = self.depth {
            ranking.cut(depth);
        }
    }

    /// Down to which rank documents that the judgments do not know are kept.
    fn unjudged_kept(&self) -> u32 {
        self.depth.map_or(self.unjudged_depth, |depth| depth.min(self.unjudged_depth))
    }

    /// The lines of a list from the best, without those that are dropped as
    /// duplicates (none where these keep their places); depth is not looked at.
    pub fn ordered(&self, lines: &Lines, topic: &[u8]) -> Result<Vec<u32>, Unrankable> {
        self.check_ranks(lines)?;
        let mut scratch = Scratch::default();
        let seed = RandomState::new().hash_one(lines.len());
        scratch.look_up_lines(lines, &DocTable::default(), seed);
        self.check_repeated(lines, &scratch)?;
        if self.own == Own::Drop {
            let is_own = |&line: &u32| lines.document(line as usize) == topic;
            scratch.own.extend((0..lines.len() as u32).filter(is_own));
        }
        Ok(self.put_in_order(lines, scratch))
    }

    /// All lines from the best, after duplicates.
    fn put_in_order(&self, lines: &Lines, mut scratch: Scratch) -> Vec<u32> {
        let mut own = Vec::new();
        let keys = self.keys(lines, &mut own);
        self.sort(keys, lines, &mut scratch, |_, _| true);
        scratch.order
    }

    /// What lines are ranked by, the highest first: a column of the list, or
    /// one that is computed.
    fn keys<'a>(&self, source: &'a impl ListSource, own: &'a mut Vec<f64>) -> &'a [f64] {
        let calls = source.costs(Unit::Calls);
        if calls.is_empty() {
            return self.keys_of_list(source, own);
        }
        let by_call = Self::keys_by_call(self.keys_of_list(source, own), calls);
        *own = by_call;
        own
    }

    /// The same, where all lines are of one list.
    #[inline(always)]
    fn keys_of_list<'a>(&self, source: &'a impl ListSource, own: &'a mut Vec<f64>) -> &'a [f64] {
        own.clear();
        match (self.order, self.precision) {
            // Adding zero, for minus zero is the lower one to a sort.
            (Order::Rank, _) => own.extend(source.ranks().iter().map(|rank| 0.0 - rank)),
            (Order::Input, _) => own.extend((0..source.len()).map(|line| -(line as f64))),
            (_, Precision::F64) => return source.scaled_scores(),
            (_, Precision::F32) => {
                let unit = source.unit();
                let scores = source.scaled_scores().iter();
                own.extend(scores.map(|scaled| f64::from((scaled / unit) as f32) + 0.0));
            }
        }
        own
    }

    /// Lines in order, some of them tied.
    fn rank_tied(
        &self,
        keys: &[f64],
        source: &impl ListSource,
        scratch: &mut Scratch,
        ranking: &mut Ranking,
    ) {
        let Scratch { found, group, in_ties, .. } = scratch;
        ranking.retrieved = keys.len() as u32;
        let mut found = found.as_slice();
        ranking.hits.reserve(found.len());
        while let Some(&(line, number)) = found.first() {
            let at = line as usize;
            let alone = |other: usize| keys.get(other).is_none_or(|key| *key != keys[at]);
            if alone(at.wrapping_sub(1)) && alone(at + 1) {
                ranking.hits.push(Hit { rank: line + 1, document: number });
                found = &found[1..];
                continue;
            }
            let above = keys[..at].iter().rev().take_while(|&&key| key == keys[at]).count();
            let below = keys[at + 1..].iter().take_while(|&&key| key == keys[at]).count();
            let (start, end) = ((at - above) as u32, (at + below) as u32);
            *in_ties += end + 1 - start;
            group.clear();
            for line in start..=end {
                let known = found.first().filter(|&&(known, _)| known == line);
                let number = known.map_or(UNKNOWN, |&(_, number)| number);
                group.push(Tied { beginning: 0, line, number });
                found = &found[usize::from(known.is_some())..];
            }
            self.break_ties(source, group);
            if self.groups {
                ranking.groups.push((start + 1, end + 1));
            }
            ranking.hits.extend(hits(group.iter().map(|tied| tied.number), start + 1));
        }
    }

    /// The general case: all lines are put in order.
    fn rank_sorted(
        &self,
        keys: &[f64],
        source: &impl ListSource,
        scratch: &mut Scratch,
        ranking: &mut Ranking,
    ) {
        scratch.spread(keys.len());
        let known = std::mem::take(&mut scratch.known);
        let mut in_ties = 0;
        self.sort(keys, source, scratch, |start, tied| {
            ranking.ties += tied.len() as u64;
            let holds_known = tied.iter().any(|&line| known[line as usize] != UNKNOWN);
            in_ties += if holds_known { tied.len() as u32 } else { 0 };
            if self.groups && holds_known {
                ranking.groups.push((start as u32 + 1, (start + tied.len()) as u32));
            }
            self.unjudged_depth > 0 || holds_known
        });
        scratch.first = scratch.order.first().copied();
        let Scratch { order, found, .. } = &*scratch;
        ranking.retrieved = order.len() as u32;
        // One place more than needed: whether a document is known decides only
        // whether its place is kept, which takes no branch.
        ranking.hits.resize(found.len() + 1, Hit { rank: 0, document: 0 });
        let mut count = 0;
        for (rank, &line) in (1..).zip(order) {
            let number = known[line as usize];
            ranking.hits[count] = Hit { rank, document: number };
            count += usize::from(number != UNKNOWN);
        }
        ranking.hits.truncate(count);
        let first = (1..).zip(order.iter().take(self.unjudged_kept() as usize));
        let unknown = first.filter(|&(_, &line)| known[line as usize] == UNKNOWN);
        ranking.unjudged_docs.extend(unknown.map(|(rank, &line)| (rank, unjudged(source, line))));
        if !scratch.dropped.is_empty() && self.duplicates == Duplicates::Place {
            self.empty_places(source, &scratch.order, ranking);
        }
        scratch.known = known;
        scratch.in_ties = in_ties;
    }

    /// Takes documents out of the places at which they come again. Such a place is that of a
    /// document that the judgments do not know.
    #[cold]
    fn empty_places(&self, source: &impl ListSource, order: &[u32], ranking: &mut Ranking) {
        let mut seen = HashSet::new();
        let last = self.unjudged_kept();
        let Ranking { hits, unjudged_docs, .. } = ranking;
        hits.retain(|hit| {
            let is_first = seen.insert(hit.document);
            if !is_first && hit.rank <= last {
                unjudged_docs.push((hit.rank, unjudged(source, order[hit.rank as usize - 1])));
            }
            is_first
        });
        unjudged_docs.sort_unstable();
    }

    /// Writes the lines into the scratch's `order` from the best, without those
    /// that are dropped as duplicates. Of lines of equal key a function is told
    /// where the first of them is; it says whether their order matters.
    #[inline(always)]
    fn sort(
        &self,
        keys: &[f64],
        source: &impl ListSource,
        scratch: &mut Scratch,
        mut matters: impl FnMut(usize, &[u32]) -> bool,
    ) {
        let Scratch { order, sorter, dropped, own, group, .. } = scratch;
        // Equal keys are in order of line, so that "best" keeps the first.
        let tied = sorter.sort_down(keys, order);
        if !own.is_empty() {
            order.retain(|line| own.binary_search(line).is_err());
        }
        if !dropped.is_empty() && self.duplicates == Duplicates::First {
            order.retain(|line| dropped.binary_search(line).is_err());
        }
        if !dropped.is_empty() && self.duplicates == Duplicates::Best {
            let mut kept = HashSet::new();
            order.retain(|&line| source.with_id(line, |id| kept.insert(Box::<[u8]>::from(id))));
        }
        let mut start = if tied { 0 } else { order.len() };
        while start < order.len() {
            let key = keys[order[start] as usize];
            let same = order[start + 1..].iter().take_while(|&&line| keys[line as usize] == key);
            let end = start + 1 + same.count();
            let lines = &mut order[start..end];
            if lines.len() > 1 && matters(start, lines) {
                self.order_tied(source, lines, group);
            }
            start = end;
        }
    }

    /// A list out of order with few known documents: their ranks are counted,
    /// in one pass over the keys for each of them.
    fn rank_few(
        &self,
        keys: &[f64],
        source: &impl ListSource,
        scratch: &mut Scratch,
        ranking: &mut Ranking,
    ) {
        ranking.retrieved = keys.len() as u32;
        ranking.ties = scratch.tied(keys);
        let Scratch { found, order, group, in_ties, .. } = scratch;
        ranking.hits.reserve(found.len());
        for (place, &(line, number)) in found.iter().enumerate() {
            let key = keys[line as usize];
            let (mut above, alike) = cranfield_scan::run(CountAbove { keys, key });
            if alike > 1 {
                let known = found[..place].iter().any(|&(other, _)| keys[other as usize] == key);
                *in_ties += if known { 0 } else { alike as u32 };
                order.clear();
                order.extend((0..).zip(keys).filter(|(_, other)| **other == key).map(|(l, _)| l));
                self.order_tied(source, order, group);
                above += order.iter().take_while(|&&other| other != line).count() as u64;
            }
            ranking.hits.push(Hit { rank: above as u32 + 1, document: number });
        }
        ranking.hits.sort_unstable();
        if let Some(depth) = self.depth {
            ranking.cut(depth);
        }
    }

    /// The first documents only, and all that tie with the last of them.
    fn rank_top(
        &self,
        keys: &[f64],
        KeySteps { rises, tied }: KeySteps,
        source: &impl ListSource,
        target: JoinTarget<'_>,
        scratch: &mut Scratch,
        ranking: &mut Ranking,
    ) {
        let reach = self.least(target.reach);
        ranking.retrieved = keys.len() as u32;
        ranking.ties = if rises == 0 { tied } else { scratch.tied(keys) };
        let Scratch { order, group, in_ties, .. } = scratch;
        order.clear();
        if reach > 0 && rises == 0 {
            let tied = keys[reach..].iter().take_while(|&&key| key == keys[reach - 1]).count();
            order.extend(0..(reach + tied) as u32);
        } else if reach > 0 {
            cranfield_scan::run(Top { keys, count: reach, order });
            order.sort_by(|&a, &b| keys[b as usize].total_cmp(&keys[a as usize]));
        }
        for tied in order.chunk_by_mut(|&a, &b| keys[a as usize] == keys[b as usize]) {
            self.order_tied(source, tied, group);
        }
        scratch.first = order.first().copied();
        let known = (1..).zip(order.iter().take(reach));
        let known = known
            .filter_map(|(rank, &line)| Some(Hit { rank, document: source.number(line, target)? }));
        ranking.hits.extend(known);
        if ranking.ties > 0 {
            *in_ties = tied_with(&ranking.hits, keys, &order[..reach.min(order.len())]);
        }
        if let Some(depth) = self.depth {
            ranking.cut(depth);
        }
    }

    /// Puts lines of equal key in order; `group` is memory.
    fn order_tied(&self, source: &impl ListSource, lines: &mut [u32], group: &mut Vec<Tied>) {
        if lines.len() < 2 {
            return;
        }
        group.clear();
        group.extend(lines.iter().map(|&line| Tied { beginning: 0, line, number: UNKNOWN }));
        self.break_ties(source, group);
        for (line, tied) in lines.iter_mut().zip(group) {
            *line = tied.line;
        }
    }

    /// Puts lines of equal key in order.
    fn break_ties(&self, source: &impl ListSource, group: &mut [Tied]) {
        if self.order == Order::Input {
            return;
        }
        // Each id is asked for once: its beginning mostly tells it from the others.
        for tied in &mut *group {
            tied.beginning = source.with_id(tied.line, beginning);
        }
        let whole = |a: u32, b: u32| source.with_id(a, |a| source.with_id(b, |b| a.cmp(b)));
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

/// How many lines from the best are in groups of equal key that hold a hit.
fn tied_with(hits: &[Hit], keys: &[f64], order: &[u32]) -> u32 {
    let (mut first, mut tied) = (1, 0);
    for group in order.chunk_by(|&a, &b| keys[a as usize] == keys[b as usize]) {
        let next = first + group.len() as u32;
        if group.len() > 1 && hits.iter().any(|hit| (first..next).contains(&hit.rank)) {
            tied += group.len() as u32;
        }
        first = next;
    }
    tied
}

/// Where measures look at less than one in this many lines, the first documents
/// are picked out.
const SHALLOW: usize = 8;

/// Ranks of up to this many documents are counted.
const COUNTED_DOCUMENTS: usize = 20;

/// The lines of a list from the best in the default order, those of a repeated
/// document included.
pub fn in_default_order(lines: &Lines) -> impl Iterator<Item = usize> {
    let order = Ranker::default().put_in_order(lines, Scratch::default());
    order.into_iter().map(|line| line as usize)
}

/// The lines of a document that came before: the first of them, and this one.
#[cold]
fn repeated(source: &impl ListSource, second: u32) -> Repeated {
    let same = |line: u32| source.with_id(line, |a| source.with_id(second, |b| a == b));
    let first = (0..second).find(|&line| same(line)).unwrap_or(second);
    Repeated { first: first as usize, second: second as usize }
}

/// Keeps the first documents of a list if the judgments know none of it, also below the
/// reach of the measures.
#[cold]
#[inline(never)]
fn seek_strangers(source: &impl ListSource, target: JoinTarget<'_>, scratch: &mut Scratch) {
    scratch.strangers.clear();
    let lines = 0..source.len() as u32;
    if !lines.clone().any(|line| source.number(line, target).is_some()) {
        let first = lines.take(STRANGERS);
        scratch.strangers.extend(first.map(|line| source.with_id(line, |id| id.into())));
    }
}

/// So many documents are kept of a list of which the judgments know none.
const STRANGERS: usize = 100;

/// What is kept of a document that the judgments do not know.
#[inline]
fn unjudged(source: &impl ListSource, line: u32) -> u64 {
    source.with_id(line, |id| lasting_hash(GOLDEN, id))
}

/// The documents of a stretch of lines that are known.
fn hits(known: impl Iterator<Item = u32>, first_rank: u32) -> impl Iterator<Item = Hit> {
    let ranked = (first_rank..).zip(known).map(|(rank, document)| Hit { rank, document });
    ranked.filter(|hit| hit.document != UNKNOWN)
}
