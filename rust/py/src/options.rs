//! Options as they are given: of the right type, or an error that names them.

use std::path::PathBuf;

use cranfield_core::error::Kind;
use cranfield_core::options::unknown_word;
use cranfield_core::read::Strictness;
use cranfield_core::read::run::RunLayout;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyString};

use crate::errors::{Tried, fail, instead, printed, raise, refused};
use crate::values::whole_number;

pub fn wrong(option: &str, expected: &str, found: &Bound<'_, PyAny>) -> PyErr {
    refused(Kind::Option, found, |found| format!("expected {expected} as {option}, found {found}"))
}

/// The text of an option.
pub fn text<'a>(given: &'a Bound<'_, PyAny>, option: &str) -> PyResult<&'a str> {
    let text = given.cast::<PyString>().map_err(|_| wrong(option, "text", given))?;
    text.to_str().map_err(|raised| {
        instead(given.py(), raised, || wrong(option, "text that can be written as UTF-8", given))
    })
}

/// One of several types, or `None`.
pub fn optional<'a, 'py, T>(
    given: &'a Bound<'py, PyAny>,
    then: impl FnOnce(&'a Bound<'py, PyAny>) -> PyResult<T>,
) -> PyResult<Option<T>> {
    if given.is_none() { Ok(None) } else { then(given).map(Some) }
}

/// Functions for arguments of these names, which are text.
macro_rules! texts {
    ($($option:ident)*) => {
        $(pub fn $option<'a>(given: &'a Bound<'_, PyAny>) -> PyResult<&'a str> {
            text(given, stringify!($option))
        })*
    };
}

/// Functions for arguments of these names, which are text or `None`.
macro_rules! optional_texts {
    ($($function:ident $option:literal)*) => {
        $(pub fn $function<'a>(given: &'a Bound<'_, PyAny>) -> PyResult<Option<&'a str>> {
            optional(given, |given| text(given, $option))
        })*
    };
}

texts! { name format form check assume topic document score prefix }

texts! { mode method of normalize ambiguous order }

optional_texts! {
    optional_name "name"
    offsets "offsets"
    optional_topic "topic"
    optional_document "document"
    optional_score "score"
    optional_grade "grade"
    label "label"
    layout "layout"
    optional_rank "rank"
    optional_chars "chars"
    optional_tokens "tokens"
    optional_cost "cost"
    optional_call "call"
    run_layout "run_layout"
}

/// The text of a measure.
pub fn measure<'a>(given: &'a Bound<'_, PyAny>) -> PyResult<&'a str> {
    let text = given.cast::<PyString>().map_err(|_| {
        refused(Kind::Type, given, |found| {
            format!("expected measures as text or values, found {found}")
        })
    })?;
    text.to_str().ok().ok_or_else(|| {
        refused(Kind::Measure, given, |found| {
            format!("expected a measure such as nDCG@10, found {found}")
        })
    })
}

/// A path to write to.
pub fn path(given: &Bound<'_, PyAny>) -> PyResult<PathBuf> {
    given.extract().map_err(|raised| instead(given.py(), raised, || wrong("path", "a path", given)))
}

/// Whether reading is lenient.
pub fn lenient(given: &Bound<'_, PyAny>) -> PyResult<bool> {
    flag(given, "lenient")
}

/// Whether the documents outside the judgments are kept.
pub fn keep_unjudged(given: &Bound<'_, PyAny>) -> PyResult<bool> {
    flag(given, "keep_unjudged")
}

/// A `bool`, Python's or numpy's.
pub fn flag(given: &Bound<'_, PyAny>, option: &str) -> PyResult<bool> {
    if given.is_instance_of::<PyBool>() {
        return given.extract();
    }
    let flag = given.extract().tried(given.py())?;
    flag.ok_or_else(|| wrong(option, "True or False", given))
}

/// A number; a `bool` is not one.
pub fn number(given: &Bound<'_, PyAny>, option: &str) -> PyResult<f64> {
    let number = if given.is_instance_of::<PyBool>() {
        None
    } else {
        given.extract::<f64>().tried(given.py())?
    };
    number.ok_or_else(|| wrong(option, "a number", given))
}

/// The lowest relevant grade, if it is given.
pub fn rel(given: &Bound<'_, PyAny>) -> PyResult<Option<f64>> {
    optional(given, |given| number(given, "rel"))
}

/// A whole number from 0 to `highest`.
pub fn below(given: &Bound<'_, PyAny>, option: &str, highest: u64) -> PyResult<u64> {
    let number = match whole_number(given)? {
        Some(whole) => whole.extract::<u64>().tried(given.py())?,
        None => None,
    };
    number.filter(|number| *number <= highest).ok_or_else(|| {
        let highest = if highest == u64::MAX { "2^64 - 1".into() } else { highest.to_string() };
        wrong(option, &format!("a whole number from 0 to {highest}"), given)
    })
}

/// One of the named values of an option.
pub fn choose<T: Copy>(option: &str, value: &str, known: &[(&str, T)]) -> PyResult<T> {
    let chosen = known.iter().find(|(name, _)| *name == value).map(|&(_, chosen)| chosen);
    chosen.ok_or_else(|| {
        let names: Vec<&str> = known.iter().map(|(name, _)| *name).collect();
        raise(&unknown_word(option, value, &names))
    })
}

pub fn strictness(lenient: bool) -> Strictness {
    if lenient { Strictness::Lenient } else { Strictness::Strict }
}

/// The layout of run files with a name.
pub fn run_layout_of(name: Option<&str>) -> PyResult<RunLayout> {
    let Some(name) = name else { return Ok(RunLayout::default()) };
    let known = RunLayout::names().filter_map(|name| Some((name, RunLayout::named(name)?)));
    choose("run_layout", name, &known.collect::<Vec<_>>())
}

/// A count given by a user: a whole number of at least 1, if it is given.
pub fn at_least_one(value: Option<&Bound<'_, PyAny>>, what: &str) -> PyResult<Option<u64>> {
    let Some(value) = value else { return Ok(None) };
    let Some(whole) = whole_number(value)? else {
        return Err(refused(Kind::Option, value, |found| {
            format!("expected a whole number as {what}, found {found}")
        }));
    };
    match whole.extract::<u64>().tried(value.py())? {
        Some(0) => Err(fail(Kind::Option, format!("expected a {what} of at least 1, found 0"))),
        Some(number) => Ok(Some(number)),
        None => {
            let (most, or) = if whole.gt(0)? { ("at most", u64::MAX) } else { ("at least", 1) };
            let found = printed(&whole)?;
            Err(fail(Kind::Option, format!("expected a {what} of {most} {or}, found {found}")))
        }
    }
}
