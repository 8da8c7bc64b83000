//! Small files of fields, line by line, and the values of documents that some of them hold.
//!
//! Blank lines are passed over, and comments: lines whose first field is `#`.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use cranfield_core::error::{Error as CoreError, Kind, count};
use cranfield_core::read::Limits;
use cranfield_core::read::tables::Role;
use cranfield_core::read::tables::columns::plain_name;
use cranfield_core::score_files::{is_space, readable};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyFloat, PyList, PyString};

use crate::errors::raise;
use crate::ids::text;

/// How many characters of a line or a field a message shows.
const SHOWN: usize = 60;

/// The fields of a line, and its number.
type FieldRow<'a> = (u64, Vec<&'a [u8]>);

/// What is expected of the lines of a file.
struct Expected<'a> {
    name: &'a str,
    /// What a line holds, for messages.
    what: &'a str,
    /// How many fields it has, from and to.
    counts: (usize, usize),
    /// The names of each column, in lower case, where a first line may have them.
    header: &'a [Vec<String>],
    separator: Option<u8>,
}

impl Expected<'_> {
    #[cold]
    fn wrong(&self, kind: Kind, message: impl Into<String>, line: Option<u64>) -> PyErr {
        let error = CoreError::new(kind, message).in_file(self.name);
        raise(&match line {
            Some(line) => error.at_line(line),
            None => error,
        })
    }

    fn fits(&self, fields: &[&[u8]]) -> bool {
        (self.counts.0..=self.counts.1).contains(&fields.len())
    }

    /// The fields of each line: between tabs or separators if these make as many as there should
    /// be, else between blanks.
    fn rows<'d>(&self, py: Python<'_>, data: &'d [u8]) -> PyResult<Vec<FieldRow<'d>>> {
        let (mut rows, mut separator) = (Vec::new(), self.separator);
        let data = data.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(data);
        let longest = Limits::default().line_bytes;
        for (number, line) in (1..).zip(data.split(|byte| *byte == b'\n')) {
            if line.len() > longest {
                let message = format!("the line is longer than {longest} bytes");
                return Err(self.wrong(Kind::Limit, message, Some(number)));
            }
            if is_passed_over(line) {
                continue;
            }
            if rows.is_empty() {
                separator = separator.filter(|byte| self.fits(&between(line, *byte)));
            }
            let fields = match separator {
                Some(byte) => between(line, byte),
                None => self.fields(line),
            };
            if !self.fits(&fields) || fields.iter().any(|field| field.is_empty()) {
                let (many, found) = (count(fields.len(), "field"), shown(py, stripped(line))?);
                let message = format!("expected {}, found {many}: {found}", self.what);
                return Err(self.wrong(Kind::Fields, message, Some(number)));
            }
            if !rows.is_empty() || !self.is_header(&fields) {
                rows.push((number, fields));
            }
        }
        if rows.is_empty() {
            let message = format!("expected lines of {}, found no line of data", self.what);
            return Err(self.wrong(Kind::Empty, message, None));
        }
        Ok(rows)
    }

    fn fields<'d>(&self, line: &'d [u8]) -> Vec<&'d [u8]> {
        let by_tabs = between(line, b'\t');
        if by_tabs.len() > 1 && self.fits(&by_tabs) && by_tabs.iter().all(|one| !one.is_empty()) {
            return by_tabs;
        }
        line.split(|byte| is_blank(*byte)).filter(|field| !field.is_empty()).collect()
    }

    /// Whether each field names its column, be it as a comment: `#topic group`.
    fn is_header(&self, fields: &[&[u8]]) -> bool {
        let plain = |field: &[u8]| plain_name(&readable(field));
        let first =
            fields.first().map_or(&b""[..], |first| first.strip_prefix(b"#").unwrap_or(first));
        let names = fields.iter().skip(1).copied();
        !self.header.is_empty()
            && std::iter::once(first)
                .chain(names)
                .zip(self.header)
                .all(|(field, known)| known.contains(&plain(field)))
    }

    /// A finite number as files write it; Python's own spellings are none.
    fn number(
        &self,
        py: Python<'_>,
        row: &FieldRow<'_>,
        field: &[u8],
        what: &str,
        fits: impl Fn(f64) -> bool,
    ) -> PyResult<f64> {
        let number = std::str::from_utf8(field).ok().filter(|text| text.is_ascii());
        let number = number.and_then(|text| text.trim_matches(is_space).parse::<f64>().ok());
        if let Some(number) = number.filter(|number| number.is_finite() && fits(*number)) {
            return Ok(number);
        }
        let message = format!("expected {what}, found {}", shown(py, field)?);
        Err(self.wrong(Kind::Number, message, Some(row.0)))
    }
}

/// What separates fields and lines, as in the core; other white space is part of an id.
fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n')
}

fn stripped(text: &[u8]) -> &[u8] {
    let is_kept = |byte: &u8| !is_blank(*byte);
    let start = text.iter().position(is_kept).unwrap_or(text.len());
    let end = text.iter().rposition(is_kept).map_or(start, |last| last + 1);
    &text[start..end]
}

fn between(line: &[u8], separator: u8) -> Vec<&[u8]> {
    line.split(|byte| *byte == separator).map(stripped).collect()
}

/// Whether a line is blank or a comment. A field that goes on, such as `#covid`, is data.
pub fn is_passed_over(line: &[u8]) -> bool {
    match stripped(line) {
        [] | [b'#'] => true,
        [b'#', next, ..] => is_blank(*next),
        _ => readable(line).chars().all(is_space),
    }
}

/// A line or a field for a message, on one line.
fn shown(py: Python<'_>, text: &[u8]) -> PyResult<String> {
    let text = readable(text);
    let (text, more) = match text.char_indices().nth(SHOWN) {
        Some((end, _)) => (&text[..end], "..."),
        None => (&*text, ""),
    };
    let mut found = String::new();
    for character in text.chars() {
        let one = PyString::new(py, character.encode_utf8(&mut [0; 4]));
        if one.call_method0("isprintable")?.is_truthy()? {
            found.push(character);
        } else {
            let escaped = one.call_method1("encode", ("unicode_escape",))?;
            found.push_str(&String::from_utf8_lossy(escaped.extract::<&[u8]>()?));
        }
    }
    Ok(format!("`{found}{more}`"))
}

#[doc = stub!("field_rows")]
#[pyfunction]
#[pyo3(signature = (data, name, expected, counts, header, separator, /))]
#[expect(clippy::needless_pass_by_value, reason = "made for the call")]
pub fn field_rows<'py>(
    py: Python<'py>,
    data: &[u8],
    name: &str,
    expected: &str,
    counts: (usize, usize),
    header: Vec<Vec<String>>,
    separator: Option<char>,
) -> PyResult<Vec<(u64, Vec<Bound<'py, PyString>>)>> {
    let separator = separator.and_then(|one| u8::try_from(one).ok());
    let expected = Expected { name, what: expected, counts, header: &header, separator };
    let mut rows = Vec::new();
    for (number, fields) in expected.rows(py, data)? {
        rows.push((number, fields.into_iter().map(|one| text(py, one)).collect::<PyResult<_>>()?));
    }
    Ok(rows)
}

/// Values of which each key has one, and the line that it is in.
#[derive(Default)]
struct OneValue<'a>(HashMap<Vec<&'a [u8]>, (f64, u64)>);

impl<'a> OneValue<'a> {
    /// Whether a value is new; an error for another value of the key.
    fn add(
        &mut self,
        py: Python<'_>,
        expected: &Expected<'_>,
        key: Vec<&'a [u8]>,
        value: f64,
        line: u64,
        what: impl Fn() -> PyResult<String>,
    ) -> PyResult<bool> {
        match self.0.entry(key) {
            Entry::Vacant(entry) => {
                entry.insert((value, line));
                Ok(true)
            }
            Entry::Occupied(entry) => {
                let (first, earlier) = *entry.get();
                if first.total_cmp(&value).is_eq() || first == value {
                    return Ok(false);
                }
                let repr = |number| PyFloat::new(py, number).repr();
                let (value, first) = (repr(value)?, repr(first)?);
                let message = format!(
                    "expected one {}, found {value}, and {first} on line {earlier}",
                    what()?
                );
                Err(expected.wrong(Kind::Conflict, message, Some(line)))
            }
        }
    }
}

/// The dict under a topic.
fn of_topic<'py>(found: &Bound<'py, PyDict>, topic: &[u8]) -> PyResult<Bound<'py, PyDict>> {
    let topic = text(found.py(), topic)?;
    if let Some(known) = found.get_item(&topic)? {
        return Ok(known.cast_into::<PyDict>()?);
    }
    let own = PyDict::new(found.py());
    found.set_item(topic, &own)?;
    Ok(own)
}

/// The names of a column, as those of a header are compared.
fn names(usual: &[&str]) -> Vec<String> {
    usual.iter().map(|name| (*name).to_owned()).collect()
}

#[doc = stub!("document_values")]
#[pyfunction]
#[pyo3(signature = (data, name, kind, /))]
pub fn document_values<'py>(
    py: Python<'py>,
    data: &[u8],
    name: &str,
    kind: &str,
) -> PyResult<Bound<'py, PyDict>> {
    let (topic, document) = (names(Role::Topic.usual()), names(Role::Document.usual()));
    let lengths = names(&["length", "tokens", "chars", "n_tokens", "token_count"]);
    let (what, counts, header, separator) = match kind {
        "class" => {
            let what = "topic, document, optionally a level such as L2, and class";
            (what, (3, 4), Vec::new(), Some(b';'))
        }
        "cost" => {
            ("topic, document and cost", (3, 3), vec![topic, document, names(&["cost"])], None)
        }
        _ => ("document and length", (2, 2), vec![document, lengths], None),
    };
    let expected = Expected { name, what, counts, header: &header, separator };
    let (found, mut values) = (PyDict::new(py), OneValue::default());
    for row in expected.rows(py, data)? {
        let (number, fields) = &row;
        let last = fields[fields.len() - 1];
        let value = match kind {
            "class" => {
                check_level(py, &expected, &row)?;
                expected.number(py, &row, last, "a number of at least 0 as class", |n| n >= 0.0)?
            }
            "cost" => expected.number(py, &row, last, "a number above 0 as cost", |n| n > 0.0)?,
            _ => {
                let what = "a number of at least 0 as length";
                expected.number(py, &row, last, what, |n| n >= 0.0)?
            }
        };
        let key: Vec<&[u8]> = fields[..counts.0 - 1].to_vec();
        let what = || {
            let document = shown(py, key[key.len() - 1])?;
            Ok(match &key[..] {
                [topic, _] => {
                    format!("{kind} of document {document} of topic {}", shown(py, topic)?)
                }
                _ => format!("{kind} of document {document}"),
            })
        };
        if values.add(py, &expected, key.clone(), value, *number, what)? {
            let own = if key.len() > 1 { of_topic(&found, key[0])? } else { found.clone() };
            own.set_item(text(py, key[key.len() - 1])?, value)?;
        }
    }
    Ok(found)
}

/// An error for a level where none should be. NTCIREVAL's files of one topic have no topic:
/// document, level, class.
fn check_level(py: Python<'_>, expected: &Expected<'_>, row: &FieldRow<'_>) -> PyResult<()> {
    let (number, fields) = row;
    let has_level = fields.len() == 4;
    let level = fields[if has_level { 2 } else { 1 }];
    let is_level = level.len() > 1 && level[0] == b'L' && level[1..].iter().all(u8::is_ascii_digit);
    if is_level == has_level {
        return Ok(());
    }
    let (what, found) = (expected.what, shown(py, level)?);
    let message = format!("expected {what}, found {found} where a level stands");
    Err(expected.wrong(Kind::Fields, message, Some(*number)))
}

#[doc = stub!("intent_values")]
#[pyfunction]
#[pyo3(signature = (data, name, /))]
pub fn intent_values<'py>(
    py: Python<'py>,
    data: &[u8],
    name: &str,
) -> PyResult<(Bound<'py, PyDict>, Bound<'py, PyDict>)> {
    let what = "topic, intent, probability, optional nav or inf";
    let expected = Expected { name, what, counts: (3, 4), header: &[], separator: None };
    let (weights, navigational) = (PyDict::new(py), PyDict::new(py));
    let mut values = OneValue::default();
    for row in expected.rows(py, data)? {
        let (number, fields) = &row;
        let (topic, intent) = (fields[0], fields[1]);
        let last = fields.get(3).copied();
        if let Some(found) = last.filter(|last| !matches!(*last, b"nav" | b"inf")) {
            let found = shown(py, found)?;
            let message = format!("expected {what}, found {found} as the last field");
            return Err(expected.wrong(Kind::Fields, message, Some(*number)));
        }
        let wanted = "a probability of at least 0";
        let probability = expected.number(py, &row, fields[2], wanted, |number| number >= 0.0)?;
        if last == Some(b"nav") {
            of_topic(&navigational, topic)?.set_item(text(py, intent)?, py.None())?;
        }
        let named = || -> PyResult<String> {
            let (intent, topic) = (shown(py, intent)?, shown(py, topic)?);
            Ok(format!("probability of intent {intent} of topic {topic}"))
        };
        if values.add(py, &expected, vec![topic, intent], probability, *number, named)? {
            of_topic(&weights, topic)?.set_item(text(py, intent)?, probability)?;
        }
    }
    for (topic, intents) in navigational.clone().iter() {
        navigational.set_item(
            topic,
            PyList::new(py, intents.try_iter()?.collect::<PyResult<Vec<_>>>()?)?,
        )?;
    }
    Ok((weights, navigational))
}
