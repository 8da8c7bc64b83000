//! What is kept of a ranked list.

use crate::error::{Error, Kind, Result, quote};
use crate::memory;

/// A document of a list that the judgments know.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Hit {
    /// Its rank, from 1.
    pub rank: u32,
    /// Its number in the topic's table.
    pub document: u32,
}

/// What is kept of one ranked list.
#[derive(Clone, Debug, Default)]
pub struct Ranking {
    /// How many documents were retrieved, after depth and duplicates.
    pub retrieved: u32,
    /// The documents that the judgments know, best first.
    pub hits: Vec<Hit>,
    /// Ranks of the documents that the judgments do not know, with lasting
    /// hashes of their ids; if asked for.
    pub unjudged_docs: Vec<(u32, u64)>,
    /// First and last ranks of the groups of equal scores that hold a document
    /// that the judgments know; if asked for.
    pub groups: Vec<(u32, u32)>,
    /// The documents that the judgments know and that have another rank in the
    /// other precision; if asked for.
    pub moved: Vec<u32>,
    /// Lines whose score equals that of a neighbour in the ranking.
    pub ties: u64,
    /// Lines that repeat a document.
    pub duplicates: u64,
    /// Whether these kept their places.
    pub keeps_places: bool,
    /// Lines that were dropped, since their document has the topic's own id.
    pub own: u64,
    /// Whether such a document has rank 1.
    pub own_first: bool,
}

impl Ranking {
    /// A copy, or an error where there is no memory for one.
    pub(crate) fn copied(&self) -> Result<Ranking> {
        let documents = size_of_val(&*self.hits) + size_of_val(&*self.unjudged_docs);
        memory::room_for(documents + size_of_val(&*self.groups) + size_of_val(&*self.moved))?;
        Ok(self.clone())
    }

    /// Becomes another, in the memory that it has.
    pub(crate) fn copy(&mut self, other: &Ranking) {
        self.retrieved = other.retrieved;
        self.hits.clone_from(&other.hits);
        self.unjudged_docs.clone_from(&other.unjudged_docs);
        self.groups.clone_from(&other.groups);
        self.moved.clone_from(&other.moved);
        self.ties = other.ties;
        self.duplicates = other.duplicates;
        self.keeps_places = other.keeps_places;
        (self.own, self.own_first) = (other.own, other.own_first);
    }

    /// An error of a kind if a document that comes again keeps its place: such a place can hold no
    /// other document, which `what` is computed over.
    pub(crate) fn check_places(&self, kind: Kind, what: &str, topic: &[u8]) -> Result<()> {
        if !self.keeps_places {
            return Ok(());
        }
        Err(Error::for_each(kind, |to| {
            let choice = |word| to.choice("duplicates", word);
            format!(
                "no {what} are known under {}, and a document comes twice for topic {}; {} or {} keeps one line of it",
                choice("place"),
                quote(topic),
                choice("first"),
                choice("best")
            )
        }))
    }

    /// Becomes an empty list, in the memory that it has.
    pub(super) fn clear(&mut self) {
        self.hits.clear();
        self.unjudged_docs.clear();
        self.groups.clear();
        self.moved.clear();
        self.ties = 0;
        self.duplicates = 0;
        self.keeps_places = false;
        (self.own, self.own_first) = (0, false);
    }

    /// Notes which documents have another rank in another ranking of the list.
    pub(super) fn compare(&mut self, other: &Ranking) {
        if self.hits != other.hits {
            let elsewhere = |hit: &&Hit| other.hits.binary_search(hit).is_err();
            self.moved.extend(self.hits.iter().filter(elsewhere).map(|hit| hit.document));
        }
    }

    /// Keeps the first documents only.
    pub fn cut(&mut self, depth: u32) {
        self.retrieved = self.retrieved.min(depth);
        let kept = self.hits.partition_point(|hit| hit.rank <= depth);
        self.hits.truncate(kept);
        let kept = self.unjudged_docs.partition_point(|&(rank, _)| rank <= depth);
        self.unjudged_docs.truncate(kept);
    }
}
