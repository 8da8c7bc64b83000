//! Runs in pickles.

use cranfield_core::costs::Unit;
use cranfield_core::memory;
use cranfield_core::rank::{Lines, Run as CoreRun};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::{PyBytes, PyTuple};

use super::packing::{
    Packed, PackedIds, UNWATCHED, distinct, ids, is_minus_zero, numbers, to_finite, to_ids,
    to_numbers,
};
use super::{Reduced, ensure, opened, reduced};
use crate::errors::OrRaise;

/// A topic: id, documents, scores, ranks, and costs in each unit.
type ListState<T> = (T, PackedIds<T>, T, T, [T; Unit::ALL.len()]);

/// The pickle of a run.
pub fn pickled<'py>(py: Python<'py>, run: &CoreRun) -> PyResult<Reduced<'py>> {
    let list = |(topic, lines): &(Box<[u8]>, Lines)| -> PyResult<ListState<Packed<'py>>> {
        py.check_signals()?;
        // Ids and numbers are gathered, and copied to Python's memory.
        let bytes: usize = (0..lines.len()).map(|line| lines.document(line).len()).sum();
        memory::room_for(2 * (bytes + 24 * lines.len())).or_raise()?;
        let [chars, tokens, cost, calls] =
            Unit::ALL.map(|unit| numbers(py, lines.costs(unit).iter().copied()));
        let costs = [chars?, tokens?, cost?, calls?];
        Ok((
            PyBytes::new(py, topic),
            ids(py, (0..lines.len()).map(|line| lines.document(line)))?,
            numbers(py, (0..lines.len()).map(|line| lines.score(line)))?,
            numbers(py, lines.ranks().iter().copied())?,
            costs,
        ))
    };
    let tag = run.tag.as_ref().map(|tag| PyBytes::new(py, tag));
    let topics: Vec<ListState<Packed<'py>>> =
        run.topics.iter().map(list).collect::<PyResult<_>>()?;
    let CoreRun { name, repaired, comments, repaired_ranks, .. } = run;
    let state = (name.as_str(), tag, *repaired, *comments, *repaired_ranks, topics);
    reduced(py, "unpickled_run", state)
}

/// A run: name, tag, the numbers of repaired fields, comments and repaired ranks, topics.
type RunState<T> = (String, Option<T>, u64, u64, u64, Vec<ListState<T>>);

/// The run of a pickle.
pub fn unpickled(parts: &Bound<'_, PyTuple>) -> PyResult<CoreRun> {
    let (name, tag, repaired, comments, repaired_ranks, topics): RunState<PyBackedBytes> =
        opened(parts)?;
    ensure(distinct(topics.iter().map(|topic| &topic.0[..])))?;
    let tag = tag.map(|tag| tag.to_vec());
    let mut run = CoreRun { name, tag, repaired, repaired_ranks, comments, ..CoreRun::default() };
    for (topic, documents, scores, ranks, costs) in &topics {
        parts.py().check_signals()?;
        let (documents, scores, ranks) =
            (to_ids(documents)?, to_finite(scores)?, to_finite(ranks)?);
        ensure(scores.len() == documents.len())?;
        ensure(!scores.iter().copied().any(is_minus_zero))?;
        ensure(ranks.is_empty() || ranks.len() == scores.len())?;
        let mut amounts: Vec<(Unit, Vec<f64>)> = Vec::new();
        for (unit, packed) in Unit::ALL.into_iter().zip(costs) {
            amounts.push((unit, to_numbers(packed)?));
        }
        ensure(amounts.iter().all(|(_, column)| column.len() <= scores.len()))?;
        let mut lines = Lines::default();
        for (line, (document, score)) in documents.into_iter().zip(scores).enumerate() {
            if line % UNWATCHED == 0 {
                parts.py().check_signals()?;
            }
            lines.make_room(1, document.len()).or_raise()?;
            lines.push(document, score);
            if let Some(&rank) = ranks.get(line) {
                lines.push_rank(rank);
            }
            for (unit, column) in &amounts {
                if let Some(&cost) = column.get(line) {
                    lines.push_cost(*unit, cost);
                }
            }
        }
        run.topics.push((topic.as_ref().into(), lines));
    }
    Ok(run)
}
