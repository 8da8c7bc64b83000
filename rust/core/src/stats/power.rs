//! The power of Student's paired t test, by the noncentral t distribution.

use std::f64::consts::PI;
use std::sync::LazyLock;

use super::distribution::{Student, normal_isf, normal_sf};

/// How many points each panel of an integral has.
const POINTS: usize = 40;

/// The nodes and weights of Gauss and Legendre on [-1, 1].
static LEGENDRE: LazyLock<[(f64, f64); POINTS]> = LazyLock::new(|| {
    std::array::from_fn(|i| {
        let n = POINTS as f64;
        let mut x = (PI * (i as f64 + 0.75) / (n + 0.5)).cos();
        let mut slope = 1.0;
        for _ in 0..20 {
            let (mut before, mut value) = (1.0, x);
            for k in 2..=POINTS {
                let k = k as f64;
                (before, value) = (value, ((2.0 * k - 1.0) * x * value - (k - 1.0) * before) / k);
            }
            slope = n * (x * value - before) / (x * x - 1.0);
            x -= value / slope;
        }
        (x, 2.0 / ((1.0 - x * x) * slope * slope))
    })
});

/// P(T > t) of the noncentral t with a whole number of degrees of freedom, at least 1.
///
/// T = (Z + noncentrality) / S, where S = chi / sqrt(freedom): the mean over S of
/// P(Z > t S - noncentrality), by Gauss and Legendre. The density of S is normalized by
/// the same points, so that no gamma function is needed.
pub fn noncentral_sf(t: f64, freedom: f64, noncentrality: f64) -> f64 {
    // Beyond eleven deviations S has no weight.
    let reach = 11.0 / (2.0 * freedom).sqrt();
    let (low, high) = ((1.0 - reach).max(0.0), 1.0 + reach);
    // The tail of Z goes from 0 to 1 around the S where t S is the noncentrality.
    let (turn, width) = (noncentrality / t, 8.0 / t.abs());
    let mut cuts = vec![low, f64::midpoint(low, high), high];
    cuts.extend([turn - width, turn, turn + width].iter().filter(|&&s| s > low && s < high));
    cuts.sort_unstable_by(f64::total_cmp);
    let log_density = |s: f64| (freedom - 1.0) * s.ln() - freedom * s * s / 2.0;
    let mode = ((freedom - 1.0) / freedom).sqrt();
    let top = if freedom > 1.0 { log_density(mode) } else { 0.0 };
    let (mut tail, mut whole) = (0.0, 0.0);
    for ends in cuts.windows(2) {
        for half in 0..2 {
            let half_width = (ends[1] - ends[0]) / 4.0;
            let middle = ends[0] + half_width * f64::from(2 * half + 1);
            for &(x, weight) in LEGENDRE.iter() {
                let s = middle + half_width * x;
                let mass = weight * half_width * (log_density(s) - top).exp();
                whole += mass;
                tail += mass * normal_sf(t * s - noncentrality);
            }
        }
    }
    tail / whole
}

/// Whether a test looks for a difference in either direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TestSides {
    /// In one direction.
    One,
    /// In both.
    Two,
}

/// The t test at a level.
#[derive(Clone, Copy, Debug)]
pub struct TestDesign {
    /// The chance of a significant result where there is no difference.
    pub alpha: f64,
    /// In which directions.
    pub sides: TestSides,
}

impl TestDesign {
    fn tail(self) -> f64 {
        if self.sides == TestSides::Two { self.alpha / 2.0 } else { self.alpha }
    }

    /// The chance of a significant result for n topics, at least 2, where the mean difference is
    /// so many standard deviations of the differences.
    pub fn power(self, topics: f64, effect: f64) -> f64 {
        self.at(topics, effect * topics.sqrt())
    }

    fn at(self, topics: f64, noncentrality: f64) -> f64 {
        let freedom = topics - 1.0;
        let critical = Student::new(freedom).isf(self.tail());
        let upper = noncentral_sf(critical, freedom, noncentrality);
        match self.sides {
            TestSides::One => upper,
            // The mirror image: below -critical around the noncentrality is above it around minus.
            TestSides::Two => upper + noncentral_sf(critical, freedom, -noncentrality),
        }
    }

    /// The smallest effect that has at least this power, which has to be above alpha.
    pub fn detectable(self, topics: f64, power: f64) -> f64 {
        let (mut low, mut high) = (0.0, 1.0);
        while self.at(topics, high) < power {
            low = high;
            high *= 2.0;
        }
        while high - low > 1e-13 * high {
            let middle = f64::midpoint(low, high);
            if middle <= low || middle >= high {
                break;
            }
            if self.at(topics, middle) < power { low = middle } else { high = middle }
        }
        high / topics.sqrt()
    }

    /// The smallest number of topics, at least 2, with this power for an effect above 0.
    ///
    /// Exact up to a million topics; beyond that by Sakai's approximation, whose error is below
    /// one topic.
    pub fn topics(self, effect: f64, power: f64) -> f64 {
        let (level, goal) = (normal_isf(self.tail()), normal_isf(1.0 - power));
        let near = ((level + goal) / effect).powi(2) + level * level / 2.0;
        if near.is_nan() || near > 1e6 {
            return near.ceil();
        }
        let enough = |topics: f64| self.power(topics, effect) >= power;
        let (mut few, mut many) = (1.0, near.ceil().max(2.0));
        while !enough(many) {
            few = many;
            many = (many * 1.1).ceil() + 1.0;
        }
        while many - few > 1.0 {
            let middle = f64::midpoint(few, many).floor();
            if enough(middle) { many = middle } else { few = middle }
        }
        many
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tails_are_those_of_scipy() {
        // scipy.stats.nct.sf(t, freedom, noncentrality) of scipy 1.17.1
        for (t, freedom, noncentrality, expected) in NCT {
            let found = noncentral_sf(t, freedom, noncentrality);
            assert!((found - expected).abs() < 1e-12, "{t} {freedom} {noncentrality}: {found}");
        }
    }

    #[test]
    fn without_a_difference_the_power_is_alpha() {
        for sides in [TestSides::One, TestSides::Two] {
            let design = TestDesign { alpha: 0.05, sides };
            for topics in [2.0, 3.0, 25.0, 1000.0] {
                assert!((design.power(topics, 0.0) - 0.05).abs() < 1e-13);
            }
        }
    }

    #[test]
    fn sizes_and_effects_invert_the_power() {
        let design = TestDesign { alpha: 0.05, sides: TestSides::Two };
        // Sakai (2016): 199, 90, 34 and 15 topics.
        let sizes = [0.2, 0.3, 0.5, 0.8].map(|effect| design.topics(effect, 0.8));
        assert_eq!(sizes, [199.0, 90.0, 34.0, 15.0]);
        for topics in [2.0, 5.0, 88.0, 5000.0] {
            let effect = design.detectable(topics, 0.8);
            assert!((design.power(topics, effect) - 0.8).abs() < 1e-12);
            if topics > 2.0 {
                assert_eq!(design.topics(effect * (1.0 + 1e-9), 0.8), topics);
            }
        }
        let beyond = design.topics(0.002, 0.8);
        assert!(design.topics(0.002_801_6, 0.8) < 1e6 && beyond > 1.9e6);
    }

    #[rustfmt::skip]
    const NCT: [(f64, f64, f64, f64); 36] = [
        (0.711, 1.0, -2.5, 0.001_973_649_430_478_445_5),
        (3.42, 1.0, 0.3, 0.127_922_961_419_868_9),
        (3.102, 1.0, 2.8, 0.609_912_122_352_829_5),
        (1.169, 1.0, 6.0, 0.999_903_906_529_582_8),
        (2.083, 2.0, -2.5, 0.000_251_365_406_158_649_17),
        (1.908, 2.0, 0.3, 0.147_286_914_242_748_84),
        (2.676, 2.0, 2.8, 0.624_241_148_572_664),
        (3.197, 2.0, 6.0, 0.951_932_661_548_401),
        (0.557, 3.0, -2.5, 0.001_585_434_645_052_28),
        (0.308, 3.0, 0.3, 0.506_484_595_781_874_4),
        (3.376, 3.0, 2.8, 0.442_111_891_172_944_14),
        (1.845, 3.0, 6.0, 0.999_580_617_187_454_2),
        (3.097, 9.0, -2.5, 1.685_957_684_053_061_8e-6),
        (0.208, 9.0, 0.3, 0.538_866_211_281_271_7),
        (1.892, 9.0, 2.8, 0.810_371_711_334_899),
        (2.942, 9.0, 6.0, 0.994_624_960_561_108),
        (1.069, 24.0, -2.5, 0.000_217_629_123_314_085_07),
        (3.792, 24.0, 0.3, 0.001_124_857_213_066_747_6),
        (3.625, 24.0, 2.8, 0.242_823_028_045_646_7),
        (0.316, 24.0, 6.0, 0.999_999_993_318_525_4),
        (0.297, 49.0, -2.5, 0.002_601_084_769_978_388),
        (2.257, 49.0, 0.3, 0.028_876_666_138_232_365),
        (3.769, 49.0, 2.8, 0.187_327_020_699_990_44),
        (1.649, 49.0, 6.0, 0.999_991_426_475_128),
        (1.023, 87.0, -2.5, 0.000_224_371_250_565_708_93),
        (1.804, 87.0, 0.3, 0.068_761_581_377_253_44),
        (0.31, 87.0, 2.8, 0.993_616_493_621_198),
        (1.042, 87.0, 6.0, 0.999_999_620_223_074),
        (1.864, 249.0, -2.5, 6.897_973_878_106_263e-6),
        (2.084, 249.0, 0.3, 0.038_014_230_529_569_38),
        (1.086, 249.0, 2.8, 0.956_649_515_124_467_6),
        (1.077, 249.0, 6.0, 0.999_999_563_599_68),
        (1.031, 999.0, -2.5, 0.000_207_933_846_861_112_04),
        (1.946, 999.0, 0.3, 0.050_092_564_643_847_05),
        (1.301, 999.0, 2.8, 0.933_023_081_665_676_9),
        (0.282, 999.0, 6.0, 0.999_999_994_609_371_8),
    ];
}
