//! What the targets have in common: texts from bytes, and readers of texts.
//!
//! Bytes of the fuzzer are choices among what a file may hold, so that nearly every input
//! gets far into the program. Every other input is a text as it stands, which its
//! dictionary fills.

use std::io::{Cursor, Read};

use arbitrary::{Result, Unstructured};
use cranfield_core::error::{Error, Kind};
use cranfield_core::read::lines::LineReader;
use cranfield_core::read::{Limits, Source};

/// Words that stand in files: ids, numbers in all spellings, and what is neither.
const WORDS: &[&[u8]] = &[
    b"1",
    b"2",
    b"10",
    b"q1",
    b"d1",
    b"d2",
    b"d3",
    b"doc-0001",
    b"Q0",
    b"0",
    b"tag",
    b"L0",
    b"L2",
    b"S",
    b"query-id",
    b"corpus-id",
    b"score",
    b"-1",
    b"1.5",
    b"0.25",
    b"1e3",
    b"1e-400",
    b"1e400",
    b"-0.0",
    b"nan",
    b"inf",
    b"29.974923",
    b"16777217",
    b"9007199254740993",
    b"0x10",
    b"+3",
    b".5",
    b"5.",
    b"--1",
    b"#",
    b"# note",
    b"#q1",
    b"New York",
    b"0,5",
    b"\"1\"",
    b"PK\x03\x04",
    b"\xEF\xBB\xBF",
    b"\xFF",
    b"\0",
    b"\xC2\xA0",
    b"a\x0Bb",
    b"4294967295",
    b"4294967296",
    b"18446744073709551616",
    b"12345678901234567890.123456789",
];

const GAPS: &[&[u8]] = &[b" ", b" ", b" ", b" ", b"\t", b"  ", b" \t ", b"\x0B", b"\x0C"];
const ENDS: &[&[u8]] = &[b"\n", b"\n", b"\n", b"\n", b"\r\n", b"\n\n", b"\r", b" \n", b""];

/// A text of lines. `fields` are how many fields lines usually have.
pub fn text(bytes: &[u8], fields: &[usize]) -> Vec<u8> {
    match bytes.split_first() {
        Some((kind, text)) if kind % 2 == 0 => text.to_vec(),
        Some((_, choices)) => made(&mut Unstructured::new(choices), fields).unwrap_or_default(),
        None => Vec::new(),
    }
}

fn made(u: &mut Unstructured, fields: &[usize]) -> Result<Vec<u8>> {
    let mut text = Vec::new();
    let usual = *u.choose(fields)?;
    let mut above: Vec<Vec<u8>> = Vec::new();
    while !u.is_empty() && text.len() < 1 << 12 {
        let choice = u.int_in_range(0..=15u8)?;
        let mut line = above.clone();
        if line.len() != usual || choice == 0 {
            let n = if choice == 0 { u.int_in_range(0..=8)? } else { usual };
            line = (0..n).map(|_| word(u)).collect::<Result<_>>()?;
        }
        // Most lines are the one above with a field or two changed.
        for _ in 0..u.int_in_range(0..=2)? {
            if !line.is_empty() {
                let place = u.choose_index(line.len())?;
                line[place] = word(u)?;
            }
        }
        let gap: &[u8] = if choice < 12 { b" " } else { u.choose(GAPS)? };
        text.extend(line.join(gap));
        text.extend_from_slice(if choice < 14 { b"\n" } else { u.choose(ENDS)? });
        above = line;
    }
    Ok(text)
}

fn word(u: &mut Unstructured) -> Result<Vec<u8>> {
    Ok(match u.int_in_range(0..=7u8)? {
        0..=3 => u.choose(WORDS)?.to_vec(),
        4 => format!("d{}", u.int_in_range(0..=99u8)?).into_bytes(),
        5 => format!("{}", u.arbitrary::<i32>()? >> (u.arbitrary::<u8>()? % 32)).into_bytes(),
        6 => format!("{}", f64::from_bits(u.arbitrary()?)).into_bytes(),
        _ => {
            let n = u.int_in_range(0..=40)?;
            u.bytes(n.min(u.len()))?.to_vec()
        }
    })
}

/// Reads in pieces, as pipes hand them out.
struct Pieces(Cursor<Vec<u8>>, usize);

impl Read for Pieces {
    fn read(&mut self, buf: &mut [u8]) -> std::io::Result<usize> {
        let n = buf.len().min(self.1);
        self.0.read(&mut buf[..n])
    }
}

/// A text that comes in pieces of some bytes.
pub fn source(text: &[u8], piece: usize, limits: &Limits) -> Option<Source> {
    let stream = Box::new(Pieces(Cursor::new(text.to_vec()), piece.max(1)));
    Source::from_reader("input", stream, limits).ok()
}

/// A reader of a text, which comes in pieces of some bytes.
pub fn reader(text: &[u8], piece: usize) -> Option<LineReader> {
    let limits = Limits { line_bytes: 1 << 10, ..Limits::default() };
    Some(LineReader::new(source(text, piece, &limits)?, &limits))
}

/// Panics unless both errors say the same. How much of a damaged archive is unpacked, and so
/// whether a fault of its text is found first, depends on the pieces that its decoder was given.
pub fn same_error(a: &Error, b: &Error) {
    if a.kind() != Kind::Archive && b.kind() != Kind::Archive {
        assert_eq!(a.to_string(), b.to_string());
    }
}

/// Whether a text begins as a packed file or an archive does, or with a byte order mark: a topic
/// of such a name is not written.
pub fn begins_oddly(text: &[u8]) -> bool {
    let starts: [&[u8]; 9] = [
        b"\xEF\xBB\xBF",
        b"\x1F\x8B",
        b"\x28\xB5\x2F\xFD",
        b"BZh",
        b"\xFD7zXZ\0",
        b"PK\x03\x04",
        b"PK\x05\x06",
        b"7z\xBC\xAF",
        b"Rar!\x1A",
    ];
    let skippable = text.len() > 4 && text[1..4] == *b"\x2A\x4D\x18";
    skippable || starts.iter().any(|start| text.starts_with(start))
}
