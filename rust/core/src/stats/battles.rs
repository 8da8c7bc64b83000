//! The Bradley-Terry model: strengths of competitors from battles between two of them.
//!
//! The probability that `a` beats `b` is 1 / (1 + exp(-d)) with the difference d of their
//! strengths; a tie counts as half a win for either (Bradley & Terry, Biometrika 39, 1952).
//! The likelihood has a finite maximum if and only if nobody can be split off who never lost
//! or tied against the rest (Ford, American Mathematical Monthly 64, 1957): if the graph of
//! who beat whom is strongly connected.

use super::order::undefined;
use super::resample::{self, Random, Work};
use crate::error::Result;
use crate::interrupt;
use crate::memory;

/// What two competitors did against each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Meetings {
    /// The number of a competitor.
    pub first: usize,
    /// The number of the other one.
    pub second: usize,
    /// How often the first won.
    pub wins: u64,
    /// How often the second won.
    pub losses: u64,
    /// How often neither won.
    pub ties: u64,
}

impl Meetings {
    fn battles(&self) -> u64 {
        self.wins + self.losses + self.ties
    }

    /// The score of the first: wins and half of the ties.
    fn score(&self) -> f64 {
        self.wins as f64 + 0.5 * self.ties as f64
    }
}

/// The competitors in parts within which everybody is connected with everybody by wins and
/// ties, those parts first that beat others. One part: the likelihood has a finite maximum.
pub fn parts(competitors: usize, meetings: &[Meetings]) -> Vec<Vec<usize>> {
    const NEW: usize = usize::MAX;
    let mut beaten = vec![Vec::new(); competitors];
    for met in meetings {
        if met.wins + met.ties > 0 {
            beaten[met.first].push(met.second);
        }
        if met.losses + met.ties > 0 {
            beaten[met.second].push(met.first);
        }
    }
    // Tarjan's algorithm with a stack of its own; it ends a part after all that it reaches.
    let (mut index, mut low) = (vec![NEW; competitors], vec![0; competitors]);
    let (mut open, mut is_open) = (Vec::new(), vec![false; competitors]);
    let (mut found, mut count) = (Vec::new(), 0);
    for root in 0..competitors {
        if index[root] != NEW {
            continue;
        }
        let mut path = vec![(root, 0)];
        while let Some(&mut (node, ref mut next)) = path.last_mut() {
            if *next == 0 {
                (index[node], low[node]) = (count, count);
                count += 1;
                open.push(node);
                is_open[node] = true;
            }
            if let Some(&other) = beaten[node].get(*next) {
                *next += 1;
                if index[other] == NEW {
                    path.push((other, 0));
                } else if is_open[other] {
                    low[node] = low[node].min(index[other]);
                }
                continue;
            }
            path.pop();
            if let Some(&(above, _)) = path.last() {
                low[above] = low[above].min(low[node]);
            }
            if low[node] == index[node] {
                let start = open.iter().rposition(|&one| one == node).unwrap_or(0);
                let mut part: Vec<usize> = open.drain(start..).collect();
                for &one in &part {
                    is_open[one] = false;
                }
                part.sort_unstable();
                found.push(part);
            }
        }
    }
    found.reverse();
    found
}

/// A symmetric positive definite matrix as L with L Lᵀ = it, row after row.
struct Cholesky {
    lower: Vec<f64>,
    size: usize,
}

impl Cholesky {
    fn new(mut matrix: Vec<f64>, size: usize) -> Result<Self> {
        for row in 0..size {
            if row % 64 == 0 {
                interrupt::check()?;
            }
            for column in 0..=row {
                let (above, below) = matrix.split_at(row * size);
                let left = &below[..column];
                let (sum, pivot) = if column == row {
                    (dot(left, left), 0.0)
                } else {
                    let other = &above[column * size..column * size + column];
                    (dot(left, other), above[column * size + column])
                };
                let rest = below[column] - sum;
                if column == row {
                    if rest.is_nan() || rest <= 0.0 {
                        return undefined("the strengths are too far apart to be computed");
                    }
                    matrix[row * size + row] = rest.sqrt();
                } else {
                    matrix[row * size + column] = rest / pivot;
                }
            }
        }
        Ok(Cholesky { lower: matrix, size })
    }

    fn solve(&self, right: &mut [f64]) {
        let row = |i: usize| &self.lower[i * self.size..(i + 1) * self.size];
        for i in 0..self.size {
            right[i] = (right[i] - dot(&row(i)[..i], &right[..i])) / row(i)[i];
        }
        for i in (0..self.size).rev() {
            right[i] /= row(i)[i];
            let value = right[i];
            for (one, cell) in right[..i].iter_mut().zip(&row(i)[..i]) {
                *one -= cell * value;
            }
        }
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// 1 / (1 + exp(-d)).
fn win(difference: f64) -> f64 {
    if difference >= 0.0 {
        1.0 / (1.0 + (-difference).exp())
    } else {
        let e = difference.exp();
        e / (1.0 + e)
    }
}

/// ln(1 + exp(d)).
fn softplus(difference: f64) -> f64 {
    difference.max(0.0) + (-difference.abs()).exp().ln_1p()
}

/// Strengths with mean 0 that make the battles most likely; or, with a `ridge`, the likelihood
/// less half the ridge times their squares.
///
/// An error of kind "undefined" if there is no finite maximum.
pub fn strengths(competitors: usize, meetings: &[Meetings], ridge: f64) -> Result<Vec<f64>> {
    if ridge == 0.0 && parts(competitors, meetings).len() > 1 {
        return undefined("the strengths have no finite maximum");
    }
    fitted(vec![0.0; competitors], meetings, ridge)
}

/// Newton's method from a first guess; the maximum exists.
fn fitted(mut found: Vec<f64>, meetings: &[Meetings], ridge: f64) -> Result<Vec<f64>> {
    const NEWTON_STEPS: usize = 200;
    let size = found.len();
    let mut now = likelihood(&found, meetings, ridge);
    for _ in 0..NEWTON_STEPS {
        let mut step: Vec<f64> = found.iter().map(|strength| -ridge * strength).collect();
        for met in meetings {
            let missing =
                met.score() - met.battles() as f64 * win(found[met.first] - found[met.second]);
            step[met.first] += missing;
            step[met.second] -= missing;
        }
        let mut matrix = information(&found, meetings, ridge);
        if ridge == 0.0 {
            // All strengths can move together; this keeps their mean where it is.
            let most = (0..size).map(|i| matrix[i * size + i]).fold(0.0, f64::max);
            for cell in &mut matrix {
                *cell += most / size as f64;
            }
        }
        Cholesky::new(matrix, size)?.solve(&mut step);
        let mut share = 1.0;
        let (next, then) = loop {
            let next: Vec<f64> = found.iter().zip(&step).map(|(a, b)| a + share * b).collect();
            let then = likelihood(&next, meetings, ridge);
            if then >= now - 1e-12 * now.abs() || share < 1e-6 {
                break (next, then);
            }
            share *= 0.5;
        };
        let moved = step.iter().fold(0.0f64, |most, step| most.max(share * step.abs()));
        let far = next.iter().fold(1.0f64, |most, strength| most.max(strength.abs()));
        (found, now) = (next, then);
        if moved <= 1e-10 * far {
            let mean = found.iter().sum::<f64>() / size as f64;
            for strength in &mut found {
                *strength -= mean;
            }
            return Ok(found);
        }
    }
    undefined("the strengths are too far apart to be computed")
}

fn likelihood(strengths: &[f64], meetings: &[Meetings], ridge: f64) -> f64 {
    let met = |met: &Meetings| {
        let difference = strengths[met.first] - strengths[met.second];
        met.score() * difference - met.battles() as f64 * softplus(difference)
    };
    meetings.iter().map(met).sum::<f64>() - 0.5 * ridge * dot(strengths, strengths)
}

/// The negative second derivatives of the likelihood, less a multiple of the squares.
fn information(strengths: &[f64], meetings: &[Meetings], ridge: f64) -> Vec<f64> {
    let weight = |met: &Meetings| {
        let p = win(strengths[met.first] - strengths[met.second]);
        met.battles() as f64 * p * (1.0 - p)
    };
    laplacian(strengths.len(), meetings, weight, ridge)
}

/// The sum over meetings of weight times xxᵀ, where x is 1 for the first and -1 for the second.
fn laplacian(
    size: usize,
    meetings: &[Meetings],
    weight: impl Fn(&Meetings) -> f64,
    diagonal: f64,
) -> Vec<f64> {
    let mut matrix = vec![0.0; size * size];
    for i in 0..size {
        matrix[i * size + i] = diagonal;
    }
    for met in meetings {
        let (a, b, weight) = (met.first, met.second, weight(met));
        matrix[a * size + a] += weight;
        matrix[b * size + b] += weight;
        matrix[a * size + b] -= weight;
        matrix[b * size + a] -= weight;
    }
    matrix
}

/// The sandwich covariance of strengths, row after row: it holds even where the model does not
/// (White, Econometrica 50, 1982). `steady` times the number of battles is added to the
/// diagonal of the information.
pub fn covariance(
    strengths: &[f64],
    meetings: &[Meetings],
    ridge: f64,
    steady: f64,
) -> Result<Vec<f64>> {
    let size = strengths.len();
    let battles: u64 = meetings.iter().map(Meetings::battles).sum();
    let diagonal = ridge + steady * battles as f64;
    let bread = Cholesky::new(information(strengths, meetings, diagonal), size)?;
    let squared = |met: &Meetings| {
        let p = win(strengths[met.first] - strengths[met.second]);
        let (wins, losses, ties) = (met.wins as f64, met.losses as f64, met.ties as f64);
        wins * (1.0 - p).powi(2) + losses * p.powi(2) + ties * (0.5 - p).powi(2)
    };
    // The bread on the right: the matrix is symmetric, so its rows are its columns.
    let mut half = laplacian(size, meetings, squared, 0.0);
    for row in half.chunks_exact_mut(size.max(1)) {
        interrupt::check()?;
        bread.solve(row);
    }
    let mut found = vec![0.0; size * size];
    let mut column = vec![0.0; size];
    for j in 0..size {
        interrupt::check()?;
        for (cell, row) in column.iter_mut().zip(half.chunks_exact(size)) {
            *cell = row[j];
        }
        bread.solve(&mut column);
        for (row, cell) in found.chunks_exact_mut(size).zip(&column) {
            row[j] = *cell;
        }
    }
    Ok(found)
}

/// What the sandwich of strengths is made of where each topic counts once (Liang and Zeger,
/// Biometrika 73, 1986): the information, and the sums over topics of the products of the
/// gradients of a topic's battles. `won` is the chance of the first competitor of each pair;
/// `diagonal` is added to that of the information.
pub fn clustered(
    competitors: usize,
    meetings: &[Meetings],
    won: &[f64],
    entries: &[TopicMeetings],
    diagonal: f64,
) -> Result<[Vec<f64>; 2]> {
    let mut bread = vec![0.0; competitors * competitors];
    for place in 0..competitors {
        bread[place * competitors + place] = diagonal;
    }
    let places = |met: &Meetings| [(met.first, met.first), (met.second, met.second)];
    let crossed = |met: &Meetings| [(met.first, met.second), (met.second, met.first)];
    for side in 0..4 {
        for (met, p) in meetings.iter().zip(won) {
            let weight = met.battles() as f64 * p * (1.0 - p);
            let ((row, column), weight) = match side {
                0 | 1 => (places(met)[side], weight),
                _ => (crossed(met)[side - 2], -weight),
            };
            bread[row * competitors + column] += weight;
        }
    }
    let gradient = |entry: &TopicMeetings| {
        let (p, [wins, losses, ties]) = (won[entry.pair], entry.done.map(|done| done as f64));
        wins * (1.0 - p) - losses * p + ties * (0.5 - p)
    };
    let mut meat = vec![0.0; competitors * competitors];
    // Sums of blocks, so that they are the same for any number of threads.
    for block in entries.chunk_by(|a, b| a.topic / TOPICS == b.topic / TOPICS) {
        let mut of_block = vec![0.0; competitors * competitors];
        for topic in block.chunk_by(|a, b| a.topic == b.topic) {
            interrupt::check()?;
            let mut sums = vec![0.0; competitors];
            for entry in topic {
                sums[meetings[entry.pair].first] += gradient(entry);
            }
            for entry in topic {
                sums[meetings[entry.pair].second] -= gradient(entry);
            }
            for (cells, a) in of_block.chunks_exact_mut(competitors).zip(&sums) {
                for (cell, b) in cells.iter_mut().zip(&sums) {
                    *cell += a * b;
                }
            }
        }
        for (sum, own) in meat.iter_mut().zip(of_block) {
            *sum += own;
        }
    }
    Ok([bread, meat])
}

/// How many topics are summed up at a time.
const TOPICS: usize = 1 << 12;

/// How often competitors were preferred, the most preferred first; of equals the first by number.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BattleRates {
    /// The numbers of the competitors.
    pub order: Vec<usize>,
    /// The share of battles that each won, a tie being half a win.
    pub rates: Vec<f64>,
    /// Battles won, tied and lost.
    pub outcomes: [Vec<i64>; 3],
    /// The rate of the competitor of a row against that of a column; NaN for two that never met.
    pub pairs: Vec<f64>,
    /// How often the two met.
    pub met: Vec<i64>,
}

impl BattleRates {
    /// Counts what each did.
    pub fn of(competitors: usize, meetings: &[Meetings]) -> BattleRates {
        let cells = competitors * competitors;
        let (mut won, mut tied, mut met) = (vec![0_u64; cells], vec![0_u64; cells], vec![0; cells]);
        for one in meetings {
            for (a, b, wins) in
                [(one.first, one.second, one.wins), (one.second, one.first, one.losses)]
            {
                let cell = a * competitors + b;
                (won[cell], tied[cell], met[cell]) = (wins, one.ties, one.battles());
            }
        }
        let rate = |won: u64, tied: u64, met: u64| (won as f64 + 0.5 * tied as f64) / met as f64;
        let of_run = |cells: &[u64], run: usize| -> u64 {
            cells[run * competitors..(run + 1) * competitors].iter().sum()
        };
        let own: Vec<[u64; 3]> = (0..competitors)
            .map(|run| [&won, &tied, &met].map(|cells| of_run(cells, run)))
            .collect();
        let rates: Vec<f64> = own.iter().map(|[won, tied, met]| rate(*won, *tied, *met)).collect();
        let mut order: Vec<usize> = (0..competitors).collect();
        order.sort_by(|a, b| rates[*b].total_cmp(&rates[*a]));
        let chosen: Vec<usize> =
            order.iter().flat_map(|a| order.iter().map(move |b| a * competitors + b)).collect();
        let counted = |count: fn(&[u64; 3]) -> u64| {
            order.iter().map(|run| count(&own[*run]) as i64).collect()
        };
        BattleRates {
            rates: order.iter().map(|run| rates[*run]).collect(),
            outcomes: [
                counted(|[won, ..]| *won),
                counted(|[_, tied, _]| *tied),
                counted(|[won, tied, met]| met - won - tied),
            ],
            pairs: chosen.iter().map(|cell| rate(won[*cell], tied[*cell], met[*cell])).collect(),
            met: chosen.iter().map(|cell| met[*cell] as i64).collect(),
            order,
        }
    }
}

/// Strengths under battles drawn with replacement, a row for each replicate; `None` where these
/// have no finite maximum.
pub fn resampled(
    strengths: &[f64],
    meetings: &[Meetings],
    ridge: f64,
    replicates: usize,
    seed: u64,
    work: &Work,
) -> Result<Vec<Option<Vec<f64>>>> {
    memory::room_for(replicates.saturating_mul(3 * size_of_val(strengths)))?;
    let fought =
        meetings.iter().fold(0, |sum: u64, m| sum.saturating_add(m.wins + m.losses + m.ties));
    memory::room_for((fought as usize).saturating_mul(2 * size_of::<u32>()))?;
    let outcomes = meetings.iter().enumerate().flat_map(|(place, met)| {
        [met.wins, met.losses, met.ties]
            .into_iter()
            .enumerate()
            .map(move |(outcome, times)| (3 * place + outcome, times))
    });
    let mut battles = Vec::new();
    for (outcome, times) in outcomes {
        battles.extend(std::iter::repeat_n(outcome as u32, times as usize));
    }
    let replicate = |k: usize| -> Result<Option<Vec<f64>>> {
        let mut random = Random::new(seed, k as u64, 0);
        let mut drawn = vec![0u64; 3 * meetings.len()];
        for place in 0..battles.len() {
            if place % (1 << 16) == 0 {
                interrupt::check()?;
            }
            drawn[battles[random.below(battles.len())] as usize] += 1;
        }
        let redrawn: Vec<Meetings> = meetings
            .iter()
            .zip(drawn.chunks_exact(3))
            .map(|(met, n)| Meetings { wins: n[0], losses: n[1], ties: n[2], ..*met })
            .collect();
        if ridge == 0.0 && parts(strengths.len(), &redrawn).len() > 1 {
            return Ok(None);
        }
        fitted(strengths.to_vec(), &redrawn, ridge).map(Some)
    };
    work.blocks(replicates, replicate)?.into_iter().collect()
}

/// What a pair did on one topic.
#[derive(Clone, Copy, Debug)]
pub struct TopicMeetings {
    /// The number of the topic.
    pub topic: usize,
    /// The place of the pair among all meetings.
    pub pair: usize,
    /// Wins of the first, of the second, and ties.
    pub done: [u64; 3],
}

/// Topics to be drawn with replacement, as many as there are.
#[derive(Clone, Copy, Debug)]
pub struct DrawnTopics<'a> {
    /// How many topics there are.
    pub topics: usize,
    /// What pairs did on each.
    pub entries: &'a [TopicMeetings],
    /// How often topics are drawn.
    pub replicates: usize,
    /// The seed of the draws.
    pub seed: u64,
}

/// Strengths under topics drawn with replacement, a row for each replicate; `None` where these
/// have no finite maximum.
pub fn resampled_topics(
    competitors: usize,
    meetings: &[Meetings],
    ridge: f64,
    asked: &DrawnTopics<'_>,
    work: &Work,
) -> Result<Vec<Option<Vec<f64>>>> {
    let drawn = resample::drawn(asked.topics, asked.replicates, asked.seed)?;
    let replicate = |k: usize| -> Result<Option<Vec<f64>>> {
        let mut times = vec![0u64; asked.topics];
        for &topic in &drawn[k * asked.topics..][..asked.topics] {
            times[topic as usize] += 1;
        }
        let none = |met: &Meetings| Meetings { wins: 0, losses: 0, ties: 0, ..*met };
        let mut redrawn: Vec<Meetings> = meetings.iter().map(none).collect();
        for entry in asked.entries {
            let (met, times) = (&mut redrawn[entry.pair], times[entry.topic]);
            met.wins += times * entry.done[0];
            met.losses += times * entry.done[1];
            met.ties += times * entry.done[2];
        }
        if ridge == 0.0 && parts(competitors, &redrawn).len() > 1 {
            return Ok(None);
        }
        strengths(competitors, &redrawn, ridge).map(Some)
    };
    work.blocks(asked.replicates, replicate)?.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Kind;

    fn met(first: usize, second: usize, wins: u64, losses: u64, ties: u64) -> Meetings {
        Meetings { first, second, wins, losses, ties }
    }

    /// x-y 5/3/2, x-z 7/2/1, y-z 4/4/2: arena-rank rates them 1084.867, 975.730 and 939.402, with
    /// the standard errors 50.04, 48.60 and 48.51.
    #[test]
    fn three_competitors_with_ties() {
        let meetings = [met(0, 1, 5, 3, 2), met(0, 2, 7, 2, 1), met(1, 2, 4, 4, 2)];
        let found = strengths(3, &meetings, 0.0).unwrap();
        let scale = 400.0 / std::f64::consts::LN_10;
        let ratings: Vec<f64> = found.iter().map(|s| 1000.0 + scale * s).collect();
        for (rating, expected) in ratings.iter().zip([1084.867, 975.730, 939.402]) {
            assert!((rating - expected).abs() < 1e-3, "{rating} {expected}");
        }
        let spread = covariance(&found, &meetings, 0.0, 1e-5).unwrap();
        for (i, expected) in [50.04, 48.60, 48.51].into_iter().enumerate() {
            let error = scale * spread[4 * i].sqrt();
            assert!((error - expected).abs() < 5e-3, "{error} {expected}");
        }
    }

    #[test]
    fn parts_come_with_winners_first() {
        let meetings = [met(2, 0, 3, 0, 0), met(0, 1, 1, 1, 0), met(3, 3, 0, 0, 0)];
        let found = parts(4, &meetings);
        assert_eq!(found.len(), 3);
        let place = |one| found.iter().position(|part| part.contains(&one)).unwrap();
        assert!(place(2) < place(0));
        assert_eq!(place(0), place(1));
        assert_eq!(strengths(4, &meetings, 0.0).unwrap_err().kind(), Kind::Undefined);
        let ridged = strengths(4, &meetings, 0.1).unwrap();
        assert!(ridged[2] > ridged[0] && ridged.iter().sum::<f64>().abs() < 1e-12);
        assert_eq!(parts(2, &[met(0, 1, 0, 0, 1)]), [[0, 1]]);
    }

    #[test]
    fn one_tie_among_many_wins_is_enough() {
        let found = strengths(2, &[met(0, 1, 1_000_000, 0, 1)], 0.0).unwrap();
        // p = (10^6 + 1/2) / (10^6 + 1)
        let expected = (1_000_000.5f64 / 0.5).ln();
        assert!((found[0] - found[1] - expected).abs() < 1e-6);
    }

    #[test]
    fn draws_do_not_depend_on_threads() {
        let meetings = [met(0, 1, 5, 3, 2), met(0, 2, 7, 2, 1), met(1, 2, 4, 4, 2)];
        let found = strengths(3, &meetings, 0.0).unwrap();
        let drawn = |threads| {
            let work = Work { threads: Some(threads) };
            resampled(&found, &meetings, 0.0, 50, 1, &work).unwrap()
        };
        assert_eq!(drawn(1), drawn(3));
        assert!(drawn(1).iter().flatten().count() > 40);
    }
}
