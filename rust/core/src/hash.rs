//! Hashes of ids, and random numbers that are functions of a seed: all stir bits as `SplitMix64`
//! does, or fold products.

use std::hash::{BuildHasher, Hasher};

pub use cranfield_scan::GOLDEN;

use crate::bytes::short_words;

const FOLD_A: u64 = GOLDEN;
const FOLD_B: u64 = 0xD6E8_FEB8_6659_FD93;

/// The high and low halves of a 128-bit product, mixed.
#[inline]
fn fold(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    (product >> 64) as u64 ^ product as u64
}

/// A hash of an id. The seed differs between processes, so that a file cannot
/// be prepared whose ids all collide; no result depends on it.
#[inline]
pub fn hash(seed: u64, id: &[u8]) -> u64 {
    let n = id.len();
    if n <= 16 {
        let (a, b) = match (id.first_chunk::<8>(), id.last_chunk::<8>()) {
            (Some(a), Some(b)) => (u64::from_le_bytes(*a), u64::from_le_bytes(*b)),
            _ => short_words(id),
        };
        return fold(fold(a ^ seed, b ^ FOLD_A), seed ^ FOLD_B ^ n as u64);
    }
    let mut state = seed ^ n as u64;
    let mut rest = id;
    while let Some((chunk, tail)) = rest.split_first_chunk::<16>() {
        state = absorb(state, chunk);
        rest = tail;
    }
    if !rest.is_empty()
        && let Some(last) = id.last_chunk::<16>()
    {
        state = absorb(state, last);
    }
    fold(state, FOLD_B)
}

/// Stirs the bits of a word: the last step of `SplitMix64`.
#[inline]
pub fn stir(mut word: u64) -> u64 {
    word = (word ^ (word >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    word = (word ^ (word >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    word ^ (word >> 31)
}

/// A hash of bytes after `start` that is the same in every process and on
/// every machine, unlike [`hash`]. Random sampling is based on it.
pub fn lasting_hash(start: u64, text: &[u8]) -> u64 {
    let mut state = stir(start ^ text.len() as u64);
    let (words, rest) = text.as_chunks();
    for &word in words {
        state = stir(state ^ u64::from_le_bytes(word));
    }
    if !rest.is_empty() {
        // The rest as a word with zeros after it: from the last eight bytes,
        // if there are that many.
        let last = match text.last_chunk() {
            Some(&last) => u64::from_le_bytes(last) >> (64 - 8 * rest.len()),
            None => rest.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte)),
        };
        state = stir(state ^ last);
    }
    state
}

/// Hashes words that are already hashes, after a seed that the author of a
/// file cannot know.
#[derive(Clone, Copy, Debug)]
pub struct SeededHasher {
    /// The seed, which becomes the hash.
    pub state: u64,
}

impl BuildHasher for SeededHasher {
    type Hasher = SeededHasher;

    fn build_hasher(&self) -> SeededHasher {
        *self
    }
}

impl Hasher for SeededHasher {
    fn write(&mut self, bytes: &[u8]) {
        self.state = lasting_hash(self.state, bytes);
    }

    fn write_u64(&mut self, word: u64) {
        self.state = stir(self.state ^ word);
    }

    fn finish(&self) -> u64 {
        self.state
    }
}

/// A number in [0, 1) that depends on a hash and a seed only.
#[inline]
pub fn uniform(hash: u64, seed: u64) -> f64 {
    let drawn = stir(hash ^ stir(seed.wrapping_add(GOLDEN)));
    (drawn >> 11) as f64 / (1u64 << 53) as f64
}

/// The hash of a pair of topic and document, from their hashes.
#[inline]
pub fn paired_hash(topic: u64, document: u64) -> u64 {
    stir(topic ^ document.rotate_left(32))
}

#[inline]
fn absorb(state: u64, chunk: &[u8; 16]) -> u64 {
    let word = u128::from_le_bytes(*chunk);
    fold(word as u64 ^ state, (word >> 64) as u64 ^ FOLD_A)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn hashes_of_different_ids_differ(a in "[a-z0-9-]{0,40}", b in "[a-z0-9-]{0,40}") {
            prop_assert_eq!(a == b, hash(7, a.as_bytes()) == hash(7, b.as_bytes()));
        }
    }
}
