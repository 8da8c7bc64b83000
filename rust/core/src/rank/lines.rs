//! The lines of one topic, in compact columns.

use cranfield_scan::{DIGITS, Decimal};

use crate::costs::Unit;
use crate::error::Result;
use crate::memory;
use crate::numbers::POWERS;

/// Documents, scores and perhaps ranks of one topic's lines.
#[derive(Clone, Debug, Default)]
pub struct Lines {
    /// The documents one after another, and behind them room that was used
    /// before, as there is behind the ends and the scaled scores.
    arena: Vec<u8>,
    /// Where the first document begins, if there is room for one, and where
    /// each ends.
    ends: Vec<usize>,
    scaled_scores: Vec<f64>,
    /// The number of lines.
    count: usize,
    /// Up to the first line without one.
    ranks: Vec<f64>,
    /// A scaled score is this power of ten times the score: the digits of scores are in
    /// order as they are, without a division for each line.
    decimals: u32,
    /// What lines cost, and the calls that they came from; up to the last line that has one.
    /// NaN for a line without.
    costs: Option<Box<[Vec<f64>; Unit::ALL.len()]>>,
}

/// Room for further lines of [`Lines`], for loops in which a call for each line
/// would cost too much.
pub(crate) struct LineBuffer<'a> {
    pub(crate) arena: &'a mut [u8],
    /// How much of the arena is taken.
    pub(crate) used: usize,
    pub(crate) ends: &'a mut [usize],
    pub(crate) scaled_scores: &'a mut [f64],
    /// None unless ranks are kept.
    pub(crate) ranks: &'a mut [f64],
    /// The power of ten that scores are multiplied with.
    pub(crate) decimals: u32,
}

/// The documents of [`Lines`].
#[derive(Clone, Copy, Debug)]
pub(super) struct LineDocuments<'a> {
    arena: &'a [u8],
    ends: &'a [usize],
}

impl<'a> LineDocuments<'a> {
    /// The document of a line.
    #[inline(always)]
    pub(super) fn of(self, line: u32) -> &'a [u8] {
        let LineDocuments { arena, ends } = self;
        let line = line as usize;
        let end = ends[line + 1];
        &arena[ends[line]..end]
    }

    /// The documents in order of line.
    #[inline(always)]
    pub(super) fn all(self) -> impl Iterator<Item = &'a [u8]> {
        let LineDocuments { arena, ends } = self;
        ends.windows(2).map(move |bounds| &arena[bounds[0]..bounds[1]])
    }
}

/// Lists below this length have columns below a megabyte.
const MEMORY_CHECKED_LINES: usize = 1 << 14;

impl Lines {
    /// Adds a line.
    #[inline]
    pub fn push(&mut self, document: &[u8], score: f64) {
        self.settle();
        self.add(document, score);
    }

    /// Sets the rank of the line that was added last; ignored if a line above
    /// has none.
    #[inline]
    pub fn push_rank(&mut self, rank: f64) {
        if self.ranks.len() + 1 == self.count {
            self.ranks.push(rank);
        }
    }

    /// Sets what the line that was added last costs, or the number of its call.
    pub fn push_cost(&mut self, unit: Unit, cost: f64) {
        let column = &mut self.costs.get_or_insert_default()[unit as usize];
        column.resize(self.count - 1, f64::NAN);
        column.push(cost);
    }

    /// What the first lines cost; NaN for one without. Nothing if no line has a cost.
    pub fn costs(&self, unit: Unit) -> &[f64] {
        self.costs.as_ref().map_or(&[], |columns| &columns[unit as usize])
    }

    /// Adds a line whose score is as it was written.
    pub fn push_decimal(&mut self, document: &[u8], decimal: Decimal) {
        if self.is_empty() {
            self.decimals = most_decimals(decimal);
        }
        let scaled = scaled(decimal, self.decimals).unwrap_or_else(|| {
            self.settle();
            score_of(decimal)
        });
        self.add(document, scaled);
    }

    fn add(&mut self, document: &[u8], scaled: f64) {
        let (used, end) = (self.used(), self.used() + document.len());
        let LineBuffer { arena, ends, scaled_scores, .. } = self.buffer(1, document.len(), false);
        arena[used..end].copy_from_slice(document);
        // Adding zero turns minus zero, which ties with zero, into zero.
        (ends[0], scaled_scores[0]) = (end, scaled + 0.0);
        self.take_over(1);
    }

    /// Makes sure that there is room for this many further lines whose documents have this many
    /// bytes in all.
    #[inline(always)]
    pub fn make_room(&mut self, lines: usize, bytes: usize) -> Result<()> {
        // A list of so few lines and bytes takes no more than any call does, and many do not
        // either; lists of long ids do.
        if self.count + lines < MEMORY_CHECKED_LINES
            && self.arena.len() + bytes < memory::SMALL / 16
        {
            return Ok(());
        }
        self.make_much_room(lines, bytes)
    }

    #[cold]
    #[inline(never)]
    fn make_much_room(&mut self, lines: usize, bytes: usize) -> Result<()> {
        let (used, count) = (self.used() + bytes, self.count + lines);
        if self.arena.len() < used {
            memory::reserve(&mut self.arena, 2 * used)?;
        }
        memory::reserve(&mut self.ends, 1 + count)?;
        memory::reserve(&mut self.scaled_scores, count)?;
        if self.ranks.len() == self.count {
            memory::reserve(&mut self.ranks, count)?;
        }
        Ok(())
    }

    /// A buffer for this many lines whose documents have this many bytes in all, with
    /// ranks if these are to be kept and all lines so far have theirs.
    pub(crate) fn buffer(&mut self, lines: usize, bytes: usize, ranked: bool) -> LineBuffer<'_> {
        let (used, count) = (self.used(), self.count);
        self.widen(used + bytes);
        let ranked = ranked && self.ranks.len() == count;
        if ranked {
            self.ranks.resize(count + lines, 0.0);
        }
        if self.scaled_scores.len() < count + lines {
            self.ends.resize(1 + count + lines, 0);
            self.scaled_scores.resize(count + lines, 0.0);
        }
        LineBuffer {
            arena: &mut self.arena,
            used,
            ends: &mut self.ends[1 + count..][..lines],
            scaled_scores: &mut self.scaled_scores[count..][..lines],
            ranks: if ranked { &mut self.ranks[count..] } else { &mut [] },
            decimals: self.decimals,
        }
    }

    /// Takes over this many lines from the buffer.
    pub(crate) fn take_over(&mut self, lines: usize) {
        self.count += lines;
        self.ranks.truncate(self.count);
    }

    /// Makes the arena so long at least.
    #[inline]
    fn widen(&mut self, bytes: usize) {
        if self.arena.len() < bytes {
            self.arena.resize(2 * bytes, 0);
        }
    }

    /// How many bytes of the arena are documents.
    #[inline]
    fn used(&self) -> usize {
        self.ends.get(self.count).copied().unwrap_or_default()
    }

    /// Turns the scaled scores into the scores themselves.
    #[inline]
    pub(crate) fn settle(&mut self) {
        if self.decimals > 0 {
            let unit = POWERS[self.decimals as usize];
            self.scaled_scores[..self.count].iter_mut().for_each(|scaled| *scaled /= unit);
            self.decimals = 0;
        }
    }

    /// Moves the lines of another list behind those of this one.
    pub fn append(&mut self, other: &mut Lines) {
        if self.decimals != other.decimals {
            self.settle();
            other.settle();
        }
        let offset = self.used();
        self.arena.truncate(offset);
        self.arena.extend_from_slice(&other.arena[..other.used()]);
        self.ends.truncate(1 + self.count);
        // A list that never had room has not even a beginning.
        self.ends.extend(
            other
                .ends
                .iter()
                .take(1 + other.count)
                .map(|end| offset + end)
                .skip(usize::from(!self.ends.is_empty())),
        );
        self.scaled_scores.truncate(self.count);
        self.scaled_scores.extend_from_slice(other.scaled_scores());
        if self.ranks.len() == self.count {
            self.ranks.append(&mut other.ranks);
        }
        for unit in Unit::ALL {
            if !other.costs(unit).is_empty() {
                let column = &mut self.costs.get_or_insert_default()[unit as usize];
                column.resize(self.count, f64::NAN);
                column.extend_from_slice(other.costs(unit));
            }
        }
        self.count += other.count;
        other.clear();
    }

    /// An error if there is no memory to [take](Lines::take) the list.
    pub(crate) fn room_to_take(&self) -> Result<()> {
        memory::room_for(self.used() + self.count * 3 * size_of::<f64>())
    }

    /// The list in memory of its own size, leaving this one empty.
    #[must_use]
    pub fn take(&mut self) -> Lines {
        let taken = Lines {
            arena: self.arena[..self.used()].to_vec(),
            ends: self.ends.iter().take(1 + self.count).copied().collect(),
            scaled_scores: self.scaled_scores().to_vec(),
            count: self.count,
            ranks: self.ranks.clone(),
            decimals: self.decimals,
            costs: self.costs.clone(),
        };
        self.clear();
        taken
    }

    /// Empties the list and keeps its memory.
    pub fn clear(&mut self) {
        self.count = 0;
        self.ranks.clear();
        self.decimals = 0;
        self.costs = None;
    }

    /// The number of lines.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The document of a line.
    #[inline]
    pub fn document(&self, line: usize) -> &[u8] {
        self.documents().of(line as u32)
    }

    /// The documents, for loops over them.
    #[inline]
    pub(super) fn documents(&self) -> LineDocuments<'_> {
        LineDocuments { arena: &self.arena, ends: self.ends.get(..=self.count).unwrap_or_default() }
    }

    /// The score of a line.
    #[inline]
    pub fn score(&self, line: usize) -> f64 {
        self.scaled_scores[line] / self.unit()
    }

    /// What scaled scores are divided by to be scores.
    pub(super) fn unit(&self) -> f64 {
        POWERS[self.decimals as usize]
    }

    /// Numbers in the order of the scores, equal where they are.
    pub(super) fn scaled_scores(&self) -> &[f64] {
        &self.scaled_scores[..self.count]
    }

    /// The ranks of the first lines, up to one that has none.
    pub(crate) fn first_ranks(&self) -> &[f64] {
        &self.ranks
    }

    /// The ranks as given, or none if a line has none.
    pub fn ranks(&self) -> &[f64] {
        if self.ranks.len() == self.count { &self.ranks } else { &[] }
    }
}

/// For how many decimals scaled scores have room if this is the first of a list of
/// scores: with nine or less, as in most files, there is also room for more
/// digits before the point.
fn most_decimals(decimal: Decimal) -> u32 {
    let digits = decimal.digits.checked_ilog10().map_or(1, |power| power + 1);
    let before = digits.saturating_sub(decimal.decimals).max(1);
    let most = DIGITS as u32 - before;
    if decimal.decimals <= USUAL { most.min(USUAL) } else { most }
}

/// Hardly a file has scores of more decimals but those that are written with all
/// that a double has.
const USUAL: u32 = 9;

/// A score times that power of ten, if there is room for
/// it.
fn scaled(decimal: Decimal, decimals: u32) -> Option<f64> {
    let more = decimals.checked_sub(decimal.decimals)?;
    let digits = decimal.digits.checked_mul(10_u64.checked_pow(more)?)?;
    (digits < 10_u64.pow(DIGITS as u32)).then(|| whole(Decimal { digits, ..decimal }))
}

/// The score: one correctly rounded division of two exact numbers.
#[inline(always)]
pub(crate) fn score_of(decimal: Decimal) -> f64 {
    whole(decimal) / POWERS[decimal.decimals as usize]
}

/// The number without its point.
#[inline(always)]
pub(crate) fn whole(decimal: Decimal) -> f64 {
    let whole = decimal.digits as f64;
    // Minus zero, which ties with zero, does not come of this.
    if decimal.negative { 0.0 - whole } else { whole }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// However digits and numbers follow each other, scores are what the
        /// texts say, and scaled scores are in their order.
        #[test]
        fn digits_are_scores(
            scores in prop::collection::vec(("-?", 0u64..1_000_000_000_000_000, 0u32..3, 0u32..16, any::<bool>()), 1..20),
            alike: bool,
        ) {
            let mut lines = Lines::default();
            let mut expected = Vec::new();
            for (sign, digits, fewer, decimals, plain) in scores {
                let digits = if alike { digits % 50 } else { digits >> (20 * fewer) };
                let decimals = if alike { 3 } else { decimals };
                let text = format!("{sign}{digits}e-{decimals}");
                let score: f64 = text.parse().unwrap();
                expected.push(score + 0.0);
                if plain && !alike {
                    lines.push(b"some", score);
                } else {
                    let decimal = Decimal { negative: sign == "-", digits, decimals };
                    lines.push_decimal(b"some", decimal);
                }
            }
            for (i, score) in expected.iter().enumerate() {
                prop_assert_eq!(lines.score(i).to_bits(), score.to_bits());
                prop_assert_eq!(lines.document(i).len(), 4);
                for (j, other) in expected.iter().enumerate() {
                    prop_assert_eq!(lines.scaled_scores()[i].partial_cmp(&lines.scaled_scores()[j]), score.partial_cmp(other));
                }
            }
        }
    }
}
