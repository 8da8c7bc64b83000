//! Which documents of a list the judgments know, and which come twice.
//!
//! Every line passes through here, in a loop without a branch that depends on
//! what is found: lines in question are written down by counting on, and
//! looked at afterwards.

use cranfield_scan::{Scan, Task};

use super::lines::{LineDocuments, Lines};
use super::sort::{Sorter, Tied};
use crate::bytes::same;
use crate::error::Result;
use crate::hash::hash;
use crate::memory;
use crate::table::{DocTable, Finder, Sieve};

/// A document that a list holds twice: its two lines, counted from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Repeated {
    /// The earlier line.
    pub first: usize,
    /// The later line.
    pub second: usize,
}

/// Memory for ranking that is used again from topic to topic.
#[derive(Debug, Default)]
pub struct Scratch {
    pub(super) hashes: Vec<u64>,
    /// The last line, from 1, with a piece of its hash; 0 for none.
    pub(super) last: Vec<u32>,
    /// For each line the one before it with the same piece of the hash.
    pub(super) before: Vec<u32>,
    /// Lines that have one.
    pub(super) again: Vec<u32>,
    /// Lines whose document the judgments may know.
    pub(super) maybe: Vec<u32>,
    /// Lines whose document the judgments know, with its number.
    pub(super) found: Vec<(u32, u32)>,
    /// Lines whose document came before.
    pub(super) dropped: Vec<u32>,
    /// Lines whose document has the topic's own id, if these are taken out.
    pub(super) own: Vec<u32>,
    /// The line with rank 1, if it is known.
    pub(super) first: Option<u32>,
    pub(super) keys: Vec<f64>,
    pub(super) order: Vec<u32>,
    pub(super) sorter: Sorter,
    pub(super) group: Vec<Tied>,
    /// For each line the number of its document, or [`UNKNOWN`].
    pub(super) known: Vec<u32>,
    /// How many documents of the last list were looked at, and how many of these are in groups of
    /// equal score that hold one that the judgments know.
    pub(crate) seen: u32,
    pub(crate) in_ties: u32,
    /// Whether to look for a document of the list that the judgments know, and to keep the first
    /// ones if there is none.
    pub(crate) seeks: bool,
    pub(crate) strangers: Vec<Box<[u8]>>,
}

/// Marks a line whose document the judgments do not know.
pub(super) const UNKNOWN: u32 = u32::MAX;

/// Lists of this many lines need memory that a system may refuse.
const MEMORY_CHECKED_LINES: usize = 1 << 14;

impl Scratch {
    /// Makes sure that there is memory to rank this many lines. Of short lists no more is needed
    /// than any call needs.
    #[inline(always)]
    pub(super) fn make_room(&mut self, lines: usize) -> Result<()> {
        if lines < MEMORY_CHECKED_LINES { Ok(()) } else { self.make_much_room(lines) }
    }

    #[cold]
    #[inline(never)]
    fn make_much_room(&mut self, lines: usize) -> Result<()> {
        if lines <= self.keys.capacity() {
            return Ok(());
        }
        let Scratch {
            hashes, last, before, again, maybe, found, keys, order, group, known, ..
        } = self;
        memory::reserve(hashes, lines)
            .and_then(|()| memory::reserve(last, (4 * lines).next_power_of_two()))
            .and_then(|()| memory::reserve(before, lines))
            .and_then(|()| memory::reserve(again, lines + 1))
            .and_then(|()| memory::reserve(maybe, lines + 1))
            .and_then(|()| memory::reserve(found, lines + 1))
            .and_then(|()| memory::reserve(order, lines))
            .and_then(|()| memory::reserve(group, lines))
            .and_then(|()| memory::reserve(known, lines))
            // The ranking, and what is sorted.
            .and_then(|()| memory::room_for(48 * lines))
            .and_then(|()| memory::reserve(keys, lines))
    }

    /// The lines whose document the judgments know, ascending, each with the
    /// number of the document: for a source to fill.
    pub fn found(&mut self) -> &mut Vec<(u32, u32)> {
        &mut self.found
    }

    /// Finds the documents of lines that the judgments know, and the repeated
    /// ones.
    pub(super) fn look_up_lines(&mut self, lines: &Lines, docs: &DocTable, seed: u64) {
        if docs.len() < 4 * lines.len() {
            docs.warm();
        }
        let Scratch { hashes, last, before, again, maybe, found, dropped, .. } = self;
        let count = lines.len();
        // At most a quarter of the places are taken.
        let places = (count * 4).next_power_of_two();
        last.clear();
        last.resize(places, 0);
        hashes.resize(count, 0);
        before.resize(count, 0);
        again.resize(count + 1, 0);
        maybe.resize(count + 1, 0);
        // A loop for each step: together they would need more registers than
        // there are.
        let documents = lines.documents();
        cranfield_scan::run(Hash { documents, seed, hashes });
        let sieve = docs.sieve();
        let (finds, compares) =
            cranfield_scan::run(Sift { hashes, sieve, last, before, maybe, again });
        let maybe = &maybe[..finds];
        found.resize(finds, (0, 0));
        let finder = docs.finder();
        let finds = cranfield_scan::run(Find { documents, hashes, maybe, finder, found });
        found.truncate(finds);
        dropped.clear();
        for &line in &again[..compares] {
            let this = line as usize;
            let mut other = before[this];
            while other != 0 {
                let i = other as usize - 1;
                if hashes[i] == hashes[this] && same(lines.document(i), lines.document(this)) {
                    dropped.push(line);
                    break;
                }
                other = before[i];
            }
        }
    }

    /// Fills `known` from what was found.
    pub(super) fn spread(&mut self, count: usize) {
        self.known.clear();
        self.known.resize(count, UNKNOWN);
        for &(line, number) in &self.found {
            self.known[line as usize] = number;
        }
    }
}

/// Hashes the documents of lines.
struct Hash<'a> {
    documents: LineDocuments<'a>,
    seed: u64,
    hashes: &'a mut [u64],
}

impl Task for Hash<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Scan>(self, _: S) {
        let Hash { documents, seed, hashes } = self;
        for (kept, document) in hashes.iter_mut().zip(documents.all()) {
            *kept = hash(seed, document);
        }
    }
}

/// Writes down the lines that the judgments may know and those that may repeat
/// another, and counts both.
struct Sift<'a> {
    hashes: &'a [u64],
    sieve: Sieve<'a>,
    last: &'a mut [u32],
    before: &'a mut [u32],
    maybe: &'a mut [u32],
    again: &'a mut [u32],
}

impl Task for Sift<'_> {
    type Output = (usize, usize);

    #[inline(always)]
    fn run<S: Scan>(self, _: S) -> (usize, usize) {
        let Sift { hashes, sieve, last, before, maybe, again } = self;
        let (mut finds, mut compares) = (0, 0);
        for (line, (&hash, before)) in (0..).zip(hashes.iter().zip(before)) {
            maybe[finds] = line;
            finds += usize::from(sieve.may_hold(hash));
            // The other end of the hash is the table's.
            let place = &mut last[(hash >> 20) as usize & (last.len() - 1)];
            let earlier = std::mem::replace(place, line + 1);
            *before = earlier;
            again[compares] = line;
            compares += usize::from(earlier != 0);
        }
        (finds, compares)
    }
}

/// Writes down the lines that the judgments know, with the numbers of the
/// documents, and counts them.
struct Find<'a> {
    documents: LineDocuments<'a>,
    hashes: &'a [u64],
    maybe: &'a [u32],
    finder: Finder<'a>,
    found: &'a mut [(u32, u32)],
}

impl Task for Find<'_> {
    type Output = usize;

    #[inline(always)]
    fn run<S: Scan>(self, scan: S) -> usize {
        let Find { documents, hashes, maybe, finder, found } = self;
        let mut finds = 0;
        for &line in maybe {
            let (hash, document) = (hashes[line as usize], documents.of(line));
            if let Some(number) = finder.find(scan, hash, document) {
                found[finds] = (line, number);
                finds += 1;
            }
        }
        finds
    }
}
