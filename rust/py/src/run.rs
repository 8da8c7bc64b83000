//! Runs as Python sees them.

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::Arc;

use cranfield_core::error::{Kind, count, quote};
use cranfield_core::format::{Format, write_run};
use cranfield_core::memory;
use cranfield_core::rank::arrays::{Check, Promise};
use cranfield_core::rank::in_default_order;
use cranfield_core::rank::{Lines, Run as CoreRun};
use cranfield_core::read::run::{Ranks, RunOptions, gather};
use pyo3::exceptions::PyKeyError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyIterator, PyList, PyString, PyTuple};

use crate::codec::{self, Reduced};
use crate::columns::ColumnRun;
use crate::engines::hit_rows;
use crate::errors::{OrRaise, Tried, caught, fail};
use crate::from_arrow::{opened, run_from_arrow, run_with_costs};
use crate::from_dict;
use crate::from_numpy::{run_from_arrays, run_from_topk};
use crate::from_rows::{run_from_named_tuples, run_from_rows};
use crate::ids::{ITEM, id_bytes, text, texts};
use crate::limits::{self, Limits, limits_of};
use crate::options::{self, choose, run_layout_of, strictness};
use crate::source::Origin;
use crate::watch::interruptible;

#[doc = stub!("Run")]
#[pyclass(frozen, module = "cranfield._core", from_py_object)]
#[derive(Clone)]
pub struct Run(pub Storage);

/// How a run is stored.
#[derive(Clone)]
pub enum Storage {
    /// Its own documents and scores.
    Lines(Arc<CoreRun>),
    /// A name, and borrowed columns.
    Columns(Arc<str>, Arc<ColumnRun>),
}

impl Run {
    /// A run with its own documents and scores.
    pub fn of(run: CoreRun) -> Self {
        Run(Storage::Lines(Arc::new(run)))
    }

    fn in_columns(name: &str, run: ColumnRun) -> Self {
        Run(Storage::Columns(name.into(), Arc::new(run)))
    }

    /// The run with its own documents and scores, copied if they are borrowed.
    fn own(&self, py: Python<'_>) -> PyResult<Arc<CoreRun>> {
        match &self.0 {
            Storage::Lines(run) => Ok(Arc::clone(run)),
            Storage::Columns(name, run) => run.to_run(py, name, None).map(Arc::new),
        }
    }

    /// Its own documents and scores.
    pub fn to_own(&self, py: Python<'_>) -> PyResult<CoreRun> {
        match &self.0 {
            Storage::Lines(run) => Ok((**run).clone()),
            Storage::Columns(name, run) => run.to_run(py, name, None),
        }
    }

    fn has(&self, id: &[u8]) -> bool {
        match &self.0 {
            Storage::Lines(run) => run.topics.iter().any(|(topic, _)| **topic == *id),
            Storage::Columns(_, run) => run.topics.iter().any(|(topic, _)| **topic == *id),
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
        from_dict::run_from_dict(scores, name.into()).map(Run::of)
    }

    #[doc = stub!("Run.from_rankings")]
    #[staticmethod]
    #[pyo3(signature = (rankings, /, *, name = "run"))]
    fn from_rankings(
        rankings: &Bound<'_, PyAny>,
        #[pyo3(from_py_with = options::name)] name: &str,
    ) -> PyResult<Self> {
        from_dict::run_from_rankings(rankings, name.into()).map(Run::of)
    }

    #[doc = stub!("Run.from_hits")]
    #[staticmethod]
    #[pyo3(signature = (answers, /, *, name = "run", document = None))]
    fn from_hits(
        answers: &Bound<'_, PyAny>,
        #[pyo3(from_py_with = options::name)] name: &str,
        document: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let [topics, documents, scores] = hit_rows(answers, document)?
            .map(|column| PyList::new(answers.py(), column).map(Bound::into_any));
        let (topics, documents, scores) = (topics?, documents?, scores?);
        let run = run_from_rows(&topics, &documents, Some(&scores), None, [None; 4], name.into())?;
        Ok(Run::of(run))
    }

    #[doc = stub!("Run.from_rows")]
    #[staticmethod]
    #[pyo3(signature = (
        topics, documents, scores, /, *, ranks = None, chars = None, tokens = None, cost = None,
        call = None, name = "run"
    ))]
    #[expect(clippy::too_many_arguments, reason = "keywords")]
    fn from_rows(
        topics: &Bound<'_, PyAny>,
        documents: &Bound<'_, PyAny>,
        scores: Option<&Bound<'_, PyAny>>,
        ranks: Option<&Bound<'_, PyAny>>,
        chars: Option<&Bound<'_, PyAny>>,
        tokens: Option<&Bound<'_, PyAny>>,
        cost: Option<&Bound<'_, PyAny>>,
        call: Option<&Bound<'_, PyAny>>,
        #[pyo3(from_py_with = options::name)] name: &str,
    ) -> PyResult<Self> {
        let costs = [chars, tokens, cost, call];
        let run = run_from_rows(topics, documents, scores, ranks, costs, name.into())?;
        Ok(Run::of(run))
    }

    #[doc = stub!("Run.from_named_tuples")]
    #[staticmethod]
    #[pyo3(signature = (rows, /, *, topic, document, score, name = "run"))]
    fn from_named_tuples(
        rows: &Bound<'_, PyAny>,
        #[pyo3(from_py_with = options::topic)] topic: &str,
        #[pyo3(from_py_with = options::document)] document: &str,
        #[pyo3(from_py_with = options::score)] score: &str,
        #[pyo3(from_py_with = options::name)] name: &str,
    ) -> PyResult<Option<Self>> {
        let rows = rows.cast::<PyList>().map_err(|_| options::wrong("rows", "a list", rows))?;
        let run = run_from_named_tuples(rows, [topic, document, score], name.into())?;
        Ok(run.map(Run::of))
    }

    #[doc = stub!("Run.from_arrow")]
    #[staticmethod]
    #[pyo3(signature = (
        stream, /, *, topic = None, document = None, score = None, rank = None, chars = None,
        tokens = None, cost = None, call = None, name = "run"
    ))]
    #[expect(clippy::too_many_arguments, reason = "keywords")]
    fn from_arrow(
        stream: &Bound<'_, PyAny>,
        #[pyo3(from_py_with = options::optional_topic)] topic: Option<&str>,
        #[pyo3(from_py_with = options::optional_document)] document: Option<&str>,
        #[pyo3(from_py_with = options::optional_score)] score: Option<&str>,
        #[pyo3(from_py_with = options::optional_rank)] rank: Option<&str>,
        #[pyo3(from_py_with = options::optional_chars)] chars: Option<&str>,
        #[pyo3(from_py_with = options::optional_tokens)] tokens: Option<&str>,
        #[pyo3(from_py_with = options::optional_cost)] cost: Option<&str>,
        #[pyo3(from_py_with = options::optional_call)] call: Option<&str>,
        #[pyo3(from_py_with = options::name)] name: &str,
    ) -> PyResult<Self> {
        let py = stream.py();
        let named = [topic, document, score, rank, chars, tokens, cost, call];
        let (stream, columns) = opened(stream, "run_columns", named)?;
        let [Some(topic), Some(document), score, rank, costs @ ..] = columns else {
            return Err(fail(Kind::Type, "expected columns for topic and document"));
        };
        if costs.iter().any(Option::is_some) {
            let read = || run_with_costs(stream, [topic, document], [score, rank], costs);
            return Ok(Run::of(CoreRun { name: name.into(), ..interruptible(py, read)?? }));
        }
        let read = || run_from_arrow(stream, [topic, document], score, rank);
        Ok(Run::in_columns(name, interruptible(py, read)??))
    }

    #[doc = stub!("Run.from_arrays")]
    #[staticmethod]
    #[pyo3(signature = (topics, documents, scores, *, offsets = None, name = "run", check = "judged", assume = ""))]
    fn from_arrays(
        topics: &Bound<'_, PyAny>,
        documents: &Bound<'_, PyAny>,
        scores: &Bound<'_, PyAny>,
        offsets: Option<&Bound<'_, PyAny>>,
        #[pyo3(from_py_with = options::name)] name: &str,
        #[pyo3(from_py_with = options::check)] check: &str,
        #[pyo3(from_py_with = options::assume)] assume: &str,
    ) -> PyResult<Self> {
        let (check, promise) = (check_of(check)?, promise_of(assume)?);
        let run = run_from_arrays(topics, documents, scores, offsets)?;
        Ok(Run::in_columns(name, ColumnRun { check, promise, ..run }))
    }

    #[doc = stub!("Run.from_topk")]
    #[staticmethod]
    #[pyo3(signature = (topics, documents, scores, *, name = "run", check = "judged", assume = ""))]
    fn from_topk(
        topics: &Bound<'_, PyAny>,
        documents: &Bound<'_, PyAny>,
        scores: &Bound<'_, PyAny>,
        #[pyo3(from_py_with = options::name)] name: &str,
        #[pyo3(from_py_with = options::check)] check: &str,
        #[pyo3(from_py_with = options::assume)] assume: &str,
    ) -> PyResult<Self> {
        let (check, promise) = (check_of(check)?, promise_of(assume)?);
        let run = run_from_topk(topics, documents, scores)?;
        Ok(Run::in_columns(name, ColumnRun { check, promise, ..run }))
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
        #[pyo3(from_py_with = limits::limits)] limits: Option<Limits>,
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
        let format = Format::named(format).or_raise()?;
        let run = self.own(py)?;
        interruptible(py, || write_run(&run, &path, format))?.or_raise()
    }

    #[doc = stub!("Run.to_dict")]
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let run = self.own(py)?;
        caught(|| {
            let dict = PyDict::new(py);
            for (topic, lines) in &run.topics {
                py.check_signals()?;
                dict.set_item(text(py, topic)?, scored(py, lines)?)?;
            }
            Ok(dict)
        })?
    }

    #[doc = stub!("Run.rename")]
    #[pyo3(signature = (name, /))]
    fn rename(&self, #[pyo3(from_py_with = options::name)] name: &str) -> Self {
        match &self.0 {
            Storage::Lines(run) => Run::of(CoreRun { name: name.into(), ..(**run).clone() }),
            Storage::Columns(_, run) => Run(Storage::Columns(name.into(), Arc::clone(run))),
        }
    }

    #[doc = stub!("Run.name")]
    #[getter]
    fn name(&self) -> &str {
        match &self.0 {
            Storage::Lines(run) => &run.name,
            Storage::Columns(name, _) => name,
        }
    }

    #[doc = stub!("Run.tag")]
    #[getter]
    fn tag<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyString>>> {
        let tag = match &self.0 {
            Storage::Lines(run) => run.tag.as_ref(),
            Storage::Columns(..) => None,
        };
        tag.map(|tag| text(py, tag.trim_ascii())).transpose()
    }

    #[doc = stub!("Run.topics")]
    #[getter]
    fn topics<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        match &self.0 {
            Storage::Lines(run) => texts(py, run.topics.iter().map(|(topic, _)| &**topic)),
            Storage::Columns(_, run) => texts(py, run.topics.iter().map(|(topic, _)| &**topic)),
        }
    }

    #[doc = stub!("Run.lines")]
    #[getter]
    fn lines(&self, py: Python<'_>) -> PyResult<usize> {
        match &self.0 {
            Storage::Lines(run) => Ok(run.topics.iter().map(|(_, lines)| lines.len()).sum()),
            Storage::Columns(_, run) => run.lines(py),
        }
    }

    fn __len__(&self) -> usize {
        match &self.0 {
            Storage::Lines(run) => run.topics.len(),
            Storage::Columns(_, run) => run.topics.len(),
        }
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyIterator>> {
        self.topics(py)?.try_iter()
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
            Storage::Lines(run) => Arc::clone(run),
            Storage::Columns(name, run) => Arc::new(run.to_run(py, name, Some(&id))?),
        };
        match run.topics.iter().find(|(topic, _)| **topic == *id) {
            Some((_, lines)) => scored(py, lines),
            None => Err(PyKeyError::new_err(format!("no topic {} in the run", quote(&id)))),
        }
    }

    /// Borrowed columns are copied.
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Reduced<'py>> {
        codec::run::pickled(py, &*self.own(py)?)
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let (topics, lines) = (count(self.__len__(), "topic"), count(self.lines(py)?, "line"));
        Ok(format!("<Run {}: {topics}, {lines}>", self.name()))
    }
}

/// Which repeated documents are checked for.
fn check_of(name: &str) -> PyResult<Check> {
    choose("check", name, &[("judged", Check::Judged), ("full", Check::Full)])
}

/// What is promised of arrays, in words.
fn promise_of(words: &str) -> PyResult<Promise> {
    let mut promise = Promise::default();
    for word in words.split_whitespace() {
        let sorted = choose("assume", word, &[("sorted", true), ("unique", false)])?;
        promise.sorted |= sorted;
        promise.unique |= !sorted;
    }
    Ok(promise)
}

/// A list as a dict, in ranked order. A document that appears twice is an error.
fn scored<'py>(py: Python<'py>, lines: &Lines) -> PyResult<Bound<'py, PyDict>> {
    memory::room_for(lines.len() * ITEM).or_raise()?;
    let dict = PyDict::new(py);
    for line in in_default_order(lines) {
        let document = text(py, lines.document(line))?;
        if dict.contains(&document)? {
            let message = format!(
                "expected each document once per topic, found {} again: a dict cannot hold it twice",
                quote(lines.document(line))
            );
            return Err(fail(Kind::Duplicate, message));
        }
        dict.set_item(document, lines.score(line))?;
    }
    Ok(dict)
}

#[doc = stub!("unpickled_run")]
#[pyfunction]
#[pyo3(signature = (*parts))]
pub fn unpickled_run(parts: &Bound<'_, PyTuple>) -> PyResult<Run> {
    codec::run::unpickled(parts).map(Run::of)
}

#[doc = stub!("joined_runs")]
#[pyfunction]
#[pyo3(signature = (parts, name, /))]
pub fn joined_runs(parts: &Bound<'_, PyList>, name: String) -> PyResult<Run> {
    let mut topics: Vec<(Box<[u8]>, Lines)> = Vec::new();
    let mut seen: HashSet<Box<[u8]>> = HashSet::new();
    for part in parts {
        for (topic, lines) in part.cast::<Run>()?.get().to_own(parts.py())?.topics {
            if !seen.insert(topic.clone()) {
                let message = format!(
                    "expected each topic in one part of run {name}, found topic {} in two",
                    quote(&topic)
                );
                return Err(fail(Kind::Topics, message));
            }
            topics.push((topic, lines));
        }
    }
    Ok(Run::of(CoreRun { name, tag: None, topics, repaired: 0, repaired_ranks: 0, comments: 0 }))
}
