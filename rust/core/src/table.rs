//! A compact map from document ids to small dense integers.
//!
//! The ids stand one after another in an arena; an open-addressing index of
//! one-byte tags says where. Looking up many ids goes in two steps, so that the
//! processor can work on many at a time. The [`Sieve`] has a byte a slot and
//! says of an unjudged id, which is what most lines of a run ask for,
//! that it is not here; that of a TREC topic fits into the first-level cache.
//! [`Finder`] looks for what is left, sixteen tags at once.

use std::ops::Range;
use std::sync::OnceLock;

use cranfield_scan::{Integer, Scan, Task};

use crate::bytes::same;
use crate::hash::hash;
use crate::integers::Integers;

/// Ids in order of insertion, findable. There may be millions of tables with
/// an id or two, so that all of one is in two pieces of memory.
#[derive(Clone, Debug, Default)]
pub struct DocTable {
    /// For each slot 0 if it is empty, otherwise the top bits of the id's hash.
    /// The first tags stand again behind the last, for those who read across
    /// the end. Then comes the sieve: for each slot eight bits, of which an id
    /// that would be there sets one; then the number of the id in each slot,
    /// in this many bytes as [`width`] says. Then the ids.
    bytes: Vec<u8>,
    /// Where each id begins in the bytes, and the end of all.
    ends: Vec<u32>,
    slots: usize,
    /// The ids that are integers, signed or not, once they are asked for.
    integers: [OnceLock<Box<Integers>>; 2],
}

/// How many tags are compared at once.
const GROUP: usize = 16;

/// The bytes of a number in a table of this many slots. Most tables are small, and
/// all of them together are to stay near the processor.
#[inline(always)]
fn width(slots: usize) -> usize {
    if slots <= 1 << 16 { 2 } else { 4 }
}

/// Whether this many slots have room for this many ids: at most two in three are
/// taken, so that a look-up nearly always ends within the tags that are compared
/// at once.
#[inline(always)]
fn have_room(slots: usize, ids: usize) -> bool {
    ids * 3 <= slots * 2
}

impl DocTable {
    /// The number of ids.
    #[inline]
    pub fn len(&self) -> usize {
        self.ends.len().saturating_sub(1)
    }

    /// Whether there is none.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The id with a number.
    #[inline]
    pub fn key(&self, number: u32) -> &[u8] {
        let number = number as usize;
        &self.bytes[self.ends[number] as usize..self.ends[number + 1] as usize]
    }

    /// The ids in order of insertion.
    pub fn keys(&self) -> impl Iterator<Item = &[u8]> + Clone {
        (0..self.len() as u32).map(|i| self.key(i))
    }

    /// The ids that are integers of a type, in decimal digits as they are
    /// written by default.
    #[inline]
    pub fn integers<T: Integer>(&self, seed: u64) -> &Integers {
        let kept = &self.integers[usize::from(T::SIGNED)];
        kept.get_or_init(|| Box::new(Integers::new(self.keys(), T::SIGNED, seed)))
    }

    /// The part that tells what is not here.
    #[inline]
    pub fn sieve(&self) -> Sieve<'_> {
        let start = self.slots + GROUP;
        Sieve { bits: if self.slots == 0 { &[0] } else { &self.bytes[start..start + self.slots] } }
    }

    /// For looking up many ids, most of which are in the table.
    #[inline]
    pub fn finder(&self) -> Finder<'_> {
        let numbers = match width(self.slots) {
            2 => self.bytes[self.numbers()].as_chunks().0,
            // Without these it is always looked for as by `get`.
            _ => &[],
        };
        Finder { table: self, tags: &self.bytes, numbers, ends: &self.ends }
    }

    /// Where the numbers of the slots are.
    #[inline(always)]
    fn numbers(&self) -> Range<usize> {
        let start = 2 * self.slots + GROUP * usize::from(self.slots > 0);
        start..start + width(self.slots) * self.slots
    }

    /// The number of the id in a slot.
    #[inline]
    fn number(&self, slot: usize) -> u32 {
        let numbers = &self.bytes[self.numbers()];
        match width(self.slots) {
            2 => u16::from_le_bytes(numbers.as_chunks().0[slot]).into(),
            _ => u32::from_le_bytes(numbers.as_chunks().0[slot]),
        }
    }

    /// The number of an id with its hash.
    #[inline(never)]
    pub fn get(&self, hash: u64, id: &[u8]) -> Option<u32> {
        let mask = self.slots.checked_sub(1)?;
        let mut slot = hash as usize & mask;
        while self.bytes[slot] != 0 {
            if self.bytes[slot] == tag(hash) && same(self.key(self.number(slot)), id) {
                return Some(self.number(slot));
            }
            slot = (slot + 1) & mask;
        }
        None
    }

    /// Brings the table into the cache: one pass in order, which the processor
    /// predicts, in place of a wait at each look-up.
    pub fn warm(&self) {
        const CACHE_LINE: usize = 64;
        let bytes = self.bytes.iter().step_by(CACHE_LINE).map(|&byte| u32::from(byte));
        let ends = self.ends.iter().step_by(CACHE_LINE / 4).copied();
        std::hint::black_box(bytes.chain(ends).fold(0, u32::wrapping_add));
    }

    /// At most this many bytes are asked for when as many ids, of this many bytes in all, come.
    #[inline]
    pub fn growth(&self, more: usize, bytes: usize) -> usize {
        let ids = self.len() + more;
        if !have_room(self.slots, ids) {
            // Each slot has a tag, a bit of the sieve and a number, and half of them may be free;
            // the room grows by half.
            return self.bytes.len() + bytes + 40 * ids;
        }
        let longer = self.bytes.len() + bytes > self.bytes.capacity();
        let further = ids >= self.ends.capacity();
        usize::from(longer) * 2 * (self.bytes.len() + bytes) + usize::from(further) * 8 * ids
    }

    /// Makes room for this many further ids, of this many bytes in all.
    pub fn reserve(&mut self, seed: u64, more: usize, bytes: usize) {
        if have_room(self.slots, self.len() + more) {
            self.ends.reserve(more);
            self.bytes.reserve(bytes);
        } else {
            self.spread(seed, self.len() + more, bytes);
        }
    }

    /// Gives back the room for ids that did not come, if it is most of it.
    pub fn fit(&mut self, seed: u64) {
        let ids = self.len().max(GROUP / 2);
        if self.slots > 8 * ids {
            self.spread(seed, ids, 0);
        }
    }

    /// Adds an id and returns its number, or the number that it already has
    /// as an error. A call would cost one instruction in fourteen of reading judgments.
    #[inline(always)]
    pub fn insert(&mut self, seed: u64, id: &[u8]) -> Result<u32, u32> {
        self.insert_hashed(seed, hash(seed, id), id)
    }

    /// The same for an id whose hash is known.
    #[inline(always)]
    pub fn insert_hashed(&mut self, seed: u64, hash: u64, id: &[u8]) -> Result<u32, u32> {
        if !have_room(self.slots, self.len() + 1) {
            self.spread(seed, ((self.len() + 1) * 3 / 2).max(GROUP / 2), 0);
        }
        let slot = self.vacant(hash, id)?;
        self.forget_integers();
        let number = self.len() as u32;
        self.bytes.extend_from_slice(id);
        self.ends.push(self.bytes.len() as u32);
        self.fill(slot, hash, number);
        Ok(number)
    }

    /// Adds ids that stand one after another and end at these places. Stops at
    /// the first that is here already; returns how many were added. `hashes` is
    /// memory.
    #[inline(always)]
    pub fn insert_all(
        &mut self,
        scan: impl Scan,
        seed: u64,
        (ids, ends): (&[u8], &[u32]),
        hashes: &mut Vec<u64>,
    ) -> usize {
        self.reserve(seed, ends.len(), ids.len());
        self.forget_integers();
        let (before, offset) = (self.len(), self.bytes.len());
        self.bytes.extend_from_slice(ids);
        self.ends.extend(ends.iter().map(|end| offset as u32 + end));
        // A loop for each step: together they would need more registers than
        // there are.
        hashes.resize(ends.len(), 0);
        let (bytes, bounds) = (&self.bytes[..], self.ends[before..].windows(2));
        for (kept, bounds) in hashes.iter_mut().zip(bounds) {
            *kept = hash(seed, &bytes[bounds[0] as usize..bounds[1] as usize]);
        }
        let filled = self.fill_all(scan, before, hashes);
        filled.map_or_else(|(added, _)| added, |()| ends.len())
    }

    /// Adds ids with their hashes, or says where the first is that is here
    /// already, and its number.
    pub fn extend(&mut self, seed: u64, ids: &[&[u8]], hashes: &[u64]) -> Result<(), (usize, u32)> {
        struct FillTable<'a>(&'a mut DocTable, usize, &'a [u64]);
        impl Task for FillTable<'_> {
            type Output = Result<(), (usize, u32)>;
            #[inline(always)]
            fn run<S: Scan>(self, scan: S) -> Self::Output {
                let FillTable(table, before, hashes) = self;
                table.fill_all(scan, before, hashes)
            }
        }
        if ids.is_empty() {
            return Ok(());
        }
        let bytes = ids.iter().map(|id| id.len()).sum();
        self.reserve(seed, ids.len(), bytes);
        self.forget_integers();
        let (before, offset) = (self.len(), self.bytes.len());
        self.bytes.resize(offset + bytes, 0);
        let (mut room, mut end) = (&mut self.bytes[offset..], offset);
        for id in ids {
            let (place, behind) = room.split_at_mut(id.len());
            copy(place, id);
            (room, end) = (behind, end + id.len());
            self.ends.push(end as u32);
        }
        cranfield_scan::run(FillTable(self, before, hashes))
    }

    /// Fills the slots of the ids behind the first this many, which have these
    /// hashes. At the first that is here already, those from it on are taken away
    /// again; says where it is, and its number.
    #[inline(always)]
    fn fill_all(
        &mut self,
        scan: impl Scan,
        before: usize,
        hashes: &[u64],
    ) -> Result<(), (usize, u32)> {
        let mut added = 0;
        loop {
            added += self.fill_most(scan, &hashes[added..], (before + added) as u32);
            let Some(&hash) = hashes.get(added) else { return Ok(()) };
            // One whose slot takes a closer look.
            let number = (before + added) as u32;
            match self.vacant(hash, self.key(number)) {
                Ok(slot) => self.fill(slot, hash, number),
                Err(known) => {
                    self.bytes.truncate(self.ends[before + added] as usize);
                    self.ends.truncate(1 + before + added);
                    return Err((added, known));
                }
            }
            added += 1;
        }
    }

    /// Fills the slots of ids with these hashes, the first of which has a
    /// number, up to the first whose tag stands in the slots where it could be,
    /// or that has no room in these. Returns how many it were.
    #[inline(always)]
    fn fill_most(&mut self, scan: impl Scan, hashes: &[u64], number: u32) -> usize {
        let slots = self.slots;
        let (tags, rest) = self.bytes.split_at_mut(slots + GROUP);
        let (sieve, numbers) = rest.split_at_mut(slots);
        match width(slots) {
            2 => fill_slots::<2>(scan, (tags, sieve, numbers.as_chunks_mut().0), hashes, number),
            _ => fill_slots::<4>(scan, (tags, sieve, numbers.as_chunks_mut().0), hashes, number),
        }
    }

    /// The slot where an id with this hash belongs, or its number as an error.
    #[inline]
    fn vacant(&self, hash: u64, id: &[u8]) -> Result<usize, u32> {
        let mask = self.slots - 1;
        let mut slot = hash as usize & mask;
        while self.bytes[slot] != 0 {
            if self.bytes[slot] == tag(hash) && same(self.key(self.number(slot)), id) {
                return Err(self.number(slot));
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

    /// Spreads the ids over slots for this many, with room for this many further
    /// bytes.
    fn spread(&mut self, seed: u64, ids: usize, room: usize) {
        let mut slots = GROUP;
        while !have_room(slots, ids) {
            slots *= 2;
        }
        let old = std::mem::take(self);
        let old_first = old.numbers().end;
        let texts = old.bytes.get(old_first..).unwrap_or_default();
        self.slots = slots;
        self.integers = old.integers;
        let first = self.numbers().end;
        self.bytes.reserve_exact(first + texts.len() + room);
        self.bytes.resize(first, 0);
        self.bytes.extend_from_slice(texts);
        self.ends.reserve_exact(1 + ids);
        self.ends.push(first as u32);
        let ends = old.ends.iter().skip(1);
        self.ends.extend(ends.map(|end| end - old_first as u32 + first as u32));
        for number in 0..self.len() as u32 {
            self.place(hash(seed, self.key(number)), number);
        }
    }

    fn place(&mut self, hash: u64, number: u32) {
        let mut slot = hash as usize & (self.slots - 1);
        while self.bytes[slot] != 0 {
            slot = (slot + 1) & (self.slots - 1);
        }
        self.fill(slot, hash, number);
    }

    #[inline(always)]
    fn fill(&mut self, slot: usize, hash: u64, number: u32) {
        let slots = self.slots;
        self.bytes[slots + GROUP + (hash as usize & (slots - 1))] |= 1 << (hash >> 61);
        self.bytes[slot] = tag(hash);
        if slot < GROUP {
            self.bytes[slots + slot] = tag(hash);
        }
        let (_, numbers) = self.bytes.split_at_mut(2 * slots + GROUP);
        set_number(numbers, slots, slot, number);
    }
}

/// [`DocTable::fill_most`] for numbers of this many bytes.
#[inline(always)]
fn fill_slots<const WIDTH: usize>(
    scan: impl Scan,
    (tags, sieve, numbers): (&mut [u8], &mut [u8], &mut [[u8; WIDTH]]),
    hashes: &[u64],
    first: u32,
) -> usize {
    let slots = sieve.len();
    let mut number = first;
    for &hash in hashes {
        let home = if WIDTH == 2 {
            // In two bytes, so that the compiler sees that no sum is too large.
            usize::from(hash as u16 & (slots - 1) as u16)
        } else {
            hash as usize & (slots - 1)
        };
        // Whether the next slots, nearly always enough of them, have its tag or
        // are empty: where one of them is depends on chance, which a loop over
        // them would have to predict.
        let group = tags.get(home..home + GROUP).and_then(<[u8]>::first_chunk);
        let Some(group) = group else { break };
        let (alike, empty) = scan.tags(group, tag(hash));
        if alike != 0 || empty == 0 {
            break;
        }
        let slot = (home + empty.trailing_zeros() as usize) & (slots - 1);
        sieve[home] |= 1 << (hash >> 61);
        tags[slot] = tag(hash);
        if slot < GROUP {
            tags[slots + slot] = tag(hash);
        }
        if let (Some(place), Some(bytes)) =
            (numbers.get_mut(slot), number.to_le_bytes().first_chunk())
        {
            *place = *bytes;
        }
        number += 1;
    }
    (number - first) as usize
}

/// Copies bytes to a place of their length, without a call for the short ones.
#[inline(always)]
fn copy(place: &mut [u8], bytes: &[u8]) {
    if let (Some(first), Some(last)) = (bytes.first_chunk::<8>(), bytes.last_chunk::<8>())
        && bytes.len() <= 16
        && let Some(to) = place.first_chunk_mut()
    {
        *to = *first;
        if let Some(to) = place.last_chunk_mut() {
            *to = *last;
        }
    } else {
        place.copy_from_slice(bytes);
    }
}

/// Sets the number in a slot, given the bytes from the numbers of all slots on.
#[inline(always)]
fn set_number(bytes: &mut [u8], slots: usize, slot: usize, number: u32) {
    match width(slots) {
        2 => bytes.as_chunks_mut().0[slot] = (number as u16).to_le_bytes(),
        _ => bytes.as_chunks_mut().0[slot] = number.to_le_bytes(),
    }
}

/// The parts of a [`DocTable`] that a look-up reads.
#[derive(Clone, Copy, Debug)]
pub struct Finder<'a> {
    table: &'a DocTable,
    /// The tags, and what comes behind them.
    tags: &'a [u8],
    numbers: &'a [[u8; 2]],
    /// Where each id begins, and the end of all.
    ends: &'a [u32],
}

impl Finder<'_> {
    /// As [`DocTable::get`].
    #[inline(always)]
    pub fn find(self, scan: impl Scan, hash: u64, id: &[u8]) -> Option<u32> {
        let Finder { table, tags, numbers, ends } = self;
        if numbers.is_empty() {
            return table.get(hash, id);
        }
        // In two bytes, so that the compiler sees that no sum below is too large.
        let mask = (numbers.len() - 1) as u16;
        let slot = usize::from(hash as u16 & mask);
        let group = tags.get(slot..slot + GROUP)?.first_chunk()?;
        let (found, _) = scan.tags(group, tag(hash));
        let number =
            numbers[usize::from((slot as u16).wrapping_add(found.trailing_zeros() as u16) & mask)];
        let number = usize::from(u16::from_le_bytes(number));
        // Nearly always; otherwise another id has the same tag, or none has it.
        // Slots may be there before there are ids.
        let key = ends.get(number + 1).map(|&end| ends[number] as usize..end as usize);
        let key = key.and_then(|place| tags.get(place));
        if key.is_some_and(|key| same(key, id)) { Some(number as u32) } else { table.get(hash, id) }
    }
}

/// What the ids of a [`DocTable`] leave in its slots.
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
    use crate::hash::hash;
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
            let mut table = DocTable::default();
            table.reserve(seed, room, 0);
            let mut map = HashMap::new();
            let distinct: HashSet<_> = ids.iter().take(together).collect();
            let (text, ends) = (ids[..together.min(ids.len())].concat(), ends_of(&ids, together));
            let added =
                table.insert_all(Portable, seed, (text.as_bytes(), &ends), &mut Vec::new());
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
                prop_assert_eq!(table.finder().find(Portable, hash, id.as_bytes()), expected);
            }
        }
    }

    /// Numbers that two bytes do not hold.
    #[test]
    fn a_large_table_is_a_map_too() {
        let id = |number: u32| format!("d{number}");
        let mut table = DocTable::default();
        for number in 0..70_000 {
            assert_eq!(table.insert(9, id(number).as_bytes()), Ok(number));
        }
        for number in (0..70_000).step_by(7) {
            assert_eq!(table.insert(9, id(number).as_bytes()), Err(number));
            let hash = hash(9, id(number).as_bytes());
            let found = table.finder().find(Portable, hash, id(number).as_bytes());
            assert_eq!((found, table.sieve().may_hold(hash)), (Some(number), true));
        }
        assert_eq!(table.get(hash(9, b"d70000"), b"d70000"), None);
    }
}
