//! Markov precision, by the transition matrix of the chain.

use super::{List, Params};

/// The invariant distribution of a chain: solves p (I - P + E) = (1 ... 1),
/// where E is full of ones, by elimination.
fn invariant(chain: &[Vec<f64>]) -> Vec<f64> {
    let n = chain.len();
    // One row for each equation, that is for each column of the matrix.
    let mut rows: Vec<Vec<f64>> = (0..n)
        .map(|column| {
            let entry = |row: usize| f64::from(u8::from(row == column)) - chain[row][column] + 1.0;
            (0..n).map(entry).chain([1.0]).collect()
        })
        .collect();
    for pivot in 0..n {
        let largest = (pivot..n).max_by(|&a, &b| {
            let size = |row: usize| rows[row][pivot].abs();
            size(a).total_cmp(&size(b))
        });
        rows.swap(pivot, largest.unwrap());
        let pivotal = rows[pivot].clone();
        for (_, other) in rows.iter_mut().enumerate().filter(|&(row, _)| row != pivot) {
            let factor = other[pivot] / pivotal[pivot];
            for (entry, above) in other.iter_mut().zip(&pivotal) {
                *entry -= factor * above;
            }
        }
    }
    (0..n).map(|row| rows[row][n] / rows[row][row]).collect()
}

/// MP = sum over relevant documents retrieved of their share of the invariant
/// distribution times the precision there, times recall.
///
/// Source: Ferrante, Ferro and Maistro 2014; MATTERS, markovPrecision.m;
pub fn mp(params: &Params, list: &List) -> f64 {
    let first = list.first(params.k());
    let total = list.num_relevant(params.rel);
    if total == 0 {
        return f64::NAN;
    }
    let relevant_ranks: Vec<usize> =
        (1..=first.len()).filter(|rank| list.is_relevant(&first[rank - 1], params.rel)).collect();
    if relevant_ranks.is_empty() {
        return 0.0;
    }
    let only_relevant = params.text("states") == Some("relevant");
    let states = if only_relevant { relevant_ranks.clone() } else { (1..=first.len()).collect() };
    let mut chain = vec![vec![0.0; states.len()]; states.len()];
    for from in 0..states.len() {
        for to in 0..states.len() {
            let stays = from == to;
            let may_stay = params.flag("loops").unwrap_or(false) || states.len() == 1;
            let far = params.text("steps") == Some("local") && from.abs_diff(to) > 1;
            if far || stays && !may_stay {
                continue;
            }
            let distance = states[from].abs_diff(states[to]) as f64 + 1.0;
            chain[from][to] = match params.text("distance") {
                Some("log") => 1.0 / (distance + 1.0).log10(),
                Some("none") => 1.0,
                _ => 1.0 / distance,
            };
        }
        let whole: f64 = chain[from].iter().sum();
        for probability in &mut chain[from] {
            *probability /= whole;
        }
    }
    let share = invariant(&chain);
    let (mut sum, mut weights) = (0.0, 0.0);
    for (state, &rank) in states.iter().enumerate() {
        if relevant_ranks.contains(&rank) {
            let precision = list.relevant_among(&first[..rank], params.rel) as f64 / rank as f64;
            sum += share[state] * precision;
            weights += share[state];
        }
    }
    let recall = relevant_ranks.len() as f64 / total as f64;
    sum / weights * if params.flag("recall").unwrap_or(true) { recall } else { 1.0 }
}
