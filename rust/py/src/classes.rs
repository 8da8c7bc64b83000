//! The core's objects as Python sees them.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use cranfield_core::error::{Error as CoreError, Kind, count, nearest, quote};
use cranfield_core::evaluate::{Evaluator as CoreEvaluator, Input, Monitor, Negative, Options};
use cranfield_core::format::{Format, write_qrels, write_run};
use cranfield_core::grammar;
use cranfield_core::measure::{
    Cutoff, Default as ParamDefault, FAMILIES, Measure as CoreMeasure, Range, Value,
};
use cranfield_core::qrels::{Builder, Qrels as CoreQrels};
use cranfield_core::read::Strictness;
use cranfield_core::read::lines::LineReader;
use cranfield_core::read::open::Limits as CoreLimits;
use cranfield_core::read::qrels::read_qrels;
use cranfield_core::read::run::{Ranks, RunOptions, read_run};
use cranfield_core::run::{Duplicates, Order, Precision, Ranker, Run as CoreRun};
use cranfield_core::scores::{Missing, Undefined};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyList, PyString, PyTuple};
use pyo3_arrow::PyRecordBatchReader;

use crate::errors::{OrRaise, fail};
use crate::inputs::{self, Origin, QrelsRows, RunRows, id_bytes};
use crate::outputs::{Scores, text, texts};

/// Named limits on input files.
#[pyclass(frozen, module = "cranfield._core", from_py_object)]
#[derive(Clone, Copy)]
pub struct Limits(pub CoreLimits);

#[pymethods]
impl Limits {
    #[new]
    #[pyo3(signature = (*, decompression_ratio = 200, decompression_free = 16 << 20, line_bytes = 1 << 20))]
    fn new(decompression_ratio: u64, decompression_free: u64, line_bytes: usize) -> PyResult<Self> {
        if decompression_ratio == 0 || line_bytes == 0 {
            return Err(fail(Kind::Option, "expected limits of at least 1, found 0"));
        }
        Ok(Limits(CoreLimits { decompression_ratio, decompression_free, line_bytes }))
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

    fn __repr__(&self) -> String {
        let CoreLimits { decompression_ratio, decompression_free, line_bytes } = self.0;
        format!(
            "Limits(decompression_ratio={decompression_ratio}, decompression_free={decompression_free}, line_bytes={line_bytes})"
        )
    }
}

/// A measure as a value: family, parameters, prime, cutoff.
#[pyclass(frozen, module = "cranfield._core", from_py_object)]
#[derive(Clone)]
pub struct Measure(pub CoreMeasure);

#[pymethods]
impl Measure {
    #[new]
    #[pyo3(signature = (text, /))]
    fn new(text: &str) -> PyResult<Self> {
        grammar::parse(text).map(Measure).or_raise()
    }

    #[pyo3(signature = (**parameters))]
    fn __call__(&self, parameters: Option<&Bound<'_, PyDict>>) -> PyResult<Self> {
        let mut measure = self.0.clone();
        let mut given = Vec::new();
        for (key, value) in parameters.into_iter().flat_map(PyDictMethods::iter) {
            let key: String = key.extract()?;
            let set = grammar::set(&mut measure, &key, parameter(&value)?, &mut given);
            set.map_err(|(_, sentence)| {
                fail(Kind::Parameter, format!("{}: {sentence}", self.0.family.name))
            })?;
        }
        grammar::check_prime(&measure).map_err(|sentence| fail(Kind::Parameter, sentence))?;
        Ok(Measure(measure))
    }

    fn __matmul__(&self, cutoff: f64) -> PyResult<Self> {
        let mut measure = self.0.clone();
        grammar::set_cutoff(&mut measure, cutoff)
            .map_err(|sentence| fail(Kind::Parameter, sentence))?;
        Ok(Measure(measure))
    }

    #[getter]
    fn prime(&self) -> PyResult<Self> {
        let mut measure = self.0.clone();
        measure.prime = true;
        grammar::check_prime(&measure).map_err(|sentence| fail(Kind::Parameter, sentence))?;
        Ok(Measure(measure))
    }

    #[getter]
    fn family(&self) -> &'static str {
        self.0.family.name
    }

    #[getter]
    fn aggregate(&self) -> &'static str {
        self.0.family.aggregate.name()
    }

    fn __str__(&self) -> String {
        self.0.to_string()
    }

    fn __repr__(&self) -> String {
        self.0.to_string()
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other.cast::<Measure>().is_ok_and(|other| other.get().0 == self.0)
    }

    fn __hash__(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.0.to_string().hash(&mut hasher);
        hasher.finish()
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, (String,))> {
        Ok((slf.get_type().into_any(), (slf.get().0.to_string(),)))
    }
}

/// A keyword's value as the grammar's.
fn parameter(value: &Bound<'_, PyAny>) -> PyResult<Value> {
    if value.is_none() {
        return Ok(Value::None);
    }
    if let Ok(flag) = value.cast::<PyBool>() {
        return Ok(Value::Flag(flag.is_true()));
    }
    if let Ok(word) = value.cast::<PyString>() {
        return Ok(Value::Text(word.extract()?));
    }
    if let Ok(map) = value.cast::<PyDict>() {
        let pairs = map.iter().map(|(from, to)| Ok((from.extract()?, to.extract()?)));
        return Ok(Value::Map(pairs.collect::<PyResult<_>>()?));
    }
    match value.extract::<f64>() {
        Ok(number) if number.is_finite() => Ok(Value::Number(number)),
        _ => Err(fail(
            Kind::Parameter,
            format!("expected a number, a word or a dict, found {}", value.repr()?),
        )),
    }
}

/// Every measure named in a text; nicknames are expanded.
#[pyfunction]
#[pyo3(signature = (text, /))]
pub fn parse_measures(text: &str) -> PyResult<Vec<Measure>> {
    Ok(grammar::parse_list(text).or_raise()?.into_iter().map(Measure).collect())
}

/// The registry: one dict a family, in the order of the registry.
#[pyfunction]
pub fn families(py: Python<'_>) -> PyResult<Bound<'_, PyList>> {
    let list = PyList::empty(py);
    for family in FAMILIES {
        let entry = PyDict::new(py);
        entry.set_item("name", family.name)?;
        entry.set_item("aliases", family.aliases)?;
        entry.set_item("group", family.group)?;
        entry.set_item("summary", family.summary)?;
        entry.set_item("prose", family.prose)?;
        entry.set_item("formula", family.formula)?;
        entry.set_item("citation", family.citation)?;
        let parameters = PyList::empty(py);
        for param in family.params {
            let described = PyDict::new(py);
            described.set_item("name", param.key)?;
            let default = match param.default {
                ParamDefault::None => String::new(),
                default => default.value().to_string(),
            };
            described.set_item("default", default)?;
            described.set_item("values", values_of(param.range))?;
            described.set_item("text", param.text)?;
            parameters.append(described)?;
        }
        entry.set_item("parameters", parameters)?;
        let cutoff = match family.cutoff {
            Cutoff::None => "none",
            Cutoff::Optional => "optional",
            Cutoff::Required => "required",
            Cutoff::Recall => "recall",
        };
        entry.set_item("cutoff", cutoff)?;
        entry.set_item("prime", family.prime)?;
        entry.set_item("rel", family.takes_rel)?;
        entry.set_item("gain", family.takes_gain)?;
        entry.set_item("aggregate", family.aggregate.name())?;
        entry.set_item("range", family.range)?;
        let examples = PyList::empty(py);
        for example in family.examples {
            let shown = PyDict::new(py);
            shown.set_item("measure", example.measure)?;
            shown.set_item("judgments", example.judgments)?;
            shown.set_item("list", example.list)?;
            shown.set_item("value", example.value)?;
            shown.set_item("working", example.working)?;
            examples.append(shown)?;
        }
        entry.set_item("examples", examples)?;
        list.append(entry)?;
    }
    Ok(list)
}

fn values_of(range: Range) -> String {
    match range {
        Range::Inside01 => "a number above 0 and below 1".into(),
        Range::Positive => "a number above 0".into(),
        Range::NonNegative => "a number of at least 0".into(),
        Range::AboveOne => "a number above 1".into(),
        Range::Points => "a whole number from 2".into(),
        Range::Words(words) => grammar::quoted(words),
    }
}

fn strictness(lenient: bool) -> Strictness {
    if lenient { Strictness::Lenient } else { Strictness::Strict }
}

fn limits_of(limits: Option<Limits>) -> CoreLimits {
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

/// Judgments, compiled.
#[pyclass(frozen, module = "cranfield._core", from_py_object)]
#[derive(Clone)]
pub struct Qrels(pub Arc<CoreQrels>);

#[pymethods]
impl Qrels {
    #[new]
    #[pyo3(signature = (judgments, /, *, docs_in_collection = None))]
    fn new(judgments: &Bound<'_, PyAny>, docs_in_collection: Option<u64>) -> PyResult<Self> {
        inputs::qrels_from_dict(judgments, docs_in_collection).map(|qrels| Qrels(Arc::new(qrels)))
    }

    #[staticmethod]
    #[pyo3(signature = (topics, documents, grades, /, *, docs_in_collection = None))]
    fn from_rows(
        topics: &Bound<'_, PyAny>,
        documents: &Bound<'_, PyAny>,
        grades: &Bound<'_, PyAny>,
        docs_in_collection: Option<u64>,
    ) -> PyResult<Self> {
        let mut rows = QrelsRows(Builder::new(&[]));
        inputs::each_row(topics, documents, grades, "grade", |t, d, g, row| {
            rows.add(t, d, g, row)
        })?;
        Ok(Qrels(Arc::new(rows.0.finish(docs_in_collection))))
    }

    #[staticmethod]
    #[pyo3(signature = (stream, /, *, topic = None, document = None, grade = None, docs_in_collection = None))]
    fn from_arrow(
        stream: PyRecordBatchReader,
        topic: Option<&str>,
        document: Option<&str>,
        grade: Option<&str>,
        docs_in_collection: Option<u64>,
    ) -> PyResult<Self> {
        let mut rows = QrelsRows(Builder::new(&[]));
        inputs::each_arrow_row(stream, [topic, document, grade], "grade", |t, d, g, row| {
            rows.add(t, d, g, row)
        })?;
        Ok(Qrels(Arc::new(rows.0.finish(docs_in_collection))))
    }

    #[staticmethod]
    #[pyo3(signature = (source, /, *, name = None, lenient = false, limits = None, docs_in_collection = None))]
    fn read(
        py: Python<'_>,
        source: &Bound<'_, PyAny>,
        name: Option<&str>,
        lenient: bool,
        limits: Option<Limits>,
        docs_in_collection: Option<u64>,
    ) -> PyResult<Self> {
        let (origin, limits) = (Origin::of(source)?, limits_of(limits));
        let qrels = py.detach(|| {
            let source = origin.open(name.unwrap_or("<stream>"), &limits)?;
            read_qrels(LineReader::new(source, &limits), strictness(lenient), docs_in_collection)
        });
        Ok(Qrels(Arc::new(qrels.or_raise()?)))
    }

    #[pyo3(signature = (path, /, *, format = "trec"))]
    fn write(&self, py: Python<'_>, path: PathBuf, format: &str) -> PyResult<()> {
        let format = format_of(format)?;
        py.detach(|| write_qrels(&self.0, &path, format)).or_raise()
    }

    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let dict = PyDict::new(py);
        for position in 0..self.0.topics().len() {
            dict.set_item(text(py, self.0.topics()[position].id())?, self.graded(py, position)?)?;
        }
        Ok(dict)
    }

    #[getter]
    fn topics<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        texts(py, self.0.topics().iter().map(|topic| topic.id()))
    }

    #[getter]
    fn grades<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.0.grades())
    }

    #[getter]
    fn docs_in_collection(&self) -> Option<u64> {
        self.0.docs_in_collection
    }

    #[getter]
    fn columns<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.0.column_names())
    }

    #[pyo3(signature = (name, topic, /))]
    fn column<'py>(
        &self,
        py: Python<'py>,
        name: &str,
        topic: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let Some(column) = self.0.column_names().iter().position(|known| known == name) else {
            return Err(pyo3::exceptions::PyKeyError::new_err(format!(
                "the judgments have no column {name}"
            )));
        };
        let topic = &self.0.topics()[self.position(topic)?];
        let dict = PyDict::new(py);
        for (document, value) in topic.docs().keys().zip(topic.column(column).unwrap_or_default()) {
            dict.set_item(text(py, document)?, value)?;
        }
        Ok(dict)
    }

    fn __len__(&self) -> usize {
        self.0.topics().len()
    }

    fn __contains__(&self, topic: &Bound<'_, PyAny>) -> bool {
        id_bytes(topic).is_ok_and(|id| self.0.position(&id).is_some())
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

    fn __repr__(&self) -> String {
        let judgments: usize = self.0.topics().iter().map(|topic| topic.docs().len()).sum();
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
        let missing = || {
            pyo3::exceptions::PyKeyError::new_err(format!(
                "no topic {} in the judgments",
                quote(&id)
            ))
        };
        self.0.position(&id).ok_or_else(missing)
    }

    fn graded<'py>(&self, py: Python<'py>, position: usize) -> PyResult<Bound<'py, PyDict>> {
        let topic = &self.0.topics()[position];
        let dict = PyDict::new(py);
        for (document, &level) in topic.docs().keys().zip(topic.levels()) {
            dict.set_item(text(py, document)?, self.0.grades()[level as usize])?;
        }
        Ok(dict)
    }
}

/// All lines of one run, in compact columns.
#[pyclass(frozen, module = "cranfield._core", from_py_object)]
#[derive(Clone)]
pub struct Run(pub Arc<CoreRun>);

#[pymethods]
impl Run {
    #[new]
    #[pyo3(signature = (scores, /, *, name = "run"))]
    fn new(scores: &Bound<'_, PyAny>, name: &str) -> PyResult<Self> {
        inputs::run_from_dict(scores, name.into()).map(|run| Run(Arc::new(run)))
    }

    #[staticmethod]
    #[pyo3(signature = (rankings, /, *, name = "run"))]
    fn from_rankings(rankings: &Bound<'_, PyAny>, name: &str) -> PyResult<Self> {
        inputs::run_from_rankings(rankings, name.into()).map(|run| Run(Arc::new(run)))
    }

    #[staticmethod]
    #[pyo3(signature = (topics, documents, scores, /, *, name = "run"))]
    fn from_rows(
        topics: &Bound<'_, PyAny>,
        documents: &Bound<'_, PyAny>,
        scores: &Bound<'_, PyAny>,
        name: &str,
    ) -> PyResult<Self> {
        let mut rows = RunRows::default();
        inputs::each_row(topics, documents, scores, "score", |topic, document, score, _| {
            rows.add(topic, document, score);
            Ok(())
        })?;
        Ok(Run(Arc::new(CoreRun { name: name.into(), ..rows.run })))
    }

    #[staticmethod]
    #[pyo3(signature = (stream, /, *, topic = None, document = None, score = None, name = "run"))]
    fn from_arrow(
        stream: PyRecordBatchReader,
        topic: Option<&str>,
        document: Option<&str>,
        score: Option<&str>,
        name: &str,
    ) -> PyResult<Self> {
        let mut rows = RunRows::default();
        inputs::each_arrow_row(
            stream,
            [topic, document, score],
            "score",
            |topic, document, score, _| {
                rows.add(topic, document, score);
                Ok(())
            },
        )?;
        Ok(Run(Arc::new(CoreRun { name: name.into(), ..rows.run })))
    }

    #[staticmethod]
    #[pyo3(signature = (source, /, *, name, lenient = false, limits = None))]
    fn read(
        py: Python<'_>,
        source: &Bound<'_, PyAny>,
        name: &str,
        lenient: bool,
        limits: Option<Limits>,
    ) -> PyResult<Self> {
        let (origin, limits) = (Origin::of(source)?, limits_of(limits));
        let options = RunOptions { strictness: strictness(lenient), ranks: Ranks::Kept };
        let run = py.detach(|| {
            let source = origin.open(name, &limits)?;
            read_run(LineReader::new(source, &limits), options, name.into())
        });
        Ok(Run(Arc::new(run.or_raise()?)))
    }

    #[pyo3(signature = (path, /, *, format = "trec"))]
    fn write(&self, py: Python<'_>, path: PathBuf, format: &str) -> PyResult<()> {
        let format = format_of(format)?;
        py.detach(|| write_run(&self.0, &path, format)).or_raise()
    }

    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let dict = PyDict::new(py);
        for (topic, lines) in &self.0.topics {
            dict.set_item(text(py, topic)?, scored(py, lines)?)?;
        }
        Ok(dict)
    }

    #[pyo3(signature = (name, /))]
    fn rename(&self, name: &str) -> Self {
        Run(Arc::new(CoreRun { name: name.into(), ..(*self.0).clone() }))
    }

    #[getter]
    fn name(&self) -> &str {
        &self.0.name
    }

    #[getter]
    fn tag<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyString>>> {
        self.0.tag.as_ref().map(|tag| text(py, tag.trim_ascii())).transpose()
    }

    #[getter]
    fn topics<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        texts(py, self.0.topics.iter().map(|(topic, _)| &**topic))
    }

    #[getter]
    fn lines(&self) -> usize {
        self.0.topics.iter().map(|(_, lines)| lines.len()).sum()
    }

    fn __len__(&self) -> usize {
        self.0.topics.len()
    }

    fn __contains__(&self, topic: &Bound<'_, PyAny>) -> bool {
        id_bytes(topic).is_ok_and(|id| self.0.topics.iter().any(|(topic, _)| **topic == *id))
    }

    fn __getitem__<'py>(
        &self,
        py: Python<'py>,
        topic: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let id = id_bytes(topic)?;
        match self.0.topics.iter().find(|(topic, _)| **topic == *id) {
            Some((_, lines)) => scored(py, lines),
            None => Err(pyo3::exceptions::PyKeyError::new_err(format!(
                "no topic {} in the run",
                quote(&id)
            ))),
        }
    }

    fn __repr__(&self) -> String {
        format!(
            "<Run {}: {}, {}>",
            self.0.name,
            count(self.0.topics.len(), "topic"),
            count(self.lines(), "line")
        )
    }
}

/// A list as a dict, in ranked order.
fn scored<'py>(
    py: Python<'py>,
    lines: &cranfield_core::run::Lines,
) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    for line in lines.ranked() {
        dict.set_item(text(py, lines.document(line))?, lines.score(line))?;
    }
    Ok(dict)
}

/// One of the named values of an option.
fn choose<T: Copy>(option: &str, value: &str, known: &[(&str, T)]) -> PyResult<T> {
    known.iter().find(|(name, _)| *name == value).map(|&(_, chosen)| chosen).ok_or_else(|| {
        let names: Vec<&str> = known.iter().map(|(name, _)| *name).collect();
        let near =
            nearest(value, names.iter().copied()).map(|near| format!("; did you mean \"{near}\"?"));
        let message = format!(
            "expected one of {} as {option}, found {}{}",
            grammar::quoted(&names),
            quote(value),
            near.unwrap_or_default()
        );
        fail(Kind::Option, message)
    })
}

/// Judgments and measures compiled once; immutable, safe from threads.
#[pyclass(frozen, module = "cranfield._core")]
pub struct Evaluator {
    core: CoreEvaluator,
    limits: CoreLimits,
}

/// Runs of fewer lines than this are scored without a look at signals.
const SHORT: usize = 1 << 20;

#[pymethods]
impl Evaluator {
    #[new]
    #[pyo3(signature = (
        qrels, measures, *, missing = "zero", undefined = "zero", order = "docno_desc", scores = "f64",
        duplicates = "error", negative = "unjudged", depth = None, threads = None, lenient = false, limits = None
    ))]
    #[expect(
        clippy::too_many_arguments,
        reason = "the options of the public interface, by keyword"
    )]
    fn new(
        qrels: Qrels,
        measures: Vec<Measure>,
        missing: &str,
        undefined: &str,
        order: &str,
        scores: &str,
        duplicates: &str,
        negative: &str,
        depth: Option<i64>,
        threads: Option<i64>,
        lenient: bool,
        limits: Option<Limits>,
    ) -> PyResult<Self> {
        let least = |value: Option<i64>, what: &str| {
            let positive = |value: i64| u32::try_from(value).ok().filter(|&value| value > 0);
            let refuse =
                |value| fail(Kind::Option, format!("expected {what} of at least 1, found {value}"));
            value.map(|value| positive(value).ok_or_else(|| refuse(value))).transpose()
        };
        let orders = [
            ("docno_desc", Order::DocnoDesc),
            ("docno_asc", Order::DocnoAsc),
            ("input", Order::Input),
            ("rank", Order::Rank),
        ];
        let repeated = [
            ("error", Duplicates::Error),
            ("first", Duplicates::First),
            ("best", Duplicates::Best),
        ];
        let policies =
            [("zero", Missing::Zero), ("skip", Missing::Skip), ("error", Missing::Error)];
        let undefineds =
            [("zero", Undefined::Zero), ("skip", Undefined::Skip), ("error", Undefined::Error)];
        let options = Options {
            missing: choose("missing", missing, &policies)?,
            undefined: choose("undefined", undefined, &undefineds)?,
            ranker: Ranker {
                order: choose("order", order, &orders)?,
                precision: choose(
                    "scores",
                    scores,
                    &[("f64", Precision::F64), ("f32", Precision::F32)],
                )?,
                duplicates: choose("duplicates", duplicates, &repeated)?,
                depth: least(depth, "a depth")?,
            },
            negative: choose(
                "negative",
                negative,
                &[("unjudged", Negative::Unjudged), ("nonrelevant", Negative::Nonrelevant)],
            )?,
            strictness: strictness(lenient),
            limits: limits_of(limits),
            threads: least(threads, "a number of threads")?.map(|threads| threads as usize),
        };
        let measures: Vec<CoreMeasure> = measures.into_iter().map(|measure| measure.0).collect();
        let core = CoreEvaluator::new(qrels.0, &measures, options).or_raise()?;
        Ok(Evaluator { core, limits: options.limits })
    }

    #[pyo3(signature = (runs, progress = None, /))]
    fn evaluate(
        &self,
        py: Python<'_>,
        runs: Vec<Bound<'_, PyAny>>,
        progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Scores> {
        let inputs = runs.iter().map(|run| self.input(run)).collect::<PyResult<Vec<Input>>>()?;
        let lines = |input: &Input| match input {
            Input::Run(run) => run.topics.iter().map(|(_, lines)| lines.len()).sum(),
            _ => SHORT,
        };
        let monitor = Arc::new(Monitor::default());
        let short = inputs.iter().map(lines).sum::<usize>() < SHORT;
        let scores = if short {
            py.detach(|| self.core.evaluate(&inputs, &monitor))
        } else {
            self.watched(py, &inputs, &monitor, progress)?
        };
        Ok(Scores(scores.or_raise()?))
    }

    #[getter]
    fn measures<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let measures: Vec<Measure> = self.core.measures().cloned().map(Measure).collect();
        PyTuple::new(py, measures)
    }

    #[getter]
    fn qrels(&self) -> Qrels {
        Qrels(Arc::clone(self.core.qrels()))
    }
}

impl Evaluator {
    fn input(&self, run: &Bound<'_, PyAny>) -> PyResult<Input> {
        if let Ok(run) = run.cast::<Run>() {
            return Ok(Input::Run(Arc::clone(&run.get().0)));
        }
        let (name, source): (String, Bound<'_, PyAny>) = run.extract()?;
        Ok(match Origin::of(&source)? {
            Origin::Path(path) => Input::Path(name, path),
            stream @ Origin::Stream(_) => {
                let source = run.py().detach(|| stream.open(&name, &self.limits)).or_raise()?;
                Input::Stream(name, Mutex::new(Some(source)))
            }
        })
    }

    /// Scores in another thread, while this one tells of progress and
    /// listens for interrupts.
    fn watched(
        &self,
        py: Python<'_>,
        inputs: &[Input],
        monitor: &Arc<Monitor>,
        progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Result<cranfield_core::scores::Scores, CoreError>> {
        std::thread::scope(|scope| {
            let (sender, receiver) = channel();
            scope.spawn(move || sender.send(self.core.evaluate(inputs, monitor)));
            let receiver = Mutex::new(receiver);
            let mut stopped = None;
            loop {
                let outcome = py.detach(|| {
                    let receiver =
                        receiver.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
                    receiver.recv_timeout(Duration::from_millis(100))
                });
                match outcome {
                    Ok(scores) => return stopped.map_or(Ok(scores), Err),
                    Err(RecvTimeoutError::Disconnected) => {
                        return Err(pyo3::exceptions::PyRuntimeError::new_err(
                            "the evaluation ended without a result",
                        ));
                    }
                    Err(RecvTimeoutError::Timeout) => {}
                }
                if stopped.is_none() {
                    let done = (
                        monitor.runs.load(Ordering::Relaxed),
                        monitor.bytes.load(Ordering::Relaxed),
                    );
                    let told = progress.map_or(Ok(()), |progress| progress.call1(done).map(drop));
                    stopped = told.and_then(|()| py.check_signals()).err();
                    monitor.cancelled.store(stopped.is_some(), Ordering::Relaxed);
                }
            }
        })
    }
}
