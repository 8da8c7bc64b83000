//! The lines of judgments that are like the line above them.
//!
//! Judgments of a topic mostly stand together, so that a line repeats what is
//! before the document. Such a line is taken apart without looking at its
//! bytes one by one; every other line is left to the general path.

use cranfield_scan::{Scan, Task, WINDOW};

use super::lines::Block;
use super::usual::{Affix, SPAN, WORD};
use crate::bytes::number;
use crate::qrels::Builder;

/// What a line of judgments has in common with the line above.
#[derive(Debug, Default)]
pub(super) struct Above {
    /// Whether there is a line to be like.
    known: bool,
    /// What is before the document.
    prefix: Affix,
    next: Next,
}

/// The judgments of lines that are read together. Only the beginning of what
/// is there is of use, the rest is room.
#[derive(Debug, Default)]
struct Next {
    documents: Vec<u8>,
    ends: Vec<u32>,
    levels: Vec<u32>,
}

impl Next {
    /// Makes room for so many lines whose documents have so many bytes in all.
    fn reserve(&mut self, lines: usize, bytes: usize) {
        if self.ends.len() < lines {
            self.ends.resize(lines, 0);
            self.levels.resize(lines, 0);
        }
        if self.documents.len() < bytes {
            self.documents.resize(bytes, 0);
        }
    }
}

impl Above {
    /// Remembers a line whose document begins here and is followed by its grade.
    pub(super) fn learn(&mut self, line: &[u8], start: usize) {
        self.prefix.set(&line[..start]);
        self.known = start <= WORD;
    }

    /// Expects nothing of the next line.
    pub(super) fn forget(&mut self) {
        self.known = false;
    }

    /// Adds the judgments of lines up to the first that is not like the line
    /// above; the first of all has this number in the file. Returns how many
    /// bytes and lines were read.
    pub(super) fn read(
        &mut self,
        block: Block,
        longest: usize,
        number: u64,
        builder: &mut Builder,
    ) -> (usize, usize) {
        if !self.known || WORD + WINDOW > longest {
            return (0, 0);
        }
        let bytes = block.ends.last().map_or(0, |&end| block.base + end as usize - block.start);
        self.next.reserve(block.ends.len(), bytes + WINDOW);
        let (prefix, next) = (&self.prefix, &mut self.next);
        cranfield_scan::run(Read { prefix, next, block, number, builder })
    }
}

struct Read<'a> {
    prefix: &'a Affix,
    next: &'a mut Next,
    block: Block<'a>,
    number: u64,
    builder: &'a mut Builder,
}

impl Task for Read<'_> {
    type Output = (usize, usize);

    #[inline(always)]
    fn run<S: Scan>(self, scan: S) -> (usize, usize) {
        let Read { prefix, next, block: Block { text, start, base, ends }, number: first, builder } =
            self;
        let Next { documents, ends: document_ends, levels } = next;
        let before = prefix.bytes.len().min(WORD);
        let (mut at, mut used, mut count) = (start, 0, 0);
        for ((&end, next_end), level) in ends.iter().zip(&mut *document_ends).zip(&mut *levels) {
            let Some(line) = text.get(at..).and_then(<[u8]>::first_chunk::<SPAN>) else { break };
            let end = base + end as usize - at;
            let length = end.wrapping_sub(before);
            let (Some(head), Some(window)) = (line.first_chunk(), line[before..].first_chunk())
            else {
                break;
            };
            if length >= WINDOW - 1 || !scan.same(head, &prefix.word, &prefix.mask) {
                break;
            }
            // The end of the document, then that of the line and no other.
            let gaps = scan.gaps(window);
            let document_end = gaps.trailing_zeros() as usize % WINDOW;
            let behind = gaps & gaps.wrapping_sub(1);
            if behind.trailing_zeros() as usize != length
                || document_end == 0
                || !matches!(window[document_end], b' ' | b'\t')
            {
                break;
            }
            let known = if document_end + 2 == length {
                builder.level_of_digit(window[document_end + 1])
            } else {
                None
            };
            *level = match known {
                Some(level) => level,
                None => match number(&window[document_end + 1..length]) {
                    Some(grade) if grade.is_finite() => builder.level(grade),
                    _ => break,
                },
            };
            let Some(room) = documents.get_mut(used..).and_then(<[u8]>::first_chunk_mut) else {
                break;
            };
            *room = *window;
            used += document_end;
            *next_end = used as u32;
            at += end + 1;
            count += 1;
        }
        let (documents, document_ends) = (&documents[..used], &document_ends[..count]);
        let added = builder.add_lines(scan, documents, document_ends, &levels[..count], first);
        if added < count {
            // The general path says where the next one stood before.
            count = added;
            at = match added.checked_sub(1) {
                Some(last) => base + ends[last] as usize + 1,
                None => start,
            };
        }
        (at - start, count)
    }
}
