//! Columns of numbers and ids as bytes.

use std::collections::HashSet;
use std::hash::Hash;

use cranfield_core::memory;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::PyBytes;

use super::{damaged, ensure};
use crate::errors::OrRaise;

/// A column of numbers as bytes.
pub type Packed<'py> = Bound<'py, PyBytes>;

pub fn numbers(py: Python<'_>, column: impl IntoIterator<Item = f64>) -> PyResult<Packed<'_>> {
    joined(py, column.into_iter().map(f64::to_le_bytes))
}

pub fn counts(py: Python<'_>, column: impl IntoIterator<Item = u32>) -> PyResult<Packed<'_>> {
    joined(py, column.into_iter().map(u32::to_le_bytes))
}

/// Items one after another, during which signals are heard.
fn joined<T: AsRef<[u8]>>(py: Python<'_>, items: impl Iterator<Item = T>) -> PyResult<Packed<'_>> {
    let mut bytes: Vec<u8> = Vec::new();
    for (place, item) in items.enumerate() {
        if place % UNWATCHED == 0 {
            py.check_signals()?;
        }
        bytes.extend_from_slice(item.as_ref());
    }
    Ok(PyBytes::new(py, &bytes))
}

/// After how many items signals are checked.
pub const UNWATCHED: usize = 1 << 16;

/// Grades and scores are stored as plain zero instead.
pub fn is_minus_zero(number: f64) -> bool {
    number.to_bits() == (-0.0f64).to_bits()
}

/// Whether all items are different.
pub fn distinct<T: Eq + Hash>(items: impl IntoIterator<Item = T>) -> bool {
    let mut seen = HashSet::new();
    items.into_iter().all(|item| seen.insert(item))
}

pub fn to_numbers(bytes: &[u8]) -> PyResult<Vec<f64>> {
    memory::room_for(bytes.len()).or_raise()?;
    let (numbers, rest) = bytes.as_chunks::<8>();
    if rest.is_empty() {
        return Ok(numbers.iter().map(|bytes| f64::from_le_bytes(*bytes)).collect());
    }
    Err(damaged())
}

/// A column of finite numbers.
pub fn to_finite(bytes: &[u8]) -> PyResult<Vec<f64>> {
    let numbers = to_numbers(bytes)?;
    ensure(numbers.iter().all(|number| number.is_finite()))?;
    Ok(numbers)
}

pub fn to_counts(bytes: &[u8]) -> PyResult<Vec<u32>> {
    memory::room_for(bytes.len()).or_raise()?;
    let (counts, rest) = bytes.as_chunks::<4>();
    if rest.is_empty() {
        return Ok(counts.iter().map(|bytes| u32::from_le_bytes(*bytes)).collect());
    }
    Err(damaged())
}

/// Ids one after another, and their lengths.
pub type PackedIds<T> = (T, T);

pub fn ids<'py, 'a>(
    py: Python<'py>,
    ids: impl Iterator<Item = &'a [u8]> + Clone,
) -> PyResult<PackedIds<Packed<'py>>> {
    Ok((joined(py, ids.clone())?, counts(py, ids.map(|id| id.len() as u32))?))
}

pub fn to_ids(packed: &PackedIds<PyBackedBytes>) -> PyResult<Vec<&[u8]>> {
    let mut rest: &[u8] = &packed.0;
    let mut ids = Vec::new();
    for length in to_counts(&packed.1)? {
        let (id, behind) = rest.split_at_checked(length as usize).ok_or_else(damaged)?;
        ids.push(id);
        rest = behind;
    }
    if rest.is_empty() { Ok(ids) } else { Err(damaged()) }
}

/// Ids that are all different.
pub fn to_labels(packed: &PackedIds<PyBackedBytes>) -> PyResult<Vec<Box<[u8]>>> {
    let ids = to_ids(packed)?;
    ensure(distinct(&ids))?;
    Ok(boxed(ids))
}

pub fn boxed(ids: Vec<&[u8]>) -> Vec<Box<[u8]>> {
    ids.into_iter().map(Into::into).collect()
}
