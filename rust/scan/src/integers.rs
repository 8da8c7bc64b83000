//! The inner loops over columns of integers and of scores.
//!
//! They are plain Rust, written so that a [`Task`] compiles them to vector
//! instructions.

use crate::{GOLDEN, Scan, Task, run};

/// A document id that is an integer.
pub trait Integer: Copy + Eq + Send + Sync + 'static {
    /// Whether there are numbers below zero.
    const SIGNED: bool;

    /// Zero.
    const ZERO: Self;

    /// One if two numbers are equal, otherwise zero.
    #[must_use]
    fn same(self, other: Self) -> Self;

    /// The bits that are in either.
    #[must_use]
    fn or(self, other: Self) -> Self;

    /// The number as 64 bits, the sign extended.
    fn bits(self) -> u64;

    /// The number that has these bits, if there is one.
    fn of(bits: u64) -> Option<Self>;
}

macro_rules! integers {
    ($($id:ty, $wide:ty, $signed:literal;)*) => {$(
        impl Integer for $id {
            const SIGNED: bool = $signed;

            const ZERO: Self = 0;

            #[inline(always)]
            fn same(self, other: Self) -> Self {
                Self::from(self == other)
            }

            #[inline(always)]
            fn or(self, other: Self) -> Self {
                self | other
            }

            #[inline(always)]
            #[allow(clippy::cast_lossless, reason = "one of them is as wide")]
            fn bits(self) -> u64 {
                self as $wide as u64
            }

            #[inline(always)]
            fn of(bits: u64) -> Option<Self> {
                Self::try_from(bits as $wide).ok()
            }
        }
    )*};
}

integers! {
    i32, i64, true;
    i64, i64, true;
    u32, u64, false;
    u64, u64, false;
}

/// Up to this many integers are searched for by comparing them all.
pub const MOST_COMPARED: usize = 4;

/// Writes where any of a few integers are, as position and index among the
/// wanted, in order of position. Only the first [`MOST_COMPARED`] are searched for.
pub fn find_few<T: Integer>(ids: &[T], wanted: &[T], found: &mut Vec<(u32, u32)>) {
    found.clear();
    match *wanted {
        [] => {}
        [a] => run(Find { ids, wanted: [a], found }),
        [a, b] => run(Find { ids, wanted: [a, b], found }),
        [a, b, c] => run(Find { ids, wanted: [a, b, c], found }),
        [a, b, c, d, ..] => run(Find { ids, wanted: [a, b, c, d], found }),
    }
}

struct Find<'a, T, const N: usize> {
    ids: &'a [T],
    wanted: [T; N],
    found: &'a mut Vec<(u32, u32)>,
}

/// How many integers are compared before the result is tested.
const AT_ONCE: usize = 256;

impl<T: Integer, const N: usize> Task for Find<'_, T, N> {
    type Output = ();

    #[inline(always)]
    fn run<S: Scan>(self, _: S) {
        let Find { ids, wanted, found } = self;
        let mut base = 0;
        for stretch in ids.chunks(AT_ONCE) {
            let any = stretch.iter().fold(T::ZERO, |any, &id| {
                wanted.iter().fold(any, |any, &wanted| any.or(id.same(wanted)))
            });
            if any != T::ZERO {
                locate(stretch, base, &wanted, found);
            }
            base += stretch.len() as u32;
        }
    }
}

#[inline(always)]
fn locate<T: Integer>(ids: &[T], base: u32, wanted: &[T], found: &mut Vec<(u32, u32)>) {
    for (position, &id) in (base..).zip(ids) {
        if let Some(place) = wanted.iter().position(|&wanted| wanted == id) {
            found.push((position, place as u32));
        }
    }
}

/// A set of integers in which one bit is usually enough to see that an integer
/// is absent.
#[derive(Clone, Debug)]
pub struct Filter {
    /// The bits, a power of two of words.
    words: Vec<u64>,
    /// The hash of an integer shifted by this is the number of its bit.
    shift: u32,
    key: u64,
}

/// The least number of bits per integer.
const BITS: usize = 32;

impl Filter {
    /// A filter for a number of integers, whose hash depends on a seed.
    pub fn new(count: usize, seed: u64) -> Filter {
        let bits = (count * BITS).next_power_of_two().max(64);
        Filter { words: vec![0; bits / 64], shift: 64 - bits.trailing_zeros(), key: seed }
    }

    /// The hash of an integer; the best bits are the highest.
    #[inline(always)]
    pub fn hash(&self, bits: u64) -> u64 {
        (bits ^ self.key).wrapping_mul(GOLDEN)
    }

    /// Adds an integer.
    pub fn insert(&mut self, bits: u64) {
        let bit = self.hash(bits) >> self.shift;
        self.words[bit as usize / 64] |= 1 << (bit % 64);
    }

    /// Writes the positions of those that may be in the set and returns how
    /// many there are; the contents of `maybe` after them are meaningless.
    pub fn sieve<T: Integer>(&self, ids: &[T], maybe: &mut Vec<u32>) -> usize {
        run(Sieve { ids, filter: self, maybe })
    }
}

struct Sieve<'a, T> {
    ids: &'a [T],
    filter: &'a Filter,
    maybe: &'a mut Vec<u32>,
}

impl<T: Integer> Task for Sieve<'_, T> {
    type Output = usize;

    #[inline(always)]
    fn run<S: Scan>(self, _: S) -> usize {
        let Sieve { ids, filter, maybe } = self;
        if maybe.len() <= ids.len() {
            maybe.resize(ids.len() + 1, 0);
        }
        let (words, maybe) = (filter.words.as_slice(), maybe.as_mut_slice());
        let (shift, mask) = (filter.shift, words.len() - 1);
        let mut count = 0;
        for (position, &id) in (0u32..).zip(ids) {
            let bit = filter.hash(id.bits()) >> shift;
            let Some(word) = words.get((bit / 64) as usize & mask) else { return 0 };
            maybe[count] = position;
            count += (word >> (bit % 64) & 1) as usize;
        }
        count
    }
}

/// A type of scores.
pub trait Level: Copy + Send + Sync + 'static {
    /// Whether it is neither infinite nor NaN.
    fn is_finite(self) -> bool;

    /// The same number as a double.
    fn double(self) -> f64;
}

impl Level for f64 {
    #[inline(always)]
    fn is_finite(self) -> bool {
        f64::is_finite(self)
    }

    #[inline(always)]
    fn double(self) -> f64 {
        self
    }
}

impl Level for f32 {
    #[inline(always)]
    fn is_finite(self) -> bool {
        f32::is_finite(self)
    }

    #[inline(always)]
    fn double(self) -> f64 {
        f64::from(self)
    }
}

/// Writes scores as doubles, minus zero as zero, and returns whether all are
/// finite.
pub fn widen<T: Level>(scores: &[T], keys: &mut Vec<f64>) -> bool {
    run(Widen { scores, keys })
}

struct Widen<'a, T> {
    scores: &'a [T],
    keys: &'a mut Vec<f64>,
}

impl<T: Level> Task for Widen<'_, T> {
    type Output = bool;

    #[inline(always)]
    fn run<S: Scan>(self, _: S) -> bool {
        let Widen { scores, keys } = self;
        keys.resize(scores.len(), 0.0);
        let mut all = true;
        for (key, &score) in keys.iter_mut().zip(scores) {
            all &= score.is_finite();
            *key = score.double() + 0.0;
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Portable;
    use proptest::prelude::*;
    use std::fmt::Debug;

    /// Where a few are, by both kinds of operations.
    fn finds<T: Integer + Debug>(ids: &[T], wanted: &[T]) {
        let place = |id: &T| wanted.iter().position(|wanted| wanted == id);
        let expected: Vec<(u32, u32)> = (0u32..)
            .zip(ids)
            .filter_map(|(position, id)| place(id).map(|place| (position, place as u32)))
            .collect();
        let mut found = vec![(9, 9)];
        find_few(ids, wanted, &mut found);
        assert_eq!(found, expected);
        if let &[a, b] = wanted {
            found.clear();
            Find { ids, wanted: [a, b], found: &mut found }.run(Portable);
            assert_eq!(found, expected);
        }
    }

    fn sieves<T: Integer + Debug>(ids: &[T], members: &[T], seed: u64) {
        let mut filter = Filter::new(members.len(), seed);
        for member in members {
            filter.insert(member.bits());
        }
        let mut maybe = Vec::new();
        let count = filter.sieve(ids, &mut maybe);
        for (position, id) in (0..).zip(ids) {
            assert!(!members.contains(id) || maybe[..count].contains(&position));
        }
        let mut other = vec![7; 3];
        let alike = Sieve { ids, filter: &filter, maybe: &mut other }.run(Portable);
        assert_eq!(other[..alike], maybe[..count]);
    }

    proptest! {
        #[test]
        fn a_few_are_found(
            small in prop::collection::vec(-5i64..5, 0..300),
            large in any::<[i64; 4]>(),
            count in 0usize..=MOST_COMPARED,
            place in 0usize..300,
        ) {
            let mut ids = small;
            if !ids.is_empty() {
                let place = place % ids.len();
                ids[place] = large[0];
            }
            for wanted in [&large[..count], &[-1, 3, 4, 0][..count]] {
                finds(&ids, wanted);
                let cut = |ids: &[i64]| ids.iter().map(|&id| id as i32).collect::<Vec<_>>();
                finds(&cut(&ids), &cut(wanted));
                let unsigned = |ids: &[i64]| ids.iter().map(|&id| id as u64).collect::<Vec<_>>();
                finds(&unsigned(&ids), &unsigned(wanted));
            }
        }

        #[test]
        fn a_sieve_lets_members_pass(
            ids in prop::collection::vec(-200i64..200, 0..400),
            members in prop::collection::vec(-200i64..200, 0..50),
            seed: u64,
        ) {
            sieves(&ids, &members, seed);
            let cut = |ids: &[i64]| ids.iter().map(|&id| id as u32).collect::<Vec<_>>();
            sieves(&cut(&ids), &cut(&members), seed);
        }

        #[test]
        fn scores_are_widened(scores in prop::collection::vec(any::<f32>(), 0..70), seed: u64) {
            let mut keys = vec![seed as f64];
            let expected: Vec<f64> = scores.iter().map(|&score| f64::from(score) + 0.0).collect();
            let finite = scores.iter().all(|score| score.is_finite());
            let bits = |keys: &[f64]| keys.iter().map(|key| key.to_bits()).collect::<Vec<_>>();
            if finite {
                prop_assert!(widen(&scores, &mut keys));
                prop_assert_eq!(bits(&keys), bits(&expected));
                let portable = Widen { scores: &expected, keys: &mut keys }.run(Portable);
                prop_assert!(portable);
                prop_assert_eq!(bits(&keys), bits(&expected));
            } else {
                prop_assert!(!widen(&scores, &mut keys));
            }
        }
    }

    #[test]
    fn bits_are_those_of_the_number() {
        assert_eq!((-1i32).bits(), u64::MAX);
        assert_eq!(u32::MAX.bits(), u64::from(u32::MAX));
        assert_eq!(i32::of(u64::MAX), Some(-1));
        assert_eq!(i32::of(1 << 31), None);
        assert_eq!(u32::of(u64::MAX), None);
        assert_eq!(u64::of(u64::MAX), Some(u64::MAX));
        let mut keys = Vec::new();
        assert!(!widen(&[0.0, f64::NAN], &mut keys));
        assert!(!widen(&[f64::NEG_INFINITY], &mut keys));
        assert!(widen(&[-0.0f32], &mut keys) && keys[0].to_bits() == 0);
    }
}
