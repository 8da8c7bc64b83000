//! Tables for Python: which column holds what, which form begins so, and the rows of text.

use std::sync::{Mutex, PoisonError};

use cranfield_core::error::{Error, Kind, Result};
use cranfield_core::read::tables::columns::{RunColumns, place, places_of};
use cranfield_core::read::tables::{Role, TextTable as CoreTextTable, columns, form_of};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString, PyTuple};

use crate::errors::{OrRaise, fail};
use crate::ids::{id_bytes, texts};
use crate::limits::{self, Limits, limits_of};
use crate::options::{self, at_least_one};
use crate::qrels::{DOCUMENTS, Qrels};
use crate::run::Run;
use crate::source::{Origin, Raised, unless_raised};
use crate::watch::interruptible;

/// The names of columns; what no text can be written with is replaced.
fn names_of(given: &[Bound<'_, PyString>]) -> Vec<String> {
    given.iter().map(|name| name.to_string_lossy().into_owned()).collect()
}

fn role_of(name: &str) -> PyResult<Role> {
    Role::named(name).ok_or_else(|| fail(Kind::Option, format!("no kind of column {name}")))
}

/// {kind: column} of columns that have other than the usual names.
fn given_of(columns: &Bound<'_, PyDict>) -> PyResult<Vec<(Role, String)>> {
    let pair = |(kind, column): (Bound<'_, PyAny>, Bound<'_, PyAny>)| {
        let name = column.cast::<PyString>()?.to_string_lossy().into_owned();
        Ok((role_of(kind.extract()?)?, name))
    };
    columns.iter().map(pair).collect()
}

#[doc = stub!("run_columns")]
#[pyfunction]
#[pyo3(signature = (names, *given))]
#[expect(clippy::needless_pass_by_value, reason = "made for the call")]
pub fn run_columns(
    names: Vec<Bound<'_, PyString>>,
    given: Vec<Option<String>>,
) -> PyResult<RunColumns<usize>> {
    let mut named = RunColumns::default();
    named.iter_mut().zip(&given).for_each(|(named, given)| *named = given.as_deref());
    columns::run_columns(&names_of(&names), named).or_raise()
}

#[doc = stub!("qrels_columns")]
#[pyfunction]
#[pyo3(signature = (names, topic = None, document = None, grade = None))]
#[expect(clippy::needless_pass_by_value, reason = "made for the call")]
pub fn qrels_columns(
    names: Vec<Bound<'_, PyString>>,
    topic: Option<&str>,
    document: Option<&str>,
    grade: Option<&str>,
) -> PyResult<[Option<usize>; 3]> {
    columns::qrels_columns(&names_of(&names), [topic, document, grade]).or_raise()
}

#[doc = stub!("column_place")]
#[pyfunction]
#[pyo3(signature = (names, kind, /))]
#[expect(clippy::needless_pass_by_value, reason = "made for the call")]
pub fn column_place(names: Vec<Bound<'_, PyString>>, kind: &str) -> PyResult<Option<usize>> {
    place(&names_of(&names), None, role_of(kind)?).or_raise()
}

#[doc = stub!("table_columns")]
#[pyfunction]
#[pyo3(signature = (names, columns, value, /))]
#[expect(clippy::needless_pass_by_value, reason = "made for the call")]
pub fn table_columns<'py>(
    py: Python<'py>,
    names: Vec<Bound<'py, PyString>>,
    columns: &Bound<'py, PyDict>,
    value: &str,
) -> PyResult<Bound<'py, PyDict>> {
    let places = places_of(&names_of(&names), &given_of(columns)?, role_of(value)?).or_raise()?;
    let found = PyDict::new(py);
    for (role, place) in Role::ALL.into_iter().zip(places) {
        if let Some(place) = place {
            found.set_item(role.name(), place)?;
        }
    }
    Ok(found)
}

#[doc = stub!("table_form")]
#[pyfunction]
#[pyo3(signature = (head, columns, /))]
pub fn table_form(head: &[u8], columns: &Bound<'_, PyDict>) -> PyResult<Option<&'static str>> {
    Ok(form_of(head, &given_of(columns)?))
}

#[doc = stub!("TextTable")]
#[pyclass(frozen, module = "cranfield._core")]
pub struct TextTable {
    table: Mutex<CoreTextTable>,
    label: String,
    raised: Raised,
}

#[pymethods]
impl TextTable {
    #[new]
    #[pyo3(signature = (source, form, /, *, label, columns, value, limits = None, run = None))]
    #[expect(clippy::too_many_arguments, reason = "keywords")]
    fn new(
        py: Python<'_>,
        source: &Bound<'_, PyAny>,
        form: &str,
        #[pyo3(from_py_with = options::label)] label: Option<&str>,
        columns: &Bound<'_, PyDict>,
        value: &str,
        #[pyo3(from_py_with = limits::limits)] limits: Option<Limits>,
        run: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let (limits, raised) = (limits_of(limits), Raised::default());
        let (given, value) = (given_of(columns)?, role_of(value)?);
        let run = run.map(id_bytes).transpose()?;
        let (origin, label) = (Origin::of(source)?, label.unwrap_or("<stream>").to_string());
        let open = || origin.source(&label, &limits, &raised);
        let source = unless_raised(&raised, interruptible(py, open))?;
        let table = CoreTextTable::new(source, form, &given, value, &limits);
        let table = table.ok_or_else(|| fail(Kind::Option, format!("no table of text: {form}")))?;
        Ok(TextTable { table: Mutex::new(table.of_run(run)), label, raised })
    }

    fn __iter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    #[doc = stub!("TextTable.__next__")]
    fn __next__(&self, py: Python<'_>) -> PyResult<Option<Run>> {
        self.read(py, CoreTextTable::next_topics).map(|run| run.map(Run::of))
    }

    #[doc = stub!("TextTable.run")]
    fn run(&self, py: Python<'_>) -> PyResult<Option<Run>> {
        self.read(py, CoreTextTable::run).map(|run| run.map(Run::of))
    }

    #[doc = stub!("TextTable.qrels")]
    #[pyo3(signature = (docs_in_collection = None))]
    fn qrels(
        &self,
        py: Python<'_>,
        docs_in_collection: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Option<Qrels>> {
        let documents = at_least_one(docs_in_collection, DOCUMENTS)?;
        let read = |table: &mut CoreTextTable| table.judgments(documents);
        self.read(py, read).map(|qrels| qrels.map(Qrels::built))
    }

    #[doc = stub!("TextTable.run_names")]
    fn run_names<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let names = self.read(py, CoreTextTable::run_names)?;
        texts(py, names.iter().map(|name| &**name))
    }
}

impl TextTable {
    /// Reads with the interpreter released.
    fn read<T: Send>(
        &self,
        py: Python<'_>,
        read: impl FnOnce(&mut CoreTextTable) -> Result<T> + Send,
    ) -> PyResult<T> {
        let outcome = interruptible(py, || {
            let mut table = self.table.lock().unwrap_or_else(PoisonError::into_inner);
            read(&mut table).map_err(|error: Error| error.in_file(&self.label))
        });
        unless_raised(&self.raised, outcome)
    }
}
