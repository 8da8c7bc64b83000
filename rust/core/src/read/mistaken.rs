//! What a file, a line or a number is that cannot be read, as far as it can be recognised, and
//! the way out of it.

use memchr::{memchr, memchr_iter};

use crate::bytes::is_space;
use crate::error::{Error, Interface, Kind, Result, count, quote};
use crate::numbers::number;

/// Where a tar archive has its name.
const TAR: std::ops::Range<usize> = 257..262;

/// The error for a file that begins as an archive of files does.
#[cold]
pub(crate) fn archive(head: &[u8]) -> Option<Error> {
    let (name, advice) = match head {
        [b'P', b'K', 3, 4, ..] | [b'P', b'K', 5, 6, ..] => ("a zip archive", "unzip it first"),
        [b'7', b'z', 0xBC, 0xAF, ..] => ("a 7z archive", "unpack it first"),
        [b'R', b'a', b'r', b'!', 0x1A, ..] => ("a rar archive", "unpack it first"),
        _ if head.get(TAR) == Some(b"ustar") => ("a tar archive", "unpack it first (tar -xf)"),
        _ => return None,
    };
    let message = format!("expected lines of text, found {name}: {advice}");
    Some(Error::new(Kind::Binary, message))
}

/// An error for a carriage return that does not end its line.
#[inline]
pub(super) fn check_line_end(line: &[u8], at: u64) -> Result<()> {
    match memchr(b'\r', line) {
        Some(offset) if !line[offset..].iter().all(|&byte| is_space(byte)) => {
            let message = "expected line feeds between lines, found a carriage return within a \
                           line; if all lines end this way, convert the file: tr '\\r' '\\n'";
            Err(Error::new(Kind::Fields, message).at(at, line, offset))
        }
        _ => Ok(()),
    }
}

/// The error for a line with another number of fields than its layout has. `expected` says
/// which these are, `hint` what else the line may be.
#[cold]
pub(super) fn wrong_fields(
    kind: Kind,
    expected: &str,
    line: &[u8],
    (spans, wanted): (&[(usize, usize)], usize),
    at: u64,
    hint: impl Fn(Interface) -> String,
) -> Error {
    let text = line.trim_ascii();
    let found = format!("{}: {}", count(spans.len(), "field"), quote(text));
    let spaced = if spans.len() > wanted { SPACED } else { "" };
    let error = Error::for_each(kind, |to| {
        let hint = Some(hint(to)).filter(|hint| !hint.is_empty());
        let advice = recognised(text, spans.len()).or(hint).unwrap_or_else(|| spaced.into());
        format!("{expected}, found {found}{advice}")
    });
    let end = spans.last().map_or(0, |span| span.1);
    let column = spans.get(wanted).map_or(end, |extra| extra.0);
    error.at(at, line, column)
}

/// What to do about too many fields, if nothing else is known of the line.
const SPACED: &str =
    "; no field can contain a space: CSV, JSON Lines and Parquet can hold ids that do";

/// What to do about a line of something else than fields.
#[cold]
fn recognised(line: &[u8], found: usize) -> Option<String> {
    let begins =
        |start: &[u8]| line.get(..start.len()).is_some_and(|head| head.eq_ignore_ascii_case(start));
    if line.starts_with(b"version https://git-lfs") {
        let message = "; this is a pointer of Git LFS, not the file: git lfs pull gets the file";
        return Some(message.into());
    }
    if begins(b"<!doctype html") || begins(b"<html") || begins(b"<?xml") {
        return Some("; this is a web page or XML, not the file: download the file itself".into());
    }
    let times = |separator: u8| memchr_iter(separator, line).count();
    let separator = [b',', b';', b'|'].into_iter().find(|&separator| times(separator) > 1);
    separator.filter(|_| found < 3).map(separated)
}

/// The advice about a separator that is none here.
#[cold]
fn separated(separator: u8) -> String {
    let separator = char::from(separator);
    let csv = if separator == ',' { "CSV needs a header such as qid,docno,score; or " } else { "" };
    format!("; `{separator}` does not separate fields: {csv}replace it by tabs")
}

/// An error for a first line whose fields end in a comma or a semicolon.
pub(super) fn check_separators(line: &[u8], spans: &[(usize, usize)], at: u64) -> Result<()> {
    let [most @ .., _] = spans else { return Ok(()) };
    let last = |&(start, end): &(usize, usize)| line[start..end].last().copied();
    for separator in [b',', b';'] {
        if most.len() > 1 && most.iter().all(|span| last(span) == Some(separator)) {
            let (text, advice) = (quote(line.trim_ascii()), separated(separator));
            let message = format!("expected spaces or tabs between fields, found {text}{advice}");
            return Err(Error::new(Kind::Fields, message).at(at, line, spans[0].1 - 1));
        }
    }
    Ok(())
}

/// What columns of numbers are called.
const HEADERS: [&[u8]; 14] = [
    b"score",
    b"sim",
    b"similarity",
    b"rank",
    b"ranking",
    b"position",
    b"pos",
    b"grade",
    b"relevance",
    b"rel",
    b"label",
    b"judgment",
    b"judgement",
    b"stratum",
];

/// What to do about a text in a column of numbers of which C's `atof` makes a wrong number. On
/// the first line, which may be a header, it stands beside a topic.
#[cold]
pub(super) fn no_number(text: &[u8], first: Option<&[u8]>) -> Option<&'static str> {
    let has = |byte: u8| text.contains(&byte);
    let edge = |byte: u8| text.first() == Some(&byte) || text.last() == Some(&byte);
    if edge(b'"') || edge(b'\'') {
        return Some("; remove the quotation marks, which files of lines do not have");
    }
    if has(b';') || has(b'|') || edge(b',') {
        return Some("; fields are separated by spaces or tabs: replace other separators");
    }
    if has(b',') && text.iter().any(u8::is_ascii_digit) {
        return Some("; numbers have a decimal point and no comma");
    }
    let named = HEADERS.iter().any(|name| name.eq_ignore_ascii_case(text));
    let is_word = |text: &[u8]| number(text).is_none() && !text.iter().any(u8::is_ascii_digit);
    let words = first.is_some_and(|topic| is_word(topic) && is_word(text));
    (named || words).then_some("; remove this line if it is a header")
}

/// Whether a text is a number that C's `atof` knows and this reader refuses.
#[cold]
pub(super) fn is_hexadecimal(text: &[u8]) -> bool {
    let unsigned = text.strip_prefix(b"-").or_else(|| text.strip_prefix(b"+")).unwrap_or(text);
    let digits = unsigned.strip_prefix(b"0x").or_else(|| unsigned.strip_prefix(b"0X"));
    digits.is_some_and(|digits| {
        digits.first().is_some_and(u8::is_ascii_hexdigit)
            && digits.iter().all(|byte| byte.is_ascii_hexdigit() || b".pP+-".contains(byte))
    })
}

/// Whether a line whose first field begins with `#` is a comment: `#` alone is followed by a
/// blank; else it is one unless it has all fields of its layout, each of its kind.
pub(super) fn is_comment(topic: &[u8], is_entry: impl FnOnce() -> bool) -> bool {
    topic.first() == Some(&b'#') && (topic.len() == 1 || !is_entry())
}
