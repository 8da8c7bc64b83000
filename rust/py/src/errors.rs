//! Core errors as Python exceptions.

use cranfield_core::error::{Error as CoreError, Kind};
use pyo3::exceptions::{PyException, PyKeyboardInterrupt, PyValueError};
use pyo3::prelude::*;

pyo3::create_exception!(
    cranfield._core,
    Error,
    PyValueError,
    "The one error: what went wrong with an input (kind), and where (file, line, column)."
);

/// The exception for a core error, with its parts as attributes.
#[cold]
pub fn raise(error: &CoreError) -> PyErr {
    if error.kind() == Kind::Cancelled {
        return PyKeyboardInterrupt::new_err(());
    }
    Python::attach(|py| {
        let exception = Error::new_err(error.to_string());
        let place = error.place();
        let value = exception.value(py);
        let set = || -> PyResult<()> {
            value.setattr("kind", error.kind().name())?;
            value.setattr("message", error.message())?;
            value.setattr("command_line", error.command_line())?;
            value.setattr("file", &place.file)?;
            value.setattr("line", place.line)?;
            value.setattr("column", place.column)
        };
        set().err().unwrap_or(exception)
    })
}

/// An error of a kind without a place.
#[cold]
pub fn fail(kind: Kind, message: impl Into<String>) -> PyErr {
    raise(&CoreError::new(kind, message))
}

/// What to raise for what Python code raised: our own error, caused by that one.
/// What is no `Exception` (an interrupt, an exit) and what is our own already pass.
#[cold]
pub fn instead(py: Python<'_>, raised: PyErr, ours: impl FnOnce() -> PyErr) -> PyErr {
    if !raised.is_instance_of::<PyException>(py) || raised.is_instance_of::<Error>(py) {
        return raised;
    }
    let error = ours();
    error.set_cause(py, Some(raised));
    error
}

/// Results of Python code that may fail.
pub trait Tried<T> {
    /// The value, or `None` if an `Exception` was raised. What is no `Exception`
    /// (an interrupt, an exit) passes.
    fn tried(self, py: Python<'_>) -> PyResult<Option<T>>;
}

impl<T> Tried<T> for PyResult<T> {
    #[inline]
    fn tried(self, py: Python<'_>) -> PyResult<Option<T>> {
        match self {
            Ok(value) => Ok(Some(value)),
            Err(raised) if raised.is_instance_of::<PyException>(py) => Ok(None),
            Err(raised) => Err(raised),
        }
    }
}

/// Results of the core as results of the boundary.
pub trait OrRaise<T> {
    /// The value, or the exception for the error.
    fn or_raise(self) -> PyResult<T>;
}

impl<T> OrRaise<T> for Result<T, CoreError> {
    fn or_raise(self) -> PyResult<T> {
        self.map_err(|e| raise(&e))
    }
}
