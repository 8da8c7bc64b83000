//! What comparisons say beside their tests, systems of several runs, and plans of judging.

use std::collections::HashMap;

use cranfield_core::qrels::Topic;
use cranfield_core::stats::compared::{ComparedPair, ComparedRuns, DifferenceBounds};
use cranfield_core::stats::judging::{OpenDocument, OpenTopic, plan_difference};
use cranfield_core::stats::paired::ScoreTable;
use cranfield_core::stats::systems::{self, SystemTest};
use numpy::{PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString};

use super::Table;
use super::paired::{Pairs, design, seed_of, systems_of, table, watched, work_of};
use crate::ids::id_bytes;
use crate::qrels::Qrels;
use crate::scores::Scores;
use crate::watch::interruptible;

type Row<'py> = PyReadonlyArray1<'py, f64>;

/// A table of numbers in any layout.
fn cells(table: &Table<'_>) -> Vec<f64> {
    table.as_array().iter().copied().collect()
}

/// Pairs of numbers in any layout.
fn both<T>(ends: &(T, T), cells: impl Fn(&T) -> Vec<f64>) -> [Vec<f64>; 2] {
    [cells(&ends.0), cells(&ends.1)]
}

#[doc = stub!("compared_pairs")]
#[pyfunction]
#[pyo3(signature = (
    scores, measure, pairs, differences, /, *, judged, bounds, spans, whole, sign, power, alpha, two_sided
))]
#[expect(clippy::too_many_arguments, reason = "options by keyword")]
pub fn compared_pairs<'py>(
    py: Python<'py>,
    scores: &Scores,
    measure: usize,
    pairs: Pairs<'py>,
    differences: Row<'py>,
    judged: Option<usize>,
    bounds: Option<(Table<'py>, Table<'py>)>,
    spans: Vec<Option<(Row<'py>, Row<'py>)>>,
    whole: bool,
    sign: f64,
    power: f64,
    alpha: f64,
    two_sided: bool,
) -> PyResult<Bound<'py, PyDict>> {
    let (found, topics) = (&scores.0, scores.0.topics.len());
    let pairs = systems_of(&pairs, found.runs.len())?;
    let width = found.measures.len();
    let column = |measure: usize| -> Vec<f64> {
        found.values.iter().skip(measure).step_by(width).copied().collect()
    };
    let (values, shares) = (column(measure), judged.map(column));
    let bounds = bounds.map(|ends| both(&ends, cells));
    let of_row = |row: &Row<'_>| row.as_array().to_vec();
    let spans: Vec<_> = spans.iter().map(|span| span.as_ref().map(|s| both(s, of_row))).collect();
    let differences = differences.as_array().to_vec();
    let of_bounds = bounds.iter().flatten().all(|end| end.len() == values.len());
    let of_spans = spans.iter().flatten().flatten().all(|end| end.len() == topics);
    let is_known = measure < width && judged.is_none_or(|place| place < width);
    if !of_bounds || !of_spans || !is_known || differences.len() != pairs.len() {
        return Err(pyo3::exceptions::PyIndexError::new_err("expected arrays of one shape"));
    }
    let runs = ComparedRuns {
        scores: ScoreTable::new(&values, topics),
        judged: shares.as_ref().map(|values| ScoreTable::new(values, topics)),
        bounds: bounds.as_ref().map(|ends| ends.each_ref().map(|end| ScoreTable::new(end, topics))),
        whole,
        sign,
        design: design(alpha, two_sided),
        power,
    };
    let of_pairs: Vec<DifferenceBounds<'_>> =
        spans.iter().map(|span| span.as_ref().map(|ends| ends.each_ref().map(|e| &**e))).collect();
    let compared = interruptible(py, || runs.pairs(&pairs, &differences, &of_pairs))?;
    columns(py, &compared)
}

/// The fields of a row of a comparison, as lists.
fn columns<'py>(py: Python<'py>, found: &[ComparedPair]) -> PyResult<Bound<'py, PyDict>> {
    let columns = PyDict::new(py);
    let counts = |of: fn(&ComparedPair) -> usize| PyList::new(py, found.iter().map(of));
    let floats = |of: fn(&ComparedPair) -> Option<f64>| PyList::new(py, found.iter().map(of));
    columns.set_item("topics", counts(|pair| pair.topics)?)?;
    columns.set_item("mean", floats(|pair| Some(pair.means[0]))?)?;
    columns.set_item("other_mean", floats(|pair| Some(pair.means[1]))?)?;
    columns.set_item("wins", counts(|pair| pair.outcomes[0])?)?;
    columns.set_item("ties", counts(|pair| pair.outcomes[1])?)?;
    columns.set_item("losses", counts(|pair| pair.outcomes[2])?)?;
    columns.set_item("judged", floats(|pair| pair.judged[0])?)?;
    columns.set_item("other_judged", floats(|pair| pair.judged[1])?)?;
    columns.set_item("lowest", floats(|pair| Some(pair.bounds[0]?[0]))?)?;
    columns.set_item("highest", floats(|pair| Some(pair.bounds[0]?[1]))?)?;
    columns.set_item("other_lowest", floats(|pair| Some(pair.bounds[1]?[0]))?)?;
    columns.set_item("other_highest", floats(|pair| Some(pair.bounds[1]?[1]))?)?;
    columns.set_item("difference_lowest", floats(|pair| Some(pair.span?[0]))?)?;
    columns.set_item("difference_highest", floats(|pair| Some(pair.span?[1]))?)?;
    let open = PyList::new(py, found.iter().map(|pair| pair.is_open))?;
    columns.set_item("within_bounds", open)?;
    columns.set_item("mde", floats(|pair| pair.detectable)?)?;
    Ok(columns)
}

type Matrix<'py> = Bound<'py, PyArray2<f64>>;

#[doc = stub!("system_differences")]
#[pyfunction]
#[pyo3(signature = (values, systems, pairs, /, *, level, power, alpha))]
pub fn system_differences<'py>(
    py: Python<'py>,
    values: Table<'py>,
    systems: Vec<usize>,
    pairs: Pairs<'py>,
    level: f64,
    power: f64,
    alpha: f64,
) -> PyResult<(Matrix<'py>, Matrix<'py>)> {
    let count = systems.iter().max().map_or(0, |most| most + 1);
    let (pairs, table) = (systems_of(&pairs, count)?, table(&values)?);
    let mut rows = vec![Vec::new(); count];
    for (row, &system) in systems.iter().enumerate() {
        rows[system].push(row);
    }
    let wrong = systems.len() != table.systems() || rows.iter().any(Vec::is_empty);
    if wrong {
        return Err(pyo3::exceptions::PyIndexError::new_err("no such system or run"));
    }
    let test = SystemTest { level, power, design: design(alpha, true) };
    let (seeds, found) = interruptible(py, || {
        let means = systems::seed_means(table, &rows);
        let seeds = systems::seeds(table, &rows, &means);
        let found = systems::differences(table.topics(), &means, &seeds, &pairs);
        (seeds, found.iter().map(|found| test.of(found)).collect::<Vec<_>>())
    })?;
    let own = found.iter().flat_map(|f| [f.ends.0, f.ends.1, f.pvalue, f.detectable]).collect();
    let of = seeds.iter().flat_map(|s| [s.runs as f64, s.between, s.residual]).collect();
    Ok((
        PyArray1::from_vec(py, own).reshape([found.len(), 4])?,
        PyArray1::from_vec(py, of).reshape([seeds.len(), 3])?,
    ))
}

/// A list: its value, its documents, and what each brings.
type OpenList<'py> = (f64, Vec<Bound<'py, PyString>>, Bound<'py, PyAny>);

/// The unjudged documents: their ranks in both lists, and differences if they are judged.
type Unjudged<'py> = (PyReadonlyArray1<'py, u32>, PyReadonlyArray1<'py, u32>, Row<'py>, Row<'py>);

/// A topic as a difference of runs has it.
type Differing<'py> =
    (Bound<'py, PyString>, f64, f64, (OpenList<'py>, OpenList<'py>), Unjudged<'py>);

/// Topic, document, its ranks, what it moves, its chance, and what judging it is worth.
type PlannedDocument<'py> =
    (Bound<'py, PyString>, Bound<'py, PyString>, Option<u32>, Option<u32>, f64, f64, f64);

#[doc = stub!("judging_plan")]
#[pyfunction]
#[pyo3(signature = (topics, qrels, least, /, *, level, simulations, seed, threads = None))]
#[expect(clippy::too_many_arguments, reason = "options by keyword")]
pub fn judging_plan<'py>(
    py: Python<'py>,
    topics: Vec<Differing<'py>>,
    qrels: &Qrels,
    least: f64,
    level: f64,
    simulations: usize,
    seed: &Bound<'py, PyAny>,
    threads: Option<&Bound<'py, PyAny>>,
) -> PyResult<(Vec<PlannedDocument<'py>>, Bound<'py, PyDict>)> {
    let (seed, work) = (seed_of(seed)?, work_of(threads)?);
    let encoded = |list: &OpenList<'py>| -> PyResult<Vec<Vec<u8>>> {
        list.1.iter().map(|id| id_bytes(id)).collect()
    };
    let mut documents = Vec::new();
    for (_, _, _, (first, second), _) in &topics {
        documents.push([encoded(first)?, encoded(second)?]);
    }
    let mut open = Vec::new();
    for ((topic, low, high, lists, unjudged), own) in topics.iter().zip(&documents) {
        let (ranks_a, ranks_b, best, worst) = unjudged;
        let ranks = ranks_a.as_slice()?.iter().zip(ranks_b.as_slice()?).map(|(&a, &b)| [a, b]);
        let judged = best.as_slice()?.iter().zip(worst.as_slice()?).map(|(&a, &b)| [a, b]);
        let known = qrels.0.position(&id_bytes(topic)?).map(|place| &qrels.0.topics()[place]);
        let grades = known.into_iter().flat_map(Topic::judgments);
        open.push(OpenTopic {
            values: [lists.0.0, lists.1.0],
            ends: [*low, *high],
            lists: own.each_ref().map(|list| list.iter().map(Vec::as_slice).collect()),
            open: ranks.zip(judged).collect(),
            grades: grades
                .map(|(_, id, grade)| (id, qrels.0.grades()[grade as usize]))
                .collect::<HashMap<_, _>>(),
        });
    }
    let action = || plan_difference(&open, least, level, simulations, seed, &work);
    let found = watched(py, action)?;
    let document = |one: &OpenDocument| {
        let (topic, _, _, lists, _) = &topics[one.topic];
        let [a, b] = one.ranks.map(|rank| (rank > 0).then_some(rank));
        let id = match one.ranks {
            [0, rank] => &lists.1.1[rank as usize - 1],
            [rank, _] => &lists.0.1[rank as usize - 1],
        };
        (topic.clone(), id.clone(), a, b, one.weight, one.chance, one.worth)
    };
    let numbers = PyDict::new(py);
    let ([difference, low, high], plan) = (found.ends, &found.plan);
    let known = |value: f64| (!value.is_nan()).then_some(value);
    numbers.set_item("difference", difference)?;
    numbers.set_item("low", low)?;
    numbers.set_item("high", high)?;
    numbers.set_item("chance", plan.above)?;
    numbers.set_item("at_least", found.is_sum.then_some(plan.at_least))?;
    numbers.set_item("probable", known(plan.probable))?;
    numbers.set_item("certain", known(plan.certain).filter(|_| found.is_sum))?;
    numbers.set_item("at_most", plan.at_most)?;
    Ok((found.documents.iter().map(document).collect(), numbers))
}
