//! Dicts to judgments and runs.
//!
//! Every error names the topic and the document.

use std::collections::HashMap;

use cranfield_core::costs::Amounts;
use cranfield_core::error::{Kind, quote};
use cranfield_core::evaluate::{Evaluator, Joiner, Ranked, Taker, few_are_judged};
use cranfield_core::hash::hash;
use cranfield_core::intents::Weights;
use cranfield_core::judgment_columns::{check_complete, check_value, complete_weights};
use cranfield_core::qrels::{Builder, Qrels, Topic};
use cranfield_core::rank::{Lines, Run};
use cranfield_core::read::qrels::again;
use cranfield_core::scores::Scores;
use numpy::{IntoPyArray, PyArray1};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};

use crate::dict::{Judged, Names, Walk};
use crate::errors::{OrRaise, fail, instead, raise, refused, shown};
use crate::from_lists::{ListedJudgments, ValuesOrList, with_document};
use crate::ids::Ids;
use crate::values::{each_item, each_list, finite, in_order, number};

/// Reads a dict of plain text in place, unless ids are known to be numbers. `read` returns how
/// many keys there are. Returns whether the dict was read.
fn plain(
    ids: &mut Ids,
    dict: &Bound<'_, PyAny>,
    read: impl FnOnce(&Bound<'_, PyDict>) -> Option<usize>,
) -> bool {
    if *ids == Ids::Numbers {
        return false;
    }
    let count = dict.cast::<PyDict>().ok().and_then(read);
    if count > Some(0) {
        *ids = Ids::Text;
    }
    count.is_some()
}

/// Reads a topic's list {document: score}, or [document, ...].
fn list(ids: &mut Ids, given: &Bound<'_, PyAny>, topic: &[u8], lines: &mut Lines) -> PyResult<()> {
    const LIST: &str = "a topic's list as {document: score} or [document, ...]";
    let scored = match ValuesOrList::of(given, LIST, false)? {
        ValuesOrList::Documents(ranking) => return push_ranking(ids, &ranking, topic, lines),
        ValuesOrList::Values(scored) => scored,
    };
    each_item(&scored, LIST, |document, score| {
        ids.with(document, |document| {
            lines.make_room(1, document.len()).or_raise()?;
            lines.push(document, number(score, "score", topic, document)?);
            Ok(())
        })
    })
}

/// Reads a topic's documents, best first: scores are minus the rank.
fn push_ranking(
    ids: &mut Ids,
    ranking: &[Bound<'_, PyAny>],
    topic: &[u8],
    lines: &mut Lines,
) -> PyResult<()> {
    const WAY: &str =
        "scores are given as {document: score}, and hits of a search engine to Run.from_hits";
    let mut rank = 0.0;
    for document in ranking {
        rank += 1.0;
        with_document(ids, document, topic, WAY, |document| {
            lines.make_room(1, document.len()).or_raise()?;
            lines.push(document, -rank);
            lines.push_rank(rank);
            Ok(())
        })?;
    }
    Ok(())
}

/// What the judgments of a topic have to be, for errors.
const JUDGMENTS: &str = "a topic's judgments as {document: grade} or [document, ...]";

/// Judgments from {topic: {document: grade}} or {topic: [document, ...]}.
pub fn qrels_from_dict(
    judgments: &Bound<'_, PyAny>,
    docs_in_collection: Option<u64>,
) -> PyResult<Qrels> {
    let mut builder = Builder::new(&[]);
    // Only a real dict's length is trusted.
    builder.reserve_topics(judgments.cast::<PyDict>().map_or(0, PyDictMethods::len));
    let mut walk = Walk::default();
    let (mut topics, mut documents) = (Ids::Unknown, Ids::Unknown);
    let mut without_grades = ListedJudgments::default();
    each_item(judgments, "qrels as {topic: {document: grade}}", |topic, graded| {
        topics.with(topic, |topic| {
            builder.topic(topic);
            let mut clash = Ok(());
            let plain = plain(&mut documents, graded, |dict| {
                let judged = walk.judge(dict, topic, &mut builder)?;
                judged.map_err(|error| clash = Err(error)).ok().or(Some(0))
            });
            clash.or_raise()?;
            if plain {
                return Ok(());
            }
            let graded = match ValuesOrList::of(graded, JUDGMENTS, true)? {
                ValuesOrList::Values(graded) => graded,
                ValuesOrList::Documents(listed) => {
                    return without_grades.add(&mut builder, &mut documents, topic, &listed);
                }
            };
            each_item(&graded, JUDGMENTS, |document, grade| {
                documents.with(document, |document| {
                    let grade = number(grade, "grade", topic, document)?;
                    builder.make_room(1, document.len()).or_raise()?;
                    let added = builder.add(topic, document, grade, &[], 0);
                    added.map_err(|clash| raise(&again(clash, topic, document, grade)))
                })
            })
        })
    })?;
    without_grades.finish(judgments.py(), builder.finish(docs_in_collection))
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

/// The weights of {topic: {intent: weight}} for the intents of judgments. For each topic: the
/// intents that the judgments lack, and the weights of all intents. Each intent
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
    complete_weights(qrels, &mut found).or_raise()?;
    Ok(found)
}

/// The grades that named relevance levels stand for, from {name: grade}.
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
/// each needs a number, except for classes and costs.
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
                    check_value(name, value).map_err(|message| fail(Kind::Number, message))?;
                    if let Some(known) = table.get(hash(qrels.seed(), document), document) {
                        columns[position][known as usize] = value;
                    }
                    Ok(())
                })
            })
        })
    })?;
    check_complete(qrels, name, &columns).or_raise()?;
    Ok(columns)
}

/// The numbers of {document: number}: at least 0 and finite.
fn amounts(
    qrels: &Qrels,
    numbers: &Bound<'_, PyAny>,
    what: &str,
    topic: &[u8],
) -> PyResult<Amounts> {
    let (mut found, mut documents) = (Amounts::new(qrels.seed()), Ids::Unknown);
    let kind = format!("{what} as {{document: number}}");
    each_item(numbers, &kind, |document, value| {
        documents.with(document, |document| {
            let number = finite(value)?.filter(|number| *number >= 0.0).ok_or_else(|| {
                let of = if topic.is_empty() { String::new() } else { format!(" of topic {}", quote(topic)) };
                refused(Kind::Number, value, |found| {
                    format!("expected a finite number of at least 0 as {what}, found {found} for document {}{of}", quote(document))
                })
            })?;
            found.insert(document, number).map_err(|_| {
                fail(Kind::Duplicate, format!("expected a document once, found {} again", quote(document)))
            })
        })
    })?;
    Ok(found)
}

/// The lengths of documents, from {document: length}.
pub fn lengths_from_dict(qrels: &Qrels, lengths: &Bound<'_, PyAny>) -> PyResult<Amounts> {
    amounts(qrels, lengths, "lengths", b"")
}

/// What documents cost for each topic, from {topic: {document: cost}}.
pub fn costs_from_dict(
    qrels: &Qrels,
    costs: &Bound<'_, PyAny>,
) -> PyResult<HashMap<Box<[u8]>, Amounts>> {
    let (mut found, mut topics) = (HashMap::new(), Ids::Unknown);
    each_item(costs, "costs as {topic: {document: number}}", |topic, numbers| {
        topics.with(topic, |topic| {
            found.insert(Box::from(topic), amounts(qrels, numbers, "cost", topic)?);
            Ok(())
        })
    })?;
    Ok(found)
}

/// A run from {topic: {document: score}}.
pub fn run_from_dict(scores: &Bound<'_, PyAny>, name: String) -> PyResult<Run> {
    let mut run = Run { name, ..Run::default() };
    let mut walk = Walk::default();
    let (mut topics, mut documents) = (Ids::Unknown, Ids::Unknown);
    each_item(scores, RUN, |topic, scored| {
        topics.with(topic, |topic| {
            let mut lines = Lines::default();
            if !plain(&mut documents, scored, |dict| walk.copy(dict, &mut lines)) {
                list(&mut documents, scored, topic, &mut lines)?;
            }
            run.topics.push((topic.into(), lines));
            Ok(())
        })
    })?;
    Ok(run)
}

/// A run from {topic: {document: score}}, ranked in place and joined
/// with an evaluator's judgments. `None` if it cannot be ranked.
pub fn ranked_from_dict(
    scores: &Bound<'_, PyAny>,
    evaluator: &Evaluator,
    names: &Names,
    name: String,
) -> PyResult<Option<Ranked>> {
    let mut joiner = Joiner::keeping(evaluator);
    let rankable = join_dict(scores, names, &mut joiner, |_| Ok(()))?;
    rankable.then(|| joiner.finish(name)).transpose().or_raise()
}

/// The scores of a run {topic: {document: score}}, whose topics are scored soon after they are
/// ranked. While many are scored, the interpreter is released; then `look` is called. `None` if
/// only the general path knows the result.
pub fn scores_from_dict(
    scores: &Bound<'_, PyAny>,
    evaluator: &Evaluator,
    names: &Names,
    name: &str,
    mut look: impl FnMut() -> PyResult<()>,
) -> PyResult<Option<Scores>> {
    evaluator.evaluate_lists(name, |joiner| {
        join_dict(scores, names, joiner, |scorer| {
            if scorer.is_full() {
                scores.py().detach(|| scorer.score());
                look()?;
            }
            Ok(())
        })
    })
}

/// Joins a run {topic: {document: score}} with the judgments, list by list, and returns whether
/// all could be ranked. After each list `then` is called.
fn join_dict<T: Taker>(
    scores: &Bound<'_, PyAny>,
    names: &Names,
    joiner: &mut Joiner<T>,
    mut then: impl FnMut(&mut T) -> PyResult<()>,
) -> PyResult<bool> {
    let (mut walk, mut lines) = (Walk::default(), Lines::default());
    let (mut topics, mut documents) = (Ids::Unknown, Ids::Unknown);
    let mut rankable = true;
    each_list(scores, RUN, |topic, scored| {
        topics.with(topic, |topic| {
            let position = joiner.position(topic);
            let qrels = joiner.qrels();
            let mut raised = Ok(());
            let plain = plain(&mut documents, scored, |dict| {
                let Some(position) = position else {
                    let count = walk.count(dict)?;
                    joiner.without_judgments(topic, count);
                    return Some(count);
                };
                joiner.ranked(position, |ranker, reach, scratch, ranking| {
                    let topic = &qrels.topics()[position];
                    let few = few_are_judged(topic, dict.len());
                    let names = if few { names.of(dict.py(), qrels, position) } else { None };
                    let judged =
                        Judged { topic, seed: qrels.seed(), reach, costs: &qrels.costs, names };
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
                list(&mut documents, scored, topic, &mut lines)?;
                rankable &= joiner.lines(topic, &lines).is_ok();
            }
            then(joiner.taker())
        })
    })?;
    Ok(rankable)
}

#[doc = stub!("scores_of_dicts")]
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

/// What a run has to be, for errors.
const RUN: &str = "a run as {topic: {document: score}}";

/// A run from {topic: [document, ...]}: scores are minus the rank.
pub fn run_from_rankings(rankings: &Bound<'_, PyAny>, name: String) -> PyResult<Run> {
    let mut run = Run { name, ..Run::default() };
    let (mut topics, mut documents) = (Ids::Unknown, Ids::Unknown);
    each_item(rankings, "rankings as {topic: [document, ...]}", |topic, ranking| {
        topics.with(topic, |topic| {
            let mut lines = Lines::default();
            let ranking = in_order(ranking, "a list of documents")?;
            push_ranking(&mut documents, &ranking, topic, &mut lines)?;
            run.topics.push((topic.into(), lines));
            Ok(())
        })
    })?;
    Ok(run)
}
