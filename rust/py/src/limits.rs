//! Limits on input files as Python sees them.

use cranfield_core::read::Limits as CoreLimits;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::codec::{self, Reduced};
use crate::options::{at_least_one, optional, wrong};

#[doc = stub!("Limits")]
#[pyclass(frozen, module = "cranfield._core", from_py_object)]
#[derive(Clone, Copy)]
pub struct Limits(pub CoreLimits);

#[pymethods]
impl Limits {
    #[new]
    #[pyo3(signature = (*, decompression_ratio = None, decompression_free = None, line_bytes = None))]
    fn new(
        decompression_ratio: Option<&Bound<'_, PyAny>>,
        decompression_free: Option<&Bound<'_, PyAny>>,
        line_bytes: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let usual = CoreLimits::default();
        let free = at_least_one(decompression_free, "decompression_free")?;
        let line = at_least_one(line_bytes, "line_bytes")?;
        Ok(Limits(CoreLimits {
            decompression_ratio: at_least_one(decompression_ratio, "decompression_ratio")?
                .unwrap_or(usual.decompression_ratio),
            decompression_free: free.unwrap_or(usual.decompression_free),
            line_bytes: line.map_or(usual.line_bytes, |line| line as usize),
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
    fn line_bytes(&self) -> usize {
        self.0.line_bytes
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Reduced<'py>> {
        let CoreLimits { decompression_ratio, decompression_free, line_bytes } = self.0;
        let state = (decompression_ratio, decompression_free, line_bytes);
        codec::reduced(py, "unpickled_limits", state)
    }

    fn __repr__(&self) -> String {
        let CoreLimits { decompression_ratio, decompression_free, line_bytes } = self.0;
        format!(
            "Limits(decompression_ratio={decompression_ratio}, decompression_free={decompression_free}, line_bytes={line_bytes})"
        )
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
    let (decompression_ratio, decompression_free, line_bytes): (u64, u64, usize) =
        codec::opened(parts)?;
    codec::ensure(decompression_ratio > 0 && decompression_free > 0 && line_bytes > 0)?;
    Ok(Limits(CoreLimits { decompression_ratio, decompression_free, line_bytes }))
}
