//! `trec_eval`'s command line.

use std::io::Write;

use cranfield_core::terminal::Escapes;
use cranfield_core::trec_eval;
use cranfield_core::write::{stderr, stdout};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::watch::interruptible;

#[doc = stub!("run_trec_eval")]
#[pyfunction]
pub fn run_trec_eval(py: Python<'_>, arguments: Vec<Vec<u8>>) -> PyResult<u8> {
    interruptible(py, || {
        let (mut out, mut err) = (stdout()?, stderr());
        let code = trec_eval::run(&arguments, &mut out, &mut err);
        // If this fails, there is no way left to report it.
        let _ = err.flush();
        Ok(code)
    })?
}

#[doc = stub!("escaped")]
#[pyfunction]
#[pyo3(signature = (text, *, is_terminal, is_file))]
pub fn escaped<'py>(
    py: Python<'py>,
    text: &[u8],
    is_terminal: bool,
    is_file: bool,
) -> Bound<'py, PyBytes> {
    let escapes = Escapes::of(is_terminal, is_file);
    let shown = if is_terminal { escapes.emboldened(text).into() } else { escapes.shown(text) };
    PyBytes::new(py, &shown)
}

#[doc = stub!("captured_trec_eval")]
#[pyfunction]
pub fn captured_trec_eval(
    py: Python<'_>,
    arguments: Vec<Vec<u8>>,
) -> PyResult<(u8, Bound<'_, PyBytes>, Bound<'_, PyBytes>)> {
    let (code, out, err) = interruptible(py, || {
        let (mut out, mut err) = (Vec::new(), Vec::new());
        let code = trec_eval::run(&arguments, &mut out as &mut dyn Write, &mut err);
        (code, out, err)
    })?;
    Ok((code, PyBytes::new(py, &out), PyBytes::new(py, &err)))
}
