//! Tails of the normal, Student's t, binomial and signed-rank distributions.
//!
//! A p-value is a small number, so tails are computed directly, and every
//! branch sums terms of one sign: the relative accuracy is about 1e-13 even
//! where a difference from 1 would lose all digits.

use std::f64::consts::PI;

/// The density of the standard normal.
pub fn normal_pdf(x: f64) -> f64 {
    (-0.5 * x * x).exp() / (2.0 * PI).sqrt()
}

/// P(Z <= x) of the standard normal.
pub fn normal_cdf(x: f64) -> f64 {
    normal_sf(-x)
}

/// P(Z > x) of the standard normal.
pub fn normal_sf(x: f64) -> f64 {
    if x < -2.0 {
        return 1.0 - normal_sf(-x);
    }
    if x < 2.0 {
        return 0.5 - normal_pdf(x) * odd_series(x);
    }
    if x > 39.0 {
        return 0.0;
    }
    // Laplace's continued fraction of the ratio of tail and density; the
    // further out, the fewer terms reach full precision.
    let terms = (240.0 / (x * x)) as u32 + 12;
    let below = (1..=terms).rev().fold(x, |rest, k| x + f64::from(k) / rest);
    normal_pdf(x) / below
}

/// x + x^3/3 + x^5/15 + ...; times the density it is the probability from 0 to x.
fn odd_series(x: f64) -> f64 {
    let (mut term, mut sum, mut odd) = (x, x, 1.0);
    while term.abs() > 1e-17 * sum.abs() {
        odd += 2.0;
        term *= x * x / odd;
        sum += term;
    }
    sum
}

/// The x with P(Z <= x) = p; infinite at 0 and 1, NaN outside.
pub fn normal_quantile(p: f64) -> f64 {
    if p > 0.5 { normal_isf(1.0 - p) } else { -normal_isf(p) }
}

/// The x with P(Z > x) = p.
pub fn normal_isf(p: f64) -> f64 {
    if p > 0.5 { -invert(normal_sf, 1.0 - p) } else { invert(normal_sf, p) }
}

/// The x >= 0 where a tail that falls from 0 on has the value p.
///
/// NaN if the tail does not have the value p at 0 or beyond.
pub fn invert(tail: impl Fn(f64) -> f64, p: f64) -> f64 {
    let goal = p.ln();
    let height = |x: f64| tail(x).ln() - goal;
    let (mut low, mut at_low) = (0.0, height(0.0));
    if p == 0.0 {
        return f64::INFINITY;
    }
    if at_low.is_nan() || at_low < 0.0 {
        // A rounding below the value at 0 is still 0.
        return if at_low > -1e-12 { 0.0 } else { f64::NAN };
    }
    let mut high = 1.0;
    while height(high) > 0.0 {
        low = high;
        high *= 2.0;
        if high.is_infinite() {
            return f64::INFINITY;
        }
    }
    at_low = if low > 0.0 { height(low) } else { at_low };
    let mut at_high = height(high);
    // Regula falsi on the logarithm, with the weight of an end that stays
    // halved (the Illinois rule); a step that is not finite is a bisection.
    let mut stayed = 0;
    for _ in 0..200 {
        if at_low == 0.0 {
            return low;
        }
        let chord = (low * at_high - high * at_low) / (at_high - at_low);
        let middle = if chord > low && chord < high { chord } else { f64::midpoint(low, high) };
        let at_middle = height(middle);
        if at_middle == 0.0 || high - low <= 4.0 * f64::EPSILON * high {
            return middle;
        }
        if at_middle > 0.0 {
            (low, at_low) = (middle, at_middle);
            at_high *= if stayed == 1 { 0.5 } else { 1.0 };
            stayed = 1;
        } else {
            (high, at_high) = (middle, at_middle);
            at_low *= if stayed == -1 { 0.5 } else { 1.0 };
            stayed = -1;
        }
    }
    f64::midpoint(low, high)
}

/// Gamma(a + 1/2) / Gamma(a).
pub fn gamma_ratio(a: f64) -> f64 {
    if a < 20.0 {
        return gamma_ratio(a + 1.0) * a / (a + 0.5);
    }
    let r = 1.0 / a;
    let s = r * r;
    // Stirling's series of both, subtracted.
    let log = r * (-1.0 / 8.0 + s * (1.0 / 192.0 + s * (-1.0 / 640.0 + s * (17.0 / 14336.0))));
    a.sqrt() * log.exp()
}

/// Student's t with some degrees of freedom.
#[derive(Clone, Debug)]
pub struct Student {
    freedom: f64,
    /// 1 / B(freedom / 2, 1 / 2).
    scale: f64,
    outer: BetaFraction,
    inner: BetaFraction,
}

impl Student {
    /// The distribution with this many degrees of freedom, more than 0.
    pub fn new(freedom: f64) -> Self {
        let a = freedom / 2.0;
        Student {
            freedom,
            scale: gamma_ratio(a) / PI.sqrt(),
            outer: BetaFraction::new(a, 0.5),
            inner: BetaFraction::new(0.5, a),
        }
    }

    /// P(|T| >= |t|).
    pub fn two_sided(&self, t: f64) -> f64 {
        let (a, ratio) = (self.freedom / 2.0, t / self.freedom.sqrt());
        let square = ratio * ratio;
        if square.is_infinite() {
            // If t squared overflows, only the power of t matters.
            return self.scale / a * (-self.freedom * ratio.abs().ln()).exp();
        }
        let (inner, outer) = (square / (1.0 + square), 1.0 / (1.0 + square));
        // The incomplete beta function of `outer`, by the fraction that
        // converges: that of the function or of its complement.
        let front = self.scale * (-a * square.ln_1p()).exp() * inner.sqrt();
        if outer * (a + 2.5) < a + 1.0 {
            front / a * self.outer.at(outer)
        } else {
            1.0 - 2.0 * front * self.inner.at(inner)
        }
    }

    /// P(T > t).
    pub fn sf(&self, t: f64) -> f64 {
        let half = 0.5 * self.two_sided(t);
        if t < 0.0 { 1.0 - half } else { half }
    }

    /// P(T <= t).
    pub fn cdf(&self, t: f64) -> f64 {
        self.sf(-t)
    }

    /// The t with P(T > t) = p.
    pub fn isf(&self, p: f64) -> f64 {
        if p > 0.5 { -invert(|t| self.sf(t), 1.0 - p) } else { invert(|t| self.sf(t), p) }
    }

    /// The t with P(T <= t) = p.
    pub fn quantile(&self, p: f64) -> f64 {
        -self.isf(p)
    }
}

/// How many coefficients of a fraction are kept, to save divisions.
const KEPT_COEFFICIENTS: usize = 64;

/// The continued fraction 1 / (1 + c1 x / (1 + c2 x / ...)) of the incomplete
/// beta function with the parameters a and b.
#[derive(Clone, Debug)]
struct BetaFraction {
    a: f64,
    b: f64,
    kept: [f64; KEPT_COEFFICIENTS],
}

impl BetaFraction {
    fn new(a: f64, b: f64) -> Self {
        BetaFraction { a, b, kept: std::array::from_fn(|k| coefficient(a, b, k + 1)) }
    }

    fn at(&self, x: f64) -> f64 {
        // Numerators and denominators of the convergents, the last two of each.
        let (mut p, mut q) = ((0.0, 1.0), (1.0, 1.0));
        let mut before = f64::NAN;
        // A million terms are enough for 1e11 degrees of freedom.
        for k in (0..1_000_000).step_by(4) {
            for k in k..k + 4 {
                let kept = self.kept.get(k).copied();
                let c = x * kept.unwrap_or_else(|| coefficient(self.a, self.b, k + 1));
                p = (p.1, p.1 + c * p.0);
                q = (q.1, q.1 + c * q.0);
            }
            let unit = 1.0 / q.1;
            let value = p.1 * unit;
            if (value - before).abs() <= 2e-16 * value {
                return value;
            }
            before = value;
            (p, q) = ((p.0 * unit, value), (q.0 * unit, 1.0));
        }
        before
    }
}

/// The k-th coefficient of the fraction, from 1 on.
fn coefficient(a: f64, b: f64, k: usize) -> f64 {
    let m = (k / 2) as f64;
    let top = if k.is_multiple_of(2) { m * (b - m) } else { -(a + m) * (a + b + m) };
    top / ((a + k as f64 - 1.0) * (a + k as f64))
}

/// P(at most k heads) in n throws of a fair coin.
pub fn coin_cdf(k: u64, n: u64) -> f64 {
    if k >= n {
        return 1.0;
    }
    if 2 * k >= n {
        // The complement of the smaller tail loses less precision.
        return 1.0 - coin_cdf(n - k - 1, n);
    }
    // C(n, k) / 2^n, halved step by step so that nothing overflows.
    let (mut term, mut halvings) = (1.0f64, n);
    for i in 0..k {
        term *= (n - i) as f64 / (i + 1) as f64;
        while term > 1.0 && halvings > 0 {
            term *= 0.5;
            halvings -= 1;
        }
    }
    term *= 0.5f64.powi(halvings.min(2000) as i32);
    let mut sum = term;
    for i in (0..k).rev() {
        term *= (i + 1) as f64 / (n - i) as f64;
        if term < 1e-18 * sum {
            break;
        }
        sum += term;
    }
    sum
}

/// The probability of each sum of a random subset of some ranks, by that sum.
///
/// Each rank is in the subset with probability 1/2: the distribution of
/// Wilcoxon's signed-rank statistic, given the ranks. Ranks are doubled if
/// ties give halves.
pub fn subset_sums(ranks: &[u32]) -> Vec<f64> {
    let total: usize = ranks.iter().map(|&rank| rank as usize).sum();
    let mut chances = vec![0.0; total + 1];
    chances[0] = 1.0;
    let mut reached = 0;
    for &rank in ranks {
        let rank = rank as usize;
        reached += rank;
        for sum in (0..=reached).rev() {
            let with = if sum >= rank { chances[sum - rank] } else { 0.0 };
            chances[sum] = 0.5 * (chances[sum] + with);
        }
    }
    chances
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn near(found: f64, expected: f64, tolerance: f64) {
        assert!(
            (found - expected).abs() <= tolerance * expected.abs(),
            "found {found:e}, expected {expected:e}"
        );
    }

    #[test]
    fn normal_tails() {
        // scipy.stats.norm.sf
        for (x, tail) in [
            (0.0, 0.5),
            (0.5, 0.308_537_538_725_986_9),
            (1.96, 0.024_997_895_148_220_435),
            (2.0, 0.022_750_131_948_179_195),
            (3.0, 0.001_349_898_031_630_093_3),
            (6.0, 9.865_876_450_376_946e-10),
            (20.0, 2.753_624_118_606_155_6e-89),
            (37.0, 5.725_571_222_523_926_6e-300),
        ] {
            near(normal_sf(x), tail, 1e-12);
            near(normal_isf(tail), x, 1e-13);
            near(normal_cdf(-x), tail, 1e-12);
        }
        assert_eq!(normal_quantile(0.0), f64::NEG_INFINITY);
        assert_eq!(normal_quantile(1.0), f64::INFINITY);
        assert!(normal_quantile(-0.1).is_nan() && normal_quantile(f64::NAN).is_nan());
    }

    #[test]
    fn student_with_one_and_two_degrees_has_closed_forms() {
        for t in [0.0, 0.1, 0.9, 1.0, 3.0, 50.0] {
            near(Student::new(1.0).cdf(t), 0.5 + f64::atan(t) / PI, 1e-14);
            near(Student::new(2.0).cdf(t), 0.5 + t / (2.0 * f64::sqrt(2.0 + t * t)), 1e-14);
        }
        near(Student::new(1.0).sf(1e200), 1e-200 / PI, 1e-12);
        assert_eq!(Student::new(3.0).two_sided(f64::INFINITY), 0.0);
        assert!(Student::new(3.0).two_sided(f64::NAN).is_nan());
    }

    #[test]
    fn quantiles_invert_tails() {
        for freedom in [1.0, 2.0, 7.0, 49.0, 1000.0] {
            let student = Student::new(freedom);
            for p in [1e-12, 1e-3, 0.025, 0.3, 0.5, 0.9] {
                near(student.sf(student.isf(p)), p, 1e-11);
            }
        }
    }

    #[test]
    fn coins_are_counted() {
        // 1 + 5 + 10 of 32
        near(coin_cdf(2, 5), 0.5, 1e-15);
        near(coin_cdf(1, 5), 6.0 / 32.0, 1e-15);
        near(coin_cdf(3, 5), 26.0 / 32.0, 1e-15);
        assert_eq!(coin_cdf(0, 0), 1.0);
        near(coin_cdf(0, 1074), 5e-324, 0.0);
        // scipy.stats.binom.cdf(4900, 10000, 0.5)
        near(coin_cdf(4900, 10_000), 0.023_292_763_852_473_225, 1e-10);
    }

    #[test]
    fn subsets_are_counted() {
        // {} 1 2 3 12 13 23 123
        let eighths = [1.0, 1.0, 1.0, 2.0, 1.0, 1.0, 1.0].map(|count| count / 8.0);
        assert_eq!(subset_sums(&[1, 2, 3]), eighths);
        assert_eq!(subset_sums(&[]), [1.0]);
    }
}
