//! How lists are put in order, and what a document that comes twice means.

use crate::error::Interface;

/// How a list is put in order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// By score, high to low; ties by id, descending bytes. `trec_eval`'s.
    #[default]
    DocnoDesc,
    /// By score, high to low; ties by id, ascending bytes.
    DocnoAsc,
    /// As the lines come; scores are not looked at.
    Input,
    /// By the rank column, low to high; ties by id, descending bytes.
    Rank,
}

/// The precision that scores are compared in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Precision {
    /// Doubles, as `trec_eval` 10.
    #[default]
    F64,
    /// Single precision, as `trec_eval` up to v9.0.8 of 2020 and `pytrec_eval`.
    F32,
}

impl Precision {
    pub(super) fn other(self) -> Precision {
        match self {
            Precision::F64 => Precision::F32,
            Precision::F32 => Precision::F64,
        }
    }
}

/// What to do about a document that a list holds twice.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Duplicates {
    /// Refuse the run.
    #[default]
    Error,
    /// Keep the line that comes first.
    First,
    /// Keep the line that ranks best.
    Best,
    /// Keep the line that ranks best, and the places of the others, which hold no document.
    Place,
}

/// What to do about a document whose id is that of the topic: the query itself, where queries are
/// documents.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Own {
    /// It is a document like others.
    #[default]
    Keep,
    /// It is taken out before ranks are counted.
    Drop,
}

/// What to do about a document that a list holds twice.
#[cold]
pub(crate) fn keep_one(to: Interface) -> String {
    let choice = |word| to.choice("duplicates", word);
    format!(
        "{} or {} keeps one of them, {} also the place of the other",
        choice("first"),
        choice("best"),
        choice("place")
    )
}
