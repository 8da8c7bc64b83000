//! What Python's own output shares with the core's.

use std::path::PathBuf;

use cranfield_core::write;
use pyo3::prelude::*;

use crate::options;

#[doc = stub!("remove_remnants")]
#[pyfunction]
#[pyo3(signature = (folder, /))]
pub fn remove_remnants(py: Python<'_>, #[pyo3(from_py_with = options::path)] folder: PathBuf) {
    py.detach(|| write::remove_remnants(&folder));
}
