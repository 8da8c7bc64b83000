//! Sakai's paired bootstrap test (SIGIR 2006): topics drawn with replacement,
//! the same draws for all pairs.
//!
//! A pair's differences are shifted to the mean 0 of the null hypothesis; the
//! achieved significance level is the share of replicates whose t is at least
//! the observed one. The comparison needs two sums, of the shifted
//! differences and of their squares, and these follow for all pairs from the
//! products of systems. The products are computed in single precision with an
//! error bound; only if the bound leaves the comparison open is the replicate's
//! t computed in double precision. So the result is that of double precision
//! throughout.

use cranfield_scan::{Scan, Task};

use super::paired::{Moments, Pair, ScoreTable, TIE, Tested, moments};
use super::resample::{Work, drawn};
use crate::error::Result;
use crate::interrupt::{self, Steps};
use crate::memory;

/// Replicates of a block, few enough that their data for some systems stays in
/// the cache.
const REPLICATES_IN_BLOCK: usize = 25;

/// How often each topic is in each replicate.
#[derive(Clone, Debug)]
pub struct Draws {
    topics: usize,
    counts: Vec<f64>,
}

impl Draws {
    /// Random draws.
    pub fn new(topics: usize, replicates: usize, seed: u64) -> Result<Self> {
        let drawn = drawn(topics, replicates, seed)?;
        memory::room_for(size_of::<f64>() * drawn.len())?;
        let draws = Draws::given(topics, &drawn);
        interrupt::check()?;
        Ok(draws)
    }

    /// Given draws: topic numbers, a row of `topics` for each replicate.
    pub fn given(topics: usize, drawn: &[u32]) -> Self {
        let mut counts = vec![0.0; drawn.len()];
        let mut steps = Steps::default();
        for (row, counts) in drawn.chunks_exact(topics).zip(counts.chunks_exact_mut(topics)) {
            if steps.stop_after(topics) {
                break;
            }
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
    /// The size of rounding errors.
    tie: f64,
}

impl Shifted {
    fn new(table: ScoreTable<'_>, pair: Pair, moments: &Moments) -> Self {
        let mut differences = Vec::new();
        let tie = table.differences(pair, &mut differences);
        for d in &mut differences {
            *d -= moments.mean;
        }
        let t = moments.mean.abs() / (moments.deviation / (moments.n as f64).sqrt());
        Shifted { differences, t: if moments.mean.abs() <= tie { 0.0 } else { t }, tie }
    }

    /// The mean and the sample deviation of a replicate; 0 instead of mere
    /// rounding errors.
    fn replicate(&self, counts: &[f64]) -> (f64, f64) {
        let n = self.differences.len() as f64;
        let drawn = || self.differences.iter().zip(counts);
        let mean = drawn().map(|(d, count)| d * count).sum::<f64>() / n;
        let squares = drawn().map(|(d, count)| (d - mean) * (d - mean) * count).sum::<f64>();
        let deviation = (squares / (n - 1.0)).sqrt();
        let settle = |x: f64| if x <= self.tie { 0.0 } else { x };
        (settle(mean.abs()), settle(deviation))
    }

    /// Whether a replicate's t is at least the observed one, up to rounding.
    fn exceeds(&self, counts: &[f64]) -> bool {
        let (mean, deviation) = self.replicate(counts);
        if deviation == 0.0 {
            return mean > 0.0 || self.t == 0.0;
        }
        let n = self.differences.len() as f64;
        (mean + self.tie) * n.sqrt() >= self.t * deviation * (1.0 - TIE)
    }
}

/// The ASL in cases that need no draws: all replicates reach t = 0, and none
/// reaches t if the shifted differences are all 0.
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
    table: ScoreTable<'_>,
    pairs: &[Pair],
    draws: &Draws,
    work: &Work,
) -> Result<Vec<Tested>> {
    let moments = moments(table, pairs);
    let mut steps = Steps::default();
    let mut shifted = Vec::with_capacity(pairs.len());
    for (&pair, m) in pairs.iter().zip(&moments) {
        if steps.stop_after(4 * table.topics()) {
            break;
        }
        shifted.push(Shifted::new(table, pair, m));
    }
    interrupt::check()?;
    let known: Vec<Option<f64>> =
        moments.iter().zip(&shifted).map(|(m, s)| settled(m, s.tie)).collect();
    let replicates = draws.replicates();
    let blocks = replicates.div_ceil(REPLICATES_IN_BLOCK);
    let rows = |k: usize| {
        (k * REPLICATES_IN_BLOCK..replicates.min((k + 1) * REPLICATES_IN_BLOCK))
            .map(|b| draws.row(b))
    };
    let screen = (pairs.len() > 2 * table.systems())
        .then(|| Screen::new(table, pairs, &shifted, &known))
        .flatten();
    let block = |k: usize| {
        if let Some(screen) = &screen {
            return screen.count(rows(k), &shifted);
        }
        let mut steps = Steps::default();
        let count = |(pair, known): (&Shifted, &Option<f64>)| {
            let exceeding = |row: &&[f64]| {
                known.is_none() && !steps.stop_after(2 * row.len()) && pair.exceeds(row)
            };
            rows(k).filter(exceeding).count() as u32
        };
        shifted.iter().zip(&known).map(count).collect()
    };
    let counts = work.counts(blocks, pairs.len(), block)?;
    let tested = counts.iter().zip(&known).zip(moments.iter().zip(&shifted)).map(
        |((&count, known), (m, pair))| {
            let t = if m.identical { 0.0 } else { pair.t.copysign(m.mean) };
            let asl = known.unwrap_or(count as f64 / replicates as f64);
            Tested { statistic: t, pvalue: asl, n: m.n }
        },
    );
    Ok(tested.collect())
}

/// The rows and the columns of a tile of products.
const SIDE: usize = 8;

/// The systems of a panel.
type Lanes = [f32; SIDE];

/// All pairs at once, in single precision.
struct Screen {
    pairs: usize,
    topics: usize,
    /// For each panel and topic, the scores without the means of systems and topics, at most 1.
    scores: Vec<Lanes>,
    tiles: Vec<Tile>,
    /// The error bound of a comparison that does not depend on the scores.
    floor: f32,
    /// The error bound of a squared sum, in terms of itself.
    error_of_sum: f32,
}

/// The pairs of the systems of a panel with those of another one.
#[derive(Clone)]
struct Tile {
    down: usize,
    across: usize,
    /// The factor of a sum of squares in the comparison.
    factors: [Lanes; SIDE],
    /// The error bound of the comparison, in terms of the systems' squares.
    errors: [Lanes; SIDE],
    pairs: [[u32; SIDE]; SIDE],
}

/// No pair.
const NO_PAIR: u32 = u32::MAX;

/// The data of a replicate for tiles.
struct DrawnReplicate<'a> {
    row: &'a [f64],
    topics: usize,
    plain: Vec<Lanes>,
    weighted: Vec<Lanes>,
    sums: Vec<Lanes>,
    squares: Vec<Lanes>,
}

impl Screen {
    /// The screen for pairs that are all different; `None` if they are not.
    fn new(
        table: ScoreTable<'_>,
        pairs: &[Pair],
        shifted: &[Shifted],
        known: &[Option<f64>],
    ) -> Option<Self> {
        let (n, panels) = (table.topics() as f64, table.systems().div_ceil(SIDE));
        let (scores, unit) = centred(table, panels);
        let mut tiles: Vec<Option<Tile>> = vec![None; panels * panels];
        let rounding = f64::from(f32::EPSILON);
        let of_sum = 2.0 * (2.0 * n).sqrt() + 4.0;
        let mut tie = 0.0f64;
        let mut steps = Steps::default();
        for (number, (&(a, b), pair)) in pairs.iter().zip(shifted).enumerate() {
            if steps.stop_after(1) {
                break;
            }
            tie = tie.max(pair.tie / unit);
            if known[number].is_some() {
                continue;
            }
            let (a, b) = (a.min(b), a.max(b));
            let (down, across) = (a / SIDE, b / SIDE);
            let tile = tiles[down * panels + across].get_or_insert(Tile {
                down,
                across,
                // A cell without a pair never appears to exceed.
                factors: [[f32::MAX; SIDE]; SIDE],
                errors: [[0.0; SIDE]; SIDE],
                pairs: [[NO_PAIR; SIDE]; SIDE],
            });
            let (i, j) = (a % SIDE, b % SIDE);
            if tile.pairs[i][j] != NO_PAIR {
                return None;
            }
            let square = pair.t * pair.t;
            let factor = n * square / (n - 1.0 + square);
            tile.pairs[i][j] = number as u32;
            tile.factors[i][j] = factor as f32;
            tile.errors[i][j] = ((factor * (n + 8.0) + of_sum) * rounding) as f32;
        }
        Some(Screen {
            pairs: pairs.len(),
            topics: table.topics(),
            scores,
            tiles: tiles.into_iter().flatten().collect(),
            floor: (n * n * tie * tie / rounding) as f32 + f32::MIN_POSITIVE,
            error_of_sum: (of_sum * rounding) as f32,
        })
    }

    /// In how many replicates the t of each pair is at least the observed.
    ///
    /// With w the shifted difference and c how often a topic is drawn, M the
    /// sum of c w and D that of c w^2, t* >= t is M^2 >= D n t^2 / (n - 1 + t^2).
    /// M is a difference of two systems' sums; D has the squares of both and
    /// twice their product. Products of k terms are off by at most k + 3
    /// roundings of the root of the squares' product. With n drawn topics M is off by at most
    /// two roundings of `|M| + (2 n Q)^(1/2)`, where Q has the squares of both, so `M^2` is off by
    /// at most as many of `M^2` and `Q` as there are in `2 (2 n)^(1/2) + 4`, twice what is needed.
    fn count<'a>(&self, rows: impl Iterator<Item = &'a [f64]>, shifted: &[Shifted]) -> Vec<u32> {
        let mut found = vec![0; self.pairs];
        let rows = rows.collect();
        cranfield_scan::run(CountExtremes { screen: self, rows, shifted, found: &mut found });
        found
    }

    /// Counts the pairs of a tile that the screen leaves open, in double precision.
    #[cold]
    #[inline(never)]
    fn settle(
        &self,
        tile: &Tile,
        drawn: &DrawnReplicate<'_>,
        products: &[Lanes; SIDE],
        shifted: &[Shifted],
        found: &mut [u32],
    ) {
        for row in 0..SIDE {
            let (excess, error) = tile.compare(self, drawn, products, row);
            for k in (0..SIDE).filter(|&k| excess[k].abs() < error[k]) {
                let number = tile.pairs[row][k] as usize;
                let pair = shifted.get(number);
                if pair.is_some_and(|pair| pair.exceeds(drawn.row)) {
                    found[number] += 1;
                }
            }
        }
    }

    #[inline(always)]
    fn draw<'a>(&self, row: &'a [f64]) -> DrawnReplicate<'a> {
        let chosen: Vec<(usize, f64)> =
            row.iter().copied().enumerate().filter(|(_, count)| *count > 0.0).collect();
        let panels = self.scores.len() / self.topics;
        let mut drawn = DrawnReplicate {
            row,
            topics: chosen.len(),
            plain: Vec::with_capacity(panels * chosen.len()),
            weighted: Vec::with_capacity(panels * chosen.len()),
            sums: Vec::with_capacity(panels),
            squares: Vec::with_capacity(panels),
        };
        for panel in self.scores.chunks_exact(self.topics) {
            let weighted = |&(topic, count): &(usize, f64)| panel[topic].map(|x| x * count as f32);
            drawn.plain.extend(chosen.iter().map(|&(topic, _)| panel[topic]));
            drawn.weighted.extend(chosen.iter().map(weighted));
            let (mut sums, mut squares) = ([0.0f64; SIDE], [0.0f64; SIDE]);
            for &(topic, count) in &chosen {
                for ((sum, square), &x) in sums.iter_mut().zip(&mut squares).zip(&panel[topic]) {
                    let x = f64::from(x);
                    *sum += count * x;
                    *square += count * x * x;
                }
            }
            drawn.sums.push(sums.map(|x| x as f32));
            drawn.squares.push(squares.map(|x| x as f32));
        }
        drawn
    }
}

/// Scores without the means of systems and topics, over the largest, in
/// panels of systems; and that largest.
fn centred(table: ScoreTable<'_>, panels: usize) -> (Vec<Lanes>, f64) {
    let (systems, topics) = (table.systems(), table.topics());
    let mut centred: Vec<f64> = Vec::with_capacity(systems * topics);
    for system in 0..systems {
        let row = table.row(system);
        let mean = row.iter().sum::<f64>() / topics as f64;
        centred.extend(row.iter().map(|x| x - mean));
    }
    for topic in 0..topics {
        let mean = centred.iter().skip(topic).step_by(topics).sum::<f64>() / systems as f64;
        centred.iter_mut().skip(topic).step_by(topics).for_each(|x| *x -= mean);
    }
    let most = centred.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
    let unit = if most > 0.0 { most } else { 1.0 };
    let mut scores = vec![[0.0; SIDE]; panels * topics];
    for (at, x) in centred.iter().enumerate() {
        let (system, topic) = (at / topics, at % topics);
        scores[system / SIDE * topics + topic][system % SIDE] = (x / unit) as f32;
    }
    (scores, unit)
}

/// The tiles of a screen in some replicates.
struct CountExtremes<'a> {
    screen: &'a Screen,
    rows: Vec<&'a [f64]>,
    shifted: &'a [Shifted],
    found: &'a mut [u32],
}

impl Task for CountExtremes<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Scan>(self, scan: S) {
        let CountExtremes { screen, rows, shifted, found } = self;
        let mut steps = Steps::default();
        let mut drawn: Vec<DrawnReplicate<'_>> = Vec::with_capacity(rows.len());
        for row in rows {
            if steps.stop_after(4 * screen.scores.len()) {
                return;
            }
            drawn.push(screen.draw(row));
        }
        for tile in &screen.tiles {
            if steps.stop_after(SIDE * screen.topics * drawn.len()) {
                return;
            }
            let mut counts = [[0u32; SIDE]; SIDE];
            for drawn in &drawn {
                let products = tile.products(scan, drawn);
                let mut open = 0;
                for (row, counts) in counts.iter_mut().enumerate() {
                    let (excess, error) = tile.compare(screen, drawn, &products, row);
                    for k in 0..SIDE {
                        counts[k] += u32::from(excess[k] >= error[k]);
                        open |= u32::from(excess[k].abs() < error[k]);
                    }
                }
                if open != 0 {
                    screen.settle(tile, drawn, &products, shifted, found);
                }
            }
            for (&pair, count) in tile.pairs.iter().flatten().zip(counts.iter().flatten()) {
                if pair != NO_PAIR {
                    found[pair as usize] += count;
                }
            }
        }
    }
}

impl Tile {
    /// The products of the systems, summed over topics.
    #[inline(always)]
    fn products<S: Scan>(&self, scan: S, drawn: &DrawnReplicate<'_>) -> [Lanes; SIDE] {
        let weighted = &drawn.weighted[self.down * drawn.topics..][..drawn.topics];
        let plain = &drawn.plain[self.across * drawn.topics..][..drawn.topics];
        let mut sums = [[0.0; SIDE]; SIDE];
        for (a, b) in weighted.iter().zip(plain) {
            for (sums, &a) in sums.iter_mut().zip(a) {
                for (sum, &b) in sums.iter_mut().zip(b) {
                    *sum = scan.multiply_add(a, b, *sum);
                }
            }
        }
        sums
    }

    /// For the pairs of a row, by how much they exceed, and how far that can
    /// be off.
    #[inline(always)]
    fn compare(
        &self,
        screen: &Screen,
        drawn: &DrawnReplicate<'_>,
        products: &[Lanes; SIDE],
        row: usize,
    ) -> (Lanes, Lanes) {
        let (sums, squares) = (&drawn.sums[self.across], &drawn.squares[self.across]);
        let (sum, square) = (drawn.sums[self.down][row], drawn.squares[self.down][row]);
        let (mut excess, mut error) = ([0.0; SIDE], [0.0; SIDE]);
        for k in 0..SIDE {
            let (m, both) = (sum - sums[k], square + squares[k]);
            let squared = m * m;
            excess[k] = squared - self.factors[row][k] * (both - 2.0 * products[row][k]);
            error[k] = self.errors[row][k] * both + screen.error_of_sum * squared + screen.floor;
        }
        (excess, error)
    }
}

/// Sakai's required difference of each pair: the mean difference of the
/// replicate whose t is at the significance level, counted from the largest; among replicates
/// with the same t, of the first. NaN for identical systems.
pub fn required_differences(
    table: ScoreTable<'_>,
    pairs: &[Pair],
    draws: &Draws,
    significance: f64,
    work: &Work,
) -> Result<Vec<f64>> {
    const PAIRS: usize = 16;
    let moments = moments(table, pairs);
    let replicates = draws.replicates();
    // Each of some threads has three numbers of each replicate.
    memory::room_for(replicates.saturating_mul(8 * 3 * size_of::<f64>()))?;
    // A significance of 0.05 times 1,000 is a little more than 50 in binary.
    let place = (significance * replicates as f64 * (1.0 - TIE)).ceil() as usize;
    let one = |number: usize| {
        let m = &moments[number];
        if m.identical || place == 0 {
            return f64::NAN;
        }
        let pair = Shifted::new(table, pairs[number], m);
        let mut steps = Steps::default();
        let of = |row: usize| {
            if steps.stop_after(2 * table.topics()) {
                return (f64::NAN, f64::NAN);
            }
            let (mean, deviation) = pair.replicate(draws.row(row));
            // Without spread t is infinite, unless the difference is 0 as well.
            (if mean == 0.0 { 0.0 } else { mean / deviation }, mean)
        };
        let all: Vec<(f64, f64)> = (0..replicates).map(of).collect();
        let mut ratios: Vec<f64> = all.iter().map(|one| one.0).collect();
        let at = place.min(replicates) - 1;
        let (_, &mut ratio, _) = ratios.select_nth_unstable_by(at, |x, y| y.total_cmp(x));
        // Infinite ratios are equal to each other and to no finite one.
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

    fn random_table(systems: usize, topics: usize, steps: f64) -> Vec<f64> {
        let mut random = Random::new(9, topics as u64, 0);
        let mut one = || (random.bits() >> 11) as f64 / (1u64 << 53) as f64;
        (0..systems * topics).map(|_| (one() * steps).floor() / steps).collect()
    }

    #[test]
    fn given_samples() {
        // the record "bootstrap_asl_given_samples" of tests/data/vectors.json:
        // t^2 = 2, t*^2 = 0 5 72/7 10/3
        let values = [0.1, 0.2, 0.0, 0.3, -0.1, 0.0, 0.0, 0.0, 0.0, 0.0];
        let drawn = [0, 1, 2, 3, 4, 0, 0, 1, 3, 3, 4, 4, 2, 2, 0, 1, 3, 1, 3, 2];
        let (table, draws) = (ScoreTable::new(&values, 5), Draws::given(5, &drawn));
        let work = Work::default();
        let found = bootstrap_test(table, &[(0, 1), (1, 0)], &draws, &work).unwrap();
        assert_eq!((found[0].pvalue, found[1].pvalue), (0.75, 0.75));
        assert!((found[0].statistic - 2f64.sqrt()).abs() < 1e-14);
        let required =
            |significance| required_differences(table, &[(0, 1)], &draws, significance, &work);
        for (significance, mean) in [(0.25, 0.12), (0.5, 0.1), (0.75, 0.1), (1.0, 0.0)] {
            assert!((required(significance).unwrap()[0] - mean).abs() < 1e-15);
        }
    }

    #[test]
    fn the_screen_decides_as_double_precision_does() {
        let work = Work::default();
        for (topics, steps) in [(2, 4.0), (3, 8.0), (7, 10.0), (50, 1e9), (70, 10.0)] {
            let mut values = random_table(13, topics, steps);
            let (head, tail) = values.split_at_mut(topics);
            tail[..topics].copy_from_slice(head);
            for x in &mut tail[topics..2 * topics] {
                *x = 0.3;
            }
            let table = ScoreTable::new(&values, topics);
            let pairs: Vec<Pair> = (0..13).flat_map(|i| (0..i).map(move |j| (i, j))).collect();
            let draws = Draws::new(topics, 200, 4).unwrap();
            let all = bootstrap_test(table, &pairs, &draws, &work).unwrap();
            for (pair, found) in pairs.iter().zip(&all) {
                let alone = bootstrap_test(table, &[*pair], &draws, &work).unwrap();
                assert_eq!(*found, alone[0], "{topics} topics, pair {pair:?}");
            }
            assert_eq!(all[0], Tested { statistic: 0.0, pvalue: 1.0, n: topics });
        }
    }
}
