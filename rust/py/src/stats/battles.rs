//! Battles for `cranfield.battles`: counts of outcomes, and the Bradley-Terry model.

use std::collections::{BTreeMap, HashMap};

use cranfield_core::error::Kind;
use cranfield_core::stats::battles::{self, BattleRates, Meetings, TopicMeetings};
use numpy::{IntoPyArray, PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use pyo3::types::{PyList, PyString, PyTuple};

use super::paired::{replicates_of, seed_of, watched, work_of};
use crate::errors::{Tried, fail, refused};
use crate::values::in_order;
use crate::watch::interruptible;

/// For each pair that met: both competitors, wins of the first, wins of the second, ties.
type Outcomes<'py> = PyReadonlyArray2<'py, u64>;

fn meetings(outcomes: &Outcomes<'_>) -> PyResult<Vec<Meetings>> {
    let row = |row: &[u64]| Meetings {
        first: row[0] as usize,
        second: row[1] as usize,
        wins: row[2],
        losses: row[3],
        ties: row[4],
    };
    Ok(outcomes.as_slice()?.chunks_exact(5).map(row).collect())
}

/// Numbers of names in the order of their appearance.
#[derive(Default)]
struct NumberedNames {
    numbers: HashMap<Box<str>, u32>,
    names: Vec<Box<str>>,
}

impl NumberedNames {
    fn number(&mut self, name: &str) -> u32 {
        if let Some(&number) = self.numbers.get(name) {
            return number;
        }
        let number = self.names.len() as u32;
        self.numbers.insert(name.into(), number);
        self.names.push(name.into());
        number
    }
}

/// The text of a name; the error says which battle it is of.
fn name<'a>(value: &'a Bound<'_, PyAny>, battle: u64) -> PyResult<&'a str> {
    let text = value.cast::<PyString>().ok().map(|text| text.to_str()).transpose();
    match text.tried(value.py())?.flatten() {
        Some(text) if !text.is_empty() => Ok(text),
        _ => Err(refused(Kind::Type, value, |found| {
            format!("battle {battle}: expected the name of a run as text, found {found}")
        })),
    }
}

/// The two names, the winner and the topic of a battle that has one.
fn fields_with_topic<'py>(
    value: &Bound<'py, PyAny>,
    battle: u64,
) -> PyResult<[Bound<'py, PyAny>; 4]> {
    let is_sequence = value.is_instance_of::<PyTuple>() || value.is_instance_of::<PyList>();
    let parts = if is_sequence { in_order(value, "a battle").tried(value.py())? } else { None };
    parts.and_then(|parts| <[_; 4]>::try_from(parts).ok()).ok_or_else(|| {
        refused(Kind::Type, value, |found| {
            format!("battle {battle}: expected (a, b, winner, topic) with by_topic, found {found}")
        })
    })
}

/// The number of a topic.
fn topic(value: &Bound<'_, PyAny>, battle: u64, topics: &mut NumberedNames) -> PyResult<u32> {
    let text = value.cast::<PyString>().ok().map(|text| text.to_str()).transpose();
    match text.tried(value.py())?.flatten() {
        Some(text) if !text.is_empty() => Ok(topics.number(text)),
        _ => Err(refused(Kind::Type, value, |found| {
            format!("battle {battle}: expected a topic as text, found {found}")
        })),
    }
}

/// The two names and the winner of a battle.
fn fields<'py>(value: &Bound<'py, PyAny>, battle: u64) -> PyResult<[Bound<'py, PyAny>; 3]> {
    if let Ok(tuple) = value.cast::<PyTuple>()
        && tuple.len() == 3
    {
        return Ok([tuple.get_item(0)?, tuple.get_item(1)?, tuple.get_item(2)?]);
    }
    let parts = in_order(value, "a battle").tried(value.py())?;
    parts.and_then(|parts| <[_; 3]>::try_from(parts).ok()).ok_or_else(|| {
        refused(Kind::Type, value, |found| {
            format!("battle {battle}: expected (a, b, winner), found {found}")
        })
    })
}

/// Names and their order, which does not depend on that of battles.
fn sorted(names: &NumberedNames) -> (Vec<String>, Vec<u64>) {
    let mut order: Vec<usize> = (0..names.names.len()).collect();
    order.sort_unstable_by(|&a, &b| names.names[a].cmp(&names.names[b]));
    let mut rank = vec![0u64; order.len()];
    for (place, &number) in order.iter().enumerate() {
        rank[number] = place as u64;
    }
    (order.iter().map(|&number| names.names[number].to_string()).collect(), rank)
}

fn rows_of_five(py: Python<'_>, cells: Vec<u64>) -> PyResult<Bound<'_, PyArray2<u64>>> {
    let rows = cells.len() / 5;
    PyArray1::from_vec(py, cells).reshape([rows, 5])
}

/// The names in order, the numbers of the names with their outcomes, how many topics there are,
/// and the outcomes of each topic.
type Counted<'py> = (Vec<String>, Bound<'py, PyArray2<u64>>, usize, Bound<'py, PyArray2<u64>>);

#[doc = stub!("count_battles")]
#[pyfunction]
#[pyo3(signature = (battles, /, *, by_topic = false))]
pub fn count_battles<'py>(
    py: Python<'py>,
    battles: &Bound<'py, PyAny>,
    by_topic: bool,
) -> PyResult<Counted<'py>> {
    let (mut names, mut topics) = (NumberedNames::default(), NumberedNames::default());
    let mut counts: HashMap<(u32, u32, u32), [u64; 3]> = HashMap::new();
    let mut battle = 0u64;
    for value in battles.try_iter()? {
        battle += 1;
        if battle.is_multiple_of(1 << 16) {
            py.check_signals()?;
        }
        let (a, b, winner, about) = if by_topic {
            let [a, b, winner, about] = fields_with_topic(&value?, battle)?;
            (a, b, winner, topic(&about, battle, &mut topics)?)
        } else {
            let [a, b, winner] = fields(&value?, battle)?;
            (a, b, winner, 0)
        };
        let (first, second) = (name(&a, battle)?, name(&b, battle)?);
        if first == second {
            let message = format!("battle {battle}: {first:?} is on both sides");
            return Err(fail(Kind::Duplicate, message));
        }
        let outcome = if winner.is_none() {
            2
        } else {
            let won = name(&winner, battle)?;
            if won != first && won != second {
                let message = format!(
                    "battle {battle}: the winner {won:?} is neither {first:?} nor {second:?}; \
                     None is a tie"
                );
                return Err(fail(Kind::Option, message));
            }
            usize::from(won == second)
        };
        let (first, second) = (names.number(first), names.number(second));
        let cell = if first < second { (about, first, second) } else { (about, second, first) };
        let outcome = if first < second || outcome == 2 { outcome } else { 1 - outcome };
        counts.entry(cell).or_default()[outcome] += 1;
    }
    let ((sorted_names, rank), (_, topic_rank)) = (sorted(&names), sorted(&topics));
    let mut pairs: BTreeMap<(u64, u64), [u64; 3]> = BTreeMap::new();
    let mut of_topics = BTreeMap::new();
    for ((about, first, second), [wins, losses, ties]) in counts {
        let (a, b) = (rank[first as usize], rank[second as usize]);
        let (pair, done) =
            if a < b { ((a, b), [wins, losses, ties]) } else { ((b, a), [losses, wins, ties]) };
        let sums = pairs.entry(pair).or_default();
        sums.iter_mut().zip(done).for_each(|(sum, done)| *sum += done);
        if by_topic {
            of_topics.insert((topic_rank[about as usize], pair), done);
        }
    }
    let places: HashMap<(u64, u64), u64> = pairs.keys().copied().zip(0..).collect();
    let outcomes = pairs.into_iter().flat_map(|((a, b), [w, l, t])| [a, b, w, l, t]).collect();
    let entries = of_topics
        .into_iter()
        .flat_map(|((about, pair), [w, l, t])| [about, places[&pair], w, l, t]);
    let entries = rows_of_five(py, entries.collect())?;
    Ok((sorted_names, rows_of_five(py, outcomes)?, topics.names.len(), entries))
}

/// The order of the names; rates, wins, ties and losses in this order; rates against each other,
/// and how often two met.
type RatedBattles<'py> = (
    Vec<usize>,
    Bound<'py, PyArray1<f64>>,
    [Bound<'py, PyArray1<i64>>; 3],
    Bound<'py, PyArray2<f64>>,
    Bound<'py, PyArray2<i64>>,
);

#[doc = stub!("battle_rates")]
#[pyfunction]
#[pyo3(signature = (competitors, outcomes, /))]
pub fn battle_rates<'py>(
    py: Python<'py>,
    competitors: usize,
    outcomes: Outcomes<'py>,
) -> PyResult<RatedBattles<'py>> {
    let BattleRates { order, rates, outcomes, pairs, met } =
        BattleRates::of(competitors, &meetings(&outcomes)?);
    let outcomes = outcomes.map(|counts| counts.into_pyarray(py));
    let square = [competitors; 2];
    let pairs = PyArray1::from_vec(py, pairs).reshape(square)?;
    let met = PyArray1::from_vec(py, met).reshape(square)?;
    Ok((order, rates.into_pyarray(py), outcomes, pairs, met))
}

#[doc = stub!("battle_parts")]
#[pyfunction]
#[pyo3(signature = (competitors, outcomes, /))]
pub fn battle_parts(competitors: usize, outcomes: Outcomes<'_>) -> PyResult<Vec<Vec<usize>>> {
    Ok(battles::parts(competitors, &meetings(&outcomes)?))
}

#[doc = stub!("battle_strengths")]
#[pyfunction]
#[pyo3(signature = (competitors, outcomes, /, *, ridge))]
pub fn battle_strengths<'py>(
    py: Python<'py>,
    competitors: usize,
    outcomes: Outcomes<'py>,
    ridge: f64,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let meetings = meetings(&outcomes)?;
    let found = watched(py, || battles::strengths(competitors, &meetings, ridge))?;
    Ok(found.into_pyarray(py))
}

#[doc = stub!("battle_covariance")]
#[pyfunction]
#[pyo3(signature = (strengths, outcomes, /, *, ridge, steady))]
pub fn battle_covariance<'py>(
    py: Python<'py>,
    strengths: PyReadonlyArray1<'py, f64>,
    outcomes: Outcomes<'py>,
    ridge: f64,
    steady: f64,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let (meetings, strengths) = (meetings(&outcomes)?, strengths.as_array().to_vec());
    let found = watched(py, || battles::covariance(&strengths, &meetings, ridge, steady))?;
    PyArray1::from_vec(py, found).reshape([strengths.len(); 2])
}

#[doc = stub!("battle_resamples")]
#[pyfunction]
#[pyo3(signature = (strengths, outcomes, /, *, ridge, resamples, seed, threads = None))]
pub fn battle_resamples<'py>(
    py: Python<'py>,
    strengths: PyReadonlyArray1<'py, f64>,
    outcomes: Outcomes<'py>,
    ridge: f64,
    resamples: &Bound<'py, PyAny>,
    seed: &Bound<'py, PyAny>,
    threads: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let (replicates, seed, work) = (replicates_of(resamples)?, seed_of(seed)?, work_of(threads)?);
    let (meetings, strengths) = (meetings(&outcomes)?, strengths.as_array().to_vec());
    let action = || battles::resampled(&strengths, &meetings, ridge, replicates, seed, &work);
    strengths_of(py, watched(py, action)?, strengths.len())
}

/// Strengths as rows, NaN where they have no finite maximum.
fn strengths_of(
    py: Python<'_>,
    found: Vec<Option<Vec<f64>>>,
    size: usize,
) -> PyResult<Bound<'_, PyArray2<f64>>> {
    let replicates = found.len();
    let cells = interruptible(py, || {
        let row = |row: Option<Vec<f64>>| row.unwrap_or_else(|| vec![f64::NAN; size]);
        found.into_iter().flat_map(row).collect::<Vec<f64>>()
    })?;
    PyArray1::from_vec(py, cells).reshape([replicates, size])
}

#[doc = stub!("topic_battle_resamples")]
#[pyfunction]
#[pyo3(signature = (competitors, outcomes, topics, entries, /, *, ridge, resamples, seed, threads = None))]
#[expect(clippy::too_many_arguments, reason = "options by keyword")]
pub fn topic_battle_resamples<'py>(
    py: Python<'py>,
    competitors: usize,
    outcomes: Outcomes<'py>,
    topics: usize,
    entries: Outcomes<'py>,
    ridge: f64,
    resamples: &Bound<'py, PyAny>,
    seed: &Bound<'py, PyAny>,
    threads: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let (replicates, seed, work) = (replicates_of(resamples)?, seed_of(seed)?, work_of(threads)?);
    let (meetings, entries) = (meetings(&outcomes)?, entries_of(&entries)?);
    let drawn = battles::DrawnTopics { topics, entries: &entries, replicates, seed };
    let action = || battles::resampled_topics(competitors, &meetings, ridge, &drawn, &work);
    strengths_of(py, watched(py, action)?, competitors)
}

/// What pairs did on topics.
fn entries_of(entries: &Outcomes<'_>) -> PyResult<Vec<TopicMeetings>> {
    let entry = |row: &[u64]| TopicMeetings {
        topic: row[0] as usize,
        pair: row[1] as usize,
        done: [row[2], row[3], row[4]],
    };
    Ok(entries.as_slice()?.chunks_exact(5).map(entry).collect())
}

#[doc = stub!("topic_battle_sums")]
#[pyfunction]
#[pyo3(signature = (won, competitors, outcomes, entries, diagonal, /))]
pub fn topic_battle_sums<'py>(
    py: Python<'py>,
    won: PyReadonlyArray1<'py, f64>,
    competitors: usize,
    outcomes: Outcomes<'py>,
    entries: Outcomes<'py>,
    diagonal: f64,
) -> PyResult<[Bound<'py, PyArray2<f64>>; 2]> {
    let (meetings, entries) = (meetings(&outcomes)?, entries_of(&entries)?);
    let won = won.as_array().to_vec();
    let action = || battles::clustered(competitors, &meetings, &won, &entries, diagonal);
    let [bread, meat] = watched(py, action)?;
    let square = [competitors; 2];
    Ok([bread.into_pyarray(py).reshape(square)?, meat.into_pyarray(py).reshape(square)?])
}
