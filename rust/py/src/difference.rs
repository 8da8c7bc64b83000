//! The difference of two runs as Python sees it.

use cranfield_core::difference::{Difference, Reached, Unjudged};
use cranfield_core::qrels::Qrels;
use numpy::{IntoPyArray, PyArray1};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::ids::{text, texts};
use crate::scores::Scores;

/// The difference of two runs as Python tuples: whether the measure is a sum over documents,
/// whether its bounds are reached (or None), why there are no bounds (or None), the
/// scores, and the topics.
///
/// A topic: its name, the lowest and the highest difference; for each run the value, the
/// documents and what each contributes; for unjudged documents the ranks in each list
/// and the difference under the best and the worst grade.
pub fn difference_of<'py>(
    py: Python<'py>,
    found: Difference,
    qrels: &Qrels,
) -> PyResult<Bound<'py, PyTuple>> {
    let (reached, reason) = match found.bounds {
        Ok(reached) => (Some(reached == Reached::Exactly), None),
        Err(reason) => (None, Some(reason)),
    };
    let topics = qrels.topics().iter().zip(found.topics).map(|(topic, found)| {
        let lists = found.lists.into_iter().map(|list| {
            let documents = texts(py, list.documents.iter().map(|document| &**document))?;
            (list.value, documents, list.brings.into_pyarray(py)).into_pyobject(py)
        });
        let lists = lists.collect::<PyResult<Vec<_>>>()?;
        let column = |of: fn(&Unjudged) -> f64| -> Bound<'py, PyArray1<f64>> {
            found.open.iter().map(of).collect::<Vec<f64>>().into_pyarray(py)
        };
        let ranks = |run: usize| -> Bound<'py, PyArray1<u32>> {
            found.open.iter().map(|open| open.ranks[run]).collect::<Vec<u32>>().into_pyarray(py)
        };
        let open = (ranks(0), ranks(1), column(|open| open.best), column(|open| open.worst));
        (text(py, topic.id())?, found.low, found.high, PyTuple::new(py, lists)?, open)
            .into_pyobject(py)
    });
    let topics = topics.collect::<PyResult<Vec<_>>>()?;
    (found.sums, reached, reason, Scores(found.scores), topics).into_pyobject(py)
}
