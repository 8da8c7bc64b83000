//! Runs in files: read and scored topic by topic, or held where that is not
//! possible.

use std::collections::HashSet;
use std::sync::Arc;

use super::input::{Arriving, RunFile};
use super::monitor::Monitor;
use super::options::Options;
use super::row::{Memory, RunRow};
use crate::error::{Error, Result};
use crate::interrupt;
use crate::read::lines::LineReader;
use crate::read::run::{TopicLines, Topics, gather};

/// A run that is being read.
pub(super) struct Reading<'a> {
    topics: Topics,
    row: RunRow<'a>,
    /// The topics without judgments that came.
    unjudged_topics: HashSet<Box<[u8]>>,
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
    pub(super) fn new(reader: LineReader, row: RunRow<'a>) -> Self {
        let topics = Topics::new(reader, row.filling().context.options.run_options());
        Reading { topics, row, unjudged_topics: HashSet::new() }
    }

    /// Reads and scores the next topic.
    pub(super) fn step(&mut self, memory: &mut Memory) -> Result<Step> {
        let Reading { topics, row, unjudged_topics } = self;
        let Some(TopicLines { topic, lines, places }) = topics.next_topic()? else {
            return Ok(if topics.is_doubtful() { Step::CameBack } else { Step::End });
        };
        let position = row.filling().context.qrels.position(topic);
        let new = match position {
            Some(position) => !row.done[position],
            None => unjudged_topics.insert(topic.into()),
        };
        if !new {
            return Ok(Step::CameBack);
        }
        row.notes.lines += lines.len() as u64;
        let scored = row.topic((topic, position), lines, Some(places), memory);
        Ok(match scored {
            Ok(()) => Step::On,
            Err(error) => Step::Unscored(error.in_file(topics.name())),
        })
    }

    /// How many fields each line has.
    pub(super) fn fields(&self) -> usize {
        self.topics.fields()
    }

    /// The row with what is known at the end.
    pub(super) fn end(self) -> RunRow<'a> {
        let Reading { mut topics, mut row, .. } = self;
        row.end(topics.end());
        row
    }
}

/// Scores a run in a file: streamed if it can be read again, otherwise held.
pub(super) fn score_file<'a>(
    file: &RunFile,
    mut row: RunRow<'a>,
    monitor: &Arc<Monitor>,
    memory: &mut Memory,
) -> Result<RunRow<'a>> {
    let options = &row.filling().context.options;
    if file.is_rereadable() {
        let mut reading = Reading::new(open(file, options, monitor)?, row);
        loop {
            match reading.step(memory)? {
                Step::On => {}
                Step::End => return Ok(reading.end()),
                Step::CameBack => break,
                // A file and a stream report the same of several errors: that of a line comes
                // before that of a list. So the rest of the lines are read.
                Step::Unscored(error) => {
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
pub(super) fn score_lists<'a>(
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
                Some(position) => !row.done[position],
                None => unjudged_topics.insert(topic.clone()),
            };
            if !new {
                let mut row = row.anew();
                let scored = row.run(&lists.whole()?, None, memory);
                return scored.map(|()| row).map_err(|error| error.in_file(&arriving.file));
            }
            row.notes.lines += lines.len() as u64;
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
