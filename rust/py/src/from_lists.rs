//! Lists of documents: rankings, and judgments without grades.

use cranfield_core::error::{Error, Kind, quote};
use cranfield_core::hash::hash;
use cranfield_core::qrels::{Builder, Qrels};
use cranfield_core::read::qrels::{CLASS, again};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyFrozenSet, PyInt, PyList, PySet, PyString, PyTuple};

use crate::errors::{OrRaise, Tried, fail, printed, raise, refused};
use crate::ids::Ids;
use crate::values::{in_order, is_mapping, whole_number};

/// The grade of a document that is only listed.
const LISTED: f64 = 1.0;

/// What a topic has in place of a dict: a dict after all, or documents in their order.
pub enum ValuesOrList<'py> {
    /// {document: value}.
    Values(Bound<'py, PyAny>),
    /// Documents, and for judgments classes of them.
    Documents(Vec<Bound<'py, PyAny>>),
}

impl<'py> ValuesOrList<'py> {
    /// What is given for a topic. A set has no order, so it is refused unless `sets` is true.
    pub fn of(given: &Bound<'py, PyAny>, wanted: &str, sets: bool) -> PyResult<Self> {
        if given.is_exact_instance_of::<PyList>() || given.is_exact_instance_of::<PyTuple>() {
            return in_order(given, wanted).map(ValuesOrList::Documents);
        }
        if is_mapping(given)? {
            return Ok(ValuesOrList::Values(given.clone()));
        }
        let py = given.py();
        for of_tables in ["iloc", "columns", "to_pylist"] {
            if given.hasattr(of_tables).tried(py)? == Some(true) {
                let module = py.import("cranfield._io.columns")?;
                let plain = module.call_method1("of_topic", (given, wanted))?;
                return ValuesOrList::of(&plain, wanted, sets);
            }
        }
        let is_set = given.is_instance_of::<PySet>() || given.is_instance_of::<PyFrozenSet>();
        if sets && is_set {
            // In the same order in every process.
            let builtins = py.import("builtins")?;
            let sorted = builtins.call_method1("sorted", (given,)).tried(py)?;
            let listed = sorted.map_or_else(|| builtins.call_method1("list", (given,)), Ok)?;
            return in_order(&listed, wanted).map(ValuesOrList::Documents);
        }
        if let (Ok(text), true) = (given.cast::<PyString>(), sets) {
            let text = printed(text)?;
            let message = format!("expected {wanted}, found text; one document is [{text:?}]");
            return Err(fail(Kind::Type, message));
        }
        in_order(given, wanted).map(ValuesOrList::Documents)
    }
}

/// Calls a function with the bytes of a document in a topic's list; `way` says how values are given.
pub fn with_document<T>(
    ids: &mut Ids,
    document: &Bound<'_, PyAny>,
    topic: &[u8],
    way: &str,
    then: impl FnOnce(&[u8]) -> PyResult<T>,
) -> PyResult<T> {
    let exact =
        document.is_exact_instance_of::<PyString>() || document.is_exact_instance_of::<PyInt>();
    if !exact && !is_text(document) && whole_number(document)?.is_none() {
        return Err(refused(Kind::Type, document, |found| {
            format!(
                "expected documents as str or int in the list of topic {}, found {found}; {way}",
                quote(topic)
            )
        }));
    }
    ids.with(document, then)
}

/// A topic and a document of it.
type TopicDocument = (Box<[u8]>, Box<[u8]>);

/// Judgments from lists: each document has the grade 1.
#[derive(Default)]
pub struct ListedJudgments {
    /// Documents and the classes that they are in.
    classes: Vec<(TopicDocument, f64)>,
    /// How many documents were listed again, and the first of them.
    again: u64,
    first: Option<TopicDocument>,
}

/// What a list of documents is that has more than ids.
const WAY: &str = "grades are given as {document: grade}, classes of equivalent documents as lists";

impl ListedJudgments {
    /// Adds a topic's documents, or classes of them.
    pub fn add(
        &mut self,
        builder: &mut Builder,
        ids: &mut Ids,
        topic: &[u8],
        listed: &[Bound<'_, PyAny>],
    ) -> PyResult<()> {
        let (mut class, mut pairs) = (0.0, 0);
        for item in listed {
            if !is_class(item)? {
                with_document(ids, item, topic, WAY, |document| {
                    self.add_document(builder, topic, document, None)
                })?;
                continue;
            }
            class += 1.0;
            let ValuesOrList::Documents(members) =
                ValuesOrList::of(item, "a class as a list", true)?
            else {
                return Err(wrong(item, topic));
            };
            if let [document, grade] = &members[..] {
                pairs += 1;
                if is_text(document) && !is_text(grade) {
                    return Err(wrong(item, topic));
                }
            }
            for member in &members {
                with_document(ids, member, topic, WAY, |document| {
                    self.add_document(builder, topic, document, Some(class))
                })?;
            }
        }
        if *ids == Ids::Numbers && pairs > 0 && pairs == listed.len() {
            let message = format!(
                "expected documents in the list of topic {}, found pairs of numbers only, which \
                 could be documents and grades or classes of two: give grades as \
                 {{document: grade}}, or classes with documents as text",
                quote(topic)
            );
            return Err(fail(Kind::Type, message));
        }
        Ok(())
    }

    fn add_document(
        &mut self,
        builder: &mut Builder,
        topic: &[u8],
        document: &[u8],
        class: Option<f64>,
    ) -> PyResult<()> {
        builder.make_room(1, document.len()).or_raise()?;
        match builder.add(topic, document, LISTED, &[], 0) {
            Ok(()) => {}
            Err(clash) if clash.grade == LISTED => {
                self.again += 1;
                self.first.get_or_insert_with(|| (topic.into(), document.into()));
            }
            Err(clash) => return Err(raise(&again(clash, topic, document, LISTED))),
        }
        self.classes.extend(class.map(|class| ((topic.into(), document.into()), class)));
        Ok(())
    }

    /// The judgments with their classes; says how many documents were listed again.
    pub fn finish(self, py: Python<'_>, qrels: Qrels) -> PyResult<Qrels> {
        if let Some((topic, document)) = self.first {
            let message = format!(
                "documents listed twice in the judgments of a topic, one kept: {} (first {} of topic {})",
                self.again,
                quote(document),
                quote(topic)
            );
            py.import("cranfield._base.errors")?.call_method1("tell", ((message,),))?;
        }
        if self.classes.is_empty() {
            return Ok(qrels);
        }
        let empty = |topic: usize| vec![f64::NAN; qrels.topics()[topic].docs().len()];
        let mut columns: Vec<Vec<f64>> = (0..qrels.topics().len()).map(empty).collect();
        for ((topic, document), class) in &self.classes {
            let Some(position) = qrels.position(topic) else { continue };
            let docs = qrels.topics()[position].docs();
            let Some(number) = docs.get(hash(qrels.seed(), document), document) else { continue };
            let known = &mut columns[position][number as usize];
            if !known.is_nan() && *known != *class {
                return Err(raise(&two_classes(topic, document)));
            }
            *known = *class;
        }
        Ok(qrels.with_column(CLASS, columns))
    }
}

#[cold]
fn two_classes(topic: &[u8], document: &[u8]) -> Error {
    let (topic, document) = (quote(topic), quote(document));
    let message =
        format!("expected a document in one class, found {document} in two of topic {topic}");
    Error::new(Kind::Conflict, message)
}

fn is_text(item: &Bound<'_, PyAny>) -> bool {
    item.is_instance_of::<PyString>()
}

/// Whether an item of a list is several documents. A tuple could be a document and its grade.
fn is_class(item: &Bound<'_, PyAny>) -> PyResult<bool> {
    if is_text(item) || item.is_instance_of::<PyInt>() {
        return Ok(false);
    }
    let alone = item.is_instance_of::<PyTuple>() || item.is_instance_of::<PyBytes>();
    Ok(!alone
        && !is_mapping(item)?
        && item.hasattr("__iter__").tried(item.py())? == Some(true)
        && whole_number(item)?.is_none())
}

#[cold]
fn wrong(item: &Bound<'_, PyAny>, topic: &[u8]) -> PyErr {
    refused(Kind::Type, item, |found| {
        format!("expected documents in the list of topic {}, found {found}; {WAY}", quote(topic))
    })
}
