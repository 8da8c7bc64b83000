//! Runs that are read and scored topic by topic.

use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::row::Sheet;
use super::split::is_large;
use super::{Evaluator, Input, Kernel, Monitor, Workspace, check_cancelled};
use crate::bytes::field;
use crate::error::{Error, Kind, Result};
use crate::rank::Run;
use crate::read::Source;
use crate::read::lines::LineReader;
use crate::read::run::{TopicLines, Topics, gather, is_of_a_run};
use crate::scores::Notes;

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
    /// Scores a run, unless one before it failed, and tells the monitor.
    pub(super) fn score(self, job: Job<'a>, workspace: &mut Workspace) -> Result<Notes> {
        let (place, input) = (job.place, job.input);
        if place > self.failed.load(Ordering::Relaxed) {
            return Ok(Notes::default());
        }
        let notes = self.run(job, workspace);
        if notes.is_err() {
            self.failed.fetch_min(place, Ordering::Relaxed);
        }
        self.monitor.runs.fetch_add(1, Ordering::Relaxed);
        notes.map_err(|error| self.foremost(input, error))
    }

    /// What to say of a run that failed.
    #[cold]
    fn foremost(self, input: &Input, error: Error) -> Error {
        if error.kind() == Kind::Cancelled {
            return error;
        }
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

    fn run(self, Job { place, input, row }: Job<'a>, workspace: &mut Workspace) -> Result<Notes> {
        let Scoring { evaluator, kernel, monitor, .. } = self;
        check_cancelled(monitor)?;
        let mut sheet = Sheet::new(evaluator, kernel, place, row);
        match input {
            Input::Run(run) => sheet.held(run, None, workspace)?,
            Input::Arrays(arrays) => sheet.arrays(arrays, workspace)?,
            Input::Gathered(gathered) => sheet.gathered(gathered, workspace)?,
            Input::Ranked(ranked) => sheet.ranked(ranked, workspace)?,
            Input::Path(_, path) => sheet = self.file(path, sheet, workspace)?,
        }
        sheet.finish(input.name(), workspace)
    }

    /// Scores a run in a file: in parts, streamed, or held.
    fn file(
        self,
        path: &Path,
        mut sheet: Sheet<'a>,
        workspace: &mut Workspace,
    ) -> Result<Sheet<'a>> {
        let Scoring { evaluator, threads, monitor, .. } = self;
        if threads > 1 && is_large(path) {
            if evaluator.score_parts(path, threads, &mut sheet, monitor).is_some() {
                return Ok(sheet);
            }
            sheet = sheet.anew();
        }
        // What cannot be read again, a pipe, is held from the beginning.
        if std::fs::metadata(path).is_ok_and(|metadata| metadata.is_file()) {
            let mut reading = Reading::new(self.open(path)?, sheet);
            loop {
                match reading.step(workspace)? {
                    Step::On => {}
                    Step::End => return Ok(reading.end()),
                    Step::CameBack => break,
                    // Of several errors a file and a stream tell the same: that of a line
                    // comes before that of a list. So the rest of the lines are read.
                    Step::Unscored(error) => {
                        let held = self.hold(path, &mut reading.sheet.anew(), workspace);
                        return Err(held.err().unwrap_or(error));
                    }
                }
            }
            sheet = reading.sheet.anew();
        }
        self.hold(path, &mut sheet, workspace)?;
        Ok(sheet)
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
    /// It had come before, or what it came with can only be judged as a whole.
    CameBack,
    /// Its list cannot be scored.
    Unscored(Error),
}

impl<'a> Reading<'a> {
    /// Begins to read.
    pub(super) fn new(reader: LineReader, sheet: Sheet<'a>) -> Self {
        let topics = Topics::new(reader, sheet.evaluator().run_options());
        Reading { topics, sheet, strangers: HashSet::new() }
    }

    /// Reads and scores the next topic.
    pub(super) fn step(&mut self, workspace: &mut Workspace) -> Result<Step> {
        let Reading { topics, sheet, strangers } = self;
        let Some(TopicLines { topic, lines, places }) = topics.next_topic()? else {
            return Ok(if topics.is_doubtful() { Step::CameBack } else { Step::End });
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
        Ok(match scored {
            Ok(()) => Step::On,
            Err(error) => Step::Unscored(error.in_file(topics.name())),
        })
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
        fn runs_of_one_call_are_runs_one_by_one(
            runs in prop::collection::vec(prop::collection::vec(stretch(), 1..9), 1..12),
            threads in 1usize..4,
        ) {
            static FOLDERS: AtomicUsize = AtomicUsize::new(0);
            let folder = FOLDERS.fetch_add(1, Ordering::Relaxed);
            let folder = format!("cranfield-runs-{}-{folder}", std::process::id());
            let folder = std::env::temp_dir().join(folder);
            std::fs::create_dir(&folder).unwrap();
            let texts: Vec<String> = runs.iter().map(|run| run.concat()).collect();
            let alone = texts.iter().enumerate().map(|(i, text)| {
                let alone = outcome(&folder, std::slice::from_ref(text), 1);
                let its_own = |error: Error| {
                    let text = error.to_string().replace("/0:", &format!("/{i}:"));
                    text.replace("run `0`", &format!("run `{i}`"))
                };
                let alone = alone.map_err(its_own);
                alone.map(|mut rows| rows.remove(0))
            });
            let alone: std::result::Result<Vec<String>, String> = alone.collect();
            let together = outcome(&folder, &texts, threads).map_err(|e| e.to_string());
            std::fs::remove_dir_all(&folder).unwrap();
            prop_assert_eq!(together, alone);
        }
    }
}
