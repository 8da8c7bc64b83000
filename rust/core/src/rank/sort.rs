//! Putting a list in order by its keys.

use cranfield_scan::{Scan, Task};

/// How keys follow each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct KeySteps {
    /// How many are above the one before.
    pub(super) rises: u64,
    /// How many are equal to a neighbour.
    pub(super) tied: u64,
}

impl KeySteps {
    /// Counts in one pass without a branch.
    pub(super) fn of(keys: &[f64]) -> KeySteps {
        cranfield_scan::run(CountSteps { keys })
    }
}

struct CountSteps<'a> {
    keys: &'a [f64],
}

impl Task for CountSteps<'_> {
    type Output = KeySteps;

    #[inline(always)]
    fn run<S: Scan>(self, _: S) -> KeySteps {
        let keys = self.keys;
        let (Some([first, second]), Some([above, last])) = (keys.first_chunk(), keys.last_chunk())
        else {
            return KeySteps { rises: 0, tied: 0 };
        };
        let (mut rises, mut tied) = (u64::from(first < second), u64::from(first == second));
        for ((above, key), below) in keys.iter().zip(&keys[1..]).zip(&keys[2..]) {
            rises += u64::from(key < below);
            tied += u64::from(above == key) | u64::from(key == below);
        }
        tied += u64::from(above == last);
        KeySteps { rises, tied }
    }
}

/// A line of a group of equal keys.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tied {
    /// That of its id.
    pub(super) beginning: u128,
    pub(super) line: u32,
    /// That of its document, or `UNKNOWN`.
    pub(super) number: u32,
}

/// Memory for sorting that is used again from list to list.
#[derive(Debug, Default)]
pub(super) struct Sorter {
    /// For each line the bucket that its key falls into.
    falls: Vec<u32>,
    /// How many lines the buckets before each have.
    buckets: Vec<u32>,
}

/// Buckets for each line: with two, most hold no line or one.
const BUCKETS: usize = 2;

/// A bucket with more lines than this is sorted by comparisons.
const SORTED_BY_COMPARISON: usize = 16;

impl Sorter {
    /// The lines of a list from the highest key to the lowest, those of equal key
    /// in order of line. Returns whether any keys are equal. Keys are spread over
    /// buckets, which leaves little to compare unless nearly all of them are nearly
    /// alike; whether a line is to be moved within its bucket is a branch that a
    /// processor cannot predict.
    pub(super) fn sort_down(&mut self, keys: &[f64], order: &mut Vec<u32>) -> bool {
        let Sorter { falls, buckets } = self;
        let count = keys.len();
        let places = (count * BUCKETS).min(1 << 31);
        falls.resize(count, 0);
        cranfield_scan::run(Fall { keys, places: places as u32, falls });

        buckets.clear();
        buckets.resize(places + 1, 0);
        for &bucket in &*falls {
            buckets[bucket as usize + 1] += 1;
        }
        let (mut sum, mut most) = (0, 0);
        for start in buckets.iter_mut() {
            most = most.max(*start);
            sum += *start;
            *start = sum;
        }
        order.clear();
        order.resize(count, 0);
        for (line, &bucket) in (0..).zip(&*falls) {
            let place = &mut buckets[bucket as usize];
            order[*place as usize] = line;
            *place += 1;
        }
        if most > SORTED_BY_COMPARISON as u32 {
            // Each bucket now begins where the one before it ends.
            let mut start = 0;
            for &end in &buckets[..places] {
                let lines = &mut order[start..end as usize];
                if lines.len() > SORTED_BY_COMPARISON {
                    lines.sort_by(|&a, &b| keys[b as usize].total_cmp(&keys[a as usize]));
                }
                start = end as usize;
            }
        }
        insert(keys, order)
    }
}

/// Writes the bucket that each key falls into.
struct Fall<'a> {
    keys: &'a [f64],
    places: u32,
    falls: &'a mut [u32],
}

impl Task for Fall<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Scan>(self, _: S) {
        /// Added to a number from zero on it leaves the whole number next to it in
        /// the lowest bits.
        const ROUNDER: f64 = (1u64 << 52) as f64;
        let Fall { keys, places, falls } = self;
        let (low, high) = range(keys);
        // Half of each, for the range may be larger than any number. Rounding is
        // monotone: a higher key never falls into a later bucket.
        let top = high / 2.0;
        let last = places.saturating_sub(1);
        let scale = f64::from(last) / (top - low / 2.0);
        let scale = if scale.is_finite() { scale } else { 0.0 };
        for (bucket, key) in falls.iter_mut().zip(keys) {
            let place = (top - key / 2.0) * scale;
            *bucket = ((place + ROUNDER).to_bits() as u32).min(last);
        }
    }
}

/// The lowest and the highest key, several at a time.
#[inline(always)]
fn range(keys: &[f64]) -> (f64, f64) {
    let lower = |low: f64, key: f64| if key < low { key } else { low };
    let higher = |high: f64, key: f64| if key > high { key } else { high };
    let (mut low, mut high) = ([f64::INFINITY; 8], [f64::NEG_INFINITY; 8]);
    let (chunks, rest) = keys.as_chunks::<8>();
    for chunk in chunks {
        for ((low, high), &key) in low.iter_mut().zip(&mut high).zip(chunk) {
            *low = lower(*low, key);
            *high = higher(*high, key);
        }
    }
    let low = low.iter().chain(rest).copied().fold(f64::INFINITY, lower);
    let high = high.iter().chain(rest).copied().fold(f64::NEG_INFINITY, higher);
    (low, high)
}

/// Moves each line up behind those that it is not above. Returns whether any keys
/// are equal.
fn insert(keys: &[f64], order: &mut [u32]) -> bool {
    let (mut above, mut tied) = (f64::INFINITY, false);
    for i in 0..order.len() {
        let line = order[i];
        let key = keys[line as usize];
        if key <= above {
            tied |= key == above;
            above = key;
            continue;
        }
        let mut at = i;
        while at > 0 && keys[order[at - 1] as usize] < key {
            order[at] = order[at - 1];
            at -= 1;
        }
        order[at] = line;
        tied |= at > 0 && keys[order[at - 1] as usize] == key;
    }
    tied
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn key() -> impl Strategy<Value = f64> {
        prop_oneof![
            (-30i32..30).prop_map(f64::from),
            -1.0..1.0,
            prop::sample::select(vec![0.0, 1e300, -1e300, f64::MAX, f64::MIN, 1e-300, 5e-324]),
        ]
    }

    proptest! {
        #[test]
        fn steps_are_counted(keys in prop::collection::vec((-3i32..3).prop_map(f64::from), 0..40)) {
            let tied = |i: usize| (i > 0 && keys[i - 1] == keys[i]) || keys.get(i + 1) == Some(&keys[i]);
            let expected = KeySteps {
                rises: keys.windows(2).filter(|pair| pair[0] < pair[1]).count() as u64,
                tied: (0..keys.len()).filter(|&i| tied(i)).count() as u64,
            };
            prop_assert_eq!(KeySteps::of(&keys), expected);
        }

        #[test]
        fn the_order_is_that_of_a_stable_sort(keys in prop::collection::vec(key(), 0..200)) {
            let mut expected: Vec<u32> = (0..keys.len() as u32).collect();
            expected.sort_by(|&a, &b| keys[b as usize].total_cmp(&keys[a as usize]));
            let equal = expected.windows(2).any(|pair| keys[pair[0] as usize] == keys[pair[1] as usize]);
            let (mut sorter, mut order) = (Sorter::default(), vec![7]);
            for _ in 0..2 {
                prop_assert_eq!(sorter.sort_down(&keys, &mut order), equal);
                prop_assert_eq!(&order, &expected);
            }
        }
    }
}
