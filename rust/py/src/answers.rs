//! Answers and battles in objects of JSON: what stands under their keys, or why that cannot be.
//!
//! A place is the line that an object is on: Python's `Line`, which makes the errors.

use std::collections::HashMap;

use cranfield_core::error::Kind;
use cranfield_core::read::tables::Role;
use cranfield_core::score_files::is_space;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PySet, PySlice, PyString, PyTuple};

use crate::errors::fail;

/// The keys of runs.
const RUN: [&str; 4] = ["run_id", "runtag", "run", "run_tag"];

/// How many characters of a text a message shows.
const SHOWN: isize = 60;

/// The keys of what is an id of a topic wherever it is found.
fn topic_ids() -> impl Iterator<Item = &'static str> + Clone {
    Role::Topic.usual().iter().copied().filter(|name| !["topic", "query"].contains(name))
}

/// A value for a message.
fn shown(value: &Bound<'_, PyAny>) -> PyResult<String> {
    let errors = value.py().import("cranfield._base.errors")?;
    errors.call_method1("shown", (value,))?.extract()
}

/// The beginning of a text, for a message.
fn beginning(text: &Bound<'_, PyString>) -> PyResult<String> {
    let part = text.get_item(PySlice::new(text.py(), 0, SHOWN, 1))?;
    Ok(part.repr()?.to_string_lossy().into_owned())
}

fn is_whole(value: &Bound<'_, PyAny>) -> bool {
    value.is_instance_of::<PyInt>() && !value.is_instance_of::<PyBool>()
}

/// The line of an object, which makes errors about it.
struct ObjectPlace<'a, 'py>(&'a Bound<'py, PyAny>);

impl<'py> ObjectPlace<'_, 'py> {
    #[cold]
    fn made(&self, method: &str, arguments: impl pyo3::call::PyCallArgs<'py>) -> PyErr {
        self.0.call_method1(method, arguments).map_or_else(|raised| raised, PyErr::from_value)
    }

    #[cold]
    fn error(&self, kind: Kind, message: &str) -> PyErr {
        self.made("error", (kind.name(), message))
    }

    #[cold]
    fn wrong(&self, key: &str, expected: &str, found: &Bound<'py, PyAny>) -> PyErr {
        self.made("wrong", (key, expected, found))
    }

    /// The error for an object that lacks some keys.
    #[cold]
    fn missing(&self, keys: &[&str], record: &Bound<'py, PyDict>) -> PyErr {
        self.made("missing", (keys, record))
    }

    #[cold]
    fn unknown(&self, key: &str, known: &[String], found: &Bound<'py, PyAny>) -> PyErr {
        self.made("unknown", (key, known, found))
    }

    /// The text under one of some keys, of an object or of its metadata.
    fn label(
        &self,
        record: &Bound<'py, PyDict>,
        keys: impl Iterator<Item = &'static str> + Clone,
    ) -> PyResult<Option<Bound<'py, PyString>>> {
        let metadata = record.get_item("metadata")?;
        let metadata = metadata.as_ref().and_then(|part| part.cast::<PyDict>().ok());
        let mut found: Option<(String, Bound<'py, PyString>)> = None;
        for (prefix, part) in [("", Some(record)), ("metadata.", metadata)] {
            let Some(part) = part else { continue };
            for key in keys.clone() {
                let Some(value) = part.get_item(key)?.filter(|value| !value.is_none()) else {
                    continue;
                };
                let name = format!("{prefix}{key}");
                let text = if is_whole(&value) { value.str()?.into_any() } else { value };
                let Some(text) =
                    text.cast::<PyString>().ok().filter(|text| !text.is_empty().unwrap_or(false))
                else {
                    return Err(self.wrong(&name, "text or a whole number", &text));
                };
                match &found {
                    None => found = Some((name, text.clone())),
                    Some((_, known)) if known.as_any().eq(text)? => {}
                    Some((first, known)) => {
                        let (one, other) = (shown(known)?, shown(text)?);
                        let message = format!("{first} is {one}, {name} is {other}");
                        return Err(self.error(Kind::Conflict, &message));
                    }
                }
            }
        }
        Ok(found.map(|(_, text)| text))
    }

    /// The topic of an object: its id, or what it calls `topic` if it has no id.
    fn topic(&self, record: &Bound<'py, PyDict>) -> PyResult<Bound<'py, PyString>> {
        if let Some(topic) = self.label(record, topic_ids())? {
            return Ok(topic);
        }
        if let Some(topic) = self.label(record, ["topic"].into_iter())? {
            return Ok(topic);
        }
        let keys: Vec<&str> = topic_ids().chain(["topic"]).collect();
        Err(self.missing(&keys, record))
    }

    /// The objects in the list under the first of some keys that is there, and that key.
    fn listed(
        &self,
        record: &Bound<'py, PyDict>,
        keys: &[&'static str],
    ) -> PyResult<(&'static str, Vec<Bound<'py, PyDict>>)> {
        for key in keys {
            let Some(items) = record.get_item(key)? else { continue };
            let Ok(items) = items.cast::<PyList>() else {
                return Err(self.wrong(key, "a list", &items));
            };
            let mut found = Vec::new();
            for (number, item) in items.iter().enumerate() {
                found.push(item.cast_into().map_err(|error| {
                    self.wrong(&format!("{key}[{number}]"), "an object", &error.into_inner())
                })?);
            }
            return Ok((key, found));
        }
        Err(self.missing(keys, record))
    }

    /// What an item of a list has under a name.
    fn entry(
        &self,
        item: &Bound<'py, PyDict>,
        name: &str,
        key: &str,
    ) -> PyResult<Bound<'py, PyAny>> {
        let missing = || self.error(Kind::Fields, &format!("{key}: expected the key {name}"));
        item.get_item(name)?.ok_or_else(missing)
    }
}

#[doc = stub!("answered")]
#[pyfunction]
#[pyo3(signature = (record, place, /))]
pub fn answered<'py>(
    record: &Bound<'py, PyDict>,
    place: &Bound<'py, PyAny>,
) -> PyResult<(Option<Bound<'py, PyString>>, Bound<'py, PyString>)> {
    let place = ObjectPlace(place);
    let (run, topic) = (place.label(record, RUN.into_iter())?, place.topic(record)?);
    if topic.to_str().is_err() {
        return Err(place.wrong("the topic", "text that can be written as UTF-8", &topic));
    }
    Ok((run, topic))
}

#[doc = stub!("AnswerLabels")]
#[pyclass(module = "cranfield._core")]
pub struct AnswerLabels {
    known: Vec<String>,
    lowest: String,
    is_refused: bool,
    /// Whether "Partially satisfied" is `partially_satisfied`.
    is_spaced: bool,
    unknown: HashMap<String, u64>,
}

#[pymethods]
impl AnswerLabels {
    #[new]
    #[pyo3(signature = (known, lowest, /, *, refused, spaced = false))]
    fn new(known: Vec<String>, lowest: String, refused: bool, spaced: bool) -> Self {
        let unknown = HashMap::new();
        AnswerLabels { known, lowest, is_refused: refused, is_spaced: spaced, unknown }
    }

    #[doc = stub!("AnswerLabels.of")]
    #[pyo3(signature = (found, key, place = None, /))]
    fn of(
        &mut self,
        found: &Bound<'_, PyAny>,
        key: &str,
        place: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<String> {
        let mut found = found.clone();
        if self.is_spaced && found.is_instance_of::<PyString>() {
            found = found.call_method0("strip")?.call_method0("lower")?;
            found = found.call_method1("replace", (" ", "_"))?;
        }
        let text = found.cast::<PyString>().ok().and_then(|text| text.to_str().ok());
        if let Some(text) = text
            && self.known.iter().any(|known| known == text)
        {
            return Ok(text.to_string());
        }
        let name = shown(&found)?;
        if self.is_refused {
            let (known, lowest) = (self.known.join(", "), &self.lowest);
            let before = format!("{key}: expected one of {known}; found {name};");
            let after = format!("counts such labels as {lowest}");
            let message = format!("{before} unknown_labels=\"{lowest}\" {after}");
            let flags = format!("{before} --unknown-labels {lowest} {after}");
            let keywords = PyDict::new(found.py());
            keywords.set_item("command_line", flags)?;
            let arguments = (Kind::Option.name(), message);
            let error = if let Some(place) = place {
                place.call_method("error", arguments, Some(&keywords))?
            } else {
                let errors = found.py().import("cranfield._base.errors")?;
                errors.call_method("failure", arguments, Some(&keywords))?
            };
            return Err(PyErr::from_value(error));
        }
        *self.unknown.entry(name).or_default() += 1;
        Ok(self.lowest.clone())
    }

    #[doc = stub!("AnswerLabels.unknown")]
    #[getter]
    fn unknown(&self) -> Vec<(String, u64)> {
        let mut found: Vec<(String, u64)> =
            self.unknown.iter().map(|(name, number)| (name.clone(), *number)).collect();
        found.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        found
    }
}

/// The text of a nugget.
fn nugget_text<'py>(
    place: &ObjectPlace<'_, 'py>,
    nugget: &Bound<'py, PyDict>,
    key: &str,
) -> PyResult<Bound<'py, PyString>> {
    let text =
        nugget.get_item("text")?.unwrap_or_else(|| nugget.py().None().into_bound(nugget.py()));
    text.cast_into()
        .map_err(|error| place.wrong(&format!("{key}.text"), "text", &error.into_inner()))
}

/// The importance of a nugget that has it.
fn nugget_importance(
    place: &ObjectPlace<'_, '_>,
    nugget: &Bound<'_, PyDict>,
    key: &str,
    known: &[String],
) -> PyResult<String> {
    let Some(found) = nugget.get_item("importance")? else {
        let message = "expected the key importance; without it name the bank of nuggets";
        return Err(place.error(Kind::Fields, &format!("{key}: {message}")));
    };
    let text = found.cast::<PyString>().ok().and_then(|text| text.to_str().ok());
    match text.filter(|text| known.iter().any(|word| word == text)) {
        Some(text) => Ok(text.to_string()),
        None => Err(place.unknown(&format!("{key}.importance"), known, &found)),
    }
}

/// A topic, and the text and the importance of each of its nuggets.
type TopicNuggets<'py> = (Bound<'py, PyString>, Vec<(Bound<'py, PyString>, String)>);

#[doc = stub!("nuggets_of_bank")]
#[pyfunction]
#[pyo3(signature = (record, place, importance, /))]
pub fn nuggets_of_bank<'py>(
    record: &Bound<'py, PyDict>,
    place: &Bound<'py, PyAny>,
    importance: Vec<String>,
) -> PyResult<TopicNuggets<'py>> {
    let place = ObjectPlace(place);
    let topic = place.topic(record)?;
    let mut found = Vec::new();
    for (number, nugget) in place.listed(record, &["nuggets"])?.1.iter().enumerate() {
        let key = format!("nuggets[{number}]");
        let text = nugget_text(&place, nugget, &key)?;
        found.push((text, nugget_importance(&place, nugget, &key, &importance)?));
    }
    Ok((topic, found))
}

/// The importance of the nuggets of a topic in a bank: of those that were assigned, and no others.
fn of_bank<'py>(
    place: &ObjectPlace<'_, 'py>,
    bank: &Bound<'py, PyDict>,
    topic: &Bound<'py, PyString>,
    nuggets: &[Bound<'py, PyDict>],
) -> PyResult<Vec<String>> {
    let Some(known) = bank.get_item(topic)? else {
        let message = format!("the bank has no nuggets of topic {}", topic.repr()?);
        return Err(place.error(Kind::Label, &message));
    };
    let known = known.cast_into::<PyDict>()?;
    let (texts, mut found) = (PySet::empty(bank.py())?, Vec::new());
    for (number, nugget) in nuggets.iter().enumerate() {
        let key = format!("nuggets[{number}]");
        let text = nugget_text(place, nugget, &key)?;
        let Some(importance) = known.get_item(&text)? else {
            let message = format!("{key}.text is not in the bank: {}", beginning(&text)?);
            return Err(place.error(Kind::Label, &message));
        };
        found.push(importance.extract()?);
        texts.add(text)?;
    }
    for text in known.keys() {
        if !texts.contains(&text)? {
            let text = beginning(text.cast()?)?;
            let message = format!("no assignment of the nugget {text} of the bank");
            return Err(place.error(Kind::Label, &message));
        }
    }
    Ok(found)
}

#[doc = stub!("assigned_nuggets")]
#[pyfunction]
#[pyo3(signature = (record, topic, place, importance, labels, bank, /))]
pub fn assigned_nuggets<'py>(
    record: &Bound<'py, PyDict>,
    topic: &Bound<'py, PyString>,
    place: &Bound<'py, PyAny>,
    importance: Vec<String>,
    labels: &Bound<'py, AnswerLabels>,
    bank: Option<&Bound<'py, PyDict>>,
) -> PyResult<Vec<(String, String)>> {
    let line = ObjectPlace(place);
    let (_, nuggets) = line.listed(record, &["nuggets"])?;
    let known = bank.map(|bank| of_bank(&line, bank, topic, &nuggets)).transpose()?;
    let mut found = Vec::new();
    for (number, nugget) in nuggets.iter().enumerate() {
        let key = format!("nuggets[{number}]");
        let own = match &known {
            Some(known) => known[number].clone(),
            None => nugget_importance(&line, nugget, &key, &importance)?,
        };
        let held = line.entry(nugget, "assignment", &key)?;
        let held = labels.borrow_mut().of(&held, &format!("{key}.assignment"), Some(place))?;
        found.push((own, held));
    }
    Ok(found)
}

#[doc = stub!("judged_criteria")]
#[pyfunction]
#[pyo3(signature = (record, place, labels, /))]
pub fn judged_criteria<'py>(
    record: &Bound<'py, PyDict>,
    place: &Bound<'py, PyAny>,
    labels: &Bound<'py, AnswerLabels>,
) -> PyResult<Vec<(f64, String, Bound<'py, PyString>)>> {
    let line = ObjectPlace(place);
    let (name, criteria) = line.listed(record, &["criteria", "rubrics"])?;
    let mut found = Vec::new();
    for (number, criterion) in criteria.iter().enumerate() {
        let key = format!("{name}[{number}]");
        let weight = line.entry(criterion, "weight", &key)?;
        let verdict = line.entry(criterion, "verdict", &key)?;
        let is_number = is_whole(&weight) || weight.is_instance_of::<PyFloat>();
        let number = if is_number { weight.extract::<f64>()? } else { f64::NAN };
        if !number.is_finite() {
            let found = weight.repr()?;
            let message = format!("{key}.weight: expected a finite number, found {found}");
            return Err(line.error(Kind::Number, &message));
        }
        let tier = match criterion.get_item("tier")?.filter(|tier| !tier.is_none()) {
            None => PyString::new(record.py(), ""),
            Some(tier) => tier
                .cast_into()
                .map_err(|error| line.wrong(&format!("{key}.tier"), "text", &error.into_inner()))?,
        };
        let key = format!("{key}.verdict");
        found.push((number, labels.borrow_mut().of(&verdict, &key, Some(place))?, tier));
    }
    Ok(found)
}

/// The number of a citation that was not judged.
const UNJUDGED: i32 = -1;

/// The words for support, and their numbers.
const SUPPORT: [(&str, i32); 4] =
    [("full", 2), ("partial", 1), ("none", 0), ("unjudged", UNJUDGED)];

/// The labels of judgments: full, partial and no support.
const LABELS: [(&str, i32); 3] = [("FS", 2), ("PS", 1), ("NS", 0)];

/// The keys of the sentences of an answer.
const SENTENCES: [&str; 4] = ["sentences", "answer", "responses", "response"];

/// The number that is written for support, if it is known.
fn number_of(support: &Bound<'_, PyAny>) -> Option<i32> {
    if support.is_none() {
        return Some(UNJUDGED);
    }
    let Ok(text) = support.cast::<PyString>() else {
        let is_number = !support.is_instance_of::<PyBool>() && support.hash().is_ok();
        let mut numbers = SUPPORT.iter().map(|(_, number)| *number).filter(|_| is_number);
        return numbers.find(|number| support.eq(number).unwrap_or(false));
    };
    let Ok(text) = text.to_str() else { return None };
    let known = |text: &str| {
        let words = SUPPORT.iter().chain(&LABELS).chain(&[("no", 0)]);
        let word =
            words.copied().find(|(word, number)| *word == text || number.to_string() == text);
        word.map(|(_, number)| number)
    };
    let plain = text.trim_matches(is_space).to_lowercase().replace('_', " ");
    known(text).or_else(|| known(plain.strip_suffix(" support").unwrap_or(&plain)))
}

#[doc = stub!("support_number")]
#[pyfunction]
#[pyo3(signature = (support, key, place = None, /))]
pub fn support_number(
    support: &Bound<'_, PyAny>,
    key: &str,
    place: Option<&Bound<'_, PyAny>>,
) -> PyResult<i32> {
    if let Some(number) = number_of(support) {
        return Ok(number);
    }
    let words = SUPPORT.iter().map(|(word, _)| (*word).to_string());
    let words: Vec<String> = words.chain(SUPPORT.iter().map(|(_, n)| n.to_string())).collect();
    let found = shown(support)?;
    let message = format!("{key}: expected one of {}; found {found}", words.join(", "));
    Err(match place {
        None => fail(Kind::Option, message),
        Some(place) => ObjectPlace(place).error(Kind::Option, &message),
    })
}

#[doc = stub!("supported_sentences")]
#[pyfunction]
#[pyo3(signature = (record, place, /))]
pub fn supported_sentences<'py>(
    record: &Bound<'py, PyDict>,
    place: &Bound<'py, PyAny>,
) -> PyResult<Vec<Vec<i32>>> {
    let line = ObjectPlace(place);
    let (name, sentences) = line.listed(record, &SENTENCES)?;
    let mut found = Vec::new();
    for (number, sentence) in sentences.iter().enumerate() {
        let key = format!("{name}[{number}]");
        let cited = line.entry(sentence, "citations", &key)?;
        let key = format!("{key}.citations");
        let Ok(cited) = cited.cast::<PyList>() else {
            return Err(line.wrong(&key, "a list", &cited));
        };
        let mut own = Vec::new();
        for (number, citation) in cited.iter().enumerate() {
            let key = format!("{key}[{number}]");
            let support = match citation.cast::<PyDict>() {
                Ok(citation) => line.entry(citation, "support", &key)?,
                Err(_) => citation.clone(),
            };
            own.push(support_number(&support, &format!("{key}.support"), Some(place))?);
        }
        found.push(own);
    }
    Ok(found)
}

#[doc = stub!("cited_sentences")]
#[pyfunction]
#[pyo3(signature = (record, place, /))]
pub fn cited_sentences<'py>(
    record: &Bound<'py, PyDict>,
    place: &Bound<'py, PyAny>,
) -> PyResult<Vec<Vec<i32>>> {
    let line = ObjectPlace(place);
    let (name, sentences) = line.listed(record, &SENTENCES)?;
    let references = match record.get_item("references")?.filter(|found| !found.is_none()) {
        None => 0,
        Some(found) => match found.cast::<PyList>() {
            Ok(references) => references.len(),
            Err(_) => return Err(line.wrong("references", "a list", &found)),
        },
    };
    let mut found = Vec::new();
    for (number, sentence) in sentences.iter().enumerate() {
        let key = format!("{name}[{number}].citations");
        let Some(cited) = sentence.get_item("citations")? else {
            found.push(Vec::new());
            continue;
        };
        if !cited.is_instance_of::<PyList>() && !cited.is_instance_of::<PyDict>() {
            return Err(line.wrong(&key, "a list", &cited));
        }
        let mut own = Vec::new();
        for citation in cited.try_iter()? {
            let (citation, key) = (citation?, format!("{key}[{}]", own.len()));
            if is_whole(&citation) {
                if !citation.extract::<usize>().is_ok_and(|place| place < references) {
                    let message = format!("there are {references} references, found the place");
                    let message = format!("{key}: {message} {citation}");
                    return Err(line.error(Kind::Label, &message));
                }
            } else if !citation.is_instance_of::<PyString>() && !citation.is_instance_of::<PyDict>()
            {
                let expected = "a place in the references or a document";
                return Err(line.wrong(&key, expected, &citation));
            }
            own.push(UNJUDGED);
        }
        found.push(own);
    }
    Ok(found)
}

/// The place of what a judgment is about, a sentence or a citation, of so many.
fn index_of(
    line: &ObjectPlace<'_, '_>,
    what: &str,
    record: &Bound<'_, PyDict>,
    known: usize,
) -> PyResult<usize> {
    let key = format!("{what}_index");
    let metadata = record.get_item("metadata")?;
    let metadata = metadata.as_ref().and_then(|metadata| metadata.cast::<PyDict>().ok());
    let number = metadata.map(|metadata| metadata.get_item(&key)).transpose()?.flatten();
    let number = number.unwrap_or_else(|| record.py().None().into_bound(record.py()));
    if !is_whole(&number) {
        return Err(line.wrong(&format!("metadata.{key}"), "a whole number", &number));
    }
    number.extract::<usize>().ok().filter(|place| *place < known).ok_or_else(|| {
        let message = format!("there are {known} {what}s, found the place {number}");
        line.error(Kind::Label, &format!("metadata.{key}: {message}"))
    })
}

#[doc = stub!("judge_citation")]
#[pyfunction]
#[pyo3(signature = (held, seen, record, place, /))]
pub fn judge_citation<'py>(
    held: &Bound<'py, PyDict>,
    seen: &Bound<'py, PySet>,
    record: &Bound<'py, PyDict>,
    place: &Bound<'py, PyAny>,
) -> PyResult<()> {
    let line = ObjectPlace(place);
    let Some(run) = line.label(record, RUN.into_iter())? else {
        let keys = RUN.map(|key| format!("metadata.{key}"));
        return Err(line.missing(&keys.each_ref().map(|key| &**key), record));
    };
    let topic = line.topic(record)?;
    let about = || -> PyResult<String> {
        Ok(format!("of run {} on topic {}", shown(&run)?, shown(&topic)?))
    };
    let Some(answer) = held.get_item((&run, &topic))? else {
        let message = format!("a judgment {}, of which there is no answer", about()?);
        return Err(line.error(Kind::Label, &message));
    };
    let sentences = answer.get_item(1)?.cast_into::<PyList>()?;
    let sentence = index_of(&line, "sentence", record, sentences.len())?;
    let cited = sentences.get_item(sentence)?.cast_into::<PyList>()?;
    let citation = index_of(&line, "citation", record, cited.len())?;
    let cell = (&run, &topic, sentence, citation);
    if seen.contains(cell)? {
        let message = format!("a second judgment of citation {citation} of sentence {sentence}");
        return Err(line.error(Kind::Duplicate, &format!("{message} {}", about()?)));
    }
    seen.add(cell)?;
    let support = record.get_item("support_label")?.filter(|support| !support.is_none());
    let (Some(support), true) = (support, is_completed(record)?) else { return Ok(()) };
    let label = LABELS.iter().find(|(label, _)| support.eq(label).unwrap_or(false));
    let Some((_, number)) = label else {
        return Err(line.unknown(
            "support_label",
            &LABELS.map(|(label, _)| label.into()),
            &support,
        ));
    };
    cited.set_item(citation, number)
}

/// Whether what an object is about was completed, which it is if nothing is said.
fn is_completed(record: &Bound<'_, PyDict>) -> PyResult<bool> {
    record.get_item("status")?.map_or(Ok(true), |status| status.eq("completed"))
}

/// The verdicts of `RAGDoll` that are ties, in any of its versions.
const TIES: [&str; 4] = ["Tie", "Both Good", "Both Bad", "Tie (Both Bad)"];

/// The words for winners in the arena's files, and which of the two is meant.
const WINNERS: [(&str, Option<usize>); 9] = [
    ("model_a", Some(0)),
    ("model_b", Some(1)),
    ("a", Some(0)),
    ("b", Some(1)),
    ("tie", None),
    ("tie (bothbad)", None),
    ("tie (both bad)", None),
    ("both_bad", None),
    ("bothbad", None),
];

/// Two runs, and the one of them that was preferred.
type Battle<'py> = [Option<Bound<'py, PyAny>>; 3];

/// A battle, or why it does not count.
type Fought<'py> = Result<Battle<'py>, &'static str>;

/// A run as text, once in memory.
fn run_of<'py>(
    line: &ObjectPlace<'_, 'py>,
    value: &Bound<'py, PyAny>,
    key: &str,
) -> PyResult<Bound<'py, PyAny>> {
    let text = if is_whole(value) { value.str()?.into_any() } else { value.clone() };
    match text.cast::<PyString>() {
        Ok(run) if !run.is_empty()? => interned(run),
        _ => Err(line.wrong(key, "a run as text", value)),
    }
}

fn interned<'py>(text: &Bound<'py, PyString>) -> PyResult<Bound<'py, PyAny>> {
    text.py().import("sys")?.call_method1("intern", (text,))
}

impl<'py> ObjectPlace<'_, 'py> {
    fn check_apart(&self, a: &Bound<'py, PyAny>, b: &Bound<'py, PyAny>) -> PyResult<()> {
        if !a.eq(b)? {
            return Ok(());
        }
        let message = format!("expected two runs, found {} on both sides", a.repr()?);
        Err(self.error(Kind::Duplicate, &message))
    }

    /// A battle as the arena writes it.
    fn of_arena(&self, record: &Bound<'py, PyDict>) -> PyResult<Fought<'py>> {
        let under = |key: &str| {
            let found = record.get_item(key)?;
            found.ok_or_else(|| self.missing(&[key], record))
        };
        let (a, b, winner) = (under("model_a")?, under("model_b")?, under("winner")?);
        let (a, b) = (run_of(self, &a, "model_a")?, run_of(self, &b, "model_b")?);
        self.check_apart(&a, &b)?;
        let text = winner.cast::<PyString>().ok().and_then(|text| text.to_str().ok());
        let word = text.map(str::to_lowercase);
        let known = WINNERS.iter().find(|(known, _)| word.as_deref() == Some(known));
        let Some((_, side)) = known else {
            return Err(self.unknown("winner", &WINNERS.map(|(word, _)| word.into()), &winner));
        };
        let won = side.map(|side| if side == 0 { a.clone() } else { b.clone() });
        Ok(Ok([Some(a), Some(b), won]))
    }

    /// A battle as `RAGDoll` or the arena write it.
    fn battle(&self, record: &Bound<'py, PyDict>) -> PyResult<Fought<'py>> {
        let Some(pair) = record.get_item("pair")? else {
            if record.contains("model_a")? {
                return self.of_arena(record);
            }
            return Err(self.missing(&["pair", "model_a"], record));
        };
        if !is_completed(record)? {
            let status = record.get_item("status")?;
            if let Some(status) = status.filter(|status| !status.is_instance_of::<PyString>()) {
                return Err(self.wrong("status", "text", &status));
            }
            return Ok(Err("not completed"));
        }
        let two = pair.cast::<PyList>().ok().filter(|pair| pair.len() == 2);
        let Some(two) = two else { return Err(self.wrong("pair", "two runs", &pair)) };
        let a = run_of(self, &two.get_item(0)?, "pair[0]")?;
        let b = run_of(self, &two.get_item(1)?, "pair[1]")?;
        let (verdict, preferred) = ("judge_verdict", "preferred_run_id");
        let (said, chosen) = (record.get_item(verdict)?, record.get_item(preferred)?);
        if said.is_none() && chosen.is_none() {
            return Err(self.missing(&[verdict, preferred], record));
        }
        let said = said.filter(|said| !said.is_none());
        let text = said.as_ref().and_then(|said| said.extract::<String>().ok());
        if let Some(said) = &said {
            let known = ["A", "B"].into_iter().chain(TIES);
            if !known.clone().any(|word| text.as_deref() == Some(word)) {
                return Err(self.unknown(
                    verdict,
                    &known.map(String::from).collect::<Vec<_>>(),
                    said,
                ));
            }
        }
        let chosen = chosen.filter(|chosen| !chosen.is_none());
        let chosen = chosen.map(|chosen| run_of(self, &chosen, preferred)).transpose()?;
        self.check_apart(&a, &b)?;
        let is_one = match &chosen {
            Some(chosen) => chosen.eq(&a)? || chosen.eq(&b)?,
            None => false,
        };
        if let (Some(text), Some(said)) = (text.filter(|text| TIES.contains(&&**text)), &said) {
            if let (true, Some(chosen)) = (is_one, &chosen) {
                let (said, chosen) = (said.repr()?, chosen.repr()?);
                let message = format!("{verdict} is {said}, and {preferred} is {chosen}");
                return Err(self.error(Kind::Fields, &format!("{message}: which of them holds?")));
            }
            drop(text);
            return Ok(Ok([Some(a), Some(b), None]));
        }
        Ok(if is_one { Ok([Some(a), Some(b), chosen]) } else { Err("without a preference") })
    }
}

#[doc = stub!("battle_of")]
#[pyfunction]
#[pyo3(signature = (record, place, /, *, arena, by_topic))]
pub fn battle_of<'py>(
    record: &Bound<'py, PyDict>,
    place: &Bound<'py, PyAny>,
    arena: bool,
    by_topic: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let (py, line) = (record.py(), ObjectPlace(place));
    match if arena { line.of_arena(record)? } else { line.battle(record)? } {
        Err(why) => Ok(PyString::intern(py, why).into_any()),
        Ok(battle) => {
            let mut parts = battle.to_vec();
            if by_topic {
                parts.push(Some(interned(&line.topic(record)?)?));
            }
            Ok(PyTuple::new(py, parts)?.into_any())
        }
    }
}
