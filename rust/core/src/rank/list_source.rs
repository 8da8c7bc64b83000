//! Where a list comes from: what ranking needs to know of lines, of arrays and
//! of dicts.

use cranfield_scan::{Scan, Task};

use super::lines::Lines;
use super::lookup::Scratch;
use crate::costs::{DocumentCosts, Unit};
use crate::hash::hash;
use crate::qrels::{Qrels, Topic};
use crate::table::{DocTable, Finder};

/// What a list is joined with: the documents of a topic, and how far down the
/// list any measure looks.
#[derive(Clone, Copy, Debug)]
pub struct JoinTarget<'a> {
    /// The documents that the judgments know.
    pub docs: &'a DocTable,
    /// The seed that they are hashed with.
    pub seed: u64,
    /// The id of the topic; empty if it has no judgments.
    pub topic: &'a [u8],
    /// Hits below this rank may be left out. The number of lines and of ties
    /// is exact all the same.
    pub reach: u32,
    /// What documents cost, where a list does not say it.
    pub costs: &'a DocumentCosts,
}

impl<'a> JoinTarget<'a> {
    /// The judgments of a topic, looked at down to a rank.
    pub fn new(qrels: &'a Qrels, topic: &'a Topic, reach: u32) -> Self {
        let (docs, seed) = (topic.docs(), qrels.seed());
        JoinTarget { docs, seed, topic: topic.id(), reach, costs: &qrels.costs }
    }

    /// Whether the document of a line has the topic's own id.
    pub(super) fn is_own(&self, source: &impl ListSource, line: u32) -> bool {
        !self.topic.is_empty() && source.with_id(line, |id| id == self.topic)
    }

    /// The number of a document, if the judgments know it.
    pub fn number(&self, document: &[u8]) -> Option<u32> {
        self.docs.get(hash(self.seed, document), document)
    }
}

/// The list of one topic. Lines are counted from 0.
pub trait ListSource {
    /// Whether no document is in it twice, for certain. Of any other list all
    /// documents are looked up, to find out.
    const DISTINCT: bool;

    /// The number of lines.
    fn len(&self) -> usize;

    /// Whether there is none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Numbers in the order of the scores, equal where these are: finite, and
    /// each [`ListSource::unit`] times the score.
    fn scaled_scores(&self) -> &[f64];

    /// What scaled scores are divided by to be scores.
    #[inline(always)]
    fn unit(&self) -> f64 {
        1.0
    }

    /// As many ranks, or none.
    fn ranks(&self) -> &[f64] {
        &[]
    }

    /// What lines cost in a unit, or the numbers of their calls, up to the last line with one; NaN
    /// for a line without.
    fn costs(&self, _unit: Unit) -> &[f64] {
        &[]
    }

    /// Calls a function with the document of a line.
    fn with_id<T>(&self, line: u32, then: impl FnOnce(&[u8]) -> T) -> T;

    /// The hash of the document of a line, for lines that are asked for in
    /// turn.
    #[inline(always)]
    fn hash(&self, line: u32, seed: u64) -> u64 {
        self.with_id(line, |id| hash(seed, id))
    }

    /// The number of the document of a line, for lines that are asked for in
    /// turn. Unlike a closure, a method is compiled for the processor at hand.
    #[inline(always)]
    fn seek(&self, line: u32, scan: impl Scan, finder: Finder<'_>, hash: u64) -> Option<u32> {
        self.with_id(line, |id| finder.find(scan, hash, id))
    }

    /// Finds the lines whose document the judgments know, ascending, each with
    /// the number of the document; and, unless all are distinct, the lines
    /// whose document came before.
    fn look_up(&self, target: JoinTarget<'_>, scratch: &mut Scratch)
    where
        Self: Sized,
    {
        look_up(self, target, scratch);
    }

    /// The number of a line's document, if the judgments know it.
    fn number(&self, line: u32, target: JoinTarget<'_>) -> Option<u32> {
        self.with_id(line, |id| target.number(id))
    }

    /// How many documents the judgments know, if that costs nothing to say.
    fn count_known(&self) -> Option<usize> {
        None
    }
}

impl ListSource for Lines {
    const DISTINCT: bool = false;

    fn len(&self) -> usize {
        Lines::len(self)
    }

    fn scaled_scores(&self) -> &[f64] {
        Lines::scaled_scores(self)
    }

    fn unit(&self) -> f64 {
        Lines::unit(self)
    }

    fn ranks(&self) -> &[f64] {
        Lines::ranks(self)
    }

    fn costs(&self, unit: Unit) -> &[f64] {
        Lines::costs(self, unit)
    }

    #[inline]
    fn with_id<T>(&self, line: u32, then: impl FnOnce(&[u8]) -> T) -> T {
        then(self.document(line as usize))
    }

    fn look_up(&self, target: JoinTarget<'_>, scratch: &mut Scratch) {
        scratch.look_up_lines(self, target.docs, target.seed);
    }
}

/// Finds the lines of a list of distinct documents that the judgments know.
pub fn look_up(source: &impl ListSource, target: JoinTarget<'_>, scratch: &mut Scratch) {
    let Scratch { hashes, found, .. } = scratch;
    if target.docs.len() < 4 * source.len() {
        target.docs.warm();
    }
    cranfield_scan::run(LookUp { count: source.len(), source, target, hashes, found });
}

struct LookUp<'a, S> {
    count: usize,
    source: &'a S,
    target: JoinTarget<'a>,
    hashes: &'a mut Vec<u64>,
    found: &'a mut Vec<(u32, u32)>,
}

impl<S: ListSource> Task for LookUp<'_, S> {
    type Output = ();

    #[inline(always)]
    fn run<V: Scan>(self, scan: V) {
        let LookUp { count, source, target: JoinTarget { docs, seed, .. }, hashes, found } = self;
        // A hash and its line, of which the first `finds` count.
        hashes.resize(2 * (count + 1), 0);
        let (sieve, finder) = (docs.sieve(), docs.finder());
        let (maybe, mut finds) = (hashes.as_chunks_mut().0, 0);
        for line in 0..count as u32 {
            let hash = source.hash(line, seed);
            maybe[finds] = [hash, line.into()];
            finds += usize::from(sieve.may_hold(hash));
        }
        found.clear();
        found.reserve(finds);
        for &[hash, line] in &maybe[..finds] {
            let line = line as u32;
            if let Some(number) = source.seek(line, scan, finder, hash) {
                found.push((line, number));
            }
        }
    }
}
