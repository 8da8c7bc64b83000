//! Run files.
//!
//! Two formats, told apart by the first data line: TREC's six columns (topic,
//! Q0, document, rank, score, tag) and MS MARCO's three (topic, document,
//! rank), whose score is minus the rank. Fields are parted by any white
//! space; blank lines and lines that begin with `#` are passed over; a tag may
//! contain spaces.
//!
//! The speed of the whole program is decided here. Nearly every line repeats
//! the topic and the second column of the line above it, so the reader first
//! compares the line's beginning with that prefix and usually starts parsing
//! at the document.

use std::collections::HashMap;

use super::lines::LineReader;
use super::{Strictness, repaired};
use crate::bytes::{field, fields, is_space, number, number_within, same};
use crate::error::{Error, Kind, Result, count, quote};
use crate::run::{Lines, Repeated, Run};

/// What the reader wants to know of a run.
#[derive(Clone, Copy, Debug, Default)]
pub struct RunOptions {
    /// How forgiving the reader is.
    pub strictness: Strictness,
    /// What is done with the rank column.
    pub ranks: Ranks,
}

/// What is done with the rank column of a TREC run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ranks {
    /// Not looked at, as `trec_eval` does not.
    #[default]
    Ignored,
    /// Kept for topics in which all are numbers.
    Kept,
    /// Needed: a rank that is no number is an error.
    Needed,
}

/// Where the lines of a list stand in their file.
#[derive(Debug, Default)]
pub struct Places {
    of: Vec<(u32, u32)>,
}

impl Places {
    /// The error for a document that stands twice in a list.
    #[cold]
    pub fn duplicate(&self, repeated: Repeated, topic: &[u8], document: &[u8]) -> Error {
        let (first, second) = (self.of[repeated.first].0, self.of[repeated.second]);
        let message = format!(
            "expected a document once for each topic, found {} again for topic {}: it stands on line {first} too",
            quote(document),
            quote(topic),
        );
        Error::new(Kind::Duplicate, message).at_place(second.0.into(), second.1.into())
    }
}

/// What is known at the end of a file.
#[derive(Debug, Default)]
pub struct Trailer {
    /// The tag of the last line.
    pub tag: Option<Vec<u8>>,
    /// Lines that hold a document.
    pub lines: u64,
    /// Fields that lenient reading replaced.
    pub repaired: u64,
}

/// Reads a run and hands over each stretch of lines of one topic: the topic,
/// the lines and their places. A topic whose lines are not together comes
/// more than once.
pub fn each_topic(
    mut reader: LineReader,
    options: RunOptions,
    mut on_topic: impl FnMut(&[u8], &mut Lines, &mut Places) -> Result<()>,
) -> Result<Trailer> {
    let mut parser = Parser::new(options);
    let name = reader.name().to_string();
    let mut read = || -> Result<Trailer> {
        loop {
            let number = reader.number() + 1;
            let Some((text, length)) = reader.next_within()? else { break };
            match parser.line(text, length, number)? {
                Step::Same => {}
                Step::NewTopic => {
                    if !parser.lines.is_empty() {
                        on_topic(&parser.topic, &mut parser.lines, &mut parser.places)?;
                    }
                    parser.begin_topic(&text[..length], number)?;
                }
            }
        }
        if parser.lines.is_empty() && parser.count == 0 {
            let message = "expected lines of a run (topic Q0 document rank score tag), found none: the file is empty";
            return Err(Error::new(Kind::Empty, message));
        }
        on_topic(&parser.topic, &mut parser.lines, &mut parser.places)?;
        Ok(Trailer { tag: parser.tag.take(), lines: parser.count, repaired: parser.repaired })
    };
    read().map_err(|e| e.in_file(name))
}

/// Reads a whole run into memory, whatever the order of its lines.
pub fn read_run(reader: LineReader, options: RunOptions, name: String) -> Result<Run> {
    let (run, _) = gather(reader, options, name)?;
    for (topic, lines) in &run.topics {
        debug_assert!(!lines.is_empty(), "topic {topic:?} came without lines");
    }
    Ok(run)
}

/// As [`read_run`], with the places of the lines of each topic.
pub fn gather(reader: LineReader, options: RunOptions, name: String) -> Result<(Run, Vec<Places>)> {
    let mut run = Run { name, ..Run::default() };
    let mut places: Vec<Places> = Vec::new();
    let mut index: HashMap<Box<[u8]>, usize> = HashMap::new();
    let trailer = each_topic(reader, options, |topic, lines, at| {
        if let Some(&position) = index.get(topic) {
            run.topics[position].1.append(lines);
            places[position].of.append(&mut at.of);
        } else {
            index.insert(topic.into(), run.topics.len());
            run.topics.push((topic.into(), lines.take()));
            places.push(Places { of: std::mem::take(&mut at.of) });
        }
        lines.clear();
        at.of.clear();
        Ok(())
    })?;
    run.tag = trailer.tag;
    run.repaired = trailer.repaired;
    Ok((run, places))
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Format {
    Trec,
    MsMarco,
}

enum Step {
    Same,
    NewTopic,
}

struct Parser {
    options: RunOptions,
    format: Option<Format>,
    /// The beginning of a line up to its document, for lines of this topic.
    prefix: Vec<u8>,
    column: u32,
    topic: Vec<u8>,
    lines: Lines,
    places: Places,
    tag: Option<Vec<u8>>,
    count: u64,
    repaired: u64,
}

impl Parser {
    fn new(options: RunOptions) -> Self {
        Parser {
            options,
            format: None,
            prefix: Vec::new(),
            column: 0,
            topic: Vec::new(),
            lines: Lines::default(),
            places: Places::default(),
            tag: None,
            count: 0,
            repaired: 0,
        }
    }

    /// Reads a line of the current topic, or says that a new topic begins.
    #[inline]
    fn line(&mut self, text: &[u8], length: usize, number: u64) -> Result<Step> {
        let prefix = self.prefix.len();
        if prefix > 0
            && length > prefix
            && same(&text[..prefix], &self.prefix)
            && !is_space(text[prefix])
        {
            self.entry(text, length, prefix, number)?;
            return Ok(Step::Same);
        }
        self.other_line(&text[..length], number)
    }

    /// A line that does not begin as the one before it.
    fn other_line(&mut self, line: &[u8], number: u64) -> Result<Step> {
        let Some((start, end)) = field(line, 0) else { return Ok(Step::Same) };
        if line[start] == b'#' {
            return Ok(Step::Same);
        }
        if self.format.is_none() || line[start..end] != self.topic[..] {
            return Ok(Step::NewTopic);
        }
        self.set_prefix(line, number)?;
        self.odd_entry(line, self.prefix.len(), number)?;
        Ok(Step::Same)
    }

    /// Reads the first line of a new topic.
    fn begin_topic(&mut self, line: &[u8], number: u64) -> Result<()> {
        self.lines.clear();
        self.places.of.clear();
        if self.format.is_none() {
            self.format = Some(Self::sniff(line, number)?);
        }
        if let Some((start, end)) = field(line, 0) {
            self.topic.clear();
            self.topic.extend_from_slice(&line[start..end]);
        }
        self.set_prefix(line, number)?;
        self.odd_entry(line, self.prefix.len(), number)
    }

    fn sniff(line: &[u8], number: u64) -> Result<Format> {
        match fields(line).len() {
            3 => Ok(Format::MsMarco),
            6.. => Ok(Format::Trec),
            found => Err(Error::new(
                Kind::Fields,
                format!(
                    "expected 6 fields (topic Q0 document rank score tag) or 3 (topic document rank), found {found}"
                ),
            )
            .at(number, line, end_of_text(line))),
        }
    }

    fn set_prefix(&mut self, line: &[u8], number: u64) -> Result<()> {
        let document = if self.format == Some(Format::MsMarco) { 1 } else { 2 };
        let Some(&(start, _)) = fields(line).get(document) else {
            return Err(self.too_few(line, number));
        };
        self.prefix.clear();
        self.prefix.extend_from_slice(&line[..start]);
        self.column =
            Error::new(Kind::Fields, "").at(number, line, start).place().column.unwrap_or(1) as u32;
        Ok(())
    }

    /// Reads a line from its document on; `text` goes on behind the line.
    #[inline]
    fn entry(&mut self, text: &[u8], length: usize, start: usize, number: u64) -> Result<()> {
        let document_end = field_end(text, start);
        if self.format == Some(Format::Trec)
            && self.options.ranks == Ranks::Ignored
            && let Some((_, rank_end)) = next_field(text, document_end)
            && let Some((score_start, score_end)) = next_field(text, rank_end)
            && let Some(tag) = text.get(score_end + 1..length)
            && tag.first().is_some_and(|&b| !is_space(b))
            && let Some(score) = number_within(text, score_start, score_end)
            && score.is_finite()
        {
            self.keep(&text[start..document_end], score, None, number);
            self.keep_tag(tag);
            return Ok(());
        }
        self.odd_entry(&text[..length], start, number)
    }

    /// As [`Parser::entry`], for lines of any other shape.
    fn odd_entry(&mut self, line: &[u8], start: usize, number: u64) -> Result<()> {
        let document_end = field_end(line, start);
        let Some((rank_start, rank_end)) = field(line, document_end) else {
            return Err(self.too_few(line, number));
        };
        if self.format == Some(Format::MsMarco) {
            if let Some((extra, _)) = field(line, rank_end) {
                let found = fields(line).len();
                let message = format!(
                    "expected 3 fields (topic document rank) as on the first line, found {found}"
                );
                return Err(Error::new(Kind::Fields, message).at(number, line, extra));
            }
            let rank = self.number(line, rank_start, rank_end, number, "rank")?;
            self.keep(&line[start..document_end], -rank, Some(rank), number);
            return Ok(());
        }
        let Some((score_start, score_end)) = field(line, rank_end) else {
            return Err(self.too_few(line, number));
        };
        let Some((tag_start, _)) = field(line, score_end) else {
            return Err(self.too_few(line, number));
        };
        let score = self.number(line, score_start, score_end, number, "score")?;
        let rank = match self.options.ranks {
            Ranks::Ignored => None,
            Ranks::Kept => {
                crate::bytes::number(&line[rank_start..rank_end]).filter(|r| r.is_finite())
            }
            Ranks::Needed => Some(self.number(line, rank_start, rank_end, number, "rank")?),
        };
        self.keep(&line[start..document_end], score, rank, number);
        self.keep_tag(&line[tag_start..]);
        Ok(())
    }

    #[inline]
    fn keep(&mut self, document: &[u8], score: f64, rank: Option<f64>, number: u64) {
        self.lines.push(document, score, rank);
        self.places.of.push((u32::try_from(number).unwrap_or(u32::MAX), self.column));
        self.count += 1;
    }

    #[inline]
    fn keep_tag(&mut self, tag: &[u8]) {
        if self.tag.as_deref().is_none_or(|known| !same(tag, known)) {
            self.tag = Some(tag.to_vec());
        }
    }

    fn number(
        &mut self,
        line: &[u8],
        start: usize,
        end: usize,
        at: u64,
        what: &str,
    ) -> Result<f64> {
        match number(&line[start..end]) {
            Some(value) if value.is_finite() => Ok(value),
            other => self.odd_number(other, line, start, end, at, what),
        }
    }

    #[cold]
    fn odd_number(
        &mut self,
        value: Option<f64>,
        line: &[u8],
        start: usize,
        end: usize,
        at: u64,
        what: &str,
    ) -> Result<f64> {
        let text = &line[start..end];
        if self.options.strictness == Strictness::Lenient {
            self.repaired += 1;
            return Ok(repaired(text));
        }
        let expected = if value.is_some() { "a finite number" } else { "a number" };
        let message = format!("expected {expected} as {what}, found {}", quote(text));
        Err(Error::new(Kind::Number, message).at(at, line, start))
    }

    #[cold]
    fn too_few(&self, line: &[u8], number: u64) -> Error {
        let expected = match self.format {
            Some(Format::MsMarco) => "3 fields (topic document rank) as on the first line",
            _ => "6 fields (topic Q0 document rank score tag)",
        };
        let message = format!("expected {expected}, found {}", count(fields(line).len(), "field"));
        Error::new(Kind::Fields, message).at(number, line, end_of_text(line))
    }
}

/// The byte after the last that is not white space.
fn end_of_text(line: &[u8]) -> usize {
    line.iter().rposition(|&b| !is_space(b)).map_or(0, |last| last + 1)
}

/// The end of the field that a position is in, eight bytes at a time; a line
/// feed ends it too.
#[inline]
fn field_end(text: &[u8], mut at: usize) -> usize {
    const ONES: u64 = 0x0101_0101_0101_0101;
    while let Some(chunk) = text.get(at..).and_then(<[u8]>::first_chunk::<8>) {
        let word = u64::from_le_bytes(*chunk);
        // The lowest marked byte is the first one not above a space.
        let marks = word.wrapping_sub(ONES * 0x21) & !word & (ONES * 0x80);
        if marks == 0 {
            at += 8;
            continue;
        }
        at += marks.trailing_zeros() as usize / 8;
        if ends_field(text[at]) {
            return at;
        }
        at += 1;
    }
    text[at..].iter().position(|&b| ends_field(b)).map_or(text.len(), |n| at + n)
}

#[inline]
fn ends_field(byte: u8) -> bool {
    is_space(byte) || byte == b'\n'
}

/// The field behind the end of another, where one separator parts them.
#[inline]
fn next_field(text: &[u8], end: usize) -> Option<(usize, usize)> {
    let start = end + 1;
    let usual = text.get(end).is_some_and(|&b| is_space(b))
        && text.get(start).is_some_and(|&b| !ends_field(b));
    usual.then(|| (start, field_end(text, start)))
}

#[cfg(test)]
mod tests {
    use super::super::open::Limits;
    use super::super::source;
    use super::*;

    fn read(text: &str, strictness: Strictness) -> Result<Run> {
        let reader = LineReader::new(source(text), &Limits::default());
        read_run(reader, RunOptions { strictness, ranks: Ranks::Kept }, "test".into())
    }

    fn listing(run: &Run) -> Vec<String> {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        run.topics
            .iter()
            .flat_map(|(topic, lines)| {
                (0..lines.len()).map(move |i| {
                    format!("{} {} {}", text(topic), text(lines.document(i)), lines.score(i))
                })
            })
            .collect()
    }

    #[test]
    fn topics_may_come_in_pieces() {
        let run = read(
            "2 Q0 a 1 3 x\n1 Q0 a 1 2 x\n\n# note\n2  Q0\tb 2 1.5 x y \r\n",
            Strictness::Strict,
        )
        .unwrap();
        assert_eq!(listing(&run), ["2 a 3", "2 b 1.5", "1 a 2"]);
        assert_eq!(run.tag.as_deref(), Some(&b"x y \r"[..]));
        assert_eq!(run.topics[0].1.ranks(), [1.0, 2.0]);
    }

    #[test]
    fn a_topic_that_begins_as_another_is_another() {
        let run = read("1 Q0 a 1 2 x\n11 Q0 a 1 2 x\n1 Q0 b 1 2 x\n", Strictness::Strict).unwrap();
        assert_eq!(listing(&run), ["1 a 2", "1 b 2", "11 a 2"]);
    }

    #[test]
    fn ms_marco_scores_are_minus_the_rank() {
        let run = read("7 d1 1\n7 d2 2\n", Strictness::Strict).unwrap();
        assert_eq!(listing(&run), ["7 d1 -1", "7 d2 -2"]);
    }

    #[test]
    fn lenient_numbers_are_those_of_atof() {
        let text = "1 Q0 a 1 3x t\n1 Q0 b 2 abc t\n1 Q0 c 3 nan t\n";
        let run = read(text, Strictness::Lenient).unwrap();
        assert_eq!(listing(&run), ["1 a 3", "1 b 0", "1 c -inf"]);
        assert_eq!(run.repaired, 3);
        assert_eq!(read(text, Strictness::Strict).unwrap_err().place().column, Some(10));
    }

    #[test]
    fn the_end_of_a_field_is_found_in_any_alignment() {
        for length in 0..40 {
            for tail in ["", " ", "\t1", "\r", "\u{b}z"] {
                let line =
                    format!("{}{tail}", "é\u{1}x".chars().cycle().take(length).collect::<String>());
                let end = line.len() - tail.len();
                assert_eq!(field_end(line.as_bytes(), 0), end, "{line:?}");
            }
        }
    }
}
