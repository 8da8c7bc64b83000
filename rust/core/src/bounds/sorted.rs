//! Measures that are extreme when the best documents come first, or last.

use super::open::Open;
use super::question::Question;
use super::two_grades::{Elsewhere, TwoGrades};
use crate::error::Result;

impl Open<'_> {
    /// The extremes over every combination of grades, in these two orders.
    pub(crate) fn sorted(&mut self, question: &Question) -> Result<(f64, f64)> {
        let grade_indices: Vec<u32> = self.classes.iter().rev().map(|class| class.1).collect();
        let positive: Vec<u32> =
            self.classes.iter().rev().filter(|class| class.0 > 0.0).map(|class| class.1).collect();
        let Question { unseen, unseen_judged, .. } = *question;
        let mut elsewhere = Vec::new();
        let (least, kinds) = if unseen_judged { (unseen, &grade_indices) } else { (0, &positive) };
        for total in least..=unseen {
            each_split(total, kinds.len(), &mut Vec::new(), &mut |split| {
                elsewhere.push(kinds.iter().copied().zip(split.iter().copied()).collect());
                Ok(())
            })?;
        }
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        let elsewhere: Vec<Elsewhere> = elsewhere;
        if let [(worst, nothing), (_, best)] = *self.classes
            && self.whole
            && worst == 0.0
        {
            let places = std::mem::take(&mut self.places);
            let found = TwoGrades::new(self, best, nothing, &places).extremes(&elsewhere);
            self.places = places;
            return found;
        }
        let places = self.places.len() as u32;
        each_split(places, grade_indices.len(), &mut Vec::new(), &mut |split| {
            let best_first: Vec<u32> = grade_indices
                .iter()
                .zip(split)
                .flat_map(|(&grade_index, &count)| std::iter::repeat_n(grade_index, count as usize))
                .collect();
            for unseen in &elsewhere {
                for value in [
                    self.value(best_first.iter().copied(), unseen)?,
                    self.value(best_first.iter().rev().copied(), unseen)?,
                ] {
                    (low, high) = (low.min(value), high.max(value));
                }
            }
            Ok(())
        })?;
        Ok((low, high))
    }
}

/// Every way to split a number into ordered parts.
fn each_split(
    total: u32,
    parts: usize,
    split: &mut Vec<u32>,
    f: &mut impl FnMut(&[u32]) -> Result<()>,
) -> Result<()> {
    if parts <= 1 {
        // Without parts there is nothing to distribute.
        if parts == 1 {
            split.push(total);
        }
        f(split)?;
        split.truncate(split.len().saturating_sub(parts));
        return Ok(());
    }
    for part in 0..=total {
        split.push(part);
        each_split(total - part, parts - 1, split, f)?;
        split.pop();
    }
    Ok(())
}
