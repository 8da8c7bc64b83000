//! The difference of two runs as Python sees it.

use cranfield_core::bounds::pair::End;
use cranfield_core::difference::{Difference, Reached, Unjudged, WithoutEach};
use cranfield_core::neighbors::{
    ExactSearch, IdTable, RecallRule, check_direction, checked_scores,
};
use cranfield_core::pairs::{Alike, Apart, Asked};
use cranfield_core::qrels::Qrels;
use numpy::{
    IntoPyArray, PyArray1, PyArray2, PyArray3, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2,
    PyReadonlyArray3, PyUntypedArrayMethods,
};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::errors::OrRaise;
use crate::ids::{text, texts};
use crate::options::choose;
use crate::scores::Scores;
use crate::watch::interruptible;

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

/// An array with three axes.
pub type Cube<'py> = Bound<'py, PyArray3<f64>>;

/// The array with these values.
pub fn cube(py: Python<'_>, values: Vec<f64>, shape: [usize; 3]) -> PyResult<Cube<'_>> {
    values.into_pyarray(py).reshape(shape)
}

/// What is told of how alike two lists are, as numbers.
fn numbers_of(alike: &Alike) -> [f64; 12] {
    let flag = |flag: bool| f64::from(u8::from(flag));
    [
        alike.overlap,
        alike.jaccard,
        alike.rbo,
        alike.tau_ap,
        alike.moved,
        alike.moved_most,
        flag(alike.same_first),
        flag(alike.same_set),
        flag(alike.same_order),
        f64::from(alike.shared),
        f64::from(alike.came),
        f64::from(alike.went),
    ]
}

/// Two runs without judgments as Python tuples: the topics of both and of one only, for each
/// run and topic its documents, the numbers of [`Alike`] (topics x depths x 12), and for each
/// measure the ends (topics x least x 4: lowest, reached, highest, reached) with, for the first
/// of least and each topic, the documents that are relevant in either, by their ranks in both.
pub fn lists_apart<'py>(
    py: Python<'py>,
    found: Apart,
    asked: &Asked,
) -> PyResult<Bound<'py, PyTuple>> {
    let names = |topics: &[Box<[u8]>]| texts(py, topics.iter().map(|topic| &**topic));
    let documents = found.documents.iter().map(|run| {
        let lists = run.iter().map(|list| names(list)).collect::<PyResult<Vec<_>>>()?;
        PyTuple::new(py, lists)
    });
    let documents = documents.collect::<PyResult<Vec<_>>>()?;
    let rows = found.topics.len();
    let alike: Vec<f64> = found.alike.iter().flatten().flat_map(numbers_of).collect();
    let alike = cube(py, alike, [rows, asked.depths.len(), 12])?;
    let ends = found.ends.iter().map(|of_measure| {
        let numbers = |[low, high]: &[End; 2]| [low.bound, low.reached, high.bound, high.reached];
        let values: Vec<f64> = of_measure.iter().flatten().flat_map(numbers).collect();
        let relevant = of_measure.iter().zip(&found.open).map(|(ends, open)| {
            let ranks = |end: &End| -> Vec<(u32, u32)> {
                let ranks = end.relevant.iter().map(|&place| open[place as usize]);
                ranks.map(|ranks| (ranks[0], ranks[1])).collect()
            };
            ends.first().map(|[low, high]| (ranks(low), ranks(high), low.elsewhere, high.elsewhere))
        });
        let relevant: Vec<_> = relevant.collect();
        (cube(py, values, [rows, asked.least_relevant.len(), 4])?, relevant).into_pyobject(py)
    });
    let ends = ends.collect::<PyResult<Vec<_>>>()?;
    (names(&found.topics)?, names(&found.skipped)?, documents, alike, ends).into_pyobject(py)
}

/// Values and notes by query and cutoff.
type Recall<'py> = (Bound<'py, PyArray2<f64>>, Bound<'py, PyArray2<bool>>);

#[doc = stub!("exact_recall")]
#[pyfunction]
#[pyo3(signature = (
    found, exact, scores, own, none, cutoffs, /, *, rule, epsilon, relative_epsilon, repeats, distances
))]
#[expect(clippy::too_many_arguments, reason = "arrays and options")]
pub fn exact_recall<'py>(
    py: Python<'py>,
    found: PyReadonlyArray3<'py, u32>,
    exact: PyReadonlyArray3<'py, u32>,
    scores: Option<PyReadonlyArray2<'py, f64>>,
    own: Option<PyReadonlyArray2<'py, f64>>,
    none: PyReadonlyArray1<'py, u32>,
    cutoffs: Vec<usize>,
    rule: &str,
    epsilon: f64,
    relative_epsilon: f64,
    repeats: bool,
    distances: bool,
) -> PyResult<Recall<'py>> {
    let rules = [
        ("best", RecallRule::Best),
        ("average", RecallRule::Average),
        ("set", RecallRule::Set),
        ("threshold", RecallRule::Threshold),
    ];
    let rule = choose("rule", rule, &rules)?;
    let [rows, columns, width] = *found.shape() else { unreachable!("three axes") };
    let none = none.as_slice()?;
    let found = IdTable::new(found.as_slice()?, width, columns);
    let exact = IdTable::new(exact.as_slice()?, width, exact.shape()[1]);
    let checked = |scores: Option<PyReadonlyArray2<'py, f64>>, ids, name| {
        let cells = scores.map(|scores| scores.as_array().iter().copied().collect::<Vec<f64>>());
        cells.map(|cells| checked_scores(&cells, ids, none, distances, name)).transpose()
    };
    let scores = checked(scores, exact, "exact_scores").or_raise()?;
    if let Some(scores) = &scores {
        check_direction(scores, exact, none, distances).or_raise()?;
    }
    let own = checked(own, found, "scores").or_raise()?;
    let search = ExactSearch {
        found,
        exact,
        scores: scores.as_deref().unwrap_or_default(),
        own: own.as_deref(),
        cutoffs: &cutoffs,
        rule,
        epsilon,
        relative: relative_epsilon,
        repeats,
        none,
    };
    let recall = interruptible(py, || search.recall(rows))?.or_raise()?;
    let shape = [rows, cutoffs.len()];
    Ok((
        recall.values.into_pyarray(py).reshape(shape)?,
        recall.within_tie.into_pyarray(py).reshape(shape)?,
    ))
}

/// Places of lists, where these begin, and the ranks and grades of their documents.
type Without<'py> = (
    Bound<'py, PyArray1<i64>>,
    Bound<'py, PyArray1<i64>>,
    Bound<'py, PyArray1<i64>>,
    Bound<'py, PyArray1<f64>>,
);

#[doc = stub!("without_each")]
#[pyfunction]
#[pyo3(signature = (ranks, grades, retrieved, /))]
pub fn without_each<'py>(
    py: Python<'py>,
    ranks: PyReadonlyArray1<'py, i64>,
    grades: PyReadonlyArray1<'py, f64>,
    retrieved: usize,
) -> PyResult<Without<'py>> {
    let (ranks, grades) = (ranks.as_array().to_vec(), grades.as_array().to_vec());
    let found = interruptible(py, || WithoutEach::of(&ranks, &grades, retrieved))?;
    let WithoutEach { places, offsets, ranks, grades } = found;
    let whole = |numbers: Vec<i64>| numbers.into_pyarray(py);
    Ok((whole(places), whole(offsets), whole(ranks), grades.into_pyarray(py)))
}
