//! What each chunk of a list adds, to be shown beside it.

use super::gold::Gold;
use super::list::{Chunk, ChunkRun};
use super::sweep::{NOWHERE, Sweep, UNGRADED};

/// A part of a chunk that is evidence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Highlight {
    /// The first character, from 0.
    pub start: u32,
    /// The character behind the last.
    pub end: u32,
    /// Whether no chunk above holds it.
    pub is_new: bool,
}

/// The first chunks of the list of a topic, each with its parts that are evidence of grade `rel`
/// or higher, in the order of the text. Nothing for a topic that is not there.
pub fn highlights(
    gold: &Gold,
    run: &ChunkRun,
    topic: &[u8],
    rel: f64,
    depth: usize,
) -> Vec<(Chunk, Vec<Highlight>)> {
    let (Some(place), Some(list)) = (gold.position(topic), run.list(topic)) else {
        return Vec::new();
    };
    let topic = &gold.topics[place];
    let list = &list[..list.len().min(depth)];
    let mut sweep = Sweep::default();
    sweep.sweep(topic, list, |number| {
        run.documents.get(gold.documents.name(number)).unwrap_or(NOWHERE)
    });
    let places = list.iter().zip(&sweep.chunks).zip(1_u32..);
    let found = places.map(|((chunk, &(from, to)), place)| {
        let mut parts: Vec<Highlight> = Vec::new();
        for segment in from..to {
            let index = sweep.grade_indices[segment as usize];
            if index == UNGRADED || topic.grades[index as usize] < rel {
                continue;
            }
            let start = sweep.start(segment);
            let end = start + sweep.length(segment) as u32;
            let is_new = sweep.first[segment as usize] == place;
            match parts.last_mut() {
                Some(last) if last.end == start && last.is_new == is_new => last.end = end,
                _ => parts.push(Highlight { start, end, is_new }),
            }
        }
        (*chunk, parts)
    });
    found.collect()
}
