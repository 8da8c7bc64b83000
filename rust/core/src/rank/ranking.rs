//! What is kept of a ranked list.

use crate::costs::{Budget, Unit};
use crate::error::{Advice, Error, Kind, Result, quote};
use crate::memory;

/// A document of a list that the judgments know.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Hit {
    /// Its rank, from 1.
    pub rank: u32,
    /// Its number in the topic's table.
    pub document: u32,
}

/// What a ranked list costs in a unit.
#[derive(Clone, Debug)]
pub struct RunningCost {
    /// The unit.
    pub unit: Unit,
    /// The sum of the costs down to each rank, from rank 1.
    pub sums: Vec<f64>,
    /// How many documents have no cost, or none that can be added.
    pub without: u32,
    /// The first of them, and what was found for it: NaN if nothing.
    pub example: (Box<[u8]>, f64),
}

impl RunningCost {
    /// An empty list's.
    pub(crate) fn of(unit: Unit) -> Self {
        RunningCost { unit, sums: Vec::new(), without: 0, example: (Box::default(), 0.0) }
    }

    /// Adds what the next document costs.
    pub(crate) fn add(&mut self, cost: f64, document: impl FnOnce() -> Box<[u8]>) {
        self.sums.push(self.sums.last().copied().unwrap_or(0.0) + cost);
        if !(cost >= 0.0 && cost.is_finite()) {
            if self.without == 0 {
                self.example = (document(), cost);
            }
            self.without += 1;
        }
    }

    /// The error for documents that have no cost.
    #[cold]
    fn lacking(&self, budget: Budget, topic: &[u8]) -> Error {
        let (unit, topic) = (self.unit.name(), quote(topic));
        let (document, found) = (quote(&self.example.0), self.example.1);
        if !found.is_nan() {
            return Error::new(
                Kind::Number,
                format!(
                    "expected a finite number of at least 0 as {unit} of each document, found {found} for document {document} of topic {topic}"
                ),
            );
        }
        let (without, all) = (self.without, self.sums.len());
        let lacks = format!(
            "@{budget} needs the {unit} of every retrieved document, judged or not: {without} of {all} have none for topic {topic}, the first is {document}"
        );
        let column = format!("give the run a column {unit}");
        Error::for_each(Kind::Needs, |to| match self.unit {
            Unit::Chars | Unit::Tokens => {
                format!("{lacks}; {column}, or {}", to.advice(Advice::Lengths))
            }
            Unit::Cost => format!("{lacks}; {column}, or {}", to.advice(Advice::Costs)),
            Unit::Calls => format!(
                "@{budget} needs the call that each document came from, and topic {topic} has none; give the run a column call (or hop, step)"
            ),
        })
    }
}

/// What is kept of one ranked list.
#[derive(Clone, Debug, Default)]
pub struct Ranking {
    /// How many documents were retrieved, after depth and duplicates.
    pub retrieved: u32,
    /// The documents that the judgments know, best first.
    pub hits: Vec<Hit>,
    /// What the list costs down to each rank, in each unit that was asked for.
    pub costs: Vec<RunningCost>,
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
        let costs: usize = self.costs.iter().map(|cost| size_of_val(&*cost.sums)).sum();
        memory::room_for(costs)?;
        memory::room_for(documents + size_of_val(&*self.groups) + size_of_val(&*self.moved))?;
        Ok(self.clone())
    }

    /// Becomes another, in the memory that it has.
    pub(crate) fn copy(&mut self, other: &Ranking) {
        self.retrieved = other.retrieved;
        self.hits.clone_from(&other.hits);
        self.costs.clone_from(&other.costs);
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
        self.costs.clear();
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

    /// How many documents a budget affords; an error if it is not known what they cost.
    pub fn affordable(&self, budget: Budget, topic: &[u8]) -> Result<u32> {
        if self.retrieved == 0 {
            return Ok(0);
        }
        let Some(running) = self.costs.iter().find(|running| running.unit == budget.unit) else {
            let message = format!(
                "@{budget} needs what documents cost, and the run was ranked without; rank it with measures that have a budget"
            );
            return Err(Error::new(Kind::Needs, message));
        };
        if running.without > 0 {
            return Err(running.lacking(budget, topic));
        }
        let within = running.sums.iter().take_while(|sum| budget.affords(**sum)).count();
        Ok((within as u32).min(self.retrieved))
    }

    /// Becomes the first documents of another, without what those cost.
    pub(crate) fn copy_first(&mut self, other: &Ranking, documents: u32) {
        let hits = other.hits.partition_point(|hit| hit.rank <= documents);
        let unjudged = other.unjudged_docs.partition_point(|&(rank, _)| rank <= documents);
        self.clear();
        self.retrieved = other.retrieved.min(documents);
        self.hits.extend_from_slice(&other.hits[..hits]);
        self.unjudged_docs.extend_from_slice(&other.unjudged_docs[..unjudged]);
    }

    /// Keeps the first documents only.
    pub fn cut(&mut self, depth: u32) {
        self.retrieved = self.retrieved.min(depth);
        let kept = self.hits.partition_point(|hit| hit.rank <= depth);
        self.hits.truncate(kept);
        let kept = self.unjudged_docs.partition_point(|&(rank, _)| rank <= depth);
        self.unjudged_docs.truncate(kept);
        self.costs.iter_mut().for_each(|cost| cost.sums.truncate(depth as usize));
    }
}
