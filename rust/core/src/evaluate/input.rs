//! What goes into an evaluation: options, runs in all their forms, a monitor.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

use super::check_cancelled;
use crate::rank::arrays::Arrays;
use crate::rank::{Order, Ranker, Ranking, Run};
use crate::read::Strictness;
use crate::read::lines::LineReader;
use crate::read::run::{Gathered, Layout, Ranks, RunOptions};
use crate::read::{Limits, Source};
use crate::scores::{Missing, Notes, Undefined};
use crate::table::Table;

/// What a negative grade means.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Negative {
    /// In the pool, not judged: `trec_eval`'s rule.
    #[default]
    Unjudged,
    /// Judged, and not relevant: spam.
    Nonrelevant,
}

/// All options of an evaluation; the defaults are those of the project.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// What becomes of topics that a run lacks.
    pub missing: Missing,
    /// What becomes of undefined values.
    pub undefined: Undefined,
    /// How lists are put in order.
    pub ranker: Ranker,
    /// What a negative grade means.
    pub negative: Negative,
    /// How forgiving the reader is.
    pub strictness: Strictness,
    /// The columns of run files.
    pub run_layout: Layout,
    /// Limits on input.
    pub limits: Limits,
    /// How many threads; as many as there are processors if `None`.
    pub threads: Option<usize>,
    /// The lowest relevant grade of measures that do not name one.
    pub rel: Option<f64>,
    /// Whether a run without any topic of the judgments is scored as well: what
    /// becomes of it is for a host to say.
    pub hosted: bool,
}

impl Options {
    /// Whether a run has to have a topic of the judgments.
    pub(crate) fn expects_topics(&self) -> bool {
        self.missing != Missing::Skip && !self.hosted
    }

    /// What the order needs to know of a run.
    pub fn run_options(&self) -> RunOptions {
        let ranks = if self.ranker.order == Order::Rank { Ranks::Needed } else { Ranks::Ignored };
        RunOptions { strictness: self.strictness, ranks, layout: self.run_layout }
    }

    /// Reads a source under the limits, telling a monitor how far it is; stops
    /// when that says so.
    pub(crate) fn reader(&self, source: Source, monitor: &Arc<Monitor>) -> LineReader {
        let monitor = Arc::clone(monitor);
        LineReader::new(source, &self.limits).reporting(Box::new(move |bytes| {
            monitor.bytes.fetch_add(bytes, Ordering::Relaxed);
            check_cancelled(&monitor)
        }))
    }
}

/// A run to score.
pub enum Input<'a> {
    /// A run in memory.
    Run(Arc<Run>),
    /// A run in arrays.
    Arrays(Arrays<'a>),
    /// A file, streamed: its name in the table and its path.
    Path(String, PathBuf),
    /// A run that was read from a stream, which nobody can read again.
    Gathered(Gathered),
    /// A run that was ranked and joined with judgments of the same documents.
    Ranked(Arc<Ranked>),
}

/// What is left of a run once it was ranked and joined with judgments: enough
/// to score it under any judgments of the same documents without reading it.
#[derive(Clone, Debug)]
pub struct Ranked {
    /// What the run is called.
    pub name: String,
    /// The documents of each topic that it was joined with.
    pub tables: Vec<Arc<Table>>,
    /// The ranking of each topic that the run has.
    pub rankings: Vec<Option<Ranking>>,
    /// Down to which rank the rankings hold the documents that the judgments lack.
    pub strangers: u32,
    /// Whether they hold the groups of equal scores.
    pub groups: bool,
    /// What was passed over when it was read.
    pub notes: Notes,
}

impl Input<'_> {
    /// What the run is called.
    pub fn name(&self) -> &str {
        match self {
            Input::Run(run) => &run.name,
            Input::Arrays(arrays) => arrays.name,
            Input::Gathered(gathered) => &gathered.run.name,
            Input::Path(name, _) => name,
            Input::Ranked(ranked) => &ranked.name,
        }
    }
}

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
