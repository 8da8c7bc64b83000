//! The boundary between Python and the core: conversion and nothing else.
//!
//! `inputs` turns Python objects into the core's; `measures`, `data` and
//! `evaluator` show the core's objects to Python, `outputs` its scores;
//! `errors` is the one place where a core error becomes a Python one. No
//! arithmetic and no policy is here. The interpreter is released around
//! everything that takes longer than a conversion.

#![allow(clippy::needless_pass_by_value, reason = "arguments arrive owned from Python")]

mod errors;
mod inputs;
mod measures;
mod data;
mod outputs;
mod evaluator;

use pyo3::prelude::*;

/// The compiled core of cranfield.
#[pymodule]
mod _core {
    use super::{Bound, PyModule, PyModuleMethods, PyResult};

    #[pymodule_export]
    use super::data::{Limits, Qrels, Run};
    #[pymodule_export]
    use super::errors::Error;
    #[pymodule_export]
    use super::evaluator::Evaluator;
    #[pymodule_export]
    use super::measures::{Measure, families, parse_measures};
    #[pymodule_export]
    use super::outputs::{Notes, Scores};

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
