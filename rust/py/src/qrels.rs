//! Judgments as Python sees them.

use std::path::PathBuf;
use std::sync::Arc;

use cranfield_core::collection::restrict;
use cranfield_core::error::{Kind, count, quote};
use cranfield_core::fingerprint::fingerprint;
use cranfield_core::format::{Format, write_qrels};
use cranfield_core::memory;
use cranfield_core::qrels::{Builder, Qrels as CoreQrels, Topic};
use cranfield_core::read::qrels::{COST, Layout, read_as};
use cranfield_core::read::tables::rows::QrelsRows;
use pyo3::exceptions::PyKeyError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyIterator, PyString, PyTuple};

use crate::allocator::give_back;
use crate::codec::{self, Reduced};
use crate::errors::{OrRaise, Tried, caught, fail};
use crate::from_arrow::{opened, qrels_from_arrow};
use crate::from_dict;
use crate::from_numpy::qrels_from_arrays;
use crate::from_rows::each_row;
use crate::ids::{ITEM, id_bytes, text, texts};
use crate::limits::{self, Limits, limits_of};
use crate::options::{self, at_least_one, strictness, wrong};
use crate::ratings::ratings_of;
use crate::source::Origin;
use crate::watch::interruptible;

/// The name of the option in errors.
pub const DOCUMENTS: &str = "docs_in_collection";

#[doc = stub!("Qrels")]
#[pyclass(frozen, module = "cranfield._core", from_py_object)]
#[derive(Clone)]
pub struct Qrels(pub Arc<CoreQrels>);

/// Building the tables of so many topics takes ten megabytes more than they keep.
const MANY: usize = 50_000;

impl Qrels {
    /// Judgments that were built just now.
    pub fn built(qrels: CoreQrels) -> Self {
        if qrels.topics().len() >= MANY {
            give_back();
        }
        Qrels(Arc::new(qrels))
    }
}

#[pymethods]
impl Qrels {
    #[new]
    #[pyo3(signature = (judgments, /, *, docs_in_collection = None))]
    fn new(
        judgments: &Bound<'_, PyAny>,
        docs_in_collection: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let documents = at_least_one(docs_in_collection, DOCUMENTS)?;
        from_dict::qrels_from_dict(judgments, documents).map(Qrels::built)
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
        each_row(topics, documents, grades, "grade", |t, d, g, row| rows.add(t, d, g, row))?;
        let documents = at_least_one(docs_in_collection, DOCUMENTS)?;
        Ok(Qrels::built(rows.0.finish(documents)))
    }

    #[doc = stub!("Qrels.from_arrow")]
    #[staticmethod]
    #[pyo3(signature = (stream, /, *, topic = None, document = None, grade = None, docs_in_collection = None))]
    fn from_arrow(
        stream: &Bound<'_, PyAny>,
        #[pyo3(from_py_with = options::optional_topic)] topic: Option<&str>,
        #[pyo3(from_py_with = options::optional_document)] document: Option<&str>,
        #[pyo3(from_py_with = options::optional_grade)] grade: Option<&str>,
        docs_in_collection: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let documents = at_least_one(docs_in_collection, DOCUMENTS)?;
        let py = stream.py();
        let (stream, columns) = opened(stream, "qrels_columns", [topic, document, grade])?;
        let [Some(topic), Some(document), Some(grade)] = columns else {
            return Err(fail(Kind::Type, "expected three columns"));
        };
        let read = || qrels_from_arrow(stream, [topic, document, grade], documents);
        interruptible(py, read)?.map(Qrels::built)
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
        qrels_from_arrays(topics, documents, grades, offsets, in_collection).map(Qrels::built)
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
        #[pyo3(from_py_with = limits::limits)] limits: Option<Limits>,
        docs_in_collection: Option<&Bound<'_, PyAny>>,
        #[pyo3(from_py_with = options::layout)] layout: Option<&str>,
        levels: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let documents = at_least_one(docs_in_collection, DOCUMENTS)?;
        let layout = layout.map(Layout::named).transpose();
        let mut layout = layout.map_err(|message| fail(Kind::Option, message))?.unwrap_or_default();
        if let Some(levels) = levels {
            let levels = from_dict::levels_from_dict(levels)?;
            layout =
                layout.with_grade_names(levels).map_err(|message| fail(Kind::Option, message))?;
        }
        let read = |reader| read_as(layout, reader, strictness(lenient), documents);
        let label = name.unwrap_or("<stream>");
        Origin::of(source)?.read(py, label, &limits_of(limits), read).map(Qrels::built)
    }

    #[doc = stub!("Qrels.write")]
    #[pyo3(signature = (path, /, *, format = "trec"))]
    fn write(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = options::path)] path: PathBuf,
        #[pyo3(from_py_with = options::format)] format: &str,
    ) -> PyResult<()> {
        let format = Format::named(format).or_raise()?;
        interruptible(py, || write_qrels(&self.0, &path, format))?.or_raise()
    }

    #[doc = stub!("Qrels.to_dict")]
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        caught(|| {
            let dict = PyDict::new(py);
            for (position, topic) in self.0.topics().iter().enumerate() {
                py.check_signals()?;
                dict.set_item(text(py, topic.id())?, self.graded(py, position)?)?;
            }
            Ok(dict)
        })?
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

    #[doc = stub!("Qrels.comments")]
    #[getter]
    fn comments(&self) -> u64 {
        self.0.comments
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
            // The column may lack some documents.
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
        let mut qrels = Qrels(Arc::new(from_dict::qrels_from_intents(judgments, documents)?));
        if let Some(weights) = weights {
            qrels = qrels.with_weights(weights)?;
        }
        match navigational {
            Some(navigational) => qrels.with_navigational(navigational),
            None => Ok(qrels),
        }
    }

    #[doc = stub!("Qrels.from_ratings")]
    #[staticmethod]
    #[pyo3(signature = (ratings, /))]
    fn from_ratings<'py>(ratings: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let module = ratings.py().import("cranfield._io.small_files")?;
        module.call_method1("qrels_from_ratings", (ratings,))
    }

    #[doc = stub!("Qrels.to_ratings")]
    #[pyo3(signature = (form, /, *, index = None))]
    fn to_ratings<'py>(
        slf: &Bound<'py, Self>,
        #[pyo3(from_py_with = options::form)] form: &str,
        index: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        ratings_of(&slf.get().to_dict(slf.py())?, form, index)
    }

    #[doc = stub!("Qrels.with_navigational")]
    #[pyo3(signature = (intents, /))]
    fn with_navigational(&self, intents: &Bound<'_, PyAny>) -> PyResult<Qrels> {
        let navigational = from_dict::navigational_from_dict(&self.0, intents)?;
        Ok(Qrels(Arc::new(self.0.with_navigational(navigational))))
    }

    #[doc = stub!("Qrels.with_weights")]
    #[pyo3(signature = (weights, /))]
    fn with_weights(&self, weights: &Bound<'_, PyAny>) -> PyResult<Qrels> {
        let weights = from_dict::weights_from_dict(&self.0, weights)?;
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
        let column = from_dict::column_from_dict(&self.0, name, values)?;
        let mut qrels = self.0.with_column(name, column);
        if name == COST {
            // Of documents without a judgment, too: they cost something where they are retrieved.
            qrels.costs.of_topics = Some(Arc::new(from_dict::costs_from_dict(&self.0, values)?));
        }
        Ok(Qrels(Arc::new(qrels)))
    }

    #[doc = stub!("Qrels.with_lengths")]
    #[pyo3(signature = (lengths, /))]
    fn with_lengths(&self, lengths: &Bound<'_, PyAny>) -> PyResult<Qrels> {
        let mut qrels = CoreQrels::clone(&self.0);
        qrels.costs.lengths = Some(Arc::new(from_dict::lengths_from_dict(&self.0, lengths)?));
        Ok(Qrels(Arc::new(qrels)))
    }

    #[doc = stub!("Qrels.restrict_to_pool")]
    #[pyo3(signature = (pool, /))]
    fn restrict_to_pool(&self, #[pyo3(from_py_with = pool)] pool: &Bound<'_, Qrels>) -> Qrels {
        Qrels(Arc::new(restrict(&self.0, &pool.get().0)))
    }

    #[doc = stub!("Qrels.restrict_to_topics")]
    #[pyo3(signature = (topics, /))]
    fn restrict_to_topics(&self, topics: &Bound<'_, PyAny>) -> PyResult<Qrels> {
        Ok(Qrels(Arc::new(self.0.of_topics(&self.positions(topics)?))))
    }

    fn __len__(&self) -> usize {
        self.0.topics().len()
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyIterator>> {
        self.topics(py)?.try_iter()
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
        codec::qrels::pickled(py, &self.0)
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

    /// Where topics are; an error for one that is not there.
    pub fn positions(&self, topics: &Bound<'_, PyAny>) -> PyResult<Vec<usize>> {
        if topics.is_instance_of::<PyString>() {
            return Err(wrong("topics", "a list of topics", topics));
        }
        let position = |topic: PyResult<Bound<'_, PyAny>>| {
            let id = id_bytes(&topic?)?;
            self.0.position(&id).ok_or_else(|| {
                fail(Kind::Label, format!("no topic {} in the judgments", quote(&id)))
            })
        };
        let Ok(topics) = topics.try_iter() else {
            return Err(wrong("topics", "a list of topics", topics));
        };
        topics.map(position).collect()
    }

    fn graded<'py>(&self, py: Python<'py>, position: usize) -> PyResult<Bound<'py, PyDict>> {
        let topic = &self.0.topics()[position];
        memory::room_for(topic.docs().len() * ITEM).or_raise()?;
        let dict = PyDict::new(py);
        for (_, document, level) in topic.judgments() {
            dict.set_item(text(py, document)?, self.0.grades()[level as usize])?;
        }
        Ok(dict)
    }
}

/// The argument `pool`.
fn pool<'a, 'py>(given: &'a Bound<'py, PyAny>) -> PyResult<&'a Bound<'py, Qrels>> {
    given.cast().map_err(|_| wrong("pool", "Qrels", given))
}

#[doc = stub!("unpickled_qrels")]
#[pyfunction]
#[pyo3(signature = (*parts))]
pub fn unpickled_qrels(parts: &Bound<'_, PyTuple>) -> PyResult<Qrels> {
    codec::qrels::unpickled(parts).map(|qrels| Qrels(Arc::new(qrels)))
}
