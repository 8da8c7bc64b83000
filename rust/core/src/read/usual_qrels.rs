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
}

impl Above {
    /// Remembers a line whose document begins here and is followed by its grade.
    pub(super) fn learn(&mut self, line: &[u8], start: usize) {
        self.prefix.set(&line[..start], |_| 0);
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
        &self,
        block: Block,
        longest: usize,
        number: u64,
        builder: &mut Builder,
    ) -> (usize, usize) {
        if !self.known || WORD + WINDOW > longest {
            return (0, 0);
        }
        cranfield_scan::run(Read { prefix: &self.prefix, block, number, builder })
    }
}

struct Read<'a> {
    prefix: &'a Affix,
    block: Block<'a>,
    number: u64,
    builder: &'a mut Builder,
}

impl Task for Read<'_> {
    type Output = (usize, usize);

    #[inline(always)]
    fn run<S: Scan>(self, scan: S) -> (usize, usize) {
        let Read { prefix, block: Block { text, start, base, ends }, number: first, builder } =
            self;
        let before = prefix.bytes.len().min(WORD);
        let mut at = start;
        for (i, &end) in ends.iter().enumerate() {
            let Some(line) = text.get(at..).and_then(<[u8]>::first_chunk::<SPAN>) else {
                return (at - start, i);
            };
            let end = base + end as usize - at;
            let length = end.wrapping_sub(before);
            let (Some(head), Some(window)) = (line.first_chunk(), line[before..].first_chunk())
            else {
                return (at - start, i);
            };
            if length >= WINDOW - 1 || !scan.same(head, &prefix.word, &prefix.mask) {
                return (at - start, i);
            }
            // The ends of document and grade.
            let gaps = scan.gaps(window) & ((2 << length) - 1);
            let document_end = gaps.trailing_zeros() as usize % WINDOW;
            if gaps.count_ones() != 2
                || document_end == 0
                || !matches!(window[document_end], b' ' | b'\t')
            {
                return (at - start, i);
            }
            let (document, grade) = (&window[..document_end], &window[document_end + 1..length]);
            let Some(grade) = number(grade).filter(|grade| grade.is_finite()) else {
                return (at - start, i);
            };
            if builder.add_next(document, grade, first + i as u64).is_err() {
                // The general path says where it stood before.
                return (at - start, i);
            }
            at += end + 1;
        }
        (at - start, ends.len())
    }
}
