//! Rows to judgments and runs: three columns, or named tuples, whose fields are read by position.

use cranfield_core::costs::Unit;
use cranfield_core::error::{Kind, Result};
use cranfield_core::rank::Run;
use cranfield_core::read::tables::columns::COSTS;
use cranfield_core::read::tables::rows::{RunRows, check_rank};
use pyo3::prelude::*;
use pyo3::types::{PyFloat, PyList, PyString, PyTuple, PyType};

use crate::dict::prefetch;
use crate::errors::{OrRaise, Tried, fail};
use crate::ids::Ids;
use crate::values::{column, finite, number};

/// After how many rows signals are checked.
const ROWS_UNWATCHED: usize = 1 << 14;

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
        if row % ROWS_UNWATCHED == 0 {
            topic.py().check_signals()?;
        }
        topic_ids.with(topic, |topic| {
            document_ids.with(document, |document| {
                on_row(topic, document, number(value, what, topic, document)?, row as u64 + 1)
                    .or_raise()
            })
        })?;
    }
    Ok(())
}

/// A run from rows in columns. Without scores, the ranks decide the order; beside
/// scores, a rank that is not a number is left out.
pub fn run_from_rows(
    topics: &Bound<'_, PyAny>,
    documents: &Bound<'_, PyAny>,
    scores: Option<&Bound<'_, PyAny>>,
    ranks: Option<&Bound<'_, PyAny>>,
    costs: [Option<&Bound<'_, PyAny>>; COSTS],
    name: String,
) -> PyResult<Run> {
    let mut rows = RunRows::default();
    let costs = Unit::ALL.into_iter().zip(costs).filter_map(|(unit, cost)| Some((unit, cost?)));
    let costs: Vec<(Unit, Vec<f64>)> = costs
        .map(|(unit, costs)| {
            let cost = |cost: &Bound<'_, PyAny>| Ok(finite(cost)?.unwrap_or(f64::NAN));
            Ok((unit, column(costs, unit.name())?.iter().map(cost).collect::<PyResult<_>>()?))
        })
        .collect::<PyResult<_>>()?;
    let spend = |rows: &mut RunRows, row: u64| {
        for (unit, costs) in &costs {
            rows.cost(*unit, costs.get(row as usize - 1).copied().unwrap_or(f64::NAN));
        }
    };
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
                rows.add(topic, document, score, rank)?;
                spend(&mut rows, row);
                Ok(())
            })?;
        }
        (None, Some(ranks)) => {
            each_row(topics, documents, ranks, "rank", |topic, document, rank, row| {
                check_rank(rank, document, topic)?;
                rows.add(topic, document, -rank, rank)?;
                spend(&mut rows, row);
                Ok(())
            })?;
        }
        (None, None) => return Err(fail(Kind::Type, "expected scores or ranks, found neither")),
    }
    Ok(Run { name, ..rows.run })
}

/// How many rows are read at a time: their items are prefetched together.
const ROWS_AT_ONCE: usize = 64;

/// A row's topic, document and score.
type Items<'a, 'py> = [Borrowed<'a, 'py, PyAny>; 3];

/// A run from named tuples, by the names of topic, document and score. `None`
/// unless each row is a named tuple with a `str`, a `str` and a finite number.
pub fn run_from_named_tuples(
    rows: &Bound<'_, PyList>,
    fields: [&str; 3],
    name: String,
) -> PyResult<Option<Run>> {
    let mut found = RunRows::default();
    let mut class: Option<(Bound<'_, PyType>, [usize; 3])> = None;
    let py = rows.py();
    let mut rows = rows.iter();
    loop {
        py.check_signals()?;
        let held: Vec<_> = rows.by_ref().take(ROWS_AT_ONCE).collect();
        if held.is_empty() {
            return Ok(Some(Run { name, ..found.run }));
        }
        let mut items = Vec::with_capacity(ROWS_AT_ONCE);
        for row in &held {
            let Ok(row) = row.cast::<PyTuple>() else { return Ok(None) };
            let places = match &class {
                Some((known, places)) if known.as_type_ptr() == row.get_type_ptr() => *places,
                _ => {
                    let Some(places) = places(&row.get_type(), fields)? else { return Ok(None) };
                    class = Some((row.get_type(), places));
                    places
                }
            };
            let Some(row) = items_of(row, places) else { return Ok(None) };
            for item in &row {
                prefetch(item.as_ptr());
            }
            items.push(row);
        }
        for row in items {
            if !add(row, &mut found)? {
                return Ok(None);
            }
        }
    }
}

/// The items of a row. A tuple may be shorter than its class has fields.
fn items_of<'a, 'py>(row: &'a Bound<'py, PyTuple>, places: [usize; 3]) -> Option<Items<'a, 'py>> {
    let [topic, document, score] = places.map(|place| row.get_borrowed_item(place).ok());
    Some([topic?, document?, score?])
}

/// Adds a row, if it is a plain one. Returns whether it is.
fn add([topic, document, score]: Items<'_, '_>, found: &mut RunRows) -> PyResult<bool> {
    let score = match score.cast_exact::<PyFloat>() {
        Ok(float) => Some(float.value()),
        Err(_) => score.extract().tried(score.py())?,
    };
    let (Some(score), Ok(topic), Ok(document)) = (
        score.filter(|score| score.is_finite()),
        topic.cast_exact::<PyString>(),
        document.cast_exact::<PyString>(),
    ) else {
        return Ok(false);
    };
    let (Ok(topic), Ok(document)) = (topic.to_str(), document.to_str()) else { return Ok(false) };
    found.add(topic.as_bytes(), document.as_bytes(), score, f64::NAN).or_raise()?;
    Ok(true)
}

/// The positions of fields in the tuples of a class; `None` if a field is not
/// an item of the tuple, as `namedtuple` defines fields.
fn places(class: &Bound<'_, PyType>, fields: [&str; 3]) -> PyResult<Option<[usize; 3]>> {
    let getter = class.py().import("_collections")?.getattr("_tuplegetter")?;
    let mut places = [0; 3];
    for (place, field) in places.iter_mut().zip(fields) {
        let Some(attribute) = class.getattr_opt(field)? else { return Ok(None) };
        if !attribute.get_type().is(&getter) {
            return Ok(None);
        }
        // The getter reduces to its class and arguments, the first of which is the position.
        let made = attribute.call_method0("__reduce__")?;
        let (_, (item, _)): (Bound<'_, PyAny>, (usize, Bound<'_, PyAny>)) = made.extract()?;
        *place = item;
    }
    Ok(Some(places))
}
