//! Scores and notes in pickles.

use cranfield_core::scores::{Notes as CoreNotes, Said, Scores as CoreScores};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::{PyBytes, PyTuple};

use super::measures::{ColumnState, column_state, to_column};
use super::packing::{Packed, PackedIds, distinct, ids, numbers, to_labels, to_numbers};
use super::{Reduced, ensure, opened, reduced};

/// The notes on a run: its tag, counts, the topics it lacks, its topics without judgments,
/// and sentences.
type NotesState<T> = (Option<T>, NoteCounts, PackedIds<T>, PackedIds<T>, [Option<String>; 6]);

/// Lines, ties, duplicates, own documents, repaired fields, comments, documents looked at, and those tied.
type NoteCounts = (u64, u64, u64, u64, u64, u64, u64, u64);

fn notes_state<'py>(py: Python<'py>, notes: &CoreNotes) -> PyResult<NotesState<Packed<'py>>> {
    let CoreNotes { lines, ties, duplicates, own, repaired, comments, seen, tied, .. } = *notes;
    let said = notes.said.as_deref().cloned().unwrap_or_default();
    Ok((
        notes.tag.as_ref().map(|tag| PyBytes::new(py, tag)),
        (lines, ties, duplicates, own, repaired, comments, seen, tied),
        ids(py, notes.missing.iter().map(|id| &**id))?,
        ids(py, notes.without_judgments.iter().map(|id| &**id))?,
        [said.unmatched, said.tied, said.rising, said.own_first, said.of_text, said.topics_hint],
    ))
}

fn to_notes(state: &NotesState<PyBackedBytes>) -> PyResult<CoreNotes> {
    let (tag, counts, missing, without, said) = state;
    let (lines, ties, duplicates, own, repaired, comments, seen, tied) = counts;
    let [unmatched, tied_said, rising, own_first, of_text, topics_hint] = said.clone();
    let said = Said { unmatched, tied: tied_said, rising, own_first, of_text, topics_hint };
    Ok(CoreNotes {
        tag: tag.as_ref().map(|tag| tag.to_vec()),
        lines: *lines,
        missing: to_labels(missing)?,
        without_judgments: to_labels(without)?,
        ties: *ties,
        duplicates: *duplicates,
        own: *own,
        repaired: *repaired,
        comments: *comments,
        seen: *seen,
        tied: *tied,
        said: (said != Said::default()).then(|| Box::new(said)),
        ..CoreNotes::default()
    })
}

/// The pickle of the notes on a run.
pub fn pickled_notes<'py>(
    py: Python<'py>,
    run: &str,
    notes: &CoreNotes,
    without_relevant: &[Box<[u8]>],
    judgments: &[Box<str>],
) -> PyResult<Reduced<'py>> {
    let without = ids(py, without_relevant.iter().map(|id| &**id))?;
    let judgments: Vec<String> = judgments.iter().map(ToString::to_string).collect();
    reduced(py, "unpickled_notes", (run, notes_state(py, notes)?, without, judgments))
}

/// The name of a run, the notes on it, the topics without a relevant document, and sentences
/// about the judgments.
pub type NotesParts = (String, CoreNotes, Vec<Box<[u8]>>, Vec<Box<str>>);

/// The notes of a pickle.
pub fn unpickled_notes(parts: &Bound<'_, PyTuple>) -> PyResult<NotesParts> {
    type State = (String, NotesState<PyBackedBytes>, PackedIds<PyBackedBytes>, Vec<String>);
    let (run, notes, without_relevant, judgments): State = opened(parts)?;
    let judgments = judgments.into_iter().map(Into::into).collect();
    Ok((run, to_notes(&notes)?, to_labels(&without_relevant)?, judgments))
}

/// The pickle of scores.
pub fn pickled<'py>(py: Python<'py>, scores: &CoreScores) -> PyResult<Reduced<'py>> {
    let measures: Vec<ColumnState> = scores.measures.iter().map(column_state).collect();
    let notes: Vec<NotesState<Packed<'py>>> =
        scores.notes.iter().map(|notes| notes_state(py, notes)).collect::<PyResult<_>>()?;
    let state = (
        scores.runs.clone(),
        ids(py, scores.topics.iter().map(|id| &**id))?,
        measures,
        numbers(py, scores.values.iter().copied())?,
        numbers(py, scores.weights.iter().copied())?,
        notes,
        ids(py, scores.without_relevant.iter().map(|id| &**id))?,
        scores.judgments.iter().map(ToString::to_string).collect::<Vec<_>>(),
    );
    reduced(py, "unpickled_scores", state)
}

/// Scores: runs, topics, measures, values, weights, notes, topics without a relevant document,
/// sentences about the judgments.
type ScoresState<T> = (
    Vec<String>,
    PackedIds<T>,
    Vec<ColumnState>,
    T,
    T,
    Vec<NotesState<T>>,
    PackedIds<T>,
    Vec<String>,
);

/// The scores of a pickle.
pub fn unpickled(parts: &Bound<'_, PyTuple>) -> PyResult<CoreScores> {
    let (runs, topics, measures, values, weights, notes, without_relevant, judgments): ScoresState<
        PyBackedBytes,
    > = opened(parts)?;
    ensure(distinct(&runs) && distinct(&measures))?;
    let scores = CoreScores {
        topics: to_labels(&topics)?.into(),
        measures: measures.iter().map(to_column).collect::<PyResult<_>>()?,
        values: to_numbers(&values)?,
        weights: to_numbers(&weights)?,
        notes: notes.iter().map(to_notes).collect::<PyResult<_>>()?,
        without_relevant: to_labels(&without_relevant)?.into(),
        judgments: judgments.into_iter().map(Into::into).collect(),
        runs,
    };
    let rows = scores.runs.len().checked_mul(scores.topics.len());
    let cells = rows.and_then(|rows| rows.checked_mul(scores.measures.len()));
    ensure(cells == Some(scores.values.len()) && scores.notes.len() == scores.runs.len())?;
    ensure(scores.weights.is_empty() || cells == Some(scores.weights.len()))?;
    // Undefined values and their weights are NaN, never infinite.
    ensure(!scores.values.iter().any(|value| value.is_infinite()))?;
    let fits = |weight: &f64| weight.is_nan() || (0.0..f64::INFINITY).contains(weight);
    ensure(scores.weights.iter().all(fits))?;
    Ok(scores)
}
