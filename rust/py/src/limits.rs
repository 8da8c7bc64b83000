//! Limits on input files as Python sees them.

use std::sync::atomic::{AtomicU64, Ordering};

use cranfield_core::read::{Expanded, Limits as CoreLimits};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::codec::{self, Reduced};
use crate::errors::OrRaise;
use crate::options::{at_least_one, optional, wrong};

#[doc = stub!("Limits")]
#[pyclass(frozen, module = "cranfield._core", from_py_object)]
#[derive(Clone, Copy)]
pub struct Limits(pub CoreLimits);

#[pymethods]
impl Limits {
    #[new]
    #[pyo3(signature = (
        *, decompression_ratio = None, decompression_free = None, decompressed_bytes = None,
        decompressed_call_bytes = None, line_bytes = None
    ))]
    fn new(
        decompression_ratio: Option<&Bound<'_, PyAny>>,
        decompression_free: Option<&Bound<'_, PyAny>>,
        decompressed_bytes: Option<&Bound<'_, PyAny>>,
        decompressed_call_bytes: Option<&Bound<'_, PyAny>>,
        line_bytes: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let usual = CoreLimits::default();
        let or = |given, name, usual| Ok::<_, PyErr>(at_least_one(given, name)?.unwrap_or(usual));
        Ok(Limits(CoreLimits {
            decompression_ratio: or(
                decompression_ratio,
                "decompression_ratio",
                usual.decompression_ratio,
            )?,
            decompression_free: or(
                decompression_free,
                "decompression_free",
                usual.decompression_free,
            )?,
            decompressed_bytes: or(
                decompressed_bytes,
                "decompressed_bytes",
                usual.decompressed_bytes,
            )?,
            decompressed_call_bytes: or(
                decompressed_call_bytes,
                "decompressed_call_bytes",
                usual.decompressed_call_bytes,
            )?,
            line_bytes: or(line_bytes, "line_bytes", usual.line_bytes as u64)? as usize,
            can_be_set: true,
        }))
    }

    #[getter]
    fn decompression_ratio(&self) -> u64 {
        self.0.decompression_ratio
    }

    #[getter]
    fn decompression_free(&self) -> u64 {
        self.0.decompression_free
    }

    #[getter]
    fn decompressed_bytes(&self) -> u64 {
        self.0.decompressed_bytes
    }

    #[getter]
    fn decompressed_call_bytes(&self) -> u64 {
        self.0.decompressed_call_bytes
    }

    #[getter]
    fn line_bytes(&self) -> usize {
        self.0.line_bytes
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Reduced<'py>> {
        let [ratio, free, bytes, call, line] = self.numbers();
        codec::reduced(py, "unpickled_limits", (ratio, free, bytes, call, line))
    }

    fn __repr__(&self) -> String {
        let [ratio, free, bytes, call, line] = self.numbers();
        format!(
            "Limits(decompression_ratio={ratio}, decompression_free={free}, decompressed_bytes={bytes}, decompressed_call_bytes={call}, line_bytes={line})"
        )
    }
}

impl Limits {
    /// The limits in the order of the keywords.
    fn numbers(&self) -> [u64; 5] {
        let CoreLimits {
            decompression_ratio,
            decompression_free,
            decompressed_bytes,
            decompressed_call_bytes,
            line_bytes,
            can_be_set: _,
        } = self.0;
        [
            decompression_ratio,
            decompression_free,
            decompressed_bytes,
            decompressed_call_bytes,
            line_bytes as u64,
        ]
    }
}

#[doc = stub!("Expansion")]
#[pyclass(frozen, module = "cranfield._core")]
pub struct Expansion {
    data: String,
    label: String,
    limits: CoreLimits,
    taken: u64,
    delivered: AtomicU64,
}

#[pymethods]
impl Expansion {
    #[new]
    #[pyo3(signature = (taken, /, *, data, label, limits = None))]
    fn new(
        taken: u64,
        data: String,
        label: String,
        #[pyo3(from_py_with = limits)] limits: Option<Limits>,
    ) -> Self {
        Expansion { data, label, limits: limits_of(limits), taken, delivered: AtomicU64::new(0) }
    }

    #[doc = stub!("Expansion.add")]
    #[pyo3(signature = (more, /))]
    fn add(&self, more: u64) -> PyResult<()> {
        let before = self.delivered.fetch_add(more, Ordering::Relaxed);
        let delivered = before.saturating_add(more);
        let expanded = Expanded { taken: self.taken, delivered, of_call: delivered };
        let exceeded = self.limits.exceeded(&self.data, expanded);
        exceeded.map_or(Ok(()), |error| Err(error.in_file(&self.label))).or_raise()
    }
}

pub fn limits_of(limits: Option<Limits>) -> CoreLimits {
    limits.map_or_else(CoreLimits::default, |limits| limits.0)
}

/// The option `limits`: `Limits`, or `None`.
pub fn limits(given: &Bound<'_, PyAny>) -> PyResult<Option<Limits>> {
    let limits = |given: &Bound<'_, PyAny>| {
        given
            .cast::<Limits>()
            .map(|limits| *limits.get())
            .map_err(|_| wrong("limits", "Limits", given))
    };
    optional(given, limits)
}

#[doc = stub!("unpickled_limits")]
#[pyfunction]
#[pyo3(signature = (*parts))]
pub fn unpickled_limits(parts: &Bound<'_, PyTuple>) -> PyResult<Limits> {
    type LimitsState = (u64, u64, u64, u64, u64);
    let (ratio, free, bytes, call, line): LimitsState = codec::opened(parts)?;
    codec::ensure([ratio, free, bytes, call, line].iter().all(|&limit| limit > 0))?;
    Ok(Limits(CoreLimits {
        decompression_ratio: ratio,
        decompression_free: free,
        decompressed_bytes: bytes,
        decompressed_call_bytes: call,
        line_bytes: line as usize,
        can_be_set: true,
    }))
}
