//! A whole file in memory, and its lines.

use std::ffi::OsStr;
use std::fs;
use std::path::PathBuf;

use cranfield_scan::line_ends;
use memchr::memchr;

use crate::bytes::{field_between, fields_between, is_white_space};
use crate::read::lines::{Block, LINE_FEED_BLOCK, PADDING};
use crate::read::{Limits, Source};

/// The first field of a line, as C's `isspace` separates fields.
pub fn first_field(line: &[u8]) -> Option<(usize, usize)> {
    field_between(line, 0, is_white_space)
}

/// All fields of a line.
pub fn fields(line: &[u8]) -> Vec<(usize, usize)> {
    let mut spans = Vec::new();
    fields_into(line, &mut spans);
    spans
}

/// As [`fields`], into a reused buffer.
pub fn fields_into(line: &[u8], spans: &mut Vec<(usize, usize)>) {
    fields_between(line, is_white_space, spans);
}

/// The text of a file.
#[derive(Debug)]
pub struct Data {
    /// The text, and [`PADDING`] behind it.
    text: Vec<u8>,
    /// How many bytes the text has.
    end: usize,
    /// Standard input is read line by line: one that begins with NUL is lost.
    /// A file is a text of C, which NUL ends.
    streamed: bool,
}

/// The lines of a file.
#[derive(Clone, Debug)]
pub struct FileLines<'a> {
    text: &'a [u8],
    at: usize,
    end: usize,
    comments: bool,
    streamed: bool,
}

/// Where lines that are not given out yet end.
#[derive(Debug, Default)]
pub struct LineEnds {
    base: usize,
    ends: Vec<u32>,
    found: usize,
    passed: usize,
}

/// The path that the bytes of an argument name.
#[cfg(unix)]
pub fn path(argument: &[u8]) -> PathBuf {
    use std::os::unix::ffi::OsStrExt;
    PathBuf::from(OsStr::from_bytes(argument))
}

/// The path that the bytes of an argument name.
#[cfg(not(unix))]
pub fn path(argument: &[u8]) -> PathBuf {
    PathBuf::from(&*String::from_utf8_lossy(argument))
}

impl Data {
    /// Reads a file, compressed or not, or a pipe. An error has the reason in
    /// addition to `trec_eval`'s message, which is usually empty.
    pub fn read(argument: &[u8]) -> Result<Data, String> {
        const MOST_EXPECTED: u64 = 64 << 20;
        let path = path(argument);
        let source = Source::open(&path, &Limits::default()).map_err(|_| String::new())?;
        let bytes = fs::metadata(&path).map_or(0, |found| found.len());
        let data = Data::drain(source, bytes.min(MOST_EXPECTED) as usize)?;
        if data.end == 0 { Err(String::new()) } else { Ok(data) }
    }

    /// Reads standard input, which may be empty.
    pub fn standard_input() -> Result<Data, String> {
        let source = Source::stdin(&Limits::default());
        let data = Data::drain(source.map_err(|error| format!(" ({})", error.message()))?, 0)?;
        Ok(Data { streamed: true, ..data })
    }

    /// Reads all of a source, which is expected to have this many bytes.
    fn drain(mut source: Source, expected: usize) -> Result<Data, String> {
        const READ_AT_ONCE: usize = 64 << 10;
        let mut text = Vec::with_capacity(expected + READ_AT_ONCE + PADDING);
        let mut end = 0;
        loop {
            text.resize(end + READ_AT_ONCE + PADDING, 0);
            let read = source.read(&mut text[end..end + READ_AT_ONCE]);
            match read.map_err(|error| format!(" ({})", error.message()))? {
                0 => break,
                read => end += read,
            }
        }
        text.truncate(end + PADDING);
        Ok(Data { text, end, streamed: false })
    }

    /// The lines; with comments, those that begin with `#` are left out.
    pub fn lines(&self, comments: bool) -> FileLines<'_> {
        FileLines { text: &self.text, at: 0, end: self.end, comments, streamed: self.streamed }
    }
}

impl<'a> FileLines<'a> {
    /// Whole lines that follow, comments among them, some at a time.
    pub fn block<'b>(&self, known: &'b mut LineEnds) -> Block<'b>
    where
        'a: 'b,
    {
        while known.found > known.passed
            && known.base + (known.ends[known.passed] as usize) < self.at
        {
            known.passed += 1;
        }
        if known.passed == known.found {
            let next = &self.text[self.at..self.end.min(self.at + LINE_FEED_BLOCK)];
            (known.base, known.passed) = (self.at, 0);
            known.found = line_ends(next, &mut known.ends);
        }
        let ends = &known.ends[known.passed..known.found];
        Block { text: self.text, start: self.at, base: known.base, ends }
    }

    /// Passes over this many bytes.
    pub fn pass(&mut self, bytes: usize) {
        self.at += bytes;
    }
}

impl<'a> Iterator for FileLines<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        loop {
            let rest = &self.text[self.at..self.end];
            let nul = *rest.first()? == 0;
            if nul && !self.streamed {
                return None;
            }
            let length = memchr(b'\n', rest).unwrap_or(rest.len());
            let line = &rest[..length];
            self.at = self.end.min(self.at + length + 1);
            let comment = self.comments && line.first() == Some(&b'#');
            if !nul && !comment {
                return Some(line);
            }
        }
    }
}
