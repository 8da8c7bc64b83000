//! The lines of a run that are like the line above them.
//!
//! The speed of the whole program is decided here. Nearly every line repeats
//! the topic, the second column and the tag of the line above it, and has one
//! separator between two fields. Such a line is taken apart from both of its
//! ends without looking at its bytes one by one; every other line is left to
//! the general path.

use cranfield_scan::{Scan, Task, WINDOW};

use super::lines::Block;
use crate::bytes::{Decimal, number};
use crate::run::{Lines, Room, level_of};

/// What lines have in common with the line above.
#[derive(Debug, Default)]
pub(super) struct Shape {
    /// Whether there is a line to be like.
    known: bool,
    /// What is before the document.
    prefix: Affix,
    /// What is behind the score.
    suffix: Affix,
    /// What is behind the document and behind the rank.
    separators: [u8; 2],
}

impl Shape {
    /// Remembers a line: where its document begins, and where its fields are.
    pub(super) fn learn(&mut self, line: &[u8], start: usize, spans: &[(usize, usize)]) {
        let (document, rank, score) = (spans[2], spans[3], spans[4]);
        self.prefix.set(&line[..start], |_| 0);
        self.suffix.set(&line[score.1..], |room| room);
        self.separators = [line[document.1], line[rank.1]];
        self.known = document.1 + 1 == rank.0 && rank.1 + 1 == score.0;
    }

    /// Expects nothing of the next line.
    pub(super) fn forget(&mut self) {
        self.known = false;
    }

    /// Reads lines up to the first that is not like the line above. Returns
    /// where that one begins and how many were read.
    pub(super) fn read(&self, block: Block, longest: usize, lines: &mut Lines) -> (usize, usize) {
        let (before, behind) = (self.prefix.bytes.len(), self.suffix.bytes.len());
        let Block { text, start, base, ends } = block;
        let (mut at, mut count) = (start, 0);
        if !self.known || before.max(behind) > AFFIX || before + WINDOW + behind > longest {
            return (at, count);
        }
        loop {
            let ends = &ends[count..];
            let bytes = ends.last().map_or(0, |&end| base + end as usize - at);
            let room = lines.room(ends.len(), bytes + WINDOW);
            let (read, from, stopped) = cranfield_scan::run(Read {
                shape: self,
                block: Block { text, start: at, base, ends },
                room,
                long: before.max(behind) > WORD,
            });
            lines.shrink(ends.len() - read);
            (at, count) = (from, count + read);
            match stopped {
                Stopped::Unlike => return (at, count),
                Stopped::Mixed => lines.settle(),
            }
        }
    }
}

/// Why reading stopped.
enum Stopped {
    /// At a line that is not like the one above, or at the end.
    Unlike,
    /// At a score that does not have as many decimals as those above.
    Mixed,
}

/// Bytes that are compared at once.
const WORD: usize = 16;

/// The longest beginning or end that lines have in common.
const AFFIX: usize = 64;

/// The bytes from the beginning of a line that are looked at.
pub(super) const SPAN: usize = 2 * AFFIX + WINDOW;

/// Bytes to be compared with; those that fit into it as one word.
#[derive(Debug, Default)]
struct Affix {
    bytes: Vec<u8>,
    word: [u8; WORD],
    mask: [u8; WORD],
}

impl Affix {
    /// Remembers bytes; `place` says where they are in the word.
    fn set(&mut self, bytes: &[u8], place: impl Fn(usize) -> usize) {
        self.bytes.clear();
        self.bytes.extend_from_slice(bytes);
        (self.word, self.mask) = ([0; WORD], [0; WORD]);
        if let Some(room) = WORD.checked_sub(bytes.len()) {
            let start = place(room);
            self.word[start..start + bytes.len()].copy_from_slice(bytes);
            self.mask[start..start + bytes.len()].fill(0xFF);
        }
    }
}

struct Read<'a> {
    shape: &'a Shape,
    block: Block<'a>,
    room: Room<'a>,
    /// Whether what lines have in common does not fit into words.
    long: bool,
}

impl Task for Read<'_> {
    type Output = (usize, usize, Stopped);

    #[inline(always)]
    fn run<S: Scan>(self, scan: S) -> Self::Output {
        if self.long { self.read::<S, true>(scan) } else { self.read::<S, false>(scan) }
    }
}

impl Read<'_> {
    /// Returns how many lines were read, where the next one begins, and why.
    #[inline(always)]
    fn read<S: Scan, const LONG: bool>(self, scan: S) -> (usize, usize, Stopped) {
        let Read { shape, block: Block { text, start, base, ends }, room, .. } = self;
        let Shape { prefix, suffix, separators, .. } = shape;
        // Said again for the compiler, which then knows what is in range.
        let before = prefix.bytes.len().min(AFFIX);
        let behind = suffix.bytes.len();
        let Room { arena, mut used, ends: room_ends, levels, decimals } = room;
        let (mut at, mut count) = (start, 0);
        let mut form = scan.form();
        for ((&end, room_end), level) in ends.iter().zip(room_ends).zip(levels) {
            let Some(line) = text.get(at..).and_then(<[u8]>::first_chunk::<SPAN>) else { break };
            let end = base + end as usize - at;
            // The document, the rank and the score.
            let upto = end.wrapping_sub(behind);
            let length = upto.wrapping_sub(before);
            let (Some(head), Some(window)) = (line.first_chunk(), line[before..].first_chunk())
            else {
                break;
            };
            let (Some(tail), Some(score)) = (word(line, end), word(line, upto)) else { break };
            if length >= WINDOW - 1
                || !scan.same(head, &prefix.word, &prefix.mask)
                || !scan.same(tail, &suffix.word, &suffix.mask)
                || LONG && !(line[..before] == prefix.bytes)
                || LONG && !(line[upto..end] == suffix.bytes)
            {
                break;
            }
            // The ends of document, rank and score: one separator each, and
            // something before each of them.
            let gaps = scan.gaps(window) & ((2 << length) - 1);
            let document_end = gaps.trailing_zeros() as usize % WINDOW;
            let behind_document = gaps & gaps.wrapping_sub(1);
            let rank_end = behind_document.trailing_zeros() as usize % WINDOW;
            if gaps.count_ones() != 3
                || gaps & (gaps << 1 | 1) != 0
                || window[document_end] != separators[0]
                || window[rank_end] != separators[1]
            {
                break;
            }
            let negative = line[before + rank_end + 1] == b'-';
            let digits = length - rank_end - 1 - usize::from(negative);
            let decimal =
                scan.decimal(&mut form, score, digits).and_then(|(digits, behind_point)| {
                    level_of(Decimal { negative, digits, decimals: behind_point }, decimals)
                });
            let score = match decimal {
                Some(score) => score,
                None if decimals > 0 => return (count, at, Stopped::Mixed),
                None => match number(&window[rank_end + 1..length]) {
                    // Adding zero turns minus zero into zero.
                    Some(score) if score.is_finite() => score + 0.0,
                    _ => break,
                },
            };
            let Some(room) = arena.get_mut(used..).and_then(<[u8]>::first_chunk_mut) else { break };
            *room = *window;
            used += document_end;
            *room_end = used;
            *level = score;
            at += end + 1;
            count += 1;
        }
        (count, at, Stopped::Unlike)
    }
}

/// The word of a line that ends at a place.
#[inline(always)]
fn word(line: &[u8; SPAN], end: usize) -> Option<&[u8; WORD]> {
    let start = end.wrapping_sub(WORD);
    // Said in this way it is one comparison.
    if start > SPAN - WORD { None } else { line[start..start + WORD].first_chunk() }
}
