//! What the chunks of an index could reach at best, before any is retrieved.

use super::gold::{Gold, GoldSpan};
use super::list::{Chunk, ChunkRun};
use crate::error::{Error, Kind, Result, quote};

/// Where documents are split, judged by the evidence of topics.
#[derive(Clone, Debug, Default)]
pub struct Splitting {
    /// The topics with evidence, in byte order.
    pub topics: Vec<TopicSplitting>,
    /// How long chunks are.
    pub lengths: ChunkLengths,
}

/// What the chunks hold of the evidence of a topic.
#[derive(Clone, Copy, Debug, Default)]
pub struct TopicSplitting {
    /// The place of the topic in the judgments.
    pub topic: usize,
    /// How many pieces of evidence it has; a group of alternatives is one.
    pub pieces: u64,
    /// How many chunks share a character with the evidence.
    pub touching: u64,
    /// How many characters of the evidence are in any chunk.
    pub held: u64,
    /// How many characters the evidence has.
    pub evidence: u64,
    /// How many characters the chunks have that share one with the evidence.
    pub read: u64,
    /// How many pieces one chunk holds whole.
    pub whole: u64,
}

impl TopicSplitting {
    /// Jaccard of the evidence and of all chunks that touch it.
    pub fn omega(&self) -> f64 {
        self.held as f64 / (self.evidence + self.read - self.held) as f64
    }
}

/// How long chunks are, in characters.
#[derive(Clone, Copy, Debug, Default)]
pub struct ChunkLengths {
    /// How many there are.
    pub chunks: u64,
    /// The shortest.
    pub shortest: u64,
    /// The one in the middle, or the mean of the two in the middle.
    pub median: f64,
    /// The mean.
    pub mean: f64,
    /// The longest.
    pub longest: u64,
    /// The share of all their characters that are in an earlier chunk, too.
    pub repeated: f64,
}

/// The chunks of a document by their starts, and a tree of how far any of a range reaches.
#[derive(Default)]
struct Reaching {
    spans: Vec<(u32, u32)>,
    /// The highest end below each node; those of single chunks stand in the second half.
    ends: Vec<u32>,
}

impl Reaching {
    fn of(mut spans: Vec<(u32, u32)>) -> Self {
        spans.sort_unstable();
        let leaves = spans.len().next_power_of_two();
        let mut ends = vec![0; 2 * leaves];
        for (leaf, span) in ends[leaves..].iter_mut().zip(&spans) {
            *leaf = span.1;
        }
        for node in (1..leaves).rev() {
            ends[node] = ends[2 * node].max(ends[2 * node + 1]);
        }
        Reaching { spans, ends }
    }

    /// Calls with the place of each chunk that shares a character with a span.
    fn touching(&self, start: u32, end: u32, mut call: impl FnMut(usize)) {
        let leaves = self.ends.len() / 2;
        let before = self.spans.partition_point(|span| span.0 < end);
        let mut open = vec![(1, 0, leaves)];
        while let Some((node, first, size)) = open.pop() {
            if first >= before || self.ends[node] <= start {
                continue;
            }
            if size == 1 {
                call(first);
                continue;
            }
            let half = size / 2;
            open.extend([(2 * node + 1, first + half, half), (2 * node, first, half)]);
        }
    }
}

/// How many characters some spans have, each once. They are sorted by their starts.
fn union(spans: impl Iterator<Item = (u32, u32)>) -> u64 {
    let (mut size, mut last) = (0, 0);
    for (start, end) in spans {
        size += u64::from(end.saturating_sub(start.max(last)));
        last = last.max(end);
    }
    size
}

/// Judges the chunks of an index, which are those of all lists of a run, by the evidence of
/// grade `rel` or higher. Errors: kind "needs" for judgments without evidence, for no chunk, and
/// for offsets of another unit.
pub fn splitter(gold: &Gold, chunks: &ChunkRun, rel: f64) -> Result<Splitting> {
    check_unit(gold, chunks)?;
    let mut spans: Vec<Vec<(u32, u32)>> = vec![Vec::new(); chunks.documents.len()];
    for chunk in chunks.topics.iter().flat_map(|(_, list)| list) {
        spans[chunk.document as usize].push((chunk.start, chunk.end));
    }
    let documents: Vec<Reaching> = spans.into_iter().map(Reaching::of).collect();
    let mut topics = Vec::new();
    for (place, topic) in gold.topics.iter().enumerate() {
        crate::interrupt::check()?;
        let evidence: Vec<&GoldSpan> = topic.spans.iter().filter(|s| s.grade >= rel).collect();
        if !evidence.is_empty() {
            let known = |number: u32| {
                let number = chunks.documents.get(gold.documents.name(number));
                number.map(|number| &documents[number as usize])
            };
            let found = reached(&evidence, topic.groups.len(), known);
            topics.push(TopicSplitting { topic: place, ..found });
        }
    }
    if topics.is_empty() {
        let message = format!("expected judgments with evidence, found no grade of at least {rel}");
        return Err(Error::new(Kind::Needs, message));
    }
    let lists = chunks.topics.iter().flat_map(|(_, list)| list);
    let lengths = ChunkLengths::of(lists, chunks.documents.len());
    if lengths.chunks == 0 {
        return Err(Error::new(Kind::Needs, "expected the chunks of an index, found none"));
    }
    Ok(Splitting { topics, lengths })
}

/// An error for a run whose offsets count something else than those of the judgments.
pub(super) fn check_unit(gold: &Gold, run: &ChunkRun) -> Result<()> {
    if run.unit == gold.unit {
        return Ok(());
    }
    let message = format!(
        "the offsets of run {} count {}, those of the judgments {}; give both in one unit, or \
         the texts to convert them with",
        quote(&run.name),
        run.unit,
        gold.unit
    );
    Err(Error::new(Kind::Needs, message))
}

/// What chunks hold of the evidence of a topic, which is sorted by document and place.
fn reached<'a>(
    evidence: &[&GoldSpan],
    groups: usize,
    chunks_of: impl Fn(u32) -> Option<&'a Reaching>,
) -> TopicSplitting {
    let mut found = TopicSplitting::default();
    let mut pieces: Vec<Option<bool>> = vec![None; groups];
    for spans in evidence.chunk_by(|a, b| a.document == b.document) {
        let ends = || spans.iter().map(|span| (span.start, span.end));
        found.evidence += union(ends());
        let chunks = chunks_of(spans[0].document);
        let mut touched: Vec<usize> = Vec::new();
        for span in spans {
            let is_whole = pieces[span.group as usize].get_or_insert(false);
            let Some(chunks) = chunks else { continue };
            chunks.touching(span.start, span.end, |place| {
                let (start, end) = chunks.spans[place];
                *is_whole |= start <= span.start && span.end <= end;
                touched.push(place);
            });
        }
        let Some(chunks) = chunks else { continue };
        touched.sort_unstable();
        touched.dedup();
        found.touching += touched.len() as u64;
        let read = || touched.iter().map(|&place| chunks.spans[place]);
        let mut both: Vec<(u32, u32)> = ends().chain(read()).collect();
        both.sort_unstable();
        let read = union(read());
        found.read += read;
        found.held += union(ends()) + read - union(both.into_iter());
    }
    found.pieces = pieces.iter().flatten().count() as u64;
    found.whole = pieces.iter().flatten().filter(|whole| **whole).count() as u64;
    found
}

impl ChunkLengths {
    /// Those of some chunks, whose documents have numbers below `documents`.
    pub fn of<'a>(chunks: impl Iterator<Item = &'a Chunk>, documents: usize) -> Self {
        let mut spans: Vec<Vec<(u32, u32)>> = vec![Vec::new(); documents];
        let mut lengths: Vec<u64> = Vec::new();
        for chunk in chunks {
            spans[chunk.document as usize].push((chunk.start, chunk.end));
            lengths.push(u64::from(chunk.end - chunk.start));
        }
        lengths.sort_unstable();
        let (Some(&shortest), Some(&longest)) = (lengths.first(), lengths.last()) else {
            return ChunkLengths::default();
        };
        let distinct: u64 = spans
            .into_iter()
            .map(|mut of_document| {
                of_document.sort_unstable();
                union(of_document.into_iter())
            })
            .sum();
        let (all, half) = (lengths.iter().sum::<u64>(), lengths.len() / 2);
        let middle = lengths[half] + lengths[lengths.len() - 1 - half];
        ChunkLengths {
            chunks: lengths.len() as u64,
            shortest,
            median: middle as f64 / 2.0,
            mean: all as f64 / lengths.len() as f64,
            longest,
            repeated: (all - distinct) as f64 / all as f64,
        }
    }
}
