//! The mean over all orders of equal scores, a group at a time.
//!
//! The contribution of a group to a value depends on the documents above it,
//! which the order within other groups does not change. So the mean is the value
//! of one order, minus the contribution of each group in that order, plus its
//! mean contribution.

use super::group::TieGroup;
use super::shares::Shares;
use crate::error::{Error, Kind, Result};
use crate::interrupt;
use crate::measure::{Case, Looks, Mean, Measure};
use crate::trace::{Relevant, View};

/// The mean of a measure over the orders of groups, given by first and last
/// ranks of the full list; `plain` is its value on the list in its present order.
pub(super) fn mean_of_groups(
    how: Mean,
    measure: &Measure,
    case: &Case,
    groups: &[(u32, u32)],
    plain: f64,
) -> Result<f64> {
    let by_judged = matches!(how, Mean::Shares { judged: true }) || case.condensed;
    let mut mean = plain;
    let mut shares = None;
    for &group in groups {
        interrupt::check()?;
        let group = TieGroup::of(case, group, by_judged);
        if group.places < 2 || group.relevant() == 0 {
            continue;
        }
        mean += match how {
            Mean::Each(looks) => each(measure, case, &group, looks)?,
            Mean::Cascade => cascade(measure, case, &group),
            Mean::Shares { .. } => {
                let shares = shares.get_or_insert_with(|| Shares::new(measure, case, by_judged));
                shares.mean(&group)?
            }
            // Groups below the first relevant document add nothing.
            Mean::First if group.seen == 0 => return Ok(first(measure, case, &group)),
            _ => 0.0,
        };
    }
    Ok(mean)
}

/// The fold over some relevant documents instead of those of the list.
struct Alone<'a> {
    measure: &'a Measure,
    case: &'a Case<'a>,
    view: View,
}

impl<'a> Alone<'a> {
    fn new(measure: &'a Measure, case: &'a Case<'a>) -> Self {
        let view = case.view.without_documents();
        Alone { measure, case, view }
    }

    fn score(&mut self, documents: &[Relevant]) -> f64 {
        self.view.relevant.clear();
        self.view.relevant.extend_from_slice(documents);
        self.measure.score(&Case { view: &self.view, ..*self.case })
    }
}

/// The mean contribution of a group minus its present one, for measures that
/// are sums over relevant documents.
fn each(measure: &Measure, case: &Case, group: &TieGroup, looks: Looks) -> Result<f64> {
    let mut alone = Alone::new(measure, case);
    let last = group.seen as usize + group.relevant() as usize;
    let here = &case.view.relevant[group.seen as usize..last];
    let now: f64 = here.iter().map(|document| alone.score(&[*document])).sum();

    // The other documents of the group, by the counts that the measure uses; the
    // rest only takes up ranks, if the measure depends on ranks.
    let relevant = group.relevant();
    let rest = group.places - relevant - group.others;
    let rest = rest - if case.condensed { 0 } else { group.unjudged };
    let classes = [
        (relevant - 1, looks.seen),
        (group.others, looks.nonrelevant),
        (if case.condensed { 0 } else { group.unjudged }, looks.pooled),
    ];
    let mut counts = [0; 4];
    counts[3] = if looks.rank { rest } else { 0 };
    for (count, (size, looked)) in counts.iter_mut().zip(classes) {
        if looked {
            *count = size;
        }
    }
    if looks.rank {
        counts[3] +=
            classes.iter().filter(|(_, looked)| !looked).map(|(size, _)| size).sum::<u32>();
    }
    let cells: f64 = counts.iter().map(|&count| f64::from(count) + 1.0).product();
    if cells > MOST_CELLS {
        let message = format!(
            "no exact mean of {measure}: {} documents have the same score, with {cells:.0} cases to try",
            group.places
        );
        return Err(Error::new(Kind::Option, message));
    }
    let total: u32 = counts.iter().sum();
    let logs = log_factorials(total);
    let choose = |n: u32, k: u32| logs[n as usize] - logs[k as usize] - logs[(n - k) as usize];
    let grade_index = here[0].grade_index;
    let (mut sum, mut weights) = (0.0, 0.0);
    for a in 0..=counts[0] {
        for b in 0..=counts[1] {
            for c in 0..=counts[2] {
                for d in 0..=counts[3] {
                    let above = a + b + c + d;
                    let ways = choose(counts[0], a)
                        + choose(counts[1], b)
                        + choose(counts[2], c)
                        + choose(counts[3], d)
                        - choose(total, above);
                    let weight = ways.exp();
                    weights += weight;
                    let document = Relevant {
                        rank: group.first + if looks.rank { above } else { 0 },
                        seen: group.seen + a + 1,
                        nonrelevant: group.nonrelevant + b,
                        pooled: group.pooled + c,
                        grade_index,
                    };
                    sum += weight * alone.score(&[document]);
                }
            }
        }
    }
    Ok(f64::from(relevant) * sum / weights - now)
}

/// The most cases that are tried.
const MOST_CELLS: f64 = 2e7;

/// The logarithms of the factorials up to a number.
fn log_factorials(most: u32) -> Vec<f64> {
    let mut logs = vec![0.0];
    for n in 1..=most {
        logs.push(logs[n as usize - 1] + f64::from(n).ln());
    }
    logs
}

/// The same for the expected utility of a user who stops at a document with
/// its gain as probability. The probability to stop at a place is that of passing
/// everything above minus that of passing everything down to it, and each of these
/// is a mean over all choices of that many documents of the group.
fn cascade(measure: &Measure, case: &Case, group: &TieGroup) -> f64 {
    let mut alone = Alone::new(measure, case);
    let before = group.seen as usize;
    let relevant = &case.view.relevant;
    let down_to = |alone: &mut Alone, count: usize| alone.score(&relevant[..count]);
    let now = down_to(&mut alone, before + group.relevant() as usize) - down_to(&mut alone, before);
    let arrives: f64 = relevant[..before].iter().map(|d| 1.0 - case.gain(d)).product();

    // The mean of the products over all subsets of each size, adding one
    // document at a time.
    let mut passes = vec![1.0];
    let gains = group.grade_indices.iter().flat_map(|&(grade_index, count)| {
        std::iter::repeat_n(case.gains[grade_index as usize], count as usize)
    });
    let nothing = std::iter::repeat_n(0.0, (group.places - group.relevant()) as usize);
    for (gain, size) in gains.chain(nothing).zip(1u32..) {
        passes.push(0.0);
        for j in (1..=size as usize).rev() {
            let share = j as f64 / f64::from(size);
            passes[j] = (1.0 - share) * passes[j] + share * (1.0 - gain) * passes[j - 1];
        }
    }
    let grade_index = group.grade_indices[0].0;
    let gain = case.gains[grade_index as usize];
    let mean = passes.windows(2).zip(group.first..).map(|(passes, rank)| {
        let document = Relevant { rank, seen: 1, nonrelevant: 0, pooled: 0, grade_index };
        (passes[0] - passes[1]) * alone.score(&[document])
    });
    arrives * mean.sum::<f64>() / gain - now
}

/// The mean of a measure of the first relevant document, which is in the group.
fn first(measure: &Measure, case: &Case, group: &TieGroup) -> f64 {
    let mut alone = Alone::new(measure, case);
    let relevant = f64::from(group.relevant());
    let (mut mean, mut none_above) = (0.0, 1.0);
    for place in 0..=group.places - group.relevant() {
        let here = relevant / f64::from(group.places - place);
        for &(grade_index, count) in &group.grade_indices {
            let rank = group.first + place;
            let document = Relevant { rank, seen: 1, nonrelevant: 0, pooled: 0, grade_index };
            let share = f64::from(count) / relevant;
            mean += none_above * here * share * alone.score(&[document]);
        }
        none_above *= 1.0 - here;
    }
    mean
}
