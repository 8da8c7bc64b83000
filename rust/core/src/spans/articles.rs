//! Measures over documents in the order of their first chunks: INEX's Relevant in Context.

use super::evidence::Swept;
use super::sweep::UNGRADED;

/// The F of what is read of each document, in the order of their first chunks, with whether it
/// has evidence; and how many documents have some.
pub(super) struct Articles {
    scores: Vec<(f64, bool)>,
    relevant: u64,
}

/// What of a document is read.
struct Read {
    document: u32,
    first: u32,
    characters: u64,
    hits: u64,
}

impl Articles {
    /// The documents of a swept list down to a place.
    pub(super) fn of(
        swept: Swept<'_>,
        is_relevant: impl Fn(u32) -> bool,
        places: u32,
        beta: f64,
    ) -> Articles {
        let Swept { topic, sweep, document_of, .. } = swept;
        let mut read: Vec<Read> = Vec::new();
        for segment in 0..sweep.first.len() as u32 {
            let place = sweep.first[segment as usize];
            if place == 0 || place > places {
                continue;
            }
            let (document, length) = (sweep.document(segment), sweep.length(segment));
            if read.last().is_none_or(|last| last.document != document) {
                read.push(Read { document, first: place, characters: 0, hits: 0 });
            }
            if let Some(last) = read.last_mut() {
                let grade_index = sweep.grade_indices[segment as usize];
                last.first = last.first.min(place);
                last.characters += length;
                last.hits +=
                    if grade_index != UNGRADED && is_relevant(grade_index) { length } else { 0 };
            }
        }
        let mut evidence: Vec<(u32, u64)> = Vec::new();
        let mut relevant = 0;
        for parts in topic.painted.chunk_by(|a, b| a.document == b.document) {
            let wanted = parts.iter().filter(|part| is_relevant(part.grade_index));
            let length: u64 = wanted.map(|part| u64::from(part.end - part.start)).sum();
            if length > 0 {
                relevant += 1;
                evidence.push((document_of(parts[0].document), length));
            }
        }
        evidence.sort_unstable();
        read.sort_unstable_by_key(|document| document.first);
        let score = |read: &Read| {
            let known = evidence.binary_search_by_key(&read.document, |known| known.0);
            let Ok(known) = known else { return (0.0, false) };
            if read.hits == 0 {
                return (0.0, true);
            }
            let square = beta * beta;
            let weighed = square * evidence[known].1 as f64 + read.characters as f64;
            // F without its fractions: (1 + b²) P R / (b² P + R) for P = h/n and R = h/E.
            ((1.0 + square) * read.hits as f64 / weighed, true)
        };
        Articles { scores: read.iter().map(score).collect(), relevant }
    }

    /// How many documents have evidence.
    pub(super) fn relevant(&self) -> u64 {
        self.relevant
    }

    /// The generalized precision of the first so many.
    pub(super) fn precision(&self, depth: usize) -> f64 {
        self.scores.iter().take(depth).fold(0.0, |sum, score| sum + score.0) / depth as f64
    }

    /// The mean of the generalized precisions at documents with evidence.
    pub(super) fn average(&self) -> f64 {
        let (mut sum, mut total) = (0.0, 0.0);
        for ((score, is_relevant), rank) in self.scores.iter().zip(1_u32..) {
            sum += score;
            if *is_relevant {
                total += sum / f64::from(rank);
            }
        }
        total / self.relevant as f64
    }
}
