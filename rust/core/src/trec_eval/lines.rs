//! A whole file in memory, and its lines.

use std::ffi::OsStr;
use std::path::PathBuf;

use memchr::memchr;

use crate::bytes::{field_between, fields_between, is_white_space};
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
    text: Vec<u8>,
    /// Standard input is read line by line: one that begins with NUL is lost.
    /// A file is a text of C, which NUL ends.
    streamed: bool,
}

/// The lines of a file.
#[derive(Clone, Debug)]
pub struct FileLines<'a> {
    rest: &'a [u8],
    comments: bool,
    streamed: bool,
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
        let limits = Limits::default();
        let source = Source::open(&path(argument), &limits);
        let data = Data::drain(source.map_err(|_| String::new())?)?;
        if data.text.is_empty() { Err(String::new()) } else { Ok(data) }
    }

    /// Reads standard input, which may be empty.
    pub fn standard_input() -> Result<Data, String> {
        let source = Source::stdin(&Limits::default());
        let data = Data::drain(source.map_err(|error| format!(" ({})", error.message()))?)?;
        Ok(Data { streamed: true, ..data })
    }

    fn drain(mut source: Source) -> Result<Data, String> {
        const READ_AT_ONCE: usize = 1 << 20;
        let mut text = Vec::new();
        let mut end = 0;
        loop {
            if text.len() - end < READ_AT_ONCE {
                text.resize((2 * text.len()).max(2 * READ_AT_ONCE), 0);
            }
            let read = source.read(&mut text[end..]);
            match read.map_err(|error| format!(" ({})", error.message()))? {
                0 => break,
                read => end += read,
            }
        }
        text.truncate(end);
        Ok(Data { text, streamed: false })
    }

    /// The lines; with comments, those that begin with `#` are left out.
    pub fn lines(&self, comments: bool) -> FileLines<'_> {
        FileLines { rest: &self.text, comments, streamed: self.streamed }
    }
}

impl<'a> Iterator for FileLines<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        loop {
            let nul = *self.rest.first()? == 0;
            if nul && !self.streamed {
                return None;
            }
            let end = memchr(b'\n', self.rest).unwrap_or(self.rest.len());
            let line = &self.rest[..end];
            self.rest = self.rest.get(end + 1..).unwrap_or_default();
            let comment = self.comments && line.first() == Some(&b'#');
            if !nul && !comment {
                return Some(line);
            }
        }
    }
}
