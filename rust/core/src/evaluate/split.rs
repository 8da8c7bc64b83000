//! One large file, read by several threads.
//!
//! The file is cut where a topic begins, and each chunk is scored as if it were
//! a run. Topics do not depend on each other, so the values are those of one
//! thread. A chunk does not know its line numbers, and a topic may stand in two
//! chunks: anything unusual is left to reading the whole file.

use std::collections::HashSet;
use std::fs::File;
use std::io::{BufRead, BufReader, Read, Result as IoResult, Seek, SeekFrom};
use std::path::Path;
use std::sync::Arc;

use rayon::prelude::*;

use super::input::RunFile;
use super::mismatch::Strangers;
use super::monitor::Monitor;
use super::ranks::RanksSeen;
use super::reading::{Reading, Step};
use super::row::{Filling, Memory, RunRow};
use crate::bytes::field;
use crate::read::{Compression, Source};
use crate::scores::Notes;

/// A file below this size is read in the time that threads take to start.
const LARGE: u64 = if cfg!(test) { 200 } else { 8 << 20 };

/// How far the beginning of a topic is looked for.
const FAR: u64 = 16 << 20;

/// Whether a file is worth several threads.
pub(super) fn is_large(file: &RunFile) -> bool {
    file.has_bytes(LARGE)
}

/// Where up to this many chunks of a plain file begin, and where the last ends.
fn cuts(path: &Path, chunks: u64) -> IoResult<Vec<u64>> {
    let mut file = File::open(path)?;
    let length = file.metadata()?.len();
    let mut cuts = vec![0];
    for chunk in 1..chunks {
        let from = length / chunks * chunk;
        if let Some(cut) = topic_begins(&mut file, from)?
            && cuts.last().is_some_and(|last| *last < cut)
        {
            cuts.push(cut);
        }
    }
    cuts.push(length);
    Ok(cuts)
}

/// The first line behind a place whose topic is not that of the line above.
fn topic_begins(file: &mut File, from: u64) -> IoResult<Option<u64>> {
    file.seek(SeekFrom::Start(from))?;
    let mut reader = BufReader::new(file).take(FAR);
    let (mut line, mut at) = (Vec::new(), from);
    at += reader.read_until(b'\n', &mut line)? as u64;
    let mut above: Option<Vec<u8>> = None;
    loop {
        line.clear();
        let read = reader.read_until(b'\n', &mut line)?;
        if line.last() != Some(&b'\n') {
            return Ok(None);
        }
        let topic = field(&line[..read - 1], 0).map(|(start, end)| &line[start..end]);
        // One that begins with `#` may be a comment, before which nothing is cut.
        if let Some(topic) = topic.filter(|topic| !topic.starts_with(b"#")) {
            match &above {
                Some(above) if above != topic => return Ok(Some(at)),
                Some(_) => {}
                None => above = Some(topic.to_vec()),
            }
        }
        at += read as u64;
    }
}

/// Fills a row from a plain file by this many threads; nothing if the file has
/// anything unusual.
pub(super) fn score_chunks(
    path: &Path,
    threads: usize,
    row: &mut RunRow,
    monitor: &Arc<Monitor>,
) -> Option<()> {
    let whole = Source::open(path, &row.filling().context.options.limits).ok()?;
    if whole.compression() != Compression::None {
        return None;
    }
    let cuts = cuts(path, threads as u64).ok()?;
    let chunks: Vec<(u64, u64)> = cuts.windows(2).map(|cut| (cut[0], cut[1])).collect();
    let (filling, place) = (row.filling(), row.place());
    let scored: Vec<Option<FileChunk>> = chunks
        .into_par_iter()
        .with_max_len(1)
        .map(|bounds| FileChunk::score(path, bounds, (filling, place), monitor))
        .collect();
    let mut unjudged_topics = HashSet::new();
    let mut layout = None;
    for chunk in scored {
        let FileChunk { cells, done, notes, strangers, ranks, fields } = chunk?;
        // Each chunk found its layout by itself.
        if *layout.get_or_insert(fields) != fields {
            return None;
        }
        let twice = row.done.iter().zip(&done).any(|(before, here)| *before && *here);
        let mut topics = notes.without_judgments.iter();
        if twice || !topics.all(|topic| unjudged_topics.insert(topic.clone())) {
            return None;
        }
        row.take(&cells, &done, (notes, strangers, ranks));
    }
    Some(())
}

/// What comes of a chunk.
struct FileChunk {
    cells: Vec<f64>,
    done: Vec<bool>,
    notes: Notes,
    strangers: Strangers,
    ranks: RanksSeen,
    /// How many its lines have.
    fields: usize,
}

impl FileChunk {
    fn score(
        path: &Path,
        (from, to): (u64, u64),
        (filling, place): (Filling, usize),
        monitor: &Arc<Monitor>,
    ) -> Option<FileChunk> {
        let mut file = File::open(path).ok()?;
        file.seek(SeekFrom::Start(from)).ok()?;
        let chunk = Box::new(file.take(to - from));
        let options = &filling.context.options;
        let source = Source::from_reader("", chunk, &options.limits).ok()?;
        let mut cells = vec![0.0; filling.cells()];
        let row = RunRow::new(filling, place, &mut cells);
        let reader = options.reader(source, monitor).from_byte(from);
        let mut chunk = Reading::new(reader, row);
        let mut memory = Memory::default();
        loop {
            match chunk.step(&mut memory).ok()? {
                Step::On => {}
                Step::End => break,
                Step::CameBack | Step::Unscored(_) => return None,
            }
        }
        let fields = chunk.fields();
        let RunRow { done, notes, strangers, ranks, .. } = chunk.end();
        Some(FileChunk { cells, done, notes, strangers, ranks, fields })
    }
}

#[cfg(test)]
mod tests;
