//! The walk of a dict.

use std::cell::Cell;

use cranfield_core::bytes::hash;
use cranfield_core::error::Result;
use cranfield_core::qrels::{Builder, Topic};
use cranfield_core::read::qrels::again;
use cranfield_core::run::{
    Documents, Finder, Ids, Judgments, Lines, Ranker, Ranking, Scan, Scratch, look_up, only_line,
};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::sync::critical_section::with_critical_section;
use pyo3::types::{PyDict, PyString};

use super::cpython::{Entry, entries, fetch, fetch_near, layout_is_known, number_of, place, plain};
use crate::errors::Tried;

/// Memory for reading dicts that is used again from dict to dict.
#[derive(Default)]
pub struct Walk {
    /// The entries of a dict that cannot be read where they lie.
    copied: Vec<Entry>,
    values: Vec<f64>,
    /// The numbers and scores of the documents that the dict was asked for.
    asked: Vec<(u32, f64)>,
}

/// What a list is joined with: a topic's judgments, the seed of their table,
/// and how far down the list anybody looks.
#[derive(Clone, Copy)]
pub struct Judged<'a> {
    /// The topic's judgments.
    pub topic: &'a Topic,
    /// The seed that their table is hashed with.
    pub seed: u64,
    /// How far down the list measures look.
    pub reach: u32,
    /// The ids of the table as Python has them, if they are few.
    pub names: Option<&'a [Py<PyString>]>,
}

/// A dict of at least so many documents for each judged one is asked for these.
pub const MANY: usize = 64;

impl Walk {
    /// Ranks a list {document: score}, joins it with the judgments and returns
    /// how many lines it has. `None` if it is not a plain one, or if the ranker
    /// wants to know more than scores; then nothing is known of it. What a key
    /// raises that is asked whether it is another one passes if it is no `Exception`.
    pub fn rank(
        &mut self,
        dict: &Bound<'_, PyDict>,
        ranker: &Ranker,
        judged: Judged<'_>,
        scratch: &mut Scratch,
        ranking: &mut Ranking,
    ) -> PyResult<Option<usize>> {
        let Walk { copied, values, asked } = self;
        with_critical_section(dict, || {
            let whole = ranker.looks_everywhere(dict.len(), judged.reach);
            let names = judged.names.filter(|_| whole);
            // Asking may run Python code, so it comes before the reading.
            let names = match names {
                Some(names) if ask(dict, names, asked)? => Some(names),
                _ => None,
            };
            let Some(entries) = entries(dict, copied) else { return Ok(None) };
            if !whole {
                // Most lists are in order.
                let first = entries.iter().take(judged.reach as usize);
                first.for_each(|entry| fetch_near(entry.key));
            }
            if !numbers(entries, values, whole && names.is_none()) {
                return Ok(None);
            }
            let documents = Listed {
                keys: Keys { entries, odd: Cell::new(false) },
                scores: values,
                asked: names.map(|_| asked.as_slice()),
                judged,
            };
            let ranked = ranker.rank_columns(values, &documents, judged.reach, scratch, ranking);
            Ok((ranked.is_ok() && !documents.keys.odd.get()).then_some(entries.len()))
        })
    }

    /// Copies a list {document: score} behind some lines and returns how many
    /// there are. `None` if it is not a plain one; then none is copied.
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
            let added = builder.add_list(topic, documents, grades);
            let told = added.map_err(|(position, clash)| {
                again(clash, topic, documents[position], grades[position])
            });
            told.map(|()| documents.len())
        })
    }

    /// Copies the numbers of a list behind some others. Returns whether all of them
    /// are finite ones; if not, none is copied.
    pub fn numbers(&mut self, dict: &Bound<'_, PyDict>, behind: &mut Vec<f64>) -> bool {
        let Walk { copied, values, .. } = self;
        with_critical_section(dict, || {
            let plain =
                entries(dict, copied).is_some_and(|entries| numbers(entries, values, false));
            behind.extend(values.iter().filter(|_| plain));
            plain
        })
    }

    /// Whether all values of a dict are of the class `int`.
    pub fn has_whole_numbers(&mut self, dict: &Bound<'_, PyDict>) -> bool {
        with_critical_section(dict, || {
            let mut entries = entries(dict, &mut self.copied).into_iter().flatten();
            // SAFETY: the value is an object that the dict lends.
            entries.all(|entry| unsafe { ffi::PyLong_CheckExact(entry.value) != 0 })
        })
    }

    /// Does something with the keys and values of a dict, if it is a plain one.
    fn plain<T>(
        &mut self,
        dict: &Bound<'_, PyDict>,
        then: impl FnOnce(&[&[u8]], &[f64]) -> T,
    ) -> Option<T> {
        let Walk { copied, values, .. } = self;
        with_critical_section(dict, || {
            let entries = entries(dict, copied)?;
            numbers(entries, values, true).then_some(())?;
            let keys = Keys { entries, odd: Cell::new(false) };
            Some(then(&keys.texts()?, values))
        })
    }
}

/// Asks a dict for documents by name. Returns whether it answers with numbers that
/// count: a key of a class of its own may claim to be another.
fn ask(
    dict: &Bound<'_, PyDict>,
    names: &[Py<PyString>],
    asked: &mut Vec<(u32, f64)>,
) -> PyResult<bool> {
    asked.clear();
    for (number, name) in (0..).zip(names) {
        let Some(found) = dict.get_item(name).tried(dict.py())? else { return Ok(false) };
        if let Some(score) = found {
            // SAFETY: `score` is an object.
            let Some(score) = (unsafe { number_of(score.as_ptr()) }) else { return Ok(false) };
            asked.push((number, score));
        }
    }
    // SAFETY: the layout is known.
    Ok(!layout_is_known(dict.py()) || unsafe { place(dict) }.is_some())
}

/// Reads the values of entries. Returns whether all are finite numbers. If all keys
/// will be looked at next, they are on their way meanwhile.
fn numbers(entries: &[Entry], values: &mut Vec<f64>, keys_next: bool) -> bool {
    values.resize(entries.len(), 0.0);
    let read = if keys_next && entries.len() <= NEAR {
        each_number(entries, values, |entry| fetch_near(entry.key))
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
        // SAFETY: the value is an object that the dict lends.
        let Some(read) = (unsafe { number_of(entry.value) }) else { return false };
        *number = read;
    }
    true
}

/// The keys of entries: text, for as long as the dict is not changed.
struct Keys<'a> {
    entries: &'a [Entry],
    /// Whether somebody asked for one that is not plain.
    odd: Cell<bool>,
}

impl<'a> Keys<'a> {
    /// The text of a line's key; none, and noted, if it is not plain.
    #[inline(always)]
    fn id(&self, line: u32) -> &'a [u8] {
        plain(&self.entries[line as usize]).unwrap_or_else(|| {
            self.odd.set(true);
            &[]
        })
    }

    /// The same for somebody who asks for all in turn: a later key is already
    /// on its way.
    #[inline(always)]
    fn next_id(&self, line: u32) -> &'a [u8] {
        if let Some(later) = self.entries.get(line as usize + AHEAD) {
            fetch(later.key);
        }
        self.id(line)
    }

    /// The text of all keys, if it is plain.
    fn texts(&self) -> Option<Vec<&'a [u8]>> {
        let texts = (0..self.entries.len() as u32).map(|line| self.next_id(line)).collect();
        (!self.odd.get()).then_some(texts)
    }
}

/// So many keys on their way from memory hide how long it takes.
const AHEAD: usize = 16;

/// Texts of so many keys have room in the second-level cache, where they wait until they
/// are fetched from there.
const NEAR: usize = 4096;

/// The documents of a list that was read.
struct Listed<'a> {
    keys: Keys<'a>,
    scores: &'a [f64],
    /// The judged documents of the list, numbers and scores, if they are known.
    asked: Option<&'a [(u32, f64)]>,
    judged: Judged<'a>,
}

impl Listed<'_> {
    /// The line of a document that has a score: that which has it alone, or
    /// whose id it is.
    fn line(&self, number: u32, score: f64) -> Option<u32> {
        let id = self.judged.topic.docs().key(number);
        let alike = (0..).zip(self.scores).filter(|(_, other)| **other == score);
        let mut alike = alike.map(|(line, _)| line);
        only_line(self.scores, score).or_else(|| alike.find(|&line| self.keys.id(line) == id))
    }
}

impl Ids for Listed<'_> {
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
}

impl Documents for Listed<'_> {
    fn find(&self, hashes: &mut Vec<u64>, found: &mut Vec<(u32, u32)>) {
        if let Some(asked) = self.asked {
            found.extend(
                asked
                    .iter()
                    .filter_map(|&(number, score)| Some((self.line(number, score)?, number))),
            );
            found.sort_unstable();
            return;
        }
        let Judged { topic, seed, .. } = self.judged;
        let judgments = Judgments { docs: topic.docs(), seed };
        look_up(self.keys.entries.len(), self, judgments, hashes, found);
    }

    fn number(&self, line: u32) -> Option<u32> {
        let id = self.keys.id(line);
        self.judged.topic.docs().get(hash(self.judged.seed, id), id)
    }
}
