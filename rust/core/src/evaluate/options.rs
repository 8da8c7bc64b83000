//! The options of an evaluation, and how far it is.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use crate::qrels::Qrels;
use crate::rank::{Order, Ranker};
use crate::read::lines::LineReader;
use crate::read::run::{Ranks, RunLayout, RunOptions};
use crate::read::{Limits, Source, Strictness};
use crate::scores::{Missing, Undefined};

/// What a negative grade means.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Negative {
    /// In the pool, not judged: `trec_eval`'s rule.
    #[default]
    Unjudged,
    /// Judged, and not relevant: spam.
    Nonrelevant,
}

impl Negative {
    /// Whether a document of a grade counts as judged.
    pub(super) fn is_judged(self, grade: f64) -> bool {
        grade >= 0.0 || self == Negative::Nonrelevant
    }

    /// Which grades of judgments count as judged.
    pub(super) fn judged_grades(self, qrels: &Qrels) -> Vec<bool> {
        qrels.grades().iter().map(|&grade| self.is_judged(grade)).collect()
    }
}

/// All options of an evaluation; the defaults are those of the project.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// What happens to topics that a run lacks.
    pub missing: Missing,
    /// What happens to undefined values.
    pub undefined: Undefined,
    /// How lists are put in order.
    pub ranker: Ranker,
    /// What a negative grade means.
    pub negative: Negative,
    /// How forgiving the reader is.
    pub strictness: Strictness,
    /// The columns of run files.
    pub run_layout: RunLayout,
    /// Limits on input.
    pub limits: Limits,
    /// How many threads; as many as there are processors if `None`.
    pub threads: Option<usize>,
    /// The lowest relevant grade of measures that do not name one.
    pub rel: Option<f64>,
    /// Whether a run without any topic of the judgments is scored as well; the
    /// host program decides what to make of it.
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

    /// Reads a source under the limits, reporting to a monitor how far it is.
    pub(crate) fn reader(&self, source: Source, monitor: &Arc<Monitor>) -> LineReader {
        let source = source.counted(&monitor.decompressed);
        let monitor = Arc::clone(monitor);
        LineReader::new(source, &self.limits).reporting(Box::new(move |bytes| {
            monitor.bytes.fetch_add(bytes, Ordering::Relaxed);
        }))
    }
}

/// How far an evaluation is; shared between threads.
#[derive(Debug, Default)]
pub struct Monitor {
    /// Bytes read so far, before decompression.
    pub bytes: AtomicU64,
    /// Bytes decompressed so far.
    pub decompressed: Arc<AtomicU64>,
    /// Runs finished so far.
    pub runs: AtomicUsize,
}
