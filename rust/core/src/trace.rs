//! The trace of a ranking: what every measure is a fold over.
//!
//! A [`Trace`] holds one [`Record`] for each document retrieved that the
//! judgments know, in rank order. A [`View`] is the trace seen with one notion
//! of relevance, on the full or on the condensed list: it holds the relevant
//! documents only, each with what was seen above it. The condensed list (the
//! prime) is the other rank column; a cutoff is a prefix; a relevance threshold is
//! a different set of relevant grades. Views are written once for a topic and
//! shared by all measures that ask for the same one.

use crate::grade_column::{ABSENT, GradeColumn, GradeCount, widened};
use crate::hash::{GOLDEN, lasting_hash};
use crate::qrels::Topic;
use crate::rank::{Hit, Ranking};

/// A retrieved document that the judgments know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Record {
    /// Its rank in the list, from 1.
    pub rank: u32,
    /// Its rank among the judged documents of the list, from 1; 0 when it was
    /// pooled and not judged.
    pub condensed: u32,
    /// The index of its grade.
    pub grade_index: u32,
}

/// The documents of a ranking that the judgments know, in rank order.
#[derive(Clone, Debug, Default)]
pub struct Trace {
    /// The documents.
    pub records: Vec<Record>,
    /// Documents that the judgments do not list: their ranks and lasting
    /// hashes, where a measure needs them.
    pub unjudged_docs: Vec<(u32, u64)>,
    /// How many documents were retrieved.
    pub retrieved: u32,
    /// How many of them are judged.
    pub judged: u32,
}

impl Trace {
    /// Writes the trace of a ranking, with `unjudged_docs` or without. `is_judged` says of each
    /// grade whether its documents count as judged.
    pub fn write(
        &mut self,
        ranking: &Ranking,
        topic: &Topic,
        is_judged: &[bool],
        with_unjudged: bool,
    ) {
        self.records.clear();
        self.unjudged_docs.clear();
        self.retrieved = ranking.retrieved;
        self.judged = 0;
        let grade_indices = topic.grade_column();
        let mut absent = false;
        // Whether a document is judged is an unpredictable branch, hence none.
        let mut label = |rank, grade_index, judged: u32| {
            self.judged += judged;
            absent |= grade_index == ABSENT;
            Record { rank, condensed: self.judged & judged.wrapping_neg(), grade_index }
        };
        match grade_indices {
            GradeColumn::Narrow(grade_indices) => {
                let mut table = [0; 256];
                for (place, &judged) in table.iter_mut().zip(is_judged).take(255) {
                    *place = judged.into();
                }
                self.records.extend(ranking.hits.iter().map(|&Hit { rank, document }| {
                    let grade_index = grade_indices[document as usize];
                    let judged: u8 = table[usize::from(grade_index)];
                    label(rank, widened(grade_index).unwrap_or(ABSENT), judged.into())
                }));
            }
            GradeColumn::Wide(_) => {
                self.records.extend(ranking.hits.iter().map(|&Hit { rank, document }| {
                    let grade_index = grade_indices.get(document).unwrap_or(ABSENT);
                    let judged = is_judged.get(grade_index as usize).is_some_and(|&judged| judged);
                    label(rank, grade_index, judged.into())
                }));
            }
        }
        if absent {
            // A branch would be as unpredictable here.
            let mut listed = 0;
            for place in 0..self.records.len() {
                let hit = self.records[place];
                self.records[listed] = hit;
                listed += usize::from(hit.grade_index != ABSENT);
            }
            self.records.truncate(listed);
        }
        if with_unjudged {
            self.unjudged_docs.clone_from(&ranking.unjudged_docs);
            if absent {
                let absent =
                    ranking.hits.iter().filter(|hit| grade_indices.get(hit.document).is_none());
                let hash = |document| lasting_hash(GOLDEN, topic.docs().key(document));
                self.unjudged_docs.extend(absent.map(|hit| (hit.rank, hash(hit.document))));
                self.unjudged_docs.sort_unstable();
            }
        }
    }
}

/// A document that went from the last place of a group to its first.
#[derive(Clone, Copy, Debug)]
pub struct Turned {
    /// The ranks of the group.
    group: (u32, u32),
    /// The document, if the judgments know it.
    hit: Option<Record>,
    /// Judged documents above the group.
    judged: u32,
    /// Pooled documents above it.
    pooled: u32,
}

impl Trace {
    /// Moves each document of a group, given by its first and last ranks, one rank down, and the
    /// last to the top.
    pub fn turn(&mut self, group: (u32, u32)) -> Turned {
        let from = self.records.partition_point(|hit| hit.rank < group.0);
        let to = self.records.partition_point(|hit| hit.rank <= group.1);
        let (above, below) = self.records.split_at_mut(from);
        let judged =
            above.iter().rev().find(|hit| hit.condensed > 0).map_or(0, |hit| hit.condensed);
        let pooled = above.len() as u32 - judged;
        let hits = &mut below[..to - from];
        let last = hits.last().copied().filter(|hit| hit.rank == group.1);
        let more = u32::from(last.is_some_and(|last| last.condensed > 0));
        let lower = |hit: Record| Record {
            rank: hit.rank + 1,
            condensed: if hit.condensed > 0 { hit.condensed + more } else { 0 },
            ..hit
        };
        let hit = last.map(|last| Record { rank: group.0, condensed: more * (judged + 1), ..last });
        if let Some(hit) = hit {
            for i in (1..hits.len()).rev() {
                hits[i] = lower(hits[i - 1]);
            }
            hits[0] = hit;
        } else {
            for hit in hits {
                *hit = lower(*hit);
            }
        }
        Turned { group, hit, judged, pooled }
    }
}

/// Which documents count as what, by the index of their grade.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lens {
    /// Whether the list is condensed to its judged documents.
    pub condensed: bool,
    /// The relevant grades; a subset of the judged ones.
    pub relevant: Vec<bool>,
}

/// A relevant document in the list, and what was seen above it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Relevant {
    /// Its rank in the list that the view shows, from 1.
    pub rank: u32,
    /// Relevant documents up to and including this one.
    pub seen: u32,
    /// Judged documents above it that are not relevant.
    pub nonrelevant: u32,
    /// Pooled documents above it that were not judged.
    pub pooled: u32,
    /// The index of its grade.
    pub grade_index: u32,
}

/// A trace through a lens.
#[derive(Clone, Debug, Default)]
pub struct View {
    /// The relevant documents retrieved, in rank order.
    pub relevant: Vec<Relevant>,
    /// How many there are.
    pub found: u32,
    /// How many documents the list has.
    pub retrieved: u32,
    /// Judged documents retrieved that are not relevant.
    pub nonrelevant: u32,
    /// R: all documents judged relevant, retrieved or not.
    pub num_rel: u32,
    /// N: all documents judged and not relevant, retrieved or not.
    pub num_nonrel: u32,
    /// Places of documents among the hits, and how many are judged above them.
    places: Vec<(u32, u32)>,
}

impl View {
    /// The same counts, and no documents.
    #[must_use]
    pub fn without_documents(&self) -> View {
        View { relevant: Vec::new(), places: Vec::new(), ..*self }
    }

    /// Follows a turn of the trace. The list is the full one.
    pub fn turn(&mut self, turned: &Turned, lens: &Lens) {
        let Turned { group, hit, judged, pooled } = *turned;
        let from = self.relevant.partition_point(|document| document.rank < group.0);
        let to = self.relevant.partition_point(|document| document.rank <= group.1);
        let documents = &mut self.relevant[from..to];
        let above = from as u32;
        match hit {
            Some(hit) if lens.relevant[hit.grade_index as usize] => {
                for i in (1..documents.len()).rev() {
                    let Relevant { rank, seen, .. } = documents[i - 1];
                    documents[i] = Relevant { rank: rank + 1, seen: seen + 1, ..documents[i - 1] };
                }
                documents[0] = Relevant {
                    rank: group.0,
                    seen: above + 1,
                    nonrelevant: judged - above,
                    pooled,
                    grade_index: hit.grade_index,
                };
            }
            _ => {
                let nonrelevant = u32::from(hit.is_some_and(|hit| hit.condensed > 0));
                let pooled = u32::from(hit.is_some()) - nonrelevant;
                for document in documents {
                    document.rank += 1;
                    document.nonrelevant += nonrelevant;
                    document.pooled += pooled;
                }
            }
        }
    }

    /// Writes the view of a trace through a lens: the one pass.
    pub fn write(&mut self, trace: &Trace, topic: &Topic, is_judged: &[bool], lens: &Lens) {
        self.retrieved = if lens.condensed { trace.judged } else { trace.retrieved };
        if self.places.len() < trace.records.len() {
            self.places.resize(trace.records.len(), (0, 0));
        }
        let (mut seen, mut judged) = (0, 0);
        // Whether a document is relevant is an unpredictable branch, hence none:
        // each is written down, and the next one over it unless it was.
        for (place, hit) in (0..).zip(&trace.records) {
            self.places[seen] = (place, judged);
            seen += usize::from(lens.relevant[hit.grade_index as usize]);
            judged += u32::from(is_judged[hit.grade_index as usize]);
        }
        self.relevant.clear();
        self.relevant.extend((0..).zip(&self.places[..seen]).map(|(above, &(place, judged))| {
            let Record { rank, condensed, grade_index } = trace.records[place as usize];
            Relevant {
                rank: if lens.condensed { condensed } else { rank },
                seen: above + 1,
                nonrelevant: judged - above,
                pooled: place - judged,
                grade_index,
            }
        }));
        self.found = seen as u32;
        self.nonrelevant = judged - self.found;
        (self.num_rel, self.num_nonrel) = (0, 0);
        for &GradeCount { grade_index, count } in topic.counts() {
            if lens.relevant[grade_index as usize] {
                self.num_rel += count;
            } else if is_judged[grade_index as usize] {
                self.num_nonrel += count;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::qrels::Builder;

    #[test]
    fn a_view_says_what_was_above() {
        let mut builder = Builder::new(&[]);
        for (doc, grade) in [("a", 1.0), ("b", 0.0), ("c", -1.0), ("d", 2.0), ("e", 1.0)] {
            builder.add(b"1", doc.as_bytes(), grade, &[], 1).unwrap();
        }
        let qrels = builder.finish(None);
        let topic = &qrels.topics()[0];
        // Retrieved: b, x, c, d, a.
        let ranking = Ranking {
            retrieved: 5,
            hits: [(1, 1), (3, 2), (4, 3), (5, 0)]
                .map(|(rank, document)| Hit { rank, document })
                .to_vec(),
            ..Ranking::default()
        };
        let is_judged = [false, true, true, true];
        let mut trace = Trace::default();
        trace.write(&ranking, topic, &is_judged, false);
        assert_eq!(trace.records.iter().map(|h| h.condensed).collect::<Vec<_>>(), [1, 0, 2, 3]);
        let mut view = View::default();
        let relevant = vec![false, false, true, true];
        view.write(&trace, topic, &is_judged, &Lens { condensed: true, relevant });
        assert_eq!((view.retrieved, view.num_rel, view.num_nonrel, view.nonrelevant), (3, 3, 1, 1));
        let first = Relevant { rank: 2, seen: 1, nonrelevant: 1, pooled: 1, grade_index: 3 };
        assert_eq!(view.relevant, [first, Relevant { rank: 3, seen: 2, grade_index: 2, ..first }]);
    }

    #[test]
    fn a_turn_is_what_the_turned_list_has() {
        let mut builder = Builder::new(&[]);
        let grades = [1.0, 0.0, -1.0, 2.0, 1.0, 0.0, -1.0, 1.0];
        for (doc, grade) in (b'a'..).zip(grades) {
            builder.add(b"1", &[doc], grade, &[], 1).unwrap();
        }
        let qrels = builder.finish(None);
        let topic = &qrels.topics()[0];
        let is_judged = [false, true, true, true];
        let lens = Lens { condensed: false, relevant: vec![false, false, true, true] };
        // Documents of the list, where `None` is not in the judgments, and the group.
        let list = [4, 2, 1, 0, 9, 3, 6, 9, 5, 7].map(|doc| Some(doc).filter(|doc| *doc < 9));
        for group in [(1, 10), (3, 10), (3, 9), (1, 4), (2, 8), (5, 5)] {
            let of = |list: &[Option<u32>]| {
                let ranked =
                    (1..).zip(list).filter_map(|(rank, doc)| Some(Hit { rank, document: (*doc)? }));
                let ranking =
                    Ranking { retrieved: 10, hits: ranked.collect(), ..Ranking::default() };
                let (mut trace, mut view) = (Trace::default(), View::default());
                trace.write(&ranking, topic, &is_judged, false);
                view.write(&trace, topic, &is_judged, &lens);
                (trace, view)
            };
            let mut list = list;
            let (mut trace, mut view) = of(&list);
            for _ in 0..10 {
                list[group.0 - 1..group.1].rotate_right(1);
                let turned = trace.turn((group.0 as u32, group.1 as u32));
                view.turn(&turned, &lens);
                let expected = of(&list);
                assert_eq!(trace.records, expected.0.records, "{group:?}");
                assert_eq!(view.relevant, expected.1.relevant, "{group:?}");
            }
        }
    }
}
