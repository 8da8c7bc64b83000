//! Orders of runs and of topics: letters of groups, votes, curves of abstention; and numbers of
//! single topics.

use cranfield_core::stats::abstain::{self, AbstentionCurves};
use cranfield_core::stats::answers::{self, HeldNugget, JudgedCriterion};
use cranfield_core::stats::one_click::{ReadText, TextNugget};
use cranfield_core::stats::predict::{PredictedStratum, predicted_mean};
use cranfield_core::stats::{letters, votes};
use numpy::{IntoPyArray, PyArray1, PyArray2, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;

use super::Table;
use crate::errors::OrRaise;
use crate::watch::interruptible;

fn rows(table: &Table<'_>) -> Vec<Vec<f64>> {
    table.as_array().rows().into_iter().map(|row| row.to_vec()).collect()
}

/// Groups of items, and the letters of each item.
type Letters = (Vec<Vec<usize>>, Vec<String>);

#[doc = stub!("letter_groups")]
#[pyfunction]
#[pyo3(signature = (differ, /))]
pub fn letter_groups(py: Python<'_>, differ: PyReadonlyArray2<'_, bool>) -> PyResult<Letters> {
    let items = differ.as_array().nrows();
    let cells: Vec<bool> = differ.as_array().iter().copied().collect();
    let groups = interruptible(py, || letters::letter_groups(&cells, items))?.or_raise()?;
    let texts = letters::letters_of(&groups, items);
    Ok((groups, texts))
}

#[doc = stub!("borda")]
#[pyfunction]
#[pyo3(signature = (values, /))]
pub fn borda<'py>(py: Python<'py>, values: Table<'py>) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let rows = rows(&values);
    Ok(interruptible(py, || votes::borda(&rows))?.or_raise()?.into_pyarray(py))
}

#[doc = stub!("copeland")]
#[pyfunction]
#[pyo3(signature = (values, /))]
pub fn copeland<'py>(py: Python<'py>, values: Table<'py>) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let rows = rows(&values);
    Ok(interruptible(py, || votes::copeland(&rows))?.or_raise()?.into_pyarray(py))
}

#[doc = stub!("condorcet_winner")]
#[pyfunction]
#[pyo3(signature = (values, /))]
pub fn condorcet_winner(py: Python<'_>, values: Table<'_>) -> PyResult<Option<usize>> {
    let rows = rows(&values);
    interruptible(py, || votes::condorcet_winner(&rows))?.or_raise()
}

#[doc = stub!("abstention_areas")]
#[pyfunction]
#[pyo3(signature = (measures, confidence, rates, shared, /))]
pub fn abstention_areas<'py>(
    py: Python<'py>,
    measures: Table<'py>,
    confidence: Table<'py>,
    rates: PyReadonlyArray1<'py, f64>,
    shared: bool,
) -> Bound<'py, PyArray2<f64>> {
    let (measures, rates) = (rows(&measures), rates.as_array().to_vec());
    let curves = AbstentionCurves { measures: &measures, rates: &rates, shared };
    let areas: Vec<Vec<f64>> = rows(&confidence).iter().map(|row| curves.areas(row)).collect();
    PyArray2::from_vec2(py, &areas).unwrap_or_else(|_| PyArray2::zeros(py, [0, 0], false))
}

#[doc = stub!("list_confidence")]
#[pyfunction]
#[pyo3(signature = (scores, sizes, /))]
pub fn list_confidence<'py>(
    py: Python<'py>,
    scores: PyReadonlyArray1<'py, f64>,
    sizes: Vec<usize>,
) -> [Bound<'py, PyArray1<f64>>; 3] {
    let found = abstain::confidence(&scores.as_array().to_vec(), &sizes);
    found.map(|values| values.into_pyarray(py))
}

/// Of a stratum: its weight, values under gold, under the model, and of other topics.
type Stratum<'py> =
    (f64, PyReadonlyArray1<'py, f64>, PyReadonlyArray1<'py, f64>, PyReadonlyArray1<'py, f64>);

#[doc = stub!("predicted_mean")]
#[pyfunction(name = "predicted_mean")]
#[pyo3(signature = (strata, lam, /))]
pub fn mean_of_strata(
    strata: Vec<Stratum<'_>>,
    lam: Option<f64>,
) -> (f64, f64, f64, f64, Vec<f64>) {
    let stratum = |(weight, gold, model, others): &Stratum<'_>| PredictedStratum {
        weight: *weight,
        gold: gold.as_array().to_vec(),
        model: model.as_array().to_vec(),
        others: others.as_array().to_vec(),
    };
    let found = predicted_mean(&strata.iter().map(stratum).collect::<Vec<_>>(), lam);
    (found.estimate, found.variance, found.gold, found.gold_variance, found.lams)
}

#[doc = stub!("one_click")]
#[pyfunction]
#[pyo3(signature = (nuggets, found, length, patience, beta, /))]
pub fn one_click(
    nuggets: Vec<TextNugget>,
    found: Vec<(TextNugget, u64)>,
    length: u64,
    patience: u64,
    beta: f64,
) -> Option<[f64; 7]> {
    ReadText { nuggets: &nuggets, found: &found, length, patience, beta }.measures()
}

#[doc = stub!("nugget_recall")]
#[pyfunction]
#[pyo3(signature = (nuggets, /))]
pub fn nugget_recall(nuggets: Vec<HeldNugget>) -> [f64; 6] {
    answers::nugget_recall(&nuggets)
}

#[doc = stub!("citation_support")]
#[pyfunction]
#[pyo3(signature = (sentences, /))]
pub fn citation_support(sentences: Vec<Vec<i32>>) -> [f64; 8] {
    answers::citation_support(&sentences)
}

#[doc = stub!("rubric_score")]
#[pyfunction]
#[pyo3(signature = (criteria, /))]
pub fn rubric_score(criteria: Vec<JudgedCriterion>) -> (f64, f64, u64) {
    answers::rubric_score(&criteria)
}
