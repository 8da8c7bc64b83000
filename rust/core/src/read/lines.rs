//! Lines of a source, one after another, counted.

use memchr::{memchr, memchr_iter};

use super::open::{Limits, Source};
use crate::error::{Error, Kind, Result};

/// Bytes asked of the source at a time.
const CHUNK: usize = 256 << 10;

/// Cuts a source into lines; a last line without an end counts as a line.
pub struct LineReader {
    source: Source,
    buffer: Vec<u8>,
    start: usize,
    end: usize,
    finished: bool,
    number: u64,
    longest: usize,
    /// Called with the number of raw bytes read since the last call.
    on_bytes: Option<Box<dyn FnMut(u64) -> Result<()> + Send>>,
    reported: u64,
}

impl LineReader {
    /// Reads from a source under limits.
    pub fn new(source: Source, limits: &Limits) -> Self {
        LineReader {
            source,
            buffer: vec![0; CHUNK],
            start: 0,
            end: 0,
            finished: false,
            number: 0,
            longest: limits.line_bytes,
            on_bytes: None,
            reported: 0,
        }
    }

    /// Reports raw bytes to a function, which may stop the reading.
    #[must_use]
    pub fn reporting(mut self, on_bytes: Box<dyn FnMut(u64) -> Result<()> + Send>) -> Self {
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

    /// What is read and not yet given out: usually many lines.
    #[inline]
    pub fn unread(&self) -> &[u8] {
        &self.buffer[self.start..self.end]
    }

    /// Passes over whole lines of what is unread.
    #[inline]
    pub fn skip(&mut self, bytes: usize, lines: u64) {
        self.start += bytes;
        self.number += lines;
    }

    /// The longest line that is accepted.
    pub fn longest(&self) -> usize {
        self.longest
    }

    /// The next line without its line feed.
    pub fn next_line(&mut self) -> Result<Option<&[u8]>> {
        loop {
            if let Some(length) = memchr(b'\n', self.unread()) {
                if length > self.longest {
                    return Err(self.too_long());
                }
                let start = self.start;
                self.skip(length + 1, 1);
                return Ok(Some(&self.buffer[start..start + length]));
            }
            if self.finished {
                let last = self.start..self.end;
                self.skip(last.len(), u64::from(!last.is_empty()));
                return Ok((!last.is_empty()).then(|| &self.buffer[last]));
            }
            self.fill()?;
        }
    }

    /// Moves the unfinished line to the front and reads on behind it.
    fn fill(&mut self) -> Result<()> {
        let unfinished = self.end - self.start;
        if unfinished > self.longest {
            return Err(self.too_long());
        }
        self.buffer.copy_within(self.start..self.end, 0);
        (self.start, self.end) = (0, unfinished);
        if self.buffer.len() - self.end < CHUNK / 2 {
            self.buffer.resize(self.buffer.len() * 2, 0);
        }
        let read = self.source.read(&mut self.buffer[self.end..])?;
        self.finished = read == 0;
        let first = self.number == 0 && self.end == 0;
        if first && self.buffer[..read].starts_with(b"\xEF\xBB\xBF") {
            self.start = 3;
        }
        self.check_text(self.end, self.end + read)?;
        self.end += read;
        if let Some(on_bytes) = &mut self.on_bytes {
            let raw = self.source.raw_bytes();
            on_bytes(raw - self.reported)?;
            self.reported = raw;
        }
        Ok(())
    }

    #[cold]
    fn too_long(&self) -> Error {
        let limit = self.longest;
        let message = format!(
            "the line is longer than the limit `line_bytes` of {limit} (--max-line); raise it if this is no accident"
        );
        Error::new(Kind::Limit, message).at_line(self.number + 1).in_file(self.name())
    }

    /// Text has no zero bytes; a file that has one is something else.
    fn check_text(&self, from: usize, to: usize) -> Result<()> {
        let Some(offset) = memchr(0, &self.buffer[from..to]) else { return Ok(()) };
        let zero = from + offset;
        let before = &self.buffer[..zero];
        let line = self.number + 1 + memchr_iter(b'\n', before).count() as u64;
        let line_start = memchr::memrchr(b'\n', before).map_or(self.start, |newline| newline + 1);
        let message =
            "expected lines of text, found a zero byte: this is a binary file, or text in UTF-16";
        Err(Error::new(Kind::Binary, message)
            .at(line, &before[line_start..], zero - line_start)
            .in_file(self.name()))
    }
}

#[cfg(test)]
mod tests {
    use super::super::source;
    use super::*;

    fn lines(text: &str) -> Result<Vec<String>> {
        let mut reader = LineReader::new(source(text), &Limits::default());
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
