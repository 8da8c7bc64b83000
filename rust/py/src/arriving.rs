//! Runs whose lists a Python object hands over one after another, and bytes for Python to read.

use std::sync::{Arc, Mutex, PoisonError};

use cranfield_core::error::{Error as CoreError, Interface, Kind, Result};
use cranfield_core::evaluate::{ArrivingLists, Part, RunFile};
use cranfield_core::interrupt;
use cranfield_core::rank::Run as CoreRun;
use cranfield_core::read::{Limits as CoreLimits, Source};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyIterator};

use crate::errors::OrRaise;
use crate::limits::{self, Limits, limits_of};
use crate::options;
use crate::run::Run;
use crate::source::{Origin, Raised, unless_raised};
use crate::watch::interruptible;

/// An object with the methods `parts`, runs of whole topics one after another, and `run`, all
/// of them as one.
pub struct PythonLists {
    table: Py<PyAny>,
    parts: Option<Py<PyIterator>>,
}

impl PythonLists {
    /// The lists of an object, if it has any.
    pub fn of(object: &Bound<'_, PyAny>) -> PyResult<Option<Self>> {
        let has = object.hasattr("parts")? && object.hasattr("run")?;
        Ok(has.then(|| PythonLists { table: object.clone().unbind(), parts: None }))
    }
}

impl ArrivingLists for PythonLists {
    fn next(&mut self, anew: bool) -> Result<Option<Part>> {
        Python::attach(|py| {
            let mut next = || -> PyResult<Option<CoreRun>> {
                if anew || self.parts.is_none() {
                    let parts = self.table.bind(py).call_method0("parts")?;
                    self.parts = Some(parts.try_iter()?.unbind());
                }
                let parts = self.parts.as_ref().map(|parts| parts.bind(py).clone());
                let part = parts.and_then(|mut parts| parts.next()).transpose()?;
                part.map(|part| part.cast::<Run>()?.get().to_own(py)).transpose()
            };
            next().map(|run| run.map(|run| run.topics)).map_err(|raised| of_python(py, &raised))
        })
    }

    fn whole(&mut self) -> Result<CoreRun> {
        Python::attach(|py| {
            let run = || self.table.bind(py).call_method0("run")?.cast::<Run>()?.get().to_own(py);
            run().map_err(|raised| of_python(py, &raised))
        })
    }
}

/// A run in a place whose `open` gives a binary file, from the beginning at each call.
pub fn opened_again(place: Py<PyAny>, name: String, label: String) -> RunFile {
    let called = label.clone();
    let open = move |limits: &CoreLimits| {
        let opened = Python::attach(|py| {
            let file = place.bind(py).call_method0("open")?;
            Origin::of(&file)
        });
        let origin = opened.map_err(|raised| Python::attach(|py| of_python(py, &raised)))?;
        origin.source(&called, limits, &Raised::default())
    };
    RunFile::opened_by(name, label, Arc::new(open))
}

#[doc = stub!("check_interrupt")]
#[pyfunction]
pub fn check_interrupt() -> PyResult<()> {
    interrupt::check().or_raise()
}

/// What Python code raised as the core's error: with the parts that the error class has.
#[cold]
fn of_python(py: Python<'_>, raised: &PyErr) -> CoreError {
    let value = raised.value(py);
    let attribute = |name: &str| value.getattr(name).ok();
    let text = |name: &str| attribute(name).and_then(|found| found.extract::<String>().ok());
    let kind = text("kind");
    let kind = Kind::ALL.iter().find(|known| Some(known.name()) == kind.as_deref());
    let Some(kind) = kind else {
        return CoreError::new(Kind::Io, raised.to_string());
    };
    let message = text("message").unwrap_or_else(|| raised.to_string());
    let command_line = text("command_line");
    let mut error = CoreError::for_each(*kind, |to| match (to, &command_line) {
        (Interface::CommandLine, Some(own)) => own.clone(),
        _ => message.clone(),
    });
    if let Some(file) = text("file") {
        error = error.in_file(&file);
    }
    if let Some(line) = attribute("line").and_then(|line| line.extract::<u64>().ok()) {
        error = error.at_line(line);
    }
    error
}

#[doc = stub!("Unpacked")]
#[pyclass(frozen, module = "cranfield._core")]
pub struct Unpacked {
    source: Mutex<Source>,
    raised: Raised,
}

#[pymethods]
impl Unpacked {
    #[new]
    #[pyo3(signature = (source, /, *, label = None, limits = None, can_be_set = true))]
    fn new(
        py: Python<'_>,
        source: &Bound<'_, PyAny>,
        #[pyo3(from_py_with = options::label)] label: Option<&str>,
        #[pyo3(from_py_with = limits::limits)] limits: Option<Limits>,
        can_be_set: bool,
    ) -> PyResult<Self> {
        let limits = CoreLimits { can_be_set, ..limits_of(limits) };
        let raised = Raised::default();
        let origin = Origin::of(source)?;
        let open = || origin.source(label.unwrap_or("file"), &limits, &raised);
        let source = unless_raised(&raised, interruptible(py, open))?;
        Ok(Unpacked { source: Mutex::new(source), raised })
    }

    #[doc = stub!("Unpacked.read")]
    #[pyo3(signature = (size, /))]
    fn read<'py>(&self, py: Python<'py>, size: usize) -> PyResult<Bound<'py, PyBytes>> {
        let mut buffer = vec![0; size.min(LARGEST)];
        let read = interruptible(py, || {
            let mut source = self.source.lock().unwrap_or_else(PoisonError::into_inner);
            source.read(&mut buffer)
        });
        let filled = unless_raised(&self.raised, read)?;
        Ok(PyBytes::new(py, &buffer[..filled]))
    }
}

/// As much as one call reads.
const LARGEST: usize = 1 << 22;
