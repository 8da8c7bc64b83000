//! Correlation, overlap and agreement for `cranfield.stats`: numbers in,
//! numbers out.

use cranfield_core::memory;
use cranfield_core::stats::agree::{self, Agreement, Scale};
use cranfield_core::stats::correlate::{self, Coefficient};
use cranfield_core::stats::order::{self, ApTies, Correlation, TauMethod, Variant};
use cranfield_core::stats::overlap::{self, TieTreatment};
use numpy::{PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1};
use pyo3::prelude::*;

use super::Table;
use super::judges::marginals_of;
use crate::errors::OrRaise;
use crate::options::choose;
use crate::watch::{in_another_thread, interruptible};

type FloatArray<'py> = PyReadonlyArray1<'py, f64>;

fn variant_of(name: &str) -> PyResult<Variant> {
    choose("variant", name, &[("b", Variant::B), ("a", Variant::A)])
}

fn ap_ties_of(name: &str) -> PyResult<ApTies> {
    let choices = [("average", ApTies::Average), ("a", ApTies::A), ("b", ApTies::B)];
    choose("ties", name, &choices)
}

/// Bytes a number that a statistic needs, for its ranks and for sorting.
const BYTES_PER_NUMBER: usize = 64;

/// The numbers of an array, whatever its strides.
fn numbers(array: &FloatArray) -> PyResult<Vec<f64>> {
    let array = array.as_array();
    memory::room_for(BYTES_PER_NUMBER * array.len()).or_raise()?;
    Ok(array.to_vec())
}

/// The cells of a table, row after row, and how many columns it has.
fn cells(table: &Table) -> PyResult<(Vec<f64>, usize)> {
    let table = table.as_array();
    memory::room_for(BYTES_PER_NUMBER * table.len()).or_raise()?;
    Ok((table.iter().copied().collect(), table.ncols()))
}

fn pair(found: Correlation) -> (f64, f64) {
    (found.statistic, found.pvalue)
}

fn agreement(found: Agreement) -> (f64, f64, f64, f64, f64) {
    (found.statistic, found.observed, found.expected, found.pvalue, found.error)
}

#[doc = stub!("kendall")]
#[pyfunction]
#[pyo3(signature = (x, y, /, *, variant = "b", method = "auto", tolerance = 0.0))]
pub fn kendall(
    py: Python<'_>,
    x: FloatArray<'_>,
    y: FloatArray<'_>,
    variant: &str,
    method: &str,
    tolerance: f64,
) -> PyResult<(f64, f64)> {
    let variant = variant_of(variant)?;
    let methods = [
        ("auto", TauMethod::Auto),
        ("exact", TauMethod::Exact),
        ("asymptotic", TauMethod::Asymptotic),
    ];
    let method = choose("method", method, &methods)?;
    let (x, y) = (numbers(&x)?, numbers(&y)?);
    interruptible(py, || order::kendall(&x, &y, variant, method, tolerance))?.or_raise().map(pair)
}

#[doc = stub!("tau_ap")]
#[pyfunction]
#[pyo3(signature = (estimate, truth, /, *, ties = "average", tolerance = 0.0))]
pub fn tau_ap(
    py: Python<'_>,
    estimate: FloatArray<'_>,
    truth: FloatArray<'_>,
    ties: &str,
    tolerance: f64,
) -> PyResult<f64> {
    let ties = ap_ties_of(ties)?;
    let (estimate, truth) = (numbers(&estimate)?, numbers(&truth)?);
    interruptible(py, || order::tau_ap(&estimate, &truth, ties, tolerance))?.or_raise()
}

#[doc = stub!("tau_gap")]
#[pyfunction]
#[pyo3(signature = (truth, estimate, /))]
pub fn tau_gap(py: Python<'_>, truth: FloatArray<'_>, estimate: FloatArray<'_>) -> PyResult<f64> {
    let (truth, estimate) = (numbers(&truth)?, numbers(&estimate)?);
    interruptible(py, || order::tau_gap(&truth, &estimate))?.or_raise()
}

#[doc = stub!("spearman")]
#[pyfunction]
#[pyo3(signature = (x, y, /, *, tolerance = 0.0))]
pub fn spearman(
    py: Python<'_>,
    x: FloatArray<'_>,
    y: FloatArray<'_>,
    tolerance: f64,
) -> PyResult<(f64, f64)> {
    let (x, y) = (numbers(&x)?, numbers(&y)?);
    interruptible(py, || correlate::spearman(&x, &y, tolerance))?.or_raise().map(pair)
}

#[doc = stub!("pearson")]
#[pyfunction]
#[pyo3(signature = (x, y, /))]
pub fn pearson(py: Python<'_>, x: FloatArray<'_>, y: FloatArray<'_>) -> PyResult<(f64, f64)> {
    let (x, y) = (numbers(&x)?, numbers(&y)?);
    interruptible(py, || correlate::pearson(&x, &y))?.or_raise().map(pair)
}

#[doc = stub!("fisher_interval")]
#[pyfunction]
#[pyo3(signature = (r, items, confidence, /))]
pub fn fisher_interval(r: f64, items: usize, confidence: f64) -> PyResult<(f64, f64)> {
    correlate::fisher_interval(r, items, confidence).or_raise()
}

#[doc = stub!("rms_error")]
#[pyfunction]
#[pyo3(signature = (estimate, truth, /))]
pub fn rms_error(estimate: FloatArray<'_>, truth: FloatArray<'_>) -> PyResult<f64> {
    correlate::rms_error(&numbers(&estimate)?, &numbers(&truth)?).or_raise()
}

#[doc = stub!("max_drop")]
#[pyfunction]
#[pyo3(signature = (before, after, /, *, tolerance = 0.0))]
pub fn max_drop(
    py: Python<'_>,
    before: FloatArray<'_>,
    after: FloatArray<'_>,
    tolerance: f64,
) -> PyResult<(u32, usize, u32, u32)> {
    let (before, after) = (numbers(&before)?, numbers(&after)?);
    let found =
        interruptible(py, || correlate::max_drop(&before, &after, tolerance))?.or_raise()?;
    Ok((found.ranks, found.item, found.before, found.after))
}

#[doc = stub!("correlation_matrix")]
#[pyfunction]
#[pyo3(signature = (columns, /, *, method, variant = "b", ties = "average", tolerance = 0.0))]
pub fn correlation_matrix<'py>(
    py: Python<'py>,
    columns: Table<'py>,
    method: &str,
    variant: &str,
    ties: &str,
    tolerance: f64,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let methods = [
        ("kendall", Coefficient::Kendall(variant_of(variant)?)),
        ("tau_ap", Coefficient::TauAp(ap_ties_of(ties)?)),
        ("spearman", Coefficient::Spearman),
        ("pearson", Coefficient::Pearson),
        ("rms_error", Coefficient::RmsError),
        ("max_drop", Coefficient::MaxDrop),
    ];
    let coefficient = choose("method", method, &methods)?;
    let columns: Vec<Vec<f64>> =
        columns.as_array().columns().into_iter().map(|c| c.to_vec()).collect();
    let matrix = in_another_thread(
        py,
        || correlate::matrix(&columns, coefficient, tolerance),
        || py.check_signals(),
    )?
    .or_raise()?;
    PyArray1::from_vec(py, matrix).reshape([columns.len(); 2])
}

#[doc = stub!("rbo")]
#[pyfunction]
#[pyo3(signature = (a, b, /, *, p, ties))]
pub fn rbo(
    py: Python<'_>,
    a: Vec<Vec<u32>>,
    b: Vec<Vec<u32>>,
    p: f64,
    ties: &str,
) -> PyResult<(f64, f64, f64)> {
    let ties = choose(
        "ties",
        ties,
        &[("w", TieTreatment::W), ("a", TieTreatment::A), ("b", TieTreatment::B)],
    )?;
    let found = interruptible(py, || overlap::rbo(&a, &b, p, ties))?.or_raise()?;
    Ok((found.ext, found.min, found.max))
}

#[doc = stub!("kappa")]
#[pyfunction]
#[pyo3(signature = (table, weights, /, *, marginals))]
pub fn kappa(
    table: Table<'_>,
    weights: Table<'_>,
    marginals: &str,
) -> PyResult<(f64, f64, f64, f64, f64)> {
    let marginals = marginals_of(marginals)?;
    let ((table, labels), (weights, _)) = (cells(&table)?, cells(&weights)?);
    agree::kappa(&table, &weights, labels, marginals).or_raise().map(agreement)
}

#[doc = stub!("fleiss_kappa")]
#[pyfunction]
#[pyo3(signature = (counts, /))]
pub fn fleiss_kappa(counts: Table<'_>) -> PyResult<(f64, f64, f64, f64, f64)> {
    let (counts, labels) = cells(&counts)?;
    agree::fleiss_kappa(&counts, labels).or_raise().map(agreement)
}

#[doc = stub!("krippendorff_alpha")]
#[pyfunction]
#[pyo3(signature = (items, values, /, *, level))]
pub fn krippendorff_alpha(
    py: Python<'_>,
    items: Vec<Vec<u32>>,
    values: FloatArray<'_>,
    level: &str,
) -> PyResult<(f64, f64, f64)> {
    let scales = [
        ("nominal", Scale::Nominal),
        ("ordinal", Scale::Ordinal),
        ("interval", Scale::Interval),
        ("ratio", Scale::Ratio),
    ];
    let scale = choose("level", level, &scales)?;
    let values = numbers(&values)?;
    let found =
        interruptible(py, || agree::krippendorff_alpha(&items, &values, scale))?.or_raise()?;
    Ok((found.statistic, found.observed, found.expected))
}

#[doc = stub!("normal_interval")]
#[pyfunction]
#[pyo3(signature = (statistic, error, confidence, /))]
pub fn normal_interval(statistic: f64, error: f64, confidence: f64) -> PyResult<(f64, f64)> {
    agree::normal_interval(statistic, error, confidence).or_raise()
}
