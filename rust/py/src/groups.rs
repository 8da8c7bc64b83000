//! Labels and scores by group, as Python sees them.

use cranfield_core::evaluate::Groups;
use numpy::PyReadonlyArray1;
use pyo3::prelude::*;
use std::sync::Arc;

use crate::errors::OrRaise;
use crate::qrels::Qrels;
use crate::ranked::Ranked;
use crate::watch::in_this_thread;

/// A column of numbers that is read in place.
#[derive(FromPyObject)]
pub enum Column<'py> {
    Double(PyReadonlyArray1<'py, f64>),
    Single(PyReadonlyArray1<'py, f32>),
}

#[derive(Clone, Copy)]
enum Numbers<'a> {
    Double(&'a [f64]),
    Single(&'a [f32]),
}

impl Column<'_> {
    fn numbers(&self) -> PyResult<Numbers<'_>> {
        Ok(match self {
            Column::Double(array) => Numbers::Double(array.as_slice()?),
            Column::Single(array) => Numbers::Single(array.as_slice()?),
        })
    }
}

impl Numbers<'_> {
    fn get(self, row: usize) -> f64 {
        match self {
            Numbers::Double(numbers) => numbers[row],
            Numbers::Single(numbers) => f64::from(numbers[row]),
        }
    }
}

#[doc = stub!("grouped")]
#[pyfunction]
#[pyo3(signature = (labels, scores, groups, ties, /))]
pub fn grouped(
    py: Python<'_>,
    labels: Column<'_>,
    scores: Column<'_>,
    groups: Vec<(String, usize)>,
    ties: bool,
) -> PyResult<(Qrels, Ranked)> {
    let (labels, scores) = (labels.numbers()?, scores.numbers()?);
    let named = groups.into_iter().map(|(name, end)| (name.into_bytes().into(), end));
    let groups: Vec<(Box<[u8]>, usize)> = named.collect();
    let work = |_: &_| {
        let (label, score) = (|row| labels.get(row), |row| scores.get(row));
        Groups { groups: &groups, label: &label, score: &score, ties }.ranked()
    };
    let (qrels, ranked) = in_this_thread(py, work, None)?.or_raise()?;
    Ok((Qrels(qrels), Ranked(Arc::new(ranked))))
}
