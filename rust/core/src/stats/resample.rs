//! Counter-based random numbers, and the threads that use them.
//!
//! A random number is a function of the seed, the replicate and its position in
//! the replicate; it does not depend on earlier draws. So any thread can compute
//! any replicate at any time, and the results are the same for any number of
//! threads. All pairs of systems share the replicates.

use rayon::prelude::*;

use crate::error::Result;
use crate::hash::{GOLDEN, stir};
use crate::interrupt;
use crate::memory;

/// The random numbers of one replicate: `SplitMix64` from a separate start.
#[derive(Clone, Copy, Debug)]
pub struct Random {
    state: u64,
}

impl Random {
    /// The numbers of a replicate, or of a part of it.
    pub fn new(seed: u64, replicate: u64, part: u64) -> Self {
        let seeded = stir(seed.wrapping_add(GOLDEN));
        let started = stir(seeded ^ replicate.wrapping_mul(0xD1B5_4A32_D192_ED03));
        Random { state: stir(started ^ part.wrapping_mul(0xAEF1_7502_108E_F2D9)) }
    }

    /// 64 random bits.
    #[inline]
    pub fn bits(&mut self) -> u64 {
        self.state = self.state.wrapping_add(GOLDEN);
        stir(self.state)
    }

    /// A whole number below the bound, with a bias of less than bound / 2^64.
    #[inline]
    pub fn below(&mut self, bound: usize) -> usize {
        ((u128::from(self.bits()) * bound as u128) >> 64) as usize
    }
}

/// Topics drawn with replacement: `replicates` rows, each of as many as there are topics.
pub fn drawn(topics: usize, replicates: usize, seed: u64) -> Result<Vec<u32>> {
    let mut drawn = Vec::new();
    memory::reserve(&mut drawn, topics.saturating_mul(replicates))?;
    for replicate in 0..replicates {
        if replicate.is_multiple_of(256) {
            interrupt::check()?;
        }
        let mut random = Random::new(seed, replicate as u64, 0);
        drawn.extend((0..topics).map(|_| random.below(topics) as u32));
    }
    Ok(drawn)
}

/// The signs of a replicate: bit t is set where topic t changes its sign.
pub fn signs(topics: usize, replicate: usize, seed: u64) -> Vec<u64> {
    let mut random = Random::new(seed, replicate as u64, 0);
    (0..topics.div_ceil(64)).map(|_| random.bits()).collect()
}

/// How a long computation runs.
#[derive(Clone, Copy, Debug, Default)]
pub struct Work {
    /// As many as there are processors if `None`.
    pub threads: Option<usize>,
}

impl Work {
    /// Computes blocks 0, 1, 2, ... in any order and returns their results in order.
    pub fn blocks<T: Send>(
        &self,
        count: usize,
        block: impl Fn(usize) -> T + Sync + Send,
    ) -> Result<Vec<T>> {
        let processors = || std::thread::available_parallelism().map_or(1, usize::from);
        let threads = self.threads.unwrap_or_else(processors).min(count);
        let one = |k| {
            interrupt::check()?;
            Ok(block(k))
        };
        if threads <= 1 {
            return (0..count).map(one).collect();
        }
        let pool = interrupt::thread_pool(threads)?;
        pool.install(|| (0..count).into_par_iter().map(one).collect())
    }

    /// The sums of the counts of blocks.
    pub fn counts(
        &self,
        count: usize,
        width: usize,
        block: impl Fn(usize) -> Vec<u32> + Sync + Send,
    ) -> Result<Vec<u64>> {
        // A group of blocks at a time, so that few results are in memory.
        const GROUP: usize = 64;
        memory::room_for(width.saturating_mul(GROUP * size_of::<u32>()))?;
        let mut total = vec![0u64; width];
        for start in (0..count).step_by(GROUP) {
            let made = self.blocks(GROUP.min(count - start), |k| block(start + k))?;
            for part in made {
                for (sum, n) in total.iter_mut().zip(part) {
                    *sum += u64::from(n);
                }
            }
        }
        Ok(total)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::error::Kind;

    #[test]
    fn numbers_are_even_and_depend_on_every_part_of_the_place() {
        let mut seen = [0u32; 5];
        for replicate in 0..1000 {
            let mut random = Random::new(1, replicate, 0);
            (0..10).for_each(|_| seen[random.below(5)] += 1);
        }
        // 2,000 expected, with a deviation of 40
        assert!(seen.iter().all(|&n| n.abs_diff(2000) < 200), "{seen:?}");
        let first = |seed, replicate, part| Random::new(seed, replicate, part).bits();
        let mut all = [first(0, 0, 0), first(1, 0, 0), first(0, 1, 0), first(0, 0, 1)];
        all.sort_unstable();
        assert!(all.windows(2).all(|two| two[0] != two[1]));
    }

    #[test]
    fn blocks_come_in_order_and_stop() {
        let work = Work { threads: Some(3) };
        assert_eq!(work.blocks(100, |k| k).unwrap(), (0..100).collect::<Vec<_>>());
        assert_eq!(work.counts(100, 1, |k| vec![k as u32]).unwrap(), [4950]);
        let stopped = interrupt::with(Arc::new(|| true), || work.blocks(9, |k| k));
        assert_eq!(stopped.unwrap_err().kind(), Kind::Cancelled);
    }
}
