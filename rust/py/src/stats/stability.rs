//! Whether measures order runs in the same way on other topics: values and topics in, counts out.

use cranfield_core::stats::stability::{MeasureCube, OrderSwaps, TopicSets, against_truth};
use numpy::{
    IntoPyArray, PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray3,
    PyUntypedArrayMethods,
};
use pyo3::prelude::*;

use super::Table;
use crate::errors::OrRaise;
use crate::watch::interruptible;

/// Values by run, topic and measure, borrowed.
type ValueCube<'py> = PyReadonlyArray3<'py, f64>;

/// The columns of a table.
fn columns(table: &Table<'_>) -> Vec<Vec<f64>> {
    table.as_array().columns().into_iter().map(|column| column.to_vec()).collect()
}

fn cells(cube: &ValueCube<'_>) -> Vec<f64> {
    cube.as_array().iter().copied().collect()
}

fn cube_of<'a>(cube: &ValueCube<'_>, values: &'a [f64]) -> MeasureCube<'a> {
    MeasureCube { values, topics: cube.shape()[1], measures: cube.shape()[2] }
}

type ValueMatrix<'py> = Bound<'py, PyArray2<f64>>;

#[doc = stub!("order_swaps")]
#[pyfunction]
#[pyo3(signature = (values, sets, /, *, classes, width, alpha))]
pub fn order_swaps<'py>(
    py: Python<'py>,
    values: ValueCube<'py>,
    sets: Vec<TopicSets>,
    classes: usize,
    width: f64,
    alpha: Option<f64>,
) -> PyResult<(ValueMatrix<'py>, ValueMatrix<'py>)> {
    let cells = cells(&values);
    let cube = cube_of(&values, &cells);
    let found = interruptible(py, || cube.swaps(&sets, classes, width, alpha))?.or_raise()?;
    let OrderSwaps { swaps, comparisons } = found;
    let shape = [cube.measures, classes];
    Ok((swaps.into_pyarray(py).reshape(shape)?, comparisons.into_pyarray(py).reshape(shape)?))
}

#[doc = stub!("cross_taus")]
#[pyfunction]
#[pyo3(signature = (values, sets, /))]
pub fn cross_taus<'py>(
    py: Python<'py>,
    values: ValueCube<'py>,
    sets: Vec<TopicSets>,
) -> PyResult<ValueMatrix<'py>> {
    let cells = cells(&values);
    let cube = cube_of(&values, &cells);
    let found = interruptible(py, || cube.cross_taus(&sets))?.or_raise()?;
    found.into_pyarray(py).reshape([cube.measures; 2])
}

#[doc = stub!("of_fewer_topics")]
#[pyfunction]
#[pyo3(signature = (values, sets, /, *, alpha))]
pub fn of_fewer_topics<'py>(
    py: Python<'py>,
    values: ValueCube<'py>,
    sets: Vec<Vec<usize>>,
    alpha: f64,
) -> PyResult<[Bound<'py, PyArray1<f64>>; 2]> {
    let cells = cells(&values);
    let cube = cube_of(&values, &cells);
    let found = interruptible(py, || cube.of_fewer_topics(&sets, alpha))?.or_raise()?;
    Ok(found.map(|values| values.into_pyarray(py)))
}

#[doc = stub!("against_truth")]
#[pyfunction(name = "against_truth")]
#[pyo3(signature = (summaries, truth, signs, /))]
pub fn summaries_against_truth<'py>(
    py: Python<'py>,
    summaries: Table<'py>,
    truth: Table<'py>,
    signs: PyReadonlyArray1<'py, f64>,
) -> PyResult<[Bound<'py, PyArray1<f64>>; 3]> {
    let (summaries, truth) = (columns(&summaries), columns(&truth));
    let found = against_truth(&summaries, &truth, &signs.as_array().to_vec()).or_raise()?;
    Ok(found.map(|values| values.into_pyarray(py)))
}
