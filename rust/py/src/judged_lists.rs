//! What measures that are Python functions see of lists: judged documents, and grades of topics.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use numpy::{Element, IntoPyArray, PyArray1, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::{PySlice, PyTuple};

use crate::qrels::Qrels;

type WholeArray = Py<PyArray1<i64>>;
type GradeArray = Py<PyArray1<f64>>;

/// An array that cannot be changed.
fn frozen<T: Element>(py: Python<'_>, values: Vec<T>) -> PyResult<Py<PyArray1<T>>> {
    let array = values.into_pyarray(py);
    array.call_method1("setflags", (false,))?;
    Ok(array.unbind())
}

/// The values of an array.
fn values_of<T: Element + Copy>(py: Python<'_>, array: &Py<PyArray1<T>>) -> PyResult<Vec<T>> {
    Ok(array.bind(py).try_readonly()?.as_array().to_vec())
}

/// A part of an array.
fn part<'py, T: Element>(
    py: Python<'py>,
    array: &Py<PyArray1<T>>,
    (first, last): (i64, i64),
) -> PyResult<Bound<'py, PyAny>> {
    array.bind(py).as_any().get_item(PySlice::new(py, first as isize, last as isize, 1))
}

#[doc = stub!("JudgedGrades")]
#[pyclass(frozen, module = "cranfield._core")]
pub struct JudgedGrades {
    topics: Py<PyTuple>,
    /// The grades of each topic, the best first.
    grades: Vec<Arc<[f64]>>,
    /// Those above 0.
    ideals: Vec<GradeArray>,
    /// How many are relevant and how many others, by the bits of the lowest relevant grade.
    counts: Mutex<HashMap<u64, JudgedCounts>>,
}

/// How many documents of each topic are relevant, and how many others are judged.
type JudgedCounts = Arc<(WholeArray, WholeArray)>;

impl JudgedGrades {
    fn new(py: Python<'_>, topics: Py<PyTuple>, grades: Vec<Arc<[f64]>>) -> PyResult<Self> {
        let ideal = |own: &Arc<[f64]>| {
            frozen(py, own.iter().copied().take_while(|grade| *grade > 0.0).collect())
        };
        let ideals = grades.iter().map(ideal).collect::<PyResult<_>>()?;
        Ok(JudgedGrades { topics, grades, ideals, counts: Mutex::default() })
    }

    fn counted(&self, py: Python<'_>, rel: f64) -> PyResult<JudgedCounts> {
        let known =
            |counts: &HashMap<u64, JudgedCounts>| counts.get(&rel.to_bits()).map(Arc::clone);
        if let Some(known) = known(&self.counts.lock().unwrap_or_else(PoisonError::into_inner)) {
            return Ok(known);
        }
        // A negative grade is not relevant, whatever is.
        let least = rel.max(0.0);
        let relevant = |own: &Arc<[f64]>| own.iter().filter(|grade| **grade >= least).count();
        let relevant: Vec<i64> = self.grades.iter().map(|own| relevant(own) as i64).collect();
        let others = self.grades.iter().zip(&relevant).map(|(own, some)| own.len() as i64 - some);
        let others = others.collect();
        let found = Arc::new((frozen(py, relevant)?, frozen(py, others)?));
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        counts.insert(rel.to_bits(), Arc::clone(&found));
        Ok(found)
    }
}

#[pymethods]
impl JudgedGrades {
    #[doc = stub!("JudgedGrades.of")]
    #[staticmethod]
    #[pyo3(signature = (qrels, negative, /))]
    fn of(qrels: &Bound<'_, Qrels>, negative: Option<&str>) -> PyResult<Self> {
        let least = if negative == Some("nonrelevant") { f64::NEG_INFINITY } else { 0.0 };
        let judged = &qrels.get().0;
        let grades = judged.topics().iter().map(|topic| {
            let grades = topic.judgments().map(|(_, _, level)| judged.grades()[level as usize]);
            let mut own: Vec<f64> = grades.filter(|grade| *grade >= least).collect();
            own.sort_by(|a, b| b.total_cmp(a));
            own.into()
        });
        let topics = qrels.getattr("topics")?.cast_into::<PyTuple>()?;
        JudgedGrades::new(qrels.py(), topics.unbind(), grades.collect())
    }

    #[doc = stub!("JudgedGrades.repeated")]
    #[pyo3(signature = (place, number, /))]
    fn repeated(&self, py: Python<'_>, place: usize, number: usize) -> PyResult<Self> {
        let topic = self.topics.bind(py).get_item(place)?;
        let topics = PyTuple::new(py, vec![topic; number])?;
        JudgedGrades::new(py, topics.unbind(), vec![Arc::clone(&self.grades[place]); number])
    }

    #[doc = stub!("JudgedGrades.counts")]
    #[pyo3(signature = (rel, /))]
    fn counts(&self, py: Python<'_>, rel: f64) -> PyResult<(WholeArray, WholeArray)> {
        let counts = self.counted(py, rel)?;
        Ok((counts.0.clone_ref(py), counts.1.clone_ref(py)))
    }
}

#[doc = stub!("JudgedLists")]
#[pyclass(frozen, get_all, module = "cranfield._core")]
pub struct JudgedLists {
    judged: Py<JudgedGrades>,
    topics: Py<PyTuple>,
    offsets: WholeArray,
    ranks: WholeArray,
    grades: GradeArray,
    retrieved: WholeArray,
}

#[pymethods]
impl JudgedLists {
    #[new]
    #[pyo3(signature = (judged, raw, /))]
    fn new(
        py: Python<'_>,
        judged: Py<JudgedGrades>,
        raw: (WholeArray, WholeArray, GradeArray, WholeArray),
    ) -> PyResult<Self> {
        let (offsets, ranks, grades, retrieved) = raw;
        for array in [offsets.as_any(), ranks.as_any(), grades.as_any(), retrieved.as_any()] {
            array.bind(py).call_method1("setflags", (false,))?;
        }
        let topics = judged.get().topics.clone_ref(py);
        Ok(JudgedLists { judged, topics, offsets, ranks, grades, retrieved })
    }

    #[doc = stub!("JudgedLists.seen")]
    #[pyo3(signature = (prime, cutoff, rel, /))]
    fn seen(
        &self,
        py: Python<'_>,
        prime: bool,
        cutoff: Option<i64>,
        rel: &Bound<'_, PyAny>,
    ) -> PyResult<SeenLists> {
        let offsets = values_of(py, &self.offsets)?;
        let mut retrieved = values_of(py, &self.retrieved)?;
        let mut seen = SeenLists {
            judged: self.judged.clone_ref(py),
            counts: self.judged.get().counted(py, rel.extract()?)?,
            offsets: vec![0],
            ranks: self.ranks.clone_ref(py),
            grades: self.grades.clone_ref(py),
            retrieved: Vec::new(),
            rel: rel.clone().unbind(),
            cutoff,
        };
        if !prime && cutoff.is_none() {
            (seen.offsets, seen.retrieved) = (offsets, retrieved);
            return Ok(seen);
        }
        let (all_ranks, all_grades) = (values_of(py, &self.ranks)?, values_of(py, &self.grades)?);
        let (mut ranks, mut grades) = (Vec::new(), Vec::new());
        for (list, count) in offsets.windows(2).zip(&mut retrieved) {
            if prime && *count >= 0 {
                *count = list[1] - list[0];
            }
            for (number, place) in (list[0]..list[1]).enumerate() {
                let place = place as usize;
                let rank = if prime { number as i64 + 1 } else { all_ranks[place] };
                if cutoff.is_none_or(|cutoff| rank <= cutoff) {
                    ranks.push(rank);
                    grades.push(all_grades[place]);
                }
            }
            seen.offsets.push(ranks.len() as i64);
        }
        (seen.ranks, seen.grades) = (frozen(py, ranks)?, frozen(py, grades)?);
        seen.retrieved = retrieved;
        Ok(seen)
    }
}

#[doc = stub!("SeenLists")]
#[pyclass(frozen, module = "cranfield._core")]
pub struct SeenLists {
    judged: Py<JudgedGrades>,
    counts: JudgedCounts,
    offsets: Vec<i64>,
    ranks: WholeArray,
    grades: GradeArray,
    retrieved: Vec<i64>,
    rel: Py<PyAny>,
    cutoff: Option<i64>,
}

#[pymethods]
impl SeenLists {
    #[doc = stub!("SeenLists.topic")]
    #[pyo3(signature = (place, /))]
    fn topic<'py>(&self, py: Python<'py>, place: usize) -> PyResult<Bound<'py, PyTuple>> {
        let at = (self.offsets[place], self.offsets[place + 1]);
        let judged = self.judged.get();
        let count =
            |counts: &WholeArray| counts.bind(py).as_any().get_item(place)?.call_method0("item");
        let parts = [
            judged.topics.bind(py).get_item(place)?,
            part(py, &self.ranks, at)?,
            part(py, &self.grades, at)?,
            self.retrieved[place].into_pyobject(py)?.into_any(),
            count(&self.counts.0)?,
            count(&self.counts.1)?,
            judged.ideals[place].bind(py).clone().into_any(),
            self.rel.bind(py).clone(),
            self.cutoff.into_pyobject(py)?,
        ];
        PyTuple::new(py, parts)
    }

    #[doc = stub!("SeenLists.topics")]
    #[pyo3(signature = (places, /))]
    #[expect(clippy::needless_pass_by_value, reason = "made for the call")]
    fn topics<'py>(&self, py: Python<'py>, places: Vec<usize>) -> PyResult<Bound<'py, PyTuple>> {
        let judged = self.judged.get();
        let (mut offsets, mut ideal, mut ideal_offsets) = (vec![0], Vec::<f64>::new(), vec![0]);
        let (mut topics, mut retrieved) = (Vec::new(), Vec::new());
        for &place in &places {
            topics.push(judged.topics.bind(py).get_item(place)?);
            offsets
                .push(offsets[offsets.len() - 1] + self.offsets[place + 1] - self.offsets[place]);
            retrieved.push(self.retrieved[place]);
            ideal.extend(judged.grades[place].iter().take_while(|grade| **grade > 0.0));
            ideal_offsets.push(ideal.len() as i64);
        }
        let count = |counts: &WholeArray| -> PyResult<WholeArray> {
            let counts = values_of(py, counts)?;
            frozen(py, places.iter().map(|&place| counts[place]).collect())
        };
        let parts = [
            PyTuple::new(py, topics)?.into_any(),
            frozen(py, offsets)?.into_bound(py).into_any(),
            self.ranks.bind(py).clone().into_any(),
            self.grades.bind(py).clone().into_any(),
            frozen(py, retrieved)?.into_bound(py).into_any(),
            count(&self.counts.0)?.into_bound(py).into_any(),
            count(&self.counts.1)?.into_bound(py).into_any(),
            frozen(py, ideal)?.into_bound(py).into_any(),
            frozen(py, ideal_offsets)?.into_bound(py).into_any(),
            self.rel.bind(py).clone(),
            self.cutoff.into_pyobject(py)?,
        ];
        PyTuple::new(py, parts)
    }
}
