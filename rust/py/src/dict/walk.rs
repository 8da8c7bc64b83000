//! The walk of a dict: its items to columns, ranked or copied.

use std::cell::Cell;

use cranfield_core::costs::DocumentCosts;
use cranfield_core::error::Result;
use cranfield_core::hash::hash;
use cranfield_core::memory;
use cranfield_core::qrels::{Builder, Topic};
use cranfield_core::rank::{
    Finder, JoinTarget, Lines, ListSource, Ranker, Ranking, Scan, Scratch, look_up, only_line,
};
use cranfield_core::read::qrels::again;

use pyo3::prelude::*;
use pyo3::sync::critical_section::with_critical_section;
use pyo3::types::{PyDict, PyString};

use super::cpython::{
    Copied, Entry, entries, may_have_plain_keys, number_in, reads_dicts_in_place,
};
use crate::errors::Tried;

/// Memory for reading dicts, reused from dict to dict.
#[derive(Default)]
pub struct Walk {
    copied: Copied,
    values: Vec<f64>,
    /// The numbers and scores of the judged documents that were looked up in the dict.
    looked_up: Vec<(u32, f64)>,
}

/// What a list is joined with: a topic's judgments, the seed of their table,
/// and how far down the list the measures look.
#[derive(Clone, Copy)]
pub struct Judged<'a> {
    /// The topic's judgments.
    pub topic: &'a Topic,
    /// The seed that their table is hashed with.
    pub seed: u64,
    /// How far down the list measures look.
    pub reach: u32,
    /// What documents cost.
    pub costs: &'a DocumentCosts,
    /// The ids of the table as Python strings, if the dict is asked for them.
    pub names: Option<&'a [Py<PyString>]>,
}

impl Walk {
    /// Ranks a list {document: score}, joins it with the judgments and returns
    /// how many lines it has. `None` if it is not a plain one, or if the ranker
    /// needs more than scores; then the ranking is not valid. What the comparison of
    /// a key raises is passed on unless it is an `Exception`.
    pub fn rank(
        &mut self,
        dict: &Bound<'_, PyDict>,
        ranker: &Ranker,
        judged: Judged<'_>,
        scratch: &mut Scratch,
        ranking: &mut Ranking,
    ) -> PyResult<Option<usize>> {
        let Walk { copied, values, looked_up } = self;
        with_critical_section(dict, || {
            let whole = ranker.looks_everywhere(dict.len(), judged.reach);
            // Without a global lock a look-up may give up the dict's for a moment.
            let names = judged.names.filter(|_| whole && reads_dicts_in_place(dict.py()));
            // This may run Python code, so it comes before the entries are read.
            let names = match names {
                Some(names) if look_up_names(dict, names, looked_up)? => Some(names),
                _ => None,
            };
            // SAFETY: the dict is locked. From here to the end of the closure only Rust
            // code runs that reads the entries and ranks them; it calls no Python.
            let Some(entries) = (unsafe { entries(dict, copied) }) else { return Ok(None) };
            if !whole {
                // Most lists are in order.
                let first = entries.iter().take(judged.reach as usize);
                first.for_each(Entry::prefetch_key_l2);
            }
            if !numbers(entries, values, whole && names.is_none()) {
                return Ok(None);
            }
            let documents = Listed {
                keys: Keys { entries, not_plain: Cell::new(false) },
                scores: values,
                looked_up: names.map(|_| looked_up.as_slice()),
                judged,
            };
            let Judged { topic, seed, reach, .. } = judged;
            let costs = judged.costs;
            let target = JoinTarget { docs: topic.docs(), seed, topic: topic.id(), reach, costs };
            let ranked = ranker.rank(&documents, target, scratch, ranking);
            Ok((ranked.is_ok() && !documents.keys.not_plain.get()).then_some(entries.len()))
        })
    }

    /// Appends a list {document: score} to some lines and returns how many it
    /// has. `None` if it is not a plain one; then none is appended.
    pub fn copy(&mut self, dict: &Bound<'_, PyDict>, lines: &mut Lines) -> Option<usize> {
        self.plain(dict, |documents, scores| {
            for (document, &score) in documents.iter().zip(scores) {
                lines.push(document, score);
            }
            documents.len()
        })
    }

    /// How many lines a list has, if it is a plain one.
    pub fn count(&mut self, dict: &Bound<'_, PyDict>) -> Option<usize> {
        self.plain(dict, |documents, _| documents.len())
    }

    /// Adds a topic's judgments {document: grade} and returns how many there
    /// are. `None` if they are not plain ones; then none is added.
    pub fn judge(
        &mut self,
        dict: &Bound<'_, PyDict>,
        topic: &[u8],
        builder: &mut Builder,
    ) -> Option<Result<usize>> {
        self.plain(dict, |documents, grades| {
            builder.make_room(documents.len(), documents.iter().map(|id| id.len()).sum())?;
            let added = builder.add_list(topic, documents, grades);
            let added = added.map_err(|(position, clash)| {
                again(clash, topic, documents[position], grades[position])
            });
            added.map(|()| documents.len())
        })
    }

    /// Appends the numbers of a list to others. Returns whether all of them
    /// are finite; if not, none is appended.
    pub fn numbers(&mut self, dict: &Bound<'_, PyDict>, all: &mut Vec<f64>) -> bool {
        let Walk { copied, values, .. } = self;
        with_critical_section(dict, || {
            // SAFETY: the dict is locked, and `numbers` runs no Python code.
            let entries = unsafe { entries(dict, copied) };
            let plain = entries.is_some_and(|entries| numbers(entries, values, false));
            all.extend(values.iter().filter(|_| plain));
            plain
        })
    }

    /// Whether all values of a dict are of the class `int`.
    pub fn has_whole_numbers(&mut self, dict: &Bound<'_, PyDict>) -> bool {
        with_critical_section(dict, || {
            // SAFETY: the dict is locked, and looking at types runs no Python code.
            let entries = unsafe { entries(dict, &mut self.copied) };
            entries.into_iter().flatten().all(Entry::is_int)
        })
    }

    /// Calls a function, which runs no Python code, with the keys and values of a dict, if it is
    /// a plain one.
    fn plain<T>(
        &mut self,
        dict: &Bound<'_, PyDict>,
        then: impl FnOnce(&[&[u8]], &[f64]) -> T,
    ) -> Option<T> {
        let Walk { copied, values, .. } = self;
        with_critical_section(dict, || {
            // SAFETY: the dict is locked. The functions of this file that call `plain` pass
            // closures that copy texts and numbers into the core's tables, which knows no Python.
            let entries = unsafe { entries(dict, copied) }?;
            numbers(entries, values, true).then_some(())?;
            let keys = Keys { entries, not_plain: Cell::new(false) };
            Some(then(&keys.texts()?, values))
        })
    }
}

/// Looks documents up in a dict by name. Returns whether the answers can be used: all are
/// numbers, and no key is of a class that may claim to equal another.
fn look_up_names(
    dict: &Bound<'_, PyDict>,
    names: &[Py<PyString>],
    looked_up: &mut Vec<(u32, f64)>,
) -> PyResult<bool> {
    looked_up.clear();
    for (number, name) in (0..).zip(names) {
        let Some(found) = dict.get_item(name).tried(dict.py())? else { return Ok(false) };
        if let Some(score) = found {
            let Some(score) = number_in(&score) else { return Ok(false) };
            looked_up.push((number, score));
        }
    }
    Ok(may_have_plain_keys(dict))
}

/// Reads the values of entries. Returns whether all are finite numbers. If all keys
/// are read next, they are prefetched meanwhile.
fn numbers(entries: &[Entry], values: &mut Vec<f64>, keys_next: bool) -> bool {
    // Without memory for more the general path says so.
    if memory::room_for(8 * size_of_val(entries)).is_err() {
        return false;
    }
    values.resize(entries.len(), 0.0);
    let read = if keys_next && entries.len() <= FIT_L2 {
        each_number(entries, values, Entry::prefetch_key_l2)
    } else {
        each_number(entries, values, |_| ())
    };
    read && values.iter().fold(true, |all, value| all & value.is_finite())
}

/// Reads the values of entries, as far as they are numbers. Returns whether all are.
#[inline(always)]
fn each_number(entries: &[Entry], values: &mut [f64], also: impl Fn(&Entry)) -> bool {
    for (entry, number) in entries.iter().zip(values) {
        also(entry);
        let Some(read) = entry.number() else { return false };
        *number = read;
    }
    true
}

/// The keys of entries.
struct Keys<'a> {
    entries: &'a [Entry],
    /// Whether a key that was read is not plain text.
    not_plain: Cell<bool>,
}

impl<'a> Keys<'a> {
    /// The text of a line's key. If it is not plain, that is noted and the text is empty.
    #[inline(always)]
    fn id(&self, line: u32) -> &'a [u8] {
        self.entries[line as usize].text().unwrap_or_else(|| {
            self.not_plain.set(true);
            &[]
        })
    }

    /// The same for a caller that reads all keys in turn: a later key is prefetched.
    #[inline(always)]
    fn next_id(&self, line: u32) -> &'a [u8] {
        if let Some(later) = self.entries.get(line as usize + AHEAD) {
            later.prefetch_key();
        }
        self.id(line)
    }

    /// The text of all keys, if it is plain.
    fn texts(&self) -> Option<Vec<&'a [u8]>> {
        let texts = (0..self.entries.len() as u32).map(|line| self.next_id(line)).collect();
        (!self.not_plain.get()).then_some(texts)
    }
}

/// How many keys ahead to prefetch: enough to hide the latency of memory.
const AHEAD: usize = 16;

/// The texts of this many keys fit into the second-level cache.
const FIT_L2: usize = 4096;

/// The documents of a list that was read.
struct Listed<'a> {
    keys: Keys<'a>,
    scores: &'a [f64],
    /// The numbers and scores of the judged documents of the list, if they were looked up.
    looked_up: Option<&'a [(u32, f64)]>,
    judged: Judged<'a>,
}

impl Listed<'_> {
    /// The line of a document with a score: the only line with that score, or else the
    /// one with its id.
    fn line(&self, number: u32, score: f64) -> Option<u32> {
        let id = self.judged.topic.docs().key(number);
        let same_score = (0..).zip(self.scores).filter(|(_, other)| **other == score);
        let mut lines = same_score.map(|(line, _)| line);
        only_line(self.scores, score).or_else(|| lines.find(|&line| self.keys.id(line) == id))
    }
}

impl ListSource for Listed<'_> {
    // A dict has each of its keys once.
    const DISTINCT: bool = true;

    fn len(&self) -> usize {
        self.scores.len()
    }

    fn scaled_scores(&self) -> &[f64] {
        self.scores
    }

    #[inline(always)]
    fn with_id<T>(&self, line: u32, then: impl FnOnce(&[u8]) -> T) -> T {
        then(self.keys.id(line))
    }

    #[inline(always)]
    fn hash(&self, line: u32, seed: u64) -> u64 {
        hash(seed, self.keys.next_id(line))
    }

    #[inline(always)]
    fn seek(&self, line: u32, scan: impl Scan, finder: Finder<'_>, hash: u64) -> Option<u32> {
        finder.find(scan, hash, self.keys.id(line))
    }

    fn look_up(&self, target: JoinTarget<'_>, scratch: &mut Scratch) {
        let Some(looked_up) = self.looked_up else { return look_up(self, target, scratch) };
        let lines = looked_up
            .iter()
            .filter_map(|&(number, score)| Some((self.line(number, score)?, number)));
        let found = scratch.found();
        found.extend(lines);
        found.sort_unstable();
    }
}
