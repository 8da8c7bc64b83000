//! Where input is read from: a path, or a Python file object.

use std::io::{self, Read};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use cranfield_core::error::{Kind, Result};
use cranfield_core::read::lines::LineReader;
use cranfield_core::read::{Limits, Source};

use pyo3::exceptions::{PyException, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};

use crate::errors::{OrRaise, refused};
use crate::options;
use crate::watch::interruptible;

/// A Python file object as a reader; attached to the interpreter only while
/// it reads. What `read` raises is stored, to be raised unchanged.
struct PyReader {
    file: Py<PyAny>,
    raised: Raised,
}

/// What the `read` of a Python object raised that is not an error of the file.
pub type Raised = Arc<Mutex<Option<PyErr>>>;

impl Read for PyReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        Python::attach(|py| {
            let mut read = || -> PyResult<usize> {
                // A signal that arrived during parsing must not wait for a `read` that
                // blocks.
                py.check_signals()?;
                let data = self.file.bind(py).call_method1("read", (buffer.len(),))?;
                let bytes = data
                    .cast::<PyBytes>()
                    .map_err(|_| PyTypeError::new_err("expected a file opened in binary mode"))?
                    .as_bytes();
                if bytes.len() > buffer.len() {
                    return Err(PyTypeError::new_err("read(n) returned more than n bytes"));
                }
                buffer[..bytes.len()].copy_from_slice(bytes);
                Ok(bytes.len())
            };
            read().map_err(|error| {
                let failed = io::Error::other(readable(py, &error));
                if !error.is_instance_of::<PyException>(py) {
                    // An interrupt is not an error of the file.
                    self.raised.lock().unwrap_or_else(PoisonError::into_inner).replace(error);
                }
                failed
            })
        })
    }
}

/// The text of an exception; of this package's own its message, without the place.
fn readable(py: Python<'_>, error: &PyErr) -> String {
    let message = error.value(py).getattr("message").and_then(|found| found.extract::<String>());
    message.unwrap_or_else(|_| error.to_string())
}

/// A path, or a file object to read from.
pub enum Origin {
    /// A path.
    Path(PathBuf),
    /// An open file.
    Stream(Py<PyAny>),
}

impl Origin {
    /// From a Python object: a `str` is a path, an object with a `read` method a stream.
    pub fn of(source: &Bound<'_, PyAny>) -> PyResult<Self> {
        if source.is_instance_of::<PyString>() {
            return Ok(Origin::Path(options::path(source)?));
        }
        if source.hasattr("read")? {
            return Ok(Origin::Stream(source.clone().unbind()));
        }
        Err(refused(Kind::Type, source, |found| {
            format!("expected a path or a binary file, found {found}")
        }))
    }

    /// The bytes in it, unpacked. What a `read` raises is left in `raised`.
    pub fn source(self, label: &str, limits: &Limits, raised: &Raised) -> Result<Source> {
        match self {
            Origin::Path(path) => Source::open(&path, limits),
            Origin::Stream(file) => {
                let reader = PyReader { file, raised: Arc::clone(raised) };
                Source::from_reader(label, Box::new(reader), limits)
            }
        }
    }

    /// Reads it with the interpreter released. Errors call a stream by the label.
    pub fn read<T: Send>(
        self,
        py: Python<'_>,
        label: &str,
        limits: &Limits,
        read: impl FnOnce(LineReader) -> Result<T> + Send,
    ) -> PyResult<T> {
        let raised = Raised::default();
        let outcome = interruptible(py, || {
            read(LineReader::new(self.source(label, limits, &raised)?, limits))
        });
        unless_raised(&raised, outcome)
    }
}

/// The outcome, or what a `read` raised meanwhile.
pub fn unless_raised<T>(raised: &Raised, outcome: PyResult<Result<T>>) -> PyResult<T> {
    match raised.lock().unwrap_or_else(PoisonError::into_inner).take() {
        Some(error) => Err(error),
        None => outcome?.or_raise(),
    }
}
