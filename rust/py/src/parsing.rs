//! Lines of judgments and runs as dicts of dicts, for `cranfield.compat.pytrec_eval`, and what
//! JSON is checked for before Python parses it.
//!
//! Plain lines are read in place. From one on about which Python's own functions could decide
//! otherwise, such as one with other digits than ASCII ones, and at every fault, these functions
//! are called.

use cranfield_core::numbers;
use cranfield_core::read::json;
use cranfield_scan::{Scan, Task, WINDOW};
use pyo3::exceptions::{PyAssertionError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{IntoPyDict, PyBytes, PyDict, PyFloat, PyInt, PyList, PyString};

use crate::dict::new_text;
use crate::errors::OrRaise;

/// Lines between two looks for an interrupt.
const LINES_BETWEEN_CHECKS: usize = 1 << 16;

#[doc = stub!("parse_lines")]
#[pyfunction]
pub fn parse_lines(
    lines: &Bound<'_, PyAny>,
    table: &Bound<'_, PyDict>,
    judgments: bool,
    first: usize,
    ends: &str,
) -> PyResult<usize> {
    let mut reader = Reader { table, topic: String::new(), inner: None, judgments, count: 0 };
    if !reader.lines(lines)? {
        let lines = if lines.is_instance_of::<PyString>() {
            let named = [("newline", ends)].into_py_dict(lines.py())?;
            &lines.py().import("io")?.call_method("StringIO", (lines,), Some(&named))?
        } else {
            lines
        };
        for line in lines.try_iter()?.skip(reader.count) {
            reader.add_as_python(&line?, first + reader.count)?;
        }
    }
    Ok(reader.count)
}

#[doc = stub!("check_json")]
#[pyfunction]
#[pyo3(signature = (text, /))]
pub fn check_json(text: &Bound<'_, PyString>) -> PyResult<()> {
    if let Ok(text) = text.to_str() {
        return json::check(text.as_bytes()).or_raise();
    }
    // It has lone surrogates, which stand for bytes that are not UTF-8.
    let bytes = text.call_method1("encode", ("utf-8", "surrogatepass"))?;
    json::check(bytes.cast::<PyBytes>()?.as_bytes()).or_raise()
}

struct Reader<'a, 'py> {
    table: &'a Bound<'py, PyDict>,
    topic: String,
    /// The documents of the topic.
    inner: Option<Bound<'py, PyDict>>,
    judgments: bool,
    /// The lines that were read.
    count: usize,
}

impl Reader<'_, '_> {
    /// Reads lines as long as they are plain; whether all of them are.
    fn lines(&mut self, lines: &Bound<'_, PyAny>) -> PyResult<bool> {
        if let Ok(text) = lines.cast_exact::<PyString>() {
            let Ok(text) = text.to_str() else { return Ok(false) };
            // What this ends is decided by how the file was opened.
            if text.contains('\r') {
                return Ok(false);
            }
            return cranfield_scan::run(Text { reader: self, text });
        }
        let Ok(lines) = lines.cast_exact::<PyList>() else { return Ok(false) };
        for line in lines.iter() {
            let Ok(line) = line.cast_exact::<PyString>() else { return Ok(false) };
            let Ok(text) = line.to_str() else { return Ok(false) };
            // Behind a line feed there may be more, which is of the same line here.
            let one = text.find('\n').is_none_or(|end| end + 1 == text.len());
            let Some(line) = one.then(|| self.fields(text)).flatten() else { return Ok(false) };
            if !self.add(&line)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The line at the beginning of a text.
    fn fields<'a>(&self, text: &'a str) -> Option<Line<'a>> {
        if self.judgments { fields::<4>(text) } else { fields::<6>(text) }
    }

    /// Puts a line into the table as Python's functions read it.
    fn add_as_python(&mut self, line: &Bound<'_, PyAny>, number: usize) -> PyResult<()> {
        let py = line.py();
        if self.count % LINES_BETWEEN_CHECKS == LINES_BETWEEN_CHECKS - 1 {
            py.check_signals()?;
        }
        let (columns, names, place, value) = if self.judgments {
            (4, "four columns: topic 0 document grade", 3, "a whole number")
        } else {
            (6, "six columns: topic Q0 document rank score tag", 4, "a score")
        };
        let wrong = |expected: &str| -> PyResult<PyErr> {
            let shown = line.call_method0("rstrip")?.repr()?;
            let message = format!("line {number}: expected {expected}, in {shown}");
            Ok(PyValueError::new_err(message))
        };
        let fields: Vec<Bound<'_, PyAny>> = line.call_method0("split")?.extract()?;
        if fields.len() != columns {
            return Err(wrong(names)?);
        }
        let (topic, document, found) = (&fields[0], &fields[2], &fields[place]);
        let inner = self.table.as_any().get_item(topic)?;
        if inner.contains(document)? {
            let (document, topic) = (document.repr()?, topic.repr()?);
            return Err(PyAssertionError::new_err(format!(
                "line {number}: expected each document once, found {document} of topic {topic} again"
            )));
        }
        let class = if self.judgments { py.get_type::<PyInt>() } else { py.get_type::<PyFloat>() };
        match class.call1((found,)) {
            Ok(value) => inner.set_item(document, value)?,
            Err(raised) if raised.is_instance_of::<PyValueError>(py) => {
                let column = place + 1;
                return Err(wrong(&format!(
                    "{value} in column {column}, found {}",
                    found.repr()?
                ))?);
            }
            Err(raised) => return Err(raised),
        }
        self.count += 1;
        Ok(())
    }

    /// Puts a line into the table; whether its document is new and its number one.
    fn add(&mut self, line: &Line<'_>) -> PyResult<bool> {
        let py = self.table.py();
        if self.count % LINES_BETWEEN_CHECKS == LINES_BETWEEN_CHECKS - 1 {
            py.check_signals()?;
        }
        let &Line { topic, document, number, .. } = line;
        let inner = match &self.inner {
            Some(inner) if self.topic == topic => inner,
            _ => {
                self.topic.clear();
                self.topic.push_str(topic);
                let key = PyString::new(py, topic);
                let inner = if let Some(found) = self.table.get_item(&key)? {
                    found.cast_into::<PyDict>()?
                } else {
                    let inner = PyDict::new(py);
                    self.table.set_item(key, &inner)?;
                    inner
                };
                self.inner.insert(inner)
            }
        };
        let before = inner.len();
        let key = new_text(py, document);
        if self.judgments {
            let Ok(grade) = number.parse::<i64>() else { return Ok(false) };
            inner.set_item(key, PyInt::new(py, grade))?;
        } else {
            let plain = numbers::number(number.as_bytes());
            let Some(score) = plain.or_else(|| number.parse().ok()) else { return Ok(false) };
            inner.set_item(key, PyFloat::new(py, score))?;
        }
        // A document that was there before is a fault, which Python finds again.
        let new = inner.len() > before;
        self.count += usize::from(new);
        Ok(new)
    }
}

/// Reads a text of lines.
struct Text<'r, 'a, 'py> {
    reader: &'r mut Reader<'a, 'py>,
    text: &'r str,
}

impl Task for Text<'_, '_, '_> {
    type Output = PyResult<bool>;

    #[inline(always)]
    fn run<S: Scan>(self, scan: S) -> PyResult<bool> {
        let Text { reader, text } = self;
        let ascii = text.is_ascii();
        let mut rest = text;
        while !rest.is_empty() {
            let short = match (ascii, reader.judgments) {
                (false, _) => None,
                (true, true) => short_fields::<S, 4>(scan, rest),
                (true, false) => short_fields::<S, 6>(scan, rest),
            };
            let Some(line) = short.or_else(|| reader.fields(rest)) else { return Ok(false) };
            if !reader.add(&line)? {
                return Ok(false);
            }
            rest = &rest[line.length..];
        }
        Ok(true)
    }
}

struct Line<'a> {
    topic: &'a str,
    document: &'a str,
    number: &'a str,
    /// With its end.
    length: usize,
}

impl<'a> Line<'a> {
    #[inline(always)]
    fn new<const COLUMNS: usize>(
        text: &'a str,
        columns: [(usize, usize); COLUMNS],
        length: usize,
    ) -> Line<'a> {
        let field = |(start, end): (usize, usize)| &text[start..end];
        let number = field(columns[if COLUMNS == 4 { 3 } else { 4 }]);
        Line { topic: field(columns[0]), document: field(columns[2]), number, length }
    }
}

/// The line at the beginning of a text of ASCII, if one space or tab is between its columns and
/// it ends within the window.
#[inline(always)]
fn short_fields<S: Scan, const COLUMNS: usize>(scan: S, text: &str) -> Option<Line<'_>> {
    let bytes = text.as_bytes();
    let mut gaps = scan.gaps(bytes.first_chunk::<WINDOW>()?);
    let mut columns = [(0, 0); COLUMNS];
    let mut start = 0;
    for (number, column) in columns.iter_mut().enumerate() {
        let end = gaps.trailing_zeros() as usize;
        // Without a gap in the window the end is behind it.
        let gap = *bytes[..WINDOW].get(end)?;
        let wanted = if number + 1 == COLUMNS { gap == b'\n' } else { gap == b' ' || gap == b'\t' };
        if !wanted || end == start {
            return None;
        }
        *column = (start, end);
        start = end + 1;
        gaps &= gaps - 1;
    }
    Some(Line::new(text, columns, start))
}

/// The line at the beginning of a text, if it has this many columns.
#[inline(always)]
fn fields<const COLUMNS: usize>(text: &str) -> Option<Line<'_>> {
    let bytes = text.as_bytes();
    let mut columns = [(0, 0); COLUMNS];
    let mut at = 0;
    let class = |at: usize| bytes.get(at).map_or(END, |&byte| CLASSES[usize::from(byte)]);
    for column in &mut columns {
        while class(at) == SPACE {
            at += 1;
        }
        let start = at;
        while class(at) == TEXT {
            at += 1;
        }
        while class(at) == BEYOND {
            // A letter beyond ASCII, or one of the spaces there, which Python knows, too.
            let letter = text[at..].chars().next()?;
            if letter.is_whitespace() {
                return None;
            }
            at += letter.len_utf8();
            while class(at) == TEXT {
                at += 1;
            }
        }
        if at == start || class(at) == OTHER {
            return None;
        }
        *column = (start, at);
    }
    while class(at) == SPACE {
        at += 1;
    }
    if class(at) != END {
        return None;
    }
    Some(Line::new(text, columns, (at + 1).min(bytes.len())))
}

const TEXT: u8 = 0;
const SPACE: u8 = 1;
const END: u8 = 2;
const BEYOND: u8 = 3;
/// What Python takes for a space, and other readers do not.
const OTHER: u8 = 4;

/// What each byte is.
const CLASSES: [u8; 256] = {
    let mut classes = [TEXT; 256];
    let mut byte = 0x80;
    while byte < 256 {
        classes[byte] = BEYOND;
        byte += 1;
    }
    byte = 0x1c;
    while byte < 0x20 {
        classes[byte] = OTHER;
        byte += 1;
    }
    classes[b' ' as usize] = SPACE;
    classes[b'\t' as usize] = SPACE;
    classes[0x0b] = SPACE;
    classes[0x0c] = SPACE;
    classes[b'\r' as usize] = SPACE;
    classes[b'\n' as usize] = END;
    classes
};
