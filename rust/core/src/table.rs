//! A compact map from document ids to small dense integers.
//!
//! The ids stand one after another in an arena; an open-addressing index of
//! one-byte tags says where. A look-up of an id that nobody judged, which is
//! what most lines of a run ask for, ends at the tags, and those of a TREC topic
//! fit into the first-level cache. Looking up many ids at once goes in two
//! steps, [`Table::candidate`] and [`Table::confirms`]: each is a loop of
//! independent loads without a branch that nobody could predict.

use crate::bytes::{hash, same};

/// Ids in order of insertion, findable.
#[derive(Clone, Debug, Default)]
pub struct Table {
    arena: Vec<u8>,
    ends: Vec<u32>,
    /// 0 is an empty slot; otherwise the top bits of the id's hash.
    tags: Vec<u8>,
    /// The number of the id in each slot.
    numbers: Vec<u32>,
}

impl Table {
    /// The number that [`Table::candidate`] gives when there is none.
    pub const NONE: u32 = u32::MAX;

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

    /// The first number whose id may have this hash as far as the tags know,
    /// or [`Table::NONE`]; the id itself is still to be compared.
    #[inline]
    pub fn candidate(&self, hash: u64) -> u32 {
        let mask = self.tags.len().wrapping_sub(1);
        let wanted = tag(hash);
        let mut slot = hash as usize & mask;
        if slot >= self.tags.len() || self.tags.len() != self.numbers.len() {
            return Table::NONE;
        }
        let mut found = self.tags[slot];
        while found != wanted && found != 0 {
            slot = (slot + 1) & mask;
            found = self.tags[slot];
        }
        // Loaded either way, so that this is no branch.
        let number = self.numbers[slot];
        if found == 0 { Table::NONE } else { number }
    }

    /// Brings the table into the cache: one pass in order, which the processor
    /// foresees, in place of a wait at each look-up.
    pub fn warm(&self) {
        const LINE: usize = 64;
        let tags = self.tags.iter().step_by(LINE).map(|&tag| u32::from(tag));
        let numbers = self.numbers.iter().step_by(LINE / 4).copied();
        let ends = self.ends.iter().step_by(LINE / 4).copied();
        let arena = self.arena.iter().step_by(LINE).map(|&byte| u32::from(byte));
        let sum = tags.chain(numbers).chain(ends).chain(arena).fold(0, u32::wrapping_add);
        std::hint::black_box(sum);
    }

    /// Whether a candidate's id is this one.
    #[inline]
    pub fn confirms(&self, candidate: u32, id: &[u8]) -> bool {
        same(self.key(candidate), id)
    }

    /// The number of an id with its hash.
    pub fn get(&self, hash: u64, id: &[u8]) -> Option<u32> {
        let mask = self.tags.len().checked_sub(1)?;
        let wanted = tag(hash);
        let mut slot = hash as usize & mask;
        while self.tags[slot] != 0 {
            if self.tags[slot] == wanted && self.confirms(self.numbers[slot], id) {
                return Some(self.numbers[slot]);
            }
            slot = (slot + 1) & mask;
        }
        None
    }

    /// Adds an id and returns its number, or the number that it already has
    /// as an error.
    pub fn insert(&mut self, seed: u64, id: &[u8]) -> Result<u32, u32> {
        let hash = hash(seed, id);
        if let Some(number) = self.get(hash, id) {
            return Err(number);
        }
        let number = self.len() as u32;
        self.arena.extend_from_slice(id);
        self.ends.push(self.arena.len() as u32);
        // At most a quarter full: an unsuccessful look-up sees one slot or so.
        if self.len() * 4 > self.tags.len() {
            self.grow(seed);
        } else {
            self.place(hash, number);
        }
        Ok(number)
    }

    fn grow(&mut self, seed: u64) {
        let slots = (self.len() * 4).next_power_of_two();
        self.tags = vec![0; slots];
        self.numbers = vec![0; slots];
        for number in 0..self.len() as u32 {
            self.place(hash(seed, self.key(number)), number);
        }
    }

    fn place(&mut self, hash: u64, number: u32) {
        let mask = self.tags.len() - 1;
        let mut slot = hash as usize & mask;
        while self.tags[slot] != 0 {
            slot = (slot + 1) & mask;
        }
        self.tags[slot] = tag(hash);
        self.numbers[slot] = number;
    }
}

/// One byte of the hash that the slot number does not use; never 0.
#[inline]
fn tag(hash: u64) -> u8 {
    ((hash >> 56) as u8).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bytes::hash;
    use proptest::prelude::*;
    use std::collections::HashMap;

    proptest! {
        #[test]
        fn behaves_as_a_map(ids in prop::collection::vec("[ab]{0,6}", 0..200), seed: u64) {
            let mut table = Table::default();
            let mut map = HashMap::new();
            for id in &ids {
                let next = map.len() as u32;
                let expected = map.get(id).copied().map_or(Ok(next), Err);
                map.entry(id.clone()).or_insert(next);
                prop_assert_eq!(table.insert(seed, id.as_bytes()), expected);
            }
            for id in ids.iter().map(String::as_str).chain(["c", "aac"]) {
                let (hash, expected) = (hash(seed, id.as_bytes()), map.get(id).copied());
                prop_assert_eq!(table.get(hash, id.as_bytes()), expected);
                let candidate = table.candidate(hash);
                if candidate == Table::NONE {
                    prop_assert_eq!(expected, None);
                } else if table.confirms(candidate, id.as_bytes()) {
                    prop_assert_eq!(expected, Some(candidate));
                }
            }
        }
    }
}
