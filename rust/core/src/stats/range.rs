//! The studentised range: the range of several normal means, divided by an
//! estimate of their spread.
//!
//! Both integrals are sums at equal steps, which for integrands as smooth as
//! these converge faster than any power of the step. The terms are positive,
//! so the tail keeps its relative accuracy.

use super::distribution::{invert, normal_cdf, normal_pdf, normal_sf};

/// Beyond this width the tail is taken as 0; there it is about 1e-270.
const WIDEST: f64 = 50.0;

/// The tail of the range is stored as its logarithm, by a polynomial of this
/// degree on each piece of this width.
const DEGREE: usize = 23;
const PIECE_WIDTH: f64 = 2.0;

/// The distribution of the studentised range of some groups, with the degrees
/// of freedom of the estimate of their spread.
#[derive(Clone, Debug)]
pub struct StudentizedRange {
    freedom: f64,
    /// Chebyshev coefficients of the logarithm of P(range > width).
    pieces: Vec<[f64; DEGREE + 1]>,
}

impl StudentizedRange {
    /// For a number of groups (at least 2) and degrees of freedom (more than 0).
    pub fn new(groups: usize, freedom: f64) -> Self {
        let tail = NormalRange::new(groups);
        let count = (WIDEST / PIECE_WIDTH) as u32;
        let pieces = (0..count)
            .map(|piece| {
                let left = f64::from(piece) * PIECE_WIDTH;
                chebyshev(|x| tail.sf(left + 0.5 * PIECE_WIDTH * (x + 1.0)).ln())
            })
            .collect();
        StudentizedRange { freedom, pieces }
    }

    /// P(range > width) for a known spread.
    fn known(&self, width: f64) -> f64 {
        let place = width / PIECE_WIDTH;
        let Some(coefficients) = self.pieces.get(place as usize) else { return 0.0 };
        let x = 2.0 * place.fract() - 1.0;
        let (mut b1, mut b2) = (0.0, 0.0);
        for &c in coefficients[1..].iter().rev() {
            (b1, b2) = (2.0 * x * b1 - b2 + c, b1);
        }
        (x * b1 - b2 + coefficients[0]).exp()
    }

    /// P(Q > q).
    pub fn sf(&self, q: f64) -> f64 {
        if q.is_nan() {
            return f64::NAN;
        }
        if q <= 0.0 {
            return 1.0;
        }
        if q.is_infinite() {
            return 0.0;
        }
        // The spread is e^u; the logarithm of its density, up to a constant,
        // is freedom * (u - (e^2u - 1) / 2), whose maximum is at u = 0.
        let freedom = self.freedom;
        let term = |u: f64| {
            let density = (freedom * (u - 0.5 * (2.0 * u).exp_m1())).exp();
            (density, density * self.known(q * u.exp()))
        };
        let step = 0.25 / (2.0 * freedom + 2.0).sqrt();
        let (mut mass, mut tail) = term(0.0);
        for side in [step, -step] {
            let mut k = 1.0;
            loop {
                let (m, t) = term(k * side);
                mass += m;
                tail += t;
                // The tail's integrand can have its maximum far below 0, where
                // the spread is small and the range therefore wide.
                if m < 1e-17 * mass && t <= 1e-17 * tail && (side > 0.0 || t > 0.0 || m == 0.0) {
                    break;
                }
                k += 1.0;
            }
        }
        (tail / mass).min(1.0)
    }

    /// The q with P(Q > q) = p.
    pub fn isf(&self, p: f64) -> f64 {
        invert(|q| self.sf(q), p)
    }
}

/// The range of several standard normals.
struct NormalRange {
    others: f64,
    /// At each step: its position z, P(z is the highest), P(Z <= z).
    highest: Vec<(f64, f64, f64)>,
}

impl NormalRange {
    fn new(groups: usize) -> Self {
        let others = groups as f64 - 1.0;
        // The step fits the narrow distribution of the highest of many.
        let step = 0.25 / (2.0 * (groups as f64).ln()).sqrt().max(1.0);
        let lowest = -9.0;
        let steps = ((WIDEST + 9.0 - lowest) / step) as u32;
        let highest = (0..=steps).map(|k| {
            let z = lowest + f64::from(k) * step;
            let below = normal_cdf(z);
            (z, (others + 1.0) * normal_pdf(z) * below.powf(others) * step, below)
        });
        let highest = highest.collect();
        NormalRange { others, highest }
    }

    /// P(range > width): the highest is at z, and not all others are within
    /// the width below it.
    fn sf(&self, width: f64) -> f64 {
        let sum = self.highest.iter().map(|&(z, chance, below)| {
            let out = normal_sf(width - z) / below;
            if chance == 0.0 {
                0.0
            } else if out >= 1.0 {
                chance
            } else {
                -chance * (self.others * (-out).ln_1p()).exp_m1()
            }
        });
        sum.sum::<f64>().min(1.0)
    }
}

/// The Chebyshev coefficients of a smooth function on [-1, 1].
fn chebyshev(f: impl Fn(f64) -> f64) -> [f64; DEGREE + 1] {
    let nodes = DEGREE as f64 + 1.0;
    let angle = |k: usize| std::f64::consts::PI * (k as f64 + 0.5) / nodes;
    let values: [f64; DEGREE + 1] = std::array::from_fn(|k| f(angle(k).cos()));
    std::array::from_fn(|j| {
        let terms = values.iter().enumerate().map(|(k, v)| v * (j as f64 * angle(k)).cos());
        terms.sum::<f64>() * if j == 0 { 1.0 } else { 2.0 } / nodes
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::distribution::Student;

    #[test]
    fn of_two_groups_it_is_students_t() {
        // Q = |T| sqrt(2)
        for freedom in [1.0, 2.0, 5.0, 49.0, 400.0] {
            let range = StudentizedRange::new(2, freedom);
            let student = Student::new(freedom);
            for t in [0.01, 0.5, 1.0, 2.0, 4.0, 8.0, 20.0] {
                let (found, expected) = (range.sf(t * 2f64.sqrt()), student.two_sided(t));
                let error = (found / expected - 1.0).abs();
                assert!(error < 1e-10, "freedom {freedom}, t {t}: {found:e} {expected:e}");
            }
        }
    }
}
