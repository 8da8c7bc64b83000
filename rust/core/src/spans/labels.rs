//! Judgments of chunks by name, from those of spans.

use std::collections::BTreeMap;

use super::gold::{Gold, GoldTopic};
use super::list::ChunkRun;

/// Of what a chunk has to share a proportion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SharedOf {
    /// The span.
    Span,
    /// The chunk itself.
    Chunk,
}

/// A chunk that is relevant to a topic.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ChunkLabel {
    /// The place of the chunk.
    pub chunk: usize,
    /// The highest grade of the spans of which it shares enough.
    pub grade: f64,
    /// The group of that span: of those of one grade the one that it shares most of, and of these
    /// the first.
    pub group: u32,
}

/// A chunk of a document: start, end and place.
type ChunkPart = (u32, u32, usize);

/// The parts of a document, by their starts, and how long the longest is.
#[derive(Default)]
struct DocumentParts {
    parts: Vec<ChunkPart>,
    longest: u32,
}

impl DocumentParts {
    /// Those that share a character with a span.
    fn touching(&self, start: u32, end: u32) -> impl Iterator<Item = &ChunkPart> {
        let least = start.saturating_sub(self.longest);
        let first = self.parts.partition_point(|part| part.0 < least);
        self.parts[first..].iter().take_while(move |part| part.0 < end)
    }
}

/// The labels of chunks for each topic of the judgments. `chunks` has a topic for each chunk, and
/// where that is.
pub fn labels(gold: &Gold, chunks: &ChunkRun, overlap: f64, of: SharedOf) -> Vec<Vec<ChunkLabel>> {
    let mut documents: Vec<DocumentParts> = Vec::new();
    documents.resize_with(chunks.documents.len(), DocumentParts::default);
    for (place, (_, list)) in chunks.topics.iter().enumerate() {
        for chunk in list {
            let document = &mut documents[chunk.document as usize];
            document.parts.push((chunk.start, chunk.end, place));
            document.longest = document.longest.max(chunk.end - chunk.start);
        }
    }
    for document in &mut documents {
        document.parts.sort_unstable();
    }
    let parts = |number| {
        let known = chunks.documents.get(gold.documents.name(number))?;
        Some(&documents[known as usize])
    };
    let topics = gold.topics.iter();
    topics.map(|topic| of_topic(topic, overlap, of, parts)).collect()
}

fn of_topic<'a>(
    topic: &GoldTopic,
    overlap: f64,
    of: SharedOf,
    parts: impl Fn(u32) -> Option<&'a DocumentParts>,
) -> Vec<ChunkLabel> {
    let mut best: BTreeMap<usize, (ChunkLabel, f64)> = BTreeMap::new();
    for span in &topic.spans {
        let Some(parts) = parts(span.document) else { continue };
        for &(start, end, chunk) in parts.touching(span.start, span.end) {
            let both = i64::from(end.min(span.end)) - i64::from(start.max(span.start));
            let whole = if of == SharedOf::Span { span.end - span.start } else { end - start };
            let share = both as f64 / f64::from(whole);
            if both <= 0 || share < overlap {
                continue;
            }
            let own = (ChunkLabel { chunk, grade: span.grade, group: span.group }, share);
            let known = best.entry(chunk).or_insert(own);
            let above = own.0.grade.total_cmp(&known.0.grade).then(share.total_cmp(&known.1));
            if above.then(known.0.group.cmp(&own.0.group)).is_gt() {
                *known = own;
            }
        }
    }
    best.into_values().map(|(label, _)| label).collect()
}

#[cfg(test)]
mod tests {
    use super::super::{Chunk, ChunkOrder, ChunkRunBuilder, GoldBuilder};
    use super::*;

    #[test]
    fn a_chunk_has_the_best_of_its_spans() {
        let mut gold = GoldBuilder::default();
        for (at, grade) in [((0, 10), 1.0), ((5, 15), 2.0), ((30, 40), 1.0)] {
            gold.add(b"q", b"d", at, grade, None, 0).unwrap();
        }
        let mut run = ChunkRunBuilder::default();
        for (name, at) in [(b"a", (0, 12)), (b"b", (12, 20)), (b"c", (38, 90))] {
            let chunk = Chunk {
                document: 0,
                start: 0,
                end: 0,
                call: 1,
                score: f64::NAN,
                tokens: f64::NAN,
                cost: f64::NAN,
            };
            run.add(name, b"d", at, None, chunk).unwrap();
        }
        let run = run.finish("chunks", ChunkOrder::Rows).unwrap();
        let found = labels(&gold.finish().unwrap(), &run, 0.5, SharedOf::Span);
        assert_eq!(found, [vec![ChunkLabel { chunk: 0, grade: 2.0, group: 1 }]]);
    }
}
