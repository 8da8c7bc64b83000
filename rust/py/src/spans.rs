//! Judgments of spans and runs of chunks, as Python sees them.

use std::collections::HashSet;
use std::sync::Arc;

use cranfield_core::error::{Error, Kind, count, quote};
use cranfield_core::evaluate::Monitor;
use cranfield_core::measure::Measure as CoreMeasure;
use cranfield_core::options::Choices;
use cranfield_core::rank::{Lines, Run as CoreRun};
use cranfield_core::read::Source;
use cranfield_core::spans::labels::{SharedOf, labels};
use cranfield_core::spans::layouts::{SpanLayout, read_gold_in, read_run_in};
use cranfield_core::spans::list::RollUp;
use cranfield_core::spans::read::{Field, read_chunks, without_offset};
use cranfield_core::spans::shown::highlights as shown;
use cranfield_core::spans::splitter::{ChunkLengths, TopicSplitting, splitter as split};
use cranfield_core::spans::{
    Chunk, ChunkOrder, ChunkRun, ChunkRunBuilder, Gold, GoldBuilder, SpanEvaluator as CoreEvaluator,
};
use cranfield_core::ties::TieMode;
use pyo3::exceptions::PyKeyError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyIterator, PyList, PyString, PyTuple};

use crate::errors::{OrRaise, Tried, fail, refused};
use crate::evaluating::choices;
use crate::ids::{id_bytes, text, texts};
use crate::limits::{self, Limits, limits_of};
use crate::measures::Measure;
use crate::options::{self, choose};
use crate::qrels::Qrels;
use crate::run::Run;
use crate::scores::Scores;
use crate::source::{Origin, Raised, unless_raised};
use crate::span_texts;
use crate::values::{each_item, finite, in_order, is_mapping, whole_number};
use crate::watch::{interruptible, watched};

/// What a span is written as, for messages.
const OF_GOLD: &str = "(doc, start, end[, grade[, group]]) or a dict with these keys";
const OF_CHUNKS: &str =
    "(doc, start, end[, score]) or a dict with these keys, tokens, cost or call";

/// The parts of a span or chunk, by what they are.
struct SpanParts<'py>(Vec<(Field, Bound<'py, PyAny>)>);

impl<'py> SpanParts<'py> {
    /// Those of a tuple, a list or a dict.
    fn of(item: &Bound<'py, PyAny>, fields: &[Field], wanted: &str) -> PyResult<Self> {
        let wrong =
            || refused(Kind::Type, item, |found| format!("expected {wanted}, found {found}"));
        if let Ok(dict) = item.cast::<PyDict>() {
            let mut parts = Vec::new();
            for (key, value) in dict {
                let Ok(key) = key.cast::<PyString>() else { return Err(wrong()) };
                if let Some(field) = Field::of(&key.to_string_lossy(), &[]) {
                    parts.push((field, value));
                }
            }
            return Ok(SpanParts(parts));
        }
        if !item.is_instance_of::<PyTuple>() && !item.is_instance_of::<PyList>() {
            return Err(wrong());
        }
        let values: Vec<Bound<'py, PyAny>> = item.extract()?;
        if values.len() < 3 || values.len() > fields.len() {
            return Err(wrong());
        }
        Ok(SpanParts(fields.iter().copied().zip(values).collect()))
    }

    fn get(&self, field: Field) -> Option<&Bound<'py, PyAny>> {
        let found = self.0.iter().find(|(known, _)| *known == field);
        found.map(|(_, value)| value).filter(|value| !value.is_none())
    }

    /// A whole number of at least 0.
    fn whole(&self, field: Field) -> PyResult<u64> {
        let Some(value) = self.get(field) else {
            return Err(without_offset(field, "None")).or_raise();
        };
        let Some(number) = whole_number(value)? else {
            return Err(refused(Kind::Number, value, |found| {
                format!("expected a whole number of at least 0 as offset, found {found}")
            }));
        };
        match number.extract::<i64>().tried(value.py())? {
            Some(number) if number >= 0 => Ok(number as u64),
            Some(-1) => Err(without_offset(field, "-1")).or_raise(),
            _ => Err(refused(Kind::Number, value, |found| {
                format!("expected a whole number of at least 0 as offset, found {found}")
            })),
        }
    }

    fn span(&self) -> PyResult<(u64, u64)> {
        let start = self.whole(Field::Start)?;
        if self.get(Field::End).is_none() && self.get(Field::Length).is_some() {
            return Ok((start, start + self.whole(Field::Length)?));
        }
        Ok((start, self.whole(Field::End)?))
    }

    fn document(&self, wanted: &str) -> PyResult<Vec<u8>> {
        let document = self.get(Field::Document);
        let document = document.ok_or_else(|| fail(Kind::Type, format!("expected {wanted}")))?;
        id_bytes(document)
    }

    /// A finite number, if it is given.
    fn number(&self, field: Field, what: &str) -> PyResult<Option<f64>> {
        let Some(value) = self.get(field) else { return Ok(None) };
        let found = finite(value)?;
        found.map(Some).ok_or_else(|| {
            refused(Kind::Number, value, |found| {
                format!("expected a finite number as {what}, found {found}")
            })
        })
    }
}

/// An error of the core about a span of a topic.
fn located(error: &Error, topic: &[u8], place: usize) -> PyErr {
    let message = format!("{} (topic {}, number {place})", error.message(), quote(topic));
    fail(error.kind(), message)
}

/// What offsets count.
fn unit(given: Option<&str>) -> Box<str> {
    given.unwrap_or("codepoints").into()
}

/// Columns of other than the usual names: what they are, and what they are called.
fn given_of(columns: Option<&Bound<'_, PyAny>>) -> PyResult<Vec<(String, String)>> {
    let Some(columns) = columns else { return Ok(Vec::new()) };
    let wrong = || options::wrong("columns", "{\"start\": \"column\", ...}", columns);
    let columns = columns.cast::<PyDict>().map_err(|_| wrong())?;
    let pairs = columns.iter().map(|(kind, name)| {
        let text = |one: &Bound<'_, PyAny>| one.extract::<String>().map_err(|_| wrong());
        Ok((text(&kind)?, text(&name)?))
    });
    pairs.collect()
}

/// The argument `overlap`.
fn overlap(given: &Bound<'_, PyAny>) -> PyResult<f64> {
    options::number(given, "overlap")
}

/// Reads a file with the interpreter released.
fn read<T: Send>(
    py: Python<'_>,
    source: &Bound<'_, PyAny>,
    label: Option<&str>,
    limits: Option<Limits>,
    read: impl FnOnce(Source, &cranfield_core::read::Limits) -> cranfield_core::Result<T> + Send,
) -> PyResult<T> {
    let (limits, raised) = (limits_of(limits), Raised::default());
    let (origin, label) = (Origin::of(source)?, label.unwrap_or("<stream>").to_string());
    let work = || read(origin.source(&label, &limits, &raised)?, &limits);
    let outcome = interruptible(py, work);
    unless_raised(&raised, outcome)
}

#[doc = stub!("SpanQrels")]
#[pyclass(frozen, module = "cranfield._core", from_py_object)]
#[derive(Clone)]
pub struct SpanQrels(pub Arc<Gold>);

#[pymethods]
impl SpanQrels {
    #[new]
    #[pyo3(signature = (judgments, /, *, offsets = None))]
    fn new(
        judgments: &Bound<'_, PyAny>,
        #[pyo3(from_py_with = options::offsets)] offsets: Option<&str>,
    ) -> PyResult<Self> {
        let mut builder = GoldBuilder::default();
        each_item(judgments, "{topic: [(doc, start, end), ...]}", |topic, spans| {
            let id = id_bytes(topic)?;
            builder.topic(&id).or_raise()?;
            let fields = [Field::Document, Field::Start, Field::End, Field::Grade, Field::Group];
            for (place, span) in in_order(spans, "a list of spans")?.iter().enumerate() {
                let parts = SpanParts::of(span, &fields, OF_GOLD)?;
                let grade = parts.number(Field::Grade, "grade")?.unwrap_or(1.0);
                let group = parts.get(Field::Group).map(id_bytes).transpose()?;
                let (document, at) = (parts.document(OF_GOLD)?, parts.span()?);
                let added = builder.add(&id, &document, at, grade, group.as_deref(), 0);
                added.map_err(|error| located(&error, &id, place + 1))?;
            }
            Ok(())
        })?;
        let gold = builder.finish().or_raise()?;
        Ok(SpanQrels(Arc::new(Gold { unit: unit(offsets), ..gold })))
    }

    #[doc = stub!("SpanQrels.read")]
    #[staticmethod]
    #[pyo3(signature = (source, /, *, label = None, columns = None, limits = None, layout = None))]
    fn read(
        py: Python<'_>,
        source: &Bound<'_, PyAny>,
        #[pyo3(from_py_with = options::label)] label: Option<&str>,
        columns: Option<&Bound<'_, PyAny>>,
        #[pyo3(from_py_with = limits::limits)] limits: Option<Limits>,
        #[pyo3(from_py_with = options::layout)] layout: Option<&str>,
    ) -> PyResult<Self> {
        let (given, layout) = (given_of(columns)?, layout_of(layout)?);
        let work = |source, limits: &_| read_gold_in(source, layout, &given, limits);
        read(py, source, label, limits, work).map(|gold| SpanQrels(Arc::new(gold)))
    }

    #[doc = stub!("SpanQrels.from_quotes")]
    #[staticmethod]
    #[pyo3(signature = (quotes, texts, /, *, normalize = "space", ambiguous = "error"))]
    fn from_quotes(
        quotes: &Bound<'_, PyAny>,
        texts: &Bound<'_, PyAny>,
        #[pyo3(from_py_with = options::normalize)] normalize: &str,
        #[pyo3(from_py_with = options::ambiguous)] ambiguous: &str,
    ) -> PyResult<Self> {
        let spans = span_texts::from_quotes(quotes, texts, normalize, ambiguous)?;
        SpanQrels::new(&spans, None)
    }

    #[doc = stub!("SpanQrels.label")]
    #[pyo3(signature = (chunks, /, *, overlap = 0.5, of = "span"))]
    fn label<'py>(
        slf: &Bound<'py, Self>,
        chunks: &Bound<'py, PyAny>,
        #[pyo3(from_py_with = overlap)] overlap: f64,
        #[pyo3(from_py_with = options::of)] of: &str,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = slf.py();
        let checks = py.import("cranfield._base.options")?;
        checks.call_method1("probability", (overlap, "overlap"))?;
        let known = [("span", SharedOf::Span), ("chunk", SharedOf::Chunk)];
        let Some((_, shared)) = known.into_iter().find(|(name, _)| *name == of) else {
            let found = PyString::new(py, of).repr()?;
            let message = format!("expected span or chunk as of, found {found}");
            return Err(fail(Kind::Option, message));
        };
        let (gold, table) = (&slf.get().0, chunk_table(chunks)?);
        let (grades, classes) = (PyDict::new(py), PyDict::new(py));
        for (topic, own) in gold.topics.iter().zip(labels(gold, &table.0, overlap, shared)) {
            let (graded, grouped) = (PyDict::new(py), PyDict::new(py));
            for label in own {
                let chunk = text(py, &table.0.topics[label.chunk].0)?;
                graded.set_item(&chunk, label.grade)?;
                grouped.set_item(chunk, f64::from(label.group + 1))?;
            }
            let topic = text(py, &topic.id)?;
            grades.set_item(&topic, graded)?;
            classes.set_item(topic, grouped)?;
        }
        let qrels = py.get_type::<Qrels>().call1((grades,))?;
        qrels.call_method1("with_column", ("class", classes))
    }

    #[doc = stub!("SpanQrels.documents")]
    fn documents(&self) -> PyResult<Qrels> {
        Ok(Qrels(Arc::new(self.0.by_document().or_raise()?)))
    }

    #[doc = stub!("SpanQrels.offsets")]
    #[getter]
    fn offsets(&self) -> &str {
        &self.0.unit
    }

    #[doc = stub!("SpanQrels.topics")]
    #[getter]
    fn topics<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        texts(py, self.0.topics.iter().map(|topic| &*topic.id))
    }

    #[doc = stub!("SpanQrels.fingerprint")]
    #[getter]
    fn fingerprint(&self) -> String {
        format!("{:016x}", self.0.fingerprint())
    }

    #[doc = stub!("SpanQrels.to_dict")]
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let found = PyDict::new(py);
        for place in 0..self.0.topics.len() {
            found.set_item(text(py, &self.0.topics[place].id)?, self.spans(py, place)?)?;
        }
        Ok(found)
    }

    fn __len__(&self) -> usize {
        self.0.topics.len()
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
    ) -> PyResult<Bound<'py, PyList>> {
        let id = id_bytes(topic)?;
        let missing = || PyKeyError::new_err(format!("no topic {} in the judgments", quote(&id)));
        self.spans(py, self.0.position(&id).ok_or_else(missing)?)
    }

    fn __eq__(&self, py: Python<'_>, other: &Bound<'_, PyAny>) -> PyResult<bool> {
        let Ok(other) = other.cast::<SpanQrels>() else { return Ok(false) };
        let other = other.get();
        Ok(self.0.unit == other.0.unit && self.to_dict(py)?.eq(other.to_dict(py)?)?)
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<SpansReduced<'py>> {
        let unpickled = slf.py().import("cranfield._core")?.getattr("unpickled_span_qrels")?;
        Ok((unpickled, (slf.get().to_dict(slf.py())?, slf.get().0.unit.to_string())))
    }

    fn __repr__(&self) -> String {
        let (topics, spans) = (self.0.topics.len(), self.0.spans());
        format!("<SpanQrels: {}, {}>", count(topics, "topic"), count(spans, "span"))
    }
}

/// How a class of this module is pickled: as what it is made of.
type SpansReduced<'py> = (Bound<'py, PyAny>, (Bound<'py, PyDict>, String));

impl SpanQrels {
    /// The spans of a topic as tuples, as short as they can be.
    fn spans<'py>(&self, py: Python<'py>, place: usize) -> PyResult<Bound<'py, PyList>> {
        let topic = &self.0.topics[place];
        let found = PyList::empty(py);
        for span in &topic.spans {
            let document = text(py, self.0.documents.name(span.document))?;
            let (start, end, grade) = (span.start, span.end, span.grade);
            match &topic.groups[span.group as usize] {
                Some(group) => found.append((document, start, end, grade, text(py, group)?))?,
                None => found.append((document, start, end, grade))?,
            }
        }
        Ok(found)
    }
}

#[doc = stub!("SpanRun")]
#[pyclass(frozen, module = "cranfield._core", from_py_object)]
#[derive(Clone)]
pub struct SpanRun(pub Arc<ChunkRun>);

/// How spans are written in a file.
fn layout_of(layout: Option<&str>) -> PyResult<SpanLayout> {
    layout.map_or(Ok(SpanLayout::default()), |layout| choose("layout", layout, &SpanLayout::ALL))
}

/// What decides the order of a file.
fn order_of(order: &str) -> PyResult<ChunkOrder> {
    let known = [
        ("docno_desc", ChunkOrder::Usual),
        ("docno_asc", ChunkOrder::LowerName),
        ("input", ChunkOrder::Rows),
        ("rank", ChunkOrder::Ranks),
    ];
    choose("order", order, &known)
}

#[pymethods]
impl SpanRun {
    #[new]
    #[pyo3(signature = (lists, /, *, name = "run", offsets = None))]
    fn new(
        lists: &Bound<'_, PyAny>,
        #[pyo3(from_py_with = options::name)] name: &str,
        #[pyo3(from_py_with = options::offsets)] offsets: Option<&str>,
    ) -> PyResult<Self> {
        let mut builder = ChunkRunBuilder::default();
        each_item(lists, "{topic: [(doc, start, end), ...]}", |topic, chunks| {
            let id = id_bytes(topic)?;
            builder.topic(&id).or_raise()?;
            let fields = [Field::Document, Field::Start, Field::End, Field::Score];
            for (place, chunk) in in_order(chunks, "a list of chunks")?.iter().enumerate() {
                let parts = SpanParts::of(chunk, &fields, OF_CHUNKS)?;
                let number =
                    |field, what| Ok::<_, PyErr>(parts.number(field, what)?.unwrap_or(f64::NAN));
                let call = match parts.get(Field::Call) {
                    Some(_) => parts.whole(Field::Call)?.min(u32::MAX.into()) as u32,
                    None => 1,
                };
                let found = Chunk {
                    document: 0,
                    start: 0,
                    end: 0,
                    call,
                    score: number(Field::Score, "score")?,
                    tokens: number(Field::Tokens, "tokens")?,
                    cost: number(Field::Cost, "cost")?,
                };
                let (document, at) = (parts.document(OF_CHUNKS)?, parts.span()?);
                let added = builder.add(&id, &document, at, None, found);
                added.map_err(|error| located(&error, &id, place + 1))?;
            }
            Ok(())
        })?;
        let run = builder.finish(name, ChunkOrder::Rows).or_raise()?;
        Ok(SpanRun(Arc::new(ChunkRun { unit: unit(offsets), ..run })))
    }

    #[doc = stub!("SpanRun.read")]
    #[staticmethod]
    #[pyo3(signature = (source, /, *, name = "run", label = None, order = "docno_desc", columns = None, limits = None, layout = None))]
    fn read(
        source: &Bound<'_, PyAny>,
        #[pyo3(from_py_with = options::name)] name: &str,
        #[pyo3(from_py_with = options::label)] label: Option<&str>,
        #[pyo3(from_py_with = options::order)] order: &str,
        columns: Option<&Bound<'_, PyAny>>,
        #[pyo3(from_py_with = limits::limits)] limits: Option<Limits>,
        #[pyo3(from_py_with = options::layout)] layout: Option<&str>,
    ) -> PyResult<Self> {
        let (given, order) = (given_of(columns)?, order_of(order)?);
        let layout = layout_of(layout)?;
        let work = |source, limits: &_| read_run_in(source, name, order, layout, &given, limits);
        read(source.py(), source, label, limits, work).map(|run| SpanRun(Arc::new(run)))
    }

    #[doc = stub!("SpanRun.read_chunks")]
    #[staticmethod]
    #[pyo3(signature = (source, /, *, label = None, columns = None, limits = None))]
    fn read_chunks(
        source: &Bound<'_, PyAny>,
        #[pyo3(from_py_with = options::label)] label: Option<&str>,
        columns: Option<&Bound<'_, PyAny>>,
        #[pyo3(from_py_with = limits::limits)] limits: Option<Limits>,
    ) -> PyResult<Self> {
        let given = given_of(columns)?;
        let work = |source, limits: &_| read_chunks(source, &given, limits);
        read(source.py(), source, label, limits, work).map(|run| SpanRun(Arc::new(run)))
    }

    #[doc = stub!("SpanRun.from_run")]
    #[staticmethod]
    #[pyo3(signature = (run, chunks, /, *, name = None))]
    fn from_run<'py>(
        run: &Bound<'py, PyAny>,
        chunks: &Bound<'py, PyAny>,
        #[pyo3(from_py_with = options::optional_name)] name: Option<&str>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let module = run.py().import("cranfield._io.inputs")?;
        module.call_method1("run_of_chunks", (run, chunks, name))
    }

    #[doc = stub!("SpanRun.from_nodes")]
    #[staticmethod]
    #[pyo3(signature = (nodes, /, *, texts = None, name = "run"))]
    fn from_nodes(
        nodes: &Bound<'_, PyAny>,
        texts: Option<&Bound<'_, PyAny>>,
        #[pyo3(from_py_with = options::name)] name: &str,
    ) -> PyResult<Self> {
        let lists = span_texts::from_nodes(nodes, texts)?;
        SpanRun::new(&lists, name, None)
    }

    #[doc = stub!("SpanRun.documents")]
    #[pyo3(signature = (method = "MaxP", /))]
    fn documents(&self, #[pyo3(from_py_with = options::method)] method: &str) -> PyResult<Run> {
        let known = [
            ("MaxP", RollUp::Max),
            ("FirstP", RollUp::First),
            ("SumP", RollUp::Sum),
            ("AvgP", RollUp::Mean),
        ];
        let number = method.strip_prefix("KMaxAvgP(").and_then(|rest| rest.strip_suffix(')'));
        let how = match number.map(str::parse::<usize>) {
            Some(Ok(most)) if most > 0 => RollUp::MeanOfBest(most),
            _ => choose("method", method, &known).map_err(|_| {
                let message = format!(
                    "expected MaxP, FirstP, SumP, AvgP or KMaxAvgP(3) as method, found {}",
                    quote(method)
                );
                fail(Kind::Option, message)
            })?,
        };
        let rolled = self.0.documents(how).or_raise()?;
        let topics = rolled.into_iter().map(|(topic, documents)| {
            let mut lines = Lines::default();
            for (document, score) in documents {
                lines.push(document, score);
            }
            (topic.into(), lines)
        });
        let (name, topics) = (self.0.name.clone(), topics.collect());
        Ok(Run::of(CoreRun { name, topics, ..CoreRun::default() }))
    }

    #[doc = stub!("SpanRun.rename")]
    #[pyo3(signature = (name, /))]
    fn rename(&self, #[pyo3(from_py_with = options::name)] name: &str) -> Self {
        SpanRun(Arc::new(ChunkRun { name: name.to_string(), ..(*self.0).clone() }))
    }

    #[doc = stub!("SpanRun.name")]
    #[getter]
    fn name(&self) -> &str {
        &self.0.name
    }

    #[doc = stub!("SpanRun.offsets")]
    #[getter]
    fn offsets(&self) -> &str {
        &self.0.unit
    }

    #[doc = stub!("SpanRun.topics")]
    #[getter]
    fn topics<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        texts(py, self.0.topics.iter().map(|(id, _)| &**id))
    }

    #[doc = stub!("SpanRun.to_dict")]
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let found = PyDict::new(py);
        for (id, list) in &self.0.topics {
            let chunks = PyList::empty(py);
            for chunk in list {
                let item = PyDict::new(py);
                item.set_item("doc", text(py, self.0.documents.name(chunk.document))?)?;
                item.set_item("start", chunk.start)?;
                item.set_item("end", chunk.end)?;
                let numbers =
                    [("score", chunk.score), ("tokens", chunk.tokens), ("cost", chunk.cost)];
                for (key, number) in numbers {
                    if !number.is_nan() {
                        item.set_item(key, number)?;
                    }
                }
                if chunk.call != 1 {
                    item.set_item("call", chunk.call)?;
                }
                chunks.append(item)?;
            }
            found.set_item(text(py, id)?, chunks)?;
        }
        Ok(found)
    }

    fn __len__(&self) -> usize {
        self.0.topics.len()
    }

    fn __eq__(&self, py: Python<'_>, other: &Bound<'_, PyAny>) -> PyResult<bool> {
        let Ok(other) = other.cast::<SpanRun>() else { return Ok(false) };
        let other = other.get();
        Ok(self.0.unit == other.0.unit && self.to_dict(py)?.eq(other.to_dict(py)?)?)
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<RunReduced<'py>> {
        let unpickled = slf.py().import("cranfield._core")?.getattr("unpickled_span_run")?;
        let run = slf.get();
        let state = (run.to_dict(slf.py())?, run.0.name.clone(), run.0.unit.to_string());
        Ok((unpickled, state))
    }

    fn __repr__(&self) -> String {
        let (topics, chunks) = (self.0.topics.len(), self.0.chunks());
        let name = &self.0.name;
        format!("<SpanRun {name}: {}, {}>", count(topics, "topic"), count(chunks, "chunk"))
    }
}

/// The same for a run, with its name.
type RunReduced<'py> = (Bound<'py, PyAny>, (Bound<'py, PyDict>, String, String));

#[doc = stub!("unpickled_span_qrels")]
#[pyfunction]
#[pyo3(signature = (judgments, offsets, /))]
pub fn unpickled_span_qrels(judgments: &Bound<'_, PyDict>, offsets: &str) -> PyResult<SpanQrels> {
    SpanQrels::new(judgments, Some(offsets))
}

#[doc = stub!("unpickled_span_run")]
#[pyfunction]
#[pyo3(signature = (lists, name, offsets, /))]
pub fn unpickled_span_run(
    lists: &Bound<'_, PyDict>,
    name: &str,
    offsets: &str,
) -> PyResult<SpanRun> {
    SpanRun::new(lists, name, Some(offsets))
}

#[doc = stub!("SpanEvaluator")]
#[pyclass(frozen, module = "cranfield._core")]
pub struct SpanEvaluator(CoreEvaluator);

#[pymethods]
impl SpanEvaluator {
    #[new]
    #[pyo3(signature = (qrels, measures, *, rel = None, hosted = false, limits = None, **options))]
    fn new(
        qrels: SpanQrels,
        measures: Vec<Measure>,
        #[pyo3(from_py_with = options::rel)] rel: Option<f64>,
        hosted: bool,
        #[pyo3(from_py_with = limits::limits)] limits: Option<Limits>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let Choices { mut options, ties } = choices(options)?;
        if ties != TieMode::Order {
            let message = "ties of chunks have no exact method: their order is that of documents and \
                           places; run.documents() gives scores of documents, whose ties have one";
            return Err(fail(Kind::Option, message));
        }
        options.limits = limits_of(limits);
        (options.rel, options.hosted) = (rel, hosted);
        let measures: Vec<CoreMeasure> = measures.into_iter().map(|measure| measure.0).collect();
        CoreEvaluator::new(qrels.0, &measures, options).map(SpanEvaluator).or_raise()
    }

    #[doc = stub!("SpanEvaluator.evaluate")]
    #[pyo3(signature = (runs, progress = None, /))]
    fn evaluate(
        &self,
        py: Python<'_>,
        runs: Vec<SpanRun>,
        progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Scores> {
        let runs: Vec<Arc<ChunkRun>> = runs.into_iter().map(|run| run.0).collect();
        let work = |monitor: &Arc<Monitor>| self.0.evaluate(&runs, monitor);
        watched(py, work, progress)?.or_raise().map(Scores)
    }

    #[doc = stub!("SpanEvaluator.measures")]
    #[getter]
    fn measures<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.0.measures().cloned().map(Measure).collect::<Vec<_>>())
    }

    #[doc = stub!("SpanEvaluator.qrels")]
    #[getter]
    fn qrels(&self) -> SpanQrels {
        SpanQrels(Arc::clone(self.0.gold()))
    }

    #[doc = stub!("SpanEvaluator.documents")]
    #[getter]
    fn documents(&self) -> Qrels {
        Qrels(Arc::clone(self.0.by_document()))
    }
}

#[doc = stub!("chunk_table")]
#[pyfunction]
#[pyo3(signature = (chunks, /))]
pub fn chunk_table(chunks: &Bound<'_, PyAny>) -> PyResult<SpanRun> {
    let py = chunks.py();
    if !is_mapping(chunks)? {
        let module = py.import("cranfield._io.spans")?;
        let opened = module.call_method1("opened_chunks", (chunks,))?;
        let (source, label): (Bound<'_, PyAny>, Option<String>) = opened.extract()?;
        return SpanRun::read_chunks(&source, label.as_deref(), None, None);
    }
    let lists = PyDict::new(py);
    each_item(chunks, "{chunk: (doc, start, end)}", |chunk, place| {
        lists.set_item(chunk, PyList::new(py, [place])?)
    })?;
    SpanRun::new(&lists, "chunks", None)
}

#[doc = stub!("converted_spans")]
#[pyfunction]
#[pyo3(signature = (gold, texts, offsets, /))]
pub fn converted_spans(
    gold: &SpanQrels,
    texts: &Bound<'_, PyAny>,
    offsets: &Bound<'_, PyAny>,
) -> PyResult<SpanQrels> {
    let spans = span_texts::converted(&gold.to_dict(texts.py())?, texts, offsets)?;
    SpanQrels::new(&spans, None)
}

#[doc = stub!("run_of_chunks")]
#[pyfunction]
#[pyo3(signature = (run, chunks, name, /))]
pub fn run_of_chunks(
    run: &Bound<'_, Run>,
    chunks: &Bound<'_, PyAny>,
    name: &str,
) -> PyResult<SpanRun> {
    let (table, scores) = (chunk_table(chunks)?.0, run.call_method0("to_dict")?);
    let (mut builder, mut unknown) = (ChunkRunBuilder::default(), Vec::new());
    for (topic, scored) in scores.cast::<PyDict>()? {
        let topic = id_bytes(&topic)?;
        builder.topic(&topic).or_raise()?;
        let mut best: Vec<(f64, Vec<u8>)> = Vec::new();
        for (chunk, score) in scored.cast::<PyDict>()? {
            best.push((score.extract()?, id_bytes(&chunk)?));
        }
        // Equal scores in the order of all runs: the higher id first.
        best.sort_by(|a, b| a.0.total_cmp(&b.0).then_with(|| a.1.cmp(&b.1)));
        let is_unknown = |(_, id): &&(f64, Vec<u8>)| table.list(id).is_none();
        unknown.extend(best.iter().filter(is_unknown).map(|(_, id)| id.clone()));
        for (score, id) in best.iter().rev() {
            if let Some([place]) = table.list(id) {
                let at = (place.start.into(), place.end.into());
                let document = table.documents.name(place.document);
                let chunk = Chunk { score: *score, ..*place };
                builder.add(&topic, document, at, None, chunk).or_raise()?;
            }
        }
    }
    if !unknown.is_empty() {
        let some: Vec<_> = unknown.iter().take(5).map(|id| String::from_utf8_lossy(id)).collect();
        let message = format!(
            "{} chunks of run {} are not in the table of chunks: {}",
            unknown.len(),
            PyString::new(run.py(), name).repr()?,
            some.join(", ")
        );
        return Err(fail(Kind::Label, message));
    }
    Ok(SpanRun(Arc::new(builder.finish(name, ChunkOrder::Rows).or_raise()?)))
}

#[doc = stub!("splitter")]
#[pyfunction]
#[pyo3(signature = (gold, chunks, rel, /))]
pub fn splitter<'py>(
    py: Python<'py>,
    gold: &SpanQrels,
    chunks: &SpanRun,
    rel: f64,
) -> PyResult<Bound<'py, PyDict>> {
    let (gold, chunks) = (&gold.0, &chunks.0);
    let found = interruptible(py, || split(gold, chunks, rel))?.or_raise()?;
    let by_topic =
        |of: &dyn Fn(&TopicSplitting) -> f64| -> Vec<f64> { found.topics.iter().map(of).collect() };
    let counts =
        |of: &dyn Fn(&TopicSplitting) -> u64| -> Vec<u64> { found.topics.iter().map(of).collect() };
    let dict = lengths_of(py, &found.lengths)?;
    dict.set_item(
        "topics",
        texts(py, found.topics.iter().map(|one| &*gold.topics[one.topic].id))?,
    )?;
    dict.set_item("pieces", counts(&|one| one.pieces))?;
    dict.set_item("touching", counts(&|one| one.touching))?;
    dict.set_item("omega", by_topic(&TopicSplitting::omega))?;
    dict.set_item("whole", by_topic(&|one| one.whole as f64 / one.pieces as f64))?;
    dict.set_item("covered", by_topic(&|one| one.held as f64 / one.evidence as f64))?;
    dict.set_item("repeated", found.lengths.repeated)?;
    Ok(dict)
}

/// How long chunks are, by name.
fn lengths_of<'py>(py: Python<'py>, lengths: &ChunkLengths) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("chunks", lengths.chunks)?;
    dict.set_item("shortest", lengths.shortest)?;
    dict.set_item("median_length", lengths.median)?;
    dict.set_item("mean_length", lengths.mean)?;
    dict.set_item("longest", lengths.longest)?;
    Ok(dict)
}

#[doc = stub!("chunk_lengths")]
#[pyfunction]
#[pyo3(signature = (run, topics, /))]
pub fn chunk_lengths<'py>(
    py: Python<'py>,
    run: &SpanRun,
    topics: Vec<String>,
) -> PyResult<Bound<'py, PyDict>> {
    let lists: Vec<&[Chunk]> =
        topics.iter().filter_map(|topic| run.0.list(topic.as_bytes())).collect();
    let chunks = lists.iter().flat_map(|list| list.iter());
    let dict = lengths_of(py, &ChunkLengths::of(chunks, run.0.documents.len()))?;
    dict.set_item("lists", lists.iter().map(|list| list.len()).collect::<Vec<_>>())?;
    let repeats: usize = lists
        .iter()
        .map(|list| {
            let parts = list.iter().map(|chunk| (chunk.document, chunk.start, chunk.end));
            list.len() - parts.collect::<HashSet<_>>().len()
        })
        .sum();
    dict.set_item("repeats", repeats)?;
    Ok(dict)
}

/// A chunk that is shown: document, start, end, and (start, end, whether it is new) of its parts
/// that are evidence.
type ShownChunk<'py> = (Bound<'py, PyString>, u32, u32, Vec<(u32, u32, bool)>);

#[doc = stub!("highlights")]
#[pyfunction]
#[pyo3(signature = (gold, run, topic, rel, depth, /))]
pub fn highlights<'py>(
    py: Python<'py>,
    gold: &SpanQrels,
    run: &SpanRun,
    topic: &Bound<'py, PyAny>,
    rel: f64,
    depth: usize,
) -> PyResult<Vec<ShownChunk<'py>>> {
    let found = shown(&gold.0, &run.0, &id_bytes(topic)?, rel, depth);
    let items = found.into_iter().map(|(chunk, parts)| {
        let document = text(py, run.0.documents.name(chunk.document))?;
        let parts = parts.iter().map(|part| (part.start, part.end, part.is_new)).collect();
        Ok((document, chunk.start, chunk.end, parts))
    });
    items.collect()
}
