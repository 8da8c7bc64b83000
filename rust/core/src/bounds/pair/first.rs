//! What the first relevant document decides: reciprocal rank, success.

use super::{RankWeights, Stakes, Way};

/// If documents up to some weight in the first list may be relevant, all of these may: the first
/// list is worth that weight, the second one the highest of theirs.
pub(super) fn highest(stakes: &Stakes, weights: &RankWeights) -> Way {
    let worst = stakes.worst();
    let mut open = vec![worst; stakes.open.len()];
    let Some(best) = stakes.best() else { return Way { open, ..Way::default() } };
    if stakes.classes[0].0 > 0.0 {
        return Way { open, ..Way::default() };
    }
    let known = |run: usize| {
        let judged = stakes.judged.iter().map(|of| weights.of(of.0[run]));
        judged.fold(0.0, f64::max)
    };
    let (first, second) = (known(0), known(1));
    let of = |place: usize, run: usize| weights.of(stakes.open[place][run]);
    let mut order: Vec<usize> = (0..open.len()).collect();
    order.sort_by(|&a, &b| of(a, 0).total_cmp(&of(b, 0)));
    // So many of the open ones have to be relevant.
    let missing = stakes.missing();
    let least = missing.saturating_sub(stakes.unseen());
    let mut chosen = (if least == 0 { second - first } else { f64::NEG_INFINITY }, 0, None);
    let mut highest: Option<usize> = None;
    for (seen, &place) in (1..).zip(&order) {
        if highest.is_none_or(|highest| of(place, 1) > of(highest, 1)) {
            highest = Some(place);
        }
        let gain = highest.map_or(0.0, |highest| of(highest, 1));
        let value = gain.max(second) - of(place, 0).max(first);
        if seen >= least && value > chosen.0 {
            chosen = (value, seen, highest);
        }
    }
    let (_, seen, highest) = chosen;
    let others = order[..seen].iter().copied().filter(|&place| Some(place) != highest);
    let few = least.saturating_sub(usize::from(highest.is_some()));
    let mut relevant = 0;
    for place in highest.into_iter().chain(others.take(few)) {
        open[place] = best;
        relevant += 1;
    }
    let elsewhere = missing.saturating_sub(relevant) as u32;
    Way { open, elsewhere: vec![(best, elsewhere)], ..Way::default() }
}
