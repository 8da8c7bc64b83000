//! Scores to Python: arrays, dicts, Arrow, lists.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{
    ArrayRef, DictionaryArray, Float64Array, Int32Array, RecordBatch, RecordBatchIterator,
    StringArray,
};
use arrow_schema::{ArrowError, DataType, Field, Schema};
use cranfield_core::error::Kind;
use cranfield_core::format::shortest;
use cranfield_core::notices::{self, JudgmentNotes, Policies, RunNotes};
use cranfield_core::remarks;
use cranfield_core::scores::{Axis, Notes as CoreNotes, Scores as CoreScores, concat};
use numpy::{PyArray1, PyArray3, PyArrayMethods, PyReadonlyArray3, PyUntypedArrayMethods};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyDict, PyString, PyTuple};

use crate::codec::{self, Reduced};
use crate::errors::fail;
use crate::ids::{id_bytes, text, texts};
use crate::measures::{Measure, MeasureLabel};
use crate::options::choose;
use crate::qrels::Qrels;

#[doc = stub!("Notes")]
#[pyclass(frozen, module = "cranfield._core")]
pub struct Notes {
    run: String,
    core: CoreNotes,
    without_relevant: Arc<[Box<[u8]>]>,
    judgments: Arc<[Box<str>]>,
}

impl Notes {
    /// The notes on a run; of all runs the topics without a relevant document, and sentences
    /// about the judgments.
    pub fn of(
        run: String,
        core: CoreNotes,
        without_relevant: Arc<[Box<[u8]>]>,
        judgments: Arc<[Box<str>]>,
    ) -> Self {
        Notes { run, core, without_relevant, judgments }
    }
}

#[pymethods]
impl Notes {
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Reduced<'py>> {
        let Notes { run, core, without_relevant, judgments } = self;
        codec::scores::pickled_notes(py, run, core, without_relevant, judgments)
    }

    #[getter]
    fn run(&self) -> &str {
        &self.run
    }

    #[getter]
    fn tag<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyString>>> {
        self.core.tag.as_ref().map(|tag| text(py, tag.trim_ascii())).transpose()
    }

    #[getter]
    fn lines(&self) -> u64 {
        self.core.lines
    }

    #[getter]
    fn topics_missing<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        texts(py, self.core.missing.iter().map(|topic| &**topic))
    }

    #[getter]
    fn topics_without_judgments<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        texts(py, self.core.without_judgments.iter().map(|topic| &**topic))
    }

    #[getter]
    fn topics_without_relevant<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        texts(py, self.without_relevant.iter().map(|topic| &**topic))
    }

    #[getter]
    fn ties(&self) -> u64 {
        self.core.ties
    }

    #[getter]
    fn duplicates(&self) -> u64 {
        self.core.duplicates
    }

    #[getter]
    fn own_documents(&self) -> u64 {
        self.core.own
    }

    #[getter]
    fn own_first(&self) -> Option<&str> {
        self.core.said.as_ref()?.own_first.as_deref()
    }

    #[getter]
    fn repaired(&self) -> u64 {
        self.core.repaired
    }

    #[getter]
    fn comments(&self) -> u64 {
        self.core.comments
    }

    #[getter]
    fn tied(&self) -> Option<&str> {
        self.core.said.as_ref()?.tied.as_deref()
    }

    #[getter]
    fn rising(&self) -> Option<&str> {
        self.core.said.as_ref()?.rising.as_deref()
    }

    #[getter]
    fn of_text(&self) -> Option<&str> {
        self.core.said.as_ref()?.of_text.as_deref()
    }

    #[getter]
    fn unmatched(&self) -> Option<&str> {
        self.core.said.as_ref()?.unmatched.as_deref()
    }

    #[getter]
    fn topics_hint(&self) -> Option<&str> {
        self.core.said.as_ref()?.topics_hint.as_deref()
    }

    #[getter]
    fn judgments<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.judgments.iter().map(|text| &**text))
    }

    fn __repr__(&self) -> String {
        let CoreNotes { lines, missing, without_judgments, .. } = &self.core;
        let CoreNotes { ties, duplicates, repaired, comments, .. } = &self.core;
        format!(
            "Notes(run={:?}, lines={lines}, topics_missing={}, topics_without_judgments={}, topics_without_relevant={}, ties={ties}, duplicates={duplicates}, repaired={repaired}, comments={comments})",
            self.run,
            missing.len(),
            without_judgments.len(),
            self.without_relevant.len(),
        )
    }
}

#[doc = stub!("Scores")]
#[pyclass(frozen, module = "cranfield._core")]
pub struct Scores(pub CoreScores);

#[pymethods]
impl Scores {
    #[doc = stub!("Scores.of")]
    #[staticmethod]
    #[pyo3(signature = (runs, topics, measures, values, /))]
    fn of(
        runs: Vec<String>,
        topics: Vec<Bound<'_, PyAny>>,
        measures: Vec<MeasureLabel>,
        values: PyReadonlyArray3<'_, f64>,
    ) -> PyResult<Scores> {
        let shape = [runs.len(), topics.len(), measures.len()];
        let topic = |topic: &Bound<'_, PyAny>| Ok(id_bytes(topic)?.into());
        Ok(Scores(CoreScores {
            topics: topics.iter().map(topic).collect::<PyResult<_>>()?,
            measures: measures.into_iter().map(Into::into).collect(),
            values: shaped(&values, shape)?,
            weights: Vec::new(),
            notes: vec![CoreNotes::default(); runs.len()],
            without_relevant: Arc::default(),
            judgments: Arc::default(),
            runs,
        }))
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Reduced<'py>> {
        codec::scores::pickled(py, &self.0)
    }

    #[doc = stub!("Scores.runs")]
    #[getter]
    fn runs<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, &self.0.runs)
    }

    #[doc = stub!("Scores.has_findings")]
    #[getter]
    fn has_findings(&self) -> bool {
        self.0.has_findings()
    }

    #[doc = stub!("Scores.topics")]
    #[getter]
    fn topics<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        texts(py, self.0.topics.iter().map(|topic| &**topic))
    }

    #[doc = stub!("Scores.measures")]
    #[getter]
    fn measures<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.0.measures.iter().map(MeasureLabel::from))
    }

    #[doc = stub!("Scores.notes")]
    #[getter]
    fn notes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let notes = self.0.runs.iter().zip(&self.0.notes).map(|(run, notes)| {
            let Scores(CoreScores { without_relevant, judgments, .. }) = self;
            let (without, judgments) = (Arc::clone(without_relevant), Arc::clone(judgments));
            Notes::of(run.clone(), notes.clone(), without, judgments)
        });
        PyTuple::new(py, notes.collect::<Vec<_>>())
    }

    #[doc = stub!("Scores.f32_differs")]
    #[getter]
    fn f32_differs(&self) -> Vec<Option<u64>> {
        self.0.notes.iter().map(|notes| notes.f32_differs).collect()
    }

    #[doc = stub!("Scores.values")]
    fn values<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray3<f64>>> {
        let shape = [self.0.runs.len(), self.0.topics.len(), self.0.measures.len()];
        PyArray1::from_slice(py, &self.0.values).reshape(shape)
    }

    #[doc = stub!("Scores.with_values")]
    #[pyo3(signature = (values, /))]
    fn with_values(&self, values: PyReadonlyArray3<'_, f64>) -> PyResult<Scores> {
        let shape = [self.0.runs.len(), self.0.topics.len(), self.0.measures.len()];
        let values = shaped(&values, shape)?;
        Ok(Scores(CoreScores { values, ..self.0.clone() }))
    }

    #[doc = stub!("Scores.with_measures")]
    #[pyo3(signature = (measures, values, /))]
    fn with_measures(
        &self,
        measures: Vec<MeasureLabel>,
        values: PyReadonlyArray3<'_, f64>,
    ) -> PyResult<Scores> {
        let shape = [self.0.runs.len(), self.0.topics.len(), measures.len()];
        let further = CoreScores {
            measures: measures.into_iter().map(Into::into).collect(),
            values: shaped(&values, shape)?,
            weights: Vec::new(),
            ..self.0.clone()
        };
        Ok(Scores(concat(&[&self.0, &further], Axis::Measure)))
    }

    #[doc = stub!("Scores.concat")]
    #[staticmethod]
    #[pyo3(signature = (parts, axis, /))]
    fn concat(parts: Vec<PyRef<'_, Scores>>, axis: &str) -> PyResult<Scores> {
        let axes = [("run", Axis::Run), ("topic", Axis::Topic), ("measure", Axis::Measure)];
        let axis = choose("axis", axis, &axes)?;
        let parts: Vec<&CoreScores> = parts.iter().map(|part| &part.0).collect();
        let fits = parts.iter().all(|part| {
            (axis == Axis::Run || part.runs == parts[0].runs)
                && (axis == Axis::Topic || part.topics == parts[0].topics)
                && (axis == Axis::Measure || part.measures == parts[0].measures)
        });
        if parts.is_empty() || !fits {
            return Err(fail(Kind::Type, "expected scores with the same labels"));
        }
        Ok(Scores(concat(&parts, axis)))
    }

    #[doc = stub!("Scores.mean")]
    fn mean(&self) -> Vec<Vec<f64>> {
        self.table(|run, measure| self.0.mean(run, measure))
    }

    #[doc = stub!("Scores.summary")]
    fn summary(&self) -> Vec<Vec<f64>> {
        self.table(|run, measure| self.0.summary(run, measure))
    }

    #[doc = stub!("Scores.row")]
    #[pyo3(signature = (run, topic, /))]
    fn row(&self, run: usize, topic: usize) -> PyResult<Vec<f64>> {
        if run >= self.0.runs.len() || topic >= self.0.topics.len() {
            return Err(pyo3::exceptions::PyIndexError::new_err("no such run or topic"));
        }
        Ok(self.0.row(run, topic).to_vec())
    }

    #[doc = stub!("Scores.select")]
    #[pyo3(signature = (runs, topics, measures, /))]
    fn select(&self, runs: Vec<usize>, topics: Vec<usize>, measures: Vec<usize>) -> PyResult<Self> {
        let inside = |positions: &[usize], length: usize| positions.iter().all(|&p| p < length);
        if !inside(&runs, self.0.runs.len())
            || !inside(&topics, self.0.topics.len())
            || !inside(&measures, self.0.measures.len())
        {
            return Err(pyo3::exceptions::PyIndexError::new_err("no such run, topic or measure"));
        }
        Ok(Scores(self.0.select(&runs, &topics, &measures)))
    }

    #[doc = stub!("Scores.to_dict")]
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let names: Vec<Bound<'py, PyString>> =
            self.0.measures.iter().map(|measure| PyString::new(py, &measure.to_string())).collect();
        let topics =
            self.0.topics.iter().map(|topic| text(py, topic)).collect::<PyResult<Vec<_>>>()?;
        // A copy has its final size at once; an empty dict would be resized as it fills.
        let blank = PyDict::new(py);
        for name in &names {
            blank.set_item(name, py.None())?;
        }
        let runs = PyDict::new(py);
        for (run, name) in self.0.runs.iter().enumerate() {
            let by_topic = PyDict::new(py);
            for (topic, id) in topics.iter().enumerate() {
                let by_measure = blank.copy()?;
                for (measure, value) in names.iter().zip(self.0.row(run, topic)) {
                    by_measure.set_item(measure, value)?;
                }
                by_topic.set_item(id, by_measure)?;
            }
            runs.set_item(name, by_topic)?;
        }
        Ok(runs)
    }

    #[doc = stub!("Scores.arrow_stream")]
    #[pyo3(signature = (metadata, /))]
    fn arrow_stream<'py>(
        &self,
        py: Python<'py>,
        metadata: HashMap<String, String>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let batch = self
            .long(metadata)
            .map_err(|e| fail(Kind::Type, format!("cannot make an Arrow table: {e}")))?;
        let schema = batch.schema();
        let reader = RecordBatchIterator::new([Ok(batch)], schema);
        let stream = FFI_ArrowArrayStream::new(Box::new(reader));
        PyCapsule::new_with_value(py, stream, c"arrow_array_stream")
    }
}

impl Scores {
    fn table(&self, cell: impl Fn(usize, usize) -> f64) -> Vec<Vec<f64>> {
        let row = |run| (0..self.0.measures.len()).map(|measure| cell(run, measure)).collect();
        (0..self.0.runs.len()).map(row).collect()
    }

    /// The long form: run, topic, measure, value; NaN becomes null.
    fn long(&self, metadata: HashMap<String, String>) -> Result<RecordBatch, ArrowError> {
        let (runs, topics, measures) =
            (self.0.runs.len(), self.0.topics.len(), self.0.measures.len());
        let rows = runs * topics * measures;
        let labels = |texts: Vec<String>, each: usize| -> Result<ArrayRef, ArrowError> {
            let several = texts.len().max(1);
            let keys: Int32Array =
                (0..rows).map(|row| (row / each.max(1) % several) as i32).collect();
            Ok(Arc::new(DictionaryArray::try_new(keys, Arc::new(StringArray::from(texts)))?))
        };
        let topic_texts =
            self.0.topics.iter().map(|t| String::from_utf8_lossy(t).into_owned()).collect();
        let values: Float64Array =
            self.0.values.iter().map(|v| (!v.is_nan()).then_some(*v)).collect();
        let label = DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8));
        let fields = vec![
            Field::new("run", label.clone(), false),
            Field::new("topic", label.clone(), false),
            Field::new("measure", label, false),
            Field::new("value", DataType::Float64, true),
        ];
        let schema = Schema::new_with_metadata(fields, metadata);
        let columns = vec![
            labels(self.0.runs.clone(), topics * measures)?,
            labels(topic_texts, measures)?,
            labels(self.0.measures.iter().map(ToString::to_string).collect(), 1)?,
            Arc::new(values),
        ];
        RecordBatch::try_new(Arc::new(schema), columns)
    }
}

/// The values of an array of the given shape.
fn shaped(values: &PyReadonlyArray3<'_, f64>, shape: [usize; 3]) -> PyResult<Vec<f64>> {
    let found = values.shape();
    if found != shape {
        let message = format!("expected values of shape {shape:?}, found {found:?}");
        return Err(fail(Kind::Type, message));
    }
    let values: Vec<f64> = values.as_array().iter().copied().collect();
    if values.iter().any(|value| value.is_infinite()) {
        return Err(fail(Kind::Number, "expected finite values, or NaN, found an infinite one"));
    }
    Ok(values)
}

#[doc = stub!("number_texts")]
#[pyfunction]
#[pyo3(signature = (values, counts, undefined, /))]
pub fn number_texts(
    values: Vec<f64>,
    counts: &Bound<'_, PyAny>,
    undefined: &str,
) -> PyResult<Vec<String>> {
    let mut whole = vec![false; values.len()];
    for place in counts.try_iter()? {
        if let Some(whole) = whole.get_mut(place?.extract::<usize>()?) {
            *whole = true;
        }
    }
    let text = |(value, whole): (f64, bool)| {
        if value.is_nan() {
            undefined.to_string()
        } else if whole && value.fract() == 0.0 {
            // Adding zero turns minus zero into zero.
            format!("{:.0}", value + 0.0)
        } else {
            shortest(value)
        }
    };
    Ok(values.into_iter().zip(whole).map(text).collect())
}

#[doc = stub!("unpickled_notes")]
#[pyfunction]
#[pyo3(signature = (*parts))]
pub fn unpickled_notes(parts: &Bound<'_, PyTuple>) -> PyResult<Notes> {
    codec::scores::unpickled_notes(parts).map(|(run, core, without, judgments)| {
        Notes::of(run, core, without.into(), judgments.into())
    })
}

#[doc = stub!("unpickled_scores")]
#[pyfunction]
#[pyo3(signature = (*parts))]
pub fn unpickled_scores(parts: &Bound<'_, PyTuple>) -> PyResult<Scores> {
    codec::scores::unpickled(parts).map(Scores)
}

/// Sentences about runs that explain others, about judgments, about runs, and about measures.
type Findings<'py> =
    (Vec<Bound<'py, PyString>>, Vec<Bound<'py, PyString>>, Vec<Bound<'py, PyString>>);

fn run_notes<'a>(notes: &'a [PyRef<'_, Notes>]) -> Vec<RunNotes<'a>> {
    notes.iter().map(|notes| RunNotes { run: &notes.run, notes: &notes.core }).collect()
}

fn sentences<'py>(py: Python<'py>, sentences: &[Vec<u8>]) -> PyResult<Vec<Bound<'py, PyString>>> {
    sentences.iter().map(|sentence| text(py, sentence)).collect()
}

#[doc = stub!("findings")]
#[pyfunction]
#[pyo3(signature = (notes, qrels, measures, rels, /, *, missing, undefined, named, without_relevant = None))]
#[expect(clippy::too_many_arguments, reason = "options by keyword")]
pub fn findings<'py>(
    py: Python<'py>,
    notes: Vec<PyRef<'py, Notes>>,
    qrels: &Qrels,
    measures: Vec<Measure>,
    rels: Vec<f64>,
    missing: &str,
    undefined: &str,
    named: Vec<String>,
    without_relevant: Option<Vec<Bound<'py, PyAny>>>,
) -> PyResult<Findings<'py>> {
    let policies = Policies { missing, undefined, named: &named };
    let measures: Vec<_> = measures.into_iter().map(|measure| measure.0).collect();
    let given = without_relevant.map(|ids| ids.iter().map(id_bytes).collect::<PyResult<Vec<_>>>());
    let given = given.transpose()?;
    let topics = match &given {
        Some(ids) => ids.iter().map(|id| &**id).collect(),
        None => notes.iter().flat_map(|notes| &*notes.without_relevant).map(|id| &**id).collect(),
    };
    let said: Vec<&str> = notes.iter().flat_map(|notes| &*notes.judgments).map(|s| &**s).collect();
    let found =
        JudgmentNotes { qrels: &qrels.0, without_relevant: &topics, rels: &rels, said: &said };
    let mut judged = notices::of_judgments(&found, &policies);
    judged.extend(remarks::of_judgments(&qrels.0, &measures).map(String::into_bytes));
    let judged_topics = qrels.0.topics().len();
    let of_runs = notices::of_runs(&run_notes(&notes), judged_topics, &policies);
    let (first, mut rest): (Vec<_>, Vec<_>) =
        of_runs.into_iter().partition(|sentence| notices::explains(sentence));
    rest.extend(remarks::of_measures(&measures).into_iter().map(String::into_bytes));
    Ok((sentences(py, &first)?, sentences(py, &judged)?, sentences(py, &rest)?))
}

#[doc = stub!("run_findings")]
#[pyfunction]
#[pyo3(signature = (notes, topics, missing, /))]
pub fn run_findings<'py>(
    py: Python<'py>,
    notes: Vec<PyRef<'py, Notes>>,
    topics: usize,
    missing: &str,
) -> PyResult<Vec<Bound<'py, PyString>>> {
    let policies = Policies { missing, undefined: "zero", named: &[] };
    sentences(py, &notices::of_runs(&run_notes(&notes), topics, &policies))
}
