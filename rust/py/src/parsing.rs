//! Lines of judgments and runs as dicts of dicts, for `cranfield.compat.pytrec_eval`.
//!
//! Only plain lines are read here: `false` is returned for anything on which Python's own
//! functions could decide otherwise, such as other digits than ASCII ones, and for every fault.
//! The caller reads such lines in Python, which also finds the words for an error.

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyFloat, PyInt, PyList, PyString};

use crate::dict::new_text;

/// Lines between two looks for an interrupt.
const LINES: usize = 1 << 16;

#[doc = stub!("parse_lines")]
#[pyfunction]
pub fn parse_lines(
    lines: &Bound<'_, PyAny>,
    table: &Bound<'_, PyDict>,
    judgments: bool,
) -> PyResult<bool> {
    let mut reader = Reader { table, topic: String::new(), inner: None, judgments, count: 0 };
    if let Ok(text) = lines.cast_exact::<PyString>() {
        let Ok(text) = text.to_str() else { return Ok(false) };
        let mut rest = text;
        while !rest.is_empty() {
            let Some(length) = reader.line(rest)? else { return Ok(false) };
            rest = &rest[length..];
        }
        return Ok(true);
    }
    let Ok(lines) = lines.cast_exact::<PyList>() else { return Ok(false) };
    for line in lines.iter() {
        let Ok(line) = line.cast_exact::<PyString>() else { return Ok(false) };
        let Ok(text) = line.to_str() else { return Ok(false) };
        // Behind a line feed there may be more, which is of the same line here.
        if reader.line(text)? != Some(text.len()) {
            return Ok(false);
        }
    }
    Ok(true)
}

struct Reader<'a, 'py> {
    table: &'a Bound<'py, PyDict>,
    topic: String,
    /// The documents of the topic.
    inner: Option<Bound<'py, PyDict>>,
    judgments: bool,
    count: usize,
}

impl Reader<'_, '_> {
    /// Reads the line at the beginning of a text. Its length with its end; `None` if it has to
    /// be read in Python.
    fn line(&mut self, text: &str) -> PyResult<Option<usize>> {
        let py = self.table.py();
        self.count += 1;
        if self.count.is_multiple_of(LINES) {
            py.check_signals()?;
        }
        let line = if self.judgments { fields::<4>(text) } else { fields::<6>(text) };
        let Some(Line { topic, document, number, length }) = line else { return Ok(None) };
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
            let Ok(grade) = number.parse::<i64>() else { return Ok(None) };
            inner.set_item(key, PyInt::new(py, grade))?;
        } else {
            let Ok(score) = number.parse::<f64>() else { return Ok(None) };
            inner.set_item(key, PyFloat::new(py, score))?;
        }
        // A document that was there before is a fault.
        Ok((inner.len() > before).then_some(length))
    }
}

struct Line<'a> {
    topic: &'a str,
    document: &'a str,
    number: &'a str,
    length: usize,
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
    let field = |(start, end): (usize, usize)| &text[start..end];
    let number = if COLUMNS == 4 { columns[3] } else { columns[4] };
    Some(Line {
        topic: field(columns[0]),
        document: field(columns[2]),
        number: field(number),
        length: (at + 1).min(bytes.len()),
    })
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
