//! What is computed of a column of scores without putting it in order: the
//! highest of them, how many are above one, how many are equal.

use cranfield_scan::{Scan, Task};

use super::lookup::Scratch;
use crate::hash::GOLDEN;

/// How many keys are above one, and how many are like it.
pub(super) struct CountAbove<'a> {
    pub(super) keys: &'a [f64],
    pub(super) key: f64,
}

impl Task for CountAbove<'_> {
    type Output = (u64, u64);

    #[inline(always)]
    fn run<S: Scan>(self, _: S) -> (u64, u64) {
        self.keys.iter().fold((0, 0), |(above, alike), other| {
            (above + u64::from(*other > self.key), alike + u64::from(*other == self.key))
        })
    }
}

/// Writes the lines whose keys are among the highest this many, at least one and not all,
/// or tie with them.
pub(super) struct Top<'a> {
    pub(super) keys: &'a [f64],
    pub(super) count: usize,
    pub(super) order: &'a mut Vec<u32>,
}

impl Task for Top<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Scan>(self, _: S) {
        let Top { keys, count, order } = self;
        let least = highest(keys, count);
        for (stretch, first) in keys.chunks(KEYS_AT_ONCE).zip((0..).step_by(KEYS_AT_ONCE)) {
            if holds(stretch, |key| key >= least) {
                let lines = (first..).zip(stretch).filter(|(_, key)| **key >= least);
                order.extend(lines.map(|(line, _)| line));
            }
        }
    }
}

/// This many keys are looked at together, since nearly none is among the highest.
const KEYS_AT_ONCE: usize = 16;

/// Whether any key is wanted, of which several are looked at at a time.
#[inline(always)]
fn holds(keys: &[f64], wanted: impl Fn(f64) -> bool) -> bool {
    keys.iter().fold(false, |any, &key| any | wanted(key))
}

/// The key that this many others, at least one and not all, reach: of the lines
/// seen the highest are kept in order.
#[inline(always)]
fn highest(keys: &[f64], count: usize) -> f64 {
    let (first, rest) = keys.split_at(count);
    let mut kept = first.to_vec();
    kept.sort_unstable_by(f64::total_cmp);
    for stretch in rest.chunks(KEYS_AT_ONCE) {
        let least = kept[0];
        if !holds(stretch, |key| key > least) {
            continue;
        }
        for &key in stretch {
            if key > kept[0] {
                let place = kept.partition_point(|&other| other < key) - 1;
                kept.copy_within(1..=place, 0);
                kept[place] = key;
            }
        }
    }
    kept[0]
}

impl Scratch {
    /// How many lines have the key of another. Lines are spread over a table by
    /// a piece of their bits, and only those that meet there are compared.
    pub(super) fn tied(&mut self, keys: &[f64]) -> u64 {
        let Scratch { last, before, again, .. } = self;
        let places = (keys.len() * 4).next_power_of_two();
        last.clear();
        last.resize(places, 0);
        before.resize(keys.len(), 0);
        again.resize(keys.len() + 1, 0);
        let shift = 64 - places.trailing_zeros().max(1);
        let mut meets = 0;
        for ((line, &key), before) in (1..).zip(keys).zip(before.iter_mut()) {
            // Zero and minus zero are one key.
            let place = (key + 0.0).to_bits().wrapping_mul(GOLDEN) >> shift;
            *before = std::mem::replace(&mut last[place as usize & (places - 1)], line);
            again[meets] = line;
            meets += usize::from(*before != 0);
        }
        // Each key counts once more when it comes for the second time.
        let mut tied = 0;
        for &line in &again[..meets] {
            let key = keys[line as usize - 1];
            let mut other = before[line as usize - 1];
            let mut earlier = 0;
            while other != 0 && earlier < 2 {
                earlier += u64::from(keys[other as usize - 1] == key);
                other = before[other as usize - 1];
            }
            tied += [0, 2, 1][earlier as usize];
        }
        tied
    }
}

/// The line of a score that no other line has.
pub fn only_line(scores: &[f64], score: f64) -> Option<u32> {
    // Without a branch, so that several are compared at a time.
    let (mut count, mut lines) = (0u64, 0u64);
    for (line, &other) in (0u64..).zip(scores) {
        let alike = u64::from(other == score);
        count += alike;
        lines |= alike.wrapping_neg() & line;
    }
    (count == 1).then_some(lines as u32)
}

#[cfg(test)]
mod tests;
