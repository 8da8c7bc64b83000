//! A compact map from document ids to small dense integers.
//!
//! The ids stand one after another in an arena; an open-addressing index of
//! one-byte tags says where. Looking up many ids goes in two steps, so that the
//! processor can work on many at a time. The [`Sieve`] has a byte a slot and
//! says of an id that nobody judged, which is what most lines of a run ask for,
//! that it is not here; that of a TREC topic fits into the first-level cache.
//! [`Table::find`] looks for what is left, sixteen tags at once.

use std::sync::OnceLock;

use cranfield_scan::{Integer, Scan};

use crate::bytes::{hash, same};
use crate::integers::Integers;

/// Ids in order of insertion, findable.
#[derive(Clone, Debug, Default)]
pub struct Table {
    arena: Vec<u8>,
    ends: Vec<u32>,
    /// For each slot 0 if it is empty, otherwise the top bits of the id's hash.
    /// The first tags stand again behind the last, for those who read across
    /// the end.
    tags: Vec<u8>,
    /// For each slot eight bits, of which an id that would be there sets one.
    sieve: Vec<u8>,
    /// The number of the id in each slot.
    numbers: Vec<u32>,
    /// The ids that are integers, signed or not, once somebody asked.
    integers: [OnceLock<Integers>; 2],
}

/// How many tags are compared at once.
const GROUP: usize = 16;

impl Table {
    /// The number of ids.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The id with a number.
    #[inline]
    pub fn key(&self, number: u32) -> &[u8] {
        let i = number as usize;
        let start = if i == 0 { 0 } else { self.ends[i - 1] };
        &self.arena[start as usize..self.ends[i] as usize]
    }

    /// The ids in order of insertion.
    pub fn keys(&self) -> impl Iterator<Item = &[u8]> {
        (0..self.len() as u32).map(|i| self.key(i))
    }

    /// The ids that are integers of a type, in decimal digits as they are
    /// written by default.
    #[inline]
    pub fn integers<T: Integer>(&self, seed: u64) -> &Integers {
        let kept = &self.integers[usize::from(T::SIGNED)];
        kept.get_or_init(|| Integers::new(self.keys(), T::SIGNED, seed))
    }

    /// The part that tells what is not here.
    #[inline]
    pub fn sieve(&self) -> Sieve<'_> {
        Sieve { bits: if self.sieve.is_empty() { &[0] } else { &self.sieve } }
    }

    /// As [`Table::get`], where most ids are those of the table.
    #[inline(always)]
    pub fn find(&self, scan: impl Scan, hash: u64, id: &[u8]) -> Option<u32> {
        // Slots may be there before there are ids.
        if self.is_empty() {
            return None;
        }
        let mask = self.numbers.len().wrapping_sub(1);
        let slot = hash as usize & mask;
        let tags = self.tags.get(slot..).and_then(<[u8]>::first_chunk)?;
        let (found, _) = scan.tags(tags, tag(hash));
        let first = (slot + found.trailing_zeros() as usize) & mask;
        let number = self.numbers[first];
        // Nearly always; otherwise another id has the same tag, or none has it.
        if same(self.key(number), id) { Some(number) } else { self.get(hash, id) }
    }

    /// The number of an id with its hash.
    #[inline(never)]
    pub fn get(&self, hash: u64, id: &[u8]) -> Option<u32> {
        let mask = self.numbers.len().checked_sub(1)?;
        let mut slot = hash as usize & mask;
        while self.tags[slot] != 0 {
            if self.tags[slot] == tag(hash) && same(self.key(self.numbers[slot]), id) {
                return Some(self.numbers[slot]);
            }
            slot = (slot + 1) & mask;
        }
        None
    }

    /// Brings the table into the cache: one pass in order, which the processor
    /// foresees, in place of a wait at each look-up.
    pub fn warm(&self) {
        const LINE: usize = 64;
        let tags = self.tags.iter().step_by(LINE).map(|&tag| u32::from(tag));
        let sieve = self.sieve.iter().step_by(LINE).map(|&bits| u32::from(bits));
        let numbers = self.numbers.iter().step_by(LINE / 4).copied();
        let ends = self.ends.iter().step_by(LINE / 4).copied();
        let arena = self.arena.iter().step_by(LINE).map(|&byte| u32::from(byte));
        let sum =
            tags.chain(sieve).chain(numbers).chain(ends).chain(arena).fold(0, u32::wrapping_add);
        std::hint::black_box(sum);
    }

    /// Makes room for so many further ids.
    pub fn reserve(&mut self, seed: u64, more: usize) {
        self.ends.reserve(more);
        if (self.len() + more) * 2 > self.numbers.len() {
            self.spread(seed, self.len(), self.len() + more);
        }
    }

    /// Gives back the room for ids that did not come, if it is most of it.
    pub fn fit(&mut self, seed: u64) {
        let ids = self.len().max(GROUP / 2);
        if self.numbers.len() > 8 * ids {
            self.spread(seed, self.len(), ids);
        }
    }

    /// Adds an id and returns its number, or the number that it already has
    /// as an error. A call would cost one instruction in fourteen of reading judgments.
    #[inline(always)]
    pub fn insert(&mut self, seed: u64, id: &[u8]) -> Result<u32, u32> {
        // At most half full, so that most look-ups see an empty slot at once.
        if (self.len() + 1) * 2 > self.numbers.len() {
            self.spread(seed, self.len(), ((self.len() + 1) * 3 / 2).max(GROUP / 2));
        }
        let hash = hash(seed, id);
        let slot = self.vacant(hash, id)?;
        self.forget_integers();
        let number = self.len() as u32;
        self.arena.extend_from_slice(id);
        self.ends.push(self.arena.len() as u32);
        self.fill(slot, hash, number);
        Ok(number)
    }

    /// Adds ids that stand one after another and end at these places. Stops at
    /// the first that it has already; returns how many were added.
    pub fn insert_all(&mut self, seed: u64, ids: &[u8], ends: &[u32]) -> usize {
        let (before, offset) = (self.len(), self.arena.len() as u32);
        self.arena.extend_from_slice(ids);
        self.ends.extend(ends.iter().map(|end| offset + end));
        if self.len() * 2 > self.numbers.len() {
            self.spread(seed, before, (self.len() * 3 / 2).max(GROUP / 2));
        }
        self.forget_integers();
        let mut start = offset as usize;
        for number in before..self.len() {
            let end = self.ends[number] as usize;
            let id = &self.arena[start..end];
            let hash = hash(seed, id);
            let Ok(slot) = self.vacant(hash, id) else {
                self.arena.truncate(start);
                self.ends.truncate(number);
                return number - before;
            };
            self.fill(slot, hash, number as u32);
            start = end;
        }
        ends.len()
    }

    /// The slot where an id with this hash belongs, or its number as an error.
    #[inline(always)]
    fn vacant(&self, hash: u64, id: &[u8]) -> Result<usize, u32> {
        let mask = self.numbers.len() - 1;
        let mut slot = hash as usize & mask;
        while self.tags[slot] != 0 {
            if self.tags[slot] == tag(hash) && same(self.key(self.numbers[slot]), id) {
                return Err(self.numbers[slot]);
            }
            slot = (slot + 1) & mask;
        }
        Ok(slot)
    }

    #[inline(always)]
    fn forget_integers(&mut self) {
        if self.integers.iter().any(|kept| kept.get().is_some()) {
            self.integers = [OnceLock::new(), OnceLock::new()];
        }
    }

    /// Spreads the first ids over slots for so many.
    fn spread(&mut self, seed: u64, first: usize, ids: usize) {
        let slots = (ids * 2).next_power_of_two();
        self.tags = vec![0; slots + GROUP];
        self.sieve = vec![0; slots];
        self.numbers = vec![0; slots];
        for number in 0..first as u32 {
            self.place(hash(seed, self.key(number)), number);
        }
    }

    fn place(&mut self, hash: u64, number: u32) {
        let slots = self.numbers.len();
        let mut slot = hash as usize & (slots - 1);
        while self.tags[slot] != 0 {
            slot = (slot + 1) & (slots - 1);
        }
        self.fill(slot, hash, number);
    }

    #[inline(always)]
    fn fill(&mut self, slot: usize, hash: u64, number: u32) {
        let slots = self.numbers.len();
        self.sieve[hash as usize & (slots - 1)] |= 1 << (hash >> 61);
        self.tags[slot] = tag(hash);
        if slot < GROUP {
            self.tags[slots + slot] = tag(hash);
        }
        self.numbers[slot] = number;
    }
}

/// What the ids of a [`Table`] leave in its slots.
#[derive(Clone, Copy, Debug)]
pub struct Sieve<'a> {
    bits: &'a [u8],
}

impl Sieve<'_> {
    /// Whether an id with this hash may be in the table: false is certain.
    #[inline(always)]
    pub fn may_hold(self, hash: u64) -> bool {
        self.bits[hash as usize & (self.bits.len() - 1)] >> (hash >> 61) & 1 != 0
    }
}

/// One byte of the hash that the slot number does not use; never 0.
#[inline(always)]
fn tag(hash: u64) -> u8 {
    ((hash >> 56) as u8).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bytes::hash;
    use cranfield_scan::Portable;
    use proptest::prelude::*;
    use std::collections::{HashMap, HashSet};

    fn ends_of(ids: &[String], count: usize) -> Vec<u32> {
        let mut end = 0;
        let lengths = ids.iter().take(count).map(|id| id.len() as u32);
        lengths
            .map(|length| {
                end += length;
                end
            })
            .collect()
    }

    proptest! {
        #[test]
        fn behaves_as_a_map(
            ids in prop::collection::vec("[ab]{0,9}", 0..400),
            seed: u64,
            room in 0usize..900,
            together in 0usize..60,
        ) {
            let mut table = Table::default();
            table.reserve(seed, room);
            let mut map = HashMap::new();
            let distinct: HashSet<_> = ids.iter().take(together).collect();
            let (text, ends) = (ids[..together.min(ids.len())].concat(), ends_of(&ids, together));
            let added = table.insert_all(seed, text.as_bytes(), &ends);
            prop_assert_eq!(added == ends.len(), distinct.len() == ends.len());
            for id in &ids[..added] {
                prop_assert_eq!(map.insert(id.clone(), map.len() as u32), None);
            }
            prop_assert_eq!(table.len(), map.len());
            for id in &ids[added..] {
                let next = map.len() as u32;
                let expected = map.get(id).copied().map_or(Ok(next), Err);
                map.entry(id.clone()).or_insert(next);
                prop_assert_eq!(table.insert(seed, id.as_bytes()), expected);
            }
            table.fit(seed);
            for id in ids.iter().map(String::as_str).chain(["c", "aac"]) {
                let (hash, expected) = (hash(seed, id.as_bytes()), map.get(id).copied());
                prop_assert_eq!(table.get(hash, id.as_bytes()), expected);
                prop_assert!(expected.is_none() || table.sieve().may_hold(hash));
                prop_assert_eq!(table.find(Portable, hash, id.as_bytes()), expected);
            }
        }
    }
}
