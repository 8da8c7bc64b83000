//! Tests of a mean difference against a margin, in both directions.
//!
//! A row has the scores of a system and of its baseline on the same topics, higher being better.
//! For a mean `theta` each test has two p-values, one of "the true mean is at most theta" and one
//! of "at least theta". The ends of the interval are the means at which they reach alpha.

use super::distribution::{Student, invert};
use super::paired::TIE;
use super::resample::{Random, Work};
use crate::error::Result;
use crate::interrupt::{self, Steps};

/// How a mean is tested.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum MarginTest {
    /// Student's t.
    Student,
    /// The bootstrap of the t statistic: topics drawn with replacement.
    Studentized,
    /// Signs of the topics' differences from theta are flipped: all patterns for up to
    /// [`ALL_SIGNS`] topics, otherwise random ones.
    Flips,
    /// The mean with random weights from the uniform Dirichlet distribution, together with one
    /// further topic that has the worst possible difference (or, from above, the best). Gaffke
    /// (2005); valid for all bounded differences by conjecture (Learned-Miller and Thomas 2019).
    Bounded,
}

/// Up to so many topics all patterns of signs are tried.
pub const ALL_SIGNS: usize = 16;

/// What is asked.
#[derive(Clone, Copy, Debug)]
pub struct MarginAsked {
    /// How means are tested.
    pub test: MarginTest,
    /// The error of each one-sided test.
    pub alpha: f64,
    /// How many random draws.
    pub replicates: usize,
    /// Their seed.
    pub seed: u64,
}

/// A system and its baseline.
#[derive(Clone, Copy, Debug)]
pub struct MarginRow<'a> {
    /// Scores by topic; NaN where there is none.
    pub now: &'a [f64],
    /// Those of the baseline.
    pub baseline: &'a [f64],
    /// What the baseline's scores are multiplied by: 1, unless the margin is relative.
    pub factor: f64,
    /// How far below 0 the mean may be; 0 if the margin is in the factor.
    pub margin: f64,
    /// The worst and the best possible difference, for [`MarginTest::Bounded`].
    pub range: (f64, f64),
}

/// What was found of a row. NaN for fewer than two topics.
#[derive(Clone, Copy, Debug)]
pub struct MarginFound {
    /// How many topics both have.
    pub topics: usize,
    /// In how many of these the scores differ.
    pub changed: usize,
    /// The mean of now - factor * baseline.
    pub mean: f64,
    /// The standard deviation of that.
    pub deviation: f64,
    /// The mean is at least this, with error alpha.
    pub low: f64,
    /// The mean is at most this, with error alpha.
    pub high: f64,
    /// Of "the mean is at most -margin": small values say that no more is lost.
    pub above_loss: f64,
    /// Of "the mean is at least -margin": small values say that more is lost.
    pub below_loss: f64,
    /// Of "the mean is at least margin": small values say that no more is gained.
    pub below_gain: f64,
    /// Of "the mean is at most margin": small values say that more is gained.
    pub above_gain: f64,
}

/// The tests of rows, each with its own margin.
pub fn margins(
    rows: &[MarginRow<'_>],
    asked: &MarginAsked,
    work: &Work,
) -> Result<Vec<MarginFound>> {
    work.blocks(rows.len(), |place| of_row(&rows[place], asked))
}

fn of_row(row: &MarginRow<'_>, asked: &MarginAsked) -> MarginFound {
    let both = || row.now.iter().zip(row.baseline).filter(|(x, y)| !(*x - *y).is_nan());
    let size = both().fold(0.0, |most: f64, (x, y)| most.max(x.abs()).max(y.abs()));
    let sample = MarginSample::new(both().map(|(x, y)| x - row.factor * y).collect(), TIE * size);
    let changed = both().filter(|(x, y)| (*x - *y).abs() > sample.tie).count();
    let (topics, margin) = (sample.values.len(), row.margin);
    let mut found = MarginFound {
        topics,
        changed,
        mean: sample.mean,
        deviation: sample.deviation,
        low: f64::NAN,
        high: f64::NAN,
        above_loss: f64::NAN,
        below_loss: f64::NAN,
        below_gain: f64::NAN,
        above_gain: f64::NAN,
    };
    if topics < 2 {
        return found;
    }
    let tested = match asked.test {
        MarginTest::Student => sample.student(asked.alpha, margin),
        MarginTest::Studentized => sample.studentized(asked, margin),
        MarginTest::Flips => sample.flips(asked, margin),
        MarginTest::Bounded => sample.bounded(asked.alpha, margin, row.range),
    };
    ((found.low, found.high), (found.above_loss, found.below_loss)) = (tested.0, tested.1);
    (found.above_gain, found.below_gain) = tested.2;
    if changed == 0 && asked.test != MarginTest::Bounded {
        // The same scores are no loss, whatever the margin.
        (found.above_loss, found.below_loss) = (0.0, 1.0);
        (found.above_gain, found.below_gain) = (1.0, 0.0);
    }
    found
}

/// P-values of "at most theta" and "at least theta".
type Tails = (f64, f64);

/// An interval, and the tails at minus and plus the margin.
type MarginTested = ((f64, f64), Tails, Tails);

struct MarginSample {
    values: Vec<f64>,
    tie: f64,
    mean: f64,
    /// The sample deviation, 0 if it is only rounding.
    deviation: f64,
}

impl MarginSample {
    fn new(values: Vec<f64>, tie: f64) -> Self {
        let n = values.len() as f64;
        let mean = values.iter().sum::<f64>() / n;
        let squares = values.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>();
        let mut sample = MarginSample { values, tie, mean, deviation: f64::NAN };
        let (low, high) = sample.ends();
        if n >= 2.0 {
            sample.deviation = if high - low <= tie { 0.0 } else { (squares / (n - 1.0)).sqrt() };
        }
        sample
    }

    fn error(&self) -> f64 {
        self.deviation / (self.values.len() as f64).sqrt()
    }

    /// The t statistic of the difference from theta.
    fn statistic(&self, theta: f64) -> f64 {
        let off = self.mean - theta;
        if off.abs() <= self.tie { 0.0 } else { off / self.error() }
    }

    fn student(&self, alpha: f64, margin: f64) -> MarginTested {
        let student = Student::new(self.values.len() as f64 - 1.0);
        let reach = student.isf(alpha) * self.error();
        let tails = |theta: f64| {
            let t = self.statistic(theta);
            (student.sf(t), student.cdf(t))
        };
        ((self.mean - reach, self.mean + reach), tails(-margin), tails(margin))
    }

    fn studentized(&self, asked: &MarginAsked, margin: f64) -> MarginTested {
        let n = self.values.len();
        let mut steps = Steps::default();
        let mut drawn = Vec::with_capacity(asked.replicates);
        for replicate in 0..asked.replicates {
            if steps.stop_after(n) {
                break;
            }
            let mut random = Random::new(asked.seed, replicate as u64, 0);
            let (mut sum, mut squares) = (0.0, 0.0);
            for _ in 0..n {
                let rest = self.values[random.below(n)] - self.mean;
                sum += rest;
                squares += rest * rest;
            }
            let mean = sum / n as f64;
            let variance = (squares - sum * mean).max(0.0) / (n as f64 - 1.0);
            let settled = variance.sqrt() > self.tie;
            drawn.push(if mean.abs() <= self.tie {
                0.0
            } else if settled {
                mean / (variance / n as f64).sqrt()
            } else {
                f64::INFINITY.copysign(mean)
            });
        }
        drawn.sort_unstable_by(f64::total_cmp);
        let (low, high) = tail_places(&drawn, asked.alpha);
        let share = |count: usize| (count as f64 + 1.0) / (drawn.len() as f64 + 1.0);
        let tails = |theta: f64| {
            let t = self.statistic(theta);
            let (below, up_to) =
                (drawn.partition_point(|&x| x < t), drawn.partition_point(|&x| x <= t));
            (share(drawn.len() - below), share(up_to))
        };
        let end = |t: f64| {
            if self.deviation == 0.0 { self.mean } else { self.mean - t * self.error() }
        };
        ((end(high), end(low)), tails(-margin), tails(margin))
    }

    /// Flipping the signs of a set of topics leads to a sum at least as large if the mean of
    /// these topics is at most theta (Hartigan 1969): so the p-values are counts of such means.
    fn flips(&self, asked: &MarginAsked, margin: f64) -> MarginTested {
        let n = self.values.len();
        let mut steps = Steps::default();
        let exact = n <= ALL_SIGNS;
        let sets = if exact { (1usize << n) - 1 } else { asked.replicates };
        let mut means = Vec::with_capacity(sets);
        for set in 0..sets {
            if steps.stop_after(n) {
                break;
            }
            let mut random = Random::new(asked.seed, set as u64, 0);
            let (mut sum, mut size, mut bits) = (0.0, 0, 0);
            for (place, x) in self.values.iter().enumerate() {
                if place % 64 == 0 {
                    bits = if exact { set as u64 + 1 } else { random.bits() };
                }
                if bits >> (place % 64) & 1 == 1 {
                    sum += x;
                    size += 1;
                }
            }
            if size > 0 {
                means.push(sum / f64::from(size));
            }
        }
        means.sort_unstable_by(f64::total_cmp);
        // No sign flipped is as large as what was observed: once, or as often as it was drawn.
        let unchanged = 1 + sets - means.len();
        let share = |count: usize| (count + unchanged) as f64 / (sets as f64 + 1.0);
        let tails = |theta: f64| {
            let up_to = means.partition_point(|&x| x <= theta + self.tie);
            let below = means.partition_point(|&x| x < theta - self.tie);
            (share(up_to), share(means.len() - below))
        };
        let (low, high) = tail_places(&means, asked.alpha);
        ((low, high), tails(-margin), tails(margin))
    }

    fn bounded(&self, alpha: f64, margin: f64, (worst, best): (f64, f64)) -> MarginTested {
        let tails = |theta: f64| (self.weighted(worst, theta), self.mirrored(best, theta));
        let (least, most) = self.ends();
        let low = most - invert(|x| self.weighted(worst, most - x), alpha);
        let high = least + invert(|x| self.mirrored(best, least + x), alpha);
        ((low, high), tails(-margin), tails(margin))
    }

    fn ends(&self) -> (f64, f64) {
        let ends = |(low, high): (f64, f64), &x: &f64| (low.min(x), high.max(x));
        self.values.iter().fold((f64::INFINITY, f64::NEG_INFINITY), ends)
    }

    /// P(mean with random weights, the worst topic included, is at most theta).
    fn weighted(&self, worst: f64, theta: f64) -> f64 {
        let offs = self.values.iter().map(|x| x - theta);
        exponentials_below_zero(&offs.chain([worst - theta]).collect::<Vec<_>>(), self.tie)
    }

    /// The same from above, with the best topic.
    fn mirrored(&self, best: f64, theta: f64) -> f64 {
        let offs = self.values.iter().map(|x| theta - x);
        exponentials_below_zero(&offs.chain([theta - best]).collect::<Vec<_>>(), self.tie)
    }
}

/// Of sorted draws the ends that leave alpha on each side, where what was observed counts as one
/// more draw; infinite for so few draws that none does.
fn tail_places(sorted: &[f64], alpha: f64) -> (f64, f64) {
    let room = alpha * (sorted.len() as f64 + 1.0) * (1.0 + 1e-12);
    if room < 1.0 || sorted.is_empty() {
        return (f64::NEG_INFINITY, f64::INFINITY);
    }
    let place = (room.floor() as usize - 1).min(sorted.len() - 1);
    (sorted[place], sorted[sorted.len() - 1 - place])
}

/// P(sum of `a_k` times independent standard exponentials <= 0).
///
/// The integral of exp(K(s)) / s along a vertical line through the saddle point, where K is the
/// logarithm of the moment generating function (Lugannani and Rice 1980); on that line nothing
/// cancels. The line is left of 0, for P(sum <= 0), or right of it, for P(sum > 0), whichever
/// tail is smaller.
fn exponentials_below_zero(factors: &[f64], tie: f64) -> f64 {
    let known: Vec<f64> = factors.iter().map(|&a| if a.abs() <= tie { 0.0 } else { a }).collect();
    let size = known.iter().fold(0.0, |most: f64, a| most.max(a.abs()));
    if !known.iter().any(|&a| a < 0.0) {
        return if size > 0.0 { 0.0 } else { 1.0 };
    }
    if !known.iter().any(|&a| a > 0.0) {
        return 1.0;
    }
    // Mirrored so that the smaller tail is the one below 0.
    let sum: f64 = known.iter().sum();
    let side = if sum >= 0.0 { 1.0 } else { -1.0 };
    let scaled: Vec<f64> = known.iter().map(|a| side * a / size).collect();
    let tail = lower_tail(&scaled);
    if side > 0.0 { tail } else { 1.0 - tail }
}

/// The same for factors of both signs, none beyond 1, whose sum is not negative.
fn lower_tail(factors: &[f64]) -> f64 {
    let least = factors.iter().fold(0.0, |least: f64, &a| least.min(a));
    // K(s) - ln(-s) is convex between the pole and 0; its slope rises from -inf to inf.
    let slope = |s: f64| factors.iter().map(|a| a / (1.0 - s * a)).sum::<f64>() - 1.0 / s;
    let (mut low, mut high) = (1.0 / least, 0.0);
    for _ in 0..200 {
        let middle = f64::midpoint(low, high);
        if middle <= low || middle >= high {
            break;
        }
        if slope(middle) < 0.0 { low = middle } else { high = middle }
    }
    let saddle = f64::midpoint(low, high);
    let log_top = -factors.iter().map(|a| (-saddle * a).ln_1p()).sum::<f64>() - (-saddle).ln();
    // On the line the integrand is its value at the saddle point over a product of 1 - i u b.
    let mut bends: Vec<f64> = factors.iter().map(|a| a / (1.0 - saddle * a)).collect();
    bends.push(-1.0 / saddle);
    let width = bends.iter().map(|b| b * b).sum::<f64>().sqrt().recip();
    // u = width sinh(v): the integrand falls at least as fast as u^-3, so this decays twice
    // exponentially, and the trapezoidal rule converges exponentially with its step.
    let term = |v: f64| {
        let u = width * v.sinh();
        v.cosh() * line(&bends, u)
    };
    let mut step = 0.25;
    let mut sum = 0.5 + (1..LAST).map(|k| term(step * f64::from(k))).sum::<f64>();
    for _ in 0..9 {
        let before = step * sum;
        let count = (f64::from(LAST) * 0.25 / step) as u32;
        sum += (0..count).map(|k| term(step * (f64::from(k) + 0.5))).sum::<f64>();
        step *= 0.5;
        if (step * sum - before).abs() <= 1e-12 * before.abs() {
            break;
        }
    }
    (log_top.exp() * width * step * sum / std::f64::consts::PI).clamp(0.0, 1.0)
}

/// The first points of the trapezoidal rule reach to sinh(12), beyond which nothing is left.
const LAST: u32 = 48;

/// The real part of 1 over the product of 1 - i u b.
fn line(bends: &[f64], u: f64) -> f64 {
    let (mut real, mut imaginary) = (1.0, 0.0);
    if interrupt::stopped() {
        return 0.0;
    }
    for b in bends {
        let y = u * b;
        (real, imaginary) = (real + imaginary * y, imaginary - real * y);
        // The product only grows.
        if real.abs() + imaginary.abs() > 1e25 {
            return 0.0;
        }
    }
    real / (real * real + imaginary * imaginary)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(now: &[f64], margin: f64, test: MarginTest) -> MarginFound {
        let baseline = vec![0.0; now.len()];
        let row = MarginRow { now, baseline: &baseline, factor: 1.0, margin, range: (-1.0, 1.0) };
        let asked = MarginAsked { test, alpha: 0.05, replicates: 9999, seed: 1 };
        margins(&[row], &asked, &Work::default()).unwrap()[0]
    }

    #[test]
    fn sums_of_exponentials_have_closed_forms() {
        // a E1 - b E2 <= 0 with probability b / (a + b)
        for (a, b) in [(1.0, 1.0), (3.0, 1.0), (1.0, 40.0), (1.0, 1e-4)] {
            let tail = exponentials_below_zero(&[a, -b], 0.0);
            assert!((tail - b / (a + b)).abs() < 1e-11, "{a} {b} {tail}");
        }
        // n equal ones against one: P(Beta(1, n) >= x) = (1 - x)^n
        for (n, x) in [(1, 0.3), (2, 0.5), (10, 0.1), (100, 0.03), (1000, 0.01), (50, 0.4)] {
            let factors: Vec<f64> = (0..n).map(|_| x).chain([x - 1.0]).collect();
            let expected = f64::powi(1.0 - x, n);
            let tail = exponentials_below_zero(&factors, 0.0);
            assert!((tail - expected).abs() < 1e-11, "{n} {x} {tail} {expected}");
        }
        // By partial fractions: 2 E1 + E2 - E3: 1 - (2/1 * 2/3 - 1 * 1/2) = 1/6
        let tail = exponentials_below_zero(&[2.0, 1.0, -1.0], 0.0);
        assert!((tail - 1.0 / 6.0).abs() < 1e-11, "{tail}");
    }

    #[test]
    fn unchanged_topics_pass_under_t_and_by_the_rule_of_three_under_bounded() {
        let same = vec![0.0; 100];
        assert_eq!(found(&same, 0.001, MarginTest::Student).above_loss, 0.0);
        let limit = 1.0 - 0.05f64.powf(0.01);
        let bounded = found(&same, limit, MarginTest::Bounded);
        assert!((bounded.low + limit).abs() < 1e-9 && (bounded.above_loss - 0.05).abs() < 1e-9);
        assert!((bounded.high - limit).abs() < 1e-9);
    }

    #[test]
    fn the_ends_of_intervals_are_where_p_reaches_alpha() {
        let values: Vec<f64> = (0..40).map(|k| f64::from(k * 7 % 11) / 20.0 - 0.3).collect();
        for test in
            [MarginTest::Student, MarginTest::Studentized, MarginTest::Flips, MarginTest::Bounded]
        {
            let low = found(&values, 0.0, test).low;
            assert!(low < 0.0);
            let (inside, outside) =
                (found(&values, -low - 1e-6, test), found(&values, -low + 1e-6, test));
            assert!(inside.above_loss > 0.05 && outside.above_loss <= 0.05, "{test:?}");
            let mirrored: Vec<f64> = values.iter().map(|x| -x).collect();
            if matches!(test, MarginTest::Student | MarginTest::Flips | MarginTest::Bounded) {
                assert!((found(&mirrored, 0.0, test).high + low).abs() < 1e-9, "{test:?}");
            }
        }
    }

    #[test]
    fn every_set_of_three_topics() {
        // Means of sets of 1, 2, 3: 1 2 3 1.5 2 2.5 2; at most 1.5: 1 and 1.5, and no set.
        let d = [1.0, 2.0, 3.0];
        let of = |theta: f64| found(&d, -theta, MarginTest::Flips);
        assert_eq!(of(1.5).above_loss, 3.0 / 8.0);
        assert_eq!(of(2.5).below_loss, 3.0 / 8.0);
        assert_eq!(of(0.0).above_loss, 1.0 / 8.0);
        assert_eq!(of(0.0).low, f64::NEG_INFINITY);
    }

    #[test]
    fn a_loss_of_the_margin_on_every_topic_is_not_known() {
        let d = vec![-0.1; 30];
        for test in [MarginTest::Student, MarginTest::Studentized, MarginTest::Flips] {
            let at = found(&d, 0.3 - 0.2, test);
            assert!(at.above_loss > 0.05 && at.below_loss > 0.05, "{test:?} {at:?}");
        }
        assert!(found(&[0.5], 0.1, MarginTest::Student).above_loss.is_nan());
    }
}
