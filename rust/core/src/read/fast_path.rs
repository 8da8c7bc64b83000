//! The lines of a run that are like the line above them.
//!
//! The speed of the whole program is decided here. Nearly every line repeats
//! the topic, the second column and the tag of the line above it, and has one
//! separator between two fields. Such a line is taken apart from both of its
//! ends without looking at its bytes one by one; every other line is left to
//! the general path.

use cranfield_scan::{Scan, Task, WINDOW, eight_digits};

use super::lines::{Block, PADDING};
use crate::bytes::{formed_number, long_number, number};
use crate::rank::{Lines, Room, score_of, whole};

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
    /// How many bytes are looked at: as many as any line so far needed.
    width: Width,
    /// Whether no line is ever said to be like another.
    #[cfg(test)]
    of_none: bool,
}

impl Shape {
    /// The shape of no line.
    #[cfg(test)]
    pub(super) fn of_none() -> Self {
        Shape { of_none: true, ..Shape::default() }
    }

    /// Remembers a line: where its document begins, and where its fields are.
    pub(super) fn learn(&mut self, line: &[u8], start: usize, spans: &[(usize, usize)]) {
        let (document, rank, score) = (spans[2], spans[3], spans[4]);
        self.prefix.set(&line[..start]);
        self.suffix.set(&line[score.1..]);
        self.separators = [line[document.1], line[rank.1]];
        let narrowest = match score.1 - start {
            _ if self.prefix.bytes.len().max(self.suffix.bytes.len()) > WORD => Width::Roomy,
            length if length < NARROW - 1 => Width::Narrow,
            length if length < WINDOW - 1 => Width::Usual,
            _ => Width::Roomy,
        };
        self.width = self.width.max(narrowest);
        self.known = document.1 + 1 == rank.0 && rank.1 + 1 == score.0;
        #[cfg(test)]
        if self.of_none {
            self.known = false;
        }
    }

    /// Expects nothing of the next line.
    pub(super) fn forget(&mut self) {
        self.known = false;
    }

    /// Reads lines up to the first that is not like the line above, with their
    /// ranks if these are to be kept. Returns where that one begins and how
    /// many were read.
    pub(super) fn read(
        &self,
        block: Block,
        longest: usize,
        ranked: bool,
        lines: &mut Lines,
    ) -> (usize, usize) {
        let (before, behind) = (self.prefix.bytes.len(), self.suffix.bytes.len());
        let Block { text, start, base, ends } = block;
        let (mut at, mut count) = (start, 0);
        let window = if self.width == Width::Roomy { WINDOWS } else { WINDOW };
        if !self.known || before.max(behind) > AFFIX || before + window + behind > longest {
            return (at, count);
        }
        loop {
            let ends = &ends[count..];
            let bytes = ends.last().map_or(0, |&end| base + end as usize - at);
            let room = lines.room(ends.len(), bytes + window, ranked);
            let (read, from, stopped) = cranfield_scan::run(Read {
                shape: self,
                block: Block { text, start: at, base, ends },
                room,
            });
            lines.take_over(read);
            (at, count) = (from, count + read);
            match stopped {
                Stopped::Unlike => return (at, count),
                Stopped::Mixed => lines.settle(),
            }
        }
    }
}

/// How many bytes of a line are looked at, from its document on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
enum Width {
    /// Half a window.
    #[default]
    Narrow,
    /// One window.
    Usual,
    /// Two; and the line may have a beginning and an end of more than a word.
    Roomy,
}

/// Why reading stopped.
enum Stopped {
    /// At a line that is not like the one above, or at the end.
    Unlike,
    /// At a score for whose digits there is no room beside those above.
    Mixed,
}

/// Bytes that are compared at once.
pub(super) const WORD: usize = 16;

/// The longest beginning or end that lines have in common.
const AFFIX: usize = 64;

/// The bytes of a line from its document on that are looked at where they are
/// few.
pub(super) const NARROW: usize = WINDOW / 2;

/// And where they are many.
const WINDOWS: usize = 2 * WINDOW;

/// The bytes from the beginning of a line that are looked at.
pub(super) const SPAN: usize = 2 * AFFIX + WINDOWS;

const _: () = assert!(SPAN <= PADDING);

/// Bytes to be compared with; those that fit into it as one word.
#[derive(Debug, Default)]
pub(super) struct Affix {
    pub(super) bytes: Vec<u8>,
    pub(super) word: [u8; WORD],
    pub(super) mask: [u8; WORD],
}

impl Affix {
    /// Remembers bytes.
    pub(super) fn set(&mut self, bytes: &[u8]) {
        self.bytes.clear();
        self.bytes.extend_from_slice(bytes);
        (self.word, self.mask) = ([0; WORD], [0; WORD]);
        if bytes.len() <= WORD {
            self.word[..bytes.len()].copy_from_slice(bytes);
            self.mask[..bytes.len()].fill(0xFF);
        }
    }
}

struct Read<'a> {
    shape: &'a Shape,
    block: Block<'a>,
    room: Room<'a>,
}

impl Task for Read<'_> {
    type Output = (usize, usize, Stopped);

    #[inline(always)]
    fn run<S: Scan>(self, scan: S) -> Self::Output {
        match (self.shape.width, !self.room.ranks.is_empty()) {
            (Width::Narrow, false) => self.read::<S, NARROW, false>(scan),
            (Width::Narrow, true) => self.read::<S, NARROW, true>(scan),
            (Width::Usual, false) => self.read::<S, WINDOW, false>(scan),
            (Width::Usual, true) => self.read::<S, WINDOW, true>(scan),
            (Width::Roomy, false) => self.read::<S, WINDOWS, false>(scan),
            (Width::Roomy, true) => self.read::<S, WINDOWS, true>(scan),
        }
    }
}

impl Read<'_> {
    /// Returns how many lines were read, where the next one begins, and why.
    #[inline(always)]
    fn read<S: Scan, const WIDTH: usize, const RANKED: bool>(
        self,
        scan: S,
    ) -> (usize, usize, Stopped) {
        let Read { shape, block: Block { text, start, base, ends }, room, .. } = self;
        let Shape { prefix, suffix, separators, .. } = shape;
        // Said again for the compiler, which then knows what is in range.
        let (before, behind) = (prefix.bytes.len().min(AFFIX), suffix.bytes.len().min(AFFIX));
        let Room { arena, mut used, ends: room_ends, levels, ranks, decimals } = room;
        let (mut at, mut count) = (start, 0);
        let mut form = scan.form(decimals);
        for ((&end, room_end), level) in ends.iter().zip(room_ends).zip(levels) {
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
                None if decimals > 0 => return (count, at, Stopped::Mixed),
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
            *room_end = used;
            *level = score;
            at += end + 1;
            count += 1;
        }
        (count, at, Stopped::Unlike)
    }
}

/// Copies the first so many bytes to a place, if there is room for all of them.
#[inline(always)]
pub(super) fn put<const WIDTH: usize>(arena: &mut [u8], at: usize, bytes: &[u8; WINDOWS]) -> bool {
    let room = arena.get_mut(at..).and_then(<[u8]>::first_chunk_mut::<WIDTH>);
    room.zip(bytes.first_chunk()).map(|(room, bytes)| *room = *bytes).is_some()
}

/// A bit for each of so many bytes that is a gap.
pub(super) struct Marks<const WIDTH: usize>(u64, u64);

impl<const WIDTH: usize> Marks<WIDTH> {
    #[inline(always)]
    pub(super) fn gaps(scan: impl Scan, windows: &[u8; WINDOWS]) -> Self {
        let (first, second) = windows.split_at(WINDOW);
        let (first, second) = (first.first_chunk(), second.first_chunk());
        match (WIDTH, windows.first_chunk(), first, second) {
            (WINDOWS, _, Some(first), Some(second)) => Marks(scan.gaps(first), scan.gaps(second)),
            (WINDOW, _, Some(first), _) => Marks(scan.gaps(first), 0),
            (_, Some(half), ..) => Marks(scan.few_gaps(half).into(), 0),
            _ => unreachable!("a window is as long as it says"),
        }
    }

    /// Takes the first mark away and says where it was; behind all bytes if
    /// there is none.
    #[inline(always)]
    pub(super) fn next(&mut self) -> usize {
        if WIDTH == NARROW {
            let marks = self.0 as u32;
            self.0 = (marks & marks.wrapping_sub(1)).into();
            return marks.trailing_zeros() as usize;
        }
        if WIDTH == WINDOW {
            let at = self.0.trailing_zeros();
            self.0 &= self.0.wrapping_sub(1);
            return at as usize;
        }
        let all = u128::from(self.0) | u128::from(self.1) << WINDOW;
        let rest = all & all.wrapping_sub(1);
        *self = Marks(rest as u64, (rest >> WINDOW) as u64);
        all.trailing_zeros() as usize
    }
}

/// The number that the first so many bytes of a text are, if these are up to
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
mod tests {
    use proptest::prelude::*;

    use super::super::lines::LineReader;
    use super::super::run::{Gathered, Ranks, RunOptions, gather, gather_plainly};
    use super::super::source;
    use super::super::source::Limits;
    use crate::error::Error;
    use crate::qrels::{Builder, Qrels};
    use crate::rank::{Duplicates, Lines, Order, Precision, Ranker, Ranking, Scratch};

    /// Reads by so many bytes at a time.
    fn read(text: &str, chunk: usize, block: usize, ranks: Ranks) -> Result<Gathered, Error> {
        let reader = LineReader::by(chunk, block, source(text), &Limits::default());
        gather(reader, RunOptions { ranks, ..RunOptions::default() }, String::new())
    }

    /// Reads line by line.
    fn read_plainly(text: &str, ranks: Ranks) -> Result<Gathered, Error> {
        let reader = LineReader::new(source(text), &Limits::default());
        gather_plainly(reader, RunOptions { ranks, ..RunOptions::default() })
    }

    fn document() -> impl Strategy<Value = String> {
        prop_oneof![
            6 => "[ab]{1,3}",
            2 => "FBIS[34]-[0-9]{4,5}",
            2 => prop::sample::select(vec![7, 8, 16, 17, 32, 57, 58, 62, 63, 64, 65, 119, 120, 122, 127, 128, 200])
                .prop_flat_map(|length| (Just(length), "[xyé]"))
                .prop_map(|(length, last)| format!("{}{last}", "d".repeat(length - last.len()))),
        ]
    }

    fn score() -> impl Strategy<Value = String> {
        prop_oneof![
            6 => "[0-9]\\.[0-9]{2}",
            3 => "-?[0-9]{1,3}(\\.[0-9]{0,3})?",
            2 => "0\\.12345(67)?8[0-9]{0,12}",
            1 => "[0-9]{14,20}",
            1 => "[+-]?[0-9]{1,2}(\\.[0-9])?e[+-]?[0-9]{1,2}",
            1 => "-0|-0\\.00|0|\\.5|5\\.|00\\.10|1e400|nan|x|\\.|1\\.2\\.3|-|--1|1,5",
        ]
    }

    fn rank() -> impl Strategy<Value = String> {
        prop_oneof![
            16 => "[0-9]{1,4}",
            2 => "[0-9]{7,10}",
            1 => "-1|\\+2|3\\.5|1e3|x|nan|1,5|\\.",
        ]
    }

    /// One line: its fields and, seldom, what is odd about it.
    fn line() -> impl Strategy<Value = String> {
        let odd = prop_oneof![
            30 => Just(""),
            1 => prop::sample::select(vec!["\t", "  ", "\r", "\n", "\n# note", " ", "\u{b}", "\0", "\r x", "é"]),
        ];
        let topic = prop_oneof![8 => Just("401"), 1 => Just("40"), 1 => Just("4010")];
        let tag = prop_oneof![
            8 => Just("tag"),
            1 => Just("a tag of several words that is longer than a register"),
            1 => Just("t"),
        ];
        (topic, document(), rank(), score(), tag, odd, 0usize..7).prop_map(
            |(topic, document, rank, score, tag, odd, place)| {
                let fields = [topic, "Q0", &document, &rank, &score, tag];
                let mut line = String::new();
                for (i, field) in fields.iter().enumerate() {
                    if i == place {
                        line.push_str(odd);
                    }
                    line.push_str(field);
                    line.push(if i < 5 { ' ' } else { '\n' });
                }
                if place == 6 { line.replace('\n', &format!("{odd}\n")) } else { line }
            },
        )
    }

    fn judged(lines: &Lines) -> Qrels {
        let mut builder = Builder::new(&[]);
        for i in (0..lines.len()).step_by(3) {
            // A document that stands twice is judged once.
            let _ = builder.add(b"1", lines.document(i), 1.0, &[], 1);
        }
        builder.finish(None)
    }

    /// A ranking as far as scores tell, computed in the plainest way.
    fn plainly(ranker: &Ranker, lines: &Lines, qrels: &Qrels) -> Option<(u32, Vec<(u32, u32)>)> {
        let mut order: Vec<usize> = (0..lines.len()).collect();
        let key = |i: usize| match ranker.precision {
            Precision::F64 => lines.score(i),
            Precision::F32 => f64::from(lines.score(i) as f32),
        };
        let again = |i: usize| (0..i).any(|j| lines.document(j) == lines.document(i));
        if (0..lines.len()).any(again) {
            if ranker.duplicates == Duplicates::Error {
                return None;
            }
            order.retain(|&i| !again(i));
        }
        order.sort_by(|&a, &b| {
            let ids = lines.document(a).cmp(lines.document(b));
            let ids = if ranker.order == Order::DocnoAsc { ids } else { ids.reverse() };
            key(b).partial_cmp(&key(a)).unwrap().then(ids)
        });
        let docs = qrels.topics()[0].docs();
        let number = |i: usize| docs.keys().position(|id| id == lines.document(i));
        let hits = (1..).zip(&order).filter_map(|(rank, &i)| Some((rank, number(i)? as u32)));
        Some((order.len() as u32, hits.collect()))
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1000))]

        /// Lines that are read alike, wherever blocks and chunks end, are the
        /// same run, and the same error in the same place.
        #[test]
        fn the_fast_path_reads_what_the_general_path_reads(
            lines in prop::collection::vec(line(), 1..40),
            crlf: bool,
            unfinished: bool,
            chunk in 2usize..300,
            block in 1usize..300,
            ranks in prop::sample::select(vec![Ranks::Ignored, Ranks::Kept, Ranks::Needed]),
        ) {
            let mut text = lines.concat();
            if crlf {
                text = text.replace('\n', "\r\n");
            }
            if unfinished {
                text.pop();
            }
            let fast = read(&text, chunk, block, ranks);
            let slow = read_plainly(&text, ranks);
            match (fast, slow) {
                (Err(fast), Err(slow)) => {
                    prop_assert_eq!(fast.to_string(), slow.to_string());
                }
                (Ok(fast), Ok(slow)) => {
                    prop_assert_eq!(fast.run.topics.len(), slow.run.topics.len());
                    prop_assert_eq!(fast.run.tag, slow.run.tag);
                    for (i, (topic, found)) in fast.run.topics.iter().enumerate() {
                        let (name, expected) = &slow.run.topics[i];
                        prop_assert_eq!((topic, found.len()), (name, expected.len()));
                        prop_assert_eq!(found.ranks(), expected.ranks());
                        for line in 0..found.len() {
                            prop_assert_eq!(found.document(line), expected.document(line));
                            prop_assert_eq!(found.score(line).to_bits(), expected.score(line).to_bits());
                            prop_assert_eq!(fast.places[i].of(line), slow.places[i].of(line));
                        }
                    }
                }
                (fast, slow) => prop_assert!(false, "{:?} {:?}", fast.err(), slow.err()),
            }
        }

        /// What is ranked from digits and tags is what sorting and searching
        /// one by one would give.
        #[test]
        fn rankings_are_the_plain_ones(
            lines in prop::collection::vec((document(), "[0-9]\\.[0-9]{2}|0\\.1234567[0-9]{1,2}|-?[0-9]{1,2}"), 1..60),
            few in 1u32..60,
            sorted: bool,
        ) {
            let mut lines = lines;
            let score = |text: &str| text.parse::<f64>().unwrap();
            for (_, text) in &mut lines {
                if few < 20 {
                    *text = format!("{:.2}", score(text) as u32 % few);
                }
            }
            if sorted {
                lines.sort_by(|a, b| score(&b.1).total_cmp(&score(&a.1)));
            }
            let text: Vec<String> =
                lines.iter().map(|(id, score)| format!("1 Q0 {id} 1 {score} t")).collect();
            let run = read(&text.join("\n"), 99, 50, Ranks::Ignored).unwrap().run;
            let lines = &run.topics[0].1;
            let qrels = judged(lines);
            let mut scratch = Scratch::default();
            let mut ranking = Ranking::default();
            for precision in [Precision::F64, Precision::F32] {
                for order in [Order::DocnoDesc, Order::DocnoAsc] {
                    for duplicates in [Duplicates::Error, Duplicates::First] {
                        let ranker = Ranker { order, precision, duplicates, ..Ranker::default() };
                        let ranked =
                            ranker.rank(lines, &qrels, &qrels.topics()[0], &mut scratch, &mut ranking);
                        let expected = plainly(&ranker, lines, &qrels);
                        prop_assert_eq!(ranked.is_ok(), expected.is_some());
                        if let Some((retrieved, hits)) = expected {
                            prop_assert_eq!(&ranking.hits, &hits);
                            prop_assert_eq!(ranking.retrieved, retrieved);
                        }
                    }
                }
            }
        }
    }
}
