//! A group of documents of equal score.

use crate::measure::Case;
use crate::trace::Record;

/// A group of equal scores in the list that a measure sees.
pub(super) struct TieGroup {
    /// The rank of its first place.
    pub(super) first: u32,
    /// How many places it has.
    pub(super) places: u32,
    /// Relevant, other judged, and pooled documents above it.
    pub(super) seen: u32,
    pub(super) nonrelevant: u32,
    pub(super) pooled: u32,
    /// The positions of its documents in the trace.
    pub(super) from: usize,
    pub(super) to: usize,
    /// Its relevant grades, each with its number of documents.
    pub(super) grade_indices: Vec<(u32, u32)>,
    /// Its other judged, and its pooled documents.
    pub(super) others: u32,
    pub(super) unjudged: u32,
}

impl TieGroup {
    pub(super) fn of(case: &Case, (first, last): (u32, u32), by_judged: bool) -> TieGroup {
        let hits = &case.trace.records;
        let from = hits.partition_point(|hit| hit.rank < first);
        let to = hits.partition_point(|hit| hit.rank <= last);
        let count = |hits: &[Record]| {
            let (mut relevant, mut others, mut pooled) = (0, 0, 0);
            for hit in hits {
                if case.is_relevant(hit.grade_index as usize) {
                    relevant += 1;
                } else if hit.condensed > 0 {
                    others += 1;
                } else {
                    pooled += 1;
                }
            }
            (relevant, others, pooled)
        };
        let (seen, nonrelevant, pooled) = count(&hits[..from]);
        let (relevant, others, unjudged) = count(&hits[from..to]);
        let (first, places) = if by_judged {
            (seen + nonrelevant + 1, relevant + others)
        } else {
            (first, last - first + 1)
        };
        let mut grade_indices: Vec<(u32, u32)> = Vec::new();
        for hit in hits[from..to].iter().filter(|hit| case.is_relevant(hit.grade_index as usize)) {
            match grade_indices.iter_mut().find(|(grade_index, _)| *grade_index == hit.grade_index)
            {
                Some((_, count)) => *count += 1,
                None => grade_indices.push((hit.grade_index, 1)),
            }
        }
        TieGroup {
            first,
            places,
            seen,
            nonrelevant,
            pooled,
            from,
            to,
            grade_indices,
            others,
            unjudged,
        }
    }

    pub(super) fn relevant(&self) -> u32 {
        self.grade_indices.iter().map(|(_, count)| count).sum()
    }
}
