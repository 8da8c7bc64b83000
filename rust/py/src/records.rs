//! Scores from records: a run, a topic, a measure and a value each.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use cranfield_core::error::{Error as CoreError, Kind};
use cranfield_core::measure::{Aggregate, Better, Measure as CoreMeasure};
use cranfield_core::score_files::{ALL, INDEX, ScoreFile, score_columns};
use cranfield_core::scores::{
    MeasureLabel as CoreLabel, Notes, OpaqueMeasure, Scores as CoreScores,
};
use cranfield_core::{grammar, memory};
use pyo3::exceptions::PyUnicodeEncodeError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyDict, PyFloat, PyList, PyMapping, PyString, PyTuple};

use crate::errors::{OrRaise, Tried, fail, raise};
use crate::ids::{encoded, id_bytes};
use crate::measures::MeasureLabel;
use crate::options::choose;
use crate::score_files::{About, FileRecord, Record, ScoreReader};
use crate::scores::Scores;
use crate::values::whole_number;

/// Where a record is: its number, or the file and the line.
#[derive(Clone, Copy)]
enum RecordPlace<'a> {
    Number(u64),
    Line(&'a str, u64),
}

impl RecordPlace<'_> {
    fn error(self, kind: Kind, message: &str) -> PyErr {
        raise(&match self {
            RecordPlace::Number(number) => {
                CoreError::new(kind, format!("record {number}: {message}"))
            }
            RecordPlace::Line(file, line) => {
                CoreError::new(kind, message).in_file(file).at_line(line)
            }
        })
    }
}

/// Labels in the order in which they came first.
#[derive(Default)]
struct Labels<T> {
    places: HashMap<T, u32>,
    labels: Vec<T>,
}

impl<T: Clone + Eq + std::hash::Hash> Labels<T> {
    fn place<Q>(&mut self, label: &Q) -> u32
    where
        T: std::borrow::Borrow<Q> + for<'a> From<&'a Q>,
        Q: Eq + std::hash::Hash + ?Sized,
    {
        if let Some(place) = self.places.get(label) {
            return *place;
        }
        let (place, label) = (self.labels.len() as u32, T::from(label));
        self.labels.push(label.clone());
        self.places.insert(label, place);
        place
    }
}

#[doc = stub!("ScoreCells")]
#[pyclass(module = "cranfield._core")]
pub struct ScoreCells {
    runs: Labels<Box<str>>,
    topics: Labels<Box<[u8]>>,
    measures: Labels<Box<str>>,
    seen: HashSet<[u32; 3]>,
    places: Vec<[u32; 3]>,
    values: Vec<f64>,
    width: usize,
    /// How many records summed up a run.
    summed: u64,
    about: Vec<About>,
}

#[pymethods]
impl ScoreCells {
    #[new]
    #[pyo3(signature = (width = 1, /))]
    fn new(width: usize) -> Self {
        ScoreCells {
            runs: Labels::default(),
            topics: Labels::default(),
            measures: Labels::default(),
            seen: HashSet::new(),
            places: Vec::new(),
            values: Vec::new(),
            width,
            summed: 0,
            about: Vec::new(),
        }
    }

    fn __bool__(&self) -> bool {
        !self.places.is_empty()
    }

    #[doc = stub!("ScoreCells.add")]
    #[pyo3(signature = (run, topic, measure, values, /))]
    fn add(
        &mut self,
        run: &str,
        topic: &Bound<'_, PyAny>,
        measure: &str,
        values: Vec<f64>,
    ) -> PyResult<bool> {
        Ok(self.insert(run, &id_bytes(topic)?, measure, &values))
    }

    #[doc = stub!("ScoreCells.add_records")]
    #[pyo3(signature = (records, /))]
    fn add_records(&mut self, records: &Bound<'_, PyAny>) -> PyResult<()> {
        for (number, row) in (1..).zip(records.try_iter()?) {
            let place = RecordPlace::Number(number);
            let record = record_of(row?, place)?;
            self.take(place, record, false, None)?;
            if number.is_multiple_of(BETWEEN_CHECKS) {
                records.py().check_signals()?;
            }
        }
        Ok(())
    }

    #[doc = stub!("ScoreCells.add_columns")]
    #[pyo3(signature = (names, column, measures, /, *, file = None, summaries = None))]
    fn add_columns<'py>(
        &mut self,
        names: Vec<Bound<'py, PyAny>>,
        column: &Bound<'py, PyAny>,
        measures: Option<Vec<String>>,
        file: Option<&str>,
        summaries: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<()> {
        let records = of_columns(&names, column, measures)?;
        let topics = if file.is_some() { topics_called_all(&records)? } else { HashSet::new() };
        for (at, record) in records.into_iter().enumerate() {
            let number = at as u64 + 1;
            let place =
                file.map_or(RecordPlace::Number(number), |file| RecordPlace::Line(file, number));
            let is_of_topic = topics.contains(&at);
            self.take(place, record, is_of_topic, summaries)?;
            if number.is_multiple_of(BETWEEN_CHECKS) {
                column.py().check_signals()?;
            }
        }
        Ok(())
    }

    #[doc = stub!("ScoreCells.add_file")]
    #[pyo3(signature = (data, name, run, /, *, named = false, form = None, summaries = None))]
    #[expect(clippy::too_many_arguments, reason = "keywords")]
    fn add_file<'py>(
        &mut self,
        py: Python<'py>,
        data: &[u8],
        name: &str,
        run: &str,
        named: bool,
        form: Option<&str>,
        summaries: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Option<String>> {
        let file = ScoreFile { run, is_named: named, sums_up: summaries.is_some() };
        let found = ScoreReader { name, file, form }.read(py, data)?;
        self.about.extend(found.about);
        for (number, found) in (1_u64..).zip(found.records) {
            let FileRecord { line, record, is_of_topic } = found;
            if number.is_multiple_of(BETWEEN_CHECKS) {
                py.check_signals()?;
            }
            let place = RecordPlace::Line(name, line);
            self.take(place, record, is_of_topic, summaries)?;
        }
        Ok(found.left_out)
    }

    #[doc = stub!("ScoreCells.describe")]
    #[pyo3(signature = (*, fingerprint = None, better = None, measures = None))]
    fn describe(
        &mut self,
        fingerprint: Option<String>,
        better: Option<HashMap<String, Option<String>>>,
        measures: Option<Vec<String>>,
    ) -> Option<Vec<String>> {
        let better = better.unwrap_or_default();
        self.about.push(About { fingerprint, better, ..About::default() });
        measures
    }

    #[doc = stub!("ScoreCells.fingerprints")]
    #[getter]
    fn fingerprints(&self) -> Vec<&str> {
        self.about.iter().filter_map(|about| about.fingerprint.as_deref()).collect()
    }

    #[doc = stub!("ScoreCells.judged_topics")]
    #[getter]
    fn judged_topics(&self) -> HashSet<&str> {
        self.about.iter().flat_map(|about| &about.topics).map(String::as_str).collect()
    }

    #[doc = stub!("ScoreCells.unmatched")]
    #[getter]
    fn unmatched<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let found = PyDict::new(py);
        for (run, said) in self.about.iter().flat_map(|about| &about.unmatched) {
            found.set_item(run, said)?;
        }
        Ok(found)
    }

    #[doc = stub!("ScoreCells.measures")]
    #[getter]
    fn measures<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.measures.labels.iter().map(|label| &**label))
    }

    #[doc = stub!("ScoreCells.topic_count")]
    #[getter]
    fn topic_count(&self) -> usize {
        self.topics.labels.len()
    }

    #[doc = stub!("ScoreCells.topics_of_runs")]
    fn topics_of_runs<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let mut counts = vec![0_u64; self.runs.labels.len()];
        for [run, ..] in &self.places {
            counts[*run as usize] += 1;
        }
        let found = PyDict::new(py);
        for (run, count) in self.runs.labels.iter().zip(counts) {
            found.set_item(&**run, count)?;
        }
        Ok(found)
    }

    #[doc = stub!("ScoreCells.labelled")]
    #[pyo3(signature = (directions, usual, /))]
    fn labelled(
        &self,
        directions: HashMap<String, Option<String>>,
        usual: Option<&str>,
    ) -> PyResult<Scores> {
        if self.places.is_empty() {
            let found = if self.summed > 0 { "only summaries (topic \"all\")" } else { "none" };
            let message = format!("expected the scores of topics, found {found}");
            return Err(fail(Kind::Empty, message));
        }
        let labels = self.measures.labels.iter();
        let measures = labels.map(|label| self.measure(label, &directions, usual));
        let measures = measures.collect::<PyResult<Vec<_>>>()?;
        self.scores(measures.iter().map(Into::into).collect(), f64::NAN)
    }

    #[doc = stub!("ScoreCells.scores")]
    #[pyo3(signature = (measures, blank, /))]
    fn scores(&self, measures: Vec<MeasureLabel>, blank: f64) -> PyResult<Scores> {
        let (runs, topics) = (&self.runs.labels, &self.topics.labels);
        let mut order: Vec<usize> = (0..topics.len()).collect();
        order.sort_unstable_by_key(|place| &topics[*place]);
        let mut rank = vec![0; topics.len()];
        for (place, topic) in order.iter().enumerate() {
            rank[*topic] = place;
        }
        let size = runs.len().saturating_mul(topics.len()).saturating_mul(measures.len());
        let mut values = Vec::new();
        memory::reserve(&mut values, size).or_raise()?;
        values.resize(size, blank);
        for ([run, topic, measure], own) in
            self.places.iter().zip(self.values.chunks_exact(self.width))
        {
            let row = *run as usize * topics.len() + rank[*topic as usize];
            let start = row * measures.len() + *measure as usize;
            values[start..start + self.width].copy_from_slice(own);
        }
        Ok(Scores(CoreScores {
            topics: order.iter().map(|place| topics[*place].clone()).collect(),
            measures: measures.into_iter().map(Into::into).collect(),
            values,
            weights: Vec::new(),
            notes: vec![Notes::default(); runs.len()],
            without_relevant: Arc::default(),
            judgments: Arc::default(),
            runs: runs.iter().map(|run| String::from(&**run)).collect(),
        }))
    }
}

/// The direction that a word names.
fn direction(word: &str) -> PyResult<Better> {
    choose("better", word, &[("higher", Better::Higher), ("lower", Better::Lower)])
}

/// Records between two looks for an interrupt.
const BETWEEN_CHECKS: u64 = 1024;

impl ScoreCells {
    /// The measure that a label stands for.
    ///
    /// Our own spelling is our measure. Any other label stays as it is, and takes direction and
    /// aggregate of the measure that it names, if it names one.
    fn measure(
        &self,
        label: &str,
        given: &HashMap<String, Option<String>>,
        usual: Option<&str>,
    ) -> PyResult<CoreLabel> {
        let of_files = || self.about.iter().rev().find_map(|about| about.better.get(label));
        let word = given.get(label).or_else(of_files);
        let known = grammar::parse(label).ok();
        let better = match (word, &known) {
            (Some(word), _) => word.as_deref().map_or(Ok(Better::Neither), direction)?,
            (None, Some(known)) => known.better(),
            (None, None) => usual.map_or(Ok(Better::Neither), direction)?,
        };
        let aggregate = known.as_ref().map_or(Aggregate::Mean, CoreMeasure::aggregate);
        match known {
            Some(known) if known.to_string() == label && known.better() == better => {
                Ok(CoreLabel::Known(known))
            }
            _ => Ok(CoreLabel::Opaque(OpaqueMeasure { label: label.into(), aggregate, better })),
        }
    }

    /// Adds values, the first of which is of a measure; false if that has a value already.
    fn insert(&mut self, run: &str, topic: &[u8], measure: &str, values: &[f64]) -> bool {
        let (run, topic) = (self.runs.place(run), self.topics.place(topic));
        let cell = [run, topic, self.measures.place(measure)];
        if !self.seen.insert(cell) {
            return false;
        }
        self.places.push(cell);
        self.values.extend(values);
        true
    }

    /// Adds a record, unless it sums up a run, as the topic "all" does if the record is not known
    /// to be of a topic. Such a record goes into `summaries`, or is left out.
    fn take<'py>(
        &mut self,
        place: RecordPlace<'_>,
        record: Record<'py>,
        is_of_topic: bool,
        summaries: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<()> {
        let [run, topic, measure, value] = record;
        let py = value.py();
        let run = text(&label(&run, "run", place)?)?;
        let topic = label(&topic, "topic", place)?;
        let bytes = topic_bytes(&topic, place)?;
        let sums_up = !is_of_topic && &*bytes == ALL;
        self.summed += u64::from(sums_up);
        if sums_up && summaries.is_none() {
            return Ok(());
        }
        let measure = measure_label(&measure, place)?;
        let named = |py| -> PyResult<String> {
            Ok(format!("run {}, topic {}", PyString::new(py, &run).repr()?, topic.repr()?))
        };
        let value = number_of(&value, place, || Ok(format!("{}, {measure}", named(py)?)))?;
        let is_new = match summaries.filter(|_| sums_up) {
            Some(summaries) => summarized(summaries, &run, &measure, value)?,
            None => self.insert(&run, &bytes, &measure, &[value]),
        };
        if !is_new {
            let measure = PyString::new(py, &measure).repr()?;
            let message = format!("{}, measure {measure} is there twice", named(py)?);
            return Err(place.error(Kind::Duplicate, &message));
        }
        Ok(())
    }
}

/// A record from a tuple or a list of four, a named tuple, or a mapping.
fn record_of<'py>(row: Bound<'py, PyAny>, place: RecordPlace<'_>) -> PyResult<Record<'py>> {
    let is_of_numpy = row.get_type().module()? == "numpy";
    let row = if is_of_numpy { row.call_method0("tolist")? } else { row };
    let mapping = row.cast::<PyMapping>().ok();
    let names = match mapping {
        Some(mapping) => Some(mapping.keys()?.into_any()),
        None => row.getattr_opt("_fields")?,
    };
    if let Some(names) = names {
        let names = names.try_iter()?.collect::<PyResult<Vec<_>>>()?;
        let texts = labels_of(&names)?;
        let columns = score_columns(&texts).or_raise()?;
        let Some((measure, value)) = columns.long else {
            let found = texts.join(", ");
            let message = format!("expected run, topic, measure and value, found {found}");
            return Err(place.error(Kind::Type, &message));
        };
        let found = [columns.run, columns.topic, measure, value].map(|at| match mapping {
            Some(_) => row.get_item(&names[at]),
            None => row.getattr(names[at].cast::<PyString>()?),
        });
        let [run, topic, measure, value] = found;
        return Ok([run?, topic?, measure?, value?]);
    }
    let is_row = row.is_instance_of::<PyTuple>() || row.is_instance_of::<PyList>();
    let fields = if is_row { row.try_iter()?.collect::<PyResult<Vec<_>>>()? } else { Vec::new() };
    fields.try_into().map_err(|fields: Vec<_>| {
        let kind = row.get_type().name().map_or("object".into(), |name| name.to_string());
        let length = if is_row { format!(" of {}", fields.len()) } else { String::new() };
        let message = format!("expected (run, topic, measure, value), found a {kind}{length}");
        place.error(Kind::Type, &message)
    })
}

/// The records of a long table, or of one with a column for each measure.
fn of_columns<'py>(
    names: &[Bound<'py, PyAny>],
    column: &Bound<'py, PyAny>,
    measures: Option<Vec<String>>,
) -> PyResult<Vec<Record<'py>>> {
    let texts = labels_of(names)?;
    let columns = score_columns(&texts).or_raise()?;
    let of = |place: usize| column.call1((place,))?.try_iter()?.collect::<PyResult<Vec<_>>>();
    let (runs, topics) = (of(columns.run)?, of(columns.topic)?);
    let labels = || runs.iter().cloned().zip(topics.iter().cloned());
    if let Some((measure, value)) = columns.long {
        let rest = of(measure)?.into_iter().zip(of(value)?);
        return Ok(labels().zip(rest).map(|((r, t), (m, v))| [r, t, m, v]).collect());
    }
    let mut records = Vec::new();
    for (place, (name, text)) in names.iter().zip(&texts).enumerate() {
        let is_label = place == columns.run || place == columns.topic;
        let is_measure = match &measures {
            Some(measures) => measures.contains(text),
            None => !INDEX.contains(&&**text),
        };
        if !is_label && is_measure {
            records.extend(labels().zip(of(place)?).map(|((r, t), v)| [r, t, name.clone(), v]));
        }
    }
    Ok(records)
}

fn labels_of(names: &[Bound<'_, PyAny>]) -> PyResult<Vec<String>> {
    names.iter().map(|name| text(&name.str()?)).collect()
}

/// Which records of a file are those of a topic that is called as summaries are: the first of two.
fn topics_called_all(records: &[Record<'_>]) -> PyResult<HashSet<usize>> {
    let mut places: HashMap<(String, String), Vec<usize>> = HashMap::new();
    for (at, [run, topic, measure, _]) in records.iter().enumerate() {
        if topic.cast::<PyString>().is_ok_and(|topic| topic == "all") {
            let key = (text(&run.str()?)?, text(&measure.str()?)?);
            places.entry(key).or_default().push(at);
        }
    }
    Ok(places.into_values().filter(|found| found.len() == 2).map(|found| found[0]).collect())
}

/// Adds a value of a run as a whole; false if there is one already.
fn summarized(
    summaries: &Bound<'_, PyDict>,
    run: &str,
    measure: &str,
    value: f64,
) -> PyResult<bool> {
    let own = if let Some(own) = summaries.get_item(run)? {
        own.cast_into::<PyDict>()?
    } else {
        let own = PyDict::new(summaries.py());
        summaries.set_item(run, &own)?;
        own
    };
    let is_new = !own.contains(measure)?;
    own.set_item(measure, value)?;
    Ok(is_new)
}

/// A label as text: integers are, too.
fn label<'py>(
    label: &Bound<'py, PyAny>,
    what: &str,
    place: RecordPlace<'_>,
) -> PyResult<Bound<'py, PyString>> {
    if let Ok(text) = label.cast::<PyString>() {
        if text.len()? == 0 {
            let message = format!("expected a {what}, found an empty one");
            return Err(place.error(Kind::Fields, &message));
        }
        return Ok(text.clone());
    }
    match whole_number(label)? {
        Some(number) if !label.is_instance_of::<PyBool>() => number.str(),
        _ => {
            let found = label.repr()?;
            let message = format!("expected a {what} as text or a whole number, found {found}");
            Err(place.error(Kind::Type, &message))
        }
    }
}

/// A measure as text.
fn measure_label(measure: &Bound<'_, PyAny>, place: RecordPlace<'_>) -> PyResult<String> {
    if measure.is_none() {
        return Err(place.error(Kind::Type, "expected a measure, found None"));
    }
    text(&label(measure.str()?.as_any(), "measure", place)?)
}

/// Text in which lone surrogates, such as odd bytes of paths, are replaced.
fn text(label: &Bound<'_, PyString>) -> PyResult<String> {
    if let Ok(text) = label.to_str() {
        return Ok(text.to_owned());
    }
    let units = label.call_method1("encode", ("utf-16-le", "surrogatepass"))?;
    let units = units.cast_into::<PyBytes>()?;
    let units = units.as_bytes().as_chunks::<2>().0.iter().map(|unit| u16::from_le_bytes(*unit));
    Ok(char::decode_utf16(units)
        .map(|found| found.unwrap_or(char::REPLACEMENT_CHARACTER))
        .collect())
}

/// The bytes of a topic.
fn topic_bytes(topic: &Bound<'_, PyString>, place: RecordPlace<'_>) -> PyResult<Vec<u8>> {
    if let Ok(text) = topic.to_str() {
        return Ok(text.as_bytes().to_vec());
    }
    match encoded(topic, "surrogateescape") {
        Ok(bytes) => Ok(bytes.as_bytes().to_vec()),
        Err(raised) if raised.is_instance_of::<PyUnicodeEncodeError>(topic.py()) => {
            let found = topic.get_item(pyo3::types::PySlice::new(topic.py(), 0, 60, 1))?;
            let found = topic.py().import("builtins")?.call_method1("ascii", (found,))?;
            let message = format!("expected a topic that can be written as UTF-8, found {found}");
            Err(place.error(Kind::Fields, &message))
        }
        Err(raised) => Err(raised),
    }
}

/// A value; None and what pandas has for it are NaN.
fn number_of(
    value: &Bound<'_, PyAny>,
    place: RecordPlace<'_>,
    what: impl Fn() -> PyResult<String>,
) -> PyResult<f64> {
    let py = value.py();
    let found = if let Ok(float) = value.cast_exact::<PyFloat>() {
        Some(float.value())
    } else if value.is_none() || value.get_type().name()? == "NAType" {
        return Ok(f64::NAN);
    } else {
        let is_refused = value.is_instance_of::<PyBool>()
            || value.is_instance_of::<PyBytes>()
            || (value.is_instance_of::<PyString>() && value.contains("_")?);
        let float = || py.get_type::<PyFloat>().call1((value,))?.extract::<f64>();
        if is_refused { None } else { float().tried(py)? }
    };
    let Some(found) = found else {
        let message = format!("expected a number for {}, found {}", what()?, value.repr()?);
        return Err(place.error(Kind::Number, &message));
    };
    if found.is_infinite() {
        let message = format!("the score of {} is infinite", what()?);
        return Err(place.error(Kind::Number, &message));
    }
    Ok(found)
}
