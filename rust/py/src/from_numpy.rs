//! numpy arrays to judgments and runs.
//!
//! Arrays of integers and floating-point numbers are read in place
//! if their rows are contiguous; numpy converts any other layout or type.
//! Texts are copied once, as UTF-8.

use std::collections::{HashMap, HashSet};

use cranfield_core::error::{Kind, count, quote};
use cranfield_core::memory;
use cranfield_core::qrels::{Builder, Qrels};
use cranfield_core::read::qrels::again;
use numpy::{Element, PyArray1, PyArrayDyn, PyUntypedArray};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList, PySlice};

use crate::columns::{BorrowedArray, ColumnRun, ColumnScores, Columns, Documents, Rows, Strings};
use crate::errors::{OrRaise, Tried, fail, instead, not_finite, raise, refused};
use crate::ids::Ids;
use crate::values::{check_order, whole_number};

/// A numpy array, from an array or anything numpy makes one of.
fn array<'py>(given: &Bound<'py, PyAny>, what: &str) -> PyResult<Bound<'py, PyAny>> {
    let py = given.py();
    let numpy = py.import("numpy")?;
    if given.cast_exact::<PyUntypedArray>().is_ok() {
        return Ok(given.clone());
    }
    let subclass = given.cast::<PyUntypedArray>().is_ok();
    if subclass && given.is_instance(&py.import("numpy.ma")?.getattr("MaskedArray")?)? {
        let message = format!("expected {what} as an array without a mask, found a MaskedArray");
        return Err(fail(Kind::Type, message));
    }
    if !subclass {
        check_order(given, &format!("{what} as an array"))?;
    }
    let tensor = !subclass && given.get_type().hasattr("__dlpack__")?;
    let read = if tensor {
        let tensors = py.import("cranfield._base.arrays")?;
        tensors.call_method1("as_array", (given,))
    } else {
        Ok(given.clone())
    };
    let made = read.and_then(|read| numpy.call_method1("asarray", (read,))).map_err(|raised| {
        let why = raised.to_string();
        instead(py, raised, || {
            refused(Kind::Type, given, |found| {
                format!("expected {what} as an array, found {found}: {why}")
            })
        })
    })?;
    // The memory must not move while a view of it is in use.
    if subclass && given.getattr("flags")?.getattr("owndata")?.extract()? {
        return made.call_method0("copy");
    }
    Ok(made)
}

/// An array of ids. numpy turns a list of text and numbers into text, so lists become arrays of
/// objects, in which the two stay distinct.
fn array_of_ids<'py>(given: &Bound<'py, PyAny>, what: &str) -> PyResult<Bound<'py, PyAny>> {
    let made = array(given, what)?;
    if !matches!(kind(&made)?, 'U' | 'S') || given.hasattr("dtype")? {
        return Ok(made);
    }
    made.py().import("numpy")?.call_method1("asarray", (given, "O"))
}

/// numpy's letter for the kind of a dtype.
fn kind(array: &Bound<'_, PyAny>) -> PyResult<char> {
    array.getattr("dtype")?.getattr("kind")?.extract()
}

fn item_size(array: &Bound<'_, PyAny>) -> PyResult<isize> {
    array.getattr("itemsize")?.extract()
}

fn shape(array: &Bound<'_, PyAny>) -> PyResult<Vec<usize>> {
    array.getattr("shape")?.extract()
}

fn of_shape(array: &Bound<'_, PyAny>, dimensions: usize, what: &str) -> PyResult<Vec<usize>> {
    let shape = shape(array)?;
    if shape.len() == dimensions {
        return Ok(shape);
    }
    let expected = if dimensions == 1 { "an array of one dimension" } else { "a matrix" };
    let found = array.getattr("shape")?;
    Err(fail(Kind::Type, format!("expected {what} as {expected}, found shape {found}")))
}

/// The array with this dtype and rows that are contiguous and aligned; not copied if it is
/// one already.
fn rows<T: Element>(
    array: &Bound<'_, PyAny>,
    dtype: &str,
    what: &'static str,
) -> PyResult<BorrowedArray<T>> {
    let py = array.py();
    let numpy = py.import("numpy")?;
    let mut array = array.call_method("astype", (dtype,), Some(&no_copy(py)?))?;
    let strides: Vec<isize> = array.getattr("strides")?.extract()?;
    let aligned: bool = array.getattr("flags")?.getattr("aligned")?.extract()?;
    let last = shape(&array)?.last().copied().unwrap_or(0);
    let contiguous = last <= 1 || strides.last() == Some(&item_size(&array)?);
    if !contiguous || !aligned {
        let rows = PyDict::new(py);
        rows.set_item("order", "C")?;
        array = numpy.call_method("array", (array,), Some(&rows))?;
    }
    Ok(BorrowedArray::of(array.cast::<PyArrayDyn<T>>()?, what))
}

fn no_copy(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
    let options = PyDict::new(py);
    options.set_item("copy", false)?;
    Ok(options)
}

/// Scores in double or single precision.
fn scores(array: &Bound<'_, PyAny>, what: &'static str) -> PyResult<ColumnScores> {
    match (kind(array)?, item_size(array)?) {
        ('f', 2 | 4) => Ok(ColumnScores::F32(rows(array, "=f4", what)?)),
        ('f' | 'i' | 'u' | 'b', _) => Ok(ColumnScores::F64(rows(array, "=f8", what)?)),
        _ => {
            let found = array.getattr("dtype")?;
            Err(fail(Kind::Type, format!("expected numbers as {what}, found {found}")))
        }
    }
}

/// Document ids as integers, or as texts, row by row. If -1 is padding, objects that are all
/// integers become integers: as text, -1 would be a document.
fn documents(array: &Bound<'_, PyAny>, padded: bool) -> PyResult<Documents> {
    const WHAT: &str = "documents";
    match (kind(array)?, item_size(array)?) {
        ('i', 4) => Ok(Documents::I32(rows(array, "=i4", WHAT)?)),
        ('i', _) => Ok(Documents::I64(rows(array, "=i8", WHAT)?)),
        ('u', 4) => Ok(Documents::U32(rows(array, "=u4", WHAT)?)),
        ('u', _) => Ok(Documents::U64(rows(array, "=u8", WHAT)?)),
        ('O', _) if padded && let Some(integers) = integers(array)? => {
            Ok(Documents::I64(rows(&integers, "=i8", WHAT)?))
        }
        _ => {
            let mut strings = Strings::default();
            each_id(array, WHAT, |id| strings.push(id).or_raise())?;
            Ok(Documents::Text(Box::new(strings)))
        }
    }
}

/// An array of objects as one of integers, if all of them are. One that does not fit in 64 bits
/// is an error: as text, padding would look like a document.
fn integers<'py>(array: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyAny>>> {
    let py = array.py();
    let mut numbers: Vec<i64> = Vec::new();
    let flat = array.call_method0("ravel")?;
    for piece in pieces(&flat)? {
        for id in piece?.try_iter()? {
            let id = id?;
            let Some(number) = whole_number(&id)? else { return Ok(None) };
            let number = number.extract::<i64>().tried(py)?;
            numbers.push(number.ok_or_else(|| {
                refused(Kind::Type, &id, |found| {
                    format!("expected whole numbers of 64 bits as documents, found {found}")
                })
            })?);
        }
    }
    let numbers = PyArray1::from_vec(py, numbers);
    Ok(Some(numbers.call_method1("reshape", (array.getattr("shape")?,))?))
}

/// Calls a function with each id of an array, row by row.
fn each_id(
    array: &Bound<'_, PyAny>,
    what: &str,
    mut on_id: impl FnMut(&[u8]) -> PyResult<()>,
) -> PyResult<()> {
    let kind = kind(array)?;
    if !matches!(kind, 'i' | 'u' | 'U' | 'S' | 'O' | 'T') {
        let found = array.getattr("dtype")?;
        let message = format!("expected text or whole numbers as {what}, found {found}");
        return Err(fail(Kind::Type, message));
    }
    let (mut ids, flat) = (Ids::Unknown, array.call_method0("ravel")?);
    for piece in pieces(&flat)? {
        for id in piece?.try_iter()? {
            let id = id?;
            match id.cast::<PyBytes>() {
                Ok(bytes) if kind == 'S' => on_id(bytes.as_bytes())?,
                _ => ids.with(&id, &mut on_id)?,
            }
        }
    }
    Ok(())
}

/// The items of an array of one dimension as lists, after each of which signals are checked.
fn pieces<'a, 'py>(
    array: &'a Bound<'py, PyAny>,
) -> PyResult<impl Iterator<Item = PyResult<Bound<'py, PyAny>>> + 'a> {
    let length = array.len()?;
    Ok((0..length).step_by(UNWATCHED).map(move |start| {
        array.py().check_signals()?;
        let end = length.min(start + UNWATCHED) as isize;
        array.get_item(PySlice::new(array.py(), start as isize, end, 1))?.call_method0("tolist")
    }))
}

/// So many items are read before signals are checked.
const UNWATCHED: usize = 1 << 16;

/// The ids of topics, each once.
fn topics_once(array: &Bound<'_, PyAny>) -> PyResult<Vec<Box<[u8]>>> {
    let mut topics: Vec<Box<[u8]>> = Vec::new();
    let mut seen: HashSet<Box<[u8]>> = HashSet::new();
    each_id(array, "topics", |topic| {
        if !seen.insert(topic.into()) {
            let message = format!("expected each topic once, found {} again", quote(topic));
            return Err(fail(Kind::Duplicate, message));
        }
        topics.push(topic.into());
        Ok(())
    })?;
    Ok(topics)
}

/// Where the rows of each topic begin and end.
fn ends_of(offsets: &Bound<'_, PyAny>, topics: usize, rows: usize) -> PyResult<Vec<usize>> {
    let offsets = array(offsets, "offsets")?;
    of_shape(&offsets, 1, "offsets")?;
    if !matches!(kind(&offsets)?, 'i' | 'u') {
        let found = offsets.getattr("dtype")?;
        return Err(fail(Kind::Type, format!("expected whole numbers as offsets, found {found}")));
    }
    let offsets: Vec<i128> = offsets.call_method0("tolist")?.cast::<PyList>()?.extract()?;
    let wrong = |message: String| Err(fail(Kind::Option, message));
    if offsets.len() != topics + 1 {
        let found = offsets.len();
        return wrong(format!(
            "expected {} offsets, one more than there are topics, found {found}",
            topics + 1
        ));
    }
    if offsets[0] != 0 {
        return wrong(format!("expected offsets that begin with 0, found {}", offsets[0]));
    }
    if let Some(at) = (1..offsets.len()).find(|&at| offsets[at] < offsets[at - 1]) {
        return wrong(format!(
            "expected offsets that do not decrease, found {} after {} at position {}",
            offsets[at],
            offsets[at - 1],
            at + 1
        ));
    }
    if offsets[topics] != rows as i128 {
        return wrong(format!(
            "expected {rows}, the number of documents, as the last offset, found {}",
            offsets[topics]
        ));
    }
    Ok(offsets.into_iter().map(|offset| offset as usize).collect())
}

/// Columns of the same length, grouped by topic.
struct Grouped<'py> {
    topics: Vec<Box<[u8]>>,
    /// Where each topic begins, and the number of rows.
    offsets: Vec<usize>,
    documents: Bound<'py, PyAny>,
    values: Bound<'py, PyAny>,
}

/// Three columns, or two with the offsets of the topics.
fn grouped<'py>(
    topics: &Bound<'py, PyAny>,
    documents: &Bound<'py, PyAny>,
    values: &Bound<'py, PyAny>,
    offsets: Option<&Bound<'py, PyAny>>,
    what: &'static str,
) -> PyResult<Grouped<'py>> {
    let topics = array_of_ids(topics, "topics")?;
    let documents = array_of_ids(documents, "documents")?;
    let values = array(values, what)?;
    let given = of_shape(&topics, 1, "topics")?[0];
    let rows = of_shape(&documents, 1, "documents")?[0];
    let scored = of_shape(&values, 1, what)?[0];
    if rows != scored || (offsets.is_none() && given != rows) {
        let lengths =
            if offsets.is_some() { vec![rows, scored] } else { vec![given, rows, scored] };
        let message = format!("expected columns of one length, found {lengths:?}");
        return Err(fail(Kind::Type, message));
    }
    if let Some(offsets) = offsets {
        let topics = topics_once(&topics)?;
        let offsets = ends_of(offsets, topics.len(), rows)?;
        return Ok(Grouped { topics, offsets, documents, values });
    }
    by_topic(&topics, documents, values, rows)
}

/// Groups rows by a column of topics. Rows of a topic that are not consecutive are put
/// together, in their order.
fn by_topic<'py>(
    topics: &Bound<'py, PyAny>,
    documents: Bound<'py, PyAny>,
    values: Bound<'py, PyAny>,
    rows: usize,
) -> PyResult<Grouped<'py>> {
    let py = topics.py();
    let numpy = py.import("numpy")?;
    let slice =
        |from: isize, to: Option<isize>| PySlice::new(py, from, to.unwrap_or(rows as isize), 1);
    let mut starts: Vec<usize> = Vec::new();
    if rows > 0 {
        let (behind, before) =
            (topics.get_item(slice(1, None))?, topics.get_item(slice(0, Some(rows as isize - 1)))?);
        let changes = numpy.call_method1("not_equal", (behind, before)).map_err(|raised| {
            instead(py, raised, || fail(Kind::Type, "expected topics that can be compared"))
        })?;
        let changes = numpy.call_method1("flatnonzero", (changes,))?;
        let changes: Vec<usize> = changes.call_method0("tolist")?.extract()?;
        starts = std::iter::once(0).chain(changes.into_iter().map(|change| change + 1)).collect();
    }
    let at = PyArray1::from_slice(py, &starts.iter().map(|&s| s as i64).collect::<Vec<_>>());
    let mut ids: Vec<Box<[u8]>> = Vec::new();
    let mut index: HashMap<Box<[u8]>, usize> = HashMap::new();
    let mut pieces: Vec<usize> = Vec::new();
    each_id(&topics.get_item(at)?, "topics", |topic| {
        let position = *index.entry(topic.into()).or_insert(ids.len());
        if position == ids.len() {
            ids.push(topic.into());
        }
        pieces.push(position);
        Ok(())
    })?;
    let mut lengths = vec![0; ids.len()];
    let ends = starts.iter().skip(1).copied().chain([rows]);
    let piece_lengths: Vec<usize> =
        starts.iter().zip(ends).map(|(start, end)| end - start).collect();
    for (&topic, &length) in pieces.iter().zip(&piece_lengths) {
        lengths[topic] += length;
    }
    let mut offsets = vec![0];
    for length in lengths {
        offsets.push(offsets[offsets.len() - 1] + length);
    }
    if ids.len() == pieces.len() {
        return Ok(Grouped { topics: ids, offsets, documents, values });
    }
    memory::room_for(rows * size_of::<i64>()).or_raise()?;
    let mut order: Vec<i64> = vec![0; rows];
    let mut next = offsets.clone();
    for ((&topic, &start), &length) in pieces.iter().zip(&starts).zip(&piece_lengths) {
        let place = next[topic];
        for (i, slot) in order[place..place + length].iter_mut().enumerate() {
            *slot = (start + i) as i64;
        }
        next[topic] += length;
    }
    let order = PyArray1::from_vec(py, order);
    Ok(Grouped {
        topics: ids,
        offsets,
        documents: documents.get_item(&order)?,
        values: values.get_item(&order)?,
    })
}

/// A run from columns.
pub fn run_from_arrays(
    topics: &Bound<'_, PyAny>,
    documents_of: &Bound<'_, PyAny>,
    scores_of: &Bound<'_, PyAny>,
    offsets: Option<&Bound<'_, PyAny>>,
) -> PyResult<ColumnRun> {
    columns(grouped(topics, documents_of, scores_of, offsets, "scores")?, "scores")
}

fn columns(rows: Grouped<'_>, what: &'static str) -> PyResult<ColumnRun> {
    let stretches = rows.offsets.windows(2);
    let stretches = stretches.map(|ends| Rows { columns: 0, row: 0, start: ends[0], end: ends[1] });
    let topics = rows.topics.into_iter().zip(stretches).collect();
    let documents = documents(&rows.documents, false)?;
    let part = Columns { documents, scores: scores(&rows.values, what)?, ranks: None, width: 0 };
    Ok(ColumnRun::of(topics, vec![part]))
}

/// A run from matrices: a row for each topic.
pub fn run_from_topk(
    topics: &Bound<'_, PyAny>,
    documents_of: &Bound<'_, PyAny>,
    scores_of: &Bound<'_, PyAny>,
) -> PyResult<ColumnRun> {
    let topics = array_of_ids(topics, "topics")?;
    let found = array_of_ids(documents_of, "documents")?;
    let scored = array(scores_of, "scores")?;
    let given = of_shape(&topics, 1, "topics")?[0];
    let shape = of_shape(&found, 2, "documents")?;
    let shape_of_scores = of_shape(&scored, 2, "scores")?;
    if shape != shape_of_scores || shape[0] != given {
        let message = format!(
            "expected documents and scores of shape (topics, k) for {}, found {:?} and {:?}",
            count(given, "topic"),
            (shape[0], shape[1]),
            (shape_of_scores[0], shape_of_scores[1])
        );
        return Err(fail(Kind::Type, message));
    }
    let (documents, scores) = (documents(&found, true)?, scores(&scored, "scores")?);
    let stretch = |row: usize| Rows { columns: 0, row, start: 0, end: shape[1] };
    let topics = topics_once(&topics)?;
    let topics = topics.into_iter().enumerate().map(|(row, topic)| (topic, stretch(row))).collect();
    let parts = vec![Columns { documents, scores, ranks: None, width: shape[1] }];
    Ok(ColumnRun { padded: true, ..ColumnRun::of(topics, parts) })
}

/// Judgments from columns.
pub fn qrels_from_arrays(
    topics: &Bound<'_, PyAny>,
    documents_of: &Bound<'_, PyAny>,
    grades: &Bound<'_, PyAny>,
    offsets: Option<&Bound<'_, PyAny>>,
    docs_in_collection: Option<u64>,
) -> PyResult<Qrels> {
    let run = columns(grouped(topics, documents_of, grades, offsets, "grades")?, "grades")?;
    let py = topics.py();
    let borrowed = run.borrow(py, "")?;
    let mut builder = Builder::new(&[]);
    for (topic, list) in borrowed.arrays().lists {
        builder.topic(topic);
        list.each(|line, document, grade| {
            if line.is_multiple_of(UNWATCHED) {
                py.check_signals()?;
            }
            if !grade.is_finite() {
                return Err(fail(Kind::Number, not_finite("grade", grade, document, topic)));
            }
            builder.make_room(1, document.len()).or_raise()?;
            let added = builder.add(topic, document, grade, &[], line as u64 + 1);
            added.map_err(|clash| raise(&again(clash, topic, document, grade)))
        })?;
    }
    Ok(builder.finish(docs_in_collection))
}
