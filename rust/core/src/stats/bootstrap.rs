//! Sakai's paired bootstrap test (SIGIR 2006): topics drawn with replacement,
//! the same draws for all pairs.
//!
//! A pair's differences are shifted to the mean 0 of the null hypothesis; the
//! achieved significance level is the share of replicates whose t is at least
//! the observed one. Whether it is follows from two sums, of the shifted
//! differences and of their squares, and those of all pairs from the products
//! of systems. These are computed in single precision, whose error has a
//! bound; only where the bound leaves it open is the replicate's t computed
//! in double precision. The result is that of double precision throughout.

use super::paired::{Moments, Pair, TIE, Table, Tested, moments};
use super::resample::{Work, drawn};
use crate::error::Result;

/// Replicates of a block.
const BLOCK: usize = 50;

/// How often each topic is in each replicate.
#[derive(Clone, Debug)]
pub struct Draws {
    topics: usize,
    counts: Vec<f64>,
}

impl Draws {
    /// Random draws.
    pub fn new(topics: usize, replicates: usize, seed: u64) -> Self {
        Draws::given(topics, &drawn(topics, replicates, seed))
    }

    /// The draws of topics by number, a row of `topics` for each replicate.
    pub fn given(topics: usize, drawn: &[u32]) -> Self {
        let mut counts = vec![0.0; drawn.len()];
        for (row, counts) in drawn.chunks_exact(topics).zip(counts.chunks_exact_mut(topics)) {
            for &topic in row {
                counts[topic as usize] += 1.0;
            }
        }
        Draws { topics, counts }
    }

    /// How many replicates.
    pub fn replicates(&self) -> usize {
        self.counts.len() / self.topics
    }

    fn row(&self, replicate: usize) -> &[f64] {
        &self.counts[replicate * self.topics..][..self.topics]
    }
}

/// A pair under the null hypothesis.
struct Shifted {
    differences: Vec<f64>,
    /// The observed t, without its sign.
    t: f64,
    /// What is only rounding.
    tie: f64,
}

impl Shifted {
    fn new(table: Table<'_>, pair: Pair, moments: &Moments) -> Self {
        let mut differences = Vec::new();
        let tie = table.differences(pair, &mut differences);
        for d in &mut differences {
            *d -= moments.mean;
        }
        let t = moments.mean.abs() / (moments.deviation / (moments.n as f64).sqrt());
        Shifted { differences, t: if moments.mean.abs() <= tie { 0.0 } else { t }, tie }
    }

    /// The mean and the sample deviation of a replicate, without rounding
    /// where it is all that there is.
    fn replicate(&self, counts: &[f64]) -> (f64, f64) {
        let n = self.differences.len() as f64;
        let drawn = || self.differences.iter().zip(counts);
        let mean = drawn().map(|(d, count)| d * count).sum::<f64>() / n;
        let squares = drawn().map(|(d, count)| (d - mean) * (d - mean) * count).sum::<f64>();
        let deviation = (squares / (n - 1.0)).sqrt();
        let settle = |x: f64| if x <= self.tie { 0.0 } else { x };
        (settle(mean.abs()), settle(deviation))
    }

    /// Whether a replicate's t is at least the observed one, or less only by
    /// rounding.
    fn exceeds(&self, counts: &[f64]) -> bool {
        let (mean, deviation) = self.replicate(counts);
        if deviation == 0.0 {
            return mean > 0.0 || self.t == 0.0;
        }
        let n = self.differences.len() as f64;
        (mean + self.tie) * n.sqrt() >= self.t * deviation * (1.0 - TIE)
    }
}

/// The ASL where it does not take draws to know it: all replicates exceed
/// t = 0, and none exceeds if the shifted differences are all 0.
fn settled(m: &Moments, tie: f64) -> Option<f64> {
    if m.mean.abs() <= tie {
        Some(1.0)
    } else if m.deviation == 0.0 {
        Some(0.0)
    } else {
        None
    }
}

/// The test for a table without NaN and of at least two topics.
///
/// The statistic is the pair's t, with its sign; identical systems have 0.
pub fn bootstrap_test(
    table: Table<'_>,
    pairs: &[Pair],
    draws: &Draws,
    work: &Work,
) -> Result<Vec<Tested>> {
    let moments = moments(table, pairs);
    let shifted: Vec<Shifted> =
        pairs.iter().zip(&moments).map(|(&pair, m)| Shifted::new(table, pair, m)).collect();
    let known: Vec<Option<f64>> =
        moments.iter().zip(&shifted).map(|(m, s)| settled(m, s.tie)).collect();
    let replicates = draws.replicates();
    let blocks = replicates.div_ceil(BLOCK);
    let rows = |k: usize| (k * BLOCK..replicates.min((k + 1) * BLOCK)).map(|b| draws.row(b));
    let systems = table.systems();
    let counts = if pairs.len() > 2 * systems {
        let screen = Screen::new(table, pairs, &shifted, &known);
        let block = |k| {
            let mut counts = vec![0; screen.factors.len()];
            rows(k).for_each(|row| screen.count(row, &shifted, &mut counts));
            screen.places.iter().map(|&place| counts[place]).collect()
        };
        work.counts(blocks, pairs.len(), block)?
    } else {
        let count = |k, (pair, known): (&Shifted, &Option<f64>)| {
            let exceeding = |row: &&[f64]| known.is_none() && pair.exceeds(row);
            rows(k).filter(exceeding).count() as u32
        };
        let block = |k| shifted.iter().zip(&known).map(|one| count(k, one)).collect();
        work.counts(blocks, pairs.len(), block)?
    };
    let tested = counts.iter().zip(&known).zip(moments.iter().zip(&shifted)).map(
        |((&count, known), (m, pair))| {
            let t = if m.identical { 0.0 } else { pair.t.copysign(m.mean) };
            let asl = known.unwrap_or(count as f64 / replicates as f64);
            Tested { statistic: t, pvalue: asl, n: m.n }
        },
    );
    Ok(tested.collect())
}

/// The rows and columns of a tile of products.
const DOWN: usize = 4;
const ACROSS: usize = 8;

/// All pairs at once, in single precision.
struct Screen {
    /// Systems, up to a whole number of tiles.
    width: usize,
    systems: usize,
    /// Scores without the means of systems and topics, at most 1: a row for
    /// each topic.
    scores: Vec<f32>,
    /// For each pair of systems, what a replicate's sum of squares is times
    /// before it is compared, and how far the comparison can be off.
    factors: Vec<f32>,
    errors: Vec<f32>,
    /// How far it can be off whatever the scores.
    floor: f32,
    /// Where each pair stands among all pairs of systems, and back.
    places: Vec<usize>,
    back: Vec<u32>,
}

/// No pair.
const NONE: u32 = u32::MAX;

impl Screen {
    fn new(table: Table<'_>, pairs: &[Pair], shifted: &[Shifted], known: &[Option<f64>]) -> Self {
        let (systems, topics) = (table.systems(), table.topics());
        let n = topics as f64;
        let width = systems.next_multiple_of(ACROSS);
        let mut centred: Vec<f64> = Vec::with_capacity(systems * topics);
        for system in 0..systems {
            let row = table.row(system);
            let mean = row.iter().sum::<f64>() / n;
            centred.extend(row.iter().map(|x| x - mean));
        }
        let of_topic = |t: usize| (0..systems).map(move |s| s * topics + t);
        for topic in 0..topics {
            let mean = of_topic(topic).map(|at| centred[at]).sum::<f64>() / systems as f64;
            of_topic(topic).for_each(|at| centred[at] -= mean);
        }
        let most = centred.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
        let unit = if most > 0.0 { most } else { 1.0 };
        let mut scores = vec![0.0; width * topics];
        for topic in 0..topics {
            for (system, at) in of_topic(topic).enumerate() {
                scores[topic * width + system] = (centred[at] / unit) as f32;
            }
        }
        let mut screen = Screen {
            width,
            systems,
            scores,
            factors: vec![f32::MAX; width * width],
            errors: vec![0.0; width * width],
            floor: 0.0,
            places: Vec::with_capacity(pairs.len()),
            back: vec![NONE; width * width],
        };
        let rounding = f64::from(f32::EPSILON);
        let mut tie = 0.0f64;
        for (number, (&(a, b), pair)) in pairs.iter().zip(shifted).enumerate() {
            let place = a.min(b) * width + a.max(b);
            screen.places.push(place);
            tie = tie.max(pair.tie / unit);
            if known[number].is_none() {
                let square = pair.t * pair.t;
                let factor = n * square / (n - 1.0 + square);
                screen.back[place] = number as u32;
                screen.factors[place] = factor as f32;
                screen.errors[place] = ((factor * (n + 8.0) + 16.0 * n) * rounding) as f32;
            }
        }
        screen.floor = (n * n * tie * tie / rounding) as f32 + f32::MIN_POSITIVE;
        screen
    }

    /// Counts the pairs whose t in this replicate is at least the observed.
    ///
    /// With w the shifted difference and c how often a topic is drawn, M the
    /// sum of c w and D that of c w^2, t* >= t is M^2 >= D n t^2 / (n - 1 + t^2).
    /// M is a difference of two systems' sums; D has the squares of both and
    /// twice their product. Products of k terms are off by at most k + 3
    /// roundings of the root of the squares' product.
    fn count(&self, drawn: &[f64], shifted: &[Shifted], counts: &mut [u32]) {
        let width = self.width;
        let (mut plain, mut weighted) = (Vec::new(), Vec::new());
        let (mut sums, mut squares) = (vec![0.0f64; width], vec![0.0f64; width]);
        for (row, &count) in self.scores.chunks_exact(width).zip(drawn) {
            if count == 0.0 {
                continue;
            }
            plain.extend_from_slice(row);
            weighted.extend(row.iter().map(|x| x * count as f32));
            for ((sum, square), &x) in sums.iter_mut().zip(&mut squares).zip(row) {
                let x = f64::from(x);
                *sum += count * x;
                *square += count * x * x;
            }
        }
        let sums: Vec<f32> = sums.iter().map(|&x| x as f32).collect();
        let squares: Vec<f32> = squares.iter().map(|&x| x as f32).collect();
        let system = |i: usize| (sums[i], squares[i]);
        for i in (0..self.systems).step_by(DOWN) {
            for j in (i / ACROSS * ACROSS..width).step_by(ACROSS) {
                let products = tile(&plain, &weighted, width, (i, j));
                for (i, products) in (i..).zip(&products) {
                    let place = i * width + j;
                    let across = (lanes(&sums[j..]), lanes(&squares[j..]));
                    let (sure, open) = self.compare(place, products, system(i), across);
                    for (count, sure) in counts[place..].iter_mut().zip(sure) {
                        *count += sure;
                    }
                    if open {
                        let left = (place..).zip(sure).filter(|(_, sure)| *sure == 0);
                        for (place, _) in left {
                            let pair = shifted.get(self.back[place] as usize);
                            counts[place] += u32::from(pair.is_some_and(|p| p.exceeds(drawn)));
                        }
                    }
                }
            }
        }
    }

    /// Which pairs of a system with some others exceed for sure (1 or 0), and
    /// whether any other might.
    #[inline]
    fn compare(
        &self,
        place: usize,
        products: &[f32; ACROSS],
        (sum, square): (f32, f32),
        (sums, squares): (&[f32; ACROSS], &[f32; ACROSS]),
    ) -> ([u32; ACROSS], bool) {
        let (factors, errors) = (lanes(&self.factors[place..]), lanes(&self.errors[place..]));
        let (mut sure, mut open) = ([0; ACROSS], 0);
        for k in 0..ACROSS {
            let (m, both) = (sum - sums[k], square + squares[k]);
            let excess = m * m - factors[k] * (both - 2.0 * products[k]);
            let error = errors[k] * both + self.floor;
            sure[k] = u32::from(excess >= error);
            open |= u32::from(excess < error) & u32::from(excess > -error);
        }
        (sure, open != 0)
    }
}

fn lanes(values: &[f32]) -> &[f32; ACROSS] {
    values.first_chunk().expect("the width is a whole number of tiles")
}

/// The products of some systems with some others, summed over topics.
#[inline]
fn tile(
    plain: &[f32],
    weighted: &[f32],
    width: usize,
    (i, j): (usize, usize),
) -> [[f32; ACROSS]; DOWN] {
    let mut sums = [[0.0; ACROSS]; DOWN];
    for (a, b) in weighted.chunks_exact(width).zip(plain.chunks_exact(width)) {
        let (a, b) = (&a[i..i + DOWN], lanes(&b[j..]));
        for (sums, a) in sums.iter_mut().zip(a) {
            for (sum, b) in sums.iter_mut().zip(b) {
                *sum += a * b;
            }
        }
    }
    sums
}

/// Sakai's required difference of each pair: the mean difference of the
/// replicate whose t is at the level, counted from the largest; of replicates
/// with the same t, the first one's. NaN for identical systems.
pub fn required_differences(
    table: Table<'_>,
    pairs: &[Pair],
    draws: &Draws,
    level: f64,
    work: &Work,
) -> Result<Vec<f64>> {
    const PAIRS: usize = 16;
    let moments = moments(table, pairs);
    let replicates = draws.replicates();
    // A level of 0.05 times 1,000 is a little more than 50 in binary.
    let place = (level * replicates as f64 * (1.0 - TIE)).ceil() as usize;
    let one = |number: usize| {
        let m = &moments[number];
        if m.identical || place == 0 {
            return f64::NAN;
        }
        let pair = Shifted::new(table, pairs[number], m);
        let of = |row: usize| {
            let (mean, deviation) = pair.replicate(draws.row(row));
            // Without spread, infinite unless there is no difference either.
            (if mean == 0.0 { 0.0 } else { mean / deviation }, mean)
        };
        let all: Vec<(f64, f64)> = (0..replicates).map(of).collect();
        let mut ratios: Vec<f64> = all.iter().map(|one| one.0).collect();
        let at = place.min(replicates) - 1;
        let (_, &mut ratio, _) = ratios.select_nth_unstable_by(at, |x, y| y.total_cmp(x));
        // Infinite ratios are equal; no finite one is near them.
        let same = |x: f64| x == ratio || (x - ratio).abs() <= TIE * ratio && ratio.is_finite();
        all.iter().find(|one| same(one.0)).map_or(f64::NAN, |one| one.1)
    };
    let block =
        |k: usize| (k * PAIRS..pairs.len().min((k + 1) * PAIRS)).map(one).collect::<Vec<_>>();
    Ok(work.blocks(pairs.len().div_ceil(PAIRS), block)?.concat())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::resample::Random;

    fn random_table(systems: usize, topics: usize, levels: f64) -> Vec<f64> {
        let mut random = Random::new(9, topics as u64, 0);
        let mut one = || (random.bits() >> 11) as f64 / (1u64 << 53) as f64;
        (0..systems * topics).map(|_| (one() * levels).floor() / levels).collect()
    }

    #[test]
    fn given_samples() {
        // the record "bootstrap_asl_given_samples" of tests/data/vectors.json:
        // t^2 = 2, t*^2 = 0 5 72/7 10/3
        let values = [0.1, 0.2, 0.0, 0.3, -0.1, 0.0, 0.0, 0.0, 0.0, 0.0];
        let drawn = [0, 1, 2, 3, 4, 0, 0, 1, 3, 3, 4, 4, 2, 2, 0, 1, 3, 1, 3, 2];
        let (table, draws) = (Table::new(&values, 5), Draws::given(5, &drawn));
        let work = Work::default();
        let found = bootstrap_test(table, &[(0, 1), (1, 0)], &draws, &work).unwrap();
        assert_eq!((found[0].pvalue, found[1].pvalue), (0.75, 0.75));
        assert!((found[0].statistic - 2f64.sqrt()).abs() < 1e-14);
        let required = |level| required_differences(table, &[(0, 1)], &draws, level, &work);
        for (level, mean) in [(0.25, 0.12), (0.5, 0.1), (0.75, 0.1), (1.0, 0.0)] {
            assert!((required(level).unwrap()[0] - mean).abs() < 1e-15);
        }
    }

    #[test]
    fn the_screen_decides_as_double_precision_does() {
        let work = Work::default();
        for (topics, levels) in [(2, 4.0), (3, 8.0), (7, 10.0), (50, 1e9), (70, 10.0)] {
            let mut values = random_table(13, topics, levels);
            let (head, tail) = values.split_at_mut(topics);
            tail[..topics].copy_from_slice(head);
            for x in &mut tail[topics..2 * topics] {
                *x = 0.3;
            }
            let table = Table::new(&values, topics);
            let pairs: Vec<Pair> = (0..13).flat_map(|i| (0..i).map(move |j| (i, j))).collect();
            let draws = Draws::new(topics, 200, 4);
            let all = bootstrap_test(table, &pairs, &draws, &work).unwrap();
            for (pair, found) in pairs.iter().zip(&all) {
                let alone = bootstrap_test(table, &[*pair], &draws, &work).unwrap();
                assert_eq!(*found, alone[0], "{topics} topics, pair {pair:?}");
            }
            assert_eq!(all[0], Tested { statistic: 0.0, pvalue: 1.0, n: topics });
        }
    }
}
