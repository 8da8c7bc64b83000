//! Runs that stay in the columns of whoever made them: numpy arrays and Arrow
//! columns, looked at in place.

use arrow_array::ArrayRef;
use arrow_array::cast::AsArray;
use arrow_array::types::{Float32Type, Float64Type, Int32Type, Int64Type, UInt32Type, UInt64Type};
use arrow_schema::DataType;
use cranfield_core::error::Kind;
use cranfield_core::rank::Run as CoreRun;
use cranfield_core::rank::arrays::{Arrays, Check, Column, List, ScoreColumn, Texts};
use numpy::ndarray::{ArrayViewD, Axis};
use numpy::{Element, PyArrayDyn, PyArrayMethods, PyReadonlyArrayDyn, PyUntypedArrayMethods};
use pyo3::prelude::*;

use crate::errors::{OrRaise, fail};

/// A run in columns: for each topic a stretch of a part.
pub struct ColumnRun {
    /// The topics in order, each once.
    pub topics: Vec<(Box<[u8]>, Stretch)>,
    /// Columns of one length each.
    pub parts: Vec<Part>,
    /// Which repeated documents are looked for.
    pub check: Check,
    /// Whether a document of -1 is none.
    pub padded: bool,
}

/// Rows of a topic: in a part, in a row of its columns if they are matrices.
#[derive(Clone, Copy)]
pub struct Stretch {
    pub part: usize,
    pub row: usize,
    pub start: usize,
    pub end: usize,
}

/// Documents with as many scores.
pub struct Part {
    pub documents: Documents,
    pub scores: Scores,
    /// As many ranks, or none.
    pub ranks: Option<Vec<f64>>,
    /// How many texts make a row, if they stand for a matrix.
    pub width: usize,
}

/// An array of somebody else's, who can give it another shape or type at any time:
/// whenever it is used it has to be what it was.
pub struct Lent<T: Element> {
    array: Py<PyArrayDyn<T>>,
    /// What errors call it.
    what: &'static str,
    shape: Vec<usize>,
    strides: Vec<isize>,
}

impl<T: Element> Lent<T> {
    /// An array of one or two dimensions whose rows are contiguous.
    pub fn of(array: &Bound<'_, PyArrayDyn<T>>, what: &'static str) -> Self {
        let (shape, strides) = (array.shape().to_vec(), array.strides().to_vec());
        Lent { array: array.clone().unbind(), what, shape, strides }
    }

    fn hold<'py>(&self, py: Python<'py>) -> PyResult<PyReadonlyArrayDyn<'py, T>> {
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

/// A column of ids. Arrays of one dimension are one row.
pub enum Documents {
    I32(Lent<i32>),
    I64(Lent<i64>),
    U32(Lent<u32>),
    U64(Lent<u64>),
    /// Integers of 32 or 64 bits.
    Arrow(ArrayRef),
    Text(Box<dyn Texts + Send>),
}

/// A column of scores.
pub enum Scores {
    F32(Lent<f32>),
    F64(Lent<f64>),
    /// In single or double precision.
    Arrow(ArrayRef),
    Own(Vec<f64>),
}

/// A run whose arrays are held for reading.
pub struct Held<'a, 'py> {
    run: &'a ColumnRun,
    name: &'a str,
    parts: Vec<(HeldDocuments<'a, 'py>, HeldScores<'a, 'py>)>,
}

enum HeldDocuments<'a, 'py> {
    I32(PyReadonlyArrayDyn<'py, i32>),
    I64(PyReadonlyArrayDyn<'py, i64>),
    U32(PyReadonlyArrayDyn<'py, u32>),
    U64(PyReadonlyArrayDyn<'py, u64>),
    Flat(Column<'a>),
}

enum HeldScores<'a, 'py> {
    F32(PyReadonlyArrayDyn<'py, f32>),
    F64(PyReadonlyArrayDyn<'py, f64>),
    Flat(ScoreColumn<'a>),
}

/// A column as the core may see it.
enum Ids<'a> {
    I32(ArrayViewD<'a, i32>),
    I64(ArrayViewD<'a, i64>),
    U32(ArrayViewD<'a, u32>),
    U64(ArrayViewD<'a, u64>),
    Flat(Column<'a>),
}

enum Numbers<'a> {
    F32(ArrayViewD<'a, f32>),
    F64(ArrayViewD<'a, f64>),
    Flat(ScoreColumn<'a>),
}

impl ColumnRun {
    /// Holds its arrays for reading, under a name. An array that was changed to
    /// another shape or type is an error.
    pub fn hold<'a, 'py>(&'a self, py: Python<'py>, name: &'a str) -> PyResult<Held<'a, 'py>> {
        let documents = |documents: &'a Documents| -> PyResult<HeldDocuments<'a, 'py>> {
            Ok(match documents {
                Documents::I32(array) => HeldDocuments::I32(array.hold(py)?),
                Documents::I64(array) => HeldDocuments::I64(array.hold(py)?),
                Documents::U32(array) => HeldDocuments::U32(array.hold(py)?),
                Documents::U64(array) => HeldDocuments::U64(array.hold(py)?),
                Documents::Arrow(array) => HeldDocuments::Flat(integers(array)),
                Documents::Text(texts) => HeldDocuments::Flat(Column::Text(&**texts, 0)),
            })
        };
        let scores = |scores: &'a Scores| -> PyResult<HeldScores<'a, 'py>> {
            Ok(match scores {
                Scores::F32(array) => HeldScores::F32(array.hold(py)?),
                Scores::F64(array) => HeldScores::F64(array.hold(py)?),
                Scores::Arrow(array) => HeldScores::Flat(levels(array)),
                Scores::Own(scores) => HeldScores::Flat(ScoreColumn::F64(scores)),
            })
        };
        let held = |part: &'a Part| Ok((documents(&part.documents)?, scores(&part.scores)?));
        let parts: PyResult<_> = self.parts.iter().map(held).collect();
        Ok(Held { run: self, name, parts: parts? })
    }

    /// The number of lines.
    pub fn lines(&self, py: Python<'_>) -> PyResult<usize> {
        let held = self.hold(py, "")?;
        Ok(held.arrays().lists.iter().map(|(_, list)| list.filled().count()).sum())
    }

    /// The run with documents and scores of its own; or of one topic only.
    pub fn to_run(&self, py: Python<'_>, name: &str, topic: Option<&[u8]>) -> PyResult<CoreRun> {
        let held = self.hold(py, name)?;
        let mut arrays = held.arrays();
        arrays.lists.retain(|(id, _)| topic.is_none_or(|topic| topic == *id));
        arrays.to_run().or_raise()
    }
}

impl Held<'_, '_> {
    /// The run as the core takes it.
    pub fn arrays(&self) -> Arrays<'_> {
        let parts = self.parts.iter().map(|(documents, scores)| (documents.view(), scores.view()));
        let parts: Vec<(Ids<'_>, Numbers<'_>)> = parts.collect();
        let list = |stretch: &Stretch| {
            let (documents, scores) = &parts[stretch.part];
            let ranks = self.run.parts[stretch.part].ranks.as_ref();
            let ranks = ranks.and_then(|ranks| ranks.get(stretch.start..stretch.end));
            let before = stretch.row * self.run.parts[stretch.part].width;
            let documents = match documents {
                Ids::I32(view) => Column::I32(stretch.of(view)),
                Ids::I64(view) => Column::I64(stretch.of(view)),
                Ids::U32(view) => Column::U32(stretch.of(view)),
                Ids::U64(view) => Column::U64(stretch.of(view)),
                Ids::Flat(column) => column.part(before + stretch.start..before + stretch.end),
            };
            let scores = match scores {
                Numbers::F32(view) => ScoreColumn::F32(stretch.of(view)),
                Numbers::F64(view) => ScoreColumn::F64(stretch.of(view)),
                Numbers::Flat(levels) => levels.part(stretch.start..stretch.end),
            };
            List { documents, scores, ranks, padded: self.run.padded }
        };
        let lists = self.run.topics.iter().map(|(topic, stretch)| (&**topic, list(stretch)));
        Arrays { name: self.name, lists: lists.collect(), check: self.run.check }
    }
}

impl Stretch {
    /// The stretch of an array whose rows are contiguous.
    fn of<'a, T>(self, view: &ArrayViewD<'a, T>) -> &'a [T] {
        let view = view.clone();
        let row = if view.ndim() == 1 { view } else { view.index_axis_move(Axis(0), self.row) };
        row.to_slice().and_then(|row| row.get(self.start..self.end)).unwrap_or_default()
    }
}

impl HeldDocuments<'_, '_> {
    fn view(&self) -> Ids<'_> {
        match self {
            HeldDocuments::I32(array) => Ids::I32(array.as_array()),
            HeldDocuments::I64(array) => Ids::I64(array.as_array()),
            HeldDocuments::U32(array) => Ids::U32(array.as_array()),
            HeldDocuments::U64(array) => Ids::U64(array.as_array()),
            HeldDocuments::Flat(column) => Ids::Flat(*column),
        }
    }
}

impl HeldScores<'_, '_> {
    fn view(&self) -> Numbers<'_> {
        match self {
            HeldScores::F32(array) => Numbers::F32(array.as_array()),
            HeldScores::F64(array) => Numbers::F64(array.as_array()),
            HeldScores::Flat(levels) => Numbers::Flat(*levels),
        }
    }
}

/// The integers of an Arrow column.
pub fn integers(array: &ArrayRef) -> Column<'_> {
    match array.data_type() {
        DataType::Int32 => Column::I32(array.as_primitive::<Int32Type>().values()),
        DataType::UInt32 => Column::U32(array.as_primitive::<UInt32Type>().values()),
        DataType::UInt64 => Column::U64(array.as_primitive::<UInt64Type>().values()),
        _ => Column::I64(array.as_primitive::<Int64Type>().values()),
    }
}

/// The scores of an Arrow column.
pub fn levels(array: &ArrayRef) -> ScoreColumn<'_> {
    match array.data_type() {
        DataType::Float32 => ScoreColumn::F32(array.as_primitive::<Float32Type>().values()),
        _ => ScoreColumn::F64(array.as_primitive::<Float64Type>().values()),
    }
}

/// Texts of our own, one after another.
#[derive(Debug, Default)]
pub struct Strings {
    arena: Vec<u8>,
    ends: Vec<usize>,
}

impl Strings {
    /// Adds a text.
    pub fn push(&mut self, text: &[u8]) {
        self.arena.extend_from_slice(text);
        self.ends.push(self.arena.len());
    }
}

impl Texts for Strings {
    fn text(&self, row: usize) -> &[u8] {
        let start = if row == 0 { 0 } else { self.ends[row - 1] };
        &self.arena[start..self.ends[row]]
    }
}
