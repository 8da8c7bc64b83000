//! Two judges: how far they agree on documents, and whether they put runs in the same order.

use std::collections::HashMap;

use crate::error::{Error, Kind, Result};
use crate::interrupt;
use crate::memory;
use crate::numbers::pairwise_sum;
use crate::qrels::Qrels;
use crate::stats::agree::{Marginals, Scale, kappa, krippendorff_alpha};
use crate::stats::correlate::{pearson, spearman};
use crate::stats::order::{ApTies, TauMethod, Variant, kendall, tau_ap, tau_gap};
use crate::stats::paired::ScoreTable;
use crate::stats::resample::drawn;

/// How far two judges agree on the documents of the topics that both have.
#[derive(Clone, Debug, Default)]
pub struct JudgedTwice {
    /// The places of these topics among those of the first judge.
    pub topics: Vec<usize>,
    /// The grades, ascending.
    pub grades: Vec<f64>,
    /// How often each pair of grades was given: the first judge's in rows.
    pub matrix: Vec<f64>,
    /// Of each topic the number of documents; kappa of relevant or not for each grade above 0, of
    /// grades, and of grades weighted by their distance and by its square; alpha; the Jaccard
    /// index for each grade above 0; the proportions that the second judge graded higher and
    /// lower; and its mean grade minus that of the first. NaN for what is undefined.
    pub rows: Vec<Vec<f64>>,
    /// The same over all documents.
    pub all: Vec<f64>,
    /// The means over topics, of those where a value is defined.
    pub means: Vec<f64>,
}

/// A value; NaN where it is undefined, as for a run without a mean.
fn or_nan(found: Result<f64>) -> Result<f64> {
    match found {
        Err(error) if matches!(error.kind(), Kind::Undefined | Kind::Number) => Ok(f64::NAN),
        found => found,
    }
}

impl JudgedTwice {
    /// Of the topics that both have, all documents count that either judged: what the other did
    /// not judge, or only pooled, has grade 0 there.
    pub fn of(first: &Qrels, second: &Qrels, marginals: Marginals) -> Result<JudgedTwice> {
        let mut pairs: Vec<Vec<(f64, f64)>> = Vec::new();
        let mut topics = Vec::new();
        for (place, topic) in first.topics().iter().enumerate() {
            interrupt::check()?;
            let Some(other) = second.position(topic.id()) else { continue };
            let mut graded: Vec<(f64, f64)> = Vec::new();
            let mut known: HashMap<&[u8], usize> = HashMap::new();
            for (number, (_, document, grade)) in topic.judgments().enumerate() {
                graded.push((first.grades()[grade as usize], -1.0));
                known.insert(document, number);
            }
            for (_, document, grade) in second.topics()[other].judgments() {
                let grade = second.grades()[grade as usize];
                match known.get(document) {
                    Some(number) => graded[*number].1 = grade,
                    None => graded.push((-1.0, grade)),
                }
            }
            graded.retain(|(a, b)| *a >= 0.0 || *b >= 0.0);
            pairs.push(graded.iter().map(|(a, b)| (a.max(0.0), b.max(0.0))).collect());
            topics.push(place);
        }
        if topics.is_empty() {
            let message = "the two sets of judgments have no topic in common";
            return Err(Error::new(Kind::Label, message));
        }
        let mut grades: Vec<f64> = pairs.iter().flatten().flat_map(|(a, b)| [*a, *b]).collect();
        grades.push(0.0);
        grades.sort_by(f64::total_cmp);
        grades.dedup();
        let place = |grade: f64| grades.partition_point(|other| *other < grade) as u32;
        let placed: Vec<Vec<[u32; 2]>> = pairs
            .iter()
            .map(|own| own.iter().map(|(a, b)| [place(*a), place(*b)]).collect())
            .collect();
        let of = |pairs: &[[u32; 2]]| GradePairs::of(pairs, &grades, marginals).row(pairs);
        let rows = placed.iter().map(|own| of(own)).collect::<Result<Vec<_>>>()?;
        let every = placed.concat();
        let (all, matrix) = (of(&every)?, GradePairs::of(&every, &grades, marginals).matrix);
        let mean = |column: usize| {
            let known = rows.iter().map(|row| row[column]).filter(|value| !value.is_nan());
            let (sum, number) = known.fold((0.0, 0), |(sum, n), value| (sum + value, n + 1));
            if number == 0 { f64::NAN } else { sum / f64::from(number) }
        };
        let means = (0..all.len()).map(mean).collect();
        Ok(JudgedTwice { topics, grades, matrix, rows, all, means })
    }
}

/// How often each pair of grades was given to some documents.
struct GradePairs<'a> {
    grades: &'a [f64],
    matrix: Vec<f64>,
    marginals: Marginals,
}

impl<'a> GradePairs<'a> {
    fn of(pairs: &[[u32; 2]], grades: &'a [f64], marginals: Marginals) -> Self {
        let mut matrix = vec![0.0; grades.len() * grades.len()];
        for [a, b] in pairs {
            matrix[*a as usize * grades.len() + *b as usize] += 1.0;
        }
        GradePairs { grades, matrix, marginals }
    }

    /// A number for each cell, from the places of its grades.
    fn cells<T>(&self, of: impl Fn(usize, usize) -> T) -> Vec<T> {
        let size = self.grades.len();
        (0..size * size).map(|cell| of(cell / size, cell % size)).collect()
    }

    /// Every coefficient.
    fn row(&self, pairs: &[[u32; 2]]) -> Result<Vec<f64>> {
        let total: f64 = self.matrix.iter().sum();
        let levels: Vec<f64> = self.grades.iter().copied().filter(|grade| *grade > 0.0).collect();
        let halves: Vec<[f64; 4]> = levels.iter().map(|level| self.halves(*level)).collect();
        let mut found = vec![total];
        for half in &halves {
            found.push(self.kappa(half, &[0.0, 1.0, 1.0, 0.0])?);
        }
        let distance = self.cells(|a, b| (self.grades[a] - self.grades[b]).abs());
        let squared: Vec<f64> = distance.iter().map(|distance| distance * distance).collect();
        let unweighted = self.cells(|a, b| f64::from(a != b));
        for weights in [unweighted, distance, squared] {
            found.push(self.kappa(&self.matrix, &weights)?);
        }
        let items: Vec<Vec<u32>> = pairs.iter().map(|pair| pair.to_vec()).collect();
        let alpha = krippendorff_alpha(&items, self.grades, Scale::Ordinal);
        found.push(or_nan(alpha.map(|alpha| alpha.statistic))?);
        for [_, only_second, only_first, both] in halves {
            found.push(both / (both + only_first + only_second));
        }
        let matrix = |a: usize, b: usize| self.matrix[a * self.grades.len() + b];
        let over = self.cells(|a, b| if b > a { matrix(a, b) } else { 0.0 });
        let under = self.cells(|a, b| if b < a { matrix(a, b) } else { 0.0 });
        let lenient = self.cells(|a, b| matrix(a, b) * (self.grades[b] - self.grades[a]));
        for amounts in [over, under, lenient] {
            found.push(pairwise_sum(&amounts) / total);
        }
        Ok(found)
    }

    /// The matrix of two grades: not relevant, and relevant.
    fn halves(&self, level: f64) -> [f64; 4] {
        let mut halves = [0.0; 4];
        let half = |place: usize| usize::from(self.grades[place] >= level);
        for (cell, number) in self.matrix.iter().enumerate() {
            let (a, b) = (cell / self.grades.len(), cell % self.grades.len());
            halves[2 * half(a) + half(b)] += number;
        }
        halves
    }

    /// Kappa over the grades that are used; NaN where it is undefined.
    fn kappa(&self, matrix: &[f64], weights: &[f64]) -> Result<f64> {
        let size = matrix.len().isqrt();
        let mut used: Vec<usize> = (0..size)
            .filter(|a| (0..size).any(|b| matrix[a * size + b] + matrix[b * size + a] > 0.0))
            .collect();
        if self.marginals == Marginals::Uniform && !used.is_empty() {
            // Chance knows of all grades, whether anybody gave them here or not.
            used = (0..size).collect();
        }
        if used.len() < 2 {
            return Ok(f64::NAN);
        }
        let chosen = |cells: &[f64]| -> Vec<f64> {
            used.iter().flat_map(|a| used.iter().map(move |b| cells[a * size + b])).collect()
        };
        let found = kappa(&chosen(matrix), &chosen(weights), used.len(), self.marginals);
        or_nan(found.map(|found| found.statistic))
    }
}

/// The means of runs under two judges, higher ones better; nearly equal ones are tied.
#[derive(Clone, Copy, Debug)]
pub struct MeansTwice<'a> {
    /// Under the first judge.
    pub first: &'a [f64],
    /// Under the second.
    pub second: &'a [f64],
    /// Means that differ by less, relatively, are tied.
    pub tolerance: f64,
}

/// How far two judges put runs in the same order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OrderedTwice {
    /// Tau-b; AP correlation with the first order as truth, and with neither; the gap-sensitive
    /// one; Pearson's and Spearman's correlation. NaN for what is undefined.
    pub correlations: [f64; 6],
    /// Tau-b of the best runs under the first judge.
    pub top: f64,
    /// The pairs of these runs that are in the opposite order under the second judge.
    pub inverted: usize,
    /// The one of these runs that moves furthest, and by how many ranks it rises.
    pub moved: (usize, i64),
    /// The run that falls furthest of all, and by how many ranks it rises.
    pub fell: (usize, i64),
}

impl MeansTwice<'_> {
    fn is_above(&self, a: f64, b: f64) -> bool {
        a - b > self.tolerance * a.abs().max(b.abs())
    }

    /// Ranks from 1; tied means share the best.
    pub fn ranks(&self, means: &[f64]) -> Vec<i64> {
        let rank =
            |own: &f64| 1 + means.iter().filter(|other| self.is_above(**other, *own)).count();
        means.iter().map(|own| rank(own) as i64).collect()
    }

    fn tau(&self, first: &[f64], second: &[f64]) -> Result<f64> {
        let found = kendall(first, second, Variant::B, TauMethod::Asymptotic, self.tolerance);
        or_nan(found.map(|found| found.statistic))
    }

    /// How far the orders are the same, and what is inverted among the `top` best of the first.
    /// There is at least one run.
    pub fn order(&self, top: usize) -> Result<OrderedTwice> {
        let MeansTwice { first, second, tolerance } = *self;
        let mut best: Vec<usize> = (0..first.len()).collect();
        best.sort_by(|a, b| {
            let undefined = first[*a].is_nan().cmp(&first[*b].is_nan());
            undefined.then(first[*b].partial_cmp(&first[*a]).unwrap_or(std::cmp::Ordering::Equal))
        });
        best.truncate(top);
        let of_best = |means: &[f64]| best.iter().map(|run| means[*run]).collect::<Vec<f64>>();
        let inverted = |a: &usize, b: &usize| {
            self.is_above(first[*a], first[*b]) && self.is_above(second[*b], second[*a])
        };
        let each = best.iter().flat_map(|a| best.iter().map(move |b| (a, b)));
        let before = self.ranks(first).into_iter();
        let moved: Vec<i64> = before.zip(self.ranks(second)).map(|(a, b)| a - b).collect();
        let furthest = best.iter().copied().min_by_key(|run| (-moved[*run].abs(), *run));
        let lowest = (0..moved.len()).min_by_key(|run| moved[*run]);
        let of = |run: Option<usize>| run.map_or((0, 0), |run| (run, moved[run]));
        Ok(OrderedTwice {
            correlations: [
                self.tau(first, second)?,
                or_nan(tau_ap(second, first, ApTies::Average, tolerance))?,
                or_nan(tau_ap(second, first, ApTies::B, tolerance))?,
                or_nan(tau_gap(first, second))?,
                or_nan(pearson(first, second).map(|found| found.statistic))?,
                or_nan(spearman(first, second, tolerance).map(|found| found.statistic))?,
            ],
            top: self.tau(&of_best(first), &of_best(second))?,
            inverted: each.filter(|(a, b)| inverted(a, b)).count(),
            moved: of(furthest),
            fell: of(lowest),
        })
    }
}

/// Tau-b of the means of runs over resampled topics, the same ones under both judges. NaN where it
/// is undefined.
pub fn resampled_taus(
    first: ScoreTable<'_>,
    second: ScoreTable<'_>,
    tolerance: f64,
    resamples: usize,
    seed: u64,
) -> Result<Vec<f64>> {
    let topics = drawn(first.topics(), resamples, seed)?;
    let mut taus = Vec::new();
    memory::reserve(&mut taus, resamples)?;
    let means = |table: ScoreTable<'_>, topics: &[u32]| -> Vec<f64> {
        let mean = |run: usize| {
            let known = topics.iter().map(|topic| table.row(run)[*topic as usize]);
            let known = known.filter(|value| !value.is_nan());
            let (sum, number) = known.fold((0.0, 0), |(sum, n), value| (sum + value, n + 1));
            sum / f64::from(number)
        };
        (0..table.systems()).map(mean).collect()
    };
    for topics in topics.chunks_exact(first.topics()) {
        interrupt::check()?;
        let (a, b) = (means(first, topics), means(second, topics));
        taus.push(MeansTwice { first: &a, second: &b, tolerance }.tau(&a, &b)?);
    }
    Ok(taus)
}
