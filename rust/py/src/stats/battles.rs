//! Battles for `cranfield.battles`: counts of outcomes, and the Bradley-Terry model.

use std::collections::{BTreeMap, HashMap};

use cranfield_core::error::Kind;
use cranfield_core::stats::battles::{self, Meetings};
use numpy::{IntoPyArray, PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use pyo3::types::{PyString, PyTuple};

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

/// The names in order, and the numbers of the names with their outcomes.
type Counted<'py> = (Vec<String>, Bound<'py, PyArray2<u64>>);

#[doc = stub!("count_battles")]
#[pyfunction]
#[pyo3(signature = (battles, /))]
pub fn count_battles<'py>(py: Python<'py>, battles: &Bound<'py, PyAny>) -> PyResult<Counted<'py>> {
    let mut names = NumberedNames::default();
    let mut counts: HashMap<(u32, u32), [u64; 3]> = HashMap::new();
    let mut battle = 0u64;
    for value in battles.try_iter()? {
        battle += 1;
        if battle.is_multiple_of(1 << 16) {
            py.check_signals()?;
        }
        let [a, b, winner] = fields(&value?, battle)?;
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
        let cell = if first < second { (first, second) } else { (second, first) };
        let outcome = if first < second || outcome == 2 { outcome } else { 1 - outcome };
        counts.entry(cell).or_default()[outcome] += 1;
    }
    // In the order of names, so that the order of battles changes nothing.
    let mut order: Vec<usize> = (0..names.names.len()).collect();
    order.sort_unstable_by(|&a, &b| names.names[a].cmp(&names.names[b]));
    let mut rank = vec![0u64; order.len()];
    for (place, &number) in order.iter().enumerate() {
        rank[number] = place as u64;
    }
    let mut sorted = BTreeMap::new();
    for ((first, second), [wins, losses, ties]) in counts {
        let (a, b) = (rank[first as usize], rank[second as usize]);
        let row = if a < b { [a, b, wins, losses, ties] } else { [b, a, losses, wins, ties] };
        sorted.insert((row[0], row[1]), row);
    }
    let rows = sorted.len();
    let cells: Vec<u64> = sorted.into_values().flatten().collect();
    let sorted_names = order.iter().map(|&number| names.names[number].to_string()).collect();
    Ok((sorted_names, PyArray1::from_vec(py, cells).reshape([rows, 5])?))
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
    let found = watched(py, action)?;
    let size = strengths.len();
    let cells = interruptible(py, || {
        let row = |row: Option<Vec<f64>>| row.unwrap_or_else(|| vec![f64::NAN; size]);
        found.into_iter().flat_map(row).collect::<Vec<f64>>()
    })?;
    PyArray1::from_vec(py, cells).reshape([replicates, size])
}
