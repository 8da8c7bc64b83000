//! JSON: what it may hold wherever it is parsed, and its values with their places.
//!
//! Parsers recurse where values are nested, and integers of thousands of digits are no numbers
//! to what computes with doubles. So both are refused beforehand, with their place.

use std::borrow::Cow;
use std::cell::Cell;
use std::collections::HashSet;
use std::ops::Range;

use memchr::{memchr_iter, memchr2, memrchr};

use crate::error::{Error, Kind, Result, quote};

/// How deeply arrays and objects may be nested.
const DEPTH: usize = 100;

/// How many digits may stand together: integers of so many are below the largest double.
const DIGITS: usize = 308;

/// An error (kind "limit") with line and column if a text has what no JSON may have here.
pub fn check(text: &[u8]) -> Result<()> {
    let (mut depth, mut digits, mut at) = (0_usize, 0_usize, 0);
    while let Some(&byte) = text.get(at) {
        digits = if byte.is_ascii_digit() { digits + 1 } else { 0 };
        match byte {
            b'[' | b'{' => depth += 1,
            b']' | b'}' => depth = depth.saturating_sub(1),
            b'"' => at = end_of_string(text, at + 1),
            _ => {}
        }
        if depth > DEPTH {
            return Err(refused(
                &format!("arrays and objects in at most {DEPTH} others"),
                text,
                at,
            ));
        }
        if digits > DIGITS {
            return Err(refused(&format!("numbers of at most {DIGITS} digits"), text, at));
        }
        at += 1;
    }
    Ok(())
}

/// Where the quotation mark is that ends a string, or the end of the text.
fn end_of_string(text: &[u8], mut at: usize) -> usize {
    while let Some(found) = text.get(at..).and_then(|rest| memchr2(b'"', b'\\', rest)) {
        at += found;
        if text[at] == b'"' {
            return at;
        }
        at += 2;
    }
    text.len()
}

#[cold]
fn refused(expected: &str, text: &[u8], at: usize) -> Error {
    let before = &text[..at];
    let line = memchr_iter(b'\n', before).count() as u64 + 1;
    let start = memrchr(b'\n', before).map_or(0, |end| end + 1);
    let message = format!("expected JSON with {expected}, found more");
    Error::new(Kind::Limit, message).at(line, &text[start..], at - start)
}

/// A value, and where it stands in its text.
#[derive(Debug)]
pub(crate) struct Node<'a> {
    pub(crate) place: Range<usize>,
    pub(crate) value: Value<'a>,
}

/// A value of JSON.
#[derive(Debug)]
pub(crate) enum Value<'a> {
    Null,
    Boolean(bool),
    /// A number as it is written, or `NaN`, `Infinity` or `-Infinity`, which Python writes too.
    Number(&'a str),
    Text(Cow<'a, [u8]>),
    List(Vec<Node<'a>>),
    Object(Object<'a>),
}

/// Keys and values in their order; each key is there once.
pub(crate) type Object<'a> = Vec<(Cow<'a, [u8]>, Node<'a>)>;

/// A text of JSON, and the number of its first line.
pub(crate) struct Text<'a> {
    json: &'a str,
    first_line: u64,
    /// Up to where line feeds were counted, and how many there were.
    counted: Cell<(usize, u64)>,
}

impl<'a> Text<'a> {
    /// A text that begins in this line of its file. An error (kind "binary") for one that is not
    /// UTF-8, of kind "limit" for one with what no JSON may have here.
    pub(crate) fn new(bytes: &'a [u8], first_line: u64) -> Result<Self> {
        let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
        let text = std::str::from_utf8(bytes)
            .map_err(|_| Error::new(Kind::Binary, "expected JSON in UTF-8").at_line(first_line))?;
        check(bytes).map_err(|error| {
            let line = error.place().line.unwrap_or(1) - 1 + first_line;
            error.at_line(line)
        })?;
        Ok(Text { json: text, first_line, counted: Cell::default() })
    }

    /// The line of a place; places are mostly asked for in their order.
    pub(crate) fn line(&self, at: usize) -> u64 {
        let (mut counted, mut lines) = self.counted.get();
        if at < counted {
            (counted, lines) = (0, 0);
        }
        let between = self.json.as_bytes().get(counted..at).unwrap_or_default();
        lines += memchr_iter(b'\n', between).count() as u64;
        self.counted.set((at, lines));
        self.first_line + lines
    }

    /// A value as it is written, for a message.
    pub(crate) fn shown(&self, node: &Node<'_>) -> String {
        quote(self.json.get(node.place.clone()).unwrap_or_default())
    }

    /// The value that the text stands for. An error (kind "fields") for what is no JSON, of kind
    /// "duplicate" for a key that comes twice in an object.
    pub(crate) fn parsed(&self) -> Result<Node<'a>> {
        let mut parser = Parser { source: self, at: 0 };
        let node = parser.value()?;
        parser.skip_space();
        match parser.peek() {
            None => Ok(node),
            Some(_) => Err(parser.wrong("Extra data", parser.at)),
        }
    }
}

/// Reads values one after another.
struct Parser<'s, 'a> {
    source: &'s Text<'a>,
    at: usize,
}

impl<'a> Parser<'_, 'a> {
    fn bytes(&self) -> &'a [u8] {
        self.source.json.as_bytes()
    }

    fn peek(&self) -> Option<u8> {
        self.bytes().get(self.at).copied()
    }

    fn skip_space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    /// Whether a byte comes next, behind spaces; if so it is passed.
    fn takes(&mut self, byte: u8) -> bool {
        self.skip_space();
        let is_next = self.peek() == Some(byte);
        self.at += usize::from(is_next);
        is_next
    }

    #[cold]
    fn wrong(&self, why: &str, at: usize) -> Error {
        let text = self.source.json;
        let before = &text[..text.floor_char_boundary(at)];
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        let message = format!("expected JSON, found an error in column {column}: {why}");
        Error::new(Kind::Fields, message).at_line(self.source.line(at))
    }

    fn value(&mut self) -> Result<Node<'a>> {
        self.skip_space();
        let start = self.at;
        let value = match self.peek() {
            Some(b'{') => Value::Object(self.object()?),
            Some(b'[') => Value::List(self.list()?),
            Some(b'"') => Value::Text(self.string()?),
            _ => self.word()?,
        };
        Ok(Node { place: start..self.at, value })
    }

    fn list(&mut self) -> Result<Vec<Node<'a>>> {
        self.at += 1;
        let mut items = Vec::new();
        if self.takes(b']') {
            return Ok(items);
        }
        loop {
            items.push(self.value()?);
            if self.takes(b']') {
                return Ok(items);
            }
            if !self.takes(b',') {
                return Err(self.wrong("Expecting ',' delimiter", self.at));
            }
        }
    }

    fn object(&mut self) -> Result<Object<'a>> {
        let start = self.at;
        self.at += 1;
        let mut items = Object::new();
        if self.takes(b'}') {
            return Ok(items);
        }
        loop {
            self.skip_space();
            if self.peek() != Some(b'"') {
                let why = "Expecting property name enclosed in double quotes";
                return Err(self.wrong(why, self.at));
            }
            let key = self.string()?;
            if !self.takes(b':') {
                return Err(self.wrong("Expecting ':' delimiter", self.at));
            }
            items.push((key, self.value()?));
            if self.takes(b'}') {
                break;
            }
            if !self.takes(b',') {
                return Err(self.wrong("Expecting ',' delimiter", self.at));
            }
        }
        let Some(twice) = repeated(&items) else { return Ok(items) };
        let message = format!("expected a key once in an object, found {} again", quote(twice));
        Err(Error::new(Kind::Duplicate, message).at_line(self.source.line(start)))
    }

    /// A text, whose quotation mark comes next.
    fn string(&mut self) -> Result<Cow<'a, [u8]>> {
        let (start, bytes) = (self.at, self.bytes());
        self.at += 1;
        let mut text = Cow::Borrowed(&bytes[self.at..self.at]);
        loop {
            let rest = &bytes[self.at..];
            let Some(length) = memchr2(b'"', b'\\', rest) else {
                return Err(self.wrong("Unterminated string starting at", start));
            };
            if let Some(control) = rest[..length].iter().position(|&byte| byte < b' ') {
                return Err(self.wrong("Invalid control character at", self.at + control));
            }
            if text.is_empty() {
                text = Cow::Borrowed(&rest[..length]);
            } else {
                text.to_mut().extend_from_slice(&rest[..length]);
            }
            self.at += length + 1;
            if rest[length] == b'"' {
                return Ok(text);
            }
            self.escaped(text.to_mut())?;
        }
    }

    /// Adds the character that an escape stands for, whose backslash is passed.
    fn escaped(&mut self, text: &mut Vec<u8>) -> Result<()> {
        let byte = self.peek().unwrap_or_default();
        self.at += 1;
        text.push(match byte {
            b'"' | b'\\' | b'/' => byte,
            b'b' => 8,
            b'f' => 12,
            b'n' => b'\n',
            b'r' => b'\r',
            b't' => b'\t',
            b'u' => return self.unicode(text),
            _ => return Err(self.wrong("Invalid \\escape", self.at - 2)),
        });
        Ok(())
    }

    /// Adds the character of an escape by number. Half a pair that stands for a byte, as Python
    /// writes one that is not UTF-8, becomes that byte.
    fn unicode(&mut self, text: &mut Vec<u8>) -> Result<()> {
        let mut unit = self.hexadecimal()?;
        let low = self.bytes()[self.at..].starts_with(b"\\u");
        if (0xD800..0xDC00).contains(&unit) && low {
            let before = self.at;
            self.at += 2;
            let second = self.hexadecimal()?;
            if (0xDC00..0xE000).contains(&second) {
                unit = 0x1_0000 + ((unit - 0xD800) << 10) + (second - 0xDC00);
            } else {
                self.at = before;
            }
        }
        if let Some(character) = char::from_u32(unit) {
            text.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
        } else if (0xDC80..0xDD00).contains(&unit) {
            text.push((unit - 0xDC00) as u8);
        } else {
            // As UTF-8 would have it; what is read as an id is looked at for that.
            let bytes = [0xE0 | (unit >> 12), 0x80 | (unit >> 6 & 0x3F), 0x80 | (unit & 0x3F)];
            text.extend(bytes.map(|byte| byte as u8));
        }
        Ok(())
    }

    fn hexadecimal(&mut self) -> Result<u32> {
        let digits = self.source.json.get(self.at..self.at + 4);
        let digits = digits.filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()));
        let Some(unit) = digits.and_then(|digits| u32::from_str_radix(digits, 16).ok()) else {
            return Err(self.wrong("Invalid \\uXXXX escape", self.at));
        };
        self.at += 4;
        Ok(unit)
    }

    /// A number, or one of the words.
    fn word(&mut self) -> Result<Value<'a>> {
        let rest = &self.source.json[self.at..];
        let words = [
            ("null", Value::Null),
            ("true", Value::Boolean(true)),
            ("false", Value::Boolean(false)),
            ("NaN", Value::Number("NaN")),
            ("Infinity", Value::Number("Infinity")),
            ("-Infinity", Value::Number("-Infinity")),
        ];
        for (word, value) in words {
            if rest.starts_with(word) {
                self.at += word.len();
                return Ok(value);
            }
        }
        let length = number_length(rest.as_bytes());
        if length == 0 {
            return Err(self.wrong("Expecting value", self.at));
        }
        self.at += length;
        Ok(Value::Number(&rest[..length]))
    }
}

/// How many bytes a number takes that a text begins with; none if it begins with none.
fn number_length(text: &[u8]) -> usize {
    let digits = |from: usize| {
        let rest = text.get(from..).unwrap_or_default();
        rest.iter().take_while(|byte| byte.is_ascii_digit()).count()
    };
    let sign = usize::from(text.first() == Some(&b'-'));
    let whole = if text.get(sign) == Some(&b'0') { 1 } else { digits(sign) };
    if whole == 0 {
        return 0;
    }
    let mut end = sign + whole;
    if text.get(end) == Some(&b'.') && digits(end + 1) > 0 {
        end += 1 + digits(end + 1);
    }
    if matches!(text.get(end), Some(b'e' | b'E')) {
        let signed = usize::from(matches!(text.get(end + 1), Some(b'+' | b'-')));
        let exponent = digits(end + 1 + signed);
        end += if exponent > 0 { 1 + signed + exponent } else { 0 };
    }
    end
}

/// A few keys are compared with each other, many looked up.
const FEW_KEYS: usize = 16;

/// A key that comes twice.
fn repeated<'o>(items: &'o Object<'_>) -> Option<&'o [u8]> {
    if items.len() <= FEW_KEYS {
        let mut keys = items.iter().enumerate();
        let twice = keys.find(|(at, (key, _))| items[..*at].iter().any(|(known, _)| known == key));
        return twice.map(|(_, (key, _))| &**key);
    }
    let mut seen = HashSet::with_capacity(items.len());
    items.iter().map(|(key, _)| &**key).find(|key| !seen.insert(*key))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Result<String> {
        Text::new(text.as_bytes(), 1)?.parsed().map(|node| format!("{:?}", node.value))
    }

    #[test]
    fn values_are_read() {
        let number = |text: &str| format!("Number({text:?})");
        for text in ["0", "-0", "12.5e-3", "1E+9", "NaN", "-Infinity"] {
            assert_eq!(parsed(text).unwrap(), number(text));
        }
        let bytes = |text: &[u8]| format!("Text({text:?})");
        assert_eq!(parsed(r#" "\u00e9\ud83d\ude00\n\"x" "#).unwrap(), bytes("é😀\n\"x".as_bytes()));
        assert_eq!(parsed(r#""\udcff""#).unwrap(), bytes(b"\xFF"));
        assert_eq!(parsed("[null, true,[ ]]").unwrap().matches("place").count(), 3);
    }

    #[test]
    fn what_is_no_json_has_a_line_and_a_column() {
        let cases = [
            ("", 1, 1, "Expecting value"),
            ("[1,\n é]", 2, 2, "Expecting value"),
            ("[1 2]", 1, 4, "Expecting ',' delimiter"),
            ("{\"a\" 1}", 1, 6, "Expecting ':' delimiter"),
            ("{a: 1}", 1, 2, "Expecting property name enclosed in double quotes"),
            ("[\"a\nb\"]", 1, 4, "Invalid control character at"),
            ("[\"a", 1, 2, "Unterminated string starting at"),
            ("[\"\\x\"]", 1, 3, "Invalid \\escape"),
            ("{} 1", 1, 4, "Extra data"),
            ("01", 1, 2, "Extra data"),
        ];
        for (text, line, column, why) in cases {
            let error = parsed(text).unwrap_err();
            let message = format!("expected JSON, found an error in column {column}: {why}");
            assert_eq!((error.message(), error.place().line), (&*message, Some(line)), "{text}");
        }
        let many: Vec<String> = (0..20).map(|key| format!("\"{}\":1", key % 19)).collect();
        for text in ["{\"a\":1,\n\"a\":2}".to_string(), format!("{{{}}}", many.join(","))] {
            assert_eq!(parsed(&text).unwrap_err().kind(), Kind::Duplicate);
        }
    }

    fn place(text: &str) -> Option<(u64, u64)> {
        let error = check(text.as_bytes()).err()?;
        assert_eq!(error.kind(), Kind::Limit);
        Some((error.place().line?, error.place().column?))
    }

    #[test]
    fn what_is_nested_too_deeply_has_a_place() {
        for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
            let nested = |depth| format!("{}1{}", open.repeat(depth), close.repeat(depth));
            assert_eq!(place(&nested(DEPTH)), None);
            let column = (open.len() * DEPTH + 1) as u64;
            assert_eq!(place(&nested(DEPTH + 1)), Some((1, column)));
            assert_eq!(place(&format!("[1,\n 2,\n é{}", nested(DEPTH))), {
                // The array around it is one more.
                let column = 2 + (open.len() * (DEPTH - 1)) as u64 + 1;
                Some((3, column))
            });
            assert_eq!(place(&format!("[{}]", vec![nested(DEPTH - 1); 50].join(","))), None);
        }
    }

    #[test]
    fn strings_count_for_nothing() {
        let deep = "[".repeat(DEPTH + 1) + &"9".repeat(DIGITS + 1);
        for text in [format!("\"{deep}\""), format!("\"\\\"{deep}\\\\\""), format!("\"{deep}")] {
            assert_eq!(place(&text), None, "{text}");
        }
        assert!(place(&format!("\"\\\\\"{deep}")).is_some());
    }

    #[test]
    fn long_numbers_have_a_place() {
        assert_eq!(place(&"9".repeat(DIGITS)), None);
        assert!("9".repeat(DIGITS).parse::<f64>().unwrap().is_finite());
        assert_eq!(place(&"9".repeat(DIGITS + 1)), Some((1, DIGITS as u64 + 1)));
        assert_eq!(place(&format!("[1,\n-{}]", "9".repeat(5000))), Some((2, DIGITS as u64 + 2)));
        assert_eq!(place(&["12345"; 1000].join(",")), None);
    }
}
