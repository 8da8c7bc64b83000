//! Systems that were run several times, from different seeds: the difference of two with both
//! kinds of chance, topics and seeds.

use super::compared::TIED_SCORES;
use super::distribution::Student;
use super::paired::{Pair, ScoreTable, TIE};
use super::power::TestDesign;

/// The variance of a system's runs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Seeds {
    /// How many runs.
    pub runs: usize,
    /// The variance of their means; NaN for one run.
    pub between: f64,
    /// The residual mean square of runs and topics; NaN for one run.
    pub residual: f64,
}

/// The difference of two systems.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SystemDifference {
    /// The mean difference over seeds and topics.
    pub mean: f64,
    /// Its variance, over new topics and new seeds.
    pub variance: f64,
    /// The degrees of freedom of the variance, by Satterthwaite.
    pub freedom: f64,
}

/// How the differences of systems are tested.
#[derive(Clone, Copy, Debug)]
pub struct SystemTest {
    /// The confidence of intervals.
    pub level: f64,
    /// The test of what is detectable.
    pub design: TestDesign,
    /// The chance to find a difference of that size.
    pub power: f64,
}

/// The test of a difference.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TestedSystems {
    /// The ends of the interval of the difference.
    pub ends: (f64, f64),
    /// The two-sided p-value of the t test with these degrees of freedom.
    pub pvalue: f64,
    /// The smallest difference that it finds.
    pub detectable: f64,
}

impl SystemTest {
    /// The test of a difference with its variance.
    pub fn of(&self, found: &SystemDifference) -> TestedSystems {
        let SystemDifference { mean, variance, freedom } = *found;
        let (error, student) = (variance.sqrt(), Student::new(freedom));
        let t = if mean.abs() <= TIED_SCORES { 0.0 } else { (mean / error).abs() };
        let reach = student.isf((1.0 - self.level) / 2.0) * error;
        let topics = freedom + 1.0;
        let detectable = self.design.detectable(topics, self.power) * topics.sqrt();
        TestedSystems {
            ends: (mean - reach, mean + reach),
            pvalue: (2.0 * student.sf(t)).min(1.0),
            detectable: detectable * error,
        }
    }
}

/// The means over seeds, a row for each system, of a table without NaN. `systems` has the rows of
/// each system.
pub fn seed_means(table: ScoreTable<'_>, systems: &[Vec<usize>]) -> Vec<f64> {
    let mut means = Vec::with_capacity(systems.len() * table.topics());
    for rows in systems {
        let runs = rows.len() as f64;
        means.extend(
            (0..table.topics())
                .map(|topic| rows.iter().map(|&row| table.row(row)[topic]).sum::<f64>() / runs),
        );
    }
    means
}

/// The variances of the runs of each system.
pub fn seeds(table: ScoreTable<'_>, systems: &[Vec<usize>], means: &[f64]) -> Vec<Seeds> {
    let n = table.topics() as f64;
    let one = |(rows, means): (&Vec<usize>, &[f64])| {
        let runs = rows.len();
        if runs < 2 {
            return Seeds { runs, between: f64::NAN, residual: f64::NAN };
        }
        let of_run: Vec<f64> =
            rows.iter().map(|&row| table.row(row).iter().sum::<f64>() / n).collect();
        let grand = of_run.iter().sum::<f64>() / runs as f64;
        let between = of_run.iter().map(|x| (x - grand) * (x - grand)).sum::<f64>();
        let mut squares = 0.0;
        for (&row, of_run) in rows.iter().zip(&of_run) {
            for (x, mean) in table.row(row).iter().zip(means) {
                let rest = x - of_run - mean + grand;
                squares += rest * rest;
            }
        }
        let free = runs as f64 - 1.0;
        Seeds { runs, between: between / free, residual: squares / (free * (n - 1.0)) }
    };
    systems.iter().zip(means.chunks_exact(table.topics())).map(one).collect()
}

/// The differences of pairs of systems, for at least two topics.
///
/// `V = S_T^2 / n + sum (S_i^2 / r_i - E_i / (n r_i))` over both systems, where `S_T^2` is the
/// variance over topics of the difference of seed means, `S_i^2` the variance of the means of the
/// `r_i` runs, and `E_i` their residual mean square with topics; at least `S_T^2 / n`. A system
/// of one run adds nothing: what its seed would change is not known.
pub fn differences(
    topics: usize,
    means: &[f64],
    seeds: &[Seeds],
    pairs: &[Pair],
) -> Vec<SystemDifference> {
    let n = topics as f64;
    let row = |system: usize| &means[system * topics..][..topics];
    let one = |&(a, b): &Pair| {
        let d: Vec<f64> = row(a).iter().zip(row(b)).map(|(x, y)| x - y).collect();
        let size = row(a).iter().chain(row(b)).fold(0.0, |most: f64, x| most.max(x.abs()));
        let mean = d.iter().sum::<f64>() / n;
        let squares = d.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>();
        let over_topics = squares / (n - 1.0) / n;
        let mut terms = vec![(over_topics, n - 1.0)];
        for own in [&seeds[a], &seeds[b]].into_iter().filter(|own| own.runs > 1) {
            let runs = own.runs as f64;
            terms.push((own.between / runs, runs - 1.0));
            terms.push((-own.residual / (n * runs), (runs - 1.0) * (n - 1.0)));
        }
        let variance = terms.iter().map(|term| term.0).sum::<f64>();
        if variance <= over_topics || variance.sqrt() <= TIE * size {
            return SystemDifference { mean, variance: over_topics, freedom: n - 1.0 };
        }
        let spread = terms.iter().map(|(part, free)| part * part / free).sum::<f64>();
        SystemDifference { mean, variance, freedom: variance * variance / spread }
    };
    pairs.iter().map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_systems_of_two_runs_by_hand() {
        // A: 1 2 | 3 4 (means 1.5, 3.5; over seeds 2 3), B: 0 0 | 0 2 (means 0, 1; over seeds 0 1)
        let values = [1.0, 2.0, 3.0, 4.0, 0.0, 0.0, 0.0, 2.0];
        let table = ScoreTable::new(&values, 2);
        let systems = [vec![0, 1], vec![2, 3]];
        let means = seed_means(table, &systems);
        assert_eq!(means, [2.0, 3.0, 0.0, 1.0]);
        let found = seeds(table, &systems, &means);
        assert_eq!((found[0].between, found[0].residual), (2.0, 0.0));
        // B without its effects: -.5 .5 against seed means -.5 .5: rests +-.5, squares 1 over 1
        assert_eq!((found[1].between, found[1].residual), (0.5, 1.0));
        // Differences 2 2: S_T^2 = 0; V = 2/2 - 0 + .5/2 - 1/4 = 1
        let d = differences(2, &means, &found, &[(0, 1)])[0];
        assert_eq!((d.mean, d.variance), (2.0, 1.0));
        // Satterthwaite: 1 / (1/1 + (1/4)^2 + (1/4)^2)
        assert!((d.freedom - 1.0 / 1.125).abs() < 1e-15);
    }

    #[test]
    fn one_run_each_is_the_paired_t_test() {
        let values = [1.0, 3.0, 2.0, 0.0, 1.0, 1.0];
        let table = ScoreTable::new(&values, 3);
        let systems = [vec![0], vec![1]];
        let means = seed_means(table, &systems);
        let found = seeds(table, &systems, &means);
        let d = differences(3, &means, &found, &[(0, 1)])[0];
        // Differences 1 2 1: mean 4/3, variance 1/3 over 3
        assert!((d.mean - 4.0 / 3.0).abs() < 1e-15 && (d.variance - 1.0 / 9.0).abs() < 1e-15);
        assert_eq!(d.freedom, 2.0);
    }
}
