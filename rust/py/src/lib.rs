//! The boundary between Python and the core: conversion and nothing else.
//!
//! `inputs` turns Python objects into the core's, `classes` shows the core's
//! objects to Python, `outputs` makes arrays and tables of scores, `errors`
//! is the one place where a core error becomes a Python one. No arithmetic
//! and no policy is here. The interpreter is released around everything that
//! takes longer than a conversion.

mod errors;
mod inputs;
mod classes;
mod outputs;

use pyo3::prelude::*;

/// The compiled core of cranfield.
#[pymodule]
mod _core {
    use super::{Bound, PyModule, PyModuleMethods, PyResult};

    #[pymodule_export]
    use super::classes::{Evaluator, Limits, Measure, Qrels, Run, families, parse_measures};
    #[pymodule_export]
    use super::errors::Error;
    #[pymodule_export]
    use super::outputs::{Notes, Scores};

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
