//! Options of functions written in Python: of the right type, or an error that names them.

use cranfield_core::error::Kind;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyByteArray, PyBytes, PyInt, PyString};

use crate::errors::{Tried, fail, instead};

/// Any object.
pub type Any<'py> = Bound<'py, PyAny>;

/// How many characters of a value a message repeats.
const SHOWN: usize = 100;

/// A value for a message: its `repr`, cut short, or its type if that fails.
#[pyfunction]
#[pyo3(signature = (value, /))]
pub fn shown(value: &Any<'_>) -> PyResult<String> {
    let kind = kind_of(value);
    let Some(text) = value.repr().tried(value.py())? else {
        let bits = value.cast::<PyInt>().ok().and_then(|n| n.call_method0("bit_length").ok());
        return Ok(bits.map_or(format!("a {kind}"), |bits| format!("{kind} of {bits} bits")));
    };
    Ok(short(&text.to_string_lossy()))
}

/// A label as a message repeats it.
pub fn short(text: &str) -> String {
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.to_owned(),
    }
}

pub fn kind_of(value: &Any<'_>) -> String {
    value.get_type().name().map_or("object".into(), |name| name.to_string())
}

#[cold]
fn wrong(value: &Any<'_>, name: &str, expected: &str) -> PyErr {
    shown(value).map_or_else(
        |raised| raised,
        |found| fail(Kind::Option, format!("expected {expected} as {name}, found {found}")),
    )
}

/// The same, with what Python raised as its cause.
#[cold]
fn because(raised: PyErr, value: &Any<'_>, name: &str, expected: &str) -> PyErr {
    instead(value.py(), raised, || wrong(value, name, expected))
}

/// An integer of 64 bits, not a `bool`, not below `least` nor above `most`.
#[pyfunction]
#[pyo3(signature = (value, name, least=None, most=None))]
pub fn whole<'py>(
    value: &Any<'py>,
    name: &str,
    least: Option<i64>,
    most: Option<i64>,
) -> PyResult<Any<'py>> {
    if value.is_instance_of::<PyBool>() {
        return Err(wrong(value, name, "a whole number of 64 bits"));
    }
    let found = if value.is_exact_instance_of::<PyInt>() {
        value.clone()
    } else {
        let index = value.py().import("operator")?.getattr("index")?;
        index.call1((value,)).map_err(|e| because(e, value, name, "a whole number"))?
    };
    let number = match found.extract::<i64>().tried(value.py())? {
        Some(number) => i128::from(number),
        None => found.extract::<u64>().tried(value.py())?.map_or(i128::MAX, i128::from),
    };
    if !(i128::from(i64::MIN)..=i128::from(u64::MAX)).contains(&number) {
        return Err(wrong(value, name, "a whole number of 64 bits"));
    }
    let bounds = [(least, "least", number < least.map_or(number, i128::from))];
    let bounds =
        bounds.into_iter().chain([(most, "most", number > most.map_or(number, i128::from))]);
    for (bound, which, is_beyond) in bounds {
        if let (Some(bound), true) = (bound, is_beyond) {
            return Err(wrong(value, name, &format!("a whole number of at {which} {bound}")));
        }
    }
    Ok(found)
}

/// A finite number, neither text nor a `bool`.
#[pyfunction]
pub fn number(value: &Any<'_>, name: &str) -> PyResult<f64> {
    let is_text = value.is_instance_of::<PyString>()
        || value.is_instance_of::<PyBytes>()
        || value.is_instance_of::<PyByteArray>()
        || value.is_instance_of::<PyBool>();
    let found =
        if is_text { Err(PyTypeError::new_err(kind_of(value))) } else { value.extract::<f64>() };
    let found = found.map_err(|raised| because(raised, value, name, "a number"))?;
    if found.is_finite() { Ok(found) } else { Err(wrong(value, name, "a finite number")) }
}

/// `True` or `False`, Python's or numpy's.
#[pyfunction]
pub fn flag(value: &Any<'_>, name: &str) -> PyResult<bool> {
    if value.is_instance_of::<PyBool>() || matches!(&*kind_of(value), "bool" | "bool_") {
        return value.is_truthy();
    }
    Err(wrong(value, name, "True or False"))
}

/// Text that can be written as UTF-8.
#[pyfunction]
pub fn text<'py>(value: &Any<'py>, name: &str) -> PyResult<Any<'py>> {
    let text = value.cast::<PyString>().map_err(|_| wrong(value, name, "text"))?;
    match text.to_str() {
        Ok(_) => Ok(value.clone()),
        Err(raised) => Err(because(raised, value, name, "text that can be written as UTF-8")),
    }
}

/// What can be a key of a dict.
#[pyfunction]
pub fn hashable<'py>(value: &Any<'py>, name: &str) -> PyResult<Any<'py>> {
    match value.hash() {
        Ok(_) => Ok(value.clone()),
        Err(raised) => Err(because(raised, value, name, "labels that have a hash")),
    }
}
