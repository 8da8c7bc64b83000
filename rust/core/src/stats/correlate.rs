//! Correlation and distance of scores: Pearson, Spearman, the error, the
//! largest fall, and matrices of any coefficient.
//!
//! A correlation of a constant is 0/0. It is an error here and never a
//! number; in a matrix its cells are NaN, so that one constant column does not
//! invalidate the others.

use rayon::prelude::*;

use super::distribution::{Student, normal_quantile};
use super::order::{
    self, ApTies, Correlation, DenseRanks, Variant, check_confidence, check_finite, check_pair,
    check_tolerance, undefined,
};
use crate::error::Result;
use crate::interrupt;

/// Values whose relative spread is below this are taken as constant: their
/// differences are rounding errors.
const SPREAD: f64 = 1e-13;

/// Pearson's product-moment correlation and its test by Student's t.
pub fn pearson(x: &[f64], y: &[f64]) -> Result<Correlation> {
    check_pair(x, y, 2)?;
    Ok(by_student(pearson_of(x, y)?, x.len()))
}

fn pearson_of(x: &[f64], y: &[f64]) -> Result<(f64, f64)> {
    let (x, y) = (centred(x)?, centred(y)?);
    interrupt::check()?;
    Ok(angle(&x, &y))
}

/// Values minus their mean, scaled to the magnitude of 1 so that no square
/// overflows.
fn centred(values: &[f64]) -> Result<Vec<f64>> {
    interrupt::check()?;
    let largest = values.iter().fold(0.0, |m: f64, v| m.max(v.abs()));
    if largest == 0.0 {
        return undefined("a correlation is undefined: all numbers in a list are equal");
    }
    let scaled: Vec<f64> = values.iter().map(|v| v / largest).collect();
    let mean = scaled.iter().sum::<f64>() / scaled.len() as f64;
    let from_mean: Vec<f64> = scaled.iter().map(|v| v - mean).collect();
    if from_mean.iter().all(|d| d.abs() <= SPREAD) {
        return undefined("a correlation is undefined: all numbers in a list are equal");
    }
    Ok(from_mean)
}

/// The cosine of two vectors that are not zero, and its squared sine.
///
/// The sine is computed from the difference and the sum of the unit vectors:
/// near -1 and 1 the cosine lacks the precision that the p-value needs.
fn angle(x: &[f64], y: &[f64]) -> (f64, f64) {
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let (x_square, y_square) = (dot(x, x), dot(y, y));
    let cosine = (dot(x, y) / (x_square * y_square).sqrt()).clamp(-1.0, 1.0);
    let (x_length, y_length) = (x_square.sqrt(), y_square.sqrt());
    let (mut apart, mut together) = (0.0, 0.0);
    for (x, y) in x.iter().zip(y) {
        let (x, y) = (x / x_length, y / y_length);
        apart += (x - y) * (x - y);
        together += (x + y) * (x + y);
    }
    (cosine, apart * together / 4.0)
}

/// A correlation of n items, with its two-sided probability by t with n - 2
/// degrees of freedom. With two items the correlation is -1 or 1.
fn by_student((cosine, sine): (f64, f64), n: usize) -> Correlation {
    let freedom = n as f64 - 2.0;
    let pvalue = if freedom == 0.0 {
        1.0
    } else if sine == 0.0 {
        0.0
    } else {
        Student::new(freedom).two_sided((cosine * cosine * freedom / sine).sqrt()).min(1.0)
    };
    Correlation { statistic: cosine, pvalue }
}

/// Fisher's interval of a correlation of n items (Metron 1, 1921): normal
/// with the variance 1/(n-3) after the inverse hyperbolic tangent.
///
/// With three items or fewer the interval is from -1 to 1.
pub fn fisher_interval(r: f64, n: usize, confidence: f64) -> Result<(f64, f64)> {
    check_confidence(confidence)?;
    if n <= 3 {
        return Ok((-1.0, 1.0));
    }
    let reach = normal_quantile(f64::midpoint(1.0, confidence)) / (n as f64 - 3.0).sqrt();
    let centre = r.atanh();
    Ok(((centre - reach).tanh(), (centre + reach).tanh()))
}

/// Spearman's correlation (Am. J. Psychology 15, 1904): Pearson's of the
/// ranks, tied items sharing the mean of theirs.
pub fn spearman(x: &[f64], y: &[f64], tolerance: f64) -> Result<Correlation> {
    check_tolerance(tolerance)?;
    check_pair(x, y, 2)?;
    let found = spearman_of(&DenseRanks::new(x, tolerance)?, &DenseRanks::new(y, tolerance)?)?;
    Ok(by_student(found, x.len()))
}

fn spearman_of(x: &DenseRanks, y: &DenseRanks) -> Result<(f64, f64)> {
    if x.constant() || y.constant() {
        return undefined("a correlation is undefined: all items of a list are tied");
    }
    let (x, y) = (doubled_ranks(x), doubled_ranks(y));
    interrupt::check()?;
    Ok(angle(&x, &y))
}

/// Twice the mean rank of each item, minus twice the mean of all: whole
/// numbers, so that sums are exact.
fn doubled_ranks(ranks: &DenseRanks) -> Vec<f64> {
    let mut below = 0.0;
    let centre = ranks.len() as f64;
    let by_rank: Vec<f64> = ranks
        .sizes
        .iter()
        .map(|&size| {
            let size = f64::from(size);
            below += size;
            2.0 * below - size - centre
        })
        .collect();
    ranks.of.iter().map(|&rank| by_rank[rank as usize]).collect()
}

/// The root of the mean squared difference (Yilmaz & Aslam, CIKM 2006,
/// section 2.2).
pub fn rms_error(estimate: &[f64], truth: &[f64]) -> Result<f64> {
    check_pair(estimate, truth, 1)?;
    Ok(rms_of(estimate, truth))
}

fn rms_of(estimate: &[f64], truth: &[f64]) -> f64 {
    let differences = || estimate.iter().zip(truth).map(|(e, a)| e - a);
    let largest = differences().fold(0.0, |m: f64, d| m.max(d.abs()));
    if largest == 0.0 || largest.is_infinite() {
        return largest;
    }
    let squares: f64 = differences().map(|d| (d / largest).powi(2)).sum();
    largest * (squares / estimate.len() as f64).sqrt()
}

/// The largest fall of an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Drop {
    /// By how many ranks.
    pub ranks: u32,
    /// The item, the first of those with the largest fall.
    pub item: usize,
    /// Its rank before, from 1.
    pub before: u32,
    /// Its rank after.
    pub after: u32,
}

/// The largest fall of an item's rank from one order to another. A rank is
/// one more than the number of items with higher scores, so tied items share
/// the best rank of their group.
pub fn max_drop(before: &[f64], after: &[f64], tolerance: f64) -> Result<Drop> {
    check_tolerance(tolerance)?;
    check_pair(before, after, 1)?;
    Ok(drop_of(&DenseRanks::new(before, tolerance)?, &DenseRanks::new(after, tolerance)?))
}

fn drop_of(before: &DenseRanks, after: &DenseRanks) -> Drop {
    let (before, after) = (best_ranks(before), best_ranks(after));
    let mut largest = Drop { ranks: 0, item: 0, before: before[0], after: after[0] };
    let mut fall = i64::MIN;
    for (item, (&before, &after)) in before.iter().zip(&after).enumerate() {
        if i64::from(after) - i64::from(before) > fall {
            fall = i64::from(after) - i64::from(before);
            // The first item cannot rise, so the largest fall is at least 0.
            largest = Drop { ranks: after.saturating_sub(before), item, before, after };
        }
    }
    largest
}

/// The rank of each item, from 1; tied items share the best.
fn best_ranks(ranks: &DenseRanks) -> Vec<u32> {
    let mut above = ranks.len() as u32;
    let mut by_rank = Vec::with_capacity(ranks.sizes.len());
    for size in &ranks.sizes {
        above -= size;
        by_rank.push(above + 1);
    }
    ranks.of.iter().map(|&rank| by_rank[rank as usize]).collect()
}

/// A coefficient of two columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Coefficient {
    /// Kendall's tau.
    Kendall(Variant),
    /// AP correlation; the row is the estimate, the column the truth.
    TauAp(ApTies),
    /// Spearman's correlation.
    Spearman,
    /// Pearson's correlation.
    Pearson,
    /// The root of the mean squared difference.
    RmsError,
    /// The largest fall from the row's order to the column's.
    MaxDrop,
}

impl Coefficient {
    fn of(self, row: &RankedColumn, column: &RankedColumn) -> Result<f64> {
        match self {
            Coefficient::Kendall(variant) => order::tau(&row.ranks, &column.ranks, variant),
            Coefficient::TauAp(ties) => order::ap_of(&row.ranks, &column.ranks, ties),
            Coefficient::Spearman => Ok(spearman_of(&row.ranks, &column.ranks)?.0),
            Coefficient::Pearson => Ok(pearson_of(row.values, column.values)?.0),
            Coefficient::RmsError => Ok(rms_of(row.values, column.values)),
            Coefficient::MaxDrop => Ok(f64::from(drop_of(&row.ranks, &column.ranks).ranks)),
        }
    }

    /// Whether the coefficient is symmetric.
    fn symmetric(self) -> bool {
        !matches!(self, Coefficient::MaxDrop | Coefficient::TauAp(ApTies::Average | ApTies::A))
    }
}

struct RankedColumn<'a> {
    values: &'a [f64],
    ranks: DenseRanks,
}

/// A coefficient of all pairs of columns: row after row, NaN where it is
/// undefined.
pub fn matrix(columns: &[Vec<f64>], coefficient: Coefficient, tolerance: f64) -> Result<Vec<f64>> {
    check_tolerance(tolerance)?;
    let Some(first) = columns.first() else { return Ok(Vec::new()) };
    for column in columns {
        check_pair(first, column, 2)?;
        check_finite(column)?;
    }
    let columns: Vec<RankedColumn> = columns
        .par_iter()
        .map(|values| Ok(RankedColumn { values, ranks: DenseRanks::new(values, tolerance)? }))
        .collect::<Result<_>>()?;
    let n = columns.len();
    let stop = interrupt::stop();
    // Each cell is computed separately, so that threads cannot change a bit.
    let cells: Vec<f64> = (0..n * n)
        .into_par_iter()
        .map(|cell| {
            if stop.as_ref().is_some_and(|stop| stop()) {
                return f64::NAN;
            }
            let (row, column) = (cell / n, cell % n);
            if column < row && coefficient.symmetric() {
                return f64::NAN;
            }
            coefficient.of(&columns[row], &columns[column]).unwrap_or(f64::NAN)
        })
        .collect();
    interrupt::check()?;
    let mirrored = |cell: usize| {
        let (row, column) = (cell / n, cell % n);
        if column < row && coefficient.symmetric() { column * n + row } else { cell }
    };
    Ok((0..n * n).map(|cell| cells[mirrored(cell)]).collect())
}

#[cfg(test)]
mod tests {
    use super::super::order::kendall;
    use super::*;
    use crate::error::Kind;

    fn close(found: f64, expected: f64) {
        assert!((found - expected).abs() <= 1e-13 * expected.abs().max(1.0), "{found} {expected}");
    }

    #[test]
    fn spearman_is_pearson_of_ranks() {
        // Ranks 1 2 3 4 and 2 1 3 4: 1 - 6 * 2 / (4 * 15) = 4/5; t = 0.8 sqrt(2 / 0.36), and with
        // two degrees of freedom the probability is 1 - t / sqrt(2 + t^2) = 1 - 0.8.
        let found = spearman(&[0.1, 0.2, 0.5, 0.9], &[2.0, 1.0, 3.0, 7.0], 0.0).unwrap();
        close(found.statistic, 0.8);
        close(found.pvalue, 0.2);
        assert_eq!(spearman(&[1.0, 2.0, 5.0], &[3.0, 2.0, 1.0], 0.0).unwrap().statistic, -1.0);
    }

    #[test]
    fn pearson_is_undefined_for_constants() {
        // Deviations -1 0 1 and -1 1 0: 1 / sqrt(2 * 2).
        close(pearson(&[1.0, 2.0, 3.0], &[1.0, 3.0, 2.0]).unwrap().statistic, 0.5);
        for constant in [[0.0; 3], [0.1; 3], [0.3, 0.1 + 0.2, 0.3]] {
            let error = pearson(&constant, &[1.0, 2.0, 3.0]).unwrap_err();
            assert_eq!(error.kind(), Kind::Undefined);
        }
        let huge = [1e300, 2e300, 3e300];
        close(pearson(&huge, &[1e-300, 3e-300, 2e-300]).unwrap().statistic, 0.5);
    }

    #[test]
    fn fishers_interval_is_symmetric_after_the_transformation() {
        let (low, high) = fisher_interval(0.5, 28, 0.95).unwrap();
        close(low.atanh() + high.atanh(), 2.0 * 0.5f64.atanh());
        // 1.959963984540054 / sqrt(25)
        close((high.atanh() - low.atanh()) / 2.0, 1.959_963_984_540_054 / 5.0);
        assert_eq!(fisher_interval(1.0, 3, 0.95).unwrap(), (-1.0, 1.0));
        assert_eq!(fisher_interval(1.0, 9, 0.95).unwrap(), (1.0, 1.0));
        assert!(fisher_interval(0.5, 9, 1.0).is_err());
    }

    #[test]
    fn the_error_is_the_root_of_the_mean_square() {
        // (9 + 16) / 2
        close(rms_error(&[3.0, 0.0], &[0.0, 4.0]).unwrap(), 12.5f64.sqrt());
        assert_eq!(rms_error(&[], &[]).unwrap_err().kind(), Kind::Undefined);
    }

    #[test]
    fn the_largest_fall_is_found() {
        let drop = max_drop(&[4.0, 3.0, 2.0, 1.0], &[4.0, 1.0, 3.0, 2.0], 0.0).unwrap();
        assert_eq!(drop, Drop { ranks: 2, item: 1, before: 2, after: 4 });
        // Ties share the best rank: only the second of the tied falls.
        let drop = max_drop(&[1.0, 1.0], &[2.0, 1.0], 0.0).unwrap();
        assert_eq!(drop, Drop { ranks: 1, item: 1, before: 1, after: 2 });
        let drop = max_drop(&[2.0, 1.0], &[1.0, 1.0], 0.0).unwrap();
        assert_eq!(drop, Drop { ranks: 0, item: 0, before: 1, after: 1 });
    }

    #[test]
    fn a_constant_column_leaves_the_others_alone() {
        let columns = [vec![1.0, 2.0, 3.0], vec![1.0; 3], vec![1.0, 3.0, 2.0]];
        let tau = matrix(&columns, Coefficient::Kendall(Variant::B), 0.0).unwrap();
        let expected =
            kendall(&columns[0], &columns[2], Variant::B, order::TauMethod::Auto, 0.0).unwrap();
        assert_eq!((tau[0], tau[2], tau[6]), (1.0, expected.statistic, expected.statistic));
        assert!(tau[1].is_nan() && tau[4].is_nan() && tau[5].is_nan());
    }
}
