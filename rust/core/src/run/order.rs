//! Putting a list in order by its keys.

use cranfield_scan::{Scan, Task};

/// How keys follow each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Steps {
    /// How many are above the one before.
    pub(super) rises: u64,
    /// How many are equal to a neighbour.
    pub(super) tied: u64,
}

impl Steps {
    /// Counts in one pass without a branch.
    pub(super) fn of(keys: &[f64]) -> Steps {
        cranfield_scan::run(Count { keys })
    }
}

struct Count<'a> {
    keys: &'a [f64],
}

impl Task for Count<'_> {
    type Output = Steps;

    #[inline(always)]
    fn run<S: Scan>(self, _: S) -> Steps {
        let keys = self.keys;
        let (Some([first, second]), Some([above, last])) = (keys.first_chunk(), keys.last_chunk())
        else {
            return Steps { rises: 0, tied: 0 };
        };
        let (mut rises, mut tied) = (u64::from(first < second), u64::from(first == second));
        for ((above, key), below) in keys.iter().zip(&keys[1..]).zip(&keys[2..]) {
            rises += u64::from(key < below);
            tied += u64::from(above == key) | u64::from(key == below);
        }
        tied += u64::from(above == last);
        Steps { rises, tied }
    }
}

/// A bucket with more lines than this is sorted by comparisons.
const FEW: usize = 16;

/// The lines of a list from the highest key to the lowest, those of equal key
/// in order of line. Keys are spread over as many buckets as there are lines,
/// which leaves little to compare unless nearly all of them are nearly alike.
pub(super) fn sort_down(keys: &[f64], order: &mut Vec<u32>, buckets: &mut Vec<u32>) {
    let count = keys.len();
    order.clear();
    order.resize(count, 0);
    let (low, high) = keys.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), &key| {
        (if key < low { key } else { low }, if key > high { key } else { high })
    });
    // Half of each, for the range may be larger than any number. Rounding is
    // monotone: a higher key never falls into a later bucket.
    let scale = (count as f64 - 1.0) / (high / 2.0 - low / 2.0);
    let scale = if scale.is_finite() { scale } else { 0.0 };
    let last = count.saturating_sub(1) as u32;
    let bucket = |key: f64| (((high / 2.0 - key / 2.0) * scale) as u32).min(last) as usize;

    buckets.clear();
    buckets.resize(count + 1, 0);
    for &key in keys {
        buckets[bucket(key) + 1] += 1;
    }
    let mut sum = 0;
    for start in buckets.iter_mut() {
        sum += *start;
        *start = sum;
    }
    for (line, &key) in (0..).zip(keys) {
        let place = &mut buckets[bucket(key)];
        order[*place as usize] = line;
        *place += 1;
    }
    // Each bucket now begins where the one before it ends.
    let mut start = 0;
    for &end in &buckets[..count] {
        let end = end as usize;
        sort_few(keys, &mut order[start..end]);
        start = end;
    }
}

/// Sorts the lines of a bucket, which are in order of line.
#[inline]
fn sort_few(keys: &[f64], lines: &mut [u32]) {
    if lines.len() > FEW {
        lines.sort_by(|&a, &b| keys[b as usize].total_cmp(&keys[a as usize]));
        return;
    }
    for i in 1..lines.len() {
        let line = lines[i];
        let mut at = i;
        while at > 0 && keys[lines[at - 1] as usize] < keys[line as usize] {
            lines[at] = lines[at - 1];
            at -= 1;
        }
        lines[at] = line;
    }
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
            let expected = Steps {
                rises: keys.windows(2).filter(|pair| pair[0] < pair[1]).count() as u64,
                tied: (0..keys.len()).filter(|&i| tied(i)).count() as u64,
            };
            prop_assert_eq!(Steps::of(&keys), expected);
        }

        #[test]
        fn the_order_is_that_of_a_stable_sort(keys in prop::collection::vec(key(), 0..200)) {
            let mut expected: Vec<u32> = (0..keys.len() as u32).collect();
            expected.sort_by(|&a, &b| keys[b as usize].total_cmp(&keys[a as usize]));
            let (mut order, mut buckets) = (vec![7], vec![7]);
            sort_down(&keys, &mut order, &mut buckets);
            prop_assert_eq!(order, expected);
        }
    }
}
