//! Runs of chunks: parts of documents, best first.

use super::gold::check_span;
use super::names::Names;
use crate::error::{Error, Kind, Result, quote};

/// A part of a document in a list.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Chunk {
    /// The number of the document.
    pub document: u32,
    /// The first character, from 0.
    pub start: u32,
    /// The character behind the last.
    pub end: u32,
    /// Which call returned it; 1 if nothing is said.
    pub call: u32,
    /// Its score; NaN if it has none.
    pub score: f64,
    /// How many tokens it has; NaN if nothing is said.
    pub tokens: f64,
    /// What it costs; NaN if nothing is said.
    pub cost: f64,
}

/// Lists of chunks by topic.
#[derive(Clone, Debug, Default)]
pub struct ChunkRun {
    /// Its name.
    pub name: String,
    /// The documents.
    pub documents: Names,
    /// The topics, in byte order, with their lists, best first.
    pub topics: Vec<(Box<[u8]>, Vec<Chunk>)>,
    /// What offsets count.
    pub unit: Box<str>,
}

/// What decides the order of chunks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ChunkOrder {
    /// Scores if there are any, or else ranks, or else the order of rows; of equal scores the
    /// document with the higher name comes first, then the earlier chunk.
    #[default]
    Usual,
    /// The same, where the document with the lower name comes first.
    LowerName,
    /// The order of rows.
    Rows,
    /// Ranks.
    Ranks,
}

/// Collects the chunks of a run.
#[derive(Default)]
pub struct ChunkRunBuilder {
    documents: Names,
    topics: Names,
    lists: Vec<Vec<Chunk>>,
    /// The ranks of the chunks in the same order, if the rows have ranks.
    ranks: Vec<Vec<f64>>,
    /// How many rows have a score, and how many a rank.
    scored: u64,
    ranked: u64,
    /// How many rows there are.
    pub rows: u64,
}

impl ChunkRunBuilder {
    /// Makes sure that a topic is there, be it with an empty list; returns its place.
    pub fn topic(&mut self, topic: &[u8]) -> Result<usize> {
        let place = self.topics.number(topic)? as usize;
        if place == self.lists.len() {
            self.lists.push(Vec::new());
            self.ranks.push(Vec::new());
        }
        Ok(place)
    }

    /// Adds a chunk, whose number of a document, start and end are set here. Errors: kind "span"
    /// for one that holds no character, "limit" for offsets that are too large.
    pub fn add(
        &mut self,
        topic: &[u8],
        document: &[u8],
        (start, end): (u64, u64),
        rank: Option<f64>,
        chunk: Chunk,
    ) -> Result<()> {
        check_span(start, end)?;
        let document = self.documents.number(document)?;
        let place = self.topic(topic)?;
        self.rows += 1;
        self.scored += u64::from(!chunk.score.is_nan());
        self.ranked += u64::from(rank.is_some());
        let (start, end) = (start as u32, end as u32);
        self.lists[place].push(Chunk { document, start, end, ..chunk });
        if let Some(rank) = rank {
            self.ranks[place].push(rank);
        }
        Ok(())
    }

    /// The run. An error (kind "fields") if some rows lack what decides the order.
    pub fn finish(self, name: &str, order: ChunkOrder) -> Result<ChunkRun> {
        let ChunkRunBuilder { documents, topics: ids, mut lists, ranks, rows, .. } = self;
        let by_ranks = match order {
            ChunkOrder::Rows => None,
            ChunkOrder::Ranks => Some(true),
            _ if self.scored > 0 => Some(false),
            _ if self.ranked > 0 => Some(true),
            _ => None,
        };
        if let Some(by_ranks) = by_ranks {
            let (what, there) =
                if by_ranks { ("rank", self.ranked) } else { ("score", self.scored) };
            if there < rows {
                let lacking = rows - there;
                let message =
                    format!("expected a {what} in every row, found {lacking} of {rows} without");
                return Err(Error::new(Kind::Fields, message));
            }
        }
        for (list, ranks) in lists.iter_mut().zip(ranks) {
            match by_ranks {
                None => list.sort_by_key(|chunk| chunk.call),
                Some(true) => {
                    let mut ranked: Vec<(f64, Chunk)> =
                        ranks.into_iter().zip(list.drain(..)).collect();
                    ranked.sort_by(|(a, first), (b, second)| {
                        first.call.cmp(&second.call).then(a.total_cmp(b))
                    });
                    list.extend(ranked.into_iter().map(|(_, chunk)| chunk));
                }
                Some(false) => sort_by_score(list, &documents, order),
            }
        }
        let mut topics: Vec<(Box<[u8]>, Vec<Chunk>)> = lists
            .into_iter()
            .enumerate()
            .map(|(number, list)| (ids.name(number as u32).into(), list))
            .collect();
        topics.sort_by(|a, b| a.0.cmp(&b.0));
        Ok(ChunkRun { name: name.to_string(), documents, topics, unit: "codepoints".into() })
    }
}

fn sort_by_score(list: &mut [Chunk], documents: &Names, order: ChunkOrder) {
    let compare = |a: &Chunk, b: &Chunk| {
        a.call.cmp(&b.call).then(b.score.total_cmp(&a.score)).then_with(|| {
            let (mut first, mut second) = (documents.name(a.document), documents.name(b.document));
            if order != ChunkOrder::LowerName {
                std::mem::swap(&mut first, &mut second);
            }
            first.cmp(second).then((a.start, a.end).cmp(&(b.start, b.end)))
        })
    };
    if !list.is_sorted_by(|a, b| compare(a, b).is_le()) {
        list.sort_by(compare);
    }
}

impl ChunkRun {
    /// The list of a topic.
    pub fn list(&self, topic: &[u8]) -> Option<&[Chunk]> {
        let place = self.topics.binary_search_by(|(known, _)| (**known).cmp(topic)).ok()?;
        Some(&self.topics[place].1)
    }

    /// How many chunks there are.
    pub fn chunks(&self) -> usize {
        self.topics.iter().map(|(_, list)| list.len()).sum()
    }
}

/// What the score of a document is made of, from those of its chunks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RollUp {
    /// The highest.
    Max,
    /// That of the chunk with the lowest start among those retrieved.
    First,
    /// The sum.
    Sum,
    /// The mean.
    Mean,
    /// The mean of the highest so many.
    MeanOfBest(usize),
}

/// A topic's documents with their scores.
pub type RolledUp<'a> = (&'a [u8], Vec<(&'a [u8], f64)>);

impl ChunkRun {
    /// The documents of each topic with a score made of those of their chunks, in the order of
    /// their first chunks. A chunk that comes again counts once. An error (kind "needs") for
    /// chunks without scores.
    pub fn documents(&self, how: RollUp) -> Result<Vec<RolledUp<'_>>> {
        let mut found = Vec::with_capacity(self.topics.len());
        for (topic, list) in &self.topics {
            if let Some(bare) = list.iter().find(|chunk| chunk.score.is_nan()) {
                let document = quote(self.documents.name(bare.document));
                let message = format!(
                    "a score of each document needs one of each chunk, and one of document {document} \
                     of topic {} has none",
                    quote(topic)
                );
                return Err(Error::new(Kind::Needs, message));
            }
            let mut order: Vec<(usize, &Chunk)> = list.iter().enumerate().collect();
            order.sort_by_key(|(place, chunk)| (chunk.document, chunk.start, chunk.end, *place));
            order.dedup_by_key(|(_, chunk)| (chunk.document, chunk.start, chunk.end));
            let mut documents: Vec<(usize, &[u8], f64)> = order
                .chunk_by(|a, b| a.1.document == b.1.document)
                .map(|chunks| {
                    let first = chunks.iter().map(|(place, _)| *place).min().unwrap_or_default();
                    let name = self.documents.name(chunks[0].1.document);
                    (first, name, rolled_up(chunks, how))
                })
                .collect();
            documents.sort_by_key(|(first, ..)| *first);
            let documents = documents.into_iter().map(|(_, name, score)| (name, score));
            found.push((&**topic, documents.collect()));
        }
        Ok(found)
    }
}

/// The score of a document from those of its chunks, which are sorted by place.
fn rolled_up(chunks: &[(usize, &Chunk)], how: RollUp) -> f64 {
    let scores = chunks.iter().map(|(_, chunk)| chunk.score);
    match how {
        RollUp::Max => scores.fold(f64::MIN, f64::max),
        RollUp::First => chunks[0].1.score,
        RollUp::Sum => scores.sum(),
        RollUp::Mean => scores.sum::<f64>() / chunks.len() as f64,
        RollUp::MeanOfBest(most) => {
            let mut best: Vec<f64> = scores.collect();
            best.sort_by(|a, b| b.total_cmp(a));
            best.truncate(most);
            best.iter().sum::<f64>() / best.len() as f64
        }
    }
}
