//! Pickles of judgments, runs, scores and measures: tuples of bytes and numbers with a checksum.
//! Columns are the bytes of their numbers, low byte first. A pickle is not a file format:
//! another version may refuse it.
//!
//! The checksum finds accidental damage. A pickle written on purpose can have a valid checksum,
//! so the rest is checked as well: a state that no object can have is an error.

pub mod measures;
pub mod qrels;
pub mod run;
pub mod scores;
mod packing;

use cranfield_core::error::Kind;
use cranfield_core::hash::lasting_hash;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyInt, PyList, PyString, PyTuple};

use crate::errors::fail;

/// What `__reduce__` returns: a function of this module and its arguments.
pub type Reduced<'py> = (Bound<'py, PyAny>, Bound<'py, PyTuple>);

pub fn reduced<'py, T>(py: Python<'py>, function: &str, state: T) -> PyResult<Reduced<'py>>
where
    T: IntoPyObject<'py, Target = PyTuple, Output = Bound<'py, PyTuple>, Error = PyErr>,
{
    let function = py.import("cranfield._core")?.getattr(function)?;
    let state = state.into_pyobject(py)?;
    let sum = checksum(state.as_any())?;
    Ok((function, (state, sum).into_pyobject(py)?))
}

/// The state among the arguments of a pickle, if its checksum is right.
pub fn opened<'py, T>(parts: &Bound<'py, PyTuple>) -> PyResult<T>
where
    T: for<'a> FromPyObject<'a, 'py>,
{
    let [state, sum] = parts.as_slice() else { return Err(damaged()) };
    // The checksum accepts exact built-in classes only, so from here on no method is
    // overridden and every length is true.
    let found = checksum(state)?;
    if sum.cast_exact::<PyInt>().ok().and_then(|sum| sum.extract().ok()) != Some(found) {
        return Err(damaged());
    }
    state.extract().map_err(|_| damaged())
}

#[doc = stub!("checksum")]
#[pyfunction]
#[pyo3(signature = (state, /))]
pub fn checksum(state: &Bound<'_, PyAny>) -> PyResult<u64> {
    let mut sum = 0;
    absorb(state, 0, &mut sum).ok_or_else(damaged)?;
    Ok(sum)
}

/// The deepest nesting of a state; a list that holds itself would have no end.
const DEEPEST: u32 = 8;

fn absorb(value: &Bound<'_, PyAny>, depth: u32, sum: &mut u64) -> Option<()> {
    let mut add = |kind: &[u8], bytes: &[u8]| {
        *sum = lasting_hash(lasting_hash(*sum, kind), bytes);
    };
    if let Ok(bytes) = value.cast_exact::<PyBytes>() {
        add(b"bytes", bytes.as_bytes());
    } else if let Ok(text) = value.cast_exact::<PyString>() {
        add(b"text", text.to_str().ok()?.as_bytes());
    } else if let Ok(number) = value.cast_exact::<PyInt>() {
        add(b"number", &number.extract::<u64>().ok()?.to_le_bytes());
    } else if let Ok(flag) = value.cast_exact::<PyBool>() {
        add(b"flag", &[u8::from(flag.is_true())]);
    } else if value.is_none() {
        add(b"none", b"");
    } else {
        let items: Vec<Bound<'_, PyAny>> = if let Ok(tuple) = value.cast_exact::<PyTuple>() {
            tuple.iter().collect()
        } else {
            value.cast_exact::<PyList>().ok()?.iter().collect()
        };
        add(b"items", &items.len().to_le_bytes());
        if depth == DEEPEST {
            return None;
        }
        items.iter().try_for_each(|item| absorb(item, depth + 1, sum))?;
    }
    Some(())
}

pub fn damaged() -> PyErr {
    fail(Kind::Type, "expected a pickle of this version, found a damaged one")
}

/// An error unless a condition holds that every object satisfies.
pub fn ensure(condition: bool) -> PyResult<()> {
    if condition { Ok(()) } else { Err(damaged()) }
}
