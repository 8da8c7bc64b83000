//! Agreement of judges beyond chance: kappa and Krippendorff's alpha.
//!
//! All are 1 - observed / expected disagreement. They differ in the model of
//! chance: each judge with a separate distribution of labels, all judges with the
//! same distribution, every label equally likely, or all labels drawn without replacement. If chance alone
//! agrees completely, the coefficient is 0/0, which is an error.

use super::distribution::{normal_quantile, normal_sf};
use super::order::{check_confidence, check_finite, undefined};
use crate::error::{Error, Kind, Result};

/// The agreement of two or more judges.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Agreement {
    /// Kappa.
    pub statistic: f64,
    /// The observed share of agreement.
    pub observed: f64,
    /// The share of agreement expected by chance.
    pub expected: f64,
    /// The two-sided probability of a kappa as far from 0 if only chance
    /// agreed, by the normal distribution.
    pub pvalue: f64,
    /// The standard error of kappa; NaN where no formula is known.
    pub error: f64,
}

/// Whose label frequencies determine the agreement by chance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Marginals {
    /// Those of both judges together (Scott 1955; Siegel & Castellan 1988).
    Pooled,
    /// Each judge's own (Cohen 1960).
    Separate,
    /// Nobody's: every label is equally likely (Bennett, Alpert & Goldstein 1954).
    Uniform,
}

/// A square matrix, row after row.
struct Square<'a> {
    cells: &'a [f64],
    size: usize,
}

impl Square<'_> {
    fn new(cells: &[f64], size: usize) -> Result<Square<'_>> {
        if cells.len() != size * size {
            return Err(Error::new(Kind::Type, "the matrix is not square"));
        }
        check_finite(cells)?;
        if cells.iter().any(|&cell| cell < 0.0) {
            return Err(Error::new(
                Kind::Number,
                "a negative number is neither a count nor a weight",
            ));
        }
        Ok(Square { cells, size })
    }

    fn rows(&self) -> impl Iterator<Item = &[f64]> {
        self.cells.chunks(self.size)
    }

    /// The sums over each row, weighted.
    fn times(&self, vector: &[f64]) -> Vec<f64> {
        self.rows().map(|row| dot(row, vector)).collect()
    }

    /// The sums over each column, weighted.
    fn transposed_times(&self, vector: &[f64]) -> Vec<f64> {
        let mut sums = vec![0.0; self.size];
        for (row, factor) in self.rows().zip(vector) {
            for (sum, cell) in sums.iter_mut().zip(row) {
                *sum += cell * factor;
            }
        }
        sums
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Kappa of two judges from a table of counts, the first judge's labels in
/// rows (Cohen 1960; weighted: Cohen 1968; pooled: IIR eq. 8.10).
///
/// `weights` says how much each pair of labels disagrees, 0 on the diagonal;
/// only the proportions of its cells matter. Standard errors are those of
/// Fleiss, Cohen & Everitt (Psychological Bulletin 72, 1969), which are the
/// delta method; for other marginals they are found in the same way. Uniform
/// marginals do not depend on the table: of two labels chance agrees in one half.
pub fn kappa(
    table: &[f64],
    weights: &[f64],
    labels: usize,
    marginals: Marginals,
) -> Result<Agreement> {
    let (table, weights) = (Square::new(table, labels)?, Square::new(weights, labels)?);
    let items: f64 = table.cells.iter().sum();
    if items == 0.0 {
        return undefined("kappa is undefined: there is no item");
    }
    if (0..labels).any(|i| weights.cells[i * labels + i] != 0.0) {
        return Err(Error::new(
            Kind::Option,
            "weights: expected 0 on the diagonal, since a label agrees with itself",
        ));
    }
    let largest = weights.cells.iter().fold(0.0, |m: f64, w| m.max(*w));
    if largest == 0.0 {
        return undefined("kappa is undefined: no two labels disagree");
    }
    let weights: Vec<f64> = weights.cells.iter().map(|w| w / largest).collect();
    let weights = Square { cells: &weights, size: labels };

    let shares: Vec<f64> = table.cells.iter().map(|n| n / items).collect();
    let shares = Square { cells: &shares, size: labels };
    let ones = vec![1.0; labels];
    let (mut rows, mut columns) = (shares.times(&ones), shares.transposed_times(&ones));
    match marginals {
        Marginals::Separate => {}
        Marginals::Pooled => {
            rows = rows.iter().zip(&columns).map(|(&a, &b)| f64::midpoint(a, b)).collect();
            columns.clone_from(&rows);
        }
        Marginals::Uniform => {
            rows = vec![1.0 / labels as f64; labels];
            columns.clone_from(&rows);
        }
    }
    // The expected disagreement of a label of one judge with the other by chance.
    let (mut of_row, mut of_column) = (weights.times(&columns), weights.transposed_times(&rows));
    let expected = dot(&rows, &of_row);
    if expected == 0.0 {
        return undefined(
            "kappa is undefined: all labels are the same, so chance agreement is perfect",
        );
    }
    match marginals {
        Marginals::Separate => {}
        Marginals::Pooled => {
            // A cell contributes half of its share to either label for either judge.
            let both: Vec<f64> =
                of_row.iter().zip(&of_column).map(|(&a, &b)| f64::midpoint(a, b)).collect();
            of_row.clone_from(&both);
            of_column = both;
        }
        // No cell moves what chance is expected to do.
        Marginals::Uniform => {
            of_row.fill(0.0);
            of_column.fill(0.0);
        }
    }
    let observed = dot(weights.cells, shares.cells);
    let ratio = observed / expected;
    // The derivatives of the statistic by the cells, at the table and by chance.
    let cells = || (0..labels).flat_map(|i| (0..labels).map(move |j| (i, j)));
    let slope = |ratio: f64| {
        let (of_row, of_column, weights) = (&of_row, &of_column, &weights);
        move |(i, j): (usize, usize)| {
            (ratio * (of_row[i] + of_column[j]) - weights.cells[i * labels + j]) / expected
        }
    };
    let error = spread(cells().map(slope(ratio)).zip(shares.cells.iter().copied())) / items;
    let chance = spread(cells().map(slope(1.0)).zip(cells().map(|(i, j)| rows[i] * columns[j])));
    let statistic = 1.0 - ratio;
    // With separate marginals kappa is 0 if a judge uses one label only, whatever the other does.
    let pvalue = if chance == 0.0 { 1.0 } else { by_normal(statistic / (chance / items).sqrt()) };
    let (observed, expected) = (1.0 - observed, 1.0 - expected);
    Ok(Agreement { statistic, observed, expected, pvalue, error: error.sqrt() })
}

/// The variance of values with their shares; 0 if only rounding is left.
fn spread(values: impl Iterator<Item = (f64, f64)>) -> f64 {
    let (mut mean, mut square) = (0.0, 0.0);
    for (value, share) in values {
        mean += share * value;
        square += share * value * value;
    }
    let variance = square - mean * mean;
    if variance <= 1e-14 * square { 0.0 } else { variance }
}

fn by_normal(z: f64) -> f64 {
    (2.0 * normal_sf(z.abs())).min(1.0)
}

/// The interval of a normal statistic with a standard error.
pub fn normal_interval(statistic: f64, error: f64, confidence: f64) -> Result<(f64, f64)> {
    check_confidence(confidence)?;
    if error.is_nan() {
        return undefined("no standard error is known, and so no confidence interval");
    }
    let reach = normal_quantile(f64::midpoint(1.0, confidence)) * error;
    Ok((statistic - reach, statistic + reach))
}

/// Kappa of any number of judges, the same for each item (Fleiss,
/// Psychological Bulletin 76, 1971): `counts` has a row for each item, with
/// the number of judges who chose each label. The test is that of Fleiss,
/// Nee & Landis (Psychological Bulletin 86, 1979).
pub fn fleiss_kappa(counts: &[f64], labels: usize) -> Result<Agreement> {
    check_finite(counts)?;
    if counts.iter().any(|&n| n < 0.0 || n.fract() != 0.0) {
        return Err(Error::new(Kind::Number, "a count of judges is a whole number from 0 up"));
    }
    if counts.is_empty() || labels == 0 {
        return undefined("kappa is undefined: there is no item");
    }
    let judges: f64 = counts[..labels].iter().sum();
    for (item, row) in counts.chunks(labels).enumerate() {
        let here: f64 = row.iter().sum();
        if here != judges {
            let message = format!(
                "item 1 has {judges} labels, item {} has {here}: all need as many",
                item + 1
            );
            return Err(Error::new(Kind::Option, message));
        }
    }
    if judges < 2.0 {
        return undefined("kappa is undefined: at least two judges are needed");
    }
    let items = (counts.len() / labels) as f64;
    let pairs = |row: &[f64]| row.iter().map(|n| n * (n - 1.0)).sum::<f64>();
    let observed =
        counts.chunks(labels).map(pairs).sum::<f64>() / (items * judges * (judges - 1.0));
    let share = |label| counts.iter().skip(label).step_by(labels).sum::<f64>() / (items * judges);
    let shares: Vec<f64> = (0..labels).map(share).collect();
    if shares.iter().filter(|&&p| p > 0.0).count() < 2 {
        return undefined(
            "kappa is undefined: all labels are the same, so chance agreement is perfect",
        );
    }
    let expected = dot(&shares, &shares);
    let statistic = (observed - expected) / (1.0 - expected);
    let spread: f64 = shares.iter().map(|p| p * (1.0 - p)).sum();
    let skew: f64 = shares.iter().map(|p| p * (1.0 - p) * (1.0 - 2.0 * p)).sum();
    let variance =
        2.0 * (spread * spread - skew) / (spread * spread * items * judges * (judges - 1.0));
    let pvalue = by_normal(statistic / variance.sqrt());
    Ok(Agreement { statistic, observed, expected, pvalue, error: f64::NAN })
}

/// The scale of measurement, which determines the distance of labels for alpha.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// 1 unless they are the same.
    Nominal,
    /// How many given labels are between them.
    Ordinal,
    /// Their difference.
    Interval,
    /// Their difference as a share of their sum.
    Ratio,
}

/// Krippendorff's alpha and its observed and expected disagreement.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Alpha {
    /// Alpha.
    pub statistic: f64,
    /// The mean squared distance within items.
    pub observed: f64,
    /// The mean squared distance of any two labels.
    pub expected: f64,
}

/// Krippendorff's alpha (Content Analysis, 2004, chapter 11): any number of
/// judges, labels missing or not.
///
/// `items` has the labels of each item, as positions in `values`, which is
/// ascending. Items with fewer than two labels are left out.
pub fn krippendorff_alpha(items: &[Vec<u32>], values: &[f64], scale: Scale) -> Result<Alpha> {
    check_finite(values)?;
    if scale == Scale::Ratio && values.iter().any(|&v| v < 0.0) {
        return Err(Error::new(Kind::Option, "level=\"ratio\" is for numbers from 0 up"));
    }
    let paired = || items.iter().filter(|labels| labels.len() > 1);
    let mut sizes = vec![0.0; values.len()];
    for &label in paired().flatten() {
        sizes[label as usize] += 1.0;
    }
    let all: f64 = sizes.iter().sum();
    if all == 0.0 {
        return undefined("alpha is undefined: no item has two labels");
    }
    if sizes.iter().filter(|&&n| n > 0.0).count() < 2 {
        return undefined(
            "alpha is undefined: all labels are the same, so chance agreement is perfect",
        );
    }
    let distance = Distance::new(&sizes, values, scale);
    let mut observed = 0.0;
    for labels in paired() {
        let mut labels = labels.clone();
        labels.sort_unstable();
        let groups: Vec<&[u32]> = labels.chunk_by(|a, b| a == b).collect();
        let counts = groups.iter().map(|group| (group[0] as usize, group.len() as f64));
        observed += distance.between_all(counts) / (labels.len() as f64 - 1.0);
    }
    let present = sizes.iter().copied().enumerate().filter(|&(_, n)| n > 0.0);
    let expected = distance.between_all(present) / (all * (all - 1.0));
    let observed = observed / all;
    Ok(Alpha { statistic: 1.0 - observed / expected, observed, expected })
}

/// The squared distance of labels.
struct Distance<'a> {
    scale: Scale,
    values: &'a [f64],
    /// The mean rank of each label among all given labels.
    middles: Vec<f64>,
}

impl<'a> Distance<'a> {
    fn new(sizes: &[f64], values: &'a [f64], scale: Scale) -> Self {
        let mut below = 0.0;
        let middle = |&size: &f64| {
            below += size;
            below - size / 2.0
        };
        Distance { scale, values, middles: sizes.iter().map(middle).collect() }
    }

    fn of(&self, a: usize, b: usize) -> f64 {
        let (x, y) = (self.values[a], self.values[b]);
        match self.scale {
            Scale::Nominal => 1.0,
            Scale::Ordinal => (self.middles[a] - self.middles[b]).powi(2),
            Scale::Interval => (x - y).powi(2),
            Scale::Ratio => ((x - y) / (x + y)).powi(2),
        }
    }

    /// The sum over all ordered pairs of different labels.
    fn between_all(&self, counts: impl Iterator<Item = (usize, f64)>) -> f64 {
        let counts: Vec<(usize, f64)> = counts.collect();
        let mut sum = 0.0;
        for (place, &(a, of_a)) in counts.iter().enumerate() {
            for &(b, of_b) in &counts[..place] {
                sum += of_a * of_b * self.of(a, b);
            }
        }
        2.0 * sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(found: f64, expected: f64) {
        assert!((found - expected).abs() <= 1e-13 * expected.abs().max(1.0), "{found} {expected}");
    }

    const NOMINAL: [f64; 4] = [0.0, 1.0, 1.0, 0.0];

    #[test]
    fn kappa_of_iir_table_8_2() {
        // 370 of 400 agree; pooled (320 + 310) / 800 and 170 / 800.
        let table = [300.0, 20.0, 10.0, 70.0];
        let pooled = kappa(&table, &NOMINAL, 2, Marginals::Pooled).unwrap();
        close(pooled.observed, 37.0 / 40.0);
        close(pooled.expected, 2129.0 / 3200.0);
        close(pooled.statistic, 277.0 / 357.0);
        let cohen = kappa(&table, &NOMINAL, 2, Marginals::Separate).unwrap();
        close(cohen.expected, 133.0 / 200.0);
        close(cohen.statistic, 52.0 / 67.0);
        // Two labels, and nothing assumed: (37/40 - 1/2) / (1/2).
        let uniform = kappa(&table, &NOMINAL, 2, Marginals::Uniform).unwrap();
        close(uniform.expected, 0.5);
        close(uniform.statistic, 17.0 / 20.0);
        close(uniform.error, (37.0 / 40.0 * 3.0 / 40.0 / 400.0_f64).sqrt() / 0.5);
        // Judges who use one of two labels agree all the same.
        let one = kappa(&[3.0, 0.0, 0.0, 0.0], &NOMINAL, 2, Marginals::Uniform).unwrap();
        close(one.statistic, 1.0);
    }

    #[test]
    fn a_judge_with_one_label_agrees_by_chance() {
        let found = kappa(&[3.0, 4.0, 0.0, 0.0], &NOMINAL, 2, Marginals::Separate).unwrap();
        close(found.statistic, 0.0);
        assert_eq!(found.pvalue, 1.0);
        for marginals in [Marginals::Separate, Marginals::Pooled] {
            let same = kappa(&[3.0, 0.0, 0.0, 0.0], &NOMINAL, 2, marginals);
            assert_eq!(same.unwrap_err().kind(), Kind::Undefined);
        }
    }

    #[test]
    fn two_judges_of_fleiss_are_pooled() {
        let found = fleiss_kappa(&[2.0, 0.0, 1.0, 1.0, 1.0, 1.0, 0.0, 2.0, 2.0, 0.0], 2).unwrap();
        let pooled = kappa(&[2.0, 1.0, 1.0, 1.0], &NOMINAL, 2, Marginals::Pooled).unwrap();
        close(found.statistic, pooled.statistic);
        close(found.expected, pooled.expected);
        assert!(fleiss_kappa(&[2.0, 0.0, 1.0, 0.0], 2).is_err());
        assert_eq!(fleiss_kappa(&[2.0, 0.0], 2).unwrap_err().kind(), Kind::Undefined);
    }

    #[test]
    fn alpha_of_two_judges() {
        // Labels 0 0, 0 1, 1 1: Do = 2/6; De = 2 * 3 * 3 / (6 * 5); 1 - (1/3) / (3/5).
        let items = [vec![0, 0], vec![0, 1], vec![1, 1], vec![1]];
        for scale in [Scale::Nominal, Scale::Interval, Scale::Ordinal, Scale::Ratio] {
            let found = krippendorff_alpha(&items, &[0.0, 1.0], scale).unwrap();
            close(found.statistic, 4.0 / 9.0);
        }
        let lonely = krippendorff_alpha(&[vec![0], vec![1]], &[0.0, 1.0], Scale::Nominal);
        assert_eq!(lonely.unwrap_err().kind(), Kind::Undefined);
        let same = krippendorff_alpha(&[vec![1, 1]], &[0.0, 1.0], Scale::Nominal);
        assert_eq!(same.unwrap_err().kind(), Kind::Undefined);
    }
}
