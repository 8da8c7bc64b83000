//! The lines of judgments that are like the line above them.
//!
//! Judgments of a topic mostly stand together, so that a line repeats what is
//! before the document. Such a line is taken apart without looking at its
//! bytes one by one; every other line is left to the general path.

use cranfield_scan::{Scan, Task, WINDOW};

use super::lines::Block;
use super::window::{Affix, Marks, NARROW, SPAN, WORD, put};
use crate::grade_column::ABSENT;
use crate::qrels::Builder;

/// What a line of judgments has in common with the line above.
#[derive(Debug)]
pub(crate) struct LineAbove {
    /// Whether there is a line to be like.
    known: bool,
    /// Whether there was a line that is longer than half a window from its
    /// document on.
    wide: bool,
    /// What is before the document.
    prefix: Affix,
    next: Next,
    grade: ReadGrade,
}

/// The grade that a text is, if it is one.
pub(crate) type ReadGrade = fn(&[u8]) -> Option<f64>;

/// The judgments of lines that are read together. Only the beginning of what
/// is there is of use, the rest is room.
#[derive(Debug, Default)]
struct Next {
    documents: Vec<u8>,
    ends: Vec<u32>,
    grade_indexes: Vec<u32>,
}

impl Next {
    /// Makes room for this many lines whose documents have this many bytes in all.
    fn reserve(&mut self, lines: usize, bytes: usize) {
        if self.ends.len() < lines {
            self.ends.resize(lines, 0);
            self.grade_indexes.resize(lines, 0);
        }
        if self.documents.len() < bytes {
            self.documents.resize(bytes, 0);
        }
    }
}

impl LineAbove {
    /// Knows no line. Grades of more than one digit are read by this function.
    pub(crate) fn new(grade: ReadGrade) -> LineAbove {
        LineAbove {
            known: false,
            wide: false,
            prefix: Affix::default(),
            next: Next::default(),
            grade,
        }
    }

    /// Remembers a line whose document begins here and is followed by its grade.
    pub(crate) fn learn(&mut self, line: &[u8], start: usize) {
        self.prefix.set(&line[..start]);
        self.known = start <= WORD;
        self.wide |= line.len() - start >= NARROW - 1;
    }

    /// Expects nothing of the next line.
    pub(crate) fn forget(&mut self) {
        self.known = false;
    }

    /// Adds the judgments of lines up to the first that is not like the line
    /// above; the first of all has this number in the file. Returns how many
    /// bytes and lines were read.
    pub(crate) fn read(
        &mut self,
        block: Block,
        longest: usize,
        number: u64,
        builder: &mut Builder,
    ) -> (usize, usize) {
        if !self.known || WORD + WINDOW > longest {
            return (0, 0);
        }
        self.next.reserve(block.ends.len(), block.bytes() + WINDOW);
        let (prefix, next) = (&self.prefix, &mut self.next);
        cranfield_scan::run(ReadQrelsLines {
            wide: self.wide,
            prefix,
            next,
            grade: self.grade,
            block,
            number,
            builder,
        })
    }
}

struct ReadQrelsLines<'a> {
    wide: bool,
    prefix: &'a Affix,
    next: &'a mut Next,
    grade: ReadGrade,
    block: Block<'a>,
    number: u64,
    builder: &'a mut Builder,
}

impl Task for ReadQrelsLines<'_> {
    type Output = (usize, usize);

    #[inline(always)]
    fn run<S: Scan>(mut self, scan: S) -> (usize, usize) {
        let (used, count) =
            if self.wide { self.gather::<S, WINDOW>(scan) } else { self.gather::<S, NARROW>(scan) };
        let ReadQrelsLines { next, block, number, builder, .. } = self;
        let (documents, grade_indexes) = (&next.documents[..used], &next.grade_indexes[..count]);
        // If it is fewer, the general path says where the next one stood before.
        let added = builder.add_lines(scan, documents, &next.ends[..count], grade_indexes, number);
        let Block { start, base, ends, .. } = block;
        let behind = added.checked_sub(1).map_or(start, |last| base + ends[last] as usize + 1);
        (behind - start, added)
    }
}

impl ReadQrelsLines<'_> {
    /// Takes lines apart; returns how many bytes their documents have, and how
    /// many they are.
    #[inline(always)]
    fn gather<S: Scan, const WIDTH: usize>(&mut self, scan: S) -> (usize, usize) {
        let ReadQrelsLines {
            prefix,
            next,
            grade: read,
            block: Block { text, start, base, ends },
            builder,
            ..
        } = self;
        let Next { documents, ends: document_ends, grade_indexes } = &mut **next;
        let before = prefix.bytes.len().min(WORD);
        // Kept here, so that the compiler knows who changes them.
        let (word, mask, mut digits) =
            (prefix.word, prefix.mask, *builder.grade_indexes_of_digits());
        let arena = &mut documents[..];
        let (mut at, mut used, mut count) = (*start, 0, 0);
        for ((&end, next_end), grade_index) in ends.iter().zip(document_ends).zip(grade_indexes) {
            let Some(line) = text.get(at..).and_then(<[u8]>::first_chunk::<SPAN>) else { break };
            let end = *base + end as usize - at;
            let length = end.wrapping_sub(before);
            let (Some(head), Some(window)) = (line.first_chunk(), line[before..].first_chunk())
            else {
                break;
            };
            if length >= WIDTH - 1 || !scan.same(head, &word, &mask) {
                break;
            }
            // The end of the document, then that of the line and no other.
            let mut gaps = Marks::<WIDTH>::gaps(scan, window);
            let document_end = gaps.next() % WIDTH;
            if gaps.next() != length
                || document_end == 0
                || !matches!(window[document_end], b' ' | b'\t')
            {
                break;
            }
            let digit = window[document_end + 1].wrapping_sub(b'0');
            let known = digits.get(usize::from(digit)).filter(|_| document_end + 2 == length);
            *grade_index = match known {
                Some(&grade_index) if grade_index != ABSENT => grade_index,
                _ => match read(&window[document_end + 1..length]) {
                    Some(grade) if grade.is_finite() => {
                        let grade_index = builder.grade_index(grade);
                        digits = *builder.grade_indexes_of_digits();
                        grade_index
                    }
                    _ => break,
                },
            };
            if !put::<WIDTH>(arena, used, window) {
                break;
            }
            used += document_end;
            *next_end = used as u32;
            at += end + 1;
            count += 1;
        }
        (used, count)
    }
}
