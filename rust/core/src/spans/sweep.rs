//! A list over the evidence of a topic, cut into segments that are read as a whole or not at all.

use super::gold::{GoldTopic, unread};
use super::list::Chunk;

/// No document of a list.
pub(super) const NOWHERE: u32 = u32::MAX;

/// No grade.
pub(super) const UNGRADED: u32 = u32::MAX;

/// The segments of the documents of a list, and when each is read first. Memory is used again.
#[derive(Default)]
pub(super) struct Sweep {
    /// The bounds of segments: documents above, places below, ascending. A segment reaches to
    /// the next bound.
    bounds: Vec<u64>,
    /// The index of the grade of each segment in the topic.
    pub(super) grade_indices: Vec<u32>,
    /// The place (from 1) at which each segment is read first; 0 if it is not.
    pub(super) first: Vec<u32>,
    /// Segments in the order in which they are read first.
    pub(super) order: Vec<u32>,
    /// The segments of each chunk.
    pub(super) chunks: Vec<(u32, u32)>,
    /// The segments of each span of the evidence; none if its document is not in the list.
    pub(super) spans: Vec<(u32, u32)>,
    next: Vec<u32>,
}

fn bound(document: u32, at: u32) -> u64 {
    u64::from(document) << 32 | u64::from(at)
}

impl Sweep {
    /// Sweeps a list. `document_of` says what a document of the evidence is called in the list.
    pub(super) fn sweep(
        &mut self,
        topic: &GoldTopic,
        list: &[Chunk],
        document_of: impl Fn(u32) -> u32,
    ) {
        let Sweep { bounds, grade_indices, first, order, chunks, spans, next } = self;
        bounds.clear();
        for chunk in list {
            bounds.push(bound(chunk.document, chunk.start));
            bounds.push(bound(chunk.document, chunk.end));
        }
        for span in &topic.spans {
            let document = document_of(span.document);
            if document != NOWHERE {
                bounds.push(bound(document, span.start));
                bounds.push(bound(document, span.end));
            }
        }
        bounds.sort_unstable();
        bounds.dedup();
        let segments = bounds.len();
        let place = |at: u64| bounds.partition_point(|&bound| bound < at) as u32;
        let range =
            |document, start, end| (place(bound(document, start)), place(bound(document, end)));
        grade_indices.clear();
        grade_indices.resize(segments, UNGRADED);
        for part in &topic.painted {
            let document = document_of(part.document);
            if document != NOWHERE {
                let (from, to) = range(document, part.start, part.end);
                grade_indices[from as usize..to as usize].fill(part.grade_index);
            }
        }
        spans.clear();
        spans.extend(topic.spans.iter().map(|span| match document_of(span.document) {
            NOWHERE => (0, 0),
            document => range(document, span.start, span.end),
        }));
        first.clear();
        first.resize(segments, 0);
        next.clear();
        next.extend(0..=segments as u32);
        chunks.clear();
        order.clear();
        for (chunk, at_place) in list.iter().zip(1..) {
            let (from, to) = range(chunk.document, chunk.start, chunk.end);
            chunks.push((from, to));
            let mut at = unread(next, from);
            while at < to {
                first[at as usize] = at_place;
                order.push(at);
                next[at as usize] = at + 1;
                at = unread(next, at + 1);
            }
        }
    }

    /// How many characters a segment has. Only the last of a document has none, which no chunk
    /// or span reaches.
    pub(super) fn length(&self, segment: u32) -> u64 {
        self.bounds[segment as usize + 1] - self.bounds[segment as usize]
    }

    /// Where a segment begins in its document.
    pub(super) fn start(&self, segment: u32) -> u32 {
        self.bounds[segment as usize] as u32
    }

    /// The document of a segment.
    pub(super) fn document(&self, segment: u32) -> u32 {
        (self.bounds[segment as usize] >> 32) as u32
    }
}

/// What text that is read again counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Repeats {
    /// It is read again.
    Count,
    /// It is left out.
    Skip,
    /// It is left out where it is relevant, as PASSAGE2 of TREC Genomics does.
    Genomics,
}

/// Characters of one grade that are read one after another, for the first time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct TextBlock {
    /// How many characters are read above it.
    pub(super) above: u64,
    /// How many it has.
    pub(super) length: u64,
    /// The index of their grade.
    pub(super) grade_index: u32,
}

/// What is read of a list, in order.
#[derive(Default)]
pub(super) struct Reading {
    /// What has a grade and is new.
    pub(super) blocks: Vec<TextBlock>,
    /// How many characters are read down to the end of each place.
    pub(super) ends: Vec<u64>,
    /// Of each segment, how many relevant characters stand before it.
    before: Vec<u64>,
}

impl Reading {
    /// Writes what is read of a swept list. Which grades are relevant matters for one of the ways
    /// to count repeats only.
    pub(super) fn write(
        &mut self,
        sweep: &Sweep,
        list: &[Chunk],
        repeats: Repeats,
        is_relevant: impl Fn(u32) -> bool,
    ) {
        let Reading { blocks, ends, before } = self;
        blocks.clear();
        ends.clear();
        before.clear();
        if repeats == Repeats::Genomics {
            let mut sum = 0;
            before.push(0);
            for (segment, &grade_index) in sweep.grade_indices.iter().enumerate() {
                if grade_index != UNGRADED && is_relevant(grade_index) {
                    sum += sweep.length(segment as u32);
                }
                before.push(sum);
            }
        }
        let (mut read, mut at) = (0, 0);
        for ((chunk, place), &(from, to)) in list.iter().zip(1..).zip(&sweep.chunks) {
            let (start, mut new, mut new_relevant) = (read, 0, 0);
            while let Some(&segment) = sweep.order.get(at) {
                if sweep.first[segment as usize] != place {
                    break;
                }
                at += 1;
                let (length, grade_index) =
                    (sweep.length(segment), sweep.grade_indices[segment as usize]);
                let passed = u64::from(sweep.start(segment) - chunk.start);
                let above = match repeats {
                    Repeats::Count => passed,
                    Repeats::Skip => new,
                    Repeats::Genomics => {
                        let relevant = before[segment as usize] - before[from as usize];
                        passed - (relevant - new_relevant)
                    }
                };
                new += length;
                if grade_index != UNGRADED {
                    blocks.push(TextBlock { above: start + above, length, grade_index });
                    new_relevant += if is_relevant(grade_index) { length } else { 0 };
                }
            }
            read = start
                + match repeats {
                    Repeats::Count => u64::from(chunk.end - chunk.start),
                    Repeats::Skip => new,
                    Repeats::Genomics => {
                        let relevant = before[to as usize] - before[from as usize];
                        u64::from(chunk.end - chunk.start) - (relevant - new_relevant)
                    }
                };
            ends.push(read);
        }
    }

    /// How many characters are read in all.
    pub(super) fn read(&self) -> u64 {
        self.ends.last().copied().unwrap_or(0)
    }

    /// How many characters are read down to the end of a place.
    pub(super) fn end_of(&self, place: usize) -> u64 {
        match place.min(self.ends.len()) {
            0 => 0,
            place => self.ends[place - 1],
        }
    }
}
