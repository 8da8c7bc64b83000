//! Which documents of a list the judgments know, and which come twice.
//!
//! Every line passes through here, so there is a loop for each question, and
//! none of them has a branch that depends on a line: lines in question are
//! written down by counting on, and looked at afterwards.

use cranfield_scan::{Scan, Task};

use super::{Lines, Repeated};
use crate::bytes::{hash, same};
use crate::table::Table;

/// Memory for ranking that is used again from topic to topic.
#[derive(Debug, Default)]
pub struct Scratch {
    hashes: Vec<u64>,
    /// The last line, from 1, with a piece of its hash; 0 for none.
    last: Vec<u32>,
    /// For each line the one before it with the same piece of the hash.
    before: Vec<u32>,
    /// Lines that have one.
    again: Vec<u32>,
    /// Lines whose document the judgments know, with its number.
    pub(super) found: Vec<(u32, u32)>,
    /// Lines whose document came before.
    pub(super) dropped: Vec<u32>,
    pub(super) keys: Vec<f64>,
    pub(super) order: Vec<u32>,
    pub(super) buckets: Vec<u32>,
    pub(super) group: Vec<(u32, u32)>,
    /// For each line the number of its document, or [`UNKNOWN`].
    pub(super) known: Vec<u32>,
}

/// Marks a line whose document the judgments do not know.
pub(super) const UNKNOWN: u32 = u32::MAX;

impl Scratch {
    /// Finds the documents that the judgments know, and the repeated ones.
    pub(super) fn look_up(&mut self, lines: &Lines, docs: &Table, seed: u64) {
        if docs.len() < 4 * lines.len() {
            docs.warm();
        }
        cranfield_scan::run(LookUp { scratch: self, lines, docs, seed });
    }

    /// Fills `known` from what was found.
    pub(super) fn spread(&mut self, count: usize) {
        self.known.clear();
        self.known.resize(count, UNKNOWN);
        for &(line, number) in &self.found {
            self.known[line as usize] = number;
        }
    }

    /// The first repeated document.
    pub(super) fn repeated(&self, lines: &Lines) -> Option<Repeated> {
        let second = *self.dropped.first()? as usize;
        let document = lines.document(second);
        let first = (0..second).find(|&line| lines.document(line) == document)?;
        Some(Repeated { first, second })
    }
}

struct LookUp<'a> {
    scratch: &'a mut Scratch,
    lines: &'a Lines,
    docs: &'a Table,
    seed: u64,
}

impl Task for LookUp<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Scan>(self, scan: S) {
        let LookUp { scratch, lines, docs, seed } = self;
        let Scratch { hashes, last, before, again, found, dropped, .. } = scratch;
        let count = lines.len();
        hashes.clear();
        hashes.extend(lines.documents().map(|document| hash(seed, document)));

        found.resize(count + 1, (0, 0));
        let (tags, room) = (docs.tags(), found.as_mut_slice());
        let mut next = 0;
        for (line, &hash) in (0..).zip(hashes.iter()) {
            let (may, slot) = tags.first(scan, hash);
            room[next] = (line, slot);
            next += usize::from(may);
        }
        found.truncate(next);
        let mut kept = 0;
        for i in 0..next {
            let (line, slot) = found[i];
            let (hash, document) = (hashes[line as usize], lines.document(line as usize));
            if let Some(number) = docs.at(slot, hash, document) {
                found[kept] = (line, number);
                kept += 1;
            }
        }
        found.truncate(kept);

        // At most a quarter of the places are taken. The top bits of the hash
        // are the table's tags.
        let places = (count * 4).next_power_of_two();
        last.clear();
        last.resize(places, 0);
        before.resize(count, 0);
        again.resize(count + 1, 0);
        let (last, again) = (last.as_mut_slice(), again.as_mut_slice());
        let (hashes, before) = (&hashes[..count], &mut before[..count]);
        let mut next = 0;
        for line in 0..count {
            let place = &mut last[(hashes[line] >> 20) as usize & (places - 1)];
            let other = std::mem::replace(place, line as u32 + 1);
            before[line] = other;
            again[next] = line as u32;
            next += usize::from(other != 0);
        }
        dropped.clear();
        for &line in &again[..next] {
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
}
