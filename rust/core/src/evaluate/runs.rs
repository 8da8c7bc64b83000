//! The loop over runs, and how those in files are read: topic by topic, in chunks by several
//! threads, or held where neither is possible. Threads split runs, never a sum, so the bits are
//! the same for any number of them.

use std::collections::HashSet;
use std::fs::File;
use std::io::{BufRead, BufReader, Read, Result as IoResult, Seek, SeekFrom};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;

use super::input::{Arriving, Input, RunFile};
use super::options::{Monitor, Options};
use super::rows::{Context, Filling, Memory, RowSeen, RunRow};
use super::schedule::{is_large, jobs_of, pool_of, threads_for};
use crate::bytes::field;
use crate::error::{Error, Kind, Result};
use crate::interrupt;
use crate::memory;
use crate::rank::Run;
use crate::read::lines::LineReader;
use crate::read::run::{TopicLines, Topics, gather, is_of_a_run, topic_of};
use crate::read::{Compression, Source};
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

/// A run that is being read.
struct RunReader<'a> {
    topics: Topics,
    row: RunRow<'a>,
    /// The topics without judgments that came.
    unjudged_topics: HashSet<Box<[u8]>>,
}

/// What came of reading a topic.
enum TopicRead {
    /// It is scored.
    On,
    /// There was none.
    End,
    /// It had come before, or what it came with can only be judged as a whole.
    CameBack,
    /// Its list cannot be scored.
    Unscored(Error),
}

impl<'a> RunReader<'a> {
    /// Begins to read.
    pub(super) fn new(reader: LineReader, row: RunRow<'a>) -> Self {
        let topics = Topics::new(reader, row.filling().context.options.run_options());
        RunReader { topics, row, unjudged_topics: HashSet::new() }
    }

    /// Reads and scores the next topic.
    fn step(&mut self, memory: &mut Memory) -> Result<TopicRead> {
        let RunReader { topics, row, unjudged_topics } = self;
        let Some(TopicLines { topic, lines, places }) = topics.next_topic()? else {
            return Ok(if topics.is_doubtful() { TopicRead::CameBack } else { TopicRead::End });
        };
        let position = row.filling().context.qrels.position(topic);
        let new = match position {
            Some(position) => !row.seen.done[position],
            None => unjudged_topics.insert(topic.into()),
        };
        if !new {
            return Ok(TopicRead::CameBack);
        }
        row.seen.notes.lines += lines.len() as u64;
        let scored = row.topic((topic, position), lines, Some(places), memory);
        Ok(match scored {
            Ok(()) => TopicRead::On,
            Err(error) => TopicRead::Unscored(error.in_file(topics.name())),
        })
    }

    /// How many fields each line has.
    fn fields(&self) -> usize {
        self.topics.fields()
    }

    /// The row with what is known at the end.
    pub(super) fn end(self) -> RunRow<'a> {
        let RunReader { mut topics, mut row, .. } = self;
        row.end(topics.end());
        row
    }
}

/// Scores a run in a file: streamed if it can be read again, otherwise held.
fn score_file<'a>(
    file: &RunFile,
    mut row: RunRow<'a>,
    monitor: &Arc<Monitor>,
    memory: &mut Memory,
) -> Result<RunRow<'a>> {
    let options = &row.filling().context.options;
    if file.is_rereadable() {
        let mut reading = RunReader::new(open(file, options, monitor)?, row);
        loop {
            match reading.step(memory)? {
                TopicRead::On => {}
                TopicRead::End => return Ok(reading.end()),
                TopicRead::CameBack => break,
                // A file and a stream report the same of several errors: that of a line comes
                // before that of a list. So the rest of the lines are read.
                TopicRead::Unscored(error) => {
                    let held = hold(file, &mut reading.row.anew(), monitor, memory);
                    return Err(held.err().unwrap_or(error));
                }
            }
        }
        row = reading.row.anew();
    }
    hold(file, &mut row, monitor, memory)?;
    Ok(row)
}

/// Scores a run whose lists arrive one after another. If a topic comes back, the whole run is held.
fn score_lists<'a>(
    arriving: &Arriving,
    mut row: RunRow<'a>,
    memory: &mut Memory,
) -> Result<RunRow<'a>> {
    let mut lists = arriving.lists();
    let mut unjudged_topics: HashSet<Box<[u8]>> = HashSet::new();
    let mut anew = true;
    while let Some(next) = lists.next(anew)? {
        anew = false;
        for (topic, lines) in next {
            interrupt::check()?;
            let position = row.filling().context.qrels.position(&topic);
            let new = match position {
                Some(position) => !row.seen.done[position],
                None => unjudged_topics.insert(topic.clone()),
            };
            if !new {
                let mut row = row.anew();
                let scored = row.run(&lists.whole()?, None, memory);
                return scored.map(|()| row).map_err(|error| error.in_file(&arriving.file));
            }
            row.seen.notes.lines += lines.len() as u64;
            let scored = row.topic((&topic, position), &lines, None, memory);
            scored.map_err(|error| error.in_file(&arriving.file))?;
        }
    }
    Ok(row)
}

/// Scores a file whose topics may come in pieces: all its lines are held.
fn hold(
    file: &RunFile,
    row: &mut RunRow,
    monitor: &Arc<Monitor>,
    memory: &mut Memory,
) -> Result<()> {
    let options = &row.filling().context.options;
    let held = gather(open(file, options, monitor)?, options.run_options(), String::new())?;
    row.gathered(&held, memory)
}

fn open(file: &RunFile, options: &Options, monitor: &Arc<Monitor>) -> Result<LineReader> {
    Ok(options.reader(file.open(&options.limits)?, monitor))
}

/// How far the beginning of a topic is looked for.
const TOPIC_SEARCH_BYTES: u64 = 16 << 20;

/// Where up to this many chunks of a plain file begin, and where the last ends.
fn cuts(path: &Path, chunks: u64) -> IoResult<Vec<u64>> {
    let mut file = File::open(path)?;
    let length = file.metadata()?.len();
    let mut cuts = vec![0];
    for chunk in 1..chunks {
        let from = length / chunks * chunk;
        if let Some(cut) = topic_begins(&mut file, from)?
            && cuts.last().is_some_and(|last| *last < cut)
        {
            cuts.push(cut);
        }
    }
    cuts.push(length);
    Ok(cuts)
}

/// The first line behind a place whose topic is not that of the line above.
fn topic_begins(file: &mut File, from: u64) -> IoResult<Option<u64>> {
    file.seek(SeekFrom::Start(from))?;
    let mut reader = BufReader::new(file).take(TOPIC_SEARCH_BYTES);
    let (mut line, mut at) = (Vec::new(), from);
    at += reader.read_until(b'\n', &mut line)? as u64;
    let mut above: Option<Vec<u8>> = None;
    loop {
        line.clear();
        let read = reader.read_until(b'\n', &mut line)?;
        if line.last() != Some(&b'\n') {
            return Ok(None);
        }
        let topic = field(&line[..read - 1], 0).map(|(start, end)| &line[start..end]);
        // One that begins with `#` may be a comment, before which nothing is cut.
        if let Some(topic) = topic.filter(|topic| !topic.starts_with(b"#")) {
            match &above {
                Some(above) if above != topic => return Ok(Some(at)),
                Some(_) => {}
                None => above = Some(topic.to_vec()),
            }
        }
        at += read as u64;
    }
}

/// Fills a row from a plain file by this many threads; nothing if the file has
/// anything unusual.
fn score_chunks(
    path: &Path,
    threads: usize,
    row: &mut RunRow,
    monitor: &Arc<Monitor>,
) -> Option<()> {
    let whole = Source::open(path, &row.filling().context.options.limits).ok()?;
    if whole.compression() != Compression::None {
        return None;
    }
    let cuts = cuts(path, threads as u64).ok()?;
    let chunks: Vec<(u64, u64)> = cuts.windows(2).map(|cut| (cut[0], cut[1])).collect();
    let (filling, place) = (row.filling(), row.place());
    let scored: Vec<Option<FileChunk>> = chunks
        .into_par_iter()
        .with_max_len(1)
        .map(|bounds| FileChunk::score(path, bounds, (filling, place), monitor))
        .collect();
    let mut unjudged_topics = HashSet::new();
    let mut layout = None;
    for chunk in scored {
        let FileChunk { cells, seen, fields } = chunk?;
        // Each chunk found its layout by itself.
        if *layout.get_or_insert(fields) != fields {
            return None;
        }
        let twice = row.seen.done.iter().zip(&seen.done).any(|(before, here)| *before && *here);
        let mut topics = seen.notes.without_judgments.iter();
        if twice || !topics.all(|topic| unjudged_topics.insert(topic.clone())) {
            return None;
        }
        row.take(&cells, seen);
    }
    Some(())
}

/// What comes of a chunk.
struct FileChunk {
    cells: Vec<f64>,
    seen: RowSeen,
    /// How many its lines have.
    fields: usize,
}

impl FileChunk {
    fn score(
        path: &Path,
        (from, to): (u64, u64),
        (filling, place): (Filling, usize),
        monitor: &Arc<Monitor>,
    ) -> Option<FileChunk> {
        let mut file = File::open(path).ok()?;
        file.seek(SeekFrom::Start(from)).ok()?;
        let chunk = Box::new(file.take(to - from));
        let options = &filling.context.options;
        let source = Source::from_reader("", chunk, &options.limits).ok()?;
        let mut cells = vec![0.0; filling.cells()];
        let row = RunRow::new(filling, place, &mut cells);
        let reader = options.reader(source, monitor).from_byte(from);
        let mut chunk = RunReader::new(reader, row);
        let mut memory = Memory::default();
        loop {
            match chunk.step(&mut memory).ok()? {
                TopicRead::On => {}
                TopicRead::End => break,
                TopicRead::CameBack | TopicRead::Unscored(_) => return None,
            }
        }
        let fields = chunk.fields();
        let RunRow { seen, .. } = chunk.end();
        Some(FileChunk { cells, seen, fields })
    }
}

#[cfg(test)]
mod tests;
