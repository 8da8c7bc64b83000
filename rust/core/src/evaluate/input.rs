//! Runs to score, in all their forms.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::error::Result;
use crate::rank::arrays::Arrays;
use crate::rank::{Lines, Ranking, Run};
use crate::read::run::Gathered;
use crate::read::{Limits, Source};
use crate::scores::Notes;
use crate::table::DocTable;

/// A run to score.
pub enum Input<'a> {
    /// A run in memory.
    Run(Arc<Run>),
    /// A run in arrays.
    Arrays(Arrays<'a>),
    /// A file, streamed.
    File(RunFile),
    /// A run that was read from a stream, which cannot be read again.
    Gathered(Gathered),
    /// A run whose lists come one after another from elsewhere.
    Lists(Arriving),
    /// A run that was ranked and joined with judgments of the same documents.
    Ranked(Arc<Ranked>),
}

/// Some topics of a run with their lines.
pub type Part = Vec<(Box<[u8]>, Lines)>;

/// The lists of a run, one after another, from a form that the core does not read.
pub trait ArrivingLists: Send {
    /// The next lists, from the first one on when `anew`; none at the end.
    fn next(&mut self, anew: bool) -> Result<Option<Part>>;

    /// The whole run, for one whose topics do not stand together.
    fn whole(&mut self) -> Result<Run>;
}

/// A run that arrives list by list.
pub struct Arriving {
    /// What the run is called.
    pub name: String,
    /// What errors call the place that it comes from.
    pub file: String,
    lists: Mutex<Box<dyn ArrivingLists>>,
}

impl Arriving {
    /// A run of this name, from this place.
    pub fn new(name: String, file: String, lists: Box<dyn ArrivingLists>) -> Self {
        Arriving { name, file, lists: Mutex::new(lists) }
    }

    /// Its lists, for one reader at a time.
    pub(crate) fn lists(&self) -> MutexGuard<'_, Box<dyn ArrivingLists>> {
        self.lists.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Opens what is no file of this machine, at its beginning.
pub type Opener = Arc<dyn Fn(&Limits) -> Result<Source> + Send + Sync>;

/// A run in a file.
#[derive(Clone)]
pub struct RunFile {
    /// What the run is called.
    pub name: String,
    /// Where it is; what errors call it, if it is no file of this machine.
    pub path: PathBuf,
    /// Its size in bytes, if it is a regular file.
    size: Option<u64>,
    opener: Option<Opener>,
}

impl RunFile {
    /// The file at a path, whose kind and size are looked up now.
    pub fn new(name: String, path: PathBuf) -> Self {
        let regular = std::fs::metadata(&path).ok().filter(std::fs::Metadata::is_file);
        RunFile { name, path, size: regular.map(|metadata| metadata.len()), opener: None }
    }

    /// What a function opens, any number of times, from a place of this name.
    pub fn opened_by(name: String, label: String, opener: Opener) -> Self {
        RunFile { name, path: label.into(), size: None, opener: Some(opener) }
    }

    /// Its bytes from the beginning.
    pub(crate) fn open(&self, limits: &Limits) -> Result<Source> {
        match &self.opener {
            Some(open) => open(limits),
            None => Source::open(&self.path, limits),
        }
    }

    /// Whether it is read by a function of the caller.
    pub(super) fn has_opener(&self) -> bool {
        self.opener.is_some()
    }

    /// Whether it can be read twice; a pipe cannot.
    pub fn is_rereadable(&self) -> bool {
        self.size.is_some() || self.opener.is_some()
    }

    /// Whether it is a regular file of at least this many bytes.
    pub fn has_bytes(&self, least: u64) -> bool {
        self.size.is_some_and(|size| size >= least)
    }
}

/// What is left of a run once it was ranked and joined with judgments: enough
/// to score it under any judgments of the same documents without reading it.
#[derive(Clone, Debug)]
pub struct Ranked {
    /// What the run is called.
    pub name: String,
    /// The documents of each topic that it was joined with.
    pub tables: Arc<[Arc<DocTable>]>,
    /// The ranking of each topic that the run has.
    pub rankings: Vec<Option<Ranking>>,
    /// Down to which rank the rankings hold the documents that the judgments lack.
    pub unjudged_depth: u32,
    /// Whether they hold the groups of equal scores.
    pub groups: bool,
    /// What was passed over when it was read.
    pub notes: Notes,
}

/// This many lines and topics are long, and what is still to be read counts as this many.
pub(super) const WORTH_WATCHING: usize = 1 << 20;

impl Input<'_> {
    /// A file, streamed: its name in the table and its path.
    pub fn file(name: String, path: PathBuf) -> Self {
        Input::File(RunFile::new(name, path))
    }

    /// What the run is called.
    pub fn name(&self) -> &str {
        match self {
            Input::Run(run) => &run.name,
            Input::Arrays(arrays) => arrays.name,
            Input::Gathered(gathered) => &gathered.run.name,
            Input::Lists(arriving) => &arriving.name,
            Input::File(file) => &file.name,
            Input::Ranked(ranked) => &ranked.name,
        }
    }

    /// The number of lines and topics, as far as it is known before reading.
    pub(super) fn lines_and_topics(&self) -> usize {
        match self {
            Input::Run(run) => run.topics.iter().map(|(_, lines)| 1 + lines.len()).sum(),
            Input::Arrays(arrays) => arrays.lists.iter().map(|(_, list)| 1 + list.len()).sum(),
            Input::Ranked(ranked) => {
                let hits = |ranking: &Option<Ranking>| ranking.as_ref().map_or(0, |r| r.hits.len());
                ranked.rankings.iter().map(|ranking| 1 + hits(ranking)).sum()
            }
            Input::File(_) | Input::Gathered(_) | Input::Lists(_) => WORTH_WATCHING,
        }
    }
}
