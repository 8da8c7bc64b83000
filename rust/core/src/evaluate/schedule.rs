//! Choices of how the work is done. They change the time that it takes, and no result.

use rayon::ThreadPool;

use super::input::{Input, RunFile, WORTH_WATCHING};
use crate::error::Result;
use crate::interrupt;
use crate::qrels::Topic;

/// Which thread scores the runs, and whether the calling thread watches meanwhile: reports
/// progress and listens for interrupts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Schedule {
    /// The calling thread scores, since the judgments that it read are in its cache. It polls the
    /// monitor now and then.
    CallingThread,
    /// Several threads score fewer than `WORTH_WATCHING` lines and topics in memory, which is over before
    /// anything is worth watching.
    Unwatched,
    /// Other threads score while the calling thread watches.
    Watched,
}

/// A list with at least this many documents for each judged one is asked for these.
const LISTED_FOR_EACH_JUDGED: usize = 64;

impl Schedule {
    /// How these runs are to be scored, by so many threads if the caller says.
    pub(super) fn of(inputs: &[Input], threads: Option<usize>) -> Schedule {
        let from_caller = |input: &Input| match input {
            Input::Lists(_) => true,
            Input::File(file) => file.has_opener(),
            _ => false,
        };
        if inputs.iter().any(from_caller) {
            // They come from code that must not meet an interrupt of the calling thread.
            Schedule::Watched
        } else if is_single_threaded(inputs, threads) {
            Schedule::CallingThread
        } else if inputs.iter().map(Input::lines_and_topics).sum::<usize>() < WORTH_WATCHING {
            Schedule::Unwatched
        } else {
            Schedule::Watched
        }
    }
}

/// A file below this size is read in the time that threads take to start.
const WORTH_CHUNKS: u64 = if cfg!(test) { 200 } else { 8 << 20 };

/// Whether a file is worth several threads.
pub(super) fn is_large(file: &RunFile) -> bool {
    file.has_bytes(WORTH_CHUNKS)
}

/// Whether one thread scores these, which is the one that calls.
fn is_single_threaded(inputs: &[Input], threads: Option<usize>) -> bool {
    threads_for(threads, jobs_of(inputs)) <= 1
}

/// How many threads could work at once: a run is a job, a large one several, and short ones
/// in memory are one together.
pub(super) fn jobs_of(inputs: &[Input]) -> usize {
    let large = |input: &Input| matches!(input, Input::File(file) if is_large(file));
    match inputs {
        [input] if !large(input) => 1,
        _ if inputs.iter().any(large) => usize::MAX,
        _ if inputs.iter().map(Input::lines_and_topics).sum::<usize>() < WORTH_THREADS => 1,
        _ => inputs.len(),
    }
}

/// Scoring fewer lines and topics than this in all takes less time than starting threads.
const WORTH_THREADS: usize = 1 << 12;

/// A pool of this many threads, as many as there are processors if `None`, but
/// not more than there are jobs; none if one thread is enough.
pub(crate) fn thread_pool(threads: Option<usize>, jobs: usize) -> Result<Option<ThreadPool>> {
    pool_of(threads_for(threads, jobs))
}

pub(super) fn pool_of(threads: usize) -> Result<Option<ThreadPool>> {
    if threads <= 1 {
        return Ok(None);
    }
    interrupt::thread_pool(threads).map(Some)
}

/// How many threads work on this many jobs. The system is asked for the number of processors at
/// each call, since the caller may change it, but only if there are several jobs: asking takes
/// longer than scoring a short list.
pub(super) fn threads_for(threads: Option<usize>, jobs: usize) -> usize {
    let available = || std::thread::available_parallelism().map_or(1, usize::from);
    if jobs <= 1 { 1 } else { threads.unwrap_or_else(available).min(jobs) }
}

/// Whether it is faster to look the judged documents of a topic up in a list that can be asked
/// for a document by name than to look the list's documents up among the judged ones.
#[inline]
pub fn few_are_judged(topic: &Topic, listed: usize) -> bool {
    topic.docs().len() * LISTED_FOR_EACH_JUDGED <= listed
}
