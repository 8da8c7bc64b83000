//! Judgments and runs as Python sees them.

use std::path::PathBuf;
use std::sync::Arc;

use cranfield_core::arrays::Check;
use cranfield_core::collection::restrict;
use cranfield_core::error::{Kind, count, quote};
use cranfield_core::fingerprint::fingerprint;
use cranfield_core::format::{Format, write_qrels, write_run};
use cranfield_core::qrels::{Builder, Qrels as CoreQrels, Topic};
use cranfield_core::read::open::Limits as CoreLimits;
use cranfield_core::read::qrels::{Layout, read_as};
use cranfield_core::read::run::{Ranks, RunOptions, gather};
use cranfield_core::run::{Lines, Run as CoreRun};
use pyo3::exceptions::PyKeyError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString, PyTuple};
use pyo3_arrow::PyRecordBatchReader;

use crate::arrays::{qrels_from_arrays, run_from_arrays, run_from_topk};
use crate::columns::ColumnRun;
use crate::errors::{OrRaise, Tried, fail};
use crate::frames::{qrels_from_arrow, run_from_arrow};
use crate::inputs::{self, Origin, QrelsRows, at_least_one, id_bytes};
use crate::options::{self, choose, run_layout_of, strictness};
use crate::outputs::{text, texts};
use crate::pickled::{self, Reduced};
use crate::rows::run_from_named_tuples;

#[doc = stub!("Limits")]
#[pyclass(frozen, module = "cranfield._core", from_py_object)]
#[derive(Clone, Copy)]
pub struct Limits(pub CoreLimits);

#[pymethods]
impl Limits {
    #[new]
    #[pyo3(signature = (*, decompression_ratio = None, decompression_free = None, line_bytes = None))]
    fn new(
        decompression_ratio: Option<&Bound<'_, PyAny>>,
        decompression_free: Option<&Bound<'_, PyAny>>,
        line_bytes: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let usual = CoreLimits::default();
        let free = at_least_one(decompression_free, "decompression_free")?;
        let line = at_least_one(line_bytes, "line_bytes")?;
        Ok(Limits(CoreLimits {
            decompression_ratio: at_least_one(decompression_ratio, "decompression_ratio")?
                .unwrap_or(usual.decompression_ratio),
            decompression_free: free.unwrap_or(usual.decompression_free),
            line_bytes: line.map_or(usual.line_bytes, |line| line as usize),
        }))
    }

    #[getter]
    fn decompression_ratio(&self) -> u64 {
        self.0.decompression_ratio
    }

    #[getter]
    fn decompression_free(&self) -> u64 {
        self.0.decompression_free
    }

    #[getter]
    fn line_bytes(&self) -> usize {
        self.0.line_bytes
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Reduced<'py>> {
        pickled::limits(py, *self)
    }

    fn __repr__(&self) -> String {
        let CoreLimits { decompression_ratio, decompression_free, line_bytes } = self.0;
        format!(
            "Limits(decompression_ratio={decompression_ratio}, decompression_free={decompression_free}, line_bytes={line_bytes})"
        )
    }
}

pub fn limits_of(limits: Option<Limits>) -> CoreLimits {
    limits.map_or_else(CoreLimits::default, |limits| limits.0)
}

fn format_of(name: &str) -> PyResult<Format> {
    Format::named(name).ok_or_else(|| {
        fail(
            Kind::Option,
            format!(
                "expected a format of trec, msmarco, beir or stratified, found {}",
                quote(name)
            ),
        )
    })
}

/// What the option is called in errors.
const DOCUMENTS: &str = "docs_in_collection";

#[doc = stub!("Qrels")]
#[pyclass(frozen, module = "cranfield._core", from_py_object)]
#[derive(Clone)]
pub struct Qrels(pub Arc<CoreQrels>);

#[pymethods]
impl Qrels {
    #[new]
    #[pyo3(signature = (judgments, /, *, docs_in_collection = None))]
    fn new(
        judgments: &Bound<'_, PyAny>,
        docs_in_collection: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let documents = at_least_one(docs_in_collection, DOCUMENTS)?;
        inputs::qrels_from_dict(judgments, documents).map(|qrels| Qrels(Arc::new(qrels)))
    }

    #[doc = stub!("Qrels.from_rows")]
    #[staticmethod]
    #[pyo3(signature = (topics, documents, grades, /, *, docs_in_collection = None))]
    fn from_rows(
        topics: &Bound<'_, PyAny>,
        documents: &Bound<'_, PyAny>,
        grades: &Bound<'_, PyAny>,
        docs_in_collection: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let mut rows = QrelsRows(Builder::new(&[]));
        inputs::each_row(topics, documents, grades, "grade", |t, d, g, row| {
            rows.add(t, d, g, row)
        })?;
        let documents = at_least_one(docs_in_collection, DOCUMENTS)?;
        Ok(Qrels(Arc::new(rows.0.finish(documents))))
    }

    #[doc = stub!("Qrels.from_arrow")]
    #[staticmethod]
    #[pyo3(signature = (stream, /, *, topic = None, document = None, grade = None, docs_in_collection = None))]
    fn from_arrow(
        py: Python<'_>,
        #[pyo3(from_py_with = options::stream)] stream: PyRecordBatchReader,
        #[pyo3(from_py_with = options::optional_topic)] topic: Option<&str>,
        #[pyo3(from_py_with = options::optional_document)] document: Option<&str>,
        #[pyo3(from_py_with = options::optional_grade)] grade: Option<&str>,
        docs_in_collection: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let documents = at_least_one(docs_in_collection, DOCUMENTS)?;
        let columns = places(py, &stream, "qrels_columns", [topic, document, grade])?;
        let [Some(topic), Some(document), Some(grade)] = columns else {
            return Err(fail(Kind::Type, "expected three columns"));
        };
        let qrels = qrels_from_arrow(stream, [topic, document, grade], documents)?;
        Ok(Qrels(Arc::new(qrels)))
    }

    #[doc = stub!("Qrels.from_arrays")]
    #[staticmethod]
    #[pyo3(signature = (topics, documents, grades, *, offsets = None, docs_in_collection = None))]
    fn from_arrays(
        topics: &Bound<'_, PyAny>,
        documents: &Bound<'_, PyAny>,
        grades: &Bound<'_, PyAny>,
        offsets: Option<&Bound<'_, PyAny>>,
        docs_in_collection: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let in_collection = at_least_one(docs_in_collection, DOCUMENTS)?;
        let qrels = qrels_from_arrays(topics, documents, grades, offsets, in_collection)?;
        Ok(Qrels(Arc::new(qrels)))
    }

    #[doc = stub!("Qrels.read")]
    #[staticmethod]
    #[pyo3(signature = (source, /, *, name = None, lenient = false, limits = None, docs_in_collection = None, layout = None, levels = None))]
    #[expect(clippy::too_many_arguments, reason = "keywords")]
    fn read(
        py: Python<'_>,
        source: &Bound<'_, PyAny>,
        #[pyo3(from_py_with = options::optional_name)] name: Option<&str>,
        #[pyo3(from_py_with = options::lenient)] lenient: bool,
        #[pyo3(from_py_with = options::limits)] limits: Option<Limits>,
        docs_in_collection: Option<&Bound<'_, PyAny>>,
        #[pyo3(from_py_with = options::layout)] layout: Option<&str>,
        levels: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let documents = at_least_one(docs_in_collection, DOCUMENTS)?;
        let layout = layout.map(Layout::named).transpose();
        let mut layout = layout.map_err(|message| fail(Kind::Option, message))?.unwrap_or_default();
        if let Some(levels) = levels {
            let levels = inputs::levels_from_dict(levels)?;
            layout = layout.with_levels(levels).map_err(|message| fail(Kind::Option, message))?;
        }
        let read = |reader| read_as(layout, reader, strictness(lenient), documents);
        let label = name.unwrap_or("<stream>");
        let qrels = Origin::of(source)?.read(py, label, &limits_of(limits), read)?;
        Ok(Qrels(Arc::new(qrels)))
    }

    #[doc = stub!("Qrels.write")]
    #[pyo3(signature = (path, /, *, format = "trec"))]
    fn write(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = options::path)] path: PathBuf,
        #[pyo3(from_py_with = options::format)] format: &str,
    ) -> PyResult<()> {
        let format = format_of(format)?;
        py.detach(|| write_qrels(&self.0, &path, format)).or_raise()
    }

    #[doc = stub!("Qrels.to_dict")]
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let dict = PyDict::new(py);
        for position in 0..self.0.topics().len() {
            dict.set_item(text(py, self.0.topics()[position].id())?, self.graded(py, position)?)?;
        }
        Ok(dict)
    }

    #[doc = stub!("Qrels.topics")]
    #[getter]
    fn topics<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        texts(py, self.0.topics().iter().map(Topic::id))
    }

    #[doc = stub!("Qrels.grades")]
    #[getter]
    fn grades<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.0.grades())
    }

    #[doc = stub!("Qrels.docs_in_collection")]
    #[getter]
    fn docs_in_collection(&self) -> Option<u64> {
        self.0.docs_in_collection
    }

    #[doc = stub!("Qrels.fingerprint")]
    #[getter]
    fn fingerprint(&self) -> String {
        format!("{:016x}", fingerprint(&self.0))
    }

    #[doc = stub!("Qrels.repaired")]
    #[getter]
    fn repaired(&self) -> u64 {
        self.0.repaired
    }

    #[doc = stub!("Qrels.columns")]
    #[getter]
    fn columns<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.0.column_names())
    }

    #[doc = stub!("Qrels.column")]
    #[pyo3(signature = (name, topic, /))]
    fn column<'py>(
        &self,
        py: Python<'py>,
        #[pyo3(from_py_with = options::name)] name: &str,
        topic: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let Some(column) = self.0.column_names().iter().position(|known| known == name) else {
            return Err(PyKeyError::new_err(format!("the judgments have no column {name}")));
        };
        let topic = &self.0.topics()[self.position(topic)?];
        let values = topic.column(column).unwrap_or_default();
        let dict = PyDict::new(py);
        for (number, document, _) in topic.judgments() {
            // A document without a class has none.
            if !values[number].is_nan() {
                dict.set_item(text(py, document)?, values[number])?;
            }
        }
        Ok(dict)
    }

    #[doc = stub!("Qrels.from_intents")]
    #[staticmethod]
    #[pyo3(signature = (judgments, /, *, weights = None, navigational = None, docs_in_collection = None))]
    fn from_intents(
        judgments: &Bound<'_, PyAny>,
        weights: Option<&Bound<'_, PyAny>>,
        navigational: Option<&Bound<'_, PyAny>>,
        docs_in_collection: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let documents = at_least_one(docs_in_collection, DOCUMENTS)?;
        let mut qrels = Qrels(Arc::new(inputs::qrels_from_intents(judgments, documents)?));
        if let Some(weights) = weights {
            qrels = qrels.with_weights(weights)?;
        }
        match navigational {
            Some(navigational) => qrels.with_navigational(navigational),
            None => Ok(qrels),
        }
    }

    #[doc = stub!("Qrels.with_navigational")]
    #[pyo3(signature = (intents, /))]
    fn with_navigational(&self, intents: &Bound<'_, PyAny>) -> PyResult<Qrels> {
        let navigational = inputs::navigational_from_dict(&self.0, intents)?;
        Ok(Qrels(Arc::new(self.0.with_navigational(navigational))))
    }

    #[doc = stub!("Qrels.with_weights")]
    #[pyo3(signature = (weights, /))]
    fn with_weights(&self, weights: &Bound<'_, PyAny>) -> PyResult<Qrels> {
        let weights = inputs::weights_from_dict(&self.0, weights)?;
        Ok(Qrels(Arc::new(self.0.with_weights(weights))))
    }

    #[doc = stub!("Qrels.intents")]
    #[pyo3(signature = (topic, /))]
    fn intents<'py>(
        &self,
        py: Python<'py>,
        topic: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let intents = self.0.topics()[self.position(topic)?].intents();
        let dict = PyDict::new(py);
        for (name, weight) in intents.names().iter().zip(intents.weights()) {
            dict.set_item(text(py, name)?, weight)?;
        }
        Ok(dict)
    }

    #[doc = stub!("Qrels.with_column")]
    #[pyo3(signature = (name, values, /))]
    fn with_column(
        &self,
        #[pyo3(from_py_with = options::name)] name: &str,
        values: &Bound<'_, PyAny>,
    ) -> PyResult<Qrels> {
        let column = inputs::column_from_dict(&self.0, name, values)?;
        Ok(Qrels(Arc::new(self.0.with_column(name, column))))
    }

    #[doc = stub!("Qrels.restrict_to_pool")]
    #[pyo3(signature = (pool, /))]
    fn restrict_to_pool(
        &self,
        #[pyo3(from_py_with = options::pool)] pool: &Bound<'_, Qrels>,
    ) -> Qrels {
        Qrels(Arc::new(restrict(&self.0, &pool.get().0)))
    }

    fn __len__(&self) -> usize {
        self.0.topics().len()
    }

    fn __contains__(&self, topic: &Bound<'_, PyAny>) -> PyResult<bool> {
        let id = id_bytes(topic).tried(topic.py())?;
        Ok(id.is_some_and(|id| self.0.position(&id).is_some()))
    }

    fn __getitem__<'py>(
        &self,
        py: Python<'py>,
        topic: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyDict>> {
        self.graded(py, self.position(topic)?)
    }

    fn __eq__(&self, py: Python<'_>, other: &Bound<'_, PyAny>) -> PyResult<bool> {
        let Ok(other) = other.cast::<Qrels>() else { return Ok(false) };
        let other = other.get();
        Ok(self.0.docs_in_collection == other.0.docs_in_collection
            && self.to_dict(py)?.eq(other.to_dict(py)?)?)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Reduced<'py>> {
        pickled::qrels(py, &self.0)
    }

    fn __repr__(&self) -> String {
        let judgments: usize = self.0.topics().iter().map(Topic::len).sum();
        format!(
            "<Qrels: {}, {}>",
            count(self.0.topics().len(), "topic"),
            count(judgments, "judgment")
        )
    }
}

impl Qrels {
    fn position(&self, topic: &Bound<'_, PyAny>) -> PyResult<usize> {
        let id = id_bytes(topic)?;
        let missing = || PyKeyError::new_err(format!("no topic {} in the judgments", quote(&id)));
        self.0.position(&id).ok_or_else(missing)
    }

    fn graded<'py>(&self, py: Python<'py>, position: usize) -> PyResult<Bound<'py, PyDict>> {
        let topic = &self.0.topics()[position];
        let dict = PyDict::new(py);
        for (_, document, level) in topic.judgments() {
            dict.set_item(text(py, document)?, self.0.grades()[level as usize])?;
        }
        Ok(dict)
    }
}

#[doc = stub!("Run")]
#[pyclass(frozen, module = "cranfield._core", from_py_object)]
#[derive(Clone)]
pub struct Run(pub Kept);

/// What a run is kept as.
#[derive(Clone)]
pub enum Kept {
    /// Documents and scores of its own.
    Lines(Arc<CoreRun>),
    /// A name, and columns of somebody else.
    Columns(Arc<str>, Arc<ColumnRun>),
}

impl Run {
    /// A run with documents and scores of its own.
    pub fn of(run: CoreRun) -> Self {
        Run(Kept::Lines(Arc::new(run)))
    }

    fn in_columns(name: &str, run: ColumnRun) -> Self {
        Run(Kept::Columns(name.into(), Arc::new(run)))
    }

    /// The run with documents and scores of its own.
    fn own(&self, py: Python<'_>) -> PyResult<Arc<CoreRun>> {
        match &self.0 {
            Kept::Lines(run) => Ok(Arc::clone(run)),
            Kept::Columns(name, run) => run.to_run(py, name, None).map(Arc::new),
        }
    }

    fn has(&self, id: &[u8]) -> bool {
        match &self.0 {
            Kept::Lines(run) => run.topics.iter().any(|(topic, _)| **topic == *id),
            Kept::Columns(_, run) => run.topics.iter().any(|(topic, _)| **topic == *id),
        }
    }
}

#[pymethods]
impl Run {
    #[new]
    #[pyo3(signature = (scores, /, *, name = "run"))]
    fn new(
        scores: &Bound<'_, PyAny>,
        #[pyo3(from_py_with = options::name)] name: &str,
    ) -> PyResult<Self> {
        inputs::run_from_dict(scores, name.into()).map(Run::of)
    }

    #[doc = stub!("Run.from_rankings")]
    #[staticmethod]
    #[pyo3(signature = (rankings, /, *, name = "run"))]
    fn from_rankings(
        rankings: &Bound<'_, PyAny>,
        #[pyo3(from_py_with = options::name)] name: &str,
    ) -> PyResult<Self> {
        inputs::run_from_rankings(rankings, name.into()).map(Run::of)
    }

    #[doc = stub!("Run.from_hits")]
    #[staticmethod]
    #[pyo3(signature = (answers, /, *, name = "run", document = None))]
    fn from_hits<'py>(
        answers: &Bound<'py, PyAny>,
        #[pyo3(from_py_with = options::name)] name: &str,
        document: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let module = answers.py().import("cranfield.hits")?;
        module.call_method1("run_from_hits", (answers, name, document))
    }

    #[doc = stub!("Run.from_rows")]
    #[staticmethod]
    #[pyo3(signature = (topics, documents, scores, /, *, ranks = None, name = "run"))]
    fn from_rows(
        topics: &Bound<'_, PyAny>,
        documents: &Bound<'_, PyAny>,
        scores: Option<&Bound<'_, PyAny>>,
        ranks: Option<&Bound<'_, PyAny>>,
        #[pyo3(from_py_with = options::name)] name: &str,
    ) -> PyResult<Self> {
        let run = inputs::run_from_rows(topics, documents, scores, ranks, name.into())?;
        Ok(Run::of(run))
    }

    #[doc = stub!("Run.from_named_tuples")]
    #[staticmethod]
    #[pyo3(signature = (rows, /, *, topic, document, score, name = "run"))]
    fn from_named_tuples(
        rows: &Bound<'_, PyList>,
        #[pyo3(from_py_with = options::topic)] topic: &str,
        #[pyo3(from_py_with = options::document)] document: &str,
        #[pyo3(from_py_with = options::score)] score: &str,
        #[pyo3(from_py_with = options::name)] name: &str,
    ) -> PyResult<Option<Self>> {
        let run = run_from_named_tuples(rows, [topic, document, score], name.into())?;
        Ok(run.map(Run::of))
    }

    #[doc = stub!("Run.from_arrow")]
    #[staticmethod]
    #[pyo3(signature = (
        stream, /, *, topic = None, document = None, score = None, rank = None, name = "run"
    ))]
    fn from_arrow(
        py: Python<'_>,
        #[pyo3(from_py_with = options::stream)] stream: PyRecordBatchReader,
        #[pyo3(from_py_with = options::optional_topic)] topic: Option<&str>,
        #[pyo3(from_py_with = options::optional_document)] document: Option<&str>,
        #[pyo3(from_py_with = options::optional_score)] score: Option<&str>,
        #[pyo3(from_py_with = options::optional_rank)] rank: Option<&str>,
        #[pyo3(from_py_with = options::name)] name: &str,
    ) -> PyResult<Self> {
        let columns = places(py, &stream, "run_columns", [topic, document, score, rank])?;
        let [Some(topic), Some(document), score, rank] = columns else {
            return Err(fail(Kind::Type, "expected columns for topic and document"));
        };
        Ok(Run::in_columns(name, run_from_arrow(stream, [topic, document], score, rank)?))
    }

    #[doc = stub!("Run.from_arrays")]
    #[staticmethod]
    #[pyo3(signature = (topics, documents, scores, *, offsets = None, name = "run", check = "judged"))]
    fn from_arrays(
        topics: &Bound<'_, PyAny>,
        documents: &Bound<'_, PyAny>,
        scores: &Bound<'_, PyAny>,
        offsets: Option<&Bound<'_, PyAny>>,
        #[pyo3(from_py_with = options::name)] name: &str,
        #[pyo3(from_py_with = options::check)] check: &str,
    ) -> PyResult<Self> {
        let run = run_from_arrays(topics, documents, scores, offsets, check_of(check)?)?;
        Ok(Run::in_columns(name, run))
    }

    #[doc = stub!("Run.from_topk")]
    #[staticmethod]
    #[pyo3(signature = (topics, documents, scores, *, name = "run", check = "judged"))]
    fn from_topk(
        topics: &Bound<'_, PyAny>,
        documents: &Bound<'_, PyAny>,
        scores: &Bound<'_, PyAny>,
        #[pyo3(from_py_with = options::name)] name: &str,
        #[pyo3(from_py_with = options::check)] check: &str,
    ) -> PyResult<Self> {
        Ok(Run::in_columns(name, run_from_topk(topics, documents, scores, check_of(check)?)?))
    }

    #[doc = stub!("Run.read")]
    #[staticmethod]
    #[pyo3(signature = (source, /, *, name, label = None, lenient = false, limits = None, run_layout = None))]
    fn read(
        py: Python<'_>,
        source: &Bound<'_, PyAny>,
        #[pyo3(from_py_with = options::name)] name: &str,
        #[pyo3(from_py_with = options::label)] label: Option<&str>,
        #[pyo3(from_py_with = options::lenient)] lenient: bool,
        #[pyo3(from_py_with = options::limits)] limits: Option<Limits>,
        #[pyo3(from_py_with = options::run_layout)] run_layout: Option<&str>,
    ) -> PyResult<Self> {
        let options = RunOptions {
            strictness: strictness(lenient),
            ranks: Ranks::Kept,
            layout: run_layout_of(run_layout)?,
        };
        let read = |reader| gather(reader, options, name.into());
        let label = label.unwrap_or(name);
        let gathered = Origin::of(source)?.read(py, label, &limits_of(limits), read)?;
        Ok(Run::of(gathered.run))
    }

    #[doc = stub!("Run.write")]
    #[pyo3(signature = (path, /, *, format = "trec"))]
    fn write(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = options::path)] path: PathBuf,
        #[pyo3(from_py_with = options::format)] format: &str,
    ) -> PyResult<()> {
        let format = format_of(format)?;
        let run = self.own(py)?;
        py.detach(|| write_run(&run, &path, format)).or_raise()
    }

    #[doc = stub!("Run.to_dict")]
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let dict = PyDict::new(py);
        for (topic, lines) in &self.own(py)?.topics {
            dict.set_item(text(py, topic)?, scored(py, lines)?)?;
        }
        Ok(dict)
    }

    #[doc = stub!("Run.rename")]
    #[pyo3(signature = (name, /))]
    fn rename(&self, #[pyo3(from_py_with = options::name)] name: &str) -> Self {
        match &self.0 {
            Kept::Lines(run) => Run::of(CoreRun { name: name.into(), ..(**run).clone() }),
            Kept::Columns(_, run) => Run(Kept::Columns(name.into(), Arc::clone(run))),
        }
    }

    #[doc = stub!("Run.name")]
    #[getter]
    fn name(&self) -> &str {
        match &self.0 {
            Kept::Lines(run) => &run.name,
            Kept::Columns(name, _) => name,
        }
    }

    #[doc = stub!("Run.tag")]
    #[getter]
    fn tag<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyString>>> {
        let tag = match &self.0 {
            Kept::Lines(run) => run.tag.as_ref(),
            Kept::Columns(..) => None,
        };
        tag.map(|tag| text(py, tag.trim_ascii())).transpose()
    }

    #[doc = stub!("Run.topics")]
    #[getter]
    fn topics<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        match &self.0 {
            Kept::Lines(run) => texts(py, run.topics.iter().map(|(topic, _)| &**topic)),
            Kept::Columns(_, run) => texts(py, run.topics.iter().map(|(topic, _)| &**topic)),
        }
    }

    #[doc = stub!("Run.lines")]
    #[getter]
    fn lines(&self, py: Python<'_>) -> PyResult<usize> {
        match &self.0 {
            Kept::Lines(run) => Ok(run.topics.iter().map(|(_, lines)| lines.len()).sum()),
            Kept::Columns(_, run) => run.lines(py),
        }
    }

    fn __len__(&self) -> usize {
        match &self.0 {
            Kept::Lines(run) => run.topics.len(),
            Kept::Columns(_, run) => run.topics.len(),
        }
    }

    fn __contains__(&self, topic: &Bound<'_, PyAny>) -> PyResult<bool> {
        let id = id_bytes(topic).tried(topic.py())?;
        Ok(id.is_some_and(|id| self.has(&id)))
    }

    fn __getitem__<'py>(
        &self,
        py: Python<'py>,
        topic: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let id = id_bytes(topic)?;
        let run = match &self.0 {
            Kept::Lines(run) => Arc::clone(run),
            Kept::Columns(name, run) => Arc::new(run.to_run(py, name, Some(&id))?),
        };
        match run.topics.iter().find(|(topic, _)| **topic == *id) {
            Some((_, lines)) => scored(py, lines),
            None => Err(PyKeyError::new_err(format!("no topic {} in the run", quote(&id)))),
        }
    }

    /// What stays in columns of somebody else is copied.
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Reduced<'py>> {
        pickled::run(py, &*self.own(py)?)
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let (topics, lines) = (count(self.__len__(), "topic"), count(self.lines(py)?, "line"));
        Ok(format!("<Run {}: {topics}, {lines}>", self.name()))
    }
}

/// The places of the columns of a stream, some of which are named, by a function
/// that finds the others by their names.
fn places<const COLUMNS: usize>(
    py: Python<'_>,
    stream: &PyRecordBatchReader,
    find: &str,
    named: [Option<&str>; COLUMNS],
) -> PyResult<[Option<usize>; COLUMNS]> {
    let schema = stream.schema_ref()?;
    let names: Vec<&str> = schema.fields().iter().map(|field| field.name().as_str()).collect();
    let mut arguments = vec![names.into_pyobject(py)?];
    for name in named {
        arguments.push(name.into_pyobject(py)?);
    }
    let find = py.import("cranfield.columns")?.getattr(find)?;
    find.call1(PyTuple::new(py, arguments)?)?.extract()
}

/// Which repeated documents are looked for.
fn check_of(name: &str) -> PyResult<Check> {
    choose("check", name, &[("judged", Check::Judged), ("full", Check::Full)])
}

/// A list as a dict, in ranked order; a document that it holds twice has no
/// place in one.
fn scored<'py>(py: Python<'py>, lines: &Lines) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    for line in lines.ranked() {
        let document = text(py, lines.document(line))?;
        if dict.contains(&document)? {
            let message = format!(
                "expected a document once for each topic, found {} again: a dict cannot hold it twice",
                quote(lines.document(line))
            );
            return Err(fail(Kind::Duplicate, message));
        }
        dict.set_item(document, lines.score(line))?;
    }
    Ok(dict)
}
