//! Files of scores as records; JSON is parsed by Python and looked through here.

use std::collections::HashMap;

use cranfield_core::error::{Error as CoreError, Kind, Result as CoreResult};
use cranfield_core::read::json;
use cranfield_core::read::tables::Role;
use cranfield_core::score_files::{
    ALL, MEASURE, RUN, ScoreFile, VALUE, are_integers, are_measures, is_header, numbered_lines,
};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyString};

use crate::errors::raise;
use crate::ids::{encoded, text};

/// A run, a topic, a measure and a value.
pub type Record<'py> = [Bound<'py, PyAny>; 4];

/// A record of a file.
pub struct FileRecord<'py> {
    /// Its line.
    pub line: u64,
    pub record: Record<'py>,
    /// Whether its topic is one, also if it is called "all".
    pub is_of_topic: bool,
}

/// What a file or a table that cranfield wrote says of its scores.
#[derive(Default)]
pub struct About {
    /// Judgments and options.
    pub fingerprint: Option<String>,
    /// The directions of measures.
    pub better: HashMap<String, Option<String>>,
    /// The topics of the judgments.
    pub topics: Vec<String>,
    /// What is said of runs without judged documents.
    pub unmatched: Vec<(String, String)>,
}

/// What a file holds.
#[derive(Default)]
pub struct Content<'py> {
    pub records: Vec<FileRecord<'py>>,
    /// The measures that were left out, in a sentence.
    pub left_out: Option<String>,
    /// What a file that cranfield wrote says of its scores.
    pub about: Option<About>,
}

/// Why a text is no JSON, and in which of its lines.
type Broken = (String, Option<u64>);

/// The formats that are JSON: lines, an object, dicts in dicts.
const JSON_LINES: [&str; 2] = ["jsonl", "nuggetizer"];
const DICTS: [&str; 2] = ["pytrec_eval", "ranx"];
const TABLES: [&str; 2] = ["table", "argue"];

/// Reads one file.
pub struct ScoreReader<'a> {
    pub name: &'a str,
    pub file: ScoreFile<'a>,
    pub form: Option<&'a str>,
}

impl ScoreReader<'_> {
    /// The records of its content, in the format that is named or detected.
    pub fn read<'py>(&self, py: Python<'py>, data: &[u8]) -> PyResult<Content<'py>> {
        if data.contains(&0) {
            return Err(self.wrong(Kind::Binary, "expected text, found binary data", None));
        }
        let data = data.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(data);
        let lines = numbered_lines(data);
        let Some((_, first)) = lines.first() else {
            return Err(self.wrong(Kind::Empty, "expected scores, found an empty file", None));
        };
        let is = |forms: &[&str]| self.form.is_some_and(|form| forms.contains(&form));
        let start = String::from_utf8_lossy(first);
        let is_json = is(&JSON_LINES) || is(&DICTS) || is(&["json"]);
        if is_json || (self.form.is_none() && start.trim_start().starts_with(['{', '['])) {
            return JsonScores { reader: self, content: Content::default() }.read(py, data, &lines);
        }
        let found = if is(&TABLES) || (self.form.is_none() && is_header(first)) {
            self.raised(self.file.of_table(data))?
        } else {
            self.raised(self.file.of_lines(&lines, self.form))?
        };
        let mut records = Vec::with_capacity(found.records.len());
        for record in found.records {
            let value = match &record.value {
                Some(value) => text(py, value)?.into_any(),
                None => PyFloat::new(py, f64::NAN).into_any(),
            };
            let own = PyString::new(py, &record.run).into_any();
            let measure = PyString::new(py, &record.measure).into_any();
            records.push(FileRecord {
                line: record.line,
                record: [own, text(py, &record.topic)?.into_any(), measure, value],
                is_of_topic: record.is_of_topic,
            });
        }
        Ok(Content { records, left_out: found.left_out, about: None })
    }

    fn raised<T>(&self, outcome: CoreResult<T>) -> PyResult<T> {
        outcome.map_err(|error| raise(&error.in_file(self.name)))
    }

    #[cold]
    fn wrong(&self, kind: Kind, message: &str, line: Option<u64>) -> PyErr {
        let error = CoreError::new(kind, message).in_file(self.name);
        raise(&match line {
            Some(line) => error.at_line(line),
            None => error,
        })
    }

    #[cold]
    fn foreign(&self, line: u64) -> PyErr {
        let message =
            "expected scores: {topic: {measure: value}}, or a run, a topic, a measure and a value";
        self.wrong(Kind::Type, message, Some(line))
    }

    /// What JSON stands for, or why it is none and in which line.
    fn parsed<'py>(
        &self,
        json: &Bound<'py, PyString>,
        line: Option<u64>,
    ) -> PyResult<Result<Bound<'py, PyAny>, Broken>> {
        let py = json.py();
        let bytes = encoded(json, "surrogateescape")?;
        let checked = json::check(bytes.as_bytes()).map_err(|error| {
            let at = line.or(error.place().line).unwrap_or(1);
            CoreError::new(error.kind(), error.message()).at_line(at)
        });
        self.raised(checked)?;
        let found = py.import("json")?.call_method1("loads", (json,));
        match found {
            Err(raised) if raised.is_instance_of::<PyValueError>(py) => {
                let value = raised.value(py);
                let at = value.getattr_opt("lineno")?.map(|line| line.extract()).transpose()?;
                Ok(Err((format!("broken JSON: {}", value.str()?), at)))
            }
            found => found.map(Ok),
        }
    }
}

/// Looks through JSON.
struct JsonScores<'a, 'py> {
    reader: &'a ScoreReader<'a>,
    content: Content<'py>,
}

impl<'py> JsonScores<'_, 'py> {
    /// One value, or JSON Lines if it is not one.
    fn read(
        mut self,
        py: Python<'py>,
        data: &[u8],
        lines: &[(u64, &[u8])],
    ) -> PyResult<Content<'py>> {
        let form = self.reader.form;
        if !form.is_some_and(|form| JSON_LINES.contains(&form)) {
            match self.reader.parsed(&text(py, data)?, None)? {
                Ok(value) => {
                    self.value(&value, lines[0].0)?;
                    return Ok(self.content);
                }
                Err((why, at)) if form.is_some() || lines.len() == 1 => {
                    return Err(self.reader.wrong(Kind::Type, &why, at));
                }
                Err(_) => {}
            }
        }
        for (number, line) in lines {
            let value = self.reader.parsed(&text(py, line)?, Some(*number))?;
            let value =
                value.map_err(|(why, _)| self.reader.wrong(Kind::Type, &why, Some(*number)))?;
            self.object(self.dict(&value, *number)?, *number)?;
        }
        Ok(self.content)
    }

    fn dict<'v>(
        &self,
        value: &'v Bound<'py, PyAny>,
        line: u64,
    ) -> PyResult<&'v Bound<'py, PyDict>> {
        value.cast::<PyDict>().map_err(|_| self.reader.foreign(line))
    }

    /// One object: that of cranfield, or dicts in dicts; or the one line of JSON Lines.
    fn value(&mut self, value: &Bound<'py, PyAny>, line: u64) -> PyResult<()> {
        let of_dicts = self.reader.form.is_some_and(|form| DICTS.contains(&form));
        if let (Ok(list), false) = (value.cast::<PyList>(), of_dicts) {
            return list.iter().try_for_each(|entry| self.object(self.dict(&entry, 1)?, 1));
        }
        let content = self.dict(value, line)?;
        if let (Some(runs), false) = (content.get_item("runs")?, of_dicts)
            && let Ok(runs) = runs.cast::<PyList>()
        {
            self.reader.raised(self.reader.file.reject_run())?;
            self.content.about = Some(self.about(content, runs, line)?);
            return runs.iter().try_for_each(|entry| self.run(&entry));
        }
        if self.reader.form.is_none() && !content.values().iter().all(|own| is_dict(&own)) {
            return self.object(content, line);
        }
        self.dicts(content, line)
    }

    /// What the file says of its scores.
    fn about(
        &self,
        content: &Bound<'py, PyDict>,
        runs: &Bound<'py, PyList>,
        line: u64,
    ) -> PyResult<About> {
        let py = content.py();
        let of = |key: &str| -> PyResult<Bound<'py, PyAny>> {
            Ok(content.get_item(key)?.unwrap_or_else(|| py.None().into_bound(py)))
        };
        let is_text =
            |value: &Bound<'py, PyAny>| value.is_none() || value.cast::<PyString>().is_ok();
        let (fingerprint, mut better) = (of("fingerprint")?, of("better")?);
        if !better.is_truthy()? {
            better = PyDict::new(py).into_any();
        }
        let topics = of("topics")?;
        let is_ours = is_text(&fingerprint)
            && self.dict(&better, line)?.values().iter().all(|direction| is_text(&direction));
        if !is_ours {
            return Err(self.reader.foreign(line));
        }
        let mut names = Vec::new();
        if topics.is_truthy()? {
            for topic in topics.try_iter().map_err(|_| self.reader.foreign(line))? {
                names.push(topic?.str()?.to_string_lossy().into_owned());
            }
        }
        let mut unmatched = Vec::new();
        let lossy = |value: &Bound<'_, PyAny>| -> PyResult<String> {
            Ok(value.str()?.to_string_lossy().into_owned())
        };
        for entry in runs.iter() {
            let Ok(entry) = entry.cast::<PyDict>() else { continue };
            let Some(notes) = entry.get_item("notes")? else { continue };
            let Ok(notes) = notes.cast::<PyDict>() else { continue };
            let Some(said) = notes.get_item("unmatched")? else { continue };
            if said.is_truthy()? {
                let run = entry.get_item("run")?.unwrap_or_else(|| py.None().into_bound(py));
                unmatched.push((lossy(&run)?, lossy(&said)?));
            }
        }
        let directions = self.dict(&better, line)?.iter();
        let given = |text: &Bound<'_, PyAny>| (!text.is_none()).then(|| lossy(text)).transpose();
        let directions = directions.map(|(label, word)| Ok((lossy(&label)?, given(&word)?)));
        Ok(About {
            fingerprint: given(&fingerprint)?,
            better: directions.collect::<PyResult<_>>()?,
            topics: names,
            unmatched,
        })
    }

    /// A run of what `cranfield eval --format json` writes.
    fn run(&mut self, entry: &Bound<'py, PyAny>) -> PyResult<()> {
        let entry = self.dict(entry, 1)?.clone();
        let run = entry.get_item("run")?.filter(|run| run.cast::<PyString>().is_ok());
        let run = run.ok_or_else(|| self.reader.foreign(1))?;
        if self.reader.file.sums_up {
            let all = text(run.py(), ALL)?.into_any();
            self.values(&run, &all, entry.get_item("summary")?.as_ref(), 1, false)?;
        }
        let topics = entry.get_item("topics")?.filter(|topics| !topics.is_none());
        let Some(topics) = topics.as_ref().and_then(|topics| topics.cast::<PyDict>().ok()) else {
            if topics.is_none() && self.reader.file.sums_up {
                return Ok(());
            }
            let message = format!(
                "expected the scores of topics of the run {}, found summaries; cranfield eval \
                 --per-topic writes them",
                run.repr()?
            );
            return Err(self.reader.wrong(Kind::Empty, &message, None));
        };
        for (topic, values) in topics.iter() {
            self.values(&run, &topic, Some(&values), 1, true)?;
        }
        Ok(())
    }

    /// The values of measures, each a number, or an object in which it is the `value`.
    fn values(
        &mut self,
        run: &Bound<'py, PyAny>,
        topic: &Bound<'py, PyAny>,
        values: Option<&Bound<'py, PyAny>>,
        line: u64,
        is_of_topic: bool,
    ) -> PyResult<()> {
        let values = values.and_then(|values| values.cast::<PyDict>().ok());
        let values = values.ok_or_else(|| self.reader.foreign(line))?;
        for (measure, value) in values.iter() {
            let number = match value.cast::<PyDict>() {
                Ok(parts) => {
                    let none = || value.py().None().into_bound(value.py());
                    parts.get_item("value")?.unwrap_or_else(none)
                }
                Err(_) => value,
            };
            self.add(line, [run.clone(), topic.clone(), measure, number], is_of_topic);
        }
        Ok(())
    }

    fn add(&mut self, line: u64, record: Record<'py>, is_of_topic: bool) {
        self.content.records.push(FileRecord { line, record, is_of_topic });
    }

    /// {topic: {measure: value}}, the same under runs, or ranx's {measure: {topic: value}}.
    fn dicts(&mut self, content: &Bound<'py, PyDict>, line: u64) -> PyResult<()> {
        let mut inner = Vec::new();
        for (key, value) in content.iter() {
            inner.push((key, self.dict(&value, line)?.clone()));
        }
        if inner.is_empty() {
            return Err(self.reader.foreign(line));
        }
        let is_deep = inner.iter().any(|(_, own)| own.values().iter().any(|own| is_dict(&own)));
        let mut is_ranx = self.reader.form == Some("ranx");
        if is_ranx && is_deep {
            return Err(self.reader.foreign(line));
        }
        if !is_deep && !self.reader.form.is_some_and(|form| DICTS.contains(&form)) {
            is_ranx = has_measures_outside(&inner)?;
        }
        if is_deep {
            self.reader.raised(self.reader.file.reject_run())?;
            for (run, topics) in &inner {
                for (topic, values) in topics.iter() {
                    self.values(run, &topic, Some(&values), line, false)?;
                }
            }
            return Ok(());
        }
        let run = PyString::new(content.py(), self.reader.file.run).into_any();
        for (outer, own) in &inner {
            if !is_ranx {
                self.values(&run, outer, Some(own), line, false)?;
                continue;
            }
            for (topic, value) in own.iter() {
                self.add(line, [run.clone(), topic, outer.clone(), value], false);
            }
        }
        Ok(())
    }

    /// A line of JSON Lines: one value, or those of several measures.
    fn object(&mut self, content: &Bound<'py, PyDict>, line: u64) -> PyResult<()> {
        let py = content.py();
        let found = |known: &[&'static str]| -> PyResult<Option<(&'static str, _)>> {
            for key in known {
                if let Some(value) = content.get_item(key)? {
                    return Ok(Some((*key, value)));
                }
            }
            Ok(None)
        };
        let is_ours = content.contains("schema_version")?;
        if is_ours && content.get_item("group")?.is_some_and(|group| !is_all(&group)) {
            // Of a group of topics.
            return Ok(());
        }
        let (system, topic) = (found(&RUN)?, found(Role::Topic.usual())?);
        let (measure, value) = (found(&MEASURE)?, found(&VALUE)?);
        let (topic_key, topic) = topic.ok_or_else(|| self.reader.foreign(line))?;
        if system.is_some() {
            self.reader.raised(self.reader.file.reject_run())?;
        }
        let (run_key, run) = system.map_or_else(
            || (None, PyString::new(py, self.reader.file.run).into_any()),
            |(key, run)| (Some(key), run),
        );
        // Written by `cranfield eval`, whose summaries have no topic.
        let is_of_topic = is_ours && !topic.is_none();
        let topic = if topic.is_none() { text(py, ALL)?.into_any() } else { topic };
        if let Some(values) = content.get_item("values")?.filter(|values| is_dict(values)) {
            return self.values(&run, &topic, Some(&values), line, is_of_topic);
        }
        match (measure, value) {
            (Some((_, measure)), Some((_, value))) => {
                self.add(line, [run, topic, measure, value], is_of_topic);
                Ok(())
            }
            (None, None) => {
                for (key, number) in content.iter() {
                    let name = key.str()?;
                    let name = name.to_string_lossy();
                    let is_label = name == topic_key || run_key.is_some_and(|key| name == key);
                    if !is_label && is_number(&number) {
                        self.add(line, [run.clone(), topic.clone(), key, number], is_of_topic);
                    }
                }
                Ok(())
            }
            _ => Err(self.reader.foreign(line)),
        }
    }
}

fn is_dict(value: &Bound<'_, PyAny>) -> bool {
    value.cast::<PyDict>().is_ok()
}

fn is_all(value: &Bound<'_, PyAny>) -> bool {
    value.cast::<PyString>().is_ok_and(|text| text == "all")
}

fn is_number(value: &Bound<'_, PyAny>) -> bool {
    let is_one = value.is_instance_of::<PyInt>() || value.is_instance_of::<PyFloat>();
    is_one && !value.is_instance_of::<PyBool>()
}

/// Whether dicts in dicts have measures outside, and not topics: by their names, or by numbers.
fn has_measures_outside(inner: &[(Bound<'_, PyAny>, Bound<'_, PyDict>)]) -> PyResult<bool> {
    let bytes = |key: &Bound<'_, PyAny>| -> PyResult<Vec<u8>> {
        Ok(encoded(key.cast::<PyString>()?, "surrogatepass")?.as_bytes().to_vec())
    };
    let outer = inner.iter().map(|(key, _)| bytes(key)).collect::<PyResult<Vec<_>>>()?;
    let mut labels = Vec::new();
    for (_, own) in inner {
        for key in own.keys().iter() {
            labels.push(bytes(&key)?);
        }
    }
    labels.sort_unstable();
    labels.dedup();
    let (outer, labels) = (|| outer.iter().map(Vec::as_slice), || labels.iter().map(Vec::as_slice));
    let of_measures = (are_measures(outer()), are_measures(labels()));
    if of_measures.0 != of_measures.1 {
        return Ok(of_measures.0);
    }
    let of_topics = (are_integers(outer()), are_integers(labels()));
    Ok(of_topics.0 != of_topics.1 && !of_topics.0)
}
