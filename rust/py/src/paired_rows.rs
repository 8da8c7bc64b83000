//! PairedRows that have the gold documents of a query and what was found, taken apart to both sides.

use std::collections::HashMap;

use cranfield_core::error::{Error as CoreError, Interface, Kind};
use cranfield_core::read::tables::Role;
use cranfield_core::read::tables::columns::plain_name;
use cranfield_core::score_files::is_space;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyFloat, PyInt, PyList, PyMapping, PyString, PyTuple};

use crate::checks::{Any, shown};
use crate::errors::{Tried, raise};
use crate::ids::encoded;

/// What rows call the documents that should be found.
const GOLD: [&str; 14] = [
    "relevant",
    "relevant_ids",
    "relevant_docs",
    "expected",
    "expected_ids",
    "gold",
    "gold_ids",
    "ground_truth",
    "ground_truth_ids",
    "retrieval_gt",
    "reference_ids",
    "reference_context_ids",
    "reference_contexts",
    "positives",
];

/// What rows call the documents that were found.
const FOUND: [&str; 13] = [
    "retrieved",
    "retrieved_ids",
    "retrieved_context_ids",
    "retrieved_contexts",
    "retrieval_context",
    "contexts",
    "context_ids",
    "predictions",
    "results",
    "hits",
    "docs",
    "documents",
    "ranking",
];

/// What an object with a document calls its text, where it has no id.
const TEXTS: [&str; 3] = ["page_content", "content", "text"];

/// What else rows and objects call ids.
const IDS: [&str; 2] = ["id", "_id"];

/// The longest text that can be an id, in characters.
const LONGEST_ID: usize = 200;

/// What rows call the id of a query; its text is none.
fn topic_names() -> impl Iterator<Item = &'static str> {
    let ids = Role::Topic.usual().iter().copied().filter(|name| !["topic", "query"].contains(name));
    ids.chain(["topic"]).chain(IDS)
}

/// What an object calls the id of a document.
fn document_names() -> impl Iterator<Item = &'static str> {
    let usual = Role::Document.usual().iter().copied();
    usual.filter(|name| !["doc", "document"].contains(name)).chain(IDS)
}

/// Which documents of a row.
#[derive(Clone, Copy, PartialEq, Eq)]
enum RowSide {
    Gold,
    Found,
}

impl RowSide {
    fn name(self) -> &'static str {
        match self {
            RowSide::Gold => "gold",
            RowSide::Found => "found",
        }
    }

    fn known(self) -> &'static [&'static str] {
        match self {
            RowSide::Gold => &GOLD,
            RowSide::Found => &FOUND,
        }
    }
}

/// Where a row is.
#[derive(Clone, Copy)]
struct RowPlace {
    /// Its number among lines or rows; 0 for none.
    number: u64,
    is_line: bool,
}

impl RowPlace {
    fn name(self) -> String {
        format!("{} {}", if self.is_line { "line" } else { "row" }, self.number)
    }
}

/// What is known of one side.
#[derive(Default)]
struct Known<'py> {
    /// The keys that were named.
    named: Option<Vec<String>>,
    /// The key of the first row that has one, and where it is.
    key: Option<(String, RowPlace)>,
    /// Whether ids are text, and where that was seen.
    is_text: Option<(bool, RowPlace)>,
    /// {topic: documents} by key.
    runs: Vec<(String, Bound<'py, PyDict>)>,
}

/// PairedRows that are read so far, by topic.
struct PairedRows<'py> {
    file: Option<String>,
    /// The key of the topic.
    topic: Option<Any<'py>>,
    is_numbered: Option<bool>,
    places: HashMap<String, RowPlace>,
    sides: [Known<'py>; 2],
    /// The keys whose documents are compared by their text.
    texts: Vec<String>,
    /// The keys of the first row.
    first: Vec<String>,
}

impl<'py> PairedRows<'py> {
    /// An error about a row; `way` says what to add for each interface.
    #[cold]
    fn wrong(&self, place: RowPlace, kind: Kind, message: &str, way: Option<RowSide>) -> PyErr {
        let before = if place.is_line || place.number == 0 {
            String::new()
        } else {
            format!("row {}: ", place.number)
        };
        let error = CoreError::for_each(kind, |to| {
            let way = way.map(|side| format!(" with {}", keyword(to, side.name())));
            format!("{before}{message}{}", way.unwrap_or_default())
        });
        let error = match &self.file {
            Some(file) => error.in_file(file),
            None => error,
        };
        raise(&if place.is_line { error.at_line(place.number) } else { error })
    }

    #[cold]
    fn unfit(&self, place: RowPlace, key: &str, expected: &str, found: &Any<'_>) -> PyErr {
        match shown(found) {
            Ok(found) => {
                let message = format!("{key}: expected {expected}, found {found}");
                self.wrong(place, Kind::Fields, &message, None)
            }
            Err(raised) => raised,
        }
    }

    /// Adds a row.
    fn add(&mut self, place: RowPlace, record: &Any<'py>) -> PyResult<()> {
        if record.cast::<PyMapping>().is_err() {
            let way = if record.is_instance_of::<PyList>() {
                "; for lists of documents by topic there is dict(zip(topics, lists))"
            } else {
                ""
            };
            let message = format!("expected an object, found {}{way}", shown(record)?);
            return Err(self.wrong(place, Kind::Fields, &message, None));
        }
        if self.first.is_empty() {
            self.first = all_keys(record)?;
        }
        let topic = self.topic_of(place, record)?;
        // Numbers and texts are different topics.
        let id = format!("{}{}", topic.get_type().name()?, topic.str()?.to_string_lossy());
        if let Some(earlier) = self.places.insert(id, place) {
            let message = format!(
                "expected each topic in one row, found {} again; it is that of {}",
                shown(&topic)?,
                earlier.name()
            );
            return Err(self.wrong(place, Kind::Duplicate, &message, None));
        }
        for side in [RowSide::Gold, RowSide::Found] {
            for key in self.keys_of(side, place, record)? {
                let run = self.run(side, &key, record.py());
                let value = value_of(record, &key)?;
                if !value.is_none() {
                    run.set_item(&topic, self.documents(place, side, &key, &value)?)?;
                }
            }
        }
        Ok(())
    }

    /// What was read under a key; of all keys of gold documents the same.
    fn run(&mut self, side: RowSide, key: &str, py: Python<'py>) -> Bound<'py, PyDict> {
        let key = if side == RowSide::Gold { "" } else { key };
        let runs = &mut self.sides[side as usize].runs;
        let place = runs.iter().position(|(known, _)| known == key).unwrap_or_else(|| {
            runs.push((key.to_owned(), PyDict::new(py)));
            runs.len() - 1
        });
        runs[place].1.clone()
    }

    /// The topic of a row; its number if rows do not name any.
    fn topic_of(&mut self, place: RowPlace, record: &Any<'py>) -> PyResult<Any<'py>> {
        if self.topic.is_none() && self.is_numbered.is_none() {
            let there = plain_keys(record)?;
            for name in topic_names() {
                if let Some(key) = there.get(name)
                    && !record.get_item(key)?.is_none()
                {
                    self.topic = Some(key.clone());
                    break;
                }
            }
            self.is_numbered = Some(self.topic.is_none());
        }
        let Some(key) = &self.topic else {
            return Ok(PyString::new(record.py(), &place.number.to_string()).into_any());
        };
        let key = key.str()?.to_string_lossy().into_owned();
        let topic = value_of(record, &key)?;
        if topic.is_none() || is_empty(&topic) {
            let message = format!("expected a topic under {key}, found {}", shown(&topic)?);
            return Err(self.wrong(place, Kind::Fields, &message, None));
        }
        Ok(topic)
    }

    /// The keys that are named, or the one that has a usual name.
    fn keys_of(
        &mut self,
        side: RowSide,
        place: RowPlace,
        record: &Any<'py>,
    ) -> PyResult<Vec<String>> {
        if let Some(named) = &self.sides[side as usize].named {
            return Ok(named.clone());
        }
        let mut there = Vec::new();
        for key in record.try_iter()? {
            let key = key?.str()?.to_string_lossy().into_owned();
            if side.known().contains(&&*plain_name(&key)) {
                let value = value_of(record, &key)?;
                if !value.is_none() {
                    there.push((key, is_text(&value)));
                }
            }
        }
        // An answer may be called as its documents are.
        if there.len() > 1 && there.iter().any(|(_, is_text)| !is_text) {
            there.retain(|(_, is_text)| !is_text);
        }
        let there: Vec<String> = there.into_iter().map(|(key, _)| key).collect();
        let what = side.name();
        if there.len() > 1 {
            let found = there.join(" and ");
            let message = format!("expected one key of {what} documents, found {found}: name one");
            return Err(self.wrong(place, Kind::Duplicate, &message, Some(side)));
        }
        if let Some(key) = there.first() {
            let (first, at) =
                self.sides[side as usize].key.get_or_insert_with(|| (key.clone(), place));
            if first != key {
                let message = format!(
                    "expected {what} documents under {first} as in {}, found {key}",
                    at.name()
                );
                return Err(self.wrong(place, Kind::Fields, &message, None));
            }
        }
        Ok(there)
    }

    /// The documents under a key: a list of ids, or {id: number}.
    fn documents(
        &mut self,
        place: RowPlace,
        side: RowSide,
        key: &str,
        value: &Any<'py>,
    ) -> PyResult<Any<'py>> {
        let py = value.py();
        if let Ok(mapping) = value.cast::<PyMapping>() {
            let ids = self.ids(place, side, key, mapping.keys()?.iter().collect())?;
            let found = PyDict::new(py);
            for (id, value) in ids.iter().zip(mapping.values()?.iter()) {
                found.set_item(id, value)?;
            }
            return Ok(found.into_any());
        }
        if is_text(value) {
            let found = shown(value)?;
            let message = format!(
                "expected a list of documents as {key}, found the text {found}: name the key of \
                 the documents"
            );
            return Err(self.wrong(place, Kind::Fields, &message, Some(side)));
        }
        let list = |ids: Vec<Any<'py>>| Ok(PyList::new(py, ids)?.into_any());
        if is_id(value) {
            return list(self.ids(place, side, key, vec![value.clone()])?);
        }
        let Some(items) = value.try_iter().tried(py)? else {
            return Err(self.unfit(place, key, "a list of documents", value));
        };
        let items = items.collect::<PyResult<Vec<_>>>()?;
        if side == RowSide::Gold && !items.iter().all(is_id) {
            let grades = items.iter().map(grade_of).collect::<PyResult<Vec<_>>>()?;
            if grades.iter().any(Option::is_some) {
                return self.graded(place, key, items, grades);
            }
            if items.iter().any(is_list) {
                let mut lists = Vec::new();
                for item in items {
                    let one = if is_list(&item) {
                        item.try_iter()?.collect::<PyResult<Vec<_>>>()?
                    } else {
                        vec![item]
                    };
                    lists.push(list(self.ids(place, side, key, one)?)?);
                }
                return list(lists);
            }
        }
        list(self.ids(place, side, key, items)?)
    }

    /// {id: grade} of objects that have both.
    fn graded(
        &mut self,
        place: RowPlace,
        key: &str,
        items: Vec<Any<'py>>,
        grades: Vec<Option<Any<'py>>>,
    ) -> PyResult<Any<'py>> {
        let mut found = None;
        for (item, grade) in items.into_iter().zip(grades) {
            let py = item.py();
            let document = self.ids(place, RowSide::Gold, key, vec![item])?.remove(0);
            let found = found.get_or_insert_with(|| PyDict::new(py));
            let why = match grade {
                None => "no grade, which others have",
                Some(_) if found.contains(&document)? => "two grades",
                Some(grade) => {
                    found.set_item(document, grade)?;
                    continue;
                }
            };
            let message = format!("{key}: {} has {why}", shown(&document)?);
            return Err(self.wrong(place, Kind::Fields, &message, None));
        }
        Ok(found.map_or_else(|| unreachable!("there are grades"), Bound::into_any))
    }

    /// The ids of documents; an error where some are text and some are numbers.
    fn ids(
        &mut self,
        place: RowPlace,
        side: RowSide,
        key: &str,
        items: Vec<Any<'py>>,
    ) -> PyResult<Vec<Any<'py>>> {
        let mut ids = Vec::with_capacity(items.len());
        for item in items {
            let id = self.id(place, key, item)?;
            let is_text = id.cast::<PyString>().is_ok();
            let known = &mut self.sides[side as usize].is_text;
            let (known, earlier) = *known.get_or_insert((is_text, place));
            if known != is_text && is_id(&id) {
                let others = if known { "text" } else { "numbers" };
                let message = format!(
                    "{key}: expected ids that are all text or all whole numbers, found {}, and \
                     {others} in {}",
                    shown(&id)?,
                    earlier.name()
                );
                return Err(self.wrong(place, Kind::Type, &message, None));
            }
            ids.push(id);
        }
        Ok(ids)
    }

    /// The id of a document, also of one that is an object or a text.
    fn id(&mut self, place: RowPlace, key: &str, item: Any<'py>) -> PyResult<Any<'py>> {
        let mut item = item;
        if item.cast::<PyString>().is_err() && item.cast::<PyMapping>().is_ok() {
            let there = plain_keys(&item)?;
            let mut found = None;
            for name in document_names().chain(TEXTS) {
                if let Some(own) = there.get(name) {
                    let value = item.get_item(own)?;
                    if !value.is_none() {
                        found = Some(value);
                        break;
                    }
                }
            }
            let Some(value) = found else {
                let names = document_names().collect::<Vec<_>>().join(", ");
                return Err(self.unfit(
                    place,
                    key,
                    &format!("an object with one of {names}"),
                    &item,
                ));
            };
            item = value;
        }
        if item.is_none() || is_empty(&item) || is_list(&item) {
            return Err(self.unfit(place, key, "documents", &item));
        }
        let Ok(text) = item.cast::<PyString>() else { return Ok(item) };
        if !is_text(&item) && text.len()? <= LONGEST_ID {
            return Ok(item);
        }
        if !self.texts.iter().any(|known| known == key) {
            self.texts.push(key.to_owned());
        }
        let options = PyDict::new(item.py());
        options.set_item("digest_size", 12)?;
        let bytes = encoded(text, "surrogatepass")?;
        let hash = item.py().import("hashlib")?.call_method("blake2b", (bytes,), Some(&options))?;
        let digest = hash.call_method0("hexdigest")?;
        Ok(PyString::new(item.py(), &format!("text-{}", digest.str()?)).into_any())
    }

    /// An error (kind "fields") if no row has documents of a side.
    fn check(&self, side: RowSide) -> PyResult<()> {
        let known = &self.sides[side as usize];
        let empty = known.runs.iter().find(|(_, run)| run.is_empty());
        if !known.runs.is_empty() && empty.is_none() {
            return Ok(());
        }
        let under = match (empty, &known.named) {
            (Some((key, _)), _) if !key.is_empty() => key.clone(),
            (_, Some(named)) => named.join(", "),
            _ => side.known().join(", "),
        };
        let (what, there) = (side.name(), self.first.join(", "));
        let message = format!(
            "expected rows with {what} documents under {under}, found {there}: name the key"
        );
        Err(self.wrong(RowPlace { number: 0, is_line: false }, Kind::Fields, &message, Some(side)))
    }
}

/// How an option is named before its value.
fn keyword(to: Interface, name: &str) -> String {
    match to {
        Interface::Python => format!("{name}="),
        Interface::CommandLine => to.option(name),
    }
}

fn is_list(value: &Any<'_>) -> bool {
    value.is_instance_of::<PyList>() || value.is_instance_of::<PyTuple>()
}

fn is_id(value: &Any<'_>) -> bool {
    value.is_instance_of::<PyString>() || value.is_instance_of::<PyInt>()
}

fn is_empty(value: &Any<'_>) -> bool {
    value.cast::<PyString>().is_ok_and(|text| text == "")
}

/// Whether something is a text, which is no id: it has white space.
fn is_text(value: &Any<'_>) -> bool {
    value.cast::<PyString>().is_ok_and(|text| text.to_string_lossy().contains(is_space))
}

/// The grade that an object has.
fn grade_of<'py>(item: &Any<'py>) -> PyResult<Option<Any<'py>>> {
    if item.cast::<PyDict>().is_err() {
        return Ok(None);
    }
    let there = plain_keys(item)?;
    for name in Role::Grade.usual() {
        if let Some(key) = there.get(*name) {
            let grade = item.get_item(key)?;
            if !grade.is_none() {
                return Ok(Some(grade));
            }
        }
    }
    Ok(None)
}

/// The keys of an object by their names as names are compared.
fn plain_keys<'py>(record: &Any<'py>) -> PyResult<HashMap<String, Any<'py>>> {
    let mut found = HashMap::new();
    for key in record.try_iter()? {
        let key = key?;
        found.insert(plain_name(&key.str()?.to_string_lossy()), key);
    }
    Ok(found)
}

/// The keys of a row, with those of objects in it as they can be named.
fn all_keys(record: &Any<'_>) -> PyResult<Vec<String>> {
    let mut found = Vec::new();
    for key in record.try_iter()? {
        let key = key?;
        let (name, value) = (key.str()?.to_string_lossy().into_owned(), record.get_item(&key)?);
        if value.cast::<PyMapping>().is_err() {
            found.push(name);
            continue;
        }
        for inner in value.try_iter()? {
            found.push(format!("{name}.{}", inner?.str()?));
        }
    }
    Ok(found)
}

/// What a row has under a key, or under a path of keys between dots; `None` for nothing.
fn value_of<'py>(record: &Any<'py>, key: &str) -> PyResult<Any<'py>> {
    let none = || record.py().None().into_bound(record.py());
    let parts = if record.contains(key)? { vec![key] } else { key.split('.').collect() };
    let mut value = record.clone();
    for part in parts {
        value = match value.cast::<PyMapping>() {
            Ok(mapping) if mapping.contains(part)? => mapping.get_item(part)?,
            _ => none(),
        };
    }
    // A frame has NaN where a row has nothing.
    let is_nan = value.cast::<PyFloat>().is_ok_and(|number| number.value().is_nan());
    Ok(if is_nan { none() } else { value })
}

/// {topic: gold documents}, {key: {topic: found documents}}, and the keys whose documents are
/// compared by their text.
type Both<'py> = (Bound<'py, PyDict>, Vec<(String, Bound<'py, PyDict>)>, Vec<String>);

#[doc = stub!("paired_rows")]
#[pyfunction]
#[pyo3(signature = (rows, file, /, *, gold, found, topic))]
pub fn paired_rows<'py>(
    rows: &Any<'py>,
    file: Option<String>,
    gold: Option<String>,
    found: Option<Vec<String>>,
    topic: Option<Any<'py>>,
) -> PyResult<Both<'py>> {
    let named = |named| Known { named, ..Known::default() };
    let mut read = PairedRows {
        file,
        topic,
        is_numbered: None,
        places: HashMap::new(),
        sides: [named(gold.map(|key| vec![key])), named(found)],
        texts: Vec::new(),
        first: Vec::new(),
    };
    for row in rows.try_iter()? {
        let (is_line, number, record) = row?.extract::<(bool, u64, Any<'py>)>()?;
        read.add(RowPlace { number, is_line }, &record)?;
    }
    if read.places.is_empty() {
        let message = "expected rows, found none";
        let place = RowPlace { number: 0, is_line: false };
        return Err(read.wrong(place, Kind::Empty, message, None));
    }
    read.check(RowSide::Gold)?;
    read.check(RowSide::Found)?;
    let [mut gold, found] = read.sides;
    Ok((gold.runs.remove(0).1, found.runs, read.texts))
}
