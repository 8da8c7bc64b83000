//! Rank-biased overlap: the similarity of two rankings that may be incomplete
//! and have different items.
//!
//! At each depth the two prefixes agree to a degree; the mean of these
//! degrees with geometric weights is the overlap (Webber, Moffat & Zobel,
//! TOIS 28(4), 2010). The ranks beyond the lists are unknown: `min` is the
//! overlap if nothing there agrees, `max` if as much as possible does, `ext`
//! if the agreement stays as before.
//!
//! A tied item belongs to a prefix in part. All items of a tied group do so
//! to the same degree, so eight counts of common items are enough for a depth,
//! and n items take n steps. The three treatments of ties are those
//! of Corsi & Urbano (SIGIR 2024).

use crate::error::{Error, Kind, Result};

/// A ranking: groups of tied items, best first. Items are small numbers
/// that both rankings share.
pub type TiedRanking = [Vec<u32>];

/// How ties are treated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TieTreatment {
    /// The items have the same rank: a prefix that reaches it has the whole group.
    W,
    /// Their order is not known: the mean over all orders.
    A,
    /// The same, corrected for ties, so that a ranking agrees with
    /// itself completely.
    B,
}

/// The overlap of two rankings of which only prefixes are known.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Overlap {
    /// Extrapolated.
    pub ext: f64,
    /// At least.
    pub min: f64,
    /// At most.
    pub max: f64,
}

/// How far an item is in a prefix.
const BELOW: usize = 0;
const PARTLY: usize = 1;
const INSIDE: usize = 2;

/// Below this stopping probability the sum over all depths is computed by
/// another formula.
const PATIENT: f64 = 1e-10;

/// One ranking, read to some depth.
struct PrefixOfRanking<'a> {
    groups: &'a TiedRanking,
    next: usize,
    /// Items that are entirely within the depth.
    inside: usize,
    /// The group that the depth cuts, and the fraction of each item above the cut.
    cut: &'a [u32],
    part: f64,
}

impl<'a> PrefixOfRanking<'a> {
    fn new(groups: &'a TiedRanking) -> Self {
        PrefixOfRanking { groups, next: 0, inside: 0, cut: &[], part: 0.0 }
    }

    /// Moves one rank down. Returns the new items and their new state.
    fn step(&mut self, depth: usize, ties: TieTreatment) -> Option<(&'a [u32], usize)> {
        if depth > self.inside + self.cut.len() {
            let group = self.groups.get(self.next)?;
            self.next += 1;
            if ties == TieTreatment::W || group.len() == 1 {
                self.inside += group.len();
                return Some((group, INSIDE));
            }
            self.cut = group;
            self.part = 1.0 / group.len() as f64;
            return Some((group, PARTLY));
        }
        if self.cut.is_empty() {
            // Equal ranks: the group is included from its first rank on.
            return None;
        }
        let here = depth - self.inside;
        if here < self.cut.len() {
            self.part = here as f64 / self.cut.len() as f64;
            return None;
        }
        let group = std::mem::take(&mut self.cut);
        self.inside += group.len();
        Some((group, INSIDE))
    }

    /// The fraction of an item in this state that is in the prefix.
    fn weight(&self, place: usize) -> f64 {
        [0.0, self.part, 1.0][place]
    }

    /// The sum of squares of the fractions in the prefix.
    fn squares(&self) -> f64 {
        self.inside as f64 + self.cut.len() as f64 * self.part * self.part
    }
}

/// The overlap with persistence p, the probability to continue to the next depth.
pub fn rbo(a: &TiedRanking, b: &TiedRanking, p: f64, ties: TieTreatment) -> Result<Overlap> {
    if !(0.0..1.0).contains(&p) {
        let message = format!("p is {p}; expected at least 0 and below 1");
        return Err(Error::new(Kind::Option, message));
    }
    let length = |groups: &TiedRanking| groups.iter().map(Vec::len).sum::<usize>();
    let (short, long) = if length(a) <= length(b) { (a, b) } else { (b, a) };
    let (s, l) = (length(short), length(long));
    if s == 0 {
        return Err(Error::new(Kind::Undefined, "overlap is undefined: a ranking is empty"));
    }
    // Where each item stands in the two, and whether it is in both.
    let items = 1 + short.iter().chain(long).flatten().max().map_or(0, |&item| item as usize);
    let mut shared = vec![[false; 2]; items];
    for (side, groups) in [short, long].into_iter().enumerate() {
        for (rank, &item) in groups.iter().flatten().enumerate() {
            if std::mem::replace(&mut shared[item as usize][side], true) {
                let message = format!("rank {} repeats an item", rank + 1);
                return Err(Error::new(Kind::Duplicate, message));
            }
        }
    }
    let mut places = vec![[BELOW; 2]; items];
    let mut common = [[0u32; 3]; 3];
    let mut only_long = [0u32; 3];
    let (mut top, mut deep) = (PrefixOfRanking::new(short), PrefixOfRanking::new(long));

    let (mut ext, mut min, mut max) = (0.0, 0.0, 0.0);
    let mut weight = 1.0 - p;
    let mut agreement = 0.0; // of the last depth that both reach
    for depth in 1..=l {
        let steps = [top.step(depth, ties), deep.step(depth, ties)];
        for (side, step) in steps.into_iter().enumerate() {
            let Some((group, place)) = step else { continue };
            for &item in group {
                let old = places[item as usize];
                places[item as usize][side] = place;
                let new = places[item as usize];
                if shared[item as usize] == [true; 2] {
                    if old != [BELOW; 2] {
                        common[old[0]][old[1]] -= 1;
                    }
                    common[new[0]][new[1]] += 1;
                } else if side == 1 {
                    if old[1] != BELOW {
                        only_long[old[1]] -= 1;
                    }
                    only_long[place] += 1;
                }
            }
        }
        let seen: f64 = [PARTLY, INSIDE]
            .into_iter()
            .flat_map(|i| [PARTLY, INSIDE].map(|j| (i, j)))
            .map(|(i, j)| f64::from(common[i][j]) * top.weight(i) * deep.weight(j))
            .sum();
        // Beyond its end the short ranking has an unknown item at each rank.
        let d = depth as f64;
        let whole = match ties {
            TieTreatment::W if depth <= s => f64::midpoint(top.inside as f64, deep.inside as f64),
            TieTreatment::W => f64::midpoint(d, deep.inside as f64),
            TieTreatment::A => d,
            TieTreatment::B if depth <= s => (top.squares() * deep.squares()).sqrt(),
            TieTreatment::B => (d * deep.squares()).sqrt(),
        };
        let (mut likely, mut most) = (0.0, 0.0);
        if depth <= s {
            agreement = seen / whole;
        } else {
            // The unknown items can be those that only the long ranking has.
            let (whole_ones, parts) = (f64::from(only_long[INSIDE]), f64::from(only_long[PARTLY]));
            let unknown = d - s as f64;
            most = unknown.min(whole_ones) + (unknown - whole_ones).max(0.0) * deep.part;
            let mean = (whole_ones + parts * deep.part) / (whole_ones + parts);
            likely = unknown * agreement * mean;
        }
        ext += weight * (seen + likely) / whole;
        min += weight * seen / whole;
        max += weight * (seen + most) / whole;
        weight *= p;
    }
    // `weight` is now (1 - p) p^l.
    let (s, l) = (s as f64, l as f64);
    let shared = f64::from(common[INSIDE][INSIDE]);
    ext += (shared + (l - s) * agreement) / l * weight / (1.0 - p);
    min += shared * weight * tail(p, l);
    let full = l + s - shared;
    let mut depth = l + 1.0;
    while depth <= full {
        max += weight * (2.0 * depth - l - s + shared) / depth;
        weight *= p;
        depth += 1.0;
    }
    max += weight / (1.0 - p);
    // Rounding must keep the three values in range and in order.
    let max = max.clamp(0.0, 1.0);
    let min = min.clamp(0.0, max);
    Ok(Overlap { ext: ext.clamp(min, max), min, max })
}

/// The sum of p^(d-l-1) / d over all d > l: 2F1(1, l+1; l+2; p) / (l+1) by
/// Gauss's continued fraction, which has no difference of large numbers.
///
/// If p is so close to 1 that the fraction converges slowly, the logarithm is
/// much larger than the terms subtracted from it.
fn tail(p: f64, l: f64) -> f64 {
    if 1.0 - p < PATIENT {
        let ranks = 1..=l as u64;
        let mut power = 1.0;
        let head: f64 = ranks
            .map(|d| {
                power *= p;
                power / d as f64
            })
            .sum();
        return (-(1.0 - p).ln() - head) / (power * p);
    }
    let a = l + 1.0;
    let terms = 20 + (20.0 / (1.0 - p).sqrt()) as u64;
    let mut value = 1.0;
    for term in (1..=terms).rev() {
        let m = (term / 2) as f64;
        let c = a + term as f64 - 1.0;
        let factor = if term % 2 == 1 { (a + m) * (a + m) } else { m * m };
        value = 1.0 - factor / (c * (c + 1.0)) * p / value;
    }
    1.0 / (a * value)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(found: f64, expected: f64) {
        assert!((found - expected).abs() <= 1e-13, "{found} {expected}");
    }

    fn ranking(groups: &[&[u32]]) -> Vec<Vec<u32>> {
        groups.iter().map(|group| group.to_vec()).collect()
    }

    #[test]
    fn the_tail_is_the_rest_of_the_logarithm() {
        for (p, l) in [(0.5f64, 1), (0.9, 3), (0.9, 100), (0.99, 7), (0.001, 2)] {
            let direct: f64 = (l + 1..l + 20_000).map(|d| p.powi(d - l - 1) / f64::from(d)).sum();
            let found = tail(p, f64::from(l));
            assert!((found / direct - 1.0).abs() < 1e-13, "{p} {l} {found} {direct}");
        }
    }

    #[test]
    fn the_two_ways_to_the_tail_meet() {
        for l in [1.0, 10.0, 1000.0] {
            let (by_fraction, by_logarithm) = (tail(1.0 - 1.001e-10, l), tail(1.0 - 0.999e-10, l));
            // Their derivative by ln(1 - p) is -1.
            assert!((by_logarithm - by_fraction - 0.002).abs() < 1e-5);
        }
        assert!(tail(1.0 - f64::EPSILON / 2.0, 1.0).is_finite());
    }

    #[test]
    fn overlap_by_hand() {
        // p = 1/2; prefixes share 0 of 1, 2 of 2: 1/2 * 0 + 1/4 * 1, and then 1/4 if it goes on.
        let found =
            rbo(&ranking(&[&[0], &[1]]), &ranking(&[&[1], &[0]]), 0.5, TieTreatment::W).unwrap();
        close(found.ext, 0.5);
        // If nothing more agrees: 1/4 + (1/2) * sum over d > 2 of 2/d 2^(1-d)
        // = 1/4 + 2 (ln 2 - 1/2 - 1/8).
        close(found.min, 0.25 + 2.0 * (2f64.ln() - 0.625));
        close(found.max, 0.5);
    }

    #[test]
    fn tied_groups_agree_with_themselves() {
        let tied = ranking(&[&[0, 1], &[2]]);
        close(rbo(&tied, &tied, 0.8, TieTreatment::W).unwrap().ext, 1.0);
        close(rbo(&tied, &tied, 0.8, TieTreatment::B).unwrap().ext, 1.0);
        // Of the two items half of each is in either prefix of one: 2 * 1/4.
        close(rbo(&tied, &tied, 0.8, TieTreatment::A).unwrap().ext, 0.2 * 0.5 + 0.8);
    }

    #[test]
    fn an_empty_ranking_a_repetition_and_a_wrong_p_are_errors() {
        let kind =
            |a: &[Vec<u32>], p| rbo(a, &ranking(&[&[0]]), p, TieTreatment::W).unwrap_err().kind();
        assert_eq!(kind(&[], 0.9), Kind::Undefined);
        assert_eq!(kind(&ranking(&[&[0], &[0]]), 0.9), Kind::Duplicate);
        assert_eq!(kind(&ranking(&[&[0]]), 1.0), Kind::Option);
        assert_eq!(kind(&ranking(&[&[0]]), f64::NAN), Kind::Option);
    }
}
