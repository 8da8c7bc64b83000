//! CSV and TSV: fields between separators, in quotation marks where they contain one.

use std::ops::Range;

use memchr::{memchr, memchr_iter, memchr2};

use super::columns::{Given, Places, Role, places_of};
use super::rows::{Row, Rows, number};
use crate::costs::Unit;
use crate::error::{Error, Kind, Result, quote};
use crate::memory;
use crate::read::lines::too_long;
use crate::read::{Limits, Source};

/// Bytes asked of the source at a time.
const CHUNK: usize = if cfg!(fuzzing) { 16 } else { 64 << 10 };

/// The longest field, in characters: a quotation mark that is never closed must not take the
/// rest of the file.
const LONGEST_FIELD: usize = 131_072;

/// Rows between separators behind a header.
pub(super) struct Separated {
    lines: TextLines,
    separator: u8,
    given: Vec<(Role, String)>,
    value: Role,
    header: Option<Header>,
    record: Record,
    /// Whether there was a quotation mark: what was within them cannot be told from what was not.
    quoted: bool,
}

/// How many columns there are, and where what is wanted stands.
struct Header {
    width: usize,
    places: Places,
}

/// The fields of one row.
#[derive(Default)]
struct Record {
    text: Vec<u8>,
    fields: Vec<Range<usize>>,
}

/// Where in a row the reader is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    FieldStart,
    Unquoted,
    Quoted,
    /// Behind a quotation mark that ends the field, unless another one follows.
    QuoteInQuoted,
}

impl Separated {
    pub(super) fn new(
        source: Source,
        separator: u8,
        given: &Given,
        value: Role,
        limits: &Limits,
    ) -> Self {
        Separated {
            lines: TextLines::new(source, limits),
            separator,
            given: given.to_vec(),
            value,
            header: None,
            record: Record::default(),
            quoted: false,
        }
    }

    /// Adds the next row; whether there was one.
    pub(super) fn more(&mut self, rows: &mut Rows) -> Result<bool> {
        if self.header.is_none() {
            self.next_record()?;
            let name = |field: &[u8]| String::from_utf8_lossy(field).trim().to_string();
            let names: Vec<String> = self.record.fields().map(name).collect();
            let places = places_of(&names, &self.given, self.value)?;
            self.header = Some(Header { width: names.len(), places });
        }
        while self.next_record()? {
            if !self.record.fields.is_empty() {
                self.add(rows).map_err(|error| error.at_line(self.lines.number))?;
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// How many fields the row has.
    pub(super) fn width(&self) -> usize {
        self.record.fields.len()
    }

    /// A field of the row.
    pub(super) fn field(&self, place: usize) -> &[u8] {
        self.record.field(place)
    }

    /// The number of its line.
    pub(super) fn line(&self) -> u64 {
        self.lines.number
    }

    /// An error where a field stands, or in its line where what was within quotation marks
    /// moved it.
    #[cold]
    pub(super) fn placed(&self, error: Error, field: usize) -> Error {
        if self.quoted {
            return error.at_line(self.lines.number);
        }
        error.at(self.lines.number, &self.record.text, self.record.fields[field].start)
    }

    fn add(&self, rows: &mut Rows) -> Result<()> {
        let Some(Header { width, places }) = &self.header else { return Ok(()) };
        let found = self.record.fields.len();
        if found != *width {
            let message = format!("expected {width} fields as in the header, found {found}");
            return Err(Error::new(Kind::Fields, message));
        }
        let field = |role: Role| places[role as usize].map(|place| self.record.field(place));
        let (topic, document) = (field(Role::Topic), field(Role::Document));
        let (topic, document) = (topic.unwrap_or_default(), document.unwrap_or_default());
        if topic.is_empty() || document.is_empty() {
            let message = "expected a topic and a document in each row, found an empty field";
            return Err(Error::new(Kind::Fields, message));
        }
        let number = |role: Role| field(role).map(|text| number_as(role, text)).transpose();
        let run = field(Role::Run).map(|text| self.label(Role::Run, text)).transpose()?;
        rows.add(Row {
            topic: self.label(Role::Topic, topic)?,
            document: self.label(Role::Document, document)?,
            run,
            value: number(self.value)?,
            rank: number(Role::Rank)?,
            // One that is no number is an error where it is needed.
            costs: Unit::ALL.map(|unit| {
                field(Role::of(unit)).map(|text| self::number(text).unwrap_or(f64::NAN))
            }),
            line: self.lines.number,
        })
    }

    /// A label without the blanks around it; an error where they may be part of it.
    fn label<'a>(&self, role: Role, text: &'a [u8]) -> Result<&'a [u8]> {
        let is_blank = |byte: &u8| matches!(byte, b' ' | b'\t');
        let start = text.iter().position(|byte| !is_blank(byte)).unwrap_or(text.len());
        let end = text.iter().rposition(|byte| !is_blank(byte)).map_or(start, |last| last + 1);
        let plain = &text[start..end];
        if plain.len() < text.len() && (self.quoted || plain.is_empty()) {
            let (what, found) = (role.name(), quote(text));
            let message = format!("expected a {what} without spaces around it, found {found}");
            return Err(Error::new(Kind::Fields, message));
        }
        Ok(plain)
    }

    /// Takes the next row apart; whether there was one. A blank line is a row without fields.
    pub(super) fn next_record(&mut self) -> Result<bool> {
        self.record.clear();
        let mut state = State::FieldStart;
        while let Some(line) = self.lines.next_line()? {
            let text = &self.lines.buffer[line.text.clone()];
            let is_quoted = memchr(b'"', text).is_some();
            self.quoted |= is_quoted;
            let read = if state == State::FieldStart && !is_quoted {
                self.record.split(text, self.separator)
            } else {
                self.record.read(text, self.separator, &mut state)
            };
            read.and_then(|()| self.record.check())
                .map_err(|error| error.at_line(self.lines.number))?;
            if state != State::Quoted {
                return Ok(true);
            }
            self.record.text.extend_from_slice(&self.lines.buffer[line.text.end..line.end]);
        }
        if state == State::Quoted {
            return Err(wrong("unexpected end of data").at_line(self.lines.number));
        }
        Ok(false)
    }
}

impl Record {
    fn clear(&mut self) {
        self.text.clear();
        self.fields.clear();
    }

    fn field(&self, place: usize) -> &[u8] {
        &self.text[self.fields[place].clone()]
    }

    fn fields(&self) -> impl Iterator<Item = &[u8]> {
        self.fields.iter().map(|field| &self.text[field.clone()])
    }

    /// Takes a line without quotation marks.
    fn split(&mut self, line: &[u8], separator: u8) -> Result<()> {
        memory::reserve(&mut self.text, line.len())?;
        self.text.extend_from_slice(line);
        if line.is_empty() {
            return Ok(());
        }
        let mut start = 0;
        for end in memchr_iter(separator, line).chain([line.len()]) {
            let spaces = line[start..end].iter().take_while(|&&byte| byte == b' ').count();
            self.fields.push(start + spaces..end);
            start = end + 1;
        }
        Ok(())
    }

    /// Takes a line that has quotation marks, or of which the beginning is within some.
    fn read(&mut self, line: &[u8], separator: u8, state: &mut State) -> Result<()> {
        let length = self.text.len() + line.len() + 2;
        memory::reserve(&mut self.text, length)?;
        for &byte in line {
            *state = match (*state, byte) {
                (State::Quoted, b'"') => State::QuoteInQuoted,
                (State::FieldStart, b'"') => State::Quoted,
                (State::FieldStart, b' ') => State::FieldStart,
                (State::FieldStart | State::Unquoted | State::QuoteInQuoted, _)
                    if byte == separator =>
                {
                    self.end_field();
                    State::FieldStart
                }
                (State::QuoteInQuoted, b'"') | (State::Quoted, _) => {
                    self.text.push(byte);
                    State::Quoted
                }
                (State::QuoteInQuoted, _) => {
                    let separator = char::from(separator).escape_default();
                    return Err(wrong(&format!("'{separator}' expected after '\"'")));
                }
                (State::FieldStart | State::Unquoted, _) => {
                    self.text.push(byte);
                    State::Unquoted
                }
            };
        }
        if *state != State::Quoted {
            self.end_field();
        }
        Ok(())
    }

    fn end_field(&mut self) {
        let start = self.fields.last().map_or(0, |last| last.end);
        self.fields.push(start..self.text.len());
    }

    /// An error for a field that is too long, also one that goes on.
    fn check(&self) -> Result<()> {
        if self.text.len() <= LONGEST_FIELD {
            return Ok(());
        }
        let open = self.fields.last().map_or(0, |last| last.end)..self.text.len();
        for field in self.fields.iter().chain([&open]) {
            let continued = |byte: &&u8| *byte & 0xC0 != 0x80;
            if self.text[field.clone()].iter().filter(continued).count() > LONGEST_FIELD {
                return Err(wrong(&format!("field larger than field limit ({LONGEST_FIELD})")));
            }
        }
        Ok(())
    }
}

#[cold]
fn wrong(why: &str) -> Error {
    Error::new(Kind::Fields, format!("expected CSV: {why}"))
}

fn number_as(role: Role, text: &[u8]) -> Result<f64> {
    number(text).ok_or_else(|| {
        let message = format!("expected a number as {}, found {}", role.name(), quote(text));
        Error::new(Kind::Number, message)
    })
}

/// Lines that end in a line feed, a carriage return, or both, and what they end in.
struct TextLines {
    source: Source,
    buffer: Vec<u8>,
    start: usize,
    filled: usize,
    /// Up to where ends of lines were looked for.
    looked: usize,
    finished: bool,
    longest: usize,
    /// The number of the line given last, from 1.
    number: u64,
}

/// Where a line stands in the buffer.
struct Line {
    text: Range<usize>,
    /// Behind what it ends in.
    end: usize,
}

impl TextLines {
    fn new(source: Source, limits: &Limits) -> Self {
        TextLines {
            source,
            buffer: Vec::new(),
            start: 0,
            filled: 0,
            looked: 0,
            finished: false,
            longest: limits.line_bytes,
            number: 0,
        }
    }

    fn next_line(&mut self) -> Result<Option<Line>> {
        let (end, behind) = loop {
            let found = memchr2(b'\n', b'\r', &self.buffer[self.looked..self.filled]);
            match found.map(|at| self.looked + at) {
                Some(end) if self.buffer[end] == b'\n' => break (end, end + 1),
                // A line feed may follow that is not read yet.
                Some(end) if end + 1 < self.filled || self.finished => {
                    let is_pair = end + 1 < self.filled && self.buffer[end + 1] == b'\n';
                    break (end, end + 1 + usize::from(is_pair));
                }
                at => self.looked = at.unwrap_or(self.filled),
            }
            if self.filled - self.start > self.longest.saturating_add(1) {
                return Err(self.too_long());
            }
            if self.finished {
                break (self.filled, self.filled);
            }
            self.fill()?;
        };
        if behind == self.start {
            return Ok(None);
        }
        if end - self.start > self.longest {
            return Err(self.too_long());
        }
        let text = self.start..end;
        (self.start, self.looked) = (behind, behind);
        self.number += 1;
        Ok(Some(Line { text, end: behind }))
    }

    /// Moves the unfinished line to the front and reads on behind it.
    fn fill(&mut self) -> Result<()> {
        self.buffer.copy_within(self.start..self.filled, 0);
        self.filled -= self.start;
        self.looked -= self.start;
        let is_first = self.number == 0 && self.filled == 0;
        self.start = 0;
        memory::reserve(&mut self.buffer, self.filled + CHUNK)?;
        self.buffer.resize(self.filled + CHUNK, 0);
        let read = self.source.read(&mut self.buffer[self.filled..])?;
        self.finished = read == 0;
        self.filled += read;
        if is_first && self.buffer[..self.filled].starts_with(b"\xEF\xBB\xBF") {
            (self.start, self.looked) = (3, 3);
        }
        Ok(())
    }

    #[cold]
    fn too_long(&self) -> Error {
        too_long(self.longest).at_line(self.number + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::source;

    fn rows(text: &str) -> Result<Vec<(String, f64)>> {
        let limits = Limits::default();
        let mut table = Separated::new(source(text), b',', &[], Role::Score, &limits);
        let mut rows = Rows::default();
        while table.more(&mut rows)? {}
        let mut found = Vec::new();
        for (topic, lines) in &rows.run()?.topics {
            let topic = String::from_utf8_lossy(topic);
            for line in 0..lines.len() {
                let document = String::from_utf8_lossy(lines.document(line));
                found.push((format!("{topic}/{document}"), lines.score(line)));
            }
        }
        Ok(found)
    }

    #[test]
    fn quoted_fields_may_hold_separators_marks_and_ends_of_lines() {
        let found = rows("qid,docno,score\r\n1,\"a,\"\"b\"\"\",2\r\n\r\n1,\"x\r\ny\",1").unwrap();
        assert_eq!(found, [("1/a,\"b\"".into(), 2.0), ("1/x\r\ny".into(), 1.0)]);
        assert_eq!(rows("\u{feff}qid,docno,score\r1, a b , .5\r").unwrap()[0].0, "1/a b");
    }

    #[test]
    fn what_is_wrong_has_a_line() {
        let cases = [
            ("qid,docno,score\n1,a\n", "expected 3 fields as in the header, found 2", 2),
            ("qid,docno,score\n1,\"a\"b,1\n", "expected CSV: ',' expected after '\"'", 2),
            ("qid,docno,score\n1,\"a,1\n2,b,1\n", "expected CSV: unexpected end of data", 3),
            ("qid,docno,score\n1,a,1_0\n", "expected a number as score, found `1_0`", 2),
            (
                "qid,docno,score\n1,\" a\",1\n",
                "expected a doc without spaces around it, found ` a`",
                2,
            ),
        ];
        for (text, message, line) in cases {
            let error = rows(text).unwrap_err();
            assert_eq!((error.message(), error.place().line), (message, Some(line)));
        }
    }
}
