//! What judgments, runs and scores are in a pickle: tuples of bytes and
//! numbers, columns as the bytes of their numbers, low byte first. They are as
//! little a file format as pickles are: another version may refuse them.

use std::sync::Arc;

use cranfield_core::error::Kind;
use cranfield_core::grammar;
use cranfield_core::intents::Intents;
use cranfield_core::qrels::{Builder, Qrels as CoreQrels, Topic};
use cranfield_core::run::{Lines, Run as CoreRun};
use cranfield_core::scores::{Notes as CoreNotes, Scores as CoreScores};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::{PyBytes, PyTuple};

use crate::data::{Limits, Qrels, Run};
use crate::errors::{OrRaise, fail};
use crate::outputs::{Notes, Scores};

/// What `__reduce__` gives back: a function of this module and its argument.
pub type Reduced<'py> = (Bound<'py, PyAny>, Bound<'py, PyTuple>);

fn reduced<'py, T>(py: Python<'py>, function: &str, state: T) -> PyResult<Reduced<'py>>
where
    T: IntoPyObject<'py, Target = PyTuple, Output = Bound<'py, PyTuple>, Error = PyErr>,
{
    let function = py.import("cranfield._core")?.getattr(function)?;
    Ok((function, state.into_pyobject(py)?))
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

fn to_numbers(bytes: &[u8]) -> PyResult<Vec<f64>> {
    let (numbers, rest) = bytes.as_chunks::<8>();
    if rest.is_empty() {
        return Ok(numbers.iter().map(|bytes| f64::from_le_bytes(*bytes)).collect());
    }
    Err(damaged())
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

/// The judgments of a pickle.
#[pyfunction]
#[pyo3(signature = (docs_in_collection, repaired, grades, columns, by_intent, topics, /))]
pub fn unpickled_qrels(
    docs_in_collection: Option<u64>,
    repaired: u64,
    grades: PyBackedBytes,
    columns: Vec<String>,
    by_intent: bool,
    topics: Vec<TopicState<PyBackedBytes>>,
) -> PyResult<Qrels> {
    let grades = to_numbers(&grades)?;
    let mut builder = Builder::new(&[]);
    builder.repaired = repaired;
    let mut values: Vec<Vec<Vec<f64>>> = vec![Vec::new(); columns.len()];
    let mut intents = Vec::with_capacity(topics.len());
    for (id, documents, levels, of_topic, served) in &topics {
        let documents = to_ids(documents)?;
        let grade = |level: u32| grades.get(level as usize).copied().ok_or_else(damaged);
        let own: Vec<f64> = to_counts(levels)?.into_iter().map(grade).collect::<PyResult<_>>()?;
        if own.len() != documents.len() || of_topic.len() != columns.len() {
            return Err(damaged());
        }
        builder.topic(id);
        builder.add_list(id, &documents, &own).map_err(|_| damaged())?;
        for (column, bytes) in values.iter_mut().zip(of_topic) {
            column.push(to_numbers(bytes)?);
            if column.last().map(Vec::len) != Some(documents.len()) {
                return Err(damaged());
            }
        }
        intents.push(to_intents(served, documents.len())?);
    }
    let mut qrels = builder.finish(docs_in_collection).with_grades(&grades);
    if qrels.topics().len() != topics.len() {
        return Err(damaged());
    }
    for (name, column) in columns.iter().zip(values) {
        qrels = qrels.with_column(name, column);
    }
    if by_intent {
        qrels = qrels.with_intents(intents);
    }
    Ok(Qrels(Arc::new(qrels)))
}

fn to_intents(state: &IntentState<PyBackedBytes>, documents: usize) -> PyResult<Intents> {
    let (names, weights, navigational, places, numbers, grades) = state;
    let names = boxed(to_ids(names)?);
    let weights = to_numbers(weights)?;
    let navigational = to_counts(navigational)?;
    let (places, numbers, grades) = (to_counts(places)?, to_counts(numbers)?, to_numbers(grades)?);
    let fits = weights.len() == names.len()
        && navigational.len() == names.len()
        && places.len() == grades.len()
        && numbers.len() == grades.len()
        && places.iter().all(|&place| (place as usize) < documents)
        && numbers.iter().all(|&number| (number as usize) < names.len());
    if !fits {
        return Err(damaged());
    }
    let entries = places.into_iter().zip(numbers).zip(grades);
    let entries = entries.map(|((place, number), grade)| (place, number, grade)).collect();
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
    let state = (name.as_str(), tag, *repaired, *comments, topics, *repaired_ranks);
    reduced(py, "unpickled_run", state)
}

/// The run of a pickle.
#[pyfunction]
#[pyo3(signature = (name, tag, repaired, comments, topics, repaired_ranks, /))]
pub fn unpickled_run(
    name: String,
    tag: Option<PyBackedBytes>,
    repaired: u64,
    comments: u64,
    topics: Vec<ListState<PyBackedBytes>>,
    repaired_ranks: u64,
) -> PyResult<Run> {
    let tag = tag.map(|tag| tag.to_vec());
    let mut run = CoreRun { name, tag, repaired, repaired_ranks, comments, ..CoreRun::default() };
    for (topic, documents, scores, ranks) in &topics {
        let (documents, scores, ranks) =
            (to_ids(documents)?, to_numbers(scores)?, to_numbers(ranks)?);
        if scores.len() != documents.len() || !(ranks.is_empty() || ranks.len() == scores.len()) {
            return Err(damaged());
        }
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
type NotesState<T> = (Option<T>, [u64; 5], Ids<T>, Ids<T>);

fn notes_state<'py>(py: Python<'py>, notes: &CoreNotes) -> NotesState<Packed<'py>> {
    let CoreNotes { lines, ties, duplicates, repaired, comments, .. } = *notes;
    (
        notes.tag.as_ref().map(|tag| PyBytes::new(py, tag)),
        [lines, ties, duplicates, repaired, comments],
        ids(py, notes.missing.iter().map(|id| &**id)),
        ids(py, notes.without_judgments.iter().map(|id| &**id)),
    )
}

fn to_notes(state: &NotesState<PyBackedBytes>) -> PyResult<CoreNotes> {
    let (tag, [lines, ties, duplicates, repaired, comments], missing, without) = state;
    Ok(CoreNotes {
        tag: tag.as_ref().map(|tag| tag.to_vec()),
        lines: *lines,
        missing: boxed(to_ids(missing)?),
        without_judgments: boxed(to_ids(without)?),
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
#[pyo3(signature = (run, notes, without_relevant, /))]
pub fn unpickled_notes(
    run: String,
    notes: NotesState<PyBackedBytes>,
    without_relevant: Ids<PyBackedBytes>,
) -> PyResult<Notes> {
    Ok(Notes::of(run, to_notes(&notes)?, boxed(to_ids(&without_relevant)?)))
}

/// The state of scores.
pub fn scores<'py>(py: Python<'py>, scores: &CoreScores) -> PyResult<Reduced<'py>> {
    let measures: Vec<String> = scores.measures.iter().map(ToString::to_string).collect();
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

/// The scores of a pickle.
#[pyfunction]
#[pyo3(signature = (runs, topics, measures, values, weights, notes, without_relevant, /))]
pub fn unpickled_scores(
    runs: Vec<String>,
    topics: Ids<PyBackedBytes>,
    measures: Vec<String>,
    values: PyBackedBytes,
    weights: PyBackedBytes,
    notes: Vec<NotesState<PyBackedBytes>>,
    without_relevant: Ids<PyBackedBytes>,
) -> PyResult<Scores> {
    let parse = |measure: &String| grammar::parse(measure).or_raise();
    let scores = CoreScores {
        topics: boxed(to_ids(&topics)?),
        measures: measures.iter().map(parse).collect::<PyResult<_>>()?,
        values: to_numbers(&values)?,
        weights: to_numbers(&weights)?,
        notes: notes.iter().map(to_notes).collect::<PyResult<_>>()?,
        without_relevant: boxed(to_ids(&without_relevant)?),
        runs,
    };
    let cells = scores.runs.len() * scores.topics.len() * scores.measures.len();
    let weighed = scores.weights.is_empty() || scores.weights.len() == cells;
    if scores.values.len() != cells || !weighed || scores.notes.len() != scores.runs.len() {
        return Err(damaged());
    }
    Ok(Scores(scores))
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
#[pyo3(signature = (decompression_ratio, decompression_free, line_bytes, /))]
pub fn unpickled_limits(
    decompression_ratio: u64,
    decompression_free: u64,
    line_bytes: usize,
) -> Limits {
    let core =
        cranfield_core::read::open::Limits { decompression_ratio, decompression_free, line_bytes };
    Limits(core)
}
