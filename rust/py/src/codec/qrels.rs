//! Judgments in pickles.

use std::sync::Arc;

use cranfield_core::costs::{Amounts, DocumentCosts};
use cranfield_core::intents::Intents;
use cranfield_core::judgment_columns::{check_value, is_optional};
use cranfield_core::memory;
use cranfield_core::qrels::{Builder, Qrels as CoreQrels, Topic};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::{PyBytes, PyTuple};

use super::packing::{
    Packed, PackedIds, boxed, counts, distinct, ids, is_minus_zero, numbers, to_counts, to_finite,
    to_ids, to_numbers,
};
use super::{Reduced, damaged, ensure, opened, reduced};
use crate::errors::OrRaise;

/// A topic: id, documents, grade indices, further columns, intents.
type TopicState<T> = (T, PackedIds<T>, T, Vec<T>, IntentState<T>);

/// Names, weights, flags of navigational intents; then one entry a judgment: the numbers of the
/// document and of the intent, and the grade.
type IntentState<T> = (PackedIds<T>, T, T, T, T, T);

/// The pickle of judgments. Documents of the tables that are not judged here are left out.
pub fn pickled<'py>(py: Python<'py>, qrels: &CoreQrels) -> PyResult<Reduced<'py>> {
    let state_of = |topic: &Topic| {
        py.check_signals()?;
        // Ids and numbers are gathered, and copied to Python's memory.
        let bytes: usize = topic.judgments().map(|(_, id, _)| id.len()).sum();
        let each = 32 + 16 * qrels.column_names().len();
        memory::room_for(2 * bytes + each * topic.docs().len()).or_raise()?;
        topic_state(py, topic, qrels.column_names())
    };
    let topics: Vec<TopicState<Packed<'py>>> =
        qrels.topics().iter().map(state_of).collect::<PyResult<_>>()?;
    let state = (
        qrels.docs_in_collection,
        (qrels.repaired, qrels.comments),
        numbers(py, qrels.grades().iter().copied())?,
        qrels.column_names().to_vec(),
        qrels.has_intents(),
        topics,
        costs_state(py, &qrels.costs)?,
    );
    reduced(py, "unpickled_qrels", state)
}

fn topic_state<'py>(
    py: Python<'py>,
    topic: &Topic,
    columns: &[String],
) -> PyResult<TopicState<Packed<'py>>> {
    let kept: Vec<(usize, &[u8], u32)> = topic.judgments().collect();
    let column = |position| {
        let column = topic.column(position).unwrap_or_default();
        numbers(py, kept.iter().map(|&(number, ..)| column[number]))
    };
    let intents = topic.intents();
    let entries: Vec<(u32, u32, f64)> = (0u32..)
        .zip(&kept)
        .flat_map(|(place, &(number, ..))| {
            let grades = intents.grades(number as u32).iter();
            grades.map(move |&(intent, grade)| (place, intent, grade))
        })
        .collect();
    let navigational = (0..intents.names().len()).map(|i| u32::from(intents.is_navigational(i)));
    Ok((
        PyBytes::new(py, topic.id()),
        ids(py, kept.iter().map(|&(_, id, _)| id))?,
        counts(py, kept.iter().map(|&(.., grade_index)| grade_index))?,
        (0..columns.len()).map(column).collect::<PyResult<_>>()?,
        (
            ids(py, intents.names().iter().map(|name| &**name))?,
            numbers(py, intents.weights().iter().copied())?,
            counts(py, navigational)?,
            counts(py, entries.iter().map(|entry| entry.0))?,
            counts(py, entries.iter().map(|entry| entry.1))?,
            numbers(py, entries.iter().map(|entry| entry.2))?,
        ),
    ))
}

/// Judgments: the number of documents in the collection, the numbers of repaired grades and of
/// comments, the grades, the names of columns, whether there are intents, the topics, the costs.
type QrelsState<T> =
    (Option<u64>, (u64, u64), T, Vec<String>, bool, Vec<TopicState<T>>, CostsState<T>);

/// Documents and their numbers.
type AmountsState<T> = (PackedIds<T>, T);

/// The lengths of documents, and their costs by topic.
type CostsState<T> = (Option<AmountsState<T>>, Option<Vec<(T, AmountsState<T>)>>);

fn costs_state<'py>(py: Python<'py>, costs: &DocumentCosts) -> PyResult<CostsState<Packed<'py>>> {
    let packed = |amounts: &Amounts| -> PyResult<AmountsState<Packed<'py>>> {
        py.check_signals()?;
        Ok((
            ids(py, amounts.iter().map(|(document, _)| document))?,
            numbers(py, amounts.iter().map(|(_, number)| number))?,
        ))
    };
    let lengths = costs.lengths.as_deref().map(packed).transpose()?;
    let Some(of_topics) = &costs.of_topics else { return Ok((lengths, None)) };
    let mut sorted: Vec<_> = of_topics.iter().collect();
    sorted.sort_by_key(|(topic, _)| *topic);
    let of_topics =
        sorted.into_iter().map(|(topic, amounts)| Ok((PyBytes::new(py, topic), packed(amounts)?)));
    Ok((lengths, Some(of_topics.collect::<PyResult<_>>()?)))
}

fn to_costs(state: &CostsState<PyBackedBytes>, seed: u64) -> PyResult<DocumentCosts> {
    let unpacked = |(documents, amounts): &AmountsState<PyBackedBytes>| -> PyResult<Amounts> {
        let (documents, amounts) = (to_ids(documents)?, to_finite(amounts)?);
        ensure(documents.len() == amounts.len() && amounts.iter().all(|&amount| amount >= 0.0))?;
        let mut found = Amounts::new(seed);
        for (document, amount) in documents.into_iter().zip(amounts) {
            found.insert(document, amount).map_err(|_| damaged())?;
        }
        Ok(found)
    };
    let (lengths, of_topics) = state;
    let lengths = lengths.as_ref().map(unpacked).transpose()?.map(Arc::new);
    let Some(of_topics) = of_topics else { return Ok(DocumentCosts { lengths, of_topics: None }) };
    ensure(of_topics.windows(2).all(|pair| pair[0].0[..] < pair[1].0[..]))?;
    let of_topics =
        of_topics.iter().map(|(topic, amounts)| Ok((topic[..].into(), unpacked(amounts)?)));
    Ok(DocumentCosts { lengths, of_topics: Some(Arc::new(of_topics.collect::<PyResult<_>>()?)) })
}

/// The judgments of a pickle.
pub fn unpickled(parts: &Bound<'_, PyTuple>) -> PyResult<CoreQrels> {
    let (docs_in_collection, counted, grades, columns, by_intent, topics, costs): QrelsState<
        PyBackedBytes,
    > = opened(parts)?;
    let grades = to_finite(&grades)?;
    ensure(docs_in_collection != Some(0))?;
    // Grade indices are positions in this list.
    ensure(grades.windows(2).all(|pair| pair[0] < pair[1]))?;
    ensure(!grades.iter().copied().any(is_minus_zero))?;
    ensure(distinct(&columns) && !(by_intent && topics.is_empty()))?;
    // Columns and intents are assigned to the sorted topics by position.
    ensure(topics.windows(2).all(|pair| pair[0].0[..] < pair[1].0[..]))?;
    let mut builder = Builder::new(&[]);
    (builder.repaired, builder.comments) = counted;
    let mut values: Vec<Vec<Vec<f64>>> = vec![Vec::new(); columns.len()];
    let mut intents = Vec::new();
    for (id, documents, indices, of_topic, served) in &topics {
        parts.py().check_signals()?;
        let documents = to_ids(documents)?;
        let grade = |index: u32| grades.get(index as usize).copied().ok_or_else(damaged);
        let own: Vec<f64> = to_counts(indices)?.into_iter().map(grade).collect::<PyResult<_>>()?;
        ensure(own.len() == documents.len() && of_topic.len() == columns.len())?;
        builder.topic(id);
        // A document that appears twice is an error here.
        builder.add_list(id, &documents, &own).map_err(|_| damaged())?;
        for ((column, name), bytes) in values.iter_mut().zip(&columns).zip(of_topic) {
            let numbers = to_numbers(bytes)?;
            ensure(numbers.len() == documents.len())?;
            ensure(numbers.iter().all(|&number| is_allowed(number, name)))?;
            column.push(numbers);
        }
        let served = to_intents(served, documents.len())?;
        ensure(by_intent || served == Intents::new(Vec::new(), documents.len(), Vec::new()))?;
        intents.push(served);
    }
    let mut qrels = builder.finish(docs_in_collection).with_grades(&grades);
    for (name, column) in columns.iter().zip(values) {
        qrels = qrels.with_column(name, column);
    }
    if by_intent {
        qrels = qrels.with_intents(intents);
    }
    qrels.costs = to_costs(&costs, qrels.seed())?;
    Ok(qrels)
}

/// Whether a column may have this value; NaN is a missing one.
fn is_allowed(number: f64, column: &str) -> bool {
    if number.is_nan() {
        is_optional(column)
    } else {
        number.is_finite() && check_value(column, number).is_ok()
    }
}

fn to_intents(state: &IntentState<PyBackedBytes>, documents: usize) -> PyResult<Intents> {
    let (names, weights, navigational, places, numbers, grades) = state;
    let names = boxed(to_ids(names)?);
    let weights = to_finite(weights)?;
    let navigational = to_counts(navigational)?;
    let (places, numbers, grades) = (to_counts(places)?, to_counts(numbers)?, to_finite(grades)?);
    ensure(
        distinct(&names)
            && weights.len() == names.len()
            && weights.iter().all(|&weight| weight >= 0.0)
            && navigational.len() == names.len()
            && navigational.iter().all(|&flag| flag <= 1)
            && places.len() == grades.len()
            && numbers.len() == grades.len()
            && places.iter().all(|&place| (place as usize) < documents)
            && numbers.iter().all(|&number| (number as usize) < names.len()),
    )?;
    let entries = places.into_iter().zip(numbers).zip(grades);
    let entries: Vec<_> = entries.map(|((place, number), grade)| (place, number, grade)).collect();
    // Each document once under each intent, in order.
    ensure(entries.windows(2).all(|pair| (pair[0].0, pair[0].1) < (pair[1].0, pair[1].1)))?;
    let mut intents = Intents::new(names, documents, entries);
    intents.weigh(weights);
    intents.set_navigational(navigational.into_iter().map(|flag| flag == 1).collect());
    Ok(intents)
}
