//! Whether the work of this thread is to stop.
//!
//! A host says for each call what is to be asked ([`with`]). Whatever waits, and whatever
//! can take longer than some milliseconds, asks it ([`check`]). Threads that are started
//! on the way ask the same ([`stop`], [`ask`]).

use std::cell::RefCell;
use std::sync::Arc;

use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::error::{Error, Kind, Result};

/// Says whether to stop. It is called often, from any thread.
pub type Stop = Arc<dyn Fn() -> bool + Send + Sync>;

thread_local! {
    static STOP: RefCell<Option<Stop>> = const { RefCell::new(None) };
}

/// Does work that is to stop when `stop` says so.
pub fn with<T>(stop: Stop, work: impl FnOnce() -> T) -> T {
    /// What was asked before, which is asked again afterwards.
    struct Before(Option<Stop>);
    impl Drop for Before {
        fn drop(&mut self) {
            ask(self.0.take());
        }
    }
    let _before = Before(STOP.replace(Some(stop)));
    work()
}

/// What this thread asks.
pub fn stop() -> Option<Stop> {
    STOP.with_borrow(Clone::clone)
}

/// Lets this thread ask something from now on.
pub fn ask(stop: Option<Stop>) {
    STOP.set(stop);
}

/// A pool of threads that ask what this thread asks.
pub fn thread_pool(threads: usize) -> Result<ThreadPool> {
    let stop = stop();
    let pool = ThreadPoolBuilder::new().num_threads(threads);
    let pool = pool.start_handler(move |_| ask(stop.clone())).build();
    pool.map_err(|e| Error::new(Kind::Io, format!("cannot start {threads} threads: {e}")))
}

/// Whether the work is to stop.
pub fn stopped() -> bool {
    stop().is_some_and(|stop| stop())
}

/// Sorts numbers in pieces, and asks in between. The order is not reached if the work is to
/// stop, so that nobody wants its result.
pub fn sort<T: Ord>(items: &mut [T]) {
    let mut size = SORTED_AT_ONCE;
    for piece in items.chunks_mut(size) {
        if stopped() {
            return;
        }
        piece.sort_unstable();
    }
    // A stable sort finds the two ordered halves and merges them.
    while size < items.len() {
        size *= 2;
        for piece in items.chunks_mut(size) {
            if stopped() {
                return;
            }
            piece.sort();
        }
    }
}

/// This many items are sorted in a few milliseconds.
const SORTED_AT_ONCE: usize = 1 << 17;

/// An error (kind "cancelled") if the work is to stop.
pub fn check() -> Result<()> {
    if stopped() { Err(told()) } else { Ok(()) }
}

/// The error of work that was told to stop.
#[cold]
pub fn told() -> Error {
    Error::new(Kind::Cancelled, "the work was stopped")
}

/// Asks once in some tens of thousands of steps of a loop whose steps are short.
#[derive(Debug, Default)]
pub struct Steps(usize);

/// So many steps of some nanoseconds take less than a millisecond.
const STEPS_BETWEEN_CHECKS: usize = 1 << 16;

impl Steps {
    /// An error (kind "cancelled") if the work is to stop.
    #[inline]
    pub fn step(&mut self) -> Result<()> {
        if self.stop_after(1) { Err(told()) } else { Ok(()) }
    }

    /// Whether the work is to stop, after this many steps more. What comes of work that stops
    /// for it is not looked at.
    #[inline]
    pub fn stop_after(&mut self, steps: usize) -> bool {
        self.0 = self.0.saturating_add(steps);
        self.0 >= STEPS_BETWEEN_CHECKS && self.asked()
    }

    // Not inlined: hot loops keep their registers.
    #[cold]
    #[inline(never)]
    fn asked(&mut self) -> bool {
        self.0 = 0;
        stopped()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};

    use super::*;

    #[test]
    fn pieces_are_sorted_as_a_whole() {
        for length in [0, 1, SORTED_AT_ONCE, SORTED_AT_ONCE + 1, 5 * SORTED_AT_ONCE + 7] {
            let mut state = 1_u64;
            let mut next = || {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                state >> 40
            };
            let mut items: Vec<u64> = (0..length).map(|_| next()).collect();
            let mut expected = items.clone();
            expected.sort_unstable();
            sort(&mut items);
            assert!(items == expected, "{length}");
        }
    }

    #[test]
    fn work_stops_when_it_is_told_to_and_only_inside() {
        let flag = Arc::new(AtomicBool::new(false));
        let asked = Arc::clone(&flag);
        check().unwrap();
        with(Arc::new(move || asked.load(Ordering::Relaxed)), || {
            check().unwrap();
            flag.store(true, Ordering::Relaxed);
            assert_eq!(check().unwrap_err().kind(), Kind::Cancelled);
            let stop = stop();
            std::thread::scope(|scope| {
                scope.spawn(|| check().unwrap());
                scope.spawn(|| {
                    ask(stop);
                    check().unwrap_err();
                });
            });
        });
        check().unwrap();
    }
}
