//! The lines of a run that are like the line above them.
//!
//! The speed of the whole program is decided here. Nearly every line repeats
//! the topic, the second column and the tag of the line above it, and has one
//! separator between two fields. Such a line is taken apart from both of its
//! ends without looking at its bytes one by one; every other line is left to
//! the general path.

use cranfield_scan::{Scan, Task, WINDOW, eight_digits};

use super::lines::Block;
use super::shape::{Shape, Width};
use super::window::{AFFIX, Marks, NARROW, SPAN, WINDOWS, put};
use crate::error::Result;
use crate::numbers::{formed_number, long_number, number};
use crate::rank::{LineBuffer, Lines, score_of, whole};

/// Reads lines up to the first that is not like the line above, with their
/// ranks if these are to be kept. Returns where that one begins and how
/// many were read.
pub(super) fn read(
    shape: &Shape,
    block: Block,
    longest: usize,
    ranked: bool,
    lines: &mut Lines,
) -> Result<(usize, usize)> {
    let (before, behind) = (shape.prefix.bytes.len(), shape.suffix.bytes.len());
    let Block { text, start, base, ends } = block;
    let (mut at, mut count) = (start, 0);
    let window = if shape.width == Width::Wide { WINDOWS } else { WINDOW };
    if !shape.known || before.max(behind) > AFFIX || before + window + behind > longest {
        return Ok((at, count));
    }
    loop {
        let ends = &ends[count..];
        let bytes = ends.last().map_or(0, |&end| base + end as usize - at);
        lines.make_room(ends.len(), bytes + window)?;
        let buffer = lines.buffer(ends.len(), bytes + window, ranked);
        let (read, from, stopped) = cranfield_scan::run(ReadRunLines {
            shape,
            block: Block { text, start: at, base, ends },
            buffer,
        });
        lines.take_over(read);
        (at, count) = (from, count + read);
        match stopped {
            Stopped::ShapeChanged => return Ok((at, count)),
            Stopped::NewScale => lines.settle(),
        }
    }
}
/// Why reading stopped.
enum Stopped {
    /// At a line that is not like the one above, or at the end.
    ShapeChanged,
    /// At a score for whose digits there is no room beside those above.
    NewScale,
}

struct ReadRunLines<'a> {
    shape: &'a Shape,
    block: Block<'a>,
    buffer: LineBuffer<'a>,
}

impl Task for ReadRunLines<'_> {
    type Output = (usize, usize, Stopped);

    #[inline(always)]
    fn run<S: Scan>(self, scan: S) -> Self::Output {
        match (self.shape.width, !self.buffer.ranks.is_empty()) {
            (Width::Narrow, false) => self.read::<S, NARROW, false>(scan),
            (Width::Narrow, true) => self.read::<S, NARROW, true>(scan),
            (Width::Usual, false) => self.read::<S, WINDOW, false>(scan),
            (Width::Usual, true) => self.read::<S, WINDOW, true>(scan),
            (Width::Wide, false) => self.read::<S, WINDOWS, false>(scan),
            (Width::Wide, true) => self.read::<S, WINDOWS, true>(scan),
        }
    }
}

impl ReadRunLines<'_> {
    /// Returns how many lines were read, where the next one begins, and why.
    #[inline(always)]
    fn read<S: Scan, const WIDTH: usize, const RANKED: bool>(
        self,
        scan: S,
    ) -> (usize, usize, Stopped) {
        let ReadRunLines { shape, block: Block { text, start, base, ends }, buffer, .. } = self;
        let Shape { prefix, suffix, separators, .. } = shape;
        // A hint to the compiler, which drops checks of bounds below.
        let (before, behind) = (prefix.bytes.len().min(AFFIX), suffix.bytes.len().min(AFFIX));
        let LineBuffer { arena, mut used, ends: buffer_ends, scaled_scores, ranks, decimals } =
            buffer;
        let (mut at, mut count) = (start, 0);
        let mut form = scan.form(decimals);
        for ((&end, buffer_end), scaled) in ends.iter().zip(buffer_ends).zip(scaled_scores) {
            let Some(line) = text.get(at..).and_then(<[u8]>::first_chunk::<SPAN>) else { break };
            let end = base + end as usize - at;
            // The document, the rank and the score.
            let length = end.wrapping_sub(before + behind);
            if length >= WIDTH - 1 {
                break;
            }
            let upto = before + length;
            let (Some(head), Some(window), Some(tail)) = (
                line.first_chunk(),
                line[before..].first_chunk::<WINDOWS>(),
                line[upto..].first_chunk(),
            ) else {
                break;
            };
            if !scan.same(head, &prefix.word, &prefix.mask)
                || !scan.same(tail, &suffix.word, &suffix.mask)
                || WIDTH == WINDOWS && line[..before] != prefix.bytes
                || WIDTH == WINDOWS && line[upto..end] != suffix.bytes
            {
                break;
            }
            // The ends of document, rank and score: one separator each, and
            // something before each of them.
            let mut gaps = Marks::<WIDTH>::gaps(scan, window);
            let (document_end, rank_end) = (gaps.next() % WINDOWS, gaps.next() % WINDOWS);
            if gaps.next() != length
                || document_end == 0
                || rank_end - document_end < 2
                || length - rank_end < 2
                || window[document_end] != separators[0]
                || window[rank_end] != separators[1]
            {
                break;
            }
            if RANKED {
                let (Some(rank), Some(place)) = (
                    counting_number(
                        &line[before + document_end + 1..],
                        rank_end - document_end - 1,
                    ),
                    ranks.get_mut(count),
                ) else {
                    break;
                };
                *place = rank;
            }
            let Some(first) = line[before + rank_end + 1..].first_chunk() else { break };
            let score = match scan.scaled(&mut form, first, length - rank_end - 1) {
                Some(decimal) if decimals > 0 => whole(decimal),
                Some(decimal) => score_of(decimal),
                None if decimals > 0 => return (count, at, Stopped::NewScale),
                None => {
                    let text = &window[rank_end + 1..length];
                    // Adding zero turns minus zero into zero.
                    match formed_number(scan, &mut form, first, text) {
                        Some(score) => score + 0.0,
                        None => match long_number(text).or_else(|| number(text)) {
                            Some(score) if score.is_finite() => score + 0.0,
                            _ => break,
                        },
                    }
                }
            };
            if !put::<WIDTH>(arena, used, window) {
                break;
            }
            used += document_end;
            *buffer_end = used;
            *scaled = score;
            at += end + 1;
            count += 1;
        }
        (count, at, Stopped::ShapeChanged)
    }
}

/// The number that the first this many bytes of a text are, if these are up to
/// eight digits.
#[inline(always)]
fn counting_number(text: &[u8], length: usize) -> Option<f64> {
    let (Some(word), 1..=8) = (text.first_chunk(), length) else { return None };
    let behind = u64::BITS - 8 * length as u32;
    let zeros = u64::from_le_bytes([b'0'; 8]) & !(u64::MAX << behind);
    let word = (u64::from_le_bytes(*word) << behind) | zeros;
    eight_digits(&word.to_le_bytes()).map(|number| number as f64)
}

#[cfg(test)]
mod tests;
