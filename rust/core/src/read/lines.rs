//! Lines of a source, one after another, counted.

use cranfield_scan::line_ends;
use memchr::memchr;

use super::mistaken::archive;
use super::{Limits, Source};
use crate::error::{Error, Kind, Result};
use crate::memory;

/// This many bytes behind a block can be read, though they mean nothing: loops
/// over lines load more than a line has.
pub(crate) const PADDING: usize = 256;

/// Bytes asked of the source at a time. Inputs of the fuzzer are small, and are to pass over the
/// edges.
const CHUNK: usize = if cfg!(fuzzing) { 256 } else { 64 << 10 };

/// Bytes in which line feeds are looked for at a time, so that they are in
/// the first-level cache when the lines are read.
pub(crate) const LINE_FEED_BLOCK: usize = if cfg!(fuzzing) { 64 } else { 16 << 10 };

/// Cuts a source into lines; a last line without an end counts as a line.
pub struct LineReader {
    source: Source,
    /// What was read, and room behind it, so that every line is followed by
    /// as many bytes as are looked at.
    buffer: Vec<u8>,
    start: usize,
    end: usize,
    /// Up to where line feeds were looked for, and since where.
    looked: usize,
    base: usize,
    /// Where the line feeds are, behind `base`.
    ends: Vec<u32>,
    /// The line feeds that are there, and that are passed.
    found: usize,
    passed: usize,
    finished: bool,
    /// Whether the source is at the beginning of a file, where a byte order
    /// mark is none of its text.
    from_start: bool,
    number: u64,
    longest: usize,
    chunk: usize,
    block: usize,
    /// Called with the number of raw bytes read since the last call.
    on_bytes: Option<Box<dyn FnMut(u64) + Send>>,
    reported: u64,
}

/// Lines that are read and not yet given out.
#[derive(Clone, Copy, Debug)]
pub struct Block<'a> {
    /// What they stand in, with some room behind the last of them.
    pub text: &'a [u8],
    /// Where the first of them begins.
    pub start: usize,
    /// What their ends are counted from.
    pub base: usize,
    /// The place of the line feed of each.
    pub ends: &'a [u32],
}

/// The error for a line that is longer than the limit.
#[cold]
pub(super) fn too_long(limit: usize) -> Error {
    Error::for_each(Kind::Limit, |to| {
        let name = to.option("line_bytes");
        format!(
            "the line is longer than the limit `{name}` of {limit}; raise the limit if the line is meant to be that long"
        )
    })
}

impl Block<'_> {
    /// How many bytes the lines have.
    pub fn bytes(&self) -> usize {
        self.ends.last().map_or(0, |&end| self.base + end as usize - self.start)
    }
}

impl LineReader {
    /// Reads from a source under limits.
    pub fn new(source: Source, limits: &Limits) -> Self {
        LineReader::by(CHUNK, LINE_FEED_BLOCK, source, limits)
    }

    /// The same for a source that stands at this byte of its file.
    #[must_use]
    pub fn from_byte(self, byte: u64) -> Self {
        LineReader { from_start: byte == 0, ..self }
    }

    /// Reads this many bytes at a time, and looks for this many lines at a time.
    pub(super) fn by(chunk: usize, block: usize, source: Source, limits: &Limits) -> Self {
        LineReader {
            source,
            buffer: vec![0; chunk + PADDING],
            start: 0,
            end: 0,
            looked: 0,
            base: 0,
            ends: Vec::new(),
            found: 0,
            passed: 0,
            finished: false,
            from_start: true,
            number: 0,
            longest: limits.line_bytes,
            chunk,
            block,
            on_bytes: None,
            reported: 0,
        }
    }

    /// Reports raw bytes to a function.
    #[must_use]
    pub fn reporting(mut self, on_bytes: Box<dyn FnMut(u64) + Send>) -> Self {
        self.on_bytes = Some(on_bytes);
        self
    }

    /// The source's name.
    pub fn name(&self) -> &str {
        self.source.name()
    }

    /// The number of the line given last, from 1.
    #[inline]
    pub fn number(&self) -> u64 {
        self.number
    }

    /// Whole lines that are not given out yet; none at the end, where a line
    /// without an end may be left. Whoever takes lines from here sees to it
    /// that there is no zero byte in them and that none is too long.
    #[inline]
    pub fn block(&mut self) -> Result<Block<'_>> {
        while self.passed == self.found && self.read_on()? {}
        let ends = &self.ends[self.passed..self.found];
        Ok(Block { text: &self.buffer, start: self.start, base: self.base, ends })
    }

    /// Passes over whole lines of what is not given out.
    #[inline]
    pub fn skip(&mut self, bytes: usize, lines: usize) {
        self.start += bytes;
        self.passed += lines;
        self.number += lines as u64;
    }

    /// The longest line that is accepted.
    pub fn longest(&self) -> usize {
        self.longest
    }

    /// The next line without its line feed.
    #[inline]
    pub fn next_line(&mut self) -> Result<Option<&[u8]>> {
        while self.passed == self.found && self.read_on()? {}
        let start = self.start;
        let end = match self.ends[..self.found].get(self.passed) {
            Some(&end) => self.base + end as usize,
            None => self.end,
        };
        if end - start > self.longest {
            return Err(self.too_long());
        }
        if let Some(offset) = memchr(0, &self.buffer[start..end]) {
            return Err(self.binary(offset));
        }
        if self.passed < self.found {
            self.skip(end + 1 - start, 1);
        } else if start < end {
            (self.start, self.number) = (end, self.number + 1);
        } else {
            return Ok(None);
        }
        Ok(Some(&self.buffer[start..end]))
    }

    /// Looks for more lines, and reads more where there is nothing to look
    /// at; whether that went on.
    fn read_on(&mut self) -> Result<bool> {
        if self.looked == self.end {
            if self.finished {
                return Ok(false);
            }
            self.fill()?;
        }
        self.base = self.looked;
        self.looked = self.end.min(self.base + self.block);
        (self.found, self.passed) = (0, 0);
        self.found = line_ends(&self.buffer[self.base..self.looked], &mut self.ends);
        Ok(true)
    }

    /// Moves the unfinished line to the front and reads on behind it.
    fn fill(&mut self) -> Result<()> {
        let unfinished = self.end - self.start;
        if unfinished > self.longest {
            return Err(self.too_long());
        }
        self.buffer.copy_within(self.start..self.end, 0);
        (self.start, self.end, self.looked) = (0, unfinished, unfinished);
        if self.buffer.len() - PADDING - self.end < self.chunk / 2 {
            let room = self.buffer.len() * 2;
            memory::reserve(&mut self.buffer, room)?;
            self.buffer.resize(room, 0);
        }
        let room = self.buffer.len() - PADDING;
        let read = self.source.read(&mut self.buffer[self.end..room])?;
        self.finished = read == 0;
        let first = self.number == 0 && self.end == 0;
        if first && self.from_start {
            if let Some(error) = archive(&self.buffer[..read]) {
                return Err(error.in_file(self.name()));
            }
            if self.buffer[..read].starts_with(b"\xEF\xBB\xBF") {
                self.start = 3;
            }
        }
        self.end += read;
        if let Some(on_bytes) = &mut self.on_bytes {
            let raw = self.source.raw_bytes();
            on_bytes(raw - self.reported);
            self.reported = raw;
        }
        Ok(())
    }

    #[cold]
    fn too_long(&self) -> Error {
        too_long(self.longest).at_line(self.number + 1).in_file(self.name())
    }

    /// Text has no zero bytes; a file that has one is something else.
    #[cold]
    fn binary(&self, offset: usize) -> Error {
        let message =
            "expected lines of text, found a zero byte: this is a binary file, or text in UTF-16";
        Error::new(Kind::Binary, message)
            .at(self.number + 1, &self.buffer[self.start..self.end], offset)
            .in_file(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::super::source;
    use super::*;

    fn lines(text: &str) -> Result<Vec<String>> {
        read(LineReader::new(source(text), &Limits::default()))
    }

    fn read(mut reader: LineReader) -> Result<Vec<String>> {
        let mut lines = Vec::new();
        while let Some(line) = reader.next_line()? {
            lines.push(String::from_utf8_lossy(line).into_owned());
        }
        assert_eq!(reader.number(), lines.len() as u64);
        Ok(lines)
    }

    #[test]
    fn the_last_line_needs_no_end() {
        assert_eq!(lines("a\n\nb").unwrap(), ["a", "", "b"]);
        assert_eq!(lines("a\n").unwrap(), ["a"]);
        assert_eq!(lines("").unwrap(), [""; 0]);
        assert_eq!(lines("\u{feff}a\n").unwrap(), ["a"]);
    }

    #[test]
    fn lines_longer_than_the_buffer_are_whole() {
        let long = "x".repeat(3 * CHUNK);
        assert_eq!(lines(&format!("a\n{long}\nb\n")).unwrap(), ["a", &long, "b"]);
    }

    #[test]
    fn zero_bytes_and_endless_lines_have_a_place() {
        let error = lines("a\nbc\0d").unwrap_err();
        assert_eq!(
            (error.kind(), error.place().line, error.place().column),
            (Kind::Binary, Some(2), Some(3))
        );
        let error = lines(&format!("a\n{}", "x".repeat(2 << 20))).unwrap_err();
        assert_eq!((error.kind(), error.place().line), (Kind::Limit, Some(2)));
    }
}
