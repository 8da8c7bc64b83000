//! Measures over characters: each is a document, in the order of reading.

use super::sweep::{Reading, TextBlock};
use crate::error::Result;
use crate::ideal::Discount;
use crate::interrupt::Steps;

/// New characters of one gain that are read one after another.
#[derive(Clone, Copy, Debug)]
struct GainedText {
    above: u64,
    length: u64,
    gain: f64,
}

/// What a fold sees: what is read down to a limit, and how much there is to find.
pub(super) struct Characters<'a> {
    pub(super) reading: &'a Reading,
    /// What a character of each grade gains; 1 or 0 where a grade is relevant or not.
    pub(super) gains: &'a [f64],
    /// How many characters of each grade there are in the evidence.
    pub(super) counts: &'a [u64],
    /// How many characters may be read.
    pub(super) limit: u64,
}

impl Characters<'_> {
    /// How many characters are read.
    pub(super) fn read(&self) -> u64 {
        self.reading.read().min(self.limit)
    }

    /// How many characters gain something, read or not.
    pub(super) fn relevant(&self) -> u64 {
        let gaining = self.counts.iter().zip(self.gains).filter(|(_, gain)| **gain > 0.0);
        gaining.map(|(count, _)| count).sum()
    }

    /// What gains, down to the limit; what stands together and gains the same is one. So no
    /// value depends on how a text was split.
    fn gained(&self) -> impl Iterator<Item = GainedText> {
        let mut blocks = self.reading.blocks.iter().peekable();
        let clipped = |block: &TextBlock| {
            let gain = self.gains[block.grade_index as usize];
            let length = block.length.min(self.limit.saturating_sub(block.above));
            GainedText { above: block.above, length, gain }
        };
        std::iter::from_fn(move || {
            loop {
                let mut found = clipped(blocks.next()?);
                if found.length == 0 || found.gain <= 0.0 {
                    continue;
                }
                while let Some(next) = blocks.next_if(|next| {
                    next.above == found.above + found.length
                        && self.gains[next.grade_index as usize] == found.gain
                        && next.above < self.limit
                }) {
                    found.length += clipped(next).length;
                }
                return Some(found);
            }
        })
    }

    /// How many relevant characters are read.
    pub(super) fn hits(&self) -> u64 {
        self.gained().map(|found| found.length).sum()
    }

    /// The mean over relevant characters of the precision where each is read.
    pub(super) fn average_precision(&self) -> f64 {
        let (mut sum, mut seen) = (0.0, 0);
        for found in self.gained() {
            sum = precisions(sum, seen, found.above, found.length);
            seen += found.length;
        }
        sum / self.relevant() as f64
    }

    /// The relevant characters read and all that are read, at the ends of places where something
    /// relevant is new.
    pub(super) fn points(&self) -> Vec<(u64, u64)> {
        let mut gained = self.gained().peekable();
        let (mut points, mut seen) = (Vec::new(), 0);
        for &end in &self.reading.ends {
            let (end, before) = (end.min(self.limit), seen);
            while let Some(found) = gained.peek_mut() {
                let here = found.length.min(end.saturating_sub(found.above));
                seen += here;
                if here < found.length {
                    // The rest is in the next place.
                    found.above += here;
                    found.length -= here;
                    break;
                }
                gained.next();
            }
            if seen > before {
                points.push((seen, end));
            }
        }
        points
    }

    /// The sum of what is gained, discounted by how many units are read above.
    pub(super) fn discounted(&self, unit: f64, discount: &Discount) -> Result<f64> {
        discounted(self.gained(), unit as u64, discount)
    }

    /// The same of the best reading there is of so many characters.
    pub(super) fn ideal(&self, most: u64, unit: f64, discount: &Discount) -> Result<f64> {
        let pairs = self.gains.iter().zip(self.counts).filter(|(gain, _)| **gain > 0.0);
        let mut pairs: Vec<(f64, u64)> = pairs.map(|(&gain, &count)| (gain, count)).collect();
        pairs.sort_by(|a, b| b.0.total_cmp(&a.0));
        let (mut above, mut ideal) = (0, Vec::<GainedText>::new());
        for (gain, count) in pairs {
            let length = count.min(most.saturating_sub(above));
            match ideal.last_mut() {
                Some(last) if last.gain == gain => last.length += length,
                _ if length > 0 => ideal.push(GainedText { above, length, gain }),
                _ => {}
            }
            above += length;
        }
        discounted(ideal.into_iter(), unit as u64, discount)
    }

    /// The sum of what is gained, less the more is read down to it, and nothing beyond a length.
    pub(super) fn utility(&self, length: f64) -> f64 {
        let of_block = |found: GainedText| {
            // Only so many of them are read within the length.
            let within = (length - found.above as f64).floor().clamp(0.0, found.length as f64);
            let read = within * found.above as f64 + within * (within + 1.0) / 2.0;
            found.gain * (within - read / length)
        };
        self.gained().map(of_block).fold(0.0, |sum, value| sum + value)
    }
}

/// A unit's worth of characters gains what a document gains.
fn discounted(
    gained: impl Iterator<Item = GainedText>,
    unit: u64,
    discount: &Discount,
) -> Result<f64> {
    let (mut sum, mut steps) = (0.0, Steps::default());
    for GainedText { mut above, mut length, gain } in gained {
        while length > 0 {
            steps.step()?;
            let rank = above / unit + 1;
            let here = length.min(rank * unit - above);
            sum += here as f64 / unit as f64 * gain / discount.divisor_at(rank);
            (above, length) = (above + here, length - here);
        }
    }
    Ok(sum)
}

/// So many terms are added one by one.
const TERMS: u64 = 1 << 16;

/// A sum, and the precisions at so many relevant characters in a row, below this many relevant
/// ones among all that are read.
fn precisions(mut sum: f64, seen: u64, above: u64, length: u64) -> f64 {
    let single = length.min(TERMS);
    let (mut hits, mut rank) = (seen as f64, above as f64);
    for _ in 0..single {
        (hits, rank) = (hits + 1.0, rank + 1.0);
        sum += hits / rank;
    }
    let rest = (length - single) as f64;
    if rest == 0.0 {
        return sum;
    }
    // (c + i) / (n + i) is 1 + (c - n) / (n + i); the difference of two harmonic numbers, by
    // Euler and Maclaurin, is exact to the last digits for numbers this large.
    let last = rank + rest;
    let harmonic = (rest / rank).ln_1p() + 0.5 * (1.0 / last - 1.0 / rank)
        - (1.0 / (last * last) - 1.0 / (rank * rank)) / 12.0;
    sum + rest + (hits - rank) * harmonic
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_blocks_are_added_as_short_ones_are() {
        for (seen, above, length) in
            [(0, 0, 200_000), (5, 40, 70_000), (1_000, 9_000_000, 300_000), (7, 7, 131_072)]
        {
            let terms = (1..=length).map(|i| (seen + i) as f64 / (above + i) as f64);
            let expected: f64 = terms.sum();
            let found = precisions(0.0, seen, above, length);
            assert!((found / expected - 1.0).abs() < 1e-9, "{found} {expected}");
        }
    }
}
