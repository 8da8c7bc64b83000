//! How a run is read: which columns it has, and which of them are wanted.

use super::Strictness;

/// Of so many lines of the first topic the ranks are kept where ranks are ignored, to be held
/// against the scores.
pub(crate) const LOOKED_AT: usize = 32;

/// What the reader wants to know of a run.
#[derive(Clone, Copy, Debug, Default)]
pub struct RunOptions {
    /// How forgiving the reader is.
    pub strictness: Strictness,
    /// What is done with the rank column.
    pub ranks: Ranks,
    /// Which columns there are.
    pub layout: RunLayout,
}

/// What is done with the rank column of a TREC run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ranks {
    /// Not looked at, as `trec_eval` does not.
    #[default]
    Ignored,
    /// Kept for topics in which all are numbers.
    Kept,
    /// Needed: a rank that is no number is an error.
    Needed,
}

/// Which fields of a line hold what.
#[derive(Clone, Copy, Debug)]
pub(super) struct RunFields {
    /// How many fields a line has; with a tag, at least.
    pub(super) fields: usize,
    pub(super) document: usize,
    pub(super) rank: Option<usize>,
    /// Without one, the score is minus the rank.
    pub(super) score: Option<usize>,
    pub(super) tag: Option<usize>,
    pub(super) columns: &'static str,
}

pub(super) const TREC: RunFields = RunFields {
    fields: 6,
    document: 2,
    rank: Some(3),
    score: Some(4),
    tag: Some(5),
    columns: "topic Q0 document rank score tag",
};
pub(super) const MS_MARCO: RunFields = RunFields {
    fields: 3,
    document: 1,
    rank: Some(2),
    score: None,
    tag: None,
    columns: "topic document rank",
};
pub(super) const SCORES: RunFields = RunFields {
    fields: 3,
    document: 1,
    rank: None,
    score: Some(2),
    tag: None,
    columns: "topic document score",
};

/// The layouts that can be asked for by name.
const NAMED_LAYOUTS: [(&str, RunFields); 3] =
    [("trec", TREC), ("msmarco", MS_MARCO), ("scores", SCORES)];

/// The layouts of tables, which are read outside of the core. Here they stand for no layout: what
/// reaches the core under one of them is not a table.
const TABLES: [&str; 6] = ["csv", "tsv", "json", "jsonl", "parquet", "arrow"];

/// The columns of a file; by default the first line tells.
#[derive(Clone, Copy, Debug, Default)]
pub struct RunLayout(pub(super) Option<RunFields>);

impl RunLayout {
    /// The names of the layouts.
    pub fn names() -> impl Iterator<Item = &'static str> {
        NAMED_LAYOUTS.iter().map(|(name, _)| *name).chain(TABLES)
    }

    /// The layout of a name, if there is one.
    pub fn named(name: &str) -> Option<RunLayout> {
        let found = NAMED_LAYOUTS.iter().find(|(known, _)| *known == name);
        let table = || TABLES.contains(&name).then_some(RunLayout(None));
        found.map(|(_, format)| RunLayout(Some(*format))).or_else(table)
    }
}

/// Whether a number can be the rank of a document: some programs count from 0.
pub fn is_rank(number: f64) -> bool {
    number >= 0.0 && number.fract() == 0.0
}
