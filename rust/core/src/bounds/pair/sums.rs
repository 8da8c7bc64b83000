//! Sums over documents of gain x weight, and their ratios to the same sum of the best list.

use super::{RankWeights, Stakes, Way};
use crate::bounds::steps::{GainStep, Stairs};

/// For a sum each document counts by itself: the best grade where the second list weighs it more.
pub(super) fn of_sum(stakes: &Stakes, weights: &RankWeights) -> Way {
    let worst = stakes.worst();
    let Some(best) = stakes.best() else {
        return Way { open: vec![worst; stakes.open.len()], ..Way::default() };
    };
    let apart: Vec<f64> = stakes.open.iter().map(|&ranks| weights.apart(ranks)).collect();
    let mut open: Vec<u32> =
        apart.iter().map(|&apart| if apart > 0.0 { best } else { worst }).collect();
    let always = stakes.classes[0].0 > 0.0;
    let relevant = apart.iter().filter(|&&apart| always || apart > 0.0).count();
    let missing = stakes.missing().saturating_sub(relevant);
    let elsewhere = missing.min(stakes.unseen());
    let mut rest: Vec<usize> = (0..open.len()).filter(|&place| apart[place] <= 0.0).collect();
    rest.sort_by(|&a, &b| apart[b].total_cmp(&apart[a]));
    for &place in rest.iter().take(missing - elsewhere) {
        open[place] = stakes.lowest_gain().unwrap_or(worst);
    }
    Way { open, elsewhere: vec![(best, elsewhere as u32)], ..Way::default() }
}

/// For a ratio the documents are put in order of their weight in the second list less that in the
/// first, together with those in neither list, whose weight is 0. Of any number that reach a step
/// of gain the first ones are best, for all steps at once; how many reach each is what [`Stairs`]
/// chooses. `ideal` gives the sums of the weights of 0, 1, ... documents up to a number; beyond
/// its end they stay the same.
pub(super) fn of_ratio(
    stakes: &Stakes,
    weights: &RankWeights,
    ideal: impl Fn(u32) -> Vec<f64>,
) -> Way {
    let mut gains: Vec<f64> = stakes.counts.iter().map(|of| of.0).collect();
    gains.extend(stakes.classes.iter().map(|class| class.0));
    gains.retain(|&gain| gain > 0.0);
    gains.sort_by(f64::total_cmp);
    gains.dedup();
    let grade_of = |gain: f64| stakes.classes.iter().find(|c| c.0 == gain).map(|c| c.1);
    let ground = grade_of(0.0);
    // What the judged documents of at least each gain add.
    let judged: Vec<f64> = gains
        .iter()
        .map(|&gain| {
            let reach = stakes.judged.iter().filter(|of| of.1 >= gain);
            reach.map(|&(ranks, _)| weights.apart(ranks)).sum()
        })
        .collect();
    let order = in_order(stakes, weights, ground.is_some() && judged.iter().all(|&c| c >= 0.0));
    let known: u32 = stakes.counts.iter().map(|of| of.1).sum();
    let ideal = ideal(known + order.len() as u32);
    let divisor = |documents: usize| ideal[documents.min(ideal.len() - 1)];
    let mut below = 0.0;
    let steps = gains.iter().zip(&judged).map(|(&gain, &judged)| {
        let reached: u32 = stakes.counts.iter().filter(|of| of.0 >= gain).map(|of| of.1).sum();
        let step = gain - below;
        below = gain;
        let mut sum = judged;
        let mut shares = vec![(step * sum, step * divisor(reached as usize))];
        for (new, &(weight, _)) in (1..).zip(&order) {
            sum += weight;
            shares.push((step * sum, step * divisor(reached as usize + new)));
        }
        GainStep { grade_index: grade_of(gain), shares }
    });
    let stairs = Stairs {
        steps: steps.collect(),
        places: order.len(),
        ground,
        least: stakes.missing().min(order.len()),
    };
    let worst = ground.unwrap_or_else(|| stakes.worst());
    let mut open = vec![worst; stakes.open.len()];
    let mut elsewhere: Vec<(u32, u32)> = Vec::new();
    let reach = if stairs.steps.is_empty() { Vec::new() } else { stairs.extreme(true) };
    for (i, &(_, place)) in order.iter().enumerate() {
        let step = (0..reach.len()).rev().find(|&step| reach[step] > i);
        let Some(grade) = step.and_then(|step| stairs.steps[step].grade_index) else { continue };
        match place {
            Some(place) => open[place as usize] = grade,
            None => elsewhere.push((grade, 1)),
        }
    }
    Way { open, elsewhere, ..Way::default() }
}

/// The weights of the open documents with their places, and of those in neither list, the highest
/// first. Where nothing judged speaks for the first list, documents that add nothing only raise
/// the divisor, so that none but those that must be relevant are kept.
fn in_order(stakes: &Stakes, weights: &RankWeights, for_second: bool) -> Vec<(f64, Option<u32>)> {
    let open = (0..).zip(stakes.open);
    let mut order: Vec<(f64, Option<u32>)> =
        open.map(|(place, &ranks)| (weights.apart(ranks), Some(place))).collect();
    let least = stakes.missing();
    if for_second {
        let adding = order.iter().filter(|of| of.0 > 0.0).count();
        if adding >= least {
            order.retain(|of| of.0 > 0.0);
        }
    }
    order.extend(std::iter::repeat_n((0.0, None), stakes.unseen()));
    order.sort_by(|a, b| b.0.total_cmp(&a.0));
    if for_second {
        let adding = order.iter().filter(|of| of.0 > 0.0).count();
        order.truncate(adding.max(least));
    }
    order
}
