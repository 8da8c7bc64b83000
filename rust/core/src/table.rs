//! A compact map from document ids to small dense integers.
//!
//! The ids stand one after another in an arena; an open-addressing index of
//! one-byte tags says where. A look-up of an id that nobody judged, which is
//! what most lines of a run ask for, usually ends at one byte of the tags,
//! and the tags of a TREC topic fit into the first-level cache.

/// Ids in order of insertion, findable.
#[derive(Clone, Debug, Default)]
pub struct Table {
    arena: Vec<u8>,
    ends: Vec<usize>,
    /// 0 is an empty slot; otherwise the top bits of the id's hash.
    tags: Vec<u8>,
    ids: Vec<u32>,
}

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
        &self.arena[start..self.ends[i]]
    }

    /// The ids in order of insertion.
    pub fn keys(&self) -> impl Iterator<Item = &[u8]> {
        (0..self.len() as u32).map(|i| self.key(i))
    }

    /// The number of an id with its hash.
    #[inline]
    pub fn get(&self, hash: u64, id: &[u8]) -> Option<u32> {
        let mask = self.tags.len().checked_sub(1)?;
        let wanted = tag(hash);
        let mut slot = hash as usize & mask;
        loop {
            let found = self.tags[slot];
            if found == 0 {
                return None;
            }
            if found == wanted && self.key(self.ids[slot]) == id {
                return Some(self.ids[slot]);
            }
            slot = (slot + 1) & mask;
        }
    }

    /// Adds an id and returns its number, or the number that it already has
    /// as an error.
    pub fn insert(&mut self, seed: u64, id: &[u8]) -> Result<u32, u32> {
        let hash = crate::bytes::hash(seed, id);
        if let Some(number) = self.get(hash, id) {
            return Err(number);
        }
        let number = self.len() as u32;
        self.arena.extend_from_slice(id);
        self.ends.push(self.arena.len());
        // At most half full: an unsuccessful look-up sees two slots.
        if self.len() * 2 > self.tags.len() {
            self.grow(seed);
        } else {
            self.place(hash, number);
        }
        Ok(number)
    }

    fn grow(&mut self, seed: u64) {
        let slots = (self.len() * 4).next_power_of_two().max(4);
        self.tags = vec![0; slots];
        self.ids = vec![0; slots];
        for number in 0..self.len() as u32 {
            self.place(crate::bytes::hash(seed, self.key(number)), number);
        }
    }

    fn place(&mut self, hash: u64, number: u32) {
        let mask = self.tags.len() - 1;
        let mut slot = hash as usize & mask;
        while self.tags[slot] != 0 {
            slot = (slot + 1) & mask;
        }
        self.tags[slot] = tag(hash);
        self.ids[slot] = number;
    }
}

/// One byte of the hash that the slot number does not use; never 0.
#[inline]
fn tag(hash: u64) -> u8 {
    (hash >> 56) as u8 | 1
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
                prop_assert_eq!(table.get(hash(seed, id.as_bytes()), id.as_bytes()), map.get(id).copied());
            }
        }
    }
}
