//! Pools, fewer judgments and smaller collections as Python sees them.

use std::sync::Arc;

use cranfield_core::collection::{
    self, Reduction, Removal, best_ranks, judged_by_both, merge, reduce, restrict_to_depth,
    without_unique,
};
use cranfield_core::evaluate::Ranked as CoreRanked;
use cranfield_core::remarks::{of_judgments, of_measures};
use numpy::{IntoPyArray, PyArray1};
use pyo3::prelude::*;

use crate::errors::OrRaise;
use crate::measures::Measure;
use crate::options::{at_least_one, choose};
use crate::qrels::Qrels;
use crate::ranked::Ranked;
use crate::watch::interruptible;

fn ranked(runs: &[Bound<'_, Ranked>]) -> Vec<Arc<CoreRanked>> {
    runs.iter().map(|run| Arc::clone(&run.get().0)).collect()
}

fn made(qrels: cranfield_core::qrels::Qrels) -> Qrels {
    Qrels(Arc::new(qrels))
}

#[doc = stub!("pooled_to_depth")]
#[pyfunction]
#[pyo3(signature = (qrels, runs, depth, /))]
pub fn pooled_to_depth(
    py: Python<'_>,
    qrels: &Qrels,
    runs: Vec<Bound<'_, Ranked>>,
    depth: u32,
) -> PyResult<Qrels> {
    let runs = ranked(&runs);
    Ok(made(interruptible(py, || restrict_to_depth(&qrels.0, &runs, depth))?.or_raise()?))
}

#[doc = stub!("folded")]
#[pyfunction]
#[pyo3(signature = (qrels, rel, graded, /))]
pub fn folded(qrels: &Qrels, rel: f64, graded: bool) -> Qrels {
    made(qrels.0.folded(rel, graded))
}

#[doc = stub!("in_collection")]
#[pyfunction]
#[pyo3(signature = (qrels, docs_in_collection, /))]
pub fn in_collection(qrels: &Qrels, docs_in_collection: u64) -> Qrels {
    let mut same = (*qrels.0).clone();
    same.docs_in_collection = Some(docs_in_collection);
    made(same)
}

#[doc = stub!("check_ids")]
#[pyfunction]
#[pyo3(signature = (qrels, /))]
pub fn check_ids(qrels: &Qrels) -> PyResult<()> {
    cranfield_core::format::check_ids(&qrels.0).or_raise()
}

#[doc = stub!("document_ranks")]
#[pyfunction]
#[pyo3(signature = (qrels, runs, /))]
pub fn document_ranks<'py>(
    py: Python<'py>,
    qrels: &Qrels,
    runs: Vec<Bound<'py, Ranked>>,
) -> PyResult<Vec<Bound<'py, PyArray1<u32>>>> {
    let runs = ranked(&runs);
    let best = interruptible(py, || best_ranks(&qrels.0, &runs))?.or_raise()?;
    let listed = best.into_iter().zip(qrels.0.topics()).map(|(ranks, topic)| {
        let ranks = topic.judgments().map(|(number, ..)| ranks[number]);
        ranks.map(|rank| if rank == u32::MAX { 0 } else { rank }).collect::<Vec<u32>>()
    });
    Ok(listed.map(|ranks| ranks.into_pyarray(py)).collect())
}

#[doc = stub!("without_group")]
#[pyfunction]
#[pyo3(signature = (qrels, runs, groups, depth, group, /))]
pub fn without_group(
    py: Python<'_>,
    qrels: &Qrels,
    runs: Vec<Bound<'_, Ranked>>,
    groups: Vec<usize>,
    depth: u32,
    group: usize,
) -> PyResult<Qrels> {
    let runs = ranked(&runs);
    let work = || without_unique(&qrels.0, &runs, &groups, depth, group);
    Ok(made(interruptible(py, work)?.or_raise()?))
}

#[doc = stub!("reduced")]
#[pyfunction]
#[pyo3(signature = (qrels, rate, /, *, method, least_relevant, least_nonrelevant, rel, keep_pooled, seed))]
#[expect(clippy::too_many_arguments, reason = "options by keyword")]
pub fn reduced(
    py: Python<'_>,
    qrels: &Qrels,
    rate: f64,
    method: &str,
    least_relevant: u32,
    least_nonrelevant: u32,
    rel: f64,
    keep_pooled: bool,
    seed: u64,
) -> PyResult<Qrels> {
    let stratified =
        Removal::Stratified { relevant: least_relevant, nonrelevant: least_nonrelevant };
    let methods = [("stratified", stratified), ("random", Removal::Random)];
    let method = choose("method", method, &methods)?;
    let reduction = Reduction { rate, method, rel, keep_pooled, seed };
    Ok(made(interruptible(py, || reduce(&qrels.0, &reduction))?.or_raise()?))
}

#[doc = stub!("sampled_collection")]
#[pyfunction]
#[pyo3(signature = (runs, rate, seed, threads, /))]
pub fn sampled_collection(
    py: Python<'_>,
    runs: Vec<Bound<'_, Ranked>>,
    rate: f64,
    seed: u64,
    threads: Option<&Bound<'_, PyAny>>,
) -> PyResult<Vec<Ranked>> {
    let runs = ranked(&runs);
    let threads = at_least_one(threads, "number of threads")?.map(|threads| threads as usize);
    let sample = || collection::sample_collection(&runs, rate, seed, threads);
    let sampled = interruptible(py, sample)?;
    Ok(sampled.or_raise()?.into_iter().map(|run| Ranked(Arc::new(run))).collect())
}

#[doc = stub!("merged")]
#[pyfunction]
#[pyo3(signature = (sets, /))]
pub fn merged(py: Python<'_>, sets: Vec<Qrels>) -> PyResult<Qrels> {
    let sets: Vec<_> = sets.iter().map(|set| &*set.0).collect();
    Ok(made(interruptible(py, || merge(&sets))?))
}

#[doc = stub!("remarks")]
#[pyfunction]
#[pyo3(signature = (qrels, measures, /))]
pub fn remarks(qrels: &Qrels, measures: Vec<Measure>) -> (Option<String>, Vec<String>) {
    let measures: Vec<_> = measures.into_iter().map(|measure| measure.0).collect();
    (of_judgments(&qrels.0, &measures), of_measures(&measures))
}

/// Positions of topics, first grades, second grades.
type Common<'py> =
    (Bound<'py, PyArray1<u32>>, Bound<'py, PyArray1<f64>>, Bound<'py, PyArray1<f64>>);

#[doc = stub!("common_grades")]
#[pyfunction]
#[pyo3(signature = (first, second, /))]
pub fn common_grades<'py>(py: Python<'py>, first: &Qrels, second: &Qrels) -> Common<'py> {
    let pairs = judged_by_both(&first.0, &second.0);
    let topics: Vec<u32> = pairs.iter().map(|pair| pair.0 as u32).collect();
    let a: Vec<f64> = pairs.iter().map(|pair| pair.1).collect();
    let b: Vec<f64> = pairs.iter().map(|pair| pair.2).collect();
    (topics.into_pyarray(py), a.into_pyarray(py), b.into_pyarray(py))
}
