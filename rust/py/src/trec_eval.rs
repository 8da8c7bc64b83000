//! `trec_eval`'s command line.

use std::io::{self, BufWriter, Write};

use cranfield_core::trec_eval;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

#[doc = stub!("run_trec_eval")]
#[pyfunction]
pub fn run_trec_eval(py: Python<'_>, arguments: Vec<Vec<u8>>) -> u8 {
    py.detach(|| {
        let mut out = BufWriter::with_capacity(1 << 16, io::stdout().lock());
        trec_eval::run(&arguments, &mut out, &mut io::stderr().lock())
    })
}

#[doc = stub!("captured_trec_eval")]
#[pyfunction]
pub fn captured_trec_eval(
    py: Python<'_>,
    arguments: Vec<Vec<u8>>,
) -> (u8, Bound<'_, PyBytes>, Bound<'_, PyBytes>) {
    let (code, out, err) = py.detach(|| {
        let (mut out, mut err) = (Vec::new(), Vec::new());
        let code = trec_eval::run(&arguments, &mut out as &mut dyn Write, &mut err);
        (code, out, err)
    });
    (code, PyBytes::new(py, &out), PyBytes::new(py, &err))
}
