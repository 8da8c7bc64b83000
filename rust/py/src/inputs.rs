//! Python objects to judgments and runs.
//!
//! Ids are text; whole numbers become decimal text; a mixture is refused,
//! since 1 and "1" would silently become one document. Everything a user can
//! get wrong here is an error that names the topic and the document.

use std::collections::HashMap;
use std::io::{self, Read};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use cranfield_core::bytes::hash;
use cranfield_core::error::{Error, Kind, Result, quote};
use cranfield_core::evaluate::{Evaluator, Joiner, Ranked};
use cranfield_core::intents::Weights;
use cranfield_core::qrels::{Builder, Qrels, Topic};
use cranfield_core::rank::{Lines, Run};
use cranfield_core::read::lines::LineReader;
use cranfield_core::read::qrels::{CLASS, COST, INCLUSION, again, check_cost, check_inclusion};
use cranfield_core::read::run::is_rank;
use cranfield_core::read::{Limits, Source};
use numpy::{IntoPyArray, PyArray1};
use pyo3::exceptions::{PyException, PyTypeError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyDict, PyFloat, PyInt, PyString, PyTuple};

use crate::dict::{Judged, MANY, Walk};
use crate::errors::{OrRaise, Tried, fail, instead, raise};
use crate::names::Names;

/// What ids of one level were so far, to notice a mixture.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Ids {
    Unknown,
    Text,
    Numbers,
}

impl Ids {
    fn expect(&mut self, found: Ids, id: &Bound<'_, PyAny>) -> PyResult<()> {
        if *self == Ids::Unknown {
            *self = found;
        }
        if *self == found {
            return Ok(());
        }
        Err(refused(Kind::Type, id, |found| {
            format!("expected ids that are all text or all whole numbers, found both: {found}")
        }))
    }

    /// Calls a function that reads a dict of plain text where it stands, and
    /// returns how many keys it has, unless ids are known to be numbers.
    fn plain(
        &mut self,
        dict: &Bound<'_, PyAny>,
        read: impl FnOnce(&Bound<'_, PyDict>) -> Option<usize>,
    ) -> bool {
        if *self == Ids::Numbers {
            return false;
        }
        let count = dict.cast::<PyDict>().ok().and_then(read);
        if count > Some(0) {
            *self = Ids::Text;
        }
        count.is_some()
    }

    /// Reads a topic's list {document: score}.
    fn list(&mut self, scored: &Bound<'_, PyAny>, topic: &[u8], lines: &mut Lines) -> PyResult<()> {
        each_item(scored, "a topic's list as {document: score}", |document, score| {
            self.with(document, |document| {
                lines.push(document, number(score, "score", topic, document)?);
                Ok(())
            })
        })
    }

    /// Calls a function with the bytes of an id.
    pub fn with<T>(
        &mut self,
        id: &Bound<'_, PyAny>,
        then: impl FnOnce(&[u8]) -> PyResult<T>,
    ) -> PyResult<T> {
        if let Ok(text) = id.cast::<PyString>() {
            self.expect(Ids::Text, id)?;
            if let Ok(text) = text.to_str() {
                return then(text.as_bytes());
            }
            // Text read from a file that is not UTF-8 carries its bytes as
            // lone surrogates; others stand for nothing.
            let encoded = encoded(text, "surrogateescape").map_err(|raised| {
                instead(id.py(), raised, || {
                    refused(Kind::Type, id, |found| {
                        format!("expected an id that is text, found {found}")
                    })
                })
            });
            return then(encoded?.as_bytes());
        }
        // Nearly always; a bool is an int of another type.
        if let Ok(number) = id.cast_exact::<PyInt>() {
            self.expect(Ids::Numbers, id)?;
            return then(digits(number)?.to_str()?.as_bytes());
        }
        let Some(number) = whole_number(id)? else {
            return Err(refused(Kind::Type, id, |found| {
                format!("expected an id as str or int, found {found}")
            }));
        };
        self.expect(Ids::Numbers, id)?;
        then(digits(&number)?.to_str()?.as_bytes())
    }
}

/// The bytes of text, whatever methods its class has.
pub fn encoded<'py>(text: &Bound<'py, PyString>, errors: &str) -> PyResult<Bound<'py, PyBytes>> {
    let class = text.py().get_type::<PyString>();
    let bytes = class.call_method1(intern!(text.py(), "encode"), (text, "utf-8", errors))?;
    Ok(bytes.cast_into::<PyBytes>()?)
}

/// The whole number that a value is without being a `bool`, if it is one.
pub fn whole_number<'py>(value: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyInt>>> {
    let py = value.py();
    if value.is_instance_of::<PyBool>() || value.hasattr("__index__").tried(py)? != Some(true) {
        return Ok(None);
    }
    let number = value.call_method0("__index__").tried(py)?;
    Ok(number.and_then(|number| number.cast_into().ok()))
}

/// The decimal digits of a whole number, whatever methods its class has.
fn digits<'py>(number: &Bound<'py, PyInt>) -> PyResult<Bound<'py, PyString>> {
    let py = number.py();
    let text = py.get_type::<PyInt>().call_method1(intern!(py, "__repr__"), (number,));
    let text = text.map_err(|raised| {
        instead(py, raised, || {
            refused(Kind::Type, number, |found| {
                format!("expected an id of fewer digits, found {found}")
            })
        })
    })?;
    Ok(text.cast_into::<PyString>()?)
}

/// The error about a value that was found where the sentence says what is expected.
/// An interrupt while the value is printed comes back instead.
#[cold]
pub fn refused(
    kind: Kind,
    value: &Bound<'_, PyAny>,
    sentence: impl FnOnce(String) -> String,
) -> PyErr {
    shown(value).map_or_else(|raised| raised, |found| fail(kind, sentence(found)))
}

/// A value for a message: its type and what it prints as, if it can be printed.
#[cold]
pub fn shown(value: &Bound<'_, PyAny>) -> PyResult<String> {
    let py = value.py();
    let name = value.get_type().name().map(|name| name.to_string()).tried(py)?;
    let name = name.unwrap_or_else(|| "object".into());
    if let Some(text) = value.repr().tried(py)? {
        return Ok(format!("{name} {}", quote(text.to_string_lossy().into_owned())));
    }
    // Python prints no whole number of too many digits.
    let bits = value.cast::<PyInt>().ok().map(|number| {
        py.get_type::<PyInt>().call_method1("bit_length", (number,))?.extract::<usize>()
    });
    Ok(match bits.transpose().tried(py)?.flatten() {
        Some(bits) => format!("{name} of {bits} bits"),
        None => name,
    })
}

/// What a value prints as, for a message that says its type already.
#[cold]
pub fn printed(value: &Bound<'_, PyAny>) -> PyResult<String> {
    match value.str().tried(value.py())? {
        Some(text) => Ok(text.to_string_lossy().into_owned()),
        None => shown(value),
    }
}

/// A finite number, if the value is one.
fn finite(value: &Bound<'_, PyAny>) -> PyResult<Option<f64>> {
    let number = match value.cast_exact::<PyFloat>() {
        Ok(float) => Some(float.value()),
        Err(_) => value.extract::<f64>().tried(value.py())?,
    };
    Ok(number.filter(|number| number.is_finite()))
}

/// A finite number; the error names what it belongs to.
fn number(value: &Bound<'_, PyAny>, what: &str, topic: &[u8], document: &[u8]) -> PyResult<f64> {
    finite(value)?.ok_or_else(|| {
        refused(Kind::Number, value, |found| {
            format!(
                "expected a finite number as {what}, found {found} for document {} of topic {}",
                quote(document),
                quote(topic)
            )
        })
    })
}

/// Calls a function with every key and value of a mapping.
fn each_item(
    mapping: &Bound<'_, PyAny>,
    what: &str,
    mut on_item: impl FnMut(&Bound<'_, PyAny>, &Bound<'_, PyAny>) -> PyResult<()>,
) -> PyResult<()> {
    if let Ok(dict) = mapping.cast::<PyDict>() {
        // What is called for a key or a value may change the dict.
        let items: Vec<_> = dict.iter().collect();
        return items.iter().try_for_each(|(key, value)| on_item(key, value));
    }
    let py = mapping.py();
    let unreadable = |raised: PyErr| {
        let why = raised.to_string();
        instead(py, raised, || {
            refused(Kind::Type, mapping, |found| {
                format!("expected {what}, found {found}, whose items cannot be read: {why}")
            })
        })
    };
    let class = py.import("collections.abc")?.getattr("Mapping")?;
    if mapping.is_instance(&class).tried(py)? != Some(true) {
        return Err(refused(Kind::Type, mapping, |found| {
            format!("expected {what}, found {found}")
        }));
    }
    let items = mapping.call_method0("items").and_then(|items| items.try_iter());
    for item in items.map_err(unreadable)? {
        let item = item.map_err(unreadable)?;
        match item.cast::<PyTuple>().map(PyTupleMethods::as_slice) {
            Ok([key, value]) => on_item(key, value)?,
            _ => {
                return Err(refused(Kind::Type, &item, |found| {
                    format!("expected {what}, found {found} where items() has a key and a value")
                }));
            }
        }
    }
    Ok(())
}

/// Judgments from {topic: {document: grade}}.
pub fn qrels_from_dict(
    judgments: &Bound<'_, PyAny>,
    docs_in_collection: Option<u64>,
) -> PyResult<Qrels> {
    let mut builder = Builder::new(&[]);
    // Nobody else's word is taken for how much room is needed.
    builder.reserve_topics(judgments.cast::<PyDict>().map_or(0, PyDictMethods::len));
    let mut walk = Walk::default();
    let (mut topics, mut documents) = (Ids::Unknown, Ids::Unknown);
    each_item(judgments, "qrels as {topic: {document: grade}}", |topic, graded| {
        topics.with(topic, |topic| {
            builder.topic(topic);
            let mut clash = Ok(());
            let plain = documents.plain(graded, |dict| {
                let judged = walk.judge(dict, topic, &mut builder)?;
                judged.map_err(|error| clash = Err(error)).ok().or(Some(0))
            });
            clash.or_raise()?;
            if plain {
                return Ok(());
            }
            each_item(graded, "a topic's judgments as {document: grade}", |document, grade| {
                documents.with(document, |document| {
                    let grade = number(grade, "grade", topic, document)?;
                    let added = builder.add(topic, document, grade, &[], 0);
                    added.map_err(|clash| raise(&again(clash, topic, document, grade)))
                })
            })
        })
    })?;
    Ok(builder.finish(docs_in_collection))
}

/// Judgments from {topic: {intent: {document: grade}}}.
pub fn qrels_from_intents(
    judgments: &Bound<'_, PyAny>,
    docs_in_collection: Option<u64>,
) -> PyResult<Qrels> {
    let mut builder = Builder::new(&[]);
    let (mut topics, mut intents, mut documents) = (Ids::Unknown, Ids::Unknown, Ids::Unknown);
    each_item(judgments, "qrels as {topic: {intent: {document: grade}}}", |topic, served| {
        topics.with(topic, |topic| {
            builder.topic(topic);
            each_item(
                served,
                "a topic's intents as {intent: {document: grade}}",
                |intent, graded| {
                    intents.with(intent, |intent| {
                        builder.intent(topic, intent);
                        each_item(
                            graded,
                            "an intent's judgments as {document: grade}",
                            |doc, grade| {
                                documents.with(doc, |document| {
                                    let grade = number(grade, "grade", topic, document)?;
                                    let added =
                                        builder.add_under(topic, Some(intent), document, grade, 0);
                                    added.map_err(|clash| {
                                        raise(&again(clash, topic, document, grade))
                                    })
                                })
                            },
                        )
                    })
                },
            )
        })
    })?;
    Ok(builder.finish(docs_in_collection))
}

/// The weights of {topic: {intent: weight}} for the intents of judgments: for
/// each topic the intents that it lacks, and the weights of all. Each intent
/// under which a document was judged needs one.
pub fn weights_from_dict(qrels: &Qrels, weights: &Bound<'_, PyAny>) -> PyResult<Vec<Weights>> {
    let empty = |topic: &Topic| (Vec::new(), vec![f64::NAN; topic.intents().names().len()]);
    let mut found: Vec<Weights> = qrels.topics().iter().map(empty).collect();
    let (mut topics, mut intents) = (Ids::Unknown, Ids::Unknown);
    each_item(weights, "weights as {topic: {intent: weight}}", |topic, weights| {
        topics.with(topic, |topic| {
            let Some(position) = qrels.position(topic) else { return Ok(()) };
            let (more, found) = &mut found[position];
            let names = qrels.topics()[position].intents().names().iter().chain(more.iter());
            let names = names.enumerate().map(|(place, name)| (name.clone(), place));
            let mut places: HashMap<Box<[u8]>, usize> = names.collect();
            each_item(weights, "a topic's weights as {intent: weight}", |intent, weight| {
                intents.with(intent, |intent| {
                    let Some(weight) = finite(weight)?.filter(|weight| *weight >= 0.0) else {
                        return Err(refused(Kind::Number, weight, |found| {
                            format!(
                                "expected a finite weight of at least 0, found {found} for intent {} of topic {}",
                                quote(intent),
                                quote(topic)
                            )
                        }));
                    };
                    let place = *places.entry(intent.into()).or_insert(found.len());
                    if place == found.len() {
                        more.push(intent.into());
                        found.push(weight);
                    }
                    found[place] = weight;
                    Ok(())
                })
            })
        })
    })?;
    for (topic, (_, weights)) in qrels.topics().iter().zip(&mut found) {
        let intents = topic.intents();
        for (intent, weight) in weights.iter_mut().enumerate().filter(|(_, w)| w.is_nan()) {
            if intents.is_judged(intent) {
                let message = format!(
                    "expected a weight for each intent, found none for intent {} of topic {}",
                    quote(&intents.names()[intent]),
                    quote(topic.id())
                );
                return Err(fail(Kind::Needs, message));
            }
            *weight = 0.0;
        }
    }
    Ok(found)
}

/// What levels of judgments stand for, from {name: grade}.
pub fn levels_from_dict(levels: &Bound<'_, PyAny>) -> PyResult<Vec<(Box<[u8]>, f64)>> {
    let mut found = Vec::new();
    each_item(levels, "levels as {name: grade}", |name, grade| {
        let (Ok(text), Some(value)) = (name.cast::<PyString>(), finite(grade)?) else {
            let grade = shown(grade)?;
            return Err(refused(Kind::Option, name, |name| {
                format!(
                    "expected levels as {{name: grade}}, such as {{\"S\": 3, \"A\": 2, \"B\": 1}}, found {name}: {grade}"
                )
            }));
        };
        found.push((text.to_string_lossy().as_bytes().into(), value));
        Ok(())
    })?;
    Ok(found)
}

/// Which intents of judgments are navigational, from {topic: [intent, ...]}.
pub fn navigational_from_dict(
    qrels: &Qrels,
    navigational: &Bound<'_, PyAny>,
) -> PyResult<Vec<Vec<bool>>> {
    let none = |topic: &Topic| vec![false; topic.intents().names().len()];
    let mut found: Vec<Vec<bool>> = qrels.topics().iter().map(none).collect();
    let (mut topics, mut intents) = (Ids::Unknown, Ids::Unknown);
    each_item(navigational, "navigational intents as {topic: [intent, ...]}", |topic, named| {
        topics.with(topic, |topic| {
            let Some(position) = qrels.position(topic) else { return Ok(()) };
            let names = qrels.topics()[position].intents().names();
            let unlisted = |raised| {
                instead(named.py(), raised, || {
                    refused(Kind::Type, named, |found| {
                        format!(
                            "expected the navigational intents of topic {} as a list, found {found}",
                            quote(topic)
                        )
                    })
                })
            };
            if named.is_instance_of::<PyString>() {
                return Err(unlisted(PyTypeError::new_err("text is no list")));
            }
            for intent in named.try_iter().map_err(unlisted)? {
                intents.with(&intent.map_err(unlisted)?, |intent| {
                    let Some(known) = names.iter().position(|name| **name == *intent) else {
                        let message = format!(
                            "expected an intent of topic {}, found {}",
                            quote(topic),
                            quote(intent)
                        );
                        return Err(fail(Kind::Needs, message));
                    };
                    found[position][known] = true;
                    Ok(())
                })?;
            }
            Ok(())
        })
    })?;
    Ok(found)
}

/// The column of {topic: {document: number}} for the documents of judgments;
/// each needs a number, but for classes and costs.
pub fn column_from_dict(
    qrels: &Qrels,
    name: &str,
    values: &Bound<'_, PyAny>,
) -> PyResult<Vec<Vec<f64>>> {
    let empty = |topic: &Topic| vec![f64::NAN; topic.docs().len()];
    let mut columns: Vec<Vec<f64>> = qrels.topics().iter().map(empty).collect();
    let (mut topics, mut documents) = (Ids::Unknown, Ids::Unknown);
    each_item(values, "a column as {topic: {document: number}}", |topic, numbers| {
        topics.with(topic, |topic| {
            let Some(position) = qrels.position(topic) else { return Ok(()) };
            let table = qrels.topics()[position].docs();
            each_item(numbers, "a topic's column as {document: number}", |document, value| {
                documents.with(document, |document| {
                    let value = number(value, name, topic, document)?;
                    if name == INCLUSION {
                        check_inclusion(value).map_err(|message| fail(Kind::Number, message))?;
                    }
                    if name == COST {
                        check_cost(value).map_err(|message| fail(Kind::Number, message))?;
                    }
                    if let Some(known) = table.get(hash(qrels.seed(), document), document) {
                        columns[position][known as usize] = value;
                    }
                    Ok(())
                })
            })
        })
    })?;
    if name == CLASS || name == COST {
        return Ok(columns);
    }
    for (topic, column) in qrels.topics().iter().zip(&columns) {
        for (number, document, _) in topic.judgments() {
            if column[number].is_nan() {
                let message = format!(
                    "expected a number as {name} for each judgment, found none for document {} of topic {}",
                    quote(document),
                    quote(topic.id())
                );
                return Err(fail(Kind::Needs, message));
            }
        }
    }
    Ok(columns)
}

/// A run from {topic: {document: score}}.
pub fn run_from_dict(scores: &Bound<'_, PyAny>, name: String) -> PyResult<Run> {
    let mut run = Run { name, ..Run::default() };
    let mut walk = Walk::default();
    let (mut topics, mut documents) = (Ids::Unknown, Ids::Unknown);
    each_item(scores, RUN, |topic, scored| {
        topics.with(topic, |topic| {
            let mut lines = Lines::default();
            if !documents.plain(scored, |dict| walk.copy(dict, &mut lines)) {
                documents.list(scored, topic, &mut lines)?;
            }
            run.topics.push((topic.into(), lines));
            Ok(())
        })
    })?;
    Ok(run)
}

/// A run from {topic: {document: score}}, ranked where it stands and joined
/// with an evaluator's judgments. `None` if it cannot be ranked.
pub fn ranked_from_dict(
    scores: &Bound<'_, PyAny>,
    evaluator: &Evaluator,
    names: &Names,
    name: String,
) -> PyResult<Option<Ranked>> {
    let mut joiner = Joiner::new(evaluator);
    let (mut walk, mut lines) = (Walk::default(), Lines::default());
    let (mut topics, mut documents) = (Ids::Unknown, Ids::Unknown);
    let mut rankable = true;
    each_item(scores, RUN, |topic, scored| {
        topics.with(topic, |topic| {
            let position = joiner.position(topic);
            let qrels = joiner.qrels();
            let mut raised = Ok(());
            let plain = documents.plain(scored, |dict| {
                let Some(position) = position else {
                    let count = walk.count(dict)?;
                    joiner.without_judgments(topic, count);
                    return Some(count);
                };
                joiner.ranked(position, |ranker, reach, scratch, ranking| {
                    let topic = &qrels.topics()[position];
                    let few = topic.docs().len() * MANY <= dict.len();
                    let names = if few { names.of(dict.py(), qrels, position) } else { None };
                    let judged = Judged { topic, seed: qrels.seed(), reach, names };
                    let ranked = walk.rank(dict, ranker, judged, scratch, ranking);
                    ranked.unwrap_or_else(|interrupt| {
                        raised = Err(interrupt);
                        None
                    })
                })
            });
            raised?;
            if !plain {
                lines.clear();
                documents.list(scored, topic, &mut lines)?;
                rankable &= joiner.lines(topic, &lines).is_ok();
            }
            Ok(())
        })
    })?;
    Ok(rankable.then(|| joiner.finish(name)))
}

/// The scores of lists {document: score}, one list behind the other. `None` if
/// one is no dict of text and finite numbers, or if `whole` numbers are asked for
/// and one is not of the class `int`.
#[pyfunction]
#[pyo3(signature = (lists, whole = false))]
pub fn scores_of_dicts<'py>(
    lists: &Bound<'py, PyAny>,
    whole: bool,
) -> PyResult<Option<Bound<'py, PyArray1<f64>>>> {
    let (mut walk, mut scores) = (Walk::default(), Vec::new());
    for list in lists.try_iter()? {
        let list = list?;
        let read = list.cast::<PyDict>().is_ok_and(|list| {
            (!whole || walk.has_whole_numbers(list)) && walk.numbers(list, &mut scores)
        });
        if !read {
            return Ok(None);
        }
    }
    Ok(Some(scores.into_pyarray(lists.py())))
}

/// What a run is expected to be.
const RUN: &str = "a run as {topic: {document: score}}";

/// A run from {topic: [document, ...]}: scores are minus the rank.
pub fn run_from_rankings(rankings: &Bound<'_, PyAny>, name: String) -> PyResult<Run> {
    let mut run = Run { name, ..Run::default() };
    let (mut topics, mut documents) = (Ids::Unknown, Ids::Unknown);
    each_item(rankings, "rankings as {topic: [document, ...]}", |topic, ranking| {
        topics.with(topic, |topic| {
            let listed = if ranking.is_instance_of::<PyString>() {
                None
            } else {
                ranking.try_iter().tried(ranking.py())?
            };
            let Some(listed) = listed else {
                return Err(refused(Kind::Type, ranking, |found| {
                    format!("expected a list of documents, found {found}")
                }));
            };
            let mut lines = Lines::default();
            let mut rank = 0.0;
            for document in listed {
                rank += 1.0;
                documents.with(&document?, |document| {
                    lines.push(document, -rank);
                    lines.push_rank(rank);
                    Ok(())
                })?;
            }
            run.topics.push((topic.into(), lines));
            Ok(())
        })
    })?;
    Ok(run)
}

/// Rows given as three columns, in any order of topics.
pub fn each_row(
    topics: &Bound<'_, PyAny>,
    documents: &Bound<'_, PyAny>,
    values: &Bound<'_, PyAny>,
    what: &str,
    mut on_row: impl FnMut(&[u8], &[u8], f64, u64) -> Result<()>,
) -> PyResult<()> {
    let columns = [
        column(topics, "topics")?,
        column(documents, "documents")?,
        column(values, &format!("{what}s"))?,
    ];
    let lengths = columns.each_ref().map(Vec::len);
    if lengths[0] != lengths[1] || lengths[0] != lengths[2] {
        let message = format!("expected columns of one length, found {lengths:?}");
        return Err(fail(Kind::Type, message));
    }
    let (mut topic_ids, mut document_ids) = (Ids::Unknown, Ids::Unknown);
    let [topics, documents, values] = columns;
    let rows = topics.iter().zip(&documents).zip(&values);
    for (row, ((topic, document), value)) in rows.enumerate() {
        topic_ids.with(topic, |topic| {
            document_ids.with(document, |document| {
                on_row(topic, document, number(value, what, topic, document)?, row as u64 + 1)
                    .or_raise()
            })
        })?;
    }
    Ok(())
}

/// What a column holds, however long it says that it is.
fn column<'py>(given: &Bound<'py, PyAny>, what: &str) -> PyResult<Vec<Bound<'py, PyAny>>> {
    let unlisted = |raised| {
        instead(given.py(), raised, || {
            refused(Kind::Type, given, |found| {
                format!("expected {what} as a column, found {found}")
            })
        })
    };
    if given.is_instance_of::<PyString>() {
        return Err(unlisted(PyTypeError::new_err("text is no column")));
    }
    given.try_iter().and_then(Iterator::collect).map_err(unlisted)
}

/// The sentence about a number that is not finite.
pub fn not_finite(what: &str, value: f64, document: &[u8], topic: &[u8]) -> String {
    format!(
        "expected a finite number as {what}, found {value} for document {} of topic {}",
        quote(document),
        quote(topic)
    )
}

/// Collects rows into judgments.
pub struct QrelsRows(pub Builder);

impl QrelsRows {
    /// Adds a row.
    pub fn add(&mut self, topic: &[u8], document: &[u8], grade: f64, row: u64) -> Result<()> {
        let added = self.0.add(topic, document, grade, &[], row);
        added.map_err(|clash| again(clash, topic, document, grade).at_line(row))
    }
}

/// Collects rows into a run.
#[derive(Default)]
pub struct RunRows {
    /// The run so far.
    pub run: Run,
    index: std::collections::HashMap<Box<[u8]>, usize>,
    current: Option<usize>,
}

impl RunRows {
    /// Adds a row, which has a rank if it is a finite number.
    pub fn add(&mut self, topic: &[u8], document: &[u8], score: f64, rank: f64) {
        let same = self.current.filter(|&i| *self.run.topics[i].0 == *topic);
        let position = same.or_else(|| self.index.get(topic).copied()).unwrap_or_else(|| {
            self.index.insert(topic.into(), self.run.topics.len());
            self.run.topics.push((topic.into(), Lines::default()));
            self.run.topics.len() - 1
        });
        self.current = Some(position);
        let lines = &mut self.run.topics[position].1;
        lines.push(document, score);
        if rank.is_finite() {
            lines.push_rank(rank);
        }
    }
}

/// A run from rows in columns. Where there are no scores, ranks decide; where
/// there are, a rank that is no number is none.
pub fn run_from_rows(
    topics: &Bound<'_, PyAny>,
    documents: &Bound<'_, PyAny>,
    scores: Option<&Bound<'_, PyAny>>,
    ranks: Option<&Bound<'_, PyAny>>,
    name: String,
) -> PyResult<Run> {
    let mut rows = RunRows::default();
    match (scores, ranks) {
        (Some(scores), ranks) => {
            let rank = |rank: &Bound<'_, PyAny>| Ok(finite(rank)?.unwrap_or(f64::NAN));
            let ranks: Option<Vec<f64>> = ranks
                .map(|ranks| column(ranks, "ranks")?.iter().map(rank).collect::<PyResult<_>>())
                .transpose()?;
            let count = column(scores, "scores")?.len();
            if let Some(ranks) = &ranks
                && ranks.len() != count
            {
                let message = format!("expected as many ranks as scores, found {}", ranks.len());
                return Err(fail(Kind::Type, message));
            }
            each_row(topics, documents, scores, "score", |topic, document, score, row| {
                let rank = ranks.as_ref().and_then(|ranks| ranks.get(row as usize - 1).copied());
                let rank = rank.unwrap_or(f64::NAN);
                rows.add(topic, document, score, rank);
                Ok(())
            })?;
        }
        (None, Some(ranks)) => {
            each_row(topics, documents, ranks, "rank", |topic, document, rank, _| {
                check_rank(rank, document, topic)?;
                rows.add(topic, document, -rank, rank);
                Ok(())
            })?;
        }
        (None, None) => return Err(fail(Kind::Type, "expected scores or ranks, found neither")),
    }
    Ok(Run { name, ..rows.run })
}

/// Refuses what cannot be a rank where there is no score beside it.
pub fn check_rank(rank: f64, document: &[u8], topic: &[u8]) -> Result<()> {
    if is_rank(rank) {
        return Ok(());
    }
    let message = format!(
        "expected a whole number from 1 as rank, found {rank} for document {} of topic {}; name the column score if these are scores",
        quote(document),
        quote(topic)
    );
    Err(Error::new(Kind::Number, message))
}

/// A Python file object as a reader; attached to the interpreter only while
/// it reads. What `read` raises is kept, to be raised again as it is.
struct PyReader {
    file: Py<PyAny>,
    raised: Arc<Mutex<Option<PyErr>>>,
}

impl Read for PyReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        Python::attach(|py| {
            let mut read = || -> PyResult<usize> {
                // A signal that came while we parsed must not wait behind a
                // `read` that waits for more.
                py.check_signals()?;
                let data = self.file.bind(py).call_method1("read", (buffer.len(),))?;
                let bytes = data
                    .cast::<PyBytes>()
                    .map_err(|_| PyTypeError::new_err("expected a file opened in binary mode"))?
                    .as_bytes();
                if bytes.len() > buffer.len() {
                    return Err(PyTypeError::new_err("read(n) returned more than n bytes"));
                }
                buffer[..bytes.len()].copy_from_slice(bytes);
                Ok(bytes.len())
            };
            read().map_err(|error| {
                let told = io::Error::other(error.to_string());
                if !error.is_instance_of::<PyException>(py) {
                    // An interrupt is no trouble with the file.
                    self.raised.lock().unwrap_or_else(PoisonError::into_inner).replace(error);
                }
                told
            })
        })
    }
}

/// A path, or a file object to read from.
pub enum Origin {
    /// A path.
    Path(PathBuf),
    /// An open file.
    Stream(Py<PyAny>),
}

impl Origin {
    /// From what Python gives: a str is a path, anything else is read from.
    pub fn of(source: &Bound<'_, PyAny>) -> PyResult<Self> {
        if source.is_instance_of::<PyString>() {
            return Ok(Origin::Path(source.extract()?));
        }
        if source.hasattr("read")? {
            return Ok(Origin::Stream(source.clone().unbind()));
        }
        Err(refused(Kind::Type, source, |found| {
            format!("expected a path or a binary file, found {found}")
        }))
    }

    /// Reads it with the interpreter released. A stream is called by the label.
    pub fn read<T: Send>(
        self,
        py: Python<'_>,
        label: &str,
        limits: &Limits,
        read: impl FnOnce(LineReader) -> Result<T> + Send,
    ) -> PyResult<T> {
        let raised = Arc::new(Mutex::new(None));
        let outcome = py.detach(|| {
            let source = match self {
                Origin::Path(path) => Source::open(&path, limits)?,
                Origin::Stream(file) => {
                    let reader = PyReader { file, raised: Arc::clone(&raised) };
                    Source::from_reader(label, Box::new(reader), limits)?
                }
            };
            read(LineReader::new(source, limits))
        });
        match raised.lock().unwrap_or_else(PoisonError::into_inner).take() {
            Some(error) => Err(error),
            None => outcome.or_raise(),
        }
    }
}

/// A count given by a user: a whole number of at least 1, if it is given.
pub fn at_least_one(value: Option<&Bound<'_, PyAny>>, what: &str) -> PyResult<Option<u64>> {
    let Some(value) = value else { return Ok(None) };
    let Some(whole) = whole_number(value)? else {
        return Err(refused(Kind::Option, value, |found| {
            format!("expected a whole number as {what}, found {found}")
        }));
    };
    match whole.extract::<u64>().tried(value.py())? {
        Some(0) => Err(fail(Kind::Option, format!("expected a {what} of at least 1, found 0"))),
        Some(number) => Ok(Some(number)),
        None => {
            let (most, or) = if whole.gt(0)? { ("at most", u64::MAX) } else { ("at least", 1) };
            let found = printed(&whole)?;
            Err(fail(Kind::Option, format!("expected a {what} of {most} {or}, found {found}")))
        }
    }
}

/// The bytes of an id for a look-up.
pub fn id_bytes(id: &Bound<'_, PyAny>) -> PyResult<Vec<u8>> {
    Ids::Unknown.with(id, |bytes| Ok(bytes.to_vec()))
}
