//! Text for terminals and for logs: what would control one is shown as an escape.
//!
//! Ids come from files of others. A pipe or a file gets their bytes, so that they can be read
//! back; a terminal gets nothing that moves its cursor, changes its title or turns the
//! direction of text around. Services that run jobs read the lines of a log for commands; where
//! the environment names one, a standard stream gets none, unless it goes to a file.

use std::borrow::Cow;
use std::env;
use std::fmt::Write as _;
use std::io::{self, Write};

use memchr::{memchr2, memmem, memrchr};

/// How many bytes at the beginning of a text would control a terminal, and the character that
/// they are; tabs and line feeds are left.
fn controlling(text: &[u8]) -> Option<(usize, u32)> {
    match *text {
        [b'\t' | b'\n', ..] => None,
        [byte @ (..0x20 | 0x7F), ..] => Some((1, byte.into())),
        // C1.
        [0xC2, byte @ 0x80..=0x9F, ..] => Some((2, byte.into())),
        // Marks of direction: ALM; LRM and RLM; embeddings and overrides; isolates.
        [0xD8, 0x9C, ..] => Some((2, 0x061C)),
        [0xE2, 0x80, byte @ (0x8E..=0x8F | 0xA8..=0xAE), ..] => {
            Some((3, 0x2000 + u32::from(byte) - 0x80))
        }
        [0xE2, 0x81, byte @ 0xA6..=0xA9, ..] => Some((3, 0x2040 + u32::from(byte) - 0x80)),
        _ => None,
    }
}

/// A text as a terminal may get it. Bytes that are no UTF-8 stay, except those that are C1
/// controls by themselves.
pub fn harmless(text: &[u8]) -> Cow<'_, [u8]> {
    let is_odd = |byte: u8| byte >= 0x7F || byte < 0x20 && byte != b'\n';
    if !text.iter().any(|&byte| is_odd(byte)) {
        return Cow::Borrowed(text);
    }
    let mut shown = Vec::with_capacity(text.len());
    let escape = |shown: &mut Vec<u8>, code: u32| {
        let mut escape = String::new();
        let written = match code {
            0x100.. => write!(escape, "\\u{code:04x}"),
            _ => write!(escape, "\\x{code:02x}"),
        };
        debug_assert!(written.is_ok(), "a String takes any text");
        shown.extend_from_slice(escape.as_bytes());
    };
    for chunk in text.utf8_chunks() {
        let mut rest = chunk.valid().as_bytes();
        while let Some(&byte) = rest.first() {
            if let Some((length, code)) = controlling(rest) {
                escape(&mut shown, code);
                rest = &rest[length..];
            } else {
                shown.push(byte);
                rest = &rest[1..];
            }
        }
        for &byte in chunk.invalid() {
            if byte < 0xA0 { escape(&mut shown, byte.into()) } else { shown.push(byte) }
        }
    }
    Cow::Owned(shown)
}

/// The variables of services that run commands in a log (GitHub Actions and what is compatible
/// with it, Azure Pipelines, `TeamCity`), with a value that says that they do; any, if none is
/// named.
const SERVICES: [(&str, Option<&str>); 3] =
    [("GITHUB_ACTIONS", Some("true")), ("TF_BUILD", Some("true")), ("TEAMCITY_VERSION", None)];

/// What a standard stream must not get.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Escapes {
    controls: bool,
    commands: bool,
}

impl Escapes {
    /// Those of a stream, as the environment has it.
    pub fn of(is_terminal: bool, is_file: bool) -> Escapes {
        let runs = |(name, value): &(&str, Option<&str>)| {
            env::var(name).is_ok_and(|found| value.is_none_or(|v| v.eq_ignore_ascii_case(&found)))
        };
        Escapes { controls: is_terminal, commands: !is_file && SERVICES.iter().any(runs) }
    }

    /// Whether there are none.
    pub fn is_empty(self) -> bool {
        !self.controls && !self.commands
    }

    /// Whole lines as the stream may get them.
    pub fn shown(self, text: &[u8]) -> Cow<'_, [u8]> {
        let shown = if self.controls { harmless(text) } else { Cow::Borrowed(text) };
        if !self.commands || memmem::find(&shown, b"::").or(memmem::find(&shown, b"##")).is_none() {
            return shown;
        }
        let mut lines = Vec::with_capacity(shown.len() + 16);
        let mut rest = &*shown;
        while !rest.is_empty() {
            let end = memchr2(b'\n', b'\r', rest).map_or(rest.len(), |end| end + 1);
            without_command(&rest[..end], &mut lines);
            rest = &rest[end..];
        }
        Cow::Owned(lines)
    }

    /// The same where parts are in bold: ASCII for which private characters from U+F0000 on
    /// stand. `NO_COLOR`, and a terminal that is dumb, leave it plain.
    pub fn emboldened(self, text: &[u8]) -> Vec<u8> {
        let is = |name: &str, dumb: &str| {
            env::var_os(name)
                .is_some_and(|found| !found.is_empty() && (dumb.is_empty() || found == dumb))
        };
        let (begin, end): (&[u8], &[u8]) = if is("NO_COLOR", "") || is("TERM", "dumb") {
            (b"", b"")
        } else {
            (b"\x1b[1m", b"\x1b[22m")
        };
        let mut found = Vec::with_capacity(text.len());
        let mut rest = text;
        while let Some(at) = (0..rest.len()).find(|at| bold_letter(&rest[*at..]).is_some()) {
            let letters: Vec<u8> = rest[at..].chunks(4).map_while(bold_letter).collect();
            found.extend_from_slice(&self.shown(&rest[..at]));
            found.extend([begin, &self.shown(&letters), end].concat());
            rest = &rest[at + 4 * letters.len()..];
        }
        found.extend_from_slice(&self.shown(rest));
        found
    }
}

/// The ASCII character for which a private one stands in front of a text.
fn bold_letter(text: &[u8]) -> Option<u8> {
    match text {
        [0xf3, 0xb0, high @ 0x80..=0x81, low @ 0x80..=0xbf, ..] => {
            Some((high & 1) << 6 | low & 0x3f)
        }
        _ => None,
    }
}

/// Adds a line, in which nothing is a command: `::` where it begins, behind any space, and
/// `##[`, `##vso[` or `##teamcity[` anywhere.
fn without_command(line: &[u8], shown: &mut Vec<u8>) {
    let text = line.utf8_chunks().next().map_or("", |chunk| chunk.valid());
    let space =
        text.len() - text.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{feff}').len();
    shown.extend_from_slice(&line[..space]);
    let mut rest = &line[space..];
    if rest.starts_with(b"::") {
        shown.extend_from_slice(b"\\x3a");
        rest = &rest[1..];
    }
    while let Some(place) = memmem::find(rest, b"##") {
        let name = rest[place + 2..].iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
        shown.extend_from_slice(&rest[..place]);
        let is_command = rest.get(place + 2 + name) == Some(&b'[');
        shown.extend_from_slice(if is_command { b"\\x23" } else { b"#" });
        rest = &rest[place + 1..];
    }
    shown.extend_from_slice(rest);
}

/// A standard stream, below everything that is written to it; it gets whole lines.
pub(crate) struct Shown<W: Write> {
    out: W,
    escapes: Escapes,
    line: Vec<u8>,
}

impl<W: Write> Shown<W> {
    pub(crate) fn new(out: W, escapes: Escapes) -> Self {
        Shown { out, escapes, line: Vec::new() }
    }
}

impl<W: Write> Write for Shown<W> {
    fn write(&mut self, buf: &[u8]) -> io::Result<usize> {
        self.line.extend_from_slice(buf);
        if let Some(end) = memrchr(b'\n', &self.line) {
            self.out.write_all(&self.escapes.shown(&self.line[..=end]))?;
            self.line.drain(..=end);
        }
        Ok(buf.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.write_all(&self.escapes.shown(&self.line))?;
        self.line.clear();
        self.out.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_controls_a_terminal_is_shown() {
        let shown = |text: &[u8]| String::from_utf8_lossy(&harmless(text)).into_owned();
        assert_eq!(shown(b"\x1b[31mred\x1b[0m"), "\\x1b[31mred\\x1b[0m");
        assert_eq!(
            shown("a\u{9b}2Jb\u{202e}c\u{2066}d\u{61c}".as_bytes()),
            "a\\x9b2Jb\\u202ec\\u2066d\\u061c"
        );
        assert_eq!(
            shown(b"bell\x07 del\x7f nul\0 return\r\n"),
            "bell\\x07 del\\x7f nul\\x00 return\\x0d\n"
        );
        assert_eq!(shown("caf\u{e9}\t\u{4e2d} =1+1\n".as_bytes()), "caf\u{e9}\t\u{4e2d} =1+1\n");
        // A byte that is a control by itself, and one that is not.
        assert_eq!(&*harmless(b"x\x9b\xff"), b"x\\x9b\xff");
    }

    const LOG: Escapes = Escapes { controls: false, commands: true };

    #[test]
    fn no_line_is_a_command() {
        let shown = |text: &str| String::from_utf8_lossy(&LOG.shown(text.as_bytes())).into_owned();
        for (text, expected) in [
            ("::stop-commands::x 0.5\n", "\\x3a:stop-commands::x 0.5\n"),
            ("a\n \u{a0}\u{feff}\t::error::b\n::", "a\n \u{a0}\u{feff}\t\\x3a:error::b\n\\x3a:"),
            ("run\r::error::b\n", "run\r\\x3a:error::b\n"),
            ("a ##[error]b", "a \\x23#[error]b"),
            ("##VSO[task.x]b ###vso[c]", "\\x23#VSO[task.x]b #\\x23#vso[c]"),
            ("##teamcity[x]", "\\x23#teamcity[x]"),
            // No commands.
            (
                "a ::error::b\nx::y\n## heading [1]\n####\n:a",
                "a ::error::b\nx::y\n## heading [1]\n####\n:a",
            ),
        ] {
            assert_eq!(shown(text), expected);
        }
        assert_eq!(&*LOG.shown(b"\xff::x\n  ::\xff"), b"\xff::x\n  \\x3a:\xff");
        let both = Escapes { controls: true, commands: true };
        assert_eq!(&*both.shown(b"a\r::x\n::x"), b"a\\x0d::x\n\\x3a:x");
    }

    #[test]
    fn lines_are_seen_whole_in_any_pieces() {
        let text = b"a\n:: x ##[b]\nc ::d\n ::e";
        for size in 1..text.len() {
            let mut out = Vec::new();
            let mut stream = Shown::new(&mut out, LOG);
            for piece in text.chunks(size) {
                stream.write_all(piece).unwrap();
            }
            stream.flush().unwrap();
            drop(stream);
            assert_eq!(out, b"a\n\\x3a: x \\x23#[b]\nc ::d\n \\x3a:e");
        }
    }
}
