//! The loop over runs. Threads split runs, never a sum, so the bits are the
//! same for any number of them.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::ThreadPool;
use rayon::prelude::*;

use super::context::Context;
use super::input::{Input, RunFile};
use super::monitor::Monitor;
use super::reading::{score_file, score_lists};
use super::row::{Filling, Memory, RunRow};
use super::split::{is_large, score_chunks};
use crate::error::{Error, Kind, Result};
use crate::interrupt;
use crate::memory;
use crate::rank::Run;
use crate::read::lines::LineReader;
use crate::read::run::{is_of_a_run, topic_of};
use crate::scores::Notes;

/// The cells of all runs, in parallel over them, and the notes on each.
pub(super) fn each_run(
    inputs: &[Input],
    filling: Filling,
    monitor: &Arc<Monitor>,
) -> Result<(Vec<f64>, Vec<Notes>)> {
    let width = filling.cells();
    memory::room_for(width.saturating_mul(inputs.len()).saturating_mul(size_of::<f64>()))?;
    let mut values = vec![0.0; width * inputs.len()];
    // A collection without topics or measures has rows of no width.
    let rows: Vec<&mut [f64]> = if width == 0 {
        inputs.iter().map(|_| <&mut [f64]>::default()).collect()
    } else {
        values.chunks_mut(width).collect()
    };
    let jobs = inputs.iter().zip(rows).enumerate();
    let jobs: Vec<Job> = jobs.map(|(place, (input, cells))| Job { place, input, cells }).collect();
    let threads = threads_for(filling.context.options.threads, jobs_of(inputs));
    let scoring = Scoring {
        filling,
        threads: threads / inputs.len().max(1),
        monitor,
        failed: &AtomicUsize::new(usize::MAX),
    };
    let notes: Vec<Result<Notes>> = match pool_of(threads)? {
        None => {
            let mut memory = Memory::default();
            jobs.into_iter().map(|job| scoring.score(job, &mut memory)).collect()
        }
        Some(pool) => pool.install(|| {
            let jobs = jobs.into_par_iter().with_max_len(1);
            let score = |memory: &mut Memory, job| scoring.score(job, memory);
            jobs.map_init(Memory::default, score).collect()
        }),
    };
    let notes = notes.into_iter().collect::<Result<Vec<Notes>>>()?;
    Ok((values, notes))
}

/// Whether one thread scores these, which is the one that calls.
pub(super) fn is_single_threaded(threads: Option<usize>, inputs: &[Input]) -> bool {
    threads_for(threads, jobs_of(inputs)) <= 1
}

/// How many threads could work at once: a run is a job, a large one several, and short ones
/// in memory are one together.
fn jobs_of(inputs: &[Input]) -> usize {
    let large = |input: &Input| matches!(input, Input::File(file) if is_large(file));
    match inputs {
        [input] if !large(input) => 1,
        _ if inputs.iter().any(large) => usize::MAX,
        _ if inputs.iter().map(Input::lines_and_topics).sum::<usize>() < SHORT => 1,
        _ => inputs.len(),
    }
}

/// Scoring fewer lines and topics than this in all takes less time than starting threads.
const SHORT: usize = 1 << 12;

/// A pool of this many threads, as many as there are processors if `None`, but
/// not more than there are jobs; none if one thread is enough.
pub(crate) fn thread_pool(threads: Option<usize>, jobs: usize) -> Result<Option<ThreadPool>> {
    pool_of(threads_for(threads, jobs))
}

fn pool_of(threads: usize) -> Result<Option<ThreadPool>> {
    if threads <= 1 {
        return Ok(None);
    }
    interrupt::thread_pool(threads).map(Some)
}

/// How many threads work on this many jobs. The system is asked for the number of processors at
/// each call, since the caller may change it, but only if there are several jobs: asking takes
/// longer than scoring a short list.
pub(crate) fn threads_for(threads: Option<usize>, jobs: usize) -> usize {
    let available = || std::thread::available_parallelism().map_or(1, usize::from);
    if jobs <= 1 { 1 } else { threads.unwrap_or_else(available).min(jobs) }
}

/// A run to be scored.
struct Job<'a> {
    /// Its position among all runs.
    place: usize,
    input: &'a Input<'a>,
    /// Where its values go: topics x measures.
    cells: &'a mut [f64],
}

/// How runs are scored.
#[derive(Clone, Copy)]
struct Scoring<'a> {
    filling: Filling<'a>,
    /// How many threads a large file has.
    threads: usize,
    monitor: &'a Arc<Monitor>,
    /// The first run that failed; those behind it are no longer wanted.
    failed: &'a AtomicUsize,
}

impl<'a> Scoring<'a> {
    /// Scores a run, unless one before it failed, and reports it to the monitor.
    fn score(self, job: Job<'a>, memory: &mut Memory) -> Result<Notes> {
        let (place, input) = (job.place, job.input);
        if place > self.failed.load(Ordering::Relaxed) {
            return Ok(Notes::default());
        }
        let notes = self.run(job, memory);
        if notes.is_err() {
            self.failed.fetch_min(place, Ordering::Relaxed);
        }
        self.monitor.runs.fetch_add(1, Ordering::Relaxed);
        notes.map_err(|error| self.foremost(input, error))
    }

    fn run(self, Job { place, input, cells }: Job<'a>, memory: &mut Memory) -> Result<Notes> {
        interrupt::check()?;
        let mut row = RunRow::new(self.filling, place, cells);
        match input {
            Input::Run(run) => row.run(run, None, memory)?,
            Input::Arrays(arrays) => row.arrays(arrays, memory)?,
            Input::Gathered(gathered) => row.gathered(gathered, memory)?,
            Input::Ranked(ranked) => row.ranked(ranked, memory)?,
            Input::Lists(arriving) => row = score_lists(arriving, row, memory)?,
            Input::File(file) => row = self.file(file, row, memory)?,
        }
        row.finish(input.name(), &mut memory.workspace)
    }

    /// Scores a run in a file: in chunks if it is large, otherwise as a whole.
    fn file(self, file: &RunFile, mut row: RunRow<'a>, memory: &mut Memory) -> Result<RunRow<'a>> {
        if self.threads > 1 && is_large(file) {
            if score_chunks(&file.path, self.threads, &mut row, self.monitor).is_some() {
                return Ok(row);
            }
            row = row.anew();
        }
        score_file(file, row, self.monitor, memory)
    }

    /// The error for a run that failed.
    #[cold]
    fn foremost(self, input: &Input, error: Error) -> Error {
        if error.kind() == Kind::Cancelled {
            return error;
        }
        let context = self.filling.context;
        let of_run = |run: &Run| run.topics.iter().map(|(id, _)| id.clone()).collect();
        let topics: Vec<Box<[u8]>> = match input {
            Input::Run(run) => of_run(run),
            Input::Gathered(gathered) => of_run(&gathered.run),
            Input::Arrays(arrays) => arrays.lists.iter().map(|(id, _)| (*id).into()).collect(),
            Input::File(file) if context.options.expects_topics() => {
                self.topics_of(file).unwrap_or_default()
            }
            Input::File(_) | Input::Ranked(_) | Input::Lists(_) => return error,
        };
        let file = match input {
            Input::File(file) => file.path.to_string_lossy(),
            Input::Gathered(gathered) => gathered.file.as_str().into(),
            _ => "".into(),
        };
        context.foremost(error, input.name(), &file, &topics)
    }

    /// The topics of a file whose lines look like those of a run, up to the first that
    /// is judged; nothing if it cannot be read again.
    fn topics_of(self, file: &RunFile) -> Option<Vec<Box<[u8]>>> {
        if !file.is_rereadable() {
            return None;
        }
        let Context { qrels, options, .. } = self.filling.context;
        let source = file.open(&options.limits).ok()?;
        let mut reader = LineReader::new(source, &options.limits);
        let (mut topics, mut seen) = (Vec::<Box<[u8]>>::new(), HashSet::<Box<[u8]>>::new());
        while let Some(line) = reader.next_line().ok()? {
            let Some((start, end)) = topic_of(line) else { continue };
            let topic = &line[start..end];
            if topics.last().is_some_and(|last| **last == *topic) {
                continue;
            }
            if topics.is_empty() && !is_of_a_run(line) {
                return None;
            }
            if seen.insert(topic.into()) {
                topics.push(topic.into());
            }
            if qrels.position(topic).is_some() {
                break;
            }
        }
        Some(topics)
    }
}

#[cfg(test)]
mod tests;
