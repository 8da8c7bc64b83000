//! What judgments, runs and scores are in a pickle: tuples of bytes and
//! numbers, columns as the bytes of their numbers, low byte first, with a checksum.
//! They are as little a file format as pickles are: another version may refuse them.
//!
//! The checksum finds what happened by accident. Whoever writes a pickle on purpose
//! can write a checksum too, so nothing else is taken on trust either: a state that
//! no object can have is an error.

use std::collections::HashSet;
use std::hash::Hash;
use std::sync::Arc;

use cranfield_core::bytes::lasting_hash;
use cranfield_core::error::Kind;
use cranfield_core::grammar;
use cranfield_core::intents::Intents;
use cranfield_core::measure::{Aggregate, Better, Measure as CoreMeasure};
use cranfield_core::qrels::{Builder, Qrels as CoreQrels, Topic};
use cranfield_core::rank::{Lines, Run as CoreRun};
use cranfield_core::read::Limits as CoreLimits;
use cranfield_core::read::qrels::{CLASS, COST, INCLUSION, check_cost, check_inclusion};
use cranfield_core::scores::{Column, Notes as CoreNotes, OpaqueMeasure, Scores as CoreScores};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::{PyBool, PyBytes, PyInt, PyList, PyString, PyTuple};

use crate::data::{Limits, Qrels, Run};
use crate::errors::fail;
use crate::measures::Measure;
use crate::outputs::{Notes, Scores};

/// What `__reduce__` gives back: a function of this module and its arguments.
pub type Reduced<'py> = (Bound<'py, PyAny>, Bound<'py, PyTuple>);

fn reduced<'py, T>(py: Python<'py>, function: &str, state: T) -> PyResult<Reduced<'py>>
where
    T: IntoPyObject<'py, Target = PyTuple, Output = Bound<'py, PyTuple>, Error = PyErr>,
{
    let function = py.import("cranfield._core")?.getattr(function)?;
    let state = state.into_pyobject(py)?;
    let sum = checksum(state.as_any())?;
    Ok((function, (state, sum).into_pyobject(py)?))
}

/// The state among the arguments of a pickle, if it is whole.
fn opened<'py, T>(parts: &Bound<'py, PyTuple>) -> PyResult<T>
where
    T: for<'a> FromPyObject<'a, 'py>,
{
    let [state, sum] = parts.as_slice() else { return Err(damaged()) };
    // What was summed is built of Python's own classes, so none of their methods is a
    // stranger's, and none of their lengths a lie.
    let found = checksum(state)?;
    if sum.cast_exact::<PyInt>().ok().and_then(|sum| sum.extract().ok()) != Some(found) {
        return Err(damaged());
    }
    state.extract().map_err(|_| damaged())
}

// --- Checksums ------------------------------------------------------------------

/// The checksum of a state: of tuples and lists of bytes, text, whole numbers below
/// 2^64, flags and None.
#[pyfunction]
#[pyo3(signature = (state, /))]
pub fn checksum(state: &Bound<'_, PyAny>) -> PyResult<u64> {
    let mut sum = 0;
    absorb(state, 0, &mut sum).ok_or_else(damaged)?;
    Ok(sum)
}

/// States are no deeper than this; what holds itself has no end.
const DEEPEST: u32 = 8;

fn absorb(value: &Bound<'_, PyAny>, depth: u32, sum: &mut u64) -> Option<()> {
    let mut add = |kind: &[u8], bytes: &[u8]| {
        *sum = lasting_hash(lasting_hash(*sum, kind), bytes);
    };
    if let Ok(bytes) = value.cast_exact::<PyBytes>() {
        add(b"bytes", bytes.as_bytes());
    } else if let Ok(text) = value.cast_exact::<PyString>() {
        add(b"text", text.to_str().ok()?.as_bytes());
    } else if let Ok(number) = value.cast_exact::<PyInt>() {
        add(b"number", &number.extract::<u64>().ok()?.to_le_bytes());
    } else if let Ok(flag) = value.cast_exact::<PyBool>() {
        add(b"flag", &[u8::from(flag.is_true())]);
    } else if value.is_none() {
        add(b"none", b"");
    } else {
        let items: Vec<Bound<'_, PyAny>> = if let Ok(tuple) = value.cast_exact::<PyTuple>() {
            tuple.iter().collect()
        } else {
            value.cast_exact::<PyList>().ok()?.iter().collect()
        };
        add(b"items", &items.len().to_le_bytes());
        if depth == DEEPEST {
            return None;
        }
        items.iter().try_for_each(|item| absorb(item, depth + 1, sum))?;
    }
    Some(())
}

// --- Columns ------------------------------------------------------------------

/// A column of numbers as bytes.
type Packed<'py> = Bound<'py, PyBytes>;

fn numbers(py: Python<'_>, column: impl IntoIterator<Item = f64>) -> Packed<'_> {
    let bytes: Vec<u8> = column.into_iter().flat_map(f64::to_le_bytes).collect();
    PyBytes::new(py, &bytes)
}

fn counts(py: Python<'_>, column: impl IntoIterator<Item = u32>) -> Packed<'_> {
    let bytes: Vec<u8> = column.into_iter().flat_map(u32::to_le_bytes).collect();
    PyBytes::new(py, &bytes)
}

fn damaged() -> PyErr {
    fail(Kind::Type, "expected a pickle of this version, found a damaged one")
}

/// Whether what a pickle says can be so.
fn whole(is_so: bool) -> PyResult<()> {
    if is_so { Ok(()) } else { Err(damaged()) }
}

/// Grades and scores are kept without it.
fn is_minus_zero(number: f64) -> bool {
    number.to_bits() == (-0.0f64).to_bits()
}

/// Whether each comes once.
fn distinct<T: Eq + Hash>(items: impl IntoIterator<Item = T>) -> bool {
    let mut seen = HashSet::new();
    items.into_iter().all(|item| seen.insert(item))
}

fn to_numbers(bytes: &[u8]) -> PyResult<Vec<f64>> {
    let (numbers, rest) = bytes.as_chunks::<8>();
    if rest.is_empty() {
        return Ok(numbers.iter().map(|bytes| f64::from_le_bytes(*bytes)).collect());
    }
    Err(damaged())
}

/// A column of finite numbers.
fn to_finite(bytes: &[u8]) -> PyResult<Vec<f64>> {
    let numbers = to_numbers(bytes)?;
    whole(numbers.iter().all(|number| number.is_finite()))?;
    Ok(numbers)
}

fn to_counts(bytes: &[u8]) -> PyResult<Vec<u32>> {
    let (counts, rest) = bytes.as_chunks::<4>();
    if rest.is_empty() {
        return Ok(counts.iter().map(|bytes| u32::from_le_bytes(*bytes)).collect());
    }
    Err(damaged())
}

/// Ids one after another, and how long each is.
type Ids<T> = (T, T);

fn ids<'py, 'a>(py: Python<'py>, ids: impl Iterator<Item = &'a [u8]> + Clone) -> Ids<Packed<'py>> {
    let all: Vec<u8> = ids.clone().flatten().copied().collect();
    (PyBytes::new(py, &all), counts(py, ids.map(|id| id.len() as u32)))
}

fn to_ids(packed: &Ids<PyBackedBytes>) -> PyResult<Vec<&[u8]>> {
    let mut rest: &[u8] = &packed.0;
    let mut ids = Vec::new();
    for length in to_counts(&packed.1)? {
        let (id, behind) = rest.split_at_checked(length as usize).ok_or_else(damaged)?;
        ids.push(id);
        rest = behind;
    }
    if rest.is_empty() { Ok(ids) } else { Err(damaged()) }
}

/// Ids of which each comes once.
fn to_labels(packed: &Ids<PyBackedBytes>) -> PyResult<Vec<Box<[u8]>>> {
    let ids = to_ids(packed)?;
    whole(distinct(&ids))?;
    Ok(boxed(ids))
}

fn boxed(ids: Vec<&[u8]>) -> Vec<Box<[u8]>> {
    ids.into_iter().map(Into::into).collect()
}

// --- Judgments ----------------------------------------------------------------

/// A topic: id, documents, levels, further columns, intents.
type TopicState<T> = (T, Ids<T>, T, Vec<T>, IntentState<T>);

/// Names, weights, which are navigational; then documents (by number), intents
/// (by number) and grades.
type IntentState<T> = (Ids<T>, T, T, T, T, T);

/// The state of judgments. Documents that they do not list are left out.
pub fn qrels<'py>(py: Python<'py>, qrels: &CoreQrels) -> PyResult<Reduced<'py>> {
    let topics: Vec<TopicState<Packed<'py>>> =
        qrels.topics().iter().map(|topic| topic_state(py, topic, qrels.column_names())).collect();
    let state = (
        qrels.docs_in_collection,
        qrels.repaired,
        numbers(py, qrels.grades().iter().copied()),
        qrels.column_names().to_vec(),
        qrels.has_intents(),
        topics,
    );
    reduced(py, "unpickled_qrels", state)
}

fn topic_state<'py>(py: Python<'py>, topic: &Topic, columns: &[String]) -> TopicState<Packed<'py>> {
    let kept: Vec<(usize, &[u8], u32)> = topic.judgments().collect();
    let column = |position| {
        let column = topic.column(position).unwrap_or_default();
        numbers(py, kept.iter().map(|&(number, ..)| column[number]))
    };
    let intents = topic.intents();
    let entries: Vec<(u32, u32, f64)> = (0u32..)
        .zip(&kept)
        .flat_map(|(place, &(number, ..))| {
            let grades = intents.grades(number as u32).iter();
            grades.map(move |&(intent, grade)| (place, intent, grade))
        })
        .collect();
    let navigational = (0..intents.names().len()).map(|i| u32::from(intents.is_navigational(i)));
    (
        PyBytes::new(py, topic.id()),
        ids(py, kept.iter().map(|&(_, id, _)| id)),
        counts(py, kept.iter().map(|&(.., level)| level)),
        (0..columns.len()).map(column).collect(),
        (
            ids(py, intents.names().iter().map(|name| &**name)),
            numbers(py, intents.weights().iter().copied()),
            counts(py, navigational),
            counts(py, entries.iter().map(|entry| entry.0)),
            counts(py, entries.iter().map(|entry| entry.1)),
            numbers(py, entries.iter().map(|entry| entry.2)),
        ),
    )
}

/// What judgments are in a pickle: the number of documents in the collection, repaired
/// grades, grades, names of columns, whether there are intents, topics.
type QrelsState<T> = (Option<u64>, u64, T, Vec<String>, bool, Vec<TopicState<T>>);

/// The judgments of a pickle.
#[pyfunction]
#[pyo3(signature = (*parts))]
pub fn unpickled_qrels(parts: &Bound<'_, PyTuple>) -> PyResult<Qrels> {
    let (docs_in_collection, repaired, grades, columns, by_intent, topics): QrelsState<
        PyBackedBytes,
    > = opened(parts)?;
    let grades = to_finite(&grades)?;
    whole(docs_in_collection != Some(0))?;
    // Levels are places in this list.
    whole(grades.windows(2).all(|pair| pair[0] < pair[1]))?;
    whole(!grades.iter().copied().any(is_minus_zero))?;
    whole(distinct(&columns) && !(by_intent && topics.is_empty()))?;
    // Columns and intents are put beside the topics by their places.
    whole(topics.windows(2).all(|pair| pair[0].0[..] < pair[1].0[..]))?;
    let mut builder = Builder::new(&[]);
    builder.repaired = repaired;
    let mut values: Vec<Vec<Vec<f64>>> = vec![Vec::new(); columns.len()];
    let mut intents = Vec::new();
    for (id, documents, levels, of_topic, served) in &topics {
        let documents = to_ids(documents)?;
        let grade = |level: u32| grades.get(level as usize).copied().ok_or_else(damaged);
        let own: Vec<f64> = to_counts(levels)?.into_iter().map(grade).collect::<PyResult<_>>()?;
        whole(own.len() == documents.len() && of_topic.len() == columns.len())?;
        builder.topic(id);
        // A document that comes twice clashes.
        builder.add_list(id, &documents, &own).map_err(|_| damaged())?;
        for ((column, name), bytes) in values.iter_mut().zip(&columns).zip(of_topic) {
            let numbers = to_numbers(bytes)?;
            whole(numbers.len() == documents.len())?;
            whole(numbers.iter().all(|&number| can_stand(number, name)))?;
            column.push(numbers);
        }
        let served = to_intents(served, documents.len())?;
        whole(by_intent || served == Intents::new(Vec::new(), documents.len(), Vec::new()))?;
        intents.push(served);
    }
    let mut qrels = builder.finish(docs_in_collection).with_grades(&grades);
    for (name, column) in columns.iter().zip(values) {
        qrels = qrels.with_column(name, column);
    }
    if by_intent {
        qrels = qrels.with_intents(intents);
    }
    Ok(Qrels(Arc::new(qrels)))
}

/// Whether a number can stand in a column. Classes and costs need not be known.
fn can_stand(number: f64, column: &str) -> bool {
    match column {
        CLASS => number.is_finite() || number.is_nan(),
        COST => check_cost(number).is_ok() || number.is_nan(),
        INCLUSION => check_inclusion(number).is_ok(),
        _ => number.is_finite(),
    }
}

fn to_intents(state: &IntentState<PyBackedBytes>, documents: usize) -> PyResult<Intents> {
    let (names, weights, navigational, places, numbers, grades) = state;
    let names = boxed(to_ids(names)?);
    let weights = to_finite(weights)?;
    let navigational = to_counts(navigational)?;
    let (places, numbers, grades) = (to_counts(places)?, to_counts(numbers)?, to_finite(grades)?);
    whole(
        distinct(&names)
            && weights.len() == names.len()
            && weights.iter().all(|&weight| weight >= 0.0)
            && navigational.len() == names.len()
            && navigational.iter().all(|&flag| flag <= 1)
            && places.len() == grades.len()
            && numbers.len() == grades.len()
            && places.iter().all(|&place| (place as usize) < documents)
            && numbers.iter().all(|&number| (number as usize) < names.len()),
    )?;
    let entries = places.into_iter().zip(numbers).zip(grades);
    let entries: Vec<_> = entries.map(|((place, number), grade)| (place, number, grade)).collect();
    // Each document once under each intent, in their order.
    whole(entries.windows(2).all(|pair| (pair[0].0, pair[0].1) < (pair[1].0, pair[1].1)))?;
    let mut intents = Intents::new(names, documents, entries);
    intents.weigh(weights);
    intents.set_navigational(navigational.into_iter().map(|flag| flag == 1).collect());
    Ok(intents)
}

// --- Runs ---------------------------------------------------------------------

/// A topic: id, documents, scores, ranks.
type ListState<T> = (T, Ids<T>, T, T);

/// The state of a run.
pub fn run<'py>(py: Python<'py>, run: &CoreRun) -> PyResult<Reduced<'py>> {
    let list = |(topic, lines): &(Box<[u8]>, Lines)| -> ListState<Packed<'py>> {
        (
            PyBytes::new(py, topic),
            ids(py, (0..lines.len()).map(|line| lines.document(line))),
            numbers(py, (0..lines.len()).map(|line| lines.score(line))),
            numbers(py, lines.ranks().iter().copied()),
        )
    };
    let tag = run.tag.as_ref().map(|tag| PyBytes::new(py, tag));
    let topics: Vec<ListState<Packed<'py>>> = run.topics.iter().map(list).collect();
    let CoreRun { name, repaired, comments, repaired_ranks, .. } = run;
    let state = (name.as_str(), tag, *repaired, *comments, *repaired_ranks, topics);
    reduced(py, "unpickled_run", state)
}

/// What a run is in a pickle: name, tag, repaired fields, comments, repaired ranks, topics.
type RunState<T> = (String, Option<T>, u64, u64, u64, Vec<ListState<T>>);

/// The run of a pickle.
#[pyfunction]
#[pyo3(signature = (*parts))]
pub fn unpickled_run(parts: &Bound<'_, PyTuple>) -> PyResult<Run> {
    let (name, tag, repaired, comments, repaired_ranks, topics): RunState<PyBackedBytes> =
        opened(parts)?;
    whole(distinct(topics.iter().map(|topic| &topic.0[..])))?;
    let tag = tag.map(|tag| tag.to_vec());
    let mut run = CoreRun { name, tag, repaired, repaired_ranks, comments, ..CoreRun::default() };
    for (topic, documents, scores, ranks) in &topics {
        let (documents, scores, ranks) =
            (to_ids(documents)?, to_finite(scores)?, to_finite(ranks)?);
        whole(scores.len() == documents.len())?;
        whole(!scores.iter().copied().any(is_minus_zero))?;
        whole(ranks.is_empty() || ranks.len() == scores.len())?;
        let mut lines = Lines::default();
        for (line, (document, score)) in documents.into_iter().zip(scores).enumerate() {
            lines.push(document, score);
            if let Some(&rank) = ranks.get(line) {
                lines.push_rank(rank);
            }
        }
        run.topics.push((topic.as_ref().into(), lines));
    }
    Ok(Run::of(run))
}

// --- Scores -------------------------------------------------------------------

/// What evaluating a run passed over: tag, numbers, topics that it lacks, and
/// topics that nobody judged.
type NotesState<T> = (Option<T>, (u64, u64, u64, u64, u64), Ids<T>, Ids<T>);

fn notes_state<'py>(py: Python<'py>, notes: &CoreNotes) -> NotesState<Packed<'py>> {
    let CoreNotes { lines, ties, duplicates, repaired, comments, .. } = *notes;
    (
        notes.tag.as_ref().map(|tag| PyBytes::new(py, tag)),
        (lines, ties, duplicates, repaired, comments),
        ids(py, notes.missing.iter().map(|id| &**id)),
        ids(py, notes.without_judgments.iter().map(|id| &**id)),
    )
}

fn to_notes(state: &NotesState<PyBackedBytes>) -> PyResult<CoreNotes> {
    let (tag, (lines, ties, duplicates, repaired, comments), missing, without) = state;
    Ok(CoreNotes {
        tag: tag.as_ref().map(|tag| tag.to_vec()),
        lines: *lines,
        missing: to_labels(missing)?,
        without_judgments: to_labels(without)?,
        ties: *ties,
        duplicates: *duplicates,
        repaired: *repaired,
        comments: *comments,
        ..CoreNotes::default()
    })
}

/// The state of the notes on a run.
pub fn notes<'py>(
    py: Python<'py>,
    run: &str,
    notes: &CoreNotes,
    without_relevant: &[Box<[u8]>],
) -> PyResult<Reduced<'py>> {
    let without = ids(py, without_relevant.iter().map(|id| &**id));
    reduced(py, "unpickled_notes", (run, notes_state(py, notes), without))
}

/// The notes of a pickle.
#[pyfunction]
#[pyo3(signature = (*parts))]
pub fn unpickled_notes(parts: &Bound<'_, PyTuple>) -> PyResult<Notes> {
    let (run, notes, without_relevant): (String, NotesState<PyBackedBytes>, Ids<PyBackedBytes>) =
        opened(parts)?;
    Ok(Notes::of(run, to_notes(&notes)?, to_labels(&without_relevant)?))
}

/// The state of scores.
pub fn scores<'py>(py: Python<'py>, scores: &CoreScores) -> PyResult<Reduced<'py>> {
    let measures: Vec<ColumnState> = scores.measures.iter().map(column_state).collect();
    let notes: Vec<NotesState<Packed<'py>>> =
        scores.notes.iter().map(|notes| notes_state(py, notes)).collect();
    let state = (
        scores.runs.clone(),
        ids(py, scores.topics.iter().map(|id| &**id)),
        measures,
        numbers(py, scores.values.iter().copied()),
        numbers(py, scores.weights.iter().copied()),
        notes,
        ids(py, scores.without_relevant.iter().map(|id| &**id)),
    );
    reduced(py, "unpickled_scores", state)
}

/// A measure's text; of one from elsewhere also its direction and its aggregate.
type ColumnState = (String, Option<(Option<String>, String)>);

fn column_state(column: &Column) -> ColumnState {
    match column {
        Column::Known(measure) => (measure.to_string(), None),
        Column::Opaque(opaque) => {
            let better = opaque.better.name().map(ToString::to_string);
            (opaque.label.clone(), Some((better, opaque.aggregate.name().to_string())))
        }
    }
}

fn to_column(state: &ColumnState) -> PyResult<Column> {
    let (text, opaque) = state;
    let Some((better, aggregate)) = opaque else { return to_measure(text).map(Column::Known) };
    let better = [Better::Higher, Better::Lower, Better::Neither]
        .into_iter()
        .find(|known| known.name() == better.as_deref());
    let aggregate = [Aggregate::Mean, Aggregate::Sum, Aggregate::Geometric, Aggregate::Pooled]
        .into_iter()
        .find(|known| known.name() == aggregate);
    let (Some(better), Some(aggregate)) = (better, aggregate) else { return Err(damaged()) };
    Ok(Column::Opaque(OpaqueMeasure { label: text.clone(), aggregate, better }))
}

/// What scores are in a pickle: runs, topics, measures, values, weights, notes, topics
/// without a relevant document.
type ScoresState<T> = (Vec<String>, Ids<T>, Vec<ColumnState>, T, T, Vec<NotesState<T>>, Ids<T>);

/// The scores of a pickle.
#[pyfunction]
#[pyo3(signature = (*parts))]
pub fn unpickled_scores(parts: &Bound<'_, PyTuple>) -> PyResult<Scores> {
    let (runs, topics, measures, values, weights, notes, without_relevant): ScoresState<
        PyBackedBytes,
    > = opened(parts)?;
    whole(distinct(&runs) && distinct(&measures))?;
    let scores = CoreScores {
        topics: to_labels(&topics)?,
        measures: measures.iter().map(to_column).collect::<PyResult<_>>()?,
        values: to_numbers(&values)?,
        weights: to_numbers(&weights)?,
        notes: notes.iter().map(to_notes).collect::<PyResult<_>>()?,
        without_relevant: to_labels(&without_relevant)?,
        runs,
    };
    let rows = scores.runs.len().checked_mul(scores.topics.len());
    let cells = rows.and_then(|rows| rows.checked_mul(scores.measures.len()));
    whole(cells == Some(scores.values.len()) && scores.notes.len() == scores.runs.len())?;
    whole(scores.weights.is_empty() || cells == Some(scores.weights.len()))?;
    // What is undefined is no number, and has no weight.
    whole(!scores.values.iter().any(|value| value.is_infinite()))?;
    let fits = |weight: &f64| weight.is_nan() || (0.0..f64::INFINITY).contains(weight);
    whole(scores.weights.iter().all(fits))?;
    Ok(Scores(scores))
}

// --- Measures -------------------------------------------------------------------

/// The state of a measure.
pub fn measure<'py>(py: Python<'py>, measure: &CoreMeasure) -> PyResult<Reduced<'py>> {
    reduced(py, "unpickled_measure", (format!("{measure:#}"),))
}

/// The measure of a pickle.
#[pyfunction]
#[pyo3(signature = (*parts))]
pub fn unpickled_measure(parts: &Bound<'_, PyTuple>) -> PyResult<Measure> {
    let (text,): (String,) = opened(parts)?;
    to_measure(&text).map(Measure)
}

/// The measure of a text that is its name and no other spelling.
fn to_measure(text: &str) -> PyResult<CoreMeasure> {
    let measure = grammar::parse(text).map_err(|_| damaged())?;
    whole(format!("{measure:#}") == text)?;
    Ok(measure)
}

// --- Limits -------------------------------------------------------------------

/// The state of limits.
pub fn limits(py: Python<'_>, limits: Limits) -> PyResult<Reduced<'_>> {
    let limits = limits.0;
    let state = (limits.decompression_ratio, limits.decompression_free, limits.line_bytes);
    reduced(py, "unpickled_limits", state)
}

/// The limits of a pickle.
#[pyfunction]
#[pyo3(signature = (*parts))]
pub fn unpickled_limits(parts: &Bound<'_, PyTuple>) -> PyResult<Limits> {
    let (decompression_ratio, decompression_free, line_bytes): (u64, u64, usize) = opened(parts)?;
    whole(decompression_ratio > 0 && decompression_free > 0 && line_bytes > 0)?;
    Ok(Limits(CoreLimits { decompression_ratio, decompression_free, line_bytes }))
}
