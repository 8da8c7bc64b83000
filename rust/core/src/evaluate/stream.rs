//! Runs that are read and scored topic by topic, a few of them in turn.
//!
//! A topic's judgments take tens of kilobytes, and those of all topics more
//! than the cache next to the processor has. So after a topic of one run the
//! same place of the next run comes, which mostly is the same topic: its
//! judgments are fetched once for all of them.

use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::sheet::Sheet;
use super::split::is_large;
use super::{Evaluator, Input, Kernel, Monitor, Workspace, check_cancelled};
use crate::bytes::field;
use crate::error::{Error, Result};
use crate::read::lines::LineReader;
use crate::read::open::Source;
use crate::read::run::{TopicLines, Topics, gather, is_of_a_run};
use crate::run::Run;
use crate::scores::Notes;

/// How many runs are read in turn at most. Each has an open file, and a buffer
/// which is to stay in that cache beside the judgments of a topic.
const TOGETHER: usize = 4;

/// How many of so many runs are read in turn, so that there is work for all
/// threads up to the end.
pub(super) fn together(runs: usize, threads: usize) -> usize {
    let shares = if threads > 1 { 4 * threads } else { 1 };
    (runs / shares).clamp(1, TOGETHER)
}

/// A run to be scored.
pub(super) struct Job<'a> {
    /// Its position among all runs.
    pub(super) place: usize,
    pub(super) input: &'a Input<'a>,
    /// Where its values go: topics x measures.
    pub(super) row: &'a mut [f64],
}

/// How runs are scored.
#[derive(Clone, Copy)]
pub(super) struct Scoring<'a> {
    pub(super) evaluator: &'a Evaluator,
    pub(super) kernel: &'a Kernel<'a>,
    /// How many threads a large file has.
    pub(super) threads: usize,
    pub(super) monitor: &'a Arc<Monitor>,
    /// The first run that failed; those behind it are no longer wanted.
    pub(super) failed: &'a AtomicUsize,
}

impl<'a> Scoring<'a> {
    /// Scores runs, those in files in turn.
    pub(super) fn score(self, jobs: Vec<Job<'a>>, workspace: &mut Workspace) -> Vec<Result<Notes>> {
        let mut notes: Vec<Result<Notes>> = jobs.iter().map(|_| Ok(Notes::default())).collect();
        let mut reading = Vec::new();
        for (notes, job) in notes.iter_mut().zip(jobs) {
            let (place, input) = (job.place, job.input);
            if self.is_wanted(place) {
                match self.begin(job, workspace) {
                    Ok(Begun::Reading(run)) => reading.push((notes, place, input, run)),
                    Ok(Begun::Done(done)) => *notes = self.done(place, input, Ok(done)),
                    Err(error) => *notes = self.done(place, input, Err(error)),
                }
            }
        }
        while !reading.is_empty() {
            let on = reading.into_iter().filter_map(|(notes, place, input, mut run)| {
                if !self.is_wanted(place) {
                    return None;
                }
                let step = run.step(workspace);
                if matches!(step, Ok(Step::On)) {
                    return Some((notes, place, input, run));
                }
                let done = step.and_then(|step| self.close(*run, step, input, workspace));
                *notes = self.done(place, input, done);
                None
            });
            reading = on.collect();
        }
        notes
    }

    fn is_wanted(self, place: usize) -> bool {
        place <= self.failed.load(Ordering::Relaxed)
    }

    /// Tells of a run that is done, or failed.
    fn done(self, place: usize, input: &Input, notes: Result<Notes>) -> Result<Notes> {
        if notes.is_err() {
            self.failed.fetch_min(place, Ordering::Relaxed);
        }
        self.monitor.runs.fetch_add(1, Ordering::Relaxed);
        notes.map_err(|error| self.foremost(input, error))
    }

    /// What to say of a run that failed.
    #[cold]
    fn foremost(self, input: &Input, error: Error) -> Error {
        let evaluator = self.evaluator;
        let of_run = |run: &Run| run.topics.iter().map(|(id, _)| id.clone()).collect();
        let topics: Vec<Box<[u8]>> = match input {
            Input::Run(run) => of_run(run),
            Input::Gathered(gathered) => of_run(&gathered.run),
            Input::Arrays(arrays) => arrays.lists.iter().map(|(id, _)| (*id).into()).collect(),
            Input::Path(_, path) if evaluator.options.expects_topics() => {
                self.topics_of(path).unwrap_or_default()
            }
            Input::Path(..) | Input::Ranked(_) => return error,
        };
        let file = match input {
            Input::Path(_, path) => path.to_string_lossy(),
            Input::Gathered(gathered) => gathered.file.as_str().into(),
            _ => "".into(),
        };
        evaluator.foremost(error, input.name(), &file, &topics)
    }

    /// The topics of a file whose lines look like those of a run; up to the first that
    /// somebody judged.
    fn topics_of(self, path: &Path) -> Option<Vec<Box<[u8]>>> {
        // What is no regular file cannot be read again.
        if !std::fs::metadata(path).is_ok_and(|metadata| metadata.is_file()) {
            return None;
        }
        let options = &self.evaluator.options;
        let source = Source::open(path, &options.limits).ok()?;
        let mut reader = LineReader::new(source, &options.limits);
        let (mut topics, mut seen) = (Vec::<Box<[u8]>>::new(), HashSet::<Box<[u8]>>::new());
        while let Some(line) = reader.next_line().ok()? {
            let Some((start, end)) = field(line, 0).filter(|&(start, _)| line[start] != b'#')
            else {
                continue;
            };
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
            if self.evaluator.qrels.position(topic).is_some() {
                break;
            }
        }
        Some(topics)
    }

    /// Opens a run in a file that can be read again; scores any other one.
    fn begin(
        self,
        Job { place, input, row }: Job<'a>,
        workspace: &mut Workspace,
    ) -> Result<Begun<'a>> {
        let Scoring { evaluator, kernel, threads, monitor, .. } = self;
        check_cancelled(monitor)?;
        let mut sheet = Sheet::new(evaluator, kernel, place, row);
        match input {
            Input::Run(run) => sheet.held(run, None, workspace)?,
            Input::Arrays(arrays) => sheet.arrays(arrays, workspace)?,
            Input::Gathered(gathered) => sheet.gathered(gathered, workspace)?,
            Input::Ranked(ranked) => sheet.ranked(ranked, workspace)?,
            Input::Path(_, path) => {
                if threads > 1 && is_large(path) {
                    if evaluator.score_parts(path, threads, &mut sheet, monitor).is_some() {
                        return Ok(Begun::Done(sheet.finish(input.name(), workspace)?));
                    }
                    sheet = sheet.anew();
                }
                // What cannot be read again, a pipe, is held from the beginning.
                if std::fs::metadata(path).is_ok_and(|metadata| metadata.is_file()) {
                    let run = Reading::new(self.open(path)?, sheet);
                    return Ok(Begun::Reading(Box::new(run)));
                }
                self.hold(path, &mut sheet, workspace)?;
            }
        }
        Ok(Begun::Done(sheet.finish(input.name(), workspace)?))
    }

    /// Ends a run that cannot be read on in order.
    fn close(
        self,
        run: Reading<'a>,
        step: Step,
        input: &Input,
        workspace: &mut Workspace,
    ) -> Result<Notes> {
        let sheet = match (step, input) {
            (Step::CameBack, Input::Path(_, path)) => {
                let mut sheet = run.sheet.anew();
                self.hold(path, &mut sheet, workspace)?;
                sheet
            }
            _ => run.end(),
        };
        sheet.finish(input.name(), workspace)
    }

    /// Scores a file whose topics may come in pieces: all its lines are held.
    fn hold(self, path: &Path, sheet: &mut Sheet, workspace: &mut Workspace) -> Result<()> {
        let options = self.evaluator.run_options();
        let held = gather(self.open(path)?, options, String::new())?;
        sheet.gathered(&held, workspace)
    }

    fn open(self, path: &Path) -> Result<LineReader> {
        let source = Source::open(path, &self.evaluator.options.limits)?;
        Ok(self.evaluator.options.reader(source, self.monitor))
    }
}

/// A run of which something is done.
enum Begun<'a> {
    Reading(Box<Reading<'a>>),
    Done(Notes),
}

/// A run that is being read.
pub(super) struct Reading<'a> {
    topics: Topics,
    sheet: Sheet<'a>,
    /// The topics without judgments that came.
    strangers: HashSet<Box<[u8]>>,
}

/// What came of reading a topic.
pub(super) enum Step {
    /// It is scored.
    On,
    /// There was none.
    End,
    /// It had come before.
    CameBack,
}

impl<'a> Reading<'a> {
    pub(super) fn new(reader: LineReader, sheet: Sheet<'a>) -> Self {
        let topics = Topics::new(reader, sheet.evaluator().run_options());
        Reading { topics, sheet, strangers: HashSet::new() }
    }

    /// Reads and scores the next topic.
    pub(super) fn step(&mut self, workspace: &mut Workspace) -> Result<Step> {
        let Reading { topics, sheet, strangers } = self;
        let Some(TopicLines { topic, lines, places }) = topics.next_topic()? else {
            return Ok(Step::End);
        };
        let position = sheet.evaluator().qrels.position(topic);
        let new = match position {
            Some(position) => !sheet.done[position],
            None => strangers.insert(topic.into()),
        };
        if !new {
            return Ok(Step::CameBack);
        }
        sheet.notes.lines += lines.len() as u64;
        let scored = sheet.topic((topic, position), lines, Some(places), workspace);
        scored.map_err(|e| e.in_file(topics.name()))?;
        Ok(Step::On)
    }

    /// The sheet with what is known at the end.
    pub(super) fn end(self) -> Sheet<'a> {
        let Reading { mut topics, mut sheet, .. } = self;
        sheet.end(topics.end());
        sheet
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evaluate::Options;
    use crate::grammar::parse_list;
    use crate::qrels::Builder;
    use proptest::prelude::*;

    /// What comes of runs that are scored in one call with so many threads.
    fn outcome(folder: &Path, texts: &[String], threads: usize) -> Result<Vec<String>> {
        let mut builder = Builder::new(&[]);
        for topic in 0..6 {
            for document in 0..4 {
                let (topic, document) = (topic.to_string(), format!("d{document}"));
                builder.add(topic.as_bytes(), document.as_bytes(), 1.0, &[], 1).unwrap();
            }
        }
        let options = Options { threads: Some(threads), ..Options::default() };
        let measures = parse_list("AP num_ret").unwrap();
        let evaluator = Evaluator::new(Arc::new(builder.finish(None)), &measures, options).unwrap();
        let write = |(i, text): (usize, &String)| {
            let path = folder.join(i.to_string());
            std::fs::write(&path, text).unwrap();
            Input::Path(i.to_string(), path)
        };
        let inputs: Vec<Input> = texts.iter().enumerate().map(write).collect();
        let monitor = Arc::new(Monitor::default());
        let scores = evaluator.evaluate(&inputs, &monitor)?;
        assert_eq!(monitor.runs.load(Ordering::Relaxed), inputs.len());
        let row = |run: usize| -> String {
            let values: Vec<&[f64]> = (0..6).map(|topic| scores.row(run, topic)).collect();
            format!("{values:?} {:?}", scores.notes[run])
        };
        Ok((0..inputs.len()).map(row).collect())
    }

    /// The lines of a topic, and seldom a wrong one.
    fn stretch() -> impl Strategy<Value = String> {
        let odd = prop_oneof![40 => Just(""), 1 => Just("0 Q0 d9 1 x tag\n"), 1 => Just("0 Q0\n")];
        (0usize..8, 0usize..5, odd).prop_map(|(topic, depth, odd)| {
            let line = |rank| format!("{topic} Q0 d{rank} 1 {}.5 tag\n", 9 - rank);
            (0..=depth).map(line).chain([odd.to_string()]).collect()
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(150))]

        /// Runs in any order of topics, with topics that come back and with
        /// errors, are what they are each by itself; the first that fails
        /// decides the error.
        #[test]
        fn runs_in_turn_are_runs_one_by_one(
            runs in prop::collection::vec(prop::collection::vec(stretch(), 1..9), 1..12),
            threads in 1usize..4,
        ) {
            static FOLDERS: AtomicUsize = AtomicUsize::new(0);
            let folder = FOLDERS.fetch_add(1, Ordering::Relaxed);
            let folder = format!("cranfield-turns-{}-{folder}", std::process::id());
            let folder = std::env::temp_dir().join(folder);
            std::fs::create_dir(&folder).unwrap();
            let texts: Vec<String> = runs.iter().map(|run| run.concat()).collect();
            let alone = texts.iter().enumerate().map(|(i, text)| {
                let alone = outcome(&folder, std::slice::from_ref(text), 1);
                let alone = alone.map_err(|e| e.to_string().replace("/0:", &format!("/{i}:")));
                alone.map(|mut rows| rows.remove(0))
            });
            let alone: std::result::Result<Vec<String>, String> = alone.collect();
            let together = outcome(&folder, &texts, threads).map_err(|e| e.to_string());
            std::fs::remove_dir_all(&folder).unwrap();
            prop_assert_eq!(together, alone);
        }
    }
}
