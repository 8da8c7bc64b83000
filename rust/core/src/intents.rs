//! The intents of a topic: what its users may mean, and which documents serve
//! which intent.
//!
//! Diversity measures look at the grades of a document under each intent (or
//! subtopic), and at the intents that the documents above it already serve.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// The weights of a topic: intents under which no document was judged, and
/// the weight of every intent in order, with those intents at the end.
pub type Weights = (Vec<Box<[u8]>>, Vec<f64>);

/// The intents of one topic.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Intents {
    names: Vec<Box<[u8]>>,
    weights: Vec<f64>,
    /// The sum of the weights.
    weight: f64,
    /// Where the entries of each document begin, and the end of all.
    starts: Vec<u32>,
    /// An intent and the grade under it, by document.
    entries: Vec<(u32, f64)>,
    /// Which intents are navigational.
    navigational: Vec<bool>,
}

impl Intents {
    /// The intents of a topic without any.
    pub const NONE: Intents = Intents {
        names: Vec::new(),
        weights: Vec::new(),
        weight: 0.0,
        starts: Vec::new(),
        entries: Vec::new(),
        navigational: Vec::new(),
    };

    /// From entries of a document (by number), an intent (by number) and a
    /// grade. Every intent weighs 1.
    pub fn new(
        names: Vec<Box<[u8]>>,
        documents: usize,
        mut entries: Vec<(u32, u32, f64)>,
    ) -> Intents {
        entries.sort_by_key(|&(document, intent, _)| (document, intent));
        let start = |document| entries.partition_point(|entry| entry.0 < document) as u32;
        Intents {
            weights: vec![1.0; names.len()],
            weight: names.len() as f64,
            navigational: vec![false; names.len()],
            names,
            starts: (0..=documents as u32).map(start).collect(),
            entries: entries.iter().map(|&(_, intent, grade)| (intent, grade)).collect(),
        }
    }

    /// Gives each judgment another grade.
    pub fn regrade(&mut self, grade: impl Fn(f64) -> f64) {
        self.entries.iter_mut().for_each(|entry| entry.1 = grade(entry.1));
    }

    /// Their names, in order of first appearance.
    pub fn names(&self) -> &[Box<[u8]>] {
        &self.names
    }

    /// The weight of each, in the same order.
    pub fn weights(&self) -> &[f64] {
        &self.weights
    }

    /// One more than the last intent under which a document was judged.
    pub fn judged(&self) -> usize {
        self.entries.iter().map(|&(intent, _)| intent as usize + 1).max().unwrap_or(0)
    }

    /// Whether a document was judged under an intent.
    pub fn is_judged(&self, intent: usize) -> bool {
        self.entries.iter().any(|entry| entry.0 as usize == intent)
    }

    /// Adds intents under which no document was judged; each has weight 1.
    pub fn add(&mut self, names: Vec<Box<[u8]>>) {
        let mut weights = std::mem::take(&mut self.weights);
        weights.resize(self.names.len() + names.len(), 1.0);
        self.weigh(weights);
        self.navigational.resize(self.names.len() + names.len(), false);
        self.names.extend(names);
    }

    /// Sets the weight of each.
    pub fn weigh(&mut self, weights: Vec<f64>) {
        self.weight = weights.iter().sum();
        self.weights = weights;
    }

    /// Whether an intent is navigational: one document is wanted. Others are
    /// informational: more of them are better.
    pub fn is_navigational(&self, intent: usize) -> bool {
        self.navigational.get(intent).is_some_and(|navigational| *navigational)
    }

    /// Sets which intents are navigational.
    pub fn set_navigational(&mut self, navigational: Vec<bool>) {
        self.navigational = navigational;
    }

    /// An intent's share of all weights.
    pub fn share(&self, intent: usize) -> f64 {
        if self.weight > 0.0 { self.weights[intent] / self.weight } else { 0.0 }
    }

    /// The intents under which a document was judged, with its grades.
    #[inline]
    pub fn grades(&self, document: u32) -> &[(u32, f64)] {
        let document = document as usize;
        match self.starts.get(document..document + 2) {
            Some(span) => &self.entries[span[0] as usize..span[1] as usize],
            None => &[],
        }
    }

    /// How many of these documents are relevant under each intent.
    pub fn counts(&self, documents: impl Iterator<Item = u32>, rel: f64) -> Vec<u32> {
        let mut counts = vec![0; self.names.len()];
        for document in documents {
            for &(intent, _) in self.served(document, rel) {
                counts[intent as usize] += 1;
            }
        }
        counts
    }

    /// The entries of a document whose grade is at least `rel`.
    pub fn served(&self, document: u32, rel: f64) -> impl Iterator<Item = &(u32, f64)> {
        self.grades(document).iter().filter(move |(_, grade)| *grade >= rel)
    }

    /// The gain of a document under all intents, each weighted by its share of
    /// all weights; `gain` is the gain of a grade.
    pub fn global(&self, document: u32, gain: impl Fn(f64) -> f64) -> f64 {
        let gained = self.grades(document).iter();
        gained.map(|&(intent, grade)| self.share(intent as usize) * gain(grade)).sum::<f64>() + 0.0
    }

    /// The scores of the greedy ideal list of these documents: each time the
    /// document with the highest score is chosen, among equal ones the last by
    /// id.
    pub fn greedy<'a>(
        &self,
        documents: impl Iterator<Item = (u32, &'a [u8])>,
        alpha: f64,
        rel: f64,
    ) -> Vec<f64> {
        let mut novelty = Novelty::new(self, alpha, rel);
        let mut open: BinaryHeap<Candidate> = documents
            .map(|(document, id)| Candidate { score: novelty.score(document), id, document })
            .filter(|candidate| candidate.score > 0.0)
            .collect();
        let mut scores = Vec::with_capacity(open.len());
        // Scores only fall as documents are chosen, so a document whose up to
        // date score is the highest in the heap is the best of all.
        while let Some(candidate) = open.pop() {
            let score = novelty.score(candidate.document);
            if score == candidate.score {
                novelty.read(candidate.document);
                scores.push(score);
            } else {
                open.push(Candidate { score, ..candidate });
            }
        }
        scores
    }
}

/// A candidate for the next document.
#[derive(PartialEq)]
struct Candidate<'a> {
    score: f64,
    id: &'a [u8],
    document: u32,
}

impl Eq for Candidate<'_> {}

impl Ord for Candidate<'_> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.score.total_cmp(&other.score).then_with(|| self.id.cmp(other.id))
    }
}

impl PartialOrd for Candidate<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// The remaining weight of each intent for a reader whom each relevant
/// document satisfies with the probability alpha.
pub struct Novelty<'a> {
    intents: &'a Intents,
    left: Vec<f64>,
    alpha: f64,
    rel: f64,
}

impl<'a> Novelty<'a> {
    /// Before anything is read.
    pub fn new(intents: &'a Intents, alpha: f64, rel: f64) -> Self {
        Novelty { intents, left: intents.weights.clone(), alpha, rel }
    }

    /// The score that a document adds.
    pub fn score(&self, document: u32) -> f64 {
        let served = self.intents.served(document, self.rel);
        served.map(|&(intent, _)| self.left[intent as usize]).sum::<f64>() + 0.0
    }

    /// Updates the weights after a document is read.
    pub fn read(&mut self, document: u32) {
        for &(intent, _) in self.intents.served(document, self.rel) {
            self.left[intent as usize] *= 1.0 - self.alpha;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_greedy_list_takes_what_is_new() {
        let names = vec![b"1"[..].into(), b"2"[..].into()];
        // a and b serve the first intent, c the second.
        let intents =
            Intents::new(names, 4, vec![(2, 1, 1.0), (0, 0, 2.0), (1, 0, 1.0), (3, 0, 0.0)]);
        assert_eq!(intents.grades(0), [(0, 2.0)]);
        assert_eq!(intents.grades(9), []);
        assert_eq!(intents.counts(0..4, 1.0), [2, 1]);
        let documents = [(0, &b"a"[..]), (1, b"b"), (2, b"c"), (3, b"d")];
        assert_eq!(intents.greedy(documents.into_iter(), 0.5, 1.0), [1.0, 1.0, 0.5]);
    }
}
