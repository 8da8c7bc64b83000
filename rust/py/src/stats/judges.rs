//! Two judges as Python compares them, and what topics have, in numbers.

use cranfield_core::judges::{JudgedTwice, MeansTwice, OrderedTwice, resampled_taus};
use cranfield_core::stats::agree::Marginals;
use cranfield_core::stats::paired::ScoreTable;
use cranfield_core::topic_counts::{TopicColumn, of_documents, of_spans};
use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1, PyUntypedArrayMethods};
use pyo3::prelude::*;

use super::Table;
use super::paired::{replicates_of, seed_of};
use crate::errors::OrRaise;
use crate::options::choose;
use crate::qrels::Qrels;
use crate::spans::SpanQrels;
use crate::watch::interruptible;

/// Judgments of documents, or of spans.
#[derive(FromPyObject)]
pub enum AnyJudgments {
    #[pyo3(transparent)]
    Documents(Qrels),
    #[pyo3(transparent)]
    Spans(SpanQrels),
}

#[doc = stub!("topic_counts")]
#[pyfunction]
#[pyo3(signature = (judgments, rel, /, *, everything = false))]
pub fn topic_counts(
    py: Python<'_>,
    judgments: AnyJudgments,
    rel: f64,
    everything: bool,
) -> PyResult<Vec<TopicColumn>> {
    interruptible(py, || match judgments {
        AnyJudgments::Documents(qrels) => of_documents(&qrels.0, rel, everything),
        AnyJudgments::Spans(gold) => of_spans(&gold.0, rel),
    })
}

/// How the marginals of kappa are called.
pub fn marginals_of(name: &str) -> PyResult<Marginals> {
    let choices = [
        ("pooled", Marginals::Pooled),
        ("separate", Marginals::Separate),
        ("uniform", Marginals::Uniform),
    ];
    choose("marginals", name, &choices)
}

/// The places of topics, the grades, the numbers of pairs of grades, and the coefficients: of each
/// topic, of all, and on average.
type Agreed = (Vec<usize>, Vec<f64>, Vec<f64>, Vec<Vec<f64>>, Vec<f64>, Vec<f64>);

#[doc = stub!("judged_twice")]
#[pyfunction]
#[pyo3(signature = (gold, other, marginals, /))]
pub fn judged_twice(
    py: Python<'_>,
    gold: &Qrels,
    other: &Qrels,
    marginals: &str,
) -> PyResult<Agreed> {
    let marginals = marginals_of(marginals)?;
    let found = interruptible(py, || JudgedTwice::of(&gold.0, &other.0, marginals))?;
    let JudgedTwice { topics, grades, matrix, rows, all, means } = found.or_raise()?;
    Ok((topics, grades, matrix, rows, all, means))
}

/// Correlations, that of the best runs, how many pairs of these are inverted, and the runs that
/// move furthest and fall furthest, with the ranks by which they rise.
type Ordered = ([f64; 6], f64, usize, (usize, i64), (usize, i64));

#[doc = stub!("ordered_twice")]
#[pyfunction]
#[pyo3(signature = (first, second, top, /, *, tolerance))]
pub fn ordered_twice(
    py: Python<'_>,
    first: PyReadonlyArray1<'_, f64>,
    second: PyReadonlyArray1<'_, f64>,
    top: usize,
    tolerance: f64,
) -> PyResult<Ordered> {
    let (first, second) = (first.as_array().to_vec(), second.as_array().to_vec());
    let means = MeansTwice { first: &first, second: &second, tolerance };
    let found = interruptible(py, || means.order(top))?.or_raise()?;
    let OrderedTwice { correlations, top, inverted, moved, fell } = found;
    Ok((correlations, top, inverted, moved, fell))
}

#[doc = stub!("tied_ranks")]
#[pyfunction]
#[pyo3(signature = (means, /, *, tolerance))]
pub fn tied_ranks<'py>(
    py: Python<'py>,
    means: PyReadonlyArray1<'py, f64>,
    tolerance: f64,
) -> Bound<'py, PyArray1<i64>> {
    let means = means.as_array().to_vec();
    MeansTwice { first: &means, second: &means, tolerance }.ranks(&means).into_pyarray(py)
}

#[doc = stub!("resampled_taus")]
#[pyfunction(name = "resampled_taus")]
#[pyo3(signature = (first, second, /, *, tolerance, resamples, seed))]
pub fn taus_of_resamples<'py>(
    py: Python<'py>,
    first: Table<'py>,
    second: Table<'py>,
    tolerance: f64,
    resamples: &Bound<'py, PyAny>,
    seed: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let (resamples, seed) = (replicates_of(resamples)?, seed_of(seed)?);
    let topics = first.shape()[1];
    let (first, second) = (cells(&first), cells(&second));
    let (first, second) = (ScoreTable::new(&first, topics), ScoreTable::new(&second, topics));
    let found = interruptible(py, || resampled_taus(first, second, tolerance, resamples, seed))?;
    Ok(found.or_raise()?.into_pyarray(py))
}

fn cells(table: &Table<'_>) -> Vec<f64> {
    table.as_array().iter().copied().collect()
}
