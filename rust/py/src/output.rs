//! Python's own output, written as the core writes.

use std::io::Write;
use std::path::PathBuf;

use cranfield_core::error::Result;
use cranfield_core::layout::TextRows;
use cranfield_core::write::Output;
use pyo3::prelude::*;

use crate::errors::OrRaise;
use crate::options;
use crate::watch::interruptible;

#[doc = stub!("write_file")]
#[pyfunction]
#[pyo3(signature = (path, data, /))]
pub fn write_file(
    py: Python<'_>,
    #[pyo3(from_py_with = options::path)] path: PathBuf,
    data: &[u8],
) -> PyResult<()> {
    let write = || -> Result<()> {
        let mut output = Output::of_bytes(&path)?;
        // The output keeps what goes wrong, and says it when it is committed.
        let _ = output.write_all(data);
        output.commit()
    };
    interruptible(py, write)?.or_raise()
}

#[doc = stub!("table_parts")]
#[pyfunction]
#[pyo3(signature = (rows, left, width = None, *, labels = None, belongs = None))]
pub fn table_parts(
    rows: Vec<Vec<String>>,
    left: usize,
    width: Option<usize>,
    labels: Option<usize>,
    belongs: Option<Vec<bool>>,
) -> Vec<Vec<String>> {
    let (labels, belongs) = (labels.unwrap_or(left), belongs.unwrap_or_default());
    TextRows { rows, left, labels, width, belongs }.parts()
}
