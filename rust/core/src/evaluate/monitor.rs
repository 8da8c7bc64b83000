//! How far an evaluation is, and a way to stop it.

use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

use crate::error::{Error, Kind, Result};

/// What is called with a monitor.
pub type Poll = Box<dyn Fn(&Monitor) + Send + Sync>;

/// How far an evaluation is, and a way to stop it; shared between threads.
#[derive(Default)]
pub struct Monitor {
    /// Bytes read so far, before decompression.
    pub bytes: AtomicU64,
    /// Runs finished so far.
    pub runs: AtomicUsize,
    /// Set to stop.
    pub cancelled: AtomicBool,
    /// Called at every place where an evaluation may stop, often.
    pub poll: Option<Poll>,
}

impl fmt::Debug for Monitor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Monitor { bytes, runs, cancelled, .. } = self;
        let mut shown = f.debug_struct("Monitor");
        shown.field("bytes", bytes).field("runs", runs).field("cancelled", cancelled);
        shown.finish_non_exhaustive()
    }
}

/// An error if the evaluation is to stop.
pub(crate) fn check_cancelled(monitor: &Monitor) -> Result<()> {
    if let Some(poll) = &monitor.poll {
        poll(monitor);
    }
    if monitor.cancelled.load(Ordering::Relaxed) {
        return Err(Error::new(Kind::Cancelled, "the evaluation was stopped"));
    }
    Ok(())
}
