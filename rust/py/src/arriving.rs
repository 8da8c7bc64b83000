//! Runs whose lists a Python object hands over one after another, and bytes for Python to read.

use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use cranfield_core::error::{Error as CoreError, Interface, Kind, Result};
use cranfield_core::evaluate::{ArrivingLists, Part, RunFile};
use cranfield_core::interrupt;
use cranfield_core::rank::Run as CoreRun;
use cranfield_core::read::{Compression, Limits as CoreLimits, Source};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyIterator, PyString};

use crate::errors::{OrRaise, raise};
use crate::limits::{self, Limits, limits_of};
use crate::options;
use crate::run::Run;
use crate::small_files::is_passed_over;
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

#[doc = stub!("is_packed")]
#[pyfunction]
#[pyo3(signature = (head, /))]
pub fn is_packed(head: &[u8]) -> bool {
    Compression::of(head) != Compression::None
}

#[doc = stub!("Unpacked")]
#[pyclass(frozen, module = "cranfield._core")]
pub struct Unpacked {
    source: Mutex<Source>,
    limits: CoreLimits,
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
        Ok(Unpacked { source: Mutex::new(source), limits, raised })
    }

    #[doc = stub!("Unpacked.read")]
    #[pyo3(signature = (size = None, /))]
    fn read<'py>(&self, py: Python<'py>, size: Option<usize>) -> PyResult<Bound<'py, PyBytes>> {
        let mut bytes = Vec::new();
        while self.more(py, &mut bytes, size.unwrap_or(LARGEST).min(LARGEST))? && size.is_none() {}
        Ok(PyBytes::new(py, &bytes))
    }

    #[doc = stub!("Unpacked.lines")]
    #[pyo3(signature = (name, errors, /))]
    fn lines(slf: Bound<'_, Self>, name: String, errors: String) -> TextLines {
        let state = LineState { bytes: Vec::new(), at: 0, number: 0, ended: false };
        TextLines { of: slf.unbind(), name, errors, state }
    }
}

impl Unpacked {
    /// Adds as many bytes at most; whether there were any.
    fn more(&self, py: Python<'_>, bytes: &mut Vec<u8>, most: usize) -> PyResult<bool> {
        let filled = bytes.len();
        bytes.resize(filled + most, 0);
        let read = interruptible(py, || {
            let mut source = self.source.lock().unwrap_or_else(PoisonError::into_inner);
            source.read(&mut bytes[filled..])
        });
        let read = unless_raised(&self.raised, read)?;
        bytes.truncate(filled + read);
        Ok(read > 0)
    }

    /// The error for a line that is too long.
    #[cold]
    fn too_long(&self) -> CoreError {
        let longest = self.limits.line_bytes;
        CoreError::for_each(Kind::Limit, |to| {
            if !self.limits.can_be_set {
                return format!("the line is longer than {longest} bytes");
            }
            let limit = to.option("line_bytes");
            format!(
                "the line is longer than the limit `{limit}` of {longest}; raise it if the line is \
                 meant to be that long"
            )
        })
    }
}

/// As much as one call reads.
const LARGEST: usize = 1 << 22;

/// As much as is read for lines at a time.
const BUFFER: usize = 1 << 20;

/// How far lines are read.
struct LineState {
    bytes: Vec<u8>,
    /// Where the next line begins in the bytes.
    at: usize,
    /// The number of the last line.
    number: u64,
    ended: bool,
}

impl LineState {
    /// The next line with its end; none behind the last.
    fn next(&mut self, py: Python<'_>, of: &Unpacked) -> PyResult<Option<Range<usize>>> {
        let mut searched = self.at;
        loop {
            if let Some(end) = self.bytes[searched..].iter().position(|byte| *byte == b'\n') {
                return Ok(Some(self.at..searched + end + 1));
            }
            searched = self.bytes.len();
            if self.ended || searched - self.at > of.limits.line_bytes {
                let rest = self.at..searched;
                return Ok(Some(rest).filter(|rest| !rest.is_empty()));
            }
            searched -= self.at;
            self.bytes.drain(..std::mem::take(&mut self.at));
            self.ended = !of.more(py, &mut self.bytes, BUFFER)?;
        }
    }
}

#[doc = stub!("TextLines")]
#[pyclass(module = "cranfield._core")]
pub struct TextLines {
    of: Py<Unpacked>,
    name: String,
    errors: String,
    state: LineState,
}

#[pymethods]
impl TextLines {
    fn __iter__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    fn __next__<'py>(&mut self, py: Python<'py>) -> PyResult<Option<(u64, Bound<'py, PyString>)>> {
        let (state, of) = (&mut self.state, self.of.get());
        while let Some(line) = state.next(py, of)? {
            state.at = line.end;
            state.number += 1;
            let placed =
                |error: CoreError| raise(&error.in_file(&*self.name).at_line(state.number));
            let mut bytes = &state.bytes[line];
            if bytes.strip_suffix(b"\n").unwrap_or(bytes).len() > of.limits.line_bytes {
                return Err(placed(of.too_long()));
            }
            if state.number == 1 {
                bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
            }
            let decoded = match std::str::from_utf8(bytes) {
                Ok(text) => PyString::new(py, text),
                Err(_) if self.errors == "strict" => {
                    let message = "expected text in UTF-8, found other bytes";
                    return Err(placed(CoreError::new(Kind::Binary, message)));
                }
                Err(_) => PyBytes::new(py, bytes)
                    .call_method1("decode", ("utf-8", &self.errors))?
                    .cast_into()?,
            };
            if bytes.is_empty() || !is_passed_over(bytes) {
                return Ok(Some((state.number, decoded)));
            }
        }
        Ok(None)
    }
}
