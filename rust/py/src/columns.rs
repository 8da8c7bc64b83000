//! Runs that stay in borrowed columns: numpy arrays and Arrow columns, read in place.

use arrow_array::ArrayRef;
use arrow_array::cast::AsArray;
use arrow_array::types::{Float32Type, Float64Type, Int32Type, Int64Type, UInt32Type, UInt64Type};
use arrow_schema::DataType;
use cranfield_core::error::{Kind, Result};
use cranfield_core::memory;
use cranfield_core::rank::Run as CoreRun;
use cranfield_core::rank::arrays::{
    Arrays, Check, IdColumn, ListArrays, Promise, ScoreColumn, Texts,
};
use numpy::ndarray::Axis;
use numpy::{Element, PyArrayDyn, PyArrayMethods, PyReadonlyArrayDyn, PyUntypedArrayMethods};
use pyo3::prelude::*;

use crate::errors::{OrRaise, fail};
use crate::watch::interruptible;

/// A run in columns: for each topic some rows of them.
pub struct ColumnRun {
    /// The topics in order, each once.
    pub topics: Vec<(Box<[u8]>, Rows)>,
    /// The columns that topics have rows in; within each all are of the same length.
    pub parts: Vec<Columns>,
    /// Which repeated documents are checked for.
    pub check: Check,
    /// Whether -1 stands for no document.
    pub padded: bool,
    /// What of the lists need not be looked at.
    pub promise: Promise,
}

impl ColumnRun {
    /// A run of which nothing is promised.
    pub fn of(topics: Vec<(Box<[u8]>, Rows)>, parts: Vec<Columns>) -> Self {
        ColumnRun {
            topics,
            parts,
            check: Check::Judged,
            padded: false,
            promise: Promise::default(),
        }
    }
}

/// The rows of a topic: where in which columns, and in which of their rows if they are
/// matrices.
#[derive(Clone, Copy)]
pub struct Rows {
    pub columns: usize,
    pub row: usize,
    pub start: usize,
    pub end: usize,
}

/// Documents and their scores.
pub struct Columns {
    pub documents: Documents,
    pub scores: ColumnScores,
    /// Their ranks, if there are any.
    pub ranks: Option<Vec<f64>>,
    /// How many texts make a row, if they are from a matrix.
    pub width: usize,
}

/// A borrowed array. Its owner can change its shape or type at any time, so both are checked at
/// each use.
pub struct BorrowedArray<T: Element> {
    array: Py<PyArrayDyn<T>>,
    /// Its name in errors.
    what: &'static str,
    shape: Vec<usize>,
    strides: Vec<isize>,
}

impl<T: Element> BorrowedArray<T> {
    /// An array of one or two dimensions whose rows are contiguous.
    pub fn of(array: &Bound<'_, PyArrayDyn<T>>, what: &'static str) -> Self {
        let (shape, strides) = (array.shape().to_vec(), array.strides().to_vec());
        BorrowedArray { array: array.clone().unbind(), what, shape, strides }
    }

    fn borrow<'py>(&self, py: Python<'py>) -> PyResult<PyReadonlyArrayDyn<'py, T>> {
        let array = self.array.bind(py).as_any();
        if let Ok(array) = array.cast::<PyArrayDyn<T>>()
            && array.shape() == self.shape
            && array.strides() == self.strides
            && array.data().is_aligned()
        {
            return Ok(array.readonly());
        }
        let (shape, dtype) = (array.getattr("shape")?, array.getattr("dtype")?);
        let message = format!(
            "expected {} of shape {} and type {} as when the run was made, found shape {shape} and type {dtype}: make the run again",
            self.what,
            pyo3::types::PyTuple::new(py, &self.shape)?,
            T::get_dtype(py)
        );
        Err(fail(Kind::Type, message))
    }
}

/// A column of ids. An array of one dimension counts as one row.
pub enum Documents {
    I32(BorrowedArray<i32>),
    I64(BorrowedArray<i64>),
    U32(BorrowedArray<u32>),
    U64(BorrowedArray<u64>),
    /// Integers of 32 or 64 bits.
    Arrow(ArrayRef),
    Text(Box<dyn Texts + Send>),
}

/// A column of scores.
pub enum ColumnScores {
    F32(BorrowedArray<f32>),
    F64(BorrowedArray<f64>),
    /// In single or double precision.
    Arrow(ArrayRef),
    Owned(Vec<f64>),
}

/// A run whose arrays are borrowed for reading.
pub struct BorrowedRun<'a, 'py> {
    run: &'a ColumnRun,
    name: &'a str,
    parts: Vec<(BorrowedDocuments<'a, 'py>, BorrowedScores<'a, 'py>)>,
}

enum BorrowedDocuments<'a, 'py> {
    I32(PyReadonlyArrayDyn<'py, i32>),
    I64(PyReadonlyArrayDyn<'py, i64>),
    U32(PyReadonlyArrayDyn<'py, u32>),
    U64(PyReadonlyArrayDyn<'py, u64>),
    Flat(IdColumn<'a>),
}

enum BorrowedScores<'a, 'py> {
    F32(PyReadonlyArrayDyn<'py, f32>),
    F64(PyReadonlyArrayDyn<'py, f64>),
    Flat(ScoreColumn<'a>),
}

impl ColumnRun {
    /// Borrows its arrays for reading, under a name. An array whose shape or type has changed
    /// is an error.
    pub fn borrow<'a, 'py>(
        &'a self,
        py: Python<'py>,
        name: &'a str,
    ) -> PyResult<BorrowedRun<'a, 'py>> {
        let documents = |documents: &'a Documents| -> PyResult<BorrowedDocuments<'a, 'py>> {
            Ok(match documents {
                Documents::I32(array) => BorrowedDocuments::I32(array.borrow(py)?),
                Documents::I64(array) => BorrowedDocuments::I64(array.borrow(py)?),
                Documents::U32(array) => BorrowedDocuments::U32(array.borrow(py)?),
                Documents::U64(array) => BorrowedDocuments::U64(array.borrow(py)?),
                Documents::Arrow(array) => BorrowedDocuments::Flat(integers(array)),
                Documents::Text(texts) => BorrowedDocuments::Flat(IdColumn::Text(&**texts, 0)),
            })
        };
        let scores = |scores: &'a ColumnScores| -> PyResult<BorrowedScores<'a, 'py>> {
            Ok(match scores {
                ColumnScores::F32(array) => BorrowedScores::F32(array.borrow(py)?),
                ColumnScores::F64(array) => BorrowedScores::F64(array.borrow(py)?),
                ColumnScores::Arrow(array) => BorrowedScores::Flat(score_column(array)),
                ColumnScores::Owned(scores) => BorrowedScores::Flat(ScoreColumn::F64(scores)),
            })
        };
        let borrowed =
            |columns: &'a Columns| Ok((documents(&columns.documents)?, scores(&columns.scores)?));
        let parts: PyResult<_> = self.parts.iter().map(borrowed).collect();
        Ok(BorrowedRun { run: self, name, parts: parts? })
    }

    /// The number of lines.
    pub fn lines(&self, py: Python<'_>) -> PyResult<usize> {
        let borrowed = self.borrow(py, "")?;
        Ok(borrowed.arrays().lists.iter().map(|(_, list)| list.filled().count()).sum())
    }

    /// The run with its own documents and scores, of all topics or of one.
    pub fn to_run(&self, py: Python<'_>, name: &str, topic: Option<&[u8]>) -> PyResult<CoreRun> {
        let borrowed = self.borrow(py, name)?;
        let mut arrays = borrowed.arrays();
        arrays.lists.retain(|(id, _)| topic.is_none_or(|topic| topic == *id));
        interruptible(py, || arrays.to_run())?.or_raise()
    }
}

impl BorrowedRun<'_, '_> {
    /// The run as the core takes it.
    pub fn arrays(&self) -> Arrays<'_> {
        let list = |rows: &Rows| {
            let (documents, scores) = &self.parts[rows.columns];
            let ranks = self.run.parts[rows.columns].ranks.as_ref();
            let ranks = ranks.and_then(|ranks| ranks.get(rows.start..rows.end));
            let before = rows.row * self.run.parts[rows.columns].width;
            let documents = match documents {
                BorrowedDocuments::I32(array) => IdColumn::I32(rows.of(array)),
                BorrowedDocuments::I64(array) => IdColumn::I64(rows.of(array)),
                BorrowedDocuments::U32(array) => IdColumn::U32(rows.of(array)),
                BorrowedDocuments::U64(array) => IdColumn::U64(rows.of(array)),
                BorrowedDocuments::Flat(column) => {
                    column.part(before + rows.start..before + rows.end)
                }
            };
            let scores = match scores {
                BorrowedScores::F32(array) => ScoreColumn::F32(rows.of(array)),
                BorrowedScores::F64(array) => ScoreColumn::F64(rows.of(array)),
                BorrowedScores::Flat(levels) => levels.part(rows.start..rows.end),
            };
            ListArrays {
                documents,
                scores,
                ranks,
                padded: self.run.padded,
                promise: self.run.promise,
            }
        };
        let lists = self.run.topics.iter().map(|(topic, rows)| (&**topic, list(rows)));
        Arrays { name: self.name, lists: lists.collect(), check: self.run.check }
    }
}

impl Rows {
    /// The rows of an array whose rows are contiguous.
    fn of<'a, T: Element>(self, array: &'a PyReadonlyArrayDyn<'_, T>) -> &'a [T] {
        let view = array.as_array();
        let row = if view.ndim() == 1 { view } else { view.index_axis_move(Axis(0), self.row) };
        row.to_slice().and_then(|row| row.get(self.start..self.end)).unwrap_or_default()
    }
}

/// The integers of an Arrow column.
pub fn integers(array: &ArrayRef) -> IdColumn<'_> {
    match array.data_type() {
        DataType::Int32 => IdColumn::I32(array.as_primitive::<Int32Type>().values()),
        DataType::UInt32 => IdColumn::U32(array.as_primitive::<UInt32Type>().values()),
        DataType::UInt64 => IdColumn::U64(array.as_primitive::<UInt64Type>().values()),
        _ => IdColumn::I64(array.as_primitive::<Int64Type>().values()),
    }
}

/// The scores of an Arrow column.
pub fn score_column(array: &ArrayRef) -> ScoreColumn<'_> {
    match array.data_type() {
        DataType::Float32 => ScoreColumn::F32(array.as_primitive::<Float32Type>().values()),
        _ => ScoreColumn::F64(array.as_primitive::<Float64Type>().values()),
    }
}

/// Texts in one buffer, one after another.
#[derive(Debug, Default)]
pub struct Strings {
    arena: Vec<u8>,
    ends: Vec<usize>,
}

impl Strings {
    /// Adds a text; an error if there is no memory for it.
    pub fn push(&mut self, text: &[u8]) -> Result<()> {
        let end = self.arena.len() + text.len();
        memory::reserve(&mut self.arena, end)?;
        let texts = self.ends.len() + 1;
        memory::reserve(&mut self.ends, texts)?;
        self.arena.extend_from_slice(text);
        self.ends.push(end);
        Ok(())
    }
}

impl Texts for Strings {
    fn text(&self, row: usize) -> &[u8] {
        let start = if row == 0 { 0 } else { self.ends[row - 1] };
        &self.arena[start..self.ends[row]]
    }
}
