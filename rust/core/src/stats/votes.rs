//! Rank aggregation across tasks: a row for each competitor, a column for each task, NaN where
//! there is no value. Higher values are better.

use crate::error::Result;
use crate::interrupt;

/// Values that differ by no more than this share of the larger one are equal.
const TIED: f64 = 1e-9;

fn tied(one: f64, other: f64) -> bool {
    (one - other).abs() <= TIED * one.abs().max(other.abs())
}

fn beats(one: f64, other: f64) -> bool {
    one > other && !tied(one, other)
}

/// Borda's count: how many competitors each one beats, summed over tasks; a tie is one half.
/// One without a value on a task is beaten there by all that have one.
pub fn borda(rows: &[Vec<f64>]) -> Result<Vec<f64>> {
    let halves = |one: f64, other: f64| match (one.is_nan(), other.is_nan()) {
        (false, true) => 2,
        (false, false) => 2 * u64::from(beats(one, other)) + u64::from(tied(one, other)),
        (true, _) => 0,
    };
    let points = |(place, row): (usize, &Vec<f64>)| {
        interrupt::check()?;
        let others = rows.iter().enumerate().filter(|(other, _)| *other != place);
        let tasks = others.flat_map(|(_, other)| row.iter().zip(other));
        Ok(tasks.map(|(one, other)| halves(*one, *other)).sum::<u64>() as f64 / 2.0)
    };
    rows.iter().enumerate().map(points).collect()
}

/// Copeland's count: 1 for each competitor that each one beats on more tasks than it loses to,
/// 1/2 for each with as many.
pub fn copeland(rows: &[Vec<f64>]) -> Result<Vec<f64>> {
    let points = |(place, margins): (usize, Vec<i64>)| {
        let others = margins.iter().enumerate().filter(|(other, _)| *other != place);
        others.map(|(_, margin)| 1 + margin.signum()).sum::<i64>() as f64 / 2.0
    };
    Ok(margins(rows)?.into_iter().enumerate().map(points).collect())
}

/// The competitor that beats every other one on more tasks than it loses to, if there is one.
pub fn condorcet_winner(rows: &[Vec<f64>]) -> Result<Option<usize>> {
    let wins = |(place, margins): &(usize, Vec<i64>)| {
        margins.iter().enumerate().all(|(other, margin)| other == *place || *margin > 0)
    };
    Ok(margins(rows)?.into_iter().enumerate().find(wins).map(|(place, _)| place))
}

/// On how many more tasks each one beats each other than it loses.
fn margins(rows: &[Vec<f64>]) -> Result<Vec<Vec<i64>>> {
    let margin = |one: &[f64], other: &[f64]| {
        let tasks = one.iter().zip(other);
        tasks.map(|(a, b)| i64::from(beats(*a, *b)) - i64::from(beats(*b, *a))).sum()
    };
    let against = |one: &Vec<f64>| {
        interrupt::check()?;
        Ok(rows.iter().map(|other| margin(one, other)).collect())
    };
    rows.iter().map(against).collect()
}
