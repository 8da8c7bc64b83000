//! One list at a time, as Python sees it.

use cranfield_core::error::Kind;
use cranfield_core::evaluate::{Id, ListScorer as CoreScorer};
use cranfield_core::measure::Measure as CoreMeasure;
use cranfield_core::options::Choices;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyFrozenSet, PyList, PyMapping, PySet, PyString, PyTuple};

use crate::errors::{OrRaise, Tried, refused};
use crate::evaluating::choices;
use crate::ids::{Ids, id_bytes};
use crate::measures::Measure;
use crate::values::{each_item, finite, in_order};

#[doc = stub!("ListScorer")]
#[pyclass(frozen, module = "cranfield._core")]
pub struct ListScorer {
    core: CoreScorer,
    names: Vec<Py<PyString>>,
}

#[pymethods]
impl ListScorer {
    #[new]
    #[pyo3(signature = (measures, **options))]
    fn new(
        py: Python<'_>,
        measures: Vec<Measure>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let Choices { options, .. } = choices(options)?;
        let measures: Vec<CoreMeasure> = measures.into_iter().map(|measure| measure.0).collect();
        let names = measures.iter().map(|measure| PyString::new(py, &measure.to_string()).unbind());
        Ok(ListScorer {
            names: names.collect(),
            core: CoreScorer::new(measures, options).or_raise()?,
        })
    }

    #[doc = stub!("ListScorer.score")]
    #[pyo3(signature = (retrieved, relevant, own = None, lengths = None, /))]
    fn score<'py>(
        &self,
        retrieved: &Bound<'py, PyAny>,
        relevant: &Bound<'py, PyAny>,
        own: Option<&Bound<'py, PyAny>>,
        lengths: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let py = retrieved.py();
        let own = own.map(id_bytes).transpose()?;
        let listed = listed(retrieved)?;
        let lengths = lengths.map(|lengths| lengths_of(lengths, &listed)).transpose()?;
        let mut kind = Ids::Unknown;
        let retrieved = listed.iter().map(|id| kind.bytes(id)).collect::<PyResult<Vec<Id>>>()?;
        let judged = judged(relevant)?;
        let mut kind = Ids::Unknown;
        let relevant = judged.iter().map(|(id, grade)| Ok((kind.bytes(id)?, *grade)));
        let relevant = relevant.collect::<PyResult<Vec<(Id, f64)>>>()?;
        let values = self.core.score(&retrieved, &relevant, own.as_deref(), lengths.as_deref());
        let values = values.or_raise()?;
        let found = PyDict::new(py);
        for (name, value) in self.names.iter().zip(values) {
            found.set_item(name, value)?;
        }
        Ok(found)
    }
}

/// What is in a list or tuple, without a look at what else it could be.
fn plain<'py>(given: &Bound<'py, PyAny>) -> Option<Vec<Bound<'py, PyAny>>> {
    if let Ok(list) = given.cast_exact::<PyList>() {
        return Some(list.iter().collect());
    }
    Some(given.cast_exact::<PyTuple>().ok()?.iter().collect())
}

/// The lengths of documents, from {id: number}; NaN for one that is not there.
fn lengths_of(given: &Bound<'_, PyAny>, ids: &[Bound<'_, PyAny>]) -> PyResult<Vec<f64>> {
    let Ok(known) = given.cast::<PyMapping>() else {
        return Err(refused(Kind::Type, given, |found| {
            format!("expected lengths as {{id: number}}, found {found}")
        }));
    };
    let length = |id: &Bound<'_, PyAny>| {
        if !known.contains(id)? {
            return Ok(f64::NAN);
        }
        let length = known.get_item(id)?;
        finite(&length)?.filter(|length| *length >= 0.0).ok_or_else(|| {
            refused(Kind::Number, &length, |found| {
                format!("expected a finite number of at least 0 as length, found {found}")
            })
        })
    };
    ids.iter().map(length).collect()
}

/// The ids of a ranked list.
fn listed<'py>(given: &Bound<'py, PyAny>) -> PyResult<Vec<Bound<'py, PyAny>>> {
    plain(given).map_or_else(|| in_order(given, "the retrieved ids as a list, best first"), Ok)
}

const WANTED: &str = "the relevant ids as a list or set, or as {id: grade}";

/// The ids of what is relevant, with grades.
fn judged<'py>(given: &Bound<'py, PyAny>) -> PyResult<Vec<(Bound<'py, PyAny>, f64)>> {
    let with_grade = |ids: Vec<Bound<'py, PyAny>>| ids.into_iter().map(|id| (id, 1.0)).collect();
    if let Some(ids) = plain(given) {
        return Ok(with_grade(ids));
    }
    let set = given.is_instance_of::<PySet>() || given.is_instance_of::<PyFrozenSet>();
    if set {
        return Ok(with_grade(given.try_iter()?.collect::<PyResult<_>>()?));
    }
    if given.cast::<PyMapping>().is_err() {
        return Ok(with_grade(in_order(given, WANTED)?));
    }
    let mut found = Vec::new();
    each_item(given, WANTED, |id, grade| {
        let Some(grade) = finite(grade)? else {
            let shown = id.repr().tried(id.py())?;
            let shown = shown.map(|id| id.to_string_lossy().into_owned()).unwrap_or_default();
            return Err(refused(Kind::Number, grade, |grade| {
                format!("expected a finite number as grade, found {grade} for document {shown}")
            }));
        };
        found.push((id.clone(), grade));
        Ok(())
    })?;
    Ok(found)
}
